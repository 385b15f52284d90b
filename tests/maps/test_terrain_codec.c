// The terrain code of older robots: it is read as it was written, and bytes from outside do no harm.
#include "../base/check.h"
#include "made_planes.h"
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

static const uint8_t golden[] = {0x0c, 0xde, 0x89, 0x09, 0x51, 0x66, 0x5f, 0xa4, 0x60, 0x6b, 0xeb, 0x02,
                                 0xe4, 0x08, 0xfc, 0x5f, 0x6f, 0x17, 0xb8, 0xb7, 0x3b, 0x5a, 0xda, 0x8d,
                                 0xa3, 0x95, 0xe4, 0x29, 0xd9, 0x37, 0x83, 0x8c, 0xe2, 0x78, 0xaa, 0x01};

static void draw_pinned(void)
{
    planes_clear(&planes, 48, 36);
    for (uint32_t y = 4; y < 33; y++) {
        for (uint32_t x = 3 + y / 5; x < 40 + y / 7; x++) {
            const bool is_edge = y == 4 || x == 3 + y / 5 || x == 39 + y / 7 || (x == 20 && y < 15);
            planes_set(&planes, x, y, x < 30 || y > x - 20, is_edge || (x * 7 + y * 13) % 101 == 0);
        }
    }
}

// Stores and journals keep these codes for ever.
static void a_code_that_was_written_is_read(void **state)
{
    (void)state;
    draw_pinned();
    memset(&back, 0xa5, sizeof back);
    back.width = planes.width;
    back.height = planes.height;
    assert_ok(cairn_terrain_decode(golden, sizeof golden, &back));
    for (size_t i = 0; i < sizeof planes.known; i++) {
        assert_int_equal(back.known[i], planes.known[i]);
        assert_int_equal(back.obstacle[i], planes.obstacle[i] & planes.known[i]);
    }
}

static void what_no_encoder_made_is_refused(void **state)
{
    (void)state;
    memcpy(code, golden, sizeof golden);
    draw_pinned();
    back = planes;
    code[sizeof golden] = 0;
    assert_int_equal(cairn_terrain_decode(code, sizeof golden + 1, &back), CAIRN_ERR_CORRUPT);
    code[sizeof golden] = 1;
    assert_int_equal(cairn_terrain_decode(code, sizeof golden + 1, &back), CAIRN_ERR_CORRUPT);
    for (int i = 0; i < 500; i++) {
        memcpy(code, golden, sizeof golden);
        code[cairn_random_below(&rng, sizeof golden)] ^= (uint8_t)(1 + cairn_random_below(&rng, 255));
        if (cairn_terrain_decode(code, sizeof golden - cairn_random_below(&rng, 2), &back) != CAIRN_OK) { continue; }
        for (size_t j = 0; j < sizeof back.known; j++) { assert_int_equal(back.obstacle[j] & ~back.known[j], 0); }
    }
    static const uint32_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {161, 160}, {UINT32_MAX, UINT32_MAX}, {1u << 31, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        back.width = sizes[i][0];
        back.height = sizes[i][1];
        assert_int_equal(cairn_terrain_decode(code, 10, &back), CAIRN_ERR_CORRUPT);
    }
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
        planes_fill(&planes, &rng, sizes[i][0], sizes[i][1], 0.6, 0.4);
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
        cmocka_unit_test(a_code_that_was_written_is_read),
        cmocka_unit_test(what_no_encoder_made_is_refused),
    };
    return cmocka_run_group_tests_name("terrain_codec", tests, begin, NULL);
}
