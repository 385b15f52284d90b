// Robots whose private frames drift drive through one place. What the station makes of it is compared with where they
// truly were.
#include "drivers.h"

static double worst_node_m(const scene *s)
{
    double worst_m = 0;
    for (uint32_t k = 0; k < ROBOTS; k++) {
        for (uint32_t i = 1; i <= NODES; i++) {
            const cairn_node_entry *node = cairn_atlas_node(&s->station->state.atlas, s->drivers[k].id, i);
            if (node == NULL || !node->has_pose) { continue; }
            worst_m = fmax(
                worst_m, cairn_vec2_distance(cairn_pose2_at(node->map_T_node), cairn_pose2_at(s->drivers[k].truth[i])));
        }
    }
    return worst_m;
}

static double worst_told_m(const scene *s)
{
    double worst_m = 0;
    for (uint32_t k = 0; k < ROBOTS; k++) {
        for (uint32_t i = 1; i <= NODES; i++) {
            const cairn_vec2 told = cairn_pose2_apply(s->drivers[k].start, cairn_pose2_at(s->drivers[k].told[i]));
            worst_m = fmax(worst_m, cairn_vec2_distance(told, cairn_pose2_at(s->drivers[k].truth[i])));
        }
    }
    return worst_m;
}

static uint32_t closures(const scene *s) { return cairn_places_closures(s->station->state.atlas.places).accepted; }

// The point of it all: with closures the map is where the walls are, although every robot's own frame is far off.
static void drifting_robots_make_the_map_of_true_ones(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    drift other = drifting;
    other.turn_rad = -0.001;
    scene_make(s, drifting, other);
    play(s, 1, NODES, drifting);
    run_tasking(s, 60);
    printf("robots' own frames are off by up to %.2f m; nodes by %.3f m; %u closures; %.4f of the cells are wrong\n",
           worst_told_m(s), worst_node_m(s), closures(s), wrong_cells(s));
    assert_true(worst_told_m(s) > 1.0);
    assert_true(closures(s) > 10);
    assert_true(worst_node_m(s) < 0.15);
    assert_true(wrong_cells(s) < 0.02);
    // And so do the robots themselves.
    for (uint32_t k = 0; k < ROBOTS; k++) {
        const cairn_pose2 map_T_base = s->station->state.fleet.robots[k].map_T_base;
        assert_true(cairn_vec2_distance(cairn_pose2_at(map_T_base), cairn_pose2_at(s->drivers[k].truth[NODES])) < 0.15);
    }
    scene_finish(s);
    free(s);
}

// A robot whose frame does not drift must not be led astray by its own map, nor by what others make of it.
static void exact_robots_stay_where_they_are(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    play(s, 1, NODES, exact);
    run_tasking(s, 60);
    printf("nodes are off by up to %.3f m; %u closures\n", worst_node_m(s), closures(s));
    assert_true(closures(s) > 10);
    assert_true(worst_node_m(s) < 0.06);
    scene_finish(s);
    free(s);
}

// A station that is killed in the middle goes on as if nothing had been: solver, candidates and what follows included.
static void a_snapshot_in_the_middle_goes_on_with_the_same_bytes(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s), *again = malloc(sizeof *again);
    drift other = drifting;
    other.turn_rad = -0.001;
    scene_make(s, drifting, other);
    for (uint32_t at = 60; at < NODES; at += 30) { // closures wait, are solved and are followed at one or the other
        play(s, at == 60 ? 1 : at - 29, at, drifting);
        cairn_arena memory;
        *again = *s;
        again->inputs = malloc(sizeof *again->inputs);
        again->station = scene_restart(s, &memory);
        assert_int_equal(cairn_station_hashes(s->station).state, cairn_station_hashes(again->station).state);
        if (at + 30 >= NODES) {
            play(s, at + 1, at + 20, drifting);
            play(again, at + 1, at + 20, drifting);
            assert_int_equal(cairn_station_hashes(s->station).state, cairn_station_hashes(again->station).state);
        } else {
            // The one that was loaded goes on in place of the other.
            cairn_station *first = s->station;
            cairn_arena first_memory = s->memory;
            s->station = again->station;
            s->memory = memory;
            again->station = first;
            memory = first_memory;
        }
        cairn_station_finish(again->station);
        cairn_arena_destroy(&memory);
        free(again->inputs);
    }
    assert_true(closures(s) > 3);
    scene_finish(s);
    free(s);
    free(again);
}

// What was seen from a place moves with it: a person is where the walls around are.
static void a_victim_follows_the_map(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    drift other = drifting;
    other.turn_rad = -0.001;
    scene_make(s, drifting, other);
    play(s, 1, 90, drifting);
    const cairn_vec2 true_m = cairn_pose2_apply(s->drivers[0].truth[90], (cairn_vec2){2, 0});
    say_victim(s, 0, 90, true_m);
    const cairn_victims *victims = &s->station->state.victims;
    const double before_m = cairn_vec2_distance(victims->victims[0].at_m, true_m);
    play(s, 91, NODES, drifting);
    run_tasking(s, 20);
    const double after_m = cairn_vec2_distance(victims->victims[0].at_m, true_m);
    printf("%.3f m off when it was seen, %.3f m in the end\n", before_m, after_m);
    assert_int_equal(victims->victim_count, 1);
    assert_true(after_m < 0.12);
    scene_finish(s);
    free(s);
}

// Whatever proposes it, one wrong closure must not bend the map: it is out, and its story says why.
static void a_wrong_closure_is_refused(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    play(s, 1, NODES, exact);
    cairn_places *places = s->station->state.atlas.places;
    const uint32_t last = cairn_places_last(places, 1), other = cairn_places_last(places, 2);
    const cairn_pose2 map_T_last = cairn_graph_pose_to2(&places->graph->nodes[last].pose);
    const cairn_pose2 map_T_other = cairn_graph_pose_to2(&places->graph->nodes[other].pose);
    cairn_pose2 wrong = cairn_pose2_between(map_T_last, map_T_other);
    wrong.x_m += 1.5;
    const cairn_closure_proposal proposal = {.from = last,
                                             .to = other,
                                             .measured = cairn_graph_pose_from2(wrong),
                                             .information = {400, 0, 0, 400, 0, 10000},
                                             .window = 50,
                                             .proposer = "test"};
    uint32_t story = 0;
    assert_ok(cairn_candidates_propose(places->candidates, &proposal, (cairn_mission){s->now.ns}, &story));
    (void)cairn_candidates_step(places->candidates, (cairn_mission){s->now.ns});
    assert_int_equal(cairn_candidates_story(places->candidates, story)->state, CAIRN_CLOSURE_REFUSED_BY_MAP);
    // And if somebody believed it against all odds, the solve does not.
    assert_ok(cairn_candidates_decide(places->candidates, story, true, (cairn_mission){s->now.ns}));
    cairn_places_solved solved;
    assert_ok(cairn_places_solve(places, &s->station->state.tasking.scratch, (cairn_mission){s->now.ns}, &solved));
    assert_int_equal(solved.withdrawn_count, 1);
    assert_int_equal(cairn_candidates_story(places->candidates, story)->state, CAIRN_CLOSURE_WITHDRAWN);
    assert_true(worst_node_m(s) < 0.06);
    for (uint32_t k = 0; k < ROBOTS; k++) {
        const cairn_pose2 frame = cairn_places_frame(places, s->drivers[k].id, (cairn_pose2){0});
        assert_true(cairn_vec2_distance(cairn_pose2_at(frame), cairn_pose2_at(s->drivers[k].start)) < 0.1);
    }
    scene_finish(s);
    free(s);
}

static uint32_t count_events(const scene *s, const char *text);

// Two robots whose frames have drifted apart see one person in two places. When the map is put right they are one:
// nobody is sent to look for somebody who is not there. And the person stays one after a restart, byte by byte.
static void victims_that_come_to_lie_on_each_other_are_one(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    // The first one's gyro turns too far, and it says that it may.
    const drift turning = {.scale = 1.01, .turn_rad = 0.004, .deviation_m = 0.015, .deviation_rad = 0.01};
    scene_make(s, turning, exact);
    play(s, 1, 40, turning);
    const cairn_vec2 true_m = cairn_pose2_apply(s->drivers[0].truth[40], (cairn_vec2){1, -1});
    say_victim(s, 0, 40, true_m);
    say_victim(s, 1, 40, true_m);
    const cairn_victims *victims = &s->station->state.victims;
    printf("%u victims, %.2f m from each other\n", victims->victim_count,
           cairn_vec2_distance(victims->victims[0].at_m, victims->victims[1].at_m));
    assert_int_equal(victims->victim_count, 2);
    play(s, 41, NODES, turning);
    run_tasking(s, 20);
    printf("%u in the end, %.2f m off; %u closures\n", cairn_victims_count(victims),
           cairn_vec2_distance(victims->victims[0].at_m, true_m), closures(s));
    assert_int_equal(cairn_victims_count(victims), 1);
    assert_int_equal(victims->victims[1].same_as, 1);
    assert_int_equal(victims->victims[0].sighting_count, 2);
    assert_int_equal(victims->victims[0].found_by, 1);
    assert_true(cairn_vec2_distance(victims->victims[0].at_m, true_m) < 0.3);
    assert_int_equal(count_events(s, "victim 2 is the same as victim 1"), 1);
    // The second robot's next word about the person is about the first victim.
    say_victim(s, 1, 40, true_m);
    assert_int_equal(victims->victim_count, 2);
    assert_int_equal(victims->victims[0].sighting_count, 2);
    cairn_arena memory;
    cairn_station *again = scene_restart(s, &memory);
    assert_int_equal(cairn_station_hashes(s->station).state, cairn_station_hashes(again).state);
    assert_int_equal(again->state.victims.victims[1].same_as, 1);
    cairn_station_finish(again);
    cairn_arena_destroy(&memory);
    scene_finish(s);
    free(s);
}

static uint32_t count_events(const scene *s, const char *text)
{
    const cairn_events *events = &s->station->state.events;
    uint32_t count = 0;
    for (uint64_t i = events->count; i > 0; i--) {
        const cairn_event *event = cairn_events_get(events, i);
        count += event != NULL && strstr(event->text, text) != NULL;
    }
    return count;
}

// Whoever looks at the map must know that it is no longer put right; once is enough.
static void a_solve_that_fails_is_told_once(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    play(s, 1, 5, exact);
    cairn_places *places = s->station->state.atlas.places;
    const uint32_t last = cairn_places_last(places, 1);
    const cairn_pose2 frame = places->places[last].map_T_private;
    for (uint32_t i = 0; i < places->graph->factor_count; i++) { // beyond all that can be saved
        if (places->graph->factors[i].from == CAIRN_PLACE_NONE) { places->graph->factors[i].measured.v[0] = 1e9; }
    }
    for (uint32_t i = 0; i < 3; i++) {
        places->unsolved_count++;
        run_tasking(s, 6);
        assert_int_equal(places->unsolved_count, 0);
    }
    assert_int_equal(places->solve_count, 0);
    assert_int_equal(count_events(s, "cannot be solved"), 1);
    assert_memory_equal(&frame, &places->places[last].map_T_private, sizeof frame);
    s->now = cairn_mono_add(s->now, CAIRN_S(301));
    places->unsolved_count++;
    run_tasking(s, 6);
    assert_int_equal(count_events(s, "cannot be solved"), 2);
    scene_finish(s);
    free(s);
}

// Stories are never forgotten, so that there may be no room for another: that is told, and who waits does not wait on.
static void no_room_for_closures_is_told_once(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    play(s, 1, 2, exact);
    cairn_places *places = s->station->state.atlas.places;
    const cairn_closure_proposal impossible = {.from = 1,
                                               .to = 2,
                                               .measured = cairn_graph_pose_from2((cairn_pose2){900, 0, 0}),
                                               .information = {400, 0, 0, 400, 0, 10000},
                                               .window = 50,
                                               .proposer = "test"};
    for (uint32_t i = 2; i < CAIRN_CLOSURE_STORIES_MAX; i++) {
        assert_ok(cairn_candidates_propose(places->candidates, &impossible, (cairn_mission){0}, NULL));
    }
    assert_int_equal(cairn_places_closures(places).refused, CAIRN_CLOSURE_STORIES_MAX - 2);
    cairn_closure_proposal chance = impossible; // agrees, which of so small a window says nothing
    const cairn_graph_node *nodes = places->graph->nodes;
    chance.measured = cairn_graph_pose_from2(
        cairn_pose2_between(cairn_graph_pose_to2(&nodes[1].pose), cairn_graph_pose_to2(&nodes[2].pose)));
    chance.window = 1e-6;
    uint32_t waits = 0;
    assert_ok(cairn_candidates_propose(places->candidates, &chance, (cairn_mission){s->now.ns}, &waits));
    play(s, 3, 70, exact);
    assert_int_equal(cairn_candidates_count(places->candidates), CAIRN_CLOSURE_STORIES_MAX);
    assert_int_equal(count_events(s, "all that can be kept"), 1);
    assert_int_equal(cairn_candidates_story(places->candidates, waits)->state, CAIRN_CLOSURE_WAITS);
    s->now = cairn_mono_add(s->now, CAIRN_S(301));
    run_tasking(s, 1);
    assert_int_equal(cairn_candidates_story(places->candidates, waits)->state, CAIRN_CLOSURE_EXPIRED);
    scene_finish(s);
    free(s);
}

// A robot that nobody heard for a while sends what is new first. Its trail is the same in the end.
static void late_nodes_make_places_between_others(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    for (uint32_t i = 1; i <= 40; i++) {
        const uint32_t order = i <= 10 ? i : i <= 20 ? i + 20 : 51 - i; // 1..10, 31..40, then 30 down to 11
        begin(s, CAIRN_STEP_POST);
        say_telemetry(s, 0, order);
        say_node(s, 0, order, exact);
        end(s);
    }
    const cairn_places *places = s->station->state.atlas.places;
    uint32_t place = cairn_places_last(places, 1), count = 0, before = UINT32_MAX;
    for (; place != CAIRN_PLACE_NONE; place = places->places[place].before) {
        assert_true(places->places[place].node < before);
        before = places->places[place].node;
        const cairn_factor *factor = &places->graph->factors[places->places[place].factor];
        assert_true(!factor->is_gone && factor->to == place && factor->from == places->places[place].before);
        count++;
    }
    assert_true(count >= 38 && count <= 40); // every half metre
    uint32_t left = 0;
    for (uint32_t i = 0; i < places->graph->factor_count; i++) { left += !places->graph->factors[i].is_gone; }
    assert_int_equal(left, count); // one leads to each
    scene_finish(s);
    free(s);
}

// An older robot that lost its frame says so by an edge that leads nowhere. Its old places stay; it starts again.
static void a_lost_frame_starts_again(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    s->drivers[0].is_old = true;
    for (uint32_t i = 1; i <= 20; i++) {
        if (i == 11) { // the frame begins anew where it stands, the edge is nothing
            const cairn_pose2 from = s->drivers[0].told[11];
            for (uint32_t k = 11; k <= 20; k++) {
                s->drivers[0].told[k] = cairn_pose2_between(from, s->drivers[0].told[k]);
            }
            s->drivers[0].told[10] = s->drivers[0].told[11];
        }
        begin(s, CAIRN_STEP_POST);
        say_telemetry(s, 0, i);
        say_node(s, 0, i, exact);
        end(s);
    }
    const cairn_places *places = s->station->state.atlas.places;
    const cairn_node_entry *node = cairn_atlas_node(&s->station->state.atlas, 1, 11);
    assert_int_equal(places->graph->factors[places->places[node->place].factor].from, CAIRN_PLACE_NONE);
    assert_true(cairn_vec2_distance(cairn_pose2_at(node->map_T_node), cairn_pose2_at(s->drivers[0].start)) < 0.01);
    node = cairn_atlas_node(&s->station->state.atlas, 1, 10);
    assert_true(cairn_vec2_distance(cairn_pose2_at(node->map_T_node), cairn_pose2_at(s->drivers[0].truth[10])) < 0.01);
    scene_finish(s);
    free(s);
}

// Wheels slip, the laser loses its hold, and the robot is elsewhere than it thinks. It says that it is unsure, and is
// put right by what it saw before, although it has hardly gone on.
static void a_robot_that_slipped_is_put_right_before_it_comes_back(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    driver *d = &s->drivers[0];
    const uint32_t slips_at = 41, last = 75;
    for (uint32_t i = slips_at; i <= last; i++) { // slowly on
        d->truth[i] = on_the_way(0.5 * (slips_at - 1) + 0.1 * (i - slips_at + 1));
        d->told[i] = cairn_pose2_between(d->start, d->truth[i]);
        d->told[i].x_m += 0.4;
        d->told[i].y_m -= 0.1;
    }
    for (uint32_t i = 1; i <= last; i++) {
        drift by = exact;
        if (i == slips_at) { by.deviation_m = 0.3; }
        begin(s, CAIRN_STEP_POST);
        say_telemetry(s, 0, i);
        say_node(s, 0, i, by);
        say_map(s, 0, i);
        end(s);
        run_tasking(s, 5);
        const cairn_pose2 map_T_base = s->station->state.fleet.robots[0].map_T_base;
        const double off_m = cairn_vec2_distance(cairn_pose2_at(map_T_base), cairn_pose2_at(d->truth[i]));
        if (i == slips_at) { assert_true(off_m > 0.3); }
        if (i == last) { assert_true(off_m < 0.1); }
    }
    scene_finish(s);
    free(s);
}

// Ground that was looked at is still the same ground when the map moves: by whole cells here, so that nothing is
// rounded.
static void what_was_searched_follows_its_place(void **unused)
{
    (void)unused;
    scene *s = malloc(sizeof *s);
    scene_make(s, exact, exact);
    play(s, 1, 12, exact);
    cairn_atlas *atlas = &s->station->state.atlas;
    static uint8_t before[CELLS][CELLS], from[CELLS][CELLS];
    uint32_t counts[ROBOTS + 1] = {0};
    for (uint32_t cell = 0; cell < CELLS * CELLS; cell++) {
        before[cell / CELLS][cell % CELLS] = atlas->searched[cell];
        from[cell / CELLS][cell % CELLS] = atlas->places->places[atlas->searched_from[cell]].robot;
        if (atlas->searched[cell]) { counts[from[cell / CELLS][cell % CELLS]]++; }
    }
    assert_true(counts[1] > 500 && counts[2] > 500);
    for (uint32_t i = 1; i < atlas->places->graph->node_count; i++) {
        cairn_place *place = &atlas->places->places[i];
        if (place->robot != 1) { continue; }
        place->map_T_private.x_m += 0.5;
        place->map_T_private.y_m -= 0.2;
    }
    assert_ok(cairn_atlas_follow_searched(atlas, &s->station->state.tasking.scratch));
    for (int y = 10; y < CELLS - 10; y++) {
        for (int x = 10; x < CELLS - 10; x++) {
            const bool stayed = before[y][x] && from[y][x] == 2;
            const bool came = before[y + 2][x - 5] && from[y + 2][x - 5] == 1;
            assert_int_equal(atlas->searched[y * CELLS + x] != 0, stayed || came);
        }
    }
    scene_finish(s);
    free(s);
}

static cairn_msg_task told_task;
static uint32_t told_count;

static void keep_task(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task, cairn_mono now)
{
    (void)context, (void)robot, (void)now;
    told_task = *task;
    told_count++;
}

// A robot has its task in its own frame: when that turns out to lie elsewhere, it would end beside its goal.
static void a_task_is_told_again_when_its_frame_has_moved(void **unused)
{
    (void)unused;
    cairn_fleet_robot robot = {.id = 1, .heard = true, .telemetry = {.task = 3, .task_state = CAIRN_TASK_UNDER_WAY}};
    robot.assignment = (cairn_assignment){.task = 3, .via_count = 3, .via_m = {{1, 0}, {5, 0}, {10, 0}}};
    told_count = 0;
    robot.telemetry.x_mm = 5900;
    cairn_fleet_place(&robot, (cairn_pose2){0.1, 0, 0});
    cairn_errand_follow(&robot, (cairn_mono){1}, keep_task, NULL);
    assert_int_equal(told_count, 0); // a cell: not worth it
    cairn_fleet_place(&robot, (cairn_pose2){0.3, 0, 0});
    cairn_errand_follow(&robot, (cairn_mono){1}, keep_task, NULL);
    assert_int_equal(told_count, 1);
    assert_int_equal(told_task.task, 3);
    assert_int_equal(told_task.via_x_mm_count, 1); // it has passed the others
    assert_int_equal(told_task.via_x_mm[0], 9700);
    cairn_errand_follow(&robot, (cairn_mono){2}, keep_task, NULL);
    assert_int_equal(told_count, 1);
    // A turn far from the goal moves it, too; one that is done is left alone.
    cairn_fleet_place(&robot, (cairn_pose2){0.3, 0, 0.03});
    robot.telemetry.task_state = CAIRN_TASK_DONE;
    cairn_errand_follow(&robot, (cairn_mono){3}, keep_task, NULL);
    assert_int_equal(told_count, 1);
    robot.telemetry.task_state = CAIRN_TASK_BLOCKED;
    cairn_errand_follow(&robot, (cairn_mono){3}, keep_task, NULL);
    assert_int_equal(told_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drifting_robots_make_the_map_of_true_ones),
        cmocka_unit_test(exact_robots_stay_where_they_are),
        cmocka_unit_test(a_snapshot_in_the_middle_goes_on_with_the_same_bytes),
        cmocka_unit_test(a_victim_follows_the_map),
        cmocka_unit_test(victims_that_come_to_lie_on_each_other_are_one),
        cmocka_unit_test(a_wrong_closure_is_refused),
        cmocka_unit_test(a_solve_that_fails_is_told_once),
        cmocka_unit_test(no_room_for_closures_is_told_once),
        cmocka_unit_test(late_nodes_make_places_between_others),
        cmocka_unit_test(a_lost_frame_starts_again),
        cmocka_unit_test(a_robot_that_slipped_is_put_right_before_it_comes_back),
        cmocka_unit_test(what_was_searched_follows_its_place),
        cmocka_unit_test(a_task_is_told_again_when_its_frame_has_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
