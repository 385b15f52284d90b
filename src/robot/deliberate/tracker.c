// Predict with odometry, match the scan to the local map, correct, and add the scan to the map. A scan is added only
// after some motion or time, so that a standing robot does not engrave its own noise.
#include "robot/deliberate/tracker.h"

// The map reaches far: along a corridor nothing but its end may tell the way. Larger: memory, of which only what was
// seen is ever touched.
#define WINDOW_CELLS 1024
#define REACH_M 24.0
#define MAP_AFTER_M 0.05
#define MAP_AFTER_RAD 0.05
#define MAP_AFTER_NS CAIRN_MS(500)
#define UNFIT_NS_MAX CAIRN_MS(500)
// A robot that is not sure of its place does not draw for so long: less than the map remembers, so that a better view
// may still join it.
#define LOOSE_NS_MAX CAIRN_S(8)
#define LOOSE_M 0.15    // [m] from this deviation on
#define LOOSE_SCORE 0.6 // [-] and only a match as good as this is believed: it may have to go far
// A map that has just been begun anew has few surfaces: it contradicts nothing, and so many scans are drawn whatever it
// says. Only a match as good as LOOSE_SCORE is believed. Larger: odometry alone goes on for longer.
#define YOUNG_SCANS 5
#define QUALITY_MIN 0.3 // [-] below this the match is not believed; odometry goes on alone
// Odometry cannot be wrong by more than this since the last match: it loses no more way than wheels can spin or a robot
// can slide. A match beyond that has taken one doorpost for another.
#define JUMP_M 0.05
#define JUMP_MPS 1.0
#define JUMP_RAD_MAX 0.20
// [m] No wheels go so far between two scans: a match that does is for the own map to bear out.
#define LEAP_M 0.3
#define JUMP_DEVIATIONS 4.0 // a turn that is doubted may be wrong by so many deviations

#define DRIFT_NS_MAX CAIRN_S(1) // a longer time between two scans is not made up for
#define GAP_MPS 0.05            // [m/s] and nobody knows what was done to the robot meanwhile
// [rad], [-] On ground that is as steep as this, steeper than the ramps that robots are made for, wheels may spin for
// that part of their way, though nothing has told of it. Smaller: a place is doubted, and wanders, on every ramp.
#define STEEP_RAD 0.32
#define STEEP_PART 0.5
#define SLOPE_PART 0.5 // [-] likewise on any slope, of what no scan has told of. At 1 robots doubt their place on ramps
// [-] Where wheels may spin, or the robot leans, a match weaker than this says nothing along its weakest direction:
// what bare walls differ by, and more so when the plane cuts them at a slant, is noise, and a wide guess would follow
// it.
#define BARE_WEAKNESS 0.97
// A scan that fits badly and has so much of its points where the map saw free floor was not taken here.
#define ODD_SCORE 0.85
#define ODD_PART 0.15
#define ODD_REACH_M 0.05 // [m] from a point to an obstacle that explains it
#define ODD_COUNT_MIN 60 // points
#define STANDS_M 0.002   // [m] between two scans; less is no way of wheels
#define ODD_SCANS 3      // in a row: one or two may be spoiled. Larger: draws what is wrong for longer
// Its own map denies its place in so many scans in a row: the local map has gone astray by this at least. After that it
// looks for its place; the world may have changed, so that nothing is made of it for a while.
#define DENIED_SCANS 3
#define DENIED_M 0.6
#define DENIED_PAUSE_NS CAIRN_S(20)
// [rad/s], [rad] A turn that nobody felt: robots turn slower than that, and a local map drawn by a heading that may be
// off by more than the second is astray.
#define MISSED_RADPS 1.0
#define ASTRAY_RAD 0.1
// A lost place is looked for on the robot's own map: from this deviation on, so often.
#define REJOIN_M 0.1
#define REJOIN_NS CAIRN_S(1)
// Tries in a row on new ground after which it goes on drawing. Larger: what it sees meanwhile is told to nobody.
#define NEW_GROUND_TRIES 3
// [m] Way after a lean on which the ground about the robot may still be higher than the ground under it: out of a
// ditch, off a ramp. Larger: what is low is missed for longer behind a ramp.
#define UNEVEN_M 1.0
#define MOTION_NS_MAX CAIRN_MS(300) // between two scans from which a speed is told
// [m] Deviation of an uncounted body's odometry between two scans: its speed is known to some 0.3 m/s.
#define UNCOUNTED_PRIOR_M 0.03
#define UNCOUNTED_MPS 0.02 // [m/s] and where scans say nothing, by this and that part of its way
#define UNCOUNTED_PART 0.15
// [m] A match that knows the place along the robot less well than this says nothing about its speed: a bare corridor.
#define ALONG_M_MAX 0.01

cairn_err cairn_tracker_init(cairn_tracker *tracker, cairn_arena *arena)
{
    CAIRN_ASSERT(tracker != NULL && arena != NULL);
    *tracker = (cairn_tracker){.match_def = cairn_match_def_default()};
    cairn_slip_init(&tracker->slip);
    cairn_local_grid_def def = cairn_local_grid_def_default();
    def.size_cells = WINDOW_CELLS;
    def.range_m_max = REACH_M;
    const cairn_err err = cairn_rejoin_init(&tracker->rejoin, arena);
    return err == CAIRN_OK ? cairn_local_grid_create(&def, arena, &tracker->grid) : err;
}

// One scan's way from the one before.
typedef struct scan_step {
    cairn_pose2 odom_T_base;
    cairn_pose2 moved;      // by the wheels, in the robot's axes
    cairn_vec2 held_back_m; // from where the robot is taken to be to where the wheels put it, private axes
    int64_t ns;
    cairn_mono now;
} scan_step;

static bool believable(const cairn_tracker *tracker, cairn_pose2 guess, cairn_mono now)
{
    const cairn_match *match = &tracker->match;
    const cairn_pose2 moved = cairn_pose2_between(guess, match->pose);
    const double since_s = cairn_seconds(cairn_mono_since(now, tracker->believed_at));
    const double loose_m = tracker->hold.loose_m;
    const bool picky = loose_m > LOOSE_M || tracker->young_count > 0;
    return match->is_trusted && match->score >= (picky ? LOOSE_SCORE : QUALITY_MIN) &&
           cairn_vec2_length(cairn_pose2_at(moved)) < JUMP_M + JUMP_MPS * since_s + JUMP_DEVIATIONS * loose_m &&
           fabs(moved.yaw_rad) < fmax(JUMP_RAD_MAX, JUMP_DEVIATIONS * tracker->match_def.prior_yaw_rad);
}

static bool due_for_mapping(const cairn_tracker *tracker, cairn_mono now)
{
    if (tracker->young_count > 0) { return true; }
    // A scan that does not fit the map would spoil it; but after a while without a fit the map is what is wrong.
    if (tracker->started && cairn_mono_since(now, tracker->believed_at) > 0 &&
        cairn_mono_since(now, tracker->believed_at) < UNFIT_NS_MAX) {
        return false;
    }
    if (tracker->odd_count > 0 || tracker->denied_count > 0) { return false; } // until it is known which is wrong
    if (tracker->hold.loose_m > LOOSE_M && cairn_mono_since(now, tracker->mapped_when) < LOOSE_NS_MAX) { return false; }
    const cairn_pose2 moved = cairn_pose2_between(tracker->mapped_at, tracker->private_T_base);
    return !tracker->started || cairn_vec2_length(cairn_pose2_at(moved)) > MAP_AFTER_M ||
           fabs(moved.yaw_rad) > MAP_AFTER_RAD || cairn_mono_since(now, tracker->mapped_when) >= MAP_AFTER_NS;
}

static void leave_out(cairn_scan_points *points, cairn_pose2 private_T_base, const cairn_moving_things *moving)
{
    const cairn_pose2 base_T_private = cairn_pose2_inverse(private_T_base);
    for (uint32_t thing = 0; thing < moving->count; thing++) {
        const cairn_vec2 at_m = cairn_pose2_apply(base_T_private, moving->at_m[thing]);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < points->count; i++) {
            const double x_m = points->x_m[i] - at_m.x, y_m = points->y_m[i] - at_m.y;
            if (points->hit[i] && x_m * x_m + y_m * y_m < moving->radius_m * moving->radius_m) { continue; }
            points->x_m[kept] = points->x_m[i];
            points->y_m[kept] = points->y_m[i];
            points->hit[kept++] = points->hit[i];
        }
        points->count = kept;
    }
}

// Information about a place along a direction, all that scans may not know across it left open.
static double known_along(const cairn_match *match, cairn_vec2 along)
{
    const double *h = match->information, unknown = 1.0 / (CAIRN_MATCH_UNKNOWN_M * CAIRN_MATCH_UNKNOWN_M);
    const double xx = h[0] + unknown, yy = h[4] + unknown, xy = h[1];
    const double variance = (yy * along.x * along.x - 2 * xy * along.x * along.y + xx * along.y * along.y) /
                            fmax(xx * yy - xy * xy, unknown * unknown);
    return 1.0 / variance;
}

// How fast the robot went between two scans, along its own x in the middle of the way.
static void see_motion(cairn_tracker *tracker)
{
    const cairn_pose2 moved = cairn_pose2_between(tracker->seen_T_base, tracker->private_T_base);
    const double yaw_rad = tracker->private_T_base.yaw_rad - 0.5 * moved.yaw_rad;
    const cairn_vec2 ahead = {cos(yaw_rad), sin(yaw_rad)};
    const cairn_vec2 moved_m =
        cairn_vec2_sub(cairn_pose2_at(tracker->private_T_base), cairn_pose2_at(tracker->seen_T_base));
    const bool holds = known_along(&tracker->match, ahead) >= 1.0 / (ALONG_M_MAX * ALONG_M_MAX);
    if (!holds) { return; }
    const double ahead_m = cairn_vec2_dot(moved_m, ahead);
    const int64_t step_ns = cairn_mono_since(tracker->points_at, tracker->seen_at);
    if (tracker->seen_at.ns > 0 && step_ns > 0 && step_ns <= MOTION_NS_MAX) {
        tracker->seen_side_mps = (moved_m.y * ahead.x - moved_m.x * ahead.y) / cairn_seconds(step_ns);
        tracker->motion = (cairn_seen_motion){.at = {tracker->seen_at.ns + step_ns / 2},
                                              .forward_mps = ahead_m / cairn_seconds(step_ns),
                                              .turn_radps = moved.yaw_rad / cairn_seconds(step_ns)};
    }
    tracker->seen_at = tracker->points_at;
    tracker->seen_T_base = tracker->private_T_base;
}

// Told to stand, and left to the base, which holds its wheels: of wheels that nobody counts.
static bool rests(const cairn_reflex_state *state)
{
    return state->told_mps == 0 && state->told_radps == 0 && !(fabs(state->forward_mps) > 0); // NaN: not driven
}

// How far the guess may be off since the last scan, and in all since the last match that was believed.
static cairn_guess_deviation doubt_guess(cairn_tracker *tracker, cairn_pose2 moved, double *ret_wheels_m)
{
    cairn_match_def *def = &tracker->match_def;
    const double way_m = cairn_vec2_length(cairn_pose2_at(moved));
    cairn_match_def_set_motion(def, way_m, moved.yaw_rad);
    if (tracker->uncounted) { def->prior_xy_m = UNCOUNTED_PRIOR_M; }
    *ret_wheels_m = def->prior_xy_m;
    const cairn_guess_deviation step = {cairn_slip_prior_m(&tracker->slip, def->prior_xy_m, way_m), def->prior_yaw_rad};
    def->prior_xy_m = hypot(step.way_m, sqrt(tracker->drift.pending_m2));
    def->prior_yaw_rad = hypot(step.turn_rad, sqrt(tracker->drift.pending_rad2));
    return step;
}

static bool is_steep(const cairn_reflex_state *state)
{
    return fabs(state->roll_rad) + fabs(state->pitch_rad) > STEEP_RAD;
}

// Takes out of the match what it cannot know: along its weakest direction the guess stays.
static void mistrust_bare_walls(cairn_match *match, cairn_pose2 guess)
{
    if (match->weakness < BARE_WEAKNESS) { return; }
    const cairn_vec2 along = {cos(match->weakest_direction_rad), sin(match->weakest_direction_rad)};
    const cairn_vec2 moved = cairn_vec2_sub(cairn_pose2_at(match->pose), cairn_pose2_at(guess));
    const double off_m = cairn_vec2_dot(moved, along);
    match->pose.x_m -= off_m * along.x;
    match->pose.y_m -= off_m * along.y;
    cairn_match_forget(match, along);
}

static bool has_obstacle_near(const cairn_local_grid *grid, cairn_vec2 at_m, cairn_mono now)
{
    for (int i = 0; i < 9; i++) {
        const int x = i % 3 - 1, y = i / 3 - 1;
        const cairn_vec2 by_m = {x * ODD_REACH_M, y * ODD_REACH_M};
        if (cairn_local_grid_at(grid, cairn_vec2_add(at_m, by_m), now) == CAIRN_GROUND_OBSTACLE) { return true; }
    }
    return false;
}

// Whether the map contradicts a scan that fits badly, laid where the match has it.
static bool is_odd(const cairn_tracker *tracker, cairn_mono now)
{
    if (tracker->match.score >= ODD_SCORE) { return false; }
    const cairn_scan_points *points = &tracker->still;
    uint32_t hits = 0, odd = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        if (!points->hit[i]) { continue; }
        const cairn_vec2 at_m = cairn_pose2_apply(tracker->match.pose, (cairn_vec2){points->x_m[i], points->y_m[i]});
        const bool free = cairn_local_grid_at(tracker->grid, at_m, now) == CAIRN_GROUND_FREE;
        odd += free && !has_obstacle_near(tracker->grid, at_m, now);
        hits++;
    }
    return odd >= ODD_COUNT_MIN && odd > ODD_PART * hits;
}

// How far the wheels may have gone without the robot since the last scan. Of wheels that nobody counts nobody knows the
// speed, and an error of it lasts.
static void carry_hold(cairn_tracker *tracker, const cairn_reflex_state *state, const scan_step *step, double wheels_m)
{
    const double gone_s = cairn_seconds(step->ns);
    if (tracker->uncounted) {
        const double moved_m = cairn_vec2_length(cairn_pose2_at(step->moved));
        const double off_m =
            rests(state) || step->ns <= 0 ? 0 : UNCOUNTED_PART * moved_m + UNCOUNTED_MPS * fmin(gone_s, 1);
        cairn_hold_carry(&tracker->hold, (cairn_hold_way){0, off_m});
        return;
    }
    const double way_m = cairn_vec2_length(cairn_pose2_at(step->moved));
    const double spun_m = tracker->slip.slips ? way_m : (is_steep(state) ? STEEP_PART * way_m : 0);
    const double gap_m = step->ns > DRIFT_NS_MAX ? GAP_MPS * gone_s : 0;
    cairn_hold_carry(&tracker->hold, (cairn_hold_way){wheels_m, spun_m + gap_m});
}

static bool leans(const cairn_tracker *tracker, const cairn_reflex_state *state)
{
    return cairn_scan_leans(state) && !tracker->uncounted;
}

// Nor have scans told of the last way. On a slope, where wheels slip first, part of it may be none; while they are
// known to slip, or the ground is steep, it was counted already.
static void carry_untold(cairn_tracker *tracker, const cairn_reflex_state *state, const scan_step *step)
{
    if (!leans(tracker, state) || tracker->slip.slips || is_steep(state)) { return; }
    const double spun_m = SLOPE_PART * cairn_vec2_length(cairn_pose2_at(step->moved));
    cairn_hold_carry(&tracker->hold, (cairn_hold_way){0, spun_m});
}

static void judge_slip(cairn_tracker *tracker, const scan_step *step, double wheels_m, bool slopes)
{
    const cairn_slip_evidence evidence = {.match = &tracker->match,
                                          .guess = tracker->private_T_base,
                                          .held_back_m = step->held_back_m,
                                          .prior_m = tracker->match_def.prior_xy_m,
                                          .wheels_m = hypot(wheels_m, sqrt(tracker->drift.pending_m2)),
                                          .along_m = step->moved.x_m,
                                          .step_s = cairn_seconds(step->ns),
                                          .slopes = slopes};
    cairn_slip_judge(&tracker->slip, &evidence);
}

// A robot that slides while its wheels stand, or a laser, or a lean, that lies: nobody knows which.
static void notice_slide(cairn_tracker *tracker, const cairn_reflex_state *state, const scan_step *step)
{
    const bool wheels_stand = cairn_vec2_length(cairn_pose2_at(step->moved)) <= STANDS_M;
    const bool slides = tracker->uncounted ? state->forward_mps == 0 && rests(state) : tracker->slip.slips;
    if (!slides || !wheels_stand || cairn_scan_leans(state)) { return; }
    const cairn_pose2 slid = cairn_pose2_between(tracker->private_T_base, tracker->match.pose);
    cairn_hold_slide(&tracker->hold, cairn_vec2_length(cairn_pose2_at(slid)));
}

static void stand_at(cairn_tracker *tracker, cairn_pose2 private_T_base, cairn_pose2 odom_T_base)
{
    tracker->private_T_base = private_T_base;
    tracker->private_T_odom = cairn_pose2_compose(private_T_base, cairn_pose2_inverse(odom_T_base));
}

static void believe(cairn_tracker *tracker, const scan_step *step, cairn_guess_deviation guess)
{
    const bool doubted = tracker->slip.slips || tracker->drift.pending_m2 > 0;
    const cairn_drift_step drift = {.match = &tracker->match,
                                    .guess = guess,
                                    .looseness = doubted ? 1 : tracker->slip.looseness,
                                    .moved_m = cairn_vec2_length(cairn_pose2_at(step->moved)),
                                    .turned_rad = step->moved.yaw_rad};
    cairn_drift_add_match(&tracker->drift, &drift);
    cairn_hold_match(&tracker->hold, &tracker->match);
    const double jump_m =
        cairn_vec2_distance(cairn_pose2_at(tracker->match.pose), cairn_pose2_at(tracker->private_T_base));
    if (jump_m > LEAP_M) { cairn_hold_lose(&tracker->hold, DENIED_M); }
    stand_at(tracker, tracker->match.pose, step->odom_T_base);
    tracker->believed_at = step->now;
    tracker->matched_count++;
}

// False: the match is not believed.
static bool match_points(cairn_tracker *tracker, const cairn_scan_points *points, cairn_pose2 guess,
                         const cairn_reflex_state *state, cairn_mono now)
{
    cairn_match_gradient(&tracker->match_def, tracker->grid, points, guess, now, &tracker->match);
    if (cairn_scan_leans(state) || tracker->slip.slips || tracker->hold.loose_m > LOOSE_M) {
        mistrust_bare_walls(&tracker->match, guess);
    }
    return believable(tracker, guess, now);
}

// What is above walls is on the map only if the robot drew it when it stood level: a robot that leans for long matches
// by what it draws.
static bool match_all(cairn_tracker *tracker, cairn_pose2 guess, const cairn_reflex_state *state, cairn_mono now)
{
    if (leans(tracker, state) && match_points(tracker, &tracker->tall, guess, state, now)) { return true; }
    return match_points(tracker, &tracker->still, guess, state, now);
}

// Matches the scan to the map and corrects the pose. False: the match is not believed.
static bool match_scan(cairn_tracker *tracker, const scan_step *step, const cairn_reflex_state *state)
{
    const cairn_pose2 guess = tracker->private_T_base;
    cairn_match_def *def = &tracker->match_def;
    double wheels_m = 0;
    const cairn_guess_deviation deviation = doubt_guess(tracker, step->moved, &wheels_m);
    const cairn_guess_deviation told = {def->prior_xy_m, def->prior_yaw_rad};
    carry_hold(tracker, state, step, wheels_m);
    // Only a loose place is looked for widely: along bare walls a wide guess follows noise.
    if (tracker->hold.loose_m > LOOSE_M) { def->prior_xy_m = fmax(told.way_m, tracker->hold.loose_m); }
    const bool believed = match_all(tracker, guess, state, step->now);
    const bool odd = tracker->young_count == 0 && is_odd(tracker, step->now);
    tracker->odd_count = odd ? tracker->odd_count + 1 : 0;
    if (tracker->odd_count >= ODD_SCANS) { cairn_hold_contradict(&tracker->hold); }
    if (!believed) {
        cairn_drift_add_guess(&tracker->drift, deviation);
        cairn_slip_lose(&tracker->slip);
        carry_untold(tracker, state, step);
        tracker->refused_count++;
        return false;
    }
    if (!tracker->uncounted) { judge_slip(tracker, step, wheels_m, cairn_scan_leans(state)); }
    notice_slide(tracker, state, step);
    believe(tracker, step, told);
    see_motion(tracker);
    return true;
}

static bool find_on_own_map(cairn_tracker *tracker, const cairn_scan_points *points, double deviation_m,
                            cairn_match *ret_match)
{
    return cairn_rejoin_find(&tracker->rejoin, tracker->own_map, points, tracker->private_T_base, deviation_m,
                             ret_match);
}

// In how many tries in a row nothing on its own map could have told the place of a robot that goes by a sound local
// map.
static uint32_t new_ground_again(const cairn_tracker *tracker, cairn_mono now)
{
    const bool sound = !tracker->hold.doubtful && cairn_hold_is_sharp(&tracker->hold) &&
                       cairn_mono_since(tracker->believed_at, now) == 0;
    if (!sound || !cairn_rejoin_is_new_ground(tracker->own_map, &tracker->still, tracker->private_T_base)) { return 0; }
    return tracker->new_ground_count + 1;
}

// One that waited for its place on ground that it has never seen would tell nobody of it, for good. The trail says how
// far off what it draws from now on may be.
static void settle(cairn_tracker *tracker)
{
    tracker->new_ground_count = 0;
    cairn_drift_widen(&tracker->drift, tracker->hold.astray_m);
    cairn_hold_settle(&tracker->hold);
}

// A local map may fit scan after scan and lie where it should not. Not of a robot that leans: what it sees is not what
// it drew.
static void ask_own_map(cairn_tracker *tracker, cairn_mono now)
{
    const bool lately = tracker->denied_at.ns > 0 && cairn_mono_since(now, tracker->denied_at) < DENIED_PAUSE_NS;
    if (tracker->own_map == NULL || tracker->leant || lately ||
        !cairn_rejoin_is_denied(tracker->own_map, &tracker->still, tracker->private_T_base)) {
        tracker->denied_count = 0;
        return;
    }
    if (++tracker->denied_count < DENIED_SCANS) { return; }
    tracker->denied_count = 0;
    tracker->denied_at = now;
    cairn_hold_lose(&tracker->hold, DENIED_M);
}

// Looks for a place that is not sure on the robot's own map. What was drawn where it was not is forgotten.
static void rejoin(cairn_tracker *tracker, const scan_step *step, const cairn_reflex_state *state)
{
    const double doubt_m = cairn_hold_deviation_m(&tracker->hold);
    const bool lately = tracker->rejoin_tried.ns > 0 && cairn_mono_since(step->now, tracker->rejoin_tried) < REJOIN_NS;
    if (doubt_m < REJOIN_M) { cairn_rejoin_drop_claim(&tracker->rejoin); }
    if (tracker->own_map == NULL || doubt_m < REJOIN_M || lately) { return; }
    tracker->rejoin_tried = step->now;
    cairn_match match;
    const bool found = (leans(tracker, state) && find_on_own_map(tracker, &tracker->tall, doubt_m, &match)) ||
                       find_on_own_map(tracker, &tracker->still, doubt_m, &match);
    tracker->new_ground_count = found ? 0 : new_ground_again(tracker, step->now);
    if (!found) {
        if (tracker->new_ground_count >= NEW_GROUND_TRIES) { settle(tracker); }
        return;
    }
    if (!cairn_rejoin_bears_out(&tracker->rejoin, tracker->private_T_base, doubt_m, match.pose, state->distance_m)) {
        cairn_hold_doubt(&tracker->hold); // not sure of there yet, but no longer of here
        return;
    }
    // Found on the map that the last node is on, so that the way between does not matter; but far off it may be wrong.
    const double back_m = cairn_vec2_distance(cairn_pose2_at(match.pose), cairn_pose2_at(tracker->private_T_base));
    stand_at(tracker, match.pose, step->odom_T_base);
    cairn_hold_rejoin(&tracker->hold);
    const double deviation_m = hypot(cairn_hold_deviation_m(&tracker->hold), tracker->hold.kept_m);
    cairn_drift_find(&tracker->drift, back_m > CAIRN_REJOIN_FAR_M ? hypot(back_m, deviation_m) : deviation_m);
    cairn_local_grid_forget(tracker->grid);
    tracker->young_count = YOUNG_SCANS;
    tracker->mapped_when = (cairn_mono){0};
    tracker->believed_at = step->now;
    tracker->rejoined_count++;
}

static void learn_drift(cairn_tracker *tracker, cairn_pose2 guess, double turn_radps)
{
    const cairn_gyro_evidence evidence = {.match = &tracker->match,
                                          .turned_back_rad =
                                              cairn_angle_between(guess.yaw_rad, tracker->match.pose.yaw_rad),
                                          .turn_radps = turn_radps};
    cairn_gyro_learn(&tracker->gyro, &evidence);
}

// Odometry at a scan, with the gyro's drift since the scan before taken off, and the way that wheels spun.
static scan_step carry_on(cairn_tracker *tracker, cairn_pose2 odom_T_base, int64_t step_ns, cairn_mono now)
{
    scan_step step = {.odom_T_base = odom_T_base,
                      .moved = cairn_pose2_between(tracker->odom_T_matched, odom_T_base),
                      .ns = step_ns,
                      .now = now};
    const bool goes_on = tracker->started && step_ns > 0 && step_ns < DRIFT_NS_MAX;
    const cairn_pose2 turned = {0, 0, goes_on ? tracker->gyro.drift_radps * cairn_seconds(step_ns) : 0};
    const cairn_pose2 before = cairn_pose2_compose(tracker->private_T_odom, tracker->odom_T_matched);
    const cairn_pose2 by_wheels = cairn_pose2_compose(before, step.moved);
    const cairn_pose2 gone = cairn_pose2_compose(before, cairn_slip_way(&tracker->slip, step.moved));
    step.held_back_m = cairn_vec2_sub(cairn_pose2_at(by_wheels), cairn_pose2_at(gone));
    tracker->private_T_base = cairn_pose2_compose(gone, turned);
    if (goes_on) { stand_at(tracker, tracker->private_T_base, odom_T_base); }
    tracker->odom_T_matched = odom_T_base;
    return step;
}

static void draw(cairn_tracker *tracker, cairn_mono now)
{
    cairn_local_grid_centre(tracker->grid, cairn_pose2_at(tracker->private_T_base));
    cairn_local_grid_add(tracker->grid, tracker->private_T_base, &tracker->points, now);
    const bool turned = tracker->drift.pending_rad2 > ASTRAY_RAD * ASTRAY_RAD;
    if (tracker->started && turned) { cairn_hold_lose(&tracker->hold, DENIED_M); }
    cairn_drift_settle(&tracker->drift);
    cairn_hold_draw(&tracker->hold);
    tracker->mapped_at = tracker->private_T_base;
    tracker->mapped_when = now;
    tracker->started = true;
    tracker->young_count -= tracker->young_count > 0;
}

// Of the returns to match by, what is drawn, too. Both are in the order of the beams.
static void keep_drawn(const cairn_scan_points *tall, const cairn_scan_points *drawn, cairn_scan_points *ret_still)
{
    ret_still->count = 0;
    ret_still->sensor_x_m = tall->sensor_x_m;
    ret_still->sensor_y_m = tall->sensor_y_m;
    uint32_t next = 0;
    for (uint32_t i = 0; i < tall->count; i++) {
        if (!tall->hit[i]) { continue; }
        uint32_t at = next;
        while (at < drawn->count && !(drawn->x_m[at] == tall->x_m[i] && drawn->y_m[at] == tall->y_m[i])) { at++; }
        if (at == drawn->count || !drawn->hit[at]) { continue; }
        next = at + 1;
        const uint32_t n = ret_still->count++;
        ret_still->x_m[n] = tall->x_m[i];
        ret_still->y_m[n] = tall->y_m[i];
        ret_still->hit[n] = true;
    }
}

// The points of a scan that tell where the robot is.
static void choose_points(cairn_tracker *tracker, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                          const cairn_reflex_state *state, const cairn_moving_things *moving, cairn_mono now)
{
    const bool is_leaning = leans(tracker, state);
    const cairn_pose2 odom_T_base = tracker->odom_T_matched;
    leave_out(&tracker->points, tracker->private_T_base, moving);
    if (is_leaning) {
        cairn_scan_straighten_high(&tracker->beams, scan, laser, state, CAIRN_LIE_UNEVEN, &tracker->high);
        leave_out(&tracker->high, tracker->private_T_base, moving);
    }
    const cairn_free_view view = {odom_T_base, tracker->points_at};
    cairn_scan_points *all = is_leaning ? &tracker->tall : &tracker->still;
    cairn_free_things_leave_out(&tracker->free_things, is_leaning ? &tracker->high : &tracker->points, &view, all);
    if (tracker->upright != NULL) { (void)cairn_upright_leave_out(tracker->upright, odom_T_base, now, all); }
    if (is_leaning) { keep_drawn(&tracker->tall, &tracker->points, &tracker->still); }
}

// Whether it leans, or has leant on the last of its way.
static cairn_lie lie_about(cairn_tracker *tracker, const cairn_reflex_state *state)
{
    if (cairn_scan_leans(state)) {
        tracker->leant = true;
        tracker->leant_m = state->distance_m;
    }
    tracker->leant = tracker->leant && fabs(state->distance_m - tracker->leant_m) < UNEVEN_M;
    return tracker->leant ? CAIRN_LIE_UNEVEN : CAIRN_LIE_EVEN;
}

void cairn_tracker_step(cairn_tracker *tracker, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                        const cairn_reflex_state *state, const cairn_moving_things *moving, cairn_mono now)
{
    CAIRN_ASSERT(scan != NULL && laser != NULL && state != NULL);
    CAIRN_ASSERT(moving != NULL && moving->count <= CAIRN_MOVING_THINGS_MAX);
    cairn_scan_straighten(&tracker->beams, scan, laser, state, lie_about(tracker, state), &tracker->points);
    const cairn_mono before = tracker->points_at;
    tracker->points_at = cairn_scan_ended(scan);
    const cairn_pose2 odom_T_base = cairn_odom_at(state, tracker->points_at);
    cairn_gyro_rest(&tracker->gyro, state->turn_bias_radps);
    const scan_step step = carry_on(tracker, odom_T_base, cairn_mono_since(tracker->points_at, before), now);
    choose_points(tracker, scan, laser, state, moving, now);
    const cairn_pose2 guess = tracker->private_T_base;
    if (tracker->started && match_scan(tracker, &step, state)) { learn_drift(tracker, guess, state->turn_radps); }
    if (tracker->started) {
        ask_own_map(tracker, now);
        rejoin(tracker, &step, state);
    }
    if (due_for_mapping(tracker, now)) { draw(tracker, now); }
}

void cairn_tracker_stay(cairn_tracker *tracker, const cairn_reflex_state *state)
{
    CAIRN_ASSERT(tracker != NULL && state != NULL);
    stand_at(tracker, tracker->private_T_base, state->odom_T_base);
    tracker->odom_T_matched = state->odom_T_base;
}

void cairn_tracker_begin_anew(cairn_tracker *tracker)
{
    cairn_local_grid_forget(tracker->grid);
    cairn_slip_lose(&tracker->slip);
    tracker->drift = (cairn_drift){0};
    tracker->hold = (cairn_hold){0};
    tracker->new_ground_count = 0;
    tracker->mapped_when = (cairn_mono){0};
    tracker->started = false;
}

void cairn_tracker_miss_turn(cairn_tracker *tracker, double for_s)
{
    CAIRN_ASSERT(isfinite(for_s));
    const double turn_rad = MISSED_RADPS * fmin(fmax(for_s, 0), 1);
    cairn_drift_add_guess(&tracker->drift, (cairn_guess_deviation){0, turn_rad});
}

void cairn_tracker_turn(cairn_tracker *tracker, const cairn_reflex_state *state, double turn_rad)
{
    CAIRN_ASSERT(isfinite(turn_rad));
    const cairn_pose2 turned = cairn_pose2_compose(cairn_tracker_pose(tracker, state), (cairn_pose2){0, 0, turn_rad});
    tracker->private_T_odom = cairn_pose2_compose(turned, cairn_pose2_inverse(state->odom_T_base));
}

cairn_pose2 cairn_tracker_pose(const cairn_tracker *tracker, const cairn_reflex_state *state)
{
    return cairn_pose2_compose(tracker->private_T_odom, state->odom_T_base);
}
