#include "commands/bench/bench_places.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include <math.h>

#define FLOOR_M 0.01 // ground no higher than this is the floor; where there are holes it is made of solids

static bool is_free(const cairn_sim_arena *arena, cairn_vec2 at_m, double clearance_m)
{
    if (fabs(cairn_sim_ground_m(arena, at_m, INFINITY)) > FLOOR_M) { return false; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const bool is_floor = solid->map_T_box.at_m.z + solid->half_m.z < FLOOR_M;
        if (solid->kind == CAIRN_SOLID_GROUND && is_floor) { continue; }
        const cairn_vec2 half = {solid->half_m.x, solid->half_m.y};
        if (cairn_box2_distance(at_m, cairn_pose3_to_pose2(solid->map_T_box), half) < clearance_m) { return false; }
    }
    return true;
}

cairn_pose2 cairn_bench_free_place(const cairn_sim_arena *arena, double clearance_m, cairn_random *random)
{
    cairn_pose2 place;
    do {
        place = (cairn_pose2){cairn_random_between(random, 0, arena->size_m.x),
                              cairn_random_between(random, 0, arena->size_m.y),
                              cairn_random_between(random, -CAIRN_PI, CAIRN_PI)};
    } while (!is_free(arena, cairn_pose2_at(place), clearance_m));
    return place;
}

void cairn_bench_look(cairn_rays *rays, const cairn_laser_description *laser, cairn_pose2 place, cairn_random *random,
                      cairn_scan_points *ret_points)
{
    const cairn_pose3 map_T_laser = cairn_pose3_compose(cairn_pose3_from_pose2(place, 0), laser->base_T_laser);
    const cairn_sweep sweep = {.beam_count = laser->beam_count,
                               .angle_rad_first = -0.5 * laser->field_rad,
                               .angle_rad_step = laser->field_rad / (laser->beam_count - 1),
                               .range_m_max = laser->range_m_max,
                               .map_T_laser_first = map_T_laser,
                               .map_T_laser_last = map_T_laser};
    static float range_m[CAIRN_SCAN_POINTS_MAX];
    cairn_rays_planar.sweep(rays, &sweep, range_m);
    const cairn_pose2 base_T_laser = cairn_pose3_to_pose2(laser->base_T_laser);
    ret_points->sensor_x_m = (float)base_T_laser.x_m;
    ret_points->sensor_y_m = (float)base_T_laser.y_m;
    ret_points->count = sweep.beam_count;
    for (uint32_t i = 0; i < sweep.beam_count; i++) {
        const bool hit = isfinite(range_m[i]);
        const double range = hit ? range_m[i] + 0.01 * cairn_random_gauss(random) : sweep.range_m_max;
        const double angle = base_T_laser.yaw_rad + sweep.angle_rad_first + i * sweep.angle_rad_step;
        ret_points->x_m[i] = (float)(base_T_laser.x_m + range * cos(angle));
        ret_points->y_m[i] = (float)(base_T_laser.y_m + range * sin(angle));
        ret_points->hit[i] = hit;
    }
}
