// planar_ground.h - what a robot of the planar physics stands on: storeys, steps, edges, slippery and rough ground.
//
// Each wheel and the robot's middle keep the ground that they are on, and look for the next from there, no higher than
// the robot can step: so a robot stays on its storey. Ground that lies lower by more than a step is an edge: a wheel
// beyond it hangs in the air at the height that it had, until the robot's middle has come down to that ground. When the
// middle is beyond the edge too, with a pair of wheels, the robot falls.
//
// Frame    map.
// Threads  Pure.
#pragma once
#include "body/frames.h"
#include "sim/arena/ground.h"
#include "sim/physics/planar/planar_contacts.h"

#define CAIRN_FEET_COUNT (CAIRN_WHEELS_MAX + 1)
#define CAIRN_FOOT_MIDDLE CAIRN_WHEELS_MAX

// Plain data without gaps.
typedef struct cairn_feet {
    double ground_m[CAIRN_FEET_COUNT]; // that each wheel, and the middle, is on, or was before it hung
    double hangs[CAIRN_FEET_COUNT];    // 0 or 1
    double height_m[CAIRN_WHEELS_MAX]; // of the wheels: they are lifted over a step, not thrown
    double friction;                   // [-] of the ground below the wheels, on average
    double rough;                      // 0 or 1: on a height field
} cairn_feet;

// Whether an arena has any ground but the floor.
bool cairn_arena_is_flat(const cairn_sim_arena *arena);

// Puts feet down at places: on the highest ground not above from_m under the middle.
void cairn_feet_put(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double from_m,
                    cairn_feet *ret_feet);
// Moves them to places a little further on; step_m: what the robot can climb.
void cairn_feet_move(const cairn_sim_arena *arena, const cairn_vec2 at_m[CAIRN_FEET_COUNT], double step_m,
                     double elapsed_s, cairn_feet *feet);
bool cairn_feet_fall(const cairn_feet *feet);

// Whether something whose outline touches a solid of ground is stopped by it: it stands foot_m high where they touch,
// is height_m high, and can climb step_m. That is so if the solid's face there rises more than a step above both.
CAIRN_CHECKED bool cairn_ground_stops(const cairn_sim_arena *arena, const cairn_obstacle *ground,
                                      const cairn_rect_contact *contact, double foot_m, double height_m, double step_m);
