// Rays from the camera to points of the victim: of one in a box on its front, else on the plane through its middle.
#include "sim/arena/check/sight.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include <math.h>

#define POINT_M 0.05
#define PITCH_M 0.4 // between the points that a robot stands on

void cairn_sight_gather(const cairn_sim_arena *arena, uint32_t victim, const cairn_solid **between,
                        cairn_sight *ret_sight)
{
    CAIRN_ASSERT(arena != NULL && victim < arena->victim_count && between != NULL && ret_sight != NULL);
    const cairn_vec2 at_m = cairn_pose2_at(arena->victims[victim].map_T_victim);
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        const bool own = solid->kind == CAIRN_SOLID_VICTIM && solid->owner == victim;
        if (own || solid->kind == CAIRN_SOLID_DOOR || solid->kind == CAIRN_SOLID_FIGURE) { continue; }
        const cairn_outline around = cairn_solid_outline(solid);
        const double out_x_m = fmax(fmax(around.x0_m - at_m.x, at_m.x - around.x1_m), 0);
        const double out_y_m = fmax(fmax(around.y0_m - at_m.y, at_m.y - around.y1_m), 0);
        if (hypot(out_x_m, out_y_m) <= CAIRN_VICTIM_NEAR_M) { between[count++] = solid; }
    }
    *ret_sight = (cairn_sight){.arena = arena, .victim = victim, .between = between, .between_count = count};
}

static bool is_clear(const cairn_sight *sight, cairn_vec3 from_m, cairn_vec3 to_m)
{
    const cairn_vec3 way_m = cairn_vec3_sub(to_m, from_m);
    const double distance_m = cairn_vec3_length(way_m);
    const cairn_vec3 direction = cairn_vec3_scale(way_m, 1.0 / fmax(distance_m, 1e-9));
    for (uint32_t i = 0; i < sight->between_count; i++) {
        const cairn_solid *solid = sight->between[i];
        const double hit_m = cairn_ray_box3(from_m, direction, solid->map_T_box, solid->half_m);
        if (hit_m >= 0.0 && hit_m < distance_m) { return false; }
    }
    return true;
}

// A robot's camera, turned towards the victim.
typedef struct camera {
    cairn_vec3 at_m;
    double pitch_rad, look_rad_max; // up; and from there to the edge of its picture
} camera;

static bool in_picture(const camera *from, cairn_vec3 to_m)
{
    const double run_m = hypot(to_m.x - from->at_m.x, to_m.y - from->at_m.y);
    return fabs(atan2(to_m.z - from->at_m.z, run_m) - from->pitch_rad) <= from->look_rad_max;
}

// How many points across a side, at least one.
static int points_across(double half_m) { return (int)fmax(1.0, floor(2 * half_m / POINT_M + 1e-6)); }

// Points of one of the victim's solids that are seen, up to `enough`.
static int points_seen(const cairn_sight *sight, const camera *from, const cairn_solid *body, int enough)
{
    CAIRN_ASSERT(enough > 0 && body->half_m.y > 0 && body->half_m.z > 0);
    const int wide = points_across(body->half_m.y), high = points_across(body->half_m.z);
    const double front_m = sight->arena->victims[sight->victim].boxed ? body->half_m.x : 0.0;
    int seen = 0;
    for (int i = 0; i < wide * high && seen < enough; i++) {
        const int column = i % wide, row = i / wide;
        const double across = (column + 0.5) / wide * 2 - 1, up = (row + 0.5) / high * 2 - 1;
        const cairn_vec3 local_m = {front_m, across * body->half_m.y, up * body->half_m.z};
        const cairn_vec3 to_m = cairn_pose3_apply(body->map_T_box, local_m);
        seen += in_picture(from, to_m) && is_clear(sight, from->at_m, to_m);
    }
    return seen;
}

// How steeply the ground below a robot rises in a direction; 0 where it ends.
static double pitch_rad(const cairn_reach *reach, cairn_vec2 at_m, double height_m, cairn_vec2 towards)
{
    const cairn_vec2 half_m = cairn_vec2_scale(towards, PITCH_M / 2);
    const uint32_t front = cairn_reach_at(reach, cairn_vec2_add(at_m, half_m), height_m, PITCH_M);
    const uint32_t back = cairn_reach_at(reach, cairn_vec2_sub(at_m, half_m), height_m, PITCH_M);
    if (front == CAIRN_REACH_NONE || back == CAIRN_REACH_NONE) { return 0.0; }
    return atan2((double)(reach->places[front].height_m - reach->places[back].height_m), PITCH_M);
}

bool cairn_sight_sees(const cairn_sight *sight, const cairn_reach_def *robot, const cairn_reach *reach, uint32_t place)
{
    CAIRN_ASSERT(isfinite(robot->camera_m) && isfinite(robot->look_rad_max));
    CAIRN_ASSERT(sight != NULL && robot != NULL && place < reach->place_count);
    const cairn_sim_arena *arena = sight->arena;
    const cairn_vec2 victim_m = cairn_pose2_at(arena->victims[sight->victim].map_T_victim);
    const cairn_vec2 at_m = cairn_reach_middle_m(reach, place);
    const double far_m = cairn_vec2_distance(at_m, victim_m), ground_m = (double)reach->places[place].height_m;
    if (far_m > CAIRN_VICTIM_NEAR_M) { return false; }
    const cairn_vec2 towards = cairn_vec2_scale(cairn_vec2_sub(victim_m, at_m), 1.0 / fmax(far_m, 1e-9));
    const double ahead_m = fmin(robot->camera_ahead_m, far_m / 2); // not beyond the victim
    const camera from = {{at_m.x + ahead_m * towards.x, at_m.y + ahead_m * towards.y, ground_m + robot->camera_m},
                         pitch_rad(reach, at_m, ground_m, towards),
                         robot->look_rad_max};
    const int enough = (int)ceil(CAIRN_SIGHT_SEEN_M2 / (POINT_M * POINT_M) - 1e-6);
    int seen = 0;
    for (uint32_t i = 0; i < arena->solid_count && seen < enough; i++) {
        const cairn_solid *body = &arena->solids[i];
        if (body->kind != CAIRN_SOLID_VICTIM || body->owner != sight->victim) { continue; }
        seen += points_seen(sight, &from, body, enough - seen);
    }
    return seen >= enough;
}
