// rays.c - rays against grids and boxes.
#include "geometry/rays.h"
#include "base/status.h"

// One axis of a walk: borders at whole numbers, from and to in cells.
static void start_axis(double from, double to, int32_t *ret_at, int32_t *ret_end, int32_t *ret_step, double *ret_next,
                       double *ret_delta)
{
    CAIRN_ASSERT(fabs(from) < 1e9 && fabs(to) < 1e9);
    const int32_t at = (int32_t)floor(from), end = (int32_t)floor(to);
    *ret_at = at;
    *ret_end = end;
    *ret_step = end > at ? 1 : -1;
    *ret_next = *ret_delta = INFINITY;
    if (end != at) {
        *ret_delta = 1.0 / fabs(to - from);
        *ret_next = (end > at ? at + 1 - from : from - at) * *ret_delta;
    }
}

void cairn_grid_walk_start(cairn_grid_walk *walk, cairn_vec2 origin_m, double cell_m, cairn_vec2 from_m,
                           cairn_vec2 to_m)
{
    CAIRN_ASSERT(cell_m > 0);
    start_axis((from_m.x - origin_m.x) / cell_m, (to_m.x - origin_m.x) / cell_m, &walk->x, &walk->end_x, &walk->step_x,
               &walk->next_x, &walk->delta_x);
    start_axis((from_m.y - origin_m.y) / cell_m, (to_m.y - origin_m.y) / cell_m, &walk->y, &walk->end_y, &walk->step_y,
               &walk->next_y, &walk->delta_y);
    walk->steps_left = (walk->end_x - walk->x) * walk->step_x + (walk->end_y - walk->y) * walk->step_y;
}

// Narrows [*near, *far] to the part of the ray within one slab |p| <= half. False when nothing is left.
// Comparisons and not fmin() and fmax(), which are calls: nothing here is NaN.
static bool clip(double from, double direction, double half, double *near, double *far)
{
    if (direction == 0.0) { return fabs(from) <= half; }
    const double a = (-half - from) / direction, b = (half - from) / direction;
    const double enter = a < b ? a : b, leave = a < b ? b : a;
    *near = enter > *near ? enter : *near;
    *far = leave < *far ? leave : *far;
    return *near <= *far;
}

double cairn_ray_box2(cairn_vec2 from_m, cairn_vec2 direction, cairn_pose2 map_T_box, cairn_vec2 half_m)
{
    const cairn_pose2 turn_back = {0, 0, -map_T_box.yaw_rad};
    const cairn_vec2 from = cairn_pose2_rotate(turn_back, cairn_vec2_sub(from_m, cairn_pose2_at(map_T_box)));
    const cairn_vec2 along = cairn_pose2_rotate(turn_back, direction);
    double near = 0.0, far = INFINITY;
    const bool touched = clip(from.x, along.x, half_m.x, &near, &far) && clip(from.y, along.y, half_m.y, &near, &far);
    return touched ? near : -1.0;
}

double cairn_ray_box3(cairn_vec3 from_m, cairn_vec3 direction, cairn_pose3 map_T_box, cairn_vec3 half_m)
{
    const cairn_quat turn_back = cairn_quat_conjugate(map_T_box.turn);
    return cairn_ray_box3_local(cairn_quat_rotate(turn_back, cairn_vec3_sub(from_m, map_T_box.at_m)),
                                cairn_quat_rotate(turn_back, direction), half_m);
}

double cairn_ray_box3_local(cairn_vec3 from_m, cairn_vec3 direction, cairn_vec3 half_m)
{
    double near = 0.0, far = INFINITY;
    const bool touched = clip(from_m.x, direction.x, half_m.x, &near, &far) &&
                         clip(from_m.y, direction.y, half_m.y, &near, &far) &&
                         clip(from_m.z, direction.z, half_m.z, &near, &far);
    return touched ? near : -1.0;
}

double cairn_ray_circle(cairn_vec2 from_m, cairn_vec2 direction, cairn_vec2 centre_m, double radius_m)
{
    const cairn_vec2 to_centre = cairn_vec2_sub(centre_m, from_m);
    const double along = cairn_vec2_dot(direction, to_centre), aside = cairn_vec2_cross(direction, to_centre);
    const double outside = cairn_vec2_dot(to_centre, to_centre) - radius_m * radius_m;
    if (outside <= 0.0) { return 0.0; }
    const double square = radius_m * radius_m - aside * aside;
    // outside / (along + root) is along - root without its cancellation
    return along < 0.0 || square < 0.0 ? -1.0 : outside / (along + sqrt(square));
}

double cairn_box2_distance(cairn_vec2 point_m, cairn_pose2 map_T_box, cairn_vec2 half_m)
{
    const cairn_pose2 turn_back = {0, 0, -map_T_box.yaw_rad};
    const cairn_vec2 at = cairn_pose2_rotate(turn_back, cairn_vec2_sub(point_m, cairn_pose2_at(map_T_box)));
    return cairn_vec2_length((cairn_vec2){fmax(fabs(at.x) - half_m.x, 0.0), fmax(fabs(at.y) - half_m.y, 0.0)});
}
