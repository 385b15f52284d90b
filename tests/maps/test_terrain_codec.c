// The terrain codec: what goes in comes out, small, and bytes from outside do no harm.
#include "../base/check.h"
#include "base/random.h"
#include "maps/codec/range_coder.h"
#include "maps/codec/terrain_codec.h"
#include "maps/codec/terrain_window.h"
#include <math.h>
#include <string.h>

#define SEED 11

static cairn_terrain_planes planes, back;
static uint8_t code[CAIRN_TERRAIN_CODE_BYTES_MAX];
static cairn_random rng;

static int begin(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random_init(&rng, SEED, "test/terrain_codec");
    return 0;
}

static void clear(uint32_t width, uint32_t height)
{
    memset(&planes, 0, sizeof planes);
    planes.width = width;
    planes.height = height;
}

static void set(uint32_t x, uint32_t y, bool known, bool obstacle)
{
    const uint32_t cell = y * planes.width + x;
    planes.known[cell >> 3] |= (uint8_t)(known << (cell & 7));
    planes.obstacle[cell >> 3] |= (uint8_t)(obstacle << (cell & 7));
}

// Every cell by chance, obstacles also where nothing is known.
static void fill(uint32_t width, uint32_t height, double known_share, double obstacle_share)
{
    clear(width, height);
    for (uint32_t cell = 0; cell < width * height; cell++) {
        set(cell % width, cell / width, cairn_random_uniform(&rng) < known_share,
            cairn_random_uniform(&rng) < obstacle_share);
    }
}

// A turned floor of rooms, seen from the middle as far as 7 m: walls with doors, and nothing known behind the walls of
// the neighbouring rooms.
static void make_rooms(uint32_t size)
{
    clear(size, size);
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
            set(x, y, is_near && dx * dx + dy * dy < 70 * 70, is_wall);
        }
    }
}

static size_t encoded(void)
{
    size_t bytes = SIZE_MAX;
    assert_ok(cairn_terrain_encode(&planes, code, sizeof code, &bytes));
    assert_true(bytes <= sizeof code);
    return bytes;
}

static void assert_comes_back(const cairn_terrain_planes *from)
{
    for (size_t i = 0; i < sizeof from->known; i++) {
        assert_int_equal(back.known[i], from->known[i]);
        assert_int_equal(back.obstacle[i], from->obstacle[i] & from->known[i]);
    }
}

static size_t round_trip(void)
{
    const size_t bytes = encoded();
    memset(&back, 0xa5, sizeof back);
    back.width = planes.width;
    back.height = planes.height;
    assert_ok(cairn_terrain_decode(code, bytes, &back));
    assert_comes_back(&planes);
    return bytes;
}

static void planes_of_any_size_and_density_come_back(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1},   {1, 2},     {2, 1},     {3, 5},   {7, 7},     {13, 6},   {6, 13},
                                        {63, 65}, {150, 150}, {160, 160}, {151, 3}, {25600, 1}, {1, 25600}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int round = 0; round < 12; round++) {
            const double known = cairn_random_uniform(&rng), obstacle = cairn_random_uniform(&rng);
            fill(sizes[i][0], sizes[i][1], round % 3 == 0 ? 0.02 * known : known,
                 round % 2 == 0 ? 0.02 * obstacle : obstacle);
            round_trip();
        }
    }
    for (int i = 0; i < 200; i++) {
        fill(1 + cairn_random_below(&rng, 40), 1 + cairn_random_below(&rng, 40), cairn_random_uniform(&rng),
             cairn_random_uniform(&rng));
        round_trip();
    }
}

static void empty_and_full_maps_take_a_few_bytes(void **state)
{
    (void)state;
    clear(160, 160);
    assert_true(round_trip() <= 8);
    memset(planes.known, 0xff, sizeof planes.known);
    assert_true(round_trip() <= 24);
    memset(planes.obstacle, 0xff, sizeof planes.obstacle);
    assert_true(round_trip() <= 200); // nothing that was ever seen: it has to be learned
}

static void noise_stays_under_the_stated_maximum(void **state)
{
    (void)state;
    fill(160, 160, 0.5, 0.5);
    assert_in_range(round_trip(), 4700, CAIRN_TERRAIN_CODE_BYTES_MAX); // 1.5 bits a cell, whatever the coder does
    fill(160, 160, 1, 0.5);
    assert_in_range(round_trip(), 3100, CAIRN_TERRAIN_CODE_BYTES_MAX);
    for (int i = 0; i < 4; i++) { // what the model expects least
        clear(160, 160);
        for (uint32_t y = 0; y < 160; y++) {
            for (uint32_t x = 0; x < 160; x++) {
                set(x, y, i < 2 || (x + y) % 2, i & 1 ? x % 3 == y % 2 : x * y % 7 < 3);
            }
        }
        round_trip();
    }
}

static void obstacles_count_only_where_known(void **state)
{
    (void)state;
    fill(40, 40, 0.5, 0.5);
    const size_t bytes = round_trip();
    uint8_t with_others[CAIRN_TERRAIN_CODE_BYTES_MAX];
    memcpy(with_others, code, bytes);
    for (size_t i = 0; i < sizeof planes.known; i++) { planes.obstacle[i] &= planes.known[i]; }
    assert_int_equal(encoded(), bytes);
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
    assert_true(sum <= (size_t)40 * 250);
}

static void too_little_room_is_refused(void **state)
{
    (void)state;
    make_rooms(100);
    const size_t bytes = encoded();
    size_t untouched = 12345;
    for (size_t room = 0; room < bytes; room++) {
        uint8_t small[CAIRN_TERRAIN_CODE_BYTES_MAX];
        memset(small, 0xee, sizeof small);
        assert_int_equal(cairn_terrain_encode(&planes, small, room, &untouched), CAIRN_ERR_FULL);
        assert_int_equal(untouched, 12345);
        assert_int_equal(small[room], 0xee);
    }
    size_t again = 0;
    assert_ok(cairn_terrain_encode(&planes, code, bytes, &again));
    assert_int_equal(again, bytes);
}

// A code that is accepted is the very one that its planes have: there are no two for the same map.
static void assert_refused_or_canonical(const uint8_t *bytes, size_t count)
{
    back.width = planes.width;
    back.height = planes.height;
    if (cairn_terrain_decode(bytes, count, &back) != CAIRN_OK) { return; }
    uint8_t again[CAIRN_TERRAIN_CODE_BYTES_MAX];
    size_t again_count = 0;
    assert_ok(cairn_terrain_encode(&back, again, sizeof again, &again_count));
    assert_int_equal(again_count, count);
    assert_memory_equal(again, bytes, count);
}

static void damaged_codes_are_refused_or_are_other_maps(void **state)
{
    (void)state;
    make_rooms(80);
    const size_t bytes = encoded();
    for (size_t count = 0; count <= bytes; count++) { assert_refused_or_canonical(code, count); }
    for (int i = 0; i < 500; i++) {
        uint8_t altered[CAIRN_TERRAIN_CODE_BYTES_MAX];
        memcpy(altered, code, bytes);
        altered[cairn_random_below(&rng, (uint32_t)bytes)] ^= (uint8_t)(1 + cairn_random_below(&rng, 255));
        assert_refused_or_canonical(altered, bytes);
    }
}

static void what_no_encoder_makes_is_refused(void **state)
{
    (void)state;
    make_rooms(80);
    const size_t bytes = encoded();
    back = planes;
    code[bytes] = 0;
    assert_int_equal(cairn_terrain_decode(code, bytes + 1, &back), CAIRN_ERR_CORRUPT);
    code[bytes] = 1;
    assert_int_equal(cairn_terrain_decode(code, bytes + 1, &back), CAIRN_ERR_CORRUPT);
    memset(code, 1, sizeof code);
    assert_int_equal(cairn_terrain_decode(code, sizeof code, &back), CAIRN_ERR_CORRUPT);
    static const uint32_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {161, 160}, {UINT32_MAX, UINT32_MAX}, {1u << 31, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        back.width = sizes[i][0];
        back.height = sizes[i][1];
        assert_int_equal(cairn_terrain_decode(code, 10, &back), CAIRN_ERR_CORRUPT);
    }
}

// Robots and stations of different builds must understand each other. If this fails the format has changed:
// terrain_code then needs a new version, and old journals cannot be read.
static void the_format_is_pinned(void **state)
{
    (void)state;
    static const uint8_t golden[] = {0x0c, 0xde, 0x89, 0x09, 0x51, 0x66, 0x5f, 0xa4, 0x60, 0x6b, 0xeb, 0x02,
                                     0xe4, 0x08, 0xfc, 0x5f, 0x6f, 0x17, 0xb8, 0xb7, 0x3b, 0x5a, 0xda, 0x8d,
                                     0xa3, 0x95, 0xe4, 0x29, 0xd9, 0x37, 0x83, 0x8c, 0xe2, 0x78, 0xaa, 0x01};
    clear(48, 36);
    for (uint32_t y = 4; y < 33; y++) {
        for (uint32_t x = 3 + y / 5; x < 40 + y / 7; x++) {
            const bool is_edge = y == 4 || x == 3 + y / 5 || x == 39 + y / 7 || (x == 20 && y < 15);
            set(x, y, x < 30 || y > x - 20, is_edge || (x * 7 + y * 13) % 101 == 0);
        }
    }
    const size_t bytes = round_trip();
    assert_int_equal(bytes, sizeof golden);
    assert_memory_equal(code, golden, bytes);
}

static cairn_terrain_cell asked(int x, int y)
{
    x = x < 0 ? 0 : x >= (int)planes.width ? (int)planes.width - 1 : x;
    return y < 0 ? (cairn_terrain_cell){false, false}
                 : cairn_terrain_cell_at(&planes, (uint32_t)y * planes.width + (uint32_t)x);
}

static void assert_window_at(const cairn_terrain_window *window, int x, int y)
{
    int word_bit = 0;
    for (int row = 0; row < CAIRN_TERRAIN_ROWS; row++) {
        for (int bit = 0; bit < (row == 0 ? CAIRN_TERRAIN_REACH : CAIRN_TERRAIN_SPAN); bit++, word_bit++) {
            const int at = row == 0 ? x - 1 - bit : x + CAIRN_TERRAIN_REACH - bit;
            const cairn_terrain_cell cell = asked(at, row == 0 && at < 0 ? y - 1 : y - row);
            assert_int_equal(window->unknown >> word_bit & 1, !cell.known);
            assert_int_equal(window->obstacle >> word_bit & 1, cell.obstacle);
        }
    }
    assert_int_equal((window->unknown | window->obstacle) >> word_bit, 0);
}

static void the_window_slides_over_what_asking_each_cell_finds(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 9}, {5, 9}, {13, 9}, {40, 12}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill(sizes[i][0], sizes[i][1], 0.6, 0.4);
        for (uint32_t y = 0; y < planes.height; y++) {
            cairn_terrain_window window;
            cairn_terrain_window_start(&window, &planes, y);
            for (uint32_t x = 0; x < planes.width; x++) {
                assert_window_at(&window, (int)x, (int)y);
                cairn_terrain_window_advance(&window, &planes, asked((int)x, (int)y), x + 1, y);
            }
        }
    }
}

// The coder below the model: no longer than the surprise, and the answers come back.
static void answers_cost_their_surprise(void **state)
{
    (void)state;
    enum { ANSWERS = 4000 };
    static uint32_t p[ANSWERS];
    static bool yes[ANSWERS];
    double bits = 0;
    for (int i = 0; i < ANSWERS; i++) {
        const double share = pow(cairn_random_uniform(&rng), 6);
        p[i] = (uint32_t)fmax(1, fmin(65535, round(65536 * (i & 1 ? share : 1 - share))));
        yes[i] = cairn_random_uniform(&rng) * 65536 < p[i];
        bits -= log2((yes[i] ? p[i] : 65536 - p[i]) / 65536.0);
    }
    cairn_range_writer writer = {.range = CAIRN_RANGE_WHOLE, .bytes = code, .count_max = sizeof code};
    for (int i = 0; i < ANSWERS; i++) { cairn_range_put(&writer, p[i], yes[i]); }
    cairn_range_put_end(&writer);
    assert_false(writer.is_full);
    assert_true((double)writer.count <= bits / 8 + 3 && (double)writer.count >= bits / 8 - 2);
    cairn_range_reader reader;
    cairn_range_reader_init(&reader, code, writer.count);
    for (int i = 0; i < ANSWERS; i++) { assert_int_equal(cairn_range_get(&reader, p[i]), yes[i]); }
    assert_true(cairn_range_is_ended(&reader));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_cost_their_surprise),
        cmocka_unit_test(the_window_slides_over_what_asking_each_cell_finds),
        cmocka_unit_test(planes_of_any_size_and_density_come_back),
        cmocka_unit_test(empty_and_full_maps_take_a_few_bytes),
        cmocka_unit_test(noise_stays_under_the_stated_maximum),
        cmocka_unit_test(obstacles_count_only_where_known),
        cmocka_unit_test(rooms_are_small),
        cmocka_unit_test(too_little_room_is_refused),
        cmocka_unit_test(damaged_codes_are_refused_or_are_other_maps),
        cmocka_unit_test(what_no_encoder_makes_is_refused),
        cmocka_unit_test(the_format_is_pinned),
    };
    return cmocka_run_group_tests_name("terrain_codec", tests, begin, NULL);
}
