// cairn map info - what is in a map's file, and where it lies.
#include "commands/command.h"
#include "commands/map/map.h"
#include "maps/files/geo_frame.h"
#include "maps/files/map_file_io.h"
#include <jansson.h>
#include <stdio.h>

#define COMMAND "cairn map info"
enum { FILES_MAX = 256 };

static const char usage[] =
    "usage: cairn map info MAP... [options]\n"
    "\n"
    "Tells what is in maps: kind of file, size, cells, and where they lie, in the map's frame and on the earth.\n"
    "\n"
    "  --cell M   the side of a cell, of a picture without a header            [none: refused]\n"
    "  --json     one object for each map, for machines\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 wrong usage.\n"
    "\n"
    "Examples: cairn map info out/maze-1/map.tif\n"
    "          cairn map info floor.png --cell 0.05 --json\n";

static void tell(const char *path, const cairn_map_file *file)
{
    const cairn_map *map = &file->map;
    const cairn_map_counts counts = cairn_map_count(map);
    const double area_m2 = map->cell_m * map->cell_m;
    const cairn_pose2 corner = map->map_T_corner;
    printf("%s: %s\n", path, file->format);
    printf("  size       %u x %u cells of %g m: %.2f x %.2f m\n", map->width, map->height, map->cell_m,
           map->width * map->cell_m, map->height * map->cell_m);
    printf("  corner     (%.3f, %.3f) m", corner.x_m, corner.y_m);
    if (corner.yaw_rad != 0) { printf(", turned by %.3f degrees", corner.yaw_rad * 180 / CAIRN_PI); }
    printf("\n  free       %zu cells, %.1f m2\n", counts.free, (double)counts.free * area_m2);
    printf("  obstacle   %zu cells, %.1f m2\n", counts.obstacle, (double)counts.obstacle * area_m2);
    printf("  unknown    %zu cells\n", counts.unknown);
    if (map->occupied_pct != NULL) { printf("  with probabilities\n"); }
    if (!map->survey.known) {
        printf("  earth      not surveyed\n");
        return;
    }
    const cairn_geo_frame frame = cairn_geo_frame_of(&map->survey, cairn_geo_map_T_picture(map), map->cell_m);
    printf("  earth      origin at %.7f, %.7f, its y axis %.2f degrees from north; UTM, EPSG:%u\n",
           map->survey.latitude_deg, map->survey.longitude_deg, map->survey.heading_deg, frame.epsg);
}

static void tell_json(const char *path, const cairn_map_file *file)
{
    const cairn_map *map = &file->map;
    const cairn_map_counts counts = cairn_map_count(map);
    const cairn_pose2 corner = map->map_T_corner;
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:i, s:f, s:[f,f,f], s:I, s:I, s:I, s:b}", "file", path, "format", file->format,
                  "width", (int)map->width, "height", (int)map->height, "cell_m", map->cell_m, "corner", corner.x_m,
                  corner.y_m, corner.yaw_rad, "free", (json_int_t)counts.free, "obstacle", (json_int_t)counts.obstacle,
                  "unknown", (json_int_t)counts.unknown, "probabilities", map->occupied_pct != NULL);
    if (object != NULL && map->survey.known) {
        (void)json_object_set_new(object, "survey",
                                  json_pack("{s:f, s:f, s:f}", "latitude_deg", map->survey.latitude_deg,
                                            "longitude_deg", map->survey.longitude_deg, "heading_deg",
                                            map->survey.heading_deg));
    }
    if (object == NULL || json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        fprintf(stderr, COMMAND ": no memory left to write JSON\n");
    }
    puts("");
    json_decref(object);
}

int cairn_map_info_run(int argc, char **argv)
{
    double cell_m = 0;
    bool json = false;
    const cairn_option known[] = {
        {"cell", CAIRN_OPTION_REAL, &cell_m, CAIRN_MAP_CELL_M_MIN, CAIRN_MAP_CELL_M_MAX},
        {"json", CAIRN_OPTION_FLAG, &json, 0, 0},
    };
    const char *paths[FILES_MAX];
    size_t count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], paths, FILES_MAX, &count,
                            &status)) {
        return status;
    }
    if (count == 0) { return cairn_usage_error(COMMAND, "MAP is missing; expected a map's file"); }
    for (size_t i = 0; i < count; i++) {
        cairn_complaints complaints = {0};
        cairn_map_file file;
        const cairn_err err = cairn_map_file_open(paths[i], cell_m, &complaints, &file);
        if (err != CAIRN_OK) {
            status = cairn_command_failed(COMMAND, err, &complaints);
            continue;
        }
        (json ? tell_json : tell)(paths[i], &file);
        cairn_map_file_close(&file);
    }
    return status;
}
