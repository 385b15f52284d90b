// bench slam, correlative - matches a second of two terrain maps, their pyramids included.
//
// Maps of 150 x 150 cells of 10 cm, searched +-3 m and +-45 degrees around a prior: no offset for pairs that overlap,
// so that the truth is anywhere within 2 m and 45 degrees; any for those that do not. Always the same pairs: drawn from
// recorded drives with --data, otherwise from places in the shipped arenas. A match is all of it: both pyramids, the
// exact best, covariance, ambiguity, free floor.
#include "base/clock.h"
#include "base/random.h"
#include "body/description_io.h"
#include "commands/bench/bench_places.h"
#include "commands/bench/slam/bench_slam.h"
#include "commands/bench/slam/log_nodes.h"
#include "matching/correlative.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PAIRS 200
#define TRIES_MAX 4000000 // draws until enough pairs are found
#define ROUNDS 15         // of each pair the fastest counts: what else the machine does only adds
#define NODES_MAX 2000
#define SINCE_NODES 30 // overlapping pairs are at least this many nodes apart: revisits, not neighbours
#define NEAR_M 2.0
#define NEAR_RAD (0.25 * CAIRN_PI)
#define FAR_M 22.0 // maps whose corners are 10.6 m from their nodes cannot overlap
#define PLACES 600
#define CLEARANCE_M 0.4
#define MEMORY_BYTES (128u << 20)

typedef struct pair {
    uint32_t reference, scan;
    cairn_match_prior prior;
} pair;

typedef struct pair_list {
    uint32_t count;
    pair pairs[PAIRS];
} pair_list;

static bool wanted(const cairn_log_node *nodes, uint32_t a, uint32_t b, bool overlapping, uint32_t since)
{
    const cairn_pose2 apart = cairn_pose2_between(nodes[a].map_T_node, nodes[b].map_T_node);
    const double away_m = cairn_vec2_length(cairn_pose2_at(apart));
    if (!overlapping) { return away_m > FAR_M; }
    return away_m < NEAR_M && fabs(apart.yaw_rad) < NEAR_RAD && (uint32_t)abs((int)a - (int)b) >= since;
}

static void pairs_draw(const cairn_log_node *nodes, uint32_t node_count, bool overlapping, uint32_t since,
                       pair_list *ret_list)
{
    cairn_random random;
    cairn_random_init(&random, 1, overlapping ? "bench/overlapping" : "bench/apart");
    ret_list->count = 0;
    for (uint32_t i = 0; i < TRIES_MAX && ret_list->count < PAIRS; i++) {
        const uint32_t a = cairn_random_below(&random, node_count), b = cairn_random_below(&random, node_count);
        if (!wanted(nodes, a, b, overlapping, since)) { continue; }
        cairn_pose2 about = {0};
        if (!overlapping) { about.yaw_rad = cairn_random_between(&random, -CAIRN_PI, CAIRN_PI); }
        ret_list->pairs[ret_list->count++] = (pair){a, b, cairn_match_prior_make(about, 1, NEAR_RAD)};
    }
}

typedef struct bench_matcher {
    cairn_correlative *correlative;
    cairn_pyramid *reference, *scan;
} bench_matcher;

static cairn_err matcher_make(cairn_arena *memory, bench_matcher *ret_matcher)
{
    const cairn_correlative_def def = cairn_correlative_def_default();
    cairn_pyramid_def pyramid_def = cairn_pyramid_def_default();
    pyramid_def.width_max = pyramid_def.height_max = CAIRN_NODE_SIDE;
    cairn_err err = cairn_correlative_create(&def, memory, &ret_matcher->correlative);
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid_def, memory, &ret_matcher->reference); }
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid_def, memory, &ret_matcher->scan); }
    return err;
}

typedef struct pairs_result {
    double per_s;
    uint32_t right, trusted; // of all pairs: within 0.3 m and 5 degrees of the log's poses; trusted
} pairs_result;

static bool is_right(const cairn_log_node *nodes, const pair *of, cairn_pose2 found)
{
    const cairn_pose2 truth = cairn_pose2_between(nodes[of->reference].map_T_node, nodes[of->scan].map_T_node);
    const cairn_pose2 off = cairn_pose2_between(truth, found);
    return cairn_vec2_length(cairn_pose2_at(off)) < 0.3 && fabs(off.yaw_rad) < 0.09;
}

static cairn_match pair_match(const bench_matcher *m, const cairn_log_node *nodes, const pair *of, double *ret_took_s)
{
    cairn_match match;
    const int64_t started_ns = cairn_thread_cpu_ns();
    cairn_pyramid_set_grid(m->reference, &nodes[of->reference].planes);
    cairn_pyramid_set_grid(m->scan, &nodes[of->scan].planes);
    cairn_match_correlative(m->correlative, m->reference, m->scan, &of->prior, &match);
    *ret_took_s = 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns);
    return match;
}

static pairs_result pairs_measure(const bench_matcher *m, const cairn_log_node *nodes, const pair_list *list)
{
    pairs_result result = {0};
    double best_s[PAIRS], sum_s = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < list->count; i++) {
            double took_s;
            const cairn_match match = pair_match(m, nodes, &list->pairs[i], &took_s);
            best_s[i] = round == 0 ? took_s : fmin(best_s[i], took_s);
            if (round > 0) { continue; }
            result.right += match.score > 0 && is_right(nodes, &list->pairs[i], match.pose);
            result.trusted += match.is_trusted;
        }
    }
    for (uint32_t i = 0; i < list->count; i++) { sum_s += best_s[i]; }
    result.per_s = list->count / sum_s;
    return result;
}

static void say(cairn_bench_report *report, const char *subject, const char *metric, const char *unit, double value)
{
    cairn_bench_say(report, &(cairn_bench_figure){"slam", subject, metric, unit, value, NULL, 0});
}

static cairn_err place_measure(cairn_bench_report *report, const char *name, const cairn_log_node *nodes,
                               uint32_t count, uint32_t since, cairn_arena *memory)
{
    static pair_list list; // large
    bench_matcher matcher;
    const cairn_err err = matcher_make(memory, &matcher);
    if (err != CAIRN_OK) { return err; }
    for (int overlapping = 1; overlapping >= 0; overlapping--) {
        pairs_draw(nodes, count, overlapping, since, &list);
        const pairs_result result = pairs_measure(&matcher, nodes, &list);
        char subject[128];
        snprintf(subject, sizeof subject, "correlative, %s, %u pairs %s", name, list.count,
                 overlapping ? "overlapping" : "apart");
        say(report, subject, "matches", "1/s", result.per_s);
        if (overlapping) { say(report, subject, "right", "%", 100.0 * result.right / list.count); }
        say(report, subject, "trusted", "%", 100.0 * result.trusted / list.count);
    }
    return CAIRN_OK;
}

// Places all over an arena, each with what the emu's laser sees from there.
static cairn_err places_make(const char *path, uint32_t count, cairn_arena *memory, cairn_complaints *complaints,
                             cairn_log_node *ret_nodes)
{
    static cairn_sim_arena arena;
    static cairn_body_description robot;
    static cairn_scan_points points; // large
    const cairn_local_grid_def grid_def = cairn_local_grid_def_default();
    cairn_local_grid *grid = NULL;
    cairn_rays *rays = NULL;
    cairn_err err = cairn_body_description_read("robots/emu.yaml", complaints, &robot);
    if (err == CAIRN_OK) { err = cairn_sim_arena_read(path, memory, complaints, &arena); }
    if (err == CAIRN_OK) { err = cairn_local_grid_create(&grid_def, memory, &grid); }
    if (err != CAIRN_OK) { return err; }
    const cairn_body_description *robots[] = {&robot};
    err = cairn_rays_planar.create(&(cairn_rays_def){.arena = &arena, .robot_count = 1, .robots = robots}, complaints,
                                   &rays);
    if (err != CAIRN_OK) { return err; }
    cairn_random random;
    cairn_random_init(&random, 1, "bench/places");
    for (uint32_t i = 0; i < count; i++) {
        const cairn_pose2 place = cairn_bench_free_place(&arena, CLEARANCE_M, &random);
        const cairn_mono now = {CAIRN_S(100) * (1 + (int64_t)i)}; // by then all of before is forgotten
        ret_nodes[i].map_T_node = ret_nodes[i].odom_T_node = place;
        cairn_bench_look(rays, &robot.laser, place, &random, &points);
        cairn_local_grid_centre(grid, cairn_pose2_at(place));
        cairn_local_grid_add(grid, place, &points, now);
        cairn_terrain_planes_sample(grid, place, CAIRN_NODE_CELL_M, CAIRN_NODE_SIDE, now, &ret_nodes[i].planes);
    }
    cairn_rays_planar.destroy(rays);
    return CAIRN_OK;
}

static cairn_err arena_measure(cairn_bench_report *report, cairn_arena *memory, cairn_complaints *complaints)
{
    const size_t mark = cairn_arena_mark(memory);
    cairn_log_node *nodes = CAIRN_TAKE(memory, cairn_log_node, PLACES);
    cairn_err err = nodes == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
    if (err == CAIRN_OK) { err = places_make("arenas/office.yaml", PLACES, memory, complaints, nodes); }
    if (err == CAIRN_OK) { err = place_measure(report, "office arena", nodes, PLACES, 1, memory); }
    cairn_arena_reset(memory, mark);
    return err;
}

static cairn_err log_measure(cairn_bench_report *report, const char *name, cairn_arena *memory,
                             cairn_complaints *complaints)
{
    const size_t mark = cairn_arena_mark(memory);
    char path[1024];
    snprintf(path, sizeof path, "%s/laser/%s-corrected.log.gz", report->data, name);
    cairn_log_node *nodes = NULL;
    uint32_t count = 0;
    cairn_err err = cairn_log_nodes_read(path, NODES_MAX, memory, complaints, &nodes, &count);
    if (err == CAIRN_OK) { err = place_measure(report, name, nodes, count, SINCE_NODES, memory); }
    cairn_arena_reset(memory, mark);
    return err;
}

cairn_err cairn_bench_slam_correlative(cairn_bench_report *report, cairn_complaints *complaints)
{
    static const char *const logs[] = {"intel", "aces", "infinite-corridor"}; // an office, corridors, long ones
    cairn_arena memory = {0};
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = arena_measure(report, &memory, complaints); }
    for (size_t i = 0; i < sizeof logs / sizeof logs[0] && err == CAIRN_OK && report->data != NULL; i++) {
        err = log_measure(report, logs[i], &memory, complaints);
    }
    if (report->data == NULL) {
        cairn_bench_say_not(report, "slam", "correlative, recorded drives",
                            "--data DIR wants DIR/laser/*-corrected.log.gz");
    }
    cairn_arena_destroy(&memory);
    return err;
}
