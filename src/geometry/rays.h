// rays.h - rays against grids and boxes.
#pragma once
#include "geometry/pose3.h"
#include <stdbool.h>
#include <stdint.h>

// Walks the cells that a segment crosses, in order, the first and the last included (Amanatides & Woo
// 1987); rounding can neither miss the last cell nor pass it. Cells are squares of cell_m with the corner of (0,0) at
// origin. Corners are crossed one axis at a time, so neighbouring cells share an edge. The number of cells is fixed by
// the two end cells.
typedef struct cairn_grid_walk {
    int32_t x, y;         // the current cell
    int32_t end_x, end_y; // the last cell
    int32_t steps_left;
    int32_t step_x, step_y;
    double next_x, next_y;   // ray parameter [-] of the next border on each axis
    double delta_x, delta_y; // ray parameter [-] from border to border
} cairn_grid_walk;

void cairn_grid_walk_start(cairn_grid_walk *walk, cairn_vec2 origin_m, double cell_m, cairn_vec2 from_m,
                           cairn_vec2 to_m); // ends less than 1e9 cells from the origin
// False when the last cell was the current one. O(1).
static inline bool cairn_grid_walk_next(cairn_grid_walk *walk)
{
    if (walk->steps_left == 0) { return false; }
    walk->steps_left--;
    if (walk->next_x < walk->next_y) {
        walk->x += walk->step_x;
        walk->next_x = walk->x == walk->end_x ? INFINITY : walk->next_x + walk->delta_x;
    } else {
        walk->y += walk->step_y;
        walk->next_y = walk->y == walk->end_y ? INFINITY : walk->next_y + walk->delta_y;
    }
    return true;
}

// Distance along a unit direction to the first touch, from outside or inside (0 when inside); negative if
// never. half: half the edge lengths.
double cairn_ray_box2(cairn_vec2 from_m, cairn_vec2 direction, cairn_pose2 map_T_box, cairn_vec2 half_m);
double cairn_ray_box3(cairn_vec3 from_m, cairn_vec3 direction, cairn_pose3 map_T_box, cairn_vec3 half_m);
// The same in the box's own axes, from its middle: for many rays that leave from one place.
double cairn_ray_box3_local(cairn_vec3 from_m, cairn_vec3 direction, cairn_vec3 half_m);
double cairn_ray_circle(cairn_vec2 from_m, cairn_vec2 direction, cairn_vec2 centre_m, double radius_m);
// Distance from a point to an oriented rectangle: 0 inside.
double cairn_box2_distance(cairn_vec2 point_m, cairn_pose2 map_T_box, cairn_vec2 half_m);
