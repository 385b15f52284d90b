// lanes.h - as many doubles side by side as a register holds, for the kernels of this folder.
#pragma once
#include <string.h>

#if defined(__AVX512F__)
#define LANES 8u
#elif defined(__AVX2__)
#define LANES 4u
#else
#define LANES 2u
#endif
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static inline lanes load(const double *at)
{
    lanes v;
    memcpy(&v, at, sizeof v);
    return v;
}
static inline void store(double *at, lanes v) { memcpy(at, &v, sizeof v); }
