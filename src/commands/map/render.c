// cairn map render - a picture of a map for people, with ways, victims and things found.
#include "commands/command.h"
#include "commands/map/map.h"
#include "maps/files/bytes_io.h"
#include "maps/files/finds_io.h"
#include "maps/files/geotiff_io.h"
#include "maps/files/map_file_io.h"
#include "sim/mission/report/map_sheet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "cairn map render"
#define MEMORY_BYTES ((size_t)128 << 20)
#define CSV_BYTES_MAX ((size_t)64 << 20)
#define START_M 0.2 // the arrow at a start points to where the robot was when it had gone so far

static const char usage[] =
    "usage: cairn map render MAP -o OUT [options]\n"
    "\n"
    "Draws a map with axes in metres, scale bar, north (or its y axis, if it was not surveyed) and legend. OUT is a "
    "PNG,\n"
    "or with the ending .tif a GeoTIFF picture that lies where the map does.\n"
    "\n"
    "  -o, --out OUT      where to write the picture\n"
    "  --style STYLE      clean: for paper; team: as map.png of missions; rrl: RoboCup Rescue's colours,\n"
    "                     and OUT_victims.csv and OUT_qr.csv beside it           [clean]\n"
    "  --victims CSV      victims to draw: id,time,name,x,y,z                    [none]\n"
    "  --things CSV       QR codes and objects: id,time,text,x,y,z               [none]\n"
    "  --ways CSV         ways of robots: robot,x_m,y_m                          [none]\n"
    "  --without LAYERS   leave out, with commas between: grid, axes, ways, starts, victims, things, legend,\n"
    "                     title, north                                           [nothing]\n"
    "  --title WORDS      above the map                                          [OUT's name]\n"
    "  --team, --country, --mission, --date, --time WORDS   heading of rrl's CSV files   [empty]\n"
    "  --cell M           the side of a cell, of a picture without a header      [none: refused]\n"
    "\n"
    "Missions write map_victims.csv and map_ways.csv beside map.tif. Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map render out/maze-1/map.tif -o maze.png --ways out/maze-1/map_ways.csv\n"
    "          cairn map render site.tif -o site-sheet.tif --without grid,ways\n"
    "          cairn map render out/maze-1/map.tif --style rrl -o RoboCup2026_Cairn_Prelim1.tif \\\n"
    "            --victims out/maze-1/map_victims.csv --team Cairn --mission Prelim1\n";

typedef struct options {
    const char *out, *style, *victims, *things, *ways, *without, *title;
    cairn_finds_heading heading;
    double cell_m;
} options;

static bool read_style(const char *text, cairn_sheet_style *ret_style)
{
    static const char *const names[] = {
        [CAIRN_SHEET_TEAM] = "team", [CAIRN_SHEET_RRL] = "rrl", [CAIRN_SHEET_CLEAN] = "clean"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], text) != 0) { continue; }
        *ret_style = (cairn_sheet_style)i;
        return true;
    }
    return false;
}

static bool read_layers(const char *text, uint32_t *ret_layers)
{
    static const struct {
        const char *name;
        uint32_t layer;
    } layers[] = {{"grid", CAIRN_SHEET_GRID},     {"axes", CAIRN_SHEET_AXES},       {"ways", CAIRN_SHEET_WAYS},
                  {"starts", CAIRN_SHEET_STARTS}, {"victims", CAIRN_SHEET_VICTIMS}, {"things", CAIRN_SHEET_THINGS},
                  {"legend", CAIRN_SHEET_LEGEND}, {"title", CAIRN_SHEET_TITLE},     {"north", CAIRN_SHEET_NORTH}};
    uint32_t found = 0;
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < sizeof layers / sizeof layers[0] &&
               (strlen(layers[i].name) != length || strncmp(layers[i].name, at, length) != 0)) {
            i++;
        }
        if (i == sizeof layers / sizeof layers[0]) { return false; }
        found |= layers[i].layer;
        at += length + (at[length] == ',');
    }
    *ret_layers = found;
    return true;
}

// ---- what lies beside the map

static cairn_err read_csv(const char *path, cairn_arena *memory, cairn_complaints *complaints, const char **ret_bytes,
                          size_t *ret_size_bytes)
{
    const uint8_t *bytes = NULL;
    const cairn_err err = cairn_bytes_read(path, CSV_BYTES_MAX, memory, complaints, &bytes, ret_size_bytes);
    *ret_bytes = (const char *)bytes;
    return err;
}

static cairn_err read_finds(const char *path, cairn_arena *memory, cairn_complaints *complaints, cairn_finds *ret_finds)
{
    const char *bytes;
    size_t size_bytes;
    if (path == NULL) { return CAIRN_OK; }
    const cairn_err err = read_csv(path, memory, complaints, &bytes, &size_bytes);
    return err == CAIRN_OK ? cairn_finds_parse(bytes, size_bytes, path, memory, complaints, ret_finds) : err;
}

static cairn_err read_ways(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                           cairn_way_list *ret_ways)
{
    const char *bytes;
    size_t size_bytes;
    if (path == NULL) { return CAIRN_OK; }
    const cairn_err err = read_csv(path, memory, complaints, &bytes, &size_bytes);
    return err == CAIRN_OK ? cairn_ways_parse(bytes, size_bytes, path, memory, complaints, ret_ways) : err;
}

static cairn_sheet_mark *marks_of(const cairn_finds *finds, cairn_arena *memory)
{
    cairn_sheet_mark *marks = CAIRN_TAKE(memory, cairn_sheet_mark, finds->count + 1);
    for (uint32_t i = 0; i < finds->count && marks != NULL; i++) {
        marks[i] = (cairn_sheet_mark){finds->items[i].id, {finds->items[i].x_m, finds->items[i].y_m}};
    }
    return marks;
}

static cairn_sheet_way *sheet_ways_of(const cairn_way_list *ways, cairn_arena *memory)
{
    cairn_sheet_way *drawn = CAIRN_TAKE(memory, cairn_sheet_way, ways->count + 1);
    for (uint32_t i = 0; i < ways->count && drawn != NULL; i++) {
        const cairn_way_points *way = &ways->items[i];
        const cairn_vec2 first = way->points_m[0];
        uint32_t next = 0;
        while (next + 1 < way->count && cairn_vec2_distance(first, way->points_m[next]) < START_M) { next++; }
        const cairn_vec2 ahead = cairn_vec2_sub(way->points_m[next], first);
        drawn[i] = (cairn_sheet_way){.name = way->name,
                                     .points_m = way->points_m,
                                     .point_count = way->count,
                                     .has_start = true,
                                     .start = {first.x, first.y, atan2(ahead.y, ahead.x)}};
    }
    return drawn;
}

// ---- writing

static bool ends_with(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ending) == 0;
}

// "a/b.png" with "_qr.csv" is "a/b_qr.csv".
static cairn_err write_beside(const options *of, const char *kind, const char *ending, const cairn_finds *finds,
                              cairn_complaints *complaints)
{
    char path[CAIRN_PATH_BYTES_MAX];
    const char *dot = strrchr(of->out, '.');
    const int stem = dot != NULL && strchr(dot, '/') == NULL ? (int)(dot - of->out) : (int)strlen(of->out);
    if (snprintf(path, sizeof path, "%.*s%s", stem, of->out, ending) >= (int)sizeof path) {
        cairn_complain(complaints, of->out, 0, "the path is too long");
        return CAIRN_ERR_TOO_LARGE;
    }
    cairn_finds_heading heading = of->heading;
    heading.kind = kind;
    return cairn_finds_write(finds, &heading, path, complaints);
}

static cairn_err write_picture(const options *of, const cairn_map *map, const cairn_picture *picture,
                               const cairn_sheet_place *place, cairn_complaints *complaints)
{
    if (ends_with(of->out, ".png")) { return cairn_picture_write_png(picture, of->out, complaints); }
    if (!ends_with(of->out, ".tif") && !ends_with(of->out, ".tiff")) {
        cairn_complain(complaints, of->out, 0, "the name's ending is none of .png and .tif");
        return CAIRN_ERR_UNSUPPORTED;
    }
    const cairn_geotiff_picture on_earth = {.width_px = picture->width_px,
                                            .height_px = picture->height_px,
                                            .rgb = picture->rgb,
                                            .corner_m = place->corner_m,
                                            .px_per_m = place->px_per_m,
                                            .survey = map->survey};
    return cairn_geotiff_picture_write(&on_earth, of->out, complaints);
}

static cairn_err render(const options *of, const cairn_map *map, cairn_sheet_style style, uint32_t left_out,
                        cairn_arena *memory, cairn_complaints *complaints)
{
    cairn_finds victims = {0}, things = {0};
    cairn_way_list ways = {0};
    cairn_err err = read_finds(of->victims, memory, complaints, &victims);
    if (err == CAIRN_OK) { err = read_finds(of->things, memory, complaints, &things); }
    if (err == CAIRN_OK) { err = read_ways(of->ways, memory, complaints, &ways); }
    if (err != CAIRN_OK) { return err; }
    const char *slash = strrchr(of->out, '/');
    char words[120];
    const cairn_map_counts counts = cairn_map_count(map);
    (void)snprintf(words, sizeof words, "%.1f m2 free   cells of %g m", (double)counts.free * map->cell_m * map->cell_m,
                   map->cell_m);
    const cairn_map_sheet sheet = {.map = map,
                                   .style = style,
                                   .left_out = left_out | (victims.count == 0 ? CAIRN_SHEET_VICTIMS : 0u) |
                                               (ways.count == 0 ? CAIRN_SHEET_STARTS : 0u),
                                   .title = of->title != NULL ? of->title
                                            : slash != NULL   ? slash + 1
                                                              : of->out,
                                   .aside = "",
                                   .words = words,
                                   .ways = sheet_ways_of(&ways, memory),
                                   .way_count = ways.count,
                                   .victims = marks_of(&victims, memory),
                                   .victim_count = victims.count,
                                   .things = marks_of(&things, memory),
                                   .thing_count = things.count};
    if (sheet.ways == NULL || sheet.victims == NULL || sheet.things == NULL) { return CAIRN_ERR_FULL; }
    cairn_picture picture;
    cairn_sheet_place place;
    err = cairn_map_sheet_draw(&sheet, memory, &picture, &place);
    if (err == CAIRN_OK) { err = write_picture(of, map, &picture, &place, complaints); }
    if (err == CAIRN_OK && style == CAIRN_SHEET_RRL) {
        err = write_beside(of, "victims", "_victims.csv", &victims, complaints);
        if (err == CAIRN_OK) { err = write_beside(of, "qr codes", "_qr.csv", &things, complaints); }
    }
    if (err == CAIRN_OK) {
        printf("%s: %u x %u pixels", of->out, picture.width_px, picture.height_px);
        if (place.beyond_count > 0) {
            printf("; left out, too far from the map: %u find%s", place.beyond_count,
                   place.beyond_count > 1 ? "s" : "");
        }
        puts("");
    }
    return err;
}

static cairn_err run(const options *of, const char *path, cairn_sheet_style style, uint32_t left_out,
                     cairn_complaints *complaints)
{
    cairn_map_file file;
    cairn_err err = cairn_map_file_open(path, of->cell_m, complaints, &file);
    if (err != CAIRN_OK) { return err; }
    cairn_arena memory = {0};
    err = cairn_arena_create(&memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = render(of, &file.map, style, left_out, &memory, complaints); }
    cairn_arena_destroy(&memory);
    cairn_map_file_close(&file);
    return err;
}

int cairn_map_render_run(int argc, char **argv)
{
    const char *path = NULL;
    options of = {
        .style = "clean", .without = "", .heading = {.team = "", .country = "", .date = "", .time = "", .mission = ""}};
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &of.out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &of.out, 0, 0},
        {"style", CAIRN_OPTION_TEXT, &of.style, 0, 0},
        {"victims", CAIRN_OPTION_TEXT, &of.victims, 0, 0},
        {"things", CAIRN_OPTION_TEXT, &of.things, 0, 0},
        {"ways", CAIRN_OPTION_TEXT, &of.ways, 0, 0},
        {"without", CAIRN_OPTION_TEXT, &of.without, 0, 0},
        {"title", CAIRN_OPTION_TEXT, &of.title, 0, 0},
        {"team", CAIRN_OPTION_TEXT, &of.heading.team, 0, 0},
        {"country", CAIRN_OPTION_TEXT, &of.heading.country, 0, 0},
        {"mission", CAIRN_OPTION_TEXT, &of.heading.mission, 0, 0},
        {"date", CAIRN_OPTION_TEXT, &of.heading.date, 0, 0},
        {"time", CAIRN_OPTION_TEXT, &of.heading.time, 0, 0},
        {"cell", CAIRN_OPTION_REAL, &of.cell_m, CAIRN_MAP_CELL_M_MIN, CAIRN_MAP_CELL_M_MAX},
    };
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &path, 1, &count,
                            &status)) {
        return status;
    }
    cairn_sheet_style style;
    uint32_t left_out;
    if (count == 0) { return cairn_usage_error(COMMAND, "MAP is missing; expected a map's file"); }
    if (of.out == NULL) { return cairn_usage_error(COMMAND, "-o OUT is missing; expected where to write the picture"); }
    if (!read_style(of.style, &style)) {
        return cairn_usage_error(COMMAND, "--style wants clean, team or rrl, not '%s'", of.style);
    }
    if (!read_layers(of.without, &left_out)) {
        return cairn_usage_error(COMMAND,
                                 "--without wants layers with commas between, of grid, axes, ways, starts, victims, "
                                 "things, legend, title and north, not '%s'",
                                 of.without);
    }
    cairn_complaints complaints = {0};
    const cairn_err err = run(&of, path, style, left_out, &complaints);
    return err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(COMMAND, err, &complaints);
}
