// frontier.c - where the known ends (Yamauchi 1997), with a place to stand for each.
#include "planning/frontier.h"
#include "planning/clusters.h"
#include <math.h>
#include <string.h>

typedef struct stand {
    uint32_t cell, price;
} stand;

static void mark_row(const uint8_t *ground, uint32_t width, uint32_t height, uint32_t y, uint8_t *wanted)
{
    const uint8_t *here = ground + (size_t)y * width;
    const uint8_t *below = y > 0 ? here - width : here, *above = y + 1 < height ? here + width : here;
    uint8_t *row = wanted + (size_t)y * width;
    for (uint32_t x = 0; x < width; x++) {
        const bool beside = below[x] == CAIRN_GROUND_UNKNOWN || above[x] == CAIRN_GROUND_UNKNOWN;
        row[x] = here[x] == CAIRN_GROUND_FREE && beside;
    }
    for (uint32_t x = 0; x + 1 < width; x++) {
        row[x] |= here[x] == CAIRN_GROUND_FREE && here[x + 1] == CAIRN_GROUND_UNKNOWN;
        row[x + 1] |= here[x + 1] == CAIRN_GROUND_FREE && here[x] == CAIRN_GROUND_UNKNOWN;
    }
}

static stand cheapest_of(const cairn_reach *reach, const uint32_t *cells, uint32_t count)
{
    stand best = {.cell = cells[0], .price = CAIRN_REACH_NEVER};
    for (uint32_t i = 0; i < count; i++) {
        if (reach->price[cells[i]] < best.price) { best = (stand){cells[i], reach->price[cells[i]]}; }
    }
    return best;
}

// Looks around one cell for a cheaper stand that sees it. Most cells fail by their price; only the rest pay for a line.
static void look_around(const uint8_t *ground, const cairn_reach *reach, uint32_t cell, double standoff_cells,
                        stand *best)
{
    const int32_t width = (int32_t)reach->grid->width, height = (int32_t)reach->grid->height;
    const int32_t x = (int32_t)cell % width, y = (int32_t)cell / width, far = (int32_t)standoff_cells;
    for (int32_t dy = -far; dy <= far; dy++) {
        if (y + dy < 0 || y + dy >= height) { continue; }
        const int32_t half = (int32_t)sqrt(standoff_cells * standoff_cells - dy * dy);
        const int32_t first = x - half > 0 ? x - half : 0, last = x + half < width - 1 ? x + half : width - 1;
        const uint32_t row = (uint32_t)((y + dy) * width);
        for (uint32_t at = row + (uint32_t)first; at <= row + (uint32_t)last; at++) {
            const uint32_t price = reach->price[at];
            if (price < best->price && cairn_cells_see(ground, (uint32_t)width, at, cell)) {
                *best = (stand){at, price};
            }
        }
    }
}

// The cheapest reached cell of the cluster, or else the cheapest that sees into it.
static stand find_stand(const uint8_t *ground, const cairn_reach *reach, const uint32_t *cells, uint32_t count,
                        double standoff_cells)
{
    stand best = cheapest_of(reach, cells, count);
    if (best.price != CAIRN_REACH_NEVER) { return best; }
    for (uint32_t i = 0; i < count; i++) { look_around(ground, reach, cells[i], standoff_cells, &best); }
    return best;
}

static cairn_vec2 middle_of(const cairn_cost_grid *grid, const uint32_t *cells, uint32_t count)
{
    uint64_t x = 0, y = 0;
    for (uint32_t i = 0; i < count; i++) {
        x += cells[i] % grid->width;
        y += cells[i] / grid->width;
    }
    return (cairn_vec2){grid->origin_m.x + ((double)x / count + 0.5) * grid->cell_m,
                        grid->origin_m.y + ((double)y / count + 0.5) * grid->cell_m};
}

// Keeps the list in order of price, the earlier of equals first, and at most count_max long.
static void insert(cairn_frontier *list, uint32_t count_max, uint32_t *count, const cairn_frontier *frontier)
{
    uint32_t at = *count;
    while (at > 0 && list[at - 1].price > frontier->price) { at--; }
    if (at == count_max) { return; }
    if (*count < count_max) { (*count)++; }
    memmove(list + at + 1, list + at, (*count - at - 1) * sizeof *list);
    list[at] = *frontier;
}

cairn_err cairn_frontiers_find(const uint8_t *ground, const cairn_reach *reach, uint32_t cell_count_min,
                               double standoff_m, cairn_arena *scratch, uint32_t frontier_count_max,
                               cairn_frontier *ret_frontiers, uint32_t *ret_count)
{
    const cairn_cost_grid *grid = reach->grid;
    const uint32_t width = grid->width, height = grid->height;
    const double standoff_cells = standoff_m / grid->cell_m + 1e-9; // a whole number of cells must not round down
    CAIRN_ASSERT(standoff_m >= 0 && standoff_cells < 10000);
    const size_t mark = cairn_arena_mark(scratch);
    uint8_t *wanted = CAIRN_TAKE(scratch, uint8_t, (size_t)width * height);
    uint32_t *cells = CAIRN_TAKE(scratch, uint32_t, (size_t)width * height);
    if (!wanted || !cells) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }

    for (uint32_t y = 0; y < height; y++) { mark_row(ground, width, height, y, wanted); }
    uint32_t kept = 0;
    for (uint32_t seed = cairn_cluster_seed(wanted, width, height, 0); seed < width * height;
         seed = cairn_cluster_seed(wanted, width, height, seed + 1)) {
        const uint32_t count = cairn_cluster_take(wanted, width, height, seed, cells);
        if (count < cell_count_min) { continue; }
        const stand best = find_stand(ground, reach, cells, count, standoff_cells);
        if (best.price == CAIRN_REACH_NEVER) { continue; }
        insert(ret_frontiers, frontier_count_max, &kept,
               &(cairn_frontier){.cell_count = count,
                                 .middle_m = middle_of(grid, cells, count),
                                 .nearest_cell = best.cell,
                                 .price = best.price});
    }
    cairn_arena_reset(scratch, mark);
    *ret_count = kept;
    return CAIRN_OK;
}
