// bench slam, teams - graphs of many robots whose starts are not known, with wrong closures between them.
//
// Their makers give no truth, but facts that solvers do not use tell right closures from wrong ones. The ARGoS robots
// drove on a level floor: who says that another one is above it, or tilted, is wrong. Of the others the file has the
// headings at the start in one frame: a right closure agrees with the poses of the file in its turn. Poses are compared
// with the optimum of the right closures alone, by the information that is stated; the first node is in the same place.
// Of the ARGoS robots the height is also compared with its truth, 0.
#include "base/clock.h"
#include "commands/bench/slam/bench_slam.h"
#include "slam/graph/g2o_io.h"
#include "slam/solve/consensus_solve.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#include <math.h>
#include <stdio.h>

#define BENCH "slam"
#define MEMORY_BYTES ((size_t)1 << 30)
#define LEVEL_M 0.6     // six deviations of a height
#define LEVEL_TURN 0.04 // quaternion part, eight deviations of a tilt
#define SAME_TURN 0.08 // quaternion part; drift of the file's poses is a quarter of it, wrong ones are at 0.35 and more

typedef struct team {
    const char *name;
    bool is_level;
} team;

typedef struct workshop {
    cairn_bench_report *report;
    cairn_complaints *complaints;
    cairn_arena graphs, memory;
    cairn_graph *graph;
    bool *is_right;         // for each factor
    cairn_graph_pose *best; // with the right closures alone
} workshop;

static void say(workshop *w, const char *subject, const char *metric, const char *unit, double ours)
{
    cairn_bench_say(w->report, &(cairn_bench_figure){
                                   .bench = BENCH, .subject = subject, .metric = metric, .unit = unit, .ours = ours});
}

static bool is_right(const cairn_graph *graph, const cairn_factor *factor, bool is_level)
{
    const double *v = factor->measured.v;
    if (factor->kind != CAIRN_FACTOR_CLOSURE) { return true; }
    if (is_level) { return fabs(v[2]) < LEVEL_M && fabs(v[4]) < LEVEL_TURN && fabs(v[5]) < LEVEL_TURN; }
    double error[6];
    cairn_factor_error(6, factor, &graph->nodes[factor->from].pose, &graph->nodes[factor->to].pose, error, NULL, NULL);
    return hypot(hypot(error[3], error[4]), error[5]) < SAME_TURN;
}

static cairn_err open_team(workshop *w, const team *of)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/graphs/multirobot-%s.tar.xz", w->report->data, of->name);
    const cairn_err err = cairn_g2o_open(path, &w->graphs, w->complaints, &w->graph, NULL);
    if (err != CAIRN_OK) { return err; }
    w->is_right = CAIRN_TAKE(&w->graphs, bool, w->graph->factor_count);
    w->best = CAIRN_TAKE(&w->graphs, cairn_graph_pose, w->graph->node_count);
    if (!w->is_right || !w->best) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        w->is_right[i] = is_right(w->graph, &w->graph->factors[i], of->is_level);
    }
    return CAIRN_OK;
}

static cairn_err solve_right(workshop *w)
{
    const cairn_trees_def trees = cairn_trees_def_default();
    const cairn_chordal_def chordal = cairn_chordal_def_default();
    const cairn_batch_def def = cairn_batch_def_default();
    cairn_batch *batch;
    cairn_batch_info info;
    for (uint32_t i = 0; i < w->graph->factor_count; i++) { w->graph->factors[i].is_gone = !w->is_right[i]; }
    cairn_err err = cairn_trees_place(&trees, w->graph, &w->memory, NULL);
    if (err == CAIRN_OK) { err = cairn_chordal_place(&chordal, w->graph, &w->memory, NULL); }
    if (err == CAIRN_OK) { err = cairn_batch_create(&def, w->graph, &w->memory, &batch); }
    if (err == CAIRN_OK) { err = cairn_batch_run(batch, w->graph, def.iterations_max, &info); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < w->graph->factor_count; i++) { w->graph->factors[i].is_gone = false; }
    for (uint32_t i = 0; i < w->graph->node_count; i++) { w->best[i] = w->graph->nodes[i].pose; }
    return CAIRN_OK;
}

static void say_poses(workshop *w, const team *of)
{
    double apart = 0, height = 0, height_best = 0;
    for (uint32_t i = 0; i < w->graph->node_count; i++) {
        const double *v = w->graph->nodes[i].pose.v, *best = w->best[i].v;
        for (int k = 0; k < 3; k++) { apart += pow(v[k] - best[k], 2) / w->graph->node_count; }
        height += v[2] * v[2];
        height_best += best[2] * best[2];
    }
    say(w, of->name, "RMS distance from the optimum of right closures", "m", sqrt(apart));
    if (of->is_level) {
        say(w, of->name, "height error, of that optimum's", "-", sqrt(height / height_best));
        say(w, of->name, "height error of that optimum", "m", sqrt(height_best / w->graph->node_count));
    }
}

static void say_refused(workshop *w, const team *of)
{
    uint32_t refused_right = 0, refused_wrong = 0, kept_wrong = 0;
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        const bool is_refused = !(w->graph->factors[i].weight > 0);
        refused_right += is_refused && w->is_right[i];
        refused_wrong += is_refused && !w->is_right[i];
        kept_wrong += !is_refused && !w->is_right[i];
    }
    if (refused_wrong + kept_wrong > 0) {
        say(w, of->name, "precision of refused", "-", (double)refused_wrong / (refused_wrong + refused_right));
        say(w, of->name, "recall of refused", "-", (double)refused_wrong / (refused_wrong + kept_wrong));
    }
    say(w, of->name, "right closures refused", "closures", refused_right);
}

static cairn_err measure(workshop *w, const team *of)
{
    const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    cairn_consensus_solve_info info;
    cairn_arena_reset(&w->graphs, 0);
    cairn_arena_reset(&w->memory, 0);
    cairn_err err = open_team(w, of);
    if (err == CAIRN_OK) { err = solve_right(w); }
    const int64_t started_ns = cairn_thread_cpu_ns();
    if (err == CAIRN_OK) { err = cairn_consensus_solve(&def, w->graph, &w->memory, &info); }
    if (err != CAIRN_OK) { return err; }
    const double seconds = 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns);
    say_poses(w, of);
    say_refused(w, of);
    say(w, of->name, "processor time", "s", seconds);
    return CAIRN_OK;
}

cairn_err cairn_bench_slam_teams(cairn_bench_report *report, cairn_complaints *complaints)
{
    static const team teams[] = {{"argos-clean-2", true},
                                 {"argos-clean-10", true},
                                 {"argos-spoiled-2", true},
                                 {"argos-spoiled-10", true},
                                 {"pcm-spoiled-8", false}};
    if (!report->data) {
        cairn_bench_say_not(report, BENCH, "graphs of many robots", "no --data DIR with graphs");
        return CAIRN_OK;
    }
    workshop w = {.report = report, .complaints = complaints};
    cairn_err err = cairn_arena_create(&w.graphs, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&w.memory, MEMORY_BYTES); }
    for (size_t i = 0; i < sizeof teams / sizeof teams[0] && err == CAIRN_OK; i++) { err = measure(&w, &teams[i]); }
    cairn_arena_destroy(&w.graphs);
    cairn_arena_destroy(&w.memory);
    return err;
}
