// test_embree.c - what lasers and thermal cameras see, against rays that try every box.
#include "base/random.h"
#include "check.h"
#include "emu.h"
#include "geometry/rays.h"
#include "near.h"
#include "sim/senses/rays.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

#define SEED 40417
#define BOXES 60
#define BEAMS 1081
#define FIELD_RAD (1.5 * CAIRN_PI)
#define RANGE_M_MAX 30.0

static const cairn_rays_kind *const embree = &cairn_rays_embree;
static const double AMBIENT_C = 20;

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

static cairn_rays *create(const cairn_sim_arena *place, uint32_t robot_count, const cairn_body_description *robot)
{
    static cairn_complaints complaints;
    const cairn_body_description *robots[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < robot_count; i++) { robots[i] = robot; }
    const cairn_rays_def def = {.arena = place, .robot_count = robot_count, .robots = robots};
    cairn_rays *rays = NULL;
    assert_ok(embree->create(&def, &complaints, &rays));
    return rays;
}

static cairn_pose3 at(double x_m, double y_m, double z_m, double yaw_rad)
{
    return cairn_pose3_from_pose2((cairn_pose2){x_m, y_m, yaw_rad}, z_m);
}

static cairn_sweep still_sweep(uint32_t robot, cairn_pose3 map_T_laser)
{
    return (cairn_sweep){.robot = robot,
                         .beam_count = BEAMS,
                         .angle_rad_first = -0.5 * FIELD_RAD,
                         .angle_rad_step = FIELD_RAD / (BEAMS - 1),
                         .range_m_max = RANGE_M_MAX,
                         .map_T_laser_first = map_T_laser,
                         .map_T_laser_last = map_T_laser};
}

// Boxes of all sizes, turned every way, some through the floor, in a place of 20 m x 20 m.
static cairn_sim_arena random_place(cairn_random *random, cairn_solid solids[BOXES])
{
    for (int i = 0; i < BOXES; i++) {
        const cairn_rpy rpy = {cairn_random_between(random, -3, 3), cairn_random_between(random, -1.5, 1.5),
                               cairn_random_between(random, -3, 3)};
        solids[i] = (cairn_solid){
            .kind = CAIRN_SOLID_BOX, .owner = (uint32_t)i, .temperature_c = cairn_random_between(random, 0, 40)};
        solids[i].map_T_box.turn = cairn_quat_from_rpy(rpy);
        solids[i].map_T_box.at_m =
            (cairn_vec3){cairn_random_between(random, 0, 20), cairn_random_between(random, 0, 20),
                         cairn_random_between(random, 0, 2)};
        solids[i].half_m = (cairn_vec3){cairn_random_between(random, 0.05, 1), cairn_random_between(random, 0.05, 1),
                                        cairn_random_between(random, 0.05, 1)};
    }
    return (cairn_sim_arena){.size_m = {20, 20}, .ambient_c = AMBIENT_C, .solid_count = BOXES, .solids = solids};
}

// What a ray meets first, by trying everything.
typedef struct sight {
    double range_m; // INFINITY: nothing
    double celsius;
} sight;

static sight look(const cairn_sim_arena *place, cairn_vec3 from, cairn_vec3 direction)
{
    sight seen = {INFINITY, place->ambient_c};
    for (uint32_t i = 0; i < place->solid_count; i++) {
        const cairn_solid *solid = &place->solids[i];
        const double range_m = cairn_ray_box3(from, direction, solid->map_T_box, solid->half_m);
        if (range_m >= 0 && range_m < seen.range_m) { seen = (sight){range_m, solid->temperature_c}; }
    }
    const double floor_m = -from.z / direction.z;
    const cairn_vec3 foot = cairn_vec3_add(from, cairn_vec3_scale(direction, floor_m));
    const bool on_floor = foot.x >= 0 && foot.y >= 0 && foot.x <= place->size_m.x && foot.y <= place->size_m.y;
    if (floor_m >= 0 && on_floor && floor_m < seen.range_m) { seen = (sight){floor_m, place->ambient_c}; }
    return seen;
}

// Tilted as on rough ground, above the floor and not inside a box.
static cairn_pose3 random_view(cairn_random *random, const cairn_sim_arena *place)
{
    for (;;) {
        const cairn_rpy rpy = {cairn_random_between(random, -0.6, 0.6), cairn_random_between(random, -0.6, 0.6),
                               cairn_random_between(random, -3.1, 3.1)};
        const cairn_pose3 view = {{cairn_random_between(random, 1, 19), cairn_random_between(random, 1, 19),
                                   cairn_random_between(random, 0.1, 1)},
                                  cairn_quat_from_rpy(rpy)};
        if (look(place, view.at_m, (cairn_vec3){1, 0, 0}).range_m > 0) { return view; }
    }
}

static cairn_vec3 beam_direction(const cairn_sweep *sweep, uint32_t beam, cairn_quat turn)
{
    const double angle_rad = sweep->angle_rad_first + beam * sweep->angle_rad_step;
    return cairn_quat_rotate(turn, (cairn_vec3){cos(angle_rad), sin(angle_rad), 0});
}

// Beams that graze an edge may go either way: it lies within a micrometre. Returns how many beams differ.
static int compare_sweep(const cairn_rays *rays, const cairn_sim_arena *place, const cairn_sweep *sweep)
{
    float range_m[BEAMS];
    embree->sweep(rays, sweep, range_m);
    int different = 0;
    for (uint32_t i = 0; i < BEAMS; i++) {
        const double part = (double)i / (BEAMS - 1);
        const cairn_pose3 laser = cairn_pose3_blend(sweep->map_T_laser_first, sweep->map_T_laser_last, part);
        const sight seen = look(place, laser.at_m, beam_direction(sweep, i, laser.turn));
        const double should_be_m = seen.range_m <= sweep->range_m_max ? seen.range_m : INFINITY;
        const bool same = isinf(should_be_m) ? isinf(range_m[i]) : fabs(range_m[i] - should_be_m) < 0.001;
        different += !same;
    }
    return different;
}

static void ranges_are_those_of_trying_every_box(void **state)
{
    (void)state;
    cairn_random random = stream("still");
    const cairn_body_description robot = emu();
    int different = 0;
    for (int i = 0; i < 5; i++) {
        cairn_solid solids[BOXES];
        const cairn_sim_arena place = random_place(&random, solids);
        cairn_rays *rays = create(&place, 1, &robot);
        for (int k = 0; k < 8; k++) {
            const cairn_sweep sweep = still_sweep(0, random_view(&random, &place));
            different += compare_sweep(rays, &place, &sweep);
        }
        embree->destroy(rays);
    }
    print_message("%d of %d beams differ\n", different, 5 * 8 * BEAMS);
    assert_true(different <= 1);
}

// The laser drives on and turns while its mirror does: faster here than any robot.
static void beams_of_a_moving_laser_leave_from_where_it_is(void **state)
{
    (void)state;
    cairn_random random = stream("moving");
    const cairn_body_description robot = emu();
    cairn_solid solids[BOXES];
    const cairn_sim_arena place = random_place(&random, solids);
    cairn_rays *rays = create(&place, 1, &robot);
    int different = 0, moved = 0;
    for (int i = 0; i < 20; i++) {
        cairn_sweep sweep = still_sweep(0, random_view(&random, &place));
        const cairn_pose3 first_T_last = {{0.03, 0.01, 0}, cairn_quat_from_rpy((cairn_rpy){0.01, 0.02, -0.08})};
        sweep.map_T_laser_last = cairn_pose3_compose(sweep.map_T_laser_first, first_T_last);
        if (look(&place, sweep.map_T_laser_last.at_m, (cairn_vec3){1, 0, 0}).range_m == 0) {
            continue;
        } // drove into a box
        different += compare_sweep(rays, &place, &sweep);

        float moving_m[BEAMS], still_m[BEAMS];
        embree->sweep(rays, &sweep, moving_m);
        sweep.map_T_laser_last = sweep.map_T_laser_first;
        embree->sweep(rays, &sweep, still_m);
        for (int k = 0; k < BEAMS; k++) { moved += fabsf(moving_m[k] - still_m[k]) > 0.01f; }
    }
    print_message("%d of %d beams differ\n", different, 20 * BEAMS);
    assert_true(different <= 1);
    assert_true(moved > BEAMS); // so that this test tells the two apart
    embree->destroy(rays);
}

static void nothing_within_range_is_infinitely_far(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid wall = {.map_T_box = at(8, 5, 1, 0), .half_m = {0.05, 5, 1}};
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = AMBIENT_C, .solid_count = 1, .solids = &wall};
    cairn_rays *rays = create(&place, 1, &robot);
    cairn_sweep sweep = still_sweep(0, at(5, 5, 0.3, 0));
    float range_m[BEAMS];
    embree->sweep(rays, &sweep, range_m);
    assert_near(range_m[BEAMS / 2], 2.95, 1e-5);
    assert_true(isinf(range_m[0]) && range_m[0] > 0);
    sweep.range_m_max = 2.9;
    embree->sweep(rays, &sweep, range_m);
    assert_true(isinf(range_m[BEAMS / 2]));
    embree->destroy(rays);
}

static void a_robot_sees_others_and_not_itself(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = AMBIENT_C};
    cairn_rays *rays = create(&place, 3, &robot);
    const cairn_pose3 base_T_laser = at(0.16, 0, 0.33, 0);
    float range_m[BEAMS];

    // Two stand 3 m ahead of each other; the third is behind, out of their fields.
    const cairn_pose3 poses[] = {at(2, 5, 0, 0), at(5, 5, 0, CAIRN_PI), at(5, 8, 0, 0)};
    embree->set_robots(rays, poses);
    cairn_sweep sweep = still_sweep(0, cairn_pose3_compose(poses[0], base_T_laser));
    embree->sweep(rays, &sweep, range_m);
    // The other's head is seen, 0.10 m behind its middle and 0.22 m long, over its hull.
    assert_near(range_m[BEAMS / 2], 3 - 0.16 + 0.10 - 0.11, 1e-4);
    int seen = 0;
    for (int i = 0; i < BEAMS; i++) { seen += isfinite(range_m[i]) != 0; }
    assert_true(seen > 10 && seen < 60); // one robot ahead, one to the left; nothing of itself

    sweep = still_sweep(1, cairn_pose3_compose(poses[1], base_T_laser));
    embree->sweep(rays, &sweep, range_m);
    assert_near(range_m[BEAMS / 2], 3 - 0.16 + 0.10 - 0.11, 1e-4);

    // Moved away, and lower: only the floor is left, which a level laser does not meet.
    const cairn_pose3 apart[] = {at(2, 5, 0, 0), at(5, 5, -2, 0), at(5, 8, -2, 0)};
    embree->set_robots(rays, apart);
    sweep = still_sweep(0, cairn_pose3_compose(apart[0], base_T_laser));
    embree->sweep(rays, &sweep, range_m);
    for (int i = 0; i < BEAMS; i++) { assert_true(isinf(range_m[i])); }
    embree->destroy(rays);
}

static void wheels_and_hull_are_seen_where_the_description_says(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = AMBIENT_C};
    cairn_rays *rays = create(&place, 2, &robot);
    const cairn_pose3 poses[] = {at(1, 1, 0, 0), at(5, 5, 0, 0)};
    embree->set_robots(rays, poses);
    const struct {
        cairn_pose3 from;
        double range_m;
    } views[] = {
        {at(6, 5, 0.15, CAIRN_PI), 1 - 0.27},                // the nose of the hull
        {at(5.15, 6, 0.12, -CAIRN_PI / 2), 1 - 0.19 - 0.03}, // the outside of the front left wheel
        {at(5, 6, 0.15, -CAIRN_PI / 2), 1 - 0.155},          // the hull between the wheels
        {at(5.5, 5, 0.03, CAIRN_PI), INFINITY},              // under the hull
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const cairn_sweep sweep = still_sweep(0, views[i].from);
        float range_m[BEAMS];
        embree->sweep(rays, &sweep, range_m);
        if (isinf(views[i].range_m)) {
            assert_true(isinf(range_m[BEAMS / 2]));
        } else {
            assert_near(range_m[BEAMS / 2], views[i].range_m, 1e-4);
        }
    }
    embree->destroy(rays);
}

#define WIDE 80
#define HIGH 60

static cairn_thermal_view picture(cairn_pose3 map_T_camera)
{
    return (cairn_thermal_view){.robot = 0,
                                .width_px = WIDE,
                                .height_px = HIGH,
                                .field_rad = 70 * CAIRN_PI / 180,
                                .map_T_camera = map_T_camera};
}

static void temperatures_are_those_of_trying_every_box(void **state)
{
    (void)state;
    cairn_random random = stream("thermal");
    const cairn_body_description robot = emu();
    cairn_solid solids[BOXES];
    const cairn_sim_arena place = random_place(&random, solids);
    cairn_rays *rays = create(&place, 1, &robot);
    int different = 0, warm = 0;
    for (int i = 0; i < 8; i++) {
        const cairn_thermal_view view = picture(random_view(&random, &place));
        float celsius[HIGH][WIDE];
        embree->thermal(rays, &view, &celsius[0][0]);
        const double pixel = 2 * tan(0.5 * view.field_rad) / WIDE; // size at 1 m
        for (int row = 0; row < HIGH; row++) {
            for (int column = 0; column < WIDE; column++) {
                const cairn_vec3 ray = {1, -(column + 0.5 - 0.5 * WIDE) * pixel, -(row + 0.5 - 0.5 * HIGH) * pixel};
                const cairn_vec3 direction = cairn_quat_rotate(view.map_T_camera.turn, ray);
                const sight seen =
                    look(&place, view.map_T_camera.at_m, cairn_vec3_scale(direction, 1 / cairn_vec3_length(direction)));
                different += fabs(celsius[row][column] - seen.celsius) > 1e-4;
                warm += fabs(seen.celsius - AMBIENT_C) > 1;
            }
        }
    }
    print_message("%d of %d pixels differ\n", different, 8 * WIDE * HIGH);
    assert_true(warm > WIDE * HIGH);
    assert_true(different <= 2);
    embree->destroy(rays);
}

// A person ahead, to the left and above the middle of the picture; then a wall between.
static void a_victim_is_warm_where_it_is_and_hidden_by_a_wall(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid solids[] = {
        {.kind = CAIRN_SOLID_VICTIM, .map_T_box = at(4, 6, 1, 0), .half_m = {0.1, 0.2, 0.2}, .temperature_c = 34},
        {.kind = CAIRN_SOLID_WALL, .map_T_box = at(3, 5, 1, 0), .half_m = {0.05, 5, 1}, .temperature_c = AMBIENT_C}};
    for (uint32_t solid_count = 1; solid_count <= 2; solid_count++) {
        const cairn_sim_arena place = {
            .size_m = {10, 10}, .ambient_c = AMBIENT_C, .solid_count = solid_count, .solids = solids};
        cairn_rays *rays = create(&place, 1, &robot);
        const cairn_thermal_view view = picture(at(2, 5, 0.3, 0));
        float celsius[HIGH][WIDE];
        embree->thermal(rays, &view, &celsius[0][0]);
        int warm = 0;
        for (int row = 0; row < HIGH; row++) {
            for (int column = 0; column < WIDE; column++) {
                if (celsius[row][column] < 30) { continue; }
                warm++;
                assert_near(celsius[row][column], 34, 1e-4);
                assert_true(row < HIGH / 2 && column < WIDE / 2);
            }
        }
        assert_true(solid_count == 1 ? warm > 50 : warm == 0);
        embree->destroy(rays);
    }
}

typedef struct caster {
    const cairn_rays *rays;
    cairn_sweep sweep;
    float range_m[BEAMS];
} caster;

static void *cast_often(void *context)
{
    caster *it = context;
    for (int i = 0; i < 50; i++) { embree->sweep(it->rays, &it->sweep, it->range_m); }
    return NULL;
}

static void casts_on_two_threads_are_those_on_one(void **state)
{
    (void)state;
    cairn_random random = stream("threads");
    const cairn_body_description robot = emu();
    cairn_solid solids[BOXES];
    const cairn_sim_arena place = random_place(&random, solids);
    cairn_rays *rays = create(&place, 2, &robot);
    static caster together[2], alone[2];
    pthread_t threads[2];
    for (uint32_t i = 0; i < 2; i++) {
        together[i] = (caster){.rays = rays, .sweep = still_sweep(i, random_view(&random, &place))};
        alone[i] = together[i];
        assert_int_equal(pthread_create(&threads[i], NULL, cast_often, &together[i]), 0);
    }
    for (int i = 0; i < 2; i++) { assert_int_equal(pthread_join(threads[i], NULL), 0); }
    for (int i = 0; i < 2; i++) {
        cast_often(&alone[i]);
        assert_memory_equal(alone[i].range_m, together[i].range_m, sizeof alone[i].range_m);
    }
    embree->destroy(rays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_those_of_trying_every_box),
        cmocka_unit_test(beams_of_a_moving_laser_leave_from_where_it_is),
        cmocka_unit_test(nothing_within_range_is_infinitely_far),
        cmocka_unit_test(a_robot_sees_others_and_not_itself),
        cmocka_unit_test(wheels_and_hull_are_seen_where_the_description_says),
        cmocka_unit_test(temperatures_are_those_of_trying_every_box),
        cmocka_unit_test(a_victim_is_warm_where_it_is_and_hidden_by_a_wall),
        cmocka_unit_test(casts_on_two_threads_are_those_on_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
