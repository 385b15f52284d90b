// terrain_network.c - the trained weights, as the kernels want them.
#include "maps/codec/terrain_network.h"
#include "maps/codec/tables/terrain_weights.h"
#include <string.h>

_Static_assert(HIDDEN == CAIRN_TERRAIN_HIDDEN && HIDDEN2 == CAIRN_TERRAIN_HIDDEN2, "weights made for another network");

static void load_group(cairn_terrain_group group, const int16_t *weights)
{
    memset(group[0], 0, sizeof group[0]);
    for (uint32_t set = 1; set < 1u << CAIRN_TERRAIN_GROUP_CELLS; set++) { // one cell more than a set before
        const int16_t *before = group[set & (set - 1)], *more = weights + __builtin_ctz(set) * 2 * HIDDEN;
        for (int i = 0; i < HIDDEN; i++) { group[set][i] = (int16_t)(before[i] + more[i]); }
    }
}

static void load(cairn_terrain_network *network, const int16_t *input, const int16_t *middle, const int16_t *out)
{
    for (uint32_t g = 0; g < CAIRN_TERRAIN_GROUPS; g++) { // for each cell, the weights of unknown, then of obstacle
        const int16_t *weights = input + (size_t)g * CAIRN_TERRAIN_GROUP_CELLS * 2 * HIDDEN;
        load_group(network->unknown[g], weights);
        load_group(network->obstacle[g], weights + HIDDEN);
    }
    for (int i = 0; i < HIDDEN; i++) {
        for (int k = 0; k < HIDDEN2; k++) { network->middle[i / 2][k][i % 2] = middle[k * HIDDEN + i]; }
    }
    for (int i = 0; i < CAIRN_TERRAIN_OUTPUTS * HIDDEN2; i++) { network->out[i / HIDDEN2][i % HIDDEN2] = out[i]; }
}

void cairn_terrain_network_init(cairn_terrain_network *network)
{
    load(network, input_weights, middle_weights, out_weights);
    memcpy(network->bias, input_bias, sizeof network->bias);
    memcpy(network->middle_bias, middle_bias, sizeof network->middle_bias);
    memcpy(network->out_bias, out_bias, sizeof network->out_bias);
}

void cairn_terrain_network_load(cairn_terrain_network *network, const cairn_terrain_weights *weights)
{
    load(network, weights->input, weights->middle, weights->out);
    memcpy(network->bias, weights->input_bias, sizeof network->bias);
    memcpy(network->middle_bias, weights->middle_bias, sizeof network->middle_bias);
    memcpy(network->out_bias, weights->out_bias, sizeof network->out_bias);
}
