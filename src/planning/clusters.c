// clusters.c - cells that hang together, and lines of sight between cells.
#include "planning/clusters.h"
#include "base/status.h"
#include "maps/local/local_grid.h"
#include <stdlib.h>
#include <string.h>

uint32_t cairn_cluster_seed(const uint8_t *wanted, uint32_t width, uint32_t height, uint32_t from)
{
    const uint32_t count = width * height;
    for (; from < count; from++) {
        uint64_t eight = 1;
        if (count - from >= sizeof eight) { memcpy(&eight, wanted + from, sizeof eight); }
        if (eight == 0) {
            from += sizeof eight - 1;
        } else if (wanted[from] != 0) {
            return from;
        }
    }
    return count;
}

uint32_t cairn_cluster_take(uint8_t *wanted, uint32_t width, uint32_t height, uint32_t seed, uint32_t *ret_cells)
{
    CAIRN_ASSERT(width > 0 && seed < width * height && wanted[seed] != 0);
    uint32_t count = 1;
    ret_cells[0] = seed;
    wanted[seed] = 0;
    for (uint32_t done = 0; done < count; done++) {
        const uint32_t x = ret_cells[done] % width, y = ret_cells[done] / width;
        const uint32_t x_end = x + 1 < width ? x + 2 : width, y_end = y + 1 < height ? y + 2 : height;
        for (uint32_t near_y = y > 0 ? y - 1 : 0; near_y < y_end; near_y++) {
            for (uint32_t near_x = x > 0 ? x - 1 : 0; near_x < x_end; near_x++) {
                const uint32_t cell = near_y * width + near_x;
                if (wanted[cell] == 0) { continue; }
                wanted[cell] = 0;
                ret_cells[count++] = cell;
            }
        }
    }
    return count;
}

// ahead is positive when the next border crossed is one between columns, negative for rows, zero for a corner.
bool cairn_cells_see(const uint8_t *ground, uint32_t width, uint32_t from, uint32_t to)
{
    const int32_t dx = (int32_t)(to % width) - (int32_t)(from % width);
    const int32_t dy = (int32_t)(to / width) - (int32_t)(from / width);
    const uint32_t step_x = dx < 0 ? -1u : 1u, step_y = dy < 0 ? -width : width;
    const int32_t by_x = 2 * abs(dx), by_y = 2 * abs(dy);
    int32_t ahead = (by_x - by_y) / 2;
    for (uint32_t cell = from; cell != to;) {
        if (cell != from && ground[cell] != CAIRN_GROUND_FREE) { return false; }
        if (ahead > 0) {
            cell += step_x;
            ahead -= by_y;
        } else if (ahead < 0) {
            cell += step_y;
            ahead += by_x;
        } else {
            const bool is_clear =
                ground[cell + step_x] == CAIRN_GROUND_FREE && ground[cell + step_y] == CAIRN_GROUND_FREE;
            if (!is_clear) { return false; }
            cell += step_x + step_y;
            ahead = by_x - by_y;
        }
    }
    return true;
}
