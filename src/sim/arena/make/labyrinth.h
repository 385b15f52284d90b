// labyrinth.h - cells in rows, and which of their neighbours one gets to: what mazes and tunnels are made of.
#pragma once
#include "sim/arena/make/maker.h"

typedef struct cairn_labyrinth {
    uint32_t columns, rows;
    uint8_t *open;      // for each cell: bit 0 to the east, 1 to the north, 2 to the west, 3 to the south
    uint32_t *distance; // steps from the first cell; UINT32_MAX: not carved
} cairn_labyrinth;

extern const int cairn_labyrinth_steps[4][2]; // x, y of the four ways

// A tree of ways that reaches every cell from `first`, deep first: long winding ways with few crossings. `straight` is
// the chance to go straight on. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_labyrinth_carve(cairn_maker *maker, uint32_t columns, uint32_t rows, uint32_t first,
                                              double straight, cairn_labyrinth *ret_labyrinth);
// The neighbour of a cell; UINT32_MAX outside.
uint32_t cairn_labyrinth_next(const cairn_labyrinth *labyrinth, uint32_t cell, uint32_t way);
// Opens or closes the way from a cell, from both sides.
void cairn_labyrinth_set(cairn_labyrinth *labyrinth, uint32_t cell, uint32_t way, bool open);
static inline bool cairn_labyrinth_is_open(const cairn_labyrinth *labyrinth, uint32_t cell, uint32_t way)
{
    return labyrinth->open[cell] >> way & 1;
}
uint32_t cairn_labyrinth_ways(const cairn_labyrinth *labyrinth, uint32_t cell); // open ones
