#include "slam/mapper/follow.h"
#include <math.h>
#include <string.h>

#define STILL_M 1e-4 // odometry below these did not move: the scan is where the one before it was
#define STILL_RAD 1e-4
#define SAME_M 0.06f   // a point this near to its place in the scan before has not moved
#define SAME_PART 0.95 // of the points, at least, of a robot that stands: of a corridor only the far end changes
#define LOST_M 0.15    // deviations of the prior when odometry says nothing
#define LOST_RAD 0.15
#define SEARCH_M 0.5 // deviations around which a lost scan is searched for
#define SEARCH_RAD 0.3
#define NARROW_PART 0.5
#define POOR_SCORE 0.8
#define LOST_SCORE 0.5 // of 40,000 recorded scans 0.7 % fit less well, all among them whose odometry was quite wrong
#define FEW_SURFACES 30
#define AGREES_M 0.1 // a poor match this near to odometry is borne out by it
#define AGREES_RAD 0.05
#define DOUBT_M 1.0 // deviations of a step of which nothing is known
#define DOUBT_RAD 1.0
#define BIAS_M 5.0  // driven, over which the bias of odometry's heading is averaged
#define SURE_M 0.01 // a node is never surer of its place from the one before than this
#define SURE_RAD 0.004
#define LAID_POINTS_MAX 200u // of a scan: more hardly says more, and takes longer
#define SCRATCH_BYTES(beams) (cairn_mbicp_scan_bytes(beams) + cairn_mbicp_scan_bytes(LAID_POINTS_MAX) + 64)

cairn_follow_def cairn_follow_def_default(void)
{
    return (cairn_follow_def){.node_m = 0.3,
                              .node_rad = 20 * CAIRN_PI / 180,
                              .reference_count = 6,
                              .range_m_max = 40,
                              .slip_part = 0.1,
                              .slip_m = 0.01,
                              .slip_rad = 0.05,
                              .turn_radpm = 0.1,
                              .match = cairn_mbicp_def_default()};
}

size_t cairn_follow_bytes(const cairn_follow_def *def)
{
    return sizeof(cairn_follow) + sizeof(cairn_scan_points) +
           def->nodes_max * (sizeof(cairn_follow_node) + cairn_mbicp_scan_bytes(def->beams_max)) +
           def->scans_max * sizeof(cairn_follow_scan) + cairn_search_bytes() + SCRATCH_BYTES(def->beams_max) + 512;
}

cairn_err cairn_follow_create(const cairn_follow_def *def, cairn_arena *memory, cairn_follow **ret_follow)
{
    CAIRN_ASSERT(def->reference_count > 0 && def->reference_count <= CAIRN_MBICP_REFERENCES_MAX && def->node_m > 0);
    cairn_follow *follow = CAIRN_TAKE(memory, cairn_follow, 1);
    if (follow == NULL) { return CAIRN_ERR_FULL; }
    follow->def = *def;
    follow->nodes = CAIRN_TAKE(memory, cairn_follow_node, def->nodes_max);
    follow->scans = CAIRN_TAKE(memory, cairn_follow_scan, def->scans_max);
    follow->before = CAIRN_TAKE(memory, cairn_scan_points, 1);
    uint8_t *scratch = CAIRN_TAKE(memory, uint8_t, SCRATCH_BYTES(def->beams_max));
    if (follow->nodes == NULL || follow->scans == NULL || follow->before == NULL || scratch == NULL) {
        return CAIRN_ERR_FULL;
    }
    cairn_arena_init(&follow->scratch, scratch, SCRATCH_BYTES(def->beams_max));
    follow->memory = memory;
    const cairn_err err = cairn_search_create(memory, &follow->search);
    if (err == CAIRN_OK) { *ret_follow = follow; }
    return err;
}

static cairn_match_prior prior_for(const cairn_follow_def *def, cairn_pose2 guess, cairn_pose2 moved)
{
    const double far_m = hypot(moved.x_m, moved.y_m), turn = fabs(moved.yaw_rad);
    return cairn_match_prior_make(guess, def->slip_m + def->slip_part * far_m,
                                  def->slip_rad + def->slip_part * turn + def->turn_radpm * far_m);
}

// Whether a scan that was lost is so still: it has points enough, and neither lies where odometry has it nor elsewhere.
static bool is_doubted(const cairn_mbicp_scan *points, const cairn_match *match, const cairn_match_prior *prior)
{
    if (match->score >= LOST_SCORE || points->surface_count < FEW_SURFACES) { return false; }
    const cairn_pose2 off = cairn_pose2_between(prior->pose, match->pose);
    return !match->is_trusted || hypot(off.x_m, off.y_m) > AGREES_M || fabs(off.yaw_rad) > AGREES_RAD;
}

// What the match and the prior say together, with a floor under the covariance, in the scan's frame.
static void information_keep(cairn_follow *follow, const cairn_match *match, const cairn_match_prior *prior)
{
    cairn_match both = *match;
    double wheels[9], covariance[9];
    bool good = cairn_symmetric3_invert(prior->covariance, wheels);
    for (int i = 0; i < 9; i++) { both.information[i] = (match->is_trusted ? match->information[i] : 0) + wheels[i]; }
    good = good && cairn_symmetric3_invert(both.information, covariance);
    covariance[0] += SURE_M * SURE_M, covariance[4] += SURE_M * SURE_M, covariance[8] += SURE_RAD * SURE_RAD;
    good = good && cairn_symmetric3_invert(covariance, both.information);
    CAIRN_ASSERT(good);
    cairn_match_factor_information(&both, follow->information);
}

// Nodes near and far before the scan, seen from an origin.
static uint32_t references_of(const cairn_follow *follow, uint32_t count_max, cairn_pose2 origin,
                              cairn_mbicp_reference *ret_references)
{
    uint32_t count = 0;
    for (uint32_t back = 1; back <= follow->node_count && count < count_max; back *= 2) {
        const cairn_follow_node *node = &follow->nodes[follow->node_count - back];
        ret_references[count++] = (cairn_mbicp_reference){&node->points, cairn_pose2_between(origin, node->pose)};
    }
    return count;
}

static cairn_match lay(const cairn_follow *follow, const cairn_mbicp_scan *points, const cairn_match_prior *prior)
{
    cairn_mbicp_reference references[CAIRN_MBICP_REFERENCES_MAX];
    const uint32_t count = references_of(follow, follow->def.reference_count, (cairn_pose2){0}, references);
    // Between two scans odometry is nearly always right to a few centimetres; when the fit is poor, look farther
    // around.
    cairn_mbicp_def narrow = follow->def.match;
    narrow.reach_m *= NARROW_PART, narrow.width_m_first *= NARROW_PART;
    cairn_match match;
    cairn_mbicp_match(&narrow, references, count, points, prior, &match);
    if (match.score < POOR_SCORE) {
        cairn_match wide;
        cairn_mbicp_match(&follow->def.match, references, count, points, prior, &wide);
        if (wide.score > match.score) { match = wide; }
    }
    return match;
}

// Tries another guess, where little of a scan lay on the nodes.
static bool lay_again(const cairn_follow *follow, const cairn_mbicp_scan *points, cairn_pose2 guess,
                      cairn_match_prior *prior, cairn_match *match)
{
    const cairn_match_prior other = cairn_match_prior_make(guess, LOST_M, LOST_RAD);
    const cairn_match found = lay(follow, points, &other);
    if (found.score < LOST_SCORE) { return false; }
    *match = found, *prior = other;
    return true;
}

// Odometry may come late: it stands while scans go on, and makes up for all of it in a step. Then the robot may have
// gone on as it went. (As the first guess that was tried and dropped: robots start and stop too often.) Or the scan is
// searched for all around; in a corridor, which looks the same farther on, that is not trusted.
static void find_again(const cairn_follow *follow, const cairn_mbicp_scan *points, cairn_pose2 from,
                       cairn_match_prior *prior, cairn_match *match)
{
    if (lay_again(follow, points, cairn_pose2_compose(from, follow->step), prior, match)) { return; }
    cairn_mbicp_reference references[CAIRN_MBICP_REFERENCES_MAX];
    const cairn_pose2 origin = follow->nodes[follow->node_count - 1].pose;
    const uint32_t count = references_of(follow, CAIRN_MBICP_REFERENCES_MAX, origin, references);
    const cairn_mbicp_reference laid = {.scan = points};
    const cairn_match_prior around =
        cairn_match_prior_make(cairn_pose2_between(origin, prior->pose), SEARCH_M, SEARCH_RAD);
    cairn_match coarse;
    if (!cairn_search_find(follow->search, (cairn_submap){references, count}, (cairn_submap){&laid, 1}, &around,
                           &coarse)) {
        return;
    }
    (void)lay_again(follow, points, cairn_pose2_compose(origin, coarse.pose), prior, match);
}

// Wheels of unequal size turn a robot by as much as a degree for each metre. However wide the prior, it would pull.
static void bias_learn(cairn_follow *follow, cairn_pose2 guess, cairn_pose2 found, double far_m)
{
    const double part = fmin(1, far_m / BIAS_M);
    follow->bias_radpm += part * cairn_angle_between(guess.yaw_rad, found.yaw_rad) / fmax(far_m, 0.02);
}

static cairn_err node_add(cairn_follow *follow, const cairn_scan_points *points, cairn_pose2 pose)
{
    if (follow->node_count == follow->def.nodes_max) { return CAIRN_ERR_FULL; }
    cairn_follow_node *node = &follow->nodes[follow->node_count];
    *node = (cairn_follow_node){.scan = follow->scan_count, .pose = pose};
    if (follow->node_count > 0) { node->before_T_node = cairn_pose2_between(node[-1].pose, pose); }
    memcpy(node->information, follow->information, sizeof node->information);
    const cairn_err err = cairn_mbicp_scan_make(points, follow->def.range_m_max, follow->memory, &node->points);
    if (err == CAIRN_OK) { follow->node_count++; }
    return err;
}

static bool is_still(cairn_pose2 moved)
{
    return hypot(moved.x_m, moved.y_m) <= STILL_M && fabs(moved.yaw_rad) <= STILL_RAD;
}

// Whether two scans look as if nothing but noise were between them.
static bool looks_same(const cairn_scan_points *a, const cairn_scan_points *b)
{
    if (a->count != b->count) { return false; }
    uint32_t hits = 0, same = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const bool hit = a->hit[i] && b->hit[i];
        hits += hit;
        same += hit && fabsf(a->x_m[i] - b->x_m[i]) + fabsf(a->y_m[i] - b->y_m[i]) < SAME_M;
    }
    return same >= SAME_PART * hits;
}

// Places a scan by laying it on the nodes, from where odometry puts it.
static void place(cairn_follow *follow, const cairn_scan_points *points, cairn_pose2 from, cairn_pose2 moved,
                  cairn_follow_scan *scan)
{
    cairn_mbicp_scan whole, thinned;
    cairn_arena_reset(&follow->scratch, 0);
    cairn_err err = cairn_mbicp_scan_make(points, follow->def.range_m_max, &follow->scratch, &whole);
    CAIRN_ASSERT(err == CAIRN_OK);
    const cairn_mbicp_reference part = {.scan = &whole};
    const bool is_rich = whole.surface_count > LAID_POINTS_MAX;
    if (is_rich) { err = cairn_mbicp_merge(&part, 1, LAID_POINTS_MAX, &follow->scratch, &thinned); }
    CAIRN_ASSERT(err == CAIRN_OK);
    const double far_m = hypot(moved.x_m, moved.y_m);
    moved.yaw_rad += follow->bias_radpm * far_m;
    cairn_match_prior prior = prior_for(&follow->def, cairn_pose2_compose(from, moved), moved);
    if (is_still(moved)) { prior = cairn_match_prior_make(prior.pose, LOST_M, LOST_RAD); }
    const cairn_mbicp_scan *laid = is_rich ? &thinned : &whole;
    cairn_match match = lay(follow, laid, &prior);
    const bool is_lost = match.score < LOST_SCORE;
    if (is_lost) { find_again(follow, laid, from, &prior, &match); }
    scan->pose = match.pose;
    scan->is_matched = match.is_trusted;
    if (is_doubted(laid, &match, &prior)) { // closures will tell
        match.is_trusted = false;
        prior = cairn_match_prior_make(prior.pose, DOUBT_M, DOUBT_RAD);
    }
    information_keep(follow, &match, &prior);
    if (scan->is_matched && !is_still(moved) && !is_lost) { bias_learn(follow, prior.pose, scan->pose, far_m); }
}

cairn_err cairn_follow_step(cairn_follow *follow, const cairn_scan_points *points, cairn_pose2 odom_T_base)
{
    CAIRN_ASSERT(points->count <= follow->def.beams_max);
    if (follow->scan_count == follow->def.scans_max) { return CAIRN_ERR_FULL; }
    cairn_follow_scan *scan = &follow->scans[follow->scan_count];
    bool is_node = follow->scan_count == 0;
    if (is_node) {
        *scan = (cairn_follow_scan){.pose = odom_T_base, .is_matched = true};
    } else {
        const cairn_pose2 moved = cairn_pose2_between(follow->odom_before, odom_T_base);
        *scan = (cairn_follow_scan){.pose = scan[-1].pose, .is_matched = scan[-1].is_matched};
        if (!is_still(moved) || !looks_same(follow->before, points)) {
            place(follow, points, scan[-1].pose, moved, scan);
        }
        follow->step = cairn_pose2_between(scan[-1].pose, scan->pose);
        const cairn_pose2 since = cairn_pose2_between(follow->nodes[follow->node_count - 1].pose, scan->pose);
        is_node = hypot(since.x_m, since.y_m) > follow->def.node_m || fabs(since.yaw_rad) > follow->def.node_rad;
    }
    const cairn_err err = is_node ? node_add(follow, points, scan->pose) : CAIRN_OK;
    if (err != CAIRN_OK) { return err; }
    scan->node = follow->node_count - 1;
    scan->node_T_scan = cairn_pose2_between(follow->nodes[scan->node].pose, scan->pose);
    follow->odom_before = odom_T_base;
    *follow->before = *points;
    follow->scan_count++;
    return CAIRN_OK;
}
