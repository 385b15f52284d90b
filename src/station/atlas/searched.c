// What was searched: marked as cameras look, and moved as places move.
#include "station/atlas/atlas.h"

#define REACH_M 4.5       // that a camera sees, about: a turn moves what is so far away
#define GLIMPSED_BEFORE 2 // bits in searched, only while it is worked out
#define GLIMPSED_NOW 4

// A border between cells, cut to the raster: a camera may be anywhere, by what its robot says.
static uint32_t cut(double border, uint32_t count)
{
    CAIRN_ASSERT(!isnan(border));
    return (uint32_t)fmin(fmax(border, 0.0), count);
}

// Keeps what was glimpsed twice, in the square around the camera.
static void keep_seen_twice(cairn_atlas *atlas, uint32_t place, cairn_vec2 around_m, double reach_m)
{
    const cairn_raster_def *def = &atlas->raster->def;
    const double reach = reach_m / def->cell_m + 2.0;
    const double x = (around_m.x - def->origin_m.x) / def->cell_m, y = (around_m.y - def->origin_m.y) / def->cell_m;
    const uint32_t x0 = cut(x - reach, def->width), x1 = cut(x + reach, def->width);
    const uint32_t y0 = cut(y - reach, def->height), y1 = cut(y + reach, def->height);
    for (uint32_t row = y0; row < y1; row++) {
        for (uint8_t *at = atlas->searched + (size_t)row * def->width + x0, *end = at + (x1 - x0); at < end; at++) {
            const bool was = (*at & CAIRN_SEARCHED_THERMAL) != 0;
            const bool is_seen = (*at & GLIMPSED_BEFORE) != 0 && (*at & GLIMPSED_NOW) != 0;
            if (is_seen && !was) { atlas->searched_from[at - atlas->searched] = (uint16_t)place; }
            *at = was || is_seen ? CAIRN_SEARCHED_THERMAL : 0;
        }
    }
}

void cairn_atlas_mark_searched(cairn_atlas *atlas, uint32_t place, cairn_pose2 map_T_before, cairn_pose2 map_T_camera,
                               const cairn_sight *sight)
{
    const cairn_raster *raster = atlas->raster;
    const cairn_cost_grid layout = {.origin_m = raster->def.origin_m,
                                    .cell_m = raster->def.cell_m,
                                    .width = raster->def.width,
                                    .height = raster->def.height};
    cairn_sight_mark(raster->ground, &layout, map_T_before, sight, GLIMPSED_BEFORE, atlas->searched);
    cairn_sight_mark(raster->ground, &layout, map_T_camera, sight, GLIMPSED_NOW, atlas->searched);
    const cairn_vec2 from = cairn_pose2_at(map_T_before), to = cairn_pose2_at(map_T_camera);
    keep_seen_twice(atlas, place, to, sight->range_m_max + cairn_vec2_distance(from, to));
}

typedef struct searched_cell {
    uint32_t cell;
    uint16_t place;
} searched_cell;

// How what was searched from a place must move now; false: by less than a cell.
static bool must_move(const cairn_atlas *atlas, uint32_t place, cairn_pose2 *ret_moved_T_now)
{
    const cairn_place *at = &atlas->places->places[place];
    const cairn_pose2 drawn = atlas->searched_T[place];
    const cairn_vec2 from_m = cairn_pose2_apply(drawn, cairn_pose2_at(at->private_T_place));
    const cairn_vec2 to_m = cairn_pose2_apply(at->map_T_private, cairn_pose2_at(at->private_T_place));
    const double turn_m = REACH_M * fabs(cairn_angle_between(drawn.yaw_rad, at->map_T_private.yaw_rad));
    *ret_moved_T_now = cairn_pose2_compose(at->map_T_private, cairn_pose2_inverse(drawn));
    return cairn_vec2_distance(from_m, to_m) + turn_m > atlas->raster->def.cell_m;
}

static void set_searched(cairn_atlas *atlas, uint32_t x, uint32_t y, uint16_t place)
{
    const size_t cell = (size_t)y * atlas->raster->def.width + x;
    if ((atlas->searched[cell] & CAIRN_SEARCHED_THERMAL) != 0) { return; }
    atlas->searched[cell] |= CAIRN_SEARCHED_THERMAL;
    atlas->searched_from[cell] = place;
    atlas->x_min = x < atlas->x_min ? x : atlas->x_min;
    atlas->y_min = y < atlas->y_min ? y : atlas->y_min;
    atlas->x_max = x > atlas->x_max ? x : atlas->x_max;
    atlas->y_max = y > atlas->y_max ? y : atlas->y_max;
}

// Takes up what was searched from places that must move.
static uint32_t take_up(cairn_atlas *atlas, const bool *moves, searched_cell *ret_cells)
{
    const uint32_t width = atlas->raster->def.width;
    uint32_t count = 0;
    for (uint32_t y = atlas->y_min; y <= atlas->y_max; y++) {
        for (uint32_t x = atlas->x_min; x <= atlas->x_max; x++) {
            const uint32_t cell = y * width + x;
            if (atlas->searched[cell] == 0 || !moves[atlas->searched_from[cell]]) { continue; }
            ret_cells[count++] = (searched_cell){cell, atlas->searched_from[cell]};
            atlas->searched[cell] = 0;
            atlas->searched_from[cell] = CAIRN_PLACE_NONE;
        }
    }
    return count;
}

static void put_down(cairn_atlas *atlas, const cairn_pose2 *moved_T_now, const searched_cell *cells, uint32_t count)
{
    const cairn_raster_def *def = &atlas->raster->def;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = cells[i].cell % def->width, y = cells[i].cell / def->width;
        const cairn_vec2 now_m = {def->origin_m.x + (x + 0.5) * def->cell_m, def->origin_m.y + (y + 0.5) * def->cell_m};
        const cairn_vec2 moved_m = cairn_pose2_apply(moved_T_now[cells[i].place], now_m);
        if (cairn_raster_cell_of(atlas->raster, moved_m, &x, &y)) { set_searched(atlas, x, y, cells[i].place); }
    }
}

static cairn_err move_searched(cairn_atlas *atlas, cairn_arena *scratch)
{
    const uint32_t place_count = atlas->places->graph->node_count;
    bool any = false, *moves = CAIRN_TAKE(scratch, bool, place_count);
    cairn_pose2 *moved_T_now = CAIRN_TAKE(scratch, cairn_pose2, place_count);
    if (moves == NULL || moved_T_now == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 1; i < place_count; i++) {
        moves[i] = must_move(atlas, i, &moved_T_now[i]);
        any |= moves[i];
    }
    if (!any || atlas->x_max < atlas->x_min) { return CAIRN_OK; }
    const size_t cell_count = ((size_t)atlas->x_max - atlas->x_min + 1) * ((size_t)atlas->y_max - atlas->y_min + 1);
    searched_cell *cells = CAIRN_TAKE(scratch, searched_cell, cell_count);
    if (cells == NULL) { return CAIRN_ERR_FULL; }
    put_down(atlas, moved_T_now, cells, take_up(atlas, moves, cells));
    for (uint32_t i = 1; i < place_count; i++) {
        if (moves[i]) { atlas->searched_T[i] = atlas->places->places[i].map_T_private; }
    }
    return CAIRN_OK;
}

cairn_err cairn_atlas_follow_searched(cairn_atlas *atlas, cairn_arena *scratch)
{
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_err err = move_searched(atlas, scratch);
    cairn_arena_reset(scratch, mark);
    return err;
}
