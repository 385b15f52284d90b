// cairn campaign - robots in trouble by chance: do they keep what is promised of them.
#include "sim/campaign/campaign.h"
#include "body/description_io.h"
#include "commands/command.h"
#include "commands/interrupts.h"
#include "commands/mission_inputs.h"
#include "commands/progress.h"
#include "robot/reflex/guards.h"
#include "sim/campaign/aim.h"
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn campaign"
enum { BODIES_MAX = 16, PLACES_MAX = 64, PATH_BYTES = 512, ROUND_MAX = 64 };
#define ROBOTS "robots"
#define NO_EPISODE UINT64_MAX
#define MUTATION_MINUTES 60.0

static const char usage[] =
    "usage: cairn campaign --robot-minutes N [options]\n"
    "       cairn campaign --episode K [options]\n"
    "       cairn campaign --mutation [options]\n"
    "\n"
    "Runs robots in trouble by chance: places of all kinds, a hostile operator, bad radio, sensors that fail, "
    "programs\n"
    "that hang, stops. Prints what broke a promise, each with the command that repeats it.\n"
    "\n"
    "  --robot-minutes N  simulated minutes times robots                        [10]\n"
    "  --seed S           other episodes                                        [1]\n"
    "  --episode K        only this one\n"
    "  --physics NAME     planar: flat and fast; mujoco: bodies and contacts    [planar]\n"
    "  --robots DIR       robot files (*.yaml) to choose from                   [robots]\n"
    "  --data DIR         NIST arenas (*.raf) to choose from, beside those that are made\n"
    "  --ice              on slopes of ice only: nobody can brake there, so contacts are not judged, and there are no "
    "areas\n"
    "  --without GUARD    switches a guard off, by its name: the campaign should find that it is missing\n"
    "  --aim GUARD        episodes in which one robot drives into what the guard is against, and what would mask it "
    "is off\n"
    "  --trace FILE       with --episode: where robots were and what they were told, as CSV\n"
    "  --mutation         aims at each guard in turn, with and without it, until its lack is found; --robot-minutes\n"
    "                     each at most                                            [60]\n"
    "  --workers N        episodes side by side; never changes the result, 0 takes all processors [0]\n"
    "  --json             one object for each violation and one for the sum, for machines\n"
    "\n"
    "docs/campaign.md tells what counts as a violation. Exit status: 0 none, 1 some or failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn campaign --robot-minutes 20\n"
    "          cairn campaign --robot-minutes 200 --seed 7 --physics mujoco --data ~/nist\n"
    "          cairn campaign --episode 12 --seed 7 --physics mujoco --data ~/nist\n"
    "          cairn campaign --robot-minutes 60 --without command\n";

typedef struct campaign_options {
    const char *physics, *robots, *data, *without, *aim, *trace;
    double robot_minutes;
    uint64_t seed, episode, workers;
    bool json, mutation, ice;
} campaign_options;

// What is read once.
typedef struct inputs {
    uint32_t body_count, place_count;
    cairn_body_description bodies[BODIES_MAX];
    char places[PLACES_MAX][PATH_BYTES];
    const char *place_paths[PLACES_MAX];
} inputs;

typedef struct sums {
    double robot_s;
    uint64_t episode_count;
    uint64_t by_kind[CAIRN_VIOLATION_COUNT];
    uint64_t count, overridden_count; // apart
} sums;

static int compare_paths(const void *a, const void *b) { return strcmp(a, b); }

// The files of a folder with this ending, in order.
static bool find_files(const char *folder, const char *ending, char (*ret_paths)[PATH_BYTES], uint32_t max,
                       uint32_t *ret_count)
{
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) { return false; }
    uint32_t count = 0;
    for (const struct dirent *entry = readdir(open_folder); entry != NULL && count < max;
         entry = readdir(open_folder)) {
        const size_t length = strlen(entry->d_name), end = strlen(ending);
        if (length <= end || entry->d_name[0] == '.' || strcmp(entry->d_name + length - end, ending) != 0) { continue; }
        (void)snprintf(ret_paths[count++], PATH_BYTES, "%s/%s", folder, entry->d_name);
    }
    (void)closedir(open_folder);
    qsort(ret_paths, count, PATH_BYTES, compare_paths);
    *ret_count = count;
    return true;
}

static cairn_err read_inputs(const campaign_options *options, inputs *ret_inputs, cairn_complaints *complaints)
{
    static char files[BODIES_MAX][PATH_BYTES];
    if (!find_files(options->robots, ".yaml", files, BODIES_MAX, &ret_inputs->body_count) ||
        ret_inputs->body_count == 0) {
        cairn_complain(complaints, options->robots, 0,
                       "no robot files (*.yaml) there; name their folder with --robots");
        return CAIRN_ERR_NOT_FOUND;
    }
    for (uint32_t i = 0; i < ret_inputs->body_count; i++) {
        const cairn_err err = cairn_body_description_read(files[i], complaints, &ret_inputs->bodies[i]);
        if (err != CAIRN_OK) { return err; }
    }
    if (options->data == NULL) { return CAIRN_OK; }
    if (!find_files(options->data, ".raf", ret_inputs->places, PLACES_MAX, &ret_inputs->place_count) ||
        ret_inputs->place_count == 0) {
        cairn_complain(complaints, options->data, 0, "no NIST arenas (*.raf) there");
        return CAIRN_ERR_NOT_FOUND;
    }
    for (uint32_t i = 0; i < ret_inputs->place_count; i++) { ret_inputs->place_paths[i] = ret_inputs->places[i]; }
    return CAIRN_OK;
}

static void repeat_command(const campaign_options *options, const char *aim, const char *without, uint64_t episode,
                           char *ret_words, size_t bytes)
{
    const bool elsewhere = strcmp(options->robots, ROBOTS) != 0;
    (void)snprintf(ret_words, bytes, COMMAND " --episode %llu --seed %llu --physics %s%s%s%s%s%s%s%s%s%s%s%s",
                   (unsigned long long)episode, (unsigned long long)options->seed, options->physics,
                   options->ice ? " --ice" : "", elsewhere ? " --robots " : "", elsewhere ? options->robots : "",
                   options->data != NULL ? " --data " : "", options->data != NULL ? options->data : "",
                   aim != NULL ? " --aim '" : "", aim != NULL ? aim : "", aim != NULL ? "'" : "",
                   without != NULL ? " --without '" : "", without != NULL ? without : "", without != NULL ? "'" : "");
}

static void print_json(json_t *object)
{
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static void print_violations(const campaign_options *options, uint64_t episode, const cairn_episode_result *result)
{
    char again[2 * PATH_BYTES + 128];
    repeat_command(options, options->aim, options->without, episode, again, sizeof again);
    for (uint32_t i = 0; i < result->violation_count; i++) {
        const cairn_violation *it = &result->violations[i];
        const char *kind = cairn_violation_names[it->kind], *robot = result->bodies[it->robot];
        if (options->json) {
            print_json(json_pack("{s:s, s:I, s:s, s:f, s:f, s:b, s:s, s:s, s:s}", "violation", kind, "episode",
                                 (json_int_t)episode, "robot", robot, "at_s", cairn_seconds(it->at.ns), "figure",
                                 it->figure, "overridden", it->overridden, "words", it->words, "where", result->words,
                                 "again", again));
        } else {
            printf("%-8s episode %llu, %s at %.1f s%s: %s\n         %s\n         %s\n", kind,
                   (unsigned long long)episode, robot, cairn_seconds(it->at.ns),
                   it->overridden ? " (guards overridden)" : "", it->words, result->words, again);
        }
    }
    (void)fflush(stdout);
}

static void add(sums *sum, const cairn_episode_result *result)
{
    sum->robot_s += result->robot_s;
    sum->episode_count++;
    for (uint32_t k = 0; k < CAIRN_VIOLATION_COUNT; k++) {
        sum->by_kind[k] += result->by_kind[k];
        sum->count += result->by_kind[k];
        sum->overridden_count += result->by_kind_overridden[k];
    }
}

static void print_sums(const campaign_options *options, const sums *sum, double wall_s)
{
    const double speed = sum->robot_s / fmax(wall_s, 1e-3);
    if (options->json) {
        json_t *kinds = json_object();
        for (uint32_t k = 0; k < CAIRN_VIOLATION_COUNT; k++) {
            (void)json_object_set_new(kinds, cairn_violation_names[k], json_integer((json_int_t)sum->by_kind[k]));
        }
        print_json(json_pack("{s:f, s:I, s:I, s:I, s:f, s:o}", "robot_minutes", sum->robot_s / 60, "episodes",
                             (json_int_t)sum->episode_count, "violations", (json_int_t)sum->count, "overridden",
                             (json_int_t)sum->overridden_count, "speed", speed, "kinds", kinds));
        return;
    }
    printf("%.1f robot-minutes in %llu episodes, %.1fx real time: %llu violations", sum->robot_s / 60,
           (unsigned long long)sum->episode_count, speed, (unsigned long long)sum->count);
    for (uint32_t k = 0; k < CAIRN_VIOLATION_COUNT; k++) {
        if (sum->by_kind[k] > 0) { printf(", %s %llu", cairn_violation_names[k], (unsigned long long)sum->by_kind[k]); }
    }
    printf("; %llu while guards were overridden\n", (unsigned long long)sum->overridden_count);
}

// So many episodes are needed for what is left at least; and each processor has one.
static uint32_t round_size(const campaign_options *options, const cairn_workers *workers, double robot_s)
{
    if (options->episode != NO_EPISODE) { return 1; }
    const double needed = ceil((60 * options->robot_minutes - robot_s) / CAIRN_EPISODE_ROBOT_S_MAX);
    const double least = fmax(1, cairn_workers_count(workers));
    return (uint32_t)fmin(fmax(needed, least), ROUND_MAX);
}

// Takes what one episode did; false when no more are wanted.
static bool take(const campaign_options *options, uint64_t episode, const cairn_episode_result *result,
                 cairn_progress *progress, sums *sum)
{
    add(sum, result);
    cairn_progress_finish(progress);
    print_violations(options, episode, result);
    const double part = sum->robot_s / (60 * options->robot_minutes);
    cairn_progress_draw(progress, cairn_mono_now(), part, "%.0f robot-minutes, %llu violations", sum->robot_s / 60,
                        (unsigned long long)sum->count);
    return options->episode == NO_EPISODE && part < 1;
}

// Runs episodes from 0 on until there are enough robot-minutes. What is taken never depends on the workers.
static cairn_err run_episodes(const campaign_options *options, const cairn_campaign_def *def, cairn_workers *workers,
                              cairn_complaints *complaints, sums *ret_sum)
{
    static cairn_episode_outcome outcomes[ROUND_MAX]; // large
    cairn_progress progress;
    cairn_progress_init(&progress, cairn_mono_now(), !options->json);
    bool more = true;
    for (uint64_t first = options->episode != NO_EPISODE ? options->episode : 0; more;) {
        const uint32_t count = round_size(options, workers, ret_sum->robot_s);
        cairn_episodes_run(def, workers, first, count, outcomes);
        for (uint32_t i = 0; i < count && more; i++) {
            if (outcomes[i].err != CAIRN_OK) {
                *complaints = outcomes[i].complaints;
                return outcomes[i].err;
            }
            more = take(options, first + i, &outcomes[i].result, &progress, ret_sum);
        }
        first += count;
        more = more && !cairn_interrupts_came();
    }
    cairn_progress_finish(&progress);
    return CAIRN_OK;
}

// What an aimed episode must show without the guard, and never with it.
static uint32_t count_of(const cairn_episode_result *result, cairn_guard guard, uint32_t *ret_kind)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < CAIRN_VIOLATION_COUNT; kind++) {
        if ((cairn_aim_kinds(guard) >> kind & 1) == 0 || result->by_kind[kind] == 0) { continue; }
        count += result->by_kind[kind];
        *ret_kind = kind;
    }
    return count;
}

typedef enum verdict { VERDICT_FOUND, VERDICT_NOT_FOUND, VERDICT_WITH_IT, VERDICT_COUNT } verdict;

static void tell_verdict(const campaign_options *options, cairn_guard guard, verdict which, uint32_t kind,
                         uint64_t episode, double robot_s)
{
    static const char *const words[VERDICT_COUNT] = {"found", "NOT found", "FOUND WITH THE GUARD ON"};
    const char *name = cairn_guard_name(guard);
    printf("%-13s %s after %.1f robot-minutes", name, words[which], robot_s / 60);
    if (which == VERDICT_NOT_FOUND) {
        printf("\n");
    } else {
        char again[2 * PATH_BYTES + 128];
        repeat_command(options, name, which == VERDICT_FOUND ? name : NULL, episode, again, sizeof again);
        printf(": %s\n              %s\n", cairn_violation_names[kind], again);
    }
    (void)fflush(stdout);
}

// Rounds of episodes, each with the guard and without it, until one shows that it lacks. What is told does not depend
// on the workers.
static cairn_err try_without(const campaign_options *options, cairn_campaign_def def, cairn_workers *workers,
                             cairn_complaints *complaints, bool *ret_found)
{
    static cairn_episode_outcome lacking[ROUND_MAX], with[ROUND_MAX]; // large
    cairn_campaign_def without = def;
    without.without_guards = 1u << def.aim;
    double robot_s = 0;
    *ret_found = false;
    for (uint64_t first = 0; robot_s < 60 * options->robot_minutes && !cairn_interrupts_came();) {
        const uint32_t count = cairn_workers_count(workers);
        cairn_episodes_run(&without, workers, first, count, lacking);
        cairn_episodes_run(&def, workers, first, count, with);
        for (uint32_t i = 0; i < count; i++) {
            const cairn_episode_outcome *bad = lacking[i].err != CAIRN_OK ? &lacking[i] : &with[i];
            *complaints = bad->complaints;
            if (bad->err != CAIRN_OK) { return bad->err; }
            robot_s += lacking[i].result.robot_s;
            uint32_t kind = 0;
            const bool unfair = count_of(&with[i].result, def.aim, &kind) > 0;
            if (!unfair && count_of(&lacking[i].result, def.aim, &kind) == 0) { continue; }
            *ret_found = !unfair;
            tell_verdict(options, def.aim, unfair ? VERDICT_WITH_IT : VERDICT_FOUND, kind, first + i, robot_s);
            return CAIRN_OK;
        }
        first += count;
    }
    tell_verdict(options, def.aim, VERDICT_NOT_FOUND, 0, 0, robot_s);
    return CAIRN_OK;
}

static bool is_guard(unsigned bit) { return (cairn_guards_known() >> bit & 1) != 0; }

static cairn_err mutate(const campaign_options *options, const cairn_campaign_def *def, cairn_workers *workers,
                        cairn_complaints *complaints, bool *ret_all)
{
    *ret_all = true;
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS && !cairn_interrupts_came(); bit++) {
        if (!is_guard(bit)) { continue; }
        const char *why;
        if (!cairn_aim_is_possible((cairn_guard)bit, &why)) {
            printf("%-13s not tried: %s\n", cairn_guard_name(bit), why);
            continue;
        }
        cairn_campaign_def aimed = *def;
        aimed.aimed = true;
        aimed.aim = (cairn_guard)bit;
        bool found;
        const cairn_err err = try_without(options, aimed, workers, complaints, &found);
        if (err != CAIRN_OK) { return err; }
        *ret_all = *ret_all && found;
    }
    return CAIRN_OK;
}

static cairn_err open_trace(const char *path, cairn_complaints *complaints, FILE **ret_file)
{
    if (path == NULL) { return CAIRN_OK; }
    *ret_file = fopen(path, "w");
    if (*ret_file == NULL) { cairn_complain(complaints, path, 0, "cannot be written"); }
    return *ret_file != NULL ? CAIRN_OK : CAIRN_ERR_IO;
}

static int run(const campaign_options *options, uint32_t without, uint32_t aim)
{
    static inputs read; // large
    static cairn_complaints complaints;
    cairn_workers *workers = NULL;
    cairn_interrupts_listen();
    const cairn_mono began = cairn_mono_now();
    sums sum = {0};
    bool well = true;
    cairn_err err = cairn_workers_create((uint32_t)options->workers, &workers);
    if (err == CAIRN_OK) { err = read_inputs(options, &read, &complaints); }
    FILE *trace = NULL;
    if (err == CAIRN_OK) { err = open_trace(options->trace, &complaints, &trace); }
    if (err == CAIRN_OK) {
        const cairn_campaign_def def = {.physics = options->physics,
                                        .seed = options->seed,
                                        .without_guards = without,
                                        .ice = options->ice,
                                        .aimed = options->aim != NULL,
                                        .aim = (cairn_guard)aim,
                                        .body_count = read.body_count,
                                        .bodies = read.bodies,
                                        .place_count = read.place_count,
                                        .places = read.place_paths,
                                        .trace = trace};
        err = options->mutation ? mutate(options, &def, workers, &complaints, &well)
                                : run_episodes(options, &def, workers, &complaints, &sum);
    }
    cairn_workers_destroy(workers);
    if (trace != NULL && fclose(trace) != 0 && err == CAIRN_OK) {
        cairn_complain(&complaints, options->trace, 0, "cannot be written");
        err = CAIRN_ERR_IO;
    }
    if (err != CAIRN_OK) { return cairn_command_failed(COMMAND, err, &complaints); }
    if (!options->mutation) {
        print_sums(options, &sum, cairn_seconds(cairn_mono_since(cairn_mono_now(), began)));
        well = sum.count == 0;
    }
    return well ? CAIRN_EXIT_DONE : CAIRN_EXIT_FAILED;
}

static bool find_guard(const char *name, uint32_t *ret_guard)
{
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS; bit++) {
        if (is_guard(bit) && strcmp(cairn_guard_name(bit), name) == 0) {
            *ret_guard = bit;
            return true;
        }
    }
    return false;
}

int cairn_campaign_run(int argc, char **argv)
{
    campaign_options options = {.seed = 1, .episode = NO_EPISODE, .physics = "planar", .robots = ROBOTS};
    const cairn_option known[] = {
        {"robot-minutes", CAIRN_OPTION_REAL, &options.robot_minutes, 0.01, 1e7},
        {"seed", CAIRN_OPTION_COUNT, &options.seed, 0, 9e15},
        {"episode", CAIRN_OPTION_COUNT, &options.episode, 0, 9e15},
        {"physics", CAIRN_OPTION_TEXT, &options.physics, 0, 0},
        {"robots", CAIRN_OPTION_TEXT, &options.robots, 0, 0},
        {"data", CAIRN_OPTION_TEXT, &options.data, 0, 0},
        {"without", CAIRN_OPTION_TEXT, &options.without, 0, 0},
        {"aim", CAIRN_OPTION_TEXT, &options.aim, 0, 0},
        {"trace", CAIRN_OPTION_TEXT, &options.trace, 0, 0},
        {"ice", CAIRN_OPTION_FLAG, &options.ice, 0, 0},
        {"mutation", CAIRN_OPTION_FLAG, &options.mutation, 0, 0},
        {"workers", CAIRN_OPTION_COUNT, &options.workers, 0, 64},
        {"json", CAIRN_OPTION_FLAG, &options.json, 0, 0},
    };
    size_t word_count = 0;
    int status = 0;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], NULL, 0, &word_count,
                            &status)) {
        return status;
    }
    if (!cairn_mission_physics_is_known(COMMAND, options.physics)) { return CAIRN_EXIT_USAGE; }
    uint32_t without = 0, aim = 0;
    const char *why = NULL;
    if (options.without != NULL && !find_guard(options.without, &without)) {
        return cairn_usage_error(COMMAND, "there is no guard '%s'; docs/control.md has their names", options.without);
    }
    if (options.aim != NULL && !find_guard(options.aim, &aim)) {
        return cairn_usage_error(COMMAND, "there is no guard '%s'; docs/control.md has their names", options.aim);
    }
    if (options.aim != NULL && !cairn_aim_is_possible((cairn_guard)aim, &why)) {
        return cairn_usage_error(COMMAND, "nothing aims at '%s': %s", options.aim, why);
    }
    if (options.mutation && (options.without != NULL || options.aim != NULL || options.episode != NO_EPISODE)) {
        return cairn_usage_error(COMMAND, "--mutation takes neither --without, --aim nor --episode");
    }
    if (options.ice && (options.mutation || options.aim != NULL)) {
        return cairn_usage_error(COMMAND, "--ice takes neither --mutation nor --aim");
    }
    if (options.trace != NULL && options.episode == NO_EPISODE) {
        return cairn_usage_error(COMMAND, "--trace is for one episode: give it with --episode");
    }
    if (options.robot_minutes == 0) { options.robot_minutes = options.mutation ? MUTATION_MINUTES : 10; }
    return run(&options, options.without != NULL ? 1u << without : 0, aim);
}
