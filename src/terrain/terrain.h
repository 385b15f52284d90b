// terrain.h - from one sweep of points to a map of where a robot can drive.
//
// The stages are those of Magic 5.3: a ground model from the lowest returns, a filter that leaves out what a robot
// passes under and what lies below the ground, then the up-detector; drops come last. maps/ keeps and merges the maps.
//
// Memory   All from the arena, at create. A step takes none.
// Threads  One at a time.
// Source   docs/terrain.md tells why each stage is as it is, and what it costs.
#pragma once
#include "maps/drivability.h"
#include "terrain/ground_model.h"
#include "terrain/negative.h"
#include "terrain/up_detector.h"

typedef enum cairn_drivability_cell {
    CAIRN_CELL_UNKNOWN = 0, // nothing was seen here
    CAIRN_CELL_DRIVABLE,
    CAIRN_CELL_OBSTACLE, // too high
    CAIRN_CELL_DROP      // ground falls away
} cairn_drivability_cell;

typedef struct cairn_terrain_def {
    cairn_terrain_area area;
    uint32_t points_max; // in the hits of one sweep
    cairn_ground_def ground;
    double clearance_m; // points more than this above the ground pass over the robot: its height and a margin
    double below_m;     // points more than this below the ground model are echoes
    cairn_up_def up;
    cairn_drop_def drop;
} cairn_terrain_def;

// 20 x 20 m of 5 cm around the origin, 65,536 points, for a robot of 0.7 m.
cairn_terrain_def cairn_terrain_def_default(void);

typedef struct cairn_terrain cairn_terrain;

// The def is copied. CAIRN_ERR_FULL if the arena is too small: it takes 35 bytes a cell and 8 a point.
CAIRN_CHECKED cairn_err cairn_terrain_create(const cairn_terrain_def *def, cairn_arena *arena,
                                             cairn_terrain **ret_terrain);

// What the last step found, borrowed until the next one. Arrays have one entry a cell.
typedef struct cairn_terrain_view {
    cairn_terrain_area area;
    const uint8_t *cells;        // cairn_drivability_cell
    const int32_t *ground_um;    // the ground model; CAIRN_HEIGHT_NONE everywhere if there was no return at all
    const int32_t *low_um;       // lowest point that passed the filter, CAIRN_HEIGHT_NONE where none did
    const int32_t *top_um;       // highest one, -CAIRN_HEIGHT_NONE where none did
    const uint32_t *point_cells; // of each hit, CAIRN_CELL_NONE where it is outside or did not pass the filter
    uint32_t point_count;
} cairn_terrain_view;

// Makes the map of one sweep. sweep->hits.count <= points_max. O(cells + points).
void cairn_terrain_step(cairn_terrain *terrain, const cairn_terrain_sweep *sweep, cairn_terrain_view *ret_view);

// The view as maps/drivability.h takes it, to be merged with others: a drop is an obstacle there. ret_ground has a byte
// a cell and is what *ret_map borrows. O(cells).
void cairn_terrain_drivability(const cairn_terrain_view *view, uint8_t *ret_ground, cairn_drivability_map *ret_map);
