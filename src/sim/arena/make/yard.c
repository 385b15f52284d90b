// A works yard under the sky: a fence, sheds with doors, vehicles, containers, raised pavements with kerbs, gravel, a
// ditch with a bridge over it, trees, and things too low for a level laser.
//
// Harder: more of everything that stands about, coarser gravel, deeper ditch, pavements without ramps, narrower doors.
#include "sim/arena/make/maker.h"
#include <math.h>

#define PI 3.14159265358979323846

static double quarter(cairn_maker *maker) { return cairn_maker_below(maker, 2) * PI / 2; }

static double round_cm(double value_m) { return round(value_m * 100.0) / 100.0; }

// Where the middle of something may be, so that it keeps away from the fence.
static cairn_pose2 anywhere(cairn_maker *maker, double edge_m, double yaw_rad)
{
    return (cairn_pose2){cairn_maker_m(maker, edge_m, maker->def->size_m.x - edge_m),
                         cairn_maker_m(maker, edge_m, maker->def->size_m.y - edge_m), yaw_rad};
}

// Tries places until one is free with so much room around; false if none is.
static bool find_place(cairn_maker *maker, cairn_vec2 size_m, double margin_m, bool turned, cairn_pose2 *ret_at)
{
    for (int i = 0; i < 40; i++) {
        const double yaw_rad = turned ? cairn_maker_turn_rad(maker, -90, 90) : quarter(maker);
        const cairn_pose2 at = anywhere(maker, 1.0, yaw_rad);
        if (!cairn_maker_is_free(maker, at, size_m, margin_m)) { continue; }
        *ret_at = at;
        return true;
    }
    return false;
}

static void zone_around(cairn_maker *maker, cairn_vec2 low_m, cairn_vec2 high_m, double off_m, uint32_t rank)
{
    // Four strips whose inner side is the wall that a victim leans on.
    const double deep_m = 1.6;
    const cairn_vec2 strips_m[4][2] = {{{low_m.x, low_m.y - deep_m}, {high_m.x, low_m.y - off_m}},
                                       {{low_m.x, high_m.y + off_m}, {high_m.x, high_m.y + deep_m}},
                                       {{low_m.x - deep_m, low_m.y}, {low_m.x - off_m, high_m.y}},
                                       {{high_m.x + off_m, low_m.y}, {high_m.x + deep_m, high_m.y}}};
    for (int i = 0; i < 4; i++) { cairn_maker_zone(maker, strips_m[i][0], strips_m[i][1], rank); }
}

// Four walls, a door or an open front, a few crates inside.
static void build_shed(cairn_maker *maker)
{
    const cairn_vec2 size_m = {cairn_maker_m(maker, 3.2, 7.0), cairn_maker_m(maker, 3.0, 5.0)};
    cairn_pose2 at;
    if (!find_place(maker, size_m, 1.4, false, &at)) { return; }
    const bool turned = at.yaw_rad != 0.0;
    const cairn_vec2 half_m = {round_cm((turned ? size_m.y : size_m.x) / 2),
                               round_cm((turned ? size_m.x : size_m.y) / 2)};
    const cairn_vec2 low_m = {at.x_m - half_m.x, at.y_m - half_m.y}, high_m = {at.x_m + half_m.x, at.y_m + half_m.y};
    const cairn_vec2 corners_m[4] = {low_m, {high_m.x, low_m.y}, high_m, {low_m.x, high_m.y}};
    const double door_m = round_cm(cairn_maker_by_difficulty(maker, 1.6, 0.95));
    const uint32_t front = cairn_maker_below(maker, 4);
    maker->wall =
        (cairn_wall_style){0.1, 2.6, 0.0, cairn_maker_chance(maker, 0.5) ? CAIRN_MATERIAL_METAL : CAIRN_MATERIAL_BRICK};
    for (uint32_t i = 0; i < 4; i++) {
        const cairn_vec2 from_m = corners_m[i], to_m = corners_m[(i + 1) % 4];
        if (i == front) {
            const double length_m = cairn_vec2_distance(from_m, to_m);
            cairn_maker_wall_with_gap(maker, from_m, to_m, cairn_maker_m(maker, 0.4, length_m - door_m - 0.4), door_m);
        } else {
            cairn_maker_wall(maker, from_m, to_m);
        }
    }
    const uint32_t crates = 1 + cairn_maker_below(maker, 3) + (uint32_t)(2.0 * maker->hard);
    for (uint32_t i = 0; i < crates; i++) {
        const cairn_litter crate = {.low_m = {low_m.x + 0.05, low_m.y + 0.05},
                                    .high_m = {high_m.x - 0.05, high_m.y - 0.05},
                                    .size_m = {cairn_maker_m(maker, 0.5, 1.2), 0.5, cairn_maker_m(maker, 0.4, 1.5)},
                                    .margin_m = 0.01,
                                    .material = CAIRN_MATERIAL_WOOD};
        (void)cairn_maker_drop_at_side(maker, &crate, 0.03);
    }
    cairn_maker_zone(maker, (cairn_vec2){low_m.x + 0.05, low_m.y + 0.05},
                     (cairn_vec2){high_m.x - 0.05, high_m.y - 0.05}, 0);
    zone_around(maker, low_m, high_m, 0.06, 2);
}

static cairn_pose2 beside(cairn_pose2 at, double x_m, double y_m)
{
    const cairn_vec2 point_m = cairn_pose2_apply(at, (cairn_vec2){x_m, y_m});
    return (cairn_pose2){point_m.x, point_m.y, at.yaw_rad};
}

// A car or van on four wheels: open below the body, where a robot does not fit.
static void park_vehicle(cairn_maker *maker)
{
    const bool van = cairn_maker_chance(maker, 0.4);
    const cairn_vec2 size_m = van ? (cairn_vec2){5.2, 2.0} : (cairn_vec2){4.2, 1.8};
    cairn_pose2 at;
    if (!find_place(maker, size_m, 1.0, cairn_maker_chance(maker, 0.4), &at)) { return; }
    cairn_maker_box(maker, at, (cairn_vec3){size_m.x, size_m.y, van ? 1.9 : 0.6}, 0.25, CAIRN_MATERIAL_METAL);
    if (!van) {
        cairn_maker_box(maker, beside(at, -0.3, 0.0), (cairn_vec3){2.2, 1.6, 0.6}, 0.85, CAIRN_MATERIAL_METAL);
    }
    for (int i = 0; i < 4; i++) {
        const double x_m = (i & 1 ? 1.0 : -1.0) * (size_m.x / 2 - 0.75),
                     y_m = (i & 2 ? 1.0 : -1.0) * (size_m.y / 2 - 0.12);
        cairn_maker_box(maker, beside(at, x_m, y_m), (cairn_vec3){0.6, 0.2, 0.6}, 0.0, CAIRN_MATERIAL_METAL);
    }
    if (at.yaw_rad == 0.0) {
        const cairn_vec2 half_m = {size_m.x / 2, size_m.y / 2};
        zone_around(maker, (cairn_vec2){at.x_m - half_m.x, at.y_m - half_m.y},
                    (cairn_vec2){at.x_m + half_m.x, at.y_m + half_m.y}, 0.0, 1);
    }
}

static void put_container(cairn_maker *maker)
{
    cairn_pose2 at;
    if (!find_place(maker, (cairn_vec2){6.1, 2.44}, 1.2, false, &at)) { return; }
    cairn_maker_box(maker, at, (cairn_vec3){6.1, 2.44, 2.6}, 0.0, CAIRN_MATERIAL_METAL);
    const cairn_vec2 half_m = at.yaw_rad == 0.0 ? (cairn_vec2){3.05, 1.22} : (cairn_vec2){1.22, 3.05};
    zone_around(maker, (cairn_vec2){at.x_m - half_m.x, at.y_m - half_m.y},
                (cairn_vec2){at.x_m + half_m.x, at.y_m + half_m.y}, 0.0, 1);
}

// Raised by a kerb of 10 cm, with a ramp on one side unless the place is hard.
static void pave(cairn_maker *maker)
{
    const cairn_vec2 size_m = {cairn_maker_m(maker, 4.0, 8.0), cairn_maker_m(maker, 2.5, 4.0)};
    cairn_pose2 at;
    if (!find_place(maker, (cairn_vec2){size_m.x + 2.4, size_m.y}, 1.0, false, &at)) { return; }
    cairn_maker_platform(maker, at, size_m, 0.1, 0.0);
    if (cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 1.0, 0.3))) {
        const double run_m = 0.57; // 10 cm at 10 degrees
        const cairn_pose2 foot = beside(at, -size_m.x / 2 - run_m / 2, 0.0);
        cairn_maker_slope(maker, foot, run_m, 1.4, 0.0, 10.0);
    }
}

static void spread_gravel(cairn_maker *maker)
{
    const cairn_vec2 size_m = {round_cm(cairn_maker_m(maker, 3.0, 7.0)), round_cm(cairn_maker_m(maker, 2.4, 4.5))};
    cairn_pose2 at;
    if (!find_place(maker, size_m, 0.3, true, &at)) { return; }
    const double height_m = round_cm(cairn_maker_by_difficulty(maker, 0.03, 0.08));
    cairn_maker_rough(maker, false, at, size_m, height_m);
}

// Across the yard from one side to about two thirds, so that there is a way round for those who cannot cross it.
static void dig_ditch(cairn_maker *maker)
{
    const double depth_m = round_cm(cairn_maker_by_difficulty(maker, 0.12, 0.3)), width_m = round_cm(8.0 * depth_m);
    const double length_m = round_cm(0.6 * maker->def->size_m.y),
                 x_m = cairn_maker_m(maker, 0.4, 0.6) * maker->def->size_m.x;
    const bool north = cairn_maker_chance(maker, 0.5);
    const double y_m = north ? maker->def->size_m.y - 0.2 - length_m / 2 : 0.2 + length_m / 2;
    cairn_maker_ditch(maker, (cairn_vec2){round_cm(x_m), round_cm(y_m)}, length_m, width_m, true, depth_m);
}

// Sleepers, pipes and kerbstones lie below the plane of a laser; barrels, pallets and trees do not.
static void strew(cairn_maker *maker)
{
    const cairn_vec2 size_m = maker->def->size_m, low_m = {0.6, 0.6}, high_m = {size_m.x - 0.6, size_m.y - 0.6};
    const double area_m2 = size_m.x * size_m.y;
    const cairn_litter kinds[] = {
        {low_m, high_m, {2.4, 0.24, 0.15}, 0.6, true, false, CAIRN_MATERIAL_WOOD},   // sleeper
        {low_m, high_m, {1.5, 0.2, 0.2}, 0.6, true, false, CAIRN_MATERIAL_CONCRETE}, // pipe
        {low_m, high_m, {0.6, 0.6, 0.9}, 0.5, true, false, CAIRN_MATERIAL_METAL},    // barrel
        {low_m, high_m, {1.2, 0.8, 0.6}, 0.7, true, false, CAIRN_MATERIAL_WOOD},     // stack of pallets
        {low_m, high_m, {0.35, 0.35, 4.0}, 0.8, false, false, CAIRN_MATERIAL_WOOD},  // tree
        {low_m, high_m, {0.4, 0.4, 0.35}, 0.5, true, true, CAIRN_MATERIAL_WOOD},     // crate, loose
        {low_m, high_m, {0.4, 0.2, 0.2}, 0.5, true, true, CAIRN_MATERIAL_CONCRETE},  // kerbstone, loose
    };
    const uint32_t count = (uint32_t)(area_m2 * cairn_maker_by_difficulty(maker, 0.012, 0.05));
    for (uint32_t i = 0; i < count; i++) {
        (void)cairn_maker_drop(maker, &kinds[cairn_maker_below(maker, sizeof kinds / sizeof kinds[0])]);
    }
}

void cairn_make_yard(cairn_maker *maker)
{
    const cairn_vec2 size_m = maker->def->size_m;
    const double area_m2 = size_m.x * size_m.y;
    maker->draft.outdoors = true;
    maker->draft.ambient_c = 15.0;
    maker->wall = (cairn_wall_style){0.06, 2.0, 0.0, CAIRN_MATERIAL_METAL};
    cairn_maker_fence(maker);
    cairn_maker_starts(maker, (cairn_vec2){0.8, 0.8}, (cairn_vec2){0.8 + 0.18 * size_m.x, 0.8 + 0.25 * size_m.y}, 45.0);
    cairn_maker_keep_free(maker, (cairn_pose2){2.6, 2.6, 0.0}, (cairn_vec2){4.4, 4.4});
    dig_ditch(maker);
    for (uint32_t i = 0; i < 1 + (uint32_t)(area_m2 / 500.0); i++) { pave(maker); }
    for (uint32_t i = 0; i < 2 + (uint32_t)(area_m2 / 260.0); i++) { build_shed(maker); }
    for (uint32_t i = 0; i < 1 + (uint32_t)(area_m2 / 500.0); i++) { put_container(maker); }
    for (uint32_t i = 0; i < 1 + (uint32_t)(area_m2 / 400.0); i++) { park_vehicle(maker); }
    for (uint32_t i = 0; i < 1 + (uint32_t)(area_m2 / 400.0 * (1.0 + maker->hard)); i++) { spread_gravel(maker); }
    strew(maker);
    cairn_maker_zone(maker, (cairn_vec2){0.07, 0.07}, (cairn_vec2){size_m.x - 0.07, size_m.y - 0.07}, 3);
}
