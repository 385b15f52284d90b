// The parts below the link, against slow and obvious ones: replay window, sender and receiver rings.
#include "link/receiver.h"
#include "link/seal.h"
#include "pair.h"
#include <stdlib.h>
#include <string.h>

// Every counter is fresh once, unless it is 256 or more behind the newest.
static void the_replay_window_agrees_with_a_list_of_everything_seen(void **state)
{
    (void)state;
    enum { COUNTERS = 6000 };
    static bool seen[COUNTERS + 600];
    cairn_replay_window window = {0};
    cairn_random random;
    cairn_random_init(&random, 5, "window"); // seed 5
    uint32_t newest = 0;
    bool any = false;
    for (int i = 0; i < 200000; i++) {
        const uint32_t around = (uint32_t)i / 34;
        const uint32_t counter = around + cairn_random_below(&random, 600);
        const bool fresh = !seen[counter] && (!any || counter > newest || newest - counter < CAIRN_LINK_WINDOW);
        assert_int_equal(cairn_replay_fresh(&window, counter), fresh);
        if (!fresh) { continue; }
        cairn_replay_mark(&window, counter);
        seen[counter] = any = true;
        newest = counter > newest ? counter : newest;
    }
}

typedef struct ring_ends {
    cairn_arena arena;
    cairn_sender sender;
    cairn_receiver receiver;
} ring_ends;

static void begin(ring_ends *ends, bool in_order)
{
    assert_ok(cairn_arena_create(&ends->arena, 200000));
    assert_ok(cairn_sender_init(&ends->sender, 128, 32, &ends->arena));
    assert_ok(cairn_receiver_init(&ends->receiver, 32, in_order, &ends->arena));
}

static size_t compose(uint32_t serial, uint8_t *bytes)
{
    const size_t size = 4 + serial * 37 % 1500;
    memset(bytes, (int)(serial & 255), size);
    memcpy(bytes, &serial, 4);
    return size;
}

static uint32_t take(ring_ends *ends)
{
    static uint8_t bytes[32 * CAIRN_LINK_PIECE_BYTES], expected[2000];
    size_t size = 0;
    int64_t put_ns = 0;
    if (cairn_receiver_take(&ends->receiver, bytes, &size, &put_ns) != CAIRN_OK) { return UINT32_MAX; }
    uint32_t serial = 0;
    memcpy(&serial, bytes, 4);
    assert_int_equal(size, compose(serial, expected));
    assert_memory_equal(bytes, expected, size);
    return serial;
}

// 70 000 messages, so that the 16-bit numbers on the air go round several times.
static void rings_carry_every_message_once_over_a_channel_that_loses_half(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        enum { MESSAGES = 70000 };
        static uint8_t taken[MESSAGES];
        memset(taken, 0, sizeof taken);
        ring_ends ends;
        begin(&ends, in_order == 1);
        cairn_random random;
        cairn_random_init(&random, 6, "rings"); // seed 6
        uint32_t put = 0, got = 0, done = 0, last = 0;
        uint8_t bytes[2000];
        while (done < MESSAGES) {
            while (put < MESSAGES &&
                   cairn_sender_put(&ends.sender, bytes, compose(put, bytes), (cairn_mono){0}) == CAIRN_OK) {
                put++;
            }
            for (uint32_t number = ends.sender.base; number != cairn_sender_end(&ends.sender); number++) {
                cairn_piece *piece = cairn_sender_piece(&ends.sender, number);
                piece->sent = true;
                if (piece->acked || cairn_random_below(&random, 2) == 0) { continue; }
                const cairn_err err = cairn_receiver_add(&ends.receiver, (uint16_t)number, piece);
                assert_true(err == CAIRN_OK || err == CAIRN_ERR_STALE);
            }
            for (uint32_t serial = take(&ends); serial != UINT32_MAX; serial = take(&ends)) {
                assert_int_equal(taken[serial]++, 0);
                if (in_order == 1) { assert_int_equal(serial, got); }
                got++;
                last = serial;
            }
            if (cairn_random_below(&random, 2) == 0) {
                done += cairn_sender_acknowledge(&ends.sender, (uint16_t)ends.receiver.base,
                                                 cairn_receiver_bits(&ends.receiver));
                assert_true(done <= got);
            }
        }
        assert_int_equal(got, MESSAGES);
        assert_int_equal(ends.sender.message_count, 0);
        assert_int_equal(last, MESSAGES - 1);
        cairn_arena_destroy(&ends.arena);
    }
}

static void after_renumbering_everything_unacknowledged_comes_from_zero_in_order(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 140; before++) { // every place of the ring
        ring_ends ends;
        begin(&ends, true);
        uint8_t bytes[2000];
        for (uint32_t i = 0; i < before; i++) {
            assert_ok(cairn_sender_put(&ends.sender, bytes, 10, (cairn_mono){0}));
            cairn_sender_piece(&ends.sender, ends.sender.base)->sent = true;
            assert_int_equal(cairn_sender_acknowledge(&ends.sender, (uint16_t)(i + 1), 0), 1);
        }
        for (uint32_t i = 30; i < 40; i++) {
            assert_ok(cairn_sender_put(&ends.sender, bytes, compose(i, bytes), (cairn_mono){0}));
        }
        cairn_piece *half = cairn_sender_piece(&ends.sender, before + 1);
        half->sent = true;
        (void)cairn_sender_acknowledge(&ends.sender, (uint16_t)before, 2);
        assert_true(half->acked);
        cairn_sender_renumber(&ends.sender);
        assert_int_equal(ends.sender.base, 0);
        uint32_t next = 30;
        while (ends.sender.message_count > 0) {
            for (uint32_t number = ends.sender.base; number != cairn_sender_end(&ends.sender); number++) {
                cairn_piece *piece = cairn_sender_piece(&ends.sender, number);
                const cairn_err err = cairn_receiver_add(&ends.receiver, (uint16_t)number, piece);
                assert_true(err == CAIRN_OK || err == CAIRN_ERR_STALE);
                piece->sent = true;
            }
            for (uint32_t serial = take(&ends); serial != UINT32_MAX; serial = take(&ends)) {
                assert_int_equal(serial, next++);
            }
            (void)cairn_sender_acknowledge(&ends.sender, (uint16_t)ends.receiver.base,
                                           cairn_receiver_bits(&ends.receiver));
        }
        assert_int_equal(next, 40);
        cairn_arena_destroy(&ends.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_replay_window_agrees_with_a_list_of_everything_seen),
        cmocka_unit_test(rings_carry_every_message_once_over_a_channel_that_loses_half),
        cmocka_unit_test(after_renumbering_everything_unacknowledged_comes_from_zero_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
