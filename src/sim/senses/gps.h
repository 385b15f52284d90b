// gps.h - a satellite receiver that errs by metres and believes that it errs by less.
//
// Twelve satellites stand still in the sky. One is received where the way to it is free; in a place that is not open to
// the sky, and under a roof, none is. With four there is a fix. Its error has two parts that wander slowly, by
// Gauss-Markov: what the air does, with the description's noise_m; and what walls reflect, with multipath_m times the
// part of the satellites that they hide. Height errs twice as much. The receiver's own claim knows nothing of walls.
// Frame    map: x east, y north, z up.
#pragma once
#include "base/random.h"
#include "body/description.h"
#include "sim/senses/rays.h"

#define CAIRN_GPS_SATELLITES 12
#define CAIRN_GPS_RAYS (CAIRN_GPS_SATELLITES + 1) // and one straight up

typedef struct cairn_gps_state {
    cairn_random random;
    double air[3], echo[3]; // of deviation 1, along x, y and z
} cairn_gps_state;

void cairn_gps_init(cairn_gps_state *state, uint64_t seed, const char *stream);

// Satellites that are received at a place. CAIRN_GPS_RAYS rays, in an arena that is open to the sky.
uint32_t cairn_gps_satellites(const cairn_rays_kind *kind, const cairn_rays *rays, const cairn_sim_arena *arena,
                              uint32_t robot, cairn_vec3 antenna_m);
// One fix elapsed_s after the last. Fills all of the frame but its time.
void cairn_gps_measure(cairn_gps_state *state, const cairn_gps_description *gps, cairn_vec3 antenna_m,
                       uint32_t satellite_count, double elapsed_s, cairn_gps_frame *ret_frame);
