// log_maps.h - terrain maps as a robot would have made them along a recorded laser log.
//
// Reads CARMEN logs with corrected poses (slam/log/carmen_io.h). Each scan is added to a local grid at its corrected
// pose, 1.25 s after the one before, and a map of 150 x 150 cells of 10 cm is sampled around it: the same steps as on a
// robot. On the lattice of the log's frame, as robots do it, or turned with the robot.
#pragma once
#include "base/memory.h"
#include "maps/codec/grid_codec.h"

#define CAIRN_LOG_MAP_SIDE 150
#define CAIRN_LOG_MAP_CELL_UM 100000

typedef struct cairn_log_map {
    uint8_t cells[CAIRN_LOG_MAP_SIDE * CAIRN_LOG_MAP_SIDE];
    cairn_grid_moved moved; // from the map before
} cairn_log_map;

// The first so many maps of the log, but for the first few, whose grid was still empty. memory holds them.
// CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_log_maps_read(const char *path, bool is_turned, uint32_t count_max, cairn_arena *memory,
                                            cairn_complaints *complaints, cairn_log_map **ret_maps,
                                            uint32_t *ret_count);
