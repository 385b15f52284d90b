#include "sim/arena/import/relief.h"
#include "sim/arena/elements.h"
#include <string.h>

typedef enum kind { RAMP, PLATFORM, STAIRS, STEP_FIELD } kind;

typedef struct place {
    kind kind;
    uint32_t index; // among its kind
} place;

uint32_t cairn_relief_count(const cairn_draft *draft)
{
    return draft->ramp_count + draft->platform_count + draft->stairs_count + draft->step_field_count;
}

static place place_of(const cairn_draft *draft, uint32_t index)
{
    const uint32_t counts[] = {draft->ramp_count, draft->platform_count, draft->stairs_count, draft->step_field_count};
    CAIRN_ASSERT(index < cairn_relief_count(draft));
    int at = RAMP;
    while (index >= counts[at]) { index -= counts[at++]; }
    return (place){(kind)at, index};
}

cairn_footprint cairn_relief_footprint(const cairn_draft *draft, uint32_t index)
{
    const place at = place_of(draft, index);
    switch (at.kind) {
    case RAMP: return cairn_footprint_of_ramp(&draft->ramps[at.index]);
    case PLATFORM: {
        const cairn_draft_platform *of = &draft->platforms[at.index];
        return (cairn_footprint){of->map_T_platform, cairn_vec2_scale(of->size_m, 0.5)};
    }
    case STAIRS: {
        const cairn_draft_stairs *of = &draft->stairs[at.index];
        const double half_m = of->steps * of->run_m / 2;
        const cairn_pose2 middle = cairn_pose2_compose(of->map_T_stairs, (cairn_pose2){half_m, 0, 0});
        return (cairn_footprint){middle, {half_m, of->width_m / 2}};
    }
    case STEP_FIELD: break;
    }
    const cairn_draft_step_field *of = &draft->step_fields[at.index];
    const cairn_vec2 half_m = {of->columns * CAIRN_PALLET_M / 2, of->rows * CAIRN_PALLET_M / 2};
    return (cairn_footprint){{of->corner_m.x + half_m.x, of->corner_m.y + half_m.y, 0}, half_m};
}

bool cairn_relief_hangs(const cairn_draft *draft, uint32_t index)
{
    const place at = place_of(draft, index);
    return at.kind == PLATFORM && draft->platforms[at.index].slab_m > 0;
}

static void remove_from(void *all, uint32_t *count, size_t each_bytes, uint32_t index)
{
    uint8_t *bytes = all;
    --*count;
    memmove(bytes + index * each_bytes, bytes + (index + 1) * each_bytes, (*count - index) * each_bytes);
}

void cairn_relief_remove(cairn_draft *draft, uint32_t index)
{
    const place at = place_of(draft, index);
    switch (at.kind) {
    case RAMP: remove_from(draft->ramps, &draft->ramp_count, sizeof draft->ramps[0], at.index); break;
    case PLATFORM: remove_from(draft->platforms, &draft->platform_count, sizeof draft->platforms[0], at.index); break;
    case STAIRS: remove_from(draft->stairs, &draft->stairs_count, sizeof draft->stairs[0], at.index); break;
    case STEP_FIELD:
        remove_from(draft->step_fields, &draft->step_field_count, sizeof draft->step_fields[0], at.index);
        break;
    }
}
