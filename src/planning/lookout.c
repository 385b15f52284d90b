// lookout.c - where to stand to look at what is still unseen.
//
// The other way round: from sampled cells of a cluster rays go out over free ground, and the cheapest reached cell on
// each is a candidate. The rays are the same for every cell, so they are tables of offsets; a copy of the ground with a
// rim that stops rays spares the test for the edge of the map. The cheapest candidate with an exact line of sight sets
// the price; dearer ones may win by a better view, but only within what that is worth.
#include "geometry/rays.h"
#include "planning/clusters.h"
#include "planning/observe.h"
#include <string.h>

#define DIRECTIONS 32  // more: finer choice of stands, more time
#define SAMPLES_MAX 10 // cells of a cluster that are looked at; more: better stands for large clusters, more time
#define ATTEMPTS 2     // the second, between the samples and directions of the first, only where that found nothing
#define TRIALS_MAX 24  // candidates whose views are compared; more: better views, more time
#define WORTH_M 2.0    // of open ground that seeing all instead of nothing is worth: about what one more stop costs
#define CANDIDATES_MAX ((SAMPLES_MAX + 1) * DIRECTIONS)

typedef struct ray_step {
    int32_t padded, plain; // offset from the ray's first cell in arrays with and without a rim
} ray_step;

typedef struct ray_table {
    ray_step *steps;
    uint32_t count, near_count; // all steps, and those that are closer than the least range
} ray_table;

typedef struct candidate {
    uint32_t cell, price, target;
} candidate;

typedef struct lookout_search {
    const uint8_t *ground;
    const cairn_reach *reach;
    const cairn_sight *sight;
    uint32_t worth;  // price of WORTH_M of the cheapest ground
    uint8_t *padded; // ground with a rim of obstacles
    uint8_t *unseen; // 1 where free and not seen
    uint32_t *cells; // of the cluster in hand
    uint32_t sample_count, candidate_count;
    uint32_t samples[SAMPLES_MAX + 1];
    candidate candidates[CANDIDATES_MAX];
    ray_table rays[DIRECTIONS * ATTEMPTS];
} lookout_search;

// Half a cell within the range: a robot never stops exactly where it should.
static bool in_range(const lookout_search *search, double distance_cells)
{
    const double cell_m = search->reach->grid->cell_m;
    return distance_cells * cell_m >= search->sight->range_m_min + 0.5 * cell_m &&
           distance_cells * cell_m <= search->sight->range_m_max - 0.5 * cell_m;
}

// In cells, along x and y.
static cairn_vec2 between(const lookout_search *search, uint32_t from, uint32_t to)
{
    const uint32_t width = search->reach->grid->width;
    const uint32_t from_y = from / width, to_y = to / width;
    return (cairn_vec2){(double)(to % width) - (double)(from % width), (double)to_y - (double)from_y};
}

static bool sees(const lookout_search *search, uint32_t from, uint32_t to)
{
    return in_range(search, cairn_vec2_length(between(search, from, to))) &&
           cairn_cells_see(search->ground, search->reach->grid->width, from, to);
}

// Walks one direction from the middle of cell (0,0) and keeps the offsets.
static void fill_ray(const lookout_search *search, double bearing_rad, double far_cells, ray_table *ray)
{
    const int32_t width = (int32_t)search->reach->grid->width;
    const cairn_vec2 middle = {0.5, 0.5};
    const cairn_vec2 end = {0.5 + far_cells * cos(bearing_rad), 0.5 + far_cells * sin(bearing_rad)};
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, (cairn_vec2){0, 0}, 1.0, middle, end);
    ray->count = ray->near_count = 0;
    while (cairn_grid_walk_next(&walk)) {
        const double distance_cells = cairn_vec2_length((cairn_vec2){walk.x, walk.y});
        if (distance_cells > far_cells - 0.5) { break; }
        ray->steps[ray->count++] = (ray_step){walk.y * (width + 2) + walk.x, walk.y * width + walk.x};
        if (!in_range(search, distance_cells)) { ray->near_count = ray->count; }
    }
}

static bool take_rays(lookout_search *search, cairn_arena *scratch)
{
    const double far_cells = search->sight->range_m_max / search->reach->grid->cell_m;
    for (uint32_t i = 0; i < DIRECTIONS * ATTEMPTS; i++) {
        search->rays[i].steps = CAIRN_TAKE(scratch, ray_step, (size_t)(2 * far_cells) + 4);
        if (!search->rays[i].steps) { return false; }
        fill_ray(search, 2.0 * CAIRN_PI * i / (DIRECTIONS * ATTEMPTS), far_cells, &search->rays[i]);
    }
    return true;
}

// An obstacle beside free ground: what a camera looks at when it looks for people, who are obstacles themselves.
static bool is_surface(const lookout_search *search, uint32_t cell)
{
    const uint32_t padded_width = search->reach->grid->width + 2, width = search->reach->grid->width;
    const uint8_t *at = search->padded + (size_t)(cell / width + 1) * padded_width + cell % width + 1;
    return *at == CAIRN_GROUND_OBSTACLE &&
           (at[1] == CAIRN_GROUND_FREE || at[-1] == CAIRN_GROUND_FREE || at[padded_width] == CAIRN_GROUND_FREE ||
            at[-(ptrdiff_t)padded_width] == CAIRN_GROUND_FREE);
}

static bool take_search(lookout_search *search, const uint8_t *seen, uint8_t bit, cairn_arena *scratch)
{
    const cairn_cost_grid *grid = search->reach->grid;
    const uint32_t width = grid->width, height = grid->height, count = width * height;
    const size_t padded_count = (size_t)(width + 2) * (height + 2);
    search->padded = CAIRN_TAKE(scratch, uint8_t, padded_count);
    search->unseen = CAIRN_TAKE(scratch, uint8_t, count);
    search->cells = CAIRN_TAKE(scratch, uint32_t, count);
    if (!search->padded || !search->unseen || !search->cells || !take_rays(search, scratch)) { return false; }

    memset(search->padded, CAIRN_GROUND_OBSTACLE, padded_count);
    for (uint32_t y = 0; y < height; y++) {
        memcpy(search->padded + (size_t)(y + 1) * (width + 2) + 1, search->ground + (size_t)y * width, width);
    }
    uint8_t cheapest = CAIRN_COST_BLOCKED;
    for (uint32_t cell = 0; cell < count; cell++) {
        search->unseen[cell] =
            !(seen[cell] & bit) && (search->ground[cell] == CAIRN_GROUND_FREE || is_surface(search, cell));
        cheapest = grid->cost[cell] < cheapest ? grid->cost[cell] : cheapest;
    }
    search->worth = (uint32_t)(10.0 * cheapest * WORTH_M / grid->cell_m);
    return true;
}

// A surface hides more than a piece of floor: a person shows no more of it than two or three cells.
static uint32_t weight_of(const lookout_search *search, uint32_t count)
{
    uint32_t weight = count;
    for (uint32_t i = 0; i < count; i++) { weight += search->ground[search->cells[i]] != CAIRN_GROUND_FREE; }
    return weight;
}

// Evenly over the cluster, and the cell of it that is cheapest to get to, if any can be.
static void choose_samples(lookout_search *search, uint32_t count, uint32_t attempt)
{
    const uint32_t *price = search->reach->price;
    search->sample_count = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    for (uint32_t i = 0; i < search->sample_count; i++) {
        const uint64_t part = (uint64_t)(ATTEMPTS * i + attempt) * count;
        search->samples[i] = search->cells[part / (ATTEMPTS * search->sample_count)];
    }
    uint32_t nearest = search->cells[0];
    for (uint32_t i = 1; i < count; i++) {
        if (price[search->cells[i]] < price[nearest]) { nearest = search->cells[i]; }
    }
    if (count > SAMPLES_MAX && price[nearest] != CAIRN_REACH_NEVER) {
        search->samples[search->sample_count++] = nearest;
    }
}

// The cheapest reached cell along one ray from a target, if there is one, becomes a candidate. With check, cells from
// whose centres the target is hidden after all are passed over at once.
static void follow_ray(lookout_search *search, const ray_table *ray, uint32_t target, bool check)
{
    const uint32_t width = search->reach->grid->width;
    const uint8_t *ground = search->padded + (size_t)(target / width + 1) * (width + 2) + target % width + 1;
    const uint32_t *price = search->reach->price + target;
    uint32_t best = CAIRN_REACH_NEVER;
    int32_t best_at = 0;
    for (uint32_t i = 0; i < ray->count && ground[ray->steps[i].padded] == CAIRN_GROUND_FREE; i++) {
        const int32_t at = ray->steps[i].plain;
        if (i >= ray->near_count && price[at] < best && (!check || sees(search, target + (uint32_t)at, target))) {
            best = price[at];
            best_at = at;
        }
    }
    if (best == CAIRN_REACH_NEVER) { return; }
    search->candidates[search->candidate_count++] =
        (candidate){.cell = target + (uint32_t)best_at, .price = best, .target = target};
}

static void gather_candidates(lookout_search *search, uint32_t attempt)
{
    search->candidate_count = 0;
    for (uint32_t i = 0; i < search->sample_count; i++) {
        for (uint32_t k = attempt; k < DIRECTIONS * ATTEMPTS; k += ATTEMPTS) {
            follow_ray(search, &search->rays[k], search->samples[i], attempt > 0);
        }
    }
}

// Drops candidates without an exact line of sight, and those so dear that no view makes up for it.
static void keep_cheap_candidates(lookout_search *search)
{
    uint32_t best = CAIRN_REACH_NEVER;
    for (uint32_t i = 0; i < search->candidate_count; i++) {
        const candidate *c = &search->candidates[i];
        if (c->price < best && sees(search, c->cell, c->target)) { best = c->price; }
    }
    const uint64_t limit = (uint64_t)best + search->worth;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->candidate_count && best != CAIRN_REACH_NEVER; i++) {
        const candidate c = search->candidates[i];
        if (c.price >= best && c.price <= limit && sees(search, c.cell, c.target)) { search->candidates[kept++] = c; }
    }
    search->candidate_count = kept;
}

// Turns a stand to face the middle of what it sees of the samples, and counts those in the field.
static uint32_t judge(const lookout_search *search, uint32_t cell, uint32_t *ret_target)
{
    cairn_vec2 direction[SAMPLES_MAX + 1], facing = {0, 0};
    uint32_t visible[SAMPLES_MAX + 1], visible_count = 0;
    for (uint32_t i = 0; i < search->sample_count; i++) {
        if (!sees(search, cell, search->samples[i])) { continue; }
        const cairn_vec2 way = between(search, cell, search->samples[i]);
        direction[visible_count] = cairn_vec2_scale(way, 1.0 / cairn_vec2_length(way));
        facing = cairn_vec2_add(facing, direction[visible_count]);
        visible[visible_count++] = i;
    }
    if (visible_count == 0) { return 0; }
    uint32_t middle = 0;
    for (uint32_t i = 1; i < visible_count; i++) {
        if (cairn_vec2_dot(direction[i], facing) > cairn_vec2_dot(direction[middle], facing)) { middle = i; }
    }
    const double least_cosine = cos(fmin(0.5 * search->sight->field_rad, CAIRN_PI));
    uint32_t in_field = 0;
    for (uint32_t i = 0; i < visible_count; i++) {
        in_field += cairn_vec2_dot(direction[i], direction[middle]) >= least_cosine;
    }
    *ret_target = search->samples[visible[middle]];
    return in_field;
}

// The candidate left whose price less the worth of its view is the lowest; false if there are none.
static bool choose_lookout(const lookout_search *search, uint32_t unseen_count, cairn_lookout *ret_lookout)
{
    int64_t best = INT64_MAX;
    const uint32_t stride = search->candidate_count / TRIALS_MAX + 1;
    for (uint32_t i = 0; i < search->candidate_count; i += stride) {
        const candidate *c = &search->candidates[i];
        uint32_t target = c->target;
        const uint32_t in_field = judge(search, c->cell, &target);
        const int64_t score = (int64_t)c->price - (int64_t)search->worth * in_field / search->sample_count;
        if (score >= best) { continue; }
        best = score;
        const cairn_vec2 at = cairn_cost_grid_centre_of(search->reach->grid, c->cell);
        const cairn_vec2 way = between(search, c->cell, target);
        *ret_lookout = (cairn_lookout){.map_T_base = {at.x, at.y, atan2(way.y, way.x)},
                                       .cell = c->cell,
                                       .target_cell = target,
                                       .price = c->price,
                                       .unseen_count = unseen_count};
    }
    return best < INT64_MAX;
}

// The lookout for the cluster in search->cells; false if it is visible from nowhere.
static bool find_lookout(lookout_search *search, uint32_t count, cairn_lookout *ret_lookout)
{
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_samples(search, count, attempt);
        gather_candidates(search, attempt);
        keep_cheap_candidates(search);
        if (choose_lookout(search, count, ret_lookout)) { return true; }
    }
    return false;
}

// Keeps the list in order of price, the earlier of equals first, and at most count_max long.
static void insert(cairn_lookout *list, uint32_t count_max, uint32_t *count, const cairn_lookout *lookout)
{
    uint32_t at = *count;
    while (at > 0 && list[at - 1].price > lookout->price) { at--; }
    if (at == count_max) { return; }
    if (*count < count_max) { (*count)++; }
    memmove(list + at + 1, list + at, (*count - at - 1) * sizeof *list);
    list[at] = *lookout;
}

cairn_err cairn_lookouts_find(const uint8_t *ground, const cairn_reach *reach, const cairn_sight *sight,
                              const uint8_t *seen, uint8_t mark, uint32_t cell_count_min, cairn_arena *scratch,
                              uint32_t lookout_count_max, cairn_lookout *ret_lookouts, uint32_t *ret_count,
                              uint32_t *ret_hidden_count)
{
    CAIRN_ASSERT(mark != 0 && sight->field_rad > 0);
    CAIRN_ASSERT(sight->range_m_min >= 0 && sight->range_m_max > sight->range_m_min);
    const uint32_t width = reach->grid->width, height = reach->grid->height;
    const size_t before = cairn_arena_mark(scratch);
    lookout_search *search = CAIRN_TAKE(scratch, lookout_search, 1);
    if (search) { *search = (lookout_search){.ground = ground, .reach = reach, .sight = sight}; }
    if (!search || !take_search(search, seen, mark, scratch)) {
        cairn_arena_reset(scratch, before);
        return CAIRN_ERR_FULL;
    }

    uint32_t kept = 0, hidden_count = 0;
    for (uint32_t seed = cairn_cluster_seed(search->unseen, width, height, 0); seed < width * height;
         seed = cairn_cluster_seed(search->unseen, width, height, seed + 1)) {
        const uint32_t count = cairn_cluster_take(search->unseen, width, height, seed, search->cells);
        if (weight_of(search, count) < cell_count_min) { continue; }
        cairn_lookout lookout;
        if (find_lookout(search, count, &lookout)) {
            insert(ret_lookouts, lookout_count_max, &kept, &lookout);
        } else {
            hidden_count++;
        }
    }
    cairn_arena_reset(scratch, before);
    *ret_count = kept;
    *ret_hidden_count = hidden_count;
    return CAIRN_OK;
}
