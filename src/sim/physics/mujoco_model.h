// mujoco_model.h - the text of the MuJoCo model (MJCF) of robots on a floor.
//
// The model holds the floor, the robots, and for each robot a jointless body of CAIRN_MUJOCO_NEAR_MAX boxes
// ("near 0", "near 1", …): the physics puts into them whichever solids stand around that robot, so that a
// step costs the same in a room and in a city.
//
// Frame    A robot's body frame is its base frame: on the ground below the middle of the wheels.
// Names    of joints: "base ROBOT 0" (free), "wheel ROBOT 0" to 3 (front left, front right, rear left, rear right; the
//          left and the right belt are 0 and 1), "flipper ROBOT 0" and 1. Of geoms: "tyre ROBOT 0" to 3 (wheels, or
//          belts and flippers, in the same order). Motors are torques applied to joints.
#pragma once
#include "sim/physics/physics.h"

// Boxes around one robot. More are only needed in rubble finer than the robot itself: then the furthest are
// left out until it comes nearer.
#define CAIRN_MUJOCO_NEAR_MAX 32

// Friction of a tyre on anything [-], of the hull on anything [-].
#define CAIRN_MUJOCO_TYRE_FRICTION 0.8
#define CAIRN_MUJOCO_HULL_FRICTION 0.3
// Friction of a belt on anything [-]: rubber with cleats.
#define CAIRN_MUJOCO_BELT_FRICTION 1.0

// Of one flipper with its motor and gears about its pivot.
double cairn_mujoco_flipper_inertia_kgm2(const cairn_flippers_description *flippers);

// The text, NUL-terminated; the caller frees it. NULL when there is no memory. sink_m, one for each robot: how far
// its tyres sink into a flat floor at rest; the model makes up for it, so that the base stands at z = 0.
CAIRN_CHECKED char *cairn_mujoco_model_text(const cairn_physics_def *def, const double *sink_m, size_t *ret_bytes);
