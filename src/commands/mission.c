// cairn mission run - a mission headless, in lockstep or in real time.
#include "commands/command.h"
#include "commands/interrupts.h"
#include "commands/mission_inputs.h"
#include "commands/progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn mission run"
#define DONE_FOR_NS CAIRN_S(3) // the station must find nothing to do for this long

static const char usage[] =
    "usage: cairn mission run FILE [options]\n"
    "\n"
    "Runs a mission in the simulator, in lockstep and as fast as the machine can, and writes report.html, map.png,\n"
    "map.tif, each robot's own map_NAME.tif, map_victims.csv, map_ways.csv, graph.g2o, closures.csv,\n"
    "collisions.csv, score.json, series.csv and journal.mcap. The same seed gives the same bytes. Ctrl-C, SIGTERM\n"
    "and SIGHUP end it early, with the results of what was done; a result that cannot be written is told, costs no\n"
    "other, and the exit status is 1.\n"
    "\n"
    "  --seed N         what chance does: noise, slip, drop-outs                [1]\n"
    "  --out DIR        where the results go; made if missing                   [out/NAME-SEED]\n"
    "  --physics NAME   planar: flat and fast; mujoco: bodies and contacts      [from FILE]\n"
    "  --duration S     simulated seconds at most                               [from FILE]\n"
    "  --workers N      threads; never changes the result, 0 takes all          [0]\n"
    "  --realtime       on threads and by this machine's clock, for the whole duration; never twice the same\n"
    "  --no-journal     leave the journal (and the hash) out\n"
    "  --json           print score.json instead of words\n"
    "\n"
    "docs/missions.md tells how to write a mission file, and what the scores are. Exit status: 0 done, 1 failed, 2 "
    "wrong usage.\n"
    "\n"
    "Examples: cairn mission run missions/maze.yaml\n"
    "          cairn mission run missions/maze.yaml --seed 7 --physics planar --out /tmp/maze7 --json\n";

typedef struct mission_options {
    const char *file, *out, *physics;
    uint64_t seed, workers;
    double duration_s;
    bool json, no_journal, realtime;
} mission_options;

// Runs second by second, to show how it goes and to end when all is done.
static cairn_score_end run_team(cairn_team *team, const cairn_mission_inputs *inputs, double duration_s, bool quiet)
{
    cairn_progress progress;
    cairn_progress_init(&progress, cairn_mono_now(), !quiet);
    const int64_t end_ns = cairn_ns_from_seconds(duration_s);
    int64_t done_since_ns = -1;
    bool done = false;
    while (cairn_team_now(team).ns < end_ns && !done && !cairn_interrupts_came()) {
        const int64_t next_ns = cairn_team_now(team).ns + CAIRN_S(1);
        cairn_team_run(team, (cairn_mono){next_ns < end_ns ? next_ns : end_ns});
        cairn_station_view station;
        cairn_team_station(team, &station);
        const int64_t sim_ns = cairn_team_now(team).ns;
        if (!station.done) { done_since_ns = -1; }
        if (station.done && done_since_ns < 0) { done_since_ns = sim_ns; }
        const cairn_mono wall = cairn_mono_now();
        if (cairn_progress_is_due(&progress, wall)) {
            const double speed = (double)sim_ns / (double)(cairn_mono_since(wall, progress.start) + 1);
            cairn_progress_draw(&progress, wall, (double)sim_ns / (double)end_ns,
                                "%3.0f s  explored %3.0f %%  victims %u/%u  %.0fx real time", cairn_seconds(sim_ns),
                                100 * cairn_team_explored(team), station.victims->victim_count,
                                inputs->arena.victim_count, speed);
        }
        done = inputs->file.end_when_done && station.done && sim_ns - done_since_ns >= DONE_FOR_NS;
    }
    cairn_progress_finish(&progress);
    return cairn_interrupts_came() ? CAIRN_ENDED_INTERRUPTED : done ? CAIRN_ENDED_DONE : CAIRN_ENDED_TIME;
}

static cairn_err run_mission(const mission_options *options, const cairn_mission_inputs *inputs, cairn_workers *workers,
                             cairn_complaints *complaints)
{
    cairn_team_def def = cairn_mission_team_def(inputs, options->seed);
    def.workers = workers;
    def.realtime = options->realtime;
    if (options->no_journal) { def.journal_path = NULL; }
    const cairn_mono started = cairn_mono_now();
    cairn_team *team = NULL;
    cairn_err err = cairn_team_create(&def, complaints, &team);
    if (err != CAIRN_OK) { return err; }
    const double duration_s = options->duration_s > 0 ? options->duration_s : inputs->file.duration_s;
    cairn_interrupts_watch(team);
    cairn_score_end ended = CAIRN_ENDED_TIME;
    if (options->realtime) {
        cairn_team_run(team, (cairn_mono){cairn_ns_from_seconds(duration_s)});
        if (cairn_interrupts_came()) { ended = CAIRN_ENDED_INTERRUPTED; }
    } else {
        ended = run_team(team, inputs, duration_s, options->json);
    }
    cairn_interrupts_watch(NULL);
    static cairn_score score; // large
    char *json = NULL;
    err = cairn_mission_write_results(team, inputs, ended, complaints, &score, &json);
    if (options->json && json != NULL) { puts(json); }
    if (!options->json) {
        cairn_mission_tell(&score, inputs, cairn_seconds(cairn_mono_since(cairn_mono_now(), started)));
    }
    free(json);
    cairn_team_destroy(team);
    return err;
}

static int run(const mission_options *options)
{
    static cairn_mission_inputs inputs; // large
    static cairn_complaints complaints; // large
    cairn_workers *workers = NULL;
    cairn_interrupts_listen();
    cairn_err err = cairn_workers_create((uint32_t)options->workers, &workers);
    if (err == CAIRN_OK) {
        err = cairn_mission_inputs_read(&inputs, options->file, options->physics, options->out, options->seed,
                                        &complaints);
    }
    if (err == CAIRN_OK) {
        char further[64] = "";
        const char *realtime = options->realtime ? " --realtime" : "";
        if (options->duration_s > 0) {
            snprintf(further, sizeof further, "--duration %g%s", options->duration_s, realtime);
        } else if (options->realtime) {
            snprintf(further, sizeof further, "--realtime");
        }
        cairn_mission_remember(&inputs, COMMAND, options->seed, further);
        err = run_mission(options, &inputs, workers, &complaints);
    }
    cairn_workers_destroy(workers);
    cairn_mission_inputs_finish(&inputs);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

static int read_options_and_run(int argc, char **argv)
{
    mission_options options = {.seed = 1};
    const cairn_option known[] = {
        {"seed", CAIRN_OPTION_COUNT, &options.seed, 0, 9e15},
        {"out", CAIRN_OPTION_TEXT, &options.out, 0, 0},
        {"physics", CAIRN_OPTION_TEXT, &options.physics, 0, 0},
        {"duration", CAIRN_OPTION_REAL, &options.duration_s, 0.1, 1e6},
        {"workers", CAIRN_OPTION_COUNT, &options.workers, 0, 64},
        {"realtime", CAIRN_OPTION_FLAG, &options.realtime, 0, 0},
        {"no-journal", CAIRN_OPTION_FLAG, &options.no_journal, 0, 0},
        {"json", CAIRN_OPTION_FLAG, &options.json, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.file, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) {
        return cairn_usage_error(COMMAND, "FILE is missing; expected a mission file, such as missions/maze.yaml");
    }
    if (!cairn_mission_physics_is_known(COMMAND, options.physics)) { return CAIRN_EXIT_USAGE; }
    return run(&options);
}

int cairn_mission_run(int argc, char **argv)
{
    if (argc < 2) { return cairn_usage_error("cairn mission", "expected run, and a mission file"); }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    if (strcmp(argv[1], "run") == 0) { return read_options_and_run(argc - 1, argv + 1); }
    return cairn_usage_error("cairn mission", "there is no '%s'; expected run, and a mission file", argv[1]);
}
