// recorder_parts.h - what the recorder's files share. For them only.
#pragma once
#include "base/lock.h"
#include "record/recorder.h"
#include "record/tape.h"
#include "station/replay/inputs.h"

#define CAIRN_RECORDER_NAME_BYTES 64

// One channel and when it was last written to.
typedef struct cairn_recorder_stream {
    uint16_t channel; // 0: not made yet
    bool seen;
    cairn_mono at;
} cairn_recorder_stream;

typedef struct cairn_recorder_names {
    char imager[CAIRN_RECORDER_NAME_BYTES], antenna[CAIRN_RECORDER_NAME_BYTES];
    char ranges[CAIRN_RANGE_SENSORS_MAX][2 * CAIRN_RECORDER_NAME_BYTES];
    char base[CAIRN_RECORDER_NAME_BYTES], laser[CAIRN_RECORDER_NAME_BYTES], camera[CAIRN_RECORDER_NAME_BYTES],
        private[CAIRN_RECORDER_NAME_BYTES];
} cairn_recorder_names;

typedef struct cairn_recorder_part {
    cairn_recorder_robot def;
    cairn_recorder_names frames;
    cairn_recorder_stream streams[CAIRN_TOPIC_COUNT];
    cairn_mono range_taken[CAIRN_RANGE_SENSORS_MAX]; // of each sensor's last reading that was written
    uint16_t radio[256];                             // channels by message id; 0: not made yet
} cairn_recorder_part;

// Records of inputs that wait to be written together.
typedef struct cairn_recorder_batch {
    uint64_t first_step, last_step;
    uint32_t count;
    cairn_mono start;
    size_t used;
    uint8_t bytes[2 * (CAIRN_INPUTS_BYTES_MAX + sizeof(uint32_t))];
} cairn_recorder_batch;

struct cairn_recorder {
    cairn_recorder_def def;
    cairn_lock lock; // of all that follows
    cairn_tape *tape;
    cairn_recorder_stream streams[CAIRN_TOPIC_COUNT]; // of the team's topics; the channels of /tf, too
    cairn_recorder_part robots[CAIRN_FLEET_MAX];
    cairn_recorder_batch batch;
    int8_t *cells; // of the map
    size_t cells_max;
    cairn_recorder_info told; // by news
};

// Whether a message of this time is to be written, by the level and by when the last one was; then that is now the
// last. The channel is made if need be. 0: not now. Robot NULL: a topic of the team.
uint16_t cairn_recorder_due(cairn_recorder *recorder, cairn_recorder_part *robot, cairn_record_topic topic,
                            cairn_mono at);
// The channel of a topic, whenever anything was written to it last. It is made if need be.
uint16_t cairn_recorder_channel(cairn_recorder *recorder, cairn_recorder_part *robot, cairn_record_topic topic);
void cairn_recorder_write(cairn_recorder *recorder, uint16_t channel, cairn_mono now, cairn_mono taken,
                          const void *message);
void cairn_recorder_flush_batch(cairn_recorder *recorder, cairn_mono now); // under the lock
cairn_ros_std_msgs_Header cairn_recorder_header(cairn_mono at, const char *frame);
