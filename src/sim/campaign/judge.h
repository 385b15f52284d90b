// judge.h - whether simulated robots kept to what is promised of them, from the truth and from what they wrote and
// said.
//
// Looks at one sample of each robot every CAIRN_JUDGE_PERIOD_NS and at every collision. What breaks a promise is a
// violation, told once until it has ended. Judges by the truth alone: also a robot whose sensors lie must keep to it.
//
// Frame    map.
// Memory   The caller's, and large; borrows arena and descriptions.
// Threads  One owner.
#pragma once
#include "robot/condition_names.h"
#include "robot/reflex/reflex_cells.h"
#include "sim/physics/physics.h"

#define CAIRN_JUDGE_PERIOD_NS CAIRN_MS(8)
#define CAIRN_JUDGE_ROBOTS_MAX 3
#define CAIRN_JUDGE_PAST 128 // samples of the past, CAIRN_JUDGE_PAST_NS apart
#define CAIRN_JUDGE_PAST_NS CAIRN_MS(40)
#define CAIRN_VIOLATIONS_MAX 64
#define CAIRN_JUDGE_NAME_BYTES 16

typedef enum cairn_violation_kind {
    CAIRN_VIOLATION_CONTACT,  // ran into a thing at more than 0.2 m/s that a sensor had in its field for long enough
    CAIRN_VIOLATION_EDGE,     // a wheel over an edge that is deeper than the limit
    CAIRN_VIOLATION_COMMAND,  // wheels are told to turn 308 ms after the last valid command
    CAIRN_VIOLATION_BRAKING,  // wheels turn when the braking time after that is over
    CAIRN_VIOLATION_STOP,     // wheels turn under a stop
    CAIRN_VIOLATION_LYING,    // wheels turn when it has fallen
    CAIRN_VIOLATION_TIP,      // it fell over on ground that it is meant for
    CAIRN_VIOLATION_PLACE,    // it says that it knows its place, and is more than 0.5 m off for 5 s
    CAIRN_VIOLATION_UNSAID,   // a condition holds for 2 s and is not said
    CAIRN_VIOLATION_AREA,     // its hull is where it may not be
    CAIRN_VIOLATION_BATTERY,  // it drives on with nothing left in its battery
    CAIRN_VIOLATION_TILTED,   // it drives on although it is steeper than its limit
    CAIRN_VIOLATION_SENSES,   // it drives on although what it may not drive without is silent
    CAIRN_VIOLATION_COUNTS,   // it drives on although a wheel's count stands still
    CAIRN_VIOLATION_SPINNING, // it pushes on the same way although its wheels only spin
    CAIRN_VIOLATION_COUNT
} cairn_violation_kind;

extern const char *const cairn_violation_names[CAIRN_VIOLATION_COUNT]; // "contact", ...

typedef struct cairn_violation {
    cairn_violation_kind kind;
    uint32_t robot;  // whose fault
    bool overridden; // a guard was held off by its operator then, or lately
    cairn_mono at;
    double figure;   // how bad: m/s, m or s; larger is worse
    char words[160]; // "0.43 m/s of its own into wall 3, ..."
} cairn_violation;

// One robot at one moment.
typedef struct cairn_judge_sample {
    cairn_robot_truth truth;
    bool dead;                   // without power: not judged
    bool held;                   // in somebody's hands: where it then is, is his affair
    cairn_mono commanded;        // when its last valid command was issued; -1 ns: never
    double told_mps, told_radps; // what reflex tells the wheels
    bool stopped;                // a stop is latched, or its button is in
    bool overridden;             // its operator holds a guard off
    bool knows_areas;            // reflex has heard of where it may be
    double charge;               // [-] of its battery; NaN: not judged
    bool imu_failed;             // ever: it may be mistaken about its tilt
    bool senses_silent;          // encoders, IMU or bumper
    bool count_stands;           // a wheel's, by a fault
    uint32_t conditions;         // bit 1 << cairn_condition for each that is true
    bool speaks;                 // what is said below is said now; else nothing said is judged
    bool feels;                  // its reflex runs: else nobody knows what becomes of it
    uint8_t health, condition;   // as in telemetry; 255 not known
    cairn_vec2 believed_m;       // where it and the station believe it to be
} cairn_judge_sample;

typedef struct cairn_judge_robot {
    const cairn_body_description *description;
    char name[CAIRN_JUDGE_NAME_BYTES]; // "emu2"
    uint32_t past_count;               // ever
    cairn_pose3 past[CAIRN_JUDGE_PAST];
    bool past_on_good_ground[CAIRN_JUDGE_PAST];
    int64_t since_ns[CAIRN_VIOLATION_COUNT]; // the breach began; -1 there is none
    int64_t told_ns[CAIRN_VIOLATION_COUNT];  // it was told, and still held so lately; -1 it was not
    int64_t condition_since_ns[CAIRN_CONDITION_COUNT];
    bool condition_told[CAIRN_CONDITION_COUNT];
    double mean_radps[CAIRN_WHEELS_MAX]; // of its wheels, over about 0.1 s
    int64_t edge_ns;                     // when a wheel was last over an edge; -1 never
    int64_t overridden_ns;               // when its operator last held a guard off; -1 never
    int64_t pushed_ns;                   // when another robot or what moves last touched it; -1 never
    double pushes;                       // 1 forward, -1 backward, 0: it was told not to move
    bool was_fallen;
    bool kept_in; // it has been where it may be since it knows where that is
} cairn_judge_robot;

typedef struct cairn_judge {
    const cairn_sim_arena *arena;
    uint32_t robot_count;
    cairn_judge_robot robots[CAIRN_JUDGE_ROBOTS_MAX];
    bool no_grip;             // nobody can brake here: contacts are not judged
    const cairn_areas *areas; // map frame, where robots may be; NULL: everywhere. Borrowed
    uint32_t violation_count; // kept; what is more is only counted
    uint32_t by_kind[CAIRN_VIOLATION_COUNT], by_kind_overridden[CAIRN_VIOLATION_COUNT];
    cairn_violation violations[CAIRN_VIOLATIONS_MAX];
} cairn_judge;

// What a robot is called: "emu2" for the second.
void cairn_judge_name(const cairn_body_description *description, uint32_t robot, char ret_name[CAIRN_JUDGE_NAME_BYTES]);
void cairn_judge_init(cairn_judge *judge, const cairn_sim_arena *arena, uint32_t robot_count,
                      const cairn_body_description *const *descriptions);
// One sample for each robot, in order of time. O(robots * ground near them).
void cairn_judge_step(cairn_judge *judge, const cairn_judge_sample *samples, cairn_mono now);
// A collision that happened since the last step. O(solids * samples of the stopping time).
void cairn_judge_collision(cairn_judge *judge, const cairn_collision *collision, cairn_mono now);

// How long a robot may take to stand: from its file's greatest speed, with what its own control takes.
int64_t cairn_judge_braking_ns(const cairn_body_description *description);
// From upright.
double cairn_judge_tilt_rad(cairn_pose3 map_T_base);
