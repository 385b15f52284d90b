// test_elements.c - ground elements of arena files: the solids and height fields they become, against geometry by hand.
#include "arena_text.h"
#include "sim/arena/ground.h"
#include <stdlib.h>

#define SEED 5081

static double top_at(const cairn_sim_arena *arena, double x, double y)
{
    return cairn_sim_ground_m(arena, (cairn_vec2){x, y}, INFINITY);
}

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9) { fail_msg("%.12g, expected %.12g", found, expected); }
}

// The lower end, the middle and the end of walls, boxes and victims are where their foot says.
static void a_foot_lifts_what_stands_on_it(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted("name: a\nabout: a\nsize_m: [10, 10]\nstarts: [{at_m: [1, 1]}]\n"
                                           "walls: [{points_m: [[5, 5], [7, 5]], foot_m: 2.4, height_m: 1}]\n"
                                           "boxes: [{at_m: [5, 8], size_m: [1, 1, 0.5], foot_m: 1.5}]\n");
    assert_near(arena.solids[0].map_T_box.at_m.z, 2.9);
    assert_near(arena.solids[0].half_m.z, 0.5);
    assert_near(arena.solids[1].map_T_box.at_m.z, 1.75);
}

static void a_slope_rises_from_its_foot_to_its_top(void **state)
{
    (void)state;
    cairn_random random = stream_of(SEED, "slope");
    const cairn_sim_arena arena = accepted(
        HEAD START
        "ramps: [{kind: slope, at_m: [5, 5], heading_deg: 30, length_m: 6, width_m: 2, top_m: 1, angle_deg: 20}]\n");
    const cairn_sim_ramp *ramp = &arena.ramps[0];
    for (int i = 0; i < 20000; i++) {
        const cairn_vec2 local = {cairn_random_between(&random, -3, 3), cairn_random_between(&random, -0.99, 0.99)};
        const cairn_vec2 at = cairn_pose2_apply(ramp->map_T_ramp, local);
        const double truth_m = fmin(local.x + 3, 5) * tan(ramp->angle_rad);
        assert_true(fabs(cairn_sim_ground_m(&arena, at, INFINITY) - truth_m) < 1e-9);
        // No hollow for rays and wheels below it, and nothing of it beyond its sides.
        const double z = cairn_random_between(&random, 0, truth_m * 0.999);
        assert_true(inside_any(&arena, CAIRN_SOLID_GROUND, (cairn_vec3){at.x, at.y, z}));
    }
    for (int i = 0; i < 1000; i++) {
        const cairn_vec2 local = {cairn_random_between(&random, 3.001, 4), cairn_random_between(&random, -1, 1)};
        assert_near(cairn_sim_ground_m(&arena, cairn_pose2_apply(ramp->map_T_ramp, local), INFINITY), 0);
    }
}

// Platforms, stairs, fields, holes and ditches: heights at places worked out on paper.
static void ground_is_as_high_as_the_file_says(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted("name: a\nabout: a\nsize_m: [20, 20]\n" START "platforms:\n"
                                           "  - {at_m: [3, 3], size_m: [2, 1], top_m: 0.2, friction: 0.4}\n"
                                           "  - {at_m: [3, 3], size_m: [4, 4], top_m: 2.4, slab_m: 0.2}\n"
                                           "stairs: [{at_m: [8, 3], heading_deg: 90, steps: 3}]\n"
                                           "ramp_fields:\n"
                                           "  - {kind: continuous, corner_m: [10, 1], tiles: [2, 2]}\n"
                                           "  - {kind: crossing, corner_m: [14, 1], tiles: [2, 2]}\n"
                                           "step_fields: [{kind: hill, corner_m: [1, 8], tiles: [2, 1], levels: 3}]\n"
                                           "holes: [{at_m: [6, 12], size_m: [1, 2], depth_m: 0.5}]\n"
                                           "ditches: [{at_m: [12, 12], length_m: 4, width_m: 1, along: x}]\n");
    assert_true(arena.has_holes);
    assert_near(top_at(&arena, 19, 19), 0);
    // Under the upper storey, on the kerb, and on the storey.
    assert_near(cairn_sim_ground_m(&arena, (cairn_vec2){3, 3}, 1), 0.2);
    assert_near(cairn_sim_ground(&arena, (cairn_vec2){3, 3}, 1).friction, 0.4);
    assert_near(cairn_sim_ground_m(&arena, (cairn_vec2){3, 3.6}, 1), 0);
    assert_near(top_at(&arena, 3, 3), 2.4);
    assert_near(cairn_sim_ceiling_m(&arena, (cairn_vec2){3, 3}, 1), 2.2);
    // Steps go north, each 0.28 m deep and 0.18 m higher; 1.2 m wide.
    assert_near(top_at(&arena, 8, 2.99), 0);
    assert_near(top_at(&arena, 8.59, 3.01), 0.18);
    assert_near(top_at(&arena, 7.41, 3.29), 0.36);
    assert_near(top_at(&arena, 8, 3.83), 0.54);
    assert_near(top_at(&arena, 8, 3.85), 0);
    // Ridges along y, 0.6 m from foot to crest; in the crossing field every second one is along x.
    const double slope = tan(15 * CAIRN_PI / 180);
    assert_near(top_at(&arena, 10.6, 1.1), 0.6 * slope);
    assert_near(top_at(&arena, 10.6, 3.3), 0.6 * slope);
    assert_near(top_at(&arena, 12.0, 2.2), 0.4 * slope);
    assert_near(top_at(&arena, 14.4, 1.3), 0.4 * slope);
    assert_near(top_at(&arena, 15.3, 1.4), 0.4 * slope);
    // Pallets of 6 x 6 posts: one step at the rim, then two, then three.
    assert_near(top_at(&arena, 1.1, 8.5), 0.1);
    assert_near(top_at(&arena, 1.3, 8.5), 0.2);
    assert_near(top_at(&arena, 1.5, 8.5), 0.3);
    assert_near(top_at(&arena, 2.3, 8.5), 0.1);
    assert_near(top_at(&arena, 2.7, 8.7), 0.3);
    // A pit, and a ditch whose sides meet 0.15 m down.
    assert_near(top_at(&arena, 5.51, 11.01), -0.5);
    assert_near(top_at(&arena, 5.49, 11.01), 0);
    assert_near(top_at(&arena, 12, 12), -0.15);
    assert_near(top_at(&arena, 10.1, 11.75), -0.075);
    assert_near(top_at(&arena, 13.9, 12.4), -0.03);
    assert_near(cairn_sim_ground(&arena, (cairn_vec2){12, 12.2}, 1).friction, 0.15);
    assert_near(top_at(&arena, 9.99, 12), 0);
}

static void elements_in_wrong_places_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *reason;
    } cases[] = {
        {"platforms: [{at_m: [9.8, 5], size_m: [1, 1]}]\n", "a.yaml:5: platforms[0] reaches outside the floor"},
        {"platforms: [{at_m: [5, 5], size_m: [1, 1], top_m: 0.3, slab_m: 0.4}]\n", "slab_m is more than top_m"},
        {"stairs: [{at_m: [5, 9]}]\nplatforms:\n  - {at_m: [5, 5], size_m: [1, 1], top: 3}\n", "a.yaml:7"},
        {"stairs: [{at_m: [9, 5]}]\n", "stairs[0] reaches outside the floor"},
        {"ramp_fields: [{kind: crossing, corner_m: [8, 2], tiles: [2, 1]}]\n", "ramp_fields[0] reaches outside"},
        {"ramp_fields: [{kind: crossing, corner_m: [2, 2], tiles: [1.5, 1]}]\n", "tiles must be whole numbers"},
        {"step_fields: [{kind: hill, corner_m: [2, 9], tiles: [2, 1]}]\n", "step_fields[0] reaches outside"},
        {"step_fields: [{kind: hil, corner_m: [2, 2], tiles: [2, 1]}]\n", "did you mean \"hill\"?"},
        {"rough: [{kind: gravel, at_m: [5, 9], size_m: [2, 4]}]\n", "rough[0] reaches outside"},
        {"rough: [{at_m: [5, 5], size_m: [2, 0.2], cell_m: 0.15}]\n", "at least twice cell_m"},
        {"holes: [{at_m: [9.8, 5], size_m: [1, 1]}]\n", "holes[0] reaches outside"},
        {"holes: [{at_m: [5, 5], size_m: [1, 1]}, {at_m: [5.9, 5], size_m: [1, 1]}]\n",
         "holes[1] and holes[0] overlap"},
        {"holes: [{at_m: [5, 5], size_m: [1, 1]}]\nditches: [{at_m: [5, 5.9], length_m: 1, width_m: 1}]\n",
         "ditches[0] and holes[0] overlap"},
        {"ditches: [{at_m: [5, 5], length_m: 1, width_m: 1, depth_m: 0.6}]\n", "at most half of width_m"},
        {"holes: [{at_m: [1, 1], size_m: [1, 1]}]\n", "starts[0] is in the air or over a hole"},
        {"holes: [{at_m: [1, 1.7], size_m: [1, 1]}]\n", "starts[0] is less than 0.35 m from a ramp, step or edge"},
        {"platforms: [{at_m: [1, 1.7], size_m: [1, 1], top_m: 2}]\n", "from a ramp, step or edge"},
        {"doors: [{name: d, hinge_m: [5, 5], latch_m: [5, 5.1]}]\n", "doors[0] (d) has no width"},
        {"doors: [{name: d, hinge_m: [5, 5], latch_m: [5, 6], open_deg: 2}]\n", "open_deg must be at least 5"},
        {"doors: [{name: d, hinge_m: [5, 5], latch_m: [11, 5]}]\n", "doors[0] (d) is outside the floor"},
        {"doors: [{name: d, hinge_m: [5, 5], latch_m: [5, 6]}, {name: d, hinge_m: [3, 5], latch_m: [3, 6]}]\n",
         "doors[0] is named d too"},
        {"blocks: [{at_m: [5, 9.9], size_m: [1, 1, 1], mass_kg: 5}]\n", "blocks[0] reaches outside"},
        {"blocks: [{at_m: [5, 5], size_m: [1, 1, 1], mass_kg: 5}, {at_m: [5.5, 5], size_m: [1, 1, 1], mass_kg: 5}]\n",
         "blocks[1] begins inside a block"},
        {"blocks: [{at_m: [5, 5], size_m: [1, 1, 1], mass_kg: 5}]\nplatforms: [{at_m: [5, 5], size_m: [2, 2]}]\n",
         "blocks[0] begins inside a platform"},
        {"figures: [{name: f, points_m: [[5, 5], [11, 5]]}]\n", "point (11.00, 5.00) is outside the floor"},
        {"figures: [{name: f, points_m: [[5, 5], [8, 5]]}]\nwalls: [{points_m: [[6, 4], [6, 6]]}]\n",
         "figures[0] (f): its way from (5.00, 5.00) to (8.00, 5.00) goes through or within 0.2 m of a wall"},
        {"figures: [{name: f, points_m: [[5, 5], [8, 5]]}]\nholes: [{at_m: [7, 5], size_m: [1, 1]}]\n",
         "its way leads into a hole or high ground at (6.6"},
        {"figures: [{name: f, points_m: [[5, 5], [5, 5]]}]\n", "two points in one place"},
        {"figures: [{name: f, points_m: [[5, 5]]}, {name: f, points_m: [[7, 7]]}]\n", "figures[0] is named f too"},
        {"figures: [{name: f, points_m: [[5, 5]], trigger_m: 2}]\n", "trigger_m"},
        {"victims: [{name: v, at_m: [5, 5], foot_m: 0.3}]\n", "victims[0] (v) is in the air: the ground is at 0.00 m"},
        {"victims: [{name: v, at_m: [5, 5]}]\nplatforms: [{at_m: [5, 5], size_m: [2, 2]}]\n",
         "victims[0] (v) stands inside a platform"},
        {"victims: [{name: v, at_m: [5, 5]}]\nholes: [{at_m: [5, 5], size_m: [2, 2]}]\n",
         "victims[0] (v) is in the air: the ground is at -1.00 m"},
        {"victims: [{name: v, at_m: [5, 5], foot_m: 2.4}]\nplatforms: [{at_m: [5, 5], size_m: [4, 4], top_m: 2.4}]\n",
         "victims[0] (v): no robot from starts[0] can come"},
        {"size: 3\n", "a.yaml"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", HEAD START, cases[i].text);
        assert_refused(text, cases[i].reason);
    }
}

// Limits say what there is too much of: 64 x 64 pallets of random posts are far more than 16,384 boxes.
static void too_much_is_refused_in_words(void **state)
{
    (void)state;
    cairn_sim_arena unused;
    assert_int_equal(parse("name: a\nabout: a\nsize_m: [100, 100]\n" START
                           "step_fields: [{kind: random, corner_m: [2, 2], tiles: [64, 64]}]\n",
                           &unused),
                     CAIRN_ERR_TOO_LARGE);
    assert_non_null(strstr(told.text, "16384 solids"));
    assert_int_equal(parse("name: a\nabout: a\nsize_m: [300, 300]\n" START
                           "rough: [{at_m: [150, 150], size_m: [200, 200]}]\n",
                           &unused),
                     CAIRN_ERR_TOO_LARGE);
}

// A victim on an upper storey is reached over its slope; without the slope it is not.
static void a_victim_upstairs_is_reached_over_a_slope(void **state)
{
    (void)state;
    const char upstairs[] =
        "name: a\nabout: a\nsize_m: [20, 10]\nstarts: [{at_m: [1, 5]}, {at_m: [15, 3], foot_m: 2.4}]\n"
        "platforms: [{at_m: [15, 5], size_m: [8, 8], top_m: 2.4, slab_m: 0.2}]\n"
        "victims: [{name: v, at_m: [18, 8], foot_m: 2.4}, {name: w, at_m: [18, 8]}]\n";
    char text[1024];
    snprintf(text, sizeof text,
             "%sramps: [{kind: slope, at_m: [6.52, 5], length_m: 8.96, width_m: 2, angle_deg: 15}]\n", upstairs);
    const cairn_sim_arena arena = accepted(text);
    assert_near(arena.start_feet_m[1], 2.4);
    assert_refused(upstairs, "victims[0] (v): no robot");
    assert_refused(upstairs, "starts[1] cannot be reached");
    assert_null(strstr(told.text, "victims[1]"));
}

// What moves: one solid each, last in the list, in the order of movers; an open door stands open.
static void movers_have_one_solid_each(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted(
        HEAD START "figures:\n  - {name: walker, points_m: [[5, 8], [8, 8]], speed_mps: 1}\n"
                   "  - {name: bomb, kind: hazard, points_m: [[8, 5]], lethal_m: 5}\n"
                   "blocks: [{at_m: [5, 5], heading_deg: 90, size_m: [0.4, 0.2, 0.3], mass_kg: 12, foot_m: 0.5}]\n"
                   "doors:\n  - {name: d1, hinge_m: [3, 5], latch_m: [4, 5]}\n"
                   "  - {name: d2, hinge_m: [3, 7], latch_m: [4, 7], open: false, material: metal}\n");
    assert_int_equal(arena.solid_count, 5);
    assert_int_equal(arena.mover_count, 5);
    const cairn_solid_kind kinds[] = {CAIRN_SOLID_DOOR, CAIRN_SOLID_DOOR, CAIRN_SOLID_BLOCK, CAIRN_SOLID_FIGURE,
                                      CAIRN_SOLID_FIGURE};
    const uint32_t owners[] = {0, 1, 0, 0, 1};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(arena.movers[i].kind, kinds[i]);
        assert_int_equal(arena.movers[i].owner, owners[i]);
        assert_int_equal(arena.solids[arena.movers[i].solid].kind, kinds[i]);
    }
    // Open by 90 degrees: from (3, 5) north; closed: from (3, 7) east.
    const cairn_solid *open = &arena.solids[arena.movers[0].solid], *closed = &arena.solids[arena.movers[1].solid];
    assert_true(inside(open, (cairn_vec3){3, 5.99, 1.99}) && !inside(open, (cairn_vec3){3.5, 5, 1}));
    assert_true(inside(closed, (cairn_vec3){3.99, 7, 0.01}) && !inside(closed, (cairn_vec3){3, 7.5, 1}));
    assert_int_equal(closed->material, CAIRN_MATERIAL_METAL);
    const cairn_solid *thing = &arena.solids[arena.movers[2].solid];
    assert_true(inside(thing, (cairn_vec3){5.09, 5.19, 0.79}) && !inside(thing, (cairn_vec3){5.11, 5, 0.6}));
    assert_near(arena.blocks[0].mass_kg, 12);
    assert_near(arena.figures[0].speed_mps, 1);
    assert_near(arena.solids[arena.movers[3].solid].temperature_c, 33);
    assert_near(arena.figures[1].trigger_m, 2.5);
    assert_near(arena.figures[1].lethal_m, 5);
}

// Posts of one height are one box: a hill of three levels is far fewer boxes than its 36 posts, and the same seed makes
// the same field.
static void posts_of_a_step_field_are_merged(void **state)
{
    (void)state;
    const cairn_sim_arena hill = accepted(HEAD START "step_fields: [{kind: hill, corner_m: [4, 4], tiles: [1, 1]}]\n");
    assert_int_equal(hill.solid_count, 9); // two rings of four and the top
    const char random[] = HEAD START "step_fields: [{kind: random, corner_m: [4, 4], tiles: [2, 2], seed: 7}]\n";
    const cairn_sim_arena one = accepted(random);
    assert_true(one.solid_count > 60 && one.solid_count < 144);
    double heights_m[144];
    for (int i = 0; i < 144; i++) {
        heights_m[i] = top_at(&one, 4.1 + 0.2 * (i % 12), 4.1 + 0.2 * (i / 12));
        const double level = heights_m[i] / 0.1;
        assert_true(fabs(level - round(level)) < 1e-9 && level > 0.5 && level < 4.5);
    }
    const cairn_sim_arena same = accepted(random);
    for (int i = 0; i < 144; i++) {
        assert_near(top_at(&same, 4.1 + 0.2 * (i % 12), 4.1 + 0.2 * (i / 12)), heights_m[i]);
    }
    const cairn_sim_arena ridges =
        accepted(HEAD START "step_fields: [{kind: diagonal, corner_m: [4, 4], tiles: [2, 1]}]\n");
    assert_near(top_at(&ridges, 4.1, 4.1), 0.4);
    assert_near(top_at(&ridges, 5.1, 5.1), 0.4);
    assert_near(top_at(&ridges, 4.3, 4.1), 0.3);
    assert_near(top_at(&ridges, 5.1, 4.1), 0.1);
    assert_near(top_at(&ridges, 6.3, 4.1), 0.4); // turned in the second pallet
    assert_near(top_at(&ridges, 5.3, 5.1), 0.4);
}

// The arena that people copy from is right, and has one of everything.
static void the_example_has_one_of_everything(void **state)
{
    (void)state;
    const cairn_sim_arena arena = shipped(CAIRN_SOURCE_ROOT "/arenas/elements.yaml");
    assert_true(arena.wall_count > 0 && arena.box_count > 0 && arena.ramp_count > 0 && arena.victim_count > 0);
    assert_true(arena.door_count > 0 && arena.block_count > 0 && arena.figure_count > 1 && arena.field_count > 1);
    assert_true(arena.has_holes);
    assert_near(top_at(&arena, 18.6, 4.4), 0.9);
    assert_near(top_at(&arena, 14, 11), 2.4);
    assert_near(top_at(&arena, 11, 6.2), -1.0);
    assert_near(top_at(&arena, 13.8, 6.6), -0.12);
}

// As many boxes as an arena may have are read from one file.
static void as_many_solids_as_allowed_are_read(void **state)
{
    (void)state;
    enum { SIDE = 128, EACH_BYTES = 64 };
    char *text = malloc((size_t)SIDE * SIDE * EACH_BYTES + 256);
    assert_non_null(text);
    int used = sprintf(text, "name: a\nabout: a\nsize_m: [66, 66]\nstarts: [{at_m: [65.4, 65.4]}]\nboxes:\n");
    for (int i = 0; i < SIDE * SIDE; i++) {
        used += sprintf(text + used, "  - {at_m: [%.1f, %.1f], size_m: [0.1, 0.1, 1]}\n", 0.5 + 0.5 * (i % SIDE),
                        0.5 + 0.5 * (i / SIDE));
    }
    const cairn_sim_arena arena = accepted(text);
    assert_int_equal(arena.solid_count, 16384);
    sprintf(text + used, "  - {at_m: [65.6, 20], size_m: [0.1, 0.1, 1]}\n");
    cairn_sim_arena unused;
    assert_true(parse(text, &unused) != CAIRN_OK);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foot_lifts_what_stands_on_it),
        cmocka_unit_test(a_slope_rises_from_its_foot_to_its_top),
        cmocka_unit_test(ground_is_as_high_as_the_file_says),
        cmocka_unit_test(elements_in_wrong_places_are_refused),
        cmocka_unit_test(too_much_is_refused_in_words),
        cmocka_unit_test(a_victim_upstairs_is_reached_over_a_slope),
        cmocka_unit_test(movers_have_one_solid_each),
        cmocka_unit_test(posts_of_a_step_field_are_merged),
        cmocka_unit_test(the_example_has_one_of_everything),
        cmocka_unit_test(as_many_solids_as_allowed_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
