// test_description.c - robot files: the emu as it is meant, and robots that cannot be.
#include "body/description_io.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EMU CAIRN_SOURCE_ROOT "/robots/emu.yaml"

static cairn_complaints told;

static char *load_emu(void)
{
    FILE *file = fopen(EMU, "r");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

// Reads the emu's file with one piece of text replaced by another.
static cairn_err read_changed(const char *from, const char *to, cairn_body_description *ret_description)
{
    char *text = load_emu();
    char *at = strstr(text, from);
    assert_non_null(at);
    char path[] = "/tmp/cairn-robot-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    *at = '\0';
    fprintf(file, "%s%s%s", text, to, at + strlen(from));
    fclose(file);
    free(text);
    memset(&told, 0, sizeof told);
    const cairn_err err = cairn_body_description_read(path, &told, ret_description);
    unlink(path);
    return err;
}

static void the_emu_is_what_its_file_says(void **state)
{
    (void)state;
    cairn_body_description emu;
    memset(&told, 0, sizeof told);
    assert_ok(cairn_body_description_read(EMU, &told, &emu));
    assert_int_equal(told.count, 0);
    assert_string_equal(emu.name, "emu");
    assert_true(emu.mass_kg == 18);
    assert_int_equal(emu.drive, CAIRN_DRIVE_TORQUE);
    assert_int_equal(emu.watchdog_ns, CAIRN_MS(200));
    assert_true(emu.wheels.radius_m == 0.12 && emu.wheels.track_m == 0.38);
    assert_int_equal(emu.laser.beam_count, 1081);
    assert_true(fabs(emu.laser.field_rad - 1.5 * CAIRN_PI) < 1e-12);
    assert_true(fabs(emu.laser.spin_rad - 2 * CAIRN_PI) < 1e-12);
    assert_true(fabs(emu.laser.dropout - 0.002) < 1e-15);
    assert_true(fabs(emu.laser.delay_s - 0.003) < 1e-15);
    assert_true(emu.laser.base_T_laser.at_m.z == 0.33 && emu.laser.base_T_laser.turn.w == 1);
    assert_int_equal(emu.thermal.width_px * emu.thermal.height_px, 4800);
    assert_true(fabs(emu.limits.tilt_rad_max - 35 * CAIRN_PI / 180) < 1e-12);
    assert_true(emu.encoders.offered && emu.imu.offered && emu.laser.offered && emu.thermal.offered &&
                emu.battery.offered && emu.bumper_offered);
}

// The outer box must hold what sticks out of it, or planners pass too close.
static void the_emu_fits_in_its_outer_box(void **state)
{
    (void)state;
    cairn_body_description emu;
    memset(&told, 0, sizeof told);
    assert_ok(cairn_body_description_read(EMU, &told, &emu));
    assert_true(emu.wheels.wheelbase_m + 2 * emu.wheels.radius_m <= emu.length_m + 1e-9);
    assert_true(emu.wheels.track_m + emu.wheels.width_m <= emu.width_m + 1e-9);
    assert_true(emu.head_centre_m.z + emu.head_size_m.z / 2 <= emu.height_m + 1e-9);
    assert_true(hypot(emu.length_m, emu.width_m) / 2 <= 0.35); // the radius that arenas are checked for
}

static void the_levels_of_a_battery_have_defaults_and_an_order(void **state)
{
    (void)state;
    cairn_body_description robot;
    assert_ok(read_changed("  low_pct: 25  ", "  #", &robot));
    assert_true(fabs(robot.battery.low - 0.25) < 1e-12 && fabs(robot.battery.critical - 0.10) < 1e-12);
    assert_int_equal(read_changed("critical_pct: 10", "critical_pct: 30", &robot), CAIRN_ERR_INVALID);
}

static void a_sensor_that_is_left_out_is_not_offered(void **state)
{
    (void)state;
    cairn_body_description robot;
    assert_ok(read_changed("bumper: true\n", "", &robot));
    assert_false(robot.bumper_offered);
    assert_ok(read_changed("battery:\n"
                           "  capacity_wh: 200\n"
                           "  voltage_v_full: 25.2\n"
                           "  voltage_v_empty: 21.0\n"
                           "  idle_w: 25            # computer and sensors, standing still\n"
                           "  low_pct: 25           # below this a robot that searches by itself comes home\n"
                           "  critical_pct: 10      # below this it stands, unless the operator holds the guard off\n",
                           "", &robot));
    assert_false(robot.battery.offered);
    assert_true(robot.battery.capacity_wh == 0);
}

static void a_mount_is_turned_by_roll_pitch_yaw(void **state)
{
    (void)state;
    cairn_body_description robot;
    assert_ok(read_changed("{at_m: [0.20, 0.0, 0.30]}", "{at_m: [0.2, 0, 0.3], turn_deg: [0, 90, 0]}", &robot));
    // Pitched down by 90 degrees, the camera looks at the floor.
    const cairn_vec3 ahead = cairn_quat_rotate(robot.thermal.base_T_camera.turn, (cairn_vec3){1, 0, 0});
    assert_true(fabs(ahead.x) < 1e-12 && fabs(ahead.y) < 1e-12 && fabs(ahead.z + 1) < 1e-12);
}

#define TRACKS                                                                                                         \
    "tracks: {radius_m: 0.09, width_m: 0.08, track_m: 0.4, length_m: 0.5, torque_nm_max: 20, speed_radps_max: 8, "     \
    "turn_efficiency: 0.5, inertia_kgm2: 0.1}\n"
#define FLIPPERS                                                                                                       \
    "flippers: {pivot_m: [0.25, 0.09], track_m: 0.5, length_m: 0.3, radius_m: 0.05, width_m: 0.05, mass_kg: 1, "       \
    "torque_nm_max: 30, speed_degps_max: 60, angle_deg_min: -60, angle_deg_max: 180, angle_deg_start: 90}\n"

// All who treat robots as ones with four wheels must find wheels: a belt is two that turn together.
static void a_robot_on_tracks_has_the_wheels_that_its_belts_stand_for(void **state)
{
    (void)state;
    char *text = load_emu();
    char *wheels = strstr(text, "wheels:"), *encoders = strstr(text, "encoders:");
    assert_non_null(wheels);
    assert_non_null(encoders);
    char section[1024] = "";
    memcpy(section, wheels, (size_t)(encoders - wheels));
    free(text);
    cairn_body_description robot;
    assert_ok(read_changed(section, TRACKS FLIPPERS, &robot));
    assert_true(robot.tracks.offered && robot.flippers.offered && !robot.urdf.offered);
    assert_true(robot.wheels.wheelbase_m == 0.5 && robot.wheels.radius_m == 0.09);
    assert_true(robot.wheels.torque_nm_max == 10 && robot.wheels.rotor_inertia_kgm2 == 0.05);
    assert_true(robot.limits.step_m_max == 0.03 && robot.limits.gap_m_max == 0.05); // not said: careful
    assert_true(robot.limits.drop_m_max == 0.10);
    assert_int_equal(read_changed(section, "", &robot), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "either wheels or tracks; this one has neither"));
}

#define INFRARED(name)                                                                                                 \
    "  - {name: " name ", kind: infrared, mount: {at_m: [0.25, 0, 0.2], turn_deg: [0, 60, 0]}, range_m_min: 0.05, "    \
    "range_m_max: 1.5, noise_m: 0.005, rate_hz: 50, delay_ms: 10}\n"

static void the_magic_robot_is_what_its_maker_says(void **state)
{
    (void)state;
    cairn_body_description magic;
    memset(&told, 0, sizeof told);
    assert_ok(cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/magic.yaml", &told, &magic));
    assert_true(magic.encoders.rear_only);
    const double tick_m = 2 * CAIRN_PI * magic.wheels.radius_m / magic.encoders.ticks_per_turn;
    assert_true(fabs(tick_m - 0.0007) < 1e-6);
    const cairn_nod_description *nod = &magic.laser.nod;
    assert_true(nod->offered && nod->from_rad < 0 && nod->to_rad > 0);
    const double points = magic.laser.beam_count * magic.laser.rate_hz * nod->period_s;
    assert_true(points > 50000 && points < 60000 && nod->period_s == 1.25);
    assert_true(magic.thermal.pan_tilt.offered && magic.gps.offered);
    assert_true(fabs(magic.thermal.pan_tilt.pan_rad_max - 120 * CAIRN_PI / 180) < 1e-12);
    assert_true(magic.gps.claimed_m < magic.gps.multipath_m && fabs(magic.gps.delay_s - 0.12) < 1e-12);
    assert_true(magic.range_imager.offered && cairn_body_sees_ground(&magic));
    assert_int_equal(magic.range_sensor_count, 0);
}

static void range_sensors_are_read_in_order(void **state)
{
    (void)state;
    cairn_body_description robot;
    assert_ok(read_changed("bumper: true\n",
                           "range_sensors:\n" INFRARED("floor") INFRARED(
                               "left") "  - {name: ahead, kind: sonar, mount: {at_m: [0.27, 0, 0.2]}, field_deg: "
                                       "40, range_m_min: 0.2, range_m_max: 4, noise_m: 0.02, rate_hz: 12, "
                                       "delay_ms: 30}\n",
                           &robot));
    assert_int_equal(robot.range_sensor_count, 3);
    assert_string_equal(robot.range_sensors[1].name, "left");
    assert_int_equal(robot.range_sensors[2].kind, CAIRN_RANGE_SONAR);
    assert_true(fabs(robot.range_sensors[2].field_rad - 40 * CAIRN_PI / 180) < 1e-12);
    assert_true(robot.range_imager.offered && robot.range_imager.width_px == 44);
    assert_true(fabs(robot.range_imager.dropout - 0.005) < 1e-12);
    const cairn_vec3 looks = cairn_quat_rotate(robot.range_sensors[0].base_T_sensor.turn, (cairn_vec3){1, 0, 0});
    assert_true(fabs(looks.z + sin(60 * CAIRN_PI / 180)) < 1e-12); // down
}

static void robots_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"range_m_min: 0.06\n  range_m_max: 30.0", "range_m_min: 9\n  range_m_max: 8", "must be below range_m_max"},
        {"spin_deg: 360", "spin_deg: 200", "field_deg must not exceed spin_deg"},
        {"width_px: 80", "width_px: 640", "640 x 60 pixels; at most 19200"},
        {"voltage_v_empty: 21.0", "voltage_v_empty: 26", "voltage_v_empty must be below voltage_v_full"},
        {"mass_kg: 18.0", "mass_kg: -1", "mass_kg: found -1; expected a number from 0.1 to 2000 kg"},
        {"beam_count: 1081", "beam_count: 1441", "expected a whole number from 2 to 1440 beams"},
        {"drive: torque", "drive: sideways", "expected one of torque, velocity"},
        {"encoders:\n", "encoders:\n  wheels: middle\n", "expected one of all, rear"},
        {"bumper: true\n", TRACKS, "either wheels or tracks; this one has both"},
        {"bumper: true\n", FLIPPERS, "only a robot with tracks has them"},
        {"bumper: true\n", "range_sensors:\n" INFRARED("a") INFRARED("a"), "two are named \"a\""},
        {"bumper: true\n",
         "range_sensors:\n" INFRARED("a") INFRARED("b") INFRARED("c") INFRARED("d") INFRARED("e") INFRARED("f")
             INFRARED("g") INFRARED("h") INFRARED("i"),
         "range_sensors"},
        {"delay_ms: 3 ", "nod: {from_deg: 0, to_deg: 20, period_s: 0.2}\n  delay_ms: 3 ", "at least 10 scans"},
        {"bumper: true\n", "gps: {rate_hz: 5}\n", "claimed_m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_body_description robot;
        const cairn_err err = read_changed(cases[i].from, cases[i].to, &robot);
        assert_int_equal(err, CAIRN_ERR_INVALID);
        if (strstr(told.text, cases[i].reason) == NULL) { fail_msg("not told: %s\n%s", cases[i].reason, told.text); }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_emu_is_what_its_file_says),
        cmocka_unit_test(the_emu_fits_in_its_outer_box),
        cmocka_unit_test(the_levels_of_a_battery_have_defaults_and_an_order),
        cmocka_unit_test(a_sensor_that_is_left_out_is_not_offered),
        cmocka_unit_test(a_mount_is_turned_by_roll_pitch_yaw),
        cmocka_unit_test(a_robot_on_tracks_has_the_wheels_that_its_belts_stand_for),
        cmocka_unit_test(the_magic_robot_is_what_its_maker_says),
        cmocka_unit_test(range_sensors_are_read_in_order),
        cmocka_unit_test(robots_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
