// test_mission_file.c - mission files: names, paths and defaults.
#include "check.h"
#include "sim/mission/mission_file.h"
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
        cmocka_unit_test(missions_that_cannot_be_run_are_refused),
        cmocka_unit_test(modes_are_written_as_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
