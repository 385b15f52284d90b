// fronts_kernels.h - the passes over fronts that take the time, built for each instruction set.
#pragma once
#include "base/dispatch.h"
#include "slam/solve/fronts.h"

CAIRN_KERNEL_DECLARE(bool, cairn_front_factor,
                     (cairn_fronts * fronts, const cairn_front_matrix *matrix, uint32_t index));
CAIRN_KERNEL_DECLARE(void, cairn_front_forward, (cairn_fronts * fronts, uint32_t index, double *b));
CAIRN_KERNEL_DECLARE(void, cairn_front_backward, (cairn_fronts * fronts, uint32_t index, double *y));
