// overlay_kernels.c - points into words, and bits of words into counts.
//
// Carry-save adders (Harley and Seal's way of counting bits): sixteen words become one bit of weight 16 and what stays
// in the planes of weight 1 to 8, with 15 full adders; with AVX-512 a full adder is two instructions.
#include "matching/overlay_kernels.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#if defined(__AVX2__)
#define WORDS 4 // with AVX-512 as well: a tile of blocks has no more
#else
#define WORDS 2
#endif
#define BITS_ONE (CAIRN_OVERLAY_BITS - 1) // of a count over one plane
#define TIMES_63RD 66577u                 // 2^22 / 63, rounded up: exact for all places below 64,000
#define TIMES_15TH 69906u                 // 2^20 / 15, likewise below 60,000

typedef uint64_t words __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias));
typedef uint64_t words_anywhere __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias, aligned(8)));
typedef uint16_t shorts __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias));
typedef uint16_t shorts_anywhere __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias, aligned(2)));

// Inlined always: each use is compiled for the planes it is for, and counts stay in registers.
#define INLINE static inline __attribute__((always_inline))

// The cell of each point, and then its spot in planes of either kind.
INLINE void place(const float *restrict x_m, const float *restrict y_m, uint32_t count, const cairn_overlay_pose *pose,
                  cairn_overlay_spots *restrict ret_cells, cairn_overlay_spots *restrict ret_blocks)
{
    const cairn_overlay_pose p = *pose;
    for (uint32_t i = 0; i < count; i++) {
        const float x = p.cosine * x_m[i] - p.sine * y_m[i] + p.x, y = p.sine * x_m[i] + p.cosine * y_m[i] + p.y;
        int32_t cell_x = (int32_t)x + p.move_x, cell_y = (int32_t)y + p.move_y;
        cell_x = cell_x > 0 ? cell_x : 0, cell_x = cell_x < p.x_max ? cell_x : p.x_max;
        cell_y = cell_y > 0 ? cell_y : 0, cell_y = cell_y < p.y_max ? cell_y : p.y_max;
        const uint32_t at_x = (uint32_t)cell_x, at_y = (uint32_t)cell_y;
        if (ret_cells != NULL) {
            const uint32_t column = at_x * TIMES_63RD >> 22, bit = at_x - 63 * column;
            ret_cells->word[i] = column * p.rows + at_y;
            ret_cells->bit[i] = bit, ret_cells->rest[i] = 63 - bit;
        }
        if (ret_blocks != NULL) {
            const uint32_t phase = (at_y & 3) << 2 | (at_x & 3), block_x = at_x >> 2;
            const uint32_t column = block_x * TIMES_15TH >> 20, bit = block_x - 15 * column;
            ret_blocks->word[i] = (column << 4 | phase) * p.block_rows + (at_y >> 2);
            ret_blocks->bit[i] = bit, ret_blocks->rest[i] = 15 - bit;
        }
    }
}

void CAIRN_KERNEL(cairn_overlay_place)(const float *x_m, const float *y_m, uint32_t count,
                                       const cairn_overlay_pose *pose, cairn_overlay_spots *ret_cells,
                                       cairn_overlay_spots *ret_blocks)
{
    if (ret_cells == NULL) {
        place(x_m, y_m, count, pose, NULL, ret_blocks);
    } else if (ret_blocks == NULL) {
        place(x_m, y_m, count, pose, ret_cells, NULL);
    } else {
        place(x_m, y_m, count, pose, ret_cells, ret_blocks);
    }
}

// What is counted over: a plane, or one of blocks.
typedef struct counted {
    bool is_blocks;
    const uint64_t *words, *words_next; // a column, and the one after it
    const uint16_t *shorts, *shorts_next;
} counted;

// From a spot on. Shifts that are read as they are spare the instructions that would take a place apart.
INLINE words look(counted in, const cairn_overlay_spots *spots, uint32_t i)
{
    const uint32_t at = spots->word[i], bit = spots->bit[i], rest = spots->rest[i];
    if (in.is_blocks) {
        const shorts_anywhere *here = (const void *)(in.shorts + at), *next = (const void *)(in.shorts_next + at);
        return (words)(*here >> bit | *next << rest);
    }
    const words_anywhere *here = (const void *)(in.words + at), *next = (const void *)(in.words_next + at);
    return *here >> bit | *next << rest;
}

// a + b + c = low + 2 high
static inline words adder(words a, words b, words c, words *ret_high)
{
#if defined(__AVX512VL__)
    // The compiler sees only half of it.
    *ret_high = (words)_mm256_ternarylogic_epi64((__m256i)a, (__m256i)b, (__m256i)c, 0xe8);
    return (words)_mm256_ternarylogic_epi64((__m256i)a, (__m256i)b, (__m256i)c, 0x96);
#else
    const words either = a ^ b;
    *ret_high = (a & b) | (either & c);
    return either ^ c;
#endif
}

// Four more points: what they carry to weight 4.
INLINE words add_four(counted in, const cairn_overlay_spots *spots, uint32_t i, words sum[BITS_ONE])
{
    words two_a, two_b, four;
    sum[0] = adder(sum[0], look(in, spots, i), look(in, spots, i + 1), &two_a);
    sum[0] = adder(sum[0], look(in, spots, i + 2), look(in, spots, i + 3), &two_b);
    sum[1] = adder(sum[1], two_a, two_b, &four);
    return four;
}

INLINE void count_plane(counted in, const cairn_overlay_spots *spots, uint32_t count, words ret_sum[BITS_ONE])
{
    words sum[BITS_ONE] = {0};
    for (uint32_t i = 0; i < count; i += 16) {
        const words four_a = add_four(in, spots, i, sum), four_b = add_four(in, spots, i + 4, sum);
        words eight_a, eight_b, carry;
        sum[2] = adder(sum[2], four_a, four_b, &eight_a);
        const words four_c = add_four(in, spots, i + 8, sum), four_d = add_four(in, spots, i + 12, sum);
        sum[2] = adder(sum[2], four_c, four_d, &eight_b);
        sum[3] = adder(sum[3], eight_a, eight_b, &carry);
        for (int k = 4; k < BITS_ONE; k++) {
            const words next = sum[k] & carry;
            sum[k] ^= carry;
            carry = next;
        }
    }
    for (int k = 0; k < BITS_ONE; k++) { ret_sum[k] = sum[k]; }
}

// The largest count of each row: from the highest bit down, those that have it are kept if there are any.
static inline words most_of(const words sum[CAIRN_OVERLAY_BITS], uint64_t mask)
{
    words rest = (words){0} + mask, most = {0};
    for (int k = CAIRN_OVERLAY_BITS - 1; k >= 0; k--) {
        const words have = rest & sum[k], any = (words)(have != 0);
        rest = (any & have) | (~any & rest);
        most |= any & (uint64_t)1 << k;
    }
    return most;
}

static inline shorts most_of_blocks(const words sum[BITS_ONE], uint16_t mask)
{
    shorts rest = (shorts){0} + mask, most = {0};
    for (int k = BITS_ONE - 1; k >= 0; k--) {
        const shorts have = rest & (shorts)sum[k], any = (shorts)(have != 0);
        rest = (any & have) | (~any & rest);
        most |= any & (uint16_t)(1 << k);
    }
    return most;
}

void CAIRN_KERNEL(cairn_overlay_count)(const uint64_t *plane, uint32_t rows, const cairn_overlay_spots *spots,
                                       uint32_t count, uint64_t mask, const cairn_overlay_counts *before,
                                       cairn_overlay_counts *ret_counts)
{
    for (int at = 0; at < CAIRN_OVERLAY_ROWS; at += WORDS) {
        words sum[CAIRN_OVERLAY_BITS] = {0}, carry = {0};
        count_plane((counted){.words = plane + at, .words_next = plane + at + rows}, spots, count, sum);
        if (before != NULL) {
            for (int k = 0; k < BITS_ONE; k++) {
                sum[k] = adder(sum[k], *(const words *)&before->bits[k][at], carry, &carry);
            }
            sum[BITS_ONE] = carry;
        }
        for (int k = 0; k < CAIRN_OVERLAY_BITS; k++) { *(words *)&ret_counts->bits[k][at] = sum[k]; }
        *(words *)&ret_counts->most[at] = most_of(sum, mask);
    }
}

void CAIRN_KERNEL(cairn_overlay_bound)(const uint16_t *plane, uint32_t rows, const cairn_overlay_spots *spots,
                                       uint32_t count, uint16_t mask, cairn_overlay_bounds *ret_bounds)
{
    for (int at = 0; at < CAIRN_OVERLAY_BLOCKS; at += 4 * WORDS) {
        words sum[BITS_ONE];
        count_plane((counted){.is_blocks = true, .shorts = plane + at, .shorts_next = plane + at + 16 * rows}, spots,
                    count, sum);
        *(shorts *)&ret_bounds->most[at] = most_of_blocks(sum, mask);
    }
}

// One column of a plane, widened by a cell each way along x: neighbouring columns share a bit, and so know the next.
static void widen_x(const uint64_t *restrict column, const uint64_t *restrict left, const uint64_t *restrict right,
                    uint32_t rows, uint64_t *restrict ret_column)
{
    for (uint32_t y = 0; y < rows; y++) {
        const uint64_t here = column[y];
        ret_column[y] = here | here << 1 | here >> 1 | (left[y] >> 62 & 1) | (right[y] & 2) << 62;
    }
}

// Every fourth bit, the lowest first.
static inline uint64_t fourths(uint64_t bits)
{
    bits &= 0x1111111111111111u;
    bits = (bits | bits >> 3) & 0x0303030303030303u;
    bits = (bits | bits >> 6) & 0x000f000f000f000fu;
    bits = (bits | bits >> 12) & 0x000000ff000000ffu;
    return (bits | bits >> 24) & 0xffff;
}

// A plane into blocks. Column c of each phase begins at bit 60 c of the plane, that is bit 63 - 3 c of its column c
// - 1. Blocks that only reach margin stay as they are.
static void blocks_make(const cairn_overlay_plane_set *set, const uint64_t *plane, uint16_t *ret_blocks)
{
    enum { BEGIN = CAIRN_OVERLAY_MARGIN - 4, ROWS = CAIRN_OVERLAY_ROWS_MAX / 4 };
    _Alignas(64) uint64_t wide[4 * ROWS] = {0}, by_phase[4][ROWS]; // above the plane there is nothing
    const uint32_t height = set->height + 5, block_height = (height + 63) / 64 * 16;
    for (uint32_t c = 1; 60 * c <= CAIRN_OVERLAY_MARGIN + set->width; c++) {
        const uint64_t *column = plane + (size_t)(c - 1) * set->rows + BEGIN, *right = column + set->rows;
        const uint32_t from = 63 - 3 * c, rest = 3 * c;
        for (uint32_t y = 0; y < height; y++) {
            const uint64_t a = column[y] | column[y + 1] | column[y + 2] | column[y + 3];
            const uint64_t b = right[y] | right[y + 1] | right[y + 2] | right[y + 3];
            wide[y] = a >> from | a >> (from + 1) | a >> (from + 2) | a >> (from + 3) | b << rest | b << (rest - 1) |
                      b << (rest - 2) | b << (rest - 3);
        }
        for (uint32_t y = 0; y < block_height; y++) {
            for (uint32_t k = 0; k < 4; k++) { by_phase[k][y] = wide[4 * y + k]; }
        }
        for (uint32_t phase = 0; phase < 16; phase++) {
            const uint64_t *words_in = by_phase[phase >> 2];
            uint16_t *blocks = ret_blocks + (c << 4 | phase) * set->block_rows + BEGIN / 4;
            for (uint32_t y = 0; y < block_height; y++) { blocks[y] = (uint16_t)fourths(words_in[y] >> (phase & 3)); }
        }
    }
}

void CAIRN_KERNEL(cairn_overlay_planes)(const cairn_overlay_plane_set *set)
{
    _Alignas(64) uint64_t empty[CAIRN_OVERLAY_ROWS_MAX] = {0}, wide[CAIRN_OVERLAY_ROWS_MAX];
    const uint32_t rows = set->rows;
    for (uint32_t j = 0; j < set->columns; j++) {
        const size_t at = (size_t)j * rows;
        const uint64_t *on = set->on + at, *left = j > 0 ? on - rows : empty;
        const uint64_t *right = j + 1 < set->columns ? on + rows : empty;
        uint64_t *restrict near = set->near + at, *restrict known = set->known + at;
        widen_x(on, left, right, rows, wide);
        near[0] = near[rows - 1] = 0; // margin
        for (uint32_t y = 1; y + 1 < rows; y++) { near[y] = wide[y - 1] | wide[y] | wide[y + 1]; }
        for (uint32_t y = 0; y < rows; y++) { known[y] |= near[y]; }
    }
    blocks_make(set, set->on, set->on_blocks);
    blocks_make(set, set->near, set->near_blocks);
}
