// physics.h - what moves robots about: the interface of both physics.
//
//   planar  unicycle with slip and wheel dynamics, rectangles against boxes; several times faster
//   mujoco  bodies, contacts, terrain
//
// Movers (arena.h): blocks are moved by whoever pushes them; doors and figures are put where the world says.
// A physics knows nothing of sensors: those look at poses and at the rays (rays.h).
// Threads  step from one thread; the getters may be called from several between steps.
#pragma once
#include "body/description.h"
#include "sim/arena/arena.h"

#define CAIRN_SIM_ROBOTS_MAX 50
#define CAIRN_PHYSICS_STEP_NS CAIRN_MS(4)

typedef struct cairn_physics cairn_physics;

typedef struct cairn_physics_def {
    const cairn_sim_arena *arena;                // borrowed for the life of the physics
    uint32_t robot_count;                        // <= CAIRN_SIM_ROBOTS_MAX
    const cairn_body_description *const *robots; // borrowed
    const cairn_pose2 *starts;                   // map_T_base of each
    uint64_t seed;
} cairn_physics_def;

// The true state of a robot, map frame.
typedef struct cairn_robot_truth {
    cairn_pose3 map_T_base;
    cairn_vec3 velocity_mps;            // map axes
    cairn_vec3 turn_radps;              // base axes
    cairn_vec3 accel_mps2;              // specific force, base axes
    double wheel_rad[CAIRN_WHEELS_MAX]; // turned since start, as the axles turned (slip included)
    double wheel_radps[CAIRN_WHEELS_MAX];
    bool bump_front, bump_rear, bump_left, bump_right;
    bool fallen; // on its side or back, or down an edge that it cannot get up again
} cairn_robot_truth;

// What carries a robot, and what it touches, in the last step.
typedef struct cairn_robot_stance {
    uint32_t wheels_down; // of its wheels or belts, bit by number, those that touch anything
    bool belly_down;      // something below touches another part of it
    bool touched;         // anything touches any part of it
} cairn_robot_stance;

// Touching anything but floor and ramps. A touch counts once until it has ended for half a second.
typedef struct cairn_collisions {
    uint32_t count;
    double speed_mps_max; // closing speed along the contact's normal at the moment of touching
} cairn_collisions;

// One of them.
typedef struct cairn_collision {
    int64_t step;       // in which they touched: CAIRN_PHYSICS_STEP_NS each
    uint32_t robot;     // that touched
    uint32_t thing;     // the first solid of what it touched, or solid_count + another robot
    cairn_vec3 at_m;    // where
    double closing_mps; // as speed_mps_max
    double own_mps;     // the robot's part of it: how fast it came by itself
} cairn_collision;

// The last of all robots' collisions, entry i at i % KEPT. Who looks keeps a count of what was seen, and looks often
// enough. Not part of what is saved: a physics that loads a state goes on with the log that it has.
#define CAIRN_COLLISIONS_KEPT 128
typedef struct cairn_collision_log {
    uint64_t count; // ever
    cairn_collision last[CAIRN_COLLISIONS_KEPT];
} cairn_collision_log;

static inline void cairn_collision_log_add(cairn_collision_log *log, const cairn_collision *collision)
{
    log->last[log->count++ % CAIRN_COLLISIONS_KEPT] = *collision;
}

typedef struct cairn_physics_kind {
    const char *name; // "planar", "mujoco"
    cairn_err (*create)(const cairn_physics_def *def, cairn_complaints *complaints, cairn_physics **ret_physics);
    void (*destroy)(cairn_physics *physics);
    // Advances by CAIRN_PHYSICS_STEP_NS under these wheel torques (one target for each robot).
    void (*step)(cairn_physics *physics, const cairn_motor_target *targets);
    void (*truth)(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth);
    cairn_collisions (*collisions)(const cairn_physics *physics, uint32_t robot);
    const cairn_collision_log *(*collision_log)(const cairn_physics *physics);
    // Of arena->movers, between steps. put moves it at once, whoever stands there; a block is then at rest. push gives
    // a block a speed (map axes), as an earthquake does; nothing for doors and figures.
    cairn_pose3 (*mover)(const cairn_physics *physics, uint32_t mover);
    void (*put)(cairn_physics *physics, uint32_t mover, cairn_pose3 map_T_box);
    void (*push)(cairn_physics *physics, uint32_t mover, cairn_vec3 by_mps);
    // All that the future depends on, as plain bytes: a physics of the same def that loads them goes on with the same
    // bytes. state_bytes is constant for the life of a physics. load: CAIRN_ERR_CORRUPT for what no physics of this def
    // can have saved; the physics is then as it was.
    size_t (*state_bytes)(const cairn_physics *physics);
    void (*save)(const cairn_physics *physics, void *ret_state);
    cairn_err (*load)(cairn_physics *physics, const void *state);
    // Before a step: through it the robot is held there, off the ground, with its wheels free.
    void (*hold)(cairn_physics *physics, uint32_t robot, cairn_pose3 map_T_base);
    cairn_robot_stance (*stance)(const cairn_physics *physics, uint32_t robot); // O(contacts)
} cairn_physics_kind;

extern const cairn_physics_kind cairn_physics_planar;
#ifdef CAIRN_HAS_MUJOCO
extern const cairn_physics_kind cairn_physics_mujoco;
#endif

// NULL if this build has no physics of that name.
const cairn_physics_kind *cairn_physics_find(const char *name);
