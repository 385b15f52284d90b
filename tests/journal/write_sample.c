// write_sample.c - writes the journal that read_sample.mjs reads. The formulas of both files must agree.
#include "journal/journal.h"
#include "messages/codec.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCANS 120
#define BEAMS 1081

static void check(cairn_err err, const char *what)
{
    if (err != CAIRN_OK) {
        (void)fprintf(stderr, "%s: %s\n", what, cairn_err_name(err));
        exit(1);
    }
}

static uint16_t add(cairn_journal *journal, const char *topic, const cairn_ros_type *type)
{
    uint16_t channel = 0;
    check(cairn_journal_add_type(journal, topic, type, &channel), topic);
    return channel;
}

static cairn_ros_std_msgs_Header header_at(int64_t ns, const char *frame)
{
    return (cairn_ros_std_msgs_Header){{(int32_t)(ns / 1000000000), (uint32_t)(ns % 1000000000)}, frame};
}

static void write_scans(cairn_journal *journal)
{
    static float ranges[BEAMS], intensities[3] = {0.25f, 0.5f, -1.0f};
    const uint16_t channel = add(journal, "/emu1/scan", &cairn_ros_sensor_msgs_LaserScan_type);
    for (int64_t k = 0; k < SCANS; k++) {
        const int64_t ns = k * 25000000;
        for (int i = 0; i < BEAMS; i++) { ranges[i] = (float)(1 + (k * 131 + i * 17) % 2900) / 100.0f; }
        ranges[7] = INFINITY;
        ranges[8] = NAN;
        const cairn_ros_sensor_msgs_LaserScan scan = {
            .header = header_at(ns, "emu1/laser"),
            .angle_min = -2.5f,
            .angle_max = 2.5f,
            .angle_increment = 0.0046875f,
            .time_increment = 0.00001f,
            .scan_time = 0.025f,
            .range_min = 0.05f,
            .range_max = 30.0f,
            .ranges = {ranges, BEAMS},
            .intensities = {intensities, (uint32_t)(k % 4)},
        };
        check(cairn_journal_write_message(journal, channel, ns + 1000, ns, &scan), "scan");
    }
}

static void write_imu(cairn_journal *journal)
{
    const uint16_t channel = add(journal, "/emu1/imu", &cairn_ros_sensor_msgs_Imu_type);
    cairn_ros_sensor_msgs_Imu imu = {.header = header_at(3999999999, "i"), .orientation = {0.1, -0.2, 0.3, 0.9}};
    imu.angular_velocity = (cairn_ros_geometry_msgs_Vector3){1e-3, -2e-3, 3.5};
    imu.linear_acceleration = (cairn_ros_geometry_msgs_Vector3){0, 0.5, 9.80665};
    for (int i = 0; i < 9; i++) {
        imu.orientation_covariance[i] = i * 0.5;
        imu.angular_velocity_covariance[i] = -i;
        imu.linear_acceleration_covariance[i] = i * i;
    }
    check(cairn_journal_write_message(journal, channel, 4000000000, 3999999999, &imu), "imu");
}

static void write_image(cairn_journal *journal)
{
    static uint8_t pixels[80 * 60];
    for (size_t i = 0; i < sizeof pixels; i++) { pixels[i] = (uint8_t)(i * 7); }
    const uint16_t channel = add(journal, "/emu1/thermal", &cairn_ros_sensor_msgs_Image_type);
    const cairn_ros_sensor_msgs_Image image = {.header = header_at(4100000000, "emu1/thermal"),
                                               .height = 60,
                                               .width = 80,
                                               .encoding = "mono8",
                                               .step = 80,
                                               .data = {pixels, sizeof pixels}};
    check(cairn_journal_write_message(journal, channel, 4100000000, 4100000000, &image), "image");
}

static void write_log(cairn_journal *journal)
{
    const uint16_t channel = add(journal, "/rosout", &cairn_ros_rcl_interfaces_Log_type);
    const cairn_ros_rcl_interfaces_Log line = {.stamp = {5, 6},
                                               .level = CAIRN_ROS_RCL_INTERFACES_LOG_WARN,
                                               .name = "emu1/mind",
                                               .msg = "wheel slips \xc3\xa4 bit",
                                               .file = "wheels.c",
                                               .function = "",
                                               .line = 42};
    check(cairn_journal_write_message(journal, channel, 5000000006, 5000000006, &line), "log");
}

static void write_transforms(cairn_journal *journal)
{
    const uint16_t channel = add(journal, "/tf", &cairn_ros_tf2_msgs_TFMessage_type);
    cairn_ros_geometry_msgs_TransformStamped both[2] = {
        {.header = header_at(1, "map"), .child_frame_id = "emu1/odom", .transform = {{1, 2, 3}, {0, 0, 0.6, 0.8}}},
        {.header = header_at(2, "emu1/odom"), .child_frame_id = "b", .transform = {{-1, 0, 0.5}, {0, 0, 0, 1}}}};
    const cairn_ros_tf2_msgs_TFMessage message = {{both, 2}};
    check(cairn_journal_write_message(journal, channel, 5100000000, 5100000000, &message), "tf");
}

static void write_grid(cairn_journal *journal)
{
    static int8_t cells[64 * 32];
    for (int i = 0; i < 64 * 32; i++) { cells[i] = (int8_t)(i % 102 - 1); }
    const uint16_t channel = add(journal, "/map", &cairn_ros_nav_msgs_OccupancyGrid_type);
    cairn_ros_nav_msgs_OccupancyGrid grid = {.header = header_at(6000000000, "map"), .data = {cells, 64 * 32}};
    grid.info = (cairn_ros_nav_msgs_MapMetaData){.resolution = 0.05f, .width = 64, .height = 32};
    grid.info.origin.position.x = -1.6;
    grid.info.origin.orientation.w = 1;
    check(cairn_journal_write_message(journal, channel, 6000000000, 6000000000, &grid), "grid");
}

static void write_radio(cairn_journal *journal)
{
    static cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_TASK, &message);
    message.task = (cairn_msg_task){.robot = 3, .task = 77, .floor = -1, .purpose = 2, .via_x_mm_count = 3};
    message.task.end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN;
    message.task.via_y_mm_count = 3;
    for (int i = 0; i < 3; i++) {
        message.task.via_x_mm[i] = 1000 * i - 1500;
        message.task.via_y_mm[i] = -2000 * i;
    }
    const uint16_t task = add(journal, "/radio/task", cairn_radio_type_of(CAIRN_MSG_TASK)->ros);
    check(cairn_journal_write_message(journal, task, 6100000000, 6100000000, &message.task), "task");

    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = 3;
    message.telemetry.mono_ns = 6200000000;
    message.telemetry.x_mm = -123456;
    message.telemetry.yaw_mrad = -3142;
    message.telemetry.task = UINT32_MAX;
    // By way of plain bytes, as a receiver of packets would.
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX * 2];
    size_t size = 0;
    check(cairn_cdr_encode_radio(&message, bytes, sizeof bytes, &size), "telemetry");
    const uint16_t telemetry = add(journal, "/radio/telemetry", cairn_radio_type_of(CAIRN_MSG_TELEMETRY)->ros);
    check(cairn_journal_write(journal, telemetry, 6200000000, 6200000000, bytes, size), "telemetry");
}

int main(int argc, char **argv)
{
    static cairn_complaints complaints;
    cairn_journal *journal = NULL;
    cairn_journal_def def = cairn_journal_def_default();
    def.chunk_bytes = 100000; // several chunks
    if (argc != 2) { return 2; }
    const cairn_err err = cairn_journal_create(&def, argv[1], &complaints, &journal);
    (void)fputs(complaints.text, stderr);
    check(err, argv[1]);
    write_scans(journal);
    write_imu(journal);
    write_image(journal);
    write_log(journal);
    write_transforms(journal);
    write_grid(journal);
    write_radio(journal);
    check(cairn_journal_finish(journal), "finish");
    printf("%016" PRIx64 "\n", cairn_journal_hash(journal));
    cairn_journal_destroy(journal);
    return 0;
}
