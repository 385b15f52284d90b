#include "station/atlas/revisits.h"
#include "matching/pyramid_cache.h"
#include "station/atlas/places.h"
#include <math.h>
#include <string.h>

#define PYRAMIDS_KEPT 128u
#define PRIOR_M 1.0                 // deviations of the prior: three of them are the whole window
#define PRIOR_RAD (0.25 * CAIRN_PI) // whatever the graph believes
#define VISIT_M 4.0                 // driven: places of one robot that are less far apart are one visit
enum { VISITS_MAX = 8 };

struct cairn_revisits {
    cairn_revisits_def def;
    cairn_revisits_info info;
    cairn_correlative *matcher;
    double window_m, window_rad; // that is searched, each way
    cairn_pyramid_def pyramid;
    cairn_pyramid_cache *cache;
    cairn_terrain_planes planes; // room for one
};

cairn_revisits_def cairn_revisits_def_default(void)
{
    return (cairn_revisits_def){.near_m = 3,
                                .away_m = 10,
                                .slip_m = 0.08,
                                .slip_ns = CAIRN_S(16),
                                .known_m = 2,
                                .sure_m = 0.03,
                                .sure_rad = 0.006,
                                .tries_max = 3,
                                .places_max = 4};
}

cairn_err cairn_revisits_create(const cairn_revisits_def *def, cairn_arena *arena, cairn_revisits **ret_revisits)
{
    CAIRN_ASSERT(def->tries_max <= VISITS_MAX);
    cairn_revisits *revisits = CAIRN_TAKE(arena, cairn_revisits, 1);
    if (revisits == NULL) { return CAIRN_ERR_FULL; }
    revisits->def = *def;
    revisits->pyramid = cairn_pyramid_def_default();
    const cairn_correlative_def matcher = cairn_correlative_def_default();
    revisits->window_m = matcher.window_m;
    revisits->window_rad = matcher.window_rad;
    const cairn_pyramid_cache_def cache = {.pyramid = revisits->pyramid, .count = PYRAMIDS_KEPT};
    cairn_err err = cairn_correlative_create(&matcher, arena, &revisits->matcher);
    if (err == CAIRN_OK) { err = cairn_pyramid_cache_create(&cache, arena, &revisits->cache); }
    if (err == CAIRN_OK) { *ret_revisits = revisits; }
    return err;
}

cairn_revisits_info cairn_revisits_told(const cairn_revisits *revisits) { return revisits->info; }

// ---- whom to compare with

typedef struct visit {
    uint32_t place;
    double far_m;
} visit;

typedef struct visits {
    uint32_t count;
    visit at[VISITS_MAX]; // the nearest first
} visits;

static void take_out(visits *of, uint32_t i)
{
    of->count--;
    memmove(&of->at[i], &of->at[i + 1], (of->count - i) * sizeof of->at[0]);
}

// Of the places of one visit the nearest stays, and of all visits the nearest.
static void consider(const cairn_places *places, visits *of, uint32_t max, visit found)
{
    const cairn_place *place = &places->places[found.place];
    for (uint32_t i = 0; i < of->count; i++) {
        const cairn_place *other = &places->places[of->at[i].place];
        if (other->robot != place->robot || fabs(other->way_m - place->way_m) > VISIT_M) { continue; }
        if (of->at[i].far_m <= found.far_m) { return; }
        take_out(of, i--);
    }
    uint32_t at = of->count;
    while (at > 0 && of->at[at - 1].far_m > found.far_m) { at--; }
    if (at >= max) { return; }
    if (of->count == max) { of->count--; }
    memmove(&of->at[at + 1], &of->at[at], (of->count - at) * sizeof of->at[0]);
    of->at[at] = found;
    of->count++;
}

static const cairn_node_entry *entry_of(const cairn_atlas *atlas, uint32_t place)
{
    const cairn_place *at = &atlas->places->places[place];
    const cairn_node_entry *entry = cairn_atlas_node(atlas, at->robot, at->node);
    return entry != NULL && entry->voted && entry->kept_bytes > 0 ? entry : NULL;
}

static bool has_slipped(const cairn_revisits *revisits, const cairn_place *a, const cairn_place *b)
{
    return fabs(a->unsure_m2 - b->unsure_m2) >= revisits->def.slip_m * revisits->def.slip_m;
}

// Whether the wheels slipped while what the place's map shows was seen: it may be bent. A stretch begins with a new
// map.
static bool is_bent(const cairn_revisits *revisits, const cairn_places *places, uint32_t place)
{
    const cairn_graph_node *nodes = places->graph->nodes;
    for (uint32_t at = place; !cairn_places_starts_frame(places, at);) {
        at = places->places[at].before;
        if (has_slipped(revisits, &places->places[place], &places->places[at])) { return true; }
        if (nodes[place].taken_at.ns - nodes[at].taken_at.ns >= revisits->def.slip_ns) { return false; }
    }
    return false;
}

// Whether two places of one robot are two visits.
static bool is_another_visit(const cairn_revisits *revisits, const cairn_places *places, uint32_t a, uint32_t b)
{
    const cairn_place *first = &places->places[a], *second = &places->places[b];
    if (fabs(first->way_m - second->way_m) >= revisits->def.away_m) { return true; }
    const int64_t apart_ns = places->graph->nodes[a].taken_at.ns - places->graph->nodes[b].taken_at.ns;
    const bool is_later = apart_ns >= revisits->def.slip_ns || apart_ns <= -revisits->def.slip_ns;
    return is_later && has_slipped(revisits, first, second);
}

// Places that come near this one, seen at another time.
static void find_visits(const cairn_revisits *revisits, const cairn_atlas *atlas, uint32_t here, visits *ret_visits)
{
    const cairn_places *places = atlas->places;
    const cairn_graph_node *node = &places->graph->nodes[here];
    const cairn_place *place = &places->places[here];
    ret_visits->count = 0;
    for (uint32_t i = 1; i < places->graph->node_count; i++) {
        const cairn_graph_node *other = &places->graph->nodes[i];
        const double dx = other->pose.v[0] - node->pose.v[0], dy = other->pose.v[1] - node->pose.v[1];
        if (dx * dx + dy * dy > revisits->def.near_m * revisits->def.near_m || other->floor != node->floor) {
            continue;
        }
        const bool is_same = places->places[i].robot == place->robot;
        if (is_same && !is_another_visit(revisits, places, i, here)) { continue; }
        if (entry_of(atlas, i) == NULL || is_bent(revisits, places, i)) { continue; }
        consider(places, ret_visits, revisits->def.tries_max, (visit){i, hypot(dx, dy)});
    }
}

// Whether odometry knows one from the other well.
static bool is_beside(const cairn_revisits *revisits, const cairn_places *places, uint32_t a, uint32_t b)
{
    const cairn_place *first = &places->places[a], *second = &places->places[b];
    return first->robot == second->robot && fabs(first->way_m - second->way_m) <= revisits->def.known_m &&
           !has_slipped(revisits, first, second);
}

// Whether a closure between near neighbours of both is in the graph.
static bool is_known(const cairn_revisits *revisits, const cairn_places *places, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < places->graph->factor_count; i++) {
        const cairn_factor *factor = &places->graph->factors[i];
        if (factor->kind != CAIRN_FACTOR_CLOSURE || factor->is_gone) { continue; }
        if ((is_beside(revisits, places, factor->from, a) && is_beside(revisits, places, factor->to, b)) ||
            (is_beside(revisits, places, factor->from, b) && is_beside(revisits, places, factor->to, a))) {
            return true;
        }
    }
    return false;
}

// ---- laying one on the other

static const cairn_pyramid *pyramid_of(cairn_revisits *revisits, const cairn_atlas *atlas, const cairn_node_entry *node)
{
    if (node->terrain.width > revisits->pyramid.width_max || node->terrain.height > revisits->pyramid.height_max) {
        return NULL;
    }
    // Another map of the same node, after the first has made room, lies elsewhere in the ring.
    const uint64_t key = (uint64_t)node->robot << 54 | (uint64_t)node->node << 22 | node->kept_at >> 3;
    bool is_new = false;
    cairn_pyramid *pyramid = cairn_pyramid_cache_get(revisits->cache, key, &is_new);
    if (!is_new) { return pyramid; }
    if (cairn_atlas_planes(atlas, node, &revisits->planes) != CAIRN_OK) {
        cairn_pyramid_cache_forget(revisits->cache, key);
        return NULL;
    }
    cairn_pyramid_set_grid(pyramid, &revisits->planes);
    return pyramid;
}

// Which way the rows of a node's map run, seen from the node.
static cairn_pose2 node_T_rows(const cairn_node_entry *node)
{
    return (cairn_pose2){0, 0, node->terrain.is_upright ? -node->said.yaw_urad * 1e-6 : 0};
}

// The match as one of node to node, and no surer than it can be.
static bool make_proposal(const cairn_revisits *revisits, const cairn_node_entry *from, const cairn_node_entry *to,
                          const cairn_match *rows, cairn_closure_proposal *ret_proposal)
{
    const double sure_m2 = revisits->def.sure_m * revisits->def.sure_m;
    cairn_match match = *rows;
    double covariance[9], turned[9];
    cairn_match_covariance(rows, covariance);
    covariance[0] += sure_m2;
    covariance[4] += sure_m2;
    covariance[8] += revisits->def.sure_rad * revisits->def.sure_rad;
    const double yaw_rad = node_T_rows(from).yaw_rad, c = cos(yaw_rad), s = sin(yaw_rad);
    const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    for (int i = 0; i < 9; i++) {
        turned[i] = 0;
        for (int k = 0; k < 9; k++) { turned[i] += turn[i / 3 * 3 + k / 3] * covariance[k] * turn[i % 3 * 3 + k % 3]; }
    }
    if (!cairn_symmetric3_invert(turned, match.information)) { return false; }
    match.pose =
        cairn_pose2_compose(cairn_pose2_compose(node_T_rows(from), rows->pose), cairn_pose2_inverse(node_T_rows(to)));
    ret_proposal->measured = cairn_graph_pose_from2(match.pose);
    cairn_match_factor_information(&match, ret_proposal->information);
    // The matcher goes no farther than so many cells, however small they are.
    const double half_m = fmin(revisits->window_m, CAIRN_CORRELATIVE_HALF_CELLS_MAX * 1e-3 * from->terrain.cell_mm);
    ret_proposal->window = 4 * half_m * half_m * 2 * revisits->window_rad;
    ret_proposal->score = (float)match.score;
    ret_proposal->ambiguity = (float)match.ambiguity;
    return true;
}

// Lays the map of one place on that of another. True: proposed.
static bool lay(cairn_revisits *revisits, cairn_atlas *atlas, uint32_t from, uint32_t to, cairn_mission now)
{
    cairn_places *places = atlas->places;
    const cairn_node_entry *reference = entry_of(atlas, from), *scan = entry_of(atlas, to);
    if (reference == NULL || scan == NULL || reference->terrain.cell_mm != scan->terrain.cell_mm) { return false; }
    const cairn_pyramid *on = pyramid_of(revisits, atlas, reference), *laid = pyramid_of(revisits, atlas, scan);
    if (on == NULL || laid == NULL) { return false; }
    const cairn_pose2 map_T_from = cairn_graph_pose_to2(&places->graph->nodes[from].pose);
    const cairn_pose2 map_T_to = cairn_graph_pose_to2(&places->graph->nodes[to].pose);
    const cairn_pose2 believed = cairn_pose2_between(cairn_pose2_compose(map_T_from, node_T_rows(reference)),
                                                     cairn_pose2_compose(map_T_to, node_T_rows(scan)));
    const cairn_match_prior prior = cairn_match_prior_make(believed, PRIOR_M, PRIOR_RAD);
    cairn_match match;
    cairn_match_correlative(revisits->matcher, on, laid, &prior, &match);
    revisits->info.match_count++;
    cairn_closure_proposal proposal = {.from = from, .to = to, .proposer = "terrain maps"};
    if (!match.is_trusted || !make_proposal(revisits, reference, scan, &match, &proposal)) { return false; }
    revisits->info.trusted_count++;
    return cairn_candidates_propose(places->candidates, &proposal, now, NULL) == CAIRN_OK;
}

uint32_t cairn_revisits_step(cairn_revisits *revisits, cairn_atlas *atlas, cairn_mission now)
{
    uint32_t proposed_count = 0;
    for (uint32_t i = 0; i < revisits->def.places_max; i++) {
        const uint32_t here = cairn_places_take(atlas->places);
        if (here == CAIRN_PLACE_NONE) { break; }
        if (is_bent(revisits, atlas->places, here)) { continue; }
        visits others;
        find_visits(revisits, atlas, here, &others);
        revisits->info.place_count++;
        for (uint32_t k = 0; k < others.count; k++) {
            if (is_known(revisits, atlas->places, others.at[k].place, here)) { continue; }
            proposed_count += lay(revisits, atlas, others.at[k].place, here, now);
        }
    }
    revisits->info.proposed_count += proposed_count;
    return proposed_count;
}
