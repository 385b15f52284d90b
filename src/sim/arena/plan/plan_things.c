// What stands on the ground, and the signs of people and places.
#include "geometry/rays.h"
#include "sim/arena/plan/plan.h"
#include <stdio.h>

#define UPPER_FOOT_M 0.6 // robots go under what hangs so high
#define WALL_PX_MIN 1.3  // thinner ones are drawn so thick
#define BOX_PX_MIN 1.8
#define DASH_PX 6.0

typedef struct rectangle {
    cairn_pose2 map_T_middle;
    cairn_vec2 half_m;
} rectangle;

static cairn_vec2 pose_px(const cairn_plan *plan, cairn_pose2 map_T_thing, double x_m, double y_m)
{
    return cairn_plan_at(plan, cairn_pose2_apply(map_T_thing, (cairn_vec2){x_m, y_m}));
}

static void corners_of(const cairn_plan *plan, const rectangle *of, cairn_vec2 ret_corners[4])
{
    const double xs[] = {-1, 1, 1, -1}, ys[] = {-1, -1, 1, 1};
    for (int i = 0; i < 4; i++) {
        ret_corners[i] = pose_px(plan, of->map_T_middle, xs[i] * of->half_m.x, ys[i] * of->half_m.y);
    }
}

static void fill(cairn_plan *plan, const rectangle *of, cairn_ink ink)
{
    cairn_vec2 corners[4];
    corners_of(plan, of, corners);
    cairn_picture_polygon(&plan->picture, corners, 4, ink);
}

static void draw_dashes(cairn_plan *plan, cairn_vec2 from_px, cairn_vec2 to_px, double width_px, cairn_ink ink)
{
    const double length = cairn_vec2_distance(from_px, to_px);
    const cairn_vec2 along = cairn_vec2_scale(cairn_vec2_sub(to_px, from_px), 1 / fmax(length, 1e-9));
    for (int i = 0; i * 2 * DASH_PX < length; i++) {
        const double at = i * 2 * DASH_PX;
        cairn_picture_line(&plan->picture, cairn_vec2_add(from_px, cairn_vec2_scale(along, at)),
                           cairn_vec2_add(from_px, cairn_vec2_scale(along, fmin(at + DASH_PX, length))), width_px, ink);
    }
}

static void outline(cairn_plan *plan, const rectangle *of, double width_px, cairn_ink ink, bool dashed)
{
    cairn_vec2 corners[4];
    corners_of(plan, of, corners);
    for (int i = 0; i < 4; i++) {
        if (dashed) {
            draw_dashes(plan, corners[i], corners[(i + 1) % 4], width_px, ink);
        } else {
            cairn_picture_line(&plan->picture, corners[i], corners[(i + 1) % 4], width_px, ink);
        }
    }
}

static rectangle rectangle_of(const cairn_plan *plan, const cairn_solid *solid, double px_min)
{
    const double least_m = px_min / 2 / plan->scale_px_per_m;
    return (rectangle){cairn_pose3_to_pose2(solid->map_T_box),
                       {fmax(solid->half_m.x, least_m), fmax(solid->half_m.y, least_m)}};
}

bool cairn_plan_is_upper(const cairn_solid *solid)
{
    const cairn_quat turn = solid->map_T_box.turn;
    const bool upright = fabs(turn.x) < 1e-9 && fabs(turn.y) < 1e-9;
    return upright && solid->map_T_box.at_m.z - solid->half_m.z > UPPER_FOOT_M;
}

// Both ends of its middle line lie on a wall of the ground: seen from above it is a part of that one.
static bool is_on_a_wall(const cairn_sim_arena *arena, const cairn_solid *upper)
{
    const cairn_pose2 at = cairn_pose3_to_pose2(upper->map_T_box);
    const cairn_vec2 from_m = cairn_pose2_apply(at, (cairn_vec2){-upper->half_m.x, 0});
    const cairn_vec2 till_m = cairn_pose2_apply(at, (cairn_vec2){upper->half_m.x, 0});
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *wall = &arena->solids[i];
        if (wall->kind != CAIRN_SOLID_WALL || cairn_plan_is_upper(wall)) { continue; }
        const cairn_pose2 below = cairn_pose3_to_pose2(wall->map_T_box);
        const cairn_vec2 half_m = {wall->half_m.x, wall->half_m.y};
        const double off_m =
            fmax(cairn_box2_distance(from_m, below, half_m), cairn_box2_distance(till_m, below, half_m));
        if (off_m <= 2 * upper->half_m.y) { return true; } // walls are longer by half their thickness at corners
    }
    return false;
}

bool cairn_plan_hangs(const cairn_sim_arena *arena, const cairn_solid *solid)
{
    CAIRN_ASSERT(arena != NULL && solid != NULL);
    switch (solid->kind) {
    case CAIRN_SOLID_GROUND:
    case CAIRN_SOLID_BOX: return cairn_plan_is_upper(solid);
    case CAIRN_SOLID_WALL: return cairn_plan_is_upper(solid) && !is_on_a_wall(arena, solid);
    default: return false; // people and what they are in are seen wherever they are
    }
}

// The lid of a victim's box would hide who is in it.
static bool is_lid(const cairn_solid *solid)
{
    return solid->kind == CAIRN_SOLID_VICTIM_BOX && solid->half_m.z < solid->half_m.x &&
           solid->half_m.z < solid->half_m.y;
}

// A loose block has a cross on it.
static void draw_block(cairn_plan *plan, const cairn_solid *solid)
{
    const rectangle of = rectangle_of(plan, solid, BOX_PX_MIN);
    cairn_vec2 corners[4];
    corners_of(plan, &of, corners);
    fill(plan, &of, CAIRN_PLAN_BLOCK);
    outline(plan, &of, 1.2, CAIRN_PLAN_BLOCK_EDGE, false);
    if (cairn_plan_px(plan, fmin(of.half_m.x, of.half_m.y)) < 3) { return; }
    for (int i = 0; i < 2; i++) {
        cairn_picture_line(&plan->picture, corners[i], corners[i + 2], 1.0, CAIRN_PLAN_BLOCK_EDGE);
    }
}

static void draw_solid(cairn_plan *plan, const cairn_solid *solid)
{
    const rectangle of = rectangle_of(plan, solid, solid->kind == CAIRN_SOLID_WALL ? WALL_PX_MIN : BOX_PX_MIN);
    switch (solid->kind) {
    case CAIRN_SOLID_WALL: fill(plan, &of, CAIRN_PLAN_WALL); break;
    case CAIRN_SOLID_BOX:
        fill(plan, &of, CAIRN_PLAN_BOX);
        if (cairn_plan_px(plan, fmin(of.half_m.x, of.half_m.y)) > 1.5) {
            outline(plan, &of, 1.0, CAIRN_PLAN_QUIET, false);
        }
        break;
    case CAIRN_SOLID_VICTIM: fill(plan, &of, (cairn_ink){250, 176, 168, 255}); break;
    case CAIRN_SOLID_VICTIM_BOX: fill(plan, &of, CAIRN_PLAN_PANEL); break;
    case CAIRN_SOLID_BLOCK: draw_block(plan, solid); break;
    case CAIRN_SOLID_GROUND:
    case CAIRN_SOLID_DOOR:
    case CAIRN_SOLID_FIGURE: break;
    }
}

// Thin, so that what is below shows through.
static void draw_upper(cairn_plan *plan, const cairn_solid *solid)
{
    const rectangle of = rectangle_of(plan, solid, WALL_PX_MIN);
    cairn_ink ink = CAIRN_PLAN_UPPER;
    ink.cover = solid->kind == CAIRN_SOLID_GROUND ? 46 : 120;
    fill(plan, &of, ink);
    outline(plan, &of, 1.0, CAIRN_PLAN_UPPER, true);
}

// ---- doors

// The leaf where it is at the start, and the arc that its free end swings through.
static void draw_door(cairn_plan *plan, const cairn_sim_door *door)
{
    enum { ARC_PARTS = 24 };
    const cairn_vec2 leaf_m = cairn_vec2_sub(door->latch_m, door->hinge_m);
    const double closed_rad = atan2(leaf_m.y, leaf_m.x), length_m = cairn_vec2_length(leaf_m);
    cairn_vec2 before = cairn_plan_at(plan, door->latch_m);
    for (int i = 1; i <= ARC_PARTS; i++) {
        const cairn_pose2 at = {door->hinge_m.x, door->hinge_m.y, closed_rad + door->open_rad * i / ARC_PARTS};
        const cairn_vec2 next = pose_px(plan, at, length_m, 0);
        if (i % 2 == 1 || cairn_plan_px(plan, length_m) < 30) {
            cairn_picture_line(&plan->picture, before, next, 1.0, CAIRN_PLAN_DOOR);
        }
        before = next;
    }
    const cairn_pose2 map_T_leaf = {door->hinge_m.x, door->hinge_m.y, closed_rad + (door->open ? door->open_rad : 0)};
    const double width_px = fmax(2.0, cairn_plan_px(plan, door->thickness_m));
    cairn_picture_line(&plan->picture, pose_px(plan, map_T_leaf, 0, 0), pose_px(plan, map_T_leaf, length_m, 0),
                       width_px, CAIRN_PLAN_DOOR);
    cairn_picture_disc(&plan->picture, cairn_plan_at(plan, door->hinge_m), width_px, CAIRN_PLAN_DOOR);
}

void cairn_plan_things(cairn_plan *plan)
{
    const cairn_sim_arena *arena = plan->arena;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (!is_lid(solid) && !cairn_plan_hangs(arena, solid)) { draw_solid(plan, solid); }
    }
    for (uint32_t i = 0; i < arena->door_count; i++) { draw_door(plan, &arena->doors[i]); }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        if (cairn_plan_hangs(arena, solid)) { draw_upper(plan, solid); }
    }
}

// ---- words, where there is room for them

static bool claim(cairn_plan *plan, cairn_vec2 at_px, cairn_vec2 size_px)
{
    const cairn_plan_label wanted = {at_px, cairn_vec2_add(at_px, size_px)};
    for (uint32_t i = 0; i < plan->label_count; i++) {
        const cairn_plan_label *other = &plan->labels[i];
        if (wanted.low_px.x < other->high_px.x && other->low_px.x < wanted.high_px.x &&
            wanted.low_px.y < other->high_px.y && other->low_px.y < wanted.high_px.y) {
            return false;
        }
    }
    if (plan->label_count == CAIRN_PLAN_LABELS_MAX) { return false; }
    plan->labels[plan->label_count++] = wanted;
    return true;
}

// With a white rim, so that it can be read on walls. Left out where something is written already.
static void draw_label(cairn_plan *plan, cairn_vec2 at_px, const char *text, cairn_ink ink)
{
    const int rim = (int)plan->dot_px;
    if (!claim(plan, at_px, (cairn_vec2){cairn_picture_text_width_px(plan->dot_px, text), 7.0 * plan->dot_px})) {
        return;
    }
    for (int y = -rim; y <= rim; y += rim) {
        for (int x = -rim; x <= rim; x += rim) {
            const cairn_vec2 beside = {at_px.x + x, at_px.y + y};
            cairn_picture_text(&plan->picture, beside, plan->dot_px, CAIRN_PLAN_WHITE, text);
        }
    }
    cairn_picture_text(&plan->picture, at_px, plan->dot_px, ink, text);
}

// ---- figures

static bool is_on_floor(const cairn_plan *plan, cairn_vec2 at_m)
{
    return at_m.x >= 0 && at_m.y >= 0 && at_m.x <= plan->arena->size_m.x && at_m.y <= plan->arena->size_m.y;
}

// As much of it as lies on the floor.
static void draw_circle(cairn_plan *plan, cairn_vec2 at_m, double radius_m, bool dashed, cairn_ink ink)
{
    const int parts = cairn_plan_px(plan, radius_m) > 60 ? 96 : 48;
    for (int i = 0; i < parts; i++) {
        const cairn_pose2 middle = {at_m.x, at_m.y, 2 * CAIRN_PI * (i + 0.5) / parts};
        if (dashed && i % 2 == 1) { continue; }
        if (!is_on_floor(plan, cairn_pose2_apply(middle, (cairn_vec2){radius_m, 0}))) { continue; }
        const cairn_pose2 from = {at_m.x, at_m.y, 2 * CAIRN_PI * i / parts},
                          to = {at_m.x, at_m.y, 2 * CAIRN_PI * (i + 1) / parts};
        cairn_picture_line(&plan->picture, pose_px(plan, from, radius_m, 0), pose_px(plan, to, radius_m, 0), 1.3, ink);
    }
}

// Bystanders are green discs, hazards diamonds with two circles: it goes off within the inner, destroys within the
// outer.
static void draw_figure(cairn_plan *plan, const cairn_sim_figure *figure)
{
    const bool hazard = figure->kind == CAIRN_FIGURE_HAZARD;
    const cairn_ink ink = hazard ? CAIRN_PLAN_HAZARD : CAIRN_PLAN_BYSTANDER;
    for (uint32_t i = 1; i < figure->point_count; i++) {
        draw_dashes(plan, cairn_plan_at(plan, figure->points_m[i - 1]), cairn_plan_at(plan, figure->points_m[i]), 1.6,
                    ink);
        cairn_picture_disc(&plan->picture, cairn_plan_at(plan, figure->points_m[i]), 3, ink);
    }
    const cairn_vec2 at = cairn_plan_at(plan, figure->points_m[0]);
    const double radius = fmax(8.0, cairn_plan_px(plan, 0.2));
    if (hazard) {
        draw_circle(plan, figure->points_m[0], figure->trigger_m, false, ink);
        draw_circle(plan, figure->points_m[0], figure->lethal_m, true, ink);
        const double r = radius + 3;
        const cairn_vec2 corners[] = {{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}};
        cairn_picture_polygon(&plan->picture, corners, 4, ink);
    } else {
        cairn_picture_disc(&plan->picture, at, radius + 1.5, CAIRN_PLAN_WHITE);
        cairn_picture_disc(&plan->picture, at, radius, ink);
    }
    cairn_plan_centred(plan, (cairn_vec2){at.x + 0.5, at.y}, radius >= 14 ? 2 : 1, CAIRN_PLAN_WHITE,
                       hazard ? "!" : "i");
    const double wide_px = cairn_picture_text_width_px(plan->dot_px, figure->name), beside = radius + 5;
    const bool right = at.x + beside + wide_px < cairn_plan_at(plan, plan->arena->size_m).x;
    draw_label(plan, (cairn_vec2){right ? at.x + beside : at.x - beside - wide_px, at.y - 3.5 * plan->dot_px},
               figure->name, ink);
}

// ---- victims and starts

static void draw_disc_with_number(cairn_plan *plan, cairn_vec2 middle_px, double radius_px, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", number);
    const uint32_t dot_px = radius_px >= 26 ? 4 : radius_px >= 18 ? 3 : radius_px >= 11 ? 2 : 1;
    cairn_picture_disc(&plan->picture, middle_px, radius_px + 1.5, CAIRN_PLAN_WHITE);
    cairn_picture_disc(&plan->picture, middle_px, radius_px, CAIRN_PLAN_VICTIM);
    cairn_plan_centred(plan, (cairn_vec2){middle_px.x + 0.5, middle_px.y}, dot_px, CAIRN_PLAN_WHITE, text);
}

// The name stands where the facing line does not: below a victim that looks east or west, else beside it.
static void draw_victim_name(cairn_plan *plan, const cairn_sim_victim *victim, cairn_vec2 middle, double radius)
{
    const double yaw_rad = victim->map_T_victim.yaw_rad,
                 width = cairn_picture_text_width_px(plan->dot_px, victim->name);
    const double away = fmax(radius, cairn_plan_px(plan, victim->boxed ? 0.36 : 0.24)) + 2.0 * plan->dot_px;
    const bool below = fabs(cos(yaw_rad)) > fabs(sin(yaw_rad)) + 0.1;
    const bool right = middle.x + away + width < CAIRN_PLAN_MARGIN_PX + cairn_plan_px(plan, plan->arena->size_m.x);
    const double beside_x = right ? middle.x + away : middle.x - away - width;
    const double below_x = cos(yaw_rad) > 0.0 ? middle.x - radius / 3 : middle.x + radius / 3 - width;
    draw_label(plan,
               below ? (cairn_vec2){below_x, middle.y + away} : (cairn_vec2){beside_x, middle.y - 3.5 * plan->dot_px},
               victim->name, CAIRN_PLAN_LABEL);
}

static void draw_victim(cairn_plan *plan, uint32_t index)
{
    const cairn_sim_victim *victim = &plan->arena->victims[index];
    const cairn_vec2 middle = pose_px(plan, victim->map_T_victim, 0, 0);
    const double radius = fmax(plan->scale_px_per_m < 6 ? 8.0 : 11.0, cairn_plan_px(plan, 0.16));
    const cairn_vec2 facing = pose_px(plan, victim->map_T_victim, fmax(0.42, 1.4 * radius / plan->scale_px_per_m), 0);
    cairn_picture_line(&plan->picture, middle, facing, fmax(2.0, cairn_plan_px(plan, 0.04)), CAIRN_PLAN_VICTIM);
    draw_disc_with_number(plan, middle, radius, index + 1);
    draw_victim_name(plan, victim, middle, radius);
}

static void draw_start(cairn_plan *plan, uint32_t index)
{
    const cairn_pose2 start = plan->arena->starts[index];
    const double size_m = fmax(1.0, (plan->scale_px_per_m < 6 ? 6.0 : 9.0) / cairn_plan_px(plan, 0.3));
    const double x_m[] = {0.30, -0.22, -0.10, -0.22}, y_m[] = {0.0, 0.20, 0.0, -0.20};
    cairn_vec2 corners[4];
    for (int i = 0; i < 4; i++) { corners[i] = pose_px(plan, start, x_m[i] * size_m, y_m[i] * size_m); }
    cairn_picture_polygon(&plan->picture, corners, 4, CAIRN_PLAN_START);
    for (int i = 0; i < 4; i++) {
        cairn_picture_line(&plan->picture, corners[i], corners[(i + 1) % 4], 1.5, CAIRN_PLAN_START_EDGE);
    }
    char text[16];
    (void)snprintf(text, sizeof text, "%u", index + 1);
    const cairn_vec2 tail = pose_px(plan, start, -0.26 * size_m, 0.0);
    const double width = cairn_picture_text_width_px(plan->dot_px, text);
    draw_label(plan,
               (cairn_vec2){tail.x - width / 2 - (3.0 * plan->dot_px + width / 2) * cos(start.yaw_rad),
                            tail.y - 3.5 * plan->dot_px + 7.0 * plan->dot_px * sin(start.yaw_rad)},
               text, CAIRN_PLAN_LABEL);
}

void cairn_plan_signs(cairn_plan *plan)
{
    for (uint32_t i = 0; i < plan->arena->start_count; i++) { draw_start(plan, i); }
    for (uint32_t i = 0; i < plan->arena->figure_count; i++) { draw_figure(plan, &plan->arena->figures[i]); }
    for (uint32_t i = 0; i < plan->arena->victim_count; i++) { draw_victim(plan, i); }
}
