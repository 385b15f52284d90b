// A station and its store: what is acknowledged is on disk, whatever the disk does, and people are told when it is not.
#include "../station/air.h"
#include "../station/store_rig.h"
#include "programs/station/keeper.h"
#include "programs/station/restore.h"
#include "station/replay/setup.h"
#include <stdlib.h>
#include <unistd.h>

typedef struct desk {
    store_rig *rig;
    air *world;
    cairn_store *store;
    cairn_keeper keeper;
    uint8_t setup[CAIRN_SETUP_BYTES_MAX];
} desk;

static desk *desk_create(store_rig *rig)
{
    desk *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->rig = rig;
    made->world = air_create(3);
    assert_ok(cairn_station_setup_encode(&made->world->def, made->setup, sizeof made->setup, &rig->def.setup_bytes));
    rig->def.setup = made->setup;
    store_rig_disk(RIG_DISK_GOOD);
    made->store = store_rig_open(rig);
    cairn_keeper_init(&made->keeper, made->store);
    made->world->def.record = cairn_keeper_record;
    made->world->def.record_context = &made->keeper;
    made->world->def.hold_acks = true;
    air_restart_station(made->world);
    cairn_keeper_start(&made->keeper, made->world->station, air_now(made->world));
    return made;
}

static void desk_destroy(desk *gone)
{
    store_rig_disk(RIG_DISK_GOOD);
    cairn_store_close(gone->store);
    cairn_keeper_finish(&gone->keeper);
    air_destroy(gone->world);
    free(gone);
}

// Virtual time, which a real disk knows nothing of: see keep_up.
static void run_ms(desk *at, int64_t ms)
{
    for (int64_t done_ms = 0; done_ms < ms; done_ms += 20) {
        air_run_ms(at->world, 20);
        cairn_keeper_step(&at->keeper, air_now(at->world));
    }
}

// Until the disk has all; then what follows from it.
static void keep_up(desk *at)
{
    do {
        store_rig_await(at->store, cairn_store_look(at->store).appended);
        run_ms(at, 1000);
    } while (at->keeper.gap);
    store_rig_await(at->store, cairn_store_look(at->store).appended);
    run_ms(at, 300);
}

static void say_node(desk *at, uint32_t number)
{
    cairn_radio_message node, terrain;
    air_make_terrain(&at->world->robots[0], number, &node, &terrain);
    air_say(at->world, 0, &node);
}

static uint32_t queued(const desk *at, cairn_link_stream stream)
{
    return cairn_link_info_now(at->world->robots[0].link, air_now(at->world)).streams[stream].queued_count;
}

static void do_to(desk *at, cairn_operator_verb verb, uint8_t mode)
{
    air_do(at->world, &(cairn_operator_action){.verb = verb, .robot = AIR_FIRST_ID, .mode = mode});
}

// What a station knows that is made from the store alone, after the one before has closed it.
static cairn_station *restore(desk *at, cairn_arena *memory, cairn_restored *ret_restored)
{
    cairn_store_close(at->store);
    store_rig_forget(at->rig);
    assert_ok(cairn_store_open(&at->rig->def, &at->rig->complaints, &at->store));
    cairn_station_def def = at->world->def;
    def.mute = true;
    cairn_station *station = NULL;
    assert_ok(cairn_arena_create(memory, cairn_station_memory_bytes(&def)));
    assert_ok(cairn_station_restore(&def, at->store, memory, &at->rig->complaints, &station, ret_restored));
    return station;
}

// Nothing fails, and nothing comes back either. Without a word the operator would wait for what never comes.
static void a_disk_that_hangs_is_told_and_holds_only_acknowledgements(void **state)
{
    desk *at = desk_create(*state);
    at->world->robots[0].on = true;
    run_ms(at, 2000);
    keep_up(at);
    assert_int_equal(air_event_count(at->world, "disk"), 0);
    store_rig_disk(RIG_DISK_HANGS);
    say_node(at, 1);
    run_ms(at, 2000);
    assert_int_equal(air_event_count(at->world, "the disk takes nothing"), 0); // it may be slow
    assert_int_equal(air_look(at->world).atlas->node_count, 1);
    run_ms(at, 20000);
    assert_int_equal(air_event_count(at->world, "the disk takes nothing"), 1);
    assert_int_equal(queued(at, CAIRN_LINK_NODE), 1);
    do_to(at, CAIRN_DO_STOP, 0);
    run_ms(at, 1000);
    assert_int_equal(at->world->robots[0].telemetry.mode, CAIRN_MODE_STOPPED);
    // An hour of it may not fill the memory: no state is put behind another that waits.
    const size_t waiting_bytes = cairn_store_look(at->store).waiting_bytes;
    run_ms(at, 60000);
    const size_t minute_bytes = cairn_store_look(at->store).waiting_bytes - waiting_bytes;
    assert_true(minute_bytes < 200000);
    store_rig_disk(RIG_DISK_GOOD);
    keep_up(at);
    assert_int_equal(air_event_count(at->world, "the disk takes everything again"), 1);
    assert_int_equal(queued(at, CAIRN_LINK_NODE), 0);
    desk_destroy(at);
}

// More than may wait: what is refused is in no record, but in the state that is kept before anything is acknowledged.
static void what_fell_into_a_gap_is_acknowledged_when_the_state_is_kept(void **state)
{
    store_rig *rig = *state;
    rig->def.waiting_bytes_max = 30000;
    desk *at = desk_create(rig);
    at->world->robots[0].on = true;
    run_ms(at, 2000);
    keep_up(at);
    store_rig_disk(RIG_DISK_FULL);
    run_ms(at, 500);
    while (!cairn_store_look(at->store).failing) { usleep(1000); }
    run_ms(at, 60000);
    assert_true(at->keeper.gap);
    assert_int_equal(air_event_count(at->world, "the disk is full"), 1);
    say_node(at, 1);
    do_to(at, CAIRN_DO_MODE, CAIRN_MODE_PAUSED);
    run_ms(at, 3000);
    assert_int_equal(at->world->robots[0].telemetry.mode, CAIRN_MODE_PAUSED);
    assert_int_equal(queued(at, CAIRN_LINK_NODE), 1);
    store_rig_disk(RIG_DISK_GOOD);
    keep_up(at);
    assert_int_equal(queued(at, CAIRN_LINK_NODE), 0);
    say_node(at, 2);
    run_ms(at, 1000);
    keep_up(at);
    assert_int_equal(queued(at, CAIRN_LINK_NODE), 0);

    cairn_arena memory = {0};
    cairn_restored restored;
    cairn_station *again = restore(at, &memory, &restored);
    assert_false(restored.cut);
    cairn_station_view view;
    cairn_station_look(again, &view);
    assert_int_equal(view.atlas->node_count, 2);
    assert_int_equal(view.fleet->robots[0].order.mode, CAIRN_MODE_PAUSED);
    const cairn_station_hash here = cairn_station_hashes(at->world->station), there = cairn_station_hashes(again);
    assert_int_equal(here.state, there.state);
    cairn_station_finish(again);
    cairn_arena_destroy(&memory);
    desk_destroy(at);
}

// The quota is ours, not the disk's. The cure for it is to start the station again, and that may cost nothing of what
// operators were shown as done.
static void a_station_that_ends_at_its_quota_keeps_what_waits(void **state)
{
    store_rig *rig = *state;
    rig->def.quota_bytes = 100000;
    desk *at = desk_create(rig);
    at->world->robots[0].on = true;
    for (int i = 0; i < 100 && air_event_count(at->world, "its quota is used up") == 0; i++) {
        run_ms(at, 1000);
        (void)cairn_keeper_keep_state(&at->keeper, air_now(at->world));
        const uint64_t appended = cairn_store_look(at->store).appended;
        while (cairn_store_committed(at->store) < appended && !cairn_store_look(at->store).failing) { usleep(1000); }
    }
    assert_int_equal(air_event_count(at->world, "its quota is used up"), 1);
    do_to(at, CAIRN_DO_STOP, 0);
    run_ms(at, 2000);
    assert_int_equal(at->world->robots[0].telemetry.mode, CAIRN_MODE_STOPPED);
    assert_true(cairn_store_look(at->store).failing);

    cairn_arena memory = {0};
    cairn_restored restored;
    cairn_station *again = restore(at, &memory, &restored);
    cairn_station_view view;
    cairn_station_look(again, &view);
    assert_true(view.fleet->robots[0].stop.wanted);
    assert_int_equal(cairn_station_step(again), cairn_station_step(at->world->station));
    cairn_station_finish(again);
    cairn_arena_destroy(&memory);
    desk_destroy(at);
}

int main(void)
{
#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, store_rig_make, store_rig_remove)
    const struct CMUnitTest tests[] = {
        WITH_RIG(a_disk_that_hangs_is_told_and_holds_only_acknowledgements),
        WITH_RIG(what_fell_into_a_gap_is_acknowledged_when_the_state_is_kept),
        WITH_RIG(a_station_that_ends_at_its_quota_keeps_what_waits),
    };
    return cmocka_run_group_tests_name("keeper", tests, NULL, NULL);
}
