// Arenas hand out zeroed, aligned, separate memory and know their bounds; pools keep ids honest.
#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include <string.h>

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i]) { return false; }
    }
    return true;
}

// Fills the arena with random pieces and dirt, three times over, with a reset to a random mark between.
static void take_and_dirty(cairn_arena *arena, cairn_random *random)
{
    for (int round = 0; round < 3; round++) {
        uint8_t *end = arena->base + cairn_arena_mark(arena);
        for (;;) {
            const size_t count = cairn_random_below(random, 50), each_bytes = cairn_random_below(random, 9);
            uint8_t *const piece = cairn_arena_take(arena, count, each_bytes);
            if (!piece) { break; }
            assert_int_equal((uintptr_t)piece % 64, 0);
            assert_true(piece >= end);
            assert_true(is_zero(piece, count * each_bytes));
            memset(piece, 0xa5, count * each_bytes);
            end = piece + count * each_bytes;
            assert_true(end <= arena->base + arena->size_bytes);
        }
        cairn_arena_reset(arena, cairn_random_below(random, 8) * 64);
    }
}

static void taken_memory_is_zeroed_aligned_and_separate(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 7, "test/memory"); // seed 7
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 10000));
    take_and_dirty(&arena, &random);
    cairn_arena_destroy(&arena);

    _Alignas(64) static uint8_t block[5000];
    memset(block, 0xff, sizeof block);
    cairn_arena_init(&arena, block + 3, sizeof block - 3); // not aligned, not zeroed
    take_and_dirty(&arena, &random);
    cairn_arena_destroy(&arena);
}

static void an_arena_refuses_what_it_cannot_hold(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 1024));
    assert_null(cairn_arena_take(&arena, 1025, 1));
    assert_null(cairn_arena_take(&arena, SIZE_MAX / 2 + 2, 2)); // the product wraps to 2
    assert_null(cairn_arena_take(&arena, 1, SIZE_MAX));
    assert_non_null(cairn_arena_take(&arena, 1024, 1));
    assert_null(cairn_arena_take(&arena, 1, 1));
    cairn_arena_destroy(&arena);
    assert_int_equal(cairn_arena_create(&arena, SIZE_MAX - 5), CAIRN_ERR_FULL);
}

static void the_high_water_mark_survives_a_reset(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 4096));
    assert_non_null(cairn_arena_take(&arena, 1, 640));
    const size_t mark = cairn_arena_mark(&arena);
    assert_non_null(cairn_arena_take(&arena, 1, 1280));
    cairn_arena_reset(&arena, mark);
    assert_int_equal(arena.used_bytes, 640);
    assert_int_equal(arena.high_water_bytes, 1920);
    cairn_arena_destroy(&arena);
}

static void taking_from_a_sealed_arena_is_a_breach(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 4096));
    cairn_arena_seal(&arena);
    assert_breach((void)!cairn_arena_take(&arena, 1, 8));
    assert_breach(cairn_arena_reset(&arena, 0));
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(NULL);
}

#define CAPACITY 20u

// The model: which ids are alive, and what was written into them.
typedef struct model {
    cairn_id ids[CAPACITY];
    uint32_t marks[CAPACITY];
    uint32_t count;
} model;

static void check_pool(cairn_pool *pool, const model *known)
{
    assert_int_equal(cairn_pool_count(pool), known->count);
    for (uint32_t i = 0; i < known->count; i++) {
        const uint32_t *const element = cairn_pool_get(pool, known->ids[i]);
        assert_non_null(element);
        assert_int_equal(*element, known->marks[i]);
    }
    uint32_t walked = 0, slot_before = 0;
    for (cairn_id id = cairn_pool_next(pool, (cairn_id){0}); id.slot_plus_1; id = cairn_pool_next(pool, id)) {
        assert_true(id.slot_plus_1 > slot_before);
        assert_non_null(cairn_pool_get(pool, id));
        slot_before = id.slot_plus_1;
        walked++;
    }
    assert_int_equal(walked, known->count);
}

static void a_pool_agrees_with_a_plain_list(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 11, "test/pool"); // seed 11
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 8192));
    cairn_pool *pool;
    assert_ok(cairn_pool_create(&arena, CAPACITY, 20, &pool));
    model known = {0};
    cairn_id gone = {0};
    for (uint32_t round = 1; round < 5000; round++) {
        if (cairn_random_below(&random, 100) < 55) {
            cairn_id id = {9, 9};
            void *element = &id;
            const cairn_err err = cairn_pool_add(pool, &id, &element);
            assert_int_equal(err, known.count == CAPACITY ? CAIRN_ERR_FULL : CAIRN_OK);
            if (err) { continue; }
            assert_true(is_zero(element, 20));
            memcpy(element, &round, sizeof round);
            known.marks[known.count] = round;
            known.ids[known.count++] = id;
        } else if (known.count > 0) {
            const uint32_t at = cairn_random_below(&random, known.count);
            gone = known.ids[at];
            known.ids[at] = known.ids[--known.count];
            known.marks[at] = known.marks[known.count];
            cairn_pool_remove(pool, gone);
        }
        cairn_pool_remove(pool, gone); // stale, even if its slot is in use again: ignored
        assert_null(cairn_pool_get(pool, gone));
        check_pool(pool, &known);
    }
    cairn_arena_destroy(&arena);
}

static void an_id_of_nothing_gets_nothing(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 4096));
    cairn_pool *pool = NULL;
    assert_int_equal(cairn_pool_create(&arena, 1000, 100, &pool), CAIRN_ERR_FULL);
    assert_null(pool);
    assert_int_equal(cairn_arena_mark(&arena), 0);
    assert_ok(cairn_pool_create(&arena, 4, 8, &pool));
    assert_null(cairn_pool_get(pool, (cairn_id){0}));
    assert_null(cairn_pool_get(pool, (cairn_id){1, 0}));
    assert_null(cairn_pool_get(pool, (cairn_id){1, 1}));
    assert_null(cairn_pool_get(pool, (cairn_id){99, 1}));
    cairn_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_memory_is_zeroed_aligned_and_separate),
        cmocka_unit_test(an_arena_refuses_what_it_cannot_hold),
        cmocka_unit_test(the_high_water_mark_survives_a_reset),
        cmocka_unit_test(taking_from_a_sealed_arena_is_a_breach),
        cmocka_unit_test(a_pool_agrees_with_a_plain_list),
        cmocka_unit_test(an_id_of_nothing_gets_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
