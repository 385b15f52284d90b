// Who may speak: greetings, seals, replays, restarts. Whatever is not sealed for this session changes nothing.
#include "pair.h"
#include <stdlib.h>
#include <string.h>

static const radio_faults GOOD = {.delay_ns = CAIRN_MS(10)};
static const radio_faults POOR = {.loss = 0.3, .twice = 0.1, .delay_ns = CAIRN_MS(5), .jitter_ns = CAIRN_MS(500)};

// Keeps copies of what was sent.
typedef struct catch_box {
    uint32_t count;
    struct {
        int from;
        size_t size;
        uint8_t bytes[CAIRN_LINK_MTU_MAX];
    } caught[512];
} catch_box;

static void keep(pair *world, int from, const uint8_t *bytes, size_t size)
{
    catch_box *box = world->tap_context;
    if (box->count == 512) { return; }
    box->caught[box->count].from = from;
    box->caught[box->count].size = size;
    memcpy(box->caught[box->count++].bytes, bytes, size);
}

static cairn_link_info info_of(const pair *world, int role)
{
    return cairn_link_info_now(world->links[role], pair_clock(world, role));
}

static bool both_connected(const pair *world)
{
    return info_of(world, 0).state == CAIRN_LINK_CONNECTED && info_of(world, 1).state == CAIRN_LINK_CONNECTED &&
           info_of(world, 0).peer_session == info_of(world, 1).own_session &&
           info_of(world, 1).peer_session == info_of(world, 0).own_session;
}

static int64_t run_until_connected(pair *world, int64_t limit_ns)
{
    const int64_t start_ns = world->now_ns;
    while (!both_connected(world) && world->now_ns - start_ns < limit_ns) { pair_run(world, PAIR_TICK_NS); }
    return world->now_ns - start_ns;
}

static void two_ends_meet_within_two_round_trips(void **state)
{
    (void)state;
    pair *world = pair_create(1, &GOOD);
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).state, CAIRN_LINK_ALONE);
    assert_true(run_until_connected(world, CAIRN_S(1)) <= CAIRN_MS(40) + 5 * PAIR_TICK_NS);
    pair_destroy(world);
}

static void altered_packets_are_dropped_and_counted(void **state)
{
    (void)state;
    catch_box *box = calloc(1, sizeof *box);
    pair *world = pair_create(2, &GOOD);
    pair_run(world, CAIRN_S(2));
    world->faults.loss = 1.0; // from here on they hear only what the test gives them
    world->tap = keep;
    world->tap_context = box;
    pair_run(world, CAIRN_S(3));
    uint32_t changed = 0;
    const cairn_link_info before = info_of(world, CAIRN_LINK_STATION);
    for (uint32_t i = 0; i < box->count; i++) {
        if (box->caught[i].from != CAIRN_LINK_ROBOT || (box->caught[i].bytes[0] & 15) != 0) { continue; }
        for (size_t bit = 32; bit < box->caught[i].size * 8; bit++) { // counter, text and tag
            box->caught[i].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const cairn_link_verdict verdict = cairn_link_receive(
                world->links[CAIRN_LINK_STATION], box->caught[i].bytes, box->caught[i].size, pair_clock(world, 1));
            assert_true(verdict == CAIRN_LINK_ALTERED || (bit < 64 && verdict == CAIRN_LINK_REPLAYED));
            changed += verdict == CAIRN_LINK_ALTERED;
            box->caught[i].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_int_equal(cairn_link_receive(world->links[CAIRN_LINK_STATION], box->caught[i].bytes, box->caught[i].size,
                                            pair_clock(world, 1)),
                         CAIRN_LINK_ACCEPTED); // as it was sent it still counts
    }
    const cairn_link_info after = info_of(world, CAIRN_LINK_STATION);
    assert_true(changed > 1000);
    assert_int_equal(after.verdict_count[CAIRN_LINK_ALTERED] - before.verdict_count[CAIRN_LINK_ALTERED], changed);
    pair_destroy(world);
    free(box);
}

static void every_packet_counts_once_however_often_and_late_it_comes(void **state)
{
    (void)state;
    catch_box *box = calloc(1, sizeof *box);
    pair *world = pair_create(3, &GOOD);
    world->tap = keep;
    world->tap_context = box;
    pair_run(world, CAIRN_S(20));
    assert_true(both_connected(world));
    const uint64_t heard[2] = {info_of(world, 0).packets_received, info_of(world, 1).packets_received};
    const uint32_t count = box->count;
    for (uint32_t i = 0; i < count; i++) {
        const int to = 1 - box->caught[i].from;
        const cairn_link_verdict verdict =
            cairn_link_receive(world->links[to], box->caught[i].bytes, box->caught[i].size, pair_clock(world, to));
        assert_int_equal(verdict, CAIRN_LINK_REPLAYED);
    }
    assert_int_equal(info_of(world, 0).packets_received, heard[0]);
    assert_int_equal(info_of(world, 1).packets_received, heard[1]);
    assert_int_equal(info_of(world, 0).session_count, 1);
    pair_destroy(world);
    free(box);
}

static void packets_of_an_earlier_boot_do_nothing(void **state)
{
    (void)state;
    catch_box *box = calloc(1, sizeof *box);
    pair *world = pair_create(4, &GOOD);
    world->tap = keep;
    world->tap_context = box;
    pair_run(world, CAIRN_S(5));
    world->tap = NULL;
    pair_restart(world, CAIRN_LINK_ROBOT);
    assert_true(run_until_connected(world, CAIRN_S(5)) < CAIRN_S(5));
    pair_run(world, CAIRN_S(1));
    const cairn_link_info before = info_of(world, CAIRN_LINK_STATION);
    uint32_t data = 0, greetings = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        if (box->caught[i].from != CAIRN_LINK_ROBOT) { continue; }
        const cairn_link_verdict verdict = cairn_link_receive(world->links[CAIRN_LINK_STATION], box->caught[i].bytes,
                                                              box->caught[i].size, pair_clock(world, 1));
        const bool sealed = (box->caught[i].bytes[0] & 15) == 0;
        if (sealed) { assert_int_equal(verdict, CAIRN_LINK_OTHER_SESSION); }
        data += sealed;
        greetings += !sealed;
    }
    assert_true(data > 5 && greetings >= 2);
    pair_run(world, CAIRN_S(3)); // a challenge goes out for the old hello; nobody answers it
    const cairn_link_info after = info_of(world, CAIRN_LINK_STATION);
    assert_int_equal(after.session_count, before.session_count);
    assert_true(after.peer_session == before.peer_session);
    assert_true(both_connected(world));
    assert_int_equal(after.verdict_count[CAIRN_LINK_OTHER_SESSION] - before.verdict_count[CAIRN_LINK_OTHER_SESSION],
                     data);
    pair_destroy(world);
    free(box);
}

// The greatest danger: old hello and old answer in the right order, from an earlier boot of the same robot.
static void a_whole_recorded_greeting_does_not_begin_a_session(void **state)
{
    (void)state;
    catch_box *box = calloc(1, sizeof *box);
    pair *world = pair_create(5, &GOOD);
    world->tap = keep;
    world->tap_context = box;
    pair_run(world, CAIRN_S(2));
    world->tap = NULL;
    pair_restart(world, CAIRN_LINK_STATION); // knows nobody
    world->faults.loss = 1.0;
    for (uint32_t i = 0; i < box->count; i++) {
        const int to = 1 - box->caught[i].from;
        (void)cairn_link_receive(world->links[to], box->caught[i].bytes, box->caught[i].size, pair_clock(world, to));
        pair_run(world, CAIRN_MS(100));
    }
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).session_count, 0);
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).packets_received, 0);
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).session_count, 1);
    pair_destroy(world);
    free(box);
}

static void nobody_speaks_with_another_key(void **state)
{
    (void)state;
    pair *world = pair_create(6, &GOOD);
    cairn_link_def def = world->defs[CAIRN_LINK_ROBOT];
    def.key[31] ^= 1;
    cairn_arena_destroy(&world->arenas[CAIRN_LINK_ROBOT]);
    assert_ok(cairn_arena_create(&world->arenas[CAIRN_LINK_ROBOT], PAIR_ARENA_BYTES));
    assert_ok(cairn_link_create(&def, &world->arenas[CAIRN_LINK_ROBOT], &world->links[CAIRN_LINK_ROBOT]));
    pair_run(world, CAIRN_S(10));
    const cairn_link_info info = info_of(world, CAIRN_LINK_STATION);
    assert_int_equal(info.session_count, 0);
    assert_int_equal(info.packets_sent, 0);
    assert_true(info.verdict_count[CAIRN_LINK_WRONG_KEY] >= 20);
    pair_destroy(world);
}

static void other_versions_and_other_robots_are_counted_as_such(void **state)
{
    (void)state;
    pair *world = pair_create(7, &GOOD);
    pair_run(world, CAIRN_S(1));
    uint8_t bytes[64] = {CAIRN_LINK_VERSION << 4, 7}, robot = 0;
    cairn_link *station = world->links[CAIRN_LINK_STATION];
    assert_ok(cairn_link_peek_robot(bytes, sizeof bytes, &robot));
    assert_int_equal(robot, 7);
    bytes[1] = 8;
    assert_int_equal(cairn_link_receive(station, bytes, sizeof bytes, pair_clock(world, 1)), CAIRN_LINK_OTHER_ROBOT);
    bytes[0] = (CAIRN_LINK_VERSION + 1) << 4;
    assert_int_equal(cairn_link_receive(station, bytes, sizeof bytes, pair_clock(world, 1)), CAIRN_LINK_OTHER_VERSION);
    assert_int_equal(cairn_link_peek_robot(bytes, sizeof bytes, &robot), CAIRN_ERR_UNSUPPORTED);
    // Another version may have other sizes, if none shorter; its first two bytes are what they always were.
    assert_int_equal(cairn_link_receive(station, bytes, 24, pair_clock(world, 1)), CAIRN_LINK_OTHER_VERSION);
    assert_int_equal(cairn_link_receive(station, bytes, 23, pair_clock(world, 1)), CAIRN_LINK_MALFORMED);
    uint8_t version = 0;
    assert_ok(cairn_link_peek_version(bytes, 24, &version, &robot));
    assert_int_equal(version, CAIRN_LINK_VERSION + 1);
    assert_int_equal(robot, 8);
    assert_int_equal(cairn_link_peek_version(bytes, 23, &version, &robot), CAIRN_ERR_CORRUPT);
    bytes[0] = 0x03;
    assert_int_equal(cairn_link_peek_version(bytes, sizeof bytes, &version, &robot), CAIRN_ERR_CORRUPT);
    assert_int_equal(cairn_link_receive(station, bytes, sizeof bytes, pair_clock(world, 1)), CAIRN_LINK_MALFORMED);
    bytes[0] = CAIRN_LINK_VERSION << 4;
    assert_int_equal(cairn_link_receive(station, bytes, 23, pair_clock(world, 1)), CAIRN_LINK_MALFORMED);
    assert_int_equal(cairn_link_peek_robot(bytes, 23, &robot), CAIRN_ERR_CORRUPT);
    pair_destroy(world);
}

static void put_node(pair *world, int role, uint32_t serial)
{
    uint8_t bytes[700] = {0x23};
    memcpy(bytes + 1, &serial, 4);
    assert_ok(cairn_link_put(world->links[role], CAIRN_LINK_NODE, bytes, sizeof bytes, pair_clock(world, role)));
}

// Whichever end restarts, they meet again on a poor link, and what was not acknowledged reaches the new boot, once.
static void restarted_ends_rejoin_and_get_what_was_not_acknowledged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const int restarted = seed % 2 == 0 ? CAIRN_LINK_ROBOT : CAIRN_LINK_STATION;
        const int other = 1 - restarted;
        pair *world = pair_create(seed, &POOR);
        assert_true(run_until_connected(world, CAIRN_S(30)) < CAIRN_S(30));
        for (uint32_t i = 0; i < 20; i++) { put_node(world, other, i); } // 60 pieces: some will be half acknowledged
        pair_run(world, CAIRN_MS(700));
        const uint32_t waiting = info_of(world, other).streams[CAIRN_LINK_NODE].queued_count;
        pair_restart(world, restarted);
        world->flying_count = 0; // nor do late acknowledgements of the old boot arrive
        uint32_t delivered[20] = {0};
        for (const int64_t end_ns = world->now_ns + CAIRN_S(40); world->now_ns < end_ns;) {
            pair_tick(world);
            cairn_link_message message;
            while (cairn_link_take(world->links[restarted], pair_clock(world, restarted), &message) == CAIRN_OK) {
                uint32_t serial = 0;
                memcpy(&serial, message.bytes + 1, 4);
                assert_int_equal(message.size, 700);
                delivered[serial]++;
            }
        }
        assert_true(info_of(world, other).peer_session == info_of(world, restarted).own_session);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 20; i++) {
            assert_true(delivered[i] <= 1);
            sum += delivered[i];
        }
        assert_true(waiting > 0);
        assert_int_equal(sum, waiting);
        assert_int_equal(info_of(world, other).streams[CAIRN_LINK_NODE].queued_count, 0);
        pair_destroy(world);
    }
}

// The new boot counts its messages from 0 again; the other end must not take them for old ones.
static void what_a_restarted_end_says_arrives_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const int restarted = seed % 2 == 0 ? CAIRN_LINK_ROBOT : CAIRN_LINK_STATION;
        const int other = 1 - restarted;
        pair *world = pair_create(seed, &POOR);
        for (uint32_t i = 0; i < 5; i++) { put_node(world, restarted, i); }
        pair_run(world, CAIRN_S(15));
        assert_int_equal(info_of(world, other).streams[CAIRN_LINK_NODE].delivered_count, 5);
        pair_restart(world, restarted);
        for (uint32_t i = 5; i < 15; i++) { put_node(world, restarted, i); }
        pair_run(world, CAIRN_S(30));
        assert_int_equal(info_of(world, other).streams[CAIRN_LINK_NODE].delivered_count, 15);
        assert_int_equal(info_of(world, restarted).streams[CAIRN_LINK_NODE].queued_count, 0);
        pair_destroy(world);
    }
}

// A session outlives any silence; the hellos said in it change nothing.
static void a_long_silence_keeps_the_session(void **state)
{
    (void)state;
    pair *world = pair_create(9, &GOOD);
    world->faults.silent_from_ns = CAIRN_S(5);
    world->faults.silent_to_ns = CAIRN_S(305);
    pair_run(world, CAIRN_S(100));
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).state, CAIRN_LINK_SILENT);
    assert_false(info_of(world, CAIRN_LINK_ROBOT).clock.synchronised);
    pair_run(world, CAIRN_S(206));
    assert_true(both_connected(world));
    assert_true(info_of(world, CAIRN_LINK_ROBOT).clock.synchronised);
    assert_int_equal(info_of(world, CAIRN_LINK_ROBOT).session_count, 1);
    assert_int_equal(info_of(world, CAIRN_LINK_STATION).session_count, 1);
    pair_destroy(world);
}

// Two worlds run side by side; one is pelted with a million packets, random or altered, and goes on to the byte.
static void a_million_foreign_packets_change_nothing(void **state)
{
    (void)state;
    catch_box *box = calloc(1, sizeof *box);
    pair *pelted = pair_create(10, &POOR), *calm = pair_create(10, &POOR);
    pelted->tap = keep;
    pelted->tap_context = box;
    cairn_random random;
    cairn_random_init(&random, 10, "foreign"); // seed 10
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
    uint64_t refused = 0;
    for (int tick = 0; tick < 2500; tick++) {
        pair_run(pelted, PAIR_TICK_NS);
        pair_run(calm, PAIR_TICK_NS);
        for (int i = 0; i < 400; i++) {
            const int to = (int)cairn_random_below(&random, 2);
            size_t size = cairn_random_below(&random, 120);
            if (i % 2 == 0 && box->count > 0) {
                const uint32_t which = cairn_random_below(&random, box->count);
                size = box->caught[which].size;
                memcpy(bytes, box->caught[which].bytes, size);
                const uint32_t at = cairn_random_below(&random, (uint32_t)size);
                bytes[at] ^= (uint8_t)(1 + cairn_random_below(&random, 255));
            } else {
                for (size_t k = 0; k < size; k++) { bytes[k] = (uint8_t)cairn_random_u64(&random); }
                if (size > 1 && i % 4 == 1) {
                    bytes[0] = (uint8_t)(CAIRN_LINK_VERSION << 4 | bytes[0] % 4);
                    bytes[1] = 7;
                }
            }
            const cairn_link_verdict verdict =
                cairn_link_receive(pelted->links[to], bytes, size, pair_clock(pelted, to));
            assert_int_not_equal(verdict, CAIRN_LINK_ACCEPTED);
            refused++;
        }
        if (box->count == 512) { box->count = 0; }
    }
    assert_int_equal(refused, 1000000);
    assert_true(pelted->hash == calm->hash);
    assert_true(both_connected(pelted));
    pair_destroy(pelted);
    pair_destroy(calm);
    free(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ends_meet_within_two_round_trips),
        cmocka_unit_test(altered_packets_are_dropped_and_counted),
        cmocka_unit_test(every_packet_counts_once_however_often_and_late_it_comes),
        cmocka_unit_test(packets_of_an_earlier_boot_do_nothing),
        cmocka_unit_test(a_whole_recorded_greeting_does_not_begin_a_session),
        cmocka_unit_test(nobody_speaks_with_another_key),
        cmocka_unit_test(other_versions_and_other_robots_are_counted_as_such),
        cmocka_unit_test(restarted_ends_rejoin_and_get_what_was_not_acknowledged),
        cmocka_unit_test(what_a_restarted_end_says_arrives_once),
        cmocka_unit_test(a_long_silence_keeps_the_session),
        cmocka_unit_test(a_million_foreign_packets_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
