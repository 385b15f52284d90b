// cairn arena import - an arena file out of somebody else's map.
#include "commands/arena/import.h"
#include "commands/arena/write.h"
#include "commands/command.h"
#include "sim/arena/import/import.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "cairn arena import"

static const char usage[] =
    "usage: cairn arena import FILE -o ARENA [options]\n"
    "\n"
    "Makes an arena file out of a map: walls from its dark cells, starts on free ground, and victims.\n"
    "FILE is one of these, by its ending:\n"
    "  .yaml          a ROS map (map_server) with its picture beside it; PGM or PNG, gzipped or not\n"
    "  .pgm .png      a picture, dark where walls are, gzipped or not; give --cell or --width\n"
    "  .json          a HouseExpo floor plan\n"
    "  .raf           a NIST arena of the RoboCup Rescue arena designer, with its victims\n"
    "\n"
    "  -o, --out ARENA  the arena file to write\n"
    "  --name NAME      one word                                               [FILE's name]\n"
    "  --cell M         metres a pixel, 0.02 to 1; of a HouseExpo plan its grid [as FILE says; 0.05]\n"
    "  --width M        instead of --cell: metres from the picture's left to its right edge\n"
    "  --height M       of the walls, 0.1 to 10                                [1.2; of a .raf its own]\n"
    "  --speck M        what is smaller than this both ways is dirt and goes   [0.1]\n"
    "  --boxes N        walls are softened until this many walls and boxes do  [4000]\n"
    "  --starts N       places for robots, 1 to 64; fewer if there is no room  [8]\n"
    "  --victims N      0 to 64, placed by chance if FILE has none             [4]\n"
    "  --seed N         of their places                                        [1]\n"
    "  --json           one object with what was made, for machines\n"
    "\n"
    "The arena is read back and checked before it is written. docs/arenas.md tells the rules.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena import lab.yaml -o arenas/lab.yaml\n"
    "          cairn arena import plan.png --width 42 --victims 6 -o arenas/plan.yaml\n";

static json_t *cells_to_json(const cairn_import_report *made)
{
    return json_pack("{s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "cell_m", made->cell_m, "columns",
                     (json_int_t)made->columns, "rows", (json_int_t)made->rows, "wall_cells",
                     (json_int_t)made->wall_cells, "missed_cells", (json_int_t)made->missed_cells, "covered_cells",
                     (json_int_t)made->covered_cells, "coarser", (json_int_t)made->coarser, "slack_cells",
                     (json_int_t)made->slack_cells, "softened_cells", (json_int_t)made->softened_cells, "specks",
                     (json_int_t)made->speck_count, "fringe_cells", (json_int_t)made->fringe_cells, "closed_cells",
                     (json_int_t)made->closed_cells);
}

static void print_json(const char *out, const cairn_import_report *made)
{
    json_t *object =
        json_pack("{s:s, s:s, s:[f,f], s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:o}", "file", out, "format",
                  made->format, "size_m", made->size_m[0], made->size_m[1], "walls", (json_int_t)made->wall_count,
                  "boxes", (json_int_t)made->box_count, "ramps", (json_int_t)made->ramp_count, "victims",
                  (json_int_t)made->victim_count, "starts", (json_int_t)made->start_count, "reach_m2", made->reach_m2,
                  "victims_left_out", (json_int_t)made->victims_left_out, "elements_left_out",
                  (json_int_t)made->elements_left_out, "relief", (json_int_t)made->relief_count, "relief_left_out",
                  (json_int_t)made->relief_left_out, "cells", made->cell_m > 0.0 ? cells_to_json(made) : json_null());
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

static void print_cells(const cairn_import_report *made)
{
    printf("  %u x %u cells of %g m: %u wall cells, %u missed, %u free ones covered\n", made->columns, made->rows,
           made->cell_m, made->wall_cells, made->missed_cells, made->covered_cells);
    if (made->coarser > 1) { printf("  coarser than the map by %u, to save boxes\n", made->coarser); }
    if (made->slack_cells > 0) {
        printf("  softened to save boxes: %u free cells up to %g m from a wall are covered too\n", made->softened_cells,
               made->slack_cells * made->cell_m);
    }
    if (made->speck_count > 0) { printf("  %u specks of dirt removed\n", made->speck_count); }
    if (made->closed_cells > 0) { printf("  %u unknown cells beside free ground made walls\n", made->closed_cells); }
}

static void print_report(const char *out, const cairn_import_report *made)
{
    printf("%s: %s, %.1f x %.1f m; %u walls, %u boxes, %u ramps, %u victims, %u starts; robots reach %.0f m2\n", out,
           made->format, made->size_m[0], made->size_m[1], made->wall_count, made->box_count, made->ramp_count,
           made->victim_count, made->start_count, made->reach_m2);
    if (made->cell_m > 0.0) { print_cells(made); }
    if (made->elements_left_out > 0) {
        printf("  %u elements left out: flat floor instead\n", made->elements_left_out);
    }
    if (made->relief_count + made->relief_left_out > 0) {
        printf("  %u ramps, stairs, step fields and raised floors; %u are flat floor instead\n", made->relief_count,
               made->relief_left_out);
    }
    if (made->victims_left_out > 0) { printf("  %u victims left out: no place for them\n", made->victims_left_out); }
}

static int import_file(const cairn_import_def *def, const char *out, bool json)
{
    cairn_arena memory;
    cairn_complaints complaints = {0};
    if (cairn_arena_create(&memory, 2 * CAIRN_IMPORT_TEXT_BYTES_MAX) != CAIRN_OK) {
        return cairn_command_failed(COMMAND, CAIRN_ERR_FULL, &complaints);
    }
    const char *text;
    size_t size_bytes;
    cairn_import_report made;
    cairn_err err = cairn_import_run(def, &memory, &complaints, &text, &size_bytes, &made);
    if (err == CAIRN_OK) { err = cairn_arena_write_file(out, text, size_bytes, &complaints); }
    cairn_arena_destroy(&memory);
    if (err != CAIRN_OK) { return cairn_command_failed(COMMAND, err, &complaints); }
    if (json) {
        print_json(out, &made);
    } else {
        print_report(out, &made);
    }
    return CAIRN_EXIT_DONE;
}

int cairn_arena_import_run(int argc, char **argv)
{
    cairn_import_def def = cairn_import_def_default();
    const char *out = NULL;
    bool json = false;
    uint64_t boxes = def.boxes_max, starts = def.start_count, victims = def.victim_count;
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"name", CAIRN_OPTION_TEXT, &def.name, 0, 0},
        {"cell", CAIRN_OPTION_REAL, &def.cell_m, CAIRN_IMPORT_CELL_M_MIN, CAIRN_IMPORT_CELL_M_MAX},
        {"width", CAIRN_OPTION_REAL, &def.width_m, 1, 1000},
        {"height", CAIRN_OPTION_REAL, &def.height_m, 0.1, 10},
        {"speck", CAIRN_OPTION_REAL, &def.speck_m, 0, 10},
        {"boxes", CAIRN_OPTION_COUNT, &boxes, 1, CAIRN_IMPORT_BOXES_MAX},
        {"starts", CAIRN_OPTION_COUNT, &starts, 1, CAIRN_IMPORT_STARTS_MAX},
        {"victims", CAIRN_OPTION_COUNT, &victims, 0, CAIRN_IMPORT_VICTIMS_MAX},
        {"seed", CAIRN_OPTION_COUNT, &def.seed, 0, 9e15},
        {"json", CAIRN_OPTION_FLAG, &json, 0, 0},
    };
    size_t word_count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &def.file, 1,
                            &word_count, &status)) {
        return status;
    }
    if (word_count == 0) { return cairn_usage_error(COMMAND, "FILE is missing; expected a map"); }
    if (out == NULL) { return cairn_usage_error(COMMAND, "-o is missing; expected the arena file to write"); }
    if (def.cell_m > 0.0 && def.width_m > 0.0) {
        return cairn_usage_error(COMMAND, "--cell and --width say the same thing; give one of them");
    }
    if (def.name != NULL && !cairn_arena_is_name(def.name)) {
        return cairn_usage_error(
            COMMAND,
            "--name wants one word of letters, digits, '.', '-' and '_' that begins with a letter, "
            "not '%s'",
            def.name);
    }
    def.boxes_max = (uint32_t)boxes;
    def.start_count = (uint32_t)starts;
    def.victim_count = (uint32_t)victims;
    return import_file(&def, out, json);
}
