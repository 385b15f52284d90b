// Robots' trails become places, in whatever order their nodes come, and whatever they say.
#include "check.h"
#include "place.h"
#include "saved_atlas.h"
#include "slam/solve/batch.h"
#include "station/atlas/atlas.h"
#include "station/replay/walks.h"
#include <stdlib.h>

#define START_X_M 3.0

static cairn_arena memory;
static cairn_atlas atlas;
static cairn_fleet fleet;
static bool tells_stretches; // or it is an older robot, and only its edges tell

static void make_atlas_of(const cairn_places_def *places)
{
    assert_ok(cairn_arena_create(&memory, 128 << 20));
    const cairn_raster_def def = place_raster(10, 10);
    assert_ok(cairn_atlas_init(&atlas, &def, places, &memory));
    fleet = (cairn_fleet){0};
}

static void make_atlas(void)
{
    const cairn_places_def places = cairn_places_def_default();
    make_atlas_of(&places);
}

static int reset(void **unused)
{
    (void)unused;
    make_atlas();
    tells_stretches = false;
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void tell(cairn_msg_node node)
{
    const cairn_fleet_robot robot = {.id = node.robot, .map_T_private = {START_X_M, 0, 0}};
    cairn_atlas_add_node(&atlas, &fleet, &robot, &node);
}

// A trail along x, a metre from node to node; from `lost_at` on in another private frame, which begins near there,
// where the old one has no place.
static void tell_of_trail(uint32_t number, uint32_t lost_at)
{
    const bool is_lost = number >= lost_at;
    tell((cairn_msg_node){.robot = 1,
                          .node = number,
                          .mono_ns = number * CAIRN_S(1),
                          .x_mm = 1000 * (int32_t)(number - (is_lost ? lost_at : 1)),
                          .y_mm = is_lost ? -600 : 0,
                          .edge_x_um = number == lost_at || number == 1 ? 0 : 1000000,
                          .edge_xy_um_dev = 10000,
                          .edge_yaw_urad_dev = 2000,
                          .stretch = tells_stretches ? is_lost : CAIRN_MSG_NODE_STRETCH_UNKNOWN});
}

static const cairn_place *place_of(uint32_t number)
{
    const cairn_node_entry *node = cairn_atlas_node(&atlas, 1, number);
    assert_non_null(node);
    assert_int_equal(atlas.places->places[node->place].node, number);
    return &atlas.places->places[node->place];
}

static bool starts_frame(const cairn_place *place)
{
    return cairn_places_starts_frame(atlas.places, (uint32_t)(place - atlas.places->places));
}

// What hangs together is the same, whatever the order was.
static void check_trail(uint32_t last, uint32_t lost_at)
{
    double way_m = 0;
    for (uint32_t i = 1; i <= last; i++) {
        const cairn_place *place = place_of(i);
        const cairn_factor *factor = &atlas.places->graph->factors[place->factor];
        assert_true(!factor->is_gone);
        assert_int_equal(starts_frame(place), i == 1 || i == lost_at);
        if (i > 1) { assert_int_equal(atlas.places->places[place->before].node, i - 1); }
        assert_float_equal(place->map_T_private.x_m, START_X_M, 1e-9);
        way_m += i == 1 || i == lost_at ? 0 : 1;
        assert_float_equal(place->way_m, way_m, 1e-9);
        assert_true(i < lost_at ? place->unsure_m2 < 1 : place->unsure_m2 > 1000);
        assert_float_equal(factor->measured.v[0], i == 1 || i == lost_at ? START_X_M : 1, 1e-9);
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < atlas.places->graph->factor_count; i++) {
        left += !atlas.places->graph->factors[i].is_gone;
    }
    assert_int_equal(left, last);
}

// Numbers from 1 on, of which those from this place on come in any order.
static void shuffle(uint32_t *order, uint32_t from, uint32_t last, uint32_t seed)
{
    cairn_random random;
    cairn_random_init(&random, seed, "tests/places");
    for (uint32_t i = 0; i <= last; i++) { order[i] = i + 1; }
    for (uint32_t i = last; i > from; i--) {
        const uint32_t other = from + (uint32_t)cairn_random_below(&random, i - from + 1);
        const uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

// The air loses nodes and brings them late. If the change of frames is missed, the map is bent by the whole way back.
static void a_lost_frame_is_found_in_whatever_order_nodes_come(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint32_t order[12];
        shuffle(order, 1, 11, seed); // the first comes first: it tells the start
        printf("seed %u\n", seed);
        for (uint32_t i = 0; i < 12; i++) { tell_of_trail(order[i], 8); }
        check_trail(12, 8);
        finish(NULL);
        make_atlas();
    }
}

static void a_lost_frame_is_found_without_the_node_before_it(void **unused)
{
    (void)unused;
    for (uint32_t i = 1; i <= 10; i++) {
        if (i != 5) { tell_of_trail(i, 6); }
    }
    assert_true(starts_frame(place_of(6)));
    assert_true(!starts_frame(place_of(7)));
}

// A robot that stands still has no edge either. Once the node before has come, it has lost nothing.
static void a_robot_that_stands_at_home_is_not_lost_for_long(void **unused)
{
    (void)unused;
    tell((cairn_msg_node){.robot = 1,
                          .node = 1,
                          .x_mm = 3000,
                          .edge_xy_um_dev = 10000,
                          .edge_yaw_urad_dev = 2000,
                          .stretch = CAIRN_MSG_NODE_STRETCH_UNKNOWN});
    atlas.places->places[1].map_T_private.x_m += 0.5; // as if it had drifted
    cairn_msg_node node = {.robot = 1,
                           .node = 5,
                           .x_mm = 500,
                           .edge_xy_um_dev = 10000,
                           .edge_yaw_urad_dev = 2000,
                           .stretch = CAIRN_MSG_NODE_STRETCH_UNKNOWN};
    tell(node);
    assert_true(starts_frame(place_of(5)));
    node.node = 4;
    node.edge_x_um = -1000000;
    tell(node);
    assert_true(!starts_frame(place_of(5)) && !starts_frame(place_of(4)));
    assert_float_equal(place_of(5)->map_T_private.x_m, START_X_M + 0.5, 1e-9);
    assert_true(place_of(5)->unsure_m2 < 1);
}

// Saves, and loads into another atlas.
static cairn_err restart(void)
{
    const saved_atlas saved = atlas_save(&atlas);
    finish(NULL);
    make_atlas();
    const cairn_err err = atlas_load(&atlas, saved);
    free(saved.bytes);
    return err;
}

// Those from this number on come before the others, and itself first: it tells where those begin.
static void bring_forward(uint32_t *order, uint32_t count, uint32_t least)
{
    uint32_t sorted[16] = {least}, n = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] > least) { sorted[n++] = order[i]; }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] < least) { sorted[n++] = order[i]; }
    }
    memcpy(order, sorted, count * sizeof order[0]);
}

// A cut trail hangs together in two parts, whatever comes first, also if the second part was found in between: what
// comes late lies with the others of its stretch, and nothing leads from one to the other.
static void a_cut_trail_is_apart_in_whatever_order_nodes_come(void **unused)
{
    (void)unused;
    const cairn_pose2 found = {-2, 7, 1};
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t order[12], first_apart = CAIRN_PLACE_NONE;
        shuffle(order, 1, 11, seed); // the first node of what comes first tells the start
        if (seed % 2 == 0) { bring_forward(order, 12, 8); }
        tells_stretches = true;
        printf("seed %u\n", seed);
        for (uint32_t i = 0; i < 12; i++) {
            tell_of_trail(order[i], 8);
            if (i != seed % 12 || first_apart != CAIRN_PLACE_NONE) { continue; }
            for (uint32_t k = 8; k <= 12 && first_apart == CAIRN_PLACE_NONE; k++) {
                const cairn_node_entry *node = cairn_atlas_node(&atlas, 1, k);
                if (node != NULL && node->has_pose) { first_apart = node->place; }
            }
            if (first_apart == CAIRN_PLACE_NONE) { continue; }
            assert_true(atlas.places->places[first_apart].is_apart);
            cairn_places_settle(atlas.places, first_apart, found, 0.1, 0.02);
        }
        for (uint32_t i = 1; i <= 12; i++) {
            const cairn_place *place = place_of(i);
            assert_int_equal(starts_frame(place), i == 1 || i == 8);
            assert_int_equal(place->is_apart, i >= 8 && first_apart == CAIRN_PLACE_NONE);
            if (i < 8) { assert_float_equal(place->map_T_private.x_m, START_X_M, 1e-9); }
            if (i >= 8 && first_apart != CAIRN_PLACE_NONE) {
                assert_float_equal(place->map_T_private.x_m, found.x_m, 1e-9);
                assert_float_equal(place->map_T_private.yaw_rad, found.yaw_rad, 1e-9);
            }
        }
        assert_ok(restart());
        finish(NULL);
        make_atlas();
    }
}

// The first word of a robot must have a place, however many others have come: without one it would be drawn at the
// origin, and no later snapshot could be loaded.
static void a_robot_that_comes_when_places_are_full_has_one(void **unused)
{
    (void)unused;
    for (uint32_t i = 1; i <= CAIRN_PLACES_MAX + 10; i++) {
        tell((cairn_msg_node){
            .robot = 1, .node = i, .x_mm = i % 2 != 0 ? 0 : 1000, .edge_x_um = i % 2 != 0 ? -1000000 : 1000000});
    }
    assert_true(atlas.places->full_count > 0);
    for (uint8_t robot = 2; robot <= 250; robot++) {
        tell((cairn_msg_node){.robot = robot, .node = 1});
        const cairn_node_entry *node = cairn_atlas_node(&atlas, robot, 1);
        assert_int_equal(atlas.places->places[node->place].robot, robot);
        assert_float_equal(node->map_T_node.x_m, START_X_M, 1e-9);
    }
    assert_ok(restart());
}

// Numbers are what a robot says. The worst that the air lets through must not make snapshots that nobody can load.
static void edges_of_any_deviation_can_be_saved_and_loaded(void **unused)
{
    (void)unused;
    const uint32_t numbers[] = {1, UINT32_MAX, UINT32_MAX - 6, UINT32_MAX - 7, UINT32_MAX - 5, UINT32_MAX - 1};
    for (uint32_t i = 0; i < 6; i++) {
        const bool is_sure = i % 2 == 0;
        tell((cairn_msg_node){.robot = 1,
                              .node = numbers[i],
                              .x_mm = i % 2 != 0 ? 2000000 : -2000000,
                              .y_mm = 1000 * (int32_t)i,
                              .edge_x_um = 1,
                              .edge_xy_um_dev = is_sure ? 0 : 10000000,
                              .edge_yaw_urad_dev = is_sure ? 0 : 3141593});
    }
    assert_int_equal(atlas.places->graph->node_count, 7);
    assert_ok(restart());
}

// The store forgets, places do not. Two places of one number make a snapshot that cannot be loaded.
static void a_node_that_comes_again_makes_no_second_place(void **unused)
{
    (void)unused;
    tell_of_trail(1, UINT32_MAX);
    tell_of_trail(2, UINT32_MAX);
    const uint32_t count = atlas.places->graph->node_count;
    for (uint32_t i = 0; i < CAIRN_NODES_MAX; i++) { tell((cairn_msg_node){.robot = 2, .node = 100 + i, .x_mm = 0}); }
    assert_null(cairn_atlas_node(&atlas, 1, 2));
    cairn_msg_node node = {.robot = 1, .node = 2, .x_mm = 9000, .edge_x_um = 1000000};
    tell(node);
    assert_int_equal(atlas.places->graph->node_count, count + 1);
    place_of(2);
    assert_ok(restart());
}

// Times of damaged snapshots are subtracted from others, which must not overflow.
static void times_out_of_bounds_are_refused(void **unused)
{
    (void)unused;
    const cairn_closure_proposal proposal = {.from = 1,
                                             .to = 2,
                                             .measured = cairn_graph_pose_from2((cairn_pose2){1, 0, 0}),
                                             .information = {100, 0, 0, 100, 0, 100},
                                             .window = 10,
                                             .proposer = "test"};
    const int64_t taken_at_ns[] = {INT64_MAX, -1, 0, 0, 0}, story_ns[] = {-5, 0, INT64_MAX, INT64_MIN, 0};
    for (uint32_t i = 0; i < 5; i++) {
        tell_of_trail(1, UINT32_MAX);
        tell_of_trail(2, UINT32_MAX);
        atlas.places->graph->nodes[2].taken_at.ns = taken_at_ns[i];
        assert_ok(cairn_candidates_propose(atlas.places->candidates, &proposal, (cairn_mission){story_ns[i]}, NULL));
        assert_int_equal(restart(), i == 0 || i == 4 ? CAIRN_OK : CAIRN_ERR_CORRUPT);
        finish(NULL);
        make_atlas();
    }
}

// Readers of g2o tell odometry from closures by names: from one to the next is odometry.
static void the_copy_for_files_tells_what_is_odometry(void **unused)
{
    (void)unused;
    for (uint32_t i = 1; i <= 10; i++) { tell_of_trail(i, 6); }
    const cairn_closure_proposal closure = {.from = 1,
                                            .to = 4,
                                            .measured = cairn_graph_pose_from2((cairn_pose2){3, 0, 0}),
                                            .information = {100, 0, 0, 100, 0, 100},
                                            .window = 10,
                                            .proposer = "test"};
    assert_ok(cairn_candidates_accept(atlas.places->candidates, &closure, (cairn_mission){0}, NULL));
    cairn_graph *copy = NULL;
    assert_ok(cairn_places_copy_graph(atlas.places, &memory, &copy));
    uint32_t counts[CAIRN_FACTOR_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < copy->factor_count; i++) {
        const cairn_factor *factor = &copy->factors[i];
        const bool is_start = factor->from == CAIRN_GRAPH_NONE;
        const bool is_next = !is_start && copy->nodes[factor->from].name + 1 == copy->nodes[factor->to].name;
        assert_int_equal(factor->kind, is_start  ? CAIRN_FACTOR_GLOBAL
                                       : is_next ? CAIRN_FACTOR_ODOMETRY
                                                 : CAIRN_FACTOR_CLOSURE);
        counts[factor->kind]++;
    }
    assert_int_equal(counts[CAIRN_FACTOR_GLOBAL], 2);
    assert_int_equal(counts[CAIRN_FACTOR_ODOMETRY], 8);
    assert_int_equal(counts[CAIRN_FACTOR_CLOSURE], 1);
    assert_true(copy->nodes[6].name == copy->nodes[5].name + 2);
    assert_float_equal(cairn_graph_chi2(copy), cairn_graph_chi2(atlas.places->graph), 1e-12);
    // And it can be solved as it is, although nothing leads to the origin any more.
    const cairn_batch_def def = cairn_batch_def_default();
    cairn_batch *batch = NULL;
    cairn_batch_info info;
    copy->nodes[9].pose.v[1] += 0.5;
    assert_ok(cairn_batch_create(&def, copy, &memory, &batch));
    assert_ok(cairn_batch_run(batch, copy, 20, &info));
    assert_float_equal(copy->nodes[9].pose.v[1], atlas.places->graph->nodes[9].pose.v[1], 1e-6);
}

// Whoever paces starts out instead of surveying them says so, and the map follows the robots' meetings instead.
static void a_known_start_is_as_sure_as_it_is_told_to_be(void **unused)
{
    (void)unused;
    cairn_places_def def = cairn_places_def_default();
    def.start_m_dev = 0.5;
    def.start_rad_dev = 0.1;
    finish(NULL);
    make_atlas_of(&def);
    tell_of_trail(1, 100);
    const cairn_factor *start = &atlas.places->graph->factors[place_of(1)->factor];
    assert_float_equal(start->information[0], 4, 1e-9);
    assert_float_equal(start->information[3], 4, 1e-9);
    assert_float_equal(start->information[5], 100, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lost_frame_is_found_in_whatever_order_nodes_come, reset, finish),
        cmocka_unit_test_setup_teardown(a_cut_trail_is_apart_in_whatever_order_nodes_come, reset, finish),
        cmocka_unit_test_setup_teardown(a_lost_frame_is_found_without_the_node_before_it, reset, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_stands_at_home_is_not_lost_for_long, reset, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_comes_when_places_are_full_has_one, reset, finish),
        cmocka_unit_test_setup_teardown(edges_of_any_deviation_can_be_saved_and_loaded, reset, finish),
        cmocka_unit_test_setup_teardown(a_node_that_comes_again_makes_no_second_place, reset, finish),
        cmocka_unit_test_setup_teardown(the_copy_for_files_tells_what_is_odometry, reset, finish),
        cmocka_unit_test_setup_teardown(a_known_start_is_as_sure_as_it_is_told_to_be, reset, finish),
        cmocka_unit_test_setup_teardown(times_out_of_bounds_are_refused, reset, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
