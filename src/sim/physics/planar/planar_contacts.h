// planar_contacts.h - rectangles that touch: robots' outlines against what stands in an arena, seen from above.
//
// Frame    map, metres.
// Threads  The index is constant once made.
#pragma once
#include "sim/arena/arena.h"

typedef struct cairn_rect {
    cairn_vec2 centre_m;
    cairn_vec2 axis; // unit, along half_m.x; half_m.y is to its left
    cairn_vec2 half_m;
} cairn_rect;

typedef struct cairn_rect_contact {
    cairn_vec2 at_m;
    cairn_vec2 normal; // unit, the way in which the first must go to get free of the second
    double gap_m;      // between them along the normal; negative: they overlap
} cairn_rect_contact;

// Whether two rectangles are nearer than gap_m_max, by separating axes: near two corners the gap comes out
// smaller than it is. O(1).
CAIRN_CHECKED bool cairn_rects_touch(const cairn_rect *first, const cairn_rect *second, double gap_m_max,
                                     cairn_rect_contact *ret_contact);

// A box seen from above, by the reach of its corners along its own heading: exact while it is upright.
cairn_rect cairn_rect_of_box(cairn_pose3 map_T_box, cairn_vec3 half_m);
double cairn_box_half_z_m(cairn_pose3 map_T_box, cairn_vec3 half_m); // it reaches so far above and below its middle

typedef struct cairn_obstacle {
    cairn_rect rect; // of ground: of its upper face
    double bottom_m, top_m;
    uint32_t thing;            // the first solid of the wall, box or victim that this is part of
    const cairn_solid *ground; // to be driven on where it can be climbed (planar_ground.h); NULL for all else
} cairn_obstacle;

cairn_obstacle cairn_obstacle_of(const cairn_solid *solid, cairn_pose3 map_T_box, uint32_t thing);

// All solids that do not move, found by place: squares of 1 m with the obstacles that reach into each.
typedef struct cairn_obstacle_index {
    cairn_obstacle *obstacles;
    uint32_t obstacle_count;
    cairn_vec2 origin_m;
    uint32_t columns, rows;
    uint32_t *starts; // of each square in members; one more at the end
    uint32_t *members;
    size_t member_count;
} cairn_obstacle_index;

// Takes its memory from the arena: cairn_obstacle_index_bytes() are enough.
size_t cairn_obstacle_index_bytes(const cairn_sim_arena *arena);
CAIRN_CHECKED cairn_err cairn_obstacle_index_create(const cairn_sim_arena *arena, cairn_arena *memory,
                                                    cairn_obstacle_index *ret_index);

// Calls for every obstacle that may be within reach_m of a point, in a fixed order, some more than once.
typedef void (*cairn_obstacle_fn)(void *context, const cairn_obstacle *obstacle);
void cairn_obstacle_index_visit(const cairn_obstacle_index *index, cairn_vec2 at_m, double reach_m,
                                cairn_obstacle_fn visit, void *context);
