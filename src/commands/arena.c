// cairn arena - list, check, draw, map, import and make the places to search.
#include "sim/arena/arena.h"
#include "commands/arena/check.h"
#include "commands/arena/import.h"
#include "commands/arena/map.h"
#include "commands/arena/new.h"
#include "commands/arena/render.h"
#include "commands/command.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256, PATH_BYTES_MAX = 1024 };
// For the largest arena that the reader's limits allow; pages that are not needed are not touched.
#define ARENA_BYTES ((size_t)64 << 20)

static const char usage[] =
    "usage: cairn arena list [FOLDER] [options]\n"
    "       cairn arena check FILE... [options]\n"
    "       cairn arena render FILE [options]\n"
    "       cairn arena map FILE -o MAP [options]\n"
    "       cairn arena import FILE -o ARENA [options]\n"
    "       cairn arena new --kind KIND -o ARENA [options]\n"
    "\n"
    "Places to search: lists them, checks them, draws them, tells what map a team should make of them, and makes them\n"
    "out of other people's maps or by chance.\n"
    "docs/arenas.md tells how to write one. `cairn arena list --help`, `check --help` and so on tell more.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena list\n"
    "          cairn arena check arenas/maze.yaml\n"
    "          cairn arena render arenas/office.yaml -o office.png\n"
    "          cairn arena map arenas/office.yaml -o truth.tif\n"
    "          cairn arena import lab.yaml -o arenas/lab.yaml\n"
    "          cairn arena new --kind yard --seed 7 -o arenas/my-yard.yaml\n";

static const char list_usage[] =
    "usage: cairn arena list [FOLDER] [options]\n"
    "\n"
    "Lists the arena files (*.yaml) of a folder: name, size, walls, victims, starts and what it is about.\n"
    "\n"
    "  FOLDER     where to look                                                [arenas]\n"
    "  --json     one object for each arena, for machines\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be accepted, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena list\n"
    "          cairn arena list ~/my-arenas --json\n";

// One arena file that was read, or the reasons why it could not be.
typedef struct loaded {
    cairn_arena memory;
    cairn_complaints complaints;
    cairn_err err;
    cairn_sim_arena arena;
} loaded;

static void load(const char *path, loaded *ret_loaded)
{
    memset(ret_loaded, 0, sizeof *ret_loaded);
    ret_loaded->err = cairn_arena_create(&ret_loaded->memory, ARENA_BYTES);
    if (ret_loaded->err != CAIRN_OK) { return; }
    ret_loaded->err = cairn_sim_arena_read(path, &ret_loaded->memory, &ret_loaded->complaints, &ret_loaded->arena);
}

static void unload(loaded *file) { cairn_arena_destroy(&file->memory); }

// Prints one line of JSON and gives the object back.
static void print_json(json_t *object)
{
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) != 0) {
        fprintf(stderr, "cairn arena: no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static json_t *arena_to_json(const char *path, const cairn_sim_arena *arena)
{
    return json_pack("{s:s, s:s, s:[f,f], s:I, s:I, s:I, s:I, s:I, s:s}", "file", path, "name", arena->name, "size_m",
                     arena->size_m.x, arena->size_m.y, "walls", (json_int_t)arena->wall_count, "boxes",
                     (json_int_t)arena->box_count, "ramps", (json_int_t)arena->ramp_count, "victims",
                     (json_int_t)arena->victim_count, "starts", (json_int_t)arena->start_count, "about", arena->about);
}

static void list_line(const cairn_sim_arena *arena)
{
    char size[32];
    (void)snprintf(size, sizeof size, "%.1f x %.1f m", arena->size_m.x, arena->size_m.y);
    printf("%-14s %-14s %5u %5u %5u %7u %6u  %s\n", arena->name, size, arena->wall_count, arena->box_count,
           arena->ramp_count, arena->victim_count, arena->start_count, arena->about);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_yaml(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".yaml") == 0;
}

// The names of the arena files of a folder, in order, each from strdup. False when the folder cannot be read.
static bool find_files(const char *folder, char **ret_names, size_t *ret_count)
{
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) { return false; }
    size_t count = 0;
    for (const struct dirent *entry = readdir(open_folder); entry != NULL && count < FILES_MAX;
         entry = readdir(open_folder)) {
        if (!is_yaml(entry->d_name)) { continue; }
        ret_names[count] = strdup(entry->d_name);
        count += ret_names[count] != NULL;
    }
    (void)closedir(open_folder);
    qsort(ret_names, count, sizeof ret_names[0], compare_names);
    *ret_count = count;
    return true;
}

static int list_files(const char *folder, char *const *names, size_t count, bool json)
{
    int status = CAIRN_EXIT_DONE;
    if (!json && count > 0) { printf("%-14s %-14s walls boxes ramps victims starts  about\n", "name", "size"); }
    for (size_t i = 0; i < count; i++) {
        char path[PATH_BYTES_MAX];
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        loaded file;
        load(path, &file);
        if (file.err != CAIRN_OK) {
            status = cairn_command_failed("cairn arena list", file.err, &file.complaints);
        } else if (json) {
            print_json(arena_to_json(path, &file.arena));
        } else {
            list_line(&file.arena);
        }
        unload(&file);
    }
    return status;
}

static int run_list(int argc, char **argv)
{
    bool json = false;
    const cairn_option known[] = {{"json", CAIRN_OPTION_FLAG, &json, 0, 0}};
    const char *folder = "arenas";
    size_t word_count;
    int status;
    if (!cairn_options_read("cairn arena list", list_usage, argc, argv, known, 1, &folder, 1, &word_count, &status)) {
        return status;
    }
    char *names[FILES_MAX];
    size_t count = 0;
    if (!find_files(folder, names, &count)) {
        fprintf(stderr, "cairn arena list: the folder %s cannot be read: %s; name the folder that holds arenas\n",
                folder, strerror(errno));
        return CAIRN_EXIT_FAILED;
    }
    if (count == 0) { fprintf(stderr, "cairn arena list: there is no arena file (*.yaml) in %s\n", folder); }
    status = list_files(folder, names, count, json);
    for (size_t i = 0; i < count; i++) { free(names[i]); }
    return status;
}

int cairn_arena_run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {
        {"list", run_list},           {"check", cairn_arena_check_run},   {"render", cairn_arena_render_run},
        {"map", cairn_arena_map_run}, {"import", cairn_arena_import_run}, {"new", cairn_arena_new_run}};
    if (argc < 2) { return cairn_usage_error("cairn arena", "expected list, check, render, map, import or new"); }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, stdout);
        return CAIRN_EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) { return subcommands[i].run(argc - 1, argv + 1); }
    }
    return cairn_usage_error("cairn arena", "there is no '%s'; expected list, check, render, map, import or new",
                             argv[1]);
}
