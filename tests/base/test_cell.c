// A cell gives its reader the newest complete value, whatever the writer does at that moment.
#include "base/cell.h"
#include "check.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 37 // not a whole number of cache lines

typedef struct value {
    uint64_t words[WORDS];
} value;

static cairn_cell *new_cell(cairn_arena *arena, size_t value_bytes)
{
    assert_ok(cairn_arena_create(arena, 2 * cairn_cell_bytes(value_bytes)));
    cairn_cell *cell = NULL;
    assert_ok(cairn_cell_create(arena, value_bytes, &cell));
    return cell;
}

static void a_cell_is_empty_before_the_first_write(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_cell *const cell = new_cell(&arena, 8);
    uint64_t version = 99;
    assert_null(cairn_cell_latest(cell, &version));
    assert_int_equal(version, 0);
    (void)cairn_cell_begin(cell); // begun is not written
    assert_null(cairn_cell_latest(cell, NULL));
    cairn_arena_destroy(&arena);
}

static void the_reader_gets_the_newest_value_and_its_count(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_cell *const cell = new_cell(&arena, sizeof(uint64_t));
    uint64_t written = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < round % 5; i++) {
            written++;
            const uint64_t word = written * 3;
            cairn_cell_write(cell, &word, sizeof word);
        }
        uint64_t version = 99;
        const uint64_t *const latest = cairn_cell_latest(cell, &version);
        assert_int_equal(version, written);
        if (written) {
            assert_int_equal(*latest, written * 3);
        } else {
            assert_null(latest);
        }
    }
    cairn_arena_destroy(&arena);
}

// What the reader holds stays as it is while the writer goes on.
static void a_borrowed_value_is_not_overwritten(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_cell *const cell = new_cell(&arena, sizeof(uint64_t));
    uint64_t word = 1;
    cairn_cell_write(cell, &word, sizeof word);
    const uint64_t *const held = cairn_cell_latest(cell, NULL);
    for (word = 2; word < 20; word++) {
        cairn_cell_write(cell, &word, sizeof word);
        assert_int_equal(*held, 1);
    }
    assert_int_equal(*(const uint64_t *)cairn_cell_latest(cell, NULL), 19);
    cairn_arena_destroy(&arena);
}

// The memory alone is what two processes share; each has an end of its own, and reads through it at its own pace.
static void every_end_sees_the_newest_value(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 8 * cairn_cell_bytes(sizeof(uint64_t))));
    void *const memory = cairn_arena_take(&arena, 1, cairn_cell_memory_bytes(sizeof(uint64_t)));
    cairn_cell *writer = NULL, *first = NULL, *second = NULL;
    assert_ok(cairn_cell_attach(&arena, memory, sizeof(uint64_t), &writer));
    assert_ok(cairn_cell_attach(&arena, memory, sizeof(uint64_t), &first));
    assert_ok(cairn_cell_attach(&arena, memory, sizeof(uint64_t), &second));
    for (uint64_t word = 1; word < 20; word++) {
        cairn_cell_write(writer, &word, sizeof word);
        assert_int_equal(*(const uint64_t *)cairn_cell_latest(first, NULL), word);
        if (word % 7 == 0) { assert_int_equal(*(const uint64_t *)cairn_cell_latest(second, NULL), word); }
    }
    cairn_arena_destroy(&arena);
}

// A writer that was killed while it wrote leaves a slot half filled: readers keep the value before, and the writer that
// is started after it goes on counting.
static void a_writer_that_died_is_followed_by_another(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 8 * cairn_cell_bytes(sizeof(value))));
    uint64_t *const memory = cairn_arena_take(&arena, 1, cairn_cell_memory_bytes(sizeof(value)));
    cairn_cell *reader = NULL;
    assert_ok(cairn_cell_attach(&arena, memory, sizeof(value), &reader));
    for (uint64_t life = 1; life < 10; life++) {
        cairn_cell *writer = NULL;
        cairn_arena ends;
        assert_ok(cairn_arena_create(&ends, cairn_cell_bytes(sizeof(value))));
        assert_ok(cairn_cell_attach(&ends, memory, sizeof(value), &writer));
        const value whole = {.words = {life}};
        cairn_cell_write(writer, &whole, sizeof whole);
        const value torn = {.words = {999}};
        const uint64_t newest = memory[0];
        cairn_cell_write(writer, &torn, sizeof torn);
        memory[0] = newest; // as if it had died just before the end
        cairn_arena_destroy(&ends);
        uint64_t version = 0;
        assert_int_equal(((const value *)cairn_cell_latest(reader, &version))->words[0], life);
        assert_int_equal(version, life);
    }
    cairn_arena_destroy(&arena);
}

// Reflex reads what mind may have scribbled over: whatever lies there, it goes on, within its own memory.
static void nothing_in_the_memory_can_hurt_a_reader(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, 8 * cairn_cell_bytes(sizeof(value))));
    const size_t words = cairn_cell_memory_bytes(sizeof(value)) / sizeof(uint64_t);
    uint64_t *const memory = cairn_arena_take(&arena, words, sizeof(uint64_t));
    cairn_cell *reader = NULL;
    assert_ok(cairn_cell_attach(&arena, memory, sizeof(value), &reader));
    uint64_t chance = 12345;
    for (int round = 0; round < 10000; round++) {
        for (size_t i = 0; i < words; i++) {
            chance = chance * 6364136223846793005u + 1442695040888963407u;
            memory[i] = round % 2 ? chance : chance >> 62;
        }
        (void)cairn_cell_latest(reader, NULL);
    }
    cairn_arena_destroy(&arena);
}

static void a_cell_in_an_arena_too_small_is_refused(void **state)
{
    (void)state;
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, cairn_cell_bytes(100) - 64));
    cairn_cell *cell = NULL;
    assert_int_equal(cairn_cell_create(&arena, 100, &cell), CAIRN_ERR_FULL);
    assert_null(cell);
    cairn_arena_destroy(&arena);
}

#define STRESS_WRITES 200000u

static void *write_many(void *context)
{
    cairn_cell *const cell = context;
    for (uint64_t n = 1; n <= STRESS_WRITES; n++) {
        value *const slot = cairn_cell_begin(cell);
        for (int i = 0; i < WORDS; i++) { slot->words[i] = n * (uint64_t)(i + 1); }
        cairn_cell_publish(cell);
    }
    return NULL;
}

static void a_reader_never_sees_a_torn_or_an_older_value(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_cell *const cell = new_cell(&arena, sizeof(value));
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_many, cell), 0);
    uint64_t version = 0, torn_count = 0, older_count = 0;
    while (version < STRESS_WRITES) {
        uint64_t next = 0;
        const value *const latest = cairn_cell_latest(cell, &next);
        older_count += next < version;
        version = next;
        for (int i = 0; latest && i < WORDS; i++) { torn_count += latest->words[i] != version * (uint64_t)(i + 1); }
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(torn_count, 0);
    assert_int_equal(older_count, 0);
    cairn_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_empty_before_the_first_write),
        cmocka_unit_test(the_reader_gets_the_newest_value_and_its_count),
        cmocka_unit_test(a_borrowed_value_is_not_overwritten),
        cmocka_unit_test(every_end_sees_the_newest_value),
        cmocka_unit_test(a_writer_that_died_is_followed_by_another),
        cmocka_unit_test(nothing_in_the_memory_can_hurt_a_reader),
        cmocka_unit_test(a_cell_in_an_arena_too_small_is_refused),
        cmocka_unit_test(a_reader_never_sees_a_torn_or_an_older_value),
    };
    return cmocka_run_group_tests_name("cell", tests, NULL, NULL);
}
