// Compass and storey: when they are believed, and how far. The field and the air are made here, without the simulator.
#include "../base/check.h"
#include "base/random.h"
#include "geometry/pose3.h"
#include "robot/deliberate/deliberate.h"
#include "robot/place/compass.h"
#include "robot/place/storey.h"
#include <math.h>

#define SEED 5
#define DEGREE (CAIRN_PI / 180)
#define STEP_S 0.05

static const cairn_magnetometer_description MAGNETOMETER = {
    .offered = true, .rate_hz = 20, .noise_ut = 0.5, .field_ut = 59, .dip_rad = -67 * DEGREE};
static const cairn_barometer_description BAROMETER = {
    .offered = true, .rate_hz = 10, .noise_pa = 3, .weather_pa_per_sqrt_min = 5, .storey_m = 3};

typedef struct bench {
    cairn_compass compass;
    cairn_random random;
    cairn_mono now;
    double true_rad;   // heading against east; north is y
    double yaw_rad;    // what the robot believes, private frame
    double strange_ut; // of steel, added to the east
} bench;

static bench begin_bench(void)
{
    bench b = {.now = {CAIRN_S(1)}, .true_rad = 0.7};
    cairn_random_init(&b.random, SEED, "tests/earth");
    cairn_compass_init(&b.compass, &MAGNETOMETER);
    return b;
}

static void hear(bench *b, cairn_rpy leans)
{
    const cairn_vec3 field = {b->strange_ut, 59 * cos(67 * DEGREE), 59 * sin(67 * DEGREE)};
    const cairn_quat map_T_base = cairn_quat_from_rpy((cairn_rpy){leans.roll_rad, leans.pitch_rad, b->true_rad});
    cairn_magnetometer_frame frame = {b->now, cairn_quat_rotate(cairn_quat_conjugate(map_T_base), field)};
    frame.field_ut.x += MAGNETOMETER.noise_ut * cairn_random_gauss(&b->random);
    frame.field_ut.y += MAGNETOMETER.noise_ut * cairn_random_gauss(&b->random);
    const cairn_compass_robot robot = {leans.roll_rad, leans.pitch_rad, b->yaw_rad};
    cairn_compass_hear(&b->compass, &frame, &robot);
}

// Turns at a rate, with a gyro that is off by a bias, for some seconds; the compass is heeded. False: it never asked.
static bool turn(bench *b, double turn_radps, double bias_radps, double seconds)
{
    bool asked = false;
    for (int i = 0; i < seconds / STEP_S; i++) {
        b->now.ns += cairn_ns_from_seconds(STEP_S);
        b->true_rad = cairn_angle_wrap(b->true_rad + turn_radps * STEP_S);
        b->yaw_rad = cairn_angle_wrap(b->yaw_rad + (turn_radps + bias_radps) * STEP_S);
        hear(b, (cairn_rpy){0, 0, 0});
        const double asks_rad = cairn_compass_turn_rad(&b->compass, STEP_S, b->now);
        assert_true(fabs(asks_rad) <= CAIRN_COMPASS_RADPS_MAX * STEP_S);
        asked |= asks_rad != 0;
        b->yaw_rad = cairn_angle_wrap(b->yaw_rad + asks_rad);
    }
    return asked;
}

static double error_rad(const bench *b) { return cairn_angle_wrap(b->true_rad - 0.7 - b->yaw_rad); }

// A gyro that is off by 2 mrad a second turns a robot by 70 degrees in ten minutes.
static void a_believed_compass_holds_the_heading_against_a_gyros_bias(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    bench b = begin_bench();
    assert_true(turn(&b, 0, 0, 20));
    for (int i = 0; i < 60; i++) { (void)turn(&b, i % 2 ? 0.4 : -0.3, 0.002, 10); }
    printf("off by %.1f degrees after ten minutes\n", error_rad(&b) / DEGREE);
    assert_true(fabs(error_rad(&b)) < 5 * DEGREE);
}

// Steel makes the field stronger or steeper: then it is not the Earth's.
static void a_field_that_is_not_the_earths_is_not_believed(void **unused)
{
    (void)unused;
    bench b = begin_bench();
    b.strange_ut = 40;
    assert_false(turn(&b, 0, 0.002, 30));
    assert_int_equal(b.compass.believed_count, 0);
}

// Steel that the robot passes bends the field a little, now and then: the heading jumps and the gyro says that it did
// not turn.
static void a_heading_that_contradicts_the_gyro_is_not_believed(void **unused)
{
    (void)unused;
    bench b = begin_bench();
    for (int i = 0; i < 20; i++) {
        b.strange_ut = i % 2 ? 6 : -6; // the strength changes by 1 %, the heading by 29 degrees
        assert_false(turn(&b, 0, 0, 2.5));
    }
}

// A robot that starts beside steel and then leaves it: from then on the compass is off, and must not turn the robot.
static void a_compass_that_is_off_by_more_than_any_drift_is_left_alone(void **unused)
{
    (void)unused;
    bench b = begin_bench();
    b.strange_ut = 12;
    (void)turn(&b, 0, 0, 30);
    b.strange_ut = -6;
    const double before_rad = b.yaw_rad;
    (void)turn(&b, 0, 0, 60);
    assert_true(fabs(cairn_angle_between(before_rad, b.yaw_rad)) < 1 * DEGREE);
}

// On a ramp the field leans in the robot's axes as the robot does.
static void a_leaning_robot_reads_the_same_heading(void **unused)
{
    (void)unused;
    bench b = begin_bench();
    (void)turn(&b, 0, 0, 20);
    const double offset_rad = b.compass.offset_rad;
    for (int i = 0; i < 200; i++) {
        b.now.ns += cairn_ns_from_seconds(STEP_S);
        hear(&b, (cairn_rpy){0.1, -0.25, 0});
    }
    assert_true(fabs(cairn_angle_between(offset_rad, b.compass.offset_rad)) < 2 * DEGREE);
    assert_true(b.compass.agreed_s > 20);
    hear(&b, (cairn_rpy){NAN, NAN, 0}); // which is not known: not heard, as it is not newer
    b.now.ns += cairn_ns_from_seconds(STEP_S);
    hear(&b, (cairn_rpy){NAN, NAN, 0});
    assert_true(b.compass.agreed_s == 0);
}

// It was just asking for a turn: without a new reading nobody says when that is done.
static void a_compass_that_falls_silent_turns_nothing(void **unused)
{
    (void)unused;
    bench b = begin_bench();
    (void)turn(&b, 0, 0, 30);
    assert_true(turn(&b, 0, 0.002, 30));
    assert_true(cairn_compass_turn_rad(&b.compass, STEP_S, b.now) != 0);
    b.now.ns += CAIRN_MS(900);
    assert_true(cairn_compass_turn_rad(&b.compass, STEP_S, b.now) != 0);
    b.now.ns += CAIRN_MS(200);
    assert_true(cairn_compass_turn_rad(&b.compass, STEP_S, b.now) == 0);
    assert_false(turn(&b, 0, 0, 2.5)); // heard again it must agree anew
    assert_true(turn(&b, 0, 0, 2.5));
}

// ---- heights

typedef struct climb {
    cairn_storey storey;
    cairn_random random;
    cairn_mono now;
    double height_m, weather_pa;
} climb;

static climb begin_climb(void)
{
    climb c = {.now = {CAIRN_S(1)}};
    cairn_random_init(&c.random, SEED, "tests/storey");
    cairn_storey_init(&c.storey, &BAROMETER);
    return c;
}

// Drives at a speed and a pitch (nose up negative) that it believes to be a little other than it is.
static void drive(climb *c, double forward_mps, double pitch_rad, double pitch_error_rad, double seconds)
{
    for (int i = 0; i < seconds * 10; i++) {
        c->now.ns += CAIRN_MS(100);
        c->height_m -= forward_mps * 0.1 * sin(pitch_rad);
        c->weather_pa += BAROMETER.weather_pa_per_sqrt_min * sqrt(0.1 / 60) * cairn_random_gauss(&c->random);
        cairn_storey_climb(&c->storey, forward_mps, pitch_rad + pitch_error_rad, c->now);
        const cairn_barometer_frame frame = {c->now, 101325 - 12 * c->height_m + c->weather_pa +
                                                         BAROMETER.noise_pa * cairn_random_gauss(&c->random)};
        cairn_storey_hear(&c->storey, &frame);
    }
}

static void a_robot_that_climbs_a_storey_says_the_next_floor_and_back(void **unused)
{
    (void)unused;
    climb c = begin_climb();
    drive(&c, 0.4, 0, 0.005, 120);
    assert_int_equal(c.storey.floor, 0);
    drive(&c, 0.4, -0.3, 0.005, 26); // 3.07 m up
    drive(&c, 0.4, 0, 0.005, 60);
    printf("at %.2f m, believes %.2f m\n", c.height_m, c.storey.height_m);
    assert_int_equal(c.storey.floor, 1);
    assert_true(fabs(c.storey.height_m - c.height_m) < 0.6);
    drive(&c, 0.4, 0.3, 0.005, 26);
    drive(&c, 0.4, 0, 0.005, 60);
    assert_int_equal(c.storey.floor, 0);
}

// Ten minutes on one floor, with a pitch that is off by half a degree: alone that would be 1.2 m. A ramp of 0.6 m is no
// storey either.
static void neither_weather_nor_ramps_change_the_floor(void **unused)
{
    (void)unused;
    climb c = begin_climb();
    for (int i = 0; i < 10; i++) {
        drive(&c, 0.3, -0.2, 0.009, 10);
        drive(&c, 0.3, 0.2, 0.009, 10);
        drive(&c, 0.3, 0, 0.009, 20);
        drive(&c, 0, 0, 0, 20);
        assert_int_equal(c.storey.floor, 0);
    }
}

// A mind that was started again on the first floor is still there, whatever the weather has done meanwhile.
static void a_height_that_was_kept_goes_on(void **unused)
{
    (void)unused;
    climb c = begin_climb();
    c.weather_pa = -80;
    c.height_m = 3;
    cairn_storey_resume(&c.storey, 3, 1);
    drive(&c, 0.3, 0, 0, 60);
    assert_int_equal(c.storey.floor, 1);
    assert_true(fabs(c.storey.height_m - 3) < 0.5);
}

// Its own climbing alone, with errors that grow, changes no floor; with the pressure again it does.
static void a_silent_barometer_leaves_the_floor_as_it_was(void **unused)
{
    (void)unused;
    climb c = begin_climb();
    drive(&c, 0.4, 0, 0, 30);
    for (int i = 0; i < 600; i++) {
        c.now.ns += CAIRN_MS(100);
        cairn_storey_climb(&c.storey, 0.4, -0.3, c.now);
    }
    assert_int_equal(c.storey.floor, 0);
    assert_true(c.storey.height_m > 5); // it goes on counting, for when the barometer is heard again
    c.height_m = 0.4 * 60 * sin(0.3);
    drive(&c, 0, 0, 0, 1);
    assert_int_equal(c.storey.floor, 2);
}

// Of unknown speed on a slope: in place, or up. The barometer tells which.
static void a_robot_that_slips_on_a_slope_leaves_its_height_to_the_barometer(void **unused)
{
    (void)unused;
    for (int storeys = 0; storeys <= 1; storeys++) {
        climb c = begin_climb();
        drive(&c, 0.4, 0, 0, 60);
        for (int i = 0; i < 600; i++) {
            c.now.ns += CAIRN_MS(100);
            c.height_m += storeys * 3.0 / 600;
            cairn_storey_climb(&c.storey, NAN, -0.3, c.now);
            const cairn_barometer_frame frame = {c.now, 101325 - 12 * c.height_m + c.weather_pa +
                                                            BAROMETER.noise_pa * cairn_random_gauss(&c.random)};
            cairn_storey_hear(&c.storey, &frame);
        }
        printf("at %.2f m, believes %.2f m\n", c.height_m, c.storey.height_m);
        assert_true(fabs(c.storey.height_m - c.height_m) < 0.6);
        assert_int_equal(c.storey.floor, storeys);
    }
}

// By its wheels it would be 7 m up.
static void wheels_that_slip_climb_nothing(void **unused)
{
    (void)unused;
    static cairn_deliberate d;
    cairn_arena memory;
    cairn_cell *cell = NULL;
    assert_ok(cairn_arena_create(&memory, 1 << 16));
    assert_ok(cairn_cell_create(&memory, sizeof(cairn_barometer_frame), &cell));
    const cairn_body body = {.barometer_mind = cell};
    for (int slips = 0; slips <= 1; slips++) {
        d = (cairn_deliberate){.def = {.body = &body}, .reflex_heard = true};
        cairn_storey_init(&d.storey, &BAROMETER);
        d.tracker.slip.slips = slips;
        d.state.forward_mps = 0.4;
        d.state.pitch_rad = -0.3;
        for (int i = 1; i <= 600; i++) {
            d.state.at.ns = CAIRN_MS(100) * i;
            cairn_deliberate_feel_earth(&d, d.state.at);
        }
        assert_int_equal(d.storey.height_m > 5, !slips);
        assert_int_equal(d.storey.height_m == 0, slips);
    }
    cairn_arena_destroy(&memory);
}

static void a_pressure_that_no_air_has_is_not_taken(void **unused)
{
    (void)unused;
    climb c = begin_climb();
    drive(&c, 0.3, 0, 0, 5);
    const cairn_storey before = c.storey;
    const double wrong_pa[] = {0, -5, NAN, INFINITY, 1e9};
    for (size_t i = 0; i < sizeof wrong_pa / sizeof wrong_pa[0]; i++) {
        const cairn_barometer_frame frame = {{c.now.ns + CAIRN_S(1)}, wrong_pa[i]};
        cairn_storey_hear(&c.storey, &frame);
        assert_memory_equal(&c.storey, &before, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_believed_compass_holds_the_heading_against_a_gyros_bias),
        cmocka_unit_test(a_field_that_is_not_the_earths_is_not_believed),
        cmocka_unit_test(a_heading_that_contradicts_the_gyro_is_not_believed),
        cmocka_unit_test(a_compass_that_is_off_by_more_than_any_drift_is_left_alone),
        cmocka_unit_test(a_leaning_robot_reads_the_same_heading),
        cmocka_unit_test(a_compass_that_falls_silent_turns_nothing),
        cmocka_unit_test(a_robot_that_climbs_a_storey_says_the_next_floor_and_back),
        cmocka_unit_test(neither_weather_nor_ramps_change_the_floor),
        cmocka_unit_test(a_height_that_was_kept_goes_on),
        cmocka_unit_test(a_silent_barometer_leaves_the_floor_as_it_was),
        cmocka_unit_test(a_robot_that_slips_on_a_slope_leaves_its_height_to_the_barometer),
        cmocka_unit_test(wheels_that_slip_climb_nothing),
        cmocka_unit_test(a_pressure_that_no_air_has_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
