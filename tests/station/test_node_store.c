// Nodes and codes are found again, and of too many the oldest go: against a plain list.
#include "base/random.h"
#include "check.h"
#include "station/atlas/node_store.h"
#include <stdlib.h>
#include <string.h>

static cairn_arena memory;
static cairn_node_store store;

static int start(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 48 << 20));
    assert_ok(cairn_node_store_init(&store, &memory));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

// The bytes that a node's code is made of here.
static uint8_t byte_of(uint32_t number, uint32_t at) { return (uint8_t)(number * 31 + at * 7 + (number >> 8)); }

static void add(uint32_t number, uint32_t size_bytes)
{
    static uint8_t code[8192];
    for (uint32_t i = 0; i < size_bytes; i++) { code[i] = byte_of(number, i); }
    cairn_node_entry *entry = cairn_node_store_add(&store, (uint8_t)(number % 30 + 1), number / 30 + 1);
    cairn_node_store_keep(&store, entry, code, size_bytes);
}

static const cairn_node_entry *find(uint32_t number)
{
    return cairn_node_store_find(&store, (uint8_t)(number % 30 + 1), number / 30 + 1);
}

static void twenty_thousand_nodes_of_300_bytes_are_all_kept(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 20000; i++) { add(i, 300); }
    for (uint32_t i = 0; i < 20000; i++) {
        const cairn_node_entry *entry = find(i);
        assert_non_null(entry);
        const uint8_t *code = cairn_node_store_kept(&store, entry);
        assert_true(code != NULL && code[0] == byte_of(i, 0) && code[299] == byte_of(i, 299));
    }
    assert_int_equal(store.node_lost_count + store.map_lost_count, 0);
    assert_int_equal(cairn_node_store_count(&store), 20000);
}

static void of_too_many_the_oldest_go_and_the_others_stay_whole(void **unused)
{
    (void)unused;
    const uint64_t seed = 17;
    printf("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/node_store");
    enum { COUNT = 60000 };
    uint32_t *sizes = calloc(COUNT, sizeof *sizes);
    for (uint32_t i = 0; i < COUNT; i++) {
        sizes[i] = cairn_random_below(&random, 100) == 0 ? 7000 : cairn_random_below(&random, 3600);
        add(i, sizes[i]);
    }
    bool had_code = false;
    for (uint32_t i = 0; i < COUNT; i++) {
        const cairn_node_entry *entry = find(i);
        assert_int_equal(entry != NULL, i >= COUNT - CAIRN_NODES_MAX);
        const uint8_t *code = entry == NULL ? NULL : cairn_node_store_kept(&store, entry);
        if (sizes[i] > 0 && had_code) { assert_non_null(code); } // no younger one goes before an older one
        if (code == NULL) { continue; }
        had_code = true;
        assert_int_equal(entry->kept_bytes, sizes[i]);
        for (uint32_t k = 0; k < sizes[i]; k++) { assert_true(code[k] == byte_of(i, k)); }
    }
    assert_true(had_code);
    size_t kept_bytes = 0;
    for (uint32_t i = 0; i < cairn_node_store_count(&store); i++) {
        kept_bytes += cairn_node_store_get(&store, i)->kept_bytes;
    }
    assert_true(kept_bytes > CAIRN_NODE_MAP_BYTES * 9u / 10);
    assert_int_equal(cairn_node_store_get(&store, 0)->node, (COUNT - CAIRN_NODES_MAX) / 30 + 1);
    free(sizes);
}

// As a robot's words would: the map may come long after its node, or never.
static void say(cairn_node_store *to, uint32_t number, uint32_t size_bytes)
{
    static uint8_t code[8192];
    for (uint32_t i = 0; i < size_bytes; i++) { code[i] = byte_of(number, i); }
    cairn_node_entry *entry = cairn_node_store_add(to, (uint8_t)(number % 30 + 1), number / 30 + 1);
    if (size_bytes == 0) {
        cairn_radio_message node;
        cairn_radio_clear(CAIRN_MSG_NODE, &node);
        entry->has_pose = true;
        entry->said = node.node;
        entry->said.robot = entry->robot;
        entry->said.node = entry->node;
        entry->map_T_node = (cairn_pose2){number * 0.01, 1, 0.5};
    } else if (!entry->has_map) {
        entry->has_map = true;
        entry->terrain = (cairn_terrain_head){100, 64, 64, number % 2 == 1, -3200, -3200};
        cairn_node_store_keep(to, entry, code, size_bytes);
    }
}

static uint64_t hash_of(cairn_node_store *of)
{
    cairn_archive archive;
    cairn_archive_hash(&archive);
    cairn_node_store_walk(&archive, of);
    return cairn_archive_hash_value(&archive);
}

// A snapshot taken when the rings have gone round goes on as the store that it was taken of: what is lost later, too.
static void a_store_that_was_loaded_goes_on_as_the_one_that_was_saved(void **unused)
{
    (void)unused;
    const uint64_t seed = 23;
    printf("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/node_store");
    enum { BYTES_MAX = 40 << 20 };
    uint8_t *bytes = malloc(BYTES_MAX);
    assert_non_null(bytes);
    uint32_t number = 0;
    for (int round = 0; round < 6; round++) {
        for (uint32_t i = 0; i < 12000; i++) {
            const bool late = cairn_random_below(&random, 4) == 0 && number > 500;
            const uint32_t of = late ? number - cairn_random_below(&random, 500) : ++number;
            say(&store, of, cairn_random_below(&random, 3600));
        }
        cairn_archive archive;
        cairn_archive_save(&archive, bytes, BYTES_MAX);
        cairn_node_store_walk(&archive, &store);
        const size_t size_bytes = archive.at_bytes;
        assert_ok(cairn_archive_end(&archive));
        assert_int_equal(cairn_archive_hash_of(bytes, size_bytes), hash_of(&store));

        cairn_arena other_memory;
        cairn_node_store other;
        assert_ok(cairn_arena_create(&other_memory, 48 << 20));
        assert_ok(cairn_node_store_init(&other, &other_memory));
        cairn_archive_load(&archive, bytes, size_bytes);
        cairn_node_store_walk(&archive, &other);
        assert_ok(cairn_archive_end(&archive));
        for (uint32_t i = 0; i < 2000; i++) {
            const uint32_t size = cairn_random_below(&random, 3600);
            say(&store, ++number, size);
            say(&other, number, size);
            if (i % 500 == 0) { assert_int_equal(hash_of(&other), hash_of(&store)); }
        }
        assert_int_equal(hash_of(&other), hash_of(&store));
        cairn_arena_destroy(&other_memory);
    }
    assert_true(store.node_lost_count > 1000 && store.map_lost_count > 1000);
    free(bytes);
}

static void a_store_without_room_says_so(void **unused)
{
    (void)unused;
    cairn_arena small;
    assert_ok(cairn_arena_create(&small, 4 << 20));
    assert_int_equal(cairn_node_store_init(&store, &small), CAIRN_ERR_FULL);
    cairn_arena_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(twenty_thousand_nodes_of_300_bytes_are_all_kept, start, finish),
        cmocka_unit_test_setup_teardown(of_too_many_the_oldest_go_and_the_others_stay_whole, start, finish),
        cmocka_unit_test_setup_teardown(a_store_that_was_loaded_goes_on_as_the_one_that_was_saved, start, finish),
        cmocka_unit_test_setup_teardown(a_store_without_room_says_so, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
