// What each stream promises, the budget, and the memory.
#include "pair.h"
#include <stdlib.h>
#include <string.h>

static const radio_faults GOOD = {.delay_ns = CAIRN_MS(10)};

static cairn_link_info info_of(const pair *world, int role)
{
    return cairn_link_info_now(world->links[role], pair_clock(world, role));
}

static pair *connected_pair(uint64_t seed)
{
    pair *world = pair_create(seed, &GOOD);
    pair_run(world, CAIRN_S(2));
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).state, CAIRN_LINK_CONNECTED);
    return world;
}

static void put(pair *world, int role, cairn_link_stream stream, uint8_t id, size_t size)
{
    uint8_t bytes[CAIRN_LINK_MESSAGE_BYTES_MAX];
    for (size_t i = 0; i < size; i++) { bytes[i] = (uint8_t)(i * 7 + i / 256); }
    bytes[0] = id;
    assert_ok(cairn_link_put(world->links[role], stream, bytes, size, pair_clock(world, role)));
}

// Ticks until something is delivered there; false after a second without.
static bool next_message(pair *world, int role, cairn_link_message *message)
{
    for (int i = 0; i < 250; i++) {
        if (cairn_link_take(world->links[role], pair_clock(world, role), message) == CAIRN_OK) { return true; }
        pair_tick(world);
    }
    return false;
}

static void the_largest_terrain_map_arrives_whole(void **state)
{
    (void)state;
    pair *world = connected_pair(1);
    const size_t size = 6433; // two planes of 160 by 160 cells
    put(world, CAIRN_LINK_ROBOT, CAIRN_LINK_TERRAIN, 0x22, size);
    cairn_link_message message;
    assert_true(next_message(world, CAIRN_LINK_STATION, &message));
    assert_int_equal(message.stream, CAIRN_LINK_TERRAIN);
    assert_int_equal(message.id, 0x22);
    assert_int_equal(message.size, size);
    for (size_t i = 1; i < size; i++) { assert_int_equal(message.bytes[i], (uint8_t)(i * 7 + i / 256)); }
    pair_destroy(world);
}

static void the_latest_wins_before_it_is_sent(void **state)
{
    (void)state;
    pair *world = connected_pair(2);
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_STATE, 0x11, 20);
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_STATE, 0x12, 21);
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_STATE, 0x11, 22); // the same kind as the first
    cairn_link_message message;
    assert_true(next_message(world, CAIRN_LINK_ROBOT, &message));
    assert_int_equal(message.size, 22);
    assert_true(next_message(world, CAIRN_LINK_ROBOT, &message));
    assert_int_equal(message.size, 21);
    assert_false(next_message(world, CAIRN_LINK_ROBOT, &message));
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).streams[CAIRN_LINK_STATE].replaced_count, 1);
    pair_destroy(world);
}

static void telemetry_leaves_twice_a_second_however_often_it_is_put(void **state)
{
    (void)state;
    pair *world = connected_pair(3);
    const uint64_t before = info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_TELEMETRY].sent_count;
    for (int i = 0; i < 2500; i++) {
        put(world, CAIRN_LINK_ROBOT, CAIRN_LINK_TELEMETRY, 0x20, 48);
        pair_run(world, PAIR_TICK_NS);
    }
    const uint64_t sent = info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_TELEMETRY].sent_count - before;
    assert_in_range(sent, 20, 21);
    pair_destroy(world);
}

// Where the others are keeps robots from running into each other. On a thin link tasks alone may take all there is.
static void state_is_not_kept_waiting_by_tasks(void **state)
{
    (void)state;
    pair *world = connected_pair(31);
    cairn_link_set_budget(world->links[CAIRN_LINK_STATION], 308, world->defs[CAIRN_LINK_STATION].burst_bytes,
                          pair_clock(world, CAIRN_LINK_STATION));
    int64_t heard_ns = world->now_ns, longest_ns = 0;
    uint32_t tasks = 0;
    for (int i = 0; i < 60 * 250; i++) {
        if (i % 125 == 0) { put(world, CAIRN_LINK_STATION, CAIRN_LINK_STATE, 0x11, 126); } // twice a second
        const uint64_t queued = info_of(world, CAIRN_LINK_STATION).streams[CAIRN_LINK_TASK].queued_count;
        if (queued < 2) { put(world, CAIRN_LINK_STATION, CAIRN_LINK_TASK, 0x10, 95); } // as many as go
        pair_tick(world);
        for (cairn_link_message message; cairn_link_take(world->links[CAIRN_LINK_ROBOT],
                                                         pair_clock(world, CAIRN_LINK_ROBOT), &message) == CAIRN_OK;) {
            tasks += message.stream == CAIRN_LINK_TASK;
            if (message.stream != CAIRN_LINK_STATE) { continue; }
            longest_ns = world->now_ns - heard_ns > longest_ns ? world->now_ns - heard_ns : longest_ns;
            heard_ns = world->now_ns;
        }
    }
    print_message("%u tasks in 60 s; state after %.2f s at most\n", tasks, (double)longest_ns * 1e-9);
    assert_true(world->now_ns - heard_ns < CAIRN_S(2) && longest_ns < CAIRN_S(2));
    assert_true(tasks >= 15);
    pair_destroy(world);
}

// The stop must not wait behind a queue of maps: one datagram at most is before it, the bucket's reserve carries it.
static void a_stop_overtakes_a_full_queue(void **state)
{
    (void)state;
    pair *world = connected_pair(4);
    for (int i = 0; i < 30; i++) { put(world, CAIRN_LINK_STATION, CAIRN_LINK_TERRAIN, 0x22, 6000); }
    pair_run(world, CAIRN_S(3)); // the bucket is empty but for the reserve
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_STOP, 0x03, 10);
    const int64_t put_ns = world->now_ns;
    cairn_link_message message = {.stream = CAIRN_LINK_TERRAIN};
    while (message.stream != CAIRN_LINK_STOP) { assert_true(next_message(world, CAIRN_LINK_ROBOT, &message)); }
    assert_true(world->now_ns - put_ns <= world->faults.delay_ns + 3 * PAIR_TICK_NS);
    pair_destroy(world);
}

// A stop, its release, and a stop again: whatever is lost, the last word is the last put, and none waits for a timeout
// once any packet with the last one arrives.
static void orders_arrive_in_order_with_the_packet_that_brings_the_last(void **state)
{
    (void)state;
    pair *world = connected_pair(5);
    world->faults.loss = 1.0;
    for (uint8_t i = 1; i <= 3; i++) {
        if (i == 3) { world->faults.loss = 0.0; }
        put(world, CAIRN_LINK_STATION, CAIRN_LINK_STOP, i, 10);
        pair_run(world, 2 * PAIR_TICK_NS);
    }
    for (uint8_t i = 1; i <= 3; i++) {
        cairn_link_message message;
        const int64_t before_ns = world->now_ns;
        assert_true(next_message(world, CAIRN_LINK_ROBOT, &message));
        assert_int_equal(message.id, i);
        assert_true(world->now_ns - before_ns <= world->faults.delay_ns + PAIR_TICK_NS);
    }
    pair_destroy(world);
}

static void teleoperation_is_delivered_fresh_or_not_at_all(void **state)
{
    (void)state;
    pair *world = connected_pair(6);
    cairn_link_message message;
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_TELEOPERATION, 0x01, 12);
    assert_true(next_message(world, CAIRN_LINK_ROBOT, &message));
    assert_true(message.age_known);
    assert_in_range(message.age_ns, CAIRN_MS(8), CAIRN_MS(24)); // 10 ms on the way, ticks and steps of 4 ms

    world->faults.delay_ns = CAIRN_MS(305); // late on the way
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_TELEOPERATION, 0x01, 12);
    assert_false(next_message(world, CAIRN_LINK_ROBOT, &message));

    world->faults.delay_ns = CAIRN_MS(10); // here in time, but taken late
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_TELEOPERATION, 0x01, 12);
    for (int i = 0; i < 75; i++) { pair_tick(world); }
    assert_false(next_message(world, CAIRN_LINK_ROBOT, &message));
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_TELEOPERATION].outdated_count, 2);
    pair_destroy(world);
}

// A robot that cannot tell how old a command is must not drive by it.
static void no_teleoperation_before_the_clocks_are_compared(void **state)
{
    (void)state;
    pair *world = pair_create(7, &GOOD);
    cairn_link_message message;
    cairn_mission mission;
    bool early = true;
    for (int i = 0; i < 250; i++) {
        put(world, CAIRN_LINK_STATION, CAIRN_LINK_TELEOPERATION, 0x01, 12);
        pair_tick(world);
        const cairn_mono now = pair_clock(world, CAIRN_LINK_ROBOT);
        const bool known = cairn_link_mission(world->links[CAIRN_LINK_ROBOT], now, &mission) == CAIRN_OK;
        const bool got = cairn_link_take(world->links[CAIRN_LINK_ROBOT], now, &message) == CAIRN_OK;
        if (got) { assert_true(known); }
        early &= !got;
        if (i < 5) { assert_true(early && !known); }
    }
    assert_false(early);
    pair_destroy(world);
}

static void acknowledged_means_taken(void **state)
{
    (void)state;
    pair *world = connected_pair(8);
    put(world, CAIRN_LINK_ROBOT, CAIRN_LINK_SIGHTING, 0x21, 600);
    for (int i = 0; i < 500; i++) { pair_tick(world); } // arrives, and nobody takes it
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_SIGHTING].queued_count, 1);
    cairn_link_message message;
    assert_true(next_message(world, CAIRN_LINK_STATION, &message));
    pair_run(world, CAIRN_MS(700));
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_SIGHTING].queued_count, 0);
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).streams[CAIRN_LINK_SIGHTING].acknowledged_count, 1);
    pair_destroy(world);
}

static void a_full_queue_refuses_and_says_so(void **state)
{
    (void)state;
    pair *world = pair_create(9, &GOOD);
    uint8_t bytes[CAIRN_LINK_MESSAGE_BYTES_MAX + 1] = {0x10};
    cairn_link *link = world->links[CAIRN_LINK_STATION];
    const cairn_mono now = pair_clock(world, CAIRN_LINK_STATION);
    assert_int_equal(cairn_link_put(link, CAIRN_LINK_TERRAIN, bytes, sizeof bytes, now), CAIRN_ERR_TOO_LARGE);
    uint32_t count = 0;
    while (cairn_link_put(link, CAIRN_LINK_TASK, bytes, 500, now) == CAIRN_OK) { count++; }
    assert_int_equal(count, 32);
    assert_int_equal(cairn_link_put(link, CAIRN_LINK_TASK, bytes, 500, now), CAIRN_ERR_FULL);
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).streams[CAIRN_LINK_TASK].refused_count, 2);
    pair_destroy(world);
}

// Traffic that wants five times the budget, on a radio that loses a third, the rate changing meanwhile.
static void no_second_carries_more_than_the_budget(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        pair *world = pair_create(seed, &GOOD);
        world->faults.loss = 0.3;
        cairn_random random;
        cairn_random_init(&random, seed, "traffic");
        world->defs[0].rate_bytes_per_s = world->defs[1].rate_bytes_per_s = 3000;
        for (int role = 0; role < 2; role++) {
            cairn_link_set_budget(world->links[role], 3000, 2400, pair_clock(world, role));
        }
        uint8_t bytes[2000] = {0};
        for (int i = 0; i < 5000; i++) {
            const int role = (int)cairn_random_below(&random, 2);
            const cairn_link_stream stream = (cairn_link_stream)cairn_random_below(&random, CAIRN_LINK_STREAM_COUNT);
            bytes[0] = (uint8_t)cairn_random_below(&random, 8);
            const uint32_t limit = stream == CAIRN_LINK_TERRAIN ? 2000 : stream <= CAIRN_LINK_MODE ? 64 : 500;
            const cairn_err err = cairn_link_put(world->links[role], stream, bytes,
                                                 1 + cairn_random_below(&random, limit), pair_clock(world, role));
            assert_true(err == CAIRN_OK || err == CAIRN_ERR_FULL);
            pair_run(world, PAIR_TICK_NS);
        }
        for (int role = 0; role < 2; role++) {
            assert_true(pair_over_budget(world, role) <= 0);
            const cairn_link_info info = info_of(world, role);
            assert_true(info.bytes_sent > 15 * 3000); // and what there is, is used, once they have met
        }
        pair_destroy(world);
    }
}

static void one_link_takes_what_its_header_says(void **state)
{
    (void)state;
    pair *world = connected_pair(11);
    print_message("a link takes %zu bytes\n", world->arenas[0].used_bytes);
    assert_true(world->arenas[0].used_bytes <= 480 * 1024);
    cairn_arena small;
    cairn_link *link = NULL;
    assert_ok(cairn_arena_create(&small, 100000));
    assert_int_equal(cairn_link_create(&world->defs[0], &small, &link), CAIRN_ERR_FULL);
    assert_null(link);
    cairn_arena_destroy(&small);
    pair_destroy(world);
}

// What a message costs on the air: 8 header, 16 seal, 7 stamp, 8 echo now and then, 5 or 7 a frame.
static void a_stick_message_costs_what_the_document_says(void **state)
{
    (void)state;
    pair *world = connected_pair(12);
    pair_run(world, CAIRN_MS(100));
    world->faults.loss = 1.0; // no echo is owed
    pair_run(world, CAIRN_MS(600));
    const cairn_link_info before = info_of(world, CAIRN_LINK_STATION);
    put(world, CAIRN_LINK_STATION, CAIRN_LINK_TELEOPERATION, 0x01, 12);
    pair_tick(world);
    const cairn_link_info after = info_of(world, CAIRN_LINK_STATION);
    assert_int_equal(after.packets_sent - before.packets_sent, 1);
    assert_int_equal(after.bytes_sent - before.bytes_sent, 8 + 16 + 7 + 5 + 12 + 28);
    pair_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_terrain_map_arrives_whole),
        cmocka_unit_test(the_latest_wins_before_it_is_sent),
        cmocka_unit_test(telemetry_leaves_twice_a_second_however_often_it_is_put),
        cmocka_unit_test(state_is_not_kept_waiting_by_tasks),
        cmocka_unit_test(a_stop_overtakes_a_full_queue),
        cmocka_unit_test(orders_arrive_in_order_with_the_packet_that_brings_the_last),
        cmocka_unit_test(teleoperation_is_delivered_fresh_or_not_at_all),
        cmocka_unit_test(no_teleoperation_before_the_clocks_are_compared),
        cmocka_unit_test(acknowledged_means_taken),
        cmocka_unit_test(a_full_queue_refuses_and_says_so),
        cmocka_unit_test(no_second_carries_more_than_the_budget),
        cmocka_unit_test(one_link_takes_what_its_header_says),
        cmocka_unit_test(a_stick_message_costs_what_the_document_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
