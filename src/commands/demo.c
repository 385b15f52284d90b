// cairn demo - a rescue in real time, with the operator's page.
#include "commands/command.h"
#include "commands/interrupts.h"
#include "commands/mission_inputs.h"
#include "commands/progress.h"
#include "link/keys_io.h"
#include "ports/local_door.h"
#include "ports/web_server.h"
#include "ports/web_token_io.h"
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "cairn demo"
#define MISSION "missions/office.yaml"
#define QUIET_WORDS_S 30 // where there is no terminal, a line each

static const char usage[] =
    "usage: cairn demo [MISSION] [options]\n"
    "\n"
    "Runs a simulated rescue in real time and serves the operator's page, where one person watches the map grow, "
    "sends\n"
    "robots, drives them and stops them. Ctrl-C ends it and writes report.html, map.png, map.tif, map_NAME.tif,\n"
    "map_victims.csv, map_ways.csv, graph.g2o, closures.csv, collisions.csv, score.json, series.csv and\n"
    "journal.mcap. Events of the mission file happen here, too.\n"
    "\n"
    "  MISSION          a mission file                                          [missions/office.yaml]\n"
    "  --port N         where the page is served; 0: any that is free           [8080]\n"
    "  --bind ADDRESS   who may see it: 127.0.0.1, only this machine            [127.0.0.1]\n"
    "  --names NAMES    by which browsers reach it, with blanks between them, beside its address   [none]\n"
    "  --seed N         what chance does: noise, slip, drop-outs                [1]\n"
    "  --physics NAME   planar: flat and fast; mujoco: bodies and contacts      [from MISSION]\n"
    "  --out DIR        where results and the demo's own keys go                [out/demo]\n"
    "  --duration S     end by itself after so many seconds                     [never]\n"
    "  --no-journal     leave the journal out\n"
    "\n"
    "Whoever can reach the page can drive the robots. On this machine it is open. Other machines need the address "
    "with\n"
    "the token in it, which is printed at the start and kept in DIR/page.token; what they say is not encrypted.\n"
    "`cairn stop` stops all robots without the page.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn demo\n"
    "          cairn demo missions/maze.yaml --physics planar --port 9000\n";

typedef struct demo_options {
    const char *mission, *bind, *names, *physics, *out;
    uint64_t port, seed;
    double duration_s;
    bool no_journal;
} demo_options;

typedef struct demo {
    const demo_options *options;
    cairn_mission_inputs inputs;
    cairn_progress progress;
    bool on_terminal;
    uint64_t told_s;
} demo;

static void watch(void *context, const cairn_station_view *view, double explored, cairn_mono now)
{
    demo *shown = context;
    uint32_t heard_count = 0;
    for (uint32_t i = 0; i < view->fleet->count; i++) { heard_count += view->fleet->robots[i].heard; }
    const uint64_t now_s = (uint64_t)(now.ns / CAIRN_S(1));
    if (shown->on_terminal) {
        const char *state = view->stop_all ? "STOPPED" : view->done ? "all searched" : "searching";
        cairn_progress_draw(&shown->progress, cairn_mono_now(), fmin(explored, 1.0),
                            "%3llu s  %u robots  explored %3.0f %%  victims %u  %s", (unsigned long long)now_s,
                            heard_count, 100 * explored, cairn_victims_count(view->victims), state);
    } else if (now_s >= shown->told_s + QUIET_WORDS_S) {
        shown->told_s = now_s;
        printf("%llu s: %u robots, explored %.0f %%, %u victims\n", (unsigned long long)now_s, heard_count,
               100 * explored, cairn_victims_count(view->victims));
        fflush(stdout);
    }
}

// Each robot's key from the demo's own folder; made at the first run.
static cairn_err find_keys(demo *d, cairn_complaints *complaints, cairn_team_def *def)
{
    char folder[1100];
    snprintf(folder, sizeof folder, "%s/keys", d->inputs.out);
    uint32_t made_count = 0;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        cairn_key key;
        bool made = false;
        const cairn_err err =
            cairn_keys_ensure(folder, def->robots[i].name, (uint8_t)(i + 1), cairn_wall_now(), complaints, &key, &made);
        if (err != CAIRN_OK) { return err; }
        memcpy(def->robots[i].key, key.secret, CAIRN_LINK_KEY_BYTES);
        cairn_key_wipe(&key);
        made_count += made;
    }
    if (made_count > 0) { printf("  keys made        %u, in %s\n", made_count, folder); }
    return CAIRN_OK;
}

static cairn_err make_team(demo *d, cairn_complaints *complaints, cairn_team **ret_team)
{
    cairn_team_def def = cairn_mission_team_def(&d->inputs, d->options->seed);
    const cairn_err err = find_keys(d, complaints, &def);
    if (err != CAIRN_OK) { return err; }
    randombytes_buf(&def.session_seed, sizeof def.session_seed);
    def.realtime = true;
    def.watch = watch;
    def.watch_context = d;
    if (d->options->no_journal) { def.journal_path = NULL; }
    return cairn_team_create(&def, complaints, ret_team);
}

// Wanted only where other machines can reach the page; made at the first run.
static cairn_err find_token(const demo *d, cairn_web_server_def *def, cairn_complaints *complaints,
                            char ret_token[static CAIRN_WEB_TOKEN_BYTES])
{
    char path[1100];
    if (!cairn_web_server_wants_token(def->bind, def->names)) { return CAIRN_OK; }
    snprintf(path, sizeof path, "%s/page.token", d->inputs.out);
    def->token = ret_token;
    return cairn_web_token_ensure(path, complaints, ret_token);
}

static cairn_err serve(const demo *d, cairn_team *team, cairn_complaints *complaints, cairn_web_server **ret_server)
{
    char token[CAIRN_WEB_TOKEN_BYTES] = "";
    cairn_web_server_def def = cairn_web_server_def_default();
    if (d->options->bind != NULL) { def.bind = d->options->bind; }
    def.port = (uint16_t)d->options->port;
    def.page = cairn_team_page(team);
    def.operators = cairn_team_operators(team);
    def.names = d->options->names;
    cairn_err err = find_token(d, &def, complaints, token);
    if (err == CAIRN_OK) { err = cairn_web_server_create(&def, complaints, ret_server); }
    sodium_memzero(token, sizeof token);
    if (err != CAIRN_OK && err != CAIRN_ERR_UNSUPPORTED) { return err; }
    printf("  operator's page  %s\n", err == CAIRN_OK ? cairn_web_server_address(*ret_server) : "none in this build");
    const char *far_address = err == CAIRN_OK ? cairn_web_server_far_address(*ret_server) : "";
    if (far_address[0] != '\0') { printf("  other machines   %s\n", far_address); }
    return CAIRN_OK;
}

// Without it the page still stops robots.
static cairn_local_door *open_door(cairn_team *team)
{
    static cairn_complaints complaints; // large
    cairn_local_door *door = NULL;
    const cairn_local_door_def def = {.page = cairn_team_page(team), .operators = cairn_team_operators(team)};
    if (cairn_local_door_create(&def, &complaints, &door) != CAIRN_OK) {
        printf("  `cairn stop` will not work: %s", complaints.text);
    }
    printf("  stop all robots  Space on the page, or: cairn stop\n  end it           Ctrl-C\n");
    fflush(stdout);
    return door;
}

static void run_team(demo *d, cairn_team *team)
{
    const double duration_s = d->options->duration_s;
    const cairn_mono until = {duration_s > 0 ? cairn_ns_from_seconds(duration_s) : INT64_MAX};
    d->on_terminal = isatty(STDERR_FILENO);
    cairn_progress_init(&d->progress, cairn_mono_now(), true);
    cairn_interrupts_watch(team);
    cairn_team_run(team, until);
    cairn_interrupts_watch(NULL);
    cairn_progress_finish(&d->progress);
}

static cairn_err run_demo(demo *d, cairn_complaints *complaints)
{
    printf("%s, %u robots, %s physics, in real time\n", d->inputs.file.name, d->inputs.file.robot_count,
           d->inputs.physics);
    cairn_team *team = NULL;
    cairn_err err = make_team(d, complaints, &team);
    if (err != CAIRN_OK) { return err; }
    cairn_web_server *server = NULL;
    err = serve(d, team, complaints, &server);
    cairn_local_door *door = err == CAIRN_OK ? open_door(team) : NULL;
    if (err == CAIRN_OK) { run_team(d, team); }
    cairn_local_door_destroy(door);
    cairn_web_server_destroy(server);
    static cairn_score score; // large
    char *json = NULL;
    if (err == CAIRN_OK) {
        const cairn_score_end ended = cairn_interrupts_came() ? CAIRN_ENDED_INTERRUPTED : CAIRN_ENDED_TIME;
        err = cairn_mission_write_results(team, &d->inputs, ended, complaints, &score, &json);
        cairn_mission_tell(&score, &d->inputs, score.sim_s);
    }
    free(json);
    cairn_team_destroy(team);
    return err;
}

static int run(const demo_options *options)
{
    static demo d;                      // large
    static cairn_complaints complaints; // large
    d.options = options;
    cairn_interrupts_listen();
    cairn_err err = cairn_mission_inputs_read(&d.inputs, options->mission, options->physics, options->out,
                                              options->seed, &complaints);
    if (err == CAIRN_OK) {
        cairn_mission_remember(&d.inputs, COMMAND, options->seed, "");
        err = run_demo(&d, &complaints);
    }
    cairn_mission_inputs_finish(&d.inputs);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

int cairn_demo_run(int argc, char **argv)
{
    demo_options options = {.port = 8080, .seed = 1, .out = "out/demo"};
    const cairn_option known[] = {
        {"port", CAIRN_OPTION_COUNT, &options.port, 0, 65535},
        {"bind", CAIRN_OPTION_TEXT, &options.bind, 0, 0},
        {"names", CAIRN_OPTION_TEXT, &options.names, 0, 0},
        {"seed", CAIRN_OPTION_COUNT, &options.seed, 0, 9e15},
        {"physics", CAIRN_OPTION_TEXT, &options.physics, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &options.out, 0, 0},
        {"duration", CAIRN_OPTION_REAL, &options.duration_s, 0.1, 1e6},
        {"no-journal", CAIRN_OPTION_FLAG, &options.no_journal, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &options.mission, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) {
        // From the source tree, or as installed.
        options.mission = access(MISSION, R_OK) == 0 ? MISSION : CAIRN_DATA_FOLDER "/" MISSION;
    }
    if (!cairn_mission_physics_is_known(COMMAND, options.physics)) { return CAIRN_EXIT_USAGE; }
    return run(&options);
}
