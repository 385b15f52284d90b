// bench maps - grids, distances, rasters, terrain: one part after the other.
//
// A part that needs recorded data reads it from --data DIR, and says so if there is none.
#include "commands/bench/maps/bench_maps.h"

static const cairn_bench_part parts[] = {cairn_bench_maps_grids,  cairn_bench_maps_kept,    cairn_bench_maps_insertion,
                                         cairn_bench_maps_raster, cairn_bench_maps_terrain, cairn_bench_maps_isprs,
                                         cairn_bench_maps_codec};

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && err == CAIRN_OK; i++) {
        err = parts[i](report, complaints);
    }
    return err;
}

const cairn_bench cairn_bench_maps = {
    "maps", "distances, grid, raster, terrain maps from points; recorded scans, ISPRS samples, codec (--data)", run};
