// How a robot would stand along the ways that it plans: where it would lean too far it does not go.
#include "../base/check.h"
#include "rig.h"
#include "robot/deliberate/navigator.h"
#include "robot/ground/footing.h"
#include <math.h>
#include <string.h>

#define DEGREES (CAIRN_PI / 180)
#define EDGE_CELLS 80 // of the ground that is shown, 10 cm each

typedef double (*height_fn)(double x_m, double y_m);

static cairn_body_description description;
static cairn_arena memory;
static cairn_tracker tracker; // its odometry is right: private and odom are one frame
static cairn_footing footing;
static cairn_navigator navigator;
static cairn_reflex_state state;
static cairn_mono now;

// A robot that sees the ground, with its mass so high, on a plain of which its laser's map shows 8 m.
static void make_robot(double mass_z_m)
{
    static cairn_scan_points open;
    open = (cairn_scan_points){.count = 720};
    for (int i = 0; i < 720; i++) {
        open.x_m[i] = (float)(8 * cos(CAIRN_PI * (i - 360) / 360));
        open.y_m[i] = (float)(8 * sin(CAIRN_PI * (i - 360) / 360));
    }
    now = (cairn_mono){CAIRN_S(1)};
    state = (cairn_reflex_state){0};
    description = rig_description();
    description.mass_centre_m = (cairn_vec3){0, 0, mass_z_m};
    description.laser.nod.offered = true;
    description.laser.nod.period_s = 1.25;
    cairn_arena_reset(&memory, 0);
    assert_ok(cairn_tracker_init(&tracker, &memory));
    assert_ok(cairn_footing_init(&footing, &description, &memory));
    assert_ok(cairn_navigator_init(&navigator, &description, &memory));
    navigator.footing = &footing;
    cairn_local_grid_centre(tracker.grid, (cairn_vec2){0, 0});
    for (int i = 0; i < 5; i++) { cairn_local_grid_add(tracker.grid, (cairn_pose2){0}, &open, now); }
    tracker.started = true;
}

static int start(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 96 << 20));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

// Shows it the ground within its reach, a ray to the middle of each cell.
static void show(height_fn height)
{
    static cairn_height_ray rays[EDGE_CELLS * EDGE_CELLS];
    for (uint32_t i = 0; i < EDGE_CELLS * EDGE_CELLS; i++) {
        const uint32_t x = i % EDGE_CELLS, y = i / EDGE_CELLS;
        const double x_m = (x + 0.5 - 0.5 * EDGE_CELLS) * 0.1, y_m = (y + 0.5 - 0.5 * EDGE_CELLS) * 0.1;
        rays[i] = (cairn_height_ray){.end_m = {x_m, y_m, height(x_m, y_m)}, .hit = true};
    }
    cairn_height_map_add(footing.standing.heights, (cairn_vec3){0.05, 0.05, 2}, rays, EDGE_CELLS * EDGE_CELLS);
    cairn_standing_survey(&footing.standing, footing.memory, (cairn_vec2){0, 0});
}

static void plan_to(cairn_vec2 goal_m, int plans)
{
    static const cairn_behaviour_state under_way = {0};
    const cairn_robot_task task = {.id = 1, .purpose = CAIRN_PURPOSE_GO, .via_count = 1, .via_m = {goal_m}};
    cairn_navigator_give(&navigator, &task);
    for (int i = 0; i < plans; i++) {
        now.ns += CAIRN_MS(500);
        cairn_navigator_step(&navigator, &tracker, &state, &under_way, true, now);
    }
}

// A plank to the left of the straight way, lower than what counts as an obstacle.
#define PLANK_M 0.055
static double on_plank(double x_m, double y_m)
{
    return x_m > 1.0 && x_m < 2.2 && y_m > 0.05 && y_m < 0.8 ? PLANK_M : 0;
}

// How deep the wheels come onto the plank anywhere along the path.
static double deepest_on_plank_m(void)
{
    const cairn_path *path = &navigator.path;
    double deepest_m = 0;
    for (uint32_t i = 0; i + 1 < path->point_count; i++) {
        const cairn_vec2 a = path->points_m[i], b = path->points_m[i + 1];
        for (int part = 0; part < 10; part++) {
            const cairn_pose2 base = {a.x + (b.x - a.x) * 0.1 * part, a.y + (b.y - a.y) * 0.1 * part,
                                      atan2(b.y - a.y, b.x - a.x)};
            for (int wheel = 0; wheel < 4; wheel++) {
                const cairn_vec2 in_base = {(wheel % 2 == 0 ? -0.5 : 0.5) * description.wheels.wheelbase_m,
                                            (wheel < 2 ? -0.5 : 0.5) * description.wheels.track_m};
                const cairn_vec2 at = cairn_pose2_apply(base, in_base);
                const double x_m = fmin(at.x - 1.0, 2.2 - at.x), y_m = fmin(at.y - 0.05, 0.8 - at.y);
                deepest_m = fmax(deepest_m, fmin(x_m, y_m));
            }
        }
    }
    return deepest_m;
}

// With one side on the plank a tall robot has 1.6 degrees left until it tips (its side edge is 9.8 degrees from the
// weight, the plank leans it by 8.2). There is level ground beside it.
static void a_plank_that_would_tip_it_is_gone_round(void **unused)
{
    (void)unused;
    make_robot(1.1);
    show(on_plank);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    assert_true(navigator.path.point_count > 10);
    assert_true(cairn_vec2_distance(navigator.path.points_m[navigator.path.point_count - 1], (cairn_vec2){3.5, 0.05}) <
                0.1);
    assert_true(deepest_on_plank_m() < 0.05); // heights are known to half a cell

    make_robot(0.14); // its batteries lie low: it may as well drive over it
    show(on_plank);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(deepest_on_plank_m() > 0.1);
    for (uint32_t i = 0; i < navigator.path.point_count; i++) {
        assert_true(fabs(navigator.path.points_m[i].y - 0.05) < 0.1);
    }
    assert_int_equal(footing.standing.refused_ever, 0);
}

// The next plan must not try again what this one refused, and not for ever either: heights may be wrong.
static void what_was_refused_is_remembered_for_a_while(void **unused)
{
    (void)unused;
    make_robot(1.1);
    show(on_plank);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    const uint32_t refused = footing.standing.refused_ever;
    assert_true(refused > 0);
    plan_to((cairn_vec2){3.5, 0.05}, 5);
    assert_int_equal(footing.standing.refused_ever, refused);
    now.ns += CAIRN_S(25);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(footing.standing.refused_ever > refused);
    assert_true(footing.standing.refused_count <= refused);
}

static double slope; // [-] along x
static double on_slope(double x_m, double y_m)
{
    (void)y_m;
    return slope * x_m;
}

static double on_cross_slope(double x_m, double y_m)
{
    (void)x_m;
    return slope * y_m;
}

// A ramp that it is meant for is driven, a steep one slowly; steeper ones not at all, up, down or across.
static void ramps_are_driven_by_how_steep_they_are(void **unused)
{
    (void)unused;
    const struct {
        double degrees;
        bool refused, slow;
    } cases[] = {{0, false, false}, {10, false, false}, {20, false, true}, {28, true, false}};
    cairn_vec2 points[] = {{0, 0}, {2, 0}, {-2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int way_round = 0; way_round < 3; way_round++) {
            make_robot(0.14);
            slope = tan(cases[i].degrees * DEGREES);
            show(way_round == 2 ? on_cross_slope : on_slope);
            const cairn_way way = {.point_count = 2, .points_m = points + way_round % 2, .length_m = 2};
            const cairn_way_stands stands = cairn_standing_along(&footing.standing, &way);
            assert_int_equal(stands.refused, cases[i].refused);
            if (stands.refused) { continue; }
            const double mps = cairn_standing_speed_mps(&footing.standing, stands.risk_near, 0.5);
            if (way_round < 2) { assert_int_equal(mps < 0.45, cases[i].slow); } // across it stands more safely
            assert_true(mps >= 0.15 && mps <= 0.5);
        }
    }
}

// The force-angle measure of a box on a slope, worked out by hand, for the risk at which it stops.
static void the_limit_is_the_risk_of_leaning_as_far_as_it_may(void **unused)
{
    (void)unused;
    make_robot(0.14);
    const double half_m = 0.5 * description.wheels.wheelbase_m; // its weakest edges are in front and behind
    const double lean_rad = footing.touches.lean_rad_max, edge_rad = atan2(half_m, 0.14);
    const double lever_m = hypot(half_m, 0.14), left_rad = edge_rad - lean_rad;
    const double level = edge_rad * half_m, leaning = left_rad * lever_m * sin(left_rad);
    assert_true(lean_rad < 0.6 * edge_rad);
    assert_float_equal(footing.standing.risk_max, level / leaning, 0.01);
    make_robot(1.1); // tall: not the angle that others may lean by, but a part of that at which it tips
    const double tips_rad = atan2(half_m, 1.1), tall_left_rad = 0.4 * tips_rad;
    const double tall = tips_rad * half_m / (tall_left_rad * hypot(half_m, 1.1) * sin(tall_left_rad));
    assert_float_equal(footing.standing.risk_max, tall, 0.05);
}

// A ridge from wall to wall, its sides of 28 degrees.
static double on_ridge(double x_m, double y_m)
{
    (void)y_m;
    return fmax(0, 0.3 - fabs(x_m - 2) * tan(28 * DEGREES));
}

// Its laser's map of a passage along x, closed behind it.
static void see_passage(void)
{
    static cairn_scan_points walls;
    walls = (cairn_scan_points){.count = 1440};
    for (int i = 0; i < 1440; i++) {
        const double turn_rad = CAIRN_PI * (i - 720) / 720, across = fabs(sin(turn_rad)), back = -cos(turn_rad);
        const double range_m = fmin(across > 0 ? 1.5 / across : 8, back > 0 ? 1 / back : 8);
        walls.x_m[i] = (float)(fmin(range_m, 8) * cos(turn_rad));
        walls.y_m[i] = (float)(fmin(range_m, 8) * sin(turn_rad));
        walls.hit[i] = range_m < 8;
    }
    for (int i = 0; i < 20; i++) { cairn_local_grid_add(tracker.grid, (cairn_pose2){0}, &walls, now); }
}

static void without_another_way_it_stops_before_and_says_so(void **unused)
{
    (void)unused;
    make_robot(0.14);
    show(on_ridge);
    bool told = false;
    for (int plans = 1; plans < 40; plans++) { // from a fresh task on, up to the last of so many
        see_passage();
        plan_to((cairn_vec2){3.5, 0.05}, plans);
        const double foot_m = 2 - 0.3 / tan(28 * DEGREES);
        for (uint32_t i = 0; i < navigator.path.point_count; i++) {
            assert_true(navigator.path.points_m[i].x < foot_m + 0.5 * description.wheels.wheelbase_m);
        }
        told |= navigator.task_state == CAIRN_TASK_NO_WAY;
    }
    assert_true(told);
}

// What nobody has seen is the business of others: to refuse it would be to stand for ever.
static void unknown_ground_is_not_refused(void **unused)
{
    (void)unused;
    make_robot(1.1);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(navigator.path.point_count > 10);
    assert_int_equal(footing.standing.refused_ever, 0);
}

// Beside a wall the wheels stand on the floor, not half on the wall.
static double beside_wall(double x_m, double y_m)
{
    (void)x_m;
    return y_m > 0.3 ? 0.6 : 0;
}

static void walls_are_not_stood_on(void **unused)
{
    (void)unused;
    static uint8_t wall[80 * 4];
    memset(wall, CAIRN_GROUND_OBSTACLE, sizeof wall);
    make_robot(0.14);
    const cairn_drivability_area along = {{-4, 0.3}, 0.1, 80, 4};
    cairn_memory_grid_put(footing.memory, &along, wall);
    show(beside_wall);
    cairn_vec2 points[] = {{0, 0}, {2, 0}}; // left wheels 11 cm from the wall
    const cairn_way way = {.point_count = 2, .points_m = points, .length_m = 2};
    const cairn_way_stands stands = cairn_standing_along(&footing.standing, &way);
    assert_false(stands.refused);
    assert_true(stands.risk_near < 1.01);
}

// A terrain map needs a whole nod without slip: until then a drop that is new is not seen.
static void a_robot_that_slips_goes_slowly_if_it_looks_for_drops(void **unused)
{
    (void)unused;
    make_robot(0.14);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(navigator.path.speed_mps_max >= 0.5);
    tracker.slip.slips = true;
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(navigator.path.point_count > 10);
    assert_true(navigator.path.speed_mps_max > 0.1 && navigator.path.speed_mps_max <= 0.2);
    footing.sees_ground = false; // others have no maps to miss
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(navigator.path.speed_mps_max >= 0.5);
}

// On ice nothing that it remembers holds the robot: to forget the drop beside it would be the worst answer.
static void only_who_is_held_by_avoidance_doubts_its_memory_of_the_ground(void **unused)
{
    (void)unused;
    static uint8_t drop[16];
    memset(drop, CAIRN_GROUND_OBSTACLE, sizeof drop);
    make_robot(0.14);
    const cairn_drivability_area beside = {{-0.2, 0.5}, 0.1, 4, 4};
    const cairn_vec2 in_drop_m = {0.05, 0.65};
    const cairn_robot_task task = {.id = 1, .purpose = CAIRN_PURPOSE_GO, .via_count = 1, .via_m = {{3.5, 0.05}}};
    cairn_memory_grid_put(footing.memory, &beside, drop);
    cairn_navigator_give(&navigator, &task);
    tracker.slip = (cairn_slip){.slips = true, .spin_s = 60};
    cairn_navigator_step(&navigator, &tracker, &state, &(cairn_behaviour_state){0}, true, now);
    assert_int_equal(navigator.task_state, CAIRN_TASK_BLOCKED); // it counts as held all the same
    assert_int_equal(cairn_footing_at(&footing, in_drop_m), CAIRN_GROUND_OBSTACLE);
    tracker.slip = (cairn_slip){0};
    cairn_navigator_step(&navigator, &tracker, &state, &(cairn_behaviour_state){.blocked_s = 60}, true, now);
    assert_int_equal(cairn_footing_at(&footing, in_drop_m), CAIRN_GROUND_UNKNOWN);
}

// Walking along a ray is most of the work; of three beams beside each other one does it.
static void rays_that_tell_of_their_ends_alone_stay_so(void **unused)
{
    (void)unused;
    make_robot(0.14);
    cairn_ground_sweep *sweep = &footing.sweep;
    sweep->ray_count = 6;
    for (uint32_t i = 0; i < sweep->ray_count; i++) {
        sweep->rays[i] = (cairn_height_ray){.end_m = {1 + i, 0, 0}, .hit = i % 2 == 0, .end_only = i % 3 != 0};
    }
    cairn_standing_see(&footing.standing, sweep, (cairn_pose2){0, 0, 0.5});
    for (uint32_t i = 0; i < sweep->ray_count; i++) {
        assert_int_equal(footing.standing.rays[i].hit, i % 2 == 0);
        assert_int_equal(footing.standing.rays[i].end_only, i % 3 != 0);
    }
}

// What slipped has wrong heights; what was refused by them is as wrong.
static void who_forgets_heights_forgets_what_it_judged_by_them(void **unused)
{
    (void)unused;
    make_robot(1.1);
    show(on_plank);
    plan_to((cairn_vec2){3.5, 0.05}, 1);
    assert_true(footing.standing.refused_count > 0);
    cairn_stand stand;
    assert_true(cairn_standing_at(&footing.standing, (cairn_pose2){0.5, 0, 0}, &stand));
    cairn_standing_forget(&footing.standing);
    assert_int_equal(footing.standing.refused_count, 0);
    assert_false(cairn_standing_at(&footing.standing, (cairn_pose2){0.5, 0, 0}, &stand));
}

// Heights drift with the way driven, so with time, however many scans a second the robot takes.
static void heights_are_kept_for_twenty_seconds_of_scans(void **unused)
{
    (void)unused;
    const struct {
        double laser_hz;
        bool level; // it does not look at the ground
        double imager_hz;
        int scans;
    } cases[] = {{40, false, 0, 800},
                 {10, false, 0, 200},
                 {10, false, 15, 500},
                 {10, true, 15, 300},
                 {1000, false, 0, 834}}; // at most one frame in 24 ms is looked at
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_robot(0.14);
        description.laser.rate_hz = cases[i].laser_hz;
        description.laser.nod.offered = !cases[i].level;
        description.range_imager.offered = cases[i].imager_hz > 0;
        description.range_imager.rate_hz = cases[i].imager_hz;
        assert_ok(cairn_standing_init(&footing.standing, &description, 0.4, &memory));
        cairn_height_map *heights = footing.standing.heights;
        const cairn_height_ray near = {.end_m = {1.05, 0.05, 0}, .hit = true}, far = {.end_m = {-2, 0, 0}, .hit = true};
        cairn_height_map_add(heights, (cairn_vec3){0, 0, 1}, &near, 1);
        for (int scan = 0; scan < cases[i].scans - 1; scan++) {
            cairn_height_map_add(heights, (cairn_vec3){0, 0, 1}, &far, 1);
        }
        assert_int_equal(cairn_height_map_at(heights, (cairn_vec2){1.05, 0.05}).ground, CAIRN_GROUND_OBSTACLE);
        for (int scan = 0; scan < 3; scan++) { cairn_height_map_add(heights, (cairn_vec3){0, 0, 1}, &far, 1); }
        assert_int_equal(cairn_height_map_at(heights, (cairn_vec2){1.05, 0.05}).ground, CAIRN_GROUND_UNKNOWN);
    }
}

int main(void)
{
#define STANDING_TEST(fact) cmocka_unit_test_setup_teardown(fact, start, finish)
    const struct CMUnitTest tests[] = {
        STANDING_TEST(a_plank_that_would_tip_it_is_gone_round),
        STANDING_TEST(what_was_refused_is_remembered_for_a_while),
        STANDING_TEST(ramps_are_driven_by_how_steep_they_are),
        STANDING_TEST(the_limit_is_the_risk_of_leaning_as_far_as_it_may),
        STANDING_TEST(without_another_way_it_stops_before_and_says_so),
        STANDING_TEST(unknown_ground_is_not_refused),
        STANDING_TEST(walls_are_not_stood_on),
        STANDING_TEST(a_robot_that_slips_goes_slowly_if_it_looks_for_drops),
        STANDING_TEST(only_who_is_held_by_avoidance_doubts_its_memory_of_the_ground),
        STANDING_TEST(rays_that_tell_of_their_ends_alone_stay_so),
        STANDING_TEST(who_forgets_heights_forgets_what_it_judged_by_them),
        STANDING_TEST(heights_are_kept_for_twenty_seconds_of_scans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
