// Terrain maps as robots send them: what goes in comes out, small, and bytes from outside do no harm.
#include "../base/check.h"
#include "made_planes.h"
#include "maps/codec/planes_codec.h"
#include <math.h>
#include <string.h>

#define SEED 11

static cairn_terrain_planes planes, before, back;
static uint8_t code[CAIRN_PLANES_CODE_BYTES_MAX + 1], block[CAIRN_PLANES_SCRATCH_BYTES];
static cairn_arena scratch;
static cairn_random rng;

static int begin(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random_init(&rng, SEED, "test/planes_codec");
    cairn_arena_init(&scratch, block, sizeof block);
    return 0;
}

// A turned floor of rooms, seen from the middle as far as 7 m: walls with doors, and nothing known behind the walls of
// the neighbouring rooms.
static void make_rooms(uint32_t size)
{
    planes_clear(&planes, size, size);
    const double turn = cairn_random_between(&rng, -3, 3), room = cairn_random_between(&rng, 30, 60);
    const double shift_u = cairn_random_between(&rng, 0, room), shift_v = cairn_random_between(&rng, 0, room);
    for (uint32_t y = 0; y < size; y++) {
        for (uint32_t x = 0; x < size; x++) {
            const double dx = x - 0.5 * size, dy = y - 0.5 * size;
            const double u = cos(turn) * dx + sin(turn) * dy + shift_u, v = -sin(turn) * dx + cos(turn) * dy + shift_v;
            const double in_u = u - room * floor(u / room), in_v = v - room * floor(v / room);
            const bool is_door = fabs(in_u - 0.5 * room) < 5 || fabs(in_v - 0.5 * room) < 5;
            const bool is_wall = (in_u < 1.5 || in_v < 1.5) && !is_door;
            const bool is_near = fabs(u - shift_u) < 0.8 * room && fabs(v - shift_v) < 0.8 * room;
            planes_set(&planes, x, y, is_near && dx * dx + dy * dy < 70 * 70, is_wall);
        }
    }
}

static size_t encoded(const cairn_planes_earlier *earlier)
{
    size_t bytes = SIZE_MAX;
    assert_ok(cairn_planes_encode(&planes, earlier, &scratch, code, CAIRN_PLANES_CODE_BYTES_MAX, &bytes));
    assert_true(bytes <= CAIRN_PLANES_CODE_BYTES_MAX);
    return bytes;
}

static size_t round_trip_after(const cairn_planes_earlier *earlier)
{
    const size_t bytes = encoded(earlier);
    memset(&back, 0xa5, sizeof back);
    back.width = planes.width;
    back.height = planes.height;
    assert_ok(cairn_planes_decode(code, bytes, earlier, &scratch, &back));
    for (size_t i = 0; i < sizeof planes.known; i++) {
        assert_int_equal(back.known[i], planes.known[i]);
        assert_int_equal(back.obstacle[i], planes.obstacle[i] & planes.known[i]);
    }
    return bytes;
}

static size_t round_trip(void) { return round_trip_after(NULL); }

static void planes_of_any_size_and_density_come_back(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1},   {1, 2},     {2, 1},     {3, 5},   {7, 7},    {13, 6},  {6, 13},
                                        {63, 65}, {150, 150}, {160, 160}, {151, 3}, {4096, 6}, {6, 4096}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int round = 0; round < 6; round++) {
            const double known = cairn_random_uniform(&rng), obstacle = cairn_random_uniform(&rng);
            planes_fill(&planes, &rng, sizes[i][0], sizes[i][1], round % 3 == 0 ? 0.02 * known : known,
                        round % 2 == 0 ? 0.02 * obstacle : obstacle);
            round_trip();
        }
    }
}

// What the reader has may be of another size and lie anywhere, as long as it touches.
static void planes_come_back_after_any_that_overlap(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        planes_fill(&planes, &rng, 1 + cairn_random_below(&rng, 40), 1 + cairn_random_below(&rng, 40),
                    cairn_random_uniform(&rng), 0.3);
        before = planes;
        planes_fill(&planes, &rng, 1 + cairn_random_below(&rng, 40), 1 + cairn_random_below(&rng, 40),
                    cairn_random_uniform(&rng), 0.3);
        const cairn_planes_earlier earlier = {&before, (int32_t)cairn_random_below(&rng, 80) - 40,
                                              (int32_t)cairn_random_below(&rng, 80) - 40};
        if (cairn_planes_overlap(&earlier, planes.width, planes.height)) { round_trip_after(&earlier); }
    }
}

// Cell (0,0) of the later map lies at (columns, rows) of the earlier one: wrong by one, nothing fits, and it shows.
static void the_shift_is_from_corner_to_corner(void **state)
{
    (void)state;
    make_rooms(150);
    before = planes;
    planes_clear(&planes, 140, 130);
    for (uint32_t y = 0; y < 130; y++) {
        for (uint32_t x = 0; x < 140; x++) {
            const uint32_t from = (y + 5) * 150 + x + 3;
            planes_set(&planes, x, y, cairn_plane_bit(before.known, from),
                       cairn_plane_bit(before.known, from) && cairn_plane_bit(before.obstacle, from));
        }
    }
    const size_t right = round_trip_after(&(cairn_planes_earlier){&before, 3, 5});
    const size_t wrong = round_trip_after(&(cairn_planes_earlier){&before, 4, 5});
    print_message("after the same: %zu bytes, one cell off: %zu\n", right, wrong);
    assert_true(right <= 24 && wrong > 2 * right);
}

static void maps_without_a_common_cell_are_refused(void **state)
{
    (void)state;
    planes_clear(&planes, 10, 10);
    before = planes;
    static const int32_t shifts[][2] = {{10, 0}, {-10, 0}, {0, 10}, {0, -10}, {INT32_MAX, 0}, {INT32_MIN, INT32_MIN}};
    const size_t bytes = encoded(NULL);
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        const cairn_planes_earlier far = {&before, shifts[i][0], shifts[i][1]};
        assert_false(cairn_planes_overlap(&far, 10, 10));
        back = planes;
        assert_int_equal(cairn_planes_decode(code, bytes, &far, &scratch, &back), CAIRN_ERR_CORRUPT);
    }
}

static void noise_stays_under_the_stated_maximum(void **state)
{
    (void)state;
    planes_fill(&planes, &rng, 160, 160, 0.5, 0.5);
    assert_in_range(round_trip(), 4700, CAIRN_PLANES_CODE_BYTES_MAX); // 1.5 bits a cell, whatever the coder does
    planes_fill(&planes, &rng, 160, 160, 1, 0.5);
    assert_in_range(round_trip(), 3100, CAIRN_PLANES_CODE_BYTES_MAX);
}

static void obstacles_count_only_where_known(void **state)
{
    (void)state;
    planes_fill(&planes, &rng, 40, 40, 0.5, 0.5);
    const size_t bytes = round_trip();
    uint8_t with_others[CAIRN_PLANES_CODE_BYTES_MAX];
    memcpy(with_others, code, bytes);
    for (size_t i = 0; i < sizeof planes.known; i++) { planes.obstacle[i] &= planes.known[i]; }
    assert_int_equal(encoded(NULL), bytes);
    assert_memory_equal(code, with_others, bytes);
}

static void rooms_are_small(void **state)
{
    (void)state;
    size_t sum = 0;
    for (int i = 0; i < 40; i++) {
        make_rooms(150);
        sum += round_trip();
    }
    print_message("%.1f bytes a map\n", (double)sum / 40);
    assert_true(sum <= (size_t)40 * 300);
}

static void too_little_room_is_refused(void **state)
{
    (void)state;
    make_rooms(100);
    const size_t bytes = encoded(NULL);
    size_t untouched = 12345;
    for (size_t room = 0; room < bytes; room += 3) {
        uint8_t small[CAIRN_PLANES_CODE_BYTES_MAX];
        memset(small, 0xee, sizeof small);
        assert_int_equal(cairn_planes_encode(&planes, NULL, &scratch, small, room, &untouched), CAIRN_ERR_FULL);
        assert_int_equal(untouched, 12345);
        assert_int_equal(small[room], 0xee);
    }
    cairn_arena none;
    cairn_arena_init(&none, block, 1000);
    assert_int_equal(cairn_planes_encode(&planes, NULL, &none, code, sizeof code, &untouched), CAIRN_ERR_FULL);
}

// Nothing that arrives does harm, and an obstacle that is not known is no map.
static void damaged_codes_are_refused_or_are_other_maps(void **state)
{
    (void)state;
    make_rooms(80);
    before = planes;
    make_rooms(80);
    const cairn_planes_earlier earlier = {&before, 2, 1};
    const size_t bytes = encoded(&earlier);
    for (int i = 0; i < 500; i++) {
        uint8_t altered[CAIRN_PLANES_CODE_BYTES_MAX];
        memcpy(altered, code, bytes);
        altered[cairn_random_below(&rng, (uint32_t)bytes)] ^= (uint8_t)(1 + cairn_random_below(&rng, 255));
        back.width = back.height = 80;
        const size_t count = i % 2 == 0 ? bytes : cairn_random_below(&rng, (uint32_t)bytes);
        if (cairn_planes_decode(altered, count, &earlier, &scratch, &back) != CAIRN_OK) { continue; }
        for (size_t j = 0; j < sizeof back.known; j++) { assert_int_equal(back.obstacle[j] & ~back.known[j], 0); }
    }
    static const uint32_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {161, 160}, {UINT32_MAX, UINT32_MAX}, {25600, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        back.width = sizes[i][0];
        back.height = sizes[i][1];
        assert_int_equal(cairn_planes_decode(code, 10, NULL, &scratch, &back), CAIRN_ERR_CORRUPT);
    }
}

// By it a station knows that it has the map that a robot means.
static void the_hash_is_of_size_and_cells(void **state)
{
    (void)state;
    make_rooms(150);
    const uint32_t hash = cairn_planes_hash(&planes);
    back = planes;
    back.cell_m = 7;
    assert_int_equal(cairn_planes_hash(&back), hash);
    back.obstacle[1000] ^= 4;
    assert_true(cairn_planes_hash(&back) != hash);
    back = planes;
    back.known[2000] ^= 1;
    assert_true(cairn_planes_hash(&back) != hash);
    back = planes;
    back.width = 75;
    back.height = 300;
    assert_true(cairn_planes_hash(&back) != hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_of_any_size_and_density_come_back),
        cmocka_unit_test(planes_come_back_after_any_that_overlap),
        cmocka_unit_test(the_shift_is_from_corner_to_corner),
        cmocka_unit_test(maps_without_a_common_cell_are_refused),
        cmocka_unit_test(noise_stays_under_the_stated_maximum),
        cmocka_unit_test(obstacles_count_only_where_known),
        cmocka_unit_test(rooms_are_small),
        cmocka_unit_test(too_little_room_is_refused),
        cmocka_unit_test(damaged_codes_are_refused_or_are_other_maps),
        cmocka_unit_test(the_hash_is_of_size_and_cells),
    };
    return cmocka_run_group_tests_name("planes_codec", tests, begin, NULL);
}
