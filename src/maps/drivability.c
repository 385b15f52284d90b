// drivability.c - a ring of maps as they came; merging carries each into the area that is asked for.
//
// Obstacles are carried both ways, from the map's cells to the area's and back: whichever grid is turned against the
// other, none is lost between two cells. Carrying into a fixed grid at once would be cheaper to read, but a map could
// not be taken out again.
#include "maps/drivability.h"
#include "maps/local/local_grid_cells.h"
#include <math.h>

typedef struct kept_map {
    cairn_pose2 private_T_sweep;
    cairn_drivability_map map; // ground: in the ring's memory
} kept_map;

struct cairn_drivability {
    cairn_drivability_def def;
    uint8_t *cells;
    kept_map *maps;
    uint32_t count, next; // next: the slot that the next map goes to
};

cairn_drivability_def cairn_drivability_def_default(void)
{
    return (cairn_drivability_def){.map_count = 12, .cells_max = 400 * 400};
}

cairn_err cairn_drivability_create(const cairn_drivability_def *def, cairn_arena *arena,
                                   cairn_drivability **ret_drivability)
{
    CAIRN_ASSERT(def->map_count > 0 && def->cells_max > 0);
    const size_t mark = cairn_arena_mark(arena);
    cairn_drivability *drivability = CAIRN_TAKE(arena, cairn_drivability, 1);
    uint8_t *cells = CAIRN_TAKE(arena, uint8_t, (size_t)def->map_count * def->cells_max);
    kept_map *maps = CAIRN_TAKE(arena, kept_map, def->map_count);
    if (!drivability || !cells || !maps) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *drivability = (cairn_drivability){.def = *def, .cells = cells, .maps = maps};
    *ret_drivability = drivability;
    return CAIRN_OK;
}

cairn_err cairn_drivability_add(cairn_drivability *drivability, cairn_pose2 private_T_sweep,
                                const cairn_drivability_map *map)
{
    CAIRN_ASSERT(map->cell_m > 0 && map->width > 0 && map->height > 0);
    const uint64_t count = (uint64_t)map->width * map->height;
    if (count > drivability->def.cells_max) { return CAIRN_ERR_FULL; }
    const uint32_t slot = drivability->next;
    uint8_t *cells = drivability->cells + (size_t)slot * drivability->def.cells_max;
    memcpy(cells, map->ground, count);
    drivability->maps[slot] = (kept_map){.private_T_sweep = private_T_sweep, .map = *map};
    drivability->maps[slot].map.ground = cells;
    drivability->next = (slot + 1) % drivability->def.map_count;
    if (drivability->count < drivability->def.map_count) { drivability->count++; }
    return CAIRN_OK;
}

// u, v of a point in cells of some grid: an affine function of x, y in cells of another.
typedef struct carry {
    double u0, v0, cosine, sine;
} carry;

// From the middles of the cells of a grid at `from` to cells of the map, given the pose of the grid's frame in the
// map's.
static carry carry_make(cairn_pose2 to_T_from, cairn_vec2 from_origin_m, double from_cell_m, cairn_vec2 to_origin_m,
                        double to_cell_m)
{
    const cairn_vec2 first = {from_origin_m.x + 0.5 * from_cell_m, from_origin_m.y + 0.5 * from_cell_m};
    const cairn_vec2 there = cairn_pose2_apply(to_T_from, first);
    const double scale = from_cell_m / to_cell_m;
    return (carry){.u0 = (there.x - to_origin_m.x) / to_cell_m,
                   .v0 = (there.y - to_origin_m.y) / to_cell_m,
                   .cosine = scale * cos(to_T_from.yaw_rad),
                   .sine = scale * sin(to_T_from.yaw_rad)};
}

// The cell that holds the middle of cell (x, y) of the other grid; false if it lies outside.
static inline bool carry_cell(const carry *c, uint32_t x, uint32_t y, uint32_t width, uint32_t height, size_t *ret_cell)
{
    const double u = c->u0 + c->cosine * x - c->sine * y, v = c->v0 + c->sine * x + c->cosine * y;
    if (!(u >= 0 && v >= 0 && u < width && v < height)) { return false; }
    *ret_cell = (size_t)(uint32_t)v * width + (uint32_t)u;
    return true;
}

static void obstacles_carry(const kept_map *kept, const cairn_drivability_area *area, uint8_t *ret_ground)
{
    const cairn_drivability_map *map = &kept->map;
    const carry to_area = carry_make(kept->private_T_sweep, map->origin_m, map->cell_m, area->origin_m, area->cell_m);
    for (uint32_t y = 0; y < map->height; y++) {
        const uint8_t *row = map->ground + (size_t)y * map->width;
        const uint8_t *at = row;
        while ((at = memchr(at, CAIRN_GROUND_OBSTACLE, (size_t)(row + map->width - at))) != NULL) {
            size_t cell;
            if (carry_cell(&to_area, (uint32_t)(at - row), y, area->width, area->height, &cell)) {
                ret_ground[cell] = CAIRN_GROUND_OBSTACLE;
            }
            at++;
        }
    }
}

// The greater word counts: unknown < free < obstacle.
static void cells_look_up(const kept_map *kept, const cairn_drivability_area *area, uint8_t *ret_ground)
{
    const cairn_drivability_map *map = &kept->map;
    const carry to_map = carry_make(cairn_pose2_inverse(kept->private_T_sweep), area->origin_m, area->cell_m,
                                    map->origin_m, map->cell_m);
    for (uint32_t y = 0; y < area->height; y++) {
        for (uint32_t x = 0; x < area->width; x++) {
            size_t cell;
            if (!carry_cell(&to_map, x, y, map->width, map->height, &cell)) { continue; }
            uint8_t *ground = &ret_ground[(size_t)y * area->width + x];
            if (map->ground[cell] > *ground) { *ground = map->ground[cell]; }
        }
    }
}

void cairn_drivability_merge(const cairn_drivability *drivability, const cairn_drivability_area *area,
                             uint8_t *ret_ground)
{
    CAIRN_ASSERT(area->cell_m > 0);
    memset(ret_ground, CAIRN_GROUND_UNKNOWN, (size_t)area->width * area->height);
    for (uint32_t i = 0; i < drivability->count; i++) {
        cells_look_up(&drivability->maps[i], area, ret_ground);
        obstacles_carry(&drivability->maps[i], area, ret_ground);
    }
}

static bool has_obstacle_near(const kept_map *kept, cairn_vec2 at_m, double radius_m)
{
    const cairn_drivability_map *map = &kept->map;
    const cairn_vec2 there = cairn_pose2_apply(cairn_pose2_inverse(kept->private_T_sweep), at_m);
    for (uint32_t y = 0; y < map->height; y++) {
        const double dy = map->origin_m.y + (y + 0.5) * map->cell_m - there.y;
        if (fabs(dy) > radius_m) { continue; }
        for (uint32_t x = 0; x < map->width; x++) {
            const double dx = map->origin_m.x + (x + 0.5) * map->cell_m - there.x;
            if (map->ground[(size_t)y * map->width + x] == CAIRN_GROUND_OBSTACLE &&
                dx * dx + dy * dy <= radius_m * radius_m) {
                return true;
            }
        }
    }
    return false;
}

uint32_t cairn_drivability_maps_to_wait(const cairn_drivability *drivability, cairn_vec2 at_m, double radius_m)
{
    const uint32_t map_count = drivability->def.map_count;
    for (uint32_t age = 0; age < drivability->count; age++) { // from the newest: it is forgotten last
        const uint32_t slot = (drivability->next + map_count - 1 - age) % map_count;
        if (has_obstacle_near(&drivability->maps[slot], at_m, radius_m)) { return map_count - age; }
    }
    return 0;
}

void cairn_drivability_forget(cairn_drivability *drivability) { drivability->count = drivability->next = 0; }

uint32_t cairn_drivability_map_count(const cairn_drivability *drivability) { return drivability->count; }
