// The raster of all nodes: votes, updates that equal a plain pass, trails, and what the cover leaves out.
#include "../base/check.h"
#include "base/random.h"
#include "geometry/rays.h"
#include "maps/raster_maker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 65
#define NODES_MAX 10000

static cairn_arena arena, scratch;
static cairn_terrain_planes some_planes[40];
static cairn_raster_node nodes[NODES_MAX];

static cairn_raster_maker_def small_def(void)
{
    cairn_raster_maker_def def = cairn_raster_maker_def_default();
    def.raster.origin_m = (cairn_vec2){-6, -5};
    def.raster.width = 120, def.raster.height = 100;
    def.use_cover = false;
    def.move_m = def.move_rad = 0;
    return def;
}

static cairn_raster_maker *make(const cairn_raster_maker_def *def)
{
    cairn_raster_maker *maker = NULL;
    assert_ok(cairn_raster_maker_create(def, &arena, &maker));
    return maker;
}

static cairn_raster_maker_info update(cairn_raster_maker *maker, uint32_t count)
{
    cairn_raster_maker_info info;
    assert_ok(cairn_raster_maker_update(maker, nodes, count, &scratch, &info));
    assert_int_equal(cairn_arena_mark(&scratch), 0);
    return info;
}

static void planes_random(cairn_random *random, cairn_terrain_planes *planes, uint32_t width, uint32_t height)
{
    *planes = (cairn_terrain_planes){.cell_m = 0.1, .width = width, .height = height};
    planes->origin_m = (cairn_vec2){-0.05 * width, -0.05 * height};
    for (uint32_t cell = 0; cell < width * height; cell++) {
        const uint8_t bit = (uint8_t)(1u << (cell & 7));
        if (cairn_random_below(random, 3)) { planes->known[cell >> 3] |= bit; }
        if (planes->known[cell >> 3] & bit && cairn_random_below(random, 2)) { planes->obstacle[cell >> 3] |= bit; }
    }
}

static cairn_pose2 pose_random(cairn_random *random)
{
    return (cairn_pose2){cairn_random_between(random, -8, 8), cairn_random_between(random, -7, 7),
                         cairn_random_between(random, -3.1, 3.1)};
}

static void nodes_random(cairn_random *random, uint32_t count)
{
    for (uint32_t i = 0; i < 40; i++) {
        planes_random(random, &some_planes[i], 1 + (uint32_t)cairn_random_below(random, 40),
                      1 + (uint32_t)cairn_random_below(random, 40));
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (cairn_raster_node){.map_T_node = pose_random(random),
                                       .planes = &some_planes[cairn_random_below(random, 40)],
                                       .seen_s = cairn_random_between(random, 150, 450),
                                       .field_rad = cairn_random_between(random, 1, 7)};
    }
}

static void assert_same(const cairn_raster *a, const cairn_raster *b)
{
    const size_t cells = (size_t)a->def.width * a->def.height;
    assert_memory_equal(a->ground, b->ground, cells);
    assert_memory_equal(a->sums, b->sums, cells * sizeof *a->sums);
    assert_int_equal(a->known_count, b->known_count);
    assert_true(a->x_min == b->x_min && a->x_max == b->x_max && a->y_min == b->y_min && a->y_max == b->y_max);
}

// Each cell asks each node for the terrain cell under its middle. Middles within 1e-4 of a border may go either way.
static void a_plain_pass_equals_asking_every_node_about_every_cell(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/plain");
    cairn_arena_reset(&arena, 0);
    const cairn_raster_maker_def def = small_def();
    cairn_raster_maker *maker = make(&def);
    nodes_random(&random, 60);
    assert_int_equal(update(maker, 60).drawn, 60);
    const cairn_raster *raster = cairn_raster_maker_raster(maker);
    uint32_t known = 0, unsure = 0, kinds[3] = {0};
    for (uint32_t i = 0; i < 120 * 100; i++) {
        const cairn_vec2 middle = cairn_raster_centre_of(raster, i % 120, i / 120);
        int score = 0, votes = 0;
        bool near_border = false;
        for (uint32_t n = 0; n < 60; n++) {
            const cairn_terrain_planes *planes = nodes[n].planes;
            const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(nodes[n].map_T_node), middle);
            const double u = (at.x - planes->origin_m.x) / 0.1, v = (at.y - planes->origin_m.y) / 0.1;
            if (u < -1 || v < -1 || u > planes->width + 1 || v > planes->height + 1) { continue; }
            near_border |= fabs(u - round(u)) < 1e-4 || fabs(v - round(v)) < 1e-4;
            if (u < 0 || v < 0 || u >= planes->width || v >= planes->height) { continue; }
            const uint32_t cell = (uint32_t)v * planes->width + (uint32_t)u;
            if (!cairn_plane_bit(planes->known, cell)) { continue; }
            votes++;
            const int weight = nodes[n].seen_s < 300 ? 1 : 2;
            score += weight * (cairn_plane_bit(planes->obstacle, cell) ? 3 : -2);
        }
        unsure += near_border;
        if (!near_border) {
            const int want = votes == 0 ? CAIRN_GROUND_UNKNOWN : score > 0 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
            assert_int_equal(raster->ground[i], want);
            assert_int_equal(cairn_raster_score(raster, i % 120, i / 120), score);
        }
        kinds[raster->ground[i]]++;
        known += raster->ground[i] != CAIRN_GROUND_UNKNOWN;
    }
    assert_int_equal(raster->known_count, known);
    assert_true(unsure < 60 && kinds[0] > 500 && kinds[1] > 500 && kinds[2] > 500);
}

// The optimiser moves some nodes, new ones come, some go. Whatever happened, the raster is that of a plain pass.
static void check_updates(bool use_cover, double move_m, double move_rad)
{
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/updates");
    cairn_arena_reset(&arena, 0);
    cairn_raster_maker_def def = small_def();
    def.use_cover = use_cover;
    cairn_raster_maker *plain = make(&def);
    def.move_m = move_m, def.move_rad = move_rad;
    cairn_raster_maker *cached = make(&def);
    uint32_t stood = 0, afresh = 0;
    nodes_random(&random, 200);
    for (int round = 0; round < 25; round++) {
        const uint32_t count = round == 13 ? 60 : 40 + (uint32_t)round * 6;
        const uint64_t movers = round % 8 == 7 ? 1 : 9; // all of them, or one in nine
        for (uint32_t i = 0; i < count; i++) {
            if (cairn_random_below(&random, movers) != 0) { continue; }
            nodes[i].map_T_node.x_m += cairn_random_between(&random, -0.05, 0.05);
            nodes[i].map_T_node.yaw_rad += cairn_random_between(&random, -0.01, 0.01);
        }
        const cairn_raster_maker_info info = update(cached, count);
        assert_int_equal(info.drawn + info.stood + info.left_out, count);
        stood += info.stood, afresh += info.afresh;
        static cairn_pose2 given[200];
        for (uint32_t i = 0; i < count; i++) {
            given[i] = nodes[i].map_T_node;
            cairn_pose2 drawn;
            if (!cairn_raster_maker_drawn(cached, i, &drawn)) { continue; }
            assert_true(hypot(drawn.x_m - given[i].x_m, drawn.y_m - given[i].y_m) <= move_m);
            assert_true(fabs(cairn_angle_between(drawn.yaw_rad, given[i].yaw_rad)) <= move_rad);
            if (move_m > 0) { nodes[i].map_T_node = drawn; }
        }
        cairn_raster_maker_clear(plain);
        update(plain, count);
        assert_same(cairn_raster_maker_raster(cached), cairn_raster_maker_raster(plain));
        for (uint32_t i = 0; i < count; i++) { nodes[i].map_T_node = given[i]; }
    }
    assert_true(stood > 500 && afresh >= 2);
}

static void updates_equal_a_plain_pass(void **state)
{
    (void)state;
    check_updates(false, 0, 0);
}

static void updates_with_a_cover_equal_a_plain_pass_with_it(void **state)
{
    (void)state;
    check_updates(true, 0, 0);
}

static void updates_that_let_nodes_stand_equal_a_pass_from_where_they_are_drawn(void **state)
{
    (void)state;
    check_updates(false, 0.02, 0.004);
}

static void ten_thousand_nodes_are_updated_as_well(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/many");
    cairn_arena_reset(&arena, 0);
    const cairn_raster_maker_def def = small_def();
    cairn_raster_maker *cached = make(&def), *plain = make(&def);
    nodes_random(&random, NODES_MAX);
    update(cached, NODES_MAX - 100);
    for (uint32_t i = 0; i < NODES_MAX; i += 10) { nodes[i].map_T_node = pose_random(&random); }
    const cairn_raster_maker_info info = update(cached, NODES_MAX);
    assert_int_equal(info.taken_back, (NODES_MAX - 100) / 10);
    assert_int_equal(info.drawn, (NODES_MAX - 100) / 10 + 100);
    update(plain, NODES_MAX);
    assert_same(cairn_raster_maker_raster(cached), cairn_raster_maker_raster(plain));
    cairn_raster_maker_info refused;
    assert_int_equal(cairn_raster_maker_update(cached, nodes, NODES_MAX + 1, &scratch, &refused), CAIRN_ERR_FULL);
}

static void the_cover_equals_asking_every_node_about_every_other(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/cover");
    nodes_random(&random, 1500);
    nodes[17].map_T_node.x_m = NAN;
    static uint8_t stays[1500], slow[1500];
    for (uint32_t near_count = 1; near_count <= 3; near_count++) {
        cairn_raster_cover_def def = cairn_raster_cover_def_default();
        def.near_count = near_count;
        def.new_part = 1;
        assert_ok(cairn_raster_cover(&def, nodes, 1500, &scratch, stays));
        uint32_t left = 0;
        for (uint32_t i = 0; i < 1500; i++) {
            uint32_t covered = 0;
            for (uint32_t k = 0; k < i; k++) {
                const cairn_pose2 a = nodes[i].map_T_node, b = nodes[k].map_T_node;
                const double turn = fabs(cairn_angle_between(a.yaw_rad, b.yaw_rad));
                covered += slow[k] && hypot(a.x_m - b.x_m, a.y_m - b.y_m) <= def.reach_m &&
                           fabs(nodes[i].seen_s - nodes[k].seen_s) <= def.age_s &&
                           (nodes[k].field_rad >= 2 * CAIRN_PI ||
                            turn + nodes[i].field_rad / 2 <= nodes[k].field_rad / 2 + def.slack_rad);
            }
            slow[i] = i != 17 && covered < near_count;
            left += !slow[i];
            assert_int_equal(stays[i], slow[i]);
        }
        assert_true(left > 100);
    }
}

// A corridor of 30 x 3 m with a doorway and a room behind each 5 m; a robot drives along it and back.
#define WORLD_X 320
#define WORLD_Y 120
static uint8_t world[WORLD_Y][WORLD_X]; // 10 cm cells, corner at the origin

static void world_make(void)
{
    memset(world, 0, sizeof world);
    for (int x = 5; x < 315; x++) {
        world[5][x] = world[35][x] = world[80][x] = 1;
        if (x % 50 < 8 && x > 20) { world[35][x] = 0; } // doorways
    }
    for (int y = 5; y <= 80; y++) {
        world[y][5] = world[y][314] = 1;
        for (int x = 55; y > 35 && x < 315; x += 50) { world[y][x - 15] = 1; }
    }
}

static void look(cairn_pose2 truth, cairn_terrain_planes *planes)
{
    *planes = (cairn_terrain_planes){.cell_m = 0.1, .width = 150, .height = 150, .origin_m = {-7.5, -7.5}};
    for (int beam = 0; beam < 720; beam++) {
        const double angle = beam * CAIRN_PI / 360;
        const cairn_vec2 from = {truth.x_m, truth.y_m}, to = {from.x + 7 * cos(angle), from.y + 7 * sin(angle)};
        cairn_grid_walk walk;
        cairn_grid_walk_start(&walk, (cairn_vec2){0, 0}, 0.1, from, to);
        do {
            if (walk.x < 0 || walk.y < 0 || walk.x >= WORLD_X || walk.y >= WORLD_Y) { break; }
            const cairn_vec2 middle = {(walk.x + 0.5) * 0.1, (walk.y + 0.5) * 0.1};
            const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(truth), middle);
            const int u = (int)floor((at.x + 7.5) / 0.1), v = (int)floor((at.y + 7.5) / 0.1);
            if (u < 0 || v < 0 || u >= 150 || v >= 150) { break; }
            const uint32_t cell = (uint32_t)(v * 150 + u);
            planes->known[cell >> 3] |= (uint8_t)(1u << (cell & 7));
            if (world[walk.y][walk.x]) { planes->obstacle[cell >> 3] |= (uint8_t)(1u << (cell & 7)); }
        } while (!world[walk.y][walk.x] && cairn_grid_walk_next(&walk));
    }
}

#define DRIVE_NODES 100

static void drive_make(cairn_random *random, double noise_m, double noise_rad)
{
    static cairn_terrain_planes planes[DRIVE_NODES];
    world_make();
    for (uint32_t i = 0; i < DRIVE_NODES; i++) {
        const double along = i < 50 ? 1.5 + 0.58 * i : 1.5 + 0.58 * (99 - i);
        const cairn_pose2 truth = {along, i < 50 ? 1.9 : 2.2, i < 50 ? 0.03 : 3.05};
        look(truth, &planes[i]);
        nodes[i] = (cairn_raster_node){.map_T_node = {truth.x_m + noise_m * cairn_random_gauss(random),
                                                      truth.y_m + noise_m * cairn_random_gauss(random),
                                                      truth.yaw_rad + noise_rad * cairn_random_gauss(random)},
                                       .planes = &planes[i],
                                       .seen_s = 1.25 * i,
                                       .field_rad = 2 * CAIRN_PI};
    }
}

static const cairn_raster *drive_raster(bool use_cover, cairn_raster_maker_info *ret_info)
{
    cairn_raster_maker_def def = small_def();
    def.raster.origin_m = (cairn_vec2){0, 0};
    def.raster.width = WORLD_X, def.raster.height = WORLD_Y;
    def.use_cover = use_cover;
    cairn_raster_maker *maker = make(&def);
    *ret_info = update(maker, DRIVE_NODES);
    return cairn_raster_maker_raster(maker);
}

// Mean count of obstacle cells across the corridor's lower wall.
static double wall_cells(const cairn_raster *raster)
{
    uint32_t cells = 0, columns = 0;
    for (uint32_t x = 20; x < 300; x++, columns++) {
        for (uint32_t y = 0; y < 12; y++) { cells += raster->ground[y * WORLD_X + x] == CAIRN_GROUND_OBSTACLE; }
    }
    return (double)cells / columns;
}

// Fewer maps of one wall must not make it thicker, and must still show what all of them show.
static void a_cover_leaves_out_nodes_and_neither_blurs_nor_hides(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/blur");
    double plain_cells = 0, cover_cells = 0;
    for (int round = 0; round < 3; round++) {
        drive_make(&random, 0.04, 0.006);
        cairn_arena_reset(&arena, 0);
        cairn_raster_maker_info plain_info, cover_info;
        const cairn_raster *plain = drive_raster(false, &plain_info), *cover = drive_raster(true, &cover_info);
        plain_cells += wall_cells(plain) / 3, cover_cells += wall_cells(cover) / 3;
        assert_int_equal(plain_info.drawn, DRIVE_NODES);
        assert_true(cover_info.drawn <= 65);
        uint32_t both = 0, free_in_plain = 0, free_in_both = 0;
        for (uint32_t i = 0; i < WORLD_X * WORLD_Y; i++) {
            both += plain->ground[i] && cover->ground[i];
            free_in_plain += plain->ground[i] == CAIRN_GROUND_FREE;
            free_in_both += plain->ground[i] == CAIRN_GROUND_FREE && cover->ground[i] == CAIRN_GROUND_FREE;
        }
        assert_true(both >= 0.97 * plain->known_count);
        assert_true(free_in_both >= 0.97 * free_in_plain);
    }
    print_message("wall of one cell: %.3f cells with all nodes, %.3f with a cover\n", plain_cells, cover_cells);
    assert_true(cover_cells <= plain_cells + 0.02);
}

// Somebody walks ahead of the robot: each map has him elsewhere. Voting leaves the walls and no trail.
static void what_moves_leaves_no_trail(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/maker/trail");
    cairn_arena_reset(&arena, 0);
    drive_make(&random, 0, 0);
    static cairn_terrain_planes walked[50];
    for (int i = 0; i < 50; i++) { // 2 m ahead, 30 cm wide
        walked[i] = *nodes[i].planes;
        for (uint32_t v = 72; v < 75; v++) {
            for (uint32_t u = 95; u < 98; u++) {
                const uint32_t cell = v * 150 + u;
                walked[i].known[cell >> 3] |= (uint8_t)(1u << (cell & 7));
                walked[i].obstacle[cell >> 3] |= (uint8_t)(1u << (cell & 7));
            }
        }
        nodes[i].planes = &walked[i];
    }
    for (int use_cover = 0; use_cover < 2; use_cover++) {
        cairn_raster_maker_info info;
        const cairn_raster *raster = drive_raster(use_cover, &info);
        uint32_t trail = 0;
        for (uint32_t y = 8; y < 33; y++) {
            for (uint32_t x = 15; x < 285; x++) { trail += raster->ground[y * WORLD_X + x] == CAIRN_GROUND_OBSTACLE; }
        }
        assert_int_equal(trail, 0);
        assert_true(wall_cells(raster) > 0.95);
    }
}

int main(void)
{
    if (cairn_arena_create(&arena, 64 << 20) != CAIRN_OK || cairn_arena_create(&scratch, 1 << 20) != CAIRN_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_pass_equals_asking_every_node_about_every_cell),
        cmocka_unit_test(updates_equal_a_plain_pass),
        cmocka_unit_test(updates_with_a_cover_equal_a_plain_pass_with_it),
        cmocka_unit_test(updates_that_let_nodes_stand_equal_a_pass_from_where_they_are_drawn),
        cmocka_unit_test(ten_thousand_nodes_are_updated_as_well),
        cmocka_unit_test(the_cover_equals_asking_every_node_about_every_other),
        cmocka_unit_test(a_cover_leaves_out_nodes_and_neither_blurs_nor_hides),
        cmocka_unit_test(what_moves_leaves_no_trail),
    };
    const int failed = cmocka_run_group_tests_name("raster_maker", tests, NULL, NULL);
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&arena);
    return failed;
}
