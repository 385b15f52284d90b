// bench slam, logs - whole recorded drives mapped by `graph`, and how well they keep to what is known.
//
// The benchmark of Kuemmerle et al. 2009 with one set of parameters for all logs; Cartographer's figures are as
// published by Hess et al. 2016, with parameters of its authors' choice. Scans a second by the processor's time of the
// thread, reading and drawing left out.
#include "base/clock.h"
#include "commands/bench/slam/bench_slam.h"
#include "slam/log/carmen_io.h"
#include "slam/mapper/mapper.h"
#include "slam/trajectory/relations_io.h"
#include "slam/trajectory/trajectory_eval.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CLEAR_M 30.0

typedef struct recorded {
    const char *name;
    double cartographer_m;
} recorded;

static const recorded logs[] = {{"intel", 0.0229}, {"aces", 0.0375}, {"mit-killian", 0.0395}};

static cairn_err map_log(const cairn_laser_log *log, cairn_mapper *mapper, int64_t *ret_ns)
{
    static cairn_scan_points points; // large
    const int64_t start = cairn_thread_cpu_ns();
    cairn_err err = CAIRN_OK;
    for (uint32_t i = 0; i < log->scan_count && err == CAIRN_OK; i++) {
        cairn_laser_log_points(log, i, CLEAR_M, &points);
        err = cairn_mapper_step(mapper, &points, log->scans[i].odom_T_base);
    }
    if (err == CAIRN_OK) { err = cairn_mapper_finish(mapper); }
    *ret_ns = cairn_thread_cpu_ns() - start;
    return err;
}

static cairn_err judge(const cairn_laser_log *log, const cairn_mapper *mapper, const cairn_relations *relations,
                       cairn_trajectory_errors *ret_errors)
{
    cairn_trajectory trajectory = {log->scan_count, malloc(log->scan_count * sizeof(cairn_stamped_pose))};
    if (trajectory.poses == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < log->scan_count; i++) {
        trajectory.poses[i] = (cairn_stamped_pose){log->scans[i].stamp_ns, cairn_mapper_pose(mapper, i)};
    }
    cairn_trajectory_sort(&trajectory);
    cairn_eval_relations(&trajectory, relations->relations, relations->count, CAIRN_S(1), ret_errors);
    free(trajectory.poses);
    return CAIRN_OK;
}

static void say(cairn_bench_report *report, const recorded *of, uint32_t scan_count, int64_t took_ns,
                const cairn_trajectory_errors *errors)
{
    char subject[64];
    (void)snprintf(subject, sizeof subject, "%s by graph", of->name);
    cairn_bench_figure figure = {.bench = "slam",
                                 .subject = subject,
                                 .metric = "relations, translation",
                                 .unit = "m",
                                 .ours = errors->translation_m.mean,
                                 .peer_name = "Cartographer, published",
                                 .peer = of->cartographer_m};
    cairn_bench_say(report, &figure);
    figure = (cairn_bench_figure){.bench = "slam",
                                  .subject = subject,
                                  .metric = "relations, rotation",
                                  .unit = "deg",
                                  .ours = errors->rotation_rad.mean * 180 / CAIRN_PI};
    cairn_bench_say(report, &figure);
    figure.metric = "scans";
    figure.unit = "1/s";
    figure.ours = scan_count / cairn_seconds(took_ns);
    cairn_bench_say(report, &figure);
}

static cairn_err run_log(cairn_bench_report *report, const recorded *of, cairn_complaints *complaints)
{
    char path[1024];
    cairn_laser_log log = {0};
    cairn_relations relations = {0};
    cairn_mapper mapper = {0};
    cairn_trajectory_errors errors;
    int64_t took_ns = 0;
    (void)snprintf(path, sizeof path, "%s/laser/%s.clf.xz", report->data, of->name);
    cairn_err err = cairn_carmen_open(path, complaints, &log);
    (void)snprintf(path, sizeof path, "%s/laser/%s.relations", report->data, of->name);
    if (err == CAIRN_OK) { err = cairn_relations_open(path, complaints, &relations); }
    if (err == CAIRN_OK) {
        err = cairn_mapper_create(CAIRN_MAPPER_GRAPH, log.scan_count, CAIRN_SCAN_POINTS_MAX, &mapper);
    }
    if (err == CAIRN_OK) { err = map_log(&log, &mapper, &took_ns); }
    if (err == CAIRN_OK) { err = judge(&log, &mapper, &relations, &errors); }
    if (err == CAIRN_OK) { say(report, of, log.scan_count, took_ns, &errors); }
    cairn_mapper_destroy(&mapper);
    cairn_relations_close(&relations);
    cairn_laser_log_close(&log);
    return err;
}

cairn_err cairn_bench_slam_logs(cairn_bench_report *report, cairn_complaints *complaints)
{
    if (report->data == NULL) {
        cairn_bench_say_not(report, "slam", "whole logs by graph", "needs recorded data: --data DIR");
        return CAIRN_OK;
    }
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof logs / sizeof logs[0] && err == CAIRN_OK; i++) {
        err = run_log(report, &logs[i], complaints);
    }
    return err;
}
