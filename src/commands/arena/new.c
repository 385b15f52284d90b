// cairn arena new - an arena made by chance.
#include "commands/arena/new.h"
#include "commands/arena/write.h"
#include "commands/command.h"
#include "sim/arena/make/make.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn arena new"

static const char usage[] =
    "usage: cairn arena new --kind KIND -o ARENA [options]\n"
    "\n"
    "Makes an arena by chance and writes its file. KIND is one of these:\n"
    "  maze           narrow cells, dead ends, ridges                    [11.6,11.6 m, difficulty 2]\n"
    "  office         corridors, rooms with doors, furniture             [36,24 m, difficulty 2]\n"
    "  yard           outdoors: sheds, vehicles, kerbs, gravel, a ditch  [40,30 m, difficulty 3]\n"
    "  collapsed      breached rooms, rubble, holes, an upper storey     [30,22 m, difficulty 4]\n"
    "  radio-dropout  a winding tunnel with dead ends, no radio inside   [36,26 m, difficulty 3]\n"
    "  stepfield      lanes of test ground side by side, after ASTM      [24,22 m, difficulty 3]\n"
    "  showground     streets, halls, stalls, hazards, bystanders        [500,500 m, difficulty 3]\n"
    "\n"
    "  -o, --out ARENA     the arena file to write\n"
    "  --name NAME         one word                                      [KIND]\n"
    "  --size X,Y          of the floor, in metres                       [of the kind]\n"
    "  --difficulty N      1 easy to 5 hard                              [of the kind]\n"
    "  --victims N         0 to 64                                       [of the kind]\n"
    "  --starts N          places for robots, 1 to 64                    [of the kind]\n"
    "  --hazards S,M       S that stand and M that walk, 32 at most      [0,0; showground 12,3]\n"
    "  --bystanders N      people who walk about, 0 to 32                [0; showground 10]\n"
    "  --seed N            another place of the same kind                [1]\n"
    "  --json              one object with what was made, for machines\n"
    "\n"
    "The same options give the same file. It is read back and checked before it is written: all victims can be\n"
    "reached and seen. docs/arenas.md tells what each kind is made of.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena new --kind office -o arenas/my-office.yaml\n"
    "          cairn arena new --kind maze --size 20,15 --victims 6 --difficulty 4 --seed 7 -o hard-maze.yaml\n"
    "          cairn arena new --kind showground --hazards 12,3 -o show.yaml && cairn arena render show.yaml\n";

// "X,Y" as two numbers and nothing else.
static bool read_pair(const char *text, double *ret_first, double *ret_second)
{
    char *end;
    *ret_first = strtod(text, &end);
    if (end == text || *end != ',') { return false; }
    const char *second = end + 1;
    *ret_second = strtod(second, &end);
    return end != second && *end == '\0' && isfinite(*ret_first) && isfinite(*ret_second);
}

static bool find_kind(const char *name, cairn_make_kind *ret_kind)
{
    for (uint32_t i = 0; i < CAIRN_MAKE_KIND_COUNT; i++) {
        if (strcmp(name, cairn_make_kind_names[i]) == 0) {
            *ret_kind = (cairn_make_kind)i;
            return true;
        }
    }
    return false;
}

static void print_report(const char *out, const cairn_make_def *def, const cairn_make_report *made, size_t size_bytes,
                         bool json)
{
    const char *kind = cairn_make_kind_names[def->kind];
    if (!json) {
        printf(
            "%s: %s of %g x %g m, difficulty %u, seed %llu: %u solids, %u victims, %u starts; robots reach %.0f m2\n",
            out, kind, made->size_m.x, made->size_m.y, def->difficulty, (unsigned long long)def->seed, made->solids,
            def->victim_count, def->start_count, made->reach_m2);
        if (made->attempts > 1) { printf("  layout %u: those before it were not in order\n", made->attempts); }
        return;
    }
    json_t *object = json_pack("{s:s, s:s, s:[f,f], s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "file", out, "kind", kind,
                               "size_m", made->size_m.x, made->size_m.y, "difficulty", (json_int_t)def->difficulty,
                               "seed", (json_int_t)def->seed, "victims", (json_int_t)def->victim_count, "starts",
                               (json_int_t)def->start_count, "solids", (json_int_t)made->solids, "attempts",
                               (json_int_t)made->attempts, "bytes", (json_int_t)size_bytes, "reach_m2", made->reach_m2);
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static int make_file(const cairn_make_def *def, const char *out, bool json)
{
    cairn_arena memory;
    cairn_complaints complaints = {0};
    if (cairn_arena_create(&memory, 2 * CAIRN_MAKE_TEXT_BYTES_MAX) != CAIRN_OK) {
        return cairn_command_failed(COMMAND, CAIRN_ERR_FULL, &complaints);
    }
    const char *text;
    size_t size_bytes;
    cairn_make_report made;
    cairn_err err = cairn_make_run(def, &memory, &complaints, &text, &size_bytes, &made);
    if (err == CAIRN_OK) { err = cairn_arena_write_file(out, text, size_bytes, &complaints); }
    cairn_arena_destroy(&memory);
    if (err != CAIRN_OK) { return cairn_command_failed(COMMAND, err, &complaints); }
    print_report(out, def, &made, size_bytes, json);
    return CAIRN_EXIT_DONE;
}

typedef struct words {
    const char *kind, *out, *name, *size, *hazards;
    uint64_t difficulty, victims, starts, bystanders, seed;
    bool json;
} words;

#define NOT_GIVEN UINT64_MAX

static int take_size(const char *text, cairn_make_def *def)
{
    double least_m, most_m;
    cairn_make_size_limits(def->kind, &least_m, &most_m);
    if (text == NULL) { return CAIRN_EXIT_DONE; }
    if (!read_pair(text, &def->size_m.x, &def->size_m.y) || fmin(def->size_m.x, def->size_m.y) < least_m ||
        fmax(def->size_m.x, def->size_m.y) > most_m) {
        return cairn_usage_error(COMMAND, "--size of a %s wants X,Y, each %g to %g m, like %g,%g, not '%s'",
                                 cairn_make_kind_names[def->kind], least_m, most_m,
                                 cairn_make_def_default(def->kind).size_m.x, cairn_make_def_default(def->kind).size_m.y,
                                 text);
    }
    def->size_m = (cairn_vec2){round(def->size_m.x * 100.0) / 100.0, round(def->size_m.y * 100.0) / 100.0};
    return CAIRN_EXIT_DONE;
}

static int take_hazards(const char *text, cairn_make_def *def)
{
    if (text == NULL) { return CAIRN_EXIT_DONE; }
    double standing, walking;
    if (!read_pair(text, &standing, &walking) || standing < 0 || walking < 0 || standing != floor(standing) ||
        walking != floor(walking) || standing + walking > CAIRN_MAKE_HAZARDS_MAX) {
        return cairn_usage_error(COMMAND,
                                 "--hazards wants S,M, two whole numbers of %d together at most, like 12,3, not "
                                 "'%s'",
                                 CAIRN_MAKE_HAZARDS_MAX, text);
    }
    def->static_hazards = (uint32_t)standing;
    def->mobile_hazards = (uint32_t)walking;
    return CAIRN_EXIT_DONE;
}

static int take_words(const words *given, cairn_make_def *ret_def)
{
    cairn_make_kind kind;
    if (given->kind == NULL || !find_kind(given->kind, &kind)) {
        return cairn_usage_error(COMMAND,
                                 "--kind wants maze, office, yard, collapsed, radio-dropout, stepfield or "
                                 "showground%s%s%s",
                                 given->kind != NULL ? ", not '" : "", given->kind != NULL ? given->kind : "",
                                 given->kind != NULL ? "'" : "");
    }
    if (given->out == NULL) { return cairn_usage_error(COMMAND, "-o is missing; expected the arena file to write"); }
    cairn_make_def def = cairn_make_def_default(kind);
    if (given->name != NULL) {
        if (!cairn_arena_is_name(given->name)) {
            return cairn_usage_error(COMMAND,
                                     "--name wants one word of letters, digits, '.', '-' and '_' that begins "
                                     "with a letter, not '%s'",
                                     given->name);
        }
        def.name = given->name;
    }
    if (given->difficulty != NOT_GIVEN) { def.difficulty = (uint32_t)given->difficulty; }
    if (given->victims != NOT_GIVEN) { def.victim_count = (uint32_t)given->victims; }
    if (given->starts != NOT_GIVEN) { def.start_count = (uint32_t)given->starts; }
    if (given->bystanders != NOT_GIVEN) { def.bystander_count = (uint32_t)given->bystanders; }
    def.seed = given->seed;
    int status = take_size(given->size, &def);
    if (status == CAIRN_EXIT_DONE) { status = take_hazards(given->hazards, &def); }
    *ret_def = def;
    return status;
}

int cairn_arena_new_run(int argc, char **argv)
{
    words given = {
        .difficulty = NOT_GIVEN, .victims = NOT_GIVEN, .starts = NOT_GIVEN, .bystanders = NOT_GIVEN, .seed = 1};
    const cairn_option known[] = {
        {"kind", CAIRN_OPTION_TEXT, &given.kind, 0, 0},
        {"o", CAIRN_OPTION_TEXT, &given.out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &given.out, 0, 0},
        {"name", CAIRN_OPTION_TEXT, &given.name, 0, 0},
        {"size", CAIRN_OPTION_TEXT, &given.size, 0, 0},
        {"hazards", CAIRN_OPTION_TEXT, &given.hazards, 0, 0},
        {"difficulty", CAIRN_OPTION_COUNT, &given.difficulty, 1, CAIRN_MAKE_DIFFICULTY_MAX},
        {"victims", CAIRN_OPTION_COUNT, &given.victims, 0, 64},
        {"starts", CAIRN_OPTION_COUNT, &given.starts, 1, 64},
        {"bystanders", CAIRN_OPTION_COUNT, &given.bystanders, 0, CAIRN_MAKE_BYSTANDERS_MAX},
        {"seed", CAIRN_OPTION_COUNT, &given.seed, 0, 9e15},
        {"json", CAIRN_OPTION_FLAG, &given.json, 0, 0},
    };
    const char *unused;
    size_t word_count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &unused, 0, &word_count,
                            &status)) {
        return status;
    }
    cairn_make_def def = {0};
    status = take_words(&given, &def);
    return status == CAIRN_EXIT_DONE ? make_file(&def, given.out, given.json) : status;
}
