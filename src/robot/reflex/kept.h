// kept.h - what a reflex leaves to the one that is started after it, in memory that outlives both: where it had got to,
// and whether it was stopped.
//
// Meanwhile the base's own watchdog has stopped the wheels. How far they still rolled, their counters tell, which count
// from the base's power-up. If they tell of too much, or of nothing, nobody knows where the robot stands, and the
// odometry begins anew under another id. What was stopped stays stopped in any case.
// Not seen  A robot that was lifted and put elsewhere with its wheels at rest.
#pragma once
#include "body/frames.h"
#include "geometry/pose2.h"

#define CAIRN_KEPT_VERSION 1
#define CAIRN_KEPT_ROLLED_M_MAX 0.5       // farther than any robot coasts after its watchdog
#define CAIRN_KEPT_WAIT_NS_MAX CAIRN_S(2) // for the encoders' first frame

// Without padding, since its hash covers all bytes.
typedef struct cairn_reflex_kept {
    uint64_t hash; // of all that follows
    uint32_t version;
    uint32_t start_count; // of reflexes, this one included
    uint64_t odom_id;     // not 0
    cairn_pose2 odom_T_base;
    double distance_m, turn_bias_radps;
    uint64_t step_count;
    int64_t ticks[CAIRN_WHEELS_MAX]; // of the encoders, when it was there
    uint32_t ticks_known;            // 1: they have been heard
    uint32_t stop_latched;           // 0 or 1
    uint32_t release_count_max;
    uint32_t commands_refused_count;
} cairn_reflex_kept;

void cairn_reflex_kept_seal(cairn_reflex_kept *kept); // fills in version and hash
// Whether it is whole, of this version, and holds nothing that cannot be; NULL is not.
bool cairn_reflex_kept_is_sound(const cairn_reflex_kept *kept);

// What speaks for and against going on with the odometry that was kept.
typedef struct cairn_odom_evidence {
    bool kept;         // a sound one
    bool encoders;     // the body has them
    bool ticks_kept;   // what they said last is known
    bool ticks_heard;  // they have spoken since the start
    double rolled_m;   // between the two, by the wheel that says most
    int64_t waited_ns; // since the start
} cairn_odom_evidence;

typedef enum cairn_odom_fate {
    CAIRN_ODOM_WAIT, // cannot be told yet
    CAIRN_ODOM_GO_ON,
    CAIRN_ODOM_ANEW
} cairn_odom_fate;

cairn_odom_fate cairn_odom_judge(const cairn_odom_evidence *evidence);
