// raster_kernels.c - the cells of a stretch, so many at a time: which code lies under each, and what it votes.
//
// Time goes into finding the codes, which lie anywhere in 25 kB: gathers take them from the first cache.
#include "maps/raster_kernels.h"
#if defined(__AVX2__)
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

#elif defined(__AVX2__)
#define CELLS 8

// The votes of four codes: each is two of the table's words of 32 bits.
static void add_four(__m128i codes, __m256i table, uint64_t *sums)
{
    const __m256i code = _mm256_cvtepu32_epi64(codes);
    const __m256i words = _mm256_or_si256(_mm256_slli_epi64(code, 1), _mm256_slli_epi64(code, 33));
    const __m256i votes = _mm256_permutevar8x32_epi32(table, _mm256_or_si256(words, _mm256_set1_epi64x(1ll << 32)));
    const __m256i before = _mm256_loadu_si256((const __m256i *)sums);
    _mm256_storeu_si256((__m256i *)sums, _mm256_add_epi64(before, votes));
}

static uint32_t many(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    const __m256i steps = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i u_by = _mm256_set1_epi32((int)stretch->u_by), v_by = _mm256_set1_epi32((int)stretch->v_by);
    const __m256i width = _mm256_set1_epi32((int)stretch->width), low = _mm256_set1_epi32(3);
    const __m256i table = _mm256_loadu_si256((const __m256i *)votes);
    __m256i u = _mm256_add_epi32(_mm256_set1_epi32((int)stretch->u), _mm256_mullo_epi32(u_by, steps));
    __m256i v = _mm256_add_epi32(_mm256_set1_epi32((int)stretch->v), _mm256_mullo_epi32(v_by, steps));
    const __m256i u_step = _mm256_slli_epi32(u_by, 3), v_step = _mm256_slli_epi32(v_by, 3);
    uint32_t x = 0;
    for (; x + CELLS <= stretch->count; x += CELLS) {
        const __m256i row = _mm256_mullo_epi32(_mm256_srli_epi32(v, CAIRN_RASTER_FRACTION_BITS), width);
        const __m256i cell = _mm256_add_epi32(row, _mm256_srli_epi32(u, CAIRN_RASTER_FRACTION_BITS));
        const __m256i code = _mm256_and_si256(_mm256_i32gather_epi32((const int *)stretch->codes, cell, 1), low);
        add_four(_mm256_castsi256_si128(code), table, sums + x);
        add_four(_mm256_extracti128_si256(code, 1), table, sums + x + CELLS / 2);
        u = _mm256_add_epi32(u, u_step);
        v = _mm256_add_epi32(v, v_step);
    }
    return x;
}

#else

static uint32_t many(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    (void)stretch, (void)votes, (void)sums;
    return 0;
}

#endif

void CAIRN_KERNEL(cairn_raster_row)(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums)
{
    one_by_one(stretch, votes, many(stretch, votes, sums), sums);
}
