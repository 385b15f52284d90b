// random_rooms.h - random ground and cost_store for the tests of planning, and what those tests share.
#pragma once
#include "base/random.h"
#include "planning/cost_grid.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SEED 40423
#define SIDE_MAX 64
#define CELLS_MAX (SIDE_MAX * SIDE_MAX)

#define assert_ok(call) assert_int_equal((call), CAIRN_OK)

typedef struct room_map {
    uint32_t width, height;
    uint8_t ground[CELLS_MAX];
} room_map;

static inline cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

static inline cairn_arena arena_of(size_t size_bytes)
{
    cairn_arena arena;
    assert_ok(cairn_arena_create(&arena, size_bytes));
    return arena;
}

static inline void paint(room_map *rooms, cairn_random *random, uint8_t ground, uint32_t edge_max)
{
    const uint32_t x0 = cairn_random_below(random, rooms->width), y0 = cairn_random_below(random, rooms->height);
    const uint32_t x1 = x0 + 1 + cairn_random_below(random, edge_max);
    const uint32_t y1 = y0 + 1 + cairn_random_below(random, edge_max);
    for (uint32_t y = y0; y < y1 && y < rooms->height; y++) {
        for (uint32_t x = x0; x < x1 && x < rooms->width; x++) { rooms->ground[y * rooms->width + x] = ground; }
    }
}

// Free ground with patches of the unknown, walls, a few blocks and specks.
static inline room_map random_rooms(cairn_random *random, uint32_t side_min)
{
    room_map rooms = {.width = side_min + cairn_random_below(random, SIDE_MAX + 1 - side_min),
                      .height = side_min + cairn_random_below(random, SIDE_MAX + 1 - side_min)};
    memset(rooms.ground, CAIRN_GROUND_FREE, sizeof rooms.ground);
    for (uint32_t i = cairn_random_below(random, 6); i > 0; i--) { paint(&rooms, random, CAIRN_GROUND_UNKNOWN, 20); }
    for (uint32_t i = cairn_random_below(random, 8); i > 0; i--) { paint(&rooms, random, CAIRN_GROUND_OBSTACLE, 10); }
    for (uint32_t i = cairn_random_below(random, 20); i > 0; i--) { paint(&rooms, random, CAIRN_GROUND_OBSTACLE, 1); }
    for (uint32_t i = cairn_random_below(random, 9); i > 0; i--) { paint(&rooms, random, CAIRN_GROUND_UNKNOWN, 1); }
    return rooms;
}

static inline cairn_vec2 random_place(cairn_random *random, const cairn_cost_grid *grid)
{
    return cairn_cost_grid_centre_of(grid, cairn_random_below(random, grid->width * grid->height));
}
