// Carved by going on to a neighbour that is still closed until there is none, then back to where there is one.
#include "sim/arena/make/labyrinth.h"

const int cairn_labyrinth_steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

uint32_t cairn_labyrinth_next(const cairn_labyrinth *labyrinth, uint32_t cell, uint32_t way)
{
    const int64_t x = (int64_t)(cell % labyrinth->columns) + cairn_labyrinth_steps[way][0];
    const int64_t y = (int64_t)(cell / labyrinth->columns) + cairn_labyrinth_steps[way][1];
    if (x < 0 || y < 0 || x >= labyrinth->columns || y >= labyrinth->rows) { return UINT32_MAX; }
    return (uint32_t)(y * labyrinth->columns + x);
}

void cairn_labyrinth_set(cairn_labyrinth *labyrinth, uint32_t cell, uint32_t way, bool open)
{
    const uint32_t next = cairn_labyrinth_next(labyrinth, cell, way);
    CAIRN_ASSERT(next != UINT32_MAX);
    const uint8_t here = (uint8_t)(1u << way), there = (uint8_t)(1u << (way + 2) % 4);
    if (open) {
        labyrinth->open[cell] |= here;
        labyrinth->open[next] |= there;
    } else {
        labyrinth->open[cell] &= (uint8_t)~here;
        labyrinth->open[next] &= (uint8_t)~there;
    }
}

uint32_t cairn_labyrinth_ways(const cairn_labyrinth *labyrinth, uint32_t cell)
{
    uint32_t count = 0;
    for (uint32_t way = 0; way < 4; way++) { count += cairn_labyrinth_is_open(labyrinth, cell, way); }
    return count;
}

// A way to a neighbour that is still closed; 4 if there is none.
static uint32_t choose_way(cairn_maker *maker, const cairn_labyrinth *labyrinth, uint32_t cell, uint32_t came_by,
                           double straight)
{
    uint32_t ways[4], count = 0;
    for (uint32_t way = 0; way < 4; way++) {
        const uint32_t next = cairn_labyrinth_next(labyrinth, cell, way);
        if (next == UINT32_MAX || labyrinth->distance[next] != UINT32_MAX) { continue; }
        if (way == came_by && cairn_maker_chance(maker, straight)) { return way; }
        ways[count++] = way;
    }
    return count == 0 ? 4 : ways[cairn_maker_below(maker, count)];
}

cairn_err cairn_labyrinth_carve(cairn_maker *maker, uint32_t columns, uint32_t rows, uint32_t first, double straight,
                                cairn_labyrinth *ret_labyrinth)
{
    const uint32_t count = columns * rows;
    cairn_labyrinth labyrinth = {.columns = columns,
                                 .rows = rows,
                                 .open = CAIRN_TAKE(maker->work, uint8_t, count),
                                 .distance = CAIRN_TAKE(maker->work, uint32_t, count)};
    uint32_t *stack = CAIRN_TAKE(maker->work, uint32_t, count);
    uint8_t *came_by = CAIRN_TAKE(maker->work, uint8_t, count);
    if (labyrinth.open == NULL || labyrinth.distance == NULL || stack == NULL || came_by == NULL) {
        return CAIRN_ERR_FULL;
    }
    for (uint32_t i = 0; i < count; i++) { labyrinth.distance[i] = UINT32_MAX; }
    uint32_t used = 0;
    stack[used++] = first;
    labyrinth.distance[first] = 0;
    came_by[first] = 4;
    while (used > 0) {
        const uint32_t cell = stack[used - 1];
        const uint32_t way = choose_way(maker, &labyrinth, cell, came_by[cell], straight);
        if (way == 4) {
            used--;
            continue;
        }
        const uint32_t next = cairn_labyrinth_next(&labyrinth, cell, way);
        cairn_labyrinth_set(&labyrinth, cell, way, true);
        labyrinth.distance[next] = labyrinth.distance[cell] + 1;
        came_by[next] = (uint8_t)way;
        stack[used++] = next;
    }
    *ret_labyrinth = labyrinth;
    return CAIRN_OK;
}
