#include "maps/codec/grid_file.h"

static const uint8_t magic[4] = {'C', 'G', 'R', 'D'};
#define HEAD_BYTES 14
#define EARLIER_BYTES 20
#define HAS_KNOWN 1
#define NEEDS_EARLIER 2

static void put(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) { to[i] = (uint8_t)(value >> (8 * i)); }
}

static uint32_t get(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) { value |= (uint32_t)from[i] << (8 * i); }
    return value;
}

// FNV-1a over the bits that count.
uint32_t cairn_grid_checksum(const cairn_grid_cells *grid)
{
    const uint8_t mask = grid->has_known ? CAIRN_GRID_KNOWN | CAIRN_GRID_OBSTACLE : CAIRN_GRID_OBSTACLE;
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        sum = (sum ^ (grid->cells[i] & mask)) * 16777619u;
    }
    return sum;
}

cairn_err cairn_grid_file_encode(const cairn_grid_cells *grid, const cairn_grid_earlier *earlier, cairn_arena *scratch,
                                 uint8_t *ret_bytes, size_t bytes_max, size_t *ret_file_bytes, size_t *ret_code_bytes)
{
    const size_t head_bytes = HEAD_BYTES + (earlier != NULL ? EARLIER_BYTES : 0);
    if (bytes_max < head_bytes) { return CAIRN_ERR_FULL; }
    memcpy(ret_bytes, magic, sizeof magic);
    ret_bytes[4] = CAIRN_GRID_CODE_VERSION;
    ret_bytes[5] = (uint8_t)((grid->has_known ? HAS_KNOWN : 0) | (earlier != NULL ? NEEDS_EARLIER : 0));
    put(ret_bytes + 6, grid->width - 1, 2);
    put(ret_bytes + 8, grid->height - 1, 2);
    put(ret_bytes + 10, cairn_grid_checksum(grid), 4);
    if (earlier != NULL) {
        put(ret_bytes + 14, (uint32_t)earlier->moved.x_um, 4);
        put(ret_bytes + 18, (uint32_t)earlier->moved.y_um, 4);
        put(ret_bytes + 22, (uint32_t)earlier->moved.yaw_urad, 4);
        put(ret_bytes + 26, earlier->moved.cell_um, 4);
        put(ret_bytes + 30, cairn_grid_checksum(earlier->grid), 4);
    }
    const cairn_err err =
        cairn_grid_encode(grid, earlier, scratch, ret_bytes + head_bytes, bytes_max - head_bytes, ret_code_bytes);
    if (err == CAIRN_OK) { *ret_file_bytes = head_bytes + *ret_code_bytes; }
    return err;
}

cairn_err cairn_grid_file_parse(const uint8_t *bytes, size_t size_bytes, cairn_grid_file *ret_file)
{
    if (size_bytes < HEAD_BYTES || memcmp(bytes, magic, sizeof magic) != 0) { return CAIRN_ERR_CORRUPT; }
    if (bytes[4] != CAIRN_GRID_CODE_VERSION) { return CAIRN_ERR_UNSUPPORTED; }
    if (bytes[5] > (HAS_KNOWN | NEEDS_EARLIER)) { return CAIRN_ERR_CORRUPT; }
    cairn_grid_file file = {.width = get(bytes + 6, 2) + 1,
                            .height = get(bytes + 8, 2) + 1,
                            .has_known = (bytes[5] & HAS_KNOWN) != 0,
                            .needs_earlier = (bytes[5] & NEEDS_EARLIER) != 0,
                            .checksum = get(bytes + 10, 4),
                            .head_bytes = HEAD_BYTES};
    if (file.width > CAIRN_GRID_SIDE_MAX || file.height > CAIRN_GRID_SIDE_MAX) { return CAIRN_ERR_CORRUPT; }
    if (file.needs_earlier) {
        if (size_bytes < HEAD_BYTES + EARLIER_BYTES) { return CAIRN_ERR_CORRUPT; }
        file.head_bytes += EARLIER_BYTES;
        file.moved = (cairn_grid_moved){(int32_t)get(bytes + 14, 4), (int32_t)get(bytes + 18, 4),
                                        (int32_t)get(bytes + 22, 4), get(bytes + 26, 4)};
        file.earlier_checksum = get(bytes + 30, 4);
        if (!cairn_grid_moved_is_possible(&file.moved)) { return CAIRN_ERR_CORRUPT; }
    }
    *ret_file = file;
    return CAIRN_OK;
}

cairn_err cairn_grid_file_decode(const uint8_t *bytes, size_t size_bytes, const cairn_grid_cells *earlier,
                                 cairn_arena *scratch, cairn_grid_cells *ret_grid)
{
    cairn_grid_file file;
    cairn_err err = cairn_grid_file_parse(bytes, size_bytes, &file);
    if (err != CAIRN_OK) { return err; }
    const bool is_right = earlier != NULL && earlier->has_known == file.has_known &&
                          cairn_grid_checksum(earlier) == file.earlier_checksum;
    if (file.needs_earlier && !is_right) { return CAIRN_ERR_NOT_FOUND; }
    ret_grid->width = file.width;
    ret_grid->height = file.height;
    ret_grid->has_known = file.has_known;
    const cairn_grid_earlier after = {earlier, file.moved};
    err = cairn_grid_decode(bytes + file.head_bytes, size_bytes - file.head_bytes, file.needs_earlier ? &after : NULL,
                            scratch, ret_grid);
    if (err == CAIRN_OK && cairn_grid_checksum(ret_grid) != file.checksum) { err = CAIRN_ERR_CORRUPT; }
    return err;
}
