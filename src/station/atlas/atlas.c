#include "station/atlas/atlas.h"
#include "maps/codec/planes_codec.h"
#include "maps/codec/terrain_codec.h"
#include "station/atlas/kept_map.h"

#define STEPS_PER_CELL 10 // poses are rounded to: more draws more maps again for less
#define STEPS_PER_RAD 1000
#define STANDS_M 0.02     // nodes whose place moved by less are not drawn again: solves move everything a little
#define STANDS_RAD 0.003  // likewise: 2 cm at the map's edge
#define FOLLOWED_MAX 4096 // nodes that are looked at in one step

cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def, const cairn_places_def *places,
                           cairn_arena *arena)
{
    *atlas = (cairn_atlas){.x_min = def->width, .y_min = def->height};
    const cairn_err err = cairn_raster_create(def, arena, &atlas->raster);
    if (err != CAIRN_OK) { return err; }
    atlas->searched = CAIRN_TAKE(arena, uint8_t, (size_t)def->width * def->height);
    uint8_t *scratch = CAIRN_TAKE(arena, uint8_t, CAIRN_PLANES_SCRATCH_BYTES);
    atlas->searched_from = CAIRN_TAKE(arena, uint16_t, (size_t)def->width * def->height);
    atlas->searched_T = CAIRN_TAKE(arena, cairn_pose2, CAIRN_PLACES_MAX);
    if (atlas->searched == NULL || scratch == NULL || atlas->searched_from == NULL || atlas->searched_T == NULL) {
        return CAIRN_ERR_FULL;
    }
    cairn_arena_init(&atlas->scratch, scratch, CAIRN_PLANES_SCRATCH_BYTES);
    const cairn_err places_err = cairn_places_create(places, arena, &atlas->places);
    return places_err == CAIRN_OK ? cairn_node_store_init(&atlas->nodes, arena) : places_err;
}

cairn_pose2 cairn_atlas_map_pose(const cairn_node_entry *node)
{
    CAIRN_ASSERT(node->has_pose);
    if (!node->terrain.is_upright) { return node->map_T_node; }
    const double yaw_rad = cairn_angle_wrap(node->map_T_node.yaw_rad - node->said.yaw_urad * 1e-6);
    return (cairn_pose2){node->map_T_node.x_m, node->map_T_node.y_m, yaw_rad};
}

// All but the cells. An upright map's corner is told from its node, so that it moves with it; as long as that has not
// come, from the private frame's origin.
static void set_head(const cairn_node_entry *node, const cairn_terrain_head *head, cairn_terrain_planes *ret_planes)
{
    const bool is_from_node = head->is_upright && node != NULL && node->has_pose;
    const int32_t from_x_mm = is_from_node ? node->said.x_mm : 0, from_y_mm = is_from_node ? node->said.y_mm : 0;
    ret_planes->cell_m = head->cell_mm * 1e-3;
    ret_planes->width = head->width;
    ret_planes->height = head->height;
    ret_planes->origin_m = (cairn_vec2){(head->x_mm - from_x_mm) * 1e-3, (head->y_mm - from_y_mm) * 1e-3};
}

static cairn_err read_map(const cairn_atlas *atlas, const cairn_node_entry *node, cairn_terrain_planes *ret_planes,
                          cairn_kept_spots *ret_spots)
{
    const uint8_t *kept = cairn_node_store_kept(&atlas->nodes, node);
    if (kept == NULL) { return CAIRN_ERR_EMPTY; }
    set_head(node, &node->terrain, ret_planes);
    return cairn_kept_map_read(kept, node->kept_bytes, ret_planes, ret_spots);
}

cairn_err cairn_atlas_planes(const cairn_atlas *atlas, const cairn_node_entry *node, cairn_terrain_planes *ret_planes)
{
    cairn_kept_spots spots;
    return read_map(atlas, node, ret_planes, &spots);
}

cairn_err cairn_atlas_votes(const cairn_atlas *atlas, const cairn_node_entry *node, cairn_terrain_planes *ret_planes)
{
    cairn_kept_spots spots;
    const cairn_err err = read_map(atlas, node, ret_planes, &spots);
    if (err == CAIRN_OK) { cairn_kept_spots_hide(&spots, ret_planes); }
    return err;
}

static void keep_map(cairn_atlas *atlas, cairn_node_entry *node, const cairn_terrain_planes *planes,
                     const cairn_kept_spots *spots)
{
    uint8_t bytes[CAIRN_KEPT_MAP_BYTES_MAX];
    const size_t size = cairn_kept_map_write(planes, spots, bytes);
    cairn_node_store_keep(&atlas->nodes, node, bytes, (uint32_t)size);
}

static cairn_pose2 drawn_pose(const cairn_atlas *atlas, cairn_pose2 pose)
{
    const double step_m = atlas->raster->def.cell_m / STEPS_PER_CELL;
    return (cairn_pose2){step_m * round(pose.x_m / step_m), step_m * round(pose.y_m / step_m),
                         round(pose.yaw_rad * STEPS_PER_RAD) / STEPS_PER_RAD};
}

static bool are_same(cairn_pose2 a, cairn_pose2 b)
{
    return a.x_m == b.x_m && a.y_m == b.y_m && a.yaw_rad == b.yaw_rad;
}

static void settle(cairn_atlas *atlas)
{
    const cairn_raster *raster = atlas->raster;
    cairn_raster_settle(atlas->raster);
    if (raster->known_count == 0) { return; }
    atlas->x_min = raster->x_min < atlas->x_min ? raster->x_min : atlas->x_min;
    atlas->y_min = raster->y_min < atlas->y_min ? raster->y_min : atlas->y_min;
    atlas->x_max = raster->x_max > atlas->x_max ? raster->x_max : atlas->x_max;
    atlas->y_max = raster->y_max > atlas->y_max ? raster->y_max : atlas->y_max;
}

// By the robot's own clock: a node that waited until somebody heard it counts as what was seen then.
static uint8_t era_of(cairn_atlas *atlas, const cairn_fleet_robot *robot, const cairn_msg_node *node)
{
    if (!robot->heard) { return 0; }
    if (!atlas->has_begun) {
        atlas->has_begun = true;
        atlas->began = robot->heard_at;
    }
    const double age_s = cairn_seconds(robot->telemetry.mono_ns) - cairn_seconds(node->mono_ns);
    const double heard_s = cairn_seconds(cairn_mono_since(robot->heard_at, atlas->began));
    return (uint8_t)cairn_raster_era(heard_s - fmax(age_s, 0.0));
}

static void find_spots(const cairn_fleet *fleet, const cairn_node_entry *node, const cairn_terrain_planes *planes,
                       cairn_kept_spots *ret_spots)
{
    ret_spots->count = 0;
    for (uint32_t i = 0; i < fleet->count; i++) {
        const cairn_fleet_robot *other = &fleet->robots[i];
        if (other->id == node->robot || !other->heard || other->unplaced) { continue; }
        cairn_kept_spots_add(ret_spots, planes,
                             cairn_pose2_at(cairn_pose2_between(cairn_atlas_map_pose(node), other->map_T_base)));
    }
}

// Once a node and its map are both there; atlas->planes has the map.
static void vote(cairn_atlas *atlas, cairn_node_entry *node, const cairn_kept_spots *spots)
{
    node->voted = true;
    cairn_kept_spots_hide(spots, &atlas->planes);
    cairn_raster_add(atlas->raster, drawn_pose(atlas, cairn_atlas_map_pose(node)), &atlas->planes, node->era);
    settle(atlas);
    atlas->terrain_count++;
    if (atlas->places->places[node->place].node == node->node) { cairn_places_wait(atlas->places, node->place); }
}

// What a robot has seen where nobody knows where that is waits until somebody does.
static bool may_vote(const cairn_atlas *atlas, const cairn_node_entry *node)
{
    return node->has_pose && node->has_map && !node->voted && !atlas->places->places[node->place].is_apart;
}

// A map that waited for its node is kept once more if there were robots in it.
static void vote_late(cairn_atlas *atlas, const cairn_fleet *fleet, cairn_node_entry *node)
{
    cairn_kept_spots spots;
    if (read_map(atlas, node, &atlas->planes, &spots) != CAIRN_OK) {
        atlas->refused_count++;
        return;
    }
    find_spots(fleet, node, &atlas->planes, &spots);
    if (spots.count > 0) {
        cairn_node_store_drop(&atlas->nodes, node);
        keep_map(atlas, node, &atlas->planes, &spots);
    }
    vote(atlas, node, &spots);
}

static uint32_t hang(cairn_atlas *atlas, const cairn_fleet_robot *robot, const cairn_msg_node *node)
{
    const uint32_t count = atlas->places->graph->node_count;
    const uint32_t place = cairn_places_add(atlas->places, robot->map_T_private, node, &atlas->nodes);
    if (place == count) { atlas->searched_T[place] = atlas->places->places[place].map_T_private; } // a new one
    return place;
}

// Where a node is by its place.
static cairn_pose2 place_of(const cairn_atlas *atlas, const cairn_node_entry *node)
{
    const cairn_pose2 private_T_node = {node->said.x_mm * 1e-3, node->said.y_mm * 1e-3, node->said.yaw_urad * 1e-6};
    return cairn_pose2_compose(atlas->places->places[node->place].map_T_private, private_T_node);
}

void cairn_atlas_add_node(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                          const cairn_msg_node *node)
{
    cairn_node_entry *entry = cairn_node_store_add(&atlas->nodes, robot->id, node->node);
    if (entry->has_pose) {
        atlas->repeated_count++;
        return;
    }
    entry->place = hang(atlas, robot, node);
    entry->has_pose = true;
    entry->said = *node;
    entry->map_T_node = place_of(atlas, entry);
    entry->era = era_of(atlas, robot, node);
    atlas->node_count++;
    if (may_vote(atlas, entry)) { vote_late(atlas, fleet, entry); }
}

static bool has_map(const cairn_atlas *atlas, uint8_t robot, uint32_t node)
{
    const cairn_node_entry *entry = cairn_node_store_find(&atlas->nodes, robot, node);
    return entry != NULL && entry->has_map;
}

// Of a map whose cells are in atlas->planes.
static void add_map(cairn_atlas *atlas, const cairn_fleet *fleet, uint8_t robot, uint32_t node,
                    const cairn_terrain_head *head)
{
    cairn_node_entry *entry = cairn_node_store_add(&atlas->nodes, robot, node);
    entry->has_map = true;
    entry->terrain = *head;
    set_head(entry, head, &atlas->planes);
    cairn_kept_spots spots = {0};
    const bool votes = may_vote(atlas, entry);
    if (votes) { find_spots(fleet, entry, &atlas->planes, &spots); }
    keep_map(atlas, entry, &atlas->planes, &spots);
    if (votes) { vote(atlas, entry, &spots); }
}

void cairn_atlas_add_terrain_code(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                                  const cairn_msg_terrain_code *terrain)
{
    if (has_map(atlas, robot->id, terrain->node)) {
        atlas->repeated_count++;
        return;
    }
    const cairn_terrain_head head = {terrain->cell_mm, terrain->width, terrain->height, false,
                                     terrain->x_mm,    terrain->y_mm};
    set_head(NULL, &head, &atlas->planes);
    if (cairn_terrain_decode(terrain->code, terrain->code_count, &atlas->planes) != CAIRN_OK) {
        atlas->refused_count++;
        return;
    }
    add_map(atlas, fleet, robot->id, terrain->node, &head);
}

// The map that this one refers to, in atlas->earlier. CAIRN_ERR_EMPTY: not kept; CAIRN_ERR_CORRUPT: another than meant.
static cairn_err find_earlier(cairn_atlas *atlas, uint8_t robot, const cairn_msg_terrain_grid *terrain,
                              cairn_planes_earlier *ret_earlier)
{
    const cairn_node_entry *node = cairn_node_store_find(&atlas->nodes, robot, terrain->after_node);
    if (node == NULL || !node->has_map) { return CAIRN_ERR_EMPTY; }
    const cairn_err err = cairn_atlas_planes(atlas, node, &atlas->earlier);
    if (err != CAIRN_OK) { return err; }
    const int32_t x_mm = terrain->x_mm - node->terrain.x_mm, y_mm = terrain->y_mm - node->terrain.y_mm;
    const bool is_meant = node->terrain.is_upright && node->terrain.cell_mm == terrain->cell_mm &&
                          x_mm % terrain->cell_mm == 0 && y_mm % terrain->cell_mm == 0 &&
                          cairn_planes_hash(&atlas->earlier) == terrain->after_hash;
    *ret_earlier = (cairn_planes_earlier){&atlas->earlier, x_mm / terrain->cell_mm, y_mm / terrain->cell_mm};
    return is_meant ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}

void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_grid *terrain)
{
    if (has_map(atlas, robot->id, terrain->node)) {
        atlas->repeated_count++;
        return;
    }
    const cairn_terrain_head head = {terrain->cell_mm, terrain->width, terrain->height, true,
                                     terrain->x_mm,    terrain->y_mm};
    set_head(NULL, &head, &atlas->planes);
    cairn_planes_earlier earlier;
    const bool refers = terrain->after_node != 0;
    cairn_err err = refers ? find_earlier(atlas, robot->id, terrain, &earlier) : CAIRN_OK;
    if (err == CAIRN_OK) {
        err = cairn_planes_decode(terrain->code, terrain->code_count, refers ? &earlier : NULL, &atlas->scratch,
                                  &atlas->planes);
    }
    if (err != CAIRN_OK) {
        atlas->refused_count++;
        return;
    }
    add_map(atlas, fleet, robot->id, terrain->node, &head);
}

static void move_node(cairn_atlas *atlas, cairn_node_entry *node, cairn_pose2 map_T_node, cairn_atlas_moved *moved)
{
    const cairn_pose2 from = drawn_pose(atlas, cairn_atlas_map_pose(node));
    node->map_T_node = map_T_node;
    const cairn_pose2 to = drawn_pose(atlas, cairn_atlas_map_pose(node));
    if (!node->voted || are_same(from, to)) {
        moved->stood_count++;
    } else if (cairn_atlas_votes(atlas, node, &atlas->planes) != CAIRN_OK) {
        moved->fixed_count++;
    } else {
        cairn_raster_take_back(atlas->raster, from, &atlas->planes, node->era);
        cairn_raster_add(atlas->raster, to, &atlas->planes, node->era);
        moved->redrawn_count++;
    }
}

cairn_atlas_moved cairn_atlas_move_nodes(cairn_atlas *atlas, const cairn_atlas_move *moves, size_t count)
{
    cairn_atlas_moved moved = {0};
    for (size_t i = 0; i < count; i++) {
        const cairn_pose2 pose = moves[i].map_T_node;
        CAIRN_ASSERT(isfinite(pose.x_m) && isfinite(pose.y_m) && isfinite(pose.yaw_rad));
        cairn_node_entry *node = cairn_node_store_find(&atlas->nodes, moves[i].robot, moves[i].node);
        if (node == NULL || !node->has_pose) {
            moved.strange_count++;
        } else {
            move_node(atlas, node, pose, &moved);
        }
    }
    settle(atlas);
    return moved;
}

void cairn_atlas_settle(cairn_atlas *atlas, uint32_t head, const cairn_atlas_found *found)
{
    cairn_places *places = atlas->places;
    cairn_places_settle(places, head, found->map_T_private, found->m_dev, found->rad_dev);
    for (uint32_t i = head; i != CAIRN_PLACE_NONE && (i == head || !cairn_places_starts_frame(places, i));
         i = places->places[i].after) {
        atlas->searched_T[i] = places->places[i].map_T_private;
    }
    cairn_atlas_places_moved(atlas);
}

void cairn_atlas_places_moved(cairn_atlas *atlas) { atlas->unfollowed_count = cairn_node_store_count(&atlas->nodes); }

static cairn_node_entry *next_to_follow(cairn_atlas *atlas)
{
    const cairn_node_store *nodes = &atlas->nodes;
    const uint64_t oldest = nodes->added_count - cairn_node_store_count(nodes);
    if (atlas->follow_at < oldest || atlas->follow_at >= nodes->added_count) { atlas->follow_at = oldest; }
    return &nodes->entries[atlas->follow_at++ % CAIRN_NODES_MAX];
}

// A map of a stretch that was apart. Where others stood when it was seen nobody can tell any more.
static void vote_found(cairn_atlas *atlas, cairn_node_entry *node, cairn_atlas_moved *moved)
{
    cairn_kept_spots spots;
    if (read_map(atlas, node, &atlas->planes, &spots) != CAIRN_OK) { return; }
    vote(atlas, node, &spots);
    moved->redrawn_count++;
}

cairn_atlas_moved cairn_atlas_follow(cairn_atlas *atlas, uint32_t redrawn_max)
{
    cairn_atlas_moved moved = {0};
    for (uint32_t i = 0; i < FOLLOWED_MAX && atlas->unfollowed_count > 0 && moved.redrawn_count < redrawn_max; i++) {
        cairn_node_entry *node = next_to_follow(atlas);
        atlas->unfollowed_count--;
        if (!node->has_pose) { continue; }
        const cairn_pose2 to = place_of(atlas, node);
        const cairn_pose2 off = cairn_pose2_between(node->map_T_node, to);
        const bool stands = cairn_vec2_length(cairn_pose2_at(off)) < STANDS_M && fabs(off.yaw_rad) < STANDS_RAD;
        if (!stands) { move_node(atlas, node, to, &moved); }
        if (may_vote(atlas, node)) { vote_found(atlas, node, &moved); }
    }
    if (moved.redrawn_count > 0) { settle(atlas); }
    return moved;
}

const cairn_node_entry *cairn_atlas_node(const cairn_atlas *atlas, uint8_t robot, uint32_t node)
{
    return cairn_node_store_find(&atlas->nodes, robot, node);
}
