// up_detector.h - which cells are too high to be driven onto: only the higher side of a step is marked.
//
// A cell is an obstacle if its highest return is more than slope * l + step_m above the lowest return of a cell that is
// l metres away along x and y (Manhattan), at most rounds + 1 cells; or of its own. Found by messages between
// neighbours: the cost does not grow with the number of pairs.
//
// Source   Olson et al. 2012 (Magic), 5.3, whose printed rule cannot be meant as it stands: docs/terrain.md.
#pragma once
#include "terrain/heights.h"

typedef struct cairn_up_def {
    double slope;    // [-] a: steepest slope that the robot drives
    double step_m;   // b: highest step that the robot drives; below a few deviations of the noise, ground is marked
    uint32_t rounds; // of messages, 0 to 16; more finds steps across wider gaps, and costs a pass each
} cairn_up_def;

cairn_up_def cairn_up_def_default(void);

// lows: CAIRN_HEIGHT_NONE where nothing was seen; tops: -CAIRN_HEIGHT_NONE. ret_up: a byte a cell, 1 where it is an
// obstacle. Scratch is reset on return; CAIRN_ERR_FULL if it has no room for two heights a cell. O(cells * rounds).
CAIRN_CHECKED cairn_err cairn_up_detect(const cairn_terrain_area *area, const cairn_up_def *def, const int32_t *low_um,
                                        const int32_t *top_um, cairn_arena *scratch, uint8_t *ret_up);
