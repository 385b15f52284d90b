// bench sim - simulated seconds per wall second: the simulator alone, whole missions, and how both grow.
//
// Laser 40 Hz, thermal 8 Hz, IMU and encoders 125 Hz, all computed. In "sim alone" robots wander about and nobody
// thinks; "mission" is the whole team, its journal written to a scratch file.
#include "base/workers.h"
#include "body/description_io.h"
#include "commands/bench/bench.h"
#include "commands/bench/bench_plot.h"
#include "commands/bench/bench_world.h"
#include "sim/mission/team.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t team_sizes[] = {1, 3, 14};
static const uint32_t crowd_sizes[] = {1, 2, 5, 10, 20, 50};
static const double sides_m[] = {20, 50, 100, 200, 300};
#define GROWTH_SIDE_M 50.0
#define GROWTH_ROBOTS 14

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

typedef struct bench_inputs {
    cairn_arena memory;
    cairn_sim_arena office, showground;
    cairn_body_description robot;
    cairn_workers *workers;
    char names[CAIRN_SIM_ROBOTS_MAX][16];
} bench_inputs;

static double sim_s_of(const char *physics, uint32_t robots)
{
    const double cheap_s = strcmp(physics, "planar") == 0 ? 60 : 20;
    return robots > 14 ? cheap_s / 4 : cheap_s;
}

static void say(cairn_bench_report *report, const char *place, const char *physics, uint32_t robots, const char *metric,
                const char *unit, double ours)
{
    char subject[128];
    snprintf(subject, sizeof subject, "%s, %s, %u robot%s", place, physics, robots, robots == 1 ? "" : "s");
    const cairn_bench_figure figure = {
        .bench = "sim", .subject = subject, .metric = metric, .unit = unit, .ours = ours};
    cairn_bench_say(report, &figure);
}

// ---- the simulator alone

static cairn_err measure_world(const bench_inputs *inputs, const cairn_sim_arena *arena, const char *physics,
                               uint32_t robots, cairn_complaints *complaints, cairn_bench_world_figures *ret_figures)
{
    const cairn_bench_world_def def = {.arena = arena,
                                       .physics = physics,
                                       .robot = &inputs->robot,
                                       .robot_count = robots,
                                       .sim_s = sim_s_of(physics, robots),
                                       .workers = inputs->workers};
    return cairn_bench_world(&def, complaints, ret_figures);
}

static cairn_err say_world(cairn_bench_report *report, const bench_inputs *inputs, const cairn_sim_arena *arena,
                           const char *place, const char *physics, uint32_t robots, cairn_complaints *complaints)
{
    cairn_bench_world_figures figures;
    const cairn_err err = measure_world(inputs, arena, physics, robots, complaints, &figures);
    if (err != CAIRN_OK) { return err; }
    say(report, place, physics, robots, "sim alone speed", "x real time", figures.speed);
    say(report, place, physics, robots, "rays", "million/s", figures.rays_per_s / 1e6);
    say(report, place, physics, robots, "memory", "MB", figures.memory_mb);
    return CAIRN_OK;
}

static cairn_err say_worlds(cairn_bench_report *report, const bench_inputs *inputs, const char *physics,
                            cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < COUNT(team_sizes) && err == CAIRN_OK; i++) {
        err = say_world(report, inputs, &inputs->office, "office", physics, team_sizes[i], complaints);
    }
    if (err == CAIRN_OK) {
        err = say_world(report, inputs, &inputs->showground, "showground", physics, 14, complaints);
    }
    if (err == CAIRN_OK) {
        err = say_world(report, inputs, &inputs->office, "office", physics, CAIRN_SIM_ROBOTS_MAX, complaints);
    }
    return err;
}

// ---- whole missions

static cairn_err measure_mission(bench_inputs *inputs, const char *physics, uint32_t robots, double sim_s,
                                 cairn_complaints *complaints, double *ret_speed)
{
    const char *folder = getenv("TMPDIR");
    char journal[512];
    snprintf(journal, sizeof journal, "%s/cairn-bench-%d.mcap", folder != NULL ? folder : "/tmp", (int)getpid());
    cairn_team_def def = {.mission = "bench",
                          .arena = &inputs->office,
                          .physics = physics,
                          .seed = 1,
                          .session_seed = 1,
                          .radio = cairn_medium_radio_default(),
                          .robot_count = robots,
                          .workers = inputs->workers,
                          .journal_path = journal,
                          .scan_hz = 10,
                          .thermal_hz = 1};
    for (uint32_t i = 0; i < robots; i++) {
        snprintf(inputs->names[i], sizeof inputs->names[i], "emu%u", i + 1);
        def.robots[i] = (cairn_team_robot_def){
            .name = inputs->names[i], .description = &inputs->robot, .mode = CAIRN_MODE_AUTONOMOUS};
    }
    cairn_team *team = NULL;
    const cairn_err err = cairn_team_create(&def, complaints, &team);
    if (err != CAIRN_OK) { return err; }
    // A mission's first seconds are not typical: nobody moves yet.
    cairn_team_run(team, (cairn_mono){CAIRN_S(5)});
    const cairn_mono started = cairn_mono_now();
    cairn_team_run(team, (cairn_mono){CAIRN_S(5) + cairn_ns_from_seconds(sim_s)});
    *ret_speed = sim_s / cairn_seconds(cairn_mono_since(cairn_mono_now(), started));
    cairn_team_destroy(team);
    unlink(journal);
    return CAIRN_OK;
}

static cairn_err say_missions(cairn_bench_report *report, bench_inputs *inputs, const char *physics,
                              cairn_complaints *complaints)
{
    for (size_t i = 0; i < COUNT(team_sizes); i++) {
        double speed = 0;
        const cairn_err err =
            measure_mission(inputs, physics, team_sizes[i], sim_s_of(physics, team_sizes[i]), complaints, &speed);
        if (err != CAIRN_OK) { return err; }
        say(report, "office", physics, team_sizes[i], "whole mission speed", "x real time", speed);
    }
    return CAIRN_OK;
}

// ---- growth with robots and with the place

static cairn_err grow_robots(cairn_bench_report *report, const bench_inputs *inputs, const char *physics,
                             cairn_complaints *complaints, cairn_plot_line *line)
{
    cairn_arena memory;
    cairn_sim_arena rooms;
    cairn_err err = cairn_arena_create(&memory, (size_t)16 << 20);
    if (err == CAIRN_OK) { err = cairn_bench_rooms(GROWTH_SIDE_M, &memory, &rooms); }
    for (size_t i = 0; i < COUNT(crowd_sizes) && err == CAIRN_OK; i++) {
        cairn_bench_world_figures figures;
        err = measure_world(inputs, &rooms, physics, crowd_sizes[i], complaints, &figures);
        if (err != CAIRN_OK) { break; }
        say(report, "rooms, 50 m", physics, crowd_sizes[i], "sim alone speed", "x real time", figures.speed);
        line->x[line->point_count] = crowd_sizes[i];
        line->y[line->point_count++] = figures.speed;
    }
    cairn_arena_destroy(&memory);
    return err;
}

static cairn_err grow_place(cairn_bench_report *report, const bench_inputs *inputs, const char *physics,
                            cairn_complaints *complaints, cairn_plot_line *line)
{
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < COUNT(sides_m) && err == CAIRN_OK; i++) {
        cairn_arena memory;
        cairn_sim_arena rooms;
        cairn_bench_world_figures figures;
        err = cairn_arena_create(&memory, (size_t)64 << 20);
        if (err == CAIRN_OK) { err = cairn_bench_rooms(sides_m[i], &memory, &rooms); }
        if (err == CAIRN_OK) { err = measure_world(inputs, &rooms, physics, GROWTH_ROBOTS, complaints, &figures); }
        if (err == CAIRN_OK) {
            char place[64];
            snprintf(place, sizeof place, "rooms, %.0f m, %u solids", sides_m[i], rooms.solid_count);
            say(report, place, physics, GROWTH_ROBOTS, "sim alone speed", "x real time", figures.speed);
            line->x[line->point_count] = rooms.solid_count;
            line->y[line->point_count++] = figures.speed;
        }
        cairn_arena_destroy(&memory);
    }
    return err;
}

static cairn_err say_growth(cairn_bench_report *report, const bench_inputs *inputs, cairn_complaints *complaints)
{
    static const char *const kinds[] = {"planar", "mujoco"};
    cairn_plot plots[2] = {{.title = "Growth with robots", .x_title = "robots", .y_title = "times real time"},
                           {.title = "Growth with the place", .x_title = "solids", .y_title = "times real time"}};
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < COUNT(kinds) && err == CAIRN_OK; i++) {
        if (cairn_physics_find(kinds[i]) == NULL) { continue; }
        cairn_plot_line *robots = &plots[0].lines[plots[0].line_count++];
        cairn_plot_line *place = &plots[1].lines[plots[1].line_count++];
        robots->name = place->name = kinds[i];
        err = grow_robots(report, inputs, kinds[i], complaints, robots);
        if (err == CAIRN_OK) { err = grow_place(report, inputs, kinds[i], complaints, place); }
    }
    return err == CAIRN_OK ? cairn_plots_write(plots, 2, report->plot, complaints) : err;
}

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    static bench_inputs inputs; // large
    cairn_err err = cairn_arena_create(&inputs.memory, (size_t)256 << 20);
    if (err == CAIRN_OK) { err = cairn_workers_create(0, &inputs.workers); }
    if (err == CAIRN_OK) {
        err = cairn_sim_arena_read("arenas/office.yaml", &inputs.memory, complaints, &inputs.office);
    }
    if (err == CAIRN_OK) {
        err = cairn_sim_arena_read("arenas/showground.yaml", &inputs.memory, complaints, &inputs.showground);
    }
    if (err == CAIRN_OK) { err = cairn_body_description_read("robots/emu.yaml", complaints, &inputs.robot); }
    static const char *const kinds[] = {"planar", "mujoco"};
    for (size_t i = 0; i < COUNT(kinds) && err == CAIRN_OK; i++) {
        if (cairn_physics_find(kinds[i]) == NULL) { continue; }
        err = say_worlds(report, &inputs, kinds[i], complaints);
        if (err == CAIRN_OK) { err = say_missions(report, &inputs, kinds[i], complaints); }
    }
    if (err == CAIRN_OK && report->plot != NULL) { err = say_growth(report, &inputs, complaints); }
    cairn_workers_destroy(inputs.workers);
    cairn_arena_destroy(&inputs.memory);
    return err;
}

const cairn_bench cairn_bench_sim = {"sim", "simulated seconds per wall second, sim alone and whole missions", run};
