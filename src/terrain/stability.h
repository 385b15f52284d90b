// stability.h - how a robot would stand at a place, and how near it is to tipping over.
//
// The robot is let down onto the ground by geometry alone: the lowest plane under its centre of mass that no contact
// is below the ground of. It touches three contacts with the centre of mass between them. Then the force-angle measure
// (Papadopoulos & Rey 1996) is taken for each edge of the polygon of all contacts that touch.
//
// Frame    base: x forward, y left, z up from the plane of the contacts. Map: level.
// Source   Kohlbrecher et al. 2016 (Hector), 5.3 for the idea and the risk factor; docs/terrain.md for the geometry.
#pragma once
#include "geometry/pose3.h"
#include "terrain/heights.h"

#define CAIRN_CONTACTS_MAX 16

typedef struct cairn_stand_def {
    uint32_t contact_count;                   // 3 to CAIRN_CONTACTS_MAX
    cairn_vec2 contact_m[CAIRN_CONTACTS_MAX]; // wheels, or points along tracks, in any order
    cairn_vec3 mass_m;                        // centre of mass, above the contacts' plane and within their hull
    double touch_m; // contacts this near to the ground carry: springs and tyres give; more finds robots safer
} cairn_stand_def;

typedef struct cairn_stand {
    cairn_pose3 map_T_base;
    uint32_t touching;    // a bit for each contact
    double angle_rad;     // by how much more it must lean to tip, over the least stable edge; negative: it tips
    double measure_m_rad; // force-angle measure of the least stable edge for a weight of 1 N
    double risk;          // [-] >= 1: this measure on level ground over the measure here; INFINITY where it tips
} cairn_stand;

// Heights of cells; CAIRN_HEIGHT_NONE where not known. Borrowed.
typedef struct cairn_height_grid {
    cairn_terrain_area area;
    const int32_t *height_um;
} cairn_height_grid;

// Height at a point, in metres, between the four nearest cell centres; outside the outermost centres that of the
// nearest. NaN outside the area or where one of the four is not known.
double cairn_height_at(const cairn_height_grid *grid, cairn_vec2 at_m);

// Lets the robot down at a place, heading by its yaw. CAIRN_ERR_OUTSIDE if a contact comes to lie outside the grid or
// on unknown ground; CAIRN_ERR_INVALID if no three contacts have the centre of mass between them.
// O(contacts^4) for at most 16 contacts: a few microseconds for four wheels.
CAIRN_CHECKED cairn_err cairn_stand_drop(const cairn_stand_def *def, const cairn_height_grid *grid, cairn_pose2 place,
                                         cairn_stand *ret_stand);
