// bench slam, mbicp - consecutive scans of a recorded drive laid on each other.
//
// The drive is intel's, thinned to a scan every half metre or half radian, with somebody's corrected poses. The prior
// is odometry. A match is all of it: making both scans ready (each once, as odometry does), and laying one on the
// other. The error is against the corrected poses, which are themselves only a particle filter's. CSM's figures were
// measured before, on a machine like this.
#include "base/clock.h"
#include "commands/bench/slam/bench_slam.h"
#include "matching/mbicp.h"
#include "slam/log/carmen_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 7 // the fastest counts: what else the machine does only adds
#define PRIOR_M 0.1
#define PRIOR_RAD 0.05
#define RANGE_M_MAX 40.0
#define CSM_PER_S 2000.0
#define CSM_MEDIAN_CM 2.4

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Lays every scan on the one before; returns the processor's time.
static int64_t match_all(const cairn_laser_log *log, cairn_arena *memory, double *ret_errors_m)
{
    static cairn_scan_points points; // large
    const cairn_mbicp_def def = cairn_mbicp_def_default();
    cairn_mbicp_scan before = {0}, scan;
    cairn_arena_reset(memory, 0);
    const int64_t start = cairn_thread_cpu_ns();
    for (uint32_t i = 0; i < log->scan_count; i++) {
        cairn_laser_log_points(log, i, RANGE_M_MAX, &points);
        const cairn_err err = cairn_mbicp_scan_make(&points, RANGE_M_MAX, memory, &scan);
        CAIRN_ASSERT(err == CAIRN_OK);
        if (i > 0) {
            const cairn_log_scan *a = &log->scans[i - 1], *b = &log->scans[i];
            const cairn_match_prior prior =
                cairn_match_prior_make(cairn_pose2_between(a->odom_T_base, b->odom_T_base), PRIOR_M, PRIOR_RAD);
            const cairn_mbicp_reference reference = {.scan = &before};
            const cairn_pose2 wanted = cairn_pose2_between(a->log_T_base, b->log_T_base);
            cairn_match match;
            cairn_mbicp_match(&def, &reference, 1, &scan, &prior, &match);
            ret_errors_m[i - 1] = hypot(match.pose.x_m - wanted.x_m, match.pose.y_m - wanted.y_m);
        }
        before = scan;
    }
    return cairn_thread_cpu_ns() - start;
}

static void say(cairn_bench_report *report, const cairn_laser_log *log, int64_t best_ns, double *errors_m)
{
    const uint32_t pairs = log->scan_count - 1;
    qsort(errors_m, pairs, sizeof *errors_m, by_value);
    cairn_bench_figure figure = {.bench = "slam",
                                 .subject = "mbicp, consecutive scans of intel",
                                 .metric = "matches",
                                 .unit = "1/s",
                                 .ours = pairs / cairn_seconds(best_ns),
                                 .peer_name = "CSM, measured before",
                                 .peer = CSM_PER_S};
    cairn_bench_say(report, &figure);
    figure.metric = "median error";
    figure.unit = "cm";
    figure.ours = 100 * errors_m[pairs / 2];
    figure.peer = CSM_MEDIAN_CM;
    cairn_bench_say(report, &figure);
}

cairn_err cairn_bench_slam_mbicp(cairn_bench_report *report, cairn_complaints *complaints)
{
    if (report->data == NULL) {
        cairn_bench_say_not(report, "slam", "mbicp, consecutive scans of intel", "needs recorded data: --data DIR");
        return CAIRN_OK;
    }
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/laser/intel-corrected.log.gz", report->data);
    cairn_laser_log log;
    cairn_err err = cairn_carmen_open(path, complaints, &log);
    if (err != CAIRN_OK) { return err; }
    cairn_arena memory = {0};
    double *errors_m = malloc(log.scan_count * sizeof *errors_m);
    err = cairn_arena_create(&memory, log.scan_count * cairn_mbicp_scan_bytes(CAIRN_SCAN_POINTS_MAX));
    if (err == CAIRN_OK && (errors_m == NULL || log.scan_count < 2)) { err = CAIRN_ERR_FULL; }
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        const int64_t took_ns = match_all(&log, &memory, errors_m);
        if (took_ns < best_ns) { best_ns = took_ns; }
    }
    if (err == CAIRN_OK) { say(report, &log, best_ns, errors_m); }
    free(errors_m);
    cairn_arena_destroy(&memory);
    cairn_laser_log_close(&log);
    return err;
}
