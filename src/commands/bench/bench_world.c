// Robots without minds that move all the same: forward in wide arcs, and back for a while after a bump.
#include "commands/bench/bench_world.h"
#include "base/random.h"
#include "commands/bench/bench_places.h"
#include "sim/arena/ground.h"
#include "sim/world.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLEARANCE_M 0.5
#define TORQUE_NM 0.6
#define TURN_NM 0.5
#define BACK_NS CAIRN_S(2)
#define ARC_NS CAIRN_S(4)

#define ROOM_M 5.0
#define DOORWAY_M 1.2
#define WALL_M 0.1
#define WALL_HEIGHT_M 2.0

typedef struct wanderer {
    cairn_random random;
    int64_t back_until_ns, arc_until_ns;
    double turn_nm;
} wanderer;

typedef struct bench_run {
    cairn_world *world;
    cairn_mono now;
    wanderer *wanderers;
} bench_run;

static void wander(bench_run *run, uint32_t robot)
{
    wanderer *it = &run->wanderers[robot];
    cairn_robot_truth truth;
    cairn_world_truth(run->world, robot, &truth);
    if (truth.bump_front || truth.bump_left || truth.bump_right) { it->back_until_ns = run->now.ns + BACK_NS; }
    if (run->now.ns >= it->arc_until_ns) {
        it->arc_until_ns = run->now.ns + ARC_NS;
        it->turn_nm = cairn_random_between(&it->random, -TURN_NM, TURN_NM);
    }
    const double forward_nm = run->now.ns < it->back_until_ns ? -TORQUE_NM : TORQUE_NM;
    cairn_motor_target target = {.issued = run->now, .command = CAIRN_DRIVE_TORQUE};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        target.torque_nm[i] = forward_nm + (i % 2 == 0 ? -it->turn_nm : it->turn_nm);
    }
    cairn_cell_write(cairn_world_body(run->world, robot)->motors, &target, sizeof target);
}

static void sense_and_wander(void *context, uint32_t robot)
{
    bench_run *run = context;
    cairn_world_sense(run->world, robot, run->now);
    if (run->now.ns % CAIRN_MS(8) == 0) { wander(run, robot); }
}

static void run_until(bench_run *run, cairn_workers *workers, uint32_t robot_count, int64_t end_ns)
{
    for (; run->now.ns < end_ns; run->now = cairn_mono_add(run->now, CAIRN_PHYSICS_STEP_NS)) {
        cairn_world_step(run->world, run->now);
        cairn_workers_run(workers, sense_and_wander, run, robot_count);
    }
}

// What this process holds; NaN where the system does not say.
static double resident_mb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) { return NAN; }
    long pages = 0;
    const bool read = fscanf(file, "%*s %ld", &pages) == 1;
    fclose(file);
    return read ? (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6 : NAN;
}

static double rays_each_s(const cairn_body_description *robot)
{
    const cairn_laser_description *laser = &robot->laser;
    const cairn_thermal_description *thermal = &robot->thermal;
    return (laser->offered ? laser->beam_count * laser->rate_hz : 0) +
           (thermal->offered ? thermal->width_px * thermal->height_px * thermal->rate_hz : 0);
}

static void place_robots(const cairn_bench_world_def *def, cairn_pose2 *ret_starts)
{
    cairn_random random;
    cairn_random_init(&random, 1, "bench/places");
    for (uint32_t i = 0; i < def->robot_count; i++) {
        bool apart;
        do {
            ret_starts[i] = cairn_bench_free_place(def->arena, CLEARANCE_M, &random);
            apart = true;
            for (uint32_t k = 0; k < i; k++) {
                const cairn_vec2 other = cairn_pose2_at(ret_starts[k]);
                apart = apart && cairn_vec2_distance(cairn_pose2_at(ret_starts[i]), other) > 2 * CLEARANCE_M;
            }
        } while (!apart);
    }
}

cairn_err cairn_bench_world(const cairn_bench_world_def *def, cairn_complaints *complaints,
                            cairn_bench_world_figures *ret_figures)
{
    CAIRN_ASSERT(def->robot_count > 0 && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_pose2 starts[CAIRN_SIM_ROBOTS_MAX];
    const cairn_body_description *robots[CAIRN_SIM_ROBOTS_MAX];
    char names[CAIRN_SIM_ROBOTS_MAX][16];
    const char *name_of[CAIRN_SIM_ROBOTS_MAX];
    static wanderer wanderers[CAIRN_SIM_ROBOTS_MAX];
    place_robots(def, starts);
    for (uint32_t i = 0; i < def->robot_count; i++) {
        robots[i] = def->robot;
        snprintf(names[i], sizeof names[i], "robot%u", i + 1);
        name_of[i] = names[i];
        wanderers[i] = (wanderer){0};
        cairn_random_init(&wanderers[i].random, 1, names[i]);
    }
    const double before_mb = resident_mb();
    const cairn_world_def world = {.arena = def->arena,
                                   .physics = def->physics,
                                   .robot_count = def->robot_count,
                                   .robots = robots,
                                   .starts = starts,
                                   .robot_names = name_of,
                                   .seed = 1};
    bench_run run = {.wanderers = wanderers};
    const cairn_err err = cairn_world_create(&world, complaints, &run.world);
    if (err != CAIRN_OK) { return err; }
    run_until(&run, def->workers, def->robot_count, CAIRN_S(1));
    const cairn_mono started = cairn_mono_now();
    run_until(&run, def->workers, def->robot_count, CAIRN_S(1) + cairn_ns_from_seconds(def->sim_s));
    const double speed = def->sim_s / cairn_seconds(cairn_mono_since(cairn_mono_now(), started));
    *ret_figures = (cairn_bench_world_figures){.speed = speed,
                                               .rays_per_s = speed * def->robot_count * rays_each_s(def->robot),
                                               .memory_mb = resident_mb() - before_mb};
    cairn_world_destroy(run.world);
    return CAIRN_OK;
}

// ---- a place of any size

static void add_upright(cairn_sim_arena *arena, cairn_solid_kind kind, cairn_vec2 middle_m, cairn_vec3 size_m)
{
    arena->solids[arena->solid_count] = (cairn_solid){
        .kind = kind,
        .owner = arena->solid_count,
        .map_T_box = {.at_m = {middle_m.x, middle_m.y, size_m.z / 2}, .turn = cairn_quat_identity()},
        .half_m = cairn_vec3_scale(size_m, 0.5),
        .temperature_c = arena->ambient_c,
    };
    arena->solid_count++;
}

// The wall of a room that runs along x (or y), with a doorway in its middle.
static void add_room_wall(cairn_sim_arena *arena, cairn_vec2 from_m, bool along_x)
{
    const double part_m = (ROOM_M - DOORWAY_M) / 2;
    for (int end = 0; end < 2; end++) {
        const double middle_m = end == 0 ? part_m / 2 : ROOM_M - part_m / 2;
        const cairn_vec2 at = {from_m.x + (along_x ? middle_m : 0), from_m.y + (along_x ? 0 : middle_m)};
        add_upright(arena, CAIRN_SOLID_WALL, at,
                    (cairn_vec3){along_x ? part_m : WALL_M, along_x ? WALL_M : part_m, WALL_HEIGHT_M});
    }
}

cairn_err cairn_bench_rooms(double side_m, cairn_arena *memory, cairn_sim_arena *ret_arena)
{
    const uint32_t rooms = (uint32_t)(side_m / ROOM_M);
    cairn_sim_arena arena = {.size_m = {side_m, side_m}, .ambient_c = 20};
    arena.solids = CAIRN_TAKE(memory, cairn_solid, 5 * (size_t)rooms * rooms + 1);
    if (arena.solids == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t y = 0; y < rooms; y++) {
        for (uint32_t x = 0; x < rooms; x++) {
            const cairn_vec2 corner = {x * ROOM_M, y * ROOM_M};
            add_room_wall(&arena, corner, true);
            add_room_wall(&arena, corner, false);
            add_upright(&arena, CAIRN_SOLID_BOX, (cairn_vec2){corner.x + 1.2, corner.y + 3.8},
                        (cairn_vec3){0.8, 0.8, 0.8});
        }
    }
    const cairn_err err = cairn_ground_index_create(&arena, memory);
    if (err == CAIRN_OK) { *ret_arena = arena; }
    return err;
}
