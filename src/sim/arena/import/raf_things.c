// raf_things.c - barrels and shelves as boxes, and victims in the boxes behind the holes of walls.
#include "sim/arena/import/raf_things.h"
#include "sim/arena/import/raf_ground.h"
#include "sim/arena/import/raf_walls.h"

#define BOX_GAP_M 0.002 // of a victim's box to the wall
#define BARREL_M 0.5    // the square with the area of a barrel of 0.57 m
#define BARREL_LOW_M 0.6
#define BARREL_HIGH_M 1.2 // two of them, one on the other
#define SHELF_M 0.02
static const double shelves_m[] = {0.495, 0.995}; // their undersides

void cairn_raf_add_barrel(const cairn_raf_element *of, bool high, cairn_draft *draft)
{
    CAIRN_ASSERT(of != NULL && draft != NULL);
    if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return; }
    const cairn_vec2 at_m = cairn_raf_place(of, 0.0, CAIRN_RAF_CELL_M / 2 - BARREL_M / 4);
    draft->boxes[draft->box_count++] =
        (cairn_sim_box){.map_T_box = {at_m.x, at_m.y, cairn_raf_north_rad(of)},
                        .size_m = {BARREL_M / 2, BARREL_M, high ? BARREL_HIGH_M : BARREL_LOW_M}};
}

void cairn_raf_add_storage(const cairn_raf_element *of, cairn_draft *draft)
{
    CAIRN_ASSERT(of != NULL && draft != NULL);
    const cairn_vec2 at_m = cairn_raf_place(of, 0, 0);
    for (size_t i = 0; i < sizeof shelves_m / sizeof shelves_m[0]; i++) {
        if (draft->box_count == CAIRN_DRAFT_BOXES_MAX) { return; }
        draft->boxes[draft->box_count++] = (cairn_sim_box){.map_T_box = {at_m.x, at_m.y, 0.0},
                                                           .size_m = {CAIRN_RAF_TILE_M, CAIRN_RAF_TILE_M, SHELF_M},
                                                           .foot_m = shelves_m[i]};
    }
}

static const int north_x[] = {0, 1, 0, -1}, north_y[] = {1, 0, -1, 0}; // of the cell beyond an element's wall

// Where a box hangs: behind the hole that it names, of the wall of its cell or, seen from there, of the cell beyond.
// Without a hole it stands on the floor before the wall, open into the cell, for else nobody could see into it.
static cairn_raf_victim boxed_victim(const cairn_raf_elements *in, const cairn_raf_element *of)
{
    const bool here = cairn_raf_find(in, CAIRN_RAF_HOLED_WALL, of->x, of->y, of->quarter) != UINT32_MAX;
    const bool beyond = cairn_raf_find(in, CAIRN_RAF_HOLED_WALL, of->x + north_x[of->quarter],
                                       of->y + north_y[of->quarter], (of->quarter + 2) % 4) != UINT32_MAX;
    const bool holed = (here || beyond) && of->mount < CAIRN_RAF_HOLES;
    const double along_m = !holed ? 0.0 : (here ? 1 : -1) * cairn_raf_holes[of->mount].mount_x_m;
    const double before_m = CAIRN_RAF_CELL_M / 2 - CAIRN_RAF_WALL_M / 2 - BOX_GAP_M - CAIRN_HUNG_BOX_DEEP_M / 2;
    const cairn_vec2 offset_m = {of->offset_x * CAIRN_RAF_CELL_M, of->offset_y * CAIRN_RAF_CELL_M};
    return (cairn_raf_victim){.at_m = cairn_vec2_add(cairn_raf_place(of, along_m, before_m), offset_m),
                              .facing_rad =
                                  cairn_angle_wrap(cairn_raf_north_rad(of) + (holed ? 0 : 2 * CAIRN_RAF_QUARTER_RAD)),
                              .foot_m = holed ? cairn_raf_holes[of->mount].mount_z_m - CAIRN_HUNG_BOX_HIGH_M / 2 : 0.0,
                              .hangs = true};
}

// In the open; on a raised floor, where there is one.
static cairn_raf_victim open_victim(const cairn_raf_elements *in, const cairn_raf_element *of)
{
    const cairn_vec2 offset_m = {of->offset_x * CAIRN_RAF_CELL_M, of->offset_y * CAIRN_RAF_CELL_M};
    const bool raised = cairn_raf_find(in, CAIRN_RAF_RAISED_FLOOR, of->x, of->y, -1) != UINT32_MAX;
    return (cairn_raf_victim){.at_m = cairn_vec2_add(cairn_raf_place(of, 0.0, 0.0), offset_m),
                              .facing_rad = cairn_angle_wrap(cairn_raf_north_rad(of) + 2 * CAIRN_RAF_QUARTER_RAD),
                              .foot_m = raised ? CAIRN_RAF_FLOOR_HIGH_M : 0.0};
}

void cairn_raf_add_victim(const cairn_raf_elements *in, const cairn_raf_element *of, cairn_raf *raf)
{
    CAIRN_ASSERT(of->kind == CAIRN_RAF_VICTIM_IN_BOX || of->kind == CAIRN_RAF_VICTIM);
    CAIRN_ASSERT(of->quarter >= 0 && of->quarter < 4 && of->mount >= 0);
    if (raf->victim_count == CAIRN_IMPORT_VICTIMS_MAX) { return; }
    raf->victims[raf->victim_count++] =
        of->kind == CAIRN_RAF_VICTIM_IN_BOX ? boxed_victim(in, of) : open_victim(in, of);
}
