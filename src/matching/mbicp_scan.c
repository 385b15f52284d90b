// mbicp_scan.c - surfaces along a scan: at each point a line through its neighbours within one run without gaps.
//
// The line is as long as the surface is straight: where directions are unsure by their noise, a bare corridor seems to
// say how far one has come along it, and holds the robot back. Three lengths are tried, the longest first. Sums of all
// points before each make any length cost the same.
#include "matching/mbicp.h"
#include <math.h>
#include <string.h>

// Neighbouring points farther apart than this, plus a part of their range, are on different things.
#define GAP_M 0.10f
#define GAP_PER_M 0.06f
#define ROOM 4u           // points more than there are, to be read four at a time
#define FIT_POINTS_MIN 2u // each way, however far they are
#define FAR_M 1e6f        // where a beam without a return is put: nothing is near
#define GRAZING 0.08f     // sine of the flattest angle at which a beam says where its surface is
enum { LENGTH_COUNT = 3 };

// How far to each side a line is fitted, and how thick its points may lie (deviation) to be one line.
static const struct {
    float reach_m, thick_m;
} lengths[LENGTH_COUNT] = {{0.6f, 0.018f}, {0.3f, 0.02f}, {0.15f, 0.03f}};

size_t cairn_mbicp_scan_bytes(uint32_t count)
{
    return 5 * (((count + ROOM) * sizeof(float) + 63) / 64 * 64) + ((count + 1) * sizeof(uint16_t) + 63) / 64 * 64;
}

static bool take_arrays(uint32_t count, cairn_arena *memory, cairn_mbicp_scan *scan)
{
    scan->x_m = CAIRN_TAKE(memory, float, count + ROOM);
    scan->y_m = CAIRN_TAKE(memory, float, count + ROOM);
    scan->normal_x = CAIRN_TAKE(memory, float, count + ROOM);
    scan->normal_y = CAIRN_TAKE(memory, float, count + ROOM);
    scan->half_m = CAIRN_TAKE(memory, float, count + ROOM);
    scan->of_bearing = CAIRN_TAKE(memory, uint16_t, count + 1);
    return scan->x_m != NULL && scan->y_m != NULL && scan->normal_x != NULL && scan->normal_y != NULL &&
           scan->half_m != NULL && scan->of_bearing != NULL;
}

typedef struct sums {
    double x, y, xx, xy, yy;
} sums;

// What is needed of the raw points while lines are fitted.
typedef struct raw {
    uint32_t count;
    const float *x_m, *y_m;
    float range_m[CAIRN_SCAN_POINTS_MAX];
    uint8_t usable[CAIRN_SCAN_POINTS_MAX];
    uint8_t joined[CAIRN_SCAN_POINTS_MAX];  // to the next point, on one surface
    sums before[CAIRN_SCAN_POINTS_MAX + 1]; // of the usable points before each
} raw;

static void raw_make(const cairn_scan_points *points, float range_m_max, raw *ret_raw)
{
    raw *r = ret_raw;
    r->count = points->count;
    r->x_m = points->x_m;
    r->y_m = points->y_m;
    for (uint32_t i = 0; i < r->count; i++) {
        const float x = r->x_m[i] - points->sensor_x_m, y = r->y_m[i] - points->sensor_y_m;
        r->range_m[i] = sqrtf(x * x + y * y);
        r->usable[i] = points->hit[i] && r->range_m[i] <= range_m_max && r->range_m[i] > 0;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        r->joined[i] = 0;
        if (i + 1 == r->count || !r->usable[i] || !r->usable[i + 1]) { continue; }
        const float dx = r->x_m[i + 1] - r->x_m[i], dy = r->y_m[i + 1] - r->y_m[i];
        const float gap = GAP_M + GAP_PER_M * fminf(r->range_m[i], r->range_m[i + 1]);
        r->joined[i] = dx * dx + dy * dy <= gap * gap;
    }
    r->before[0] = (sums){0};
    for (uint32_t i = 0; i < r->count; i++) {
        const double x = r->usable[i] ? r->x_m[i] : 0, y = r->usable[i] ? r->y_m[i] : 0;
        const sums *s = &r->before[i];
        r->before[i + 1] = (sums){s->x + x, s->y + y, s->xx + x * x, s->xy + x * y, s->yy + y * y};
    }
}

// The neighbours within reach of a point, moved on from those of the point before it.
typedef struct stretch {
    uint32_t first, last;
} stretch;

static bool within(const raw *r, uint32_t i, uint32_t k, float reach_m)
{
    if (i < k ? k - i <= FIT_POINTS_MIN : i - k <= FIT_POINTS_MIN) { return true; }
    const float dx = r->x_m[k] - r->x_m[i], dy = r->y_m[k] - r->y_m[i];
    return dx * dx + dy * dy <= reach_m * reach_m;
}

static void stretch_move(const raw *r, uint32_t i, float reach_m, stretch *at)
{
    if (i == 0 || !r->joined[i - 1]) { *at = (stretch){i, i}; }
    if (at->last < i) { at->last = i; }
    while (!within(r, i, at->first, reach_m)) { at->first++; }
    while (r->joined[at->last] && within(r, i, at->last + 1, reach_m)) { at->last++; }
}

typedef struct line {
    float nx, ny, off_m; // unit normal, and how far along it the line is from the point
} line;

static bool line_fit(const raw *r, uint32_t i, stretch at, float thick_m, line *ret_line)
{
    const uint32_t count = at.last - at.first + 1;
    if (count < 3) { return false; }
    const sums *a = &r->before[at.first], *b = &r->before[at.last + 1];
    const double part = 1.0 / count, mx = part * (b->x - a->x), my = part * (b->y - a->y);
    const float xx = (float)(part * (b->xx - a->xx) - mx * mx), xy = (float)(part * (b->xy - a->xy) - mx * my);
    const float yy = (float)(part * (b->yy - a->yy) - my * my);
    const float half = 0.5f * (xx - yy), root = sqrtf(half * half + xy * xy), thin = 0.5f * (xx + yy) - root;
    // The direction of the largest spread, from the row of the larger entry: stable for lines along either axis.
    const float dx = half < 0 ? xy : half + root, dy = half < 0 ? root - half : xy;
    const float length = sqrtf(dx * dx + dy * dy);
    if (!(length > 0) || thin > thick_m * thick_m || root < 4 * thin) { return false; }
    const float nx = -dy / length, ny = dx / length;
    *ret_line = (line){nx, ny, nx * ((float)mx - r->x_m[i]) + ny * ((float)my - r->y_m[i])};
    return fabsf(ret_line->off_m) < 3 * thick_m;
}

// Draws point i onto its line; false if it says too little about where its surface is.
static bool surface_set(const raw *r, uint32_t i, line l, cairn_mbicp_scan *scan)
{
    const float to_x = scan->sensor_x_m - r->x_m[i], to_y = scan->sensor_y_m - r->y_m[i];
    const float facing = l.nx * to_x + l.ny * to_y, incidence = fabsf(facing) / r->range_m[i];
    if (incidence < GRAZING) { return false; }
    scan->x_m[i] = r->x_m[i] + l.off_m * l.nx;
    scan->y_m[i] = r->y_m[i] + l.off_m * l.ny;
    scan->normal_x[i] = facing < 0 ? -l.nx : l.nx;
    scan->normal_y[i] = facing < 0 ? -l.ny : l.ny;
    // To the middle between it and its neighbour along the surface, and a little more.
    scan->half_m[i] = 0.05f + 0.75f * r->range_m[i] * scan->step_rad / incidence;
    return true;
}

static void surfaces_find(const raw *r, cairn_mbicp_scan *scan)
{
    stretch at[LENGTH_COUNT] = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        scan->x_m[i] = r->usable[i] ? r->x_m[i] : FAR_M;
        scan->y_m[i] = r->usable[i] ? r->y_m[i] : FAR_M;
        line found = {0};
        bool is_line = false;
        for (uint32_t k = 0; k < LENGTH_COUNT; k++) {
            stretch_move(r, i, lengths[k].reach_m, &at[k]);
            is_line = is_line || (r->usable[i] && line_fit(r, i, at[k], lengths[k].thick_m, &found));
        }
        if (is_line) { scan->surface_count += surface_set(r, i, found, scan); }
    }
}

static void bearings_index(const raw *r, cairn_mbicp_scan *scan)
{
    // Bearings of beams without return are not known here; even steps between the ends are close enough for them.
    const float per_rad = (float)r->count / scan->bearing_span_rad;
    uint32_t bucket = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const float x = r->x_m[i] - scan->sensor_x_m, y = r->y_m[i] - scan->sensor_y_m;
        float bearing = atan2f(y, x) - scan->bearing_first_rad;
        if (bearing < -1e-3f) { bearing += (float)(2 * CAIRN_PI); }
        while (bucket <= r->count && (float)bucket <= bearing * per_rad) { scan->of_bearing[bucket++] = (uint16_t)i; }
    }
    while (bucket <= r->count) { scan->of_bearing[bucket++] = (uint16_t)(r->count - 1); }
}

cairn_err cairn_mbicp_scan_make(const cairn_scan_points *points, double range_m_max, cairn_arena *memory,
                                cairn_mbicp_scan *ret_scan)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX && range_m_max > 0);
    if (points->count < 2) {
        *ret_scan = (cairn_mbicp_scan){0};
        return CAIRN_OK;
    }
    const uint32_t count = points->count;
    cairn_mbicp_scan scan = {.count = count, .sensor_x_m = points->sensor_x_m, .sensor_y_m = points->sensor_y_m};
    if (!take_arrays(count, memory, &scan)) { return CAIRN_ERR_FULL; }
    raw r;
    raw_make(points, (float)range_m_max, &r);
    scan.bearing_first_rad = atan2f(r.y_m[0] - scan.sensor_y_m, r.x_m[0] - scan.sensor_x_m);
    const float last = atan2f(r.y_m[count - 1] - scan.sensor_y_m, r.x_m[count - 1] - scan.sensor_x_m);
    const float span = last - scan.bearing_first_rad;
    scan.bearing_span_rad = span > 0 ? span : span + (float)(2 * CAIRN_PI);
    scan.step_rad = scan.bearing_span_rad / (float)(count - 1);
    surfaces_find(&r, &scan);
    bearings_index(&r, &scan);
    *ret_scan = scan;
    return CAIRN_OK;
}

cairn_err cairn_mbicp_merge(const cairn_mbicp_reference *parts, uint32_t part_count, uint32_t points_max,
                            cairn_arena *memory, cairn_mbicp_scan *ret_scan)
{
    CAIRN_ASSERT(points_max <= CAIRN_SCAN_POINTS_MAX);
    cairn_mbicp_scan merged = {0};
    if (!take_arrays(points_max, memory, &merged)) { return CAIRN_ERR_FULL; }
    uint32_t all = 0, seen = 0;
    for (uint32_t k = 0; k < part_count; k++) { all += parts[k].scan->surface_count; }
    const uint32_t kept = all < points_max ? all : points_max;
    for (uint32_t k = 0; k < part_count; k++) {
        const cairn_mbicp_scan *scan = parts[k].scan;
        const cairn_pose2 at = parts[k].reference_T_scan;
        const float c = (float)cos(at.yaw_rad), s = (float)sin(at.yaw_rad), tx = (float)at.x_m, ty = (float)at.y_m;
        for (uint32_t i = 0; i < scan->count; i++) {
            const float nx = scan->normal_x[i], ny = scan->normal_y[i];
            if (nx == 0 && ny == 0) { continue; }
            const uint32_t before = (uint32_t)((uint64_t)seen * kept / all);
            seen++;
            if ((uint32_t)((uint64_t)seen * kept / all) == before) { continue; }
            const uint32_t to = merged.count++;
            merged.x_m[to] = c * scan->x_m[i] - s * scan->y_m[i] + tx;
            merged.y_m[to] = s * scan->x_m[i] + c * scan->y_m[i] + ty;
            merged.normal_x[to] = c * nx - s * ny;
            merged.normal_y[to] = s * nx + c * ny;
        }
    }
    merged.surface_count = merged.count;
    merged.of_bearing = NULL; // no order: it cannot be searched by bearing
    *ret_scan = merged;
    return CAIRN_OK;
}
