// All is done in the axes of the box: each corner of an area is carried there, and an edge meets the box or does not
// (separating axes of a segment and a box). Where no edge of an area meets it, the box is inside or outside as its
// middle is.
#include "robot/reflex/area.h"
#include "robot/reflex/near.h"
#include "robot/reflex/reflex.h"
#include <math.h>

// [m] The hull stops so far before a border. Larger: odometry may be off by more; less room.
#define MARGIN_M 0.04
#define MARGIN_HALVINGS 8 // until what is left of it is known to a tenth of a millimetre
// [m] However slowly it goes, so far ahead is looked.
#define LOOK_M 0.005
// [m] Farther away no border can be.
#define FAR_M 1e6
// [m] A step is tried out to find which way leads back, and how much less must be left then. Whatever frees it within
// the longest of these leads back, too.
#define TRY_M 0.02
#define BACK_M 0.002
#define TRIES 4

void cairn_area_init(cairn_area_watch *watch, const cairn_body_description *body)
{
    CAIRN_ASSERT(body->length_m > 0.0 && body->width_m > 0.0);
    watch->body = body;
    watch->told = false;
    watch->version = 0;
    watch->refused_count = 0;
    watch->areas.area_count = 0;
}

void cairn_area_forget(cairn_area_watch *watch, cairn_cell *cell)
{
    watch->told = false;
    if (cell != NULL) { (void)cairn_cell_latest(cell, &watch->version); }
}

static bool is_sound(const cairn_area *area)
{
    if (area->kind > CAIRN_AREA_KEEP_OUT || area->corner_count < 3 || area->corner_count > CAIRN_AREA_CORNERS_MAX) {
        return false;
    }
    for (int i = 0; i < area->corner_count; i++) {
        const double x_m = (double)area->x_m[i], y_m = (double)area->y_m[i];
        if (!(fabs(x_m) < FAR_M && fabs(y_m) < FAR_M)) { return false; } // false for what is no number
    }
    return true;
}

static bool are_sound(const cairn_areas *areas)
{
    if (areas->area_count > CAIRN_AREAS_MAX) { return false; }
    for (uint32_t i = 0; i < areas->area_count; i++) {
        if (!is_sound(&areas->areas[i])) { return false; }
    }
    return true;
}

void cairn_area_hear(cairn_area_watch *watch, cairn_cell *cell, cairn_mono now)
{
    if (cell == NULL) { return; }
    uint64_t version = 0;
    const cairn_areas *areas = cairn_cell_latest(cell, &version);
    if (areas == NULL || version == watch->version) { return; }
    if (areas->issued.ns > now.ns + CAIRN_CLOCK_SLACK_NS) { return; } // it may be right in the next step
    watch->version = version;
    if (!are_sound(areas)) {
        watch->refused_count++;
        return;
    }
    watch->areas = *areas;
    watch->told = true;
}

// ---- a box and an area

// An area's corners in the axes of the box.
typedef struct placed_area {
    int count;
    cairn_vec2 corner_m[CAIRN_AREA_CORNERS_MAX];
} placed_area;

static void place(const cairn_area *area, cairn_frame2 box_T_odom, placed_area *ret_placed)
{
    ret_placed->count = area->corner_count;
    for (int i = 0; i < area->corner_count; i++) {
        const cairn_vec2 at_m = {(double)area->x_m[i], (double)area->y_m[i]};
        ret_placed->corner_m[i] = cairn_frame2_apply(box_T_odom, at_m);
    }
}

static bool edge_meets_box(cairn_vec2 a, cairn_vec2 b, cairn_vec2 half_m)
{
    const cairn_vec2 middle = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}, arm = {0.5 * (b.x - a.x), 0.5 * (b.y - a.y)};
    const double arm_x = fabs(arm.x), arm_y = fabs(arm.y);
    if (fabs(middle.x) > half_m.x + arm_x || fabs(middle.y) > half_m.y + arm_y) { return false; }
    return fabs(cairn_vec2_cross(middle, arm)) <= half_m.x * arm_y + half_m.y * arm_x;
}

static bool is_inside(const placed_area *area, cairn_vec2 at_m)
{
    bool inside = false;
    for (int i = 0, before = area->count - 1; i < area->count; before = i++) {
        const cairn_vec2 a = cairn_vec2_sub(area->corner_m[i], at_m), b = cairn_vec2_sub(area->corner_m[before], at_m);
        if ((a.y > 0.0) == (b.y > 0.0)) { continue; }
        if (a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0) { inside = !inside; }
    }
    return inside;
}

// True where no edge meets the box, and its middle is inside or outside as asked for.
static bool keeps(const placed_area *area, cairn_vec2 half_m, bool inside)
{
    for (int i = 0, before = area->count - 1; i < area->count; before = i++) {
        if (edge_meets_box(area->corner_m[before], area->corner_m[i], half_m)) { return false; }
    }
    return is_inside(area, (cairn_vec2){0}) == inside;
}

// Which areas need a look at all: the box may come to their borders. What the others say is said for all poses.
typedef struct area_choice {
    bool forbidden;    // it is within one of the others that it must keep out of
    bool any_in;       // there are some to keep in
    bool within;       // and it is within one of the others
    uint32_t near_set; // bit 1 << index
} area_choice;

static bool choice_allows(const cairn_areas *areas, const area_choice *choice, cairn_pose2 odom_T_box,
                          cairn_vec2 half_m)
{
    const cairn_frame2 box_T_odom = cairn_frame2_of(cairn_pose2_inverse(odom_T_box));
    bool within = choice->within;
    if (choice->forbidden) { return false; }
    for (uint32_t i = 0; i < areas->area_count; i++) {
        if ((choice->near_set >> i & 1) == 0) { continue; }
        placed_area area;
        place(&areas->areas[i], box_T_odom, &area);
        const bool keep_in = areas->areas[i].kind == CAIRN_AREA_KEEP_IN;
        const bool keeps_to_it = keeps(&area, half_m, keep_in);
        if (!keep_in && !keeps_to_it) { return false; }
        within = within || (keep_in && keeps_to_it);
    }
    return within || !choice->any_in;
}

static double to_edge_m(cairn_vec2 a, cairn_vec2 b, cairn_vec2 at_m)
{
    const cairn_vec2 along = cairn_vec2_sub(b, a), to = cairn_vec2_sub(at_m, a);
    const double square = cairn_vec2_dot(along, along);
    const double part = square > 0.0 ? fmin(fmax(cairn_vec2_dot(to, along) / square, 0.0), 1.0) : 0.0;
    return cairn_vec2_distance(at_m, cairn_vec2_add(a, cairn_vec2_scale(along, part)));
}

static double to_border_m(const placed_area *area, cairn_vec2 at_m)
{
    double nearest_m = INFINITY;
    for (int i = 0, before = area->count - 1; i < area->count; before = i++) {
        nearest_m = fmin(nearest_m, to_edge_m(area->corner_m[before], area->corner_m[i], at_m));
    }
    return nearest_m;
}

// For boxes that stay within this distance of a place.
static area_choice choose(const cairn_areas *areas, cairn_pose2 odom_T_base, double reach_m)
{
    CAIRN_ASSERT(areas->area_count <= CAIRN_AREAS_MAX);
    const cairn_frame2 base_T_odom = cairn_frame2_of(cairn_pose2_inverse(odom_T_base));
    area_choice choice = {0};
    for (uint32_t i = 0; i < areas->area_count; i++) {
        placed_area area;
        place(&areas->areas[i], base_T_odom, &area);
        const bool keep_in = areas->areas[i].kind == CAIRN_AREA_KEEP_IN;
        choice.any_in = choice.any_in || keep_in;
        if (to_border_m(&area, (cairn_vec2){0}) <= reach_m) {
            choice.near_set |= 1u << i;
        } else if (is_inside(&area, (cairn_vec2){0})) {
            choice.within = choice.within || keep_in;
            choice.forbidden = choice.forbidden || !keep_in;
        }
    }
    return choice;
}

bool cairn_area_allows(const cairn_areas *areas, cairn_pose2 odom_T_box, cairn_vec2 half_m)
{
    CAIRN_ASSERT(half_m.x > 0.0 && half_m.y > 0.0);
    const area_choice choice = choose(areas, odom_T_box, cairn_vec2_length(half_m));
    return choice_allows(areas, &choice, odom_T_box, half_m);
}

// ---- by how far

static double outside_m(const placed_area *area, cairn_vec2 at_m)
{
    return is_inside(area, at_m) ? 0.0 : to_border_m(area, at_m);
}

// The corner of the box that is farthest outside, or the corner of the area that reaches farthest into the box.
static double out_of_m(const placed_area *area, cairn_vec2 half_m)
{
    double most_m = 0.0;
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 corner = {(i & 1) != 0 ? half_m.x : -half_m.x, (i & 2) != 0 ? half_m.y : -half_m.y};
        most_m = fmax(most_m, outside_m(area, corner));
    }
    for (int i = 0; i < area->count; i++) {
        const cairn_vec2 corner = area->corner_m[i];
        most_m = fmax(most_m, fmin(half_m.x - fabs(corner.x), half_m.y - fabs(corner.y)));
    }
    return most_m;
}

// By how far box and area overlap along a direction of unit length.
static double overlap_m(const placed_area *area, cairn_vec2 half_m, cairn_vec2 along)
{
    const double box_m = half_m.x * fabs(along.x) + half_m.y * fabs(along.y);
    double low_m = INFINITY, high_m = -INFINITY;
    for (int i = 0; i < area->count; i++) {
        const double at_m = cairn_vec2_dot(area->corner_m[i], along);
        low_m = fmin(low_m, at_m);
        high_m = fmax(high_m, at_m);
    }
    return fmin(box_m - low_m, high_m + box_m);
}

// The shortest way that takes the box off the area, were that as wide as it is anywhere.
static double into_m(const placed_area *area, cairn_vec2 half_m)
{
    double least_m = fmin(overlap_m(area, half_m, (cairn_vec2){1, 0}), overlap_m(area, half_m, (cairn_vec2){0, 1}));
    for (int i = 0, before = area->count - 1; i < area->count; before = i++) {
        const cairn_vec2 edge = cairn_vec2_sub(area->corner_m[i], area->corner_m[before]);
        const double length_m = cairn_vec2_length(edge);
        if (length_m < 1e-6) { continue; }
        least_m = fmin(least_m, overlap_m(area, half_m, (cairn_vec2){edge.y / length_m, -edge.x / length_m}));
    }
    return fmax(least_m, 0.0);
}

double cairn_area_violation_m(const cairn_areas *areas, cairn_pose2 odom_T_box, cairn_vec2 half_m)
{
    CAIRN_ASSERT(areas->area_count <= CAIRN_AREAS_MAX && half_m.x > 0.0 && half_m.y > 0.0);
    const cairn_frame2 box_T_odom = cairn_frame2_of(cairn_pose2_inverse(odom_T_box));
    double sum_m = 0.0, out_m = INFINITY;
    for (uint32_t i = 0; i < areas->area_count; i++) {
        placed_area area;
        place(&areas->areas[i], box_T_odom, &area);
        const bool keep_in = areas->areas[i].kind == CAIRN_AREA_KEEP_IN;
        const bool keeps_to_it = keeps(&area, half_m, keep_in);
        if (keep_in) { out_m = fmin(out_m, keeps_to_it ? 0.0 : out_of_m(&area, half_m)); }
        if (!keep_in && !keeps_to_it) { sum_m += into_m(&area, half_m); }
    }
    return isfinite(out_m) ? sum_m + out_m : sum_m;
}

// ---- the motion

typedef struct area_trial {
    const cairn_areas *areas;
    area_choice choice;
    cairn_pose2 odom_T_base;
    cairn_vec2 half_m;
} area_trial;

static bool breaks(const void *tried, cairn_pose2 base_T_then)
{
    const area_trial *trial = tried;
    const cairn_pose2 then = cairn_pose2_compose(trial->odom_T_base, base_T_then);
    return !choice_allows(trial->areas, &trial->choice, then, trial->half_m);
}

static cairn_vec2 half_of(const cairn_body_description *body, double margin_m)
{
    return (cairn_vec2){0.5 * body->length_m + margin_m, 0.5 * body->width_m + margin_m};
}

// One that stands within the margin must be able to come away, and does not come nearer: what is left of the margin.
static double margin_left_m(const cairn_area_watch *watch, area_trial trial)
{
    double low_m = 0.0, high_m = MARGIN_M, tried_m = MARGIN_M;
    for (int i = 0; i <= MARGIN_HALVINGS; i++, tried_m = 0.5 * (low_m + high_m)) {
        trial.half_m = half_of(watch->body, tried_m);
        if (!breaks(&trial, (cairn_pose2){0})) {
            low_m = tried_m;
        } else {
            high_m = tried_m;
        }
        if (low_m == high_m) { break; }
    }
    return low_m;
}

static cairn_braking braking_of(const cairn_body_description *body)
{
    return (cairn_braking){.limits = &body->limits,
                           .reaction_s = cairn_seconds(CAIRN_REFLEX_PERIOD_NS) + CAIRN_BRAKING_WHEELS_S,
                           .look_m = LOOK_M,
                           .corner_m = 0.5 * hypot(body->length_m, body->width_m)};
}

static bool leads_back(const cairn_area_watch *watch, cairn_pose2 odom_T_base, double forward_mps)
{
    const cairn_vec2 half_m = half_of(watch->body, 0.0);
    double step_m = copysign(TRY_M, forward_mps);
    const cairn_pose2 then = cairn_pose2_compose(odom_T_base, (cairn_pose2){step_m, 0.0, 0.0});
    const double now_m = cairn_area_violation_m(&watch->areas, odom_T_base, half_m);
    if (cairn_area_violation_m(&watch->areas, then, half_m) < now_m - BACK_M) { return true; }
    for (int i = 0; i < TRIES; i++, step_m *= 2.0) {
        const cairn_pose2 freed = cairn_pose2_compose(odom_T_base, (cairn_pose2){step_m, 0.0, 0.0});
        if (cairn_area_allows(&watch->areas, freed, half_m)) { return true; }
    }
    return false;
}

cairn_motion_limit cairn_area_judge(const cairn_area_watch *watch, cairn_pose2 odom_T_base, cairn_motion wanted,
                                    cairn_motion moves)
{
    CAIRN_ASSERT(watch->body != NULL && isfinite(wanted.forward_mps) && isfinite(wanted.turn_radps));
    const bool rests = wanted.forward_mps == 0.0 && wanted.turn_radps == 0.0;
    if (!watch->told || watch->areas.area_count == 0 || rests) {
        return (cairn_motion_limit){.forward_mps_max = INFINITY, .turn_radps_max = INFINITY};
    }
    const cairn_motion motion = cairn_braking_motion(wanted, moves);
    const cairn_braking braking = braking_of(watch->body);
    const double way_m = cairn_braking_corner_mps(&braking, motion) * cairn_braking_until_s(&braking, motion);
    area_trial trial = {.areas = &watch->areas,
                        .choice = choose(&watch->areas, odom_T_base, way_m + braking.corner_m + 2.0 * MARGIN_M),
                        .odom_T_base = odom_T_base,
                        .half_m = half_of(watch->body, 0.0)};
    if (breaks(&trial, (cairn_pose2){0})) {
        const bool back = wanted.forward_mps != 0.0 && leads_back(watch, odom_T_base, wanted.forward_mps);
        return (cairn_motion_limit){
            .acts = true, .forward_mps_max = back ? CAIRN_CREEP_MPS : 0.0, .turn_radps_max = CAIRN_CREEP_RADPS};
    }
    if (trial.choice.near_set == 0) { return cairn_braking_limit(motion, 1.0, wanted, (cairn_motion){0}); }
    trial.half_m = half_of(watch->body, margin_left_m(watch, trial));
    return cairn_braking_limit(motion, cairn_braking_part(&braking, motion, breaks, &trial), wanted, (cairn_motion){0});
}
