// sources.h - the formats that can be imported, each from bytes that may hold anything.
#pragma once
#include "maps/files/bytes_io.h"
#include "maps/files/grey_io.h"
#include "maps/files/ros_map_io.h"
#include "sim/arena/import/draft.h"

// What a bare picture is taken for.
cairn_ros_map cairn_ros_map_of_picture(const cairn_grey *grey);
// Wall, free or unknown by the map's thresholds; a PNG picture without a header is wall where it is darker than grey.
CAIRN_CHECKED cairn_err cairn_ros_map_cells(const cairn_ros_map *map, const cairn_grey *grey, double cell_m,
                                            cairn_arena *memory, cairn_cells *ret_cells);

// HouseExpo: free inside the outline, unknown outside. Rooms become notes of the draft.
CAIRN_CHECKED cairn_err cairn_house_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                          double cell_m, cairn_arena *memory, cairn_complaints *complaints,
                                          cairn_draft *draft, cairn_cells *ret_cells);

// A person of a NIST arena: in a box on a wall, looking through a hole of it; or in the open.
typedef struct cairn_raf_victim {
    cairn_vec2 at_m; // of the middle of the box
    double facing_rad, foot_m;
    bool hangs;
} cairn_raf_victim;

// What a NIST arena has beside walls and boxes. Its ground to climb lies in the draft, wanted but not yet checked.
typedef struct cairn_raf {
    cairn_raf_victim *victims; // CAIRN_IMPORT_VICTIMS_MAX
    uint32_t victim_count;
    uint32_t left_out; // elements that arena files have no word for
} cairn_raf;

// Walls, barrels and ground to climb go into the draft, moved so that all of it lies on the floor, margin_m from its
// edge.
CAIRN_CHECKED cairn_err cairn_raf_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                        double height_m, double margin_m, cairn_arena *memory,
                                        cairn_complaints *complaints, cairn_draft *draft, cairn_raf *ret_raf);
