// Everything is measured from the known cells; the picture is as large as they and the legend need.
#include "sim/mission/report/map_sheet.h"
#include "sim/mission/report/report.h"
#include <stdio.h>

// What the styles share. Colours of RoboCup Rescue maps, where these have a colour for it.
static const cairn_ink LABEL = {0, 50, 140, 255}, VICTIM = {240, 10, 10, 255}, WHITE = {255, 255, 255, 255};
static const cairn_ink START = {255, 200, 0, 255}, START_EDGE = {150, 112, 0, 255}, QUIET = {95, 102, 125, 255};
static const cairn_ink THING = {10, 10, 240, 255};

typedef struct inks {
    cairn_ink unknown_light, unknown_dark, free, grid, wall;
    cairn_ink searched; // free, and a thermal camera has looked at it
    cairn_ink way;      // of all robots; covers nothing: each has its own
} inks;

static const inks styles[] = {
    [CAIRN_SHEET_TEAM] = {.unknown_light = {237, 237, 238, 255},
                          .unknown_dark = {226, 226, 227, 255},
                          .free = {255, 255, 255, 255},
                          .grid = {190, 190, 191, 110},
                          .wall = {0, 40, 120, 255},
                          .searched = {232, 245, 233, 255}},
    [CAIRN_SHEET_RRL] = {.unknown_light = {237, 237, 238, 255},
                         .unknown_dark = {226, 226, 227, 255},
                         .free = {255, 255, 255, 255},
                         .grid = {190, 190, 191, 255},
                         .wall = {0, 40, 120, 255},
                         .searched = {255, 255, 255, 255},
                         .way = {120, 0, 140, 255}},
    [CAIRN_SHEET_CLEAN] = {.unknown_light = {236, 238, 241, 255},
                           .unknown_dark = {236, 238, 241, 255},
                           .free = {255, 255, 255, 255},
                           .grid = {205, 209, 216, 110},
                           .wall = {32, 38, 50, 255},
                           .searched = {232, 245, 233, 255}},
};

// AXIS_PX lies below the map for the numbers, LEGEND_PX is one row of the legend, SWATCH_PX a sample in it.
enum { MARGIN_PX = 48, TITLE_PX = 78, AXIS_PX = 40, LEGEND_PX = 30, SWATCH_PX = 22, WIDTH_PX_MIN = 900 };
enum { NORTH_PX = 64, LETTERS_MAX = 160 }; // room for north beside the margin; of a title
enum { SIDE_PX_MAX = 1600, CELL_PX_MAX = 9, GRID_PX_PER_M_MIN = 10 };
#define BORDER_M 0.5
// The picture is widened for what lies so far from the known ground, or as far as that is large. More shows more of
// what is out of place, and less of the map beside it.
#define BEYOND_M_MIN 20.0

typedef struct drawing {
    cairn_picture picture;
    const cairn_map_sheet *sheet;
    const cairn_map *map;
    const inks *inks;
    cairn_frame2 corner_T_map;
    cairn_vec2 low_m, high_m; // shown
    double px_per_m;
    uint32_t beyond_count; // marks that lie outside
} drawing;

static bool shows(const drawing *d, uint32_t layer) { return (d->sheet->left_out & layer) == 0; }

static cairn_vec2 to_px(const drawing *d, cairn_vec2 at_m)
{
    return (cairn_vec2){MARGIN_PX + (at_m.x - d->low_m.x) * d->px_per_m,
                        TITLE_PX + (d->high_m.y - at_m.y) * d->px_per_m};
}

// Around the cells that are known.
static void choose_bounds(drawing *d)
{
    const cairn_map *map = d->map;
    const cairn_frame2 map_T_corner = cairn_frame2_of(map->map_T_corner);
    d->low_m = (cairn_vec2){INFINITY, INFINITY};
    d->high_m = (cairn_vec2){-INFINITY, -INFINITY};
    for (uint32_t y = 0; y < map->height; y++) {
        for (uint32_t x = 0; x < map->width; x++) {
            if (map->ground[(size_t)y * map->width + x] == CAIRN_GROUND_UNKNOWN) { continue; }
            for (uint32_t i = 0; i < 4; i++) {
                const cairn_vec2 corner = {(x + (i & 1)) * map->cell_m, (y + (i >> 1)) * map->cell_m};
                const cairn_vec2 at = cairn_frame2_apply(map_T_corner, corner);
                d->low_m = (cairn_vec2){fmin(d->low_m.x, at.x), fmin(d->low_m.y, at.y)};
                d->high_m = (cairn_vec2){fmax(d->high_m.x, at.x), fmax(d->high_m.y, at.y)};
            }
        }
    }
}

typedef struct window {
    cairn_vec2 low_m, high_m;
} window;

static bool is_within(const window *of, cairn_vec2 at_m)
{
    return at_m.x >= of->low_m.x && at_m.y >= of->low_m.y && at_m.x <= of->high_m.x && at_m.y <= of->high_m.y;
}

static bool is_shown(const drawing *d, cairn_vec2 at_m) { return is_within(&(window){d->low_m, d->high_m}, at_m); }

static window widened(cairn_vec2 low_m, cairn_vec2 high_m, double by_m)
{
    return (window){{low_m.x - by_m, low_m.y - by_m}, {high_m.x + by_m, high_m.y + by_m}};
}

static void stretch(drawing *d, const window *reach, cairn_vec2 at_m)
{
    if (!is_within(reach, at_m)) { return; }
    d->low_m = (cairn_vec2){fmin(d->low_m.x, at_m.x), fmin(d->low_m.y, at_m.y)};
    d->high_m = (cairn_vec2){fmax(d->high_m.x, at_m.x), fmax(d->high_m.y, at_m.y)};
}

// People are found where nobody has been yet, and robots go there.
static void stretch_by_signs(drawing *d)
{
    const cairn_map_sheet *sheet = d->sheet;
    const double side_m = fmax(d->high_m.x - d->low_m.x, d->high_m.y - d->low_m.y);
    const window reach = widened(d->low_m, d->high_m, fmax(side_m, BEYOND_M_MIN));
    for (uint32_t i = 0; i < sheet->way_count; i++) {
        const cairn_sheet_way *way = &sheet->ways[i];
        for (uint32_t k = 0; k < way->point_count && shows(d, CAIRN_SHEET_WAYS); k++) {
            stretch(d, &reach, way->points_m[k]);
        }
        if (way->has_start && shows(d, CAIRN_SHEET_STARTS)) { stretch(d, &reach, cairn_pose2_at(way->start)); }
    }
    for (uint32_t i = 0; i < sheet->thing_count && shows(d, CAIRN_SHEET_THINGS); i++) {
        stretch(d, &reach, sheet->things[i].at_m);
    }
    for (uint32_t i = 0; i < sheet->victim_count && shows(d, CAIRN_SHEET_VICTIMS); i++) {
        stretch(d, &reach, sheet->victims[i].at_m);
    }
}

// Whole pixels a cell, so that the map stays crisp.
static void choose_window(drawing *d)
{
    choose_bounds(d);
    const double cell_m = d->map->cell_m;
    if (d->high_m.x < d->low_m.x) { // nothing is known
        d->low_m = (cairn_vec2){BORDER_M, BORDER_M};
        d->high_m = (cairn_vec2){5 - BORDER_M, 5 - BORDER_M};
    }
    stretch_by_signs(d);
    const window shown = widened(d->low_m, d->high_m, BORDER_M);
    d->low_m = shown.low_m;
    d->high_m = shown.high_m;
    const double side_m = fmax(d->high_m.x - d->low_m.x, d->high_m.y - d->low_m.y);
    const double px_per_cell = SIDE_PX_MAX * cell_m / side_m; // less than 1 on very large maps
    d->px_per_m = (px_per_cell < 1 ? px_per_cell : fmin(floor(px_per_cell), CELL_PX_MAX)) / cell_m;
}

static bool cell_of(const drawing *d, cairn_vec2 at_m, size_t *ret_cell)
{
    const cairn_vec2 in = cairn_frame2_apply(d->corner_T_map, at_m);
    const double x = floor(in.x / d->map->cell_m), y = floor(in.y / d->map->cell_m);
    if (!(x >= 0 && y >= 0 && x < d->map->width && y < d->map->height)) { return false; }
    *ret_cell = (size_t)y * d->map->width + (size_t)x;
    return true;
}

// What a pixel shows of the cells below it: a wall in any of them is a wall, however many there are.
static cairn_ink ground_ink(const drawing *d, cairn_vec2 corner_m, uint32_t cells)
{
    bool is_free = false, is_searched = false;
    for (uint32_t i = 0; i < cells * cells; i++) {
        const double step_m = 1 / (d->px_per_m * cells);
        const uint32_t column = i % cells, row = i / cells;
        const cairn_vec2 at = {corner_m.x + (column + 0.5) * step_m, corner_m.y + (row + 0.5) * step_m};
        size_t cell;
        if (!cell_of(d, at, &cell)) { continue; }
        if (d->map->ground[cell] == CAIRN_GROUND_OBSTACLE) { return d->inks->wall; }
        is_free |= d->map->ground[cell] == CAIRN_GROUND_FREE;
        is_searched |=
            d->map->ground[cell] == CAIRN_GROUND_FREE && d->sheet->searched != NULL && d->sheet->searched[cell];
    }
    if (is_free) { return is_searched ? d->inks->searched : d->inks->free; }
    const bool odd = ((int64_t)floor(corner_m.x) + (int64_t)floor(corner_m.y)) & 1;
    return odd ? d->inks->unknown_dark : d->inks->unknown_light;
}

static void draw_ground(drawing *d, uint32_t width_px, uint32_t height_px)
{
    const uint32_t cells = (uint32_t)fmax(1, ceil(1 / (d->px_per_m * d->map->cell_m) - 1e-9));
    for (uint32_t py = TITLE_PX; py < TITLE_PX + height_px; py++) {
        for (uint32_t px = MARGIN_PX; px < MARGIN_PX + width_px; px++) {
            const cairn_vec2 corner = {d->low_m.x + (px - MARGIN_PX) / d->px_per_m,
                                       d->high_m.y - (py - TITLE_PX + 1) / d->px_per_m};
            cairn_picture_pixel(&d->picture, px, py, ground_ink(d, corner, cells));
        }
    }
}

// Half a metre apart, on free ground only; where the lines would be all that is to be seen there are none, nor on a map
// that is turned.
static void draw_grid(drawing *d)
{
    const cairn_map *map = d->map;
    if (d->px_per_m < GRID_PX_PER_M_MIN || map->map_T_corner.yaw_rad != 0) { return; }
    for (uint32_t y = 0; y < map->height; y++) {
        for (uint32_t x = 0; x < map->width; x++) {
            if (map->ground[(size_t)y * map->width + x] != CAIRN_GROUND_FREE) { continue; }
            const double half = 0.5 * map->cell_m;
            const cairn_vec2 at = cairn_map_centre_of(map, x, y);
            const cairn_vec2 low = {at.x - half, at.y - half};
            const bool on_x = fabs(low.x * 2 - round(low.x * 2)) < 1e-6,
                       on_y = fabs(low.y * 2 - round(low.y * 2)) < 1e-6;
            const cairn_vec2 corner = to_px(d, low), end_y = to_px(d, (cairn_vec2){low.x, at.y + half}),
                             end_x = to_px(d, (cairn_vec2){at.x + half, low.y});
            const cairn_ink ink = d->inks->grid;
            if (on_x) { cairn_picture_rectangle(&d->picture, end_y, (cairn_vec2){corner.x + 1, corner.y}, ink); }
            if (on_y) { cairn_picture_rectangle(&d->picture, corner, (cairn_vec2){end_x.x, end_x.y - 1}, ink); }
        }
    }
}

static cairn_ink way_ink(const drawing *d, uint32_t robot)
{
    if (d->inks->way.cover > 0) { return d->inks->way; }
    const uint8_t *colour = cairn_way_colours[robot % 8];
    return (cairn_ink){colour[0], colour[1], colour[2], 255};
}

static void draw_way(drawing *d, const cairn_sheet_way *way, cairn_ink ink)
{
    for (uint32_t i = 1; i < way->point_count; i++) {
        if (!is_shown(d, way->points_m[i - 1]) || !is_shown(d, way->points_m[i])) { continue; }
        cairn_picture_line(&d->picture, to_px(d, way->points_m[i - 1]), to_px(d, way->points_m[i]), 2, ink);
    }
    if (way->point_count > 0 && is_shown(d, way->points_m[way->point_count - 1])) {
        const cairn_vec2 end = to_px(d, way->points_m[way->point_count - 1]);
        cairn_picture_disc(&d->picture, end, 8, WHITE);
        cairn_picture_disc(&d->picture, end, 6, ink);
    }
}

// An arrow that points along the heading yaw_rad from at_px.
static void draw_arrow(drawing *d, cairn_vec2 at_px, double yaw_rad, double px_per_m, cairn_ink fill, cairn_ink edge)
{
    static const cairn_vec2 shape[] = {{0.42, 0}, {-0.2, 0.24}, {-0.08, 0}, {-0.2, -0.24}};
    cairn_vec2 corners[4];
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 turned = cairn_pose2_apply((cairn_pose2){.yaw_rad = yaw_rad}, shape[i]);
        corners[i] = (cairn_vec2){at_px.x + px_per_m * turned.x, at_px.y - px_per_m * turned.y};
    }
    cairn_picture_polygon(&d->picture, corners, 4, fill);
    for (int i = 0; i < 4; i++) { cairn_picture_line(&d->picture, corners[i], corners[(i + 1) % 4], 2, edge); }
}

// Never too small to be seen; its edge has the colour of the robot's way.
static void draw_start(drawing *d, cairn_pose2 start, uint32_t robot)
{
    draw_arrow(d, to_px(d, (cairn_vec2){start.x_m, start.y_m}), start.yaw_rad, fmax(d->px_per_m, 44), START,
               way_ink(d, robot));
}

// A disc, drawn out to both sides where the number needs it.
static void draw_plate(drawing *d, cairn_vec2 at, double half_px, double radius_px, cairn_ink ink)
{
    const cairn_vec2 left = {at.x - half_px, at.y}, right = {at.x + half_px, at.y};
    cairn_picture_disc(&d->picture, left, radius_px, ink);
    if (!(half_px > 0)) { return; }
    cairn_picture_disc(&d->picture, right, radius_px, ink);
    cairn_picture_rectangle(&d->picture, (cairn_vec2){left.x, at.y - radius_px},
                            (cairn_vec2){right.x, at.y + radius_px}, ink);
}

static void draw_mark(drawing *d, const cairn_sheet_mark *mark, cairn_ink ink)
{
    if (!is_shown(d, mark->at_m)) {
        d->beyond_count++;
        return;
    }
    char text[12];
    snprintf(text, sizeof text, "%u", mark->number);
    const cairn_vec2 at = to_px(d, mark->at_m);
    const double text_px = cairn_picture_text_width_px(2, text), half_px = fmax(0, text_px / 2 - 6);
    draw_plate(d, at, half_px, 13, WHITE);
    draw_plate(d, at, half_px, 11, ink);
    cairn_picture_text(&d->picture, (cairn_vec2){at.x - 0.5 * text_px, at.y - 7}, 2, WHITE, text);
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

// The text's first letters that fit, and three dots if those are not all.
static const char *cut(const char *text, uint32_t dot_px, double room_px, char ret_cut[4 * LETTERS_MAX])
{
    if (cairn_picture_text_width_px(dot_px, text) <= room_px) { return text; }
    const double letter_px = (CAIRN_PICTURE_LETTER_COLUMNS + 1.0) * dot_px;
    int64_t letters = (int64_t)fmin(floor(room_px / letter_px) - 3, LETTERS_MAX - 4);
    size_t bytes = 0;
    for (; text[bytes] != '\0' && bytes < 4 * LETTERS_MAX - 4; bytes++) {
        const bool begins = ((unsigned char)text[bytes] & 0xC0) != 0x80;
        if (begins && letters-- <= 0) { break; }
    }
    (void)snprintf(ret_cut, 4 * LETTERS_MAX, "%.*s...", (int)bytes, text);
    return ret_cut;
}

// Nothing in it reaches north. A long title is written smaller, and cut where that does not help.
static void draw_title(drawing *d)
{
    const cairn_map_sheet *sheet = d->sheet;
    const double right = d->picture.width_px - MARGIN_PX - (shows(d, CAIRN_SHEET_NORTH) ? NORTH_PX : 0);
    const double room = right - MARGIN_PX;
    char shorter[4 * LETTERS_MAX];
    const uint32_t dot_px = cairn_picture_text_width_px(3, sheet->title) <= room ? 3 : 2;
    const char *title = cut(sheet->title, dot_px, room, shorter);
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, dot_px == 3 ? 14 : 20}, dot_px, LABEL, title);
    const double after_name = MARGIN_PX + cairn_picture_text_width_px(dot_px, title) + 24;
    if (after_name + cairn_picture_text_width_px(2, sheet->aside) <= right) {
        cairn_picture_text(&d->picture, (cairn_vec2){after_name, 20}, 2, QUIET, sheet->aside);
    }
    cairn_picture_text(&d->picture, (cairn_vec2){MARGIN_PX, 48}, 2, LABEL, cut(sheet->words, 2, room, shorter));
}

// In the upper right corner: to true north, or where that is not known along the map's y axis.
static void draw_north(drawing *d, double width_px)
{
    const cairn_map_survey *survey = &d->map->survey;
    const cairn_vec2 at = {width_px - MARGIN_PX - 12, 46};
    const char *word = survey->known ? "N" : "y";
    draw_arrow(d, at, CAIRN_PI / 2 + (survey->known ? survey->heading_deg * CAIRN_PI / 180 : 0), 60, LABEL, LABEL);
    cairn_picture_text(&d->picture, (cairn_vec2){at.x - 40, at.y - 10}, 3, LABEL, word);
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
static uint32_t draw_legend(drawing *d, double top, double width_px)
{
    const cairn_map_sheet *sheet = d->sheet;
    const inks *of = d->inks;
    legend l = {.d = d, .x = MARGIN_PX, .y = top + LEGEND_PX / 2.0, .right = width_px - MARGIN_PX};
    cairn_vec2 at;
    add_scale(&l);
    if (shows(d, CAIRN_SHEET_VICTIMS)) {
        at = add_entry(&l, SWATCH_PX, "victim");
        cairn_picture_disc(&d->picture, (cairn_vec2){at.x + 11, at.y}, 9, VICTIM);
    }
    if (shows(d, CAIRN_SHEET_THINGS) && sheet->thing_count > 0) {
        at = add_entry(&l, SWATCH_PX, "object");
        cairn_picture_disc(&d->picture, (cairn_vec2){at.x + 11, at.y}, 9, THING);
    }
    if (shows(d, CAIRN_SHEET_STARTS)) {
        at = add_entry(&l, SWATCH_PX, "start");
        draw_arrow(d, (cairn_vec2){at.x + 8, at.y}, 0, 32, START, START_EDGE);
    }
    add_ground(&l, of->wall, of->wall, "wall");
    if (sheet->searched != NULL) { add_ground(&l, of->searched, of->searched, "searched"); }
    add_ground(&l, of->free, of->free, "free");
    add_ground(&l, of->unknown_light, of->unknown_dark, "unknown");
    if (!shows(d, CAIRN_SHEET_WAYS) || sheet->way_count == 0) { return (uint32_t)lround(l.y + LEGEND_PX - top); }
    l.x = MARGIN_PX;
    l.y += LEGEND_PX;
    for (uint32_t i = 0; i < sheet->way_count; i++) {
        at = add_entry(&l, SWATCH_PX, sheet->ways[i].name);
        cairn_picture_line(&d->picture, at, (cairn_vec2){at.x + 16, at.y}, 3, way_ink(d, i));
        cairn_picture_disc(&d->picture, (cairn_vec2){at.x + 16, at.y}, 6, way_ink(d, i));
    }
    return (uint32_t)lround(l.y + LEGEND_PX - top);
}

static void draw_signs(drawing *d)
{
    const cairn_map_sheet *sheet = d->sheet;
    for (uint32_t i = 0; i < sheet->way_count && shows(d, CAIRN_SHEET_WAYS); i++) {
        draw_way(d, &sheet->ways[i], way_ink(d, i));
    }
    for (uint32_t i = 0; i < sheet->way_count && shows(d, CAIRN_SHEET_STARTS); i++) {
        if (sheet->ways[i].has_start && is_shown(d, cairn_pose2_at(sheet->ways[i].start))) {
            draw_start(d, sheet->ways[i].start, i);
        }
    }
    for (uint32_t i = 0; i < sheet->thing_count && shows(d, CAIRN_SHEET_THINGS); i++) {
        draw_mark(d, &sheet->things[i], THING);
    }
    for (uint32_t i = 0; i < sheet->victim_count && shows(d, CAIRN_SHEET_VICTIMS); i++) {
        draw_mark(d, &sheet->victims[i], VICTIM);
    }
}

cairn_err cairn_map_sheet_draw(const cairn_map_sheet *sheet, cairn_arena *memory, cairn_picture *ret_picture,
                               cairn_sheet_place *ret_place)
{
    CAIRN_ASSERT(sheet != NULL && sheet->map != NULL && memory != NULL && ret_picture != NULL);
    drawing d = {.sheet = sheet,
                 .map = sheet->map,
                 .inks = &styles[sheet->style],
                 .corner_T_map = cairn_frame2_of(cairn_pose2_inverse(sheet->map->map_T_corner))};
    choose_window(&d);
    const uint32_t width_px = (uint32_t)lround((d.high_m.x - d.low_m.x) * d.px_per_m);
    const uint32_t height_px = (uint32_t)lround((d.high_m.y - d.low_m.y) * d.px_per_m);
    const uint32_t whole_width_px = width_px + 2 * MARGIN_PX < WIDTH_PX_MIN ? WIDTH_PX_MIN : width_px + 2 * MARGIN_PX;
    const uint32_t top_px = TITLE_PX + height_px + AXIS_PX;
    const uint32_t legend_px = shows(&d, CAIRN_SHEET_LEGEND) ? draw_legend(&d, top_px, whole_width_px) : 0;
    const cairn_err err = cairn_picture_create(whole_width_px, top_px + legend_px, WHITE, memory, &d.picture);
    if (err != CAIRN_OK) { return err; }
    draw_ground(&d, width_px, height_px);
    if (shows(&d, CAIRN_SHEET_GRID)) { draw_grid(&d); }
    draw_signs(&d);
    if (shows(&d, CAIRN_SHEET_AXES)) { draw_axes(&d); }
    if (shows(&d, CAIRN_SHEET_TITLE)) { draw_title(&d); }
    if (shows(&d, CAIRN_SHEET_NORTH)) { draw_north(&d, whole_width_px); }
    if (shows(&d, CAIRN_SHEET_LEGEND)) { (void)draw_legend(&d, top_px, whole_width_px); }
    *ret_picture = d.picture;
    *ret_place =
        (cairn_sheet_place){.corner_m = {d.low_m.x - MARGIN_PX / d.px_per_m, d.high_m.y + TITLE_PX / d.px_per_m},
                            .px_per_m = d.px_per_m,
                            .beyond_count = d.beyond_count};
    return CAIRN_OK;
}
