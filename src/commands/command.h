// command.h - one subcommand of `cairn`, and how all of them read options and speak to people.
//
// Exit status everywhere: 0 done, 1 failed, 2 wrong usage. Usage and results go to stdout, trouble to stderr.
#pragma once
#include "base/status.h"

enum { CAIRN_EXIT_DONE = 0, CAIRN_EXIT_FAILED = 1, CAIRN_EXIT_USAGE = 2 };

typedef struct cairn_command {
    const char *name;                  // "arena"
    const char *summary;               // one line for `cairn --help`
    int (*run)(int argc, char **argv); // argv[0] is the command's own name
} cairn_command;

int cairn_arena_run(int argc, char **argv);
int cairn_bench_run(int argc, char **argv);
int cairn_campaign_run(int argc, char **argv);
int cairn_demo_run(int argc, char **argv);
int cairn_doctor_run(int argc, char **argv);
int cairn_graph_run(int argc, char **argv);
int cairn_keys_run(int argc, char **argv);
int cairn_map_run(int argc, char **argv);
int cairn_mission_run(int argc, char **argv);
int cairn_replay_run(int argc, char **argv);
int cairn_sim_run(int argc, char **argv);
int cairn_slam_run(int argc, char **argv);
int cairn_robot_run(int argc, char **argv);
int cairn_station_run(int argc, char **argv);
int cairn_stop_run(int argc, char **argv);
int cairn_store_run(int argc, char **argv);
int cairn_version_run(int argc, char **argv);

// "cairn mission run: --seed wants a whole number of at least 0, not 'x'" and where to read on; returns
// CAIRN_EXIT_USAGE.
int cairn_usage_error(const char *command, const char *format, ...) CAIRN_PRINTF(2, 3);
// Prints the complaints and what failed; returns CAIRN_EXIT_FAILED.
int cairn_command_failed(const char *command, cairn_err err, const cairn_complaints *complaints);

// For a program that others depend on: Ctrl-C and SIGTERM call the handler, and a log that nobody reads any longer (`|
// tee`, and tee is gone) does not end it, nor what it starts.
void cairn_command_serve(void (*handler)(int signal_number));

// One option as the command line gives it: `--name value` or `--name=value`, or a bare `--flag`.
typedef enum cairn_option_kind {
    CAIRN_OPTION_FLAG,  // bool *
    CAIRN_OPTION_TEXT,  // const char **
    CAIRN_OPTION_COUNT, // uint64_t *, within min..max
    CAIRN_OPTION_REAL   // double *, within min..max
} cairn_option_kind;

typedef struct cairn_option {
    const char *name; // without the dashes; a single letter is also taken as -x
    cairn_option_kind kind;
    void *value;
    double min, max; // of COUNT and REAL
} cairn_option;

// Reads argv[1..]; what is no option is collected in ret_words (borrowed from argv). Returns false after having
// said what is wrong (status CAIRN_EXIT_USAGE) or after --help (status CAIRN_EXIT_DONE, usage printed).
bool cairn_options_read(const char *command, const char *usage, int argc, char **argv, const cairn_option *options,
                        size_t option_count, const char **ret_words, size_t word_count_max, size_t *ret_word_count,
                        int *ret_status);
