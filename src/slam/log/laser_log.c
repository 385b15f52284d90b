#include "slam/log/laser_log.h"
#include <math.h>

void cairn_laser_log_close(cairn_laser_log *log)
{
    if (log == NULL) { return; }
    cairn_arena_destroy(&log->memory);
    *log = (cairn_laser_log){0};
}

void cairn_laser_log_points(const cairn_laser_log *log, uint32_t scan, double clear_m, cairn_scan_points *ret_points)
{
    CAIRN_ASSERT(scan < log->scan_count && clear_m > 0);
    const cairn_log_scan *s = &log->scans[scan];
    const float *ranges = log->ranges_m + s->range_first;
    const uint32_t stride = (s->beam_count + CAIRN_SCAN_POINTS_MAX - 1) / CAIRN_SCAN_POINTS_MAX;
    const bool backwards = s->angle_step_rad < 0;
    ret_points->sensor_x_m = (float)log->base_T_laser.x_m;
    ret_points->sensor_y_m = (float)log->base_T_laser.y_m;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->beam_count; i += stride) {
        const uint32_t beam = backwards ? s->beam_count - 1 - i : i;
        if (isnan(ranges[beam])) { continue; }
        const bool hit = isfinite(ranges[beam]);
        const double range = hit ? ranges[beam] : clear_m;
        const double angle = s->angle_first_rad + beam * s->angle_step_rad;
        const cairn_vec2 at =
            cairn_pose2_apply(log->base_T_laser, (cairn_vec2){range * cos(angle), range * sin(angle)});
        ret_points->x_m[count] = (float)at.x;
        ret_points->y_m[count] = (float)at.y;
        ret_points->hit[count++] = hit;
    }
    ret_points->count = count;
}
