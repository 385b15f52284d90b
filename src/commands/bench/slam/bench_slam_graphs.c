// bench slam, graphs - pose graphs beside Ceres: to the minimum, one linear solve by ordering, and as they grow.
//
// Graphs are public ones, in --data DIR/graphs. Ceres is a program of its own, bench/bench_ceres.cpp, which is there if
// Ceres was when Cairn was built. All times are processor time of one core.
#include "base/clock.h"
#include "commands/bench/slam/bench_slam.h"
#include "slam/graph/g2o_io.h"
#include "slam/solve/batch.h"
#include "slam/solve/incremental.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BENCH "slam"
#define MANHATTAN "input_M3500_g2o.g2o"
#define ROUNDS 10 // the fastest counts: what else the machine does only adds
#define MEMORY_BYTES ((size_t)2 << 30)

typedef struct workshop {
    cairn_bench_report *report;
    cairn_complaints *complaints;
    cairn_arena graphs, memory;
    char path[600];
} workshop;

static double ms_since(int64_t started_ns) { return 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns); }

static void say(workshop *w, const char *subject, const char *metric, const char *unit, double ours,
                const char *peer_name, double peer)
{
    cairn_bench_say(w->report, &(cairn_bench_figure){BENCH, subject, metric, unit, ours, peer_name, peer});
}

static cairn_err open_graph(workshop *w, const char *name, cairn_graph **ret_graph)
{
    cairn_arena_reset(&w->graphs, 0);
    (void)snprintf(w->path, sizeof w->path, "%s/graphs/%s", w->report->data, name);
    return cairn_g2o_open(w->path, &w->graphs, w->complaints, ret_graph, NULL);
}

// Milliseconds and chi2 as Ceres' program tells them; false if it is not there.
static bool ask_ceres(const char *graph_path, double *ret_ms, double *ret_chi2)
{
    char arguments[1024], line[96] = "", *end = line;
    (void)snprintf(arguments, sizeof arguments, "'%s'", graph_path);
    FILE *pipe = cairn_bench_peer("bench_ceres", arguments);
    if (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        *ret_ms = strtod(line, &end);
        *ret_chi2 = strtod(end, NULL);
    }
    if (pipe != NULL) { (void)pclose(pipe); }
    return end != line;
}

// From the file's poses to convergence, all included: the fastest of some rounds.
static cairn_err solve(workshop *w, cairn_graph *graph, const cairn_batch_def *def, double *ret_ms,
                       cairn_batch_info *ret_info)
{
    cairn_err err = CAIRN_OK;
    cairn_arena_reset(&w->memory, 0);
    cairn_graph_pose *start = CAIRN_TAKE(&w->memory, cairn_graph_pose, graph->node_count);
    if (!start) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < graph->node_count; i++) { start[i] = graph->nodes[i].pose; }
    const size_t mark = cairn_arena_mark(&w->memory);
    *ret_ms = INFINITY;
    for (int round = 0; round < ROUNDS && err == CAIRN_OK; round++) {
        for (uint32_t i = 0; i < graph->node_count; i++) { graph->nodes[i].pose = start[i]; }
        cairn_arena_reset(&w->memory, mark);
        cairn_batch *batch;
        cairn_batch_info info;
        const int64_t started_ns = cairn_thread_cpu_ns();
        err = cairn_batch_create(def, graph, &w->memory, &batch);
        if (err == CAIRN_OK) { err = cairn_batch_run(batch, graph, def->iterations_max, &info); }
        const double ms = ms_since(started_ns);
        if (err == CAIRN_OK && ms < *ret_ms) {
            *ret_ms = ms;
            *ret_info = info;
        }
    }
    return err;
}

static cairn_err measure_manhattan(workshop *w)
{
    cairn_graph *graph;
    cairn_err err = open_graph(w, MANHATTAN, &graph);
    if (err != CAIRN_OK) { return err; }
    cairn_batch_def def = cairn_batch_def_default();
    double ms, peer_ms = 0, peer_chi2 = 0;
    cairn_batch_info info;
    err = solve(w, graph, &def, &ms, &info);
    if (err != CAIRN_OK) { return err; }
    const bool has_peer = ask_ceres(w->path, &peer_ms, &peer_chi2);
    CAIRN_ASSERT(!has_peer || fabs(peer_chi2 - info.chi2_after) < 1e-2 * info.chi2_after);
    say(w, "input_M3500 from odometry", "to convergence", "ms", ms, has_peer ? "Ceres LM" : NULL, peer_ms);
    return CAIRN_OK;
}

static cairn_err measure_orderings(workshop *w)
{
    cairn_graph *graph;
    cairn_err err = open_graph(w, MANHATTAN, &graph);
    for (int kind = 0; kind < CAIRN_ORDER_KIND_COUNT && err == CAIRN_OK; kind++) {
        cairn_batch_def def = cairn_batch_def_default();
        def.solver = CAIRN_SOLVER_GAUSS_NEWTON;
        def.ordering = (cairn_ordering_kind)kind;
        def.iterations_max = 1;
        def.now_ns = cairn_thread_cpu_ns;
        double ms;
        cairn_batch_info info;
        err = solve(w, graph, &def, &ms, &info);
        if (err != CAIRN_OK) { return err; }
        char subject[64];
        (void)snprintf(subject, sizeof subject, "one solve of input_M3500, order %s",
                       cairn_ordering_name(def.ordering));
        // Build: the factor's structure and the matrix, which is made twice: before the step and after it.
        const double build_ns = (double)info.structure_ns + 0.5 * (double)info.linear_ns;
        const double solve_ms = 1e-6 * ((double)info.ordering_ns + build_ns + (double)info.factor_ns);
        say(w, subject, "order, build, factor", "ms", solve_ms, NULL, 0);
        say(w, subject, "of that, order", "ms", 1e-6 * (double)info.ordering_ns, NULL, 0);
        say(w, subject, "numbers in the factor", "thousands", 1e-3 * (double)info.l_nonzeros, NULL, 0);
    }
    return err;
}

// ---- as it grows

static cairn_graph_pose beyond(const cairn_graph *graph, const cairn_factor *factor, uint32_t node)
{
    const bool is_back = factor->from == node;
    const cairn_pose2 step = cairn_graph_pose_to2(&factor->measured);
    const cairn_pose2 from = cairn_graph_pose_to2(&graph->nodes[is_back ? factor->to : factor->from].pose);
    return cairn_graph_pose_from2(cairn_pose2_compose(from, is_back ? cairn_pose2_inverse(step) : step));
}

// The next node, along its odometry, and its factors to earlier ones, which are listed from `first`, linked by `next`.
static cairn_err grow(cairn_graph *graph, const cairn_graph *whole, uint32_t first, const uint32_t *next)
{
    cairn_graph_node node = whole->nodes[graph->node_count];
    for (uint32_t f = first; f != CAIRN_GRAPH_NONE; f = next[f]) {
        if (whole->factors[f].kind == CAIRN_FACTOR_ODOMETRY) {
            node.pose = beyond(graph, &whole->factors[f], graph->node_count);
        }
    }
    cairn_err err = cairn_graph_add_node(graph, &node, NULL);
    for (uint32_t f = first; f != CAIRN_GRAPH_NONE && err == CAIRN_OK; f = next[f]) {
        err = cairn_graph_add_factor(graph, &whole->factors[f], NULL);
    }
    return err;
}

typedef struct growth {
    double ms_mean, ms_worst, chi2_settled;
} growth;

static cairn_err measure_growth(workshop *w, const cairn_graph *whole, cairn_incremental_mode mode, growth *ret_growth)
{
    cairn_arena_reset(&w->memory, 0);
    cairn_graph *graph = NULL;
    cairn_incremental *incremental = NULL;
    const cairn_incremental_def def = cairn_incremental_def_default(mode);
    uint32_t *first = CAIRN_TAKE(&w->memory, uint32_t, whole->node_count),
             *next = CAIRN_TAKE(&w->memory, uint32_t, whole->factor_count);
    cairn_err err = first && next ? cairn_graph_create(&whole->def, &w->memory, &graph) : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = cairn_incremental_create(&def, graph, &w->memory, &incremental); }
    if (err != CAIRN_OK) { return err; }
    memset(first, 0xff, whole->node_count * sizeof *first);
    for (uint32_t f = whole->factor_count; f-- > 0;) {
        const cairn_factor *factor = &whole->factors[f];
        const uint32_t later = factor->from > factor->to ? factor->from : factor->to;
        next[f] = first[later];
        first[later] = f;
    }
    growth g = {0};
    cairn_incremental_info info = {0};
    for (uint32_t i = 0; i < whole->node_count && err == CAIRN_OK; i++) {
        err = grow(graph, whole, first[i], next);
        const int64_t started_ns = cairn_thread_cpu_ns();
        if (err == CAIRN_OK) { err = cairn_incremental_step(incremental, graph, &info); }
        const double ms = ms_since(started_ns);
        g.ms_mean += ms / whole->node_count;
        g.ms_worst = fmax(g.ms_worst, ms);
    }
    if (err == CAIRN_OK) { err = cairn_incremental_settle(incremental, graph, &info); }
    g.chi2_settled = info.chi2;
    *ret_growth = g;
    return err;
}

static cairn_err measure_incremental(workshop *w)
{
    cairn_graph *whole = NULL;
    cairn_err err = open_graph(w, MANHATTAN, &whole);
    for (int mode = 0; mode < 2 && err == CAIRN_OK; mode++) {
        growth g = {0}, best = {.ms_mean = INFINITY, .ms_worst = INFINITY};
        for (int round = 0; round < 3 && err == CAIRN_OK; round++) {
            err = measure_growth(w, whole, mode == 0 ? CAIRN_INCREMENTAL_FAST : CAIRN_INCREMENTAL_EXACT, &g);
            best.ms_mean = fmin(best.ms_mean, g.ms_mean);
            best.ms_worst = fmin(best.ms_worst, g.ms_worst);
            best.chi2_settled = g.chi2_settled;
        }
        if (err != CAIRN_OK) { return err; }
        const char *subject = mode == 0 ? "input_M3500 as it grows, fast" : "input_M3500 as it grows, exact";
        say(w, subject, "a step, on average", "ms", best.ms_mean, NULL, 0);
        say(w, subject, "a step, at most", "ms", best.ms_worst, NULL, 0);
        say(w, subject, "chi2, settled", "-", best.chi2_settled, "best known", 137.913);
    }
    return err;
}

static cairn_err measure_minima(workshop *w)
{
    static const struct {
        const char *file;
        double chi2;
    } known[] = {{"manhattanOlson3500.g2o", 146.0766}, {"input_M3500_g2o.g2o", 137.913},
                 {"input_INTEL_g2o.g2o", 215.830},     {"CSAIL.g2o", 40.555},
                 {"sphere2500.g2o.xz", 727.150},       {"parking-garage.g2o.xz", 1.2387}};
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known && err == CAIRN_OK; i++) {
        cairn_graph *graph;
        err = open_graph(w, known[i].file, &graph);
        if (err != CAIRN_OK) { return err; }
        const cairn_batch_def def = cairn_batch_def_default();
        cairn_batch *batch;
        cairn_batch_info info;
        cairn_arena_reset(&w->memory, 0);
        const int64_t started_ns = cairn_thread_cpu_ns();
        err = cairn_batch_create(&def, graph, &w->memory, &batch);
        if (err == CAIRN_OK) { err = cairn_batch_run(batch, graph, def.iterations_max, &info); }
        if (err != CAIRN_OK) { return err; }
        say(w, known[i].file, "time", "ms", ms_since(started_ns), NULL, 0);
        say(w, known[i].file, "chi2", "-", info.chi2_after, "best known", known[i].chi2);
    }
    return err;
}

cairn_err cairn_bench_slam_graphs(cairn_bench_report *report, cairn_complaints *complaints)
{
    if (report->data == NULL) {
        cairn_bench_say_not(report, BENCH, "pose graphs", "needs recorded graphs: --data DIR with DIR/graphs");
        return CAIRN_OK;
    }
    workshop w = {.report = report, .complaints = complaints};
    cairn_err err = cairn_arena_create(&w.graphs, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&w.memory, MEMORY_BYTES); }
    if (err == CAIRN_OK) { err = measure_minima(&w); }
    if (err == CAIRN_OK) { err = measure_manhattan(&w); }
    if (err == CAIRN_OK) { err = measure_orderings(&w); }
    if (err == CAIRN_OK) { err = measure_incremental(&w); }
    cairn_arena_destroy(&w.memory);
    cairn_arena_destroy(&w.graphs);
    return err;
}
