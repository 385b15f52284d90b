// CDR as comma-separated values: the same columns in every row, the same values as in JSON.
#include "../base/check.h"
#include "messages/cdr_csv.h"
#include "messages/codec.h"
#include "messages/schema.h"
#include <stdlib.h>
#include <string.h>

static uint8_t bytes[1 << 16];
static char text[1 << 20];

static size_t columns_of(const char *line, size_t size)
{
    size_t columns = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '"') { quoted = !quoted; }
        columns += line[i] == ',' && !quoted;
    }
    return columns;
}

static const char *head_of(const cairn_ros_type *type, uint32_t elements_max)
{
    size_t size = 0;
    assert_ok(cairn_cdr_csv_head(type, elements_max, text, sizeof text - 1, &size));
    text[size] = '\0';
    return text;
}

static const char *row_of(const cairn_ros_type *type, const void *message, uint32_t elements_max)
{
    size_t size = 0, length = 0;
    assert_ok(cairn_cdr_encode(type, message, bytes, sizeof bytes, &size));
    assert_ok(cairn_cdr_csv_row(type, bytes, size, elements_max, text, sizeof text - 1, &length));
    text[length] = '\0';
    return text;
}

static cairn_ros_nav_msgs_Path path_of(uint32_t count)
{
    static cairn_ros_geometry_msgs_PoseStamped poses[3];
    for (int i = 0; i < 3; i++) {
        poses[i].header.frame_id = i == 1 ? "a \"b\", c" : "map";
        poses[i].pose.position.x = i + 0.5;
    }
    return (cairn_ros_nav_msgs_Path){.header = {.frame_id = "f"}, .poses = {poses, count}};
}

static void names_say_where_a_value_stands(void **state)
{
    (void)state;
    assert_string_equal(head_of(&cairn_ros_nav_msgs_OccupancyGrid_type, 0),
                        "header.stamp.sec,header.stamp.nanosec,header.frame_id,info.map_load_time.sec,"
                        "info.map_load_time.nanosec,info.resolution,info.width,info.height,info.origin.position.x,"
                        "info.origin.position.y,info.origin.position.z,info.origin.orientation.x,"
                        "info.origin.orientation.y,info.origin.orientation.z,info.origin.orientation.w,data.count");
    const char *head = head_of(&cairn_ros_geometry_msgs_PoseWithCovariance_type, 2);
    assert_non_null(strstr(head, ",covariance[0],covariance[1]"));
    assert_null(strstr(head, "covariance[2]"));
    assert_non_null(strstr(head_of(&cairn_ros_geometry_msgs_PoseWithCovariance_type, 0), ",covariance[35]"));
}

static void arrays_have_a_count_and_the_columns_asked_for(void **state)
{
    (void)state;
    const cairn_ros_sensor_msgs_JointState joints = {
        .header = {.frame_id = "x"}, .name = {(const char *[]){"a", "b,c"}, 2}, .position = {(double[]){1.5}, 1}};
    assert_string_equal(head_of(&cairn_ros_sensor_msgs_JointState_type, 2),
                        "header.stamp.sec,header.stamp.nanosec,header.frame_id,name.count,name[0],name[1],"
                        "position.count,position[0],position[1],velocity.count,velocity[0],velocity[1],effort.count,"
                        "effort[0],effort[1]");
    assert_string_equal(row_of(&cairn_ros_sensor_msgs_JointState_type, &joints, 2), "0,0,x,2,a,\"b,c\",1,1.5,,0,,,0,,");
    assert_string_equal(row_of(&cairn_ros_sensor_msgs_JointState_type, &joints, 0), "0,0,x,2,1,0,0");
    assert_string_equal(row_of(&cairn_ros_sensor_msgs_JointState_type, &joints, 1), "0,0,x,2,a,1,1.5,0,,0,");
}

static void texts_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    const cairn_ros_nav_msgs_Path path = path_of(2);
    const char *row = row_of(&cairn_ros_nav_msgs_Path_type, &path, 2);
    assert_non_null(strstr(row, ",\"a \"\"b\"\", c\","));
}

// A table whose rows have other columns than its head is read wrong, and nobody notices.
static void every_row_has_the_columns_of_the_head(void **state)
{
    (void)state;
    for (uint32_t elements_max = 0; elements_max < 5; elements_max++) {
        const char *head = head_of(&cairn_ros_nav_msgs_Path_type, elements_max);
        const size_t columns = columns_of(head, strlen(head));
        assert_int_equal(columns, 3 + 1 + elements_max * 10);
        for (uint32_t count = 0; count <= 3; count++) {
            const cairn_ros_nav_msgs_Path path = path_of(count);
            const char *row = row_of(&cairn_ros_nav_msgs_Path_type, &path, elements_max);
            assert_int_equal(columns_of(row, strlen(row)), columns);
        }
    }
}

static void numbers_that_json_has_not_are_bare(void **state)
{
    (void)state;
    const float ranges[] = {1.0f / 0.0f, -1.0f / 0.0f, 0.0f / 0.0f, 0.1f};
    const cairn_ros_sensor_msgs_LaserScan scan = {.ranges = {ranges, 4}};
    const char *row = row_of(&cairn_ros_sensor_msgs_LaserScan_type, &scan, 4);
    assert_non_null(strstr(row, ",4,Infinity,-Infinity,NaN,0.1,0,,,,"));
}

static void bytes_that_end_too_early_are_seen(void **state)
{
    (void)state;
    const cairn_ros_nav_msgs_Path path = path_of(3);
    size_t size = 0, length = 0;
    assert_ok(cairn_cdr_encode(&cairn_ros_nav_msgs_Path_type, &path, bytes, sizeof bytes, &size));
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1); // so that a sanitizer sees a read past the end
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        for (uint32_t elements_max = 0; elements_max < 5; elements_max++) {
            assert_int_equal(
                cairn_cdr_csv_row(&cairn_ros_nav_msgs_Path_type, exact, cut, elements_max, text, sizeof text, &length),
                CAIRN_ERR_CORRUPT);
        }
        free(exact);
    }
    for (size_t max = 0; max < 60; max++) {
        char *exact = malloc(max + 1);
        assert_non_null(exact);
        assert_int_equal(cairn_cdr_csv_row(&cairn_ros_nav_msgs_Path_type, bytes, size, 3, exact, max, &length),
                         CAIRN_ERR_FULL);
        free(exact);
    }
}

// A schema of anyone's may ask for more columns than there are atoms.
static void too_many_columns_are_refused_soon(void **state)
{
    (void)state;
    static const char schema[] = "A[1000] a\n==========\nMSG: p/A\nB[1000] b\n==========\nMSG: p/B\nint32[1000] c\n";
    cairn_arena arena;
    cairn_complaints complaints = {0};
    const cairn_ros_type *type = NULL;
    size_t size = 0;
    assert_ok(cairn_arena_create(&arena, cairn_schema_arena_bytes(sizeof schema - 1)));
    assert_ok(cairn_schema_parse("p/T", schema, sizeof schema - 1, &arena, &complaints, &type));
    assert_int_equal(cairn_cdr_csv_head(type, 0, text, sizeof text, &size), CAIRN_ERR_TOO_LARGE);
    assert_ok(cairn_cdr_csv_head(type, 2, text, sizeof text, &size));
    assert_int_equal(columns_of(text, size), 8);
    cairn_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_where_a_value_stands),
        cmocka_unit_test(arrays_have_a_count_and_the_columns_asked_for),
        cmocka_unit_test(texts_are_quoted_where_they_must_be),
        cmocka_unit_test(every_row_has_the_columns_of_the_head),
        cmocka_unit_test(numbers_that_json_has_not_are_bare),
        cmocka_unit_test(bytes_that_end_too_early_are_seen),
        cmocka_unit_test(too_many_columns_are_refused_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
