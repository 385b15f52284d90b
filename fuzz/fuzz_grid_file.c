// Coded grids from outside: the head, the code, and an earlier grid that the bytes also choose.
#include "maps/codec/grid_file.h"
#include "maps/files/pbm_io.h"
#include <stdlib.h>

#define CELLS_MAX (96 * 96) // larger grids only make it slow

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void decode(const uint8_t *bytes, size_t size, const cairn_grid_file *file)
{
    static uint8_t before[64 * 64];
    for (size_t i = 0; i < sizeof before; i++) { before[i] = size > 0 ? bytes[i % size] & 3 : 0; }
    const cairn_grid_cells earlier_grid = {64, 64, file->has_known, before};
    const cairn_grid_earlier earlier = {&earlier_grid, file->moved};
    cairn_arena scratch;
    uint8_t *cells = malloc((size_t)file->width * file->height);
    if (cells == NULL ||
        cairn_arena_create(&scratch, cairn_grid_scratch_bytes(file->width, file->height)) != CAIRN_OK) {
        free(cells);
        return;
    }
    cairn_grid_cells grid = {file->width, file->height, file->has_known, cells};
    (void)!cairn_grid_file_decode(bytes, size, &earlier_grid, &scratch, &grid);
    // The checksums keep a fuzzer out; behind them the code must bear anything too, and what is read must come back.
    const cairn_grid_earlier *after = file->needs_earlier ? &earlier : NULL;
    if (cairn_grid_decode(bytes + file->head_bytes, size - file->head_bytes, after, &scratch, &grid) == CAIRN_OK) {
        const size_t bytes_max = cairn_grid_code_bytes_max(&grid);
        uint8_t *code = malloc(bytes_max);
        size_t code_bytes = 0;
        CAIRN_ASSERT(code != NULL);
        CAIRN_ASSERT(cairn_grid_encode(&grid, after, &scratch, code, bytes_max, &code_bytes) == CAIRN_OK);
        free(code);
    }
    cairn_arena_destroy(&scratch);
    free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cairn_grid_file file;
    if (cairn_grid_file_parse(bytes, size, &file) == CAIRN_OK && file.width * file.height <= CELLS_MAX) {
        decode(bytes, size, &file);
    }
    static cairn_complaints complaints;
    cairn_pbm pbm;
    static uint8_t cells[CELLS_MAX];
    complaints = (cairn_complaints){0};
    if (cairn_pbm_parse(bytes, size, "fuzz", 96, &complaints, &pbm) == CAIRN_OK) { cairn_pbm_to_cells(&pbm, 1, cells); }
    return 0;
}
