// Errors of factors and their derivatives, steps of poses, and what a graph refuses.
#include "../base/check.h"
#include "base/random.h"
#include "slam/graph/pose_graph.h"
#include <math.h>
#include <string.h>

static double spread(cairn_random *random, double half) { return cairn_random_between(random, -half, half); }

static cairn_graph_pose random_pose(cairn_random *random, uint32_t degrees)
{
    if (degrees == 3) { return (cairn_graph_pose){{spread(random, 9), spread(random, 9), spread(random, 3.1)}}; }
    const cairn_quat turn = cairn_quat_exp((cairn_vec3){spread(random, 2), spread(random, 2), spread(random, 2)});
    return cairn_graph_pose_from3(
        (cairn_pose3){.at_m = {spread(random, 9), spread(random, 9), spread(random, 9)}, .turn = turn});
}

static void compare_with_differences(cairn_random *random, uint32_t degrees, bool is_on_one)
{
    cairn_factor factor = {.from = is_on_one ? CAIRN_GRAPH_NONE : 0, .to = 1};
    factor.measured = random_pose(random, degrees);
    const cairn_graph_pose poses[2] = {random_pose(random, degrees), random_pose(random, degrees)};
    double error[6], by[2][36];
    cairn_factor_error(degrees, &factor, &poses[0], &poses[1], error, is_on_one ? NULL : by[0], by[1]);
    // Near a half turn the error jumps (2 pi, or the sign of the quaternion): not a place for differences.
    if (degrees == 3 && fabs(error[2]) > 3.1) { return; }
    if (degrees == 6 && error[3] * error[3] + error[4] * error[4] + error[5] * error[5] > 0.99) { return; }

    const double reach = 1e-6;
    for (uint32_t which = is_on_one ? 1 : 0; which < 2; which++) {
        for (uint32_t column = 0; column < degrees; column++) {
            double ends[2][6];
            for (int side = 0; side < 2; side++) {
                double step[6] = {0};
                step[column] = side == 0 ? -reach : reach;
                cairn_graph_pose moved[2] = {poses[0], poses[1]};
                moved[which] = cairn_graph_pose_step(degrees, &poses[which], step);
                cairn_factor_error(degrees, &factor, &moved[0], &moved[1], ends[side], NULL, NULL);
            }
            for (uint32_t row = 0; row < degrees; row++) {
                const double difference = (ends[1][row] - ends[0][row]) / (2 * reach);
                // Central differences: rounding 1e-16 * 20 m / 1e-6, and the curvature, below 1e-8.
                assert_true(fabs(difference - by[which][row * degrees + column]) < 1e-7);
            }
        }
    }
}

// A wrong Jacobian still converges, only slowly and to something slightly else: nothing but this shows it.
static void jacobians_equal_finite_differences(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 7, "jacobians");
    for (int i = 0; i < 500; i++) {
        compare_with_differences(&random, 3, i % 4 == 0);
        compare_with_differences(&random, 6, i % 4 == 0);
    }
}

// Whoever moves the whole map must not change what is known about it.
static void errors_do_not_depend_on_where_the_map_lies(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 8, "gauge");
    for (int i = 0; i < 200; i++) {
        const cairn_graph_pose shift_pose = random_pose(&random, 6);
        const cairn_pose3 shift = cairn_graph_pose_to3(&shift_pose);
        const cairn_graph_pose from = random_pose(&random, 6), to = random_pose(&random, 6);
        const cairn_factor factor = {.from = 0, .to = 1, .measured = random_pose(&random, 6)};
        const cairn_graph_pose moved_from =
            cairn_graph_pose_from3(cairn_pose3_compose(shift, cairn_graph_pose_to3(&from)));
        const cairn_graph_pose moved_to = cairn_graph_pose_from3(cairn_pose3_compose(shift, cairn_graph_pose_to3(&to)));
        double here[6], there[6];
        cairn_factor_error(6, &factor, &from, &to, here, NULL, NULL);
        cairn_factor_error(6, &factor, &moved_from, &moved_to, there, NULL, NULL);
        for (int k = 0; k < 6; k++) { assert_true(fabs(here[k] - there[k]) < 1e-12); }
    }
}

// Known by hand: one node 1 m too far along x and turned by 0.1, information 4 and 9 on those.
static void chi2_is_the_weighted_square_of_the_error(void **state)
{
    (void)state;
    static uint8_t block[65536];
    cairn_arena arena;
    cairn_arena_init(&arena, block, sizeof block);
    cairn_graph *graph;
    assert_int_equal(
        cairn_graph_create(&(cairn_graph_def){.degrees = 3, .nodes_max = 2, .factors_max = 2}, &arena, &graph),
        CAIRN_OK);
    assert_int_equal(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = {{1, 1, CAIRN_PI / 2}}}, NULL), CAIRN_OK);
    assert_int_equal(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = {{1, 4, CAIRN_PI / 2 + 0.1}}}, NULL),
                     CAIRN_OK);
    cairn_factor factor = {.from = 0, .to = 1, .measured = {{2, 0, 0}}, .information = {4, 0, 0, 1, 0, 9}};
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_OK);
    assert_true(fabs(cairn_graph_chi2(graph) - (4 + 9 * 0.01)) < 1e-12);
    factor.information[2] = 1.5; // between x and yaw
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_OK);
    assert_true(fabs(cairn_factor_chi2(graph, 1) - (4 + 9 * 0.01 + 2 * 1.5 * 0.1)) < 1e-12);
    graph->factors[0].is_gone = true;
    assert_true(fabs(cairn_graph_chi2(graph) - cairn_factor_chi2(graph, 1)) < 1e-15);
}

// Files and radios bring such things; a solver must never see them.
static void a_graph_refuses_what_no_solver_could_use(void **state)
{
    (void)state;
    static uint8_t block[65536];
    cairn_arena arena;
    cairn_arena_init(&arena, block, sizeof block);
    cairn_graph *graph;
    assert_int_equal(
        cairn_graph_create(&(cairn_graph_def){.degrees = 6, .nodes_max = 2, .factors_max = 2}, &arena, &graph),
        CAIRN_OK);
    const cairn_graph_node good = {.pose = {{0, 0, 0, 1, 0, 0, 0}}};
    cairn_graph_node bad = good;
    bad.pose.v[3] = 1.001;
    assert_int_equal(cairn_graph_add_node(graph, &bad, NULL), CAIRN_ERR_INVALID);
    bad = good;
    bad.pose.v[1] = NAN;
    assert_int_equal(cairn_graph_add_node(graph, &bad, NULL), CAIRN_ERR_INVALID);
    uint32_t index = 9;
    assert_int_equal(cairn_graph_add_node(graph, &good, NULL), CAIRN_OK);
    assert_int_equal(cairn_graph_add_node(graph, &good, &index), CAIRN_OK);
    assert_int_equal(index, 1);
    assert_int_equal(cairn_graph_add_node(graph, &good, NULL), CAIRN_ERR_FULL);

    cairn_factor factor = {.from = 0, .to = 1, .measured = good.pose};
    for (int i = 0, at = 0; i < 6; at += 6 - i, i++) { factor.information[at] = 1; }
    factor.information[1] = 1; // singular, but allowed: eigenvalues 0 and 2
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_OK);
    factor.information[1] = 1.01;
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_ERR_INVALID);
    factor.information[1] = 0;
    factor.to = 2;
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_ERR_INVALID);
    factor.to = 0;
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_ERR_INVALID);
    memset(factor.information, 0, sizeof factor.information);
    factor.information[1] = 1; // something beside a diagonal of zeros
    factor.to = 1;
    assert_int_equal(cairn_graph_add_factor(graph, &factor, NULL), CAIRN_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_equal_finite_differences),
        cmocka_unit_test(errors_do_not_depend_on_where_the_map_lies),
        cmocka_unit_test(chi2_is_the_weighted_square_of_the_error),
        cmocka_unit_test(a_graph_refuses_what_no_solver_could_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
