// terrain_planes.c - every fine cell is carried into the one coarse cell that holds its middle.
//
// Sampling the other way, from coarse cells to points of the fine grid, would miss fine cells wherever the node is
// turned, and a thin wall would get holes.
#include "maps/terrain_planes.h"
#include "maps/local/local_grid_cells.h"
#include <math.h>

// The fine cells that may touch the planes: a box around the turned square, cut to the window.
typedef struct fine_box {
    int32_t x_min, y_min, x_max, y_max; // inclusive
} fine_box;

static fine_box box_around(const cairn_local_grid *grid, cairn_pose2 map_T_node, double edge_m)
{
    const double reach_m = 0.5 * edge_m * (fabs(cos(map_T_node.yaw_rad)) + fabs(sin(map_T_node.yaw_rad)));
    const int32_t last = (int32_t)grid->def.size_cells - 1;
    fine_box box = {cairn_cell_floor((map_T_node.x_m - reach_m) * grid->cells_per_m),
                    cairn_cell_floor((map_T_node.y_m - reach_m) * grid->cells_per_m),
                    cairn_cell_floor((map_T_node.x_m + reach_m) * grid->cells_per_m),
                    cairn_cell_floor((map_T_node.y_m + reach_m) * grid->cells_per_m)};
    if (box.x_min < grid->min_x) { box.x_min = grid->min_x; }
    if (box.y_min < grid->min_y) { box.y_min = grid->min_y; }
    if (box.x_max > grid->min_x + last) { box.x_max = grid->min_x + last; }
    if (box.y_max > grid->min_y + last) { box.y_max = grid->min_y + last; }
    return box;
}

// True if none of the eight cells of a row that share a word of the log-odds plane has ever been seen. Most of a window
// has not: skipping it by words makes sampling five times as fast. The window's edge is a multiple of eight.
static bool is_word_unseen(const cairn_local_grid *grid, int32_t x, int32_t y)
{
    uint64_t word = 0;
    memcpy(&word, &grid->logodds[cairn_local_grid_index(grid, x & ~7, y)], sizeof word);
    return word == 0;
}

// known_count: known fine cells of each coarse cell.
static void cells_carry(const cairn_local_grid *grid, cairn_pose2 map_T_node, uint32_t tick, uint8_t *known_count,
                        cairn_terrain_planes *planes)
{
    const fine_box box = box_around(grid, map_T_node, planes->cell_m * planes->width);
    const double scale = grid->def.cell_m / planes->cell_m;
    const double cosine = cos(map_T_node.yaw_rad) * scale, sine = sin(map_T_node.yaw_rad) * scale;
    const double node_x = map_T_node.x_m * grid->cells_per_m - 0.5, node_y = map_T_node.y_m * grid->cells_per_m - 0.5;
    const double half = 0.5 * planes->width;
    for (int32_t y = box.y_min; y <= box.y_max; y++) {
        for (int32_t x = box.x_min; x <= box.x_max; x++) {
            if (((x & 7) == 0 || x == box.x_min) && is_word_unseen(grid, x, y)) {
                x |= 7;
                continue;
            }
            const cairn_ground ground =
                cairn_local_grid_ground(grid, cairn_local_grid_index(grid, x, y), (uint8_t)tick);
            if (ground == CAIRN_GROUND_UNKNOWN) { continue; }
            const double dx = x - node_x, dy = y - node_y;
            const int32_t u = cairn_cell_floor(cosine * dx + sine * dy + half);
            const int32_t v = cairn_cell_floor(-sine * dx + cosine * dy + half);
            if ((uint32_t)u >= planes->width || (uint32_t)v >= planes->height) { continue; }
            const uint32_t cell = (uint32_t)v * planes->width + (uint32_t)u;
            known_count[cell] += known_count[cell] < UINT8_MAX;
            if (ground == CAIRN_GROUND_OBSTACLE) { planes->obstacle[cell >> 3] |= (uint8_t)(1u << (cell & 7)); }
        }
    }
}

void cairn_terrain_planes_sample(const cairn_local_grid *grid, cairn_pose2 map_T_node, double cell_m,
                                 uint32_t size_cells, cairn_mono now, cairn_terrain_planes *ret_planes)
{
    CAIRN_ASSERT(cell_m >= grid->def.cell_m && size_cells > 0);
    CAIRN_ASSERT((uint64_t)size_cells * size_cells <= CAIRN_TERRAIN_CELLS_MAX);
    const double corner_m = -0.5 * cell_m * size_cells;
    ret_planes->cell_m = cell_m;
    ret_planes->width = ret_planes->height = size_cells;
    ret_planes->origin_m = (cairn_vec2){corner_m, corner_m};
    memset(ret_planes->known, 0, sizeof ret_planes->known);
    memset(ret_planes->obstacle, 0, sizeof ret_planes->obstacle);
    const uint32_t tick = cairn_local_grid_tick(grid, now), cells = size_cells * size_cells;
    if (cairn_local_grid_is_stale(grid, tick)) { return; }

    // Half of a coarse cell by area: a turned one may hold a fine cell more or less than its share.
    const double half_count = 0.5 * (cell_m / grid->def.cell_m) * (cell_m / grid->def.cell_m);
    const uint8_t enough = (uint8_t)fmin(floor(half_count) + 1, UINT8_MAX);
    uint8_t known_count[CAIRN_TERRAIN_CELLS_MAX];
    memset(known_count, 0, cells);
    cells_carry(grid, map_T_node, tick, known_count, ret_planes);
    for (uint32_t cell = 0; cell < cells; cell++) {
        // What has an obstacle in it has been seen, even if the rest of it has not.
        const bool known = known_count[cell] >= enough || cairn_plane_bit(ret_planes->obstacle, cell);
        if (known) { ret_planes->known[cell >> 3] |= (uint8_t)(1u << (cell & 7)); }
    }
}
