// bench sim - simulated seconds per wall second: the simulator alone, and whole missions.
//
// The office with 1, 3 and 14 robots; laser 40 Hz, thermal 8 Hz, IMU and encoders 125 Hz, all computed. In "sim alone"
// the wheels get a steady torque and nobody thinks; "mission" is the whole team, its journal written to a scratch file.
#include "base/workers.h"
#include "body/description_io.h"
#include "commands/bench/bench.h"
#include "sim/mission/team.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint32_t team_sizes[] = {1, 3, 14};

typedef struct bench_inputs {
    cairn_arena memory;
    cairn_sim_arena arena;
    cairn_body_description robot;
    cairn_workers *workers;
    char names[CAIRN_SIM_ROBOTS_MAX][16];
} bench_inputs;

static cairn_err measure(bench_inputs *inputs, const char *physics, uint32_t robots, bool world_only, double sim_s,
                         cairn_complaints *complaints, double *ret_speed)
{
    const char *folder = getenv("TMPDIR");
    char journal[512];
    snprintf(journal, sizeof journal, "%s/cairn-bench-%d.mcap", folder != NULL ? folder : "/tmp", (int)getpid());
    cairn_team_def def = {.mission = "bench",
                          .arena = &inputs->arena,
                          .physics = physics,
                          .seed = 1,
                          .session_seed = 1,
                          .radio = cairn_medium_radio_default(),
                          .robot_count = robots,
                          .workers = inputs->workers,
                          .journal_path = world_only ? NULL : journal,
                          .scan_hz = 10,
                          .thermal_hz = 1,
                          .world_only = world_only};
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
    if (!world_only) { unlink(journal); }
    return CAIRN_OK;
}

static cairn_err measure_physics(cairn_bench_report *report, bench_inputs *inputs, const char *physics, double sim_s,
                                 cairn_complaints *complaints)
{
    for (int whole = 0; whole < 2; whole++) {
        for (size_t i = 0; i < sizeof team_sizes / sizeof team_sizes[0]; i++) {
            double speed = 0;
            const cairn_err err = measure(inputs, physics, team_sizes[i], whole == 0, sim_s, complaints, &speed);
            if (err != CAIRN_OK) { return err; }
            char subject[64];
            snprintf(subject, sizeof subject, "office, %s, %u robot%s", physics, team_sizes[i],
                     team_sizes[i] == 1 ? "" : "s");
            const cairn_bench_figure figure = {.bench = "sim",
                                               .subject = subject,
                                               .metric = whole ? "whole mission speed" : "sim alone speed",
                                               .unit = "x real time",
                                               .ours = speed};
            cairn_bench_say(report, &figure);
        }
    }
    return CAIRN_OK;
}

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    static bench_inputs inputs; // large
    cairn_err err = cairn_arena_create(&inputs.memory, 64u << 20);
    if (err == CAIRN_OK) { err = cairn_workers_create(0, &inputs.workers); }
    if (err == CAIRN_OK) {
        err = cairn_sim_arena_read("arenas/office.yaml", &inputs.memory, complaints, &inputs.arena);
    }
    if (err == CAIRN_OK) { err = cairn_body_description_read("robots/emu.yaml", complaints, &inputs.robot); }
    if (err == CAIRN_OK) { err = measure_physics(report, &inputs, "planar", 60, complaints); }
    if (err == CAIRN_OK && cairn_physics_find("mujoco") != NULL) {
        err = measure_physics(report, &inputs, "mujoco", 20, complaints);
    }
    cairn_workers_destroy(inputs.workers);
    cairn_arena_destroy(&inputs.memory);
    return err;
}

const cairn_bench cairn_bench_sim = {"sim", "simulated seconds per wall second, sim alone and whole missions", run};
