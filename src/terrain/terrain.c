// terrain.c - the stages one after the other, over arrays of one kind of value each.
#include "terrain/terrain.h"

#define SCRATCH_PER_CELL (2 * sizeof(int32_t)) // the up-detector's two; drops take less
#define SCRATCH_SLACK 256                      // blocks begin at multiples of 64 bytes

struct cairn_terrain {
    cairn_terrain_def def;
    int32_t *lowest_um; // of all returns of a cell
    int32_t *ground_um, *low_um, *top_um;
    uint8_t *cells, *up, *drop;
    uint32_t *point_cells;
    int32_t *points_um;
    cairn_arena scratch;
};

cairn_terrain_def cairn_terrain_def_default(void)
{
    return (cairn_terrain_def){
        .area = {.origin_m = {-10, -10}, .cell_m = 0.05, .width = 400, .height = 400},
        .points_max = 65536,
        .ground = cairn_ground_def_default(),
        .clearance_m = 1.0,
        .below_m = 0.15,
        .up = cairn_up_def_default(),
        .drop = cairn_drop_def_default(),
    };
}

static bool terrain_take(cairn_terrain *terrain, cairn_arena *arena)
{
    const size_t cell_count = cairn_terrain_cell_count(&terrain->def.area), point_count = terrain->def.points_max;
    const size_t scratch_bytes = cell_count * SCRATCH_PER_CELL + SCRATCH_SLACK;
    terrain->lowest_um = CAIRN_TAKE(arena, int32_t, cell_count);
    terrain->ground_um = CAIRN_TAKE(arena, int32_t, cell_count);
    terrain->low_um = CAIRN_TAKE(arena, int32_t, cell_count);
    terrain->top_um = CAIRN_TAKE(arena, int32_t, cell_count);
    terrain->cells = CAIRN_TAKE(arena, uint8_t, cell_count);
    terrain->up = CAIRN_TAKE(arena, uint8_t, cell_count);
    terrain->drop = CAIRN_TAKE(arena, uint8_t, cell_count);
    terrain->point_cells = CAIRN_TAKE(arena, uint32_t, point_count);
    terrain->points_um = CAIRN_TAKE(arena, int32_t, point_count);
    void *scratch = cairn_arena_take(arena, scratch_bytes, 1);
    if (scratch) { cairn_arena_init(&terrain->scratch, scratch, scratch_bytes); }
    return terrain->lowest_um && terrain->ground_um && terrain->low_um && terrain->top_um && terrain->cells &&
           terrain->up && terrain->drop && terrain->point_cells && terrain->points_um && scratch;
}

cairn_err cairn_terrain_create(const cairn_terrain_def *def, cairn_arena *arena, cairn_terrain **ret_terrain)
{
    CAIRN_ASSERT(def->area.width > 0 && def->area.width <= CAIRN_TERRAIN_EDGE_CELLS_MAX);
    CAIRN_ASSERT(def->area.height > 0 && def->area.height <= CAIRN_TERRAIN_EDGE_CELLS_MAX && def->area.cell_m > 0);
    CAIRN_ASSERT(def->points_max > 0 && def->clearance_m > 0 && def->clearance_m < 100);
    CAIRN_ASSERT(def->below_m >= 0 && def->below_m < 100);
    const size_t mark = cairn_arena_mark(arena);
    cairn_terrain *terrain = CAIRN_TAKE(arena, cairn_terrain, 1);
    if (terrain) { terrain->def = *def; }
    if (!terrain || !terrain_take(terrain, arena)) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *ret_terrain = terrain;
    return CAIRN_OK;
}

// Which points are a robot's business, and the lowest and highest of them in each cell.
static void points_filter(cairn_terrain *terrain, uint32_t point_count)
{
    const size_t cell_count = cairn_terrain_cell_count(&terrain->def.area);
    const int32_t over_um = cairn_um(terrain->def.clearance_m), under_um = cairn_um(terrain->def.below_m);
    for (size_t i = 0; i < cell_count; i++) { terrain->low_um[i] = CAIRN_HEIGHT_NONE; }
    for (size_t i = 0; i < cell_count; i++) { terrain->top_um[i] = -CAIRN_HEIGHT_NONE; }
    for (uint32_t i = 0; i < point_count; i++) {
        const uint32_t cell = terrain->point_cells[i];
        if (cell == CAIRN_CELL_NONE) { continue; }
        const int32_t z_um = terrain->points_um[i], ground_um = terrain->ground_um[cell];
        if (z_um > ground_um + over_um || z_um < ground_um - under_um) {
            terrain->point_cells[i] = CAIRN_CELL_NONE;
            continue;
        }
        terrain->low_um[cell] = cairn_um_min(terrain->low_um[cell], z_um);
        terrain->top_um[cell] = cairn_um_max(terrain->top_um[cell], z_um);
    }
}

// The arrays are apart, and compilers must know it to take many cells at a time.
static void cells_label(const int32_t *restrict low_um, const uint8_t *restrict up, const uint8_t *restrict drop,
                        size_t cell_count, uint8_t *restrict ret_cells)
{
    for (size_t i = 0; i < cell_count; i++) {
        const uint8_t seen = low_um[i] != CAIRN_HEIGHT_NONE ? CAIRN_CELL_DRIVABLE : CAIRN_CELL_UNKNOWN;
        const uint8_t level = drop[i] ? (uint8_t)CAIRN_CELL_DROP : seen;
        ret_cells[i] = up[i] ? (uint8_t)CAIRN_CELL_OBSTACLE : level;
    }
}

void cairn_terrain_step(cairn_terrain *terrain, const cairn_terrain_sweep *sweep, cairn_terrain_view *ret_view)
{
    const cairn_terrain_def *def = &terrain->def;
    CAIRN_ASSERT(sweep->hits.count <= def->points_max);
    cairn_ground_bin(&def->area, &sweep->hits, terrain->point_cells, terrain->points_um, terrain->lowest_um);
    cairn_ground_support(&def->area, &def->ground, terrain->lowest_um, terrain->ground_um);
    cairn_ground_spread(&def->area, def->ground.slope, terrain->ground_um);
    points_filter(terrain, sweep->hits.count);

    cairn_err err =
        cairn_up_detect(&def->area, &def->up, terrain->low_um, terrain->top_um, &terrain->scratch, terrain->up);
    CAIRN_ASSERT(err == CAIRN_OK); // the scratch is as large as they say
    const cairn_drop_ground ground = {terrain->low_um, terrain->up};
    err = cairn_drops_find(&def->area, &def->drop, sweep, &ground, &terrain->scratch, terrain->drop);
    CAIRN_ASSERT(err == CAIRN_OK);
    cells_label(terrain->low_um, terrain->up, terrain->drop, cairn_terrain_cell_count(&def->area), terrain->cells);

    *ret_view = (cairn_terrain_view){.area = def->area,
                                     .cells = terrain->cells,
                                     .ground_um = terrain->ground_um,
                                     .low_um = terrain->low_um,
                                     .top_um = terrain->top_um,
                                     .point_cells = terrain->point_cells,
                                     .point_count = sweep->hits.count};
}

void cairn_terrain_drivability(const cairn_terrain_view *view, uint8_t *ret_ground, cairn_drivability_map *ret_map)
{
    static const uint8_t ground_of[] = {[CAIRN_CELL_UNKNOWN] = CAIRN_GROUND_UNKNOWN,
                                        [CAIRN_CELL_DRIVABLE] = CAIRN_GROUND_FREE,
                                        [CAIRN_CELL_OBSTACLE] = CAIRN_GROUND_OBSTACLE,
                                        [CAIRN_CELL_DROP] = CAIRN_GROUND_OBSTACLE};
    const size_t cell_count = cairn_terrain_cell_count(&view->area);
    for (size_t i = 0; i < cell_count; i++) { ret_ground[i] = ground_of[view->cells[i]]; }
    *ret_map = (cairn_drivability_map){.origin_m = view->area.origin_m,
                                       .cell_m = view->area.cell_m,
                                       .width = view->area.width,
                                       .height = view->area.height,
                                       .ground = ret_ground};
}
