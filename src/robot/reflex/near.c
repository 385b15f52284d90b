// Every pose along the braking motion (braking.h) is laid over the points that it could meet.
#include "robot/reflex/near.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// [m] Margin around the hull. Below avoidance's, so that this guard stays still where that works. Larger: what is seen
// a little off is still kept clear of.
#define MARGIN_M 0.01
// [m] A point inside the margin already may not come nearer by more than this.
#define NEARER_M 0.0002
// [s] What a slow laser adds to the reaction is bounded: beyond it avoidance would be the later of the two.
#define REACTION_S_MAX 0.12
// [rad] A laser that looks over more than this sees behind.
#define ALL_AROUND_RAD 6.1

void cairn_near_init(cairn_near *near, const cairn_body_description *body)
{
    CAIRN_ASSERT(body->limits.accel_mps2_max > 0.0 && body->limits.turn_accel_radps2_max > 0.0);
    near->body = body;
    near->version = 0;
    cairn_surroundings_init(&near->around, body);
    near->sees_behind = body->laser.offered && body->laser.field_rad > ALL_AROUND_RAD;
    const double scan_s = body->laser.rate_hz > 0.0 ? 1.0 / body->laser.rate_hz : 0.0;
    const double reaction_s =
        scan_s + body->laser.delay_s + cairn_seconds(CAIRN_REFLEX_PERIOD_NS) + CAIRN_BRAKING_WHEELS_S;
    near->reaction_s = fmin(reaction_s, REACTION_S_MAX);
}

void cairn_near_look(cairn_near *near, cairn_cell *scans, const cairn_reflex_state *state, cairn_mono now)
{
    if (scans == NULL) { return; }
    uint64_t version = 0;
    const cairn_scan_frame *scan = cairn_cell_latest(scans, &version);
    if (scan == NULL || version == near->version) { return; }
    near->version = version;
    cairn_surroundings_look(&near->around, state, scan, NULL, now);
}

// The points that can be met at all, in base, with their distance to the hull now.
typedef struct near_points {
    uint32_t count;
    float x_m[CAIRN_AROUND_POINTS_MAX], y_m[CAIRN_AROUND_POINTS_MAX], kept_m[CAIRN_AROUND_POINTS_MAX];
} near_points;

static float gap_of(const cairn_near *near, float x, float y)
{
    const float gap_x = fabsf(x) - (float)near->around.half_length_m;
    const float gap_y = fabsf(y) - (float)near->around.half_width_m;
    return gap_x > gap_y ? gap_x : gap_y;
}

static void gather(const cairn_near *near, cairn_pose2 odom_T_base, double within_m, near_points *ret_points)
{
    const cairn_surroundings *around = &near->around;
    const float c = (float)cos(odom_T_base.yaw_rad), s = (float)sin(odom_T_base.yaw_rad);
    ret_points->count = 0;
    for (uint32_t i = 0; i < around->point_count; i++) {
        const float dx = around->x_m[i] - (float)odom_T_base.x_m, dy = around->y_m[i] - (float)odom_T_base.y_m;
        const float x = c * dx + s * dy, y = c * dy - s * dx, gap = gap_of(near, x, y);
        if (gap > (float)within_m) { continue; }
        ret_points->x_m[ret_points->count] = x;
        ret_points->y_m[ret_points->count] = y;
        ret_points->kept_m[ret_points->count++] = fminf(gap - (float)NEARER_M, (float)MARGIN_M);
    }
}

// What a motion is tried against.
typedef struct near_sight {
    const cairn_near *near;
    near_points points;
} near_sight;

static bool meets(const void *place, cairn_pose2 at)
{
    const near_sight *sight = place;
    const cairn_near *near = sight->near;
    const near_points *points = &sight->points;
    const float c = (float)cos(at.yaw_rad), s = (float)sin(at.yaw_rad);
    int met = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const float dx = points->x_m[i] - (float)at.x_m, dy = points->y_m[i] - (float)at.y_m;
        met |= gap_of(near, c * dx + s * dy, c * dy - s * dx) < points->kept_m[i];
    }
    return met != 0;
}

static cairn_braking braking_of(const cairn_near *near)
{
    return (cairn_braking){.limits = &near->body->limits,
                           .reaction_s = near->reaction_s,
                           .corner_m = 0.5 * hypot(near->body->length_m, near->body->width_m)};
}

// The part of the motion that can still be stopped before anything is met.
static double part_of(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion motion)
{
    const cairn_braking braking = braking_of(near);
    near_sight sight;
    sight.near = near;
    const double way_m = cairn_braking_corner_mps(&braking, motion) * cairn_braking_until_s(&braking, motion);
    gather(near, odom_T_base, way_m + MARGIN_M, &sight.points);
    return sight.points.count == 0 ? 1.0 : cairn_braking_part(&braking, motion, meets, &sight);
}

static bool is_blind(const cairn_near *near, cairn_mono now)
{
    return !near->around.seen || cairn_mono_since(now, near->around.scanned) > CAIRN_SCAN_AGE_NS_MAX;
}

// What the eyes allow, before any point.
static double sighted_part(const cairn_near *near, cairn_motion wanted, cairn_mono now)
{
    const cairn_braking braking = braking_of(near);
    const double corner = cairn_braking_corner_mps(&braking, wanted);
    if (!near->around.laser_offered) { return fmin(1.0, CAIRN_UNSIGHTED_MPS / fmax(corner, 1e-9)); }
    if (is_blind(near, now)) { return 0.0; }
    const double back_mps = near->sees_behind ? 0.0 : -wanted.forward_mps;
    return back_mps > CAIRN_UNSIGHTED_MPS ? CAIRN_UNSIGHTED_MPS / back_mps : 1.0;
}

cairn_motion_limit cairn_near_judge(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion wanted,
                                    cairn_motion moves, cairn_mono now)
{
    CAIRN_ASSERT(near->body != NULL && near->reaction_s > 0.0);
    CAIRN_ASSERT(isfinite(wanted.forward_mps) && isfinite(wanted.turn_radps));
    const cairn_motion motion = cairn_braking_motion(wanted, moves);
    double part = sighted_part(near, wanted, now);
    if (part > 0.0 && near->around.point_count > 0) { part = fmin(part, part_of(near, odom_T_base, motion)); }
    return cairn_braking_limit(motion, part, wanted, (cairn_motion){CAIRN_CREEP_MPS, CAIRN_CREEP_RADPS});
}
