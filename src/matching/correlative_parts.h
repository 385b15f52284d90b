// correlative_parts.h - what the files of the correlative matcher share; for nobody else.
#pragma once
#include "matching/correlative.h"

#define BANDS CAIRN_OVERLAY_BLOCKS
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

// No translation of a band has more points near surfaces, nor more hits than both together.
typedef struct cairn_correlative_bound {
    uint16_t near, on;
} cairn_correlative_bound;

struct cairn_correlative {
    cairn_correlative_def def;
    cairn_overlay_place_fn place;
    cairn_overlay_count_fn count;
    cairn_overlay_bound_fn bound;

    // One search.
    const cairn_pyramid *reference, *scan;
    cairn_correlative_window window;
    uint32_t turn_count, tiles_x, tiles_y, slot_count, place_count;
    uint32_t looked_count; // bands
    cairn_correlative_bound bounds[CAIRN_CORRELATIVE_SLOTS_MAX][BANDS];
    bool is_open[CAIRN_CORRELATIVE_SLOTS_MAX]; // its bounds are those of near and on, not of near alone
    uint16_t first_slot[CAIRN_CORRELATIVE_HITS_MAX + 1], next_slot[CAIRN_CORRELATIVE_SLOTS_MAX]; // by first bound
    cairn_overlay_spots cells, blocks; // where the scan lies, by its last slot
    cairn_overlay_counts counts;
};

static inline uint32_t cairn_correlative_hits(cairn_correlative_bound bound) { return (uint32_t)bound.near + bound.on; }

cairn_correlative_slot cairn_correlative_slot_at(const cairn_correlative *correlative, uint32_t slot);
// Lays the scan on the reference as the slot says, and bounds its bands closely.
void cairn_correlative_open(cairn_correlative *correlative, uint32_t index, const cairn_correlative_slot *slot);
// Exact hits for a band of the slot that was opened last, in counts, and its bound. False if there cannot be as many as
// hits_min: then only the bound is closer.
bool cairn_correlative_look(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band,
                            uint32_t hits_min, cairn_correlative_bound *bound);
// How many rows of a band are in the window.
uint32_t cairn_correlative_rows(const cairn_correlative_slot *slot, uint32_t band);
// Hits, and points of the scan on what the reference knows, for four rows of the slot that was opened last.
void cairn_correlative_hits_at(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t row,
                               cairn_overlay_counts *ret_hits);
void cairn_correlative_known_at(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t row,
                                cairn_overlay_counts *ret_known);
// The largest count of a row among these lanes, and the lanes that have it.
uint64_t cairn_correlative_most(const cairn_overlay_counts *counts, uint32_t row, uint64_t lanes, uint32_t *ret_most);
