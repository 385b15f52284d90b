#include "robot/behaviour/follow_wall.h"
#include <math.h>

#define SPEED_PART 0.5 // [-] of the body's speed
#define GAP_RADPS_PER_M 1.5
#define SLOPE_RADPS 1.2 // per unit of slope between the wall beside and the wall ahead
#define TURN_RADPS_MAX 0.8
#define FRONT_M 0.45        // nearer than this ahead: turn away on the spot
#define SEARCH_RADIUS_M 0.7 // arc round an outer corner, or in search of a wall

// Nearest gaps as seen by one who has the wall on the left; +inf where nothing is within sight.
typedef struct wall_view {
    double beside_m, ahead_m, front_m;
} wall_view;

static wall_view look_at_wall(const cairn_situation *situation, double side)
{
    const cairn_surroundings *around = situation->around;
    const cairn_pose2 base_T_odom = cairn_pose2_inverse(situation->reflex->odom_T_base);
    const double half_length = 0.5 * situation->body->length_m, half_width = 0.5 * situation->body->width_m;
    wall_view view = {INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < around->point_count; i++) {
        const cairn_vec2 odom = {around->x_m[i], around->y_m[i]};
        const cairn_vec2 p = cairn_pose2_apply(base_T_odom, odom);
        const double gap = side * p.y - half_width;
        if (fabs(p.y) < half_width + 0.05 && p.x > 0.0) { view.front_m = fmin(view.front_m, p.x - half_length); }
        if (gap < 0.0) { continue; }
        if (fabs(p.x) < 0.15) { view.beside_m = fmin(view.beside_m, gap); }
        if (p.x >= 0.15 && p.x < half_length + 0.25) { view.ahead_m = fmin(view.ahead_m, gap); }
    }
    return view;
}

cairn_vote cairn_follow_wall_step(const cairn_situation *situation)
{
    const double side = situation->mode == CAIRN_MODE_ASSISTED_LEFT ? 1.0 : -1.0;
    const wall_view view = look_at_wall(situation, side);
    const double mps = SPEED_PART * situation->body->limits.speed_mps_max;
    const double turn_max = fmin(TURN_RADPS_MAX, situation->body->limits.turn_radps_max);
    if (view.front_m < FRONT_M) { return cairn_vote_for((cairn_motion){0.0, -side * turn_max}, 1.0); }
    if (isinf(view.ahead_m)) { return cairn_vote_for((cairn_motion){mps, side * mps / SEARCH_RADIUS_M}, 1.0); }

    const double slope = isinf(view.beside_m) ? 0.0 : (view.ahead_m - view.beside_m) / 0.3;
    const double turn = GAP_RADPS_PER_M * (view.ahead_m - CAIRN_WALL_GAP_M) + SLOPE_RADPS * slope;
    const double radps = fmin(fmax(turn, -turn_max), turn_max);
    const double slower = 1.0 - 0.5 * fabs(radps) / turn_max;
    return cairn_vote_for((cairn_motion){mps * slower, side * radps}, 1.0);
}
