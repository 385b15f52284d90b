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
#define QUALITY_MIN 0.3 // [-] below this the match is not believed; odometry goes on alone
// Odometry cannot be wrong by more than this since the last match: it loses no more way than wheels can spin or a robot
// can slide. A match beyond that has taken one doorpost for another.
#define JUMP_M 0.05
#define JUMP_MPS 1.0
#define JUMP_RAD_MAX 0.20
#define JUMP_DEVIATIONS 4.0 // a turn that is doubted may be wrong by so many deviations

#define DRIFT_NS_MAX CAIRN_S(1)     // a longer time between two scans is not made up for
#define MOTION_NS_MAX CAIRN_MS(300) // between two scans from which a speed is told
// [m] Deviation of an uncounted body's odometry between two scans: its speed is known to some 0.3 m/s.
#define UNCOUNTED_PRIOR_M 0.03
// [m] A match that knows the place along the robot less well than this says nothing about its speed: a bare corridor.
#define ALONG_M_MAX 0.01

cairn_err cairn_tracker_init(cairn_tracker *tracker, cairn_arena *arena)
{
    *tracker = (cairn_tracker){.match_def = cairn_match_def_default()};
    cairn_slip_init(&tracker->slip);
    cairn_local_grid_def def = cairn_local_grid_def_default();
    def.size_cells = WINDOW_CELLS;
    def.range_m_max = REACH_M;
    return cairn_local_grid_create(&def, arena, &tracker->grid);
}

static bool believable(const cairn_tracker *tracker, cairn_pose2 guess, cairn_mono now)
{
    const cairn_match *match = &tracker->match;
    const cairn_pose2 moved = cairn_pose2_between(guess, match->pose);
    const double since_s = cairn_seconds(cairn_mono_since(now, tracker->believed_at));
    return match->is_trusted && match->score >= QUALITY_MIN &&
           cairn_vec2_length(cairn_pose2_at(moved)) < JUMP_M + JUMP_MPS * since_s &&
           fabs(moved.yaw_rad) < fmax(JUMP_RAD_MAX, JUMP_DEVIATIONS * tracker->match_def.prior_yaw_rad);
}

static bool due_for_mapping(const cairn_tracker *tracker, cairn_mono now)
{
    // A scan that does not fit the map would spoil it; but after a while without a fit the map is what is wrong.
    if (tracker->started && cairn_mono_since(now, tracker->believed_at) > 0 &&
        cairn_mono_since(now, tracker->believed_at) < UNFIT_NS_MAX) {
        return false;
    }
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

static bool knows_way_along(const cairn_match *match)
{
    const double c = cos(match->pose.yaw_rad), s = sin(match->pose.yaw_rad);
    const double *known = match->information;
    return known[0] * c * c + 2.0 * known[1] * c * s + known[4] * s * s >= 1.0 / (ALONG_M_MAX * ALONG_M_MAX);
}

// How fast the robot went between two scans, along its own x in the middle of the way.
static void see_motion(cairn_tracker *tracker)
{
    if (!knows_way_along(&tracker->match)) { return; }
    const int64_t step_ns = cairn_mono_since(tracker->points_at, tracker->seen_at);
    if (tracker->seen_at.ns > 0 && step_ns > 0 && step_ns <= MOTION_NS_MAX) {
        const cairn_pose2 moved = cairn_pose2_between(tracker->seen_T_base, tracker->private_T_base);
        const double half_rad = 0.5 * moved.yaw_rad;
        const double ahead_m = moved.x_m * cos(half_rad) + moved.y_m * sin(half_rad);
        tracker->motion = (cairn_seen_motion){.at = {tracker->seen_at.ns + step_ns / 2},
                                              .forward_mps = ahead_m / cairn_seconds(step_ns),
                                              .turn_radps = moved.yaw_rad / cairn_seconds(step_ns)};
    }
    tracker->seen_at = tracker->points_at;
    tracker->seen_T_base = tracker->private_T_base;
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

static void judge_slip(cairn_tracker *tracker, cairn_pose2 moved, double wheels_m, int64_t step_ns)
{
    const cairn_slip_evidence evidence = {.match = &tracker->match,
                                          .guess = tracker->private_T_base,
                                          .prior_m = tracker->match_def.prior_xy_m,
                                          .wheels_m = hypot(wheels_m, sqrt(tracker->drift.pending_m2)),
                                          .along_m = moved.x_m,
                                          .step_s = cairn_seconds(step_ns)};
    cairn_slip_judge(&tracker->slip, &evidence);
}

static void believe(cairn_tracker *tracker, cairn_pose2 odom_T_base, cairn_pose2 moved)
{
    const cairn_match_def *def = &tracker->match_def;
    const bool doubted = tracker->slip.slips || tracker->drift.pending_m2 > 0;
    const cairn_drift_step step = {.match = &tracker->match,
                                   .guess = {def->prior_xy_m, def->prior_yaw_rad},
                                   .looseness = doubted ? 1 : tracker->slip.looseness,
                                   .moved_m = cairn_vec2_length(cairn_pose2_at(moved)),
                                   .turned_rad = moved.yaw_rad};
    cairn_drift_add_match(&tracker->drift, &step);
    tracker->private_T_base = tracker->match.pose;
    tracker->private_T_odom = cairn_pose2_compose(tracker->private_T_base, cairn_pose2_inverse(odom_T_base));
    tracker->matched_count++;
}

// Matches the scan to the map and corrects the pose; step_ns since the scan before. False: the match is not believed.
static bool match_scan(cairn_tracker *tracker, cairn_pose2 odom_T_base, cairn_pose2 moved, int64_t step_ns,
                       cairn_mono now)
{
    const cairn_pose2 guess = tracker->private_T_base;
    double wheels_m = 0;
    const cairn_guess_deviation step = doubt_guess(tracker, moved, &wheels_m);
    cairn_match_gradient(&tracker->match_def, tracker->grid, &tracker->still, guess, now, &tracker->match);
    if (!believable(tracker, guess, now)) {
        cairn_drift_add_guess(&tracker->drift, step);
        cairn_slip_lose(&tracker->slip);
        tracker->refused_count++;
        return false;
    }
    if (!tracker->uncounted) { judge_slip(tracker, moved, wheels_m, step_ns); }
    believe(tracker, odom_T_base, moved);
    if (tracker->uncounted) { see_motion(tracker); }
    tracker->believed_at = now;
    return true;
}

static void learn_drift(cairn_tracker *tracker, cairn_pose2 guess, double turn_radps)
{
    const cairn_gyro_evidence evidence = {.match = &tracker->match,
                                          .turned_back_rad =
                                              cairn_angle_between(guess.yaw_rad, tracker->match.pose.yaw_rad),
                                          .turn_radps = turn_radps};
    cairn_gyro_learn(&tracker->gyro, &evidence);
}

// Odometry at a scan, with the gyro's drift since the scan before taken off.
static void carry_on(cairn_tracker *tracker, cairn_pose2 odom_T_base, int64_t step_ns)
{
    const bool goes_on = tracker->started && step_ns > 0 && step_ns < DRIFT_NS_MAX;
    const cairn_pose2 turned = {0, 0, goes_on ? tracker->gyro.drift_radps * cairn_seconds(step_ns) : 0};
    tracker->private_T_base = cairn_pose2_compose(cairn_pose2_compose(tracker->private_T_odom, odom_T_base), turned);
    if (goes_on) {
        tracker->private_T_odom = cairn_pose2_compose(tracker->private_T_base, cairn_pose2_inverse(odom_T_base));
    }
}

void cairn_tracker_step(cairn_tracker *tracker, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                        const cairn_reflex_state *state, const cairn_moving_things *moving, cairn_mono now)
{
    cairn_scan_straighten(&tracker->beams, scan, laser, state, &tracker->points);
    const cairn_mono before = tracker->points_at;
    tracker->points_at = cairn_scan_ended(scan);
    const int64_t step_ns = cairn_mono_since(tracker->points_at, before);
    const cairn_pose2 odom_T_base = cairn_odom_at(state, tracker->points_at);
    cairn_gyro_rest(&tracker->gyro, state->turn_bias_radps);
    carry_on(tracker, odom_T_base, step_ns);
    leave_out(&tracker->points, tracker->private_T_base, moving);
    const cairn_free_view view = {odom_T_base, tracker->points_at};
    cairn_free_things_leave_out(&tracker->free_things, &tracker->points, &view, &tracker->still);
    if (tracker->upright != NULL) {
        (void)cairn_upright_leave_out(tracker->upright, odom_T_base, now, &tracker->still);
    }
    const cairn_pose2 moved = cairn_pose2_between(tracker->odom_T_matched, odom_T_base);
    tracker->odom_T_matched = odom_T_base;
    const cairn_pose2 guess = tracker->private_T_base;
    if (tracker->started && match_scan(tracker, odom_T_base, moved, step_ns, now)) {
        learn_drift(tracker, guess, state->turn_radps);
    }
    if (due_for_mapping(tracker, now)) {
        cairn_local_grid_centre(tracker->grid, cairn_pose2_at(tracker->private_T_base));
        cairn_local_grid_add(tracker->grid, tracker->private_T_base, &tracker->points, now);
        cairn_drift_settle(&tracker->drift);
        tracker->mapped_at = tracker->private_T_base;
        tracker->mapped_when = now;
        tracker->started = true;
    }
}

void cairn_tracker_turn(cairn_tracker *tracker, const cairn_reflex_state *state, double turn_rad)
{
    const cairn_pose2 turned = cairn_pose2_compose(cairn_tracker_pose(tracker, state), (cairn_pose2){0, 0, turn_rad});
    tracker->private_T_odom = cairn_pose2_compose(turned, cairn_pose2_inverse(state->odom_T_base));
}

cairn_pose2 cairn_tracker_pose(const cairn_tracker *tracker, const cairn_reflex_state *state)
{
    return cairn_pose2_compose(tracker->private_T_odom, state->odom_T_base);
}
