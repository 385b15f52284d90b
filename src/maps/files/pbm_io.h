// pbm_io.h - planes of bits as PBM pictures (P4), one bit a cell; a 1, which is black, is set.
//
// The bytes may hold anything. Errors are complaints under the file's name. The picture's first row is the grid's
// highest.
//
// Threads  No state.
#pragma once
#include "base/memory.h"

typedef struct cairn_pbm {
    uint32_t width, height;
    const uint8_t *rows; // borrowed: rows of whole bytes, the first cell in the highest bit
} cairn_pbm;

// CAIRN_ERR_CORRUPT; CAIRN_ERR_TOO_LARGE beyond side_max.
CAIRN_CHECKED cairn_err cairn_pbm_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                        uint32_t side_max, cairn_complaints *complaints, cairn_pbm *ret_pbm);
// Sets or clears the bits of `mask` in the grid's cells, row by row from the lowest.
void cairn_pbm_to_cells(const cairn_pbm *pbm, uint8_t mask, uint8_t *cells);

#define CAIRN_PBM_HEAD_BYTES_MAX 32
static inline size_t cairn_pbm_bytes_max(uint32_t width, uint32_t height)
{
    return CAIRN_PBM_HEAD_BYTES_MAX + (size_t)((width + 7) / 8) * height;
}
// Writes the picture of the cells' bits of `mask`; returns its bytes, at most cairn_pbm_bytes_max.
size_t cairn_pbm_from_cells(const uint8_t *cells, uint32_t width, uint32_t height, uint8_t mask, uint8_t *ret_bytes);
