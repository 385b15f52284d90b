#include "sim/arena/view/view.h"
#include "base/status.h"
#include "sim/arena/view/view_private.h"
#include <stdio.h>
#include <stdlib.h>

#define SIGN_PX_MIN 15.0 // a robot's arrow is drawn at least so long
#define ROBOT_M 0.6
#define PIN_PX 24.0
#define PIN_DISC_PX 9.0
#define WORK_BYTES ((size_t)96 << 20) // the light's rasters, and lists
#define BYTES_PER_FACE ((size_t)512)  // as the eye sees it, and on the lists of tiles

static const cairn_ink PAPER = {250, 251, 252, 255};
static const cairn_ink LABEL = {0, 50, 140, 255};
static const cairn_ink QUIET = {84, 94, 116, 255};
static const cairn_ink WHITE = {255, 255, 255, 255};
static const cairn_ink STALK = {60, 60, 66, 255};
static const cairn_ink VICTIM = {224, 12, 12, 255};
static const cairn_ink BYSTANDER = {20, 134, 96, 255};
static const cairn_ink HAZARD = {164, 24, 156, 255};

cairn_view_def cairn_view_def_default(void)
{
    return (cairn_view_def){.width_px = 1600,
                            .height_px = 1000,
                            .azimuth_rad = -110 * CAIRN_PI / 180,
                            .elevation_rad = 50 * CAIRN_PI / 180,
                            .cut_above_m = INFINITY};
}

// ---- what is drawn over the picture

typedef struct pin {
    cairn_vec2 foot_px;
    uint32_t number;
    cairn_ink ink;
    char text[16];
} pin;

static int compare_pins(const void *first, const void *second)
{
    const pin *a = first, *b = second;
    if (a->foot_px.y != b->foot_px.y) { return a->foot_px.y < b->foot_px.y ? -1 : 1; }
    return a->number < b->number ? -1 : a->number > b->number;
}

static void draw_pin(cairn_picture *picture, const pin *of)
{
    const cairn_vec2 head = {of->foot_px.x, of->foot_px.y - PIN_PX};
    cairn_picture_line(picture, of->foot_px, head, 3.5, WHITE);
    cairn_picture_line(picture, of->foot_px, head, 1.8, STALK);
    cairn_picture_disc(picture, head, PIN_DISC_PX + 1.6, WHITE);
    cairn_picture_disc(picture, head, PIN_DISC_PX, of->ink);
    const uint32_t dot_px = of->text[1] == '\0' ? 2 : 1;
    const cairn_vec2 at = {head.x + 0.5 - cairn_picture_text_width_px(dot_px, of->text) / 2, head.y - 3.5 * dot_px};
    cairn_picture_text(picture, at, dot_px, WHITE, of->text);
}

static pin pin_at(const cairn_view_camera *camera, cairn_vec2 at_m, double height_m, cairn_ink ink)
{
    return (pin){.foot_px = cairn_view_project(camera, (cairn_vec3){at_m.x, at_m.y, height_m}), .ink = ink};
}

// Those further away first, so that nearer ones lie over them. Who was cut away has none.
static cairn_err draw_pins(const cairn_sim_arena *arena, const cairn_view_camera *camera, double cut_above_m,
                           cairn_arena *work, cairn_picture *picture)
{
    pin *pins = CAIRN_TAKE(work, pin, arena->victim_count + arena->figure_count + 1);
    if (pins == NULL) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        const cairn_sim_victim *victim = &arena->victims[i];
        if (victim->foot_m >= cut_above_m) { continue; }
        const double head_m = fmin(victim->foot_m + 0.7, cut_above_m);
        pins[count] = pin_at(camera, cairn_pose2_at(victim->map_T_victim), head_m, VICTIM);
        (void)snprintf(pins[count++].text, sizeof pins[0].text, "%u", i + 1);
    }
    for (uint32_t i = 0; i < arena->figure_count; i++, count++) {
        const bool hazard = arena->figures[i].kind == CAIRN_FIGURE_HAZARD;
        const double head_m = fmin(hazard ? 0.5 : 1.7, cut_above_m);
        pins[count] = pin_at(camera, arena->figures[i].points_m[0], head_m, hazard ? HAZARD : BYSTANDER);
        (void)snprintf(pins[count].text, sizeof pins[count].text, hazard ? "!" : "i");
    }
    for (uint32_t i = 0; i < count; i++) { pins[i].number = i; }
    qsort(pins, count, sizeof pins[0], compare_pins);
    for (uint32_t i = 0; i < count; i++) { draw_pin(picture, &pins[i]); }
    return CAIRN_OK;
}

// An arrow that points north as the eye sees it.
static void draw_north(const cairn_view_camera *camera, cairn_picture *picture)
{
    const cairn_vec2 middle = {picture->width_px - 46.0, 46.0};
    const cairn_vec2 north = {26 * camera->right.y, -26 * camera->up.y},
                     east = {26 * camera->right.x, -26 * camera->up.x};
    const cairn_vec2 tip = cairn_vec2_add(middle, north), tail = cairn_vec2_sub(middle, cairn_vec2_scale(north, 0.7));
    const cairn_vec2 corners[] = {tip, cairn_vec2_add(tail, cairn_vec2_scale(east, 0.35)),
                                  cairn_vec2_sub(middle, cairn_vec2_scale(north, 0.35)),
                                  cairn_vec2_sub(tail, cairn_vec2_scale(east, 0.35))};
    cairn_picture_polygon(picture, corners, 4, LABEL);
    const double length = fmax(cairn_vec2_length(north), 1);
    const cairn_vec2 letter = cairn_vec2_add(tip, cairn_vec2_scale(north, 11 / length));
    cairn_picture_text(picture, (cairn_vec2){letter.x - 4.5, letter.y - 7}, 2, LABEL, "N");
}

static double draw_key(cairn_picture *picture, double x, cairn_ink ink, uint32_t count, const char *one,
                       const char *many)
{
    if (count == 0) { return x; }
    char text[48];
    (void)snprintf(text, sizeof text, "%u %s", count, count == 1 ? one : many);
    cairn_picture_disc(picture, (cairn_vec2){x + 6, 27}, 6, ink);
    cairn_picture_text(picture, (cairn_vec2){x + 17, 20}, 2, QUIET, text);
    return x + 17 + cairn_picture_text_width_px(2, text) + 18;
}

static uint32_t count_figures(const cairn_sim_arena *arena, cairn_figure_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->figure_count; i++) { count += arena->figures[i].kind == kind; }
    return count;
}

static void draw_title(const cairn_sim_arena *arena, cairn_picture *picture)
{
    const cairn_ink start = {255, 200, 0, 255};
    cairn_picture_text(picture, (cairn_vec2){20, 14}, 3, LABEL, arena->name);
    double x = 20 + cairn_picture_text_width_px(3, arena->name) + 22;
    char text[64];
    (void)snprintf(text, sizeof text, "%.1f x %.1f m", arena->size_m.x, arena->size_m.y);
    cairn_picture_text(picture, (cairn_vec2){x, 20}, 2, QUIET, text);
    x += cairn_picture_text_width_px(2, text) + 22;
    x = draw_key(picture, x, VICTIM, arena->victim_count, "victim", "victims");
    x = draw_key(picture, x, start, arena->start_count, "start", "starts");
    x = draw_key(picture, x, BYSTANDER, count_figures(arena, CAIRN_FIGURE_BYSTANDER), "bystander", "bystanders");
    (void)draw_key(picture, x, HAZARD, count_figures(arena, CAIRN_FIGURE_HAZARD), "hazard", "hazards");
}

// ---- the view

// As large as a robot, or so large that it can be seen.
static double sign_size_m(const cairn_sim_arena *arena, const cairn_view_camera *camera)
{
    const cairn_vec3 middle = {arena->size_m.x / 2, arena->size_m.y / 2, 0};
    const double far_m = cairn_vec3_dot(cairn_vec3_sub(middle, camera->eye_m), camera->forward);
    return fmax(1.0, SIGN_PX_MIN * far_m / camera->focal_px / ROBOT_M);
}

static cairn_err draw(const cairn_sim_arena *arena, const cairn_view_def *def, cairn_workers *workers,
                      uint32_t face_max, uint32_t corner_max, cairn_arena *work, cairn_picture *picture)
{
    const cairn_view_camera camera = cairn_view_camera_of(arena, def);
    cairn_view_scene scene = {.faces = CAIRN_TAKE(work, cairn_face, face_max),
                              .corners_m = CAIRN_TAKE(work, cairn_vec3, corner_max),
                              .face_max = face_max,
                              .corner_max = corner_max,
                              .cut_above_m = def->cut_above_m,
                              .sign_m = sign_size_m(arena, &camera)};
    if (scene.faces == NULL || scene.corners_m == NULL) { return CAIRN_ERR_FULL; }
    cairn_view_scene_fill(&scene, arena);
    cairn_view_light light;
    cairn_err err = cairn_view_light_init(&light, &scene, def->azimuth_rad, workers, work);
    if (err == CAIRN_OK) { err = cairn_view_shade(&scene, &camera, &light, workers, work, picture); }
    if (err != CAIRN_OK || def->bare) { return err; }
    draw_title(arena, picture);
    draw_north(&camera, picture);
    return draw_pins(arena, &camera, def->cut_above_m, work, picture);
}

cairn_err cairn_view_draw(const cairn_sim_arena *arena, const cairn_view_def *def, cairn_workers *workers,
                          cairn_arena *memory, cairn_picture *ret_picture)
{
    CAIRN_ASSERT(def->width_px >= CAIRN_VIEW_SIDE_PX_MIN && def->width_px <= CAIRN_VIEW_SIDE_PX_MAX);
    CAIRN_ASSERT(def->height_px >= CAIRN_VIEW_SIDE_PX_MIN && def->height_px <= CAIRN_VIEW_SIDE_PX_MAX);
    CAIRN_ASSERT(def->elevation_rad > 0 && def->elevation_rad <= CAIRN_PI / 2 && def->cut_above_m > 0);
    cairn_picture picture;
    cairn_err err = cairn_picture_create(def->width_px, def->height_px, PAPER, memory, &picture);
    if (err != CAIRN_OK) { return err; }
    uint32_t face_max, corner_max;
    cairn_view_scene_count(arena, &face_max, &corner_max);
    cairn_arena work;
    err = cairn_arena_create(&work, WORK_BYTES + corner_max * sizeof(cairn_vec3) + face_max * BYTES_PER_FACE);
    if (err != CAIRN_OK) { return err; }
    err = draw(arena, def, workers, face_max, corner_max, &work, &picture);
    cairn_arena_destroy(&work);
    if (err == CAIRN_OK) { *ret_picture = picture; }
    return err;
}
