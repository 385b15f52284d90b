// Columns are padded to whole registers, so that no loop has a rest. All work on a front is one step done many times:
// three columns less a sum of products with the columns before them. Three, because blocks are 3x3 or 6x6.
//
// Fused multiply-adds are allowed here (the build says so): instruction sets may differ in the last bits.
#include "slam/solve/fronts_kernels.h"
#include "slam/solve/lanes.h"
#include <math.h>
#include <string.h>

// c (three columns) -= rows * multipliers', over `depth` columns: `chunks` registers of rows at once.
#define DEFINE_UPDATE(name, chunks)                                                                                    \
    static inline void name(double *c, size_t c_stride, const double *rows, const double *multipliers, size_t stride,  \
                            uint32_t depth)                                                                            \
    {                                                                                                                  \
        lanes sum[3][chunks];                                                                                          \
        for (uint32_t j = 0; j < 3; j++) {                                                                             \
            for (uint32_t i = 0; i < (chunks); i++) { sum[j][i] = load(c + j * c_stride + i * LANES); }                \
        }                                                                                                              \
        for (uint32_t k = 0; k < depth; k++) {                                                                         \
            const double *column = rows + k * stride, *by = multipliers + k * stride;                                  \
            for (uint32_t i = 0; i < (chunks); i++) {                                                                  \
                const lanes row = load(column + i * LANES);                                                            \
                sum[0][i] -= row * by[0];                                                                              \
                sum[1][i] -= row * by[1];                                                                              \
                sum[2][i] -= row * by[2];                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        for (uint32_t j = 0; j < 3; j++) {                                                                             \
            for (uint32_t i = 0; i < (chunks); i++) { store(c + j * c_stride + i * LANES, sum[j][i]); }                \
        }                                                                                                              \
    }
DEFINE_UPDATE(update_1, 1u)
DEFINE_UPDATE(update_2, 2u)
DEFINE_UPDATE(update_3, 3u)

static inline void update(double *c, size_t c_stride, const double *rows, const double *multipliers, size_t stride,
                          uint32_t depth, uint32_t row_count)
{
    uint32_t at = 0;
    for (; at + 3 * LANES <= row_count; at += 3 * LANES) {
        update_3(c + at, c_stride, rows + at, multipliers, stride, depth);
    }
    if (at + 2 * LANES <= row_count) {
        update_2(c + at, c_stride, rows + at, multipliers, stride, depth);
        at += 2 * LANES;
    }
    for (; at < row_count; at += LANES) { update_1(c + at, c_stride, rows + at, multipliers, stride, depth); }
}

// Three pivot columns, already less all before them: their 3x3 root, and all rows divided by it. The diagonal is left
// as its inverse, what is above it as zero.
static inline bool eliminate_3(double *panel, size_t stride, uint32_t first, uint32_t row_count)
{
    double *c0 = panel + first * stride, *c1 = c0 + stride, *c2 = c1 + stride;
    const uint32_t at = first;
    // First without roots, so that these wait for each other no more than they must.
    const double pivot0 = c0[at], part0 = 1 / pivot0, u10 = c0[at + 1] * part0, u20 = c0[at + 2] * part0;
    const double pivot1 = c1[at + 1] - u10 * c0[at + 1], part1 = 1 / pivot1, v21 = c1[at + 2] - u20 * c0[at + 1];
    const double pivot2 = c2[at + 2] - u20 * c0[at + 2] - v21 * v21 * part1, part2 = 1 / pivot2;
    const double inverse0 = sqrt(part0), inverse1 = sqrt(part1), inverse2 = sqrt(part2);
    const double l10 = c0[at + 1] * inverse0, l20 = c0[at + 2] * inverse0, l21 = v21 * inverse1;
    if (!(pivot0 > 0 && pivot1 > 0 && pivot2 > 0 && inverse0 * inverse1 * inverse2 < HUGE_VAL)) { return false; }
    const uint32_t start = first - first % LANES;
    for (uint32_t i = start; i < row_count; i += LANES) {
        const lanes x0 = load(c0 + i) * inverse0;
        const lanes x1 = (load(c1 + i) - x0 * l10) * inverse1;
        const lanes x2 = (load(c2 + i) - x0 * l20 - x1 * l21) * inverse2;
        store(c0 + i, x0);
        store(c1 + i, x1);
        store(c2 + i, x2);
    }
    for (uint32_t i = start; i < first; i++) { c0[i] = c1[i] = c2[i] = 0; }
    c0[at] = inverse0;
    c1[at] = c2[at] = c2[at + 1] = 0;
    c1[at + 1] = inverse1;
    c2[at + 2] = inverse2;
    return true;
}

typedef int64_t lane_ints __attribute__((vector_size(LANES * sizeof(int64_t))));
#if LANES == 8
static const lane_ints lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7};
#elif LANES == 4
static const lane_ints lane_numbers = {0, 1, 2, 3};
#else
static const lane_ints lane_numbers = {0, 1};
#endif

// Adds to some columns. The last registers reach beyond the rows: what is there is written back as it was.
static inline void add_rows(double *to, size_t to_stride, const double *from, size_t from_stride, uint32_t row_count,
                            uint32_t column_count, bool is_square)
{
    const uint32_t whole = row_count - row_count % LANES;
    const lane_ints is_within = lane_numbers < (lane_ints){0} + (int64_t)(row_count - whole);
    for (uint32_t c = 0; c < column_count; c++) {
        for (uint32_t i = is_square ? c - c % LANES : 0; i < whole; i += LANES) {
            store(to + i, load(to + i) + load(from + i));
        }
        if (whole < row_count) {
            const lanes more = load(from + whole);
            store(to + whole, load(to + whole) + (lanes)((lane_ints)more & is_within));
        }
        to += to_stride;
        from += from_stride;
    }
}

// Where the parent has its own column and row for a pair of places.
static inline double *target(cairn_fronts *f, const cairn_front *parent, uint32_t degrees, uint32_t row,
                             uint32_t column, size_t *ret_stride)
{
    if (column < parent->pivot_count) {
        *ret_stride = parent->stride;
        return f->values + parent->panel_at + (size_t)column * degrees * parent->stride + row * degrees;
    }
    *ret_stride = parent->update_stride;
    row -= parent->pivot_count;
    column -= parent->pivot_count;
    return f->values + parent->update_at + (size_t)column * degrees * parent->update_stride + row * degrees;
}

static inline void add_turned(double *to, size_t to_stride, const double *from, size_t from_stride, uint32_t row_count,
                              uint32_t column_count)
{
    for (uint32_t i = 0; i < row_count; i++) {
        for (uint32_t j = 0; j < column_count; j++) { to[i * to_stride + j] += from[j * from_stride + i]; }
    }
}

// A child's update goes where the parent has its variables. Runs of rows that stay together are added together, above
// the diagonal too, where nobody looks.
static inline void take_update(cairn_fronts *f, const cairn_front *parent, const cairn_front *child, uint32_t degrees)
{
    const uint32_t rows_at = child->vars_at + child->pivot_count, count = child->row_count;
    const uint32_t *places = f->places + rows_at, *ends = f->run_ends + rows_at;
    const double *values = f->values + child->update_at;
    const size_t from_stride = child->update_stride;
    for (uint32_t column = 0; column < count; column = ends[column]) {
        for (uint32_t row = column; row < count; row = ends[row]) {
            const double *from = values + (size_t)column * degrees * from_stride + row * degrees;
            const uint32_t columns = (ends[column] - column) * degrees, rows = (ends[row] - row) * degrees;
            size_t stride;
            if (places[row] >= places[column]) {
                double *to = target(f, parent, degrees, places[row], places[column], &stride);
                add_rows(to, stride, from, from_stride, rows, columns, row == column);
            } else {
                double *to = target(f, parent, degrees, places[column], places[row], &stride);
                add_turned(to, stride, from, from_stride, rows, columns);
            }
        }
    }
}

static inline void take_matrix(cairn_fronts *f, const cairn_front *front, const cairn_front_matrix *matrix,
                               uint32_t degrees)
{
    double *panel = f->values + front->panel_at;
    const uint32_t square = degrees * degrees;
    for (uint32_t p = 0; p < front->pivot_count; p++) {
        const double *block = matrix->diagonal + (size_t)f->vars[front->vars_at + p] * square;
        double *to = panel + (size_t)p * degrees * front->stride + p * degrees;
        for (uint32_t j = 0; j < degrees; j++) {
            for (uint32_t i = j; i < degrees; i++) { to[j * front->stride + i] += block[i * degrees + j]; }
            to[j * front->stride + j] += matrix->damping_part * block[j * degrees + j] + matrix->damping_whole;
        }
    }
    for (uint32_t e = front->entries_at; e < front->entries_at + front->entry_count; e++) {
        const cairn_front_entry entry = f->entries[e];
        const double *block = matrix->beside + (size_t)entry.factor * square;
        double *to = panel + entry.at;
        if (entry.is_transposed) { // rows are the factor's `to`
            for (uint32_t j = 0; j < degrees; j++) {
                for (uint32_t i = 0; i < degrees; i++) { to[j * front->stride + i] += block[j * degrees + i]; }
            }
        } else {
            for (uint32_t j = 0; j < degrees; j++) {
                for (uint32_t i = 0; i < degrees; i++) { to[j * front->stride + i] += block[i * degrees + j]; }
            }
        }
    }
}

static inline bool factor_with(cairn_fronts *f, const cairn_front_matrix *matrix, const cairn_front *front,
                               uint32_t degrees)
{
    double *panel = f->values + front->panel_at, *rest = f->values + front->update_at;
    const size_t stride = front->stride, rest_stride = front->update_stride;
    const uint32_t pivots = front->pivot_count * degrees, below = front->row_count * degrees, rows = pivots + below;
    memset(panel, 0, pivots * stride * sizeof *panel);
    memset(rest, 0, below * rest_stride * sizeof *rest);
    take_matrix(f, front, matrix, degrees);
    for (uint32_t c = front->child; c != CAIRN_GRAPH_NONE; c = f->fronts[c].sibling) {
        take_update(f, front, &f->fronts[c], degrees);
    }
    for (uint32_t j = 0; j < pivots; j += 3) {
        const uint32_t start = j - j % LANES;
        if (j > 0) { update(panel + j * stride + start, stride, panel + start, panel + j, stride, j, rows - start); }
        if (!eliminate_3(panel, stride, j, rows)) { return false; }
    }
    for (uint32_t j = 0; j < below; j += 3) {
        const uint32_t start = j - j % LANES;
        update(rest + j * rest_stride + start, rest_stride, panel + pivots + start, panel + pivots + j, stride, pivots,
               below - start);
    }
    return true;
}

bool CAIRN_KERNEL(cairn_front_factor)(cairn_fronts *fronts, const cairn_front_matrix *matrix, uint32_t index)
{
    const cairn_front *front = &fronts->fronts[index];
    return fronts->def.degrees == 3 ? factor_with(fronts, matrix, front, 3) : factor_with(fronts, matrix, front, 6);
}

static inline void forward_with(cairn_fronts *f, const cairn_front *front, double *b, uint32_t degrees)
{
    const double *panel = f->values + front->panel_at;
    const uint32_t *vars = f->vars + front->vars_at;
    const uint32_t pivots = front->pivot_count * degrees, rows = pivots + front->row_count * degrees;
    double *t = f->column;
    for (uint32_t p = 0; p < front->pivot_count; p++) {
        memcpy(t + p * degrees, b + (size_t)vars[p] * degrees, degrees * sizeof *t);
    }
    memset(t + pivots, 0, (front->stride - pivots) * sizeof *t);
    for (uint32_t j = 0; j < pivots; j += 3) { // three columns for each pass over the rows
        const double *c0 = panel + (size_t)j * front->stride, *c1 = c0 + front->stride, *c2 = c1 + front->stride;
        const double y0 = t[j] * c0[j], y1 = (t[j + 1] - c0[j + 1] * y0) * c1[j + 1];
        const double y2 = (t[j + 2] - c0[j + 2] * y0 - c1[j + 2] * y1) * c2[j + 2];
        for (uint32_t i = j - j % LANES; i < rows; i += LANES) {
            store(t + i, load(t + i) - load(c0 + i) * y0 - load(c1 + i) * y1 - load(c2 + i) * y2);
        }
        t[j] = y0;
        t[j + 1] = y1;
        t[j + 2] = y2;
    }
    for (uint32_t p = 0; p < front->pivot_count; p++) {
        memcpy(b + (size_t)vars[p] * degrees, t + p * degrees, degrees * sizeof *t);
    }
    for (uint32_t r = front->pivot_count; r < front->pivot_count + front->row_count; r++) {
        double *to = b + (size_t)vars[r] * degrees;
        for (uint32_t i = 0; i < degrees; i++) { to[i] += t[r * degrees + i]; }
    }
}

void CAIRN_KERNEL(cairn_front_forward)(cairn_fronts *fronts, uint32_t index, double *b)
{
    const cairn_front *front = &fronts->fronts[index];
    if (fronts->def.degrees == 3) {
        forward_with(fronts, front, b, 3);
    } else {
        forward_with(fronts, front, b, 6);
    }
}

static inline void backward_with(cairn_fronts *f, const cairn_front *front, double *y, uint32_t degrees)
{
    const double *panel = f->values + front->panel_at;
    const uint32_t *vars = f->vars + front->vars_at;
    const uint32_t pivots = front->pivot_count * degrees, rows = pivots + front->row_count * degrees;
    double *t = f->column;
    memset(t, 0, front->stride * sizeof *t);
    for (uint32_t r = front->pivot_count; r < front->pivot_count + front->row_count; r++) {
        memcpy(t + r * degrees, y + (size_t)vars[r] * degrees, degrees * sizeof *t);
    }
    for (uint32_t j = pivots; j > 0;) { // what is not solved yet is zero in t, so that sums may begin early
        j -= 3;
        const double *c0 = panel + (size_t)j * front->stride, *c1 = c0 + front->stride, *c2 = c1 + front->stride;
        lanes sum0 = {0}, sum1 = {0}, sum2 = {0};
        for (uint32_t i = j - j % LANES; i < rows; i += LANES) {
            const lanes x = load(t + i);
            sum0 += load(c0 + i) * x;
            sum1 += load(c1 + i) * x;
            sum2 += load(c2 + i) * x;
        }
        const double *b = y + (size_t)vars[j / degrees] * degrees + j % degrees;
        double left[3] = {b[0], b[1], b[2]};
        for (uint32_t i = 0; i < LANES; i++) {
            left[0] -= sum0[i];
            left[1] -= sum1[i];
            left[2] -= sum2[i];
        }
        t[j + 2] = left[2] * c2[j + 2];
        t[j + 1] = (left[1] - c1[j + 2] * t[j + 2]) * c1[j + 1];
        t[j] = (left[0] - c0[j + 1] * t[j + 1] - c0[j + 2] * t[j + 2]) * c0[j];
    }
    for (uint32_t p = 0; p < front->pivot_count; p++) {
        memcpy(y + (size_t)vars[p] * degrees, t + p * degrees, degrees * sizeof *t);
    }
}

void CAIRN_KERNEL(cairn_front_backward)(cairn_fronts *fronts, uint32_t index, double *y)
{
    const cairn_front *front = &fronts->fronts[index];
    if (fronts->def.degrees == 3) {
        backward_with(fronts, front, y, 3);
    } else {
        backward_with(fronts, front, y, 6);
    }
}
