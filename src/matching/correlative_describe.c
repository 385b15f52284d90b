// correlative_describe.c - what the scores around the best pose and elsewhere say about it.
//
// Hits fall where the scan slides off the end of the reference, though nothing speaks against such a pose: in a
// corridor they would make a peak of what is a ridge. So poses are compared by their fit: hits per point that falls
// onto what the reference knows, surface or free floor.
//
// A pose whose fit is less than the best one's by the part f counts exp(-f / width): the second moment of these about
// the peak is the covariance; the mean of those close by is the pose to a fraction of a cell. What lies farther off
// than a peak is wide is "elsewhere": the best fit there is the ambiguity.
#include "matching/correlative_parts.h"
#include <math.h>
#include <stdlib.h>

#define WIDTH 0.02         // [-] loss of fit that counts 1/e in the covariance. Larger: more uncertain everywhere
#define MEAN_WIDTH 0.04    // [-] likewise of hits, in the mean: on recorded pairs the error is least with 0.03 to 0.05
#define CUT_WIDTHS 6.0     // losses beyond count for nothing
#define LOOKED_PART 0.7    // [-] of the best hits: poses with less are not looked at
#define PEAK_M 0.6         // farther off along x or y is elsewhere
#define PEAK_RAD 0.21      // or turned by more
#define MEAN_CELLS 3       // the pose is a mean over so many cells around the best
#define MEAN_TURNS 2       // and turns
#define RIDGE_PARTS 6      // steps on the way to the best elsewhere
#define RIDGE_FIT 0.8      // [-] of its fit, so that the way is a ridge
#define CELL_VARIANCE 0.05 // cells2 or steps2: error of the mean where the peak is sharp, on recorded pairs

// Moments of what is good, in cells and turns from the peak.
typedef struct moments {
    double weight, mean[3], second[6]; // xx xy xt yy yt tt
} moments;

typedef struct describing {
    cairn_correlative *correlative;
    cairn_correlative_peak peak;
    uint32_t hits_min; // poses with less are not looked at
    double fit;        // of the peak
    int32_t peak_cells, peak_turns;
    moments close, all;
    int32_t second_turn, second_x, second_y; // the best elsewhere
    double second_fit;
} describing;

static void moments_add(moments *sums, double x, double y, double turn, double weight)
{
    sums->weight += weight;
    sums->mean[0] += weight * x, sums->mean[1] += weight * y, sums->mean[2] += weight * turn;
    sums->second[0] += weight * x * x, sums->second[1] += weight * x * y, sums->second[2] += weight * x * turn;
    sums->second[3] += weight * y * y, sums->second[4] += weight * y * turn, sums->second[5] += weight * turn * turn;
}

// Those lanes of a row that have at least so many.
static uint64_t lanes_from(const cairn_overlay_counts *counts, uint32_t row, uint32_t least)
{
    uint64_t more = 0, same = ~(uint64_t)0;
    for (int k = CAIRN_OVERLAY_BITS - 1; k >= 0; k--) {
        const uint64_t bit = counts->bits[k][row];
        if (!(least >> k & 1)) { more |= same & bit; }
        same &= least >> k & 1 ? bit : ~bit;
    }
    return more | same;
}

static uint32_t count_of(const cairn_overlay_counts *counts, uint32_t row, uint32_t lane)
{
    uint32_t count = 0;
    for (int k = 0; k < CAIRN_OVERLAY_BITS; k++) { count |= (uint32_t)(counts->bits[k][row] >> lane & 1) << k; }
    return count;
}

static void pose_add(describing *d, const cairn_correlative_peak *at, uint32_t known)
{
    const double fit = at->hits / (2.0 * known), loss = d->fit > fit ? 1 - fit / d->fit : 0;
    const int32_t x = at->x - d->peak.x, y = at->y - d->peak.y, turn = at->turn - d->peak.turn;
    if (loss < CUT_WIDTHS * WIDTH) { moments_add(&d->all, x, y, turn, exp(-loss / WIDTH)); }
    if (abs(x) <= MEAN_CELLS && abs(y) <= MEAN_CELLS && abs(turn) <= MEAN_TURNS) {
        moments_add(&d->close, x, y, turn, exp((at->hits / (double)d->peak.hits - 1) / MEAN_WIDTH));
    }
    const bool elsewhere = abs(x) > d->peak_cells || abs(y) > d->peak_cells || abs(turn) > d->peak_turns;
    if (elsewhere && fit > d->second_fit) {
        d->second_fit = fit;
        d->second_turn = turn, d->second_x = x, d->second_y = y;
    }
}

static void band_describe(describing *d, const cairn_correlative_slot *slot, uint32_t band,
                          cairn_correlative_bound *bound)
{
    cairn_correlative *correlative = d->correlative;
    if (!cairn_correlative_look(correlative, slot, band, d->hits_min, bound)) { return; }
    if (cairn_correlative_hits(*bound) < d->hits_min) { return; }
    cairn_overlay_counts known; // points on surfaces, next to them or on free floor
    cairn_correlative_known_at(correlative, slot, band * BAND_ROWS, &known);
    const uint32_t rows = cairn_correlative_rows(slot, band);
    for (uint32_t row = 0; row < rows; row++) {
        if (correlative->counts.most[row] < d->hits_min) { continue; }
        cairn_correlative_peak at = {.turn = slot->turn, .y = slot->y + (int32_t)(band * BAND_ROWS + row)};
        uint64_t rest = lanes_from(&correlative->counts, row, d->hits_min) & slot->lanes;
        for (; rest != 0; rest &= rest - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
            at.x = slot->x + (int32_t)lane;
            at.hits = count_of(&correlative->counts, row, lane);
            pose_add(d, &at, count_of(&known, row, lane));
        }
    }
}

static void slots_describe(describing *d)
{
    cairn_correlative *correlative = d->correlative;
    for (uint32_t i = 0; i < correlative->slot_count; i++) {
        const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, i);
        cairn_correlative_bound *bounds = correlative->bounds[i];
        bool is_laid = false;
        for (uint32_t band = 0; band < BANDS; band++) {
            if (cairn_correlative_hits(bounds[band]) < d->hits_min) { continue; }
            if (!is_laid) { cairn_correlative_open(correlative, i, &slot); }
            is_laid = true;
            if (cairn_correlative_hits(bounds[band]) >= d->hits_min) { band_describe(d, &slot, band, &bounds[band]); }
        }
    }
}

// The best fit at a pose and up to so many cells around it, none or one, as far as they lie in the same tile.
static double fit_at(cairn_correlative *correlative, const cairn_correlative_peak *at, int32_t around)
{
    CAIRN_ASSERT(around >= 0 && around <= 1);
    const int32_t lanes = CAIRN_OVERLAY_LANES, x = at->x + correlative->window.x_half;
    const int32_t y = at->y + correlative->window.y_half, tile = y / lanes * (int32_t)correlative->tiles_x + x / lanes;
    const uint32_t turn = (uint32_t)(at->turn + correlative->window.turn_half);
    const uint32_t index = (uint32_t)tile * correlative->turn_count + turn;
    const cairn_correlative_slot slot = cairn_correlative_slot_at(correlative, index);
    const int32_t first = y % lanes > 0 ? y % lanes - 1 : 0; // of four rows
    cairn_overlay_counts known, hits;
    cairn_correlative_open(correlative, index, &slot);
    cairn_correlative_known_at(correlative, &slot, (uint32_t)first, &known);
    cairn_correlative_hits_at(correlative, &slot, (uint32_t)first, &hits);
    double best = 0;
    for (int32_t row = y % lanes - around; row <= y % lanes + around; row++) {
        for (int32_t lane = x % lanes - around; lane <= x % lanes + around; lane++) {
            if (row < 0 || row >= (int32_t)slot.row_count || lane < 0 || lane >= lanes) { continue; }
            const uint32_t points = count_of(&known, (uint32_t)(row - first), (uint32_t)lane);
            const uint32_t two = count_of(&hits, (uint32_t)(row - first), (uint32_t)lane);
            best = points > 0 ? fmax(best, two / (2.0 * points)) : best;
        }
    }
    return best;
}

// Covariance from the second moments, in metres and radians; at least what a cell and a step leave open.
static void information_set(const describing *d, cairn_match *match)
{
    const double cell_m = d->correlative->reference->cell_m, step_rad = d->correlative->window.step_rad;
    const double *s = d->all.second, part = 1 / d->all.weight, mixed = part * cell_m * step_rad;
    const double m2 = part * cell_m * cell_m, rad2 = part * step_rad * step_rad;
    const double least_m2 = CELL_VARIANCE * cell_m * cell_m, least_rad2 = CELL_VARIANCE * step_rad * step_rad;
    const double covariance[9] = {m2 * s[0] + least_m2,    m2 * s[1],    mixed * s[2], m2 * s[1],
                                  m2 * s[3] + least_m2,    mixed * s[4], mixed * s[2], mixed * s[4],
                                  rad2 * s[5] + least_rad2};
    const bool inverted = cairn_symmetric3_invert(covariance, match->information);
    CAIRN_ASSERT(inverted); // a sum of squares, and more than zero
    cairn_match_set_weakness(match);
}

static void pose_set(const describing *d, cairn_match *match)
{
    const cairn_correlative_window *window = &d->correlative->window;
    const double cell_m = d->correlative->reference->cell_m, part = 1 / d->close.weight;
    match->pose = (cairn_pose2){
        window->centre.x_m + cell_m * (d->peak.x + part * d->close.mean[0]),
        window->centre.y_m + cell_m * (d->peak.y + part * d->close.mean[1]),
        cairn_angle_wrap(window->centre.yaw_rad + window->step_rad * (d->peak.turn + part * d->close.mean[2]))};
}

// Part of one's surface points that lie where the other saw free floor, of those that lie on something it knows.
static double free_part(const cairn_pyramid *map, const cairn_pyramid *points, cairn_pose2 map_T_points)
{
    const double c = cos(map_T_points.yaw_rad), s = sin(map_T_points.yaw_rad);
    uint32_t known = 0, near = 0;
    for (uint32_t i = 0; i < points->point_count; i++) {
        const double x_m = map_T_points.x_m + c * points->x_m[i] - s * points->y_m[i] - map->origin_m.x;
        const double y_m = map_T_points.y_m + s * points->x_m[i] + c * points->y_m[i] - map->origin_m.y;
        const int32_t x = (int32_t)floor(x_m / map->cell_m), y = (int32_t)floor(y_m / map->cell_m);
        known += cairn_pyramid_bit(map, map->known, x, y);
        near += cairn_pyramid_bit(map, map->near, x, y);
    }
    return known > 0 ? (double)(known - near) / known : 0;
}

static double deviation_largest(const cairn_match *match)
{
    double covariance[9];
    cairn_match_covariance(match, covariance);
    const double mean = 0.5 * (covariance[0] + covariance[4]), apart = 0.5 * (covariance[0] - covariance[4]);
    return sqrt(mean + hypot(apart, covariance[1]));
}

// Where there is nothing to search there is no edge either.
static bool is_edge(int32_t at, int32_t half) { return half > 0 && abs(at) == half; }

static bool is_at_edge(const describing *d)
{
    const cairn_correlative_window *window = &d->correlative->window;
    return is_edge(d->peak.x, window->x_half) || is_edge(d->peak.y, window->y_half) ||
           is_edge(d->peak.turn, window->turn_half);
}

// What is good elsewhere belongs to the same ridge if the way there is good all along.
static bool is_ridge(const describing *d)
{
    for (int32_t i = 1; i < RIDGE_PARTS; i++) {
        const cairn_correlative_peak at = {.turn = d->peak.turn + d->second_turn * i / RIDGE_PARTS,
                                           .x = d->peak.x + d->second_x * i / RIDGE_PARTS,
                                           .y = d->peak.y + d->second_y * i / RIDGE_PARTS};
        if (fit_at(d->correlative, &at, 1) < RIDGE_FIT * d->second_fit) { return false; }
    }
    return true;
}

static uint8_t doubts_of(const describing *d, cairn_match *match)
{
    const cairn_correlative_def *def = &d->correlative->def;
    const cairn_pyramid *reference = d->correlative->reference, *scan = d->correlative->scan;
    const double free =
        fmax(free_part(reference, scan, match->pose), free_part(scan, reference, cairn_pose2_inverse(match->pose)));
    uint8_t doubts = 0;
    match->contradicted = free;
    if (d->peak.hits < 2 * def->point_count_min) { doubts |= CAIRN_MATCH_TOO_FEW; }
    if (match->score - free < def->margin_min) { doubts |= CAIRN_MATCH_CONTRADICTED; }
    if (match->ambiguity > def->ambiguity_max && !is_ridge(d)) {
        doubts |= CAIRN_MATCH_SECOND_PEAK;
    } else if (match->ambiguity > def->ambiguity_max || deviation_largest(match) > def->slide_m_max) {
        doubts |= CAIRN_MATCH_SLIDES;
    }
    if (is_at_edge(d)) { doubts |= CAIRN_MATCH_AT_EDGE; }
    return doubts;
}

static void peak_describe(cairn_correlative *correlative, const cairn_correlative_peak *peak, cairn_match *match)
{
    describing d = {.correlative = correlative,
                    .peak = *peak,
                    .hits_min = (uint32_t)ceil(LOOKED_PART * peak->hits),
                    .fit = fit_at(correlative, peak, 0),
                    .peak_cells = (int32_t)ceil(PEAK_M / correlative->reference->cell_m),
                    .peak_turns = (int32_t)ceil(PEAK_RAD / correlative->window.step_rad)};
    slots_describe(&d);
    match->score = peak->hits / (2.0 * correlative->scan->point_count);
    match->ambiguity = fmin(1, d.second_fit / d.fit);
    pose_set(&d, match);
    information_set(&d, match);
    match->doubts = doubts_of(&d, match);
}

void cairn_match_correlative(cairn_correlative *correlative, const cairn_pyramid *reference, const cairn_pyramid *scan,
                             const cairn_match_prior *prior, cairn_match *ret_match)
{
    const cairn_correlative_window window = cairn_correlative_window_for(correlative, reference, scan, prior);
    const uint32_t hits_min = (uint32_t)(correlative->def.score_min * 2 * scan->point_count);
    cairn_match match = {.pose = prior->pose, .point_count = scan->point_count, .weakness = 1};
    cairn_correlative_peak peak;
    if (scan->point_count < correlative->def.point_count_min ||
        reference->surface_count < correlative->def.point_count_min) {
        match.doubts = CAIRN_MATCH_TOO_FEW;
    } else if (!cairn_correlative_search(correlative, reference, scan, &window, hits_min, &peak)) {
        match.doubts = CAIRN_MATCH_POOR;
    } else {
        peak_describe(correlative, &peak, &match);
    }
    match.is_trusted = match.doubts == 0;
    match.iteration_count = correlative->looked_count;
    *ret_match = match;
}
