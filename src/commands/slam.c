// cairn slam - scores trajectories.
#include "commands/slam/slam.h"
#include "commands/command.h"
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: cairn slam eval TRAJECTORY --relations FILE | --reference FILE [options]\n"
    "\n"
    "Says how well a mapper's trajectory keeps to what is known. `cairn slam eval --help` tells more.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Example: cairn slam eval out/intel/trajectory.tum --relations intel.relations\n";

int cairn_slam_run(int argc, char **argv)
{
    if (argc < 2) { return cairn_usage_error("cairn slam", "expected eval"); }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    if (strcmp(argv[1], "eval") == 0) { return cairn_slam_eval_run(argc - 1, argv + 1); }
    return cairn_usage_error("cairn slam", "there is no '%s'; expected eval", argv[1]);
}
