// world_senses.c - measures when each sensor is due, from where its robot was then.
//
// A sensor's k-th measurement is taken at k / rate, rounded down to a nanosecond, and arrives with the first tick at
// which it is complete. By then the robot has moved on: what it was like is looked up in its past. A sensor that fails
// spoils its frame before it is delivered (senses/failure.h).
#include "sim/world_private.h"

#define BUTTON_NS CAIRN_MS(8)

// ---- times

int64_t cairn_sensor_taken_ns(const cairn_sensor_times *times, int64_t index)
{
    const int64_t thousands = index * 1000;
    return CAIRN_S(thousands / times->rate_mhz) + CAIRN_S(thousands % times->rate_mhz) / times->rate_mhz;
}

static int64_t next_taken_ns(const cairn_sensor_times *times) { return cairn_sensor_taken_ns(times, times->index); }

static bool is_due(const cairn_sensor_times *times, int64_t late_ns, cairn_mono now)
{
    return times->offered && next_taken_ns(times) + times->lag_ns + late_ns <= now.ns;
}

static double elapsed_s(const cairn_sensor_times *times)
{
    return times->index > 0 ? cairn_seconds(next_taken_ns(times) - cairn_sensor_taken_ns(times, times->index - 1)) : 0;
}

// ---- the past

static cairn_pose3 pose_at(const cairn_world *world, const cairn_world_robot *robot, int64_t ns)
{
    const int64_t tick = ns / CAIRN_PHYSICS_STEP_NS, rest_ns = ns % CAIRN_PHYSICS_STEP_NS;
    const cairn_pose3 before = cairn_world_past(world, robot, tick)->map_T_base;
    if (rest_ns == 0) { return before; }
    const double part = (double)rest_ns / (double)CAIRN_PHYSICS_STEP_NS;
    return cairn_pose3_blend(before, cairn_world_past(world, robot, tick + 1)->map_T_base, part);
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
    cairn_robot_truth truth = *cairn_world_past(world, robot, tick);
    if (rest_ns == 0) { return truth; }
    const cairn_robot_truth *after = cairn_world_past(world, robot, tick + 1);
    const double part = (double)rest_ns / (double)CAIRN_PHYSICS_STEP_NS;
    truth.turn_radps = blend_vec3(truth.turn_radps, after->turn_radps, part);
    truth.accel_mps2 = blend_vec3(truth.accel_mps2, after->accel_mps2, part);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        truth.wheel_rad[i] = blend(truth.wheel_rad[i], after->wheel_rad[i], part);
    }
    return truth;
}

// ---- sensors

#define FRAME(frame, first, second) ((cairn_world_frame){&(frame), sizeof(frame), {first, second, NULL}})

static bool is_computed(const cairn_world_robot *robot, cairn_sensor sensor)
{
    return !robot->dead && (robot->wanted >> sensor & 1) != 0 &&
           !cairn_failing_is(&robot->failing[sensor], CAIRN_FAILURE_SILENT);
}

static bool is_sensor_due(const cairn_world_robot *robot, cairn_sensor sensor, cairn_mono now)
{
    return is_due(&robot->times[sensor], cairn_failing_late_ns(&robot->failing[sensor]), now);
}

static bool is_range_due(const cairn_world_robot *robot, uint32_t at, cairn_mono now)
{
    return is_due(&robot->range_times[at], cairn_failing_late_ns(&robot->failing[CAIRN_SENSOR_RANGES]), now);
}

cairn_world_frame cairn_world_frame_of(cairn_world_robot *robot, cairn_sensor sensor)
{
    const cairn_body *body = &robot->body;
    switch (sensor) {
    case CAIRN_SENSOR_ENCODERS: return FRAME(robot->encoder_frame, body->encoders_reflex, NULL);
    case CAIRN_SENSOR_IMU: return FRAME(robot->imu_frame, body->imu_reflex, NULL);
    case CAIRN_SENSOR_BUMPER: return FRAME(robot->bump_frame, body->bump_reflex, NULL);
    case CAIRN_SENSOR_BATTERY: return FRAME(robot->battery_frame, body->battery_mind, body->battery_reflex);
    case CAIRN_SENSOR_LASER:
        return (cairn_world_frame){
            robot->scan, sizeof *robot->scan, {body->scan_behaviour, body->scan_deliberate, body->scan_reflex}};
    case CAIRN_SENSOR_THERMAL: return FRAME(*robot->thermal, body->thermal_mind, NULL);
    case CAIRN_SENSOR_RANGE_IMAGE: return FRAME(*robot->range_image, body->range_image_mind, body->range_image_reflex);
    case CAIRN_SENSOR_RANGES: return FRAME(robot->ranges, body->ranges_mind, NULL);
    case CAIRN_SENSOR_GPS: return FRAME(robot->gps_frame, body->gps_mind, NULL);
    case CAIRN_SENSOR_MAGNETOMETER: return FRAME(robot->magnetometer_frame, body->magnetometer_mind, NULL);
    case CAIRN_SENSOR_BAROMETER: return FRAME(robot->barometer_frame, body->barometer_mind, NULL);
    case CAIRN_SENSOR_COUNT: break;
    }
    CAIRN_ASSERT(false);
    return (cairn_world_frame){0};
}

static void deliver(cairn_world_robot *robot, cairn_sensor sensor)
{
    const cairn_world_frame last = cairn_world_frame_of(robot, sensor);
    for (int i = 0; i < 3; i++) {
        if (last.cells[i] != NULL) { cairn_cell_write(last.cells[i], last.frame, last.size_bytes); }
    }
    robot->times[sensor].measured = true;
}

// A frozen sensor, once it has said anything. Encoders that freeze go on missing counts, and are asked.
static bool repeats(const cairn_world_robot *robot, cairn_sensor sensor)
{
    return sensor != CAIRN_SENSOR_ENCODERS && robot->times[sensor].measured &&
           cairn_failing_is(&robot->failing[sensor], CAIRN_FAILURE_FROZEN);
}

static uint32_t number_of(const cairn_world *world, const cairn_world_robot *robot)
{
    return (uint32_t)(robot - world->robots);
}

static void sense_encoders(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_ENCODERS])};
    const cairn_robot_truth truth = truth_at(world, robot, taken.ns);
    robot->encoder_frame = (cairn_encoder_frame){.taken = taken};
    cairn_encoders_measure(&robot->encoders, robot->body.description, truth.wheel_rad, &robot->encoder_frame);
    cairn_failing_encoders(&robot->failing[CAIRN_SENSOR_ENCODERS], &robot->encoder_frame);
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
    const cairn_imu_frame *before = robot->times[CAIRN_SENSOR_IMU].measured ? &robot->imu_frame : NULL;
    cairn_failing_imu(&robot->failing[CAIRN_SENSOR_IMU], before, &frame);
    robot->imu_frame = frame;
}

static void sense_bump(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_mono taken = {next_taken_ns(&robot->times[CAIRN_SENSOR_BUMPER])};
    const cairn_robot_truth *truth = cairn_world_past(world, robot, taken.ns / CAIRN_PHYSICS_STEP_NS);
    robot->bump_frame = (cairn_bump_frame){.taken = taken,
                                           .front = truth->bump_front,
                                           .rear = truth->bump_rear,
                                           .left = truth->bump_left,
                                           .right = truth->bump_right};
    cairn_failing_bump(&robot->failing[CAIRN_SENSOR_BUMPER], &robot->bump_frame);
}

static void sense_battery(cairn_world *world, cairn_world_robot *robot)
{
    (void)world;
    robot->battery_frame.taken = (cairn_mono){next_taken_ns(&robot->times[CAIRN_SENSOR_BATTERY])};
    cairn_battery_measure(&robot->battery, &robot->body.description->battery, &robot->battery_frame);
    cairn_failing_battery(&robot->failing[CAIRN_SENSOR_BATTERY], &robot->battery_frame);
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
    cairn_failing_scan(&robot->failing[CAIRN_SENSOR_LASER], frame);
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
    cairn_failing_thermal(&robot->failing[CAIRN_SENSOR_THERMAL], robot->thermal);
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
    cairn_failing_range_image(&robot->failing[CAIRN_SENSOR_RANGE_IMAGE], robot->range_image);
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
    cairn_range_reading *reading = &robot->ranges.readings[at];
    reading->taken = (cairn_mono){taken_at_ns};
    reading->range_m = cairn_range_measure(sensor, &robot->range_randoms[at], hits, cast.ray_count);
    cairn_failing_range(&robot->failing[CAIRN_SENSOR_RANGES], &reading->range_m);
}

// Each range sensor has a rate of its own; together they are one frame.
static void sense_ranges(cairn_world *world, cairn_world_robot *robot, cairn_mono now)
{
    const cairn_sensor sensor = CAIRN_SENSOR_RANGES;
    bool any = false;
    for (uint32_t i = 0; i < robot->body.description->range_sensor_count; i++) {
        for (; is_range_due(robot, i, now); robot->range_times[i].index++) {
            if (!is_computed(robot, sensor) || cairn_failing_withholds(&robot->failing[sensor], now)) { continue; }
            if (repeats(robot, sensor)) {
                robot->ranges.readings[i].taken = (cairn_mono){next_taken_ns(&robot->range_times[i])};
            } else {
                sense_range(world, robot, i);
            }
            any = true;
        }
    }
    if (any) { deliver(robot, sensor); }
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
    cairn_failing_gps(&robot->failing[CAIRN_SENSOR_GPS], &robot->gps_frame);
}

static void sense_magnetometer(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_magnetometer_description *magnetometer = &robot->body.description->magnetometer;
    cairn_magnetometer_frame *frame = &robot->magnetometer_frame;
    frame->taken = (cairn_mono){next_taken_ns(&robot->times[CAIRN_SENSOR_MAGNETOMETER])};
    const cairn_pose3 map_T_base = pose_at(world, robot, frame->taken.ns);
    const cairn_vec3 at_m = cairn_pose3_apply(map_T_base, magnetometer->base_T_sensor.at_m);
    const cairn_vec3 field_ut = cairn_earth_field_ut(world->place, at_m);
    cairn_magnetometer_measure(&robot->magnetometer, magnetometer, map_T_base.turn, field_ut, frame);
    cairn_failing_magnetometer(&robot->failing[CAIRN_SENSOR_MAGNETOMETER], frame);
}

static void sense_barometer(cairn_world *world, cairn_world_robot *robot)
{
    const cairn_sensor_times *times = &robot->times[CAIRN_SENSOR_BAROMETER];
    cairn_barometer_frame *frame = &robot->barometer_frame;
    frame->taken = (cairn_mono){next_taken_ns(times)};
    const double height_m = pose_at(world, robot, frame->taken.ns).at_m.z;
    cairn_barometer_measure(&robot->barometer, &robot->body.description->barometer, height_m, elapsed_s(times), frame);
    cairn_failing_barometer(&robot->failing[CAIRN_SENSOR_BAROMETER], frame);
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
    [CAIRN_SENSOR_MAGNETOMETER] = sense_magnetometer,
    [CAIRN_SENSOR_BAROMETER] = sense_barometer,
};

// One measurement that is due: with the time of now, but of a frozen sensor with the words of then.
static void sense_one(cairn_world *world, cairn_world_robot *robot, cairn_sensor sensor)
{
    if (repeats(robot, sensor)) {
        cairn_mono *taken = cairn_world_frame_of(robot, sensor).frame; // the first member of all these frames
        *taken = (cairn_mono){next_taken_ns(&robot->times[sensor])};
    } else {
        sense_fns[sensor](world, robot);
    }
    deliver(robot, sensor);
}

// As often as reflex looks, and without delay.
static void sense_button(cairn_world_robot *robot, cairn_mono now)
{
    if (robot->body.button_reflex == NULL || robot->dead || now.ns % BUTTON_NS != 0) { return; }
    const cairn_button_frame frame = {.taken = now, .pressed = robot->pressed != 0};
    cairn_cell_write(robot->body.button_reflex, &frame, sizeof frame);
}

void cairn_world_press(cairn_world *world, uint32_t robot, bool pressed)
{
    CAIRN_ASSERT(robot < world->robot_count);
    world->robots[robot].pressed = pressed;
}

bool cairn_world_is_pressed(const cairn_world *world, uint32_t robot)
{
    CAIRN_ASSERT(robot < world->robot_count);
    return world->robots[robot].pressed != 0;
}

void cairn_world_sense(cairn_world *world, uint32_t robot, cairn_mono now)
{
    CAIRN_ASSERT(robot < world->robot_count && now.ns == world->tick * CAIRN_PHYSICS_STEP_NS);
    cairn_world_robot *sensed = &world->robots[robot];
    for (cairn_sensor i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        for (; is_sensor_due(sensed, i, now); sensed->times[i].index++) {
            if (!is_computed(sensed, i) || cairn_failing_withholds(&sensed->failing[i], now)) { continue; }
            sense_one(world, sensed, i);
        }
    }
    sense_ranges(world, sensed, now);
    sense_button(sensed, now);
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

// ---- what rays find

// Who is late must not make others see an old world: it sees the present one.
static bool looks(const cairn_world_robot *robot, cairn_sensor sensor)
{
    return is_computed(robot, sensor) && !cairn_failing_is(&robot->failing[sensor], CAIRN_FAILURE_LATE);
}

// When the next measurement of one kind was taken that is due now and computed, of any robot.
static bool look_of(const cairn_world *world, cairn_sensor sensor, cairn_mono now, int64_t *ret_ns)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        const cairn_world_robot *robot = &world->robots[i];
        if (!looks(robot, sensor) || !is_sensor_due(robot, sensor, now)) { continue; }
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
            if (!looks(robot, CAIRN_SENSOR_RANGES) || !is_range_due(robot, k, now)) { continue; }
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
void cairn_world_show(cairn_world *world, cairn_mono now)
{
    int64_t moment_ns;
    if (!look_moment(world, now, &moment_ns)) { return; }
    const int64_t tick = (moment_ns + CAIRN_PHYSICS_STEP_NS / 2) / CAIRN_PHYSICS_STEP_NS;
    cairn_pose3 poses[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < world->robot_count; i++) {
        poses[i] = cairn_world_past(world, &world->robots[i], tick < world->tick ? tick : world->tick)->map_T_base;
    }
    world->rays_kind->set_robots(world->rays, poses);
    if (world->place->mover_count == 0) { return; }
    for (uint32_t i = 0; i < world->place->mover_count; i++) { world->mover_poses[i] = cairn_world_mover(world, i); }
    world->rays_kind->set_movers(world->rays, world->mover_poses);
}
