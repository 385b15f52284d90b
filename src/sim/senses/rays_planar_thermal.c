// rays_planar_thermal.c - thermal pictures: only what is warm is looked for, and what hides it.
//
// Warm solids are few. The part of the picture that each can fill is found by projecting its corners; there, pixel by
// pixel, exact rays decide between it and whatever stands in front. The rest is air.
// The camera is taken as it stands, tilt included.
#include "sim/senses/rays_planar.h"
#include <string.h>

// Corners nearer than this to the camera's own plane are not projected: the box may be anywhere in the picture.
#define NEAR_M 0.05

typedef struct camera_state {
    const cairn_thermal_view *view;
    cairn_vec3 forward, left, up; // camera axes in map
    double pixel;                 // [-] edge of a pixel one metre away
    uint32_t row_px;              // width in memory, whole lanes
} camera_state;

static camera_state camera_of(const cairn_thermal_view *view)
{
    const uint32_t lanes = CAIRN_PLANAR_LANES;
    const cairn_quat turn = view->map_T_camera.turn;
    return (camera_state){.view = view,
                          .forward = cairn_quat_rotate(turn, (cairn_vec3){1, 0, 0}),
                          .left = cairn_quat_rotate(turn, (cairn_vec3){0, 1, 0}),
                          .up = cairn_quat_rotate(turn, (cairn_vec3){0, 0, 1}),
                          .pixel = 2 * tan(0.5 * view->field_rad) / view->width_px,
                          .row_px = (view->width_px + lanes - 1) / lanes * lanes};
}

static cairn_vec3 in_camera(const camera_state *camera, cairn_vec3 v)
{
    return (cairn_vec3){cairn_vec3_dot(camera->forward, v), cairn_vec3_dot(camera->left, v),
                        cairn_vec3_dot(camera->up, v)};
}

// A box in camera axes.
typedef struct seen_box {
    cairn_vec3 centre_m, arms_m[3];
} seen_box;

static seen_box see(const camera_state *camera, const cairn_planar_thing *thing)
{
    const cairn_vec3 to_thing = cairn_vec3_sub(thing->map_T_box.at_m, camera->view->map_T_camera.at_m);
    seen_box box = {.centre_m = in_camera(camera, to_thing)};
    for (int i = 0; i < 3; i++) { box.arms_m[i] = in_camera(camera, thing->arms_m[i]); }
    return box;
}

// ---- where in the picture

// A part of the picture, in pixels that need not be whole.
typedef struct picture_part {
    double column_min, column_max, row_min, row_max;
} picture_part;

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

static picture_part part_of(const camera_state *camera, const seen_box *box)
{
    const double width = camera->view->width_px, height = camera->view->height_px;
    picture_part part = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        cairn_vec3 at = box->centre_m;
        for (int i = 0; i < 3; i++) {
            at = corner >> i & 1 ? cairn_vec3_add(at, box->arms_m[i]) : cairn_vec3_sub(at, box->arms_m[i]);
        }
        if (at.x < NEAR_M) { return (picture_part){0, width, 0, height}; }
        const double column = 0.5 * width - at.y / (at.x * camera->pixel);
        const double row = 0.5 * height - at.z / (at.x * camera->pixel);
        part.column_min = smaller(part.column_min, column);
        part.column_max = larger(part.column_max, column);
        part.row_min = smaller(part.row_min, row);
        part.row_max = larger(part.row_max, row);
    }
    return part;
}

static uint32_t within(double value, uint32_t limit)
{
    return value <= 0 ? 0 : value >= limit ? limit : (uint32_t)value;
}

static cairn_planar_window window_of(const picture_part *part, const camera_state *camera)
{
    const uint32_t lanes = CAIRN_PLANAR_LANES, width = camera->row_px;
    return (cairn_planar_window){.row_first = within(floor(part->row_min), camera->view->height_px),
                                 .row_end = within(ceil(part->row_max), camera->view->height_px),
                                 .column_first = within(floor(part->column_min), width) / lanes * lanes,
                                 .column_end = (within(ceil(part->column_max), width) + lanes - 1) / lanes * lanes,
                                 .width_px = width};
}

static bool is_empty(cairn_planar_window window)
{
    return window.row_first >= window.row_end || window.column_first >= window.column_end;
}

static cairn_planar_window window_shared(cairn_planar_window a, cairn_planar_window b)
{
    a.row_first = a.row_first > b.row_first ? a.row_first : b.row_first;
    a.row_end = a.row_end < b.row_end ? a.row_end : b.row_end;
    a.column_first = a.column_first > b.column_first ? a.column_first : b.column_first;
    a.column_end = a.column_end < b.column_end ? a.column_end : b.column_end;
    return a;
}

// How far a box reaches from its middle along (forward, left, up).
static double reach_along(const seen_box *box, double forward, double left, double up)
{
    double reach = 0;
    for (int i = 0; i < 3; i++) {
        reach += fabs(forward * box->arms_m[i].x + left * box->arms_m[i].y + up * box->arms_m[i].z);
    }
    return reach;
}

// Whether any of the box is before the camera and within a slope to either side: cheap, for most boxes are not.
static bool in_field(const camera_state *camera, const seen_box *box)
{
    const double side = 0.5 * camera->view->width_px * camera->pixel,
                 top = 0.5 * camera->view->height_px * camera->pixel;
    const cairn_vec3 at = box->centre_m;
    return at.x + reach_along(box, 1, 0, 0) > 0 && side * at.x - at.y + reach_along(box, side, -1, 0) > 0 &&
           side * at.x + at.y + reach_along(box, side, 1, 0) > 0 &&
           top * at.x - at.z + reach_along(box, top, 0, -1) > 0 && top * at.x + at.z + reach_along(box, top, 0, 1) > 0;
}

// Rays pass through the middles of pixels: what lies between them, far away, is not met.
static bool has_pixel(const picture_part *part)
{
    const double margin = 1e-6; // [px] rounding
    return floor(part->column_max - 0.5 + margin) >= ceil(part->column_min - 0.5 - margin) &&
           floor(part->row_max - 0.5 + margin) >= ceil(part->row_min - 0.5 - margin);
}

static bool sight_of(const camera_state *camera, const cairn_planar_thing *thing, cairn_planar_sight *ret_sight)
{
    const seen_box box = see(camera, thing);
    if (!in_field(camera, &box)) { return false; }
    const picture_part part = part_of(camera, &box);
    const double reach_m = reach_along(&box, 1, 0, 0);
    *ret_sight = (cairn_planar_sight){.thing = thing,
                                      .window = window_of(&part, camera),
                                      .depth_m_min = box.centre_m.x - reach_m,
                                      .depth_m_max = box.centre_m.x + reach_m};
    return has_pixel(&part) && !is_empty(ret_sight->window);
}

// ---- painting

// Camera axes: x forward, y left, z up; pixel centres are half a pixel inside.
static cairn_planar_warmth warmth_of(const camera_state *camera, const cairn_planar_thing *thing)
{
    const cairn_pose3 box_T_map = cairn_pose3_inverse(thing->map_T_box);
    const cairn_pose3 box_T_camera = cairn_pose3_compose(box_T_map, camera->view->map_T_camera);
    const double left = camera->pixel * (0.5 * camera->view->width_px - 0.5);
    const double up = camera->pixel * (0.5 * camera->view->height_px - 0.5);
    return (cairn_planar_warmth){
        .from_m = box_T_camera.at_m,
        .half_m = thing->half_m,
        .corner = cairn_quat_rotate(box_T_camera.turn, (cairn_vec3){1, left, up}),
        .right = cairn_quat_rotate(box_T_camera.turn, (cairn_vec3){0, -camera->pixel, 0}),
        .down = cairn_quat_rotate(box_T_camera.turn, (cairn_vec3){0, 0, -camera->pixel}),
        .celsius = thing->celsius,
    };
}

typedef struct painting_state {
    const cairn_rays *rays;
    camera_state camera;
    uint32_t warm_count;
    cairn_planar_sight *warm; // what may be seen of warm things
    double depth_m_max;       // of any of them
    float *depth_m, *celsius;
} painting_state;

static void set_sides(const camera_state *camera, cairn_planar_sight *sight)
{
    const double width = 0.5 * camera->view->width_px, height = 0.5 * camera->view->height_px;
    sight->slopes[0] = camera->pixel * (width - sight->window.column_first);
    sight->slopes[1] = camera->pixel * (width - sight->window.column_end);
    sight->slopes[2] = camera->pixel * (height - sight->window.row_first);
    sight->slopes[3] = camera->pixel * (height - sight->window.row_end);
    for (int i = 0; i < 4; i++) { sight->stretches[i] = sqrt(1 + sight->slopes[i] * sight->slopes[i]); }
}

// Whether a ball may hide any of it; at: the ball's middle in camera axes.
static bool may_hide(const cairn_planar_sight *warm, cairn_vec3 at, double radius_m)
{
    return at.x - radius_m <= warm->depth_m_max && at.y - warm->slopes[0] * at.x <= radius_m * warm->stretches[0] &&
           warm->slopes[1] * at.x - at.y <= radius_m * warm->stretches[1] &&
           at.z - warm->slopes[2] * at.x <= radius_m * warm->stretches[2] &&
           warm->slopes[3] * at.x - at.z <= radius_m * warm->stretches[3];
}

// In a large place most things are nowhere near: this is all that they cost.
static bool may_hide_any(const painting_state *painting, const cairn_planar_thing *thing)
{
    const camera_state *camera = &painting->camera;
    const cairn_vec3 at = in_camera(camera, cairn_vec3_sub(thing->map_T_box.at_m, camera->view->map_T_camera.at_m));
    if (at.x + thing->radius_m < 0) { return false; }
    for (uint32_t i = 0; i < painting->warm_count; i++) {
        if (may_hide(&painting->warm[i], at, thing->radius_m)) { return true; }
    }
    return false;
}

static void find_warm(painting_state *painting)
{
    const cairn_rays *rays = painting->rays;
    for (uint32_t i = 0; i < rays->warm_count; i++) {
        cairn_planar_sight sight;
        if (!sight_of(&painting->camera, &rays->things[rays->warm[i]], &sight)) { continue; }
        set_sides(&painting->camera, &sight);
        painting->warm[painting->warm_count++] = sight;
        painting->depth_m_max = fmax(painting->depth_m_max, sight.depth_m_max);
    }
}

static void clear_window(const painting_state *painting, cairn_planar_window window)
{
    for (uint32_t row = window.row_first; row < window.row_end; row++) {
        for (uint32_t column = window.column_first; column < window.column_end; column++) {
            painting->depth_m[row * window.width_px + column] = INFINITY;
            painting->celsius[row * window.width_px + column] = (float)painting->rays->arena->ambient_c;
        }
    }
}

static void paint_warm(const painting_state *painting)
{
    for (uint32_t i = 0; i < painting->warm_count; i++) { clear_window(painting, painting->warm[i].window); }
    for (uint32_t i = 0; i < painting->warm_count; i++) {
        const cairn_planar_warmth warmth = warmth_of(&painting->camera, painting->warm[i].thing);
        painting->rays->paint(&warmth, &painting->warm[i].window, painting->depth_m, painting->celsius);
    }
}

// Something that may stand before warm things. Painting it into two windows that overlap does no harm.
static void paint_before(const painting_state *painting, const cairn_planar_thing *thing)
{
    cairn_planar_sight sight;
    if (!may_hide_any(painting, thing)) { return; }
    if (!sight_of(&painting->camera, thing, &sight) || sight.depth_m_min > painting->depth_m_max) { return; }
    const cairn_planar_warmth warmth = warmth_of(&painting->camera, thing);
    for (uint32_t i = 0; i < painting->warm_count; i++) {
        const cairn_planar_window window = window_shared(sight.window, painting->warm[i].window);
        if (sight.depth_m_min > painting->warm[i].depth_m_max || is_empty(window)) { continue; }
        painting->rays->paint(&warmth, &window, painting->depth_m, painting->celsius);
    }
}

static void paint_cold(const painting_state *painting)
{
    const cairn_rays *rays = painting->rays;
    for (uint32_t i = 0; i < rays->thing_count; i++) { paint_before(painting, &rays->things[i]); }
    for (uint32_t robot = 0; robot < rays->robot_count; robot++) {
        for (uint32_t box = 0; robot != painting->camera.view->robot && box < rays->robots[robot].box_count; box++) {
            paint_before(painting, &rays->robots[robot].things[box]);
        }
    }
}

static void copy_out(const painting_state *painting, cairn_planar_window window, float *ret_celsius)
{
    const uint32_t width = painting->camera.view->width_px;
    const uint32_t end = window.column_end < width ? window.column_end : width;
    for (uint32_t row = window.row_first; row < window.row_end; row++) {
        memcpy(ret_celsius + (size_t)row * width + window.column_first,
               painting->celsius + (size_t)row * window.width_px + window.column_first,
               (end - window.column_first) * sizeof *ret_celsius);
    }
}

void cairn_planar_thermal(const cairn_rays *rays, const cairn_thermal_view *view, float *ret_celsius)
{
    CAIRN_ASSERT(view->robot < rays->robot_count && view->width_px > 0 && view->height_px > 0);
    const cairn_planar_robot *robot = &rays->robots[view->robot];
    painting_state painting = {.rays = rays,
                               .camera = camera_of(view),
                               .warm = robot->sights,
                               .depth_m = robot->depth_m,
                               .celsius = robot->celsius};
    CAIRN_ASSERT((size_t)painting.camera.row_px * view->height_px <= CAIRN_PLANAR_PIXELS_MAX);
    for (uint32_t i = 0; i < view->width_px * view->height_px; i++) { ret_celsius[i] = (float)rays->arena->ambient_c; }
    find_warm(&painting);
    if (painting.warm_count == 0) { return; }
    paint_warm(&painting);
    paint_cold(&painting);
    for (uint32_t i = 0; i < painting.warm_count; i++) { copy_out(&painting, painting.warm[i].window, ret_celsius); }
}
