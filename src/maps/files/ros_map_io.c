// Keys that other tools add are refused, as everywhere in files of people: a misspelt threshold must not be defaulted.
#include "maps/files/ros_map_io.h"
#include "base/config/config.h"

static const char *const mode_words[] = {
    [CAIRN_ROS_TRINARY] = "trinary", [CAIRN_ROS_SCALE] = "scale", [CAIRN_ROS_RAW] = "raw", NULL};

static const cairn_config_field map_fields[] = {
    CAIRN_CONFIG_TEXT(cairn_ros_map, image, "image", .help = "the picture, relative to this file"),
    CAIRN_CONFIG_REAL(cairn_ros_map, resolution_m, "resolution", "m a pixel", 0.001, 100),
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

double cairn_ros_map_p_occupied(const cairn_ros_map *map, uint8_t value)
{
    if (map->mode == CAIRN_ROS_RAW) { return value > 100 ? -1 : value / 100.0; }
    return map->negate ? value / 255.0 : (255 - value) / 255.0;
}

cairn_ground cairn_ros_map_ground(const cairn_ros_map *map, uint8_t value)
{
    const double occupied = cairn_ros_map_p_occupied(map, value);
    if (occupied > map->occupied_thresh) { return CAIRN_GROUND_OBSTACLE; }
    return occupied >= 0 && occupied < map->free_thresh ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}
