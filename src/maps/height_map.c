// height_map.c - rays are walked into a window around the sensor, then each cell that they touched is changed once.
#include "maps/height_map.h"
#include "geometry/rays.h"
#include "maps/local/local_grid_cells.h"
#include "maps/logodds.h"
#include "maps/tile_pool.h"
#include <math.h>

#define TILE_BITS 5
#define TILE_CELLS (1 << TILE_BITS)
#define PLACE_CELLS_MAX 1e6

typedef struct tile {
    int8_t logodds[TILE_CELLS * TILE_CELLS]; // 0 unknown, < 0 free, > 0 occupied
    float height_m[TILE_CELLS * TILE_CELLS]; // means something only where occupied
    uint32_t seen[TILE_CELLS * TILE_CELLS];  // number of the last scan that told something
} tile;

// What the scan in hand says of a cell of the window.
typedef struct touch {
    float pass_m; // lowest ray through it, INFINITY: none
    float end_m;  // highest end in it, -INFINITY: none
} touch;

struct cairn_height_map {
    cairn_height_map_def def;
    int8_t hit, miss;
    uint32_t scan_count; // ever; from 1 on
    cairn_tile_pool pool;
    tile *tiles;
    uint32_t window_cells;            // along one edge
    int32_t min_x, min_y;             // lower left cell of the window of the scan in hand
    touch *window;                    // untouched between scans
    uint32_t *touched, touched_count; // its cells that this scan touched
};

static const touch untouched = {.pass_m = INFINITY, .end_m = -INFINITY};

cairn_height_map_def cairn_height_map_def_default(void)
{
    const cairn_local_grid_def local = cairn_local_grid_def_default();
    return (cairn_height_map_def){.cell_m = 0.1,
                                  .tile_count = 2048, // 20,000 m2, 18.9 MB
                                  .range_m_max = 8.0,
                                  .clear_below_m = 0.8,
                                  .logodds_hit = local.logodds_hit,
                                  .logodds_miss = local.logodds_miss,
                                  .logodds_limit = local.logodds_limit};
}

static uint32_t window_tiles(const cairn_height_map_def *def)
{
    return (uint32_t)ceil(2 * (def->range_m_max / def->cell_m + 2) / TILE_CELLS) + 1;
}

uint32_t cairn_height_map_tiles_min(const cairn_height_map_def *def) { return window_tiles(def) * window_tiles(def); }

cairn_err cairn_height_map_create(const cairn_height_map_def *def, cairn_arena *arena, cairn_height_map **ret_map)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->range_m_max > 0 && def->range_m_max / def->cell_m < 4096);
    CAIRN_ASSERT(def->logodds_hit > 0 && def->logodds_miss < 0 && def->logodds_limit > 0);
    CAIRN_ASSERT(def->tile_count >= cairn_height_map_tiles_min(def));
    const uint32_t edge_cells = window_tiles(def) * TILE_CELLS;
    const size_t mark = cairn_arena_mark(arena), cells = (size_t)edge_cells * edge_cells;
    cairn_height_map *map = CAIRN_TAKE(arena, cairn_height_map, 1);
    tile *tiles = CAIRN_TAKE(arena, tile, def->tile_count);
    touch *window = CAIRN_TAKE(arena, touch, cells);
    uint32_t *touched = CAIRN_TAKE(arena, uint32_t, cells);
    if (!map || !tiles || !window || !touched || cairn_tile_pool_init(&map->pool, def->tile_count, arena) != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    for (size_t i = 0; i < cells; i++) { window[i] = untouched; }
    map->def = *def;
    map->hit = cairn_logodds_in_steps(def->logodds_hit, def->logodds_limit);
    map->miss = cairn_logodds_in_steps(def->logodds_miss, def->logodds_limit);
    map->tiles = tiles;
    map->window_cells = edge_cells;
    map->window = window;
    map->touched = touched;
    *ret_map = map;
    return CAIRN_OK;
}

// Millions of cells are crossed a second, so comparisons are written out: fmin and fmax must also mind what is no
// number.
static inline float lower(float a, float b) { return a < b ? a : b; }
static inline float higher(float a, float b) { return a > b ? a : b; }

static inline touch *touch_at(cairn_height_map *map, int32_t x, int32_t y)
{
    const uint32_t cell = (uint32_t)(y - map->min_y) * map->window_cells + (uint32_t)(x - map->min_x);
    touch *t = &map->window[cell];
    if (t->pass_m == INFINITY && t->end_m == -INFINITY) { map->touched[map->touched_count++] = cell; }
    return t;
}

// A ray passes a cell at the higher end of its way through it: only if all of it is below, the cell is cleared.
static void ray_walk(cairn_height_map *map, cairn_vec3 from_m, cairn_vec3 end_m, bool hit)
{
    const double rise_m = end_m.z - from_m.z;
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, (cairn_vec2){0, 0}, map->def.cell_m, (cairn_vec2){from_m.x, from_m.y},
                          (cairn_vec2){end_m.x, end_m.y});
    CAIRN_ASSERT((uint32_t)(walk.x - map->min_x) < map->window_cells);
    CAIRN_ASSERT((uint32_t)(walk.y - map->min_y) < map->window_cells);
    CAIRN_ASSERT((uint32_t)(walk.end_x - map->min_x) < map->window_cells);
    CAIRN_ASSERT((uint32_t)(walk.end_y - map->min_y) < map->window_cells);
    double entered = 0; // [-] part of the way
    for (;;) {
        const bool last = walk.steps_left == 0;
        touch *t = touch_at(map, walk.x, walk.y);
        if (last && hit) {
            t->end_m = higher(t->end_m, (float)end_m.z);
            return;
        }
        const double border = walk.next_x < walk.next_y ? walk.next_x : walk.next_y, left = border < 1 ? border : 1;
        t->pass_m = lower(t->pass_m, (float)(from_m.z + rise_m * (rise_m > 0 ? left : entered)));
        entered = left;
        if (!cairn_grid_walk_next(&walk)) { return; }
    }
}

static void ray_end(cairn_height_map *map, cairn_vec3 end_m)
{
    touch *t = touch_at(map, cairn_cell_floor(end_m.x / map->def.cell_m), cairn_cell_floor(end_m.y / map->def.cell_m));
    t->end_m = higher(t->end_m, (float)end_m.z);
}

static void ray_add(cairn_height_map *map, cairn_vec3 from_m, const cairn_height_ray *ray)
{
    const double dx = ray->end_m.x - from_m.x, dy = ray->end_m.y - from_m.y, dz = ray->end_m.z - from_m.z;
    const double along_m = hypot(dx, dy);
    if (!isfinite(along_m) || !isfinite(dz)) { return; }
    if (ray->end_only) {
        if (ray->hit && along_m <= map->def.range_m_max) { ray_end(map, ray->end_m); }
    } else if (along_m <= map->def.range_m_max) {
        ray_walk(map, from_m, ray->end_m, ray->hit);
    } else {
        const double part = map->def.range_m_max / along_m;
        ray_walk(map, from_m, (cairn_vec3){from_m.x + part * dx, from_m.y + part * dy, from_m.z + part * dz}, false);
    }
}

static bool is_forgotten(const cairn_height_map *map, const tile *at, uint32_t cell)
{
    return map->def.memory_scans > 0 && map->scan_count - at->seen[cell] > map->def.memory_scans;
}

static void cell_change(const cairn_height_map *map, tile *at, uint32_t cell, touch t)
{
    int8_t *logodds = &at->logodds[cell];
    float *height_m = &at->height_m[cell];
    if (is_forgotten(map, at, cell)) { *logodds = 0; }
    const bool occupied = *logodds > 0;
    if (t.end_m != -INFINITY) {
        *height_m = occupied ? higher(*height_m, t.end_m) : t.end_m;
        const int value = *logodds + map->hit;
        *logodds = (int8_t)(value < CAIRN_LOGODDS_LIMIT ? value : CAIRN_LOGODDS_LIMIT);
        at->seen[cell] = map->scan_count;
    } else if (t.pass_m < (occupied ? *height_m : (float)map->def.clear_below_m)) {
        const int value = *logodds + map->miss;
        *logodds = (int8_t)(value > -CAIRN_LOGODDS_LIMIT ? value : -CAIRN_LOGODDS_LIMIT);
        at->seen[cell] = map->scan_count;
    }
}

// Rays cross cell after cell of one tile, so most of those touched lie in the tile of the one before.
static void change_touched(cairn_height_map *map)
{
    tile *place = NULL;
    int32_t tile_x = 0, tile_y = 0;
    for (uint32_t i = 0; i < map->touched_count; i++) {
        const uint32_t at = map->touched[i];
        const int32_t cell_x = map->min_x + (int32_t)(at % map->window_cells);
        const int32_t cell_y = map->min_y + (int32_t)(at / map->window_cells);
        if (place == NULL || tile_x != cell_x >> TILE_BITS || tile_y != cell_y >> TILE_BITS) {
            bool fresh;
            tile_x = cell_x >> TILE_BITS;
            tile_y = cell_y >> TILE_BITS;
            place = &map->tiles[cairn_tile_pool_touch(&map->pool, tile_x, tile_y, &fresh)];
            if (fresh) { *place = (tile){0}; }
        }
        cell_change(map, place, (uint32_t)((cell_y & (TILE_CELLS - 1)) * TILE_CELLS + (cell_x & (TILE_CELLS - 1))),
                    map->window[at]);
        map->window[at] = untouched;
    }
}

void cairn_height_map_add(cairn_height_map *map, cairn_vec3 from_m, const cairn_height_ray *rays, uint32_t count)
{
    const double x = from_m.x / map->def.cell_m, y = from_m.y / map->def.cell_m;
    if (!(fabs(x) < PLACE_CELLS_MAX && fabs(y) < PLACE_CELLS_MAX) || !isfinite(from_m.z)) { return; }
    const int32_t reach = (int32_t)ceil(map->def.range_m_max / map->def.cell_m) + 1;
    map->min_x = (cairn_cell_floor(x) - reach) & ~(TILE_CELLS - 1);
    map->min_y = (cairn_cell_floor(y) - reach) & ~(TILE_CELLS - 1);
    map->touched_count = 0;
    map->scan_count++;
    for (uint32_t i = 0; i < count; i++) { ray_add(map, from_m, &rays[i]); }
    change_touched(map);
}

void cairn_height_map_forget(cairn_height_map *map)
{
    CAIRN_ASSERT(map->def.memory_scans > 0);
    map->scan_count += map->def.memory_scans + 1;
}

cairn_height_cell cairn_height_map_at(const cairn_height_map *map, cairn_vec2 at_m)
{
    const cairn_height_cell unknown = {.ground = CAIRN_GROUND_UNKNOWN, .height_m = NAN, .p_occupied = 0.5f};
    const double x_cells = at_m.x / map->def.cell_m, y_cells = at_m.y / map->def.cell_m;
    if (!(fabs(x_cells) < 2 * PLACE_CELLS_MAX && fabs(y_cells) < 2 * PLACE_CELLS_MAX)) { return unknown; }
    const int32_t x = cairn_cell_floor(x_cells), y = cairn_cell_floor(y_cells);
    const uint32_t slot = cairn_tile_pool_find(&map->pool, x >> TILE_BITS, y >> TILE_BITS);
    if (slot == CAIRN_TILE_NONE) { return unknown; }
    const uint32_t cell = (uint32_t)((y & (TILE_CELLS - 1)) * TILE_CELLS + (x & (TILE_CELLS - 1)));
    const int8_t logodds = map->tiles[slot].logodds[cell];
    if (logodds == 0 || is_forgotten(map, &map->tiles[slot], cell)) { return unknown; }
    return (cairn_height_cell){
        .ground = logodds > 0 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE,
        .height_m = logodds > 0 ? map->tiles[slot].height_m[cell] : NAN,
        .p_occupied = cairn_logodds_p(logodds, map->def.logodds_limit),
    };
}

uint32_t cairn_height_map_tiles_used(const cairn_height_map *map) { return map->pool.used_count; }
uint32_t cairn_height_map_tiles_given_up(const cairn_height_map *map) { return map->pool.given_up_count; }
