// test_world.c - frames behind the bodies' cells: their times, their geometry, and that a seed decides them.
#include "check.h"
#include "emu.h"
#include "geometry/rays.h"
#include "near.h"
#include "sim/world.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS CAIRN_PHYSICS_STEP_NS
#define TICKS_PER_S 250
#define ROBOTS_MAX 3
#define TICKS_MAX (20 * TICKS_PER_S)
#define DEGREE (CAIRN_PI / 180)
// Half a step of a millimetre, and the rays' own tolerance.
#define RANGE_M 1.5e-3

// emu with all its sensors, none of them noisy.
static cairn_body_description emu_seeing(void)
{
    cairn_body_description robot = emu();
    robot.watchdog_ns = CAIRN_MS(200);
    robot.bumper_offered = true;
    robot.encoders = (cairn_encoder_description){.offered = true, .ticks_per_turn = 4096, .rate_hz = 125};
    robot.imu = (cairn_imu_description){.offered = true, .rate_hz = 125};
    robot.laser = (cairn_laser_description){.offered = true,
                                            .base_T_laser = {{0.16, 0, 0.33}, {1, 0, 0, 0}},
                                            .beam_count = 1081,
                                            .field_rad = 270 * DEGREE,
                                            .rate_hz = 40,
                                            .range_m_min = 0.06,
                                            .range_m_max = 30,
                                            .spin_rad = 2 * CAIRN_PI,
                                            .delay_s = 0.003};
    robot.thermal = (cairn_thermal_description){.offered = true,
                                                .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}},
                                                .width_px = 80,
                                                .height_px = 60,
                                                .field_rad = 70 * DEGREE,
                                                .rate_hz = 8,
                                                .delay_s = 0.02};
    robot.battery = (cairn_battery_description){
        .offered = true, .capacity_wh = 200, .voltage_v_full = 25.2, .voltage_v_empty = 21, .idle_w = 25};
    return robot;
}

static void add_noise(cairn_body_description *robot)
{
    robot->encoders.slip_noise = 0.02;
    robot->imu.turn_noise_radps = robot->imu.turn_bias_radps = 0.003;
    robot->imu.turn_bias_walk_radps_per_sqrt_s = 0.0002;
    robot->imu.accel_noise_mps2 = 0.05;
    robot->laser.noise_m = 0.01;
    robot->laser.dropout = 0.002;
    robot->thermal.noise_k = 0.1;
}

// A room of 8 x 6 m with a box and a victim in it.
typedef struct rig {
    cairn_sim_wall walls[4];
    cairn_sim_box box;
    cairn_sim_victim victim;
    cairn_sim_arena place;
    cairn_arena memory;
    cairn_body_description robot;
    cairn_world *world;
    uint32_t robot_count;
    int64_t tick;         // of the next step
    bool senses_reversed; // the last robot first
    const char *physics;  // NULL: planar
    const cairn_body_memory *memories;
    cairn_robot_truth past[ROBOTS_MAX][TICKS_MAX];
} rig;

static void rig_furnish(rig *it)
{
    *it = (rig){.walls = {{.from_m = {0, 0}, .to_m = {8, 0}, .thickness_m = 0.1, .height_m = 1},
                          {.from_m = {8, 0}, .to_m = {8, 6}, .thickness_m = 0.1, .height_m = 1},
                          {.from_m = {8, 6}, .to_m = {0, 6}, .thickness_m = 0.1, .height_m = 1},
                          {.from_m = {0, 6}, .to_m = {0, 0}, .thickness_m = 0.1, .height_m = 1}},
                .box = {.map_T_box = {6, 4.5, 0.4}, .size_m = {0.8, 0.5, 0.6}},
                .victim = {.name = "anna", .map_T_victim = {6.5, 1.5, CAIRN_PI}, .temperature_c = 34}};
    it->place = (cairn_sim_arena){.size_m = {8, 6},
                                  .ambient_c = 20,
                                  .wall_count = 4,
                                  .box_count = 1,
                                  .victim_count = 1,
                                  .walls = it->walls,
                                  .boxes = &it->box,
                                  .victims = &it->victim};
    it->robot = emu_seeing();
}

static void rig_start(rig *it, uint32_t robot_count, const cairn_pose2 *starts, uint64_t seed)
{
    static cairn_complaints complaints;
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it->place, &it->memory));
    it->robot_count = robot_count;
    it->tick = 0;
    const cairn_world_def def = {.arena = &it->place,
                                 .physics = it->physics ? it->physics : "planar",
                                 .robot_count = robot_count,
                                 .robots = (const cairn_body_description *[]){&it->robot, &it->robot, &it->robot},
                                 .starts = starts,
                                 .robot_names = (const char *const[]){"emu1", "emu2", "emu3"},
                                 .seed = seed,
                                 .memories = it->memories};
    assert_ok(cairn_world_create(&def, &complaints, &it->world));
}

static void rig_end(rig *it)
{
    cairn_world_destroy(it->world);
    cairn_arena_destroy(&it->memory);
}

static cairn_mono rig_step(rig *it)
{
    const cairn_mono now = {it->tick * TICK_NS};
    cairn_world_step(it->world, now);
    for (uint32_t i = 0; i < it->robot_count; i++) {
        cairn_world_sense(it->world, it->senses_reversed ? it->robot_count - 1 - i : i, now);
    }
    for (uint32_t i = 0; i < it->robot_count && it->tick < TICKS_MAX; i++) {
        cairn_world_truth(it->world, i, &it->past[i][it->tick]);
    }
    it->tick++;
    return now;
}

static void drive(rig *it, uint32_t robot, double left_nm, double right_nm)
{
    const cairn_motor_target target = {.issued = {it->tick * TICK_NS},
                                       .command = CAIRN_DRIVE_TORQUE,
                                       .torque_nm = {left_nm, right_nm, left_nm, right_nm}};
    cairn_cell_write(cairn_world_body(it->world, robot)->motors, &target, sizeof target);
}

// ---- times

// The k-th measurement of a cell that is due every 1 / rate arrives with the first tick at or after its lag.
static void check_arrivals(cairn_cell *cell, rig *it, double rate_hz, int64_t lag_ns)
{
    int64_t k = 0;
    for (int i = 0; i < 2 * TICKS_PER_S; i++) {
        const cairn_mono now = rig_step(it);
        while ((int64_t)floor((double)k * 1e9 / rate_hz) + lag_ns <= now.ns) { k++; }
        uint64_t version = 0;
        const cairn_mono *frame = cairn_cell_latest(cell, &version); // every frame begins with its time
        assert_int_equal(version, k);
        if (k > 0) { assert_int_equal(frame->ns, (int64_t)floor((double)(k - 1) * 1e9 / rate_hz)); }
    }
    assert_int_equal(k, 1 + (int64_t)floor((2.0 - 0.004 - (double)lag_ns * 1e-9) * rate_hz));
}

static void frames_arrive_when_they_are_complete(void **state)
{
    (void)state;
    static rig it;
    const double laser_rates_hz[] = {40, 30, 7.5};
    for (int i = 0; i < 3; i++) {
        rig_furnish(&it);
        it.robot.laser.rate_hz = laser_rates_hz[i];
        rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
        const int64_t sweep_ns = llround(0.75e9 / laser_rates_hz[i]);
        check_arrivals(cairn_world_body(it.world, 0)->scan_behaviour, &it, laser_rates_hz[i], sweep_ns + CAIRN_MS(3));
        rig_end(&it);
    }
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    check_arrivals(cairn_world_body(it.world, 0)->thermal_mind, &it, 8, CAIRN_MS(20));
    rig_end(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    check_arrivals(cairn_world_body(it.world, 0)->encoders_reflex, &it, 125, 0);
    rig_end(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    check_arrivals(cairn_world_body(it.world, 0)->imu_reflex, &it, 125, 0);
    rig_end(&it);
}

static void a_sensor_that_is_not_offered_has_no_cell(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    it.robot = emu();
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    for (int i = 0; i < 50; i++) { rig_step(&it); }
    const cairn_body *body = cairn_world_body(it.world, 0);
    assert_null(body->scan_behaviour);
    assert_null(body->thermal_mind);
    assert_null(body->encoders_reflex);
    assert_non_null(body->motors);
    rig_end(&it);
}

// ---- what is measured

static double wall_range_m(cairn_pose2 laser, double bearing_rad)
{
    const double x = cos(bearing_rad), y = sin(bearing_rad);
    const double to_x = x > 0 ? (7.95 - laser.x_m) / x : (0.05 - laser.x_m) / x;
    const double to_y = y > 0 ? (5.95 - laser.y_m) / y : (0.05 - laser.y_m) / y;
    return fmin(to_x, to_y);
}

static void a_scan_shows_the_walls_of_a_room(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    it.place.box_count = it.place.victim_count = 0;
    const cairn_pose2 start = {3, 2, 0.7};
    rig_start(&it, 1, &start, 1);
    for (int i = 0; i < 10; i++) { rig_step(&it); }
    const cairn_scan_frame *scan = cairn_cell_latest(cairn_world_body(it.world, 0)->scan_deliberate, NULL);
    assert_non_null(scan);
    assert_int_equal(scan->beam_count, 1081);
    const cairn_pose2 laser = cairn_pose2_compose(start, (cairn_pose2){0.16, 0, 0});
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        const double bearing = laser.yaw_rad + (-135 + 0.25 * i) * DEGREE;
        assert_near((double)scan->range_m[i], wall_range_m(laser, bearing), RANGE_M);
    }
    rig_end(&it);
}

static cairn_pose3 past_pose(const rig *it, uint32_t robot, int64_t ns)
{
    const int64_t tick = ns / TICK_NS;
    const double part = (double)(ns % TICK_NS) / (double)TICK_NS;
    return cairn_pose3_blend(it->past[robot][tick].map_T_base, it->past[robot][tick + 1].map_T_base, part);
}

// Between the first beam and the last a spinning robot turns by degrees: each beam shows the room from where it was
// then.
static void a_scan_while_spinning_is_seen_beam_by_beam(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    it.place.box_count = it.place.victim_count = 0;
    rig_start(&it, 1, &(cairn_pose2){3, 2, 0.7}, 1);
    uint64_t checked = 1;
    double turned_rad_max = 0;
    while (it.tick < 2 * TICKS_PER_S) {
        drive(&it, 0, -4.5, 5.5);
        rig_step(&it);
        uint64_t version = 0;
        const cairn_scan_frame *scan = cairn_cell_latest(cairn_world_body(it.world, 0)->scan_deliberate, &version);
        if (version <= checked) { continue; }
        checked = version;
        const double duration_ns = (double)scan->beam_ns_step * 1080;
        assert_near(duration_ns, 18.75e6, 100);
        const cairn_pose2 first = cairn_pose3_to_pose2(past_pose(&it, 0, scan->taken.ns));
        const cairn_pose2 last = cairn_pose3_to_pose2(past_pose(&it, 0, scan->taken.ns + llround(duration_ns)));
        turned_rad_max = fmax(turned_rad_max, cairn_angle_between(first.yaw_rad, last.yaw_rad));
        const cairn_pose2 base_T_laser = {0.16, 0, 0};
        for (uint32_t i = 0; i < scan->beam_count; i++) {
            const cairn_pose2 laser = cairn_pose2_blend(cairn_pose2_compose(first, base_T_laser),
                                                        cairn_pose2_compose(last, base_T_laser), i / 1080.0);
            const double bearing = laser.yaw_rad + (-135 + 0.25 * i) * DEGREE;
            assert_near((double)scan->range_m[i], wall_range_m(laser, bearing), RANGE_M);
        }
    }
    assert_true(turned_rad_max > 1 * DEGREE && checked > 60);
    rig_end(&it);
}

// The middle beam of a sweep is taken halfway: there the other robot is seen where it was at that moment to within
// half a tick, not where it is when the frame arrives.
static void others_are_seen_where_they_were(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 2, (const cairn_pose2[]){{1, 3, 0}, {5.5, 3, CAIRN_PI}}, 1);
    uint64_t checked = 1;
    double speed_mps_max = 0;
    while (it.tick < 3 * TICKS_PER_S) {
        drive(&it, 1, 0.5, 0.5);
        rig_step(&it);
        uint64_t version = 0;
        const cairn_scan_frame *scan = cairn_cell_latest(cairn_world_body(it.world, 0)->scan_behaviour, &version);
        if (version <= checked) { continue; }
        checked = version;
        const cairn_pose3 other = past_pose(&it, 1, scan->taken.ns + 9375000);
        const double speed_mps = fabs(it.past[1][it.tick - 1].velocity_mps.x);
        speed_mps_max = fmax(speed_mps_max, speed_mps);
        assert_near((double)scan->range_m[540], other.at_m.x - 0.01 - 1.16, RANGE_M + speed_mps * 0.0021);
    }
    assert_true(speed_mps_max > 0.8);
    rig_end(&it);
}

static void encoders_and_imu_tell_what_the_base_does(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    double turned_rad = 0;
    for (int i = 0; i < 2 * TICKS_PER_S; i++) {
        drive(&it, 0, -4, 5);
        rig_step(&it);
        const cairn_body *body = cairn_world_body(it.world, 0);
        const cairn_encoder_frame *encoders = cairn_cell_latest(body->encoders_reflex, NULL);
        const cairn_imu_frame *imu = cairn_cell_latest(body->imu_reflex, NULL);
        if (i % 2) { continue; }
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
            const double turns = it.past[0][i].wheel_rad[wheel] / (2 * CAIRN_PI);
            assert_int_equal(encoders->ticks[wheel], (int64_t)floor(turns * 4096));
        }
        turned_rad += imu->turn_radps.z * 0.008;
    }
    const double yaw_rad = cairn_pose3_to_pose2(it.past[0][it.tick - 1].map_T_base).yaw_rad;
    assert_true(fabs(turned_rad) > 0.5);
    assert_near(cairn_angle_between(yaw_rad, turned_rad), 0, 0.01);
    rig_end(&it);
}

static void a_victim_in_view_is_warm_in_the_picture(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){4, 1.5, 0}, 1);
    for (int i = 0; i < 10; i++) { rig_step(&it); }
    const cairn_thermal_frame *picture = cairn_cell_latest(cairn_world_body(it.world, 0)->thermal_mind, NULL);
    assert_non_null(picture);
    assert_int_equal(picture->centikelvin[30 * 80 + 40], 30715); // 34 degrees, in the middle
    assert_int_equal(picture->centikelvin[30 * 80 + 2], 29315);  // the wall beside
    rig_end(&it);
}

// ---- the base's watchdog

static void a_base_without_orders_brakes(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){1, 3, 0}, 1);
    while (it.tick < TICKS_PER_S / 2) {
        drive(&it, 0, 1, 1);
        rig_step(&it);
    }
    const int64_t silent = it.tick;
    for (int i = 0; i < TICKS_PER_S; i++) { rig_step(&it); }
    const double at_end_mps = it.past[0][silent + 49].velocity_mps.x,
                 later_mps = it.past[0][silent + 100].velocity_mps.x;
    assert_true(at_end_mps > it.past[0][silent].velocity_mps.x + 0.1); // still driven, until 200 ms are over
    assert_near(later_mps, 0, 0.02);
    rig_end(&it);
}

static void the_brake_holds_on_a_ramp(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    cairn_sim_ramp ramp = ridge((cairn_vec2){4, 3}, 6, 0.5, 15);
    it.place.ramp_count = 1;
    it.place.ramps = &ramp;
    rig_start(&it, 1, &(cairn_pose2){2.5, 3, 0}, 1);
    while (it.tick < 10 * TICKS_PER_S) { rig_step(&it); }
    const double after_2_s_m = it.past[0][2 * TICKS_PER_S].map_T_base.at_m.x;
    assert_near(after_2_s_m, 2.5, 0.02);
    assert_near(it.past[0][it.tick - 1].map_T_base.at_m.x, after_2_s_m, 1e-4);
    rig_end(&it);
}

static void an_order_that_is_no_number_is_not_obeyed(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){1, 3, 0}, 1);
    while (it.tick < TICKS_PER_S) {
        drive(&it, 0, NAN, 1);
        rig_step(&it);
    }
    assert_near(it.past[0][it.tick - 1].map_T_base.at_m.x, 1, 1e-3);
    rig_end(&it);
}

// By its stamp such an order would never grow old.
static void an_order_from_the_future_is_not_obeyed(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){1, 3, 0}, 1);
    it.tick = 3600 * TICKS_PER_S;
    drive(&it, 0, 1, 1);
    it.tick = 0;
    while (it.tick < TICKS_PER_S) { rig_step(&it); }
    assert_near(it.past[0][it.tick - 1].map_T_base.at_m.x, 1, 1e-3);
    rig_end(&it);
}

// ---- what goes wrong

static uint64_t version_of(cairn_cell *cell)
{
    uint64_t version = 0;
    (void)cairn_cell_latest(cell, &version);
    return version;
}

// Missions break sensors and repair them: nothing arrives meanwhile, the others go on, and afterwards frames come at
// the times at which they would have come.
static void a_failed_sensor_says_nothing_until_it_is_repaired(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    cairn_cell *scans = cairn_world_body(it.world, 0)->scan_behaviour,
               *imus = cairn_world_body(it.world, 0)->imu_reflex;
    cairn_world_fail(it.world, 0, CAIRN_SENSOR_LASER, &(cairn_failure){.way = CAIRN_FAILURE_SILENT});
    for (int i = 0; i < TICKS_PER_S; i++) { rig_step(&it); }
    assert_int_equal(version_of(scans), 0);
    assert_null(cairn_world_last_frames(it.world, 0).scan);
    assert_int_equal(version_of(imus), 125);
    cairn_world_fail(it.world, 0, CAIRN_SENSOR_LASER, NULL);
    while (version_of(scans) == 0) { rig_step(&it); }
    const cairn_scan_frame *scan = cairn_cell_latest(scans, NULL);
    assert_int_equal(scan->taken.ns % CAIRN_MS(25), 0);
    assert_true(scan->taken.ns >= CAIRN_MS(975) && scan->taken.ns <= CAIRN_S(1));
    rig_end(&it);
}

static void a_killed_robot_brakes_and_is_silent(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    rig_start(&it, 1, &(cairn_pose2){2, 3, 0}, 1);
    while (it.tick < TICKS_PER_S) {
        drive(&it, 0, 1, 1);
        rig_step(&it);
    }
    assert_true(it.past[0][it.tick - 1].velocity_mps.x > 0.2);
    assert_false(cairn_world_is_dead(it.world, 0));
    cairn_world_kill(it.world, 0);
    assert_true(cairn_world_is_dead(it.world, 0));
    const uint64_t imus = version_of(cairn_world_body(it.world, 0)->imu_reflex);
    for (int i = 0; i < TICKS_PER_S; i++) {
        drive(&it, 0, 1, 1);
        rig_step(&it);
        assert_false(cairn_world_is_driven(it.world, 0));
    }
    assert_near(it.past[0][it.tick - 1].velocity_mps.x, 0, 1e-3);
    assert_int_equal(version_of(cairn_world_body(it.world, 0)->imu_reflex), imus);
    rig_end(&it);
}

// ---- going on where another world was

// A yard of 8 x 6 m with a door, blocks and a bystander, for three robots.
typedef struct yard {
    rig rig;
    cairn_sim_door door;
    cairn_sim_block blocks[2];
    cairn_vec2 way[2];
    cairn_sim_figure figure;
    cairn_sim_ramp ramp;
} yard;

static const cairn_pose2 yard_starts[] = {{1, 1, 0}, {1, 3, 0.2}, {1, 5, 0}};

static void yard_start(yard *it, const char *physics)
{
    memset(it, 0, sizeof *it);
    rig_furnish(&it->rig);
    add_noise(&it->rig.robot);
    it->door = (cairn_sim_door){.hinge_m = {4, 6},
                                .latch_m = {4, 5},
                                .thickness_m = 0.04,
                                .height_m = 1.5,
                                .open_rad = 90 * DEGREE,
                                .swing_s = 2};
    it->blocks[0] = (cairn_sim_block){.map_T_block = {2.2, 1, 0.3}, .size_m = {0.3, 0.3, 0.4}, .mass_kg = 3};
    it->blocks[1] = (cairn_sim_block){.map_T_block = {3, 3.4, 0}, .size_m = {0.4, 0.3, 0.4}, .mass_kg = 4};
    it->way[0] = (cairn_vec2){3, 2};
    it->way[1] = (cairn_vec2){5, 2.5};
    it->figure = (cairn_sim_figure){.point_count = 2, .points_m = it->way, .speed_mps = 0.6, .temperature_c = 30};
    it->ramp = ridge((cairn_vec2){5, 5}, 2, 0.2, 10);
    it->ramp.width_m = 0.8;
    cairn_sim_arena *place = &it->rig.place;
    place->door_count = place->figure_count = place->ramp_count = 1;
    place->block_count = 2;
    place->doors = &it->door;
    place->blocks = it->blocks;
    place->figures = &it->figure;
    place->ramps = &it->ramp;
    it->rig.physics = physics;
    rig_start(&it->rig, 3, yard_starts, 7);
    cairn_world_set_door(it->rig.world, 0, true);
}

static void yard_drive(yard *it)
{
    drive(&it->rig, 0, 0.5, 0.55);
    drive(&it->rig, 1, 0.6, 0.5);
    drive(&it->rig, 2, 0.5, 0.5);
}

// All that a tick wrote into a robot's cells must be the same to the last bit.
static void assert_same_cell(cairn_cell *one, cairn_cell *other, size_t bytes)
{
    const void *a = cairn_cell_latest(one, NULL), *b = cairn_cell_latest(other, NULL);
    assert_true(a && b);
    assert_memory_equal(a, b, bytes);
}

static void assert_same_frames(const yard *one, const yard *other)
{
    for (uint32_t i = 0; i < 3; i++) {
        const cairn_body *a = cairn_world_body(one->rig.world, i), *b = cairn_world_body(other->rig.world, i);
        const cairn_scan_frame *scan = cairn_cell_latest(a->scan_deliberate, NULL);
        assert_same_cell(a->scan_behaviour, b->scan_behaviour,
                         offsetof(cairn_scan_frame, range_m) + scan->beam_count * sizeof scan->range_m[0]);
        assert_same_cell(a->thermal_mind, b->thermal_mind, offsetof(cairn_thermal_frame, centikelvin) + 80 * 60 * 2);
        assert_same_cell(a->imu_reflex, b->imu_reflex, sizeof(cairn_imu_frame));
        assert_same_cell(a->encoders_reflex, b->encoders_reflex, sizeof(cairn_encoder_frame));
        assert_same_cell(a->bump_reflex, b->bump_reflex, offsetof(cairn_bump_frame, right) + 1);
        assert_same_cell(a->battery_mind, b->battery_mind, sizeof(cairn_battery_frame));
    }
}

static void check_that_it_goes_on(const char *physics)
{
    static yard it, other;
    yard_start(&it, physics);
    while (it.rig.tick < 2 * TICKS_PER_S + 3) { // not at a time when much is due; the door is half open
        yard_drive(&it);
        rig_step(&it.rig);
    }
    const size_t bytes = cairn_world_snapshot_bytes(it.rig.world);
    uint8_t *saved = malloc(3 * bytes);
    assert_non_null(saved);
    cairn_world_snapshot(it.rig.world, saved);
    yard_start(&other, physics);
    cairn_world_set_door(other.rig.world, 0, false);
    assert_ok(cairn_world_restore(other.rig.world, saved));
    other.rig.tick = it.rig.tick;
    const cairn_vec3 before_m = it.rig.past[0][it.rig.tick - 1].map_T_base.at_m;
    for (int i = 0; i < 3 * TICKS_PER_S; i++) {
        if (i > 25) { // until then the old target drives
            yard_drive(&it);
            yard_drive(&other);
        }
        if (i == 300) { cairn_world_shake(it.rig.world, 1); }
        if (i == 300) { cairn_world_shake(other.rig.world, 1); }
        rig_step(&it.rig);
        rig_step(&other.rig);
        if (i > TICKS_PER_S) { assert_same_frames(&it, &other); } // by then every sensor has spoken again
    }
    const cairn_vec3 after_m = it.rig.past[0][it.rig.tick - 1].map_T_base.at_m;
    assert_true(cairn_vec3_length(cairn_vec3_sub(after_m, before_m)) > 0.3);
    cairn_world_snapshot(it.rig.world, saved + bytes);
    cairn_world_snapshot(other.rig.world, saved + 2 * bytes);
    assert_memory_equal(saved + bytes, saved + 2 * bytes, bytes);
    free(saved);
    rig_end(&it.rig);
    rig_end(&other.rig);
}

// A simulator that was killed and is started again: for the robots only time stood still.
static void a_restored_world_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    check_that_it_goes_on("planar");
#ifdef CAIRN_HAS_MUJOCO
    check_that_it_goes_on("mujoco");
#endif
}

// A dead robot stays dead, a broken sensor broken.
static void a_snapshot_knows_who_is_dead(void **state)
{
    (void)state;
    static yard it, other;
    yard_start(&it, "planar");
    cairn_world_kill(it.rig.world, 1);
    cairn_world_fail(it.rig.world, 0, CAIRN_SENSOR_LASER, &(cairn_failure){.way = CAIRN_FAILURE_SILENT});
    for (int i = 0; i < 30; i++) { rig_step(&it.rig); }
    uint8_t *saved = malloc(cairn_world_snapshot_bytes(it.rig.world));
    assert_non_null(saved);
    cairn_world_snapshot(it.rig.world, saved);
    yard_start(&other, "planar");
    cairn_world_kill(other.rig.world, 2);
    assert_ok(cairn_world_restore(other.rig.world, saved));
    other.rig.tick = it.rig.tick;
    for (int i = 0; i < 30; i++) { rig_step(&other.rig); }
    assert_true(cairn_world_is_dead(other.rig.world, 1));
    assert_false(cairn_world_is_dead(other.rig.world, 2));
    assert_int_equal(version_of(cairn_world_body(other.rig.world, 0)->scan_behaviour), 0);
    assert_true(version_of(cairn_world_body(other.rig.world, 2)->scan_behaviour) > 0);
    assert_int_equal(version_of(cairn_world_body(other.rig.world, 1)->imu_reflex), 0);
    free(saved);
    rig_end(&it.rig);
    rig_end(&other.rig);
}

// It comes from a file. Whatever is damaged in it, it is refused, and the world stays as it was.
static void a_damaged_snapshot_is_refused(void **state)
{
    (void)state;
    static yard it;
    yard_start(&it, "planar");
    for (int i = 0; i < 100; i++) {
        yard_drive(&it);
        rig_step(&it.rig);
    }
    const size_t bytes = cairn_world_snapshot_bytes(it.rig.world);
    uint8_t *sound = malloc(3 * bytes), *damaged = sound + bytes, *after = sound + 2 * bytes;
    assert_non_null(sound);
    cairn_world_snapshot(it.rig.world, sound);
    cairn_random random;
    cairn_random_init(&random, 20, "test");
    for (int round = 0; round < 300; round++) {
        memcpy(damaged, sound, bytes);
        damaged[cairn_random_below(&random, round % 2 ? (uint32_t)bytes : 64)] ^=
            (uint8_t)(1 + cairn_random_below(&random, 255));
        assert_int_equal(cairn_world_restore(it.rig.world, damaged), CAIRN_ERR_CORRUPT);
    }
    cairn_world_snapshot(it.rig.world, after);
    assert_memory_equal(after, sound, bytes);
    assert_ok(cairn_world_restore(it.rig.world, sound));
    free(sound);
    rig_end(&it.rig);
}

// Robots that are processes of their own have the other ends of the cells.
static void cells_may_lie_in_memory_that_is_given(void **state)
{
    (void)state;
    static rig it;
    rig_furnish(&it);
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 4 << 20));
    cairn_body_memory memory = {.sensors = cairn_arena_take(&arena, 1, cairn_body_sensor_bytes(&it.robot)),
                                .motors = cairn_arena_take(&arena, 1, cairn_body_motor_bytes(&it.robot))};
    it.memories = &memory;
    rig_start(&it, 1, &(cairn_pose2){1, 3, 0}, 1);
    cairn_body far;
    assert_ok(cairn_body_attach(&it.robot, memory, &arena, &far));
    while (it.tick < TICKS_PER_S) {
        const cairn_motor_target target = {
            .issued = {it.tick * TICK_NS}, .command = CAIRN_DRIVE_TORQUE, .torque_nm = {1, 1, 1, 1}};
        cairn_cell_write(far.motors, &target, sizeof target);
        rig_step(&it);
    }
    assert_true(it.past[0][it.tick - 1].map_T_base.at_m.x > 1.2);
    const cairn_encoder_frame *encoders = cairn_cell_latest(far.encoders_reflex, NULL);
    assert_int_equal(encoders->taken.ns, CAIRN_MS(992));
    assert_true(encoders->ticks[0] > 100);
    rig_end(&it);
    cairn_arena_destroy(&arena);
}

// ---- repeating

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++) { hash = (hash ^ at[i]) * 0x100000001b3u; }
    return hash;
}

static uint64_t hash_cell(uint64_t hash, cairn_cell *cell, size_t count)
{
    const void *frame = cairn_cell_latest(cell, NULL);
    return frame ? hash_bytes(hash, frame, count) : hash;
}

static uint64_t hash_of_run(uint64_t seed, bool reversed)
{
    static rig it;
    rig_furnish(&it);
    add_noise(&it.robot);
    it.senses_reversed = reversed;
    rig_start(&it, 2, (const cairn_pose2[]){{1, 3, 0}, {5, 3, CAIRN_PI}}, seed);
    uint64_t hash = 0xcbf29ce484222325u;
    while (it.tick < 4 * TICKS_PER_S) {
        drive(&it, 0, 0.5, 1);
        drive(&it, 1, 1, 0.5);
        rig_step(&it);
        for (uint32_t i = 0; i < 2; i++) {
            const cairn_body *body = cairn_world_body(it.world, i);
            hash = hash_cell(hash, body->encoders_reflex, sizeof(cairn_encoder_frame));
            hash = hash_cell(hash, body->imu_reflex, sizeof(cairn_imu_frame));
            hash = hash_cell(hash, body->scan_behaviour, offsetof(cairn_scan_frame, range_m) + 1081 * sizeof(float));
            hash = hash_cell(hash, body->battery_mind, offsetof(cairn_battery_frame, charge));
            hash = hash_cell(hash, body->thermal_mind, offsetof(cairn_thermal_frame, centikelvin) + 9600);
        }
    }
    rig_end(&it);
    return hash;
}

static void the_seed_decides_every_frame(void **state)
{
    (void)state;
    const uint64_t first = hash_of_run(7, false);
    assert_true(hash_of_run(7, false) == first);
    assert_true(hash_of_run(7, true) == first); // in whatever order robots sense
    assert_true(hash_of_run(8, false) != first);
}

static void an_unknown_physics_is_refused_with_words(void **state)
{
    (void)state;
    static rig it;
    static cairn_complaints complaints;
    rig_furnish(&it);
    const cairn_world_def def = {.arena = &it.place,
                                 .physics = "round",
                                 .robot_count = 1,
                                 .robots = (const cairn_body_description *[]){&it.robot},
                                 .starts = &(cairn_pose2){1, 3, 0},
                                 .robot_names = (const char *const[]){"emu1"}};
    cairn_world *world = NULL;
    assert_int_equal(cairn_world_create(&def, &complaints, &world), CAIRN_ERR_UNSUPPORTED);
    assert_null(world);
    assert_non_null(strstr(complaints.text, "round"));
    it.robot.drive = CAIRN_DRIVE_VELOCITY;
    cairn_world_def other = def;
    other.physics = "planar";
    assert_int_equal(cairn_world_create(&other, &complaints, &world), CAIRN_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_arrive_when_they_are_complete),
        cmocka_unit_test(a_sensor_that_is_not_offered_has_no_cell),
        cmocka_unit_test(a_scan_shows_the_walls_of_a_room),
        cmocka_unit_test(a_scan_while_spinning_is_seen_beam_by_beam),
        cmocka_unit_test(others_are_seen_where_they_were),
        cmocka_unit_test(encoders_and_imu_tell_what_the_base_does),
        cmocka_unit_test(a_victim_in_view_is_warm_in_the_picture),
        cmocka_unit_test(a_base_without_orders_brakes),
        cmocka_unit_test(the_brake_holds_on_a_ramp),
        cmocka_unit_test(an_order_that_is_no_number_is_not_obeyed),
        cmocka_unit_test(an_order_from_the_future_is_not_obeyed),
        cmocka_unit_test(a_failed_sensor_says_nothing_until_it_is_repaired),
        cmocka_unit_test(a_killed_robot_brakes_and_is_silent),
        cmocka_unit_test(a_restored_world_goes_on_with_the_same_bytes),
        cmocka_unit_test(a_snapshot_knows_who_is_dead),
        cmocka_unit_test(a_damaged_snapshot_is_refused),
        cmocka_unit_test(cells_may_lie_in_memory_that_is_given),
        cmocka_unit_test(the_seed_decides_every_frame),
        cmocka_unit_test(an_unknown_physics_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
