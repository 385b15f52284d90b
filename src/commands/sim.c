// cairn sim - the world and the radio for robots and a station that are programs of their own.
#include "programs/sim/sim.h"
#include "base/executor.h"
#include "base/hash.h"
#include "commands/command.h"
#include "commands/mission_inputs.h"
#include "programs/robot/robot_file_io.h"
#include "sim/mission/file/event_file.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "cairn sim"
#define QUIET_WORDS_S 30 // where there is no terminal, a line each
#define FOLLOW_PERIOD_NS CAIRN_MS(20)
#define ARENA_MEMORY_BYTES (64u << 20)
#define STATION "127.0.0.1:7400"
#define AIR_PORT 7401

static const char usage[] =
    "usage: cairn sim ARENA ROBOT... [options]\n"
    "       cairn sim --look FOLDER [--follow]\n"
    "\n"
    "Runs the world of robots that are programs of their own (`cairn robot ROBOT`), and the radio between them and\n"
    "`cairn station`. Its time rules: when it is slow or stopped, time is slow or stands still for all. Started again\n"
    "in the same folder it goes on where it was.\n"
    "\n"
    "  ARENA             an arena file\n"
    "  ROBOT             a robot's file, one for each; number 1 begins at the arena's first start\n"
    "  --physics NAME    planar: flat and fast; mujoco: bodies and contacts       [planar]\n"
    "  --folder DIR      memory that it shares with its robots                    [`sim` of the robots' files]\n"
    "  --fresh           begin anew, even if there is a world to go on with\n"
    "  --port N          where robots' radios send to, on this machine; 0: any    [7401]\n"
    "  --station ADDRESS HOST:PORT where the station listens                      [127.0.0.1:7400]\n"
    "  --mission FILE    take the radio's figures from this mission file, and its events: doors, aftershocks and "
    "sensors\n"
    "                    that fail; one that kills a robot or reboots the station is refused\n"
    "  --seed N          what chance does: noise, slip, loss                      [1]\n"
    "  --duration S      end by itself after so many simulated seconds            [never]\n"
    "  --look FOLDER     print the true state of the world there as JSON, and end\n"
    "  --follow          with --look: a line every 20 ms, until interrupted\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn sim arenas/office.yaml deploy/office/emu1.yaml deploy/office/emu2.yaml\n"
    "          cairn sim --look deploy/office/run/sim\n";

typedef struct sim_options {
    const char *arena, *physics, *folder, *station, *mission, *look;
    uint64_t port, seed;
    double duration_s;
    bool fresh, follow;
} sim_options;

typedef struct sim_command {
    const sim_options *options;
    cairn_arena memory; // of the arena and the mission
    cairn_sim_arena arena;
    cairn_robot_file robots[CAIRN_SIM_ROBOTS_MAX];
    uint32_t robot_count;
    char air[32];
    cairn_sim *sim;
    cairn_executor *executor;

    // Of the words.
    cairn_arena words_memory;
    cairn_cell *moments;
    bool on_terminal;
    int64_t told_s; // simulated
    cairn_mono told_at;
    uint64_t told_bytes;
    bool driven[CAIRN_SIM_ROBOTS_MAX];
    cairn_deeds deeds; // that are yet to be told
    const char *names[CAIRN_SIM_ROBOTS_MAX];
} sim_command;

// A handler can be given nothing, so what it stops is known to the file.
static _Atomic(cairn_executor *) running;

static void stop_running(int signal_number)
{
    (void)signal_number;
    cairn_executor *executor = atomic_load(&running);
    if (executor != NULL) { cairn_executor_ask_stop(executor); }
}

// ---- reading

static cairn_err hash_file(const char *path, cairn_complaints *complaints, uint64_t *ret_hash)
{
    FILE *file = fopen(path, "rb");
    uint8_t bytes[4096];
    uint64_t hash = 0;
    for (size_t size = 1; file != NULL && size > 0;) {
        size = fread(bytes, 1, sizeof bytes, file);
        hash = cairn_hash_bytes(hash, bytes, size);
    }
    const bool failed = file == NULL || ferror(file) != 0;
    if (failed) { cairn_complain(complaints, path, 0, "cannot be read: %s", strerror(errno)); }
    if (file != NULL) { (void)fclose(file); }
    *ret_hash = hash;
    return failed ? CAIRN_ERR_IO : CAIRN_OK;
}

// All robot files are read, so that all that is wrong is told at once.
static cairn_err read_robots(sim_command *command, const char *const *paths, cairn_complaints *complaints)
{
    cairn_err worst = CAIRN_OK;
    for (uint32_t i = 0; i < command->robot_count; i++) {
        const cairn_err err = cairn_robot_file_read(paths[i], complaints, &command->robots[i]);
        if (err != CAIRN_OK) { worst = err; }
    }
    return worst;
}

static cairn_err choose_folder(const sim_command *command, cairn_complaints *complaints, const char **ret_folder)
{
    *ret_folder = command->options->folder != NULL ? command->options->folder : command->robots[0].sim;
    for (uint32_t i = 1; i < command->robot_count && command->options->folder == NULL; i++) {
        if (strcmp(command->robots[i].sim, command->robots[0].sim) == 0) { continue; }
        cairn_complain(complaints, NULL, 0, "%s and %s look for the simulator in different folders: %s and %s",
                       command->robots[0].name, command->robots[i].name, command->robots[0].sim,
                       command->robots[i].sim);
        return CAIRN_ERR_INVALID;
    }
    return CAIRN_OK;
}

static uint32_t robot_named(const sim_command *command, const char *name)
{
    uint32_t at = 0;
    while (at < command->robot_count && strcmp(command->robots[at].name, name) != 0) { at++; }
    return at;
}

static bool befalls_a_robot(const cairn_mission_event *event)
{
    return event->kind == CAIRN_EVENT_FAIL || event->kind == CAIRN_EVENT_PRESS || event->kind == CAIRN_EVENT_LIFT;
}

// What only a whole mission can do, and robots that do not run here.
static void check_event(const sim_command *command, const cairn_mission_file *mission, const cairn_mission_event *event,
                        cairn_complaints *complaints)
{
    const char *path = command->options->mission, *robot = mission->robots[event->robot].name;
    if (event->kind == CAIRN_EVENT_KILL || event->kind == CAIRN_EVENT_REBOOT) {
        cairn_complain(complaints, path, event->line, "events: %s does not happen in cairn sim; end %s instead",
                       cairn_event_words[event->kind],
                       event->kind == CAIRN_EVENT_KILL ? "that robot's program" : "the station's program");
    }
    if (befalls_a_robot(event) && robot_named(command, robot) == command->robot_count) {
        cairn_complain(complaints, path, event->line, "events: %s: robot %s is not among those given",
                       cairn_event_words[event->kind], robot);
    }
}

// The mission names its own robots; those that run here have the same names, but other files and another order.
static cairn_err tie_events(sim_command *command, cairn_mission_file *mission, cairn_complaints *complaints)
{
    const uint32_t complaint_count = complaints->count;
    cairn_body_description *bodies = CAIRN_TAKE(&command->memory, cairn_body_description, mission->robot_count);
    if (bodies == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < mission->event_count; i++) {
        check_event(command, mission, &mission->events[i], complaints);
    }
    for (uint32_t i = 0; i < mission->robot_count; i++) {
        const uint32_t at = robot_named(command, mission->robots[i].name);
        if (at < command->robot_count) { bodies[i] = command->robots[at].body; }
    }
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }
    const cairn_err err = cairn_events_tie(command->options->mission, &command->arena, bodies, complaints, mission);
    for (uint32_t i = 0; i < mission->event_count && err == CAIRN_OK; i++) {
        cairn_mission_event *event = &mission->events[i];
        if (befalls_a_robot(event)) { event->robot = robot_named(command, mission->robots[event->robot].name); }
        cairn_deeds_add(&command->deeds, event);
    }
    return err;
}

static cairn_err read_mission(sim_command *command, cairn_complaints *complaints, cairn_sim_def *def)
{
    def->radio = cairn_medium_radio_default();
    if (command->options->mission == NULL) { return CAIRN_OK; }
    cairn_mission_file mission;
    cairn_err err = cairn_mission_file_read(command->options->mission, &command->memory, complaints, &mission);
    if (err != CAIRN_OK) { return err; }
    err = tie_events(command, &mission, complaints);
    def->radio = mission.radio;
    def->events = mission.events;
    def->event_count = mission.event_count;
    return err;
}

static cairn_err check_physics(const char *physics, cairn_complaints *complaints)
{
    if (cairn_physics_find(physics) != NULL) { return CAIRN_OK; }
    cairn_complain(complaints, NULL, 0, "physics %s is not in this build; take --physics planar", physics);
    return CAIRN_ERR_UNSUPPORTED;
}

static cairn_err make_sim(sim_command *command, const char *const *robot_paths, cairn_complaints *complaints)
{
    const sim_options *options = command->options;
    cairn_sim_def def = {.arena = &command->arena,
                         .physics = options->physics,
                         .seed = options->seed,
                         .fresh = options->fresh,
                         .air = command->air,
                         .station = options->station,
                         .robot_count = command->robot_count};
    snprintf(command->air, sizeof command->air, "127.0.0.1:%u", (unsigned)options->port);
    cairn_err err = cairn_arena_create(&command->memory, ARENA_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = read_robots(command, robot_paths, complaints); }
    if (err == CAIRN_OK) { err = check_physics(options->physics, complaints); }
    if (err == CAIRN_OK) { err = cairn_sim_arena_read(options->arena, &command->memory, complaints, &command->arena); }
    if (err == CAIRN_OK) { err = hash_file(options->arena, complaints, &def.arena_hash); }
    if (err == CAIRN_OK) { err = choose_folder(command, complaints, &def.folder); }
    if (err == CAIRN_OK) { err = read_mission(command, complaints, &def); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < command->robot_count; i++) {
        const cairn_robot_file *file = &command->robots[i];
        def.robots[i] = (cairn_sim_robot_def){
            .name = file->name, .number = file->number, .body_hash = file->body_hash, .description = &file->body};
        command->names[i] = file->name;
    }
    return cairn_sim_create(&def, complaints, &command->sim);
}

// ---- words

static void say_beginning(const sim_command *command)
{
    const cairn_sim_info info = cairn_sim_look(command->sim);
    printf("%s, %u robots, %s physics\n", command->arena.name, command->robot_count, command->options->physics);
    printf("  robots send to   127.0.0.1:%u, the station is at %s\n", info.radio.air_port, command->options->station);
    printf("  shared memory    %s\n", cairn_sim_folder(command->sim)->path);
    if (info.goes_on) { printf("  going on at      %.1f s; --fresh begins anew\n", cairn_seconds(info.began.ns)); }
    printf("Ctrl-C ends it.\n");
    fflush(stdout);
}

static const cairn_world_page *page_of(const sim_command *command)
{
    return cairn_sim_folder(command->sim)->world.bytes;
}

static size_t say_robot(const cairn_world_page_robot *robot, const cairn_world_moment_robot *seen, char *text,
                        size_t text_bytes)
{
    int length = 0;
    if (seen->told_ns == INT64_MAX) {
        length = snprintf(text, text_bytes, "  %s never heard", robot->name);
    } else if (seen->driven) {
        length = snprintf(text, text_bytes, "  %s %.1f m/s", robot->name, seen->speed_mps);
    } else {
        length = snprintf(text, text_bytes, "  %s SILENT %.0f s", robot->name, cairn_seconds(seen->told_ns));
    }
    return (size_t)length < text_bytes ? (size_t)length : text_bytes;
}

static void say_moment(sim_command *command, const cairn_world_moment *moment, cairn_mono machine_now)
{
    char robots[1024] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < command->robot_count; i++) {
        used += say_robot(&page_of(command)->def.robots[i], &moment->robots[i], robots + used, sizeof robots - used);
    }
    const double elapsed_s = cairn_seconds(cairn_mono_since(machine_now, command->told_at));
    const double kbit_per_s = (double)(moment->radio_sent_bytes - command->told_bytes) * 8e-3 / elapsed_s;
    command->told_at = machine_now;
    command->told_bytes = moment->radio_sent_bytes;
    char lost[64] = "";
    if (moment->lost_ns > CAIRN_S(1)) {
        snprintf(lost, sizeof lost, "  %.0f s too slow", cairn_seconds(moment->lost_ns));
    }
    const char *begin = command->on_terminal ? "\r\033[K" : "", *end = command->on_terminal ? "" : "\n";
    printf("%s%.0f s:%s  radio %.1f kbit/s%s%s", begin, cairn_seconds(cairn_world_moment_time(moment).ns), robots,
           kbit_per_s, lost, end);
    fflush(stdout);
}

static void say_events(sim_command *command, cairn_mono now)
{
    for (const cairn_deed *deed; (deed = cairn_deeds_take(&command->deeds, now)) != NULL;) {
        const char *kind;
        char words[128];
        cairn_deed_say(deed, command->names, &kind, words, sizeof words);
        printf("%s%.1f s: %s\n", command->on_terminal ? "\r\033[K" : "", cairn_seconds(deed->at.ns), words);
    }
    fflush(stdout);
}

static bool has_changed(sim_command *command, const cairn_world_moment *moment)
{
    bool changed = false;
    for (uint32_t i = 0; i < command->robot_count; i++) {
        changed = changed || command->driven[i] != moment->robots[i].driven;
        command->driven[i] = moment->robots[i].driven;
    }
    return changed;
}

// Once a second on a terminal; elsewhere now and then, and when a robot falls silent or is heard again.
static void words_step(void *context, cairn_mono machine_now)
{
    sim_command *command = context;
    const cairn_world_moment *moment = cairn_cell_latest(command->moments, NULL);
    if (moment == NULL) { return; }
    const int64_t now_s = cairn_world_moment_time(moment).ns / CAIRN_S(1);
    const bool changed = has_changed(command, moment);
    say_events(command, cairn_world_moment_time(moment));
    if (!command->on_terminal && !changed && now_s < command->told_s + QUIET_WORDS_S) { return; }
    command->told_s = now_s;
    say_moment(command, moment, machine_now);
}

// ---- running

static void world_step(void *context, cairn_mono machine_now)
{
    sim_command *command = context;
    cairn_sim_step(command->sim, machine_now);
    const cairn_mono began = cairn_sim_look(command->sim).began, now = cairn_sim_time(command->sim);
    if (command->options->duration_s > 0 &&
        cairn_seconds(cairn_mono_since(now, began)) >= command->options->duration_s) {
        cairn_executor_ask_stop(command->executor);
    }
}

static cairn_err make_words(sim_command *command)
{
    command->on_terminal = isatty(STDOUT_FILENO) == 1;
    command->told_at = cairn_mono_now();
    const cairn_err err = cairn_arena_create(&command->words_memory, 2 * cairn_cell_bytes(sizeof(cairn_world_moment)));
    if (err != CAIRN_OK) { return err; }
    return cairn_world_page_attach(cairn_sim_folder(command->sim)->world.bytes, &command->words_memory,
                                   &command->moments);
}

// A terminal that takes no words holds up nothing: they have a thread of their own.
static cairn_err run_sim(sim_command *command)
{
    cairn_err err = make_words(command);
    if (err == CAIRN_OK) { err = cairn_executor_create_by_time(cairn_time_of_machine(), &command->executor); }
    if (err != CAIRN_OK) { return err; }
    const cairn_task_def world = {.name = "world",
                                  .lane = cairn_executor_add_lane(command->executor, "world", 0),
                                  .period_ns = CAIRN_PHYSICS_STEP_NS,
                                  .step = world_step,
                                  .state = command};
    const cairn_task_def words = {.name = "words",
                                  .lane = cairn_executor_add_lane(command->executor, "words", 0),
                                  .period_ns = CAIRN_S(1),
                                  .step = words_step,
                                  .state = command};
    (void)cairn_executor_add_task(command->executor, &world);
    (void)cairn_executor_add_task(command->executor, &words);
    const cairn_mono before = {cairn_sim_look(command->sim).began.ns - CAIRN_PHYSICS_STEP_NS};
    while (cairn_deeds_take(&command->deeds, before) != NULL) {} // told by the one that went before
    say_beginning(command);
    atomic_store(&running, command->executor);
    cairn_command_serve(stop_running);
    cairn_executor_run(command->executor, (cairn_mono){INT64_MAX});
    atomic_store(&running, NULL);
    if (command->on_terminal) { printf("\n"); }
    printf("ended at %.1f s; started again, it goes on there\n", cairn_seconds(cairn_sim_time(command->sim).ns));
    return CAIRN_OK;
}

static int run(const sim_options *options, const char *const *robot_paths, uint32_t robot_count)
{
    static sim_command command;         // large
    static cairn_complaints complaints; // large
    command.options = options;
    command.robot_count = robot_count;
    cairn_err err = make_sim(&command, robot_paths, &complaints);
    if (err == CAIRN_OK) { err = run_sim(&command); }
    cairn_executor_destroy(command.executor);
    cairn_arena_destroy(&command.words_memory);
    cairn_sim_destroy(command.sim);
    cairn_arena_destroy(&command.memory);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

// ---- looking

static bool print_moment(const cairn_world_page *page, cairn_cell *moments, const char *folder)
{
    const cairn_world_moment *moment = cairn_cell_latest(moments, NULL);
    if (moment == NULL) { return false; }
    char *text = cairn_world_page_json(page, moment, cairn_run_folder_pid(folder));
    if (text == NULL) { return false; }
    const bool written = printf("%s\n", text) > 0 && fflush(stdout) == 0;
    free(text);
    return written;
}

static cairn_err look_at(const char *folder, bool follow, cairn_complaints *complaints)
{
    cairn_shared_memory world = {0};
    cairn_arena memory = {0};
    cairn_cell *moments = NULL;
    cairn_err err = cairn_run_folder_open_world(folder, complaints, &world);
    if (err == CAIRN_OK) { err = cairn_arena_create(&memory, 2 * cairn_cell_bytes(sizeof(cairn_world_moment))); }
    if (err == CAIRN_OK) { err = cairn_world_page_attach(world.bytes, &memory, &moments); }
    if (err == CAIRN_OK && !print_moment(world.bytes, moments, folder)) {
        cairn_complain(complaints, folder, 0, "the world there has not begun yet");
        err = CAIRN_ERR_EMPTY;
    }
    while (err == CAIRN_OK && follow) {
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), FOLLOW_PERIOD_NS));
        follow = print_moment(world.bytes, moments, folder);
    }
    cairn_arena_destroy(&memory);
    cairn_shared_memory_close(&world);
    return err;
}

static int look(const sim_options *options)
{
    static cairn_complaints complaints; // large
    const cairn_err err = look_at(options->look, options->follow, &complaints);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}

int cairn_sim_run(int argc, char **argv)
{
    sim_options options = {.physics = "planar", .station = STATION, .port = AIR_PORT, .seed = 1};
    const cairn_option known[] = {
        {"physics", CAIRN_OPTION_TEXT, &options.physics, 0, 0},
        {"folder", CAIRN_OPTION_TEXT, &options.folder, 0, 0},
        {"fresh", CAIRN_OPTION_FLAG, &options.fresh, 0, 0},
        {"port", CAIRN_OPTION_COUNT, &options.port, 0, 65535},
        {"station", CAIRN_OPTION_TEXT, &options.station, 0, 0},
        {"mission", CAIRN_OPTION_TEXT, &options.mission, 0, 0},
        {"seed", CAIRN_OPTION_COUNT, &options.seed, 0, 9e15},
        {"duration", CAIRN_OPTION_REAL, &options.duration_s, 0.1, 1e6},
        {"look", CAIRN_OPTION_TEXT, &options.look, 0, 0},
        {"follow", CAIRN_OPTION_FLAG, &options.follow, 0, 0},
    };
    const char *words[1 + CAIRN_SIM_ROBOTS_MAX];
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], words,
                            sizeof words / sizeof words[0], &word_count, &status)) {
        return status;
    }
    if (options.look != NULL && word_count == 0) { return look(&options); }
    if (options.look != NULL || options.follow) {
        return cairn_usage_error(COMMAND, "--look wants a folder and nothing else, but for --follow");
    }
    if (word_count < 2) { return cairn_usage_error(COMMAND, "wants an arena and at least one robot's file"); }
    if (!cairn_mission_physics_is_known(COMMAND, options.physics)) { return CAIRN_EXIT_USAGE; }
    options.arena = words[0];
    return run(&options, words + 1, (uint32_t)word_count - 1);
}
