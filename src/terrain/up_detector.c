// up_detector.c - the highest that drivable ground may be, handed on from cell to cell, against what was seen.
#include "terrain/up_detector.h"
#include "terrain/height_kernels.h"

static const cairn_kernel round_kernel = {"heights_round", CAIRN_KERNEL_VARIANTS(cairn_heights_round)};

cairn_up_def cairn_up_def_default(void)
{
    return (cairn_up_def){
        .slope = 0.5,  // 27 degrees
        .step_m = 0.1, // what Magic's robots drove over, and ten deviations of a laser's noise
        .rounds = 2,   // Magic's; with the comparison, a step is found across two cells that nobody saw
    };
}

cairn_err cairn_up_detect(const cairn_terrain_area *area, const cairn_up_def *def, const int32_t *low_um,
                          const int32_t *top_um, cairn_arena *scratch, uint8_t *ret_up)
{
    const double slope_step_um = 1e6 * def->slope * area->cell_m;
    CAIRN_ASSERT(def->slope >= 0 && def->step_m >= 0 && def->rounds <= 16);
    CAIRN_ASSERT(slope_step_um + 1e6 * def->step_m < 1e8); // adds to CAIRN_HEIGHT_NONE without leaving 32 bits
    const size_t cell_count = cairn_terrain_cell_count(area), mark = cairn_arena_mark(scratch);
    int32_t *most[2] = {CAIRN_TAKE(scratch, int32_t, cell_count), CAIRN_TAKE(scratch, int32_t, cell_count)};
    if (!most[0] || !most[1]) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }

    // The comparison of a cell with its neighbours is one more round, whose messages are compared and not kept.
    const cairn_heights_round_fn run = (cairn_heights_round_fn)cairn_dispatch(&round_kernel, cairn_isa_best());
    const int32_t *from = low_um;
    for (uint32_t round = 0; round <= def->rounds; round++) {
        run(from, area->width, area->height, (int32_t)lrint(slope_step_um), most[round & 1]);
        from = most[round & 1];
    }
    const int32_t step_um = cairn_um(def->step_m);
    for (size_t i = 0; i < cell_count; i++) { ret_up[i] = (uint8_t)(top_um[i] > from[i] + step_um); }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
