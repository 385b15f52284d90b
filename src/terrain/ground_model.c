// ground_model.c - lowest returns, those that others support, spread by the steepest slope.
#include "terrain/ground_model.h"
#include "terrain/height_kernels.h"

#define POINTS_AT_ONCE 256

static const cairn_kernel spread = {"heights_spread", CAIRN_KERNEL_VARIANTS(cairn_heights_spread)};

cairn_ground_def cairn_ground_def_default(void)
{
    return (cairn_ground_def){
        .slope = 0.36397,   // tan 20 degrees, Magic's prior
        .support_m = 0.15,  // a step that a robot may drive, and five deviations of a laser's noise
        .support_cells = 4, // rays a degree apart support each other up to 10 m away, in cells of 5 cm
        .support_count = 2, // mirrors give echoes in pairs
    };
}

// No branches, so that compilers take many points at a time.
static void bin_some(const cairn_terrain_area *area, const cairn_cloud *cloud, uint32_t first, uint32_t count,
                     uint32_t *restrict ret_point_cell, int32_t *restrict ret_point_um)
{
    const float *restrict x_m = cloud->x_m + first, *restrict y_m = cloud->y_m + first,
                          *restrict z_m = cloud->z_m + first;
    const float left_m = (float)area->origin_m.x, bottom_m = (float)area->origin_m.y;
    const float per_m = (float)(1 / area->cell_m), z_m_max = 1e-6f * CAIRN_HEIGHT_UM_MAX;
    const float width = (float)area->width, height = (float)area->height;
    const int32_t stride = (int32_t)area->width;
    for (uint32_t i = 0; i < count; i++) {
        const float u = (x_m[i] - left_m) * per_m, v = (y_m[i] - bottom_m) * per_m, z = z_m[i];
        // NaN fails every comparison.
        const int inside = (u >= 0) & (u < width) & (v >= 0) & (v < height) & (z >= -z_m_max) & (z <= z_m_max);
        const float safe_u = inside ? u : 0, safe_v = inside ? v : 0, safe_z = inside ? z : 0;
        const int32_t cell = (int32_t)safe_v * stride + (int32_t)safe_u;
        ret_point_cell[i] = inside ? (uint32_t)cell : CAIRN_CELL_NONE;
        ret_point_um[i] = (int32_t)(safe_z * 1e6f);
    }
}

void cairn_ground_bin(const cairn_terrain_area *area, const cairn_cloud *cloud, uint32_t *ret_point_cell,
                      int32_t *ret_point_um, int32_t *ret_low_um)
{
    const size_t cell_count = cairn_terrain_cell_count(area);
    for (size_t i = 0; i < cell_count; i++) { ret_low_um[i] = CAIRN_HEIGHT_NONE; }
    for (uint32_t first = 0; first < cloud->count; first += POINTS_AT_ONCE) {
        const uint32_t rest = cloud->count - first, count = rest < POINTS_AT_ONCE ? rest : POINTS_AT_ONCE;
        bin_some(area, cloud, first, count, ret_point_cell + first, ret_point_um + first);
        for (uint32_t i = first; i < first + count; i++) {
            if (ret_point_cell[i] == CAIRN_CELL_NONE) { continue; }
            int32_t *low = &ret_low_um[ret_point_cell[i]];
            *low = cairn_um_min(*low, ret_point_um[i]);
        }
    }
}

// Counts down what is still wanted.
static uint32_t row_supports(const int32_t *row, int32_t first, int32_t last, int32_t limit_um, uint32_t wanted)
{
    for (int32_t x = first; x <= last && wanted > 0; x++) { wanted -= row[x] <= limit_um; }
    return wanted;
}

static bool is_supported(const cairn_terrain_area *area, const cairn_ground_def *def, const int32_t *low_um, int32_t x,
                         int32_t y)
{
    const int32_t width = (int32_t)area->width, height = (int32_t)area->height, reach = (int32_t)def->support_cells;
    const int32_t first = x < reach ? 0 : x - reach, last = x + reach < width ? x + reach : width - 1;
    const int32_t limit_um = low_um[y * width + x] + cairn_um(def->support_m);
    uint32_t wanted = row_supports(low_um + y * width, first, last, limit_um, def->support_count + 1); // and itself
    // Near rows first: on dense ground they answer at once.
    for (int32_t away = 1; away <= reach && wanted > 0; away++) {
        if (y >= away) { wanted = row_supports(low_um + (y - away) * width, first, last, limit_um, wanted); }
        if (y + away < height) { wanted = row_supports(low_um + (y + away) * width, first, last, limit_um, wanted); }
    }
    return wanted == 0;
}

void cairn_ground_support(const cairn_terrain_area *area, const cairn_ground_def *def, const int32_t *low_um,
                          int32_t *ret_ground_um)
{
    CAIRN_ASSERT(def->support_m >= 0 && def->support_m < 100 && def->support_cells < CAIRN_TERRAIN_EDGE_CELLS_MAX);
    CAIRN_ASSERT(def->support_count >= 1);
    for (int32_t y = 0; y < (int32_t)area->height; y++) {
        const int32_t *row = low_um + (size_t)y * area->width;
        int32_t *ret_row = ret_ground_um + (size_t)y * area->width;
        for (int32_t x = 0; x < (int32_t)area->width; x++) {
            const bool counts = row[x] != CAIRN_HEIGHT_NONE && is_supported(area, def, low_um, x, y);
            ret_row[x] = counts ? row[x] : CAIRN_HEIGHT_NONE;
        }
    }
}

void cairn_ground_spread(const cairn_terrain_area *area, double slope, int32_t *ground_um)
{
    const double straight_um = 1e6 * slope * area->cell_m;
    // Then no bound, however far it goes, reaches CAIRN_HEIGHT_NONE.
    CAIRN_ASSERT(slope >= 0 && straight_um * (area->width + area->height) < CAIRN_HEIGHT_UM_MAX);
    const cairn_heights_spread_fn run = (cairn_heights_spread_fn)cairn_dispatch(&spread, cairn_isa_best());
    run(ground_um, area->width, area->height, (int32_t)lrint(straight_um), (int32_t)lrint(sqrt(2) * straight_um));
}
