// match.h - what every matcher is told and what it answers: one scan (or grid) laid on a reference.
//
//   prior, with covariance -> matcher -> pose, information (or covariance), score, ambiguity, whether to trust it
//
// Matchers: gradient.h (scan to map, odometry on robots), mbicp.h (scan to scan, odometry), correlative.h (scan or grid
// to grid, far from the prior: loop closing). They differ in what a reference is made from; what they answer is this.
//
// Frames   reference and scan are each in their own frame, metres and radians; pose is reference_T_scan.
// Order    3x3 matrices are row-major over (x, y, yaw) of that pose: steps of x and y along the axes of the reference.
#pragma once
#include "base/status.h"
#include "geometry/pose2.h"

// What is believed of reference_T_scan before matching.
typedef struct cairn_match_prior {
    cairn_pose2 pose;
    double covariance[9]; // m2, m rad, rad2; symmetric, positive definite
} cairn_match_prior;

// Why a match is not trusted, as bits: there may be several reasons.
typedef enum cairn_match_doubt {
    CAIRN_MATCH_TOO_FEW = 1,      // the scan has too few points, or the reference too few surfaces
    CAIRN_MATCH_POOR = 2,         // too little of the scan lies on the reference
    CAIRN_MATCH_CONTRADICTED = 4, // too much of one lies where the other has seen free floor
    CAIRN_MATCH_SECOND_PEAK = 8,  // elsewhere it fits nearly as well
    CAIRN_MATCH_SLIDES = 16,      // along one direction it fits everywhere: a bare corridor
    CAIRN_MATCH_AT_EDGE = 32,     // the best lies on the edge of what was searched: the true one may be outside
    CAIRN_MATCH_DOUBT_COUNT = 6   // how many kinds there are
} cairn_match_doubt;

typedef struct cairn_match {
    cairn_pose2 pose;    // reference_T_scan; the prior's if nothing was found
    double score;        // [-] 0..1: how much of the scan lies on the reference
    double ambiguity;    // [-] 0..1: the score of the best place elsewhere, as part of score; 0: not looked for
    double contradicted; // [-] 0..1: part of the surfaces of one that lie where the other saw free floor; 0: not asked
    double information[9]; // about the pose, the prior left out; zero in a direction of which the scan says nothing
    double weakest_direction_rad; // where the scan says least about position, reference frame
    double weakness;              // [-] 0 (all directions fixed) .. 1 (nothing fixed)
    uint32_t iteration_count;     // or poses looked at: what it cost
    uint32_t point_count;         // points (or patches) that were looked for
    uint8_t doubts;               // bits of cairn_match_doubt
    bool is_trusted;              // by this matcher's own rules; they are in its header
} cairn_match;

// Deviations that stand for "not known": information is never taken to mean less than this.
#define CAIRN_MATCH_UNKNOWN_M 100.0
#define CAIRN_MATCH_UNKNOWN_RAD 3.2

// A prior without correlations.
cairn_match_prior cairn_match_prior_make(cairn_pose2 pose, double deviation_m, double deviation_rad);
// Covariance of the pose, for what the match says alone: finite always, see CAIRN_MATCH_UNKNOWN_M.
void cairn_match_covariance(const cairn_match *match, double ret_covariance[9]);
// Information in the frame of the scan, upper triangle by rows: as a factor of slam/graph/pose_graph.h has it, whose
// steps are in the frame of the pose that was measured.
void cairn_match_factor_information(const cairn_match *match, double ret_upper[6]);
// "second peak", ... for one bit. Never NULL.
const char *cairn_match_doubt_name(cairn_match_doubt doubt);

// Inverse of a symmetric positive definite 3x3. False, and nothing written, if it is not.
CAIRN_CHECKED bool cairn_symmetric3_invert(const double matrix[9], double ret_inverse[9]);
// Takes out what the match says of the position along a direction, a unit vector of the reference frame.
void cairn_match_forget(cairn_match *match, cairn_vec2 along);
// Fills in weakness and weakest direction from the information about position.
void cairn_match_set_weakness(cairn_match *match);
