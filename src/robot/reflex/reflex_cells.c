#include "robot/reflex/reflex_cells.h"

cairn_err cairn_reflex_cells_create(cairn_arena *arena, cairn_reflex_cells *ret_cells)
{
    cairn_reflex_cells cells = {0};
    const struct {
        size_t value_bytes;
        cairn_cell **cell;
    } wanted[] = {
        {sizeof(cairn_motion_command), &cells.command},
        {sizeof(cairn_stop_command), &cells.stop},
        {sizeof(cairn_reflex_state), &cells.state_behaviour},
        {sizeof(cairn_reflex_state), &cells.state_deliberate},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const cairn_err err = cairn_cell_create(arena, wanted[i].value_bytes, wanted[i].cell);
        if (err != CAIRN_OK) { return err; }
    }
    *ret_cells = cells;
    return CAIRN_OK;
}
