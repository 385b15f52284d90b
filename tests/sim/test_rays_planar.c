// test_rays_planar.c - the planar rays against the plain geometry of rays and boxes, one by one.
#include "base/dispatch.h"
#include "base/random.h"
#include "check.h"
#include "emu.h"
#include "geometry/rays.h"
#include "sim/senses/rays_planar.h"
#include <math.h>
#include <string.h>

#define SOLIDS_MAX 200
#define BEAMS 1081
#define LASER_M 0.33
// Ranges must be right to a millimetre; where a beam passes an edge, both answers are right within this angle.
#define RANGE_M 1e-3
#define EDGE_RAD 1e-5

static const cairn_rays_kind *const planar = &cairn_rays_planar;

typedef struct scene {
    cairn_solid solids[SOLIDS_MAX];
    cairn_sim_arena arena;
    cairn_body_description robot;
    uint32_t robot_count;
    cairn_pose3 poses[3]; // of robots
    cairn_rays *rays;
} scene;

static void scene_start(scene *it)
{
    static cairn_complaints complaints;
    it->robot = emu();
    it->arena.solids = it->solids;
    const cairn_body_description *robots[3] = {&it->robot, &it->robot, &it->robot};
    const cairn_rays_def def = {.arena = &it->arena, .robot_count = it->robot_count, .robots = robots};
    assert_ok(planar->create(&def, &complaints, &it->rays));
    planar->set_robots(it->rays, it->poses);
}

static void scene_end(scene *it) { planar->destroy(it->rays); }

static void add_box(scene *it, cairn_pose3 pose, cairn_vec3 half_m, double celsius)
{
    assert_true(it->arena.solid_count < SOLIDS_MAX);
    it->solids[it->arena.solid_count] = (cairn_solid){.kind = CAIRN_SOLID_BOX,
                                                      .owner = it->arena.solid_count,
                                                      .map_T_box = pose,
                                                      .half_m = half_m,
                                                      .temperature_c = celsius};
    it->arena.solid_count++;
}

// Boxes of all sizes over a square; lean: tilted ones too.
static void fill_square(scene *it, cairn_random *random, double lean_rad, double edge_m)
{
    *it = (scene){.arena = {.size_m = {edge_m, edge_m}, .ambient_c = 20}, .robot_count = 1};
    it->poses[0] = cairn_pose3_from_pose2((cairn_pose2){-50, -50, 0}, 0);
    const uint32_t count = 5 + cairn_random_below(random, SOLIDS_MAX - 10);
    for (uint32_t i = 0; i < count; i++) {
        const double part = cairn_random_uniform(random);
        const cairn_vec3 half = {0.02 + 2 * part * part * part, cairn_random_between(random, 0.02, 0.4),
                                 cairn_random_between(random, 0.1, 0.6)};
        const cairn_rpy rpy = {lean_rad * cairn_random_gauss(random), lean_rad * cairn_random_gauss(random),
                               cairn_random_between(random, -CAIRN_PI, CAIRN_PI)};
        const cairn_vec3 at = {cairn_random_between(random, 0, edge_m), cairn_random_between(random, 0, edge_m),
                               half.z};
        const double celsius = cairn_random_uniform(random) < 0.1 ? 34 : 20;
        add_box(it, (cairn_pose3){at, cairn_quat_from_rpy(rpy)}, half, celsius);
    }
}

static void fill_scene(scene *it, cairn_random *random, double lean_rad) { fill_square(it, random, lean_rad, 25); }

static double solid_distance_m(const cairn_solid *solid, cairn_vec3 at)
{
    const cairn_vec3 local = cairn_pose3_apply(cairn_pose3_inverse(solid->map_T_box), at);
    const cairn_vec3 gap = {fmax(fabs(local.x) - solid->half_m.x, 0), fmax(fabs(local.y) - solid->half_m.y, 0),
                            fmax(fabs(local.z) - solid->half_m.z, 0)};
    return cairn_vec3_length(gap);
}

static cairn_pose2 free_place(const scene *it, cairn_random *random)
{
    for (;;) {
        const cairn_pose2 pose = {cairn_random_between(random, 0, it->arena.size_m.x),
                                  cairn_random_between(random, 0, it->arena.size_m.y),
                                  cairn_random_between(random, -CAIRN_PI, CAIRN_PI)};
        bool is_free = true;
        for (uint32_t i = 0; i < it->arena.solid_count; i++) {
            is_free = is_free && solid_distance_m(&it->solids[i], (cairn_vec3){pose.x_m, pose.y_m, LASER_M}) > 0.08;
        }
        if (is_free) { return pose; }
    }
}

// ---- sweeps

static double nearest_m(const scene *it, cairn_vec3 from, double bearing_rad, double range_m_max)
{
    const cairn_vec3 along = {cos(bearing_rad), sin(bearing_rad), 0};
    double nearest = INFINITY;
    for (uint32_t i = 0; i < it->arena.solid_count; i++) {
        const double range = cairn_ray_box3(from, along, it->solids[i].map_T_box, it->solids[i].half_m);
        if (range >= 0 && range < range_m_max) { nearest = fmin(nearest, range); }
    }
    return nearest;
}

static bool is_right(double range, double low, double high)
{
    return (range >= low - RANGE_M && range <= high + RANGE_M) || (isinf(range) && isinf(high));
}

static void check_sweep(const scene *it, const cairn_sweep *sweep)
{
    float ranges[CAIRN_SCAN_BEAMS_MAX];
    planar->sweep(it->rays, sweep, ranges);
    const cairn_pose2 first = cairn_pose3_to_pose2(sweep->map_T_laser_first);
    const cairn_pose2 last = cairn_pose3_to_pose2(sweep->map_T_laser_last);
    for (uint32_t i = 0; i < sweep->beam_count; i++) {
        const cairn_pose2 laser =
            cairn_pose2_blend(first, last, sweep->beam_count > 1 ? (double)i / (sweep->beam_count - 1) : 0);
        const cairn_vec3 from = {laser.x_m, laser.y_m, LASER_M};
        const double bearing = laser.yaw_rad + sweep->angle_rad_first + i * sweep->angle_rad_step;
        const double exact = nearest_m(it, from, bearing, sweep->range_m_max);
        if (is_right((double)ranges[i], exact, exact)) { continue; }
        const double right = nearest_m(it, from, bearing - EDGE_RAD, sweep->range_m_max);
        const double left = nearest_m(it, from, bearing + EDGE_RAD, sweep->range_m_max);
        const double low = fmin(exact, fmin(left, right)), high = fmax(exact, fmax(left, right));
        if (!is_right((double)ranges[i], low, high)) {
            fail_msg("beam %u: %.6f is not in %.6f..%.6f", i, (double)ranges[i], low, high);
        }
    }
}

static void check_scene(scene *it, cairn_random *random, int sweep_count, double motion_part)
{
    scene_start(it);
    for (int i = 0; i < sweep_count; i++) {
        const cairn_pose2 first = free_place(it, random);
        const cairn_pose2 moved = {motion_part * cairn_random_between(random, -0.03, 0.03),
                                   motion_part * cairn_random_between(random, -0.01, 0.01),
                                   motion_part * cairn_random_between(random, -0.1, 0.1)};
        const double field_rad = i % 3 == 0 ? 2 * CAIRN_PI * (BEAMS - 1) / BEAMS : 1.5 * CAIRN_PI;
        const cairn_sweep sweep = {
            .beam_count = i == 1 ? 1 : BEAMS,
            .angle_rad_first = -0.5 * field_rad,
            .angle_rad_step = field_rad / (BEAMS - 1),
            .range_m_max = i % 4 == 0 ? 5 : 30,
            .map_T_laser_first = cairn_pose3_from_pose2(first, LASER_M),
            .map_T_laser_last = cairn_pose3_from_pose2(cairn_pose2_compose(first, moved), LASER_M),
        };
        check_sweep(it, &sweep);
    }
    scene_end(it);
}

static void a_sweep_at_rest_is_exact(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 21, "sweep");
    static scene it;
    for (int i = 0; i < 8; i++) {
        fill_scene(&it, &random, 0);
        check_scene(&it, &random, 6, 0);
    }
}

// Up to 1.6 m/s and 5 rad/s while the mirror turns: each beam from its own place.
static void a_sweep_in_motion_is_exact(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 22, "sweep");
    static scene it;
    for (int i = 0; i < 8; i++) {
        fill_scene(&it, &random, 0);
        check_scene(&it, &random, 6, 1);
    }
}

// What is out of range is passed over by the flock: nothing within range may go with it, nor what is so large that it
// reaches into everything.
static void a_sweep_in_a_large_place_is_exact(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 26, "sweep");
    static scene it;
    for (int i = 0; i < 12; i++) {
        fill_square(&it, &random, 0, 40 + 20 * i);
        it.solids[0].half_m.x = 60;
        check_scene(&it, &random, 12, 1);
    }
}

// Whoever reads a robot's attitude levels what its laser says: if the laser stayed level, walls would come out wrong.
static void the_laser_of_a_robot_that_leans_leans_with_it(void **state)
{
    (void)state;
    scene it = {.arena = {.size_m = {20, 20}, .ambient_c = 20}, .robot_count = 1};
    it.poses[0] = cairn_pose3_from_pose2((cairn_pose2){-50, -50, 0}, 0);
    add_box(&it, (cairn_pose3){{14.5, 10, 2}, {1, 0, 0, 0}}, (cairn_vec3){0.5, 8, 2}, 20); // its face 4 m ahead
    scene_start(&it);
    for (int i = -10; i <= 10; i++) {
        const double pitch = 0.02 * i; // nose down
        const cairn_pose3 laser = {{10, 10, LASER_M}, cairn_quat_from_rpy((cairn_rpy){0, pitch, 0})};
        float range_m[BEAMS];
        const cairn_sweep sweep = {.beam_count = BEAMS,
                                   .angle_rad_first = -1,
                                   .angle_rad_step = 2.0 / (BEAMS - 1),
                                   .range_m_max = 30,
                                   .map_T_laser_first = laser,
                                   .map_T_laser_last = laser};
        planar->sweep(it.rays, &sweep, range_m);
        for (uint32_t k = 0; k < BEAMS; k += 60) {
            const double angle = -1 + k * 2.0 / (BEAMS - 1);
            const cairn_vec3 along = cairn_quat_rotate(laser.turn, (cairn_vec3){cos(angle), sin(angle), 0});
            const double wall_m = 4 / along.x, floor_m = along.z < 0 ? LASER_M / -along.z : INFINITY;
            assert_true(fabs((double)range_m[k] - fmin(wall_m, floor_m)) < RANGE_M);
        }
    }
    scene_end(&it);
}

static void tilted_boxes_are_cut_by_the_plane(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 23, "sweep");
    static scene it;
    for (int i = 0; i < 8; i++) {
        fill_scene(&it, &random, 0.4);
        check_scene(&it, &random, 6, 1);
    }
}

static void a_laser_inside_a_box_sees_its_inside(void **state)
{
    (void)state;
    scene it = {.robot_count = 1, .poses = {cairn_pose3_identity()}};
    add_box(&it, cairn_pose3_from_pose2((cairn_pose2){5, 5, 0.5}, 0.5), (cairn_vec3){1, 1, 0.5}, 20);
    scene_start(&it);
    const cairn_pose3 laser = cairn_pose3_from_pose2((cairn_pose2){5.2, 4.9, 0}, LASER_M);
    const cairn_sweep sweep = {.beam_count = 9,
                               .angle_rad_step = 0.1,
                               .range_m_max = 30,
                               .map_T_laser_first = laser,
                               .map_T_laser_last = laser};
    float ranges[9];
    planar->sweep(it.rays, &sweep, ranges);
    for (int i = 0; i < 9; i++) { assert_true(ranges[i] == 0.0f); }
    scene_end(&it);
}

static float range_ahead(const scene *it, uint32_t robot, cairn_pose2 laser, double height_m)
{
    const cairn_pose3 pose = cairn_pose3_from_pose2(laser, height_m);
    const cairn_sweep sweep = {.robot = robot,
                               .beam_count = 1,
                               .angle_rad_step = 0.01,
                               .range_m_max = 30,
                               .map_T_laser_first = pose,
                               .map_T_laser_last = pose};
    float range;
    planar->sweep(it->rays, &sweep, &range);
    return range;
}

// emu's head reaches from 0.24 m to 0.46 m and ends 0.01 m before its middle; below is the hull.
static void robots_see_each_other_and_not_themselves(void **state)
{
    (void)state;
    scene it = {.robot_count = 2};
    it.poses[0] = cairn_pose3_from_pose2((cairn_pose2){0, 0, 0}, 0);
    it.poses[1] = cairn_pose3_from_pose2((cairn_pose2){4, 0, CAIRN_PI}, 0);
    scene_start(&it);
    assert_float_equal(range_ahead(&it, 0, (cairn_pose2){0.16, 0, 0}, LASER_M), 4 - 0.01 - 0.16, 1e-5);
    assert_float_equal(range_ahead(&it, 0, (cairn_pose2){0.16, 0, 0}, 0.2), 4 - 0.27 - 0.16, 1e-5);
    assert_true(isinf(range_ahead(&it, 0, (cairn_pose2){0.16, 0, 0}, 0.5)));
    assert_true(isinf(range_ahead(&it, 0, (cairn_pose2){0.16, 0, CAIRN_PI}, LASER_M)));

    // Climbing 15 degrees its head leans back: the plane cuts its front face further back the higher it is.
    const cairn_rpy climbing = {0, -15 * CAIRN_PI / 180, CAIRN_PI};
    it.poses[1].turn = cairn_quat_from_rpy(climbing);
    planar->set_robots(it.rays, it.poses);
    const double lean = 15 * CAIRN_PI / 180, front_m = 0.01; // of its head, before the middle, turned round
    const double cut_m = (LASER_M * sin(lean) - front_m) / cos(lean);
    assert_float_equal(range_ahead(&it, 0, (cairn_pose2){0.16, 0, 0}, LASER_M), 4 + cut_m - 0.16, 1e-4);
    scene_end(&it);
}

// Same operations, same order: what one processor sees another sees too.
static void all_instruction_sets_agree_to_the_bit(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 24, "sweep");
    static scene it;
    fill_scene(&it, &random, 0.2);
    const cairn_pose2 place = free_place(&it, &random);
    float ranges[CAIRN_ISA_COUNT][CAIRN_SCAN_BEAMS_MAX] = {{0}};
    static float pictures[CAIRN_ISA_COUNT][80 * 60];
    static const cairn_kernel casts = {"cast", CAIRN_KERNEL_VARIANTS(cairn_planar_cast)};
    static const cairn_kernel paints = {"paint", CAIRN_KERNEL_VARIANTS(cairn_planar_paint)};
    scene_start(&it);
    for (cairn_isa isa = CAIRN_ISA_BASELINE; isa <= cairn_isa_best(); isa++) {
        it.rays->cast = (cairn_planar_cast_fn)cairn_dispatch(&casts, isa);
        it.rays->paint = (cairn_planar_paint_fn)cairn_dispatch(&paints, isa);
        const cairn_sweep sweep = {.beam_count = BEAMS,
                                   .angle_rad_first = -2,
                                   .angle_rad_step = 0.004,
                                   .range_m_max = 30,
                                   .map_T_laser_first = cairn_pose3_from_pose2(place, LASER_M),
                                   .map_T_laser_last = cairn_pose3_from_pose2(
                                       cairn_pose2_compose(place, (cairn_pose2){0.01, 0, 0.02}), LASER_M)};
        const cairn_thermal_view view = {
            .width_px = 80, .height_px = 60, .field_rad = 1.2, .map_T_camera = sweep.map_T_laser_first};
        planar->sweep(it.rays, &sweep, ranges[isa]);
        planar->thermal(it.rays, &view, pictures[isa]);
        assert_memory_equal(ranges[isa], ranges[0], sizeof ranges[0]);
        assert_memory_equal(pictures[isa], pictures[0], sizeof pictures[0]);
    }
    scene_end(&it);
}

// ---- pictures

static double celsius_along(const scene *it, cairn_vec3 from, cairn_vec3 along)
{
    double nearest = INFINITY, celsius = it->arena.ambient_c;
    for (uint32_t i = 0; i < it->arena.solid_count; i++) {
        const double range = cairn_ray_box3(from, along, it->solids[i].map_T_box, it->solids[i].half_m);
        if (range < 0 || range >= nearest) { continue; }
        nearest = range;
        celsius = it->solids[i].temperature_c;
    }
    return celsius;
}

// A pixel is right if its ray, or one a thousandth of a pixel beside it, says the same.
static bool pixel_is_right(const scene *it, const cairn_thermal_view *view, uint32_t column, uint32_t row,
                           float celsius)
{
    const double pixel = 2 * tan(0.5 * view->field_rad) / view->width_px;
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            const cairn_vec3 local = {1, pixel * (0.5 * view->width_px - column - 0.5 + 1e-3 * x),
                                      pixel * (0.5 * view->height_px - row - 0.5 + 1e-3 * y)};
            const cairn_vec3 along = cairn_quat_rotate(view->map_T_camera.turn, local);
            if (fabs(celsius_along(it, view->map_T_camera.at_m, along) - (double)celsius) < 1e-3) { return true; }
        }
    }
    return false;
}

static void a_thermal_picture_is_exact(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 25, "thermal");
    static scene it;
    static float picture[84 * 60];
    int warm_count = 0;
    for (int i = 0; i < 24; i++) {
        fill_scene(&it, &random, i % 2 ? 0.3 : 0);
        scene_start(&it);
        const cairn_pose2 place = free_place(&it, &random);
        const cairn_rpy rpy = {0.2 * cairn_random_gauss(&random), 0.2 * cairn_random_gauss(&random), place.yaw_rad};
        const cairn_thermal_view view = {
            .width_px = i % 3 ? 80 : 83, // not whole lanes
            .height_px = 60,
            .field_rad = 1.2,
            .map_T_camera = {{place.x_m, place.y_m, LASER_M}, cairn_quat_from_rpy(rpy)},
        };
        planar->thermal(it.rays, &view, picture);
        for (uint32_t pixel = 0; pixel < view.width_px * view.height_px; pixel++) {
            const uint32_t column = pixel % view.width_px, row = pixel / view.width_px;
            warm_count += picture[pixel] > 30;
            if (!pixel_is_right(&it, &view, column, row, picture[pixel])) {
                fail_msg("picture %d, column %u, row %u: %.2f", i, column, row, (double)picture[pixel]);
            }
        }
        scene_end(&it);
    }
    assert_true(warm_count > 1000);
}

static void a_robot_hides_what_is_warm_behind_it(void **state)
{
    (void)state;
    scene it = {.arena = {.ambient_c = 20}, .robot_count = 2};
    it.poses[0] = cairn_pose3_from_pose2((cairn_pose2){0, 0, 0}, 0);
    it.poses[1] = cairn_pose3_from_pose2((cairn_pose2){2, 0, 0}, 0);
    add_box(&it, cairn_pose3_from_pose2((cairn_pose2){4, 0, 0}, 0.4), (cairn_vec3){0.1, 0.1, 0.05}, 34);
    scene_start(&it);
    cairn_thermal_view view = {.width_px = 1, .height_px = 1, .field_rad = 0.01};
    view.map_T_camera = cairn_pose3_from_pose2((cairn_pose2){0.2, 0, 0}, 0.4);
    float celsius;
    planar->thermal(it.rays, &view, &celsius);
    assert_float_equal(celsius, 20, 1e-6);
    it.poses[1].at_m.y = 1;
    planar->set_robots(it.rays, it.poses);
    planar->thermal(it.rays, &view, &celsius);
    assert_float_equal(celsius, 34, 1e-6);
    scene_end(&it);
}

// ---- depth pictures and casts

#define DEPTH_WIDTH 44
#define DEPTH_HEIGHT 36

// The slow way: every box, and the floor.
static float slow_range_m(const scene *it, cairn_vec3 from_m, cairn_vec3 along)
{
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < it->arena.solid_count; i++) {
        const double range_m = cairn_ray_box3(from_m, along, it->solids[i].map_T_box, it->solids[i].half_m);
        if (range_m >= 0) { nearest_m = fmin(nearest_m, range_m); }
    }
    const double floor_m = -from_m.z / along.z;
    const cairn_vec3 at = cairn_vec3_add(from_m, cairn_vec3_scale(along, floor_m));
    const bool inside = at.x >= 0 && at.y >= 0 && at.x <= it->arena.size_m.x && at.y <= it->arena.size_m.y;
    return (float)(floor_m >= 0 && inside ? fmin(nearest_m, floor_m) : nearest_m);
}

static cairn_pose3 random_camera(const scene *it, cairn_random *random)
{
    const cairn_pose2 at = free_place(it, random);
    const cairn_rpy rpy = {0.2 * cairn_random_gauss(random), 0.5 + 0.3 * cairn_random_gauss(random), at.yaw_rad};
    return (cairn_pose3){{at.x_m, at.y_m, LASER_M}, cairn_quat_from_rpy(rpy)};
}

// Boxes are passed over for whole tiles of pixels: never one that a pixel's ray would have met.
static void a_depth_picture_shows_what_trying_every_box_shows(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 11, "depth pictures");
    for (int round = 0; round < 40; round++) {
        static scene it;
        fill_scene(&it, &random, round % 2 == 0 ? 0 : 0.3);
        scene_start(&it);
        const cairn_thermal_view view = {.width_px = DEPTH_WIDTH,
                                         .height_px = DEPTH_HEIGHT,
                                         .field_rad = 0.4 + 0.05 * (round % 20),
                                         .map_T_camera = random_camera(&it, &random)};
        static float depth_m[DEPTH_WIDTH * DEPTH_HEIGHT];
        planar->picture(it.rays, &view, 7.5, depth_m, NULL);
        const double pixel = 2 * tan(0.5 * view.field_rad) / DEPTH_WIDTH;
        for (int i = 0; i < DEPTH_WIDTH * DEPTH_HEIGHT; i++) {
            const double left = 0.5 * DEPTH_WIDTH - 0.5 - i % DEPTH_WIDTH,
                         up = 0.5 * DEPTH_HEIGHT - 0.5 - i / DEPTH_WIDTH;
            const cairn_vec3 towards = {1, pixel * left, pixel * up};
            const cairn_vec3 unit = cairn_vec3_scale(towards, 1 / cairn_vec3_length(towards));
            const cairn_vec3 along = cairn_quat_rotate(view.map_T_camera.turn, unit);
            const float expected_m = slow_range_m(&it, view.map_T_camera.at_m, along) * (float)unit.x;
            assert_true(depth_m[i] == (expected_m <= 7.5f ? expected_m : INFINITY));
        }
        scene_end(&it);
    }
}

// Rays of one cast share a cone, from one ray that has none to rays all around.
static void casts_of_any_width_meet_what_trying_every_box_meets(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 12, "casts");
    for (int round = 0; round < 100; round++) {
        static scene it;
        fill_scene(&it, &random, 0.3);
        scene_start(&it);
        const double spread = 0.05 * round; // against the 1 ahead
        cairn_vec3 directions[37];
        cairn_ray_hit hits[37];
        for (int i = 0; i < 37; i++) {
            const cairn_vec3 towards = {1 + spread * cairn_random_gauss(&random), spread * cairn_random_gauss(&random),
                                        spread * cairn_random_gauss(&random)};
            directions[i] = cairn_vec3_scale(towards, 1 / cairn_vec3_length(towards));
        }
        const cairn_cast cast = {.map_T_sensor = random_camera(&it, &random),
                                 .ray_count = round % 2 == 0 ? 37 : 1,
                                 .directions = directions,
                                 .range_m_max = 6};
        planar->cast(it.rays, &cast, hits);
        for (uint32_t i = 0; i < cast.ray_count; i++) {
            const cairn_vec3 along = cairn_quat_rotate(cast.map_T_sensor.turn, directions[i]);
            const float expected_m = slow_range_m(&it, cast.map_T_sensor.at_m, along);
            assert_true(hits[i].range_m == (expected_m <= 6 ? expected_m : INFINITY));
        }
        scene_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_at_rest_is_exact),
        cmocka_unit_test(a_sweep_in_motion_is_exact),
        cmocka_unit_test(a_sweep_in_a_large_place_is_exact),
        cmocka_unit_test(the_laser_of_a_robot_that_leans_leans_with_it),
        cmocka_unit_test(tilted_boxes_are_cut_by_the_plane),
        cmocka_unit_test(a_laser_inside_a_box_sees_its_inside),
        cmocka_unit_test(robots_see_each_other_and_not_themselves),
        cmocka_unit_test(all_instruction_sets_agree_to_the_bit),
        cmocka_unit_test(a_thermal_picture_is_exact),
        cmocka_unit_test(a_robot_hides_what_is_warm_behind_it),
        cmocka_unit_test(a_depth_picture_shows_what_trying_every_box_shows),
        cmocka_unit_test(casts_of_any_width_meet_what_trying_every_box_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
