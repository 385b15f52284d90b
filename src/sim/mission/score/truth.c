#include "sim/mission/score/truth.h"
#include "geometry/rays.h"
#include "sim/arena/check/reach.h"
#include "sim/arena/ground.h"

#define OBSTACLE_FROM_M 0.05 // what stands between these heights above its ground stops a robot
#define OBSTACLE_TO_M 0.45
#define STEP_M 0.12 // ground that rises more is a surface that lasers and robots meet

// A robot that is a point: whatever ground is not below an obstacle counts, as it can be seen if not driven on.
static cairn_reach_def point_def(const cairn_sim_arena *arena)
{
    cairn_reach_def def = cairn_reach_def_default();
    def.cell_m = cairn_reach_cell_m(arena);
    def.radius_m = def.cell_m / 2;
    def.height_m = OBSTACLE_TO_M;
    def.low_m = OBSTACLE_FROM_M;
    def.start_count = 0;
    return def;
}

static cairn_err flood(const cairn_sim_arena *arena, cairn_truth *truth)
{
    const cairn_reach_def def = point_def(arena);
    cairn_arena work;
    cairn_reach reach;
    cairn_err err = cairn_arena_create(&work, cairn_reach_bytes(arena, &def));
    if (err != CAIRN_OK) { return err; }
    err = cairn_reach_create(arena, &def, &work, &reach);
    if (err == CAIRN_OK) {
        CAIRN_ASSERT(reach.width == truth->width && reach.height == truth->height);
        for (size_t i = 0; i < (size_t)reach.width * reach.height; i++) {
            truth->reachable[i] = reach.first[i] != CAIRN_REACH_NONE;
        }
        truth->reachable_count = reach.cell_count;
    }
    cairn_arena_destroy(&work);
    return err;
}

cairn_err cairn_truth_create(const cairn_sim_arena *arena, cairn_arena *memory, cairn_truth *ret_truth)
{
    cairn_truth truth = {.arena = arena, .cell_m = cairn_reach_cell_m(arena)};
    truth.width = (uint32_t)ceil(arena->size_m.x / truth.cell_m);
    truth.height = (uint32_t)ceil(arena->size_m.y / truth.cell_m);
    truth.reachable = CAIRN_TAKE(memory, uint8_t, (size_t)truth.width * truth.height);
    if (truth.reachable == NULL) { return CAIRN_ERR_FULL; }
    const cairn_err err = flood(arena, &truth);
    if (err == CAIRN_OK) { *ret_truth = truth; }
    return err;
}

// Cells from *ret_first to before *ret_end have their middles between low_m and high_m.
static void cells_between(double low_m, double high_m, double cell_m, uint32_t count, uint32_t *ret_first,
                          uint32_t *ret_end)
{
    const double first = floor(low_m / cell_m) - 1, end = ceil(high_m / cell_m) + 1;
    *ret_first = first <= 0 ? 0 : first >= count ? count : (uint32_t)first;
    *ret_end = end <= 0 ? 0 : end >= count ? count : (uint32_t)end;
}

double cairn_truth_explored(const cairn_truth *truth, const cairn_raster *raster)
{
    if (truth->reachable_count == 0 || raster->x_max < raster->x_min) { return 0.0; }
    const cairn_vec2 origin_m = raster->def.origin_m;
    const double cell_m = raster->def.cell_m;
    uint32_t x_first, x_end, y_first, y_end, known = 0;
    cells_between(origin_m.x + raster->x_min * cell_m, origin_m.x + (raster->x_max + 1.0) * cell_m, truth->cell_m,
                  truth->width, &x_first, &x_end);
    cells_between(origin_m.y + raster->y_min * cell_m, origin_m.y + (raster->y_max + 1.0) * cell_m, truth->cell_m,
                  truth->height, &y_first, &y_end);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            if (!truth->reachable[(size_t)y * truth->width + x]) { continue; }
            const cairn_vec2 at = {(x + 0.5) * truth->cell_m, (y + 0.5) * truth->cell_m};
            known += cairn_raster_at(raster, at) != CAIRN_GROUND_UNKNOWN;
        }
    }
    return (double)known / truth->reachable_count;
}

static bool is_upright(const cairn_solid *solid)
{
    return solid->map_T_box.turn.x == 0 && solid->map_T_box.turn.y == 0;
}

// What a robot on the solid's own storey would meet. Of ground only the sides of what is too high to drive up.
static bool is_surface(const cairn_sim_arena *arena, const cairn_solid *solid)
{
    const cairn_vec2 at_m = {solid->map_T_box.at_m.x, solid->map_T_box.at_m.y};
    const double low_m = solid->map_T_box.at_m.z - solid->half_m.z, high_m = solid->map_T_box.at_m.z + solid->half_m.z;
    if (solid->kind == CAIRN_SOLID_GROUND) { return is_upright(solid) && high_m > STEP_M && low_m < OBSTACLE_TO_M; }
    const double ground_m = fmax(cairn_sim_ground_m(arena, at_m, low_m + OBSTACLE_FROM_M), 0.0);
    return low_m < ground_m + OBSTACLE_TO_M && high_m > ground_m + OBSTACLE_FROM_M;
}

static double distance_to(const cairn_solid *solid, cairn_vec2 at_m)
{
    const cairn_vec2 half = {solid->half_m.x, solid->half_m.y};
    return cairn_box2_distance(at_m, cairn_pose3_to_pose2(solid->map_T_box), half);
}

// Outlines of what can be met, by squares, so that only what is near is measured.
typedef struct surfaces {
    const cairn_sim_arena *arena;
    cairn_squares squares;
    cairn_outline *outlines; // nowhere: not a surface
} surfaces;

static cairn_err gather(const cairn_sim_arena *arena, cairn_arena *work, surfaces *ret_surfaces)
{
    surfaces of = {.arena = arena, .outlines = CAIRN_TAKE(work, cairn_outline, arena->solid_count + 1)};
    if (of.outlines == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_outline nowhere = {1, 1, 0, 0};
        const bool is = is_surface(arena, &arena->solids[i]);
        of.outlines[i] = is ? cairn_solid_outline(&arena->solids[i]) : nowhere;
    }
    const cairn_err err = cairn_squares_create(arena->size_m, of.outlines, arena->solid_count, work, &of.squares);
    if (err == CAIRN_OK) { *ret_surfaces = of; }
    return err;
}

static double nearest_in_square(const surfaces *of, int64_t x, int64_t y, cairn_vec2 at_m, double nearest_m)
{
    const cairn_squares *squares = &of->squares;
    if (x < 0 || y < 0 || x >= squares->width || y >= squares->height) { return nearest_m; }
    const size_t square = (size_t)y * squares->width + (size_t)x;
    for (uint32_t i = squares->first[square]; i < squares->first[square + 1]; i++) {
        nearest_m = fmin(nearest_m, distance_to(&of->arena->solids[squares->things[i]], at_m));
    }
    return nearest_m;
}

// Ring by ring of squares around the one of a point: what is in the next ring is at least so many squares away.
static double nearest_on_floor(const surfaces *of, cairn_vec2 at_m)
{
    const cairn_squares *squares = &of->squares;
    const int64_t x = (int64_t)(at_m.x / squares->square_m), y = (int64_t)(at_m.y / squares->square_m);
    const int64_t rings = squares->width > squares->height ? squares->width : squares->height;
    double nearest_m = INFINITY;
    for (int64_t ring = 0; ring <= rings && nearest_m > (double)(ring - 1) * squares->square_m; ring++) {
        for (int64_t i = -ring; i <= ring; i++) {
            nearest_m = nearest_in_square(of, x + i, y - ring, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x + i, y + ring, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x - ring, y + i, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x + ring, y + i, at_m, nearest_m);
        }
    }
    return nearest_m;
}

static double nearest_surface(const surfaces *of, cairn_vec2 at_m)
{
    const cairn_vec2 size_m = of->arena->size_m;
    if (at_m.x >= 0 && at_m.y >= 0 && at_m.x <= size_m.x && at_m.y <= size_m.y) { return nearest_on_floor(of, at_m); }
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < of->arena->solid_count; i++) {
        if (of->outlines[i].x0_m > of->outlines[i].x1_m) { continue; }
        nearest_m = fmin(nearest_m, distance_to(&of->arena->solids[i], at_m));
    }
    return nearest_m;
}

static double rms_m(const surfaces *of, const cairn_raster *raster)
{
    double sum_m2 = 0;
    uint32_t count = 0;
    for (uint32_t y = raster->y_min; y <= raster->y_max && raster->x_max >= raster->x_min; y++) {
        for (uint32_t x = raster->x_min; x <= raster->x_max; x++) {
            if (raster->ground[(size_t)y * raster->def.width + x] != CAIRN_GROUND_OBSTACLE) { continue; }
            const double nearest_m = nearest_surface(of, cairn_raster_centre_of(raster, x, y));
            sum_m2 += nearest_m * nearest_m;
            count++;
        }
    }
    return count > 0 ? sqrt(sum_m2 / count) : NAN;
}

double cairn_truth_wall_rms_m(const cairn_truth *truth, const cairn_raster *raster)
{
    const cairn_sim_arena *arena = truth->arena;
    const size_t bytes = (arena->solid_count + 1) * sizeof(cairn_outline) + 256 +
                         cairn_squares_bytes_max(arena->size_m, arena->solid_count);
    cairn_arena work;
    surfaces of;
    if (cairn_arena_create(&work, bytes) != CAIRN_OK) { return NAN; }
    const double result_m = gather(arena, &work, &of) == CAIRN_OK ? rms_m(&of, raster) : NAN;
    cairn_arena_destroy(&work);
    return result_m;
}
