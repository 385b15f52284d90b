// terrain_network.h - the terrain model's network in integers: window -> 32 -> 16 -> 2, each layer clamped to 0..1.
//
// The input of the network is a bit for each cell of the window that is unknown and one for each that is an obstacle,
// so its first layer is a sum of the weights of the bits that are set. Built once for each instruction set; integers
// only, so all copies give the same.
//
// Memory   About 50 kB, the caller's. Nothing is allocated.
// Cost     init: about 3 us. A run: about 30 ns with AVX2.
#pragma once
#include "base/dispatch.h"
#include "maps/codec/terrain_window.h"

#define CAIRN_TERRAIN_HIDDEN 32
#define CAIRN_TERRAIN_HIDDEN2 16
#define CAIRN_TERRAIN_OUTPUTS 2
#define CAIRN_TERRAIN_UNIT 64    // sums of the first layer: 1.0
#define CAIRN_TERRAIN_UNIT2 4096 // sums of the second layer: 1.0

#define CAIRN_TERRAIN_GROUP_CELLS 5 // more: fewer sums to add, and more of them to keep near; must divide the window
#define CAIRN_TERRAIN_GROUPS (CAIRN_TERRAIN_WINDOW_CELLS / CAIRN_TERRAIN_GROUP_CELLS)

// What five cells say to all units of the first layer, for every way in which they can be set.
typedef int16_t cairn_terrain_group[1 << CAIRN_TERRAIN_GROUP_CELLS][CAIRN_TERRAIN_HIDDEN];

// The weights as kernels want them: all units of a layer side by side.
typedef struct cairn_terrain_network {
    _Alignas(64) cairn_terrain_group unknown[CAIRN_TERRAIN_GROUPS];
    cairn_terrain_group obstacle[CAIRN_TERRAIN_GROUPS];
    int16_t bias[CAIRN_TERRAIN_HIDDEN];
    int16_t middle[CAIRN_TERRAIN_HIDDEN / 2][CAIRN_TERRAIN_HIDDEN2][2]; // inputs by pairs
    int32_t middle_bias[CAIRN_TERRAIN_HIDDEN2];
    int32_t out[CAIRN_TERRAIN_OUTPUTS][CAIRN_TERRAIN_HIDDEN2];
    int32_t out_bias[CAIRN_TERRAIN_OUTPUTS];
} cairn_terrain_network;

typedef struct cairn_terrain_logits {
    int32_t output[CAIRN_TERRAIN_OUTPUTS]; // 1/256 nat
} cairn_terrain_logits;

// Fills the network with the trained weights of terrain maps on the air.
void cairn_terrain_network_init(cairn_terrain_network *network);

// Weights for another use of the same network: units as in docs/maps.md, layers as terrain_network.c reads them.
typedef struct cairn_terrain_weights {
    int16_t input[2 * CAIRN_TERRAIN_WINDOW_CELLS * CAIRN_TERRAIN_HIDDEN], input_bias[CAIRN_TERRAIN_HIDDEN];
    int16_t middle[CAIRN_TERRAIN_HIDDEN2 * CAIRN_TERRAIN_HIDDEN];
    int32_t middle_bias[CAIRN_TERRAIN_HIDDEN2];
    int16_t out[CAIRN_TERRAIN_OUTPUTS * CAIRN_TERRAIN_HIDDEN2];
    int32_t out_bias[CAIRN_TERRAIN_OUTPUTS];
} cairn_terrain_weights;
// Fills the network with these; the sums that they can make must fit into 16 bits, as tests check.
void cairn_terrain_network_load(cairn_terrain_network *network, const cairn_terrain_weights *weights);

typedef cairn_terrain_logits (*cairn_terrain_network_fn)(const cairn_terrain_network *network,
                                                         const cairn_terrain_window *window);

CAIRN_KERNEL_DECLARE(cairn_terrain_logits, cairn_terrain_network_run,
                     (const cairn_terrain_network *network, const cairn_terrain_window *window));
