// bench_places.h - where a robot could stand in an arena, for measuring what it would see there.
#pragma once
#include "base/random.h"
#include "sim/arena/arena.h"

// A random pose at least clearance_m away from everything; the arena must have room for one.
cairn_pose2 cairn_bench_free_place(const cairn_sim_arena *arena, double clearance_m, cairn_random *random);
