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
// [s] The same of a range imager. Where avoidance works it is the earlier one up to this.
#define LOW_REACTION_S_MAX 0.30
// [-] Of the brakes so much is not counted on for each unit of slip_noise, but no less than the second figure is: more
// than avoidance counts on. Larger: brakes earlier where counts are bad.
#define SLIP_BRAKES 3.0
#define BRAKE_PART_MIN 0.6
// [m/s], [-] Seen to go so much faster than it may, it runs; not beyond so many times what it can. Smaller: stands
// where a match is a little off.
#define RUNS_MPS 0.15
#define RUNS_FACTOR 2.5
#define SEEN_AGE_NS_MAX CAIRN_MS(300)
// [rad] A laser that looks over more than this sees behind.
#define ALL_AROUND_RAD 6.1

void cairn_near_init(cairn_near *near, const cairn_body_description *body)
{
    CAIRN_ASSERT(body->limits.accel_mps2_max > 0.0 && body->limits.turn_accel_radps2_max > 0.0);
    near->body = body;
    near->version = 0;
    cairn_surroundings_init(&near->around, body);
    cairn_low_init(&near->low, body);
    near->sees_behind = body->laser.offered && body->laser.field_rad > ALL_AROUND_RAD;
    near->limits = body->limits;
    const double brakes = fmax(1.0 - SLIP_BRAKES * body->encoders.slip_noise, BRAKE_PART_MIN);
    near->limits.accel_mps2_max *= brakes;
    near->limits.turn_accel_radps2_max *= brakes;
    const double scan_s = body->laser.rate_hz > 0.0 ? 1.0 / body->laser.rate_hz : 0.0;
    const double picture_s = body->range_imager.rate_hz > 0.0 ? 1.0 / body->range_imager.rate_hz : 0.0;
    const double wheels_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS) + CAIRN_BRAKING_WHEELS_S;
    near->reaction_s = fmin(scan_s + body->laser.delay_s + wheels_s, REACTION_S_MAX);
    near->low_reaction_s = fmin(picture_s + body->range_imager.delay_s + wheels_s, LOW_REACTION_S_MAX);
}

void cairn_near_look(cairn_near *near, cairn_cell *scans, cairn_cell *pictures, const cairn_reflex_state *state,
                     cairn_mono now)
{
    cairn_low_look(&near->low, pictures, state, now);
    if (scans == NULL) { return; }
    uint64_t version = 0;
    const cairn_scan_frame *scan = cairn_cell_latest(scans, &version);
    if (scan == NULL || version == near->version) { return; }
    near->version = version;
    cairn_surroundings_look(&near->around, state, scan, NULL, now);
}

#define POINTS_MAX CAIRN_AROUND_POINTS_MAX
_Static_assert(CAIRN_LOW_POINTS_MAX <= POINTS_MAX, "room for what the range imager sees");

// The points that can be met at all, in base, with their distance to the hull now.
typedef struct near_points {
    uint32_t count;
    float x_m[POINTS_MAX], y_m[POINTS_MAX], kept_m[POINTS_MAX];
} near_points;

static float gap_of(const cairn_near *near, float x, float y)
{
    const float gap_x = fabsf(x) - (float)near->around.half_length_m;
    const float gap_y = fabsf(y) - (float)near->around.half_width_m;
    return gap_x > gap_y ? gap_x : gap_y;
}

// Points are gathered for a pose, as far as they can be met.
typedef struct gathering {
    const cairn_near *near;
    float at_x, at_y, c, s, within_m;
} gathering;

static void gather(const gathering *by, float odom_x, float odom_y, near_points *points)
{
    const float dx = odom_x - by->at_x, dy = odom_y - by->at_y;
    const float x = by->c * dx + by->s * dy, y = by->c * dy - by->s * dx, gap = gap_of(by->near, x, y);
    if (gap > by->within_m) { return; }
    points->x_m[points->count] = x;
    points->y_m[points->count] = y;
    points->kept_m[points->count++] = fminf(gap - (float)NEARER_M, (float)MARGIN_M);
}

static gathering begin_gathering(const cairn_near *near, cairn_pose2 odom_T_base, double within_m)
{
    return (gathering){.near = near,
                       .at_x = (float)odom_T_base.x_m,
                       .at_y = (float)odom_T_base.y_m,
                       .c = (float)cos(odom_T_base.yaw_rad),
                       .s = (float)sin(odom_T_base.yaw_rad),
                       .within_m = (float)within_m};
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

static cairn_braking braking_of(const cairn_near *near, double reaction_s)
{
    return (cairn_braking){.limits = &near->limits,
                           .reaction_s = reaction_s,
                           .corner_m = 0.5 * hypot(near->body->length_m, near->body->width_m)};
}

// What a motion can meet.
typedef enum near_kind {
    NEAR_SCANNED, // what the laser sees
    NEAR_HIGH,    // what the range imager sees
    NEAR_LOW      // of which the robot may climb this
} near_kind;

// The part of the motion that can still be stopped before anything of a kind is met.
static double part_of(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion motion, near_kind kind)
{
    const bool scanned = kind == NEAR_SCANNED;
    const uint32_t count = scanned ? near->around.point_count : near->low.point_count;
    if (count == 0) { return 1.0; }
    const cairn_braking braking = braking_of(near, scanned ? near->reaction_s : near->low_reaction_s);
    near_sight sight;
    sight.near = near;
    sight.points.count = 0;
    const double way_m = cairn_braking_corner_mps(&braking, motion) * cairn_braking_until_s(&braking, motion);
    const gathering by = begin_gathering(near, odom_T_base, way_m + MARGIN_M);
    for (uint32_t i = 0; i < count; i++) {
        if (scanned) {
            gather(&by, near->around.x_m[i], near->around.y_m[i], &sight.points);
        } else if (near->low.points[i].high == (kind == NEAR_HIGH)) {
            gather(&by, near->low.points[i].x_m, near->low.points[i].y_m, &sight.points);
        }
    }
    return sight.points.count == 0 ? 1.0 : cairn_braking_part(&braking, motion, meets, &sight);
}

static bool is_blind(const cairn_near *near, cairn_mono now)
{
    return !near->around.seen || cairn_mono_since(now, near->around.scanned) > CAIRN_SCAN_AGE_NS_MAX;
}

// What the eyes allow, before any point.
static double sighted_part(const cairn_near *near, cairn_motion wanted, cairn_mono now)
{
    const cairn_braking braking = braking_of(near, near->reaction_s);
    const double corner = cairn_braking_corner_mps(&braking, wanted);
    if (!near->around.laser_offered) { return fmin(1.0, CAIRN_UNSIGHTED_MPS / fmax(corner, 1e-9)); }
    if (is_blind(near, now)) { return 0.0; }
    const double back_mps = near->sees_behind ? 0.0 : -wanted.forward_mps;
    return back_mps > CAIRN_UNSIGHTED_MPS ? CAIRN_UNSIGHTED_MPS / back_mps : 1.0;
}

// What mind saw was a while ago: it may have braked since. Faster than robots go, sight is wrong.
static bool is_seen_to_run(const cairn_near *near, cairn_motion wanted, const cairn_motion_limit *limit,
                           const cairn_seen_motion *saw, cairn_mono now)
{
    if (saw == NULL) { return false; }
    const int64_t age_ns = cairn_mono_since(now, saw->at);
    if (age_ns < -CAIRN_CLOCK_SLACK_NS || age_ns > SEEN_AGE_NS_MAX) { return false; }
    const double ahead_mps = saw->forward_mps * (wanted.forward_mps < 0.0 ? -1.0 : 1.0);
    const double braked_mps = near->body->limits.accel_mps2_max * cairn_seconds(age_ns);
    return ahead_mps - braked_mps > limit->forward_mps_max + RUNS_MPS && // false for NaN
           ahead_mps < RUNS_FACTOR * near->body->limits.speed_mps_max;
}

cairn_motion_limit cairn_near_judge(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion wanted,
                                    cairn_motion moves, const cairn_seen_motion *saw, cairn_mono now)
{
    CAIRN_ASSERT(near->body != NULL && near->reaction_s > 0.0);
    CAIRN_ASSERT(isfinite(wanted.forward_mps) && isfinite(wanted.turn_radps));
    const cairn_motion motion = cairn_braking_motion(wanted, moves);
    double part = sighted_part(near, wanted, now);
    if (part > 0.0) { part = fmin(part, part_of(near, odom_T_base, motion, NEAR_SCANNED)); }
    if (part > 0.0) { part = fmin(part, part_of(near, odom_T_base, motion, NEAR_HIGH)); }
    cairn_motion_limit limit =
        cairn_braking_limit(motion, part, wanted, (cairn_motion){CAIRN_CREEP_MPS, CAIRN_CREEP_RADPS});
    const double climbs = part_of(near, odom_T_base, motion, NEAR_LOW);
    const cairn_motion_limit over =
        cairn_braking_limit(motion, climbs, wanted, (cairn_motion){CAIRN_CLIMB_MPS, CAIRN_CREEP_RADPS});
    limit.acts = limit.acts || over.acts;
    limit.forward_mps_max = fmin(limit.forward_mps_max, over.forward_mps_max);
    limit.turn_radps_max = fmin(limit.turn_radps_max, over.turn_radps_max);
    if (limit.acts && is_seen_to_run(near, wanted, &limit, saw, now)) {
        limit.forward_mps_max = limit.turn_radps_max = 0.0;
    }
    return limit;
}
