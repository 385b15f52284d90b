// A graph that grows: at every step where a batch solver would put it, or near enough to stop.
#include "random_graph.h"
#include "slam/solve/batch.h"
#include "slam/solve/incremental.h"
#include "slam/solve/map_frame.h"
#include <string.h>

#define SEED 23

static cairn_arena whole_arena, arena, batch_arena;

// A walk on a grid of streets, 1 m a step, that closes loops wherever it has been before: small Manhattan.
static cairn_graph *streets(uint32_t nodes, cairn_random *random)
{
    cairn_graph *graph;
    const cairn_graph_def def = {.degrees = 3, .nodes_max = nodes, .factors_max = 4 * nodes};
    cairn_arena_reset(&whole_arena, 0);
    assert_ok(cairn_graph_create(&def, &whole_arena, &graph));
    cairn_graph_pose *truth = CAIRN_TAKE(&whole_arena, cairn_graph_pose, nodes);
    assert_non_null(truth);
    for (uint32_t i = 0; i < nodes; i++) {
        if (i > 0) {
            const cairn_graph_pose on = {{1, 0, 0}};
            const double turn = i % 3 == 0 ? (double)cairn_random_below(random, 3) - 1 : 0;
            truth[i] = compose(3, &truth[i - 1], &on);
            truth[i].v[2] = cairn_angle_wrap(truth[i].v[2] + turn * CAIRN_PI / 2);
        }
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = truth[i], .name = i}, NULL));
        if (i > 0) { add_noisy_factor(graph, random, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, 0.03); }
        for (uint32_t k = 0, closed = 0; k + 10 < i && closed < 2; k++) {
            if (hypot(truth[k].v[0] - truth[i].v[0], truth[k].v[1] - truth[i].v[1]) > 0.5) { continue; }
            add_noisy_factor(graph, random, truth, k, i, CAIRN_FACTOR_CLOSURE, 0.03);
            closed++;
        }
    }
    return graph;
}

static uint32_t later_end(const cairn_factor *factor)
{
    return factor->from != CAIRN_GRAPH_NONE && factor->from > factor->to ? factor->from : factor->to;
}

// Adds the next node of the whole graph, along its first factor to an earlier one, and all factors that end at it.
static void grow(cairn_graph *graph, const cairn_graph *whole)
{
    const uint32_t degrees = graph->def.degrees, node = graph->node_count;
    cairn_graph_node next = whole->nodes[node];
    for (uint32_t f = 0; f < whole->factor_count; f++) {
        const cairn_factor *factor = &whole->factors[f];
        if (factor->to == node && factor->kind == CAIRN_FACTOR_ODOMETRY) {
            next.pose = compose(degrees, &graph->nodes[factor->from].pose, &factor->measured);
        }
    }
    assert_ok(cairn_graph_add_node(graph, &next, NULL));
    for (uint32_t f = 0; f < whole->factor_count; f++) {
        if (later_end(&whole->factors[f]) == node) {
            assert_ok(cairn_graph_add_factor(graph, &whole->factors[f], NULL));
        }
    }
}

// Solves a copy by batch; the farthest node, and chi2 there.
static double apart_from_batch(cairn_graph *graph, double *ret_chi2)
{
    cairn_arena_reset(&batch_arena, 0);
    cairn_graph_pose *kept = CAIRN_TAKE(&batch_arena, cairn_graph_pose, graph->node_count);
    assert_non_null(kept);
    for (uint32_t i = 0; i < graph->node_count; i++) { kept[i] = graph->nodes[i].pose; }
    cairn_batch_def def = cairn_batch_def_default();
    def.tolerance = 1e-14;
    cairn_batch *batch;
    cairn_batch_info info;
    assert_ok(cairn_batch_create(&def, graph, &batch_arena, &batch));
    assert_ok(cairn_batch_run(batch, graph, 100, &info));
    double most = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (int k = 0; k < 7; k++) {
            const bool is_yaw = graph->def.degrees == 3 && k == 2;
            const double apart = graph->nodes[i].pose.v[k] - kept[i].v[k];
            most = fmax(most, fabs(is_yaw ? cairn_angle_wrap(apart) : apart));
        }
        graph->nodes[i].pose = kept[i];
    }
    *ret_chi2 = info.chi2_after;
    return most;
}

static cairn_graph *begin(const cairn_graph *whole, cairn_incremental_mode mode, cairn_incremental **ret_incremental)
{
    cairn_graph *graph;
    cairn_arena_reset(&arena, 0);
    assert_ok(cairn_graph_create(&whole->def, &arena, &graph));
    const cairn_incremental_def def = cairn_incremental_def_default(mode);
    assert_ok(cairn_incremental_create(&def, graph, &arena, ret_incremental));
    return graph;
}

static void follow(const cairn_graph *whole, cairn_incremental_mode mode, uint32_t every)
{
    cairn_incremental *incremental;
    cairn_graph *graph = begin(whole, mode, &incremental);
    cairn_incremental_info info;
    double chi2;
    for (uint32_t i = 0; i < whole->node_count; i++) {
        grow(graph, whole);
        assert_ok(cairn_incremental_step(incremental, graph, &info));
        assert_true(info.is_converged);
        if (i % every != 0) { continue; }
        assert_true(fabs(info.chi2 - cairn_graph_chi2(graph)) < 1e-9 * (1 + info.chi2));
        const double apart = apart_from_batch(graph, &chi2);
        if (mode == CAIRN_INCREMENTAL_EXACT) { assert_true(apart < 1e-6); }
        assert_true(info.chi2 < 1.01 * chi2 + 1e-6);
    }
    assert_ok(cairn_incremental_settle(incremental, graph, &info));
    assert_true(apart_from_batch(graph, &chi2) < 1e-6);
}

static void exact_is_where_batch_is_at_every_step(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "exact");
    follow(streets(400, &random), CAIRN_INCREMENTAL_EXACT, 7);
}

static void fast_is_within_a_hundredth_of_chi2_and_exact_once_settled(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "fast");
    follow(streets(400, &random), CAIRN_INCREMENTAL_FAST, 3);
}

// In space, with closures between nodes of any age at once, and a reference that comes late and frees the first node.
static void space_and_late_references_are_the_same(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "space");
    cairn_arena_reset(&whole_arena, 0);
    const random_graph_def def = {.degrees = 6, .nodes = 60, .closures = 40, .noise = 0.02, .start = 0};
    cairn_graph *whole = random_graph(&def, &random, &whole_arena);
    cairn_graph_pose truth[60];
    for (uint32_t i = 0; i < 60; i++) { truth[i] = whole->nodes[i].pose; }
    add_noisy_factor(whole, &random, truth, CAIRN_GRAPH_NONE, 45, CAIRN_FACTOR_GLOBAL, 0.05);
    follow(whole, CAIRN_INCREMENTAL_EXACT, 1);
}

// What is taken back must leave no trace.
static void a_factor_can_go_again(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "gone");
    const cairn_graph *whole = streets(150, &random);
    cairn_incremental *incremental;
    cairn_graph *graph = begin(whole, CAIRN_INCREMENTAL_EXACT, &incremental);
    while (graph->node_count < whole->node_count) {
        grow(graph, whole);
        assert_ok(cairn_incremental_step(incremental, graph, NULL));
    }
    double chi2;
    for (uint32_t f = 0; f < graph->factor_count; f += 9) {
        if (graph->factors[f].kind != CAIRN_FACTOR_CLOSURE) { continue; }
        graph->factors[f].is_gone = f % 2 == 0;
        if (f % 2 != 0) { graph->factors[f].weight = 0.3f; }
        cairn_incremental_touch(incremental, f);
        assert_ok(cairn_incremental_step(incremental, graph, NULL));
        assert_true(apart_from_batch(graph, &chi2) < 1e-6);
    }
}

// The motion that the derivative is by, against differences.
static void derivatives_by_motions_equal_differences(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "motions");
    for (int round = 0; round < 200; round++) {
        const uint32_t degrees = round % 2 == 0 ? 3 : 6;
        cairn_arena_reset(&whole_arena, 0);
        const random_graph_def def = {
            .degrees = degrees, .nodes = 2, .closures = 0, .noise = 0.3, .has_prior = round % 3 == 0};
        cairn_graph *graph = random_graph(&def, &random, &whole_arena);
        cairn_factor *factor = &graph->factors[graph->factor_count - 1];
        const double yaw = factor->from == CAIRN_GRAPH_NONE ? 0 : graph->nodes[factor->from].pose.v[2];
        const double from[2] = {cos(yaw), sin(yaw)},
                     measured[2] = {cos(factor->measured.v[2]), sin(factor->measured.v[2])};
        const double origin[3] = {0.5, -2, 1}, reach = 1e-6;
        cairn_map_part part, ends[2];
        cairn_map_linear(graph, factor, origin, (cairn_map_turns){from, measured}, &part);
        const cairn_graph_pose pose = graph->nodes[factor->to].pose;
        for (uint32_t k = 0; k < degrees; k++) {
            for (int side = 0; side < 2; side++) {
                double motion[6] = {0};
                motion[k] = side == 0 ? -reach : reach;
                graph->nodes[factor->to].pose = cairn_map_move(degrees, &pose, origin, motion);
                cairn_map_linear(graph, factor, origin, (cairn_map_turns){from, measured}, &ends[side]);
            }
            graph->nodes[factor->to].pose = pose;
            const double difference = (ends[1].chi2 - ends[0].chi2) / (4 * reach);
            assert_true(fabs(difference - part.by[k]) < 1e-5 * (1 + fabs(part.by[k])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_by_motions_equal_differences),
        cmocka_unit_test(exact_is_where_batch_is_at_every_step),
        cmocka_unit_test(fast_is_within_a_hundredth_of_chi2_and_exact_once_settled),
        cmocka_unit_test(space_and_late_references_are_the_same),
        cmocka_unit_test(a_factor_can_go_again),
    };
    if (cairn_arena_create(&whole_arena, 8 << 20) != CAIRN_OK || cairn_arena_create(&arena, 256 << 20) != CAIRN_OK ||
        cairn_arena_create(&batch_arena, 64 << 20) != CAIRN_OK) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairn_arena_destroy(&batch_arena);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&whole_arena);
    return failed;
}
