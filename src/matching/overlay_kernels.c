// overlay_kernels.c - points into words, and bits of words into counts.
//
// Carry-save adders (Harley and Seal's way of counting bits): sixteen words become one bit of weight 16 and what stays
// in the planes of weight 1 to 8, with 15 full adders; with AVX-512 a full adder is two instructions.
#include "matching/overlay_kernels.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define WORDS 8
#elif defined(__AVX2__)
#define WORDS 4
#else
#define WORDS 2
#endif
#define PARTS (CAIRN_OVERLAY_ROWS / WORDS)
#define BITS_ONE (CAIRN_OVERLAY_BITS - 1) // of a count over one plane
#define TIMES_63RD 66577u                 // 2^22 / 63, rounded up: exact for all places below 64,000

typedef uint64_t words __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias));
typedef uint64_t words_anywhere __attribute__((vector_size(WORDS * sizeof(uint64_t)), may_alias, aligned(8)));

void CAIRN_KERNEL(cairn_overlay_place)(const float *x_m, const float *y_m, uint32_t count,
                                       const cairn_overlay_pose *pose, cairn_overlay_places *ret_places)
{
    const cairn_overlay_pose p = *pose;
    const uint32_t eighth = p.rows >> 3;
    uint32_t *in_order = ret_places->in_order, *by_eighths = ret_places->by_eighths;
    for (uint32_t i = 0; i < count; i++) {
        const float x = p.cosine * x_m[i] - p.sine * y_m[i] + p.x, y = p.sine * x_m[i] + p.cosine * y_m[i] + p.y;
        int32_t cell_x = (int32_t)x + p.move_x, cell_y = (int32_t)y + p.move_y;
        cell_x = cell_x > 0 ? cell_x : 0, cell_x = cell_x < p.x_max ? cell_x : p.x_max;
        cell_y = cell_y > 0 ? cell_y : 0, cell_y = cell_y < p.y_max ? cell_y : p.y_max;
        const uint32_t at_x = (uint32_t)cell_x, at_y = (uint32_t)cell_y;
        const uint32_t word = at_x * TIMES_63RD >> 22, bit = at_x - 63 * word;
        in_order[i] = (word * p.rows + at_y) << 6 | bit;
        by_eighths[i] = (word * p.rows + (at_y & 7) * eighth + (at_y >> 3)) << 6 | bit;
    }
    ret_places->count = count;
}

// Shifts by a table: a count that comes from memory costs no instruction of its own. SSE2 has no such shift.
#if WORDS > 2
static const uint64_t shifts[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#define SHIFT(count) ((words){0} + shifts[count])
#else
#define SHIFT(count) (count)
#endif

static inline words look(const uint64_t *plane, uint32_t rows, uint32_t place)
{
    const uint64_t *at = plane + (place >> 6), bit = place & 63;
    return *(const words_anywhere *)at >> SHIFT(bit) | *(const words_anywhere *)(at + rows) << SHIFT(63 - bit);
}

// a + b + c = low + 2 high
static inline words adder(words a, words b, words c, words *ret_high)
{
#if defined(__AVX512F__)
    // The compiler sees only half of it.
    *ret_high = (words)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
    return (words)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#else
    const words either = a ^ b;
    *ret_high = (a & b) | (either & c);
    return either ^ c;
#endif
}

// Four more points: what they carry to weight 4.
static inline words add_four(const uint64_t *plane, uint32_t rows, const uint32_t *places, words sum[BITS_ONE])
{
    words two_a, two_b, four;
    sum[0] = adder(sum[0], look(plane, rows, places[0]), look(plane, rows, places[1]), &two_a);
    sum[0] = adder(sum[0], look(plane, rows, places[2]), look(plane, rows, places[3]), &two_b);
    sum[1] = adder(sum[1], two_a, two_b, &four);
    return four;
}

static inline void count_plane(const uint64_t *plane, uint32_t rows, const uint32_t *places, uint32_t count,
                               words ret_sum[BITS_ONE])
{
    words sum[BITS_ONE] = {0};
    for (uint32_t i = 0; i < count; i += 16) {
        const words four_a = add_four(plane, rows, places + i, sum),
                    four_b = add_four(plane, rows, places + i + 4, sum);
        words eight_a, eight_b, carry;
        sum[2] = adder(sum[2], four_a, four_b, &eight_a);
        const words four_c = add_four(plane, rows, places + i + 8, sum),
                    four_d = add_four(plane, rows, places + i + 12, sum);
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

void CAIRN_KERNEL(cairn_overlay_count)(const uint64_t *first, const uint64_t *second, uint32_t rows,
                                       const uint32_t *places, uint32_t count, uint64_t mask,
                                       cairn_overlay_counts *ret_counts)
{
    for (int part = 0; part < PARTS; part++) {
        words sum[CAIRN_OVERLAY_BITS] = {0}, carry = {0};
        count_plane(first + part * WORDS, rows, places, count, sum);
        if (second != NULL) {
            words more[BITS_ONE];
            count_plane(second + part * WORDS, rows, places, count, more);
            for (int k = 0; k < BITS_ONE; k++) { sum[k] = adder(sum[k], more[k], carry, &carry); }
            sum[BITS_ONE] = carry;
        }
        for (int k = 0; k < CAIRN_OVERLAY_BITS; k++) { *(words *)&ret_counts->bits[k][part * WORDS] = sum[k]; }
        *(words *)&ret_counts->most[part * WORDS] = most_of(sum, mask);
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

// Eight rows from each on into one, stored by eighths. Rows beyond the last count as empty: they are margin.
static void pool(const uint64_t *restrict column, uint32_t rows, uint64_t *restrict two, uint64_t *restrict four,
                 uint64_t *restrict ret_column)
{
    const uint32_t eighth = rows >> 3;
    for (uint32_t y = 0; y + 8 < rows; y++) { two[y] = column[y] | column[y + 1]; }
    for (uint32_t y = 0; y + 10 < rows; y++) { four[y] = two[y] | two[y + 2]; }
    for (uint32_t y = 0; y + 16 < rows; y++) { two[y] = four[y] | four[y + 4]; }
    for (uint32_t y = rows - 16; y < rows; y++) { two[y] = 0; }
    for (uint32_t part = 0; part < 8; part++) {
        for (uint32_t i = 0; i < eighth; i++) { ret_column[part * eighth + i] = two[8 * i + part]; }
    }
}

void CAIRN_KERNEL(cairn_overlay_planes)(const cairn_overlay_plane_set *set)
{
    _Alignas(64) uint64_t empty[CAIRN_OVERLAY_ROWS_MAX] = {0}, wide[CAIRN_OVERLAY_ROWS_MAX],
                          two[CAIRN_OVERLAY_ROWS_MAX], four[CAIRN_OVERLAY_ROWS_MAX];
    const uint32_t rows = set->rows;
    for (uint32_t j = 0; j < set->columns; j++) {
        const size_t at = (size_t)j * rows;
        const uint64_t *on = set->on + at, *left = j > 0 ? on - rows : empty;
        const uint64_t *right = j + 1 < set->columns ? on + rows : empty;
        uint64_t *restrict near = set->near + at, *restrict free = set->free + at;
        widen_x(on, left, right, rows, wide);
        near[0] = near[rows - 1] = 0; // margin
        for (uint32_t y = 1; y + 1 < rows; y++) { near[y] = wide[y - 1] | wide[y] | wide[y + 1]; }
        for (uint32_t y = 0; y < rows; y++) { free[y] &= ~near[y]; }
        pool(on, rows, two, four, set->on8 + at);
        pool(near, rows, two, four, set->near8 + at);
    }
}
