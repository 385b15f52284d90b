#include "robot/reflex/reflex_cells.h"
#include "robot/reflex/kept.h"

#define CELLS 9

typedef struct reflex_cell {
    bool to_reflex;
    size_t value_bytes;
    cairn_cell **cell;
} reflex_cell;

// The order is that of the cells in shared memory.
static void list_cells(cairn_reflex_cells *cells, reflex_cell ret_list[CELLS])
{
    const reflex_cell list[CELLS] = {
        {true, sizeof(cairn_motion_command), &cells->command},
        {true, sizeof(cairn_stop_command), &cells->stop},
        {true, sizeof(cairn_seen_motion), &cells->seen},
        {true, sizeof(cairn_sound_ground), &cells->ground},
        {true, sizeof(cairn_areas), &cells->areas},
        {true, sizeof(cairn_override), &cells->override},
        {false, sizeof(cairn_reflex_state), &cells->state_behaviour},
        {false, sizeof(cairn_reflex_state), &cells->state_deliberate},
        {false, sizeof(cairn_reflex_kept), &cells->kept},
    };
    for (size_t i = 0; i < CELLS; i++) { ret_list[i] = list[i]; }
}

cairn_err cairn_reflex_cells_create(cairn_arena *arena, cairn_reflex_cells *ret_cells)
{
    cairn_reflex_cells cells = {0};
    reflex_cell list[CELLS];
    list_cells(&cells, list);
    for (size_t i = 0; i < CELLS; i++) {
        const cairn_err err = cairn_cell_create(arena, list[i].value_bytes, list[i].cell);
        if (err != CAIRN_OK) { return err; }
    }
    *ret_cells = cells;
    return CAIRN_OK;
}

static size_t memory_bytes(bool to_reflex)
{
    cairn_reflex_cells cells;
    reflex_cell list[CELLS];
    list_cells(&cells, list);
    size_t bytes = 0;
    for (size_t i = 0; i < CELLS; i++) {
        if (list[i].to_reflex == to_reflex) { bytes += cairn_cell_memory_bytes(list[i].value_bytes); }
    }
    return bytes;
}

size_t cairn_reflex_memory_bytes_to(void) { return memory_bytes(true); }
size_t cairn_reflex_memory_bytes_from(void) { return memory_bytes(false); }

cairn_err cairn_reflex_cells_attach(cairn_reflex_memory memory, cairn_arena *arena, cairn_reflex_cells *ret_cells)
{
    cairn_reflex_cells cells = {0};
    reflex_cell list[CELLS];
    list_cells(&cells, list);
    uint8_t *at[] = {memory.from_reflex, memory.to_reflex};
    for (size_t i = 0; i < CELLS; i++) {
        uint8_t **place = &at[list[i].to_reflex];
        const cairn_err err = cairn_cell_attach(arena, *place, list[i].value_bytes, list[i].cell);
        if (err != CAIRN_OK) { return err; }
        *place += cairn_cell_memory_bytes(list[i].value_bytes);
    }
    *ret_cells = cells;
    return CAIRN_OK;
}
