// pose_graph.c - a robot that comes by the same places again and again, with libcairn alone: a pose graph, its best
// poses, and which closures to believe.
//
//   cc pose_graph.c $(pkg-config --cflags --libs cairn) -o pose_graph
//   ./pose_graph drive      # writes drive.g2o, which other programs for pose graphs read
//
// The drive is made up: four times around a square, with wheels that slip. Each round the robot sees where it was the
// round before; and some of what it sees is another place that looks the same. Put your own measurements into
// cairn_graph_add_factor, and the rest stays as it is.
#include <cairn/base.h>
#include <cairn/slam.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 80, NODES = 4 * ROUND, WRONG = 60, FACTORS = 2 * NODES + WRONG };
#define STEP_M 0.5
#define DEVIATION_M 0.03 // of all measurements, along and across
#define DEVIATION_RAD 0.01
#define MEMORY_BYTES ((size_t)64 << 20)

static cairn_pose2 truth[NODES];

static _Noreturn void quit(const char *what)
{
    (void)fprintf(stderr, "pose_graph: %s\n", what);
    exit(1);
}

static void drive(void)
{
    for (int i = 1; i < NODES; i++) {
        const bool is_corner = i % (ROUND / 4) == 0;
        truth[i] = cairn_pose2_compose(truth[i - 1], (cairn_pose2){STEP_M, 0, is_corner ? CAIRN_PI / 2 : 0});
    }
}

// One measurement with its noise. A wrong one says anything within five metres.
static void measure(cairn_graph *graph, uint32_t from, uint32_t to, cairn_factor_kind kind, bool is_right,
                    cairn_random *random)
{
    const cairn_pose2 noise = {DEVIATION_M * cairn_random_gauss(random), DEVIATION_M * cairn_random_gauss(random),
                               DEVIATION_RAD * cairn_random_gauss(random)};
    const cairn_pose2 anything = {cairn_random_between(random, -5, 5), cairn_random_between(random, -5, 5),
                                  cairn_random_between(random, -CAIRN_PI, CAIRN_PI)};
    const cairn_pose2 from_T_to =
        is_right ? cairn_pose2_compose(cairn_pose2_between(truth[from], truth[to]), noise) : anything;
    const double by_m2 = 1 / (DEVIATION_M * DEVIATION_M), by_rad2 = 1 / (DEVIATION_RAD * DEVIATION_RAD);
    const cairn_factor factor = {.from = from,
                                 .to = to,
                                 .kind = (uint8_t)kind,
                                 .measured = cairn_graph_pose_from2(from_T_to),
                                 .information = {by_m2, 0, 0, by_m2, 0, by_rad2}};
    if (cairn_graph_add_factor(graph, &factor, NULL) != CAIRN_OK) { quit("a factor is not one"); }
}

// Nodes start where odometry alone would put them.
static void make_graph(cairn_graph *graph, cairn_arena *scratch)
{
    cairn_random random;
    cairn_random_init(&random, 1, "example");
    for (uint32_t i = 0; i < NODES; i++) {
        if (cairn_graph_add_node(graph, &(cairn_graph_node){.name = i}, NULL) != CAIRN_OK) { quit("too many nodes"); }
        if (i > 0) { measure(graph, i - 1, i, CAIRN_FACTOR_ODOMETRY, true, &random); }
        if (i >= ROUND && i % 2 == 0) { measure(graph, i - ROUND, i, CAIRN_FACTOR_CLOSURE, true, &random); }
    }
    for (int i = 0; i < WRONG; i++) {
        const uint32_t from = cairn_random_below(&random, NODES / 2);
        const uint32_t to = NODES / 2 + cairn_random_below(&random, NODES / 2);
        measure(graph, from, to, CAIRN_FACTOR_CLOSURE, false, &random);
    }
    if (cairn_graph_chain(graph, NULL, scratch) != CAIRN_OK) { quit("memory is full"); }
}

static double error_m(const cairn_graph *graph)
{
    double sum = 0;
    for (int i = 0; i < NODES; i++) {
        const double *at = graph->nodes[i].pose.v;
        sum += pow(at[0] - truth[i].x_m, 2) + pow(at[1] - truth[i].y_m, 2);
    }
    return sqrt(sum / NODES);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "drive";
    const cairn_graph_def def = {.degrees = 3, .nodes_max = NODES, .factors_max = FACTORS};
    const cairn_batch_def batch_def = cairn_batch_def_default();
    const cairn_consensus_solve_def consensus_def = cairn_consensus_solve_def_default();
    static cairn_complaints complaints; // large
    cairn_arena memory, scratch;
    cairn_graph *graph;
    cairn_batch *batch;
    cairn_batch_info solved;
    cairn_consensus_solve_info believed;
    if (cairn_arena_create(&memory, MEMORY_BYTES) != CAIRN_OK ||
        cairn_arena_create(&scratch, MEMORY_BYTES) != CAIRN_OK ||
        cairn_graph_create(&def, &memory, &graph) != CAIRN_OK) {
        quit("no memory");
    }
    drive();
    make_graph(graph, &scratch);
    printf("odometry alone: %.2f m from the truth\n", error_m(graph));

    // Least squares believes everyone.
    if (cairn_batch_create(&batch_def, graph, &scratch, &batch) != CAIRN_OK ||
        cairn_batch_run(batch, graph, batch_def.iterations_max, &solved) != CAIRN_OK) {
        quit("cannot be solved");
    }
    printf("all closures: %.2f m, chi2 %.0f after %u steps\n", error_m(graph), solved.chi2_after, solved.iterations);

    // Consensus asks first who is borne out by others.
    if (cairn_consensus_solve(&consensus_def, graph, &scratch, &believed) != CAIRN_OK) { quit("cannot be solved"); }
    printf("those that are borne out: %.2f m, %u of %u closures refused, %d were wrong\n", error_m(graph),
           believed.refused_count, believed.consensus.closure_count, WRONG);

    char path[200];
    (void)snprintf(path, sizeof path, "%.150s.g2o", name);
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        graph->factors[i].is_gone = !(graph->factors[i].weight > 0); // what is gone is not written
    }
    if (cairn_g2o_write(path, graph, &complaints) != CAIRN_OK) { quit(complaints.text); }
    printf("wrote %s\n", path);
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&memory);
    return 0;
}
