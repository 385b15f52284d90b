// Whom to believe is judged by the noise that was found (closure/noise.h). Robots that nothing joins yet lie anywhere
// beside each other, so a closure between them is not judged by their poses: only a group of closures joins them, the
// largest first.
//
// Votes by chains after each solve were tried and dropped: where headings are poor they refuse right groups, and with
// the noise known they refuse nothing else.
//
// Closures that are left out are marked as gone while a solver works, so that they cost nothing in its structure: a
// thousand wrong ones, between random places, would make it nearly dense.
#include "slam/solve/consensus_solve.h"
#include "slam/closure/uncertain.h"
#include "slam/start/chordal.h"
#include "slam/start/trees.h"
#include <math.h>
#include <string.h>

#define START_MAX 150.0 // [-] of the most that chi2 may be: sound graphs started at 70 times, spoiled ones from 256 on
#define GROWTH_MAX 2.0  // [-] of chi2, by what is expected of right closures: a wrong group costs far more

typedef struct snapshot {
    cairn_graph_pose *poses;
    bool *is_in; // for each factor
    uint32_t in_count;
    double chi2;
} snapshot;

typedef struct information {
    double upper[21];
} information;

typedef struct work {
    const cairn_consensus_solve_def *def;
    cairn_graph *graph;
    cairn_arena *scratch;
    cairn_consensus *consensus;
    information *stated; // of each factor
    uint32_t *parts;     // for each node, and the map: towards the name of what it hangs together with
    bool *is_candidate;  // for each factor
    bool *is_closure;    // for each factor: one that was there and may be wrong
    cairn_consensus_solve_info info;
} work;

cairn_consensus_solve_def cairn_consensus_solve_def_default(void)
{
    return (cairn_consensus_solve_def){.noise = cairn_noise_def_default(),
                                       .consensus = cairn_consensus_def_default(),
                                       .robust = cairn_robust_def_default(CAIRN_ROBUST_GNC),
                                       .batch = cairn_batch_def_default(),
                                       .probability = 0.9999,
                                       .rounds_max = 20,
                                       .guesses_max = 100};
}

static void leave_out_weightless(work *w)
{
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        if (w->is_closure[i]) { w->graph->factors[i].is_gone = w->graph->factors[i].weight < 0.5f; }
    }
}

static cairn_err place_by_trees(work *w)
{
    const cairn_trees_def trees = cairn_trees_def_default();
    return cairn_trees_place(&trees, w->graph, w->scratch, NULL);
}

static cairn_err place_by_turns(work *w) // from where trees have placed them
{
    const cairn_chordal_def chordal = cairn_chordal_def_default();
    return cairn_chordal_place(&chordal, w->graph, w->scratch, NULL);
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

static uint32_t find_part(uint32_t *parents, uint32_t node)
{
    while (parents[node] != node) { node = parents[node] = parents[parents[node]]; }
    return node;
}

static void join_parts(work *w, uint32_t factor)
{
    const cairn_factor *f = &w->graph->factors[factor];
    const uint32_t from = f->from == CAIRN_GRAPH_NONE ? w->graph->node_count : f->from;
    const uint32_t a = find_part(w->parts, from), b = find_part(w->parts, f->to);
    w->parts[a < b ? a : b] = a < b ? b : a;
}

static bool is_joined(const work *w, uint32_t closure)
{
    const cairn_factor *f = &w->graph->factors[closure];
    return find_part(w->parts, f->from) == find_part(w->parts, f->to);
}

// Joins what factors join that are not left out. What is measured in the map, or fixed there, is one part, whose name
// is the number of nodes.
static void find_parts(work *w)
{
    const cairn_graph *graph = w->graph;
    for (uint32_t i = 0; i <= graph->node_count; i++) { w->parts[i] = i; }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].is_fixed) { w->parts[i] = graph->node_count; }
    }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone) { join_parts(w, i); }
    }
}

// Each closure is in or out by its chi2 alone, between nodes whose places depend on each other; among those that are
// out, only who has neighbours that bear it out, unless all may come. Returns how many changed.
static uint32_t judge(work *w, double part, bool all_may_come)
{
    const double bound = part * cairn_chi2_quantile(w->graph->def.degrees, w->def->probability);
    uint32_t change_count = 0;
    find_parts(w);
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        cairn_factor *factor = &w->graph->factors[i];
        if (!w->is_closure[i]) { continue; }
        const bool may_be_in =
            is_joined(w, i) && (!factor->is_gone || all_may_come || cairn_consensus_agreements(w->consensus, i) > 0);
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
        w->info.is_settled = judge(w, 1, all_may_come) == 0;
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

// From poses near the answer to what fits. Closures that nobody bears out come in last.
static cairn_err settle(work *w)
{
    const cairn_err err = judge_until_settled(w, false);
    return err == CAIRN_OK ? judge_until_settled(w, true) : err;
}

// The same from what is believed alone.
static cairn_err settle_from_start(work *w)
{
    leave_out_weightless(w);
    cairn_err err = place_by_trees(w);
    if (err == CAIRN_OK) { err = place_by_turns(w); }
    if (err == CAIRN_OK) { err = solve(w, true); }
    leave_out_weightless(w);
    return err == CAIRN_OK ? settle(w) : err;
}

// With a group that is new. Where its nodes hang together, the map bends for it, if it can; else they need a start.
static cairn_err settle_guess(work *w, uint32_t group)
{
    find_parts(w);
    if (!is_joined(w, group)) { return settle_from_start(w); }
    leave_out_weightless(w);
    const cairn_err err = solve(w, false);
    return err == CAIRN_OK ? settle(w) : err;
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

// Whether more closures fit than before, and for what as many right ones would cost: chi2 grows by its degrees for
// each, give or take four deviations. Wrong ones can be made to fit too, but odometry pays for it.
static bool is_better(const work *w, const snapshot *before)
{
    const uint32_t now_in = count_in(w);
    if (now_in <= before->in_count) { return false; }
    const double degrees = (double)w->graph->def.degrees * (now_in - before->in_count);
    return cairn_graph_chi2(w->graph) <= before->chi2 + GROWTH_MAX * (degrees + 4 * sqrt(2 * degrees));
}

// Whether nearly all of a guess fits.
static bool is_guess_in(const work *w, uint32_t group)
{
    uint32_t size = 0, in_count = 0;
    for (uint32_t f = group; f != CAIRN_GRAPH_NONE; f = cairn_consensus_next(w->consensus, f)) {
        size++;
        in_count += !w->graph->factors[f].is_gone;
    }
    return 10 * in_count >= 9 * size;
}

// Lets closures back in that neighbours bear out and that do not fit by much: a map that gave way to other ones goes
// back for them, if all of it fits then.
static cairn_err regain(work *w, snapshot *before)
{
    static const double parts[] = {30, 10, 3}; // [-] of the bound
    keep(w, before);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        judge(w, parts[i], false);
        const cairn_err err = solve(w, false);
        if (err != CAIRN_OK) { return err; }
    }
    const cairn_err err = settle(w);
    if (err == CAIRN_OK && !is_better(w, before)) { take_back(w, before); }
    return err;
}

// Guesses groups that no chain reaches, or only a weak one, and keeps those that make things better. What was refused
// is tried again when others were kept since: they may hold what gave way.
static cairn_err try_guesses(work *w, snapshot *before)
{
    uint32_t group = 0, kept_count = 0;
    for (uint32_t i = 0; i < w->def->guesses_max; i++) {
        keep(w, before);
        if (cairn_consensus_guess(w->consensus, &group) != CAIRN_OK) {
            if (kept_count == 0) { return CAIRN_OK; }
            kept_count = 0;
            cairn_consensus_offer_again(w->consensus);
            continue;
        }
        const cairn_err err = settle_guess(w, group);
        if (err != CAIRN_OK) { return err; }
        if (is_guess_in(w, group) && is_better(w, before)) {
            w->info.guessed_count++;
            kept_count++;
        } else {
            take_back(w, before);
        }
    }
    return CAIRN_OK;
}

// Gives all factors, but those on one node, the noise that was found, of what is stated, within these bounds. 1 to 1:
// what is stated.
static void set_noise(work *w, double least, double most)
{
    cairn_noise noise = w->info.noise;
    for (uint32_t k = 0; k < 6; k++) { noise.scale[k] = fmin(fmax(noise.scale[k], least), most); }
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        cairn_factor *factor = &w->graph->factors[i];
        memcpy(factor->information, w->stated[i].upper, sizeof factor->information);
        if (factor->from == CAIRN_GRAPH_NONE) { continue; }
        cairn_noise_scale(&noise, w->graph->def.degrees, factor->information);
    }
}

// Noise has tails: in the end, what is within the noise that is stated may come, too, unless the map as it is now, by
// the noise that was found, contradicts it. Where the map is soft, such closures matter.
static cairn_err admit_tails(work *w)
{
    const double bound = cairn_chi2_quantile(w->graph->def.degrees, w->def->probability);
    set_noise(w, 1, INFINITY);
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        w->is_candidate[i] =
            w->is_closure[i] && w->graph->factors[i].is_gone && cairn_factor_chi2(w->graph, i) <= bound;
    }
    set_noise(w, 0, INFINITY);
    find_parts(w);
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        cairn_factor *factor = &w->graph->factors[i];
        if (!w->is_candidate[i] || !is_joined(w, i)) { continue; }
        factor->is_gone = cairn_consensus_is_contradicted(w->consensus, i, w->def->probability);
        factor->weight = factor->is_gone ? 0 : 1;
    }
    set_noise(w, 1, INFINITY);
    const cairn_err err = solve(w, false);
    return err == CAIRN_OK ? judge_until_settled(w, false) : err;
}

static void set_all_gone(work *w, bool is_gone)
{
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        if (w->is_closure[i]) { w->graph->factors[i].is_gone = is_gone; }
    }
}

// Whether a closure alone joins what would lie apart without it: that one fits whatever it says.
static bool has_bridge(work *w)
{
    set_all_gone(w, true);
    find_parts(w);
    for (uint32_t i = 0; i < w->graph->factor_count; i++) { // only the first to join two parts may be one
        w->is_candidate[i] = w->is_closure[i] && !is_joined(w, i);
        if (w->is_candidate[i]) { join_parts(w, i); }
    }
    set_all_gone(w, false);
    bool is_found = false;
    for (uint32_t i = 0; i < w->graph->factor_count && !is_found; i++) {
        if (!w->is_candidate[i]) { continue; }
        w->graph->factors[i].is_gone = true;
        find_parts(w);
        is_found = !is_joined(w, i);
        w->graph->factors[i].is_gone = false;
    }
    return is_found;
}

// What chi2 at the optimum is expected to be if nobody is wrong.
static double count_degrees(work *w)
{
    const cairn_graph *graph = w->graph;
    uint32_t factors = 0, unknown = 0;
    find_parts(w);
    for (uint32_t i = 0; i < graph->factor_count; i++) { factors += !graph->factors[i].is_gone; }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        unknown +=
            !graph->nodes[i].is_fixed && find_part(w->parts, i) != i; // a part that nothing holds has a free node
    }
    return factors > unknown ? (double)graph->def.degrees * (factors - unknown) : 0;
}

static bool is_each_within(const work *w)
{
    const double bound = cairn_chi2_quantile(w->graph->def.degrees, w->def->probability);
    for (uint32_t i = 0; i < w->graph->factor_count; i++) {
        if (w->is_closure[i] && cairn_factor_chi2(w->graph, i) > bound) { return false; }
    }
    return true;
}

// Whether all closures fit together, so that nobody needs to be judged. A start by trees tells most graphs with wrong
// ones, before a solve with all of them, which might be nearly dense.
static cairn_err try_all(work *w, bool *ret_fits)
{
    const double expected = count_degrees(w), most = GROWTH_MAX * (expected + 4 * sqrt(2 * expected));
    *ret_fits = false;
    if (has_bridge(w)) { return CAIRN_OK; }
    cairn_err err = place_by_trees(w);
    if (err != CAIRN_OK || cairn_graph_chi2(w->graph) > START_MAX * most) { return err; }
    err = place_by_turns(w);
    if (err == CAIRN_OK) { err = solve(w, false); }
    if (err == CAIRN_OK) { *ret_fits = cairn_graph_chi2(w->graph) <= most && is_each_within(w); }
    return err;
}

static cairn_err judge_all(work *w, snapshot *before)
{
    const cairn_consensus_def *def = &w->def->consensus;
    cairn_err err = cairn_consensus_create(def, w->graph, w->scratch, &w->consensus);
    if (err != CAIRN_OK) { return err; }
    cairn_consensus_spread(w->consensus, &w->info.consensus);
    err = settle_from_start(w);
    if (err == CAIRN_OK) { err = try_guesses(w, before); }
    return err == CAIRN_OK ? regain(w, before) : err;
}

// Who is right is judged by the noise that was found; the poses are those that fit what is stated, as all solvers have
// it.
static cairn_err run(work *w, snapshot *before)
{
    cairn_err err = cairn_noise_find(&w->def->noise, w->graph, w->scratch, &w->info.noise);
    if (err != CAIRN_OK) { return err; }
    set_noise(w, 0, INFINITY);
    w->info.consensus.closure_count = count_in(w);
    err = try_all(w, &w->info.all_fit);
    if (err == CAIRN_OK && !w->info.all_fit) { err = judge_all(w, before); }
    if (err == CAIRN_OK && !w->info.all_fit) { err = admit_tails(w); }
    if (err == CAIRN_OK) { w->info.refused_count = w->info.consensus.closure_count - count_in(w); }
    set_noise(w, 1, 1);
    return err == CAIRN_OK ? solve(w, false) : err;
}

cairn_err cairn_consensus_solve(const cairn_consensus_solve_def *def, cairn_graph *graph, cairn_arena *scratch,
                                cairn_consensus_solve_info *ret_info)
{
    CAIRN_ASSERT(def->rounds_max > 0 && def->probability > 0 && def->probability < 1);
    const size_t mark = cairn_arena_mark(scratch);
    work w = {.def = def, .graph = graph, .scratch = scratch};
    w.is_closure = CAIRN_TAKE(scratch, bool, graph->factor_count + 1);
    w.is_candidate = CAIRN_TAKE(scratch, bool, graph->factor_count + 1);
    w.parts = CAIRN_TAKE(scratch, uint32_t, graph->node_count + 1);
    w.stated = CAIRN_TAKE(scratch, information, graph->factor_count + 1);
    snapshot before = {.poses = CAIRN_TAKE(scratch, cairn_graph_pose, graph->node_count + 1),
                       .is_in = CAIRN_TAKE(scratch, bool, graph->factor_count + 1)};
    if (!w.is_closure || !w.is_candidate || !w.parts || !w.stated || !before.poses || !before.is_in) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        cairn_factor *factor = &graph->factors[i];
        w.is_closure[i] = !factor->is_gone && factor->kind == CAIRN_FACTOR_CLOSURE && factor->from != CAIRN_GRAPH_NONE;
        memcpy(w.stated[i].upper, factor->information, sizeof factor->information);
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
