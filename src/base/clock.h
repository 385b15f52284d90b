// clock.h - the three clocks, one struct type each, so that they cannot be mixed up.
//
// Only clock.c reads the operating system's clocks. Everything that runs is given the time.
#pragma once
#include "base/status.h"

// This robot's own time: starts near zero, never jumps. In simulation it is simulated time.
typedef struct cairn_mono {
    int64_t ns;
} cairn_mono;

// The team's shared time, estimated on each robot from two-way stamps.
typedef struct cairn_mission {
    int64_t ns;
} cairn_mission;

// For people only: names of files, lines on a screen.
typedef struct cairn_wall {
    int64_t ns; // since 1970-01-01T00:00:00Z
} cairn_wall;

#define CAIRN_MS(count) ((int64_t)(count)*1000000)
#define CAIRN_S(count) ((int64_t)(count)*1000000000)

cairn_mono cairn_mono_now(void);
cairn_wall cairn_wall_now(void);
int64_t cairn_thread_cpu_ns(void); // processor time of the calling thread, for measurements
void cairn_mono_sleep_until(cairn_mono until);

// Where a program that runs in real time has its time from: this machine's monotonic clock, or whoever rules it
// (ruled_clock.h). All processes of one robot have the same.
typedef struct cairn_time {
    cairn_mono (*now)(void *context);
    void (*sleep_until)(void *context, cairn_mono until); // may wake earlier
    void *context;                                        // borrowed
} cairn_time;

cairn_time cairn_time_of_machine(void); // since the machine was started

static inline cairn_mono cairn_mono_add(cairn_mono from, int64_t by_ns) { return (cairn_mono){from.ns + by_ns}; }
static inline int64_t cairn_mono_since(cairn_mono now, cairn_mono earlier) { return now.ns - earlier.ns; }
static inline double cairn_seconds(int64_t ns) { return (double)ns * 1e-9; }
static inline int64_t cairn_ns_from_seconds(double s) { return (int64_t)(s * 1e9 + (s < 0 ? -0.5 : 0.5)); }
