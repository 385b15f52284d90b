// The fit is sought by the truth's distances: each wall cell of the map earns the more the nearer it is to a wall of
// the truth. First all poses on a coarse lattice, then steps that are halved around the best; the map as it is comes
// first, and only what is better replaces it.
#include "maps/files/map_compare.h"
#include "maps/distance.h"
#include "maps/files/geo_frame.h"
#include <string.h>

enum { POINTS_MAX = 4000, HALVINGS = 6 };
#define REACH_CELLS 10.0 // a wall farther away earns nothing: more finds the way from afar, less fits closer
#define COARSE_CELLS 2.0 // step of the lattice; below a fifth of the reach no peak falls between two

cairn_compare_def cairn_compare_def_default(void) { return (cairn_compare_def){.tolerance_m = 0.1}; }

typedef struct box {
    double x_min, y_min, x_max, y_max;
} box;

static void stretch(box *to, cairn_vec2 at)
{
    *to = (box){fmin(to->x_min, at.x), fmin(to->y_min, at.y), fmax(to->x_max, at.x), fmax(to->y_max, at.y)};
}

// Adds the corners of a map that lies at frame_T_map.
static void stretch_by_map(box *to, cairn_pose2 frame_T_map, const cairn_map *map)
{
    const cairn_pose2 frame_T_corner = cairn_pose2_compose(frame_T_map, map->map_T_corner);
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 corner = {i & 1 ? map->width * map->cell_m : 0, i & 2 ? map->height * map->cell_m : 0};
        stretch(to, cairn_pose2_apply(frame_T_corner, corner));
    }
}

// A grid that stands as the truth's does: its corner in the map frame.
typedef struct common {
    uint32_t width, height;
    double cell_m;
    cairn_pose2 map_T_corner;
} common;

// Large enough for the truth and for the map at truth_T_map, in whole cells from the truth's corner.
static cairn_err choose_grid(const cairn_map *truth, const cairn_map *map, cairn_pose2 truth_T_map, common *ret_grid)
{
    const cairn_pose2 corner_T_truth = cairn_pose2_inverse(truth->map_T_corner);
    box all = {0};
    stretch_by_map(&all, corner_T_truth, truth);
    stretch_by_map(&all, cairn_pose2_compose(corner_T_truth, truth_T_map), map);
    const double cell_m = fmin(truth->cell_m, map->cell_m);
    // What is beyond by a rounding error is not beyond.
    const double x0 = floor(all.x_min / cell_m + 1e-6), y0 = floor(all.y_min / cell_m + 1e-6);
    const double width = ceil(all.x_max / cell_m - 1e-6) - x0, height = ceil(all.y_max / cell_m - 1e-6) - y0;
    if (!(width * height <= (double)CAIRN_COMPARE_CELLS_MAX && fmax(width, height) <= CAIRN_COMPARE_SIDE_MAX)) {
        return CAIRN_ERR_TOO_LARGE;
    }
    *ret_grid = (common){.width = (uint32_t)width,
                         .height = (uint32_t)height,
                         .cell_m = cell_m,
                         .map_T_corner = cairn_pose2_compose(truth->map_T_corner,
                                                             (cairn_pose2){.x_m = x0 * cell_m, .y_m = y0 * cell_m})};
    return CAIRN_OK;
}

// A map as seen on the common grid: what each cell is, and how far it is from that map's next wall.
typedef struct layer {
    uint8_t *ground;
    float *wall_cells;
} layer;

static cairn_err make_layer(const common *grid, const cairn_map *map, cairn_pose2 map_T_common, cairn_arena *scratch,
                            layer *ret_layer)
{
    const size_t count = (size_t)grid->width * grid->height;
    layer of = {.ground = CAIRN_TAKE(scratch, uint8_t, count), .wall_cells = CAIRN_TAKE(scratch, float, count)};
    const size_t mark = cairn_arena_mark(scratch);
    uint8_t *walls = CAIRN_TAKE(scratch, uint8_t, count);
    if (of.ground == NULL || of.wall_cells == NULL || walls == NULL) { return CAIRN_ERR_FULL; }
    // One after the other: as one pose they would round otherwise, and cells have sharp borders.
    const cairn_frame2 to_common = cairn_frame2_of(grid->map_T_corner), to_map = cairn_frame2_of(map_T_common);
    const cairn_frame2 to_corner = cairn_frame2_of(cairn_pose2_inverse(map->map_T_corner));
    for (uint32_t y = 0; y < grid->height; y++) {
        for (uint32_t x = 0; x < grid->width; x++) {
            const cairn_vec2 middle = {(x + 0.5) * grid->cell_m, (y + 0.5) * grid->cell_m};
            const cairn_vec2 at = cairn_frame2_apply(to_map, cairn_frame2_apply(to_common, middle));
            const size_t i = (size_t)y * grid->width + x;
            of.ground[i] = (uint8_t)cairn_map_from_corner(map, cairn_frame2_apply(to_corner, at));
            walls[i] = of.ground[i] == CAIRN_GROUND_OBSTACLE;
        }
    }
    const cairn_err err = cairn_distance_transform(walls, grid->width, grid->height, 1e9f, scratch, of.wall_cells);
    cairn_arena_reset(scratch, mark);
    *ret_layer = of;
    return err;
}

// ---- the fit

typedef struct fit {
    const common *grid; // of the truth, with room for the map wherever it is moved to
    const float *wall_cells;
    cairn_vec2 points_m[POINTS_MAX]; // walls of the map, seen from their middle
    uint32_t point_count;
    cairn_pose2 map_T_middle;
    double radius_m; // of the walls around their middle
} fit;

// Evenly through the map's walls, no more than POINTS_MAX.
static void take_points(fit *of, const cairn_map *map)
{
    const size_t walls = cairn_map_count(map).obstacle, each = walls / POINTS_MAX + 1;
    size_t seen = 0;
    cairn_vec2 sum = {0};
    for (uint32_t y = 0; y < map->height; y++) {
        for (uint32_t x = 0; x < map->width; x++) {
            if (map->ground[(size_t)y * map->width + x] != CAIRN_GROUND_OBSTACLE || seen++ % each != 0) { continue; }
            of->points_m[of->point_count] = cairn_map_centre_of(map, x, y);
            sum = cairn_vec2_add(sum, of->points_m[of->point_count++]);
        }
    }
    if (of->point_count == 0) { return; }
    const cairn_vec2 middle = cairn_vec2_scale(sum, 1.0 / of->point_count);
    of->map_T_middle = (cairn_pose2){middle.x, middle.y, 0};
    for (uint32_t i = 0; i < of->point_count; i++) {
        of->points_m[i] = cairn_vec2_sub(of->points_m[i], middle);
        of->radius_m = fmax(of->radius_m, cairn_vec2_length(of->points_m[i]));
    }
}

// Between the middles of four cells, so that a fraction of a cell counts too; x and y in cells from the first middle.
static double distance_between(const fit *of, double x, double y)
{
    const uint32_t width = of->grid->width, height = of->grid->height;
    if (!(x >= -0.5 && y >= -0.5 && x <= width - 0.5 && y <= height - 0.5)) { return REACH_CELLS; }
    // Beyond the outermost middles it is as far as at them.
    const double inner_x = fmin(fmax(x, 0), width - 1), inner_y = fmin(fmax(y, 0), height - 1);
    const uint32_t x0 = (uint32_t)inner_x, y0 = (uint32_t)inner_y;
    const size_t right = x0 + 1 < width ? 1 : 0, up = y0 + 1 < height ? width : 0;
    const double u = inner_x - x0, v = inner_y - y0;
    const float *at = &of->wall_cells[(size_t)y0 * width + x0];
    return (1 - v) * ((1 - u) * at[0] + u * at[right]) + v * ((1 - u) * at[up] + u * at[up + right]);
}

// What the map earns when moved so, about its walls' middle.
static double worth(const fit *of, cairn_pose2 moved)
{
    const cairn_pose2 at = {of->map_T_middle.x_m + moved.x_m, of->map_T_middle.y_m + moved.y_m, moved.yaw_rad};
    const cairn_pose2 corner_T_middle = cairn_pose2_compose(cairn_pose2_inverse(of->grid->map_T_corner), at);
    const double c = cos(corner_T_middle.yaw_rad), s = sin(corner_T_middle.yaw_rad), per_cell = 1 / of->grid->cell_m;
    double sum = 0;
    for (uint32_t i = 0; i < of->point_count; i++) {
        const cairn_vec2 p = of->points_m[i];
        const double x = (c * p.x - s * p.y + corner_T_middle.x_m) * per_cell - 0.5,
                     y = (s * p.x + c * p.y + corner_T_middle.y_m) * per_cell - 0.5;
        sum += fmax(0, 1 - distance_between(of, x, y) / REACH_CELLS);
    }
    return sum;
}

typedef struct best {
    cairn_pose2 moved;
    double worth;
} best;

static void try_pose(const fit *of, cairn_pose2 moved, best *found)
{
    const double is = worth(of, moved);
    if (is > found->worth + 1e-9) { *found = (best){moved, is}; }
}

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

// All poses within reach that are whole steps from `around`.
static void search(const fit *of, const cairn_compare_def *def, cairn_pose2 around, int32_t steps, int32_t turns,
                   double step_m, double step_rad, best *found)
{
    for (int32_t t = -turns; t <= turns; t++) {
        for (int32_t y = -steps; y <= steps; y++) {
            for (int32_t x = -steps; x <= steps; x++) {
                const cairn_pose2 moved = {clamp(around.x_m + x * step_m, def->shift_m),
                                           clamp(around.y_m + y * step_m, def->shift_m),
                                           clamp(around.yaw_rad + t * step_rad, def->turn_rad)};
                try_pose(of, moved, found);
            }
        }
    }
}

static cairn_pose2 find_fit(const fit *of, const cairn_compare_def *def)
{
    best found = {.worth = worth(of, (cairn_pose2){0})};
    double step_m = COARSE_CELLS * of->grid->cell_m, step_rad = step_m / fmax(of->radius_m, step_m);
    search(of, def, (cairn_pose2){0}, (int32_t)ceil(def->shift_m / step_m), (int32_t)ceil(def->turn_rad / step_rad),
           step_m, step_rad, &found);
    for (int i = 0; i < HALVINGS; i++) {
        step_m /= 2;
        step_rad /= 2;
        search(of, def, found.moved, 1, 1, step_m, step_rad, &found);
    }
    const cairn_pose2 middle = of->map_T_middle;
    const cairn_pose2 truth_T_middle = {middle.x_m + found.moved.x_m, middle.y_m + found.moved.y_m,
                                        found.moved.yaw_rad};
    return cairn_pose2_compose(truth_T_middle, cairn_pose2_inverse(middle));
}

static cairn_err align(const cairn_map *truth, const cairn_map *map, const cairn_compare_def *def, cairn_arena *scratch,
                       cairn_pose2 *ret_truth_T_map)
{
    common grid;
    cairn_err err = choose_grid(truth, map, (cairn_pose2){0}, &grid);
    if (err != CAIRN_OK) { return err; }
    fit *of = CAIRN_TAKE(scratch, fit, 1);
    layer seen;
    if (of == NULL) { return CAIRN_ERR_FULL; }
    err = make_layer(&grid, truth, (cairn_pose2){0}, scratch, &seen);
    if (err != CAIRN_OK) { return err; }
    of->grid = &grid;
    of->wall_cells = seen.wall_cells;
    take_points(of, map);
    if (of->point_count > 0) { *ret_truth_T_map = find_fit(of, def); }
    return CAIRN_OK;
}

// ---- the figures

static void count_cells(const common *grid, const layer *truth, const layer *map, cairn_comparison *to)
{
    size_t both = 0, either = 0;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        const uint8_t t = truth->ground[i], m = map->ground[i];
        const bool t_wall = t == CAIRN_GROUND_OBSTACLE, m_wall = m == CAIRN_GROUND_OBSTACLE;
        to->truth_known += t != CAIRN_GROUND_UNKNOWN;
        to->map_known += m != CAIRN_GROUND_UNKNOWN;
        to->both_known += t != CAIRN_GROUND_UNKNOWN && m != CAIRN_GROUND_UNKNOWN;
        to->agreeing += t != CAIRN_GROUND_UNKNOWN && t == m;
        to->truth_walls += t_wall;
        to->map_walls += m_wall;
        both += t_wall && m_wall;
        either += t_wall || m_wall;
    }
    to->wall_iou = either > 0 ? (double)both / (double)either : 1;
}

static void judge_walls(const common *grid, const layer *truth, const layer *map, double tolerance_m,
                        cairn_comparison *to)
{
    const double tolerance_cells = tolerance_m / grid->cell_m + 1e-6;
    size_t right = 0, found = 0;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        if (truth->ground[i] == CAIRN_GROUND_OBSTACLE) { found += map->wall_cells[i] <= tolerance_cells; }
        if (map->ground[i] != CAIRN_GROUND_OBSTACLE) { continue; }
        const bool near = truth->wall_cells[i] <= tolerance_cells;
        if (!near && truth->ground[i] == CAIRN_GROUND_UNKNOWN) { continue; }
        const double error_m = truth->wall_cells[i] * grid->cell_m;
        to->judged_walls++;
        right += near;
        sum += error_m;
        squares += error_m * error_m;
        to->error_m_max = fmax(to->error_m_max, error_m);
    }
    const double count = (double)to->judged_walls;
    to->precision = count > 0 ? (double)right / count : (double)NAN;
    to->recall = to->truth_walls > 0 ? (double)found / (double)to->truth_walls : (double)NAN;
    const bool has_errors = count > 0 && to->truth_walls > 0;
    to->error_m_mean = has_errors ? sum / count : (double)NAN;
    to->error_m_deviation =
        has_errors ? sqrt(fmax(0, squares / count - to->error_m_mean * to->error_m_mean)) : (double)NAN;
    if (!has_errors) { to->error_m_max = (double)NAN; }
}

// The map in the truth's frame: by the surveys if both have one, else the frames are taken for the same.
static cairn_err place(const cairn_map *truth, const cairn_map *map, cairn_pose2 *ret_truth_T_map,
                       cairn_map *ret_placed)
{
    cairn_pose2 truth_T_map = {0};
    if (truth->survey.known && map->survey.known &&
        !cairn_geo_survey_apart(&truth->survey, &map->survey, &truth_T_map)) {
        return CAIRN_ERR_TOO_LARGE;
    }
    *ret_truth_T_map = truth_T_map;
    *ret_placed = *map;
    ret_placed->map_T_corner = cairn_pose2_compose(truth_T_map, map->map_T_corner);
    return CAIRN_OK;
}

static cairn_err compare(const cairn_map *truth, const cairn_map *map, const cairn_compare_def *def,
                         cairn_arena *scratch, cairn_comparison *ret_comparison)
{
    cairn_comparison to = {0};
    cairn_map placed;
    cairn_pose2 truth_T_map, moved = {0};
    cairn_err err = place(truth, map, &truth_T_map, &placed);
    const size_t mark = cairn_arena_mark(scratch);
    if (err == CAIRN_OK && (def->shift_m > 0 || def->turn_rad > 0)) {
        err = align(truth, &placed, def, scratch, &moved);
    }
    cairn_arena_reset(scratch, mark);
    common grid;
    if (err == CAIRN_OK) { err = choose_grid(truth, &placed, moved, &grid); }
    if (err != CAIRN_OK) { return err; }
    layer truth_seen, map_seen;
    err = make_layer(&grid, truth, (cairn_pose2){0}, scratch, &truth_seen);
    if (err == CAIRN_OK) { err = make_layer(&grid, &placed, cairn_pose2_inverse(moved), scratch, &map_seen); }
    if (err != CAIRN_OK) { return err; }
    to.truth_T_map = cairn_pose2_compose(moved, truth_T_map);
    to.cell_m = grid.cell_m;
    to.width = grid.width;
    to.height = grid.height;
    count_cells(&grid, &truth_seen, &map_seen, &to);
    judge_walls(&grid, &truth_seen, &map_seen, def->tolerance_m, &to);
    *ret_comparison = to;
    return CAIRN_OK;
}

cairn_err cairn_map_compare(const cairn_map *truth, const cairn_map *map, const cairn_compare_def *def,
                            cairn_arena *scratch, cairn_comparison *ret_comparison)
{
    CAIRN_ASSERT(truth != NULL && map != NULL && def != NULL && scratch != NULL && ret_comparison != NULL);
    CAIRN_ASSERT(def->tolerance_m > 0 && def->shift_m >= 0 && def->turn_rad >= 0 && def->turn_rad <= CAIRN_PI);
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_err err = compare(truth, map, def, scratch, ret_comparison);
    cairn_arena_reset(scratch, mark);
    return err;
}
