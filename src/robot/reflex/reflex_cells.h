// reflex_cells.h - all that reflex and mind say to each other: latest-value cells, nothing else.
//
// Reflex checks the range and age of all that it reads here; a value out of range is treated as absent and
// counted. In lockstep both sides run in one process, on a robot in two; the cells are the same.
#pragma once
#include "base/cell.h"
#include "base/clock.h"
#include "geometry/pose2.h"
#include "robot/ground/sound_ground.h"
#include "robot/guard_names.h"

// Reflex and mind read one clock, each at the beginning of its step: what the other wrote since then seems to be from
// the future. By up to this much it is taken as of now. It adds nothing to how long a command stays in force.
#define CAIRN_CLOCK_SLACK_NS CAIRN_MS(1)

// Mind to reflex: the motion that all behaviours together ask for. Older than 300 ms: stop.
typedef struct cairn_motion_command {
    cairn_mono issued;
    double forward_mps; // base x
    double turn_radps;  // about base z, left positive
} cairn_motion_command;

// Mind to reflex: the latched emergency stop. State, not an event: `stop` true stops at once and latches;
// release needs stop false with a release_count greater than any seen before.
typedef struct cairn_stop_command {
    cairn_mono issued;
    bool stop;
    uint32_t release_count;
} cairn_stop_command;

// Mind to reflex: how fast the robot moved, by matching scans. Bodies whose wheels nobody counts drive by it
// (unseen.h); others check their counters (counts.h, shortfall.h, spin.h). Reflex takes it as nothing when it is older
// than 400 ms.
typedef struct cairn_seen_motion {
    cairn_mono at;      // for which it is true
    double forward_mps; // base x
    double turn_radps;  // to the left; told so that a gyro that lies is noticed
} cairn_seen_motion;

// Mind to reflex: where it may be. Polygons of the odom frame, which mind writes anew as it learns where that lies;
// said again at least once a second. Reflex keeps to the last ones that it heard, however old they are.
#define CAIRN_AREAS_MAX 8
#define CAIRN_AREA_CORNERS_MAX 16
typedef enum cairn_area_kind {
    CAIRN_AREA_KEEP_IN = 0,  // the robot's hull stays within one of these, if there are any (geofence)
    CAIRN_AREA_KEEP_OUT = 1, // and outside all of these
} cairn_area_kind;

typedef struct cairn_area {
    uint8_t kind;         // cairn_area_kind
    uint8_t corner_count; // 3..CAIRN_AREA_CORNERS_MAX, in order around it, either way; edges do not cross
    float x_m[CAIRN_AREA_CORNERS_MAX], y_m[CAIRN_AREA_CORNERS_MAX];
} cairn_area;

typedef struct cairn_areas {
    cairn_mono issued;
    uint32_t area_count; // 0: it may be everywhere
    cairn_area areas[CAIRN_AREAS_MAX];
} cairn_areas;

// Mind to reflex: guards that the operator switches off for as long as he holds the key. Older than
// CAIRN_OVERRIDE_AGE_NS_MAX it is nothing; guards that nobody may override (guard_names.h) are not heard.
#define CAIRN_OVERRIDE_AGE_NS_MAX CAIRN_MS(500)
#define CAIRN_OVERRIDE_NS_MAX CAIRN_S(CAIRN_OVERRIDE_S_MAX) // then it ends, until it has been let go for a second
typedef struct cairn_override {
    cairn_mono issued; // no later than the operator's word came
    uint32_t guards;   // bit 1 << cairn_guard for each
} cairn_override;

// A pose with its time.
typedef struct cairn_odom_stamp {
    cairn_mono at;
    cairn_pose2 odom_T_base;
} cairn_odom_stamp;

#define CAIRN_ODOM_RECENT 32 // a quarter of a second at 125 Hz: longer than any sensor's delay

// Reflex to mind, every 8 ms.
typedef struct cairn_reflex_state {
    cairn_mono at;
    cairn_pose2 odom_T_base;        // wheel and gyro odometry since start; drifts, never jumps
    double distance_m;              // travelled, always growing
    double forward_mps, turn_radps; // measured
    double told_mps, told_radps;    // what the wheels are told, after the guards
    double roll_rad, pitch_rad;     // from the IMU; NaN not known
    double rises_mps;               // felt, forgotten within a second; 0 not known
    double turn_bias_radps;         // gyro bias as estimated at rest
    uint32_t guards;                // bit 1 << cairn_guard for each that acts
    uint32_t overridden;            // and for each that would act, had the operator not switched it off
    bool bump_front, bump_rear, bump_left, bump_right;
    uint32_t commands_refused_count; // out of range or from the future
    uint32_t tellings_refused_count; // of ground of another odometry, and of areas that cannot be
    uint64_t step_count;
    // Which odometry this is, and by the how manieth reflex: one that was started again goes on with the odometry of
    // the one before if it can (kept.h). Until it knows whether it can, odom_T_base is not to be used.
    uint64_t odom_id;
    uint32_t start_count;
    bool unsettled;
    bool stop_latched;
    uint8_t laser_empty;        // not 0: its laser is suddenly empty (laser_doubt.h); for who begins to look now
    uint32_t release_count_max; // of the stop's protocol: the greatest ever seen
    // The last poses, oldest first, so that a scan can be straightened for the motion during it.
    uint32_t recent_count;
    cairn_odom_stamp recent[CAIRN_ODOM_RECENT];
} cairn_reflex_state;

typedef struct cairn_reflex_cells {
    cairn_cell *command;          // cairn_motion_command, mind -> reflex
    cairn_cell *stop;             // cairn_stop_command, mind -> reflex
    cairn_cell *seen;             // cairn_seen_motion, mind -> reflex
    cairn_cell *ground;           // cairn_sound_ground, mind -> reflex; of robots that see the ground
    cairn_cell *areas;            // cairn_areas, mind -> reflex
    cairn_cell *override;         // cairn_override, mind -> reflex
    cairn_cell *state_behaviour;  // cairn_reflex_state, reflex -> behaviour
    cairn_cell *state_deliberate; // cairn_reflex_state, reflex -> deliberate
    cairn_cell *kept;             // cairn_reflex_kept, reflex -> the reflex after it
} cairn_reflex_cells;

CAIRN_CHECKED cairn_err cairn_reflex_cells_create(cairn_arena *arena, cairn_reflex_cells *ret_cells);

// The cells' memory where reflex and mind are two processes: each writes one, and has the other mapped read-only.
// Zeroed when made.
typedef struct cairn_reflex_memory {
    void *to_reflex, *from_reflex; // 64-aligned; borrowed
} cairn_reflex_memory;

size_t cairn_reflex_memory_bytes_to(void);
size_t cairn_reflex_memory_bytes_from(void);
// One process's ends of these cells.
CAIRN_CHECKED cairn_err cairn_reflex_cells_attach(cairn_reflex_memory memory, cairn_arena *arena,
                                                  cairn_reflex_cells *ret_cells);
