#include "sim/physics/robot_shape.h"
#include "base/status.h"

// Wheels must not graze the hull that they turn beside.
#define WHEEL_GAP_M 0.005
// A hull thinner than this is a mistake in a file that its reader lets through.
#define HULL_M_MIN 0.01

// The head stands on the hull: where there is one, the hull ends at its foot.
static double hull_top_m(const cairn_body_description *robot)
{
    const double foot_m = robot->head_centre_m.z - 0.5 * robot->head_size_m.z;
    const bool stands_on_hull = robot->head_size_m.z > 0 && foot_m > robot->clearance_m + HULL_M_MIN;
    return stands_on_hull ? fmin(foot_m, robot->height_m) : robot->height_m;
}

static double reach_m(const cairn_robot_shape *shape, const cairn_body_description *robot)
{
    const cairn_vec3 outer = {0.5 * robot->length_m, 0.5 * robot->width_m, 0.5 * robot->height_m};
    double reach = cairn_vec3_length(outer);
    if (shape->has_head) {
        const cairn_vec3 middle = {0, 0, 0.5 * robot->height_m};
        const cairn_vec3 to_head = cairn_vec3_sub(shape->head_centre_m, middle);
        reach = fmax(reach, cairn_vec3_length(to_head) + cairn_vec3_length(shape->head_half_m));
    }
    const cairn_flippers_description *flippers = &robot->flippers;
    if (flippers->offered) {
        const cairn_vec3 to_pivot = {flippers->pivot_m.x, 0.5 * flippers->track_m,
                                     flippers->pivot_m.y - 0.5 * robot->height_m};
        reach = fmax(reach, cairn_vec3_length(to_pivot) + flippers->length_m + flippers->radius_m);
    }
    return reach;
}

cairn_robot_shape cairn_robot_shape_of(const cairn_body_description *robot)
{
    const cairn_wheels_description *wheels = &robot->wheels;
    CAIRN_ASSERT(wheels->radius_m > 0 && wheels->width_m > 0);
    CAIRN_ASSERT(robot->height_m > robot->clearance_m && robot->length_m > 0);
    const double top_m = hull_top_m(robot);
    const double inner_m = wheels->track_m - wheels->width_m - 2 * WHEEL_GAP_M;

    cairn_robot_shape shape = {.wheel_radius_m = wheels->radius_m, .wheel_half_width_m = 0.5 * wheels->width_m};
    shape.hull_centre_m = (cairn_vec3){0, 0, 0.5 * (top_m + robot->clearance_m)};
    // Belts reach further than the hull between them, which would get stuck on what they climb.
    const double length_m = robot->tracks.offered ? wheels->wheelbase_m : robot->length_m;
    shape.hull_half_m = (cairn_vec3){0.5 * length_m, 0.5 * fmax(inner_m, HULL_M_MIN),
                                     0.5 * fmax(top_m - robot->clearance_m, HULL_M_MIN)};
    shape.has_head = robot->head_size_m.x > 0 && robot->head_size_m.y > 0 && robot->head_size_m.z > 0;
    shape.head_centre_m = robot->head_centre_m;
    shape.head_half_m = cairn_vec3_scale(robot->head_size_m, 0.5);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double x_m = (i < 2 ? 0.5 : -0.5) * wheels->wheelbase_m;
        const double y_m = (i % 2 == 0 ? 0.5 : -0.5) * wheels->track_m;
        shape.wheel_centre_m[i] = (cairn_vec3){x_m, y_m, wheels->radius_m};
    }
    shape.has_belts = robot->tracks.offered;
    shape.belt_half_m = (cairn_vec3){0.5 * wheels->wheelbase_m, 0.5 * wheels->width_m, wheels->radius_m};
    for (int side = 0; side < 2; side++) {
        shape.belt_centre_m[side] = (cairn_vec3){0, shape.wheel_centre_m[side].y, wheels->radius_m};
    }
    shape.reach_m = reach_m(&shape, robot);
    return shape;
}
