// raster.c - drawing and taking back terrain maps in sums of votes.
//
// A vote adds its weight times 2^16, and 1: so a sum is 0 only where nobody has voted, and its upper 48 bits are the
// score. 2.8 million votes of the last era fit. A terrain map is unpacked to a byte a cell, which fits the first cache;
// then each row of the raster is walked with u and v of the terrain map in fixed point, 8.24 bits: a row of at most 226
// cells is off by less than 1e-5 of a cell at its end.
#include "maps/raster.h"
#include "maps/raster_kernels.h"
#include <math.h>
#include <string.h>

#define SCORE_SHIFT 16
#define FRACTION_BITS CAIRN_RASTER_FRACTION_BITS
#define EDGE_CELLS_MAX 255 // of a terrain map: 8 bits
#define BLOCK_CELLS 128

// Cells of the raster, inclusive; empty if x_max < x_min.
typedef struct cell_box {
    int32_t x_min, y_min, x_max, y_max;
} cell_box;

// A terrain map with a byte a cell: 0 unknown, 1 free, 2 obstacle; and the box of its known cells.
typedef struct cairn_raster_room {
    uint32_t width;
    uint32_t u_min, v_min, u_end, v_end;
    cairn_raster_row_fn row; // picked once
    uint8_t code[CAIRN_TERRAIN_CELLS_MAX + CAIRN_RASTER_CODE_PADDING];
} unpacked;

static const cairn_kernel row_kernel = {"raster_row", CAIRN_KERNEL_VARIANTS(cairn_raster_row)};

cairn_raster_def cairn_raster_def_default(void)
{
    return (cairn_raster_def){
        .origin_m = {-40, -40},
        .cell_m = 0.1,
        .width = 800,
        .height = 800,
        .vote_obstacle = 3, // more than a free vote takes back: a thin wall is often seen past
        .vote_free = -2,
    };
}

static void bounds_clear(cairn_raster *raster)
{
    raster->x_min = raster->def.width, raster->y_min = raster->def.height;
    raster->x_max = raster->y_max = 0;
}

cairn_err cairn_raster_create(const cairn_raster_def *def, cairn_arena *arena, cairn_raster **ret_raster)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->width > 0 && def->height > 0);
    CAIRN_ASSERT(def->vote_obstacle > 0 && def->vote_free < 0);
    const size_t mark = cairn_arena_mark(arena), cells = (size_t)def->width * def->height;
    const uint32_t blocks = (def->width + BLOCK_CELLS - 1) / BLOCK_CELLS;
    cairn_raster *raster = CAIRN_TAKE(arena, cairn_raster, 1);
    uint64_t *sums = CAIRN_TAKE(arena, uint64_t, cells);
    uint8_t *ground = CAIRN_TAKE(arena, uint8_t, cells);
    uint8_t *changed = CAIRN_TAKE(arena, uint8_t, (size_t)blocks * def->height);
    unpacked *room = CAIRN_TAKE(arena, unpacked, 1);
    if (!raster || !sums || !ground || !changed || !room) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *raster =
        (cairn_raster){.def = *def, .sums = sums, .ground = ground, .blocks = blocks, .changed = changed, .room = room};
    room->row = (cairn_raster_row_fn)cairn_dispatch(&row_kernel, cairn_isa_best());
    bounds_clear(raster); // the rest is zero: nothing is touched that need not be
    *ret_raster = raster;
    return CAIRN_OK;
}

void cairn_raster_wipe(cairn_raster *raster)
{
    const size_t cells = (size_t)raster->def.width * raster->def.height;
    memset(raster->sums, 0, cells * sizeof *raster->sums);
    memset(raster->ground, CAIRN_GROUND_UNKNOWN, cells);
    memset(raster->changed, 0, (size_t)raster->blocks * raster->def.height);
    raster->known_count = 0;
    bounds_clear(raster);
}

uint32_t cairn_raster_era(double seen_s)
{
    const double era = seen_s / CAIRN_RASTER_HALF_LIFE_S;
    return !(era > 0) ? 0 : era >= CAIRN_RASTER_ERA_MAX ? CAIRN_RASTER_ERA_MAX : (uint32_t)era;
}

// Eight bits to eight bytes of 0 or 1, bit 0 first.
static uint64_t spread(uint8_t bits)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7full, chosen = bits * 0x0101010101010101ull & 0x8040201008040201ull;
    return (((chosen & low) + low) | chosen) >> 7 & 0x0101010101010101ull;
}

static bool is_row_unknown(const unpacked *map, uint32_t v)
{
    const uint8_t *row = map->code + (size_t)v * map->width;
    uint8_t any = 0;
    for (uint32_t u = 0; u < map->width; u++) { any |= row[u]; }
    return any == 0;
}

static void unpack(const cairn_terrain_planes *planes, unpacked *ret)
{
    const uint32_t width = planes->width, height = planes->height, cells = width * height;
    for (uint32_t byte = 0; byte < (cells + 7) / 8; byte++) {
        const uint8_t known = planes->known[byte], obstacle = known & planes->obstacle[byte];
        uint64_t codes = spread(known);
        if (obstacle != 0) { codes += spread(obstacle); } // few: a wall is thin
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        codes = __builtin_bswap64(codes);
#endif
        memcpy(ret->code + 8 * byte, &codes, sizeof codes);
    }
    ret->width = width;
    ret->v_min = 0, ret->v_end = height;
    while (ret->v_min < height && is_row_unknown(ret, ret->v_min)) { ret->v_min++; }
    while (ret->v_end > ret->v_min && is_row_unknown(ret, ret->v_end - 1)) { ret->v_end--; }
    uint8_t columns[EDGE_CELLS_MAX] = {0};
    for (uint32_t v = ret->v_min; v < ret->v_end; v++) {
        const uint8_t *row = ret->code + (size_t)v * width;
        for (uint32_t u = 0; u < width; u++) { columns[u] |= row[u]; }
    }
    ret->u_min = 0, ret->u_end = width;
    while (ret->u_min < width && !columns[ret->u_min]) { ret->u_min++; }
    while (ret->u_end > ret->u_min && !columns[ret->u_end - 1]) { ret->u_end--; }
}

// Where the raster's cells lie in a terrain map: u = u0 + x * u_x + y * u_y in its cells, and v likewise.
typedef struct placement {
    double u0, v0, u_x, u_y, v_x, v_y;
    double per_u_x, per_v_x; // 1 / u_x and 1 / v_x, 0 where the row runs along the other axis
} placement;

static placement place(const cairn_raster_def *def, cairn_pose2 pose, const cairn_terrain_planes *planes)
{
    const double cosine = cos(pose.yaw_rad) / planes->cell_m, sine = sin(pose.yaw_rad) / planes->cell_m;
    const double dx = def->origin_m.x + 0.5 * def->cell_m - pose.x_m,
                 dy = def->origin_m.y + 0.5 * def->cell_m - pose.y_m;
    const double u_x = cosine * def->cell_m, v_x = -sine * def->cell_m;
    return (placement){.u0 = cosine * dx + sine * dy - planes->origin_m.x / planes->cell_m,
                       .v0 = -sine * dx + cosine * dy - planes->origin_m.y / planes->cell_m,
                       .u_x = u_x,
                       .u_y = sine * def->cell_m,
                       .v_x = v_x,
                       .v_y = cosine * def->cell_m,
                       .per_u_x = fabs(u_x) < 1e-12 ? 0 : 1 / u_x,
                       .per_v_x = fabs(v_x) < 1e-12 ? 0 : 1 / v_x};
}

// The raster's cells around the known part of a terrain map, cut to the raster.
static cell_box box_of(const cairn_raster_def *def, cairn_pose2 pose, const cairn_terrain_planes *planes,
                       const unpacked *known)
{
    double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        const double u = corner & 1 ? known->u_end : known->u_min, v = corner & 2 ? known->v_end : known->v_min;
        const cairn_vec2 at = cairn_pose2_apply(
            pose, (cairn_vec2){planes->origin_m.x + u * planes->cell_m, planes->origin_m.y + v * planes->cell_m});
        const double x = (at.x - def->origin_m.x) / def->cell_m, y = (at.y - def->origin_m.y) / def->cell_m;
        x_low = fmin(x_low, x), x_high = fmax(x_high, x), y_low = fmin(y_low, y), y_high = fmax(y_high, y);
    }
    const double x_last = def->width - 1.0, y_last = def->height - 1.0;
    if (!(x_low <= x_last && y_low <= y_last && x_high >= 0 && y_high >= 0)) { return (cell_box){0, 0, -1, -1}; }
    return (cell_box){(int32_t)fmax(floor(x_low), 0), (int32_t)fmax(floor(y_low), 0), (int32_t)fmin(x_high, x_last),
                      (int32_t)fmin(y_high, y_last)};
}

// Shrinks [*low, *high] to the x for which from <= a + x / per < end, to within rounding.
static void cut(double a, double per, double from, double end, double *low, double *high)
{
    if (per == 0) {
        if (a < from || a >= end) { *high = *low - 1; }
        return;
    }
    const double one = (from - a) * per, two = (end - a) * per;
    const double first = one < two ? one : two, last = one < two ? two : one;
    if (first > *low) { *low = first; }
    if (last < *high) { *high = last; }
}

// Rounded to fixed point; cells lie between -1024 and 1024.
static int64_t fixed(double cells)
{
    const int64_t offset = (int64_t)1024 << FRACTION_BITS;
    return (int64_t)((cells + 1024) * (1 << FRACTION_BITS) + 0.5) - offset;
}

// Adds the vote of each terrain cell, by its code, to one row of the raster. The cells that lie in the terrain map are
// found roughly first and then by the same fixed-point numbers that are walked, so that no index is ever outside.
static void row_draw(const unpacked *map, const placement *p, int32_t y, cell_box box, const uint64_t votes[4],
                     uint64_t *row)
{
    const double u_row = p->u0 + y * p->u_y, v_row = p->v0 + y * p->v_y;
    double low = box.x_min, high = box.x_max;
    cut(u_row, p->per_u_x, map->u_min, map->u_end, &low, &high);
    cut(v_row, p->per_v_x, map->v_min, map->v_end, &low, &high);
    if (!(low <= high)) { return; }
    int32_t first = (int32_t)low, last = (int32_t)high; // neither is negative
    first += first < low;
    if (first > last) { return; }
    const int64_t u_step = fixed(p->u_x), v_step = fixed(p->v_x);
    int64_t u = fixed(u_row + first * p->u_x), v = fixed(v_row + first * p->v_x);
    const int64_t u_low = (int64_t)map->u_min << FRACTION_BITS, u_end = (int64_t)map->u_end << FRACTION_BITS;
    const int64_t v_low = (int64_t)map->v_min << FRACTION_BITS, v_end = (int64_t)map->v_end << FRACTION_BITS;
    while (first <= last && (u < u_low || u >= u_end || v < v_low || v >= v_end)) { first++, u += u_step, v += v_step; }
    while (first <= last) {
        const int64_t u_last = u + (last - first) * u_step, v_last = v + (last - first) * v_step;
        if (u_last >= u_low && u_last < u_end && v_last >= v_low && v_last < v_end) { break; }
        last--;
    }
    if (first > last) { return; }
    const cairn_raster_stretch stretch = {.codes = map->code,
                                          .width = map->width,
                                          .u = (uint32_t)u,
                                          .v = (uint32_t)v,
                                          .u_by = (uint32_t)u_step,
                                          .v_by = (uint32_t)v_step,
                                          .count = (uint32_t)(last - first) + 1};
    map->row(&stretch, votes, row + first);
}

static uint64_t vote_of(int8_t vote, uint32_t era) { return ((uint64_t)(int64_t)vote << (SCORE_SHIFT + era)) + 1; }

// Adds the votes of a terrain map, or with the complements of them takes them back: sums wrap.
static void draw(cairn_raster *raster, cairn_pose2 pose, const cairn_terrain_planes *planes, const uint64_t votes[4])
{
    CAIRN_ASSERT(planes->cell_m > 0 && planes->width <= EDGE_CELLS_MAX && planes->height <= EDGE_CELLS_MAX);
    CAIRN_ASSERT((uint64_t)planes->width * planes->height <= CAIRN_TERRAIN_CELLS_MAX);
    if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad)) { return; }
    unpacked *map = raster->room;
    unpack(planes, map);
    if (map->v_min >= map->v_end) { return; }
    const cell_box box = box_of(&raster->def, pose, planes, map);
    if (box.x_max < box.x_min) { return; }
    const placement p = place(&raster->def, pose, planes);
    const size_t first = (size_t)box.x_min / BLOCK_CELLS, last = (size_t)box.x_max / BLOCK_CELLS;
    for (int32_t y = box.y_min; y <= box.y_max; y++) {
        row_draw(map, &p, y, box, votes, raster->sums + (size_t)y * raster->def.width);
        memset(raster->changed + (size_t)y * raster->blocks + first, 1, last - first + 1);
    }
}

void cairn_raster_add(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes, uint32_t era)
{
    CAIRN_ASSERT(era <= CAIRN_RASTER_ERA_MAX);
    const uint64_t votes[4] = {0, vote_of(raster->def.vote_free, era), vote_of(raster->def.vote_obstacle, era), 0};
    draw(raster, map_T_node, planes, votes);
}

void cairn_raster_take_back(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes,
                            uint32_t era)
{
    CAIRN_ASSERT(era <= CAIRN_RASTER_ERA_MAX);
    const uint64_t votes[4] = {0, -vote_of(raster->def.vote_free, era), -vote_of(raster->def.vote_obstacle, era), 0};
    draw(raster, map_T_node, planes, votes);
}

cairn_ground cairn_raster_ground_of(uint64_t sum)
{
    if (sum == 0) { return CAIRN_GROUND_UNKNOWN; }
    return (int64_t)sum >= 1 << SCORE_SHIFT ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
}

int64_t cairn_raster_score(const cairn_raster *raster, uint32_t x, uint32_t y)
{
    // The sum is the score times 2^16 and a count that is smaller than that.
    return (int64_t)raster->sums[(size_t)y * raster->def.width + x] >> SCORE_SHIFT;
}

// The ground of a stretch of cells, and how many are known.
typedef struct found {
    uint32_t known_before, known_after;
    bool forgot; // a cell that was known is not any more
} found;

static found ground_find(const uint64_t *restrict sums, uint32_t count, uint8_t *restrict ground)
{
    uint32_t before = 0, after = 0, forgotten = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t known = sums[i] != 0, wall = (int64_t)sums[i] >= 1 << SCORE_SHIFT;
        const uint8_t was_known = ground[i] != CAIRN_GROUND_UNKNOWN;
        before += was_known;
        after += known;
        forgotten += was_known & !known;
        ground[i] = wall ? CAIRN_GROUND_OBSTACLE : known ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
    }
    return (found){.known_before = before, .known_after = after, .forgot = forgotten > 0};
}

// Makes the bounds hold the known cells of a stretch of a row.
static void bounds_grow(cairn_raster *raster, uint32_t y, uint32_t x, uint32_t count)
{
    const uint8_t *row = raster->ground + (size_t)y * raster->def.width;
    uint32_t first = x, end = x + count;
    while (first < end && row[first] == CAIRN_GROUND_UNKNOWN) { first++; }
    if (first == end) { return; }
    while (row[end - 1] == CAIRN_GROUND_UNKNOWN) { end--; }
    if (first < raster->x_min) { raster->x_min = first; }
    if (end - 1 > raster->x_max) { raster->x_max = end - 1; }
    if (y < raster->y_min) { raster->y_min = y; }
    if (y > raster->y_max) { raster->y_max = y; }
}

static bool is_within(const cairn_raster *raster, uint32_t y, uint32_t x, uint32_t count)
{
    return y >= raster->y_min && y <= raster->y_max && x >= raster->x_min && x + count - 1 <= raster->x_max;
}

void cairn_raster_settle(cairn_raster *raster)
{
    const uint32_t width = raster->def.width;
    bool forgot = false;
    for (uint32_t y = 0; y < raster->def.height; y++) {
        uint8_t *changed = raster->changed + (size_t)y * raster->blocks;
        for (uint32_t block = 0; block < raster->blocks; block++) {
            if (!changed[block]) { continue; }
            changed[block] = false;
            const uint32_t x = block * BLOCK_CELLS, count = width - x < BLOCK_CELLS ? width - x : BLOCK_CELLS;
            const size_t at = (size_t)y * width + x;
            const found is = ground_find(raster->sums + at, count, raster->ground + at);
            raster->known_count += is.known_after - is.known_before;
            forgot |= is.forgot;
            if (is.known_after > 0 && !is_within(raster, y, x, count)) { bounds_grow(raster, y, x, count); }
        }
    }
    if (!forgot) { return; }
    const uint32_t y_first = raster->y_min, y_last = raster->y_max;
    bounds_clear(raster);
    for (uint32_t y = y_first; y <= y_last; y++) { bounds_grow(raster, y, 0, width); }
}

bool cairn_raster_cell_of(const cairn_raster *raster, cairn_vec2 at_m, uint32_t *ret_x, uint32_t *ret_y)
{
    const double x = (at_m.x - raster->def.origin_m.x) / raster->def.cell_m;
    const double y = (at_m.y - raster->def.origin_m.y) / raster->def.cell_m;
    if (!(x >= 0 && y >= 0 && x < raster->def.width && y < raster->def.height)) { return false; }
    *ret_x = (uint32_t)x;
    *ret_y = (uint32_t)y;
    return true;
}

cairn_vec2 cairn_raster_centre_of(const cairn_raster *raster, uint32_t x, uint32_t y)
{
    return (cairn_vec2){raster->def.origin_m.x + (x + 0.5) * raster->def.cell_m,
                        raster->def.origin_m.y + (y + 0.5) * raster->def.cell_m};
}

cairn_ground cairn_raster_at(const cairn_raster *raster, cairn_vec2 at_m)
{
    uint32_t x, y;
    if (!cairn_raster_cell_of(raster, at_m, &x, &y)) { return CAIRN_GROUND_UNKNOWN; }
    return (cairn_ground)raster->ground[(size_t)y * raster->def.width + x];
}
