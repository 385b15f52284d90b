#include "robot/behaviour/follow_path.h"
#include <math.h>

// [m] Distance of the point that is pursued. Larger: smoother; cuts corners more.
#define LOOKAHEAD_M 0.4
// [rad] Beyond the first the robot turns in place, until within the second.
#define TURN_BEGIN_RAD 0.87
#define TURN_END_RAD 0.3
// [rad/s per rad] of turning in place, and its bounds: a skidding robot does not turn evenly below the lower.
#define TURN_GAIN_PER_S 2.5
#define TURN_RADPS_MIN 0.15
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

static double distance_to(const cairn_path *path, uint32_t i, cairn_vec2 from)
{
    return cairn_vec2_distance(path->points_m[i], from);
}

// The nearest point of a path that has just come; the earliest of those that are about as near.
static uint32_t nearest_of(const cairn_path *path, cairn_vec2 from)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < path->point_count; i++) {
        if (distance_to(path, i, from) < distance_to(path, best, from) - 0.02) { best = i; }
    }
    return best;
}

static void begin(cairn_follow_path *follow, const cairn_path *path, cairn_vec2 from)
{
    const uint32_t last = path->point_count - 1;
    const bool stays = follow->at_end && distance_to(path, last, from) < CAIRN_ARRIVED_M;
    *follow =
        (cairn_follow_path){.issued = path->issued, .under_way = true, .turning = follow->turning, .at_end = stays};
    follow->at = nearest_of(path, from);
}

// Goes on along the path while the next point is nearer.
static void advance(cairn_follow_path *follow, const cairn_path *path, cairn_vec2 from)
{
    while (follow->at + 1 < path->point_count &&
           distance_to(path, follow->at + 1, from) <= distance_to(path, follow->at, from)) {
        follow->at++;
    }
}

// The point on the path, from `at` on, where it leaves the circle of the lookahead; its end if it does not.
static cairn_vec2 pursued_point(const cairn_path *path, uint32_t at, cairn_vec2 from)
{
    for (uint32_t i = at; i < path->point_count; i++) {
        const double outer = distance_to(path, i, from);
        if (outer < LOOKAHEAD_M) { continue; }
        if (i == at) { return path->points_m[i]; }
        const double inner = distance_to(path, i - 1, from);
        const double part = outer > inner ? fmin(fmax((LOOKAHEAD_M - inner) / (outer - inner), 0.0), 1.0) : 1.0;
        const cairn_vec2 step = cairn_vec2_sub(path->points_m[i], path->points_m[i - 1]);
        return cairn_vec2_add(path->points_m[i - 1], cairn_vec2_scale(step, part));
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
    const cairn_pose2 pose = situation->reflex->odom_T_base;
    const cairn_vec2 target = pursued_point(path, follow->at, cairn_pose2_at(pose));
    const cairn_vec2 ahead = cairn_pose2_apply(cairn_pose2_inverse(pose), target);
    const double error = atan2(ahead.y, ahead.x);
    follow->turning = fabs(error) > (follow->turning ? TURN_END_RAD : TURN_BEGIN_RAD);
    if (follow->turning) { return turn_in_place(error, &situation->body->limits); }
    return pursue(ahead, left_m, path, &situation->body->limits);
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

    const uint32_t last = path->point_count - 1;
    const double left_m = distance_to(path, last, from);
    const bool on_last_stretch = follow->at + 1 >= last || follow->at_end;
    follow->at_end = on_last_stretch && left_m < (follow->at_end ? LEFT_END_M : END_M);
    if (follow->at_end) { return cairn_vote_for(face(follow, situation), 1.0); }
    follow->arrived = false;
    return cairn_vote_for(go(follow, situation, left_m), 1.0);
}
