#include "maps/files/map.h"
#include "maps/files/utm.h"
#include <string.h>

#define ROOM_BYTES 4096 // so that the plane may begin where the processor likes it

static bool within(double value, double low, double high) { return value >= low && value <= high; }

const char *cairn_map_frame_mistake(const cairn_map *map)
{
    if (!within(map->width, 1, CAIRN_MAP_SIDE_MAX) || !within(map->height, 1, CAIRN_MAP_SIDE_MAX)) {
        return "each side must have 1 to 32768 cells";
    }
    if ((size_t)map->width * map->height > CAIRN_MAP_CELLS_MAX) { return "more than 67108864 cells in all"; }
    if (!within(map->cell_m, CAIRN_MAP_CELL_M_MIN, CAIRN_MAP_CELL_M_MAX)) { return "a cell must be 0.001 to 100 m"; }
    const cairn_pose2 corner = map->map_T_corner;
    if (!within(corner.x_m, -CAIRN_MAP_REACH_M_MAX, CAIRN_MAP_REACH_M_MAX) ||
        !within(corner.y_m, -CAIRN_MAP_REACH_M_MAX, CAIRN_MAP_REACH_M_MAX)) {
        return "its corner must be within 1000 km of the map frame's origin";
    }
    if (!within(corner.yaw_rad, -CAIRN_PI, CAIRN_PI)) { return "its yaw must be within half a turn"; }
    const cairn_map_survey *survey = &map->survey;
    if (survey->known && (!within(survey->latitude_deg, CAIRN_UTM_LATITUDE_DEG_MIN, CAIRN_UTM_LATITUDE_DEG_MAX) ||
                          !within(survey->longitude_deg, -180, 180) || !within(survey->heading_deg, 0, 360))) {
        return "a survey must have a latitude of -80 to 84, a longitude of -180 to 180 and a heading of 0 to 360 "
               "degrees";
    }
    return NULL;
}

const char *cairn_map_mistake(const cairn_map *map)
{
    const char *mistake = cairn_map_frame_mistake(map);
    if (mistake != NULL) { return mistake; }
    const size_t count = (size_t)map->width * map->height;
    uint8_t worst = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) { worst = map->ground[i] > worst ? map->ground[i] : worst; }
    for (size_t i = 0; map->occupied_pct != NULL && i < count; i++) {
        wrong |= map->occupied_pct[i] > 100 && map->occupied_pct[i] != CAIRN_MAP_PCT_UNKNOWN;
    }
    if (worst > CAIRN_GROUND_OBSTACLE) { return "a cell is neither unknown nor free nor obstacle"; }
    return wrong ? "a probability is more than 100 percent" : NULL;
}

cairn_err cairn_map_of_raster(const cairn_raster *raster, cairn_arena *memory, cairn_map *ret_map)
{
    CAIRN_ASSERT(raster != NULL && memory != NULL && ret_map != NULL);
    const bool empty = raster->x_max < raster->x_min;
    const uint32_t x0 = empty ? 0 : raster->x_min, y0 = empty ? 0 : raster->y_min;
    const uint32_t width = empty ? 1 : raster->x_max - x0 + 1, height = empty ? 1 : raster->y_max - y0 + 1;
    const double cell_m = raster->def.cell_m;
    cairn_map map = {.width = width,
                     .height = height,
                     .cell_m = cell_m,
                     .map_T_corner = {raster->def.origin_m.x + x0 * cell_m, raster->def.origin_m.y + y0 * cell_m, 0}};
    if (cairn_map_frame_mistake(&map) != NULL) { return CAIRN_ERR_TOO_LARGE; }
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, (size_t)width * height);
    if (ground == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t y = 0; y < height; y++) {
        memcpy(&ground[(size_t)y * width], &raster->ground[(size_t)(y0 + y) * raster->def.width + x0], width);
    }
    map.ground = ground;
    *ret_map = map;
    return CAIRN_OK;
}

// The rectangle of the cells that are known.
typedef struct known_part {
    uint32_t x_min, y_min, x_end, y_end;
} known_part;

static known_part known_of(const uint8_t *ground, uint32_t width, uint32_t height)
{
    known_part part = {width, height, 0, 0};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            if (ground[(size_t)y * width + x] == CAIRN_GROUND_UNKNOWN) { continue; }
            part.x_min = x < part.x_min ? x : part.x_min;
            part.x_end = x + 1 > part.x_end ? x + 1 : part.x_end;
            part.y_min = y < part.y_min ? y : part.y_min;
            part.y_end = y + 1;
        }
    }
    return part.x_end > 0 ? part : (known_part){0, 0, 1, 1};
}

// Cells between the outermost tiles; one if there are none.
typedef struct tiled_part {
    int32_t x_min, y_min;
    uint32_t width, height;
} tiled_part;

static tiled_part tiled_of(const cairn_occupancy_grid *grid)
{
    const cairn_occupancy_grid_info info = cairn_occupancy_grid_get_info(grid);
    return (tiled_part){info.x_min, info.y_min, info.x_end > info.x_min ? (uint32_t)(info.x_end - info.x_min) : 1,
                        info.y_end > info.y_min ? (uint32_t)(info.y_end - info.y_min) : 1};
}

size_t cairn_map_of_occupancy_bytes(const cairn_occupancy_grid *grid)
{
    const tiled_part tiled = tiled_of(grid);
    const size_t cell_count = (size_t)tiled.width * tiled.height;
    return ROOM_BYTES + (cell_count < CAIRN_MAP_CELLS_MAX ? cell_count : CAIRN_MAP_CELLS_MAX);
}

cairn_err cairn_map_of_occupancy(const cairn_occupancy_grid *grid, cairn_arena *memory, cairn_map *ret_map)
{
    const double cell_m = cairn_occupancy_grid_get_def(grid)->cell_m;
    const tiled_part tiled = tiled_of(grid);
    const uint32_t wide = tiled.width, high = tiled.height;
    if ((size_t)wide * high > CAIRN_MAP_CELLS_MAX) { return CAIRN_ERR_TOO_LARGE; }
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, (size_t)wide * high);
    if (ground == NULL) { return CAIRN_ERR_FULL; }
    cairn_occupancy_grid_read(grid, tiled.x_min, tiled.y_min, wide, high, ground);
    const known_part part = known_of(ground, wide, high);
    const uint32_t width = part.x_end - part.x_min;
    for (uint32_t y = part.y_min; y < part.y_end; y++) { // rows move down in place
        memmove(ground + (size_t)(y - part.y_min) * width, ground + (size_t)y * wide + part.x_min, width);
    }
    *ret_map = (cairn_map){
        .width = width,
        .height = part.y_end - part.y_min,
        .cell_m = cell_m,
        .map_T_corner = {(tiled.x_min + (int32_t)part.x_min) * cell_m, (tiled.y_min + (int32_t)part.y_min) * cell_m, 0},
        .ground = ground};
    return cairn_map_frame_mistake(ret_map) == NULL ? CAIRN_OK : CAIRN_ERR_TOO_LARGE;
}

cairn_vec2 cairn_map_centre_of(const cairn_map *map, uint32_t x, uint32_t y)
{
    return cairn_pose2_apply(map->map_T_corner, (cairn_vec2){(x + 0.5) * map->cell_m, (y + 0.5) * map->cell_m});
}

cairn_ground cairn_map_at(const cairn_map *map, cairn_vec2 at_m)
{
    return cairn_map_from_corner(map, cairn_pose2_apply(cairn_pose2_inverse(map->map_T_corner), at_m));
}

cairn_ground cairn_map_from_corner(const cairn_map *map, cairn_vec2 in_m)
{
    const double x = floor(in_m.x / map->cell_m), y = floor(in_m.y / map->cell_m);
    if (!(x >= 0 && y >= 0 && x < map->width && y < map->height)) { return CAIRN_GROUND_UNKNOWN; }
    return (cairn_ground)map->ground[(size_t)y * map->width + (size_t)x];
}

cairn_map_counts cairn_map_count(const cairn_map *map)
{
    size_t counts[3] = {0};
    for (size_t i = 0; i < (size_t)map->width * map->height; i++) { counts[map->ground[i]]++; }
    return (cairn_map_counts){.unknown = counts[CAIRN_GROUND_UNKNOWN],
                              .free = counts[CAIRN_GROUND_FREE],
                              .obstacle = counts[CAIRN_GROUND_OBSTACLE]};
}
