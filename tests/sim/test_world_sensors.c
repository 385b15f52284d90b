// test_world_sensors.c - sensors that only some robots have, in whole worlds: when their frames arrive, that nobody
// pays for what nobody wants, and how a laser nods.
#include "both_physics.h"
#include "near.h"
#include "sensor_rig.h"
#include <math.h>
#include <string.h>

#define MASK(sensor) (1u << CAIRN_SENSOR_##sensor)
#define AT_START CAIRN_WORLD_WANTED_AT_START
#define FURTHER (MASK(RANGES) | MASK(GPS))

// ---- delays

typedef struct arrivals {
    uint64_t version;
    int64_t taken_ns; // of the last
    uint32_t count;
} arrivals;

// A frame is there with the first tick at or after its time and its delay.
static void note(arrivals *it, cairn_cell *cell, int64_t taken_ns, uint64_t version, double delay_s, cairn_mono now)
{
    (void)cell;
    if (version == it->version) { return; }
    it->version = version;
    if (taken_ns == it->taken_ns && it->count > 0) { return; } // another sensor of the same frame
    const int64_t late_ns = now.ns - taken_ns - cairn_ns_from_seconds(delay_s);
    assert_true(late_ns >= 0 && late_ns < TICK_NS);
    it->taken_ns = taken_ns;
    it->count++;
}

static void frames_arrive_after_their_delay_at_their_rate(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        static rig it;
        rig_furnish(&it);
        rig_start(&it, physics[k]);
        cairn_world_want(it.world, 0, AT_START | FURTHER);
        const cairn_body *body = cairn_world_body(it.world, 0);
        arrivals image = {0}, floor = {0}, ahead = {0}, gps = {0}, magnetometer = {0}, barometer = {0};
        for (int i = 0; i <= 500; i++) { // 2 s
            const cairn_mono now = rig_step(&it);
            uint64_t version;
            const cairn_range_image_frame *picture = cairn_cell_latest(body->range_image_mind, &version);
            if (picture) { note(&image, body->range_image_mind, picture->taken.ns, version, 0.05, now); }
            const cairn_gps_frame *fix = cairn_cell_latest(body->gps_mind, &version);
            if (fix) { note(&gps, body->gps_mind, fix->taken.ns, version, 0.12, now); }
            const cairn_magnetometer_frame *field = cairn_cell_latest(body->magnetometer_mind, &version);
            if (field) { note(&magnetometer, body->magnetometer_mind, field->taken.ns, version, 0.01, now); }
            const cairn_barometer_frame *air = cairn_cell_latest(body->barometer_mind, &version);
            if (air) { note(&barometer, body->barometer_mind, air->taken.ns, version, 0.02, now); }
            const cairn_ranges_frame *ranges = cairn_cell_latest(body->ranges_mind, &version);
            if (!ranges) { continue; }
            assert_int_equal(ranges->sensor_count, 2);
            note(&floor, body->ranges_mind, ranges->readings[0].taken.ns, version, 0.01, now);
            if (isnan(ranges->readings[1].range_m)) { continue; } // not yet
            note(&ahead, body->ranges_mind, ranges->readings[1].taken.ns, version, 0.03, now);
        }
        assert_in_range(image.count, 9, 10); // 5 a second, the last still on its way
        assert_in_range(floor.count, 99, 101);
        assert_in_range(ahead.count, 23, 24);
        assert_in_range(gps.count, 9, 10);
        assert_in_range(magnetometer.count, 39, 41);
        assert_in_range(barometer.count, 19, 21);
        rig_end(&it);
    }
}

// ---- wanting

typedef struct frames_hash {
    uint64_t scan, thermal, imu, encoders;
} frames_hash;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) { hash = (hash ^ byte[i]) * 1099511628211u; }
    return hash;
}

static uint64_t run(const char *kind, uint32_t wanted, bool shared, frames_hash *ret_hash)
{
    static rig it;
    rig_furnish(&it);
    if (shared) { // one view for both cameras
        const cairn_thermal_description *thermal = &it.robot.thermal;
        cairn_range_imager_description *imager = &it.robot.range_imager;
        imager->base_T_camera = thermal->base_T_camera;
        imager->width_px = thermal->width_px;
        imager->height_px = thermal->height_px;
        imager->field_rad = thermal->field_rad;
        imager->rate_hz = thermal->rate_hz;
        imager->delay_s = thermal->delay_s;
    }
    rig_start(&it, kind);
    cairn_world_want(it.world, 0, wanted);
    *ret_hash = (frames_hash){0};
    for (int i = 0; i <= 500; i++) {
        rig_step(&it);
        const cairn_world_frames seen = cairn_world_last_frames(it.world, 0);
        const cairn_encoder_frame *encoders = cairn_cell_latest(cairn_world_body(it.world, 0)->encoders_reflex, NULL);
        if (seen.scan) { ret_hash->scan = mix(ret_hash->scan, seen.scan->range_m, 1081 * sizeof(float)); }
        if (seen.thermal) { ret_hash->thermal = mix(ret_hash->thermal, seen.thermal->centikelvin, 4800 * 2); }
        if (seen.imu) { ret_hash->imu = mix(ret_hash->imu, seen.imu, sizeof *seen.imu); }
        if (encoders) { ret_hash->encoders = mix(ret_hash->encoders, encoders->ticks, sizeof encoders->ticks); }
        assert_true((wanted & MASK(RANGE_IMAGE)) || seen.range_image == NULL);
        assert_true((wanted & MASK(RANGES)) || seen.ranges == NULL);
        assert_true((wanted & MASK(GPS)) || seen.gps == NULL);
        assert_true((wanted & MASK(LASER)) || seen.scan == NULL);
    }
    const uint64_t ray_count = cairn_world_ray_count(it.world, 0);
    rig_end(&it);
    return ray_count;
}

// Frames that have arrived after 2 s: of lasers 79 or 80, of thermal pictures 16, of range images 10.
static void nobody_pays_for_what_nobody_wants(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        frames_hash plain, laser_only, all;
        const uint64_t rays = run(physics[k], AT_START, false, &plain);
        assert_int_equal(rays, 80 * 1081 + 16 * 4800 + 10 * 64 * 48);
        const uint32_t not_cameras = AT_START & ~(MASK(THERMAL) | MASK(RANGE_IMAGE));
        assert_int_equal(run(physics[k], not_cameras, false, &laser_only), 80 * 1081);
        assert_int_equal(run(physics[k], 0, false, &all), 0);
        assert_int_equal(run(physics[k], AT_START | FURTHER, false, &all),
                         rays + 100 + 24 * CAIRN_RANGE_RAYS_MAX + 10 * CAIRN_GPS_RAYS);
        // And what the others say is the same to the bit.
        assert_memory_equal(&plain, &all, sizeof plain);
        assert_int_equal(plain.scan, laser_only.scan);
        frames_hash without; // a magnetometer or a barometer
        (void)run(physics[k], AT_START & ~(MASK(MAGNETOMETER) | MASK(BAROMETER)), false, &without);
        assert_memory_equal(&plain, &without, sizeof plain);
    }
}

static void two_cameras_with_one_view_are_one_cast(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        frames_hash alone, both;
        const uint64_t rays = run(physics[k], AT_START & ~MASK(RANGE_IMAGE), true, &alone);
        assert_int_equal(run(physics[k], AT_START, true, &both), rays);
        assert_memory_equal(&alone, &both, sizeof alone);
        assert_int_equal(run(physics[k], MASK(RANGE_IMAGE), true, &both), 16 * 4800); // and alone it looks by itself
    }
}

// ---- what they see, through the world

static void readings_are_those_of_the_place(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        static rig it;
        rig_furnish(&it);
        it.place.victim_count = 0;
        rig_start(&it, physics[k]);
        cairn_world_want(it.world, 0, AT_START | FURTHER);
        for (int i = 0; i < 250; i++) { (void)rig_rest(&it); }
        const cairn_world_frames seen = cairn_world_last_frames(it.world, 0);
        cairn_robot_truth truth;
        cairn_world_truth(it.world, 0, &truth);
        const double wall_m = 7.95 - truth.map_T_base.at_m.x;                        // from the base
        assert_near(seen.ranges->readings[0].range_m, 0.2 / sin(60 * DEGREE), 0.03); // the floor ahead
        assert_near(seen.ranges->readings[1].range_m, wall_m - 0.28, 0.06);
        const uint16_t middle_mm = seen.range_image->millimetres[24 * 64 / 2 + 32];
        assert_near(middle_mm * 1e-3, wall_m - 0.2, 5 * (0.003 + 0.004 * wall_m) + 0.01);
        const cairn_magnetometer_frame *field =
            cairn_cell_latest(cairn_world_body(it.world, 0)->magnetometer_mind, NULL);
        const cairn_barometer_frame *air = cairn_cell_latest(cairn_world_body(it.world, 0)->barometer_mind, NULL);
        const double yaw_rad = cairn_quat_to_rpy(truth.map_T_base.turn).yaw_rad; // north is to its left
        assert_near(atan2(field->field_ut.y, field->field_ut.x), 90 * DEGREE - yaw_rad, 0.1);
        assert_near(air->pressure_pa, CAIRN_EARTH_PRESSURE_PA, 15);
        assert_true(seen.gps->fix && seen.gps->satellite_count >= 8 && seen.gps->satellite_count <= 12);
        rig_end(&it);
    }
}

// ---- the nodding laser

static void a_nodding_laser_sweeps_fifty_thousand_points_in_its_period(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        static rig it;
        rig_furnish(&it);
        it.robot.laser.nod =
            (cairn_nod_description){.offered = true, .from_rad = -3 * DEGREE, .to_rad = 21 * DEGREE, .period_s = 1.25};
        it.robot.laser.noise_m = 0;
        it.place.victim_count = 0;
        rig_start(&it, physics[k]);
        uint64_t version = 0, last = 0;
        uint32_t points = 0;
        double lowest = INFINITY, highest = -INFINITY;
        for (int i = 0; i < 320; i++) {
            (void)rig_rest(&it);
            const cairn_scan_frame *scan = cairn_cell_latest(cairn_world_body(it.world, 0)->scan_behaviour, &version);
            if (!scan || version == last || scan->taken.ns >= CAIRN_MS(1250)) { continue; }
            last = version;
            points += scan->beam_count;
            const double from = (double)scan->nod_rad_first, to = (double)scan->nod_rad_last;
            if (strcmp(physics[k], "planar") == 0) {
                assert_true(from == 0 && to == 0); // its rays are level, and its frames say so
                continue;
            }
            const double t = cairn_seconds(scan->taken.ns); // the last beam is 18.75 ms later
            assert_near(from, 9 * DEGREE + 12 * DEGREE * sin(2 * CAIRN_PI * t / 1.25), 1e-6);
            assert_near(to, 9 * DEGREE + 12 * DEGREE * sin(2 * CAIRN_PI * (t + 0.01875) / 1.25), 1e-6);
            lowest = fmin(lowest, from);
            highest = fmax(highest, from);
            // The middle beam ends on the wall at 3.95 m - 0.16 m, or on the floor before it.
            const double nod = 0.5 * (from + to), wall_m = (3.95 - 0.16) / cos(nod);
            const double should_be = nod > 0 ? fmin(wall_m, 0.33 / sin(nod)) : wall_m;
            assert_near((double)scan->range_m[540], should_be, 0.05);
        }
        assert_int_equal(points, 50 * 1081); // 54,050
        if (strcmp(physics[k], "planar") != 0) {
            assert_near(lowest, -3 * DEGREE, 0.1 * DEGREE);
            assert_near(highest, 21 * DEGREE, 0.1 * DEGREE);
        }
        rig_end(&it);
    }
}

// ---- the pan-tilt head

static void a_camera_on_a_head_turns_at_its_speed_and_to_its_limits(void **state)
{
    (void)state;
    for (size_t k = 0; k < PHYSICS; k++) {
        static rig it;
        rig_furnish(&it);
        it.robot.thermal.pan_tilt = (cairn_pan_tilt_description){
            .offered = true, .pan_rad_max = 100 * DEGREE, .tilt_rad_max = 30 * DEGREE, .speed_radps = 40 * DEGREE};
        it.robot.thermal.noise_k = 0;
        rig_start(&it, physics[k]);
        cairn_body *body = cairn_world_body(it.world, 0);
        const cairn_thermal_frame *frame = NULL;
        for (int i = 0; i < 1000; i++) { // 4 s; told after 1 s
            if (i == 250) {
                const cairn_pan_tilt_target target = {
                    .issued = {it.tick * TICK_NS}, .pan_rad = 90 * DEGREE, .tilt_rad = 80 * DEGREE};
                cairn_cell_write(body->pan_tilt, &target, sizeof target);
            }
            (void)rig_rest(&it);
            frame = cairn_cell_latest(body->thermal_mind, NULL);
            if (!frame) { continue; }
            const double turned = fmax(cairn_seconds(frame->taken.ns) - 0.996, 0) * 40 * DEGREE;
            assert_near((double)frame->pan_rad, fmin(turned, 90 * DEGREE), 0.2 * DEGREE);
            assert_near((double)frame->tilt_rad, fmin(turned, 30 * DEGREE), 0.2 * DEGREE);
            // Straight ahead the victim, 2.5 m ahead and to the left, is in the picture; to the left it is not.
            uint32_t warm = 0;
            for (uint32_t i_px = 0; i_px < 4800; i_px++) { warm += frame->centikelvin[i_px] > 30000; }
            if (turned == 0) { assert_true(warm > 10); }
            if (turned > 70 * DEGREE) { assert_int_equal(warm, 0); }
        }
        assert_near((double)frame->pan_rad, 90 * DEGREE, 1e-6);
        rig_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_arrive_after_their_delay_at_their_rate),
        cmocka_unit_test(nobody_pays_for_what_nobody_wants),
        cmocka_unit_test(two_cameras_with_one_view_are_one_cast),
        cmocka_unit_test(readings_are_those_of_the_place),
        cmocka_unit_test(a_nodding_laser_sweeps_fifty_thousand_points_in_its_period),
        cmocka_unit_test(a_camera_on_a_head_turns_at_its_speed_and_to_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
