// test_observe.c - what a camera marks, against a line to every cell.
#include "geometry/rays.h"
#include "planning/clusters.h"
#include "planning/observe.h"
#include "random_rooms.h"

#define MARK 4

static cairn_cost_grid layout_of(const room_map *rooms)
{
    return (cairn_cost_grid){.origin_m = {-1, 2}, .cell_m = 0.1, .width = rooms->width, .height = rooms->height};
}

// Whether the segment comes into no obstacle or unknown cell before the goal cell, cells taken `grow` m larger.
static bool is_clear(const room_map *rooms, const cairn_cost_grid *grid, cairn_vec2 from_m, uint32_t own,
                     cairn_vec2 to_m, uint32_t goal, double grow_m)
{
    const cairn_vec2 way = cairn_vec2_sub(to_m, from_m);
    const double length_m = cairn_vec2_length(way), half_m = 0.5 * grid->cell_m + grow_m;
    for (uint32_t cell = 0; cell < grid->width * grid->height; cell++) {
        if (rooms->ground[cell] == CAIRN_GROUND_FREE || cell == own || cell == goal) { continue; }
        const cairn_vec2 at = cairn_cost_grid_centre_of(grid, cell);
        const cairn_vec2 near = cairn_vec2_sub(at, from_m);
        if (cairn_vec2_length(near) > length_m + grid->cell_m) { continue; }
        const double touch_m = cairn_ray_box2(from_m, cairn_vec2_scale(way, 1 / length_m), (cairn_pose2){at.x, at.y, 0},
                                              (cairn_vec2){half_m, half_m});
        if (touch_m >= 0 && touch_m < length_m) { return false; }
    }
    return true;
}

// Whether any of many points of a cell is in sight.
static bool is_glimpsed(const room_map *rooms, const cairn_cost_grid *grid, cairn_vec2 from_m, uint32_t own,
                        uint32_t cell)
{
    for (int k = 0; k < 441; k++) {
        const cairn_vec2 aside = {(k % 21 - 10) * 0.00499, (k / 21 - 10) * 0.00499};
        const cairn_vec2 point = cairn_vec2_add(cairn_cost_grid_centre_of(grid, cell), aside);
        if (is_clear(rooms, grid, from_m, own, point, cell, -1e-3)) { return true; }
    }
    return false;
}

// Two sides: what is plainly in sight must be marked, and what is marked must be in sight somewhere. Between lies what
// is seen through a slit narrower than the spacing of the rays.
static void marks_are_the_cells_in_sight(void **state)
{
    (void)state;
    cairn_random random = stream("sight");
    uint32_t plain_count = 0, marked_count = 0;
    for (int i = 0; i < 25; i++) {
        const room_map rooms = random_rooms(&random, 30);
        const cairn_cost_grid grid = layout_of(&rooms);
        const cairn_vec2 aside = {cairn_random_between(&random, -0.05, 0.05),
                                  cairn_random_between(&random, -0.05, 0.05)};
        const cairn_vec2 from_m = cairn_vec2_add(random_place(&random, &grid), aside);
        const cairn_pose2 camera = {from_m.x, from_m.y, cairn_random_between(&random, -3, 3)};
        const cairn_sight sight = {.field_rad = cairn_random_between(&random, 0.2, 6.0),
                                   .range_m_min = 0.3,
                                   .range_m_max = cairn_random_between(&random, 0.5, 3.0)};
        static uint8_t seen[CELLS_MAX];
        memset(seen, 1, sizeof seen);
        const uint32_t new_count = cairn_sight_mark(rooms.ground, &grid, camera, &sight, MARK, seen);
        uint32_t own = 0, count = 0;
        assert_true(cairn_cost_grid_cell_of(&grid, from_m, &own));
        for (uint32_t cell = 0; cell < grid.width * grid.height; cell++) {
            assert_int_equal(seen[cell] & ~MARK, 1);
            const cairn_vec2 way = cairn_vec2_sub(cairn_cost_grid_centre_of(&grid, cell), from_m);
            const double away_m = cairn_vec2_length(way);
            const double off_rad = fabs(cairn_angle_between(camera.yaw_rad, atan2(way.y, way.x)));
            const bool in_range = away_m >= sight.range_m_min && away_m <= sight.range_m_max;
            const bool known = rooms.ground[cell] != CAIRN_GROUND_UNKNOWN;
            if (seen[cell] & MARK) {
                assert_true(in_range && known);
                assert_true(off_rad <= 0.5 * sight.field_rad + 0.0708 / away_m); // half a diagonal
                assert_true(is_glimpsed(&rooms, &grid, from_m, own, cell));
                count++;
            } else if (in_range && known && off_rad < 0.5 * sight.field_rad) {
                // blocked even if everything else is shrunk by what two neighbouring rays are apart
                assert_false(is_clear(&rooms, &grid, from_m, own, cairn_vec2_add(from_m, way), cell, 0.03));
                plain_count++;
            }
        }
        assert_int_equal(count, new_count);
        assert_int_equal(cairn_sight_mark(rooms.ground, &grid, camera, &sight, MARK, seen), 0);
        marked_count += count;
    }
    assert_true(plain_count > 500 && marked_count > 2000);
}

static void a_wall_is_marked_and_hides_what_is_behind_it(void **state)
{
    (void)state;
    room_map rooms = {.width = 40, .height = 1};
    memset(rooms.ground, CAIRN_GROUND_FREE, 40);
    rooms.ground[20] = CAIRN_GROUND_OBSTACLE;
    const cairn_cost_grid grid = layout_of(&rooms);
    const cairn_sight sight = {.field_rad = 0.1, .range_m_min = 0.5, .range_m_max = 5};
    uint8_t seen[40] = {0};
    const cairn_pose2 camera = {-0.95, 2.05, 0};
    assert_int_equal(cairn_sight_mark(rooms.ground, &grid, camera, &sight, MARK, seen), 16);
    for (uint32_t x = 0; x < 40; x++) { assert_int_equal(seen[x], x >= 5 && x <= 20 ? MARK : 0); }
    rooms.ground[20] = CAIRN_GROUND_UNKNOWN;
    memset(seen, 0, sizeof seen);
    assert_int_equal(cairn_sight_mark(rooms.ground, &grid, camera, &sight, MARK, seen), 15);
    assert_int_equal(seen[20], 0);
}

static void from_outside_the_map_nothing_is_marked(void **state)
{
    (void)state;
    room_map rooms = {.width = 10, .height = 10};
    memset(rooms.ground, CAIRN_GROUND_FREE, 100);
    const cairn_cost_grid grid = layout_of(&rooms);
    const cairn_sight sight = {.field_rad = 1, .range_m_min = 0, .range_m_max = 5};
    uint8_t seen[100] = {0};
    assert_int_equal(cairn_sight_mark(rooms.ground, &grid, (cairn_pose2){-2, 2.5, 0}, &sight, MARK, seen), 0);
    assert_true(cairn_sight_mark(rooms.ground, &grid, (cairn_pose2){-0.95, 2.5, 0}, &sight, MARK, seen) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_the_cells_in_sight),
        cmocka_unit_test(a_wall_is_marked_and_hides_what_is_behind_it),
        cmocka_unit_test(from_outside_the_map_nothing_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
