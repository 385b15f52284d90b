// The search is over one number, the part of the wish that is kept. A fan of arcs (dynamic window) was dropped: it
// chooses where to go, which is the path's business, and costs ten times as much.
#include "robot/behaviour/avoid.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// [s] From a vote to its effect on the wheels and the next vote. Larger: slower near walls.
#define REACTION_S 0.12
// [-] Part of the body's deceleration that is counted on. Half: two robots that drive at each other, each seeing
// the other as standing, then brake together with no more than what they have.
#define BRAKE_PART 0.5
// [m] Margin around the hull while corners move slower than SLOW_MPS, and what is added up to FAST_MPS. Larger:
// fewer touches, and narrow gaps that the robot would fit through stay shut.
#define MARGIN_M 0.03
#define MARGIN_FAST_M 0.03
#define SLOW_MPS 0.25
#define FAST_MPS 0.55
// [m] A point inside the margin already may not come nearer by more than this in one trial: the grain of the
// arithmetic.
#define NEARER_M 0.0002
#define TRIAL_POSES 16
#define SEARCH_STEPS 4
// Points of the outline of what must carry that are looked at, along its length and across.
#define OUTLINE_ALONG 6
#define OUTLINE_ACROSS 5
#define ARC_PARTS 4
#define ARC_RADPS 0.1 // slower turns are as good as straight on
#define INSIDE_M 1e-4 // the grain of the arithmetic
// An operator may creep into contact, but not to where the ground was not seen.
#define CREEP_MPS 0.08
#define CREEP_RADPS 0.2
// [m/s] Backward, where only memory sees; and anywhere without a laser.
#define UNSEEN_MPS_MAX 0.2
// [rad] So far ahead of a turn the corners' ground is looked at, at so many places. Larger: slows sooner, and more
// often.
#define SWING_RAD 0.4
#define SWING_PARTS 4
// [m/s] With no room beside it, and [s] for each metre of room: larger is slower in rooms and faster in none.
#define NARROW_MPS 0.5
#define ROOM_S 1.5
#define SLOPE_RAD                                                                                                      \
    0.07 // leaning farther, it goes as if it had no room: over a crest it sees the floor late, and wheels slip
// Side steps: tried when less than this part of the wish is left, kept for this long.
#define ASIDE_PART 0.15
#define ASIDE_NS CAIRN_MS(600)
#define ASIDE_WEIGHT 1000.0 // [-] outvotes all others together
// Centring: walls nearer than this on both sides turn the robot towards the middle, by so much for each metre.
#define PASSAGE_M 0.35
#define CENTRE_RADPS_PER_M 0.8
#define CENTRE_MPS 0.3 // speed at which centring is in full

// The points that matter to this step, in base, with their distance to the hull now.
typedef struct near_points {
    uint32_t count;
    float x_m[CAIRN_AROUND_POINTS_MAX], y_m[CAIRN_AROUND_POINTS_MAX], gap_m[CAIRN_AROUND_POINTS_MAX];
    float left_m, right_m; // nearest beside the hull, at most PASSAGE_M
    float half_length_m, half_width_m;
} near_points;

void cairn_avoid_init(cairn_avoid *avoid) { *avoid = (cairn_avoid){.clearance_m = INFINITY}; }

// The speed of the hull's fastest corner.
static double corner_mps(cairn_motion motion, const cairn_body_description *body)
{
    const double corner_m = 0.5 * sqrt(body->length_m * body->length_m + body->width_m * body->width_m);
    return fabs(motion.forward_mps) + fabs(motion.turn_radps) * corner_m;
}

static double known_or_zero(double value) { return isfinite(value) ? value : 0.0; }

static cairn_motion measured(const cairn_situation *situation)
{
    return (cairn_motion){known_or_zero(situation->reflex->forward_mps), known_or_zero(situation->reflex->turn_radps)};
}

// Notes the nearest point on each side of the hull.
static void note_side(near_points *near, float x, float y)
{
    if (fabsf(x) > near->half_length_m + 0.15f) { return; }
    const float gap = fabsf(y) - near->half_width_m;
    float *side = y > 0.0f ? &near->left_m : &near->right_m;
    if (gap < *side) { *side = gap > 0.0f ? gap : 0.0f; }
}

// How far a corner can get until it stands, at this speed.
static double reach_m(double mps, const cairn_body_description *body)
{
    const double decel = BRAKE_PART * body->limits.accel_mps2_max;
    return mps * REACTION_S + 0.5 * mps * mps / decel + MARGIN_M + MARGIN_FAST_M;
}

static void gather(const cairn_situation *situation, double within_m, near_points *near, double *ret_clearance_m)
{
    const cairn_surroundings *around = situation->around;
    const cairn_pose2 pose = situation->reflex->odom_T_base;
    const float c = (float)cos(pose.yaw_rad), s = (float)sin(pose.yaw_rad);
    const float at_x = (float)pose.x_m, at_y = (float)pose.y_m;
    near->count = 0;
    near->left_m = near->right_m = (float)PASSAGE_M;
    near->half_length_m = (float)(0.5 * situation->body->length_m);
    near->half_width_m = (float)(0.5 * situation->body->width_m);
    const float within = (float)fmax(within_m, PASSAGE_M);
    float nearest = INFINITY;
    for (uint32_t i = 0; i < around->point_count; i++) {
        const float dx = around->x_m[i] - at_x, dy = around->y_m[i] - at_y;
        const float x = c * dx + s * dy, y = c * dy - s * dx;
        // along the nearer axis; negative inside
        const float gap_x = fabsf(x) - near->half_length_m, gap_y = fabsf(y) - near->half_width_m;
        const float gap = gap_x > gap_y ? gap_x : gap_y;
        if (gap < nearest) { nearest = gap; }
        if (gap > within) { continue; }
        note_side(near, x, y);
        near->x_m[near->count] = x;
        near->y_m[near->count] = y;
        near->gap_m[near->count++] = gap;
    }
    *ret_clearance_m = nearest;
}

// Where a trial has got to: the robot's place and direction as seen from its present base.
typedef struct trial_pose {
    double x_m, y_m, cos_yaw, sin_yaw;
} trial_pose;

// Whether the hull at this pose keeps its margin to all points; to those inside it already, their present gap.
static bool keeps_clear(const near_points *near, const trial_pose *pose, float margin)
{
    const float c = (float)pose->cos_yaw, s = (float)pose->sin_yaw;
    const float at_x = (float)pose->x_m, at_y = (float)pose->y_m;
    const float half_length = near->half_length_m, half_width = near->half_width_m;
    int too_near = 0;
    for (uint32_t i = 0; i < near->count; i++) {
        const float dx = near->x_m[i] - at_x, dy = near->y_m[i] - at_y;
        const float gap_x = fabsf(c * dx + s * dy) - half_length, gap_y = fabsf(c * dy - s * dx) - half_width;
        const float gap = gap_x > gap_y ? gap_x : gap_y;
        const float held = near->gap_m[i] - (float)NEARER_M;
        const float floor_m = held < margin ? held : margin;
        too_near |= gap < floor_m;
    }
    return too_near == 0;
}

// Moves on by half the turn, the way, and the other half. Turns of a step are below 0.3 rad: a short series will do.
static void move_on(trial_pose *pose, cairn_motion motion, double dt_s)
{
    const double half = 0.5 * motion.turn_radps * dt_s, square = half * half;
    const double c = 1.0 - square * (0.5 - square / 24.0), s = half * (1.0 - square / 6.0);
    const double middle_cos = pose->cos_yaw * c - pose->sin_yaw * s, middle_sin = pose->sin_yaw * c + pose->cos_yaw * s;
    pose->x_m += motion.forward_mps * dt_s * middle_cos;
    pose->y_m += motion.forward_mps * dt_s * middle_sin;
    pose->cos_yaw = middle_cos * c - middle_sin * s;
    pose->sin_yaw = middle_sin * c + middle_cos * s;
}

// A point of the outline, which must carry unless it lies within the outline as the robot stands now.
static bool point_carries(const cairn_situation *situation, cairn_frame2 odom_T_base, const trial_pose *pose,
                          cairn_vec2 point_m, cairn_vec2 half_m)
{
    const cairn_vec2 at_m = {pose->x_m + pose->cos_yaw * point_m.x - pose->sin_yaw * point_m.y,
                             pose->y_m + pose->sin_yaw * point_m.x + pose->cos_yaw * point_m.y};
    if (fabs(at_m.x) < half_m.x + INSIDE_M && fabs(at_m.y) < half_m.y + INSIDE_M) { return true; }
    return cairn_sound_ground_carries(situation->ground, cairn_frame2_apply(odom_T_base, at_m));
}

// Whether a robot that sees the ground has seen all that it would be on at this pose, going so fast.
static bool keeps_to_ground(const cairn_situation *situation, const trial_pose *pose, double forward_mps)
{
    if (!situation->around->sees_ground) { return true; }
    if (situation->ground == NULL) { return false; } // a new mind of a robot that rolls has not been told of any
    const cairn_wheels_description *wheels = &situation->body->wheels;
    const cairn_frame2 base = cairn_frame2_of(situation->reflex->odom_T_base);
    const cairn_vec2 half_m = {0.5 * wheels->wheelbase_m + cairn_ground_ahead_m(forward_mps),
                               0.5 * (wheels->track_m + wheels->width_m) + CAIRN_GROUND_ASIDE_M};
    for (int i = 0; i <= OUTLINE_ACROSS; i++) {
        const double y_m = half_m.y * (2.0 * i / OUTLINE_ACROSS - 1);
        if (!point_carries(situation, base, pose, (cairn_vec2){half_m.x, y_m}, half_m)) { return false; }
        if (!point_carries(situation, base, pose, (cairn_vec2){-half_m.x, y_m}, half_m)) { return false; }
    }
    for (int i = 1; i < OUTLINE_ALONG; i++) {
        const double x_m = half_m.x * (2.0 * i / OUTLINE_ALONG - 1);
        if (!point_carries(situation, base, pose, (cairn_vec2){x_m, half_m.y}, half_m)) { return false; }
        if (!point_carries(situation, base, pose, (cairn_vec2){x_m, -half_m.y}, half_m)) { return false; }
    }
    return true;
}

static float margin_m(double mps)
{
    const double part = fmin(fmax((mps - SLOW_MPS) / (FAST_MPS - SLOW_MPS), 0.0), 1.0);
    return (float)(MARGIN_M + MARGIN_FAST_M * part);
}

// Tries a motion out: there for the reaction time, then braking to a stop.
static bool is_safe(const cairn_situation *situation, const near_points *near, cairn_motion wanted)
{
    if (near->count == 0 && !situation->around->sees_ground) { return true; }
    const cairn_body_description *body = situation->body;
    cairn_body_limits brakes = body->limits;
    brakes.accel_mps2_max *= BRAKE_PART;
    brakes.turn_accel_radps2_max *= BRAKE_PART;
    cairn_motion motion = measured(situation);
    const double fastest = fmax(corner_mps(motion, body), corner_mps(wanted, body));
    const float margin = margin_m(corner_mps(wanted, body));
    const double brake_s = fmax(fmax(fabs(motion.forward_mps), fabs(wanted.forward_mps)) / brakes.accel_mps2_max,
                                fmax(fabs(motion.turn_radps), fabs(wanted.turn_radps)) / brakes.turn_accel_radps2_max);
    const double dt_s = (REACTION_S + brake_s) / TRIAL_POSES;
    if (fastest == 0.0) { return true; }
    trial_pose pose = {.cos_yaw = 1.0};
    for (int i = 0; i < TRIAL_POSES; i++) {
        const bool braking = (i + 0.5) * dt_s > REACTION_S;
        motion = braking ? cairn_motion_ramp(motion, (cairn_motion){0}, &brakes, dt_s)
                         : cairn_motion_ramp(motion, wanted, &body->limits, dt_s);
        move_on(&pose, motion, dt_s);
        if (!keeps_clear(near, &pose, margin) || !keeps_to_ground(situation, &pose, wanted.forward_mps)) {
            return false;
        }
    }
    return true;
}

static cairn_motion scaled(cairn_motion motion, double part)
{
    return (cairn_motion){motion.forward_mps * part, motion.turn_radps * part};
}

// The largest part of the wish, in sixteenths, that is safe; 0 if none is.
static double safe_part(const cairn_situation *situation, const near_points *near, cairn_motion wish)
{
    if (is_safe(situation, near, wish)) { return 1.0; }
    double low = 0.0, high = 1.0;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        const double middle = 0.5 * (low + high);
        if (is_safe(situation, near, scaled(wish, middle))) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Slow motions that may free the robot, the likeliest first; turns are towards the freer side.
#define ASIDE_COUNT 8
static void aside_steps(cairn_motion wish, const near_points *near, cairn_motion ret_steps[ASIDE_COUNT])
{
    const double freer = near->left_m >= near->right_m ? 1.0 : -1.0;
    const double way = wish.forward_mps < 0.0 ? -1.0 : 1.0;
    const double turn = wish.turn_radps < 0.0 ? -1.0 : 1.0;
    const bool turns_only = fabs(wish.forward_mps) < 0.02;
    const cairn_motion for_turning[ASIDE_COUNT] = {{0.1, 0.5 * turn},    {-0.1, 0.5 * turn},  {0.12, 0.15 * turn},
                                                   {-0.12, 0.15 * turn}, {0.12, 0.0},         {-0.12, 0.0},
                                                   {0.0, -0.4 * turn},   {-0.06, -0.2 * turn}};
    const cairn_motion for_going[ASIDE_COUNT] = {
        {0.12 * way, 0.4 * freer}, {0.12 * way, -0.4 * freer}, {0.06 * way, 0.8 * freer}, {0.06 * way, -0.8 * freer},
        {0.0, 0.6 * freer},        {0.0, -0.6 * freer},        {-0.1 * way, 0.0},         {-0.06 * way, 0.3 * freer}};
    for (int i = 0; i < ASIDE_COUNT; i++) { ret_steps[i] = turns_only ? for_turning[i] : for_going[i]; }
}

static bool find_aside(cairn_avoid *avoid, const cairn_situation *situation, const near_points *near)
{
    const bool recent = avoid->stepping_aside && cairn_mono_since(situation->now, avoid->aside_began) < ASIDE_NS;
    if (recent && is_safe(situation, near, avoid->aside)) { return true; }
    cairn_motion steps[ASIDE_COUNT];
    aside_steps(situation->wish, near, steps);
    for (int i = 0; i < ASIDE_COUNT; i++) {
        if (!is_safe(situation, near, steps[i])) { continue; }
        avoid->aside = steps[i];
        avoid->aside_began = situation->now;
        return true;
    }
    return false;
}

// Allows exactly this much in this direction, and standing still.
static cairn_vote allow(cairn_motion motion)
{
    return cairn_vote_limit(fmin(motion.forward_mps, 0.0), fmax(motion.forward_mps, 0.0), fabs(motion.turn_radps));
}

static double centring_radps(const near_points *near, cairn_motion wish)
{
    if (near->left_m >= (float)PASSAGE_M || near->right_m >= (float)PASSAGE_M) { return 0.0; }
    const double part = fmin(fmax(wish.forward_mps / CENTRE_MPS, -1.0), 1.0);
    return CENTRE_RADPS_PER_M * (double)(near->left_m - near->right_m) * part;
}

// Whether it may move at all: it has seen some ground, or nobody expects it to.
static bool may_go(const cairn_situation *situation)
{
    if (!situation->around->sees_ground) { return situation->body->limits.accept_unseen_ground; }
    return situation->ground != NULL;
}

// Whether the corners of the hull, turning on, stay over ground that was seen to carry.
static bool swings_over_seen_ground(const cairn_situation *situation, double turn_radps)
{
    const cairn_frame2 base = cairn_frame2_of(situation->reflex->odom_T_base);
    const double half_x_m = 0.5 * situation->body->length_m, half_y_m = 0.5 * situation->body->width_m;
    for (int i = 0; i < 4 * SWING_PARTS; i++) {
        const int part = 1 + i / 4;
        const double turned_rad = copysign(SWING_RAD * part / SWING_PARTS, turn_radps);
        const cairn_vec2 corner_m = {(i & 1) != 0 ? half_x_m : -half_x_m, (i & 2) != 0 ? half_y_m : -half_y_m};
        const cairn_vec2 at_m = cairn_pose2_apply((cairn_pose2){0, 0, turned_rad}, corner_m);
        if (!cairn_sound_ground_carries(situation->ground, cairn_frame2_apply(base, at_m))) { return false; }
    }
    return true;
}

// A corner may swing into what stands beside or behind the robot, lower than its laser: where nobody has looked, only
// so fast that it does no harm.
static cairn_motion swung_gently(const cairn_situation *situation, cairn_motion wish)
{
    const cairn_body_description *body = situation->body;
    const double corner_m = 0.5 * hypot(body->length_m, body->width_m);
    const double turn_radps_max = UNSEEN_MPS_MAX / corner_m;
    if (!situation->around->sees_ground || situation->ground == NULL || fabs(wish.turn_radps) <= turn_radps_max ||
        swings_over_seen_ground(situation, wish.turn_radps)) {
        return wish;
    }
    return scaled(wish, turn_radps_max / fabs(wish.turn_radps));
}

// What the eyes allow, before any obstacle: nothing when blind, little where only memory sees.
static cairn_motion seen_part(const cairn_situation *situation, cairn_motion wish)
{
    const cairn_surroundings *around = situation->around;
    if (!may_go(situation)) { return (cairn_motion){0}; }
    if (!around->laser_offered) {
        const double mps = corner_mps(wish, situation->body);
        return mps > UNSEEN_MPS_MAX ? scaled(wish, UNSEEN_MPS_MAX / mps) : wish;
    }
    const bool blind = !around->seen || cairn_mono_since(situation->now, around->scanned) > CAIRN_SCAN_AGE_NS_MAX;
    if (blind) { return (cairn_motion){0}; }
    if (wish.forward_mps < -UNSEEN_MPS_MAX) { return scaled(wish, UNSEEN_MPS_MAX / -wish.forward_mps); }
    return wish;
}

// An arc leads beside what eyes that look ahead have seen: of one that does, the turn is kept and the way is shortened,
// so that the robot looks where it wants to go before it goes there.
static cairn_motion turned_first(const cairn_situation *situation, cairn_motion wish)
{
    const near_points nothing = {0};
    for (int part = ARC_PARTS; part > 0 && fabs(wish.turn_radps) > ARC_RADPS; part--) {
        const cairn_motion arc = {wish.forward_mps * part / ARC_PARTS, wish.turn_radps};
        if (is_safe(situation, &nothing, arc)) { return arc; }
    }
    return fabs(wish.turn_radps) > ARC_RADPS ? (cairn_motion){0.0, wish.turn_radps} : wish;
}

// What goes by itself goes no faster than the room beside it allows: a bend, a gust of slip or a wall that the match
// has off by a little cost more at speed.
static cairn_motion in_room(const cairn_situation *situation, cairn_motion wish, double clearance_m)
{
    const double lean_rad = fmax(fabs(situation->reflex->pitch_rad), fabs(situation->reflex->roll_rad));
    const double room_m = lean_rad > SLOPE_RAD ? 0.0 : fmax(clearance_m, 0.0);
    const double mps_max = NARROW_MPS + room_m / ROOM_S, mps = fabs(wish.forward_mps);
    return mps > mps_max ? scaled(wish, mps_max / mps) : wish;
}

// Into whatever stands there, blind or not; but not over an edge, which nothing that is touched tells of.
static cairn_vote creep(const cairn_situation *situation, cairn_motion wish, cairn_motion safe)
{
    const double forward = fmax(fabs(safe.forward_mps), fmin(fabs(wish.forward_mps), CREEP_MPS));
    const double turn = fmax(fabs(safe.turn_radps), fmin(fabs(wish.turn_radps), CREEP_RADPS));
    const cairn_motion crept = {copysign(forward, wish.forward_mps), copysign(turn, wish.turn_radps)};
    const near_points nothing = {0};
    if (may_go(situation) && is_safe(situation, &nothing, crept)) { return allow(crept); }
    return allow(safe);
}

cairn_vote cairn_avoid_step(cairn_avoid *avoid, const cairn_situation *situation)
{
    CAIRN_ASSERT(avoid != NULL && situation->body != NULL && situation->reflex != NULL && situation->around != NULL);
    near_points near;
    const double mps = fmax(corner_mps(situation->wish, situation->body), 0.3);
    gather(situation, reach_m(fmax(mps, corner_mps(measured(situation), situation->body)), situation->body), &near,
           &avoid->clearance_m);

    const bool driven_by_hand = situation->mode == CAIRN_MODE_TELEOPERATED;
    cairn_motion wish = situation->wish;
    const double offset = driven_by_hand ? 0.0 : centring_radps(&near, wish);
    wish.turn_radps += offset;
    if (!driven_by_hand) { wish = in_room(situation, wish, avoid->clearance_m); }
    const cairn_motion seen = swung_gently(situation, turned_first(situation, seen_part(situation, wish)));
    const double part = safe_part(situation, &near, seen);
    const cairn_motion safe = scaled(seen, part);
    if (driven_by_hand) { return creep(situation, wish, safe); }

    const bool blind = corner_mps(seen, situation->body) == 0.0;
    if (part < ASIDE_PART && !blind && find_aside(avoid, situation, &near)) {
        avoid->stepping_aside = true;
        cairn_vote vote = allow(avoid->aside);
        vote.wish = avoid->aside;
        vote.weight = ASIDE_WEIGHT;
        return vote;
    }
    avoid->stepping_aside = false;
    cairn_vote vote = allow(safe);
    vote.turn_radps_offset = offset;
    return vote;
}

double cairn_avoid_speed_mps_max(const cairn_body_description *body)
{
    const double corner_m = 0.5 * hypot(body->length_m, body->width_m);
    const double way_m = CAIRN_AROUND_RANGE_M - corner_m - MARGIN_M - MARGIN_FAST_M;
    const double decel = BRAKE_PART * body->limits.accel_mps2_max;
    // The root of way = v * reaction + v^2 / (2 decel); reach_m the other way round.
    const double sight_mps = decel * (sqrt(REACTION_S * REACTION_S + 2 * fmax(way_m, 0.0) / decel) - REACTION_S);
    return fmin(body->limits.speed_mps_max, sight_mps);
}
