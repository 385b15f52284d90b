// How a mission is scored, and the words that others read it by.
#include "check.h"
#include "sim/mission/score/score.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_sim_victim people[3] = {
    {.map_T_victim = {1, 1, 0}}, {.map_T_victim = {5, 1, 0}}, {.map_T_victim = {5, 7, 0}}};
static const cairn_sim_arena arena = {.victim_count = 3, .victims = people};
static cairn_victims victims;
static cairn_score score;

static int reset(void **unused)
{
    (void)unused;
    victims = (cairn_victims){0};
    score = (cairn_score){.mission = "maze",
                          .seed = 12,
                          .sim_s = 81.25,
                          .explored_fraction = 0.987654,
                          .map_wall_rms_m = 0.03,
                          .victim_count = 4,
                          .found_count = 3,
                          .false_count = 2,
                          .collisions = {.count = 1, .speed_mps_max = 0.05},
                          .action_count = 5,
                          .hash = 0x0123456789abcdef,
                          .robot_count = 2,
                          .phase_count = 1,
                          .phases = {{.name = "mission", .to = {.at_s = 81.25}}}};
    strcpy(score.robots[0].name, "emu1");
    strcpy(score.robots[1].name, "emu2");
    for (uint32_t i = 0; i < 2; i++) { score.robots[i].dead_s = score.robots[i].home_s = NAN; }
    score.robots[0].position_error_m_mean = 0.01;
    score.robots[0].position_error_m_max = 0.02;
    score.robots[0].modes.spent_ns[CAIRN_MODE_AUTONOMOUS] = CAIRN_S(80);
    score.robots[0].modes.travelled_m[CAIRN_MODE_AUTONOMOUS] = 24.5;
    return 0;
}

static void report(double x_m, double y_m) { victims.victims[victims.victim_count++].at_m = (cairn_vec2){x_m, y_m}; }

static void expect(uint32_t found, uint32_t wrong)
{
    cairn_score_victims(&score, &arena, &victims);
    assert_int_equal(score.victim_count, 3);
    assert_int_equal(score.found_count, found);
    assert_int_equal(score.false_count, wrong);
}

static void reports_near_a_person_find_it_and_others_are_false(void **unused)
{
    (void)unused;
    expect(0, 0);
    report(1.5, 1.5);
    expect(1, 0);
    report(5, 1.99); // just within a metre
    expect(2, 0);
    report(5, 8.01); // just not
    expect(2, 1);
    report(9, 9);
    expect(2, 2);
}

// A person reported twice is one person, and no false alarm.
static void two_reports_of_one_person_count_once(void **unused)
{
    (void)unused;
    report(1.5, 1);
    report(0.5, 1);
    expect(1, 0);
}

// Every end says something else, so that no figure can stand for another.
static cairn_radio_ends ends[2];
static cairn_medium_info air;

static void fill_ends(void)
{
    uint64_t next = 1000;
    memset(ends, 0, sizeof ends);
    for (uint32_t i = 0; i < 2; i++) {
        cairn_link_info *both[] = {&ends[i].robot, &ends[i].station};
        for (uint32_t k = 0; k < 2; k++) {
            both[k]->bytes_sent = next++;
            both[k]->bytes_received = 7777777; // the same bytes again, or lost: never counted
            for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) { both[k]->streams[s].sent_bytes = next++; }
        }
    }
    air = (cairn_medium_info){.sent_bytes = 8888888, .delivered_bytes = 9999999};
    for (uint32_t cause = 0; cause < CAIRN_MEDIUM_LOST_COUNT; cause++) { air.lost_count[cause] = 10 + cause; }
}

static void the_radio_is_what_both_ends_sent(void **unused)
{
    (void)unused;
    fill_ends();
    score.radio.bytes = 5; // what was there before does not matter
    score.radio.stream_bytes[CAIRN_LINK_TASK] = 5;
    cairn_score_radio(&score, ends, &air);
    const uint32_t streams = CAIRN_LINK_STREAM_COUNT;
    const uint64_t up[] = {1000, 1000 + 2 * (streams + 1)}, down[] = {1000 + (streams + 1), 1000 + 3 * (streams + 1)};
    const cairn_radio_score *radio = &score.radio;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(radio->robots[i].up_bytes, up[i]);
        assert_int_equal(radio->robots[i].down_bytes, down[i]);
        assert_true(fabs(radio->robots[i].kbit_per_s - (double)(up[i] + down[i]) * 8 / 1000 / 81.25) < 1e-9);
    }
    assert_int_equal(radio->bytes, up[0] + up[1] + down[0] + down[1]);
    assert_true(fabs(radio->kbit_per_s - radio->robots[0].kbit_per_s - radio->robots[1].kbit_per_s) < 1e-9);
    for (uint32_t s = 0; s < streams; s++) {
        assert_int_equal(radio->stream_bytes[s], up[0] + up[1] + down[0] + down[1] + 4 * (s + 1));
    }
    for (uint32_t cause = 0; cause < CAIRN_MEDIUM_LOST_COUNT; cause++) {
        assert_int_equal(radio->dropped[cause], 10 + cause);
    }
}

// Three robots may use 20 kbit/s on average: the figure that this is judged by.
static void ten_kilobytes_in_eight_seconds_are_ten_kilobits_a_second(void **unused)
{
    (void)unused;
    memset(ends, 0, sizeof ends);
    ends[0].robot.bytes_sent = 8000;
    ends[1].station.bytes_sent = 2000;
    score.sim_s = 8;
    cairn_score_radio(&score, ends, &air);
    assert_int_equal(score.radio.bytes, 10000);
    assert_true(fabs(score.radio.kbit_per_s - 10) < 1e-9);
}

static json_t *parsed(void)
{
    char *text = cairn_score_to_json(&score);
    assert_non_null(text);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    free(text);
    assert_non_null(root);
    return root;
}

static void expect_keys(const json_t *object, size_t count, const char *const *names)
{
    assert_true(json_is_object(object));
    assert_int_equal(json_object_size(object), count);
    for (size_t i = 0; i < count; i++) { assert_non_null(json_object_get(object, names[i])); }
}
#define KEYS(object, ...)                                                                                              \
    expect_keys(object, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

// Scripts, pages and later missions read these: no more, no fewer, no other spelling.
static void the_score_has_exactly_its_keys(void **unused)
{
    (void)unused;
    json_t *root = parsed();
    KEYS(root, "mission", "seed", "sim_s", "ended", "explored_fraction", "map_wall_rms_m", "map", "closures", "victims",
         "position_error_m", "health", "modes", "collisions", "radio", "operator", "hash", "phases", "events",
         "returned", "fallen", "dead", "robocup", "magic", "subt");
    KEYS(json_object_get(root, "closures"), "accepted", "refused", "undecided");
    KEYS(json_object_get(root, "map"), "agreeing", "wall_iou", "precision", "recall");
    KEYS(json_object_get(root, "robocup"), "victims", "returned", "map", "bumps", "false", "total");
    KEYS(json_object_get(root, "magic"), "map_quality", "phases", "total");
    KEYS(json_array_get(json_object_get(json_object_get(root, "magic"), "phases"), 0), "name", "map", "objects",
         "false", "robots_lost", "interaction", "total");
    KEYS(json_object_get(root, "subt"), "artifacts", "reports_allowed", "reports", "total");
    KEYS(json_object_get(root, "returned"), "count", "robots");
    KEYS(json_object_get(json_object_get(json_object_get(root, "returned"), "robots"), "emu2"), "left", "returned",
         "at_s", "distance_m");
    KEYS(json_array_get(json_object_get(root, "phases"), 0), "name", "from_s", "to_s", "explored_fraction", "found",
         "false", "actions", "robots_lost", "collisions");
    const json_t *radio = json_object_get(root, "radio");
    KEYS(radio, "bytes", "kbit_per_s", "per_robot", "per_stream", "dropped");
    KEYS(json_object_get(radio, "per_robot"), "emu1", "emu2");
    KEYS(json_object_get(json_object_get(radio, "per_robot"), "emu2"), "bytes", "kbit_per_s");
    KEYS(json_object_get(radio, "per_stream"), "stop", "mode", "teleoperation", "telemetry", "task", "sighting",
         "state", "node", "terrain");
    KEYS(json_object_get(radio, "dropped"), "queue", "silence", "zone", "range", "noise", "chance", "inbox", "total");
    KEYS(json_object_get(root, "operator"), "actions", "actions_per_minute");
    KEYS(json_object_get(root, "victims"), "total", "found", "missed", "false");
    KEYS(json_object_get(root, "collisions"), "count", "speed_mps_max");
    KEYS(json_object_get(root, "position_error_m"), "emu1", "emu2");
    KEYS(json_object_get(json_object_get(root, "position_error_m"), "emu1"), "mean", "max");
    KEYS(json_object_get(json_object_get(root, "health"), "emu2"), "good_s", "degraded_s", "lost_s", "off_while_good_s",
         "off_while_good_s_max");
    KEYS(json_object_get(root, "modes"), "emu1", "emu2");
    KEYS(json_object_get(json_object_get(root, "modes"), "emu1"), "autonomous");
    KEYS(json_object_get(json_object_get(json_object_get(root, "modes"), "emu1"), "autonomous"), "time_s",
         "distance_m");
    json_decref(root);
}

static double number(const json_t *root, const char *first, const char *second, const char *third)
{
    const json_t *at = json_object_get(root, first);
    if (second != NULL) { at = json_object_get(at, second); }
    if (third != NULL) { at = json_object_get(at, third); }
    assert_true(json_is_number(at));
    return json_number_value(at);
}

static void the_score_says_what_it_was_given(void **unused)
{
    (void)unused;
    json_t *root = parsed();
    assert_string_equal(json_string_value(json_object_get(root, "mission")), "maze");
    assert_string_equal(json_string_value(json_object_get(root, "hash")), "0123456789abcdef");
    assert_true(number(root, "seed", NULL, NULL) == 12);
    assert_true(number(root, "sim_s", NULL, NULL) == 81.25);
    assert_true(fabs(number(root, "explored_fraction", NULL, NULL) - 0.987654) < 1e-4);
    assert_true(number(root, "victims", "total", NULL) == 4);
    assert_true(number(root, "victims", "found", NULL) == 3);
    assert_true(number(root, "victims", "missed", NULL) == 1);
    assert_true(number(root, "victims", "false", NULL) == 2);
    assert_true(number(root, "collisions", "count", NULL) == 1);
    assert_true(number(root, "collisions", "speed_mps_max", NULL) == 0.05);
    assert_true(number(root, "position_error_m", "emu1", "max") == 0.02);
    assert_true(number(json_object_get(root, "modes"), "emu1", "autonomous", "time_s") == 80);
    assert_true(number(json_object_get(root, "modes"), "emu1", "autonomous", "distance_m") == 24.5);
    json_decref(root);
}

static void the_score_tells_the_radio_and_the_operator(void **unused)
{
    (void)unused;
    fill_ends();
    cairn_score_radio(&score, ends, &air);
    json_t *root = parsed();
    const json_t *radio = json_object_get(root, "radio");
    assert_true(number(root, "radio", "bytes", NULL) == (double)score.radio.bytes);
    assert_true(fabs(number(root, "radio", "kbit_per_s", NULL) - score.radio.kbit_per_s) < 1e-4);
    assert_true(number(radio, "per_robot", "emu1", "bytes") + number(radio, "per_robot", "emu2", "bytes") ==
                (double)score.radio.bytes);
    assert_true(fabs(number(radio, "per_robot", "emu2", "kbit_per_s") - score.radio.robots[1].kbit_per_s) < 1e-4);
    assert_true(number(root, "radio", "per_stream", "terrain") == (double)score.radio.stream_bytes[CAIRN_LINK_TERRAIN]);
    assert_true(number(root, "radio", "per_stream", "stop") == (double)score.radio.stream_bytes[CAIRN_LINK_STOP]);
    assert_true(number(root, "radio", "dropped", "queue") == 10 && number(root, "radio", "dropped", "inbox") == 16);
    assert_true(number(root, "radio", "dropped", "total") == 10 + 11 + 12 + 13 + 14 + 15 + 16);
    assert_true(number(root, "operator", "actions", NULL) == 5);
    assert_true(fabs(number(root, "operator", "actions_per_minute", NULL) - 5 * 60 / 81.25) < 1e-4);
    json_decref(root);
}

// JSON has no NaN: what is not known is null, and the file stays readable.
static void what_is_not_known_is_null(void **unused)
{
    (void)unused;
    score.map_wall_rms_m = NAN;
    score.map.recall = NAN;
    score.robots[1].position_error_m_mean = NAN;
    score.robots[1].position_error_m_max = INFINITY;
    json_t *root = parsed();
    assert_true(json_is_null(json_object_get(root, "map_wall_rms_m")));
    assert_true(json_is_null(json_object_get(json_object_get(root, "map"), "recall")));
    const json_t *error = json_object_get(json_object_get(root, "position_error_m"), "emu2");
    assert_true(json_is_null(json_object_get(error, "mean")));
    assert_true(json_is_null(json_object_get(error, "max")));
    json_decref(root);
}

// ---- in the style of competitions: each figure worked out by hand

static void report_by(double x_m, double y_m, double at_s, uint8_t robot_id)
{
    cairn_victim *victim = &victims.victims[victims.victim_count++];
    *victim = (cairn_victim){.at_m = {x_m, y_m}, .first_seen = {cairn_ns_from_seconds(at_s)}, .found_by = robot_id};
}

// The station renumbers nothing; the score tells reports in the order in which they came.
static void reports_are_told_in_their_order(void **unused)
{
    (void)unused;
    report_by(9, 9, 30, 2);
    report_by(5, 1.6, 10, 1);
    report_by(5.3, 1, 20, 2);
    cairn_score_victims(&score, &arena, &victims);
    assert_int_equal(score.report_count, 3);
    for (int i = 0; i < 3; i++) { assert_true(fabs(score.reports[i].at_s - 10 * (i + 1)) < 1e-9); }
    assert_true(score.reports[0].victim == 1 && fabs(score.reports[0].error_m - 0.6) < 1e-12);
    assert_true(score.reports[2].victim == 2 && fabs(score.reports[2].error_m - hypot(4, 2)) < 1e-12);
    assert_int_equal(score.person_count, 3);
    assert_true(score.people[1].found && fabs(score.people[1].found_s - 10) < 1e-9 && score.people[1].robot == 0);
    assert_false(score.people[0].found);
    assert_true(isnan(score.people[0].found_s));
}

// Two found, one of them by a robot that came back; one false report, one bump; a map of 90 % with walls 5 cm wrong.
static void robocup_counts_victims_twice_when_the_robot_returns(void **unused)
{
    (void)unused;
    report_by(1, 1, 10, 1);
    report_by(5, 1, 20, 2);
    report_by(9, 9, 30, 2);
    cairn_score_victims(&score, &arena, &victims);
    score.robots[0].returned = true;
    score.explored_fraction = 0.9;
    score.map_wall_rms_m = 0.05;
    cairn_score_rules(&score);
    assert_true(score.robocup.victims == 40 && score.robocup.returned == 20);
    assert_true(fabs(score.robocup.map - 20 * 0.9 * 0.75) < 1e-12);
    assert_true(score.robocup.bumps == -5 && score.robocup.wrong == -5);
    assert_true(fabs(score.robocup.total - (40 + 20 + 13.5 - 5 - 5)) < 1e-12);
    score.map_wall_rms_m = NAN; // no walls at all
    cairn_score_rules(&score);
    assert_true(score.robocup.map == 0);
}

static void magic_is_scored_by_phase(void **unused)
{
    (void)unused;
    score.map_wall_rms_m = 0.1; // a fifth of what makes a map worthless
    score.phase_count = 2;
    const cairn_score_mark half = {
        .at_s = 40, .explored_fraction = 0.3, .found_count = 2, .false_count = 1, .action_count = 4, .dead_count = 1};
    const cairn_score_mark whole = {.at_s = 81.25,
                                    .explored_fraction = 0.8,
                                    .found_count = 5,
                                    .false_count = 0, // taken back
                                    .action_count = 10,
                                    .dead_count = 1};
    score.phases[0] = (cairn_phase_score){.name = "one", .to = half};
    score.phases[1] = (cairn_phase_score){.name = "two", .from = half, .to = whole};
    cairn_score_rules(&score);
    const cairn_magic_phase_score *one = &score.magic.phases[0], *two = &score.magic.phases[1];
    assert_true(fabs(score.magic.map_quality - 0.8) < 1e-12);
    assert_true(fabs(one->map - 24) < 1e-9 && one->objects == 20 && one->wrong == -5 && one->robots_lost == -10);
    assert_true(one->interaction == -4 && fabs(one->total - 25) < 1e-9);
    assert_true(fabs(two->map - 40) < 1e-9 && two->objects == 30 && two->wrong == 5 && two->robots_lost == 0);
    assert_true(two->interaction == -6 && fabs(two->total - 69) < 1e-9);
    assert_true(fabs(score.magic.total - 94) < 1e-9);
}

// Three artifacts allow four reports (45 for 40). Each report scores at most one artifact, each artifact once.
static void subt_looks_at_the_first_reports_only(void **unused)
{
    (void)unused;
    report_by(3, 1, 10, 1);   // 2 m from the first and from the second: one of them
    report_by(3, 1.1, 11, 1); // so the other
    report_by(50, 50, 12, 1); // nothing
    report_by(60, 60, 13, 1); // nothing
    report_by(5, 7, 14, 1);   // right, and too late
    cairn_score_victims(&score, &arena, &victims);
    cairn_score_rules(&score);
    assert_int_equal(score.subt.allowed_count, 4);
    assert_int_equal(score.subt.made_count, 5);
    assert_int_equal(score.subt.scored_count, 2);
    victims.victims[3].at_m = (cairn_vec2){9.99, 7}; // within 5 m, just
    cairn_score_victims(&score, &arena, &victims);
    cairn_score_rules(&score);
    assert_int_equal(score.subt.scored_count, 3);
    victims.victims[3].at_m = (cairn_vec2){10.01, 7};
    cairn_score_victims(&score, &arena, &victims);
    cairn_score_rules(&score);
    assert_int_equal(score.subt.scored_count, 2);
}

static void the_dead_the_fallen_and_the_returned_are_named(void **unused)
{
    (void)unused;
    score.robots[0].dead_s = 12.5;
    score.robots[1].fallen = true;
    score.robots[1].left = score.robots[1].returned = true;
    score.robots[1].home_s = 70;
    score.robots[1].start_m = 1.25;
    score.event_count = 1;
    score.events[0] = (cairn_event_score){.at_s = 12.5, .kind = "kill", .words = "emu1 is dead"};
    json_t *root = parsed();
    assert_int_equal(json_object_size(json_object_get(root, "dead")), 1);
    assert_true(number(root, "dead", "emu1", NULL) == 12.5);
    assert_int_equal(json_array_size(json_object_get(root, "fallen")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "fallen"), 0)), "emu2");
    assert_true(number(root, "returned", "count", NULL) == 1);
    const json_t *home = json_object_get(json_object_get(json_object_get(root, "returned"), "robots"), "emu2");
    assert_true(number(home, "at_s", NULL, NULL) == 70 && number(home, "distance_m", NULL, NULL) == 1.25);
    const json_t *event = json_array_get(json_object_get(root, "events"), 0);
    assert_string_equal(json_string_value(json_object_get(event, "do")), "kill");
    assert_string_equal(json_string_value(json_object_get(event, "what")), "emu1 is dead");
    json_decref(root);
}

// Compared byte by byte between runs.
static void the_same_score_is_the_same_text(void **unused)
{
    (void)unused;
    char *first = cairn_score_to_json(&score), *second = cairn_score_to_json(&score);
    assert_string_equal(first, second);
    score.collisions.speed_mps_max += 1e-4;
    char *third = cairn_score_to_json(&score);
    assert_string_not_equal(first, third);
    free(first), free(second), free(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(reports_near_a_person_find_it_and_others_are_false, reset),
        cmocka_unit_test_setup(two_reports_of_one_person_count_once, reset),
        cmocka_unit_test_setup(the_radio_is_what_both_ends_sent, reset),
        cmocka_unit_test_setup(ten_kilobytes_in_eight_seconds_are_ten_kilobits_a_second, reset),
        cmocka_unit_test_setup(the_score_has_exactly_its_keys, reset),
        cmocka_unit_test_setup(the_score_says_what_it_was_given, reset),
        cmocka_unit_test_setup(the_score_tells_the_radio_and_the_operator, reset),
        cmocka_unit_test_setup(what_is_not_known_is_null, reset),
        cmocka_unit_test_setup(reports_are_told_in_their_order, reset),
        cmocka_unit_test_setup(robocup_counts_victims_twice_when_the_robot_returns, reset),
        cmocka_unit_test_setup(magic_is_scored_by_phase, reset),
        cmocka_unit_test_setup(subt_looks_at_the_first_reports_only, reset),
        cmocka_unit_test_setup(the_dead_the_fallen_and_the_returned_are_named, reset),
        cmocka_unit_test_setup(the_same_score_is_the_same_text, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
