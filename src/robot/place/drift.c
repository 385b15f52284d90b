#include "robot/place/drift.h"
#include <math.h>

// [m], [rad] The map is made anew while the robot goes so far or turns so much. Smaller: wider edges.
#define RENEWED_M 1.0
#define RENEWED_RAD 1.5
// [m], [rad] A robot that moves less than this between two scans stands, and its odometry with it.
#define STANDS_M 0.005
#define STANDS_RAD 0.005
// [m], [rad] Deviation of where a node is on the local map: what many points cannot average away. There are two to an
// edge.
#define NODE_M 0.0014
#define NODE_RAD 0.00035
#define FOUND_RAD 0.01 // of a match to the robot's own map
// [-], [m], [rad] What a mind that was started again may have missed: part of the way since its last node, and at
// least.
#define RESUMED_PART 0.1
#define RESUMED_M 0.05
#define RESUMED_RAD 0.05

static double square(double value) { return value * value; }

// With C the covariance of the compromise, H the match's information and P the guess's: C = C H C + C P C, the part of
// the map and that of the guess.
void cairn_drift_add_match(cairn_drift *drift, const cairn_drift_step *step)
{
    CAIRN_ASSERT(step->guess.way_m > 0 && step->guess.turn_rad > 0);
    drift->pending_m2 = drift->pending_rad2 = 0;
    const double guess[3] = {1 / square(step->guess.way_m), 1 / square(step->guess.way_m),
                             1 / square(step->guess.turn_rad)};
    double together[9], c[9];
    for (int i = 0; i < 9; i++) { together[i] = step->match->information[i] + (i % 4 == 0 ? guess[i / 4] : 0); }
    if (!cairn_symmetric3_invert(together, c)) { return; } // never: the guess alone is definite
    const double moved_m = fabs(step->moved_m), turned_rad = fabs(step->turned_rad);
    const double renewed = fmin(moved_m / RENEWED_M + turned_rad / RENEWED_RAD, 1);
    const double moves = fmin(moved_m / STANDS_M + turned_rad / STANDS_RAD, 1);
    const double loose[3] = {step->looseness, step->looseness, 1};
    double variance[3];
    for (int i = 0; i < 3; i++) {
        double by_guess = 0, lost = 0;
        for (int j = 0; j < 3; j++) {
            by_guess += square(c[3 * i + j]) * guess[j];
            lost += square(c[3 * i + j]) * guess[j] * loose[j];
        }
        variance[i] = renewed * (c[4 * i] - by_guess) + moves * lost;
    }
    drift->way_m2 += 0.5 * (variance[0] + variance[1]);
    drift->yaw_rad2 += variance[2];
}

void cairn_drift_add_guess(cairn_drift *drift, cairn_guess_deviation guess)
{
    drift->pending_m2 += square(guess.way_m);
    drift->pending_rad2 += square(guess.turn_rad);
}

void cairn_drift_settle(cairn_drift *drift)
{
    drift->way_m2 += drift->pending_m2;
    drift->yaw_rad2 += drift->pending_rad2;
    drift->pending_m2 = drift->pending_rad2 = 0;
}

void cairn_drift_widen(cairn_drift *drift, double way_m)
{
    CAIRN_ASSERT(way_m >= 0 && isfinite(way_m));
    drift->way_m2 += way_m * way_m;
}

void cairn_drift_find(cairn_drift *drift, double way_m)
{
    CAIRN_ASSERT(way_m >= 0 && isfinite(way_m));
    *drift = (cairn_drift){.way_m2 = square(way_m), .yaw_rad2 = square(FOUND_RAD)};
}

void cairn_drift_resume(cairn_drift *drift, double moved_m)
{
    *drift = (cairn_drift){.way_m2 = square(RESUMED_M + RESUMED_PART * fabs(moved_m)), .yaw_rad2 = square(RESUMED_RAD)};
}

cairn_guess_deviation cairn_drift_edge(const cairn_drift *drift)
{
    const double way_m2 = drift->way_m2 + drift->pending_m2 + 2 * square(NODE_M);
    return (cairn_guess_deviation){sqrt(way_m2), sqrt(drift->yaw_rad2 + drift->pending_rad2 + 2 * square(NODE_RAD))};
}

void cairn_drift_begin(cairn_drift *drift)
{
    // What is pending is wrong at both ends of a node: in the edge to it, and in the one from it.
    *drift = (cairn_drift){.pending_m2 = drift->pending_m2, .pending_rad2 = drift->pending_rad2};
}
