// Shade: the scene is drawn once as the sun sees it, and a place is lit when nothing is nearer to the sun; the sky: the
// scene is drawn once from straight above, and the higher what stands around a place, the less sky it sees. Both look
// at several samples around the place, so that edges are soft.
#include "base/status.h"
#include "sim/arena/view/view_private.h"

#define SUN_BEHIND_RAD 0.6 // to the left of the eye
#define SUN_HIGH_RAD 0.95
#define SUN_SAMPLE_M 0.02 // finer does not show
#define SKY_SAMPLE_M 0.04
#define OFF_SURFACE_M 0.03 // a place is looked up so far before its surface, lest it shade itself
#define SKY_RING_M 0.11
#define SKY_HIDDEN_PART 0.8 // more: darker corners
#define SKY_PART_MIN 0.5    // under roofs one still sees something
#define SKY_PART 0.66
#define SUN_PART 0.42

typedef struct drawing {
    const cairn_view_scene *scene;
    const cairn_far_eye *eye;
    uint32_t side;
    float *near;
} drawing;

enum { BAND_ROWS = 64 };

static void draw_band(void *context, uint32_t band)
{
    const drawing *of = context;
    const uint32_t row = band * BAND_ROWS, rows = row + BAND_ROWS > of->side ? of->side - row : BAND_ROWS;
    cairn_raster raster = {
        .width = of->side, .height = rows, .row = (int32_t)row, .near = of->near + (size_t)row * of->side};
    cairn_raster_clear(&raster);
    for (uint32_t i = 0; i < of->scene->face_count; i++) {
        const cairn_face *face = &of->scene->faces[i];
        const cairn_vec3 normal = {face->normal[0], face->normal[1], face->normal[2]};
        if (face->painted || cairn_vec3_dot(normal, of->eye->towards) < 1e-3) { continue; }
        const cairn_flat flat = cairn_far_eye_flat(of->eye, of->scene, face);
        cairn_raster_fill(&raster, &flat, i);
    }
}

static cairn_err draw(drawing of, cairn_workers *workers)
{
    cairn_workers_run(workers, draw_band, &of, (of.side + BAND_ROWS - 1) / BAND_ROWS);
    return CAIRN_OK;
}

cairn_err cairn_view_light_init(cairn_view_light *light, const cairn_view_scene *scene, double eye_azimuth_rad,
                                cairn_workers *workers, cairn_arena *work)
{
    const double azimuth_rad = eye_azimuth_rad - SUN_BEHIND_RAD;
    const size_t count = (size_t)CAIRN_VIEW_LIGHT_SIDE * CAIRN_VIEW_LIGHT_SIDE;
    *light = (cairn_view_light){
        .to_sun = {cos(SUN_HIGH_RAD) * cos(azimuth_rad), cos(SUN_HIGH_RAD) * sin(azimuth_rad), sin(SUN_HIGH_RAD)},
        .side = CAIRN_VIEW_LIGHT_SIDE,
        .sun_near = CAIRN_TAKE(work, float, count),
        .above_near = CAIRN_TAKE(work, float, count)};
    if (light->sun_near == NULL || light->above_near == NULL) { return CAIRN_ERR_FULL; }
    light->sun = cairn_far_eye_of(scene, light->to_sun, light->side, SUN_SAMPLE_M);
    light->above = cairn_far_eye_of(scene, (cairn_vec3){0, 0, 1}, light->side, SKY_SAMPLE_M);
    const cairn_err err = draw((drawing){scene, &light->sun, light->side, light->sun_near}, workers);
    return err != CAIRN_OK ? err : draw((drawing){scene, &light->above, light->side, light->above_near}, workers);
}

static float look_up(const float *near, uint32_t side, double x, double y)
{
    if (!(x >= 0 && y >= 0 && x < side && y < side)) { return -INFINITY; }
    return near[(size_t)y * side + (size_t)x];
}

// The part of the sun that is seen from a place: 4 x 4 samples around it.
static double sun_seen(const cairn_view_light *light, cairn_vec3 at_m)
{
    const cairn_far_eye *eye = &light->sun;
    const double x = (cairn_vec3_dot(at_m, eye->right) - eye->low_m.x) / eye->sample_m;
    const double y = (cairn_vec3_dot(at_m, eye->up) - eye->low_m.y) / eye->sample_m;
    // A sample stands for all of its width, over which a slope may rise.
    const double near_m = cairn_vec3_dot(at_m, eye->towards) + 1.5 * eye->sample_m;
    int lit = 0;
    for (int dy = 0; dy < 4; dy++) {
        for (int dx = 0; dx < 4; dx++) {
            lit += !(look_up(light->sun_near, light->side, x + dx - 1.5, y + dy - 1.5) > near_m);
        }
    }
    return lit / 16.0;
}

// The part of the sky that is seen, from how high things stand on rings around the place. Fewer rings or bearings show
// as ghosts of walls on the floor.
static double sky_seen(const cairn_view_light *light, cairn_vec3 at_m, cairn_vec3 normal)
{
    enum { RINGS = 5, BEARINGS = 16 };
    static const double cosines[BEARINGS] = {1,  0.9239,  0.7071,  0.3827,  0, -0.3827, -0.7071, -0.9239,
                                             -1, -0.9239, -0.7071, -0.3827, 0, 0.3827,  0.7071,  0.9239};
    const cairn_far_eye *eye = &light->above;
    const double step_m = fmax(SKY_RING_M, 1.2 * eye->sample_m);
    double hidden = 0, asked = 0;
    for (int i = 0; i < BEARINGS; i++) {
        const double dx = cosines[i], dy = cosines[(i + 12) % BEARINGS];
        if (normal.x * dx + normal.y * dy < -0.1) { continue; }
        for (int ring = 0; ring < RINGS; ring++) {
            // Rings turn against each other.
            const double out_m = step_m * (ring + 0.7 + 0.2 * (i % 3));
            const double x = (at_m.x + out_m * dx - eye->low_m.x) / eye->sample_m;
            const double y = (at_m.y + out_m * dy - eye->low_m.y) / eye->sample_m;
            const double over_m = look_up(light->above_near, light->side, x, y) - at_m.z;
            hidden += over_m > 0 ? over_m / (over_m + out_m) : 0;
            asked += 1;
        }
    }
    return asked > 0 ? fmax(1 - SKY_HIDDEN_PART * hidden / asked, SKY_PART_MIN) : 1;
}

double cairn_view_light_at(const cairn_view_light *light, cairn_vec3 at_m, cairn_vec3 normal)
{
    const double facing = cairn_vec3_dot(normal, light->to_sun);
    const double off_m = OFF_SURFACE_M + 0.5 * light->sun.sample_m;
    const cairn_vec3 before_m = cairn_vec3_add(at_m, cairn_vec3_scale(normal, off_m));
    const double sky = SKY_PART * (0.85 + 0.15 * normal.z) * sky_seen(light, before_m, normal);
    return sky + (facing > 0 ? SUN_PART * facing * sun_seen(light, before_m) : 0);
}
