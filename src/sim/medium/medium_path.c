#include "sim/medium/medium_path.h"
#include <math.h>

// A signal so far above the noise gets no byte wrong: erfc(10) is 2e-45.
#define STRONG_DB 20

// ---- walls

static bool in_the_way(const cairn_solid *solid, double height_m)
{
    if (solid->kind != CAIRN_SOLID_WALL && solid->kind != CAIRN_SOLID_BOX) { return false; }
    return fabs(height_m - solid->map_T_box.at_m.z) <= solid->half_m.z; // walls and boxes stand upright
}

static cairn_medium_wall wall_of(const cairn_solid *solid)
{
    const cairn_pose2 pose = cairn_pose3_to_pose2(solid->map_T_box);
    const cairn_vec2 half_m = {solid->half_m.x, solid->half_m.y};
    return (cairn_medium_wall){.at_m = cairn_pose2_at(pose),
                               .along = {cos(pose.yaw_rad), sin(pose.yaw_rad)},
                               .half_m = half_m,
                               .radius_m = cairn_vec2_length(half_m)};
}

cairn_err cairn_medium_walls_create(const cairn_sim_arena *arena, double antenna_m, cairn_arena *memory,
                                    cairn_medium_walls *ret_walls)
{
    CAIRN_ASSERT(arena && memory && ret_walls);
    cairn_medium_walls walls = {0};
    for (uint32_t i = 0; i < arena->solid_count; i++) { walls.count += in_the_way(&arena->solids[i], antenna_m); }
    walls.walls = CAIRN_TAKE(memory, cairn_medium_wall, walls.count);
    walls.cuts = CAIRN_TAKE(memory, cairn_medium_cut, walls.count);
    if (!walls.walls || !walls.cuts) { return CAIRN_ERR_FULL; }
    uint32_t at = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (in_the_way(&arena->solids[i], antenna_m)) { walls.walls[at++] = wall_of(&arena->solids[i]); }
    }
    CAIRN_ASSERT(at == walls.count);
    *ret_walls = walls;
    return CAIRN_OK;
}

// Narrows the cut to where from + t * way lies within +-half; false when nothing is left.
static bool clip(double from, double way, double half, cairn_medium_cut *cut)
{
    if (way == 0) { return fabs(from) <= half; }
    const double near = (way > 0 ? -half - from : half - from) / way;
    const double far = (way > 0 ? half - from : -half - from) / way;
    if (near > cut->from) { cut->from = near; }
    if (far < cut->to) { cut->to = far; }
    return cut->from <= cut->to;
}

static bool cuts_wall(const cairn_medium_wall *wall, cairn_vec2 from_m, cairn_vec2 way_m, cairn_medium_cut *ret_cut)
{
    const cairn_vec2 from = cairn_vec2_sub(from_m, wall->at_m);
    const cairn_vec2 start = {cairn_vec2_dot(wall->along, from), cairn_vec2_cross(wall->along, from)};
    const cairn_vec2 way = {cairn_vec2_dot(wall->along, way_m), cairn_vec2_cross(wall->along, way_m)};
    *ret_cut = (cairn_medium_cut){0, 1};
    return clip(start.x, way.x, wall->half_m.x, ret_cut) && clip(start.y, way.y, wall->half_m.y, ret_cut);
}

// Keeps the cuts in the order in which they begin; they are few.
static void insert(cairn_medium_cut *cuts, uint32_t count, cairn_medium_cut cut)
{
    uint32_t at = count;
    for (; at > 0 && cuts[at - 1].from > cut.from; at--) { cuts[at] = cuts[at - 1]; }
    cuts[at] = cut;
}

static uint32_t count_apart(const cairn_medium_cut *cuts, uint32_t count)
{
    uint32_t apart = 0;
    double end = -1;
    for (uint32_t i = 0; i < count; i++) {
        apart += cuts[i].from > end;
        if (cuts[i].to > end) { end = cuts[i].to; }
    }
    return apart;
}

uint32_t cairn_medium_walls_between(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m)
{
    CAIRN_ASSERT(walls);
    const cairn_vec2 way_m = cairn_vec2_sub(to_m, from_m);
    const double length_m = cairn_vec2_length(way_m);
    uint32_t count = 0;
    for (uint32_t i = 0; i < walls->count; i++) {
        const cairn_medium_wall *wall = &walls->walls[i];
        // Most walls are far to one side of the way.
        const double aside = cairn_vec2_cross(way_m, cairn_vec2_sub(wall->at_m, from_m));
        if (fabs(aside) > wall->radius_m * length_m) { continue; }
        cairn_medium_cut cut;
        if (cuts_wall(wall, from_m, way_m, &cut)) { insert(walls->cuts, count++, cut); }
    }
    return count_apart(walls->cuts, count);
}

// ---- strength

bool cairn_medium_path_open(const cairn_medium_path *path, double distance_m, double wall_cost)
{
    return wall_cost <= path->cost_max && distance_m <= path->range_m_max;
}

double cairn_medium_path_dbm(const cairn_medium_path *path, double distance_m, double wall_cost)
{
    const double exponent = path->exponent + path->exponent_per_cost * wall_cost;
    const double scaled = fmax(1.0, path->scale_per_m * distance_m);
    return path->transmit_dbm - (path->near_db + 10 * exponent * log10(scaled));
}

double cairn_medium_path_loss(const cairn_medium_path *path, double received_dbm, uint32_t size_bytes)
{
    const double signal_db = received_dbm - path->noise_dbm;
    if (signal_db > STRONG_DB) { return 0; }
    const double signal_per_noise = pow(10, signal_db / 10);
    const double wrong = erfc(sqrt(signal_per_noise)); // in (0, 1)
    return -expm1(size_bytes * log1p(-wrong));
}
