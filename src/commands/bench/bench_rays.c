// bench rays - what a laser beam and a thermal picture cost: the planar rays beside Embree.
//
// The shipped arenas, 1 and 14 robots, lasers of 1081 beams over 270 degrees in motion, from places all over the floor
// that are at least 0.3 m from everything.
#include "base/clock.h"
#include "base/random.h"
#include "body/description_io.h"
#include "commands/bench/bench.h"
#include "commands/bench/bench_places.h"
#include "geometry/rays.h"
#include "sim/senses/rays.h"
#include <stdio.h>

#define PLACES 200
#define ROUNDS 10 // the fastest counts: what else the machine does only adds
#define ROBOTS_MAX 14
#define CLEARANCE_M 0.3

typedef struct bench_inputs {
    cairn_arena memory;
    cairn_sim_arena arena;
    cairn_body_description robot;
    cairn_sweep sweeps[PLACES];
    cairn_thermal_view views[PLACES];
    cairn_pose3 robots[ROBOTS_MAX];
} bench_inputs;

static void choose_places(bench_inputs *inputs)
{
    cairn_random random;
    cairn_random_init(&random, 1, "bench/rays");
    const cairn_laser_description *laser = &inputs->robot.laser;
    const cairn_thermal_description *thermal = &inputs->robot.thermal;
    const cairn_pose2 moved = {0.01, 0, 0.02}; // 0.5 m/s and 1 rad/s over one sweep
    for (int i = 0; i < PLACES; i++) {
        const cairn_pose2 place = cairn_bench_free_place(&inputs->arena, CLEARANCE_M, &random);
        const cairn_pose3 first = cairn_pose3_from_pose2(place, 0);
        const cairn_pose3 last = cairn_pose3_from_pose2(cairn_pose2_compose(place, moved), 0);
        inputs->sweeps[i] = (cairn_sweep){.beam_count = laser->beam_count,
                                          .angle_rad_first = -0.5 * laser->field_rad,
                                          .angle_rad_step = laser->field_rad / (laser->beam_count - 1),
                                          .range_m_max = laser->range_m_max,
                                          .map_T_laser_first = cairn_pose3_compose(first, laser->base_T_laser),
                                          .map_T_laser_last = cairn_pose3_compose(last, laser->base_T_laser)};
        inputs->views[i] = (cairn_thermal_view){.width_px = thermal->width_px,
                                                .height_px = thermal->height_px,
                                                .field_rad = thermal->field_rad,
                                                .map_T_camera = cairn_pose3_compose(first, thermal->base_T_camera)};
        if (i < ROBOTS_MAX) { inputs->robots[i] = first; }
    }
}

typedef struct ray_costs {
    double beam_ns, picture_us;
} ray_costs;

static ray_costs measure_once(const bench_inputs *inputs, const cairn_rays_kind *kind, const cairn_rays *rays)
{
    static float values[CAIRN_THERMAL_PIXELS_MAX];
    const int64_t started_ns = cairn_thread_cpu_ns();
    for (int i = 0; i < PLACES; i++) { kind->sweep(rays, &inputs->sweeps[i], values); }
    const int64_t swept_ns = cairn_thread_cpu_ns();
    for (int i = 0; i < PLACES; i++) { kind->thermal(rays, &inputs->views[i], values); }
    const int64_t done_ns = cairn_thread_cpu_ns();
    return (ray_costs){(double)(swept_ns - started_ns) / PLACES / inputs->robot.laser.beam_count,
                       (double)(done_ns - swept_ns) / PLACES / 1000};
}

static cairn_err measure(const bench_inputs *inputs, const cairn_rays_kind *kind, uint32_t robot_count,
                         cairn_complaints *complaints, ray_costs *ret_costs)
{
    const cairn_body_description *robots[ROBOTS_MAX];
    for (uint32_t i = 0; i < ROBOTS_MAX; i++) { robots[i] = &inputs->robot; }
    const cairn_rays_def def = {.arena = &inputs->arena, .robot_count = robot_count, .robots = robots};
    cairn_rays *rays = NULL;
    const cairn_err err = kind->create(&def, complaints, &rays);
    if (err != CAIRN_OK) { return err; }
    kind->set_robots(rays, inputs->robots);
    ray_costs best = measure_once(inputs, kind, rays);
    for (int i = 1; i < ROUNDS; i++) {
        const ray_costs costs = measure_once(inputs, kind, rays);
        best.beam_ns = fmin(best.beam_ns, costs.beam_ns);
        best.picture_us = fmin(best.picture_us, costs.picture_us);
    }
    kind->destroy(rays);
    *ret_costs = best;
    return CAIRN_OK;
}

static cairn_err compare(cairn_bench_report *report, const bench_inputs *inputs, uint32_t robot_count,
                         cairn_complaints *complaints)
{
    ray_costs planar, peer = {0, 0};
    const char *peer_name = NULL;
    cairn_err err = measure(inputs, &cairn_rays_planar, robot_count, complaints, &planar);
#ifdef CAIRN_HAS_EMBREE
    if (err == CAIRN_OK) { err = measure(inputs, &cairn_rays_embree, robot_count, complaints, &peer); }
    peer_name = "embree";
#endif
    if (err != CAIRN_OK) { return err; }
    char subject[128];
    snprintf(subject, sizeof subject, "%s, %u solids, %u robot%s", inputs->arena.name, inputs->arena.solid_count,
             robot_count, robot_count == 1 ? "" : "s");
    cairn_bench_figure figure = {"rays", subject, "laser beam, planar", "ns", planar.beam_ns, peer_name, peer.beam_ns};
    cairn_bench_say(report, &figure);
    figure.metric = "thermal picture, planar";
    figure.unit = "us";
    figure.ours = planar.picture_us;
    figure.peer = peer.picture_us;
    cairn_bench_say(report, &figure);
    return CAIRN_OK;
}

static cairn_err run_arena(cairn_bench_report *report, bench_inputs *inputs, const char *path,
                           cairn_complaints *complaints)
{
    cairn_err err = cairn_sim_arena_read(path, &inputs->memory, complaints, &inputs->arena);
    if (err != CAIRN_OK) { return err; }
    choose_places(inputs);
    err = compare(report, inputs, 1, complaints);
    return err == CAIRN_OK ? compare(report, inputs, ROBOTS_MAX, complaints) : err;
}

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    static bench_inputs inputs; // large
    cairn_err err = cairn_arena_create(&inputs.memory, 64u << 20);
    if (err == CAIRN_OK) { err = cairn_body_description_read("robots/emu.yaml", complaints, &inputs.robot); }
    if (err == CAIRN_OK) { err = run_arena(report, &inputs, "arenas/office.yaml", complaints); }
    if (err == CAIRN_OK) { err = run_arena(report, &inputs, "arenas/maze.yaml", complaints); }
    cairn_arena_destroy(&inputs.memory);
    return err;
}

const cairn_bench cairn_bench_rays = {"rays", "what a laser beam and a thermal picture cost, planar and Embree", run};
