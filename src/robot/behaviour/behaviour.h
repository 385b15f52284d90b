// behaviour.h - T1: small reactive steps under the balanced scheduler; each casts a vote on the motion.
//
// A behaviour of priority p runs every 2^p cycles of 8 ms; offsets are chosen so that the load of the cycles
// is even (scheduler.h). Each returns a vote, kept until it runs again; after each cycle the votes are fused
// and written to the command cell. The operator's stick is one of the behaviours.
#pragma once
#include "body/body.h"
#include "robot/modes.h"
#include "robot/reflex/reflex_cells.h"

#define CAIRN_PATH_POINTS_MAX 256

// Deliberate to behaviour: where to go, in the odometry frame of the reflex state (odom), so that it can be
// followed between two deliberate steps. Older than 3 s: not followed.
typedef struct cairn_path {
    cairn_mono issued;
    uint32_t point_count;                       // 0: nothing to follow
    cairn_vec2 points_m[CAIRN_PATH_POINTS_MAX]; // odom frame
    bool face_at_end;                           // turn to end_yaw_rad on arrival
    double end_yaw_rad;                         // odom frame
    double speed_mps_max;
    bool backwards; // rear first: out of a place too tight to turn in
} cairn_path;

// Deliberate to behaviour: obstacles around the robot that the laser does not see now (behind it, just
// passed), from the local map. Points in the odom frame. Those in the laser's view are left to the laser, except
// the first hull_count: it looks over the hulls of team-mates, over kerbs, and over what the robot ran into.
#define CAIRN_NEAR_POINTS_MAX 512
typedef struct cairn_near_obstacles {
    cairn_mono issued;
    uint32_t hull_count; // <= point_count
    uint32_t point_count;
    float x_m[CAIRN_NEAR_POINTS_MAX], y_m[CAIRN_NEAR_POINTS_MAX];
} cairn_near_obstacles;

// The operator's whole stick state, as it came over the air.
typedef struct cairn_stick {
    cairn_mono received;  // no later than it came
    double forward, turn; // [-] -1..1 of the body's limits
    bool dead_man;        // held down; false means no motion
} cairn_stick;

// Somebody holds the robot in the air. Said again and again while it is so.
typedef struct cairn_in_hands {
    cairn_mono issued;
} cairn_in_hands;

typedef struct cairn_behaviour_cells {
    cairn_cell *path;      // cairn_path, deliberate -> behaviour
    cairn_cell *obstacles; // cairn_near_obstacles, deliberate -> behaviour
    cairn_cell *ground;    // cairn_sound_ground, deliberate -> behaviour
    cairn_cell *in_hands;  // cairn_in_hands, deliberate -> behaviour
    cairn_cell *stick;     // cairn_stick, post -> behaviour
    cairn_cell *mode;      // cairn_mode_order, post -> behaviour
    cairn_cell *orders;    // cairn_orders_state, post -> deliberate
    cairn_cell *state;     // cairn_behaviour_state, behaviour -> deliberate
} cairn_behaviour_cells;

// Said again and again; older than 1 s: as if stopped.
typedef struct cairn_mode_order {
    cairn_mono issued;
    cairn_mode mode;
} cairn_mode_order;

// What deliberate learns about the orders.
typedef struct cairn_orders_state {
    cairn_mode mode;        // CAIRN_MODE_STOPPED while the stop is latched
    uint32_t order;         // id of the last mode order; 0 none yet
    uint32_t release_count; // of the last release that was accepted
} cairn_orders_state;

// What deliberate learns about the motion.
typedef struct cairn_behaviour_state {
    cairn_mono at;
    bool arrived;           // the path is done, final heading included
    double blocked_s;       // how long avoidance has held the robot against its wish
    double clearance_m;     // nearest obstacle to the hull; +inf none near
    uint32_t path_at;       // index of the point being headed for
    cairn_mono path_issued; // which path this is about
} cairn_behaviour_state;

CAIRN_CHECKED cairn_err cairn_behaviour_cells_create(cairn_arena *arena, cairn_behaviour_cells *ret_cells);

typedef struct cairn_behaviours cairn_behaviours;

// Borrows body and both sets of cells for its life.
CAIRN_CHECKED cairn_err cairn_behaviours_create(const cairn_body *body, const cairn_reflex_cells *reflex,
                                                const cairn_behaviour_cells *cells, cairn_arena *arena,
                                                cairn_behaviours **ret_behaviours);
void cairn_behaviours_step(cairn_behaviours *behaviours, cairn_mono now); // every CAIRN_REFLEX_PERIOD_NS
