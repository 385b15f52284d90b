// Each try leaves its poses and weights in the graph; the best so far are kept beside it. The solver is made once:
// where nodes start does not change the structure of its factor.
#include "slam/solve/choose.h"
#include "slam/graph/chain.h"
#include "slam/solve/grow.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#include "slam/start/wound.h"
#include <math.h>
#include <string.h>

#define TRY_ITERATIONS 20u   // from good starts two to fourteen were needed, on all public graphs that we have
#define ITERATIONS_MAX 1000u // for the best of them
#define FINE_GROWTH 1.02     // [-] of the fine ones; nodes come one by one at first
#define DEVIATIONS_MAX 4.0   // [-] chi2 may lie so far above what is expected
#define SAME_COST 1e-6       // [-] part by which the costs of one minimum differ, found from two sides
#define COST_MIN 1e-6        // [-] expected where no factor is left over; rounding of files

static const char *const names[CAIRN_START_KIND_COUNT] = {"file", "odometry", "trees",     "chordal",
                                                          "tree", "grow",     "grow-fine", "grow-back"};

// Good and cheap ones first. Each has graphs on which it alone is good.
static const cairn_start_kind plain_order[] = {CAIRN_START_FILE,      CAIRN_START_GROW,      CAIRN_START_TREE,
                                               CAIRN_START_GROW_FINE, CAIRN_START_GROW_BACK, CAIRN_START_CHORDAL,
                                               CAIRN_START_TREES,     CAIRN_START_ODOMETRY};
static const cairn_start_kind robust_order[] = {CAIRN_START_FILE, CAIRN_START_ODOMETRY, CAIRN_START_GROW,
                                                CAIRN_START_TREES};

typedef struct choice {
    const cairn_choose_def *def;
    cairn_graph *graph;
    cairn_arena *scratch;
    cairn_batch *batch;
    cairn_graph_pose *file, *best; // poses
    float *best_weights;
    cairn_start_try best_try;
    cairn_robust_info best_robust;
    double best_chi2; // with weights
    bool has_best;
    uint32_t run_iterations; // of the last start
    cairn_choose_info info;
} choice;

cairn_choose_def cairn_choose_def_default(void)
{
    cairn_choose_def def = {.batch = cairn_batch_def_default(),
                            .robust = cairn_robust_def_default(CAIRN_ROBUST_NONE),
                            .try_iterations = TRY_ITERATIONS,
                            .only = CAIRN_START_KIND_COUNT};
    def.batch.iterations_max = ITERATIONS_MAX;
    return def;
}

const char *cairn_start_name(cairn_start_kind kind)
{
    CAIRN_ASSERT((unsigned)kind < CAIRN_START_KIND_COUNT);
    return names[kind];
}

cairn_err cairn_start_find(const char *name, cairn_start_kind *ret_kind)
{
    CAIRN_ASSERT(name != NULL && ret_kind != NULL);
    for (unsigned i = 0; i < CAIRN_START_KIND_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret_kind = (cairn_start_kind)i;
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_NOT_FOUND;
}

static bool is_robust(const choice *c) { return c->def->robust.kind != CAIRN_ROBUST_NONE; }

static cairn_err place_by_trees(choice *c)
{
    const cairn_trees_def def = cairn_trees_def_default();
    return cairn_trees_place(&def, c->graph, c->scratch, NULL);
}

static cairn_err place_by_growth(choice *c, cairn_start_kind kind)
{
    cairn_grow_def def = cairn_grow_def_default();
    def.ordering = c->def->batch.ordering;
    if (kind == CAIRN_START_TREE) { def.nodes_new = UINT32_MAX; } // all at once
    if (kind == CAIRN_START_GROW_FINE || kind == CAIRN_START_GROW_BACK) { def.growth = FINE_GROWTH, def.nodes_new = 1; }
    def.from_far = kind == CAIRN_START_GROW_BACK;
    cairn_grow_info info = {0};
    const cairn_err err = cairn_grow_place(&def, c->graph, c->scratch, &info);
    c->run_iterations += info.iterations;
    return err;
}

static cairn_err place(choice *c, cairn_start_kind kind)
{
    const cairn_chordal_def chordal = cairn_chordal_def_default();
    for (uint32_t i = 0; i < c->graph->node_count; i++) { c->graph->nodes[i].pose = c->file[i]; }
    switch (kind) {
    case CAIRN_START_ODOMETRY: return cairn_graph_chain(c->graph, NULL, c->scratch);
    case CAIRN_START_TREES: return place_by_trees(c);
    case CAIRN_START_CHORDAL: {
        const cairn_err err = place_by_trees(c);
        return err == CAIRN_OK ? cairn_chordal_place(&chordal, c->graph, c->scratch, NULL) : err;
    }
    case CAIRN_START_TREE:
    case CAIRN_START_GROW:
    case CAIRN_START_GROW_FINE:
    case CAIRN_START_GROW_BACK: return place_by_growth(c, kind);
    case CAIRN_START_FILE:
    case CAIRN_START_KIND_COUNT: break;
    }
    return CAIRN_OK;
}

// The solver that the robust layer calls again and again, counting its steps.
static cairn_err solve_counting(void *context, cairn_graph *graph, uint32_t iterations_max)
{
    choice *c = context;
    const uint32_t most = iterations_max < c->def->batch.iterations_max ? iterations_max : c->def->batch.iterations_max;
    const cairn_err err = cairn_batch_run(c->batch, graph, most, &c->info.batch);
    c->run_iterations += c->info.batch.iterations;
    return err;
}

static cairn_err run_solver(choice *c, uint32_t iterations_max)
{
    if (!is_robust(c)) { return solve_counting(c, c->graph, iterations_max); }
    return cairn_robust_solve(&c->def->robust, c->graph, &(cairn_weighted_solver){solve_counting, c}, &c->info.robust);
}

// What right factors cost with the noise that they state: one for each number that was measured, less those that had to
// be found. Numbers of no information are not measured.
static double expected_cost(const choice *c)
{
    const cairn_graph *graph = c->graph;
    const uint32_t degrees = graph->def.degrees;
    double count = -(double)degrees * (graph->node_count - c->info.batch.nodes_held);
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        for (uint32_t k = 0, at = 0; k < degrees && !factor->is_gone; at += degrees - k, k++) {
            count += factor->information[at] > 0;
        }
    }
    return fmax(count, 0);
}

static double cost_of(const choice *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->graph->factor_count; i++) {
        const cairn_factor *factor = &c->graph->factors[i];
        if (factor->is_gone) { continue; }
        const double chi2 = cairn_factor_chi2(c->graph, i);
        sum += factor->kind == CAIRN_FACTOR_ODOMETRY || !is_robust(c)
                   ? chi2
                   : cairn_robust_cost(c->def->robust.kind, chi2, c->info.robust.chi2_bound);
    }
    return sum;
}

// Starts that are much alike come to the same without telling anything. A robust kernel's first rounds take that away.
static bool is_alike(const choice *c, cairn_start_kind a, cairn_start_kind b)
{
    static const uint8_t families[CAIRN_START_KIND_COUNT] = {
        [CAIRN_START_FILE] = 0, [CAIRN_START_ODOMETRY] = 0, [CAIRN_START_TREES] = 1,     [CAIRN_START_CHORDAL] = 1,
        [CAIRN_START_TREE] = 2, [CAIRN_START_GROW] = 3,     [CAIRN_START_GROW_FINE] = 3, [CAIRN_START_GROW_BACK] = 4};
    return !is_robust(c) && families[a] == families[b];
}

// Whether this start and an earlier one came to the same, from different sides.
static bool is_borne_out(const choice *c, const cairn_start_try *made)
{
    for (uint32_t i = 0; i + 1 < c->info.try_count; i++) {
        const double apart = fabs(c->info.tries[i].cost - made->cost);
        if (is_alike(c, c->info.tries[i].start, made->start)) { continue; }
        if (apart <= SAME_COST * made->cost && made->cost <= c->best_try.cost * (1 + SAME_COST)) { return true; }
    }
    return false;
}

static bool is_good(const choice *c, const cairn_start_try *made)
{
    const double expected = c->info.cost_expected;
    if (made->is_converged && is_borne_out(c, made)) { return true; }
    return made->is_converged && made->wound_count == 0 &&
           made->cost <= expected + DEVIATIONS_MAX * sqrt(2 * expected) + COST_MIN;
}

static void keep_if_better(choice *c, const cairn_start_try *made)
{
    if (c->has_best && !(made->cost < c->best_try.cost * (1 - SAME_COST))) { return; }
    c->has_best = true;
    c->best_try = *made;
    c->best_robust = c->info.robust;
    c->best_chi2 = c->info.batch.chi2_after;
    for (uint32_t i = 0; i < c->graph->node_count; i++) { c->best[i] = c->graph->nodes[i].pose; }
    for (uint32_t i = 0; i < c->graph->factor_count; i++) { c->best_weights[i] = c->graph->factors[i].weight; }
}

static cairn_err look(choice *c, cairn_start_try *made)
{
    made->cost = cost_of(c);
    made->is_converged = c->info.batch.is_converged;
    return is_robust(c) ? CAIRN_OK : cairn_wound_count(c->graph, c->scratch, &made->wound_count);
}

static cairn_err try_start(choice *c, cairn_start_kind kind, uint32_t iterations_max)
{
    CAIRN_ASSERT(kind < CAIRN_START_KIND_COUNT && c->info.try_count < CAIRN_START_KIND_COUNT);
    cairn_start_try made = {.start = kind};
    c->run_iterations = 0;
    cairn_err err = place(c, kind);
    if (err == CAIRN_OK) { err = run_solver(c, iterations_max); }
    if (err != CAIRN_OK) { return err; }
    err = look(c, &made);
    made.iterations = c->run_iterations;
    c->info.iterations += c->run_iterations;
    c->info.cost_expected = expected_cost(c);
    c->info.tries[c->info.try_count++] = made;
    if (err == CAIRN_OK) { keep_if_better(c, &made); }
    return err;
}

// From the best to convergence.
static cairn_err finish(choice *c)
{
    CAIRN_ASSERT(c->has_best);
    for (uint32_t i = 0; i < c->graph->node_count; i++) { c->graph->nodes[i].pose = c->best[i]; }
    for (uint32_t i = 0; i < c->graph->factor_count; i++) { c->graph->factors[i].weight = c->best_weights[i]; }
    c->run_iterations = 0;
    c->info.chosen = c->best_try.start;
    c->info.robust = c->best_robust;
    c->info.wound_count = c->best_try.wound_count;
    if (c->best_try.is_converged) {
        c->info.batch.is_converged = true;
        c->info.batch.chi2_after = c->best_chi2;
        return CAIRN_OK;
    }
    cairn_err err = solve_counting(c, c->graph, c->def->batch.iterations_max);
    c->info.iterations += c->run_iterations;
    cairn_start_try made = c->best_try;
    if (err == CAIRN_OK) { err = look(c, &made); }
    c->info.wound_count = made.wound_count;
    return err;
}

static cairn_err choose(choice *c)
{
    if (c->def->only != CAIRN_START_KIND_COUNT) {
        const cairn_err err = try_start(c, c->def->only, c->def->batch.iterations_max);
        return err == CAIRN_OK ? finish(c) : err;
    }
    const cairn_start_kind *order = is_robust(c) ? robust_order : plain_order;
    const size_t count = is_robust(c) ? sizeof robust_order / sizeof *order : sizeof plain_order / sizeof *order;
    for (size_t i = 0; i < count; i++) {
        const cairn_err err = try_start(c, order[i], c->def->try_iterations);
        if (err == CAIRN_ERR_INVALID) { continue; } // part of a graph may be open where the whole is not
        if (err != CAIRN_OK) { return err; }
        if (is_good(c, &c->info.tries[c->info.try_count - 1])) { break; }
    }
    return c->has_best ? finish(c) : CAIRN_ERR_INVALID;
}

cairn_err cairn_choose_solve(const cairn_choose_def *def, cairn_graph *graph, cairn_arena *scratch,
                             cairn_choose_info *ret_info)
{
    CAIRN_ASSERT(def != NULL && graph != NULL && scratch != NULL && ret_info != NULL);
    CAIRN_ASSERT(def->robust.kind != CAIRN_ROBUST_CONSENSUS && def->try_iterations > 0);
    const size_t mark = cairn_arena_mark(scratch);
    choice c = {.def = def, .graph = graph, .scratch = scratch};
    c.file = CAIRN_TAKE(scratch, cairn_graph_pose, graph->node_count + 1);
    c.best = CAIRN_TAKE(scratch, cairn_graph_pose, graph->node_count + 1);
    c.best_weights = CAIRN_TAKE(scratch, float, graph->factor_count + 1);
    cairn_err err = c.file && c.best && c.best_weights ? CAIRN_OK : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = cairn_batch_create(&def->batch, graph, scratch, &c.batch); }
    if (err == CAIRN_OK) {
        for (uint32_t i = 0; i < graph->node_count; i++) { c.file[i] = graph->nodes[i].pose; }
        err = choose(&c);
    }
    if (err == CAIRN_OK) { *ret_info = c.info; }
    cairn_arena_reset(scratch, mark);
    return err;
}
