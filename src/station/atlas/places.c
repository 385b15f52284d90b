#include "station/atlas/places.h"

#define LOST_M 100.0       // nothing leads from the old private frame to the new one
#define LOST_RAD 1.0       // likewise: of a start that nobody knows
#define NODES_ASKED_MAX 64 // for the deviation of an edge between two places; the others are like these
#define BEGINS_M 5.0       // from the origin of a new private frame, its first node: a robot that is lost waits
#define WAITING_MAX 32u    // closures: each is a search through the graph in a step of tasking
#define UNSURE_MAX 1e6     // [m2, rad2] no edge is less sure: far more than any use, far less than what can be saved
#define FIRST_RESERVE 256u // places for robots that come when all others are taken: one for each id

cairn_places_def cairn_places_def_default(void)
{
    return (cairn_places_def){.apart_m = 0.5,
                              .apart_rad = 0.5,
                              .start_m_dev = 0.02,
                              .start_rad_dev = 0.005,
                              .edge_m_dev_min = 0.002,
                              .edge_rad_dev_min = 0.0005};
}

// [m] A robot that stands for a while in one of several rooms that look alike must not be put into another by three
// looks from the same spot.
#define WITNESS_M 0.5

static cairn_err create_parts(cairn_places *places, cairn_arena *arena)
{
    const cairn_graph_def graph = {.degrees = 3, .nodes_max = CAIRN_PLACES_MAX, .factors_max = CAIRN_PLACE_FACTORS_MAX};
    cairn_err err = cairn_graph_create(&graph, arena, &places->graph);
    if (err != CAIRN_OK) { return err; }
    cairn_candidates_def candidates = cairn_candidates_def_default();
    candidates.stories_max = CAIRN_CLOSURE_STORIES_MAX;
    candidates.waiting_max = WAITING_MAX;
    candidates.witness_m = WITNESS_M;
    err = cairn_candidates_create(&candidates, places->graph, arena, &places->candidates);
    if (err != CAIRN_OK) { return err; }
    places->places = CAIRN_TAKE(arena, cairn_place, CAIRN_PLACES_MAX);
    places->pending = CAIRN_TAKE(arena, uint32_t, CAIRN_PLACES_MAX);
    return places->places != NULL && places->pending != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

cairn_err cairn_places_create(const cairn_places_def *def, cairn_arena *arena, cairn_places **ret_places)
{
    cairn_places *places = CAIRN_TAKE(arena, cairn_places, 1);
    if (places == NULL) { return CAIRN_ERR_FULL; }
    places->def = *def;
    cairn_err err = create_parts(places, arena);
    const cairn_graph_node origin = {.is_fixed = true};
    if (err == CAIRN_OK) { err = cairn_graph_add_node(places->graph, &origin, NULL); }
    if (err == CAIRN_OK) { *ret_places = places; }
    return err;
}

static cairn_pose2 pose_of(const cairn_msg_node *node)
{
    return (cairn_pose2){node->x_mm * 1e-3, node->y_mm * 1e-3, node->yaw_urad * 1e-6};
}

// ---- edges

typedef struct variances {
    double xy_m2, yaw_rad2;
} variances;

// Whatever a robot says, and however many of its nodes did not come: the graph can be solved, saved and loaded.
static variances within_bounds(const cairn_places *places, variances known)
{
    const double xy_m_min = places->def.edge_m_dev_min, yaw_rad_min = places->def.edge_rad_dev_min;
    return (variances){fmin(fmax(known.xy_m2, xy_m_min * xy_m_min), UNSURE_MAX),
                       fmin(fmax(known.yaw_rad2, yaw_rad_min * yaw_rad_min), UNSURE_MAX)};
}

// What the nodes after one number, up to another, say of their edges. Those that are not there are as the others.
static variances edge_variances(const cairn_places *places, const cairn_node_store *store, const cairn_msg_node *to,
                                uint32_t after)
{
    variances sum = {to->edge_xy_um_dev * 1e-6 * (to->edge_xy_um_dev * 1e-6),
                     to->edge_yaw_urad_dev * 1e-6 * (to->edge_yaw_urad_dev * 1e-6)};
    uint32_t known_count = 1;
    const uint32_t all = to->node - after;
    for (uint32_t i = 1; i < all && i < NODES_ASKED_MAX; i++) {
        const cairn_node_entry *entry = cairn_node_store_find(store, to->robot, to->node - i);
        if (entry == NULL || !entry->has_pose) { continue; }
        const double xy_m = entry->said.edge_xy_um_dev * 1e-6, yaw_rad = entry->said.edge_yaw_urad_dev * 1e-6;
        sum.xy_m2 += xy_m * xy_m;
        sum.yaw_rad2 += yaw_rad * yaw_rad;
        known_count++;
    }
    const double part = (double)all / known_count;
    return within_bounds(places, (variances){sum.xy_m2 * part, sum.yaw_rad2 * part});
}

static uint32_t add_factor(cairn_places *places, uint32_t from, uint32_t to, cairn_pose2 from_T_to, variances said)
{
    const variances known = within_bounds(places, said);
    const cairn_factor factor = {.from = from,
                                 .to = to,
                                 .kind = CAIRN_FACTOR_ODOMETRY,
                                 .measured = cairn_graph_pose_from2(from_T_to),
                                 .information = {1 / known.xy_m2, 0, 0, 1 / known.xy_m2, 0, 1 / known.yaw_rad2}};
    uint32_t index = CAIRN_GRAPH_NONE;
    const cairn_err err = cairn_graph_add_factor(places->graph, &factor, &index);
    CAIRN_ASSERT(err == CAIRN_OK); // there is room, and nodes are in range
    return index;
}

// An early turn moves what comes after it.
static uint32_t add_edge(cairn_places *places, uint32_t from, uint32_t to, variances known)
{
    const cairn_pose2 from_T_to =
        cairn_pose2_between(places->places[from].private_T_place, places->places[to].private_T_place);
    const double length_m = cairn_vec2_length(cairn_pose2_at(from_T_to));
    known.xy_m2 += known.yaw_rad2 * length_m * length_m;
    return add_factor(places, from, to, from_T_to, known);
}

// ---- places

static bool is_after(const cairn_places *places, uint32_t place, uint32_t node)
{
    return place != CAIRN_PLACE_NONE && places->places[place].node > node;
}

static bool has_moved(const cairn_places *places, uint32_t place, const cairn_msg_node *node)
{
    const cairn_pose2 moved = cairn_pose2_between(places->places[place].private_T_place, pose_of(node));
    return cairn_vec2_length(cairn_pose2_at(moved)) >= places->def.apart_m ||
           fabs(moved.yaw_rad) >= places->def.apart_rad;
}

static bool tells_stretch(uint16_t stretch) { return stretch != CAIRN_MSG_NODE_STRETCH_UNKNOWN; }

// Whether a node says that it was not reached from the one before it: by its stretch, and of an older robot by its
// edge.
static bool leads_elsewhere(const cairn_msg_node *before, const cairn_msg_node *node)
{
    if (tells_stretch(before->stretch) && tells_stretch(node->stretch)) { return before->stretch != node->stretch; }
    const cairn_pose2 edge = {node->edge_x_um * 1e-6, node->edge_y_um * 1e-6, node->edge_yaw_urad * 1e-6};
    const cairn_pose2 off = cairn_pose2_between(cairn_pose2_compose(pose_of(before), edge), pose_of(node));
    const double slack_m = 0.1, slack_rad = 0.1; // far more than the rounding on the air
    return cairn_vec2_length(cairn_pose2_at(off)) > slack_m || fabs(off.yaw_rad) > slack_rad;
}

// The same where the one before has not come. A robot that lost its frame has no edge, and stands where the new one
// begins. So may one that came back there and stands still: ask_again tells, once the node before has come.
static bool is_lost(const cairn_places *places, uint32_t place_before, const cairn_msg_node *node,
                    const cairn_node_store *store)
{
    const uint16_t stretch = places->places[place_before].stretch;
    if (tells_stretch(stretch) && tells_stretch(node->stretch)) { return stretch != node->stretch; }
    const cairn_node_entry *before = node->node > 0 ? cairn_node_store_find(store, node->robot, node->node - 1) : NULL;
    if (before != NULL && before->has_pose) { return leads_elsewhere(&before->said, node); }
    const bool has_edge = node->edge_x_um != 0 || node->edge_y_um != 0 || node->edge_yaw_urad != 0;
    return !has_edge && cairn_vec2_length(cairn_pose2_at(pose_of(node))) < BEGINS_M &&
           has_moved(places, place_before, node);
}

static bool has_room(const cairn_places *places, bool is_first)
{
    const cairn_graph *graph = places->graph;
    const uint32_t kept = is_first ? 0 : FIRST_RESERVE;
    return graph->node_count + kept < graph->def.nodes_max && graph->factor_count + 2 + kept <= graph->def.factors_max;
}

static uint32_t make_place(cairn_places *places, cairn_pose2 map_T_private, const cairn_msg_node *node)
{
    const cairn_pose2 private_T_place = pose_of(node);
    const cairn_graph_node made = {
        .pose = cairn_graph_pose_from2(cairn_pose2_compose(map_T_private, private_T_place)),
        .taken_at = {node->mono_ns},
        .name = (uint64_t)node->robot << 56 | node->node,
        .robot = node->robot,
        .floor = node->floor,
    };
    uint32_t index = CAIRN_PLACE_NONE;
    const cairn_err err = cairn_graph_add_node(places->graph, &made, &index);
    CAIRN_ASSERT(err == CAIRN_OK);
    places->places[index] = (cairn_place){.robot = node->robot,
                                          .node = node->node,
                                          .private_T_place = private_T_place,
                                          .map_T_private = map_T_private,
                                          .stretch = node->stretch,
                                          .factor = CAIRN_GRAPH_NONE};
    return index;
}

// From the start: the first of its robot, or of a new private frame. Where nobody knows that, it is known for as good
// as nothing.
static void start_at(cairn_places *places, uint32_t place)
{
    cairn_place *at = &places->places[place];
    const cairn_places_def *def = &places->def;
    const cairn_pose2 map_T_place = cairn_pose2_compose(at->map_T_private, at->private_T_place);
    const double far_m = cairn_vec2_length(cairn_pose2_at(at->private_T_place));
    const double rad_dev = at->is_apart ? LOST_RAD : def->start_rad_dev;
    const double m_dev = at->is_apart ? LOST_M : hypot(def->start_m_dev, far_m * def->start_rad_dev);
    at->factor =
        add_factor(places, CAIRN_PLACE_NONE, place, map_T_place, (variances){m_dev * m_dev, rad_dev * rad_dev});
}

// Puts a place behind another of the same robot.
static void link_place(cairn_places *places, uint32_t before, uint32_t place)
{
    cairn_place *at = &places->places[place];
    at->before = before;
    at->after = places->places[before].after;
    places->places[before].after = place;
    if (at->after == CAIRN_PLACE_NONE) {
        places->robots[at->robot].last = place;
    } else {
        places->places[at->after].before = place;
    }
}

bool cairn_places_starts_frame(const cairn_places *places, uint32_t place)
{
    CAIRN_ASSERT(place != CAIRN_PLACE_NONE && place < places->graph->node_count);
    return places->graph->factors[places->places[place].factor].from == CAIRN_PLACE_NONE;
}

// What led from the place before to the one after leads through this one now; the rest of it is known as well as the
// whole was, by its share of the nodes.
static void split_edge(cairn_places *places, uint32_t place)
{
    const cairn_place *at = &places->places[place], *before = &places->places[at->before];
    cairn_place *after = &places->places[at->after];
    cairn_factor *whole = &places->graph->factors[after->factor];
    const double share = (double)(after->node - at->node) / (after->node - before->node);
    const variances known = {share / whole->information[0], share / whole->information[5]};
    whole->is_gone = true;
    after->factor = add_edge(places, place, at->after, known);
}

// A place and those after it in its private frame: that lies elsewhere, as they all see it.
static void move_frame(cairn_places *places, uint32_t place, cairn_pose2 map_T_private)
{
    const cairn_pose2 by = cairn_pose2_compose(map_T_private, cairn_pose2_inverse(places->places[place].map_T_private));
    for (uint32_t i = place; i != CAIRN_PLACE_NONE && (i == place || !cairn_places_starts_frame(places, i));
         i = places->places[i].after) {
        cairn_place *at = &places->places[i];
        at->map_T_private = cairn_pose2_compose(by, at->map_T_private);
        places->graph->nodes[i].pose =
            cairn_graph_pose_from2(cairn_pose2_compose(at->map_T_private, at->private_T_place));
    }
}

// Whether a place and those after it in its private frame are apart.
static void keep_apart(cairn_places *places, uint32_t place, bool is_apart)
{
    for (uint32_t i = place; i != CAIRN_PLACE_NONE && (i == place || !cairn_places_starts_frame(places, i));
         i = places->places[i].after) {
        places->places[i].is_apart = is_apart;
    }
}

static void add_way(cairn_places *places, uint32_t place, double way_m, double unsure_m2)
{
    for (uint32_t i = place; i != CAIRN_PLACE_NONE; i = places->places[i].after) {
        places->places[i].way_m = fmax(0, places->places[i].way_m + way_m);
        places->places[i].unsure_m2 = fmax(0, places->places[i].unsure_m2 + unsure_m2);
    }
}

// The way through a place that came late is longer than the one past it.
static void lead_way_through(cairn_places *places, uint32_t place)
{
    const cairn_place *at = &places->places[place], *after = &places->places[at->after];
    const double length_m =
        cairn_places_starts_frame(places, at->after)
            ? 0
            : cairn_vec2_distance(cairn_pose2_at(at->private_T_place), cairn_pose2_at(after->private_T_place));
    add_way(places, at->after, at->way_m + length_m - after->way_m, 0);
}

// A place on the way from one to the next, or from the last.
static uint32_t go_on(cairn_places *places, uint32_t before, const cairn_msg_node *node, const cairn_node_store *store)
{
    const uint32_t place = make_place(places, places->places[before].map_T_private, node);
    link_place(places, before, place);
    cairn_place *at = &places->places[place];
    const cairn_place *from = &places->places[before];
    at->is_apart = from->is_apart;
    const variances known = edge_variances(places, store, node, from->node);
    at->factor = add_edge(places, before, place, known);
    at->unsure_m2 = from->unsure_m2 + known.xy_m2;
    at->way_m =
        from->way_m + cairn_vec2_distance(cairn_pose2_at(from->private_T_place), cairn_pose2_at(at->private_T_place));
    if (at->after == CAIRN_PLACE_NONE) { return place; }
    lead_way_through(places, place);
    if (!cairn_places_starts_frame(places, at->after)) { split_edge(places, place); }
    return place;
}

// Puts a place before all others of its robot, or alone.
static void link_first(cairn_places *places, uint32_t place, uint32_t after)
{
    cairn_place *at = &places->places[place];
    at->after = after;
    if (after == CAIRN_PLACE_NONE) {
        places->robots[at->robot].last = place;
    } else {
        places->places[after].before = place;
        add_way(places, after, 0, LOST_M * LOST_M);
    }
}

// The place after this one has begun their stretch until now: it is reached from this one.
static void take_start_over(cairn_places *places, uint32_t place, const cairn_node_store *store)
{
    cairn_place *at = &places->places[place], *after = &places->places[at->after];
    const cairn_node_entry *next = cairn_node_store_find(store, after->robot, after->node);
    const double unsure_m = 0.1, unsure_rad = 0.1; // of a node that is no longer kept
    variances edge = {unsure_m * unsure_m, unsure_rad * unsure_rad};
    if (next != NULL && next->has_pose) { edge = edge_variances(places, store, &next->said, at->node); }
    cairn_factor *start = &places->graph->factors[after->factor];
    const variances known = {1 / start->information[0], 1 / start->information[5]};
    start->is_gone = true;
    at->is_apart = after->is_apart;
    at->factor =
        add_factor(places, CAIRN_PLACE_NONE, place, cairn_pose2_compose(at->map_T_private, at->private_T_place), known);
    after->factor = add_edge(places, place, at->after, edge);
    places->unsolved_count++;
}

static bool begins_stretch_of(const cairn_places *places, uint32_t place, const cairn_msg_node *node)
{
    return place != CAIRN_PLACE_NONE && tells_stretch(node->stretch) &&
           places->places[place].stretch == node->stretch && cairn_places_starts_frame(places, place);
}

// A place in a new private frame. If it comes late, those after it turn out to be in that frame, too.
static uint32_t begin_frame(cairn_places *places, uint32_t before, uint32_t first, const cairn_msg_node *node,
                            const cairn_node_store *store)
{
    const uint32_t after = before == CAIRN_PLACE_NONE ? first : places->places[before].after;
    const bool is_joined = begins_stretch_of(places, after, node);
    const bool is_apart = tells_stretch(node->stretch) && node->stretch > 0;
    const bool goes_on = is_apart && before != CAIRN_PLACE_NONE; // shown where it was until it is found
    const cairn_pose2 frame = is_joined ? places->places[after].map_T_private
                              : goes_on ? places->places[before].map_T_private
                                        : places->robots[node->robot].start;
    const uint32_t place = make_place(places, frame, node);
    cairn_place *at = &places->places[place];
    at->is_apart = is_apart;
    if (!is_joined) { start_at(places, place); }
    if (before == CAIRN_PLACE_NONE) {
        link_first(places, place, after);
    } else {
        link_place(places, before, place);
        at->way_m = places->places[before].way_m;
        at->unsure_m2 = places->places[before].unsure_m2 + LOST_M * LOST_M;
    }
    if (is_joined) { take_start_over(places, place, store); }
    if (at->after == CAIRN_PLACE_NONE) { return place; }
    lead_way_through(places, place);
    if (!is_joined && !cairn_places_starts_frame(places, at->after)) {
        move_frame(places, at->after, at->map_T_private);
        keep_apart(places, at->after, is_apart);
        split_edge(places, place);
        add_way(places, at->after, 0, LOST_M * LOST_M);
        places->unsolved_count++;
    }
    return place;
}

// A node comes whose next one has already been taken for a place. Only now is it known whether that was reached from
// it, or begins a private frame: it, and all after it in that frame.
static void ask_again(cairn_places *places, const cairn_msg_node *node, const cairn_node_store *store)
{
    const cairn_node_entry *next =
        node->node < UINT32_MAX ? cairn_node_store_find(store, node->robot, node->node + 1) : NULL;
    if (next == NULL || !next->has_pose || next->place == CAIRN_PLACE_NONE) { return; }
    if (tells_stretch(node->stretch) && tells_stretch(next->said.stretch)) { return; } // that was known at once
    cairn_place *at = &places->places[next->place];
    const bool is_lost_now = leads_elsewhere(node, &next->said);
    if (at->node != next->node || at->before == CAIRN_PLACE_NONE ||
        is_lost_now == cairn_places_starts_frame(places, next->place) || !has_room(places, false)) {
        return;
    }
    const cairn_place *before = &places->places[at->before];
    const variances edge = edge_variances(places, store, &next->said, before->node);
    const double length_m =
        cairn_vec2_distance(cairn_pose2_at(before->private_T_place), cairn_pose2_at(at->private_T_place));
    places->graph->factors[at->factor].is_gone = true;
    if (is_lost_now) {
        move_frame(places, next->place, places->robots[at->robot].start);
        start_at(places, next->place);
    } else {
        move_frame(places, next->place, before->map_T_private);
        at->factor = add_edge(places, at->before, next->place, edge);
    }
    add_way(places, next->place, before->way_m + (is_lost_now ? 0 : length_m) - at->way_m,
            before->unsure_m2 + (is_lost_now ? LOST_M * LOST_M : edge.xy_m2) - at->unsure_m2);
    places->unsolved_count++;
}

uint32_t cairn_places_add(cairn_places *places, cairn_pose2 start, const cairn_msg_node *node,
                          const cairn_node_store *store)
{
    cairn_places_robot *robot = &places->robots[node->robot];
    ask_again(places, node, store);
    uint32_t before = robot->last, first = CAIRN_PLACE_NONE;
    if (before == CAIRN_PLACE_NONE) { robot->start = start; }
    while (is_after(places, before, node->node)) {
        first = before;
        before = places->places[before].before;
    }
    const bool is_first = before == CAIRN_PLACE_NONE;
    const bool is_elsewhere = first != CAIRN_PLACE_NONE && tells_stretch(node->stretch) &&
                              tells_stretch(places->places[first].stretch) &&
                              places->places[first].stretch != node->stretch;
    if (is_first && first != CAIRN_PLACE_NONE && !is_elsewhere) { return first; }
    if (!is_first && places->places[before].node == node->node) { return before; } // made room, and came again
    const bool begins = is_first || is_lost(places, before, node, store);
    if (!begins && !has_moved(places, before, node)) { return before; }
    if (!has_room(places, is_first)) {
        places->full_count++;
        return before;
    }
    return begins ? begin_frame(places, before, first, node, store) : go_on(places, before, node, store);
}

cairn_pose2 cairn_places_frame(const cairn_places *places, uint8_t robot, cairn_pose2 start)
{
    const uint32_t last = places->robots[robot].last;
    return last != CAIRN_PLACE_NONE ? places->places[last].map_T_private : start;
}

bool cairn_places_is_apart(const cairn_places *places, uint8_t robot)
{
    const uint32_t last = places->robots[robot].last;
    return last != CAIRN_PLACE_NONE && places->places[last].is_apart;
}

bool cairn_places_is_cut(const cairn_places *places, uint8_t robot)
{
    const uint32_t last = places->robots[robot].last;
    if (last == CAIRN_PLACE_NONE) { return false; }
    const uint16_t stretch = places->places[last].stretch;
    return tells_stretch(stretch) && stretch > 0;
}

void cairn_places_settle(cairn_places *places, uint32_t place, cairn_pose2 map_T_private, double m_dev, double rad_dev)
{
    CAIRN_ASSERT(cairn_places_starts_frame(places, place) && places->places[place].is_apart && m_dev > 0 &&
                 rad_dev > 0);
    move_frame(places, place, map_T_private);
    keep_apart(places, place, false);
    const cairn_pose2 map_T_place = cairn_pose2_compose(map_T_private, places->places[place].private_T_place);
    const double xy = 1 / (m_dev * m_dev);
    cairn_factor *start = &places->graph->factors[places->places[place].factor];
    start->measured = cairn_graph_pose_from2(map_T_place);
    start->information[0] = start->information[3] = xy;
    start->information[5] = 1 / (rad_dev * rad_dev);
    places->unsolved_count++;
}

uint32_t cairn_places_last(const cairn_places *places, uint8_t robot) { return places->robots[robot].last; }

// ---- who waits

void cairn_places_wait(cairn_places *places, uint32_t place)
{
    CAIRN_ASSERT(place != CAIRN_PLACE_NONE && place < places->graph->node_count);
    if (places->places[place].is_tried || places->pending_count == CAIRN_PLACES_MAX) { return; }
    places->places[place].is_tried = true;
    places->pending[(places->pending_first + places->pending_count++) % CAIRN_PLACES_MAX] = place;
}

uint32_t cairn_places_take(cairn_places *places)
{
    if (places->pending_count == 0) { return CAIRN_PLACE_NONE; }
    const uint32_t place = places->pending[places->pending_first];
    places->pending_first = (places->pending_first + 1) % CAIRN_PLACES_MAX;
    places->pending_count--;
    return place;
}
