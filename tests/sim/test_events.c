// What befalls a team: robots die, sensors fail, doors shut, the station reboots; and all that lives goes on.
#include "closet.h"
#include "record/verifier.h"
#include "robot/guard_names.h"
#include <math.h>
#include <stdlib.h>

static cairn_sim_wall walls[6] = {{.from_m = {0, 0}, .to_m = {9, 0}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {9, 0}, .to_m = {9, 5}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {9, 5}, .to_m = {0, 5}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {0, 5}, .to_m = {0, 0}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {4.5, 0}, .to_m = {4.5, 1.5}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {4.5, 3}, .to_m = {4.5, 5}, .thickness_m = 0.1, .height_m = 1}};

static int begin(void **unused)
{
    (void)unused;
    return closet_open((cairn_vec2){9, 5}, walls, 6);
}

static cairn_team *make(const cairn_mission_event *events, uint32_t event_count, cairn_team_def def)
{
    def.mission = "test";
    def.arena = &arena;
    def.physics = "planar";
    def.seed = def.session_seed = 1;
    const cairn_medium_radio given = def.radio;
    def.radio = cairn_medium_radio_default();
    def.radio.zones = given.zones;
    def.radio.zone_count = given.zone_count;
    def.robot_count = 2;
    def.robots[0] = (cairn_team_robot_def){.name = "emu1", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS};
    def.robots[1] = (cairn_team_robot_def){.name = "emu2", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS};
    def.scan_hz = 1;
    def.events = events;
    def.event_count = event_count;
    cairn_team *team = NULL;
    complaints = (cairn_complaints){0};
    assert_ok(cairn_team_create(&def, &complaints, &team));
    return team;
}

static void run_to(cairn_team *team, double until_s)
{
    cairn_team_run(team, (cairn_mono){cairn_ns_from_seconds(until_s)});
}

static void finish(cairn_team *team)
{
    assert_ok(cairn_team_finish(team, CAIRN_ENDED_TIME, &complaints, &score));
    cairn_team_destroy(team);
}

// Whether the station's people were told words like these.
static bool was_told(const cairn_team *team, const char *words)
{
    cairn_station_view view;
    cairn_team_station(team, &view);
    for (uint64_t number = 1; number <= view.events->count; number++) {
        const cairn_event *event = cairn_events_get(view.events, number);
        if (event != NULL && strstr(event->text, words) != NULL) { return true; }
    }
    return false;
}

static void a_dead_robot_says_and_does_nothing(void **unused)
{
    (void)unused;
    const cairn_mission_event events[] = {
        {.kind = CAIRN_EVENT_KILL, .at_s = 5, .robot = 1},
        {.kind = CAIRN_EVENT_FAIL, .at_s = 5, .for_s = 2, .robot = 1, .sensor = CAIRN_SENSOR_LASER}, // too late
        {.kind = CAIRN_EVENT_KILL, .at_s = 6, .robot = 1}};
    cairn_team *team = make(events, 3, (cairn_team_def){.journal_path = path});
    run_to(team, 12);
    cairn_station_view view;
    cairn_team_station(team, &view);
    assert_true(view.fleet->robots[1].lost && !view.fleet->robots[0].lost);
    assert_true(cairn_seconds(view.fleet->robots[1].heard_at.ns) < 5.5);
    finish(team);
    assert_true(score.robots[1].dead_s >= 5 && score.robots[1].dead_s <= 5.2);
    assert_true(isnan(score.robots[0].dead_s));
    int64_t lived_ns = 0;
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) { lived_ns += score.robots[1].modes.spent_ns[mode]; }
    assert_true(lived_ns <= CAIRN_MS(5200)); // its program runs on in the simulator, and does not count
    assert_int_equal(score.event_count, 1);
    assert_string_equal(score.events[0].words, "emu2 is dead");
    assert_int_equal(score.phases[0].to.dead_count, 1);
    journal_read(&found, path);
    assert_int_equal(journal_count(&found, "/mission/events"), 1);
    assert_in_range(journal_count(&found, "/emu2/truth"), 50, 52);
    assert_int_equal(journal_count(&found, "/emu1/truth"), 120);
}

// In for two seconds: it stands, says why, and stands on when the button is out, until somebody releases it.
static void a_robot_whose_stop_button_is_pressed_stays_stopped(void **unused)
{
    (void)unused;
    robot.stop_button_offered = true;
    const cairn_mission_event press = {.kind = CAIRN_EVENT_PRESS, .at_s = 5, .for_s = 2, .robot = 0};
    cairn_team *team = make(&press, 1, (cairn_team_def){0});
    cairn_station_view view;
    run_to(team, 4.5);
    cairn_team_station(team, &view);
    assert_false(view.fleet->robots[0].stop.wanted);
    run_to(team, 12);
    cairn_team_station(team, &view);
    assert_true(view.fleet->robots[0].stop.wanted && view.fleet->robots[0].telemetry.mode == CAIRN_MODE_STOPPED);
    assert_true((view.fleet->robots[0].telemetry.guards >> CAIRN_GUARD_BUTTON & 1u) != 0);
    assert_true(abs(view.fleet->robots[0].telemetry.speed_mmps) < 20); // held, to a tick
    assert_false(view.fleet->robots[1].stop.wanted);
    assert_true(was_told(team, "emu1: stopped by the button on the robot"));
    finish(team);
    robot.stop_button_offered = false;
    assert_int_equal(score.event_count, 2);
    assert_string_equal(score.events[1].words, "the stop button of emu1 is let out");
}

static void a_sensor_fails_and_works_again(void **unused)
{
    (void)unused;
    const cairn_mission_event fail = {
        .kind = CAIRN_EVENT_FAIL, .at_s = 5, .for_s = 4, .robot = 0, .sensor = CAIRN_SENSOR_LASER};
    cairn_team *team = make(&fail, 1, (cairn_team_def){0});
    run_to(team, 8);
    assert_true(was_told(team, "emu1: the laser is silent"));
    assert_false(was_told(team, "emu1: the laser is heard again"));
    assert_false(was_told(team, "emu2: the laser is silent"));
    run_to(team, 12);
    assert_true(was_told(team, "emu1: the laser is heard again"));
    finish(team);
    assert_int_equal(score.event_count, 2);
    assert_true(score.events[1].at_s >= 9 && score.events[1].at_s < 9.1);
    assert_string_equal(score.events[1].kind, "repair");
}

// Each way is told by name; a mission with all of them gives the same bytes each time.
static void a_sensor_fails_in_the_way_that_the_event_says(void **unused)
{
    (void)unused;
    const cairn_mission_event events[] = {
        {.kind = CAIRN_EVENT_FAIL,
         .at_s = 2,
         .for_s = 3,
         .robot = 0,
         .sensor = CAIRN_SENSOR_LASER,
         .failure = {.way = CAIRN_FAILURE_LATE, .figure = CAIRN_FAILURE_LATE_S, .amount = 0.25}},
        {.kind = CAIRN_EVENT_FAIL,
         .at_s = 3,
         .robot = 1,
         .sensor = CAIRN_SENSOR_BUMPER,
         .failure = {.way = CAIRN_FAILURE_STUCK, .part = 1}},
        {.kind = CAIRN_EVENT_FAIL,
         .at_s = 6,
         .robot = 0,
         .sensor = CAIRN_SENSOR_IMU,
         .failure = {.way = CAIRN_FAILURE_INTERMITTENT}},
    };
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        cairn_team *team = make(events, 3, (cairn_team_def){.journal_path = path});
        run_to(team, 10);
        finish(team);
        hashes[i] = score.hash;
        assert_int_equal(score.event_count, 4);
        assert_string_equal(score.events[0].words, "laser of emu1 fails for 3 s: late by 0.25 s");
        assert_string_equal(score.events[1].words, "bumper of emu2 fails for good: stuck: rear");
        assert_string_equal(score.events[2].words, "laser of emu1 works again");
    }
    assert_true(hashes[0] == hashes[1]);
}

static cairn_verifier_info verify(void)
{
    cairn_mcap_source source;
    cairn_mcap_reader *reader = NULL;
    cairn_verifier *verifier = NULL;
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    assert_ok(cairn_mcap_source_open(path, &complaints, &source));
    assert_ok(cairn_mcap_reader_create(&source, &limits, &reader));
    assert_ok(cairn_verifier_create(&verifier));
    cairn_mcap_message message;
    while (cairn_mcap_next(reader, &message) == CAIRN_OK) {
        const cairn_verifier_message taken = {.topic = message.channel->topic,
                                              .type = message.channel->schema_name,
                                              .time_s = (double)message.log_time_ns * 1e-9,
                                              .bytes = message.bytes,
                                              .size = message.size};
        assert_ok(cairn_verifier_take(verifier, &taken, &complaints));
    }
    const cairn_verifier_info info = *cairn_verifier_look(verifier);
    cairn_verifier_destroy(verifier);
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
    return info;
}

// The whole of a restart: silence, another station with the same knowledge, new sessions, and the team works on. The
// journal replays through it as if nothing had been.
static void a_station_that_reboots_goes_on_from_what_it_kept(void **unused)
{
    (void)unused;
    const cairn_mission_event reboot = {.kind = CAIRN_EVENT_REBOOT, .at_s = 6, .for_s = 5};
    cairn_team *team = make(&reboot, 1, (cairn_team_def){.journal_path = path});
    run_to(team, 6);
    const double before = cairn_team_explored(team);
    assert_true(before > 0.05);
    run_to(team, 10.9);
    cairn_station_view view;
    cairn_team_station(team, &view);
    assert_true(cairn_team_explored(team) >= before && cairn_team_explored(team) < before + 0.02); // stands still
    assert_true(cairn_seconds(view.fleet->robots[0].heard_at.ns) <= 6.1);
    const uint32_t nodes = view.atlas->node_count;
    run_to(team, 25);
    cairn_team_station(team, &view);
    assert_true(was_told(team, "the station was started again; it goes on from 6.0 s, 5.0 s ago"));
    assert_true(was_told(team, "emu1 is heard again"));
    assert_true(view.atlas->node_count > nodes && cairn_team_explored(team) > before);
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(view.fleet->robots[i].lost);
        assert_int_equal(view.fleet->robots[i].telemetry.mode, CAIRN_MODE_AUTONOMOUS);
    }
    finish(team);
    assert_int_equal(score.event_count, 2);
    const cairn_verifier_info info = verify();
    assert_true(info.has_station && !info.differs && info.check_count >= 2 && info.gap_count == 0);
}

// Surveyed while the station was down, told when it is up: nothing of the map is lost.
static void robots_go_on_while_the_station_is_down(void **unused)
{
    (void)unused;
    const cairn_mission_event reboot = {.kind = CAIRN_EVENT_REBOOT, .at_s = 4, .for_s = 8};
    cairn_team *team = make(&reboot, 1, (cairn_team_def){0});
    run_to(team, 11.9);
    const cairn_series *series = cairn_team_series(team);
    const cairn_series_sample *first = &series->samples[2], *last = &series->samples[5]; // at 4 s and at 10 s
    assert_true(fabs(first->at_s - 4) < 1e-6 && fabs(last->at_s - 10) < 1e-6 && !last->station_up);
    assert_int_equal(last->robots[0].state, CAIRN_SERIES_LOST);
    assert_true(last->robots[0].distance_m + last->robots[1].distance_m >
                first->robots[0].distance_m + first->robots[1].distance_m + 0.2f);
    finish(team);
}

static uint64_t hash_with(uint32_t worker_count)
{
    const cairn_mission_event events[] = {
        {.kind = CAIRN_EVENT_REBOOT, .at_s = 2, .for_s = 1},
        {.kind = CAIRN_EVENT_FAIL, .at_s = 2.5, .for_s = 1, .robot = 0, .sensor = CAIRN_SENSOR_LASER},
        {.kind = CAIRN_EVENT_KILL, .at_s = 4, .robot = 1},
    };
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(worker_count, &workers));
    cairn_team *team = make(events, 3, (cairn_team_def){.journal_path = path, .workers = workers});
    run_to(team, 5);
    finish(team);
    cairn_workers_destroy(workers);
    return score.hash;
}

static void events_leave_a_mission_repeatable(void **unused)
{
    (void)unused;
    const uint64_t hash = hash_with(1);
    assert_true(hash != 0 && hash_with(1) == hash && hash_with(2) == hash);
}

// On threads: the station is replaced under the feet of those who carry its post.
static void a_station_reboots_in_real_time(void **unused)
{
    (void)unused;
    const cairn_mission_event events[] = {
        {.kind = CAIRN_EVENT_REBOOT, .at_s = 1, .for_s = 0.5},
        {.kind = CAIRN_EVENT_REBOOT, .at_s = 2, .for_s = 0.5},
        {.kind = CAIRN_EVENT_KILL, .at_s = 2, .robot = 1},
    };
    cairn_team *team = make(events, 3, (cairn_team_def){.realtime = true});
    run_to(team, 5);
    assert_true(was_told(team, "the station was started again"));
    cairn_station_view view;
    cairn_team_station(team, &view);
    assert_true(view.fleet->robots[0].heard);
    finish(team);
    assert_int_equal(score.event_count, 5);
    assert_false(isnan(score.robots[1].dead_s));
}

// Phases share the mission out: their parts add up to the whole.
static void phases_add_up_to_the_mission(void **unused)
{
    (void)unused;
    const cairn_mission_phase phases[] = {{.name = "one", .from_s = 0, .to_s = 6},
                                          {.name = "two", .from_s = 6, .to_s = 15}};
    cairn_team *team = make(NULL, 0, (cairn_team_def){.phases = phases, .phase_count = 2});
    run_to(team, 15);
    finish(team);
    assert_int_equal(score.phase_count, 2);
    assert_string_equal(score.phases[1].name, "two");
    const cairn_score_mark *half = &score.phases[0].to, *whole = &score.phases[1].to;
    assert_true(fabs(half->at_s - 6) < 1e-6 && fabs(whole->at_s - 15) < 1e-6);
    assert_true(score.phases[1].from.at_s == half->at_s);
    assert_true(half->explored_fraction > 0 && half->explored_fraction <= whole->explored_fraction);
    assert_true(whole->explored_fraction == score.explored_fraction);
    assert_int_equal(whole->found_count, score.found_count);
}

// A robot that never went away has not returned.
static void who_never_left_has_not_returned(void **unused)
{
    (void)unused;
    const cairn_mission_event kill = {.kind = CAIRN_EVENT_KILL, .at_s = 0, .robot = 1};
    cairn_team *team = make(&kill, 1, (cairn_team_def){0});
    run_to(team, 60); // time enough to look around and to go
    finish(team);
    assert_true(score.robots[0].left && !score.robots[1].left);
    assert_false(score.robots[1].returned);
    assert_true(score.robots[1].start_m < 0.5);
    assert_true(isnan(score.robots[1].home_s));
}

// No radio in the second room. Robots that are sent there search it, come back until they are heard, and report; and
// those that are called home come home.
static void robots_search_where_no_radio_reaches_and_come_home(void **unused)
{
    (void)unused;
    cairn_medium_zone zone = {.at_m = {6.75, 2.5}, .size_m = {4.5, 5}};
    cairn_mission_action home[2] = {{.at_s = 150, .action = {.verb = CAIRN_DO_HOME, .robot = 1}},
                                    {.at_s = 150, .action = {.verb = CAIRN_DO_HOME, .robot = 2}}};
    cairn_team_def def = {.actions = home, .action_count = 2};
    def.radio.zone_count = 1;
    def.radio.zones = &zone;
    cairn_team *team = make(NULL, 0, def);
    run_to(team, 149);
    assert_true(cairn_team_explored(team) > 0.9);
    assert_true(was_told(team, "goes back the way it came, to report"));
    run_to(team, 330); // a team-mate that nobody told of may have stood in the door: it takes a while to doubt it
    finish(team);
    assert_true(score.radio.dropped[CAIRN_MEDIUM_LOST_ZONE] > 0);
    for (uint32_t i = 0; i < 2; i++) { assert_true(score.robots[i].left && score.robots[i].returned); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_robot_says_and_does_nothing),
        cmocka_unit_test(a_robot_whose_stop_button_is_pressed_stays_stopped),
        cmocka_unit_test(a_sensor_fails_and_works_again),
        cmocka_unit_test(a_sensor_fails_in_the_way_that_the_event_says),
        cmocka_unit_test(a_station_that_reboots_goes_on_from_what_it_kept),
        cmocka_unit_test(robots_go_on_while_the_station_is_down),
        cmocka_unit_test(events_leave_a_mission_repeatable),
        cmocka_unit_test(a_station_reboots_in_real_time),
        cmocka_unit_test(phases_add_up_to_the_mission),
        cmocka_unit_test(who_never_left_has_not_returned),
        cmocka_unit_test(robots_search_where_no_radio_reaches_and_come_home),
    };
    return cmocka_run_group_tests(tests, begin, closet_close);
}
