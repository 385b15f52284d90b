// bench maps, raster - the map of a whole team, drawn plainly, with a cover, and updated as a mission goes on.
//
// A made mission over 200 x 150 m: blocks of rooms with corridors between them, 14 robots that drive along the
// corridors and make a terrain map of 150 x 150 cells every 0.6 m, as many as Magic's second phase had. While it goes
// on, each update brings one node of each robot; every tenth moves the last 60 nodes of a robot, every fiftieth all
// nodes of five robots, as closing a loop does.
#include "base/clock.h"
#include "base/random.h"
#include "commands/bench/maps/bench_maps.h"
#include "geometry/rays.h"
#include "maps/raster_maker.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CELL_M 0.1
#define WIDTH 2000
#define HEIGHT 1500
#define ROBOTS 14
#define STEPS 305 // nodes of each robot
#define NODES (ROBOTS * STEPS)
#define STEP_M 0.6
#define BLOCK_X 200 // cells from corridor to corridor
#define BLOCK_Y 150
#define CORRIDOR 30 // cells
#define SIGHT_M 7.4
#define BEAMS 900
#define ROUNDS 3
#define MEMORY_BYTES (96u << 20)

typedef struct made_mission {
    cairn_arena memory, scratch;
    uint8_t *walls; // a byte a cell
    cairn_terrain_planes *planes;
    cairn_raster_node *nodes; // in the order in which they came
    double update_ms[STEPS];
} made_mission;

// Each block has a wall around it with doors of 1 m, and a wall through its middle.
static bool is_wall(uint32_t x, uint32_t y)
{
    const uint32_t u = x % BLOCK_X, v = y % BLOCK_Y;
    if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1) { return true; }
    if (u < CORRIDOR || v < CORRIDOR) { return false; }
    const bool side = u == CORRIDOR || u == BLOCK_X - 1, end = v == CORRIDOR || v == BLOCK_Y - 1;
    const bool inner = u == (BLOCK_X + CORRIDOR) / 2 || v == (BLOCK_Y + CORRIDOR) / 2;
    const bool door = (side && v % 45 < 10) || (end && u % 60 < 10) || (inner && !side && !end && (u + v) % 50 < 10);
    return (side || end || inner) && !door;
}

static void look(const made_mission *mission, cairn_pose2 pose, cairn_terrain_planes *ret_planes)
{
    *ret_planes = (cairn_terrain_planes){.cell_m = CELL_M, .width = 150, .height = 150, .origin_m = {-7.5, -7.5}};
    const cairn_pose2 node_T_map = cairn_pose2_inverse(pose);
    for (int beam = 0; beam < BEAMS; beam++) {
        const double angle = beam * 2 * CAIRN_PI / BEAMS;
        const cairn_vec2 from = cairn_pose2_at(pose);
        const cairn_vec2 to = {from.x + SIGHT_M * cos(angle), from.y + SIGHT_M * sin(angle)};
        cairn_grid_walk walk;
        cairn_grid_walk_start(&walk, (cairn_vec2){0, 0}, CELL_M, from, to);
        bool wall = false;
        do {
            if (walk.x < 0 || walk.y < 0 || walk.x >= WIDTH || walk.y >= HEIGHT) { break; }
            wall = mission->walls[(size_t)walk.y * WIDTH + (size_t)walk.x];
            const cairn_vec2 at =
                cairn_pose2_apply(node_T_map, (cairn_vec2){(walk.x + 0.5) * CELL_M, (walk.y + 0.5) * CELL_M});
            const uint32_t cell = (uint32_t)((at.y + 7.5) / CELL_M) * 150 + (uint32_t)((at.x + 7.5) / CELL_M);
            const uint8_t bit = (uint8_t)(1u << (cell & 7));
            ret_planes->known[cell >> 3] |= bit;
            if (wall) { ret_planes->obstacle[cell >> 3] |= bit; }
        } while (!wall && cairn_grid_walk_next(&walk));
    }
}

// Along the corridors, turning at random where they cross, never off the map.
static void robot_drive(made_mission *mission, uint32_t robot, cairn_random *random)
{
    const double pitch_x_m = BLOCK_X * CELL_M, pitch_y_m = BLOCK_Y * CELL_M, middle_m = 0.5 * CORRIDOR * CELL_M;
    int32_t column = (int32_t)cairn_random_below(random, WIDTH / BLOCK_X),
            row = (int32_t)cairn_random_below(random, HEIGHT / BLOCK_Y);
    int32_t by_x = 0, by_y = 0;
    double gone_m = INFINITY, leg_m = 0;
    for (uint32_t step = 0; step < STEPS; step++, gone_m += STEP_M) {
        if (gone_m >= leg_m) {
            column += by_x, row += by_y;
            do {
                const uint32_t way = (uint32_t)cairn_random_below(random, 4);
                by_x = way == 0 ? 1 : way == 1 ? -1 : 0, by_y = way == 2 ? 1 : way == 3 ? -1 : 0;
            } while (column + by_x < 0 || column + by_x >= WIDTH / BLOCK_X || row + by_y < 0 ||
                     row + by_y >= HEIGHT / BLOCK_Y);
            gone_m = 0, leg_m = by_x ? pitch_x_m : pitch_y_m;
        }
        const cairn_pose2 pose = {column * pitch_x_m + middle_m + by_x * gone_m +
                                      cairn_random_between(random, -0.3, 0.3),
                                  row * pitch_y_m + middle_m + by_y * gone_m + cairn_random_between(random, -0.3, 0.3),
                                  atan2(by_y, by_x) + cairn_random_between(random, -0.1, 0.1)};
        const uint32_t node = step * ROBOTS + robot;
        look(mission, pose, &mission->planes[node]);
        mission->nodes[node] = (cairn_raster_node){
            .map_T_node = pose, .planes = &mission->planes[node], .seen_s = 1.25 * step, .field_rad = 2 * CAIRN_PI};
    }
}

static cairn_err mission_make(made_mission *mission, cairn_random *random)
{
    mission->walls = CAIRN_TAKE(&mission->memory, uint8_t, (size_t)WIDTH * HEIGHT);
    mission->planes = CAIRN_TAKE(&mission->memory, cairn_terrain_planes, NODES);
    mission->nodes = CAIRN_TAKE(&mission->memory, cairn_raster_node, NODES);
    if (!mission->walls || !mission->planes || !mission->nodes) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) { mission->walls[i] = is_wall(i % WIDTH, i / WIDTH); }
    for (uint32_t robot = 0; robot < ROBOTS; robot++) { robot_drive(mission, robot, random); }
    return CAIRN_OK;
}

static cairn_err maker_create(made_mission *mission, bool use_cover, cairn_raster_maker **ret_maker)
{
    cairn_raster_maker_def def = cairn_raster_maker_def_default();
    def.raster.origin_m = (cairn_vec2){0, 0};
    def.raster.width = WIDTH, def.raster.height = HEIGHT;
    def.use_cover = use_cover;
    return cairn_raster_maker_create(&def, &mission->memory, ret_maker);
}

static cairn_err measure_pass(cairn_bench_report *report, made_mission *mission, bool use_cover)
{
    const size_t mark = cairn_arena_mark(&mission->memory);
    cairn_raster_maker *maker = NULL;
    cairn_raster_maker_info info = {0};
    cairn_err err = maker_create(mission, use_cover, &maker);
    double best_ms = INFINITY;
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        const int64_t started_ns = cairn_thread_cpu_ns();
        cairn_raster_maker_clear(maker);
        err = cairn_raster_maker_update(maker, mission->nodes, NODES, &mission->scratch, &info);
        best_ms = fmin(best_ms, 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns));
    }
    cairn_arena_reset(&mission->memory, mark);
    if (err != CAIRN_OK) { return err; }
    char subject[128];
    snprintf(subject, sizeof subject, "raster of 200 x 150 m, %u of %d nodes", info.drawn, NODES);
    cairn_bench_say(report, &(cairn_bench_figure){.bench = "maps",
                                                  .subject = subject,
                                                  .metric = use_cover ? "pass with a cover" : "plain pass",
                                                  .unit = "ms",
                                                  .ours = best_ms});
    return CAIRN_OK;
}

static void nodes_shift(made_mission *mission, uint32_t robot, uint32_t first, uint32_t end, cairn_random *random)
{
    const double dx = cairn_random_between(random, -0.3, 0.3), dy = cairn_random_between(random, -0.3, 0.3);
    for (uint32_t step = first; step < end; step++) { // more and more, as an error of heading does
        cairn_pose2 *pose = &mission->nodes[step * ROBOTS + robot].map_T_node;
        const double part = (double)(step - first + 1) / (end - first);
        pose->x_m += part * dx, pose->y_m += part * dy;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static cairn_err measure_updates(cairn_bench_report *report, made_mission *mission, cairn_random *random)
{
    cairn_raster_maker *maker = NULL;
    cairn_raster_maker_info info;
    cairn_err err = maker_create(mission, true, &maker);
    for (uint32_t step = 0; step < STEPS && err == CAIRN_OK; step++) {
        if (step % 10 == 9) { nodes_shift(mission, step % ROBOTS, step > 60 ? step - 60 : 0, step, random); }
        for (uint32_t robot = 0; step % 50 == 49 && robot < 5; robot++) {
            nodes_shift(mission, robot, 0, step, random);
        }
        const int64_t started_ns = cairn_thread_cpu_ns();
        err = cairn_raster_maker_update(maker, mission->nodes, (step + 1) * ROBOTS, &mission->scratch, &info);
        mission->update_ms[step] = 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns);
    }
    if (err != CAIRN_OK) { return err; }
    // The later half: the map is large by then.
    double *late_ms = mission->update_ms + STEPS / 2;
    const size_t count = STEPS - STEPS / 2;
    qsort(late_ms, count, sizeof *late_ms, by_size);
    const struct {
        const char *metric;
        double ms;
    } said[] = {{"update p50", late_ms[count / 2]},
                {"update p95", late_ms[count * 95 / 100]},
                {"update max", late_ms[count - 1]}};
    for (int i = 0; i < 3; i++) {
        cairn_bench_say(report, &(cairn_bench_figure){.bench = "maps",
                                                      .subject = "raster of 200 x 150 m, cover and cache",
                                                      .metric = said[i].metric,
                                                      .unit = "ms",
                                                      .ours = said[i].ms});
    }
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_raster(cairn_bench_report *report, cairn_complaints *complaints)
{
    (void)complaints;
    static made_mission mission; // large
    cairn_random random;
    cairn_random_init(&random, 1, "bench/raster");
    cairn_err err = cairn_arena_create(&mission.memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_arena_create(&mission.scratch, 1u << 20); }
    if (err == CAIRN_OK) { err = mission_make(&mission, &random); }
    if (err == CAIRN_OK) { err = measure_pass(report, &mission, false); }
    if (err == CAIRN_OK) { err = measure_pass(report, &mission, true); }
    if (err == CAIRN_OK) { err = measure_updates(report, &mission, &random); }
    cairn_arena_destroy(&mission.scratch);
    cairn_arena_destroy(&mission.memory);
    return err;
}
