// The matcher's covariances are along the axes of the reference; the graph's are in the frame of the node that was
// measured.
#include "slam/closure/suggest.h"
#include <math.h>
#include <string.h>

// covariance' = R covariance R^T, on x and y: from the axes of the scan to those of the reference.
static void turn_covariance(const double *from, double yaw_rad, double *ret_turned)
{
    const double c = cos(yaw_rad), s = sin(yaw_rad), turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 9; k++) { sum += turn[i * 3 + k / 3] * from[k] * turn[j * 3 + k % 3]; }
            ret_turned[i * 3 + j] = sum;
        }
    }
}

static double chi2_to(const cairn_uncertain *prior, const cairn_closure_proposal *proposal)
{
    cairn_factor factor = {.measured = proposal->measured};
    cairn_uncertain measured;
    memcpy(factor.information, proposal->information, sizeof factor.information);
    if (cairn_uncertain_from_factor(3, &factor, &measured) != CAIRN_OK) { return NAN; }
    const cairn_uncertain back = cairn_uncertain_inverse(3, &measured);
    const cairn_uncertain cycle = cairn_uncertain_compose(3, &back, prior);
    return cairn_uncertain_chi2(3, &cycle);
}

cairn_err cairn_suggest(cairn_projection *projection, const cairn_graph *graph, uint32_t from, uint32_t to,
                        const cairn_node_matcher *matcher, double window, cairn_suggestion *ret_suggestion)
{
    if (graph->def.degrees != 3 || from >= graph->node_count || to >= graph->node_count || from == to) {
        return CAIRN_ERR_INVALID;
    }
    cairn_projection_reach reach = cairn_projection_reach_all();
    reach.target = to;
    const cairn_uncertain start = cairn_uncertain_identity(3);
    cairn_projection_run(projection, graph, from, &start, &reach);
    const cairn_uncertain *known = cairn_projection_of(projection, to);
    cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0}, CAIRN_MATCH_UNKNOWN_M, CAIRN_MATCH_UNKNOWN_RAD);
    if (known) {
        // Where the nodes are now is better than the chain; how well that is known, the chain says.
        const cairn_pose2 map_T_from = cairn_graph_pose_to2(&graph->nodes[from].pose);
        prior.pose = cairn_pose2_between(map_T_from, cairn_graph_pose_to2(&graph->nodes[to].pose));
        turn_covariance(known->covariance, prior.pose.yaw_rad, prior.covariance);
    }
    cairn_suggestion suggestion = {.prior_chi2 = NAN};
    const cairn_err err = matcher->match(matcher->context, from, to, &prior, &suggestion.match);
    if (err != CAIRN_OK) { return err; }
    const cairn_match *match = &suggestion.match;
    cairn_closure_proposal *proposal = &suggestion.proposal;
    *proposal = (cairn_closure_proposal){.from = from,
                                         .to = to,
                                         .measured = cairn_graph_pose_from2(match->pose),
                                         .window = window,
                                         .score = (float)match->score,
                                         .ambiguity = (float)match->ambiguity,
                                         .proposer = "suggested"};
    cairn_match_factor_information(match, proposal->information);
    if (match->is_trusted) { suggestion.confidence = match->score * (1 - match->ambiguity); }
    if (known) {
        cairn_uncertain as_solved = *known;
        as_solved.pose = cairn_graph_pose_from2(prior.pose);
        suggestion.prior_chi2 = chi2_to(&as_solved, proposal);
    }
    *ret_suggestion = suggestion;
    return CAIRN_OK;
}
