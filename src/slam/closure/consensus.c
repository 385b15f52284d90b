// Belief is kept in cairn_factor.weight, which chains heed. Groups are found once: two closures are of one group if the
// short cycle (closure, odometry, closure, odometry) closes within its covariance. A group is named by one of its
// factors.
#include "slam/closure/consensus.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_ALIGN_BYTES 64u // of base/memory.h
#define NEIGHBOURS_MAX 64u    // nodes around an end of a closure
#define TURN_RAD_MAX 0.35     // deviation of a chain's turn beyond which positions do not follow it to first order
#define GUESS_PART 10.0       // [-] of the chi2 bound, within which a chain does not forbid a guess
#define ROUNDS_MAX 10000u     // of belief; each believes something new, so this is never met
#define VOTES_MAX 20u         // rounds of votes
#define WORST_PART 0.9        // [-] who is blamed this much of the worst is dropped with it; then votes are new

typedef struct neighbour {
    uint32_t node;
    cairn_uncertain end_T_node;
} neighbour;

struct cairn_consensus {
    cairn_consensus_def def;
    cairn_graph *graph;
    cairn_projection *projection;
    uint32_t *by_from; // closures, sorted by their first node, so that one search serves several
    uint32_t closure_count;
    // For each factor
    uint32_t *group_of;    // towards the group's name
    uint32_t *next_member; // from a group's name on, all of its closures
    uint32_t *agreements;  // neighbouring closures that bear it out
    // For each group, at its name
    uint32_t *group_sizes;
    uint32_t *praise, *blame;
    bool *is_contradicted; // by a chain: not looked at again
    bool *is_offered;      // as a guess
    bool *is_changed;      // for each node: chains from there may be new
    double chi2_bound;
    double window; // [m^n * turns] volume of what a wrong closure may say
    double chain_trace, pair_trace;
    uint32_t neighbour_count;
    neighbour neighbours[NEIGHBOURS_MAX];
    cairn_consensus_info info;
};

cairn_consensus_def cairn_consensus_def_default(void)
{
    return (cairn_consensus_def){.probability = 0.99,
                                 .chain_chance = 0.03,
                                 .group_chance = 1,
                                 .pair_chance = 0.1,
                                 .reach_steps = 6,
                                 .group_min = 2};
}

static bool is_closure(const cairn_factor *factor)
{
    return !factor->is_gone && factor->kind == CAIRN_FACTOR_CLOSURE && factor->from != CAIRN_GRAPH_NONE;
}

static bool is_believed(const cairn_consensus *c, uint32_t factor) { return c->graph->factors[factor].weight > 0; }

static double ball_volume(uint32_t degrees, double chi2_bound)
{
    const double radius = sqrt(chi2_bound);
    return degrees == 3 ? 4.0 / 3 * CAIRN_PI * pow(radius, 3) : pow(CAIRN_PI, 3) / 6 * pow(radius, 6);
}

// Chance that a wrong closure lies within the bound around what a cycle of this spread says.
static double chance_of(const cairn_consensus *c, const cairn_uncertain *cycle)
{
    const uint32_t degrees = c->graph->def.degrees;
    return ball_volume(degrees, c->chi2_bound) * cairn_uncertain_spread(degrees, cycle) / c->window;
}

// A round covariance of this trace agrees by that chance; a long one may have more trace for it, hence the 2.
static double trace_for(const cairn_consensus *c, double chance)
{
    const uint32_t degrees = c->graph->def.degrees;
    const double spread = chance * c->window / ball_volume(degrees, c->chi2_bound);
    return 2 * degrees * pow(spread, 2.0 / degrees);
}

static uint32_t find_group(uint32_t *group_of, uint32_t factor)
{
    while (group_of[factor] != factor) { factor = group_of[factor] = group_of[group_of[factor]]; }
    return factor;
}

static bool is_group(const cairn_consensus *c, uint32_t factor) { return c->group_of[factor] == factor; }

// What a factor says, walked from the end that is given.
static bool walk(const cairn_consensus *c, uint32_t factor, uint32_t from, cairn_uncertain *ret_step)
{
    const cairn_factor *f = &c->graph->factors[factor];
    if (cairn_uncertain_from_factor(c->graph->def.degrees, f, ret_step) != CAIRN_OK) { return false; }
    if (f->from != from) { *ret_step = cairn_uncertain_inverse(c->graph->def.degrees, ret_step); }
    return true;
}

// The cycle of a closure and another way between the same nodes; should be the identity.
static cairn_uncertain close_cycle(const cairn_consensus *c, const cairn_uncertain *closure,
                                   const cairn_uncertain *other_way)
{
    const cairn_uncertain back = cairn_uncertain_inverse(c->graph->def.degrees, closure);
    return cairn_uncertain_compose(c->graph->def.degrees, &back, other_way);
}

static void search_from(cairn_consensus *c, uint32_t node, const cairn_projection_reach *reach)
{
    const cairn_uncertain start = cairn_uncertain_identity(c->graph->def.degrees);
    cairn_projection_run(c->projection, c->graph, node, &start, reach);
}

static void look_around(cairn_consensus *c, uint32_t node)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = c->pair_trace;
    reach.odometry_only = true;
    search_from(c, node, &reach);
}

static void note_neighbours(cairn_consensus *c, uint32_t node)
{
    look_around(c, node);
    uint32_t count = 0;
    const uint32_t *order = cairn_projection_order(c->projection, &count);
    c->neighbour_count = count < NEIGHBOURS_MAX ? count : NEIGHBOURS_MAX;
    for (uint32_t i = 0; i < c->neighbour_count; i++) {
        c->neighbours[i] = (neighbour){order[i], *cairn_projection_of(c->projection, order[i])};
    }
}

// Whether closure b, from a neighbour of a's first node to one of its second (around which the last search was),
// agrees.
static bool is_agreed(const cairn_consensus *c, const cairn_uncertain *a, const neighbour *near, uint32_t b)
{
    const uint32_t degrees = c->graph->def.degrees;
    const cairn_factor *f = &c->graph->factors[b];
    const cairn_uncertain *to_T_far = cairn_projection_of(c->projection, f->from == near->node ? f->to : f->from);
    cairn_uncertain step;
    if (!to_T_far || !walk(c, b, near->node, &step)) { return false; }
    const cairn_uncertain far_T_to = cairn_uncertain_inverse(degrees, to_T_far);
    cairn_uncertain way = cairn_uncertain_compose(degrees, &near->end_T_node, &step);
    way = cairn_uncertain_compose(degrees, &way, &far_T_to);
    const cairn_uncertain cycle = close_cycle(c, a, &way);
    return cairn_uncertain_chi2(degrees, &cycle) <= c->chi2_bound && chance_of(c, &cycle) <= c->def.pair_chance;
}

static void join_groups(cairn_consensus *c, uint32_t a, uint32_t b)
{
    a = find_group(c->group_of, a);
    b = find_group(c->group_of, b);
    if (a == b) { return; }
    c->group_of[b] = a;
    c->group_sizes[a] += c->group_sizes[b];
}

static void group_closure(cairn_consensus *c, uint32_t a)
{
    const cairn_factor *closure = &c->graph->factors[a];
    cairn_uncertain from_T_to;
    if (!walk(c, a, closure->from, &from_T_to)) { return; }
    look_around(c, closure->to);
    for (uint32_t i = 0; i < c->neighbour_count; i++) {
        const uint32_t node = c->neighbours[i].node;
        for (uint32_t b = cairn_projection_next(c->projection, c->graph, node, CAIRN_GRAPH_NONE); b != CAIRN_GRAPH_NONE;
             b = cairn_projection_next(c->projection, c->graph, node, b)) {
            if (b == a || !is_closure(&c->graph->factors[b]) || !is_agreed(c, &from_T_to, &c->neighbours[i], b)) {
                continue;
            }
            c->agreements[a]++;
            join_groups(c, a, b);
        }
    }
}

static void find_groups(cairn_consensus *c)
{
    uint32_t last = CAIRN_GRAPH_NONE;
    for (uint32_t i = 0; i < c->closure_count; i++) {
        const uint32_t from = c->graph->factors[c->by_from[i]].from;
        if (from != last) { note_neighbours(c, from); }
        last = from;
        group_closure(c, c->by_from[i]);
    }
    for (uint32_t i = 0; i < c->closure_count; i++) {
        const uint32_t factor = c->by_from[i], group = find_group(c->group_of, factor);
        if (factor == group) { continue; }
        c->next_member[factor] = c->next_member[group];
        c->next_member[group] = factor;
    }
}

// Marks the nodes from where a newly believed closure may be part of a good chain.
static void believe(cairn_consensus *c, uint32_t factor)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = c->chain_trace;
    c->graph->factors[factor].weight = 1;
    search_from(c, c->graph->factors[factor].from, &reach);
    uint32_t count = 0;
    const uint32_t *order = cairn_projection_order(c->projection, &count);
    for (uint32_t i = 0; i < count; i++) { c->is_changed[order[i]] = true; }
}

static double turn_deviation_rad(const cairn_consensus *c, const cairn_uncertain *uncertain)
{
    const uint32_t degrees = c->graph->def.degrees;
    double variance = 0; // the largest, of the axes
    for (uint32_t k = degrees == 3 ? 2 : 3; k < degrees; k++) {
        variance = fmax(variance, uncertain->covariance[k * (degrees + 1)]);
    }
    return (degrees == 3 ? 1 : 2) * sqrt(variance); // in space a turn is half a rotation vector
}

// What the last search, from a closure's first node, says of it: the chance of agreement, infinite if there was no
// chain, or only one whose covariance means nothing. False: it is contradicted.
static bool is_borne_out(const cairn_consensus *c, uint32_t factor, double chi2_bound, double *ret_chance)
{
    const cairn_factor *closure = &c->graph->factors[factor];
    const cairn_uncertain *chain = cairn_projection_of(c->projection, closure->to);
    cairn_uncertain from_T_to;
    *ret_chance = INFINITY;
    if (!walk(c, factor, closure->from, &from_T_to)) { return false; }
    if (!chain) { return true; }
    const cairn_uncertain cycle = close_cycle(c, &from_T_to, chain);
    if (turn_deviation_rad(c, &cycle) > TURN_RAD_MAX) { return true; }
    *ret_chance = chance_of(c, &cycle);
    return cairn_uncertain_chi2(c->graph->def.degrees, &cycle) <= chi2_bound;
}

// Believes the closures that a good chain bears out, near where something changed. Returns how many are new.
static uint32_t believe_by_chains(cairn_consensus *c)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = c->chain_trace;
    uint32_t last = CAIRN_GRAPH_NONE, new_count = 0;
    bool is_looked_at = false, is_searched = false;
    for (uint32_t i = 0; i < c->closure_count; i++) {
        const uint32_t factor = c->by_from[i], from = c->graph->factors[factor].from;
        if (from != last) {
            is_looked_at = c->is_changed[from];
            is_searched = c->is_changed[from] = false;
            last = from;
        }
        if (is_believed(c, factor) || !is_looked_at) { continue; }
        if (!is_searched) { search_from(c, from, &reach); }
        double chance = 0;
        is_searched = true;
        if (!is_borne_out(c, factor, c->chi2_bound, &chance) || chance > c->def.chain_chance) { continue; }
        believe(c, factor);
        new_count++;
        is_searched = false; // what is believed now makes new chains
    }
    return new_count;
}

// The closure of a group that most others agree with, among those that are believed, or those that are not.
static uint32_t speaker_of(const cairn_consensus *c, uint32_t group, bool of_believed)
{
    uint32_t best = CAIRN_GRAPH_NONE;
    for (uint32_t factor = group; factor != CAIRN_GRAPH_NONE; factor = c->next_member[factor]) {
        if (is_believed(c, factor) != of_believed) { continue; }
        if (best == CAIRN_GRAPH_NONE || c->agreements[factor] > c->agreements[best]) { best = factor; }
    }
    return best;
}

// Searches for the best chain within a trace between the nodes of a group's speaker, and says what it says of it.
static bool ask_chain(cairn_consensus *c, uint32_t speaker, double trace_max, double chi2_bound, double *ret_chance)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = trace_max;
    reach.target = c->graph->factors[speaker].to;
    search_from(c, c->graph->factors[speaker].from, &reach);
    return is_borne_out(c, speaker, chi2_bound, ret_chance);
}

static void believe_group(cairn_consensus *c, uint32_t group)
{
    for (uint32_t factor = group; factor != CAIRN_GRAPH_NONE; factor = c->next_member[factor]) {
        if (!is_believed(c, factor)) { believe(c, factor); }
    }
    c->info.group_count++;
}

// Believes the groups whose chain is good enough for a group. False: there are none.
static bool believe_groups(cairn_consensus *c)
{
    const double trace_max = trace_for(c, c->def.group_chance);
    bool is_any = false;
    for (uint32_t i = 0; i < c->closure_count; i++) {
        const uint32_t group = c->by_from[i];
        if (!is_group(c, group) || c->group_sizes[group] < c->def.group_min || c->is_contradicted[group]) { continue; }
        const uint32_t speaker = speaker_of(c, group, false);
        if (speaker == CAIRN_GRAPH_NONE) { continue; }
        double chance = 0;
        c->is_contradicted[group] = !ask_chain(c, speaker, trace_max, c->chi2_bound, &chance);
        if (c->is_contradicted[group] || chance > c->def.group_chance) { continue; }
        believe_group(c, group);
        is_any = true;
    }
    return is_any;
}

// Takes what is believed of a group out of all chains (into `kept`, by giving it a negative weight), or puts it back.
static void hide_group(cairn_consensus *c, uint32_t group, bool is_hidden)
{
    for (uint32_t factor = group; factor != CAIRN_GRAPH_NONE; factor = c->next_member[factor]) {
        cairn_factor *f = &c->graph->factors[factor];
        if ((f->weight > 0) == is_hidden && f->weight != 0) { f->weight = -f->weight; }
    }
}

static void drop_group(cairn_consensus *c, uint32_t group)
{
    for (uint32_t factor = group; factor != CAIRN_GRAPH_NONE; factor = c->next_member[factor]) {
        c->graph->factors[factor].weight = 0;
    }
    c->is_contradicted[group] = true;
    c->info.dropped_count++;
}

// Votes on the cycle of a speaker and the chain that the last search found: for or against every group in it.
static void vote(cairn_consensus *c, uint32_t speaker, bool is_good)
{
    uint32_t *votes = is_good ? c->praise : c->blame;
    uint32_t last = find_group(c->group_of, speaker), node = c->graph->factors[speaker].to;
    votes[last]++;
    for (uint32_t by = cairn_projection_factor(c->projection, node); by != CAIRN_GRAPH_NONE;
         by = cairn_projection_factor(c->projection, node)) {
        const cairn_factor *f = &c->graph->factors[by];
        const uint32_t group = find_group(c->group_of, by);
        if (f->kind == CAIRN_FACTOR_CLOSURE && group != last) {
            votes[group]++;
            last = group;
        }
        node = f->from == node ? f->to : f->from;
    }
}

static void vote_group(cairn_consensus *c, uint32_t group)
{
    const uint32_t speaker = speaker_of(c, group, true);
    if (speaker == CAIRN_GRAPH_NONE) { return; }
    double chance = 0;
    hide_group(c, group, true);
    const bool is_good = ask_chain(c, speaker, INFINITY, c->chi2_bound, &chance);
    hide_group(c, group, false);
    // No chain at all says nothing, and a weak one that agrees too little for praise.
    if (isinf(chance) || (is_good && chance > c->def.group_chance)) { return; }
    vote(c, speaker, is_good);
}

static double blame_of(const cairn_consensus *c, uint32_t group)
{
    const double all = (double)c->praise[group] + c->blame[group];
    return all > 0 ? c->blame[group] / all : 0;
}

// Drops who is blamed most. Returns how many groups that are.
static uint32_t drop_by_votes(cairn_consensus *c)
{
    memset(c->praise, 0, c->graph->factor_count * sizeof *c->praise);
    memset(c->blame, 0, c->graph->factor_count * sizeof *c->blame);
    double worst = 0;
    for (uint32_t i = 0; i < c->closure_count; i++) {
        if (is_group(c, c->by_from[i])) { vote_group(c, c->by_from[i]); }
    }
    for (uint32_t i = 0; i < c->closure_count; i++) { worst = fmax(worst, blame_of(c, c->by_from[i])); }
    uint32_t dropped_count = 0;
    for (uint32_t i = 0; i < c->closure_count; i++) {
        const double blame = blame_of(c, c->by_from[i]);
        if (blame <= 0.5 || blame < WORST_PART * worst) { continue; }
        drop_group(c, c->by_from[i]);
        dropped_count++;
    }
    return dropped_count;
}

void cairn_consensus_spread(cairn_consensus *consensus, cairn_consensus_info *ret_info)
{
    cairn_consensus *c = consensus;
    c->info = (cairn_consensus_info){.closure_count = c->closure_count};
    for (uint32_t i = 0; i < c->graph->node_count; i++) { c->is_changed[i] = true; }
    do {
        c->info.round_count++;
    } while (c->info.round_count < ROUNDS_MAX && (believe_by_chains(c) > 0 || believe_groups(c)));
    for (uint32_t i = 0; i < VOTES_MAX && drop_by_votes(c) > 0; i++) {}
    for (uint32_t i = 0; i < c->closure_count; i++) { c->info.believed_count += is_believed(c, c->by_from[i]); }
    if (ret_info) { *ret_info = c->info; }
}

uint32_t cairn_consensus_agreements(const cairn_consensus *consensus, uint32_t factor)
{
    return consensus->agreements[factor];
}

uint32_t cairn_consensus_next(const cairn_consensus *consensus, uint32_t factor)
{
    return consensus->next_member[factor];
}

// Whether a group may be guessed: all of it is new, and nothing was said against it.
static bool is_guess(const cairn_consensus *c, uint32_t group)
{
    return is_group(c, group) && c->group_sizes[group] >= c->def.group_min && !c->is_contradicted[group] &&
           !c->is_offered[group] && speaker_of(c, group, true) == CAIRN_GRAPH_NONE;
}

cairn_err cairn_consensus_guess(cairn_consensus *consensus, uint32_t *ret_group)
{
    cairn_consensus *c = consensus;
    for (;;) {
        uint32_t largest = CAIRN_GRAPH_NONE;
        for (uint32_t i = 0; i < c->closure_count; i++) {
            const uint32_t group = c->by_from[i];
            if (!is_guess(c, group)) { continue; }
            if (largest == CAIRN_GRAPH_NONE || c->group_sizes[group] > c->group_sizes[largest]) { largest = group; }
        }
        if (largest == CAIRN_GRAPH_NONE) { return CAIRN_ERR_EMPTY; }
        c->is_offered[largest] = true;
        double chance = 0;
        const double veto = GUESS_PART * c->chi2_bound;
        if (!ask_chain(c, speaker_of(c, largest, false), INFINITY, veto, &chance)) { continue; }
        believe_group(c, largest);
        *ret_group = largest;
        return CAIRN_OK;
    }
}

bool cairn_consensus_is_contradicted(cairn_consensus *consensus, uint32_t factor, double probability)
{
    double chance = 0;
    const double chi2_bound = cairn_chi2_quantile(consensus->graph->def.degrees, probability);
    return !ask_chain(consensus, factor, INFINITY, chi2_bound, &chance);
}

void cairn_consensus_offer_again(cairn_consensus *consensus)
{
    memset(consensus->is_offered, 0, consensus->graph->factor_count * sizeof *consensus->is_offered);
}

// The farthest that a closure reaches sets the window; odometry's mean trace sets who is a neighbour.
static void measure_graph(cairn_consensus *c)
{
    const cairn_graph *graph = c->graph;
    const uint32_t degrees = graph->def.degrees, half = degrees == 3 ? 2 : 3;
    double reach2_m2 = 1e-6, trace_sum = 0;
    uint32_t step_count = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        cairn_uncertain step;
        if (is_closure(factor)) {
            double squared = 0;
            for (uint32_t k = 0; k < half; k++) { squared += factor->measured.v[k] * factor->measured.v[k]; }
            reach2_m2 = fmax(reach2_m2, squared);
            c->by_from[c->closure_count++] = i;
        } else if (!factor->is_gone && factor->kind == CAIRN_FACTOR_ODOMETRY &&
                   cairn_uncertain_from_factor(degrees, factor, &step) == CAIRN_OK) {
            trace_sum += cairn_uncertain_trace(degrees, &step);
            step_count++;
        }
        c->group_of[i] = i;
        c->group_sizes[i] = 1;
        c->next_member[i] = CAIRN_GRAPH_NONE;
    }
    c->pair_trace = step_count > 0 ? c->def.reach_steps * trace_sum / step_count : 0;
    // Turns in the plane fill 2 pi; in space, the vector parts of unit quaternions fill a ball of radius 1.
    c->window = degrees == 3 ? CAIRN_PI * reach2_m2 * 2 * CAIRN_PI : pow(4.0 / 3 * CAIRN_PI, 2) * pow(reach2_m2, 1.5);
    c->chain_trace = trace_for(c, c->def.chain_chance);
}

static int compare_from(const void *a, const void *b, void *graph)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const uint32_t from_a = ((const cairn_graph *)graph)->factors[first].from;
    const uint32_t from_b = ((const cairn_graph *)graph)->factors[second].from;
    if (from_a != from_b) { return from_a < from_b ? -1 : 1; }
    return first < second ? -1 : 1;
}

#define ARRAYS_OF_FACTORS 7u // of uint32_t

size_t cairn_consensus_bytes(const cairn_graph *graph)
{
    const cairn_projection_def def = {graph->node_count, graph->factor_count};
    const size_t for_factor = ARRAYS_OF_FACTORS * sizeof(uint32_t) + 2 * sizeof(bool);
    return sizeof(cairn_consensus) + cairn_projection_bytes(&def) + graph->factor_count * for_factor +
           graph->node_count * sizeof(bool) + (ARRAYS_OF_FACTORS + 4) * ARENA_ALIGN_BYTES;
}

static cairn_err take_memory(cairn_consensus *c, cairn_arena *arena)
{
    const uint32_t count = c->graph->factor_count;
    const cairn_projection_def def = {c->graph->node_count, count};
    uint32_t **arrays[ARRAYS_OF_FACTORS] = {&c->by_from,     &c->group_of, &c->next_member, &c->agreements,
                                            &c->group_sizes, &c->praise,   &c->blame};
    for (uint32_t i = 0; i < ARRAYS_OF_FACTORS; i++) {
        *arrays[i] = CAIRN_TAKE(arena, uint32_t, count);
        if (!*arrays[i]) { return CAIRN_ERR_FULL; }
    }
    c->is_contradicted = CAIRN_TAKE(arena, bool, count);
    c->is_offered = CAIRN_TAKE(arena, bool, count);
    c->is_changed = CAIRN_TAKE(arena, bool, c->graph->node_count);
    if (!c->is_contradicted || !c->is_offered || !c->is_changed) { return CAIRN_ERR_FULL; }
    return cairn_projection_create(&def, arena, &c->projection);
}

cairn_err cairn_consensus_create(const cairn_consensus_def *def, cairn_graph *graph, cairn_arena *arena,
                                 cairn_consensus **ret_consensus)
{
    CAIRN_ASSERT(def->probability > 0 && def->probability < 1 && def->group_min > 0);
    cairn_consensus *c = CAIRN_TAKE(arena, cairn_consensus, 1);
    if (!c) { return CAIRN_ERR_FULL; }
    *c = (cairn_consensus){
        .def = *def, .graph = graph, .chi2_bound = cairn_chi2_quantile(graph->def.degrees, def->probability)};
    const cairn_err err = take_memory(c, arena);
    if (err != CAIRN_OK) { return err; }
    measure_graph(c);
    qsort_r(c->by_from, c->closure_count, sizeof *c->by_from, compare_from, graph);
    find_groups(c);
    for (uint32_t i = 0; i < c->closure_count; i++) { graph->factors[c->by_from[i]].weight = 0; }
    *ret_consensus = c;
    return CAIRN_OK;
}
