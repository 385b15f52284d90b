// cairn graph optimize - the poses that fit all measurements of a graph best.
#include "base/clock.h"
#include "commands/command.h"
#include "commands/graph/graph.h"
#include "slam/solve/choose.h"
#include "slam/solve/consensus_solve.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "cairn graph optimize"

static const char usage[] =
    "usage: cairn graph optimize IN [-o OUT] [options]\n"
    "\n"
    "Finds the poses that fit all measurements of a pose graph best. IN is a file of g2o or TORO, in the plane or in "
    "space,\n"
    "plain or packed by gzip, bzip2 or xz, or a tar archive with such a file for each robot. The first node stays "
    "where it\n"
    "is, unless others are fixed or measured in the map.\n"
    "\n"
    "  -o OUT            write the graph with its best poses; TORO's format if the name ends in .graph, else g2o's\n"
    "  --init HOW        where to start: auto tries some until one ends well, cheap ones first, and tells which;\n"
    "                    file, odometry (chained), trees (spanning trees of least uncertainty), chordal\n"
    "                    (trees, then turns and positions by linear least squares), tree (of fewest\n"
    "                    factors, as g2o makes it), grow (outward, solved\n"
    "                    as it grows), grow-fine (in small steps), grow-back (from the far end): that one\n"
    "                    alone                                                                [auto]\n"
    "  --solver NAME     dogleg, lm (Levenberg-Marquardt) or gn (Gauss-Newton)                [dogleg]\n"
    "  --order NAME      of elimination: ours, exact (minimum degree), amd, colamd            [ours]\n"
    "  --robust NAME     none, huber, cauchy, geman, dcs, or gnc (graduated non-convexity): how\n"
    "                    little closures count that do not fit. They are started from the file and from\n"
    "                    odometry: trees, chordal and grow run through wrong closures. consensus: only\n"
    "                    who is borne out by others, with a start of its own, for graphs with many\n"
    "                    wrong closures                                                       [none]\n"
    "  --iterations N    at most, for each solve                                              [1000]\n"
    "  --ignore-unknown  solve without nodes and factors that are not known here (landmarks, mixtures of\n"
    "                    several places); without it a file with such is refused\n"
    "  --plot FILE       draw it from above, before and after (PNG)\n"
    "  --json            one object, for machines; chi2_after is of what was believed, chi2_refused of what was not\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn graph optimize intel.g2o -o best.g2o\n"
    "          cairn graph optimize outliers.g2o.xz --robust consensus --plot out.png\n";

typedef struct settings {
    const char *in, *out, *plot;
    cairn_choose_def choose;
    bool json, ignore_unknown;
} settings;

typedef struct result {
    uint32_t iterations;
    double chi2_before;              // of all
    double chi2_after, chi2_refused; // of what was believed in the end, and of what was not
    double total_s;
    cairn_batch_info info;
    cairn_robust_info robust;
    cairn_choose_info choose;             // unless consensus was asked for
    cairn_consensus_solve_info consensus; // if it was
} result;

static int64_t clock_ns(void) { return cairn_mono_now().ns; }

// Consensus makes its own start, and its solvers as it goes.
static cairn_err optimize_by_consensus(const settings *is, cairn_graph *graph, cairn_arena *scratch, result *r)
{
    cairn_consensus_solve_def def = cairn_consensus_solve_def_default();
    const cairn_consensus_solve_info *info = &r->consensus;
    def.batch = is->choose.batch;
    const cairn_err err = cairn_consensus_solve(&def, graph, scratch, &r->consensus);
    if (err != CAIRN_OK) { return err; }
    r->info = info->batch;
    r->iterations = info->iterations;
    r->robust = (cairn_robust_info){.round_count = info->round_count, .refused_count = info->refused_count};
    return CAIRN_OK;
}

static cairn_err optimize_from_starts(const settings *is, cairn_graph *graph, cairn_arena *scratch, result *r)
{
    const cairn_err err = cairn_choose_solve(&is->choose, graph, scratch, &r->choose);
    if (err != CAIRN_OK) { return err; }
    r->iterations = r->choose.iterations;
    r->info = r->choose.batch;
    r->robust = r->choose.robust;
    return CAIRN_OK;
}

// Of the factors that were refused (weight below one half, as robust.h counts them), or of the others.
static double chi2_of(const cairn_graph *graph, bool refused)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (!factor->is_gone && (factor->weight < 0.5f) == refused) { sum += cairn_factor_chi2(graph, i); }
    }
    return sum;
}

static cairn_err optimize(const settings *is, cairn_graph *graph, cairn_arena *scratch, cairn_complaints *complaints,
                          result *ret_result)
{
    result r = {.chi2_before = cairn_graph_chi2(graph)};
    const int64_t started_ns = clock_ns();
    const cairn_err err = is->choose.robust.kind == CAIRN_ROBUST_CONSENSUS
                              ? optimize_by_consensus(is, graph, scratch, &r)
                              : optimize_from_starts(is, graph, scratch, &r);
    if (err == CAIRN_ERR_INVALID) {
        cairn_complain(complaints, is->in, 0,
                       "its factors do not determine the nodes: some have too little information about them");
    }
    if (err != CAIRN_OK) { return err; }
    r.total_s = cairn_seconds(clock_ns() - started_ns);
    r.chi2_after = chi2_of(graph, false);
    r.chi2_refused = chi2_of(graph, true);
    *ret_result = r;
    return CAIRN_OK;
}

static void tell_consensus(const cairn_graph *graph, const cairn_consensus_solve_info *info)
{
    printf("  noise      ");
    if (info->noise.cycle_count == 0) {
        printf("as stated: no short cycles tell of it\n");
    } else {
        for (uint32_t k = 0; k < graph->def.degrees; k++) { printf("%s%.2f", k > 0 ? ", " : "", info->noise.scale[k]); }
        printf(" of what is stated (%s), by %u short cycles\n",
               graph->def.degrees == 3 ? "x, y, turn" : "x, y, z, turns", info->noise.cycle_count);
    }
    if (info->all_fit) {
        printf("  closures   all %u fit together\n", info->consensus.closure_count);
    } else if (info->refused_count == info->consensus.closure_count && info->refused_count > 0) {
        printf("  closures   none is borne out, so that odometry alone is left: it drifts by more than it states, or "
               "none\n"
               "             is right; --robust gnc weighs them by how they fit\n");
    }
}

static void tell_start(const cairn_choose_info *info)
{
    printf("  start      %s", cairn_start_name(info->chosen));
    for (uint32_t i = 0; i < info->try_count && info->try_count > 1; i++) {
        printf("%s %s %.6g", i == 0 ? ", the best of" : ",", cairn_start_name(info->tries[i].start),
               info->tries[i].cost);
    }
    printf("\n");
    if (info->wound_count > 0) {
        printf("  wound      %u loops are turned by a whole turn more than they measured: noise, or a wrong minimum\n",
               info->wound_count);
    }
}

static void tell(const settings *is, const cairn_graph *graph, const result *r)
{
    printf("%s: %u nodes, %u factors, %s\n", is->in, graph->node_count, graph->factor_count,
           graph->def.degrees == 3 ? "in the plane" : "in space");
    printf("  chi2       %.6g before, %.6f after%s\n", r->chi2_before, r->chi2_after,
           r->info.is_converged ? "" : " (not converged: more --iterations)");
    if (is->choose.robust.kind != CAIRN_ROBUST_NONE) {
        printf("  refused    %u closures, after %u weighings (%s); their chi2, not in the one above, is %.6g\n",
               r->robust.refused_count, r->robust.round_count, cairn_robust_kind_name(is->choose.robust.kind),
               r->chi2_refused);
    }
    if (is->choose.robust.kind == CAIRN_ROBUST_CONSENSUS) {
        tell_consensus(graph, &r->consensus);
    } else {
        tell_start(&r->choose);
    }
    printf("  steps      %u (%s), order %s, %llu numbers in the factor\n", r->iterations,
           cairn_solver_name(is->choose.batch.solver), cairn_ordering_name(is->choose.batch.ordering),
           (unsigned long long)r->info.l_nonzeros);
    printf("  time       %.4f s: order %.4f, structure %.4f, linearise %.4f, factor %.4f, solve %.4f\n", r->total_s,
           cairn_seconds(r->info.ordering_ns), cairn_seconds(r->info.structure_ns), cairn_seconds(r->info.linear_ns),
           cairn_seconds(r->info.factor_ns), cairn_seconds(r->info.solve_ns));
}

static void put_consensus(json_t *object, const cairn_graph *graph, const cairn_consensus_solve_info *info)
{
    json_t *scale = json_array();
    for (uint32_t k = 0; k < graph->def.degrees; k++) {
        (void)json_array_append_new(scale, json_real(info->noise.scale[k]));
    }
    (void)json_object_set_new(object, "noise_scale", scale);
    (void)json_object_set_new(object, "all_fit", json_boolean(info->all_fit));
}

static void put_starts(json_t *object, const cairn_choose_info *info)
{
    json_t *starts = json_array();
    for (uint32_t i = 0; i < info->try_count; i++) {
        const cairn_start_try *made = &info->tries[i];
        (void)json_array_append_new(starts, json_pack("{s:s, s:f, s:i, s:b}", "start", cairn_start_name(made->start),
                                                      "cost", made->cost, "iterations", (int)made->iterations,
                                                      "converged", (int)made->is_converged));
    }
    (void)json_object_set_new(object, "start", json_string(cairn_start_name(info->chosen)));
    (void)json_object_set_new(object, "starts", starts);
    (void)json_object_set_new(object, "chi2_expected", json_real(info->cost_expected));
    (void)json_object_set_new(object, "wound", json_integer((json_int_t)info->wound_count));
}

static void tell_json(const settings *is, const cairn_graph *graph, const result *r)
{
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:i, s:f, s:f, s:i, s:b, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:i, s:f}", "file",
        is->in, "degrees", (int)graph->def.degrees, "nodes", (int)graph->node_count, "edges", (int)graph->factor_count,
        "chi2_before", r->chi2_before, "chi2_after", r->chi2_after, "iterations", (int)r->iterations, "converged",
        (int)r->info.is_converged, "solver", cairn_solver_name(is->choose.batch.solver), "order",
        cairn_ordering_name(is->choose.batch.ordering), "robust", cairn_robust_kind_name(is->choose.robust.kind),
        "ordering_s", cairn_seconds(r->info.ordering_ns), "structure_s", cairn_seconds(r->info.structure_ns),
        "linearise_s", cairn_seconds(r->info.linear_ns), "factor_s", cairn_seconds(r->info.factor_ns), "solve_s",
        cairn_seconds(r->info.solve_ns), "total_s", r->total_s, "l_nonzeros", (json_int_t)r->info.l_nonzeros, "refused",
        (int)r->robust.refused_count, "chi2_refused", r->chi2_refused);
    if (object != NULL) {
        is->choose.robust.kind == CAIRN_ROBUST_CONSENSUS ? put_consensus(object, graph, &r->consensus)
                                                         : put_starts(object, &r->choose);
    }
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static cairn_err draw(const settings *is, const cairn_graph *graph, const cairn_graph_pose *before, const result *r,
                      cairn_complaints *complaints)
{
    char title[160];
    const char *name = strrchr(is->in, '/');
    (void)snprintf(title, sizeof title, "%.60s: %u nodes, chi2 %.4g to %.6g", name ? name + 1 : is->in,
                   graph->node_count, r->chi2_before, r->chi2_after);
    return cairn_graph_plot(graph, before, title, is->plot, complaints);
}

// Of a start that was asked for and does not go with what else was.
static void warn_of_start(const settings *is)
{
    const cairn_start_kind only = is->choose.only;
    if (is->choose.robust.kind == CAIRN_ROBUST_CONSENSUS && only != CAIRN_START_KIND_COUNT) {
        fprintf(stderr, COMMAND ": --robust consensus has a start of its own; --init is not read\n");
    } else if (is->choose.robust.kind != CAIRN_ROBUST_NONE && only >= CAIRN_START_TREES &&
               only < CAIRN_START_KIND_COUNT) {
        fprintf(stderr,
                COMMAND ": --init %s runs through closures that --robust doubts; --init auto starts without them\n",
                cairn_start_name(only));
    }
}

static cairn_err run(const settings *is, cairn_arena *arena, cairn_arena *scratch, cairn_complaints *complaints)
{
    cairn_graph *graph;
    result r;
    cairn_err err = cairn_graph_open(COMMAND, is->in, is->ignore_unknown, arena, complaints, &graph);
    if (err != CAIRN_OK) { return err; }
    cairn_graph_pose *before = CAIRN_TAKE(arena, cairn_graph_pose, graph->node_count);
    if (!before) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < graph->node_count; i++) { before[i] = graph->nodes[i].pose; }
    warn_of_start(is);
    err = optimize(is, graph, scratch, complaints, &r);
    if (err != CAIRN_OK) { return err; }
    (is->json ? tell_json : tell)(is, graph, &r);
    if (is->out) { err = cairn_g2o_write(is->out, graph, complaints); }
    if (err == CAIRN_OK && is->plot) { err = draw(is, graph, before, &r, complaints); }
    return err;
}

// Turns words into kinds; false after having said what is wrong.
static bool understand(settings *is, const char *init, const char *solver, const char *order, const char *robust)
{
    cairn_robust_kind kind;
    if (cairn_solver_find(solver, &is->choose.batch.solver) != CAIRN_OK) {
        (void)cairn_usage_error(COMMAND, "--solver wants dogleg, lm or gn, not '%s'", solver);
        return false;
    }
    if (cairn_ordering_find(order, &is->choose.batch.ordering) != CAIRN_OK) {
        (void)cairn_usage_error(COMMAND, "--order wants ours, exact, amd or colamd, not '%s'", order);
        return false;
    }
    if (cairn_robust_kind_find(robust, &kind) != CAIRN_OK) {
        (void)cairn_usage_error(COMMAND, "--robust wants none, huber, cauchy, geman, dcs, gnc or consensus, not '%s'",
                                robust);
        return false;
    }
    is->choose.robust = cairn_robust_def_default(kind);
    if (strcmp(init, "auto") != 0 && cairn_start_find(init, &is->choose.only) != CAIRN_OK) {
        (void)cairn_usage_error(
            COMMAND, "--init wants auto, file, odometry, trees, chordal, tree, grow, grow-fine or grow-back, not '%s'",
            init);
        return false;
    }
    return true;
}

int cairn_graph_optimize_run(int argc, char **argv)
{
    settings is = {.choose = cairn_choose_def_default()};
    const char *solver = cairn_solver_name(is.choose.batch.solver), *order = "ours", *robust = "none", *init = "auto";
    uint64_t iterations = is.choose.batch.iterations_max;
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &is.out, 0, 0},
        {"init", CAIRN_OPTION_TEXT, &init, 0, 0},
        {"solver", CAIRN_OPTION_TEXT, &solver, 0, 0},
        {"order", CAIRN_OPTION_TEXT, &order, 0, 0},
        {"robust", CAIRN_OPTION_TEXT, &robust, 0, 0},
        {"iterations", CAIRN_OPTION_COUNT, &iterations, 1, 1e6},
        {"plot", CAIRN_OPTION_TEXT, &is.plot, 0, 0},
        {"json", CAIRN_OPTION_FLAG, &is.json, 0, 0},
        {"ignore-unknown", CAIRN_OPTION_FLAG, &is.ignore_unknown, 0, 0},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &is.in, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "expected the file of a pose graph"); }
    if (!understand(&is, init, solver, order, robust)) { return CAIRN_EXIT_USAGE; }
    is.choose.batch.iterations_max = (uint32_t)iterations;
    is.choose.batch.now_ns = clock_ns;
    static cairn_complaints complaints; // large
    cairn_arena arena = {0}, scratch = {0};
    cairn_err err = cairn_arena_create(&arena, CAIRN_GRAPH_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&scratch, CAIRN_GRAPH_MEMORY_BYTES); }
    if (err == CAIRN_OK) { err = run(&is, &arena, &scratch, &complaints); }
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&arena);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
