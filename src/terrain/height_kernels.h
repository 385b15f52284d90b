// height_kernels.h - the two loops over all cells that cost the most, built for each instruction set.
#pragma once
#include "base/dispatch.h"

// Lowers each cell to the least of (height + way) over all cells, where a way is made of steps to the eight neighbours
// that cost straight_um or diagonal_um. In place. 0 <= straight_um <= diagonal_um <= 2 * straight_um.
typedef void (*cairn_heights_spread_fn)(int32_t *heights_um, uint32_t width, uint32_t height, int32_t straight_um,
                                        int32_t diagonal_um);
CAIRN_KERNEL_DECLARE(void, cairn_heights_spread,
                     (int32_t * heights_um, uint32_t width, uint32_t height, int32_t straight_um, int32_t diagonal_um));

// One round of messages: each cell becomes the least of itself and its four neighbours + step_um.
typedef void (*cairn_heights_round_fn)(const int32_t *heights_um, uint32_t width, uint32_t height, int32_t step_um,
                                       int32_t *ret_heights_um);
CAIRN_KERNEL_DECLARE(void, cairn_heights_round,
                     (const int32_t *heights_um, uint32_t width, uint32_t height, int32_t step_um,
                      int32_t *ret_heights_um));
