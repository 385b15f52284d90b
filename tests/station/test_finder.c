// A robot is carried off, or loses its place: its trail is cut. What it says from then on must bend nobody's map, and
// the station must find it again, wherever it is and however it is turned; but not take one room for another.
#include "base/hash.h"
#include "drivers.h"

#define CUT_AT 60

// From node CUT_AT on the second robot goes on from elsewhere; in its own frame nothing happens but that its trail is
// cut.
static void carry(driver *d, cairn_pose2 to, double step_m, double turn_rad)
{
    d->cut_at = CUT_AT;
    d->truth[CUT_AT] = to;
    d->told[CUT_AT] = d->told[CUT_AT - 1];
    const cairn_pose2 step = {step_m, 0, turn_rad};
    for (uint32_t i = CUT_AT + 1; i <= NODES; i++) {
        d->truth[i] = cairn_pose2_compose(d->truth[i - 1], step);
        d->told[i] = cairn_pose2_compose(d->told[i - 1], step);
    }
}

static uint64_t map_hash(const scene *s) { return cairn_station_hashes(s->station).map; }

static double off_m(const scene *s, uint32_t i)
{
    const cairn_fleet_robot *robot = &s->station->state.fleet.robots[1];
    return cairn_vec2_distance(cairn_pose2_at(robot->map_T_base), cairn_pose2_at(s->drivers[1].truth[i]));
}

static bool was_told(const scene *s, const char *part)
{
    const cairn_events *events = &s->station->state.events;
    for (uint64_t number = 1; number <= events->count; number++) {
        const cairn_event *event = cairn_events_get(events, number);
        if (event != NULL && strstr(event->text, part) != NULL) { return true; }
    }
    return false;
}

static void say_second(scene *s, uint32_t i)
{
    begin(s, CAIRN_STEP_POST);
    say_telemetry(s, 1, i);
    say_node(s, 1, i, exact);
    say_map(s, 1, i);
    end(s);
}

// Only the second robot speaks.
static void play_second(scene *s, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        say_second(s, i);
        run_tasking(s, 5);
    }
}

static scene *scene_cut(cairn_pose2 to, double step_m, double turn_rad)
{
    scene *s = malloc(sizeof *s);
    assert_non_null(s);
    scene_make_exact(s);
    carry(&s->drivers[1], to, step_m, turn_rad);
    play(s, 1, CUT_AT - 1, exact);
    run_tasking(s, 40);
    return s;
}

static void scene_end(scene *s)
{
    scene_finish(s);
    free(s);
}

// Somewhere that the first robot has seen, turned by anything.
static void who_was_carried_is_found_again_in_any_heading(void **unused)
{
    (void)unused;
    const cairn_pose2 there[] = {{14, 14.5, 0.3}, {24, 14, 2.9}, {13, 22, -1.7}, {25, 24, -0.6}, {20, 13.5, 1.2}};
    for (uint32_t k = 0; k < sizeof there / sizeof there[0]; k++) {
        scene *s = scene_cut(there[k], 0.05, 0.02);
        const double wrong_before = wrong_cells(s);
        const uint64_t before = map_hash(s);
        uint32_t i = CUT_AT;
        play_second(s, i, i);
        assert_true(s->station->state.fleet.robots[1].unplaced);
        assert_true(was_told(s, "place of emu2 unknown"));
        assert_int_equal(map_hash(s), before); // nothing of it is drawn
        while (s->station->state.fleet.robots[1].unplaced && i < CUT_AT + 40) {
            assert_int_equal(map_hash(s), before);
            i++;
            play_second(s, i, i);
        }
        printf("carried to (%.0f, %.0f), %.1f rad: found after %u s, off by %.3f m\n", there[k].x_m, there[k].y_m,
               there[k].yaw_rad, i - CUT_AT, off_m(s, i));
        assert_true(!s->station->state.fleet.robots[1].unplaced);
        assert_true(was_told(s, "emu2 is found again at"));
        assert_true(off_m(s, i) < 0.3);
        play_second(s, i + 1, i + 10);
        run_tasking(s, 60);
        printf("then off by %.3f m; wrong cells %.4f, before %.4f\n", off_m(s, i + 10), wrong_cells(s), wrong_before);
        assert_true(off_m(s, i + 10) < 0.1);
        assert_true(wrong_cells(s) < wrong_before + 0.003);
        assert_true(map_hash(s) != before); // what it sees is drawn
        scene_end(s);
    }
}

static void copy_walls(int from_x, int from_y, int to_x, int to_y, int side)
{
    for (int y = 0; y < side; y++) { memcpy(&walls[to_y + y][to_x], &walls[from_y + y][from_x], (size_t)side); }
}

// Two rooms that nobody can tell apart from within: whoever guesses draws one of them twice, and sends others wrong.
static void in_one_of_two_rooms_that_look_alike_it_waits(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    assert_non_null(s);
    scene_make_exact(s);
    copy_walls(60, 90, 200, 90, 120); // around (12, 15) and (26, 15): each sees 5.5 m
    carry(&s->drivers[1], (cairn_pose2){12, 15, 0.7}, 0, 0.1);
    play(s, 1, CUT_AT - 1, exact);
    run_tasking(s, 40);
    const uint64_t before = map_hash(s);
    play_second(s, CUT_AT, CUT_AT + 40);
    assert_true(s->station->state.fleet.robots[1].unplaced);
    assert_true(was_told(s, "looks like 2 places"));
    assert_int_equal(map_hash(s), before);
    scene_end(s);
}

// Where nobody has been there is nothing to find.
static void where_nobody_has_been_it_waits(void **unused)
{
    (void)unused;
    scene *s = scene_cut((cairn_pose2){33, 34, 0.4}, 0.02, 0.05);
    const uint64_t before = map_hash(s);
    play_second(s, CUT_AT, CUT_AT + 40);
    assert_true(s->station->state.fleet.robots[1].unplaced);
    assert_int_equal(map_hash(s), before);
    scene_end(s);
}

// A station that is killed while it looks goes on with the same bytes.
static void a_search_goes_on_after_a_restart(void **unused)
{
    (void)unused;
    scene *again = malloc(sizeof *again);
    assert_non_null(again);
    scene *s = scene_cut((cairn_pose2){14, 14.5, 0.3}, 0.05, 0.02);
    play_second(s, CUT_AT, CUT_AT + 5);
    say_second(s, CUT_AT + 6);
    for (uint32_t i = 0; i < 5 && s->station->state.search.head == CAIRN_PLACE_NONE; i++) { run_tasking(s, 1); }
    assert_true(s->station->state.search.head != CAIRN_PLACE_NONE);
    cairn_arena memory;
    *again = *s;
    again->inputs = malloc(sizeof *again->inputs);
    assert_non_null(again->inputs);
    again->station = scene_restart(s, &memory);
    for (uint32_t i = CUT_AT + 7; i < CUT_AT + 30; i++) {
        play_second(s, i, i);
        play_second(again, i, i);
        assert_int_equal(cairn_station_hashes(s->station).state, cairn_station_hashes(again->station).state);
    }
    assert_true(!again->station->state.fleet.robots[1].unplaced);
    cairn_station_finish(again->station);
    cairn_arena_destroy(&memory);
    free(again->inputs);
    scene_end(s);
    free(again);
}

// Whoever was seen meanwhile is on the map once the robot is, and where they are; not before, and not elsewhere.
static void a_person_seen_meanwhile_is_on_the_map_once_it_is_found(void **unused)
{
    (void)unused;
    scene *s = scene_cut((cairn_pose2){14, 14.5, 0.3}, 0.05, 0.02);
    play_second(s, CUT_AT, CUT_AT + 2);
    const cairn_vec2 true_m = cairn_pose2_apply(s->drivers[1].truth[CUT_AT + 2], (cairn_vec2){1.5, 0.5});
    say_victim(s, 1, CUT_AT + 2, true_m);
    assert_int_equal(s->station->state.victims.victim_count, 0);
    assert_true(was_told(s, "emu2 has seen somebody, and nobody knows where"));
    play_second(s, CUT_AT + 3, CUT_AT + 30);
    assert_int_equal(s->station->state.victims.victim_count, 1);
    assert_true(cairn_vec2_distance(s->station->state.victims.victims[0].at_m, true_m) < 0.3);
    scene_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_carried_is_found_again_in_any_heading),
        cmocka_unit_test(in_one_of_two_rooms_that_look_alike_it_waits),
        cmocka_unit_test(where_nobody_has_been_it_waits),
        cmocka_unit_test(a_search_goes_on_after_a_restart),
        cmocka_unit_test(a_person_seen_meanwhile_is_on_the_map_once_it_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
