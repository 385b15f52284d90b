// What a level laser does not show: kerbs by nodding, and what the robot ran into.
#include "../base/check.h"
#include "base/random.h"
#include "drive.h"
#include "geometry/rays.h"
#include "rig.h"
#include "robot/deliberate/navigator.h"
#include "robot/ground/footing.h"
#include <math.h>

#define SEED 11
#define BEAMS 541
#define BOXES_MAX 8
#define LASER_X_M 0.12
#define LASER_Z_M 0.5

static const cairn_moving_things NOTHING_MOVES = {0};

// A world of boxes on the ground, and a robot that drives over it and leans.
static struct {
    uint32_t box_count;
    cairn_pose3 boxes[BOXES_MAX];
    cairn_vec3 halves_m[BOXES_MAX];
    double forward_mps, turn_radps;
    double roll_rad, pitch_rad; // as it is, and as it is said to be
    double noise_m;
    cairn_random dice;
} place;

static cairn_body_description description;
static cairn_arena memory;
static cairn_tracker tracker; // its odometry is right here: private and odom are one frame
static cairn_footing footing;
static cairn_own_map own;
static cairn_reflex_state state;
static cairn_scan_frame scan;
static cairn_mono now;

static int start(void **unused)
{
    (void)unused;
    memset(&place, 0, sizeof place);
    cairn_random_init(&place.dice, SEED, "tests/ground");
    state = (cairn_reflex_state){0};
    now = (cairn_mono){CAIRN_S(1)};
    description = rig_description();
    description.height_m = 0.62;
    description.imu.offered = true;
    description.limits.climb_rad_max = 20 * CAIRN_PI / 180;
    description.limits.step_m_max = 0.05;
    description.laser.offered = true;
    description.laser.base_T_laser = (cairn_pose3){{LASER_X_M, 0, LASER_Z_M}, {1, 0, 0, 0}};
    description.laser.nod = (cairn_nod_description){
        .offered = true, .from_rad = -3 * CAIRN_PI / 180, .to_rad = 21 * CAIRN_PI / 180, .period_s = 1.25};
    assert_ok(cairn_arena_create(&memory, 96 << 20));
    assert_ok(cairn_tracker_init(&tracker, &memory));
    assert_ok(cairn_footing_init(&footing, &description, &memory));
    assert_ok(cairn_own_map_init(&own, &memory));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void add_box(cairn_vec3 low_m, cairn_vec3 high_m)
{
    const cairn_vec3 half = cairn_vec3_scale(cairn_vec3_sub(high_m, low_m), 0.5);
    place.halves_m[place.box_count] = half;
    place.boxes[place.box_count++] = (cairn_pose3){cairn_vec3_add(low_m, half), {1, 0, 0, 0}};
}

// Ground that rises from x_m on, 3 m long and wide.
static void add_ramp(double x_m, double slope_rad)
{
    const cairn_quat turn = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, -slope_rad);
    const cairn_vec3 half = {1.5, 1.5, 0.5};
    const cairn_vec3 to_foot = cairn_quat_rotate(turn, (cairn_vec3){-half.x, 0, half.z}); // its upper edge at the foot
    place.halves_m[place.box_count] = half;
    place.boxes[place.box_count++] = (cairn_pose3){{x_m - to_foot.x, 0, -to_foot.z}, turn};
}

static double range_along(cairn_vec3 from_m, cairn_vec3 along)
{
    double nearest_m = along.z < 0 ? from_m.z / -along.z : INFINITY;
    for (uint32_t i = 0; i < place.box_count; i++) {
        const double range_m = cairn_ray_box3(from_m, along, place.boxes[i], place.halves_m[i]);
        if (range_m >= 0 && range_m < nearest_m) { nearest_m = range_m; }
    }
    return nearest_m;
}

static void push_pose(void)
{
    if (state.recent_count == CAIRN_ODOM_RECENT) {
        memmove(state.recent, state.recent + 1, (CAIRN_ODOM_RECENT - 1) * sizeof state.recent[0]);
        state.recent_count--;
    }
    state.recent[state.recent_count++] = (cairn_odom_stamp){now, state.odom_T_base};
    state.at = now;
    state.roll_rad = place.roll_rad;
    state.pitch_rad = place.pitch_rad;
    state.step_count++;
}

static double nod_rad(cairn_mono at)
{
    return (9 + 12 * sin(2 * CAIRN_PI * cairn_seconds(at.ns) / 1.25)) * CAIRN_PI / 180;
}

// A scan that ends now, each beam from where the robot was at its time.
static void scan_now(void)
{
    const float beam_ns = 18.75e6f / (BEAMS - 1);
    scan = (cairn_scan_frame){.taken = {now.ns - 18750000},
                              .beam_count = BEAMS,
                              .angle_rad_first = (float)(-0.75 * CAIRN_PI),
                              .angle_rad_step = (float)(1.5 * CAIRN_PI / (BEAMS - 1)),
                              .beam_ns_step = beam_ns,
                              .range_m_min = 0.06f,
                              .range_m_max = 30.0f};
    scan.nod_rad_first = (float)nod_rad(scan.taken);
    scan.nod_rad_last = (float)nod_rad(now);
    for (uint32_t i = 0; i < BEAMS; i++) {
        const cairn_mono at = {scan.taken.ns + (int64_t)((double)beam_ns * i)};
        const cairn_pose2 flat = cairn_odom_at(&state, at);
        const cairn_pose3 base = {{flat.x_m, flat.y_m, 0},
                                  cairn_quat_from_rpy((cairn_rpy){place.roll_rad, place.pitch_rad, flat.yaw_rad})};
        const double nod = nod_rad(at), angle = (double)scan.angle_rad_first + (double)scan.angle_rad_step * i;
        const cairn_vec3 in_laser = {cos(angle) * cos(nod), sin(angle), -cos(angle) * sin(nod)};
        const cairn_vec3 from = cairn_pose3_apply(base, (cairn_vec3){LASER_X_M, 0, LASER_Z_M});
        const double range_m = range_along(from, cairn_quat_rotate(base.turn, in_laser));
        scan.range_m[i] = (float)(range_m + place.noise_m * cairn_random_gauss(&place.dice));
    }
}

// Drives and looks for some time; true if a map was made of it.
static bool go_on(double seconds)
{
    bool mapped = false;
    for (int i = 0; i < (int)(seconds / 0.008); i++) {
        now.ns += CAIRN_MS(8);
        const cairn_pose2 moved = {place.forward_mps * 0.008, 0, place.turn_radps * 0.008};
        state.odom_T_base = cairn_pose2_compose(state.odom_T_base, moved);
        tracker.private_T_base = state.odom_T_base;
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        if (i % 3 != 0) { continue; }
        scan_now();
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &NOTHING_MOVES);
        cairn_footing_see(&footing, &tracker);
        mapped |= cairn_footing_step(&footing, &tracker, now);
    }
    return mapped;
}

static uint32_t obstacles_within(cairn_vec2 low_m, cairn_vec2 high_m)
{
    uint32_t count = 0;
    for (double y = floor(low_m.y * 10) / 10 + 0.05; y < high_m.y; y += 0.1) {
        for (double x = floor(low_m.x * 10) / 10 + 0.05; x < high_m.x; x += 0.1) {
            count += cairn_footing_at(&footing, (cairn_vec2){x, y}) == CAIRN_GROUND_OBSTACLE;
        }
    }
    return count;
}

// ---- seeing the ground

// Whatever the robot leans by, the floor is level in the sweep, and a box stands where it is: to the laser's noise.
static void points_are_level_however_the_robot_leans_and_drives(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    for (int k = 0; k < 20; k++) {
        place.roll_rad = 0.1 * cairn_random_gauss(&place.dice);
        place.pitch_rad = 0.05 * cairn_random_gauss(&place.dice);
        place.turn_radps = cairn_random_gauss(&place.dice);
        cairn_ground_sweep_clear(&footing.sweep);
        (void)go_on(0.3);
        const cairn_terrain_sweep points = cairn_ground_sweep_points(&footing.sweep);
        for (uint32_t i = 0; i < points.hits.count; i++) { assert_true(fabsf(points.hits.z_m[i]) < 0.01f); }
    }
}

// Kerbs of 10 cm are what robots stumble over. One sweep while driving towards it must show it, and nothing else.
static void a_kerb_is_an_obstacle_and_floor_is_not(void **unused)
{
    (void)unused;
    place.noise_m = 0.01;
    place.forward_mps = 0.4;
    add_box((cairn_vec3){2.6, -2, -1}, (cairn_vec3){6, 2, 0.10});
    assert_true(go_on(2.6));
    assert_true(obstacles_within((cairn_vec2){2.5, -1}, (cairn_vec2){2.8, 1}) >= 15); // of 20 along it
    assert_int_equal(obstacles_within((cairn_vec2){0.5, -2}, (cairn_vec2){2.5, 2}), 0);
    uint32_t free = 0; // lines of beams lie farther apart than cells: not all of it
    for (int i = 0; i < 100; i++) {
        free += cairn_footing_at(&footing, (cairn_vec2){1.45 + 0.1 * (i % 10), -0.45 + 0.1 * (i / 10.0)}) ==
                CAIRN_GROUND_FREE;
    }
    assert_true(free > 30);
}

// What begins another stretch tells nothing of the ground where it was: its frame goes on, and the robot is elsewhere.
static void who_begins_anew_knows_no_ground(void **unused)
{
    (void)unused;
    place.forward_mps = 0.4;
    add_box((cairn_vec3){2.6, -2, -1}, (cairn_vec3){6, 2, 0.10});
    assert_true(go_on(2.6));
    static cairn_terrain_planes planes;
    const cairn_pose2 middle = {0};
    cairn_terrain_planes_sample(tracker.grid, middle, 0.1, 150, now, &planes);
    const cairn_terrain_planes before = planes;
    cairn_footing_mark_planes(&footing, &own, middle, &planes);
    assert_memory_not_equal(planes.known, before.known, sizeof planes.known);
    cairn_footing_begin_anew(&footing);
    planes = before;
    cairn_footing_mark_planes(&footing, &own, middle, &planes);
    assert_memory_equal(planes.known, before.known, sizeof planes.known);
    assert_int_equal(cairn_drivability_map_count(footing.maps), 0);
    assert_int_equal(obstacles_within((cairn_vec2){0.5, -2}, (cairn_vec2){3, 2}), 0);
}

// A ramp that the robot can climb is no obstacle, nor is one a few centimetres of gravel.
static void ramps_and_small_steps_are_none(void **unused)
{
    (void)unused;
    place.noise_m = 0.01;
    place.forward_mps = 0.2;
    add_ramp(2.2, 15 * CAIRN_PI / 180);
    add_box((cairn_vec3){1.5, 1.6, -1}, (cairn_vec3){3, 3, 0.03});
    assert_true(go_on(3.0));
    assert_int_equal(obstacles_within((cairn_vec2){0.5, -1.2}, (cairn_vec2){3.5, 1.2}), 0);
    assert_int_equal(obstacles_within((cairn_vec2){1.2, 1.5}, (cairn_vec2){2.9, 2.9}), 0);
}

// A hole is found by the rays that go down into it.
static void a_pit_is_an_obstacle(void **unused)
{
    (void)unused;
    // Floor is z 0 everywhere in this world, so the world is raised around a pit of 0.4 m.
    add_box((cairn_vec3){-9, -9, -1}, (cairn_vec3){1.6, 9, 0.4});
    add_box((cairn_vec3){2.6, -9, -1}, (cairn_vec3){9, 9, 0.4});
    for (int i = 0; i < 400; i++) {
        now.ns += CAIRN_MS(8);
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        if (i % 3 != 0) { continue; }
        scan_now();
        for (uint32_t k = 0; k < BEAMS; k++) { // from 0.4 m higher
            const double nod = nod_rad((cairn_mono){scan.taken.ns + (int64_t)((double)scan.beam_ns_step * k)});
            const double angle = (double)scan.angle_rad_first + (double)scan.angle_rad_step * k;
            const cairn_vec3 along = {cos(angle) * cos(nod), sin(angle), -cos(angle) * sin(nod)};
            scan.range_m[k] = (float)range_along((cairn_vec3){LASER_X_M, 0, LASER_Z_M + 0.4}, along);
        }
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &NOTHING_MOVES);
        (void)cairn_footing_step(&footing, &tracker, now);
    }
    assert_true(obstacles_within((cairn_vec2){1.5, -0.5}, (cairn_vec2){2.2, 0.5}) >= 10);
    assert_int_equal(obstacles_within((cairn_vec2){0.5, -1}, (cairn_vec2){1.5, 1}), 0);
}

#define IMAGE_COLUMNS 44 // as an emu's
#define IMAGE_ROWS 36

static void have_imager(void)
{
    description.laser.nod.offered = false;
    description.limits.step_m_max = 0.03;
    description.range_imager = (cairn_range_imager_description){
        .offered = true,
        .base_T_camera = {{0.1, 0, 0.44}, cairn_quat_from_axis((cairn_vec3){0, 1, 0}, 30 * CAIRN_PI / 180)},
        .field_rad = 47 * CAIRN_PI / 180,
        .range_m_min = 0.3};
    assert_ok(cairn_footing_init(&footing, &description, &memory));
}

static double lag_rad; // by so much the robot leans farther nose down than it knows
// An image from so high, and 0.2 s later the next may be taken: depths are along its axis, rows from the top left.
static void see_image(double base_z_m)
{
    static cairn_range_image_frame image;
    const double step = 2 * tan(0.5 * description.range_imager.field_rad) / IMAGE_COLUMNS;
    push_pose();
    cairn_ground_sweep_lean(&footing.sweep, &state);
    image = (cairn_range_image_frame){.taken = now, .width_px = IMAGE_COLUMNS, .height_px = IMAGE_ROWS};
    const cairn_pose3 base = {{state.odom_T_base.x_m, state.odom_T_base.y_m, base_z_m},
                              cairn_quat_from_rpy((cairn_rpy){place.roll_rad, place.pitch_rad + lag_rad, 0})};
    const cairn_pose3 camera = cairn_pose3_compose(base, description.range_imager.base_T_camera);
    for (uint32_t k = 0; k < IMAGE_COLUMNS * IMAGE_ROWS; k++) {
        const uint32_t row = k / IMAGE_COLUMNS, column = k % IMAGE_COLUMNS;
        const cairn_vec3 along = {1, (0.5 * IMAGE_COLUMNS - 0.5 - column) * step,
                                  (0.5 * IMAGE_ROWS - 0.5 - row) * step};
        const double length = cairn_vec3_length(along);
        const cairn_vec3 unit = cairn_quat_rotate(camera.turn, cairn_vec3_scale(along, 1 / length));
        const double depth_m = range_along(camera.at_m, unit) / length;
        image.millimetres[k] = depth_m < 5 ? (uint16_t)lrint(1000 * depth_m) : 0;
    }
    for (int i = 0; i < 12; i++) {
        now.ns += CAIRN_MS(16);
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
    }
    cairn_footing_expect_image(&footing, &tracker, image.taken, now);
    cairn_ground_sweep_add_image(&footing.sweep, &image, &state, (cairn_pose2){0}, &NOTHING_MOVES);
    (void)cairn_footing_step(&footing, &tracker, now);
}

// A range imager that looks down sees the same kerb.
static void a_range_imager_shows_kerbs_too(void **unused)
{
    (void)unused;
    have_imager();
    add_box((cairn_vec3){1.3, -0.1, -1}, (cairn_vec3){6, 3, 0.10}); // to the left
    for (int i = 0; i < 12; i++) { see_image(0); }
    assert_true(footing.map_count > 0);
    assert_true(obstacles_within((cairn_vec2){1.2, 0}, (cairn_vec2){1.5, 0.5}) >= 4);
    assert_int_equal(obstacles_within((cairn_vec2){0.5, -1}, (cairn_vec2){1.2, 1}), 0);
    assert_int_equal(obstacles_within((cairn_vec2){1.2, -0.6}, (cairn_vec2){1.5, -0.25}), 0);
}

// Over a ridge the robot turns about its wheels, not about its middle: by how much it sinks meanwhile nobody knows.
static void tipping_over_a_ridge_makes_no_step_of_the_floor_behind_it(void **unused)
{
    (void)unused;
    have_imager();
    tracker.started = true;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 5; i++) {
            place.pitch_rad = i < 3 ? 0.0 : 0.17; // nose down
            see_image(i < 3 ? 0.30 : 0.22);
        }
    }
    assert_true(footing.map_count >= 4);
    assert_int_equal(obstacles_within((cairn_vec2){0.4, -2}, (cairn_vec2){4, 2}), 0);
}

// While it tips, attitude lags behind: images of before, meanwhile and after show one floor at several heights.
static void an_image_that_is_taken_while_it_tips_stands_alone(void **unused)
{
    (void)unused;
    have_imager();
    tracker.started = true;
    for (int round = 0; round < 4; round++) {
        place.pitch_rad = lag_rad = 0;
        for (int i = 0; i < 3; i++) { see_image(0.30); }
        for (int i = 0; i < 3; i++) { // by less than what begins a new sweep
            now.ns += CAIRN_MS(16);
            place.pitch_rad += 0.012;
            push_pose();
            cairn_ground_sweep_lean(&footing.sweep, &state);
        }
        lag_rad = 0.05;
        see_image(0.30);
    }
    lag_rad = 0;
    assert_true(footing.map_count > 0);
    assert_int_equal(obstacles_within((cairn_vec2){0.4, -2}, (cairn_vec2){4, 2}), 0);
}

// A level laser shows no ground, and nothing may be said of it.
static void level_scans_say_nothing(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        now.ns += CAIRN_MS(24);
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        scan_now();
        scan.nod_rad_first = scan.nod_rad_last = 0.0f;
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &NOTHING_MOVES);
        assert_false(cairn_footing_step(&footing, &tracker, now));
    }
}

// What wheels would stand on is measured while driving and leaning: it must be right to what a wheel does not notice.
static void heights_of_the_ground_are_known_to_a_few_centimetres(void **unused)
{
    (void)unused;
    description.mass_centre_m = (cairn_vec3){0, 0, 0.15};
    assert_ok(cairn_footing_init(&footing, &description, &memory));
    place.noise_m = 0.01;
    place.forward_mps = 0.2;
    place.roll_rad = 0.04;
    const double slope = tan(15 * CAIRN_PI / 180);
    add_ramp(2.2, 15 * CAIRN_PI / 180);
    add_box((cairn_vec3){1.0, 1.0, -1}, (cairn_vec3){2.1, 2.0, 0.05});
    assert_true(go_on(5.0));
    double sum_m = 0, worst_m = 0;
    uint32_t count = 0;
    for (int i = 0; i < 25 * 35; i++) {
        const cairn_vec2 at = {1.25 + 0.1 * (i % 25), -1.45 + 0.1 * (double)(i / 25)}; // NOLINT: whole rows
        const cairn_height_cell cell = cairn_height_map_at(footing.standing.heights, at);
        const bool at_edge = fabs(at.y - 1.0) < 0.11 || fabs(at.y) > 1.39 || fabs(at.x - 2.15) < 0.11;
        if (cell.ground != CAIRN_GROUND_OBSTACLE || at_edge) { continue; }
        const double on_ramp = fabs(at.y) < 1.5 ? fmax(0, (at.x - 2.2) * slope) : 0;
        const double truth_m = fmax(on_ramp, at.y > 1.0 && at.x < 2.1 ? 0.05 : 0.0);
        const double off_m = fabs((double)cell.height_m - truth_m);
        sum_m += off_m;
        worst_m = fmax(worst_m, off_m);
        count++;
    }
    print_message("%u cells, off by %.3f m, at most %.3f\n", count, sum_m / count, worst_m);
    assert_true(count > 400); // of 875: it looks ahead
    assert_true(sum_m / count < 0.025 && worst_m < 0.06);
}

// Somebody carries a box away. Rays that pass below its top show that it is gone; those above never would.
static void a_box_that_is_taken_away_is_gone_from_the_heights(void **unused)
{
    (void)unused;
    description.mass_centre_m = (cairn_vec3){0, 0, 0.15};
    assert_ok(cairn_footing_init(&footing, &description, &memory));
    const cairn_vec2 front = {2.05, 0.05};
    add_box((cairn_vec3){2.0, -0.3, 0}, (cairn_vec3){2.4, 0.3, 0.3});
    (void)go_on(2.6);
    assert_true(cairn_height_map_at(footing.standing.heights, front).height_m > 0.25f);
    place.box_count = 0;
    (void)go_on(2.6);
    const cairn_height_cell cell = cairn_height_map_at(footing.standing.heights, front);
    assert_true(cell.ground != CAIRN_GROUND_OBSTACLE || cell.height_m < 0.03f);
}

// Cells of the floor ahead whose heights are known.
static uint32_t heights_known(void)
{
    uint32_t count = 0;
    for (int i = 0; i < 60; i++) {
        const cairn_vec2 at = {1.45 + 0.1 * (i % 10), -0.25 + 0.1 * (double)(i / 10)}; // NOLINT: whole rows
        count += cairn_height_map_at(footing.standing.heights, at).ground == CAIRN_GROUND_OBSTACLE;
    }
    return count;
}

// Wheels spin on a ramp: odometry climbs, the robot does not, and the floor that it sees meanwhile would have steps.
static void while_it_slips_nothing_is_mapped(void **unused)
{
    (void)unused;
    description.mass_centre_m = (cairn_vec3){0, 0, 0.15};
    assert_ok(cairn_footing_init(&footing, &description, &memory));
    (void)go_on(1.5);
    assert_true(heights_known() > 40); // of 60
    const uint32_t maps = footing.map_count;
    tracker.slip.slips = true;
    (void)go_on(3.0);
    assert_int_equal(footing.map_count, maps);
    assert_int_equal(footing.sweep.hit_count, 0);
    assert_int_equal(heights_known(), 0);
    tracker.slip.slips = false;
    assert_true(go_on(2.0));
    assert_true(heights_known() > 40); // of 60
}

// Attitude unknown, or changing too fast to know that of a beam's time: a floor would seem to have steps.
static void jolts_are_not_mapped(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        now.ns += CAIRN_MS(8);
        place.pitch_rad = 0.05 * (i % 2); // 6 rad/s
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        scan_now();
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &NOTHING_MOVES);
    }
    assert_int_equal(footing.sweep.hit_count, 0);
}

// A team-mate walks away; its place must not stay an obstacle for as long as kerbs do.
static void teammates_are_left_out(void **unused)
{
    (void)unused;
    const cairn_moving_things mate = {.count = 1, .radius_m = 0.45, .at_m = {{2.5, 0}}};
    add_box((cairn_vec3){2.3, -0.2, 0}, (cairn_vec3){2.7, 0.2, 0.2});
    for (int i = 0; i < 400; i++) {
        now.ns += CAIRN_MS(8);
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        scan_now();
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &mate);
        (void)cairn_footing_step(&footing, &tracker, now);
    }
    assert_true(footing.map_count > 0);
    assert_int_equal(obstacles_within((cairn_vec2){1, -1}, (cairn_vec2){3.5, 1}), 0);
}

// ---- what others learn of it

// A kerb that was passed is still told when the maps that showed it are forgotten: the laser looks over it for ever.
static void a_kerb_is_told_in_the_planes_and_to_avoidance(void **unused)
{
    (void)unused;
    static cairn_terrain_planes planes;
    static cairn_near_obstacles near;
    add_box((cairn_vec3){2.0, -2, -1}, (cairn_vec3){6, 2, 0.10});
    assert_true(go_on(1.3));
    place.forward_mps = 0.4;
    assert_true(go_on(2.5)); // to 0.7 m before it: it is out of sight now
    place.forward_mps = 0;
    assert_true(go_on(20));
    const cairn_pose2 private_T_node = {0.5, 0.2, 0.7};
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 150, .height = 150, .origin_m = {-7.5, -7.5}};
    cairn_footing_mark_planes(&footing, &own, private_T_node, &planes);
    uint32_t told = 0;
    for (uint32_t i = 0; i < 150 * 150; i++) {
        if (!cairn_plane_bit(planes.obstacle, i)) { continue; }
        assert_true(cairn_plane_bit(planes.known, i));
        const cairn_vec2 in_node = {-7.5 + (i % 150 + 0.5) * 0.1, -7.5 + (double)(i / 150) * 0.1 + 0.05};
        const cairn_vec2 at = cairn_pose2_apply(private_T_node, in_node);
        assert_true(at.x > 1.85 && at.x < 2.25);
        told++;
    }
    assert_true(told >= 15);
    near.point_count = 0;
    cairn_footing_near(&footing, &tracker, cairn_pose2_at(state.odom_T_base), now, &near);
    assert_true(near.point_count >= 10);
    for (uint32_t i = 0; i < near.point_count; i++) { assert_true(near.x_m[i] > 1.9f && near.x_m[i] < 2.2f); }
}

// The ground's memory keeps walls for hours, a cell thicker, and where they were believed to be when they were seen.
// Told with every node, they would grow humps that nobody has looked at, and robots would be sent back to look.
static void a_wall_that_the_laser_has_drawn_is_not_told_by_the_memory_of_the_ground(void **unused)
{
    (void)unused;
    static cairn_terrain_planes planes;
    static cairn_scan_points points;
    static uint8_t wall[4 * 20], kerb[2 * 4];
    memset(wall, CAIRN_GROUND_OBSTACLE, sizeof wall);
    memset(kerb, CAIRN_GROUND_OBSTACLE, sizeof kerb);
    points = (cairn_scan_points){.count = 400};
    for (int i = 0; i < 400; i++) {
        points.x_m[i] = 1.025f;
        points.y_m[i] = -1.0f + 0.005f * (float)i;
        points.hit[i] = 1;
    }
    cairn_own_map_add(&own, (cairn_pose2){0}, &points);
    cairn_memory_grid_put(footing.memory, &(cairn_drivability_area){{0.9, -0.5}, 0.05, 4, 20}, wall);
    cairn_memory_grid_put(footing.memory, &(cairn_drivability_area){{-0.6, 0}, 0.05, 2, 4}, kerb);
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 150, .height = 150, .origin_m = {-7.5, -7.5}};
    cairn_footing_mark_planes(&footing, &own, (cairn_pose2){0}, &planes);
    uint32_t told = 0;
    for (uint32_t i = 0; i < 150 * 150; i++) {
        if (!cairn_plane_bit(planes.obstacle, i)) { continue; }
        assert_true(i % 150 < 75); // the kerb, that the laser looks over
        told++;
    }
    assert_int_equal(told, 2);
}

// Merged maps make a wall a cell thicker than the laser's map has it. Told as something that the laser looks over, that
// cell would make every door 10 cm narrower.
static void a_wall_that_the_laser_sees_is_not_told_again_beside_it(void **unused)
{
    (void)unused;
    static uint8_t wall[2 * 40], kerb[2 * 4];
    static cairn_scan_points points;
    static cairn_near_obstacles near;
    memset(wall, CAIRN_GROUND_OBSTACLE, sizeof wall);
    memset(kerb, CAIRN_GROUND_OBSTACLE, sizeof kerb);
    points = (cairn_scan_points){.count = 400};
    for (int i = 0; i < 400; i++) { // x 0.625, in the middle of a cell
        points.x_m[i] = 0.625f;
        points.y_m[i] = -1.0f + 0.005f * (float)i;
        points.hit[i] = 1;
    }
    cairn_local_grid_centre(tracker.grid, (cairn_vec2){0, 0});
    for (int i = 0; i < 5; i++) { cairn_local_grid_add(tracker.grid, (cairn_pose2){0}, &points, now); }
    // In the memory of the ground it is two cells of 5 cm thick, and there is a kerb that the laser looks over.
    cairn_memory_grid_put(footing.memory, &(cairn_drivability_area){{0.6, -0.5}, 0.05, 2, 20}, wall);
    cairn_memory_grid_put(footing.memory, &(cairn_drivability_area){{-0.6, 0}, 0.05, 2, 4}, kerb);
    cairn_footing_near(&footing, &tracker, (cairn_vec2){0, 0}, now, &near);
    assert_int_equal(near.point_count, 8);
    for (uint32_t i = 0; i < near.point_count; i++) { assert_true(near.x_m[i] < -0.5f); }
}

// ---- touches

static bool stands; // the robot of these tests moves, unless a test says so

static void feel(bool front, const cairn_moving_things *moving)
{
    now.ns += CAIRN_MS(16);
    state.bump_front = front;
    state.told_radps = stands ? 0 : 0.1;
    tracker.started = true;
    cairn_touches_feel(&footing.touches, &state, &tracker, moving, now);
}

// It touches something in front that no laser shows: next time it must know. A touch that lasts is one.
static void what_was_run_into_is_an_obstacle_until_it_is_driven_over(void **unused)
{
    (void)unused;
    state.odom_T_base = (cairn_pose2){1, 2, CAIRN_PI / 2};
    for (int i = 0; i < 50; i++) { feel(true, &NOTHING_MOVES); }
    assert_int_equal(footing.touches.touch_count, 1);
    uint8_t ground[100 * 100] = {0};
    const cairn_drivability_area window = {{-4, -3}, 0.1, 100, 100};
    cairn_footing_mark(&footing, &window, ground);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < 100 * 100; i++) {
        if (ground[i] != CAIRN_GROUND_OBSTACLE) { continue; }
        const double x = -4 + (i % 100 + 0.5) * 0.1, y = -3 + (double)(i / 100) * 0.1 + 0.05;
        assert_true(fabs(x - 1) < 0.5 * description.width_m + 0.2);
        assert_true(fabs(y - (2 + 0.5 * description.length_m)) < 0.12);
        marked++;
    }
    assert_true(marked >= 4);
    // Beside it marks stay; over it they go, as the robot would not be there otherwise.
    state.odom_T_base.x_m = 2;
    feel(false, &NOTHING_MOVES);
    assert_true(footing.touches.count > 0);
    state.odom_T_base = (cairn_pose2){1, 2 + 0.5 * description.length_m, 0};
    feel(false, &NOTHING_MOVES);
    assert_true(footing.touches.count < 12);
}

// Two robots meet in a doorway where no radio reaches: who stands there must not wall itself in.
static void who_stands_and_is_run_into_marks_nothing(void **unused)
{
    (void)unused;
    feel(false, &NOTHING_MOVES);
    stands = true;
    for (int i = 0; i < 50; i++) { feel(false, &NOTHING_MOVES); } // 0.8 s
    feel(true, &NOTHING_MOVES);
    stands = false;
    assert_int_equal(footing.touches.count, 0);
    feel(false, &NOTHING_MOVES);
    feel(true, &NOTHING_MOVES);
    assert_true(footing.touches.count > 0);
}

static void touches_are_forgotten_in_time(void **unused)
{
    (void)unused;
    feel(true, &NOTHING_MOVES);
    state.odom_T_base.x_m = -3;
    now.ns += CAIRN_TOUCH_NS - CAIRN_S(1);
    feel(false, &NOTHING_MOVES);
    assert_true(footing.touches.count > 0);
    now.ns += CAIRN_S(2);
    feel(false, &NOTHING_MOVES);
    assert_int_equal(footing.touches.count, 0);
}

static void touching_a_teammate_leaves_no_mark(void **unused)
{
    (void)unused;
    const cairn_moving_things mate = {.count = 1, .radius_m = 0.45, .at_m = {{0.6, 0}}};
    feel(true, &mate);
    assert_int_equal(footing.touches.count, 0);
}

// What the laser's map shows needs no mark, and walls must not grow.
static void touching_a_wall_that_is_seen_leaves_no_mark(void **unused)
{
    (void)unused;
    static cairn_scan_points wall;
    wall = (cairn_scan_points){.count = 101};
    for (int i = 0; i < 101; i++) {
        wall.x_m[i] = (float)(0.5 * description.length_m + 0.04);
        wall.y_m[i] = (float)(-0.5 + 0.01 * i);
        wall.hit[i] = 1;
    }
    cairn_local_grid_centre(tracker.grid, (cairn_vec2){0, 0});
    for (int i = 0; i < 5; i++) { cairn_local_grid_add(tracker.grid, (cairn_pose2){0}, &wall, now); }
    feel(true, &NOTHING_MOVES);
    assert_int_equal(footing.touches.count, 0);
}

static uint32_t marks_ahead(double sign)
{
    const cairn_pose2 base_T_private = cairn_pose2_inverse(state.odom_T_base);
    uint32_t count = 0;
    for (uint32_t i = 0; i < footing.touches.count; i++) {
        const cairn_vec2 at = cairn_pose2_apply(base_T_private, footing.touches.marks[i].at_m);
        count += sign * at.x > 0.5 * description.length_m;
    }
    return count;
}

// A robot that leans by more than it is meant to climb is on rubble. Upwards is shut before the tilt guard holds the
// robot for good, and on its way down nothing is.
static void climbing_too_steeply_shuts_the_way_up(void **unused)
{
    (void)unused;
    description.limits.tilt_rad_max = 35 * CAIRN_PI / 180;
    cairn_touches_init(&footing.touches, &description);
    state.pitch_rad = -20 * CAIRN_PI / 180; // nose up: a ramp that it is meant for
    state.told_mps = 0.3;
    feel(false, &NOTHING_MOVES);
    assert_int_equal(footing.touches.count, 0);
    state.pitch_rad = -27 * CAIRN_PI / 180;
    feel(false, &NOTHING_MOVES);
    assert_true(marks_ahead(1) >= 8 && marks_ahead(-1) == 0);
    state.told_mps = -0.09;
    state.odom_T_base.x_m -= 0.3;
    const uint32_t before = footing.touches.count;
    feel(false, &NOTHING_MOVES);
    assert_int_equal(footing.touches.count, before);
    state.pitch_rad = NAN;
    feel(false, &NOTHING_MOVES);
    assert_int_equal(footing.touches.count, before);
}

// Marks at the front and at the rear would hold the robot where it is: the newer touch counts.
static void marks_never_hold_the_robot_from_both_sides(void **unused)
{
    (void)unused;
    feel(true, &NOTHING_MOVES);
    assert_true(marks_ahead(1) > 0);
    state.bump_rear = true;
    feel(false, &NOTHING_MOVES);
    assert_true(marks_ahead(-1) > 0);
    assert_int_equal(marks_ahead(1), 0);
}

// A robot that feels its way along a kerb must not touch it again at every metre.
static void two_touches_make_a_kerb(void **unused)
{
    (void)unused;
    feel(true, &NOTHING_MOVES);
    state.odom_T_base = (cairn_pose2){-0.5, 0.8, 0}; // back, and along
    feel(false, &NOTHING_MOVES);
    state.odom_T_base.x_m = 0;
    feel(true, &NOTHING_MOVES);
    uint8_t ground[100 * 100] = {0};
    const cairn_drivability_area window = {{-5, -5}, 0.1, 100, 100};
    cairn_footing_mark(&footing, &window, ground);
    const uint32_t column = (uint32_t)((0.5 * description.length_m + 0.02 + 5) / 0.1);
    for (uint32_t row = 0; row < 100; row++) {
        const double y = -5 + (row + 0.5) * 0.1;
        const bool marked = ground[row * 100 + column] == CAIRN_GROUND_OBSTACLE;
        if (y > -0.9 && y < 1.7) { assert_true(marked); } // from one touch to the other, and a metre on
        if (y < -1.2 || y > 2.0) { assert_false(marked); }
    }
}

// ---- the way

static cairn_navigator navigator;

static void make_navigator(void)
{
    static cairn_scan_points open; // nothing within 8 m
    open = (cairn_scan_points){.count = 720};
    for (int i = 0; i < 720; i++) {
        open.x_m[i] = (float)(8 * cos(CAIRN_PI * (i - 360) / 360));
        open.y_m[i] = (float)(8 * sin(CAIRN_PI * (i - 360) / 360));
    }
    cairn_local_grid_centre(tracker.grid, (cairn_vec2){0, 0});
    for (int i = 0; i < 5; i++) { cairn_local_grid_add(tracker.grid, (cairn_pose2){0}, &open, now); }
    tracker.started = true;
    assert_ok(cairn_navigator_init(&navigator, &description, &memory));
    navigator.footing = &footing;
    const cairn_robot_task task = {.id = 1, .purpose = CAIRN_PURPOSE_GO, .via_count = 1, .via_m = {{3.5, 0}}};
    cairn_navigator_give(&navigator, &task);
}

static void plan(void)
{
    static const cairn_behaviour_state under_way = {0};
    cairn_navigator_step(&navigator, &tracker, &state, &under_way, true, now);
}

// It came to where it is, so there was a way. What was in it may have been a robot.
static void who_finds_no_way_doubts_what_it_ran_into(void **unused)
{
    (void)unused;
    make_navigator();
    for (int i = 0; i < 100; i++) { // a ring of them
        const double turn_rad = 2 * CAIRN_PI * i / 100;
        footing.touches.marks[i] = (cairn_touch){.at = now, .at_m = {cos(turn_rad), sin(turn_rad)}};
    }
    footing.touches.count = 100;
    for (int i = 0; i < 20 && footing.touches.count > 0; i++) { plan(); }
    plan();
    assert_int_equal(footing.touches.count, 0);
    assert_true(navigator.path.point_count > 5);
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
}

static void the_way_leads_around_what_was_run_into(void **unused)
{
    (void)unused;
    make_navigator();
    state.odom_T_base.x_m = 1.5;
    feel(true, &NOTHING_MOVES);
    const double front_m = 1.5 + 0.5 * description.length_m + 0.02;
    state.odom_T_base.x_m = 0;
    plan();
    assert_true(navigator.path.point_count > 5);
    for (uint32_t i = 0; i < navigator.path.point_count; i++) {
        const cairn_vec2 at = navigator.path.points_m[i];
        const double aside_m = fmax(fabs(at.y) - 0.5 * description.width_m, 0);
        assert_true(hypot(at.x - front_m, aside_m) > 0.5 * description.width_m);
    }
}

// Magic 5.3: a map laid down wrongly shuts the robot in; it stands until it is forgotten, and then goes on. It does not
// say that there is no way, or the station would take the task from it.
static void a_robot_shut_in_by_a_wrong_map_waits_until_it_is_forgotten(void **unused)
{
    (void)unused;
    enum { EDGE = 40 };
    static uint8_t ring[EDGE * EDGE], open[EDGE * EDGE];
    for (int i = 0; i < EDGE * EDGE; i++) {
        const double x = -1 + (i % EDGE + 0.5) * 0.05, y = -1 + (double)(i / EDGE) * 0.05 + 0.025; // NOLINT: whole rows
        ring[i] = fabs(hypot(x, y) - 0.75) < 0.05 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
        open[i] = CAIRN_GROUND_FREE;
    }
    make_navigator();
    const cairn_drivability_map wrong = {{-1, -1}, 0.05, EDGE, EDGE, ring}, right = {{-1, -1}, 0.05, EDGE, EDGE, open};
    assert_ok(cairn_drivability_add(footing.maps, (cairn_pose2){0}, &wrong));
    cairn_footing_merge(&footing, (cairn_vec2){0, 0});
    const cairn_mono began = now;
    bool gone = false;
    for (int nods = 0; nods < 20 && !gone; nods++) {
        for (int i = 0; i < 3 && !gone; i++) {
            now.ns += CAIRN_MS(416);
            plan();
            assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
            gone = navigator.path.point_count > 0;
        }
        if (gone) { break; }
        assert_ok(cairn_drivability_add(footing.maps, (cairn_pose2){0}, &right));
        cairn_footing_merge(&footing, (cairn_vec2){0, 0});
    }
    assert_true(gone);
    const double waited_s = cairn_seconds(cairn_mono_since(now, began));
    assert_true(waited_s > 13 && waited_s < 18); // 12 maps of 1.25 s
}

// There is a way, but the robot stands in what it remembers and is held: after longer than maps last it forgets that.
static void who_is_held_for_long_forgets_what_only_its_memory_says(void **unused)
{
    (void)unused;
    static const uint8_t kerb[4] = {CAIRN_GROUND_OBSTACLE, CAIRN_GROUND_OBSTACLE, CAIRN_GROUND_OBSTACLE,
                                    CAIRN_GROUND_OBSTACLE};
    make_navigator();
    const cairn_drivability_area near = {{0.4, 0}, 0.05, 2, 2}, far = {{1.4, 0}, 0.05, 2, 2};
    cairn_memory_grid_put(footing.memory, &near, kerb);
    cairn_memory_grid_put(footing.memory, &far, kerb);
    cairn_behaviour_state behaviour = {.blocked_s = 15};
    cairn_navigator_step(&navigator, &tracker, &state, &behaviour, true, now);
    assert_int_equal(cairn_footing_at(&footing, (cairn_vec2){0.45, 0.05}), CAIRN_GROUND_OBSTACLE);
    behaviour.blocked_s = 21;
    cairn_navigator_step(&navigator, &tracker, &state, &behaviour, true, now);
    assert_int_equal(cairn_footing_at(&footing, (cairn_vec2){0.45, 0.05}), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_footing_at(&footing, (cairn_vec2){1.45, 0.05}), CAIRN_GROUND_OBSTACLE);
}

// What it told wrongly of the ground before it may be why the station sends it nowhere: then nobody else doubts it.
static void who_is_sent_nowhere_forgets_what_only_its_memory_says(void **unused)
{
    (void)unused;
    static const uint8_t kerb[4] = {CAIRN_GROUND_OBSTACLE, CAIRN_GROUND_OBSTACLE, CAIRN_GROUND_OBSTACLE,
                                    CAIRN_GROUND_OBSTACLE};
    make_navigator();
    const cairn_drivability_area near = {{0.4, 0}, 0.05, 2, 2};
    cairn_memory_grid_put(footing.memory, &near, kerb);
    plan();
    cairn_navigator_drop(&navigator, now);
    now.ns += CAIRN_S(19);
    plan();
    assert_int_equal(cairn_footing_at(&footing, (cairn_vec2){0.45, 0.05}), CAIRN_GROUND_OBSTACLE);
    now.ns += CAIRN_S(2);
    plan();
    assert_int_equal(cairn_footing_at(&footing, (cairn_vec2){0.45, 0.05}), CAIRN_GROUND_UNKNOWN);
}

// A wall across the only way, where the last maps do not reach: who finds no way gives up what only its memory says.
static void who_waited_in_vain_forgets_what_shuts_its_way_far_off(void **unused)
{
    (void)unused;
    enum { LENGTH = 200 };
    static uint8_t wall[LENGTH];
    memset(wall, CAIRN_GROUND_OBSTACLE, sizeof wall);
    make_navigator();
    const cairn_drivability_area across = {{1.6, -10}, 0.1, 1, LENGTH};
    cairn_memory_grid_put(footing.memory, &across, wall);
    bool stood = false, gone = false;
    for (int i = 0; i < 60 && !gone; i++) {
        now.ns += CAIRN_MS(416);
        plan();
        gone = navigator.path.point_count > 0;
        stood |= !gone;
        assert_int_not_equal(navigator.task_state, CAIRN_TASK_NO_WAY);
    }
    assert_true(stood && gone);
}

// Walls that are there stay, whatever is forgotten: in the end there is no way.
static void a_robot_that_is_truly_shut_in_says_so(void **unused)
{
    (void)unused;
    enum { EDGE = 40 };
    static uint8_t ring[EDGE * EDGE];
    for (int i = 0; i < EDGE * EDGE; i++) {
        const double x = -1 + (i % EDGE + 0.5) * 0.05, y = -1 + (double)(i / EDGE) * 0.05 + 0.025; // NOLINT: whole rows
        ring[i] = fabs(hypot(x, y) - 0.75) < 0.05 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
    }
    make_navigator();
    const cairn_drivability_map map = {{-1, -1}, 0.05, EDGE, EDGE, ring};
    for (int i = 0; i < 60 && navigator.task_state != CAIRN_TASK_NO_WAY; i++) {
        assert_ok(cairn_drivability_add(footing.maps, (cairn_pose2){0}, &map));
        cairn_footing_merge(&footing, (cairn_vec2){0, 0});
        for (int k = 0; k < 3; k++) {
            now.ns += CAIRN_MS(416);
            plan();
            assert_int_equal(navigator.path.point_count, 0);
        }
    }
    assert_int_equal(navigator.task_state, CAIRN_TASK_NO_WAY);
}

// ---- what is matched

// A bank that rises ahead at 45 degrees, as high as the robot sees, and a wall on either side.
static void build_bank(void)
{
    add_ramp(1.6, 45 * CAIRN_PI / 180);
    add_box((cairn_vec3){-6, 1.5, 0}, (cairn_vec3){6, 1.7, 3});
    add_box((cairn_vec3){-6, -1.7, 0}, (cairn_vec3){6, -1.5, 3});
}

static void what_slants_is_not_matched_and_walls_are(void **unused)
{
    (void)unused;
    build_bank();
    place.noise_m = 0.01;
    place.forward_mps = 0.1;
    static cairn_scan_points points, left;
    assert_int_equal(cairn_upright_leave_out(&footing.upright, state.odom_T_base, now, &points), 0); // nothing seen yet
    assert_true(go_on(2.6));
    uint32_t on_bank = 0, on_walls = 0, still_on_bank = 0, still_on_walls = 0;
    for (int i = 0; i < 50; i++) { // a whole nod, on the way
        (void)go_on(0.024);
        cairn_scan_straighten(&tracker.beams, &scan, &description.laser, &state, CAIRN_LIE_EVEN, &points);
        left = points;
        const uint32_t left_out = cairn_upright_leave_out(&footing.upright, state.odom_T_base, now, &left);
        assert_int_equal(left.count + left_out, points.count);
        for (uint32_t k = 0; k < points.count; k++) {
            on_walls += points.hit[k] && fabsf(points.y_m[k]) > 1.42f;
            on_bank += points.hit[k] && fabsf(points.y_m[k]) < 1.3f && points.x_m[k] > 1.2f;
        }
        for (uint32_t k = 0; k < left.count; k++) {
            still_on_walls += left.hit[k] && fabsf(left.y_m[k]) > 1.42f;
            still_on_bank += left.hit[k] && fabsf(left.y_m[k]) < 1.3f && left.x_m[k] > 1.2f;
        }
    }
    print_message("bank %u of %u, walls %u of %u are matched\n", still_on_bank, on_bank, still_on_walls, on_walls);
    assert_true(on_bank > 1000 && on_walls > 5000);
    assert_true(still_on_bank < 0.05 * on_bank);
    assert_true(still_on_walls > 0.97 * on_walls); // all but where they meet the bank
    now.ns += CAIRN_S(5);                          // the nod is long past
    left = points;
    assert_int_equal(cairn_upright_leave_out(&footing.upright, state.odom_T_base, now, &left), 0);
}

// In the open whatever stands there tells the way: low things, of which a nod shows little, count all the same.
static void what_stands_low_is_matched(void **unused)
{
    (void)unused;
    add_box((cairn_vec3){2.4, -1.5, 0}, (cairn_vec3){2.9, -0.7, 0.29});
    add_box((cairn_vec3){3.3, 0.2, 0}, (cairn_vec3){3.6, 1.4, 0.32});
    add_box((cairn_vec3){1.9, 0.9, 0.3}, (cairn_vec3){2.2, 1.9, 0.45}); // on feet that are too thin to be seen
    place.noise_m = 0.01;
    place.forward_mps = 0.1;
    static cairn_scan_points points;
    assert_true(go_on(2.6));
    uint32_t hit_count = 0;
    for (int i = 0; i < 50; i++) {
        (void)go_on(0.024);
        cairn_scan_straighten(&tracker.beams, &scan, &description.laser, &state, CAIRN_LIE_EVEN, &points);
        for (uint32_t k = 0; k < points.count; k++) { hit_count += points.hit[k]; }
        assert_int_equal(cairn_upright_leave_out(&footing.upright, state.odom_T_base, now, &points), 0);
    }
    assert_true(hit_count > 100);
}

// How far the nod alone moves a robot that stands before the bank, by its own belief.
static double sway_m(const cairn_upright *upright)
{
    cairn_arena room;
    assert_ok(cairn_arena_create(&room, 64 << 20));
    assert_ok(cairn_tracker_init(&tracker, &room));
    tracker.upright = upright;
    double sway = 0;
    for (int i = 0; i < 1250; i++) {
        now.ns += CAIRN_MS(8);
        push_pose();
        cairn_ground_sweep_lean(&footing.sweep, &state);
        if (i % 3 != 0) { continue; }
        scan_now();
        cairn_ground_sweep_add_scan(&footing.sweep, &tracker.beams, &scan, &state, (cairn_pose2){0}, &NOTHING_MOVES);
        (void)cairn_footing_step(&footing, &tracker, now);
        if (i % 12 != 0) { continue; }
        cairn_tracker_step(&tracker, &scan, &description.laser, &state, &NOTHING_MOVES, now);
        if (i > 400) { sway = fmax(sway, fabs(tracker.private_T_base.x_m)); }
    }
    cairn_arena_destroy(&room);
    return sway;
}

static void a_bank_does_not_rock_a_robot_whose_laser_nods(void **unused)
{
    (void)unused;
    build_bank();
    place.noise_m = 0.01;
    const double rocked_m = sway_m(NULL), still_m = sway_m(&footing.upright);
    print_message("rocked %.3f m, still %.3f m\n", rocked_m, still_m);
    assert_true(still_m < 0.02);
    assert_true(rocked_m > 2 * still_m);
}

int main(void)
{
#define GROUND_TEST(fact) cmocka_unit_test_setup_teardown(fact, start, finish)
    const struct CMUnitTest tests[] = {
        GROUND_TEST(points_are_level_however_the_robot_leans_and_drives),
        GROUND_TEST(a_kerb_is_an_obstacle_and_floor_is_not),
        GROUND_TEST(who_begins_anew_knows_no_ground),
        GROUND_TEST(ramps_and_small_steps_are_none),
        GROUND_TEST(a_pit_is_an_obstacle),
        GROUND_TEST(a_range_imager_shows_kerbs_too),
        GROUND_TEST(tipping_over_a_ridge_makes_no_step_of_the_floor_behind_it),
        GROUND_TEST(an_image_that_is_taken_while_it_tips_stands_alone),
        GROUND_TEST(level_scans_say_nothing),
        GROUND_TEST(heights_of_the_ground_are_known_to_a_few_centimetres),
        GROUND_TEST(a_box_that_is_taken_away_is_gone_from_the_heights),
        GROUND_TEST(while_it_slips_nothing_is_mapped),
        GROUND_TEST(jolts_are_not_mapped),
        GROUND_TEST(teammates_are_left_out),
        GROUND_TEST(a_kerb_is_told_in_the_planes_and_to_avoidance),
        GROUND_TEST(a_wall_that_the_laser_has_drawn_is_not_told_by_the_memory_of_the_ground),
        GROUND_TEST(a_wall_that_the_laser_sees_is_not_told_again_beside_it),
        GROUND_TEST(what_was_run_into_is_an_obstacle_until_it_is_driven_over),
        GROUND_TEST(who_stands_and_is_run_into_marks_nothing),
        GROUND_TEST(touches_are_forgotten_in_time),
        GROUND_TEST(touching_a_teammate_leaves_no_mark),
        GROUND_TEST(touching_a_wall_that_is_seen_leaves_no_mark),
        GROUND_TEST(climbing_too_steeply_shuts_the_way_up),
        GROUND_TEST(marks_never_hold_the_robot_from_both_sides),
        GROUND_TEST(two_touches_make_a_kerb),
        GROUND_TEST(the_way_leads_around_what_was_run_into),
        GROUND_TEST(who_finds_no_way_doubts_what_it_ran_into),
        GROUND_TEST(a_robot_shut_in_by_a_wrong_map_waits_until_it_is_forgotten),
        GROUND_TEST(who_is_held_for_long_forgets_what_only_its_memory_says),
        GROUND_TEST(who_is_sent_nowhere_forgets_what_only_its_memory_says),
        GROUND_TEST(who_waited_in_vain_forgets_what_shuts_its_way_far_off),
        GROUND_TEST(a_robot_that_is_truly_shut_in_says_so),
        GROUND_TEST(what_slants_is_not_matched_and_walls_are),
        GROUND_TEST(what_stands_low_is_matched),
        GROUND_TEST(a_bank_does_not_rock_a_robot_whose_laser_nods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
