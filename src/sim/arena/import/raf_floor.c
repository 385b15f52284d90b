// raf_floor.c - the bounds of all that stands in the file, a margin around them, and the shift of all onto that floor.
#include "sim/arena/import/raf_floor.h"
#include <math.h>

#define PERSON_M 0.2 // half a person
#define GRID_M 0.1   // of reach.h, for arenas of this size

typedef struct bounds {
    cairn_vec2 low_m, high_m;
} bounds;

static void stretch(bounds *all, cairn_vec2 at_m, double by_m)
{
    all->low_m = (cairn_vec2){fmin(all->low_m.x, at_m.x - by_m), fmin(all->low_m.y, at_m.y - by_m)};
    all->high_m = (cairn_vec2){fmax(all->high_m.x, at_m.x + by_m), fmax(all->high_m.y, at_m.y + by_m)};
}

static void stretch_victim(bounds *all, const cairn_raf_victim *victim)
{
    const double deep_m = victim->hangs ? CAIRN_HUNG_BOX_DEEP_M / 2 : PERSON_M;
    const double wide_m = victim->hangs ? CAIRN_HUNG_BOX_WIDE_M / 2 : PERSON_M;
    const double c = fabs(cos(victim->facing_rad)), s = fabs(sin(victim->facing_rad));
    const cairn_vec2 half_m = {c * deep_m + s * wide_m, s * deep_m + c * wide_m};
    stretch(all, cairn_vec2_sub(victim->at_m, half_m), 0.0);
    stretch(all, cairn_vec2_add(victim->at_m, half_m), 0.0);
}

static bounds bounds_of(const cairn_raf_elements *in, const cairn_raf_walls *walls, const cairn_draft *draft,
                        const cairn_raf *raf)
{
    bounds all = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < walls->count; i++) {
        const cairn_raf_wall *wall = &walls->all[i];
        stretch(&all, (cairn_vec2){wall->x0 / 1000.0, wall->y0 / 1000.0}, CAIRN_RAF_WALL_M);
        stretch(&all, (cairn_vec2){wall->x1 / 1000.0, wall->y1 / 1000.0}, CAIRN_RAF_WALL_M);
    }
    for (uint32_t i = 0; i < draft->box_count; i++) {
        stretch(&all, cairn_pose2_at(draft->boxes[i].map_T_box), draft->boxes[i].size_m.y / 2);
    }
    for (uint32_t i = 0; i < raf->victim_count; i++) { stretch_victim(&all, &raf->victims[i]); }
    for (uint32_t i = 0; i < in->count; i++) {
        const cairn_raf_element *of = &in->all[i];
        if (of->kind < CAIRN_RAF_HALF_RAMP || of->kind == CAIRN_RAF_VICTIM || of->kind == CAIRN_RAF_VICTIM_IN_BOX) {
            continue;
        }
        stretch(&all, (cairn_vec2){of->x * CAIRN_RAF_CELL_M, of->y * CAIRN_RAF_CELL_M}, CAIRN_RAF_CELL_M / 2);
    }
    return all;
}

static void move_pose(cairn_pose2 *pose, cairn_vec2 by_m)
{
    pose->x_m += by_m.x;
    pose->y_m += by_m.y;
}

static void move_relief(cairn_draft *draft, cairn_vec2 by_m)
{
    for (uint32_t i = 0; i < draft->ramp_count; i++) { move_pose(&draft->ramps[i].map_T_ramp, by_m); }
    for (uint32_t i = 0; i < draft->platform_count; i++) { move_pose(&draft->platforms[i].map_T_platform, by_m); }
    for (uint32_t i = 0; i < draft->stairs_count; i++) { move_pose(&draft->stairs[i].map_T_stairs, by_m); }
    for (uint32_t i = 0; i < draft->step_field_count; i++) {
        draft->step_fields[i].corner_m = cairn_vec2_add(draft->step_fields[i].corner_m, by_m);
    }
}

// The next number that is `rest` more than a multiple of GRID_M.
static double up_to_grid(double value_m, double rest_m)
{
    return (ceil((value_m - rest_m) / GRID_M - 1e-6) * GRID_M) + rest_m;
}

// The middle lines of walls and of ways between them then go through the middles of the cells on which reach is found
// out, and no way looks narrower than it is.
cairn_raf_floor cairn_raf_floor_of(const cairn_raf_elements *in, const cairn_raf_walls *walls, const cairn_draft *draft,
                                   const cairn_raf *raf, double margin_m)
{
    CAIRN_ASSERT(in->count > 0 && margin_m >= 0);
    const bounds all = bounds_of(in, walls, draft, raf);
    const cairn_vec2 by_m = {up_to_grid(margin_m - all.low_m.x, GRID_M / 2),
                             up_to_grid(margin_m - all.low_m.y, GRID_M / 2)};
    return (cairn_raf_floor){.size_m = {up_to_grid(all.high_m.x + by_m.x + margin_m, 0.0),
                                        up_to_grid(all.high_m.y + by_m.y + margin_m, 0.0)},
                             .offset_m = by_m};
}

void cairn_raf_floor_move(const cairn_raf_floor *floor, const cairn_raf_walls *walls, cairn_draft *draft,
                          cairn_raf *raf)
{
    CAIRN_ASSERT(isfinite(floor->offset_m.x) && isfinite(floor->offset_m.y));
    const cairn_vec2 by_m = floor->offset_m;
    draft->size_m = floor->size_m;
    for (uint32_t i = 0; i < walls->count && draft->wall_count < CAIRN_DRAFT_WALLS_MAX; i++) {
        const cairn_raf_wall *from = &walls->all[i];
        draft->walls[draft->wall_count++] =
            (cairn_sim_wall){.from_m = cairn_vec2_add((cairn_vec2){from->x0 / 1000.0, from->y0 / 1000.0}, by_m),
                             .to_m = cairn_vec2_add((cairn_vec2){from->x1 / 1000.0, from->y1 / 1000.0}, by_m),
                             .thickness_m = CAIRN_RAF_WALL_M,
                             .height_m = from->height_mm / 1000.0,
                             .foot_m = from->foot_mm / 1000.0};
    }
    for (uint32_t i = 0; i < draft->box_count; i++) { move_pose(&draft->boxes[i].map_T_box, by_m); }
    move_relief(draft, by_m);
    for (uint32_t i = 0; i < raf->victim_count; i++) {
        raf->victims[i].at_m = cairn_vec2_add(raf->victims[i].at_m, by_m);
    }
}
