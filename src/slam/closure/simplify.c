// Factors wait as gone and are brought back one by one; the search heeds only what is back. Parallel ones are found by
// sorting: same two nodes, whichever way round.
#include "slam/closure/simplify.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

cairn_simplify_def cairn_simplify_def_default(void) { return (cairn_simplify_def){.alpha = 2}; }

static void ends_of(const cairn_graph *graph, uint32_t factor, uint32_t ret_ends[2])
{
    const cairn_factor *f = &graph->factors[factor];
    ret_ends[0] = f->from < f->to ? f->from : f->to;
    ret_ends[1] = f->from < f->to ? f->to : f->from;
}

static int compare_ends(const void *a, const void *b, void *graph)
{
    uint32_t of_a[2], of_b[2];
    ends_of(graph, *(const uint32_t *)a, of_a);
    ends_of(graph, *(const uint32_t *)b, of_b);
    for (int i = 0; i < 2; i++) {
        if (of_a[i] != of_b[i]) { return of_a[i] < of_b[i] ? -1 : 1; }
    }
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static bool is_pair(const cairn_factor *factor)
{
    return !factor->is_gone && factor->weight > 0 && factor->from != CAIRN_GRAPH_NONE;
}

// A factor's measurement becomes what the poses say.
static void fit(cairn_graph *graph, cairn_factor *factor)
{
    const uint32_t degrees = graph->def.degrees;
    factor->measured = graph->nodes[factor->to].pose;
    if (factor->from == CAIRN_GRAPH_NONE) { return; }
    const cairn_graph_pose from_T_map = cairn_graph_pose_inverse(degrees, &graph->nodes[factor->from].pose);
    factor->measured = cairn_graph_pose_compose(degrees, &from_T_map, &graph->nodes[factor->to].pose);
}

// Information of a factor as if it ran from one of its nodes to the other; errors are in the frame of the second.
static void information_towards(const cairn_graph *graph, const cairn_factor *factor, uint32_t to, double *ret_full)
{
    const uint32_t degrees = graph->def.degrees;
    cairn_uncertain u;
    cairn_information_full(degrees, factor->information, ret_full);
    if (factor->to == to || cairn_uncertain_from_factor(degrees, factor, &u) != CAIRN_OK) { return; }
    u = cairn_uncertain_inverse(degrees, &u);
    (void)cairn_symmetric_inverse(degrees, u.covariance, ret_full);
}

// Adds what b says to a, between the same nodes, both fitted. False: b runs the other way and leaves a direction open.
static bool merge(cairn_graph *graph, uint32_t a, uint32_t b)
{
    const uint32_t degrees = graph->def.degrees;
    cairn_factor *into = &graph->factors[a], *from = &graph->factors[b];
    double sum[36], more[36];
    cairn_uncertain unused;
    if (from->to != into->to && cairn_uncertain_from_factor(degrees, from, &unused) != CAIRN_OK) { return false; }
    cairn_information_full(degrees, into->information, sum);
    information_towards(graph, from, into->to, more);
    for (uint32_t i = 0; i < degrees * degrees; i++) { sum[i] += more[i]; }
    cairn_information_upper(degrees, sum, into->information);
    if (from->kind == CAIRN_FACTOR_ODOMETRY) { into->kind = CAIRN_FACTOR_ODOMETRY; }
    from->is_gone = true;
    return true;
}

static void merge_parallel(cairn_graph *graph, uint32_t *pairs, uint32_t count, cairn_simplify_info *info)
{
    qsort_r(pairs, count, sizeof *pairs, compare_ends, graph);
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t a[2], b[2];
        ends_of(graph, pairs[first], a);
        ends_of(graph, pairs[i], b);
        if (a[0] == b[0] && a[1] == b[1] && merge(graph, pairs[first], pairs[i])) {
            info->merged_count++;
        } else {
            first = i;
        }
    }
}

static double trace_between(cairn_projection *projection, const cairn_graph *graph, const cairn_factor *factor,
                            double trace_max)
{
    const cairn_uncertain start = cairn_uncertain_identity(graph->def.degrees);
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.trace_max = trace_max;
    reach.target = factor->to;
    cairn_projection_run(projection, graph, factor->from, &start, &reach);
    const cairn_uncertain *known = cairn_projection_of(projection, factor->to);
    return known ? cairn_uncertain_trace(graph->def.degrees, known) : INFINITY;
}

static void thin(const cairn_simplify_def *def, cairn_graph *graph, cairn_projection *projection, uint32_t *waiting,
                 uint32_t count, cairn_simplify_info *info)
{
    for (uint32_t i = 0; i < count; i++) {
        cairn_factor *factor = &graph->factors[waiting[i]];
        cairn_uncertain says;
        if (cairn_uncertain_from_factor(graph->def.degrees, factor, &says) == CAIRN_OK) {
            const double trace = cairn_uncertain_trace(graph->def.degrees, &says);
            const double left = trace_between(projection, graph, factor, def->alpha * trace);
            if (left <= def->alpha * trace) {
                info->worst_part = fmax(info->worst_part, left / trace);
                info->removed_count++;
                continue;
            }
        }
        factor->is_gone = false;
    }
}

// All factors fit from here on; then parallel ones are merged, and closures must earn their place.
static void simplify(const cairn_simplify_def *def, cairn_graph *graph, cairn_projection *projection, uint32_t *list,
                     cairn_simplify_info *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        if (!(factor->weight > 0)) { factor->is_gone = true; } // a robust solver refused it
        if (is_pair(factor)) { list[count++] = i; }
        fit(graph, factor);
    }
    info->before_count = count;
    merge_parallel(graph, list, count, info);
    uint32_t waiting_count = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!is_pair(&graph->factors[i]) || graph->factors[i].kind == CAIRN_FACTOR_ODOMETRY) { continue; }
        graph->factors[i].is_gone = true;
        list[waiting_count++] = i;
    }
    thin(def, graph, projection, list, waiting_count, info);
    info->after_count = info->before_count - info->merged_count - info->removed_count;
}

cairn_err cairn_graph_simplify(const cairn_simplify_def *def, cairn_graph *graph, cairn_arena *scratch,
                               cairn_simplify_info *ret_info)
{
    CAIRN_ASSERT(def->alpha > 0);
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_projection_def projection_def = {graph->node_count, graph->factor_count};
    cairn_projection *projection = NULL;
    cairn_err err = cairn_projection_create(&projection_def, scratch, &projection);
    uint32_t *list = err == CAIRN_OK ? CAIRN_TAKE(scratch, uint32_t, graph->factor_count + 1) : NULL;
    if (err == CAIRN_OK && !list) { err = CAIRN_ERR_FULL; }
    if (err == CAIRN_OK) {
        cairn_simplify_info info = {0};
        simplify(def, graph, projection, list, &info);
        if (ret_info) { *ret_info = info; }
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
