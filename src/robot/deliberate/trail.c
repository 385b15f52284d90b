#include "robot/deliberate/trail.h"

void cairn_trail_init(cairn_trail *trail, double spacing_m)
{
    CAIRN_ASSERT(spacing_m > 0);
    *trail = (cairn_trail){.spacing_m = spacing_m};
}

// Keeps the first of each pair, and the last.
static void thin(cairn_trail *trail)
{
    const cairn_vec2 last = trail->points_m[trail->count - 1];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < trail->count - 1; i += 2) { trail->points_m[kept++] = trail->points_m[i]; }
    trail->points_m[kept++] = last;
    trail->count = kept;
    trail->spacing_m *= 2;
}

void cairn_trail_add(cairn_trail *trail, cairn_vec2 at_m)
{
    if (trail->count > 0 && cairn_vec2_distance(trail->points_m[trail->count - 1], at_m) < trail->spacing_m) { return; }
    if (trail->count == CAIRN_TRAIL_POINTS_MAX) { thin(trail); }
    trail->points_m[trail->count++] = at_m;
}

void cairn_trail_back(cairn_trail *trail, cairn_vec2 at_m)
{
    while (trail->count >= 2) {
        const cairn_vec2 last_m = trail->points_m[trail->count - 1], before_m = trail->points_m[trail->count - 2];
        const double to_go_m = cairn_vec2_distance(at_m, before_m);
        if (to_go_m >= cairn_vec2_distance(last_m, before_m) && to_go_m >= cairn_vec2_distance(at_m, last_m)) {
            return;
        }
        trail->count--;
    }
}

// The earliest point of the trail that lies within close_m: everything after it was a detour.
static uint32_t earliest_near(const cairn_trail *trail, cairn_vec2 at_m, uint32_t before, double close_m)
{
    for (uint32_t i = 0; i < before; i++) {
        if (cairn_vec2_distance(trail->points_m[i], at_m) <= close_m) { return i; }
    }
    return before;
}

// The way home in points this far apart; only its first count_max points if there are more.
static uint32_t way_home(const cairn_trail *trail, cairn_vec2 at_m, double close_m, double spacing_m,
                         cairn_vec2 *ret_points_m, uint32_t count_max, bool *ret_whole)
{
    uint32_t count = 0;
    uint32_t at = trail->count;
    cairn_vec2 here = at_m, given = at_m;
    while (at > 0 && count < count_max) {
        const uint32_t next = earliest_near(trail, here, at - 1, close_m);
        const cairn_vec2 point = trail->points_m[next];
        // Give the point before the gap grows too wide, and always the start itself.
        if (next == 0 || (at < trail->count && cairn_vec2_distance(given, point) > spacing_m)) {
            given = next == 0 ? point : here;
            ret_points_m[count++] = given;
        }
        here = point;
        at = next;
    }
    *ret_whole = at == 0;
    return count;
}

uint32_t cairn_trail_home(const cairn_trail *trail, cairn_vec2 at_m, double close_m, double spacing_m,
                          cairn_vec2 *ret_points_m, uint32_t count_max)
{
    CAIRN_ASSERT(spacing_m > 0 && count_max > 0);
    bool whole = false;
    uint32_t count = 0;
    for (; !whole; spacing_m *= 2) {
        count = way_home(trail, at_m, close_m, spacing_m, ret_points_m, count_max, &whole);
    }
    return count;
}
