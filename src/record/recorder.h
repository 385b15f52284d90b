// recorder.h - what goes into a journal, and under which name: ROS 2 messages where one exists, radio messages as ours.
//
// One type for three writers: a simulated mission (robots, their truth, station), a robot (its frames, what it
// believes, what it says and hears), a station (what is said, maps, and all that is needed to run it again). A channel
// is made when its first message is written.
//
// Topics   /NAME/scan, /NAME/imu, /NAME/thermal, /NAME/{range_image,range,fix}, /NAME/odom (what it believes),
//          /NAME/truth, /NAME/cmd_vel, /NAME/radio/MESSAGE (both directions), /tf, /map, /rosout, /mission/events,
//          /NAME/link, /station/{setup,inputs,state,snapshot}.
// Frames   map, NAME/odom, NAME/base_link, NAME/laser, …
// Threads  Writing and looking from any; one owner creates, finishes and destroys.
#pragma once
#include "base/log.h"
#include "body/frames.h"
#include "journal/rotation.h"
#include "maps/raster.h"
#include "messages/codec.h"
#include "record/levels.h"
#include "robot/view.h"
#include "station/station.h"

typedef struct cairn_recorder cairn_recorder;

// Where on Earth a map's origin is said to be, in journals only: the showground of the MAGIC 2010 challenge. A map is
// flat: metres east and north of it are turned into degrees of a sphere about this point.
#define CAIRN_RECORD_LATITUDE_DEG (-34.9455)
#define CAIRN_RECORD_LONGITUDE_DEG 138.5839

typedef struct cairn_recorder_robot {
    const char *name;                          // borrowed, as the description, for the recorder's life
    const cairn_body_description *description; // may be NULL when neither frames nor motion are recorded
    cairn_pose2 map_T_start; // where its private frame lies, until cairn_recorder_place says otherwise
    bool is_placed;          // map_T_start is known
} cairn_recorder_robot;

typedef struct cairn_recorder_def {
    cairn_rotation_def files; // its texts are borrowed for the recorder's life
    cairn_record_level level;
    bool synchronous;       // written by the caller, at once: nothing is dropped, the same calls give the same bytes
    size_t queue_bytes_max; // what may wait for the disk
    double scan_hz, thermal_hz; // recorded at most this often; 0: never
    double range_image_hz, ranges_hz, gps_hz;
    uint32_t robot_count;
    cairn_recorder_robot robots[CAIRN_FLEET_MAX];
} cairn_recorder_def;

// A series of everything, with a thread of its own; files.folder, files.prefix and robots are missing.
cairn_recorder_def cairn_recorder_def_default(void);
// One file that never rotates.
cairn_rotation_def cairn_recorder_one_file(const char *path);

CAIRN_CHECKED cairn_err cairn_recorder_create(const cairn_recorder_def *def, cairn_complaints *complaints,
                                              cairn_recorder **ret_recorder);
void cairn_recorder_destroy(cairn_recorder *recorder); // accepts NULL

// The newest frames of a robot's sensors; each is written once. NULL: none yet, or no such sensor.
typedef struct cairn_recorder_frames {
    const cairn_scan_frame *scan;
    const cairn_thermal_frame *thermal;
    const cairn_imu_frame *imu;
    const cairn_range_image_frame *range_image;
    const cairn_ranges_frame *ranges;
    const cairn_gps_frame *gps; // its metres are written as degrees about a datum: CAIRN_RECORD_LATITUDE_DEG, ...
} cairn_recorder_frames;

typedef struct cairn_recorder_truth {
    cairn_pose3 map_T_base;
    cairn_vec3 velocity_mps; // map axes
    cairn_vec3 turn_radps;   // base axes
} cairn_recorder_truth;

// All of these return at once; what could not be kept is counted in the info.
void cairn_recorder_add_frames(cairn_recorder *recorder, uint32_t robot, const cairn_recorder_frames *frames,
                               cairn_mono now);
// Where a robot's private frame lies in the map from now on: the transform that the next motions are recorded with.
void cairn_recorder_place(cairn_recorder *recorder, uint32_t robot, cairn_pose2 map_T_private);
void cairn_recorder_add_motion(cairn_recorder *recorder, uint32_t robot, const cairn_robot_view *view, cairn_mono now);
void cairn_recorder_add_truth(cairn_recorder *recorder, uint32_t robot, const cairn_recorder_truth *truth,
                              cairn_mono now);
void cairn_recorder_add_radio(cairn_recorder *recorder, uint32_t robot, const cairn_radio_message *message,
                              cairn_mono now);
void cairn_recorder_add_link(cairn_recorder *recorder, uint32_t robot, const cairn_link_info *link, cairn_mono now);
void cairn_recorder_add_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now);
void cairn_recorder_add_line(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                             const char *text);
// What befell a simulated mission: a word for its kind, and the whole of it.
void cairn_recorder_add_mission_event(cairn_recorder *recorder, const char *kind, const char *words, cairn_mono now);

// Of a station; witness.h calls these. Records are written in batches of up to a second.
void cairn_recorder_add_setup(cairn_recorder *recorder, const uint8_t *bytes, size_t size, cairn_mono now);
void cairn_recorder_add_inputs(cairn_recorder *recorder, const cairn_station_record *record, cairn_mono now);
void cairn_recorder_add_state(cairn_recorder *recorder, uint64_t step, cairn_station_hash hash, cairn_mono now);
typedef struct cairn_recorder_snapshot {
    uint64_t step;
    uint32_t layout;
    const uint8_t *bytes; // borrowed for the call
    size_t size;
} cairn_recorder_snapshot;
void cairn_recorder_add_snapshot(cairn_recorder *recorder, const cairn_recorder_snapshot *snapshot, cairn_mono now);
// With files.owner_turns: whether a new file should begin; and begin it. False when there is no room in the queue for
// so many bytes of first words: try again later.
bool cairn_recorder_turn_is_due(cairn_recorder *recorder);
bool cairn_recorder_turn(cairn_recorder *recorder, cairn_mono now, size_t head_bytes);

typedef struct cairn_recorder_info {
    cairn_rotation_info files;
    uint64_t dropped_count; // messages, because the disk was too slow
} cairn_recorder_info;
cairn_recorder_info cairn_recorder_look(cairn_recorder *recorder);

// What should be told to people, each piece of news once: the disk is full, it has room again, messages were dropped,
// old files were deleted. Call it every second or so, from one thread.
typedef struct cairn_recorder_news {
    cairn_log_level level;
    char text[CAIRN_LOG_TEXT_BYTES];
} cairn_recorder_news;
bool cairn_recorder_next_news(cairn_recorder *recorder, cairn_recorder_news *ret_news);

// Writes what waits and ends the file. The hash is that of the last file's messages. CAIRN_ERR_FULL or CAIRN_ERR_IO,
// with the reason, when anything was not written.
CAIRN_CHECKED cairn_err cairn_recorder_finish(cairn_recorder *recorder, cairn_complaints *complaints,
                                              uint64_t *ret_hash);
