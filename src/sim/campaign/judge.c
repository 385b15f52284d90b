#include "sim/campaign/judge.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include "sim/mission/report/collision_list.h"
#include "sim/physics/robot_shape.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONTACT_MPS_MAX 0.2
#define COMMAND_AGE_NS_MAX CAIRN_MS(308)
#define STANDING_MPS_MAX 0.05 // at the rim
#define MEAN_PART 0.08        // of each sample in the mean of a wheel's speed
#define FALLEN_RAD (60 * CAIRN_PI / 180)
#define PLACE_M_MAX 0.5
#define PLACE_NS_MAX CAIRN_S(5)
#define REACTION_S 0.3                // from the light that meets a sensor to wheels that brake
#define BEFORE_TOUCH_NS CAIRN_MS(120) // what is as near as that need not be seen any longer
#define SETTLING_NS CAIRN_MS(300)
#define BESIDE_M 0.05
#define BEFORE_MEAN 3             // samples
#define HULL_POINTS 5             // along each side
#define GOOD_GROUND_NS CAIRN_S(1) // before it fell
#define ENDED_NS CAIRN_S(2)       // a breach that comes again sooner is the same one
#define OVERRIDDEN_NS CAIRN_S(5)  // what comes of an override comes so soon after it
#define PUSHED_NS CAIRN_S(1)      // wheels of a robot that is pushed turn
#define AREA_M_MAX                                                                                                     \
    0.25                     // as far as an odometry wanders between two words of where areas lie; and more, by as
                             // much as it is mistaken about its place
#define EMPTY_NS CAIRN_S(10) // to come to rest in a good place
#define EDGE_M 0.01
#define TILTED_RAD_MORE (2 * CAIRN_PI / 180)
#define TILTED_NS CAIRN_S(1)
#define SENSES_NS CAIRN_S(1)
#define COUNTS_NS CAIRN_S(5) // what stands still must contradict something before anybody can know
#define COUNTS_MPS 0.2
#define SPINNING_NS CAIRN_S(5)
#define NEVER (-1)

const char *const cairn_violation_names[CAIRN_VIOLATION_COUNT] = {
    "contact", "edge", "command", "braking", "stop",   "lying",  "tip",     "place",
    "unsaid",  "area", "battery", "tilted",  "senses", "counts", "spinning"};

void cairn_judge_name(const cairn_body_description *description, uint32_t robot, char ret_name[CAIRN_JUDGE_NAME_BYTES])
{
    snprintf(ret_name, CAIRN_JUDGE_NAME_BYTES, "%.12s%u", description->name, robot + 1);
}

void cairn_judge_init(cairn_judge *judge, const cairn_sim_arena *arena, uint32_t robot_count,
                      const cairn_body_description *const *descriptions)
{
    CAIRN_ASSERT(robot_count >= 1 && robot_count <= CAIRN_JUDGE_ROBOTS_MAX);
    *judge = (cairn_judge){.arena = arena, .robot_count = robot_count};
    for (uint32_t i = 0; i < robot_count; i++) {
        cairn_judge_robot *robot = &judge->robots[i];
        robot->description = descriptions[i];
        cairn_judge_name(descriptions[i], i, robot->name);
        robot->edge_ns = robot->overridden_ns = robot->pushed_ns = NEVER;
        for (uint32_t k = 0; k < CAIRN_VIOLATION_COUNT; k++) { robot->since_ns[k] = robot->told_ns[k] = NEVER; }
        for (uint32_t c = 0; c < CAIRN_CONDITION_COUNT; c++) { robot->condition_since_ns[c] = NEVER; }
    }
}

int64_t cairn_judge_braking_ns(const cairn_body_description *description)
{
    const cairn_body_limits *limits = &description->limits;
    CAIRN_ASSERT(limits->accel_mps2_max > 0);
    return cairn_ns_from_seconds(limits->speed_mps_max / limits->accel_mps2_max) + description->watchdog_ns +
           SETTLING_NS;
}

double cairn_judge_tilt_rad(cairn_pose3 map_T_base)
{
    const cairn_vec3 up = cairn_quat_rotate(map_T_base.turn, (cairn_vec3){0, 0, 1});
    return acos(fmin(1.0, fmax(-1.0, up.z)));
}

static cairn_violation *tell(cairn_judge *judge, uint32_t robot, cairn_violation_kind kind, double figure,
                             cairn_mono at)
{
    static const cairn_violation none;
    const int64_t held_ns = judge->robots[robot].overridden_ns;
    const bool overridden = held_ns != NEVER && at.ns - held_ns < OVERRIDDEN_NS;
    (overridden ? judge->by_kind_overridden : judge->by_kind)[kind]++;
    const uint32_t slot =
        judge->violation_count < CAIRN_VIOLATIONS_MAX ? judge->violation_count++ : CAIRN_VIOLATIONS_MAX - 1;
    cairn_violation *it = &judge->violations[slot];
    *it = none;
    it->kind = kind;
    it->robot = robot;
    it->overridden = overridden;
    it->at = at;
    it->figure = figure;
    return it;
}

// Whether a breach has lasted for long enough, the first time that it has.
static bool lasts(cairn_judge_robot *robot, cairn_violation_kind kind, bool breach, int64_t for_ns, cairn_mono now)
{
    if (!breach) { robot->since_ns[kind] = NEVER; }
    const bool told = robot->told_ns[kind] != NEVER && now.ns - robot->told_ns[kind] < ENDED_NS;
    if (breach && told) { robot->told_ns[kind] = now.ns; }
    if (!breach || told) { return false; }
    if (robot->since_ns[kind] == NEVER) { robot->since_ns[kind] = now.ns; }
    if (now.ns - robot->since_ns[kind] < for_ns) { return false; }
    robot->told_ns[kind] = now.ns;
    return true;
}

// Wheels that tremble about the angle that they hold do not turn: their mean must, and they must now.
static double rim_mps(cairn_judge_robot *robot, const cairn_robot_truth *truth)
{
    double most_radps = 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        robot->mean_radps[i] += MEAN_PART * (truth->wheel_radps[i] - robot->mean_radps[i]);
        most_radps = fmax(most_radps, fmin(fabs(truth->wheel_radps[i]), fabs(robot->mean_radps[i])));
    }
    return most_radps * robot->description->wheels.radius_m;
}

// ---- ground

static cairn_vec3 wheel_m(const cairn_judge_robot *robot, cairn_pose3 map_T_base, int wheel)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    const cairn_vec3 in_base = {(wheel & 1 ? 0.5 : -0.5) * wheels->wheelbase_m,
                                (wheel & 2 ? 0.5 : -0.5) * wheels->track_m, 0};
    return cairn_pose3_apply(map_T_base, in_base);
}

static double height_m(const cairn_sim_arena *arena, cairn_vec3 at_m)
{
    return at_m.z - cairn_sim_ground_m(arena, (cairn_vec2){at_m.x, at_m.y}, at_m.z + 0.05);
}

static bool is_deep(const cairn_judge_robot *robot, const cairn_sim_arena *arena, cairn_vec3 at_m)
{
    return height_m(arena, at_m) > robot->description->limits.drop_m_max;
}

// A tyre touches more than a line: what is over the edge by less than EDGE_M is not over it.
static bool hangs(const cairn_judge_robot *robot, const cairn_sim_arena *arena, cairn_pose3 map_T_base, cairn_vec3 at_m)
{
    const cairn_vec3 way = cairn_vec3_scale(cairn_quat_rotate(map_T_base.turn, (cairn_vec3){1, 0, 0}), EDGE_M);
    return is_deep(robot, arena, at_m) && is_deep(robot, arena, cairn_vec3_add(at_m, way)) &&
           is_deep(robot, arena, cairn_vec3_add(at_m, cairn_vec3_scale(way, -1)));
}

// Ground on both sides along the way, no farther apart than a gap that it is meant to cross.
static bool is_crossable(const cairn_judge_robot *robot, const cairn_sim_arena *arena, cairn_pose3 map_T_base,
                         cairn_vec3 at_m)
{
    const double gap_m = robot->description->limits.gap_m_max;
    const cairn_vec3 ahead = cairn_quat_rotate(map_T_base.turn, (cairn_vec3){1, 0, 0});
    double sides_m[2] = {INFINITY, INFINITY};
    for (int side = 0; side < 2; side++) {
        for (int i = 1; i <= 10 && !isfinite(sides_m[side]); i++) {
            const double way_m = gap_m * i / 10;
            if (!is_deep(robot, arena, cairn_vec3_add(at_m, cairn_vec3_scale(ahead, side ? -way_m : way_m)))) {
                sides_m[side] = way_m;
            }
        }
    }
    return sides_m[0] + sides_m[1] <= gap_m;
}

static void judge_edge(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    if (!cairn_body_sees_ground(robot->description) || robot->description->limits.accept_unseen_ground) { return; }
    if (cairn_judge_tilt_rad(sample->truth.map_T_base) > FALLEN_RAD) { return; }
    double deepest_m = 0;
    for (int wheel = 0; wheel < 4; wheel++) {
        const cairn_vec3 at_m = wheel_m(robot, sample->truth.map_T_base, wheel);
        if (!hangs(robot, judge->arena, sample->truth.map_T_base, at_m) ||
            is_crossable(robot, judge->arena, sample->truth.map_T_base, at_m)) {
            continue;
        }
        deepest_m = fmax(deepest_m, height_m(judge->arena, at_m));
    }
    if (deepest_m > 0) { robot->edge_ns = now.ns; }
    if (!lasts(robot, CAIRN_VIOLATION_EDGE, deepest_m > 0, 0, now)) { return; }
    cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_EDGE, deepest_m, now);
    snprintf(it->words, sizeof it->words, "a wheel hangs %.2f m over the ground at %.1f, %.1f", deepest_m,
             sample->truth.map_T_base.at_m.x, sample->truth.map_T_base.at_m.y);
}

// No steeper than its file's climb, and no wheel's ground off their common plane by more than its step.
static bool is_on_good_ground(const cairn_judge *judge, const cairn_judge_robot *robot, cairn_pose3 map_T_base)
{
    const cairn_wheels_description *wheels = &robot->description->wheels;
    double ground_m[4];
    for (int i = 0; i < 4; i++) {
        const cairn_vec3 at_m = wheel_m(robot, map_T_base, i);
        ground_m[i] = cairn_sim_ground_m(judge->arena, (cairn_vec2){at_m.x, at_m.y},
                                         at_m.z + robot->description->limits.step_m_max);
    }
    const double along = (ground_m[1] + ground_m[3] - ground_m[0] - ground_m[2]) / (2 * wheels->wheelbase_m);
    const double across = (ground_m[2] + ground_m[3] - ground_m[0] - ground_m[1]) / (2 * wheels->track_m);
    const double twist_m = fabs(ground_m[0] + ground_m[3] - ground_m[1] - ground_m[2]) / 2;
    return atan(hypot(along, across)) <= robot->description->limits.climb_rad_max &&
           twist_m <= robot->description->limits.step_m_max;
}

static void judge_tip(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    const bool fallen = cairn_judge_tilt_rad(sample->truth.map_T_base) > FALLEN_RAD || sample->truth.fallen;
    const bool fell = fallen && !robot->was_fallen;
    robot->was_fallen = robot->was_fallen || fallen;
    if (!fell || (robot->edge_ns != NEVER && now.ns - robot->edge_ns < CAIRN_S(3))) { return; }
    const uint32_t count = (uint32_t)(GOOD_GROUND_NS / CAIRN_JUDGE_PAST_NS);
    if (robot->past_count < count) { return; }
    for (uint32_t i = 1; i <= count; i++) {
        if (!robot->past_on_good_ground[(robot->past_count - i) % CAIRN_JUDGE_PAST]) { return; }
    }
    const cairn_vec3 at_m = sample->truth.map_T_base.at_m;
    cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_TIP, 1, now);
    snprintf(it->words, sizeof it->words, "it fell over on good ground at %.1f, %.1f", at_m.x, at_m.y);
}

// ---- wheels

static void judge_wheels(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    const int64_t braking_ns = cairn_judge_braking_ns(robot->description);
    const double mps = rim_mps(robot, &sample->truth);
    const bool pushed = robot->pushed_ns != NEVER && now.ns - robot->pushed_ns < PUSHED_NS;
    const bool turns = mps > STANDING_MPS_MAX && !pushed;
    const bool told = sample->told_mps != 0 || sample->told_radps != 0;
    const bool old = sample->commanded.ns == NEVER || now.ns - sample->commanded.ns > COMMAND_AGE_NS_MAX;
    const bool lies = cairn_judge_tilt_rad(sample->truth.map_T_base) > FALLEN_RAD;
    const bool lifted = (sample->conditions >> CAIRN_CONDITION_LIFTED & 1) != 0;
    const bool empty = sample->charge <= 0; // false where not judged
    const double tilt_rad = cairn_judge_tilt_rad(sample->truth.map_T_base);
    const bool tilted = tilt_rad > robot->description->limits.tilt_rad_max + TILTED_RAD_MORE && !sample->imu_failed;
    const double pushes = sample->told_mps > 0 ? 1 : sample->told_mps < 0 ? -1 : 0;
    const uint32_t in_vain = 1u << CAIRN_CONDITION_SPINNING | 1u << CAIRN_CONDITION_HIGH_CENTRED;
    // One whose laser is too near a wall to see anything says so; nothing else tells it that it does not go along.
    const bool sees_way = !sample->speaks || sample->condition != CAIRN_CONDITION_BLIND;
    const bool spins = sees_way && pushes != 0 && pushes == robot->pushes && (sample->conditions & in_vain) != 0;
    robot->pushes = pushes;
    const struct {
        cairn_violation_kind kind;
        bool breach;
        int64_t after_ns;
        const char *words;
    } rows[] = {
        {CAIRN_VIOLATION_COMMAND, old && told, 0, "told to drive without a valid command"},
        {CAIRN_VIOLATION_STOP, sample->stopped && turns, braking_ns, "wheels turn under a stop"},
        // It has CAIRN_CONDITION_NS_MAX to find that it is lifted.
        {CAIRN_VIOLATION_LYING, (lies || lifted) && turns, lies ? braking_ns : braking_ns + CAIRN_CONDITION_NS_MAX,
         "wheels turn although it has fallen or is lifted"},
        {CAIRN_VIOLATION_BATTERY, empty && told, EMPTY_NS, "it drives on with an empty battery"},
        {CAIRN_VIOLATION_TILTED, tilted && told, TILTED_NS, "it drives on although it is too steep"},
        {CAIRN_VIOLATION_SENSES, sample->senses_silent && told, SENSES_NS,
         "it drives on without a sense that it needs"},
        {CAIRN_VIOLATION_COUNTS, sample->count_stands && fabs(sample->told_mps) > COUNTS_MPS, COUNTS_NS,
         "it drives on by a count that stands still"},
        {CAIRN_VIOLATION_SPINNING, spins, SPINNING_NS, "it pushes on although its wheels only spin"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!lasts(robot, rows[i].kind, rows[i].breach, rows[i].after_ns, now)) { continue; }
        cairn_violation *it = tell(judge, at, rows[i].kind, mps, now);
        snprintf(it->words, sizeof it->words, "%s: %.2f m/s at the rim, told %.2f m/s and %.2f rad/s", rows[i].words,
                 mps, sample->told_mps, sample->told_radps);
    }
    // The time without a command counts, not that of turning: it must stand when that is over.
    const bool late = sample->commanded.ns != NEVER && now.ns - sample->commanded.ns > COMMAND_AGE_NS_MAX + braking_ns;
    if (lasts(robot, CAIRN_VIOLATION_BRAKING, late && turns, 0, now)) {
        cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_BRAKING, mps, now);
        snprintf(it->words, sizeof it->words, "wheels turn at %.2f m/s, %.1f s after the last command", mps,
                 cairn_seconds(now.ns - sample->commanded.ns));
    }
}

// ---- words

// Said is it, or a graver one; one kind of being stuck may be taken for another (condition_names.h).
static bool answers(unsigned said, unsigned condition)
{
    return cairn_condition_rank(said) <= cairn_condition_rank(condition) ||
           (cairn_condition_is_stuck(said) && cairn_condition_is_stuck(condition));
}

static void judge_conditions(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    const bool known = sample->speaks && sample->feels && sample->condition != 255;
    for (uint32_t c = 1; c < CAIRN_CONDITION_COUNT; c++) {
        const bool holds = (sample->conditions >> c & 1) != 0;
        if (!holds || !known || answers(sample->condition, c)) {
            robot->condition_since_ns[c] = NEVER;
            robot->condition_told[c] = false;
            continue;
        }
        if (robot->condition_since_ns[c] == NEVER) { robot->condition_since_ns[c] = now.ns; }
        if (robot->condition_told[c] || now.ns - robot->condition_since_ns[c] < CAIRN_CONDITION_NS_MAX) { continue; }
        robot->condition_told[c] = true;
        cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_UNSAID, (double)c, now);
        snprintf(it->words, sizeof it->words, "it is '%s' and says '%s'", cairn_condition_name(c),
                 cairn_condition_name(sample->condition));
    }
}

static void judge_place(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    const cairn_vec3 true_m = sample->truth.map_T_base.at_m;
    const double error_m = cairn_vec2_distance((cairn_vec2){true_m.x, true_m.y}, sample->believed_m);
    const bool sure = sample->speaks && sample->health == CAIRN_HEALTH_GOOD;
    if (!lasts(robot, CAIRN_VIOLATION_PLACE, sure && error_m > PLACE_M_MAX, PLACE_NS_MAX, now)) { return; }
    cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_PLACE, error_m, now);
    snprintf(it->words, sizeof it->words, "it is %.2f m off and says that it knows its place", error_m);
}

// ---- areas

// From a point to an area's border; negative inside.
static double outside_m(const cairn_area *area, cairn_vec2 at_m)
{
    double nearest_m = INFINITY;
    bool inside = false;
    for (uint32_t i = 0, j = area->corner_count - 1u; i < area->corner_count; j = i++) {
        const cairn_vec2 a = {(double)area->x_m[j], (double)area->y_m[j]};
        const cairn_vec2 b = {(double)area->x_m[i], (double)area->y_m[i]};
        const cairn_vec2 way = {b.x - a.x, b.y - a.y};
        const double part = ((at_m.x - a.x) * way.x + (at_m.y - a.y) * way.y) / (way.x * way.x + way.y * way.y);
        const double along = fmin(fmax(part, 0), 1);
        nearest_m = fmin(nearest_m, hypot(a.x + along * way.x - at_m.x, a.y + along * way.y - at_m.y));
        const bool crosses = (a.y > at_m.y) != (b.y > at_m.y);
        if (crosses && at_m.x < a.x + (at_m.y - a.y) / way.y * way.x) { inside = !inside; }
    }
    return inside ? -nearest_m : nearest_m;
}

// How far a point is where it may not be; 0 or less: it may be there.
static double forbidden_m(const cairn_areas *areas, cairn_vec2 at_m)
{
    double out_m = INFINITY, most_m = 0;
    bool kept_in = false;
    for (uint32_t i = 0; i < areas->area_count; i++) {
        const double m = outside_m(&areas->areas[i], at_m);
        if (areas->areas[i].kind == CAIRN_AREA_KEEP_OUT) {
            most_m = fmax(most_m, -m);
        } else {
            kept_in = true;
            out_m = fmin(out_m, m);
        }
    }
    return kept_in ? fmax(most_m, out_m) : most_m;
}

static void judge_area(cairn_judge *judge, uint32_t at, const cairn_judge_sample *sample, cairn_mono now)
{
    cairn_judge_robot *robot = &judge->robots[at];
    robot->kept_in = robot->kept_in && sample->knows_areas;
    if (judge->areas == NULL || !sample->knows_areas) { return; }
    double most_m = 0;
    for (int i = 0; i < HULL_POINTS * HULL_POINTS; i++) {
        const int column = i % HULL_POINTS, row = i / HULL_POINTS;
        const double along = (double)column / (HULL_POINTS - 1) - 0.5;
        const double across = (double)row / (HULL_POINTS - 1) - 0.5;
        const cairn_vec3 in_base = {along * robot->description->length_m, across * robot->description->width_m, 0};
        const cairn_vec3 at_m = cairn_pose3_apply(sample->truth.map_T_base, in_base);
        most_m = fmax(most_m, forbidden_m(judge->areas, (cairn_vec2){at_m.x, at_m.y}));
    }
    const bool pushed = robot->pushed_ns != NEVER && now.ns - robot->pushed_ns < PUSHED_NS;
    robot->kept_in = robot->kept_in || most_m <= 0;
    // Areas lie where it believes to be; that its belief is right is a promise of its own.
    const cairn_vec3 true_m = sample->truth.map_T_base.at_m;
    const double off_m = cairn_vec2_distance((cairn_vec2){true_m.x, true_m.y}, sample->believed_m);
    const bool breach = most_m > AREA_M_MAX + off_m && robot->kept_in && !pushed && !sample->truth.fallen;
    if (!lasts(robot, CAIRN_VIOLATION_AREA, breach, 0, now)) { return; }
    cairn_violation *it = tell(judge, at, CAIRN_VIOLATION_AREA, most_m, now);
    snprintf(it->words, sizeof it->words, "its hull is %.2f m where it may not be, at %.1f, %.1f", most_m,
             sample->truth.map_T_base.at_m.x, sample->truth.map_T_base.at_m.y);
}

static void remember(cairn_judge *judge, cairn_judge_robot *robot, const cairn_judge_sample *sample, cairn_mono now)
{
    if (now.ns / CAIRN_JUDGE_PERIOD_NS % (CAIRN_JUDGE_PAST_NS / CAIRN_JUDGE_PERIOD_NS) != 0) { return; }
    const uint32_t slot = robot->past_count++ % CAIRN_JUDGE_PAST;
    robot->past[slot] = sample->truth.map_T_base;
    robot->past_on_good_ground[slot] = is_on_good_ground(judge, robot, sample->truth.map_T_base);
}

// What is judged by its way begins anew where it is set down.
static void let_go_of_past(cairn_judge_robot *robot)
{
    robot->past_count = 0;
    robot->kept_in = false;
}

void cairn_judge_step(cairn_judge *judge, const cairn_judge_sample *samples, cairn_mono now)
{
    CAIRN_ASSERT(judge->robot_count >= 1 && now.ns >= 0);
    for (uint32_t i = 0; i < judge->robot_count; i++) {
        if (samples[i].dead) { continue; }
        if (samples[i].overridden) { judge->robots[i].overridden_ns = now.ns; }
        judge_wheels(judge, i, &samples[i], now);
        if (samples[i].held) {
            let_go_of_past(&judge->robots[i]);
            judge_place(judge, i, &samples[i], now);
            judge_conditions(judge, i, &samples[i], now);
            continue;
        }
        judge_edge(judge, i, &samples[i], now);
        judge_tip(judge, i, &samples[i], now);
        judge_area(judge, i, &samples[i], now);
        judge_place(judge, i, &samples[i], now);
        judge_conditions(judge, i, &samples[i], now);
        remember(judge, &judge->robots[i], &samples[i], now);
    }
}

// ---- contacts

// What was touched: where, how high it reaches, and which solid not to take for something in the way.
typedef struct thing {
    cairn_vec3 at_m;
    double bottom_m, top_m;
    uint32_t solid; // UINT32_MAX: another robot
} thing;

static bool is_hidden(const cairn_judge *judge, const thing *it, cairn_vec3 from_m, cairn_vec3 to_m)
{
    const cairn_vec3 way = cairn_vec3_add(to_m, cairn_vec3_scale(from_m, -1));
    const double way_m = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    if (way_m < 1e-6) { return false; }
    const cairn_vec3 direction = cairn_vec3_scale(way, 1 / way_m);
    for (uint32_t i = 0; i < judge->arena->solid_count; i++) {
        const cairn_solid *solid = &judge->arena->solids[i];
        if (i == it->solid || cairn_solid_moves(solid)) { continue; }
        const double met_m = cairn_ray_box3(from_m, direction, solid->map_T_box, solid->half_m);
        if (met_m >= 0 && met_m < way_m - 0.05) { return true; }
    }
    return false;
}

static bool laser_has(const cairn_judge *judge, const cairn_laser_description *laser, cairn_pose3 map_T_base,
                      const thing *it)
{
    if (!laser->offered) { return false; }
    const cairn_pose3 map_T_laser = cairn_pose3_compose(map_T_base, laser->base_T_laser);
    const cairn_vec3 seen = cairn_pose3_apply(cairn_pose3_inverse(map_T_laser), it->at_m);
    const double range_m = hypot(seen.x, seen.y);
    if (range_m < laser->range_m_min || range_m > laser->range_m_max) { return false; }
    if (fabs(atan2(seen.y, seen.x)) > 0.5 * laser->field_rad) { return false; }
    // Where its plane cuts the upright line through the place that was touched.
    const cairn_vec3 in_plane = cairn_pose3_apply(map_T_laser, (cairn_vec3){seen.x, seen.y, 0});
    double low_m = in_plane.z, high_m = in_plane.z;
    if (laser->nod.offered) {
        low_m -= range_m * tan(laser->nod.to_rad);
        high_m -= range_m * tan(laser->nod.from_rad);
    }
    if (high_m < it->bottom_m || low_m > it->top_m) { return false; }
    const cairn_vec3 at_m = {it->at_m.x, it->at_m.y, fmin(fmax(in_plane.z, it->bottom_m), it->top_m)};
    return !is_hidden(judge, it, map_T_laser.at_m, at_m);
}

static bool imager_has(const cairn_judge *judge, const cairn_range_imager_description *imager, cairn_pose3 map_T_base,
                       const thing *it)
{
    if (!imager->offered) { return false; }
    const cairn_pose3 map_T_camera = cairn_pose3_compose(map_T_base, imager->base_T_camera);
    const double wide = tan(0.5 * imager->field_rad), high = wide * imager->height_px / imager->width_px;
    for (int i = 0; i <= 4; i++) {
        const cairn_vec3 at_m = {it->at_m.x, it->at_m.y, it->bottom_m + (it->top_m - it->bottom_m) * i / 4};
        const cairn_vec3 seen = cairn_pose3_apply(cairn_pose3_inverse(map_T_camera), at_m);
        const bool within = seen.x >= imager->range_m_min && seen.x <= imager->range_m_max &&
                            fabs(seen.y) <= wide * seen.x && fabs(seen.z) <= high * seen.x;
        if (within && !is_hidden(judge, it, map_T_camera.at_m, at_m)) { return true; }
    }
    return false;
}

static bool sees(const cairn_judge *judge, const cairn_judge_robot *robot, cairn_pose3 map_T_base, const thing *it)
{
    return laser_has(judge, &robot->description->laser, map_T_base, it) ||
           imager_has(judge, &robot->description->range_imager, map_T_base, it);
}

// How high a robot is at a place of its hull: lasers look over the hull and meet the head behind it.
static double top_of_robot_m(const cairn_judge_robot *robot, cairn_vec3 at_m)
{
    const cairn_pose3 map_T_base = robot->past[(robot->past_count - 1) % CAIRN_JUDGE_PAST];
    const cairn_robot_shape shape = cairn_robot_shape_of(robot->description);
    const cairn_vec3 at = cairn_pose3_apply(cairn_pose3_inverse(map_T_base), at_m);
    const bool at_head = shape.has_head && fabs(at.x - shape.head_centre_m.x) < shape.head_half_m.x + BESIDE_M &&
                         fabs(at.y - shape.head_centre_m.y) < shape.head_half_m.y + BESIDE_M;
    const double hull_m = fmax(shape.hull_centre_m.z + shape.hull_half_m.z, 2 * shape.wheel_radius_m);
    return map_T_base.at_m.z + (at_head ? shape.head_centre_m.z + shape.head_half_m.z : hull_m);
}

// How high ground rises just beyond the place: the side of a ramp is as high there as the ramp is.
static double top_of_ground_m(const cairn_judge *judge, const cairn_collision *collision, double top_m)
{
    const cairn_judge_robot *robot = &judge->robots[collision->robot];
    const cairn_vec3 from_m = robot->past[(robot->past_count - 1) % CAIRN_JUDGE_PAST].at_m;
    const double x_m = collision->at_m.x - from_m.x, y_m = collision->at_m.y - from_m.y, way_m = hypot(x_m, y_m);
    if (way_m < 1e-6) { return top_m; }
    const double part = (way_m + BESIDE_M) / way_m;
    const cairn_vec2 beyond_m = {from_m.x + part * x_m, from_m.y + part * y_m};
    return fmin(top_m, cairn_sim_ground_m(judge->arena, beyond_m, top_m + BESIDE_M));
}

static thing thing_of(const cairn_judge *judge, const cairn_collision *collision)
{
    if (collision->thing >= judge->arena->solid_count) {
        const uint32_t other = collision->thing - judge->arena->solid_count;
        CAIRN_ASSERT(other < judge->robot_count);
        const double top_m = top_of_robot_m(&judge->robots[other], collision->at_m);
        return (thing){collision->at_m, fmin(collision->at_m.z, top_m) - 0.1, top_m, UINT32_MAX};
    }
    const cairn_solid *solid = &judge->arena->solids[collision->thing];
    const double middle_m = solid->map_T_box.at_m.z;
    double top_m = middle_m + solid->half_m.z;
    if (solid->kind == CAIRN_SOLID_GROUND) { top_m = top_of_ground_m(judge, collision, top_m); }
    return (thing){collision->at_m, middle_m - solid->half_m.z, top_m, collision->thing};
}

// How fast the place that touched has come on the way of the last BEFORE_MEAN samples: wheels with slack jerk, and a
// jerk of some millimetres is no blow.
static double mean_mps(const cairn_judge_robot *robot, cairn_vec3 at_m)
{
    const cairn_pose3 is = robot->past[(robot->past_count - 1) % CAIRN_JUDGE_PAST];
    const cairn_pose3 was = robot->past[(robot->past_count - 1 - BEFORE_MEAN) % CAIRN_JUDGE_PAST];
    const cairn_vec3 then_m = cairn_pose3_apply(was, cairn_pose3_apply(cairn_pose3_inverse(is), at_m));
    return hypot(at_m.x - then_m.x, at_m.y - then_m.y) / cairn_seconds(BEFORE_MEAN * CAIRN_JUDGE_PAST_NS);
}

// Where it was i samples ago: another robot has moved since, and the place on it with it. What else moves is taken as
// where it is now.
static thing thing_then(const cairn_judge *judge, const cairn_collision *collision, const thing *now, uint32_t ago)
{
    thing then = *now;
    if (now->solid != UINT32_MAX) { return then; }
    const cairn_judge_robot *other = &judge->robots[collision->thing - judge->arena->solid_count];
    if (other->past_count <= ago) { return then; }
    const cairn_pose3 was = other->past[(other->past_count - 1 - ago) % CAIRN_JUDGE_PAST];
    const cairn_pose3 is = other->past[(other->past_count - 1) % CAIRN_JUDGE_PAST];
    then.at_m = cairn_pose3_apply(was, cairn_pose3_apply(cairn_pose3_inverse(is), now->at_m));
    return then;
}

// Who ran into whom: of another robot also how fast it came.
static void tell_contact(cairn_judge *judge, const cairn_collision *collision, double stopping_s, cairn_mono now)
{
    const char *names[CAIRN_JUDGE_ROBOTS_MAX];
    for (uint32_t i = 0; i < judge->robot_count; i++) { names[i] = judge->robots[i].name; }
    const cairn_judge_robot *robot = &judge->robots[collision->robot];
    const cairn_pose3 map_T_base = robot->past[(robot->past_count - 1) % CAIRN_JUDGE_PAST];
    cairn_collision_entry entry;
    cairn_collision_describe(collision, judge->arena, names, map_T_base, &entry);
    cairn_violation *it = tell(judge, collision->robot, CAIRN_VIOLATION_CONTACT, collision->own_mps, now);
    snprintf(
        it->words, sizeof it->words,
        "%.2f m/s of its own into %s, which came at %.2f; %.2f m ahead, %.2f left; in sight for %.1f s, at %.1f, %.1f",
        entry.own_mps, entry.with, fmax(entry.speed_mps - entry.own_mps, 0), entry.ahead_m, entry.left_m, stopping_s,
        entry.at_m.x, entry.at_m.y);
}

// Both robots that touch, and one that is touched by what moves, may be pushed.
static void note_pushed(cairn_judge *judge, const cairn_collision *collision, cairn_mono now)
{
    if (collision->thing >= judge->arena->solid_count) {
        judge->robots[collision->thing - judge->arena->solid_count].pushed_ns = now.ns;
    } else if (!cairn_solid_moves(&judge->arena->solids[collision->thing])) {
        return;
    }
    judge->robots[collision->robot].pushed_ns = now.ns;
}

void cairn_judge_collision(cairn_judge *judge, const cairn_collision *collision, cairn_mono now)
{
    CAIRN_ASSERT(collision->robot < judge->robot_count);
    const cairn_judge_robot *robot = &judge->robots[collision->robot];
    note_pushed(judge, collision, now);
    const uint32_t other = collision->thing - judge->arena->solid_count;                // of solids: beyond all robots
    if (other < judge->robot_count && judge->robots[other].past_count == 0) { return; } // somebody holds it
    if (judge->no_grip || collision->own_mps <= CONTACT_MPS_MAX) {
        return;
    } // who stands is not the one who ran into another
    const double stopping_s = collision->own_mps / robot->description->limits.accel_mps2_max + REACTION_S;
    const uint32_t first = (uint32_t)(BEFORE_TOUCH_NS / CAIRN_JUDGE_PAST_NS);
    const uint32_t last = first + (uint32_t)ceil(stopping_s / cairn_seconds(CAIRN_JUDGE_PAST_NS));
    if (last >= CAIRN_JUDGE_PAST || robot->past_count <= last) { return; }
    if (mean_mps(robot, collision->at_m) <= CONTACT_MPS_MAX) { return; }
    const thing touched = thing_of(judge, collision);
    for (uint32_t ago = first; ago <= last; ago++) {
        const thing then = thing_then(judge, collision, &touched, ago);
        if (!sees(judge, robot, robot->past[(robot->past_count - 1 - ago) % CAIRN_JUDGE_PAST], &then)) { return; }
    }
    tell_contact(judge, collision, stopping_s, now);
}
