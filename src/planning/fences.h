// fences.h - where robots may be: areas to keep in, areas to keep out of. People call them areas; so do files and
// pages.
//
// A place is allowed when it lies in one of the areas to keep in, if there are any, and in none to keep out of.
// Frame    whatever the corners are in: the map's on the station, the private one on a robot.
#pragma once
#include "planning/cost_grid.h"

#define CAIRN_FENCES_MAX 8
#define CAIRN_FENCE_CORNERS_MIN 3
#define CAIRN_FENCE_CORNERS_MAX 16

// Numbers are on the air: never renumber.
typedef enum cairn_fence_kind { CAIRN_FENCE_KEEP_IN = 0, CAIRN_FENCE_KEEP_OUT = 1 } cairn_fence_kind;

typedef struct cairn_fence {
    cairn_fence_kind kind;
    uint32_t corner_count; // CAIRN_FENCE_CORNERS_MIN..MAX, in order around it, either way; edges do not cross
    cairn_vec2 corners_m[CAIRN_FENCE_CORNERS_MAX];
} cairn_fence;

typedef struct cairn_fences {
    uint32_t count; // 0: everything is allowed
    cairn_fence fences[CAIRN_FENCES_MAX];
} cairn_fences;

// NULL when it is one; or what is wrong with it, in words: too few or too many corners, edges that touch or cross, no
// numbers. O(corners^2).
const char *cairn_fence_trouble(const cairn_fence *fence);
// The same corners in another frame.
cairn_fence cairn_fence_moved(const cairn_fence *fence, cairn_pose2 new_T_old);
// Whether a point lies inside. O(corners).
bool cairn_fence_holds(const cairn_fence *fence, cairn_vec2 at_m);
bool cairn_fences_allow(const cairn_fences *fences, cairn_vec2 at_m);

typedef enum cairn_fence_mark {
    CAIRN_FENCE_MARK_NONE,  // allowed
    CAIRN_FENCE_MARK_NEAR,  // allowed, but nearer to the border than the margin
    CAIRN_FENCE_MARK_BEYOND // not allowed
} cairn_fence_mark;

// Marks the cells of a grid by their centres. Marks come from the arena, a byte a cell, and two more during the call;
// NULL in *ret_marks when there are no fences. CAIRN_ERR_FULL: the arena is too small, and is as it was. O(cells), and
// the borders' length times margin_m / cell_m in cells.
CAIRN_CHECKED cairn_err cairn_fences_mark(const cairn_fences *fences, const cairn_cost_grid *grid, double margin_m,
                                          cairn_arena *arena, uint8_t **ret_marks);
// Closes the marked cells for ways. Those beyond count as obstacles then, which cairn_cost_grid_open_disc does not
// open; unless the robot stands beyond itself, which must get out. In ground, of as many cells, those beyond become
// obstacles, so that nothing is to be found there; NULL: not wanted. marks NULL: nothing is closed. O(cells).
void cairn_fences_close(const uint8_t *marks, cairn_vec2 robot_m, cairn_cost_grid *grid, uint8_t *ground);
