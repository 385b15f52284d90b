// observe.c - what a camera sees of the plane, cell by cell.
//
// Rays half a cell apart at the far end, so that every cell in the sector is crossed by at least one. Their number is
// odd: one of them runs along the camera's axis, and what a lookout faces is seen.
#include "planning/observe.h"
#include "geometry/rays.h"

typedef struct camera_view {
    const uint8_t *ground;
    const cairn_cost_grid *grid;
    const cairn_sight *sight;
    uint8_t bit;
    uint8_t *seen;
} camera_view;

static bool in_range(const camera_view *view, cairn_vec2 from_m, uint32_t cell)
{
    const double distance_m = cairn_vec2_distance(from_m, cairn_cost_grid_centre_of(view->grid, cell));
    return distance_m >= view->sight->range_m_min && distance_m <= view->sight->range_m_max;
}

static uint32_t cast(const camera_view *view, cairn_vec2 from_m, double bearing_rad)
{
    const cairn_cost_grid *grid = view->grid;
    const double far_m = view->sight->range_m_max;
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, grid->origin_m, grid->cell_m, from_m,
                          (cairn_vec2){from_m.x + far_m * cos(bearing_rad), from_m.y + far_m * sin(bearing_rad)});
    uint32_t count = 0;
    for (bool first = true;; first = false) {
        const uint32_t x = (uint32_t)walk.x, y = (uint32_t)walk.y; // negative ones wrap to large ones
        if (x >= grid->width || y >= grid->height) { return count; }
        const uint32_t cell = y * grid->width + x;
        const uint8_t ground = view->ground[cell];
        if (ground != CAIRN_GROUND_UNKNOWN && !(view->seen[cell] & view->bit) && in_range(view, from_m, cell)) {
            view->seen[cell] |= view->bit;
            count++;
        }
        if (ground != CAIRN_GROUND_FREE && !first) { return count; }
        if (!cairn_grid_walk_next(&walk)) { return count; }
    }
}

uint32_t cairn_sight_mark(const uint8_t *ground, const cairn_cost_grid *grid, cairn_pose2 map_T_camera,
                          const cairn_sight *sight, uint8_t mark, uint8_t *seen)
{
    CAIRN_ASSERT(mark != 0 && sight->field_rad > 0);
    CAIRN_ASSERT(sight->range_m_min >= 0 && sight->range_m_max > sight->range_m_min);
    const camera_view view = {.ground = ground, .grid = grid, .sight = sight, .bit = mark, .seen = seen};
    const double spacing_rad = 0.5 * grid->cell_m / sight->range_m_max;
    const uint32_t half = (uint32_t)ceil(0.5 * sight->field_rad / spacing_rad);
    uint32_t count = 0;
    for (uint32_t i = 0; i <= 2 * half; i++) {
        const double part = ((double)i - half) / half; // -1 .. 1
        count += cast(&view, cairn_pose2_at(map_T_camera), map_T_camera.yaw_rad + 0.5 * part * sight->field_rad);
    }
    return count;
}
