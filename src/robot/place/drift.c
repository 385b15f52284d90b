#include "robot/place/drift.h"
#include <math.h>

// [m], [rad] The map's surfaces are renewed while the robot goes so far or turns so much. Smaller: wider edges.
#define RENEWED_M 0.05
#define RENEWED_RAD 0.05
// [m], [rad] Deviation of where a node is on the local map: what many points cannot average away. There are two to an
// edge.
#define NODE_M 0.0015
#define NODE_RAD 0.0007
// [-], [m], [rad] What a mind that was started again may have missed: part of the way since its last node, and at
// least.
#define RESUMED_PART 0.1
#define RESUMED_M 0.05
#define RESUMED_RAD 0.05

static double square(double value) { return value * value; }

void cairn_drift_add_match(cairn_drift *drift, const cairn_match *match, cairn_guess_deviation guess, double moved_m,
                           double turned_rad)
{
    CAIRN_ASSERT(guess.way_m > 0 && guess.turn_rad > 0);
    drift->pending_m2 = drift->pending_rad2 = 0;
    double together[9], covariance[9];
    for (int i = 0; i < 9; i++) { together[i] = match->information[i]; }
    together[0] += 1 / square(guess.way_m);
    together[4] += 1 / square(guess.way_m);
    together[8] += 1 / square(guess.turn_rad);
    if (!cairn_symmetric3_invert(together, covariance)) { return; } // never: the guess alone is definite
    const double renewed = fmin(fabs(moved_m) / RENEWED_M + fabs(turned_rad) / RENEWED_RAD, 1);
    drift->way_m2 += renewed * 0.5 * (covariance[0] + covariance[4]);
    drift->yaw_rad2 += renewed * covariance[8];
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
