// The sparse solver against a dense one, and batch solvers against the definition of a minimum.
#include "random_graph.h"
#include "slam/solve/batch.h"
#include "slam/solve/linear.h"
#include "slam/solve/marginals.h"
#include "slam/solve/structure.h"
#include <stdlib.h>
#include <string.h>

#define SEED 11

static cairn_arena arena;

static void start(cairn_random *random, const char *name)
{
    print_message("seed %d\n", SEED);
    cairn_random_init(random, SEED, name);
}

// The second obvious way: all of H as one square, eliminated without any thought.
static void solve_dense(const cairn_graph *graph, const cairn_linear *linear, const bool *is_held, double *x)
{
    const uint32_t degrees = graph->def.degrees, n = graph->node_count * degrees;
    double *h = calloc((size_t)n * n, sizeof *h);
    assert_non_null(h);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t r = 0; r < degrees; r++) {
            x[i * degrees + r] = is_held[i] ? 0 : linear->b[i * degrees + r];
            for (uint32_t c = 0; c < degrees; c++) {
                h[(size_t)(i * degrees + r) * n + i * degrees + c] =
                    is_held[i] ? r == c : linear->diagonal[(i * degrees + r) * degrees + c];
            }
        }
    }
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const cairn_factor *factor = &graph->factors[f];
        if (factor->is_gone || factor->from == CAIRN_GRAPH_NONE || is_held[factor->from] || is_held[factor->to]) {
            continue;
        }
        for (uint32_t r = 0; r < degrees; r++) {
            for (uint32_t c = 0; c < degrees; c++) {
                const double value = linear->beside[(f * degrees + r) * degrees + c];
                h[(size_t)(factor->from * degrees + r) * n + factor->to * degrees + c] += value;
                h[(size_t)(factor->to * degrees + c) * n + factor->from * degrees + r] += value;
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = k + 1; i < n; i++) {
            const double part = h[(size_t)i * n + k] / h[(size_t)k * n + k];
            if (part == 0) { continue; }
            for (uint32_t j = k; j < n; j++) { h[(size_t)i * n + j] -= part * h[(size_t)k * n + j]; }
            x[i] -= part * x[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) { x[k] -= h[(size_t)k * n + j] * x[j]; }
        x[k] /= h[(size_t)k * n + k];
    }
    free(h);
}

static void compare_with_dense(const cairn_graph *graph, cairn_ordering_kind kind)
{
    const uint32_t degrees = graph->def.degrees, numbers = graph->node_count * degrees;
    cairn_linear linear;
    cairn_structure structure;
    cairn_fronts *fronts;
    uint32_t first;
    assert_ok(cairn_linear_create(graph, &arena, &linear));
    assert_ok(cairn_structure_make(graph, &arena, &structure));
    assert_ok(cairn_structure_order(&structure, kind, &arena));
    cairn_linear_learn(&linear, graph);
    (void)cairn_linear_make(&linear, graph);
    assert_ok(cairn_fronts_create(&(cairn_fronts_def){.degrees = degrees, .variables_max = graph->node_count}, &arena,
                                  &fronts));
    assert_ok(cairn_fronts_build(fronts, &structure.incidence, structure.order, structure.free_count, NULL, 0, &arena,
                                 &first));
    const cairn_front_matrix matrix = {.diagonal = linear.diagonal, .beside = linear.beside};
    assert_true(cairn_fronts_factor(fronts, &matrix, 0));
    double *sparse = CAIRN_TAKE(&arena, double, numbers), *dense = CAIRN_TAKE(&arena, double, numbers);
    assert_true(sparse && dense);
    memcpy(sparse, linear.b, numbers * sizeof *sparse);
    cairn_fronts_forward(fronts, sparse);
    cairn_fronts_backward(fronts, sparse);
    solve_dense(graph, &linear, structure.is_held, dense);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = i * degrees; k < (i + 1) * degrees && !structure.is_held[i]; k++) {
            assert_true(fabs(sparse[k] - dense[k]) <= 1e-9 * (1 + fabs(dense[k]))); // condition below 1e6
        }
    }
}

// ret += a' w b, by the definition.
static void add_product(uint32_t degrees, const double *a, const double *w, const double *b, double *ret)
{
    for (uint32_t i = 0; i < degrees * degrees; i++) {
        for (uint32_t j = 0; j < degrees * degrees; j++) {
            const uint32_t row = i / degrees, column = j % degrees;
            ret[row * degrees + column] += a[(i % degrees) * degrees + row] * w[(i % degrees) * degrees + j / degrees] *
                                           b[j / degrees * degrees + column];
        }
    }
}

// One factor's share of H and of chi2, from its error and derivatives alone. Returns the second.
static double add_factor(const cairn_graph *graph, uint32_t index, double *diagonal, double *beside)
{
    const cairn_factor *factor = &graph->factors[index];
    const uint32_t degrees = graph->def.degrees, square = degrees * degrees;
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    double e[6], by_from[36], by_to[36], w[36], chi2 = 0;
    cairn_factor_error(degrees, factor, is_on_one ? NULL : &graph->nodes[factor->from].pose,
                       &graph->nodes[factor->to].pose, e, is_on_one ? NULL : by_from, by_to);
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            const double value = factor->is_gone ? 0 : factor->weight * factor->information[at];
            w[row * degrees + column] = w[column * degrees + row] = value;
            chi2 += (row == column ? 1 : 2) * e[row] * value * e[column];
        }
    }
    add_product(degrees, by_to, w, by_to, diagonal + factor->to * square);
    if (is_on_one) { return chi2; }
    add_product(degrees, by_from, w, by_from, diagonal + factor->from * square);
    add_product(degrees, by_from, w, by_to, beside + index * square);
    return chi2;
}

// In the plane several are done at once: their number is rarely a multiple of that, some stand on one node, some are
// gone, and yaws go round.
static void the_matrix_is_the_sum_of_what_factors_say(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "linear");
    for (int round = 0; round < 30; round++) {
        cairn_arena_reset(&arena, 0);
        const random_graph_def def = {.degrees = round % 3 == 2 ? 6 : 3,
                                      .nodes = 2 + cairn_random_below(&random, 30),
                                      .closures = cairn_random_below(&random, 30),
                                      .noise = 0.3,
                                      .start = 3,
                                      .has_prior = round % 2 == 0};
        cairn_graph *graph = random_graph(&def, &random, &arena);
        const uint32_t square = def.degrees * def.degrees, degrees = def.degrees;
        cairn_linear linear;
        assert_ok(cairn_linear_create(graph, &arena, &linear));
        cairn_linear_learn(&linear, graph);
        for (uint32_t f = 0; f < graph->factor_count; f++) { // after the first learning: all of it may change
            graph->factors[f].weight = (float)cairn_random_between(&random, 0, 1);
            graph->factors[f].is_gone = cairn_random_below(&random, 5) == 0;
            if (degrees == 3) { graph->factors[f].measured.v[2] += cairn_random_between(&random, -9, 9); }
        }
        cairn_linear_learn(&linear, graph);
        double *diagonal = CAIRN_TAKE(&arena, double, graph->node_count *square);
        double *beside = CAIRN_TAKE(&arena, double, graph->factor_count *square), chi2 = 0;
        assert_true(diagonal && beside);
        for (uint32_t f = 0; f < graph->factor_count; f++) { chi2 += add_factor(graph, f, diagonal, beside); }
        for (int again = 0; again < 2; again++) {
            assert_true(fabs(cairn_linear_make(&linear, graph) - chi2) <= 1e-10 * chi2);
        }
        assert_true(fabs(cairn_linear_chi2(&linear, graph) - chi2) <= 1e-10 * chi2);
        for (uint32_t i = 0; i < graph->node_count * square; i++) {
            assert_true(fabs(linear.diagonal[i] - diagonal[i]) <= 1e-10 * (1 + chi2));
        }
        for (uint32_t i = 0; i < graph->factor_count * square; i++) {
            if (graph->factors[i / square].from == CAIRN_GRAPH_NONE) { continue; }
            assert_true(fabs(linear.beside[i] - beside[i]) <= 1e-10 * (1 + chi2));
        }
        for (uint32_t i = 0; i < graph->node_count * degrees; i++) { // b is half the slope, downhill
            const double h = 1e-6;
            double step[6] = {0};
            step[i % degrees] = h;
            const cairn_graph_pose pose = graph->nodes[i / degrees].pose;
            graph->nodes[i / degrees].pose = cairn_graph_pose_step(degrees, &pose, step);
            const double ahead = cairn_linear_chi2(&linear, graph);
            step[i % degrees] = -h;
            graph->nodes[i / degrees].pose = cairn_graph_pose_step(degrees, &pose, step);
            const double slope = (ahead - cairn_linear_chi2(&linear, graph)) / (2 * h);
            graph->nodes[i / degrees].pose = pose;
            assert_true(fabs(linear.b[i] + 0.5 * slope) <= 1e-7 * (1 + chi2));
        }
    }
}

static void every_ordering_solves_as_a_dense_matrix_does(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "dense");
    for (int round = 0; round < 24; round++) {
        const random_graph_def def = {.degrees = round % 2 == 0 ? 3 : 6,
                                      .nodes = 2 + cairn_random_below(&random, 50),
                                      .closures = cairn_random_below(&random, 120),
                                      .noise = 0.05,
                                      .start = 0.05,
                                      .has_prior = round % 3 == 0};
        for (int kind = 0; kind < CAIRN_ORDER_KIND_COUNT; kind++) {
            cairn_arena_reset(&arena, 0);
            cairn_graph *graph = random_graph(&def, &random, &arena);
            if (round % 4 == 1) { graph->nodes[graph->node_count / 2].is_fixed = true; }
            if (round % 5 == 1) {
                graph->factors[graph->factor_count - 1].is_gone = graph->factor_count > graph->node_count;
            }
            compare_with_dense(graph, (cairn_ordering_kind)kind);
        }
    }
}

// Covariances decide which closures are believed: the dense inverse, one column at a time, is the oracle.
static void marginals_are_blocks_of_the_inverse(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "marginals");
    for (int round = 0; round < 6; round++) {
        cairn_arena_reset(&arena, 0);
        const random_graph_def def = {.degrees = round % 2 == 0 ? 3 : 6,
                                      .nodes = 30,
                                      .closures = 20,
                                      .noise = 0.02,
                                      .start = 0.02,
                                      .has_prior = round > 3};
        cairn_graph *graph = random_graph(&def, &random, &arena);
        const uint32_t degrees = def.degrees, b = cairn_random_below(&random, 30);
        cairn_batch *batch;
        cairn_incremental *incremental;
        cairn_batch_def batch_def = cairn_batch_def_default();
        batch_def.tolerance = 1e-14; // what grows moves the nodes no farther
        cairn_incremental_def incremental_def = cairn_incremental_def_default(CAIRN_INCREMENTAL_EXACT);
        incremental_def.linear_m_max = 1e-9; // blocks as new as the batch's
        assert_ok(cairn_batch_create(&batch_def, graph, &arena, &batch));
        assert_ok(cairn_batch_run(batch, graph, 100, NULL));
        assert_ok(cairn_incremental_create(&incremental_def, graph, &arena, &incremental));
        assert_ok(cairn_incremental_step(incremental, graph, NULL));
        cairn_linear linear;
        cairn_structure structure;
        assert_ok(cairn_linear_create(graph, &arena, &linear));
        assert_ok(cairn_structure_make(graph, &arena, &structure));
        cairn_linear_learn(&linear, graph);
        (void)cairn_linear_make(&linear, graph);
        double *inverse = CAIRN_TAKE(&arena, double, 30 * degrees);
        assert_non_null(inverse);
        for (uint32_t axis = 0; axis < degrees; axis++) {
            memset(linear.b, 0, 30 * degrees * sizeof *linear.b);
            linear.b[b * degrees + axis] = 1;
            solve_dense(graph, &linear, structure.is_held, inverse);
            for (uint32_t a = 0; a < 30; a += 7) {
                double of_batch[36], of_growing[36];
                assert_ok(cairn_batch_marginal(batch, a, b, &arena, of_batch));
                assert_ok(cairn_incremental_marginal(incremental, graph, a, b, &arena, of_growing));
                for (uint32_t i = 0; i < degrees; i++) {
                    const double expected = structure.is_held[b] ? 0 : inverse[a * degrees + i];
                    assert_true(fabs(of_batch[i * degrees + axis] - expected) < 1e-8 * (1 + fabs(expected)));
                    assert_true(fabs(of_growing[i * degrees + axis] - expected) < 1e-6 * (1 + fabs(expected)));
                }
            }
        }
    }
}

// At a minimum no node can be moved to lower chi2.
static void assert_minimum(cairn_graph *graph, const cairn_batch *batch)
{
    const uint32_t degrees = graph->def.degrees;
    const double chi2 = cairn_graph_chi2(graph);
    for (uint32_t i = 0; i < graph->node_count; i += 3) {
        if (cairn_batch_holds(batch, i)) { continue; }
        for (uint32_t k = 0; k < 2 * degrees; k++) {
            double step[6] = {0};
            step[k / 2] = k % 2 == 0 ? 1e-4 : -1e-4;
            const cairn_graph_pose pose = graph->nodes[i].pose;
            graph->nodes[i].pose = cairn_graph_pose_step(degrees, &pose, step);
            assert_true(cairn_graph_chi2(graph) > chi2);
            graph->nodes[i].pose = pose;
        }
    }
}

static void all_solvers_end_in_the_same_minimum(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "solvers");
    for (int round = 0; round < 6; round++) {
        const random_graph_def def = {
            .degrees = round % 2 == 0 ? 3 : 6, .nodes = 60, .closures = 40, .noise = 0.03, .start = 0.1};
        double chi2[CAIRN_SOLVER_KIND_COUNT];
        cairn_random keep = random;
        for (int kind = 0; kind < CAIRN_SOLVER_KIND_COUNT; kind++) {
            cairn_arena_reset(&arena, 0);
            random = keep;
            cairn_graph *graph = random_graph(&def, &random, &arena);
            cairn_batch_def batch_def = cairn_batch_def_default();
            batch_def.solver = (cairn_solver_kind)kind;
            batch_def.tolerance = 1e-12;
            cairn_batch *batch;
            cairn_batch_info info;
            assert_ok(cairn_batch_create(&batch_def, graph, &arena, &batch));
            const cairn_graph_pose first = graph->nodes[0].pose;
            assert_ok(cairn_batch_run(batch, graph, 100, &info));
            assert_true(info.is_converged && info.nodes_held == 1);
            assert_memory_equal(&first, &graph->nodes[0].pose, sizeof first); // nothing else holds it: it stays
            assert_true(fabs(info.chi2_after - cairn_graph_chi2(graph)) < 1e-9 * info.chi2_after);
            assert_minimum(graph, batch);
            chi2[kind] = info.chi2_after;
        }
        assert_true(fabs(chi2[1] - chi2[0]) < 1e-7 * chi2[0] && fabs(chi2[2] - chi2[0]) < 1e-7 * chi2[0]);
    }
}

// A wrong closure with weight 0 must not be felt at all.
static void a_factor_without_weight_counts_as_gone(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "weights");
    const random_graph_def def = {.degrees = 3, .nodes = 40, .closures = 30, .noise = 0.02, .start = 0.05};
    double x[2];
    cairn_random keep = random;
    for (int way = 0; way < 2; way++) {
        cairn_arena_reset(&arena, 0);
        random = keep;
        cairn_graph *graph = random_graph(&def, &random, &arena);
        cairn_factor *wrong = &graph->factors[graph->factor_count - 1];
        wrong->measured.v[0] += 7;
        if (way == 0) { wrong->is_gone = true; }
        cairn_batch *batch;
        const cairn_batch_def batch_def = cairn_batch_def_default();
        assert_ok(cairn_batch_create(&batch_def, graph, &arena, &batch));
        wrong->weight = 0;
        assert_ok(cairn_batch_run(batch, graph, 100, NULL));
        x[way] = graph->nodes[39].pose.v[0];
    }
    assert_true(fabs(x[0] - x[1]) < 1e-6);
}

// Two teams that never met: each keeps its first node.
static void every_part_of_a_graph_is_held_by_one_node(void **state)
{
    (void)state;
    cairn_random random;
    start(&random, "parts");
    cairn_arena_reset(&arena, 0);
    const random_graph_def def = {.degrees = 6, .nodes = 30, .closures = 0, .noise = 0.02, .start = 0.05};
    cairn_graph *graph = random_graph(&def, &random, &arena);
    graph->factors[14].is_gone = true; // between nodes 14 and 15
    cairn_batch *batch;
    cairn_batch_info info;
    const cairn_batch_def batch_def = cairn_batch_def_default();
    assert_ok(cairn_batch_create(&batch_def, graph, &arena, &batch));
    assert_ok(cairn_batch_run(batch, graph, 100, &info));
    assert_int_equal(info.nodes_held, 2);
    assert_true(cairn_batch_holds(batch, 0) && cairn_batch_holds(batch, 15));
    assert_true(info.chi2_after < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_the_sum_of_what_factors_say),
        cmocka_unit_test(every_ordering_solves_as_a_dense_matrix_does),
        cmocka_unit_test(marginals_are_blocks_of_the_inverse),
        cmocka_unit_test(all_solvers_end_in_the_same_minimum),
        cmocka_unit_test(a_factor_without_weight_counts_as_gone),
        cmocka_unit_test(every_part_of_a_graph_is_held_by_one_node),
    };
    if (cairn_arena_create(&arena, 64 << 20) != CAIRN_OK) { return 1; }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
