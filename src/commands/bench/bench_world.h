// bench_world.h - the simulator alone: worlds full of robots that wander about, and how fast they go.
#pragma once
#include "base/workers.h"
#include "body/description.h"
#include "sim/arena/arena.h"

typedef struct cairn_bench_world_def {
    const cairn_sim_arena *arena; // borrowed, as all pointers here, during the call
    const char *physics;
    const cairn_body_description *robot;
    uint32_t robot_count; // <= CAIRN_SIM_ROBOTS_MAX
    double sim_s;         // measured, after a second that is not
    cairn_workers *workers;
} cairn_bench_world_def;

typedef struct cairn_bench_world_figures {
    double speed;      // [-] simulated over real time
    double rays_per_s; // laser beams and thermal pixels in a second of real time
    double memory_mb;  // that the world and what it runs on took; NaN: this system does not tell
} cairn_bench_world_figures;

CAIRN_CHECKED cairn_err cairn_bench_world(const cairn_bench_world_def *def, cairn_complaints *complaints,
                                          cairn_bench_world_figures *ret_figures);

// A place of side_m squared with rooms of 5 m, doorways in all their walls and a box in each: as dense everywhere,
// however large. CAIRN_ERR_FULL if memory is too small.
CAIRN_CHECKED cairn_err cairn_bench_rooms(double side_m, cairn_arena *memory, cairn_sim_arena *ret_arena);
