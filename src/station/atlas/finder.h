// finder.h - finds on the map of all where a stretch of a trail lies that nobody can connect: its robot was carried, or
// lost its place, or was started again elsewhere.
//
// Some of the stretch's terrain maps are laid on the raster, each anywhere on what is known and turned by anything.
// What fits is a guess; each guess is then asked of all these maps. It is found where
//   - all of the maps that were asked, but at most one, lie there without any doubt of the matcher's, and agree,
//   - and nothing else on the map fits nearly as well.
// Otherwise it waits: for other maps of the stretch, or for more of the raster.
//
// Not seen  That the robot is in a room that nobody has mapped and that looks like one that is mapped. The more of its
//           surroundings its maps show the less likely that is.
// Cost      A step looks at CAIRN_FINDER_WINDOWS windows at most (some milliseconds), a search of one stretch at
//           about 3,000 for 1,000 m2.
// State     cairn_search: saved and hashed with the station. The rest is scratch.
// Memory    From the arena at create, about 4 MB.
// Threads   One owner.
#pragma once
#include "station/atlas/atlas.h"

#define CAIRN_FINDER_MAPS 4     // of a stretch that are laid on the raster
#define CAIRN_FINDER_GUESSES 64 // the best are kept. More: slower; fewer: a large building that repeats itself has more
#define CAIRN_FINDER_WINDOWS 160 // in a step

typedef struct cairn_search_guess {
    cairn_pose2 map_T_first; // of the first map's rows
    double score;        // [-] 0..1 of the map that guessed it; once all were asked, their mean, less what contradicts
    uint32_t sure_count; // maps that lie there without a doubt
} cairn_search_guess;

typedef struct cairn_search {
    uint32_t head;                           // the first place of the stretch; CAIRN_PLACE_NONE: none is looked for
    uint32_t last_head;                      // that was looked for
    uint32_t told_head;                      // of which people know that it looks like several places
    cairn_mono ended;                        // its search
    uint32_t map_count;                      // at least CAIRN_FINDER_MAPS - 1 while there is a head
    uint32_t nodes[CAIRN_FINDER_MAPS];       // of the robot, whose maps they are
    uint32_t x_min, y_min, width, height;    // cells of the raster that were known when it began
    uint32_t map_at, window_at, asked_count; // what comes next
    uint32_t hits_best[CAIRN_FINDER_MAPS];
    uint32_t guess_count;
    cairn_search_guess guesses[CAIRN_FINDER_GUESSES];
} cairn_search;

typedef enum cairn_search_news {
    CAIRN_SEARCH_GOES_ON,
    CAIRN_SEARCH_FOUND,
    CAIRN_SEARCH_ALIKE,   // several places fit as well as each other
    CAIRN_SEARCH_NOWHERE, // nothing fits
} cairn_search_news;

typedef struct cairn_search_result {
    uint32_t head;
    uint32_t alike_count;    // places that fit
    cairn_pose2 map_T_last;  // found: where the newest of the maps was seen from
    cairn_atlas_found found; // likewise
} cairn_search_result;

typedef struct cairn_finder cairn_finder;
CAIRN_CHECKED cairn_err cairn_finder_create(cairn_arena *arena, cairn_finder **ret_finder);
// Goes on with the search, or begins one; a stretch that was not found is looked for again ten seconds after. What is
// found is for the caller to settle (cairn_atlas_settle).
cairn_search_news cairn_finder_step(cairn_finder *finder, cairn_search *search, const cairn_atlas *atlas,
                                    cairn_mono now, cairn_search_result *ret_result);
void cairn_search_walk(cairn_archive *archive, cairn_search *search, const cairn_atlas *atlas);
