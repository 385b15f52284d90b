// Terrain maps come out of their packed form as they went in, and bytes that nobody packed are refused.
#include "../base/check.h"
#include "base/random.h"
#include "maps/terrain_pack.h"
#include <string.h>

#define SEED 12

static cairn_terrain_planes planes, again;
static uint8_t bytes[CAIRN_TERRAIN_PACK_BYTES_MAX];

static void set(uint32_t cell, bool known, bool obstacle)
{
    const uint8_t bit = (uint8_t)(1u << (cell & 7));
    if (known) { planes.known[cell >> 3] |= bit; }
    if (obstacle) { planes.obstacle[cell >> 3] |= bit; }
}

// Blobs of known ground with walls, or noise: by how often a cell is not as the one before it, of 1024.
static void planes_make(cairn_random *random, uint32_t width, uint32_t height, uint64_t change)
{
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = width, .height = height};
    uint64_t code = 0;
    for (uint32_t cell = 0; cell < width * height; cell++) {
        if (cairn_random_below(random, 1024) < change) { code = cairn_random_below(random, 3); }
        const bool as_below = cell >= width && cairn_random_below(random, 1024) >= change;
        const bool known = as_below ? cairn_plane_bit(planes.known, cell - width) : code > 0;
        set(cell, known, as_below ? cairn_plane_bit(planes.obstacle, cell - width) : code == 2);
    }
}

static cairn_err unpack(size_t size)
{
    again = (cairn_terrain_planes){.width = planes.width, .height = planes.height};
    return cairn_terrain_unpack(bytes, size, &again);
}

static void what_was_packed_comes_out_as_it_went_in(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/terrain_pack");
    size_t least = SIZE_MAX, most = 0;
    for (int round = 0; round < 2000; round++) {
        const uint32_t width = 1 + (uint32_t)cairn_random_below(&random, 160);
        const uint32_t height = 1 + (uint32_t)cairn_random_below(&random, 160);
        planes_make(&random, width, height, cairn_random_below(&random, 2) ? cairn_random_below(&random, 1024) : 3);
        const size_t size = cairn_terrain_pack(&planes, bytes);
        assert_true(size <= 1 + 2 * (((size_t)width * height + 7) / 8));
        assert_ok(unpack(size));
        assert_memory_equal(again.known, planes.known, sizeof planes.known);
        assert_memory_equal(again.obstacle, planes.obstacle, sizeof planes.obstacle);
        if (width * height < 20000) { continue; }
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    assert_true(least < 1500 && most > 5000); // both ways of packing
}

static void an_empty_map_takes_five_bytes(void **state)
{
    (void)state;
    planes = (cairn_terrain_planes){.width = 160, .height = 160};
    assert_int_equal(cairn_terrain_pack(&planes, bytes), 5);
    assert_ok(unpack(5));
}

// A snapshot may be damaged: whatever the bytes are, cells are read or refused, and what is known stays in the map.
static void strange_bytes_are_refused_or_are_a_map(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/terrain_pack/strange");
    uint32_t refused = 0;
    for (int round = 0; round < 20000; round++) {
        planes_make(&random, 1 + (uint32_t)cairn_random_below(&random, 40),
                    1 + (uint32_t)cairn_random_below(&random, 40), 30);
        size_t size = cairn_terrain_pack(&planes, bytes);
        for (uint64_t i = cairn_random_below(&random, 4); i > 0; i--) {
            bytes[cairn_random_below(&random, size)] = (uint8_t)cairn_random_u64(&random);
        }
        if (cairn_random_below(&random, 3) == 0) { size = cairn_random_below(&random, size + 1); }
        const cairn_err err = unpack(size);
        assert_true(err == CAIRN_OK || err == CAIRN_ERR_CORRUPT);
        refused += err != CAIRN_OK;
        for (size_t i = 0; err == CAIRN_OK && i < sizeof again.known; i++) {
            assert_int_equal(again.obstacle[i] & ~again.known[i], 0);
        }
    }
    assert_true(refused > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_comes_out_as_it_went_in),
        cmocka_unit_test(an_empty_map_takes_five_bytes),
        cmocka_unit_test(strange_bytes_are_refused_or_are_a_map),
    };
    return cmocka_run_group_tests_name("terrain_pack", tests, NULL, NULL);
}
