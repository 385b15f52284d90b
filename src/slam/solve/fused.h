// fused.h - picks among kernels that are built with fused multiply-adds, which AVX2 does not promise.
#pragma once
#include "base/dispatch.h"

static inline cairn_kernel_fn cairn_dispatch_fused(const cairn_kernel *kernel)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) { return cairn_dispatch(kernel, CAIRN_ISA_BASELINE); }
#endif
    return cairn_dispatch(kernel, cairn_isa_best());
}
