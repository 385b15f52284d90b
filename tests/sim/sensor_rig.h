// sensor_rig.h - two robots with every sensor that there is, in an open yard.
#pragma once
#include "check.h"
#include "emu.h"
#include "sim/world.h"

#define TICK_NS CAIRN_PHYSICS_STEP_NS
#define DEGREE (CAIRN_PI / 180)
// emu with everything: a noisy laser and camera as before, and one of each further sensor.
static cairn_body_description emu_with_all(void)
{
    cairn_body_description robot = emu();
    const cairn_quat level = {1, 0, 0, 0};
    robot.watchdog_ns = CAIRN_MS(200);
    robot.bumper_offered = true;
    robot.encoders =
        (cairn_encoder_description){.offered = true, .ticks_per_turn = 4096, .rate_hz = 125, .slip_noise = 0.02};
    robot.imu = (cairn_imu_description){.offered = true, .rate_hz = 125, .turn_noise_radps = 0.002};
    robot.laser = (cairn_laser_description){.offered = true,
                                            .base_T_laser = {{0.16, 0, 0.33}, level},
                                            .beam_count = 1081,
                                            .field_rad = 270 * DEGREE,
                                            .rate_hz = 40,
                                            .range_m_min = 0.06,
                                            .range_m_max = 30,
                                            .noise_m = 0.01,
                                            .spin_rad = 2 * CAIRN_PI,
                                            .delay_s = 0.003};
    robot.thermal = (cairn_thermal_description){.offered = true,
                                                .base_T_camera = {{0.2, 0, 0.3}, level},
                                                .width_px = 80,
                                                .height_px = 60,
                                                .field_rad = 70 * DEGREE,
                                                .rate_hz = 8,
                                                .noise_k = 0.1,
                                                .delay_s = 0.02};
    robot.battery = (cairn_battery_description){
        .offered = true, .capacity_wh = 200, .voltage_v_full = 25.2, .voltage_v_empty = 21, .idle_w = 25};
    robot.range_imager = (cairn_range_imager_description){.offered = true,
                                                          .base_T_camera = {{0.2, 0, 0.25}, level},
                                                          .width_px = 64,
                                                          .height_px = 48,
                                                          .field_rad = 60 * DEGREE,
                                                          .rate_hz = 5,
                                                          .range_m_min = 0.3,
                                                          .range_m_max = 8,
                                                          .noise_m = 0.003,
                                                          .noise_m_per_m = 0.004,
                                                          .delay_s = 0.05};
    robot.range_sensor_count = 2;
    robot.range_sensors[0] = (cairn_range_sensor_description){
        .name = "floor",
        .kind = CAIRN_RANGE_INFRARED,
        .base_T_sensor = {{0.3, 0, 0.2}, cairn_quat_from_rpy((cairn_rpy){0, 60 * DEGREE, 0})},
        .range_m_min = 0.05,
        .range_m_max = 1.5,
        .noise_m = 0.005,
        .rate_hz = 50,
        .delay_s = 0.01};
    robot.range_sensors[1] = (cairn_range_sensor_description){.name = "ahead",
                                                              .kind = CAIRN_RANGE_SONAR,
                                                              .base_T_sensor = {{0.28, 0, 0.25}, level},
                                                              .field_rad = 30 * DEGREE,
                                                              .range_m_min = 0.15,
                                                              .range_m_max = 5,
                                                              .noise_m = 0.01,
                                                              .rate_hz = 12,
                                                              .delay_s = 0.03};
    robot.gps = (cairn_gps_description){.offered = true,
                                        .base_T_antenna = {{-0.1, 0, 0.46}, level},
                                        .rate_hz = 5,
                                        .noise_m = 1.5,
                                        .multipath_m = 12,
                                        .claimed_m = 2,
                                        .delay_s = 0.12};
    robot.magnetometer = (cairn_magnetometer_description){
        .offered = true, .base_T_sensor = {{0, 0, 0.4}, level}, .rate_hz = 20, .noise_ut = 0.5, .delay_s = 0.01};
    robot.barometer =
        (cairn_barometer_description){.offered = true, .rate_hz = 10, .noise_pa = 3, .storey_m = 3, .delay_s = 0.02};
    return robot;
}

// An open yard of 12 x 10 m with a wall across it and somebody before the wall.
typedef struct rig {
    cairn_sim_wall walls[2];
    cairn_sim_victim victim;
    cairn_sim_arena place;
    cairn_arena memory;
    cairn_body_description robot;
    int64_t late_ns_max;
    cairn_world *world;
    int64_t tick; // of the next step
} rig;

static void rig_furnish(rig *it)
{
    *it = (rig){.walls = {{.from_m = {8, 0}, .to_m = {8, 10}, .thickness_m = 0.1, .height_m = 2},
                          {.from_m = {0, 0}, .to_m = {0, 10}, .thickness_m = 0.1, .height_m = 2}},
                .victim = {.name = "anna", .map_T_victim = {6.5, 5.5, CAIRN_PI}, .temperature_c = 34}};
    it->place = (cairn_sim_arena){.size_m = {12, 10},
                                  .ambient_c = 20,
                                  .outdoors = true,
                                  .wall_count = 2,
                                  .victim_count = 1,
                                  .walls = it->walls,
                                  .victims = &it->victim};
    it->robot = emu_with_all();
}

static void rig_start(rig *it, const char *kind)
{
    static cairn_complaints complaints;
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it->place, &it->memory));
    it->tick = 0;
    const cairn_world_def def = {.arena = &it->place,
                                 .physics = kind,
                                 .robot_count = 2,
                                 .robots = (const cairn_body_description *[]){&it->robot, &it->robot},
                                 .starts = (const cairn_pose2[]){{4, 5, 0}, {4, 2, 0.5}},
                                 .robot_names = (const char *const[]){"emu1", "emu2"},
                                 .seed = 7,
                                 .late_ns_max = it->late_ns_max};
    assert_ok(cairn_world_create(&def, &complaints, &it->world));
}

static void rig_end(rig *it)
{
    cairn_world_destroy(it->world);
    cairn_arena_destroy(&it->memory);
}

// Nobody drives.
static cairn_mono rig_rest(rig *it)
{
    const cairn_mono now = {it->tick++ * TICK_NS};
    cairn_world_step(it->world, now);
    for (uint32_t i = 0; i < 2; i++) { cairn_world_sense(it->world, i, now); }
    return now;
}

// Both drive slowly in circles, so that what is seen changes.
static cairn_mono rig_step(rig *it)
{
    const cairn_mono now = {it->tick * TICK_NS};
    for (uint32_t i = 0; i < 2; i++) {
        const cairn_motor_target target = {
            .issued = now, .command = CAIRN_DRIVE_TORQUE, .torque_nm = {0.6, 1.0, 0.6, 1.0}};
        cairn_cell_write(cairn_world_body(it->world, i)->motors, &target, sizeof target);
    }
    return rig_rest(it);
}
