// test_urdf.c - robots out of URDF files: the example drives, and files that cannot be robots are refused in words.
#include "base/random.h"
#include "body/description_io.h"
#include "physics_rig.h"
#include "sim/physics/mujoco/mujoco_urdf.h"
#include <stdlib.h>
#include <string.h>

#define ROVER CAIRN_SOURCE_ROOT "/robots/rover.yaml"
#define ROVER_URDF CAIRN_SOURCE_ROOT "/robots/urdf/rover.urdf"

static cairn_complaints told;

static cairn_body_description rover(void)
{
    cairn_body_description robot;
    memset(&told, 0, sizeof told);
    if (cairn_body_description_read(ROVER, &told, &robot) != CAIRN_OK) { fail_msg("%s", told.text); }
    return robot;
}

static char *load_text(void)
{
    FILE *file = fopen(ROVER_URDF, "r");
    assert_non_null(file);
    char *text = calloc(1, CAIRN_URDF_BYTES_MAX);
    assert_non_null(text);
    assert_true(fread(text, 1, CAIRN_URDF_BYTES_MAX - 1, file) > 0);
    fclose(file);
    return text;
}

static void start(rig *it, const cairn_physics_kind *kind)
{
    it->place.size_m = (cairn_vec2){20, 10};
    it->kind = kind;
    it->robot = rover();
    it->robot_count = 1;
    const cairn_body_description *robots[1] = {&it->robot};
    const cairn_pose2 starts[1] = {{2, 5, 0}};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = 1, .robots = robots, .starts = starts, .seed = 1};
    if (kind->create(&def, &told, &it->physics) != CAIRN_OK) { fail_msg("%s", told.text); }
}

// The same orders in both physics: a URDF's body and the measures of its robot file are the same robot.
static void the_rover_drives_two_metres_straight_in_both_physics(void **state)
{
    (void)state;
    const cairn_physics_kind *const kinds[] = {&cairn_physics_mujoco, &cairn_physics_planar};
    for (int i = 0; i < 2; i++) {
        rig it = {.step = 0};
        start(&it, kinds[i]);
        run(&it, 1);
        assert_near(truth_of(&it, 0).map_T_base.at_m.z, 0, 1e-3);
        want(&it, 0, 0.4, 0);
        run(&it, 5);
        const cairn_robot_truth truth = truth_of(&it, 0);
        assert_near(truth.map_T_base.at_m.x, 4, 0.2);
        assert_near(truth.map_T_base.at_m.y, 5, 0.2);
        assert_near(truth.wheel_radps[1], 0.4 / it.robot.wheels.radius_m, 0.1); // the right axes point to the right
        rig_end(&it);
    }
}

static void the_rover_turns_as_its_robot_file_says(void **state)
{
    (void)state;
    rig it = {.step = 0};
    start(&it, &cairn_physics_mujoco);
    want(&it, 0, 0, 1);
    run(&it, 2);
    const double before_rad = cairn_pose3_to_pose2(truth_of(&it, 0).map_T_base).yaw_rad;
    run(&it, 2);
    const double turned_rad = cairn_pose3_to_pose2(truth_of(&it, 0).map_T_base).yaw_rad - before_rad;
    assert_near(turned_rad / 2, it.robot.wheels.turn_efficiency, 0.05 * it.robot.wheels.turn_efficiency);
    rig_end(&it);
}

// What weighs and reaches like the links must feel like them: with its mast in the way it does not pass below a bar.
static void its_links_are_felt(void **state)
{
    (void)state;
    cairn_solid bar = {.kind = CAIRN_SOLID_BOX, .map_T_box = {{3, 5, 0.36}, {.w = 1}}, .half_m = {0.05, 1, 0.03}};
    rig it = {.place = {.solid_count = 1, .solids = &bar}};
    start(&it, &cairn_physics_mujoco);
    want(&it, 0, 0.3, 0);
    run(&it, 3.4); // later it rears up: its mast is held and its wheels drive on
    assert_true(truth_of(&it, 0).map_T_base.at_m.x < 3);
    assert_int_equal(it.kind->collisions(it.physics, 0).count, 1);
    rig_end(&it);
}

// Reads the rover's file with one piece of text replaced by another.
static cairn_err parse_changed(const char *from, const char *to)
{
    const cairn_body_description robot = rover();
    char *text = load_text(), *changed = calloc(1, CAIRN_URDF_BYTES_MAX + 4096);
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_non_null(changed);
    *at = '\0';
    snprintf(changed, CAIRN_URDF_BYTES_MAX + 4096, "%s%s%s", text, to, at + strlen(from));
    cairn_mujoco_urdf *urdf = NULL;
    const cairn_err err = cairn_mujoco_urdf_parse(changed, strlen(changed), &robot, &told, &urdf);
    cairn_mujoco_urdf_destroy(urdf);
    free(text);
    free(changed);
    return err;
}

static void files_that_cannot_be_this_robot_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"\"front_left_wheel_joint\"", "\"another_joint\"",
         "no joint \"front_left_wheel_joint\", the robot file's front"},
        {"\"front_left_wheel_joint\" type=\"continuous\"", "\"front_left_wheel_joint\" type=\"prismatic\"",
         "must be continuous or revolute"},
        {"<axis xyz=\"0 1 0\"/>", "<axis xyz=\"1 0 0\"/>", "does not turn about the robot's y"},
        {"xyz=\"0.14 0.16 -0.02\"", "xyz=\"0.24 0.16 -0.02\"", "it is at [0.140, 0.160, 0.100]"},
        {"<mass value=\"9.0\"/>", "<mass value=\"19.0\"/>", "its links weigh 22.000 kg in all"},
        {"<box size=\"0.40 0.24 0.10\"/>", "<box size=\"0.90 0.24 0.10\"/>", "\"base_link\" reaches 0.210 m out"},
        {"<box size=\"0.40 0.24 0.10\"/>", "<mesh filename=\"/etc/passwd\"/>", "a <collision> is a mesh"},
        {"<robot name=\"rover\">", "<robot name=\"rover\"><include file=\"/etc/passwd\"/>", "includes another file"},
        {"<robot name=\"rover\">", "<robot name=\"rover\"><mujoco/>", "an extension of MuJoCo"},
        {"<?xml version=\"1.0\"?>", "<!DOCTYPE x>", "a document type"},
        {"type=\"fixed\"", "type=\"loose\"", "a joint is of a strange type"},
        {"<robot name=\"rover\">", "<robot name=\"rover\"><!--\n\n\n-->\n<include file=\"x\"/>",
         "rover.urdf:8: includes another file"},
        {"<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 nan 0\"/>", "does not turn about the robot's y"},
        {"xyz=\"0.14 0.16 -0.02\"", "xyz=\"inf 0.16 -0.02\"", "has a number that is none"},
        {"</robot>",
         "<link name=\"far\"/><joint name=\"f\" type=\"fixed\"><origin xyz=\"1e9 0 0\"/>"
         "<parent link=\"mast\"/><child link=\"far\"/></joint></robot>",
         "link \"far\" or its joint has a number that is none, or too large"},
        {"</robot>", "", "there is no <robot>"},
        {"<child link=\"mast\"/>", "<child link=\"nothing\"/>", "MuJoCo does not take it"},
        {"<child link=\"plate\"/>", "<child link=\"plate\"", "MuJoCo does not take it"},
        {"<parent link=\"mast\"/>", "<parent link=\"rear_left_wheel\"/>", "something hangs on the wheel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse_changed(cases[i].from, cases[i].to), CAIRN_ERR_INVALID);
        if (strstr(told.text, cases[i].reason) == NULL) { fail_msg("not told: %s\n%s", cases[i].reason, told.text); }
        assert_non_null(strstr(told.text, "rover.urdf"));
    }
}

static void a_file_that_is_missing_or_too_large_is_refused(void **state)
{
    (void)state;
    cairn_body_description robot = rover();
    cairn_mujoco_urdf *urdf = NULL;
    strcpy(robot.urdf.path, "/nowhere/at.urdf");
    assert_int_equal(cairn_mujoco_urdf_create(&robot, &told, &urdf), CAIRN_ERR_IO);
    char *large = calloc(1, CAIRN_URDF_BYTES_MAX + 1);
    assert_non_null(large);
    memset(large, ' ', CAIRN_URDF_BYTES_MAX + 1);
    assert_int_equal(cairn_mujoco_urdf_parse(large, CAIRN_URDF_BYTES_MAX + 1, &robot, &told, &urdf),
                     CAIRN_ERR_TOO_LARGE);
    free(large);
}

static const char *line_at(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n') { at--; }
    return text + at;
}

// Puts a copy of one line in place of another.
static void swap_lines(char *text, cairn_random *random)
{
    const size_t bytes = strlen(text);
    const char *from = line_at(text, cairn_random_below(random, (uint32_t)bytes));
    const char *to = line_at(text, cairn_random_below(random, (uint32_t)bytes));
    char *changed = calloc(1, 2 * CAIRN_URDF_BYTES_MAX);
    assert_non_null(changed);
    snprintf(changed, 2 * CAIRN_URDF_BYTES_MAX, "%.*s%.*s%s", (int)(to - text), text, (int)strcspn(from, "\n"), from,
             to + strcspn(to, "\n"));
    memcpy(text, changed, strlen(changed) + 1);
    free(changed);
}

static void spoil_letters(char *text, cairn_random *random)
{
    for (int i = 0; i < 3; i++) {
        const char letters[] = "<>\"/ 0-e.9ax\n";
        text[cairn_random_below(random, (uint32_t)strlen(text))] = letters[cairn_random_below(random, 13)];
    }
}

// Damaged files are refused in words or are robots; what is ours does not break.
static void damaged_files_are_refused_or_sound(void **state)
{
    (void)state;
    const uint64_t seed = 17;
    print_message("seed %u\n", (unsigned)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/urdf");
    const cairn_body_description robot = rover();
    uint32_t refused_count = 0;
    for (int round = 0; round < 600; round++) {
        char *text = load_text();
        if (round % 2 == 0) {
            spoil_letters(text, &random);
        } else {
            swap_lines(text, &random);
        }
        cairn_mujoco_urdf *urdf = NULL;
        memset(&told, 0, sizeof told);
        const cairn_err err = cairn_mujoco_urdf_parse(text, strlen(text), &robot, &told, &urdf);
        refused_count += err != CAIRN_OK;
        assert_true((err == CAIRN_OK) == (urdf != NULL) && (err == CAIRN_OK) == (told.count == 0));
        cairn_mujoco_urdf_destroy(urdf);
        free(text);
    }
    assert_true(refused_count > 30 && refused_count < 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rover_drives_two_metres_straight_in_both_physics),
        cmocka_unit_test(the_rover_turns_as_its_robot_file_says),
        cmocka_unit_test(its_links_are_felt),
        cmocka_unit_test(files_that_cannot_be_this_robot_are_refused),
        cmocka_unit_test(a_file_that_is_missing_or_too_large_is_refused),
        cmocka_unit_test(damaged_files_are_refused_or_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
