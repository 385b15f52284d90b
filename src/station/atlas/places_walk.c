// Saves, loads and hashes places. What follows from the rest is left out: names, who comes after whom, weights, which
// are 1 between two steps.
#include "station/atlas/places.h"
#include <string.h>

// By a robot's clock, as on the air: never negative, so that differences of two do not overflow.
static void walk_taken_at(cairn_archive *archive, cairn_mission *time)
{
    cairn_archive_i64(archive, &time->ns);
    if (!cairn_archive_loads(archive) || time->ns >= 0) { return; }
    cairn_archive_fail(archive);
    time->ns = 0;
}

// By the station's.
static void walk_time(cairn_archive *archive, cairn_mission *time)
{
    cairn_mono at = {time->ns};
    cairn_archive_mono(archive, &at);
    time->ns = at.ns;
}

static void walk_place(cairn_archive *archive, cairn_graph_node *node, cairn_place *place)
{
    cairn_pose2 pose = cairn_graph_pose_to2(&node->pose);
    int32_t floor = node->floor;
    cairn_archive_pose(archive, &pose);
    walk_taken_at(archive, &node->taken_at);
    cairn_archive_i32(archive, &floor);
    cairn_archive_u8(archive, &place->robot, UINT8_MAX);
    cairn_archive_u32(archive, &place->node);
    cairn_archive_pose(archive, &place->private_T_place);
    cairn_archive_pose(archive, &place->map_T_private);
    cairn_archive_double(archive, &place->way_m, 0, 1e9);
    cairn_archive_double(archive, &place->unsure_m2, 0, 1e12);
    cairn_archive_bool(archive, &place->is_tried);
    cairn_archive_u16(archive, &place->stretch);
    cairn_archive_bool(archive, &place->is_apart);
    cairn_archive_u32(archive, &place->before);
    cairn_archive_u32(archive, &place->factor);
    if (!cairn_archive_loads(archive)) { return; }
    node->pose = cairn_graph_pose_from2(pose);
    if (floor < INT8_MIN || floor > INT8_MAX) { cairn_archive_fail(archive); }
    node->floor = (int16_t)floor;
    node->robot = place->robot;
    node->name = (uint64_t)place->robot << 56 | place->node;
    place->after = CAIRN_PLACE_NONE;
}

// Ties a place that was loaded to the one before it. Nodes ascend along the chain, so that it has no circle.
static bool tie(cairn_places *places, uint32_t at)
{
    const cairn_place *place = &places->places[at];
    if (place->before == CAIRN_PLACE_NONE) { return true; }
    cairn_place *before = &places->places[place->before];
    if (before->robot != place->robot || before->node >= place->node || before->after != CAIRN_PLACE_NONE) {
        return false;
    }
    before->after = at;
    return true;
}

// Every robot's places are one chain: one of them has nobody before it, and one nobody after it.
static void tie_all(cairn_archive *archive, cairn_places *places)
{
    uint32_t first_counts[256] = {0};
    for (uint32_t i = 1; i < places->graph->node_count; i++) {
        const cairn_place *place = &places->places[i];
        first_counts[place->robot] += place->before == CAIRN_PLACE_NONE;
        if (place->before >= places->graph->node_count || !tie(places, i)) {
            cairn_archive_fail(archive);
            return;
        }
    }
    for (uint32_t i = 1; i < places->graph->node_count; i++) {
        const cairn_place *place = &places->places[i];
        if (first_counts[place->robot] != 1) { cairn_archive_fail(archive); }
        if (place->after == CAIRN_PLACE_NONE) { places->robots[place->robot].last = i; }
    }
}

static void walk_places(cairn_archive *archive, cairn_places *places)
{
    cairn_graph *graph = places->graph;
    uint32_t count = graph->node_count;
    cairn_archive_count(archive, &count, CAIRN_PLACES_MAX);
    for (uint32_t i = 1; i < count; i++) {
        walk_place(archive, &graph->nodes[i], &places->places[i]);
        if (archive->err == CAIRN_ERR_CORRUPT) { return; }
    }
    if (!cairn_archive_loads(archive)) { return; }
    if (count == 0) {
        cairn_archive_fail(archive);
        return;
    }
    graph->node_count = count;
    tie_all(archive, places);
}

static void walk_starts(cairn_archive *archive, cairn_places *places)
{
    for (uint32_t i = 0; i < 256; i++) {
        if (places->robots[i].last != CAIRN_PLACE_NONE) { cairn_archive_pose(archive, &places->robots[i].start); }
    }
}

static void walk_factor(cairn_archive *archive, cairn_factor *factor)
{
    cairn_pose2 measured = cairn_graph_pose_to2(&factor->measured);
    cairn_archive_u32(archive, &factor->from);
    cairn_archive_u32(archive, &factor->to);
    cairn_archive_u8(archive, &factor->kind, CAIRN_FACTOR_CLOSURE);
    cairn_archive_bool(archive, &factor->is_gone);
    cairn_archive_pose(archive, &measured);
    for (uint32_t i = 0; i < 6; i++) { cairn_archive_double(archive, &factor->information[i], -1e12, 1e12); }
    if (cairn_archive_loads(archive)) { factor->measured = cairn_graph_pose_from2(measured); }
}

static void walk_factors(cairn_archive *archive, cairn_graph *graph)
{
    uint32_t count = graph->factor_count;
    cairn_archive_count(archive, &count, CAIRN_PLACE_FACTORS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (!cairn_archive_loads(archive)) {
            walk_factor(archive, &graph->factors[i]);
            continue;
        }
        cairn_factor factor = {0};
        walk_factor(archive, &factor);
        if (archive->err != CAIRN_OK) { return; }
        if (factor.from == CAIRN_GRAPH_NONE || cairn_graph_add_factor(graph, &factor, NULL) != CAIRN_OK) {
            cairn_archive_fail(archive);
            return;
        }
    }
}

// Whether the factor that should lead to a place does.
static void check_places(cairn_archive *archive, const cairn_places *places)
{
    const cairn_graph *graph = places->graph;
    for (uint32_t i = 1; i < graph->node_count && archive->err == CAIRN_OK; i++) {
        const cairn_place *place = &places->places[i];
        const cairn_factor *factor = place->factor < graph->factor_count ? &graph->factors[place->factor] : NULL;
        const bool leads = factor != NULL && factor->to == i && !factor->is_gone &&
                           factor->kind == CAIRN_FACTOR_ODOMETRY &&
                           (factor->from == place->before || factor->from == CAIRN_PLACE_NONE);
        const double unsure = 1e-9; // no edge on the air is as unsure as this information
        if (!leads || !(factor->information[0] > unsure && factor->information[5] > unsure)) {
            cairn_archive_fail(archive);
        }
    }
}

static void walk_pending(cairn_archive *archive, cairn_places *places)
{
    uint32_t count = places->pending_count;
    cairn_archive_count(archive, &count, CAIRN_PLACES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = places->pending[(places->pending_first + i) % CAIRN_PLACES_MAX];
        cairn_archive_u32(archive, &place);
        if (!cairn_archive_loads(archive)) { continue; }
        if (place == CAIRN_PLACE_NONE || place >= places->graph->node_count) {
            cairn_archive_fail(archive);
            return;
        }
        places->pending[i] = place;
    }
    if (cairn_archive_loads(archive)) { places->pending_count = count; }
}

static void walk_float_bits(cairn_archive *archive, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    cairn_archive_u32(archive, &bits);
    if (cairn_archive_loads(archive)) { memcpy(value, &bits, sizeof bits); }
}

static void walk_proposal(cairn_archive *archive, cairn_closure_proposal *proposal)
{
    cairn_pose2 measured = cairn_graph_pose_to2(&proposal->measured);
    cairn_archive_u32(archive, &proposal->from);
    cairn_archive_u32(archive, &proposal->to);
    cairn_archive_pose(archive, &measured);
    for (uint32_t i = 0; i < 6; i++) { cairn_archive_double(archive, &proposal->information[i], -1e12, 1e12); }
    cairn_archive_double(archive, &proposal->window, 0, 1e12);
    walk_float_bits(archive, &proposal->score);
    walk_float_bits(archive, &proposal->ambiguity);
    cairn_archive_bytes(archive, proposal->proposer, sizeof proposal->proposer);
    if (cairn_archive_loads(archive)) { proposal->measured = cairn_graph_pose_from2(measured); }
}

static void walk_story(cairn_archive *archive, cairn_closure_story *story)
{
    uint8_t state = (uint8_t)story->state;
    walk_proposal(archive, &story->proposal);
    cairn_archive_u8(archive, &state, CAIRN_CLOSURE_STATE_COUNT - 1);
    walk_time(archive, &story->proposed_at);
    walk_time(archive, &story->decided_at);
    cairn_archive_u32(archive, &story->factor);
    cairn_archive_count(archive, &story->agreed_count, CAIRN_CLIQUE_MEMBERS_MAX);
    for (uint32_t i = 0; i < CAIRN_STORY_AGREED_MAX; i++) { cairn_archive_u32(archive, &story->agreed[i]); }
    cairn_archive_double_bits(archive, &story->chi2);
    if (cairn_archive_loads(archive)) { story->state = (cairn_closure_state)state; }
}

static void walk_stories(cairn_archive *archive, cairn_candidates *candidates)
{
    uint32_t count = cairn_candidates_count(candidates);
    cairn_archive_count(archive, &count, CAIRN_CLOSURE_STORIES_MAX);
    if (cairn_archive_loads(archive)) { cairn_candidates_forget(candidates); }
    for (uint32_t i = 0; i < count; i++) {
        cairn_closure_story story = {0};
        if (!cairn_archive_loads(archive)) { story = *cairn_candidates_story(candidates, i); }
        walk_story(archive, &story);
        if (!cairn_archive_loads(archive)) { continue; }
        if (archive->err != CAIRN_OK || cairn_candidates_restore(candidates, &story) != CAIRN_OK) {
            cairn_archive_fail(archive);
            return;
        }
    }
}

static void walk_kept(cairn_archive *archive, cairn_candidates *candidates)
{
    cairn_candidates_kept kept = {0};
    if (!cairn_archive_loads(archive)) { kept = cairn_candidates_keep(candidates); }
    cairn_archive_count(archive, &kept.agreement.count, CAIRN_CLIQUE_MEMBERS_MAX);
    cairn_archive_u32(archive, &kept.new_count);
    for (uint32_t i = 0; i < kept.agreement.count; i++) {
        for (uint32_t k = 0; k < CAIRN_CLIQUE_WORDS; k++) { cairn_archive_u64(archive, &kept.agreement.rows[i][k]); }
    }
    if (!cairn_archive_loads(archive) || archive->err != CAIRN_OK) { return; }
    if (cairn_candidates_restore_kept(candidates, &kept) != CAIRN_OK) { cairn_archive_fail(archive); }
}

void cairn_places_walk(cairn_archive *archive, cairn_places *places)
{
    cairn_archive_section(archive, "places");
    walk_places(archive, places);
    walk_starts(archive, places);
    walk_factors(archive, places->graph);
    if (cairn_archive_loads(archive)) { check_places(archive, places); }
    walk_pending(archive, places);
    walk_stories(archive, places->candidates);
    walk_kept(archive, places->candidates);
    cairn_archive_u32(archive, &places->unsolved_count);
    cairn_archive_u32(archive, &places->unsolved_steps);
    cairn_archive_u32(archive, &places->solve_count);
    cairn_archive_u32(archive, &places->full_count);
}
