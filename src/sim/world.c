// world.c - steps the physics, keeps the last moments of every robot, and measures when each sensor is due.
//
// A sensor's k-th measurement is taken at k / rate, rounded down to a nanosecond, and arrives with the first tick at
// which it is complete. By then the robot has moved on: its past is kept in a ring, one entry a tick, long enough for
// the slowest sensor.
#include "sim/world_private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUMP_HZ 125.0
#define BATTERY_HZ 1.0
#define SPARE_TICKS 4 // kept beyond the slowest sensor's need
// The base's own brake: up to half the motors' torque against the wheels' turning; once they are slow it holds them
// where they are, with this much give.
#define BRAKE_PART 0.5
#define BRAKE_GIVE_RAD 0.3
#define BRAKE_HOLD_RADPS 1.0
#define AHEAD_NS_MAX CAIRN_S(1)

// ---- times

static cairn_sensor_times times_of(bool offered, double rate_hz, int64_t lag_ns)
{
    CAIRN_ASSERT(!offered || (rate_hz > 0 && lag_ns >= 0));
    return (cairn_sensor_times){.offered = offered, .rate_mhz = llround(rate_hz * 1000), .lag_ns = lag_ns};
}

int64_t cairn_sensor_taken_ns(const cairn_sensor_times *times, int64_t index)
{
    const int64_t thousands = index * 1000;
    return CAIRN_S(thousands / times->rate_mhz) + CAIRN_S(thousands % times->rate_mhz) / times->rate_mhz;
}

static int64_t next_taken_ns(const cairn_sensor_times *times) { return cairn_sensor_taken_ns(times, times->index); }

static bool is_due(const cairn_sensor_times *times, cairn_mono now)
{
    return times->offered && next_taken_ns(times) + times->lag_ns <= now.ns;
}

static double elapsed_s(const cairn_sensor_times *times)
{
    return times->index > 0 ? cairn_seconds(next_taken_ns(times) - cairn_sensor_taken_ns(times, times->index - 1)) : 0;
}

// ---- the past

static const cairn_robot_truth *past_at(const cairn_world *world, const cairn_world_robot *robot, int64_t tick)
{
    CAIRN_ASSERT(tick >= 0 && tick <= world->tick && tick > world->tick - world->past_ticks);
    return &robot->past[tick % world->past_ticks];
}

static cairn_pose3 pose_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns)
{
    const int64_t tick = ns / CAIRN_PHYSICS_STEP_NS, rest_ns = ns % CAIRN_PHYSICS_STEP_NS;
    const cairn_pose3 before = past_at(world, robot, tick)->map_T_base;
    if (rest_ns == 0) { return before; }
    const double part = (double)rest_ns / (double)CAIRN_PHYSICS_STEP_NS;
    return cairn_pose3_blend(before, past_at(world, robot, tick + 1)->map_T_base, part);
}

static double blend(double from, double to, double part) { return from + part * (to - from); }

static cairn_vec3 blend_vec3(cairn_vec3 from, cairn_vec3 to, double part)
{
    return (cairn_vec3){blend(from.x, to.x, part), blend(from.y, to.y, part), blend(from.z, to.z, part)};
}

// What wheels and inertial unit go by; poses are left at the tick before.
static cairn_robot_truth truth_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns)
{
    const int64_t tick = ns / CAIRN_PHYSICS_STEP_NS, rest_ns = ns % CAIRN_PHYSICS_STEP_NS;
    cairn_robot_truth truth = *past_at(world, robot, tick);
    if (rest_ns == 0) { return truth; }
    const cairn_robot_truth *after = past_at(world, robot, tick + 1);
    const double part = (double)rest_ns / (double)CAIRN_PHYSICS_STEP_NS;
    truth.turn_radps = blend_vec3(truth.turn_radps, after->turn_radps, part);
    truth.accel_mps2 = blend_vec3(truth.accel_mps2, after->accel_mps2, part);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        truth.wheel_rad[i] = blend(truth.wheel_rad[i], after->wheel_rad[i], part);
    }
    return truth;
}

static void remember(cairn_world *world)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        cairn_world_truth(world, i, &world->robots[i].past[world->tick % world->past_ticks]);
    }
}

// ---- motors, and the base's own watchdog

static bool can_be_driven(const cairn_motor_target *target)
{
    bool finite = target->issued.ns >= 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { finite = finite && isfinite(target->torque_nm[i]); }
    return finite && !isinf(target->flipper_rad) && target->command == CAIRN_DRIVE_TORQUE;
}

// A spring and a damper that does not let it swing, the mass on the wheel included; the damper alone never turns
// back a wheel without load within a step.
static double brake_nm(const cairn_body_description *robot, double *held_rad, double wheel_rad, double wheel_radps)
{
    const cairn_wheels_description *wheels = &robot->wheels;
    const double limit_nm = BRAKE_PART * wheels->torque_nm_max, stiffness = limit_nm / BRAKE_GIVE_RAD;
    const double load_kgm2 = robot->mass_kg * wheels->radius_m * wheels->radius_m / CAIRN_WHEELS_MAX;
    const double damping = fmin(2 * sqrt(stiffness * (wheels->rotor_inertia_kgm2 + load_kgm2)),
                                wheels->rotor_inertia_kgm2 / cairn_seconds(CAIRN_PHYSICS_STEP_NS));
    if (fabs(wheel_radps) > BRAKE_HOLD_RADPS) { *held_rad = wheel_rad; }
    *held_rad = fmin(fmax(*held_rad, wheel_rad - BRAKE_GIVE_RAD), wheel_rad + BRAKE_GIVE_RAD);
    return fmin(fmax(stiffness * (*held_rad - wheel_rad) - damping * wheel_radps, -limit_nm), limit_nm);
}

// Whoever issues targets may be a little ahead of the world where both are processes of their own, but not by much:
// a target from far in the future would never grow old.
static bool is_fresh(const cairn_motor_target *target, int64_t watchdog_ns, cairn_mono now)
{
    const int64_t age_ns = cairn_mono_since(now, target->issued);
    return age_ns <= watchdog_ns && age_ns >= -AHEAD_NS_MAX;
}

static cairn_motor_target target_of(const cairn_world *world, cairn_world_robot *robot, cairn_mono now)
{
    const cairn_body_description *description = robot->body.description;
    const cairn_robot_truth *truth = past_at(world, robot, world->tick);
    const cairn_motor_target *latest = cairn_cell_latest(robot->body.motors, NULL);
    robot->driven = !robot->dead && latest && can_be_driven(latest) && is_fresh(latest, description->watchdog_ns, now);
    if (robot->driven) {
        memcpy(robot->brake_rad, truth->wheel_rad, sizeof robot->brake_rad);
        return *latest;
    }
    cairn_motor_target braking = {.issued = now, .command = CAIRN_DRIVE_TORQUE, .flipper_rad = NAN};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        braking.torque_nm[i] = brake_nm(description, &robot->brake_rad[i], truth->wheel_rad[i], truth->wheel_radps[i]);
    }
    return braking;
}

static void drain_battery(const cairn_world *world, cairn_world_robot *robot)
{
    if (robot->dead) { return; }
    const cairn_body_description *description = robot->body.description;
    const cairn_robot_truth *truth = past_at(world, robot, world->tick);
    double power_w = 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double torque_nm = fmin(fabs(robot->torque_nm[i]), description->wheels.torque_nm_max);
        power_w += fmax(copysign(torque_nm, robot->torque_nm[i]) * truth->wheel_radps[i], 0);
    }
    cairn_battery_drain(&robot->battery, &description->battery, power_w, cairn_seconds(CAIRN_PHYSICS_STEP_NS));
}

static double turned_towards(double from_rad, double to_rad, double limit_rad, double step_rad)
{
    const double wanted_rad = fmin(fmax(to_rad, -limit_rad), limit_rad);
    return from_rad + fmin(fmax(wanted_rad - from_rad, -step_rad), step_rad);
}

// The camera's head, from where it was a tick before.
static void turn_head(const cairn_world *world, cairn_world_robot *robot)
{
    if (!robot->gaze) { return; }
    const cairn_pan_tilt_description *head = &robot->body.description->thermal.pan_tilt;
    const cairn_pan_tilt_target *target = robot->body.pan_tilt ? cairn_cell_latest(robot->body.pan_tilt, NULL) : NULL;
    const cairn_vec2 before = robot->gaze[(world->tick - 1) % world->past_ticks];
    const double step_rad = head->speed_radps * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    cairn_vec2 *after = &robot->gaze[world->tick % world->past_ticks];
    *after = before;
    if (robot->dead || !target || !isfinite(target->pan_rad) || !isfinite(target->tilt_rad)) { return; }
    after->x = turned_towards(before.x, target->pan_rad, head->pan_rad_max, step_rad);
    after->y = turned_towards(before.y, target->tilt_rad, head->tilt_rad_max, step_rad);
}

// What moves by itself, and whom it destroys.
static void play_scene(cairn_world *world)
{
    if (world->place->mover_count == 0) { return; }
    uint64_t dead = 0;
    for (uint32_t i = 0; i < world->robot_count; i++) { dead |= (uint64_t)world->robots[i].dead << i; }
    const uint64_t destroyed = cairn_scene_step(world->scene, dead);
    for (uint32_t i = 0; i < world->robot_count; i++) {
        if (destroyed >> i & 1) { cairn_world_kill(world, i); }
    }
}

static void move(cairn_world *world, cairn_mono now)
{
    play_scene(world);
    cairn_motor_target targets[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < world->robot_count; i++) {
        targets[i] = target_of(world, &world->robots[i], now);
        memcpy(world->robots[i].torque_nm, targets[i].torque_nm, sizeof targets[i].torque_nm);
    }
    world->physics_kind->step(world->physics, targets);
    world->tick++;
    remember(world);
    for (uint32_t i = 0; i < world->robot_count; i++) {
        drain_battery(world, &world->robots[i]);
        turn_head(world, &world->robots[i]);
    }
}

// ---- sensors

static bool is_computed(const cairn_world_robot *robot, cairn_sensor sensor)
{
    return !robot->dead && (robot->wanted & ~robot->failed) >> sensor & 1;
}

static uint32_t number_of(const cairn_world *world, const cairn_world_robot *robot)
{
    return (uint32_t)(robot - world->robots);
}

static void sense_encoders(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_ENCODERS])};
    const cairn_robot_truth truth = truth_at(world, robot, taken.ns);
    cairn_encoder_frame frame = {.taken = taken};
    cairn_encoders_measure(&robot->encoders, robot->body.description, truth.wheel_rad, &frame);
    cairn_cell_write(robot->body.encoders_reflex, &frame, sizeof frame);
}

static void sense_imu(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_IMU])};
    const double elapsed = elapsed_s(&robot->times[CAIRN_SENSOR_IMU]);
    const cairn_robot_truth truth = truth_at(world, robot, taken.ns);
    cairn_imu_truth felt = {.turn_radps = truth.turn_radps, .accel_mps2 = truth.accel_mps2};
    if (elapsed > 0) {
        felt.turn_accel_radps2 = cairn_vec3_scale(cairn_vec3_sub(truth.turn_radps, robot->imu_turn_radps), 1 / elapsed);
    }
    robot->imu_turn_radps = truth.turn_radps;
    cairn_imu_frame frame = {.taken = taken};
    cairn_imu_measure(&robot->imu, &robot->body.description->imu, &felt, elapsed, &frame);
    robot->imu_frame = frame;
    cairn_cell_write(robot->body.imu_reflex, &frame, sizeof frame);
}

static void sense_bump(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_BUMPER])};
    const cairn_robot_truth *truth = past_at(world, robot, taken.ns / CAIRN_PHYSICS_STEP_NS);
    const cairn_bump_frame frame = {.taken = taken,
                                    .front = truth->bump_front,
                                    .rear = truth->bump_rear,
                                    .left = truth->bump_left,
                                    .right = truth->bump_right};
    cairn_cell_write(robot->body.bump_reflex, &frame, sizeof frame);
}

static void sense_battery(cairn_world *world, cairn_world_robot *robot)
{
    (void)world;
    cairn_battery_frame frame = {.taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_BATTERY])}};
    cairn_battery_measure(&robot->battery, &robot->body.description->battery, &frame);
    cairn_cell_write(robot->body.battery_mind, &frame, sizeof frame);
}

// Planar rays are level whatever the laser does: with them it does not nod.
static double nod_rad_at(const cairn_world *world, const cairn_nod_description *nod, int64_t ns)
{
    if (!nod->offered || world->rays_kind == &cairn_rays_planar) { return 0; }
    const double phase = fmod(cairn_seconds(ns), nod->period_s) / nod->period_s;
    return 0.5 * (nod->from_rad + nod->to_rad) + 0.5 * (nod->to_rad - nod->from_rad) * sin(2 * CAIRN_PI * phase);
}

static cairn_pose3 laser_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns, double nod_rad)
{
    cairn_pose3 base_T_laser = robot->body.description->laser.base_T_laser;
    if (nod_rad != 0) {
        const cairn_quat nod = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, nod_rad);
        base_T_laser.turn = cairn_quat_multiply(base_T_laser.turn, nod);
    }
    return cairn_pose3_compose(pose_at(world, robot, ns), base_T_laser);
}

static void sense_laser(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_laser_description *laser = &robot->body.description->laser;
    const int64_t first_ns = next_taken_ns(&robot->times[CAIRN_SENSOR_LASER]),
                  last_ns = first_ns + robot->laser_duration_ns;
    const uint32_t gaps = laser->beam_count > 1 ? laser->beam_count - 1 : 1;
    const double nod_rad_first = nod_rad_at(world, &laser->nod, first_ns);
    const double nod_rad_last = nod_rad_at(world, &laser->nod, last_ns);
    const cairn_sweep sweep = {
        .robot = number_of(world, robot),
        .beam_count = laser->beam_count,
        .angle_rad_first = -0.5 * laser->field_rad,
        .angle_rad_step = laser->field_rad / gaps,
        .range_m_max = laser->range_m_max,
        .map_T_laser_first = laser_at(world, robot, first_ns, nod_rad_first),
        .map_T_laser_last = laser_at(world, robot, last_ns, nod_rad_last),
    };
    cairn_scan_frame *frame = robot->scan;
    frame->taken = (cairn_mono){first_ns};
    frame->beam_count = laser->beam_count;
    frame->angle_rad_first = (float)sweep.angle_rad_first;
    frame->angle_rad_step = (float)sweep.angle_rad_step;
    frame->beam_ns_step = (float)((double)robot->laser_duration_ns / gaps);
    frame->range_m_min = (float)laser->range_m_min;
    frame->range_m_max = (float)laser->range_m_max;
    frame->nod_rad_first = (float)nod_rad_first;
    frame->nod_rad_last = (float)nod_rad_last;
    world->rays_kind->sweep(world->rays, &sweep, frame->range_m);
    robot->ray_count += laser->beam_count;
    cairn_sensor_scan(laser, &robot->laser_random, laser->beam_count, frame->range_m);
    cairn_cell_write(robot->body.scan_behaviour, frame, sizeof *frame);
    cairn_cell_write(robot->body.scan_deliberate, frame, sizeof *frame);
}

static cairn_vec2 gaze_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns)
{
    return robot->gaze ? robot->gaze[ns / CAIRN_PHYSICS_STEP_NS % world->past_ticks] : (cairn_vec2){0, 0};
}

static cairn_thermal_view thermal_view_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns)
{
    const cairn_thermal_description *thermal = &robot->body.description->thermal;
    cairn_pose3 base_T_camera = thermal->base_T_camera;
    if (robot->gaze) {
        const cairn_vec2 gaze = gaze_at(world, robot, ns);
        const cairn_quat head = cairn_quat_from_rpy((cairn_rpy){0, gaze.y, gaze.x});
        base_T_camera.turn = cairn_quat_multiply(base_T_camera.turn, head);
    }
    return (cairn_thermal_view){.robot = number_of(world, robot),
                                .width_px = thermal->width_px,
                                .height_px = thermal->height_px,
                                .field_rad = thermal->field_rad,
                                .map_T_camera = cairn_pose3_compose(pose_at(world, robot, ns), base_T_camera)};
}

// Whether the range imager looks through the same pixels at the same moments: then one cast serves both.
static bool shares_view(const cairn_world_robot *robot)
{
    const cairn_thermal_description *thermal = &robot->body.description->thermal;
    const cairn_range_imager_description *imager = &robot->body.description->range_imager;
    return imager->offered && is_computed(robot, CAIRN_SENSOR_RANGE_IMAGE) && !thermal->pan_tilt.offered &&
           imager->width_px == thermal->width_px && imager->height_px == thermal->height_px &&
           imager->field_rad == thermal->field_rad && imager->rate_hz == thermal->rate_hz &&
           imager->delay_s == thermal->delay_s && cairn_pose3_is_same(imager->base_T_camera, thermal->base_T_camera);
}

static void sense_thermal(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_thermal_description *thermal = &robot->body.description->thermal;
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_THERMAL])};
    const cairn_thermal_view view = thermal_view_at(world, robot, taken.ns);
    const uint32_t pixel_count = thermal->width_px * thermal->height_px;
    if (shares_view(robot)) {
        const double depth_m_max = robot->body.description->range_imager.range_m_max;
        world->rays_kind->picture(world->rays, &view, depth_m_max, robot->depth_m, robot->celsius);
        robot->depth_ns = taken.ns;
    } else {
        world->rays_kind->thermal(world->rays, &view, robot->celsius);
    }
    robot->ray_count += pixel_count;
    const cairn_vec2 gaze = gaze_at(world, robot, taken.ns);
    robot->thermal->taken = taken;
    robot->thermal->width_px = thermal->width_px;
    robot->thermal->height_px = thermal->height_px;
    robot->thermal->pan_rad = (float)gaze.x;
    robot->thermal->tilt_rad = (float)gaze.y;
    cairn_sensor_thermal(thermal, &robot->thermal_random, robot->celsius, pixel_count, robot->thermal->centikelvin);
    cairn_cell_write(robot->body.thermal_mind, robot->thermal, sizeof *robot->thermal);
}

static void sense_range_image(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_range_imager_description *imager = &robot->body.description->range_imager;
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_RANGE_IMAGE])};
    const uint32_t pixel_count = imager->width_px * imager->height_px;
    if (robot->depth_ns != taken.ns) {
        const cairn_thermal_view view = {
            .robot = number_of(world, robot),
            .width_px = imager->width_px,
            .height_px = imager->height_px,
            .field_rad = imager->field_rad,
            .map_T_camera = cairn_pose3_compose(pose_at(world, robot, taken.ns), imager->base_T_camera),
        };
        world->rays_kind->picture(world->rays, &view, imager->range_m_max, robot->depth_m, NULL);
        robot->ray_count += pixel_count;
    }
    robot->depth_ns = -1;
    robot->range_image->taken = taken;
    robot->range_image->width_px = imager->width_px;
    robot->range_image->height_px = imager->height_px;
    cairn_sensor_range_image(imager, &robot->range_image_random, robot->depth_m, pixel_count,
                             robot->range_image->millimetres);
    cairn_cell_write(robot->body.range_image_mind, robot->range_image, sizeof *robot->range_image);
}

static void sense_range(cairn_world *world, cairn_world_robot *robot, uint32_t at)
{
    const cairn_range_sensor_description *sensor = &robot->body.description->range_sensors[at];
    const int64_t taken_at_ns = next_taken_ns(&robot->range_times[at]);
    cairn_vec3 directions[CAIRN_RANGE_RAYS_MAX];
    cairn_ray_hit hits[CAIRN_RANGE_RAYS_MAX];
    const cairn_cast cast = {
        .robot = number_of(world, robot),
        .map_T_sensor = cairn_pose3_compose(pose_at(world, robot, taken_at_ns), sensor->base_T_sensor),
        .ray_count = cairn_range_rays(sensor, directions),
        .directions = directions,
        .range_m_max = sensor->range_m_max,
    };
    world->rays_kind->cast(world->rays, &cast, hits);
    robot->ray_count += cast.ray_count;
    robot->ranges.readings[at] = (cairn_range_reading){
        .taken = {taken_at_ns},
        .range_m = cairn_range_measure(sensor, &robot->range_randoms[at], hits, cast.ray_count),
    };
}

// Each range sensor has a rate of its own; together they are one frame.
static void sense_ranges(cairn_world *world, cairn_world_robot *robot, cairn_mono now)
{
    bool any = false;
    for (uint32_t i = 0; i < robot->body.description->range_sensor_count; i++) {
        for (; is_due(&robot->range_times[i], now); robot->range_times[i].index++) {
            if (!is_computed(robot, CAIRN_SENSOR_RANGES)) { continue; }
            sense_range(world, robot, i);
            any = true;
        }
    }
    if (!any) { return; }
    robot->times[CAIRN_SENSOR_RANGES].measured = true;
    cairn_cell_write(robot->body.ranges_mind, &robot->ranges, sizeof robot->ranges);
}

static void sense_gps(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_gps_description *gps = &robot->body.description->gps;
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_GPS])};
    const cairn_vec3 antenna_m = cairn_pose3_compose(pose_at(world, robot, taken.ns), gps->base_T_antenna).at_m;
    const uint32_t satellite_count =
        cairn_gps_satellites(world->rays_kind, world->rays, world->place, number_of(world, robot), antenna_m);
    robot->ray_count += world->place->outdoors ? CAIRN_GPS_RAYS : 0;
    robot->gps_frame.taken = taken;
    cairn_gps_measure(&robot->gps, gps, antenna_m, satellite_count, elapsed_s(&robot->times[CAIRN_SENSOR_GPS]),
                      &robot->gps_frame);
    cairn_cell_write(robot->body.gps_mind, &robot->gps_frame, sizeof robot->gps_frame);
}

static void (*const sense_fns[CAIRN_SENSOR_COUNT])(cairn_world *, cairn_world_robot *) = {
    [CAIRN_SENSOR_ENCODERS] = sense_encoders,
    [CAIRN_SENSOR_IMU] = sense_imu,
    [CAIRN_SENSOR_BUMPER] = sense_bump,
    [CAIRN_SENSOR_BATTERY] = sense_battery,
    [CAIRN_SENSOR_LASER] = sense_laser,
    [CAIRN_SENSOR_THERMAL] = sense_thermal,
    [CAIRN_SENSOR_RANGE_IMAGE] = sense_range_image,
    [CAIRN_SENSOR_GPS] = sense_gps,
};

void cairn_world_sense(cairn_world *world, uint32_t robot, cairn_mono now)
{
    CAIRN_ASSERT(robot < world->robot_count && now.ns == world->tick * CAIRN_PHYSICS_STEP_NS);
    cairn_world_robot *sensed = &world->robots[robot];
    for (uint32_t i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        for (; is_due(&sensed->times[i], now); sensed->times[i].index++) {
            if (!is_computed(sensed, (cairn_sensor)i)) { continue; }
            sense_fns[i](world, sensed);
            sensed->times[i].measured = true;
        }
    }
    sense_ranges(world, sensed, now);
}

void cairn_world_want(cairn_world *world, uint32_t robot, uint32_t sensors)
{
    CAIRN_ASSERT(robot < world->robot_count);
    world->robots[robot].wanted = sensors;
}

uint64_t cairn_world_ray_count(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].ray_count;
}

// ---- what goes wrong

void cairn_world_fail(cairn_world *world, uint32_t robot, cairn_sensor sensor, bool failed)
{
    CAIRN_ASSERT(robot < world->robot_count && sensor < CAIRN_SENSOR_COUNT);
    const uint32_t bit = 1u << sensor;
    cairn_world_robot *of = &world->robots[robot];
    of->failed = failed ? of->failed | bit : of->failed & ~bit;
}

void cairn_world_kill(cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    world->robots[robot].dead = true;
}

bool cairn_world_is_dead(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].dead;
}

void cairn_world_set_door(cairn_world *world, uint32_t door, bool open)
{
    cairn_scene_set_door(world->scene, door, open);
}

void cairn_world_shake(cairn_world *world, double strength_mps) { cairn_scene_shake(world->scene, strength_mps); }

cairn_pose3 cairn_world_mover(const cairn_world *world, uint32_t mover)
{
    return world->physics_kind->mover(world->physics, mover);
}

// ---- steps

// When the next measurement of one kind was taken that is due now and computed, of any robot.
static bool look_of(const cairn_world *world, cairn_sensor sensor, cairn_mono now, int64_t *ret_ns)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        const cairn_world_robot *robot = &world->robots[i];
        if (!is_computed(robot, sensor) || !is_due(&robot->times[sensor], now)) { continue; }
        const int64_t half_ns = sensor == CAIRN_SENSOR_LASER ? robot->laser_duration_ns / 2 : 0;
        *ret_ns = next_taken_ns(&robot->times[sensor]) + half_ns;
        return true;
    }
    return false;
}

static bool range_look(const cairn_world *world, cairn_mono now, int64_t *ret_ns)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        const cairn_world_robot *robot = &world->robots[i];
        for (uint32_t k = 0; k < robot->body.description->range_sensor_count; k++) {
            if (!is_computed(robot, CAIRN_SENSOR_RANGES) || !is_due(&robot->range_times[k], now)) { continue; }
            *ret_ns = next_taken_ns(&robot->range_times[k]);
            return true;
        }
    }
    return false;
}

// When the next measurement with rays was taken that is due now; false if there is none. Lasers first: to them a
// robot is a few beams that move, to a camera only something that hides warmth. Whoever wants another sensor changes
// nothing for lasers and thermal cameras.
static bool look_moment(const cairn_world *world, cairn_mono now, int64_t *ret_ns)
{
    return look_of(world, CAIRN_SENSOR_LASER, now, ret_ns) || look_of(world, CAIRN_SENSOR_THERMAL, now, ret_ns) ||
           look_of(world, CAIRN_SENSOR_RANGE_IMAGE, now, ret_ns) || range_look(world, now, ret_ns) ||
           look_of(world, CAIRN_SENSOR_GPS, now, ret_ns);
}

// Others are seen where they were at the nearest tick; movers, which are slow, where they are now.
static void show_robots(cairn_world *world, cairn_mono now)
{
    int64_t moment_ns;
    if (!look_moment(world, now, &moment_ns)) { return; }
    const int64_t tick = (moment_ns + CAIRN_PHYSICS_STEP_NS / 2) / CAIRN_PHYSICS_STEP_NS;
    cairn_pose3 poses[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < world->robot_count; i++) {
        poses[i] = past_at(world, &world->robots[i], tick < world->tick ? tick : world->tick)->map_T_base;
    }
    world->rays_kind->set_robots(world->rays, poses);
    if (world->place->mover_count == 0) { return; }
    for (uint32_t i = 0; i < world->place->mover_count; i++) { world->mover_poses[i] = cairn_world_mover(world, i); }
    world->rays_kind->set_movers(world->rays, world->mover_poses);
}

void cairn_world_step(cairn_world *world, cairn_mono now)
{
    if (now.ns > 0) { move(world, now); }
    CAIRN_ASSERT(now.ns == world->tick * CAIRN_PHYSICS_STEP_NS);
    show_robots(world, now);
}

cairn_body *cairn_world_body(cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return &world->robots[robot].body;
}

void cairn_world_truth(const cairn_world *world, uint32_t robot, cairn_robot_truth *ret_truth)
{
    world->physics_kind->truth(world->physics, robot, ret_truth);
}

bool cairn_world_is_driven(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].driven;
}

cairn_collisions cairn_world_collisions(const cairn_world *world, uint32_t robot)
{
    return world->physics_kind->collisions(world->physics, robot);
}

cairn_world_frames cairn_world_last_frames(const cairn_world *world, uint32_t robot)
{
    const cairn_world_robot *seen = &world->robots[robot];
    return (cairn_world_frames){
        .scan = seen->times[CAIRN_SENSOR_LASER].measured ? seen->scan : NULL,
        .thermal = seen->times[CAIRN_SENSOR_THERMAL].measured ? seen->thermal : NULL,
        .imu = seen->times[CAIRN_SENSOR_IMU].measured ? &seen->imu_frame : NULL,
        .range_image = seen->times[CAIRN_SENSOR_RANGE_IMAGE].measured ? seen->range_image : NULL,
        .ranges = seen->times[CAIRN_SENSOR_RANGES].measured ? &seen->ranges : NULL,
        .gps = seen->times[CAIRN_SENSOR_GPS].measured ? &seen->gps_frame : NULL,
    };
}

// ---- making one

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
    return (uint32_t)(lag_ns / CAIRN_PHYSICS_STEP_NS) + SPARE_TICKS;
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
    return CAIRN_OK;
}

static cairn_err make_robots(cairn_world *world, const cairn_world_def *def)
{
    const size_t frames_bytes = 2 * cairn_cell_bytes(sizeof(cairn_scan_frame)) + sizeof(cairn_scan_frame) +
                                cairn_cell_bytes(sizeof(cairn_thermal_frame)) + sizeof(cairn_thermal_frame) +
                                cairn_cell_bytes(sizeof(cairn_range_image_frame)) + sizeof(cairn_range_image_frame) +
                                65536; // the other cells are small
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
    cairn_world *world = calloc(1, sizeof *world);
    if (!world) { return CAIRN_ERR_FULL; }
    world->place = def->arena;
    world->robot_count = def->robot_count;
    world->owns_cells = !def->memories;
    cairn_err err = make_physics(world, def, complaints);
    if (err == CAIRN_OK) { err = make_scene(world, def); }
    if (err == CAIRN_OK) { err = make_robots(world, def); }
    if (err != CAIRN_OK) {
        cairn_world_destroy(world);
        return err;
    }
    remember(world);
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
