// test_earth.c - magnetometer and barometer against their models, and steel against what physics says of it.
// Tolerances of means and deviations are four deviations of what is estimated, as in test_sensors.c.
#include "check.h"
#include "emu.h"
#include "near.h"
#include "sim/senses/earth.h"
#include <math.h>

#define SEED 20261
#define DEGREE (CAIRN_PI / 180)
#define READINGS 4000

static cairn_solid box_of(cairn_material material, cairn_vec3 at_m, cairn_vec3 half_m)
{
    return (cairn_solid){
        .kind = CAIRN_SOLID_BOX, .map_T_box = {at_m, cairn_quat_identity()}, .half_m = half_m, .material = material};
}

static void far_from_steel_the_field_is_the_earths(void **unused)
{
    (void)unused;
    cairn_solid solids[] = {box_of(CAIRN_MATERIAL_METAL, (cairn_vec3){50, 0, 1}, (cairn_vec3){1, 1, 1}),
                            box_of(CAIRN_MATERIAL_WOOD, (cairn_vec3){1, 0, 0.3}, (cairn_vec3){0.3, 0.3, 0.3})};
    const cairn_sim_arena place = {.size_m = {100, 100}, .solids = solids, .solid_count = 2};
    const cairn_vec3 field_ut = cairn_earth_field_ut(&place, (cairn_vec3){0, 0, 0.3});
    assert_near(cairn_vec3_length(field_ut), 59, 1e-9);
    assert_near(field_ut.x, 0, 1e-9);
    assert_near(atan2(-field_ut.z, field_ut.y), -67 * DEGREE, 1e-9); // in the south it points up
}

// A dipole's field falls with the cube of the distance; near steel a compass is of no use.
static void steel_bends_the_field_and_less_with_the_cube_of_its_distance(void **unused)
{
    (void)unused;
    cairn_solid cupboard = box_of(CAIRN_MATERIAL_METAL, (cairn_vec3){0, 0, 0.3}, (cairn_vec3){0.4, 0.4, 0.4});
    const cairn_sim_arena place = {.size_m = {100, 100}, .solids = &cupboard, .solid_count = 1},
                          empty = {.size_m = {100, 100}};
    double off_ut[3];
    for (int i = 0; i < 3; i++) {
        const cairn_vec3 at_m = {1 << i, 0, 0.3};
        off_ut[i] =
            cairn_vec3_length(cairn_vec3_sub(cairn_earth_field_ut(&place, at_m), cairn_earth_field_ut(&empty, at_m)));
    }
    // 0.2 of 0.512 m3 is iron: at a metre 3 * 0.1024 / (4 pi) of the field, which lies across the way there.
    assert_near(off_ut[0], 59 * 3 * 0.1024 / (4 * CAIRN_PI), 1e-9);
    assert_near(off_ut[0] / off_ut[1], 8, 1e-9);
    assert_near(off_ut[1] / off_ut[2], 8, 1e-9);
}

// Of a wall as long as a street only the part beside the robot counts: it is as strong everywhere along it.
static void a_long_wall_is_as_strong_wherever_one_stands_beside_it(void **unused)
{
    (void)unused;
    cairn_solid wall = box_of(CAIRN_MATERIAL_CONCRETE, (cairn_vec3){0, 1, 1.2}, (cairn_vec3){20, 0.1, 1.2});
    const cairn_sim_arena place = {.size_m = {100, 100}, .solids = &wall, .solid_count = 1};
    const cairn_vec3 middle_ut = cairn_earth_field_ut(&place, (cairn_vec3){0, 0, 0.3});
    const cairn_vec3 east_ut = cairn_earth_field_ut(&place, (cairn_vec3){15, 0, 0.3});
    assert_near(cairn_vec3_length(cairn_vec3_sub(east_ut, middle_ut)), 0, 1e-9);
    const cairn_sim_arena empty = {.size_m = {100, 100}};
    const cairn_vec3 earth_ut = cairn_earth_field_ut(&empty, (cairn_vec3){0, 0, 0.3});
    const double off_ut = cairn_vec3_length(cairn_vec3_sub(middle_ut, earth_ut));
    printf("a concrete wall at a metre: %.2f microtesla\n", off_ut);
    assert_true(off_ut > 0.2 && off_ut < 3);
}

static void a_magnetometer_errs_by_its_noise_and_a_bias_that_turns_with_the_robot(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    const cairn_magnetometer_description magnetometer = {.noise_ut = 0.5, .bias_ut = 2};
    cairn_magnetometer_state state;
    cairn_magnetometer_init(&state, &magnetometer, SEED, "magnetometer");
    const cairn_vec3 bias_ut = state.bias_ut, field_ut = {3, 20, 50};
    const cairn_quat turned = cairn_quat_from_rpy((cairn_rpy){0, 0, 90 * DEGREE}); // its nose to the north
    cairn_vec3 sum = {0, 0, 0};
    double squares = 0;
    for (int i = 0; i < READINGS; i++) {
        cairn_magnetometer_frame frame;
        cairn_magnetometer_measure(&state, &magnetometer, turned, field_ut, &frame);
        sum = cairn_vec3_add(sum, frame.field_ut);
        squares += pow(frame.field_ut.x - 20 - bias_ut.x, 2);
    }
    assert_near(sum.x / READINGS, 20 + bias_ut.x, 4 * 0.5 / sqrt(READINGS));
    assert_near(sum.y / READINGS, -3 + bias_ut.y, 4 * 0.5 / sqrt(READINGS));
    assert_near(sum.z / READINGS, 50 + bias_ut.z, 4 * 0.5 / sqrt(READINGS));
    assert_near(sqrt(squares / READINGS), 0.5, 4 * 0.5 / sqrt(2.0 * READINGS));
    assert_true(cairn_vec3_length(bias_ut) > 0.1 && cairn_vec3_length(bias_ut) < 8);
}

static void a_barometer_falls_by_12_pascal_a_metre(void **unused)
{
    (void)unused;
    const cairn_barometer_description barometer = {.noise_pa = 3, .weather_pa_per_sqrt_min = 0};
    cairn_barometer_state state;
    cairn_barometer_init(&state, SEED, "barometer");
    double mean_pa[2] = {0, 0}, squares = 0;
    for (int i = 0; i < 2 * READINGS; i++) {
        cairn_barometer_frame frame;
        cairn_barometer_measure(&state, &barometer, i % 2 ? 3.0 : 0.0, 0.05, &frame);
        mean_pa[i % 2] += frame.pressure_pa / READINGS;
        if (i % 2 == 0) { squares += pow(frame.pressure_pa - CAIRN_EARTH_PRESSURE_PA, 2); }
    }
    assert_near(mean_pa[0] - mean_pa[1], 36, 4 * 3 * sqrt(2.0 / READINGS));
    assert_near(sqrt(squares / READINGS), 3, 4 * 3 / sqrt(2.0 * READINGS));
}

// After a minute the weather has walked by its deviation, whatever the rate of the readings.
static void the_weather_walks_with_the_root_of_time(void **unused)
{
    (void)unused;
    const cairn_barometer_description barometer = {.weather_pa_per_sqrt_min = 5};
    double squares = 0;
    for (int walk = 0; walk < 400; walk++) {
        cairn_barometer_state state;
        char stream[32];
        snprintf(stream, sizeof stream, "walk/%d", walk);
        cairn_barometer_init(&state, SEED, stream);
        cairn_barometer_frame frame = {0};
        for (int i = 0; i < 120; i++) { cairn_barometer_measure(&state, &barometer, 0, 0.5, &frame); }
        squares += pow(frame.pressure_pa - CAIRN_EARTH_PRESSURE_PA, 2);
    }
    assert_near(sqrt(squares / 400), 5, 4 * 5 / sqrt(2 * 400.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_from_steel_the_field_is_the_earths),
        cmocka_unit_test(steel_bends_the_field_and_less_with_the_cube_of_its_distance),
        cmocka_unit_test(a_long_wall_is_as_strong_wherever_one_stands_beside_it),
        cmocka_unit_test(a_magnetometer_errs_by_its_noise_and_a_bias_that_turns_with_the_robot),
        cmocka_unit_test(a_barometer_falls_by_12_pascal_a_metre),
        cmocka_unit_test(the_weather_walks_with_the_root_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
