// correlative.h - correlative matching: the best of all poses in a window, exactly.
//
// Score of a pose: each point of the scan that falls into a cell with a surface of the reference counts 2, next to one
// (its eight neighbours) 1. Poses are the window's whole cells and steps of angle around the prior; scores are
// integers, and the best that is returned is the best that trying all would find.
//
// How: branch and bound. For a turn, 64 translations along x lie in one word, and four rows are counted at once
// (overlay_kernels.h); a first look at planes in which a bit stands for 4 x 4 translations bounds 4096 of them from
// above; rows whose bound is not above the best so far are never looked at.
//
// Step of angle: such that half a step moves the scan's farthest point by one cell, which `next to` forgives. For grids
// of 150 x 150 cells of 10 cm (corner 10.6 m away) that is 1.08 degrees.
//
// From the scores around the best come the pose to a fraction of a cell, the information and whether it slides; from
// those elsewhere the ambiguity. Then both sides' free floor is asked: what one saw as surface must not lie where the
// other saw nothing. Trusted if there is no doubt (match.h) at all.
//
// Memory   From the arena at create, 1.7 MB.
// Threads  One owner; pyramids are only read.
// Source   Olson 2009, "Real-time correlative scan matching"; Olson et al. 2012 (Magic), 4.3.3. Ours: bits and adders.
#pragma once
#include "matching/match.h"
#include "matching/pyramid.h"

#define CAIRN_CORRELATIVE_HALF_CELLS_MAX 128   // of a window, each way
#define CAIRN_CORRELATIVE_ANGLES_MAX 1024      // of a window
#define CAIRN_CORRELATIVE_STEP_RAD_MIN 0.00873 // half a degree
#define CAIRN_CORRELATIVE_STEP_RAD_MAX 0.1     // of a scan of which all is near

typedef struct cairn_correlative_def {
    double window_m, window_rad; // half the widest search, each way: what the prior allows, but no more than this
    double window_deviations;    // [-] of the prior that are searched
    double score_min;            // [-] 0..1: less is not looked for; larger finds out sooner that there is nothing
    double margin_min;           // [-] score less the part on the other's free floor: less than this is a contradiction
    double ambiguity_max;        // [-] a second peak whose fit is more than this part of the best one's is a doubt
    double slide_m_max;          // deviation along the weakest direction above which it slides
    uint32_t point_count_min;    // fewer points of the scan on the reference are too few
} cairn_correlative_def;

// The poses that are tried: turns k * step_rad, k = -turn_half .. turn_half, about the scan's origin at `centre`, and
// then whole cells -x_half .. x_half, -y_half .. y_half along the reference's axes.
typedef struct cairn_correlative_window {
    cairn_pose2 centre; // reference_T_scan
    double step_rad;
    int32_t turn_half, x_half, y_half;
} cairn_correlative_window;

typedef struct cairn_correlative_peak {
    int32_t turn, x, y; // steps and cells from the window's centre
    uint32_t hits;      // 2 for each point on a surface, 1 for each next to one
} cairn_correlative_peak;

typedef struct cairn_correlative cairn_correlative;

cairn_correlative_def cairn_correlative_def_default(void); // +-3 m, +-45 degrees
CAIRN_CHECKED cairn_err cairn_correlative_create(const cairn_correlative_def *def, cairn_arena *arena,
                                                 cairn_correlative **ret_correlative);

// The window for a prior, within the def.
cairn_correlative_window cairn_correlative_window_for(const cairn_correlative *correlative,
                                                      const cairn_pyramid *reference, const cairn_pyramid *scan,
                                                      const cairn_match_prior *prior);
// The best pose of the window. False, and nothing written, if no pose has more than hits_min. Of several poses that are
// best, any one, but always the same.
bool cairn_correlative_search(cairn_correlative *correlative, const cairn_pyramid *reference, const cairn_pyramid *scan,
                              const cairn_correlative_window *window, uint32_t hits_min,
                              cairn_correlative_peak *ret_peak);
// Lays one node on another.
void cairn_match_correlative(cairn_correlative *correlative, const cairn_pyramid *reference, const cairn_pyramid *scan,
                             const cairn_match_prior *prior, cairn_match *ret_match);
