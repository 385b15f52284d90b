// bench_maps.h - the parts of bench maps, one file each.
#pragma once
#include "commands/bench/bench.h"

typedef cairn_err (*cairn_bench_part)(cairn_bench_report *report, cairn_complaints *complaints);

cairn_err cairn_bench_maps_grids(cairn_bench_report *report, cairn_complaints *complaints); // bench_maps_grids.c
cairn_err cairn_bench_maps_kept(cairn_bench_report *report, cairn_complaints *complaints);  // bench_maps_kept.c
cairn_err cairn_bench_maps_insertion(cairn_bench_report *report,
                                     cairn_complaints *complaints);                           // bench_maps_insertion.c
cairn_err cairn_bench_maps_raster(cairn_bench_report *report, cairn_complaints *complaints);  // bench_maps_raster.c
cairn_err cairn_bench_maps_terrain(cairn_bench_report *report, cairn_complaints *complaints); // bench_maps_terrain.c
cairn_err cairn_bench_maps_isprs(cairn_bench_report *report, cairn_complaints *complaints);   // bench_maps_isprs.c
cairn_err cairn_bench_maps_codec(cairn_bench_report *report, cairn_complaints *complaints);   // bench_maps_codec.c
