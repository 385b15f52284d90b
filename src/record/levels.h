// levels.h - how much of a mission a journal keeps, and how often.
//
// docs/journal.md has what each level costs on the disk.
#pragma once
#include "base/clock.h"
#include "messages/layout.h"

typedef enum cairn_record_level {
    CAIRN_RECORD_ALL,
    CAIRN_RECORD_NO_IMAGES,  // everything but pictures
    CAIRN_RECORD_OPERATIONS, // what was said, decided and mapped; enough to run the station again, not the robots
    CAIRN_RECORD_LEVELS
} cairn_record_level;

// "all", "no-images", "operations".
const char *cairn_record_level_name(cairn_record_level level);
bool cairn_record_level_from_name(const char *name, cairn_record_level *ret_level);

typedef enum cairn_record_topic {
    CAIRN_TOPIC_SCAN,
    CAIRN_TOPIC_THERMAL,
    CAIRN_TOPIC_IMU,
    CAIRN_TOPIC_RANGE_IMAGE,
    CAIRN_TOPIC_RANGES, // infrared and sonar: the frame tells which
    CAIRN_TOPIC_GPS,
    CAIRN_TOPIC_ODOM,
    CAIRN_TOPIC_TRUTH,
    CAIRN_TOPIC_CMD_VEL,
    CAIRN_TOPIC_TF,
    CAIRN_TOPIC_RADIO, // one channel for each kind of message
    CAIRN_TOPIC_LINK,
    CAIRN_TOPIC_MAP,
    CAIRN_TOPIC_ROSOUT,
    CAIRN_TOPIC_SETUP,
    CAIRN_TOPIC_INPUTS,
    CAIRN_TOPIC_STATE,
    CAIRN_TOPIC_SNAPSHOT,
    CAIRN_TOPIC_MISSION, // what befell a simulated mission
    CAIRN_TOPIC_COUNT
} cairn_record_topic;

#define CAIRN_RECORD_NEVER INT64_MAX

typedef struct cairn_topic_rule {
    const char *name;                       // "/map", or after the robot's name: "scan"
    const cairn_ros_type *type;             // NULL: follows from the message
    int64_t period_ns[CAIRN_RECORD_LEVELS]; // at least between two of one robot; 0: every one
} cairn_topic_rule;

const cairn_topic_rule *cairn_topic_rule_of(cairn_record_topic topic);
