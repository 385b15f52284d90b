// A whole team for a few seconds in a small place: what its journal holds, and that only the seed decides.
#include "closet.h"

static cairn_sim_wall walls[5] = {{.from_m = {0, 0}, .to_m = {7, 0}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {7, 0}, .to_m = {7, 5}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {7, 5}, .to_m = {0, 5}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {0, 5}, .to_m = {0, 0}, .thickness_m = 0.1, .height_m = 1},
                                  {.from_m = {3.5, 0}, .to_m = {3.5, 3}, .thickness_m = 0.1, .height_m = 1}};

static int begin(void **unused)
{
    (void)unused;
    return closet_open((cairn_vec2){7, 5}, walls, 5);
}

static cairn_team_def team_def(uint64_t seed)
{
    return (cairn_team_def){.mission = "test",
                            .arena = &arena,
                            .physics = "planar",
                            .seed = seed,
                            .session_seed = seed,
                            .radio = cairn_medium_radio_default(),
                            .robot_count = 2,
                            .robots = {{.name = "emu1", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS},
                                       {.name = "emu2", .description = &robot, .mode = CAIRN_MODE_AUTONOMOUS}},
                            .journal_path = path,
                            .scan_hz = 10,
                            .thermal_hz = 1};
}

static void run(const cairn_team_def *def, double seconds)
{
    cairn_team *team = NULL;
    complaints = (cairn_complaints){0};
    assert_ok(cairn_team_create(def, &complaints, &team));
    cairn_team_run(team, (cairn_mono){cairn_ns_from_seconds(seconds)});
    assert_ok(cairn_team_finish(team, CAIRN_ENDED_TIME, &complaints, &score));
    cairn_team_destroy(team);
}

static uint64_t hash_of(uint64_t seed, uint32_t worker_count)
{
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(worker_count, &workers));
    cairn_team_def def = team_def(seed);
    def.workers = workers;
    run(&def, 3);
    cairn_workers_destroy(workers);
    return score.hash;
}

// The whole of "repeatable to the byte", in small.
static void only_the_seed_decides(void **unused)
{
    (void)unused;
    const uint64_t hash = hash_of(1, 1);
    assert_true(hash != 0);
    assert_true(hash_of(1, 1) == hash);
    assert_true(hash_of(1, 2) == hash);
    assert_true(hash_of(2, 1) != hash);
}

static void four_seconds_leave_the_journal_that_they_should(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.radio.loss = 0; // else a telemetry in a hundred is missing, by chance
    run(&def, 4);
    journal_read(&found, path);
    assert_true(found.sound);
    assert_true(found.in_order);
    assert_true(found.hash == score.hash);
    const struct {
        const char *name, *schema;
        uint32_t low, high;
    } topics[] = {
        {"odom", "nav_msgs/msg/Odometry", 40, 40}, // ten times a second
        {"truth", "nav_msgs/msg/Odometry", 40, 40},
        {"cmd_vel", "geometry_msgs/msg/Twist", 40, 40},
        {"scan", "sensor_msgs/msg/LaserScan", 39, 40},
        {"thermal", "sensor_msgs/msg/Image", 4, 4},
        {"imu", "sensor_msgs/msg/Imu", 97, 100},
        {"radio/telemetry", "cairn_msgs/msg/Telemetry", 8, 8}, // twice a second
        {"radio/node", "cairn_msgs/msg/Node", 3, 3},           // every 1.25 s, the first after 0.24 s
        {"radio/terrain_grid", "cairn_msgs/msg/TerrainGrid", 3, 3},
        {"radio/mode_order", "cairn_msgs/msg/ModeOrder", 1, 1},
        {"radio/event", "cairn_msgs/msg/Event", 1, 1}, // that it is autonomous now
        {"radio/teammates", "cairn_msgs/msg/Teammates", 5, 8},
    };
    for (uint32_t i = 0; i < 2 * sizeof topics / sizeof topics[0]; i++) {
        char topic[64];
        snprintf(topic, sizeof topic, "/emu%u/%s", 1 + i % 2, topics[i / 2].name);
        const uint32_t at = journal_topic(&found, topic);
        if (at == found.topic_count) { fail_msg("%s is missing", topic); }
        if (found.topics[at].message_count < topics[i / 2].low || found.topics[at].message_count > topics[i / 2].high) {
            fail_msg("%s: %u messages, not %u..%u", topic, found.topics[at].message_count, topics[i / 2].low,
                     topics[i / 2].high);
        }
        assert_string_equal(found.topics[at].schema, topics[i / 2].schema);
    }
    assert_int_equal(journal_count(&found, "/tf"), 80);
    assert_int_equal(journal_count(&found, "/map"), 1);                        // at the end
    assert_int_equal(journal_count(&found, "/rosout"), 5 + score.found_count); // joined, modes, a tie, who was found
}

static void the_score_tells_of_the_run(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.journal_path = NULL;
    run(&def, 30);
    assert_string_equal(score.mission, "test");
    assert_true(fabs(score.sim_s - 30) < 1e-9);
    assert_true(score.hash == 0);
    assert_int_equal(score.robot_count, 2);
    assert_int_equal(score.victim_count, 1);
    assert_int_equal(score.found_count, 1);
    assert_int_equal(score.false_count, 0);
    assert_true(score.explored_fraction > 0.5 && score.explored_fraction <= 1);
    assert_true(score.map_wall_rms_m < 0.1);
    for (uint32_t i = 0; i < 2; i++) {
        const cairn_robot_score *one = &score.robots[i];
        assert_true(one->position_error_m_mean > 0 && one->position_error_m_mean <= one->position_error_m_max);
        assert_true(one->position_error_m_max < 0.1);
        int64_t sum_ns = 0;
        for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) { sum_ns += one->modes.spent_ns[mode]; }
        assert_true(sum_ns > CAIRN_MS(29900) && sum_ns <= CAIRN_S(30));
        assert_true(one->modes.spent_ns[CAIRN_MODE_AUTONOMOUS] > CAIRN_S(29));
    }
}

// At time t do x: the team is stopped and let go by the same way as from the page.
static void a_scripted_operator_stops_and_releases_the_team(void **unused)
{
    (void)unused;
    const cairn_mission_action actions[] = {
        {.at_s = 5, .action = {.verb = CAIRN_DO_STOP, .robot = CAIRN_ALL_ROBOTS}},
        {.at_s = 15, .action = {.verb = CAIRN_DO_RELEASE, .robot = CAIRN_ALL_ROBOTS}},
        {.at_s = 20, .action = {.verb = CAIRN_DO_MODE, .robot = 2, .mode = CAIRN_MODE_AUTONOMOUS}},
    };
    cairn_team_def def = team_def(1);
    def.journal_path = NULL;
    def.actions = actions;
    def.action_count = 3;
    run(&def, 25);
    assert_int_equal(score.action_count, 3);
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t *spent_ns = score.robots[i].modes.spent_ns;
        assert_in_range(spent_ns[CAIRN_MODE_STOPPED], CAIRN_MS(9500), CAIRN_MS(10500));
        assert_in_range(spent_ns[CAIRN_MODE_IDLE], CAIRN_MS(4000), CAIRN_MS(11000));
        assert_true(score.robots[i].modes.travelled_m[CAIRN_MODE_STOPPED] < 0.1); // braking
        assert_true(score.robots[i].modes.travelled_m[CAIRN_MODE_IDLE] < 0.01);
    }
    assert_in_range(score.robots[1].modes.spent_ns[CAIRN_MODE_AUTONOMOUS], CAIRN_MS(8500), CAIRN_MS(10000));
    assert_in_range(score.robots[0].modes.spent_ns[CAIRN_MODE_AUTONOMOUS], CAIRN_MS(4000), CAIRN_MS(5500));
}

static void what_goes_over_the_air_is_counted(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.journal_path = NULL;
    run(&def, 20);
    assert_true(score.radio.bytes > 2000 && score.radio.kbit_per_s > 1 && score.radio.kbit_per_s < 115.2);
    uint64_t sum_bytes = 0;
    for (uint32_t i = 0; i < 2; i++) { sum_bytes += score.radio.robots[i].up_bytes + score.radio.robots[i].down_bytes; }
    assert_true(sum_bytes == score.radio.bytes);
    assert_true(score.radio.stream_bytes[CAIRN_LINK_TERRAIN] > 0);
}

// A robot out of radio goes on with what it was told; the map that it made meanwhile comes home.
static void a_silence_costs_time_but_no_map(void **unused)
{
    (void)unused;
    cairn_medium_silence silence = {.from_s = 5, .to_s = 15};
    cairn_team_def def = team_def(1);
    def.journal_path = NULL;
    def.radio.silence_count = 1;
    def.radio.silences = &silence;
    run(&def, 16.5);
    assert_true(score.explored_fraction > 0.3);
    assert_true(score.radio.dropped[CAIRN_MEDIUM_LOST_SILENCE] > 0);
}

static uint32_t watched_count;

static void watch(void *context, const cairn_station_view *view, double explored, cairn_mono now)
{
    (void)context, (void)now;
    assert_true(explored >= 0 && explored <= 1);
    watched_count += view->fleet->robots[0].heard && view->fleet->robots[1].heard;
}

// The same robots, station and air on threads: they meet, are told what to do, and map.
static void the_same_team_runs_in_real_time(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.realtime = true;
    def.watch = watch;
    watched_count = 0;
    run(&def, 6);
    assert_true(watched_count > 0);
    assert_true(score.explored_fraction > 0);
    assert_true(fabs(score.sim_s - 6) < 1);
    for (uint32_t i = 0; i < 2; i++) { assert_true(score.robots[i].modes.spent_ns[CAIRN_MODE_AUTONOMOUS] > 0); }
    journal_read(&found, path);
    assert_true(found.sound);
    assert_true(journal_count(&found, "/emu1/radio/telemetry") > 0);
}

static void runs_the_same_without_its_journal(const cairn_team_def *recorded)
{
    cairn_team_def def = *recorded;
    run(&def, 5);
    const cairn_score with = score;
    def.journal_path = NULL;
    run(&def, 5);
    score.hash = with.hash;
    char *first = cairn_score_to_json(&with), *second = cairn_score_to_json(&score);
    assert_string_equal(first, second);
    free(first), free(second);
}

// Writing it down must not change what happens.
static void a_journal_changes_nothing(void **unused)
{
    (void)unused;
    const cairn_team_def def = team_def(5);
    runs_the_same_without_its_journal(&def);
}

// A range imager shows the ground that robots plan by: they see it whoever records.
static void what_is_recorded_does_not_decide_what_a_robot_sees(void **unused)
{
    (void)unused;
    cairn_body_description seeing = robot;
    const cairn_quat down = cairn_quat_from_rpy((cairn_rpy){0, 0.5, 0});
    seeing.range_imager = (cairn_range_imager_description){.offered = true,
                                                           .base_T_camera = {{0.15, 0, 0.40}, down},
                                                           .width_px = 44,
                                                           .height_px = 36,
                                                           .field_rad = 0.8,
                                                           .rate_hz = 5,
                                                           .range_m_min = 0.2,
                                                           .range_m_max = 5,
                                                           .noise_m = 0.005};
    cairn_sim_box kerb = {.map_T_box = {2.2, 1.5, 0}, .size_m = {0.1, 2.8, 0.12}}; // below the laser
    arena.boxes = &kerb;
    arena.box_count = 1;
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
    cairn_team_def def = team_def(5);
    def.robots[0].description = def.robots[1].description = &seeing;
    def.range_image_hz = 5;
    runs_the_same_without_its_journal(&def);
    arena.box_count = 0;
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
}

static void more_robots_than_starts_is_told(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.robots[2] = def.robots[0];
    def.robots[2].name = "emu3";
    def.robot_count = 3;
    cairn_team *team = NULL;
    complaints = (cairn_complaints){0};
    assert_int_equal(cairn_team_create(&def, &complaints, &team), CAIRN_ERR_INVALID);
    assert_null(team);
    assert_non_null(strstr(complaints.text, "3 robots"));
}

static void a_journal_in_no_folder_is_told_before_anything_runs(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.journal_path = "/tmp/cairn-no-such-folder/journal.mcap";
    cairn_team *team = NULL;
    complaints = (cairn_complaints){0};
    assert_int_equal(cairn_team_create(&def, &complaints, &team), CAIRN_ERR_IO);
    assert_null(team);
    assert_non_null(strstr(complaints.text, def.journal_path));
}

static void a_physics_that_does_not_exist_is_told(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.physics = "treacle";
    cairn_team *team = NULL;
    complaints = (cairn_complaints){0};
    assert_int_not_equal(cairn_team_create(&def, &complaints, &team), CAIRN_OK);
    assert_null(team);
    assert_true(complaints.count >= 1);
}

// For measuring the simulator alone: the robots move, and nobody is at home.
static void a_world_alone_runs_without_minds(void **unused)
{
    (void)unused;
    cairn_team_def def = team_def(1);
    def.world_only = true;
    def.journal_path = NULL;
    run(&def, 2);
    assert_true(score.explored_fraction == 0);
    assert_true(isnan(score.robots[0].position_error_m_mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_seed_decides),
        cmocka_unit_test(four_seconds_leave_the_journal_that_they_should),
        cmocka_unit_test(the_score_tells_of_the_run),
        cmocka_unit_test(a_scripted_operator_stops_and_releases_the_team),
        cmocka_unit_test(what_goes_over_the_air_is_counted),
        cmocka_unit_test(a_silence_costs_time_but_no_map),
        cmocka_unit_test(the_same_team_runs_in_real_time),
        cmocka_unit_test(a_journal_changes_nothing),
        cmocka_unit_test(what_is_recorded_does_not_decide_what_a_robot_sees),
        cmocka_unit_test(more_robots_than_starts_is_told),
        cmocka_unit_test(a_journal_in_no_folder_is_told_before_anything_runs),
        cmocka_unit_test(a_physics_that_does_not_exist_is_told),
        cmocka_unit_test(a_world_alone_runs_without_minds),
    };
    return cmocka_run_group_tests(tests, begin, closet_close);
}
