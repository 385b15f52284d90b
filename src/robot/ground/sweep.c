// sweep.c - beams to points: where the robot was, how it leaned and how the laser nodded at each beam's time.
//
// Beams go in groups of 16, as in straighten.c: within a group neither pose nor nod change by more than the noise.
#include "robot/ground/sweep.h"
#include <math.h>
#include <string.h>

#define GROUP_BEAMS 16
#define JOLT_RADPS 1.0 // tipping faster, the attitude's time is not known well enough. Larger: more false steps
// Images of one sweep are taken leaning alike: over a ridge the ground behind it would come out at two heights, a step.
// Larger: false steps; smaller: on rough ground each image is a sweep of its own.
#define TIPPED_RAD 0.04
#define TIPPING_NS CAIRN_MS(48)
#define TIPPING_RADPS                                                                                                  \
    0.2 // tipping faster, an image is a sweep of its own: attitude and height lag behind by centimetres
#define HULL_MARGIN_M 0.02 // points nearer to the hull than this are its own
#define MISS_SLOPE 0.17    // [-] rays without a return that fall less steeply prove nothing (terrain/negative.h)
#define RAY_STRIDE                                                                                                     \
    5 // of the beams of a scan, so many show what they passed: one to a cell of 10 cm at the end of the reach
#define IMAGE_RAY_STRIDE 4 // of the pixels that are used, likewise, along both edges
#define IMAGE_PIXELS 80 // of the pixels of an image so many are used along its width, at most: two to a cell far away
#define ROW_NS_MAX CAIRN_MS(60) // scans farther apart are not beside each other

cairn_err cairn_ground_sweep_init(cairn_ground_sweep *sweep, const cairn_body_description *description,
                                  cairn_arena *arena)
{
    *sweep = (cairn_ground_sweep){.description = description};
    float **const hits[] = {&sweep->hit_x_m, &sweep->hit_y_m, &sweep->hit_z_m};
    float **const misses[] = {&sweep->miss_x_m, &sweep->miss_y_m, &sweep->miss_z_m};
    for (int i = 0; i < 3; i++) {
        *hits[i] = CAIRN_TAKE(arena, float, CAIRN_SWEEP_POINTS_MAX);
        *misses[i] = CAIRN_TAKE(arena, float, CAIRN_SWEEP_MISSES_MAX);
        if (*hits[i] == NULL || *misses[i] == NULL) { return CAIRN_ERR_FULL; }
    }
    sweep->rays = CAIRN_TAKE(arena, cairn_height_ray, CAIRN_SWEEP_RAYS_MAX);
    sweep->rows.end_m = CAIRN_TAKE(arena, cairn_vec3, CAIRN_GROUND_ROW_ENDS_MAX);
    return sweep->rays != NULL && sweep->rows.end_m != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

void cairn_ground_sweep_lean(cairn_ground_sweep *sweep, const cairn_reflex_state *state)
{
    if (sweep->attitude_count > 0 && state->at.ns <= sweep->attitudes[0].at.ns) { return; }
    if (!isfinite(state->roll_rad) || !isfinite(state->pitch_rad)) {
        sweep->attitude_count = 0;
        return;
    }
    // Ground that rises or falls under the wheels, by the mean pitch on the way since then.
    if (sweep->leant) {
        const double before_rad = sweep->attitude_count > 0 ? sweep->attitudes[0].pitch_rad : state->pitch_rad;
        const double ahead_m = cairn_pose2_between(sweep->odom_T_leant, state->odom_T_base).x_m;
        sweep->risen_m -= ahead_m * sin(0.5 * (before_rad + state->pitch_rad));
    }
    sweep->leant = true;
    sweep->odom_T_leant = state->odom_T_base;
    memmove(&sweep->attitudes[1], &sweep->attitudes[0], (CAIRN_SWEEP_ATTITUDES - 1) * sizeof sweep->attitudes[0]);
    sweep->attitudes[0] = (cairn_ground_sweep_attitude){state->at, state->roll_rad, state->pitch_rad, sweep->risen_m};
    if (sweep->attitude_count < CAIRN_SWEEP_ATTITUDES) { sweep->attitude_count++; }
}

// How the robot leaned at a time, between the two that were heard around it; the nearest end outside.
static cairn_ground_sweep_attitude lean_at(const cairn_ground_sweep *sweep, cairn_mono at)
{
    uint32_t before = 0;
    while (before + 1 < sweep->attitude_count && sweep->attitudes[before].at.ns > at.ns) { before++; }
    const cairn_ground_sweep_attitude *a = &sweep->attitudes[before];
    if (before == 0 || a->at.ns >= at.ns) { return *a; }
    const cairn_ground_sweep_attitude *b = &sweep->attitudes[before - 1];
    const double part = (double)(at.ns - a->at.ns) / (double)(b->at.ns - a->at.ns);
    return (cairn_ground_sweep_attitude){at, a->roll_rad + part * (b->roll_rad - a->roll_rad),
                                         a->pitch_rad + part * (b->pitch_rad - a->pitch_rad),
                                         a->risen_m + part * (b->risen_m - a->risen_m)};
}

// Whether its attitude is known from then on until now, and it did not tip fast.
static bool leans_steadily(const cairn_ground_sweep *sweep, cairn_mono since)
{
    if (sweep->attitude_count < 2) { return false; }
    for (uint32_t i = 0; i + 1 < sweep->attitude_count; i++) {
        const cairn_ground_sweep_attitude *b = &sweep->attitudes[i], *a = &sweep->attitudes[i + 1];
        const double tipped = fmax(fabs(b->roll_rad - a->roll_rad), fabs(b->pitch_rad - a->pitch_rad));
        if (tipped > JOLT_RADPS * cairn_seconds(cairn_mono_since(b->at, a->at))) { return false; }
        if (a->at.ns <= since.ns) { return true; }
    }
    return false;
}

// Whether it tips over something at this time.
static bool is_tipping(const cairn_ground_sweep *sweep, cairn_mono at)
{
    const cairn_mono before = cairn_mono_add(at, -TIPPING_NS);
    const cairn_ground_sweep_attitude a = lean_at(sweep, before), b = lean_at(sweep, at);
    const double tipped = fmax(fabs(b.roll_rad - a.roll_rad), fabs(b.pitch_rad - a.pitch_rad));
    return tipped > TIPPING_RADPS * cairn_seconds(TIPPING_NS);
}

bool cairn_ground_sweep_has_tipped(const cairn_ground_sweep *sweep, cairn_mono at)
{
    if (!sweep->begun || sweep->attitude_count == 0) { return false; }
    const cairn_ground_sweep_attitude lean = lean_at(sweep, at);
    return sweep->begun_tipping || is_tipping(sweep, at) || fabs(lean.roll_rad - sweep->begun_roll_rad) > TIPPED_RAD ||
           fabs(lean.pitch_rad - sweep->begun_pitch_rad) > TIPPED_RAD;
}

// The robot has come to where it was at this time.
static void go_to(cairn_ground_sweep *sweep, cairn_pose2 odom_T_base, cairn_mono at)
{
    const cairn_ground_sweep_attitude lean = lean_at(sweep, at);
    sweep->odom_T_last = odom_T_base;
    if (!sweep->begun) {
        sweep->begun = true;
        sweep->since = at;
        sweep->odom_T_sweep = (cairn_pose2){odom_T_base.x_m, odom_T_base.y_m, 0};
        sweep->begun_z_m = lean.risen_m;
        sweep->begun_roll_rad = lean.roll_rad;
        sweep->begun_pitch_rad = lean.pitch_rad;
        sweep->begun_tipping = is_tipping(sweep, at);
    }
    sweep->ground_z_m = lean.risen_m - sweep->begun_z_m;
}

// What is left out of a frame, in the sweep's frame.
typedef struct left_out {
    cairn_frame2 base_T_sweep;
    double half_length_m, half_width_m;
    uint32_t count;
    double radius_m;
    cairn_vec2 at_m[CAIRN_MOVING_THINGS_MAX]; // of those that are near
} left_out;

static left_out leave_out(const cairn_ground_sweep *sweep, cairn_pose2 odom_T_private,
                          const cairn_moving_things *moving)
{
    left_out out = {.base_T_sweep = cairn_frame2_of(cairn_pose2_between(sweep->odom_T_last, sweep->odom_T_sweep)),
                    .half_length_m = 0.5 * sweep->description->length_m + HULL_MARGIN_M,
                    .half_width_m = 0.5 * sweep->description->width_m + HULL_MARGIN_M,
                    .radius_m = moving->radius_m};
    const cairn_frame2 sweep_T_private = cairn_frame2_of(cairn_pose2_between(sweep->odom_T_sweep, odom_T_private));
    for (uint32_t i = 0; i < moving->count; i++) {
        const cairn_vec2 at_m = cairn_frame2_apply(sweep_T_private, moving->at_m[i]);
        if (cairn_vec2_length(at_m) < CAIRN_SWEEP_REACH_M + 1.0) { out.at_m[out.count++] = at_m; }
    }
    return out;
}

static bool is_left_out(const left_out *out, double x_m, double y_m)
{
    for (uint32_t i = 0; i < out->count; i++) {
        const double dx_m = x_m - out->at_m[i].x, dy_m = y_m - out->at_m[i].y;
        if (dx_m * dx_m + dy_m * dy_m < out->radius_m * out->radius_m) { return true; }
    }
    const cairn_vec2 in_base = cairn_frame2_apply(out->base_T_sweep, (cairn_vec2){x_m, y_m});
    return fabs(in_base.x) < out->half_length_m && fabs(in_base.y) < out->half_width_m;
}

static void add_hit(cairn_ground_sweep *sweep, const left_out *out, cairn_vec3 end_m)
{
    if (!(fabs(end_m.x) < CAIRN_SWEEP_REACH_M && fabs(end_m.y) < CAIRN_SWEEP_REACH_M)) { return; }
    if (is_left_out(out, end_m.x, end_m.y)) { return; }
    if (sweep->hit_count == CAIRN_SWEEP_POINTS_MAX) {
        sweep->dropped_count++;
        return;
    }
    sweep->hit_x_m[sweep->hit_count] = (float)end_m.x;
    sweep->hit_y_m[sweep->hit_count] = (float)end_m.y;
    sweep->hit_z_m[sweep->hit_count++] = (float)end_m.z;
}

static void add_miss(cairn_ground_sweep *sweep, cairn_vec3 end_m, cairn_vec3 along)
{
    if (!(along.z < -MISS_SLOPE * hypot(along.x, along.y))) { return; }
    if (sweep->miss_count == CAIRN_SWEEP_MISSES_MAX) {
        sweep->dropped_count++;
        return;
    }
    sweep->miss_x_m[sweep->miss_count] = (float)end_m.x;
    sweep->miss_y_m[sweep->miss_count] = (float)end_m.y;
    sweep->miss_z_m[sweep->miss_count++] = (float)end_m.z;
}

// A sensor's axes and place in the sweep's frame at a time.
typedef struct placed {
    cairn_vec3 from_m, along, across, upward; // sensor's origin, x, y and z
} placed;

static placed place(const cairn_ground_sweep *sweep, const cairn_pose3 *base_T_sensor, double nod_rad,
                    const cairn_reflex_state *state, cairn_mono at)
{
    const cairn_pose2 sweep_T_base = cairn_pose2_between(sweep->odom_T_sweep, cairn_odom_at(state, at));
    const cairn_ground_sweep_attitude leant = lean_at(sweep, at);
    const cairn_rpy lean = {leant.roll_rad, leant.pitch_rad, sweep_T_base.yaw_rad};
    const cairn_pose3 in_space = {{sweep_T_base.x_m, sweep_T_base.y_m, sweep->ground_z_m}, cairn_quat_from_rpy(lean)};
    cairn_pose3 sensor = cairn_pose3_compose(in_space, *base_T_sensor);
    sensor.turn = cairn_quat_multiply(sensor.turn, cairn_quat_from_axis((cairn_vec3){0, 1, 0}, nod_rad));
    return (placed){sensor.at_m, cairn_quat_rotate(sensor.turn, (cairn_vec3){1, 0, 0}),
                    cairn_quat_rotate(sensor.turn, (cairn_vec3){0, 1, 0}),
                    cairn_quat_rotate(sensor.turn, (cairn_vec3){0, 0, 1})};
}

// From the sweep's frame to that of the rows.
static cairn_vec3 in_rows(const cairn_ground_sweep *sweep, cairn_vec3 at_m)
{
    return (cairn_vec3){at_m.x + sweep->odom_T_sweep.x_m, at_m.y + sweep->odom_T_sweep.y_m, at_m.z + sweep->begun_z_m};
}

static void count_scan(cairn_ground_sweep *sweep, cairn_vec3 sensor_m)
{
    sweep->rays_from_m = sensor_m;
    sweep->rows.from_m = in_rows(sweep, sensor_m);
    sweep->sensor_m_sum = cairn_vec3_add(sweep->sensor_m_sum, sensor_m);
    sweep->scan_count++;
}

static void add_ray(cairn_ground_sweep *sweep, const left_out *out, cairn_height_ray ray)
{
    if (sweep->ray_count == CAIRN_SWEEP_RAYS_MAX || is_left_out(out, ray.end_m.x, ray.end_m.y)) { return; }
    sweep->rays[sweep->ray_count++] = ray;
}

// A scan becomes the last row; the one before it stays above it.
static cairn_vec3 *begin_row(cairn_ground_sweep *sweep, const cairn_scan_frame *scan)
{
    cairn_ground_rows *rows = &sweep->rows;
    const bool beside = rows->width == scan->beam_count && rows->height == 2 &&
                        cairn_mono_since(scan->taken, sweep->row_taken) <= ROW_NS_MAX;
    cairn_vec3 *row = rows->end_m + scan->beam_count;
    if (beside) { memcpy(rows->end_m, row, scan->beam_count * sizeof *row); }
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        if (!beside) { rows->end_m[i].x = NAN; }
        row[i].x = NAN;
    }
    rows->width = scan->beam_count;
    rows->height = 2;
    sweep->row_taken = scan->taken;
    return row;
}

static void add_beam(cairn_ground_sweep *sweep, const left_out *out, const placed *laser, double cosine, double sine,
                     const cairn_scan_frame *scan, uint32_t beam, cairn_vec3 *row)
{
    const double range_m = scan->range_m[beam];
    if (isnan(range_m) || range_m < scan->range_m_min) { return; }
    const cairn_vec3 along =
        cairn_vec3_add(cairn_vec3_scale(laser->along, cosine), cairn_vec3_scale(laser->across, sine));
    const bool hit = range_m < scan->range_m_max;
    const cairn_vec3 end_m =
        cairn_vec3_add(laser->from_m, cairn_vec3_scale(along, hit ? range_m : (double)scan->range_m_max));
    if (hit) {
        add_hit(sweep, out, end_m);
        row[beam] = in_rows(sweep, end_m);
    } else {
        add_miss(sweep, end_m, along);
    }
    add_ray(sweep, out, (cairn_height_ray){.end_m = end_m, .hit = hit, .end_only = beam % RAY_STRIDE != 0});
}

void cairn_ground_sweep_add_scan(cairn_ground_sweep *sweep, cairn_beam_table *table, const cairn_scan_frame *scan,
                                 const cairn_reflex_state *state, cairn_pose2 odom_T_private,
                                 const cairn_moving_things *moving)
{
    CAIRN_ASSERT(scan->beam_count > 1 && scan->beam_count <= CAIRN_SCAN_BEAMS_MAX);
    sweep->ray_count = 0;
    const cairn_mono ended = cairn_scan_ended(scan);
    const bool level = scan->nod_rad_first == 0.0f && scan->nod_rad_last == 0.0f;
    if (level || !leans_steadily(sweep, scan->taken)) {
        sweep->rows.width = 0;
        return;
    }
    cairn_beam_table_update(table, scan);
    go_to(sweep, cairn_odom_at(state, ended), ended);
    const left_out out = leave_out(sweep, odom_T_private, moving);
    const cairn_pose3 *base_T_laser = &sweep->description->laser.base_T_laser;
    placed laser = {0};
    cairn_vec3 *row = begin_row(sweep, scan);
    for (uint32_t first = 0; first < scan->beam_count; first += GROUP_BEAMS) {
        const double middle = fmin((double)first + GROUP_BEAMS * 0.5, scan->beam_count - 1);
        const double part = middle / (scan->beam_count - 1);
        const double nod_rad = (double)scan->nod_rad_first + part * (double)(scan->nod_rad_last - scan->nod_rad_first);
        laser = place(sweep, base_T_laser, nod_rad, state,
                      cairn_mono_add(scan->taken, (int64_t)((double)scan->beam_ns_step * middle)));
        const uint32_t past = first + GROUP_BEAMS < scan->beam_count ? first + GROUP_BEAMS : scan->beam_count;
        for (uint32_t i = first; i < past; i++) {
            add_beam(sweep, &out, &laser, table->cosine[i], table->sine[i], scan, i, row);
        }
    }
    count_scan(sweep, laser.from_m);
}

void cairn_ground_sweep_add_image(cairn_ground_sweep *sweep, const cairn_range_image_frame *image,
                                  const cairn_reflex_state *state, cairn_pose2 odom_T_private,
                                  const cairn_moving_things *moving)
{
    const cairn_range_imager_description *imager = &sweep->description->range_imager;
    CAIRN_ASSERT((uint64_t)image->width_px * image->height_px <= CAIRN_RANGE_PIXELS_MAX && image->width_px > 0);
    sweep->ray_count = 0;
    sweep->rows.width = 0;
    if (!leans_steadily(sweep, image->taken)) { return; }
    go_to(sweep, cairn_odom_at(state, image->taken), image->taken);
    const left_out out = leave_out(sweep, odom_T_private, moving);
    const placed camera = place(sweep, &imager->base_T_camera, 0, state, image->taken);
    const double step = 2 * tan(0.5 * imager->field_rad) / image->width_px; // of a square pixel, one metre away
    const uint32_t stride = 1 + (image->width_px - 1) / IMAGE_PIXELS;
    cairn_ground_rows *rows = &sweep->rows;
    rows->width = 1 + (image->width_px - 1) / stride;
    rows->height = 1 + (image->height_px - 1) / stride;
    CAIRN_ASSERT(rows->width * rows->height <= CAIRN_GROUND_ROW_ENDS_MAX);
    cairn_vec3 *next = rows->end_m;
    for (uint32_t row = 0; row < image->height_px; row += stride) {
        for (uint32_t column = 0; column < image->width_px; column += stride) {
            cairn_vec3 *kept = next++;
            kept->x = NAN;
            const double depth_m = 1e-3 * image->millimetres[row * image->width_px + column];
            if (depth_m < imager->range_m_min || depth_m == 0) { continue; } // 0: not known
            const double left = (0.5 * image->width_px - column - 0.5) * step;
            const double up = (0.5 * image->height_px - row - 0.5) * step;
            const cairn_vec3 along = cairn_vec3_add(camera.along, cairn_vec3_add(cairn_vec3_scale(camera.across, left),
                                                                                 cairn_vec3_scale(camera.upward, up)));
            const cairn_vec3 end_m = cairn_vec3_add(camera.from_m, cairn_vec3_scale(along, depth_m));
            *kept = in_rows(sweep, end_m);
            add_hit(sweep, &out, end_m);
            const uint32_t grain = stride * IMAGE_RAY_STRIDE;
            const bool walks = row % grain == 0 && column % grain == 0;
            add_ray(sweep, &out, (cairn_height_ray){.end_m = end_m, .hit = true, .end_only = !walks});
        }
    }
    count_scan(sweep, camera.from_m);
}

cairn_terrain_sweep cairn_ground_sweep_points(const cairn_ground_sweep *sweep)
{
    const double part = sweep->scan_count > 0 ? 1.0 / sweep->scan_count : 0.0;
    return (cairn_terrain_sweep){.sensor_m = cairn_vec3_scale(sweep->sensor_m_sum, part),
                                 .hits = {sweep->hit_x_m, sweep->hit_y_m, sweep->hit_z_m, sweep->hit_count},
                                 .misses = {sweep->miss_x_m, sweep->miss_y_m, sweep->miss_z_m, sweep->miss_count}};
}

void cairn_ground_sweep_clear(cairn_ground_sweep *sweep)
{
    sweep->hit_count = sweep->miss_count = sweep->scan_count = 0;
    sweep->sensor_m_sum = (cairn_vec3){0};
    sweep->begun = false;
}
