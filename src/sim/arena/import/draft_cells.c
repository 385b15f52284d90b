// From cells to walls and boxes, and back to cells to see that nothing was lost.
#include "sim/arena/import/cover.h"
#include "sim/arena/import/draft.h"
#include <math.h>
#include <string.h>

// Walls may be this much softer than the map, so that ragged ones become few boxes. More loses corners.
#define SLACK_M_MAX 0.2
#define SLACK_CELLS_MAX 5u
#define WALL_THICKNESS_M_MAX 2.0
#define BOX_SIDE_M_MAX 50.0
#define WALL_LONGER_THAN_THICK 2.0
#define SAME_POINT_M 0.002
#define FLOOR_STEP_M 0.05

// The two ends of what this rectangle would be as a wall: its middle line along the longer side.
static cairn_sim_wall wall_of(const cairn_cover_rect *rect, double cell_m, double height_m)
{
    const double west = rect->x * cell_m, south = rect->y * cell_m;
    const double wide = rect->width * cell_m, tall = rect->height * cell_m;
    if (rect->width >= rect->height) {
        return (cairn_sim_wall){.from_m = {west, south + tall / 2},
                                .to_m = {west + wide, south + tall / 2},
                                .thickness_m = tall,
                                .height_m = height_m};
    }
    return (cairn_sim_wall){.from_m = {west + wide / 2, south},
                            .to_m = {west + wide / 2, south + tall},
                            .thickness_m = wide,
                            .height_m = height_m};
}

static bool same_point(cairn_vec2 a, cairn_vec2 b) { return cairn_vec2_distance(a, b) < SAME_POINT_M; }

// Walls that meet end to end are made longer by the reader; this one then would no longer be what the map has.
static bool meets_a_wall(const cairn_draft *draft, const cairn_sim_wall *wall)
{
    for (uint32_t i = 0; i < draft->wall_count; i++) {
        const cairn_sim_wall *other = &draft->walls[i];
        if (same_point(other->from_m, wall->from_m) || same_point(other->from_m, wall->to_m) ||
            same_point(other->to_m, wall->from_m) || same_point(other->to_m, wall->to_m)) {
            return true;
        }
    }
    return false;
}

static bool can_be_wall(const cairn_draft *draft, const cairn_sim_wall *wall, double longer)
{
    return wall->thickness_m <= WALL_THICKNESS_M_MAX &&
           cairn_vec2_distance(wall->from_m, wall->to_m) >= longer * wall->thickness_m &&
           draft->wall_count < CAIRN_DRAFT_WALLS_MAX && !meets_a_wall(draft, wall);
}

static bool add_box(cairn_draft *draft, cairn_vec2 low_m, cairn_vec2 high_m, double height_m)
{
    if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return false; }
    const cairn_vec2 middle_m = cairn_vec2_scale(cairn_vec2_add(low_m, high_m), 0.5);
    draft->boxes[draft->box_count++] = (cairn_sim_box){.map_T_box = {middle_m.x, middle_m.y, 0.0},
                                                       .size_m = {high_m.x - low_m.x, high_m.y - low_m.y, height_m}};
    return true;
}

// As one box, or as several where it is longer than a box may be; cut between cells.
static bool add_boxes(cairn_draft *draft, const cairn_cover_rect *rect, double cell_m, double height_m)
{
    const uint32_t side_max = (uint32_t)floor(BOX_SIDE_M_MAX / cell_m + 1e-9);
    for (uint32_t y = 0; y < rect->height; y += side_max) {
        for (uint32_t x = 0; x < rect->width; x += side_max) {
            const uint32_t x_end = x + side_max < rect->width ? x + side_max : rect->width;
            const uint32_t y_end = y + side_max < rect->height ? y + side_max : rect->height;
            const cairn_vec2 low_m = {(rect->x + x) * cell_m, (rect->y + y) * cell_m};
            const cairn_vec2 high_m = {(rect->x + x_end) * cell_m, (rect->y + y_end) * cell_m};
            if (!add_box(draft, low_m, high_m, height_m)) { return false; }
        }
    }
    return true;
}

// What is long is a wall, what is not is a box; when there are too many boxes, what can be a wall is one.
static bool add_rect(cairn_draft *draft, const cairn_cover_rect *rect, double cell_m, double height_m, double longer)
{
    const cairn_sim_wall wall = wall_of(rect, cell_m, height_m);
    if (can_be_wall(draft, &wall, longer)) {
        draft->walls[draft->wall_count++] = wall;
        return true;
    }
    return add_boxes(draft, rect, cell_m, height_m);
}

static bool add_cover(cairn_draft *draft, const cairn_cover *cover, double cell_m, double height_m, double longer)
{
    draft->wall_count = 0;
    draft->box_count = 0;
    for (uint32_t i = 0; i < cover->count; i++) {
        if (!add_rect(draft, &cover->rects[i], cell_m, height_m, longer)) { return false; }
    }
    return true;
}

// A round number that is a little more than the cells take, so that no rounding puts a wall beside the floor.
static double floor_side_m(double cells_m) { return (floor(cells_m / FLOOR_STEP_M + 1e-6) + 1.0) * FLOOR_STEP_M; }

cairn_err cairn_draft_add_cells(cairn_draft *draft, const cairn_cells *cells, double height_m, uint32_t boxes_max,
                                const char *name_for_errors, cairn_arena *scratch, cairn_complaints *complaints,
                                cairn_import_report *report)
{
    CAIRN_ASSERT(draft != NULL && cells != NULL && scratch != NULL && complaints != NULL && report != NULL);
    draft->size_m =
        (cairn_vec2){floor_side_m(cells->width * cells->cell_m), floor_side_m(cells->height * cells->cell_m)};
    if (fmax(draft->size_m.x, draft->size_m.y) > CAIRN_DRAFT_SIDE_M_MAX) {
        cairn_complain(
            complaints, name_for_errors, 0,
            "is %.1f x %.1f m; an arena has at most %.0f m a side: look at metres a pixel, or cut a part out",
            draft->size_m.x, draft->size_m.y, CAIRN_DRAFT_SIDE_M_MAX);
        return CAIRN_ERR_OUTSIDE;
    }
    const size_t mark = cairn_arena_mark(scratch);
    cairn_err err = CAIRN_ERR_TOO_LARGE;
    for (uint32_t slack = 0; slack <= SLACK_CELLS_MAX && err == CAIRN_ERR_TOO_LARGE; slack++) {
        if (slack > 0 && slack * cells->cell_m > SLACK_M_MAX + 1e-9) { break; }
        cairn_cover cover;
        err = cairn_cover_find(cells, slack, boxes_max, scratch, scratch, &cover);
        if (err == CAIRN_OK && !add_cover(draft, &cover, cells->cell_m, height_m, WALL_LONGER_THAN_THICK) &&
            !add_cover(draft, &cover, cells->cell_m, height_m, 1.0)) {
            err = CAIRN_ERR_TOO_LARGE;
        }
        report->slack_cells = slack;
    }
    cairn_arena_reset(scratch, mark);
    report->cell_m = cells->cell_m;
    report->columns = cells->width;
    report->rows = cells->height;
    return err;
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

static bool inside(const cairn_solid *solid, cairn_pose2 solid_T_map, cairn_vec2 at_m)
{
    const cairn_vec2 local_m = cairn_pose2_apply(solid_T_map, at_m);
    return fabs(local_m.x) <= solid->half_m.x && fabs(local_m.y) <= solid->half_m.y;
}

static void mark_solid(const cairn_solid *solid, const cairn_cells *cells, uint8_t *marked)
{
    const cairn_pose2 map_T_solid = cairn_pose3_to_pose2(solid->map_T_box);
    const cairn_pose2 solid_T_map = cairn_pose2_inverse(map_T_solid);
    const double c = fabs(cos(map_T_solid.yaw_rad)), s = fabs(sin(map_T_solid.yaw_rad));
    const cairn_vec2 reach_m = {c * solid->half_m.x + s * solid->half_m.y, s * solid->half_m.x + c * solid->half_m.y};
    const uint32_t x_first = clamp_cell((map_T_solid.x_m - reach_m.x) / cells->cell_m - 1, cells->width);
    const uint32_t x_end = clamp_cell((map_T_solid.x_m + reach_m.x) / cells->cell_m + 2, cells->width);
    const uint32_t y_first = clamp_cell((map_T_solid.y_m - reach_m.y) / cells->cell_m - 1, cells->height);
    const uint32_t y_end = clamp_cell((map_T_solid.y_m + reach_m.y) / cells->cell_m + 2, cells->height);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            const cairn_vec2 at_m = {(x + 0.5) * cells->cell_m, (y + 0.5) * cells->cell_m};
            if (inside(solid, solid_T_map, at_m)) { marked[(size_t)y * cells->width + x] = 1; }
        }
    }
}

static bool wall_within(const cairn_cells *cells, uint32_t x, uint32_t y, uint32_t slack)
{
    const uint32_t x_first = x > slack ? x - slack : 0, y_first = y > slack ? y - slack : 0;
    for (uint32_t to_y = y_first; to_y <= y + slack && to_y < cells->height; to_y++) {
        for (uint32_t to_x = x_first; to_x <= x + slack && to_x < cells->width; to_x++) {
            if (cells->kinds[(size_t)to_y * cells->width + to_x] == CAIRN_CELL_WALL) { return true; }
        }
    }
    return false;
}

cairn_err cairn_draft_compare(const cairn_sim_arena *arena, const cairn_cells *cells, cairn_arena *scratch,
                              cairn_import_report *report)
{
    CAIRN_ASSERT(arena != NULL && cells != NULL && scratch != NULL && report != NULL);
    const size_t mark = cairn_arena_mark(scratch);
    uint8_t *marked = CAIRN_TAKE(scratch, uint8_t, (size_t)cells->width * cells->height);
    if (marked == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (solid->kind == CAIRN_SOLID_WALL || solid->kind == CAIRN_SOLID_BOX) { mark_solid(solid, cells, marked); }
    }
    report->wall_cells = report->missed_cells = report->covered_cells = report->softened_cells = 0;
    for (uint32_t y = 0; y < cells->height; y++) {
        for (uint32_t x = 0; x < cells->width; x++) {
            const size_t cell = (size_t)y * cells->width + x;
            report->wall_cells += cells->kinds[cell] == CAIRN_CELL_WALL;
            report->missed_cells += cells->kinds[cell] == CAIRN_CELL_WALL && !marked[cell];
            if (cells->kinds[cell] != CAIRN_CELL_FREE || !marked[cell]) { continue; }
            const bool near_wall = wall_within(cells, x, y, report->slack_cells);
            report->softened_cells += near_wall;
            report->covered_cells += !near_wall;
        }
    }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
