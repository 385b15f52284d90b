// raf_walls.h - the walls of a NIST arena: gathered, then joined where they go on in one line.
//
// Arena files have no walls with holes: such a wall is made of several, some above others.
#pragma once
#include "sim/arena/import/raf_elements.h"

#define CAIRN_RAF_WALL_M 0.02 // theirs are of 1 cm

// Millimetres, so that ends that are meant to meet do.
typedef struct cairn_raf_wall {
    int64_t x0, y0, x1, y1;
    int32_t foot_mm, height_mm;
} cairn_raf_wall;

// How a wall stands.
typedef struct cairn_raf_upright {
    double foot_m, height_m;
} cairn_raf_upright;

enum { CAIRN_RAF_WALLS_MAX = 10 * CAIRN_RAF_ELEMENTS_MAX }; // of a wall with holes there are ten

typedef struct cairn_raf_walls {
    cairn_raf_wall *all; // room for CAIRN_RAF_WALLS_MAX
    uint32_t count;
} cairn_raf_walls;

// Where boxes hang on a wall with holes, by mount point, and the middle of the hole in front of each: metres from the
// wall's middle to the east, seen in its cell, and above the floor. From the lowest hole to the highest they are 2, 1,
// 0.
typedef struct cairn_raf_hole {
    double mount_x_m, mount_z_m, x_m, z_m;
} cairn_raf_hole;

enum { CAIRN_RAF_HOLES = 3 };
extern const cairn_raf_hole cairn_raf_holes[CAIRN_RAF_HOLES];

// From a to b, which are places in the element's cell as cairn_raf_place has them.
void cairn_raf_walls_add(cairn_raf_walls *to, const cairn_raf_element *of, cairn_vec2 a, cairn_vec2 b,
                         cairn_raf_upright how);
// Bands one above the other: whole ones, and ones with a gap, the hole. No two gaps end above each other, where the
// reader would take them for a corner and make both longer.
void cairn_raf_walls_add_holed(cairn_raf_walls *to, const cairn_raf_element *of, double height_m);
// Neighbours on one line become one wall; what is there twice becomes one. O(walls log walls).
void cairn_raf_walls_join(cairn_raf_walls *walls);
