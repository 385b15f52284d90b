// world.h - a small world for tests: walls as segments, a laser, a robot that drives, and odometry that slips.
//
// Everything is worked out by plain geometry, independent of the code under test.
#pragma once
#include "base/random.h"
#include "geometry/pose2.h"
#include "maps/local/scan_points.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define WORLD_SEGMENTS_MAX 2048
#define WORLD_BEAMS 1081
#define WORLD_FIELD_RAD (1.5 * CAIRN_PI)

typedef struct world_segment {
    cairn_vec2 a, b;
} world_segment;

typedef struct world {
    uint32_t count;
    world_segment segments[WORLD_SEGMENTS_MAX];
} world;

static inline void world_add(world *w, double ax, double ay, double bx, double by)
{
    if (w->count < WORLD_SEGMENTS_MAX) { w->segments[w->count++] = (world_segment){{ax, ay}, {bx, by}}; }
}

static inline void world_add_box(world *w, double x0, double y0, double x1, double y1)
{
    world_add(w, x0, y0, x1, y0);
    world_add(w, x1, y0, x1, y1);
    world_add(w, x1, y1, x0, y1);
    world_add(w, x0, y1, x0, y0);
}

// True ranges along beams spread evenly over the field, from a pose; INFINITY where nothing is hit. Each segment is
// only asked for the beams between its two ends.
static inline void world_ranges(const world *w, cairn_pose2 at, double *ret_range_m)
{
    const double step = WORLD_FIELD_RAD / (WORLD_BEAMS - 1), first = -0.5 * WORLD_FIELD_RAD;
    for (int i = 0; i < WORLD_BEAMS; i++) { ret_range_m[i] = INFINITY; }
    const double c = cos(at.yaw_rad), s = sin(at.yaw_rad);
    for (uint32_t k = 0; k < w->count; k++) {
        const world_segment *seg = &w->segments[k];
        const double dax = seg->a.x - at.x_m, day = seg->a.y - at.y_m, dbx = seg->b.x - at.x_m, dby = seg->b.y - at.y_m;
        const double ax = c * dax + s * day, ay = -s * dax + c * day, bx = c * dbx + s * dby, by = -s * dbx + c * dby;
        double from = atan2(ay, ax), span = cairn_angle_between(from, atan2(by, bx));
        if (span < 0) { from += span, span = -span; }
        for (int turn = -1; turn <= 1; turn++) { // the interval may cross the back
            const double low = from + turn * 2 * CAIRN_PI;
            int i = (int)ceil((low - first) / step), end = (int)floor((low + span - first) / step);
            if (i < 0) { i = 0; }
            if (end > WORLD_BEAMS - 1) { end = WORLD_BEAMS - 1; }
            for (; i <= end; i++) {
                const double ux = cos(first + i * step), uy = sin(first + i * step);
                const double ex = bx - ax, ey = by - ay, below = ux * ey - uy * ex;
                if (fabs(below) < 1e-12) { continue; }
                const double range = (ax * ey - ay * ex) / below;
                if (range > 0 && range < ret_range_m[i]) { ret_range_m[i] = range; }
            }
        }
    }
}

// The true range of a single ray.
static inline double world_range(const world *w, cairn_vec2 from, double bearing_rad)
{
    const double ux = cos(bearing_rad), uy = sin(bearing_rad);
    double best = INFINITY;
    for (uint32_t k = 0; k < w->count; k++) {
        const double ax = w->segments[k].a.x - from.x, ay = w->segments[k].a.y - from.y;
        const double ex = w->segments[k].b.x - w->segments[k].a.x, ey = w->segments[k].b.y - w->segments[k].a.y;
        const double below = ux * ey - uy * ex;
        const double range = (ax * ey - ay * ex) / below, along = (ax * uy - ay * ux) / below;
        if (below != 0 && range > 0 && along >= 0 && along <= 1 && range < best) { best = range; }
    }
    return best;
}

// A scan as the robot gets it: noise along the beam, whole millimetres.
static inline void world_scan(const world *w, cairn_pose2 map_T_base, double noise_m, double range_m_max,
                              cairn_random *random, cairn_scan_points *ret_points)
{
    const double sensor_x = 0.1;
    static double range[WORLD_BEAMS];
    world_ranges(w, cairn_pose2_compose(map_T_base, (cairn_pose2){sensor_x, 0, 0}), range);
    const double step = WORLD_FIELD_RAD / (WORLD_BEAMS - 1), first = -0.5 * WORLD_FIELD_RAD;
    ret_points->sensor_x_m = (float)sensor_x, ret_points->sensor_y_m = 0;
    ret_points->count = WORLD_BEAMS;
    for (int i = 0; i < WORLD_BEAMS; i++) {
        const bool hit = range[i] < range_m_max;
        double r = hit ? range[i] + noise_m * cairn_random_gauss(random) : range_m_max;
        r = round(r * 1000) / 1000;
        ret_points->x_m[i] = (float)(sensor_x + r * cos(first + i * step));
        ret_points->y_m[i] = (float)(r * sin(first + i * step));
        ret_points->hit[i] = hit;
    }
}

// What odometry says of a motion: wheels that slip, a gyro with noise and bias.
typedef struct world_odometry {
    double slip;            // [-] of the distance, wanders
    double gyro_bias_radps; // constant
    cairn_random random;
} world_odometry;

static inline cairn_pose2 world_odometry_step(world_odometry *o, cairn_pose2 from, cairn_pose2 to, double dt_s)
{
    const cairn_pose2 moved = cairn_pose2_between(from, to);
    o->slip += -0.05 * o->slip + 0.01 * cairn_random_gauss(&o->random); // deviation about 0.03
    const double factor = 1 + o->slip;
    return (cairn_pose2){moved.x_m * factor, moved.y_m * factor + 0.01 * moved.yaw_rad * cairn_random_gauss(&o->random),
                         moved.yaw_rad + dt_s * (o->gyro_bias_radps + 0.002 * cairn_random_gauss(&o->random))};
}

// A maze of cells x cells squares of pitch_m whose panels are thickness_m thick, the lower left corner at the origin.
// passage[cell] bit 0: open to the right, bit 1: open upwards.
#define MAZE_CELLS_MAX 16
typedef struct maze {
    int cells;
    double pitch_m;
    uint8_t passage[MAZE_CELLS_MAX * MAZE_CELLS_MAX];
} maze;

static inline void maze_make(maze *m, int cells, double pitch_m, double open_part, cairn_random *random)
{
    *m = (maze){.cells = cells, .pitch_m = pitch_m};
    bool seen[MAZE_CELLS_MAX * MAZE_CELLS_MAX] = {true};
    int stack[MAZE_CELLS_MAX * MAZE_CELLS_MAX] = {0}, depth = 1;
    while (depth > 0) {
        const int cell = stack[depth - 1], x = cell % cells, y = cell / cells;
        int ways[4], count = 0;
        if (x + 1 < cells && !seen[cell + 1]) { ways[count++] = cell + 1; }
        if (x > 0 && !seen[cell - 1]) { ways[count++] = cell - 1; }
        if (y + 1 < cells && !seen[cell + cells]) { ways[count++] = cell + cells; }
        if (y > 0 && !seen[cell - cells]) { ways[count++] = cell - cells; }
        if (count == 0) {
            depth--;
            continue;
        }
        const int next = ways[cairn_random_below(random, (uint32_t)count)];
        m->passage[cell < next ? cell : next] |= (next - cell == 1 || next - cell == -1) ? 1 : 2;
        seen[next] = true;
        stack[depth++] = next;
    }
    for (int cell = 0; cell < cells * cells; cell++) {
        if (cell % cells + 1 < cells && cairn_random_uniform(random) < open_part) { m->passage[cell] |= 1; }
        if (cell / cells + 1 < cells && cairn_random_uniform(random) < open_part) { m->passage[cell] |= 2; }
    }
}

static inline void maze_build(const maze *m, double thickness_m, world *w)
{
    const double p = m->pitch_m, h = 0.5 * thickness_m, edge = m->cells * p;
    world_add_box(w, 0, 0, edge, edge);
    for (int cell = 0; cell < m->cells * m->cells; cell++) {
        const double x = cell % m->cells * p, y = cell / m->cells * p;
        if (cell % m->cells + 1 < m->cells && !(m->passage[cell] & 1)) {
            world_add_box(w, x + p - h, y - h, x + p + h, y + p + h);
        }
        if (cell / m->cells + 1 < m->cells && !(m->passage[cell] & 2)) {
            world_add_box(w, x - h, y + p - h, x + p + h, y + p + h);
        }
    }
}

// A driver that wanders through a maze from middle to middle, never turning back while there is another way.
typedef struct maze_driver {
    const maze *m;
    int cell, before;
    cairn_pose2 at;
    double speed_mps, turn_radps_max;
    cairn_random random;
} maze_driver;

static inline cairn_vec2 maze_middle(const maze *m, int cell)
{
    return (cairn_vec2){(cell % m->cells + 0.5) * m->pitch_m, (cell / m->cells + 0.5) * m->pitch_m};
}

static inline void maze_choose_next(maze_driver *d)
{
    const maze *m = d->m;
    const int cell = d->cell, n = m->cells;
    int ways[4], count = 0;
    if (m->passage[cell] & 1) { ways[count++] = cell + 1; }
    if (cell % n > 0 && m->passage[cell - 1] & 1) { ways[count++] = cell - 1; }
    if (m->passage[cell] & 2) { ways[count++] = cell + n; }
    if (cell >= n && m->passage[cell - n] & 2) { ways[count++] = cell - n; }
    for (int i = 0; i < count && count > 1; i++) {
        if (ways[i] == d->before) { ways[i] = ways[--count]; }
    }
    d->before = cell;
    d->cell = ways[cairn_random_below(&d->random, (uint32_t)count)];
}

// Moves for dt: turns on the spot when the next middle is not ahead, otherwise drives on and steers.
static inline void maze_drive(maze_driver *d, double dt_s)
{
    cairn_vec2 goal = maze_middle(d->m, d->cell);
    if (cairn_vec2_distance(cairn_pose2_at(d->at), goal) < 0.1) {
        maze_choose_next(d);
        goal = maze_middle(d->m, d->cell);
    }
    const double turn = cairn_angle_between(d->at.yaw_rad, atan2(goal.y - d->at.y_m, goal.x - d->at.x_m));
    const double w = fmax(-d->turn_radps_max, fmin(d->turn_radps_max, 3 * turn));
    const double v = fabs(turn) > 0.6 ? 0 : d->speed_mps;
    d->at = cairn_pose2_compose(d->at, (cairn_pose2){v * dt_s, 0, 0.5 * w * dt_s});
    d->at = cairn_pose2_compose(d->at, (cairn_pose2){0, 0, 0.5 * w * dt_s});
}
