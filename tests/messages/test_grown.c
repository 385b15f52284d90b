// How versions live together, with the messages of grown.def in place of the real ones.
#include "../base/check.h"
#include "messages/codec.h"
#include <string.h>

static cairn_radio_message message;
static uint8_t bytes[CAIRN_RADIO_BYTES_MAX];

static void an_older_sender_leaves_the_appended_fields_unknown(void **state)
{
    (void)state;
    const uint8_t first[] = {0x01, 1, 3, 0, 7, 0xf6, 0xff};
    memset(&message, 0xa5, sizeof message);
    assert_ok(cairn_radio_decode(first, sizeof first, &message));
    assert_int_equal(message.growing.robot, 7);
    assert_int_equal(message.growing.speed, -10);
    assert_int_equal(message.growing.extra, CAIRN_MSG_GROWING_EXTRA_UNKNOWN);
    for (int i = 0; i < 3; i++) { assert_int_equal(message.growing.three[i], CAIRN_MSG_GROWING_THREE_UNKNOWN); }
    assert_int_equal(message.growing.list_count, 0);
}

static void a_sender_in_between_fills_what_it_knows(void **state)
{
    (void)state;
    const uint8_t second[] = {0x01, 2, 13, 0, 7, 0, 0, 5, 0, 0, 0, 1, 0, 2, 0, 0xff, 0xff};
    assert_ok(cairn_radio_decode(second, sizeof second, &message));
    assert_int_equal(message.growing.extra, 5);
    assert_int_equal(message.growing.three[1], 2);
    assert_int_equal(message.growing.three[2], CAIRN_MSG_GROWING_THREE_UNKNOWN);
    assert_int_equal(message.growing.list_count, 0);
}

static void a_newer_sender_may_append_what_we_do_not_know(void **state)
{
    (void)state;
    size_t size = 0;
    cairn_radio_clear(CAIRN_MSG_GROWING, &message);
    message.growing.robot = 9;
    message.growing.list_count = 1;
    message.growing.list[0] = -1;
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    assert_int_equal(bytes[1], 3);
    bytes[1] = 4;
    bytes[2] = (uint8_t)(bytes[2] + 1);
    assert_ok(cairn_radio_decode(bytes, size + 1, &message));
    assert_int_equal(message.growing.list[0], -1);
    bytes[1] = 3; // in our own version there is no room for a surplus
    assert_int_equal(cairn_radio_decode(bytes, size + 1, &message), CAIRN_ERR_CORRUPT);
}

static void version_zero_is_nobody(void **state)
{
    (void)state;
    const uint8_t zero[] = {0x01, 0, 0, 0};
    assert_int_equal(cairn_radio_decode(zero, sizeof zero, &message), CAIRN_ERR_CORRUPT);
}

static void a_retired_id_is_unknown(void **state)
{
    (void)state;
    assert_null(cairn_radio_type_of(0x05));
    assert_non_null(cairn_radio_type_of(0x02));
}

static void the_widest_values_come_back(void **state)
{
    (void)state;
    cairn_radio_clear(CAIRN_MSG_WIDEST, &message);
    assert_true(message.widest.h == UINT64_MAX);
    message.widest = (cairn_msg_widest){.a = INT8_MIN,
                                        .b = UINT8_MAX,
                                        .c = INT16_MIN,
                                        .d = UINT16_MAX,
                                        .e = INT32_MIN,
                                        .f = UINT32_MAX,
                                        .g = INT64_MIN,
                                        .h = UINT64_MAX - 1,
                                        .i = {-3, 3, 0, 1}};
    size_t size = 0;
    cairn_radio_message back;
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    assert_ok(cairn_radio_decode(bytes, size, &back));
    assert_true(back.widest.a == INT8_MIN && back.widest.b == UINT8_MAX && back.widest.c == INT16_MIN);
    assert_true(back.widest.d == UINT16_MAX && back.widest.e == INT32_MIN && back.widest.f == UINT32_MAX);
    assert_true(back.widest.g == INT64_MIN && back.widest.h == UINT64_MAX - 1 && back.widest.i[1] == 3);
    message.widest.h = 0; // below its range of 1..2^64-2
    assert_int_equal(cairn_radio_encode(&message, bytes, sizeof bytes, &size), CAIRN_ERR_OUTSIDE);
    message.widest.h = UINT64_MAX; // the unknown value
    assert_ok(cairn_radio_encode(&message, bytes, sizeof bytes, &size));
    message.widest.i[3] = 4;
    assert_int_equal(cairn_radio_encode(&message, bytes, sizeof bytes, &size), CAIRN_ERR_OUTSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_sender_leaves_the_appended_fields_unknown),
        cmocka_unit_test(a_sender_in_between_fills_what_it_knows),
        cmocka_unit_test(a_newer_sender_may_append_what_we_do_not_know),
        cmocka_unit_test(version_zero_is_nobody),
        cmocka_unit_test(a_retired_id_is_unknown),
        cmocka_unit_test(the_widest_values_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
