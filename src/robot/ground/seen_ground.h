// seen_ground.h - the ground that the robot has driven on or seen to go on, for avoidance: it goes nowhere else.
//
// Nobody sees a hole, so a hole need not be proven here: what was not seen to carry does not. A range image, or two
// scans of a laser that nods, are rows of points beside each other. Where two points of neighbouring rows are near each
// other and about as high, what lies between them is ground. A ray that passes below ground that was seen before takes
// it away again. Ground counts as sound if one gets there from the wheels, not far round about, without stepping down
// farther than the robot is meant to.
//
// Taken on trust: the ground under the wheels and right beside their way; that around the place where this began as far
// as its eyes see none (trust_m: whoever set the robot down there looked); CAIRN_SEEN_BLIND_M between the hull and the
// nearest ground in sight, if the two meet in a bend and not in a step; and a hand's breadth beside the edges of a
// picture, straight ahead, where it is hardly wider than the robot and shows the middle of a wheel's way.
//
// Frame    odometry's: ground is forgotten CAIRN_SEEN_WAY_M later along the way, before that drifts. Heights from the
//          ground on which the robot was switched on.
// Memory   Half a megabyte from the arena at init; nothing later.
// Threads  Deliberate only; what is told is a copy.
#pragma once
#include "robot/behaviour/behaviour.h"
#include "robot/ground/sweep.h"

#define CAIRN_SEEN_WAY_M 10.0
#define CAIRN_SEEN_BLIND_M 0.3 // larger: gets going sooner after a turn; wider holes beside the wheels are missed

typedef struct cairn_seen_cell {
    int32_t x, y;    // which cell of the plane this is now
    bool seen;       // its ground
    bool open;       // a ray passed where ground would have to be
    float height_m;  // of it
    double passed_m; // the robot's way when it was seen last
} cairn_seen_cell;

typedef struct cairn_seen_ground {
    double half_length_m, half_width_m; // hull
    double wheel_x_m;                   // half of what stands on the ground, along x
    double wheel_y_m;                   // the middle of a wheel's way
    double beside_m;                    // from the robot's middle: as far out as ground must carry, and half a cell
    double trust_m;                     // around the place where it began
    double gap_m;                       // rows nearer to each other than this have ground between them
    double step_m, slope;               // down which it may go,
    double drop_m;                      // and no deeper than this, whatever the slope
    bool begun;
    double way_m, ground_m;         // of the robot, now
    double rises_ahead, rises_left; // [-] the slopes on which it stands, along x and y of the base
    cairn_pose2 odom_T_base;
    cairn_seen_cell *cells; // CAIRN_SEEN_CELLS x CAIRN_SEEN_CELLS, on a torus
    uint16_t *reached;      // from the middle of the robot: steps, cell by cell
    uint32_t *queue;
} cairn_seen_ground;

CAIRN_CHECKED cairn_err cairn_seen_ground_init(cairn_seen_ground *seen, const cairn_body_description *description,
                                               cairn_arena *arena);
// Before the robot first stands: goes on with what the mind before this one told of the ground in the same odometry.
// Nobody set the robot down here, so nothing else is taken on trust. told may be NULL, or of another odometry: nothing.
void cairn_seen_ground_go_on(cairn_seen_ground *seen, const cairn_sound_ground *told, const cairn_reflex_state *state,
                             double ground_m);
// The robot stands here: what its wheels are on carries.
void cairn_seen_ground_stand(cairn_seen_ground *seen, const cairn_reflex_state *state, double ground_m);
// Somebody has it in his hands: wherever he sets it down, nothing that was seen is there, and it begins anew.
void cairn_seen_ground_forget(cairn_seen_ground *seen);
// Takes in what the sweep saw last: the rows of an image, or a scan beside the one before it.
void cairn_seen_ground_see(cairn_seen_ground *seen, const cairn_ground_sweep *sweep);
// What is sound around the robot. 0.2 ms.
void cairn_seen_ground_tell(cairn_seen_ground *seen, cairn_mono now, cairn_sound_ground *ret_ground);
