// A station that acknowledges only what is on disk: acknowledgements wait for their ticket to be confirmed.
#include "pair.h"
#include <stdlib.h>
#include <string.h>

#define SEED_COUNT 20 // unless the environment says otherwise: CAIRN_SEEDS=200
#define SERIAL_MAX 512
#define PUT_UNTIL_NS CAIRN_S(30)
#define END_NS CAIRN_S(60)

static const radio_faults GOOD = {.delay_ns = CAIRN_MS(20)};

// In this direction all streams are used, also those that only a station speaks in: the link does not know the
// difference, and order under held acknowledgements has to be seen.
typedef struct talk_plan {
    cairn_link_stream stream;
    bool in_order;
    int64_t period_ns;
    uint32_t size_min, size_max;
} talk_plan;

static const talk_plan TALKS[] = {
    {CAIRN_LINK_STOP, true, CAIRN_MS(1700), 10, 12},       {CAIRN_LINK_TASK, true, CAIRN_MS(900), 30, 900},
    {CAIRN_LINK_SIGHTING, false, CAIRN_MS(800), 40, 1900}, {CAIRN_LINK_NODE, false, CAIRN_MS(300), 60, 60},
    {CAIRN_LINK_TERRAIN, false, CAIRN_MS(700), 200, 3000},
};
#define TALK_COUNT ((int)(sizeof TALKS / sizeof *TALKS))

typedef struct talk_record {
    uint32_t put_count, taken_count;
    int64_t next_ns;
    uint64_t ticket_plus_1[SERIAL_MAX]; // under which it was taken; 0 not yet
    bool confirmed[SERIAL_MAX];
} talk_record;

static size_t compose(const talk_plan *talk, uint32_t serial, uint64_t seed, uint8_t *bytes)
{
    cairn_random random;
    cairn_random_init(&random, seed * 100000 + serial, cairn_link_stream_name(talk->stream));
    const size_t size = talk->size_min + cairn_random_below(&random, talk->size_max - talk->size_min + 1);
    for (size_t i = 5; i < size; i++) { bytes[i] = (uint8_t)cairn_random_u64(&random); }
    bytes[0] = (uint8_t)(0x40 + talk->stream);
    memcpy(bytes + 1, &serial, 4);
    return size;
}

static pair *create(uint64_t seed, const radio_faults *faults)
{
    pair *world = pair_create(seed, faults);
    world->hold_acks[CAIRN_LINK_STATION] = true;
    pair_restart(world, CAIRN_LINK_STATION);
    return world;
}

static void put_due(pair *world, talk_record *records)
{
    for (int i = 0; i < TALK_COUNT; i++) {
        talk_record *record = &records[i];
        if (world->now_ns < record->next_ns || world->now_ns >= PUT_UNTIL_NS) { continue; }
        uint8_t bytes[CAIRN_LINK_MESSAGE_BYTES_MAX];
        assert_true(record->put_count < SERIAL_MAX);
        const size_t size = compose(&TALKS[i], record->put_count, world->seed, bytes);
        const cairn_err err =
            cairn_link_put(world->links[CAIRN_LINK_ROBOT], TALKS[i].stream, bytes, size, pair_clock(world, 0));
        if (err == CAIRN_ERR_FULL) { continue; } // nobody confirms: it is put later
        assert_ok(err);
        record->next_ns = world->now_ns + TALKS[i].period_ns;
        record->put_count++;
    }
}

static void take_all(pair *world, talk_record *records, uint64_t ticket)
{
    cairn_link_message message;
    while (cairn_link_take(world->links[CAIRN_LINK_STATION], pair_clock(world, 1), &message) == CAIRN_OK) {
        int i = 0;
        while (i < TALK_COUNT && TALKS[i].stream != message.stream) { i++; }
        assert_true(i < TALK_COUNT);
        talk_record *record = &records[i];
        uint8_t expected[CAIRN_LINK_MESSAGE_BYTES_MAX];
        uint32_t serial = 0;
        memcpy(&serial, message.bytes + 1, 4);
        assert_true(serial < record->put_count);
        assert_int_equal(message.size, compose(&TALKS[i], serial, world->seed, expected));
        assert_memory_equal(message.bytes, expected, message.size);
        assert_true(record->ticket_plus_1[serial] == 0); // never a second time
        if (TALKS[i].in_order) { assert_int_equal(serial, record->taken_count); }
        record->ticket_plus_1[serial] = ticket + 1;
        record->taken_count++;
    }
}

static void confirm(pair *world, talk_record *records, uint64_t ticket)
{
    cairn_link_confirm(world->links[CAIRN_LINK_STATION], ticket);
    for (int i = 0; i < TALK_COUNT; i++) {
        for (uint32_t k = 0; k < records[i].put_count; k++) {
            const uint64_t taken = records[i].ticket_plus_1[k];
            records[i].confirmed[k] |= taken != 0 && taken - 1 <= ticket;
        }
    }
}

// The sender lets go of its oldest messages first: its count names them.
static void check_nothing_is_acknowledged_early(const pair *world, const talk_record *records)
{
    const cairn_link_info robot = cairn_link_info_now(world->links[CAIRN_LINK_ROBOT], pair_clock(world, 0));
    const cairn_link_info station = cairn_link_info_now(world->links[CAIRN_LINK_STATION], pair_clock(world, 1));
    for (int i = 0; i < TALK_COUNT; i++) {
        const cairn_link_stream_info *info = &robot.streams[TALKS[i].stream];
        assert_int_equal(info->acknowledged_count + info->queued_count, records[i].put_count);
        for (uint64_t k = 0; k < info->acknowledged_count; k++) { assert_true(records[i].confirmed[k]); }
        uint32_t held = 0;
        for (uint32_t k = 0; k < records[i].put_count; k++) {
            held += records[i].ticket_plus_1[k] != 0 && !records[i].confirmed[k];
        }
        assert_int_equal(station.streams[TALKS[i].stream].held_count, held);
    }
}

// Tickets rise as steps do; the disk confirms at random moments, sometimes seconds late, and not always all.
static void run_mission(uint64_t seed)
{
    static talk_record records[TALK_COUNT];
    memset(records, 0, sizeof records);
    cairn_random random;
    cairn_random_init(&random, seed, "disk");
    const radio_faults faults = {.loss = 0.4 * cairn_random_uniform(&random),
                                 .twice = 0.1 * cairn_random_uniform(&random),
                                 .delay_ns = CAIRN_MS(5),
                                 .jitter_ns = (int64_t)cairn_random_below(&random, 500) * CAIRN_MS(1),
                                 .silent_from_ns = CAIRN_S(15),
                                 .silent_to_ns = CAIRN_S(15) + (int64_t)cairn_random_below(&random, 10) * CAIRN_S(1)};
    const uint32_t slowness = 1 + cairn_random_below(&random, 1000); // steps between two commits
    pair *world = create(seed, &faults);
    cairn_link *station = world->links[CAIRN_LINK_STATION];
    uint64_t ticket = 0;
    while (world->now_ns < END_NS) {
        put_due(world, records);
        pair_tick(world);
        cairn_link_set_ticket(station, ++ticket);
        take_all(world, records, ticket);
        const bool late = world->now_ns > PUT_UNTIL_NS; // then the disk keeps up
        if (late || cairn_random_below(&random, slowness) == 0) {
            confirm(world, records, late ? ticket : ticket - cairn_random_below(&random, (uint32_t)ticket));
        }
        check_nothing_is_acknowledged_early(world, records);
    }
    const cairn_link_info robot = cairn_link_info_now(world->links[CAIRN_LINK_ROBOT], pair_clock(world, 0));
    for (int i = 0; i < TALK_COUNT; i++) {
        assert_int_equal(records[i].taken_count, records[i].put_count);
        assert_int_equal(robot.streams[TALKS[i].stream].queued_count, 0);
    }
    assert_int_equal(robot.bad_frame_count, 0);
    for (int role = 0; role < 2; role++) { assert_true(pair_over_budget(world, role) <= 0); }
    pair_destroy(world);
}

static void nothing_is_acknowledged_before_it_is_confirmed_and_all_is_delivered_once(void **state)
{
    (void)state;
    const char *wanted = getenv("CAIRN_SEEDS");
    const uint64_t seed_count = wanted != NULL ? strtoull(wanted, NULL, 10) : SEED_COUNT;
    for (uint64_t seed = 1; seed <= seed_count; seed++) {
        print_message("seed %u\n", (unsigned)seed);
        run_mission(seed);
    }
}

static void put_node(pair *world, uint32_t serial)
{
    uint8_t bytes[60] = {0x23};
    memcpy(bytes + 1, &serial, 4);
    assert_ok(cairn_link_put(world->links[CAIRN_LINK_ROBOT], CAIRN_LINK_NODE, bytes, sizeof bytes,
                             pair_clock(world, CAIRN_LINK_ROBOT)));
}

static cairn_link_stream_info nodes_of(const pair *world, int role)
{
    return cairn_link_info_now(world->links[role], pair_clock(world, role)).streams[CAIRN_LINK_NODE];
}

// A full disk must not fill the radio: pieces that are there are not sent again and again while nobody confirms.
static void what_is_held_costs_one_piece_a_second_however_long_it_lasts(void **state)
{
    (void)state;
    pair *world = create(31, &GOOD);
    pair_run(world, CAIRN_S(2));
    for (uint32_t i = 0; i < 100; i++) { put_node(world, i); }
    pair_run(world, CAIRN_S(5));
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).delivered_count, 64); // the window
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).held_count, 64);
    const uint64_t resent = nodes_of(world, CAIRN_LINK_ROBOT).resent_count;
    pair_run(world, CAIRN_S(60));
    assert_int_equal(nodes_of(world, CAIRN_LINK_ROBOT).acknowledged_count, 0);
    assert_in_range(nodes_of(world, CAIRN_LINK_ROBOT).resent_count - resent, 50, 60);

    cairn_link_confirm(world->links[CAIRN_LINK_STATION], 0); // nobody gave tickets: all have 0
    pair_run(world, CAIRN_S(5));
    assert_int_equal(nodes_of(world, CAIRN_LINK_ROBOT).acknowledged_count, 64);
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).delivered_count, 100);
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).held_count, 36);
    pair_destroy(world);
}

// What was held belongs to the boot that said it: confirming it must not acknowledge what the next boot says.
static void a_new_boot_of_the_robot_forgets_what_was_held(void **state)
{
    (void)state;
    pair *world = create(32, &GOOD);
    pair_run(world, CAIRN_S(2));
    cairn_link *station = world->links[CAIRN_LINK_STATION];
    cairn_link_set_ticket(station, 5);
    for (uint32_t i = 0; i < 10; i++) { put_node(world, i); }
    pair_run(world, CAIRN_S(2));
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).held_count, 10);
    pair_restart(world, CAIRN_LINK_ROBOT);
    pair_run(world, CAIRN_S(5));
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).held_count, 0);
    cairn_link_set_ticket(station, 6);
    for (uint32_t i = 0; i < 3; i++) { put_node(world, i); }
    pair_run(world, CAIRN_S(2));
    assert_int_equal(nodes_of(world, CAIRN_LINK_STATION).delivered_count, 13);
    cairn_link_confirm(station, 5);
    pair_run(world, CAIRN_S(2));
    assert_int_equal(nodes_of(world, CAIRN_LINK_ROBOT).acknowledged_count, 0);
    cairn_link_confirm(station, 6);
    pair_run(world, CAIRN_S(2));
    assert_int_equal(nodes_of(world, CAIRN_LINK_ROBOT).acknowledged_count, 3);
    pair_destroy(world);
}

// A station that dies with messages that it had not written gets them again; the others it does not.
static void a_new_boot_of_the_station_gets_what_was_not_confirmed(void **state)
{
    (void)state;
    pair *world = create(33, &GOOD);
    pair_run(world, CAIRN_S(2));
    for (uint32_t i = 0; i < 20; i++) {
        cairn_link_set_ticket(world->links[CAIRN_LINK_STATION], i + 1);
        put_node(world, i);
        pair_run(world, CAIRN_MS(100));
    }
    cairn_link_confirm(world->links[CAIRN_LINK_STATION], 12);
    pair_run(world, CAIRN_MS(100));
    const uint32_t done = (uint32_t)nodes_of(world, CAIRN_LINK_ROBOT).acknowledged_count;
    assert_in_range(done, 11, 12);
    pair_restart(world, CAIRN_LINK_STATION);
    uint32_t next = done;
    for (const int64_t end_ns = world->now_ns + CAIRN_S(10); world->now_ns < end_ns;) {
        pair_tick(world);
        cairn_link_message message;
        while (cairn_link_take(world->links[CAIRN_LINK_STATION], pair_clock(world, 1), &message) == CAIRN_OK) {
            uint32_t serial = 0;
            memcpy(&serial, message.bytes + 1, 4);
            assert_int_equal(serial, next++); // nothing is lost or overtaken on a good radio
        }
    }
    assert_int_equal(next, 20);
    pair_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_acknowledged_before_it_is_confirmed_and_all_is_delivered_once),
        cmocka_unit_test(what_is_held_costs_one_piece_a_second_however_long_it_lasts),
        cmocka_unit_test(a_new_boot_of_the_robot_forgets_what_was_held),
        cmocka_unit_test(a_new_boot_of_the_station_gets_what_was_not_confirmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
