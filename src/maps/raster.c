// raster.c - each raster cell takes the word of the terrain cell that holds its middle: one vote a terrain map.
#include "maps/raster.h"
#include <math.h>

cairn_raster_def cairn_raster_def_default(void)
{
    return (cairn_raster_def){
        .origin_m = {-40, -40},
        .cell_m = 0.1,
        .width = 800,
        .height = 800,
        .vote_obstacle = 3, // more than a free vote takes back: a thin wall is often seen past
        .vote_free = -2,
        .vote_limit = 9, // what moved is unlearned by five maps
    };
}

cairn_err cairn_raster_create(const cairn_raster_def *def, cairn_arena *arena, cairn_raster **ret_raster)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->width > 0 && def->height > 0);
    CAIRN_ASSERT(def->vote_obstacle > 0 && def->vote_free < 0 && def->vote_limit > 0);
    const size_t mark = cairn_arena_mark(arena), cells = (size_t)def->width * def->height;
    cairn_raster *raster = CAIRN_TAKE(arena, cairn_raster, 1);
    int8_t *votes = CAIRN_TAKE(arena, int8_t, cells);
    uint8_t *ground = CAIRN_TAKE(arena, uint8_t, cells);
    if (!raster || !votes || !ground) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *raster = (cairn_raster){.def = *def,
                             .votes = votes,
                             .ground = ground,
                             .x_min = def->width,
                             .y_min = def->height,
                             .x_max = 0,
                             .y_max = 0};
    *ret_raster = raster;
    return CAIRN_OK;
}

static void cell_vote(cairn_raster *raster, uint32_t x, uint32_t y, bool obstacle)
{
    const size_t cell = (size_t)y * raster->def.width + x;
    if (raster->ground[cell] == CAIRN_GROUND_UNKNOWN) {
        raster->known_count++;
        if (x < raster->x_min) { raster->x_min = x; }
        if (x > raster->x_max) { raster->x_max = x; }
        if (y < raster->y_min) { raster->y_min = y; }
        if (y > raster->y_max) { raster->y_max = y; }
    }
    const int limit = (int)raster->def.vote_limit;
    const int vote = (int)(obstacle ? raster->def.vote_obstacle : raster->def.vote_free);
    int votes = (int)raster->votes[cell] + vote;
    if (votes > limit) { votes = limit; }
    if (votes < -limit) { votes = -limit; }
    raster->votes[cell] = (int8_t)votes;
    raster->ground[cell] = votes > 0 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
}

// First and last raster cell, along one axis, whose middles may lie between low and high; empty if first > last.
static void axis_range(double low_m, double high_m, double origin_m, double cell_m, uint32_t count, int64_t *ret_first,
                       int64_t *ret_last)
{
    *ret_first = (int64_t)floor((low_m - origin_m) / cell_m);
    *ret_last = (int64_t)ceil((high_m - origin_m) / cell_m);
    if (*ret_first < 0) { *ret_first = 0; }
    if (*ret_last >= (int64_t)count) { *ret_last = (int64_t)count - 1; }
}

void cairn_raster_add(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes)
{
    CAIRN_ASSERT((uint64_t)planes->width * planes->height <= CAIRN_TERRAIN_CELLS_MAX && planes->cell_m > 0);
    const double wide_m = planes->width * planes->cell_m, high_m = planes->height * planes->cell_m;
    const cairn_vec2 low = planes->origin_m, high = {low.x + wide_m, low.y + high_m};
    cairn_vec2 box_low = {INFINITY, INFINITY}, box_high = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 4; corner++) {
        const cairn_vec2 at = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y};
        const cairn_vec2 on_map = cairn_pose2_apply(map_T_node, at);
        box_low = (cairn_vec2){fmin(box_low.x, on_map.x), fmin(box_low.y, on_map.y)};
        box_high = (cairn_vec2){fmax(box_high.x, on_map.x), fmax(box_high.y, on_map.y)};
    }
    int64_t x_first, x_last, y_first, y_last;
    const cairn_raster_def *def = &raster->def;
    axis_range(box_low.x, box_high.x, def->origin_m.x, def->cell_m, def->width, &x_first, &x_last);
    axis_range(box_low.y, box_high.y, def->origin_m.y, def->cell_m, def->height, &y_first, &y_last);

    const double cosine = cos(map_T_node.yaw_rad), sine = sin(map_T_node.yaw_rad);
    for (int64_t y = y_first; y <= y_last; y++) {
        for (int64_t x = x_first; x <= x_last; x++) {
            const cairn_vec2 middle = cairn_raster_centre_of(raster, (uint32_t)x, (uint32_t)y);
            const double dx = middle.x - map_T_node.x_m, dy = middle.y - map_T_node.y_m;
            const double u = (cosine * dx + sine * dy - low.x) / planes->cell_m;
            const double v = (-sine * dx + cosine * dy - low.y) / planes->cell_m;
            if (!(u >= 0 && v >= 0 && u < planes->width && v < planes->height)) { continue; }
            const uint32_t cell = (uint32_t)v * planes->width + (uint32_t)u;
            if (!cairn_plane_bit(planes->known, cell)) { continue; }
            cell_vote(raster, (uint32_t)x, (uint32_t)y, cairn_plane_bit(planes->obstacle, cell));
        }
    }
}

bool cairn_raster_cell_of(const cairn_raster *raster, cairn_vec2 at_m, uint32_t *ret_x, uint32_t *ret_y)
{
    const double x = (at_m.x - raster->def.origin_m.x) / raster->def.cell_m;
    const double y = (at_m.y - raster->def.origin_m.y) / raster->def.cell_m;
    if (!(x >= 0 && y >= 0 && x < raster->def.width && y < raster->def.height)) { return false; }
    *ret_x = (uint32_t)x;
    *ret_y = (uint32_t)y;
    return true;
}

cairn_vec2 cairn_raster_centre_of(const cairn_raster *raster, uint32_t x, uint32_t y)
{
    return (cairn_vec2){raster->def.origin_m.x + (x + 0.5) * raster->def.cell_m,
                        raster->def.origin_m.y + (y + 0.5) * raster->def.cell_m};
}

cairn_ground cairn_raster_at(const cairn_raster *raster, cairn_vec2 at_m)
{
    uint32_t x, y;
    if (!cairn_raster_cell_of(raster, at_m, &x, &y)) { return CAIRN_GROUND_UNKNOWN; }
    return (cairn_ground)raster->ground[(size_t)y * raster->def.width + x];
}
