// cairn map convert - a map in another kind of file, and tied to the earth.
#include "commands/command.h"
#include "commands/map/map.h"
#include "maps/files/map_file_io.h"
#include <stdio.h>
#include <string.h>

#define COMMAND "cairn map convert"

static const char usage[] =
    "usage: cairn map convert MAP -o OUT [options]\n"
    "\n"
    "Writes a map as another kind of file, by the ending of OUT: .tif, .yaml (with a PGM picture), .pgm or .png (with\n"
    "a header .yaml beside it), .cairnmap. Cells are never changed; what a kind cannot hold is told.\n"
    "\n"
    "  -o, --out OUT         where to write it\n"
    "  --cell M              the side of a cell, of a picture without a header   [none: refused]\n"
    "  --survey LAT,LON,DEG  where the map's origin is on WGS 84, and which way its y axis points, in degrees\n"
    "                        clockwise from true north                           [as in MAP]\n"
    "  --local               forget where on the earth it is\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map convert out/maze-1/map.tif -o maze.yaml\n"
    "          cairn map convert site.yaml --survey 52.5163,13.3777,12.5 -o site.tif\n"
    "          cairn map convert floor.png --cell 0.05 -o floor.cairnmap\n";

static bool read_survey(const char *text, cairn_map_survey *ret_survey)
{
    cairn_map_survey survey = {.known = true};
    int used = 0;
    if (sscanf(text, "%lf,%lf,%lf%n", &survey.latitude_deg, &survey.longitude_deg, &survey.heading_deg, &used) != 3 ||
        text[used] != '\0') {
        return false;
    }
    const uint8_t cell = 0;
    const cairn_map probe = {.width = 1, .height = 1, .cell_m = 1, .ground = &cell, .survey = survey};
    if (cairn_map_frame_mistake(&probe) != NULL) { return false; }
    *ret_survey = survey;
    return true;
}

static cairn_err convert(const char *path, const char *out, double cell_m, const cairn_map_survey *survey,
                         cairn_complaints *complaints)
{
    cairn_map_file file;
    cairn_err err = cairn_map_file_open(path, cell_m, complaints, &file);
    if (err != CAIRN_OK) { return err; }
    if (survey != NULL) { file.map.survey = *survey; }
    const char *without;
    err = cairn_map_file_write(&file.map, out, complaints, &without);
    if (err == CAIRN_OK) {
        printf("%s: %u x %u cells of %g m%s%s\n", out, file.map.width, file.map.height, file.map.cell_m,
               without != NULL ? "; left out: " : "", without != NULL ? without : "");
    }
    cairn_map_file_close(&file);
    return err;
}

int cairn_map_convert_run(int argc, char **argv)
{
    const char *path = NULL, *out = NULL, *survey_text = NULL;
    double cell_m = 0;
    bool local = false;
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &out, 0, 0},
        {"cell", CAIRN_OPTION_REAL, &cell_m, CAIRN_MAP_CELL_M_MIN, CAIRN_MAP_CELL_M_MAX},
        {"survey", CAIRN_OPTION_TEXT, &survey_text, 0, 0},
        {"local", CAIRN_OPTION_FLAG, &local, 0, 0},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &path, 1, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "MAP is missing; expected a map's file"); }
    if (out == NULL) { return cairn_usage_error(COMMAND, "-o OUT is missing; expected where to write the map"); }
    if (local && survey_text != NULL) { return cairn_usage_error(COMMAND, "--local and --survey exclude each other"); }
    cairn_map_survey survey = {0};
    if (survey_text != NULL && !read_survey(survey_text, &survey)) {
        return cairn_usage_error(COMMAND,
                                 "--survey wants latitude (-80 to 84), longitude (-180 to 180) and heading (0 to 360) "
                                 "in degrees, like 52.5163,13.3777,12.5, not '%s'",
                                 survey_text);
    }
    cairn_complaints complaints = {0};
    const cairn_err err = convert(path, out, cell_m, local || survey_text != NULL ? &survey : NULL, &complaints);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
