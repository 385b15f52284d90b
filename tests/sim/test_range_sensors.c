// test_range_sensors.c - range imagers, infrared, sonar and GPS: their rays against scenes that can be worked out by
// hand, one kind of rays against the other, and their errors against their models.
// Tolerances of means and deviations are four deviations of what is estimated, as in test_sensors.c.
#include "check.h"
#include "emu.h"
#include "moments.h"
#include "sim/senses/gps.h"
#include "sim/senses/range_sensors.h"
#include <math.h>
#include <string.h>

#define SEED 20260
#define DEGREE (CAIRN_PI / 180)

static const cairn_rays_kind *const kinds[] = {
    &cairn_rays_planar,
#ifdef CAIRN_HAS_EMBREE
    &cairn_rays_embree,
#endif
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static cairn_rays *create(const cairn_rays_kind *kind, const cairn_sim_arena *place, uint32_t robot_count,
                          const cairn_body_description *robot)
{
    static cairn_complaints complaints;
    const cairn_body_description *robots[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < robot_count; i++) { robots[i] = robot; }
    const cairn_rays_def def = {.arena = place, .robot_count = robot_count, .robots = robots};
    cairn_rays *rays = NULL;
    assert_ok(kind->create(&def, &complaints, &rays));
    cairn_pose3 poses[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < robot_count; i++) { poses[i] = (cairn_pose3){{-50, -50, 0}, {1, 0, 0, 0}}; }
    kind->set_robots(rays, poses);
    return rays;
}

static cairn_pose3 at(double x_m, double y_m, double z_m, double pitch_rad, double yaw_rad)
{
    return (cairn_pose3){{x_m, y_m, z_m}, cairn_quat_from_rpy((cairn_rpy){0, pitch_rad, yaw_rad})};
}

// What a sensor without noise reads from a pose.
static double reads(const cairn_rays_kind *kind, const cairn_rays *rays, const cairn_range_sensor_description *sensor,
                    cairn_pose3 map_T_sensor)
{
    cairn_vec3 directions[CAIRN_RANGE_RAYS_MAX];
    cairn_ray_hit hits[CAIRN_RANGE_RAYS_MAX];
    const cairn_cast cast = {.map_T_sensor = map_T_sensor,
                             .ray_count = cairn_range_rays(sensor, directions),
                             .directions = directions,
                             .range_m_max = sensor->range_m_max};
    kind->cast(rays, &cast, hits);
    cairn_random random;
    cairn_random_init(&random, SEED, "reads");
    return (double)cairn_range_measure(sensor, &random, hits, cast.ray_count);
}

static const cairn_range_sensor_description infrared = {
    .kind = CAIRN_RANGE_INFRARED, .range_m_min = 0.05, .range_m_max = 5};
static const cairn_range_sensor_description sonar = {
    .kind = CAIRN_RANGE_SONAR, .field_rad = 30 * DEGREE, .range_m_min = 0.05, .range_m_max = 5};

// ---- rays

static void infrared_reads_a_wall_the_floor_and_nothing(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid wall = {.kind = CAIRN_SOLID_WALL, .map_T_box = at(7.05, 5, 1, 0, 0), .half_m = {0.05, 5, 1}};
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = 20, .solid_count = 1, .solids = &wall};
    for (size_t i = 0; i < KINDS; i++) {
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        assert_near(reads(kinds[i], rays, &infrared, at(5, 5, 0.3, 0, 0)), 2, 1e-5);
        assert_near(reads(kinds[i], rays, &infrared, at(5, 5, 0.3, 0, 0.5)), 2 / cos(0.5), 1e-5);
        assert_near(reads(kinds[i], rays, &infrared, at(5, 5, 0.3, 30 * DEGREE, CAIRN_PI)), 0.6, 1e-5); // the floor
        assert_near(reads(kinds[i], rays, &infrared, at(5, 5, 0.3, 90 * DEGREE, 0)), 0.3, 1e-5);
        assert_true(isinf(reads(kinds[i], rays, &infrared, at(5, 5, 0.3, 0, CAIRN_PI))));
        assert_true(isnan(reads(kinds[i], rays, &infrared, at(6.97, 5, 0.3, 0, 0)))); // too near
        kinds[i]->destroy(rays);
    }
}

// Floor of four slabs around a hole of 1 x 1 m, 0.6 m deep, and none elsewhere below it.
static void a_hole_under_a_floor_sensor_reads_deeper(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid ground[] = {
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(2.25, 5, -0.5, 0, 0), .half_m = {2.25, 5, 0.5}},
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(7.75, 5, -0.5, 0, 0), .half_m = {2.25, 5, 0.5}},
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(5, 2.25, -0.5, 0, 0), .half_m = {0.5, 2.25, 0.5}},
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(5, 7.75, -0.5, 0, 0), .half_m = {0.5, 2.25, 0.5}},
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(5, 5, -0.8, 0, 0), .half_m = {0.5, 0.5, 0.2}},
    };
    cairn_sim_arena place = {
        .size_m = {10, 10}, .ambient_c = 20, .has_holes = true, .solid_count = 5, .solids = ground};
    const cairn_range_sensor_description deep = {.kind = CAIRN_RANGE_INFRARED, .range_m_min = 0.05, .range_m_max = 50};
    for (size_t i = 0; i < KINDS; i++) {
        place.solid_count = 5;
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        assert_near(reads(kinds[i], rays, &infrared, at(4.2, 5, 0.25, 90 * DEGREE, 0)), 0.25, 1e-5);
        assert_near(reads(kinds[i], rays, &infrared, at(5, 5, 0.25, 90 * DEGREE, 0)), 0.85, 1e-5);
        kinds[i]->destroy(rays);
        place.solid_count = 4; // without a bottom there is only the plane far below
        rays = create(kinds[i], &place, 1, &robot);
        assert_near(reads(kinds[i], rays, &deep, at(5, 5, 0.25, 90 * DEGREE, 0)), 0.25 - CAIRN_ABYSS_M, 1e-4);
        kinds[i]->destroy(rays);
    }
}

// A wall that the cone meets square on with some of its rays is heard at its nearest point; one that all rays graze
// is not heard at all, though infrared sees it.
static void sonar_hears_the_nearest_within_its_cone_unless_it_grazes(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid wall = {.kind = CAIRN_SOLID_WALL, .map_T_box = at(5, 8, 1, 0, 0), .half_m = {5, 1, 1}}; // face y = 7
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = 20, .solid_count = 1, .solids = &wall};
    for (size_t i = 0; i < KINDS; i++) {
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        const double square = 90 * DEGREE;
        assert_near(reads(kinds[i], rays, &sonar, at(5, 5, 1, 0, square)), 2, 1e-5);
        // 10 degrees off: a ray of the second ring points straight at the wall.
        assert_near(reads(kinds[i], rays, &sonar, at(5, 5, 1, 0, square - 10 * DEGREE)), 2, 1e-4);
        // 30 degrees off: the outermost is 15 off.
        assert_near(reads(kinds[i], rays, &sonar, at(5, 5, 1, 0, square - 30 * DEGREE)), 2 / cos(15 * DEGREE), 1e-4);
        // 60 degrees off: 45 at best, beyond what comes back.
        const cairn_pose3 grazing = at(5, 5, 1, 0, square - 60 * DEGREE);
        assert_true(isinf(reads(kinds[i], rays, &sonar, grazing)));
        assert_near(reads(kinds[i], rays, &infrared, grazing), 2 / cos(60 * DEGREE), 1e-4);
        kinds[i]->destroy(rays);
    }
}

// A thin post beside the axis is inside the cone near by and outside it further away.
static void what_is_beside_the_cone_is_not_heard(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid post = {.kind = CAIRN_SOLID_BOX, .map_T_box = at(7, 5.9, 1, 0, 0), .half_m = {0.05, 0.2, 1}};
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = 20, .solid_count = 1, .solids = &post};
    for (size_t i = 0; i < KINDS; i++) {
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        assert_true(isinf(reads(kinds[i], rays, &sonar, at(5, 5, 1, 0, 0)))); // its edge is 19.7 degrees off
        cairn_range_sensor_description wide = sonar;
        wide.field_rad = 60 * DEGREE;
        assert_near(reads(kinds[i], rays, &wide, at(5, 5, 1, 0, 0)), 1.95 / cos(20 * DEGREE), 0.1);
        kinds[i]->destroy(rays);
    }
}

static void a_robot_is_met_by_others_and_not_by_itself(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = 20};
    const uint32_t robot_count = CAIRN_SIM_ROBOTS_MAX;
    for (size_t i = 0; i < KINDS; i++) {
        cairn_rays *rays = create(kinds[i], &place, robot_count, &robot);
        cairn_pose3 poses[CAIRN_SIM_ROBOTS_MAX];
        for (uint32_t k = 0; k < robot_count; k++) { poses[k] = at(-50, k, 0, 0, 0); }
        poses[0] = at(5, 5, 0, 0, 0);
        poses[robot_count - 1] = at(3, 5, 0, 0, 0);
        kinds[i]->set_robots(rays, poses);
        const cairn_vec3 ahead = {1, 0, 0};
        cairn_ray_hit hit;
        cairn_cast cast = {
            .robot = 0, .map_T_sensor = at(3, 5, 0.15, 0, 0), .ray_count = 1, .directions = &ahead, .range_m_max = 1};
        kinds[i]->cast(rays, &cast, &hit); // from within the last one, as anybody
        assert_near((double)hit.range_m, kinds[i] == &cairn_rays_planar ? 0 : 0.27, 1e-5);
        cast.robot = robot_count - 1;
        kinds[i]->cast(rays, &cast, &hit);
        assert_true(isinf(hit.range_m));
        cast.range_m_max = 10;
        kinds[i]->cast(rays, &cast, &hit);
        assert_near((double)hit.range_m, 2 - 0.27, 1e-5);
        assert_near((double)hit.cosine, 1, 1e-5);
        kinds[i]->destroy(rays);
    }
}

#ifdef CAIRN_HAS_EMBREE
#define BOXES 40
#define FIELD 33

// Two ways to find the same: every box in turn and steps along the ray, or a tree of triangles.
static void both_kinds_meet_the_same(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "both kinds");
    const cairn_body_description robot = emu();
    static float height_m[FIELD * FIELD];
    cairn_height_field field = {.map_T_field = {12, 3, 0.4},
                                .foot_m = 0.0,
                                .cell_m = 0.15,
                                .columns = FIELD,
                                .rows = FIELD,
                                .height_m = height_m,
                                .height_m_max = 0.3f};
    for (int i = 0; i < FIELD * FIELD; i++) {
        const bool rim = i % FIELD == 0 || i % FIELD == FIELD - 1 || i < FIELD || i >= FIELD * (FIELD - 1);
        height_m[i] = rim ? 0 : (float)cairn_random_between(&random, 0, 0.3);
    }
    cairn_solid solids[BOXES];
    for (int i = 0; i < BOXES; i++) {
        const cairn_rpy rpy = {cairn_random_between(&random, -3, 3), cairn_random_between(&random, -1.5, 1.5),
                               cairn_random_between(&random, -3, 3)};
        solids[i] =
            (cairn_solid){.kind = CAIRN_SOLID_BOX,
                          .half_m = {cairn_random_between(&random, 0.05, 0.7), cairn_random_between(&random, 0.05, 0.7),
                                     cairn_random_between(&random, 0.05, 0.7)}};
        solids[i].map_T_box = (cairn_pose3){{cairn_random_between(&random, 0, 20), cairn_random_between(&random, 0, 20),
                                             cairn_random_between(&random, 0, 2)},
                                            cairn_quat_from_rpy(rpy)};
    }
    const cairn_sim_arena place = {.size_m = {20, 20},
                                   .ambient_c = 20,
                                   .solid_count = BOXES,
                                   .solids = solids,
                                   .field_count = 1,
                                   .fields = &field};
    cairn_rays *planar = create(&cairn_rays_planar, &place, 1, &robot);
    cairn_rays *embree = create(&cairn_rays_embree, &place, 1, &robot);
    int different = 0, met = 0;
    for (int i = 0; i < 3000; i++) {
        const cairn_vec3 from = {cairn_random_between(&random, 0, 20), cairn_random_between(&random, 0, 20), 3.5};
        const cairn_vec3 raw = {cairn_random_gauss(&random), cairn_random_gauss(&random), -1};
        const cairn_vec3 direction = cairn_vec3_scale(raw, 1 / cairn_vec3_length(raw));
        const cairn_cast cast = {
            .map_T_sensor = {from, cairn_quat_identity()}, .ray_count = 1, .directions = &direction, .range_m_max = 15};
        cairn_ray_hit a, b;
        cairn_rays_planar.cast(planar, &cast, &a);
        cairn_rays_embree.cast(embree, &cast, &b);
        const bool same = isinf(a.range_m) ? isinf(b.range_m) != 0 : fabsf(a.range_m - b.range_m) < 1e-3f;
        different += !same || (isfinite(a.range_m) && fabsf(a.cosine - b.cosine) > 0.01f);
        met += isfinite(a.range_m) != 0;
    }
    print_message("%d of %d differ, %d met something\n", different, 3000, met);
    assert_true(met > 2000);
    assert_true(different <= 12); // an edge of rough ground, or a crest between two steps along a grazing ray
    cairn_rays_planar.destroy(planar);
    cairn_rays_embree.destroy(embree);
}

static void a_mover_is_met_where_it_is_put_and_keeps_its_warmth(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid solids[] = {
        {.kind = CAIRN_SOLID_WALL, .map_T_box = at(9, 5, 1, 0, 0), .half_m = {0.05, 5, 1}, .temperature_c = 20},
        {.kind = CAIRN_SOLID_DOOR, .map_T_box = at(7, 5, 1, 0, 0), .half_m = {0.05, 1, 1}, .temperature_c = 20},
        {.kind = CAIRN_SOLID_BLOCK, .map_T_box = at(6, 2, 0.2, 0, 0), .half_m = {0.2, 0.2, 0.2}, .temperature_c = 20},
        {.kind = CAIRN_SOLID_FIGURE, .map_T_box = at(6, 8, 1, 0, 0), .half_m = {0.2, 0.2, 1}, .temperature_c = 33},
    };
    cairn_mover movers[] = {{CAIRN_SOLID_DOOR, 0, 1}, {CAIRN_SOLID_BLOCK, 0, 2}, {CAIRN_SOLID_FIGURE, 0, 3}};
    const cairn_sim_arena place = {
        .size_m = {10, 10}, .ambient_c = 20, .solid_count = 4, .solids = solids, .mover_count = 3, .movers = movers};
    const cairn_rays_kind *kind = &cairn_rays_embree;
    cairn_rays *rays = create(kind, &place, 1, &robot);
    assert_near(reads(kind, rays, &infrared, at(5, 5, 0.3, 0, 0)), 1.95, 1e-5); // the door
    const cairn_thermal_view view = {
        .width_px = 8, .height_px = 8, .field_rad = 0.1, .map_T_camera = at(3, 5, 1, 0, 0)};
    float celsius[64];
    kind->thermal(rays, &view, celsius);
    assert_near((double)celsius[27], 20, 1e-6);

    cairn_pose3 poses[3] = {at(6, 6, 1, 0, CAIRN_PI / 2), at(6, 2, 0.2, 0, 0), at(8, 5, 1, 0, 0)}; // door aside
    kind->set_movers(rays, poses);
    assert_near(reads(kind, rays, &infrared, at(5, 5, 0.3, 0, 0)), 2.8, 1e-5); // the figure behind it
    kind->thermal(rays, &view, celsius);
    assert_near((double)celsius[27], 33, 1e-6);
    poses[1] = at(6, 5, 0.2, 0, 0);
    kind->set_movers(rays, poses);
    assert_near(reads(kind, rays, &infrared, at(5, 5, 0.3, 0, 0)), 0.8, 1e-5); // a block pushed before both
    kind->destroy(rays);
}
#endif

// ---- pictures

#define WIDE 32
#define HIGH 24

// Depth is along the camera's axis: a wall square ahead is as far away at the picture's rim as in its middle. The floor
// is where a ray of each row comes down.
static void a_range_image_shows_a_wall_flat_and_the_floor_row_by_row(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid wall = {
        .kind = CAIRN_SOLID_WALL, .map_T_box = at(7.05, 5, 5, 0, 0), .half_m = {0.05, 5, 5}, .temperature_c = 30};
    const cairn_sim_arena place = {.size_m = {10, 10}, .ambient_c = 20, .solid_count = 1, .solids = &wall};
    const cairn_thermal_view view = {
        .width_px = WIDE, .height_px = HIGH, .field_rad = 60 * DEGREE, .map_T_camera = at(5, 5, 0.5, 0, 0)};
    const double pixel = 2 * tan(30 * DEGREE) / WIDE;
    for (size_t i = 0; i < KINDS; i++) {
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        float depth_m[HIGH * WIDE], celsius[HIGH * WIDE], alone[HIGH * WIDE];
        kinds[i]->picture(rays, &view, 4, depth_m, celsius);
        for (int row = 0; row < HIGH; row++) {
            const double down = pixel * (row + 0.5 - 0.5 * HIGH), floor_m = down > 0 ? 0.5 / down : INFINITY;
            for (int column = 0; column < WIDE; column++) {
                assert_near((double)depth_m[row * WIDE + column], fmin(2, floor_m), 1e-5);
            }
        }
        // The same temperatures as a thermal camera alone: one cast serves both.
        kinds[i]->thermal(rays, &view, alone);
        assert_memory_equal(alone, celsius, sizeof alone);
        kinds[i]->picture(rays, &view, 1.9, depth_m, NULL);
        assert_true(isinf(depth_m[0])); // the wall is out of range now
        kinds[i]->destroy(rays);
    }
}

// ---- models

static void a_range_image_is_noisier_far_away_and_drops_out_evenly(void **state)
{
    (void)state;
    const cairn_range_imager_description imager = {
        .range_m_min = 0.3, .range_m_max = 8, .noise_m = 0.004, .noise_m_per_m = 0.005, .dropout = 0.03};
    cairn_random random;
    cairn_random_init(&random, SEED, "range image");
    static float depth_m[CAIRN_RANGE_PIXELS_MAX];
    static uint16_t measured[CAIRN_RANGE_PIXELS_MAX];
    for (int i = 0; i < CAIRN_RANGE_PIXELS_MAX; i++) { depth_m[i] = i % 2 ? 6.0f : 1.0f; }
    depth_m[10] = INFINITY;
    depth_m[12] = 0.1f;
    moments near = {0}, far = {0};
    uint64_t dropped = 0, pixels = 0;
    for (int picture = 0; picture < 5; picture++) {
        cairn_sensor_range_image(&imager, &random, depth_m, CAIRN_RANGE_PIXELS_MAX, measured);
        assert_int_equal(measured[10], 0);
        assert_int_equal(measured[12], 0);
        for (int i = 16; i < CAIRN_RANGE_PIXELS_MAX; i++, pixels++) {
            dropped += measured[i] == 0;
            if (measured[i] == 0) { continue; }
            moments_add(i % 2 ? &far : &near, measured[i] * 1e-3 - (double)depth_m[i]);
        }
    }
    const double n = (double)pixels, step = 0.001 / sqrt(12);
    assert_near((double)dropped / n, 0.03, 4 * sqrt(0.03 * 0.97 / n) + 1.0 / 65536);
    assert_gauss(&near, 0, hypot(0.009, step));
    assert_gauss(&far, 0, hypot(0.034, step));
}

static void a_range_sensor_has_the_stated_noise(void **state)
{
    (void)state;
    cairn_range_sensor_description noisy = infrared;
    noisy.noise_m = 0.02;
    cairn_random random;
    cairn_random_init(&random, SEED, "range");
    const cairn_ray_hit hit = {1.5f, 0.1f};
    moments error = {0};
    for (int i = 0; i < 20000; i++) {
        moments_add(&error, (double)cairn_range_measure(&noisy, &random, &hit, 1) - 1.5);
    }
    assert_gauss(&error, 0, 0.02);
}

// ---- GPS

static const cairn_gps_description gps = {.noise_m = 1.5, .multipath_m = 12, .claimed_m = 2};

// Fixes so far apart that each errs anew.
static void its_errors_are_as_stated_and_grow_with_what_is_hidden(void **state)
{
    (void)state;
    const cairn_vec3 truth = {100, 50, 0.6};
    const double hidden[] = {0, 1.0 / 3, 2.0 / 3};
    const uint32_t satellites[] = {12, 8, 4};
    for (int k = 0; k < 3; k++) {
        cairn_gps_state it;
        cairn_gps_init(&it, SEED, "gps");
        moments ground = {0}, height = {0}, claim = {0};
        for (int i = 0; i < 8000; i++) {
            cairn_gps_frame frame;
            cairn_gps_measure(&it, &gps, truth, satellites[k], 1000, &frame);
            assert_true(frame.fix);
            moments_add(&ground, frame.at_m.x - truth.x);
            moments_add(&ground, frame.at_m.y - truth.y);
            moments_add(&height, frame.at_m.z - truth.z);
            moments_add(&claim, (double)frame.claimed_m);
        }
        const double deviation = hypot(1.5, 12 * hidden[k]);
        assert_gauss(&ground, 0, deviation);
        assert_gauss(&height, 0, 2 * deviation);
        assert_gauss(&claim, 2, 0.1); // whatever the truth
    }
}

static void its_error_wanders_slowly(void **state)
{
    (void)state;
    moments step = {0};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        cairn_gps_state it;
        cairn_gps_init(&it, seed, "gps");
        cairn_gps_frame before, after;
        cairn_gps_measure(&it, &gps, (cairn_vec3){0, 0, 0}, 12, 0.2, &before);
        cairn_gps_measure(&it, &gps, (cairn_vec3){0, 0, 0}, 12, 0.2, &after);
        moments_add(&step, after.at_m.x - before.at_m.x);
    }
    // Gauss-Markov over 100 s: between two fixes it moves by the root of twice what is forgotten.
    assert_gauss(&step, 0, 1.5 * sqrt(2 * (1 - exp(-0.2 / 100))));
}

static void satellites_are_those_that_no_wall_hides(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    cairn_solid solids[] = {
        {.kind = CAIRN_SOLID_WALL, .map_T_box = at(50, 52, 10, 0, 0), .half_m = {40, 1, 10}},  // 20 m high, 1 m north
        {.kind = CAIRN_SOLID_GROUND, .map_T_box = at(50, 20, 3, 0, 0), .half_m = {3, 3, 0.1}}, // a roof
    };
    cairn_sim_arena place = {
        .size_m = {100, 100}, .ambient_c = 20, .outdoors = true, .solid_count = 2, .solids = solids};
    for (size_t i = 0; i < KINDS; i++) {
        place.outdoors = true;
        cairn_rays *rays = create(kinds[i], &place, 1, &robot);
        const uint32_t open = cairn_gps_satellites(kinds[i], rays, &place, 0, (cairn_vec3){5, 5, 0.6});
        const uint32_t beside = cairn_gps_satellites(kinds[i], rays, &place, 0, (cairn_vec3){50, 50, 0.6});
        assert_int_equal(open, 12);
        assert_true(beside >= 4 && beside <= 7); // half the sky is gone
        assert_int_equal(cairn_gps_satellites(kinds[i], rays, &place, 0, (cairn_vec3){50, 20, 0.6}), 0);
        place.outdoors = false;
        assert_int_equal(cairn_gps_satellites(kinds[i], rays, &place, 0, (cairn_vec3){5, 5, 0.6}), 0);
        kinds[i]->destroy(rays);
    }
    cairn_gps_state it;
    cairn_gps_init(&it, SEED, "gps");
    cairn_gps_frame frame;
    cairn_gps_measure(&it, &gps, (cairn_vec3){0, 0, 0}, 3, 0.2, &frame);
    assert_true(!frame.fix && isnan(frame.at_m.x) && isnan(frame.claimed_m) && frame.satellite_count == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infrared_reads_a_wall_the_floor_and_nothing),
        cmocka_unit_test(a_hole_under_a_floor_sensor_reads_deeper),
        cmocka_unit_test(sonar_hears_the_nearest_within_its_cone_unless_it_grazes),
        cmocka_unit_test(what_is_beside_the_cone_is_not_heard),
        cmocka_unit_test(a_robot_is_met_by_others_and_not_by_itself),
#ifdef CAIRN_HAS_EMBREE
        cmocka_unit_test(both_kinds_meet_the_same),
        cmocka_unit_test(a_mover_is_met_where_it_is_put_and_keeps_its_warmth),
#endif
        cmocka_unit_test(a_range_image_shows_a_wall_flat_and_the_floor_row_by_row),
        cmocka_unit_test(a_range_image_is_noisier_far_away_and_drops_out_evenly),
        cmocka_unit_test(a_range_sensor_has_the_stated_noise),
        cmocka_unit_test(its_errors_are_as_stated_and_grow_with_what_is_hidden),
        cmocka_unit_test(its_error_wanders_slowly),
        cmocka_unit_test(satellites_are_those_that_no_wall_hides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
