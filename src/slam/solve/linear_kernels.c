// Eight factors stand side by side, and all that is done to one is done to each; only what belongs to nodes is fetched
// and added one by one.
//
// Fused multiply-adds are allowed here (the build says so): instruction sets may differ in the last bits.
#include "slam/solve/linear_kernels.h"
#include "slam/solve/lanes.h"

// What one of a node's numbers is for each factor.
static inline lanes fetch(const double *seen, const uint32_t *nodes, uint32_t number)
{
    lanes v;
    for (uint32_t i = 0; i < LANES; i++) { v[i] = seen[nodes[i] * CAIRN_PLANE_SEEN + number]; }
    return v;
}

// To the nearest whole turn, by the rounding of a sum that has no room for fractions.
static inline lanes wrap(lanes angle_rad)
{
    const double turn = 6.283185307179586476925286766559, large = 6755399441055744.0; // 1.5 * 2^52
    const lanes turns = (angle_rad / turn + large) - large;
    return angle_rad - turns * turn;
}

// Factors between two nodes, seen from both.
typedef struct plane {
    lanes e[3];
    lanes c, s;   // of the error's yaw: how `to` moves the error
    lanes cm, sm; // of the measured yaw
    lanes a, b;   // how turning `from` moves the error
} plane;

static inline plane look(const cairn_plane_factors *group, uint32_t first, const double *seen)
{
    const uint32_t *from = group->from + first, *to = group->to + first;
    const lanes cf = fetch(seen, from, 3), sf = fetch(seen, from, 4), ct = fetch(seen, to, 3), st = fetch(seen, to, 4);
    const lanes dx = fetch(seen, to, 0) - fetch(seen, from, 0), dy = fetch(seen, to, 1) - fetch(seen, from, 1);
    const lanes turned = fetch(seen, to, 2) - fetch(seen, from, 2);
    plane p = {.cm = load(group->measured[3] + first), .sm = load(group->measured[4] + first)};
    const lanes px = cf * dx + sf * dy, py = cf * dy - sf * dx;
    const lanes qx = px - load(group->measured[0] + first), qy = py - load(group->measured[1] + first);
    p.e[0] = p.cm * qx + p.sm * qy;
    p.e[1] = p.cm * qy - p.sm * qx;
    p.e[2] = wrap(turned - load(group->measured[2] + first));
    const lanes c = cf * ct + sf * st, s = cf * st - sf * ct;
    p.c = p.cm * c + p.sm * s;
    p.s = p.cm * s - p.sm * c;
    p.a = p.cm * py - p.sm * px;
    p.b = -p.sm * py - p.cm * px;
    return p;
}

// For the columns (c, s, 0), (-s, c, 0), (0, 0, 1) of `to`.
static inline void times_to(const plane *p, const lanes row[3], lanes ret[3])
{
    ret[0] = row[0] * p->c + row[1] * p->s;
    ret[1] = row[1] * p->c - row[0] * p->s;
    ret[2] = row[2];
}

// For the columns (-cm, sm, 0), (-sm, -cm, 0), (a, b, -1) of `from`.
static inline void times_from(const plane *p, const lanes row[3], lanes ret[3])
{
    ret[0] = row[1] * p->sm - row[0] * p->cm;
    ret[1] = -row[0] * p->sm - row[1] * p->cm;
    ret[2] = row[0] * p->a + row[1] * p->b - row[2];
}

static inline lanes weigh(const cairn_plane_factors *group, uint32_t first, const plane *p, lanes w[3][3], lanes we[3])
{
    for (int row = 0, at = 0; row < 3; row++) {
        for (int column = row; column < 3; column++, at++) {
            w[row][column] = w[column][row] = load(group->information[at] + first);
        }
    }
    for (int i = 0; i < 3; i++) { we[i] = w[i][0] * p->e[0] + w[i][1] * p->e[1] + w[i][2] * p->e[2]; }
    return p->e[0] * we[0] + p->e[1] * we[1] + p->e[2] * we[2];
}

// What some factors add, each number of all of them together.
typedef struct parts {
    double from_from[6][LANES], to_to[6][LANES], from_to[9][LANES]; // upper triangles; the whole
    double by_from[3][LANES], by_to[3][LANES];                      // J' W e
} parts;

// J' W J: W is symmetric, so that the rows of W J are W's rows times J; then the same column by column.
static inline void square(const plane *p, const lanes w[3][3], const lanes we[3], parts *ret_parts)
{
    lanes by_to[3][3], by_from[3][3], product[3];
    for (int i = 0; i < 3; i++) {
        times_to(p, w[i], by_to[i]);
        times_from(p, w[i], by_from[i]);
    }
    for (int j = 0; j < 3; j++) {
        const lanes to_column[3] = {by_to[0][j], by_to[1][j], by_to[2][j]};
        const lanes from_column[3] = {by_from[0][j], by_from[1][j], by_from[2][j]};
        static const int row_at[3] = {0, 2, 3}; // (i, j) of an upper triangle is at row_at[i] + j
        times_to(p, to_column, product);
        for (int i = 0; i <= j; i++) { store(ret_parts->to_to[row_at[i] + j], product[i]); }
        times_from(p, from_column, product);
        for (int i = 0; i <= j; i++) { store(ret_parts->from_from[row_at[i] + j], product[i]); }
        times_from(p, to_column, product);
        for (int i = 0; i < 3; i++) { store(ret_parts->from_to[3 * i + j], product[i]); }
    }
    times_to(p, we, product);
    for (int i = 0; i < 3; i++) { store(ret_parts->by_to[i], product[i]); }
    times_from(p, we, product);
    for (int i = 0; i < 3; i++) { store(ret_parts->by_from[i], product[i]); }
}

static inline void add_to_node(const cairn_plane_matrix *to, uint32_t node, const double (*block)[LANES],
                               const double (*by)[LANES], uint32_t lane)
{
    double *diagonal = to->diagonal + 9 * (size_t)node, *b = to->b + 3 * (size_t)node;
    diagonal[0] += block[0][lane];
    diagonal[1] += block[1][lane];
    diagonal[2] += block[2][lane];
    diagonal[4] += block[3][lane];
    diagonal[5] += block[4][lane];
    diagonal[8] += block[5][lane];
    for (int i = 0; i < 3; i++) { b[i] -= by[i][lane]; }
}

static inline void add_parts(const cairn_plane_matrix *to, const cairn_plane_factors *group, uint32_t first,
                             const parts *some, double *beside)
{
    for (uint32_t i = 0; i < LANES; i++) {
        add_to_node(to, group->to[first + i], some->to_to, some->by_to, i);
        add_to_node(to, group->from[first + i], some->from_from, some->by_from, i);
        for (uint32_t k = 0; k < 9; k++) { beside[9 * i + k] = some->from_to[k][i]; }
    }
}

double CAIRN_KERNEL(cairn_plane_linear)(const cairn_plane_factors *groups, uint32_t group_count, const double *seen,
                                        const cairn_plane_matrix *add_to)
{
    lanes chi2 = {0};
    for (uint32_t g = 0; g < group_count; g++) {
        for (uint32_t first = 0; first < CAIRN_PLANE_LANES; first += LANES) {
            const plane p = look(&groups[g], first, seen);
            lanes w[3][3], we[3];
            chi2 += weigh(&groups[g], first, &p, w, we);
            if (add_to == NULL) { continue; }
            parts some;
            square(&p, (const lanes(*)[3])w, we, &some);
            add_parts(add_to, &groups[g], first, &some, add_to->beside + 9 * ((size_t)g * CAIRN_PLANE_LANES + first));
        }
    }
    double sum = 0;
    for (uint32_t i = 0; i < LANES; i++) { sum += chi2[i]; }
    return sum;
}
