// Ramps, platforms, stairs, fields, holes, ditches and rough ground: on the floor, and of a shape that can be.
#include "sim/arena/check/arena_check.h"

#define TOUCH_M 0.001 // holes are cut to the millimetre: they may share an edge

static void complain_outside(const cairn_arena_checker *check, uint32_t line, const char *list, uint32_t index,
                             const cairn_check_rect *rect)
{
    if (cairn_check_rect_on_floor(check, rect)) { return; }
    cairn_complain(check->complaints, check->lines->file, line, "%s[%u] reaches outside the floor", list, index);
}

static void check_ramps(const cairn_arena_checker *check)
{
    for (uint32_t i = 0; i < check->arena->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &check->arena->ramps[i];
        const uint32_t line = check->lines->ramps[i];
        const cairn_check_rect rect = {ramp->map_T_ramp, {ramp->length_m / 2, ramp->width_m / 2}};
        complain_outside(check, line, "ramps", i, &rect);
        if (ramp->top_m > ramp->length_m - 0.1) {
            cairn_complain(check->complaints, check->lines->file, line,
                           "ramps[%u]: top_m must be shorter than length_m by at least 0.1 m", i);
        }
    }
}

static void check_platforms(const cairn_arena_checker *check)
{
    for (uint32_t i = 0; i < check->elements->platform_count; i++) {
        const cairn_platform *platform = &check->elements->platforms[i];
        const cairn_check_rect rect = {{platform->at_m.x, platform->at_m.y, platform->heading_rad},
                                       {platform->size_m.x / 2, platform->size_m.y / 2}};
        complain_outside(check, platform->line, "platforms", i, &rect);
        if (platform->slab_m > platform->top_m) {
            cairn_complain(check->complaints, check->lines->file, platform->line,
                           "platforms[%u]: slab_m is more than top_m; leave it out for one that stands on the floor",
                           i);
        }
    }
}

static void check_stairs(const cairn_arena_checker *check)
{
    for (uint32_t i = 0; i < check->elements->stairs_count; i++) {
        const cairn_stairs *stairs = &check->elements->stairs[i];
        const double half_m = stairs->steps * stairs->run_m / 2;
        const cairn_pose2 map_T_edge = {stairs->at_m.x, stairs->at_m.y, stairs->heading_rad};
        const cairn_check_rect rect = {cairn_pose2_compose(map_T_edge, (cairn_pose2){half_m, 0, 0}),
                                       {half_m, stairs->width_m / 2}};
        complain_outside(check, stairs->line, "stairs", i, &rect);
    }
}

static void check_field(const cairn_arena_checker *check, uint32_t line, const char *list, uint32_t index,
                        cairn_vec2 corner_m, cairn_vec2 tiles, double tile_m)
{
    if (tiles.x != floor(tiles.x) || tiles.y != floor(tiles.y)) {
        cairn_complain(check->complaints, check->lines->file, line, "%s[%u].tiles must be whole numbers", list, index);
    }
    const cairn_vec2 half_m = {tiles.x * tile_m / 2, tiles.y * tile_m / 2};
    const cairn_check_rect rect = {{corner_m.x + half_m.x, corner_m.y + half_m.y, 0}, half_m};
    complain_outside(check, line, list, index, &rect);
}

static void check_fields(const cairn_arena_checker *check)
{
    const cairn_sim_elements *of = check->elements;
    for (uint32_t i = 0; i < of->ramp_field_count; i++) {
        const cairn_ramp_field *field = &of->ramp_fields[i];
        check_field(check, field->line, "ramp_fields", i, field->corner_m, field->tiles, field->tile_m);
    }
    for (uint32_t i = 0; i < of->step_field_count; i++) {
        const cairn_step_field *field = &of->step_fields[i];
        check_field(check, field->line, "step_fields", i, field->corner_m, field->tiles, CAIRN_PALLET_M);
    }
    for (uint32_t i = 0; i < of->rough_count; i++) {
        const cairn_rough *rough = &of->rough[i];
        const cairn_check_rect rect = {{rough->at_m.x, rough->at_m.y, rough->heading_rad},
                                       {rough->size_m.x / 2, rough->size_m.y / 2}};
        complain_outside(check, rough->line, "rough", i, &rect);
        if (fmin(rough->size_m.x, rough->size_m.y) < 2 * rough->cell_m) {
            cairn_complain(check->complaints, check->lines->file, rough->line,
                           "rough[%u]: size_m must be at least twice cell_m both ways: its rim is flat", i);
        }
    }
}

// A hole or a ditch as it is cut out of the floor.
typedef struct cut {
    cairn_floor_rect rect;
    uint32_t line, index;
    const char *list;
} cut;

static cut cut_of(const cairn_sim_elements *of, uint32_t index)
{
    if (index < of->hole_count) {
        return (cut){cairn_hole_rect(&of->holes[index]), of->holes[index].line, index, "holes"};
    }
    const uint32_t ditch = index - of->hole_count;
    return (cut){cairn_ditch_rect(&of->ditches[ditch]), of->ditches[ditch].line, ditch, "ditches"};
}

static bool overlap(const cairn_floor_rect *a, const cairn_floor_rect *b)
{
    return a->x0_m < b->x1_m - TOUCH_M && b->x0_m < a->x1_m - TOUCH_M && a->y0_m < b->y1_m - TOUCH_M &&
           b->y0_m < a->y1_m - TOUCH_M;
}

static void check_holes(const cairn_arena_checker *check)
{
    const cairn_sim_elements *of = check->elements;
    for (uint32_t i = 0; i < of->hole_count + of->ditch_count; i++) {
        const cut one = cut_of(of, i);
        const cairn_vec2 size_m = check->arena->size_m;
        if (one.rect.x0_m < 0 || one.rect.y0_m < 0 || one.rect.x1_m > size_m.x || one.rect.y1_m > size_m.y) {
            cairn_complain(check->complaints, check->lines->file, one.line, "%s[%u] reaches outside the floor",
                           one.list, one.index);
        }
        for (uint32_t k = 0; k < i; k++) {
            const cut other = cut_of(of, k);
            if (!overlap(&one.rect, &other.rect)) { continue; }
            cairn_complain(check->complaints, check->lines->file, one.line, "%s[%u] and %s[%u] overlap", one.list,
                           one.index, other.list, other.index);
            break;
        }
    }
    for (uint32_t i = 0; i < of->ditch_count; i++) {
        const cairn_ditch *ditch = &of->ditches[i];
        if (ditch->depth_m <= ditch->width_m / 2) { continue; }
        cairn_complain(check->complaints, check->lines->file, ditch->line,
                       "ditches[%u]: depth_m may be at most half of width_m (45 degrees)", i);
    }
}

void cairn_check_ground(const cairn_arena_checker *check)
{
    check_ramps(check);
    check_platforms(check);
    check_stairs(check);
    check_fields(check);
    check_holes(check);
}
