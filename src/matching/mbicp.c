// mbicp.c - Gauss-Newton: find partners, weigh, step; the weights narrow as the pose settles.
//
// Partners lie near each other in bearing as seen from the reference's sensor, so only a window of it is searched. The
// measure's denominator does not change within a window, and is worked out once for each point.
#include "matching/mbicp.h"
#include <math.h>
#include <string.h>

#define ON_SURFACE_M 0.05 // a point this close to its line lies on it
#define TRUSTED_PART_MIN 0.25
#define TRUSTED_COUNT_MIN 8u
#define WINDOW_MAX 24   // beams to each side
#define AGREE_MIN 0.7f  // cosine of the most that two surfaces' directions may differ
#define STEP_M_END 5e-4 // steps below these end the iteration
#define STEP_RAD_END 1.5e-4
#define BEHIND_RAD 0.2f // a point this far outside the reference's view may still have partners at its edge

cairn_mbicp_def cairn_mbicp_def_default(void)
{
    return (cairn_mbicp_def){.iteration_count_max = 12,
                             .turn_m = 3,
                             .reach_m = 0.5,
                             .width_m_first = 0.2,
                             .width_m_last = 0.03,
                             .point_m = 0.04};
}

typedef float floats __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(16)));

typedef struct normal_equations {
    double h[6]; // xx xy xa yy ya aa
    double g[3];
} normal_equations;

// How closely partners are looked for in one iteration.
typedef struct focus {
    float reach_m, per_width2, per_turn2, per_variance;
} focus;

// atan2 to 2e-3 rad, which is a small part of a beam.
static float bearing_of(float y, float x)
{
    const float ax = fabsf(x), ay = fabsf(y), high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
    const float a = high > 0 ? low / high : 0, s = a * a;
    float r = ((-0.0464964749f * s + 0.15931422f) * s - 0.327622764f) * s * a + a;
    if (ay > ax) { r = (float)(CAIRN_PI / 2) - r; }
    if (x < 0) { r = (float)CAIRN_PI - r; }
    return y < 0 ? -r : r;
}

typedef struct query {
    float x_m, y_m, arm_x_m, arm_y_m, cross_part, reach2_m2;
} query;

// Of points from..to the nearest to the query under the measure; the first of several; -1: none within reach. Four at a
// time; the scan has room for four more than it has points.
static int32_t nearest_of(const cairn_mbicp_scan *ref, int32_t from, int32_t to, query q)
{
    const ints step = {0, 1, 2, 3};
    floats best = {q.reach2_m2, q.reach2_m2, q.reach2_m2, q.reach2_m2};
    ints found = {-1, -1, -1, -1};
    for (int32_t i = from; i <= to; i += 4) {
        floats dx, dy;
        memcpy(&dx, ref->x_m + i, sizeof dx);
        memcpy(&dy, ref->y_m + i, sizeof dy);
        dx -= q.x_m, dy -= q.y_m;
        const floats cross = dx * q.arm_y_m - dy * q.arm_x_m;
        const floats far2 = dx * dx + dy * dy - cross * cross * q.cross_part;
        const ints index = step + i, nearer = (far2 < best) & (index <= to);
        best = (floats)(((ints)far2 & nearer) | ((ints)best & ~nearer));
        found = (index & nearer) | (found & ~nearer);
    }
    int32_t nearest = found[0];
    float least = best[0];
    for (int k = 1; k < 4; k++) {
        if (best[k] < least || (best[k] == least && found[k] >= 0 && found[k] < nearest)) {
            least = best[k], nearest = found[k];
        }
    }
    return nearest;
}

// The point of the reference nearest to (x, y) under the measure, among those in the window; -1: none within reach.
static int32_t partner_find(const cairn_mbicp_scan *ref, float x, float y, float arm_x, float arm_y, const focus *look)
{
    const float dx0 = x - ref->sensor_x_m, dy0 = y - ref->sensor_y_m;
    float bearing = bearing_of(dy0, dx0) - ref->bearing_first_rad;
    if (bearing < -BEHIND_RAD) { bearing += (float)(2 * CAIRN_PI); }
    if (bearing > ref->bearing_span_rad + BEHIND_RAD) { return -1; }
    const float at = bearing * ((float)ref->count / ref->bearing_span_rad);
    const int32_t last = (int32_t)ref->count;
    const int32_t bucket = at < 0 ? 0 : at > (float)last ? last : (int32_t)at;
    const int32_t centre = ref->of_bearing[bucket];
    const float range = sqrtf(dx0 * dx0 + dy0 * dy0);
    const float beams = look->reach_m / (range * ref->step_rad + 1e-6f);
    const int32_t window = beams < WINDOW_MAX ? (int32_t)beams + 1 : WINDOW_MAX;
    const int32_t from = centre - window > 0 ? centre - window : 0;
    const int32_t to = centre + window < last - 1 ? centre + window : last - 1;
    const float cross_part = 1 / (arm_x * arm_x + arm_y * arm_y + 1 / look->per_turn2);
    return nearest_of(ref, from, to, (query){x, y, arm_x, arm_y, cross_part, look->reach_m * look->reach_m});
}

static void equations_add(normal_equations *eq, float arm_x, float arm_y, float nx, float ny, float error, float weight)
{
    const float by_yaw = ny * arm_x - nx * arm_y;
    const float wx = weight * nx, wy = weight * ny, wa = weight * by_yaw;
    eq->h[0] += wx * nx;
    eq->h[1] += wx * ny;
    eq->h[2] += wx * by_yaw;
    eq->h[3] += wy * ny;
    eq->h[4] += wy * by_yaw;
    eq->h[5] += wa * by_yaw;
    eq->g[0] -= wx * error;
    eq->g[1] -= wy * error;
    eq->g[2] -= wa * error;
}

static void reference_add(normal_equations *eq, const cairn_mbicp_reference *reference, const cairn_mbicp_scan *scan,
                          cairn_pose2 pose, const focus *look, uint8_t *on_surface)
{
    // All in the frame of the reference scan; normals and arms are turned back at the end by adding in that frame's
    // axes.
    const cairn_mbicp_scan *ref = reference->scan;
    if (ref->surface_count == 0) { return; }
    CAIRN_ASSERT(ref->of_bearing != NULL);
    const cairn_pose2 there = cairn_pose2_between(reference->reference_T_scan, pose);
    const float c = (float)cos(there.yaw_rad), s = (float)sin(there.yaw_rad);
    const float tx = (float)there.x_m, ty = (float)there.y_m;
    const float c_out = (float)cos(reference->reference_T_scan.yaw_rad),
                s_out = (float)sin(reference->reference_T_scan.yaw_rad);
    for (uint32_t i = 0; i < scan->count; i++) {
        if (scan->normal_x[i] == 0 && scan->normal_y[i] == 0) { continue; }
        const float arm_x = c * scan->x_m[i] - s * scan->y_m[i], arm_y = s * scan->x_m[i] + c * scan->y_m[i];
        const float x = arm_x + tx, y = arm_y + ty;
        const int32_t k = partner_find(ref, x, y, arm_x, arm_y, look);
        if (k < 0) { continue; }
        const float nx = ref->normal_x[k], ny = ref->normal_y[k];
        const float own_x = c * scan->normal_x[i] - s * scan->normal_y[i];
        const float own_y = s * scan->normal_x[i] + c * scan->normal_y[i];
        if (nx * own_x + ny * own_y < AGREE_MIN) { continue; } // also where the partner has no surface
        const float dx = x - ref->x_m[k], dy = y - ref->y_m[k];
        const float error = nx * dx + ny * dy, along = fabsf(ny * dx - nx * dy);
        if (along > ref->half_m[k] + fabsf(error)) { continue; }
        const float by_yaw = ny * arm_x - nx * arm_y;
        const float measure2 = error * error / (1 + by_yaw * by_yaw * look->per_turn2);
        const float weight = look->per_variance / (1 + measure2 * look->per_width2);
        on_surface[i] |= fabsf(error) < ON_SURFACE_M;
        equations_add(eq, c_out * arm_x - s_out * arm_y, s_out * arm_x + c_out * arm_y, c_out * nx - s_out * ny,
                      s_out * nx + c_out * ny, error, weight);
    }
}

// Solves (H + P) step = g + P (prior - pose) by Cholesky; P is positive definite, and so is the sum.
static void step_solve(const normal_equations *eq, const double prior_information[9], cairn_pose2 prior,
                       cairn_pose2 pose, double ret_step[3])
{
    const double *p = prior_information;
    const double off[3] = {prior.x_m - pose.x_m, prior.y_m - pose.y_m,
                           cairn_angle_between(pose.yaw_rad, prior.yaw_rad)};
    double g[3];
    for (int i = 0; i < 3; i++) { g[i] = eq->g[i] + p[3 * i] * off[0] + p[3 * i + 1] * off[1] + p[3 * i + 2] * off[2]; }
    const double l00 = sqrt(eq->h[0] + p[0]), l10 = (eq->h[1] + p[1]) / l00, l20 = (eq->h[2] + p[2]) / l00;
    const double l11 = sqrt(eq->h[3] + p[4] - l10 * l10), l21 = (eq->h[4] + p[5] - l20 * l10) / l11;
    const double l22 = sqrt(eq->h[5] + p[8] - l20 * l20 - l21 * l21);
    const double y0 = g[0] / l00, y1 = (g[1] - l10 * y0) / l11, y2 = (g[2] - l20 * y0 - l21 * y1) / l22;
    ret_step[2] = y2 / l22;
    ret_step[1] = (y1 - l21 * ret_step[2]) / l11;
    ret_step[0] = (y0 - l10 * ret_step[1] - l20 * ret_step[2]) / l00;
}

static focus focus_at(const cairn_mbicp_def *def, double width_m, double reach_m)
{
    return (focus){.reach_m = (float)reach_m,
                   .per_width2 = (float)(1 / (width_m * width_m)),
                   .per_turn2 = (float)(1 / (def->turn_m * def->turn_m)),
                   .per_variance = (float)(1 / (def->point_m * def->point_m))};
}

static void match_describe(const normal_equations *eq, const uint8_t *on_surface, const cairn_mbicp_scan *scan,
                           cairn_match *match)
{
    uint32_t on_surface_count = 0;
    for (uint32_t i = 0; i < scan->count; i++) { on_surface_count += on_surface[i]; }
    const double *h = eq->h, full[9] = {h[0], h[1], h[2], h[1], h[3], h[4], h[2], h[4], h[5]};
    memcpy(match->information, full, sizeof full);
    match->score = scan->surface_count > 0 ? (double)on_surface_count / scan->surface_count : 0;
    match->doubts = on_surface_count < TRUSTED_COUNT_MIN ? CAIRN_MATCH_TOO_FEW : 0;
    match->doubts |= match->score < TRUSTED_PART_MIN ? CAIRN_MATCH_POOR : 0;
    match->is_trusted = match->doubts == 0; // the prior holds where a corridor slides
    cairn_match_set_weakness(match);
}

void cairn_mbicp_match(const cairn_mbicp_def *def, const cairn_mbicp_reference *references, uint32_t reference_count,
                       const cairn_mbicp_scan *scan, const cairn_match_prior *prior, cairn_match *ret_match)
{
    CAIRN_ASSERT(reference_count > 0 && reference_count <= CAIRN_MBICP_REFERENCES_MAX && def->iteration_count_max > 0);
    double prior_information[9];
    const bool definite = cairn_symmetric3_invert(prior->covariance, prior_information);
    CAIRN_ASSERT(definite);
    cairn_pose2 pose = prior->pose;
    cairn_match match = {.pose = prior->pose, .point_count = scan->surface_count};
    uint8_t on_surface[CAIRN_SCAN_POINTS_MAX];
    normal_equations eq = {0};
    double width_m = def->width_m_first, reach_m = def->reach_m;
    for (uint32_t i = 0; i < def->iteration_count_max; i++) {
        const focus look = focus_at(def, width_m, reach_m);
        eq = (normal_equations){0};
        memset(on_surface, 0, scan->count);
        for (uint32_t r = 0; r < reference_count; r++) {
            reference_add(&eq, &references[r], scan, pose, &look, on_surface);
        }
        double step[3];
        step_solve(&eq, prior_information, prior->pose, pose, step);
        pose = (cairn_pose2){pose.x_m + step[0], pose.y_m + step[1], cairn_angle_wrap(pose.yaw_rad + step[2])};
        match.iteration_count = i + 1;
        const bool settled = fabs(step[0]) + fabs(step[1]) < STEP_M_END && fabs(step[2]) < STEP_RAD_END;
        if (settled && width_m <= def->width_m_last) { break; }
        width_m = fmax(def->width_m_last, 0.5 * width_m);
        reach_m = fmax(4 * width_m, 0.6 * reach_m);
    }
    match_describe(&eq, on_surface, scan, &match);
    if (match.is_trusted) { match.pose = pose; }
    *ret_match = match;
}
