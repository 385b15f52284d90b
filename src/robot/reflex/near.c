// A motion that is slowed by the part p along its own arc goes, until it stands, as far as the whole motion goes in
// p t + p^2 T / 2, where t is the reaction time and T what the whole motion takes to brake. So the arc is followed
// once, in time, to where the first point is met, and the equation is solved for p.
#include "robot/reflex/near.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// [m] Margin around the hull. Below avoidance's, so that this guard stays still where that works. Larger: what is seen
// a little off is still kept clear of.
#define MARGIN_M 0.01
// [m] A point inside the margin already may not come nearer by more than this.
#define NEARER_M 0.0002
// [s] From a speed that is told to the wheels' having it. Larger: brakes earlier.
#define WHEELS_S 0.03
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
    const double reaction_s = scan_s + body->laser.delay_s + cairn_seconds(CAIRN_REFLEX_PERIOD_NS) + WHEELS_S;
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

static double corner_m(const cairn_body_description *body) { return 0.5 * hypot(body->length_m, body->width_m); }

static double corner_mps(const cairn_near *near, cairn_motion motion)
{
    return fabs(motion.forward_mps) + fabs(motion.turn_radps) * corner_m(near->body);
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

static bool meets(const cairn_near *near, const near_points *points, cairn_pose2 at)
{
    const float c = (float)cos(at.yaw_rad), s = (float)sin(at.yaw_rad);
    int met = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const float dx = points->x_m[i] - (float)at.x_m, dy = points->y_m[i] - (float)at.y_m;
        met |= gap_of(near, c * dx + s * dy, c * dy - s * dx) < points->kept_m[i];
    }
    return met != 0;
}

// Where a motion leads in so many seconds, as seen from base now.
static cairn_pose2 pose_after(cairn_motion motion, double seconds)
{
    const double turned = motion.turn_radps * seconds, way = motion.forward_mps * seconds;
    return (cairn_pose2){way * cos(0.5 * turned), way * sin(0.5 * turned), turned};
}

// For how long the motion can be kept before something is met; `until_s` if nothing is by then.
static double free_s(const cairn_near *near, const near_points *points, cairn_motion motion, double until_s)
{
    if (points->count == 0) { return until_s; }
    for (int i = 1; i <= CAIRN_NEAR_POSES; i++) {
        if (meets(near, points, pose_after(motion, until_s * i / CAIRN_NEAR_POSES))) {
            return until_s * (i - 1) / CAIRN_NEAR_POSES;
        }
    }
    return until_s;
}

static double brake_s(const cairn_body_limits *limits, cairn_motion motion)
{
    return fmax(fabs(motion.forward_mps) / limits->accel_mps2_max,
                fabs(motion.turn_radps) / limits->turn_accel_radps2_max);
}

// A robot that goes faster than it is told brakes from what it does.
static cairn_motion faster_of(cairn_motion wanted, cairn_motion moves)
{
    const double forward = isfinite(moves.forward_mps) ? moves.forward_mps : 0.0;
    const double turn = isfinite(moves.turn_radps) ? moves.turn_radps : 0.0;
    const bool on = forward * wanted.forward_mps > 0.0 && fabs(forward) > fabs(wanted.forward_mps);
    const bool round = turn * wanted.turn_radps > 0.0 && fabs(turn) > fabs(wanted.turn_radps);
    return (cairn_motion){on ? forward : wanted.forward_mps, round ? turn : wanted.turn_radps};
}

// The part of the motion that can still be stopped before anything is met.
static double part_of(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion motion)
{
    const double t = near->reaction_s, brake = brake_s(&near->body->limits, motion), until_s = t + 0.5 * brake;
    near_points points;
    gather(near, odom_T_base, corner_mps(near, motion) * until_s + MARGIN_M, &points);
    const double left_s = free_s(near, &points, motion, until_s);
    if (left_s >= until_s) { return 1.0; }
    if (brake <= 0.0) { return left_s / t; }
    return fmin((sqrt(t * t + 2.0 * brake * left_s) - t) / brake, 1.0);
}

static bool is_blind(const cairn_near *near, cairn_mono now)
{
    return !near->around.seen || cairn_mono_since(now, near->around.scanned) > CAIRN_SCAN_AGE_NS_MAX;
}

// What the eyes allow, before any point.
static double sighted_part(const cairn_near *near, cairn_motion wanted, cairn_mono now)
{
    const double corner = corner_mps(near, wanted);
    if (!near->around.laser_offered) { return fmin(1.0, CAIRN_UNSIGHTED_MPS / fmax(corner, 1e-9)); }
    if (is_blind(near, now)) { return 0.0; }
    const double back_mps = near->sees_behind ? 0.0 : -wanted.forward_mps;
    return back_mps > CAIRN_UNSIGHTED_MPS ? CAIRN_UNSIGHTED_MPS / back_mps : 1.0;
}

cairn_near_limit cairn_near_judge(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion wanted,
                                  cairn_motion moves, cairn_mono now)
{
    CAIRN_ASSERT(near->body != NULL && near->reaction_s > 0.0);
    CAIRN_ASSERT(isfinite(wanted.forward_mps) && isfinite(wanted.turn_radps));
    const cairn_motion motion = faster_of(wanted, moves);
    double part = sighted_part(near, wanted, now);
    if (part > 0.0 && near->around.point_count > 0) { part = fmin(part, part_of(near, odom_T_base, motion)); }
    cairn_near_limit limit = {
        .forward_mps_max = fmax(part * fabs(motion.forward_mps), CAIRN_CREEP_MPS),
        .turn_radps_max = fmax(part * fabs(motion.turn_radps), CAIRN_CREEP_RADPS),
    };
    limit.acts = part < 1.0 && (fabs(wanted.forward_mps) > limit.forward_mps_max + 1e-6 ||
                                fabs(wanted.turn_radps) > limit.turn_radps_max + 1e-6);
    return limit;
}
