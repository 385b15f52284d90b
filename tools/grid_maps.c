// grid_maps.c - terrain maps of robots that wander about arenas, for training the grid codec. tools/grid_tables.py runs
// it.
//
//   build/tools/grid_maps askew|square OUT ARENA...
//
// In each arena a few robots, each with another laser, go half a metre or a turn at a time. What they see is laid into
// a local grid at poses that are a little wrong, as those of recorded logs are, and sampled into maps of 150 x 150
// cells. `askew`: those of every other robot on the lattice of its private frame, which lies in the arena as it happens
// to, the others' turned with the robot. `square`: all on the lattice, of frames that begin along walls, as those of
// robots do that people set down in buildings. A record of OUT: int32 x [um], y [um], yaw [urad] of the map in the
// frame of the one before, or all INT32_MIN for the first of a robot, then the known and the obstacle plane, 2816 bytes
// each, a bit a cell as in maps/terrain_planes.h.
#include "base/random.h"
#include "body/description_io.h"
#include "commands/bench/bench_places.h"
#include "maps/terrain_planes.h"
#include "sim/senses/rays.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_CELLS 150
#define PLANE_BYTES 2816
#define CELL_M 0.1
#define ROBOTS 8
#define MAPS 24            // of each robot
#define UNTOLD 4           // the first so many, while its local grid is still empty
#define PERIOD_MS 1250     // between two maps, as on the air
#define CLEARANCE_M 0.4    // from everything
#define CLUTTER 12         // fewer things than so many in each scan
#define SQUARE_RAD_DEV 0.1 // of a square frame from the walls: by eye

typedef struct range_finder {
    uint32_t beam_count;
    double field_rad, range_m_max, range_m_dev, pose_m_dev, pose_rad_dev;
} range_finder;

typedef struct place {
    cairn_sim_arena arena;
    cairn_rays *rays;
    cairn_random random;
} place;

static void fail(const char *what, const cairn_complaints *complaints)
{
    fprintf(stderr, "grid_maps: %s\n%s", what, complaints->text);
    exit(1);
}

static range_finder laser_of(cairn_random *random)
{
    static const struct {
        uint32_t beam_count;
        double field_rad;
    } kinds[] = {{180, CAIRN_PI}, {181, CAIRN_PI}, {361, CAIRN_PI}, {360, CAIRN_PI}};
    const uint32_t kind = cairn_random_below(random, sizeof kinds / sizeof kinds[0]);
    return (range_finder){.beam_count = kinds[kind].beam_count,
                          .field_rad = kinds[kind].field_rad,
                          .range_m_max = cairn_random_uniform(random) < 0.7 ? 80 : 20,
                          .range_m_dev = cairn_random_between(random, 0.005, 0.03),
                          .pose_m_dev = cairn_random_between(random, 0, 0.06),
                          .pose_rad_dev = cairn_random_between(random, 0, 0.02)};
}

// Legs, chairs, cables: things too small or too mobile for an arena file, in front of a few beams.
static void add_clutter(place *at, uint32_t beam_count, float *range_m)
{
    for (uint32_t things = cairn_random_below(&at->random, CLUTTER); things > 0; things--) {
        const uint32_t first = cairn_random_below(&at->random, beam_count), wide = 1 + beam_count / 60;
        const uint32_t beams = 1 + cairn_random_below(&at->random, wide);
        const float range = (float)cairn_random_between(&at->random, 0.5, 6);
        for (uint32_t i = first; i < first + beams && i < beam_count; i++) { range_m[i] = fminf(range_m[i], range); }
    }
}

static void look(place *at, const range_finder *laser, cairn_pose2 pose, cairn_scan_points *ret_points)
{
    const cairn_pose3 map_T_laser = cairn_pose3_from_pose2(pose, 0.3);
    const cairn_sweep sweep = {.beam_count = laser->beam_count,
                               .angle_rad_first = -0.5 * laser->field_rad,
                               .angle_rad_step = laser->field_rad / (laser->beam_count - 1),
                               .range_m_max = laser->range_m_max,
                               .map_T_laser_first = map_T_laser,
                               .map_T_laser_last = map_T_laser};
    static float range_m[CAIRN_SCAN_POINTS_MAX];
    cairn_rays_planar.sweep(at->rays, &sweep, range_m);
    add_clutter(at, sweep.beam_count, range_m);
    ret_points->sensor_x_m = ret_points->sensor_y_m = 0;
    ret_points->count = sweep.beam_count;
    for (uint32_t i = 0; i < sweep.beam_count; i++) {
        const bool hit = isfinite(range_m[i]);
        const double noise_m = laser->range_m_dev * cairn_random_gauss(&at->random);
        const double range = hit ? fmax(0.02, range_m[i] + noise_m) : sweep.range_m_max;
        const double angle = sweep.angle_rad_first + i * sweep.angle_rad_step;
        ret_points->x_m[i] = (float)(range * cos(angle));
        ret_points->y_m[i] = (float)(range * sin(angle));
        ret_points->hit[i] = hit;
    }
}

// Half a metre on if there is room, otherwise around; never where something stands.
static cairn_pose2 wander(place *at, cairn_pose2 pose)
{
    static float ahead_m[3];
    const cairn_pose3 map_T_laser = cairn_pose3_from_pose2(pose, 0.3);
    const cairn_sweep sweep = {.beam_count = 3,
                               .angle_rad_first = -0.5,
                               .angle_rad_step = 0.5,
                               .range_m_max = 5,
                               .map_T_laser_first = map_T_laser,
                               .map_T_laser_last = map_T_laser};
    cairn_rays_planar.sweep(at->rays, &sweep, ahead_m);
    const double step_m = cairn_random_between(&at->random, 0.2, 0.7);
    const bool is_open = !(ahead_m[0] < 0.6) && !(ahead_m[1] < step_m + CLEARANCE_M) && !(ahead_m[2] < 0.6);
    const double turn_rad =
        is_open ? 0.15 * cairn_random_gauss(&at->random) : cairn_random_between(&at->random, 0.3, 0.9);
    const cairn_pose2 step = {is_open ? step_m : 0, 0, turn_rad};
    return cairn_pose2_compose(pose, step);
}

static void write_map(FILE *out, bool is_first, cairn_pose2 before_T_node, const cairn_terrain_planes *planes)
{
    const int32_t moved[3] = {is_first ? INT32_MIN : (int32_t)lround(1e6 * before_T_node.x_m),
                              is_first ? INT32_MIN : (int32_t)lround(1e6 * before_T_node.y_m),
                              is_first ? INT32_MIN : (int32_t)lround(1e6 * before_T_node.yaw_rad)};
    fwrite(moved, sizeof moved, 1, out);
    fwrite(planes->known, 1, PLANE_BYTES, out);
    fwrite(planes->obstacle, 1, PLANE_BYTES, out);
}

// Where its map's middle lies, and which way its rows run.
static cairn_pose2 middle_of_map(cairn_pose2 pose, bool is_turned)
{
    const cairn_pose2 on_lattice = {CELL_M * round(pose.x_m / CELL_M), CELL_M * round(pose.y_m / CELL_M), 0};
    return is_turned ? pose : on_lattice;
}

static double private_yaw_rad(cairn_random *random, bool is_square)
{
    if (!is_square) { return cairn_random_between(random, -CAIRN_PI, CAIRN_PI); }
    return 0.5 * CAIRN_PI * cairn_random_below(random, 4) + SQUARE_RAD_DEV * cairn_random_gauss(random);
}

typedef struct map_kind {
    bool is_square, is_turned;
} map_kind;

static void tell_robot(place *at, cairn_arena *memory, map_kind kind, FILE *out)
{
    static cairn_scan_points points;
    static cairn_terrain_planes planes;
    static const cairn_complaints none;
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_local_grid *grid = NULL;
    cairn_arena_reset(memory, 0);
    if (cairn_local_grid_create(&def, memory, &grid) != CAIRN_OK) { fail("no memory", &none); }
    const range_finder laser = laser_of(&at->random);
    cairn_pose2 pose = cairn_bench_free_place(&at->arena, CLEARANCE_M, &at->random), before = pose;
    const cairn_pose2 private_T_arena = {0, 0, private_yaw_rad(&at->random, kind.is_square)};
    cairn_mono now = {CAIRN_S(1)};
    for (int i = 0; i < MAPS + UNTOLD; i++) {
        look(at, &laser, pose, &points);
        const cairn_pose2 noisy = {pose.x_m + laser.pose_m_dev * cairn_random_gauss(&at->random),
                                   pose.y_m + laser.pose_m_dev * cairn_random_gauss(&at->random),
                                   pose.yaw_rad + laser.pose_rad_dev * cairn_random_gauss(&at->random)};
        const cairn_pose2 believed = cairn_pose2_compose(private_T_arena, noisy);
        const cairn_pose2 middle = middle_of_map(believed, kind.is_turned);
        cairn_local_grid_centre(grid, cairn_pose2_at(believed));
        cairn_local_grid_add(grid, believed, &points, now);
        cairn_terrain_planes_sample(grid, middle, CELL_M, SIZE_CELLS, now, &planes);
        const cairn_pose2 moved = cairn_pose2_compose(cairn_pose2_inverse(before), middle);
        if (i >= UNTOLD || i == 0) { write_map(out, i == UNTOLD || i == 0, moved, &planes); }
        before = middle;
        now = cairn_mono_add(now, CAIRN_MS(PERIOD_MS));
        pose = wander(at, pose);
    }
}

static void tell_arena(const char *path, bool is_square, const cairn_body_description *robot, FILE *out)
{
    static cairn_complaints complaints;
    static place at;
    cairn_arena memory = {0}, grid_memory = {0};
    if (cairn_arena_create(&memory, 64u << 20) != CAIRN_OK || cairn_arena_create(&grid_memory, 32u << 20) != CAIRN_OK ||
        cairn_sim_arena_read(path, &memory, &complaints, &at.arena) != CAIRN_OK) {
        fail(path, &complaints);
    }
    const cairn_rays_def def = {.arena = &at.arena, .robot_count = 1, .robots = &robot};
    if (cairn_rays_planar.create(&def, &complaints, &at.rays) != CAIRN_OK) { fail(path, &complaints); }
    cairn_random_init(&at.random, 1, path);
    for (int i = 0; i < ROBOTS; i++) {
        const map_kind kind = {.is_square = is_square, .is_turned = !is_square && i % 2 == 1};
        tell_robot(&at, &grid_memory, kind, out);
    }
    cairn_rays_planar.destroy(at.rays);
    cairn_arena_destroy(&memory);
    cairn_arena_destroy(&grid_memory);
}

int main(int argc, char **argv)
{
    static cairn_complaints complaints;
    static cairn_body_description robot;
    const bool is_square = argc > 3 && strcmp(argv[1], "square") == 0;
    if (argc < 4 || (!is_square && strcmp(argv[1], "askew") != 0)) {
        fprintf(stderr, "usage: grid_maps askew|square OUT ARENA...\n");
        return 2;
    }
    if (cairn_body_description_read("robots/emu.yaml", &complaints, &robot) != CAIRN_OK) {
        fail("run it from the folder that holds robots/", &complaints);
    }
    FILE *out = fopen(argv[2], "wb");
    if (out == NULL) { fail(argv[2], &complaints); }
    for (int i = 3; i < argc; i++) { tell_arena(argv[i], is_square, &robot, out); }
    return fclose(out) == 0 ? 0 : 1;
}
