#include "robot/ground/touches.h"
#include <math.h>
#include <string.h>

#define OUTSIDE_M 0.02 // marks lie so far outside of the hull, so that the robot can leave
#define SPACING_M 0.05 // between marks, as fine as the map
#define SEEN_M 0.12    // an obstacle of the map this near to the touched side is what was touched
#define HEAD_M 0.36    // or one so far beyond it: a robot that nobody told of, of which the laser sees the head only
#define TEAMMATE_M 1.2 // between two robots' middles: hulls may touch, and maps may be off
#define INSIDE_M 0.06  // a mark this deep in the hull was driven over. Smaller: marks beside the way get lost
#define AGAIN_M 0.10   // while it goes on touching, marks are made again after so much way
#define AGAIN_RAD 0.2

#define BESIDE_M 0.15  // a mark this near to a side keeps the robot from moving that way
#define KERB_M_MIN 0.3 // between two touches that tell a direction
#define KERB_M_MAX 1.3 // between two of one kerb. Larger: things that stand apart become one
#define KERB_MORE_M 1.0
#define KERB_SPACING_M 0.1 // as the cells of the planner
#define STANDING_MPS 0.02
#define STANDING_RADPS 0.05
#define STANDING_NS CAIRN_MS(500) // who has stood for so long was run into
// [rad] Beyond the steepest ramp by the first, unless that is nearer than the second to where the tilt guard acts.
// Smaller: ramps are shut; larger: the robot is held for good before it knows.
#define LEAN_MORE_RAD 0.07
#define LEAN_LESS_RAD 0.14

typedef enum side { FRONT, REAR, LEFT, RIGHT, SIDES } side;

void cairn_touches_init(cairn_touches *touches, const cairn_body_description *description)
{
    *touches = (cairn_touches){.half_length_m = 0.5 * description->length_m,
                               .half_width_m = 0.5 * description->width_m,
                               .lean_rad_max = fmin(description->limits.climb_rad_max + LEAN_MORE_RAD,
                                                    description->limits.tilt_rad_max - LEAN_LESS_RAD)};
}

// Leaning farther than it is meant to climb, it drives up something that is no ground for it, and is near the angle at
// which reflex holds it for good. The side that is up is shut, unless it is on its way down.
static uint32_t leaning_sides(const cairn_touches *touches, const cairn_reflex_state *state)
{
    if (!(fabs(state->pitch_rad) > touches->lean_rad_max)) { return 0; } // NaN too
    if (state->pitch_rad < 0) { return state->told_mps > -STANDING_MPS ? 1u << FRONT : 0; }
    return state->told_mps < STANDING_MPS ? 1u << REAR : 0;
}

// Who stands and is touched was run into, by something that will be gone.
static bool was_run_into(cairn_touches *touches, const cairn_reflex_state *state, cairn_mono now)
{
    const bool stands = fabs(state->told_mps) < STANDING_MPS && fabs(state->told_radps) < STANDING_RADPS;
    if (!stands) { touches->moved_at = now; }
    return cairn_mono_since(now, touches->moved_at) > STANDING_NS;
}

static uint32_t touched_sides(const cairn_touches *touches, const cairn_reflex_state *state)
{
    const bool touched[SIDES] = {state->bump_front, state->bump_rear, state->bump_left, state->bump_right};
    uint32_t sides = leaning_sides(touches, state);
    for (uint32_t i = 0; i < SIDES; i++) { sides |= touched[i] ? 1u << i : 0; }
    return sides;
}

static void add_mark(cairn_touches *touches, cairn_vec2 at_m, bool middle, cairn_mono now)
{
    if (touches->count == CAIRN_TOUCHES_MAX) {
        memmove(touches->marks, touches->marks + 1, (CAIRN_TOUCHES_MAX - 1) * sizeof touches->marks[0]);
        touches->count--;
    }
    touches->marks[touches->count++] = (cairn_touch){now, at_m, middle};
}

// The marks of a side, in base: up to SIDE_MARKS_MAX.
#define SIDE_MARKS_MAX 64
static uint32_t side_marks(const cairn_touches *touches, side of, cairn_vec2 ret_marks[SIDE_MARKS_MAX])
{
    const bool lengthwise = of == LEFT || of == RIGHT;
    const double half_m = lengthwise ? touches->half_length_m : touches->half_width_m;
    const double out_m = (lengthwise ? touches->half_width_m : touches->half_length_m) + OUTSIDE_M;
    const double away_m = of == FRONT || of == LEFT ? out_m : -out_m;
    const uint32_t count = (uint32_t)fmin(ceil(2 * half_m / SPACING_M) + 1, SIDE_MARKS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const double along_m = -half_m + 2 * half_m * i / (count - 1);
        ret_marks[i] = lengthwise ? (cairn_vec2){along_m, away_m} : (cairn_vec2){away_m, along_m};
    }
    return count;
}

static bool is_seen(const cairn_tracker *tracker, cairn_vec2 at_m, cairn_mono now)
{
    const double cell_m = cairn_local_grid_get_def(tracker->grid)->cell_m;
    const int reach = (int)ceil(SEEN_M / cell_m);
    for (int y = -reach; y <= reach; y++) {
        for (int x = -reach; x <= reach; x++) {
            if (hypot(x, y) * cell_m > SEEN_M) { continue; }
            const cairn_vec2 near_m = {at_m.x + x * cell_m, at_m.y + y * cell_m};
            if (cairn_local_grid_at(tracker->grid, near_m, now) == CAIRN_GROUND_OBSTACLE) { return true; }
        }
    }
    return false;
}

static bool is_seen_beyond(const cairn_tracker *tracker, cairn_vec2 mark_m, cairn_vec2 out, cairn_mono now)
{
    for (int i = 0; i * SEEN_M <= HEAD_M; i++) {
        if (is_seen(tracker, cairn_vec2_add(mark_m, cairn_vec2_scale(out, i * SEEN_M)), now)) { return true; }
    }
    return false;
}

// What lies right at a side of the hull.
static void forget_side(cairn_touches *touches, side of, cairn_pose2 private_T_base)
{
    const cairn_pose2 base_T_private = cairn_pose2_inverse(private_T_base);
    const bool lengthwise = of == LEFT || of == RIGHT;
    const double sign = of == FRONT || of == LEFT ? 1 : -1;
    const double out_m = lengthwise ? touches->half_width_m : touches->half_length_m;
    const double half_m = (lengthwise ? touches->half_length_m : touches->half_width_m) + BESIDE_M;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < touches->count; i++) {
        const cairn_vec2 at_m = cairn_pose2_apply(base_T_private, touches->marks[i].at_m);
        const double away_m = sign * (lengthwise ? at_m.y : at_m.x), along_m = lengthwise ? at_m.x : at_m.y;
        if (away_m > 0 && away_m < out_m + BESIDE_M && fabs(along_m) < half_m) { continue; }
        touches->marks[kept++] = touches->marks[i];
    }
    touches->count = kept;
}

// The touch before this one that may have been of the same kerb: the nearest in reach.
static const cairn_touch *same_kerb(const cairn_touches *touches, cairn_vec2 at_m)
{
    const cairn_touch *nearest = NULL;
    double nearest_m = KERB_M_MAX;
    for (uint32_t i = 0; i < touches->count; i++) {
        const double away_m = cairn_vec2_distance(touches->marks[i].at_m, at_m);
        if (!touches->marks[i].middle || away_m < KERB_M_MIN || away_m > nearest_m) { continue; }
        nearest = &touches->marks[i];
        nearest_m = away_m;
    }
    return nearest;
}

// Who feels its way along a kerb would touch it again at every metre: the line through the last two touches is shut. It
// is a guess, and as short-lived as they are.
static void add_kerb(cairn_touches *touches, cairn_vec2 at_m, cairn_mono now)
{
    const cairn_touch *other = same_kerb(touches, at_m);
    if (other == NULL) { return; }
    const cairn_vec2 from_m = other->at_m;
    const double apart_m = cairn_vec2_distance(from_m, at_m);
    const cairn_vec2 along = cairn_vec2_scale(cairn_vec2_sub(at_m, from_m), 1 / apart_m);
    const uint32_t count = (uint32_t)((apart_m + 2 * KERB_MORE_M) / KERB_SPACING_M) + 1;
    for (uint32_t i = 0; i < count; i++) {
        add_mark(touches, cairn_vec2_add(from_m, cairn_vec2_scale(along, i * KERB_SPACING_M - KERB_MORE_M)), false,
                 now);
    }
}

// Between two marks it could not move at all: what lies opposite is forgotten, since the robot must get away.
static void mark_side(cairn_touches *touches, side of, cairn_pose2 private_T_base, const cairn_tracker *tracker,
                      cairn_mono now)
{
    cairn_vec2 marks[SIDE_MARKS_MAX];
    const uint32_t count = side_marks(touches, of, marks);
    const cairn_vec2 outward[SIDES] = {[FRONT] = {1, 0}, [REAR] = {-1, 0}, [LEFT] = {0, 1}, [RIGHT] = {0, -1}};
    const cairn_vec2 out = cairn_pose2_rotate(private_T_base, outward[of]);
    for (uint32_t i = 0; i < count; i++) {
        marks[i] = cairn_pose2_apply(private_T_base, marks[i]);
        if (is_seen_beyond(tracker, marks[i], out, now)) { return; }
    }
    const side opposite[SIDES] = {[FRONT] = REAR, [REAR] = FRONT, [LEFT] = RIGHT, [RIGHT] = LEFT};
    forget_side(touches, opposite[of], private_T_base);
    add_kerb(touches, marks[count / 2], now);
    for (uint32_t i = 0; i < count; i++) { add_mark(touches, marks[i], i == count / 2, now); }
    touches->touch_count++;
}

// Forgets what is too old and, while nothing is touched, what lies under the robot.
static void forget(cairn_touches *touches, cairn_pose2 private_T_base, bool touching, cairn_mono now)
{
    const cairn_pose2 base_T_private = cairn_pose2_inverse(private_T_base);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < touches->count; i++) {
        const cairn_touch mark = touches->marks[i];
        const cairn_vec2 at_m = cairn_pose2_apply(base_T_private, mark.at_m);
        const bool under =
            fabs(at_m.x) < touches->half_length_m - INSIDE_M && fabs(at_m.y) < touches->half_width_m - INSIDE_M;
        if (cairn_mono_since(now, mark.at) > CAIRN_TOUCH_NS || (under && !touching)) { continue; }
        touches->marks[kept++] = mark;
    }
    touches->count = kept;
}

static bool is_beside_teammate(cairn_vec2 at_m, const cairn_moving_things *moving)
{
    for (uint32_t i = 0; i < moving->count; i++) {
        if (cairn_vec2_distance(moving->at_m[i], at_m) < TEAMMATE_M) { return true; }
    }
    return false;
}

void cairn_touches_feel(cairn_touches *touches, const cairn_reflex_state *state, const cairn_tracker *tracker,
                        const cairn_moving_things *moving, cairn_mono now)
{
    const cairn_pose2 private_T_base = cairn_tracker_pose(tracker, state);
    const uint32_t sides = touched_sides(touches, state);
    const cairn_pose2 moved = cairn_pose2_between(touches->marked_at, private_T_base);
    const bool again = cairn_vec2_length(cairn_pose2_at(moved)) > AGAIN_M || fabs(moved.yaw_rad) > AGAIN_RAD;
    const uint32_t fresh = again ? sides : sides & ~touches->sides;
    touches->sides = sides;
    forget(touches, private_T_base, sides != 0, now);
    const bool run_into = was_run_into(touches, state, now);
    if (fresh == 0 || run_into || !tracker->started || is_beside_teammate(cairn_pose2_at(private_T_base), moving)) {
        return;
    }
    touches->marked_at = private_T_base;
    for (uint32_t i = 0; i < SIDES; i++) {
        if ((fresh >> i & 1u) != 0) { mark_side(touches, (side)i, private_T_base, tracker, now); }
    }
}
