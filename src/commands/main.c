// cairn - one program, subcommands that read like sentences.
#include "commands/command.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const cairn_command commands[] = {
    {"demo", "a simulated rescue in real time, with the operator's page", cairn_demo_run},
    {"mission", "run a rescue in the simulator and score it", cairn_mission_run},
    {"robot", "one robot: reflex and mind, watched and started again", cairn_robot_run},
    {"station", "the ground station of a team, with the operator's page", cairn_station_run},
    {"stop", "stop all robots, or one, from the station's command line", cairn_stop_run},
    {"sim", "the world and the radio for robots and a station that run on their own", cairn_sim_run},
    {"arena", "list, check and draw the places to search", cairn_arena_run},
    {"map", "look at maps in files, convert, draw and compare them", cairn_map_run},
    {"slam", "map a recorded drive, and score trajectories", cairn_slam_run},
    {"graph", "pose graphs in files: optimize them, or tell what is in them", cairn_graph_run},
    {"keys", "make, list and revoke the keys that robots share with the station", cairn_keys_run},
    {"replay", "look at a mission again from its journal", cairn_replay_run},
    {"store", "what a station was told and whom it found, from its store", cairn_store_run},
    {"campaign", "robots in trouble by chance: do they keep what is promised", cairn_campaign_run},
    {"bench", "measure, beside the peers that are installed", cairn_bench_run},
    {"doctor", "is this machine fit, and what to do if not", cairn_doctor_run},
    {"version", "what this program is and was built with", cairn_version_run},
};

static void print_usage(FILE *to)
{
    fputs("usage: cairn COMMAND [options]\n\n"
          "Software for teams of search-and-rescue robots watched over by one person.\n\n",
          to);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n`cairn COMMAND --help` tells more, with examples. Exit status: 0 done, 1 failed, 2 wrong usage.\n\n"
          "Example: cairn demo\n",
          to);
}

// Results that could not be written, to a full disk for instance, are a failure even if all else went well.
static int after_writing(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) { return status; }
    fprintf(stderr, "cairn: the results could not be written: %s\n", strerror(errno));
    return status == CAIRN_EXIT_DONE ? CAIRN_EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CAIRN_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return CAIRN_EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) { return cairn_version_run(1, argv + 1); }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) { return after_writing(commands[i].run(argc - 1, argv + 1)); }
    }
    return cairn_usage_error("cairn", "there is no command '%s'", argv[1]);
}
