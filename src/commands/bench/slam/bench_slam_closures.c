// bench slam, closures - how many revisits are found on recorded drives, and how many wrong closures get through.
//
// 10,000 candidates a drive: pairs of nodes at least 30 nodes apart, up to a quarter of them revisits by the log's own
// poses (under 2 m and 45 degrees), the others drawn from all pairs. No candidate says which it is: each is matched
// with the same prior, "the same place, +-3 m and +-45 degrees". What the matcher trusts is proposed in the order of
// the drive, and waits beside a graph of odometry until others bear it out (slam/closure/candidates.h). A closure is
// wrong if it is off the log's poses by more than 0.5 m or 0.15 rad; those poses are somebody's mapping, good to about
// 0.1 m.
//
// Odometry: each scan laid on the map of the node before, around what the wheels say, and both put together. Where they
// contradict each other one of them is wrong, sure as it may be of itself, and the factor's covariance spans both.
#include "base/clock.h"
#include "base/random.h"
#include "commands/bench/slam/bench_slam.h"
#include "commands/bench/slam/log_nodes.h"
#include "matching/correlative.h"
#include "matching/pyramid_cache.h"
#include "slam/closure/candidates.h"
#include "slam/log/carmen_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES 10000u
#define REVISITS_MAX (CANDIDATES / 4)
#define SINCE_NODES 30u
#define NODES_MAX 2100u
#define REVISIT_M 2.0
#define REVISIT_RAD (0.25 * CAIRN_PI)
#define WINDOW_M 3.0 // searched each way
#define WRONG_M 0.5
#define WRONG_RAD 0.15
#define WHEELS_M 0.10 // deviation of the recorded wheels over a step of a metre, by the corrected logs
#define WHEELS_RAD 0.10
#define SCAN_SIDE 200  // cells: scans reach farther than maps
#define KEPT 256       // pyramids
#define PERIOD_MS 1250 // from one node to the next
#define MEMORY_BYTES (512u << 20)

typedef struct candidate {
    uint32_t from, to;
    bool is_revisit;
    bool is_right;   // the match, if there is one, agrees with the log
    bool is_trusted; // by the matcher
    uint32_t story;  // CAIRN_GRAPH_NONE: not proposed
} candidate;

typedef struct drive {
    const cairn_log_node *nodes;
    uint32_t node_count, candidate_count, revisit_count;
    candidate *candidates;
    cairn_graph *graph;
    cairn_arena *memory;
    cairn_correlative *matcher;
    cairn_candidates *waiting;
    double validating_s;
} drive;

static bool is_revisit(const cairn_log_node *nodes, uint32_t a, uint32_t b)
{
    const cairn_pose2 apart = cairn_pose2_between(nodes[a].map_T_node, nodes[b].map_T_node);
    return cairn_vec2_length(cairn_pose2_at(apart)) < REVISIT_M && fabs(apart.yaw_rad) < REVISIT_RAD;
}

static void candidate_add(drive *d, uint32_t from, uint32_t to, bool revisit)
{
    d->candidates[d->candidate_count++] =
        (candidate){.from = from, .to = to, .is_revisit = revisit, .story = CAIRN_GRAPH_NONE};
    d->revisit_count += revisit;
}

static uint32_t revisits_count(const drive *d)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < d->node_count; a++) {
        for (uint32_t b = a + SINCE_NODES; b < d->node_count; b++) { count += is_revisit(d->nodes, a, b); }
    }
    return count;
}

// All revisits, or so many of them, evenly.
static void revisits_take(drive *d)
{
    const uint32_t all = revisits_count(d), wanted = all < REVISITS_MAX ? all : REVISITS_MAX;
    uint32_t seen = 0;
    for (uint32_t a = 0; a < d->node_count; a++) {
        for (uint32_t b = a + SINCE_NODES; b < d->node_count; b++) {
            if (!is_revisit(d->nodes, a, b)) { continue; }
            if ((uint64_t)seen++ * wanted >= (uint64_t)d->revisit_count * all) { candidate_add(d, a, b, true); }
        }
    }
}

static void candidates_draw(drive *d)
{
    cairn_random random;
    cairn_random_init(&random, 1, "bench/closures");
    revisits_take(d);
    while (d->candidate_count < CANDIDATES) {
        const uint32_t a = cairn_random_below(&random, d->node_count), b = cairn_random_below(&random, d->node_count);
        if (b < a + SINCE_NODES || is_revisit(d->nodes, a, b)) { continue; }
        candidate_add(d, a, b, false);
    }
}

// How far two poses are from each other, in their covariances; of 3 degrees.
static double disagreement(const double off[3], const cairn_match_prior *wheels, const cairn_match *scans)
{
    double apart[9], chi2 = 0;
    cairn_match_covariance(scans, apart);
    for (int i = 0; i < 9; i++) { apart[i] += wheels->covariance[i]; }
    if (!cairn_symmetric3_invert(apart, apart)) { return 0; }
    for (int i = 0; i < 9; i++) { chi2 += off[i / 3] * apart[i] * off[i % 3]; }
    return chi2;
}

// Puts what the wheels say and what the scans say together; where they slide along each other, the wheels decide.
static cairn_match fused(const cairn_match_prior *wheels, const cairn_match *scans)
{
    cairn_match both = *scans;
    double known[9], sum[9], covariance[9], lead[3] = {0};
    const double off[3] = {scans->pose.x_m - wheels->pose.x_m, scans->pose.y_m - wheels->pose.y_m,
                           cairn_angle_between(wheels->pose.yaw_rad, scans->pose.yaw_rad)};
    if (!cairn_symmetric3_invert(wheels->covariance, known)) { return both; }
    for (int i = 0; i < 9; i++) { sum[i] = known[i] + scans->information[i]; }
    if (!cairn_symmetric3_invert(sum, covariance)) { return both; }
    for (int i = 0; i < 9; i++) { lead[i / 3] += scans->information[i] * off[i % 3]; }
    double step[3] = {0};
    for (int i = 0; i < 9; i++) { step[i / 3] += covariance[i] * lead[i % 3]; }
    both.pose = (cairn_pose2){wheels->pose.x_m + step[0], wheels->pose.y_m + step[1],
                              cairn_angle_wrap(wheels->pose.yaw_rad + step[2])};
    // Either may be the right one: the spread of two that are equally likely.
    const bool is_doubted = disagreement(off, wheels, scans) > 3;
    for (int i = 0; i < 9 && is_doubted; i++) { covariance[i] += 0.25 * off[i / 3] * off[i % 3]; }
    if (!cairn_symmetric3_invert(covariance, both.information)) { memcpy(both.information, sum, sizeof sum); }
    return both;
}

static cairn_err odometry_add(drive *d, const cairn_laser_log *log, uint32_t scan_first)
{
    const cairn_pyramid_def def = {SCAN_SIDE, SCAN_SIDE, 360};
    cairn_pyramid *before = NULL, *now = NULL;
    static cairn_scan_points points; // large
    cairn_err err = cairn_pyramid_create(&def, d->memory, &before);
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&def, d->memory, &now); }
    for (uint32_t i = 0; i < d->node_count && err == CAIRN_OK; i++) {
        const cairn_graph_node node = {.pose = cairn_graph_pose_from2(d->nodes[i].odom_T_node), .name = i};
        err = cairn_graph_add_node(d->graph, &node, NULL);
        cairn_laser_log_points(log, scan_first + i, 0.5 * SCAN_SIDE * CAIRN_NODE_CELL_M, &points);
        if (i == 0 || err != CAIRN_OK) { continue; }
        cairn_pyramid_set_grid(before, &d->nodes[i - 1].planes);
        cairn_pyramid_set_scan(now, &points, CAIRN_NODE_CELL_M);
        const cairn_match_prior wheels = cairn_match_prior_make(
            cairn_pose2_between(d->nodes[i - 1].odom_T_node, d->nodes[i].odom_T_node), WHEELS_M, WHEELS_RAD);
        cairn_match match;
        cairn_match_correlative(d->matcher, before, now, &wheels, &match);
        match = fused(&wheels, &match);
        cairn_factor factor = {.from = i - 1,
                               .to = i,
                               .kind = CAIRN_FACTOR_ODOMETRY,
                               .weight = 1,
                               .measured = cairn_graph_pose_from2(match.pose)};
        cairn_match_factor_information(&match, factor.information);
        err = cairn_graph_add_factor(d->graph, &factor, NULL);
    }
    return err;
}

static bool agrees(const drive *d, const candidate *of, cairn_pose2 found)
{
    const cairn_pose2 truth = cairn_pose2_between(d->nodes[of->from].map_T_node, d->nodes[of->to].map_T_node);
    const cairn_pose2 off = cairn_pose2_between(truth, found);
    return cairn_vec2_length(cairn_pose2_at(off)) < WRONG_M && fabs(off.yaw_rad) < WRONG_RAD;
}

static int by_later_node(const void *a, const void *b)
{
    const candidate *first = a, *second = b;
    if (first->to != second->to) { return first->to < second->to ? -1 : 1; }
    return (first->from > second->from) - (first->from < second->from);
}

static cairn_err propose(drive *d, candidate *of, const cairn_match *match, cairn_mission now)
{
    cairn_closure_proposal proposal = {.from = of->from,
                                       .to = of->to,
                                       .measured = cairn_graph_pose_from2(match->pose),
                                       .window = 4 * WINDOW_M * WINDOW_M * 2 * REVISIT_RAD,
                                       .score = (float)match->score,
                                       .ambiguity = (float)match->ambiguity,
                                       .proposer = "correlative"};
    cairn_match_factor_information(match, proposal.information);
    of->is_right = agrees(d, of, match->pose);
    of->is_trusted = true;
    return cairn_candidates_propose(d->waiting, &proposal, now, &of->story);
}

// What the matcher says of a candidate; pyramids are kept.
static cairn_match candidate_match(drive *d, cairn_pyramid_cache *cache, const candidate *of)
{
    const cairn_match_prior prior = cairn_match_prior_make((cairn_pose2){0}, 1, REVISIT_RAD);
    bool is_new;
    cairn_pyramid *reference = cairn_pyramid_cache_get(cache, of->from, &is_new);
    if (is_new) { cairn_pyramid_set_grid(reference, &d->nodes[of->from].planes); }
    cairn_pyramid *scan = cairn_pyramid_cache_get(cache, of->to, &is_new);
    if (is_new) { cairn_pyramid_set_grid(scan, &d->nodes[of->to].planes); }
    cairn_match match;
    cairn_match_correlative(d->matcher, reference, scan, &prior, &match);
    return match;
}

static cairn_err closures_propose(drive *d)
{
    cairn_pyramid_cache_def def = {.pyramid = cairn_pyramid_def_default(), .count = KEPT};
    def.pyramid.width_max = def.pyramid.height_max = CAIRN_NODE_SIDE;
    cairn_pyramid_cache *cache = NULL;
    cairn_err err = cairn_pyramid_cache_create(&def, d->memory, &cache);
    qsort(d->candidates, d->candidate_count, sizeof(candidate), by_later_node);
    for (uint32_t i = 0; i < d->candidate_count && err == CAIRN_OK; i++) {
        candidate *of = &d->candidates[i];
        const cairn_mission now = {(int64_t)of->to * CAIRN_MS(PERIOD_MS)};
        const cairn_match match = candidate_match(d, cache, of);
        const int64_t started_ns = cairn_thread_cpu_ns();
        if (match.is_trusted) { err = propose(d, of, &match, now); }
        const bool is_last = i + 1 == d->candidate_count || d->candidates[i + 1].to != of->to;
        if (is_last && err == CAIRN_OK) { (void)cairn_candidates_step(d->waiting, now); }
        d->validating_s += 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns);
    }
    return err;
}

static void say(cairn_bench_report *report, const char *name, const char *metric, const char *unit, double value)
{
    char subject[128];
    snprintf(subject, sizeof subject, "closures, %s", name);
    cairn_bench_say(report, &(cairn_bench_figure){"slam", subject, metric, unit, value, NULL, 0});
}

static bool is_accepted(const drive *d, const candidate *of)
{
    if (of->story == CAIRN_GRAPH_NONE) { return false; }
    const cairn_closure_state state = cairn_candidates_story(d->waiting, of->story)->state;
    return state == CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE || state == CAIRN_CLOSURE_ACCEPTED_BY_MAP;
}

static void drive_say(cairn_bench_report *report, const char *name, const drive *d)
{
    uint32_t found[2] = {0}, wrong[2] = {0}; // trusted, accepted
    for (uint32_t i = 0; i < d->candidate_count; i++) {
        const candidate *of = &d->candidates[i];
        for (int k = 0; k < 2 && of->is_trusted; k++) {
            if (k == 1 && !is_accepted(d, of)) { continue; }
            found[k] += of->is_revisit && of->is_right;
            wrong[k] += !of->is_right;
        }
    }
    say(report, name, "revisits", "", d->revisit_count);
    say(report, name, "revisits trusted", "%", 100.0 * found[0] / d->revisit_count);
    say(report, name, "wrong ones trusted", "of 10,000", wrong[0]);
    say(report, name, "revisits accepted", "%", 100.0 * found[1] / d->revisit_count);
    say(report, name, "wrong ones accepted", "of 10,000", wrong[1]);
    say(report, name, "validation", "s", d->validating_s);
}

static cairn_err drive_measure(cairn_bench_report *report, const char *name, drive *d, cairn_complaints *complaints)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/laser/%s-corrected.log.gz", report->data, name);
    cairn_log_node *nodes = NULL;
    cairn_laser_log log = {0};
    cairn_err err = cairn_log_nodes_read(path, NODES_MAX, d->memory, complaints, &nodes, &d->node_count);
    if (err == CAIRN_OK) { err = cairn_carmen_open(path, complaints, &log); }
    d->nodes = nodes;
    d->candidates = CAIRN_TAKE(d->memory, candidate, CANDIDATES);
    if (err == CAIRN_OK && d->candidates == NULL) { err = CAIRN_ERR_FULL; }
    const cairn_correlative_def def = cairn_correlative_def_default();
    const cairn_graph_def graph_def = {.degrees = 3, .nodes_max = NODES_MAX, .factors_max = NODES_MAX + CANDIDATES};
    if (err == CAIRN_OK) { err = cairn_correlative_create(&def, d->memory, &d->matcher); }
    if (err == CAIRN_OK) { err = cairn_graph_create(&graph_def, d->memory, &d->graph); }
    cairn_candidates_def waiting_def = cairn_candidates_def_default();
    waiting_def.stories_max = CANDIDATES;
    if (err == CAIRN_OK) { err = cairn_candidates_create(&waiting_def, d->graph, d->memory, &d->waiting); }
    if (err == CAIRN_OK) { err = odometry_add(d, &log, log.scan_count - d->node_count); }
    if (err == CAIRN_OK) {
        candidates_draw(d);
        err = closures_propose(d);
    }
    if (err == CAIRN_OK) { drive_say(report, name, d); }
    cairn_laser_log_close(&log);
    return err;
}

cairn_err cairn_bench_slam_closures(cairn_bench_report *report, cairn_complaints *complaints)
{
    static const char *const logs[] = {"intel",           "aces", "infinite-corridor", "belgioioso", "acapulco",
                                       "freiburg-campus", "csail"};
    if (report->data == NULL) {
        cairn_bench_say_not(report, "slam", "closures", "--data DIR wants DIR/laser/*-corrected.log.gz");
        return CAIRN_OK;
    }
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0] && err == CAIRN_OK; i++) {
        cairn_arena memory = {0};
        err = cairn_arena_create(&memory, MEMORY_BYTES);
        drive d = {.memory = &memory};
        if (err == CAIRN_OK) { err = drive_measure(report, logs[i], &d, complaints); }
        cairn_arena_destroy(&memory);
    }
    return err;
}
