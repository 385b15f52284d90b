// raf_elements.h - what a NIST arena's file says: a flat list of XML elements on cells of 1.2 m, each with a type and a
// rotation (clockwise, degrees; 0: its wall stands in the north of the cell).
#pragma once
#include "base/status.h"
#include "geometry/pose2.h"

#define CAIRN_RAF_CELL_M 1.2
#define CAIRN_RAF_QUARTER_RAD 1.57079632679489661923

enum { CAIRN_RAF_ELEMENTS_MAX = 4096, CAIRN_RAF_TYPE_BYTES = 64 };

typedef enum cairn_raf_kind {
    CAIRN_RAF_WALL,
    CAIRN_RAF_HOLED_WALL,
    CAIRN_RAF_TALL_WALL,
    CAIRN_RAF_DIAGONAL,
    CAIRN_RAF_CORNER,
    CAIRN_RAF_BARREL,
    CAIRN_RAF_HIGH_BARREL,
    CAIRN_RAF_STORAGE,
    CAIRN_RAF_HALF_RAMP,
    CAIRN_RAF_FULL_RAMP,
    CAIRN_RAF_STEEP_RAMP,
    CAIRN_RAF_RAISED_FLOOR,
    CAIRN_RAF_FLIGHT,
    CAIRN_RAF_STEP_FIELD,
    CAIRN_RAF_VICTIM_IN_BOX,
    CAIRN_RAF_VICTIM,
    CAIRN_RAF_OTHER // what arena files have no word for
} cairn_raf_kind;

typedef struct cairn_raf_element {
    cairn_raf_kind kind;
    char type[CAIRN_RAF_TYPE_BYTES];
    double x, y; // cells
    double offset_x, offset_y;
    int quarter; // turns clockwise, 0 to 3
    int mount;   // which hole of its wall, 0 or more; there may be no such hole
    bool left_out;
} cairn_raf_element;

typedef struct cairn_raf_elements {
    cairn_raf_element *all; // room for CAIRN_RAF_ELEMENTS_MAX
    uint32_t count;
} cairn_raf_elements;

// Bytes may hold anything. Complains and returns false where they are no such list.
bool cairn_raf_elements_read(const char *bytes, size_t size_bytes, const char *name_for_errors,
                             cairn_complaints *complaints, cairn_raf_elements *elements);

// Where an element of a kind, turned so (-1: any way), stands in a cell; UINT32_MAX: nowhere. The first of several.
uint32_t cairn_raf_find(const cairn_raf_elements *in, cairn_raf_kind kind, double x, double y, int quarter);
// A place in an element's cell, seen as it is turned; metres from the middle of the cell (0, 0).
cairn_vec2 cairn_raf_place(const cairn_raf_element *of, double local_x_m, double local_y_m);
// Which way the local north of an element points.
double cairn_raf_north_rad(const cairn_raf_element *of);
