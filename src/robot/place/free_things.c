// One pass along the scan finds the things; each is the nearest of the last scan's, if that is near enough to have come
// here. What drives past a thing sees its middle shift a little as another side comes into view: hence MOVED_M.
#include "robot/place/free_things.h"
#include <math.h>
#include <string.h>

#define SMALL_M 1.2f    // a thing that is longer does not move
#define GAP_M 0.15f     // neighbouring points farther apart than this, plus a part of their range, are two things
#define GAP_PER_M 0.03f // [-]
#define BEHIND_M 0.3f   // the view goes on at least this much farther beside what stands free
// From where it was: more than what it seems to when others of its sides come into view, and than what wheels that grip
// are wrong by. Smaller: takes posts for people.
#define MOVED_M 0.12
#define MOVED_PART 0.10   // [-] of the robot's way
#define MOVED_RADPS 0.005 // a gyro's drift, at the thing's range
#define ANCHOR_NS CAIRN_S(3)
#define WATCHED_NS CAIRN_MS(300) // who stands still for so long is taken to stand
#define RESTED_NS CAIRN_S(1)     // and who has moved, after so long
#define FORGOTTEN_NS CAIRN_S(1)  // not seen for so long
#define NEAR_M 0.25              // from one scan to the next
#define FASTEST_MPS 2.0

typedef struct run { // of neighbouring points
    uint32_t first, end;
} run;

static float range2_of(const cairn_scan_points *points, uint32_t i)
{
    const float x = points->x_m[i] - points->sensor_x_m, y = points->y_m[i] - points->sensor_y_m;
    return x * x + y * y;
}

static float apart2(const cairn_scan_points *points, uint32_t a, uint32_t b)
{
    const float x = points->x_m[a] - points->x_m[b], y = points->y_m[a] - points->y_m[b];
    return x * x + y * y;
}

static bool is_joined(const cairn_scan_points *points, uint32_t i, uint32_t next)
{
    const float gap = GAP_M + GAP_PER_M * sqrtf(range2_of(points, i));
    return points->hit[next] && apart2(points, i, next) <= gap * gap;
}

// Whether the view goes on behind a point, at the beam beside it.
static bool is_open(const cairn_scan_points *points, uint32_t i, uint32_t beside)
{
    if (beside >= points->count || !points->hit[beside]) { return true; } // also before the first: it wraps
    return sqrtf(range2_of(points, beside)) > sqrtf(range2_of(points, i)) + BEHIND_M;
}

static bool is_small(const cairn_scan_points *points, run r)
{
    for (uint32_t i = r.first + 1; i < r.end; i++) { // a wall around the robot ends where it began
        if (apart2(points, r.first, i) > SMALL_M * SMALL_M) { return false; }
    }
    return true;
}

static bool stands_free(const cairn_scan_points *points, run r)
{
    return is_open(points, r.first, r.first - 1) && is_open(points, r.end - 1, r.end) && is_small(points, r);
}

static cairn_vec2 middle_of(const cairn_scan_points *points, run r)
{
    double x = 0, y = 0;
    for (uint32_t i = r.first; i < r.end; i++) { x += points->x_m[i], y += points->y_m[i]; }
    return (cairn_vec2){x / (r.end - r.first), y / (r.end - r.first)};
}

static cairn_free_thing *nearest(cairn_free_things *all, cairn_vec2 at_m, cairn_mono at)
{
    cairn_free_thing *best = NULL;
    double best_m = INFINITY;
    for (uint32_t i = 0; i < all->count; i++) {
        cairn_free_thing *thing = &all->things[i];
        const double apart_m = cairn_vec2_distance(thing->at_m, at_m);
        const double reach_m = NEAR_M + FASTEST_MPS * cairn_seconds(cairn_mono_since(at, thing->seen_at));
        if (thing->seen_at.ns == at.ns || apart_m > reach_m || apart_m >= best_m) { continue; }
        best = thing;
        best_m = apart_m;
    }
    return best;
}

static void anchor(cairn_free_thing *thing, const cairn_free_view *view)
{
    thing->anchor_m = thing->at_m;
    thing->robot_m = cairn_pose2_at(view->odom_T_base);
    thing->anchored_at = view->at;
}

// Whether a thing has gone from where it was anchored by more than it may seem to.
static bool has_moved(const cairn_free_thing *thing, const cairn_free_view *view)
{
    const cairn_vec2 robot_m = cairn_pose2_at(view->odom_T_base);
    const double turned_rad = MOVED_RADPS * cairn_seconds(cairn_mono_since(view->at, thing->anchored_at));
    const double seeming_m = MOVED_M + MOVED_PART * cairn_vec2_distance(robot_m, thing->robot_m) +
                             turned_rad * cairn_vec2_distance(robot_m, thing->at_m);
    return cairn_vec2_distance(thing->at_m, thing->anchor_m) > seeming_m;
}

// What is known of a thing that is seen here; NULL: there is no room to watch it.
static cairn_free_thing *watch(cairn_free_things *all, cairn_vec2 at_m, const cairn_free_view *view)
{
    cairn_free_thing *thing = nearest(all, at_m, view->at);
    const bool is_new = thing == NULL;
    if (is_new) {
        if (all->count == CAIRN_FREE_THINGS_MAX) { return NULL; }
        thing = &all->things[all->count++];
        *thing = (cairn_free_thing){.found_at = view->at};
    }
    thing->at_m = at_m;
    thing->seen_at = view->at;
    const bool moved = !is_new && has_moved(thing, view);
    if (moved) { thing->moved_at = view->at; }
    if (is_new || moved || cairn_mono_since(view->at, thing->anchored_at) >= ANCHOR_NS) { anchor(thing, view); }
    return thing;
}

static bool is_still(const cairn_free_thing *thing, cairn_mono at)
{
    return thing != NULL && cairn_mono_since(at, thing->found_at) >= WATCHED_NS &&
           (thing->moved_at.ns == 0 || cairn_mono_since(at, thing->moved_at) >= RESTED_NS);
}

static void forget(cairn_free_things *all, cairn_mono at)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (cairn_mono_since(at, all->things[i].seen_at) > FORGOTTEN_NS) { continue; }
        all->things[kept++] = all->things[i];
    }
    all->count = kept;
}

static void copy(const cairn_scan_points *points, run r, cairn_scan_points *to)
{
    const uint32_t count = r.end - r.first;
    memcpy(to->x_m + to->count, points->x_m + r.first, count * sizeof to->x_m[0]);
    memcpy(to->y_m + to->count, points->y_m + r.first, count * sizeof to->y_m[0]);
    memcpy(to->hit + to->count, points->hit + r.first, count);
    to->count += count;
}

void cairn_free_things_leave_out(cairn_free_things *all, const cairn_scan_points *points, const cairn_free_view *view,
                                 cairn_scan_points *ret_still)
{
    ret_still->sensor_x_m = points->sensor_x_m;
    ret_still->sensor_y_m = points->sensor_y_m;
    ret_still->count = 0;
    forget(all, view->at);
    for (run r = {0}; r.first < points->count; r.first = r.end) {
        r.end = r.first + 1;
        while (points->hit[r.first] && r.end < points->count && is_joined(points, r.end - 1, r.end)) { r.end++; }
        if (points->hit[r.first] && stands_free(points, r)) {
            const cairn_vec2 at_m = cairn_pose2_apply(view->odom_T_base, middle_of(points, r));
            if (!is_still(watch(all, at_m, view), view->at)) { continue; }
        }
        copy(points, r, ret_still);
    }
}
