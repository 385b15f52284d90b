// correlative_parts.h - what the files of the correlative matcher share; for nobody else.
#pragma once
#include "matching/correlative.h"

#define BANDS 8
#define BAND_ROWS CAIRN_OVERLAY_ROWS
#define CAIRN_CORRELATIVE_HITS_MAX (2u * CAIRN_OVERLAY_POINTS_MAX)
#define NO_SLOT UINT16_MAX
// 128 cells each way are 257: five tiles a side.
#define CAIRN_CORRELATIVE_SLOTS_MAX (25u * CAIRN_CORRELATIVE_ANGLES_MAX)

// One turn of one tile.
typedef struct cairn_correlative_slot {
    int32_t turn, x, y; // of its first translation, from the window's centre
    uint64_t lanes;     // translations along x that are in the window
    uint32_t row_count; // and rows
} cairn_correlative_slot;

struct cairn_correlative {
    cairn_correlative_def def;
    cairn_overlay_place_fn place;
    cairn_overlay_count_fn count;

    // One search.
    const cairn_pyramid *reference, *scan;
    cairn_correlative_window window;
    uint32_t turn_count, tiles_x, tiles_y, slot_count, place_count;
    uint32_t looked_count;                               // bands
    uint16_t bounds[CAIRN_CORRELATIVE_SLOTS_MAX][BANDS]; // no translation of the band has more hits
    bool is_open[CAIRN_CORRELATIVE_SLOTS_MAX];           // its bounds are those of near8 and on8
    uint16_t first_slot[CAIRN_CORRELATIVE_HITS_MAX + 1], next_slot[CAIRN_CORRELATIVE_SLOTS_MAX]; // by first bound
    cairn_overlay_places places;
    cairn_overlay_counts counts;
};

cairn_correlative_slot cairn_correlative_slot_at(const cairn_correlative *correlative, uint32_t slot);
// Lays the scan on the reference as the slot says, and bounds its bands closely.
void cairn_correlative_open(cairn_correlative *correlative, uint32_t index, const cairn_correlative_slot *slot);
// Exact hits for a band of the slot that was opened last, in counts; returns how many of its rows are in the window.
uint32_t cairn_correlative_look(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band);
// Points of the scan on what the reference knows, surface or free floor, for the same.
void cairn_correlative_known(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band,
                             cairn_overlay_counts *ret_counts);
// The largest count of a row among these lanes, and the lanes that have it.
uint64_t cairn_correlative_most(const cairn_overlay_counts *counts, uint32_t row, uint64_t lanes, uint32_t *ret_most);
