// plan.h - what the files of arena_picture.c share: where things lie on the paper, and their colours.
#pragma once
#include "sim/arena/plan/arena_picture.h"

enum { CAIRN_PLAN_MARGIN_PX = 56, CAIRN_PLAN_TITLE_PX = 58, CAIRN_PLAN_LABELS_MAX = 512 };

// A rectangle of paper that has something written on it.
typedef struct cairn_plan_label {
    cairn_vec2 low_px, high_px;
} cairn_plan_label;

typedef struct cairn_plan {
    const cairn_sim_arena *arena;
    cairn_picture picture;
    double scale_px_per_m;
    uint32_t dot_px; // size of letters on the plan
    bool tinted;     // the floor shows something else: ground is drawn thinly over it
    uint32_t label_count;
    cairn_plan_label labels[CAIRN_PLAN_LABELS_MAX];
} cairn_plan;

// Wall, victim, start and label colours are those of RoboCup Rescue maps.
#define CAIRN_PLAN_WALL ((cairn_ink){0, 40, 120, 255})
#define CAIRN_PLAN_LABEL ((cairn_ink){0, 50, 140, 255})
#define CAIRN_PLAN_QUIET ((cairn_ink){96, 106, 128, 255})
#define CAIRN_PLAN_BOX ((cairn_ink){158, 168, 184, 255})
#define CAIRN_PLAN_UPPER ((cairn_ink){120, 140, 180, 255})
#define CAIRN_PLAN_EDGE ((cairn_ink){148, 104, 40, 255})
#define CAIRN_PLAN_SLIPPERY ((cairn_ink){158, 186, 206, 255})
#define CAIRN_PLAN_ROUGH ((cairn_ink){196, 186, 172, 255})
#define CAIRN_PLAN_PANEL ((cairn_ink){128, 84, 48, 255})
#define CAIRN_PLAN_DOOR ((cairn_ink){196, 110, 30, 255})
#define CAIRN_PLAN_BLOCK ((cairn_ink){240, 206, 96, 255})
#define CAIRN_PLAN_BLOCK_EDGE ((cairn_ink){150, 112, 20, 255})
#define CAIRN_PLAN_VICTIM ((cairn_ink){240, 10, 10, 255})
#define CAIRN_PLAN_BYSTANDER ((cairn_ink){20, 134, 96, 255})
#define CAIRN_PLAN_HAZARD ((cairn_ink){164, 24, 156, 255})
#define CAIRN_PLAN_START ((cairn_ink){255, 200, 0, 255})
#define CAIRN_PLAN_START_EDGE ((cairn_ink){150, 112, 0, 255})
#define CAIRN_PLAN_WHITE ((cairn_ink){255, 255, 255, 255})

static inline double cairn_plan_px(const cairn_plan *plan, double m) { return m * plan->scale_px_per_m; }
static inline cairn_vec2 cairn_plan_at(const cairn_plan *plan, cairn_vec2 at_m)
{
    return (cairn_vec2){CAIRN_PLAN_MARGIN_PX + cairn_plan_px(plan, at_m.x),
                        CAIRN_PLAN_TITLE_PX + cairn_plan_px(plan, plan->arena->size_m.y - at_m.y)};
}

cairn_ink cairn_plan_blend(cairn_ink from, cairn_ink to, double part);
void cairn_plan_centred(cairn_plan *plan, cairn_vec2 middle_px, uint32_t dot_px, cairn_ink ink, const char *text);

// Whether a solid is so high that robots could go under it.
bool cairn_plan_is_upper(const cairn_solid *solid);
// Whether it is drawn as an upper storey's: it is so high, and stands on no wall. O(solids).
bool cairn_plan_hangs(const cairn_sim_arena *arena, const cairn_solid *solid);

// plan_ground.c: ground by its height, with shade by its slope, lines where it steps, and arrows up slopes.
// CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_plan_ground(cairn_plan *plan);
// plan_things.c: what stands and hangs on it; figures, victims and starts.
void cairn_plan_things(cairn_plan *plan);
void cairn_plan_signs(cairn_plan *plan);
// plan_legend.c: signs for what there is, in lines between x_px and the right margin; returns how many lines.
// Plan NULL: only counts them.
uint32_t cairn_plan_legend(cairn_plan *plan, const cairn_sim_arena *arena, uint32_t width_px, double x_px, double y_px);
