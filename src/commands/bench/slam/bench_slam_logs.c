// bench slam, logs - whole recorded drives mapped by `graph`, and how well they keep to what is known.
//
// The benchmark of Kuemmerle et al. 2009 with one set of parameters for all logs; Cartographer's figures are as
// published by Hess et al. 2016, with parameters of its authors' choice. Scans a second by the processor's time of the
// thread, reading and drawing left out. mit-csail has no relations, but others have mapped it by a graph of theirs:
// their poses of half its scans are a reference, good to about 0.1 m.
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
    const char *mapped; // by others: a log with their poses; NULL: there are relations
} recorded;

static const recorded logs[] = {{"intel", 0.0229, NULL},
                                {"aces", 0.0375, NULL},
                                {"mit-killian", 0.0395, NULL},
                                {"mit-csail", 0, "mit-csail.flirt.log.xz"}};

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

static cairn_err trajectory_make(uint32_t count, cairn_trajectory *ret_trajectory)
{
    *ret_trajectory = (cairn_trajectory){count, malloc(count * sizeof(cairn_stamped_pose))};
    return ret_trajectory->poses == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
}

static cairn_err judge_by_relations(const char *path, const cairn_trajectory *trajectory, cairn_complaints *complaints,
                                    cairn_trajectory_errors *ret_errors)
{
    cairn_relations relations = {0};
    const cairn_err err = cairn_relations_open(path, complaints, &relations);
    if (err != CAIRN_OK) { return err; }
    cairn_eval_relations(trajectory, relations.relations, relations.count, CAIRN_S(1), ret_errors);
    cairn_relations_close(&relations);
    return CAIRN_OK;
}

static cairn_err judge_by_mapped(const char *path, const cairn_trajectory *trajectory, cairn_complaints *complaints,
                                 cairn_trajectory_errors *ret_errors)
{
    cairn_laser_log mapped = {0};
    cairn_trajectory reference = {0};
    cairn_arena scratch = {0};
    cairn_reference_errors errors;
    cairn_err err = cairn_carmen_open(path, complaints, &mapped);
    if (err == CAIRN_OK) { err = trajectory_make(mapped.scan_count, &reference); }
    for (uint32_t i = 0; i < mapped.scan_count && err == CAIRN_OK; i++) {
        reference.poses[i] = (cairn_stamped_pose){mapped.scans[i].stamp_ns, mapped.scans[i].log_T_base};
    }
    if (err == CAIRN_OK) { err = cairn_arena_create(&scratch, cairn_eval_reference_bytes(trajectory->count)); }
    if (err == CAIRN_OK) {
        cairn_trajectory_sort(&reference);
        err = cairn_eval_reference(trajectory, &reference, 1, CAIRN_S(1), &scratch, &errors);
    }
    if (err == CAIRN_OK) { *ret_errors = errors.absolute; }
    cairn_arena_destroy(&scratch);
    free(reference.poses);
    cairn_laser_log_close(&mapped);
    return err;
}

static cairn_err judge(cairn_bench_report *report, const recorded *of, const cairn_laser_log *log,
                       const cairn_mapper *mapper, cairn_complaints *complaints, cairn_trajectory_errors *ret_errors)
{
    cairn_trajectory trajectory;
    cairn_err err = trajectory_make(log->scan_count, &trajectory);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < log->scan_count; i++) {
        trajectory.poses[i] = (cairn_stamped_pose){log->scans[i].stamp_ns, cairn_mapper_pose(mapper, i)};
    }
    cairn_trajectory_sort(&trajectory);
    char path[1024];
    if (of->mapped != NULL) {
        (void)snprintf(path, sizeof path, "%s/laser/%s", report->data, of->mapped);
        err = judge_by_mapped(path, &trajectory, complaints, ret_errors);
    } else {
        (void)snprintf(path, sizeof path, "%s/laser/%s.relations", report->data, of->name);
        err = judge_by_relations(path, &trajectory, complaints, ret_errors);
    }
    free(trajectory.poses);
    return err;
}

static void say(cairn_bench_report *report, const recorded *of, uint32_t scan_count, int64_t took_ns,
                const cairn_trajectory_errors *errors)
{
    char subject[64];
    (void)snprintf(subject, sizeof subject, "%s by graph", of->name);
    cairn_bench_figure figure = {.bench = "slam",
                                 .subject = subject,
                                 .metric = of->mapped != NULL ? "ATE to others' map, mean" : "relations, translation",
                                 .unit = "m",
                                 .ours = errors->translation_m.mean,
                                 .peer_name = of->mapped != NULL ? NULL : "Cartographer, published",
                                 .peer = of->cartographer_m};
    cairn_bench_say(report, &figure);
    figure = (cairn_bench_figure){.bench = "slam",
                                  .subject = subject,
                                  .metric = of->mapped != NULL ? "ATE to others' map, heading" : "relations, rotation",
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
    cairn_mapper mapper = {0};
    cairn_trajectory_errors errors;
    int64_t took_ns = 0;
    (void)snprintf(path, sizeof path, "%s/laser/%s.clf.xz", report->data, of->name);
    cairn_err err = cairn_carmen_open(path, complaints, &log);
    if (err == CAIRN_OK) {
        err = cairn_mapper_create(CAIRN_MAPPER_GRAPH, log.scan_count, CAIRN_SCAN_POINTS_MAX, &mapper);
    }
    if (err == CAIRN_OK) { err = map_log(&log, &mapper, &took_ns); }
    if (err == CAIRN_OK) { err = judge(report, of, &log, &mapper, complaints, &errors); }
    if (err == CAIRN_OK) { say(report, of, log.scan_count, took_ns, &errors); }
    cairn_mapper_destroy(&mapper);
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
