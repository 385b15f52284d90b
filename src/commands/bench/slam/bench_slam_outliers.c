// bench slam, outliers - manhattanOlson3500 with wrong closures: how far from the truth the solved graph is, and who
// was refused; and graphs with noisy turns from the three starts.
//
// Wrong closures are added by a seed: any two nodes, any position within 2 m, any turn. "80 % wrong" means that of all
// closures, four in five are. Graphs are public ones, in --data DIR/graphs; outliers-maxmix-* have theirs from the
// file.
#include "base/clock.h"
#include "base/random.h"
#include "commands/bench/slam/bench_slam.h"
#include "slam/graph/chain.h"
#include "slam/graph/g2o_io.h"
#include "slam/solve/consensus_solve.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BENCH "slam"
#define CLEAN "manhattanOlson3500.g2o"
#define TRUTH "manhattanOlson3500-nodes-groundtruth.dat"
#define SEED 1
#define SEEDS_FIRST 31 // ten that no parameter was chosen by
#define SEEDS_COUNT 10
#define MEMORY_BYTES ((size_t)2 << 30)
#define WRONG_REACH_M 2.0

typedef struct workshop {
    cairn_bench_report *report;
    cairn_complaints *complaints;
    cairn_arena graphs, memory;
    cairn_graph *clean;
    cairn_graph_pose *truth;
    double clean_ate_m;
} workshop;

static void say(workshop *w, const char *subject, const char *metric, const char *unit, double ours)
{
    cairn_bench_say(w->report, &(cairn_bench_figure){
                                   .bench = BENCH, .subject = subject, .metric = metric, .unit = unit, .ours = ours});
}

static cairn_err open_graph(workshop *w, const char *name, cairn_graph **ret_graph)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/graphs/%s", w->report->data, name);
    return cairn_g2o_open(path, &w->graphs, w->complaints, ret_graph, NULL);
}

static bool read_truth(workshop *w)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/graphs/" TRUTH, w->report->data);
    w->truth = CAIRN_TAKE(&w->graphs, cairn_graph_pose, w->clean->node_count);
    FILE *file = fopen(path, "r");
    if (!file || !w->truth) { return false; }
    uint32_t count = 0;
    double *v = w->truth[0].v;
    while (count < w->clean->node_count && fscanf(file, "%lf %lf %lf", v, v + 1, v + 2) == 3) { // NOLINT(cert-err34-c)
        v = w->truth[++count].v;
    }
    (void)fclose(file);
    return count == w->clean->node_count;
}

// Root of the mean squared distance to the truth, after the turn and shift that make it least (Umeyama 1991).
static double ate_m(const cairn_graph *graph, const cairn_graph_pose *truth)
{
    const uint32_t count = graph->node_count;
    double mean[4] = {0}, along = 0, across = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) {
            mean[k] += graph->nodes[i].pose.v[k] / count;
            mean[2 + k] += truth[i].v[k] / count;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        const double turn = atan2(across, along), c = cos(turn), s = sin(turn);
        for (uint32_t i = 0; i < count; i++) {
            const double x = graph->nodes[i].pose.v[0] - mean[0], y = graph->nodes[i].pose.v[1] - mean[1];
            const double tx = truth[i].v[0] - mean[2], ty = truth[i].v[1] - mean[3];
            if (pass == 0) {
                along += x * tx + y * ty;
                across += x * ty - y * tx;
            } else {
                sum += pow(c * x - s * y - tx, 2) + pow(s * x + c * y - ty, 2);
            }
        }
    }
    return sqrt(sum / count);
}

static uint32_t count_closures(const cairn_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) { count += graph->factors[i].kind == CAIRN_FACTOR_CLOSURE; }
    return count;
}

// A copy of the clean graph, with wrong closures after its own, so that of all this part is wrong.
static cairn_err spoil(workshop *w, double part, uint64_t seed, cairn_graph **ret_graph)
{
    const uint32_t wrong_count = (uint32_t)lround(count_closures(w->clean) * part / (1 - part));
    cairn_graph_def def = w->clean->def;
    def.factors_max = w->clean->factor_count + wrong_count;
    cairn_err err = cairn_graph_create(&def, &w->memory, ret_graph);
    for (uint32_t i = 0; i < w->clean->node_count && err == CAIRN_OK; i++) {
        err = cairn_graph_add_node(*ret_graph, &w->clean->nodes[i], NULL);
    }
    for (uint32_t i = 0; i < w->clean->factor_count && err == CAIRN_OK; i++) {
        err = cairn_graph_add_factor(*ret_graph, &w->clean->factors[i], NULL);
    }
    cairn_random random;
    cairn_random_init(&random, seed, "bench/wrong closures");
    while ((*ret_graph)->factor_count < def.factors_max && err == CAIRN_OK) {
        cairn_factor wrong = w->clean->factors[0]; // for its information
        wrong.kind = CAIRN_FACTOR_CLOSURE;
        wrong.from = cairn_random_below(&random, w->clean->node_count);
        wrong.to = cairn_random_below(&random, w->clean->node_count);
        wrong.measured = (cairn_graph_pose){{cairn_random_between(&random, -WRONG_REACH_M, WRONG_REACH_M),
                                             cairn_random_between(&random, -WRONG_REACH_M, WRONG_REACH_M),
                                             cairn_random_between(&random, -CAIRN_PI, CAIRN_PI)}};
        if (wrong.from != wrong.to) { err = cairn_graph_add_factor(*ret_graph, &wrong, NULL); }
    }
    return err;
}

// Whether the clean graph has this closure.
static bool is_right(const workshop *w, const cairn_factor *closure)
{
    for (uint32_t i = 0; i < w->clean->factor_count; i++) {
        const cairn_factor *f = &w->clean->factors[i];
        if (f->from != closure->from || f->to != closure->to) { continue; }
        double apart = 0;
        for (int k = 0; k < 2; k++) { apart = fmax(apart, fabs(f->measured.v[k] - closure->measured.v[k])); }
        apart = fmax(apart, fabs(cairn_angle_between(f->measured.v[2], closure->measured.v[2])));
        if (apart < 1e-3) { return true; }
    }
    return false;
}

static cairn_err solve_and_say(workshop *w, const char *subject, cairn_graph *graph)
{
    const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    cairn_consensus_solve_info info;
    const int64_t started_ns = cairn_thread_cpu_ns();
    const cairn_err err = cairn_consensus_solve(&def, graph, &w->memory, &info);
    if (err != CAIRN_OK) { return err; }
    const double seconds = 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns);
    uint32_t refused_wrong = 0, refused_right = 0, kept_wrong = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->kind != CAIRN_FACTOR_CLOSURE) { continue; }
        const bool right = is_right(w, factor), refused = !(factor->weight > 0);
        refused_wrong += refused && !right;
        refused_right += refused && right;
        kept_wrong += !refused && !right;
    }
    say(w, subject, "ATE, of the clean graph's", "-", ate_m(graph, w->truth) / w->clean_ate_m);
    if (refused_wrong + refused_right > 0) {
        say(w, subject, "precision of refused", "-", (double)refused_wrong / (refused_wrong + refused_right));
    }
    if (refused_wrong + kept_wrong > 0) {
        say(w, subject, "recall of refused", "-", (double)refused_wrong / (refused_wrong + kept_wrong));
    }
    say(w, subject, "processor time", "s", seconds);
    return CAIRN_OK;
}

static cairn_err measure_clean(workshop *w)
{
    const cairn_batch_def def = cairn_batch_def_default();
    cairn_batch *batch;
    cairn_batch_info info;
    cairn_err err = cairn_batch_create(&def, w->clean, &w->memory, &batch);
    if (err == CAIRN_OK) { err = cairn_batch_run(batch, w->clean, def.iterations_max, &info); }
    if (err != CAIRN_OK) { return err; }
    w->clean_ate_m = ate_m(w->clean, w->truth);
    say(w, "manhattanOlson3500, clean", "ATE", "m", w->clean_ate_m);
    return CAIRN_OK;
}

static cairn_err measure_added(workshop *w)
{
    static const struct {
        const char *subject;
        double part;
    } cases[] = {{"manhattanOlson3500, 10 % wrong", 0.1},
                 {"manhattanOlson3500, 50 % wrong", 0.5},
                 {"manhattanOlson3500, 80 % wrong", 0.8}};
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && err == CAIRN_OK; i++) {
        cairn_graph *graph;
        cairn_arena_reset(&w->memory, 0);
        err = spoil(w, cases[i].part, SEED, &graph);
        if (err == CAIRN_OK) { err = solve_and_say(w, cases[i].subject, graph); }
    }
    return err;
}

static cairn_err measure_seeds(workshop *w)
{
    const cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    double worst = 0;
    for (uint64_t seed = SEEDS_FIRST; seed < SEEDS_FIRST + SEEDS_COUNT; seed++) {
        cairn_graph *graph;
        cairn_consensus_solve_info info;
        cairn_arena_reset(&w->memory, 0);
        cairn_err err = spoil(w, 0.8, seed, &graph);
        if (err == CAIRN_OK) { err = cairn_consensus_solve(&def, graph, &w->memory, &info); }
        if (err != CAIRN_OK) { return err; }
        worst = fmax(worst, ate_m(graph, w->truth) / w->clean_ate_m);
    }
    say(w, "manhattanOlson3500, 80 % wrong, ten seeds", "worst ATE, of the clean graph's", "-", worst);
    return CAIRN_OK;
}

static cairn_err measure_files(workshop *w)
{
    static const char *const names[] = {"outliers-maxmix-n100-grp10", "outliers-maxmix-n1000-local",
                                        "outliers-maxmix-n1000-random"};
    cairn_err err = CAIRN_OK;
    const size_t mark = cairn_arena_mark(&w->graphs);
    for (size_t i = 0; i < sizeof names / sizeof names[0] && err == CAIRN_OK; i++) {
        char file[120];
        cairn_graph *graph;
        (void)snprintf(file, sizeof file, "%s-manhattanOlson3500.g2o.xz", names[i]);
        cairn_arena_reset(&w->memory, 0);
        err = open_graph(w, file, &graph);
        if (err == CAIRN_OK) { err = solve_and_say(w, names[i], graph); }
        cairn_arena_reset(&w->graphs, mark);
    }
    return err;
}

typedef cairn_err (*start_fn)(cairn_graph *graph, cairn_arena *scratch);

static cairn_err by_odometry(cairn_graph *graph, cairn_arena *scratch)
{
    return cairn_graph_chain(graph, NULL, scratch);
}

static cairn_err by_trees(cairn_graph *graph, cairn_arena *scratch)
{
    const cairn_trees_def def = cairn_trees_def_default();
    return cairn_trees_place(&def, graph, scratch, NULL);
}

static cairn_err by_chords(cairn_graph *graph, cairn_arena *scratch)
{
    const cairn_chordal_def def = cairn_chordal_def_default();
    const cairn_err err = by_trees(graph, scratch);
    return err == CAIRN_OK ? cairn_chordal_place(&def, graph, scratch, NULL) : err;
}

// Extra noise on turns: from where does a solver still find its way?
static cairn_err measure_starts(workshop *w)
{
    static const char *const names[] = {"M3500a", "M3500c"};
    static const struct {
        const char *metric;
        start_fn place;
    } starts[] = {{"chi2 from odometry", by_odometry}, {"chi2 from trees", by_trees}, {"chi2 from chordal", by_chords}};
    const cairn_batch_def def = cairn_batch_def_default();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
            char file[40];
            cairn_graph *graph;
            cairn_batch *batch;
            cairn_batch_info info;
            (void)snprintf(file, sizeof file, "%s.g2o", names[i]);
            cairn_arena_reset(&w->graphs, 0);
            cairn_arena_reset(&w->memory, 0);
            cairn_err err = open_graph(w, file, &graph);
            if (err == CAIRN_OK) { err = starts[k].place(graph, &w->memory); }
            if (err == CAIRN_OK) { err = cairn_batch_create(&def, graph, &w->memory, &batch); }
            if (err == CAIRN_OK) { err = cairn_batch_run(batch, graph, def.iterations_max, &info); }
            if (err != CAIRN_OK) { return err; }
            say(w, names[i], starts[k].metric, "-", info.chi2_after);
        }
    }
    return CAIRN_OK;
}

cairn_err cairn_bench_slam_outliers(cairn_bench_report *report, cairn_complaints *complaints)
{
    if (!report->data) {
        cairn_bench_say_not(report, BENCH, "wrong closures", "no --data DIR with graphs");
        return CAIRN_OK;
    }
    workshop w = {.report = report, .complaints = complaints};
    cairn_err err = cairn_arena_create(&w.graphs, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&w.memory, MEMORY_BYTES); }
    if (err == CAIRN_OK) { err = open_graph(&w, CLEAN, &w.clean); }
    if (err == CAIRN_OK && !read_truth(&w)) {
        cairn_complain(complaints, TRUTH, 0, "the truth of " CLEAN " is missing from DIR/graphs, or too short");
        err = CAIRN_ERR_NOT_FOUND;
    }
    if (err == CAIRN_OK) { err = measure_clean(&w); }
    if (err == CAIRN_OK) { err = measure_added(&w); }
    if (err == CAIRN_OK) { err = measure_seeds(&w); }
    if (err == CAIRN_OK) { err = measure_files(&w); }
    if (err == CAIRN_OK) { err = measure_starts(&w); }
    cairn_arena_destroy(&w.graphs);
    cairn_arena_destroy(&w.memory);
    return err;
}
