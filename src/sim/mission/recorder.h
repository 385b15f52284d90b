// recorder.h - writes a simulated mission to its journal: ROS 2 messages where one exists, radio messages as ours.
//
// Topics: /NAME/scan, /NAME/imu, /NAME/thermal, /NAME/odom (what it believes), /NAME/truth, /NAME/cmd_vel,
// /NAME/radio/MESSAGE (both directions), /tf, /map, /rosout. Frames: map, NAME/base_link, NAME/laser, …
// Threads  Writing from any; one owner creates, finishes and destroys.
#pragma once
#include "base/log.h"
#include "journal/journal.h"
#include "maps/raster.h"
#include "messages/codec.h"
#include "robot/robot.h"
#include "sim/world.h"

typedef struct cairn_recorder cairn_recorder;

typedef struct cairn_recorder_def {
    const char *path;
    uint32_t robot_count;
    const char *robot_names[CAIRN_SIM_ROBOTS_MAX];                    // borrowed
    const cairn_body_description *descriptions[CAIRN_SIM_ROBOTS_MAX]; // borrowed
    cairn_pose2 starts[CAIRN_SIM_ROBOTS_MAX];                         // map_T_private
    double scan_hz, thermal_hz;                                       // recorded at most this often
} cairn_recorder_def;

CAIRN_CHECKED cairn_err cairn_recorder_create(const cairn_recorder_def *def, cairn_complaints *complaints,
                                              cairn_recorder **ret_recorder);
void cairn_recorder_destroy(cairn_recorder *recorder); // accepts NULL

// Each keeps the first error of the journal; finish tells it.
void cairn_recorder_frames(cairn_recorder *recorder, uint32_t robot, cairn_world_frames frames, cairn_mono now);
void cairn_recorder_motion(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view,
                           const cairn_robot_truth *truth, cairn_mono now);
void cairn_recorder_radio(cairn_recorder *recorder, uint32_t robot, const cairn_radio_message *message, cairn_mono now);
void cairn_recorder_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now);
void cairn_recorder_log(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                        const char *text);

CAIRN_CHECKED cairn_err cairn_recorder_finish(cairn_recorder *recorder, cairn_complaints *complaints,
                                              uint64_t *ret_hash);
