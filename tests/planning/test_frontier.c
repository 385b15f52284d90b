// test_frontier.c - frontiers against a search that looks at everything.
#include "planning/clusters.h"
#include "planning/frontier.h"
#include "random_rooms.h"

#define FRONTIERS_MAX 64

typedef struct map_scene {
    room_map rooms;
    cairn_cost_grid grid;
    cairn_reach reach;
} map_scene;

static void random_scene(cairn_random *random, cairn_arena *arena, cairn_arena *scratch, map_scene *scene)
{
    cairn_arena_reset(arena, 0);
    scene->rooms = random_rooms(random, 10);
    const cairn_cost_rules rules = cairn_cost_rules_default(0.25);
    assert_ok(cairn_cost_grid_create((cairn_vec2){2, -3}, 0.1, scene->rooms.width, scene->rooms.height,
                                     scene->rooms.ground, &rules, arena, &scene->grid));
    const cairn_vec2 source_m = random_place(random, &scene->grid);
    assert_ok(cairn_reach_compute(&scene->grid, source_m, UINT32_MAX, arena, scratch, &scene->reach));
}

static bool is_unknown(const room_map *rooms, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= rooms->width || y >= rooms->height) { return false; }
    return rooms->ground[y * rooms->width + x] == CAIRN_GROUND_UNKNOWN;
}

static bool is_frontier(const room_map *rooms, uint32_t cell)
{
    const int64_t x = cell % rooms->width, y = cell / rooms->width;
    return rooms->ground[cell] == CAIRN_GROUND_FREE && (is_unknown(rooms, x - 1, y) || is_unknown(rooms, x + 1, y) ||
                                                        is_unknown(rooms, x, y - 1) || is_unknown(rooms, x, y + 1));
}

static double cells_apart(uint32_t width, uint32_t a, uint32_t b)
{
    return hypot((double)(a % width) - (double)(b % width), (double)(a / width) - (double)(b / width));
}

static uint32_t slow_stand_price(const map_scene *scene, const uint32_t *cells, uint32_t count, double standoff_m)
{
    uint32_t inside = CAIRN_REACH_NEVER, near = CAIRN_REACH_NEVER;
    const uint32_t width = scene->rooms.width;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t own = scene->reach.price[cells[i]];
        inside = own < inside ? own : inside;
        for (uint32_t at = 0; at < width * scene->rooms.height; at++) {
            const uint32_t price = scene->reach.price[at];
            if (price < near && cells_apart(width, at, cells[i]) * 0.1 <= standoff_m + 1e-9 &&
                cairn_cells_see(scene->rooms.ground, width, at, cells[i])) {
                near = price;
            }
        }
    }
    return inside != CAIRN_REACH_NEVER ? inside : near;
}

// Every cluster, by brute force, in order of price.
static uint32_t slow_frontiers(const map_scene *scene, uint32_t cell_count_min, double standoff_m, cairn_frontier *ret)
{
    static uint8_t wanted[CELLS_MAX];
    static uint32_t cells[CELLS_MAX];
    const uint32_t width = scene->rooms.width, height = scene->rooms.height;
    uint32_t found = 0;
    for (uint32_t cell = 0; cell < width * height; cell++) { wanted[cell] = is_frontier(&scene->rooms, cell); }
    for (uint32_t seed = 0; seed < width * height; seed++) {
        if (!wanted[seed]) { continue; }
        cairn_frontier frontier = {.cell_count = cairn_cluster_take(wanted, width, height, seed, cells)};
        frontier.price = slow_stand_price(scene, cells, frontier.cell_count, standoff_m);
        if (frontier.cell_count < cell_count_min || frontier.price == CAIRN_REACH_NEVER) { continue; }
        for (uint32_t i = 0; i < frontier.cell_count; i++) {
            const cairn_vec2 centre = cairn_cost_grid_centre_of(&scene->grid, cells[i]);
            frontier.middle_m = cairn_vec2_add(frontier.middle_m, cairn_vec2_scale(centre, 1.0 / frontier.cell_count));
        }
        uint32_t at = found++;
        for (; at > 0 && ret[at - 1].price > frontier.price; at--) { ret[at] = ret[at - 1]; }
        ret[at] = frontier;
    }
    return found;
}

static void frontiers_are_those_of_a_search_over_everything(void **state)
{
    (void)state;
    cairn_random random = stream("frontiers");
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18);
    uint32_t total = 0, outside_total = 0;
    for (int i = 0; i < 150; i++) {
        static map_scene scene;
        random_scene(&random, &arena, &scratch, &scene);
        const uint32_t min = 1 + cairn_random_below(&random, 4), max = i % 3 ? FRONTIERS_MAX : 2;
        const double standoff_m = (1 + cairn_random_below(&random, 9)) / 10.0; // 0.6 / 0.1 rounds below 6
        cairn_frontier slow[FRONTIERS_MAX], quick[FRONTIERS_MAX];
        const uint32_t all = slow_frontiers(&scene, min, standoff_m, slow), want = all < max ? all : max;
        uint32_t count = 99;
        assert_ok(
            cairn_frontiers_find(scene.rooms.ground, &scene.reach, min, standoff_m, &scratch, max, quick, &count));
        assert_int_equal(count, want);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(quick[k].price, slow[k].price);
            assert_int_equal(quick[k].cell_count, slow[k].cell_count);
            assert_true(cairn_vec2_distance(quick[k].middle_m, slow[k].middle_m) < 1e-9);
            assert_int_equal(scene.reach.price[quick[k].nearest_cell], quick[k].price);
            outside_total += !is_frontier(&scene.rooms, quick[k].nearest_cell);
        }
        total += count;
        assert_int_equal(cairn_arena_mark(&scratch), 0);
    }
    assert_true(total > 200 && outside_total > 20);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

// A gap of 40 cm: too narrow for the robot, but the unknown behind it can be looked at from in front.
static void a_gap_too_narrow_to_enter_is_looked_at_from_in_front(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18);
    static map_scene scene;
    scene.rooms = (room_map){.width = 30, .height = 20};
    for (uint32_t y = 0; y < 20; y++) {
        for (uint32_t x = 0; x < 30; x++) {
            const bool wall = x == 20 && (y < 8 || y >= 12);
            const uint8_t side = x < 22 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
            scene.rooms.ground[y * 30 + x] = wall ? CAIRN_GROUND_OBSTACLE : side;
        }
    }
    const cairn_cost_rules rules = cairn_cost_rules_default(0.3);
    assert_ok(cairn_cost_grid_create((cairn_vec2){0, 0}, 0.1, 30, 20, scene.rooms.ground, &rules, &arena, &scene.grid));
    const cairn_vec2 robot = {0.5, 1.0};
    assert_ok(cairn_reach_compute(&scene.grid, robot, UINT32_MAX, &arena, &scratch, &scene.reach));
    cairn_frontier frontiers[4];
    uint32_t count = 0;
    assert_ok(cairn_frontiers_find(scene.rooms.ground, &scene.reach, 3, 0.3, &scratch, 4, frontiers, &count));
    assert_int_equal(count, 0); // the closest stand is 0.4 m away
    assert_ok(cairn_frontiers_find(scene.rooms.ground, &scene.reach, 3, 0.8, &scratch, 4, frontiers, &count));
    assert_int_equal(count, 1);
    const cairn_vec2 stand = cairn_cost_grid_centre_of(&scene.grid, frontiers[0].nearest_cell);
    assert_true(stand.x < 1.9 && stand.x > 1.2 && stand.y > 0.7 && stand.y < 1.3);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void without_scratch_nothing_is_returned(void **state)
{
    (void)state;
    cairn_random random = stream("scratch");
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18), small = arena_of(300);
    static map_scene scene;
    random_scene(&random, &arena, &scratch, &scene);
    cairn_frontier frontier;
    uint32_t count = 77;
    assert_int_equal(cairn_frontiers_find(scene.rooms.ground, &scene.reach, 1, 1, &small, 1, &frontier, &count),
                     CAIRN_ERR_FULL);
    assert_int_equal(count, 77);
    assert_int_equal(cairn_arena_mark(&small), 0);
    assert_ok(cairn_frontiers_find(scene.rooms.ground, &scene.reach, 1, 1, &scratch, 0, NULL, &count));
    assert_int_equal(count, 0);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frontiers_are_those_of_a_search_over_everything),
        cmocka_unit_test(a_gap_too_narrow_to_enter_is_looked_at_from_in_front),
        cmocka_unit_test(without_scratch_nothing_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
