// cairn mission run - a mission headless in lockstep.
#include "body/description_io.h"
#include "commands/command.h"
#include "commands/progress.h"
#include "sim/mission/map_picture.h"
#include "sim/mission/mission_file.h"
#include "sim/mission/team.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "cairn mission run"
#define DONE_FOR_NS CAIRN_S(3) // the station must find nothing to do for this long

static const char usage[] =
    "usage: cairn mission run FILE [options]\n"
    "\n"
    "Runs a mission in the simulator, in lockstep and as fast as the machine can, and writes map.png, score.json and\n"
    "journal.mcap. The same seed gives the same bytes.\n"
    "\n"
    "  --seed N         what chance does: noise, slip, drop-outs                [1]\n"
    "  --out DIR        where the results go; made if missing                   [out/NAME-SEED]\n"
    "  --physics NAME   planar: flat and fast; mujoco: bodies and contacts      [from FILE]\n"
    "  --duration S     simulated seconds at most                               [from FILE]\n"
    "  --workers N      threads; never changes the result, 0 takes all          [0]\n"
    "  --no-journal     leave the journal (and the hash) out\n"
    "  --json           print score.json instead of words\n"
    "\n"
    "docs/arenas.md tells how to write a mission file. Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn mission run missions/maze.yaml\n"
    "          cairn mission run missions/maze.yaml --seed 7 --physics planar --out /tmp/maze7 --json\n";

typedef struct mission_options {
    const char *file, *out, *physics;
    uint64_t seed, workers;
    double duration_s;
    bool json, no_journal;
} mission_options;

typedef struct mission_inputs {
    cairn_arena memory;
    cairn_mission_file file;
    cairn_sim_arena arena;
    cairn_body_description *descriptions;
    char out[1024], journal_path[1100];
} mission_inputs;

static cairn_err make_folders(const char *path, cairn_complaints *complaints)
{
    char part[1024];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++) {
        if (*at != '/' && *at != '\0') { continue; }
        const char ended = *at;
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            cairn_complain(complaints, part, 0, "cannot make this folder: %s; choose another with --out",
                           strerror(errno));
            return CAIRN_ERR_IO;
        }
        if (ended == '\0') { break; }
        *at = ended;
    }
    struct stat found;
    const bool folder = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
    if (folder && access(path, W_OK | X_OK) == 0) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "%s; choose another folder with --out",
                   folder ? "nothing may be written here" : "is not a folder");
    return CAIRN_ERR_IO;
}

// All robot files are read, so that all that is wrong is told at once; a file that several robots share is read once.
static cairn_err read_robots(const char *mission_path, cairn_complaints *complaints, mission_inputs *inputs)
{
    const cairn_mission_file *file = &inputs->file;
    inputs->descriptions = CAIRN_TAKE(&inputs->memory, cairn_body_description, file->robot_count);
    if (inputs->descriptions == NULL) { return CAIRN_ERR_FULL; }
    cairn_err worst = CAIRN_OK;
    for (uint32_t i = 0; i < file->robot_count; i++) {
        uint32_t same = 0;
        while (strcmp(file->robots[same].file, file->robots[i].file) != 0) { same++; }
        if (same < i) {
            inputs->descriptions[i] = inputs->descriptions[same];
            continue;
        }
        const cairn_err err = cairn_body_description_read(file->robots[i].file, complaints, &inputs->descriptions[i]);
        if (err == CAIRN_OK) { continue; }
        worst = err;
        cairn_complain(complaints, mission_path, file->robots[i].line, "robots[%u].file: names %s; see above", i,
                       file->robots[i].file);
    }
    return worst;
}

static cairn_err check_starts(const char *mission_path, cairn_complaints *complaints, const mission_inputs *inputs)
{
    const uint32_t start_count = inputs->arena.start_count;
    if (inputs->file.robot_count <= start_count) { return CAIRN_OK; }
    cairn_complain(complaints, mission_path, inputs->file.robots[start_count].line,
                   "%u robots, but %s has %u starts; add starts there or take robots away here",
                   inputs->file.robot_count, inputs->file.arena_file, start_count);
    return CAIRN_ERR_INVALID;
}

static cairn_err read_inputs(const char *mission_path, cairn_complaints *complaints, mission_inputs *inputs)
{
    cairn_err err = cairn_arena_create(&inputs->memory, 64u << 20);
    if (err != CAIRN_OK) { return err; }
    err = cairn_mission_file_read(mission_path, &inputs->memory, complaints, &inputs->file);
    if (err != CAIRN_OK) { return err; }
    err = cairn_sim_arena_read(inputs->file.arena_file, &inputs->memory, complaints, &inputs->arena);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, mission_path, 0, "arena: names %s; see above", inputs->file.arena_file);
    }
    const cairn_err robots_err = read_robots(mission_path, complaints, inputs);
    if (err == CAIRN_OK) { err = check_starts(mission_path, complaints, inputs); }
    return err != CAIRN_OK ? err : robots_err;
}

// A mission's name is also that of its folder, unless --out says otherwise.
static cairn_err choose_folder(const mission_options *options, cairn_complaints *complaints, mission_inputs *inputs)
{
    if (options->out == NULL && strchr(inputs->file.name, '/') != NULL) {
        cairn_complain(complaints, options->file, 0, "name: %s has a '/'; choose another, or a folder with --out",
                       inputs->file.name);
        return CAIRN_ERR_INVALID;
    }
    const int length = options->out != NULL ? snprintf(inputs->out, sizeof inputs->out, "%s", options->out)
                                            : snprintf(inputs->out, sizeof inputs->out, "out/%s-%llu",
                                                       inputs->file.name, (unsigned long long)options->seed);
    if (length >= (int)sizeof inputs->out) {
        cairn_complain(complaints, options->out, 0, "longer than %zu bytes; choose another folder with --out",
                       sizeof inputs->out - 1);
        return CAIRN_ERR_TOO_LARGE;
    }
    snprintf(inputs->journal_path, sizeof inputs->journal_path, "%s/journal.mcap", inputs->out);
    return make_folders(inputs->out, complaints);
}

// Says so before anything is written: no such physics at all, or none in this build.
static cairn_err check_physics(const mission_options *options, cairn_complaints *complaints,
                               const mission_inputs *inputs)
{
    const char *name = options->physics != NULL ? options->physics : inputs->file.physics;
    if (cairn_physics_find(name) != NULL) { return CAIRN_OK; }
    cairn_complain(complaints, options->physics != NULL ? NULL : options->file, 0,
                   "physics %s is not in this build; take --physics planar, or install libmujoco-dev and libembree-dev "
                   "and build again",
                   name);
    return CAIRN_ERR_UNSUPPORTED;
}

static cairn_team_def team_def(const mission_options *options, const mission_inputs *inputs, cairn_workers *workers)
{
    cairn_team_def def = {.mission = inputs->file.name,
                          .arena = &inputs->arena,
                          .physics = options->physics != NULL ? options->physics : inputs->file.physics,
                          .seed = options->seed,
                          .robot_count = inputs->file.robot_count,
                          .workers = workers,
                          .journal_path = options->no_journal ? NULL : inputs->journal_path,
                          .scan_hz = inputs->file.journal.scan_hz,
                          .thermal_hz = inputs->file.journal.thermal_hz};
    for (uint32_t i = 0; i < def.robot_count; i++) {
        def.robots[i] = (cairn_team_robot_def){.name = inputs->file.robots[i].name,
                                               .description = &inputs->descriptions[i],
                                               .mode = inputs->file.robots[i].mode};
    }
    return def;
}

// Runs second by second, to show how it goes and to end when all is done.
static void run_team(cairn_team *team, const mission_inputs *inputs, double duration_s, bool quiet)
{
    cairn_progress progress;
    cairn_progress_init(&progress, cairn_mono_now(), !quiet);
    const int64_t end_ns = cairn_ns_from_seconds(duration_s);
    int64_t done_since_ns = -1;
    while (cairn_team_now(team).ns < end_ns) {
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
        if (inputs->file.end_when_done && station.done && sim_ns - done_since_ns >= DONE_FOR_NS) { break; }
    }
    cairn_progress_finish(&progress);
}

static cairn_err write_text(const char *folder, const char *name, const char *text, cairn_complaints *complaints)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    const bool written = file != NULL && fprintf(file, "%s\n", text) > 0;
    const bool closed = file != NULL && fclose(file) == 0;
    if (written && closed) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "cannot be written: %s", strerror(errno));
    return CAIRN_ERR_IO;
}

static cairn_err write_results(cairn_team *team, const mission_inputs *inputs, const cairn_score *score,
                               const char *json, cairn_complaints *complaints)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/map.png", inputs->out);
    const cairn_err err = cairn_map_picture_write(team, score, path, complaints);
    return err != CAIRN_OK ? err : write_text(inputs->out, "score.json", json, complaints);
}

static void tell(const cairn_score *score, const mission_inputs *inputs, double wall_s)
{
    printf("%s, seed %llu: %.0f s simulated in %.1f s (%.0fx real time)\n", score->mission,
           (unsigned long long)score->seed, score->sim_s, wall_s, score->sim_s / wall_s);
    printf("  explored    %.1f %%, ", 100 * score->explored_fraction);
    if (isfinite(score->map_wall_rms_m)) {
        printf("walls within %.3f m\n", score->map_wall_rms_m);
    } else {
        printf("no walls seen\n");
    }
    printf("  victims     %u of %u found, %u false\n", score->found_count, score->victim_count, score->false_count);
    printf("  collisions  %u, fastest %.3f m/s\n", score->collisions.count, score->collisions.speed_mps_max);
    for (uint32_t i = 0; i < score->robot_count; i++) {
        printf("  %-11s position error %.3f m on average, %.3f m at most\n", score->robots[i].name,
               score->robots[i].position_error_m_mean, score->robots[i].position_error_m_max);
    }
    printf("  results     %s/map.png, score.json%s\n", inputs->out, score->hash != 0 ? ", journal.mcap" : "");
}

static cairn_err run_mission(const mission_options *options, mission_inputs *inputs, cairn_workers *workers,
                             cairn_complaints *complaints)
{
    const cairn_team_def def = team_def(options, inputs, workers);
    const cairn_mono started = cairn_mono_now();
    cairn_team *team = NULL;
    cairn_err err = cairn_team_create(&def, complaints, &team);
    if (err != CAIRN_OK) { return err; }
    const double duration_s = options->duration_s > 0 ? options->duration_s : inputs->file.duration_s;
    run_team(team, inputs, duration_s, options->json);
    static cairn_score score; // large
    err = cairn_team_finish(team, complaints, &score);
    char *json = err == CAIRN_OK ? cairn_score_to_json(&score) : NULL;
    if (err == CAIRN_OK) {
        err = json != NULL ? write_results(team, inputs, &score, json, complaints) : CAIRN_ERR_FULL;
    }
    if (err == CAIRN_OK && options->json) { puts(json); }
    if (err == CAIRN_OK && !options->json) {
        tell(&score, inputs, cairn_seconds(cairn_mono_since(cairn_mono_now(), started)));
    }
    free(json);
    cairn_team_destroy(team);
    return err;
}

static int run(const mission_options *options)
{
    static mission_inputs inputs;       // large
    static cairn_complaints complaints; // large
    cairn_workers *workers = NULL;
    cairn_err err = cairn_workers_create((uint32_t)options->workers, &workers);
    if (err == CAIRN_OK) { err = read_inputs(options->file, &complaints, &inputs); }
    if (err == CAIRN_OK) { err = check_physics(options, &complaints, &inputs); }
    if (err == CAIRN_OK) { err = choose_folder(options, &complaints, &inputs); }
    if (err == CAIRN_OK) { err = run_mission(options, &inputs, workers, &complaints); }
    cairn_workers_destroy(workers);
    cairn_arena_destroy(&inputs.memory);
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
    if (options.physics != NULL && strcmp(options.physics, "planar") != 0 && strcmp(options.physics, "mujoco") != 0) {
        return cairn_usage_error(COMMAND, "--physics wants planar or mujoco, not '%s'", options.physics);
    }
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
