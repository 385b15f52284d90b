#include "sim/mission/map_picture.h"
#include "sim/arena/picture.h"
#include <stdio.h>

static const cairn_ink UNKNOWN_LIGHT = {237, 237, 238, 255}, UNKNOWN_DARK = {226, 226, 227, 255};
static const cairn_ink FREE = {255, 255, 255, 255}, GRID = {190, 190, 191, 110}, WALL = {0, 40, 120, 255};
static const cairn_ink LABEL = {0, 50, 140, 255}, VICTIM = {240, 10, 10, 255}, WHITE = {255, 255, 255, 255};
static const cairn_ink START = {255, 200, 0, 255}, START_EDGE = {150, 112, 0, 255};
static const cairn_ink SEARCHED = {232, 245, 233, 255}; // free, and a thermal camera has looked at it
// The first robot's way in the rules' magenta, the others apart from it and from each other.
static const cairn_ink WAYS[] = {{120, 0, 140, 200}, {0, 130, 120, 200}, {200, 90, 0, 200},  {40, 90, 200, 200},
                                 {150, 120, 0, 200}, {0, 110, 40, 200},  {190, 30, 90, 200}, {80, 80, 80, 200}};

enum { MARGIN_PX = 28, TITLE_PX = 56, FOOT_PX = 52, SIDE_PX_MAX = 1600 };
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
    const double px_per_cell = fmax(1, floor(SIDE_PX_MAX * cell_m / side_m));
    d->px_per_m = fmin(px_per_cell, 9) / cell_m;
}

static void draw_ground(drawing *d, uint32_t width_px, uint32_t height_px)
{
    for (uint32_t py = TITLE_PX; py < TITLE_PX + height_px; py++) {
        for (uint32_t px = MARGIN_PX; px < MARGIN_PX + width_px; px++) {
            const cairn_vec2 at = {d->low_m.x + (px - MARGIN_PX + 0.5) / d->px_per_m,
                                   d->high_m.y - (py - TITLE_PX + 0.5) / d->px_per_m};
            uint32_t x = 0, y = 0;
            const bool inside = cairn_raster_cell_of(d->raster, at, &x, &y);
            const size_t cell = inside ? (size_t)y * d->raster->def.width + x : 0;
            const uint8_t ground = inside ? d->raster->ground[cell] : CAIRN_GROUND_UNKNOWN;
            const bool odd = ((int64_t)floor(at.x) + (int64_t)floor(at.y)) & 1;
            const cairn_ink ink = ground == CAIRN_GROUND_OBSTACLE ? WALL
                                  : ground == CAIRN_GROUND_FREE   ? (d->searched[cell] ? SEARCHED : FREE)
                                  : odd                           ? UNKNOWN_DARK
                                                                  : UNKNOWN_LIGHT;
            cairn_picture_pixel(&d->picture, px, py, ink);
        }
    }
}

// Half a metre apart, on free ground only.
static void draw_grid(drawing *d)
{
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

static void draw_way(drawing *d, const cairn_team *team, uint32_t robot)
{
    const cairn_vec2 *points = NULL;
    const uint32_t count = cairn_team_trail(team, robot, &points);
    const cairn_ink ink = WAYS[robot % (sizeof WAYS / sizeof WAYS[0])];
    for (uint32_t i = 1; i < count; i++) {
        cairn_picture_line(&d->picture, to_px(d, points[i - 1]), to_px(d, points[i]), 2, ink);
    }
    if (count > 0) { cairn_picture_disc(&d->picture, to_px(d, points[count - 1]), 6, ink); }
}

static void draw_start(drawing *d, cairn_pose2 start)
{
    static const cairn_vec2 arrow[] = {{0.42, 0}, {-0.2, 0.24}, {-0.08, 0}, {-0.2, -0.24}};
    cairn_vec2 corners[4], rim[4];
    for (int i = 0; i < 4; i++) {
        corners[i] = to_px(d, cairn_pose2_apply(start, arrow[i]));
        rim[i] = to_px(d, cairn_pose2_apply(start, cairn_vec2_scale(arrow[i], 1.18)));
    }
    cairn_picture_polygon(&d->picture, rim, 4, START_EDGE);
    cairn_picture_polygon(&d->picture, corners, 4, START);
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

static void draw_words(drawing *d, const cairn_score *score, uint32_t height_px)
{
    char line[160];
    snprintf(line, sizeof line, "%s  seed %llu", score->mission, (unsigned long long)score->seed);
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, 12}, 2, LABEL, line);
    snprintf(line, sizeof line, "%.0f s, explored %.1f %%, %u victims reported, walls within %.0f mm", score->sim_s,
             100 * score->explored_fraction, score->found_count + score->false_count, 1e3 * score->map_wall_rms_m);
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, 36}, 1, LABEL, line);
    const double y = TITLE_PX + height_px + 18, length_px = 2 * d->px_per_m;
    cairn_picture_rectangle(&d->picture, (cairn_vec2){MARGIN_PX, y}, (cairn_vec2){MARGIN_PX + length_px, y + 4}, LABEL);
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, y + 10}, 1, LABEL, "2 m");
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX + length_px + 18, y - 2}, 1, LABEL,
                       "green: looked at by a thermal camera   grey squares of 1 m: unknown");
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
    const uint32_t whole_width_px = width_px + 2 * MARGIN_PX < 560 ? 560 : width_px + 2 * MARGIN_PX;
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, (size_t)whole_width_px * (height_px + TITLE_PX + FOOT_PX) * 3 + 4096);
    if (err != CAIRN_OK) { return err; }
    err = cairn_picture_create(whole_width_px, height_px + TITLE_PX + FOOT_PX, WHITE, &memory, &d.picture);
    if (err == CAIRN_OK) {
        draw_ground(&d, width_px, height_px);
        draw_grid(&d);
        for (uint32_t i = 0; i < view.fleet->count; i++) { draw_way(&d, team, i); }
        for (uint32_t i = 0; i < view.fleet->count; i++) { draw_start(&d, view.fleet->robots[i].map_T_private); }
        for (uint32_t i = 0; i < view.victims->victim_count; i++) {
            draw_victim(&d, i + 1, view.victims->victims[i].at_m);
        }
        draw_words(&d, score, height_px);
        err = cairn_picture_write_png(&d.picture, path, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}
