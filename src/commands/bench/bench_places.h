// bench_places.h - where a robot could stand in an arena, and what its laser would see there.
#pragma once
#include "base/random.h"
#include "body/description.h"
#include "maps/local/scan_points.h"
#include "sim/arena/arena.h"
#include "sim/senses/rays.h"

// A random pose at least clearance_m away from everything; the arena must have room for one.
cairn_pose2 cairn_bench_free_place(const cairn_sim_arena *arena, double clearance_m, cairn_random *random);
// One scan from there, all beams at one instant, 1 cm of noise; without a return a point at the laser's range that only
// clears. The rays are planar ones (cairn_rays_planar).
void cairn_bench_look(cairn_rays *rays, const cairn_laser_description *laser, cairn_pose2 place, cairn_random *random,
                      cairn_scan_points *ret_points);
