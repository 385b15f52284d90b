// correlative.c - branch and bound over turns and bands of rows.
//
// The window is cut into tiles of 64 x 64 translations. A slot is one turn of one tile; it has eight bands of eight
// rows.
//   1. bound: for each slot, points that could be next to a surface, counted on near8: twice that bounds each band.
//   2. open, best bound first: the most hits on near8 plus the most on on8 bound each band more closely. Counting both
//      together bounds closer still; tried and dropped, since it looks at a tenth fewer bands and costs a plane more.
//   3. look: near and on, the exact scores of the 512 translations of a band.
#include "matching/correlative.h"
#include "matching/correlative_parts.h"
#include <math.h>
#include <string.h>

static const cairn_kernel place_kernel = {"overlay place", CAIRN_KERNEL_VARIANTS(cairn_overlay_place)};
static const cairn_kernel count_kernel = {"overlay count", CAIRN_KERNEL_VARIANTS(cairn_overlay_count)};

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

// Lays the scan on the reference for a slot's turn and first translation.
static void slot_place(cairn_correlative *correlative, const cairn_correlative_slot *slot)
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
        .rows = reference->rows};
    correlative->place(scan->x_m, scan->y_m, correlative->place_count, &pose, &correlative->places);
}

static void slots_bound(cairn_correlative *correlative)
{
    const cairn_pyramid *reference = correlative->reference;
    memset(correlative->first_slot, 0xff, sizeof correlative->first_slot);
    for (uint32_t i = 0; i < correlative->slot_count; i++) {
        const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, i);
        slot_place(correlative, &slot);
        correlative->count(reference->near8, NULL, reference->rows, correlative->places.by_eighths,
                           correlative->place_count, slot.lanes, &correlative->counts);
        uint32_t most = 0;
        for (uint32_t band = 0; band < BANDS; band++) {
            const uint32_t bound = band * BAND_ROWS < slot.row_count ? 2 * (uint32_t)correlative->counts.most[band] : 0;
            correlative->bounds[i][band] = (uint16_t)bound;
            most = bound > most ? bound : most;
        }
        correlative->is_open[i] = false;
        correlative->next_slot[i] = correlative->first_slot[most];
        correlative->first_slot[most] = (uint16_t)i;
    }
}

void cairn_correlative_open(cairn_correlative *correlative, uint32_t index, const cairn_correlative_slot *slot)
{
    const cairn_pyramid *reference = correlative->reference;
    slot_place(correlative, slot);
    if (correlative->is_open[index]) { return; }
    correlative->count(reference->on8, NULL, reference->rows, correlative->places.by_eighths, correlative->place_count,
                       slot->lanes, &correlative->counts);
    for (uint32_t band = 0; band < BANDS && band * BAND_ROWS < slot->row_count; band++) {
        const uint32_t bound = correlative->bounds[index][band] / 2 + (uint32_t)correlative->counts.most[band];
        correlative->bounds[index][band] = (uint16_t)bound;
    }
    correlative->is_open[index] = true;
}

uint32_t cairn_correlative_look(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band)
{
    const cairn_pyramid *reference = correlative->reference;
    const size_t first_row = (size_t)band * BAND_ROWS;
    correlative->count(reference->near + first_row, reference->on + first_row, reference->rows,
                       correlative->places.in_order, correlative->place_count, slot->lanes, &correlative->counts);
    correlative->looked_count++;
    const uint32_t rows = slot->row_count - band * BAND_ROWS;
    return rows < BAND_ROWS ? rows : BAND_ROWS;
}

void cairn_correlative_known(cairn_correlative *correlative, const cairn_correlative_slot *slot, uint32_t band,
                             cairn_overlay_counts *ret_counts)
{
    const cairn_pyramid *reference = correlative->reference;
    const size_t first_row = (size_t)band * BAND_ROWS;
    correlative->count(reference->near + first_row, reference->free + first_row, reference->rows,
                       correlative->places.in_order, correlative->place_count, slot->lanes, ret_counts);
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
                     uint16_t *ret_bound, cairn_correlative_peak *best)
{
    const uint32_t rows = cairn_correlative_look(correlative, slot, band);
    uint32_t most = 0, row = 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (correlative->counts.most[i] > most) { most = (uint32_t)correlative->counts.most[i], row = i; }
    }
    *ret_bound = (uint16_t)most;
    if (most <= best->hits) { return; }
    const uint64_t lanes = cairn_correlative_most(&correlative->counts, row, slot->lanes, &most);
    *best = (cairn_correlative_peak){.turn = slot->turn,
                                     .x = slot->x + __builtin_ctzll(lanes),
                                     .y = slot->y + (int32_t)(band * BAND_ROWS + row),
                                     .hits = most};
}

static void slot_try(cairn_correlative *correlative, uint32_t index, cairn_correlative_peak *best)
{
    const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, index);
    uint16_t *bounds = correlative->bounds[index];
    cairn_correlative_open(correlative, index, &slot);
    uint32_t looked = 0;
    for (;;) {
        uint32_t band = BANDS, most = best->hits;
        for (uint32_t i = 0; i < BANDS; i++) {
            if (bounds[i] > most && !(looked >> i & 1)) { most = bounds[i], band = i; }
        }
        if (band == BANDS) { return; }
        band_try(correlative, &slot, band, &bounds[band], best);
        looked |= 1u << band;
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
