// test_rejoin.c - a robot that is not sure of its place looks on its own map: found when it is lost, left where it is
// when it is right, also where half of what it sees is new to it.
#include "../base/check.h"
#include "base/random.h"
#include "geometry/rays.h"
#include "robot/place/rejoin.h"
#include <math.h>
#include <string.h>

#define SEED 3
#define BEAMS 1081
#define BEND_M 2.15 // between the middles of two stretches of a tunnel
#define HALF_M 0.775
#define STRETCHES 9
#define OFF_M 0.05 // by which its map is drawn wrongly

static cairn_arena memory;
static cairn_rejoin rejoin;
static cairn_own_map own;
static cairn_random dice;
static cairn_scan_points scan;

// A tunnel along the squares of a lattice; what is no tunnel is rock.
static struct {
    int32_t x[STRETCHES], y[STRETCHES];
    uint32_t box_count;
    cairn_vec2 boxes_m[16 * STRETCHES], halves_m[16 * STRETCHES];
} tunnel;

static bool is_joined(int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    for (int i = 0; i + 1 < STRETCHES; i++) {
        const bool on = tunnel.x[i] == x && tunnel.y[i] == y && tunnel.x[i + 1] == to_x && tunnel.y[i + 1] == to_y;
        const bool back = tunnel.x[i] == to_x && tunnel.y[i] == to_y && tunnel.x[i + 1] == x && tunnel.y[i + 1] == y;
        if (on || back) { return true; }
    }
    return false;
}

static void add_box(double x_m, double y_m, double half_x_m, double half_y_m)
{
    tunnel.boxes_m[tunnel.box_count] = (cairn_vec2){x_m, y_m};
    tunnel.halves_m[tunnel.box_count++] = (cairn_vec2){half_x_m, half_y_m};
}

static void dig(void)
{
    memset(&tunnel, 0, sizeof tunnel);
    // To and fro: beyond each wall lies another stretch of it.
    const int32_t length = 2 + (int32_t)cairn_random_below(&dice, 2);
    for (int i = 0; i < STRETCHES; i++) {
        const int32_t row = i / (int32_t)length, along = i % (int32_t)length;
        tunnel.x[i] = row % 2 == 0 ? along : length - 1 - along;
        tunnel.y[i] = row;
    }
    const double half_m = 0.5 * (BEND_M - 2 * HALF_M);
    for (int i = 0; i < STRETCHES; i++) {
        const double x_m = BEND_M * tunnel.x[i], y_m = BEND_M * tunnel.y[i];
        for (int side = -1; side <= 1; side += 2) {
            if (!is_joined(tunnel.x[i], tunnel.y[i], tunnel.x[i] + side, tunnel.y[i])) {
                add_box(x_m + side * (HALF_M + half_m), y_m, half_m, HALF_M + 2 * half_m);
            }
            if (!is_joined(tunnel.x[i], tunnel.y[i], tunnel.x[i], tunnel.y[i] + side)) {
                add_box(x_m, y_m + side * (HALF_M + half_m), HALF_M + 2 * half_m, half_m);
            }
        }
        for (int corner = 0; corner < 4; corner++) {
            add_box(x_m + (corner & 1 ? 1 : -1) * (HALF_M + half_m), y_m + (corner & 2 ? 1 : -1) * (HALF_M + half_m),
                    half_m, half_m);
        }
    }
}

static void look_from(cairn_pose2 place)
{
    scan = (cairn_scan_points){.count = BEAMS};
    for (int i = 0; i < BEAMS; i++) {
        const double at_rad = (i - BEAMS / 2) * 0.25 * CAIRN_PI / 180, bearing_rad = place.yaw_rad + at_rad;
        const cairn_vec2 along = {cos(bearing_rad), sin(bearing_rad)};
        double range_m = INFINITY;
        for (uint32_t box = 0; box < tunnel.box_count; box++) {
            const cairn_pose2 middle = {tunnel.boxes_m[box].x, tunnel.boxes_m[box].y, 0};
            const double to_m = cairn_ray_box2(cairn_pose2_at(place), along, middle, tunnel.halves_m[box]);
            if (to_m >= 0) { range_m = fmin(range_m, to_m); }
        }
        const double seen_m = fmin(range_m, 20) + 0.01 * cairn_random_gauss(&dice);
        scan.x_m[i] = (float)(seen_m * cos(at_rad));
        scan.y_m[i] = (float)(seen_m * sin(at_rad));
        scan.hit[i] = isfinite(range_m);
    }
}

static cairn_pose2 in_stretch(int i)
{
    return (cairn_pose2){BEND_M * tunnel.x[i] + cairn_random_between(&dice, -0.3, 0.3),
                         BEND_M * tunnel.y[i] + cairn_random_between(&dice, -0.3, 0.3),
                         cairn_random_between(&dice, -CAIRN_PI, CAIRN_PI)};
}

// A tunnel of which the robot has drawn so many stretches.
static void begin(int drawn)
{
    assert_ok(cairn_arena_create(&memory, 64 << 20));
    assert_ok(cairn_rejoin_init(&rejoin, &memory));
    assert_ok(cairn_own_map_init(&own, &memory));
    dig();
    for (int i = 0; i < 4 * drawn; i++) {
        const cairn_pose2 from = in_stretch(i / 4);
        look_from(from);
        const cairn_pose2 off = {cairn_random_between(&dice, -OFF_M, OFF_M), cairn_random_between(&dice, -OFF_M, OFF_M),
                                 0};
        cairn_own_map_add(&own, cairn_pose2_compose(from, off), &scan);
    }
}

// Ahead of what it has drawn a robot sees walls that it does not know yet: they must not be taken for others that look
// alike.
static void who_is_right_is_not_moved_by_walls_that_look_alike(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random_init(&dice, SEED, "tests/rejoin");
    for (int trial = 0; trial < 200; trial++) {
        begin(2 + trial % 4);
        const cairn_pose2 place = in_stretch(2 + trial % 4 + (int)cairn_random_below(&dice, 2));
        look_from(place);
        cairn_match match;
        if (cairn_rejoin_find(&rejoin, &own, &scan, place, 0.45, &match)) {
            const double moved_m = cairn_vec2_distance(cairn_pose2_at(place), cairn_pose2_at(match.pose));
            if (moved_m > 0.15) { fail_msg("tunnel %d: it was right, and was moved by %.2f m", trial, moved_m); }
        }
        cairn_arena_destroy(&memory);
    }
}

// A local map may fit and lie where it should not: only the own map can tell, and it must not cry wolf.
static void the_own_map_denies_a_place_that_is_half_a_metre_off_and_no_right_one(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/rejoin");
    int denied = 0;
    for (int trial = 0; trial < 60; trial++) {
        begin(STRETCHES);
        const cairn_pose2 place = in_stretch(1 + (int)cairn_random_below(&dice, STRETCHES - 2));
        look_from(place);
        assert_false(cairn_rejoin_is_denied(&own, &scan, place));
        const double way_rad = cairn_random_between(&dice, -CAIRN_PI, CAIRN_PI);
        const cairn_pose2 off = {place.x_m + 0.5 * cos(way_rad), place.y_m + 0.5 * sin(way_rad), place.yaw_rad};
        denied += cairn_rejoin_is_denied(&own, &scan, off);
        cairn_arena_destroy(&memory);
    }
    print_message("%d of 60 wrong places denied\n", denied);
    assert_true(denied >= 50);
}

// A robot in doubt stands until it is sure: where it was before, it must be.
static void who_is_right_where_it_was_before_is_borne_out(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/rejoin");
    int found = 0;
    for (int trial = 0; trial < 60; trial++) {
        begin(STRETCHES);
        const cairn_pose2 place = in_stretch(1 + (int)cairn_random_below(&dice, STRETCHES - 2));
        look_from(place);
        cairn_match match;
        const bool is_found = cairn_rejoin_find(&rejoin, &own, &scan, place, 0.45, &match);
        if (is_found) { assert_true(cairn_vec2_distance(cairn_pose2_at(place), cairn_pose2_at(match.pose)) < 0.15); }
        found += is_found;
        cairn_arena_destroy(&memory);
    }
    print_message("%d of 60 found\n", found);
    assert_true(found >= 35);
}

static void who_is_lost_where_it_was_before_is_found(void **unused)
{
    (void)unused;
    cairn_random_init(&dice, SEED, "tests/rejoin");
    int found = 0;
    for (int trial = 0; trial < 60; trial++) {
        begin(STRETCHES);
        const cairn_pose2 place = in_stretch(1 + (int)cairn_random_below(&dice, STRETCHES - 2));
        const double off_rad = cairn_random_between(&dice, -CAIRN_PI, CAIRN_PI);
        const cairn_pose2 guess = {place.x_m + 0.5 * cos(off_rad), place.y_m + 0.5 * sin(off_rad),
                                   place.yaw_rad + cairn_random_between(&dice, -0.03, 0.03)};
        look_from(place);
        cairn_match match;
        const bool is_found = cairn_rejoin_find(&rejoin, &own, &scan, guess, 0.45, &match);
        if (is_found) { assert_true(cairn_vec2_distance(cairn_pose2_at(place), cairn_pose2_at(match.pose)) < 0.15); }
        found += is_found;
        cairn_arena_destroy(&memory);
    }
    print_message("%d of 60 found\n", found);
    assert_true(found >= 35);
}

// A look that finds a place far off is believed once others have found the same over a way, never one alone.
static void a_far_place_is_believed_once_it_is_found_again_on_the_way(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 64 << 20));
    assert_ok(cairn_rejoin_init(&rejoin, &memory));
    const cairn_pose2 off = {3.0, -1.0, 0.05};
    const cairn_pose2 here = {2, 1, 0.4}, there = cairn_pose2_compose(off, here);
    assert_true(cairn_rejoin_bears_out(&rejoin, here, 1.2, (cairn_pose2){2.3, 1.1, 0.4}, 10)); // near: at once
    for (int i = 0; i < 10; i++) { assert_false(cairn_rejoin_bears_out(&rejoin, here, 1.2, there, 10)); } // it stands
    assert_false(cairn_rejoin_bears_out(&rejoin, here, 1.2, (cairn_pose2){-2, 1, 0.4}, 10.1)); // elsewhere: from anew
    bool believed = false;
    for (int i = 0; i < 40 && !believed; i++) {
        const cairn_pose2 on = cairn_pose2_compose(here, (cairn_pose2){0.1 * i, 0, 0});
        believed = cairn_rejoin_bears_out(&rejoin, on, 1.2, cairn_pose2_compose(off, on), 10.2 + 0.1 * i);
        assert_true(!believed || 0.1 * i > 1.4);
    }
    assert_true(believed);
    for (int i = 0; i < 2; i++) { assert_false(cairn_rejoin_bears_out(&rejoin, here, 6.0, there, 20)); }
    assert_true(cairn_rejoin_bears_out(&rejoin, here, 6.0, there, 20)); // it knows that it may be so far off
    cairn_arena_destroy(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_right_is_not_moved_by_walls_that_look_alike),
        cmocka_unit_test(the_own_map_denies_a_place_that_is_half_a_metre_off_and_no_right_one),
        cmocka_unit_test(who_is_right_where_it_was_before_is_borne_out),
        cmocka_unit_test(who_is_lost_where_it_was_before_is_found),
        cmocka_unit_test(a_far_place_is_believed_once_it_is_found_again_on_the_way),
    };
    return cmocka_run_group_tests_name("rejoin", tests, NULL, NULL);
}
