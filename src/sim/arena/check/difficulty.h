// difficulty.h - how hard an arena is to search for a robot: what it can reach, the ways to the victims, a number.
//
// Frame    map.
// Memory   Working memory from the heap, given back.
// Threads  No state of its own.
// Source   docs/arenas.md defines every part; the weights are a convention, chosen so that the generator's five levels
//          (sim/arena/make) come out in their order.
// Cost     O(places of reach.h): about a second for 400 x 400 m.
#pragma once
#include "sim/arena/check/reach.h"

// What makes a place hard, each 0 (not at all) to 1.
typedef enum cairn_difficulty_part {
    CAIRN_DIFFICULTY_FAR,       // long ways to the victims
    CAIRN_DIFFICULTY_NARROW,    // tight passages that cannot be avoided
    CAIRN_DIFFICULTY_STEEP,     // slopes that cannot be avoided
    CAIRN_DIFFICULTY_STEPS,     // steps that cannot be avoided
    CAIRN_DIFFICULTY_ROUGH,     // part of the ground that is not flat
    CAIRN_DIFFICULTY_HIDDEN,    // victims in boxes or out of reach
    CAIRN_DIFFICULTY_DEAD_ENDS, // against loops
    CAIRN_DIFFICULTY_LITTER,    // what lies about below a level laser, and what is loose
    CAIRN_DIFFICULTY_DOORS,     // that are closed
    CAIRN_DIFFICULTY_HAZARDS,   // hazards and bystanders
    CAIRN_DIFFICULTY_PART_COUNT
} cairn_difficulty_part;

extern const char *const cairn_difficulty_names[CAIRN_DIFFICULTY_PART_COUNT + 1]; // ended by NULL

typedef struct cairn_difficulty {
    // Ground where nothing stands within the robot's radius; not what lies around an arena: ground that touches the
    // floor's edge and is not reached.
    double free_m2;
    double reach_m2; // what of it the robot gets to from the first start
    uint32_t victims_in_reach;
    uint64_t victims_seen;                            // bit by bit which: CAIRN_ARENA_VICTIMS_MAX are 64
    double way_m_shortest, way_m_mean, way_m_longest; // to the victims in reach; 0 without any
    // Of the worst victim in reach, on the way that is best in this respect:
    double narrowest_m;   // width of the narrowest passage; INFINITY without victims
    double slope_rad_max; // steepest ground
    double step_m_max;    // highest step
    double rough_part;    // [-] of the reached ground
    uint32_t dead_ends, loops;
    uint32_t doors_closed;
    double parts[CAIRN_DIFFICULTY_PART_COUNT];
    double total; // 1 to 10
} cairn_difficulty;

// CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_difficulty_of(const cairn_sim_arena *arena, const cairn_reach_def *robot,
                                            cairn_difficulty *ret_difficulty);
