// way.c - ways from prices, straightened and cut into via-points.
//
// A way is found by going down the prices from the goal: the cell before is the one whose price and step add up
// exactly. Among equals the last direction is kept, then straight steps win, in a fixed order.
// Straightening weighs a line by the integral of the price along it, the same measure for the line and for the stretch
// that it would replace, and gallops: it tries twice as far as the last success and half as far as the last failure.
#include "geometry/rays.h"
#include "planning/reach.h"

typedef struct direction {
    int32_t x, y;
} direction;

static const direction DIRECTIONS[8] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static bool is_inside(const cairn_cost_grid *grid, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && (uint32_t)x < grid->width && (uint32_t)y < grid->height;
}

static bool is_open(const cairn_cost_grid *grid, uint32_t x, uint32_t y)
{
    return grid->cost[y * grid->width + x] != CAIRN_COST_BLOCKED;
}

// Whether the cheapest way to `cell` can have come from its neighbour in this direction.
static bool came_from(const cairn_reach *reach, uint32_t cell, direction d, uint32_t *ret_before)
{
    const cairn_cost_grid *grid = reach->grid;
    const uint32_t x = cell % grid->width, y = cell / grid->width;
    const uint32_t before_x = x + (uint32_t)d.x, before_y = y + (uint32_t)d.y; // -1 wraps to a value over any size
    if (before_x >= grid->width || before_y >= grid->height) { return false; }
    const uint32_t before = before_y * grid->width + before_x;
    const bool diagonal = d.x != 0 && d.y != 0;
    if (reach->price[before] == CAIRN_REACH_NEVER) { return false; }
    if (reach->price[before] + (diagonal ? 14u : 10u) * grid->cost[cell] != reach->price[cell]) { return false; }
    if (diagonal && !(is_open(grid, before_x, y) && is_open(grid, x, before_y))) { return false; }
    *ret_before = before;
    return true;
}

// The cell before this one on the way from the source; *kept is the direction to try first.
static uint32_t step_back(const cairn_reach *reach, uint32_t cell, uint32_t *kept)
{
    uint32_t before;
    if (came_from(reach, cell, DIRECTIONS[*kept], &before)) { return before; }
    for (uint32_t i = 0; i < 8; i++) {
        if (came_from(reach, cell, DIRECTIONS[i], &before)) {
            *kept = i;
            return before;
        }
    }
    CAIRN_ASSERT(!"a reached cell has a cell before it");
    return cell;
}

static double length_of(const cairn_vec2 *points_m, uint32_t count)
{
    double length_m = 0;
    for (uint32_t i = 1; i < count; i++) { length_m += cairn_vec2_distance(points_m[i - 1], points_m[i]); }
    return length_m;
}

cairn_err cairn_reach_way(const cairn_reach *reach, uint32_t goal_cell, cairn_arena *arena, cairn_way *ret_way)
{
    CAIRN_ASSERT(goal_cell < reach->grid->width * reach->grid->height);
    if (reach->price[goal_cell] == CAIRN_REACH_NEVER) { return CAIRN_ERR_NOT_FOUND; }
    uint32_t count = 1, kept = 0;
    for (uint32_t cell = goal_cell; cell != reach->source_cell; count++) { cell = step_back(reach, cell, &kept); }
    cairn_vec2 *points_m = CAIRN_TAKE(arena, cairn_vec2, count);
    if (!points_m) { return CAIRN_ERR_FULL; }

    kept = 0;
    uint32_t cell = goal_cell;
    for (uint32_t i = count; i-- > 0;) {
        points_m[i] = cairn_cost_grid_centre_of(reach->grid, cell);
        if (i > 0) { cell = step_back(reach, cell, &kept); }
    }
    *ret_way = (cairn_way){.point_count = count, .points_m = points_m, .length_m = length_of(points_m, count)};
    return CAIRN_OK;
}

// Whether a walk is about to pass through a corner of a blocked cell. Rounding decides which of the two cells beside
// the corner a walk visits, so both are looked at. Both lie between the ends of the walk, so within the grid.
static bool squeezes_past(const cairn_cost_grid *grid, const cairn_grid_walk *walk)
{
    const double tie = 1e-9; // of the line's length
    if (!(fabs(walk->next_x - walk->next_y) < tie)) { return false; }
    return !is_open(grid, (uint32_t)(walk->x + walk->step_x), (uint32_t)walk->y) ||
           !is_open(grid, (uint32_t)walk->x, (uint32_t)(walk->y + walk->step_y));
}

// The integral of the price along a line, in metres times price; infinite if it touches a blocked cell or leaves the
// grid. O(cells crossed).
static double line_cost(const cairn_cost_grid *grid, cairn_vec2 from_m, cairn_vec2 to_m)
{
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, grid->origin_m, grid->cell_m, from_m, to_m);
    if (!is_inside(grid, walk.x, walk.y) || !is_inside(grid, walk.end_x, walk.end_y)) { return INFINITY; }
    double cost = 0, entered = 0;
    for (bool more = true; more;) {
        const uint8_t price = grid->cost[(uint32_t)walk.y * grid->width + (uint32_t)walk.x];
        if (price == CAIRN_COST_BLOCKED) { return INFINITY; }
        if (squeezes_past(grid, &walk)) { return INFINITY; }
        const double left = fmin(1.0, fmin(walk.next_x, walk.next_y));
        cost += price * (left - entered);
        entered = left;
        more = cairn_grid_walk_next(&walk);
    }
    return cost * cairn_vec2_distance(from_m, to_m);
}

// Whether points first and last can be joined by a line that costs no more than what lies between them. Rounding of
// sums over hundreds of cells is far below the slack.
static bool can_join(const cairn_cost_grid *grid, const cairn_way *way, uint32_t first, uint32_t last)
{
    const double slack = 1e-9;
    const double line = line_cost(grid, way->points_m[first], way->points_m[last]);
    if (line == INFINITY) { return false; }
    double stretch = 0;
    for (uint32_t i = first; i < last && stretch < line; i++) {
        stretch += line_cost(grid, way->points_m[i], way->points_m[i + 1]);
    }
    return line <= stretch * (1 + slack);
}

// The farthest point found that can be joined with `first`.
static uint32_t gallop(const cairn_cost_grid *grid, const cairn_way *way, uint32_t first)
{
    const uint32_t end = way->point_count - 1;
    uint32_t reached = first + 1;
    for (uint32_t stride = 1; stride > 0 && reached < end;) {
        const uint32_t next = end - reached < stride ? end : reached + stride;
        if (can_join(grid, way, first, next)) {
            reached = next;
            stride *= 2;
        } else {
            stride /= 2;
        }
    }
    return reached;
}

void cairn_way_smooth(const cairn_cost_grid *grid, cairn_way *way)
{
    if (way->point_count < 3) { return; }
    uint32_t kept = 1;
    for (uint32_t at = 0; at + 1 < way->point_count;) {
        at = gallop(grid, way, at);
        way->points_m[kept++] = way->points_m[at];
    }
    way->point_count = kept;
    way->length_m = length_of(way->points_m, kept);
}

void cairn_way_cut(cairn_way *way, double length_m)
{
    double before_m = 0;
    for (uint32_t i = 1; i < way->point_count; i++) {
        const cairn_vec2 from = way->points_m[i - 1], along = cairn_vec2_sub(way->points_m[i], from);
        const double piece_m = cairn_vec2_length(along), left_m = length_m - before_m;
        if (piece_m > left_m) {
            if (left_m > 0) { way->points_m[i] = cairn_vec2_add(from, cairn_vec2_scale(along, left_m / piece_m)); }
            way->point_count = left_m > 0 ? i + 1 : i;
            break;
        }
        before_m += piece_m;
    }
    way->length_m = length_of(way->points_m, way->point_count);
}

uint32_t cairn_way_resample(const cairn_way *way, double spacing_m, cairn_vec2 *ret_points_m, uint32_t count_max)
{
    CAIRN_ASSERT(spacing_m > 0);
    uint32_t count = 0;
    for (uint32_t i = 1; i < way->point_count; i++) {
        const cairn_vec2 from = way->points_m[i - 1], to = way->points_m[i];
        const uint32_t pieces = (uint32_t)fmax(1.0, ceil(cairn_vec2_distance(from, to) / spacing_m));
        for (uint32_t k = 1; k <= pieces && count < count_max; k++) {
            const cairn_vec2 part = cairn_vec2_scale(cairn_vec2_sub(to, from), (double)k / pieces);
            ret_points_m[count++] = k == pieces ? to : cairn_vec2_add(from, part);
        }
    }
    return count;
}
