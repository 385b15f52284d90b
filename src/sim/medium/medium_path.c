#include "sim/medium/medium_path.h"
#include "base/random.h"
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
                               .radius_m = cairn_vec2_length(half_m),
                               .material = solid->material};
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
    *ret_cut = (cairn_medium_cut){0, 1, wall->material};
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

// Fills walls->cuts in the order in which they begin.
static uint32_t find_cuts(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m)
{
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
    return count;
}

uint32_t cairn_medium_walls_between(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m)
{
    CAIRN_ASSERT(walls);
    return count_apart(walls->cuts, find_cuts(walls, from_m, to_m));
}

double cairn_medium_walls_db(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m,
                             const double *material_db)
{
    CAIRN_ASSERT(walls && material_db);
    const uint32_t count = find_cuts(walls, from_m, to_m);
    double sum_db = 0, dearest_db = 0, end = -1;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_medium_cut *cut = &walls->cuts[i];
        if (cut->from > end) { // the one before is behind us
            sum_db += dearest_db;
            dearest_db = 0;
        }
        dearest_db = fmax(dearest_db, material_db[cut->material]);
        end = fmax(end, cut->to);
    }
    return sum_db + dearest_db;
}

bool cairn_medium_in_zone(const cairn_medium_radio *radio, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < radio->zone_count; i++) {
        const cairn_medium_zone *zone = &radio->zones[i];
        const cairn_vec2 off_m = cairn_vec2_sub(at_m, zone->at_m);
        if (fabs(off_m.x) <= zone->size_m.x / 2 && fabs(off_m.y) <= zone->size_m.y / 2) { return true; }
    }
    return false;
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

// ---- log-distance

double cairn_medium_log_distance_dbm(const cairn_medium_log_distance *log_distance, double distance_m,
                                     double in_the_way_db)
{
    const double far_db = 10 * log_distance->exponent * log10(fmax(1.0, distance_m));
    return log_distance->transmit_dbm - (log_distance->reference_db + far_db + in_the_way_db);
}

double cairn_medium_log_distance_loss(const cairn_medium_log_distance *log_distance, double received_dbm,
                                      uint32_t size_bytes)
{
    const double at_sensitivity = -expm1(log(0.9) / 100); // 100 bytes of it make a tenth
    const double margin_db = received_dbm - log_distance->sensitivity_dbm;
    const double wrong = at_sensitivity * pow(10, -margin_db / log_distance->decade_db);
    return wrong < 1 ? -expm1(size_bytes * log1p(-wrong)) : 1;
}

// ---- shadowing

// A normal value for each point of the lattice, made when it is asked for: nothing is kept, and no order matters.
static double lattice_value(uint64_t seed, int32_t x, int32_t y)
{
    const uint64_t point = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    cairn_random random;
    cairn_random_init(&random, seed ^ point * 0x9e3779b97f4a7c15u, "medium/shadowing");
    return cairn_random_gauss(&random);
}

// Deviation 1 everywhere: the sum of four values by weights whose squares add up to one.
static double field_value(uint64_t seed, double pitch_m, cairn_vec2 at_m)
{
    const double x = at_m.x / pitch_m, y = at_m.y / pitch_m;
    const int32_t left = (int32_t)floor(x), low = (int32_t)floor(y);
    double sum = 0, squares = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t right = i & 1, up = i >> 1;
        const double weight = (1 - fabs(x - (left + right))) * (1 - fabs(y - (low + up)));
        sum += weight * lattice_value(seed, left + right, low + up);
        squares += weight * weight;
    }
    return sum / sqrt(squares);
}

double cairn_medium_shadowing_db(const cairn_medium_log_distance *log_distance, uint64_t seed, cairn_vec2 from_m,
                                 cairn_vec2 to_m)
{
    if (log_distance->shadowing_db == 0) { return 0; }
    const double pitch_m = log_distance->shadowing_m;
    const double ends = field_value(seed, pitch_m, from_m) + field_value(seed, pitch_m, to_m);
    return log_distance->shadowing_db * ends / sqrt(2);
}
