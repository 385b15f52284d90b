// mujoco_model.h - the text of the MuJoCo model (MJCF) of robots on a floor.
//
// The model holds the floor, the robots ("robot 0", …), free bodies for loose blocks ("block 0", …), for each of these
// parties, robots first, a jointless body without geoms ("near 0", "near 1", …), and last the boxes: the physics hands
// them to those bodies and puts into them whichever solids stand around a party, so that a step costs the same in a
// room and in a city.
//
// Frame    A robot's body frame is its base frame: on the ground below the middle of the wheels.
// Names    of joints: "base ROBOT 0" (free), "wheel ROBOT 0" to 3 (front left, front right, rear left, rear right; the
//          left and the right belt are 0 and 1), "flipper ROBOT 0" and 1. Of geoms: "tyre ROBOT 0" to 3 (wheels, or
//          belts and flippers, in the same order). Motors are torques applied to joints.
#pragma once
#include "sim/physics/physics.h"

// Boxes around one robot. More are only needed in rubble finer than the robot itself: then the furthest are
// left out until it comes nearer.
#define CAIRN_MUJOCO_NEAR_MAX 128
// The same around a loose block. One more stands for the floor there, and one for rough ground around any party.
#define CAIRN_MUJOCO_BLOCK_NEAR_MAX 32
// Loose blocks that move at the same time.
#define CAIRN_MUJOCO_BLOCKS_MAX 64

// Friction [-] of tyres and belts is that of the ground (CAIRN_GROUND_FRICTION where it does not say otherwise),
// because a contact has the larger of two frictions, and that of a tyre in the model is small: that of two tyres. Of
// the hull on anything; of loose blocks on anything but ground that says otherwise.
#define CAIRN_MUJOCO_TYRE_FRICTION 0.1
#define CAIRN_MUJOCO_HULL_FRICTION 0.3
#define CAIRN_MUJOCO_BLOCK_FRICTION 0.5

// Free bodies that the model has for the blocks of an arena.
uint32_t cairn_mujoco_block_bodies(const cairn_physics_def *def);
uint32_t cairn_mujoco_boxes(const cairn_physics_def *def); // in all

// Of one flipper with its motor and gears about its pivot.
double cairn_mujoco_flipper_inertia_kgm2(const cairn_flippers_description *flippers);

// The text, NUL-terminated; the caller frees it. NULL with the reason when there is no memory, or a robot's URDF file
// cannot be used. sink_m, one for each robot: how far
// its tyres sink into a flat floor at rest; the model makes up for it, so that the base stands at z = 0.
CAIRN_CHECKED char *cairn_mujoco_model_text(const cairn_physics_def *def, const double *sink_m,
                                            cairn_complaints *complaints, size_t *ret_bytes);
