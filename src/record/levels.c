#include "record/levels.h"
#include "messages/codec.h"
#include <string.h>

#define NEVER CAIRN_RECORD_NEVER
#define MS CAIRN_MS

static const cairn_topic_rule rules[CAIRN_TOPIC_COUNT] = {
    //                                                                       all     no-images  operations
    [CAIRN_TOPIC_SCAN] = {"scan", &cairn_ros_sensor_msgs_LaserScan_type, {0, 0, NEVER}},
    [CAIRN_TOPIC_THERMAL] = {"thermal", &cairn_ros_sensor_msgs_Image_type, {0, NEVER, NEVER}},
    [CAIRN_TOPIC_IMU] = {"imu", &cairn_ros_sensor_msgs_Imu_type, {MS(40), MS(40), NEVER}},
    [CAIRN_TOPIC_RANGE_IMAGE] = {"range_image", &cairn_ros_sensor_msgs_Image_type, {0, NEVER, NEVER}},
    [CAIRN_TOPIC_RANGES] = {"range", &cairn_ros_sensor_msgs_Range_type, {0, 0, NEVER}},
    [CAIRN_TOPIC_GPS] = {"fix", &cairn_ros_sensor_msgs_NavSatFix_type, {0, 0, NEVER}},
    [CAIRN_TOPIC_ODOM] = {"odom", &cairn_ros_nav_msgs_Odometry_type, {MS(100), MS(100), MS(1000)}},
    [CAIRN_TOPIC_TRUTH] = {"truth", &cairn_ros_nav_msgs_Odometry_type, {MS(100), MS(100), MS(1000)}},
    [CAIRN_TOPIC_CMD_VEL] = {"cmd_vel", &cairn_ros_geometry_msgs_Twist_type, {MS(100), MS(100), MS(1000)}},
    [CAIRN_TOPIC_TF] = {"/tf", &cairn_ros_tf2_msgs_TFMessage_type, {MS(100), MS(100), MS(1000)}},
    [CAIRN_TOPIC_RADIO] = {"radio", NULL, {0, 0, 0}},
    [CAIRN_TOPIC_LINK] = {"link", &cairn_ros_cairn_msgs_LinkState_type, {MS(1000), MS(1000), MS(1000)}},
    [CAIRN_TOPIC_MAP] = {"/map", &cairn_ros_nav_msgs_OccupancyGrid_type, {0, 0, MS(30000)}},
    [CAIRN_TOPIC_ROSOUT] = {"/rosout", &cairn_ros_rcl_interfaces_Log_type, {0, 0, 0}},
    [CAIRN_TOPIC_SETUP] = {"/station/setup", &cairn_ros_cairn_msgs_StationSetup_type, {0, 0, 0}},
    [CAIRN_TOPIC_INPUTS] = {"/station/inputs", &cairn_ros_cairn_msgs_StationInputs_type, {0, 0, 0}},
    [CAIRN_TOPIC_STATE] = {"/station/state", &cairn_ros_cairn_msgs_StationState_type, {0, 0, 0}},
    [CAIRN_TOPIC_MISSION] = {"/mission/events", &cairn_ros_cairn_msgs_MissionEvent_type, {0, 0, 0}},
    [CAIRN_TOPIC_SNAPSHOT] = {"/station/snapshot", &cairn_ros_cairn_msgs_StationSnapshot_type, {0, 0, 0}},
};

static const char *const names[CAIRN_RECORD_LEVELS] = {"all", "no-images", "operations"};

const cairn_topic_rule *cairn_topic_rule_of(cairn_record_topic topic)
{
    CAIRN_ASSERT((unsigned)topic < CAIRN_TOPIC_COUNT);
    return &rules[topic];
}

const char *cairn_record_level_name(cairn_record_level level)
{
    CAIRN_ASSERT((unsigned)level < CAIRN_RECORD_LEVELS);
    return names[level];
}

bool cairn_record_level_from_name(const char *name, cairn_record_level *ret_level)
{
    for (int i = 0; i < CAIRN_RECORD_LEVELS; i++) {
        if (strcmp(names[i], name) != 0) { continue; }
        *ret_level = (cairn_record_level)i;
        return true;
    }
    return false;
}
