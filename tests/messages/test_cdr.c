// Structs to CDR: the bytes, worked out by hand, and the limits.
#include "../base/check.h"
#include "messages/codec.h"
#include <string.h>

static uint8_t bytes[4096];

static size_t encode(const cairn_ros_type *type, const void *message)
{
    size_t size = 0;
    memset(bytes, 0xa5, sizeof bytes);
    assert_ok(cairn_cdr_encode(type, message, bytes, sizeof bytes, &size));
    assert_int_equal(cairn_cdr_size(type, message), size);
    for (size_t i = size; i < sizeof bytes; i++) { assert_int_equal(bytes[i], 0xa5); }
    return size;
}

static void a_header_has_length_text_and_nul(void **state)
{
    (void)state;
    const cairn_ros_std_msgs_Header header = {{-2, 3}, "map"};
    const uint8_t wanted[] = {0, 1, 0, 0, 0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0, 4, 0, 0, 0, 'm', 'a', 'p', 0};
    assert_int_equal(encode(&cairn_ros_std_msgs_Header_type, &header), sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

// A NULL string is the empty string: one NUL.
static void no_string_is_an_empty_string(void **state)
{
    (void)state;
    const cairn_ros_std_msgs_Header header = {{0, 0}, NULL};
    const uint8_t wanted[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    assert_int_equal(encode(&cairn_ros_std_msgs_Header_type, &header), sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void doubles_are_aligned_from_after_the_header(void **state)
{
    (void)state;
    const char *const names[] = {"a"};
    const double positions[] = {1.0};
    const cairn_ros_sensor_msgs_JointState joints = {
        .header = {{1, 2}, ""}, .name = {names, 1}, .position = {positions, 1}};
    const uint8_t wanted[] = {
        0, 1, 0, 0,                     // header of the encoding
        1, 0, 0, 0, 2,   0, 0,    0,    // stamp
        1, 0, 0, 0, 0,   0, 0,    0,    // frame_id "", and padding to 4
        1, 0, 0, 0,                     // one name
        2, 0, 0, 0, 'a', 0, 0,    0,    // "a", and padding to 4
        1, 0, 0, 0,                     // one position, at 28: 4 + 28 = 32 is a multiple of 8
        0, 0, 0, 0, 0,   0, 0xf0, 0x3f, // 1.0
        0, 0, 0, 0,                     // no velocities: no padding for doubles that are not there
        0, 0, 0, 0,                     // no efforts
    };
    assert_int_equal(encode(&cairn_ros_sensor_msgs_JointState_type, &joints), sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void padding_is_always_zero(void **state)
{
    (void)state;
    const cairn_ros_rcl_interfaces_Log line = {.level = 20, .name = "x", .line = 7};
    const size_t size = encode(&cairn_ros_rcl_interfaces_Log_type, &line);
    // level at 8; three bytes of padding; length of the name at 12.
    assert_int_equal(bytes[4 + 8], 20);
    for (int i = 9; i < 12; i++) { assert_int_equal(bytes[4 + i], 0); }
    assert_int_equal(bytes[4 + 12], 2);
    assert_int_equal(bytes[size - 4], 7);
}

static void a_block_that_is_too_small_is_refused_and_kept_within(void **state)
{
    (void)state;
    const float ranges[] = {1, 2, 3};
    const cairn_ros_sensor_msgs_LaserScan scan = {.header = {{1, 2}, "laser"}, .ranges = {ranges, 3}};
    const size_t size = encode(&cairn_ros_sensor_msgs_LaserScan_type, &scan);
    for (size_t max = 0; max < size; max++) {
        size_t none = 0;
        memset(bytes, 0xa5, sizeof bytes);
        assert_int_equal(cairn_cdr_encode(&cairn_ros_sensor_msgs_LaserScan_type, &scan, bytes, max, &none),
                         CAIRN_ERR_FULL);
        for (size_t i = max; i < sizeof bytes; i++) { assert_int_equal(bytes[i], 0xa5); }
    }
}

static void a_radio_message_is_a_ros_message_too(void **state)
{
    (void)state;
    static cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_TASK, &message);
    message.task.robot = 9;
    message.task.task = 5;
    message.task.floor = -1;
    message.task.purpose = 2;
    message.task.via_x_mm_count = message.task.via_y_mm_count = 1;
    message.task.via_x_mm[0] = -2;
    message.task.via_y_mm[0] = 3;
    const uint8_t wanted[] = {0,    1, 0, 0,    9,    0,    0,    0,    5, 0, 0, 0, // robot, padding, task
                              0xff, 2, 0, 0x80,                                     // floor, purpose, end_yaw unknown
                              1,    0, 0, 0,    0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 3, 0, 0, 0};
    size_t size = 0;
    assert_ok(cairn_cdr_encode_radio(&message, bytes, sizeof bytes, &size));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);

    message.task.via_x_mm_count = CAIRN_MSG_TASK_VIA_X_MM_COUNT_MAX + 1; // more than the struct holds
    assert_int_equal(cairn_cdr_encode_radio(&message, bytes, sizeof bytes, &size), CAIRN_ERR_TOO_LARGE);
    message.id = 0xee;
    assert_int_equal(cairn_cdr_encode_radio(&message, bytes, sizeof bytes, &size), CAIRN_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_has_length_text_and_nul),
        cmocka_unit_test(no_string_is_an_empty_string),
        cmocka_unit_test(doubles_are_aligned_from_after_the_header),
        cmocka_unit_test(padding_is_always_zero),
        cmocka_unit_test(a_block_that_is_too_small_is_refused_and_kept_within),
        cmocka_unit_test(a_radio_message_is_a_ros_message_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
