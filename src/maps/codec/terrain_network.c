// terrain_network.c - the trained weights, as the kernels want them.
#include "maps/codec/terrain_network.h"
#include "maps/codec/tables/terrain_weights.h"
#include <string.h>

_Static_assert(HIDDEN == CAIRN_TERRAIN_HIDDEN && HIDDEN2 == CAIRN_TERRAIN_HIDDEN2, "weights made for another network");

static void load_first_layer(cairn_terrain_network *network, const int16_t *weights, const int16_t *bias)
{
    memcpy(network->bias, bias, sizeof network->bias);
    int16_t sums[HIDDEN] = {0};
    for (uint32_t cell = 0; cell < CAIRN_TERRAIN_WINDOW_CELLS; cell++) {
        const int16_t *unknown = &weights[2 * cell * HIDDEN], *obstacle = unknown + HIDDEN;
        for (int i = 0; i < HIDDEN; i++) { sums[i] = (int16_t)(sums[i] + unknown[i]); }
        memcpy(network->unknown_sums[cell], sums, sizeof sums);
        memcpy(network->obstacle[cell], obstacle, sizeof network->obstacle[cell]);
    }
}

// The middle between the least and the largest sum that the unit can have.
static int32_t centre_of(const int16_t *weights, int32_t bias)
{
    int32_t twice = 2 * bias;
    for (int i = 0; i < HIDDEN; i++) { twice += CAIRN_TERRAIN_UNIT * weights[i]; }
    return twice / 2;
}

static void load_second_layer(cairn_terrain_network *network, const int16_t *weights, const int32_t *bias)
{
    for (int k = 0; k < HIDDEN2; k++) {
        const int32_t centre = centre_of(&weights[k * HIDDEN], bias[k]);
        network->centre[k] = (int16_t)centre;
        network->middle_bias[k] = (int16_t)(bias[k] - centre);
        for (int i = 0; i < HIDDEN; i++) { network->middle[i][k] = weights[k * HIDDEN + i]; }
    }
}

void cairn_terrain_network_init(cairn_terrain_network *network)
{
    load_first_layer(network, input_weights, input_bias);
    load_second_layer(network, middle_weights, middle_bias);
    memcpy(network->out, out_weights, sizeof network->out);
    memcpy(network->out_bias, out_bias, sizeof network->out_bias);
}

void cairn_terrain_network_load(cairn_terrain_network *network, const cairn_terrain_weights *weights)
{
    load_first_layer(network, weights->input, weights->input_bias);
    load_second_layer(network, weights->middle, weights->middle_bias);
    memcpy(network->out, weights->out, sizeof network->out);
    memcpy(network->out_bias, weights->out_bias, sizeof network->out_bias);
}
