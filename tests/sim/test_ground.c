// test_ground.c - what can be driven on, found by the index and by trying everything.
#include "base/random.h"
#include "check.h"
#include "sim/arena/arena_private.h"
#include "sim/arena/ground.h"
#include <math.h>
#include <string.h>

#define SEED 5082

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

// A place full of ground, made by chance: whatever overlaps, overlaps.
typedef struct place {
    cairn_arena memory;
    cairn_sim_arena arena;
    cairn_sim_elements elements;
    cairn_platform platforms[200];
    cairn_stairs stairs[20];
    cairn_ramp_field ramp_fields[4];
    cairn_step_field step_fields[4];
    cairn_hole holes[12];
    cairn_rough rough[6];
    cairn_sim_ramp ramps[40];
} place;

static cairn_vec2 somewhere(cairn_random *random, cairn_vec2 size_m)
{
    return (cairn_vec2){cairn_random_uniform(random) * size_m.x, cairn_random_uniform(random) * size_m.y};
}

static void add_ground(place *of, cairn_random *random)
{
    const cairn_vec2 size_m = of->arena.size_m;
    for (uint32_t i = 0; i < 200; i++) {
        of->platforms[i] = (cairn_platform){.at_m = somewhere(random, size_m),
                                            .heading_rad = cairn_random_between(random, -3, 3),
                                            .size_m = {cairn_random_between(random, 0.1, 8), 1.5},
                                            .top_m = cairn_random_between(random, 0.05, 3),
                                            .slab_m = i % 2 ? 0.2 : 0,
                                            .friction = 0.1 + 0.001 * i};
    }
    for (uint32_t i = 0; i < 20; i++) {
        of->stairs[i] = (cairn_stairs){.at_m = somewhere(random, size_m),
                                       .heading_rad = cairn_random_between(random, -3, 3),
                                       .steps = 1 + i,
                                       .rise_m = 0.18,
                                       .run_m = 0.28,
                                       .width_m = 1.2};
    }
    for (uint32_t i = 0; i < 40; i++) {
        const cairn_vec2 at_m = somewhere(random, size_m);
        of->ramps[i] = (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, cairn_random_between(random, -3, 3)},
                                        .length_m = cairn_random_between(random, 1, 12),
                                        .width_m = 2,
                                        .top_m = 0.5,
                                        .angle_rad = cairn_random_between(random, 0.1, 0.7),
                                        .slope = i % 2 == 0};
    }
    for (uint32_t i = 0; i < 4; i++) {
        of->ramp_fields[i] = (cairn_ramp_field){
            .kind = i % 2, .corner_m = somewhere(random, size_m), .tiles = {3, 2}, .tile_m = 1.2, .angle_rad = 0.26};
        of->step_fields[i] = (cairn_step_field){.kind = i % 3,
                                                .corner_m = somewhere(random, size_m),
                                                .tiles = {2, 2},
                                                .post_m = 0.2,
                                                .step_m = 0.1,
                                                .levels = 4,
                                                .seed = i};
    }
    for (uint32_t i = 0; i < 12; i++) {
        of->holes[i] =
            (cairn_hole){.at_m = somewhere(random, size_m), .size_m = {2, 1 + i % 3}, .depth_m = 0.2 + i * 0.1};
    }
    for (uint32_t i = 0; i < 6; i++) {
        of->rough[i] = (cairn_rough){.kind = i % 2,
                                     .at_m = somewhere(random, size_m),
                                     .heading_rad = cairn_random_between(random, -3, 3),
                                     .size_m = {6, 4},
                                     .height_m = 0.2,
                                     .cell_m = 0.1,
                                     .foot_m = i > 3 ? 1.0 : 0,
                                     .friction = 0.6,
                                     .seed = i};
    }
}

static void make(place *of, cairn_vec2 size_m, bool holes, cairn_random *random)
{
    memset(of, 0, sizeof *of);
    assert_ok(cairn_arena_create(&of->memory, (size_t)64 << 20));
    of->arena = (cairn_sim_arena){.size_m = size_m, .ramps = of->ramps, .ramp_count = 40};
    add_ground(of, random);
    of->elements = (cairn_sim_elements){.platforms = of->platforms,
                                        .stairs = of->stairs,
                                        .ramp_fields = of->ramp_fields,
                                        .step_fields = of->step_fields,
                                        .holes = of->holes,
                                        .rough = of->rough,
                                        .platform_count = 200,
                                        .stairs_count = 20,
                                        .ramp_field_count = 4,
                                        .step_field_count = 4,
                                        .hole_count = holes ? 12 : 0,
                                        .rough_count = 6};
    assert_ok(cairn_sim_arena_make_all(&of->arena, &of->elements, &of->memory));
    assert_ok(cairn_ground_index_create(&of->arena, &of->memory));
}

// The index only leaves out what is not there: bit by bit the same ground, from any height, also at the borders of its
// squares and beside the floor.
static void the_index_finds_what_trying_everything_finds(void **state)
{
    (void)state;
    static place of;
    cairn_random random = stream("index");
    const cairn_vec2 sizes_m[] = {{30, 20}, {600, 40}, {7.3, 0.9 + 0.1}};
    for (int k = 0; k < 6; k++) {
        make(&of, sizes_m[k / 2], k % 2 == 1, &random);
        cairn_sim_arena plain = of.arena;
        plain.ground = NULL;
        for (int i = 0; i < 1500; i++) {
            cairn_vec2 at_m = somewhere(&random, of.arena.size_m);
            if (i % 8 == 0) { at_m = (cairn_vec2){floor(at_m.x), floor(at_m.y)}; }
            if (i % 8 == 1) { at_m = (cairn_vec2){at_m.x * 1.5 - 3, at_m.y * 1.5 - 3}; }
            const double from_m = i % 4 == 0 ? INFINITY : cairn_random_between(&random, -2, 4);
            const cairn_footing fast = cairn_sim_ground(&of.arena, at_m, from_m);
            const cairn_footing slow = cairn_sim_ground(&plain, at_m, from_m);
            assert_true(fast.height_m == slow.height_m && fast.friction == slow.friction && fast.rough == slow.rough);
            assert_memory_equal(&fast.normal, &slow.normal, sizeof fast.normal);
            assert_true(cairn_sim_ceiling_m(&of.arena, at_m, from_m) == cairn_sim_ceiling_m(&plain, at_m, from_m));
            assert_true(cairn_sim_gap(&of.arena, at_m, from_m).ceiling_m == cairn_sim_ceiling_m(&plain, at_m, from_m));
        }
        cairn_arena_destroy(&of.memory);
    }
}

// The normal is that of the surface: heights a little to the side follow it.
static void normals_are_those_of_the_heights_around(void **state)
{
    (void)state;
    static place of;
    cairn_random random = stream("normals");
    make(&of, (cairn_vec2){30, 20}, true, &random);
    int checked = 0;
    for (int i = 0; i < 5000; i++) {
        const cairn_vec2 at_m = somewhere(&random, of.arena.size_m);
        const double step_m = 1e-4;
        const cairn_footing here = cairn_sim_ground(&of.arena, at_m, INFINITY);
        const cairn_footing east = cairn_sim_ground(&of.arena, (cairn_vec2){at_m.x + step_m, at_m.y}, INFINITY);
        const cairn_footing north = cairn_sim_ground(&of.arena, (cairn_vec2){at_m.x, at_m.y + step_m}, INFINITY);
        assert_true(fabs(cairn_vec3_length(here.normal) - 1) < 1e-9 && here.normal.z > 0);
        // Only where all three lie on one plane.
        if (cairn_vec3_dot(here.normal, east.normal) < 1 - 1e-9 ||
            cairn_vec3_dot(here.normal, north.normal) < 1 - 1e-9 || fabs(east.height_m - here.height_m) > 0.01 ||
            fabs(north.height_m - here.height_m) > 0.01) {
            continue;
        }
        assert_true(fabs((east.height_m - here.height_m) / step_m + here.normal.x / here.normal.z) < 1e-5);
        assert_true(fabs((north.height_m - here.height_m) / step_m + here.normal.y / here.normal.z) < 1e-5);
        checked++;
    }
    assert_true(checked > 4000);
    cairn_arena_destroy(&of.memory);
}

// Triangles: at corners the heights of the array, on both sides of the one diagonal the plane of three corners.
static void a_height_field_is_made_of_the_stated_triangles(void **state)
{
    (void)state;
    const float heights_m[] = {0, 1, 2, 4, 7, 9};
    const cairn_height_field field = {.cell_m = 0.5, .columns = 3, .rows = 2, .height_m = heights_m};
    for (uint32_t r = 0; r < 2; r++) {
        for (uint32_t c = 0; c < 3; c++) {
            assert_true(fabs(cairn_height_field_m(&field, (cairn_vec2){c * 0.5, r * 0.5}) - heights_m[r * 3 + c]) <
                        1e-12);
        }
    }
    // Cell (0, 0) has corners 0, 1 below and 4, 7 above; its diagonal goes from 0 to 7.
    assert_true(fabs(cairn_height_field_m(&field, (cairn_vec2){0.25, 0.25}) - 3.5) < 1e-12);
    assert_true(fabs(cairn_height_field_m(&field, (cairn_vec2){0.4, 0.1}) - (0.8 * 1 + 0.2 * 6)) < 1e-12);
    assert_true(fabs(cairn_height_field_m(&field, (cairn_vec2){0.1, 0.4}) - (0.8 * 4 + 0.2 * 3)) < 1e-12);
    assert_true(cairn_height_field_m(&field, (cairn_vec2){1.01, 0.2}) == 0);
    assert_true(cairn_height_field_m(&field, (cairn_vec2){0.2, -0.01}) == 0);
}

static cairn_height_field rough(cairn_rough_kind kind, uint32_t seed, cairn_arena *memory)
{
    const cairn_rough def = {.kind = kind,
                             .at_m = {10, 10},
                             .size_m = {8, 6},
                             .height_m = kind == CAIRN_ROUGH_GRAVEL ? 0.05 : 0.25,
                             .cell_m = 0.1,
                             .seed = seed};
    cairn_height_field field;
    assert_ok(cairn_rough_make_field(&def, memory, &field));
    assert_int_equal(field.columns, 81);
    assert_int_equal(field.rows, 61);
    return field;
}

// Rough ground joins the ground around it, stays within its height, uses it, and is the same for the same seed.
static void rough_ground_keeps_its_promises(void **state)
{
    (void)state;
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 1 << 20));
    for (int kind = 0; kind < 2; kind++) {
        const double height_m = kind == 0 ? 0.05 : 0.25;
        const cairn_height_field one = rough((cairn_rough_kind)kind, 7, &memory),
                                 same = rough((cairn_rough_kind)kind, 7, &memory),
                                 other = rough((cairn_rough_kind)kind, 8, &memory);
        const size_t bytes = (size_t)81 * 61 * sizeof(float);
        assert_memory_equal(one.height_m, same.height_m, bytes);
        double steepest = 0, highest_m = 0;
        bool differs = false;
        for (uint32_t r = 0; r < 61; r++) {
            for (uint32_t c = 0; c < 81; c++) {
                const float here_m = one.height_m[r * 81 + c];
                assert_true(here_m >= 0 && here_m <= (float)height_m && here_m <= one.height_m_max);
                if (r == 0 || r == 60 || c == 0 || c == 80) { assert_true(here_m == 0); }
                highest_m = fmax(highest_m, (double)here_m);
                differs = differs || here_m != other.height_m[r * 81 + c];
                if (c < 80) { steepest = fmax(steepest, fabs((double)(one.height_m[r * 81 + c + 1] - here_m)) / 0.1); }
            }
        }
        assert_true(differs);
        assert_true(highest_m == one.height_m_max && highest_m > 0.8 * height_m);
        // Gravel is nothing that stops a wheel; rubble has edges as steep as kerbs.
        if (kind == 0) { assert_true(steepest < 0.5); }
        if (kind == 1) { assert_true(steepest > 1.0); }
    }
    cairn_arena_destroy(&memory);
}

// The floor around holes: no slab in a hole, none over another, and floor wherever there is no hole, far outside too.
static void the_floor_is_cut_exactly_around_holes(void **state)
{
    (void)state;
    cairn_random random = stream("floor");
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 1 << 20));
    for (int k = 0; k < 20; k++) {
        cairn_arena_reset(&memory, 0);
        cairn_floor_rect cut[8];
        for (int i = 0; i < 8; i++) {
            // On a grid of half metres: edges often meet.
            const double x = 0.5 * cairn_random_below(&random, 30), y = 0.5 * cairn_random_below(&random, 30);
            cut[i] = (cairn_floor_rect){x, y, x + 0.5 * (1 + cairn_random_below(&random, 6)),
                                        y + 0.5 * (1 + cairn_random_below(&random, 6))};
        }
        static cairn_solid solids[256];
        cairn_solid_list list = {.solids = solids, .max = 256};
        assert_ok(cairn_floor_add_solids(&list, cut, 8, (cairn_vec2){20, 20}, 1.0, 3, &memory));
        assert_true(list.count <= 256);
        for (int i = 0; i < 3000; i++) {
            const double reach_m = i % 2 ? 990 : 0;
            const cairn_vec2 at = {cairn_random_between(&random, -reach_m, 20 + reach_m),
                                   cairn_random_between(&random, -reach_m, 20 + reach_m)};
            uint32_t over = 0, in_hole = 0;
            for (uint32_t s = 0; s < list.count; s++) {
                const cairn_solid *slab = &solids[s];
                over += fabs(at.x - slab->map_T_box.at_m.x) < slab->half_m.x &&
                        fabs(at.y - slab->map_T_box.at_m.y) < slab->half_m.y;
            }
            for (int h = 0; h < 8; h++) {
                in_hole |= at.x > cut[h].x0_m && at.x < cut[h].x1_m && at.y > cut[h].y0_m && at.y < cut[h].y1_m;
            }
            assert_int_equal(over, in_hole ? 0 : 1);
        }
    }
    cairn_arena_destroy(&memory);
}

// Places are round numbers, and so are the edges of holes: along the line on which two slabs meet there is floor.
static void where_two_slabs_of_the_floor_meet_there_is_floor(void **state)
{
    (void)state;
    cairn_random random = stream("tests/seams");
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, 1 << 16));
    for (int round = 0; round < 200; round++) {
        cairn_solid solids[8];
        cairn_solid_list list = {.solids = solids, .max = 8};
        const double y0_m = (3000 + cairn_random_below(&random, 1000)) / 1000.0, y1_m = y0_m + 0.7;
        const cairn_floor_rect cut = {4, y0_m, 6, y1_m};
        cairn_arena_reset(&memory, 0);
        assert_ok(cairn_floor_add_solids(&list, &cut, 1, (cairn_vec2){10, 10}, 1.0, 0, &memory));
        const cairn_sim_arena arena = {
            .size_m = {10, 10}, .has_holes = true, .solids = solids, .solid_count = list.count};
        for (int i = 0; i < 40; i++) {
            const double x_m = 0.05 + 0.1 * i;
            assert_true(cairn_sim_ground_m(&arena, (cairn_vec2){x_m, y0_m}, 1) == 0);
            assert_true(cairn_sim_ground_m(&arena, (cairn_vec2){x_m, y1_m}, 1) == 0);
        }
    }
    cairn_arena_destroy(&memory);
}

// Most boxes stand upright, and have a shorter way to the same numbers: a robot must not meet other ground on it.
static void upright_boxes_are_pierced_as_all_boxes_are(void **state)
{
    (void)state;
    cairn_random random = stream("ground/upright");
    uint32_t hits = 0;
    for (int i = 0; i < 100000; i++) {
        const double yaw_rad = cairn_random_between(&random, -3.2, 3.2);
        cairn_solid solid = {
            .map_T_box = {.at_m = {cairn_random_between(&random, -2, 2), cairn_random_between(&random, -2, 2),
                                   cairn_random_between(&random, -1, 4)},
                          .turn = cairn_quat_from_axis((cairn_vec3){0, 0, 1}, yaw_rad)},
            .half_m = {cairn_random_between(&random, 0.01, 2), cairn_random_between(&random, 0.01, 2),
                       cairn_random_between(&random, 0.01, 2)}};
        const cairn_vec2 at_m = somewhere(&random, (cairn_vec2){2, 2});
        cairn_pierced upright, any;
        const bool hit = cairn_solid_pierce(&solid, at_m, &upright);
        solid.map_T_box.turn.x = 1e-300; // is not upright any more, by less than a double can tell
        assert_int_equal(cairn_solid_pierce(&solid, at_m, &any), hit);
        hits += hit;
        if (!hit) { continue; }
        assert_true(upright.top_m == any.top_m && upright.bottom_m == any.bottom_m && upright.normal.z == any.normal.z);
        assert_true(upright.normal.x == 0 && upright.normal.y == 0 && fabs(any.normal.x) + fabs(any.normal.y) < 1e-299);
    }
    assert_true(hits > 10000 && hits < 90000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_finds_what_trying_everything_finds),
        cmocka_unit_test(normals_are_those_of_the_heights_around),
        cmocka_unit_test(a_height_field_is_made_of_the_stated_triangles),
        cmocka_unit_test(rough_ground_keeps_its_promises),
        cmocka_unit_test(the_floor_is_cut_exactly_around_holes),
        cmocka_unit_test(where_two_slabs_of_the_floor_meet_there_is_floor),
        cmocka_unit_test(upright_boxes_are_pierced_as_all_boxes_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
