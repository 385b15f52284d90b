// lanes.h - arithmetic on eight values at once, for kernel files (base/dispatch.h) of this room.
//
// Written with the compilers' vector types: one source for every instruction set, the same operations in the same
// order, so that all copies of a kernel agree to the bit.
#pragma once
#include <stdint.h>
#include <string.h>

#define LANES 8
#define LANES_INLINE static inline __attribute__((always_inline))

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef double doubles __attribute__((vector_size(LANES * sizeof(double))));

LANES_INLINE floats load(const float *from)
{
    floats value;
    memcpy(&value, from, sizeof value);
    return value;
}
LANES_INLINE void store(float *to, floats value) { memcpy(to, &value, sizeof value); }
LANES_INLINE void store_ints(int32_t *to, ints value) { memcpy(to, &value, sizeof value); }
LANES_INLINE floats all(float value) { return (floats){value, value, value, value, value, value, value, value}; }
LANES_INLINE floats choose(ints mask, floats yes, floats no)
{
    return (floats)((mask & (ints)yes) | (~mask & (ints)no));
}
LANES_INLINE floats smaller(floats a, floats b) { return choose(a < b, a, b); }
LANES_INLINE floats larger(floats a, floats b) { return choose(a > b, a, b); }
LANES_INLINE floats magnitude(floats a) { return (floats)((ints)a & 0x7fffffff); }
LANES_INLINE floats with_sign_of(floats a, floats sign)
{
    return (floats)(((ints)a & 0x7fffffff) | ((ints)sign & INT32_MIN));
}

LANES_INLINE float largest(floats a)
{
    const floats b = larger(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    const floats c = larger(b, __builtin_shufflevector(b, b, 2, 3, 0, 1, 6, 7, 4, 5));
    return c[0] > c[1] ? c[0] : c[1];
}
