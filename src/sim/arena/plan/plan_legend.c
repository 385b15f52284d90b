#include "sim/arena/plan/plan.h"

#define SIGN_PX 24.0
#define APART_PX 20.0
#define LINE_PX 22.0

static void draw_swatch(cairn_picture *picture, cairn_vec2 at, cairn_ink ink)
{
    cairn_picture_rectangle(picture, (cairn_vec2){at.x, at.y - 7}, (cairn_vec2){at.x + 18, at.y + 7}, ink);
}

static void sign_victim(cairn_picture *picture, cairn_vec2 at)
{
    cairn_picture_disc(picture, (cairn_vec2){at.x + 9, at.y}, 8, CAIRN_PLAN_VICTIM);
}

static void sign_start(cairn_picture *picture, cairn_vec2 at)
{
    const cairn_vec2 arrow[] = {{at.x + 18, at.y}, {at.x, at.y - 8}, {at.x + 4, at.y}, {at.x, at.y + 8}};
    cairn_picture_polygon(picture, arrow, 4, CAIRN_PLAN_START);
    for (int i = 0; i < 4; i++) {
        cairn_picture_line(picture, arrow[i], arrow[(i + 1) % 4], 1.5, CAIRN_PLAN_START_EDGE);
    }
}

static void sign_wall(cairn_picture *picture, cairn_vec2 at) { draw_swatch(picture, at, CAIRN_PLAN_WALL); }
static void sign_box(cairn_picture *picture, cairn_vec2 at) { draw_swatch(picture, at, CAIRN_PLAN_BOX); }
static void sign_rough(cairn_picture *picture, cairn_vec2 at) { draw_swatch(picture, at, CAIRN_PLAN_ROUGH); }
static void sign_hole(cairn_picture *picture, cairn_vec2 at) { draw_swatch(picture, at, cairn_ground_ink(-1)); }
static void sign_slippery(cairn_picture *picture, cairn_vec2 at) { draw_swatch(picture, at, CAIRN_PLAN_SLIPPERY); }

// The floor's colours from 0 to 1 m.
static void sign_ground(cairn_picture *picture, cairn_vec2 at)
{
    for (int i = 0; i < 18; i++) {
        cairn_picture_rectangle(picture, (cairn_vec2){at.x + i, at.y - 7}, (cairn_vec2){at.x + i + 1, at.y + 7},
                                cairn_ground_ink(i / 17.0));
    }
}

static void sign_door(cairn_picture *picture, cairn_vec2 at)
{
    cairn_picture_line(picture, (cairn_vec2){at.x, at.y + 7}, (cairn_vec2){at.x + 14, at.y - 5}, 3, CAIRN_PLAN_DOOR);
    cairn_picture_disc(picture, (cairn_vec2){at.x, at.y + 7}, 2.5, CAIRN_PLAN_DOOR);
}

static void sign_block(cairn_picture *picture, cairn_vec2 at)
{
    draw_swatch(picture, at, CAIRN_PLAN_BLOCK);
    cairn_picture_line(picture, (cairn_vec2){at.x, at.y - 7}, (cairn_vec2){at.x + 18, at.y + 7}, 1,
                       CAIRN_PLAN_BLOCK_EDGE);
    cairn_picture_line(picture, (cairn_vec2){at.x, at.y + 7}, (cairn_vec2){at.x + 18, at.y - 7}, 1,
                       CAIRN_PLAN_BLOCK_EDGE);
}

static void sign_bystander(cairn_picture *picture, cairn_vec2 at)
{
    cairn_picture_disc(picture, (cairn_vec2){at.x + 9, at.y}, 8, CAIRN_PLAN_BYSTANDER);
}

static void sign_hazard(cairn_picture *picture, cairn_vec2 at)
{
    const cairn_vec2 corners[] = {{at.x + 9, at.y - 9}, {at.x + 18, at.y}, {at.x + 9, at.y + 9}, {at.x, at.y}};
    cairn_picture_polygon(picture, corners, 4, CAIRN_PLAN_HAZARD);
}

static void sign_upper(cairn_picture *picture, cairn_vec2 at)
{
    cairn_ink ink = CAIRN_PLAN_UPPER;
    ink.cover = 90;
    draw_swatch(picture, at, ink);
}

static uint32_t count_figures(const cairn_sim_arena *arena, cairn_figure_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->figure_count; i++) { count += arena->figures[i].kind == kind; }
    return count;
}

typedef struct counts {
    uint32_t ground, slippery, upper;
} counts;

static counts count_ground(const cairn_sim_arena *arena)
{
    counts of = {0};
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        of.upper += solid->kind != CAIRN_SOLID_BOX && cairn_plan_hangs(arena, solid);
        if (solid->kind != CAIRN_SOLID_GROUND) { continue; }
        of.slippery += solid->friction > 0 && solid->friction < 0.4;
        of.ground += solid->map_T_box.at_m.z + solid->half_m.z > 0.001;
    }
    return of;
}

uint32_t cairn_plan_legend(cairn_plan *plan, const cairn_sim_arena *arena, uint32_t width_px, double x_px, double y_px)
{
    const counts ground = count_ground(arena);
    const struct {
        uint32_t count;
        const char *words;
        void (*draw)(cairn_picture *picture, cairn_vec2 at);
    } signs[] = {
        {arena->victim_count, "victim", sign_victim},
        {arena->start_count, "start", sign_start},
        {arena->wall_count, "wall", sign_wall},
        {arena->box_count, "box", sign_box},
        {ground.ground, "ground 0 to 1 m", sign_ground},
        {arena->field_count, "rough", sign_rough},
        {arena->has_holes, "hole", sign_hole},
        {ground.slippery, "slippery", sign_slippery},
        {ground.upper, "upper storey", sign_upper},
        {arena->door_count, "door", sign_door},
        {arena->block_count, "loose block", sign_block},
        {count_figures(arena, CAIRN_FIGURE_BYSTANDER), "bystander", sign_bystander},
        {count_figures(arena, CAIRN_FIGURE_HAZARD), "hazard", sign_hazard},
    };
    uint32_t lines = 1;
    double x = x_px;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (signs[i].count == 0) { continue; }
        const double wide_px = SIGN_PX + cairn_picture_text_width_px(2, signs[i].words);
        if (x > x_px && x + wide_px > width_px - CAIRN_PLAN_MARGIN_PX) {
            x = x_px;
            lines++;
        }
        if (plan != NULL) {
            const cairn_vec2 at = {x, y_px + LINE_PX * (lines - 1)};
            signs[i].draw(&plan->picture, at);
            cairn_picture_text(&plan->picture, (cairn_vec2){x + SIGN_PX, at.y - 7}, 2, CAIRN_PLAN_QUIET,
                               signs[i].words);
        }
        x += wide_px + APART_PX;
    }
    return lines;
}
