// Every pair of fixes is compared again at each step, since chains get better as the graph is solved: at most 256 of
// them.
#include "slam/closure/references.h"
#include "slam/closure/projection.h"
#include <math.h>
#include <string.h>

#define CLIQUE_STEPS_MAX 5000u

struct cairn_gps_gate {
    cairn_gps_gate_def def;
    cairn_projection *projection;
    cairn_gps_fix *fixes;
    bool *is_used; // in the graph already
    uint32_t count;
    cairn_agreement agreement;
};

cairn_err cairn_reference_add(cairn_graph *graph, const cairn_reference *reference, uint32_t *ret_factor)
{
    if (reference->node >= graph->node_count || !(reference->deviation_m > 0) || reference->deviation_rad < 0) {
        return CAIRN_ERR_INVALID;
    }
    const uint32_t degrees = graph->def.degrees;
    const double position = 1 / (reference->deviation_m * reference->deviation_m);
    const double turn = reference->deviation_rad > 0 ? 1 / (reference->deviation_rad * reference->deviation_rad) : 0;
    cairn_factor factor = {.from = CAIRN_GRAPH_NONE, .to = reference->node, .kind = CAIRN_FACTOR_GLOBAL};
    double full[36] = {0};
    full[0] = full[degrees + 1] = position;
    if (degrees == 3) {
        factor.measured = cairn_graph_pose_from2(reference->map_T_node);
        full[8] = turn;
    } else {
        const double z_m = graph->nodes[reference->node].pose.v[2]; // left open; near, so that the error stays small
        factor.measured = cairn_graph_pose_from3(cairn_pose3_from_pose2(reference->map_T_node, z_m));
        full[35] = 4 * turn; // quaternion parts are half the angle
    }
    cairn_information_upper(degrees, full, factor.information);
    return cairn_graph_add_factor(graph, &factor, ret_factor);
}

cairn_gps_gate_def cairn_gps_gate_def_default(void)
{
    return (cairn_gps_gate_def){
        .fixes_max = 128, .agreeing_min = 5, .deviation_m_min = 3, .apart_m_min = 10, .deviations_max = 3};
}

cairn_err cairn_gps_gate_create(const cairn_gps_gate_def *def, const cairn_graph *graph, cairn_arena *arena,
                                cairn_gps_gate **ret_gate)
{
    CAIRN_ASSERT(def->fixes_max > 0 && def->fixes_max <= CAIRN_CLIQUE_MEMBERS_MAX && def->agreeing_min >= 2);
    cairn_gps_gate *gate = CAIRN_TAKE(arena, cairn_gps_gate, 1);
    if (!gate) { return CAIRN_ERR_FULL; }
    gate->def = *def;
    gate->fixes = CAIRN_TAKE(arena, cairn_gps_fix, def->fixes_max);
    gate->is_used = CAIRN_TAKE(arena, bool, def->fixes_max);
    if (!gate->fixes || !gate->is_used) { return CAIRN_ERR_FULL; }
    const cairn_projection_def projection = {graph->def.nodes_max, graph->def.factors_max};
    const cairn_err err = cairn_projection_create(&projection, arena, &gate->projection);
    if (err == CAIRN_OK) { *ret_gate = gate; }
    return err;
}

static double deviation_of(const cairn_gps_gate *gate, const cairn_gps_fix *fix)
{
    return fmax(fix->deviation_m, gate->def.deviation_m_min);
}

// Whether two fixes are as far from each other as the graph says; the last search was from a's node.
static bool is_agreed(const cairn_gps_gate *gate, uint32_t degrees, const cairn_gps_fix *a, const cairn_gps_fix *b)
{
    const cairn_uncertain *known = cairn_projection_of(gate->projection, b->node);
    if (!known) { return false; }
    const double apart_m = hypot(known->pose.v[0], known->pose.v[1]);
    if (apart_m < gate->def.apart_m_min) { return false; }
    const double chain_m2 = known->covariance[0] + known->covariance[degrees + 1];
    const double deviation_m = sqrt(pow(deviation_of(gate, a), 2) + pow(deviation_of(gate, b), 2) + chain_m2);
    return fabs(hypot(a->x_m - b->x_m, a->y_m - b->y_m) - apart_m) <= gate->def.deviations_max * deviation_m;
}

static void compare_all(cairn_gps_gate *gate, const cairn_graph *graph)
{
    memset(&gate->agreement, 0, sizeof gate->agreement);
    gate->agreement.count = gate->count;
    const cairn_uncertain start = cairn_uncertain_identity(graph->def.degrees);
    const cairn_projection_reach reach = cairn_projection_reach_all();
    for (uint32_t a = 0; a < gate->count; a++) {
        cairn_projection_run(gate->projection, graph, gate->fixes[a].node, &start, &reach);
        for (uint32_t b = 0; b < a; b++) {
            if (is_agreed(gate, graph->def.degrees, &gate->fixes[a], &gate->fixes[b])) {
                cairn_agreement_set(&gate->agreement, a, b);
            }
        }
    }
}

uint32_t cairn_gps_gate_step(cairn_gps_gate *gate, cairn_graph *graph, const cairn_gps_fix *fix)
{
    CAIRN_ASSERT(fix->node < graph->node_count);
    if (gate->count == gate->def.fixes_max) {
        gate->count--;
        memmove(gate->fixes, gate->fixes + 1, gate->count * sizeof *gate->fixes);
        memmove(gate->is_used, gate->is_used + 1, gate->count * sizeof *gate->is_used);
    }
    gate->fixes[gate->count] = *fix;
    gate->is_used[gate->count++] = false;
    compare_all(gate, graph);
    cairn_clique clique;
    cairn_clique_find(&gate->agreement, CLIQUE_STEPS_MAX, &clique);
    if (clique.size < gate->def.agreeing_min) { return 0; }
    uint32_t added_count = 0;
    for (uint32_t i = 0; i < clique.size; i++) {
        const cairn_gps_fix *used = &gate->fixes[clique.members[i]];
        if (gate->is_used[clique.members[i]]) { continue; }
        const cairn_reference reference = {
            .node = used->node, .map_T_node = {used->x_m, used->y_m, 0}, .deviation_m = deviation_of(gate, used)};
        if (cairn_reference_add(graph, &reference, NULL) != CAIRN_OK) { break; }
        gate->is_used[clique.members[i]] = true;
        added_count++;
    }
    return added_count;
}
