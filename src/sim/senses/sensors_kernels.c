#include "sim/senses/sensors_kernels.h"
#include "sim/senses/lanes.h"
#include <math.h>

#define STEPS_PER_M 1000.0f // ranges come in millimetres
#define ZERO_C_CENTIKELVIN 27315.0f

typedef uint16_t words __attribute__((vector_size(LANES * sizeof(uint16_t))));

void CAIRN_KERNEL(cairn_scan_measure)(const cairn_scan_model *model, const float *noise, const uint16_t *bits,
                                      uint32_t beam_count, float *range_m)
{
    const float max = model->range_m_max;
    for (uint32_t i = 0; i < beam_count; i += LANES) {
        const floats noisy = load(range_m + i) + model->deviation_m * load(noise + i);
        const floats small = smaller(larger(noisy, all(0.0f)), all(2 * max)); // an integer can hold it
        const ints steps = __builtin_convertvector(small * STEPS_PER_M + 0.5f, ints);
        floats measured = __builtin_convertvector(steps, floats) / STEPS_PER_M;
        measured = choose(noisy > max, all(INFINITY), measured);
        words beam_bits;
        memcpy(&beam_bits, bits + i, sizeof beam_bits);
        const ints dropped = __builtin_convertvector(beam_bits, ints) < (int32_t)model->dropout;
        store(range_m + i, choose(dropped | (noisy < model->range_m_min), all(NAN), measured));
    }
}

void CAIRN_KERNEL(cairn_thermal_measure)(float deviation_k, const float *celsius, const float *noise,
                                         uint32_t pixel_count, uint16_t *ret_centikelvin)
{
    for (uint32_t i = 0; i < pixel_count; i += LANES) {
        const floats value = 100.0f * (load(celsius + i) + deviation_k * load(noise + i)) + ZERO_C_CENTIKELVIN + 0.5f;
        const floats small = smaller(larger(value, all(1.0f)), all(65535.0f));
        const words pixels = __builtin_convertvector(__builtin_convertvector(small, ints), words);
        memcpy(ret_centikelvin + i, &pixels, sizeof pixels);
    }
}
