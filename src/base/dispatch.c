// dispatch.c - which instruction set this machine runs, asked once.
#include "base/dispatch.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const isa_names[CAIRN_ISA_COUNT] = {
    [CAIRN_ISA_BASELINE] = "baseline",
    [CAIRN_ISA_AVX2] = "avx2",
    [CAIRN_ISA_AVX512] = "avx512",
};

static cairn_isa machine_isa(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) { return CAIRN_ISA_BASELINE; }
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has_avx512 ? CAIRN_ISA_AVX512 : CAIRN_ISA_AVX2;
#else
    return CAIRN_ISA_BASELINE;
#endif
}

cairn_isa cairn_isa_limit(cairn_isa machine, const char *wish)
{
    CAIRN_ASSERT((unsigned)machine < CAIRN_ISA_COUNT);
    if (!wish) { return machine; }
    for (unsigned isa = 0; isa < machine; isa++) {
        if (strcmp(wish, isa_names[isa]) == 0) { return (cairn_isa)isa; }
    }
    return machine;
}

cairn_isa cairn_isa_best(void)
{
    // The answer plus 1, kept because kernels ask on every call; whoever finds it first writes the same value.
    static _Atomic unsigned known;
    unsigned isa_plus_1 = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa_plus_1 == 0) {
        isa_plus_1 = (unsigned)cairn_isa_limit(machine_isa(), getenv("CAIRN_ISA")) + 1;
        atomic_store_explicit(&known, isa_plus_1, memory_order_relaxed);
    }
    return (cairn_isa)(isa_plus_1 - 1);
}

const char *cairn_isa_name(cairn_isa isa)
{
    CAIRN_ASSERT((unsigned)isa < CAIRN_ISA_COUNT);
    return isa_names[isa];
}

cairn_kernel_fn cairn_dispatch(const cairn_kernel *kernel, cairn_isa isa)
{
    CAIRN_ASSERT(kernel && kernel->variant[CAIRN_ISA_BASELINE]);
    CAIRN_ASSERT((unsigned)isa < CAIRN_ISA_COUNT);
    unsigned at = isa;
    while (!kernel->variant[at]) { at--; }
    return kernel->variant[at];
}
