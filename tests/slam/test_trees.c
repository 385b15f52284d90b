// Starts from spanning trees, and the projection of covariance along them, beside truth and a dense solver.
#include "dense.h"
#include "slam/closure/projection.h"
#include "slam/start/trees.h"

#define NODES 40u
#define SEED 11

static cairn_arena arena;

static cairn_graph *make_graph(uint32_t degrees, const cairn_graph_pose *truth, noise deviation, cairn_random *random)
{
    const cairn_graph_def def = {.degrees = degrees, .nodes_max = NODES, .factors_max = 4 * NODES};
    cairn_graph *graph = NULL;
    assert_ok(cairn_graph_create(&def, &arena, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        const cairn_graph_node node = {.pose = truth[i], .name = i};
        assert_ok(cairn_graph_add_node(graph, &node, NULL));
    }
    for (uint32_t i = 1; i < NODES; i++) {
        add_true_factor(graph, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, deviation, random);
    }
    for (uint32_t i = NODES / 2; i < NODES; i += 5) {
        add_true_factor(graph, truth, i, i - NODES / 2, CAIRN_FACTOR_CLOSURE, deviation, random);
    }
    return graph;
}

static void spoil_poses(cairn_graph *graph, cairn_random *random)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        double step[6];
        for (int k = 0; k < 6; k++) { step[k] = cairn_random_between(random, -0.6, 0.6); }
        step[0] *= 20, step[1] *= 20;
        if (!graph->nodes[i].is_fixed) {
            graph->nodes[i].pose = cairn_graph_pose_step(graph->def.degrees, &graph->nodes[i].pose, step);
        }
    }
}

// Without noise every chain says the same, so every tree and every average must be the truth, whatever the start was.
static void trees_of_exact_factors_are_the_truth(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/trees");
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        for (int kind = 0; kind < 3; kind++) { // nothing known, the first node fixed, two references in the middle
            cairn_arena_reset(&arena, 0);
            cairn_graph_pose truth[NODES];
            make_circle(degrees, NODES, 2, truth);
            cairn_graph *graph = make_graph(degrees, truth, (noise){0.1, 0.02}, NULL);
            if (kind == 1) { graph->nodes[3].is_fixed = true; }
            if (kind == 2) {
                const noise sure = {0.05, 0.01};
                add_true_factor(graph, truth, CAIRN_GRAPH_NONE, 7, CAIRN_FACTOR_GLOBAL, sure, NULL);
                add_true_factor(graph, truth, CAIRN_GRAPH_NONE, 30, CAIRN_FACTOR_GLOBAL, sure, NULL);
            }
            spoil_poses(graph, &random);
            if (kind == 0) { graph->nodes[0].pose = truth[0]; }
            const cairn_trees_def def = cairn_trees_def_default();
            cairn_trees_info info;
            assert_ok(cairn_trees_place(&def, graph, &arena, &info));
            assert_int_equal(info.part_count, 1);
            assert_true(info.tree_count >= 2);
            for (uint32_t i = 0; i < NODES; i++) {
                const cairn_graph_pose inverse = cairn_graph_pose_inverse(degrees, &truth[i]);
                const cairn_graph_pose apart = cairn_graph_pose_compose(degrees, &inverse, &graph->nodes[i].pose);
                const cairn_graph_pose none = cairn_graph_pose_identity(degrees);
                for (int k = 0; k < 7; k++) { assert_true(fabs(fabs(apart.v[k]) - none.v[k]) < 1e-9); }
            }
        }
    }
}

// Hand alignment turns a whole map: a solver that starts 70 degrees off ends in a wrong minimum, the trees do not.
static void a_start_70_degrees_off_is_mended_by_trees(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/turned");
    cairn_arena_reset(&arena, 0);
    cairn_graph_pose truth[NODES];
    make_circle(3, NODES, 2, truth);
    cairn_graph *graph = make_graph(3, truth, (noise){0.05, 0.02}, &random);
    const noise sure = {0.1, 0.02};
    add_true_factor(graph, truth, CAIRN_GRAPH_NONE, 5, CAIRN_FACTOR_GLOBAL, sure, &random);
    add_true_factor(graph, truth, CAIRN_GRAPH_NONE, 25, CAIRN_FACTOR_GLOBAL, sure, &random);
    for (uint32_t i = 0; i < NODES; i++) {
        const cairn_pose2 turned = {3, -2, 70 * CAIRN_PI / 180};
        graph->nodes[i].pose = cairn_graph_pose_from2(cairn_pose2_compose(turned, cairn_graph_pose_to2(&truth[i])));
    }
    const cairn_trees_def def = cairn_trees_def_default();
    assert_ok(cairn_trees_place(&def, graph, &arena, NULL));
    double worst_m = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        worst_m = fmax(worst_m, pose_distance(&graph->nodes[i].pose, &truth[i], 3));
    }
    assert_true(worst_m < 1.5); // ten steps from a reference: about 0.1 + 0.05 * 3 + 4 * 0.02 * 3 m, four times that
    const double before = cairn_graph_chi2(graph);
    assert_ok(dense_solve(NULL, graph, 20));
    const double chi2 = cairn_graph_chi2(graph);
    assert_true(chi2 < before);
    // Expected: 3 (factors - nodes) = 3 (39 + 4 + 2 - 40) = 15; four deviations of sqrt(2 * 15) above.
    assert_true(chi2 < 15 + 4 * sqrt(30));
}

// The parts of a graph that nothing joins are placed each by itself; a lone node stays where it is.
static void parts_that_nothing_joins_are_placed_apart(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    cairn_graph_pose truth[NODES];
    make_circle(3, NODES, 1, truth);
    const cairn_graph_def def = {.degrees = 3, .nodes_max = NODES, .factors_max = NODES};
    cairn_graph *graph = NULL;
    assert_ok(cairn_graph_create(&def, &arena, &graph));
    for (uint32_t i = 0; i < 7; i++) {
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = truth[i], .name = i}, NULL));
    }
    add_true_factor(graph, truth, 0, 1, CAIRN_FACTOR_ODOMETRY, (noise){0.1, 0.1}, NULL);
    add_true_factor(graph, truth, 1, 2, CAIRN_FACTOR_ODOMETRY, (noise){0.1, 0.1}, NULL);
    add_true_factor(graph, truth, 4, 3, CAIRN_FACTOR_ODOMETRY, (noise){0.1, 0.1}, NULL);
    const cairn_trees_def trees = {.roots_max = 4};
    cairn_trees_info info;
    assert_ok(cairn_trees_place(&trees, graph, &arena, &info));
    assert_int_equal(info.part_count, 4);
    assert_int_equal(info.tree_count, 4);
    for (uint32_t i = 0; i < 7; i++) { assert_true(pose_distance(&graph->nodes[i].pose, &truth[i], 3) < 1e-9); }
}

// Along a single chain there is nothing to choose: the projection must be the exact relative covariance.
static void the_projection_along_a_chain_equals_the_dense_covariance(void **state)
{
    (void)state;
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        cairn_arena_reset(&arena, 0);
        cairn_graph_pose truth[NODES];
        make_circle(degrees, NODES, 2, truth);
        cairn_graph *graph = make_graph(degrees, truth, (noise){0.1, 0.02}, NULL);
        for (uint32_t i = NODES - 1; i < graph->factor_count; i++) { graph->factors[i].is_gone = true; }
        graph->factors[9].information[1] = 20; // one that is not diagonal
        cairn_projection *projection = NULL;
        assert_ok(cairn_projection_create(&(cairn_projection_def){NODES, graph->factor_count}, &arena, &projection));
        const cairn_projection_reach reach = cairn_projection_reach_all();
        const cairn_uncertain start = cairn_uncertain_identity(degrees);
        cairn_projection_run(projection, graph, 25, &start, &reach);
        for (uint32_t node = 0; node < NODES; node += 3) {
            const cairn_uncertain *ours = cairn_projection_of(projection, node);
            const cairn_uncertain dense = dense_relative(graph, 25, node);
            assert_non_null(ours);
            for (uint32_t i = 0; i < degrees * degrees; i++) {
                // The dense one subtracts covariances of both nodes, which are up to 10 m2.
                assert_true(fabs(ours->covariance[i] - dense.covariance[i]) < 1e-6);
            }
        }
    }
}

// With loops the other chains know something too: what the projection says may be too much, never too little.
static void the_projection_is_never_surer_than_all_factors_together(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    cairn_graph_pose truth[NODES];
    make_circle(3, NODES, 2, truth);
    cairn_graph *graph = make_graph(3, truth, (noise){0.1, 0.02}, NULL);
    cairn_projection *projection = NULL;
    assert_ok(cairn_projection_create(&(cairn_projection_def){NODES, graph->factor_count}, &arena, &projection));
    cairn_projection_reach reach = cairn_projection_reach_all();
    const cairn_uncertain start = cairn_uncertain_identity(3);
    cairn_projection_run(projection, graph, 0, &start, &reach);
    double traces[NODES] = {0};
    for (uint32_t node = 1; node < NODES; node++) {
        const cairn_uncertain dense = dense_relative(graph, 0, node);
        traces[node] = cairn_uncertain_trace(3, cairn_projection_of(projection, node));
        assert_true(traces[node] > cairn_uncertain_trace(3, &dense) - 1e-9);
    }
    // Without closures a later node is known worse, without the target's edge it is not reached.
    reach.odometry_only = true;
    cairn_projection_run(projection, graph, 0, &start, &reach);
    assert_true(cairn_uncertain_trace(3, cairn_projection_of(projection, 20)) > traces[20]);
    reach.factor_to_skip = 10;
    cairn_projection_run(projection, graph, 0, &start, &reach);
    assert_non_null(cairn_projection_of(projection, 10));
    assert_null(cairn_projection_of(projection, 11));
    reach.trace_max = traces[3];
    cairn_projection_run(projection, graph, 0, &start, &reach);
    assert_non_null(cairn_projection_of(projection, 3));
    assert_null(cairn_projection_of(projection, 4));
}

// Noise is carried as samples would be: the covariance of a composed and an inverted transform, drawn 20,000 times.
static void carried_covariances_equal_samples(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/carried");
    for (uint32_t n = 3; n <= 6; n += 3) {
        cairn_graph_pose truth[8];
        make_circle(n, 8, 1, truth);
        cairn_uncertain a = {.pose = truth[1]}, b = {.pose = truth[2]};
        for (uint32_t i = 0; i < n; i++) {
            a.covariance[i * (n + 1)] = 1e-4 * (i + 1);
            b.covariance[i * (n + 1)] = 1e-4 * (n - i);
        }
        const cairn_uncertain chain = cairn_uncertain_compose(n, &a, &b);
        const cairn_uncertain inverse = cairn_uncertain_inverse(n, &chain);
        double sums[36] = {0};
        const uint32_t draws = 20000;
        for (uint32_t k = 0; k < draws; k++) {
            double da[6], db[6], error[6];
            for (uint32_t i = 0; i < n; i++) {
                da[i] = sqrt(a.covariance[i * (n + 1)]) * cairn_random_gauss(&random);
                db[i] = sqrt(b.covariance[i * (n + 1)]) * cairn_random_gauss(&random);
            }
            const cairn_graph_pose a_drawn = cairn_graph_pose_step(n, &a.pose, da);
            const cairn_graph_pose b_drawn = cairn_graph_pose_step(n, &b.pose, db);
            const cairn_graph_pose drawn = cairn_graph_pose_compose(n, &a_drawn, &b_drawn);
            const cairn_factor middle = {.from = CAIRN_GRAPH_NONE, .measured = inverse.pose};
            const cairn_graph_pose back = cairn_graph_pose_inverse(n, &drawn);
            cairn_factor_error(n, &middle, NULL, &back, error, NULL, NULL);
            for (uint32_t i = 0; i < n * n; i++) { sums[i] += error[i / n] * error[i % n] / draws; }
        }
        for (uint32_t i = 0; i < n * n; i++) {
            // Samples of a covariance deviate by about sqrt(2 / draws) = 1 % of the variances in its row and column.
            const double scale = sqrt(inverse.covariance[i / n * (n + 1)] * inverse.covariance[i % n * (n + 1)]);
            assert_true(fabs(sums[i] - inverse.covariance[i]) < 0.06 * scale);
        }
    }
}

// From a table of the distribution.
static void chi2_quantiles_are_those_of_the_table(void **state)
{
    (void)state;
    assert_true(fabs(cairn_chi2_quantile(1, 0.95) - 3.841459) < 1e-5);
    assert_true(fabs(cairn_chi2_quantile(2, 0.99) - 9.210340) < 1e-5);
    assert_true(fabs(cairn_chi2_quantile(3, 0.99) - 11.344867) < 1e-5);
    assert_true(fabs(cairn_chi2_quantile(4, 0.5) - 3.356694) < 1e-5);
    assert_true(fabs(cairn_chi2_quantile(5, 0.9) - 9.236357) < 1e-5);
    assert_true(fabs(cairn_chi2_quantile(6, 0.99) - 16.811894) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_exact_factors_are_the_truth),
        cmocka_unit_test(a_start_70_degrees_off_is_mended_by_trees),
        cmocka_unit_test(parts_that_nothing_joins_are_placed_apart),
        cmocka_unit_test(the_projection_along_a_chain_equals_the_dense_covariance),
        cmocka_unit_test(the_projection_is_never_surer_than_all_factors_together),
        cmocka_unit_test(carried_covariances_equal_samples),
        cmocka_unit_test(chi2_quantiles_are_those_of_the_table),
    };
    if (cairn_arena_create(&arena, 32u << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
