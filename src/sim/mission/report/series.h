// series.h - how a mission went over time: a few figures every few seconds, for plots and tables.
//
// Bounded: when it is full every second sample goes and the period doubles, so that a day takes as much memory as an
// hour. Cumulative figures (bytes, metres) stay true however thin it gets; rates are taken between neighbours.
//
// Memory   The caller's, and large.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "robot/condition_names.h"
#include "robot/modes.h"
#include "sim/physics/physics.h"
#include <stdio.h>

#define CAIRN_SERIES_MAX 512
#define CAIRN_SERIES_PERIOD_NS CAIRN_S(2) // at first

typedef enum cairn_series_state {
    CAIRN_SERIES_WELL,
    CAIRN_SERIES_LOST, // the station does not hear it
    CAIRN_SERIES_DEAD,
} cairn_series_state;

typedef struct cairn_series_robot {
    float distance_m; // driven so far, as the robot counts it
    float speed_mps;  // forward
    uint8_t mode;     // cairn_mode
    uint8_t state;    // cairn_series_state
    uint8_t health;   // cairn_health: what it says of its place
    float error_m;    // and how far off it is, on the map that the operator sees
} cairn_series_robot;

typedef struct cairn_series_sample {
    double at_s;
    double explored_fraction;           // [-] of the reachable truth
    uint32_t found_count, report_count; // victims: true ones, and all that were reported
    uint64_t radio_bytes;               // given to the air so far, with all headers
    bool station_up;
    cairn_series_robot robots[CAIRN_SIM_ROBOTS_MAX];
} cairn_series_sample;

typedef struct cairn_series {
    int64_t period_ns;
    cairn_mono due; // next sample
    uint32_t count;
    cairn_series_sample samples[CAIRN_SERIES_MAX];
} cairn_series;

void cairn_series_init(cairn_series *series);
bool cairn_series_is_due(const cairn_series *series, cairn_mono now);
// Makes room, and returns the new sample, all zero but its time. The last one of a mission is taken though none is due;
// at the time of the last it takes that one's place.
cairn_series_sample *cairn_series_add(cairn_series *series, cairn_mono now);
// On the air between the sample before and this one, [kbit/s]; 0 for the first.
double cairn_series_kbit_per_s(const cairn_series *series, uint32_t at);

// A table with a head: t_s, explored_fraction, victims_found, victims_reported, radio_kbit_per_s, station, and for each
// robot NAME.mode, NAME.speed_mps, NAME.distance_m, NAME.state, NAME.health, NAME.error_m. False when the file does not
// take it.
bool cairn_series_write_csv(const cairn_series *series, uint32_t robot_count, const char *const *names, FILE *to);
