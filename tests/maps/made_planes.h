// made_planes.h - terrain planes made cell by cell, for the tests of their codecs.
#pragma once
#include "base/random.h"
#include "maps/terrain_planes.h"
#include <string.h>

static inline void planes_clear(cairn_terrain_planes *planes, uint32_t width, uint32_t height)
{
    memset(planes, 0, sizeof *planes);
    planes->width = width;
    planes->height = height;
}

static inline void planes_set(cairn_terrain_planes *planes, uint32_t x, uint32_t y, bool known, bool obstacle)
{
    const uint32_t cell = y * planes->width + x;
    planes->known[cell >> 3] |= (uint8_t)(known << (cell & 7));
    planes->obstacle[cell >> 3] |= (uint8_t)(obstacle << (cell & 7));
}

// Every cell by chance, obstacles also where nothing is known.
static inline void planes_fill(cairn_terrain_planes *planes, cairn_random *random, uint32_t width, uint32_t height,
                               double known_share, double obstacle_share)
{
    planes_clear(planes, width, height);
    for (uint32_t cell = 0; cell < width * height; cell++) {
        planes_set(planes, cell % width, cell / width, cairn_random_uniform(random) < known_share,
                   cairn_random_uniform(random) < obstacle_share);
    }
}
