// Those that wait are kept in the order of their proposal. For each new one two searches are made, around its two ends;
// the agreement with each other waiting one is kept in a matrix, so that a pair is compared once.
#include "slam/closure/candidates.h"
#include "base/log.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <string.h>

typedef struct waiting {
    uint32_t story;
    bool is_new; // not compared yet
    // The graph when it was last asked, by its mark. Not saved: whoever is asked once more about the same graph says
    // the same, and changes nothing.
    bool is_asked;
    uint64_t asked_mark;
    bool is_near[2];
    cairn_uncertain from_T_end[2]; // of its two ends, around the first end of the one that is compared
} waiting;

struct cairn_candidates {
    cairn_candidates_def def;
    cairn_graph *graph;
    cairn_projection *projection;
    cairn_closure_story *stories;
    uint32_t story_count;
    waiting *waiting;
    uint32_t waiting_count;
    cairn_agreement agreement; // of waiting
    double chi2_bound, contradicted_bound, possible_bound;
};

// [-] Of right ones that the map contradicts more than this there is one in 10,000. Between this and what agrees others
// must tell: a map that is a little too sure of itself contradicts all right closures of a loop in the same way.
#define CONTRADICTED 0.9999

cairn_candidates_def cairn_candidates_def_default(void)
{
    return (cairn_candidates_def){.stories_max = 20000,
                                  .waiting_max = CAIRN_CLIQUE_MEMBERS_MAX,
                                  .probability = 0.99,
                                  .possible = 0.9999,
                                  .chance_max = 0.05,
                                  .trace_max = 1,
                                  .clique_min = 3,
                                  .expires_ns = CAIRN_S(300),
                                  .clique_steps_max = 20000};
}

cairn_err cairn_candidates_create(const cairn_candidates_def *def, cairn_graph *graph, cairn_arena *arena,
                                  cairn_candidates **ret_candidates)
{
    CAIRN_ASSERT(def->waiting_max > 0 && def->waiting_max <= CAIRN_CLIQUE_MEMBERS_MAX && def->clique_min >= 2);
    cairn_candidates *c = CAIRN_TAKE(arena, cairn_candidates, 1);
    if (!c) { return CAIRN_ERR_FULL; }
    c->def = *def;
    c->graph = graph;
    c->chi2_bound = cairn_chi2_quantile(graph->def.degrees, def->probability);
    c->contradicted_bound = cairn_chi2_quantile(graph->def.degrees, CONTRADICTED);
    c->possible_bound = def->possible > 0 ? cairn_chi2_quantile(graph->def.degrees, def->possible) : INFINITY;
    c->stories = CAIRN_TAKE(arena, cairn_closure_story, def->stories_max);
    c->waiting = CAIRN_TAKE(arena, waiting, def->waiting_max);
    if (!c->stories || !c->waiting) { return CAIRN_ERR_FULL; }
    const cairn_projection_def projection = {graph->def.nodes_max, graph->def.factors_max};
    const cairn_err err = cairn_projection_create(&projection, arena, &c->projection);
    if (err == CAIRN_OK) { *ret_candidates = c; }
    return err;
}

static cairn_factor factor_of(const cairn_closure_proposal *proposal)
{
    cairn_factor factor = {
        .from = proposal->from, .to = proposal->to, .kind = CAIRN_FACTOR_CLOSURE, .measured = proposal->measured};
    memcpy(factor.information, proposal->information, sizeof factor.information);
    return factor;
}

// Takes the i-th out of those that wait, and out of the matrix.
static void stop_waiting(cairn_candidates *c, uint32_t i)
{
    const uint32_t last = --c->waiting_count;
    static const cairn_agreement none;
    cairn_agreement kept = none;
    for (uint32_t a = 0; a <= last; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (a == i || b == i || !cairn_agreement_get(&c->agreement, a, b)) { continue; }
            cairn_agreement_set(&kept, a - (a > i), b - (b > i));
        }
    }
    c->agreement = kept;
    memmove(&c->waiting[i], &c->waiting[i + 1], (last - i) * sizeof *c->waiting);
}

static void decide(cairn_candidates *c, uint32_t story, cairn_closure_state state, cairn_mission now)
{
    c->stories[story].state = state;
    c->stories[story].decided_at = now;
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        if (c->waiting[i].story == story) {
            stop_waiting(c, i);
            return;
        }
    }
}

// The cycle of a closure and another way between its nodes: its chi2, and whether that is agreement, chance left out.
typedef struct verdict {
    double chi2;
    bool is_tight, is_agreed;
} verdict;

static verdict judge(const cairn_candidates *c, const cairn_closure_proposal *closure, const cairn_uncertain *other_way)
{
    const uint32_t degrees = c->graph->def.degrees;
    const cairn_factor factor = factor_of(closure);
    cairn_uncertain measured;
    if (cairn_uncertain_from_factor(degrees, &factor, &measured) != CAIRN_OK) { return (verdict){.chi2 = INFINITY}; }
    const cairn_uncertain back = cairn_uncertain_inverse(degrees, &measured);
    const cairn_uncertain cycle = cairn_uncertain_compose(degrees, &back, other_way);
    const double radius = sqrt(c->chi2_bound);
    const double ball = degrees == 3 ? 4.0 / 3 * CAIRN_PI * pow(radius, 3) : pow(CAIRN_PI, 3) / 6 * pow(radius, 6);
    verdict v = {.chi2 = cairn_uncertain_chi2(degrees, &cycle)};
    v.is_tight = ball * cairn_uncertain_spread(degrees, &cycle) <= c->def.chance_max * closure->window;
    v.is_agreed = v.chi2 <= c->chi2_bound;
    return v;
}

static bool is_valid(const cairn_candidates *c, const cairn_closure_proposal *proposal)
{
    const cairn_factor factor = factor_of(proposal);
    cairn_uncertain unused;
    for (uint32_t i = 0; i < 7; i++) {
        if (!isfinite(proposal->measured.v[i])) { return false; }
    }
    return memchr(proposal->proposer, 0, sizeof proposal->proposer) != NULL && proposal->from < c->graph->node_count &&
           proposal->to < c->graph->node_count && proposal->from != proposal->to && proposal->window > 0 &&
           cairn_uncertain_from_factor(c->graph->def.degrees, &factor, &unused) == CAIRN_OK;
}

// How far from the least uncertain way through the graph, however uncertain that is; NaN: nothing joins the two.
static double chi2_of_way(cairn_candidates *c, const cairn_closure_proposal *proposal)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.target = proposal->to;
    const cairn_uncertain start = cairn_uncertain_identity(c->graph->def.degrees);
    cairn_projection_run(c->projection, c->graph, proposal->from, &start, &reach);
    const cairn_uncertain *way = cairn_projection_of(c->projection, proposal->to);
    return way ? judge(c, proposal, way).chi2 : NAN;
}

// Begins the next story, which counts only once story_count is raised.
static cairn_err begin(cairn_candidates *c, const cairn_closure_proposal *proposal, cairn_mission now)
{
    if (!is_valid(c, proposal)) { return CAIRN_ERR_INVALID; }
    if (c->story_count == c->def.stories_max) { return CAIRN_ERR_FULL; }
    c->stories[c->story_count] = (cairn_closure_story){
        .proposal = *proposal, .proposed_at = now, .decided_at = now, .factor = CAIRN_GRAPH_NONE, .chi2 = NAN};
    return CAIRN_OK;
}

cairn_err cairn_candidates_propose(cairn_candidates *candidates, const cairn_closure_proposal *proposal,
                                   cairn_mission now, uint32_t *ret_story)
{
    cairn_candidates *c = candidates;
    const cairn_err err = begin(c, proposal, now);
    if (err != CAIRN_OK) { return err; }
    cairn_closure_story *story = &c->stories[c->story_count];
    if (ret_story) { *ret_story = c->story_count; }
    const double chi2 = c->possible_bound < INFINITY ? chi2_of_way(c, proposal) : NAN;
    if (chi2 > c->possible_bound) {
        story->state = CAIRN_CLOSURE_REFUSED_BY_MAP;
        story->chi2 = chi2;
    } else {
        if (c->waiting_count == c->def.waiting_max) { decide(c, c->waiting[0].story, CAIRN_CLOSURE_EXPIRED, now); }
        c->waiting[c->waiting_count++] = (waiting){.story = c->story_count, .is_new = true};
    }
    c->story_count++;
    return CAIRN_OK;
}

// Good chains from a node, up to a target; CAIRN_GRAPH_NONE: to all that have one.
static void search_around(cairn_candidates *c, uint32_t node, uint32_t target)
{
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = c->def.trace_max;
    reach.target = target;
    const cairn_uncertain start = cairn_uncertain_identity(c->graph->def.degrees);
    cairn_projection_run(c->projection, c->graph, node, &start, &reach);
}

// a's way by b: along the graph to one end of b, over it, and along the graph to a's other end.
static verdict compare(const cairn_candidates *c, const cairn_closure_proposal *a, const waiting *b, uint32_t near_end)
{
    const uint32_t degrees = c->graph->def.degrees;
    const cairn_closure_proposal *closure = &c->stories[b->story].proposal;
    const cairn_factor factor = factor_of(closure);
    const uint32_t far = near_end == 0 ? closure->to : closure->from;
    const cairn_uncertain *to_T_far = cairn_projection_of(c->projection, far);
    cairn_uncertain step;
    if (!b->is_near[near_end] || !to_T_far || cairn_uncertain_from_factor(degrees, &factor, &step) != CAIRN_OK) {
        return (verdict){.chi2 = INFINITY};
    }
    if (near_end == 1) { step = cairn_uncertain_inverse(degrees, &step); }
    const cairn_uncertain far_T_to = cairn_uncertain_inverse(degrees, to_T_far);
    cairn_uncertain way = cairn_uncertain_compose(degrees, &b->from_T_end[near_end], &step);
    way = cairn_uncertain_compose(degrees, &way, &far_T_to);
    return judge(c, a, &way);
}

static bool is_within(const cairn_uncertain *way, double within_m, uint32_t degrees)
{
    const double *v = way->pose.v;
    return sqrt(v[0] * v[0] + v[1] * v[1] + (degrees == 6 ? v[2] * v[2] : 0.0)) < within_m;
}

// Whether the one that waits was seen from about where a closure was seen, at about the same: after both searches.
static bool is_same_view(const cairn_candidates *c, const waiting *other)
{
    const uint32_t degrees = c->graph->def.degrees;
    const cairn_uncertain *to_T_to = cairn_projection_of(c->projection, c->stories[other->story].proposal.to);
    return other->is_near[0] && to_T_to != NULL && is_within(&other->from_T_end[0], c->def.witness_m, degrees) &&
           is_within(to_T_to, c->def.witness_m, degrees);
}

static void note_chi2(cairn_closure_story *story, double chi2)
{
    if (!(story->chi2 <= chi2)) { story->chi2 = chi2; }
}

// Compares the i-th with all others that wait.
static void compare_with_all(cairn_candidates *c, uint32_t i)
{
    cairn_closure_story *story = &c->stories[c->waiting[i].story];
    search_around(c, story->proposal.from, CAIRN_GRAPH_NONE);
    for (uint32_t k = 0; k < c->waiting_count; k++) {
        const cairn_closure_proposal *other = &c->stories[c->waiting[k].story].proposal;
        const uint32_t ends[2] = {other->from, other->to};
        for (uint32_t end = 0; end < 2; end++) {
            const cairn_uncertain *known = cairn_projection_of(c->projection, ends[end]);
            c->waiting[k].is_near[end] = known != NULL;
            if (known) { c->waiting[k].from_T_end[end] = *known; }
        }
    }
    search_around(c, story->proposal.to, CAIRN_GRAPH_NONE);
    for (uint32_t k = 0; k < c->waiting_count; k++) {
        const cairn_closure_proposal *other = &c->stories[c->waiting[k].story].proposal;
        if (k == i || (c->def.is_look_one_witness && other->to == story->proposal.to)) { continue; }
        if (is_same_view(c, &c->waiting[k])) { continue; }
        for (uint32_t end = 0; end < 2; end++) {
            const verdict v = compare(c, &story->proposal, &c->waiting[k], end);
            if (!v.is_agreed || !v.is_tight) { continue; }
            cairn_agreement_set(&c->agreement, i, k);
            note_chi2(story, v.chi2);
            note_chi2(&c->stories[c->waiting[k].story], v.chi2);
        }
    }
    c->waiting[i].is_new = false;
}

static bool accept(cairn_candidates *c, uint32_t story, cairn_closure_state state, cairn_mission now)
{
    const cairn_factor factor = factor_of(&c->stories[story].proposal);
    if (cairn_graph_add_factor(c->graph, &factor, &c->stories[story].factor) != CAIRN_OK) { return false; }
    decide(c, story, state, now);
    return true;
}

cairn_err cairn_candidates_accept(cairn_candidates *candidates, const cairn_closure_proposal *proposal,
                                  cairn_mission now, uint32_t *ret_story)
{
    cairn_candidates *c = candidates;
    const cairn_err err = begin(c, proposal, now);
    if (err != CAIRN_OK) { return err; }
    if (!accept(c, c->story_count, CAIRN_CLOSURE_ACCEPTED_BY_MAP, now)) { return CAIRN_ERR_FULL; }
    if (ret_story) { *ret_story = c->story_count; }
    c->story_count++;
    return CAIRN_OK;
}

// Another one whenever a search through the graph might end otherwise: factors are added, are gone or come back.
static uint64_t mark_of(const cairn_graph *graph)
{
    uint64_t mark = graph->factor_count;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        mark = (mark ^ graph->factors[i].is_gone) * 0x9e3779b97f4a7c15u;
        mark ^= mark >> 29;
    }
    return mark;
}

// What the graph itself says of the i-th. True: decided.
static bool ask_map(cairn_candidates *c, uint32_t i, cairn_mission now, uint32_t *accepted_count)
{
    const uint32_t at = c->waiting[i].story;
    cairn_closure_story *story = &c->stories[at];
    search_around(c, story->proposal.from, story->proposal.to);
    const cairn_uncertain *chain = cairn_projection_of(c->projection, story->proposal.to);
    if (!chain) { return false; }
    const verdict v = judge(c, &story->proposal, chain);
    if (v.chi2 > c->contradicted_bound) {
        note_chi2(story, v.chi2);
        decide(c, at, CAIRN_CLOSURE_REFUSED_BY_MAP, now);
        return true;
    }
    if (!v.is_agreed || !v.is_tight) { return false; }
    note_chi2(story, v.chi2);
    if (!accept(c, at, CAIRN_CLOSURE_ACCEPTED_BY_MAP, now)) { return false; }
    (*accepted_count)++;
    return true;
}

// Asks those for whom the graph has changed since they were last asked: all of them would say the same again.
static void ask_map_for_all(cairn_candidates *c, cairn_mission now, uint32_t *accepted_count)
{
    uint64_t mark = mark_of(c->graph);
    for (uint32_t i = 0; i < c->waiting_count;) {
        waiting *w = &c->waiting[i];
        if (w->is_asked && w->asked_mark == mark) {
            i++;
            continue;
        }
        w->is_asked = true;
        w->asked_mark = mark;
        if (ask_map(c, i, now, accepted_count)) {
            mark = mark_of(c->graph);
        } else {
            i++;
        }
    }
}

// Accepts the largest clique of those that wait, if it is large enough. Returns its size, or 0.
static uint32_t accept_clique(cairn_candidates *c, cairn_mission now)
{
    cairn_clique clique;
    c->agreement.count = c->waiting_count;
    cairn_clique_find(&c->agreement, c->def.clique_steps_max, &clique);
    if (clique.size < c->def.clique_min || c->graph->factor_count + clique.size > c->graph->def.factors_max) {
        return 0;
    }
    uint32_t stories[CAIRN_CLIQUE_MEMBERS_MAX];
    for (uint32_t i = 0; i < clique.size; i++) { stories[i] = c->waiting[clique.members[i]].story; }
    uint32_t accepted_count = 0;
    for (uint32_t i = 0; i < clique.size; i++) {
        cairn_closure_story *story = &c->stories[stories[i]];
        story->agreed_count = 0;
        for (uint32_t k = 0; k < clique.size; k++) {
            if (k == i) { continue; }
            if (story->agreed_count < CAIRN_STORY_AGREED_MAX) { story->agreed[story->agreed_count] = stories[k]; }
            story->agreed_count++;
        }
        accepted_count += accept(c, stories[i], CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE, now);
    }
    return accepted_count;
}

uint32_t cairn_candidates_step(cairn_candidates *candidates, cairn_mission now)
{
    cairn_candidates *c = candidates;
    uint32_t accepted_count = 0, in_clique = 0;
    for (uint32_t i = c->waiting_count; i-- > 0;) {
        if (now.ns - c->stories[c->waiting[i].story].proposed_at.ns > c->def.expires_ns) {
            decide(c, c->waiting[i].story, CAIRN_CLOSURE_EXPIRED, now);
        }
    }
    do {
        ask_map_for_all(c, now, &accepted_count);
        for (uint32_t i = 0; i < c->waiting_count; i++) {
            if (c->waiting[i].is_new) { compare_with_all(c, i); }
        }
        in_clique = accept_clique(c, now);
        accepted_count += in_clique;
    } while (in_clique > 0); // what was accepted makes chains for those that are left
    return accepted_count;
}

cairn_err cairn_candidates_decide(cairn_candidates *candidates, uint32_t story, bool is_accepted, cairn_mission now)
{
    CAIRN_ASSERT(story < candidates->story_count);
    cairn_closure_story *s = &candidates->stories[story];
    if (!is_accepted) {
        if (s->factor != CAIRN_GRAPH_NONE) { candidates->graph->factors[s->factor].is_gone = true; }
        decide(candidates, story, CAIRN_CLOSURE_REFUSED_BY_PERSON, now);
        return CAIRN_OK;
    }
    if (s->factor != CAIRN_GRAPH_NONE) {
        candidates->graph->factors[s->factor].is_gone = false;
        decide(candidates, story, CAIRN_CLOSURE_ACCEPTED_BY_PERSON, now);
        return CAIRN_OK;
    }
    return accept(candidates, story, CAIRN_CLOSURE_ACCEPTED_BY_PERSON, now) ? CAIRN_OK : CAIRN_ERR_FULL;
}

void cairn_candidates_withdraw(cairn_candidates *candidates, uint32_t story, double chi2, cairn_mission now)
{
    CAIRN_ASSERT(story < candidates->story_count && candidates->stories[story].factor != CAIRN_GRAPH_NONE);
    cairn_closure_story *s = &candidates->stories[story];
    candidates->graph->factors[s->factor].is_gone = true;
    s->chi2 = chi2;
    decide(candidates, story, CAIRN_CLOSURE_WITHDRAWN, now);
}

cairn_candidates_kept cairn_candidates_keep(const cairn_candidates *candidates)
{
    cairn_candidates_kept kept = {.agreement = candidates->agreement};
    kept.agreement.count = candidates->waiting_count;
    for (uint32_t i = 0; i < candidates->waiting_count; i++) { kept.new_count += candidates->waiting[i].is_new; }
    return kept;
}

void cairn_candidates_forget(cairn_candidates *candidates)
{
    candidates->story_count = candidates->waiting_count = 0;
    candidates->agreement = (cairn_agreement){0};
    cairn_projection_reset(candidates->projection); // the graph may be another one
}

// Whether the factor that a story names is its closure.
static bool is_its_factor(const cairn_graph *graph, const cairn_closure_story *story)
{
    if (story->factor >= graph->factor_count) { return false; }
    const cairn_factor *factor = &graph->factors[story->factor];
    return factor->kind == CAIRN_FACTOR_CLOSURE && factor->from == story->proposal.from &&
           factor->to == story->proposal.to;
}

cairn_err cairn_candidates_restore(cairn_candidates *candidates, const cairn_closure_story *story)
{
    cairn_candidates *c = candidates;
    const bool is_in = story->factor != CAIRN_GRAPH_NONE, waits = story->state == CAIRN_CLOSURE_WAITS;
    if (!is_valid(c, &story->proposal) || story->state >= CAIRN_CLOSURE_STATE_COUNT ||
        (is_in && !is_its_factor(c->graph, story)) || (waits && is_in) ||
        (waits && c->waiting_count == c->def.waiting_max)) {
        return CAIRN_ERR_INVALID;
    }
    if (c->story_count == c->def.stories_max) { return CAIRN_ERR_FULL; }
    if (waits) { c->waiting[c->waiting_count++] = (waiting){.story = c->story_count}; }
    c->stories[c->story_count++] = *story;
    return CAIRN_OK;
}

cairn_err cairn_candidates_restore_kept(cairn_candidates *candidates, const cairn_candidates_kept *kept)
{
    cairn_candidates *c = candidates;
    const cairn_agreement *agreement = &kept->agreement;
    if (agreement->count != c->waiting_count || kept->new_count > c->waiting_count) { return CAIRN_ERR_INVALID; }
    cairn_agreement checked = {0};
    for (uint32_t a = 0; a < agreement->count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (cairn_agreement_get(agreement, a, b)) { cairn_agreement_set(&checked, a, b); }
        }
    }
    if (memcmp(checked.rows, agreement->rows, sizeof checked.rows) != 0) { return CAIRN_ERR_INVALID; }
    c->agreement = checked;
    for (uint32_t i = 0; i < kept->new_count; i++) { c->waiting[c->waiting_count - 1 - i].is_new = true; }
    return CAIRN_OK;
}

const cairn_closure_story *cairn_candidates_story(const cairn_candidates *candidates, uint32_t story)
{
    CAIRN_ASSERT(story < candidates->story_count);
    return &candidates->stories[story];
}

uint32_t cairn_candidates_count(const cairn_candidates *candidates) { return candidates->story_count; }

const char *cairn_closure_state_name(cairn_closure_state state)
{
    static const char *const names[CAIRN_CLOSURE_STATE_COUNT] = {"waits",
                                                                 "accepted: others agree",
                                                                 "accepted: the map agrees",
                                                                 "accepted by a person",
                                                                 "refused: the map contradicts",
                                                                 "refused by a person",
                                                                 "expired: nothing agreed in time",
                                                                 "withdrawn: the solved map contradicts"};
    CAIRN_ASSERT(state < CAIRN_CLOSURE_STATE_COUNT);
    return names[state];
}

void cairn_closure_story_tell(const cairn_closure_story *story, char *ret_text, size_t size_bytes)
{
    char agreed[32] = "";
    if (story->agreed_count > 0) { cairn_text_print(agreed, sizeof agreed, ", %u agree", story->agreed_count); }
    cairn_text_print(ret_text, size_bytes, "nodes %u-%u by %s, score %.2f, ambiguity %.2f: %s%s (chi2 %.1f)",
                     story->proposal.from, story->proposal.to, story->proposal.proposer, (double)story->proposal.score,
                     (double)story->proposal.ambiguity, cairn_closure_state_name(story->state), agreed, story->chi2);
}
