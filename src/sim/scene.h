// scene.h - what moves in an arena by itself: doors swing, figures walk, hazards go off, aftershocks push.
//
// Where movers are is the physics' business (physics.h); the scene tells it where doors and figures go, before each
// step. Nothing here touches a robot: what would is told to wait.
//   doors    swing about their hinges when told, and wait while a robot, a block or a figure is in the way.
//   figures  walk to and fro along their points, and wait 0.5 m before robots, and before doors and blocks.
//   hazards  are figures that go off once, then stand for ever. Looked at ten times a second: one rule for both
//            distances: seen from above, from the hazard's middle to the robot's, with nothing on the straight line in
//            space between them but the hazard itself (solids where they are; robots and height fields hide nothing).
//            A robot that works sets it off within trigger_m; every robot within lethal_m is then destroyed.
//
// Frame    map.
// Threads  That of the physics' steps. Same seed, same bytes.
#pragma once
#include "sim/physics/physics.h"

typedef struct cairn_scene cairn_scene;

typedef struct cairn_scene_def {
    const cairn_sim_arena *arena; // all borrowed for the life of the scene
    const cairn_physics_kind *physics_kind;
    cairn_physics *physics;
    uint32_t robot_count;
    const cairn_body_description *const *robots; // the list during create only
    uint64_t seed;
} cairn_scene_def;

// CAIRN_ERR_FULL if there is no memory.
CAIRN_CHECKED cairn_err cairn_scene_create(const cairn_scene_def *def, cairn_scene **ret_scene);
void cairn_scene_destroy(cairn_scene *scene);

// Moves on by one physics step. `dead`: robots that set nothing off, bit by number; returns those that a hazard
// destroyed now. Costs nothing in an arena without movers.
CAIRN_CHECKED uint64_t cairn_scene_step(cairn_scene *scene, uint64_t dead);
void cairn_scene_set_door(cairn_scene *scene, uint32_t door, bool open);
// Every block gets a speed of up to this, in any direction along the ground.
void cairn_scene_shake(cairn_scene *scene, double strength_mps);

// As in physics.h; the movers' poses are in the physics' state.
size_t cairn_scene_state_bytes(const cairn_scene *scene);
void cairn_scene_save(const cairn_scene *scene, void *ret_state);
CAIRN_CHECKED cairn_err cairn_scene_load(cairn_scene *scene, const void *state);
