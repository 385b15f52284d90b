// Everything that stands in an arena, as oriented boxes: walls, boxes, ramps and victims first, then the other ground,
// then what moves. Element by element the ground is made in element_solids.c and floor_solids.c.
#include "sim/arena/arena_private.h"
#include <stdlib.h>

// Two wall ends nearer than this are one corner.
#define CORNER_M 0.001

// A sitting person, seen by a laser at 0.33 m (torso) and by a thermal camera (both). x: facing.
static const cairn_vec3 TORSO_M = {0.28, 0.40, 0.55};
static const cairn_vec3 HEAD_M = {0.20, 0.20, 0.20};
// The same, bent, in a box.
static const cairn_vec3 BOXED_TORSO_M = {0.26, 0.36, 0.45};
static const cairn_vec3 BOXED_HEAD_M = {0.18, 0.18, 0.15};
static const cairn_vec3 VICTIM_BOX_M = {0.64, 0.64, 0.64};
// Head and arms only, at the back of a box that hangs behind a hole of a wall.
static const cairn_vec3 HUNG_M = {0.12, 0.40, 0.30};
static const cairn_vec3 HUNG_BOX_M = {CAIRN_HUNG_BOX_DEEP_M, CAIRN_HUNG_BOX_WIDE_M, CAIRN_HUNG_BOX_HIGH_M};
#define VICTIM_PANEL_M 0.02

// A standing person, and something the size of a barrel. x: the way it goes.
static const cairn_vec3 BYSTANDER_M = {0.35, 0.50, 1.70};
static const cairn_vec3 HAZARD_M = {0.50, 0.50, 0.90};

cairn_solid *cairn_solid_list_add(cairn_solid_list *list, cairn_solid_kind kind, uint32_t owner)
{
    cairn_solid *solid = list->count < list->max ? &list->solids[list->count] : &list->spill;
    list->count++;
    *solid = (cairn_solid){.kind = kind, .owner = owner, .temperature_c = list->ambient_c};
    return solid;
}

void cairn_solid_place(cairn_solid *solid, cairn_pose2 map_T_owner, cairn_vec3 middle_m, cairn_vec3 size_m)
{
    solid->map_T_box = cairn_pose3_compose(cairn_pose3_from_pose2(map_T_owner, 0.0),
                                           (cairn_pose3){.at_m = middle_m, .turn = cairn_quat_identity()});
    solid->half_m = cairn_vec3_scale(size_m, 0.5);
}

// Ends of walls, from west to east, so that the ends near a point are found fast.
typedef struct wall_end {
    cairn_vec2 at_m;
    uint32_t wall;
} wall_end;

typedef struct wall_ends {
    wall_end *ends;
    uint32_t count;
} wall_ends;

static int by_x(const void *a, const void *b)
{
    const wall_end *one = a, *other = b;
    if (one->at_m.x != other->at_m.x) { return one->at_m.x < other->at_m.x ? -1 : 1; }
    return one->wall < other->wall ? -1 : one->wall > other->wall;
}

static cairn_err sort_ends(const cairn_sim_arena *arena, cairn_arena *memory, wall_ends *ret_ends)
{
    const wall_ends ends = {CAIRN_TAKE(memory, wall_end, 2 * (size_t)arena->wall_count + 1), 2 * arena->wall_count};
    if (ends.ends == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->wall_count; i++) {
        ends.ends[2 * i] = (wall_end){arena->walls[i].from_m, i};
        ends.ends[2 * i + 1] = (wall_end){arena->walls[i].to_m, i};
    }
    qsort(ends.ends, ends.count, sizeof ends.ends[0], by_x);
    *ret_ends = ends;
    return CAIRN_OK;
}

static bool same_point(cairn_vec2 a, cairn_vec2 b) { return cairn_vec2_distance(a, b) < CORNER_M; }

static bool is_corner(const wall_ends *ends, uint32_t wall, cairn_vec2 end_m)
{
    uint32_t low = 0, high = ends->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ends->ends[middle].at_m.x < end_m.x - CORNER_M) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint32_t i = low; i < ends->count && ends->ends[i].at_m.x <= end_m.x + CORNER_M; i++) {
        if (ends->ends[i].wall != wall && same_point(ends->ends[i].at_m, end_m)) { return true; }
    }
    return false;
}

// One box along the middle line, longer by half the thickness where it meets another wall's end: corners close.
static void add_wall(cairn_solid_list *list, const cairn_sim_arena *arena, const wall_ends *ends, uint32_t index)
{
    const cairn_sim_wall *wall = &arena->walls[index];
    const cairn_vec2 along = cairn_vec2_sub(wall->to_m, wall->from_m);
    const double length_m = cairn_vec2_length(along);
    const double more_m = wall->thickness_m / 2;
    const double start_m = is_corner(ends, index, wall->from_m) ? -more_m : 0.0;
    const double end_m = length_m + (is_corner(ends, index, wall->to_m) ? more_m : 0.0);
    const cairn_pose2 map_T_wall = {wall->from_m.x, wall->from_m.y, atan2(along.y, along.x)};
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_WALL, index);
    solid->material = wall->material;
    cairn_solid_place(solid, map_T_wall, (cairn_vec3){(start_m + end_m) / 2, 0.0, wall->foot_m + wall->height_m / 2},
                      (cairn_vec3){end_m - start_m, wall->thickness_m, wall->height_m});
}

static void add_box(cairn_solid_list *list, const cairn_sim_box *box, uint32_t index)
{
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_BOX, index);
    solid->material = box->material;
    cairn_solid_place(solid, box->map_T_box, (cairn_vec3){0.0, 0.0, box->foot_m + box->size_m.z / 2}, box->size_m);
}

static void add_person(cairn_solid_list *list, const cairn_sim_victim *victim, uint32_t index, cairn_vec3 torso_m,
                       cairn_vec3 head_m)
{
    const double middles_m[] = {torso_m.z / 2, torso_m.z + head_m.z / 2};
    const cairn_vec3 sizes_m[] = {torso_m, head_m};
    for (int i = 0; i < 2; i++) {
        cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_VICTIM, index);
        solid->temperature_c = victim->temperature_c;
        cairn_solid_place(solid, victim->map_T_victim, (cairn_vec3){0.0, 0.0, victim->foot_m + middles_m[i]},
                          sizes_m[i]);
    }
}

// Back, two sides, top and bottom, at room temperature; the front, x, is open. What stands on the floor has no bottom.
static void add_victim_box(cairn_solid_list *list, const cairn_sim_victim *victim, uint32_t index, cairn_vec3 box_m)
{
    const double panel = VICTIM_PANEL_M, back = (box_m.x - panel) / 2, side = (box_m.y - panel) / 2;
    const struct {
        cairn_vec3 middle_m, size_m;
    } panels[] = {
        {{-back, 0, box_m.z / 2}, {panel, box_m.y, box_m.z}}, {{0, -side, box_m.z / 2}, {box_m.x, panel, box_m.z}},
        {{0, side, box_m.z / 2}, {box_m.x, panel, box_m.z}},  {{0, 0, box_m.z - panel / 2}, {box_m.x, box_m.y, panel}},
        {{0, 0, panel / 2}, {box_m.x, box_m.y, panel}},
    };
    const size_t count = sizeof panels / sizeof panels[0] - !victim->hangs;
    for (size_t i = 0; i < count; i++) {
        cairn_vec3 middle_m = panels[i].middle_m;
        middle_m.z += victim->foot_m;
        cairn_solid_place(cairn_solid_list_add(list, CAIRN_SOLID_VICTIM_BOX, index), victim->map_T_victim, middle_m,
                          panels[i].size_m);
    }
}

static void add_hung_person(cairn_solid_list *list, const cairn_sim_victim *victim, uint32_t index)
{
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_VICTIM, index);
    solid->temperature_c = victim->temperature_c;
    const double back_m = HUNG_BOX_M.x / 2 - VICTIM_PANEL_M - HUNG_M.x / 2;
    cairn_solid_place(solid, victim->map_T_victim, (cairn_vec3){-back_m, 0.0, victim->foot_m + HUNG_BOX_M.z / 2},
                      HUNG_M);
}

static void add_victim(cairn_solid_list *list, const cairn_sim_victim *victim, uint32_t index)
{
    if (victim->hangs) {
        add_hung_person(list, victim, index);
        add_victim_box(list, victim, index, HUNG_BOX_M);
    } else if (victim->boxed) {
        add_person(list, victim, index, BOXED_TORSO_M, BOXED_HEAD_M);
        add_victim_box(list, victim, index, VICTIM_BOX_M);
    } else {
        add_person(list, victim, index, TORSO_M, HEAD_M);
    }
}

static void add_door(cairn_solid_list *list, const cairn_sim_door *door, uint32_t index)
{
    const cairn_vec2 along = cairn_vec2_sub(door->latch_m, door->hinge_m);
    const cairn_pose2 map_T_leaf = {door->hinge_m.x, door->hinge_m.y,
                                    cairn_angle_wrap(atan2(along.y, along.x) + (door->open ? door->open_rad : 0.0))};
    const double width_m = cairn_vec2_length(along);
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_DOOR, index);
    solid->material = door->material;
    cairn_solid_place(solid, map_T_leaf, (cairn_vec3){width_m / 2, 0.0, door->foot_m + door->height_m / 2},
                      (cairn_vec3){width_m, door->thickness_m, door->height_m});
}

static void add_block(cairn_solid_list *list, const cairn_sim_block *block, uint32_t index)
{
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_BLOCK, index);
    solid->material = block->material;
    cairn_solid_place(solid, block->map_T_block, (cairn_vec3){0.0, 0.0, block->foot_m + block->size_m.z / 2},
                      block->size_m);
}

// At the beginning of its way, facing along it.
static void add_figure(cairn_solid_list *list, const cairn_sim_figure *figure, uint32_t index)
{
    const cairn_vec3 size_m = figure->kind == CAIRN_FIGURE_HAZARD ? HAZARD_M : BYSTANDER_M;
    const cairn_vec2 at_m = figure->points_m[0];
    const cairn_vec2 along =
        figure->point_count > 1 ? cairn_vec2_sub(figure->points_m[1], at_m) : (cairn_vec2){1.0, 0.0};
    cairn_solid *solid = cairn_solid_list_add(list, CAIRN_SOLID_FIGURE, index);
    solid->temperature_c = figure->temperature_c;
    cairn_solid_place(solid, (cairn_pose2){at_m.x, at_m.y, atan2(along.y, along.x)},
                      (cairn_vec3){0.0, 0.0, size_m.z / 2}, size_m);
}

static cairn_err add_all(cairn_solid_list *list, const cairn_sim_arena *arena, const cairn_sim_elements *elements,
                         const wall_ends *ends, cairn_arena *memory)
{
    for (uint32_t i = 0; i < arena->wall_count; i++) { add_wall(list, arena, ends, i); }
    for (uint32_t i = 0; i < arena->box_count; i++) { add_box(list, &arena->boxes[i], i); }
    for (uint32_t i = 0; i < arena->ramp_count; i++) { cairn_ramp_add_solids(list, &arena->ramps[i], i); }
    for (uint32_t i = 0; i < arena->victim_count; i++) { add_victim(list, &arena->victims[i], i); }
    if (elements != NULL) {
        const cairn_err err = cairn_elements_add_solids(list, elements, arena->size_m, arena->ramp_count, memory);
        if (err != CAIRN_OK) { return err; }
    }
    for (uint32_t i = 0; i < arena->door_count; i++) { add_door(list, &arena->doors[i], i); }
    for (uint32_t i = 0; i < arena->block_count; i++) { add_block(list, &arena->blocks[i], i); }
    for (uint32_t i = 0; i < arena->figure_count; i++) { add_figure(list, &arena->figures[i], i); }
    return CAIRN_OK;
}

// What moves is last in the list, in the order of movers.
static cairn_err make_movers(cairn_sim_arena *arena, cairn_arena *memory)
{
    arena->mover_count = arena->door_count + arena->block_count + arena->figure_count;
    arena->movers = CAIRN_TAKE(memory, cairn_mover, arena->mover_count + 1);
    if (arena->movers == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->mover_count; i++) {
        const uint32_t solid = arena->solid_count - arena->mover_count + i;
        arena->movers[i] = (cairn_mover){arena->solids[solid].kind, arena->solids[solid].owner, solid};
    }
    return CAIRN_OK;
}

static cairn_err make_fields(cairn_sim_arena *arena, const cairn_sim_elements *elements, cairn_arena *memory)
{
    const uint32_t count = elements != NULL ? elements->rough_count : 0;
    uint64_t corner_count = 0;
    for (uint32_t i = 0; i < count; i++) { corner_count += cairn_rough_corner_count(&elements->rough[i]); }
    if (corner_count > CAIRN_ARENA_CORNERS_MAX) { return CAIRN_ERR_TOO_LARGE; }
    arena->field_count = 0;
    arena->fields = CAIRN_TAKE(memory, cairn_height_field, count + 1);
    if (arena->fields == NULL) { return CAIRN_ERR_FULL; }
    for (; arena->field_count < count; arena->field_count++) {
        const cairn_err err =
            cairn_rough_make_field(&elements->rough[arena->field_count], memory, &arena->fields[arena->field_count]);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

// Counts the solids and makes them, with working memory for the while.
static cairn_err make_list(cairn_sim_arena *arena, const cairn_sim_elements *elements, cairn_arena *memory)
{
    const size_t mark = cairn_arena_mark(memory);
    cairn_solid_list list = {.ambient_c = arena->ambient_c};
    wall_ends ends;
    cairn_err err = sort_ends(arena, memory, &ends);
    if (err == CAIRN_OK) { err = add_all(&list, arena, elements, &ends, memory); }
    cairn_arena_reset(memory, mark);
    if (err != CAIRN_OK) { return err; }
    if (list.count > CAIRN_ARENA_SOLIDS_MAX) { return CAIRN_ERR_TOO_LARGE; }

    arena->solid_count = list.count;
    arena->solids = CAIRN_TAKE(memory, cairn_solid, list.count + 1);
    if (arena->solids == NULL) { return CAIRN_ERR_FULL; }
    const size_t work_mark = cairn_arena_mark(memory);
    list = (cairn_solid_list){.solids = arena->solids, .max = list.count, .ambient_c = arena->ambient_c};
    err = sort_ends(arena, memory, &ends);
    if (err == CAIRN_OK) { err = add_all(&list, arena, elements, &ends, memory); }
    cairn_arena_reset(memory, work_mark);
    CAIRN_ASSERT(err != CAIRN_OK || list.count == arena->solid_count);
    return err;
}

cairn_err cairn_sim_arena_make_all(cairn_sim_arena *arena, const cairn_sim_elements *elements, cairn_arena *memory)
{
    arena->has_holes = elements != NULL && elements->hole_count + elements->ditch_count > 0;
    cairn_err err = make_list(arena, elements, memory);
    if (err == CAIRN_OK) { err = make_movers(arena, memory); }
    if (err == CAIRN_OK) { err = make_fields(arena, elements, memory); }
    return err;
}

cairn_err cairn_sim_arena_make_solids(cairn_sim_arena *arena, cairn_arena *memory)
{
    return cairn_sim_arena_make_all(arena, NULL, memory);
}
