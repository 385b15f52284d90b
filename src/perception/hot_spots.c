// hot_spots.c - a threshold above the surroundings, then flood filling.
//
// The surroundings are a low quantile and not the median: a person close by fills more than half of the picture.
#include "perception/hot_spots.h"
#include <string.h>

#define KELVIN_AT_0_C 273.15
#define BIN_CK 10u // histogram bins of a tenth of a kelvin
#define BIN_COUNT (65536u / BIN_CK + 1)

typedef struct picture {
    const uint16_t *centikelvin;
    uint32_t width, height;
    uint8_t warm[CAIRN_HOT_PIXELS_MAX]; // 1: warm and not yet part of a spot
    uint16_t stack[CAIRN_HOT_PIXELS_MAX];
} picture;

typedef struct spot_sums {
    uint64_t centikelvin, columns, rows;
    uint16_t warmest;
} spot_sums;

cairn_hot_spots_def cairn_hot_spots_def_default(void)
{
    return (cairn_hot_spots_def){
        .field_rad = 70 * CAIRN_PI / 180,
        .above_ambient_k = 6,
        .ambient_part = 0.2,
        .celsius_min = 28,
        .celsius_max = 42,
        .pixel_count_min = 4,
    };
}

static double celsius_of(double centikelvin) { return 0.01 * centikelvin - KELVIN_AT_0_C; }

static double ambient_celsius(const uint16_t *centikelvin, uint32_t count, double part)
{
    uint16_t bins[BIN_COUNT];
    memset(bins, 0, sizeof bins);
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (centikelvin[i] == 0) { continue; }
        bins[centikelvin[i] / BIN_CK]++;
        known++;
    }
    const uint32_t wanted = (uint32_t)(part * known);
    uint32_t below = 0;
    for (uint32_t bin = 0; bin < BIN_COUNT; bin++) {
        below += bins[bin];
        if (below > wanted) { return celsius_of((bin + 0.5) * BIN_CK); }
    }
    return celsius_of(0);
}

static void push_if_warm(picture *p, uint32_t pixel, uint32_t *count)
{
    if (!p->warm[pixel]) { return; }
    p->warm[pixel] = 0;
    p->stack[(*count)++] = (uint16_t)pixel;
}

// Takes the spot that holds this pixel out of the picture.
static spot_sums spot_fill(picture *p, uint32_t start, cairn_hot_spot *spot)
{
    const uint32_t width = p->width;
    spot_sums sums = {0};
    uint32_t waiting = 0;
    push_if_warm(p, start, &waiting);
    while (waiting > 0) {
        const uint32_t pixel = p->stack[--waiting], x = pixel % width, y = pixel / width;
        const uint16_t value = p->centikelvin[pixel];
        spot->pixel_count++;
        sums.centikelvin += value, sums.columns += x, sums.rows += y;
        if (value > sums.warmest) { sums.warmest = value; }
        if (x < spot->left) { spot->left = x; }
        if (x > spot->right) { spot->right = x; }
        if (y < spot->top) { spot->top = y; }
        if (y > spot->bottom) { spot->bottom = y; }
        if (x > 0) { push_if_warm(p, pixel - 1, &waiting); }
        if (x + 1 < width) { push_if_warm(p, pixel + 1, &waiting); }
        if (y > 0) { push_if_warm(p, pixel - width, &waiting); }
        if (y + 1 < p->height) { push_if_warm(p, pixel + width, &waiting); }
    }
    return sums;
}

static cairn_vec3 direction_of(const picture *p, double field_rad, double column, double row)
{
    const double pixel = 2 * tan(0.5 * field_rad) / p->width; // edge of a pixel one metre away
    const cairn_vec3 v = {1, (0.5 * p->width - column - 0.5) * pixel, (0.5 * p->height - row - 0.5) * pixel};
    return cairn_vec3_scale(v, 1 / cairn_vec3_length(v));
}

static void spot_finish(const picture *p, double field_rad, const spot_sums *sums, cairn_hot_spot *spot)
{
    spot->column = (double)sums->columns / spot->pixel_count;
    spot->row = (double)sums->rows / spot->pixel_count;
    spot->celsius_max = celsius_of(sums->warmest);
    spot->celsius_mean = celsius_of((double)sums->centikelvin / spot->pixel_count);
    spot->towards = direction_of(p, field_rad, spot->column, spot->row);
    spot->towards_left = direction_of(p, field_rad, spot->left - 0.5, spot->row);
    spot->towards_right = direction_of(p, field_rad, spot->right + 0.5, spot->row);
    spot->towards_top = direction_of(p, field_rad, spot->column, spot->top - 0.5);
    spot->towards_bottom = direction_of(p, field_rad, spot->column, spot->bottom + 0.5);
    spot->cut_left = spot->left == 0;
    spot->cut_right = spot->right == p->width - 1;
    spot->cut_top = spot->top == 0;
    spot->cut_bottom = spot->bottom == p->height - 1;
}

// Keeps the spots in order of size, those found first before others of the same size.
static uint32_t spot_insert(cairn_hot_spot *spots, uint32_t count, const cairn_hot_spot *spot)
{
    uint32_t at = count;
    while (at > 0 && spots[at - 1].pixel_count < spot->pixel_count) { at--; }
    if (at == CAIRN_HOT_SPOTS_MAX) { return count; }
    const uint32_t kept = count < CAIRN_HOT_SPOTS_MAX ? count : CAIRN_HOT_SPOTS_MAX - 1;
    memmove(spots + at + 1, spots + at, (kept - at) * sizeof *spots);
    spots[at] = *spot;
    return kept + 1;
}

uint32_t cairn_hot_spots_find(const cairn_hot_spots_def *def, const uint16_t *centikelvin, uint32_t width_px,
                              uint32_t height_px, cairn_hot_spot ret_spots[CAIRN_HOT_SPOTS_MAX])
{
    CAIRN_ASSERT(width_px > 0 && height_px > 0 && (uint64_t)width_px * height_px <= CAIRN_HOT_PIXELS_MAX);
    CAIRN_ASSERT(def->field_rad > 0 && def->field_rad < CAIRN_PI && def->ambient_part >= 0 && def->ambient_part < 1);
    const uint32_t pixel_count = width_px * height_px;
    const double above_c = ambient_celsius(centikelvin, pixel_count, def->ambient_part) + def->above_ambient_k;
    const double warm_c = above_c > def->celsius_min ? above_c : def->celsius_min;
    picture p = {.centikelvin = centikelvin, .width = width_px, .height = height_px};
    const double warm_ck = 100 * (warm_c + KELVIN_AT_0_C);
    for (uint32_t i = 0; i < pixel_count; i++) { p.warm[i] = centikelvin[i] >= warm_ck; }

    uint32_t count = 0;
    for (uint32_t i = 0; i < pixel_count; i++) {
        if (!p.warm[i]) { continue; }
        cairn_hot_spot spot = {.left = width_px, .top = height_px};
        const spot_sums sums = spot_fill(&p, i, &spot);
        if (spot.pixel_count < def->pixel_count_min || celsius_of(sums.warmest) > def->celsius_max) { continue; }
        spot_finish(&p, def->field_rad, &sums, &spot);
        count = spot_insert(ret_spots, count, &spot);
    }
    return count;
}
