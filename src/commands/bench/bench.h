// bench.h - figures: ours beside a peer's from the same run.
#pragma once
#include "base/status.h"
#include <stdio.h>

typedef struct cairn_bench_figure {
    const char *bench, *subject, *metric, *unit; // subject: the case, "office, 3 robots, planar"
    double ours;
    const char *peer_name; // NULL: no peer is installed or none exists
    double peer;
} cairn_bench_figure;

typedef struct cairn_bench_report {
    bool json;
    uint32_t seconds; // that a bench in real time takes for each of its cases; 0: its own default
    const char *plot; // a PNG file for the benches that draw how figures grow; NULL: none, and they do not measure it
    const char *data; // a folder of recorded data, for the benches that can measure on it; NULL: none
    uint32_t figure_count;
} cairn_bench_report;

// Prints one figure: a line of the table, or one JSON object.
void cairn_bench_say(cairn_bench_report *report, const cairn_bench_figure *figure);
// Says why there is no figure for a case: something is not permitted or not installed.
void cairn_bench_say_not(cairn_bench_report *report, const char *bench, const char *subject, const char *why);

// A peer's program of the build folder's bench/, beside this one: what it prints, to be closed by pclose. `arguments`
// is as a shell takes it ("< FILE"). NULL: it cannot be started; a program that is not there prints nothing.
FILE *cairn_bench_peer(const char *program, const char *arguments);
// Bytes that JBIG1 takes for so many planes together (bench/bench_jbig.c): rows of whole bytes, one after the other,
// first cell in the highest bit. 0: its program is not there.
double cairn_bench_jbig_bytes(uint32_t width, uint32_t height, const uint8_t *planes, uint32_t count);

typedef struct cairn_bench {
    const char *name, *summary;
    cairn_err (*run)(cairn_bench_report *report, cairn_complaints *complaints);
} cairn_bench;

extern const cairn_bench cairn_bench_maps;    // bench_maps.c
extern const cairn_bench cairn_bench_rays;    // bench_rays.c
extern const cairn_bench cairn_bench_reflex;  // bench_reflex.c
extern const cairn_bench cairn_bench_sim;     // bench_sim.c
extern const cairn_bench cairn_bench_slam;    // slam/bench_slam.c
extern const cairn_bench cairn_bench_terrain; // bench_terrain.c
