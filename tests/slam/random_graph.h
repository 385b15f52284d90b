// random_graph.h - graphs with a known answer: a walk, odometry along it, and closures between random nodes.
#pragma once
#include "../base/check.h"
#include "base/random.h"
#include "slam/graph/pose_graph.h"
#include <math.h>

typedef struct random_graph_def {
    uint32_t degrees, nodes, closures;
    double noise;   // [m, rad] of measurements
    double start;   // [m, rad] of where nodes start
    bool has_prior; // a factor on node 0, instead of nothing that holds it
} random_graph_def;

static inline cairn_graph_pose random_step(cairn_random *random, uint32_t degrees, double reach, double turn)
{
    double d[6];
    for (uint32_t i = 0; i < degrees; i++) {
        d[i] = cairn_random_between(random, -1, 1) * (i < (degrees == 3 ? 2u : 3u) ? reach : turn);
    }
    const cairn_graph_pose origin =
        degrees == 3 ? (cairn_graph_pose){{0}} : cairn_graph_pose_from3(cairn_pose3_identity());
    return cairn_graph_pose_step(degrees, &origin, d);
}

static inline cairn_graph_pose compose(uint32_t degrees, const cairn_graph_pose *a, const cairn_graph_pose *b)
{
    if (degrees == 3) {
        return cairn_graph_pose_from2(cairn_pose2_compose(cairn_graph_pose_to2(a), cairn_graph_pose_to2(b)));
    }
    return cairn_graph_pose_from3(cairn_pose3_compose(cairn_graph_pose_to3(a), cairn_graph_pose_to3(b)));
}

static inline cairn_graph_pose between(uint32_t degrees, const cairn_graph_pose *a, const cairn_graph_pose *b)
{
    if (degrees == 3) {
        return cairn_graph_pose_from2(cairn_pose2_between(cairn_graph_pose_to2(a), cairn_graph_pose_to2(b)));
    }
    return cairn_graph_pose_from3(cairn_pose3_between(cairn_graph_pose_to3(a), cairn_graph_pose_to3(b)));
}

static inline void random_information(cairn_random *random, uint32_t degrees, double *upper)
{
    double root[36] = {0};
    for (uint32_t i = 0; i < degrees * degrees; i++) { root[i] = cairn_random_between(random, -3, 3); }
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            upper[at] = row == column ? 10 : 0;
            for (uint32_t k = 0; k < degrees; k++) {
                upper[at] += root[row * degrees + k] * root[column * degrees + k];
            }
        }
    }
}

static inline void add_noisy_factor(cairn_graph *graph, cairn_random *random, const cairn_graph_pose *truth,
                                    uint32_t from, uint32_t to, uint8_t kind, double noise)
{
    const uint32_t degrees = graph->def.degrees;
    cairn_factor factor = {.from = from, .to = to, .kind = kind};
    factor.measured = from == CAIRN_GRAPH_NONE ? truth[to] : between(degrees, &truth[from], &truth[to]);
    const cairn_graph_pose off = random_step(random, degrees, noise, noise);
    factor.measured = compose(degrees, &factor.measured, &off);
    random_information(random, degrees, factor.information);
    assert_ok(cairn_graph_add_factor(graph, &factor, NULL));
}

static inline cairn_graph *random_graph(const random_graph_def *def, cairn_random *random, cairn_arena *arena)
{
    cairn_graph *graph;
    const cairn_graph_def graph_def = {
        .degrees = def->degrees, .nodes_max = def->nodes, .factors_max = def->nodes + def->closures + 1};
    assert_ok(cairn_graph_create(&graph_def, arena, &graph));
    cairn_graph_pose *truth = CAIRN_TAKE(arena, cairn_graph_pose, def->nodes);
    assert_non_null(truth);
    truth[0] = random_step(random, def->degrees, 3, 0.9);
    for (uint32_t i = 0; i < def->nodes; i++) {
        if (i > 0) {
            const cairn_graph_pose step = random_step(random, def->degrees, 1, 0.5);
            truth[i] = compose(def->degrees, &truth[i - 1], &step);
        }
        const cairn_graph_pose off = random_step(random, def->degrees, def->start, def->start);
        cairn_graph_node node = {.pose = compose(def->degrees, &truth[i], &off), .name = i};
        assert_ok(cairn_graph_add_node(graph, &node, NULL));
    }
    for (uint32_t i = 1; i < def->nodes; i++) {
        add_noisy_factor(graph, random, truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, def->noise);
    }
    for (uint32_t i = 0; i < def->closures; i++) {
        const uint32_t a = cairn_random_below(random, def->nodes), b = cairn_random_below(random, def->nodes);
        if (a != b) { add_noisy_factor(graph, random, truth, a, b, CAIRN_FACTOR_CLOSURE, def->noise); }
    }
    if (def->has_prior) {
        add_noisy_factor(graph, random, truth, CAIRN_GRAPH_NONE, 0, CAIRN_FACTOR_GLOBAL, def->noise);
    }
    return graph;
}
