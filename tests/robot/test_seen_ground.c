// test_seen_ground.c - the ground that a robot may drive on by its own pictures: enough to go on, and no more.
#include "../base/check.h"
#include "base/random.h"
#include "body/description_io.h"
#include "robot/ground/seen_ground.h"
#include <math.h>

#define SEED 5
#define STEP_M 0.01
#define HOLE_M (-1.0)
#define NOISE_M 0.006 // of a range, as far as the ground is seen

static const char *const robots[] = {"emu", "emu-worn", "negotiator"}; // who see the ground by pictures alone
#define ROBOTS (sizeof robots / sizeof robots[0])

static cairn_arena memory;
static cairn_body_description body;
static cairn_seen_ground seen;
static cairn_sound_ground ground;
static cairn_ground_sweep sweep;
static cairn_reflex_state state;
static cairn_random dice;
static double hole_y_m; // in base: a hole begins here, to the left; infinity: none
static struct {
    double x_m;     // in base: beyond it the ground is lower, or rises or falls; infinity: it does not
    double lower_m; // by a kerb
    double slope;   // [-] upward
    double noise_m;
} bend;

static void begin(const char *robot)
{
    static cairn_complaints complaints;
    char path[256];
    snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", robot);
    assert_ok(cairn_body_description_read(path, &complaints, &body));
    assert_ok(cairn_arena_create(&memory, 8 << 20));
    assert_ok(cairn_seen_ground_init(&seen, &body, &memory));
    sweep = (cairn_ground_sweep){.description = &body};
    sweep.rows.end_m = CAIRN_TAKE(&memory, cairn_vec3, CAIRN_GROUND_ROW_ENDS_MAX);
    assert_non_null(sweep.rows.end_m);
    state = (cairn_reflex_state){0};
    hole_y_m = bend.x_m = INFINITY;
}

static void stand_on(cairn_pose2 odom_T_base, double ground_m)
{
    state.distance_m += cairn_vec2_distance(cairn_pose2_at(odom_T_base), cairn_pose2_at(state.odom_T_base));
    state.odom_T_base = odom_T_base;
    cairn_seen_ground_stand(&seen, &state, ground_m);
}

static void stand(cairn_pose2 odom_T_base) { stand_on(odom_T_base, 0); }

// Where a ray of the base frame meets ground that is so high at an x and rises from there.
static cairn_vec3 meet_plane(cairn_vec3 from_m, cairn_vec3 along, double x_m, double height_m, double slope)
{
    const double above_m = from_m.z - height_m - slope * (from_m.x - x_m), falls = slope * along.x - along.z;
    return cairn_vec3_add(from_m, cairn_vec3_scale(along, falls > 0 ? above_m / falls : NAN));
}

// Where a ray of the base frame meets the ground.
static cairn_vec3 meet(cairn_vec3 from_m, cairn_vec3 along)
{
    const cairn_vec3 end_m = meet_plane(from_m, along, 0, 0, 0);
    if (end_m.y > hole_y_m) { return meet_plane(from_m, along, 0, HOLE_M, 0); }
    if (end_m.x <= bend.x_m && (bend.slope <= 0 || bend.lower_m > 0)) { return end_m; } // over a crest, or an edge
    const cairn_vec3 beyond_m = meet_plane(from_m, along, bend.x_m, -bend.lower_m, bend.slope);
    const cairn_vec3 met_m = isfinite(bend.x_m) && beyond_m.x > bend.x_m ? beyond_m : end_m;
    const double off_m = bend.noise_m * cairn_random_gauss(&dice) / cairn_vec3_length(along);
    return cairn_vec3_add(met_m, cairn_vec3_scale(along, off_m));
}

// A picture of level ground from where the robot stands.
static void look(void)
{
    const cairn_range_imager_description *imager = &body.range_imager;
    const cairn_pose3 camera = imager->base_T_camera;
    const double step = 2 * tan(0.5 * imager->field_rad) / imager->width_px;
    sweep.odom_T_last = state.odom_T_base;
    sweep.rows.width = imager->width_px;
    sweep.rows.height = imager->height_px;
    const cairn_vec2 from_m = cairn_pose2_apply(state.odom_T_base, (cairn_vec2){camera.at_m.x, camera.at_m.y});
    sweep.rows.from_m = (cairn_vec3){from_m.x, from_m.y, camera.at_m.z};
    for (uint32_t i = 0; i < sweep.rows.width * sweep.rows.height; i++) {
        const double left = (0.5 * imager->width_px - i % imager->width_px - 0.5) * step;
        const double up = (0.5 * imager->height_px - i / imager->width_px - 0.5) * step;
        const cairn_vec3 end_m = meet(camera.at_m, cairn_quat_rotate(camera.turn, (cairn_vec3){1, left, up}));
        const cairn_vec2 there_m = cairn_pose2_apply(state.odom_T_base, (cairn_vec2){end_m.x, end_m.y});
        sweep.rows.end_m[i] = (cairn_vec3){there_m.x, there_m.y, end_m.z};
    }
    cairn_seen_ground_see(&seen, &sweep);
}

static bool is_sound(cairn_vec2 in_base_m)
{
    const cairn_vec2 at_m = cairn_pose2_apply(state.odom_T_base, in_base_m);
    const int32_t x = (int32_t)floor(at_m.x / CAIRN_SEEN_CELL_M) - ground.low_x;
    const int32_t y = (int32_t)floor(at_m.y / CAIRN_SEEN_CELL_M) - ground.low_y;
    assert_in_range(x, 0, CAIRN_SEEN_CELLS - 1);
    assert_in_range(y, 0, CAIRN_SEEN_CELLS - 1);
    const uint32_t cell = (uint32_t)y * CAIRN_SEEN_CELLS + (uint32_t)x;
    return (ground.bits[cell >> 3] >> (cell & 7) & 1) != 0;
}

static double wheel_x_m(void) { return 0.5 * body.wheels.wheelbase_m; }
static double wheel_y_m(void) { return 0.5 * (body.wheels.track_m + body.wheels.width_m); }

// Somewhere far from the start, where nothing is taken on trust.
static cairn_pose2 anywhere(void)
{
    return (cairn_pose2){cairn_random_between(&dice, 20, 30), cairn_random_between(&dice, 20, 30),
                         cairn_random_between(&dice, -CAIRN_PI, CAIRN_PI)};
}

// The nearest ground in a picture is about as wide as the robot. One that had to see more would stand before level
// floor after every turn, and back out the way it came.
static void who_has_turned_on_the_spot_may_go_straight_on(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 200 * ROBOTS; i++) {
        begin(robots[i % ROBOTS]);
        stand((cairn_pose2){0});
        stand(anywhere());
        look();
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        const double y_m = wheel_y_m() + CAIRN_GROUND_ASIDE_M;
        for (double x_m = wheel_x_m(); x_m < 1.0; x_m += STEP_M) {
            if (!is_sound((cairn_vec2){x_m, y_m}) || !is_sound((cairn_vec2){x_m, -y_m})) {
                fail_msg("%s, heading %.3f: %.2f m ahead it may not go", robots[i % ROBOTS], state.odom_T_base.yaw_rad,
                         x_m);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

static void who_came_straight_on_may_turn_on_the_spot(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 50 * ROBOTS; i++) {
        begin(robots[i % ROBOTS]);
        stand((cairn_pose2){0});
        const cairn_pose2 from = anywhere();
        for (int step = 0; step <= 40; step++) {
            stand(cairn_pose2_compose(from, (cairn_pose2){0.025 * step, 0, 0}));
            if (step % 4 == 0) { look(); }
        }
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        const double radius_m = hypot(wheel_x_m() + CAIRN_GROUND_TURNING_M, wheel_y_m() + CAIRN_GROUND_ASIDE_M);
        for (double at_rad = 0; at_rad < 2 * CAIRN_PI; at_rad += 0.02) {
            if (!is_sound((cairn_vec2){radius_m * cos(at_rad), radius_m * sin(at_rad)})) {
                fail_msg("%s, heading %.3f: it may not turn over what lies at %.2f rad", robots[i % ROBOTS],
                         from.yaw_rad, at_rad);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

// What is taken on trust beside a picture is a hand's breadth beside the wheels, and not what a ray fell through.
static void little_is_trusted_beside_a_picture_and_no_hole(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 50 * ROBOTS; i++) {
        begin(robots[i % ROBOTS]);
        stand((cairn_pose2){0});
        stand(anywhere());
        const bool at_hole = i % 2 == 0;
        if (at_hole) { hole_y_m = wheel_y_m() + 0.01; }
        look();
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        const double hull_m = 0.5 * body.length_m, wide_m = wheel_y_m() + CAIRN_GROUND_ASIDE_M + 0.11;
        for (double x_m = wheel_x_m() + 0.1; x_m < hull_m + 0.1; x_m += STEP_M) {
            assert_false(is_sound((cairn_vec2){x_m, wide_m}) || is_sound((cairn_vec2){x_m, -wide_m}));
        }
        for (double x_m = hull_m + CAIRN_SEEN_BLIND_M; at_hole && x_m < 1.5; x_m += STEP_M) {
            assert_false(is_sound((cairn_vec2){x_m, hole_y_m + 0.08}));
        }
        cairn_arena_destroy(&memory);
    }
}

// Drives straight on from afar to where the bend is so near, with a picture every 10 cm.
static void approach(cairn_pose2 from, double from_m, double to_m)
{
    for (double left_m = from_m; left_m > to_m; left_m -= 0.025) {
        stand(cairn_pose2_compose(from, (cairn_pose2){from_m - left_m, 0, 0}));
        bend.x_m = left_m;
        if (fmod(from_m - left_m + 0.001, 0.1) < 0.02) { look(); }
    }
}

// Sets a robot down before ground that is uneven by chance, and says where.
static cairn_pose2 begin_before_bend(const char *robot)
{
    begin(robot);
    stand((cairn_pose2){0});
    bend.lower_m = bend.slope = 0;
    bend.noise_m = NOISE_M;
    return anywhere();
}

// A street below its pavement: as the kerb comes too near to be seen, the street goes on in sight. Emus are meant for
// steps of 3 cm, negotiators for 20.
static void what_lies_below_a_kerb_is_not_sound(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 300; i++) {
        const cairn_pose2 from = begin_before_bend(robots[i % ROBOTS]);
        const double deepest_m = fmin(seen.step_m, body.limits.drop_m_max);
        bend.lower_m = deepest_m + cairn_random_between(&dice, 0.035, 0.15);
        approach(from, cairn_random_between(&dice, 1.2, 1.4), 0.5 * body.length_m + 0.05);
        for (int image = 0; image < 20; image++) { look(); }
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        for (double x_m = bend.x_m + 0.1; x_m < bend.x_m + 0.5; x_m += STEP_M) {
            if (is_sound((cairn_vec2){x_m, 0})) {
                fail_msg("%s, heading %.3f: %.2f m beyond a kerb of %.3f m it may go", robots[i % ROBOTS], from.yaw_rad,
                         x_m - bend.x_m, bend.lower_m);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

// Ramps that cross: it has turned on the spot, and the foot of the edge is hidden; what is in sight rises nearly to
// where it stands.
static void an_edge_below_which_a_ramp_rises_is_not_sound(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 300; i++) {
        stand(begin_before_bend(robots[i % 2])); // emus: what negotiators may step down hides nothing
        bend.x_m = 0.5 * body.length_m + cairn_random_between(&dice, 0.02, 0.1);
        bend.lower_m = body.limits.drop_m_max + cairn_random_between(&dice, 0.02, 0.04);
        bend.slope = cairn_random_between(&dice, 0.25, 0.35);
        for (int image = 0; image < 20; image++) { look(); }
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        for (double x_m = bend.x_m + 0.1; x_m < bend.x_m + 0.5; x_m += STEP_M) {
            if (is_sound((cairn_vec2){x_m, 0})) {
                fail_msg("%s: %.2f m beyond an edge of %.3f m, %.2f m ahead, with a ramp of %.2f it may go",
                         robots[i % 2], x_m - bend.x_m, bend.lower_m, bend.x_m, bend.slope);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

// A mind that died before a hole: the one after it trusts no more than what the first had told, for nobody has set the
// robot down there.
static void a_mind_that_is_started_again_trusts_what_was_told_and_no_more(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (int i = 0; i < 30; i++) {
        const cairn_pose2 from = begin_before_bend(robots[i % ROBOTS]);
        bend.lower_m = 1;
        approach(from, 1.3, 0.5 * body.length_m + 0.1);
        state.odom_id = 7;
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        ground.odom_id = 7;
        static cairn_sound_ground told;
        told = ground;
        assert_ok(cairn_seen_ground_init(&seen, &body, &memory));
        cairn_seen_ground_go_on(&seen, &told, &state, 0);
        cairn_seen_ground_stand(&seen, &state, 0);
        cairn_seen_ground_tell(&seen, (cairn_mono){2}, &ground);
        for (double x_m = bend.x_m + 0.1; x_m < bend.x_m + 0.5; x_m += STEP_M) {
            assert_false(is_sound((cairn_vec2){x_m, 0}));
        }
        for (double x_m = -0.5; x_m < wheel_x_m(); x_m += STEP_M) { assert_true(is_sound((cairn_vec2){x_m, 0})); }
        assert_ok(cairn_seen_ground_init(&seen, &body, &memory));
        told.odom_id = 8; // of another odometry: whoever switched it on looked
        cairn_seen_ground_go_on(&seen, &told, &state, 0);
        cairn_seen_ground_stand(&seen, &state, 0);
        cairn_seen_ground_tell(&seen, (cairn_mono){3}, &ground);
        assert_true(is_sound((cairn_vec2){bend.x_m + 0.1, 0}));
        cairn_arena_destroy(&memory);
    }
}

// It has come up from the street by a ramp, and back along the edge: the street beside it is ground, but no way down.
static void what_is_reached_by_a_ramp_far_off_is_no_way_down_from_here(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    const struct {
        double x_m, y_m, ground_m;
    } way[] = {{0, 0.66, -0.1}, {-1.5, 0.66, -0.1}, {-2, 0.33, -0.05}, {-1.5, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 100; i++) {
        begin("emu");
        stand((cairn_pose2){0});
        const cairn_pose2 from = anywhere();
        for (size_t leg = 0; leg + 1 < sizeof way / sizeof way[0]; leg++) {
            for (double part = 0; part <= 1; part += 0.02) {
                const cairn_pose2 at = {way[leg].x_m + part * (way[leg + 1].x_m - way[leg].x_m),
                                        way[leg].y_m + part * (way[leg + 1].y_m - way[leg].y_m), 0};
                stand_on(cairn_pose2_compose(from, at),
                         way[leg].ground_m + part * (way[leg + 1].ground_m - way[leg].ground_m));
            }
        }
        stand(from);
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        assert_true(is_sound((cairn_vec2){-1, 0}));
        for (double y_m = 0.5; y_m < 0.9; y_m += STEP_M) {
            if (is_sound((cairn_vec2){0, y_m})) {
                fail_msg("heading %.3f: down to %.2f m it may go", from.yaw_rad, y_m);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

// Up and down, and wherever they begin: a robot that took them for kerbs would search one floor.
static void ramps_that_it_is_meant_for_are_sound(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/seen_ground");
    for (size_t i = 0; i < 300; i++) {
        const cairn_pose2 from = begin_before_bend(robots[i % ROBOTS]);
        const double steepest = 0.95 * tan(body.limits.climb_rad_max);
        bend.slope = cairn_random_between(&dice, -steepest, steepest);
        approach(from, cairn_random_between(&dice, 1.2, 1.4),
                 0.5 * body.length_m + cairn_random_between(&dice, 0, 0.25));
        cairn_seen_ground_tell(&seen, (cairn_mono){1}, &ground);
        for (double x_m = wheel_x_m(); x_m < bend.x_m + 0.3; x_m += STEP_M) {
            if (!is_sound((cairn_vec2){x_m, wheel_y_m()}) || !is_sound((cairn_vec2){x_m, -wheel_y_m()})) {
                fail_msg("%s, heading %.3f: %.2f m before a ramp of %.2f it may not go on at %.2f m",
                         robots[i % ROBOTS], from.yaw_rad, bend.x_m, bend.slope, x_m);
            }
        }
        cairn_arena_destroy(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_turned_on_the_spot_may_go_straight_on),
        cmocka_unit_test(who_came_straight_on_may_turn_on_the_spot),
        cmocka_unit_test(little_is_trusted_beside_a_picture_and_no_hole),
        cmocka_unit_test(what_lies_below_a_kerb_is_not_sound),
        cmocka_unit_test(an_edge_below_which_a_ramp_rises_is_not_sound),
        cmocka_unit_test(a_mind_that_is_started_again_trusts_what_was_told_and_no_more),
        cmocka_unit_test(what_is_reached_by_a_ramp_far_off_is_no_way_down_from_here),
        cmocka_unit_test(ramps_that_it_is_meant_for_are_sound),
    };
    return cmocka_run_group_tests_name("seen ground", tests, NULL, NULL);
}
