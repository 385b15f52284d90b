// Levelled scans against geometry: a room with a flat floor and walls of one height is cut by each beam in space, and
// what comes out must be walls where they are, never floor, never what is behind a wall.
#include "../base/check.h"
#include "base/random.h"
#include "matching/level.h"
#include <math.h>

#define BEAMS 721u
#define SEED 11
#define MIN_M 0.06
#define MAX_M 30.0

static double cosine[BEAMS], sine[BEAMS];
static float range_m[BEAMS];
static cairn_scan_points points;

typedef struct room {
    cairn_vec2 half_m; // of the floor, around the base
    double wall_m;     // high
    double behind_m;   // from the middle to a tall building all around, seen over the walls
} room;

typedef struct seen {
    double range_m, z_m;
    bool is_wall;
} seen;

static void beams_init(void)
{
    for (uint32_t i = 0; i < BEAMS; i++) {
        const double angle = -0.75 * CAIRN_PI + 1.5 * CAIRN_PI * i / (BEAMS - 1);
        cosine[i] = cos(angle);
        sine[i] = sin(angle);
    }
}

// How far to the wall of a box around the origin, along a unit beam in space.
static double box_m(cairn_vec3 from, cairn_vec3 along, cairn_vec2 half)
{
    const double x = along.x > 0 ? (half.x - from.x) / along.x : along.x < 0 ? (-half.x - from.x) / along.x : INFINITY;
    const double y = along.y > 0 ? (half.y - from.y) / along.y : along.y < 0 ? (-half.y - from.y) / along.y : INFINITY;
    return fmin(x, y);
}

// What a beam meets first: wall, floor, or over the wall the building behind.
static seen look(const room *in, cairn_vec3 from, cairn_vec3 along)
{
    const double wall_m = box_m(from, along, in->half_m);
    const double floor_m = along.z < 0 ? from.z / -along.z : INFINITY;
    const double far_m = box_m(from, along, (cairn_vec2){in->behind_m, in->behind_m});
    seen s = {.range_m = floor_m};
    if (floor_m >= wall_m) {
        s.is_wall = from.z + wall_m * along.z <= in->wall_m;
        s.range_m = s.is_wall ? wall_m : far_m;
    }
    s.z_m = from.z + s.range_m * along.z;
    return s;
}

static cairn_pose3 laser_at(double z_m, cairn_rpy held)
{
    return (cairn_pose3){{0.2, 0.05, z_m}, cairn_quat_from_rpy(held)};
}

// The laser's pose in the level frame, by the other way round: poses in space put together.
static cairn_pose3 level_T_laser(cairn_rpy lean, cairn_pose3 base_T_laser)
{
    return cairn_pose3_compose((cairn_pose3){{0, 0, 0}, cairn_quat_from_rpy(lean)}, base_T_laser);
}

static seen beam_seen(const room *in, cairn_pose3 laser, uint32_t beam)
{
    const cairn_vec3 along = cairn_quat_rotate(laser.turn, (cairn_vec3){cosine[beam], sine[beam], 0});
    return look(in, laser.at_m, along);
}

static void scan_room(const room *in, cairn_pose3 laser)
{
    for (uint32_t i = 0; i < BEAMS; i++) {
        const double far_m = beam_seen(in, laser, i).range_m;
        range_m[i] = far_m < MAX_M ? (float)far_m : INFINITY;
    }
}

static void add_all(const cairn_level *level, cairn_pose2 end_T_level)
{
    const cairn_level_beams beams = {cosine, sine, range_m, BEAMS, MIN_M, MAX_M};
    points.count = 0;
    cairn_level_add(level, &beams, end_T_level, &points);
}

static double off_walls_m(const room *in, cairn_vec2 at)
{
    const double x = fabs(at.x) - in->half_m.x, y = fabs(at.y) - in->half_m.y;
    return fmax(x, y) > 0 ? fmax(x, y) : fmin(fabs(x), fabs(y));
}

// Walls as high as the def believes, floor below: whatever the lean and however the platform holds the laser, every hit
// is on a wall, nothing is cleared beyond the walls, and every wall that is met within the band is a hit.
static void hits_are_walls_and_nothing_behind_them_is_cleared(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/level");
    const cairn_level_def def = cairn_level_def_default();
    uint32_t hits = 0, floor_beams = 0, over_beams = 0;
    for (int round = 0; round < 300; round++) {
        const room in = {{cairn_random_between(&random, 1, 12), cairn_random_between(&random, 1, 12)},
                         def.wall_top_m,
                         cairn_random_between(&random, 14, 40)};
        const cairn_rpy lean = {cairn_random_between(&random, -0.4, 0.4), cairn_random_between(&random, -0.4, 0.4), 0};
        const cairn_rpy held = {cairn_random_between(&random, -0.3, 0.3), cairn_random_between(&random, -0.3, 0.3), 0};
        const cairn_pose3 base_T_laser = laser_at(cairn_random_between(&random, 0.3, 0.6), held);
        const cairn_pose3 laser = level_T_laser(lean, base_T_laser);
        scan_room(&in, laser);
        cairn_level level = cairn_level_make(&def, lean.roll_rad, lean.pitch_rad, laser_at(0.4, (cairn_rpy){0}));
        cairn_level_hold(&level, base_T_laser);
        add_all(&level, (cairn_pose2){0});
        uint32_t in_band = 0, hit_count = 0;
        for (uint32_t i = 0; i < BEAMS; i++) {
            const seen s = beam_seen(&in, laser, i);
            in_band += s.is_wall && s.z_m > def.knee_m + 1e-6 && s.z_m < def.wall_top_m - 1e-6 && s.range_m > MIN_M;
            floor_beams += !s.is_wall && s.z_m < 1e-9;
            over_beams += !s.is_wall && s.z_m > def.wall_top_m;
        }
        for (uint32_t i = 0; i < points.count; i++) {
            const cairn_vec2 at = {points.x_m[i], points.y_m[i]};
            if (points.hit[i]) { assert_true(off_walls_m(&in, at) < 1e-4); } // ranges and points are floats
            assert_true(fabs(at.x) < in.half_m.x + 1e-4 && fabs(at.y) < in.half_m.y + 1e-4);
            hit_count += points.hit[i];
        }
        assert_true(hit_count >= in_band && hit_count <= in_band + 4); // beams on the edge of the band may be either
        hits += hit_count;
    }
    assert_true(hits > 10000 && floor_beams > 10000 && over_beams > 10000); // that all of it was tried
}

// A platform that holds its laser level against the robot's lean gives the scan of an upright robot: all walls, any
// range.
static void a_levelling_platform_undoes_the_lean(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/platform");
    const cairn_level_def def = cairn_level_def_default();
    const room in = {{9, 6}, 2.5, 20};
    for (int round = 0; round < 50; round++) {
        const cairn_rpy lean = {cairn_random_between(&random, -0.4, 0.4), cairn_random_between(&random, -0.4, 0.4), 0};
        const cairn_pose3 base_T_laser = {{0.2, 0.05, 0.4}, cairn_quat_conjugate(cairn_quat_from_rpy(lean))};
        scan_room(&in, level_T_laser(lean, base_T_laser));
        cairn_level level = cairn_level_make(&def, lean.roll_rad, lean.pitch_rad, base_T_laser);
        cairn_level_hold(&level, base_T_laser);
        add_all(&level, (cairn_pose2){0});
        assert_int_equal(points.count, BEAMS);
        for (uint32_t i = 0; i < BEAMS; i++) {
            assert_int_equal(points.hit[i], 1);
            assert_true(off_walls_m(&in, (cairn_vec2){points.x_m[i], points.y_m[i]}) < 1e-4);
        }
    }
}

// An attitude within its own error is no reason to doubt walls far away, and one that is not known is none either.
static void an_upright_robot_believes_every_beam(void **state)
{
    (void)state;
    const cairn_level_def def = cairn_level_def_default();
    const cairn_pose3 base_T_laser = laser_at(0.3, (cairn_rpy){0});
    const room in = {{20, 20}, 2.5, 29};
    const double leans[][2] = {{0, 0}, {0.015, -0.015}, {NAN, NAN}, {NAN, 0.3}};
    scan_room(&in, base_T_laser);
    for (int k = 0; k < 4; k++) {
        const cairn_level level = cairn_level_make(&def, leans[k][0], leans[k][1], base_T_laser);
        add_all(&level, (cairn_pose2){0});
        assert_int_equal(points.count, BEAMS);
        for (uint32_t i = 0; i < BEAMS; i++) { assert_int_equal(points.hit[i], 1); }
    }
    const cairn_level leaning = cairn_level_make(&def, 0.05, 0, base_T_laser);
    add_all(&leaning, (cairn_pose2){0});
    uint32_t hits = 0;
    for (uint32_t i = 0; i < points.count; i++) { hits += points.hit[i]; }
    assert_true(hits < BEAMS / 2); // the band is left after a few metres
}

// Motion during the sweep: the same points, moved by where the base was.
static void points_are_moved_to_the_end_of_the_sweep(void **state)
{
    (void)state;
    static cairn_scan_points still;
    const cairn_level_def def = cairn_level_def_default();
    const cairn_pose3 base_T_laser = laser_at(0.3, (cairn_rpy){0});
    const room in = {{4, 3}, 2.5, 20};
    const cairn_pose2 end_T_level = {0.3, -0.2, 0.4};
    const cairn_level level = cairn_level_make(&def, 0.1, -0.05, base_T_laser);
    scan_room(&in, level_T_laser((cairn_rpy){0.1, -0.05, 0}, base_T_laser));
    add_all(&level, (cairn_pose2){0});
    still = points;
    add_all(&level, end_T_level);
    assert_int_equal(points.count, still.count);
    for (uint32_t i = 0; i < points.count; i++) {
        const cairn_vec2 moved = cairn_pose2_apply(end_T_level, (cairn_vec2){still.x_m[i], still.y_m[i]});
        assert_int_equal(points.hit[i], still.hit[i]);
        assert_true(hypot(moved.x - points.x_m[i], moved.y - points.y_m[i]) < 1e-5);
    }
}

// REP-117, and what is nearer than the laser can see: its own robot.
static void beams_that_say_nothing_are_left_out(void **state)
{
    (void)state;
    const cairn_level_def def = cairn_level_def_default();
    const cairn_level level = cairn_level_make(&def, 0, 0, laser_at(0.3, (cairn_rpy){0}));
    for (uint32_t i = 0; i < BEAMS; i++) { range_m[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? 0.01f : INFINITY; }
    add_all(&level, (cairn_pose2){0});
    assert_int_equal(points.count, BEAMS / 3);
    for (uint32_t i = 0; i < points.count; i++) {
        assert_int_equal(points.hit[i], 0);
        assert_true(isfinite(points.x_m[i]) && hypot(points.x_m[i], points.y_m[i]) > MAX_M - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_walls_and_nothing_behind_them_is_cleared),
        cmocka_unit_test(a_levelling_platform_undoes_the_lean),
        cmocka_unit_test(an_upright_robot_believes_every_beam),
        cmocka_unit_test(points_are_moved_to_the_end_of_the_sweep),
        cmocka_unit_test(beams_that_say_nothing_are_left_out),
    };
    beams_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
