#include "commands/bench/bench_plot.h"
#include "sim/picture/picture.h"
#include <math.h>
#include <stdio.h>

#define PLOT_WIDTH_PX 620.0
#define PLOT_HEIGHT_PX 460.0
#define LEFT_PX 80.0
#define RIGHT_PX 60.0
#define TOP_PX 50.0
#define BOTTOM_PX 60.0
#define DOT_PX 2

static const cairn_ink PAPER = {255, 255, 255, 255}, TEXT = {40, 44, 52, 255}, GRID = {222, 225, 230, 255};
static const cairn_ink FRAME = {120, 126, 136, 255};
static const cairn_ink LINE_INKS[CAIRN_PLOT_LINES_MAX] = {
    {0, 98, 155, 255}, {200, 84, 0, 255}, {20, 130, 70, 255}, {130, 60, 150, 255}};

// Both axes from a power of ten to a power of ten.
typedef struct axes {
    double x_low, x_high, y_low, y_high; // powers
    double left_px;
} axes;

static axes axes_of(const cairn_plot *plot, double left_px)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < plot->line_count; i++) {
        for (uint32_t k = 0; k < plot->lines[i].point_count; k++) {
            const double at[2] = {log10(plot->lines[i].x[k]), log10(plot->lines[i].y[k])};
            for (int axis = 0; axis < 2; axis++) {
                low[axis] = fmin(low[axis], floor(at[axis] + 1e-9));
                high[axis] = fmax(high[axis], ceil(at[axis] - 1e-9));
            }
        }
    }
    for (int axis = 0; axis < 2; axis++) { high[axis] = fmax(high[axis], low[axis] + 1); }
    return (axes){low[0], high[0], low[1], high[1], left_px};
}

static cairn_vec2 place_px(const axes *of, double x_power, double y_power)
{
    const double x_part = (x_power - of->x_low) / (of->x_high - of->x_low);
    const double y_part = (y_power - of->y_low) / (of->y_high - of->y_low);
    return (cairn_vec2){of->left_px + LEFT_PX + x_part * (PLOT_WIDTH_PX - LEFT_PX - RIGHT_PX),
                        PLOT_HEIGHT_PX - BOTTOM_PX - y_part * (PLOT_HEIGHT_PX - TOP_PX - BOTTOM_PX)};
}

static void draw_number(cairn_picture *picture, double power, cairn_vec2 at_px, double align)
{
    char text[32];
    snprintf(text, sizeof text, "%g", pow(10, power));
    at_px.x -= align * cairn_picture_text_width_px(DOT_PX, text);
    cairn_picture_text(picture, at_px, DOT_PX, TEXT, text);
}

static void draw_grid(cairn_picture *picture, const axes *of)
{
    for (int step = 0; step <= (int)(of->x_high - of->x_low); step++) {
        const double power = of->x_low + step;
        for (int part = 1; part < 10 && (part == 1 || power < of->x_high); part++) {
            const double at = power + log10(part);
            cairn_picture_line(picture, place_px(of, at, of->y_low), place_px(of, at, of->y_high), 1,
                               part == 1 ? FRAME : GRID);
        }
        const cairn_vec2 foot = place_px(of, power, of->y_low);
        draw_number(picture, power, (cairn_vec2){foot.x, foot.y + 8}, 0.5);
    }
    for (int step = 0; step <= (int)(of->y_high - of->y_low); step++) {
        const double power = of->y_low + step;
        for (int part = 1; part < 10 && (part == 1 || power < of->y_high); part++) {
            const double at = power + log10(part);
            cairn_picture_line(picture, place_px(of, of->x_low, at), place_px(of, of->x_high, at), 1,
                               part == 1 ? FRAME : GRID);
        }
        const cairn_vec2 foot = place_px(of, of->x_low, power);
        draw_number(picture, power, (cairn_vec2){foot.x - 8, foot.y - 7}, 1);
    }
}

static void draw_line(cairn_picture *picture, const axes *of, const cairn_plot_line *line, cairn_ink ink)
{
    for (uint32_t i = 0; i < line->point_count; i++) {
        const cairn_vec2 at = place_px(of, log10(line->x[i]), log10(line->y[i]));
        if (i > 0) {
            cairn_picture_line(picture, place_px(of, log10(line->x[i - 1]), log10(line->y[i - 1])), at, 2.5, ink);
        }
        cairn_picture_disc(picture, at, 4.5, ink);
    }
}

static void draw_names(cairn_picture *picture, const cairn_plot *plot, double left_px)
{
    double widest_px = 0;
    for (uint32_t i = 0; i < plot->line_count; i++) {
        widest_px = fmax(widest_px, cairn_picture_text_width_px(DOT_PX, plot->lines[i].name));
    }
    const cairn_vec2 from = {left_px + LEFT_PX + 12, PLOT_HEIGHT_PX - BOTTOM_PX - 16 - 22.0 * plot->line_count};
    cairn_picture_rectangle(picture, (cairn_vec2){from.x - 6, from.y - 6},
                            (cairn_vec2){from.x + 40 + widest_px, from.y + 22.0 * plot->line_count}, PAPER);
    for (uint32_t i = 0; i < plot->line_count; i++) {
        const double y_px = from.y + 22.0 * i;
        cairn_picture_line(picture, (cairn_vec2){from.x, y_px + 7}, (cairn_vec2){from.x + 24, y_px + 7}, 3,
                           LINE_INKS[i]);
        cairn_picture_text(picture, (cairn_vec2){from.x + 32, y_px}, DOT_PX, TEXT, plot->lines[i].name);
    }
}

static void draw_plot(cairn_picture *picture, const cairn_plot *plot, double left_px)
{
    const axes of = axes_of(plot, left_px);
    draw_grid(picture, &of);
    for (uint32_t i = 0; i < plot->line_count; i++) { draw_line(picture, &of, &plot->lines[i], LINE_INKS[i]); }
    draw_names(picture, plot, left_px);
    cairn_picture_text(picture, (cairn_vec2){left_px + LEFT_PX, 12}, DOT_PX, TEXT, plot->title);
    const double title_px = cairn_picture_text_width_px(DOT_PX, plot->title);
    cairn_picture_text(picture, (cairn_vec2){left_px + LEFT_PX + title_px + 24, 12}, DOT_PX, FRAME, plot->y_title);
    const double width_px = cairn_picture_text_width_px(DOT_PX, plot->x_title);
    cairn_picture_text(picture, (cairn_vec2){left_px + PLOT_WIDTH_PX - RIGHT_PX - width_px, PLOT_HEIGHT_PX - 26},
                       DOT_PX, FRAME, plot->x_title);
}

cairn_err cairn_plots_write(const cairn_plot *plots, uint32_t plot_count, const char *path,
                            cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, (size_t)8 << 20);
    cairn_picture picture;
    if (err == CAIRN_OK) {
        err = cairn_picture_create((uint32_t)(plot_count * PLOT_WIDTH_PX), (uint32_t)PLOT_HEIGHT_PX, PAPER, &memory,
                                   &picture);
    }
    if (err == CAIRN_OK) {
        for (uint32_t i = 0; i < plot_count; i++) { draw_plot(&picture, &plots[i], i * PLOT_WIDTH_PX); }
        err = cairn_picture_write_png(&picture, path, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}
