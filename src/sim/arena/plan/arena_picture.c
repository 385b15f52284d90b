#include "sim/arena/plan/arena_picture.h"
#include "sim/arena/plan/plan.h"
#include <stdio.h>

static const cairn_ink PAPER = {246, 247, 249, 255};
static const cairn_ink FLOOR = {255, 255, 255, 255};
static const cairn_ink GRID = {190, 190, 191, 90};
static const cairn_ink GRID_MAIN = {190, 190, 191, 220};

enum { FOOT_PX = 52, LEGEND_LINE_PX = 22, WIDTH_PX_MIN = 620, SCALE_ROOM_PX = 60 };

cairn_ink cairn_plan_blend(cairn_ink from, cairn_ink to, double part)
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
        return cairn_plan_blend(stops[i - 1].ink, stops[i].ink, part);
    }
    return stops[count - 1].ink;
}

void cairn_plan_centred(cairn_plan *plan, cairn_vec2 middle_px, uint32_t dot_px, cairn_ink ink, const char *text)
{
    const cairn_vec2 at = {middle_px.x - cairn_picture_text_width_px(dot_px, text) / 2, middle_px.y - 3.5 * dot_px};
    cairn_picture_text(&plan->picture, at, dot_px, ink, text);
}

// The least step that is so many pixels wide.
static double step_m(const cairn_plan *plan, double px_min)
{
    static const double steps_m[] = {0.5, 1, 2, 5, 10, 20, 50};
    for (size_t i = 0; i < sizeof steps_m / sizeof steps_m[0]; i++) {
        if (cairn_plan_px(plan, steps_m[i]) >= px_min) { return steps_m[i]; }
    }
    return 100;
}

// Lines 0.5 m apart, or further where they would be too many; every second one is stronger.
static void draw_floor(cairn_plan *plan)
{
    const cairn_vec2 size_m = plan->arena->size_m;
    const double grid_m = step_m(plan, 8);
    cairn_picture_rectangle(&plan->picture, cairn_plan_at(plan, (cairn_vec2){0, 0}), cairn_plan_at(plan, size_m),
                            FLOOR);
    for (uint32_t i = 1; i * grid_m < fmax(size_m.x, size_m.y); i++) {
        const double at_m = i * grid_m;
        const cairn_ink ink = i % 2 == 0 ? GRID_MAIN : GRID;
        if (at_m < size_m.x) {
            cairn_picture_line(&plan->picture, cairn_plan_at(plan, (cairn_vec2){at_m, 0}),
                               cairn_plan_at(plan, (cairn_vec2){at_m, size_m.y}), 1.0, ink);
        }
        if (at_m < size_m.y) {
            cairn_picture_line(&plan->picture, cairn_plan_at(plan, (cairn_vec2){0, at_m}),
                               cairn_plan_at(plan, (cairn_vec2){size_m.x, at_m}), 1.0, ink);
        }
    }
}

static void draw_axes(cairn_plan *plan)
{
    const cairn_vec2 size_m = plan->arena->size_m;
    const double label_m = fmax(step_m(plan, 44), 1);
    char text[16];
    for (int i = 0; i * label_m <= size_m.x; i++) {
        const cairn_vec2 at = cairn_plan_at(plan, (cairn_vec2){i * label_m, 0});
        (void)snprintf(text, sizeof text, "%.0f", i * label_m);
        cairn_picture_line(&plan->picture, (cairn_vec2){at.x, at.y + 4}, (cairn_vec2){at.x, at.y + 9}, 1.0,
                           CAIRN_PLAN_QUIET);
        cairn_plan_centred(plan, (cairn_vec2){at.x, at.y + 21}, 2, CAIRN_PLAN_QUIET, text);
    }
    for (int i = 0; i * label_m <= size_m.y; i++) {
        const cairn_vec2 at = cairn_plan_at(plan, (cairn_vec2){0, i * label_m});
        (void)snprintf(text, sizeof text, "%.0f", i * label_m);
        cairn_picture_line(&plan->picture, (cairn_vec2){at.x - 9, at.y}, (cairn_vec2){at.x - 4, at.y}, 1.0,
                           CAIRN_PLAN_QUIET);
        const double left = at.x - 14 - cairn_picture_text_width_px(2, text);
        cairn_picture_text(&plan->picture, (cairn_vec2){left, at.y - 7}, 2, CAIRN_PLAN_QUIET, text);
    }
}

static void draw_title(cairn_plan *plan)
{
    const cairn_sim_arena *arena = plan->arena;
    char text[160];
    cairn_picture_text(&plan->picture, (cairn_vec2){CAIRN_PLAN_MARGIN_PX, 14}, 3, CAIRN_PLAN_LABEL, arena->name);
    const double after = CAIRN_PLAN_MARGIN_PX + cairn_picture_text_width_px(3, arena->name) + 24;
    (void)snprintf(text, sizeof text, "%.1f x %.1f m   %u walls   %u victims   %u starts", arena->size_m.x,
                   arena->size_m.y, arena->wall_count, arena->victim_count, arena->start_count);
    cairn_picture_text(&plan->picture, (cairn_vec2){after, 21}, 2, CAIRN_PLAN_QUIET, text);
}

static void draw_north(cairn_plan *plan)
{
    const double x = plan->picture.width_px - CAIRN_PLAN_MARGIN_PX / 2.0;
    const cairn_vec2 arrow[] = {{x, 14}, {x + 8, 42}, {x, 36}, {x - 8, 42}};
    cairn_picture_polygon(&plan->picture, arrow, 4, CAIRN_PLAN_LABEL);
    cairn_plan_centred(plan, (cairn_vec2){x, 53}, 2, CAIRN_PLAN_LABEL, "N");
}

static double scale_bar_m(const cairn_sim_arena *arena)
{
    static const double lengths_m[] = {100, 50, 20, 10, 5, 2, 1};
    for (size_t i = 0; i < sizeof lengths_m / sizeof lengths_m[0]; i++) {
        if (lengths_m[i] <= arena->size_m.x / 5) { return lengths_m[i]; }
    }
    return 0.5;
}

// Where the legend begins: right of the scale bar and its words.
static double legend_x_px(const cairn_sim_arena *arena, double scale_px_per_m)
{
    return CAIRN_PLAN_MARGIN_PX + scale_bar_m(arena) * scale_px_per_m + SCALE_ROOM_PX + 30;
}

static void draw_scale_bar(cairn_plan *plan, double y)
{
    const double length_m = scale_bar_m(plan->arena), left = CAIRN_PLAN_MARGIN_PX,
                 width = cairn_plan_px(plan, length_m);
    cairn_picture_rectangle(&plan->picture, (cairn_vec2){left, y}, (cairn_vec2){left + width, y + 8}, CAIRN_PLAN_LABEL);
    cairn_picture_rectangle(&plan->picture, (cairn_vec2){left + width / 2, y + 2},
                            (cairn_vec2){left + width - 2, y + 6}, CAIRN_PLAN_WHITE);
    char text[16];
    (void)snprintf(text, sizeof text, "%g m", length_m);
    cairn_picture_text(&plan->picture, (cairn_vec2){left + width + 8, y - 3}, 2, CAIRN_PLAN_LABEL, text);
}

double cairn_sim_arena_picture_scale(const cairn_sim_arena *arena)
{
    const double scale = 1400.0 / fmax(arena->size_m.x, arena->size_m.y);
    return fmin(fmax(scale, CAIRN_ARENA_SCALE_PX_PER_M_MIN), CAIRN_ARENA_SCALE_PX_PER_M_MAX);
}

void cairn_sim_arena_picture_size(const cairn_sim_arena *arena, double scale_px_per_m, uint32_t *ret_width_px,
                                  uint32_t *ret_height_px)
{
    const double width = ceil(arena->size_m.x * scale_px_per_m) + 2 * CAIRN_PLAN_MARGIN_PX;
    *ret_width_px = (uint32_t)fmax(width, WIDTH_PX_MIN);
    const uint32_t lines = cairn_plan_legend(NULL, arena, *ret_width_px, legend_x_px(arena, scale_px_per_m), 0);
    *ret_height_px =
        (uint32_t)ceil(arena->size_m.y * scale_px_per_m) + CAIRN_PLAN_TITLE_PX + FOOT_PX + LEGEND_LINE_PX * lines;
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
    cairn_plan plan = {.arena = arena,
                       .scale_px_per_m = scale_px_per_m,
                       .dot_px = scale_px_per_m >= 28 ? 2 : 1,
                       .tinted = layer->on_floor != NULL};
    uint32_t width_px, height_px;
    cairn_sim_arena_picture_size(arena, scale_px_per_m, &width_px, &height_px);
    cairn_err err = cairn_picture_create(width_px, height_px + layer->foot_px, PAPER, memory, &plan.picture);
    if (err != CAIRN_OK) { return err; }
    const cairn_arena_frame frame = {
        .corner_px = cairn_plan_at(&plan, (cairn_vec2){0, 0}), .scale_px_per_m = scale_px_per_m, .foot_px = height_px};

    draw_floor(&plan);
    if (layer->on_floor != NULL) { layer->on_floor(layer->context, &plan.picture, &frame); }
    err = cairn_plan_ground(&plan);
    if (err != CAIRN_OK) { return err; }
    cairn_plan_things(&plan);
    cairn_plan_signs(&plan);
    draw_axes(&plan);
    draw_title(&plan);
    draw_north(&plan);
    const double foot_px = frame.corner_px.y + FOOT_PX;
    draw_scale_bar(&plan, foot_px - 4);
    (void)cairn_plan_legend(&plan, arena, width_px, legend_x_px(arena, scale_px_per_m), foot_px);
    if (layer->on_top != NULL) { layer->on_top(layer->context, &plan.picture, &frame); }
    *ret_picture = plan.picture;
    return CAIRN_OK;
}
