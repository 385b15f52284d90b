// The eye looks along a fixed direction. A point p is in the picture when |p_right - e_right| <= t (p_forward -
// e_forward), with t the tangent of half the field of view, and the same upward. Each side of the picture is then one
// linear inequality, and the nearest eye that satisfies all of them for the eight corners of the place is found at
// once.
#include "base/status.h"
#include "sim/arena/view/view_private.h"

#define FIELD_RAD 0.42   // of the longer side: little, so that upright walls look upright
#define MARGIN_PART 0.02 // of the picture, free on each side
#define TITLE_PX 46.0    // free above, for the title

static double dot(cairn_vec3 a, cairn_vec3 b) { return cairn_vec3_dot(a, b); }

// Half the pictures's width and height, as tangents, without margins.
static cairn_vec2 tangents(const cairn_view_def *def, double focal_px)
{
    const double title_px = def->bare ? 0.0 : TITLE_PX;
    return (cairn_vec2){(0.5 - MARGIN_PART) * def->width_px / focal_px,
                        ((0.5 - MARGIN_PART) * def->height_px - title_px / 2) / focal_px};
}

typedef struct reach { // the least e_axis - t e_forward and -e_axis - t e_forward
    double plus, minus;
} reach;

static void stretch(reach *of, double along, double forward, double tangent)
{
    of->plus = fmax(of->plus, along - tangent * forward);
    of->minus = fmax(of->minus, -along - tangent * forward);
}

cairn_view_camera cairn_view_camera_of(const cairn_sim_arena *arena, const cairn_view_def *def)
{
    CAIRN_ASSERT(def->width_px >= CAIRN_VIEW_SIDE_PX_MIN && def->height_px >= CAIRN_VIEW_SIDE_PX_MIN);
    const double a = def->azimuth_rad, e = def->elevation_rad;
    cairn_view_camera camera = {.right = {-sin(a), cos(a), 0.0},
                                .up = {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)},
                                .forward = {-cos(e) * cos(a), -cos(e) * sin(a), -sin(e)}};
    camera.focal_px = fmax(def->width_px, def->height_px) / (2 * tan(FIELD_RAD / 2));
    camera.middle_px = (cairn_vec2){def->width_px / 2.0, (def->height_px + (def->bare ? 0.0 : TITLE_PX)) / 2.0};
    const cairn_vec2 tangent = tangents(def, camera.focal_px);
    cairn_vec3 low, high;
    cairn_view_scene_bounds(arena, def->cut_above_m, &low, &high);
    reach across = {-INFINITY, -INFINITY}, upward = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        const cairn_vec3 at = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
        stretch(&across, dot(at, camera.right), dot(at, camera.forward), tangent.x);
        stretch(&upward, dot(at, camera.up), dot(at, camera.forward), tangent.y);
    }
    const double forward =
        fmin(-(across.plus + across.minus) / (2 * tangent.x), -(upward.plus + upward.minus) / (2 * tangent.y));
    const double right = (across.plus - across.minus) / 2, up = (upward.plus - upward.minus) / 2;
    camera.eye_m =
        cairn_vec3_add(cairn_vec3_add(cairn_vec3_scale(camera.right, right), cairn_vec3_scale(camera.up, up)),
                       cairn_vec3_scale(camera.forward, forward));
    return camera;
}

cairn_vec2 cairn_view_project(const cairn_view_camera *camera, cairn_vec3 at_m)
{
    const cairn_vec3 from_eye = cairn_vec3_sub(at_m, camera->eye_m);
    const double ahead_m = dot(from_eye, camera->forward);
    CAIRN_ASSERT(ahead_m > 0.0);
    return (cairn_vec2){camera->middle_px.x + camera->focal_px * dot(from_eye, camera->right) / ahead_m,
                        camera->middle_px.y - camera->focal_px * dot(from_eye, camera->up) / ahead_m};
}
