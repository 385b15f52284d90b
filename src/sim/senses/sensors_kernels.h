// sensors_kernels.h - the inner loops of sensors.c, built once for each instruction set.
#pragma once
#include "base/dispatch.h"

typedef struct cairn_scan_model {
    float deviation_m, range_m_min, range_m_max;
    uint16_t dropout; // of 65536
} cairn_scan_model;

typedef void (*cairn_scan_measure_fn)(const cairn_scan_model *model, const float *noise, const uint16_t *bits,
                                      uint32_t beam_count, float *range_m);
// noise: gauss(0, 1) for each beam; bits: 16 random bits for each. All arrays have room for whole lanes (8).
CAIRN_KERNEL_DECLARE(void, cairn_scan_measure,
                     (const cairn_scan_model *model, const float *noise, const uint16_t *bits, uint32_t beam_count,
                      float *range_m));

typedef void (*cairn_thermal_measure_fn)(float deviation_k, const float *celsius, const float *noise,
                                         uint32_t pixel_count, uint16_t *ret_centikelvin);
CAIRN_KERNEL_DECLARE(void, cairn_thermal_measure,
                     (float deviation_k, const float *celsius, const float *noise, uint32_t pixel_count,
                      uint16_t *ret_centikelvin));
