#include "robot/behaviour/follow_path.h"
#include <math.h>

// [m] Distance of the point that is pursued. Larger: smoother; cuts corners more.
#define LOOKAHEAD_M 0.4
#define LOOKAHEAD_S 0.6 // and no less than the way of so long: shorter swings at speed, longer cuts corners
// [rad] Beyond the first the robot turns in place, until within the second.
#define TURN_BEGIN_RAD 0.87
#define TURN_END_RAD 0.3
// [rad/s per rad] of turning in place, and its bounds: a skidding robot does not turn evenly below the lower.
#define TURN_GAIN_PER_S 2.5
#define TURN_RADPS_MIN 0.25
#define TURN_RADPS_MAX 1.2
// [-] Part of the greatest turn that a curve may use: the rest is for corrections.
#define CURVE_PART 0.6
// [m/s] Slowest approach to the end.
#define END_MPS 0.06
// [-] Part of the body's deceleration used before the end.
#define END_BRAKE_PART 0.5
// [m] Driven away from an end that was reached (pushed, or stepped aside): go there again.
#define LEFT_END_M 0.25
#define END_M 0.08 // stop here, so as to be well within CAIRN_ARRIVED_M

void cairn_follow_path_init(cairn_follow_path *follow) { *follow = (cairn_follow_path){0}; }

static uint32_t segment_count(const cairn_path *path) { return path->point_count > 1 ? path->point_count - 1 : 1; }

// The place on a segment of the path that is nearest. A path of one point has one segment without length.
static cairn_vec2 nearest_on(const cairn_path *path, uint32_t segment, cairn_vec2 from)
{
    const cairn_vec2 begin = path->points_m[segment];
    if (segment + 1 >= path->point_count) { return begin; }
    const cairn_vec2 along = cairn_vec2_sub(path->points_m[segment + 1], begin);
    const double square = cairn_vec2_dot(along, along);
    if (square == 0.0) { return begin; }
    const double part = cairn_vec2_dot(cairn_vec2_sub(from, begin), along) / square;
    return cairn_vec2_add(begin, cairn_vec2_scale(along, fmin(fmax(part, 0.0), 1.0)));
}

static double distance_to(const cairn_path *path, uint32_t segment, cairn_vec2 from)
{
    return cairn_vec2_distance(nearest_on(path, segment, from), from);
}

// The nearest segment of a path that has just come; the earliest of those that are about as near.
static uint32_t nearest_of(const cairn_path *path, cairn_vec2 from)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < segment_count(path); i++) {
        if (distance_to(path, i, from) < distance_to(path, best, from) - 0.02) { best = i; }
    }
    return best;
}

static double way_left_m(const cairn_path *path, cairn_vec2 from)
{
    return cairn_vec2_distance(path->points_m[path->point_count - 1], from);
}

static void begin(cairn_follow_path *follow, const cairn_path *path, cairn_vec2 from)
{
    const bool stays = follow->at_end && way_left_m(path, from) < CAIRN_ARRIVED_M;
    *follow =
        (cairn_follow_path){.issued = path->issued, .under_way = true, .turning = follow->turning, .at_end = stays};
    follow->segment = nearest_of(path, from);
}

// Goes on along the path while the next segment is as near.
static void advance(cairn_follow_path *follow, const cairn_path *path, cairn_vec2 from)
{
    while (follow->segment + 1 < segment_count(path) &&
           distance_to(path, follow->segment + 1, from) <= distance_to(path, follow->segment, from)) {
        follow->segment++;
    }
}

// The point where the path, from the nearest place on, leaves the circle of the lookahead; its end if it does not.
static cairn_vec2 pursued_point(const cairn_path *path, uint32_t segment, cairn_vec2 from, double lookahead_m)
{
    cairn_vec2 near = nearest_on(path, segment, from);
    for (uint32_t i = segment + 1; i < path->point_count; i++) {
        const cairn_vec2 far = path->points_m[i];
        const double inner = cairn_vec2_distance(near, from), outer = cairn_vec2_distance(far, from);
        if (inner >= lookahead_m) { return near; }
        if (outer >= lookahead_m) {
            const double part = (lookahead_m - inner) / (outer - inner);
            return cairn_vec2_add(near, cairn_vec2_scale(cairn_vec2_sub(far, near), part));
        }
        near = far;
    }
    return path->points_m[path->point_count - 1];
}

static cairn_motion turn_in_place(double error_rad, const cairn_body_limits *limits)
{
    const double fastest = fmin(TURN_RADPS_MAX, limits->turn_radps_max);
    const double radps = fmin(fmax(TURN_GAIN_PER_S * fabs(error_rad), TURN_RADPS_MIN), fastest);
    return (cairn_motion){0.0, copysign(radps, error_rad)};
}

// On the arc through a point of the base frame, no faster than the curve and the way left allow.
static cairn_motion pursue(cairn_vec2 ahead, double left_m, const cairn_path *path, const cairn_body_limits *limits)
{
    const double curvature = 2.0 * ahead.y / fmax(ahead.x * ahead.x + ahead.y * ahead.y, 0.01);
    double mps = fmin(path->speed_mps_max, limits->speed_mps_max);
    if (curvature != 0.0) { mps = fmin(mps, CURVE_PART * limits->turn_radps_max / fabs(curvature)); }
    mps = fmin(mps, fmax(END_MPS, sqrt(2.0 * END_BRAKE_PART * limits->accel_mps2_max * left_m)));
    const double turn = fmin(fmax(mps * curvature, -limits->turn_radps_max), limits->turn_radps_max);
    return (cairn_motion){mps, turn};
}

// At the end only the heading is left, where one is asked for.
static cairn_motion face(cairn_follow_path *follow, const cairn_situation *situation)
{
    const cairn_path *path = situation->path;
    const double error = cairn_angle_between(situation->reflex->odom_T_base.yaw_rad, path->end_yaw_rad);
    const double tolerance = follow->arrived ? CAIRN_ARRIVED_RAD : 0.5 * CAIRN_ARRIVED_RAD;
    follow->arrived = !path->face_at_end || fabs(error) < tolerance;
    return follow->arrived ? (cairn_motion){0} : turn_in_place(error, &situation->body->limits);
}

static cairn_motion go(cairn_follow_path *follow, const cairn_situation *situation, double left_m)
{
    const cairn_path *path = situation->path;
    cairn_pose2 pose = situation->reflex->odom_T_base;
    if (path->backwards) { pose.yaw_rad = cairn_angle_wrap(pose.yaw_rad + CAIRN_PI); } // as if the rear were the front
    const double mps = situation->reflex->forward_mps;
    const double lookahead_m = fmax(LOOKAHEAD_M, isfinite(mps) ? LOOKAHEAD_S * fabs(mps) : 0.0);
    const cairn_vec2 target = pursued_point(path, follow->segment, cairn_pose2_at(pose), lookahead_m);
    const cairn_vec2 ahead = cairn_pose2_apply(cairn_pose2_inverse(pose), target);
    const double error = atan2(ahead.y, ahead.x);
    follow->turning = fabs(error) > (follow->turning ? TURN_END_RAD : TURN_BEGIN_RAD);
    if (follow->turning) { return turn_in_place(error, &situation->body->limits); }
    cairn_motion motion = pursue(ahead, left_m, path, &situation->body->limits);
    if (path->backwards) { motion.forward_mps = -motion.forward_mps; }
    return motion;
}

cairn_vote cairn_follow_path_step(cairn_follow_path *follow, const cairn_situation *situation)
{
    const cairn_path *path = situation->path;
    if (path == NULL || path->point_count == 0) {
        cairn_follow_path_init(follow);
        return cairn_vote_for((cairn_motion){0}, 1.0);
    }
    const cairn_vec2 from = cairn_pose2_at(situation->reflex->odom_T_base);
    if (!follow->under_way || follow->issued.ns != path->issued.ns) { begin(follow, path, from); }
    advance(follow, path, from);
    follow->at = follow->segment + 1 < path->point_count ? follow->segment + 1 : follow->segment;

    const double left_m = way_left_m(path, from);
    const bool on_last_stretch = follow->segment + 1 >= segment_count(path) || follow->at_end;
    follow->at_end = on_last_stretch && left_m < (follow->at_end ? LEFT_END_M : END_M);
    if (follow->at_end) { return cairn_vote_for(face(follow, situation), 1.0); }
    follow->arrived = false;
    return cairn_vote_for(go(follow, situation, left_m), 1.0);
}
