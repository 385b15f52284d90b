#include "sim/medium/radio_picture.h"
#include "sim/arena/plan/arena_picture.h"
#include "sim/medium/medium_field.h"
#include <math.h>
#include <stdio.h>

// More cells are finer and slower: a cell costs microseconds, tens of them with relays.
#define CELLS_MAX 160000
#define CELL_PX_MIN 2.0
enum { FOOT_PX = 92, SWATCH_PX = 62 };

// The stronger, the lighter: plans stay readable, and those who do not see red can read it, too.
typedef struct band {
    double from_db; // of the margin
    cairn_ink ink;
    const char *label; // of its lower end
} band;

static const band bands[] = {
    {-INFINITY, {104, 98, 112, 255}, "none"}, {-10, {158, 64, 84, 255}, "-10"},
    {-5, {211, 94, 70, 255}, "-5"},           {0, {244, 150, 78, 255}, "0"},
    {5, {252, 200, 110, 255}, "5"},           {10, {250, 233, 158, 255}, "10"},
    {20, {219, 238, 190, 255}, "20"},         {30, {240, 249, 240, 255}, "30"},
};
enum { BAND_COUNT = sizeof bands / sizeof bands[0] };
static const cairn_ink INK = {0, 50, 140, 255};
static const cairn_ink QUIET = {96, 106, 128, 255};
static const cairn_ink RIM = {255, 255, 255, 255};
static const cairn_ink ANTENNA = {120, 0, 140, 255};
static const cairn_ink ZONE = {104, 98, 112, 255};
static const cairn_ink ZONE_EDGE = {40, 36, 48, 255};

typedef struct painter {
    const cairn_radio_picture_def *def;
    const cairn_medium_field *field;
    uint32_t cell_count, covered_count;
} painter;

static const band *band_of(double margin_db)
{
    int at = BAND_COUNT - 1;
    while (at > 0 && !(margin_db >= bands[at].from_db)) { at--; }
    return &bands[at];
}

static cairn_vec2 to_px(const cairn_arena_frame *frame, cairn_vec2 at_m)
{
    return (cairn_vec2){frame->corner_px.x + frame->scale_px_per_m * at_m.x,
                        frame->corner_px.y - frame->scale_px_per_m * at_m.y};
}

static double margin_db_at(const painter *paint, cairn_vec2 at_m)
{
    const cairn_medium_radio *radio = &paint->def->medium.radio;
    if (cairn_medium_in_zone(radio, at_m) || cairn_medium_in_zone(radio, paint->def->from_m)) { return -INFINITY; }
    const cairn_medium_route route = cairn_medium_field_route(paint->field, paint->def->from_m, at_m);
    return cairn_medium_field_margin_db(paint->field, &route);
}

// Whole pixels, so that no seam shows between cells.
static double edge_px(double origin_px, double cell_px, uint32_t i) { return round(origin_px + cell_px * i); }

static void paint_floor(void *context, cairn_picture *picture, const cairn_arena_frame *frame)
{
    painter *paint = context;
    const cairn_vec2 size_m = paint->def->medium.arena->size_m;
    const double cell_m = fmax(CELL_PX_MIN / frame->scale_px_per_m, sqrt(size_m.x * size_m.y / (double)CELLS_MAX));
    const uint32_t columns = (uint32_t)ceil(size_m.x / cell_m), rows = (uint32_t)ceil(size_m.y / cell_m);
    const cairn_vec2 cell = {size_m.x / columns, size_m.y / rows};
    const double width_px = cell.x * frame->scale_px_per_m, height_px = cell.y * frame->scale_px_per_m;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < columns; x++) {
            const double margin_db = margin_db_at(paint, (cairn_vec2){(x + 0.5) * cell.x, (y + 0.5) * cell.y});
            const cairn_vec2 low = {edge_px(frame->corner_px.x, width_px, x),
                                    edge_px(frame->corner_px.y, -height_px, y)};
            const cairn_vec2 high = {edge_px(frame->corner_px.x, width_px, x + 1),
                                     edge_px(frame->corner_px.y, -height_px, y + 1)};
            cairn_picture_rectangle(picture, low, high, band_of(margin_db)->ink);
            paint->covered_count += margin_db >= 0;
        }
    }
    paint->cell_count = columns * rows;
}

// ---- signs

static void label(cairn_picture *picture, cairn_vec2 middle_px, const char *text)
{
    const cairn_vec2 at_px = {middle_px.x - cairn_picture_text_width_px(2, text) / 2, middle_px.y - 7};
    for (int y = -2; y <= 2; y += 2) {
        for (int x = -2; x <= 2; x += 2) {
            cairn_picture_text(picture, (cairn_vec2){at_px.x + x, at_px.y + y}, 2, RIM, text);
        }
    }
    cairn_picture_text(picture, at_px, 2, ANTENNA, text);
}

// A mast with two waves to each side.
static void draw_antenna(cairn_picture *picture, cairn_vec2 at_px)
{
    cairn_picture_disc(picture, at_px, 17, RIM);
    cairn_picture_line(picture, at_px, (cairn_vec2){at_px.x - 6, at_px.y + 12}, 3, ANTENNA);
    cairn_picture_line(picture, at_px, (cairn_vec2){at_px.x + 6, at_px.y + 12}, 3, ANTENNA);
    cairn_picture_disc(picture, at_px, 4, ANTENNA);
    for (int wave = 0; wave < 2; wave++) {
        const double radius_px = 8 + 5 * wave;
        for (int step = -4; step < 4; step++) {
            const double from_rad = step * 0.2, to_rad = (step + 1) * 0.2;
            for (int side = -1; side <= 1; side += 2) {
                cairn_picture_line(
                    picture,
                    (cairn_vec2){at_px.x + side * radius_px * cos(from_rad), at_px.y + radius_px * sin(from_rad)},
                    (cairn_vec2){at_px.x + side * radius_px * cos(to_rad), at_px.y + radius_px * sin(to_rad)}, 2,
                    ANTENNA);
            }
        }
    }
}

static void draw_diamond(cairn_picture *picture, cairn_vec2 at_px, double radius_px, cairn_ink ink)
{
    const cairn_vec2 corners[] = {{at_px.x, at_px.y - radius_px},
                                  {at_px.x + radius_px, at_px.y},
                                  {at_px.x, at_px.y + radius_px},
                                  {at_px.x - radius_px, at_px.y}};
    cairn_picture_polygon(picture, corners, 4, ink);
}

static void draw_relays(const painter *paint, cairn_picture *picture, const cairn_arena_frame *frame)
{
    const cairn_medium_radio *radio = &paint->def->medium.radio;
    for (uint32_t i = 0; i < radio->relay_count; i++) {
        const cairn_vec2 at_px = to_px(frame, radio->relays[i].at_m);
        draw_diamond(picture, at_px, 14, RIM);
        draw_diamond(picture, at_px, 10, ANTENNA);
        char text[24];
        (void)snprintf(text, sizeof text, "relay %u", i + 1);
        label(picture, (cairn_vec2){at_px.x, at_px.y + 25}, text);
    }
}

static void draw_zones(const painter *paint, cairn_picture *picture, const cairn_arena_frame *frame)
{
    const cairn_medium_radio *radio = &paint->def->medium.radio;
    for (uint32_t i = 0; i < radio->zone_count; i++) {
        const cairn_medium_zone *zone = &radio->zones[i];
        const cairn_vec2 half_m = cairn_vec2_scale(zone->size_m, 0.5);
        const cairn_vec2 low = to_px(frame, cairn_vec2_sub(zone->at_m, half_m));
        const cairn_vec2 high = to_px(frame, cairn_vec2_add(zone->at_m, half_m));
        const cairn_vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
        for (int k = 0; k < 4; k++) { cairn_picture_line(picture, corners[k], corners[(k + 1) % 4], 2, ZONE_EDGE); }
    }
}

// ---- legend

static void draw_bands(const painter *paint, cairn_picture *picture, cairn_vec2 at_px)
{
    double x = at_px.x;
    for (int i = 0; i < BAND_COUNT; i++, x += SWATCH_PX) {
        cairn_picture_rectangle(picture, (cairn_vec2){x, at_px.y}, (cairn_vec2){x + SWATCH_PX, at_px.y + 18},
                                bands[i].ink);
        const double half_px = cairn_picture_text_width_px(2, bands[i].label) / 2;
        if (i == 0) { // no number: it stands in the middle
            cairn_picture_text(picture, (cairn_vec2){x + SWATCH_PX / 2.0 - half_px, at_px.y + 2}, 2, RIM,
                               bands[i].label);
        } else {
            cairn_picture_text(picture, (cairn_vec2){x - half_px, at_px.y + 23}, 2, QUIET, bands[i].label);
        }
    }
    const cairn_vec2 from = {at_px.x, at_px.y}, to = {x, at_px.y + 18};
    const cairn_vec2 corners[] = {from, {to.x, from.y}, to, {from.x, to.y}};
    for (int k = 0; k < 4; k++) { cairn_picture_line(picture, corners[k], corners[(k + 1) % 4], 1, QUIET); }
    cairn_picture_text(picture, (cairn_vec2){x + 8, at_px.y + 2}, 2, INK, "dB");
    if (paint->def->medium.radio.zone_count == 0) { return; }
    cairn_picture_rectangle(picture, (cairn_vec2){x + 52, at_px.y}, (cairn_vec2){x + 76, at_px.y + 18}, ZONE_EDGE);
    cairn_picture_rectangle(picture, (cairn_vec2){x + 54, at_px.y + 2}, (cairn_vec2){x + 74, at_px.y + 16}, ZONE);
    cairn_picture_text(picture, (cairn_vec2){x + 84, at_px.y + 2}, 2, QUIET, "zone");
}

static double covered_of(const painter *paint) { return (double)paint->covered_count / paint->cell_count; }

static void paint_top(void *context, cairn_picture *picture, const cairn_arena_frame *frame)
{
    const painter *paint = context;
    draw_zones(paint, picture, frame);
    draw_relays(paint, picture, frame);
    const cairn_vec2 antenna_px = to_px(frame, paint->def->from_m);
    draw_antenna(picture, antenna_px);
    label(picture, (cairn_vec2){antenna_px.x, antenna_px.y + 27}, paint->def->from_name);

    const double left = frame->corner_px.x;
    char text[160];
    (void)snprintf(text, sizeof text, "radio margin, %s: 0 dB loses a tenth",
                   cairn_medium_model_names[paint->def->medium.radio.model]);
    cairn_picture_text(picture, (cairn_vec2){left, frame->foot_px - 2}, 2, INK, text);
    draw_bands(paint, picture, (cairn_vec2){left, frame->foot_px + 22});
    (void)snprintf(text, sizeof text, "%.0f %% of the floor above 0 dB", 100 * covered_of(paint));
    cairn_picture_text(picture, (cairn_vec2){left, frame->foot_px + 68}, 2, INK, text);
}

void cairn_radio_picture_size(const cairn_radio_picture_def *def, uint32_t *ret_width_px, uint32_t *ret_height_px)
{
    cairn_sim_arena_picture_size(def->medium.arena, def->scale_px_per_m, ret_width_px, ret_height_px);
    *ret_height_px += FOOT_PX;
}

cairn_err cairn_radio_picture_draw(const cairn_radio_picture_def *def, cairn_arena *memory, cairn_picture *ret_picture,
                                   cairn_radio_picture_info *ret_info)
{
    CAIRN_ASSERT(def && def->medium.arena && def->from_name && memory && ret_picture && ret_info);
    cairn_medium_field *field;
    cairn_err err = cairn_medium_field_create(&def->medium, memory, &field);
    if (err != CAIRN_OK) { return err; }
    painter paint = {.def = def, .field = field};
    const cairn_arena_layer layer = {
        .on_floor = paint_floor, .on_top = paint_top, .context = &paint, .foot_px = FOOT_PX};
    err = cairn_sim_arena_draw_layer(def->medium.arena, def->scale_px_per_m, &layer, memory, ret_picture);
    if (err == CAIRN_OK) { ret_info->covered = covered_of(&paint); }
    return err;
}
