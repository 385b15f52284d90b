// test_sensors.c - noise measured against its model. Tolerances are four deviations of what is estimated: for a
// deviation s of n values that is 4 s / sqrt(2 n), for a mean 4 s / sqrt(n), for a part p 4 sqrt(p (1 - p) / n).
#include "check.h"
#include "emu.h"
#include "moments.h"
#include "sim/senses/sensors.h"
#include <math.h>
#include <string.h>

#define BEAMS 1081

// ---- laser

static const cairn_laser_description laser = {
    .range_m_min = 0.06, .range_m_max = 30, .noise_m = 0.01, .dropout = 0.002};

static void ranges_have_the_stated_noise_and_drop_outs(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 1, "laser");
    moments error = {0};
    uint64_t dropped = 0, beams = 0;
    for (int scan = 0; scan < 300; scan++) {
        float range_m[CAIRN_SCAN_BEAMS_MAX] = {0};
        for (int i = 0; i < BEAMS; i++) { range_m[i] = 4.0f; }
        cairn_sensor_scan(&laser, &random, BEAMS, range_m);
        for (int i = 0; i < BEAMS; i++, beams++) {
            if (isnan(range_m[i])) {
                dropped++;
                continue;
            }
            assert_near(fmod((double)range_m[i] * 1000 + 0.5, 1), 0.5, 2e-3); // whole millimetres
            moments_add(&error, (double)range_m[i] - 4);
        }
    }
    const double n = (double)beams;
    assert_near((double)dropped / n, laser.dropout, 4 * sqrt(laser.dropout / n) + 1.0 / 65536);
    // Rounding to millimetres adds the noise of a step, 1 mm / sqrt(12).
    assert_gauss(&error, 0, hypot(0.01, 0.001 / sqrt(12)));
}

static void nothing_is_infinite_and_too_near_is_not_known(void **state)
{
    (void)state;
    const cairn_laser_description clean = {.range_m_min = 0.06, .range_m_max = 30};
    cairn_random random;
    cairn_random_init(&random, 1, "laser");
    float range_m[CAIRN_SCAN_BEAMS_MAX] = {INFINITY, 30.001f, 29.9f, 0.059f, 0.061f, 0.0f, 1.23449f};
    cairn_sensor_scan(&clean, &random, 7, range_m);
    assert_true(isinf(range_m[0]) && range_m[0] > 0);
    assert_true(isinf(range_m[1]) && range_m[1] > 0);
    assert_float_equal(range_m[2], 29.9, 1e-6);
    assert_true(isnan(range_m[3]));
    assert_float_equal(range_m[4], 0.061, 1e-7);
    assert_true(isnan(range_m[5]));
    assert_float_equal(range_m[6], 1.234, 1e-7);
}

// ---- inertial unit

static const cairn_imu_description imu = {.turn_noise_radps = 0.002,
                                          .turn_bias_radps = 0.003,
                                          .turn_bias_walk_radps_per_sqrt_s = 0.0002,
                                          .accel_noise_mps2 = 0.05};

static void imu_noise_is_as_stated(void **state)
{
    (void)state;
    cairn_imu_description still = imu;
    still.turn_bias_radps = still.turn_bias_walk_radps_per_sqrt_s = 0;
    cairn_imu_state it;
    cairn_imu_init(&it, &still, 2, "imu");
    moments turn = {0}, accel = {0};
    const cairn_imu_truth truth = {.turn_radps = {0.1, -0.2, 0.3}, .accel_mps2 = {1, 2, 9.81}};
    for (int i = 0; i < 20000; i++) {
        cairn_imu_frame frame;
        cairn_imu_measure(&it, &still, &truth, 0.008, &frame);
        moments_add(&turn, frame.turn_radps.x - 0.1);
        moments_add(&turn, frame.turn_radps.y + 0.2);
        moments_add(&turn, frame.turn_radps.z - 0.3);
        moments_add(&accel, frame.accel_mps2.x - 1);
        moments_add(&accel, frame.accel_mps2.y - 2);
        moments_add(&accel, frame.accel_mps2.z - 9.81);
    }
    assert_gauss(&turn, 0, imu.turn_noise_radps);
    assert_gauss(&accel, 0, imu.accel_noise_mps2);
}

// Over many runs: the first bias has the stated deviation, and its variance grows in proportion to time.
static void the_bias_is_drawn_once_and_then_walks(void **state)
{
    (void)state;
    moments drawn = {0}, walked_10_s = {0}, walked_40_s = {0};
    for (uint64_t seed = 0; seed < 700; seed++) {
        cairn_imu_state it;
        cairn_imu_init(&it, &imu, seed, "imu");
        const cairn_vec3 first = it.turn_bias_radps;
        const double firsts[3] = {first.x, first.y, first.z};
        cairn_imu_frame frame;
        const cairn_imu_truth truth = {.accel_mps2 = {0, 0, 9.81}};
        for (int i = 0; i < 100; i++) { cairn_imu_measure(&it, &imu, &truth, 0.1, &frame); }
        const double tens[3] = {it.turn_bias_radps.x, it.turn_bias_radps.y, it.turn_bias_radps.z};
        for (int i = 0; i < 300; i++) { cairn_imu_measure(&it, &imu, &truth, 0.1, &frame); }
        const double forties[3] = {it.turn_bias_radps.x, it.turn_bias_radps.y, it.turn_bias_radps.z};
        for (int i = 0; i < 3; i++) {
            moments_add(&drawn, firsts[i]);
            moments_add(&walked_10_s, tens[i] - firsts[i]);
            moments_add(&walked_40_s, forties[i] - firsts[i]);
        }
    }
    assert_gauss(&drawn, 0, imu.turn_bias_radps);
    assert_gauss(&walked_10_s, 0, imu.turn_bias_walk_radps_per_sqrt_s * sqrt(10));
    assert_gauss(&walked_40_s, 0, imu.turn_bias_walk_radps_per_sqrt_s * sqrt(40));
}

// A unit 0.2 m ahead of the middle is flung outward when the robot spins, and left behind when it starts to.
static void a_unit_off_the_middle_feels_the_turning(void **state)
{
    (void)state;
    const cairn_imu_description ahead = {.base_T_imu = {{0.2, 0, 0}, {1, 0, 0, 0}}};
    cairn_imu_state it;
    cairn_imu_init(&it, &ahead, 3, "imu");
    const cairn_imu_truth truth = {.turn_radps = {0, 0, 3}, .turn_accel_radps2 = {0, 0, 5}, .accel_mps2 = {0, 0, 9.81}};
    cairn_imu_frame frame;
    cairn_imu_measure(&it, &ahead, &truth, 0.008, &frame);
    assert_near(frame.accel_mps2.x, -3 * 3 * 0.2, 1e-12);
    assert_near(frame.accel_mps2.y, 5 * 0.2, 1e-12);
    assert_near(frame.accel_mps2.z, 9.81, 1e-12);
}

// ---- encoders

static void encoder_error_grows_with_the_root_of_distance(void **state)
{
    (void)state;
    cairn_body_description robot = emu();
    robot.encoders = (cairn_encoder_description){.ticks_per_turn = 4096, .slip_noise = 0.02};
    const double tick_m = 2 * CAIRN_PI * robot.wheels.radius_m / 4096;
    moments error_1_m = {0}, error_9_m = {0};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        cairn_encoders_state it;
        cairn_encoders_init(&it, seed, "encoders");
        cairn_encoder_frame frame;
        for (int i = 1; i <= 900; i++) { // 1 cm at a time; the right wheels backwards
            const double rad = 0.01 * i / robot.wheels.radius_m;
            cairn_encoders_measure(&it, &robot, (const double[]){rad, -rad, rad, -rad}, &frame);
            for (int wheel = 0; wheel < CAIRN_WHEELS_MAX && (i == 100 || i == 900); wheel++) {
                const double path_m = (double)frame.ticks[wheel] * tick_m + 0.5 * tick_m;
                moments_add(i == 100 ? &error_1_m : &error_9_m, path_m - (wheel % 2 ? -0.01 : 0.01) * i);
            }
        }
    }
    assert_gauss(&error_1_m, 0, 0.02);
    assert_gauss(&error_9_m, 0, 0.02 * 3);
}

// Front wheels without encoders: what is said of them is that of the wheel behind, not their own turning.
static void encoders_on_the_rear_pair_say_nothing_of_the_front(void **state)
{
    (void)state;
    cairn_body_description robot = emu();
    robot.encoders = (cairn_encoder_description){.ticks_per_turn = 4096, .rear_only = true};
    cairn_encoders_state it;
    cairn_encoders_init(&it, 1, "encoders");
    cairn_encoder_frame frame;
    cairn_encoders_measure(&it, &robot, (const double[]){100, -100, 2 * CAIRN_PI + 1e-6, -1e-6}, &frame);
    assert_int_equal(frame.ticks[0], 4096);
    assert_int_equal(frame.ticks[1], -1);
    assert_int_equal(frame.ticks[2], 4096);
    assert_int_equal(frame.ticks[3], -1);
}

static void encoders_at_rest_say_the_same(void **state)
{
    (void)state;
    cairn_body_description robot = emu();
    robot.encoders = (cairn_encoder_description){.ticks_per_turn = 4096, .slip_noise = 0.02};
    cairn_encoders_state it;
    cairn_encoders_init(&it, 1, "encoders");
    const double rad[CAIRN_WHEELS_MAX] = {10, 11, -12, 13};
    cairn_encoder_frame first = {.wheel_count = 0}, later = {.wheel_count = 0};
    cairn_encoders_measure(&it, &robot, rad, &first);
    for (int i = 0; i < 1000; i++) { cairn_encoders_measure(&it, &robot, rad, &later); }
    assert_memory_equal(first.ticks, later.ticks, sizeof first.ticks);
}

// ---- camera and battery

static void temperatures_are_absolute_with_the_stated_noise(void **state)
{
    (void)state;
    const cairn_thermal_description thermal = {.noise_k = 0.1};
    cairn_random random;
    cairn_random_init(&random, 4, "thermal");
    static float celsius[CAIRN_THERMAL_PIXELS_MAX];
    static uint16_t measured[CAIRN_THERMAL_PIXELS_MAX];
    for (int i = 0; i < 4800; i++) { celsius[i] = i % 2 ? 34.0f : 20.0f; }
    moments error = {0};
    for (int picture = 0; picture < 5; picture++) {
        cairn_sensor_thermal(&thermal, &random, celsius, 4800, measured);
        for (int i = 0; i < 4800; i++) { moments_add(&error, (double)measured[i] / 100 - 273.15 - (double)celsius[i]); }
    }
    assert_gauss(&error, 0, hypot(0.1, 0.01 / sqrt(12)));
}

static void a_battery_lasts_as_long_as_its_energy(void **state)
{
    (void)state;
    const cairn_battery_description battery = {
        .offered = true, .capacity_wh = 200, .voltage_v_full = 25.2, .voltage_v_empty = 21, .idle_w = 25};
    cairn_battery_state it = {0};
    cairn_battery_frame frame;
    cairn_battery_measure(&it, &battery, &frame);
    assert_float_equal(frame.voltage_v, 25.2, 1e-5);
    assert_float_equal(frame.charge, 1, 1e-6);

    cairn_battery_drain(&it, &battery, 0, 4 * 3600); // 100 Wh
    cairn_battery_measure(&it, &battery, &frame);
    assert_float_equal(frame.charge, 0.5, 1e-6);
    assert_float_equal(frame.current_a * frame.voltage_v, 25, 1e-3);
    cairn_battery_drain(&it, &battery, 52.5, 3600); // 25 + 52.5 / 0.7 = 100 Wh
    cairn_battery_measure(&it, &battery, &frame);
    assert_float_equal(frame.charge, 0, 1e-5);
    assert_float_equal(frame.voltage_v, 21, 1e-4);
    cairn_battery_drain(&it, &battery, -50, 3600); // braking gives nothing back
    cairn_battery_measure(&it, &battery, &frame);
    assert_float_equal(frame.charge, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_the_stated_noise_and_drop_outs),
        cmocka_unit_test(nothing_is_infinite_and_too_near_is_not_known),
        cmocka_unit_test(imu_noise_is_as_stated),
        cmocka_unit_test(the_bias_is_drawn_once_and_then_walks),
        cmocka_unit_test(a_unit_off_the_middle_feels_the_turning),
        cmocka_unit_test(encoder_error_grows_with_the_root_of_distance),
        cmocka_unit_test(encoders_at_rest_say_the_same),
        cmocka_unit_test(encoders_on_the_rear_pair_say_nothing_of_the_front),
        cmocka_unit_test(temperatures_are_absolute_with_the_stated_noise),
        cmocka_unit_test(a_battery_lasts_as_long_as_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
