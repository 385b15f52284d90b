#include "sim/arena/arena_picture.h"
#include <stdio.h>

// Wall, grid, victim, start and label colours are those of RoboCup Rescue maps.
static const cairn_ink PAPER = {246, 247, 249, 255};
static const cairn_ink FLOOR = {255, 255, 255, 255};
static const cairn_ink GRID = {190, 190, 191, 90};
static const cairn_ink GRID_METRE = {190, 190, 191, 220};
static const cairn_ink WALL = {0, 40, 120, 255};
static const cairn_ink LABEL = {0, 50, 140, 255};
static const cairn_ink QUIET = {96, 106, 128, 255};
static const cairn_ink BOX = {158, 168, 184, 255};
static const cairn_ink BOX_EDGE = {96, 106, 128, 255};
static const cairn_ink RAMP_LOW = {252, 240, 214, 255};
static const cairn_ink RAMP_HIGH = {226, 178, 102, 255};
static const cairn_ink RAMP_EDGE = {168, 116, 40, 255};
static const cairn_ink PANEL = {128, 84, 48, 255};
static const cairn_ink VICTIM = {240, 10, 10, 255};
static const cairn_ink FIGURE = {250, 176, 168, 255};
static const cairn_ink START = {255, 200, 0, 255};
static const cairn_ink START_EDGE = {150, 112, 0, 255};
static const cairn_ink WHITE = {255, 255, 255, 255};

enum { MARGIN_PX = 56, TITLE_PX = 58, FOOT_PX = 74 };

typedef struct plan {
    const cairn_sim_arena *arena;
    cairn_picture picture;
    double scale_px_per_m;
    uint32_t dot_px; // size of labels on the plan
} plan;

static double px(const plan *draw, double m) { return m * draw->scale_px_per_m; }

static cairn_vec2 to_px(const plan *draw, cairn_vec2 at_m)
{
    return (cairn_vec2){MARGIN_PX + px(draw, at_m.x), TITLE_PX + px(draw, draw->arena->size_m.y - at_m.y)};
}

static cairn_vec2 pose_to_px(const plan *draw, cairn_pose2 map_T_thing, double x_m, double y_m)
{
    return to_px(draw, cairn_pose2_apply(map_T_thing, (cairn_vec2){x_m, y_m}));
}

// A turned rectangle: from (x0, y0) to (x1, y1) in the frame of a thing.
static void draw_block(plan *draw, cairn_pose2 map_T_thing, cairn_vec2 low_m, cairn_vec2 high_m, cairn_ink ink)
{
    const cairn_vec2 corners[] = {
        pose_to_px(draw, map_T_thing, low_m.x, low_m.y),
        pose_to_px(draw, map_T_thing, high_m.x, low_m.y),
        pose_to_px(draw, map_T_thing, high_m.x, high_m.y),
        pose_to_px(draw, map_T_thing, low_m.x, high_m.y),
    };
    cairn_picture_polygon(&draw->picture, corners, 4, ink);
}

static void draw_outline(plan *draw, cairn_pose2 map_T_thing, cairn_vec2 half_m, double width_px, cairn_ink ink)
{
    const double xs[] = {-half_m.x, half_m.x, half_m.x, -half_m.x}, ys[] = {-half_m.y, -half_m.y, half_m.y, half_m.y};
    for (int i = 0; i < 4; i++) {
        const int next = (i + 1) % 4;
        cairn_picture_line(&draw->picture, pose_to_px(draw, map_T_thing, xs[i], ys[i]),
                           pose_to_px(draw, map_T_thing, xs[next], ys[next]), width_px, ink);
    }
}

static void draw_centred(plan *draw, cairn_vec2 middle_px, uint32_t dot_px, cairn_ink ink, const char *text)
{
    const cairn_vec2 at = {middle_px.x - cairn_picture_text_width_px(dot_px, text) / 2, middle_px.y - 3.5 * dot_px};
    cairn_picture_text(&draw->picture, at, dot_px, ink, text);
}

// With a white rim, so that it can be read on walls.
static void draw_label(plan *draw, cairn_vec2 at_px, const char *text)
{
    const int rim = (int)draw->dot_px;
    for (int y = -rim; y <= rim; y += rim) {
        for (int x = -rim; x <= rim; x += rim) {
            const cairn_vec2 beside = {at_px.x + x, at_px.y + y};
            cairn_picture_text(&draw->picture, beside, draw->dot_px, WHITE, text);
        }
    }
    cairn_picture_text(&draw->picture, at_px, draw->dot_px, LABEL, text);
}

static double label_step_m(const plan *draw)
{
    const double steps_m[] = {1.0, 2.0, 5.0, 10.0, 20.0};
    for (size_t i = 0; i < sizeof steps_m / sizeof steps_m[0]; i++) {
        if (px(draw, steps_m[i]) >= 44.0) { return steps_m[i]; }
    }
    return 50.0;
}

static void draw_floor(plan *draw)
{
    const cairn_vec2 size_m = draw->arena->size_m;
    cairn_picture_rectangle(&draw->picture, to_px(draw, (cairn_vec2){0, 0}), to_px(draw, size_m), FLOOR);
    const bool fine = px(draw, 0.5) >= 8.0;
    for (uint32_t i = 1; i * 0.5 < fmax(size_m.x, size_m.y); i++) {
        const double at_m = i * 0.5;
        const bool whole = i % 2 == 0;
        if (!whole && !fine) { continue; }
        const cairn_ink ink = whole ? GRID_METRE : GRID;
        if (at_m < size_m.x) {
            const cairn_vec2 foot = to_px(draw, (cairn_vec2){at_m, 0}), top = to_px(draw, (cairn_vec2){at_m, size_m.y});
            cairn_picture_line(&draw->picture, foot, top, 1.0, ink);
        }
        if (at_m < size_m.y) {
            const cairn_vec2 left = to_px(draw, (cairn_vec2){0, at_m}),
                             right = to_px(draw, (cairn_vec2){size_m.x, at_m});
            cairn_picture_line(&draw->picture, left, right, 1.0, ink);
        }
    }
}

static void draw_axes(plan *draw)
{
    const cairn_vec2 size_m = draw->arena->size_m;
    const double step_m = label_step_m(draw);
    char text[16];
    for (int i = 0; i * step_m <= size_m.x; i++) {
        const double at_m = i * step_m;
        const cairn_vec2 at = to_px(draw, (cairn_vec2){at_m, 0});
        (void)snprintf(text, sizeof text, "%.0f", at_m);
        cairn_picture_line(&draw->picture, (cairn_vec2){at.x, at.y + 4}, (cairn_vec2){at.x, at.y + 9}, 1.0, QUIET);
        draw_centred(draw, (cairn_vec2){at.x, at.y + 21}, 2, QUIET, text);
    }
    for (int i = 0; i * step_m <= size_m.y; i++) {
        const double at_m = i * step_m;
        const cairn_vec2 at = to_px(draw, (cairn_vec2){0, at_m});
        (void)snprintf(text, sizeof text, "%.0f", at_m);
        cairn_picture_line(&draw->picture, (cairn_vec2){at.x - 9, at.y}, (cairn_vec2){at.x - 4, at.y}, 1.0, QUIET);
        const double left = at.x - 14 - cairn_picture_text_width_px(2, text);
        cairn_picture_text(&draw->picture, (cairn_vec2){left, at.y - 7}, 2, QUIET, text);
    }
}

static cairn_ink blend_inks(cairn_ink from, cairn_ink to, double part)
{
    return (cairn_ink){(uint8_t)lround(from.red + (to.red - from.red) * part),
                       (uint8_t)lround(from.green + (to.green - from.green) * part),
                       (uint8_t)lround(from.blue + (to.blue - from.blue) * part), 255};
}

cairn_ink cairn_ground_ink(double height_m)
{
    static const struct {
        double height_m;
        cairn_ink ink;
    } stops[] = {
        {-1.0, {132, 134, 142, 255}}, {-0.02, {204, 204, 206, 255}}, {0.0, {252, 244, 224, 255}},
        {0.3, {236, 200, 136, 255}},  {0.8, {214, 160, 92, 255}},    {2.0, {214, 206, 196, 255}},
    };
    const size_t count = sizeof stops / sizeof stops[0];
    if (height_m <= stops[0].height_m) { return stops[0].ink; }
    for (size_t i = 1; i < count; i++) {
        if (height_m > stops[i].height_m) { continue; }
        const double part = (height_m - stops[i - 1].height_m) / (stops[i].height_m - stops[i - 1].height_m);
        return blend_inks(stops[i - 1].ink, stops[i].ink, part);
    }
    return stops[count - 1].ink;
}

// An open arrow head at (x, 0) of the ramp that points to +x (side 1) or -x (side -1).
static void draw_chevron(plan *draw, const cairn_sim_ramp *ramp, double x_m, double side)
{
    const double size_m = fmin(0.18, ramp->width_m / 6), width = fmax(1.0, px(draw, 0.025));
    const cairn_vec2 tip = pose_to_px(draw, ramp->map_T_ramp, x_m + side * size_m / 2, 0.0);
    for (int wing = -1; wing <= 1; wing += 2) {
        cairn_picture_line(&draw->picture, tip,
                           pose_to_px(draw, ramp->map_T_ramp, x_m - side * size_m / 2, wing * size_m), width,
                           RAMP_EDGE);
    }
}

// Bands that darken with height, a line along the ridge, and arrows that point up.
static void draw_ramp(plan *draw, const cairn_sim_ramp *ramp)
{
    enum { BANDS = 16 };
    const double run_m = (ramp->length_m - ramp->top_m) / 2, half_m = ramp->width_m / 2;
    // Each band lies on the one before, so that no seam shows.
    for (int band = 0; band <= BANDS; band++) {
        const double in_m = run_m * band / BANDS;
        draw_block(draw, ramp->map_T_ramp, (cairn_vec2){-ramp->length_m / 2 + in_m, -half_m},
                   (cairn_vec2){ramp->length_m / 2 - in_m, half_m},
                   blend_inks(RAMP_LOW, RAMP_HIGH, (double)band / BANDS));
    }
    for (int side = -1; side <= 1; side += 2) {
        const double edge_m = side * ramp->top_m / 2;
        cairn_picture_line(&draw->picture, pose_to_px(draw, ramp->map_T_ramp, edge_m, -half_m),
                           pose_to_px(draw, ramp->map_T_ramp, edge_m, half_m), fmax(1.0, px(draw, 0.025)), RAMP_EDGE);
        draw_chevron(draw, ramp, side * (ramp->top_m + run_m) / 2, -side);
    }
    draw_outline(draw, ramp->map_T_ramp, (cairn_vec2){ramp->length_m / 2, half_m}, 1.0, RAMP_EDGE);
}

static void draw_solid(plan *draw, const cairn_solid *solid)
{
    const cairn_pose2 map_T_box = cairn_pose3_to_pose2(solid->map_T_box);
    const cairn_vec2 half_m = {solid->half_m.x, solid->half_m.y};
    const cairn_ink ink = solid->kind == CAIRN_SOLID_WALL     ? WALL
                          : solid->kind == CAIRN_SOLID_BOX    ? BOX
                          : solid->kind == CAIRN_SOLID_VICTIM ? FIGURE
                                                              : PANEL;
    draw_block(draw, map_T_box, (cairn_vec2){-half_m.x, -half_m.y}, half_m, ink);
    if (solid->kind == CAIRN_SOLID_BOX) { draw_outline(draw, map_T_box, half_m, 1.0, BOX_EDGE); }
}

// The lid of a victim's box would hide who is in it.
static bool is_lid(const cairn_solid *solid)
{
    return solid->kind == CAIRN_SOLID_VICTIM_BOX && solid->half_m.z < solid->half_m.x &&
           solid->half_m.z < solid->half_m.y;
}

static void draw_solids(plan *draw)
{
    for (uint32_t i = 0; i < draw->arena->ramp_count; i++) { draw_ramp(draw, &draw->arena->ramps[i]); }
    for (uint32_t i = 0; i < draw->arena->solid_count; i++) {
        const cairn_solid *solid = &draw->arena->solids[i];
        if (solid->kind != CAIRN_SOLID_GROUND && !is_lid(solid)) { draw_solid(draw, solid); }
    }
}

static void draw_disc_with_number(plan *draw, cairn_vec2 middle_px, double radius_px, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", number);
    const uint32_t dot_px = radius_px >= 26 ? 4 : radius_px >= 18 ? 3 : radius_px >= 11 ? 2 : 1;
    cairn_picture_disc(&draw->picture, middle_px, radius_px + 1.5, WHITE);
    cairn_picture_disc(&draw->picture, middle_px, radius_px, VICTIM);
    draw_centred(draw, (cairn_vec2){middle_px.x + 0.5, middle_px.y}, dot_px, WHITE, text);
}

// The name stands where the facing line does not: below a victim that looks east or west, else beside it.
static void draw_victim_name(plan *draw, const cairn_sim_victim *victim, cairn_vec2 middle, double radius)
{
    const double yaw_rad = victim->map_T_victim.yaw_rad,
                 width = cairn_picture_text_width_px(draw->dot_px, victim->name);
    const double away = fmax(radius, px(draw, victim->boxed ? 0.36 : 0.24)) + 2.0 * draw->dot_px;
    const bool below = fabs(cos(yaw_rad)) > fabs(sin(yaw_rad)) + 0.1;
    const bool right = middle.x + away + width < MARGIN_PX + px(draw, draw->arena->size_m.x);
    const double beside_x = right ? middle.x + away : middle.x - away - width;
    const double below_x = cos(yaw_rad) > 0.0 ? middle.x - radius / 3 : middle.x + radius / 3 - width;
    draw_label(draw,
               below ? (cairn_vec2){below_x, middle.y + away} : (cairn_vec2){beside_x, middle.y - 3.5 * draw->dot_px},
               victim->name);
}

static void draw_victim(plan *draw, uint32_t index)
{
    const cairn_sim_victim *victim = &draw->arena->victims[index];
    const cairn_vec2 middle = pose_to_px(draw, victim->map_T_victim, 0, 0);
    const double radius = fmax(11.0, px(draw, 0.16));
    const cairn_vec2 facing = pose_to_px(draw, victim->map_T_victim, 0.42, 0);
    cairn_picture_line(&draw->picture, middle, facing, fmax(2.0, px(draw, 0.04)), VICTIM);
    draw_disc_with_number(draw, middle, radius, index + 1);
    draw_victim_name(draw, victim, middle, radius);
}

static void draw_arrow(plan *draw, cairn_pose2 map_T_base, double size_m, cairn_ink ink)
{
    const double x_m[] = {0.30, -0.22, -0.10, -0.22}, y_m[] = {0.0, 0.20, 0.0, -0.20};
    cairn_vec2 corners[4];
    for (int i = 0; i < 4; i++) { corners[i] = pose_to_px(draw, map_T_base, x_m[i] * size_m, y_m[i] * size_m); }
    cairn_picture_polygon(&draw->picture, corners, 4, ink);
    for (int i = 0; i < 4; i++) {
        cairn_picture_line(&draw->picture, corners[i], corners[(i + 1) % 4], 1.5, START_EDGE);
    }
}

static void draw_starts(plan *draw)
{
    for (uint32_t i = 0; i < draw->arena->start_count; i++) {
        const cairn_pose2 start = draw->arena->starts[i];
        const double size_m = fmax(1.0, 9.0 / px(draw, 0.3));
        draw_arrow(draw, start, size_m, START);
        char text[16];
        (void)snprintf(text, sizeof text, "%u", i + 1);
        const cairn_vec2 tail = pose_to_px(draw, start, -0.26 * size_m, 0.0);
        const double width = cairn_picture_text_width_px(draw->dot_px, text);
        draw_label(draw,
                   (cairn_vec2){tail.x - width / 2 - (3.0 * draw->dot_px + width / 2) * cos(start.yaw_rad),
                                tail.y - 3.5 * draw->dot_px + 7.0 * draw->dot_px * sin(start.yaw_rad)},
                   text);
    }
}

static void draw_title(plan *draw)
{
    const cairn_sim_arena *arena = draw->arena;
    char text[160];
    cairn_picture_text(&draw->picture, (cairn_vec2){MARGIN_PX, 14}, 3, LABEL, arena->name);
    const double after = MARGIN_PX + cairn_picture_text_width_px(3, arena->name) + 24;
    (void)snprintf(text, sizeof text, "%.1f x %.1f m   %u walls   %u victims   %u starts", arena->size_m.x,
                   arena->size_m.y, arena->wall_count, arena->victim_count, arena->start_count);
    cairn_picture_text(&draw->picture, (cairn_vec2){after, 21}, 2, QUIET, text);
}

static double scale_bar_m(const plan *draw)
{
    const double lengths_m[] = {10.0, 5.0, 2.0, 1.0};
    for (size_t i = 0; i < sizeof lengths_m / sizeof lengths_m[0]; i++) {
        if (lengths_m[i] <= draw->arena->size_m.x / 4) { return lengths_m[i]; }
    }
    return 0.5;
}

static void draw_scale_bar(plan *draw, double y)
{
    const double length_m = scale_bar_m(draw), left = MARGIN_PX, width = px(draw, length_m);
    const cairn_vec2 from = {left, y}, to = {left + width, y + 8};
    cairn_picture_rectangle(&draw->picture, from, to, LABEL);
    cairn_picture_rectangle(&draw->picture, (cairn_vec2){left + width / 2, y + 2},
                            (cairn_vec2){left + width - 2, y + 6}, WHITE);
    char text[16];
    (void)snprintf(text, sizeof text, "%g m", length_m);
    cairn_picture_text(&draw->picture, (cairn_vec2){left + width + 8, y - 3}, 2, LABEL, text);
}

// Draws one sign of the legend, and returns where the next one goes.
static double draw_legend_text(plan *draw, double x, double y, const char *text)
{
    cairn_picture_text(&draw->picture, (cairn_vec2){x, y - 7}, 2, QUIET, text);
    return x + cairn_picture_text_width_px(2, text) + 22;
}

static void draw_legend(plan *draw, double x, double y)
{
    cairn_picture_disc(&draw->picture, (cairn_vec2){x + 8, y}, 8, VICTIM);
    x = draw_legend_text(draw, x + 22, y, "victim");
    const cairn_vec2 arrow[] = {{x + 18, y}, {x, y - 8}, {x + 4, y}, {x, y + 8}};
    cairn_picture_polygon(&draw->picture, arrow, 4, START);
    for (int i = 0; i < 4; i++) { cairn_picture_line(&draw->picture, arrow[i], arrow[(i + 1) % 4], 1.5, START_EDGE); }
    x = draw_legend_text(draw, x + 24, y, "start");
    cairn_picture_rectangle(&draw->picture, (cairn_vec2){x, y - 7}, (cairn_vec2){x + 18, y + 7}, RAMP_HIGH);
    x = draw_legend_text(draw, x + 24, y, "ramp");
    cairn_picture_rectangle(&draw->picture, (cairn_vec2){x, y - 7}, (cairn_vec2){x + 18, y + 7}, BOX);
    x = draw_legend_text(draw, x + 24, y, "box");
    cairn_picture_rectangle(&draw->picture, (cairn_vec2){x, y - 7}, (cairn_vec2){x + 18, y + 7}, WALL);
    (void)draw_legend_text(draw, x + 24, y, "wall");
}

double cairn_sim_arena_picture_scale(const cairn_sim_arena *arena)
{
    const double scale = 1400.0 / fmax(arena->size_m.x, arena->size_m.y);
    return fmin(fmax(scale, CAIRN_ARENA_SCALE_PX_PER_M_MIN), CAIRN_ARENA_SCALE_PX_PER_M_MAX);
}

void cairn_sim_arena_picture_size(const cairn_sim_arena *arena, double scale_px_per_m, uint32_t *ret_width_px,
                                  uint32_t *ret_height_px)
{
    const double width = ceil(arena->size_m.x * scale_px_per_m) + 2 * MARGIN_PX;
    *ret_width_px = (uint32_t)fmax(width, 620.0); // room for the legend
    *ret_height_px = (uint32_t)ceil(arena->size_m.y * scale_px_per_m) + TITLE_PX + FOOT_PX;
}

cairn_err cairn_sim_arena_draw(const cairn_sim_arena *arena, double scale_px_per_m, cairn_arena *memory,
                               cairn_picture *ret_picture)
{
    return cairn_sim_arena_draw_layer(arena, scale_px_per_m, &(cairn_arena_layer){0}, memory, ret_picture);
}

cairn_err cairn_sim_arena_draw_layer(const cairn_sim_arena *arena, double scale_px_per_m,
                                     const cairn_arena_layer *layer, cairn_arena *memory, cairn_picture *ret_picture)
{
    CAIRN_ASSERT(scale_px_per_m >= CAIRN_ARENA_SCALE_PX_PER_M_MIN && scale_px_per_m <= CAIRN_ARENA_SCALE_PX_PER_M_MAX);
    plan draw = {.arena = arena, .scale_px_per_m = scale_px_per_m, .dot_px = scale_px_per_m >= 28 ? 2 : 1};
    uint32_t width_px, height_px;
    cairn_sim_arena_picture_size(arena, scale_px_per_m, &width_px, &height_px);
    const cairn_err err = cairn_picture_create(width_px, height_px + layer->foot_px, PAPER, memory, &draw.picture);
    if (err != CAIRN_OK) { return err; }
    const cairn_arena_frame frame = {
        .corner_px = to_px(&draw, (cairn_vec2){0, 0}), .scale_px_per_m = scale_px_per_m, .foot_px = height_px};

    draw_floor(&draw);
    if (layer->on_floor != NULL) { layer->on_floor(layer->context, &draw.picture, &frame); }
    draw_solids(&draw);
    draw_starts(&draw);
    for (uint32_t i = 0; i < arena->victim_count; i++) { draw_victim(&draw, i); }
    draw_axes(&draw);
    draw_title(&draw);
    draw_scale_bar(&draw, height_px - 30.0);
    draw_legend(&draw, width_px - 480.0, height_px - 26.0);
    if (layer->on_top != NULL) { layer->on_top(layer->context, &draw.picture, &frame); }
    *ret_picture = draw.picture;
    return CAIRN_OK;
}
