#include "sim/arena/ground.h"
#include "base/status.h"

#define TALL_M 1000.0 // ground is looked for from here downward

// Where a line straight down through a place enters an oriented box; false if it misses it.
static bool top_of_solid(const cairn_solid *solid, cairn_vec2 at_m, double *ret_height_m, cairn_vec3 *ret_normal)
{
    const cairn_quat back = cairn_quat_conjugate(solid->map_T_box.turn);
    const cairn_vec3 from =
        cairn_quat_rotate(back, cairn_vec3_sub((cairn_vec3){at_m.x, at_m.y, TALL_M}, solid->map_T_box.at_m));
    const cairn_vec3 down = cairn_quat_rotate(back, (cairn_vec3){0, 0, -1});
    const double from_of[3] = {from.x, from.y, from.z}, down_of[3] = {down.x, down.y, down.z};
    const double half_of[3] = {solid->half_m.x, solid->half_m.y, solid->half_m.z};
    double enter_m = -INFINITY, leave_m = INFINITY;
    int face = 2;
    for (int i = 0; i < 3; i++) {
        if (fabs(down_of[i]) < 1e-12) {
            if (fabs(from_of[i]) > half_of[i]) { return false; }
            continue;
        }
        const double middle_m = -from_of[i] / down_of[i], half_m = half_of[i] / fabs(down_of[i]);
        if (middle_m - half_m > enter_m) {
            enter_m = middle_m - half_m;
            face = i;
        }
        leave_m = fmin(leave_m, middle_m + half_m);
    }
    if (enter_m > leave_m) { return false; }
    *ret_height_m = TALL_M - enter_m;
    const double side = down_of[face] > 0 ? -1 : 1;
    const cairn_vec3 outward = {face == 0 ? side : 0, face == 1 ? side : 0, face == 2 ? side : 0};
    *ret_normal = cairn_quat_rotate(solid->map_T_box.turn, outward);
    return true;
}

static double friction_or_default(double friction) { return friction > 0 ? friction : CAIRN_GROUND_FRICTION; }

static void try_solid(const cairn_solid *solid, cairn_vec2 at_m, double from_m, cairn_ground *best)
{
    double height_m;
    cairn_vec3 normal;
    if (solid->kind != CAIRN_SOLID_GROUND || !top_of_solid(solid, at_m, &height_m, &normal)) { return; }
    if (height_m > from_m || height_m <= best->height_m) { return; }
    *best = (cairn_ground){height_m, normal, friction_or_default(solid->friction)};
}

cairn_ground cairn_sim_ground(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    cairn_ground best = {arena->has_holes ? CAIRN_ABYSS_M : 0, {0, 0, 1}, CAIRN_GROUND_FRICTION};
    for (uint32_t i = 0; i < arena->solid_count; i++) { try_solid(&arena->solids[i], at_m, from_m, &best); }
    return best;
}

double cairn_sim_ground_m(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    return cairn_sim_ground(arena, at_m, from_m).height_m;
}
