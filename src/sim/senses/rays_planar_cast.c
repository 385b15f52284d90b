// rays_planar_cast.c - rays in space against everything that is near: for sensors that do not look along the laser's
// plane. No tree: rays that leave from one place together lie in a narrow cone, and most things are not in it. Pictures
// are cast in small tiles, so that their cones are narrow, too.
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include "sim/senses/rays_planar.h"

#define CAST_RAYS_MAX 640
#define TILE_PX 8           // edge of the tiles of a picture; smaller ones have narrower cones, but more of them
#define TOUCH_MARGIN_M 1e-4 // what passes a ball or a cone by less than this is not ruled out: rounding is far below it
#define BISECTIONS 24       // of a step along a ray: to a micrometre

typedef struct ray {
    cairn_vec3 from_m, direction; // map; unit
    double floor_m;               // how far along it meets the floor; INFINITY: it does not
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

// ---- what is near

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

// Rays that leave from one place lie in it: what it does not touch, none of them meets.
typedef struct cone {
    cairn_vec3 axis;     // map; unit
    double cosine, sine; // of the angle from the axis to its side
} cone;

static cone cone_of(cairn_vec3 axis, double cosine)
{
    return (cone){axis, cosine, sqrt(larger(1 - cosine * cosine, 0))};
}

static cone cone_around(const ray *along, uint32_t count)
{
    cairn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) { sum = cairn_vec3_add(sum, along[i].direction); }
    const double length = cairn_vec3_length(sum);
    if (!(length > 0)) { return (cone){.cosine = -1}; }
    const cairn_vec3 axis = cairn_vec3_scale(sum, 1 / length);
    double cosine = 1;
    for (uint32_t i = 0; i < count; i++) { cosine = smaller(cosine, cairn_vec3_dot(axis, along[i].direction)); }
    return cone_of(axis, cosine);
}

// Whether it may touch a ball. The ball's middle is at least so far outside the cone's side: if that is farther than
// its radius, all of it is outside. A cone that is wider than a half-space may touch anything.
static bool touches(const cone *rays, cairn_vec3 to_m, double to_m_square, double radius_m)
{
    if (rays->cosine <= 0) { return true; }
    const double ahead_m = cairn_vec3_dot(to_m, rays->axis);
    const double aside_m = sqrt(larger(to_m_square - ahead_m * ahead_m, 0));
    return aside_m * rays->cosine - ahead_m * rays->sine <= radius_m + TOUCH_MARGIN_M;
}

// Whether it may touch a box: long ones fill little of their balls. The plane along the cone's side, where that is next
// to the box's middle, has all of the cone behind it; it may have all of the box before it.
static bool touches_box(const cone *rays, cairn_vec3 to_m, double to_m_square, const cairn_planar_thing *thing)
{
    if (!touches(rays, to_m, to_m_square, thing->radius_m)) { return false; }
    const double ahead_m = cairn_vec3_dot(to_m, rays->axis);
    const cairn_vec3 aside = cairn_vec3_sub(to_m, cairn_vec3_scale(rays->axis, ahead_m));
    const double aside_m = cairn_vec3_length(aside);
    if (rays->cosine <= 0 || aside_m < TOUCH_MARGIN_M) { return true; }
    const cairn_vec3 normal =
        cairn_vec3_sub(cairn_vec3_scale(aside, rays->cosine / aside_m), cairn_vec3_scale(rays->axis, rays->sine));
    double half_m = TOUCH_MARGIN_M; // of the box, along the plane's normal
    for (int i = 0; i < 3; i++) { half_m += fabs(cairn_vec3_dot(normal, thing->arms_m[i])); }
    return cairn_vec3_dot(normal, to_m) <= half_m;
}

// How far a box is from a point in its own axes.
static double outside_m(cairn_vec3 at_m, cairn_vec3 half_m)
{
    return cairn_vec3_length((cairn_vec3){larger(fabs(at_m.x) - half_m.x, 0), larger(fabs(at_m.y) - half_m.y, 0),
                                          larger(fabs(at_m.z) - half_m.z, 0)});
}

// Adds a thing to those that are near if it may be met within reach_m.
static uint32_t add_near(cairn_planar_near *near, uint32_t count, const cairn_planar_thing *thing, cairn_vec3 from_m,
                         const cone *rays, double reach_m)
{
    const double within_m = reach_m + thing->radius_m;
    const cairn_vec3 to_m = cairn_vec3_sub(thing->map_T_box.at_m, from_m);
    const double to_m_square = cairn_vec3_dot(to_m, to_m);
    if (to_m_square > within_m * within_m || !touches_box(rays, to_m, to_m_square, thing)) { return count; }
    const cairn_quat box_T_map = cairn_quat_conjugate(thing->map_T_box.turn);
    const cairn_vec3 in_box_m = cairn_quat_rotate(box_T_map, cairn_vec3_sub(from_m, thing->map_T_box.at_m));
    const double range_m_min = outside_m(in_box_m, thing->half_m) - TOUCH_MARGIN_M;
    if (range_m_min > reach_m) { return count; }
    near[count] = (cairn_planar_near){
        .thing = thing,
        .to_m = to_m,
        .to_m_square = to_m_square,
        .radius_m_square = thing->radius_m * thing->radius_m * (1 + 1e-9),
        .range_m_min = range_m_min,
        .from_m = in_box_m,
        .box_T_map = box_T_map,
    };
    return count + 1;
}

// Fills the robot's list of what is near, in the order of things and then of robots, and returns how many those are.
static uint32_t find_near(const cairn_rays *rays, uint32_t robot, cairn_vec3 from_m, const cone *around, double reach_m)
{
    cairn_planar_near *near = rays->robots[robot].near;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rays->thing_count; i++) {
        count = add_near(near, count, &rays->things[i], from_m, around, reach_m);
    }
    for (uint32_t other = 0; other < rays->robot_count; other++) {
        for (uint32_t box = 0; other != robot && box < rays->robots[other].box_count; box++) {
            count = add_near(near, count, &rays->robots[other].things[box], from_m, around, reach_m);
        }
    }
    return count;
}

// ---- boxes

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

static void meet_box(const ray *along, const cairn_planar_near *box, cairn_ray_hit *hit)
{
    if (box->range_m_min >= (double)hit->range_m || box->range_m_min >= along->floor_m) { return; }
    const double ahead_m = cairn_vec3_dot(box->to_m, along->direction);
    const double aside_square = box->to_m_square - ahead_m * ahead_m;
    if (!(ahead_m >= -box->thing->radius_m && aside_square <= box->radius_m_square)) { return; }
    const cairn_vec3 direction = cairn_quat_rotate(box->box_T_map, along->direction);
    const double range_m = cairn_ray_box3_local(box->from_m, direction, box->thing->half_m);
    if (range_m < 0 || range_m >= (double)hit->range_m) { return; }
    meet(along, range_m, normal_at(box->thing, point_on(along, range_m)), hit);
}

// ---- ground

static double floor_along_m(const cairn_rays *rays, const ray *along)
{
    const double floor_m = rays->arena->has_holes ? CAIRN_ABYSS_M : 0;
    const double range_m = (floor_m - along->from_m.z) / along->direction.z;
    if (!(range_m >= 0 && isfinite(range_m))) { return INFINITY; }
    const cairn_vec3 at = point_on(along, range_m);
    const cairn_vec2 size = rays->arena->size_m;
    const bool inside = at.x >= 0 && at.y >= 0 && at.x <= size.x && at.y <= size.y;
    return inside || rays->arena->has_holes ? range_m : INFINITY;
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
// from_m: where the ray starts, in the field's frame.
static void meet_field(const cairn_planar_hill *hill, cairn_vec3 from_m, const ray *along, cairn_ray_hit *hit)
{
    const cairn_height_field *field = hill->field;
    const cairn_vec3 half = hill->half_m;
    const ray in_field = {.from_m = from_m, .direction = cairn_quat_rotate(hill->field_T_map.turn, along->direction)};
    const double enter_m = cairn_ray_box3_local(cairn_vec3_sub(in_field.from_m, half), in_field.direction, half);
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
        const cairn_vec3 normal = cairn_quat_rotate(hill->map_T_field.turn, field_normal(field, at));
        if (over) { meet(along, high, normal, hit); }
        return;
    }
}

// ---- all of it

// Rays from one place, of which all that they may meet is known.
typedef struct bundle {
    ray *along;
    uint32_t ray_count;
    cone around;
    const cairn_planar_near *near;
    uint32_t near_count;
    double reach_m;
} bundle;

static void meet_ground(const cairn_rays *rays, const bundle *of, cairn_ray_hit *hits)
{
    for (uint32_t k = 0; k < of->ray_count; k++) {
        meet(&of->along[k], of->along[k].floor_m, (cairn_vec3){0, 0, 1}, &hits[k]);
    }
    for (uint32_t i = 0; i < rays->arena->field_count && of->ray_count > 0; i++) {
        const cairn_planar_hill *hill = &rays->hills[i];
        const cairn_vec3 to_m = cairn_vec3_sub(hill->middle_m, of->along[0].from_m);
        if (!touches(&of->around, to_m, cairn_vec3_dot(to_m, to_m), cairn_vec3_length(hill->half_m))) { continue; }
        const cairn_vec3 from_m = cairn_pose3_apply(hill->field_T_map, of->along[0].from_m);
        for (uint32_t k = 0; k < of->ray_count; k++) { meet_field(hill, from_m, &of->along[k], &hits[k]); }
    }
}

static void meet_all(const cairn_rays *rays, const bundle *of, cairn_ray_hit *ret_hits)
{
    for (uint32_t k = 0; k < of->ray_count; k++) {
        of->along[k].floor_m = floor_along_m(rays, &of->along[k]);
        ret_hits[k] = (cairn_ray_hit){INFINITY, 0};
    }
    for (uint32_t i = 0; i < of->near_count; i++) {
        const cairn_planar_near *box = &of->near[i];
        if (!touches_box(&of->around, box->to_m, box->to_m_square, box->thing)) { continue; }
        for (uint32_t k = 0; k < of->ray_count; k++) { meet_box(&of->along[k], box, &ret_hits[k]); }
    }
    meet_ground(rays, of, ret_hits);
    for (uint32_t k = 0; k < of->ray_count; k++) {
        if ((double)ret_hits[k].range_m > of->reach_m) { ret_hits[k] = (cairn_ray_hit){INFINITY, 0}; }
    }
}

void cairn_planar_rays(const cairn_rays *rays, const cairn_cast *cast, cairn_ray_hit *ret_hits)
{
    CAIRN_ASSERT(cast->robot < rays->robot_count && cast->ray_count <= CAST_RAYS_MAX);
    ray along[CAST_RAYS_MAX];
    for (uint32_t i = 0; i < cast->ray_count; i++) {
        along[i] = (ray){.from_m = cast->map_T_sensor.at_m,
                         .direction = cairn_quat_rotate(cast->map_T_sensor.turn, cast->directions[i])};
    }
    bundle of = {.along = along, .ray_count = cast->ray_count, .reach_m = cast->range_m_max};
    of.around = cone_around(along, cast->ray_count);
    of.near = rays->robots[cast->robot].near;
    of.near_count = find_near(rays, cast->robot, cast->map_T_sensor.at_m, &of.around, cast->range_m_max);
    meet_all(rays, &of, ret_hits);
}

// ---- pictures

typedef struct picture {
    const cairn_thermal_view *view;
    double pixel; // [-] edge of a pixel one metre away
    double depth_m_max;
} picture;

static cairn_vec3 pixel_direction(const picture *of, uint32_t row, uint32_t column)
{
    const cairn_vec3 towards = {1, of->pixel * (0.5 * of->view->width_px - 0.5 - column),
                                of->pixel * (0.5 * of->view->height_px - 0.5 - row)};
    return cairn_vec3_scale(towards, 1 / cairn_vec3_length(towards));
}

// Casts the tile whose first pixel is given. A ray of unit length is shorter along the camera's x by its own x.
static void cast_tile(const cairn_rays *rays, const picture *of, bundle *tile, uint32_t row_first,
                      uint32_t column_first, float *ret_depth_m)
{
    const cairn_thermal_view *view = of->view;
    const uint32_t rows = view->height_px - row_first < TILE_PX ? view->height_px - row_first : TILE_PX;
    const uint32_t columns = view->width_px - column_first < TILE_PX ? view->width_px - column_first : TILE_PX;
    const uint32_t count = rows * columns;
    cairn_ray_hit hits[TILE_PX * TILE_PX];
    float ahead[TILE_PX * TILE_PX]; // [-] the rays' own x
    tile->ray_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_vec3 direction = pixel_direction(of, row_first + i / columns, column_first + i % columns);
        tile->along[i] = (ray){.from_m = view->map_T_camera.at_m,
                               .direction = cairn_quat_rotate(view->map_T_camera.turn, direction)};
        ahead[i] = (float)direction.x;
    }
    tile->around = cone_around(tile->along, count);
    meet_all(rays, tile, hits);
    for (uint32_t i = 0; i < count; i++) {
        const size_t row = row_first + i / columns, column = column_first + i % columns;
        const float depth_m = hits[i].range_m * ahead[i];
        ret_depth_m[row * view->width_px + column] = depth_m <= (float)of->depth_m_max ? depth_m : INFINITY;
    }
}

void cairn_planar_picture(const cairn_rays *rays, const cairn_thermal_view *view, double depth_m_max,
                          float *ret_depth_m, float *ret_celsius)
{
    CAIRN_ASSERT(view->robot < rays->robot_count && view->width_px > 0 && view->height_px > 0);
    const double pixel = 2 * tan(0.5 * view->field_rad) / view->width_px;
    const double side = 0.5 * pixel * view->width_px, top = 0.5 * pixel * view->height_px;
    const double stretch = sqrt(1 + side * side + top * top); // of a ray to a corner
    const cone whole = cone_of(cairn_quat_rotate(view->map_T_camera.turn, (cairn_vec3){1, 0, 0}), 1 / stretch);
    const picture of = {view, pixel, depth_m_max};
    ray along[TILE_PX * TILE_PX];
    bundle tile = {.along = along, .near = rays->robots[view->robot].near, .reach_m = depth_m_max * stretch};
    tile.near_count = find_near(rays, view->robot, view->map_T_camera.at_m, &whole, tile.reach_m);
    for (uint32_t row = 0; row < view->height_px; row += TILE_PX) {
        for (uint32_t column = 0; column < view->width_px; column += TILE_PX) {
            cast_tile(rays, &of, &tile, row, column, ret_depth_m);
        }
    }
    if (ret_celsius) { cairn_planar_thermal(rays, view, ret_celsius); }
}
