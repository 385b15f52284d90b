// What ties a graph to the world, what takes decisions back, and matches that somebody suggests.
#include "dense.h"
#include "slam/closure/history.h"
#include "slam/closure/references.h"
#include "slam/closure/suggest.h"
#include "slam/solve/batch.h"

#define NODES 60u
#define SEED 4

static cairn_arena arena;
static cairn_graph_pose truth[NODES];

// A straight walk of 3 m steps with a bend.
static cairn_graph *make_walk(cairn_random *random)
{
    cairn_arena_reset(&arena, 0);
    const cairn_graph_def def = {.degrees = 3, .nodes_max = NODES, .factors_max = 4 * NODES};
    cairn_graph *graph = NULL;
    assert_ok(cairn_graph_create(&def, &arena, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        const double turned = i < NODES / 2 ? 0 : 1.2;
        truth[i] = cairn_graph_pose_from2(
            (cairn_pose2){3.0 * (i < 30 ? i : 30 + cos(1.2) * (i - 30)), i < 30 ? 0 : 3 * sin(1.2) * (i - 30), turned});
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = truth[i], .name = i}, NULL));
        if (i > 0) { add_true_factor(graph, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, (noise){0.05, 0.005}, random); }
    }
    return graph;
}

// Two surveyed points, without any heading, fix place and turn of a whole path.
static void two_points_place_and_turn_a_path(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/points");
    cairn_graph *graph = make_walk(&random);
    for (uint32_t i = 0; i < NODES; i++) { // starts turned by 20 degrees and shifted
        graph->nodes[i].pose =
            cairn_graph_pose_from2(cairn_pose2_compose((cairn_pose2){5, -3, 0.35}, cairn_graph_pose_to2(&truth[i])));
    }
    const uint32_t nodes[2] = {3, 50};
    for (int i = 0; i < 2; i++) {
        const cairn_reference point = {
            .node = nodes[i], .map_T_node = cairn_graph_pose_to2(&truth[nodes[i]]), .deviation_m = 0.05};
        assert_ok(cairn_reference_add(graph, &point, NULL));
    }
    assert_int_equal(cairn_reference_add(graph, &(cairn_reference){.node = NODES, .deviation_m = 1}, NULL),
                     CAIRN_ERR_INVALID);
    const cairn_batch_def def = cairn_batch_def_default();
    cairn_batch *batch = NULL;
    assert_ok(cairn_batch_create(&def, graph, &arena, &batch));
    assert_ok(cairn_batch_run(batch, graph, 50, NULL));
    for (uint32_t i = 0; i < NODES; i++) { assert_true(pose_distance(&graph->nodes[i].pose, &truth[i], 3) < 1.5); }
}

// Fixes beside a building agree with nothing, though the receiver says that they are good; the others get in.
static void gps_that_does_not_agree_stays_out(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/gps");
    cairn_graph *graph = make_walk(&random);
    const uint32_t odometry_count = graph->factor_count;
    cairn_gps_gate *gate = NULL;
    const cairn_gps_gate_def def = cairn_gps_gate_def_default();
    assert_ok(cairn_gps_gate_create(&def, graph, &arena, &gate));
    for (uint32_t node = 0; node < NODES; node += 4) {
        const bool is_wrong = node >= 24 && node < 36;
        const cairn_gps_fix fix = {.node = node,
                                   .x_m = truth[node].v[0] + 2 * cairn_random_gauss(&random) + (is_wrong ? 70 : 0),
                                   .y_m = truth[node].v[1] + 2 * cairn_random_gauss(&random) - (is_wrong ? node : 0),
                                   .deviation_m = 1};
        (void)cairn_gps_gate_step(gate, graph, &fix);
    }
    uint32_t right_count = 0;
    for (uint32_t i = odometry_count; i < graph->factor_count; i++) {
        const uint32_t node = graph->factors[i].to;
        assert_true(node < 24 || node >= 36);
        assert_int_equal(graph->factors[i].kind, CAIRN_FACTOR_GLOBAL);
        right_count++;
    }
    assert_true(right_count >= 9); // of 12
}

// A wrong decision an hour ago: back to before it, and, if that was the mistake, forward again.
static void a_rewind_undoes_and_can_be_undone(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/rewind");
    cairn_graph *graph = make_walk(&random);
    cairn_history *history = NULL;
    assert_ok(cairn_history_create(8, &arena, &history));
    const uint32_t first = add_true_factor(graph, truth, 0, 9, CAIRN_FACTOR_CLOSURE, (noise){1, 1}, NULL);
    const uint32_t second = add_true_factor(graph, truth, 0, 8, CAIRN_FACTOR_CLOSURE, (noise){1, 1}, NULL);
    assert_ok(cairn_history_note(history, first, false, (cairn_mission){100}));
    assert_ok(cairn_history_note(history, second, false, (cairn_mission){200}));
    graph->factors[first].is_gone = true;
    assert_ok(cairn_history_note(history, first, true, (cairn_mission){300}));
    uint32_t count = 0;
    assert_ok(cairn_history_rewind(history, graph, (cairn_mission){150}, (cairn_mission){400}, &count));
    assert_int_equal(count, 2);
    assert_false(graph->factors[first].is_gone);
    assert_true(graph->factors[second].is_gone);
    assert_ok(cairn_history_rewind(history, graph, (cairn_mission){350}, (cairn_mission){500}, &count));
    assert_true(graph->factors[first].is_gone);
    assert_false(graph->factors[second].is_gone);
    assert_int_equal(cairn_history_rewind(history, graph, (cairn_mission){0}, (cairn_mission){600}, &count),
                     CAIRN_ERR_FULL); // seven to undo, one place left
    assert_true(graph->factors[first].is_gone);
}

static cairn_err match_true(void *context, uint32_t from, uint32_t to, const cairn_match_prior *prior,
                            cairn_match *ret_match)
{
    const double *shift_m = context;
    const cairn_pose2 right = cairn_pose2_between(cairn_graph_pose_to2(&truth[from]), cairn_graph_pose_to2(&truth[to]));
    assert_true(fabs(prior->pose.x_m - right.x_m) < 1e-9); // nodes stand where they are
    assert_true(prior->covariance[0] > 0 && prior->covariance[0] < 1);
    *ret_match = (cairn_match){.pose = {right.x_m + *shift_m, right.y_m, right.yaw_rad},
                               .score = 0.8,
                               .ambiguity = 0.5,
                               .information = {400, 0, 0, 0, 400, 0, 0, 0, 2500},
                               .is_trusted = *shift_m < 5};
    return CAIRN_OK;
}

// The person who suggests is told how sure the match is, and how far it is from what the map believed.
static void a_suggested_match_tells_its_confidence(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/suggest");
    cairn_graph *graph = make_walk(&random);
    cairn_projection *projection = NULL;
    assert_ok(cairn_projection_create(&(cairn_projection_def){NODES, 4 * NODES}, &arena, &projection));
    double shift_m = 0;
    const cairn_node_matcher matcher = {match_true, &shift_m};
    cairn_suggestion suggestion;
    assert_ok(cairn_suggest(projection, graph, 4, 8, &matcher, 50, &suggestion));
    assert_true(fabs(suggestion.confidence - 0.4) < 1e-6);
    assert_true(suggestion.prior_chi2 < 1e-9);
    assert_int_equal(suggestion.proposal.to, 8);
    shift_m = 2; // variance: 4 steps of 0.05 m, and 0.05 m of the match: 0.0125 m2
    assert_ok(cairn_suggest(projection, graph, 4, 8, &matcher, 50, &suggestion));
    assert_true(fabs(suggestion.prior_chi2 - 4 / 0.0125) < 1);
    shift_m = 9;
    assert_ok(cairn_suggest(projection, graph, 4, 8, &matcher, 50, &suggestion));
    assert_true(suggestion.confidence == 0);
    assert_int_equal(cairn_suggest(projection, graph, 4, 4, &matcher, 50, &suggestion), CAIRN_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_points_place_and_turn_a_path),
        cmocka_unit_test(gps_that_does_not_agree_stays_out),
        cmocka_unit_test(a_rewind_undoes_and_can_be_undone),
        cmocka_unit_test(a_suggested_match_tells_its_confidence),
    };
    if (cairn_arena_create(&arena, 32u << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
