// The raster of all terrain maps: votes and taking them back, what time does to them, bounds, and where a turned map's
// cells come to lie.
#include "../base/check.h"
#include "base/random.h"
#include "maps/raster.h"
#include "maps/raster_kernels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 9

static cairn_arena arena;
static cairn_terrain_planes planes;

static cairn_raster *make_raster(void)
{
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){-3, -2};
    def.width = 60, def.height = 50;
    cairn_arena_reset(&arena, 0);
    cairn_raster *raster = NULL;
    assert_ok(cairn_raster_create(&def, &arena, &raster));
    return raster;
}

static void planes_fill(uint32_t size, double cell_m, uint8_t known, uint8_t obstacle)
{
    planes = (cairn_terrain_planes){.cell_m = cell_m, .width = size, .height = size};
    planes.origin_m = (cairn_vec2){-0.5 * cell_m * size, -0.5 * cell_m * size};
    memset(planes.known, known, sizeof planes.known);
    memset(planes.obstacle, obstacle, sizeof planes.obstacle);
}

static void planes_random(cairn_random *random, uint32_t size)
{
    planes_fill(size, 0.1, 0, 0);
    for (size_t i = 0; i < sizeof planes.known; i++) {
        planes.known[i] = (uint8_t)cairn_random_u64(random);
        planes.obstacle[i] = planes.known[i] & (uint8_t)cairn_random_u64(random);
    }
}

// Each raster cell takes the word of the terrain cell under its middle, once a map, with the weight of its era. Middles
// within 1e-4 of a border may go either way.
static void votes_agree_with_looking_up_every_cell(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/raster");
    cairn_raster *raster = make_raster();
    static int64_t votes[60 * 50];
    static bool known[60 * 50], unsure[60 * 50];
    uint32_t unsure_count = 0;
    for (int node_at = 0; node_at < 12; node_at++) {
        planes_random(&random, 30);
        const cairn_pose2 node = {cairn_random_between(&random, -4, 4), cairn_random_between(&random, -3, 4),
                                  cairn_random_between(&random, -3, 3)};
        const uint32_t era = (uint32_t)cairn_random_below(&random, CAIRN_RASTER_ERA_MAX + 1);
        cairn_raster_add(raster, node, &planes, era);
        cairn_raster_settle(raster);
        for (int i = 0; i < 60 * 50; i++) {
            const cairn_vec2 middle = {-3 + (i % 60 + 0.5) * 0.1, -2 + (i / 60 + 0.5) * 0.1};
            const cairn_vec2 there = cairn_pose2_apply(cairn_pose2_inverse(node), middle);
            const double u = there.x / 0.1 + 15, v = there.y / 0.1 + 15;
            if (u < -1 || v < -1 || u > 31 || v > 31) { continue; }
            if (fabs(u - round(u)) < 1e-4 || fabs(v - round(v)) < 1e-4) { unsure[i] = true; }
            if (u < 0 || v < 0 || u >= 30 || v >= 30) { continue; }
            const uint32_t cell = (uint32_t)v * 30 + (uint32_t)u;
            if (!cairn_plane_bit(planes.known, cell)) { continue; }
            known[i] = true;
            votes[i] += (cairn_plane_bit(planes.obstacle, cell) ? 3 : -2) * ((int64_t)1 << era);
        }
        for (int i = 0; i < 60 * 50; i++) {
            if (unsure[i]) { continue; }
            assert_int_equal(cairn_raster_score(raster, (uint32_t)(i % 60), (uint32_t)(i / 60)), votes[i]);
            assert_int_equal(raster->ground[i], !known[i]      ? CAIRN_GROUND_UNKNOWN
                                                : votes[i] > 0 ? CAIRN_GROUND_OBSTACLE
                                                               : CAIRN_GROUND_FREE);
        }
    }
    for (int i = 0; i < 60 * 50; i++) { unsure_count += unsure[i]; }
    assert_true(unsure_count < 60);
}

// Whatever stood and wherever it goes: maps come, are taken back, and move, and the raster is that of those which are
// drawn, bit by bit, bounds and count too.
static void what_is_taken_back_leaves_nothing(void **state)
{
    (void)state;
    enum { MAPS = 24 };
    static cairn_terrain_planes maps[MAPS];
    static struct {
        cairn_pose2 pose;
        uint32_t era;
        bool drawn;
    } is[MAPS];
    static uint64_t sums[60 * 50];
    static uint8_t ground[60 * 50];
    cairn_random random;
    cairn_random_init(&random, SEED, "test/raster/back");
    for (int i = 0; i < MAPS; i++) {
        planes_random(&random, 5 + (uint32_t)cairn_random_below(&random, 20));
        maps[i] = planes;
    }
    cairn_raster *raster = make_raster();
    for (int round = 0; round < 60; round++) {
        for (int change = 0; change < 5; change++) {
            const uint32_t i = (uint32_t)cairn_random_below(&random, MAPS);
            if (is[i].drawn) {
                cairn_raster_take_back(raster, is[i].pose, &maps[i], is[i].era);
                is[i].drawn = false;
                continue;
            }
            is[i].pose = (cairn_pose2){cairn_random_between(&random, -3, 3), cairn_random_between(&random, -2, 3),
                                       cairn_random_between(&random, -3, 3)};
            is[i].era = (uint32_t)cairn_random_below(&random, CAIRN_RASTER_ERA_MAX + 1);
            is[i].drawn = true;
            cairn_raster_add(raster, is[i].pose, &maps[i], is[i].era);
        }
        cairn_raster_settle(raster);
        const cairn_raster was = *raster;
        memcpy(sums, raster->sums, sizeof sums);
        memcpy(ground, raster->ground, sizeof ground);
        raster = make_raster();
        for (uint32_t i = MAPS; i-- > 0;) { // in another order
            if (is[i].drawn) { cairn_raster_add(raster, is[i].pose, &maps[i], is[i].era); }
        }
        cairn_raster_settle(raster);
        assert_memory_equal(raster->sums, sums, sizeof sums);
        assert_memory_equal(raster->ground, ground, sizeof ground);
        assert_int_equal(raster->known_count, was.known_count);
        assert_true(raster->x_min == was.x_min && raster->x_max == was.x_max);
        assert_true(raster->y_min == was.y_min && raster->y_max == was.y_max);
    }
}

// A robot that makes a map every 1.25 s stood before an open door for so long; then the door is closed. After how many
// seconds is it believed?
static double believed_after_s(double stood_s)
{
    cairn_raster *raster = make_raster();
    const cairn_pose2 node = {0, 0, 0};
    double now_s = 0;
    planes_fill(10, 0.1, 0xff, 0);
    for (; now_s < stood_s; now_s += 1.25) { cairn_raster_add(raster, node, &planes, cairn_raster_era(now_s)); }
    planes_fill(10, 0.1, 0xff, 0xff);
    const double closed_s = now_s;
    do {
        cairn_raster_add(raster, node, &planes, cairn_raster_era(now_s));
        cairn_raster_settle(raster);
        now_s += 1.25;
    } while (cairn_raster_at(raster, (cairn_vec2){0, 0}) != CAIRN_GROUND_OBSTACLE);
    return now_s - closed_s;
}

// Doors close and rubble falls: the map must not hold on to what was, however long it was so.
static void what_is_seen_for_a_half_life_is_believed_whatever_was_before(void **state)
{
    (void)state;
    for (double stood_s = 100; stood_s < 7000; stood_s += 93) {
        assert_true(believed_after_s(stood_s) < CAIRN_RASTER_HALF_LIFE_S);
    }
    assert_true(believed_after_s(20) < 15); // in passing
}

// A wall that was seen often stands though a robot that lost its way draws free ground over it a few times.
static void a_few_bad_maps_do_not_open_a_wall(void **state)
{
    (void)state;
    cairn_raster *raster = make_raster();
    planes_fill(10, 0.1, 0xff, 0xff);
    for (int i = 0; i < 20; i++) { cairn_raster_add(raster, (cairn_pose2){0, 0, 0}, &planes, 0); }
    planes_fill(10, 0.1, 0xff, 0);
    for (int i = 0; i < 10; i++) { cairn_raster_add(raster, (cairn_pose2){0, 0, 0}, &planes, 1); }
    cairn_raster_settle(raster);
    assert_int_equal(cairn_raster_at(raster, (cairn_vec2){0, 0}), CAIRN_GROUND_OBSTACLE);
}

static void eras_follow_the_time_and_end(void **state)
{
    (void)state;
    assert_int_equal(cairn_raster_era(-1), 0);
    assert_int_equal(cairn_raster_era(NAN), 0);
    assert_int_equal(cairn_raster_era(299), 0);
    assert_int_equal(cairn_raster_era(301), 1);
    assert_int_equal(cairn_raster_era(1e12), CAIRN_RASTER_ERA_MAX);
}

// Sums have room for years of votes: a million of the last era, and the score is still exact.
static void a_million_votes_of_the_last_era_fit(void **state)
{
    (void)state;
    cairn_raster *raster = make_raster();
    planes_fill(1, 0.1, 0xff, 0xff);
    for (int i = 0; i < 1000000; i++) {
        cairn_raster_add(raster, (cairn_pose2){0.05, 0.05, 0}, &planes, CAIRN_RASTER_ERA_MAX);
    }
    const int64_t votes = 1000000ll * 3 << CAIRN_RASTER_ERA_MAX, score = cairn_raster_score(raster, 30, 20);
    assert_true(score >= votes && score - votes <= 1000000 / 65536); // what is counted runs over into it now and then
    for (int i = 0; i < 1000000; i++) {
        cairn_raster_take_back(raster, (cairn_pose2){0.05, 0.05, 0}, &planes, CAIRN_RASTER_ERA_MAX);
    }
    assert_int_equal(raster->sums[20 * 60 + 30], 0);
}

static void bounds_enclose_the_known_cells(void **state)
{
    (void)state;
    cairn_raster *raster = make_raster();
    assert_true(raster->x_max < raster->x_min);
    planes_fill(10, 0.1, 0xff, 0);
    cairn_raster_add(raster, (cairn_pose2){0.5, 0.5, 0}, &planes, 0);
    cairn_raster_settle(raster);
    assert_int_equal(raster->x_min, 30);
    assert_int_equal(raster->x_max, 39);
    assert_int_equal(raster->y_min, 20);
    assert_int_equal(raster->y_max, 29);
    assert_int_equal(raster->known_count, 100);
    cairn_raster_add(raster, (cairn_pose2){100, 100, 1}, &planes, 0); // wholly outside
    cairn_raster_add(raster, (cairn_pose2){NAN, 0, 1}, &planes, 0);   // nowhere
    cairn_raster_settle(raster);
    assert_int_equal(raster->known_count, 100);
}

// Stations of one team may run on different machines: whatever does the adding, the sums are the same.
static void every_instruction_set_adds_the_same(void **state)
{
    (void)state;
    static const cairn_kernel kernel = {"raster_row", CAIRN_KERNEL_VARIANTS(cairn_raster_row)};
    static uint8_t codes[160 * 160 + CAIRN_RASTER_CODE_PADDING];
    cairn_random random;
    cairn_random_init(&random, SEED, "test/raster/kernels");
    for (size_t i = 0; i < 160 * 160; i++) { codes[i] = (uint8_t)cairn_random_below(&random, 3); }
    for (int i = 0; i < 3000; i++) {
        // From a cell to a cell, over a stretch of some length.
        const double from_u = cairn_random_between(&random, 0, 160), to_u = cairn_random_between(&random, 0, 160);
        const double from_v = cairn_random_between(&random, 0, 160), to_v = cairn_random_between(&random, 0, 160);
        const uint32_t count = 1 + (uint32_t)cairn_random_below(&random, 230);
        const double one = 1 << CAIRN_RASTER_FRACTION_BITS;
        const cairn_raster_stretch stretch = {.codes = codes,
                                              .width = 160,
                                              .u = (uint32_t)(from_u * one),
                                              .v = (uint32_t)(from_v * one),
                                              .u_by = (uint32_t)(int32_t)((to_u - from_u) / count * one),
                                              .v_by = (uint32_t)(int32_t)((to_v - from_v) / count * one),
                                              .count = count};
        const uint64_t votes[4] = {0, cairn_random_u64(&random), cairn_random_u64(&random), 0};
        uint64_t wanted[230], sums[230];
        for (uint32_t x = 0; x < count; x++) {
            const uint32_t u = stretch.u + x * stretch.u_by, v = stretch.v + x * stretch.v_by;
            wanted[x] = 1000 + x + votes[codes[(v >> 24) * 160 + (u >> 24)]];
        }
        for (unsigned isa = 0; isa <= cairn_isa_best(); isa++) {
            for (uint32_t x = 0; x < count; x++) { sums[x] = 1000 + x; }
            ((cairn_raster_row_fn)cairn_dispatch(&kernel, (cairn_isa)isa))(&stretch, votes, sums);
            assert_memory_equal(sums, wanted, count * sizeof *sums);
        }
    }
}

static void cells_and_points_agree(void **state)
{
    (void)state;
    const cairn_raster *raster = make_raster();
    uint32_t x, y;
    for (uint32_t v = 0; v < 50; v++) {
        for (uint32_t u = 0; u < 60; u++) {
            assert_true(cairn_raster_cell_of(raster, cairn_raster_centre_of(raster, u, v), &x, &y));
            assert_true(x == u && y == v);
        }
    }
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){-3.01, 0}, &x, &y));
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){3.01, 0}, &x, &y));
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){NAN, 0}, &x, &y));
}

int main(void)
{
    if (cairn_arena_create(&arena, 1 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_agree_with_looking_up_every_cell),
        cmocka_unit_test(what_is_taken_back_leaves_nothing),
        cmocka_unit_test(what_is_seen_for_a_half_life_is_believed_whatever_was_before),
        cmocka_unit_test(a_few_bad_maps_do_not_open_a_wall),
        cmocka_unit_test(eras_follow_the_time_and_end),
        cmocka_unit_test(a_million_votes_of_the_last_era_fit),
        cmocka_unit_test(bounds_enclose_the_known_cells),
        cmocka_unit_test(every_instruction_set_adds_the_same),
        cmocka_unit_test(cells_and_points_agree),
    };
    const int failed = cmocka_run_group_tests_name("raster", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
