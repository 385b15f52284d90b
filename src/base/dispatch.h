// dispatch.h - code built once for each instruction set, picked once at start.
//
// A kernel file `NAME_kernels.c` is compiled several times with CAIRN_KERNEL(name) giving each copy its own
// names. Its room lists the copies in one const cairn_kernel; cairn_dispatch picks. Contraction is off, so
// copies agree to the bit wherever they do the same operations in the same order.
#pragma once
#include "base/status.h"

typedef enum cairn_isa {
    CAIRN_ISA_BASELINE = 0, // x86-64 (SSE2) or ARMv8 (NEON): what every build has
    CAIRN_ISA_AVX2,
    CAIRN_ISA_AVX512,
    CAIRN_ISA_COUNT
} cairn_isa;

typedef void (*cairn_kernel_fn)(void);

typedef struct cairn_kernel {
    const char *name;
    cairn_kernel_fn variant[CAIRN_ISA_COUNT]; // NULL where not built; baseline always there
} cairn_kernel;

// The best that this machine runs, or what CAIRN_ISA=baseline|avx2|avx512 in the environment asks for (never
// more than the machine has).
cairn_isa cairn_isa_best(void);
// The wish if it names less than the machine has; otherwise (NULL, unknown words, more) what the machine has.
cairn_isa cairn_isa_limit(cairn_isa machine, const char *wish);
const char *cairn_isa_name(cairn_isa isa);
// The best variant that is built for at most this isa.
cairn_kernel_fn cairn_dispatch(const cairn_kernel *kernel, cairn_isa isa);

#define CAIRN_KERNEL_JOIN_(name, suffix) name##_##suffix
#define CAIRN_KERNEL_JOIN(name, suffix) CAIRN_KERNEL_JOIN_(name, suffix)
#ifdef CAIRN_KERNEL_ISA // set by the build for each copy: baseline, avx2, avx512
#define CAIRN_KERNEL(name) CAIRN_KERNEL_JOIN(name, CAIRN_KERNEL_ISA)
#endif

// For a kernel's header: declares all copies, `CAIRN_KERNEL_DECLARE(void, cairn_add, (float *a, size_t count))`.
// For its table: `static const cairn_kernel add = {"add", CAIRN_KERNEL_VARIANTS(cairn_add)};`.
// src/base/meson.build says how a room builds the copies.
#if defined(__x86_64__)
#define CAIRN_KERNEL_DECLARE(result, name, arguments)                                                                  \
    result name##_baseline arguments;                                                                                  \
    result name##_avx2 arguments;                                                                                      \
    result name##_avx512 arguments
#define CAIRN_KERNEL_VARIANTS(name)                                                                                    \
    {                                                                                                                  \
        (cairn_kernel_fn) name##_baseline, (cairn_kernel_fn)name##_avx2, (cairn_kernel_fn)name##_avx512                \
    }
#else
#define CAIRN_KERNEL_DECLARE(result, name, arguments) result name##_baseline arguments
#define CAIRN_KERNEL_VARIANTS(name)                                                                                    \
    {                                                                                                                  \
        (cairn_kernel_fn) name##_baseline                                                                              \
    }
#endif
