// test_mission_file.c - mission files: names, paths and defaults.
#include "check.h"
#include "sim/mission/mission_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint8_t block[1 << 18];
static cairn_complaints told;

static cairn_err read_path(const char *path, cairn_mission_file *ret_mission)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    return cairn_mission_file_read(path, &memory, &told, ret_mission);
}

static cairn_err read_text(const char *text, cairn_mission_file *ret_mission)
{
    char path[] = "/tmp/cairn-mission-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, text, strlen(text)), strlen(text));
    close(handle);
    const cairn_err err = read_path(path, ret_mission);
    unlink(path);
    return err;
}

static void the_shipped_missions_name_files_that_exist(void **state)
{
    (void)state;
    const char *const paths[] = {CAIRN_SOURCE_ROOT "/missions/maze.yaml", CAIRN_SOURCE_ROOT "/missions/office.yaml"};
    const uint32_t robots[] = {2, 3};
    for (size_t i = 0; i < 2; i++) {
        cairn_mission_file mission;
        assert_ok(read_path(paths[i], &mission));
        assert_string_equal(mission.physics, "mujoco");
        assert_int_equal(mission.robot_count, robots[i]);
        assert_int_equal(access(mission.arena_file, R_OK), 0);
        for (uint32_t k = 0; k < mission.robot_count; k++) {
            assert_int_equal(access(mission.robots[k].file, R_OK), 0);
            assert_int_equal(mission.robots[k].mode, CAIRN_MODE_AUTONOMOUS);
        }
    }
}

static void robots_are_named_after_their_file_and_place(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(
        "name: m\narena: a.yaml\nphysics: planar\nduration_s: 60\n"
        "robots: [{file: ../robots/emu.yaml}, {file: x/kea.v2.yaml, name: Kea}, {file: emu.yaml, mode: idle}]\n",
        &mission));
    assert_string_equal(mission.robots[0].name, "emu1");
    assert_string_equal(mission.robots[0].file, "/tmp/../robots/emu.yaml");
    assert_string_equal(mission.robots[1].name, "Kea");
    assert_string_equal(mission.robots[2].name, "emu3");
    assert_int_equal(mission.robots[2].mode, CAIRN_MODE_IDLE);
    assert_string_equal(mission.arena_file, "/tmp/a.yaml");
    assert_true(mission.end_when_done);
    assert_true(mission.journal.scan_hz == 10 && mission.journal.thermal_hz == 1);
}

#define PLAIN "name: m\narena: a.yaml\nphysics: planar\nduration_s: 60\nrobots: [{file: a}]\n"

static void a_mission_that_says_nothing_has_the_default_radio(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PLAIN, &mission));
    const cairn_medium_radio usual = cairn_medium_radio_default(), *radio = &mission.radio;
    assert_true(radio->rate_bps == usual.rate_bps && radio->loss == usual.loss && radio->duplicate == usual.duplicate);
    assert_true(radio->delay_s == usual.delay_s && radio->jitter_s == usual.jitter_s);
    assert_true(radio->wall_cost == usual.wall_cost);
    assert_false(radio->station.given);
    assert_int_equal(radio->silence_count + radio->zone_count, 0);
}

static void a_mission_may_say_how_bad_its_radio_is(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PLAIN "radio:\n  rate_kbps: 9.6\n  loss_pct: 30\n  duplicate_pct: 2\n  delay_ms: 40\n"
                              "  jitter_ms: 500\n  wall_cost: 2.5\n  station: {at_m: [1, -2]}\n"
                              "  silences: [{from_s: 60, to_s: 80}]\n  zones: [{at_m: [4, 5], size_m: [2, 3]}]\n",
                        &mission));
    const cairn_medium_radio *radio = &mission.radio;
    assert_true(fabs(radio->rate_bps - 9600) < 1e-6 && fabs(radio->loss - 0.3) < 1e-12);
    assert_true(fabs(radio->duplicate - 0.02) < 1e-12 && radio->wall_cost == 2.5);
    assert_true(fabs(radio->delay_s - 0.04) < 1e-12 && fabs(radio->jitter_s - 0.5) < 1e-12);
    assert_true(radio->station.given && radio->station.at_m.x == 1 && radio->station.at_m.y == -2);
    assert_int_equal(radio->silence_count, 1);
    assert_true(radio->silences[0].from_s == 60 && radio->silences[0].to_s == 80);
    assert_int_equal(radio->zone_count, 1);
    assert_true(radio->zones[0].at_m.x == 4 && radio->zones[0].size_m.y == 3);
}

static void missions_that_cannot_be_run_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *reason;
    } cases[] = {
        {"name: m\narena: a.yaml\nphysics: planar\nduration_s: 60\nrobots: [{file: a, name: x}, {file: b, name: x}]\n",
         "robots[1].name: another robot is named x too"},
        {"name: m\narena: a.yaml\nphysics: planer\nduration_s: 60\nrobots: [{file: a}]\n", "did you mean \"planar\"?"},
        {"name: m\narena: a.yaml\nphysics: planar\nduration_s: 0\nrobots: [{file: a}]\n", "duration_s: found 0"},
        {"name: m\narena: a.yaml\nphysics: planar\nduration_s: 9\nrobots: []\n", "robots: found a list of 0"},
        {"name: m\narena: a.yaml\nphysics: planar\nduration_s: 9\nrobots: [{file: a, mode: wander}]\n",
         "robots[0].mode: found wander; expected one of stopped"},
        {"name: m\narena: a.yaml\nphysics: planar\nduration_s: 9\nrobots: [{file: a, mode: stopped}]\n",
         "robots[0].mode: a robot cannot begin stopped"},
        {"name: m\nphysics: planar\nduration_s: 9\nrobots: [{file: a}]\n", "arena: missing"},
        {PLAIN "radio:\n  silences:\n    - {from_s: 1, to_s: 2}\n    - {from_s: 20, to_s: 20}\n",
         ":9: radio.silences[1].to_s: found 20; expected more than from_s, 20"},
        {PLAIN "radio: {loss: 3}\n", "did you mean \"loss_pct\"?"},
        {PLAIN "radio: {rate_kbps: 0}\n", "radio.rate_kbps: found 0"},
        {PLAIN "radio: {zones: [{at_m: [1, 2], size_m: [0, 3]}]}\n", "radio.zones[0].size_m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_mission_file mission;
        assert_int_equal(read_text(cases[i].text, &mission), CAIRN_ERR_INVALID);
        if (strstr(told.text, cases[i].reason) == NULL) { fail_msg("not told: %s\n%s", cases[i].reason, told.text); }
    }
}

// The words in files are the names that people see everywhere else.
static void modes_are_written_as_they_are_named(void **state)
{
    (void)state;
    for (int mode = CAIRN_MODE_PAUSED; mode < CAIRN_MODE_COUNT; mode++) {
        char text[256];
        snprintf(text, sizeof text,
                 "name: m\narena: a\nphysics: planar\nduration_s: 9\nrobots: [{file: a, mode: %s}]\n",
                 cairn_mode_name((cairn_mode)mode));
        cairn_mission_file mission;
        assert_ok(read_text(text, &mission));
        assert_int_equal(mission.robots[0].mode, mode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_missions_name_files_that_exist),
        cmocka_unit_test(robots_are_named_after_their_file_and_place),
        cmocka_unit_test(a_mission_that_says_nothing_has_the_default_radio),
        cmocka_unit_test(a_mission_may_say_how_bad_its_radio_is),
        cmocka_unit_test(missions_that_cannot_be_run_are_refused),
        cmocka_unit_test(modes_are_written_as_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
