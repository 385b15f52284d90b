// test_reach.c - where a robot gets to: against a plain flood on flat ground, and by hand where the ground is not flat.
#include "base/random.h"
#include "check.h"
#include "geometry/rays.h"
#include "sim/arena/arena_private.h"
#include "sim/arena/check/reach.h"
#include "sim/arena/ground.h"
#include <math.h>
#include <string.h>

#define SEED 5083
#define EASY 1e-9

typedef struct place {
    cairn_arena memory;
    cairn_sim_arena arena;
    cairn_sim_elements elements;
    cairn_pose2 start;
    double start_foot_m;
    cairn_reach reach;
} place;

static void open_place(place *of, cairn_vec2 size_m, cairn_pose2 start)
{
    memset(of, 0, sizeof *of);
    assert_ok(cairn_arena_create(&of->memory, (size_t)64 << 20));
    of->start = start;
    of->arena = (cairn_sim_arena){.size_m = size_m, .starts = &of->start, .start_count = 1};
    of->arena.start_feet_m = &of->start_foot_m;
}

static void flood(place *of)
{
    const cairn_reach_def def = cairn_reach_def_default();
    assert_ok(cairn_sim_arena_make_all(&of->arena, &of->elements, &of->memory));
    assert_ok(cairn_ground_index_create(&of->arena, &of->memory));
    cairn_arena exact;
    assert_ok(cairn_arena_create(&exact, cairn_reach_bytes(&of->arena, &def)));
    assert_ok(cairn_reach_create(&of->arena, &def, &exact, &of->reach));
    cairn_arena_destroy(&exact);
    assert_ok(cairn_reach_create(&of->arena, &def, &of->memory, &of->reach));
}

static void close_place(place *of) { cairn_arena_destroy(&of->memory); }

static bool reached(const place *of, double x, double y, double height_m)
{
    return cairn_reach_at(&of->reach, (cairn_vec2){x, y}, height_m, 0.01) != CAIRN_REACH_NONE;
}

// On flat ground with boxes: the cells of a plain flood, and ways at least as long as the straight line and at most as
// long as by straight steps only.
static void flat_ground_is_flooded_as_by_the_obvious_flood(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "reach");
    enum { SIDE = 120 };
    for (int k = 0; k < 5; k++) {
        place of;
        open_place(&of, (cairn_vec2){12, 12}, (cairn_pose2){6.03, 6.04, 0});
        cairn_sim_box boxes[30];
        for (int i = 0; i < 30; i++) {
            boxes[i] = (cairn_sim_box){.map_T_box = {cairn_random_between(&random, 0, 12),
                                                     cairn_random_between(&random, 0, 12),
                                                     cairn_random_between(&random, -3, 3)},
                                       .size_m = {cairn_random_between(&random, 0.1, 3), 0.1, 1}};
            if (cairn_box2_distance((cairn_vec2){6.05, 6.05}, boxes[i].map_T_box,
                                    (cairn_vec2){boxes[i].size_m.x / 2, 0.05}) < 0.5) {
                i--;
            }
        }
        of.arena.boxes = boxes;
        of.arena.box_count = 30;
        flood(&of);

        static bool free_[SIDE * SIDE], seen[SIDE * SIDE];
        for (int c = 0; c < SIDE * SIDE; c++) {
            const cairn_vec2 at = {(c % SIDE + 0.5) * 0.1, (c / SIDE + 0.5) * 0.1};
            bool is_free = fmin(fmin(at.x, 12 - at.x), fmin(at.y, 12 - at.y)) >= 0.35 - 1e-9;
            for (int i = 0; i < 30; i++) {
                is_free &=
                    cairn_box2_distance(at, boxes[i].map_T_box, (cairn_vec2){boxes[i].size_m.x / 2, 0.05}) >= 0.35;
            }
            free_[c] = is_free;
            seen[c] = c == 60 * SIDE + 60;
        }
        for (bool grew = true; grew;) {
            grew = false;
            for (int c = 0; c < SIDE * SIDE; c++) {
                if (!free_[c] || seen[c]) { continue; }
                for (int n = 0; n < 9 && !seen[c]; n++) {
                    const int x = c % SIDE + n % 3 - 1, y = c / SIDE + n / 3 - 1;
                    seen[c] = x >= 0 && y >= 0 && x < SIDE && y < SIDE && seen[y * SIDE + x];
                }
                grew |= seen[c];
            }
        }
        uint32_t count = 0;
        assert_int_equal(of.reach.width, SIDE);
        for (int c = 0; c < SIDE * SIDE; c++) {
            assert_true((of.reach.first[c] != CAIRN_REACH_NONE) == (free_[c] && seen[c]));
            count += of.reach.first[c] != CAIRN_REACH_NONE;
        }
        assert_int_equal(of.reach.cell_count, count);
        assert_true(count > 500);
        for (uint32_t i = 0; i < of.reach.place_count; i++) {
            const cairn_reach_place *it = &of.reach.places[i];
            const cairn_vec2 at = cairn_reach_middle_m(&of.reach, i);
            assert_true(it->way_m > 0.98 * cairn_vec2_distance(at, (cairn_vec2){6.05, 6.05}) - 1e-3);
            if (it->before == CAIRN_REACH_NONE) { continue; }
            const float step_m = it->way_m - of.reach.places[it->before].way_m;
            assert_true(fabsf(step_m - 0.1f) < 1e-4f || fabsf(step_m - 0.14f) < 1e-4f);
        }
        close_place(&of);
    }
}

// A slope of 15 degrees leads to an upper storey: above and below it the same cells are reached at two heights.
static void two_storeys_are_reached_over_a_slope(void **state)
{
    (void)state;
    place of;
    open_place(&of, (cairn_vec2){24, 10}, (cairn_pose2){1, 5, 0});
    const double angle_rad = 15 * CAIRN_PI / 180, run_m = 2.4 / tan(angle_rad);
    cairn_sim_ramp slope = {
        .map_T_ramp = {2 + run_m / 2, 8, 0}, .length_m = run_m, .width_m = 2, .angle_rad = angle_rad, .slope = true};
    cairn_platform storey = {.at_m = {2 + run_m + 5, 5}, .size_m = {10, 9}, .top_m = 2.4, .slab_m = 0.2};
    of.arena.ramps = &slope;
    of.arena.ramp_count = 1;
    of.elements = (cairn_sim_elements){.platforms = &storey, .platform_count = 1};
    flood(&of);
    assert_true(reached(&of, 15, 4, 0));
    assert_true(reached(&of, 15, 4, 2.4));
    assert_true(reached(&of, 2 + run_m / 2, 8, 1.2) ||
                cairn_reach_at(&of.reach, (cairn_vec2){2 + run_m / 2, 8}, 1.2, 0.05) != CAIRN_REACH_NONE);
    // Not over the storey's edge, and not into the slope from its side or its high end.
    assert_false(reached(&of, 2 + run_m + 9.8, 4, 2.4));
    assert_false(reached(&of, 2 + run_m - 0.2, 8, 0));
    assert_false(reached(&of, 2 + run_m / 2, 7.1, 0));
    // The way up is longer than the way below.
    const uint32_t up = cairn_reach_at(&of.reach, (cairn_vec2){15, 4}, 2.4, 0.01),
                   down = cairn_reach_at(&of.reach, (cairn_vec2){15, 4}, 0, 0.01);
    assert_true(of.reach.places[up].way_m > of.reach.places[down].way_m);
    close_place(&of);
}

static bool climbs(cairn_platform platform, const cairn_sim_ramp *ramp)
{
    place of;
    open_place(&of, (cairn_vec2){12, 6}, (cairn_pose2){1, 3, 0});
    cairn_sim_ramp copy = ramp != NULL ? *ramp : (cairn_sim_ramp){0};
    of.arena.ramps = &copy;
    of.arena.ramp_count = ramp != NULL;
    of.elements = (cairn_sim_elements){.platforms = &platform, .platform_count = 1};
    flood(&of);
    const bool yes = reached(&of, platform.at_m.x, platform.at_m.y, platform.top_m);
    close_place(&of);
    return yes;
}

// 0.12 m and 25 degrees, as the default says.
static void steps_and_slopes_have_their_limits(void **state)
{
    (void)state;
    const cairn_platform kerb = {.at_m = {8, 3}, .size_m = {4, 4}, .top_m = 0.1};
    cairn_platform high = kerb;
    assert_true(climbs(kerb, NULL));
    high.top_m = 0.119;
    assert_true(climbs(high, NULL));
    high.top_m = 0.121;
    assert_false(climbs(high, NULL));
    high.top_m = 0.2;
    assert_false(climbs(high, NULL));
    for (double angle_deg = 20; angle_deg < 32; angle_deg += 2) {
        const double run_m = 1.0 / tan(angle_deg * CAIRN_PI / 180);
        const cairn_sim_ramp slope = {.map_T_ramp = {6 - run_m / 2, 3, 0},
                                      .length_m = run_m,
                                      .width_m = 3,
                                      .angle_rad = angle_deg * CAIRN_PI / 180,
                                      .slope = true};
        high.top_m = 1.0;
        assert_true(climbs(high, &slope) == (angle_deg < 25));
    }
}

// A pit is an edge on all sides: nobody gets into it, or nearer to it than the radius.
static void holes_are_kept_from(void **state)
{
    (void)state;
    place of;
    open_place(&of, (cairn_vec2){10, 10}, (cairn_pose2){1, 5, 0});
    cairn_hole pit = {.at_m = {5, 5}, .size_m = {2, 2}, .depth_m = 0.5},
               dip = {.at_m = {5, 8.5}, .size_m = {1.5, 1.5}, .depth_m = 0.1};
    cairn_hole holes[] = {pit, dip};
    of.elements = (cairn_sim_elements){.holes = holes, .hole_count = 2};
    flood(&of);
    assert_false(cairn_reach_at(&of.reach, (cairn_vec2){5, 5}, 0, 10) != CAIRN_REACH_NONE);
    assert_false(cairn_reach_at(&of.reach, (cairn_vec2){3.75, 5.05}, 0, 10) != CAIRN_REACH_NONE);
    assert_true(reached(&of, 3.55, 5.05, 0));
    assert_true(reached(&of, 9, 5, 0));
    assert_true(reached(&of, 5, 8.5, -0.1));
    close_place(&of);
}

// A closed door is no wall, figures that walk are none either, and what hangs high lets robots pass below.
static void what_opens_walks_or_hangs_is_no_wall(void **state)
{
    (void)state;
    place of;
    open_place(&of, (cairn_vec2){10, 6}, (cairn_pose2){1, 3, 0});
    cairn_sim_wall walls[] = {{.from_m = {5, 0}, .to_m = {5, 2.5}, .thickness_m = 0.1, .height_m = 2},
                              {.from_m = {5, 3.5}, .to_m = {5, 6}, .thickness_m = 0.1, .height_m = 2},
                              {.from_m = {5, 2.5}, .to_m = {5, 3.5}, .thickness_m = 0.1, .height_m = 1, .foot_m = 0.5}};
    cairn_sim_door door = {
        .hinge_m = {5, 2.5}, .latch_m = {5, 3.5}, .thickness_m = 0.04, .height_m = 2, .open_rad = -CAIRN_PI / 2};
    cairn_vec2 way[] = {{7, 3}, {8, 3}};
    cairn_sim_figure figure = {.point_count = 2, .points_m = way, .speed_mps = 1};
    of.arena.walls = walls;
    of.arena.wall_count = 3;
    of.arena.doors = &door;
    of.arena.door_count = 1;
    of.arena.figures = &figure;
    of.arena.figure_count = 1;
    flood(&of);
    assert_true(reached(&of, 7.05, 3.05, 0));
    // A figure that stands is in the way, and so is a lower lintel.
    figure.speed_mps = 0;
    flood(&of);
    assert_true(reached(&of, 9.05, 3.05, 0));
    assert_false(reached(&of, 7.05, 3.05, 0));
    walls[2].foot_m = 0.4;
    flood(&of);
    assert_false(reached(&of, 9.05, 3.05, 0));
    close_place(&of);
}

// Ground one above the other costs for each cell what lies there. A file of people must not keep a program busy for
// minutes.
static void a_flood_over_too_much_ground_is_given_up(void **state)
{
    (void)state;
    place of;
    enum { COUNT = 64 };
    cairn_platform layers[COUNT];
    open_place(&of, (cairn_vec2){20, 20}, (cairn_pose2){1, 1, 0});
    for (int i = 0; i < COUNT; i++) {
        layers[i] = (cairn_platform){.at_m = {10, 10}, .size_m = {14, 14}, .top_m = 3 + 0.5 * i, .slab_m = 0.1};
    }
    of.elements = (cairn_sim_elements){.platforms = layers, .platform_count = COUNT};
    flood(&of);
    assert_true(reached(&of, 10.05, 10.05, 0)); // below all of them
    cairn_reach_def def = cairn_reach_def_default();
    cairn_reach reach;
    def.looks_max = 1000000; // each of 19,600 cells below them takes more than 64 looks
    const size_t mark = cairn_arena_mark(&of.memory);
    assert_int_equal(cairn_reach_create(&of.arena, &def, &of.memory, &reach), CAIRN_ERR_TOO_LARGE);
    assert_int_equal(cairn_arena_mark(&of.memory), mark);
    close_place(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_ground_is_flooded_as_by_the_obvious_flood),
        cmocka_unit_test(two_storeys_are_reached_over_a_slope),
        cmocka_unit_test(steps_and_slopes_have_their_limits),
        cmocka_unit_test(holes_are_kept_from),
        cmocka_unit_test(what_opens_walks_or_hangs_is_no_wall),
        cmocka_unit_test(a_flood_over_too_much_ground_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
