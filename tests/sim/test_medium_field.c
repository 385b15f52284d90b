// test_medium_field.c - radio models against their formulas: distance, walls, materials, places, relays.
#include "base/random.h"
#include "check.h"
#include "sim/medium/medium_field.h"
#include <math.h>

#define SOLIDS_MAX 64

static cairn_solid solids[SOLIDS_MAX];
static cairn_pose2 starts[1];
static cairn_medium_relay relays[CAIRN_MEDIUM_RELAYS_MAX];
static cairn_sim_arena arena = {.solids = solids, .starts = starts, .start_count = 1};
static cairn_arena memory;
static const cairn_vec2 origin = {0, 0};

static int begin(void **state)
{
    (void)state;
    arena.solid_count = 0;
    return cairn_arena_create(&memory, (size_t)1 << 20) == CAIRN_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cairn_arena_destroy(&memory);
    return 0;
}

static void add_wall(cairn_pose2 pose, cairn_vec3 size_m, cairn_material material)
{
    assert_true(arena.solid_count < SOLIDS_MAX);
    solids[arena.solid_count++] = (cairn_solid){
        .kind = CAIRN_SOLID_WALL,
        .map_T_box = {{pose.x_m, pose.y_m, size_m.z / 2}, cairn_quat_from_axis((cairn_vec3){0, 0, 1}, pose.yaw_rad)},
        .half_m = cairn_vec3_scale(size_m, 0.5),
        .material = material};
}

// A wall across the x axis.
static void add_across(double x_m, cairn_material material)
{
    add_wall((cairn_pose2){x_m, 0, 0}, (cairn_vec3){0.1, 6, 2}, material);
}

// Without shadowing, so that a formula on paper gives the strength.
static cairn_medium_def plain(cairn_medium_model model)
{
    cairn_medium_def def = cairn_medium_def_default();
    def.arena = &arena;
    def.robot_count = 1;
    def.seed = 1;
    def.radio.model = model;
    def.radio.log_distance.shadowing_db = 0;
    return def;
}

static void add_relay(cairn_medium_def *def, double x_m, double y_m)
{
    relays[def->radio.relay_count++] = (cairn_medium_relay){.at_m = {x_m, y_m}};
    def->radio.relays = relays;
}

static cairn_medium_field *make(const cairn_medium_def *def)
{
    cairn_medium_field *field;
    cairn_arena_reset(&memory, 0);
    assert_ok(cairn_medium_field_create(def, &memory, &field));
    return field;
}

static double direct_dbm(const cairn_medium_field *field, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const cairn_medium_route route = cairn_medium_field_route(field, from_m, to_m);
    assert_int_equal(route.hop_count, 1);
    assert_int_equal(route.relay_count, 0);
    return cairn_medium_field_dbm(field, &route.hops[0], 0);
}

static double chance(const cairn_medium_field *field, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const cairn_medium_route route = cairn_medium_field_route(field, from_m, to_m);
    return cairn_medium_field_chance(field, &route);
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) { fail_msg("found %.9g, expected %.9g", found, expected); }
}

// ---- log-distance

static void strength_falls_with_the_logarithm_of_distance(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    def.radio.log_distance.exponent = 2.5;
    const cairn_medium_field *field = make(&def);
    // 20 dBm - 40 dB at a metre; 25 dB for each factor of ten.
    assert_near(direct_dbm(field, origin, (cairn_vec2){1, 0}), -20, 1e-9);
    assert_near(direct_dbm(field, origin, (cairn_vec2){0, 10}), -45, 1e-9);
    assert_near(direct_dbm(field, origin, (cairn_vec2){60, 80}), -70, 1e-9);
    assert_near(direct_dbm(field, origin, (cairn_vec2){0.1, 0}), -20, 1e-9); // not stronger than at a metre
}

static void each_wall_takes_what_its_material_takes(void **state)
{
    (void)state;
    const cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    const cairn_vec2 there = {10, 0};
    assert_near(direct_dbm(make(&def), origin, there), -40, 1e-9);
    add_across(2, CAIRN_MATERIAL_BRICK);
    assert_near(direct_dbm(make(&def), origin, there), -48, 1e-9);
    add_across(4, CAIRN_MATERIAL_METAL);
    assert_near(direct_dbm(make(&def), origin, there), -74, 1e-9);
    add_across(6, CAIRN_MATERIAL_BRICK); // the third in a row, after one that is dearer
    assert_near(direct_dbm(make(&def), origin, there), -82, 1e-9);
    assert_near(direct_dbm(make(&def), origin, (cairn_vec2){3, 0}), 20 - 40 - 20 * log10(3) - 8, 1e-9);
    for (int material = 0; material < CAIRN_MATERIAL_COUNT; material++) {
        arena.solid_count = 0;
        add_across(2, (cairn_material)material);
        assert_near(direct_dbm(make(&def), origin, there), -40 - def.radio.log_distance.material_db[material], 1e-9);
    }
}

// A pillar of concrete in a wall of wood is one obstacle, and it is the concrete that matters.
static void of_walls_that_touch_only_the_dearest_counts(void **state)
{
    (void)state;
    const cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    add_across(2, CAIRN_MATERIAL_WOOD);
    add_wall((cairn_pose2){2.2, 0, 0}, (cairn_vec3){0.5, 0.5, 2}, CAIRN_MATERIAL_CONCRETE);
    add_across(2.4, CAIRN_MATERIAL_GLASS);
    assert_near(direct_dbm(make(&def), origin, (cairn_vec2){10, 0}), -40 - 12, 1e-9);
    assert_near(direct_dbm(make(&def), (cairn_vec2){0, 1}, (cairn_vec2){10, 1}), -40 - 4 - 2, 1e-9);
}

static void at_its_sensitivity_a_receiver_loses_a_tenth(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    const cairn_medium_field *field = make(&def);
    assert_near(cairn_medium_field_loss(field, -90, 100), 0.1, 1e-12);
    assert_near(cairn_medium_field_loss(field, -90, 200), 1 - 0.9 * 0.9, 1e-12);
    // Two decades of wrong bytes less.
    const double wrong = (1 - pow(0.9, 0.01)) / 100;
    assert_near(cairn_medium_field_loss(field, -86, 100), 1 - pow(1 - wrong, 100), 1e-12);
    assert_true(cairn_medium_field_loss(field, -100, 100) == 1);
    assert_true(cairn_medium_field_loss(field, -40, 1400) < 1e-20);
    double before = 1;
    for (double dbm = -110; dbm < -60; dbm += 0.5) {
        const double loss = cairn_medium_field_loss(field, dbm, 100);
        assert_true(loss >= 0 && loss <= before);
        before = loss;
    }
}

static void the_chance_of_a_way_is_the_mean_over_its_fading(void **state)
{
    (void)state;
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        cairn_medium_def def = plain((cairn_medium_model)model);
        def.radio.wall_cost = 3;
        arena.solid_count = 0;
        for (int i = 0; i < 3; i++) { add_across(1.5 + i, CAIRN_MATERIAL_CONCRETE); }
        const cairn_medium_field *field = make(&def);
        const double fading_db = model == CAIRN_MEDIUM_LOG_DISTANCE ? 2 : 3.16;
        int partly = 0;
        for (double x_m = 5; x_m < 450; x_m *= 1.07) {
            const double mean_dbm = direct_dbm(field, origin, (cairn_vec2){x_m, 0});
            double sum = 0, weights = 0;
            for (double z = -8; z <= 8; z += 0.002) {
                const double weight = exp(-z * z / 2);
                sum += weight * (1 - cairn_medium_field_loss(field, mean_dbm + fading_db * z, 100));
                weights += weight;
            }
            const double found = chance(field, origin, (cairn_vec2){x_m, 0});
            assert_near(found, sum / weights, 0.003); // straight lines between the table's steps
            partly += found > 0.05 && found < 0.95;
        }
        assert_true(partly >= 2); // the place where it matters was there
    }
}

static void the_margin_is_zero_where_a_tenth_is_lost(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    const cairn_medium_field *field = make(&def);
    for (double x_m = 100; x_m < 6000; x_m *= 1.2) {
        const cairn_medium_route route = cairn_medium_field_route(field, origin, (cairn_vec2){x_m, 0});
        const double margin_db = cairn_medium_field_margin_db(field, &route);
        const double lost = 1 - cairn_medium_field_chance(field, &route);
        if (margin_db > 0.3) { assert_true(lost < 0.1); }
        if (margin_db < -0.3) { assert_true(lost > 0.1); }
        const cairn_medium_route tenfold = cairn_medium_field_route(field, origin, (cairn_vec2){10 * x_m, 0});
        assert_near(cairn_medium_field_margin_db(field, &tenfold), margin_db - 20, 1e-9);
    }
}

// ---- places

static cairn_vec2 random_place(cairn_random *random)
{
    return (cairn_vec2){cairn_random_between(random, -30, 30), cairn_random_between(random, -30, 30)};
}

static void shadowing_belongs_to_the_places_and_the_seed(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
    def.radio.log_distance.shadowing_db = 6;
    const cairn_medium_log_distance *log_distance = &def.radio.log_distance;
    cairn_random random;
    cairn_random_init(&random, 4, "places");
    int others = 0;
    for (int i = 0; i < 200; i++) {
        const cairn_vec2 from_m = random_place(&random), to_m = random_place(&random);
        const double there = cairn_medium_shadowing_db(log_distance, 9, from_m, to_m);
        assert_true(cairn_medium_shadowing_db(log_distance, 9, from_m, to_m) == there);
        assert_near(cairn_medium_shadowing_db(log_distance, 9, to_m, from_m), there, 1e-12);
        others += fabs(cairn_medium_shadowing_db(log_distance, 10, from_m, to_m) - there) > 0.01;
        // A step of a centimetre changes little: it is a place, not a packet.
        const cairn_vec2 beside_m = {from_m.x + 0.01, from_m.y};
        assert_near(cairn_medium_shadowing_db(log_distance, 9, beside_m, to_m), there, 0.3);
    }
    assert_true(others > 190);
    assert_near(direct_dbm(make(&def), origin, (cairn_vec2){10, 0}),
                -40 - cairn_medium_shadowing_db(log_distance, 1, origin, (cairn_vec2){10, 0}), 1e-9);
}

// Over many pairs of places its mean is zero and its deviation the stated one, wherever on the lattice they lie.
static void shadowing_has_the_stated_deviation(void **state)
{
    (void)state;
    enum { PAIRS = 20000 };
    cairn_medium_log_distance log_distance = cairn_medium_log_distance_default();
    log_distance.shadowing_db = 5;
    cairn_random random;
    cairn_random_init(&random, 5, "deviation");
    for (int on_lattice = 0; on_lattice < 2; on_lattice++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < PAIRS; i++) {
            const double side_m = 20000; // hardly two pairs near each other
            cairn_vec2 places_m[2];
            for (int k = 0; k < 2; k++) {
                places_m[k] = (cairn_vec2){cairn_random_between(&random, -side_m, side_m),
                                           cairn_random_between(&random, -side_m, side_m)};
                if (on_lattice) { places_m[k] = (cairn_vec2){3 * round(places_m[k].x), 3 * round(places_m[k].y)}; }
            }
            const double db = cairn_medium_shadowing_db(&log_distance, 2, places_m[0], places_m[1]);
            sum += db;
            squares += db * db;
        }
        assert_near(sum / PAIRS, 0, 5 * 5 / sqrt(PAIRS));
        assert_near(sqrt(squares / PAIRS), 5, 5 * 5 / sqrt(2.0 * PAIRS));
    }
}

static void it_is_as_far_there_as_back(void **state)
{
    (void)state;
    const uint64_t seed = 31;
    print_message("seed %lu\n", (unsigned long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "there and back");
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        cairn_medium_def def = plain((cairn_medium_model)model);
        def.radio.log_distance.shadowing_db = 6;
        def.radio.wall_cost = 3;
        arena.solid_count = 0;
        for (int i = 0; i < 30; i++) {
            const cairn_vec2 at_m = random_place(&random);
            add_wall((cairn_pose2){at_m.x, at_m.y, cairn_random_between(&random, -3, 3)}, (cairn_vec3){20, 0.2, 2},
                     (cairn_material)cairn_random_below(&random, CAIRN_MATERIAL_COUNT));
        }
        for (int i = 0; i < 5; i++) {
            const cairn_vec2 at_m = random_place(&random);
            add_relay(&def, at_m.x, at_m.y);
        }
        const cairn_medium_field *field = make(&def);
        uint32_t relayed = 0;
        for (int i = 0; i < 300; i++) {
            const cairn_vec2 from_m = random_place(&random), to_m = random_place(&random);
            const cairn_medium_route there = cairn_medium_field_route(field, from_m, to_m);
            const cairn_medium_route back = cairn_medium_field_route(field, to_m, from_m);
            assert_near(cairn_medium_field_chance(field, &back), cairn_medium_field_chance(field, &there), 1e-9);
            relayed += there.relay_count > 0;
        }
        assert_true(relayed > 30);
    }
}

static void more_distance_or_another_wall_never_helps(void **state)
{
    (void)state;
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        cairn_medium_def def = plain((cairn_medium_model)model);
        def.radio.wall_cost = 2;
        double last_wall = INFINITY;
        arena.solid_count = 0;
        for (int walls = 0; walls < 8; walls++) {
            const cairn_medium_field *field = make(&def);
            double last = INFINITY;
            for (double x_m = 10; x_m < 600; x_m *= 1.1) {
                const double dbm = direct_dbm(field, origin, (cairn_vec2){x_m, 0});
                assert_true(dbm <= last);
                last = dbm;
            }
            const double dbm = direct_dbm(field, origin, (cairn_vec2){40, 0});
            assert_true(dbm < last_wall || (dbm == -INFINITY && last_wall == -INFINITY));
            last_wall = dbm;
            add_across(1 + walls, CAIRN_MATERIAL_BRICK);
        }
    }
}

// ---- subt

static void subt_is_the_published_formula(void **state)
{
    (void)state;
    const cairn_medium_def def = plain(CAIRN_MEDIUM_SUBT);
    for (int walls = 0; walls <= 11; walls++) {
        const cairn_medium_field *field = make(&def);
        for (double x_m = 20; x_m < 700; x_m += 60) {
            const bool open = walls <= 10 && x_m <= 500;
            const double formula = 20 - (40 + 10 * (1.5 + 0.2 * walls) * log10(0.55 * x_m));
            const double dbm = direct_dbm(field, origin, (cairn_vec2){x_m, 0});
            if (open) { assert_near(dbm, formula, 1e-9); }
            assert_int_equal(dbm > -INFINITY, open);
        }
        add_across(1 + walls, CAIRN_MATERIAL_CONCRETE);
    }
}

// From 0 to 100 m, behind three walls; a relay at 60 m stands between the second and the third.
static void in_subt_a_relay_resets_the_distance_to_the_longest_hop(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_SUBT);
    add_across(20, CAIRN_MATERIAL_CONCRETE);
    add_across(40, CAIRN_MATERIAL_CONCRETE);
    add_across(80, CAIRN_MATERIAL_CONCRETE);
    add_relay(&def, 60, 0);
    const cairn_medium_field *field = make(&def);
    const cairn_medium_route route = cairn_medium_field_route(field, origin, (cairn_vec2){100, 0});
    assert_int_equal(route.relay_count, 1);
    assert_int_equal(route.hop_count, 1); // SubT counts no second transmission
    const double formula = 20 - (40 + 10 * (1.5 + 0.2 * 2) * log10(0.55 * (60 + 2)));
    assert_near(cairn_medium_field_dbm(field, &route.hops[0], 0), formula, 1e-9);
    // No wall less, no relay: it looks at walls first.
    const cairn_medium_route open = cairn_medium_field_route(field, (cairn_vec2){0, 8}, (cairn_vec2){100, 8});
    assert_int_equal(open.relay_count, 0);
}

// One relay that leaves hops of 50 m is preferred to two that leave 35 m, where walls are the same.
static void in_subt_of_ways_with_the_same_walls_the_one_with_fewer_relays_is_taken(void **state)
{
    (void)state;
    cairn_medium_def def = plain(CAIRN_MEDIUM_SUBT);
    add_across(20, CAIRN_MATERIAL_CONCRETE);
    add_across(80, CAIRN_MATERIAL_CONCRETE);
    add_relay(&def, 35, 0);
    add_relay(&def, 65, 0);
    add_relay(&def, 60, 0); // one of two that would do alone: the shorter longest hop wins
    add_relay(&def, 50, 0);
    const cairn_medium_field *field = make(&def);
    const cairn_medium_route route = cairn_medium_field_route(field, origin, (cairn_vec2){100, 0});
    assert_int_equal(route.relay_count, 1);
    assert_int_equal(route.relays[0], 3);
    const double formula = 20 - (40 + 10 * (1.5 + 0.2) * log10(0.55 * (50 + 2)));
    assert_near(cairn_medium_field_dbm(field, &route.hops[0], 0), formula, 1e-9);
}

// ---- relays

static void a_relay_helps_where_the_direct_way_fails(void **state)
{
    (void)state;
    // A corner of metal: the direct way is dead, the relay at the corner sees both ends.
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        cairn_medium_def def = plain((cairn_medium_model)model);
        def.radio.wall_cost = 11;
        def.radio.log_distance.material_db[CAIRN_MATERIAL_METAL] = 90;
        arena.solid_count = 0;
        add_wall((cairn_pose2){10, 10, 0}, (cairn_vec3){16, 16, 2}, CAIRN_MATERIAL_METAL);
        const cairn_vec2 from_m = {1, 19}, to_m = {19, 1};
        assert_true(chance(make(&def), from_m, to_m) < 1e-3);
        add_relay(&def, 1, 1);
        const cairn_medium_field *field = make(&def);
        const cairn_medium_route route = cairn_medium_field_route(field, from_m, to_m);
        assert_int_equal(route.relay_count, 1);
        assert_int_equal(route.hop_count, model == CAIRN_MEDIUM_SUBT ? 1 : 2);
        assert_true(cairn_medium_field_chance(field, &route) > 0.999);
        // One in a dead zone is dead, too.
        cairn_medium_zone zone = {.at_m = {0, 0}, .size_m = {3, 3}};
        def.radio.zones = &zone;
        def.radio.zone_count = 1;
        assert_true(chance(make(&def), from_m, to_m) < 1e-3);
    }
}

static void a_good_direct_way_is_not_relayed(void **state)
{
    (void)state;
    for (int model = 0; model < CAIRN_MEDIUM_MODEL_COUNT; model++) {
        cairn_medium_def def = plain((cairn_medium_model)model);
        add_relay(&def, 10, 0);
        const cairn_medium_route route = cairn_medium_field_route(make(&def), origin, (cairn_vec2){20, 0});
        assert_int_equal(route.relay_count, 0);
    }
}

// All ways over at most three relays, tried one after the other.
static double best_chance_of_all(const cairn_medium_def *def, cairn_vec2 from_m, cairn_vec2 to_m)
{
    cairn_medium_def alone = *def;
    alone.radio.relay_count = 0;
    cairn_arena other;
    assert_ok(cairn_arena_create(&other, (size_t)1 << 18));
    cairn_medium_field *field;
    assert_ok(cairn_medium_field_create(&alone, &other, &field));
    const uint32_t count = def->radio.relay_count;
    double best = -INFINITY; // ln(chance) - 0.1 hops
    for (uint32_t code = 0; code < (count + 1) * (count + 1) * (count + 1); code++) {
        cairn_vec2 at_m = from_m;
        double sum = 0;
        for (uint32_t k = 0, rest = code; k < 4; k++, rest /= count + 1) {
            const uint32_t digit = rest % (count + 1);
            if (k < 3 && digit == count) { continue; } // none
            const cairn_vec2 next_m = k < 3 ? def->radio.relays[digit].at_m : to_m;
            sum += log(chance(field, at_m, next_m)) - 0.1;
            at_m = next_m;
        }
        best = fmax(best, sum);
    }
    cairn_arena_destroy(&other);
    return best;
}

static void the_way_is_the_best_of_all(void **state)
{
    (void)state;
    const uint64_t seed = 77;
    print_message("seed %lu\n", (unsigned long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "ways");
    uint32_t by_count[CAIRN_MEDIUM_HOPS_MAX] = {0};
    for (int run = 0; run < 20; run++) {
        cairn_medium_def def = plain(CAIRN_MEDIUM_LOG_DISTANCE);
        def.radio.log_distance.transmit_dbm = -24; // reaches about 20 m
        for (int i = 0; i < 3; i++) {
            const cairn_vec2 at_m = random_place(&random);
            add_relay(&def, at_m.x, at_m.y);
        }
        const cairn_medium_field *field = make(&def);
        for (int i = 0; i < 10; i++) {
            const cairn_vec2 from_m = random_place(&random), to_m = random_place(&random);
            const cairn_medium_route route = cairn_medium_field_route(field, from_m, to_m);
            const double best = best_chance_of_all(&def, from_m, to_m);
            by_count[route.relay_count]++;
            const double ours = log(cairn_medium_field_chance(field, &route)) - 0.1 * route.hop_count;
            if (best > log(1e-4)) { assert_near(ours, best, 1e-6); }
            if (route.relay_count > 0) { assert_near(ours, best, 1e-6); }
        }
    }
    assert_true(by_count[0] > 10 && by_count[1] > 10 && by_count[2] > 0);
}

static void too_little_memory_is_told(void **state)
{
    (void)state;
    const cairn_medium_def def = plain(CAIRN_MEDIUM_SIMPLE);
    add_across(2, CAIRN_MATERIAL_WOOD);
    (void)make(&def);
    for (size_t size_bytes = 0; size_bytes < memory.used_bytes; size_bytes += 512) {
        cairn_arena small;
        cairn_arena_init(&small, memory.base, size_bytes);
        cairn_medium_field *none = NULL;
        assert_int_equal(cairn_medium_field_create(&def, &small, &none), CAIRN_ERR_FULL);
        assert_null(none);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(strength_falls_with_the_logarithm_of_distance, begin, end),
        cmocka_unit_test_setup_teardown(each_wall_takes_what_its_material_takes, begin, end),
        cmocka_unit_test_setup_teardown(of_walls_that_touch_only_the_dearest_counts, begin, end),
        cmocka_unit_test_setup_teardown(at_its_sensitivity_a_receiver_loses_a_tenth, begin, end),
        cmocka_unit_test_setup_teardown(the_chance_of_a_way_is_the_mean_over_its_fading, begin, end),
        cmocka_unit_test_setup_teardown(the_margin_is_zero_where_a_tenth_is_lost, begin, end),
        cmocka_unit_test_setup_teardown(shadowing_belongs_to_the_places_and_the_seed, begin, end),
        cmocka_unit_test_setup_teardown(shadowing_has_the_stated_deviation, begin, end),
        cmocka_unit_test_setup_teardown(it_is_as_far_there_as_back, begin, end),
        cmocka_unit_test_setup_teardown(more_distance_or_another_wall_never_helps, begin, end),
        cmocka_unit_test_setup_teardown(subt_is_the_published_formula, begin, end),
        cmocka_unit_test_setup_teardown(in_subt_a_relay_resets_the_distance_to_the_longest_hop, begin, end),
        cmocka_unit_test_setup_teardown(in_subt_of_ways_with_the_same_walls_the_one_with_fewer_relays_is_taken, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_relay_helps_where_the_direct_way_fails, begin, end),
        cmocka_unit_test_setup_teardown(a_good_direct_way_is_not_relayed, begin, end),
        cmocka_unit_test_setup_teardown(the_way_is_the_best_of_all, begin, end),
        cmocka_unit_test_setup_teardown(too_little_memory_is_told, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
