// negative.c - drops, found ray by ray from their ends.
//
// Nearly all rays end on ground that is as high as the ground around it. Spreading all rims downwards once, as the
// ground model spreads upwards, tells for each cell how deep a ray must be to prove anything there; only the few that
// are deeper get walked.
#include "terrain/negative.h"
#include "terrain/height_kernels.h"
#include <string.h>

static const cairn_kernel spread = {"heights_spread", CAIRN_KERNEL_VARIANTS(cairn_heights_spread)};

cairn_drop_def cairn_drop_def_default(void)
{
    return (cairn_drop_def){
        .slope = 0.176, // tan 10 degrees: a laser 0.5 m above the ground finds drops up to 2.6 m away
        .step_m = 0.1,  // as the up-detector; Magic counted holes from 10 cm on
        .rays_min = 2,
    };
}

typedef struct drop_finder {
    const cairn_terrain_area *area;
    const cairn_drop_def *def;
    const cairn_drop_ground *ground;
    const int32_t *fall_um; // - (deepest that ground may be) + something, by the spread rims
    cairn_vec3 sensor;      // x and y in cells, z in metres
    uint8_t *count;         // rays that prove a drop here, up to 255
} drop_finder;

// A ray, from its end back to the sensor, in steps of one cell along its longer axis.
typedef struct back_walk {
    double u, v, z_m;    // of the end
    double du, dv, dz_m; // of a step
    double step_m;       // its length over ground
    uint32_t count;      // steps until the sensor's cell
} back_walk;

static size_t cell_of(const drop_finder *finder, const back_walk *walk, uint32_t step)
{
    const size_t x = (size_t)(walk->u + step * walk->du), y = (size_t)(walk->v + step * walk->dv);
    return y * finder->area->width + x;
}

// Cuts a ray at the border of the area: how much of it, seen from the sensor, lies within. 1: all.
static double part_within(double from, double to, double limit)
{
    const double most = limit - 1e-6, least = 1e-6;
    if (to > most) { return (most - from) / (to - from); }
    return to < least ? (from - least) / (from - to) : 1;
}

// u and v: the end, in cells.
static bool walk_make(const drop_finder *finder, double u, double v, double z_m, back_walk *ret_walk)
{
    if (!isfinite(u) || !isfinite(v) || !isfinite(z_m)) { return false; }
    const cairn_terrain_area *area = finder->area;
    const cairn_vec3 from = finder->sensor;
    const double part = fmin(part_within(from.x, u, area->width), part_within(from.y, v, area->height));
    const double du = part * (u - from.x), dv = part * (v - from.y), dz_m = part * (z_m - from.z);
    const double steps = fmax(fabs(du), fabs(dv));
    if (!(dz_m < 0) || steps < 1) { return false; } // rays upwards prove nothing
    *ret_walk = (back_walk){.u = from.x + du,
                            .v = from.y + dv,
                            .z_m = from.z + dz_m,
                            .du = -du / steps,
                            .dv = -dv / steps,
                            .dz_m = -dz_m / steps,
                            .step_m = area->cell_m * sqrt(du * du + dv * dv) / steps,
                            .count = (uint32_t)steps};
    return true;
}

// Of a wall that is seen from its waist up, the cells of its edge may hold one return each and are no obstacles by
// themselves; they are no ground either.
static bool is_beside_obstacle(const drop_finder *finder, size_t cell)
{
    const uint32_t width = finder->area->width, height = finder->area->height;
    const size_t x = cell % width, y = cell / width;
    for (size_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < height; v++) {
        for (size_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < width; u++) {
            if ((u != x || v != y) && finder->ground->up[v * width + u]) { return true; }
        }
    }
    return false;
}

// The step at which the walk comes to the rim: the first cell whose ground is more than a step above the ray's end.
// Lower cells are the hole's own, and obstacles right before the end are what the ray ended on. walk->count: none.
static uint32_t rim_step(const drop_finder *finder, const back_walk *walk)
{
    const double least_um = 1e6 * (walk->z_m + finder->def->step_m);
    bool at_the_end = true;
    for (uint32_t step = 1; step < walk->count; step++) {
        const size_t cell = cell_of(finder, walk, step);
        const int32_t low_um = finder->ground->low_um[cell];
        at_the_end &= low_um != CAIRN_HEIGHT_NONE;
        if (low_um == CAIRN_HEIGHT_NONE || (at_the_end && finder->ground->up[cell])) { continue; }
        if (low_um > least_um && !is_beside_obstacle(finder, cell)) { return step; }
    }
    return walk->count;
}

// Whether nothing stands between the sensor and the rim, which is itself no obstacle either.
static bool way_is_free(const drop_finder *finder, const back_walk *walk, uint32_t rim)
{
    for (uint32_t step = rim; step < walk->count; step++) {
        if (finder->ground->up[cell_of(finder, walk, step)]) { return false; }
    }
    return true;
}

// Marks outwards from the rim, up to and with the first cell that the ray is too deep in.
static void mark_from_rim(drop_finder *finder, const back_walk *walk, uint32_t rim, double rim_m)
{
    const double allowed_m = finder->def->step_m;
    if (!(walk->z_m < rim_m - finder->def->slope * walk->step_m * rim - allowed_m)) { return; }
    if (!way_is_free(finder, walk, rim)) { return; }
    for (uint32_t step = rim; step-- > 0;) {
        const size_t cell = cell_of(finder, walk, step);
        if (finder->ground->low_um[cell] == CAIRN_HEIGHT_NONE && finder->count[cell] < 255) { finder->count[cell]++; }
        const double z_m = walk->z_m + step * walk->dz_m, away_m = walk->step_m * (rim - step);
        if (z_m < rim_m - finder->def->slope * away_m - allowed_m) { return; }
    }
}

// Whether an end is so deep that some rim may make it a drop. Nearly all are not.
static bool may_prove(const drop_finder *finder, double u, double v, double z_m)
{
    const uint32_t width = finder->area->width, height = finder->area->height;
    if (!(u >= 0 && u < width && v >= 0 && v < height)) { return true; } // to be cut first
    return 1e6 * z_m < -(double)finder->fall_um[(size_t)v * width + (size_t)u];
}

static void look_along(drop_finder *finder, double u, double v, double z_m)
{
    back_walk walk;
    if (!may_prove(finder, u, v, z_m) || !walk_make(finder, u, v, z_m, &walk)) { return; }
    if (!may_prove(finder, walk.u, walk.v, walk.z_m)) { return; }
    const uint32_t rim = rim_step(finder, &walk);
    if (rim >= walk.count) { return; }
    mark_from_rim(finder, &walk, rim, 1e-6 * finder->ground->low_um[cell_of(finder, &walk, rim)]);
}

// Below -fall_um a ray's end can be deep enough for some rim. The spread's ways are up to 8.24 % longer than straight
// ones, and an end is up to 1.5 cells from the centre of its cell and the rim's; both are allowed for.
static void rims_spread(const drop_finder *finder, int32_t *ret_fall_um)
{
    const cairn_terrain_area *area = finder->area;
    const double slope_um = 1e6 * finder->def->slope * area->cell_m;
    CAIRN_ASSERT(slope_um * (area->width + area->height) < CAIRN_HEIGHT_UM_MAX);
    const int32_t slack_um = cairn_um(finder->def->step_m) - (int32_t)ceil(1.5 * slope_um) - 2;
    const size_t cell_count = cairn_terrain_cell_count(area);
    for (size_t i = 0; i < cell_count; i++) {
        const int32_t low_um = finder->ground->low_um[i];
        const bool rim = low_um != CAIRN_HEIGHT_NONE && !finder->ground->up[i];
        ret_fall_um[i] = rim ? slack_um - low_um : CAIRN_HEIGHT_NONE;
    }
    const double straight_um = slope_um / 1.0824;
    const cairn_heights_spread_fn run = (cairn_heights_spread_fn)cairn_dispatch(&spread, cairn_isa_best());
    run(ret_fall_um, area->width, area->height, (int32_t)straight_um, (int32_t)(sqrt(2) * straight_um));
}

static void look_along_all(drop_finder *finder, const cairn_cloud *ends)
{
    const double per_m = 1 / finder->area->cell_m;
    const cairn_vec2 origin_m = finder->area->origin_m;
    for (uint32_t i = 0; i < ends->count; i++) {
        look_along(finder, (ends->x_m[i] - origin_m.x) * per_m, (ends->y_m[i] - origin_m.y) * per_m, ends->z_m[i]);
    }
}

cairn_err cairn_drops_find(const cairn_terrain_area *area, const cairn_drop_def *def, const cairn_terrain_sweep *sweep,
                           const cairn_drop_ground *ground, cairn_arena *scratch, uint8_t *ret_drop)
{
    CAIRN_ASSERT(def->slope > 0 && def->step_m >= 0 && def->step_m < 100 && def->rays_min >= 1 && def->rays_min < 256);
    const size_t cell_count = cairn_terrain_cell_count(area), mark = cairn_arena_mark(scratch);
    int32_t *fall_um = CAIRN_TAKE(scratch, int32_t, cell_count);
    uint8_t *count = CAIRN_TAKE(scratch, uint8_t, cell_count);
    if (!fall_um || !count) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }

    const cairn_vec3 at = {(sweep->sensor_m.x - area->origin_m.x) / area->cell_m,
                           (sweep->sensor_m.y - area->origin_m.y) / area->cell_m, sweep->sensor_m.z};
    drop_finder finder = {area, def, ground, fall_um, at, count};
    if (at.x > 0 && at.x < area->width && at.y > 0 && at.y < area->height) {
        rims_spread(&finder, fall_um);
        look_along_all(&finder, &sweep->hits);
        look_along_all(&finder, &sweep->misses);
    }
    for (size_t i = 0; i < cell_count; i++) { ret_drop[i] = (uint8_t)(count[i] >= def->rays_min); }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
