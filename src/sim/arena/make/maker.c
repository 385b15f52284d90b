// Elements of an arena while it is being made: each goes into the draft, and what it takes up is remembered.
#include "sim/arena/make/maker.h"
#include "geometry/rays.h"
#include <math.h>
#include <stdio.h>

// What arena files may hold at most (arena_file.h).
enum { ROUGH_MAX = 64, DOORS_MAX = 64 };
enum { TAKEN_MAX = 16384, ZONES_MAX = 2048, TRIES = 12 };
#define PI 3.14159265358979323846
#define SKY_M 100.0
#define HEADROOM_M 1.7 // what hangs higher leaves the floor below it free
#define START_APART_M 0.9
#define START_SPACE_M 0.8 // side of the square that a start keeps free: a robot of 0.35 m radius and a little
#define TOUCH_M 0.004     // as in arena_check.c: things that touch are apart

static double to_cm(double value_m) { return round(value_m * 100.0) / 100.0; }
static double rad(double degrees) { return degrees * PI / 180.0; }
static double thinner_m(cairn_vec2 size_m) { return fmin(size_m.x, size_m.y); }

cairn_err cairn_maker_create(const cairn_make_def *def, uint32_t attempt, cairn_arena *work, cairn_maker *ret_maker)
{
    cairn_maker maker = {.def = def,
                         .work = work,
                         .hard = (def->difficulty - 1) / (double)(CAIRN_MAKE_DIFFICULTY_MAX - 1),
                         .wall = {0.1, 2.4, 0.0, CAIRN_MATERIAL_DRYWALL},
                         .taken = CAIRN_TAKE(work, cairn_taken, TAKEN_MAX),
                         .zones = CAIRN_TAKE(work, cairn_zone, ZONES_MAX)};
    if (maker.taken == NULL || maker.zones == NULL) { return CAIRN_ERR_FULL; }
    const cairn_err err = cairn_draft_create(work, &maker.draft);
    if (err != CAIRN_OK) { return err; }
    char stream[64];
    (void)snprintf(stream, sizeof stream, "make/%s/%u", cairn_make_kind_names[def->kind], attempt);
    cairn_random_init(&maker.random, def->seed, stream);
    maker.draft.size_m = def->size_m;
    maker.draft.tells_materials = true;
    *ret_maker = maker;
    return CAIRN_OK;
}

double cairn_maker_m(cairn_maker *maker, double low_m, double high_m)
{
    return to_cm(cairn_random_between(&maker->random, low_m, fmax(low_m, high_m)));
}

double cairn_maker_turn_rad(cairn_maker *maker, double low_deg, double high_deg)
{
    return rad(round(cairn_random_between(&maker->random, low_deg, high_deg)));
}

bool cairn_maker_chance(cairn_maker *maker, double part) { return cairn_random_uniform(&maker->random) < part; }

uint32_t cairn_maker_below(cairn_maker *maker, uint32_t limit) { return cairn_random_below(&maker->random, limit); }

double cairn_maker_by_difficulty(const cairn_maker *maker, double easy, double hard)
{
    return easy + (hard - easy) * maker->hard;
}

static void take(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double z_m_low, double z_m_high, bool seen)
{
    if (maker->taken_count == TAKEN_MAX) {
        maker->full = true;
        return;
    }
    maker->taken[maker->taken_count++] = (cairn_taken){at, {size_m.x / 2, size_m.y / 2}, z_m_low, z_m_high, seen};
}

void cairn_maker_keep_free(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m)
{
    take(maker, at, size_m, 0.0, SKY_M, false);
}

// Whether b lies wholly beyond one of a's four sides.
static bool apart_along(cairn_pose2 a, cairn_vec2 a_half_m, cairn_pose2 b, cairn_vec2 b_half_m)
{
    const cairn_pose2 a_T_b = cairn_pose2_between(a, b);
    const double c = fabs(cos(a_T_b.yaw_rad)), s = fabs(sin(a_T_b.yaw_rad));
    return fabs(a_T_b.x_m) > a_half_m.x + c * b_half_m.x + s * b_half_m.y - TOUCH_M ||
           fabs(a_T_b.y_m) > a_half_m.y + s * b_half_m.x + c * b_half_m.y - TOUCH_M;
}

bool cairn_maker_is_free_between(const cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double margin_m,
                                 double z_m_low, double z_m_high)
{
    const cairn_vec2 half_m = {size_m.x / 2 + margin_m, size_m.y / 2 + margin_m};
    const double c = fabs(cos(at.yaw_rad)), s = fabs(sin(at.yaw_rad));
    const cairn_vec2 round_m = {c * half_m.x + s * half_m.y, s * half_m.x + c * half_m.y};
    if (at.x_m < round_m.x || at.y_m < round_m.y || at.x_m > maker->draft.size_m.x - round_m.x ||
        at.y_m > maker->draft.size_m.y - round_m.y) {
        return false;
    }
    for (uint32_t i = 0; i < maker->taken_count; i++) {
        const cairn_taken *other = &maker->taken[i];
        if (other->z_m_high <= z_m_low || other->z_m_low >= z_m_high) { continue; }
        if (!apart_along(at, half_m, other->map_T_middle, other->half_m) &&
            !apart_along(other->map_T_middle, other->half_m, at, half_m)) {
            return false;
        }
    }
    return true;
}

bool cairn_maker_is_free(const cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double margin_m)
{
    return cairn_maker_is_free_between(maker, at, size_m, margin_m, 0.0, HEADROOM_M);
}

bool cairn_maker_can_see(const cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m, double z_m)
{
    const double distance_m = cairn_vec2_distance(from_m, to_m);
    const cairn_vec2 direction = cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), 1.0 / fmax(distance_m, 1e-9));
    for (uint32_t i = 0; i < maker->taken_count; i++) {
        const cairn_taken *other = &maker->taken[i];
        if (!other->seen || other->z_m_low > z_m || other->z_m_high < z_m) { continue; }
        const double hit_m = cairn_ray_box2(from_m, direction, other->map_T_middle, other->half_m);
        if (hit_m >= 0.0 && hit_m < distance_m) { return false; }
    }
    return true;
}

void cairn_maker_wall(cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m)
{
    cairn_draft *draft = &maker->draft;
    const cairn_wall_style *style = &maker->wall;
    const cairn_vec2 along_m = cairn_vec2_sub(to_m, from_m);
    const double length_m = cairn_vec2_length(along_m);
    if (length_m < 0.05) { return; }
    if (draft->wall_count == CAIRN_DRAFT_WALLS_MAX) {
        maker->full = true;
        return;
    }
    draft->walls[draft->wall_count++] = (cairn_sim_wall){.from_m = from_m,
                                                         .to_m = to_m,
                                                         .thickness_m = style->thickness_m,
                                                         .height_m = style->height_m,
                                                         .foot_m = style->foot_m,
                                                         .material = style->material};
    const cairn_pose2 middle = {(from_m.x + to_m.x) / 2, (from_m.y + to_m.y) / 2, atan2(along_m.y, along_m.x)};
    // Ends that meet another wall reach half a thickness further.
    take(maker, middle, (cairn_vec2){length_m + style->thickness_m, style->thickness_m}, style->foot_m,
         style->foot_m + style->height_m, true);
}

void cairn_maker_wall_with_gap(cairn_maker *maker, cairn_vec2 from_m, cairn_vec2 to_m, double gap_from_m, double gap_m)
{
    const double length_m = cairn_vec2_distance(from_m, to_m);
    const cairn_vec2 unit = cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), 1.0 / fmax(length_m, 1e-9));
    const cairn_vec2 a_m = cairn_vec2_add(from_m, cairn_vec2_scale(unit, gap_from_m));
    const cairn_vec2 b_m = cairn_vec2_add(from_m, cairn_vec2_scale(unit, gap_from_m + gap_m));
    cairn_maker_wall(maker, from_m, a_m);
    cairn_maker_wall(maker, b_m, to_m);
    // Nothing stands in the opening, nor so near that a robot could not turn into it.
    const cairn_pose2 middle = {(a_m.x + b_m.x) / 2, (a_m.y + b_m.y) / 2, atan2(unit.y, unit.x)};
    cairn_maker_keep_free(maker, middle, (cairn_vec2){gap_m, 1.9});
}

void cairn_maker_fence(cairn_maker *maker)
{
    const double low = maker->wall.thickness_m / 2;
    const double east = maker->draft.size_m.x - low, north = maker->draft.size_m.y - low;
    cairn_maker_wall(maker, (cairn_vec2){low, low}, (cairn_vec2){east, low});
    cairn_maker_wall(maker, (cairn_vec2){east, low}, (cairn_vec2){east, north});
    cairn_maker_wall(maker, (cairn_vec2){east, north}, (cairn_vec2){low, north});
    cairn_maker_wall(maker, (cairn_vec2){low, north}, (cairn_vec2){low, low});
}

void cairn_maker_box(cairn_maker *maker, cairn_pose2 at, cairn_vec3 size_m, double foot_m, cairn_material material)
{
    cairn_draft *draft = &maker->draft;
    if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) {
        maker->full = true;
        return;
    }
    draft->boxes[draft->box_count++] =
        (cairn_sim_box){.map_T_box = at, .size_m = size_m, .foot_m = foot_m, .material = material};
    take(maker, at, (cairn_vec2){size_m.x, size_m.y}, foot_m, foot_m + size_m.z, true);
}

static void add_ramp(cairn_maker *maker, const cairn_sim_ramp *ramp, double high_m)
{
    cairn_draft *draft = &maker->draft;
    if (draft->ramp_count == CAIRN_DRAFT_RAMPS_MAX) {
        maker->full = true;
        return;
    }
    draft->ramps[draft->ramp_count++] = *ramp;
    take(maker, ramp->map_T_ramp, (cairn_vec2){ramp->length_m, ramp->width_m}, 0.0, high_m, false);
    // Room to drive onto it and off it.
    cairn_maker_keep_free(maker, ramp->map_T_ramp, (cairn_vec2){ramp->length_m + 1.6, fmin(ramp->width_m, 0.9)});
}

void cairn_maker_ridge(cairn_maker *maker, cairn_pose2 at, double length_m, double width_m, double angle_deg)
{
    const cairn_sim_ramp ramp = {
        .map_T_ramp = at, .length_m = length_m, .width_m = width_m, .angle_rad = rad(angle_deg)};
    add_ramp(maker, &ramp, length_m / 2 * tan(ramp.angle_rad));
}

void cairn_maker_slope(cairn_maker *maker, cairn_pose2 at, double length_m, double width_m, double top_m,
                       double angle_deg)
{
    const cairn_sim_ramp ramp = {.map_T_ramp = at,
                                 .length_m = length_m,
                                 .width_m = width_m,
                                 .top_m = top_m,
                                 .angle_rad = rad(angle_deg),
                                 .slope = true};
    add_ramp(maker, &ramp, (length_m - top_m) * tan(ramp.angle_rad));
}

// Room for one more in a list of the draft; false: the attempt fails.
static bool room_for(cairn_maker *maker, uint32_t count, uint32_t max)
{
    if (count == max) { maker->full = true; }
    return count < max;
}

void cairn_maker_platform(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double top_m, double slab_m)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->platform_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->platforms[draft->platform_count++] =
        (cairn_draft_platform){.map_T_platform = at, .size_m = size_m, .top_m = top_m, .slab_m = slab_m};
    take(maker, at, size_m, slab_m > 0.0 ? top_m - slab_m : 0.0, top_m, true);
}

void cairn_maker_stairs(cairn_maker *maker, cairn_pose2 at, uint32_t steps, double rise_m, double run_m, double width_m)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->stairs_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->stairs[draft->stairs_count++] =
        (cairn_draft_stairs){.map_T_stairs = at, .steps = steps, .rise_m = rise_m, .run_m = run_m, .width_m = width_m};
    const cairn_vec2 middle_m = cairn_pose2_apply(at, (cairn_vec2){steps * run_m / 2, 0.0});
    take(maker, (cairn_pose2){middle_m.x, middle_m.y, at.yaw_rad}, (cairn_vec2){steps * run_m, width_m}, 0.0,
         steps * rise_m, true);
}

void cairn_maker_ramp_field(cairn_maker *maker, bool crossing, cairn_vec2 corner_m, uint32_t columns, uint32_t rows,
                            double tile_m, double angle_deg)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->ramp_field_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->ramp_fields[draft->ramp_field_count++] = (cairn_draft_ramp_field){.crossing = crossing,
                                                                             .corner_m = corner_m,
                                                                             .columns = columns,
                                                                             .rows = rows,
                                                                             .tile_m = tile_m,
                                                                             .angle_rad = rad(angle_deg)};
    const cairn_vec2 size_m = {columns * tile_m, rows * tile_m};
    take(maker, (cairn_pose2){corner_m.x + size_m.x / 2, corner_m.y + size_m.y / 2, 0.0}, size_m, 0.0,
         tile_m / 2 * tan(rad(angle_deg)), false);
}

#define PALLET_M 1.2

void cairn_maker_step_field(cairn_maker *maker, const char *kind, cairn_vec2 corner_m, uint32_t columns, uint32_t rows,
                            double step_m, uint32_t levels)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->step_field_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->step_fields[draft->step_field_count++] = (cairn_draft_step_field){.kind = kind,
                                                                             .corner_m = corner_m,
                                                                             .columns = columns,
                                                                             .rows = rows,
                                                                             .post_m = 0.2,
                                                                             .step_m = step_m,
                                                                             .levels = levels,
                                                                             .seed = cairn_maker_below(maker, 1000)};
    const cairn_vec2 size_m = {columns * PALLET_M, rows * PALLET_M};
    take(maker, (cairn_pose2){corner_m.x + size_m.x / 2, corner_m.y + size_m.y / 2, 0.0}, size_m, 0.0, step_m * levels,
         true);
}

void cairn_maker_rough(cairn_maker *maker, bool rubble, cairn_pose2 at, cairn_vec2 size_m, double height_m)
{
    cairn_draft *draft = &maker->draft;
    if (draft->rough_count == ROUGH_MAX) { return; } // more of the same adds little
    draft->roughs[draft->rough_count++] = (cairn_draft_rough){.rubble = rubble,
                                                              .map_T_rough = at,
                                                              .size_m = size_m,
                                                              .height_m = height_m,
                                                              .seed = cairn_maker_below(maker, 1000)};
    take(maker, at, size_m, 0.0, height_m, height_m > 0.3);
}

void cairn_maker_hole(cairn_maker *maker, cairn_vec2 at_m, cairn_vec2 size_m, double depth_m)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->hole_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->holes[draft->hole_count++] = (cairn_draft_hole){at_m, size_m, depth_m};
    cairn_maker_keep_free(maker, (cairn_pose2){at_m.x, at_m.y, 0.0}, size_m);
}

void cairn_maker_ditch(cairn_maker *maker, cairn_vec2 at_m, double length_m, double width_m, bool along_y,
                       double depth_m)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->ditch_count, CAIRN_DRAFT_ELEMENTS_MAX)) { return; }
    draft->ditches[draft->ditch_count++] = (cairn_draft_ditch){
        .at_m = at_m, .length_m = length_m, .width_m = width_m, .depth_m = depth_m, .along_y = along_y};
    cairn_maker_keep_free(maker, (cairn_pose2){at_m.x, at_m.y, along_y ? PI / 2 : 0.0},
                          (cairn_vec2){length_m, width_m});
}

void cairn_maker_door(cairn_maker *maker, cairn_vec2 hinge_m, cairn_vec2 latch_m, double open_deg, bool open)
{
    cairn_draft *draft = &maker->draft;
    if (draft->door_count == DOORS_MAX) { return; } // further doorways have no leaf
    cairn_sim_door *door = &draft->doors[draft->door_count++];
    *door = (cairn_sim_door){.hinge_m = hinge_m, .latch_m = latch_m, .open_rad = rad(open_deg), .open = open};
    (void)snprintf(door->name, sizeof door->name, "door%u", draft->door_count);
    // The leaf where it stands open, and what it sweeps.
    const double leaf_m = cairn_vec2_distance(hinge_m, latch_m);
    const cairn_vec2 along_m = cairn_vec2_sub(latch_m, hinge_m);
    const double yaw_rad = atan2(along_m.y, along_m.x), side = open_deg < 0.0 ? -0.5 : 0.5;
    const cairn_pose2 map_T_hinge = {hinge_m.x, hinge_m.y, yaw_rad};
    const cairn_vec2 middle_m = cairn_pose2_apply(map_T_hinge, (cairn_vec2){leaf_m / 2, side * leaf_m});
    cairn_maker_keep_free(maker, (cairn_pose2){middle_m.x, middle_m.y, yaw_rad}, (cairn_vec2){leaf_m + 0.1, leaf_m});
    const cairn_vec2 leaf_middle_m = cairn_pose2_apply(map_T_hinge, (cairn_vec2){0.0, side * leaf_m});
    take(maker, (cairn_pose2){leaf_middle_m.x, leaf_middle_m.y, yaw_rad}, (cairn_vec2){0.08, leaf_m}, 0.0, 2.0, true);
}

void cairn_maker_block(cairn_maker *maker, cairn_pose2 at, cairn_vec3 size_m, double mass_kg, cairn_material material)
{
    cairn_draft *draft = &maker->draft;
    if (!room_for(maker, draft->block_count, CAIRN_DRAFT_MOVERS_MAX)) { return; }
    draft->blocks[draft->block_count++] =
        (cairn_sim_block){.map_T_block = at, .size_m = size_m, .mass_kg = mass_kg, .material = material};
    take(maker, at, (cairn_vec2){size_m.x, size_m.y}, 0.0, size_m.z, true);
}

// As heavy as rubble of concrete, a wooden crate or a drum is: hollow and broken, a tenth of the full material.
static double loose_mass_kg(const cairn_litter *litter)
{
    const double volume_m3 = litter->size_m.x * litter->size_m.y * litter->size_m.z;
    const double density = litter->material == CAIRN_MATERIAL_WOOD ? 150.0 : 600.0;
    return fmin(fmax(round(volume_m3 * density * 10.0) / 10.0, 0.5), 60.0);
}

static void put_litter(cairn_maker *maker, const cairn_litter *litter, cairn_pose2 at)
{
    if (litter->loose) {
        cairn_maker_block(maker, at, litter->size_m, loose_mass_kg(litter), litter->material);
    } else {
        cairn_maker_box(maker, at, litter->size_m, 0.0, litter->material);
    }
}

bool cairn_maker_drop(cairn_maker *maker, const cairn_litter *litter)
{
    const cairn_vec2 plan_m = {litter->size_m.x, litter->size_m.y};
    for (int i = 0; i < TRIES; i++) {
        const cairn_pose2 at = {cairn_maker_m(maker, litter->low_m.x, litter->high_m.x),
                                cairn_maker_m(maker, litter->low_m.y, litter->high_m.y),
                                litter->turned ? cairn_maker_turn_rad(maker, -90, 90)
                                               : rad(90.0 * cairn_maker_below(maker, 2))};
        if (!cairn_maker_is_free(maker, at, plan_m, litter->margin_m)) { continue; }
        put_litter(maker, litter, at);
        return true;
    }
    return false;
}

bool cairn_maker_drop_at_side(cairn_maker *maker, const cairn_litter *litter, double gap_m)
{
    const cairn_vec2 plan_m = {litter->size_m.x, litter->size_m.y};
    const double deep_m = thinner_m(plan_m) / 2 + gap_m, half_m = fmax(plan_m.x, plan_m.y) / 2;
    const double yaw_rad = plan_m.x >= plan_m.y ? 0.0 : PI / 2;
    for (int i = 0; i < TRIES; i++) {
        const uint32_t side = cairn_maker_below(maker, 4);
        const double x_m = cairn_maker_m(maker, litter->low_m.x + half_m + gap_m, litter->high_m.x - half_m - gap_m);
        const double y_m = cairn_maker_m(maker, litter->low_m.y + half_m + gap_m, litter->high_m.y - half_m - gap_m);
        const cairn_pose2 at = side == 0   ? (cairn_pose2){x_m, to_cm(litter->low_m.y + deep_m), yaw_rad}
                               : side == 1 ? (cairn_pose2){x_m, to_cm(litter->high_m.y - deep_m), yaw_rad}
                               : side == 2 ? (cairn_pose2){to_cm(litter->low_m.x + deep_m), y_m, yaw_rad + PI / 2}
                                           : (cairn_pose2){to_cm(litter->high_m.x - deep_m), y_m, yaw_rad + PI / 2};
        if (!cairn_maker_is_free(maker, at, plan_m, litter->margin_m)) { continue; }
        put_litter(maker, litter, at);
        return true;
    }
    return false;
}

void cairn_maker_starts(cairn_maker *maker, cairn_vec2 low_m, cairn_vec2 high_m, double heading_deg)
{
    cairn_draft *draft = &maker->draft;
    const double edge_m = START_SPACE_M / 2;
    const int columns = (int)floor((high_m.x - low_m.x - START_SPACE_M + 1e-6) / START_APART_M) + 1;
    const int rows = (int)floor((high_m.y - low_m.y - START_SPACE_M + 1e-6) / START_APART_M) + 1;
    for (int column = 0; column < columns; column++) {
        for (int row = 0; row < rows; row++) {
            const double x_m = low_m.x + edge_m + column * START_APART_M, y_m = low_m.y + edge_m + row * START_APART_M;
            if (draft->start_count == maker->def->start_count) { return; }
            const cairn_pose2 at = {to_cm(x_m), to_cm(y_m), rad(heading_deg)};
            const cairn_vec2 space_m = {START_SPACE_M, START_SPACE_M};
            if (!cairn_maker_is_free(maker, at, space_m, 0.0)) { continue; }
            draft->starts[draft->start_count++] = at;
            cairn_maker_keep_free(maker, at, space_m);
        }
    }
    if (draft->start_count < maker->def->start_count) { maker->full = true; }
}

void cairn_maker_zone(cairn_maker *maker, cairn_vec2 low_m, cairn_vec2 high_m, uint32_t rank)
{
    if (maker->zone_count == ZONES_MAX) { return; }
    maker->zones[maker->zone_count++] = (cairn_zone){.low_m = low_m, .high_m = high_m, .rank = rank};
}
