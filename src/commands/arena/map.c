// cairn arena map - the map that a team should make of an arena, as a file that `cairn map compare` judges others by.
#include "commands/arena/map.h"
#include "commands/command.h"
#include "maps/files/map_file_io.h"
#include "sim/arena/check/truth_map.h"
#include <stdio.h>

#define COMMAND "cairn arena map"
// More than the largest arena and the largest map take; pages that are not touched cost nothing.
#define ARENA_BYTES ((size_t)64 << 20)
#define MEMORY_BYTES (ARENA_BYTES + CAIRN_MAP_CELLS_MAX)
#define CELL_M_MIN 0.02
#define CELL_M_MAX 1.0

static const char usage[] =
    "usage: cairn arena map FILE -o MAP [options]\n"
    "\n"
    "Writes the map that a team should make of an arena: free what can be reached from a start, obstacle what stands\n"
    "beside it up to 45 cm above the ground, unknown the rest and wherever doors and figures are. Seen from above,\n"
    "however many storeys there are. `cairn map compare` judges a mission's map by it.\n"
    "\n"
    "  -o, --out MAP   where to write it: .tif, .yaml, .pgm or .png (with a header .yaml beside it), .cairnmap\n"
    "  --cell M        the side of a cell, 0.02 to 1         [0.1; in arenas of more than 100 m up to 0.25]\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena map arenas/office.yaml -o office-truth.tif\n"
    "          cairn map compare office-truth.tif out/office-1/map.tif\n";

static cairn_err make(const char *path, double cell_m, const char *out, cairn_arena *memory,
                      cairn_complaints *complaints)
{
    cairn_sim_arena arena;
    cairn_map map;
    const char *without;
    cairn_err err = cairn_sim_arena_read(path, memory, complaints, &arena);
    if (err == CAIRN_OK) { err = cairn_truth_map(&arena, cell_m, memory, &map); }
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(complaints, out, 0, "more than %zu cells: choose a larger --cell", CAIRN_MAP_CELLS_MAX);
    }
    if (err == CAIRN_OK) { err = cairn_map_file_write(&map, out, complaints, &without); }
    if (err != CAIRN_OK) { return err; }
    const cairn_map_counts counts = cairn_map_count(&map);
    const double cell_m2 = map.cell_m * map.cell_m;
    printf("%s: %u x %u cells of %g m, %.1f m2 free, %.1f m2 of surfaces\n", out, map.width, map.height, map.cell_m,
           (double)counts.free * cell_m2, (double)counts.obstacle * cell_m2);
    return CAIRN_OK;
}

int cairn_arena_map_run(int argc, char **argv)
{
    const char *path = NULL, *out = NULL;
    double cell_m = 0;
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"cell", CAIRN_OPTION_REAL, &cell_m, CELL_M_MIN, CELL_M_MAX},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &path, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "FILE is missing; expected an arena file"); }
    if (out == NULL) { return cairn_usage_error(COMMAND, "-o MAP is missing; expected where to write the map"); }
    cairn_arena memory;
    cairn_complaints complaints = {0};
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = make(path, cell_m, out, &memory, &complaints); }
    if (err != CAIRN_OK) { status = cairn_command_failed(COMMAND, err, &complaints); }
    cairn_arena_destroy(&memory);
    return status;
}
