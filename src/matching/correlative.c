// correlative.c - branch and bound over turns and bands of rows.
//
// The window is cut into tiles of 64 x 64 translations. A slot is one turn of one tile; it has 16 bands of four rows.
//   1. bound: for each slot, points that could be next to a surface, counted by blocks: twice that bounds each band.
//   2. open, best bound first: those that could be on a surface, likewise: both together bound each band more closely.
//      Counting both in one would bound closer still, but by a count of intel's pairs spares only 6 % of the bands, and
//      costs a plane more.
//   3. look: near, the exact counts of the 256 translations of a band. That rules out six in ten or more of them.
//   4. on: the exact scores.
#include "matching/correlative.h"
#include "matching/correlative_parts.h"
#include <math.h>
#include <string.h>

static const cairn_kernel place_kernel = {"overlay place", CAIRN_KERNEL_VARIANTS(cairn_overlay_place)};
static const cairn_kernel count_kernel = {"overlay count", CAIRN_KERNEL_VARIANTS(cairn_overlay_count)};
static const cairn_kernel bound_kernel = {"overlay bound", CAIRN_KERNEL_VARIANTS(cairn_overlay_bound)};

cairn_correlative_def cairn_correlative_def_default(void)
{
    return (cairn_correlative_def){.window_m = 3,
                                   .window_rad = 0.25 * CAIRN_PI,
                                   .window_deviations = 3,
                                   .score_min = 0.4,
                                   .margin_min = 0.2,
                                   .ambiguity_max = 0.96,
                                   .slide_m_max = 0.4,
                                   .point_count_min = 40};
}

cairn_err cairn_correlative_create(const cairn_correlative_def *def, cairn_arena *arena,
                                   cairn_correlative **ret_correlative)
{
    CAIRN_ASSERT(def->window_m > 0 && def->window_rad > 0 && def->window_deviations > 0 && def->score_min >= 0);
    cairn_correlative *correlative = CAIRN_TAKE(arena, cairn_correlative, 1);
    if (correlative == NULL) { return CAIRN_ERR_FULL; }
    correlative->def = *def;
    correlative->place = (cairn_overlay_place_fn)cairn_dispatch(&place_kernel, cairn_isa_best());
    correlative->count = (cairn_overlay_count_fn)cairn_dispatch(&count_kernel, cairn_isa_best());
    correlative->bound = (cairn_overlay_bound_fn)cairn_dispatch(&bound_kernel, cairn_isa_best());
    *ret_correlative = correlative;
    return CAIRN_OK;
}

cairn_correlative_window cairn_correlative_window_for(const cairn_correlative *correlative,
                                                      const cairn_pyramid *reference, const cairn_pyramid *scan,
                                                      const cairn_match_prior *prior)
{
    const cairn_correlative_def *def = &correlative->def;
    const double *covariance = prior->covariance, deviations = def->window_deviations;
    const double x_m = fmin(def->window_m, deviations * sqrt(covariance[0]));
    const double y_m = fmin(def->window_m, deviations * sqrt(covariance[4]));
    const double turn_rad = fmin(fmin(def->window_rad, CAIRN_PI), deviations * sqrt(covariance[8]));
    const double radius_m = fmax(scan->radius_m, reference->cell_m);
    const double step_rad =
        fmin(CAIRN_CORRELATIVE_STEP_RAD_MAX, fmax(CAIRN_CORRELATIVE_STEP_RAD_MIN, 2 * reference->cell_m / radius_m));
    const double cells_max = CAIRN_CORRELATIVE_HALF_CELLS_MAX;
    return (cairn_correlative_window){.centre = prior->pose,
                                      .step_rad = step_rad,
                                      .turn_half = (int32_t)ceil(turn_rad / step_rad - 1e-9),
                                      .x_half = (int32_t)fmin(cells_max, ceil(x_m / reference->cell_m - 1e-9)),
                                      .y_half = (int32_t)fmin(cells_max, ceil(y_m / reference->cell_m - 1e-9))};
}

static void search_begin(cairn_correlative *correlative, const cairn_pyramid *reference, const cairn_pyramid *scan,
                         const cairn_correlative_window *window)
{
    CAIRN_ASSERT(window->x_half >= 0 && window->x_half <= CAIRN_CORRELATIVE_HALF_CELLS_MAX);
    CAIRN_ASSERT(window->y_half >= 0 && window->y_half <= CAIRN_CORRELATIVE_HALF_CELLS_MAX);
    CAIRN_ASSERT(window->turn_half >= 0 && 2 * window->turn_half < CAIRN_CORRELATIVE_ANGLES_MAX);
    correlative->reference = reference;
    correlative->scan = scan;
    correlative->window = *window;
    correlative->turn_count = 2 * (uint32_t)window->turn_half + 1;
    correlative->tiles_x = (2 * (uint32_t)window->x_half) / CAIRN_OVERLAY_LANES + 1;
    correlative->tiles_y = (2 * (uint32_t)window->y_half) / CAIRN_OVERLAY_LANES + 1;
    correlative->slot_count = correlative->turn_count * correlative->tiles_x * correlative->tiles_y;
    correlative->place_count = (scan->point_count + 15) & ~15u;
    correlative->looked_count = 0;
}

cairn_correlative_slot cairn_correlative_slot_at(const cairn_correlative *correlative, uint32_t slot)
{
    const cairn_correlative_window *window = &correlative->window;
    const uint32_t tile = slot / correlative->turn_count, turn = slot % correlative->turn_count;
    const int32_t x = (int32_t)(tile % correlative->tiles_x * CAIRN_OVERLAY_LANES) - window->x_half;
    const int32_t y = (int32_t)(tile / correlative->tiles_x * CAIRN_OVERLAY_LANES) - window->y_half;
    const int32_t lanes = window->x_half - x + 1, rows = window->y_half - y + 1;
    return (cairn_correlative_slot){
        .turn = (int32_t)turn - window->turn_half,
        .x = x,
        .y = y,
        .lanes = lanes >= CAIRN_OVERLAY_LANES ? ~(uint64_t)0 : ((uint64_t)1 << lanes) - 1,
        .row_count = rows < CAIRN_OVERLAY_LANES ? (uint32_t)rows : CAIRN_OVERLAY_LANES,
    };
}

// Lays the scan on the reference for a slot's turn and first translation. Either of the two may be NULL.
static void slot_place(const cairn_correlative *correlative, const cairn_correlative_slot *slot,
                       cairn_overlay_spots *ret_cells, cairn_overlay_spots *ret_blocks)
{
    const cairn_pyramid *reference = correlative->reference, *scan = correlative->scan;
    const cairn_correlative_window *window = &correlative->window;
    const double yaw_rad = window->centre.yaw_rad + slot->turn * window->step_rad, cell_m = reference->cell_m;
    const cairn_overlay_pose pose = {
        .cosine = (float)(cos(yaw_rad) / cell_m),
        .sine = (float)(sin(yaw_rad) / cell_m),
        .x = (float)((window->centre.x_m - reference->origin_m.x) / cell_m + CAIRN_OVERLAY_OFFSET),
        .y = (float)((window->centre.y_m - reference->origin_m.y) / cell_m + CAIRN_OVERLAY_OFFSET),
        .move_x = slot->x + CAIRN_OVERLAY_MARGIN - CAIRN_OVERLAY_OFFSET,
        .move_y = slot->y + CAIRN_OVERLAY_MARGIN - CAIRN_OVERLAY_OFFSET,
        .x_max = (int32_t)reference->width + CAIRN_OVERLAY_MARGIN + 1,
        .y_max = (int32_t)reference->height + CAIRN_OVERLAY_MARGIN + 1,
        .rows = reference->rows,
        .block_rows = reference->block_rows};
    correlative->place(scan->x_m, scan->y_m, correlative->place_count, &pose, ret_cells, ret_blocks);
}

// The most hits on a plane of blocks in each band, 0 for those outside the window.
static void bands_bound(cairn_correlative *correlative, const cairn_correlative_slot *slot, const uint16_t *blocks,
                        cairn_overlay_bounds *ret_bounds)
{
    uint16_t mask = 0;
    for (uint32_t x = 0; x < CAIRN_OVERLAY_BLOCKS; x++) { mask |= (uint16_t)((slot->lanes >> 4 * x & 1) << x); }
    correlative->bound(blocks, correlative->reference->block_rows, &correlative->blocks, correlative->place_count, mask,
                       ret_bounds);
    for (uint32_t band = (slot->row_count + BAND_ROWS - 1) / BAND_ROWS; band < BANDS; band++) {
        ret_bounds->most[band] = 0;
    }
}

static void slots_bound(cairn_correlative *correlative)
{
    memset(correlative->first_slot, 0xff, sizeof correlative->first_slot);
    for (uint32_t i = 0; i < correlative->slot_count; i++) {
        const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, i);
        slot_place(correlative, &slot, NULL, &correlative->blocks);
        cairn_overlay_bounds near;
        bands_bound(correlative, &slot, correlative->reference->near_blocks, &near);
        uint32_t most = 0;
        for (uint32_t band = 0; band < BANDS; band++) {
            const uint16_t points = near.most[band];
            correlative->bounds[i][band] = (cairn_correlative_bound){points, points};
            most = points > most ? points : most;
        }
        correlative->is_open[i] = false;
        correlative->next_slot[i] = correlative->first_slot[2 * most];
        correlative->first_slot[2 * most] = (uint16_t)i;
    }
}

void cairn_correlative_open(cairn_correlative *correlative, uint32_t index, const cairn_correlative_slot *slot)
{
    const bool is_open = correlative->is_open[index];
    slot_place(correlative, slot, &correlative->cells, is_open ? NULL : &correlative->blocks);
    if (is_open) { return; }
    cairn_overlay_bounds on;
    bands_bound(correlative, slot, correlative->reference->on_blocks, &on);
    for (uint32_t band = 0; band < BANDS; band++) { correlative->bounds[index][band].on = on.most[band]; }
    correlative->is_open[index] = true;
}

uint32_t cairn_correlative_rows(const cairn_correlative_slot *slot, uint32_t band)
{
    const uint32_t rows = slot->row_count - band * BAND_ROWS;
    return rows < BAND_ROWS ? rows : BAND_ROWS;
}

// Counts over a plane, from a row of the slot on, added to those before (or NULL).
static void rows_count(cairn_correlative *correlative, const cairn_correlative_slot *slot, const uint64_t *plane,
                       uint32_t row, const cairn_overlay_counts *before, cairn_overlay_counts *ret_counts)
{
    correlative->count(plane + row, correlative->reference->rows, &correlative->cells, correlative->place_count,
                       slot->lanes, before, ret_counts);
}

void cairn_correlative_hits_at(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t row,
                               cairn_overlay_counts *ret_hits)
{
    rows_count(correlative, slot, correlative->reference->near, row, NULL, ret_hits);
    rows_count(correlative, slot, correlative->reference->on, row, ret_hits, ret_hits);
}

void cairn_correlative_known_at(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t row,
                                cairn_overlay_counts *ret_known)
{
    rows_count(correlative, slot, correlative->reference->known, row, NULL, ret_known);
}

static uint16_t most_of_rows(const cairn_overlay_counts *counts, uint32_t rows)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < rows; i++) { most = counts->most[i] > most ? counts->most[i] : most; }
    return (uint16_t)most;
}

bool cairn_correlative_look(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band,
                            uint32_t hits_min, cairn_correlative_bound *bound)
{
    const cairn_pyramid *reference = correlative->reference;
    cairn_overlay_counts *counts = &correlative->counts;
    const uint32_t rows = cairn_correlative_rows(slot, band);
    correlative->looked_count++;
    rows_count(correlative, slot, reference->near, band * BAND_ROWS, NULL, counts);
    const uint16_t near = most_of_rows(counts, rows), on = bound->on < near ? bound->on : near;
    *bound = (cairn_correlative_bound){near, on};
    if (cairn_correlative_hits(*bound) < hits_min) { return false; }
    rows_count(correlative, slot, reference->on, band * BAND_ROWS, counts, counts);
    bound->on = (uint16_t)(most_of_rows(counts, rows) - near);
    return true;
}

uint64_t cairn_correlative_most(const cairn_overlay_counts *counts, uint32_t row, uint64_t lanes, uint32_t *ret_most)
{
    uint64_t rest = lanes;
    *ret_most = 0;
    for (int k = CAIRN_OVERLAY_BITS - 1; k >= 0; k--) {
        const uint64_t have = rest & counts->bits[k][row];
        if (have == 0) { continue; }
        rest = have;
        *ret_most |= 1u << k;
    }
    return rest;
}

// Looks at a band and takes its best translation if it beats the best so far.
static void band_try(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band,
                     cairn_correlative_bound *bound, cairn_correlative_peak *best)
{
    if (!cairn_correlative_look(correlative, slot, band, best->hits + 1, bound)) { return; }
    uint32_t most = cairn_correlative_hits(*bound), row = 0;
    if (most <= best->hits) { return; }
    while (correlative->counts.most[row] != most) { row++; }
    const uint64_t lanes = cairn_correlative_most(&correlative->counts, row, slot->lanes, &most);
    *best = (cairn_correlative_peak){.turn = slot->turn,
                                     .x = slot->x + __builtin_ctzll(lanes),
                                     .y = slot->y + (int32_t)(band * BAND_ROWS + row),
                                     .hits = most};
}

static void slot_try(cairn_correlative *correlative, uint32_t index, cairn_correlative_peak *best)
{
    const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, index);
    cairn_correlative_bound *bounds = correlative->bounds[index];
    cairn_correlative_open(correlative, index, &slot);
    for (;;) {
        uint32_t band = BANDS, most = best->hits;
        for (uint32_t i = 0; i < BANDS; i++) {
            const uint32_t hits = cairn_correlative_hits(bounds[i]);
            if (hits > most) { most = hits, band = i; }
        }
        if (band == BANDS) { return; }
        // Afterwards its bound is not above the best: no band is looked at twice.
        band_try(correlative, &slot, band, &bounds[band], best);
    }
}

bool cairn_correlative_search(cairn_correlative *correlative, const cairn_pyramid *reference, const cairn_pyramid *scan,
                              const cairn_correlative_window *window, uint32_t hits_min,
                              cairn_correlative_peak *ret_peak)
{
    search_begin(correlative, reference, scan, window);
    if (scan->point_count == 0) { return false; }
    slots_bound(correlative);
    cairn_correlative_peak best = {.hits = hits_min};
    for (uint32_t bound = CAIRN_CORRELATIVE_HITS_MAX; bound > best.hits; bound--) {
        for (uint16_t i = correlative->first_slot[bound]; i != NO_SLOT && bound > best.hits;
             i = correlative->next_slot[i]) {
            slot_try(correlative, i, &best);
        }
    }
    if (best.hits <= hits_min) { return false; }
    *ret_peak = best;
    return true;
}
