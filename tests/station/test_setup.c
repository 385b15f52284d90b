// Setups and records as bytes: what is written is read back, and what is not one is refused.
#include "base/random.h"
#include "body/description_io.h"
#include "check.h"
#include "station/replay/archive.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_body_description emu;
static uint8_t bytes[CAIRN_SETUP_BYTES_MAX];
static size_t size_bytes;

static cairn_station_def team_of(uint32_t robot_count)
{
    cairn_station_def def = cairn_station_def_default();
    def.robot_count = robot_count;
    for (uint32_t i = 0; i < robot_count; i++) {
        def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                  .name = i % 2 == 0 ? "emu" : "a robot with a longer name",
                                                  .map_T_start = {i * 1.5, -2.0, 0.1 * i},
                                                  .description = &emu,
                                                  .mode = CAIRN_MODE_AUTONOMOUS};
        memset(def.robots[i].key, 0x5a, sizeof def.robots[i].key);
    }
    return def;
}

static int start(void **unused)
{
    (void)unused;
    static cairn_complaints told;
    assert_ok(cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/emu.yaml", &told, &emu));
    const cairn_station_def def = team_of(CAIRN_FLEET_MAX);
    assert_ok(cairn_station_setup_encode(&def, bytes, sizeof bytes, &size_bytes));
    return 0;
}

// A journal alone must be enough to build the station again.
static void a_setup_is_read_back_as_it_was(void **unused)
{
    (void)unused;
    const cairn_station_def def = team_of(CAIRN_FLEET_MAX);
    cairn_arena arena;
    cairn_station_def again;
    assert_ok(cairn_arena_create(&arena, CAIRN_SETUP_MEMORY_BYTES));
    assert_ok(cairn_station_setup_decode(bytes, size_bytes, &arena, &again));
    assert_int_equal(again.robot_count, def.robot_count);
    assert_string_equal(again.robots[1].name, "a robot with a longer name");
    assert_true(again.robots[3].map_T_start.x_m == 4.5 && again.robots[3].mode == CAIRN_MODE_AUTONOMOUS);
    assert_true(again.robots[29].description->laser.range_m_max == emu.laser.range_m_max);
    assert_string_equal(again.robots[29].description->name, emu.name);
    assert_true(again.raster.cell_m == def.raster.cell_m && again.raster.vote_free == def.raster.vote_free);
    assert_true(again.tasking.thermal.range_m_max == def.tasking.thermal.range_m_max);
    assert_int_equal(cairn_station_setup_hash(&again), cairn_station_setup_hash(&def));
    cairn_arena_destroy(&arena);
    cairn_arena_init(&arena, NULL, 0);
    assert_int_equal(cairn_station_setup_decode(bytes, size_bytes, &arena, &again), CAIRN_ERR_FULL);
}

// What was kept before a known start had a deviation was made with the usual one, and goes on with it.
static void a_setup_of_version_1_has_the_usual_places(void **unused)
{
    (void)unused;
    static uint8_t old[CAIRN_SETUP_BYTES_MAX];
    const size_t places_bytes = 6 * sizeof(double);
    memcpy(old, bytes, size_bytes);
    old[0] = 1;
    cairn_station_def def = team_of(CAIRN_FLEET_MAX), again;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, CAIRN_SETUP_MEMORY_BYTES));
    assert_ok(cairn_station_setup_decode(old, size_bytes - places_bytes, &arena, &again));
    assert_true(again.places.start_m_dev == def.places.start_m_dev);
    assert_int_equal(cairn_station_setup_hash(&again), cairn_station_setup_hash(&def));
    // Another deviation makes another map of the same inputs: such a setup is another one.
    def.places.start_m_dev = 0.5;
    assert_int_not_equal(cairn_station_setup_hash(&again), cairn_station_setup_hash(&def));
    cairn_arena_destroy(&arena);
}

// Journals are given away.
static void keys_are_not_in_a_setup(void **unused)
{
    (void)unused;
    const uint8_t key[8] = {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a};
    assert_null(memmem(bytes, size_bytes, key, sizeof key));
}

// Robots wait for a person now. A mission that began with robots that were set going is gone on with as it began: its
// records say what followed from that.
static void a_mission_goes_on_with_the_modes_that_it_began_with(void **unused)
{
    (void)unused;
    cairn_station_def now = team_of(CAIRN_FLEET_MAX);
    for (uint32_t i = 0; i < now.robot_count; i++) { now.robots[i].mode = CAIRN_MODE_IDLE; }
    cairn_station_def other = now;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, CAIRN_SETUP_MEMORY_BYTES));
    assert_ok(cairn_station_setup_go_on(bytes, size_bytes, &arena, &now));
    for (uint32_t i = 0; i < now.robot_count; i++) { assert_int_equal(now.robots[i].mode, CAIRN_MODE_AUTONOMOUS); }
    other.robots[2].map_T_start.x_m += 0.1;
    cairn_arena_reset(&arena, 0);
    assert_int_equal(cairn_station_setup_go_on(bytes, size_bytes, &arena, &other), CAIRN_ERR_INVALID);
    assert_int_equal(other.robots[0].mode, CAIRN_MODE_IDLE);
    other = team_of(CAIRN_FLEET_MAX - 1);
    cairn_arena_reset(&arena, 0);
    assert_int_equal(cairn_station_setup_go_on(bytes, size_bytes, &arena, &other), CAIRN_ERR_INVALID);
    cairn_arena_destroy(&arena);
}

// What no station looks at, and therefore no setup has. A station that begins to needs another version of setups.
static bool is_nobodys_business(size_t at_bytes)
{
#define PART(member)                                                                                                   \
    {                                                                                                                  \
        offsetof(cairn_body_description, member), sizeof(((cairn_body_description *)0)->member)                        \
    }
    static const struct {
        size_t at_bytes, size_bytes;
    } parts[] = {PART(tracks),
                 PART(flippers),
                 PART(urdf),
                 PART(laser.nod),
                 PART(thermal.pan_tilt),
                 PART(range_imager),
                 PART(gps),
                 PART(range_sensors),
                 PART(range_sensor_count),
                 PART(limits.step_m_max),
                 PART(limits.gap_m_max),
                 PART(limits.drop_m_max),
                 PART(limits.accept_unseen_ground),
                 PART(battery.low),
                 PART(battery.critical),
                 PART(magnetometer),
                 PART(barometer)};
#undef PART
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (at_bytes >= parts[i].at_bytes && at_bytes < parts[i].at_bytes + parts[i].size_bytes) { return true; }
    }
    return false;
}

// A figure that was forgotten would let a replay differ for no visible reason.
static void every_word_of_a_description_counts(void **unused)
{
    (void)unused;
    cairn_station_def def = team_of(1);
    static union {
        cairn_body_description body;
        uint8_t bytes[sizeof(cairn_body_description)];
    } changed;
    def.robots[0].description = &changed.body;
    changed.body = emu;
    const uint64_t hash = cairn_station_setup_hash(&def);
    for (size_t word = 0; word < sizeof changed / 8; word++) {
        bool counts = is_nobodys_business(word * 8);
        for (size_t i = 0; i < 8; i++) {
            changed.bytes[word * 8 + i] ^= 1;
            counts |= cairn_station_setup_hash(&def) != hash;
            changed.bytes[word * 8 + i] ^= 1;
        }
        if (!counts) { print_message("word %zu\n", word); }
        assert_true(counts);
    }
}

static void what_no_station_can_work_with_is_refused(void **unused)
{
    (void)unused;
    cairn_station_def wrong[9];
    for (int i = 0; i < 9; i++) { wrong[i] = team_of(2); }
    wrong[0].robots[1].id = 1;
    wrong[1].robots[0].mode = CAIRN_MODE_STOPPED;
    wrong[2].raster.width = 0;
    wrong[3].raster.cell_m = NAN;
    wrong[4].tasking.look.range_m_max = wrong[4].tasking.look.range_m_min;
    wrong[5].robots[0].name = "";
    wrong[6].robots[0].map_T_start.x_m = 1e9;
    wrong[7].places.start_m_dev = 0;
    wrong[8].places.start_rad_dev = NAN;
    static uint8_t to[CAIRN_SETUP_BYTES_MAX];
    size_t size = 0;
    for (int i = 0; i < 9; i++) {
        assert_int_equal(cairn_station_setup_encode(&wrong[i], to, sizeof to, &size), CAIRN_ERR_INVALID);
    }
    const cairn_station_def right = team_of(2);
    assert_int_equal(cairn_station_setup_encode(&right, to, 100, &size), CAIRN_ERR_FULL);
}

static void a_damaged_setup_is_refused_or_sound(void **unused)
{
    (void)unused;
    const uint64_t seed = 31;
    print_message("seed %u\n", (unsigned)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/setup");
    static uint8_t damaged[CAIRN_SETUP_BYTES_MAX], again[CAIRN_SETUP_BYTES_MAX];
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, CAIRN_SETUP_MEMORY_BYTES));
    uint32_t refused_count = 0;
    for (int round = 0; round < 3000; round++) {
        memcpy(damaged, bytes, size_bytes);
        damaged[cairn_random_below(&random, (uint32_t)size_bytes)] ^= (uint8_t)(1u << cairn_random_below(&random, 8));
        const size_t size = round % 4 == 0 ? cairn_random_below(&random, (uint32_t)size_bytes) : size_bytes;
        cairn_station_def def;
        size_t written = 0;
        const cairn_err err = cairn_station_setup_decode(damaged, size, &arena, &def);
        assert_true(err == CAIRN_OK || arena.used_bytes == 0);
        refused_count += err != CAIRN_OK;
        if (err == CAIRN_OK) { assert_ok(cairn_station_setup_encode(&def, again, sizeof again, &written)); }
        cairn_arena_reset(&arena, 0);
    }
    assert_true(refused_count > 750);
    damaged[0] = 99;
    cairn_station_def def;
    assert_int_equal(cairn_station_setup_decode(damaged, size_bytes, &arena, &def), CAIRN_ERR_UNSUPPORTED);
    cairn_arena_destroy(&arena);
}

static void inputs_are_read_back_in_their_order(void **unused)
{
    (void)unused;
    static cairn_inputs_writer writer;
    const cairn_inputs_head head = {.kind = CAIRN_STEP_POST, .step = 1ull << 40, .at = {CAIRN_S(12345)}};
    const cairn_link_facts facts = {
        .stop_count = 1, .task_count = 255, .peer_session = UINT64_MAX - 3, .other_version = 2, .unknown_id = 0x77};
    const cairn_operator_action action = {.verb = CAIRN_DO_DRIVE,
                                          .robot = 17,
                                          .mode = 3,
                                          .to_m = {1.25, -INFINITY},
                                          .forward = NAN,
                                          .turn = -0.0,
                                          .dead_man = true,
                                          .shown = {INT64_MIN}};
    uint8_t message[CAIRN_RADIO_BYTES_MAX];
    size_t message_bytes = 0;
    const cairn_radio_message stop = {.id = CAIRN_MSG_STOP, .stop = {.robot = 3, .stop = 1, .release_count = 9}};
    assert_ok(cairn_radio_encode(&stop, message, sizeof message, &message_bytes));
    cairn_inputs_begin(&writer, &head);
    assert_ok(cairn_inputs_add_facts(&writer, 29, &facts));
    assert_ok(cairn_inputs_add_heard(&writer, 2, message, message_bytes));
    assert_ok(cairn_inputs_add_told(&writer, CAIRN_LOG_ERROR, "the disk is full"));
    assert_ok(cairn_inputs_add_action(&writer, &action));

    cairn_inputs_reader reader;
    cairn_inputs_head read;
    cairn_input input;
    assert_ok(cairn_inputs_check(writer.bytes, writer.size_bytes, 30, &read));
    assert_int_equal(cairn_inputs_check(writer.bytes, writer.size_bytes, 29, &read), CAIRN_ERR_CORRUPT);
    assert_ok(cairn_inputs_open(&reader, writer.bytes, writer.size_bytes, &read));
    assert_true(read.kind == head.kind && read.step == head.step && read.at.ns == head.at.ns);
    assert_ok(cairn_inputs_next(&reader, &input));
    assert_true(input.kind == CAIRN_INPUT_FACTS && input.robot_at == 29);
    assert_true(input.facts.stop_count == 1 && input.facts.mode_count == 0 && input.facts.task_count == 255);
    assert_true(input.facts.peer_session == facts.peer_session && input.facts.other_version == 2);
    assert_int_equal(input.facts.unknown_id, 0x77);
    assert_ok(cairn_inputs_next(&reader, &input));
    assert_true(input.kind == CAIRN_INPUT_HEARD && input.robot_at == 2 && input.heard.size_bytes == message_bytes);
    assert_memory_equal(input.heard.bytes, message, message_bytes);
    assert_ok(cairn_inputs_next(&reader, &input));
    assert_true(input.kind == CAIRN_INPUT_TOLD && input.told.level == CAIRN_LOG_ERROR);
    assert_memory_equal(input.told.text, "the disk is full", input.told.size_bytes);
    assert_ok(cairn_inputs_next(&reader, &input));
    assert_true(input.kind == CAIRN_INPUT_ACTION && input.action.verb == CAIRN_DO_DRIVE && input.action.robot == 17);
    assert_true(input.action.mode == 3 && input.action.dead_man && input.action.shown.ns == INT64_MIN);
    assert_true(input.action.to_m.x == 1.25 && input.action.to_m.y == -INFINITY && isnan(input.action.forward));
    assert_true(input.action.turn == 0 && signbit(input.action.turn));
    assert_int_equal(cairn_inputs_next(&reader, &input), CAIRN_ERR_EMPTY);

    // Cut anywhere, it is whole up to an input, or no record.
    uint32_t whole_count = 0;
    for (size_t size = 0; size < writer.size_bytes; size++) {
        const cairn_err err = cairn_inputs_check(writer.bytes, size, 30, &read);
        assert_true(err == CAIRN_OK || err == CAIRN_ERR_CORRUPT);
        whole_count += err == CAIRN_OK;
    }
    assert_int_equal(whole_count, 4);
}

// A full record refuses what has no room, and is still a record.
static void a_full_record_refuses_and_stays_whole(void **unused)
{
    (void)unused;
    static cairn_inputs_writer writer;
    cairn_inputs_begin(&writer, &(cairn_inputs_head){.kind = CAIRN_STEP_POST, .step = 1});
    const cairn_operator_action action = {.verb = CAIRN_DO_STOP};
    uint32_t count = 0;
    while (cairn_inputs_add_action(&writer, &action) == CAIRN_OK) { count++; }
    assert_true(count > 100 && writer.count == count);
    cairn_inputs_set_kind(&writer, CAIRN_STEP_PART);
    cairn_inputs_head head;
    assert_ok(cairn_inputs_check(writer.bytes, writer.size_bytes, 1, &head));
    assert_int_equal(head.kind, CAIRN_STEP_PART);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setup_is_read_back_as_it_was),
        cmocka_unit_test(a_setup_of_version_1_has_the_usual_places),
        cmocka_unit_test(keys_are_not_in_a_setup),
        cmocka_unit_test(a_mission_goes_on_with_the_modes_that_it_began_with),
        cmocka_unit_test(every_word_of_a_description_counts),
        cmocka_unit_test(what_no_station_can_work_with_is_refused),
        cmocka_unit_test(a_damaged_setup_is_refused_or_sound),
        cmocka_unit_test(inputs_are_read_back_in_their_order),
        cmocka_unit_test(a_full_record_refuses_and_stays_whole),
    };
    return cmocka_run_group_tests_name("station setup", tests, start, NULL);
}
