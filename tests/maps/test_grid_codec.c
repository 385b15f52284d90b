// The grid codec and the published models: what goes in comes out, and bytes from outside do no harm.
// CAIRN_GRIDS: how many grids go there and back (1000).
#include "../base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "maps/codec/grid_codec.h"
#include "maps/codec/grid_model.h"
#include "maps/codec/neighbour_codec.h"
#include "maps/codec/tables/grid_weights_both_after.h"
#include "maps/codec/tables/grid_weights_both_alone.h"
#include "maps/codec/tables/grid_weights_one_after.h"
#include "maps/codec/tables/grid_weights_one_alone.h"
#include "maps/codec/tables/grid_weights_one_alone_square.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 6
#define SIDE_MAX 96
#define CODE_BYTES (SIDE_MAX * SIDE_MAX)

static uint8_t cells[SIDE_MAX * SIDE_MAX], before[SIDE_MAX * SIDE_MAX], back[SIDE_MAX * SIDE_MAX], code[CODE_BYTES];
static cairn_arena scratch;
static cairn_random rng;

static int begin(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random_init(&rng, SEED, "test/grid_codec");
    return cairn_arena_create(&scratch, cairn_grid_scratch_bytes(CAIRN_GRID_SIDE_MAX, 64)) == CAIRN_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cairn_arena_destroy(&scratch);
    return 0;
}

static uint32_t below(uint32_t limit) { return cairn_random_below(&rng, limit); }

static void fill_noise(uint8_t *to, uint32_t count, uint32_t part)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)((below(part) == 0 ? CAIRN_GRID_KNOWN : 0) | (below(part) == 0 ? CAIRN_GRID_OBSTACLE : 0));
    }
}

// Rooms: known rectangles with walls around them, and doors.
static void fill_rooms(uint8_t *to, uint32_t width, uint32_t height)
{
    memset(to, 0, (size_t)width * height);
    for (uint32_t room = below(5) + 1; room > 0; room--) {
        const uint32_t x0 = below(width), y0 = below(height), x1 = x0 + below(width - x0), y1 = y0 + below(height - y0);
        for (uint32_t y = y0; y <= y1; y++) {
            for (uint32_t x = x0; x <= x1; x++) {
                const bool wall = (x == x0 || x == x1 || y == y0 || y == y1) && below(12) > 0;
                to[y * width + x] = (uint8_t)(CAIRN_GRID_KNOWN | (wall ? CAIRN_GRID_OBSTACLE : 0));
            }
        }
    }
}

static void fill(uint8_t *to, uint32_t width, uint32_t height)
{
    const uint32_t kind = below(6), count = width * height;
    if (kind == 0) {
        memset(to, (int)below(4), count);
    } else if (kind <= 2) {
        fill_noise(to, count, kind == 1 ? 2 : 30);
    } else {
        fill_rooms(to, width, height);
    }
}

static void assert_same(uint32_t count, bool has_known)
{
    const uint8_t mask = has_known ? 3 : CAIRN_GRID_OBSTACLE;
    for (uint32_t i = 0; i < count; i++) {
        if ((cells[i] ^ back[i]) & mask) { fail_msg("cell %u is %u, not %u", i, back[i], cells[i]); }
    }
}

static cairn_grid_moved random_move(void)
{
    return (cairn_grid_moved){(int32_t)below(4000000) - 2000000, (int32_t)below(4000000) - 2000000,
                              (int32_t)below(6283185) - 3141592, 100000};
}

// A map that comes back changed is worse than none. Any grid there is, alone and after any other, must come back.
static void grids_come_back_as_they_were(void **state)
{
    (void)state;
    const char *wanted = getenv("CAIRN_GRIDS");
    const long count = wanted != NULL ? strtol(wanted, NULL, 10) : 1000;
    for (long i = 0; i < count; i++) {
        const uint32_t width = 1 + below(i % 50 == 0 ? SIDE_MAX : 40), height = 1 + below(i % 50 == 0 ? SIDE_MAX : 40);
        const bool has_known = below(2) == 0, is_after = below(2) == 0, is_like = below(2) == 0;
        fill(cells, width, height);
        fill(before, width, height);
        if (is_like) { memcpy(before, cells, (size_t)width * height); }
        const cairn_grid_cells grid = {width, height, has_known, cells}, old = {width, height, has_known, before};
        const cairn_grid_earlier earlier = {&old, is_like ? (cairn_grid_moved){0, 0, 0, 100000} : random_move()};
        size_t bytes = 0;
        assert_ok(cairn_grid_encode(&grid, is_after ? &earlier : NULL, &scratch, code, sizeof code, &bytes));
        assert_true(bytes <= cairn_grid_code_bytes_max(&grid));
        cairn_grid_cells ret = {width, height, has_known, back};
        memset(back, 0xff, sizeof back);
        assert_ok(cairn_grid_decode(code, bytes, is_after ? &earlier : NULL, &scratch, &ret));
        assert_same(width * height, has_known);
    }
}

// The largest width there is, so that no sum of sizes is too small.
static void the_widest_grid_comes_back(void **state)
{
    (void)state;
    const uint32_t width = CAIRN_GRID_SIDE_MAX, height = 20, count = width * height;
    uint8_t *wide = malloc(3 * (size_t)count);
    assert_non_null(wide);
    fill_rooms(wide, width, height);
    const cairn_grid_cells grid = {width, height, true, wide};
    cairn_grid_cells ret = {width, height, true, wide + count};
    size_t bytes = 0;
    assert_ok(cairn_grid_encode(&grid, NULL, &scratch, wide + 2 * count, count, &bytes));
    assert_ok(cairn_grid_decode(wide + 2 * count, bytes, NULL, &scratch, &ret));
    assert_memory_equal(wide, wide + count, count);
    free(wide);
}

// What the reader has already is worth much: a grid after itself takes a fraction of what it takes alone.
static void a_grid_after_itself_takes_next_to_nothing(void **state)
{
    (void)state;
    fill_rooms(cells, SIDE_MAX, SIDE_MAX);
    const cairn_grid_cells grid = {SIDE_MAX, SIDE_MAX, true, cells};
    const cairn_grid_earlier itself = {&grid, {0, 0, 0, 100000}};
    size_t alone = 0, after = 0;
    assert_ok(cairn_grid_encode(&grid, NULL, &scratch, code, sizeof code, &alone));
    assert_ok(cairn_grid_encode(&grid, &itself, &scratch, code, sizeof code, &after));
    print_message("alone %zu bytes, after itself %zu\n", alone, after);
    assert_true(2 * after < alone);
}

// Bytes from outside end in an error or in cells that are cells, never in anything else.
static void random_bytes_are_refused_or_read(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (int i = 0; i < 500; i++) {
        const uint32_t width = 1 + below(40), height = 1 + below(40);
        const size_t bytes = below(60);
        for (size_t at = 0; at < bytes; at++) { code[at] = (uint8_t)below(256); }
        cairn_grid_cells ret = {width, height, below(2) == 0, back};
        refused += cairn_grid_decode(code, bytes, NULL, &scratch, &ret) != CAIRN_OK;
    }
    assert_true(refused > 400);
}

// Files are kept. Whoever changes what codes mean must raise CAIRN_GRID_CODE_VERSION, and keep reading the old ones.
static void the_format_is_pinned(void **state)
{
    (void)state;
    static const uint64_t pinned[6] = {0x70c63d565a69ca50, 0x1a6892def050648d, 0x58d0977ef0b36fb2,
                                       0xc7e224657fd2fd4c, 0xfbad9da37f583f09, 0x59b770c6229acff4};
    const uint32_t side = 64;
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t x = i % side, y = i / side, noise = (i * 2654435761u) >> 27;
        const bool known = x + y / 2 > 20 + noise / 8, wall = x == 30 + y / 16 || y == 40;
        cells[i] = (uint8_t)((known ? CAIRN_GRID_KNOWN : 0) | (known && wall && noise > 2 ? CAIRN_GRID_OBSTACLE : 0));
        before[i] = (uint8_t)(x > 12 ? CAIRN_GRID_KNOWN | (x == 31 ? CAIRN_GRID_OBSTACLE : 0) : 0);
    }
    static const cairn_grid_moved turned = {100000, 50000, 30000, 100000}, on_cells = {100000, -200000, 0, 100000};
    for (uint32_t kind = 0; kind < 6; kind++) { // one plane, then both: alone, turned, cell on cell
        const cairn_grid_cells grid = {side, side, kind >= 3, cells}, old = {side, side, kind >= 3, before};
        const cairn_grid_earlier earlier = {&old, kind % 3 == 1 ? turned : on_cells};
        size_t bytes = 0;
        assert_ok(cairn_grid_encode(&grid, kind % 3 ? &earlier : NULL, &scratch, code, sizeof code, &bytes));
        const uint64_t hash = cairn_hash_bytes(0, code, bytes);
        print_message("%u: %zu bytes, 0x%016llx\n", kind, bytes, (unsigned long long)hash);
        assert_true(hash == pinned[kind]);
    }
}

// A reader with too little memory says so, and no more.
static void too_little_room_is_told(void **state)
{
    (void)state;
    fill_noise(cells, 40 * 40, 2);
    const cairn_grid_cells grid = {40, 40, true, cells};
    static uint8_t block[1000];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    size_t bytes = 0;
    assert_int_equal(cairn_grid_encode(&grid, NULL, &small, code, sizeof code, &bytes), CAIRN_ERR_FULL);
    assert_int_equal(cairn_grid_encode(&grid, NULL, &scratch, code, 100, &bytes), CAIRN_ERR_FULL);
}

// Only then is what the reader has worth as much as robots make of it.
static void cells_lie_on_cells_when_moved_by_whole_ones(void **state)
{
    (void)state;
    const cairn_grid_moved whole = {300000, -700000, 0, 100000}, half = {350000, -700000, 0, 100000};
    cairn_grid_moved turned = whole;
    turned.yaw_urad = 1;
    assert_true(cairn_grid_moved_is_cell_on_cell(&whole, 40, 30, 40, 30));
    assert_true(cairn_grid_moved_is_cell_on_cell(&whole, 40, 30, 42, 20));
    assert_false(cairn_grid_moved_is_cell_on_cell(&whole, 40, 30, 41, 30)); // middles are half a cell apart
    assert_false(cairn_grid_moved_is_cell_on_cell(&whole, 40, 30, 40, 33));
    assert_false(cairn_grid_moved_is_cell_on_cell(&half, 40, 30, 40, 30));
    assert_true(cairn_grid_moved_is_cell_on_cell(&half, 40, 30, 41, 30));
    assert_false(cairn_grid_moved_is_cell_on_cell(&turned, 40, 30, 40, 30));
}

static void turns_are_those_of_the_maths_library(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const int32_t angle_urad = (int32_t)below(12566370) - 6283185;
        const cairn_turn turn = cairn_turn_of(angle_urad);
        assert_true(fabs((double)turn.cosine / (1 << 30) - cos(1e-6 * angle_urad)) < 4e-9);
        assert_true(fabs((double)turn.sine / (1 << 30) - sin(1e-6 * angle_urad)) < 4e-9);
    }
}

// A cell of the earlier grid at its place in the later one's frame, in floating point. False: too near a border to say.
static bool moved_cell(const cairn_grid_moved *m, uint32_t side, uint32_t x, uint32_t y, uint8_t *ret_cell)
{
    const double dx = x + 0.5 - 0.5 * side, dy = y + 0.5 - 0.5 * side, yaw = 1e-6 * m->yaw_urad;
    const double at_x = cos(yaw) * dx - sin(yaw) * dy + (double)m->x_um / m->cell_um + 0.5 * side;
    const double at_y = sin(yaw) * dx + cos(yaw) * dy + (double)m->y_um / m->cell_um + 0.5 * side;
    if (fabs(at_x - round(at_x)) < 1e-3 || fabs(at_y - round(at_y)) < 1e-3) { return false; }
    const bool inside = at_x >= 0 && at_y >= 0 && at_x < side && at_y < side;
    *ret_cell = inside ? before[(uint32_t)at_y * side + (uint32_t)at_x] : 0;
    return true;
}

// Sender and receiver move the earlier grid by whole numbers; it must still end where the pose says.
static void an_earlier_grid_lies_where_its_pose_says(void **state)
{
    (void)state;
    const uint32_t side = 60;
    const cairn_grid_rows rows = {side, side, cairn_grid_stride_bytes(side), malloc(cairn_grid_rows_bytes(side, side)),
                                  malloc(cairn_grid_rows_bytes(side, side))};
    for (int i = 0; i < 50; i++) {
        const cairn_grid_moved moved = random_move();
        fill_rooms(before, side, side);
        cairn_grid_move(before, side, side, true, &moved, &rows);
        for (uint32_t at = 0; at < side * side; at++) {
            uint8_t wanted = 0;
            if (!moved_cell(&moved, side, at % side, at / side, &wanted)) { continue; }
            const uint32_t bit = cairn_grid_bit(&rows, at % side);
            const uint64_t unknown = cairn_grid_field(cairn_grid_row(&rows, rows.unknown, at / side), bit) & 1;
            const uint64_t obstacle = cairn_grid_field(cairn_grid_row(&rows, rows.obstacle, at / side), bit) & 1;
            assert_int_equal(unknown, (wanted & CAIRN_GRID_KNOWN) == 0);
            assert_int_equal(obstacle, (wanted & CAIRN_GRID_OBSTACLE) != 0);
        }
    }
    free(rows.unknown);
    free(rows.obstacle);
}

// The windows are the terrain codec's where there is no earlier grid: the same network could look through both.
static void a_window_alone_is_that_of_terrain_maps(void **state)
{
    (void)state;
    static cairn_terrain_planes planes;
    const uint32_t side = 40;
    const cairn_grid_rows rows = {side, side, cairn_grid_stride_bytes(side), malloc(cairn_grid_rows_bytes(side, side)),
                                  malloc(cairn_grid_rows_bytes(side, side))};
    fill_rooms(cells, side, side);
    planes.width = planes.height = side;
    for (uint32_t i = 0; i < side * side; i++) {
        planes.known[i >> 3] |= (uint8_t)((cells[i] & 1) << (i & 7));
        planes.obstacle[i >> 3] |= (uint8_t)((cells[i] >> 1) << (i & 7));
    }
    cairn_grid_rows_clear(&rows, true);
    for (uint32_t y = 0; y < side; y++) {
        cairn_terrain_window window;
        cairn_terrain_window_start(&window, &planes, y);
        cairn_grid_row_begin(&rows, y);
        for (uint32_t x = 0; x < side; x++) {
            const cairn_terrain_window ours = cairn_grid_window_alone(&rows, x, y);
            assert_true(ours.unknown == window.unknown && ours.obstacle == window.obstacle);
            const cairn_terrain_cell cell = cairn_terrain_cell_at(&planes, y * side + x);
            cairn_grid_set(cairn_grid_row(&rows, rows.unknown, y), cairn_grid_bit(&rows, x), !cell.known);
            cairn_grid_set(cairn_grid_row(&rows, rows.obstacle, y), cairn_grid_bit(&rows, x), cell.obstacle);
            cairn_terrain_window_advance(&window, &planes, cell, x + 1, y);
        }
        cairn_grid_row_end(&rows, y);
    }
    free(rows.unknown);
    free(rows.obstacle);
}

// The codec moves its window along a row where it can. It must see what it would see in a window made anew, also where
// the rows end.
static void a_window_that_moves_on_is_as_if_made_anew(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 5, 11, 40, 63};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const uint32_t width = widths[i], height = 12;
        const size_t bytes = cairn_grid_rows_bytes(width, height);
        const cairn_grid_rows rows = {width, height, cairn_grid_stride_bytes(width), malloc(bytes), malloc(bytes)};
        const cairn_grid_rows earlier = {width, height, cairn_grid_stride_bytes(width), malloc(bytes), malloc(bytes)};
        for (size_t at = 0; at < bytes; at++) {
            earlier.unknown[at] = (uint8_t)below(256);
            earlier.obstacle[at] = (uint8_t)below(256);
        }
        fill_noise(cells, width * height, 3);
        cairn_grid_rows_clear(&rows, true);
        for (uint32_t y = 0; y < height; y++) {
            cairn_grid_row_begin(&rows, y);
            cairn_terrain_window alone = cairn_grid_window_alone(&rows, 0, y);
            cairn_terrain_window after = cairn_grid_window_after(&rows, &earlier, true, 0, y);
            for (uint32_t x = 1; x < width; x++) {
                const uint8_t cell = cells[y * width + x - 1];
                const bool unknown = (cell & 1) == 0, obstacle = (cell & 2) != 0;
                cairn_grid_set(cairn_grid_row(&rows, rows.unknown, y), cairn_grid_bit(&rows, x - 1), unknown);
                cairn_grid_set(cairn_grid_row(&rows, rows.obstacle, y), cairn_grid_bit(&rows, x - 1), obstacle);
                cairn_grid_window_advance_alone(&alone, &rows, unknown, obstacle, x, y);
                cairn_grid_window_advance_after(&after, &rows, &earlier, true, unknown, obstacle, x, y);
                const cairn_terrain_window new_alone = cairn_grid_window_alone(&rows, x, y);
                const cairn_terrain_window new_after = cairn_grid_window_after(&rows, &earlier, true, x, y);
                assert_true(alone.unknown == new_alone.unknown && alone.obstacle == new_alone.obstacle);
                assert_true(after.unknown == new_after.unknown && after.obstacle == new_after.obstacle);
            }
            cairn_grid_row_end(&rows, y);
        }
        free(rows.unknown);
        free(rows.obstacle);
        free(earlier.unknown);
        free(earlier.obstacle);
    }
}

// Rows of rooms of 24 x 24 cells, turned by this.
static void fill_turned_rooms(uint8_t *to, double yaw_rad)
{
    for (uint32_t i = 0; i < SIDE_MAX * SIDE_MAX; i++) {
        const uint32_t column = i % SIDE_MAX, row = i / SIDE_MAX;
        const double x = column, y = row;
        const double u = cos(yaw_rad) * x + sin(yaw_rad) * y + 200, v = cos(yaw_rad) * y - sin(yaw_rad) * x + 200;
        const bool wall = (fmod(u, 24) < 1 || fmod(v, 24) < 1) && below(12) > 0;
        to[i] = wall ? CAIRN_GRID_OBSTACLE : 0;
    }
}

// Which way one plane alone leans after a whole map; > 0 is to the network of maps that lie along walls.
static int32_t lean_after(double yaw_rad)
{
    static uint8_t unknown[CODE_BYTES], obstacle[CODE_BYTES]; // a bit a cell and the rims: far less
    static cairn_grid_model model;
    const cairn_grid_rows rows = {SIDE_MAX, SIDE_MAX, cairn_grid_stride_bytes(SIDE_MAX), unknown, obstacle};
    assert_true(cairn_grid_rows_bytes(SIDE_MAX, SIDE_MAX) <= sizeof unknown);
    fill_turned_rooms(cells, yaw_rad);
    cairn_grid_model_init(&model, false, false);
    cairn_grid_rows_clear(&rows, false);
    for (uint32_t y = 0; y < SIDE_MAX; y++) {
        cairn_grid_row_begin(&rows, y);
        for (uint32_t x = 0; x < SIDE_MAX; x++) {
            const bool is_obstacle = cells[y * SIDE_MAX + x] != 0;
            const cairn_terrain_window window = cairn_grid_window_alone(&rows, x, y);
            cairn_grid_model_look(&model, &window);
            cairn_grid_model_learn(&model, CAIRN_TERRAIN_IS_OBSTACLE,
                                   cairn_grid_model_p(&model, CAIRN_TERRAIN_IS_OBSTACLE), is_obstacle);
            cairn_grid_set(cairn_grid_row(&rows, obstacle, y), cairn_grid_bit(&rows, x), is_obstacle);
        }
        cairn_grid_row_end(&rows, y);
    }
    return model.blend.lean;
}

// A robot's frame may lie along the walls or not. Whoever codes its map must find that out from the map.
static void the_map_tells_which_network_to_lean_on(void **state)
{
    (void)state;
    const int32_t along = lean_after(0.04), askew = lean_after(0.6);
    print_message("along walls %d, askew %d of 65536\n", along, askew);
    assert_true(along > 0 && askew < 0);
}

// The kernels add the first layer in 16 bits. No window may make a sum that they cannot hold.
static void sums_of_the_first_layer_fit_16_bits(void **state)
{
    (void)state;
    const cairn_terrain_weights *all[] = {&grid_weights_one_alone, &grid_weights_one_alone_square,
                                          &grid_weights_one_after, &grid_weights_both_alone, &grid_weights_both_after};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int unit = 0; unit < CAIRN_TERRAIN_HIDDEN; unit++) {
            int32_t sum = abs(all[i]->input_bias[unit]);
            for (int input = 0; input < 2 * CAIRN_TERRAIN_WINDOW_CELLS; input++) {
                sum += abs(all[i]->input[input * CAIRN_TERRAIN_HIDDEN + unit]);
            }
            assert_true(sum <= INT16_MAX);
        }
    }
}

static void the_published_models_are_lossless(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        const uint32_t width = 1 + below(50), height = 1 + below(50);
        const cairn_neighbours model = (cairn_neighbours)below(CAIRN_NEIGHBOURS_COUNT);
        const uint8_t mask = below(2) == 0 ? CAIRN_GRID_KNOWN : CAIRN_GRID_OBSTACLE;
        fill(cells, width, height);
        size_t bytes = 0;
        assert_ok(cairn_neighbour_encode(cells, width, height, mask, model, code, sizeof code, &bytes));
        memset(back, 0, sizeof back);
        assert_ok(cairn_neighbour_decode(code, bytes, width, height, mask, model, back));
        for (uint32_t at = 0; at < width * height; at++) { assert_int_equal(cells[at] & mask, back[at]); }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_come_back_as_they_were),
                                       cmocka_unit_test(the_widest_grid_comes_back),
                                       cmocka_unit_test(a_grid_after_itself_takes_next_to_nothing),
                                       cmocka_unit_test(random_bytes_are_refused_or_read),
                                       cmocka_unit_test(the_format_is_pinned),
                                       cmocka_unit_test(too_little_room_is_told),
                                       cmocka_unit_test(cells_lie_on_cells_when_moved_by_whole_ones),
                                       cmocka_unit_test(turns_are_those_of_the_maths_library),
                                       cmocka_unit_test(an_earlier_grid_lies_where_its_pose_says),
                                       cmocka_unit_test(a_window_alone_is_that_of_terrain_maps),
                                       cmocka_unit_test(a_window_that_moves_on_is_as_if_made_anew),
                                       cmocka_unit_test(the_map_tells_which_network_to_lean_on),
                                       cmocka_unit_test(sums_of_the_first_layer_fit_16_bits),
                                       cmocka_unit_test(the_published_models_are_lossless)};
    return cmocka_run_group_tests(tests, begin, end);
}
