// overlay_kernels.c - points into words, and bits of words into counts.
//
// Carry-save adders (Harley and Seal's way of counting bits): sixteen words become one bit of weight 16 and what stays
// in the planes of weight 1 to 8, with 15 full adders; with AVX-512 a full adder is two instructions.
#include "matching/overlay_kernels.h"

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

static inline words look(const uint64_t *plane, uint32_t rows, uint32_t place)
{
    const uint64_t *at = plane + (place >> 6), bit = place & 63;
    return *(const words_anywhere *)at >> bit | *(const words_anywhere *)(at + rows) << (63 - bit);
}

// a + b + c = low + 2 high
static inline words adder(words a, words b, words c, words *ret_high)
{
    const words either = a ^ b;
    *ret_high = (a & b) | (either & c);
    return either ^ c;
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
