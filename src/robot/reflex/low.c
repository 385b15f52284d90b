// A picture is gone through twice: once for how far each square before the robot rises, once for the points that stand
// too steeply for a slope. The nodding laser's rules (surroundings.h), where neighbours come at once and not by and by.
#include "robot/reflex/low.h"
#include <math.h>
#include <string.h>

// [m] Within a square, beyond what the steepest slope rises there. Larger: low things are taken for slopes.
#define STEEP_M 0.07
// [m] From base: nearer than this even a slope must be floor.
#define SLOPE_FROM_M 0.30
// [m] What is so much higher than the robot does not stop it.
#define OVERHEAD_M 0.05
// [m] A step is measured to be so much higher than it is.
#define STEP_MORE_M 0.02
// [m] Deeper inside the hull than this is no thing but a fault.
#define INSIDE_M 0.05
// [m] Gone, when a ray ends so much further; hidden, when so much nearer.
#define THROUGH_M 0.10
// Older pictures are no look.
#define PICTURE_AGE_NS_MAX CAIRN_MS(300)

void cairn_low_init(cairn_low *low, const cairn_body_description *body)
{
    CAIRN_ASSERT(low != NULL && body != NULL);
    *low = (cairn_low){.body = body, .offered = body->range_imager.offered && body->imu.offered};
}

// One picture at work.
typedef struct view {
    cairn_low *low;
    const cairn_range_image_frame *image;
    cairn_pose2 odom_T_base; // when it was taken
    double cos_yaw, sin_yaw;
    cairn_vec3 up;                              // in base
    cairn_vec3 from_m, along, leftward, upward; // of the camera, in base
    double pixel;                               // [-] edge of one, one metre away
    uint32_t stride;
    double climb;   // [-] steepest slope that the robot is meant for
    double steep_m; // within a square
} view;

// Where base was then; the oldest that is known, or now.
static cairn_pose2 pose_at(const cairn_reflex_state *state, cairn_mono at)
{
    for (uint32_t i = 0; i < state->recent_count; i++) {
        if (state->recent[i].at.ns >= at.ns) { return state->recent[i].odom_T_base; }
    }
    return state->odom_T_base;
}

static view begin_view(cairn_low *low, const cairn_range_image_frame *image, const cairn_reflex_state *state)
{
    const cairn_range_imager_description *imager = &low->body->range_imager;
    const cairn_quat turn = imager->base_T_camera.turn;
    const double roll = state->roll_rad, pitch = state->pitch_rad, climb = tan(low->body->limits.climb_rad_max);
    const uint32_t across = (image->width_px + CAIRN_LOW_COLUMNS - 1) / CAIRN_LOW_COLUMNS;
    const uint32_t down = (image->height_px + CAIRN_LOW_ROWS - 1) / CAIRN_LOW_ROWS;
    view at = {
        .low = low,
        .image = image,
        .odom_T_base = pose_at(state, image->taken),
        .up = {-sin(pitch), cos(pitch) * sin(roll), cos(pitch) * cos(roll)},
        .from_m = imager->base_T_camera.at_m,
        .along = cairn_quat_rotate(turn, (cairn_vec3){1, 0, 0}),
        .leftward = cairn_quat_rotate(turn, (cairn_vec3){0, 1, 0}),
        .upward = cairn_quat_rotate(turn, (cairn_vec3){0, 0, 1}),
        .pixel = 2.0 * tan(0.5 * imager->field_rad) / image->width_px,
        .stride = across > down ? across : down,
        .climb = climb,
        .steep_m = STEEP_M + climb * CAIRN_LOW_SPAN_M * sqrt(2.0),
    };
    at.cos_yaw = cos(at.odom_T_base.yaw_rad);
    at.sin_yaw = sin(at.odom_T_base.yaw_rad);
    return at;
}

// Where a pixel's ray ends in base. False if that is not known, or too far away to matter.
static bool end_of(const view *at, uint32_t row, uint32_t column, cairn_vec3 *ret_m)
{
    const cairn_range_imager_description *imager = &at->low->body->range_imager;
    const double depth_m = 1e-3 * at->image->millimetres[row * at->image->width_px + column];
    if (depth_m == 0.0 || depth_m < imager->range_m_min || depth_m > imager->range_m_max) { return false; }
    const double left = (0.5 * at->image->width_px - column - 0.5) * at->pixel;
    const double up = (0.5 * at->image->height_px - row - 0.5) * at->pixel;
    const cairn_vec3 ray = cairn_vec3_add(
        at->along, cairn_vec3_add(cairn_vec3_scale(at->leftward, left), cairn_vec3_scale(at->upward, up)));
    *ret_m = cairn_vec3_add(at->from_m, cairn_vec3_scale(ray, depth_m));
    return hypot(ret_m->x, ret_m->y) < CAIRN_LOW_RANGE_M;
}

static double height_of(const view *at, cairn_vec3 in_base)
{
    return at->up.x * in_base.x + at->up.y * in_base.y + at->up.z * in_base.z;
}

// The square that a place before the robot lies in; NULL outside the field.
static cairn_low_span *span_of(const view *at, cairn_vec3 in_base)
{
    const double across = floor(in_base.y / CAIRN_LOW_SPAN_M) + 0.5 * CAIRN_LOW_SPANS;
    const double ahead = floor(in_base.x / CAIRN_LOW_SPAN_M);
    if (!(ahead >= 0 && ahead < CAIRN_LOW_SPANS && across >= 0 && across < CAIRN_LOW_SPANS)) { return NULL; }
    return &at->low->spans[(uint32_t)ahead * CAIRN_LOW_SPANS + (uint32_t)across];
}

static void take_heights(const view *at)
{
    memset(at->low->spans, 0, sizeof at->low->spans);
    for (uint32_t row = 0; row < at->image->height_px; row += at->stride) {
        for (uint32_t column = 0; column < at->image->width_px; column += at->stride) {
            cairn_vec3 end_m;
            if (!end_of(at, row, column, &end_m)) { continue; }
            const double height_m = height_of(at, end_m);
            cairn_low_span *span = span_of(at, end_m);
            if (span == NULL || height_m > at->low->body->height_m + OVERHEAD_M) { continue; }
            if (!span->met) { *span = (cairn_low_span){true, (float)height_m, (float)height_m}; }
            span->low_m = fminf(span->low_m, (float)height_m);
            span->high_m = fmaxf(span->high_m, (float)height_m);
        }
    }
}

// Adds a point, or sees again the one that is in its square.
static void add(cairn_low *low, cairn_low_point point)
{
    for (uint32_t i = 0; i < low->point_count; i++) {
        cairn_low_point *old = &low->points[i];
        if (fabsf(old->x_m - point.x_m) > (float)(0.5 * CAIRN_LOW_CELL_M) ||
            fabsf(old->y_m - point.y_m) > (float)(0.5 * CAIRN_LOW_CELL_M)) {
            continue;
        }
        old->high = old->high || point.high;
        old->z_m = fmaxf(old->z_m, point.z_m);
        old->seen_ns = point.seen_ns;
        return;
    }
    if (low->point_count < CAIRN_LOW_POINTS_MAX) { low->points[low->point_count++] = point; }
}

// Whether the end of a ray is a thing's; how high that reaches.
static bool is_thing(const view *at, cairn_vec3 end_m, double *ret_top_m)
{
    const cairn_body_description *body = at->low->body;
    const double height_m = height_of(at, end_m), away_m = hypot(end_m.x, end_m.y);
    if (height_m > body->height_m + OVERHEAD_M) { return false; }
    if (height_m < CAIRN_LOW_M || end_m.z < CAIRN_LOW_M) { return false; }
    const cairn_low_span *span = span_of(at, end_m);
    const bool steep = span != NULL && span->met && span->high_m - span->low_m > (float)at->steep_m;
    *ret_top_m = span != NULL && span->met ? fmax(height_m, (double)span->high_m) : height_m;
    return steep || height_m > CAIRN_LOW_M + fmax(away_m - SLOPE_FROM_M, 0.0) * at->climb;
}

static void take_things(const view *at)
{
    const cairn_body_description *body = at->low->body;
    const double step_m = body->limits.step_m_max + STEP_MORE_M;
    for (uint32_t row = 0; row < at->image->height_px; row += at->stride) {
        for (uint32_t column = 0; column < at->image->width_px; column += at->stride) {
            cairn_vec3 end_m;
            double top_m;
            if (!end_of(at, row, column, &end_m) || !is_thing(at, end_m, &top_m)) { continue; }
            const bool inside =
                fabs(end_m.x) < 0.5 * body->length_m - INSIDE_M && fabs(end_m.y) < 0.5 * body->width_m - INSIDE_M;
            if (inside) { continue; }
            add(at->low, (cairn_low_point){
                             .x_m = (float)(at->odom_T_base.x_m + at->cos_yaw * end_m.x - at->sin_yaw * end_m.y),
                             .y_m = (float)(at->odom_T_base.y_m + at->sin_yaw * end_m.x + at->cos_yaw * end_m.y),
                             .z_m = (float)end_m.z,
                             .high = top_m > step_m,
                             .seen_ns = at->image->taken.ns,
                         });
        }
    }
}

// What the picture says of a point that was seen before.
typedef enum fate { FATE_UNSEEN, FATE_THERE, FATE_GONE } fate;

static fate fate_of(const view *at, const cairn_low_point *point)
{
    const double dx = (double)point->x_m - at->odom_T_base.x_m, dy = (double)point->y_m - at->odom_T_base.y_m;
    const cairn_vec3 in_base = {at->cos_yaw * dx + at->sin_yaw * dy, at->cos_yaw * dy - at->sin_yaw * dx,
                                (double)point->z_m};
    if (hypot(in_base.x, in_base.y) > CAIRN_LOW_RANGE_M) { return FATE_GONE; } // far behind, or far away
    const cairn_vec3 way = cairn_vec3_sub(in_base, at->from_m);
    const double depth_m = cairn_vec3_dot(way, at->along);
    if (depth_m < at->low->body->range_imager.range_m_min) { return FATE_UNSEEN; }
    const double column = floor(0.5 * at->image->width_px - cairn_vec3_dot(way, at->leftward) / depth_m / at->pixel);
    const double row = floor(0.5 * at->image->height_px - cairn_vec3_dot(way, at->upward) / depth_m / at->pixel);
    if (!(column >= 0 && column < at->image->width_px && row >= 0 && row < at->image->height_px)) {
        return FATE_UNSEEN;
    }
    const double met_m = 1e-3 * at->image->millimetres[(uint32_t)row * at->image->width_px + (uint32_t)column];
    if (met_m == 0.0 || met_m < depth_m - THROUGH_M) { return FATE_UNSEEN; }
    return met_m > depth_m + THROUGH_M ? FATE_GONE : FATE_THERE;
}

static void forget_what_is_gone(const view *at, cairn_mono now)
{
    cairn_low *low = at->low;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < low->point_count; i++) {
        cairn_low_point point = low->points[i];
        const fate is = fate_of(at, &point);
        if (is == FATE_THERE) { point.seen_ns = at->image->taken.ns; }
        if (is == FATE_GONE || now.ns - point.seen_ns > CAIRN_LOW_KEPT_NS) { continue; }
        low->points[kept++] = point;
    }
    CAIRN_ASSERT(kept <= low->point_count);
    low->point_count = kept;
}

static bool is_a_look(const cairn_range_image_frame *image, cairn_mono now)
{
    const uint64_t pixels = (uint64_t)image->width_px * image->height_px;
    const int64_t age_ns = cairn_mono_since(now, image->taken);
    return pixels > 0 && pixels <= CAIRN_RANGE_PIXELS_MAX && age_ns >= -CAIRN_CLOCK_SLACK_NS &&
           age_ns <= PICTURE_AGE_NS_MAX;
}

void cairn_low_look(cairn_low *low, cairn_cell *pictures, const cairn_reflex_state *state, cairn_mono now)
{
    CAIRN_ASSERT(low->body != NULL && state != NULL);
    CAIRN_ASSERT(low->point_count <= CAIRN_LOW_POINTS_MAX);
    if (!low->offered || pictures == NULL) { return; }
    uint64_t version = 0;
    const cairn_range_image_frame *image = cairn_cell_latest(pictures, &version);
    if (image == NULL || version == low->version) { return; }
    low->version = version;
    const bool level = isfinite(state->roll_rad) && isfinite(state->pitch_rad);
    if (!level || !is_a_look(image, now)) { return; }
    if (cairn_image_doubt_step(&low->doubt, &low->body->range_imager, image, state->odom_T_base)) { return; }
    const view at = begin_view(low, image, state);
    forget_what_is_gone(&at, now);
    take_heights(&at);
    take_things(&at);
}
