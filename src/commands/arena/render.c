// cairn arena render - a plan of an arena, a view of it in space, or both side by side.
#include "commands/arena/render.h"
#include "commands/arena/radio.h"
#include "commands/command.h"
#include "sim/arena/plan/arena_picture.h"
#include "sim/arena/view/view.h"
#include <stdio.h>
#include <string.h>

#define COMMAND "cairn arena render"
// More than the largest arena that the reader's limits allow; pages that are not touched cost nothing.
#define ARENA_BYTES ((size_t)256 << 20)
#define ELEVATION_DEG_MIN 5.0
#define ELEVATION_DEG_MAX 90.0

static const char usage[] =
    "usage: cairn arena render FILE [options]\n"
    "\n"
    "Draws an arena as a PNG file: its plan, seen from above, north up; or a view of it in space.\n"
    "\n"
    "  -o, --out PNG    where to write it                                      [NAME.png]\n"
    "  --view KIND      plan, 3d, or both side by side                         [plan]\n"
    "  --scale PX/M     plan: pixels a metre, 2 to 400       [so that the longer side is 1400]\n"
    "  --size WxH       3d: pixels, 64 to 8192 each                            [1600x1000]\n"
    "  --from AZ,EL     3d: where the eye is, in degrees: counter-clockwise from east, and above the\n"
    "                   floor, 5 to 90                                         [-110,50]\n"
    "  --cut-above M    3d: leave off what is higher, as roofs and upper storeys   [nothing]\n"
    "  --radio          colour the plan's floor by how well the radio gets through (docs/medium.md)\n"
    "  --mission FILE   --radio: the radio, station and relays of a mission   [the default radio]\n"
    "  --from X,Y       --radio: from an antenna there, in metres             [the station]\n"
    "  --seed N         --radio: which places are good and bad                [1]\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n"
    "\n"
    "Examples: cairn arena render arenas/maze.yaml -o maze.png\n"
    "          cairn arena render arenas/office.yaml --view 3d --from -60,35 -o office-3d.png\n"
    "          cairn arena render arenas/office.yaml --view both -o office-both.png\n"
    "          cairn arena render arenas/office.yaml --radio --mission missions/office.yaml -o radio.png\n"
    "          cairn arena render arenas/office.yaml --radio --from 30,20\n";

typedef enum kind { PLAN, SPACE, BOTH } kind;

typedef struct options {
    const char *view, *size; // as given; NULL: not
    double cut_above_m;      // 0: not given
    bool radio;
    kind kind;
    cairn_view_def space;
    cairn_arena_radio_options plan; // out and scale are the plan's without --radio too
} options;

static bool read_kind(const char *text, kind *ret_kind)
{
    static const char *const names[] = {[PLAN] = "plan", [SPACE] = "3d", [BOTH] = "both"};
    for (int i = PLAN; i <= BOTH; i++) {
        if (strcmp(names[i], text) != 0) { continue; }
        *ret_kind = (kind)i;
        return true;
    }
    return false;
}

static bool read_size(const char *text, cairn_view_def *space)
{
    uint32_t width, height;
    int used = 0;
    if (sscanf(text, "%5ux%5u%n", &width, &height, &used) != 2 || text[used] != '\0') { return false; }
    const uint32_t least = width < height ? width : height, most = width < height ? height : width;
    if (least < CAIRN_VIEW_SIDE_PX_MIN || most > CAIRN_VIEW_SIDE_PX_MAX) { return false; }
    space->width_px = width;
    space->height_px = height;
    return true;
}

static bool read_eye(const char *text, cairn_view_def *space)
{
    cairn_vec2 degrees;
    if (!cairn_arena_radio_place(text, &degrees) || fabs(degrees.x) > 360 || degrees.y < ELEVATION_DEG_MIN ||
        degrees.y > ELEVATION_DEG_MAX) {
        return false;
    }
    space->azimuth_rad = degrees.x * CAIRN_PI / 180;
    space->elevation_rad = degrees.y * CAIRN_PI / 180;
    return true;
}

// What is wrong with options that are right one by one; NULL nothing.
static const char *read_options(options *of)
{
    if (of->view != NULL && !read_kind(of->view, &of->kind)) { return "--view wants plan, 3d or both"; }
    if (of->radio && of->kind != PLAN) { return "--radio draws on the plan; leave --view out"; }
    if (!of->radio && of->plan.mission != NULL) { return "--mission wants --radio"; }
    if (of->kind == PLAN && (of->size != NULL || of->cut_above_m > 0)) {
        return "--size and --cut-above want --view 3d";
    }
    if (of->kind == SPACE && of->plan.scale_px_per_m > 0) { return "--scale is the plan's; --view 3d wants --size"; }
    if (of->size != NULL && !read_size(of->size, &of->space)) {
        return "--size wants pixels, 64 to 8192 each, like 1600x1000";
    }
    if (of->cut_above_m > 0) { of->space.cut_above_m = of->cut_above_m; }
    if (of->plan.from == NULL) { return NULL; }
    if (of->radio) {
        const bool good = cairn_arena_radio_place(of->plan.from, &of->plan.from_m);
        return good ? NULL : "--from wants a place in metres, like 3.5,12";
    }
    if (of->kind == PLAN) { return "--from and --mission want --radio; --view 3d has a --from of its own"; }
    return read_eye(of->plan.from, &of->space)
               ? NULL
               : "--from wants where the eye is, in degrees: azimuth and elevation (5 to 90), like -110,50";
}

// ---- pictures

static cairn_err draw_plan(const cairn_sim_arena *arena, double scale_px_per_m, const char *out, cairn_arena *memory,
                           cairn_complaints *complaints, cairn_picture *ret_picture)
{
    const cairn_err err = cairn_sim_arena_draw(arena, scale_px_per_m, memory, ret_picture);
    if (err == CAIRN_ERR_TOO_LARGE) {
        uint32_t width_px, height_px;
        cairn_sim_arena_picture_size(arena, scale_px_per_m, &width_px, &height_px);
        cairn_complain(complaints, out, 0, "%u x %u pixels; at most %u a side: choose a smaller --scale", width_px,
                       height_px, CAIRN_PICTURE_SIDE_PX_MAX);
    }
    return err;
}

static cairn_err draw_space(const cairn_sim_arena *arena, const cairn_view_def *def, cairn_arena *memory,
                            cairn_picture *ret_picture)
{
    cairn_workers *workers;
    cairn_err err = cairn_workers_create(0, &workers);
    if (err != CAIRN_OK) { return err; }
    err = cairn_view_draw(arena, def, workers, memory, ret_picture);
    cairn_workers_destroy(workers);
    return err;
}

static void paste(cairn_picture *to, uint32_t left_px, const cairn_picture *from)
{
    for (uint32_t y = 0; y < from->height_px; y++) {
        memcpy(&to->rgb[3 * ((size_t)y * to->width_px + left_px)], &from->rgb[(size_t)3 * y * from->width_px],
               (size_t)3 * from->width_px);
    }
}

// The plan on the left, the view as high as it on the right.
static cairn_err draw_both(const cairn_sim_arena *arena, const options *of, cairn_arena *memory,
                           cairn_complaints *complaints, cairn_picture *ret_picture)
{
    cairn_picture plan, space, whole;
    cairn_err err = draw_plan(arena, of->plan.scale_px_per_m, of->plan.out, memory, complaints, &plan);
    if (err != CAIRN_OK) { return err; }
    cairn_view_def def = of->space;
    if (of->size == NULL && plan.height_px <= CAIRN_VIEW_SIDE_PX_MAX && plan.height_px >= CAIRN_VIEW_SIDE_PX_MIN) {
        def.height_px = plan.height_px;
    }
    err = draw_space(arena, &def, memory, &space);
    if (err != CAIRN_OK) { return err; }
    const uint32_t height_px = plan.height_px > space.height_px ? plan.height_px : space.height_px;
    err = cairn_picture_create(plan.width_px + space.width_px, height_px, (cairn_ink){246, 247, 249, 255}, memory,
                               &whole);
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(complaints, of->plan.out, 0, "%u pixels wide; at most %u: choose a smaller --scale",
                       plan.width_px + space.width_px, CAIRN_PICTURE_SIDE_PX_MAX);
    }
    if (err != CAIRN_OK) { return err; }
    paste(&whole, 0, &plan);
    paste(&whole, plan.width_px, &space);
    *ret_picture = whole;
    return CAIRN_OK;
}

static size_t picture_bytes(const cairn_sim_arena *arena, const options *of)
{
    uint32_t width_px, height_px;
    cairn_sim_arena_picture_size(arena, of->plan.scale_px_per_m, &width_px, &height_px);
    const size_t plan = of->kind == SPACE ? 0 : (size_t)3 * width_px * height_px;
    const size_t high_px = of->space.height_px > height_px ? of->space.height_px : height_px;
    const size_t space = of->kind == PLAN ? 0 : 3 * of->space.width_px * high_px;
    return 2 * (plan + space) + ((size_t)1 << 20) +
           (of->kind == BOTH ? (size_t)3 * (width_px + of->space.width_px) * high_px : 0);
}

static cairn_err draw(const cairn_sim_arena *arena, const options *of, cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, picture_bytes(arena, of));
    if (err != CAIRN_OK) { return err; }
    cairn_picture picture;
    const char *out = of->plan.out;
    switch (of->kind) {
    case PLAN: err = draw_plan(arena, of->plan.scale_px_per_m, out, &memory, complaints, &picture); break;
    case SPACE: err = draw_space(arena, &of->space, &memory, &picture); break;
    case BOTH: err = draw_both(arena, of, &memory, complaints, &picture); break;
    }
    if (err == CAIRN_OK) { err = cairn_picture_write_png(&picture, out, complaints); }
    if (err == CAIRN_OK) {
        printf("%s: %u x %u pixels", out, picture.width_px, picture.height_px);
        if (of->kind != SPACE) { printf(", %g a metre", of->plan.scale_px_per_m); }
        puts("");
    }
    cairn_arena_destroy(&memory);
    return err;
}

static cairn_err render(const char *path, const options *given, cairn_arena *memory, cairn_complaints *complaints)
{
    options of = *given;
    cairn_sim_arena arena;
    const cairn_err err = cairn_sim_arena_read(path, memory, complaints, &arena);
    if (err != CAIRN_OK) { return err; }
    static const char *const endings[] = {[PLAN] = "", [SPACE] = "-3d", [BOTH] = "-both"};
    char default_out[sizeof arena.name + 16];
    (void)snprintf(default_out, sizeof default_out, "%s%s.png", arena.name, of.radio ? "-radio" : endings[of.kind]);
    if (of.plan.out == NULL) { of.plan.out = default_out; }
    if (of.plan.scale_px_per_m == 0) { of.plan.scale_px_per_m = cairn_sim_arena_picture_scale(&arena); }
    return of.radio ? cairn_arena_radio_render(&arena, &of.plan, complaints) : draw(&arena, &of, complaints);
}

int cairn_arena_render_run(int argc, char **argv)
{
    const char *path = NULL;
    options of = {.plan.seed = 1, .space = cairn_view_def_default()};
    const cairn_option known[] = {
        {"o", CAIRN_OPTION_TEXT, &of.plan.out, 0, 0},
        {"out", CAIRN_OPTION_TEXT, &of.plan.out, 0, 0},
        {"view", CAIRN_OPTION_TEXT, &of.view, 0, 0},
        {"scale", CAIRN_OPTION_REAL, &of.plan.scale_px_per_m, CAIRN_ARENA_SCALE_PX_PER_M_MIN,
         CAIRN_ARENA_SCALE_PX_PER_M_MAX},
        {"size", CAIRN_OPTION_TEXT, &of.size, 0, 0},
        {"cut-above", CAIRN_OPTION_REAL, &of.cut_above_m, 0.05, 100},
        {"radio", CAIRN_OPTION_FLAG, &of.radio, 0, 0},
        {"mission", CAIRN_OPTION_TEXT, &of.plan.mission, 0, 0},
        {"from", CAIRN_OPTION_TEXT, &of.plan.from, 0, 0},
        {"seed", CAIRN_OPTION_COUNT, &of.plan.seed, 0, 9007199254740992.0},
    };
    size_t word_count;
    int status;
    if (!cairn_options_read(COMMAND, usage, argc, argv, known, sizeof known / sizeof known[0], &path, 1, &word_count,
                            &status)) {
        return status;
    }
    if (word_count == 0) { return cairn_usage_error(COMMAND, "FILE is missing; expected an arena file"); }
    const char *mistake = read_options(&of);
    if (mistake != NULL) { return cairn_usage_error(COMMAND, "%s", mistake); }
    cairn_arena memory;
    cairn_complaints complaints = {0};
    cairn_err err = cairn_arena_create(&memory, ARENA_BYTES);
    if (err == CAIRN_OK) { err = render(path, &of, &memory, &complaints); }
    if (err != CAIRN_OK) { status = cairn_command_failed(COMMAND, err, &complaints); }
    cairn_arena_destroy(&memory);
    return status;
}
