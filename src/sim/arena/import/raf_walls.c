// raf_walls.c - walls in whole millimetres, sorted by their line, so that neighbours can be joined in one pass.
#include "sim/arena/import/raf_walls.h"
#include <math.h>
#include <stdlib.h>

#define HOLE_M 0.134    // the square with the area of a hole of 0.15 m
#define BAND_M_MIN 0.05 // lower walls cannot be

const cairn_raf_hole cairn_raf_holes[CAIRN_RAF_HOLES] = {
    {-0.3, 0.9, -0.291, 0.896}, {0.3, 0.6, 0.289, 0.591}, {-0.3, 0.3, -0.280, 0.309}};

void cairn_raf_walls_add(cairn_raf_walls *to, const cairn_raf_element *of, cairn_vec2 a, cairn_vec2 b,
                         cairn_raf_upright how)
{
    CAIRN_ASSERT(to->count <= CAIRN_RAF_WALLS_MAX && of->quarter >= 0 && of->quarter < 4);
    CAIRN_ASSERT(how.foot_m >= 0 && how.height_m > 0);
    if (to->count == CAIRN_RAF_WALLS_MAX) { return; }
    const cairn_vec2 one = cairn_raf_place(of, a.x, a.y), other = cairn_raf_place(of, b.x, b.y);
    const bool turned = llround(1000 * other.x) < llround(1000 * one.x) ||
                        (llround(1000 * other.x) == llround(1000 * one.x) && other.y < one.y);
    const cairn_vec2 from = turned ? other : one, till = turned ? one : other;
    to->all[to->count++] = (cairn_raf_wall){.x0 = llround(1000 * from.x),
                                            .y0 = llround(1000 * from.y),
                                            .x1 = llround(1000 * till.x),
                                            .y1 = llround(1000 * till.y),
                                            .foot_mm = (int32_t)lround(1000 * how.foot_m),
                                            .height_mm = (int32_t)lround(1000 * how.height_m)};
}

void cairn_raf_walls_add_holed(cairn_raf_walls *to, const cairn_raf_element *of, double height_m)
{
    CAIRN_ASSERT(height_m > 0);
    const double half_m = CAIRN_RAF_CELL_M / 2, north_m = CAIRN_RAF_CELL_M / 2;
    double foot_m = 0.0;
    for (int i = CAIRN_RAF_HOLES - 1; i >= -1; i--) {
        const double low_m = i < 0 ? height_m : fmin(cairn_raf_holes[i].z_m - HOLE_M / 2, height_m);
        const cairn_raf_upright whole = {foot_m, low_m - foot_m};
        if (whole.height_m > BAND_M_MIN) {
            cairn_raf_walls_add(to, of, (cairn_vec2){-half_m, north_m}, (cairn_vec2){half_m, north_m}, whole);
        }
        if (i < 0 || low_m >= height_m) { return; }
        foot_m = fmin(low_m + HOLE_M, height_m);
        const cairn_raf_upright beside = {low_m, fmax(foot_m - low_m, BAND_M_MIN)};
        cairn_raf_walls_add(to, of, (cairn_vec2){-half_m, north_m},
                            (cairn_vec2){cairn_raf_holes[i].x_m - HOLE_M / 2, north_m}, beside);
        cairn_raf_walls_add(to, of, (cairn_vec2){cairn_raf_holes[i].x_m + HOLE_M / 2, north_m},
                            (cairn_vec2){half_m, north_m}, beside);
    }
}

static int slope_of(const cairn_raf_wall *wall) // 0 level, 1 upright, 2 rising, 3 falling
{
    if (wall->y0 == wall->y1) { return 0; }
    if (wall->x0 == wall->x1) { return 1; }
    return wall->y1 > wall->y0 ? 2 : 3;
}

// Same for all walls on one straight line.
static int64_t line_key(const cairn_raf_wall *wall)
{
    switch (slope_of(wall)) {
    case 0: return wall->y0;
    case 1: return wall->x0;
    case 2: return wall->y0 - wall->x0;
    default: return wall->y0 + wall->x0;
    }
}

static int64_t along(const cairn_raf_wall *wall) { return slope_of(wall) == 1 ? wall->y0 : wall->x0; }

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b)) { return (a) < (b) ? -1 : 1; }

static int compare_lines(const void *first, const void *second)
{
    const cairn_raf_wall *a = first, *b = second;
    COMPARE(slope_of(a), slope_of(b))
    COMPARE(a->foot_mm, b->foot_mm)
    COMPARE(a->height_mm, b->height_mm)
    COMPARE(line_key(a), line_key(b))
    COMPARE(along(a), along(b))
    return 0;
}

static bool stand_alike(const cairn_raf_wall *a, const cairn_raf_wall *b)
{
    return slope_of(a) == slope_of(b) && a->foot_mm == b->foot_mm && a->height_mm == b->height_mm;
}

void cairn_raf_walls_join(cairn_raf_walls *walls)
{
    CAIRN_ASSERT(walls->count <= CAIRN_RAF_WALLS_MAX);
    qsort(walls->all, walls->count, sizeof walls->all[0], compare_lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walls->count; i++) {
        cairn_raf_wall *last = kept > 0 ? &walls->all[kept - 1] : NULL;
        const cairn_raf_wall next = walls->all[i];
        const bool same = last != NULL && stand_alike(last, &next) && line_key(last) == line_key(&next);
        const int64_t last_end = last == NULL ? 0 : slope_of(last) == 1 ? last->y1 : last->x1;
        if (!same || along(&next) > last_end) {
            walls->all[kept++] = next;
        } else if ((slope_of(&next) == 1 ? next.y1 : next.x1) > last_end) {
            last->x1 = next.x1;
            last->y1 = next.y1;
        }
    }
    walls->count = kept;
}
