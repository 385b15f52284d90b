// scan_edges.c - jumps in range between neighbouring beams, seen from the nearer side.
#include "maps/local/scan_edges.h"
#include <math.h>
#include <stdbool.h>

#define JUMP_M 0.3f      // the view goes on at least this much farther behind an edge
#define NEIGHBOUR 0.02f  // [-] tangent of the angle between beams: farther apart, and what lies between is not known
#define SUPPORT_M 0.12f  // length of surface before the edge that tells its direction
#define SPACING_M 0.035f // points on it may not be farther apart: the edge lies somewhere between two beams
#define TORN_M 0.07f     // no two neighbours either, noise included
#define STRAIGHT_M 0.02f // nor lie farther off the line to the edge, on average

typedef struct beam {
    float x, y, range2; // from the sensor
} beam;

static beam beam_at(const cairn_scan_points *points, uint32_t i)
{
    const float x = points->x_m[i] - points->sensor_x_m, y = points->y_m[i] - points->sensor_y_m;
    return (beam){x, y, x * x + y * y};
}

// True if the range grows by JUMP_M from one to the other: without roots unless it may.
static bool goes_on(const beam *near, const beam *far)
{
    return far->range2 > near->range2 + JUMP_M * JUMP_M && sqrtf(far->range2) > sqrtf(near->range2) + JUMP_M;
}

static bool are_neighbours(const beam *a, const beam *b)
{
    const float dot = a->x * b->x + a->y * b->y, cross = a->x * b->y - a->y * b->x;
    return dot > 0 && fabsf(cross) < NEIGHBOUR * dot;
}

// How far the points between two of a scan lie off the line through them, on average.
static float bend_between(const cairn_scan_points *points, int64_t edge, int64_t end, int step, float along_x,
                          float along_y)
{
    float sum = 0;
    for (int64_t k = edge + step; k != end; k += step) {
        const float dx = points->x_m[k] - points->x_m[edge], dy = points->y_m[k] - points->y_m[edge];
        sum += fabsf(dx * along_y - dy * along_x);
    }
    return sum * (float)step / (float)(end - edge);
}

// Follows the surface from the edge at a point, step -1 or 1 in the scan, for SUPPORT_M. False if it is not whole and
// straight for so long.
static bool surface_follow(const cairn_scan_points *points, int64_t edge, int step, cairn_scan_edge *ret_edge)
{
    for (int64_t k = edge + step; k >= 0 && k < points->count; k += step) {
        if (!points->hit[k]) { return false; }
        const float dx = points->x_m[k] - points->x_m[k - step], dy = points->y_m[k] - points->y_m[k - step];
        if (dx * dx + dy * dy > TORN_M * TORN_M) { return false; }
        const float to_x = points->x_m[edge] - points->x_m[k], to_y = points->y_m[edge] - points->y_m[k];
        if (to_x * to_x + to_y * to_y < SUPPORT_M * SUPPORT_M) { continue; }

        const float length = sqrtf(to_x * to_x + to_y * to_y), along_x = to_x / length, along_y = to_y / length;
        const float spacing = length * (float)step / (float)(k - edge);
        if (spacing > SPACING_M || bend_between(points, edge, k, step, along_x, along_y) > STRAIGHT_M) { return false; }
        *ret_edge = (cairn_scan_edge){.x_m = points->x_m[edge] + 0.5f * spacing * along_x,
                                      .y_m = points->y_m[edge] + 0.5f * spacing * along_y,
                                      .along_x = along_x,
                                      .along_y = along_y,
                                      .turn = step < 0 ? 0 : 1};
        return true;
    }
    return false;
}

void cairn_scan_edges_find(const cairn_scan_points *points, float range_m_max, cairn_scan_edges *ret_edges)
{
    ret_edges->count = 0;
    const float range2_max = range_m_max * range_m_max;
    for (uint32_t i = 1; i < points->count && ret_edges->count < CAIRN_SCAN_EDGES_MAX; i++) {
        const beam before = beam_at(points, i - 1), here = beam_at(points, i);
        const bool opens = points->hit[i - 1] && before.range2 < range2_max && goes_on(&before, &here);
        const bool closes = points->hit[i] && here.range2 < range2_max && goes_on(&here, &before);
        if ((!opens && !closes) || !are_neighbours(&before, &here)) { continue; }
        if (surface_follow(points, opens ? i - 1 : i, opens ? -1 : 1, &ret_edges->edges[ret_edges->count])) {
            ret_edges->count++;
        }
    }
}
