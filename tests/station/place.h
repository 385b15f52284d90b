// place.h - a floor drawn by hand for the tests of the station: rectangles of ground, and robots on it.
#pragma once
#include "base/random.h"
#include "robot/modes.h"
#include "station/tasking/tasking.h"
#include <string.h>

// A raster of 10 cm cells whose corner is the map's origin.
static inline cairn_raster_def place_raster(double width_m, double height_m)
{
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){0, 0};
    def.width = (uint32_t)lround(width_m / def.cell_m);
    def.height = (uint32_t)lround(height_m / def.cell_m);
    return def;
}

// Paints the cells between two corners (m). Known ground grows the raster's bounds, as maps from robots do.
static inline void place_paint(cairn_atlas *atlas, cairn_vec2 low_m, cairn_vec2 high_m, cairn_ground ground,
                               bool searched)
{
    cairn_raster *raster = atlas->raster;
    const uint32_t x0 = (uint32_t)lround(low_m.x / raster->def.cell_m),
                   y0 = (uint32_t)lround(low_m.y / raster->def.cell_m);
    const uint32_t x1 = (uint32_t)lround(high_m.x / raster->def.cell_m),
                   y1 = (uint32_t)lround(high_m.y / raster->def.cell_m);
    for (uint32_t y = y0; y < y1; y++) {
        for (uint32_t x = x0; x < x1; x++) {
            raster->ground[(size_t)y * raster->def.width + x] = (uint8_t)ground;
            atlas->searched[(size_t)y * raster->def.width + x] = searched ? CAIRN_SEARCHED_THERMAL : 0;
        }
    }
    raster->x_min = x0 < raster->x_min ? x0 : raster->x_min;
    raster->y_min = y0 < raster->y_min ? y0 : raster->y_min;
    raster->x_max = x1 - 1 > raster->x_max ? x1 - 1 : raster->x_max;
    raster->y_max = y1 - 1 > raster->y_max ? y1 - 1 : raster->y_max;
}

// A free rectangle within walls of 20 cm.
static inline void place_room(cairn_atlas *atlas, cairn_vec2 low_m, cairn_vec2 high_m, bool searched)
{
    const cairn_vec2 outer_low = {low_m.x - 0.2, low_m.y - 0.2}, outer_high = {high_m.x + 0.2, high_m.y + 0.2};
    place_paint(atlas, outer_low, outer_high, CAIRN_GROUND_OBSTACLE, true);
    place_paint(atlas, low_m, high_m, CAIRN_GROUND_FREE, searched);
}
