#include "sim/mission/map_picture.h"
#include "sim/picture/picture.h"
#include "sim/mission/report.h"
#include <stdio.h>

static const cairn_ink UNKNOWN_LIGHT = {237, 237, 238, 255}, UNKNOWN_DARK = {226, 226, 227, 255};
static const cairn_ink FREE = {255, 255, 255, 255}, GRID = {190, 190, 191, 110}, WALL = {0, 40, 120, 255};
static const cairn_ink LABEL = {0, 50, 140, 255}, VICTIM = {240, 10, 10, 255}, WHITE = {255, 255, 255, 255};
static const cairn_ink START = {255, 200, 0, 255}, START_EDGE = {150, 112, 0, 255}, QUIET = {95, 102, 125, 255};
static const cairn_ink SEARCHED = {232, 245, 233, 255}; // free, and a thermal camera has looked at it

// AXIS_PX lies below the map for the numbers, LEGEND_PX is one row of the legend, SWATCH_PX a sample in it.
enum { MARGIN_PX = 48, TITLE_PX = 78, AXIS_PX = 40, LEGEND_PX = 30, SWATCH_PX = 22, WIDTH_PX_MIN = 900 };
enum { SIDE_PX_MAX = 1600, CELL_PX_MAX = 9, GRID_PX_PER_M_MIN = 10 };
#define BORDER_M 0.5

typedef struct drawing {
    cairn_picture picture;
    const cairn_raster *raster;
    const uint8_t *searched;
    cairn_vec2 low_m, high_m; // shown
    double px_per_m;
} drawing;

static cairn_vec2 to_px(const drawing *d, cairn_vec2 at_m)
{
    return (cairn_vec2){MARGIN_PX + (at_m.x - d->low_m.x) * d->px_per_m,
                        TITLE_PX + (d->high_m.y - at_m.y) * d->px_per_m};
}

// Whole pixels a cell, so that the map stays crisp.
static void choose_window(drawing *d)
{
    const cairn_raster *raster = d->raster;
    const bool empty = raster->x_max < raster->x_min;
    const double cell_m = raster->def.cell_m;
    d->low_m = empty ? (cairn_vec2){0, 0}
                     : (cairn_vec2){raster->def.origin_m.x + raster->x_min * cell_m - BORDER_M,
                                    raster->def.origin_m.y + raster->y_min * cell_m - BORDER_M};
    d->high_m = empty ? (cairn_vec2){5, 5}
                      : (cairn_vec2){raster->def.origin_m.x + (raster->x_max + 1) * cell_m + BORDER_M,
                                     raster->def.origin_m.y + (raster->y_max + 1) * cell_m + BORDER_M};
    const double side_m = fmax(d->high_m.x - d->low_m.x, d->high_m.y - d->low_m.y);
    const double px_per_cell = SIDE_PX_MAX * cell_m / side_m; // less than 1 on very large maps
    d->px_per_m = (px_per_cell < 1 ? px_per_cell : fmin(floor(px_per_cell), CELL_PX_MAX)) / cell_m;
}

// What a pixel shows of the cells below it: a wall in any of them is a wall, however many there are.
static cairn_ink ground_ink(const drawing *d, cairn_vec2 corner_m, uint32_t cells)
{
    bool is_free = false, is_searched = false;
    for (uint32_t i = 0; i < cells * cells; i++) {
        const double step_m = 1 / (d->px_per_m * cells);
        const cairn_vec2 at = {corner_m.x + (i % cells + 0.5) * step_m, corner_m.y + (i / cells + 0.5) * step_m};
        uint32_t x = 0, y = 0;
        if (!cairn_raster_cell_of(d->raster, at, &x, &y)) { continue; }
        const size_t cell = (size_t)y * d->raster->def.width + x;
        if (d->raster->ground[cell] == CAIRN_GROUND_OBSTACLE) { return WALL; }
        is_free |= d->raster->ground[cell] == CAIRN_GROUND_FREE;
        is_searched |= d->raster->ground[cell] == CAIRN_GROUND_FREE && d->searched[cell];
    }
    if (is_free) { return is_searched ? SEARCHED : FREE; }
    const bool odd = ((int64_t)floor(corner_m.x) + (int64_t)floor(corner_m.y)) & 1;
    return odd ? UNKNOWN_DARK : UNKNOWN_LIGHT;
}

static void draw_ground(drawing *d, uint32_t width_px, uint32_t height_px)
{
    const uint32_t cells = (uint32_t)fmax(1, ceil(1 / (d->px_per_m * d->raster->def.cell_m) - 1e-9));
    for (uint32_t py = TITLE_PX; py < TITLE_PX + height_px; py++) {
        for (uint32_t px = MARGIN_PX; px < MARGIN_PX + width_px; px++) {
            const cairn_vec2 corner = {d->low_m.x + (px - MARGIN_PX) / d->px_per_m,
                                       d->high_m.y - (py - TITLE_PX + 1) / d->px_per_m};
            cairn_picture_pixel(&d->picture, px, py, ground_ink(d, corner, cells));
        }
    }
}

// Half a metre apart, on free ground only; where the lines would be all that is to be seen there are none.
static void draw_grid(drawing *d)
{
    if (d->px_per_m < GRID_PX_PER_M_MIN) { return; }
    for (uint32_t y = d->raster->y_min; y <= d->raster->y_max && d->raster->x_max >= d->raster->x_min; y++) {
        for (uint32_t x = d->raster->x_min; x <= d->raster->x_max; x++) {
            if (d->raster->ground[(size_t)y * d->raster->def.width + x] != CAIRN_GROUND_FREE) { continue; }
            const double half = 0.5 * d->raster->def.cell_m;
            const cairn_vec2 at = cairn_raster_centre_of(d->raster, x, y);
            const cairn_vec2 low = {at.x - half, at.y - half};
            const bool on_x = fabs(low.x * 2 - round(low.x * 2)) < 1e-6,
                       on_y = fabs(low.y * 2 - round(low.y * 2)) < 1e-6;
            const cairn_vec2 corner = to_px(d, low), end_y = to_px(d, (cairn_vec2){low.x, at.y + half}),
                             end_x = to_px(d, (cairn_vec2){at.x + half, low.y});
            if (on_x) { cairn_picture_rectangle(&d->picture, end_y, (cairn_vec2){corner.x + 1, corner.y}, GRID); }
            if (on_y) { cairn_picture_rectangle(&d->picture, corner, (cairn_vec2){end_x.x, end_x.y - 1}, GRID); }
        }
    }
}

static cairn_ink way_ink(uint32_t robot)
{
    const uint8_t *colour = cairn_way_colours[robot % 8];
    return (cairn_ink){colour[0], colour[1], colour[2], 255};
}

static void draw_way(drawing *d, const cairn_team *team, uint32_t robot)
{
    const cairn_vec2 *points = NULL;
    const uint32_t count = cairn_team_trail(team, robot, &points);
    for (uint32_t i = 1; i < count; i++) {
        cairn_picture_line(&d->picture, to_px(d, points[i - 1]), to_px(d, points[i]), 2, way_ink(robot));
    }
    if (count > 0) {
        cairn_picture_disc(&d->picture, to_px(d, points[count - 1]), 8, WHITE);
        cairn_picture_disc(&d->picture, to_px(d, points[count - 1]), 6, way_ink(robot));
    }
}

// An arrow that points along the heading yaw_rad from at_px.
static void draw_arrow(drawing *d, cairn_vec2 at_px, double yaw_rad, double px_per_m, cairn_ink edge)
{
    static const cairn_vec2 shape[] = {{0.42, 0}, {-0.2, 0.24}, {-0.08, 0}, {-0.2, -0.24}};
    cairn_vec2 corners[4];
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 turned = cairn_pose2_apply((cairn_pose2){.yaw_rad = yaw_rad}, shape[i]);
        corners[i] = (cairn_vec2){at_px.x + px_per_m * turned.x, at_px.y - px_per_m * turned.y};
    }
    cairn_picture_polygon(&d->picture, corners, 4, START);
    for (int i = 0; i < 4; i++) { cairn_picture_line(&d->picture, corners[i], corners[(i + 1) % 4], 2, edge); }
}

// Never too small to be seen; its edge has the colour of the robot's way.
static void draw_start(drawing *d, cairn_pose2 start, uint32_t robot)
{
    draw_arrow(d, to_px(d, (cairn_vec2){start.x_m, start.y_m}), start.yaw_rad, fmax(d->px_per_m, 44), way_ink(robot));
}

static void draw_victim(drawing *d, uint32_t number, cairn_vec2 at_m)
{
    char text[12];
    snprintf(text, sizeof text, "%u", number);
    const cairn_vec2 at = to_px(d, at_m);
    cairn_picture_disc(&d->picture, at, 13, WHITE);
    cairn_picture_disc(&d->picture, at, 11, VICTIM);
    const cairn_vec2 label = {at.x - 0.5 * cairn_picture_text_width_px(2, text), at.y - 7};
    cairn_picture_text(&d->picture, label, 2, WHITE, text);
}

// The shortest of 1, 2, 5, 10, ... m that is at least so long.
static double round_length_m(const drawing *d, double px_min)
{
    static const double steps_m[] = {1, 2, 5, 10, 20, 50};
    for (size_t i = 0; i < sizeof steps_m / sizeof steps_m[0]; i++) {
        if (steps_m[i] * d->px_per_m >= px_min) { return steps_m[i]; }
    }
    return 100;
}

static int64_t first_tick_m(double low_m, int64_t step_m) { return (int64_t)ceil(low_m / (double)step_m) * step_m; }

static void draw_axes(drawing *d)
{
    const int64_t step_m = (int64_t)round_length_m(d, 60);
    const cairn_vec2 origin = to_px(d, d->low_m);
    char text[16];
    for (int64_t x = first_tick_m(d->low_m.x, step_m); (double)x <= d->high_m.x; x += step_m) {
        const double at = to_px(d, (cairn_vec2){(double)x, 0}).x;
        snprintf(text, sizeof text, "%lld", (long long)x);
        cairn_picture_line(&d->picture, (cairn_vec2){at, origin.y + 3}, (cairn_vec2){at, origin.y + 8}, 1, QUIET);
        const cairn_vec2 label = {at - 0.5 * cairn_picture_text_width_px(2, text), origin.y + 13};
        cairn_picture_text(&d->picture, label, 2, QUIET, text);
    }
    for (int64_t y = first_tick_m(d->low_m.y, step_m); (double)y <= d->high_m.y; y += step_m) {
        const double at = to_px(d, (cairn_vec2){0, (double)y}).y;
        snprintf(text, sizeof text, "%lld", (long long)y);
        cairn_picture_line(&d->picture, (cairn_vec2){origin.x - 8, at}, (cairn_vec2){origin.x - 3, at}, 1, QUIET);
        const cairn_vec2 label = {origin.x - 12 - cairn_picture_text_width_px(2, text), at - 7};
        cairn_picture_text(&d->picture, label, 2, QUIET, text);
    }
}

static void draw_title(drawing *d, const cairn_score *score)
{
    char line[160], walls[40] = "no walls seen";
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, 14}, 3, LABEL, score->mission);
    const double after_name = MARGIN_PX + cairn_picture_text_width_px(3, score->mission) + 24;
    snprintf(line, sizeof line, "seed %llu", (unsigned long long)score->seed);
    cairn_picture_text(&d->picture, (cairn_vec2){after_name, 20}, 2, QUIET, line);
    if (isfinite(score->map_wall_rms_m)) {
        snprintf(walls, sizeof walls, "walls within %.0f mm", 1e3 * score->map_wall_rms_m);
    }
    snprintf(line, sizeof line, "%.0f s   explored %.1f %%   %u victims reported   %s", score->sim_s,
             100 * score->explored_fraction, score->found_count + score->false_count, walls);
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, 48}, 2, LABEL, line);
}

// Samples with their words, row by row. The middle of the current row is y.
typedef struct legend {
    drawing *d;
    double x, y, right;
} legend;

// Makes room for a sample and its words, and writes the words; returns where the sample begins.
static cairn_vec2 add_entry(legend *l, double sample_px, const char *words)
{
    const double width = sample_px + 8 + cairn_picture_text_width_px(2, words) + 24;
    if (l->x > MARGIN_PX && l->x + width - 24 > l->right) {
        l->x = MARGIN_PX;
        l->y += LEGEND_PX;
    }
    const cairn_vec2 at = {l->x, l->y};
    cairn_picture_text(&l->d->picture, (cairn_vec2){at.x + sample_px + 8, at.y - 7}, 2, LABEL, words);
    l->x += width;
    return at;
}

static void add_ground(legend *l, cairn_ink left, cairn_ink right, const char *words)
{
    cairn_picture *picture = &l->d->picture;
    const cairn_vec2 at = add_entry(l, SWATCH_PX, words);
    cairn_picture_rectangle(picture, (cairn_vec2){at.x, at.y - 9}, (cairn_vec2){at.x + SWATCH_PX, at.y + 9}, QUIET);
    cairn_picture_rectangle(picture, (cairn_vec2){at.x + 1, at.y - 8}, (cairn_vec2){at.x + 11, at.y + 8}, left);
    cairn_picture_rectangle(picture, (cairn_vec2){at.x + 11, at.y - 8}, (cairn_vec2){at.x + 21, at.y + 8}, right);
}

static void add_scale(legend *l)
{
    const double length_m = round_length_m(l->d, 100), length_px = length_m * l->d->px_per_m;
    char words[16];
    snprintf(words, sizeof words, "%.0f m", length_m);
    const cairn_vec2 at = add_entry(l, length_px, words);
    cairn_picture *picture = &l->d->picture;
    cairn_picture_rectangle(picture, (cairn_vec2){at.x, at.y - 4}, (cairn_vec2){at.x + length_px, at.y + 4}, LABEL);
    cairn_picture_rectangle(picture, (cairn_vec2){at.x + length_px / 2, at.y - 2},
                            (cairn_vec2){at.x + length_px - 2, at.y + 2}, WHITE);
}

// Scale, signs and robots below the map; returns the height that they take. On an empty canvas it only measures.
static uint32_t draw_legend(drawing *d, const cairn_score *score, double top, double width_px)
{
    legend l = {.d = d, .x = MARGIN_PX, .y = top + LEGEND_PX / 2.0, .right = width_px - MARGIN_PX};
    cairn_vec2 at;
    add_scale(&l);
    at = add_entry(&l, SWATCH_PX, "victim");
    cairn_picture_disc(&d->picture, (cairn_vec2){at.x + 11, at.y}, 9, VICTIM);
    at = add_entry(&l, SWATCH_PX, "start");
    draw_arrow(d, (cairn_vec2){at.x + 8, at.y}, 0, 32, START_EDGE);
    add_ground(&l, WALL, WALL, "wall");
    add_ground(&l, SEARCHED, SEARCHED, "searched");
    add_ground(&l, FREE, FREE, "free");
    add_ground(&l, UNKNOWN_LIGHT, UNKNOWN_DARK, "unknown");
    l.x = MARGIN_PX;
    l.y += LEGEND_PX;
    for (uint32_t i = 0; i < score->robot_count; i++) {
        at = add_entry(&l, SWATCH_PX, score->robots[i].name);
        cairn_picture_line(&d->picture, at, (cairn_vec2){at.x + 16, at.y}, 3, way_ink(i));
        cairn_picture_disc(&d->picture, (cairn_vec2){at.x + 16, at.y}, 6, way_ink(i));
    }
    return (uint32_t)lround(l.y + LEGEND_PX - top);
}

static void draw_signs(drawing *d, const cairn_team *team, const cairn_station_view *view, const cairn_score *score)
{
    for (uint32_t i = 0; i < view->fleet->count; i++) { draw_way(d, team, i); }
    for (uint32_t i = 0; i < view->fleet->count; i++) { draw_start(d, view->fleet->robots[i].map_T_private, i); }
    for (uint32_t i = 0; i < view->victims->victim_count; i++) {
        draw_victim(d, i + 1, view->victims->victims[i].at_m);
    }
    draw_axes(d);
    draw_title(d, score);
}

cairn_err cairn_map_picture_write(const cairn_team *team, const cairn_score *score, const char *path,
                                  cairn_complaints *complaints)
{
    cairn_station_view view;
    cairn_team_station(team, &view);
    drawing d = {.raster = view.raster, .searched = view.atlas->searched};
    choose_window(&d);
    const uint32_t width_px = (uint32_t)lround((d.high_m.x - d.low_m.x) * d.px_per_m);
    const uint32_t height_px = (uint32_t)lround((d.high_m.y - d.low_m.y) * d.px_per_m);
    const uint32_t whole_width_px = width_px + 2 * MARGIN_PX < WIDTH_PX_MIN ? WIDTH_PX_MIN : width_px + 2 * MARGIN_PX;
    const uint32_t top_px = TITLE_PX + height_px + AXIS_PX;
    const uint32_t whole_height_px = top_px + draw_legend(&d, score, top_px, whole_width_px);
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, (size_t)whole_width_px * whole_height_px * 3 + 4096);
    if (err != CAIRN_OK) { return err; }
    err = cairn_picture_create(whole_width_px, whole_height_px, WHITE, &memory, &d.picture);
    if (err == CAIRN_OK) {
        draw_ground(&d, width_px, height_px);
        draw_grid(&d);
        draw_signs(&d, team, &view, score);
        (void)draw_legend(&d, score, top_px, whole_width_px);
        err = cairn_picture_write_png(&d.picture, path, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}
