// planar_movers.h - doors, figures and loose blocks of the planar physics.
//
// Doors and figures stand where they are put. Blocks slide over the ground: pushes change their speed, friction with
// the ground takes it (Coulomb), walls and other things stop them without bouncing. They keep their tilt, and follow
// the height of the ground below their middle if they rest on it.
//
// Frame    map.
// Threads  Those of the physics.
#pragma once
#include "sim/physics/planar/planar_contacts.h"

// Plain data without gaps.
typedef struct cairn_mover_motion {
    cairn_pose3 map_T_box;
    cairn_vec2 speed_mps;
    double turn_radps;
} cairn_mover_motion;

typedef struct cairn_planar_mover {
    const cairn_solid *solid;
    bool loose;     // a block
    bool on_ground; // at the start, and not on something else
    bool flat;      // the arena has no ground but the floor
    double mass_kg, inertia_kgm2;
    double lever_m;          // of friction against turning on the spot
    double reach_m;          // of its corners
    cairn_obstacle obstacle; // where it is now
    cairn_mover_motion motion;
} cairn_planar_mover;

void cairn_planar_mover_init(cairn_planar_mover *mover, const cairn_sim_arena *arena, uint32_t index);
void cairn_planar_mover_put(cairn_planar_mover *mover, cairn_pose3 map_T_box); // it is then at rest
void cairn_planar_mover_set(cairn_planar_mover *mover, const cairn_mover_motion *motion);
bool cairn_planar_mover_moves(const cairn_planar_mover *mover);

// How fast a point of it moves along a normal, and how much faster for one N s there.
double cairn_planar_mover_mps(const cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal);
double cairn_planar_mover_give(const cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal);
void cairn_planar_mover_push(cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal, double push_ns);

// One round of contacts of the blocks that move: with what stands, and among movers.
void cairn_planar_movers_meet(const cairn_sim_arena *arena, const cairn_obstacle_index *index,
                              cairn_planar_mover *movers, uint32_t count);
// Friction, then motion.
void cairn_planar_movers_slide(const cairn_sim_arena *arena, cairn_planar_mover *movers, uint32_t count,
                               double elapsed_s);
