// The picture is made in tiles of 32 x 32 pixels with 3 x 3 samples each. First every face is projected and put on the
// lists of the tiles that it touches. A tile then draws its faces, nearest wins, and colours each pixel: once for each
// face in it, weighted by its samples. Where two surfaces meet that are not one plane, samples are darker: an outline.
#include "base/status.h"
#include "sim/arena/plan/arena_picture.h"
#include "sim/arena/view/view_private.h"

enum { SAMPLES = 3, TILE_PX = 32, RIM = 1, WINDOW = TILE_PX * SAMPLES + 2 * RIM };
#define GRID_M 1.0
#define GRID_WIDE_M 0.025
#define LINE_PART 0.52     // how dark outlines are: 1 is not at all
#define LINE_PART_FAR 0.74 // where a pixel is wider than FAR_M: small things would be all outline
#define FAR_M 0.12

static const cairn_ink GRID = {206, 206, 201, 255};
static const cairn_ink SKY_HIGH = {226, 233, 243, 255}, SKY_LOW = {250, 251, 252, 255};

typedef struct seen {
    cairn_flat flat;
    uint32_t face;
    uint32_t columns[2], rows[2]; // of tiles, first and last
} seen;

typedef struct shading {
    const cairn_view_scene *scene;
    const cairn_view_camera *camera;
    const cairn_view_light *light;
    cairn_picture *picture;
    double grid_m, line_part;
    uint32_t tile_columns, tile_rows;
    seen *all;
    uint32_t seen_count;
    uint32_t *first, *listed; // tile t has listed[first[t]] … listed[first[t + 1] - 1]
} shading;

static cairn_vec3 vec(const float of[3]) { return (cairn_vec3){of[0], of[1], of[2]}; }

// A face as the eye sees it, in samples; nearness is one over the distance ahead. False for its back.
static bool see(const shading *of, const cairn_face *face, cairn_flat *ret_flat)
{
    const cairn_view_camera *camera = of->camera;
    const cairn_vec3 normal = vec(face->normal);
    const double away_m = face->offset_m - cairn_vec3_dot(normal, camera->eye_m); // negative: before the eye
    if (away_m > -1e-6) { return false; }
    cairn_flat flat = {.corner_count = face->corner_count};
    for (uint32_t i = 0; i < face->corner_count; i++) {
        const cairn_vec2 at = cairn_view_project(camera, of->scene->corners_m[face->first_corner + i]);
        flat.corners[i] = cairn_vec2_scale(at, SAMPLES);
    }
    // normal . ray = away / distance, where the ray through a pixel goes one metre ahead.
    const double focal = camera->focal_px * SAMPLES;
    flat.nx = cairn_vec3_dot(normal, camera->right) / focal / away_m;
    flat.ny = -cairn_vec3_dot(normal, camera->up) / focal / away_m;
    flat.n0 = cairn_vec3_dot(normal, camera->forward) / away_m - flat.nx * camera->middle_px.x * SAMPLES -
              flat.ny * camera->middle_px.y * SAMPLES;
    *ret_flat = flat;
    return true;
}

static uint32_t tile_of(double sample, uint32_t count)
{
    const double tile = floor(sample / (TILE_PX * SAMPLES));
    return tile <= 0 ? 0 : tile >= count ? count - 1 : (uint32_t)tile;
}

// The tiles that a face touches, with the rim that tiles look at beyond their edge.
static bool touch(const shading *of, seen *face)
{
    cairn_vec2 low = face->flat.corners[0], high = low;
    for (uint32_t i = 1; i < face->flat.corner_count; i++) {
        const cairn_vec2 at = face->flat.corners[i];
        low = (cairn_vec2){fmin(low.x, at.x), fmin(low.y, at.y)};
        high = (cairn_vec2){fmax(high.x, at.x), fmax(high.y, at.y)};
    }
    const double width = of->picture->width_px * (double)SAMPLES, height = of->picture->height_px * (double)SAMPLES;
    if (high.x < -RIM || high.y < -RIM || low.x > width + RIM || low.y > height + RIM) { return false; }
    face->columns[0] = tile_of(low.x - RIM, of->tile_columns);
    face->columns[1] = tile_of(high.x + RIM, of->tile_columns);
    face->rows[0] = tile_of(low.y - RIM, of->tile_rows);
    face->rows[1] = tile_of(high.y + RIM, of->tile_rows);
    return true;
}

static void find_seen(shading *of)
{
    for (uint32_t i = 0; i < of->scene->face_count; i++) {
        seen *next = &of->all[of->seen_count];
        next->face = i;
        of->seen_count += see(of, &of->scene->faces[i], &next->flat) && touch(of, next);
    }
}

// Counts, then sums, then fills from the back: lists keep the order of faces.
static cairn_err list_by_tile(shading *of, cairn_arena *work)
{
    const uint32_t tile_count = of->tile_columns * of->tile_rows;
    of->first = CAIRN_TAKE(work, uint32_t, tile_count + 1);
    if (of->first == NULL) { return CAIRN_ERR_FULL; }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = of->seen_count; i-- > 0;) {
            const seen *face = &of->all[i];
            for (uint32_t row = face->rows[0]; row <= face->rows[1]; row++) {
                for (uint32_t column = face->columns[0]; column <= face->columns[1]; column++) {
                    const uint32_t tile = row * of->tile_columns + column;
                    if (pass == 0) {
                        of->first[tile]++;
                    } else {
                        of->listed[--of->first[tile]] = i;
                    }
                }
            }
        }
        if (pass == 1) { break; }
        for (uint32_t tile = 0, sum = 0; tile <= tile_count; tile++) {
            sum += tile < tile_count ? of->first[tile] : 0;
            of->first[tile] = sum;
        }
        of->listed = CAIRN_TAKE(work, uint32_t, of->first[tile_count] + 1);
        if (of->listed == NULL) { return CAIRN_ERR_FULL; }
    }
    return CAIRN_OK;
}

typedef struct colour {
    double red, green, blue;
} colour;

static colour colour_of(cairn_ink ink) { return (colour){ink.red, ink.green, ink.blue}; }

static void add(colour *to, colour more, double weight)
{
    to->red += more.red * weight;
    to->green += more.green * weight;
    to->blue += more.blue * weight;
}

static colour blend(colour from, colour to, double part)
{
    return (colour){from.red + (to.red - from.red) * part, from.green + (to.green - from.green) * part,
                    from.blue + (to.blue - from.blue) * part};
}

// How much of a pixel that is wide_m across a line at the next multiple of the grid covers.
static double grid_cover(double at_m, double grid_m, double pixel_m)
{
    const double from_line_m = fabs(at_m - grid_m * round(at_m / grid_m)),
                 half_m = fmax(GRID_WIDE_M, 0.8 * pixel_m) / 2;
    return fmin(fmax((half_m + pixel_m / 2 - from_line_m) / pixel_m, 0), 1);
}

static colour colour_at(const shading *of, const cairn_face *face, cairn_vec2 sample, double near)
{
    const cairn_view_camera *camera = of->camera;
    const double focal = camera->focal_px * SAMPLES, far_m = 1 / near;
    const double right_m = (sample.x - camera->middle_px.x * SAMPLES) / focal * far_m;
    const double up_m = -(sample.y - camera->middle_px.y * SAMPLES) / focal * far_m;
    const cairn_vec3 at_m =
        cairn_vec3_add(cairn_vec3_add(camera->eye_m, cairn_vec3_scale(camera->forward, far_m)),
                       cairn_vec3_add(cairn_vec3_scale(camera->right, right_m), cairn_vec3_scale(camera->up, up_m)));
    colour made = colour_of(face->by_height ? cairn_ground_ink(at_m.z) : face->ink);
    if (face->gridded) {
        const double pixel_m = far_m / camera->focal_px / fmax(-camera->forward.z, 0.2);
        const double cover = fmax(grid_cover(at_m.x, of->grid_m, pixel_m), grid_cover(at_m.y, of->grid_m, pixel_m));
        made = blend(made, colour_of(GRID), cover);
    }
    if (face->painted) { return made; }
    const double light = cairn_view_light_at(of->light, at_m, vec(face->normal));
    return (colour){fmin(made.red * light, 255), fmin(made.green * light, 255), fmin(made.blue * light, 255)};
}

// Whether an outline runs between two surfaces.
static bool parted(const shading *of, uint32_t a, uint32_t b, float near_a, float near_b)
{
    if (a == b) { return false; }
    if (a == CAIRN_FACE_NONE || b == CAIRN_FACE_NONE) { return true; }
    const cairn_face *one = &of->scene->faces[a], *other = &of->scene->faces[b];
    if (one->painted || other->painted) { return one->painted != other->painted; }
    const double far_a = 1.0 / near_a, far_b = 1.0 / near_b, fine_m = 4 * fmin(far_a, far_b) / of->camera->focal_px;
    const bool apart = fabs(far_a - far_b) > fmax(fine_m, 0.05);
    if (one->smooth && other->smooth) { return apart; }
    const bool one_plane = cairn_vec3_dot(vec(one->normal), vec(other->normal)) > 0.9999 &&
                           fabsf(one->offset_m - other->offset_m) < 0.004f;
    return !one_plane;
}

static bool on_outline(const shading *of, const cairn_raster *window, size_t at)
{
    const size_t beside[] = {at - 1, at + 1, at - window->width, at + window->width};
    for (int i = 0; i < 4; i++) {
        if (parted(of, window->faces[at], window->faces[beside[i]], window->near[at], window->near[beside[i]])) {
            return true;
        }
    }
    return false;
}

static colour sky(const shading *of, double y_px)
{
    return blend(colour_of(SKY_HIGH), colour_of(SKY_LOW), fmin(y_px / of->picture->height_px, 1));
}

// One pixel: its samples are gathered by face, so that light is asked for once for each of them.
static colour resolve(const shading *of, const cairn_raster *window, uint32_t left, uint32_t top)
{
    enum { COUNT = SAMPLES * SAMPLES };
    size_t samples[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        samples[i] = (size_t)(top + i / SAMPLES) * window->width + left + i % SAMPLES;
    }
    colour sum = {0, 0, 0};
    bool done[COUNT] = {false};
    for (uint32_t i = 0; i < COUNT; i++) {
        if (done[i]) { continue; }
        const uint32_t face = window->faces[samples[i]];
        double count = 0, dark = 0, x = 0, y = 0, near = 0;
        for (uint32_t k = i; k < COUNT; k++) {
            if (window->faces[samples[k]] != face) { continue; }
            done[k] = true;
            dark += on_outline(of, window, samples[k]);
            count++;
            x += left + k % SAMPLES + 0.5 + window->column;
            y += top + k / SAMPLES + 0.5 + window->row; // NOLINT(bugprone-integer-division): whole rows
            near += window->near[samples[k]];
        }
        const colour made = face == CAIRN_FACE_NONE ? sky(of, y / count / SAMPLES)
                                                    : colour_at(of, &of->scene->faces[face],
                                                                (cairn_vec2){x / count, y / count}, near / count);
        // Against the sky only what stands before it has the outline.
        if (face == CAIRN_FACE_NONE) { dark = 0; }
        add(&sum, made, (count - dark + dark * of->line_part) / COUNT);
    }
    return sum;
}

static uint8_t level(double value) { return (uint8_t)lround(fmin(fmax(value, 0), 255)); }

static void draw_tile(void *context, uint32_t tile)
{
    const shading *of = context;
    float near[WINDOW * WINDOW];
    uint32_t faces[WINDOW * WINDOW];
    const uint32_t column = tile % of->tile_columns, row = tile / of->tile_columns;
    cairn_raster window = {.width = WINDOW,
                           .height = WINDOW,
                           .column = (int32_t)(column * TILE_PX * SAMPLES) - RIM,
                           .row = (int32_t)(row * TILE_PX * SAMPLES) - RIM,
                           .near = near,
                           .faces = faces};
    cairn_raster_clear(&window);
    for (uint32_t i = of->first[tile]; i < of->first[tile + 1]; i++) {
        const seen *face = &of->all[of->listed[i]];
        cairn_raster_fill(&window, &face->flat, face->face);
    }
    for (uint32_t y = 0; y < TILE_PX && row * TILE_PX + y < of->picture->height_px; y++) {
        for (uint32_t x = 0; x < TILE_PX && column * TILE_PX + x < of->picture->width_px; x++) {
            const colour made = resolve(of, &window, RIM + x * SAMPLES, RIM + y * SAMPLES);
            const size_t pixel = (size_t)(row * TILE_PX + y) * of->picture->width_px + column * TILE_PX + x;
            of->picture->rgb[3 * pixel] = level(made.red);
            of->picture->rgb[3 * pixel + 1] = level(made.green);
            of->picture->rgb[3 * pixel + 2] = level(made.blue);
        }
    }
}

// How much a pixel shows, across, in the middle of the place.
static double middle_pixel_m(const cairn_view_scene *scene, const cairn_view_camera *camera)
{
    const cairn_vec3 middle = cairn_vec3_scale(cairn_vec3_add(scene->low_m, scene->high_m), 0.5);
    return cairn_vec3_dot(cairn_vec3_sub(middle, camera->eye_m), camera->forward) / camera->focal_px;
}

static double grid_step_m(double pixel_m)
{
    static const double steps_m[] = {1, 5, 10, 50};
    for (size_t i = 0; i < sizeof steps_m / sizeof steps_m[0]; i++) {
        if (steps_m[i] >= 16 * pixel_m) { return steps_m[i]; }
    }
    return 100;
}

cairn_err cairn_view_shade(const cairn_view_scene *scene, const cairn_view_camera *camera,
                           const cairn_view_light *light, cairn_workers *workers, cairn_arena *work,
                           cairn_picture *picture)
{
    const double pixel_m = middle_pixel_m(scene, camera);
    shading of = {.scene = scene,
                  .camera = camera,
                  .light = light,
                  .picture = picture,
                  .grid_m = grid_step_m(pixel_m),
                  .line_part = pixel_m > FAR_M ? LINE_PART_FAR : LINE_PART,
                  .tile_columns = (picture->width_px + TILE_PX - 1) / TILE_PX,
                  .tile_rows = (picture->height_px + TILE_PX - 1) / TILE_PX,
                  .all = CAIRN_TAKE(work, seen, scene->face_count + 1)};
    if (of.all == NULL) { return CAIRN_ERR_FULL; }
    find_seen(&of);
    const cairn_err err = list_by_tile(&of, work);
    if (err != CAIRN_OK) { return err; }
    cairn_workers_run(workers, draw_tile, &of, of.tile_columns * of.tile_rows);
    return CAIRN_OK;
}
