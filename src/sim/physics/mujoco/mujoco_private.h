// mujoco_private.h - what the parts of the MuJoCo physics share.
//
//   physics_mujoco.c  making one, the step, what is true of robots
//   mujoco_near.c     the boxes around whatever moves, and who may meet whom
//   mujoco_rough.c    contacts with height fields
//   mujoco_boxes.c    a fault of the library's collision of boxes put right
//   mujoco_blocks.c   loose blocks, and the other movers
//   mujoco_touches.c  collisions and bumps
//   mujoco_state.c    saving and loading
//
// A *party* is whoever has boxes of its own around it: the robots, in order, and then the free bodies that stand for
// loose blocks while they move. The structs named ..._state, and only these and MuJoCo's own state, are what the future
// depends on. They are plain and without gaps: saving copies their bytes.
#pragma once
#include "sim/physics/mujoco/mujoco_drive.h"
#include "sim/physics/mujoco/mujoco_model.h"
#include "sim/physics/robot_shape.h"
#include "sim/physics/solid_index.h"
#include <mujoco/mujoco.h>

#define CAIRN_MUJOCO_GRAVITY_MPS2 9.81
#define CAIRN_MUJOCO_PARTIES_MAX (CAIRN_SIM_ROBOTS_MAX + CAIRN_MUJOCO_BLOCKS_MAX)

// A bump stays for one period of the reflex (8 ms), and accelerations are averaged over it.
#define CAIRN_MUJOCO_REFLEX_STEPS 2
// Things that a robot touches at once; of more, the one touched longest ago is forgotten.
#define CAIRN_MUJOCO_TOUCHES_MAX 32
// Height fields that a party may be near; an arena file has no more in all.
#define CAIRN_MUJOCO_FIELDS_NEAR_MAX 64

enum { CAIRN_SIDE_FRONT, CAIRN_SIDE_REAR, CAIRN_SIDE_LEFT, CAIRN_SIDE_RIGHT, CAIRN_SIDE_COUNT };

// What stands around a party.
typedef struct cairn_mujoco_near_state {
    cairn_vec3 filled_at_m; // where the party was when they were chosen
    uint32_t stale;         // 1: to be chosen anew before the next step
    uint32_t count;
    uint32_t solids[CAIRN_MUJOCO_NEAR_MAX];
    uint32_t field_count;
    uint32_t fields[CAIRN_MUJOCO_FIELDS_NEAR_MAX]; // the nearest one first
    uint32_t spare;
} cairn_mujoco_near_state;

typedef struct cairn_mujoco_touch {
    uint64_t obstacle; // the first solid of a thing, or solid_count + a robot
    int64_t step;      // in which it was touched last
} cairn_mujoco_touch;

typedef struct cairn_mujoco_robot_state {
    cairn_vec3 velocity_mps_earlier[CAIRN_MUJOCO_REFLEX_STEPS];
    int64_t bump_step[CAIRN_SIDE_COUNT]; // last step that had a contact on that side
    int64_t upright_step;                // last step in which it was not tilted far
    uint64_t collision_count;
    double collision_mps_max;
    uint64_t touch_count;
    cairn_mujoco_touch touches[CAIRN_MUJOCO_TOUCHES_MAX];
    cairn_mujoco_drive_state drive;
} cairn_mujoco_robot_state;

// A free body that stands for a block.
typedef struct cairn_mujoco_body_state {
    uint32_t mover_plus_1; // 0: for none
    uint32_t still_steps;  // for how long it has been at rest
} cairn_mujoco_body_state;

typedef struct cairn_mujoco_mover_state {
    cairn_pose3 map_T_box;
    cairn_vec3 push_mps; // that waits for a free body
    uint64_t wanted;     // 1: a block to be let loose, because something touches or pushes it
} cairn_mujoco_mover_state;

typedef struct cairn_mujoco_robot {
    const cairn_body_description *description;
    cairn_robot_shape shape;
    cairn_mujoco_drive drive;
    mjtNum base_qpos[7], base_qvel[6]; // at the start of the last step
    double held_mps;                   // of base_qvel, upwards: what hands give it against gravity in the step to come
} cairn_mujoco_robot;

typedef struct cairn_mujoco_party {
    int near_body;
    int near_geom;     // its first box, just now
    uint32_t near_max; // solids
    double reach_m;    // no part is further than this from its middle
} cairn_mujoco_party;

typedef struct cairn_mujoco_body {
    int body, geom, qpos_at, qvel_at;
} cairn_mujoco_body;

struct cairn_physics {
    const cairn_sim_arena *arena;
    uint32_t robot_count, body_count, party_count; // party_count is the sum of the others
    mjModel *model;
    mjData *data;
    int boxes_geom, boxes_end;   // the model's geoms that are boxes
    int nq, nv, nM, njnt, nbody; // of the model with all bodies; the model itself ends behind those in use
    bool must_place;             // boxes are to be put in place before the next step
    cairn_solid_index *index;
    int *robot_of_geom;    // -1: not a robot's
    int *tyre_of_geom;     // -1: not a wheel
    uint32_t *obstacle_of; // of each solid: the first solid of the same thing
    uint32_t *mover_of;    // of each solid: its mover + 1, 0 if it stands
    cairn_mujoco_robot robots[CAIRN_SIM_ROBOTS_MAX];
    cairn_mujoco_body bodies[CAIRN_MUJOCO_BLOCKS_MAX];
    cairn_mujoco_party parties[CAIRN_MUJOCO_PARTIES_MAX];

    int64_t step; // steps taken
    cairn_mujoco_tyre tyres[CAIRN_MUJOCO_TYRES_MAX];
    cairn_mujoco_robot_state *robot_states;
    cairn_mujoco_near_state *near; // of each party
    cairn_mujoco_body_state *body_states;
    cairn_mujoco_mover_state *mover_states;
    cairn_collision_log log;
};

static inline cairn_vec3 cairn_mujoco_vec(const mjtNum *v) { return (cairn_vec3){v[0], v[1], v[2]}; }
static inline cairn_pose3 cairn_mujoco_pose(const mjtNum *qpos)
{
    return (cairn_pose3){cairn_mujoco_vec(qpos), {qpos[3], qpos[4], qpos[5], qpos[6]}};
}
static inline void cairn_mujoco_set_pose(mjtNum *qpos, cairn_pose3 pose)
{
    const mjtNum values[7] = {pose.at_m.x, pose.at_m.y, pose.at_m.z, pose.turn.w,
                              pose.turn.x, pose.turn.y, pose.turn.z};
    for (int i = 0; i < 7; i++) { qpos[i] = values[i]; }
}

// Where a solid is now.
cairn_pose3 cairn_mujoco_solid_pose(const cairn_physics *physics, uint32_t solid);

// ---- mujoco_near.c
// Chooses a party's boxes anew if it has moved, or in any case. middle_m: half its height above its base.
void cairn_mujoco_near_refill(cairn_physics *physics, uint32_t party, cairn_vec3 middle_m, bool always);
// Puts the boxes of all parties where they belong.
void cairn_mujoco_near_place(cairn_physics *physics);
// A mover is somewhere else, has become loose, or has come to rest.
void cairn_mujoco_near_mover_changed(cairn_physics *physics, uint32_t mover);
// Marks geoms of the model as a party's own or the floor's, for the filter that reads these marks.
void cairn_mujoco_near_mark(cairn_physics *physics);
void cairn_mujoco_near_install(void); // once for the process
// The solid in a box of a party; false for the floor and for height fields.
bool cairn_mujoco_near_solid(const cairn_physics *physics, uint32_t party, int geom, uint32_t *ret_solid);

// ---- mujoco_rough.c
void cairn_mujoco_rough_install(void); // once for the process
// Tells the model's data where its physics is, for contacts with height fields.
void cairn_mujoco_rough_attach(cairn_physics *physics);

// ---- mujoco_boxes.c
void cairn_mujoco_boxes_install(void); // once for the process

// ---- mujoco_blocks.c
void cairn_mujoco_blocks_start(cairn_physics *physics);       // all at rest, where the arena has them
void cairn_mujoco_blocks_before_step(cairn_physics *physics); // lets loose what is wanted
void cairn_mujoco_blocks_after_step(cairn_physics *physics);  // lays to rest what has come to it
// What a body needs of the model when it stands for this block.
void cairn_mujoco_blocks_dress(cairn_physics *physics, uint32_t body);
// Lets the model end behind the last body that stands for a block: those behind it then cost nothing.
void cairn_mujoco_blocks_trim(cairn_physics *physics);
cairn_pose3 cairn_mujoco_mover(const cairn_physics *physics, uint32_t mover);
void cairn_mujoco_put(cairn_physics *physics, uint32_t mover, cairn_pose3 map_T_box);
void cairn_mujoco_push(cairn_physics *physics, uint32_t mover, cairn_vec3 by_mps);
bool cairn_mujoco_is_loose(const cairn_physics *physics, uint32_t mover);

// ---- mujoco_touches.c
void cairn_mujoco_touches_note(cairn_physics *physics); // from the contacts of the step just taken
cairn_robot_stance cairn_mujoco_stance(const cairn_physics *physics, uint32_t robot);

// ---- mujoco_state.c
size_t cairn_mujoco_state_bytes(const cairn_physics *physics);
void cairn_mujoco_save(const cairn_physics *physics, void *ret_state);
CAIRN_CHECKED cairn_err cairn_mujoco_load(cairn_physics *physics, const void *state);
