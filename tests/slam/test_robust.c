// Weights of factors that may be wrong, graduated non-convexity, and consensus, beside a graph whose truth is known.
#include "dense.h"
#include "slam/solve/consensus_solve.h"

#define NODES 60u
#define SEED 21

static cairn_arena arena;
static cairn_graph_pose truth[NODES];
static const noise deviation = {0.05, 0.02};

// Two rounds of a circle; each node of the second is closed to its twin of the first. Then wrong closures, at the end.
static cairn_graph *make_graph(uint32_t degrees, uint32_t wrong_count, cairn_random *random)
{
    cairn_arena_reset(&arena, 0);
    const cairn_graph_def def = {.degrees = degrees, .nodes_max = NODES, .factors_max = 400};
    cairn_graph *graph = make_twice_round(&def, deviation, &arena, random, truth);
    for (uint32_t i = 0; i < wrong_count; i++) {
        const uint32_t from = cairn_random_below(random, NODES / 2), to = from + 5 + cairn_random_below(random, 20);
        const uint32_t index = add_true_factor(graph, truth, from, to, CAIRN_FACTOR_CLOSURE, deviation, random);
        double step[6] = {0};
        step[0] = cairn_random_between(random, 2, 4), step[1] = cairn_random_between(random, -4, -2);
        cairn_factor *wrong = &graph->factors[index];
        wrong->measured = cairn_graph_pose_step(degrees, &wrong->measured, step);
    }
    return graph;
}

// Every kernel: full weight at 0, never more, falling; and gnc is between least squares and all or nothing.
static void weights_fall_from_one_to_zero(void **state)
{
    (void)state;
    for (uint32_t kind = CAIRN_ROBUST_HUBER; kind < CAIRN_ROBUST_GNC; kind++) {
        double last = 1;
        assert_true(cairn_robust_weight((cairn_robust_kind)kind, 0, 11) == 1);
        for (int i = 0; i < 30; i++) {
            const double chi2 = pow(1.5, i);
            const double weight = cairn_robust_weight((cairn_robust_kind)kind, chi2, 11);
            assert_true(weight > 0 && weight <= last);
            last = weight;
        }
        cairn_robust_kind found;
        assert_ok(cairn_robust_kind_find(cairn_robust_kind_name((cairn_robust_kind)kind), &found));
        assert_int_equal(found, kind);
    }
    assert_true(cairn_gnc_weight(1e6, 10.9, 11) == 1);
    assert_true(cairn_gnc_weight(1e6, 11.1, 11) == 0);
    assert_true(fabs(cairn_gnc_weight(1e-6, 100, 11) - 3.3e-4) < 1e-5); // sqrt(11 / 100 * 1e-6): small, but never 0
    // Continuous where the pieces meet.
    assert_true(cairn_gnc_weight(0.5, 11 * 0.5 / 1.5 + 1e-9, 11) > 1 - 1e-6);
    assert_true(cairn_gnc_weight(0.5, 11 * 1.5 / 0.5 - 1e-6, 11) < 1e-6);
}

// Starts are compared by the cost that the weights descend: its slope must be the weight, or the wrong one is kept.
static void a_kernels_weight_is_the_slope_of_its_cost(void **state)
{
    (void)state;
    for (uint32_t kind = CAIRN_ROBUST_NONE; kind < CAIRN_ROBUST_GNC; kind++) {
        assert_true(cairn_robust_cost((cairn_robust_kind)kind, 0, 11) == 0);
        for (double chi2 = 0.7; chi2 < 1000; chi2 *= 1.7) {
            const double step = 1e-4 * chi2;
            const double slope = (cairn_robust_cost((cairn_robust_kind)kind, chi2 + step, 11) -
                                  cairn_robust_cost((cairn_robust_kind)kind, chi2 - step, 11)) /
                                 (2 * step);
            assert_true(fabs(slope - cairn_robust_weight((cairn_robust_kind)kind, chi2, 11)) < 1e-6);
        }
    }
    assert_true(cairn_robust_cost(CAIRN_ROBUST_GNC, 10, 11) == 10 && cairn_robust_cost(CAIRN_ROBUST_GNC, 12, 11) == 11);
}

static void check_who_is_refused(const cairn_graph *graph, uint32_t wrong_count, uint32_t right_refused_max)
{
    uint32_t right_refused = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const bool is_wrong = i >= graph->factor_count - wrong_count;
        if (is_wrong) { assert_true(graph->factors[i].weight < 0.5f); }
        right_refused += !is_wrong && graph->factors[i].weight < 0.5f;
        assert_true(graph->factors[i].kind != CAIRN_FACTOR_ODOMETRY || graph->factors[i].weight == 1);
    }
    assert_true(right_refused <= right_refused_max);
}

static double worst_m(const cairn_graph *graph)
{
    double worst = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        worst = fmax(worst, pose_distance(&graph->nodes[i].pose, &truth[i], graph->def.degrees));
    }
    return worst;
}

// Ten wrong closures among thirty right ones: plain least squares is bent by them, gnc is not.
static void gnc_refuses_the_wrong_closures(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/gnc");
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        cairn_graph *graph = make_graph(degrees, 10, &random);
        assert_ok(dense_solve(NULL, graph, 20));
        const double plain_m = worst_m(graph);
        for (uint32_t i = 0; i < NODES; i++) { graph->nodes[i].pose = truth[i]; }
        const cairn_robust_def def = cairn_robust_def_default(CAIRN_ROBUST_GNC);
        const cairn_weighted_solver solver = {dense_solve, NULL};
        cairn_robust_info info;
        assert_ok(cairn_robust_solve(&def, graph, &solver, &info));
        assert_true(info.is_settled);
        check_who_is_refused(graph, 10, 2);
        assert_true(worst_m(graph) < 1 && worst_m(graph) < plain_m / 2);
    }
}

// Three wrong closures for each right one, and no start at all: consensus asks who is borne out before it solves.
static void consensus_finds_the_right_among_many_wrong(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/consensus");
    cairn_graph *graph = make_graph(3, 90, &random);
    for (uint32_t i = 1; i < NODES; i++) { graph->nodes[i].pose = (cairn_graph_pose){{0}}; }
    const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    cairn_consensus_solve_info info;
    assert_ok(cairn_consensus_solve(&def, graph, &arena, &info));
    assert_int_equal(info.consensus.closure_count, 120);
    assert_int_equal(info.refused_count, 90);
    check_who_is_refused(graph, 90, 0);
    assert_true(worst_m(graph) < 1);
    for (uint32_t i = 0; i < graph->factor_count; i++) { assert_false(graph->factors[i].is_gone); }
}

// Where robots start from is not known, so poses say nothing of how they lie to each other. One closure that joins them
// always fits, and must not be believed; a few that bear each other out must. Three robots, two of which met.
static void robots_are_joined_by_groups_only(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/robots");
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        cairn_graph *graph = make_graph(degrees, 0, &random);
        for (uint32_t i = 0; i < graph->factor_count; i++) {
            cairn_factor *f = &graph->factors[i]; // 0 to 19, 20 to 39, 40 to 59
            const bool is_cut = f->kind == CAIRN_FACTOR_ODOMETRY ? f->from == 19 || f->from == 39 : true;
            f->is_gone = is_cut && !(f->from >= 30 && f->from <= 36 && f->kind == CAIRN_FACTOR_CLOSURE);
        }
        const uint32_t index =
            add_true_factor(graph, truth, 50, 10, CAIRN_FACTOR_CLOSURE, deviation, &random); // right, but who knows?
        const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
        cairn_consensus_solve_info info;
        assert_ok(cairn_consensus_solve(&def, graph, &arena, &info));
        assert_int_equal(info.consensus.closure_count, 8);
        assert_int_equal(info.refused_count, 1);
        assert_true(graph->factors[index].weight == 0);
    }
}

// Odometry in short pieces only, which closures join: no chain is good enough to begin with, and yet all of it fits.
// With one wrong closure it does not.
static void a_graph_that_fits_as_it_is_loses_nothing(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/sound");
    for (uint32_t degrees = 3; degrees <= 6; degrees += 3) {
        for (uint32_t wrong_count = 0; wrong_count < 2; wrong_count++) {
            cairn_graph *graph = make_graph(degrees, wrong_count, &random);
            for (uint32_t i = 0; i < graph->factor_count; i++) {
                cairn_factor *f = &graph->factors[i];
                if (f->kind == CAIRN_FACTOR_ODOMETRY && f->to % 3 == 0) { f->kind = CAIRN_FACTOR_CLOSURE; }
            }
            const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
            cairn_consensus_solve_info info;
            assert_ok(cairn_consensus_solve(&def, graph, &arena, &info));
            assert_int_equal(info.all_fit, wrong_count == 0);
            if (wrong_count == 0) { assert_int_equal(info.refused_count, 0); }
            if (wrong_count == 1) { assert_true(graph->factors[graph->factor_count - 1].weight == 0); }
        }
    }
}

// A file that states headings eight times too surely: right closures contradict each other by what it says.
static void careless_files_are_seen_through(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/careless");
    cairn_graph *graph = make_graph(3, 60, &random);
    for (uint32_t i = 0; i < graph->factor_count; i++) { graph->factors[i].information[5] *= 64; }
    const double stated = graph->factors[0].information[5];
    const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    cairn_consensus_solve_info info;
    assert_ok(cairn_consensus_solve(&def, graph, &arena, &info));
    check_who_is_refused(graph, 60, 1);
    assert_true(graph->factors[0].information[5] == stated); // the graph says what it said
}

// What is gone is not weighed: its weight is somebody else's.
static void what_is_gone_keeps_its_weight(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/gone");
    cairn_graph *graph = make_graph(3, 5, &random);
    cairn_factor *gone = &graph->factors[graph->factor_count - 1];
    gone->is_gone = true;
    gone->weight = 0;
    const cairn_robust_def def = cairn_robust_def_default(CAIRN_ROBUST_GNC);
    const cairn_weighted_solver solver = {dense_solve, NULL};
    cairn_robust_info info;
    assert_ok(cairn_robust_solve(&def, graph, &solver, &info));
    assert_true(gone->weight == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_fall_from_one_to_zero),
        cmocka_unit_test(a_kernels_weight_is_the_slope_of_its_cost),
        cmocka_unit_test(gnc_refuses_the_wrong_closures),
        cmocka_unit_test(consensus_finds_the_right_among_many_wrong),
        cmocka_unit_test(robots_are_joined_by_groups_only),
        cmocka_unit_test(a_graph_that_fits_as_it_is_loses_nothing),
        cmocka_unit_test(careless_files_are_seen_through),
        cmocka_unit_test(what_is_gone_keeps_its_weight),
    };
    if (cairn_arena_create(&arena, 64u << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
