// planar_private.h - what the files of the planar physics share.
#pragma once
#include "base/random.h"
#include "sim/physics/physics.h"
#include "sim/physics/planar/planar_ground.h"
#include "sim/physics/planar/planar_movers.h"

#define STEP_S ((double)CAIRN_PHYSICS_STEP_NS * 1e-9)
#define GRAVITY_MPS2 9.81
#define TOUCH_GAP_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// Things touched within the last half second; the oldest goes if there are more.
#define TOUCHES 32

enum { SIDE_FRONT, SIDE_REAR, SIDE_LEFT, SIDE_RIGHT, SIDE_COUNT };
enum { WAY_FORWARD, WAY_TURN, WAY_COUNT };

// One way to move: forward (m, m/s, kg, N) or turning (rad, rad/s, kg m2, N m).
typedef struct cairn_planar_way {
    double body_speed;  // m/s or rad/s
    double wheel_radps; // mean of the wheels, or half the difference right - left
    double slip;        // [-] around its mean
} cairn_planar_way;

typedef struct cairn_planar_touch {
    int64_t thing; // a solid, the first of its thing, or solid_count + a robot; -1: none
    int64_t step;  // last in which they touched
} cairn_planar_touch;

// All of a robot that changes, as it is saved: plain data.
typedef struct cairn_planar_motion {
    cairn_random random;
    cairn_planar_way ways[WAY_COUNT];
    cairn_pose2 pose;   // map_T_base seen from above
    cairn_vec2 heading; // of the pose
    double side_mps;    // sliding to the left, where tyres do not hold
    double slope_rad;   // of the way ahead, rising positive
    double lean_rad;    // of the ground across, rising to the left
    double fall_mps;    // downward, of one that falls
    cairn_feet feet;
    cairn_robot_truth truth;
    cairn_collisions collisions;
    int64_t bump_step[SIDE_COUNT];
    cairn_planar_touch touches[TOUCHES];
} cairn_planar_motion;

typedef struct cairn_planar_robot {
    const cairn_body_description *description;
    double body_mass[WAY_COUNT]; // kg or kg m2
    double wheel_inertia_kgm2;   // of all four
    double reach_m;              // of the outline's corners
    int64_t held_step;           // the last step through which it was held off the ground, and where; not saved
    cairn_pose3 held_T;
    cairn_planar_motion now;
} cairn_planar_robot;

struct cairn_physics {
    cairn_arena memory;
    const cairn_sim_arena *arena;
    bool flat; // no ground but the floor
    cairn_obstacle_index index;
    uint32_t robot_count, mover_count;
    int64_t step;                          // steps taken
    double slip_keep, slip_new[WAY_COUNT]; // of the wandering, in one step
    cairn_planar_robot *robots;
    cairn_planar_mover *movers;
    cairn_collision_log log;
};

static inline bool cairn_planar_is_held(const cairn_physics *physics, const cairn_planar_robot *robot)
{
    return robot->held_step == physics->step;
}

// planar_rolling.c: a step of what the motors and the ground make of one robot, as if it were alone.
void cairn_planar_drive(const cairn_physics *physics, cairn_planar_robot *robot, const cairn_motor_target *target);
// planar_touching.c: robots, walls and movers out of each other, with what that does to their speeds.
void cairn_planar_keep_apart(cairn_physics *physics);
// planar_standing.c: on the highest ground not above from_m; and after each step, with what the robot then feels.
void cairn_planar_put_down(const cairn_physics *physics, cairn_planar_robot *robot, double from_m);
void cairn_planar_stand(const cairn_physics *physics, cairn_planar_robot *robot);
// planar_state.c: see physics.h.
size_t cairn_planar_state_bytes(const cairn_physics *physics);
void cairn_planar_save(const cairn_physics *physics, void *ret_state);
CAIRN_CHECKED cairn_err cairn_planar_load(cairn_physics *physics, const void *state);
