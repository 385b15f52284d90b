#include "matching/level.h"
#include "base/status.h"
#include <math.h>

#define CLIMB_MIN 1e-4 // [-] a beam that climbs or falls less stays in the band over any range

cairn_level_def cairn_level_def_default(void)
{
    return (cairn_level_def){.knee_m = 0.12, .wall_top_m = 0.85, .margin_m = 0.15, .tilt_rad_min = 0.035};
}

cairn_level cairn_level_make(const cairn_level_def *def, double roll_rad, double pitch_rad, cairn_pose3 base_T_laser)
{
    const bool known = isfinite(roll_rad) && isfinite(pitch_rad);
    const cairn_rpy rpy = {known ? roll_rad : 0.0, known ? pitch_rad : 0.0, 0.0};
    cairn_level level = {.def = *def, .level_T_base = cairn_quat_from_rpy(rpy)};
    cairn_level_hold(&level, base_T_laser);
    level.is_tilted = fabs(rpy.roll_rad) + fabs(rpy.pitch_rad) > def->tilt_rad_min;
    return level;
}

void cairn_level_hold(cairn_level *level, cairn_pose3 base_T_laser)
{
    const cairn_quat level_T_laser = cairn_quat_multiply(level->level_T_base, base_T_laser.turn);
    level->along = cairn_quat_rotate(level_T_laser, (cairn_vec3){1, 0, 0});
    level->across = cairn_quat_rotate(level_T_laser, (cairn_vec3){0, 1, 0});
    level->sensor_m = cairn_quat_rotate(level->level_T_base, base_T_laser.at_m);
    level->is_tilted = true;
}

// How far a beam stays within the band of heights, given how its height changes along it.
static double believed_m(const cairn_level *level, double climb, double range_m_max)
{
    const double z_m = level->sensor_m.z;
    if (climb > CLIMB_MIN) { return fmin(range_m_max, (level->def.wall_top_m - z_m) / climb); }
    if (climb < -CLIMB_MIN) {
        const double near_m = fmin(level->def.near_m, (z_m - level->def.near_knee_m) / -climb);
        return fmin(range_m_max, fmax(near_m, (z_m - level->def.knee_m) / -climb));
    }
    return range_m_max;
}

void cairn_level_add(const cairn_level *level, const cairn_level_beams *beams, cairn_pose2 end_T_level,
                     cairn_scan_points *points)
{
    CAIRN_ASSERT(points->count + beams->count <= CAIRN_SCAN_POINTS_MAX);
    const double c = cos(end_T_level.yaw_rad), s = sin(end_T_level.yaw_rad);
    const cairn_vec3 along = level->along, across = level->across;
    const double margin_m = level->is_tilted ? level->def.margin_m : 0.0;
    for (uint32_t i = 0; i < beams->count; i++) {
        const double range_m = (double)beams->range_m[i], ca = beams->cosine[i], sa = beams->sine[i];
        if (isnan(range_m) || range_m < beams->range_m_min) { continue; }
        const double limit_m =
            level->is_tilted ? believed_m(level, ca * along.z + sa * across.z, beams->range_m_max) : beams->range_m_max;
        const bool hit = range_m <= limit_m && range_m < beams->range_m_max;
        const double used_m = hit ? range_m : fmin(range_m, limit_m) - margin_m;
        if (used_m <= beams->range_m_min) { continue; }
        const double x = level->sensor_m.x + used_m * (ca * along.x + sa * across.x);
        const double y = level->sensor_m.y + used_m * (ca * along.y + sa * across.y);
        const uint32_t n = points->count++;
        points->x_m[n] = (float)(end_T_level.x_m + c * x - s * y);
        points->y_m[n] = (float)(end_T_level.y_m + s * x + c * y);
        points->hit[n] = hit;
    }
}
