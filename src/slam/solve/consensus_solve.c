// Closures that are left out are marked as gone while a solver works, so that they cost nothing in its structure: a
// thousand wrong ones, between random places, would make it nearly dense.
#include "slam/solve/consensus_solve.h"
#include "slam/closure/uncertain.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#include <math.h>

#define FEW_CLOSURES 20u // fewer do not tell how noisy a graph is
#define GROWTH_MAX 2.0   // [-] of chi2, by what is expected of right closures: a wrong group costs far more
#define VOTES_MAX 3u     // times that closures are voted on after a solve

typedef struct snapshot {
    cairn_graph_pose *poses;
    bool *is_in; // for each factor
    uint32_t in_count;
    double chi2;
} snapshot;

typedef struct work {
    const cairn_consensus_solve_def *def;
    cairn_graph *graph;
    cairn_arena *scratch;
    cairn_consensus *consensus;
    bool *is_closure; // for each factor: one that was there and may be wrong
    cairn_consensus_solve_info info;
} work;

cairn_consensus_solve_def cairn_consensus_solve_def_default(void)
{
    return (cairn_consensus_solve_def){.consensus = cairn_consensus_def_default(),
                                       .robust = cairn_robust_def_default(CAIRN_ROBUST_GNC),
                                       .batch = cairn_batch_def_default(),
                                       .probability = 0.9999,
                                       .rounds_max = 20,
                                       .guesses_max = 32};
}

static void leave_out_weightless(work *w)
{
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        if (w->is_closure[i]) { w->graph->factors[i].is_gone = w->graph->factors[i].weight < 0.5f; }
    }
}

static cairn_err find_start(work *w)
{
    const cairn_trees_def trees = cairn_trees_def_default();
    const cairn_chordal_def chordal = cairn_chordal_def_default();
    const cairn_err err = cairn_trees_place(&trees, w->graph, w->scratch, NULL);
    return err == CAIRN_OK ? cairn_chordal_place(&chordal, w->graph, w->scratch, NULL) : err;
}

// Solves with what is not left out, weighing it or by plain least squares.
static cairn_err solve(work *w, bool is_weighed)
{
    const size_t mark = cairn_arena_mark(w->scratch);
    cairn_batch *batch = NULL;
    cairn_err err = cairn_batch_create(&w->def->batch, w->graph, w->scratch, &batch);
    if (err == CAIRN_OK && is_weighed) {
        const cairn_weighted_solver solver = cairn_batch_weighted(batch);
        err = cairn_robust_solve(&w->def->robust, w->graph, &solver, &w->info.robust);
        if (err == CAIRN_OK) { w->info.batch = *cairn_batch_last(batch); }
    } else if (err == CAIRN_OK) {
        err = cairn_batch_run(batch, w->graph, w->def->batch.iterations_max, &w->info.batch);
    }
    w->info.iterations += w->info.batch.iterations;
    cairn_arena_reset(w->scratch, mark);
    return err;
}

// Each closure is in or out by its chi2 alone; among those that are out, only who has neighbours that bear it out,
// unless all may come. Returns how many changed.
static uint32_t judge(work *w, bool all_may_come)
{
    const double bound = cairn_chi2_quantile(w->graph->def.degrees, w->def->probability);
    uint32_t change_count = 0;
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        cairn_factor *factor = &w->graph->factors[i];
        if (!w->is_closure[i]) { continue; }
        const bool may_be_in = !factor->is_gone || all_may_come || cairn_consensus_agreements(w->consensus, i) > 0;
        const bool is_in = may_be_in && cairn_factor_chi2(w->graph, i) <= bound;
        change_count += is_in == factor->is_gone;
        factor->weight = is_in ? 1 : 0;
    }
    leave_out_weightless(w);
    return change_count;
}

static cairn_err judge_until_settled(work *w, bool all_may_come)
{
    w->info.is_settled = false;
    for (uint32_t round = 0; round < w->def->rounds_max && !w->info.is_settled; round++) {
        w->info.round_count++;
        w->info.is_settled = judge(w, all_may_come) == 0;
        const cairn_err err = solve(w, false);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

static uint32_t count_in(const work *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        count += w->is_closure[i] && !w->graph->factors[i].is_gone;
    }
    return count;
}

// From what is believed to what fits. Closures that nobody bears out come in last, and are voted on: poses bend for
// them.
static cairn_err settle(work *w)
{
    leave_out_weightless(w);
    cairn_err err = find_start(w);
    if (err == CAIRN_OK) { err = solve(w, true); }
    if (err == CAIRN_OK) { leave_out_weightless(w); }
    if (err == CAIRN_OK) { err = judge_until_settled(w, false); }
    if (err == CAIRN_OK) { err = judge_until_settled(w, true); }
    for (uint32_t i = 0; i < VOTES_MAX && err == CAIRN_OK; i++) {
        const uint32_t before = count_in(w);
        for (uint32_t f = 0; f < w->graph->factor_count; f++) {
            if (w->is_closure[f]) { w->graph->factors[f].is_gone = false; } // weights say who is in
        }
        cairn_consensus_vote(w->consensus);
        leave_out_weightless(w);
        if (count_in(w) == before) { break; }
        err = solve(w, false);
        if (err == CAIRN_OK) { err = judge_until_settled(w, false); }
    }
    return err;
}

static void keep(const work *w, snapshot *to)
{
    for (uint32_t i = 0; i < w->graph->node_count; i++) { to->poses[i] = w->graph->nodes[i].pose; }
    for (uint32_t i = 0; i < w->graph->factor_count; i++) { to->is_in[i] = !w->graph->factors[i].is_gone; }
    to->in_count = count_in(w);
    to->chi2 = cairn_graph_chi2(w->graph); // of what is in
}

static void take_back(work *w, const snapshot *from)
{
    for (uint32_t i = 0; i < w->graph->node_count; i++) { w->graph->nodes[i].pose = from->poses[i]; }
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        if (!w->is_closure[i]) { continue; }
        w->graph->factors[i].weight = from->is_in[i] ? 1 : 0;
        w->graph->factors[i].is_gone = !from->is_in[i];
    }
}

// Whether a guess made more closures fit, and for what as many right ones would cost: chi2 grows by its degrees for
// each, give or take four deviations. A wrong group can be made to fit too, but odometry pays for it.
static bool is_better(const work *w, const snapshot *before, uint32_t group)
{
    uint32_t size = 0, in_count = 0;
    for (uint32_t f = group; f != CAIRN_GRAPH_NONE; f = cairn_consensus_next(w->consensus, f)) {
        size++;
        in_count += !w->graph->factors[f].is_gone;
    }
    const uint32_t now_in = count_in(w);
    if (10 * in_count < 9 * size || now_in < before->in_count + in_count) { return false; }
    // Many graphs say that they are noisier than they are: what chi2 was for each degree before is what it may be now.
    const double each =
        before->in_count < FEW_CLOSURES ? 1 : fmin(before->chi2 / (w->graph->def.degrees * before->in_count), 1);
    const double degrees = (double)w->graph->def.degrees * (now_in - before->in_count);
    return cairn_graph_chi2(w->graph) <= before->chi2 + each * GROWTH_MAX * (degrees + 4 * sqrt(2 * degrees));
}

// Guesses groups that no chain reaches, or only a weak one, and keeps those that make things better.
static cairn_err try_guesses(work *w, snapshot *before)
{
    uint32_t group = 0;
    for (uint32_t i = 0; i < w->def->guesses_max; i++) {
        keep(w, before);
        if (cairn_consensus_guess(w->consensus, &group) != CAIRN_OK) { return CAIRN_OK; }
        const cairn_err err = settle(w);
        if (err != CAIRN_OK) { return err; }
        if (is_better(w, before, group)) {
            w->info.guessed_count++;
        } else {
            take_back(w, before);
        }
    }
    return CAIRN_OK;
}

static cairn_err run(work *w, snapshot *before)
{
    const cairn_consensus_def *def = &w->def->consensus;
    cairn_err err = cairn_consensus_create(def, w->graph, w->scratch, &w->consensus);
    if (err != CAIRN_OK) { return err; }
    cairn_consensus_spread(w->consensus, &w->info.consensus);
    err = settle(w);
    if (err == CAIRN_OK) { err = try_guesses(w, before); }
    if (err == CAIRN_OK) { w->info.refused_count = w->info.consensus.closure_count - count_in(w); }
    return err;
}

cairn_err cairn_consensus_solve(const cairn_consensus_solve_def *def, cairn_graph *graph, cairn_arena *scratch,
                                cairn_consensus_solve_info *ret_info)
{
    CAIRN_ASSERT(def->rounds_max > 0 && def->probability > 0 && def->probability < 1);
    const size_t mark = cairn_arena_mark(scratch);
    work w = {.def = def, .graph = graph, .scratch = scratch};
    w.is_closure = CAIRN_TAKE(scratch, bool, graph->factor_count + 1);
    snapshot before = {.poses = CAIRN_TAKE(scratch, cairn_graph_pose, graph->node_count + 1),
                       .is_in = CAIRN_TAKE(scratch, bool, graph->factor_count + 1)};
    if (!w.is_closure || !before.poses || !before.is_in) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        cairn_factor *factor = &graph->factors[i];
        w.is_closure[i] = !factor->is_gone && factor->kind == CAIRN_FACTOR_CLOSURE && factor->from != CAIRN_GRAPH_NONE;
        factor->weight = 1;
    }
    const cairn_err err = run(&w, &before);
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!w.is_closure[i]) { continue; }
        graph->factors[i].weight = err == CAIRN_OK && graph->factors[i].is_gone ? 0 : 1;
        graph->factors[i].is_gone = false;
    }
    if (err == CAIRN_OK) { *ret_info = w.info; }
    cairn_arena_reset(scratch, mark);
    return err;
}
