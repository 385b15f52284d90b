// The ground is drawn as the view's raster sees it from straight above, two samples a pixel each way, in bands of rows:
// what lies higher hides what lies lower, and overlapping elements need no rules.
#include "sim/arena/plan/plan.h"
#include "sim/arena/view/view_private.h"

enum { SAMPLES = 2, BAND_PX = 64, RIM = 1 };
#define STEP_M 0.015     // a rise between neighbouring samples beyond what the slope explains: an edge is drawn
#define FLOOR_M 0.0005   // as high as this is the floor itself
#define SHADE_PART 0.55  // how much slopes are shaded
#define LINE_PART 0.62   // how dark edges are
#define TINTED_COVER 150 // over a floor that shows something else

static const cairn_vec3 TO_LIGHT = {-0.5, 0.5, 0.7071}; // from the north-west, as on maps

typedef struct ground {
    cairn_plan *plan;
    const cairn_view_scene *scene;
    cairn_raster band;
} ground;

static cairn_vec3 normal_of(const cairn_face *face)
{
    return (cairn_vec3){face->normal[0], face->normal[1], face->normal[2]};
}

// The raster's rows go north, the picture's go south; both begin at whole pixels of the floor.
static cairn_flat flat_of(const ground *of, const cairn_face *face)
{
    const double sample_m = 1 / (of->plan->scale_px_per_m * SAMPLES);
    const cairn_far_eye eye = {.right = {1, 0, 0}, .up = {0, 1, 0}, .towards = {0, 0, 1}, .sample_m = sample_m};
    return cairn_far_eye_flat(&eye, of->scene, face);
}

static bool steps(const ground *of, size_t at, size_t beside)
{
    const float high = of->band.near[at], other = of->band.near[beside];
    const uint32_t face = of->band.faces[at], next = of->band.faces[beside];
    if (face == next) { return false; }
    // A sample without ground is floor.
    const double high_m = face == CAIRN_FACE_NONE ? 0 : high, other_m = next == CAIRN_FACE_NONE ? 0 : other;
    const double sample_m = 1 / (of->plan->scale_px_per_m * SAMPLES);
    const double slope = face == CAIRN_FACE_NONE ? 0 : 1 / fmax(of->scene->faces[face].normal[2], 0.3) - 1;
    return high_m - other_m > STEP_M + 2 * sample_m * slope;
}

static bool is_floor(const cairn_face *face, float height_m)
{
    return fabsf(height_m) < FLOOR_M && face->normal[2] > 0.9999f;
}

// The colour of a sample; cover 0 where the floor shows.
static cairn_ink ink_at(const ground *of, size_t at)
{
    const size_t width = of->band.width;
    const bool edge =
        steps(of, at, at - 1) || steps(of, at, at + 1) || steps(of, at, at - width) || steps(of, at, at + width);
    const uint32_t index = of->band.faces[at];
    if (index == CAIRN_FACE_NONE || is_floor(&of->scene->faces[index], of->band.near[at])) {
        // The rim of a hole.
        return edge ? (cairn_ink){90, 90, 96, 200} : (cairn_ink){0};
    }
    const cairn_face *face = &of->scene->faces[index];
    const cairn_ink ink = face->by_height ? cairn_ground_ink(of->band.near[at]) : face->ink;
    const double lit = cairn_vec3_dot(normal_of(face), TO_LIGHT) / TO_LIGHT.z;
    double light = 1 + SHADE_PART * (lit - 1);
    if (edge) { light *= LINE_PART; }
    light = fmin(fmax(light, 0.3), 1.03);
    return (cairn_ink){(uint8_t)fmin(ink.red * light, 255), (uint8_t)fmin(ink.green * light, 255),
                       (uint8_t)fmin(ink.blue * light, 255), of->plan->tinted ? TINTED_COVER : 255};
}

static void paint_pixel(ground *of, uint32_t x, uint32_t row, int64_t x_px, int64_t y_px)
{
    double red = 0, green = 0, blue = 0, cover = 0;
    for (uint32_t i = 0; i < SAMPLES * SAMPLES; i++) {
        const size_t at = (size_t)(RIM + row + i / SAMPLES) * of->band.width + RIM + x * SAMPLES + i % SAMPLES;
        const cairn_ink ink = ink_at(of, at);
        red += ink.red * (double)ink.cover;
        green += ink.green * (double)ink.cover;
        blue += ink.blue * (double)ink.cover;
        cover += ink.cover;
    }
    if (cover <= 0) { return; }
    const cairn_ink mixed = {(uint8_t)lround(red / cover), (uint8_t)lround(green / cover),
                             (uint8_t)lround(blue / cover), (uint8_t)lround(cover / (SAMPLES * SAMPLES))};
    cairn_picture_pixel(&of->plan->picture, x_px, y_px, mixed);
}

static void paint_band(ground *of, uint32_t first_px, uint32_t width_px, uint32_t rows_px)
{
    of->band.row = (int32_t)(first_px * SAMPLES) - RIM;
    cairn_raster_clear(&of->band);
    for (uint32_t i = 0; i < of->scene->face_count; i++) {
        const cairn_face *face = &of->scene->faces[i];
        if (face->normal[2] < 1e-3f) { continue; }
        const cairn_flat flat = flat_of(of, face);
        cairn_raster_fill(&of->band, &flat, i);
    }
    const cairn_vec2 corner = cairn_plan_at(of->plan, (cairn_vec2){0, 0});
    for (uint32_t y = 0; y < rows_px; y++) {
        for (uint32_t x = 0; x < width_px; x++) {
            paint_pixel(of, x, y * SAMPLES, llround(corner.x) + x, llround(corner.y) - 1 - (int64_t)(first_px + y));
        }
    }
}

// An open arrow head that points up a slope.
static void draw_chevron(cairn_plan *plan, cairn_vec2 at_m, cairn_vec2 up, double size_m)
{
    const cairn_vec2 beside = {-up.y, up.x};
    const double width = fmin(fmax(1.2, cairn_plan_px(plan, 0.025)), 3.0);
    const cairn_vec2 tip = cairn_plan_at(plan, cairn_vec2_add(at_m, cairn_vec2_scale(up, size_m / 2)));
    for (int wing = -1; wing <= 1; wing += 2) {
        const cairn_vec2 end = cairn_vec2_add(cairn_vec2_sub(at_m, cairn_vec2_scale(up, size_m / 2)),
                                              cairn_vec2_scale(beside, wing * size_m));
        cairn_picture_line(&plan->picture, tip, cairn_plan_at(plan, end), width, CAIRN_PLAN_EDGE);
    }
}

// Arrows for a tilted top that is large enough on the paper.
static void draw_arrows(cairn_plan *plan, const cairn_solid *solid)
{
    const cairn_vec3 normal = cairn_quat_rotate(solid->map_T_box.turn, (cairn_vec3){0, 0, 1});
    const double flat = sqrt(normal.x * normal.x + normal.y * normal.y);
    const double size_m = fmin(0.18, solid->half_m.y / 3);
    if (flat < 0.01 || normal.z < 0.5 || cairn_plan_px(plan, size_m) < 3) { return; }
    const cairn_vec3 middle = cairn_pose3_apply(solid->map_T_box, (cairn_vec3){0, 0, solid->half_m.z});
    draw_chevron(plan, (cairn_vec2){middle.x, middle.y}, (cairn_vec2){-normal.x / flat, -normal.y / flat}, size_m);
}

static cairn_err paint(cairn_plan *plan, cairn_view_scene *scene, cairn_arena *work)
{
    const uint32_t width_px = (uint32_t)ceil(cairn_plan_px(plan, plan->arena->size_m.x));
    const uint32_t height_px = (uint32_t)ceil(cairn_plan_px(plan, plan->arena->size_m.y));
    const uint32_t width = width_px * SAMPLES + 2 * RIM, height = BAND_PX * SAMPLES + 2 * RIM;
    ground of = {.plan = plan,
                 .scene = scene,
                 .band = {.width = width,
                          .height = height,
                          .column = -RIM,
                          .near = CAIRN_TAKE(work, float, (size_t)width *height),
                          .faces = CAIRN_TAKE(work, uint32_t, (size_t)width * height)}};
    if (of.band.near == NULL || of.band.faces == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t first = 0; first < height_px; first += BAND_PX) {
        paint_band(&of, first, width_px, first + BAND_PX > height_px ? height_px - first : BAND_PX);
    }
    return CAIRN_OK;
}

cairn_err cairn_plan_ground(cairn_plan *plan)
{
    const cairn_sim_arena *arena = plan->arena;
    uint32_t face_max, corner_max;
    cairn_view_scene_count(arena, &face_max, &corner_max);
    const size_t band = ((size_t)ceil(cairn_plan_px(plan, arena->size_m.x)) * SAMPLES + 4) * (BAND_PX * SAMPLES + 4);
    cairn_arena work;
    cairn_err err = cairn_arena_create(&work, face_max * sizeof(cairn_face) + corner_max * sizeof(cairn_vec3) +
                                                  8 * band + ((size_t)1 << 20));
    if (err != CAIRN_OK) { return err; }
    cairn_view_scene scene = {.faces = CAIRN_TAKE(&work, cairn_face, face_max),
                              .corners_m = CAIRN_TAKE(&work, cairn_vec3, corner_max),
                              .face_max = face_max,
                              .corner_max = corner_max,
                              .cut_above_m = INFINITY};
    err = scene.faces == NULL || scene.corners_m == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
    if (err == CAIRN_OK) {
        cairn_view_scene_ground(&scene, arena, cairn_plan_is_upper);
        err = scene.face_count > 0 ? paint(plan, &scene, &work) : CAIRN_OK;
    }
    cairn_arena_destroy(&work);
    for (uint32_t i = 0; err == CAIRN_OK && i < arena->solid_count; i++) {
        if (arena->solids[i].kind == CAIRN_SOLID_GROUND) { draw_arrows(plan, &arena->solids[i]); }
    }
    return err;
}
