// tracker.h - where the robot is in its private frame: wheel and gyro odometry, aided by scan matching.
//
// The private frame starts where the robot was switched on, x forward, and never jumps: matching moves the estimate by
// at most what odometry may be wrong by since a scan last held the place from all sides. The local map lives here too,
// since matching and mapping feed each other. How sure the pose is, and whether the wheels slip, is kept beside it
// (robot/place/).
// Threads  Deliberate only.
#pragma once
#include "maps/local/local_grid.h"
#include "matching/gradient.h"
#include "robot/deliberate/straighten.h"
#include "robot/ground/upright.h"
#include "robot/place/drift.h"
#include "robot/place/free_things.h"
#include "robot/place/gyro.h"
#include "robot/place/hold.h"
#include "robot/place/rejoin.h"
#include "robot/place/slip.h"

#define CAIRN_MOVING_THINGS_MAX 30

typedef struct cairn_tracker {
    cairn_match_def match_def;
    cairn_local_grid *grid;
    cairn_beam_table beams;
    cairn_scan_points points; // of the last scan, base frame at points_at
    cairn_scan_points still;  // of them, what does not move by itself nor slants: matching sees these only
    cairn_scan_points high;   // points and what is above walls, of a robot that leans
    cairn_scan_points tall;   // of those, what does not move nor slants: for matching, where the map has what is above
    cairn_free_things free_things;
    const cairn_upright *upright; // borrowed; NULL: nobody knows what slants
    cairn_mono points_at;
    cairn_pose2 private_T_odom; // what matching has corrected so far
    cairn_pose2 private_T_base; // at points_at
    cairn_match match;          // the last one
    cairn_pose2 odom_T_matched; // odometry at the last scan
    cairn_pose2 mapped_at;      // where the map was last added to
    cairn_mono mapped_when;
    uint32_t young_count;   // scans that are still to be drawn into a map begun anew, whatever it says
    cairn_mono believed_at; // last match that was
    uint32_t matched_count, refused_count, rejoined_count;
    cairn_slip slip;   // not of a body whose wheels nobody counts
    cairn_drift drift; // since the last node
    cairn_hold hold;   // how firmly scans hold the place
    cairn_rejoin rejoin;
    const cairn_own_map *own_map; // borrowed; NULL: there is nothing to look for a lost place on
    cairn_mono rejoin_tried;
    uint32_t odd_count;        // scans in a row that the local map contradicts
    uint32_t denied_count;     // and that its own map denies where it believes to be
    cairn_mono denied_at;      // last time that this was taken for an error of its place
    uint32_t new_ground_count; // tries in a row in which its own map had nothing of what it saw
    cairn_gyro gyro;
    // Of a body whose wheels nobody counts (robot/reflex/unseen.h): its odometry knows little of the way, so matching
    // must not lean on it, and what matching says of the way is told to reflex.
    bool uncounted;
    cairn_mono seen_at; // the last match that says where the robot is along its own x: its scan's time and pose
    cairn_pose2 seen_T_base;
    cairn_seen_motion motion; // between the last two; at 0: none yet
    double seen_side_mps;     // and to the left
    bool leant;               // on the last of its way, at this distance_m of reflex
    double leant_m;
    bool started;
} cairn_tracker;

CAIRN_CHECKED cairn_err cairn_tracker_init(cairn_tracker *tracker, cairn_arena *arena);
// Takes in one scan. Points within radius_m of the places given (team-mates, private frame) are left out: what moves
// along with the robot would hold it where it is, and is no wall.
typedef struct cairn_moving_things {
    uint32_t count;
    double radius_m;
    cairn_vec2 at_m[CAIRN_MOVING_THINGS_MAX];
} cairn_moving_things;
void cairn_tracker_step(cairn_tracker *tracker, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                        const cairn_reflex_state *state, const cairn_moving_things *moving, cairn_mono now);
// The robot is where it was at the last scan, or at the last call, however far its wheels have turned since: of one
// that is off its feet.
void cairn_tracker_stay(cairn_tracker *tracker, const cairn_reflex_state *state);
// Nobody knows the way to here: what it has drawn, and all doubt with it, is left behind. The next scan draws the first
// of a new map. Its pose stays what it was, so that its frame does not jump.
void cairn_tracker_begin_anew(cairn_tracker *tracker);
// For so long nobody counted its wheels nor heard its gyro: of a reflex that was started again.
void cairn_tracker_miss_turn(cairn_tracker *tracker, double for_s);
// Turns the robot's pose where it stands, as a compass says; the next match has the last word.
void cairn_tracker_turn(cairn_tracker *tracker, const cairn_reflex_state *state, double turn_rad);
// Odometry carried on from the last match.
cairn_pose2 cairn_tracker_pose(const cairn_tracker *tracker, const cairn_reflex_state *state);
