// Maps of the ROS map_server: https://wiki.ros.org/map_server has the meaning of the keys.
#include "base/config/config.h"
#include "sim/arena/import/sources.h"

static const char *const mode_words[] = {
    [CAIRN_ROS_TRINARY] = "trinary", [CAIRN_ROS_SCALE] = "scale", [CAIRN_ROS_RAW] = "raw", NULL};

static const cairn_config_field map_fields[] = {
    CAIRN_CONFIG_TEXT(cairn_ros_map, image, "image", .help = "the picture, relative to this file"),
    CAIRN_CONFIG_REAL(cairn_ros_map, resolution_m, "resolution", "m a pixel", CAIRN_IMPORT_CELL_M_MIN,
                      CAIRN_IMPORT_CELL_M_MAX),
    CAIRN_CONFIG_VECTOR(cairn_ros_map, origin, "origin", "m, m, radians", -1e6, 1e6, .fallback = "0 0 0",
                        .help = "x, y, yaw of the lower left pixel"),
    CAIRN_CONFIG_INTEGER(cairn_ros_map, negate, "negate", NULL, 0, 1, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_ros_map, occupied_thresh, "occupied_thresh", NULL, 0, 1, .fallback = "0.65"),
    CAIRN_CONFIG_REAL(cairn_ros_map, free_thresh, "free_thresh", NULL, 0, 1, .fallback = "0.196"),
    CAIRN_CONFIG_CHOICE(cairn_ros_map, mode, "mode", mode_words, .fallback = "trinary"),
};
static const cairn_config_schema map_schema = CAIRN_CONFIG_SCHEMA(cairn_ros_map, map_fields);

cairn_err cairn_ros_map_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                              cairn_complaints *complaints, cairn_ros_map *ret_map)
{
    cairn_ros_map map;
    const cairn_err err = cairn_config_parse(bytes, size_bytes, name_for_errors, &map_schema, NULL, complaints, &map);
    if (err != CAIRN_OK) { return err; }
    if (map.free_thresh > map.occupied_thresh) {
        cairn_complain(complaints, name_for_errors, 0, "free_thresh %g is more than occupied_thresh %g; exchange them",
                       map.free_thresh, map.occupied_thresh);
        return CAIRN_ERR_INVALID;
    }
    *ret_map = map;
    return CAIRN_OK;
}

cairn_ros_map cairn_ros_map_of_picture(const cairn_grey *grey)
{
    // People draw floor plans in black on white, and nothing in them is unknown; PGM files come from mapping, and are
    // grey where nobody has been.
    return grey->png ? (cairn_ros_map){.occupied_thresh = 0.5, .free_thresh = 0.5}
                     : (cairn_ros_map){.occupied_thresh = 0.65, .free_thresh = 0.196};
}

static cairn_cell cell_of(const cairn_ros_map *map, uint8_t value)
{
    double occupied = map->negate ? value / 255.0 : (255 - value) / 255.0;
    if (map->mode == CAIRN_ROS_RAW) {
        if (value > 100) { return CAIRN_CELL_UNKNOWN; }
        occupied = value / 100.0;
    }
    if (occupied > map->occupied_thresh) { return CAIRN_CELL_WALL; }
    if (occupied < map->free_thresh) { return CAIRN_CELL_FREE; }
    return CAIRN_CELL_UNKNOWN;
}

cairn_err cairn_ros_map_cells(const cairn_ros_map *map, const cairn_grey *grey, double cell_m, cairn_arena *memory,
                              cairn_cells *ret_cells)
{
    CAIRN_ASSERT(map != NULL && grey != NULL && memory != NULL && ret_cells != NULL);
    cairn_cells cells;
    const cairn_err err = cairn_cells_create(grey->width, grey->height, cell_m, memory, &cells);
    if (err != CAIRN_OK) { return err; }
    cells.origin_m = (cairn_vec2){map->origin[0], map->origin[1]};
    uint8_t kinds[256];
    for (uint32_t value = 0; value < 256; value++) { kinds[value] = (uint8_t)cell_of(map, (uint8_t)value); }
    for (uint32_t y = 0; y < grey->height; y++) {
        const uint8_t *from = grey->values + (size_t)(grey->height - 1 - y) * grey->width;
        for (uint32_t x = 0; x < grey->width; x++) { cells.kinds[(size_t)y * grey->width + x] = kinds[from[x]]; }
    }
    *ret_cells = cells;
    return CAIRN_OK;
}
