// fences.c - polygons drawn into grids row by row: which cells lie inside follows from where a row crosses the edges.
#include "planning/fences.h"
#include <math.h>
#include <string.h>

#define CORNER_M_MAX 1e5

static cairn_vec2 corner(const cairn_fence *fence, uint32_t at) { return fence->corners_m[at % fence->corner_count]; }

// Twice the area of a triangle: above 0 when c lies to the left of a..b.
static double side_of(cairn_vec2 a, cairn_vec2 b, cairn_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double away_m(cairn_vec2 at_m, cairn_vec2 a, cairn_vec2 b)
{
    const cairn_vec2 edge = cairn_vec2_sub(b, a);
    const double length2 = cairn_vec2_dot(edge, edge);
    const double part = length2 > 0 ? cairn_vec2_dot(cairn_vec2_sub(at_m, a), edge) / length2 : 0;
    return cairn_vec2_distance(at_m, cairn_vec2_add(a, cairn_vec2_scale(edge, fmin(fmax(part, 0), 1))));
}

static bool touch(cairn_vec2 a, cairn_vec2 b, cairn_vec2 c, cairn_vec2 d)
{
    const double c_side = side_of(a, b, c), d_side = side_of(a, b, d);
    const double a_side = side_of(c, d, a), b_side = side_of(c, d, b);
    if (c_side * d_side < 0 && a_side * b_side < 0) { return true; }
    return away_m(c, a, b) == 0 || away_m(d, a, b) == 0 || away_m(a, c, d) == 0 || away_m(b, c, d) == 0;
}

static bool crosses_itself(const cairn_fence *fence)
{
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        if (away_m(corner(fence, i + 2), corner(fence, i), corner(fence, i + 1)) == 0) { return true; } // folded back
        for (uint32_t k = i + 2; k < fence->corner_count; k++) {
            if (i == 0 && k + 1 == fence->corner_count) { continue; } // neighbours
            if (touch(corner(fence, i), corner(fence, i + 1), corner(fence, k), corner(fence, k + 1))) { return true; }
        }
    }
    return false;
}

const char *cairn_fence_trouble(const cairn_fence *fence)
{
    double area2 = 0;
    if (fence->corner_count < CAIRN_FENCE_CORNERS_MIN) { return "has too few corners; expected 3 to 16"; }
    if (fence->corner_count > CAIRN_FENCE_CORNERS_MAX) { return "has too many corners; expected 3 to 16"; }
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        const cairn_vec2 at = corner(fence, i), next = corner(fence, i + 1);
        if (!(fabs(at.x) <= CORNER_M_MAX && fabs(at.y) <= CORNER_M_MAX)) { return "has a corner that is nowhere"; }
        if (at.x == next.x && at.y == next.y) { return "has the same corner twice in a row"; }
        area2 += at.x * next.y - at.y * next.x;
    }
    if (crosses_itself(fence)) { return "has edges that touch or cross; name the corners in order around it"; }
    return area2 == 0 ? "holds no ground: its corners lie on a line" : NULL;
}

cairn_fence cairn_fence_moved(const cairn_fence *fence, cairn_pose2 new_T_old)
{
    cairn_fence moved = *fence;
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        moved.corners_m[i] = cairn_pose2_apply(new_T_old, fence->corners_m[i]);
    }
    return moved;
}

// Where an edge crosses a row, if it does: corners on the row belong to the upper edge only.
static bool crosses_row(cairn_vec2 a, cairn_vec2 b, double y_m, double *ret_x_m)
{
    if ((a.y <= y_m) == (b.y <= y_m)) { return false; }
    *ret_x_m = a.x + (y_m - a.y) / (b.y - a.y) * (b.x - a.x);
    return true;
}

bool cairn_fence_holds(const cairn_fence *fence, cairn_vec2 at_m)
{
    bool inside = false;
    double x_m = 0;
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        if (crosses_row(corner(fence, i), corner(fence, i + 1), at_m.y, &x_m)) { inside ^= at_m.x < x_m; }
    }
    return inside;
}

bool cairn_fences_allow(const cairn_fences *fences, cairn_vec2 at_m)
{
    bool kept_in = false, in_one = false;
    for (uint32_t i = 0; i < fences->count; i++) {
        const bool holds = cairn_fence_holds(&fences->fences[i], at_m);
        if (fences->fences[i].kind == CAIRN_FENCE_KEEP_OUT && holds) { return false; }
        kept_in |= fences->fences[i].kind == CAIRN_FENCE_KEEP_IN;
        in_one |= fences->fences[i].kind == CAIRN_FENCE_KEEP_IN && holds;
    }
    return !kept_in || in_one;
}

// The first cell whose centre is not below this, of an axis of so many.
static uint32_t first_from(double at_m, double origin_m, double cell_m, uint32_t size)
{
    return (uint32_t)fmin(fmax(ceil((at_m - origin_m) / cell_m - 0.5), 0), size);
}

// Where a row crosses the edges, in order.
static uint32_t cross_row(const cairn_fence *fence, double y_m, double ret_x_m[CAIRN_FENCE_CORNERS_MAX])
{
    uint32_t count = 0;
    double x_m = 0;
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        if (!crosses_row(corner(fence, i), corner(fence, i + 1), y_m, &x_m)) { continue; }
        uint32_t at = count++;
        for (; at > 0 && ret_x_m[at - 1] > x_m; at--) { ret_x_m[at] = ret_x_m[at - 1]; }
        ret_x_m[at] = x_m;
    }
    return count;
}

static void fill(const cairn_fence *fence, const cairn_cost_grid *grid, uint8_t mark, uint8_t *marks)
{
    double x_m[CAIRN_FENCE_CORNERS_MAX];
    for (uint32_t y = 0; y < grid->height; y++) {
        const uint32_t count = cross_row(fence, grid->origin_m.y + (y + 0.5) * grid->cell_m, x_m);
        for (uint32_t i = 0; i + 1 < count; i += 2) {
            const uint32_t from = first_from(x_m[i], grid->origin_m.x, grid->cell_m, grid->width);
            const uint32_t to = first_from(x_m[i + 1], grid->origin_m.x, grid->cell_m, grid->width);
            if (to > from) { memset(marks + (size_t)y * grid->width + from, mark, to - from); }
        }
    }
}

// Of the cells within the margin of the border, those that are marked so are marked anew.
static void mark_border(const cairn_fence *fence, const cairn_cost_grid *grid, double margin_m, uint8_t from_mark,
                        uint8_t to_mark, uint8_t *marks)
{
    const cairn_vec2 origin = grid->origin_m;
    for (uint32_t i = 0; i < fence->corner_count; i++) {
        const cairn_vec2 a = corner(fence, i), b = corner(fence, i + 1);
        const uint32_t x0 = first_from(fmin(a.x, b.x) - margin_m, origin.x, grid->cell_m, grid->width);
        const uint32_t x1 = first_from(fmax(a.x, b.x) + margin_m, origin.x, grid->cell_m, grid->width);
        const uint32_t y0 = first_from(fmin(a.y, b.y) - margin_m, origin.y, grid->cell_m, grid->height);
        const uint32_t y1 = first_from(fmax(a.y, b.y) + margin_m, origin.y, grid->cell_m, grid->height);
        for (uint32_t y = y0; y < y1; y++) {
            for (uint32_t x = x0; x < x1; x++) {
                uint8_t *mark = &marks[(size_t)y * grid->width + x];
                const cairn_vec2 at_m = {origin.x + (x + 0.5) * grid->cell_m, origin.y + (y + 0.5) * grid->cell_m};
                if (*mark == from_mark && away_m(at_m, a, b) < margin_m) { *mark = to_mark; }
            }
        }
    }
}

static void mark_keep_out(const cairn_fence *fence, const cairn_cost_grid *grid, double margin_m, uint8_t *marks)
{
    fill(fence, grid, CAIRN_FENCE_MARK_BEYOND, marks);
    mark_border(fence, grid, margin_m, CAIRN_FENCE_MARK_NONE, CAIRN_FENCE_MARK_NEAR, marks);
}

enum { OUTSIDE, INSIDE_NEAR, INSIDE }; // of one area to keep in; of several the greatest counts

static void mark_keep_in(const cairn_fences *fences, const cairn_cost_grid *grid, double margin_m, uint8_t *one,
                         uint8_t *best, uint8_t *marks)
{
    const size_t cells = (size_t)grid->width * grid->height;
    bool any = false;
    memset(best, OUTSIDE, cells);
    for (uint32_t i = 0; i < fences->count; i++) {
        const cairn_fence *fence = &fences->fences[i];
        if (fence->kind != CAIRN_FENCE_KEEP_IN) { continue; }
        any = true;
        memset(one, OUTSIDE, cells);
        fill(fence, grid, INSIDE, one);
        mark_border(fence, grid, margin_m, INSIDE, INSIDE_NEAR, one);
        for (size_t cell = 0; cell < cells; cell++) { best[cell] = best[cell] > one[cell] ? best[cell] : one[cell]; }
    }
    for (size_t cell = 0; any && cell < cells; cell++) {
        const uint8_t mark = (uint8_t)(INSIDE - best[cell]);
        marks[cell] = marks[cell] > mark ? marks[cell] : mark;
    }
}

cairn_err cairn_fences_mark(const cairn_fences *fences, const cairn_cost_grid *grid, double margin_m,
                            cairn_arena *arena, uint8_t **ret_marks)
{
    _Static_assert(INSIDE - OUTSIDE == CAIRN_FENCE_MARK_BEYOND && INSIDE - INSIDE_NEAR == CAIRN_FENCE_MARK_NEAR, "");
    CAIRN_ASSERT(fences->count <= CAIRN_FENCES_MAX && margin_m >= 0);
    *ret_marks = NULL;
    if (fences->count == 0) { return CAIRN_OK; }
    const size_t before = cairn_arena_mark(arena), cells = (size_t)grid->width * grid->height;
    uint8_t *marks = CAIRN_TAKE(arena, uint8_t, cells);
    const size_t kept = cairn_arena_mark(arena);
    uint8_t *one = CAIRN_TAKE(arena, uint8_t, cells), *best = CAIRN_TAKE(arena, uint8_t, cells);
    if (marks == NULL || one == NULL || best == NULL) {
        cairn_arena_reset(arena, before);
        return CAIRN_ERR_FULL;
    }
    memset(marks, CAIRN_FENCE_MARK_NONE, cells);
    mark_keep_in(fences, grid, margin_m, one, best, marks);
    for (uint32_t i = 0; i < fences->count; i++) {
        if (fences->fences[i].kind == CAIRN_FENCE_KEEP_OUT) {
            mark_keep_out(&fences->fences[i], grid, margin_m, marks);
        }
    }
    cairn_arena_reset(arena, kept);
    *ret_marks = marks;
    return CAIRN_OK;
}

void cairn_fences_close(const uint8_t *marks, cairn_vec2 robot_m, cairn_cost_grid *grid, uint8_t *ground)
{
    uint32_t robot_cell = 0;
    if (marks == NULL) { return; }
    const bool is_beyond =
        cairn_cost_grid_cell_of(grid, robot_m, &robot_cell) && marks[robot_cell] == CAIRN_FENCE_MARK_BEYOND;
    for (uint32_t cell = 0; cell < grid->width * grid->height; cell++) {
        if (marks[cell] == CAIRN_FENCE_MARK_NONE) { continue; }
        grid->cost[cell] = CAIRN_COST_BLOCKED;
        if (marks[cell] != CAIRN_FENCE_MARK_BEYOND) { continue; }
        if (!is_beyond) { grid->clearance_m[cell] = 0; }
        if (ground != NULL) { ground[cell] = CAIRN_GROUND_OBSTACLE; }
    }
}
