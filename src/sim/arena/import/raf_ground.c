// raf_ground.c - the designer's ramps, stairs and step fields as ramps, platforms and rough ground of the same sizes.
#include "sim/arena/import/raf_ground.h"

#define RAMP_PLATE_M 0.04
#define RAMP_ANGLE_RAD 0.2805 // half ramps are 0.17 m high, full ramps 0.34 m
#define FLOOR_SLAB_M 0.12
#define STEEP_ANGLE_RAD 0.785398 // of the ramp up to it: 45 degrees
#define STAIRS 5
#define STAIRS_RISE_M 0.206
#define STAIRS_RUN_M 0.236
#define POST_M 0.2 // of step fields: as docs/arenas.md has them
#define POST_STEP_M 0.1
#define POST_LEVELS 4

static void add_ramp(cairn_draft *draft, cairn_vec2 at_m, double heading_rad, double length_m, double angle_rad,
                     bool slope)
{
    if (draft->ramp_count == CAIRN_DRAFT_RAMPS_MAX) { return; }
    draft->ramps[draft->ramp_count++] = (cairn_sim_ramp){.map_T_ramp = {at_m.x, at_m.y, heading_rad},
                                                         .length_m = length_m,
                                                         .width_m = CAIRN_RAF_CELL_M,
                                                         .angle_rad = angle_rad,
                                                         .slope = slope};
}

// Rises from the south of its cell to the middle.
static void add_half_ramp(const cairn_raf_elements *in, uint32_t index, cairn_draft *draft)
{
    const cairn_raf_element *of = &in->all[index];
    const uint32_t opposite = cairn_raf_find(in, CAIRN_RAF_HALF_RAMP, of->x, of->y, (of->quarter + 2) % 4);
    if (opposite == UINT32_MAX) {
        add_ramp(draft, cairn_raf_place(of, 0, -CAIRN_RAF_TILE_M / 4), cairn_raf_north_rad(of), CAIRN_RAF_TILE_M / 2,
                 RAMP_ANGLE_RAD, true);
    } else if (opposite < index) {
        const double heading_rad = of->quarter % 2 == 0 ? CAIRN_RAF_QUARTER_RAD : 0.0;
        add_ramp(draft, cairn_raf_place(of, 0, 0), heading_rad, CAIRN_RAF_TILE_M, RAMP_ANGLE_RAD, false);
    }
}

// Rises from the north of its cell to the south; there another may go down again.
static void add_full_ramp(const cairn_raf_elements *in, uint32_t index, cairn_draft *draft)
{
    static const int south_x[] = {0, -1, 0, 1}, south_y[] = {-1, 0, 1, 0};
    const cairn_raf_element *of = &in->all[index];
    const uint32_t opposite = cairn_raf_find(in, CAIRN_RAF_FULL_RAMP, of->x + south_x[of->quarter],
                                             of->y + south_y[of->quarter], (of->quarter + 2) % 4);
    if (opposite == UINT32_MAX) {
        // Its high end is a plate that sticks out a little; it stays inside the wall that may be there.
        add_ramp(draft, cairn_raf_place(of, 0, RAMP_PLATE_M / 2),
                 cairn_angle_wrap(cairn_raf_north_rad(of) + 2 * CAIRN_RAF_QUARTER_RAD), CAIRN_RAF_TILE_M - RAMP_PLATE_M,
                 RAMP_ANGLE_RAD, true);
    } else if (opposite < index) {
        const double heading_rad = of->quarter % 2 == 0 ? CAIRN_RAF_QUARTER_RAD : 0.0;
        add_ramp(draft, cairn_raf_place(of, 0, -CAIRN_RAF_CELL_M / 2), heading_rad, CAIRN_RAF_CELL_M + CAIRN_RAF_TILE_M,
                 RAMP_ANGLE_RAD, false);
    }
}

static void add_raised_floor(cairn_draft *draft, const cairn_raf_element *of)
{
    if (draft->platform_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 at_m = cairn_raf_place(of, 0, 0);
    draft->platforms[draft->platform_count++] = (cairn_draft_platform){.map_T_platform = {at_m.x, at_m.y, 0},
                                                                       .size_m = {CAIRN_RAF_CELL_M, CAIRN_RAF_CELL_M},
                                                                       .top_m = CAIRN_RAF_FLOOR_HIGH_M,
                                                                       .slab_m = FLOOR_SLAB_M};
}

// From the south up.
static void add_flight(cairn_draft *draft, const cairn_raf_element *of)
{
    if (draft->stairs_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 at_m = cairn_raf_place(of, 0, -CAIRN_RAF_TILE_M / 2);
    draft->stairs[draft->stairs_count++] =
        (cairn_draft_stairs){.map_T_stairs = {at_m.x, at_m.y, cairn_raf_north_rad(of)},
                             .steps = STAIRS,
                             .rise_m = STAIRS_RISE_M,
                             .run_m = STAIRS_RUN_M,
                             .width_m = CAIRN_RAF_TILE_M};
}

// On the floor, also where there is a raised one: theirs lies below it, too.
static void add_step_field(cairn_draft *draft, const cairn_raf_element *of)
{
    if (draft->step_field_count == CAIRN_DRAFT_ELEMENTS_MAX) { return; }
    const cairn_vec2 middle_m = cairn_raf_place(of, 0, 0);
    draft->step_fields[draft->step_field_count++] =
        (cairn_draft_step_field){.kind = "diagonal",
                                 .corner_m = {middle_m.x - CAIRN_RAF_CELL_M / 2, middle_m.y - CAIRN_RAF_CELL_M / 2},
                                 .columns = 1,
                                 .rows = 1,
                                 .post_m = POST_M,
                                 .step_m = POST_STEP_M,
                                 .levels = POST_LEVELS,
                                 .seed = 1,
                                 .turned = of->quarter % 2 == 1};
}

bool cairn_raf_ground_add(const cairn_raf_elements *in, uint32_t index, cairn_draft *draft)
{
    CAIRN_ASSERT(in != NULL && draft != NULL && index < in->count);
    const cairn_raf_element *of = &in->all[index];
    if (of->kind == CAIRN_RAF_OTHER) { return false; }
    if (cairn_raf_find(in, of->kind, of->x, of->y, of->quarter) != index) { return true; }
    switch (of->kind) {
    case CAIRN_RAF_HALF_RAMP: add_half_ramp(in, index, draft); return true;
    case CAIRN_RAF_FULL_RAMP: add_full_ramp(in, index, draft); return true;
    case CAIRN_RAF_STEEP_RAMP:
        add_ramp(draft, cairn_raf_place(of, 0, 0), cairn_raf_north_rad(of), CAIRN_RAF_CELL_M, STEEP_ANGLE_RAD, true);
        return true;
    case CAIRN_RAF_RAISED_FLOOR: add_raised_floor(draft, of); return true;
    case CAIRN_RAF_FLIGHT: add_flight(draft, of); return true;
    case CAIRN_RAF_STEP_FIELD: add_step_field(draft, of); return true;
    default: return false;
    }
}
