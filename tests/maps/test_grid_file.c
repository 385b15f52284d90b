// Coded grids and PBM pictures as files: they come back, and what is not theirs is refused.
#include "../base/check.h"
#include "base/random.h"
#include "maps/codec/grid_file.h"
#include "maps/files/pbm_io.h"
#include <string.h>

#define SEED 7
#define WIDTH 37
#define HEIGHT 23

static uint8_t cells[WIDTH * HEIGHT], before[WIDTH * HEIGHT], back[WIDTH * HEIGHT], file[4096];
static const cairn_grid_cells grid = {WIDTH, HEIGHT, true, cells}, old = {WIDTH, HEIGHT, true, before};
static const cairn_grid_earlier earlier = {&old, {300000, -100000, 50000, 100000}};
static cairn_grid_cells ret = {.cells = back};
static cairn_arena scratch;
static cairn_complaints complaints;
static size_t file_bytes, code_bytes;

static int begin(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random rng;
    cairn_random_init(&rng, SEED, "test/grid_file");
    for (size_t i = 0; i < sizeof cells; i++) {
        cells[i] = (uint8_t)(i % WIDTH < 20 ? 1 + 2 * (cairn_random_below(&rng, 5) == 0) : 0);
        before[i] = (uint8_t)cairn_random_below(&rng, 2);
    }
    return cairn_arena_create(&scratch, cairn_grid_scratch_bytes(WIDTH, HEIGHT)) == CAIRN_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cairn_arena_destroy(&scratch);
    return 0;
}

static void encode(const cairn_grid_earlier *after)
{
    assert_ok(cairn_grid_file_encode(&grid, after, &scratch, file, sizeof file, &file_bytes, &code_bytes));
}

static void a_file_tells_its_size_and_planes_itself(void **state)
{
    (void)state;
    encode(NULL);
    assert_ok(cairn_grid_file_decode(file, file_bytes, NULL, &scratch, &ret));
    assert_int_equal(ret.width, WIDTH);
    assert_int_equal(ret.height, HEIGHT);
    assert_true(ret.has_known);
    assert_memory_equal(back, cells, sizeof cells);
}

// With another map in its place the cells would be nonsense, and nobody would notice.
static void the_wrong_earlier_map_is_refused(void **state)
{
    (void)state;
    encode(&earlier);
    assert_ok(cairn_grid_file_decode(file, file_bytes, &old, &scratch, &ret));
    assert_memory_equal(back, cells, sizeof cells);
    assert_int_equal(cairn_grid_file_decode(file, file_bytes, NULL, &scratch, &ret), CAIRN_ERR_NOT_FOUND);
    assert_int_equal(cairn_grid_file_decode(file, file_bytes, &grid, &scratch, &ret), CAIRN_ERR_NOT_FOUND);
}

static void damage_anywhere_is_found(void **state)
{
    (void)state;
    encode(NULL);
    for (size_t at = 0; at < file_bytes; at++) {
        if (at >= 6 && at < 10) { continue; } // another size needs more memory than there is here
        file[at] ^= 0x10;
        assert_int_not_equal(cairn_grid_file_decode(file, file_bytes, NULL, &scratch, &ret), CAIRN_OK);
        file[at] ^= 0x10;
    }
    for (size_t bytes = 0; bytes < file_bytes; bytes++) {
        assert_int_not_equal(cairn_grid_file_decode(file, bytes, NULL, &scratch, &ret), CAIRN_OK);
    }
}

static void another_version_is_told_apart_from_damage(void **state)
{
    (void)state;
    encode(NULL);
    const uint8_t version = file[4];
    cairn_grid_file head;
    for (int step = -1; step <= 1; step += 2) {
        file[4] = (uint8_t)(version + step);
        assert_int_equal(cairn_grid_file_parse(file, file_bytes, &head), CAIRN_ERR_UNSUPPORTED);
    }
}

static void pictures_come_back(void **state)
{
    (void)state;
    static uint8_t picture[CAIRN_PBM_HEAD_BYTES_MAX + (WIDTH + 7) / 8 * HEIGHT];
    const size_t bytes = cairn_pbm_from_cells(cells, WIDTH, HEIGHT, CAIRN_GRID_OBSTACLE, picture);
    cairn_pbm pbm;
    assert_true(bytes <= cairn_pbm_bytes_max(WIDTH, HEIGHT));
    assert_ok(cairn_pbm_parse(picture, bytes, "test", CAIRN_GRID_SIDE_MAX, &complaints, &pbm));
    memset(back, 0, sizeof back);
    cairn_pbm_to_cells(&pbm, CAIRN_GRID_OBSTACLE, back);
    for (size_t i = 0; i < sizeof cells; i++) { assert_int_equal(back[i], cells[i] & CAIRN_GRID_OBSTACLE); }
    assert_int_equal(cairn_pbm_parse(picture, bytes - 1, "test", CAIRN_GRID_SIDE_MAX, &complaints, &pbm),
                     CAIRN_ERR_CORRUPT);
    assert_int_equal(cairn_pbm_parse(picture, bytes, "test", WIDTH - 1, &complaints, &pbm), CAIRN_ERR_TOO_LARGE);
}

// By the format's own text: comments, any white space, the first row on top, the first cell in the highest bit.
static void a_picture_reads_as_pbm_says(void **state)
{
    (void)state;
    static const uint8_t picture[] = "P4 # kind\n3\t# wide\n 2\n\x80\x60";
    cairn_pbm pbm;
    assert_ok(cairn_pbm_parse(picture, sizeof picture - 1, "test", 16, &complaints, &pbm));
    uint8_t six[6] = {0};
    cairn_pbm_to_cells(&pbm, 1, six);
    assert_memory_equal(six, ((uint8_t[]){0, 1, 1, 1, 0, 0}), 6);
    static const char *const wrong[] = {"", "P4", "P5 3 2\n12", "P4 0 2\n1", "P4 3\n", "P4 3 2", "P4 -3 2\n11"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const uint8_t *bytes = (const uint8_t *)wrong[i];
        assert_int_equal(cairn_pbm_parse(bytes, strlen(wrong[i]), "test", 16, &complaints, &pbm), CAIRN_ERR_CORRUPT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_tells_its_size_and_planes_itself),
                                       cmocka_unit_test(the_wrong_earlier_map_is_refused),
                                       cmocka_unit_test(damage_anywhere_is_found),
                                       cmocka_unit_test(another_version_is_told_apart_from_damage),
                                       cmocka_unit_test(pictures_come_back),
                                       cmocka_unit_test(a_picture_reads_as_pbm_says)};
    return cmocka_run_group_tests(tests, begin, end);
}
