// upright.h - which of a scan's points to match by: not those on what the last nod saw to slant.
//
// A laser that nods cuts a slope at another height in each scan: rubble, ramps and banks are lines that move towards
// the robot and away from it twice a nod. Walls stay where they are. So the sweep of a whole nod is collapsed to what
// stands upright (terrain/collapse.h), and points of a scan that lie where the nod saw a slope, and nothing upright
// near by, are not matched. What it did not see well is: in the open, whatever stands there tells the way.
//
// Frame    odometry's, of which a nod is short enough to know the way.
// Memory   Two bytes and two heights a cell from the arena at init; nothing later.
// Threads  Deliberate only.
#pragma once
#include "base/clock.h"
#include "body/description.h"
#include "geometry/pose2.h"
#include "terrain/collapse.h"

typedef struct cairn_upright {
    cairn_collapse_def def;
    double ahead_m; // [m] less far ahead a nod shows too little of a wall to tell it from a slope; so it does abeam,
                    // where beams hardly tilt, and behind, where they look over things
    int64_t nod_ns; // 0: the laser does not nod, and every point counts
    bool seen;      // a sweep, at this time:
    cairn_mono seen_at;
    cairn_pose2 odom_T_sweep;
    cairn_terrain_area area;
    uint8_t *slants;  // a byte a cell: a slope was seen in it or beside it, and nothing upright
    uint8_t *upright; // of the sweep
    cairn_arena scratch;
} cairn_upright;

// cell_count: of the largest area that will be seen. CAIRN_ERR_FULL if the arena is too small.
CAIRN_CHECKED cairn_err cairn_upright_init(cairn_upright *upright, const cairn_laser_description *laser,
                                           uint32_t cell_count, cairn_arena *arena);
// Takes in the terrain of a whole nod, whose frame lay so in odometry's. O(cells).
void cairn_upright_see(cairn_upright *upright, const cairn_terrain_view *view, cairn_pose2 odom_T_sweep,
                       cairn_mono now);
void cairn_upright_forget(cairn_upright *upright);
// Leaves points out of a scan that was taken from here; all stay where that would leave too few, or when the last nod
// is long past. Returns how many are left out. O(points).
uint32_t cairn_upright_leave_out(const cairn_upright *upright, cairn_pose2 odom_T_base, cairn_mono now,
                                 cairn_scan_points *points);
