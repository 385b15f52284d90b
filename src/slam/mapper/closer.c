#include "slam/mapper/closer.h"
#include <math.h>
#include <string.h>

#define PARTS_MAX 12u // nodes of a submap
#define SETTLE_M 0.15 // deviations of what the search found
#define SETTLE_RAD 0.03
#define SURE_M 0.01 // a closure is never surer than this
#define SURE_RAD 0.003
enum { VISITS_MAX = 16 };

struct cairn_closer {
    cairn_closer_def def;
    cairn_closer_info info;
    cairn_arena scratch;
};

cairn_closer_def cairn_closer_def_default(void)
{
    return (cairn_closer_def){.away_m = 8,
                              .near_m = 2.5,
                              .drift_m = 0.05,
                              .drift_part = 0.02,
                              .turn_rad = 0.01,
                              .turn_radpm = 0.001,
                              .search_m = 0.15,
                              .far_m = 6,
                              .reach_m = 2,
                              .score_min = 0.55,
                              .tries_max = 2,
                              .points_max = 300};
}

cairn_err cairn_closer_create(const cairn_closer_def *def, cairn_arena *memory, cairn_closer **ret_closer)
{
    CAIRN_ASSERT(def->points_max <= CAIRN_SCAN_POINTS_MAX);
    cairn_closer *closer = CAIRN_TAKE(memory, cairn_closer, 1);
    const size_t scratch_bytes = cairn_mbicp_scan_bytes(def->points_max) + 64;
    uint8_t *scratch = CAIRN_TAKE(memory, uint8_t, scratch_bytes);
    if (closer == NULL || scratch == NULL) { return CAIRN_ERR_FULL; }
    closer->def = *def;
    cairn_arena_init(&closer->scratch, scratch, scratch_bytes);
    *ret_closer = closer;
    return CAIRN_OK;
}

const cairn_closer_info *cairn_closer_told(const cairn_closer *closer) { return &closer->info; }

// ---- submaps

// The nodes around one, in its frame: within reach driven, at most PARTS_MAX, evenly.
static uint32_t submap_of(const cairn_follow *follow, const double *driven_m, uint32_t middle, double reach_m,
                          cairn_mbicp_reference *ret_parts)
{
    uint32_t first = middle, last = middle;
    while (first > 0 && driven_m[middle] - driven_m[first - 1] <= reach_m) { first--; }
    while (last + 1 < follow->node_count && driven_m[last + 1] - driven_m[middle] <= reach_m) { last++; }
    const uint32_t all = last - first + 1, count = all < PARTS_MAX ? all : PARTS_MAX;
    const cairn_pose2 origin = follow->nodes[middle].pose;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_follow_node *node = &follow->nodes[first + (uint64_t)i * all / count];
        ret_parts[i] = (cairn_mbicp_reference){&node->points, cairn_pose2_between(origin, node->pose)};
    }
    return count;
}

// ---- visits

typedef struct visit {
    uint32_t node;
    double far_m;
} visit;

static void visit_keep(visit *visits, uint32_t *count, visit found)
{
    uint32_t at = *count < VISITS_MAX ? (*count)++ : VISITS_MAX - 1;
    while (at > 0 && visits[at - 1].far_m > found.far_m) {
        visits[at] = visits[at - 1];
        at--;
    }
    visits[at] = found;
}

// How unsure the place of one node seen from the other is.
typedef struct deviation {
    double m, rad;
} deviation;

static deviation deviation_for(const cairn_closer_def *def, double way_m)
{
    return (deviation){def->drift_m + def->drift_part * way_m, def->turn_rad + def->turn_radpm * way_m};
}

// The nearest node of each stretch of the way that comes near the last node, the nearest first.
static uint32_t visits_find(const cairn_closer_def *def, const cairn_follow *follow, const double *driven_m,
                            const double *way_m, visit *ret_visits)
{
    const uint32_t last = follow->node_count - 1;
    const cairn_pose2 here = follow->nodes[last].pose;
    uint32_t count = 0;
    visit best = {0, INFINITY};
    for (uint32_t j = 0; j < last && driven_m[last] - driven_m[j] > def->away_m; j++) {
        const cairn_pose2 there = follow->nodes[j].pose;
        const double far_m = hypot(there.x_m - here.x_m, there.y_m - here.y_m);
        const bool is_near = far_m < def->near_m + 2 * deviation_for(def, way_m[j]).m;
        if (is_near && far_m < best.far_m) { best = (visit){j, far_m}; }
        const bool ends = !is_near || driven_m[j] - driven_m[best.node] > 3 * def->reach_m;
        if (ends && best.far_m < INFINITY) {
            visit_keep(ret_visits, &count, best);
            best = (visit){0, INFINITY};
        }
    }
    if (best.far_m < INFINITY) { visit_keep(ret_visits, &count, best); }
    return count;
}

// ---- matching

// Information of a factor from a match, with a floor under its covariance.
static bool information_of(const cairn_match *match, double ret_upper[6])
{
    cairn_match floored = *match;
    double covariance[9];
    cairn_match_covariance(match, covariance);
    covariance[0] += SURE_M * SURE_M, covariance[4] += SURE_M * SURE_M, covariance[8] += SURE_RAD * SURE_RAD;
    if (!cairn_symmetric3_invert(covariance, floored.information)) { return false; }
    cairn_match_factor_information(&floored, ret_upper);
    return true;
}

static bool lay(cairn_closer *closer, const cairn_follow *follow, const double *driven_m, uint32_t node,
                deviation unsure, bool is_here, cairn_closure *ret_closure)
{
    const cairn_closer_def *def = &closer->def;
    const uint32_t last = follow->node_count - 1;
    cairn_mbicp_reference there[PARTS_MAX], here[PARTS_MAX];
    const uint32_t there_count = submap_of(follow, driven_m, node, def->reach_m, there);
    const uint32_t here_count = submap_of(follow, driven_m, last, 2 * def->reach_m, here);
    const cairn_pose2 guess = cairn_pose2_between(follow->nodes[node].pose, follow->nodes[last].pose);
    cairn_match_prior prior = cairn_match_prior_make(guess, unsure.m, unsure.rad);
    if (is_here) { prior = cairn_match_prior_make((cairn_pose2){0, 0, guess.yaw_rad}, 0.5 * def->reach_m, unsure.rad); }
    closer->info.tried++;
    *ret_closure =
        (cairn_closure){.was_searched = unsure.m > def->search_m, .window = cairn_search_window(unsure.m, unsure.rad)};
    if (ret_closure->was_searched) {
        closer->info.searched++;
        cairn_match coarse;
        const cairn_submap reference = {there, there_count}, laid = {here, here_count};
        if (!cairn_search_find(follow->search, reference, laid, &prior, &coarse)) { return false; }
        ret_closure->ambiguity = coarse.ambiguity;
        prior = cairn_match_prior_make(coarse.pose, SETTLE_M, SETTLE_RAD);
    }
    cairn_mbicp_scan merged;
    cairn_arena_reset(&closer->scratch, 0);
    const cairn_err err = cairn_mbicp_merge(here, here_count, def->points_max, &closer->scratch, &merged);
    CAIRN_ASSERT(err == CAIRN_OK);
    cairn_match match;
    cairn_mbicp_match(&follow->def.match, there, there_count, &merged, &prior, &match);
    if (!match.is_trusted || match.score < def->score_min) { return false; }
    ret_closure->from = node;
    ret_closure->to = last;
    ret_closure->from_T_to = match.pose;
    ret_closure->score = match.score;
    return information_of(&match, ret_closure->information);
}

uint32_t cairn_closer_find(cairn_closer *closer, const cairn_follow *follow, const double *driven_m,
                           const double *way_m, cairn_closure *ret_closures, uint32_t closures_max)
{
    if (follow->node_count < 2) { return 0; }
    const cairn_closer_def *def = &closer->def;
    visit visits[VISITS_MAX];
    const uint32_t count = visits_find(def, follow, driven_m, way_m, visits);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found < closures_max; i++) {
        const uint32_t node = visits[i].node;
        const deviation unsure = deviation_for(def, way_m[node]);
        const bool is_here = i >= def->tries_max;
        if (is_here && unsure.m <= def->far_m) { continue; }
        found += lay(closer, follow, driven_m, node, unsure, is_here, &ret_closures[found]);
    }
    closer->info.accepted += found;
    return found;
}
