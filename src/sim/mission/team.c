#include "sim/mission/team_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROBOT_MEMORY_BYTES (80u << 20)
#define TRUTH_MEMORY_BYTES ((size_t)8 << 20)
#define TRUTH_BYTES_PER_CELL 8
#define MAP_PERIOD_NS CAIRN_S(5)
#define AIR_PERIOD_NS CAIRN_MS(8)
#define AIR_MEMORY_BYTES (32u << 20)
#define SCRIPT_PERIOD_NS CAIRN_MS(20)
#define EVENTS_PERIOD_NS CAIRN_MS(20)
#define PAGE_PERIOD_NS CAIRN_MS(100)
#define SERIES_PERIOD_NS CAIRN_MS(100) // how exactly phases end
// Of the air's rate. The rest is for turns of the channel, and for what is said again.
#define ROBOTS_PART 0.6
// In real time the world makes up for lost time, but lets the air be served in between.
#define CATCH_UP_TICKS 25
#define TRAIL_SPACING_M 0.25

enum { PHASE_WORLD, PHASE_ROBOTS, PHASE_STATION }; // of a tick

typedef cairn_team_robot team_robot;

static void world_step(void *context, cairn_mono now) { cairn_world_step(((cairn_team *)context)->world, now); }

static void sense_step(void *context, cairn_mono now)
{
    team_robot *robot = context;
    cairn_world_sense(robot->team->world, robot->at, now);
}

// A steady torque, the right wheels a little stronger: robots without minds that move all the same.
static void push_step(void *context, cairn_mono now)
{
    team_robot *robot = context;
    const cairn_motor_target target = {
        .issued = now, .command = CAIRN_DRIVE_TORQUE, .torque_nm = {0.5, 0.8, 0.5, 0.8}, .flipper_rad = NAN};
    cairn_cell_write(cairn_world_body(robot->team->world, robot->at)->motors, &target, sizeof target);
}

// In real time: one step for each tick that has passed.
static void world_catch_up_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (uint32_t n = 0; n < CATCH_UP_TICKS && team->world_at.ns <= now.ns; n++) {
        cairn_world_step(team->world, team->world_at);
        for (uint32_t i = 0; i < team->def.robot_count; i++) { cairn_world_sense(team->world, i, team->world_at); }
        team->world_at = cairn_mono_add(team->world_at, CAIRN_PHYSICS_STEP_NS);
    }
}

static void air_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        cairn_robot_truth truth;
        cairn_world_truth(team->world, i, &truth);
        cairn_medium_place(team->air.medium, i, (cairn_vec2){truth.map_T_base.at_m.x, truth.map_T_base.at_m.y}, now);
    }
    cairn_lock_take(&team->lock);
    cairn_air_step(&team->air, now);
    cairn_lock_give(&team->lock);
}

static void script_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    if (!team->station_down) { cairn_script_step(&team->script, now, team->operators); } // the page is dead as well
}

static void watch_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    team->def.watch(team->def.watch_context, &view, cairn_truth_explored(&team->truth, view.raster), now);
}

static void page_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    cairn_station_view view;
    if (team->station_down) { return; }
    cairn_station_look(team->station, &view);
    cairn_page_update(team->page, &view, now);
}

static void frames_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        const cairn_world_frames last = cairn_world_last_frames(team->world, i);
        const cairn_recorder_frames frames = {.scan = last.scan,
                                              .thermal = last.thermal,
                                              .imu = last.imu,
                                              .range_image = last.range_image,
                                              .ranges = last.ranges,
                                              .gps = last.gps};
        cairn_recorder_add_frames(team->recorder, i, &frames, now);
    }
}

static void map_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    cairn_station_view view;
    if (team->station_down) { return; }
    cairn_station_look(team->station, &view);
    cairn_recorder_add_map(team->recorder, view.raster, now);
}

static void witness_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    if (!team->station_down) { cairn_witness_step(team->witness, now); }
}

// What the robots' software reads, always, and what only a journal keeps.
static void want_sensors(cairn_team *team, uint32_t robot)
{
    uint32_t wanted = CAIRN_WORLD_WANTED_AT_START;
    const bool keeps = team->def.journal_path != NULL;
    if (keeps && team->def.ranges_hz > 0) { wanted |= 1u << CAIRN_SENSOR_RANGES; }
    if (keeps && team->def.gps_hz > 0) { wanted |= 1u << CAIRN_SENSOR_GPS; }
    cairn_world_want(team->world, robot, wanted);
}

static cairn_err create_world(cairn_team *team, cairn_complaints *complaints)
{
    const cairn_team_def *def = &team->def;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        team->starts[i] = team->robots[i].map_T_private = def->arena->starts[i];
        team->descriptions[i] = def->robots[i].description;
        team->names[i] = def->robots[i].name;
    }
    const cairn_world_def world = {.arena = def->arena,
                                   .physics = def->physics,
                                   .robot_count = def->robot_count,
                                   .robots = team->descriptions,
                                   .starts = team->starts,
                                   .robot_names = team->names,
                                   .seed = def->seed,
                                   .late_ns_max = cairn_events_late_ns_max(def->events, def->event_count)};
    const cairn_err err = cairn_world_create(&world, complaints, &team->world);
    for (uint32_t i = 0; i < def->robot_count && err == CAIRN_OK; i++) { want_sensors(team, i); }
    return err;
}

void cairn_team_key_from_seed(uint64_t seed, const char *robot_name, uint8_t ret_key[CAIRN_LINK_KEY_BYTES])
{
    char name[64];
    snprintf(name, sizeof name, "%s/key", robot_name);
    cairn_random random;
    cairn_random_init(&random, seed, name);
    for (uint32_t i = 0; i < CAIRN_LINK_KEY_BYTES; i++) { ret_key[i] = (uint8_t)cairn_random_below(&random, 256); }
}

static cairn_err create_robot(cairn_team *team, uint32_t at)
{
    team_robot *robot = &team->robots[at];
    cairn_err err = cairn_arena_create(&robot->memory, ROBOT_MEMORY_BYTES);
    if (err != CAIRN_OK) { return err; }
    cairn_robot_def def = {.name = team->names[at],
                           .body = cairn_world_body(team->world, at),
                           .link = cairn_team_link_def(team, ROBOTS_PART),
                           .without_guards = team->def.without_guards,
                           .may_die = team->def.may_die};
    def.link.robot = (uint8_t)(at + 1);
    memcpy(def.link.key, team->def.robots[at].key, CAIRN_LINK_KEY_BYTES);
    char stream[64];
    snprintf(stream, sizeof stream, "%s/link", team->names[at]);
    cairn_random_init(&def.link.random, team->def.session_seed, stream);
    err = cairn_robot_create(&def, &robot->memory, &robot->robot);
    if (err == CAIRN_OK) { cairn_arena_seal(&robot->memory); }
    return err;
}

static cairn_err create_robots(cairn_team *team)
{
    cairn_err err = CAIRN_OK;
    for (uint32_t i = 0; i < team->def.robot_count && err == CAIRN_OK; i++) { err = create_robot(team, i); }
    return err;
}

static cairn_err create_air(cairn_team *team)
{
    cairn_err err = cairn_arena_create(&team->air_memory, AIR_MEMORY_BYTES);
    if (err != CAIRN_OK) { return err; }
    cairn_medium_def def = cairn_medium_def_default();
    def.arena = team->def.arena;
    def.robot_count = team->def.robot_count;
    def.seed = team->def.seed;
    def.radio = team->def.radio;
    err = cairn_medium_create(&def, &team->air_memory, &team->air.medium);
    team->air.robot_count = team->def.robot_count;
    cairn_team_tie_air(team);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        team->air.robots[i] = (cairn_air_end){.from_air = cairn_robot_from_air(team->robots[i].robot),
                                              .to_air = cairn_robot_to_air(team->robots[i].robot)};
    }
    return err;
}

static cairn_err create_recorder(cairn_team *team, cairn_complaints *complaints)
{
    if (team->def.journal_path == NULL) { return CAIRN_OK; }
    cairn_recorder_def def = cairn_recorder_def_default();
    def.files = cairn_recorder_one_file(team->def.journal_path);
    def.synchronous = !team->def.realtime; // for the same bytes every time
    def.scan_hz = team->def.scan_hz;
    def.thermal_hz = team->def.thermal_hz;
    def.range_image_hz = team->def.range_image_hz;
    def.ranges_hz = team->def.ranges_hz;
    def.gps_hz = team->def.gps_hz;
    def.robot_count = team->def.robot_count;
    for (uint32_t i = 0; i < def.robot_count; i++) {
        def.robots[i] = (cairn_recorder_robot){.name = team->names[i],
                                               .description = team->descriptions[i],
                                               .map_T_start = team->starts[i],
                                               .is_placed = true};
    }
    return cairn_recorder_create(&def, complaints, &team->recorder);
}

static void add_task(cairn_team *team, uint32_t lane, const char *name, int64_t period_ns, cairn_step_fn step,
                     void *state)
{
    const cairn_task_def def = {.name = name, .lane = lane, .period_ns = period_ns, .step = step, .state = state};
    cairn_executor_add_task(team->executor, &def);
}

static void register_station(cairn_team *team, uint32_t lane)
{
    add_task(team, lane, "station/post", CAIRN_STATION_POST_NS, cairn_team_station_post_step, team);
    const cairn_task_def tasking = {.name = "station/tasking",
                                    .lane = lane,
                                    .period_ns = CAIRN_STATION_TASKING_NS,
                                    .offset_ns = CAIRN_STATION_TASKING_OFFSET_NS,
                                    .step = cairn_team_station_tasking_step,
                                    .state = team};
    cairn_executor_add_task(team->executor, &tasking);
}

static uint32_t register_world(cairn_team *team)
{
    const uint32_t world = cairn_executor_add_lane(team->executor, "world", PHASE_WORLD);
    const cairn_step_fn step = team->def.realtime ? world_catch_up_step : world_step;
    add_task(team, world, "world", CAIRN_PHYSICS_STEP_NS, step, team);
    return world;
}

static void register_robots(cairn_team *team)
{
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        const uint32_t lane = cairn_executor_add_lane(team->executor, team->names[i], PHASE_ROBOTS);
        if (!team->def.realtime) { add_task(team, lane, "sense", CAIRN_PHYSICS_STEP_NS, sense_step, &team->robots[i]); }
        if (team->def.world_only) {
            add_task(team, lane, "push", CAIRN_MS(8), push_step, &team->robots[i]);
        } else {
            cairn_robot_register(team->robots[i].robot, team->executor, lane);
        }
    }
}

// Those who look at the true world run where it runs: in real time on its thread, in lockstep in the serial phase.
static void register_all(cairn_team *team)
{
    const uint32_t world = register_world(team);
    register_robots(team);
    if (team->def.world_only) { return; }
    const uint32_t station = cairn_executor_add_lane(team->executor, "station", PHASE_STATION);
    const uint32_t witness = team->def.realtime ? world : station;
    add_task(team, witness, "air", AIR_PERIOD_NS, air_step, team);
    if (team->world_deeds.count > 0) {
        add_task(team, witness, "events", EVENTS_PERIOD_NS, cairn_team_world_events_step, team);
    }
    add_task(team, witness, "compare", CAIRN_TEAM_COMPARE_NS, cairn_team_compare_step, team);
    if (team->recorder != NULL) { add_task(team, witness, "frames", CAIRN_PHYSICS_STEP_NS, frames_step, team); }
    if (team->station_deeds.count > 0) {
        add_task(team, station, "reboots", EVENTS_PERIOD_NS, cairn_team_station_events_step, team);
    }
    if (team->def.action_count > 0) { add_task(team, station, "script", SCRIPT_PERIOD_NS, script_step, team); }
    register_station(team, station);
    add_task(team, station, "series", SERIES_PERIOD_NS, cairn_team_series_step, team);
    if (team->page != NULL) { add_task(team, station, "page", PAGE_PERIOD_NS, page_step, team); }
    if (team->def.watch != NULL) { add_task(team, station, "watch", CAIRN_S(1), watch_step, team); }
    if (team->recorder != NULL) {
        add_task(team, station, "map", MAP_PERIOD_NS, map_step, team);
        add_task(team, station, "witness", CAIRN_S(1), witness_step, team);
    }
}

// Two planes of bytes and a stack for each cell of 10 cm.
static size_t truth_memory_bytes(const cairn_sim_arena *arena)
{
    return TRUTH_MEMORY_BYTES + (size_t)(arena->size_m.x * arena->size_m.y * 100) * TRUTH_BYTES_PER_CELL;
}

static cairn_err create_parts(cairn_team *team, cairn_complaints *complaints)
{
    cairn_err err = cairn_lock_init(&team->lock);
    team->has_lock = err == CAIRN_OK;
    if (err == CAIRN_OK) { err = cairn_arena_create(&team->truth_memory, truth_memory_bytes(team->def.arena)); }
    if (err == CAIRN_OK) { err = cairn_truth_create(team->def.arena, &team->truth_memory, &team->truth); }
    if (err == CAIRN_OK) { err = create_world(team, complaints); }
    if (err == CAIRN_OK) { err = create_robots(team); }
    if (err == CAIRN_OK) { err = create_recorder(team, complaints); }
    if (err == CAIRN_OK) { err = cairn_team_create_station(team); }
    if (err == CAIRN_OK) { err = create_air(team); }
    cairn_script_init(&team->script, team->def.actions, team->def.action_count);
    cairn_series_init(&team->series);
    cairn_team_plan_events(team);
    if (err == CAIRN_OK && team->def.realtime) { return cairn_executor_create_realtime(&team->executor); }
    if (err == CAIRN_OK) {
        err = cairn_executor_create_lockstep(CAIRN_PHYSICS_STEP_NS, team->def.workers, &team->executor);
    }
    return err;
}

cairn_err cairn_team_create(const cairn_team_def *def, cairn_complaints *complaints, cairn_team **ret_team)
{
    CAIRN_ASSERT(def->robot_count >= 1 && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    if (def->robot_count > def->arena->start_count) {
        cairn_complain(complaints, NULL, 0,
                       "%u robots, but arena %s has only %u starts; add starts or take fewer robots", def->robot_count,
                       def->arena->name, def->arena->start_count);
        return CAIRN_ERR_INVALID;
    }
    cairn_team *team = calloc(1, sizeof *team);
    if (team == NULL) { return CAIRN_ERR_FULL; }
    team->def = *def;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        team->robots[i].team = team;
        team->robots[i].at = i;
        cairn_trail_init(&team->robots[i].trail, TRAIL_SPACING_M);
    }
    const cairn_err err = create_parts(team, complaints);
    if (err != CAIRN_OK) {
        if (complaints->count == 0) {
            cairn_complain(complaints, NULL, 0, "cannot set up the mission: %s", cairn_err_name(err));
        }
        cairn_team_destroy(team);
        return err;
    }
    register_all(team);
    *ret_team = team;
    return CAIRN_OK;
}

void cairn_team_destroy(cairn_team *team)
{
    if (team == NULL) { return; }
    cairn_executor_destroy(team->executor);
    cairn_witness_destroy(team->witness);
    cairn_recorder_destroy(team->recorder);
    cairn_page_finish(team->page);
    cairn_station_finish(team->station);
    cairn_inbox_finish(team->operators);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        cairn_robot_finish(team->robots[i].robot);
        cairn_arena_destroy(&team->robots[i].memory);
    }
    cairn_world_destroy(team->world);
    cairn_arena_destroy(&team->station_memory);
    cairn_arena_destroy(&team->truth_memory);
    cairn_arena_destroy(&team->air_memory);
    cairn_arena_destroy(&team->page_memory);
    cairn_arena_destroy(&team->operators_memory);
    if (team->has_lock) { cairn_lock_finish(&team->lock); }
    free(team);
}

void cairn_team_run(cairn_team *team, cairn_mono until) { cairn_executor_run(team->executor, until); }
void cairn_team_ask_stop(cairn_team *team) { cairn_executor_ask_stop(team->executor); }
cairn_mono cairn_team_now(const cairn_team *team) { return cairn_executor_now(team->executor); }

double cairn_team_explored(const cairn_team *team)
{
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    return cairn_truth_explored(&team->truth, view.raster);
}

void cairn_team_station(const cairn_team *team, cairn_station_view *ret_view)
{
    cairn_station_look(team->station, ret_view);
}

const cairn_occupancy_grid *cairn_team_own_map(const cairn_team *team, uint32_t robot)
{
    return cairn_robot_own_map(team->robots[robot].robot);
}

cairn_pose2 cairn_team_start(const cairn_team *team, uint32_t robot) { return team->starts[robot]; }

void cairn_team_truth(const cairn_team *team, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < team->def.robot_count);
    cairn_world_truth(team->world, robot, ret_truth);
}

uint32_t cairn_team_trail(const cairn_team *team, uint32_t robot, const cairn_vec2 **ret_points_m)
{
    CAIRN_ASSERT(robot < team->def.robot_count);
    *ret_points_m = team->robots[robot].trail.points_m;
    return team->robots[robot].trail.count;
}

cairn_inbox *cairn_team_operators(cairn_team *team) { return team->operators; }
cairn_page *cairn_team_page(cairn_team *team) { return team->page; }
const cairn_series *cairn_team_series(const cairn_team *team) { return &team->series; }
const cairn_collision_list *cairn_team_collisions(const cairn_team *team) { return &team->collisions; }
