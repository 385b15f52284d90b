// bench slam - matching and pose graphs: one part after the other.
//
// A part that needs recorded data reads it from --data DIR, and says so if there is none.
#include "commands/bench/slam/bench_slam.h"

static const cairn_bench_slam_part parts[] = {
    cairn_bench_slam_mbicp,  cairn_bench_slam_logs,     cairn_bench_slam_correlative, cairn_bench_slam_closures,
    cairn_bench_slam_graphs, cairn_bench_slam_outliers, cairn_bench_slam_teams};

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && err == CAIRN_OK; i++) {
        err = parts[i](report, complaints);
    }
    return err;
}

const cairn_bench cairn_bench_slam = {"slam", "scan matching and pose graphs; recorded logs and graphs with --data",
                                      run};
