#include "sim/mission/truth.h"
#include "geometry/rays.h"

#define CELL_M 0.1
#define OBSTACLE_FROM_M 0.05 // what stands between these heights stops a robot
#define OBSTACLE_TO_M 0.45

static bool stands_in_the_way(const cairn_solid *solid)
{
    if (solid->kind == CAIRN_SOLID_GROUND) { return false; }
    const double low_m = solid->map_T_box.at_m.z - solid->half_m.z, high_m = solid->map_T_box.at_m.z + solid->half_m.z;
    return low_m < OBSTACLE_TO_M && high_m > OBSTACLE_FROM_M;
}

static double distance_to(const cairn_solid *solid, cairn_vec2 at_m)
{
    const cairn_vec2 half = {solid->half_m.x, solid->half_m.y};
    return cairn_box2_distance(at_m, cairn_pose3_to_pose2(solid->map_T_box), half);
}

// Marks the cells whose middle lies in the solid, or whose square a thin one crosses.
static void mark_solid(cairn_truth *truth, const cairn_solid *solid, uint8_t *blocked)
{
    const double reach_m = hypot(solid->half_m.x, solid->half_m.y) + CELL_M;
    const cairn_vec2 middle = {solid->map_T_box.at_m.x, solid->map_T_box.at_m.y};
    const int64_t x0 = (int64_t)floor((middle.x - reach_m) / CELL_M),
                  x1 = (int64_t)floor((middle.x + reach_m) / CELL_M);
    const int64_t y0 = (int64_t)floor((middle.y - reach_m) / CELL_M),
                  y1 = (int64_t)floor((middle.y + reach_m) / CELL_M);
    for (int64_t y = y0 < 0 ? 0 : y0; y <= y1 && y < truth->height; y++) {
        for (int64_t x = x0 < 0 ? 0 : x0; x <= x1 && x < truth->width; x++) {
            const cairn_vec2 at = {((double)x + 0.5) * CELL_M, ((double)y + 0.5) * CELL_M};
            if (distance_to(solid, at) < 0.5 * CELL_M) { blocked[y * truth->width + x] = 1; }
        }
    }
}

static void flood(cairn_truth *truth, const uint8_t *blocked, uint32_t *stack, cairn_vec2 from_m)
{
    const uint32_t width = truth->width, height = truth->height;
    const uint32_t from_x = (uint32_t)(from_m.x / CELL_M), from_y = (uint32_t)(from_m.y / CELL_M);
    // A start on the floor's far edge belongs to the last cells.
    const uint32_t start = (from_y < height ? from_y : height - 1) * width + (from_x < width ? from_x : width - 1);
    if (blocked[start] || truth->reachable[start]) { return; }
    uint32_t waiting = 0;
    truth->reachable[start] = 1;
    stack[waiting++] = start;
    while (waiting > 0) {
        const uint32_t cell = stack[--waiting], x = cell % width, y = cell / width;
        truth->reachable_count++;
        const uint32_t next[4] = {x > 0 ? cell - 1 : cell, x + 1 < width ? cell + 1 : cell, y > 0 ? cell - width : cell,
                                  y + 1 < height ? cell + width : cell};
        for (int i = 0; i < 4; i++) {
            if (blocked[next[i]] || truth->reachable[next[i]]) { continue; }
            truth->reachable[next[i]] = 1;
            stack[waiting++] = next[i];
        }
    }
}

cairn_err cairn_truth_create(const cairn_sim_arena *arena, cairn_arena *memory, cairn_truth *ret_truth)
{
    cairn_truth truth = {.arena = arena, .cell_m = CELL_M};
    truth.width = (uint32_t)ceil(arena->size_m.x / CELL_M);
    truth.height = (uint32_t)ceil(arena->size_m.y / CELL_M);
    const size_t cells = (size_t)truth.width * truth.height;
    truth.reachable = CAIRN_TAKE(memory, uint8_t, cells);
    uint8_t *blocked = CAIRN_TAKE(memory, uint8_t, cells);
    uint32_t *stack = CAIRN_TAKE(memory, uint32_t, cells);
    if (truth.reachable == NULL || blocked == NULL || stack == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (stands_in_the_way(&arena->solids[i])) { mark_solid(&truth, &arena->solids[i], blocked); }
    }
    for (uint32_t i = 0; i < arena->start_count; i++) {
        flood(&truth, blocked, stack, cairn_pose2_at(arena->starts[i]));
    }
    *ret_truth = truth;
    return CAIRN_OK;
}

double cairn_truth_explored(const cairn_truth *truth, const cairn_raster *raster)
{
    uint32_t known = 0;
    for (uint32_t cell = 0; cell < truth->width * truth->height; cell++) {
        if (!truth->reachable[cell]) { continue; }
        const uint32_t x = cell % truth->width, y = cell / truth->width;
        const cairn_vec2 at = {(x + 0.5) * CELL_M, (y + 0.5) * CELL_M};
        known += cairn_raster_at(raster, at) != CAIRN_GROUND_UNKNOWN;
    }
    return truth->reachable_count > 0 ? (double)known / truth->reachable_count : 0.0;
}

double cairn_truth_wall_rms_m(const cairn_truth *truth, const cairn_raster *raster)
{
    double sum_m2 = 0;
    uint32_t count = 0;
    for (uint32_t y = raster->y_min; y <= raster->y_max && raster->x_max >= raster->x_min; y++) {
        for (uint32_t x = raster->x_min; x <= raster->x_max; x++) {
            if (raster->ground[(size_t)y * raster->def.width + x] != CAIRN_GROUND_OBSTACLE) { continue; }
            const cairn_vec2 at = cairn_raster_centre_of(raster, x, y);
            double nearest_m = INFINITY;
            for (uint32_t i = 0; i < truth->arena->solid_count; i++) {
                const cairn_solid *solid = &truth->arena->solids[i];
                if (stands_in_the_way(solid)) { nearest_m = fmin(nearest_m, distance_to(solid, at)); }
            }
            sum_m2 += nearest_m * nearest_m;
            count++;
        }
    }
    return count > 0 ? sqrt(sum_m2 / count) : NAN;
}
