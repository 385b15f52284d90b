// Ground to climb, as oriented boxes of kind GROUND.
//
// Every box reaches a little below the ground that it stands on, so that no gap shows at its sides. What is equally
// high and side by side is one box: fewer seams for wheels to catch on, and less to compute.
#include "base/random.h"
#include "sim/arena/arena_private.h"

#define SUNK_M 0.02
// A slope's upper plate. Thicker: fewer boxes below it; its end sticks out further, by thickness times sine.
#define PLATE_M 0.15
#define BOTTOM_M 0.1 // thickness of a pit's bottom

static cairn_solid *add(cairn_solid_list *list, uint32_t owner)
{
    return cairn_solid_list_add(list, CAIRN_SOLID_GROUND, owner);
}

// A box from x0 to x1 and from z0 to z1 in the frame of map_T_owner, in the middle of its y.
static cairn_solid *add_upright(cairn_solid_list *list, uint32_t owner, cairn_pose2 map_T_owner, const double x_m[2],
                                const double z_m[2], double width_m)
{
    cairn_solid *solid = add(list, owner);
    cairn_solid_place(solid, map_T_owner, (cairn_vec3){(x_m[0] + x_m[1]) / 2, 0.0, (z_m[0] + z_m[1]) / 2},
                      (cairn_vec3){x_m[1] - x_m[0], width_m, z_m[1] - z_m[0]});
    return solid;
}

// Upper surface of a tilted slab, in the frame of its owner: it rises (rise_m > 0) or falls along x.
typedef struct incline {
    double x_m, z_m; // of the lower x end
    double run_m, rise_m;
    double width_m;
} incline;

static cairn_solid *add_tilted(cairn_solid_list *list, uint32_t owner, cairn_pose2 map_T_owner, const incline *top,
                               double thick_m)
{
    const double angle_rad = atan2(top->rise_m, top->run_m);
    const cairn_quat tilt = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, -angle_rad);
    const cairn_vec3 surface_middle_m = {top->x_m + top->run_m / 2, 0.0, top->z_m + top->rise_m / 2};
    const cairn_vec3 down_m = cairn_quat_rotate(tilt, (cairn_vec3){0.0, 0.0, -thick_m / 2});
    cairn_solid *solid = add(list, owner);
    solid->map_T_box =
        cairn_pose3_compose(cairn_pose3_from_pose2(map_T_owner, 0.0),
                            (cairn_pose3){.at_m = cairn_vec3_add(surface_middle_m, down_m), .turn = tilt});
    solid->half_m = (cairn_vec3){hypot(top->run_m, top->rise_m) / 2, top->width_m / 2, thick_m / 2};
    return solid;
}

// Along the slopes of a ridge or slope. Solids are made before it is checked that the top is shorter than the whole.
static double both_runs_m(const cairn_sim_ramp *ramp) { return fmax(ramp->length_m - ramp->top_m, 0.01); }

// One side of a ridge, whose surface runs from the foot at x = -side * length/2 to the edge of the top. The slab is so
// thick that its underside lies below the floor all along: the part under the ridge that sticks out at the far end is
// inside the other slab, as long as the angle is at most 45 degrees.
static void add_side(cairn_solid_list *list, const cairn_sim_ramp *ramp, uint32_t owner, double side)
{
    const double run_m = both_runs_m(ramp) / 2;
    const double rise_m = run_m * tan(ramp->angle_rad);
    const double thick_m = (rise_m + SUNK_M) / cos(ramp->angle_rad);
    // A turn about y that lifts the end towards the middle.
    const cairn_quat tilt = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, -side * ramp->angle_rad);
    const cairn_vec3 surface_middle_m = {-side * (ramp->top_m + run_m) / 2, 0.0, ramp->foot_m + rise_m / 2};
    const cairn_vec3 down_m = cairn_quat_rotate(tilt, (cairn_vec3){0.0, 0.0, -thick_m / 2});
    cairn_solid *solid = add(list, owner);
    solid->map_T_box =
        cairn_pose3_compose(cairn_pose3_from_pose2(ramp->map_T_ramp, 0.0),
                            (cairn_pose3){.at_m = cairn_vec3_add(surface_middle_m, down_m), .turn = tilt});
    solid->half_m = (cairn_vec3){run_m / cos(ramp->angle_rad) / 2, ramp->width_m / 2, thick_m / 2};
}

static void add_ridge(cairn_solid_list *list, const cairn_sim_ramp *ramp, uint32_t owner)
{
    add_side(list, ramp, owner, 1.0);
    add_side(list, ramp, owner, -1.0);
    if (ramp->top_m <= 0.0) { return; }
    const double high_m = both_runs_m(ramp) / 2 * tan(ramp->angle_rad);
    cairn_solid_place(add(list, owner), ramp->map_T_ramp, (cairn_vec3){0.0, 0.0, ramp->foot_m + (high_m - SUNK_M) / 2},
                      (cairn_vec3){ramp->top_m, ramp->width_m, high_m + SUNK_M});
}

// A plate, and steps below it that fill the room under it: a slab as thick as a ridge's would stick out at its high
// end. Each step reaches up to the height of the plate's surface at the step's lower end less a little, which is still
// within the plate.
static void add_slope(cairn_solid_list *list, const cairn_sim_ramp *ramp, uint32_t owner)
{
    const double run_m = both_runs_m(ramp), rise_m = run_m * tan(ramp->angle_rad);
    const double low_m = -ramp->length_m / 2, foot_m = ramp->foot_m;
    const incline top = {.x_m = low_m, .z_m = foot_m, .run_m = run_m, .rise_m = rise_m, .width_m = ramp->width_m};
    add_tilted(list, owner, ramp->map_T_ramp, &top, PLATE_M);
    const double deep_m = PLATE_M / cos(ramp->angle_rad); // of the plate, straight down
    const uint32_t fill_count = (uint32_t)ceil(rise_m / (0.8 * deep_m));
    for (uint32_t i = 1; i < fill_count; i++) {
        const double from_m = low_m + run_m * i / fill_count, surface_m = foot_m + rise_m * i / fill_count;
        const double x_m[2] = {from_m, low_m + run_m * (i + 1) / fill_count};
        const double z_m[2] = {foot_m - SUNK_M, surface_m - 0.1 * deep_m};
        if (z_m[1] > foot_m) { add_upright(list, owner, ramp->map_T_ramp, x_m, z_m, ramp->width_m); }
    }
    if (ramp->top_m <= 0.0) { return; }
    const double x_m[2] = {low_m + run_m, low_m + run_m + ramp->top_m}, z_m[2] = {foot_m - SUNK_M, foot_m + rise_m};
    add_upright(list, owner, ramp->map_T_ramp, x_m, z_m, ramp->width_m);
}

void cairn_ramp_add_solids(cairn_solid_list *list, const cairn_sim_ramp *ramp, uint32_t owner)
{
    if (ramp->slope) {
        add_slope(list, ramp, owner);
    } else {
        add_ridge(list, ramp, owner);
    }
}

static void add_platform(cairn_solid_list *list, const cairn_platform *platform, uint32_t owner)
{
    const cairn_pose2 map_T_platform = {platform->at_m.x, platform->at_m.y, platform->heading_rad};
    const double x_m[2] = {-platform->size_m.x / 2, platform->size_m.x / 2};
    const double z_m[2] = {platform->slab_m > 0 ? platform->top_m - platform->slab_m : -SUNK_M, platform->top_m};
    add_upright(list, owner, map_T_platform, x_m, z_m, platform->size_m.y)->friction = platform->friction;
}

static void add_stairs(cairn_solid_list *list, const cairn_stairs *stairs, uint32_t owner)
{
    const cairn_pose2 map_T_stairs = {stairs->at_m.x, stairs->at_m.y, stairs->heading_rad};
    for (uint32_t i = 0; i < stairs->steps; i++) {
        const double x_m[2] = {i * stairs->run_m, (i + 1) * stairs->run_m};
        const double z_m[2] = {stairs->foot_m - SUNK_M, stairs->foot_m + (i + 1) * stairs->rise_m};
        add_upright(list, owner, map_T_stairs, x_m, z_m, stairs->width_m);
    }
}

static cairn_sim_ramp ridge_at(const cairn_ramp_field *field, cairn_vec2 at_m, double heading_rad, double width_m)
{
    return (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, heading_rad},
                            .length_m = field->tile_m,
                            .width_m = width_m,
                            .angle_rad = field->angle_rad};
}

// Ridges in line: all tiles of a column are one ridge along y.
static void add_continuous(cairn_solid_list *list, const cairn_ramp_field *field, uint32_t owner)
{
    const double width_m = field->tiles.y * field->tile_m;
    for (uint32_t i = 0; i < (uint32_t)field->tiles.x; i++) {
        const cairn_vec2 at_m = {field->corner_m.x + (i + 0.5) * field->tile_m, field->corner_m.y + width_m / 2};
        const cairn_sim_ramp ridge = ridge_at(field, at_m, 0.0, width_m);
        add_ridge(list, &ridge, owner);
    }
}

static void add_crossing(cairn_solid_list *list, const cairn_ramp_field *field, uint32_t owner)
{
    for (uint32_t j = 0; j < (uint32_t)field->tiles.y; j++) {
        for (uint32_t i = 0; i < (uint32_t)field->tiles.x; i++) {
            const cairn_vec2 at_m = {field->corner_m.x + (i + 0.5) * field->tile_m,
                                     field->corner_m.y + (j + 0.5) * field->tile_m};
            const cairn_sim_ramp ridge = ridge_at(field, at_m, (i + j) % 2 == 0 ? 0.0 : CAIRN_PI / 2, field->tile_m);
            add_ridge(list, &ridge, owner);
        }
    }
}

static void add_ramp_field(cairn_solid_list *list, const cairn_ramp_field *field, uint32_t owner)
{
    if (field->kind == CAIRN_RAMPS_CONTINUOUS) {
        add_continuous(list, field, owner);
    } else {
        add_crossing(list, field, owner);
    }
}

// Levels of all posts of a step field, row by row; 0: already in a box.
typedef struct post_grid {
    uint8_t *level;
    uint32_t width, height;
    uint32_t of_pallet; // posts along one side of a pallet
    double post_m;
} post_grid;

static uint32_t distance_of(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// hill: every pallet rises post by post towards its middle. diagonal: every pallet has a ridge from corner to corner,
// turned from pallet to pallet, so that ridges meet in zigzags.
static uint32_t level_of(const cairn_step_field *field, const post_grid *grid, uint32_t x, uint32_t y,
                         cairn_random *random)
{
    const uint32_t last = grid->of_pallet - 1, i = x % grid->of_pallet, j = y % grid->of_pallet;
    if (field->kind == CAIRN_STEPS_RANDOM) { return 1 + cairn_random_below(random, field->levels); }
    if (field->kind == CAIRN_STEPS_HILL) {
        return least(1 + least(least(i, last - i), least(j, last - j)), field->levels);
    }
    const bool turned = ((x / grid->of_pallet + y / grid->of_pallet) % 2 == 1) != field->turned;
    const uint32_t off = distance_of(i, turned ? last - j : j);
    return off < field->levels ? field->levels - off : 1;
}

static cairn_err make_posts(const cairn_step_field *field, cairn_arena *memory, post_grid *ret_grid)
{
    const uint32_t of_pallet = (uint32_t)lround(CAIRN_PALLET_M / field->post_m);
    post_grid grid = {.width = (uint32_t)field->tiles.x * of_pallet,
                      .height = (uint32_t)field->tiles.y * of_pallet,
                      .of_pallet = of_pallet,
                      .post_m = CAIRN_PALLET_M / of_pallet};
    grid.level = CAIRN_TAKE(memory, uint8_t, (size_t)grid.width * grid.height);
    if (grid.level == NULL) { return CAIRN_ERR_FULL; }
    cairn_random random;
    cairn_random_init(&random, field->seed, "arena/step field");
    for (uint32_t y = 0; y < grid.height; y++) {
        for (uint32_t x = 0; x < grid.width; x++) {
            grid.level[y * grid.width + x] = (uint8_t)level_of(field, &grid, x, y, &random);
        }
    }
    *ret_grid = grid;
    return CAIRN_OK;
}

// The largest x such that the row from x0 to it is all of one level.
static uint32_t run_end(const post_grid *grid, uint32_t x0, uint32_t y, uint8_t level)
{
    uint32_t x = x0;
    while (x < grid->width && grid->level[y * grid->width + x] == level) { x++; }
    return x;
}

static void clear_posts(post_grid *grid, uint32_t x0, uint32_t x1, uint32_t y)
{
    for (uint32_t x = x0; x < x1; x++) { grid->level[y * grid->width + x] = 0; }
}

// The box whose lower left post is (x, y): as long as it goes along x, then as many equal rows as follow.
static void add_posts(cairn_solid_list *list, const cairn_step_field *field, post_grid *grid, uint32_t x, uint32_t y,
                      uint32_t owner)
{
    const uint8_t level = grid->level[y * grid->width + x];
    const uint32_t x1 = run_end(grid, x, y, level);
    uint32_t y1 = y;
    while (y1 < grid->height && run_end(grid, x, y1, level) >= x1) { clear_posts(grid, x, x1, y1++); }
    const double top_m = level * field->step_m, post_m = grid->post_m;
    const cairn_pose2 map_T_box = {field->corner_m.x + (x + x1) * post_m / 2, field->corner_m.y + (y + y1) * post_m / 2,
                                   0};
    cairn_solid_place(add(list, owner), map_T_box, (cairn_vec3){0, 0, (top_m - SUNK_M) / 2},
                      (cairn_vec3){(x1 - x) * post_m, (y1 - y) * post_m, top_m + SUNK_M});
}

static cairn_err add_step_field(cairn_solid_list *list, const cairn_step_field *field, uint32_t owner,
                                cairn_arena *memory)
{
    const size_t mark = cairn_arena_mark(memory);
    post_grid grid;
    const cairn_err err = make_posts(field, memory, &grid);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t y = 0; y < grid.height; y++) {
        for (uint32_t x = 0; x < grid.width; x++) {
            if (grid.level[y * grid.width + x] > 0) { add_posts(list, field, &grid, x, y, owner); }
        }
    }
    cairn_arena_reset(memory, mark);
    return CAIRN_OK;
}

static void add_bottom(cairn_solid_list *list, cairn_floor_rect rect, double depth_m, uint32_t owner)
{
    const cairn_pose2 map_T_pit = {(rect.x0_m + rect.x1_m) / 2, (rect.y0_m + rect.y1_m) / 2, 0};
    cairn_solid_place(add(list, owner), map_T_pit, (cairn_vec3){0, 0, -depth_m - BOTTOM_M / 2},
                      (cairn_vec3){rect.x1_m - rect.x0_m, rect.y1_m - rect.y0_m, BOTTOM_M});
}

// Two slippery slopes that meet along the middle; what sticks out of them below is inside the floor.
static void add_ditch(cairn_solid_list *list, const cairn_ditch *ditch, uint32_t owner)
{
    const cairn_floor_rect rect = cairn_ditch_rect(ditch);
    add_bottom(list, rect, ditch->depth_m, owner);
    // x across the ditch.
    const cairn_pose2 map_T_ditch = {(rect.x0_m + rect.x1_m) / 2, (rect.y0_m + rect.y1_m) / 2,
                                     ditch->along == 0 ? CAIRN_PI / 2 : 0.0};
    const double across_m = ditch->along == 0 ? rect.y1_m - rect.y0_m : rect.x1_m - rect.x0_m;
    const double length_m = ditch->along == 0 ? rect.x1_m - rect.x0_m : rect.y1_m - rect.y0_m;
    const incline sides[2] = {
        {.x_m = -across_m / 2, .z_m = 0, .run_m = across_m / 2, .rise_m = -ditch->depth_m, .width_m = length_m},
        {.x_m = 0, .z_m = -ditch->depth_m, .run_m = across_m / 2, .rise_m = ditch->depth_m, .width_m = length_m}};
    for (int i = 0; i < 2; i++) {
        add_tilted(list, owner, map_T_ditch, &sides[i], BOTTOM_M)->friction = ditch->friction;
    }
}

static double to_millimetre(double value_m) { return round(value_m * 1000) / 1000; }

static cairn_floor_rect rect_around(cairn_vec2 at_m, cairn_vec2 size_m)
{
    return (cairn_floor_rect){to_millimetre(at_m.x - size_m.x / 2), to_millimetre(at_m.y - size_m.y / 2),
                              to_millimetre(at_m.x + size_m.x / 2), to_millimetre(at_m.y + size_m.y / 2)};
}

cairn_floor_rect cairn_hole_rect(const cairn_hole *hole) { return rect_around(hole->at_m, hole->size_m); }

cairn_floor_rect cairn_ditch_rect(const cairn_ditch *ditch)
{
    return rect_around(ditch->at_m, ditch->along == 0 ? (cairn_vec2){ditch->length_m, ditch->width_m}
                                                      : (cairn_vec2){ditch->width_m, ditch->length_m});
}

// The floor with all holes and ditches cut out, thicker than the deepest of them: its sides are their sides.
static cairn_err add_floor(cairn_solid_list *list, const cairn_sim_elements *elements, cairn_vec2 floor_m,
                           uint32_t owner, cairn_arena *memory)
{
    const size_t mark = cairn_arena_mark(memory);
    cairn_floor_rect *cut = CAIRN_TAKE(memory, cairn_floor_rect, elements->hole_count + elements->ditch_count);
    if (cut == NULL) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    double deepest_m = 0;
    for (uint32_t i = 0; i < elements->hole_count; i++) {
        cut[count++] = cairn_hole_rect(&elements->holes[i]);
        deepest_m = fmax(deepest_m, elements->holes[i].depth_m);
    }
    for (uint32_t i = 0; i < elements->ditch_count; i++) {
        cut[count++] = cairn_ditch_rect(&elements->ditches[i]);
        deepest_m = fmax(deepest_m, elements->ditches[i].depth_m);
    }
    const cairn_err err = cairn_floor_add_solids(list, cut, count, floor_m, deepest_m + BOTTOM_M, owner, memory);
    cairn_arena_reset(memory, mark);
    return err;
}

cairn_err cairn_elements_add_solids(cairn_solid_list *list, const cairn_sim_elements *elements, cairn_vec2 floor_m,
                                    uint32_t owner, cairn_arena *memory)
{
    for (uint32_t i = 0; i < elements->platform_count; i++) { add_platform(list, &elements->platforms[i], owner++); }
    for (uint32_t i = 0; i < elements->stairs_count; i++) { add_stairs(list, &elements->stairs[i], owner++); }
    for (uint32_t i = 0; i < elements->ramp_field_count; i++) {
        add_ramp_field(list, &elements->ramp_fields[i], owner++);
    }
    for (uint32_t i = 0; i < elements->step_field_count; i++) {
        // Beyond the limit nobody needs to know by how much.
        if (list->count > CAIRN_ARENA_SOLIDS_MAX) { return CAIRN_ERR_TOO_LARGE; }
        const cairn_err err = add_step_field(list, &elements->step_fields[i], owner++, memory);
        if (err != CAIRN_OK) { return err; }
    }
    for (uint32_t i = 0; i < elements->hole_count; i++) {
        add_bottom(list, cairn_hole_rect(&elements->holes[i]), elements->holes[i].depth_m, owner++);
    }
    for (uint32_t i = 0; i < elements->ditch_count; i++) { add_ditch(list, &elements->ditches[i], owner++); }
    if (elements->hole_count + elements->ditch_count == 0) { return CAIRN_OK; }
    return add_floor(list, elements, floor_m, owner, memory);
}
