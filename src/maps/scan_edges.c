// scan_edges.c - jumps in range between neighbouring beams, seen from the nearer side.
#include "maps/scan_edges.h"
#include <math.h>
#include <stdbool.h>

#define JUMP_M 0.3f      // the view goes on at least this much farther behind an edge
#define NEIGHBOUR 0.02f  // [-] tangent of the angle between beams: farther apart, and what lies between is not known
#define SUPPORT_M 0.12f  // length of surface before the edge that tells its direction
#define SPACING_M 0.035f // points on it may not be farther apart: the edge lies somewhere between two beams
#define STRAIGHT_M 0.02f // nor lie farther off the line to the edge

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

// Follows the surface from the edge at point i, step -1 or 1 in the scan, for SUPPORT_M. False if it is not whole and
// straight for so long.
static bool surface_follow(const cairn_scan_points *points, uint32_t i, int step, cairn_scan_edge *ret_edge)
{
    const float edge_x = points->x_m[i], edge_y = points->y_m[i];
    float spacing_first = 0;
    for (int64_t k = (int64_t)i + step; k >= 0 && k < points->count; k += step) {
        if (!points->hit[k]) { return false; }
        const float dx = points->x_m[k] - points->x_m[k - step], dy = points->y_m[k] - points->y_m[k - step];
        const float spacing2 = dx * dx + dy * dy;
        // Range noise moves neighbours apart by a centimetre or two as well.
        if (spacing2 > 4 * SPACING_M * SPACING_M) { return false; }
        const float to_x = edge_x - points->x_m[k], to_y = edge_y - points->y_m[k];
        const float length2 = to_x * to_x + to_y * to_y;
        if (length2 < SUPPORT_M * SUPPORT_M) { continue; }

        const float length = sqrtf(length2), along_x = to_x / length, along_y = to_y / length;
        const int64_t points_between = step > 0 ? k - i : i - k;
        spacing_first = length / (float)points_between;
        if (spacing_first > SPACING_M) { return false; }
        for (int64_t m = (int64_t)i + step; m != k; m += step) {
            const float off = (points->x_m[m] - edge_x) * along_y - (points->y_m[m] - edge_y) * along_x;
            if (fabsf(off) > STRAIGHT_M + 0.01f) { return false; }
        }
        ret_edge->x_m = edge_x + 0.5f * spacing_first * along_x;
        ret_edge->y_m = edge_y + 0.5f * spacing_first * along_y;
        ret_edge->along_x = along_x, ret_edge->along_y = along_y;
        ret_edge->turn = step < 0 ? 0 : 1;
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
