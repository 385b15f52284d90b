// One attempt after another: a layout, read back; people in it, read back again.
#include "sim/arena/make/make.h"
#include "sim/arena/make/maker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cairn_make_kind_names[CAIRN_MAKE_KIND_COUNT + 1] = {
    "maze", "office", "yard", "collapsed", "radio-dropout", "stepfield", "showground", NULL};

// For the drafts' lists, what is taken, and a byte for each cell of 600 x 600 m.
#define WORK_BYTES ((size_t)48 << 20)
#define ARENA_BYTES ((size_t)64 << 20) // of what is read back; pages that are not needed are not touched

typedef struct kind_of_place {
    void (*make)(cairn_maker *maker);
    cairn_make_def usual;
    double side_m_min, side_m_max;
    const char *about;
} kind_of_place;

static const kind_of_place kinds[CAIRN_MAKE_KIND_COUNT] = {
    [CAIRN_MAKE_MAZE] = {cairn_make_maze,
                         {.size_m = {11.6, 11.6}, .victim_count = 4, .start_count = 3, .difficulty = 2},
                         6.0,
                         80.0,
                         "A search maze"},
    [CAIRN_MAKE_OFFICE] = {cairn_make_office,
                           {.size_m = {36, 24}, .victim_count = 8, .start_count = 6, .difficulty = 2},
                           14.0,
                           120.0,
                           "An office floor"},
    [CAIRN_MAKE_YARD] = {cairn_make_yard,
                         {.size_m = {40, 30}, .victim_count = 8, .start_count = 6, .difficulty = 3},
                         16.0,
                         150.0,
                         "A works yard"},
    [CAIRN_MAKE_COLLAPSED] = {cairn_make_collapsed,
                              {.size_m = {30, 22}, .victim_count = 8, .start_count = 4, .difficulty = 4},
                              16.0,
                              80.0,
                              "A collapsed building"},
    [CAIRN_MAKE_RADIO_DROPOUT] = {cairn_make_radio_dropout,
                                  {.size_m = {36, 26}, .victim_count = 5, .start_count = 3, .difficulty = 3},
                                  14.0,
                                  120.0,
                                  "A winding tunnel that no radio gets into"},
    [CAIRN_MAKE_STEPFIELD] = {cairn_make_stepfield,
                              {.size_m = {24, 22}, .victim_count = 4, .start_count = 4, .difficulty = 3},
                              10.0,
                              60.0,
                              "A test yard with lanes of rough ground"},
    [CAIRN_MAKE_SHOWGROUND] = {cairn_make_showground,
                               {.size_m = {500, 500},
                                .victim_count = 20,
                                .start_count = 14,
                                .difficulty = 3,
                                .static_hazards = 12,
                                .mobile_hazards = 3,
                                .bystander_count = 10},
                               40.0,
                               CAIRN_MAKE_SIDE_M_MAX,
                               "A showground with streets, halls and stalls"},
};

cairn_make_def cairn_make_def_default(cairn_make_kind kind)
{
    CAIRN_ASSERT(kind < CAIRN_MAKE_KIND_COUNT);
    cairn_make_def def = kinds[kind].usual;
    def.kind = kind;
    def.name = cairn_make_kind_names[kind];
    def.seed = 1;
    return def;
}

void cairn_make_size_limits(cairn_make_kind kind, double *ret_m_min, double *ret_m_max)
{
    CAIRN_ASSERT(kind < CAIRN_MAKE_KIND_COUNT && ret_m_min != NULL && ret_m_max != NULL);
    *ret_m_min = kinds[kind].side_m_min;
    *ret_m_max = kinds[kind].side_m_max;
}

// The whole command, so that the same file can be made again.
static void describe(cairn_maker *maker)
{
    const cairn_make_def *def = maker->def;
    const char *kind = cairn_make_kind_names[def->kind];
    cairn_draft *draft = &maker->draft;
    cairn_draft_note(draft, "Made by this command; with another --seed it is another place of the same kind:");
    cairn_draft_note(draft, "  cairn arena new --kind %s --name %s --size %g,%g --difficulty %u --seed %llu \\", kind,
                     def->name, def->size_m.x, def->size_m.y, def->difficulty, (unsigned long long)def->seed);
    cairn_draft_note(draft, "    --victims %u --starts %u --hazards %u,%u --bystanders %u -o %s.yaml",
                     def->victim_count, def->start_count, def->static_hazards, def->mobile_hazards,
                     def->bystander_count, def->name);
    (void)snprintf(draft->name, sizeof draft->name, "%s", def->name);
    (void)snprintf(draft->about, sizeof draft->about, "%s, %g x %g m, difficulty %u, %u victims, starts for %u.",
                   kinds[def->kind].about, draft->size_m.x, draft->size_m.y, def->difficulty, def->victim_count,
                   def->start_count);
    draft->victims_note = "all can be reached and seen";
}

static cairn_err read_back(const cairn_maker *maker, cairn_arena *text_memory, cairn_arena *arena_memory,
                           cairn_complaints *complaints, const char **ret_text, size_t *ret_size_bytes,
                           cairn_sim_arena *ret_arena)
{
    cairn_err err = cairn_draft_write(&maker->draft, text_memory, ret_text, ret_size_bytes);
    if (err == CAIRN_OK && *ret_size_bytes > CAIRN_MAKE_TEXT_BYTES_MAX) {
        cairn_complain(complaints, maker->def->name, 0, "would be an arena file of more than 1 MiB; ask for less");
        return CAIRN_ERR_TOO_LARGE;
    }
    if (err != CAIRN_OK) { return err; }
    return cairn_sim_arena_parse(*ret_text, *ret_size_bytes, maker->def->name, arena_memory, complaints, ret_arena);
}

typedef struct made {
    const char *text;
    size_t size_bytes;
    cairn_make_report report;
} made;

static cairn_err attempt(const cairn_make_def *def, uint32_t number, cairn_arena *work, cairn_arena *read_memory,
                         cairn_arena *memory, cairn_complaints *complaints, made *ret_made)
{
    cairn_maker maker;
    cairn_err err = cairn_maker_create(def, number, work, &maker);
    if (err != CAIRN_OK) { return err; }
    kinds[def->kind].make(&maker);
    describe(&maker);
    if (maker.full) {
        cairn_complain(complaints, def->name, 0, "no room for all of it; ask for a larger or an easier place");
        return CAIRN_ERR_INVALID;
    }
    const size_t mark = cairn_arena_mark(memory);
    cairn_sim_arena arena;
    made result = {0};
    err = read_back(&maker, memory, read_memory, complaints, &result.text, &result.size_bytes, &arena);
    if (err == CAIRN_OK) { err = cairn_maker_people(&maker, &arena, complaints, &result.report.reach_m2); }
    cairn_arena_reset(memory, mark);
    cairn_arena_reset(read_memory, 0);
    if (err != CAIRN_OK) { return err; }
    err = read_back(&maker, memory, read_memory, complaints, &result.text, &result.size_bytes, &arena);
    if (err != CAIRN_OK) {
        cairn_arena_reset(memory, mark);
        return err;
    }
    result.report.attempts = number + 1;
    result.report.solids = arena.solid_count;
    result.report.size_m = arena.size_m;
    *ret_made = result;
    return CAIRN_OK;
}

static cairn_err try_all(const cairn_make_def *def, cairn_arena *work, cairn_arena *read_memory, cairn_arena *memory,
                         cairn_complaints *complaints, made *ret_made)
{
    cairn_err err = CAIRN_ERR_INVALID;
    cairn_complaints of_attempt = {0};
    for (uint32_t i = 0; i < CAIRN_MAKE_ATTEMPTS && err == CAIRN_ERR_INVALID; i++) {
        memset(&of_attempt, 0, sizeof of_attempt);
        cairn_arena_reset(work, 0);
        cairn_arena_reset(read_memory, 0);
        err = attempt(def, i, work, read_memory, memory, &of_attempt, ret_made);
    }
    if (err == CAIRN_OK) { return err; }
    *complaints = of_attempt;
    if (err == CAIRN_ERR_INVALID) {
        cairn_complain(complaints, def->name, 0,
                       "none of %d layouts was in order; above is what was wrong with the last one. Choose another "
                       "--seed, a larger --size, fewer --victims or less --difficulty",
                       CAIRN_MAKE_ATTEMPTS);
    }
    return err;
}

cairn_err cairn_make_run(const cairn_make_def *def, cairn_arena *memory, cairn_complaints *complaints,
                         const char **ret_text, size_t *ret_size_bytes, cairn_make_report *ret_report)
{
    CAIRN_ASSERT(def != NULL && def->name != NULL && def->kind < CAIRN_MAKE_KIND_COUNT);
    CAIRN_ASSERT(def->difficulty >= 1 && def->difficulty <= CAIRN_MAKE_DIFFICULTY_MAX);
    CAIRN_ASSERT(def->start_count >= 1 && def->start_count <= CAIRN_IMPORT_STARTS_MAX);
    CAIRN_ASSERT(def->victim_count <= CAIRN_IMPORT_VICTIMS_MAX);
    CAIRN_ASSERT(def->static_hazards + def->mobile_hazards <= CAIRN_MAKE_HAZARDS_MAX &&
                 def->bystander_count <= CAIRN_MAKE_BYSTANDERS_MAX);
    CAIRN_ASSERT(fmin(def->size_m.x, def->size_m.y) >= kinds[def->kind].side_m_min &&
                 fmax(def->size_m.x, def->size_m.y) <= kinds[def->kind].side_m_max);
    cairn_arena work = {0}, read_memory = {0};
    cairn_err err = cairn_arena_create(&work, WORK_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&read_memory, ARENA_BYTES); }
    made result;
    if (err == CAIRN_OK) { err = try_all(def, &work, &read_memory, memory, complaints, &result); }
    if (err == CAIRN_OK) {
        *ret_text = result.text;
        *ret_size_bytes = result.size_bytes;
        *ret_report = result.report;
    }
    cairn_arena_destroy(&work);
    cairn_arena_destroy(&read_memory);
    return err;
}
