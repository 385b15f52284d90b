// raster_cover.c - nodes that stay lie in a hash of squares as wide as the reach; each node asks the nine around it.
#include "maps/raster_cover.h"
#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define NEAR_MAX 8 // of the nodes that cover one; the rest is not asked what it knows
#define PLACES 256 // of a node's map that are asked

typedef struct squares {
    uint32_t mask;
    uint32_t *first; // of each bucket: a node, or NONE
    uint32_t *next;  // of each node: the next in its bucket, or NONE
} squares;

cairn_raster_cover_def cairn_raster_cover_def_default(void)
{
    return (cairn_raster_cover_def){
        .reach_m = 1.0, // twice the way between nodes at 0.5 m/s: every other one stays while a robot drives
        .slack_rad = 0.2,
        .age_s = 60,
        .new_part = 0.1,
        .near_count = 1,
    };
}

static uint32_t bucket_of(const squares *s, int64_t x, int64_t y)
{
    return (uint32_t)((((uint64_t)x * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)y * 0xc2b2ae3d27d4eb4full)) >> 32) & s->mask;
}

static bool covers(const cairn_raster_cover_def *def, const cairn_raster_node *by, const cairn_raster_node *node)
{
    const double dx = by->map_T_node.x_m - node->map_T_node.x_m, dy = by->map_T_node.y_m - node->map_T_node.y_m;
    if (dx * dx + dy * dy > def->reach_m * def->reach_m || fabs(by->seen_s - node->seen_s) > def->age_s) {
        return false;
    }
    if (by->field_rad >= 2 * CAIRN_PI) { return true; }
    const double turn_rad = fabs(cairn_angle_between(by->map_T_node.yaw_rad, node->map_T_node.yaw_rad));
    return turn_rad + 0.5 * node->field_rad <= 0.5 * by->field_rad + def->slack_rad;
}

// Up to NEAR_MAX nodes that cover one.
static uint32_t near_find(const cairn_raster_cover_def *def, const cairn_raster_node *nodes, const squares *s,
                          uint32_t node, int64_t x, int64_t y, uint32_t ret_near[NEAR_MAX])
{
    uint32_t count = 0, asked[9], asked_count = 0;
    for (int k = 0; k < 9; k++) {
        const uint32_t bucket = bucket_of(s, x + k % 3 - 1, y + k / 3 - 1);
        bool again = false; // two squares may share a bucket
        for (uint32_t i = 0; i < asked_count; i++) { again |= asked[i] == bucket; }
        if (again) { continue; }
        asked[asked_count++] = bucket;
        for (uint32_t other = s->first[bucket]; other != NONE && count < NEAR_MAX; other = s->next[other]) {
            if (covers(def, &nodes[other], &nodes[node])) { ret_near[count++] = other; }
        }
    }
    return count;
}

// From a node's cells to those of a map near it.
typedef struct carry {
    const cairn_terrain_planes *planes;
    double u0, v0, cosine, sine;
} carry;

static carry carry_make(const cairn_raster_node *node, const cairn_raster_node *near)
{
    const cairn_pose2 near_T_node = cairn_pose2_between(near->map_T_node, node->map_T_node);
    const double cell_m = node->planes->cell_m, scale = cell_m / near->planes->cell_m;
    const cairn_vec2 first = {node->planes->origin_m.x + 0.5 * cell_m, node->planes->origin_m.y + 0.5 * cell_m};
    const cairn_vec2 there = cairn_pose2_apply(near_T_node, first);
    return (carry){.planes = near->planes,
                   .u0 = (there.x - near->planes->origin_m.x) / near->planes->cell_m,
                   .v0 = (there.y - near->planes->origin_m.y) / near->planes->cell_m,
                   .cosine = scale * cos(near_T_node.yaw_rad),
                   .sine = scale * sin(near_T_node.yaw_rad)};
}

static bool knows(const carry *c, uint32_t x, uint32_t y)
{
    const double u = c->u0 + c->cosine * x - c->sine * y, v = c->v0 + c->sine * x + c->cosine * y;
    if (!(u >= 0 && v >= 0 && u < c->planes->width && v < c->planes->height)) { return false; }
    return cairn_plane_bit(c->planes->known, (uint32_t)v * c->planes->width + (uint32_t)u);
}

// Whether those near it know what a node knows, but for new_part. Places are a golden step of the map's cells apart,
// which spreads them evenly over any shape of map.
static bool is_known_to(const cairn_raster_cover_def *def, const cairn_raster_node *nodes, uint32_t node,
                        const uint32_t *near, uint32_t near_count)
{
    const cairn_terrain_planes *planes = nodes[node].planes;
    carry to_near[NEAR_MAX];
    for (uint32_t i = 0; i < near_count; i++) { to_near[i] = carry_make(&nodes[node], &nodes[near[i]]); }
    const uint32_t cells = planes->width * planes->height;
    uint32_t asked = 0, lacking = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        const uint32_t cell = (uint32_t)((uint64_t)(i * 2654435769u) * cells >> 32);
        if (!cairn_plane_bit(planes->known, cell)) { continue; }
        bool known = false;
        for (uint32_t k = 0; k < near_count && !known; k++) {
            known = knows(&to_near[k], cell % planes->width, cell / planes->width);
        }
        asked++;
        lacking += !known;
    }
    return lacking <= def->new_part * asked;
}

static bool is_covered(const cairn_raster_cover_def *def, const cairn_raster_node *nodes, const squares *s,
                       uint32_t node, int64_t x, int64_t y)
{
    uint32_t near[NEAR_MAX];
    const uint32_t count = near_find(def, nodes, s, node, x, y, near);
    return count >= def->near_count && is_known_to(def, nodes, node, near, count);
}

cairn_err cairn_raster_cover(const cairn_raster_cover_def *def, const cairn_raster_node *nodes, uint32_t count,
                             cairn_arena *scratch, uint8_t *ret_stays)
{
    CAIRN_ASSERT(def->reach_m > 0 && def->near_count > 0 && def->near_count <= NEAR_MAX && count < 1u << 24);
    const size_t mark = cairn_arena_mark(scratch);
    squares s = {.mask = 1};
    while (s.mask < 2 * count) { s.mask *= 2; }
    s.first = CAIRN_TAKE(scratch, uint32_t, s.mask);
    s.next = CAIRN_TAKE(scratch, uint32_t, count + 1);
    if (!s.first || !s.next) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }
    memset(s.first, 0xff, s.mask * sizeof *s.first);
    s.mask--;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_pose2 at = nodes[i].map_T_node;
        ret_stays[i] = false;
        if (!(fabs(at.x_m) < 1e9 && fabs(at.y_m) < 1e9 && isfinite(at.yaw_rad))) { continue; }
        const int64_t x = (int64_t)floor(at.x_m / def->reach_m), y = (int64_t)floor(at.y_m / def->reach_m);
        if (is_covered(def, nodes, &s, i, x, y)) { continue; }
        ret_stays[i] = true;
        const uint32_t bucket = bucket_of(&s, x, y);
        s.next[i] = s.first[bucket];
        s.first[bucket] = i;
    }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
