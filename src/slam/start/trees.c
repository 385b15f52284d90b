// Averages are taken in the sums below: positions by the inverse of their variance, turns as unit vectors (plane) or
// quaternions of one sign (space), by the inverse of theirs. Both are exact for equal predictions and good for near
// ones.
#include "slam/start/trees.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <string.h>

#define ARENA_ALIGN_BYTES 64u // of base/memory.h
#define VARIANCE_MIN 1e-12    // [m2, rad2] so that a root counts for itself without a division by zero

typedef struct blend { // weighted sums of a node's predictions
    double position[3], position_weight;
    double turn[4], turn_weight;
} blend;

typedef struct growth { // what one call works with
    const cairn_trees_def *def;
    cairn_graph *graph;
    cairn_projection *projection;
    blend *blends;
    uint32_t *parts; // the part of each node, counted from 1
    cairn_uncertain *roots;
    uint32_t *root_nodes;
    uint32_t root_count;
    uint32_t reference_stride; // every so-manieth reference becomes a root
    cairn_trees_info info;
} growth;

cairn_trees_def cairn_trees_def_default(void) { return (cairn_trees_def){.roots_max = 32, .relays = 8}; }

static bool is_reference(const cairn_graph *graph, const cairn_factor *factor, cairn_uncertain *ret_known)
{
    return factor->from == CAIRN_GRAPH_NONE && !factor->is_gone &&
           cairn_uncertain_from_factor(graph->def.degrees, factor, ret_known) == CAIRN_OK;
}

static void add_prediction(growth *g, uint32_t node, const cairn_uncertain *predicted)
{
    const uint32_t degrees = g->graph->def.degrees, half = degrees == 3 ? 2 : 3;
    blend *to = &g->blends[node];
    double position_variance = VARIANCE_MIN, turn_variance = VARIANCE_MIN;
    for (uint32_t i = 0; i < degrees; i++) {
        *(i < half ? &position_variance : &turn_variance) += predicted->covariance[i * (degrees + 1)];
    }
    const double *v = predicted->pose.v;
    for (uint32_t i = 0; i < half; i++) { to->position[i] += v[i] / position_variance; }
    to->position_weight += 1 / position_variance;
    double turn[4] = {cos(v[2]), sin(v[2])};
    if (degrees == 6) {
        double along = 0;
        for (uint32_t i = 0; i < 4; i++) { along += to->turn[i] * v[3 + i]; }
        for (uint32_t i = 0; i < 4; i++) { turn[i] = along < 0 ? -v[3 + i] : v[3 + i]; }
    }
    for (uint32_t i = 0; i < 4; i++) { to->turn[i] += turn[i] / turn_variance; }
    to->turn_weight += 1 / turn_variance;
}

static void grow_tree(growth *g, uint32_t root, const cairn_uncertain *map_T_root)
{
    const cairn_projection_reach reach = cairn_projection_reach_all();
    cairn_projection_run(g->projection, g->graph, root, map_T_root, &reach);
    uint32_t count = 0;
    const uint32_t *order = cairn_projection_order(g->projection, &count);
    for (uint32_t i = 0; i < count; i++) { add_prediction(g, order[i], cairn_projection_of(g->projection, order[i])); }
    g->info.tree_count++;
}

// Names the part that a node is in: all nodes that a chain reaches from it.
static void name_part(growth *g, uint32_t node)
{
    const cairn_projection_reach reach = cairn_projection_reach_all();
    const cairn_uncertain start = {.pose = g->graph->nodes[node].pose};
    cairn_projection_run(g->projection, g->graph, node, &start, &reach);
    uint32_t count = 0;
    const uint32_t *order = cairn_projection_order(g->projection, &count);
    g->info.part_count++;
    for (uint32_t i = 0; i < count; i++) { g->parts[order[i]] = g->info.part_count; }
}

// Every `step`-th node in the order of the last run becomes a root, as that run knows it.
static void choose_relays(growth *g, uint32_t wanted)
{
    uint32_t count = 0;
    const uint32_t *order = cairn_projection_order(g->projection, &count);
    const uint32_t relays = wanted < count - 1 ? wanted : count - 1;
    for (uint32_t i = 0; i < relays; i++) {
        const uint32_t node = order[(uint64_t)(i + 1) * (count - 1) / relays];
        g->roots[g->root_count] = *cairn_projection_of(g->projection, node);
        g->root_nodes[g->root_count++] = node;
    }
}

// Calls for each reference of the part that the last run reached; returns how many there are.
static uint32_t visit_references(growth *g, void (*take)(growth *, uint32_t node, const cairn_uncertain *, uint32_t at))
{
    const cairn_graph *graph = g->graph;
    uint32_t node_count = 0, seen = 0;
    const uint32_t *order = cairn_projection_order(g->projection, &node_count);
    for (uint32_t i = 0; i < node_count; i++) {
        const uint32_t node = order[i];
        if (graph->nodes[node].is_fixed) {
            if (take) { take(g, node, &(cairn_uncertain){.pose = graph->nodes[node].pose}, seen); }
            seen++;
        }
        for (uint32_t f = cairn_projection_next(g->projection, graph, node, CAIRN_GRAPH_NONE); f != CAIRN_GRAPH_NONE;
             f = cairn_projection_next(g->projection, graph, node, f)) {
            cairn_uncertain known;
            if (!is_reference(graph, &graph->factors[f], &known)) { continue; }
            if (take) { take(g, node, &known, seen); }
            seen++;
        }
    }
    return seen;
}

static void collect_root(growth *g, uint32_t node, const cairn_uncertain *map_T_root, uint32_t at)
{
    if (at % g->reference_stride != 0 || g->root_count == g->def->roots_max) { return; }
    g->roots[g->root_count] = *map_T_root;
    g->root_nodes[g->root_count++] = node;
}

// The references of the part that was named last, thinned evenly to what there is room for; its first node if it has
// none.
static void collect_roots(growth *g, uint32_t first)
{
    const uint32_t reference_count = visit_references(g, NULL);
    g->root_count = 0;
    g->reference_stride = (reference_count + g->def->roots_max - 1) / g->def->roots_max;
    if (reference_count > 0) {
        visit_references(g, collect_root);
        return;
    }
    g->roots[0] = (cairn_uncertain){.pose = g->graph->nodes[first].pose};
    g->root_nodes[0] = first;
    g->root_count = 1;
}

static void place_part(growth *g, uint32_t first)
{
    name_part(g, first);
    collect_roots(g, first);
    const uint32_t known_count = g->root_count;
    for (uint32_t i = 0; i < known_count; i++) {
        grow_tree(g, g->root_nodes[i], &g->roots[i]);
        if (i == 0 && known_count < g->def->relays) { choose_relays(g, g->def->relays - known_count); } // of this tree
    }
    for (uint32_t i = known_count; i < g->root_count; i++) { grow_tree(g, g->root_nodes[i], &g->roots[i]); }
}

static void write_pose(cairn_graph *graph, uint32_t node, const blend *from)
{
    if (graph->nodes[node].is_fixed) { return; }
    cairn_graph_pose *pose = &graph->nodes[node].pose;
    double length = 0;
    for (uint32_t i = 0; i < 4; i++) { length += from->turn[i] * from->turn[i]; }
    length = sqrt(length);
    if (!(length > 1e-9 * from->turn_weight)) { return; } // predictions that cancel say nothing; the node stays
    if (graph->def.degrees == 3) {
        *pose = (cairn_graph_pose){{from->position[0] / from->position_weight,
                                    from->position[1] / from->position_weight, atan2(from->turn[1], from->turn[0])}};
        return;
    }
    for (uint32_t i = 0; i < 3; i++) { pose->v[i] = from->position[i] / from->position_weight; }
    for (uint32_t i = 0; i < 4; i++) { pose->v[3 + i] = from->turn[i] / length; }
}

static uint32_t roots_room(const cairn_trees_def *def) { return def->roots_max + def->relays; }

size_t cairn_trees_scratch_bytes(const cairn_trees_def *def, const cairn_graph *graph)
{
    const cairn_projection_def projection = {graph->node_count, graph->factor_count};
    return cairn_projection_bytes(&projection) + graph->node_count * (sizeof(blend) + sizeof(uint32_t)) +
           roots_room(def) * (sizeof(cairn_uncertain) + sizeof(uint32_t)) + 4 * ARENA_ALIGN_BYTES;
}

static cairn_err take_scratch(growth *g, cairn_arena *scratch)
{
    const cairn_graph *graph = g->graph;
    const cairn_projection_def def = {graph->node_count, graph->factor_count};
    g->blends = CAIRN_TAKE(scratch, blend, graph->node_count);
    g->parts = CAIRN_TAKE(scratch, uint32_t, graph->node_count);
    g->roots = CAIRN_TAKE(scratch, cairn_uncertain, roots_room(g->def));
    g->root_nodes = CAIRN_TAKE(scratch, uint32_t, roots_room(g->def));
    if (!g->blends || !g->parts || !g->roots || !g->root_nodes) { return CAIRN_ERR_FULL; }
    return cairn_projection_create(&def, scratch, &g->projection);
}

cairn_err cairn_trees_place(const cairn_trees_def *def, cairn_graph *graph, cairn_arena *scratch,
                            cairn_trees_info *ret_info)
{
    CAIRN_ASSERT(def->roots_max > 0);
    growth g = {.def = def, .graph = graph};
    if (graph->node_count > 0) {
        const size_t mark = cairn_arena_mark(scratch);
        const cairn_err err = take_scratch(&g, scratch);
        if (err == CAIRN_OK) {
            for (uint32_t i = 0; i < graph->node_count; i++) {
                if (g.parts[i] == 0) { place_part(&g, i); }
            }
            for (uint32_t i = 0; i < graph->node_count; i++) { write_pose(graph, i, &g.blends[i]); }
        }
        cairn_arena_reset(scratch, mark);
        if (err != CAIRN_OK) { return err; }
    }
    if (ret_info) { *ret_info = g.info; }
    return CAIRN_OK;
}
