// Everything that stands in an arena, as oriented boxes.
#include "sim/arena/arena_private.h"

// Two wall ends nearer than this are one corner.
#define CORNER_M 0.001

// A sitting person, seen by a laser at 0.33 m (torso) and by a thermal camera (both). x: facing.
static const cairn_vec3 TORSO_M = {0.28, 0.40, 0.55};
static const cairn_vec3 HEAD_M = {0.20, 0.20, 0.20};
// The same, bent, in a box.
static const cairn_vec3 BOXED_TORSO_M = {0.26, 0.36, 0.45};
static const cairn_vec3 BOXED_HEAD_M = {0.18, 0.18, 0.15};
#define VICTIM_BOX_M 0.64
#define VICTIM_PANEL_M 0.02

// A ramp's slabs reach this far below the floor, so that no gap shows at their sides.
#define RAMP_SUNK_M 0.02

static cairn_solid *add_solid(cairn_sim_arena *arena, cairn_solid_kind kind, uint32_t owner, double temperature_c)
{
    cairn_solid *solid = &arena->solids[arena->solid_count++];
    *solid = (cairn_solid){.kind = kind, .owner = owner, .temperature_c = temperature_c};
    return solid;
}

// An upright box: its middle in the frame of map_T_owner, height counted from the floor.
static void place(cairn_solid *solid, cairn_pose2 map_T_owner, cairn_vec3 middle_m, cairn_vec3 size_m)
{
    solid->map_T_box = cairn_pose3_compose(cairn_pose3_from_pose2(map_T_owner, 0.0),
                                           (cairn_pose3){.at_m = middle_m, .turn = cairn_quat_identity()});
    solid->half_m = cairn_vec3_scale(size_m, 0.5);
}

static bool same_point(cairn_vec2 a, cairn_vec2 b) { return cairn_vec2_distance(a, b) < CORNER_M; }

static bool is_corner(const cairn_sim_arena *arena, uint32_t wall, cairn_vec2 end_m)
{
    for (uint32_t i = 0; i < arena->wall_count; i++) {
        if (i == wall) { continue; }
        if (same_point(arena->walls[i].from_m, end_m) || same_point(arena->walls[i].to_m, end_m)) { return true; }
    }
    return false;
}

// One box along the middle line, longer by half the thickness where it meets another wall's end: corners close.
static void add_wall(cairn_sim_arena *arena, uint32_t index)
{
    const cairn_sim_wall *wall = &arena->walls[index];
    const cairn_vec2 along = cairn_vec2_sub(wall->to_m, wall->from_m);
    const double length_m = cairn_vec2_length(along);
    const double more_m = wall->thickness_m / 2;
    const double start_m = is_corner(arena, index, wall->from_m) ? -more_m : 0.0;
    const double end_m = length_m + (is_corner(arena, index, wall->to_m) ? more_m : 0.0);
    const cairn_pose2 map_T_wall = {wall->from_m.x, wall->from_m.y, atan2(along.y, along.x)};
    cairn_solid *solid = add_solid(arena, CAIRN_SOLID_WALL, index, arena->ambient_c);
    solid->material = wall->material;
    place(solid, map_T_wall, (cairn_vec3){(start_m + end_m) / 2, 0.0, wall->height_m / 2},
          (cairn_vec3){end_m - start_m, wall->thickness_m, wall->height_m});
}

static void add_box(cairn_sim_arena *arena, uint32_t index)
{
    const cairn_sim_box *box = &arena->boxes[index];
    cairn_solid *solid = add_solid(arena, CAIRN_SOLID_BOX, index, arena->ambient_c);
    solid->material = box->material;
    place(solid, box->map_T_box, (cairn_vec3){0.0, 0.0, box->size_m.z / 2}, box->size_m);
}

// A tilted slab whose upper surface runs from the foot at x = -side * length/2 to the edge of the top. It is so
// thick that its underside lies below the floor all along: the part under the ridge that sticks out at the far
// end is inside the other slab, as long as the angle is below 45 degrees.
static void add_slope(cairn_sim_arena *arena, uint32_t index, double side)
{
    const cairn_sim_ramp *ramp = &arena->ramps[index];
    const double run_m = (ramp->length_m - ramp->top_m) / 2;
    const double rise_m = run_m * tan(ramp->angle_rad);
    const double thick_m = (rise_m + RAMP_SUNK_M) / cos(ramp->angle_rad);
    // A turn about y that lifts the end towards the middle.
    const cairn_quat tilt = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, -side * ramp->angle_rad);
    const cairn_vec3 surface_middle_m = {-side * (ramp->top_m + run_m) / 2, 0.0, rise_m / 2};
    const cairn_vec3 down_m = cairn_quat_rotate(tilt, (cairn_vec3){0.0, 0.0, -thick_m / 2});
    cairn_solid *solid = add_solid(arena, CAIRN_SOLID_GROUND, index, arena->ambient_c);
    solid->map_T_box =
        cairn_pose3_compose(cairn_pose3_from_pose2(ramp->map_T_ramp, 0.0),
                            (cairn_pose3){.at_m = cairn_vec3_add(surface_middle_m, down_m), .turn = tilt});
    solid->half_m = (cairn_vec3){run_m / cos(ramp->angle_rad) / 2, ramp->width_m / 2, thick_m / 2};
}

static void add_ramp(cairn_sim_arena *arena, uint32_t index)
{
    add_slope(arena, index, 1.0);
    add_slope(arena, index, -1.0);
    const cairn_sim_ramp *ramp = &arena->ramps[index];
    if (ramp->top_m <= 0.0) { return; }
    const double high_m = (ramp->length_m - ramp->top_m) / 2 * tan(ramp->angle_rad);
    place(add_solid(arena, CAIRN_SOLID_GROUND, index, arena->ambient_c), ramp->map_T_ramp,
          (cairn_vec3){0.0, 0.0, (high_m - RAMP_SUNK_M) / 2},
          (cairn_vec3){ramp->top_m, ramp->width_m, high_m + RAMP_SUNK_M});
}

static void add_figure(cairn_sim_arena *arena, uint32_t index, cairn_vec3 torso_m, cairn_vec3 head_m)
{
    const cairn_sim_victim *victim = &arena->victims[index];
    place(add_solid(arena, CAIRN_SOLID_VICTIM, index, victim->temperature_c), victim->map_T_victim,
          (cairn_vec3){0.0, 0.0, torso_m.z / 2}, torso_m);
    place(add_solid(arena, CAIRN_SOLID_VICTIM, index, victim->temperature_c), victim->map_T_victim,
          (cairn_vec3){0.0, 0.0, torso_m.z + head_m.z / 2}, head_m);
}

// Back, two sides and top, at room temperature; the front, x, is open.
static void add_victim_box(cairn_sim_arena *arena, uint32_t index)
{
    const double outer = VICTIM_BOX_M, panel = VICTIM_PANEL_M, edge = (VICTIM_BOX_M - VICTIM_PANEL_M) / 2;
    const struct {
        cairn_vec3 middle_m, size_m;
    } panels[] = {
        {{-edge, 0, outer / 2}, {panel, outer, outer}},
        {{0, -edge, outer / 2}, {outer, panel, outer}},
        {{0, edge, outer / 2}, {outer, panel, outer}},
        {{0, 0, outer - panel / 2}, {outer, outer, panel}},
    };
    for (size_t i = 0; i < sizeof panels / sizeof panels[0]; i++) {
        place(add_solid(arena, CAIRN_SOLID_VICTIM_BOX, index, arena->ambient_c), arena->victims[index].map_T_victim,
              panels[i].middle_m, panels[i].size_m);
    }
}

static void add_victim(cairn_sim_arena *arena, uint32_t index)
{
    if (arena->victims[index].boxed) {
        add_figure(arena, index, BOXED_TORSO_M, BOXED_HEAD_M);
        add_victim_box(arena, index);
    } else {
        add_figure(arena, index, TORSO_M, HEAD_M);
    }
}

cairn_err cairn_sim_arena_make_solids(cairn_sim_arena *arena, cairn_arena *memory)
{
    const uint32_t solid_max = arena->wall_count + arena->box_count + 3 * arena->ramp_count + 6 * arena->victim_count;
    arena->solid_count = 0;
    arena->solids = CAIRN_TAKE(memory, cairn_solid, solid_max + 1);
    if (arena->solids == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->wall_count; i++) { add_wall(arena, i); }
    for (uint32_t i = 0; i < arena->box_count; i++) { add_box(arena, i); }
    for (uint32_t i = 0; i < arena->ramp_count; i++) { add_ramp(arena, i); }
    for (uint32_t i = 0; i < arena->victim_count; i++) { add_victim(arena, i); }
    CAIRN_ASSERT(arena->solid_count <= solid_max);
    return CAIRN_OK;
}
