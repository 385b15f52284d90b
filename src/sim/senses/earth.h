// earth.h - what the Earth does to sensors: its magnetic field, which steel bends, and the weight of its air.
//
// The field is that of the place where the map's origin lies by default (docs/journal.md): 59 microtesla, pointing up
// at 67 degrees, with y of the map as magnetic north. Steel is magnetised along it: each box adds the field of a
// dipole. Of a long box only the metre nearest to the sensor counts, and of concrete the steel that is in it. The
// pressure falls by 12 Pa a metre and wanders with the weather.
// Frame    map: x east, y north, z up.
// Threads  One owner for each state; the rest is pure.
#pragma once
#include "base/random.h"
#include "body/description.h"
#include "sim/arena/arena.h"

#define CAIRN_EARTH_FIELD_UT 59.0
#define CAIRN_EARTH_DIP_RAD (-67.0 * CAIRN_PI / 180)
#define CAIRN_EARTH_PRESSURE_PA 101325.0 // at height 0, before any weather
#define CAIRN_EARTH_PA_PER_M 12.0

typedef struct cairn_magnetometer_state {
    cairn_random random;
    cairn_vec3 bias_ut; // of the robot's own steel, base axes
} cairn_magnetometer_state;

typedef struct cairn_barometer_state {
    cairn_random random;
    double weather_pa;
} cairn_barometer_state;

// The field at a place. O(solids of the arena).
cairn_vec3 cairn_earth_field_ut(const cairn_sim_arena *arena, cairn_vec3 at_m);

void cairn_magnetometer_init(cairn_magnetometer_state *state, const cairn_magnetometer_description *magnetometer,
                             uint64_t seed, const char *stream);
// One reading by a robot that is turned like this. Fills all of the frame but its time.
void cairn_magnetometer_measure(cairn_magnetometer_state *state, const cairn_magnetometer_description *magnetometer,
                                cairn_quat map_T_base, cairn_vec3 field_ut, cairn_magnetometer_frame *ret_frame);

void cairn_barometer_init(cairn_barometer_state *state, uint64_t seed, const char *stream);
// One reading at a height, elapsed_s after the last. Fills all of the frame but its time.
void cairn_barometer_measure(cairn_barometer_state *state, const cairn_barometer_description *barometer,
                             double height_m, double elapsed_s, cairn_barometer_frame *ret_frame);
