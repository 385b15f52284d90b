// collapse.c - upright cells by the up-detector with a higher step, then the nearest of them in each direction.
#include "terrain/collapse.h"

cairn_collapse_def cairn_collapse_def_default(void)
{
    return (cairn_collapse_def){
        .extent_m = 0.3, // between cells of 5 cm: steeper than 72 degrees
        .slope = 1.0,
        .depth_m = 0.1, // five deviations of the noise, less than the thickness of walls
        .beam_count = 1080,
    };
}

cairn_err cairn_collapse_cells(const cairn_terrain_view *view, const cairn_collapse_def *def, cairn_arena *scratch,
                               uint8_t *ret_upright)
{
    const cairn_up_def up = {.slope = def->slope, .step_m = def->extent_m, .rounds = 0};
    return cairn_up_detect(&view->area, &up, view->low_um, view->top_um, scratch, ret_upright);
}

typedef struct flat_beam {
    double nearest_m;        // of upright returns
    double x_m_sum, y_m_sum; // of those near the nearest
    double clear_m;          // range of the farthest of the others
    uint32_t count;
} flat_beam;

typedef struct polar {
    uint32_t beam;
    double range_m;
} polar;

static polar polar_of(const cairn_terrain_sweep *sweep, uint32_t point, uint32_t beam_count)
{
    const double dx = sweep->hits.x_m[point] - sweep->sensor_m.x, dy = sweep->hits.y_m[point] - sweep->sensor_m.y;
    const uint32_t beam = (uint32_t)((atan2(dy, dx) + CAIRN_PI) / (2 * CAIRN_PI) * beam_count);
    return (polar){beam < beam_count ? beam : beam_count - 1, sqrt(dx * dx + dy * dy)};
}

static void beams_begin(flat_beam *beams, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { beams[i] = (flat_beam){.nearest_m = INFINITY}; }
}

static void nearest_find(const cairn_terrain_view *view, const cairn_terrain_sweep *sweep, const uint8_t *upright,
                         uint32_t beam_count, flat_beam *beams)
{
    for (uint32_t i = 0; i < view->point_count; i++) {
        const uint32_t cell = view->point_cells[i];
        if (cell == CAIRN_CELL_NONE) { continue; }
        const polar at = polar_of(sweep, i, beam_count);
        flat_beam *beam = &beams[at.beam];
        if (upright[cell]) {
            beam->nearest_m = fmin(beam->nearest_m, at.range_m);
        } else if (view->cells[cell] == CAIRN_CELL_DRIVABLE) {
            beam->clear_m = fmax(beam->clear_m, at.range_m);
        }
    }
}

// The nearest alone would be too near, by the noise of the luckiest of many returns.
static void surfaces_average(const cairn_terrain_view *view, const cairn_terrain_sweep *sweep, const uint8_t *upright,
                             const cairn_collapse_def *def, flat_beam *beams)
{
    for (uint32_t i = 0; i < view->point_count; i++) {
        const uint32_t cell = view->point_cells[i];
        if (cell == CAIRN_CELL_NONE || !upright[cell]) { continue; }
        const polar at = polar_of(sweep, i, def->beam_count);
        flat_beam *beam = &beams[at.beam];
        if (at.range_m > beam->nearest_m + def->depth_m) { continue; }
        beam->x_m_sum += sweep->hits.x_m[i];
        beam->y_m_sum += sweep->hits.y_m[i];
        beam->count++;
    }
}

void cairn_collapse_scan(const cairn_terrain_view *view, const cairn_collapse_def *def,
                         const cairn_terrain_sweep *sweep, const uint8_t *upright, cairn_scan_points *ret_points)
{
    CAIRN_ASSERT(def->beam_count >= 3 && def->beam_count <= CAIRN_SCAN_POINTS_MAX);
    CAIRN_ASSERT(sweep->hits.count == view->point_count);
    flat_beam beams[CAIRN_SCAN_POINTS_MAX];
    beams_begin(beams, def->beam_count);
    nearest_find(view, sweep, upright, def->beam_count, beams);
    surfaces_average(view, sweep, upright, def, beams);

    ret_points->sensor_x_m = (float)sweep->sensor_m.x;
    ret_points->sensor_y_m = (float)sweep->sensor_m.y;
    ret_points->count = def->beam_count;
    for (uint32_t i = 0; i < def->beam_count; i++) {
        const flat_beam *beam = &beams[i];
        const bool hit = beam->count > 0;
        const double angle_rad = 2 * CAIRN_PI * (i + 0.5) / def->beam_count - CAIRN_PI;
        const cairn_vec2 clear_m = {sweep->sensor_m.x + beam->clear_m * cos(angle_rad),
                                    sweep->sensor_m.y + beam->clear_m * sin(angle_rad)};
        ret_points->x_m[i] = (float)(hit ? beam->x_m_sum / beam->count : clear_m.x);
        ret_points->y_m[i] = (float)(hit ? beam->y_m_sum / beam->count : clear_m.y);
        ret_points->hit[i] = hit;
    }
}
