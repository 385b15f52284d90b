// view.h - a picture of an arena in space: seen obliquely from above, in perspective, with light and shade.
//
// Everything is drawn from the arena's solids and height fields, so that it shows what physics and sensors work with.
// Lids of victims' boxes are left off, so that one sees who is in them; starts are yellow arrows on the ground,
// victims, bystanders and hazards carry pins that stand above whatever hides them.
//
// Threads  No state of its own. The same arena and settings give the same bytes, whatever the number of workers.
// Cost     O(pixels + faces); 15,000 boxes at 1600 x 1000 pixels take 1.5 s on one core.
#pragma once
#include "base/workers.h"
#include "sim/arena/arena.h"
#include "sim/picture/picture.h"

#define CAIRN_VIEW_SIDE_PX_MIN 64u
#define CAIRN_VIEW_SIDE_PX_MAX 8192u

typedef struct cairn_view_def {
    uint32_t width_px, height_px;
    double azimuth_rad;   // where the eye is, seen from the arena: counter-clockwise from east
    double elevation_rad; // above the floor, 0.09 (5 degrees) to 1.57 (straight down)
    double cut_above_m;   // what is higher is cut away; INFINITY: nothing
    bool bare;            // without title and pins
} cairn_view_def;

// 1600 x 1000 pixels, from the south-south-west, 50 degrees above the floor, nothing cut away.
cairn_view_def cairn_view_def_default(void);

// Draws it into `memory` (three bytes for each pixel). Workers may be NULL. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_view_draw(const cairn_sim_arena *arena, const cairn_view_def *def, cairn_workers *workers,
                                        cairn_arena *memory, cairn_picture *ret_picture);

// The eye: a pinhole camera, as near as it can be with the whole arena in the picture.
typedef struct cairn_view_camera {
    cairn_vec3 eye_m;
    cairn_vec3 right, up, forward; // unit, map frame
    cairn_vec2 middle_px;
    double focal_px;
} cairn_view_camera;

cairn_view_camera cairn_view_camera_of(const cairn_sim_arena *arena, const cairn_view_def *def);
// Where a place is seen; x to the right, y down. It must lie before the eye.
cairn_vec2 cairn_view_project(const cairn_view_camera *camera, cairn_vec3 at_m);
