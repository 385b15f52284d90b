#include "maps/codec/planes_codec.h"
#include "base/hash.h"
#include <string.h>

// Stores and journals hold what was on the air. Version 3 changed one plane alone; two planes are coded as in
// version 2.
_Static_assert(CAIRN_GRID_CODE_VERSION == 3, "terrain_grid has two planes of version 2: others need another message");

#define HALF_UM 1000 // a cell counts as 2 mm here: only whole and half cells are told

static bool is_size_possible(const cairn_terrain_planes *planes)
{
    const uint64_t cells = (uint64_t)planes->width * planes->height;
    return cells > 0 && cells <= CAIRN_TERRAIN_CELLS_MAX && planes->width <= CAIRN_GRID_SIDE_MAX &&
           planes->height <= CAIRN_GRID_SIDE_MAX;
}

bool cairn_planes_overlap(const cairn_planes_earlier *earlier, uint32_t width, uint32_t height)
{
    const int64_t columns = earlier->columns, rows = earlier->rows;
    return columns < (int64_t)earlier->planes->width && columns + (int64_t)width > 0 &&
           rows < (int64_t)earlier->planes->height && rows + (int64_t)height > 0;
}

static void unpack(const cairn_terrain_planes *planes, uint8_t *ret_cells)
{
    for (uint32_t i = 0; i < planes->width * planes->height; i++) {
        const bool known = cairn_plane_bit(planes->known, i), obstacle = known && cairn_plane_bit(planes->obstacle, i);
        ret_cells[i] = (uint8_t)((known ? CAIRN_GRID_KNOWN : 0) | (obstacle ? CAIRN_GRID_OBSTACLE : 0));
    }
}

// False: a cell is an obstacle that is not known.
static bool pack(const uint8_t *cells, cairn_terrain_planes *planes)
{
    memset(planes->known, 0, sizeof planes->known);
    memset(planes->obstacle, 0, sizeof planes->obstacle);
    bool is_sound = true;
    for (uint32_t i = 0; i < planes->width * planes->height; i++) {
        const bool known = (cells[i] & CAIRN_GRID_KNOWN) != 0, obstacle = (cells[i] & CAIRN_GRID_OBSTACLE) != 0;
        planes->known[i >> 3] |= (uint8_t)(known << (i & 7));
        planes->obstacle[i >> 3] |= (uint8_t)(obstacle << (i & 7));
        is_sound &= known || !obstacle;
    }
    return is_sound;
}

// The earlier map as the grid codec wants it; its cells are taken from scratch.
typedef struct earlier_grid {
    cairn_grid_cells grid;
    cairn_grid_earlier earlier;
} earlier_grid;

static cairn_err take_earlier(const cairn_planes_earlier *from, uint32_t width, uint32_t height, cairn_arena *scratch,
                              earlier_grid *ret_earlier)
{
    const cairn_terrain_planes *planes = from->planes;
    uint8_t *cells = CAIRN_TAKE(scratch, uint8_t, CAIRN_TERRAIN_CELLS_MAX);
    if (cells == NULL) { return CAIRN_ERR_FULL; }
    unpack(planes, cells);
    ret_earlier->grid = (cairn_grid_cells){planes->width, planes->height, true, cells};
    // From middle to middle.
    const int32_t x = 2 * from->columns + (int32_t)width - (int32_t)planes->width;
    const int32_t y = 2 * from->rows + (int32_t)height - (int32_t)planes->height;
    ret_earlier->earlier = (cairn_grid_earlier){&ret_earlier->grid, {x * HALF_UM, y * HALF_UM, 0, 2 * HALF_UM}};
    return CAIRN_OK;
}

cairn_err cairn_planes_encode(const cairn_terrain_planes *planes, const cairn_planes_earlier *earlier,
                              cairn_arena *scratch, uint8_t *ret_code, size_t code_bytes_max, size_t *ret_code_bytes)
{
    CAIRN_ASSERT(is_size_possible(planes));
    CAIRN_ASSERT(earlier == NULL || cairn_planes_overlap(earlier, planes->width, planes->height));
    const size_t mark = cairn_arena_mark(scratch);
    earlier_grid after;
    cairn_grid_cells grid = {planes->width, planes->height, true,
                             CAIRN_TAKE(scratch, uint8_t, CAIRN_TERRAIN_CELLS_MAX)};
    cairn_err err = grid.cells == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
    if (err == CAIRN_OK && earlier != NULL) {
        err = take_earlier(earlier, planes->width, planes->height, scratch, &after);
    }
    if (err == CAIRN_OK) {
        unpack(planes, grid.cells);
        err = cairn_grid_encode(&grid, earlier != NULL ? &after.earlier : NULL, scratch, ret_code, code_bytes_max,
                                ret_code_bytes);
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

cairn_err cairn_planes_decode(const uint8_t *code, size_t code_bytes, const cairn_planes_earlier *earlier,
                              cairn_arena *scratch, cairn_terrain_planes *ret_planes)
{
    if (!is_size_possible(ret_planes)) { return CAIRN_ERR_CORRUPT; }
    if (earlier != NULL &&
        (!is_size_possible(earlier->planes) || !cairn_planes_overlap(earlier, ret_planes->width, ret_planes->height))) {
        return CAIRN_ERR_CORRUPT;
    }
    const size_t mark = cairn_arena_mark(scratch);
    earlier_grid after;
    cairn_grid_cells grid = {ret_planes->width, ret_planes->height, true,
                             CAIRN_TAKE(scratch, uint8_t, CAIRN_TERRAIN_CELLS_MAX)};
    cairn_err err = grid.cells == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
    if (err == CAIRN_OK && earlier != NULL) {
        err = take_earlier(earlier, ret_planes->width, ret_planes->height, scratch, &after);
    }
    if (err == CAIRN_OK) {
        err = cairn_grid_decode(code, code_bytes, earlier != NULL ? &after.earlier : NULL, scratch, &grid);
    }
    if (err == CAIRN_OK && !pack(grid.cells, ret_planes)) { err = CAIRN_ERR_CORRUPT; }
    cairn_arena_reset(scratch, mark);
    return err;
}

uint32_t cairn_planes_hash(const cairn_terrain_planes *planes)
{
    const uint32_t size[2] = {planes->width, planes->height};
    const size_t bytes = ((size_t)planes->width * planes->height + 7) / 8;
    const uint8_t head[4] = {(uint8_t)size[0], (uint8_t)(size[0] >> 8), (uint8_t)size[1], (uint8_t)(size[1] >> 8)};
    const uint64_t known = cairn_hash_bytes(cairn_hash_bytes(0, head, sizeof head), planes->known, bytes);
    return (uint32_t)cairn_hash_bytes(known, planes->obstacle, bytes);
}
