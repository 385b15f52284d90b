// bench_slam.h - the parts of bench slam, one file each.
#pragma once
#include "commands/bench/bench.h"

typedef cairn_err (*cairn_bench_slam_part)(cairn_bench_report *report, cairn_complaints *complaints);

cairn_err cairn_bench_slam_closures(cairn_bench_report *report, cairn_complaints *complaints); // bench_slam_closures.c
cairn_err cairn_bench_slam_correlative(cairn_bench_report *report,
                                       cairn_complaints *complaints);                        // bench_slam_correlative.c
cairn_err cairn_bench_slam_mbicp(cairn_bench_report *report, cairn_complaints *complaints);  // bench_slam_mbicp.c
cairn_err cairn_bench_slam_logs(cairn_bench_report *report, cairn_complaints *complaints);   // bench_slam_logs.c
cairn_err cairn_bench_slam_graphs(cairn_bench_report *report, cairn_complaints *complaints); // bench_slam_graphs.c
cairn_err cairn_bench_slam_outliers(cairn_bench_report *report, cairn_complaints *complaints); // bench_slam_outliers.c
cairn_err cairn_bench_slam_teams(cairn_bench_report *report, cairn_complaints *complaints);    // bench_slam_teams.c
