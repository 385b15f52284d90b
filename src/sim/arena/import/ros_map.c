// The cells of maps of the ROS map_server, and of bare pictures.
#include "sim/arena/import/sources.h"

cairn_ros_map cairn_ros_map_of_picture(const cairn_grey *grey)
{
    // People draw floor plans in black on white, and nothing in them is unknown; PGM files come from mapping, and are
    // grey where nobody has been.
    return grey->png
               ? (cairn_ros_map){.occupied_thresh = 0.5, .free_thresh = 0.5}
               : (cairn_ros_map){.occupied_thresh = CAIRN_ROS_OCCUPIED_THRESH, .free_thresh = CAIRN_ROS_FREE_THRESH};
}

static const cairn_cell cells_of_ground[] = {[CAIRN_GROUND_UNKNOWN] = CAIRN_CELL_UNKNOWN,
                                             [CAIRN_GROUND_FREE] = CAIRN_CELL_FREE,
                                             [CAIRN_GROUND_OBSTACLE] = CAIRN_CELL_WALL};

cairn_err cairn_ros_map_cells(const cairn_ros_map *map, const cairn_grey *grey, double cell_m, cairn_arena *memory,
                              cairn_cells *ret_cells)
{
    CAIRN_ASSERT(map != NULL && grey != NULL && memory != NULL && ret_cells != NULL);
    cairn_cells cells;
    const cairn_err err = cairn_cells_create(grey->width, grey->height, cell_m, memory, &cells);
    if (err != CAIRN_OK) { return err; }
    cells.origin_m = (cairn_vec2){map->origin[0], map->origin[1]};
    uint8_t kinds[256];
    for (uint32_t value = 0; value < 256; value++) {
        kinds[value] = (uint8_t)cells_of_ground[cairn_ros_map_ground(map, (uint8_t)value)];
    }
    for (uint32_t y = 0; y < grey->height; y++) {
        const uint8_t *from = grey->values + (size_t)(grey->height - 1 - y) * grey->width;
        for (uint32_t x = 0; x < grey->width; x++) { cells.kinds[(size_t)y * grey->width + x] = kinds[from[x]]; }
    }
    *ret_cells = cells;
    return CAIRN_OK;
}
