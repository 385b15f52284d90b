// rays_planar_cast.c - single rays in space against everything that is near: for sensors that do not look along the
// laser's plane. No tree: a robot has a handful of such rays, and most things are sorted out by their distance.
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include "sim/senses/rays_planar.h"

#define PICTURE_ROW_MAX 640
#define BISECTIONS 24 // of a step along a ray: to a micrometre

typedef struct ray {
    cairn_vec3 from_m, direction; // map; unit
} ray;

static cairn_vec3 point_on(const ray *along, double range_m)
{
    return cairn_vec3_add(along->from_m, cairn_vec3_scale(along->direction, range_m));
}

static void meet(const ray *along, double range_m, cairn_vec3 normal, cairn_ray_hit *hit)
{
    if (!(range_m < (double)hit->range_m)) { return; }
    const double cosine = fabs(cairn_vec3_dot(normal, along->direction)) / cairn_vec3_length(normal);
    *hit = (cairn_ray_hit){(float)range_m, (float)fmin(cosine, 1)};
}

// ---- boxes

static double radius_of(const cairn_planar_thing *thing) { return cairn_vec3_length(thing->half_m); }

static bool passes_near(const ray *along, const cairn_planar_thing *thing, double radius_m)
{
    const cairn_vec3 to = cairn_vec3_sub(thing->map_T_box.at_m, along->from_m);
    const double ahead_m = cairn_vec3_dot(to, along->direction);
    const double aside_square = cairn_vec3_dot(to, to) - ahead_m * ahead_m;
    return ahead_m >= -radius_m && aside_square <= radius_m * radius_m * (1 + 1e-9);
}

// Of the face that a point of the surface lies on: the one it is nearest to.
static cairn_vec3 normal_at(const cairn_planar_thing *thing, cairn_vec3 at_m)
{
    const cairn_vec3 from_middle = cairn_vec3_sub(at_m, thing->map_T_box.at_m);
    const double half[3] = {thing->half_m.x, thing->half_m.y, thing->half_m.z};
    int best = 0;
    double best_m = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double along_m = fabs(cairn_vec3_dot(from_middle, thing->arms_m[i])) / half[i];
        if (half[i] - along_m < best_m) {
            best_m = half[i] - along_m;
            best = i;
        }
    }
    return thing->arms_m[best];
}

static void meet_thing(const ray *along, const cairn_planar_thing *thing, cairn_ray_hit *hit)
{
    if (!passes_near(along, thing, radius_of(thing))) { return; }
    const double range_m = cairn_ray_box3(along->from_m, along->direction, thing->map_T_box, thing->half_m);
    if (range_m < 0 || range_m >= (double)hit->range_m) { return; }
    meet(along, range_m, normal_at(thing, point_on(along, range_m)), hit);
}

// ---- ground

static void meet_floor(const cairn_rays *rays, const ray *along, cairn_ray_hit *hit)
{
    const double floor_m = rays->arena->has_holes ? CAIRN_ABYSS_M : 0;
    const double range_m = (floor_m - along->from_m.z) / along->direction.z;
    if (!(range_m >= 0 && isfinite(range_m))) { return; }
    const cairn_vec3 at = point_on(along, range_m);
    const cairn_vec2 size = rays->arena->size_m;
    const bool inside = at.x >= 0 && at.y >= 0 && at.x <= size.x && at.y <= size.y;
    if (inside || rays->arena->has_holes) { meet(along, range_m, (cairn_vec3){0, 0, 1}, hit); }
}

// How high a point of a ray is above a field, in the field's own frame.
static double above_m(const cairn_height_field *field, const ray *in_field, double range_m)
{
    const cairn_vec3 at = point_on(in_field, range_m);
    return at.z - cairn_height_field_m(field, (cairn_vec2){at.x, at.y});
}

static cairn_vec3 field_normal(const cairn_height_field *field, cairn_vec3 at)
{
    const double step = 0.01 * field->cell_m, here = cairn_height_field_m(field, (cairn_vec2){at.x, at.y});
    const double east = cairn_height_field_m(field, (cairn_vec2){at.x + step, at.y}) - here;
    const double north = cairn_height_field_m(field, (cairn_vec2){at.x, at.y + step}) - here;
    return (cairn_vec3){-east / step, -north / step, 1};
}

// Walks along the ray where it is over the field and no higher than its highest point, half a cell at a time.
static void meet_field(const cairn_height_field *field, const ray *along, cairn_ray_hit *hit)
{
    const cairn_pose3 map_T_field = cairn_pose3_from_pose2(field->map_T_field, field->foot_m);
    const cairn_pose3 field_T_map = cairn_pose3_inverse(map_T_field);
    const ray in_field = {cairn_pose3_apply(field_T_map, along->from_m),
                          cairn_quat_rotate(field_T_map.turn, along->direction)};
    const cairn_vec3 half = {0.5 * (field->columns - 1) * field->cell_m, 0.5 * (field->rows - 1) * field->cell_m,
                             0.5 * (double)field->height_m_max + 1e-6};
    const cairn_pose3 middle = {half, cairn_quat_identity()};
    const double enter_m = cairn_ray_box3(in_field.from_m, in_field.direction, middle, half);
    if (enter_m < 0 || enter_m >= (double)hit->range_m) { return; }
    if (above_m(field, &in_field, enter_m) < 0) { return; } // comes from below: no ground has an underside to be seen
    const double leave_m = enter_m + 2 * cairn_vec3_length(half);
    const double end_m = fmin(leave_m, (double)hit->range_m), step_m = 0.5 * field->cell_m;
    for (int64_t step = 0; enter_m + (double)step * step_m < end_m; step++) {
        double low = enter_m + (double)step * step_m, high = low + step_m;
        if (above_m(field, &in_field, high) > 0) { continue; }
        for (int i = 0; i < BISECTIONS; i++) {
            const double between = 0.5 * (low + high);
            *(above_m(field, &in_field, between) > 0 ? &low : &high) = between;
        }
        const cairn_vec3 at = point_on(&in_field, high);
        const bool over = fabs(at.x - half.x) <= half.x && fabs(at.y - half.y) <= half.y;
        const cairn_vec3 normal = cairn_quat_rotate(map_T_field.turn, field_normal(field, at));
        if (over) { meet(along, high, normal, hit); }
        return;
    }
}

// ---- all of it

static void cast_against(const cairn_rays *rays, const cairn_cast *cast, const ray *along, cairn_ray_hit *ret_hits)
{
    const double reach_m = cast->range_m_max;
    for (uint32_t i = 0; i < rays->thing_count; i++) {
        const cairn_planar_thing *thing = &rays->things[i];
        const double within_m = reach_m + radius_of(thing);
        const cairn_vec3 to = cairn_vec3_sub(thing->map_T_box.at_m, cast->map_T_sensor.at_m);
        if (cairn_vec3_dot(to, to) > within_m * within_m) { continue; }
        for (uint32_t k = 0; k < cast->ray_count; k++) { meet_thing(&along[k], thing, &ret_hits[k]); }
    }
    for (uint32_t robot = 0; robot < rays->robot_count; robot++) {
        for (uint32_t box = 0; robot != cast->robot && box < rays->robots[robot].box_count; box++) {
            const cairn_planar_thing *thing = &rays->robots[robot].things[box];
            for (uint32_t k = 0; k < cast->ray_count; k++) { meet_thing(&along[k], thing, &ret_hits[k]); }
        }
    }
    for (uint32_t k = 0; k < cast->ray_count; k++) {
        meet_floor(rays, &along[k], &ret_hits[k]);
        for (uint32_t i = 0; i < rays->arena->field_count; i++) {
            meet_field(&rays->arena->fields[i], &along[k], &ret_hits[k]);
        }
        if ((double)ret_hits[k].range_m > reach_m) { ret_hits[k] = (cairn_ray_hit){INFINITY, 0}; }
    }
}

void cairn_planar_rays(const cairn_rays *rays, const cairn_cast *cast, cairn_ray_hit *ret_hits)
{
    CAIRN_ASSERT(cast->robot < rays->robot_count && cast->ray_count <= PICTURE_ROW_MAX);
    ray along[PICTURE_ROW_MAX];
    for (uint32_t i = 0; i < cast->ray_count; i++) {
        along[i] = (ray){cast->map_T_sensor.at_m, cairn_quat_rotate(cast->map_T_sensor.turn, cast->directions[i])};
        ret_hits[i] = (cairn_ray_hit){INFINITY, 0};
    }
    cast_against(rays, cast, along, ret_hits);
}

// Row by row. A ray of unit length is shorter along the camera's x by its own x.
void cairn_planar_picture(const cairn_rays *rays, const cairn_thermal_view *view, double depth_m_max,
                          float *ret_depth_m, float *ret_celsius)
{
    CAIRN_ASSERT(view->width_px <= PICTURE_ROW_MAX);
    const double pixel = 2 * tan(0.5 * view->field_rad) / view->width_px;
    const double side = 0.5 * pixel * view->width_px, top = 0.5 * pixel * view->height_px;
    const double stretch = sqrt(1 + side * side + top * top);
    cairn_vec3 directions[PICTURE_ROW_MAX];
    cairn_ray_hit hits[PICTURE_ROW_MAX];
    for (uint32_t row = 0; row < view->height_px; row++) {
        for (uint32_t column = 0; column < view->width_px; column++) {
            const cairn_vec3 towards = {1, pixel * (0.5 * view->width_px - 0.5 - column),
                                        pixel * (0.5 * view->height_px - 0.5 - row)};
            directions[column] = cairn_vec3_scale(towards, 1 / cairn_vec3_length(towards));
        }
        const cairn_cast cast = {.robot = view->robot,
                                 .map_T_sensor = view->map_T_camera,
                                 .ray_count = view->width_px,
                                 .directions = directions,
                                 .range_m_max = depth_m_max * stretch};
        cairn_planar_rays(rays, &cast, hits);
        for (uint32_t column = 0; column < view->width_px; column++) {
            const float depth_m = hits[column].range_m * (float)directions[column].x;
            ret_depth_m[row * (size_t)view->width_px + column] = depth_m <= (float)depth_m_max ? depth_m : INFINITY;
        }
    }
    if (ret_celsius) { cairn_planar_thermal(rays, view, ret_celsius); }
}
