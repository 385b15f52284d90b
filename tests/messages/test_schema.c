// Schemas read at run time, and CDR bytes told as JSON by them.
#include "../base/check.h"
#include "messages/cdr_json.h"
#include "messages/codec.h"
#include "messages/json.h"
#include "messages/schema.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_arena arena;
static cairn_complaints complaints;

static cairn_err parse(const char *name, const char *text, const cairn_ros_type **ret_type)
{
    memset(&complaints, 0, sizeof complaints);
    cairn_arena_destroy(&arena);
    assert_ok(cairn_arena_create(&arena, cairn_schema_arena_bytes(strlen(text))));
    return cairn_schema_parse(name, text, strlen(text), &arena, &complaints, ret_type);
}

static void refuse(const char *text, cairn_err wanted, const char *complaint)
{
    const cairn_ros_type *type = NULL;
    assert_int_equal(parse("p/msg/T", text, &type), wanted);
    assert_null(type);
    assert_string_equal(complaints.text, complaint);
}

// INLINE and SEQUENCE are one and the same to a schema.
static void assert_same_type(const cairn_ros_type *a, const cairn_ros_type *b)
{
    assert_string_equal(strrchr(a->name, '/'), strrchr(b->name, '/'));
    assert_int_equal(a->field_count, b->field_count);
    for (uint32_t i = 0; i < a->field_count; i++) {
        const cairn_field *x = &a->fields[i], *y = &b->fields[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->shape == CAIRN_SHAPE_INLINE ? CAIRN_SHAPE_SEQUENCE : x->shape, y->shape);
        assert_int_equal(x->bound, y->bound);
        assert_int_equal(x->string_bound, y->string_bound);
        if (x->kind == CAIRN_KIND_MESSAGE) { assert_same_type(x->type, y->type); }
    }
}

static void every_generated_schema_reads_back_as_its_own_table(void **state)
{
    (void)state;
    const cairn_ros_type *type = NULL;
    for (size_t i = 0; i < CAIRN_ROS_TYPE_COUNT; i++) {
        assert_ok(parse(cairn_ros_types[i]->name, cairn_ros_types[i]->schema, &type));
        assert_same_type(cairn_ros_types[i], type);
    }
    for (size_t i = 0; i < CAIRN_RADIO_TYPE_COUNT; i++) {
        assert_ok(parse(cairn_radio_types[i].ros->name, cairn_radio_types[i].ros->schema, &type));
        assert_same_type(cairn_radio_types[i].ros, type);
    }
}

static const char all_the_syntax[] =
    "# a comment\n"
    "\n"
    "int32 CONSTANT=5 # one\n"
    "string QUOTED = \"a # b = 'c'\"\n"
    "  float64   spaced    1.5  # a default\n"
    "string<=5 name \"x\"\r\n"
    "string<=7[<=3] names\n"
    "uint8[4] four [1, 2, 3, 4]\n"
    "int16[] any\n"
    "Inner[2] inner\n"
    "other_pkg/msg/Thing thing\n"
    "builtin_interfaces/Time stamp\n"
    "builtin_interfaces/Duration[] waits\n"
    "=================================\n"
    "MSG: p/Inner\n"
    "bool flag\n"
    "================================================================================\n"
    "MSG: other_pkg/Thing\n"
    "byte b\nchar c";

static void all_the_syntax_of_ros2msg_is_read(void **state)
{
    (void)state;
    const cairn_ros_type *type = NULL;
    assert_ok(parse("p/msg/T", all_the_syntax, &type));
    assert_int_equal(type->field_count, 9);
    const cairn_field *fields = type->fields;
    assert_string_equal(fields[0].name, "spaced");
    assert_int_equal(fields[1].string_bound, 5);
    assert_true(fields[2].string_bound == 7 && fields[2].bound == 3 && fields[2].shape == CAIRN_SHAPE_SEQUENCE);
    assert_true(fields[3].bound == 4 && fields[3].shape == CAIRN_SHAPE_FIXED);
    assert_true(fields[4].bound == 0 && fields[4].shape == CAIRN_SHAPE_SEQUENCE);
    assert_string_equal(fields[5].type->name, "p/Inner");
    assert_int_equal(fields[5].type->field_count, 1);
    assert_string_equal(fields[6].type->fields[1].name, "c");
    assert_string_equal(fields[7].type->fields[1].name, "nanosec");
    assert_int_equal(fields[8].shape, CAIRN_SHAPE_SEQUENCE);
}

static void what_cannot_be_read_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse("int32 a\nwstring w\n", CAIRN_ERR_UNSUPPORTED, "p/msg/T:2: wstring is not supported\n");
    refuse("Nowhere x\n", CAIRN_ERR_INVALID, "p/msg/T:1: type 'Nowhere' is not defined\n");
    refuse("a/b/c/D x\n", CAIRN_ERR_INVALID, "p/msg/T:1: 'a/b/c/D' is not the name of a type\n");
    refuse("\n\nint32[ x\n", CAIRN_ERR_INVALID, "p/msg/T:3: expected [], [N] or [<=N] with N > 0\n");
    refuse("int32[0] x\n", CAIRN_ERR_INVALID, "p/msg/T:1: expected [], [N] or [<=N] with N > 0\n");
    refuse("int32[99999999999] x\n", CAIRN_ERR_INVALID, "p/msg/T:1: expected [], [N] or [<=N] with N > 0\n");
    refuse("string<=x y\n", CAIRN_ERR_INVALID, "p/msg/T:1: expected the bound of the string after '<='\n");
    refuse("int32\n", CAIRN_ERR_INVALID, "p/msg/T:1: 'int32': expected TYPE NAME\n");
    refuse("int32 a-b\n", CAIRN_ERR_INVALID, "p/msg/T:1: 'a' is not a name\n");
    refuse("int32 a\n==========\nint32 b\n", CAIRN_ERR_INVALID,
           "p/msg/T:3: expected 'MSG: package/Type' after '==='\n");
    refuse("int32 a\n==========\nMSG: b\n", CAIRN_ERR_INVALID,
           "p/msg/T:4: 'b' is not the name of a type: expected package/Type\n");
}

static void a_type_within_itself_is_refused(void **state)
{
    (void)state;
    refuse("T again\n", CAIRN_ERR_INVALID, "p/msg/T:1: 'p/msg/T' contains itself\n");
    refuse("A a\n==========\nMSG: p/A\nB[] b\n==========\nMSG: p/B\nA a\n", CAIRN_ERR_INVALID,
           "p/msg/T:4: 'p/A' contains itself\n");
}

static void depth_and_size_are_limited(void **state)
{
    (void)state;
    static char text[CAIRN_SCHEMA_BYTES_MAX + 2];
    const cairn_ros_type *type = NULL;
    for (int deepest = CAIRN_SCHEMA_DEPTH_MAX; deepest <= CAIRN_SCHEMA_DEPTH_MAX + 1; deepest++) {
        size_t used = (size_t)snprintf(text, sizeof text, "A1 a\n");
        for (int i = 1; i <= deepest; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "==========\nMSG: p/A%d\n", i);
            used += (size_t)snprintf(text + used, sizeof text - used, i < deepest ? "A%d a\n" : "int32 a\n", i + 1);
        }
        assert_int_equal(parse("p/T", text, &type), deepest <= CAIRN_SCHEMA_DEPTH_MAX ? CAIRN_OK : CAIRN_ERR_TOO_LARGE);
    }
    memset(text, '\n', sizeof text - 1);
    assert_int_equal(parse("p/T", text, &type), CAIRN_ERR_TOO_LARGE);
    text[CAIRN_SCHEMA_FIELDS_MAX] = '\0';
    assert_ok(parse("p/T", text, &type));
    // As many types as there may be, and one more.
    for (int count = CAIRN_SCHEMA_TYPES_MAX; count <= CAIRN_SCHEMA_TYPES_MAX + 1; count++) {
        size_t used = (size_t)snprintf(text, sizeof text, "int32 a\n");
        for (int i = 1; i < count; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "==========\nMSG: p/A%d\n", i);
        }
        assert_int_equal(parse("p/T", text, &type), count <= CAIRN_SCHEMA_TYPES_MAX ? CAIRN_OK : CAIRN_ERR_TOO_LARGE);
    }
}

static const char *json_of(const cairn_ros_type *type, const void *message, uint32_t elements_max)
{
    static uint8_t bytes[4096];
    static char text[4096];
    size_t size = 0, length = 0;
    assert_ok(cairn_cdr_encode(type, message, bytes, sizeof bytes, &size));
    assert_ok(cairn_cdr_json(type, bytes, size, elements_max, text, sizeof text - 1, &length));
    text[length] = '\0';
    // Every cut is seen, at every place, but for padding at the end, of which these types have none.
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1); // so that a sanitizer sees a read past the end
        char other[4096];
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        assert_int_equal(cairn_cdr_json(type, exact, cut, 0, other, sizeof other, &length), CAIRN_ERR_CORRUPT);
        free(exact);
    }
    for (size_t max = 0; max < strlen(text); max++) {
        char *exact = malloc(max + 1);
        assert_non_null(exact);
        assert_int_equal(cairn_cdr_json(type, bytes, size, elements_max, exact, max, &length), CAIRN_ERR_FULL);
        free(exact);
    }
    return text;
}

static void a_scan_reads_as_json(void **state)
{
    (void)state;
    const float ranges[] = {0.1f, INFINITY, -INFINITY, NAN, 30, 1e-7f};
    const cairn_ros_sensor_msgs_LaserScan scan = {
        .header = {{-1, 999999999}, "a\"b\\\n\x01\xff"}, .angle_min = -2.35619449f, .ranges = {ranges, 6}};
    assert_string_equal(
        json_of(&cairn_ros_sensor_msgs_LaserScan_type, &scan, 0),
        "{\"header\":{\"stamp\":{\"sec\":-1,\"nanosec\":999999999},\"frame_id\":\"a\\\"b\\\\\\n\\u0001\xef\xbf\xbd\"},"
        "\"angle_min\":-2.3561945,\"angle_max\":0,\"angle_increment\":0,\"time_increment\":0,\"scan_time\":0,"
        "\"range_min\":0,\"range_max\":0,\"ranges\":[0.1,\"Infinity\",\"-Infinity\",\"NaN\",30,1e-07],"
        "\"intensities\":[]}");
}

static void long_arrays_are_shortened_when_asked(void **state)
{
    (void)state;
    const uint8_t data[] = {'M', 'a', 'n', 'y'};
    const cairn_ros_sensor_msgs_Image image = {.height = 1, .data = {data, 4}};
    const char *const start =
        "{\"header\":{\"stamp\":{\"sec\":0,\"nanosec\":0},\"frame_id\":\"\"},\"height\":1,\"width\":0,"
        "\"encoding\":\"\",\"is_bigendian\":0,\"step\":0,\"data\":";
    const char *text = json_of(&cairn_ros_sensor_msgs_Image_type, &image, 4);
    assert_int_equal(strncmp(text, start, strlen(start)), 0);
    assert_string_equal(text + strlen(start), "\"TWFueQ==\"}");
    text = json_of(&cairn_ros_sensor_msgs_Image_type, &image, 3);
    assert_string_equal(text + strlen(start), "{\"count\":4,\"first\":\"TWFu\"}}");

    const char *const names[] = {"a", "b", "c"};
    const double positions[] = {0.1, 1e300, -0.0};
    const cairn_ros_sensor_msgs_JointState joints = {.name = {names, 3}, .position = {positions, 3}};
    text = json_of(&cairn_ros_sensor_msgs_JointState_type, &joints, 2);
    assert_string_equal(strstr(text, "\"name\""),
                        "\"name\":{\"count\":3,\"first\":[\"a\",\"b\"]},\"position\":{\"count\":3,"
                        "\"first\":[0.1,1e+300]},\"velocity\":[],\"effort\":[]}");
}

static void nested_and_fixed_arrays_are_shortened_too(void **state)
{
    (void)state;
    const cairn_ros_geometry_msgs_TransformStamped both[2] = {{.child_frame_id = "one"}, {.child_frame_id = "two"}};
    const cairn_ros_tf2_msgs_TFMessage message = {{both, 2}};
    const char *text = json_of(&cairn_ros_tf2_msgs_TFMessage_type, &message, 1);
    assert_non_null(strstr(text, "{\"transforms\":{\"count\":2,\"first\":[{\"header\""));
    assert_non_null(strstr(text, "\"one\""));
    assert_null(strstr(text, "\"two\""));
    const cairn_ros_geometry_msgs_PoseWithCovariance pose = {.covariance = {1, 2, 3}};
    text = json_of(&cairn_ros_geometry_msgs_PoseWithCovariance_type, &pose, 2);
    assert_string_equal(strstr(text, "\"covariance\""), "\"covariance\":{\"count\":36,\"first\":[1,2]}}");
}

static void big_endian_bytes_are_read_as_well(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3, 0, 0, 0, 2, 'm', 0};
    char text[200];
    size_t size = 0;
    assert_ok(cairn_cdr_json(&cairn_ros_std_msgs_Header_type, bytes, sizeof bytes, 0, text, sizeof text - 1, &size));
    text[size] = '\0';
    assert_string_equal(text, "{\"stamp\":{\"sec\":-2,\"nanosec\":3},\"frame_id\":\"m\"}");
    const uint8_t other[] = {0, 7, 0, 0, 0};
    assert_int_equal(cairn_cdr_json(&cairn_ros_std_msgs_Header_type, other, 5, 0, text, sizeof text, &size),
                     CAIRN_ERR_UNSUPPORTED);
}

static void counts_in_the_bytes_are_not_trusted(void **state)
{
    (void)state;
    const cairn_ros_type *type = NULL;
    char text[4000];
    size_t size = 0;
    const uint8_t bytes[] = {0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1};
    const char *const schemas[] = {"int8[] a\n",
                                   "float64[] a\n",
                                   "string[] a\n",
                                   "string a\n",
                                   "int8[<=2] a\n",
                                   "string<=3[] a\n",
                                   "E[] a\n==========\nMSG: p/E\n"};
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        assert_ok(parse("p/T", schemas[i], &type));
        assert_int_equal(cairn_cdr_json(type, bytes, sizeof bytes, 0, text, sizeof text, &size), CAIRN_ERR_CORRUPT);
        assert_int_equal(cairn_cdr_json(type, bytes, sizeof bytes, 1, text, sizeof text, &size), CAIRN_ERR_CORRUPT);
    }
    assert_ok(parse("p/T", "E[4000000000] a\n==========\nMSG: p/E\nE2[4000000000] a\n==========\nMSG: p/E2\n", &type));
    assert_int_equal(cairn_cdr_json(type, bytes, sizeof bytes, 1, text, sizeof text, &size), CAIRN_ERR_CORRUPT);
}

static void numbers_read_back_to_the_same_value(void **state)
{
    (void)state;
    uint32_t bits = 12345;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 1664525u + 1013904223u;
        float value;
        memcpy(&value, &bits, sizeof value);
        char text[64] = {0};
        cairn_json json = {.text = text, .max = sizeof text - 1};
        cairn_json_float(&json, value);
        if (isfinite(value)) { assert_true(strtof(text, NULL) == value); }
        const double wide = (double)value * 1.1;
        memset(text, 0, sizeof text);
        json = (cairn_json){.text = text, .max = sizeof text - 1};
        cairn_json_double(&json, wide);
        if (isfinite(wide)) { assert_true(strtod(text, NULL) == wide); }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generated_schema_reads_back_as_its_own_table),
        cmocka_unit_test(all_the_syntax_of_ros2msg_is_read),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_its_line),
        cmocka_unit_test(a_type_within_itself_is_refused),
        cmocka_unit_test(depth_and_size_are_limited),
        cmocka_unit_test(a_scan_reads_as_json),
        cmocka_unit_test(long_arrays_are_shortened_when_asked),
        cmocka_unit_test(nested_and_fixed_arrays_are_shortened_too),
        cmocka_unit_test(big_endian_bytes_are_read_as_well),
        cmocka_unit_test(counts_in_the_bytes_are_not_trusted),
        cmocka_unit_test(numbers_read_back_to_the_same_value),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
