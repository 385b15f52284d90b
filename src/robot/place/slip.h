// slip.h - whether the robot goes where its wheels go: odometry's way between two scans against the matched one.
//
// Wheels that grip are wrong by a tenth of their way, and the match knows how well it fixes the place along each
// direction. A robot whose two ways differ by more than both can be wrong, twice in a row, slips: its wheels spin, or
// it slides while they stand. From then on its odometry is doubted (cairn_slip_prior_m), so that matching may follow
// the laser, until the two have agreed for half a second. On a slope scans that say nothing of the way neither
// agree nor differ, nor do wheels that stand: they spin on there. On level ground they end a slip, or a corridor would
// be taken for ice. Meanwhile the robot is taken to go the part of its wheels' way that it went when scans last told
// (grip). How far off the wheels are where the laser can tell is remembered (looseness), for where it cannot.
// Not seen  Slip where scans say nothing of the way: along a bare corridor. Turning: the gyro tells that.
// Threads   The owner's.
#pragma once
#include "matching/match.h"

typedef struct cairn_slip {
    bool slips;
    uint32_t odd_count;    // matches in a row that contradict the wheels
    uint32_t agreed_count; // and that agree with them
    double grip;      // [-] 0..1: part of the wheels' way that it went when the laser last told; 1 while nothing slips
    double looseness; // [-] mean square of how far the wheels were off, in deviations of wheels that grip
    double spin_s;    // for how long scan after scan has shown that the wheels turn and the robot does not go along
    double lost_m;    // way that the wheels went and the robot did not, or the other way round, in all
} cairn_slip;

// One match that was believed.
typedef struct cairn_slip_evidence {
    const cairn_match *match;
    cairn_pose2 guess;      // where the matcher was told that the robot is: private_T_base
    cairn_vec2 held_back_m; // from there to where the wheels put it, private axes: of a robot that slips
    double prior_m;         // deviation of the guess that the matcher was told
    double wheels_m;        // and its deviation if the wheels grip
    double along_m;         // way that the wheels say, along the robot's x
    double step_s;          // since the scan before
    bool slopes;            // the ground does: wheels may spin on where no scan tells
} cairn_slip_evidence;

void cairn_slip_init(cairn_slip *slip);
void cairn_slip_judge(cairn_slip *slip, const cairn_slip_evidence *evidence);
// A scan that was not believed: nobody knows whether the robot went along.
void cairn_slip_lose(cairn_slip *slip);
// The way between two scans, in the robot's axes, given what the wheels say.
cairn_pose2 cairn_slip_way(const cairn_slip *slip, cairn_pose2 wheels);
// Deviation of odometry's way since the last scan, given that of wheels that grip.
double cairn_slip_prior_m(const cairn_slip *slip, double wheels_m, double moved_m);
