// graph_mapper.c - odometry factors from following, closure factors from the closer, least squares over all.
//
// A closure that was searched for in a wide window may be of a place that only looks alike, and one wrong closure of a
// long loop ruins the map. It waits until another one, from a little farther on, or the map agrees with it
// (slam/closure/candidates.h). Robust kernels were tried and dropped: after a long loop the right closures are the ones
// that fit badly, and they were refused.
#include "slam/mapper/graph_mapper.h"
#include "base/log.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <string.h>

#define FACTORS_PER_NODE 4u
#define CLOSURES_MAX 4u
#define WAITING_MAX 32u
#define WAITING_M 40                // driven, after which a closure that nothing agrees with is given up
#define CLOSURE_WAY_M 0.2           // a closure counts as this way
#define SOLVE_BYTES_PER_NODE 40000u // pages that are not touched cost nothing
#define SOLVE_BYTES ((size_t)64 << 20)

struct cairn_graph_mapper {
    cairn_graph_mapper_def def;
    cairn_follow *follow;
    cairn_closer *closer;
    cairn_graph *graph;
    double *driven_m; // by node
    double *way_m;    // by node: the shortest way to the last one
    double tried_m;
    cairn_candidates *candidates;
    bool is_unsolved;
    cairn_graph_mapper_info info;
};

cairn_graph_mapper_def cairn_graph_mapper_def_default(void)
{
    cairn_graph_mapper_def def = {.follow = cairn_follow_def_default(),
                                  .closer = cairn_closer_def_default(),
                                  .close_m = 1,
                                  .solve_m = 0.1,
                                  .solve_rad = 0.015,
                                  .candidates = cairn_candidates_def_default()};
    def.follow.reference_count = 5;
    def.candidates.waiting_max = WAITING_MAX;
    def.candidates.clique_min = 2;
    def.candidates.is_look_one_witness = true;
    def.candidates.possible = 0; // what is searched for is within what the map says
    def.candidates.expires_ns = CAIRN_S(WAITING_M);
    return def;
}

static cairn_graph_def graph_def(const cairn_graph_mapper_def *def)
{
    return (cairn_graph_def){
        .degrees = 3, .nodes_max = def->follow.nodes_max, .factors_max = FACTORS_PER_NODE * def->follow.nodes_max};
}

static cairn_candidates_def candidates_def(const cairn_graph_mapper_def *def)
{
    cairn_candidates_def candidates = def->candidates;
    candidates.stories_max = CLOSURES_MAX * def->follow.nodes_max;
    return candidates;
}

size_t cairn_graph_mapper_bytes(const cairn_graph_mapper_def *def)
{
    const size_t nodes = def->follow.nodes_max;
    return cairn_follow_bytes(&def->follow) + sizeof(cairn_graph_mapper) + nodes * 2 * sizeof(double) +
           nodes * (sizeof(cairn_graph_node) + FACTORS_PER_NODE * sizeof(cairn_factor)) +
           candidates_def(def).stories_max * sizeof(cairn_closure_story) +
           cairn_projection_bytes(
               &(cairn_projection_def){def->follow.nodes_max, FACTORS_PER_NODE * def->follow.nodes_max}) +
           ((size_t)4 << 20);
}

cairn_err cairn_graph_mapper_create(const cairn_graph_mapper_def *def, cairn_arena *memory,
                                    cairn_graph_mapper **ret_mapper)
{
    cairn_graph_mapper *mapper = CAIRN_TAKE(memory, cairn_graph_mapper, 1);
    if (mapper == NULL) { return CAIRN_ERR_FULL; }
    mapper->def = *def;
    mapper->driven_m = CAIRN_TAKE(memory, double, def->follow.nodes_max);
    mapper->way_m = CAIRN_TAKE(memory, double, def->follow.nodes_max);
    if (mapper->driven_m == NULL || mapper->way_m == NULL) { return CAIRN_ERR_FULL; }
    const cairn_graph_def graph = graph_def(def);
    cairn_err err = cairn_graph_create(&graph, memory, &mapper->graph);
    const cairn_candidates_def candidates = candidates_def(def);
    if (err == CAIRN_OK) { err = cairn_candidates_create(&candidates, mapper->graph, memory, &mapper->candidates); }
    if (err == CAIRN_OK) { err = cairn_closer_create(&def->closer, memory, &mapper->closer); }
    if (err == CAIRN_OK) { err = cairn_follow_create(&def->follow, memory, &mapper->follow); }
    if (err == CAIRN_OK) { *ret_mapper = mapper; }
    return err;
}

// ---- the graph

static cairn_err node_take(cairn_graph_mapper *mapper)
{
    const uint32_t index = mapper->follow->node_count - 1;
    const cairn_follow_node *node = &mapper->follow->nodes[index];
    const cairn_graph_node graph_node = {
        .pose = cairn_graph_pose_from2(node->pose), .name = index, .is_fixed = index == 0};
    cairn_err err = cairn_graph_add_node(mapper->graph, &graph_node, NULL);
    if (err != CAIRN_OK || index == 0) { return err; }
    const cairn_pose2 moved = node->before_T_node;
    mapper->driven_m[index] = mapper->driven_m[index - 1] + hypot(moved.x_m, moved.y_m);
    cairn_factor factor = {.from = index - 1,
                           .to = index,
                           .kind = CAIRN_FACTOR_ODOMETRY,
                           .weight = 1,
                           .measured = cairn_graph_pose_from2(moved)};
    memcpy(factor.information, node->information, sizeof node->information);
    return cairn_graph_add_factor(mapper->graph, &factor, NULL);
}

// A metre driven is a second: recorded clocks need not be sound, and a robot that stands learns nothing.
static cairn_mission clock_of(const cairn_graph_mapper *mapper)
{
    return (cairn_mission){cairn_ns_from_seconds(mapper->driven_m[mapper->follow->node_count - 1])};
}

static cairn_err closure_weigh(cairn_graph_mapper *mapper, const cairn_closure *closure)
{
    cairn_closure_proposal proposal = {.from = closure->from,
                                       .to = closure->to,
                                       .measured = cairn_graph_pose_from2(closure->from_T_to),
                                       .window = closure->window,
                                       .score = (float)closure->score,
                                       .ambiguity = (float)closure->ambiguity,
                                       .proposer = "mbicp"};
    memcpy(proposal.information, closure->information, sizeof closure->information);
    if (!closure->was_searched) {
        return cairn_candidates_accept(mapper->candidates, &proposal, clock_of(mapper), NULL);
    }
    cairn_text_print(proposal.proposer, sizeof proposal.proposer, "correlative and mbicp");
    return cairn_candidates_propose(mapper->candidates, &proposal, clock_of(mapper), NULL);
}

// Whether a factor says something else than the map has.
static bool disagrees(const cairn_graph_mapper *mapper, const cairn_factor *factor)
{
    const cairn_follow_node *nodes = mapper->follow->nodes;
    const cairn_pose2 off = cairn_pose2_between(cairn_pose2_between(nodes[factor->from].pose, nodes[factor->to].pose),
                                                cairn_graph_pose_to2(&factor->measured));
    return hypot(off.x_m, off.y_m) > mapper->def.solve_m || fabs(off.yaw_rad) > mapper->def.solve_rad;
}

static void poses_take(cairn_graph_mapper *mapper)
{
    cairn_follow *follow = mapper->follow;
    for (uint32_t i = 0; i < follow->node_count; i++) {
        follow->nodes[i].pose = cairn_graph_pose_to2(&mapper->graph->nodes[i].pose);
    }
    cairn_follow_scan *last = &follow->scans[follow->scan_count - 1];
    last->pose = cairn_pose2_compose(follow->nodes[last->node].pose, last->node_T_scan);
}

static cairn_err solve(cairn_graph_mapper *mapper)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, SOLVE_BYTES + (size_t)SOLVE_BYTES_PER_NODE * mapper->graph->node_count);
    if (err != CAIRN_OK) { return err; }
    const cairn_batch_def def = cairn_batch_def_default();
    cairn_robust_def robust = cairn_robust_def_default(CAIRN_ROBUST_NONE);
    cairn_robust_info told = {0};
    cairn_batch *batch;
    err = cairn_batch_create(&def, mapper->graph, &memory, &batch);
    if (err == CAIRN_OK) {
        const cairn_weighted_solver solver = cairn_batch_weighted(batch);
        err = cairn_robust_solve(&robust, mapper->graph, &solver, &told);
    }
    cairn_arena_destroy(&memory);
    if (err != CAIRN_OK) { return err; }
    mapper->info.solve_count++;
    mapper->info.refused_count = told.refused_count;
    mapper->is_unsolved = false;
    poses_take(mapper);
    return CAIRN_OK;
}

// The shortest ways to the last node. Along the drive, neighbours differ by what was driven between; closures are short
// cuts. Passes along the drive, forwards and backwards, until nothing changes: two or three, where a heap would do
// more.
static void ways_find(cairn_graph_mapper *mapper)
{
    const uint32_t count = mapper->follow->node_count;
    double *way = mapper->way_m;
    const double *driven = mapper->driven_m;
    for (uint32_t i = 0; i < count; i++) { way[i] = driven[count - 1] - driven[i]; }
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t f = 0; f < mapper->graph->factor_count; f++) {
            const cairn_factor *factor = &mapper->graph->factors[f];
            if (factor->kind != CAIRN_FACTOR_CLOSURE || factor->weight < 0.5f) { continue; }
            double *a = &way[factor->from], *b = &way[factor->to];
            if (*a > *b + CLOSURE_WAY_M + 1e-9) { *a = *b + CLOSURE_WAY_M, changed = true; }
            if (*b > *a + CLOSURE_WAY_M + 1e-9) { *b = *a + CLOSURE_WAY_M, changed = true; }
        }
        for (uint32_t i = 1; i < count; i++) {
            const double by = way[i - 1] + driven[i] - driven[i - 1];
            way[i] = by < way[i] ? by : way[i];
        }
        for (uint32_t i = count - 1; i > 0; i--) {
            const double by = way[i] + driven[i] - driven[i - 1];
            way[i - 1] = by < way[i - 1] ? by : way[i - 1];
        }
    }
}

static cairn_err close_loops(cairn_graph_mapper *mapper)
{
    const double driven_m = mapper->driven_m[mapper->follow->node_count - 1];
    if (driven_m - mapper->tried_m < mapper->def.close_m) { return CAIRN_OK; }
    mapper->tried_m = driven_m;
    cairn_closure closures[CLOSURES_MAX];
    ways_find(mapper);
    const uint32_t count =
        cairn_closer_find(mapper->closer, mapper->follow, mapper->driven_m, mapper->way_m, closures, CLOSURES_MAX);
    const uint32_t factors_before = mapper->graph->factor_count;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_err err = closure_weigh(mapper, &closures[i]);
        if (err != CAIRN_OK) { return err; }
    }
    (void)cairn_candidates_step(mapper->candidates, clock_of(mapper));
    bool needs_solving = false;
    for (uint32_t f = factors_before; f < mapper->graph->factor_count; f++) {
        needs_solving |= disagrees(mapper, &mapper->graph->factors[f]);
        mapper->info.closure_count++;
        mapper->is_unsolved = true;
    }
    return needs_solving ? solve(mapper) : CAIRN_OK;
}

cairn_err cairn_graph_mapper_step(cairn_graph_mapper *mapper, const cairn_scan_points *points, cairn_pose2 odom_T_base)
{
    const uint32_t nodes_before = mapper->follow->node_count;
    cairn_err err = cairn_follow_step(mapper->follow, points, odom_T_base);
    if (err != CAIRN_OK || mapper->follow->node_count == nodes_before) { return err; }
    err = node_take(mapper);
    return err == CAIRN_OK ? close_loops(mapper) : err;
}

cairn_err cairn_graph_mapper_finish(cairn_graph_mapper *mapper)
{
    return mapper->is_unsolved ? solve(mapper) : CAIRN_OK;
}

// ---- what is known

cairn_pose2 cairn_graph_mapper_pose(const cairn_graph_mapper *mapper, uint32_t scan)
{
    const cairn_follow *follow = mapper->follow;
    CAIRN_ASSERT(scan < follow->scan_count);
    const cairn_follow_scan *s = &follow->scans[scan];
    const cairn_pose2 by_before = cairn_pose2_compose(follow->nodes[s->node].pose, s->node_T_scan);
    if (s->node + 1 == follow->node_count) { return by_before; }
    // Solving has bent the way between two nodes a little: the nearer one has more say.
    const cairn_follow_node *next = &follow->nodes[s->node + 1];
    const cairn_pose2 next_T_scan = cairn_pose2_between(next->before_T_node, s->node_T_scan);
    const double before = hypot(s->node_T_scan.x_m, s->node_T_scan.y_m) + fabs(s->node_T_scan.yaw_rad);
    const double after = hypot(next_T_scan.x_m, next_T_scan.y_m) + fabs(next_T_scan.yaw_rad);
    const cairn_pose2 by_next = cairn_pose2_compose(next->pose, next_T_scan);
    return before + after > 0 ? cairn_pose2_blend(by_before, by_next, before / (before + after)) : by_before;
}

const cairn_follow *cairn_graph_mapper_follow(const cairn_graph_mapper *mapper) { return mapper->follow; }
const cairn_candidates *cairn_graph_mapper_candidates(const cairn_graph_mapper *mapper) { return mapper->candidates; }
const cairn_graph *cairn_graph_mapper_graph(const cairn_graph_mapper *mapper) { return mapper->graph; }

cairn_graph_mapper_info cairn_graph_mapper_told(const cairn_graph_mapper *mapper)
{
    cairn_graph_mapper_info info = mapper->info;
    info.node_count = mapper->follow->node_count;
    info.closer = *cairn_closer_told(mapper->closer);
    return info;
}
