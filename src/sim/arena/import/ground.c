#include "sim/arena/import/ground.h"
#include "geometry/rays.h"
#include "maps/distance.h"
#include "sim/arena/import/relief.h"
#include <math.h>
#include <string.h>

#define ROBOT_HIGH_M 0.5 // what hangs higher is not in the way
// As wide as arena_solids.c makes people and their boxes.
#define PERSON_DEEP_M 0.28
#define PERSON_WIDE_M 0.40
#define PERSON_BOX_M 0.64
// Walls become longer where they meet others, by half their thickness; those that do are thin.
#define WALL_LONGER_M_MAX 0.03
// Wide enough that no step of one cell goes through a wall, whatever its heading.
#define POINT_RADIUS_M 0.06
#define INSIDE_PART_MIN 4 // a quarter
// A disc that does not fit through openings of 1.2 m, and how far behind walls, at most, it leaves ground outside.
#define DOORWAY_RADIUS_M 0.62
#define DEEP_M 0.95

cairn_err cairn_ground_create(cairn_vec2 size_m, const uint8_t *inside, cairn_arena *memory,
                              cairn_import_ground *ret_ground)
{
    const uint32_t width = (uint32_t)ceil(size_m.x / CAIRN_GROUND_CELL_M);
    const uint32_t height = (uint32_t)ceil(size_m.y / CAIRN_GROUND_CELL_M);
    const size_t count = (size_t)width * height;
    cairn_import_ground ground = {.width = width,
                                  .height = height,
                                  .inside = inside,
                                  .blocked = CAIRN_TAKE(memory, uint8_t, count),
                                  .reached = CAIRN_TAKE(memory, uint8_t, count),
                                  .queue = CAIRN_TAKE(memory, uint32_t, count)};
    if (ground.blocked == NULL || ground.reached == NULL || ground.queue == NULL) { return CAIRN_ERR_FULL; }
    *ret_ground = ground;
    return CAIRN_OK;
}

cairn_footprint cairn_footprint_of_wall(const cairn_sim_wall *wall)
{
    const cairn_vec2 along_m = cairn_vec2_sub(wall->to_m, wall->from_m);
    const cairn_vec2 middle_m = cairn_vec2_scale(cairn_vec2_add(wall->from_m, wall->to_m), 0.5);
    const double longer_m = fmin(wall->thickness_m / 2, WALL_LONGER_M_MAX);
    return (cairn_footprint){{middle_m.x, middle_m.y, atan2(along_m.y, along_m.x)},
                             {cairn_vec2_length(along_m) / 2 + longer_m, wall->thickness_m / 2}};
}

cairn_footprint cairn_footprint_of_box(const cairn_sim_box *box)
{
    return (cairn_footprint){box->map_T_box, {box->size_m.x / 2, box->size_m.y / 2}};
}

cairn_footprint cairn_footprint_of_ramp(const cairn_sim_ramp *ramp)
{
    return (cairn_footprint){ramp->map_T_ramp, {ramp->length_m / 2, ramp->width_m / 2}};
}

cairn_footprint cairn_footprint_of_victim(const cairn_sim_victim *victim)
{
    if (victim->hangs) {
        return (cairn_footprint){victim->map_T_victim, {CAIRN_HUNG_BOX_DEEP_M / 2, CAIRN_HUNG_BOX_WIDE_M / 2}};
    }
    const cairn_vec2 half_m = victim->boxed ? (cairn_vec2){PERSON_BOX_M / 2, PERSON_BOX_M / 2}
                                            : (cairn_vec2){PERSON_DEEP_M / 2, PERSON_WIDE_M / 2};
    return (cairn_footprint){victim->map_T_victim, half_m};
}

// Whether b lies wholly beyond one of a's four sides.
static bool apart_along(const cairn_footprint *a, const cairn_footprint *b)
{
    const cairn_pose2 a_T_b = cairn_pose2_between(a->map_T_middle, b->map_T_middle);
    const double c = fabs(cos(a_T_b.yaw_rad)), s = fabs(sin(a_T_b.yaw_rad));
    return fabs(a_T_b.x_m) > a->half_m.x + c * b->half_m.x + s * b->half_m.y ||
           fabs(a_T_b.y_m) > a->half_m.y + s * b->half_m.x + c * b->half_m.y;
}

bool cairn_footprints_overlap(const cairn_footprint *a, const cairn_footprint *b)
{
    return !apart_along(a, b) && !apart_along(b, a);
}

cairn_vec2 cairn_ground_middle_m(const cairn_import_ground *ground, uint32_t cell)
{
    CAIRN_ASSERT(ground->width > 0);
    const double x = cell % ground->width, y = floor((double)cell / ground->width);
    return (cairn_vec2){(x + 0.5) * CAIRN_GROUND_CELL_M, (y + 0.5) * CAIRN_GROUND_CELL_M};
}

uint32_t cairn_ground_cell(const cairn_import_ground *ground, cairn_vec2 at_m)
{
    const double x = floor(at_m.x / CAIRN_GROUND_CELL_M), y = floor(at_m.y / CAIRN_GROUND_CELL_M);
    if (!(x >= 0 && y >= 0 && x < ground->width && y < ground->height)) { return UINT32_MAX; }
    return (uint32_t)y * ground->width + (uint32_t)x;
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

void cairn_ground_block_one(cairn_import_ground *ground, const cairn_footprint *what, double radius_m)
{
    const cairn_pose2 at = what->map_T_middle;
    const double c = fabs(cos(at.yaw_rad)), s = fabs(sin(at.yaw_rad));
    const double wide_m = c * what->half_m.x + s * what->half_m.y + radius_m;
    const double tall_m = s * what->half_m.x + c * what->half_m.y + radius_m;
    const uint32_t x_end = clamp_cell((at.x_m + wide_m) / CAIRN_GROUND_CELL_M + 1, ground->width);
    const uint32_t y_end = clamp_cell((at.y_m + tall_m) / CAIRN_GROUND_CELL_M + 1, ground->height);
    for (uint32_t y = clamp_cell((at.y_m - tall_m) / CAIRN_GROUND_CELL_M, ground->height); y < y_end; y++) {
        for (uint32_t x = clamp_cell((at.x_m - wide_m) / CAIRN_GROUND_CELL_M, ground->width); x < x_end; x++) {
            const uint32_t cell = y * ground->width + x;
            if (ground->blocked[cell]) { continue; }
            ground->blocked[cell] =
                cairn_box2_distance(cairn_ground_middle_m(ground, cell), at, what->half_m) < radius_m;
        }
    }
}

static void block_edges(cairn_import_ground *ground, cairn_vec2 size_m, double radius_m)
{
    for (uint32_t cell = 0; cell < ground->width * ground->height; cell++) {
        const cairn_vec2 at_m = cairn_ground_middle_m(ground, cell);
        ground->blocked[cell] = fmin(fmin(at_m.x, size_m.x - at_m.x), fmin(at_m.y, size_m.y - at_m.y)) < radius_m ||
                                (ground->inside != NULL && !ground->inside[cell]);
    }
}

void cairn_ground_block(cairn_import_ground *ground, const cairn_draft *draft, double radius_m, bool relief_too)
{
    block_edges(ground, draft->size_m, radius_m);
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_footprint what = cairn_footprint_of_wall(&draft->walls[i]);
        cairn_ground_block_one(ground, &what, radius_m);
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        const cairn_footprint what = cairn_footprint_of_box(&draft->boxes[i]);
        cairn_ground_block_one(ground, &what, radius_m);
    }
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        if (draft->victims[i].foot_m >= ROBOT_HIGH_M) { continue; }
        const cairn_footprint what = cairn_footprint_of_victim(&draft->victims[i]);
        cairn_ground_block_one(ground, &what, radius_m);
    }
    for (uint32_t i = 0; relief_too && i < cairn_relief_count(draft); i++) {
        const cairn_footprint what = cairn_relief_footprint(draft, i);
        cairn_ground_block_one(ground, &what, radius_m);
    }
}

static void visit(cairn_import_ground *ground, uint32_t cell)
{
    if (ground->blocked[cell] || ground->reached[cell]) { return; }
    ground->reached[cell] = 1;
    ground->queue[ground->reached_count++] = cell;
}

static void spread(cairn_import_ground *ground, uint32_t from)
{
    const uint32_t width = ground->width;
    CAIRN_ASSERT(width > 0);
    ground->reached_count = 0;
    visit(ground, from);
    for (uint32_t next = 0; next < ground->reached_count; next++) {
        const uint32_t cell = ground->queue[next], x = cell % width, y = cell / width;
        if (x > 0) { visit(ground, cell - 1); }
        if (x + 1 < width) { visit(ground, cell + 1); }
        if (y > 0) { visit(ground, cell - width); }
        if (y + 1 < ground->height) { visit(ground, cell + width); }
    }
}

void cairn_ground_flood(cairn_import_ground *ground, uint32_t from)
{
    memset(ground->reached, 0, (size_t)ground->width * ground->height);
    spread(ground, from);
}

uint32_t cairn_ground_largest(cairn_import_ground *ground)
{
    memset(ground->reached, 0, (size_t)ground->width * ground->height);
    uint32_t best = UINT32_MAX, best_count = 0;
    for (uint32_t cell = 0; cell < ground->width * ground->height; cell++) {
        if (ground->blocked[cell] || ground->reached[cell]) { continue; }
        spread(ground, cell);
        if (ground->reached_count > best_count) {
            best_count = ground->reached_count;
            best = cell;
        }
    }
    if (best != UINT32_MAX) { cairn_ground_flood(ground, best); }
    return best;
}

cairn_err cairn_ground_inside_cells(const cairn_draft *draft, const cairn_cells *cells, cairn_arena *memory,
                                    uint8_t **ret_inside)
{
    cairn_import_ground ground;
    if (cairn_ground_create(draft->size_m, NULL, memory, &ground) != CAIRN_OK) { return CAIRN_ERR_FULL; }
    for (uint32_t cell = 0; cell < ground.width * ground.height; cell++) {
        const cairn_vec2 at_m = cairn_ground_middle_m(&ground, cell);
        const uint32_t x = (uint32_t)(at_m.x / cells->cell_m), y = (uint32_t)(at_m.y / cells->cell_m);
        ground.reached[cell] =
            x < cells->width && y < cells->height && cells->kinds[(size_t)y * cells->width + x] == CAIRN_CELL_FREE;
    }
    *ret_inside = ground.reached;
    return CAIRN_OK;
}

// Reaches what a disc gets to from the edge of the floor.
static void flood_from_edge(cairn_import_ground *ground, const cairn_draft *draft, double radius_m)
{
    const uint32_t width = ground->width, height = ground->height;
    CAIRN_ASSERT(width > 0);
    cairn_ground_block(ground, draft, radius_m, false);
    memset(ground->reached, 0, (size_t)width * height);
    const uint32_t rim = (uint32_t)ceil(radius_m / CAIRN_GROUND_CELL_M);
    for (uint32_t cell = 0; cell < width * height; cell++) {
        const uint32_t x = cell % width, y = cell / width;
        const bool at_edge = x <= rim || y <= rim || x + rim + 1 >= width || y + rim + 1 >= height;
        if (at_edge && !ground->blocked[cell] && !ground->reached[cell]) { spread(ground, cell); }
    }
}

static bool is_large(const cairn_import_ground *ground, uint32_t cell_count)
{
    return cell_count >= ground->width * ground->height / INSIDE_PART_MIN;
}

// What lies further from the outside than a disc comes that does not fit through doorways.
static cairn_err keep_deep(cairn_import_ground *ground, const cairn_draft *draft, cairn_arena *memory)
{
    const size_t count = (size_t)ground->width * ground->height, mark = cairn_arena_mark(memory);
    float *from_outside = CAIRN_TAKE(memory, float, count);
    if (from_outside == NULL) { return CAIRN_ERR_FULL; }
    flood_from_edge(ground, draft, DOORWAY_RADIUS_M);
    const cairn_err err = cairn_distance_transform(ground->reached, ground->width, ground->height,
                                                   (float)(2 * DEEP_M / CAIRN_GROUND_CELL_M), memory, from_outside);
    if (err != CAIRN_OK) { return err; }
    uint32_t deep = 0;
    for (size_t cell = 0; cell < count; cell++) {
        ground->reached[cell] = from_outside[cell] * CAIRN_GROUND_CELL_M > DEEP_M;
        deep += ground->reached[cell];
    }
    if (!is_large(ground, 2 * deep)) { memset(ground->reached, 1, count); }
    cairn_arena_reset(memory, mark);
    return CAIRN_OK;
}

cairn_err cairn_ground_inside_walls(const cairn_draft *draft, cairn_arena *memory, uint8_t **ret_inside,
                                    bool *ret_closed)
{
    cairn_import_ground ground;
    if (cairn_ground_create(draft->size_m, NULL, memory, &ground) != CAIRN_OK) { return CAIRN_ERR_FULL; }
    flood_from_edge(&ground, draft, POINT_RADIUS_M);
    uint32_t inside_count = 0;
    for (uint32_t cell = 0; cell < ground.width * ground.height; cell++) {
        ground.reached[cell] = !ground.reached[cell];
        inside_count += ground.reached[cell] && !ground.blocked[cell];
    }
    *ret_closed = is_large(&ground, inside_count);
    *ret_inside = ground.reached;
    return *ret_closed ? CAIRN_OK : keep_deep(&ground, draft, memory);
}
