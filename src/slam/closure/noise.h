// noise.h - how noisy a graph's measurements are, of what they state: found from short cycles.
//
// Whom to believe is judged by covariances, and files state them carelessly: five times too sure of headings, or six
// times too unsure of everything. Two closures between the same two stretches of a drive make a cycle of a few steps,
// which should end where it began. Where it ends instead is noise, or one of the closures is wrong and it ends
// far off: a mixture of the two is fitted, with one scale for each axis of the measurements' own frames, shared by
// odometry and closures. Factors on one node have a noise of their own, and are left alone.
//
// Memory   Scratch from the arena while it runs, given back. Poses are not read.
// Threads  Any.
// Source   Dempster, Laird & Rubin 1977 (mixtures).
#pragma once
#include "slam/closure/uncertain.h"

typedef struct cairn_noise_def {
    uint32_t hops;       // odometry factors on each side of a cycle, at most; more: more cycles, with less to say each
    uint32_t cycles_max; // looked at; evenly thinned beyond. More: surer and slower
    double pseudo_count; // [-] cycles' worth of belief in what is stated; more: few cycles change less
    // [-] bounds of what is found. A smaller scale_min: fewer wrong closures agree by chance, but short cycles do not
    // show all that noise is, neither its tails nor what adds up over a long way.
    double scale_min, scale_max;
} cairn_noise_def;

typedef struct cairn_noise {
    double scale[6];      // [-] deviation, of the stated one, along each axis: x, y, yaw, or position and turn
    uint32_t cycle_count; // looked at
    double right_share;   // [-] 0..1 of them with right closures only
} cairn_noise;

cairn_noise_def cairn_noise_def_default(void);

// CAIRN_ERR_FULL: the scratch is too small. Without cycles all scales are 1.
CAIRN_CHECKED cairn_err cairn_noise_find(const cairn_noise_def *def, const cairn_graph *graph, cairn_arena *scratch,
                                         cairn_noise *ret_noise);
// The information of a factor whose deviations are those stated, times the scales: 6 or 21 numbers, in place.
void cairn_noise_scale(const cairn_noise *noise, uint32_t degrees, double *information);
