#include "programs/sim/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS CAIRN_PHYSICS_STEP_NS
#define AIR_TICKS 2 // the sockets are served every 8 ms

struct cairn_sim {
    cairn_run_folder folder;
    cairn_arena memory; // this process's ends of the moments and the snapshots
    cairn_cell *moments, *snapshots;
    cairn_ruled_memory *clock;
    cairn_world *world;
    cairn_sim_radio *radio;
    uint32_t robot_count;
    bool goes_on;
    int64_t tick_began;
    int64_t tick;    // of the last step; tick_began - 1 before the first
    bool running;    // the first step was taken
    cairn_mono due;  // machine's time of the next tick
    int64_t lost_ns; // by which it was put off
    cairn_pose2 starts[CAIRN_SIM_ROBOTS_MAX];
    cairn_world_moment moment; // being filled
    cairn_mission_event events[CAIRN_MISSION_EVENTS_MAX];
    cairn_deeds deeds; // point into the events
};

// ---- running

static void look_at_robot(const cairn_sim *sim, uint32_t at, cairn_mono now, cairn_world_moment_robot *ret_robot)
{
    const cairn_body *body = cairn_world_body(sim->world, at);
    cairn_robot_truth truth;
    cairn_world_truth(sim->world, at, &truth);
    *ret_robot = (cairn_world_moment_robot){.map_T_base = cairn_pose3_to_pose2(truth.map_T_base),
                                            .collisions = cairn_world_collisions(sim->world, at),
                                            .fallen = truth.fallen,
                                            .dead = cairn_world_is_dead(sim->world, at),
                                            .speed_mps = cairn_vec3_length(truth.velocity_mps),
                                            .told_ns = INT64_MAX,
                                            .driven = cairn_world_is_driven(sim->world, at)};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        ret_robot->wheel_radps_max = fmax(ret_robot->wheel_radps_max, fabs(truth.wheel_radps[i]));
    }
    const cairn_motor_target *told = cairn_cell_latest(body->motors, NULL);
    if (told != NULL && told->issued.ns >= 0) { ret_robot->told_ns = cairn_mono_since(now, told->issued); }
}

static void keep_moment(cairn_sim *sim, cairn_mono now)
{
    cairn_world_moment *moment = &sim->moment;
    moment->tick = sim->tick;
    for (uint32_t i = 0; i < sim->robot_count; i++) { look_at_robot(sim, i, now, &moment->robots[i]); }
    const cairn_medium_info air = cairn_sim_radio_look(sim->radio).air;
    moment->lost_ns = sim->lost_ns;
    moment->radio_sent_count = air.sent_count;
    moment->radio_sent_bytes = air.sent_bytes;
    moment->radio_delivered_count = air.delivered_count;
    moment->radio_lost_count = 0;
    for (int i = 0; i < CAIRN_MEDIUM_LOST_COUNT; i++) { moment->radio_lost_count += air.lost_count[i]; }
    cairn_cell_write(sim->moments, moment, sizeof *moment);
}

static void carry(cairn_sim *sim, cairn_mono now)
{
    for (uint32_t i = 0; i < sim->robot_count; i++) {
        cairn_robot_truth truth;
        cairn_world_truth(sim->world, i, &truth);
        cairn_sim_radio_place(sim->radio, i, (cairn_vec2){truth.map_T_base.at_m.x, truth.map_T_base.at_m.y}, now);
    }
    cairn_sim_radio_step(sim->radio, now);
}

// Snapshot and moment are kept before their time is told: killed in between, the next simulator does not take time
// back.
static void tick(cairn_sim *sim)
{
    sim->tick++;
    const cairn_mono now = {sim->tick * TICK_NS};
    for (const cairn_deed *deed; (deed = cairn_deeds_take(&sim->deeds, now)) != NULL;) {
        (void)cairn_deed_do(deed, sim->world); // nothing befalls the dead
    }
    cairn_world_step(sim->world, now);
    for (uint32_t i = 0; i < sim->robot_count; i++) { cairn_world_sense(sim->world, i, now); }
    if (sim->tick % AIR_TICKS == 0) { carry(sim, now); }
    cairn_world_snapshot(sim->world, cairn_cell_begin(sim->snapshots));
    cairn_cell_publish(sim->snapshots);
    keep_moment(sim, now);
    cairn_ruled_publish(sim->clock, now, sim->due);
}

void cairn_sim_step(cairn_sim *sim, cairn_mono machine_now)
{
    // On whole ticks of the machine's clock: just before an executor calls, not just after.
    if (!sim->running) { sim->due = (cairn_mono){machine_now.ns - machine_now.ns % TICK_NS}; }
    sim->running = true;
    const int64_t too_late_ns = cairn_mono_since(machine_now, sim->due) - CAIRN_RULED_NS_AHEAD;
    if (too_late_ns > 0) {
        sim->due = cairn_mono_add(sim->due, too_late_ns);
        sim->lost_ns += too_late_ns;
    }
    while (sim->due.ns <= machine_now.ns) {
        tick(sim);
        sim->due = cairn_mono_add(sim->due, TICK_NS);
    }
}

cairn_mono cairn_sim_time(const cairn_sim *sim) { return (cairn_mono){sim->tick > 0 ? sim->tick * TICK_NS : 0}; }

cairn_sim_info cairn_sim_look(const cairn_sim *sim)
{
    return (cairn_sim_info){
        .goes_on = sim->goes_on, .began = {sim->tick_began * TICK_NS}, .radio = cairn_sim_radio_look(sim->radio)};
}

const cairn_run_folder *cairn_sim_folder(const cairn_sim *sim) { return &sim->folder; }

// ---- making one

static cairn_err check_robots(const cairn_sim_def *def, cairn_complaints *complaints)
{
    const uint32_t before = complaints->count;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        const cairn_sim_robot_def *robot = &def->robots[i];
        if (robot->number < 1 || robot->number > def->arena->start_count) {
            cairn_complain(complaints, NULL, 0,
                           "%s has number %u, but arena %s has %u starts; add starts there or give it a lower number",
                           robot->name, robot->number, def->arena->name, def->arena->start_count);
        }
        for (uint32_t other = 0; other < i; other++) {
            const char *name = def->robots[other].name;
            if (robot->number == def->robots[other].number) {
                cairn_complain(complaints, NULL, 0, "%s and %s have the same number, %u; give each its own", name,
                               robot->name, robot->number);
            }
            if (strcmp(robot->name, name) == 0) {
                cairn_complain(complaints, NULL, 0, "two robots are named %s; give each its own name", name);
            }
        }
    }
    return complaints->count == before ? CAIRN_OK : CAIRN_ERR_INVALID;
}

static int by_number(const void *a, const void *b)
{
    return (int)((const cairn_sim_robot_def *)a)->number - (int)((const cairn_sim_robot_def *)b)->number;
}

static cairn_err open_folder(cairn_sim *sim, const cairn_sim_def *def, cairn_complaints *complaints)
{
    cairn_run_folder_def folder = {.path = def->folder, .fresh = def->fresh};
    folder.world.arena_hash = def->arena_hash;
    folder.world.robot_count = def->robot_count;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        cairn_world_page_robot *robot = &folder.world.robots[i];
        (void)snprintf(robot->name, sizeof robot->name, "%s", def->robots[i].name);
        robot->number = def->robots[i].number;
        robot->body_hash = def->robots[i].body_hash;
        folder.bodies[i] = def->robots[i].description;
    }
    cairn_err err = cairn_run_folder_open(&folder, complaints, &sim->folder);
    if (err != CAIRN_OK) { return err; }
    sim->clock = sim->folder.clock.bytes;
    return CAIRN_OK;
}

static cairn_err attach_cells(cairn_sim *sim, cairn_complaints *complaints)
{
    const size_t snapshot_bytes = cairn_world_snapshot_bytes(sim->world);
    cairn_err err = cairn_run_folder_open_snapshot(&sim->folder, snapshot_bytes, complaints);
    if (err != CAIRN_OK) { return err; }
    err = cairn_arena_create(&sim->memory,
                             cairn_cell_bytes(sizeof(cairn_world_moment)) + cairn_cell_bytes(snapshot_bytes) + 4096);
    if (err == CAIRN_OK) { err = cairn_world_page_attach(sim->folder.world.bytes, &sim->memory, &sim->moments); }
    if (err != CAIRN_OK) { return err; }
    return cairn_snapshot_page_attach(sim->folder.snapshot.bytes, snapshot_bytes, &sim->memory, &sim->snapshots);
}

// Where the simulator before this one was, if there was one.
static cairn_err go_on(cairn_sim *sim, cairn_complaints *complaints)
{
    cairn_err err = attach_cells(sim, complaints);
    const void *last = err == CAIRN_OK ? cairn_cell_latest(sim->snapshots, NULL) : NULL;
    if (last != NULL) { err = cairn_world_restore(sim->world, last); }
    if (err == CAIRN_ERR_CORRUPT) {
        cairn_complain(complaints, sim->folder.path, 0, "the world to go on with is damaged, or another one");
        cairn_complain(complaints, sim->folder.path, 0, "--fresh begins anew there, --folder takes another folder");
    }
    sim->goes_on = last != NULL;
    sim->tick_began = last != NULL ? cairn_world_tick(sim->world) + 1 : 0;
    sim->tick = sim->tick_began - 1;
    return err;
}

static cairn_err create_world(cairn_sim *sim, const cairn_sim_def *def, cairn_complaints *complaints)
{
    const cairn_body_description *bodies[CAIRN_SIM_ROBOTS_MAX];
    const char *names[CAIRN_SIM_ROBOTS_MAX];
    cairn_body_memory memories[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < def->robot_count; i++) {
        bodies[i] = def->robots[i].description;
        names[i] = def->robots[i].name;
        sim->starts[i] = def->arena->starts[def->robots[i].number - 1];
        memories[i] = (cairn_body_memory){.sensors = cairn_body_page_cells(sim->folder.sensors[i].bytes),
                                          .motors = cairn_body_page_cells(sim->folder.motors[i].bytes)};
    }
    const cairn_world_def world = {.arena = def->arena,
                                   .physics = def->physics,
                                   .robot_count = def->robot_count,
                                   .robots = bodies,
                                   .starts = sim->starts,
                                   .robot_names = names,
                                   .seed = def->seed,
                                   .late_ns_max = cairn_events_late_ns_max(def->events, def->event_count),
                                   .memories = memories};
    return cairn_world_create(&world, complaints, &sim->world);
}

static cairn_err create_radio(cairn_sim *sim, const cairn_sim_def *def, cairn_complaints *complaints)
{
    cairn_sim_arena arena = *def->arena; // the medium counts robots by the order of starts
    arena.starts = sim->starts;
    arena.start_count = def->robot_count;
    cairn_sim_radio_def radio = {.arena = &arena,
                                 .robot_count = def->robot_count,
                                 .seed = def->seed,
                                 .radio = def->radio,
                                 .air = def->air,
                                 .station = def->station};
    for (uint32_t i = 0; i < def->robot_count; i++) { radio.numbers[i] = def->robots[i].number; }
    return cairn_sim_radio_create(&radio, complaints, &sim->radio);
}

// The robots are sorted by now; events name them as they were given. What lies before the tick that the world goes on
// from has happened to it.
static void plan_events(cairn_sim *sim, const cairn_sim_def *given, const cairn_sim_def *sorted)
{
    CAIRN_ASSERT(given->event_count <= CAIRN_MISSION_EVENTS_MAX);
    for (uint32_t i = 0; i < given->event_count; i++) {
        cairn_mission_event *event = &sim->events[i];
        *event = given->events[i];
        CAIRN_ASSERT(event->robot < given->robot_count);
        const uint8_t number = given->robots[event->robot].number;
        for (uint32_t k = 0; k < sorted->robot_count; k++) {
            if (sorted->robots[k].number == number) { event->robot = k; }
        }
        cairn_deeds_add(&sim->deeds, event);
    }
    if (!sim->goes_on) { return; }
    while (cairn_deeds_take(&sim->deeds, (cairn_mono){sim->tick * TICK_NS}) != NULL) {}
}

cairn_err cairn_sim_create(const cairn_sim_def *def, cairn_complaints *complaints, cairn_sim **ret_sim)
{
    CAIRN_ASSERT(def->robot_count >= 1 && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_err err = check_robots(def, complaints);
    if (err != CAIRN_OK) { return err; }
    cairn_sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL) { return CAIRN_ERR_FULL; }
    cairn_sim_def sorted = *def;
    qsort(sorted.robots, sorted.robot_count, sizeof sorted.robots[0], by_number);
    sim->robot_count = sorted.robot_count;
    err = open_folder(sim, &sorted, complaints);
    if (err == CAIRN_OK) { err = create_world(sim, &sorted, complaints); }
    if (err == CAIRN_OK) { err = go_on(sim, complaints); }
    if (err == CAIRN_OK) { err = create_radio(sim, &sorted, complaints); }
    if (err != CAIRN_OK) {
        cairn_sim_destroy(sim);
        return err;
    }
    plan_events(sim, def, &sorted);
    *ret_sim = sim;
    return CAIRN_OK;
}

void cairn_sim_destroy(cairn_sim *sim)
{
    if (sim == NULL) { return; }
    cairn_sim_radio_destroy(sim->radio);
    cairn_world_destroy(sim->world);
    cairn_arena_destroy(&sim->memory);
    cairn_run_folder_close(&sim->folder);
    free(sim);
}
