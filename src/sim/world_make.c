// world_make.c - makes a world: physics, rays and scene, and for each robot its body, its past and its sensors.
#include "sim/world_private.h"
#include <stdio.h>
#include <stdlib.h>

#define BUMP_HZ 125.0
#define BATTERY_HZ 1.0
#define SPARE_TICKS 4 // kept beyond the slowest sensor's need

static cairn_sensor_times times_of(bool offered, double rate_hz, int64_t lag_ns)
{
    CAIRN_ASSERT(!offered || (rate_hz > 0 && lag_ns >= 0));
    return (cairn_sensor_times){.offered = offered, .rate_mhz = llround(rate_hz * 1000), .lag_ns = lag_ns};
}

static int64_t laser_duration_ns(const cairn_laser_description *laser)
{
    return laser->offered ? llround(1e9 / laser->rate_hz * laser->field_rad / laser->spin_rad) : 0;
}

static int64_t laser_lag_ns(const cairn_laser_description *laser)
{
    return laser_duration_ns(laser) + cairn_ns_from_seconds(laser->delay_s);
}

static int64_t further_lag_ns(const cairn_body_description *robot)
{
    double lag_s = fmax(robot->range_imager.delay_s, robot->gps.delay_s);
    lag_s = fmax(lag_s, fmax(robot->magnetometer.delay_s, robot->barometer.delay_s));
    for (uint32_t i = 0; i < robot->range_sensor_count; i++) { lag_s = fmax(lag_s, robot->range_sensors[i].delay_s); }
    return cairn_ns_from_seconds(lag_s);
}

static uint32_t ticks_needed(const cairn_world_def *def)
{
    int64_t lag_ns = 0;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        const int64_t laser_ns = laser_lag_ns(&def->robots[i]->laser);
        const int64_t thermal_ns = cairn_ns_from_seconds(def->robots[i]->thermal.delay_s);
        lag_ns = laser_ns > lag_ns ? laser_ns : lag_ns;
        lag_ns = thermal_ns > lag_ns ? thermal_ns : lag_ns;
        lag_ns = further_lag_ns(def->robots[i]) > lag_ns ? further_lag_ns(def->robots[i]) : lag_ns;
    }
    return (uint32_t)((lag_ns + def->late_ns_max) / CAIRN_PHYSICS_STEP_NS) + SPARE_TICKS;
}

static void start_earth_sensors(cairn_world_robot *robot, const char *name, uint64_t seed)
{
    const cairn_magnetometer_description *magnetometer = &robot->body.description->magnetometer;
    const cairn_barometer_description *barometer = &robot->body.description->barometer;
    robot->times[CAIRN_SENSOR_MAGNETOMETER] =
        times_of(magnetometer->offered, magnetometer->rate_hz, cairn_ns_from_seconds(magnetometer->delay_s));
    robot->times[CAIRN_SENSOR_BAROMETER] =
        times_of(barometer->offered, barometer->rate_hz, cairn_ns_from_seconds(barometer->delay_s));
    char stream[128];
    snprintf(stream, sizeof stream, "%s/magnetometer", name);
    cairn_magnetometer_init(&robot->magnetometer, magnetometer, seed, stream);
    snprintf(stream, sizeof stream, "%s/barometer", name);
    cairn_barometer_init(&robot->barometer, seed, stream);
}

static void start_further_sensors(cairn_world_robot *robot, const char *name, uint64_t seed)
{
    const cairn_body_description *description = robot->body.description;
    const cairn_range_imager_description *imager = &description->range_imager;
    const cairn_gps_description *gps = &description->gps;
    robot->times[CAIRN_SENSOR_RANGE_IMAGE] =
        times_of(imager->offered, imager->rate_hz, cairn_ns_from_seconds(imager->delay_s));
    robot->times[CAIRN_SENSOR_GPS] = times_of(gps->offered, gps->rate_hz, cairn_ns_from_seconds(gps->delay_s));
    robot->depth_ns = -1;
    char stream[128];
    snprintf(stream, sizeof stream, "%s/range_image", name);
    cairn_random_init(&robot->range_image_random, seed, stream);
    snprintf(stream, sizeof stream, "%s/gps", name);
    cairn_gps_init(&robot->gps, seed, stream);
    robot->ranges.sensor_count = description->range_sensor_count;
    for (uint32_t i = 0; i < description->range_sensor_count; i++) {
        const cairn_range_sensor_description *sensor = &description->range_sensors[i];
        robot->range_times[i] = times_of(true, sensor->rate_hz, cairn_ns_from_seconds(sensor->delay_s));
        robot->ranges.readings[i].range_m = NAN;
        snprintf(stream, sizeof stream, "%s/range/%s", name, sensor->name);
        cairn_random_init(&robot->range_randoms[i], seed, stream);
    }
}

static void start_sensors(cairn_world_robot *robot, const char *name, uint64_t seed)
{
    const cairn_body_description *description = robot->body.description;
    const cairn_laser_description *laser = &description->laser;
    const cairn_thermal_description *thermal = &description->thermal;
    robot->laser_duration_ns = laser_duration_ns(laser);
    robot->times[CAIRN_SENSOR_ENCODERS] = times_of(description->encoders.offered, description->encoders.rate_hz, 0);
    robot->times[CAIRN_SENSOR_IMU] = times_of(description->imu.offered, description->imu.rate_hz, 0);
    robot->times[CAIRN_SENSOR_BUMPER] = times_of(description->bumper_offered, BUMP_HZ, 0);
    robot->times[CAIRN_SENSOR_BATTERY] = times_of(description->battery.offered, BATTERY_HZ, 0);
    robot->times[CAIRN_SENSOR_LASER] = times_of(laser->offered, laser->rate_hz, laser_lag_ns(laser));
    robot->times[CAIRN_SENSOR_THERMAL] =
        times_of(thermal->offered, thermal->rate_hz, cairn_ns_from_seconds(thermal->delay_s));

    char stream[64];
    snprintf(stream, sizeof stream, "%s/encoders", name);
    cairn_encoders_init(&robot->encoders, seed, stream);
    snprintf(stream, sizeof stream, "%s/imu", name);
    cairn_imu_init(&robot->imu, &description->imu, seed, stream);
    snprintf(stream, sizeof stream, "%s/laser", name);
    cairn_random_init(&robot->laser_random, seed, stream);
    snprintf(stream, sizeof stream, "%s/thermal", name);
    cairn_random_init(&robot->thermal_random, seed, stream);
}

static void start_failures(cairn_world_robot *robot, const char *name, uint64_t seed)
{
    for (int i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        char stream[128];
        snprintf(stream, sizeof stream, "%s/%s/failure", name, cairn_sensor_names[i]);
        cairn_failing_init(&robot->failing[i], seed, stream);
    }
}

static cairn_err make_robot(cairn_world *world, uint32_t at, const cairn_world_def *def)
{
    cairn_world_robot *robot = &world->robots[at];
    const cairn_err err = def->memories
                              ? cairn_body_attach(def->robots[at], def->memories[at], &world->memory, &robot->body)
                              : cairn_body_create(def->robots[at], &world->memory, &robot->body);
    if (err != CAIRN_OK) { return err; }
    robot->past = CAIRN_TAKE(&world->memory, cairn_robot_truth, world->past_ticks);
    robot->scan = CAIRN_TAKE(&world->memory, cairn_scan_frame, 1);
    robot->thermal = CAIRN_TAKE(&world->memory, cairn_thermal_frame, 1);
    robot->celsius = CAIRN_TAKE(&world->memory, float, CAIRN_THERMAL_PIXELS_MAX);
    robot->range_image = CAIRN_TAKE(&world->memory, cairn_range_image_frame, 1);
    robot->depth_m = CAIRN_TAKE(&world->memory, float, CAIRN_RANGE_PIXELS_MAX);
    if (!robot->past || !robot->scan || !robot->thermal || !robot->celsius) { return CAIRN_ERR_FULL; }
    if (!robot->range_image || !robot->depth_m) { return CAIRN_ERR_FULL; }
    if (def->robots[at]->thermal.pan_tilt.offered) {
        robot->gaze = CAIRN_TAKE(&world->memory, cairn_vec2, world->past_ticks);
        if (!robot->gaze) { return CAIRN_ERR_FULL; }
    }
    robot->wanted = CAIRN_WORLD_WANTED_AT_START;
    start_sensors(robot, def->robot_names[at], def->seed);
    start_further_sensors(robot, def->robot_names[at], def->seed);
    start_earth_sensors(robot, def->robot_names[at], def->seed);
    start_failures(robot, def->robot_names[at], def->seed);
    return CAIRN_OK;
}

static cairn_err make_robots(cairn_world *world, const cairn_world_def *def)
{
    const size_t frames_bytes = 3 * cairn_cell_bytes(sizeof(cairn_scan_frame)) + sizeof(cairn_scan_frame) +
                                cairn_cell_bytes(sizeof(cairn_thermal_frame)) + sizeof(cairn_thermal_frame) +
                                2 * cairn_cell_bytes(sizeof(cairn_range_image_frame)) +
                                sizeof(cairn_range_image_frame) + 65536; // the other cells are small
    world->past_ticks = ticks_needed(def);
    const size_t robot_bytes = sizeof(cairn_world_robot) + frames_bytes +
                               (CAIRN_THERMAL_PIXELS_MAX + CAIRN_RANGE_PIXELS_MAX) * sizeof(float) +
                               world->past_ticks * (sizeof(cairn_robot_truth) + sizeof(cairn_vec2));
    const size_t mover_bytes = def->arena->mover_count * sizeof(cairn_pose3);
    cairn_err err = cairn_arena_create(&world->memory, def->robot_count * robot_bytes + mover_bytes + 4096);
    if (err != CAIRN_OK) { return err; }
    world->robots = CAIRN_TAKE(&world->memory, cairn_world_robot, def->robot_count);
    world->mover_poses = CAIRN_TAKE(&world->memory, cairn_pose3, def->arena->mover_count + 1);
    if (!world->robots || !world->mover_poses) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->robot_count && err == CAIRN_OK; i++) { err = make_robot(world, i, def); }
    cairn_arena_seal(&world->memory);
    return err;
}

static cairn_err make_physics(cairn_world *world, const cairn_world_def *def, cairn_complaints *complaints)
{
    const cairn_physics_def physics = {.arena = def->arena,
                                       .robot_count = def->robot_count,
                                       .robots = def->robots,
                                       .starts = def->starts,
                                       .seed = def->seed};
    const cairn_rays_def rays = {.arena = def->arena, .robot_count = def->robot_count, .robots = def->robots};
    world->physics_kind = cairn_physics_find(def->physics);
    if (!world->physics_kind) {
        cairn_complain(complaints, NULL, 0, "no physics is named \"%s\" in this build; take \"planar\"", def->physics);
        return CAIRN_ERR_UNSUPPORTED;
    }
    world->rays_kind = &cairn_rays_planar;
#ifdef CAIRN_HAS_EMBREE
    if (world->physics_kind != &cairn_physics_planar) { world->rays_kind = &cairn_rays_embree; }
#endif
    const cairn_err err = world->physics_kind->create(&physics, complaints, &world->physics);
    return err == CAIRN_OK ? world->rays_kind->create(&rays, complaints, &world->rays) : err;
}

static cairn_err make_scene(cairn_world *world, const cairn_world_def *def)
{
    const cairn_scene_def scene = {.arena = def->arena,
                                   .physics_kind = world->physics_kind,
                                   .physics = world->physics,
                                   .robot_count = def->robot_count,
                                   .robots = def->robots,
                                   .seed = def->seed};
    return cairn_scene_create(&scene, &world->scene);
}

cairn_err cairn_world_create(const cairn_world_def *def, cairn_complaints *complaints, cairn_world **ret_world)
{
    CAIRN_ASSERT(def->arena && def->physics && def->robot_count > 0 && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    CAIRN_ASSERT(def->late_ns_max >= 0 && def->late_ns_max <= cairn_ns_from_seconds(CAIRN_FAILURE_LATE_S_MAX));
    cairn_world *world = calloc(1, sizeof *world);
    if (!world) { return CAIRN_ERR_FULL; }
    world->place = def->arena;
    world->robot_count = def->robot_count;
    world->owns_cells = !def->memories;
    world->late_ns_max = def->late_ns_max;
    cairn_err err = make_physics(world, def, complaints);
    if (err == CAIRN_OK) { err = make_scene(world, def); }
    if (err == CAIRN_OK) { err = make_robots(world, def); }
    if (err != CAIRN_OK) {
        cairn_world_destroy(world);
        return err;
    }
    cairn_world_remember(world);
    *ret_world = world;
    return CAIRN_OK;
}

void cairn_world_destroy(cairn_world *world)
{
    if (!world) { return; }
    cairn_scene_destroy(world->scene);
    if (world->rays) { world->rays_kind->destroy(world->rays); }
    if (world->physics) { world->physics_kind->destroy(world->physics); }
    cairn_arena_destroy(&world->memory);
    free(world);
}
