// test_make.c - arenas made by chance: in order whatever the seed, the same bytes for the same wish, harder when asked.
#include "check.h"
#include "sim/arena/check/difficulty.h"
#include "sim/arena/make/make.h"
#include <stdlib.h>
#include <string.h>

// As small as each kind is still itself: what goes wrong goes wrong there first, and it is fast.
static const struct {
    cairn_make_kind kind;
    cairn_vec2 size_m;
} small[] = {
    {CAIRN_MAKE_MAZE, {9, 8}},         {CAIRN_MAKE_OFFICE, {18, 14}},        {CAIRN_MAKE_YARD, {18, 16}},
    {CAIRN_MAKE_COLLAPSED, {17, 16}},  {CAIRN_MAKE_RADIO_DROPOUT, {17, 14}}, {CAIRN_MAKE_STEPFIELD, {11, 10}},
    {CAIRN_MAKE_SHOWGROUND, {40, 40}},
};
enum { KINDS = sizeof small / sizeof small[0], SEEDS = 20, SEEDS_MAX = 1000, VICTIMS = 3 };

static cairn_arena text_memory, arena_memory;
static cairn_complaints told;

static cairn_make_def wish(uint32_t kind, uint32_t difficulty, uint64_t seed)
{
    cairn_make_def def = cairn_make_def_default(small[kind].kind);
    def.size_m = small[kind].size_m;
    def.victim_count = VICTIMS;
    def.start_count = 2;
    def.difficulty = difficulty;
    def.static_hazards = def.mobile_hazards = def.bystander_count = 0;
    def.seed = seed;
    return def;
}

// CAIRN_SEEDS asks for more (tests/soak.py).
static uint32_t seeds_or(uint32_t usual)
{
    const char *wanted = getenv("CAIRN_SEEDS");
    const uint32_t count = wanted != NULL ? (uint32_t)strtoul(wanted, NULL, 10) : usual;
    return count < 1 ? 1 : count > SEEDS_MAX ? SEEDS_MAX : count;
}

static const char *make(const cairn_make_def *def, size_t *ret_size_bytes)
{
    const char *text;
    cairn_make_report report;
    cairn_arena_reset(&text_memory, 0);
    memset(&told, 0, sizeof told);
    if (cairn_make_run(def, &text_memory, &told, &text, ret_size_bytes, &report) != CAIRN_OK) {
        fail_msg("%s, difficulty %u, seed %llu:\n%s", cairn_make_kind_names[def->kind], def->difficulty,
                 (unsigned long long)def->seed, told.text);
    }
    assert_int_equal(strlen(text), *ret_size_bytes);
    return text;
}

static cairn_sim_arena read_back(const char *text, size_t size_bytes)
{
    cairn_sim_arena arena;
    cairn_arena_reset(&arena_memory, 0);
    memset(&told, 0, sizeof told);
    if (cairn_sim_arena_parse(text, size_bytes, "made", &arena_memory, &told, &arena) != CAIRN_OK) {
        fail_msg("refused:\n%s", told.text);
    }
    return arena;
}

static uint64_t fingerprint(const char *text)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (; *text != '\0'; text++) { hash = (hash ^ (unsigned char)*text) * 1099511628211u; }
    return hash;
}

// A mission asks for any seed, and what it then gets must be a place that can be searched. Reading a file back checks
// that all victims can be reached and seen.
static void every_seed_of_every_kind_is_in_order(void **state)
{
    (void)state;
    static uint64_t prints[SEEDS_MAX];
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        for (uint32_t seed = 0; seed < seeds_or(SEEDS); seed++) {
            size_t size_bytes;
            const cairn_make_def def = wish(kind, 1 + seed % CAIRN_MAKE_DIFFICULTY_MAX, seed);
            const char *text = make(&def, &size_bytes);
            if (seed < 3) { // made arenas have been read back already
                const cairn_sim_arena arena = read_back(text, size_bytes);
                assert_int_equal(arena.victim_count, VICTIMS);
                assert_int_equal(arena.start_count, 2);
                assert_string_equal(arena.name, cairn_make_kind_names[def.kind]);
            }
            prints[seed] = fingerprint(text);
            for (uint32_t i = 0; i < seed; i++) { assert_true(prints[i] != prints[seed]); }
        }
    }
}

// The file's first lines say how to make it again.
static void the_same_wish_gives_the_same_bytes(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        size_t size_bytes;
        const cairn_make_def def = wish(kind, 3, 77);
        const uint64_t once = fingerprint(make(&def, &size_bytes));
        assert_true(once == fingerprint(make(&def, &size_bytes)));
    }
}

static void hazards_and_bystanders_are_as_many_as_asked_for(void **state)
{
    (void)state;
    size_t size_bytes;
    cairn_make_def def = wish(6, 3, 5);
    def.static_hazards = 2;
    def.mobile_hazards = 1;
    def.bystander_count = 3;
    const char *text = make(&def, &size_bytes);
    const cairn_sim_arena arena = read_back(text, size_bytes);
    uint32_t standing = 0, walking = 0, people = 0;
    for (uint32_t i = 0; i < arena.figure_count; i++) {
        const cairn_sim_figure *figure = &arena.figures[i];
        if (figure->kind == CAIRN_FIGURE_BYSTANDER) {
            people++;
            assert_true(figure->point_count >= 2 && figure->speed_mps > 0.0);
        } else {
            assert_float_equal(figure->trigger_m, 2.5, 1e-9);
            assert_float_equal(figure->lethal_m, figure->speed_mps > 0.0 ? 5.0 : 10.0, 1e-9);
            standing += figure->point_count == 1;
            walking += figure->point_count > 1;
        }
    }
    assert_int_equal(standing, 2);
    assert_int_equal(walking, 1);
    assert_int_equal(people, 3);
}

// Nothing is promised that cannot be kept: sixty people do not fit into a small maze.
static void what_cannot_be_made_is_told(void **state)
{
    (void)state;
    cairn_make_def def = wish(0, 5, 1);
    def.size_m = (cairn_vec2){6, 6};
    def.victim_count = 60;
    const char *text;
    size_t size_bytes;
    cairn_make_report report;
    cairn_arena_reset(&text_memory, 0);
    memset(&told, 0, sizeof told);
    assert_int_equal(cairn_make_run(&def, &text_memory, &told, &text, &size_bytes, &report), CAIRN_ERR_INVALID);
    assert_non_null(strstr(told.text, "of 60 victims found a place"));
    assert_non_null(strstr(told.text, "none of 40 layouts was in order"));
}

// The number of docs/arenas.md and the wish for difficulty mean the same: over a few seeds, harder comes out harder.
// Every other level: in places as small as these neighbours may come out alike.
static void difficulty_rises_with_what_was_asked_for(void **state)
{
    (void)state;
    const cairn_reach_def robot = cairn_reach_def_default();
    const uint32_t seeds = seeds_or(3);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        double before = 0.0;
        for (uint32_t level = 1; level <= CAIRN_MAKE_DIFFICULTY_MAX; level += 2) {
            double sum = 0.0;
            for (uint32_t seed = 1; seed <= seeds; seed++) {
                size_t size_bytes;
                cairn_difficulty found;
                cairn_make_def def = wish(kind, level, seed);
                def.victim_count = 5;
                const char *text = make(&def, &size_bytes);
                const cairn_sim_arena arena = read_back(text, size_bytes);
                assert_ok(cairn_difficulty_of(&arena, &robot, &found));
                assert_int_equal(found.victims_in_reach, 5);
                sum += found.total;
            }
            if (!(sum > before)) {
                fail_msg("%s: difficulty %u gives %.2f, easier than the one before it: %.2f",
                         cairn_make_kind_names[small[kind].kind], level, sum / seeds, before / seeds);
            }
            before = sum;
        }
    }
}

static int take_memory(void **state)
{
    (void)state;
    return cairn_arena_create(&text_memory, 2 * CAIRN_MAKE_TEXT_BYTES_MAX) == CAIRN_OK &&
                   cairn_arena_create(&arena_memory, (size_t)64 << 20) == CAIRN_OK
               ? 0
               : -1;
}

static int give_memory(void **state)
{
    (void)state;
    cairn_arena_destroy(&text_memory);
    cairn_arena_destroy(&arena_memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_of_every_kind_is_in_order),
        cmocka_unit_test(the_same_wish_gives_the_same_bytes),
        cmocka_unit_test(hazards_and_bystanders_are_as_many_as_asked_for),
        cmocka_unit_test(what_cannot_be_made_is_told),
        cmocka_unit_test(difficulty_rises_with_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, take_memory, give_memory);
}
