// scan_patches.c - one pass along the scan. Neighbours that lie close together form a run; a run is cut into groups of
// at least PATCH_M length and five points; a group becomes a patch if it lies on the line between its neighbours.
#include "maps/local/scan_patches.h"
#include <math.h>
#include <stdbool.h>

// Longer patches are surer of their middle, but lose more of the surface at each corner.
#define PATCH_M 0.10f
// Neighbouring points farther apart than this, plus a part of their range, are on different things.
#define GAP_M 0.06f
#define GAP_PER_M 0.03f
// A group whose middle is farther off the line between its neighbours holds a corner or a step.
#define BEND_M 0.015f
// Beams that meet a surface at a flatter angle than this (sine) say too little about where it is.
#define GRAZING 0.1f

typedef struct builder {
    const cairn_scan_points *points;
    cairn_scan_patches *out;
    uint32_t run_start;         // first group of the run under way: groups are kept in out->patches[]
    uint32_t written;           // patches that are final; <= run_start
    uint32_t count;             // points in the group under way
    float first_x_m, first_y_m; // its first point
    float x, y, xx, xy, yy;     // sums relative to that
} builder;

static void group_close(builder *b, bool whole)
{
    const bool enough = b->count >= CAIRN_PATCH_POINTS_MIN;
    if (enough && (whole || b->x * b->x + b->y * b->y > 0.0625f * PATCH_M * PATCH_M * (float)(b->count * b->count))) {
        const float part = 1 / (float)b->count, x = b->x * part, y = b->y * part;
        b->out->patches[b->out->count++] = (cairn_scan_patch){.x_m = b->first_x_m + x,
                                                              .y_m = b->first_y_m + y,
                                                              .xx = b->xx * part - x * x,
                                                              .xy = b->xy * part - x * y,
                                                              .yy = b->yy * part - y * y,
                                                              .count = (float)b->count};
    }
    b->count = 0;
}

// Gives the middle group its normal, from the middles of its neighbours; false if it bends or is grazed.
static bool patch_finish(const builder *b, const cairn_scan_patch *before, const cairn_scan_patch *after,
                         cairn_scan_patch *patch)
{
    const float dx = after->x_m - before->x_m, dy = after->y_m - before->y_m;
    const float length = sqrtf(dx * dx + dy * dy);
    if (length < 0.5f * PATCH_M) { return false; }
    patch->normal_x = -dy / length;
    patch->normal_y = dx / length;
    const float bend = patch->normal_x * (patch->x_m - before->x_m) + patch->normal_y * (patch->y_m - before->y_m);
    if (fabsf(bend) > BEND_M) { return false; }

    const float to_x = b->points->sensor_x_m - patch->x_m, to_y = b->points->sensor_y_m - patch->y_m;
    const float facing = patch->normal_x * to_x + patch->normal_y * to_y;
    if (facing < 0) { patch->normal_x = -patch->normal_x, patch->normal_y = -patch->normal_y; }
    return facing * facing > GRAZING * GRAZING * (to_x * to_x + to_y * to_y);
}

// Ends the run under way: its groups become patches, written over the place where the groups were kept.
static void run_close(builder *b)
{
    group_close(b, false);
    cairn_scan_patch *groups = b->out->patches + b->run_start;
    const uint32_t count = b->out->count - b->run_start;
    cairn_scan_patch before = {0};
    for (uint32_t i = 0; count >= 2 && i < count; i++) { // a lone group has no neighbour to tell its direction
        const cairn_scan_patch here = groups[i];
        cairn_scan_patch patch = here;
        if (patch_finish(b, i > 0 ? &before : &here, i + 1 < count ? &groups[i + 1] : &here, &patch)) {
            b->out->patches[b->written++] = patch;
        }
        before = here;
    }
    b->out->count = b->run_start = b->written;
}

static void group_add(builder *b, float x_m, float y_m)
{
    if (b->count == 0) {
        b->first_x_m = x_m, b->first_y_m = y_m;
        b->x = b->y = b->xx = b->xy = b->yy = 0;
    }
    const float x = x_m - b->first_x_m, y = y_m - b->first_y_m;
    b->count++;
    b->x += x, b->y += y;
    b->xx += x * x, b->xy += x * y, b->yy += y * y;
    if (b->count >= CAIRN_PATCH_POINTS_MIN && x * x + y * y > PATCH_M * PATCH_M) { group_close(b, true); }
}

static bool is_gap(float apart2, float range2)
{
    if (apart2 <= GAP_M * GAP_M) { return false; } // spares the root nearly always
    const float gap = GAP_M + GAP_PER_M * sqrtf(range2);
    return apart2 > gap * gap;
}

void cairn_scan_patches_find(const cairn_scan_points *points, float range_m_max, cairn_scan_patches *ret_patches)
{
    ret_patches->count = 0;
    builder b = {.points = points, .out = ret_patches};
    bool running = false;
    for (uint32_t i = 0; i < points->count; i++) {
        const float x_m = points->x_m[i], y_m = points->y_m[i];
        const float to_x = x_m - points->sensor_x_m, to_y = y_m - points->sensor_y_m;
        const float range2 = to_x * to_x + to_y * to_y;
        const bool usable = points->hit[i] && range2 <= range_m_max * range_m_max;
        if (running) {
            const float dx = x_m - points->x_m[i - 1], dy = y_m - points->y_m[i - 1];
            if (!usable || is_gap(dx * dx + dy * dy, range2)) { run_close(&b); }
        }
        if (usable) { group_add(&b, x_m, y_m); }
        running = usable;
    }
    if (running) { run_close(&b); }
}
