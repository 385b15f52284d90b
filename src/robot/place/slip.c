// The match is the compromise between the guess, with deviation p, and the laser alone, whose information about the
// place along an axis is h. So the laser alone would have moved the guess by d (1 + 1 / (h p^2)) where the match moved
// it by d. That, over its own deviation and that of wheels with a grip, is what is judged; p itself is wide while a
// robot slips.
#include "robot/place/slip.h"
#include <math.h>

// [-] Deviations by which the two ways must differ. Smaller: finds milder slip, and takes a bad match for one.
#define ODD_DEVIATIONS 4.0
#define AGREED_DEVIATIONS 2.0
#define ODD_COUNT 2     // matches: one may be wrong
#define AGREED_COUNT 10 // about a second: a wheel that has slipped slips again
// How far odometry may be wrong while it slips: wheels that spin, by all of their way; a robot that slides while they
// stand, by what it goes at walking speed between two scans.
#define SPUN_PART 1.0
#define SLID_M 0.03
#define SPIN_M_MIN 0.002 // [m] wheels that turn less than this between two scans stand
#define SPIN_PART 0.3    // [-] of the wheels' way: a robot that goes less does not go along

// [-] The looseness is a mean over so many matches, of those in which the robot moved and the laser told how far.
#define LOOSENESS_MATCHES 100.0
#define LOOSENESS_MIN 0.02
#define LOOSENESS_M_MIN 0.01 // [m] way of the wheels
#define LASER_PART_MAX 0.5   // [-] variance of the laser's place, at most this part of the wheels'

typedef struct difference {
    double off_m;    // of the laser's place from the guess, along an axis
    double laser_m2; // variance of the laser's place
    double ratio;    // [-] off_m in deviations
} difference;

void cairn_slip_init(cairn_slip *slip) { *slip = (cairn_slip){.looseness = 1}; }

static difference differ_along(const cairn_slip_evidence *evidence, cairn_vec2 axis)
{
    const cairn_match *match = evidence->match;
    const double *known = match->information;
    const double moved_m =
        axis.x * (match->pose.x_m - evidence->guess.x_m) + axis.y * (match->pose.y_m - evidence->guess.y_m);
    const double unknown = 1 / (CAIRN_MATCH_UNKNOWN_M * CAIRN_MATCH_UNKNOWN_M);
    const double h =
        fmax(known[0] * axis.x * axis.x + 2 * known[1] * axis.x * axis.y + known[4] * axis.y * axis.y, unknown);
    const double off_m = moved_m * (1 + 1 / (h * evidence->prior_m * evidence->prior_m));
    const double variance_m2 = evidence->wheels_m * evidence->wheels_m + 1 / h;
    return (difference){off_m, 1 / h, fabs(off_m) / sqrt(variance_m2)};
}

static void count_spin(cairn_slip *slip, const cairn_slip_evidence *evidence, double off_m)
{
    const double wheels_m = fabs(evidence->along_m);
    const double gone_m = copysign(1.0, evidence->along_m) * (evidence->along_m + off_m); // the wheels' way: positive
    const bool spins = slip->slips && wheels_m > SPIN_M_MIN && gone_m < SPIN_PART * wheels_m;
    slip->spin_s = spins ? slip->spin_s + evidence->step_s : 0;
}

static void learn_looseness(cairn_slip *slip, const cairn_slip_evidence *evidence, const difference *along)
{
    const double wheels_m2 = evidence->wheels_m * evidence->wheels_m;
    if (slip->slips || fabs(evidence->along_m) < LOOSENESS_M_MIN || along->laser_m2 > LASER_PART_MAX * wheels_m2) {
        return;
    }
    const double now = (along->off_m * along->off_m - along->laser_m2) / wheels_m2;
    slip->looseness = fmax(slip->looseness + (now - slip->looseness) / LOOSENESS_MATCHES, LOOSENESS_MIN);
}

void cairn_slip_judge(cairn_slip *slip, const cairn_slip_evidence *evidence)
{
    CAIRN_ASSERT(evidence->prior_m > 0 && evidence->wheels_m > 0);
    const double yaw_rad = evidence->match->pose.yaw_rad;
    const cairn_vec2 ahead = {cos(yaw_rad), sin(yaw_rad)}, left = {-ahead.y, ahead.x};
    const difference along = differ_along(evidence, ahead), across = differ_along(evidence, left);
    const double ratio = fmax(along.ratio, across.ratio);
    slip->odd_count = ratio > ODD_DEVIATIONS ? slip->odd_count + 1 : 0;
    slip->agreed_count = ratio < AGREED_DEVIATIONS ? slip->agreed_count + 1 : 0;
    if (slip->odd_count >= ODD_COUNT) { slip->slips = true; }
    if (slip->agreed_count >= AGREED_COUNT) { slip->slips = false; }
    if (slip->slips) { slip->lost_m += hypot(along.off_m, across.off_m); }
    learn_looseness(slip, evidence, &along);
    count_spin(slip, evidence, along.off_m);
}

double cairn_slip_prior_m(const cairn_slip *slip, double wheels_m, double moved_m)
{
    return slip->slips ? wheels_m + SLID_M + SPUN_PART * fabs(moved_m) : wheels_m;
}
