// drivers.h - two robots drive through a place of walls; what they say to a station that hears nobody else, and what it
// makes of that against the truth.
#pragma once
#include "check.h"
#include "maps/codec/planes_codec.h"
#include "place.h"
#include "station/replay/inputs.h"
#include "station/station_parts.h"
#include <stdlib.h>

#define SIDE_M 40.0
#define CELLS 400 // of the place, 10 cm
#define MAP_CELLS 120
#define NODES 150 // of each robot
#define NODE_NS CAIRN_MS(1000)
#define ROBOTS 2

// ---- the place: walls and boxes anywhere, so that no two corners of it look alike

static uint8_t walls[CELLS][CELLS];

static inline void paint(double x0, double y0, double x1, double y1)
{
    for (int y = (int)(y0 * 10); y < (int)(y1 * 10); y++) {
        for (int x = (int)(x0 * 10); x < (int)(x1 * 10); x++) { walls[y][x] = 1; }
    }
}

static inline bool is_wall(cairn_vec2 at_m)
{
    const int x = (int)floor(at_m.x * 10), y = (int)floor(at_m.y * 10);
    return x >= 0 && y >= 0 && x < CELLS && y < CELLS && walls[y][x] != 0;
}

static inline void make_walls(cairn_random *random)
{
    memset(walls, 0, sizeof walls);
    for (int i = 0; i < 220; i++) {
        const double x = cairn_random_between(random, 1, SIDE_M - 4), y = cairn_random_between(random, 1, SIDE_M - 4);
        const double length_m = cairn_random_between(random, 0.3, 2.5);
        const bool lies = cairn_random_below(random, 2) == 0;
        paint(x, y, x + (lies ? length_m : 0.2), y + (lies ? 0.2 : length_m));
    }
}

// ---- robots

typedef struct drift {
    double scale;                      // [-] of the way that the wheels tell
    double turn_rad;                   // at each node
    double deviation_m, deviation_rad; // of an edge, as told
} drift;

typedef struct driver {
    uint8_t id;
    cairn_pose2 start;
    bool is_old;                                   // it says nothing of stretches
    uint32_t cut_at;                               // node with which another stretch of its trail begins; 0: none does
    cairn_pose2 truth[NODES + 1], told[NODES + 1]; // by node: in the map, and in the private frame as it drifts
} driver;

typedef struct scene {
    cairn_arena memory;
    cairn_station_def def;
    cairn_body_description description;
    cairn_station *station;
    cairn_inputs_writer *inputs;
    uint64_t step;
    cairn_mono now;
    driver drivers[ROBOTS];
} scene;

// Round and round a rectangle, both along the same way, the second one half a round behind.
static inline cairn_pose2 on_the_way(double along_m)
{
    const double width_m = 14, height_m = 10, round_m = 2 * (width_m + height_m), left_m = 12, low_m = 14;
    const double at_m = fmod(along_m, round_m);
    if (at_m < width_m) { return (cairn_pose2){left_m + at_m, low_m, 0}; }
    if (at_m < width_m + height_m) { return (cairn_pose2){left_m + width_m, low_m + at_m - width_m, CAIRN_PI / 2}; }
    if (at_m < 2 * width_m + height_m) {
        return (cairn_pose2){left_m + 2 * width_m + height_m - at_m, low_m + height_m, CAIRN_PI};
    }
    return (cairn_pose2){left_m, low_m + round_m - at_m, -CAIRN_PI / 2};
}

static inline void drive(driver *d, double from_m, drift by)
{
    d->start = on_the_way(from_m);
    d->truth[0] = d->start;
    d->told[0] = (cairn_pose2){0};
    for (uint32_t i = 1; i <= NODES; i++) {
        d->truth[i] = on_the_way(from_m + 0.5 * i);
        cairn_pose2 step = cairn_pose2_between(d->truth[i - 1], d->truth[i]);
        step = (cairn_pose2){step.x_m * by.scale, step.y_m * by.scale, step.yaw_rad + by.turn_rad};
        d->told[i] = cairn_pose2_compose(d->told[i - 1], step);
    }
}

static inline void scene_init(scene *s)
{
    *s = (scene){0};
    s->description =
        (cairn_body_description){.thermal = {.offered = true, .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}}}};
    s->def = cairn_station_def_default();
    s->def.mute = true;
    s->def.raster = place_raster(SIDE_M, SIDE_M);
    s->def.robot_count = ROBOTS;
    s->inputs = malloc(sizeof *s->inputs);
    assert_non_null(s->inputs);
    static const char *const names[ROBOTS] = {"emu1", "emu2"};
    for (uint32_t i = 0; i < ROBOTS; i++) {
        s->drivers[i].id = (uint8_t)(i + 1);
        s->def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                     .name = names[i],
                                                     .map_T_start = on_the_way(24.0 * i),
                                                     .description = &s->description,
                                                     .mode = CAIRN_MODE_IDLE};
    }
    assert_ok(cairn_arena_create(&s->memory, cairn_station_memory_bytes(&s->def)));
    assert_ok(cairn_station_create(&s->def, &s->memory, &s->station));
}

static inline void scene_finish(scene *s)
{
    cairn_station_finish(s->station);
    cairn_arena_destroy(&s->memory);
    free(s->inputs);
}

static inline void add(scene *s, uint32_t robot_at, const cairn_radio_message *message)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    assert_ok(cairn_radio_encode(message, bytes, sizeof bytes, &size_bytes));
    assert_ok(cairn_inputs_add_heard(s->inputs, robot_at, bytes, size_bytes));
}

static inline void begin(scene *s, cairn_step_kind kind)
{
    const cairn_inputs_head head = {.kind = kind, .step = ++s->step, .at = s->now};
    cairn_inputs_begin(s->inputs, &head);
}

static inline void end(scene *s)
{
    assert_ok(cairn_station_replay(s->station, s->inputs->bytes, s->inputs->size_bytes));
}

static inline void say_telemetry(scene *s, uint32_t robot_at, uint32_t i)
{
    const driver *d = &s->drivers[robot_at];
    cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.id = CAIRN_MSG_TELEMETRY;
    message.telemetry.robot = d->id;
    message.telemetry.mono_ns = s->now.ns;
    message.telemetry.x_mm = (int32_t)lround(1e3 * d->told[i].x_m);
    message.telemetry.y_mm = (int32_t)lround(1e3 * d->told[i].y_m);
    message.telemetry.yaw_mrad = (int16_t)lround(1e3 * d->told[i].yaw_rad);
    add(s, robot_at, &message);
}

static inline void say_node(scene *s, uint32_t robot_at, uint32_t i, drift by)
{
    const driver *d = &s->drivers[robot_at];
    const bool is_cut = d->cut_at > 0 && i >= d->cut_at;
    const cairn_pose2 edge = d->cut_at == i ? (cairn_pose2){0} : cairn_pose2_between(d->told[i - 1], d->told[i]);
    cairn_radio_message message = {.id = CAIRN_MSG_NODE};
    message.node = (cairn_msg_node){.robot = d->id,
                                    .node = i,
                                    .mono_ns = (int64_t)i * NODE_NS,
                                    .x_mm = (int32_t)lround(1e3 * d->told[i].x_m),
                                    .y_mm = (int32_t)lround(1e3 * d->told[i].y_m),
                                    .yaw_urad = (int32_t)lround(1e6 * d->told[i].yaw_rad),
                                    .edge_x_um = (int32_t)lround(1e6 * edge.x_m),
                                    .edge_y_um = (int32_t)lround(1e6 * edge.y_m),
                                    .edge_yaw_urad = (int32_t)lround(1e6 * edge.yaw_rad),
                                    .edge_xy_um_dev = (uint32_t)lround(1e6 * by.deviation_m),
                                    .edge_yaw_urad_dev = (uint32_t)lround(1e6 * by.deviation_rad),
                                    .stretch = d->is_old ? CAIRN_MSG_NODE_STRETCH_UNKNOWN : is_cut};
    add(s, robot_at, &message);
}

// What is around the robot, its rows along the private frame as that lies now.
static inline void say_map(scene *s, uint32_t robot_at, uint32_t i)
{
    static cairn_terrain_planes planes;
    static uint8_t scratch_block[CAIRN_PLANES_SCRATCH_BYTES];
    const driver *d = &s->drivers[robot_at];
    cairn_radio_message message = {.id = CAIRN_MSG_TERRAIN_GRID};
    cairn_msg_terrain_grid *map = &message.terrain_grid;
    *map = (cairn_msg_terrain_grid){.robot = d->id, .node = i, .cell_mm = 100, .width = MAP_CELLS, .height = MAP_CELLS};
    map->x_mm = 100 * (int32_t)lround(10 * d->told[i].x_m) - 100 * MAP_CELLS / 2;
    map->y_mm = 100 * (int32_t)lround(10 * d->told[i].y_m) - 100 * MAP_CELLS / 2;
    planes = (cairn_terrain_planes){.cell_m = 0.1, .width = MAP_CELLS, .height = MAP_CELLS};
    const cairn_pose2 map_T_private = cairn_pose2_compose(d->truth[i], cairn_pose2_inverse(d->told[i]));
    for (uint32_t cell = 0; cell < MAP_CELLS * MAP_CELLS; cell++) {
        const uint32_t x = cell % MAP_CELLS, y = cell / MAP_CELLS;
        const cairn_vec2 private_m = {map->x_mm * 1e-3 + 0.1 * x + 0.05, map->y_mm * 1e-3 + 0.1 * y + 0.05};
        if (cairn_vec2_distance(private_m, cairn_pose2_at(d->told[i])) > 5.5) { continue; }
        planes.known[cell >> 3] |= (uint8_t)(1u << (cell & 7));
        if (is_wall(cairn_pose2_apply(map_T_private, private_m))) {
            planes.obstacle[cell >> 3] |= (uint8_t)(1u << (cell & 7));
        }
    }
    cairn_arena scratch;
    cairn_arena_init(&scratch, scratch_block, sizeof scratch_block);
    size_t bytes = 0;
    assert_ok(cairn_planes_encode(&planes, NULL, &scratch, map->code, sizeof map->code, &bytes));
    map->code_count = (uint16_t)bytes;
    add(s, robot_at, &message);
}

// Half a second of the station: what was said, and five steps of tasking for each second.
static inline void run_tasking(scene *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        s->now = cairn_mono_add(s->now, CAIRN_MS(200));
        begin(s, CAIRN_STEP_TASKING);
        end(s);
    }
}

static inline void play(scene *s, uint32_t first, uint32_t last, drift by)
{
    for (uint32_t i = first; i <= last; i++) {
        for (uint32_t k = 0; k < ROBOTS; k++) {
            begin(s, CAIRN_STEP_POST);
            say_telemetry(s, k, i);
            say_node(s, k, i, by);
            say_map(s, k, i);
            end(s);
        }
        run_tasking(s, 5);
    }
}

// [-] of the cells that both know: in how many the raster has a wall where there is none, or none where there is one,
// more than a cell away.
static inline double wrong_cells(const scene *s)
{
    const cairn_raster *raster = s->station->state.atlas.raster;
    uint32_t known_count = 0, wrong_count = 0;
    for (int y = 1; y < CELLS - 1; y++) {
        for (int x = 1; x < CELLS - 1; x++) {
            const uint8_t ground = raster->ground[y * CELLS + x];
            if (ground == CAIRN_GROUND_UNKNOWN) { continue; }
            known_count++;
            bool any = false, all = true;
            for (int i = 0; i < 9; i++) {
                any |= walls[y - 1 + i / 3][x - 1 + i % 3] != 0;
                all &= walls[y - 1 + i / 3][x - 1 + i % 3] != 0;
            }
            wrong_count += ground == CAIRN_GROUND_OBSTACLE ? !any : all;
        }
    }
    assert_true(known_count > 10000);
    return (double)wrong_count / known_count;
}

static const drift drifting = {.scale = 1.01, .turn_rad = 0.0012, .deviation_m = 0.012, .deviation_rad = 0.004};
static const drift exact = {.scale = 1, .deviation_m = 0.012, .deviation_rad = 0.004};

static inline void scene_make(scene *s, drift first, drift second)
{
    cairn_random random;
    cairn_random_init(&random, 3, "tests/align");
    make_walls(&random);
    scene_init(s);
    drive(&s->drivers[0], 0, first);
    drive(&s->drivers[1], 24, second);
}

static inline void scene_make_exact(scene *s) { scene_make(s, exact, exact); }

static inline cairn_station *scene_restart(const scene *s, cairn_arena *ret_memory)
{
    const size_t max = cairn_station_save_bytes(s->station);
    uint8_t *bytes = malloc(max);
    assert_non_null(bytes);
    size_t size = 0;
    assert_ok(cairn_station_save(s->station, bytes, max, &size));
    cairn_station *other = NULL;
    assert_ok(cairn_arena_create(ret_memory, cairn_station_memory_bytes(&s->def)));
    assert_ok(cairn_station_create(&s->def, ret_memory, &other));
    assert_ok(cairn_station_load(other, bytes, size));
    free(bytes);
    return other;
}

// A robot says that it sees a person there, truly, from where it stood at this node; in its drifting frame.
static inline void say_victim(scene *s, uint32_t robot_at, uint32_t i, cairn_vec2 true_m)
{
    const driver *d = &s->drivers[robot_at];
    const cairn_vec2 from_m = cairn_pose2_apply(cairn_pose2_inverse(d->truth[i]), true_m);
    const cairn_vec2 private_m = cairn_pose2_apply(d->told[i], from_m);
    cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.id = CAIRN_MSG_VICTIM_SEEN;
    message.victim_seen.robot = d->id;
    message.victim_seen.sighting = i;
    message.victim_seen.frame_count = 1;
    message.victim_seen.x_mm = (int32_t)lround(1e3 * private_m.x);
    message.victim_seen.y_mm = (int32_t)lround(1e3 * private_m.y);
    message.victim_seen.confidence_pct = 90;
    message.victim_seen.deviation_mm = 100;
    begin(s, CAIRN_STEP_POST);
    add(s, robot_at, &message);
    end(s);
}
