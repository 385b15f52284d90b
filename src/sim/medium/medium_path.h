// medium_path.h - what distance and walls do to a datagram: pure functions of places.
#pragma once
#include "sim/medium/medium.h"

// What stands in the way, seen from above.
typedef struct cairn_medium_wall {
    cairn_vec2 at_m, along, half_m; // middle, unit vector of its x, half its edges
    double radius_m;                // of the circle around it
    cairn_material material;
} cairn_medium_wall;

typedef struct cairn_medium_cut {
    double from, to; // [-] parts of the way, 0..1
    cairn_material material;
} cairn_medium_cut;

typedef struct cairn_medium_walls {
    uint32_t count;
    cairn_medium_wall *walls;
    cairn_medium_cut *cuts; // scratch: room for one for each wall
} cairn_medium_walls;

// Walls and boxes that reach the antenna's height. CAIRN_ERR_FULL if the memory is too small.
CAIRN_CHECKED cairn_err cairn_medium_walls_create(const cairn_sim_arena *arena, double antenna_m, cairn_arena *memory,
                                                  cairn_medium_walls *ret_walls);

// Walls crossed on the straight way. What touches or overlaps on the way counts as one, so that a corner, where two
// walls meet, is not two. O(walls).
uint32_t cairn_medium_walls_between(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m);
// What they take in all, of each material material_db[material]. Of what touches or overlaps on the way only the
// dearest counts. O(walls).
double cairn_medium_walls_db(const cairn_medium_walls *walls, cairn_vec2 from_m, cairn_vec2 to_m,
                             const double *material_db);

bool cairn_medium_in_zone(const cairn_medium_radio *radio, cairn_vec2 at_m);

bool cairn_medium_path_open(const cairn_medium_path *path, double distance_m, double wall_cost);
// Mean strength at the receiver, before fading.
double cairn_medium_path_dbm(const cairn_medium_path *path, double distance_m, double wall_cost);
// Probability [-] that at least one byte is wrong: each is with erfc(sqrt(signal / noise)), QPSK; 0 where that is below
// all chance.
double cairn_medium_path_loss(const cairn_medium_path *path, double received_dbm, uint32_t size_bytes);

// The same of log-distance: strength after walls and shadowing took their part, and the chance that a byte is wrong.
double cairn_medium_log_distance_dbm(const cairn_medium_log_distance *log_distance, double distance_m,
                                     double in_the_way_db);
double cairn_medium_log_distance_loss(const cairn_medium_log_distance *log_distance, double received_dbm,
                                      uint32_t size_bytes);

// Shadowing between two places [dB], the same both ways: half the variance from each end. At an end it is a field of
// normal values on a lattice of shadowing_m, smoothed between them.
double cairn_medium_shadowing_db(const cairn_medium_log_distance *log_distance, uint64_t seed, cairn_vec2 from_m,
                                 cairn_vec2 to_m);
