// Convex faces, row by row. A sample belongs to a face when its middle does; an edge that two faces share is always
// computed from its lower end, so that they neither overlap nor leave a gap.
#include "base/status.h"
#include "sim/arena/view/view_private.h"

void cairn_raster_clear(cairn_raster *raster)
{
    const size_t count = (size_t)raster->width * raster->height;
    for (size_t i = 0; i < count; i++) { raster->near[i] = -INFINITY; }
    for (size_t i = 0; raster->faces != NULL && i < count; i++) { raster->faces[i] = CAIRN_FACE_NONE; }
}

// Where the line at y crosses the face, from left to right; false if it does not.
static bool cross(const cairn_flat *flat, double y, double *ret_left, double *ret_right)
{
    double left = INFINITY, right = -INFINITY;
    for (uint32_t i = 0; i < flat->corner_count; i++) {
        cairn_vec2 low = flat->corners[i], high = flat->corners[(i + 1) % flat->corner_count];
        if (low.y > high.y || (low.y == high.y && low.x > high.x)) {
            const cairn_vec2 other = low;
            low = high;
            high = other;
        }
        if (y < low.y || y >= high.y) { continue; }
        const double x = low.x + (high.x - low.x) * ((y - low.y) / (high.y - low.y));
        left = fmin(left, x);
        right = fmax(right, x);
    }
    *ret_left = left;
    *ret_right = right;
    return left < right;
}

static int64_t clamp(double value, int64_t low, int64_t high)
{
    return value <= (double)low ? low : value >= (double)high ? high : (int64_t)value;
}

static void fill_row(cairn_raster *raster, const cairn_flat *flat, uint32_t face, int64_t y)
{
    const double middle_y = (double)(y + raster->row) + 0.5;
    double left, right;
    if (!cross(flat, middle_y, &left, &right)) { return; }
    const int64_t first = clamp(ceil(left - 0.5 - raster->column), 0, raster->width);
    const int64_t end = clamp(ceil(right - 0.5 - raster->column), 0, raster->width);
    const double row_near = flat->ny * middle_y + flat->n0;
    const size_t start = (size_t)y * raster->width;
    for (int64_t x = first; x < end; x++) {
        const float near = (float)(flat->nx * ((double)(x + raster->column) + 0.5) + row_near);
        if (!(near > raster->near[start + (size_t)x])) { continue; }
        raster->near[start + (size_t)x] = near;
        if (raster->faces != NULL) { raster->faces[start + (size_t)x] = face; }
    }
}

void cairn_raster_fill(cairn_raster *raster, const cairn_flat *flat, uint32_t face)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < flat->corner_count; i++) {
        low = fmin(low, flat->corners[i].y);
        high = fmax(high, flat->corners[i].y);
    }
    const int64_t end = clamp(ceil(high - raster->row), 0, raster->height);
    for (int64_t y = clamp(floor(low - raster->row), 0, raster->height); y < end; y++) {
        fill_row(raster, flat, face, y);
    }
}

cairn_far_eye cairn_far_eye_of(const cairn_view_scene *scene, cairn_vec3 towards, uint32_t side, double sample_m_min)
{
    CAIRN_ASSERT(side > 2);
    cairn_far_eye eye = {.towards = towards};
    // Any two axes at right angles do; for a look from straight above they are those of the map.
    const cairn_vec3 north = {0, 1, 0};
    cairn_vec3 right = cairn_vec3_cross(north, towards);
    right = cairn_vec3_scale(right, 1.0 / cairn_vec3_length(right));
    eye.right = right;
    eye.up = cairn_vec3_cross(towards, right);
    cairn_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        const cairn_vec3 at = {corner & 1 ? scene->high_m.x : scene->low_m.x,
                               corner & 2 ? scene->high_m.y : scene->low_m.y,
                               corner & 4 ? scene->high_m.z : scene->low_m.z};
        const cairn_vec2 seen = {cairn_vec3_dot(at, eye.right), cairn_vec3_dot(at, eye.up)};
        low = (cairn_vec2){fmin(low.x, seen.x), fmin(low.y, seen.y)};
        high = (cairn_vec2){fmax(high.x, seen.x), fmax(high.y, seen.y)};
    }
    eye.sample_m = fmax(fmax(high.x - low.x, high.y - low.y) / (side - 2), sample_m_min);
    eye.low_m = (cairn_vec2){low.x - eye.sample_m, low.y - eye.sample_m};
    return eye;
}

cairn_flat cairn_far_eye_flat(const cairn_far_eye *eye, const cairn_view_scene *scene, const cairn_face *face)
{
    cairn_flat flat = {.corner_count = face->corner_count};
    for (uint32_t i = 0; i < face->corner_count; i++) {
        const cairn_vec3 at = scene->corners_m[face->first_corner + i];
        flat.corners[i] = (cairn_vec2){(cairn_vec3_dot(at, eye->right) - eye->low_m.x) / eye->sample_m,
                                       (cairn_vec3_dot(at, eye->up) - eye->low_m.y) / eye->sample_m};
    }
    // normal . (u right + v up + n towards) = offset, solved for n.
    const cairn_vec3 normal = {face->normal[0], face->normal[1], face->normal[2]};
    const double facing = cairn_vec3_dot(normal, eye->towards);
    const double by_u = -cairn_vec3_dot(normal, eye->right) / facing, by_v = -cairn_vec3_dot(normal, eye->up) / facing;
    flat.nx = by_u * eye->sample_m;
    flat.ny = by_v * eye->sample_m;
    flat.n0 = face->offset_m / facing + by_u * eye->low_m.x + by_v * eye->low_m.y;
    return flat;
}
