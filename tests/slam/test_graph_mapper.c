// Whole drives through a small building with bad odometry: loops close, and the map comes out where it should.
#include "../base/check.h"
#include "../matching/world.h"
#include "slam/mapper/graph_mapper.h"

#define SEED 4
#define NOISE_M 0.015
#define STEP_M 0.12
#define SCANS_MAX 1024

static cairn_scan_points points;

// A corridor around a block, with doorways and cupboards that tell one side from another.
static world make_building(void)
{
    world w = {0};
    world_add_box(&w, 0, 0, 16, 12);
    world_add_box(&w, 2.2, 2.2, 13.8, 9.8);
    world_add_box(&w, 5, 0, 5.8, 0.4);
    world_add_box(&w, 9.5, 1.8, 10.6, 2.2);
    world_add_box(&w, 15.5, 4, 16, 6);
    world_add_box(&w, 13.8, 7, 14.2, 7.6);
    world_add_box(&w, 11, 11.4, 12.5, 12);
    world_add_box(&w, 6, 9.8, 6.6, 10.3);
    world_add_box(&w, 0, 7, 0.5, 7.9);
    world_add(&w, 2.2, 4, 1.7, 4.5);
    return w;
}

// Around the block, so many metres, through the middle of the corridor; corners are turned on the way.
static cairn_pose2 place_at(double way_m)
{
    static const cairn_vec2 corners[4] = {{1.1, 1.1}, {14.9, 1.1}, {14.9, 10.9}, {1.1, 10.9}};
    const double lengths[4] = {13.8, 9.8, 13.8, 9.8};
    way_m = fmod(way_m + 1, 2 * (13.8 + 9.8));
    int side = 0;
    while (way_m > lengths[side]) { way_m -= lengths[side++]; }
    const double heading = side * 0.5 * CAIRN_PI, left = lengths[side] - way_m;
    const double turn = left < 0.6 ? 0.5 * (1 - left / 0.6) : way_m < 0.6 ? -0.5 * (1 - way_m / 0.6) : 0;
    return (cairn_pose2){corners[side].x + way_m * cos(heading), corners[side].y + way_m * sin(heading),
                         cairn_angle_wrap(heading + turn * 0.5 * CAIRN_PI)};
}

typedef struct drive {
    cairn_graph_mapper *mapper;
    cairn_pose2 truth[1024], odom[1024];
    uint32_t count;
} drive;

static void drive_along(drive *d, const world *w, double way_m, double twist_radpm, cairn_random *random)
{
    cairn_pose2 odom = place_at(0);
    d->count = (uint32_t)(way_m / STEP_M);
    assert_true(d->count <= 1024);
    for (uint32_t i = 0; i < d->count; i++) {
        d->truth[i] = place_at(i * STEP_M);
        if (i > 0) {
            cairn_pose2 moved = cairn_pose2_between(d->truth[i - 1], d->truth[i]);
            moved.x_m *= 1.02 + 0.02 * cairn_random_gauss(random);
            moved.yaw_rad += twist_radpm * STEP_M + 0.005 * cairn_random_gauss(random);
            odom = cairn_pose2_compose(odom, moved);
        }
        d->odom[i] = odom;
        world_scan(w, d->truth[i], NOISE_M, 30, random, &points);
        assert_ok(cairn_graph_mapper_step(d->mapper, &points, odom));
    }
    assert_ok(cairn_graph_mapper_finish(d->mapper));
}

static cairn_graph_mapper_def mapper_def(uint32_t scans_max)
{
    cairn_graph_mapper_def def = cairn_graph_mapper_def_default();
    def.follow.nodes_max = SCANS_MAX;
    def.follow.scans_max = scans_max;
    def.follow.beams_max = WORLD_BEAMS;
    return def;
}

static cairn_graph_mapper *make_mapper(const cairn_graph_mapper_def *def, cairn_arena *ret_memory)
{
    cairn_graph_mapper *mapper;
    assert_ok(cairn_arena_create(ret_memory, cairn_graph_mapper_bytes(def)));
    assert_ok(cairn_graph_mapper_create(def, ret_memory, &mapper));
    return mapper;
}

static cairn_graph_mapper *make_default_mapper(cairn_arena *ret_memory)
{
    const cairn_graph_mapper_def def = mapper_def(SCANS_MAX);
    return make_mapper(&def, ret_memory);
}

static double error_m(const drive *d, uint32_t i)
{
    const cairn_pose2 pose = cairn_graph_mapper_pose(d->mapper, i);
    return hypot(pose.x_m - d->truth[i].x_m, pose.y_m - d->truth[i].y_m);
}

// Wheels that turn the robot by half a degree a metre put it metres off after a lap; the graph must not be.
static void a_lap_and_a_half_with_bad_wheels_is_mapped_to_a_few_centimetres(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper lap");
    const world w = make_building();
    cairn_arena memory;
    static drive d;
    d.mapper = make_default_mapper(&memory);
    drive_along(&d, &w, 75, 0.5 * CAIRN_PI / 180, &random);
    double worst = 0, odom_worst = 0;
    for (uint32_t i = 0; i < d.count; i++) {
        worst = fmax(worst, error_m(&d, i));
        odom_worst = fmax(odom_worst, hypot(d.odom[i].x_m - d.truth[i].x_m, d.odom[i].y_m - d.truth[i].y_m));
    }
    const cairn_graph_mapper_info info = cairn_graph_mapper_told(d.mapper);
    print_message("worst %.3f m, odometry %.2f m; %u nodes, %u closures\n", worst, odom_worst, info.node_count,
                  info.closure_count);
    assert_true(odom_worst > 2);
    assert_true(worst < 0.12);
    assert_true(info.closure_count >= 5);
    cairn_arena_destroy(&memory);
}

// After a long loop the robot may come home tens of metres off, and no window is that large: each visit that may be is
// tried as if it were the very place. Here all are.
static void a_lap_is_closed_by_trying_every_visit(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper far");
    const world w = make_building();
    cairn_arena memory;
    static drive d;
    cairn_graph_mapper_def def = mapper_def(SCANS_MAX);
    def.closer.tries_max = 0;
    def.closer.far_m = 0;
    d.mapper = make_mapper(&def, &memory);
    drive_along(&d, &w, 60, 0.5 * CAIRN_PI / 180, &random);
    const cairn_graph_mapper_info info = cairn_graph_mapper_told(d.mapper);
    print_message("off by %.3f m; %u closures\n", error_m(&d, d.count - 1), info.closure_count);
    assert_true(info.closure_count >= 3);
    assert_true(error_m(&d, d.count - 1) < 0.12);
    cairn_arena_destroy(&memory);
}

// A laser that fails leaves the wheels: the mapper must go on and not stop.
static void blind_scans_are_followed_by_odometry(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper blind");
    const world w = make_building();
    cairn_arena memory;
    cairn_graph_mapper *mapper = make_default_mapper(&memory);
    for (uint32_t i = 0; i < 60; i++) {
        world_scan(&w, place_at(i * STEP_M), NOISE_M, 30, &random, &points);
        if (i >= 20 && i < 40) { points.count = 0; }
        assert_ok(cairn_graph_mapper_step(mapper, &points, place_at(i * STEP_M)));
    }
    assert_ok(cairn_graph_mapper_finish(mapper));
    assert_false(cairn_graph_mapper_follow(mapper)->scans[30].is_matched);
    assert_true(cairn_graph_mapper_follow(mapper)->scans[59].is_matched);
    const cairn_pose2 last = cairn_graph_mapper_pose(mapper, 59), wanted = place_at(59 * STEP_M);
    assert_true(hypot(last.x_m - wanted.x_m, last.y_m - wanted.y_m) < 0.1);
    cairn_arena_destroy(&memory);
}

// A robot may have no encoders, or they may fail: its scans alone must do.
static void a_drive_without_odometry_is_followed_by_its_scans(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper without odometry");
    const world w = make_building();
    cairn_arena memory;
    cairn_graph_mapper *mapper = make_default_mapper(&memory);
    for (uint32_t i = 0; i < 100; i++) { // 8 m, then it stands
        world_scan(&w, place_at(fmin(i, 80) * 0.1), NOISE_M, 30, &random, &points);
        assert_ok(cairn_graph_mapper_step(mapper, &points, place_at(0)));
    }
    assert_ok(cairn_graph_mapper_finish(mapper));
    const cairn_pose2 last = cairn_graph_mapper_pose(mapper, 99), wanted = place_at(8);
    print_message("off by %.3f m, %.4f rad\n", hypot(last.x_m - wanted.x_m, last.y_m - wanted.y_m),
                  cairn_angle_between(last.yaw_rad, wanted.yaw_rad));
    assert_true(hypot(last.x_m - wanted.x_m, last.y_m - wanted.y_m) < 0.1);
    assert_true(fabs(cairn_angle_between(last.yaw_rad, wanted.yaw_rad)) < 0.02);
    cairn_arena_destroy(&memory);
}

static double off_m(const cairn_graph_mapper *mapper, uint32_t scan, cairn_pose2 wanted)
{
    const cairn_pose2 pose = cairn_graph_mapper_pose(mapper, scan);
    print_message("scan %u off by %.3f m, %.4f rad\n", scan, hypot(pose.x_m - wanted.x_m, pose.y_m - wanted.y_m),
                  cairn_angle_between(pose.yaw_rad, wanted.yaw_rad));
    return hypot(pose.x_m - wanted.x_m, pose.y_m - wanted.y_m) +
           fabs(cairn_angle_between(pose.yaw_rad, wanted.yaw_rad));
}

static cairn_pose2 turning(uint32_t scan)
{
    const double turned_rad = 0.3 * scan;
    return (cairn_pose2){14.5 + 0.1 * sin(turned_rad), 1.4 - 0.1 * cos(turned_rad), cairn_angle_wrap(turned_rad)};
}

// A computer that is busy sends odometry late: it stands for a second while the robot drives on, and then makes up for
// all of it at once. Scans have followed meanwhile, and the way must not count twice.
static void odometry_that_comes_late_does_not_count_twice(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper late");
    const world w = make_building();
    cairn_arena memory;
    cairn_graph_mapper *mapper = make_default_mapper(&memory);
    for (uint32_t i = 0; i < 30; i++) { // it turns at a corner, by 0.3 rad from scan to scan
        const uint32_t told = i < 10 || i > 16 ? i : 10;
        world_scan(&w, turning(i), NOISE_M, 30, &random, &points);
        assert_ok(cairn_graph_mapper_step(mapper, &points, turning(told)));
    }
    assert_ok(cairn_graph_mapper_finish(mapper));
    for (uint32_t i = 9; i < 30; i += 4) { assert_true(off_m(mapper, i, turning(i)) < 0.12); }
    cairn_arena_destroy(&memory);
}

// Nor is a robot lost that was pushed between two scans, so that it neither goes on as it went nor as its
// wheels say.
static void a_robot_that_was_pushed_between_two_scans_is_found_again(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "graph mapper pushed");
    const world w = make_building();
    cairn_arena memory;
    cairn_graph_mapper *mapper = make_default_mapper(&memory);
    const cairn_pose2 pushed = {-1.0, 0.2, 0.7};
    for (uint32_t i = 0; i < 60; i++) {
        const cairn_pose2 odom = place_at(110 * STEP_M + fmin(i, 30) * 0.02);
        const cairn_pose2 truth = i < 30 ? odom : cairn_pose2_compose(odom, pushed);
        world_scan(&w, truth, NOISE_M, 30, &random, &points);
        assert_ok(cairn_graph_mapper_step(mapper, &points, odom));
    }
    assert_ok(cairn_graph_mapper_finish(mapper));
    assert_true(off_m(mapper, 59, cairn_pose2_compose(place_at(110 * STEP_M + 0.6), pushed)) < 0.12);
    cairn_arena_destroy(&memory);
}

static void more_scans_than_were_planned_for_are_refused(void **state)
{
    (void)state;
    cairn_arena memory;
    const cairn_graph_mapper_def def = mapper_def(2);
    cairn_graph_mapper *mapper = make_mapper(&def, &memory);
    points.count = 0;
    assert_ok(cairn_graph_mapper_step(mapper, &points, (cairn_pose2){0}));
    assert_ok(cairn_graph_mapper_step(mapper, &points, (cairn_pose2){0}));
    assert_int_equal(cairn_graph_mapper_step(mapper, &points, (cairn_pose2){0}), CAIRN_ERR_FULL);
    cairn_arena_destroy(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lap_and_a_half_with_bad_wheels_is_mapped_to_a_few_centimetres),
        cmocka_unit_test(a_lap_is_closed_by_trying_every_visit),
        cmocka_unit_test(blind_scans_are_followed_by_odometry),
        cmocka_unit_test(a_drive_without_odometry_is_followed_by_its_scans),
        cmocka_unit_test(odometry_that_comes_late_does_not_count_twice),
        cmocka_unit_test(a_robot_that_was_pushed_between_two_scans_is_found_again),
        cmocka_unit_test(more_scans_than_were_planned_for_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
