// test_mujoco_limits.c - what robots on wheels can climb, cross and stand on, found by halving, with all their torque.
// Those on tracks are in test_tracks.c.
//
// The bounds are as narrow as a change of the physics that matters to missions; docs/simulator-mujoco.md has the table.
#include "body/description_io.h"
#include "physics_rig.h"
#include "rough_arena.h"
#include "sim/physics/mujoco/mujoco_private.h"

static const cairn_physics_kind *const mujoco = &cairn_physics_mujoco;
static cairn_body_description tried; // the robot

static void place_solid(cairn_solid *solid, cairn_vec3 middle_m, cairn_vec3 size_m, double pitch_rad)
{
    *solid = (cairn_solid){.kind = CAIRN_SOLID_GROUND,
                           .map_T_box = {middle_m, cairn_quat_from_axis((cairn_vec3){0, 1, 0}, pitch_rad)},
                           .half_m = cairn_vec3_scale(size_m, 0.5)};
}

static void rig_make(rig *it, uint32_t solid_count, cairn_solid *solids, bool has_holes, cairn_pose2 start)
{
    static cairn_complaints complaints;
    it->kind = mujoco;
    it->robot = tried;
    it->robot_count = 1;
    it->place = (cairn_sim_arena){.size_m = {40, 10}, .has_holes = has_holes, .solid_count = solid_count};
    it->place.solids = solids;
    it->targets[0].flipper_rad = NAN;
    const cairn_body_description *robot = &it->robot;
    const cairn_physics_def def = {.arena = &it->place, .robot_count = 1, .robots = &robot, .starts = &start};
    assert_ok(mujoco->create(&def, &complaints, &it->physics));
}

// How it drives at its limit: wheels at this speed, whatever torque that takes.
static bool reaches(rig *it, double speed_mps, double for_s, double x_m)
{
    want(it, 0, speed_mps, 0);
    for (int i = 0; i < (int)(for_s * STEPS_PER_S); i++) {
        run_step(it);
        if (truth_of(it, 0).map_T_base.at_m.x > x_m) { return true; }
    }
    return false;
}

// Each answers: does it manage this much?

static bool climbs_ramp(double angle_deg)
{
    cairn_sim_ramp ramp = ridge((cairn_vec2){20, 5}, 30, 0, angle_deg);
    rig it = {.place = {.size_m = {40, 10}, .ramp_count = 1, .ramps = &ramp}};
    static cairn_solid solids[3];
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it.place, &memory));
    const uint32_t count = it.place.solid_count;
    memcpy(solids, it.place.solids, count * sizeof *solids);
    rig_make(&it, count, solids, false, (cairn_pose2){4, 5, 0});
    const bool climbs = reaches(&it, 0.5, 12, 7);
    rig_end(&it);
    cairn_arena_destroy(&memory);
    return climbs;
}

static bool climbs_kerb(double height_m, double speed_mps)
{
    cairn_solid kerb;
    place_solid(&kerb, (cairn_vec3){10, 5, 0.5 * height_m}, (cairn_vec3){10, 4, height_m}, 0);
    rig it = {0};
    rig_make(&it, 1, &kerb, false, (cairn_pose2){3.5, 5, 0});
    const bool climbs = reaches(&it, speed_mps, 20, 6);
    rig_end(&it);
    return climbs;
}

static bool crosses_gap(double width_m, double speed_mps)
{
    cairn_solid banks[2];
    place_solid(&banks[0], (cairn_vec3){0, 5, -0.5}, (cairn_vec3){10, 20, 1}, 0);
    place_solid(&banks[1], (cairn_vec3){5 + width_m + 5, 5, -0.5}, (cairn_vec3){10, 20, 1}, 0);
    rig it = {0};
    rig_make(&it, 2, banks, true, (cairn_pose2){3.5, 5, 0});
    const bool crosses = reaches(&it, speed_mps, 20, 6.5) && truth_of(&it, 0).map_T_base.at_m.z > -0.05;
    rig_end(&it);
    return crosses;
}

// The floor is tilted sideways, or rather gravity is, a degree in a third of a second, on ground that holds at any
// angle.
static double tips_at_deg(void)
{
    rig it = {0};
    rig_make(&it, 0, NULL, false, (cairn_pose2){5, 5, 0});
    mjModel *model = it.physics->model;
    model->geom_friction[0] = 3; // of the floor
    run(&it, 1);
    double angle_deg = 0;
    for (; angle_deg < 80; angle_deg += 3.0 / STEPS_PER_S) {
        model->opt.gravity[1] = -GRAVITY_MPS2 * sin(angle_deg * CAIRN_PI / 180);
        model->opt.gravity[2] = -GRAVITY_MPS2 * cos(angle_deg * CAIRN_PI / 180);
        run_step(&it);
        if (fabs(cairn_quat_to_rpy(truth_of(&it, 0).map_T_base.turn).roll_rad) > 0.3) { break; }
    }
    rig_end(&it);
    return angle_deg;
}

static bool climbs_kerb_slowly(double height_m) { return climbs_kerb(height_m, 0.2); }
static bool climbs_kerb_fast(double height_m) { return climbs_kerb(height_m, 0.6); }
static bool crosses_gap_slowly(double width_m) { return crosses_gap(width_m, 0.2); }
static bool crosses_gap_fast(double width_m) { return crosses_gap(width_m, 0.6); }

// The most that it manages between what it does and what it does not.
static double limit_of(bool (*manages)(double), double low, double high, double within)
{
    assert_true(manages(low));
    assert_false(manages(high));
    while (high - low > within) {
        const double middle = 0.5 * (low + high);
        if (manages(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Friction 0.8 holds up to 38.7 degrees; a robot whose front lifts slips earlier.
static void the_emu_climbs_as_steep_as_its_tyres_hold(void **state)
{
    (void)state;
    tried = emu();
    assert_true(climbs_ramp(15));
    assert_true(climbs_ramp(20)); // robots/emu.yaml: climb_deg_max
    const double limit_deg = limit_of(climbs_ramp, 20, 44, 0.5);
    print_message("steepest ramp %.1f degrees\n", limit_deg);
    assert_true(limit_deg > 30 && limit_deg < 38.7);
}

static void the_emu_fails_at_a_kerb_of_10_cm(void **state)
{
    (void)state;
    tried = emu();
    assert_false(climbs_kerb(0.1, 0.2));
    assert_false(climbs_kerb(0.1, 0.6)); // its highest speed
    const double slow_m = limit_of(climbs_kerb_slowly, 0.01, 0.2, 0.002);
    const double fast_m = limit_of(climbs_kerb_fast, 0.01, 0.2, 0.002);
    print_message("highest kerb %.3f m at 0.2 m/s, %.3f m at 0.6 m/s\n", slow_m, fast_m);
    assert_true(slow_m > 0.03 && slow_m < 0.1);
    assert_true(fast_m >= slow_m - 0.005 && fast_m < 0.1);
}

// Half its wheels stand while the others are over the gap: no wider than half a wheelbase and what wheels bridge.
static void the_emu_crosses_narrow_gaps_only(void **state)
{
    (void)state;
    tried = emu();
    const double slow_m = limit_of(crosses_gap_slowly, 0.02, 0.5, 0.005);
    const double fast_m = limit_of(crosses_gap_fast, 0.02, 0.5, 0.005);
    print_message("widest gap %.3f m at 0.2 m/s, %.3f m at 0.6 m/s\n", slow_m, fast_m);
    assert_true(slow_m > 0.1 && slow_m < 0.3);
    assert_true(fast_m > 0.1 && fast_m < 0.4);
}

// The centre of mass is 0.14 m up and half the track is 0.19 m: it tips at 53.6 degrees.
static void the_emu_tips_over_sideways_where_its_weight_leaves_its_wheels(void **state)
{
    (void)state;
    tried = emu();
    const double limit_deg = tips_at_deg();
    print_message("tips over sideways at %.1f degrees\n", limit_deg);
    assert_true(limit_deg > 49 && limit_deg < 56);
}

// ---- steps down

static const struct {
    double mps_part; // of its greatest speed; negative: backwards
    double heading_rad;
} ways_down[] = {{1, 0},      {0.5, 0},  {0.15, 0}, {-1, 0},     {-0.15, 0}, {1, 0.5},
                 {0.15, 0.5}, {-1, 0.5}, {1, 1.0},  {0.15, 1.0}, {-1, 1.0}};

// Drives down an edge at x = 5; whether it comes down upright and does not fall over on the way.
static bool comes_down(double depth_m, double speed_mps, double heading_rad)
{
    cairn_solid plateau;
    place_solid(&plateau, (cairn_vec3){0, 5, 0.5 * depth_m}, (cairn_vec3){10, 30, depth_m}, 0);
    rig it = {0};
    const double back_rad = speed_mps < 0 ? CAIRN_PI : 0;
    rig_make(&it, 1, &plateau, false, (cairn_pose2){4, 5, heading_rad + back_rad});
    want(&it, 0, speed_mps, 0);
    bool stands = true;
    const double way_m = 2.2 / cos(heading_rad);
    for (int i = 0; i < (int)((way_m / fabs(speed_mps) + 3) * STEPS_PER_S) && stands; i++) {
        run_step(&it);
        const cairn_vec3 up = cairn_quat_rotate(truth_of(&it, 0).map_T_base.turn, (cairn_vec3){0, 0, 1});
        stands = up.z > 0.5;
        if (truth_of(&it, 0).map_T_base.at_m.x > 6) { break; }
    }
    rig_end(&it);
    return stands;
}

static bool comes_down_any_way(double depth_m)
{
    for (size_t i = 0; i < sizeof ways_down / sizeof ways_down[0]; i++) {
        const double mps = ways_down[i].mps_part * tried.limits.speed_mps_max;
        if (!comes_down(depth_m, mps, ways_down[i].heading_rad)) { return false; }
    }
    return true;
}

// limits.drop_m_max: down a step so deep no robot falls over, however it gets there.
static void no_robot_tips_over_down_the_step_of_its_file(void **state)
{
    (void)state;
    static const char *const files[] = {"emu", "emu-worn", "magic", "rover", "negotiator"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        static cairn_complaints complaints;
        char path[512];
        snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", files[i]);
        assert_ok(cairn_body_description_read(path, &complaints, &tried));
        const double limit_m = limit_of(comes_down_any_way, 0.02, 1.0, 0.02);
        print_message("%s: deepest step down %.2f m\n", files[i], limit_m);
        assert_true(comes_down_any_way(tried.limits.drop_m_max));
        assert_true(comes_down_any_way(0.7 * tried.limits.drop_m_max));
    }
}

// What a robot file promises, planners and planar go by.
static void robots_keep_what_their_files_say(void **state)
{
    (void)state;
    static const char *const files[] = {"emu", "magic", "rover"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        static cairn_complaints complaints;
        char path[512];
        snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", files[i]);
        assert_ok(cairn_body_description_read(path, &complaints, &tried));
        assert_true(climbs_ramp(15));
        assert_true(climbs_ramp(tried.limits.climb_rad_max * 180 / CAIRN_PI));
        assert_true(climbs_kerb_slowly(tried.limits.step_m_max));
        assert_true(crosses_gap_slowly(tried.limits.gap_m_max));
        assert_false(climbs_kerb_slowly(0.1)); // none of them says it does
        print_message("%s: steepest ramp %.0f degrees, highest kerb %.3f m, widest gap %.2f m\n", files[i],
                      limit_of(climbs_ramp, 15, 44, 1), limit_of(climbs_kerb_slowly, 0.01, 0.2, 0.004),
                      limit_of(crosses_gap_slowly, 0.02, 0.6, 0.02));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_emu_climbs_as_steep_as_its_tyres_hold),
        cmocka_unit_test(the_emu_fails_at_a_kerb_of_10_cm),
        cmocka_unit_test(the_emu_crosses_narrow_gaps_only),
        cmocka_unit_test(the_emu_tips_over_sideways_where_its_weight_leaves_its_wheels),
        cmocka_unit_test(robots_keep_what_their_files_say),
        cmocka_unit_test(no_robot_tips_over_down_the_step_of_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
