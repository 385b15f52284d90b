// test_mission_file.c - mission files: names, paths, defaults, radios and scripted operators.
#include "check.h"
#include "sim/mission/file/event_file.h"
#include "sim/mission/file/mission_file.h"
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
    const struct {
        const char *name;
        uint32_t robots, actions, events, phases;
    } shipped[] = {{"maze", 2, 0, 0, 0},      {"office", 3, 0, 0, 0}, {"office-14", 14, 0, 0, 0},
                   {"operator", 2, 8, 0, 0},  {"yard", 4, 4, 4, 0},   {"radio-dropout", 1, 1, 0, 0},
                   {"collapsed", 3, 3, 2, 3}, {"magic", 14, 0, 0, 3}, {"areas", 2, 0, 0, 0}};
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        cairn_mission_file mission;
        char path[512];
        snprintf(path, sizeof path, "%s/missions/%s.yaml", CAIRN_SOURCE_ROOT, shipped[i].name);
        if (read_path(path, &mission) != CAIRN_OK) { fail_msg("%s", told.text); }
        assert_string_equal(mission.name, shipped[i].name);
        assert_int_equal(mission.robot_count, shipped[i].robots);
        assert_int_equal(mission.action_count, shipped[i].actions);
        assert_int_equal(mission.event_count, shipped[i].events);
        assert_int_equal(mission.phase_count, shipped[i].phases);
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
    assert_true(radio->wall_cost == usual.wall_cost && radio->relay_delay_s == usual.relay_delay_s);
    assert_false(radio->station.given);
    assert_int_equal(radio->silence_count + radio->zone_count + radio->relay_count, 0);
    assert_int_equal(radio->model, CAIRN_MEDIUM_SIMPLE);
    assert_memory_equal(&radio->log_distance, &usual.log_distance, sizeof usual.log_distance);
    assert_memory_equal(&radio->subt, &usual.subt, sizeof usual.subt);
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

// A section that is there but says nothing means what a missing one means.
static void the_sections_of_models_have_the_models_defaults(void **state)
{
    (void)state;
    cairn_mission_file mission;
    const cairn_medium_radio usual = cairn_medium_radio_default();
    assert_ok(read_text(PLAIN "radio: {model: log-distance, log_distance: {}}\n", &mission));
    assert_int_equal(mission.radio.model, CAIRN_MEDIUM_LOG_DISTANCE);
    assert_memory_equal(&mission.radio.log_distance, &usual.log_distance, sizeof usual.log_distance);
    assert_ok(read_text(PLAIN "radio: {model: subt, subt: {}}\n", &mission));
    assert_int_equal(mission.radio.model, CAIRN_MEDIUM_SUBT);
    cairn_medium_path subt = mission.radio.subt;
    subt.antenna_m = usual.subt.antenna_m; // not in the file: it is the same for all models
    assert_memory_equal(&subt, &usual.subt, sizeof usual.subt);
}

static void a_mission_may_choose_a_radio_model_and_relays(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PLAIN "radio:\n  model: log-distance\n  relay_delay_ms: 12\n  relays: [{at_m: [3, 4]}, {at_m: "
                              "[-5, 6]}]\n  log_distance:\n    transmit_dbm: 10\n    materials: {concrete_db: 20, "
                              "glass_db: 1}\n    exponent: 3.5\n    sensitivity_dbm: -85\n    shadowing_db: 0\n",
                        &mission));
    const cairn_medium_log_distance *log_distance = &mission.radio.log_distance;
    assert_true(log_distance->transmit_dbm == 10 && log_distance->exponent == 3.5 && log_distance->fading_db == 2);
    assert_true(log_distance->sensitivity_dbm == -85 && log_distance->shadowing_db == 0);
    assert_true(log_distance->material_db[CAIRN_MATERIAL_CONCRETE] == 20);
    assert_true(log_distance->material_db[CAIRN_MATERIAL_GLASS] == 1);
    assert_true(log_distance->material_db[CAIRN_MATERIAL_METAL] == 26);
    assert_true(fabs(mission.radio.relay_delay_s - 0.012) < 1e-12);
    assert_int_equal(mission.radio.relay_count, 2);
    assert_true(mission.radio.relays[1].at_m.x == -5 && mission.radio.relays[1].at_m.y == 6);

    assert_ok(read_text(PLAIN "radio: {model: subt, rate_kbps: 1000, subt: {noise_dbm: -80, relay_m: 3}}\n", &mission));
    assert_true(mission.radio.subt.noise_dbm == -80 && mission.radio.subt.relay_m == 3);
    assert_true(mission.radio.subt.exponent == 1.5);
}

// What is behind a sign in a shipped mission must work when somebody takes the sign away.
static void the_office_can_be_uncommented(void **state)
{
    (void)state;
    static char text[1 << 14], plain[1 << 14];
    FILE *file = fopen(CAIRN_SOURCE_ROOT "/missions/office.yaml", "r");
    assert_non_null(file);
    size_t used = 0;
    bool section = false;
    while (fgets(text, sizeof text, file) != NULL) {
        section = (section && strncmp(text, "#  ", 3) == 0) || strcmp(text, "# radio:\n") == 0 ||
                  strcmp(text, "# operator:\n") == 0;
        used += (size_t)snprintf(plain + used, sizeof plain - used, "%s", section ? text + 2 : text);
        assert_true(used < sizeof plain);
    }
    fclose(file);
    cairn_mission_file mission;
    if (read_text(plain, &mission) != CAIRN_OK) { fail_msg("%s", told.text); }
    assert_int_equal(mission.radio.silence_count, 1);
    assert_int_equal(mission.radio.zone_count, 1);
    assert_int_equal(mission.action_count, 2);
}

#define AREA "{name: a, kind: keep_in, corners_m: [[0, 0], [1, 0], [1, 1]]}"
#define NINE_AREAS AREA ", " AREA ", " AREA ", " AREA ", " AREA ", " AREA ", " AREA ", " AREA ", " AREA
#define PAIR "name: m\narena: a.yaml\nphysics: planar\nduration_s: 60\nrobots: [{file: a}, {file: b, name: Kea}]\n"

// As they happen, not as they are written; what is of one moment stays as written.
static void an_operators_actions_are_sorted_by_time(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PAIR "operator:\n"
                             "  - {at_s: 30, do: drive, robot: Kea, forward: -0.5, turn: 0.25, for_s: 2.5}\n"
                             "  - {at_s: 5, do: stop}\n"
                             "  - {at_s: 30, do: mode, robot: a1, mode: assisted left}\n"
                             "  - {at_s: 30, do: go, robot: a1, x_m: 3, y_m: -4}\n"
                             "  - {at_s: 5, do: release, robot: Kea}\n"
                             "  - {at_s: 0, do: home, robot: a1}\n",
                        &mission));
    const uint32_t lines[] = {12, 8, 11, 7, 9, 10};
    assert_int_equal(mission.action_count, 6);
    for (uint32_t i = 0; i < 6; i++) { assert_int_equal(mission.actions[i].line, lines[i]); }
    const cairn_operator_action *stop = &mission.actions[1].action, *release = &mission.actions[2].action;
    assert_true(mission.actions[0].action.verb == CAIRN_DO_HOME && mission.actions[0].action.robot == 1);
    assert_true(stop->verb == CAIRN_DO_STOP && stop->robot == CAIRN_ALL_ROBOTS && mission.actions[1].at_s == 5);
    assert_true(release->verb == CAIRN_DO_RELEASE && release->robot == 2);
    const cairn_operator_action *drive = &mission.actions[3].action, *go = &mission.actions[5].action;
    assert_true(drive->verb == CAIRN_DO_DRIVE && drive->robot == 2 && mission.actions[3].for_s == 2.5);
    assert_true(drive->forward == -0.5 && drive->turn == 0.25 && drive->dead_man);
    assert_int_equal(mission.actions[4].action.mode, CAIRN_MODE_ASSISTED_LEFT);
    assert_true(go->verb == CAIRN_DO_GO && go->to_m.x == 3 && go->to_m.y == -4);
    cairn_script script;
    cairn_script_init(&script, mission.actions, mission.action_count);
}

static void actions_are_written_as_they_are_named(void **state)
{
    (void)state;
    const char *const keys[CAIRN_DO_COUNT] = {[CAIRN_DO_MODE] = ", mode: idle",
                                              [CAIRN_DO_GO] = ", x_m: 0, y_m: 0",
                                              [CAIRN_DO_DRIVE] = ", for_s: 1",
                                              [CAIRN_DO_OVERRIDE] = ", guard: tilt, for_s: 1"};
    for (int verb = 0; verb < CAIRN_DO_COUNT; verb++) {
        char text[512];
        snprintf(text, sizeof text, "%soperator: [{at_s: 1, robot: a1, do: %s%s}]\n", PAIR,
                 cairn_operator_verb_name((cairn_operator_verb)verb), keys[verb] != NULL ? keys[verb] : "");
        cairn_mission_file mission;
        assert_ok(read_text(text, &mission));
        assert_int_equal(mission.actions[0].action.verb, verb);
    }
}

static void an_operator_has_at_most_256_actions(void **state)
{
    (void)state;
    for (uint32_t count = 256; count <= 257; count++) {
        static char text[1 << 14];
        size_t used = (size_t)snprintf(text, sizeof text, "%soperator:\n", PAIR);
        for (uint32_t i = 0; i < count; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "  - {at_s: 1, do: stop}\n");
        }
        cairn_mission_file mission;
        assert_int_equal(read_text(text, &mission), count == 256 ? CAIRN_OK : CAIRN_ERR_INVALID);
    }
    assert_non_null(strstr(told.text, "operator: found a list of 257"));
}

#define HEAD "name: m\narena: a.yaml\nphysics: planar\n"

// Phases follow each other without a gap; together they are the mission.
static void phases_follow_each_other(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(
        read_text(HEAD "robots: [{file: a}]\nphases: [{name: one, for_s: 30}, {name: two, for_s: 12.5}]\n", &mission));
    assert_int_equal(mission.phase_count, 2);
    assert_string_equal(mission.phases[1].name, "two");
    assert_true(mission.phases[0].from_s == 0 && mission.phases[0].to_s == 30);
    assert_true(mission.phases[1].from_s == 30 && mission.phases[1].to_s == 42.5 && mission.duration_s == 42.5);
}

// Robots that come home are sent by the operator, each by name, after what he does earlier and before what comes later.
static void home_time_is_an_action_for_each_robot(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PAIR "home_at_s: 40\noperator: [{at_s: 50, do: stop}, {at_s: 1, do: stop}]\n", &mission));
    assert_int_equal(mission.action_count, 4);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_true(mission.actions[i].at_s == 40 && mission.actions[i].action.verb == CAIRN_DO_HOME);
        assert_int_equal(mission.actions[i].action.robot, i);
    }
    assert_true(mission.actions[3].at_s == 50);
}

#define EVENTS                                                                                                         \
    "events:\n  - {at_s: 30, do: fail, robot: Kea, sensor: laser, for_s: 4}\n  - {at_s: 5, do: close, door: d2}\n"     \
    "  - {at_s: 30, do: kill, robot: a1}\n  - {at_s: 6, do: aftershock, strength_mps: 0.5}\n"                          \
    "  - {at_s: 7, do: reboot, for_s: 3}\n  - {at_s: 0, do: open, door: d1}\n"

static void events_are_sorted_by_time(void **state)
{
    (void)state;
    cairn_mission_file mission;
    assert_ok(read_text(PAIR EVENTS, &mission));
    const uint32_t lines[] = {12, 8, 10, 11, 7, 9};
    assert_int_equal(mission.event_count, 6);
    for (uint32_t i = 0; i < 6; i++) { assert_int_equal(mission.events[i].line, lines[i]); }
    const cairn_mission_event *fail = &mission.events[4];
    assert_true(fail->kind == CAIRN_EVENT_FAIL && fail->robot == 1 && fail->sensor == CAIRN_SENSOR_LASER);
    assert_true(fail->for_s == 4 && mission.events[2].strength_mps == 0.5);
}

#define FAIL "events: [{at_s: 1, do: fail, robot: Kea, sensor: "

static cairn_failure read_fail(const char *rest)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s%s}]\n", PAIR, FAIL, rest);
    cairn_mission_file mission;
    assert_ok(read_text(text, &mission));
    return mission.events[0].failure;
}

static void a_sensor_fails_silently_unless_the_file_says_how(void **state)
{
    (void)state;
    const cairn_failure silent = read_fail("laser"), frozen = read_fail("laser, how: frozen"),
                        biased = read_fail("imu, how: biased, by_degps: -3"),
                        stuck = read_fail("bumper, how: stuck, part: right"),
                        late = read_fail("gps, how: late, late_s: 0.5");
    assert_int_equal(silent.way, CAIRN_FAILURE_SILENT);
    assert_int_equal(frozen.way, CAIRN_FAILURE_FROZEN);
    assert_true(biased.figure == CAIRN_FAILURE_BY_DEGPS && biased.amount == -3);
    assert_true(stuck.way == CAIRN_FAILURE_STUCK && stuck.part == 3);
    assert_true(late.figure == CAIRN_FAILURE_LATE_S && late.amount == 0.5);
}

// The file and the table of the simulator agree: whatever the table allows can be written, and nothing else.
static void every_failure_of_the_table_can_be_written_and_no_other(void **state)
{
    (void)state;
    for (cairn_sensor sensor = 0; sensor < CAIRN_SENSOR_COUNT; sensor++) {
        for (uint32_t way = 0; way < CAIRN_FAILURE_WAY_COUNT; way++) {
            for (uint32_t figure = 0; figure < CAIRN_FAILURE_FIGURE_COUNT; figure++) {
                const cairn_failure_rule *rule = cairn_failure_rule_of(sensor, (cairn_failure_way)way);
                const cairn_failure failure = {.way = way, .figure = figure, .amount = figure > 0 ? 1 : 0};
                char text[512], part[32] = "", amount[32] = "";
                if (rule->parts != NULL) { snprintf(part, sizeof part, ", part: %s", rule->parts[0]); }
                if (figure > 0) { snprintf(amount, sizeof amount, ", %s: 1", cairn_failure_keys[figure].key); }
                snprintf(text, sizeof text, "%s%s%s, how: %s%s%s}]\n", PAIR, FAIL, cairn_sensor_names[sensor],
                         cairn_failure_words[way], part, amount);
                cairn_mission_file mission;
                const bool good = read_text(text, &mission) == CAIRN_OK;
                assert_int_equal(good, cairn_failure_is_sound(sensor, &failure));
                if (good) { assert_memory_equal(&mission.events[0].failure, &failure, sizeof failure); }
            }
        }
    }
}

// Doors are known only when the arena is read, sensors only when the robots are.
static void events_are_tied_to_the_arena_and_the_robots(void **state)
{
    (void)state;
    cairn_mission_file mission;
    cairn_sim_door doors[2] = {{.name = "d1"}, {.name = "d2"}};
    cairn_sim_arena arena = {.name = "hall", .door_count = 2, .doors = doors, .block_count = 1};
    cairn_body_description robots[2] = {{.laser.offered = true}, {.laser.offered = true}};
    assert_ok(read_text(PAIR EVENTS, &mission));
    assert_ok(cairn_events_tie("m.yaml", &arena, robots, &told, &mission));
    assert_int_equal(mission.events[0].door, 0);
    assert_int_equal(mission.events[1].door, 1);

    arena.door_count = 1;
    arena.block_count = 0;
    robots[1].laser.offered = false;
    assert_int_equal(cairn_events_tie("m.yaml", &arena, robots, &told, &mission), CAIRN_ERR_INVALID);
    assert_int_equal(told.count, 3);
    assert_non_null(strstr(told.text, "m.yaml:8: events: found door d2; expected a door of arena hall, such as d1"));
    assert_non_null(strstr(told.text, "m.yaml:10: events: aftershock: nothing is loose in arena hall"));
    assert_non_null(strstr(told.text, "m.yaml:7: events: fail: Kea has no laser"));

    // Of a robot without any sensor, none can fail.
    robots[1] = (cairn_body_description){0};
    for (int i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        cairn_mission_event fail = {.kind = CAIRN_EVENT_FAIL, .robot = 1, .sensor = (cairn_sensor)i};
        mission.events = &fail;
        mission.event_count = 1;
        told = (cairn_complaints){0};
        assert_int_equal(cairn_events_tie("m.yaml", &arena, robots, &told, &mission), CAIRN_ERR_INVALID);
        assert_non_null(strstr(told.text, cairn_sensor_names[i]));
    }
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
        {PAIR FAIL "laser, how: frosen}]\n", ":6: events[0].how: found frosen; expected silent, frozen, stuck"},
        {PAIR FAIL "bumper, how: biased}]\n", ":6: events[0].how: biased bumper means nothing; see docs/missions.md"},
        {PAIR FAIL "imu, how: jumping}]\n", ":6: events[0].how: jumping imu needs by_degps or by_mps2"},
        {PAIR FAIL "imu, how: jumping, by_degps: 1, by_mps2: 1}]\n",
         ":6: events[0].by_mps2: jumping imu takes one of: by_degps or by_mps2"},
        {PAIR FAIL "imu, how: biased, by_m: 1}]\n", ":6: events[0].by_m: biased imu takes one of: by_degps"},
        {PAIR FAIL "laser, by_m: 1}]\n", ":6: events[0].by_m: silent laser takes no figure; remove it"},
        {PAIR FAIL "laser, how: late, late_s: 3}]\n", ":6: events[0].late_s: late laser takes 0 to 2 s; found 3"},
        {PAIR FAIL "laser, how: stuck, at_m: -1}]\n", ":6: events[0].at_m: stuck laser takes 0 to 100 m; found -1"},
        {PAIR FAIL "encoders, how: stuck}]\n",
         ":6: events[0].part: stuck encoders needs a part: front_left, front_right, rear_left or rear_right"},
        {PAIR FAIL "laser, how: frozen, part: left}]\n", ":6: events[0].part: frozen laser takes no part; remove left"},
        {PAIR "events: [{at_s: 1, do: kill, robot: Kea, how: frozen}]\n", ":6: events[0].how: kill takes none"},
        {PAIR "events: [{at_s: 1, do: kill, robot: Kea, by_m: 2}]\n",
         ":6: events[0].by_ and the like: kill takes none"},
        {PLAIN "radio:\n  silences:\n    - {from_s: 1, to_s: 2}\n    - {from_s: 20, to_s: 20}\n",
         ":9: radio.silences[1].to_s: found 20; expected more than from_s, 20"},
        {PLAIN "radio: {model: simpel}\n", "did you mean \"simple\"?"},
        {PLAIN "radio:\n  model: subt\n  log_distance:\n    exponent: 2\n",
         ":9: radio.log_distance: not of model subt; write model: log-distance"},
        {PLAIN "radio:\n  subt:\n    noise_dbm: -90\n", ":8: radio.subt: not of model simple; write model: subt"},
        {PLAIN "radio:\n  model: log-distance\n  wall_cost: 2\n", "radio.wall_cost: not of model log-distance"},
        {PLAIN "radio:\n  model: subt\n  relay_delay_ms: 2\n", "radio.relay_delay_ms: not of model subt"},
        {PLAIN "radio:\n  model: log-distance\n  log_distance:\n    materials:\n      concrete_db: -3\n",
         ":10: radio.log_distance.materials.concrete_db: found -3"},
        {PLAIN "radio: {relays: [{x_m: 3}]}\n", "radio.relays[0]"},
        {PLAIN "radio: {loss: 3}\n", "did you mean \"loss_pct\"?"},
        {PLAIN "radio: {rate_kbps: 0}\n", "radio.rate_kbps: found 0"},
        {PLAIN "radio: {zones: [{at_m: [1, 2], size_m: [0, 3]}]}\n", "radio.zones[0].size_m"},
        {PAIR "areas: [{name: a, kind: keep_in, corners_m: [[0, 0], [1, 0]]}]\n",
         ":6: areas[0].corners_m: found a list of 2"},
        {PAIR "areas:\n  - {name: a, kind: keep_in, corners_m: [[0, 0], [1, 0], [1, 1]]}\n"
              "  - {name: stair, kind: keep_out, corners_m: [[0, 0], [1, 1], [1, 0], [0, 1]]}\n",
         ":8: areas[1].corners_m: stair has edges that touch or cross"},
        {PAIR "areas:\n  - {name: a, kind: keep_in, corners_m: [[0, 0], [1, 0], [1, 1]]}\n"
              "  - {name: a, kind: keep_in, corners_m: [[0, 0], [1, 0], [1, 1]]}\n",
         ":8: areas[1].name: another area is named a too"},
        {PAIR "areas: [{name: a, kind: keepin, corners_m: [[0, 0], [1, 0], [1, 1]]}]\n", "did you mean \"keep_in\"?"},
        {PAIR "areas: [{name: a, kind: keep_in, corners_m: [[0, 0], [1, 0], [1, 20000]]}]\n", "areas[0].corners_m[2]"},
        {PAIR "areas: [" NINE_AREAS "]\n", ":6: areas: found a list of 9"},
        {PAIR "operator:\n  - {at_s: 1, do: stop}\n  - {at_s: 2, do: stop, robot: kea}\n",
         ":8: operator[1].robot: found kea; expected the name of a robot of this mission, such as a1"},
        {PAIR "operator: [{at_s: 1, do: mode, robot: Kea}]\n", ":6: operator[0].mode: missing"},
        {PAIR "operator: [{at_s: 1, do: mode, mode: idle}]\n", ":6: operator[0].robot: missing"},
        {PAIR "operator: [{at_s: 1, do: mode, robot: Kea, mode: wander}]\n", "operator[0].mode: found wander"},
        {PAIR "operator: [{at_s: 1, do: mode, robot: Kea, mode: stopped}]\n", "write do: stop"},
        {PAIR "operator: [{at_s: 1, do: go, robot: Kea, x_m: 3}]\n", "operator[0].y_m: missing"},
        {PAIR "operator: [{at_s: 1, do: go, robot: Kea, y_m: 3}]\n", "operator[0].x_m: missing"},
        {PAIR "operator: [{at_s: 1, do: drive, robot: Kea, turn: 1}]\n", "operator[0].for_s: missing"},
        {PAIR "operator: [{at_s: 1, do: drive, robot: Kea, turn: 1.5, for_s: 1}]\n", "operator[0].turn: found 1.5"},
        {PAIR "operator: [{at_s: 1, do: override, robot: Kea, for_s: 1}]\n", "operator[0].guard: missing"},
        {PAIR "operator: [{at_s: 1, do: override, robot: Kea, guard: tlt, for_s: 1}]\n",
         "operator[0].guard: found tlt; expected the name of a guard"},
        {PAIR "operator: [{at_s: 1, do: drive, robot: Kea, guard: tilt, for_s: 1}]\n",
         "operator[0].guard: drive takes none"},
        {PAIR "operator: [{at_s: 1, do: home, robot: Kea, x_m: 3}]\n", "operator[0].x_m: home takes none"},
        {PAIR "operator: [{at_s: 1, do: stop, mode: idle}]\n", "operator[0].mode: stop takes none"},
        {PAIR "operator: [{at_s: 60, do: stop}]\n", "operator[0].at_s: found 60; the mission is over after 60 s"},
        {PAIR "operator: [{at_s: -1, do: stop}]\n", "operator[0].at_s: found -1"},
        {PAIR "operator: [{at_s: 1, do: halt}]\n", "operator[0].do: found halt; expected one of mode, go"},
        {PAIR "operator: [{at_s: 1}]\n", "operator[0].do: missing"},
        {PAIR "operator: [{at: 1, do: stop}]\n", "did you mean \"at_s\"?"},
        {HEAD "robots: [{file: a}]\n", "duration_s: missing"},
        {PAIR "phases: [{name: one, for_s: 9}]\n", "duration_s: the phases say how long it lasts (9 s)"},
        {HEAD "robots: [{file: a}]\nphases: [{name: x, for_s: 9}, {name: x, for_s: 9}]\n",
         ":5: phases[1].name: another phase is named x too"},
        {HEAD "robots: [{file: a}]\nphases: [{name: x, for_s: 50000}, {name: y, for_s: 50000}]\n", "100000 s in all"},
        {HEAD "robots: [{file: a}]\nphases: [{name: x}]\n", "phases[0].for_s: missing"},
        {PAIR "home_at_s: 60\n", "home_at_s: found 60; the mission is over after 60 s"},
        {PAIR "events:\n  - {at_s: 1, do: kill, robot: Kea}\n  - {at_s: 2, do: kill, robot: kea}\n",
         ":8: events[1].robot: found kea; expected the name of a robot of this mission, such as a1"},
        {PAIR "events: [{at_s: 60, do: kill, robot: Kea}]\n", "events[0].at_s: found 60; the mission is over after 60"},
        {PAIR "events: [{at_s: 1, do: kill}]\n", ":6: events[0].robot: missing; kill wants"},
        {PAIR "events: [{at_s: 1, do: explode}]\n", "events[0].do: found explode; expected one of open, close"},
        {PAIR "events: [{at_s: 1, do: open}]\n", "events[0].door: missing"},
        {PAIR "events: [{at_s: 1, do: close, door: d, for_s: 3}]\n", "events[0].for_s: close takes none"},
        {PAIR "events: [{at_s: 1, do: aftershock}]\n", "events[0].strength_mps: missing"},
        {PAIR "events: [{at_s: 1, do: aftershock, strength_mps: 9}]\n", "events[0].strength_mps: found 9"},
        {PAIR "events: [{at_s: 1, do: reboot}]\n", "events[0].for_s: missing; reboot wants"},
        {PAIR "events: [{at_s: 1, do: reboot, for_s: 5}, {at_s: 4, do: reboot, for_s: 5}]\n", "still down until 6 s"},
        {PAIR "events: [{at_s: 1, do: fail, robot: Kea, sensor: lasr}]\n", "events[0].sensor: found lasr"},
        {PAIR "events: [{at_s: 1, do: fail, robot: Kea, sensor: imu, for_s: 5}, "
              "{at_s: 4, do: fail, robot: Kea, sensor: imu}]\n",
         "imu of Kea fails at 4 s, but does not work at that time"},
        {PAIR "events: [{at_s: 1, do: fail, robot: Kea, sensor: imu}, "
              "{at_s: 40, do: fail, robot: Kea, sensor: imu, for_s: 3}]\n",
         "imu of Kea fails at 40 s, but does not work"},
        {PAIR "events: [{at_s: 1, do: fail, robot: Kea}]\n", "events[0].sensor: missing"},
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
        cmocka_unit_test(the_sections_of_models_have_the_models_defaults),
        cmocka_unit_test(a_mission_may_choose_a_radio_model_and_relays),
        cmocka_unit_test(the_office_can_be_uncommented),
        cmocka_unit_test(an_operators_actions_are_sorted_by_time),
        cmocka_unit_test(actions_are_written_as_they_are_named),
        cmocka_unit_test(an_operator_has_at_most_256_actions),
        cmocka_unit_test(phases_follow_each_other),
        cmocka_unit_test(home_time_is_an_action_for_each_robot),
        cmocka_unit_test(events_are_sorted_by_time),
        cmocka_unit_test(a_sensor_fails_silently_unless_the_file_says_how),
        cmocka_unit_test(every_failure_of_the_table_can_be_written_and_no_other),
        cmocka_unit_test(events_are_tied_to_the_arena_and_the_robots),
        cmocka_unit_test(missions_that_cannot_be_run_are_refused),
        cmocka_unit_test(modes_are_written_as_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
