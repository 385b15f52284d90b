// The sweep's motion is taken out in groups of beams: the pose is interpolated at each group's middle. At 1.2 rad/s a
// group of 16 beams spans 0.3 ms and 0.4 mrad, under the laser's own noise at 20 m.
#include "robot/deliberate/straighten.h"
#include "base/status.h"
#include "matching/level.h"
#include <math.h>

#define GROUP_BEAMS 16
#define HIGH_M 2.4 // below the ceilings of ordinary rooms
// Lower is floor for a laser that nods: it sees ramps from their feet, and may drive over them. So it is for a robot
// that leans by more than this: the ground about it is higher than the ground under it, beside
// a ditch or a ramp.
#define HIGH_KNEE_M 0.25
#define LEAN_RAD 0.1
// [rad] There a laser that leans by this meets the ground about it, farther away: by a hundredth at 12 m out of a ditch
// of 20 cm. Larger: ground is taken for walls, which move by metres when the robot leans a little more. Smaller: beams
// are cut short for the error of the attitude.
#define HOLLOW_LEAN_RAD 0.01
#define LEAN_NEAR_M 0.7 // but what is so near may be a wall's foot

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

static bool nods(const cairn_scan_frame *scan) { return scan->nod_rad_first != 0.0f || scan->nod_rad_last != 0.0f; }

// Where a laser that nods is held at one beam.
static cairn_pose3 nodded(const cairn_laser_description *laser, const cairn_scan_frame *scan, double beam)
{
    const double part = scan->beam_count > 1 ? beam / (scan->beam_count - 1) : 0.0;
    const double nod_rad = (double)scan->nod_rad_first + part * (double)(scan->nod_rad_last - scan->nod_rad_first);
    const cairn_quat nod = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, nod_rad);
    return (cairn_pose3){laser->base_T_laser.at_m, cairn_quat_multiply(laser->base_T_laser.turn, nod)};
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

static void straighten(cairn_beam_table *table, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                       const cairn_reflex_state *state, const cairn_level_def *def, cairn_scan_points *ret_points)
{
    CAIRN_ASSERT(scan->beam_count <= CAIRN_SCAN_POINTS_MAX);
    cairn_beam_table_update(table, scan);
    const bool nodding = nods(scan);
    cairn_level level = cairn_level_make(def, state->roll_rad, state->pitch_rad, laser->base_T_laser);
    const cairn_pose2 odom_T_end = cairn_odom_at(state, cairn_scan_ended(scan));

    ret_points->count = 0;
    ret_points->sensor_x_m = (float)level.sensor_m.x;
    ret_points->sensor_y_m = (float)level.sensor_m.y;
    for (uint32_t first = 0; first < scan->beam_count; first += GROUP_BEAMS) {
        const double middle = (double)first + GROUP_BEAMS * 0.5;
        const cairn_mono at = cairn_mono_add(scan->taken, (int64_t)((double)scan->beam_ns_step * middle));
        if (nodding) { cairn_level_hold(&level, nodded(laser, scan, fmin(middle, scan->beam_count - 1))); }
        const uint32_t left = scan->beam_count - first;
        const cairn_level_beams beams = {.cosine = table->cosine + first,
                                         .sine = table->sine + first,
                                         .range_m = scan->range_m + first,
                                         .count = left < GROUP_BEAMS ? left : GROUP_BEAMS,
                                         .range_m_min = (double)scan->range_m_min,
                                         .range_m_max = (double)scan->range_m_max};
        cairn_level_add(&level, &beams, cairn_pose2_between(odom_T_end, cairn_odom_at(state, at)), ret_points);
    }
}

bool cairn_scan_leans(const cairn_reflex_state *state)
{
    return fabs(state->roll_rad) + fabs(state->pitch_rad) > LEAN_RAD; // false of NaN
}

static cairn_level_def level_def(const cairn_scan_frame *scan, const cairn_reflex_state *state, cairn_lie lie)
{
    cairn_level_def def = cairn_level_def_default();
    const bool below = lie == CAIRN_LIE_UNEVEN || cairn_scan_leans(state);
    if (below) { def.near_m = LEAN_NEAR_M, def.near_knee_m = def.knee_m; }
    if (nods(scan) || below) { def.knee_m = HIGH_KNEE_M; }
    if (below) { def.tilt_rad_min = HOLLOW_LEAN_RAD; }
    return def;
}

void cairn_scan_straighten(cairn_beam_table *table, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                           const cairn_reflex_state *state, cairn_lie lie, cairn_scan_points *ret_points)
{
    const cairn_level_def def = level_def(scan, state, lie);
    straighten(table, scan, laser, state, &def, ret_points);
}

void cairn_scan_straighten_high(cairn_beam_table *table, const cairn_scan_frame *scan,
                                const cairn_laser_description *laser, const cairn_reflex_state *state, cairn_lie lie,
                                cairn_scan_points *ret_points)
{
    cairn_level_def def = level_def(scan, state, lie);
    def.wall_top_m = HIGH_M;
    straighten(table, scan, laser, state, &def, ret_points);
}
