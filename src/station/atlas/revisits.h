// revisits.h - finds where robots have come to where they or others have been: pairs of places, one terrain map laid on
// the other.
//
// A place that waits is compared with the nearest of each other visit to the same spot: of other robots, and of its own
// robot a long way before, or a while before if its wheels have slipped since. A map in which they slipped may be bent,
// and is left out. Their terrain maps are laid on each other by correlative matching, over the same window whatever is
// believed of the two, so that agreement with the map is no foregone conclusion. What the matcher trusts is proposed to
// the candidates of the places' graph, which judge it. Where a closure is already in the graph between near neighbours
// of both, another would say the same again, of the same walls: it is not looked for.
//
// State    None: pyramids that are kept can be made again.
// Memory   From the arena at create, 9 MB.
// Threads  One owner.
#pragma once
#include "matching/correlative.h"
#include "station/atlas/atlas.h"

typedef struct cairn_revisits cairn_revisits;

typedef struct cairn_revisits_def {
    double near_m;   // places at most this far apart by the map; what is farther has drifted too far to be found
    double away_m;   // driven between two places of one robot, at least
    double slip_m;   // or deviation of odometry between them, at least,
    int64_t slip_ns; // and time: a terrain map is what was seen in the last 15 s
    double known_m;  // driven, around both ends of a closure: no other is looked for
    double sure_m,
        sure_rad;        // deviations: no closure is surer than this. Terrain maps are of seconds, and bend a little
    uint32_t tries_max;  // visits that a place is compared with, the nearest first
    uint32_t places_max; // that are tried in one step
} cairn_revisits_def;

typedef struct cairn_revisits_info {
    uint32_t place_count;                                // tried
    uint32_t match_count, trusted_count, proposed_count; // pairs
} cairn_revisits_info;

cairn_revisits_def cairn_revisits_def_default(void);
CAIRN_CHECKED cairn_err cairn_revisits_create(const cairn_revisits_def *def, cairn_arena *arena,
                                              cairn_revisits **ret_revisits);
// Tries the places that have waited longest, and proposes what it finds. Returns how many proposals it made.
uint32_t cairn_revisits_step(cairn_revisits *revisits, cairn_atlas *atlas, cairn_mission now);
cairn_revisits_info cairn_revisits_told(const cairn_revisits *revisits); // since the start
