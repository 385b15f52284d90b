// local_grid_cells.h - the inside of the local grid, for the files of maps/ and for the inner loops of matching/.
//
// Two layers lie over each other. Fine cells (def.cell_m) say free or occupied: an int8 of log-odds and the coarse time
// at which it was last seen, each in its own plane. Surface cells (twice as wide) say where within a cell the surface
// runs: sums of the points that were seen there, kept apart by the side from which they were seen, so that the two
// faces of a thin panel, or the two walls of a corner, never mix. Matching uses the second and a short list of edges,
// everything else the first.
//
// Both are addressed modulo the window. Fine cells that enter the window are cleared. A surface cell carries the key of
// the place it is about, so nothing needs clearing.
#pragma once
#include "maps/local/local_grid.h"
#include "maps/local/scan_edges.h"
#include "maps/local/scan_patches.h"
#include "maps/logodds.h"
#include <string.h>

#define CAIRN_MEMORY_TICKS 60     // def.memory_s in ticks; stamps of 8 bits wrap after 256
#define CAIRN_WINDOW_STEP 16      // the window moves by multiples of this many cells
#define CAIRN_SURFACE_SIDES 4     // faces towards +x, +y, -x, -y
#define CAIRN_SURFACE_FULL 200.0f // [-] points in a surface cell after which it listens no more

typedef struct cairn_surface_cell {
    uint32_t key;     // low 16 bits of the cell's x and y: which place this is about
    uint32_t seen;    // tick
    float count;      // points, 0: empty
    float x_m, y_m;   // sums over the points, relative to the cell's middle
    float xx, xy, yy; // [m2] sums of products, likewise
} cairn_surface_cell;

#define CAIRN_EDGE_MARKS_MAX 128
#define CAIRN_EDGE_MARK_SURE 3.0f // sightings before matching uses a mark

// An edge of a surface (maps/local/scan_edges.h), on the map.
typedef struct cairn_edge_mark {
    double x_m, y_m;
    float count;   // sightings
    uint32_t seen; // tick
    uint8_t kind;  // which way it opens, and the quarter that its surface comes from
} cairn_edge_mark;

// An edge of the scan in hand, laid on the map.
typedef struct cairn_placed_edge {
    double x_m, y_m, along_x, along_y;
    uint8_t kind;
} cairn_placed_edge;

struct cairn_local_grid {
    cairn_local_grid_def def;
    double cells_per_m;
    int64_t tick_ns;
    uint32_t now_tick;              // of the last add
    int32_t mask;                   // size_cells - 1
    int32_t min_x, min_y;           // window's lower left cell, counted from the frame's origin
    bool placed;                    // false until the first centre or add
    int8_t hit, miss;               // def.logodds_* in units of logodds_limit / CAIRN_LOGODDS_LIMIT
    uint32_t swept_tick, swept_row; // how far old cells have been cleared away
    int8_t *logodds;                // 0 unknown, < 0 free, > 0 occupied
    uint8_t *stamp;                 // low 8 bits of the tick at which a cell was last seen
    uint64_t *inside, *kept;        // scratch of add: a bit a cell of the window
    double surface_m, surfaces_per_m;
    int32_t surface_mask;
    cairn_surface_cell *surfaces; // CAIRN_SURFACE_SIDES a cell
    uint32_t mark_count;
    cairn_edge_mark marks[CAIRN_EDGE_MARKS_MAX];
};

// A straight stretch of surface around a point.
typedef struct cairn_surface_line {
    float x_m, y_m;           // a point on it, frame of the map
    float normal_x, normal_y; // unit
    float thickness_m2;       // variance of its points across it
    float length_m2;          // variance of its points along it
    float count;
} cairn_surface_line;

// Clears away what is too old, a part of the window for each tick that passed.
void cairn_local_grid_sweep(cairn_local_grid *grid, uint32_t tick);
// Adds the surfaces of one scan to the sums.
void cairn_surfaces_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_patches *patches);

// Adds the edges of one scan to the marks.
void cairn_edge_marks_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_edges *edges);
void cairn_edge_marks_forget_disc(cairn_local_grid *grid, cairn_vec2 centre_m, double radius_m);

// The tick of a question: never before the last scan that was added.
static inline uint32_t cairn_local_grid_tick(const cairn_local_grid *grid, cairn_mono now)
{
    const uint32_t tick = (uint32_t)(now.ns / grid->tick_ns);
    return tick > grid->now_tick ? tick : grid->now_tick;
}

static inline int32_t cairn_cell_floor(double value)
{
    int32_t cell = (int32_t)value;
    return cell - (value < cell);
}

static inline size_t cairn_local_grid_index(const cairn_local_grid *grid, int32_t x, int32_t y)
{
    return (size_t)(y & grid->mask) * grid->def.size_cells + (size_t)(x & grid->mask);
}

static inline bool cairn_local_grid_inside(const cairn_local_grid *grid, int32_t x, int32_t y)
{
    return (uint32_t)(x - grid->min_x) < grid->def.size_cells && (uint32_t)(y - grid->min_y) < grid->def.size_cells;
}

// The ground of a cell of the window, by its index.
static inline cairn_ground cairn_local_grid_ground(const cairn_local_grid *grid, size_t index, uint8_t tick)
{
    const int8_t value = grid->logodds[index];
    if (value == 0 || (uint8_t)(tick - grid->stamp[index]) > CAIRN_MEMORY_TICKS) { return CAIRN_GROUND_UNKNOWN; }
    return value > 0 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
}

// True if the whole grid is too old to say anything; 8-bit stamps must not be asked then.
static inline bool cairn_local_grid_is_stale(const cairn_local_grid *grid, uint32_t tick)
{
    return !grid->placed || tick - grid->now_tick > CAIRN_MEMORY_TICKS;
}

static inline uint32_t cairn_surface_side(float normal_x, float normal_y)
{
    const float across = normal_x < 0 ? -normal_x : normal_x, along = normal_y < 0 ? -normal_y : normal_y;
    return across >= along ? (normal_x >= 0 ? 0 : 2) : (normal_y >= 0 ? 1 : 3);
}

static inline uint32_t cairn_surface_key(int32_t x, int32_t y) { return (uint32_t)x << 16 | ((uint32_t)y & 0xffff); }

static inline cairn_surface_cell *cairn_surface_at(const cairn_local_grid *grid, int32_t x, int32_t y, uint32_t side)
{
    const size_t cell =
        (size_t)(y & grid->surface_mask) * (size_t)(grid->surface_mask + 1) + (size_t)(x & grid->surface_mask);
    return &grid->surfaces[cell * CAIRN_SURFACE_SIDES + side];
}

// The line through the points seen from one side in the four surface cells around a point; false if there are too few
// or they are no line. The point is nowhere nearer than half a surface cell to the border of what is summed, which is
// several times the laser's noise: so that the border cuts no surface in two, wherever it runs.
static inline bool cairn_surface_line_at(const cairn_local_grid *grid, double x_m, double y_m, uint32_t side,
                                         uint32_t tick, cairn_surface_line *ret_line)
{
    const double left = x_m * grid->surfaces_per_m - 0.5, low = y_m * grid->surfaces_per_m - 0.5;
    const int32_t cell_x = cairn_cell_floor(left), cell_y = cairn_cell_floor(low);
    const float half = (float)(0.5 * grid->surface_m);
    float count = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t right = i & 1, upper = i >> 1;
        const cairn_surface_cell *cell = cairn_surface_at(grid, cell_x + right, cell_y + upper, side);
        if (cell->key != cairn_surface_key(cell_x + right, cell_y + upper) || cell->count == 0 ||
            tick - cell->seen > CAIRN_MEMORY_TICKS) {
            continue;
        }
        const float dx = right ? half : -half, dy = upper ? half : -half, n = cell->count;
        count += n;
        x += cell->x_m + n * dx;
        y += cell->y_m + n * dy;
        xx += cell->xx + dx * (2 * cell->x_m + n * dx);
        xy += cell->xy + dx * cell->y_m + dy * cell->x_m + n * dx * dy;
        yy += cell->yy + dy * (2 * cell->y_m + n * dy);
    }
    if (count < 8) { return false; }
    const float part = 1 / count;
    x *= part, y *= part;
    xx = xx * part - x * x, xy = xy * part - x * y, yy = yy * part - y * y;

    // The smaller eigenvalue of the 2x2 scatter, and its direction.
    const float mean = 0.5f * (xx + yy), apart = 0.5f * (xx - yy);
    const float root = sqrtf(apart * apart + xy * xy);
    const float thin = mean - root, wide = mean + root;
    if (!(wide > 4 * thin) || root < 1e-5f) { return false; }
    // Twice the normal's angle is that of (-apart, -xy); half-angle formulas, away from cancellation.
    const float cos2 = -apart / root;
    float normal_x, normal_y;
    if (cos2 >= 0) {
        normal_x = sqrtf(0.5f * (1 + cos2));
        normal_y = -0.5f * xy / (root * normal_x);
    } else {
        normal_y = sqrtf(0.5f * (1 - cos2));
        normal_x = -0.5f * xy / (root * normal_y);
    }
    *ret_line = (cairn_surface_line){(float)((cell_x + 1) * grid->surface_m) + x,
                                     (float)((cell_y + 1) * grid->surface_m) + y,
                                     normal_x,
                                     normal_y,
                                     thin > 0 ? thin : 0,
                                     wide,
                                     count};
    return true;
}

static inline cairn_placed_edge cairn_edge_place(const cairn_scan_edge *edge, cairn_pose2 map_T_base, double cosine,
                                                 double sine)
{
    cairn_placed_edge placed = {
        map_T_base.x_m + cosine * edge->x_m - sine * edge->y_m, map_T_base.y_m + sine * edge->x_m + cosine * edge->y_m,
        cosine * edge->along_x - sine * edge->along_y, sine * edge->along_x + cosine * edge->along_y, 0};
    const uint32_t quarter = cairn_surface_side((float)placed.along_x, (float)placed.along_y);
    placed.kind = (uint8_t)(2 * quarter + edge->turn);
    return placed;
}

// The index of the nearest mark of the same kind within a distance that was seen often enough; -1 if there is none.
static inline int32_t cairn_edge_mark_near(const cairn_local_grid *grid, const cairn_placed_edge *edge, double within_m,
                                           float count_min)
{
    int32_t nearest = -1;
    double best = within_m * within_m;
    for (uint32_t i = 0; i < grid->mark_count; i++) {
        const cairn_edge_mark *mark = &grid->marks[i];
        if (mark->kind != edge->kind || mark->count < count_min) { continue; }
        const double dx = edge->x_m - mark->x_m, dy = edge->y_m - mark->y_m, apart = dx * dx + dy * dy;
        if (apart < best) { best = apart, nearest = (int32_t)i; }
    }
    return nearest;
}
