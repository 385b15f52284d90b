// The sweep's motion is taken out in groups of beams: the pose is interpolated at each group's middle. At 1.2 rad/s a
// group of 16 beams spans 0.3 ms and 0.4 mrad, under the laser's own noise at 20 m.
#include "robot/deliberate/straighten.h"
#include "base/status.h"
#include <math.h>

#define GROUP_BEAMS 16
#define KNEE_M 0.12         // lower than this is floor when the robot is tilted
#define NOD_KNEE_M 0.25     // the same for a laser that nods: it sees ramps from their feet, and may drive over them
#define WALL_TOP_M 0.85     // higher than this may be above a wall
#define FLOOR_MARGIN_M 0.15 // kept back from where a beam leaves the band

cairn_mono cairn_scan_ended(const cairn_scan_frame *scan)
{
    return cairn_mono_add(scan->taken, (int64_t)((double)scan->beam_ns_step * (double)(scan->beam_count - 1)));
}

cairn_pose2 cairn_odom_at(const cairn_reflex_state *state, cairn_mono at)
{
    if (state->recent_count == 0) { return state->odom_T_base; }
    uint32_t after = 0;
    while (after < state->recent_count && state->recent[after].at.ns < at.ns) { after++; }
    if (after == 0) { return state->recent[0].odom_T_base; }
    if (after == state->recent_count) { return state->recent[after - 1].odom_T_base; }
    const cairn_odom_stamp *a = &state->recent[after - 1], *b = &state->recent[after];
    const double part = (double)(at.ns - a->at.ns) / (double)(b->at.ns - a->at.ns);
    return cairn_pose2_blend(a->odom_T_base, b->odom_T_base, part);
}

// How far a beam stays within the band of heights, given how its height changes along it.
static double believed_m(double start_z_m, double knee_m, double climb, double range_m_max)
{
    if (climb > 1e-4) { return fmin(range_m_max, (WALL_TOP_M - start_z_m) / climb); }
    if (climb < -1e-4) { return fmin(range_m_max, (start_z_m - knee_m) / -climb); }
    return range_m_max;
}

// What turns a beam into a point: the laser's axes and place in the levelled base.
typedef struct level {
    cairn_quat level_T_base;
    cairn_vec3 along, across; // laser x and y
    cairn_vec3 sensor_m;
    bool tilted;
    double knee_m;
} level;

static bool nods(const cairn_scan_frame *scan) { return scan->nod_rad_first != 0.0f || scan->nod_rad_last != 0.0f; }

// The plane of a laser that nods, as it was at one beam.
static void nod_to(level *lv, const cairn_laser_description *laser, const cairn_scan_frame *scan, double beam)
{
    const double part = scan->beam_count > 1 ? beam / (scan->beam_count - 1) : 0.0;
    const double nod_rad = (double)scan->nod_rad_first + part * (double)(scan->nod_rad_last - scan->nod_rad_first);
    const cairn_quat nod = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, nod_rad);
    const cairn_quat level_T_laser =
        cairn_quat_multiply(lv->level_T_base, cairn_quat_multiply(laser->base_T_laser.turn, nod));
    lv->along = cairn_quat_rotate(level_T_laser, (cairn_vec3){1, 0, 0});
    lv->across = cairn_quat_rotate(level_T_laser, (cairn_vec3){0, 1, 0});
    lv->tilted = true;
    lv->knee_m = NOD_KNEE_M;
}

static level level_of(const cairn_laser_description *laser, const cairn_reflex_state *state)
{
    const bool known = isfinite(state->roll_rad) && isfinite(state->pitch_rad);
    const cairn_rpy rpy = {known ? state->roll_rad : 0.0, known ? state->pitch_rad : 0.0, 0.0};
    const cairn_quat level_T_base = cairn_quat_from_rpy(rpy);
    const cairn_quat level_T_laser = cairn_quat_multiply(level_T_base, laser->base_T_laser.turn);
    return (level){
        .level_T_base = level_T_base,
        .knee_m = KNEE_M,
        .along = cairn_quat_rotate(level_T_laser, (cairn_vec3){1, 0, 0}),
        .across = cairn_quat_rotate(level_T_laser, (cairn_vec3){0, 1, 0}),
        .sensor_m = cairn_quat_rotate(level_T_base, laser->base_T_laser.at_m),
        .tilted = fabs(rpy.roll_rad) + fabs(rpy.pitch_rad) > 0.035, // 2 degrees: the estimate's own error
    };
}

void cairn_beam_table_update(cairn_beam_table *table, const cairn_scan_frame *scan)
{
    if (table->beam_count == scan->beam_count && table->angle_rad_first == scan->angle_rad_first &&
        table->angle_rad_step == scan->angle_rad_step) {
        return;
    }
    table->beam_count = scan->beam_count;
    table->angle_rad_first = scan->angle_rad_first;
    table->angle_rad_step = scan->angle_rad_step;
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        const double angle = (double)scan->angle_rad_first + (double)scan->angle_rad_step * i;
        table->cosine[i] = cos(angle);
        table->sine[i] = sin(angle);
    }
}

// Adds one beam, seen from the base as it was then.
static void add_beam(const cairn_scan_frame *scan, const level *lv, double ca, double sa, double range_m,
                     cairn_pose2 end_T_then, double c, double s, cairn_scan_points *points)
{
    const double climb = ca * lv->along.z + sa * lv->across.z;
    const double limit_m =
        lv->tilted ? believed_m(lv->sensor_m.z, lv->knee_m, climb, scan->range_m_max) : (double)scan->range_m_max;
    const bool hit = range_m <= limit_m && range_m < scan->range_m_max;
    const double used_m = hit ? range_m : fmin(range_m, limit_m) - (lv->tilted ? FLOOR_MARGIN_M : 0.0);
    if (used_m <= scan->range_m_min) { return; }
    const double x = lv->sensor_m.x + used_m * (ca * lv->along.x + sa * lv->across.x);
    const double y = lv->sensor_m.y + used_m * (ca * lv->along.y + sa * lv->across.y);
    const uint32_t n = points->count++;
    points->x_m[n] = (float)(end_T_then.x_m + c * x - s * y);
    points->y_m[n] = (float)(end_T_then.y_m + s * x + c * y);
    points->hit[n] = hit;
}

void cairn_scan_straighten(cairn_beam_table *table, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                           const cairn_reflex_state *state, cairn_scan_points *ret_points)
{
    CAIRN_ASSERT(scan->beam_count <= CAIRN_SCAN_POINTS_MAX);
    cairn_beam_table_update(table, scan);
    level lv = level_of(laser, state);
    const bool nodding = nods(scan);
    const cairn_pose2 odom_T_end = cairn_odom_at(state, cairn_scan_ended(scan));

    ret_points->count = 0;
    ret_points->sensor_x_m = (float)lv.sensor_m.x;
    ret_points->sensor_y_m = (float)lv.sensor_m.y;
    for (uint32_t first = 0; first < scan->beam_count; first += GROUP_BEAMS) {
        const double middle = (double)first + GROUP_BEAMS * 0.5;
        const cairn_mono at = cairn_mono_add(scan->taken, (int64_t)((double)scan->beam_ns_step * middle));
        const cairn_pose2 end_T_then = cairn_pose2_between(odom_T_end, cairn_odom_at(state, at));
        const double c = cos(end_T_then.yaw_rad), s = sin(end_T_then.yaw_rad);
        if (nodding) { nod_to(&lv, laser, scan, fmin(middle, scan->beam_count - 1)); }
        const uint32_t past = first + GROUP_BEAMS < scan->beam_count ? first + GROUP_BEAMS : scan->beam_count;
        for (uint32_t i = first; i < past; i++) {
            const float range_m = scan->range_m[i];
            if (isnan(range_m) || range_m < scan->range_m_min) { continue; }
            add_beam(scan, &lv, table->cosine[i], table->sine[i], range_m, end_T_then, c, s, ret_points);
        }
    }
}
