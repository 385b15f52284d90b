// test_clusters.c - lines of sight against the cells that a line really crosses; clusters against labels.
#include "geometry/rays.h"
#include "planning/clusters.h"
#include "random_rooms.h"

// The oracle: a cell hides the line if the segment comes into the cell's square, or touches its corner, between the two
// end cells. Squares are met as boxes by a ray; a little larger, so that touching counts.
static bool slow_see(const room_map *rooms, uint32_t from, uint32_t to)
{
    const cairn_vec2 a = {from % rooms->width, (double)(from / rooms->width)};
    const cairn_vec2 way = cairn_vec2_sub((cairn_vec2){to % rooms->width, (double)(to / rooms->width)}, a);
    const double length = cairn_vec2_length(way);
    if (length == 0) { return true; }
    for (uint32_t cell = 0; cell < rooms->width * rooms->height; cell++) {
        if (rooms->ground[cell] == CAIRN_GROUND_FREE || cell == from || cell == to) { continue; }
        const cairn_pose2 box = {cell % rooms->width, (double)(cell / rooms->width), 0};
        const double half = 0.5 + 1e-6;
        const double touch = cairn_ray_box2(a, cairn_vec2_scale(way, 1 / length), box, (cairn_vec2){half, half});
        if (touch >= 0 && touch <= length) { return false; }
    }
    return true;
}

static void cells_see_each_other_if_the_line_touches_nothing_in_between(void **state)
{
    (void)state;
    cairn_random random = stream("lines");
    uint32_t clear_count = 0;
    for (int i = 0; i < 60; i++) {
        const room_map rooms = random_rooms(&random, 1);
        for (int k = 0; k < 60; k++) {
            const uint32_t from = cairn_random_below(&random, rooms.width * rooms.height);
            const uint32_t to = cairn_random_below(&random, rooms.width * rooms.height);
            const bool clear = slow_see(&rooms, from, to);
            assert_int_equal(cairn_cells_see(rooms.ground, rooms.width, from, to), clear);
            assert_int_equal(cairn_cells_see(rooms.ground, rooms.width, to, from), clear);
            clear_count += clear;
        }
    }
    assert_true(clear_count > 300);
}

static void a_line_through_a_corner_needs_both_cells_beside_it(void **state)
{
    (void)state;
    uint8_t ground[4] = {1, 1, 1, 1};
    assert_true(cairn_cells_see(ground, 2, 0, 3));
    ground[1] = CAIRN_GROUND_OBSTACLE;
    assert_false(cairn_cells_see(ground, 2, 0, 3));
    assert_false(cairn_cells_see(ground, 2, 3, 0));
    assert_true(cairn_cells_see(ground, 2, 0, 1)); // ends do not count
    assert_true(cairn_cells_see(ground, 2, 1, 1));
}

// The oracle: labels that spread from neighbour to neighbour until nothing changes.
static void slow_labels(const uint8_t *wanted, int32_t width, int32_t height, uint32_t *label)
{
    for (int32_t i = 0; i < width * height; i++) { label[i] = wanted[i] ? (uint32_t)i + 1 : 0; }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < width * height; i++) {
            for (int32_t k = 0; k < 9; k++) {
                const int32_t x = i % width + k % 3 - 1, y = i / width + k / 3 - 1;
                if (x < 0 || y < 0 || x >= width || y >= height || !label[i]) { continue; }
                const uint32_t near = label[y * width + x];
                if (near != 0 && near < label[i]) {
                    label[i] = near;
                    changed = true;
                }
            }
        }
    }
}

static void clusters_are_cells_joined_by_edges_or_corners(void **state)
{
    (void)state;
    cairn_random random = stream("clusters");
    for (int i = 0; i < 40; i++) {
        const uint32_t width = 1 + cairn_random_below(&random, 30), height = 1 + cairn_random_below(&random, 30);
        const uint32_t wanted_pct = cairn_random_below(&random, 60);
        uint8_t wanted[900];
        uint32_t label[900], cells[900], total = 0;
        for (uint32_t k = 0; k < width * height; k++) { wanted[k] = cairn_random_below(&random, 100) < wanted_pct; }
        slow_labels(wanted, (int32_t)width, (int32_t)height, label);
        for (uint32_t k = 0; k < width * height; k++) { total += wanted[k]; }
        for (uint32_t seed = 0; (seed = cairn_cluster_seed(wanted, width, height, seed)) < width * height;) {
            const uint32_t count = cairn_cluster_take(wanted, width, height, seed, cells);
            uint32_t labelled = 0;
            for (uint32_t k = 0; k < width * height; k++) { labelled += label[k] == seed + 1; }
            assert_int_equal(count, labelled);
            for (uint32_t k = 0; k < count; k++) { assert_int_equal(label[cells[k]], seed + 1); }
            total -= count;
        }
        assert_int_equal(total, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_see_each_other_if_the_line_touches_nothing_in_between),
        cmocka_unit_test(a_line_through_a_corner_needs_both_cells_beside_it),
        cmocka_unit_test(clusters_are_cells_joined_by_edges_or_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
