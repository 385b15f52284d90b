// The floor of an arena with holes: slabs around what is cut out of it.
//
// A sweep from south to north: between two neighbouring y at which a hole begins or ends, the floor is a row of
// intervals of x. An interval that the next row has too grows with it; one that it has not becomes a slab.
#include "sim/arena/arena_private.h"
#include <stdlib.h>

#define BEYOND_M 1000.0 // the outermost slabs reach so far beyond the floor's edges

typedef struct interval {
    double x0_m, x1_m;
    double y0_m; // where it began
} interval;

typedef struct row {
    interval *intervals;
    uint32_t count;
} row;

typedef struct sweep {
    const cairn_floor_rect *cut; // from west to east
    uint32_t cut_count;
    cairn_floor_rect whole;
    double thick_m;
    uint32_t owner;
    cairn_solid_list *list;
} sweep;

static int from_west(const void *a, const void *b)
{
    const cairn_floor_rect *one = a, *other = b;
    if (one->x0_m != other->x0_m) { return one->x0_m < other->x0_m ? -1 : 1; }
    return one->y0_m < other->y0_m ? -1 : one->y0_m > other->y0_m;
}

static int upward(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static void emit(const sweep *s, const interval *of, double y1_m)
{
    cairn_solid *solid = cairn_solid_list_add(s->list, CAIRN_SOLID_GROUND, s->owner);
    const cairn_pose2 map_T_slab = {(of->x0_m + of->x1_m) / 2, (of->y0_m + y1_m) / 2, 0};
    cairn_solid_place(solid, map_T_slab, (cairn_vec3){0, 0, -s->thick_m / 2},
                      (cairn_vec3){of->x1_m - of->x0_m, y1_m - of->y0_m, s->thick_m});
}

// The floor between y0 and y1, no hole beginning or ending between them.
static void fill_row(const sweep *s, double y0_m, double y1_m, row *ret_row)
{
    const double middle_m = (y0_m + y1_m) / 2;
    double x_m = s->whole.x0_m;
    ret_row->count = 0;
    for (uint32_t i = 0; i < s->cut_count; i++) {
        const cairn_floor_rect *cut = &s->cut[i];
        if (middle_m < cut->y0_m || middle_m > cut->y1_m) { continue; }
        if (cut->x0_m > x_m) { ret_row->intervals[ret_row->count++] = (interval){x_m, cut->x0_m, y0_m}; }
        x_m = fmax(x_m, cut->x1_m);
    }
    if (s->whole.x1_m > x_m) { ret_row->intervals[ret_row->count++] = (interval){x_m, s->whole.x1_m, y0_m}; }
}

// What of the row before goes on in the next one; the rest ends here. Both are from west to east.
static void join(const sweep *s, const row *before, row *next, double y_m)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        const interval *old = &before->intervals[i];
        while (k < next->count && next->intervals[k].x0_m < old->x0_m) { k++; }
        if (k < next->count && next->intervals[k].x0_m == old->x0_m && next->intervals[k].x1_m == old->x1_m) {
            next->intervals[k].y0_m = old->y0_m;
        } else {
            emit(s, old, y_m);
        }
    }
}

static void run(const sweep *s, const double *y_m, uint32_t y_count, row rows[2])
{
    uint32_t now = 0;
    rows[now].count = 0;
    for (uint32_t i = 0; i + 1 < y_count; i++) {
        if (!(y_m[i + 1] > y_m[i])) { continue; }
        fill_row(s, y_m[i], y_m[i + 1], &rows[1 - now]);
        join(s, &rows[now], &rows[1 - now], y_m[i]);
        now = 1 - now;
    }
    for (uint32_t i = 0; i < rows[now].count; i++) { emit(s, &rows[now].intervals[i], s->whole.y1_m); }
}

cairn_err cairn_floor_add_solids(cairn_solid_list *list, const cairn_floor_rect *cut, uint32_t cut_count,
                                 cairn_vec2 floor_m, double thick_m, uint32_t owner, cairn_arena *memory)
{
    cairn_floor_rect *sorted = CAIRN_TAKE(memory, cairn_floor_rect, cut_count + 1);
    double *y_m = CAIRN_TAKE(memory, double, 2 * cut_count + 2);
    row rows[2] = {{.intervals = CAIRN_TAKE(memory, interval, cut_count + 1)},
                   {.intervals = CAIRN_TAKE(memory, interval, cut_count + 1)}};
    if (sorted == NULL || y_m == NULL || rows[0].intervals == NULL || rows[1].intervals == NULL) {
        return CAIRN_ERR_FULL;
    }
    const sweep s = {.cut = sorted,
                     .cut_count = cut_count,
                     .whole = {-BEYOND_M, -BEYOND_M, floor_m.x + BEYOND_M, floor_m.y + BEYOND_M},
                     .thick_m = thick_m,
                     .owner = owner,
                     .list = list};
    for (uint32_t i = 0; i < cut_count; i++) {
        sorted[i] = cut[i];
        y_m[2 * i] = cut[i].y0_m;
        y_m[2 * i + 1] = cut[i].y1_m;
    }
    y_m[2 * cut_count] = s.whole.y0_m;
    y_m[2 * cut_count + 1] = s.whole.y1_m;
    qsort(sorted, cut_count, sizeof sorted[0], from_west);
    qsort(y_m, 2 * cut_count + 2, sizeof y_m[0], upward);
    run(&s, y_m, 2 * cut_count + 2, rows);
    return CAIRN_OK;
}
