// pyramid.c - bits of a grid or a scan into planes of words, and points on its surfaces.
#include "matching/pyramid.h"
#include <math.h>
#include <string.h>

#define MARGIN CAIRN_OVERLAY_MARGIN
#define STEP 63              // bits from one word to the next
#define BLOCK_STEP 15        // likewise of blocks
#define PHASES 16            // of blocks
#define FAR_AWAY_M 1e6f      // where points lie that only fill up
#define CELLS_AWAY_MAX 1e4   // a beam that says more is not read
#define BEAM_SHORT_CELLS 1.5 // a beam is not believed to clear the last cells before its hit

static const cairn_kernel planes_kernel = {"overlay planes", CAIRN_KERNEL_VARIANTS(cairn_overlay_planes)};

cairn_pyramid_def cairn_pyramid_def_default(void)
{
    return (cairn_pyramid_def){.width_max = 160, .height_max = 160, .point_count_max = 192};
}

static uint32_t columns_for(uint32_t width) { return (MARGIN + width + 1) / STEP + 2; }
static uint32_t rows_for(uint32_t height) { return (MARGIN + height + 1 + CAIRN_OVERLAY_LANES + 7) & ~7u; }
static uint32_t block_columns_for(uint32_t width) { return (MARGIN + width + 1) / 4 / BLOCK_STEP + 2; }
static uint32_t block_rows_for(uint32_t height) { return (MARGIN + height + 1) / 4 + CAIRN_OVERLAY_BLOCKS; }

cairn_err cairn_pyramid_create(const cairn_pyramid_def *def, cairn_arena *arena, cairn_pyramid **ret_pyramid)
{
    CAIRN_ASSERT(def->width_max > 0 && def->width_max <= CAIRN_PYRAMID_SIDE_MAX);
    CAIRN_ASSERT(def->height_max > 0 && def->height_max <= CAIRN_PYRAMID_SIDE_MAX);
    CAIRN_ASSERT(def->point_count_max > 0 && def->point_count_max <= CAIRN_OVERLAY_POINTS_MAX);
    // A few words more: the last rows of the last column are read with those after them.
    const size_t words = (size_t)columns_for(def->width_max) * rows_for(def->height_max) + CAIRN_OVERLAY_ROWS;
    cairn_pyramid *pyramid = CAIRN_TAKE(arena, cairn_pyramid, 1);
    const size_t blocks = (size_t)block_columns_for(def->width_max) * PHASES * block_rows_for(def->height_max);
    uint64_t *planes = CAIRN_TAKE(arena, uint64_t, 3 * words);
    uint16_t *block_planes = CAIRN_TAKE(arena, uint16_t, 2 * blocks);
    float *points = CAIRN_TAKE(arena, float, 2 * CAIRN_OVERLAY_POINTS_MAX);
    if (pyramid == NULL || planes == NULL || block_planes == NULL || points == NULL) { return CAIRN_ERR_FULL; }
    *pyramid = (cairn_pyramid){.def = *def,
                               .on = planes,
                               .near = planes + words,
                               .known = planes + 2 * words,
                               .on_blocks = block_planes,
                               .near_blocks = block_planes + blocks,
                               .x_m = points,
                               .y_m = points + CAIRN_OVERLAY_POINTS_MAX};
    *ret_pyramid = pyramid;
    return CAIRN_OK;
}

static void shape_set(cairn_pyramid *pyramid, uint32_t width, uint32_t height, double cell_m, cairn_vec2 origin_m)
{
    CAIRN_ASSERT(width > 0 && width <= pyramid->def.width_max && height > 0 && height <= pyramid->def.height_max);
    CAIRN_ASSERT(cell_m > 0);
    pyramid->width = width, pyramid->height = height;
    pyramid->cell_m = cell_m;
    pyramid->origin_m = origin_m;
    pyramid->columns = columns_for(width);
    pyramid->rows = rows_for(height);
    const size_t words = (size_t)pyramid->columns * pyramid->rows;
    memset(pyramid->on, 0, words * sizeof(uint64_t));
    memset(pyramid->known, 0, words * sizeof(uint64_t));
    pyramid->block_rows = block_rows_for(height);
    const size_t blocks = (size_t)block_columns_for(width) * PHASES * pyramid->block_rows;
    memset(pyramid->on_blocks, 0, blocks * sizeof(uint16_t));
    memset(pyramid->near_blocks, 0, blocks * sizeof(uint16_t));
}

// 64 bits of a plane of terrain from any bit on.
static uint64_t bits_at(const uint8_t *plane, uint32_t at)
{
    uint64_t low, high = plane[(at >> 3) + 8];
    memcpy(&low, plane + (at >> 3), sizeof low);
    return low >> (at & 7) | high << 1 << (63 - (at & 7));
}

// Terrain into the words of a plane: word j holds the cells from 63 j - margin on.
static void plane_spread(const cairn_pyramid *pyramid, const uint8_t *terrain, uint64_t *plane)
{
    uint8_t bits[CAIRN_TERRAIN_CELLS_MAX / 8 + 16] = {0}; // what is read beyond the last cell
    const int32_t width = (int32_t)pyramid->width;
    memcpy(bits, terrain, (pyramid->width * pyramid->height + 7) / 8);
    for (uint32_t j = 0; j < pyramid->columns; j++) {
        const int32_t begin = (int32_t)(STEP * j) - MARGIN, end = begin + 64;
        const int32_t from = begin < 0 ? 0 : begin, to = end < width ? end : width;
        if (from >= to) { continue; }
        const uint64_t own = to - from < 64 ? ((uint64_t)1 << (to - from)) - 1 : ~(uint64_t)0;
        uint64_t *column = plane + (size_t)j * pyramid->rows + MARGIN;
        for (uint32_t y = 0; y < pyramid->height; y++) {
            column[y] = (bits_at(bits, y * pyramid->width + (uint32_t)from) & own) << (from - begin);
        }
    }
}

// Bits of a plane whose words share one each. By parts, since the baseline has no instruction for it.
static uint32_t surfaces_count(const cairn_pyramid *pyramid)
{
    uint64_t count = 0;
    for (uint32_t j = 0; j < pyramid->columns; j++) {
        const uint64_t *column = pyramid->on + (size_t)j * pyramid->rows, own = j > 0 ? ~(uint64_t)1 : ~(uint64_t)0;
        for (uint32_t y = MARGIN; y < MARGIN + pyramid->height; y++) {
            uint64_t bits = column[y] & own;
            bits -= bits >> 1 & 0x5555555555555555u;
            bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
            count += ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
        }
    }
    return (uint32_t)count;
}

static void points_end(cairn_pyramid *pyramid, double radius_m2)
{
    pyramid->radius_m = sqrt(radius_m2);
    for (uint32_t i = pyramid->point_count; i < CAIRN_OVERLAY_POINTS_MAX; i++) {
        pyramid->x_m[i] = pyramid->y_m[i] = FAR_AWAY_M;
    }
}

static void point_take(cairn_pyramid *pyramid, uint32_t column, uint32_t bit, uint32_t y, double *radius_m2)
{
    const int32_t x = (int32_t)(STEP * column + bit) - MARGIN;
    const double x_m = pyramid->origin_m.x + (x + 0.5) * pyramid->cell_m;
    const double y_m = pyramid->origin_m.y + (y + 0.5) * pyramid->cell_m, square = x_m * x_m + y_m * y_m;
    pyramid->x_m[pyramid->point_count] = (float)x_m, pyramid->y_m[pyramid->point_count++] = (float)y_m;
    *radius_m2 = square > *radius_m2 ? square : *radius_m2;
}

// Evenly along the cells with surfaces, column by column.
static void points_choose(cairn_pyramid *pyramid)
{
    const int64_t all = pyramid->surface_count, most = pyramid->def.point_count_max, count = all < most ? all : most;
    int64_t owed = 0; // taken so far, times all, less seen, times count
    double radius_m2 = 0;
    pyramid->point_count = 0;
    for (uint32_t j = 0; j < pyramid->columns; j++) {
        const uint64_t *column = pyramid->on + (size_t)j * pyramid->rows, own = j > 0 ? ~(uint64_t)1 : ~(uint64_t)0;
        for (uint32_t y = 0; y < pyramid->height; y++) {
            for (uint64_t rest = column[y + MARGIN] & own; rest != 0; rest &= rest - 1, owed -= count) {
                if (owed > 0) { continue; }
                point_take(pyramid, j, (uint32_t)__builtin_ctzll(rest), y, &radius_m2);
                owed += all;
            }
        }
    }
    points_end(pyramid, radius_m2);
}

static void planes_finish(cairn_pyramid *pyramid)
{
    const cairn_overlay_plane_set set = {.columns = pyramid->columns,
                                         .rows = pyramid->rows,
                                         .block_rows = pyramid->block_rows,
                                         .width = pyramid->width,
                                         .height = pyramid->height,
                                         .on = pyramid->on,
                                         .near = pyramid->near,
                                         .known = pyramid->known,
                                         .on_blocks = pyramid->on_blocks,
                                         .near_blocks = pyramid->near_blocks};
    ((cairn_overlay_planes_fn)cairn_dispatch(&planes_kernel, cairn_isa_best()))(&set);
    pyramid->surface_count = surfaces_count(pyramid);
}

void cairn_pyramid_set_grid(cairn_pyramid *pyramid, const cairn_terrain_planes *planes)
{
    shape_set(pyramid, planes->width, planes->height, planes->cell_m, planes->origin_m);
    plane_spread(pyramid, planes->obstacle, pyramid->on);
    plane_spread(pyramid, planes->known, pyramid->known);
    planes_finish(pyramid);
    points_choose(pyramid);
}

static bool inside(const cairn_pyramid *pyramid, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < (int32_t)pyramid->width && y < (int32_t)pyramid->height;
}

static void bit_set(const cairn_pyramid *pyramid, uint64_t *plane, int32_t x, int32_t y)
{
    if (!inside(pyramid, x, y)) { return; }
    const uint32_t at = (uint32_t)x + MARGIN, j = at / STEP, bit = at % STEP, row = (uint32_t)y + MARGIN;
    plane[(size_t)j * pyramid->rows + row] |= (uint64_t)1 << bit;
    if (bit == 0 && j > 0) { plane[(size_t)(j - 1) * pyramid->rows + row] |= (uint64_t)1 << STEP; }
}

bool cairn_pyramid_bit(const cairn_pyramid *pyramid, const uint64_t *plane, int32_t x, int32_t y)
{
    if (!inside(pyramid, x, y)) { return false; }
    const uint32_t at = (uint32_t)x + MARGIN;
    return plane[(size_t)(at / STEP) * pyramid->rows + (uint32_t)y + MARGIN] >> (at % STEP) & 1;
}

void cairn_pyramid_set_ground(cairn_pyramid *pyramid, const cairn_pyramid_ground *map)
{
    CAIRN_ASSERT(map->pitch >= map->width);
    shape_set(pyramid, map->width, map->height, map->cell_m, map->origin_m);
    for (uint32_t y = 0; y < map->height; y++) {
        const uint8_t *row = map->ground + (size_t)y * map->pitch;
        for (uint32_t x = 0; x < map->width; x++) {
            if (row[x] == CAIRN_GROUND_UNKNOWN) { continue; }
            bit_set(pyramid, pyramid->known, (int32_t)x, (int32_t)y);
            if (row[x] == CAIRN_GROUND_OBSTACLE) { bit_set(pyramid, pyramid->on, (int32_t)x, (int32_t)y); }
        }
    }
    planes_finish(pyramid);
    points_choose(pyramid);
}

// What a beam crossed, in steps of half a cell: free, but for the end of one that hit.
static void beam_clear(cairn_pyramid *pyramid, cairn_vec2 from, cairn_vec2 to, bool hit)
{
    const double length = cairn_vec2_distance(from, to), sure = hit ? length - BEAM_SHORT_CELLS : length;
    const int32_t steps = sure > 0 ? (int32_t)ceil(2 * sure) : 0;
    for (int32_t i = 0; i < steps; i++) {
        const double part = 0.5 * i / length;
        bit_set(pyramid, pyramid->known, (int32_t)floor(from.x + part * (to.x - from.x)),
                (int32_t)floor(from.y + part * (to.y - from.y)));
    }
}

// The first hit in each cell, thinned evenly.
static void points_take(cairn_pyramid *pyramid, const cairn_scan_points *points, const uint16_t *firsts, uint32_t all)
{
    const uint32_t count = all < pyramid->def.point_count_max ? all : pyramid->def.point_count_max;
    double radius_m2 = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = firsts[(uint64_t)i * all / count];
        const float x_m = points->x_m[from], y_m = points->y_m[from];
        pyramid->x_m[i] = x_m, pyramid->y_m[i] = y_m;
        radius_m2 = fmax(radius_m2, (double)(x_m * x_m + y_m * y_m));
    }
    pyramid->point_count = count;
    points_end(pyramid, radius_m2);
}

void cairn_pyramid_set_scan(cairn_pyramid *pyramid, const cairn_scan_points *points, double cell_m)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX);
    const uint32_t width = pyramid->def.width_max, height = pyramid->def.height_max;
    const cairn_vec2 sensor = {points->sensor_x_m, points->sensor_y_m};
    const cairn_vec2 origin = {sensor.x - 0.5 * width * cell_m, sensor.y - 0.5 * height * cell_m};
    shape_set(pyramid, width, height, cell_m, origin);
    uint16_t firsts[CAIRN_SCAN_POINTS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const cairn_vec2 to = {(points->x_m[i] - origin.x) / cell_m, (points->y_m[i] - origin.y) / cell_m};
        if (!(fabs(to.x) < CELLS_AWAY_MAX && fabs(to.y) < CELLS_AWAY_MAX)) { continue; }
        beam_clear(pyramid, (cairn_vec2){0.5 * width, 0.5 * height}, to, points->hit[i]);
        const int32_t x = (int32_t)floor(to.x), y = (int32_t)floor(to.y);
        if (!points->hit[i] || !inside(pyramid, x, y)) { continue; }
        if (!cairn_pyramid_bit(pyramid, pyramid->on, x, y)) { firsts[count++] = (uint16_t)i; }
        bit_set(pyramid, pyramid->on, x, y);
    }
    planes_finish(pyramid);
    points_take(pyramid, points, firsts, count);
}
