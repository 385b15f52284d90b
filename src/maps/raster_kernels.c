// raster_kernels.c - the cells of a stretch, so many at a time: which code lies under each, and what it votes.
//
// Time goes into finding the codes, which lie anywhere in 25 kB. With AVX-512 gathers take them from the first cache.
// Gathers of AVX2 are slower than loads one by one from places that were found eight at a time: 17 us a map of 150 x
// 150 cells against 13 (Zen 3). Also tried and dropped there: leaving out eights with nothing known, half of all; where
// they begin is guessed wrong too often.
#include "maps/raster_kernels.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

static void one_by_one(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint32_t first, uint64_t *sums)
{
    uint32_t u = stretch->u + first * stretch->u_by, v = stretch->v + first * stretch->v_by;
    for (uint32_t x = first; x < stretch->count; x++, u += stretch->u_by, v += stretch->v_by) {
        const uint32_t cell = (v >> CAIRN_RASTER_FRACTION_BITS) * stretch->width + (u >> CAIRN_RASTER_FRACTION_BITS);
        sums[x] += votes[stretch->codes[cell]];
    }
}

#if defined(__AVX512F__)
#define CELLS 16

static uint32_t many(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    const __m512i steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i u_by = _mm512_set1_epi32((int)stretch->u_by), v_by = _mm512_set1_epi32((int)stretch->v_by);
    const __m512i width = _mm512_set1_epi32((int)stretch->width), low = _mm512_set1_epi32(3);
    const __m512i table = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)votes));
    __m512i u = _mm512_add_epi32(_mm512_set1_epi32((int)stretch->u), _mm512_mullo_epi32(u_by, steps));
    __m512i v = _mm512_add_epi32(_mm512_set1_epi32((int)stretch->v), _mm512_mullo_epi32(v_by, steps));
    const __m512i u_step = _mm512_slli_epi32(u_by, 4), v_step = _mm512_slli_epi32(v_by, 4);
    uint32_t x = 0;
    for (; x + CELLS <= stretch->count; x += CELLS) {
        const __m512i row = _mm512_mullo_epi32(_mm512_srli_epi32(v, CAIRN_RASTER_FRACTION_BITS), width);
        const __m512i cell = _mm512_add_epi32(row, _mm512_srli_epi32(u, CAIRN_RASTER_FRACTION_BITS));
        const __m512i code = _mm512_and_si512(_mm512_i32gather_epi32(cell, stretch->codes, 1), low);
        const __m512i first = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(code));
        const __m512i second = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(code, 1));
        const __m512i a = _mm512_loadu_si512(sums + x), b = _mm512_loadu_si512(sums + x + CELLS / 2);
        _mm512_storeu_si512(sums + x, _mm512_add_epi64(a, _mm512_permutexvar_epi64(first, table)));
        _mm512_storeu_si512(sums + x + CELLS / 2, _mm512_add_epi64(b, _mm512_permutexvar_epi64(second, table)));
        u = _mm512_add_epi32(u, u_step);
        v = _mm512_add_epi32(v, v_step);
    }
    return x;
}

#else
#define CELLS 8
typedef uint32_t lanes __attribute__((vector_size(CELLS * sizeof(uint32_t))));

static uint32_t many(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    const lanes steps = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint32_t width = stretch->width, count = stretch->count;
    const uint8_t *codes = stretch->codes;
    lanes u = stretch->u + stretch->u_by * steps, v = stretch->v + stretch->v_by * steps;
    uint32_t x = 0;
    for (; x + CELLS <= count; x += CELLS) {
        const lanes cell = (v >> CAIRN_RASTER_FRACTION_BITS) * width + (u >> CAIRN_RASTER_FRACTION_BITS);
        for (int i = 0; i < CELLS; i++) { sums[i] += votes[codes[cell[i]]]; }
        sums += CELLS;
        u += CELLS * stretch->u_by;
        v += CELLS * stretch->v_by;
    }
    return x;
}

#endif

void CAIRN_KERNEL(cairn_raster_row)(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    one_by_one(stretch, votes, many(stretch, votes, sums), sums);
}
