// random_kernels.h - the inner loop of cairn_random_gauss_fill, built once for each instruction set.
#pragma once
#include "base/dispatch.h"

#define CAIRN_GAUSS_LANES 8                            // generators that run side by side
#define CAIRN_GAUSS_ROW_VALUES (2 * CAIRN_GAUSS_LANES) // from one step of all lanes

typedef struct cairn_gauss_lanes {
    uint64_t state[4][CAIRN_GAUSS_LANES]; // xoshiro256++, word by word
} cairn_gauss_lanes;

typedef void (*cairn_gauss_rows_fn)(cairn_gauss_lanes *lanes, float *ret_values, size_t row_count);

// Writes row_count * CAIRN_GAUSS_ROW_VALUES values; the lanes move on by row_count steps.
CAIRN_KERNEL_DECLARE(void, cairn_gauss_rows, (cairn_gauss_lanes * lanes, float *ret_values, size_t row_count));
