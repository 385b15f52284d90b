#include "robot/ground/upright.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NODS_MAX 2     // a sweep counts for so many nods. Larger: odometry has drifted by cells
#define SHOWN_PART 1.5 // [-] of the least upright extent that a nod must be able to show of a wall
#define BESIDE_CELLS 2 // what is seen in a cell holds for so many beside it, 10 cm: noise, and odometry during a nod
// Along 20 cm of a slope: steeper than 17 degrees, below which noise makes as much, up to 63, where it is called
// upright anyway; and how far off the line between its ends.
#define RISE_UM_MIN 60000
#define RISE_UM_MAX 400000
#define OFF_LINE_UM_MAX 25000
#define CELL_UM_MAX 150000 // within a cell of 5 cm
#define KEPT_PART_MIN 0.5  // [-] of the returns must be left to match by. Larger: slopes are matched among slopes

cairn_err cairn_upright_init(cairn_upright *upright, const cairn_laser_description *laser, uint32_t cell_count,
                             cairn_arena *arena)
{
    *upright = (cairn_upright){.def = cairn_collapse_def_default()};
    const cairn_nod_description *nod = &laser->nod;
    if (!laser->offered || !nod->offered) { return CAIRN_OK; }
    upright->nod_ns = cairn_ns_from_seconds(nod->period_s);
    const double span = fabs(tan(nod->to_rad) - tan(nod->from_rad));
    upright->ahead_m = SHOWN_PART * upright->def.extent_m / fmax(span, 1e-3);
    const size_t scratch_bytes = (size_t)cell_count * 2 * sizeof(int32_t) + 256;
    upright->slants = CAIRN_TAKE(arena, uint8_t, cell_count);
    upright->upright = CAIRN_TAKE(arena, uint8_t, cell_count);
    uint8_t *scratch = CAIRN_TAKE(arena, uint8_t, scratch_bytes);
    if (upright->slants == NULL || upright->upright == NULL || scratch == NULL) { return CAIRN_ERR_FULL; }
    cairn_arena_init(&upright->scratch, scratch, scratch_bytes);
    return CAIRN_OK;
}

void cairn_upright_forget(cairn_upright *upright) { upright->seen = false; }

// The middle of what was seen in a cell; CAIRN_HEIGHT_NONE where that is nothing, or too high for one slope.
static int32_t middle_um(const cairn_terrain_view *view, uint32_t cell)
{
    const int32_t low_um = view->low_um[cell], top_um = view->top_um[cell];
    if (low_um == CAIRN_HEIGHT_NONE || top_um - low_um > CELL_UM_MAX) { return CAIRN_HEIGHT_NONE; }
    return low_um + (top_um - low_um) / 2;
}

// Whether five cells in a row lie on a line that rises or falls.
static bool lie_on_slope(const cairn_terrain_view *view, uint32_t middle, int32_t step)
{
    int32_t um[5];
    for (int32_t i = 0; i < 5; i++) {
        um[i] = middle_um(view, (uint32_t)((int32_t)middle + (i - 2) * step));
        if (um[i] == CAIRN_HEIGHT_NONE) { return false; }
    }
    const int32_t rise_um = um[4] - um[0];
    if (abs(rise_um) < RISE_UM_MIN || abs(rise_um) > RISE_UM_MAX) { return false; }
    for (int32_t i = 1; i < 4; i++) {
        if (abs(um[i] - um[0] - rise_um * i / 4) > OFF_LINE_UM_MAX) { return false; }
    }
    return true;
}

static bool is_slope(const cairn_terrain_view *view, uint32_t cell)
{
    const int32_t width = (int32_t)view->area.width;
    const int32_t steps[] = {1, width, width + 1, width - 1};
    for (int32_t i = 0; i < 4; i++) {
        if (lie_on_slope(view, cell, steps[i])) { return true; }
    }
    return false;
}

static void mark_around(cairn_upright *upright, uint32_t cell, uint8_t slants)
{
    const int32_t width = (int32_t)upright->area.width, height = (int32_t)upright->area.height;
    const int32_t x = (int32_t)cell % width, y = (int32_t)cell / width;
    for (int32_t v = y - BESIDE_CELLS; v <= y + BESIDE_CELLS; v++) {
        for (int32_t u = x - BESIDE_CELLS; u <= x + BESIDE_CELLS; u++) {
            if (u >= 0 && v >= 0 && u < width && v < height) { upright->slants[v * width + u] = slants; }
        }
    }
}

void cairn_upright_see(cairn_upright *upright, const cairn_terrain_view *view, cairn_pose2 odom_T_sweep, cairn_mono now)
{
    if (upright->nod_ns == 0) { return; }
    const cairn_err err = cairn_collapse_cells(view, &upright->def, &upright->scratch, upright->upright);
    CAIRN_ASSERT(err == CAIRN_OK); // the scratch was made for as many cells
    upright->area = view->area;
    const uint32_t width = view->area.width, height = view->area.height;
    memset(upright->slants, 0, (size_t)width * height);
    for (uint32_t y = 2; y + 2 < height; y++) {
        for (uint32_t x = 2; x + 2 < width; x++) {
            const uint32_t cell = y * width + x;
            if (is_slope(view, cell)) { mark_around(upright, cell, 1); }
        }
    }
    for (uint32_t cell = 0; cell < width * height; cell++) {
        if (upright->upright[cell]) { mark_around(upright, cell, 0); }
    }
    upright->seen = true;
    upright->seen_at = now;
    upright->odom_T_sweep = odom_T_sweep;
}

// Whether the last nod saw a slope at this place of its frame.
static bool slants_at(const cairn_upright *upright, cairn_vec2 at_m)
{
    const cairn_terrain_area *area = &upright->area;
    const double x = floor((at_m.x - area->origin_m.x) / area->cell_m);
    const double y = floor((at_m.y - area->origin_m.y) / area->cell_m);
    if (!(x >= 0 && y >= 0 && x < area->width && y < area->height)) { return false; }
    return upright->slants[(size_t)y * area->width + (size_t)x] != 0;
}

uint32_t cairn_upright_leave_out(const cairn_upright *upright, cairn_pose2 odom_T_base, cairn_mono now,
                                 cairn_scan_points *points)
{
    if (!upright->seen || cairn_mono_since(now, upright->seen_at) > NODS_MAX * upright->nod_ns) { return 0; }
    const cairn_pose2 sweep_T_base = cairn_pose2_between(upright->odom_T_sweep, odom_T_base);
    uint8_t goes[CAIRN_SCAN_POINTS_MAX] = {0};
    uint32_t hit_count = 0, going = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        if (!points->hit[i]) { continue; }
        hit_count++;
        if ((double)(points->x_m[i] - points->sensor_x_m) < upright->ahead_m) { continue; }
        goes[i] = slants_at(upright, cairn_pose2_apply(sweep_T_base, (cairn_vec2){points->x_m[i], points->y_m[i]}));
        going += goes[i];
    }
    if (going == 0 || hit_count - going < KEPT_PART_MIN * hit_count) { return 0; }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        if (goes[i]) { continue; }
        points->x_m[kept] = points->x_m[i];
        points->y_m[kept] = points->y_m[i];
        points->hit[kept++] = points->hit[i];
    }
    points->count = kept;
    return going;
}
