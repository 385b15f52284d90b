// bench_cloud.h - reads point clouds that benches measure on: PCD files, as the Point Cloud Library writes them.
#pragma once
#include "base/memory.h"
#include "terrain/heights.h"

#define CAIRN_BENCH_CLOUD_POINTS_MAX 1000000

// Reads a PCD file with the three fields x y z of 4-byte floats and DATA binary_compressed, into memory. Points that
// are not finite stay in. CAIRN_ERR_NOT_FOUND, UNSUPPORTED, CORRUPT, TOO_LARGE or FULL with a complaint; *ret_cloud is
// then untouched.
CAIRN_CHECKED cairn_err cairn_bench_cloud_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                               cairn_cloud *ret_cloud);
