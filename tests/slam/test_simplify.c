// Simplification: what is merged loses nothing, what goes is told by the rest within the bound, and the answer stays.
#include "dense.h"
#include "slam/closure/projection.h"
#include "slam/closure/simplify.h"

#define NODES 40u
#define SEED 3

static cairn_arena arena;
static cairn_graph_pose truth[NODES];
static const noise deviation = {0.1, 0.02};

static cairn_graph *make_graph(uint32_t degrees, cairn_random *random)
{
    cairn_arena_reset(&arena, 0);
    const cairn_graph_def def = {.degrees = degrees, .nodes_max = NODES, .factors_max = 300};
    cairn_graph *graph = NULL;
    make_circle(degrees, NODES, 2, truth);
    assert_ok(cairn_graph_create(&def, &arena, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = truth[i], .name = i}, NULL));
        if (i > 0) { add_true_factor(graph, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, deviation, random); }
    }
    return graph;
}

// Two factors between the same nodes, one the other way round: one factor of their joint information, solved the same.
static void parallel_factors_merge_without_loss(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/parallel");
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        cairn_graph *graph = make_graph(degrees, &random);
        add_true_factor(graph, truth, 20, 0, CAIRN_FACTOR_CLOSURE, deviation, &random);
        add_true_factor(graph, truth, 0, 20, CAIRN_FACTOR_CLOSURE, (noise){0.05, 0.01}, &random);
        add_true_factor(graph, truth, 20, 0, CAIRN_FACTOR_CLOSURE, deviation, &random);
        assert_ok(dense_solve(NULL, graph, 30));
        const cairn_uncertain before = dense_relative(graph, 5, 33);
        const cairn_simplify_def def = {.alpha = 1e-3}; // nothing is thinned
        cairn_simplify_info info;
        assert_ok(cairn_graph_simplify(&def, graph, &arena, &info));
        assert_int_equal(info.merged_count, 2);
        assert_int_equal(info.removed_count, 0);
        assert_int_equal(info.after_count, NODES);
        assert_true(cairn_graph_chi2(graph) < 1e-18); // all fit where the nodes are
        const cairn_uncertain after = dense_relative(graph, 5, 33);
        for (uint32_t i = 0; i < degrees * degrees; i++) {
            // Equal but for where it was linearised: errors of 0.1 m and 0.02 on covariances of about 1.
            assert_true(fabs(after.covariance[i] - before.covariance[i]) <
                        0.03 * cairn_uncertain_trace(degrees, &before));
        }
    }
}

// Ten closures over the same gap say ten times the same; some go, and what is left knows the gap within the bound.
static void what_goes_is_told_by_the_rest_within_the_bound(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/thin");
    cairn_graph *graph = make_graph(3, &random);
    for (uint32_t i = 0; i < 20; i++) {
        add_true_factor(graph, truth, 20 + i, i, CAIRN_FACTOR_CLOSURE, deviation, &random);
    }
    assert_ok(dense_solve(NULL, graph, 30));
    cairn_graph_pose solved[NODES];
    for (uint32_t i = 0; i < NODES; i++) { solved[i] = graph->nodes[i].pose; }
    uint32_t before_after[2] = {graph->factor_count, 0};
    for (double alpha = 2; alpha <= 8; alpha *= 2) {
        const cairn_simplify_def def = {.alpha = alpha};
        cairn_simplify_info info;
        assert_ok(cairn_graph_simplify(&def, graph, &arena, &info));
        assert_true(info.worst_part <= alpha);
        assert_true(info.after_count <= before_after[0]);
        before_after[0] = before_after[1] = info.after_count;
    }
    assert_true(before_after[1] < 55 && before_after[1] > 40); // some of 20 went, not all
    cairn_projection *projection = NULL;
    assert_ok(cairn_projection_create(&(cairn_projection_def){NODES, 300}, &arena, &projection));
    const cairn_projection_reach reach = cairn_projection_reach_all();
    const cairn_uncertain start = cairn_uncertain_identity(3);
    const double own = 2 * deviation.position_m * deviation.position_m + deviation.turn * deviation.turn;
    for (uint32_t i = 0; i < 20; i++) {
        cairn_projection_run(projection, graph, 20 + i, &start, &reach);
        assert_true(cairn_uncertain_trace(3, cairn_projection_of(projection, i)) <= 8 * own * (1 + 1e-9));
    }
    assert_ok(dense_solve(NULL, graph, 30));
    for (uint32_t i = 0; i < NODES; i++) { assert_true(pose_distance(&graph->nodes[i].pose, &solved[i], 3) < 1e-9); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_factors_merge_without_loss),
        cmocka_unit_test(what_goes_is_told_by_the_rest_within_the_bound),
    };
    if (cairn_arena_create(&arena, 32u << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
