// The match is a compromise between the guess, with variance P, and the laser alone, with the information H about the
// place (the heading's share taken out): where the match moved the guess by d, the laser alone would have moved it by
// d + H^-1 P^-1 d. That, over its own variance and that of wheels with a grip, is what is judged; P itself is wide
// while a robot slips. Both axes of the ground are judged together: in a corridor the laser knows one of them well, and
// a robot that turns while it slides has it across its own.
#include "robot/place/slip.h"
#include <math.h>

// [-] Deviations by which the two ways must differ. Smaller: finds milder slip, and takes a bad match for one.
#define ODD_DEVIATIONS 3.0
#define AGREED_DEVIATIONS 2.0
#define ODD_COUNT 2    // matches: one may be wrong
#define AGREED_COUNT 5 // half a second: a wheel that has slipped slips again
// How far odometry may be wrong while it slips: wheels that spin, by all of their way; a robot that slides while they
// stand, by what it goes at walking speed between two scans.
#define SPUN_PART 1.0
#define SLID_M 0.03
#define TELLS_M 0.02     // [m] a scan that knows the way along the robot less well says nothing of slip
#define SPIN_M_MIN 0.002 // [m] wheels that turn less than this between two scans stand
#define SPIN_S_MAX 0.3   // [s] between two scans; after a longer time nobody knows what the wheels did
// [-] The grip is a mean over about so many matches. Larger: follows a wheel that bites again later.
#define GRIP_MATCHES 3.0
#define SPIN_PART 0.3 // [-] of the wheels' way: a robot that goes less does not go along

// [-] The looseness is a mean over so many matches, of those in which the robot moved and the laser told how far.
#define LOOSENESS_MATCHES 100.0
#define LOOSENESS_MIN 0.02
#define LOOSENESS_M_MIN 0.01 // [m] way of the wheels
#define LASER_PART_MAX 0.5   // [-] variance of the laser's place, at most this part of the wheels'

// How the laser's place differs from the guess.
typedef struct difference {
    cairn_vec2 off_m;   // private axes
    double laser_m2[3]; // covariance of the laser's place: xx, xy, yy
    double ratio;       // [-] off_m in deviations of laser and wheels
} difference;

void cairn_slip_init(cairn_slip *slip) { *slip = (cairn_slip){.looseness = 1, .grip = 1}; }

// Inverse of a symmetric, positive definite 2x2: xx, xy, yy.
static void invert2(const double matrix[3], double ret_inverse[3])
{
    const double part = 1 / (matrix[0] * matrix[2] - matrix[1] * matrix[1]);
    ret_inverse[0] = part * matrix[2];
    ret_inverse[1] = -part * matrix[1];
    ret_inverse[2] = part * matrix[0];
}

static cairn_vec2 apply2(const double matrix[3], cairn_vec2 v)
{
    return (cairn_vec2){matrix[0] * v.x + matrix[1] * v.y, matrix[1] * v.x + matrix[2] * v.y};
}

static difference differ(const cairn_slip_evidence *evidence)
{
    const cairn_match *match = evidence->match;
    const double *h = match->information, unknown = 1 / (CAIRN_MATCH_UNKNOWN_M * CAIRN_MATCH_UNKNOWN_M);
    const double turn = h[8] + 1 / (CAIRN_MATCH_UNKNOWN_RAD * CAIRN_MATCH_UNKNOWN_RAD);
    const double known[3] = {h[0] - h[2] * h[2] / turn + unknown, h[1] - h[2] * h[5] / turn,
                             h[4] - h[5] * h[5] / turn + unknown};
    const double prior_m2 = evidence->prior_m * evidence->prior_m, wheels_m2 = evidence->wheels_m * evidence->wheels_m;
    difference is;
    invert2(known, is.laser_m2);
    const cairn_vec2 moved = {match->pose.x_m - evidence->guess.x_m, match->pose.y_m - evidence->guess.y_m};
    const cairn_vec2 laser = cairn_vec2_add(moved, cairn_vec2_scale(apply2(is.laser_m2, moved), 1 / prior_m2));
    is.off_m = cairn_vec2_sub(laser, evidence->held_back_m);
    const double together[3] = {is.laser_m2[0] + wheels_m2, is.laser_m2[1], is.laser_m2[2] + wheels_m2};
    double weights[3];
    invert2(together, weights);
    is.ratio = sqrt(fmax(cairn_vec2_dot(is.off_m, apply2(weights, is.off_m)), 0));
    return is;
}

// Way that the robot went along its wheels', of theirs: positive.
static double gone_m(const cairn_slip_evidence *evidence, double off_m)
{
    return copysign(1.0, evidence->along_m) * (evidence->along_m + off_m);
}

static void count_spin(cairn_slip *slip, const cairn_slip_evidence *evidence, double off_m)
{
    const double wheels_m = fabs(evidence->along_m);
    const bool spins = slip->slips && evidence->step_s <= SPIN_S_MAX && wheels_m > SPIN_M_MIN &&
                       gone_m(evidence, off_m) < SPIN_PART * wheels_m;
    slip->spin_s = spins ? slip->spin_s + evidence->step_s : 0;
}

static void learn_grip(cairn_slip *slip, const cairn_slip_evidence *evidence, double off_m, bool tells)
{
    const double wheels_m = fabs(evidence->along_m);
    if (!slip->slips) {
        slip->grip = 1;
    } else if (wheels_m > SPIN_M_MIN && (tells || !evidence->slopes)) {
        const double now = tells ? fmin(fmax(gone_m(evidence, off_m) / wheels_m, 0), 1) : 1;
        slip->grip += (now - slip->grip) / GRIP_MATCHES;
    }
}

static void learn_looseness(cairn_slip *slip, const cairn_slip_evidence *evidence, const difference *is,
                            cairn_vec2 ahead)
{
    const double wheels_m2 = evidence->wheels_m * evidence->wheels_m;
    const double off_m = cairn_vec2_dot(is->off_m, ahead),
                 laser_m2 = cairn_vec2_dot(ahead, apply2(is->laser_m2, ahead));
    if (slip->slips || fabs(evidence->along_m) < LOOSENESS_M_MIN || laser_m2 > LASER_PART_MAX * wheels_m2) { return; }
    const double now = (off_m * off_m - laser_m2) / wheels_m2;
    slip->looseness = fmax(slip->looseness + (now - slip->looseness) / LOOSENESS_MATCHES, LOOSENESS_MIN);
}

void cairn_slip_judge(cairn_slip *slip, const cairn_slip_evidence *evidence)
{
    CAIRN_ASSERT(evidence->prior_m > 0 && evidence->wheels_m > 0);
    const cairn_pose2 *at = &evidence->match->pose;
    const cairn_vec2 ahead = {cos(at->yaw_rad), sin(at->yaw_rad)};
    const cairn_vec2 moved = cairn_vec2_sub((cairn_vec2){at->x_m - evidence->guess.x_m, at->y_m - evidence->guess.y_m},
                                            evidence->held_back_m);
    const difference is = differ(evidence);
    const double along_m2 = cairn_vec2_dot(ahead, apply2(is.laser_m2, ahead));
    const bool tells = along_m2 <= TELLS_M * TELLS_M;
    slip->odd_count = is.ratio > ODD_DEVIATIONS ? slip->odd_count + 1 : 0;
    // On a slope only wheels that would have been seen to spin prove a grip: those that stand agree with any scan.
    const double grips_m = hypot(sqrt(along_m2), evidence->wheels_m);
    const bool proves = tells && fabs(evidence->along_m) > ODD_DEVIATIONS * grips_m;
    if (proves || !evidence->slopes) { slip->agreed_count = is.ratio < AGREED_DEVIATIONS ? slip->agreed_count + 1 : 0; }
    if (slip->odd_count >= ODD_COUNT) {
        slip->slips = true;
        slip->agreed_count = 0; // on a slope it still has what was counted before
    }
    if (slip->agreed_count >= AGREED_COUNT) { slip->slips = false; }
    if (slip->slips) { slip->lost_m += cairn_vec2_length(moved); }
    learn_looseness(slip, evidence, &is, ahead);
    const double off_m = cairn_vec2_dot(moved, ahead);
    learn_grip(slip, evidence, off_m, tells);
    count_spin(slip, evidence, off_m);
}

void cairn_slip_lose(cairn_slip *slip) { slip->spin_s = 0; }

double cairn_slip_prior_m(const cairn_slip *slip, double wheels_m, double moved_m)
{
    return slip->slips ? wheels_m + SLID_M + SPUN_PART * fabs(moved_m) : wheels_m;
}

cairn_pose2 cairn_slip_way(const cairn_slip *slip, cairn_pose2 wheels)
{
    CAIRN_ASSERT(slip->grip >= 0 && slip->grip <= 1);
    return (cairn_pose2){slip->grip * wheels.x_m, slip->grip * wheels.y_m, wheels.yaw_rad};
}
