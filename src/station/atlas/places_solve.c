// What the solver makes of all places and closures, and the graph for other programs.
#include "slam/closure/uncertain.h"
#include "slam/solve/batch.h"
#include "station/atlas/places.h"

#define PLAUSIBLE 0.9999     // [-] of right closures that fit the solved map within the bound
#define ITERATIONS_MAX 20    // from where the last solve ended a few are enough
#define WEIGHINGS_MAX 30     // enough for one that is off by 10000 times the bound; more hold up tasking
#define FINAL_ITERATIONS 5   // another solve follows
#define SOLVE_TOLERANCE 1e-6 // [-] of chi2: positions are then known to far less than a cell

static bool is_in(const cairn_graph *graph, uint32_t factor)
{
    return factor != CAIRN_GRAPH_NONE && !graph->factors[factor].is_gone;
}

static bool has_misfit(const cairn_places *places, double chi2_bound)
{
    const cairn_graph *graph = places->graph;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->kind == CAIRN_FACTOR_CLOSURE && !factor->is_gone && cairn_factor_chi2(graph, i) > chi2_bound) {
            return true;
        }
    }
    return false;
}

static void believe_all(cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->factor_count; i++) { graph->factors[i].weight = 1; }
}

// Takes those out that lost against the others.
static uint32_t withdraw(cairn_places *places, double chi2_bound, cairn_mission now)
{
    cairn_graph *graph = places->graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cairn_candidates_count(places->candidates); i++) {
        const uint32_t factor = cairn_candidates_story(places->candidates, i)->factor;
        if (!is_in(graph, factor)) { continue; }
        const double chi2 = cairn_factor_chi2(graph, factor);
        if (graph->factors[factor].weight < 0.5f && chi2 > chi2_bound) {
            cairn_candidates_withdraw(places->candidates, i, chi2, now);
            count++;
        }
    }
    return count;
}

static cairn_err weigh(cairn_places *places, cairn_batch *batch, double chi2_bound, cairn_mission now,
                       uint32_t *ret_withdrawn_count)
{
    cairn_robust_def def = cairn_robust_def_default(CAIRN_ROBUST_GNC);
    def.probability = PLAUSIBLE;
    def.rounds_max = WEIGHINGS_MAX;
    def.final_iterations = FINAL_ITERATIONS;
    const cairn_weighted_solver solver = cairn_batch_weighted(batch);
    cairn_robust_info info;
    const cairn_err err = cairn_robust_solve(&def, places->graph, &solver, &info);
    if (err == CAIRN_OK) { *ret_withdrawn_count = withdraw(places, chi2_bound, now); }
    believe_all(places->graph); // half-way through, weights say nothing yet
    return err;
}

// Within what can be saved; the solver itself sees to numbers.
static bool is_sane(const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const double *v = graph->nodes[i].pose.v;
        if (!(fabs(v[0]) < 0.5 * CAIRN_ARCHIVE_M_MAX && fabs(v[1]) < 0.5 * CAIRN_ARCHIVE_M_MAX)) { return false; }
    }
    return true;
}

static cairn_err solve(cairn_places *places, cairn_arena *scratch, cairn_mission now, cairn_places_solved *ret_solved)
{
    const double chi2_bound = cairn_chi2_quantile(3, PLAUSIBLE);
    cairn_batch_def def = cairn_batch_def_default();
    def.tolerance = SOLVE_TOLERANCE;
    cairn_batch *batch = NULL;
    cairn_batch_info info;
    cairn_err err = cairn_batch_create(&def, places->graph, scratch, &batch);
    if (err == CAIRN_OK) { err = cairn_batch_run(batch, places->graph, ITERATIONS_MAX, &info); }
    if (err == CAIRN_OK && has_misfit(places, chi2_bound)) {
        err = weigh(places, batch, chi2_bound, now, &ret_solved->withdrawn_count);
        if (err == CAIRN_OK) { err = cairn_batch_run(batch, places->graph, ITERATIONS_MAX, &info); }
    }
    if (err != CAIRN_OK) { return err; }
    ret_solved->chi2 = info.chi2_after;
    return is_sane(places->graph) ? CAIRN_OK : CAIRN_ERR_INVALID;
}

cairn_err cairn_places_solve(cairn_places *places, cairn_arena *scratch, cairn_mission now,
                             cairn_places_solved *ret_solved)
{
    const size_t mark = cairn_arena_mark(scratch);
    *ret_solved = (cairn_places_solved){0};
    const cairn_err err = solve(places, scratch, now, ret_solved);
    cairn_arena_reset(scratch, mark);
    for (uint32_t i = 1; i < places->graph->node_count; i++) {
        cairn_place *place = &places->places[i];
        cairn_graph_pose *pose = &places->graph->nodes[i].pose;
        if (err == CAIRN_OK) {
            place->map_T_private =
                cairn_pose2_compose(cairn_graph_pose_to2(pose), cairn_pose2_inverse(place->private_T_place));
        } else {
            *pose = cairn_graph_pose_from2(cairn_pose2_compose(place->map_T_private, place->private_T_place));
        }
    }
    places->unsolved_count = places->unsolved_steps = 0;
    places->solve_count += err == CAIRN_OK;
    return err;
}

cairn_closures_count cairn_places_closures(const cairn_places *places)
{
    cairn_closures_count count = {0};
    for (uint32_t i = 0; i < cairn_candidates_count(places->candidates); i++) {
        switch (cairn_candidates_story(places->candidates, i)->state) {
        case CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE:
        case CAIRN_CLOSURE_ACCEPTED_BY_MAP:
        case CAIRN_CLOSURE_ACCEPTED_BY_PERSON: count.accepted++; break;
        case CAIRN_CLOSURE_REFUSED_BY_MAP:
        case CAIRN_CLOSURE_REFUSED_BY_PERSON:
        case CAIRN_CLOSURE_WITHDRAWN: count.refused++; break;
        case CAIRN_CLOSURE_WAITS:
        case CAIRN_CLOSURE_EXPIRED:
        case CAIRN_CLOSURE_STATE_COUNT: count.undecided++; break;
        }
    }
    return count;
}

cairn_err cairn_places_copy_graph(const cairn_places *places, cairn_arena *arena, cairn_graph **ret_graph)
{
    const cairn_graph *graph = places->graph;
    const cairn_graph_def def = {.degrees = 3, .nodes_max = graph->node_count, .factors_max = graph->factor_count};
    cairn_graph *copy = NULL;
    const cairn_err err = cairn_graph_create(&def, arena, &copy);
    if (err != CAIRN_OK) { return err; }
    copy->node_count = graph->node_count;
    copy->factor_count = graph->factor_count;
    for (uint32_t i = 0; i < graph->node_count; i++) { copy->nodes[i] = graph->nodes[i]; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        copy->factors[i] = graph->factors[i];
        if (copy->factors[i].from != CAIRN_PLACE_NONE) { continue; }
        copy->factors[i].from = CAIRN_GRAPH_NONE;
        copy->factors[i].kind = CAIRN_FACTOR_GLOBAL;
    }
    for (uint32_t i = 1; i < graph->node_count; i++) {
        uint64_t number = 0;
        if (places->places[i].before != CAIRN_PLACE_NONE) { continue; }
        for (uint32_t at = i; at != CAIRN_PLACE_NONE; at = places->places[at].after) {
            const bool starts = graph->factors[places->places[at].factor].from == CAIRN_PLACE_NONE;
            number += starts && number > 0 ? 2 : 1; // nothing leads from the old frame to the new one
            copy->nodes[at].name = (uint64_t)places->places[at].robot << 56 | number;
        }
    }
    *ret_graph = copy;
    return CAIRN_OK;
}
