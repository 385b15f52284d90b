// The station is a function of its inputs: whatever happened can be done again, from the beginning or from any moment.
#include "air.h"
#include "messages/codec.h"
#include "station/replay/archive.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <stdlib.h>

#define KEPT_MAX 20000
#define SNAPSHOTS_MAX 6
#define SEED_COUNT 2 // unless the environment says otherwise: CAIRN_SEEDS=10

typedef struct kept_record {
    uint8_t *bytes;
    size_t size_bytes;
    bool ends_step, urgent;
    cairn_station_hash after;
} kept_record;

typedef struct snapshot {
    uint8_t *bytes;
    size_t size_bytes;
    uint32_t record_count; // taken in before
} snapshot;

// All that a mission left behind.
typedef struct kept {
    air *world;
    uint32_t count, part_count;
    kept_record *records;
    uint32_t snapshot_count;
    snapshot snapshots[SNAPSHOTS_MAX];
    uint32_t until_snapshot; // records
    cairn_random random;
    uint64_t step; // the last
} kept;

static void take_snapshot(kept *all)
{
    snapshot *taken = &all->snapshots[all->snapshot_count++];
    const size_t max = cairn_station_save_bytes(all->world->station);
    taken->bytes = malloc(max);
    assert_non_null(taken->bytes);
    assert_ok(cairn_station_save(all->world->station, taken->bytes, max, &taken->size_bytes));
    assert_int_equal(taken->size_bytes, max);
    assert_int_equal(cairn_station_save(all->world->station, taken->bytes, max - 1, &taken->size_bytes),
                     CAIRN_ERR_FULL);
    assert_int_equal(taken->size_bytes, max);
    taken->record_count = all->count;
}

static void keep(void *context, const cairn_station_record *record)
{
    kept *all = context;
    assert_true(all->count < KEPT_MAX && record->size_bytes <= CAIRN_INPUTS_BYTES_MAX);
    assert_int_equal(record->step, all->step + 1);
    if (record->ends_step) { all->step = record->step; }
    kept_record *to = &all->records[all->count++];
    *to = (kept_record){.size_bytes = record->size_bytes,
                        .ends_step = record->ends_step,
                        .urgent = record->urgent,
                        .after = cairn_station_hashes(all->world->station)};
    to->bytes = malloc(record->size_bytes);
    assert_non_null(to->bytes);
    memcpy(to->bytes, record->bytes, record->size_bytes);
    all->part_count += !record->ends_step;
    if (record->ends_step && all->until_snapshot > 0 && --all->until_snapshot == 0) {
        take_snapshot(all);
        if (all->snapshot_count < SNAPSHOTS_MAX) {
            all->until_snapshot = 1 + (uint32_t)(cairn_random_uniform(&all->random) * 1000);
        }
    }
}

static kept *kept_create(uint64_t seed, bool hold_acks)
{
    kept *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->records = calloc(KEPT_MAX, sizeof *all->records);
    assert_non_null(all->records);
    all->world = air_create(seed);
    cairn_random_init(&all->random, seed, "tests/replay");
    all->world->def.record = keep;
    all->world->def.record_context = all;
    all->world->def.hold_acks = hold_acks;
    air_restart_station(all->world);
    return all;
}

static void kept_destroy(kept *all)
{
    for (uint32_t i = 0; i < all->count; i++) { free(all->records[i].bytes); }
    for (uint32_t i = 0; i < all->snapshot_count; i++) { free(all->snapshots[i].bytes); }
    free(all->records);
    air_destroy(all->world);
    free(all);
}

static uint32_t pick(kept *all, uint32_t count) { return (uint32_t)(cairn_random_uniform(&all->random) * count); }

static void ask_something(kept *all)
{
    cairn_operator_action action = {
        .verb = (cairn_operator_verb)pick(all, CAIRN_DO_COUNT + 1),
        .robot = (uint8_t)(pick(all, 8) == 0 ? pick(all, 250) : AIR_FIRST_ID + pick(all, AIR_ROBOTS)),
        .mode = (uint8_t)pick(all, CAIRN_MODE_COUNT + 1),
        .to_m = {pick(all, 300) * 0.1, pick(all, 300) * 0.1},
        .forward = pick(all, 200) * 0.01 - 1,
        .turn = pick(all, 10) == 0 ? NAN : 0.5,
        .dead_man = pick(all, 2) == 0,
        .guards = pick(all, 3) == 0 ? 0 : 1u << pick(all, 32),
        .shown = {air_now(all->world).ns - CAIRN_MS(pick(all, 1500))}};
    if (pick(all, 10) == 0) { action.robot = CAIRN_ALL_ROBOTS; }
    if (action.verb == CAIRN_DO_STOP && pick(all, 3) != 0) { action.verb = CAIRN_DO_RELEASE; }
    air_do(all->world, &action);
}

static void say_something(kept *all)
{
    const uint32_t robot_at = pick(all, AIR_ROBOTS);
    air_robot *robot = &all->world->robots[robot_at];
    static cairn_radio_message message, terrain;
    switch (pick(all, 4)) {
    case 0:
        cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
        message.victim_seen.robot = robot->id;
        message.victim_seen.sighting = 1 + pick(all, 6);
        message.victim_seen.x_mm = (int32_t)pick(all, 6000);
        message.victim_seen.frame_count = 1 + (uint16_t)pick(all, 9);
        message.victim_seen.confidence_pct = (uint8_t)pick(all, 100);
        break;
    case 1:
        cairn_radio_clear(CAIRN_MSG_EVENT, &message);
        message.event.robot = robot->id;
        message.event.level = (uint8_t)(10 + pick(all, 41));
        message.event.text_count = (uint16_t)pick(all, 60);
        for (uint32_t i = 0; i < message.event.text_count; i++) { message.event.text[i] = (uint8_t)pick(all, 256); }
        break;
    default:
        air_make_terrain(robot, 1 + pick(all, 60), &message, &terrain);
        message.node.x_mm = (int32_t)pick(all, 4000);
        message.node.y_mm = (int32_t)pick(all, 4000);
        terrain.terrain_grid.x_mm += (int32_t)pick(all, 500);
        air_say(all->world, robot_at, &terrain);
    }
    air_say(all->world, robot_at, &message);
}

static void move_robots(kept *all)
{
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
        air_robot *robot = &all->world->robots[i];
        robot->kept_count = 0;
        robot->telemetry.x_mm += (int32_t)pick(all, 401) - 200;
        robot->telemetry.y_mm += (int32_t)pick(all, 401) - 200;
        robot->telemetry.yaw_mrad = (int16_t)((int)pick(all, 6000) - 3000);
        if (pick(all, 20) == 0) { robot->telemetry.task_state = (uint8_t)pick(all, 5); }
    }
}

static void set_areas(kept *all)
{
    cairn_team_areas areas = {.fences = {.count = pick(all, 3)}, .names = {"one", "another"}};
    for (uint32_t i = 0; i < areas.fences.count; i++) {
        const double x_m = pick(all, 300) * 0.1, y_m = pick(all, 300) * 0.1;
        areas.fences.fences[i] = (cairn_fence){i == 0 ? CAIRN_FENCE_KEEP_OUT : CAIRN_FENCE_KEEP_IN,
                                               3,
                                               {{x_m, y_m}, {x_m + 4, y_m}, {x_m, y_m + 1 + pick(all, 30)}}};
    }
    assert_ok(cairn_station_set_areas(all->world->station, &areas));
}

// Anything that can happen.
static void live_ms(kept *all, int64_t ms)
{
    air *world = all->world;
    for (int64_t at_ms = 0; at_ms < ms; at_ms += 100) {
        air_robot *robot = &world->robots[pick(all, AIR_ROBOTS)];
        move_robots(all);
        if (pick(all, 4) == 0) { robot->on = true; }
        if (pick(all, 3) == 0) { say_something(all); }
        if (pick(all, 4) == 0) { ask_something(all); }
        if (pick(all, 60) == 0) { robot->mute = !robot->mute; }
        if (pick(all, 60) == 0) { robot->deaf = !robot->deaf; }
        if (pick(all, 60) == 0) { world->loss = 0.1 * pick(all, 5); }
        if (pick(all, 200) == 0) { air_restart_robot(world, pick(all, AIR_ROBOTS)); }
        if (pick(all, 50) == 0) { assert_ok(cairn_station_tell(world->station, CAIRN_LOG_WARN, "the disk is full")); }
        if (pick(all, 80) == 0) { set_areas(all); }
        if (pick(all, 100) == 0) {
            for (int i = 0; i < 500; i++) { ask_something(all); }
        }
        air_run_ms(world, 100);
    }
}

// A station that has no links, made from the setup's bytes alone.
typedef struct mute_station {
    cairn_arena memory, names;
    cairn_station_def def;
    cairn_station *station;
} mute_station;

static void mute_create(const cairn_station_def *of, mute_station *ret_mute)
{
    uint8_t *setup = malloc(CAIRN_SETUP_BYTES_MAX);
    assert_non_null(setup);
    size_t size_bytes = 0;
    assert_ok(cairn_station_setup_encode(of, setup, CAIRN_SETUP_BYTES_MAX, &size_bytes));
    assert_ok(cairn_arena_create(&ret_mute->names, CAIRN_SETUP_MEMORY_BYTES));
    assert_ok(cairn_station_setup_decode(setup, size_bytes, &ret_mute->names, &ret_mute->def));
    free(setup);
    ret_mute->def.mute = true;
    assert_ok(cairn_arena_create(&ret_mute->memory, cairn_station_memory_bytes(&ret_mute->def)));
    assert_ok(cairn_station_create(&ret_mute->def, &ret_mute->memory, &ret_mute->station));
}

static void mute_destroy(mute_station *mute)
{
    cairn_station_finish(mute->station);
    cairn_arena_destroy(&mute->memory);
    cairn_arena_destroy(&mute->names);
}

static void assert_same(cairn_station_hash a, cairn_station_hash b)
{
    assert_int_equal(a.map, b.map);
    assert_int_equal(a.state, b.state);
}

static void replay_from(const kept *all, uint32_t first, cairn_station *station)
{
    for (uint32_t i = first; i < all->count; i++) {
        assert_ok(cairn_station_replay(station, all->records[i].bytes, all->records[i].size_bytes));
        assert_same(cairn_station_hashes(station), all->records[i].after);
    }
    assert_int_equal(cairn_station_step(station), all->step);
}

static void assert_saves_the_same(const cairn_station *a, const cairn_station *b)
{
    const size_t size_bytes = cairn_station_save_bytes(a);
    assert_int_equal(cairn_station_save_bytes(b), size_bytes);
    uint8_t *one = malloc(size_bytes), *other = malloc(size_bytes);
    assert_true(one != NULL && other != NULL);
    size_t size_a = 0, size_b = 0;
    assert_ok(cairn_station_save(a, one, size_bytes, &size_a));
    assert_ok(cairn_station_save(b, other, size_bytes, &size_b));
    assert_memory_equal(one, other, size_bytes);
    assert_int_equal(cairn_archive_hash_of(one, size_bytes), cairn_station_hashes(a).state);
    free(one);
    free(other);
}

// The whole promise: live, again from the first record, and again from any snapshot, after each record the same.
static void a_mission_replayed_is_the_same_at_every_step(void **unused)
{
    (void)unused;
    const char *wanted = getenv("CAIRN_SEEDS");
    const uint64_t seed_count = wanted != NULL ? strtoull(wanted, NULL, 10) : SEED_COUNT;
    for (uint64_t seed = 1; seed <= seed_count; seed++) {
        print_message("seed %u\n", (unsigned)seed);
        kept *all = kept_create(seed, false);
        all->until_snapshot = 1 + pick(all, 500);
        live_ms(all, 60000);
        assert_true(all->part_count > 0 && all->snapshot_count > 1);
        assert_true(air_look(all->world).raster->known_count > 5000);

        mute_station again;
        mute_create(&all->world->def, &again);
        replay_from(all, 0, again.station);
        assert_saves_the_same(again.station, all->world->station);
        mute_destroy(&again);
        for (uint32_t i = 0; i < all->snapshot_count; i++) {
            const snapshot *from = &all->snapshots[i];
            mute_create(&all->world->def, &again);
            assert_ok(cairn_station_load(again.station, from->bytes, from->size_bytes));
            replay_from(all, from->record_count, again.station);
            mute_destroy(&again);
        }
        kept_destroy(all);
    }
}

// A store may hold words of robots that were, or said that they were, far beyond the edges of the map: whoever starts
// from it takes them in again, from the records and from a snapshot.
static void records_of_robots_beyond_every_edge_can_be_started_from(void **unused)
{
    (void)unused;
    static const int32_t far_mm[] = {30000, 45000, 2000000};
    kept *all = kept_create(3, false);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { all->world->robots[i].on = true; }
    for (uint32_t i = 0; i < 8 * 3; i++) {
        const double angle_rad = i % 8 * 0.25 * CAIRN_PI;
        cairn_msg_telemetry *says = &all->world->robots[i % AIR_ROBOTS].telemetry;
        says->x_mm = (int32_t)lround(far_mm[i / 8] * cos(angle_rad));
        says->y_mm = (int32_t)lround(far_mm[i / 8] * sin(angle_rad));
        say_something(all);
        air_run_ms(all->world, 1500);
    }
    take_snapshot(all);
    air_run_ms(all->world, 2000);

    mute_station again;
    mute_create(&all->world->def, &again);
    replay_from(all, 0, again.station);
    mute_destroy(&again);
    mute_create(&all->world->def, &again);
    assert_ok(cairn_station_load(again.station, all->snapshots[0].bytes, all->snapshots[0].size_bytes));
    replay_from(all, all->snapshots[0].record_count, again.station);
    mute_destroy(&again);
    kept_destroy(all);
}

// A record left out, or one of the past, must not pass for the next one.
static void records_are_taken_in_their_order_only(void **unused)
{
    (void)unused;
    kept *all = kept_create(7, false);
    live_ms(all, 2000);
    mute_station again;
    mute_create(&all->world->def, &again);
    const kept_record *first = &all->records[0], *second = &all->records[1];
    assert_int_equal(cairn_station_replay(again.station, second->bytes, second->size_bytes), CAIRN_ERR_INVALID);
    assert_ok(cairn_station_replay(again.station, first->bytes, first->size_bytes));
    assert_int_equal(cairn_station_replay(again.station, first->bytes, first->size_bytes), CAIRN_ERR_INVALID);
    second->bytes[0] = CAIRN_INPUTS_VERSION + 1;
    assert_int_equal(cairn_station_replay(again.station, second->bytes, second->size_bytes), CAIRN_ERR_UNSUPPORTED);
    assert_same(cairn_station_hashes(again.station), first->after);
    mute_destroy(&again);
    kept_destroy(all);
}

// A file may be damaged. Whatever is in it, the station refuses it or goes on with it; it never falls.
static void damaged_snapshots_and_records_do_no_harm(void **unused)
{
    (void)unused;
    kept *all = kept_create(11, false);
    all->until_snapshot = 1000;
    live_ms(all, 30000);
    const snapshot *sound = &all->snapshots[0];
    uint8_t *bytes = malloc(sound->size_bytes);
    assert_non_null(bytes);
    uint32_t refused_count = 0, taken_count = 0;
    for (uint32_t round = 0; round < 400; round++) {
        memcpy(bytes, sound->bytes, sound->size_bytes);
        size_t size_bytes = sound->size_bytes;
        // Cells are most of the bytes; the front is where the rest is.
        const uint32_t within = round % 2 == 0 ? (uint32_t)size_bytes : 4096;
        for (uint32_t i = 0; i <= round % 3; i++) { bytes[pick(all, within)] ^= (uint8_t)(1u << pick(all, 8)); }
        if (round % 10 == 9) { size_bytes = pick(all, (uint32_t)size_bytes); }
        mute_station again;
        mute_create(&all->world->def, &again);
        const cairn_err err = cairn_station_load(again.station, bytes, size_bytes);
        refused_count += err != CAIRN_OK;
        for (uint32_t i = sound->record_count; err == CAIRN_OK && i < sound->record_count + 60; i++) {
            kept_record *record = &all->records[i];
            const cairn_err replayed = cairn_station_replay(again.station, record->bytes, record->size_bytes);
            taken_count += replayed == CAIRN_OK;
        }
        mute_destroy(&again);
    }
    assert_true(refused_count > 100 && taken_count > 100);
    free(bytes);

    mute_station again;
    mute_create(&all->world->def, &again);
    for (uint32_t i = 0; i < all->count; i++) {
        uint8_t damaged[CAIRN_INPUTS_BYTES_MAX];
        const kept_record *record = &all->records[i];
        memcpy(damaged, record->bytes, record->size_bytes);
        const size_t head_bytes = 18; // a wrong step or time would only be refused
        if (record->size_bytes > head_bytes) {
            damaged[head_bytes + pick(all, (uint32_t)(record->size_bytes - head_bytes))] ^=
                (uint8_t)(1 + pick(all, 255));
        }
        const cairn_err err = cairn_station_replay(again.station, damaged, record->size_bytes);
        if (err != CAIRN_OK) { assert_ok(cairn_station_replay(again.station, record->bytes, record->size_bytes)); }
    }
    mute_destroy(&again);
    kept_destroy(all);
}

// A snapshot of another mission would make nonsense of this one.
static void a_snapshot_of_another_setup_or_layout_is_refused(void **unused)
{
    (void)unused;
    kept *all = kept_create(3, false);
    all->until_snapshot = 50;
    live_ms(all, 2000);
    snapshot *taken = &all->snapshots[0];
    cairn_station_def other = all->world->def;
    other.robots[1].map_T_start.x_m += 0.25;
    mute_station again;
    mute_create(&other, &again);
    assert_int_equal(cairn_station_load(again.station, taken->bytes, taken->size_bytes), CAIRN_ERR_INVALID);
    mute_destroy(&again);
    mute_create(&all->world->def, &again);
    taken->bytes[0]++;
    assert_int_equal(cairn_station_load(again.station, taken->bytes, taken->size_bytes), CAIRN_ERR_UNSUPPORTED);
    taken->bytes[0]--;
    assert_ok(cairn_station_load(again.station, taken->bytes, taken->size_bytes)); // it was unchanged
    mute_destroy(&again);
    kept_destroy(all);
}

// A restarted station's time goes on where the old one's ended, on threads' executor with a clock of our own.
typedef struct own_clock {
    cairn_mono now;
} own_clock;

static cairn_mono clock_now(void *context) { return ((own_clock *)context)->now; }
static void clock_sleep(void *context, cairn_mono until)
{
    own_clock *clock = context;
    if (until.ns > clock->now.ns) { clock->now = until; }
}

// The station falls, and another takes its place from the records, or from the last snapshot and those after it.
static void restart_from_records(kept *all, own_clock *clock, int64_t gone_ms)
{
    air *world = all->world;
    clock->now = cairn_mono_add(air_now(world), CAIRN_MS(gone_ms));
    cairn_executor_destroy(world->executor);
    cairn_station_finish(world->station);
    cairn_arena_destroy(&world->memory);
    world->def.seed += 77;
    assert_ok(cairn_arena_create(&world->memory, cairn_station_memory_bytes(&world->def)));
    assert_ok(cairn_station_create(&world->def, &world->memory, &world->station));
    const uint32_t tapped_before = world->tapped_count;
    uint32_t first = 0;
    if (all->snapshot_count > 0) {
        const snapshot *last = &all->snapshots[all->snapshot_count - 1];
        assert_ok(cairn_station_load(world->station, last->bytes, last->size_bytes));
        first = last->record_count;
    }
    replay_from(all, first, world->station);
    assert_int_equal(world->tapped_count, tapped_before); // nothing is said a second time
    const cairn_time time = {.now = clock_now, .sleep_until = clock_sleep, .context = clock};
    assert_ok(cairn_executor_create_by_time(time, &world->executor));
    cairn_station_register(world->station, world->executor, cairn_executor_add_lane(world->executor, "station", 0));
}

static void do_on(air *world, cairn_operator_verb verb, uint8_t robot, cairn_vec2 to_m)
{
    air_do(world, &(cairn_operator_action){.verb = verb, .robot = robot, .to_m = to_m});
}

// What an operator was shown as done, and no robot has heard of yet, is done by the next station.
static void stops_and_orders_outlive_the_station(void **unused)
{
    (void)unused;
    kept *all = kept_create(5, false);
    air *world = all->world;
    own_clock clock = {{0}};
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].on = true; }
    cairn_radio_message node, terrain;
    air_make_terrain(&world->robots[1], 1, &node, &terrain);
    air_say(world, 1, &node);
    air_say(world, 1, &terrain);
    air_run_ms(world, 3000);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].deaf = true; }
    do_on(world, CAIRN_DO_STOP, 10, (cairn_vec2){0, 0});
    do_on(world, CAIRN_DO_GO, 11, (cairn_vec2){11, 8});
    all->until_snapshot = 10;
    air_run_ms(world, 1000);
    assert_int_equal(all->snapshot_count, 1);
    const uint32_t task = air_robot_seen(world, 1)->assignment.task;
    const uint32_t terrain_count = air_look(world).atlas->terrain_count;
    assert_true(task != 0 && air_robot_seen(world, 1)->assignment.by_operator);

    restart_from_records(all, &clock, 20000);
    world->robots[2].on = false; // gone meanwhile
    air_run_ms(world, 100);
    assert_true(air_robot_seen(world, 2)->lost); // known from before, and not there
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].deaf = false; }
    air_run_ms(world, 6000);
    assert_int_equal(world->robots[0].telemetry.mode, CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 0)->stop.wanted && air_robot_seen(world, 0)->stop.acknowledged);
    assert_int_equal(world->robots[1].telemetry.mode, CAIRN_MODE_WAYPOINT);
    assert_int_equal(world->robots[1].telemetry.task, task);
    assert_int_equal(air_robot_seen(world, 1)->assignment.task, task);
    assert_false(air_robot_seen(world, 1)->lost);
    assert_true(air_robot_seen(world, 2)->lost);
    assert_int_equal(air_event_count(world, "has joined"), 3);
    assert_int_equal(air_event_count(world, "is silent"), 3);
    assert_int_equal(air_event_count(world, "is heard again"), 2);
    assert_int_equal(air_event_count(world, "has started again"), 0); // no robot has
    assert_int_equal(air_look(world).atlas->terrain_count, terrain_count);
    assert_int_equal(air_look(world).atlas->repeated_count, 0);

    // What both stations kept is one mission.
    mute_station again;
    mute_create(&world->def, &again);
    replay_from(all, 0, again.station);
    mute_destroy(&again);
    kept_destroy(all);
}

// The same with anything happening, three times over.
static void a_mission_with_restarts_is_one_mission(void **unused)
{
    (void)unused;
    const uint64_t seed = 21;
    print_message("seed %u\n", (unsigned)seed);
    kept *all = kept_create(seed, false);
    own_clock clocks[3] = {{{0}}};
    for (int i = 0; i < 3; i++) {
        all->until_snapshot = 300;
        live_ms(all, 10000);
        restart_from_records(all, &clocks[i], 40 + 3000 * i);
    }
    live_ms(all, 10000);
    mute_station again;
    mute_create(&all->world->def, &again);
    replay_from(all, 0, again.station);
    assert_saves_the_same(again.station, all->world->station);
    mute_destroy(&again);
    kept_destroy(all);
}

static void forget_after(kept *all, uint32_t count)
{
    while (all->count > count) {
        const kept_record *last = &all->records[--all->count];
        all->step -= last->ends_step;
        free(last->bytes);
    }
}

// A disk that is full keeps nothing, and a station may fall before it has kept what it did. The robots know: what they
// were told last counts, or one that was left idle would be set going by nobody.
static void what_was_told_and_not_kept_is_taken_over_from_the_robots(void **unused)
{
    (void)unused;
    kept *all = kept_create(5, false);
    air *world = all->world;
    own_clock clock = {{0}};
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].on = true; }
    air_run_ms(world, 3000);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
        assert_int_equal(world->robots[i].telemetry.mode, CAIRN_MODE_AUTONOMOUS);
    }
    const uint32_t kept_count = all->count;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_PAUSED});
    do_on(world, CAIRN_DO_STOP, 11, (cairn_vec2){0, 0});
    do_on(world, CAIRN_DO_STOP, 12, (cairn_vec2){0, 0});
    air_run_ms(world, 1500);
    do_on(world, CAIRN_DO_RELEASE, 12, (cairn_vec2){0, 0});
    air_run_ms(world, 1500);
    const uint32_t told_count = air_told_count(world, 0, CAIRN_MSG_MODE_ORDER);
    assert_int_equal(world->robots[0].telemetry.mode, CAIRN_MODE_PAUSED);
    assert_int_equal(world->robots[2].telemetry.mode, CAIRN_MODE_IDLE);

    forget_after(all, kept_count);
    restart_from_records(all, &clock, 5000);
    air_run_ms(world, 10000);
    assert_int_equal(world->robots[0].telemetry.mode, CAIRN_MODE_PAUSED);
    assert_int_equal(world->robots[1].telemetry.mode, CAIRN_MODE_STOPPED);
    assert_int_equal(world->robots[2].telemetry.mode, CAIRN_MODE_IDLE);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_MODE_ORDER), told_count);
    assert_int_equal(air_robot_seen(world, 0)->order.mode, CAIRN_MODE_PAUSED);
    assert_true(air_robot_seen(world, 1)->stop.wanted);
    assert_int_equal(air_event_count(world, "an order that this station does not know of"), 2);
    // And it is led on as any other.
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(world->robots[0].telemetry.mode, CAIRN_MODE_AUTONOMOUS);
    kept_destroy(all);
}

static uint32_t queued(const air *world, uint32_t robot_at, cairn_link_stream stream)
{
    return cairn_link_info_now(world->robots[robot_at].link, air_now(world)).streams[stream].queued_count;
}

// What a robot has been told is safe, it forgets. So it is told only when the record is on disk.
static void robots_wait_for_acknowledgements_until_their_step_is_confirmed(void **unused)
{
    (void)unused;
    kept *all = kept_create(9, true);
    air *world = all->world;
    world->robots[0].on = true;
    air_run_ms(world, 1500);
    cairn_radio_message node, terrain;
    air_make_terrain(&world->robots[0], 1, &node, &terrain);
    const uint32_t count_before = all->count;
    air_say(world, 0, &node);
    air_run_ms(world, 3000);
    assert_int_equal(air_look(world).atlas->node_count, 1); // heard at once
    assert_int_equal(queued(world, 0, CAIRN_LINK_NODE), 1); // and not acknowledged
    uint64_t step = 0;
    uint32_t urgent_count = 0;
    for (uint32_t i = count_before; i < all->count; i++) {
        if (!all->records[i].urgent) { continue; }
        cairn_inputs_head head;
        assert_ok(cairn_inputs_check(all->records[i].bytes, all->records[i].size_bytes, AIR_ROBOTS, &head));
        step = head.step;
        urgent_count++;
    }
    assert_int_equal(urgent_count, 1);
    cairn_station_confirm(world->station, step - 1);
    air_run_ms(world, 1000);
    assert_int_equal(queued(world, 0, CAIRN_LINK_NODE), 1);
    cairn_station_confirm(world->station, step);
    air_run_ms(world, 1000);
    assert_int_equal(queued(world, 0, CAIRN_LINK_NODE), 0);
    kept_destroy(all);
}

// In the name of emu1.
static void send_strange(air *world, uint8_t version, size_t size_bytes)
{
    const uint8_t strange[40] = {(uint8_t)(version << 4), AIR_FIRST_ID};
    const cairn_air_address nowhere = {{0}};
    assert_ok(cairn_air_box_put(cairn_station_from_air(world->station), &nowhere, strange, size_bytes));
    air_run_ms(world, 40);
}

// A robot of another version is silent here: without a word nobody would know why.
static void another_version_of_the_protocol_is_told_once(void **unused)
{
    (void)unused;
    kept *all = kept_create(13, false);
    air *world = all->world;
    for (int i = 0; i < 50; i++) { // whoever pretends fills no list of events
        send_strange(world, (uint8_t)(CAIRN_LINK_VERSION + 1 + (i < 10 ? 0 : i / 10)), 40);
    }
    assert_int_equal(air_event_count(world, "something in emu1's name, unproven, speaks version 2 of the radio"), 1);
    assert_int_equal(air_event_count(world, "of the radio protocol"), 1);
    mute_station again;
    mute_create(&world->def, &again);
    replay_from(all, 0, again.station);
    mute_destroy(&again);
    kept_destroy(all);
}

// Nobody proves what version he speaks. Bytes that no version could have sent, a single packet, and packets in the name
// of a robot that is heard in our own version say nothing.
static void garbage_does_not_say_that_a_robot_is_of_another_version(void **unused)
{
    (void)unused;
    air *world = air_create(14);
    for (int i = 0; i < 50; i++) { send_strange(world, CAIRN_LINK_VERSION + 2, i % 24); }
    for (uint8_t version = CAIRN_LINK_VERSION + 1; version < 16; version++) { send_strange(world, version, 40); }
    world->robots[0].on = true;
    air_run_ms(world, 2000);
    for (int i = 0; i < 200; i++) { send_strange(world, CAIRN_LINK_VERSION + 1, 40); }
    assert_int_equal(air_event_count(world, "of the radio protocol"), 0);
    world->robots[0].on = false;
    air_run_ms(world, 5000);
    for (int i = 0; i < 5; i++) { send_strange(world, CAIRN_LINK_VERSION + 1, 40); }
    assert_int_equal(air_event_count(world, "of the radio protocol"), 1);
    air_destroy(world);
}

static void what_the_program_tells_is_an_event_like_any_other(void **unused)
{
    (void)unused;
    kept *all = kept_create(2, false);
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_ok(cairn_station_tell(all->world->station, CAIRN_LOG_ERROR, "the disk is full: make room"));
    assert_ok(cairn_station_tell(all->world->station, CAIRN_LOG_WARN, longest));
    air_run_ms(all->world, 100);
    const cairn_event *event = cairn_events_get(air_look(all->world).events, 1);
    assert_string_equal(event->text, "the disk is full: make room");
    assert_int_equal(event->level, CAIRN_LOG_ERROR);
    assert_int_equal(event->robot, 0);
    assert_int_equal(strlen(cairn_events_get(air_look(all->world).events, 2)->text), CAIRN_TOLD_BYTES_MAX);
    uint32_t refused_count = 0;
    for (int i = 0; i < 1000; i++) {
        refused_count += cairn_station_tell(all->world->station, CAIRN_LOG_WARN, "again") == CAIRN_ERR_FULL;
    }
    assert_true(refused_count > 0 && refused_count < 1000);
    kept_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mission_replayed_is_the_same_at_every_step),
        cmocka_unit_test(records_of_robots_beyond_every_edge_can_be_started_from),
        cmocka_unit_test(records_are_taken_in_their_order_only),
        cmocka_unit_test(damaged_snapshots_and_records_do_no_harm),
        cmocka_unit_test(a_snapshot_of_another_setup_or_layout_is_refused),
        cmocka_unit_test(stops_and_orders_outlive_the_station),
        cmocka_unit_test(a_mission_with_restarts_is_one_mission),
        cmocka_unit_test(what_was_told_and_not_kept_is_taken_over_from_the_robots),
        cmocka_unit_test(robots_wait_for_acknowledgements_until_their_step_is_confirmed),
        cmocka_unit_test(another_version_of_the_protocol_is_told_once),
        cmocka_unit_test(garbage_does_not_say_that_a_robot_is_of_another_version),
        cmocka_unit_test(what_the_program_tells_is_an_event_like_any_other),
    };
    return cmocka_run_group_tests_name("station replay", tests, NULL, NULL);
}
