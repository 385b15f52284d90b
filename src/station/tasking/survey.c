#include "station/tasking/survey.h"
#include <string.h>

#define MARGIN_CELLS 8
#define OPEN_M 0.5 // around a robot nothing but obstacles is closed: it got there, and must get away
#define TEAMMATE_RADIUS_M 0.55
#define FOUND_M 0.5 // around a victim: it has been seen there
// From the middle of a robot to the border of where it may be, beyond the room that it turns in: more than the robot
// keeps by itself, so that it can stand wherever it is sent.
#define FENCE_MARGIN_M 0.1
#define VIA_M 1.5
#define VIA_M_MAX 5.0 // what a robot can plan between

// A stretch of cells along x or y: from, and how many.
typedef struct stretch {
    uint32_t from, count;
} stretch;

static stretch known_stretch(uint32_t min, uint32_t max, uint32_t size)
{
    const uint32_t from = min > MARGIN_CELLS ? min - MARGIN_CELLS : 0, last = max + MARGIN_CELLS;
    return (stretch){from, (last < size ? last + 1 : size) - from};
}

// The part of a stretch around a cell that is no longer than this.
static stretch clip(stretch all, uint32_t around, uint32_t count_max)
{
    if (all.count <= count_max) { return all; }
    const uint32_t last_from = all.from + all.count - count_max;
    const uint32_t wanted = around > count_max / 2 ? around - count_max / 2 : 0;
    return (stretch){wanted < all.from ? all.from : wanted > last_from ? last_from : wanted, count_max};
}

static cairn_err choose_window(const cairn_raster *raster, cairn_vec2 robot_m, bool whole, cairn_survey *survey)
{
    if (raster->x_max < raster->x_min) { return CAIRN_ERR_EMPTY; }
    stretch x = known_stretch(raster->x_min, raster->x_max, raster->def.width);
    stretch y = known_stretch(raster->y_min, raster->y_max, raster->def.height);
    survey->factor = 1;
    if ((uint64_t)x.count * y.count > CAIRN_SURVEY_CELLS_MAX && !whole) {
        uint32_t robot_x = 0, robot_y = 0;
        if (!cairn_raster_cell_of(raster, robot_m, &robot_x, &robot_y)) { return CAIRN_ERR_OUTSIDE; }
        const uint32_t side = (uint32_t)sqrt(CAIRN_SURVEY_CELLS_MAX);
        x = clip(x, robot_x, y.count < side ? CAIRN_SURVEY_CELLS_MAX / y.count : side);
        y = clip(y, robot_y, CAIRN_SURVEY_CELLS_MAX / x.count);
        survey->clipped = true;
    }
    while ((uint64_t)(x.count / survey->factor) * (y.count / survey->factor) > CAIRN_SURVEY_CELLS_MAX) {
        survey->factor++;
    }
    survey->x0 = x.from;
    survey->y0 = y.from;
    survey->width = x.count / survey->factor;
    survey->height = y.count / survey->factor;
    return CAIRN_OK;
}

cairn_cost_rules cairn_survey_rules(double robot_radius_m)
{
    cairn_cost_rules rules = cairn_cost_rules_default(robot_radius_m);
    rules.unknown_cost = CAIRN_COST_BLOCKED;
    return rules;
}

// Of several cells in one: what is in the way counts most, then what is free; searched is what all free ones are.
static void merge_row(const cairn_atlas *atlas, uint32_t raster_y, uint32_t y, cairn_survey *survey)
{
    const uint32_t factor = survey->factor;
    const size_t from = (size_t)raster_y * atlas->raster->def.width + survey->x0, to = (size_t)y * survey->width;
    for (uint32_t x = 0; x < survey->width; x++) {
        for (uint32_t part = 0; part < factor; part++) {
            const uint8_t ground = atlas->raster->ground[from + (size_t)x * factor + part];
            const uint8_t searched = atlas->searched[from + (size_t)x * factor + part];
            uint8_t *merged = &survey->ground[to + x];
            if (ground == CAIRN_GROUND_OBSTACLE || *merged == CAIRN_GROUND_UNKNOWN) { *merged = ground; }
            if (ground == CAIRN_GROUND_FREE) { survey->searched[to + x] &= searched; }
        }
    }
}

static cairn_err copy_window(const cairn_atlas *atlas, cairn_arena *scratch, cairn_survey *survey)
{
    const cairn_raster *raster = atlas->raster;
    const size_t cells = (size_t)survey->width * survey->height;
    survey->ground = CAIRN_TAKE(scratch, uint8_t, cells);
    survey->searched = CAIRN_TAKE(scratch, uint8_t, cells);
    if (survey->ground == NULL || survey->searched == NULL) { return CAIRN_ERR_FULL; }
    memset(survey->ground, CAIRN_GROUND_UNKNOWN, cells);
    memset(survey->searched, UINT8_MAX, cells);
    for (uint32_t y = 0; y < survey->height; y++) {
        if (survey->factor == 1) {
            const size_t from = (size_t)(survey->y0 + y) * raster->def.width + survey->x0;
            memcpy(survey->ground + (size_t)y * survey->width, raster->ground + from, survey->width);
            memcpy(survey->searched + (size_t)y * survey->width, atlas->searched + from, survey->width);
            continue;
        }
        for (uint32_t part = 0; part < survey->factor; part++) {
            merge_row(atlas, survey->y0 + y * survey->factor + part, y, survey);
        }
    }
    return CAIRN_OK;
}

// Prices of the ground. The raster's own are kept; those of coarser cells are made.
static cairn_err price_ground(const cairn_survey_def *def, const cairn_raster *raster, const cairn_cost_rules *rules,
                              cairn_arena *scratch, cairn_survey *survey)
{
    const cairn_vec2 corner = {raster->def.origin_m.x + survey->x0 * raster->def.cell_m,
                               raster->def.origin_m.y + survey->y0 * raster->def.cell_m};
    if (def->costs != NULL && survey->factor == 1) {
        const cairn_cell_window window = {survey->x0, survey->y0, survey->width, survey->height};
        (void)cairn_kept_costs_update(def->costs, raster->ground);
        return cairn_kept_costs_copy(def->costs, &window, corner, scratch, &survey->grid);
    }
    return cairn_cost_grid_create(corner, survey->factor * raster->def.cell_m, survey->width, survey->height,
                                  survey->ground, rules, scratch, &survey->grid);
}

// Where no robot may be nothing is to be explored or looked at either.
static cairn_err close_fences(const cairn_survey_def *def, cairn_vec2 robot_m, cairn_arena *scratch,
                              cairn_survey *survey)
{
    uint8_t *marks = NULL;
    if (def->fences == NULL) { return CAIRN_OK; }
    const double margin_m = def->turn_radius_m + FENCE_MARGIN_M;
    const cairn_err err = cairn_fences_mark(def->fences, &survey->grid, margin_m, scratch, &marks);
    if (err != CAIRN_OK || marks == NULL) { return err; }
    cairn_fences_close(marks, robot_m, &survey->grid, survey->ground);
    for (uint32_t cell = 0; cell < survey->width * survey->height; cell++) {
        if (marks[cell] == CAIRN_FENCE_MARK_BEYOND) { survey->searched[cell] |= CAIRN_SEARCHED_THERMAL; }
    }
    return CAIRN_OK;
}

// Prices from this robot to everywhere.
static cairn_err price_window(const cairn_survey_def *def, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                              const cairn_raster *raster, cairn_arena *scratch, cairn_survey *survey)
{
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    const cairn_cost_rules rules = cairn_survey_rules(def->robot_radius_m);
    cairn_err err = price_ground(def, raster, &rules, scratch, survey);
    if (err == CAIRN_OK) { err = close_fences(def, at_m, scratch, survey); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; def->teammates_block && i < fleet->count; i++) {
        const cairn_fleet_robot *other = &fleet->robots[i];
        if (other != robot && other->heard && !other->unplaced) {
            cairn_cost_grid_block_disc(&survey->grid, cairn_pose2_at(other->map_T_base), TEAMMATE_RADIUS_M);
        }
    }
    cairn_cost_grid_open_disc(&survey->grid, at_m, OPEN_M, rules.near_cost);
    return cairn_reach_compute(&survey->grid, at_m, UINT32_MAX, scratch, scratch, &survey->reach);
}

static cairn_err find_stands(double turn_radius_m, cairn_arena *scratch, cairn_survey *survey)
{
    const uint32_t cells = survey->width * survey->height;
    survey->stands = survey->reach;
    survey->stands.price = CAIRN_TAKE(scratch, uint32_t, cells);
    if (survey->stands.price == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t cell = 0; cell < cells; cell++) {
        const bool roomy = survey->grid.clearance_m[cell] >= (float)turn_radius_m;
        survey->stands.price[cell] = roomy ? survey->reach.price[cell] : CAIRN_REACH_NEVER;
    }
    return CAIRN_OK;
}

bool cairn_survey_is_found(const cairn_victims *victims, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        const cairn_victim *victim = &victims->victims[i];
        if (victim->same_as == 0 && cairn_vec2_distance(victim->at_m, at_m) <= FOUND_M) { return true; }
    }
    return false;
}

static void mark_around(cairn_survey *survey, cairn_vec2 at_m)
{
    const int32_t reach = (int32_t)ceil(FOUND_M / survey->grid.cell_m);
    for (int32_t y = -reach; y <= reach; y++) {
        for (int32_t x = -reach; x <= reach; x++) {
            const cairn_vec2 near_m = {at_m.x + x * survey->grid.cell_m, at_m.y + y * survey->grid.cell_m};
            uint32_t cell = 0;
            if (!cairn_cost_grid_cell_of(&survey->grid, near_m, &cell)) { continue; }
            const bool within = cairn_vec2_distance(cairn_cost_grid_centre_of(&survey->grid, cell), at_m) <= FOUND_M;
            if (within) { survey->searched[cell] |= CAIRN_SEARCHED_THERMAL; }
        }
    }
}

cairn_err cairn_survey_make(const cairn_survey_def *def, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                            const cairn_atlas *atlas, const cairn_victims *victims, cairn_arena *scratch,
                            cairn_survey *ret_survey)
{
    *ret_survey = (cairn_survey){0};
    cairn_err err = choose_window(atlas->raster, cairn_pose2_at(robot->map_T_base), def->whole, ret_survey);
    if (err == CAIRN_OK) { err = copy_window(atlas, scratch, ret_survey); }
    if (err == CAIRN_OK) { err = price_window(def, fleet, robot, atlas->raster, scratch, ret_survey); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        if (victims->victims[i].same_as == 0) { mark_around(ret_survey, victims->victims[i].at_m); }
    }
    return find_stands(def->turn_radius_m, scratch, ret_survey);
}

cairn_err cairn_survey_find_way(const cairn_survey *survey, uint32_t cell, cairn_arena *scratch,
                                cairn_survey_way *ret_way)
{
    cairn_way way;
    const cairn_err err = cairn_reach_way(&survey->reach, cell, scratch, &way);
    if (err != CAIRN_OK) { return err; }
    cairn_way_smooth(&survey->grid, &way);
    const double spacing_m = fmin(fmax(VIA_M, way.length_m / (CAIRN_VIAS_MAX - 4)), VIA_M_MAX);
    ret_way->length_m = way.length_m;
    ret_way->via_count = cairn_way_resample(&way, spacing_m, ret_way->via_m, CAIRN_VIAS_MAX);
    if (ret_way->via_count == 0) { // it is there already, and has only to turn
        ret_way->via_m[ret_way->via_count++] = cairn_cost_grid_centre_of(&survey->grid, cell);
    }
    return CAIRN_OK;
}

cairn_err cairn_survey_nearest(const cairn_survey *survey, cairn_vec2 to_m, uint32_t *ret_cell)
{
    uint32_t at = 0;
    const uint32_t *price = survey->reach.price;
    if (cairn_cost_grid_cell_of(&survey->grid, to_m, &at) && price[at] != CAIRN_REACH_NEVER) {
        *ret_cell = at;
        return CAIRN_OK;
    }
    double best_m = INFINITY;
    uint32_t best = UINT32_MAX;
    for (uint32_t cell = 0; cell < survey->width * survey->height; cell++) {
        if (price[cell] == CAIRN_REACH_NEVER) { continue; }
        const double away_m = cairn_vec2_distance(cairn_cost_grid_centre_of(&survey->grid, cell), to_m);
        if (away_m < best_m || (away_m == best_m && price[cell] < price[best])) {
            best_m = away_m;
            best = cell;
        }
    }
    if (best == UINT32_MAX) { return CAIRN_ERR_NOT_FOUND; }
    *ret_cell = best;
    return CAIRN_OK;
}
