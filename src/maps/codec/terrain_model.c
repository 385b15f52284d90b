// terrain_model.c - the network's guess for windows that show something, trained constants for the others.
//
// Tried and dropped: windows of reach 6 and 8 and the direction to the robot as inputs (no better), no second layer
// (2 % larger), a first layer of 64 (2 % smaller, a quarter dearer).
#include "maps/codec/terrain_model.h"
#include "maps/codec/tables/terrain_weights.h"
#include <string.h>

#define POINT_LOGITS 64 // between two entries of squash_table: a quarter of a nat

static const cairn_kernel network_run = {"terrain_network", CAIRN_KERNEL_VARIANTS(cairn_terrain_network_run)};

// 1 / (1 + e^-x) by straight lines between the points of the table.
static uint16_t squash(int32_t logit)
{
    const int32_t at = logit / POINT_LOGITS, part = logit % POINT_LOGITS;
    return (uint16_t)((squash_table[at] * (POINT_LOGITS - part) + squash_table[at + 1] * part) / POINT_LOGITS);
}

void cairn_terrain_squash_table(uint16_t ret_p_of_logit[CAIRN_TERRAIN_LOGIT_MAX + 1])
{
    for (int32_t logit = 0; logit <= CAIRN_TERRAIN_LOGIT_MAX; logit++) { ret_p_of_logit[logit] = squash(logit); }
}

void cairn_terrain_model_init(cairn_terrain_model *model)
{
    cairn_terrain_network_init(&model->network);
    model->run = (cairn_terrain_network_fn)cairn_dispatch(&network_run, cairn_isa_best());
    memcpy(model->plain_logits, plain_logits, sizeof model->plain_logits);
    cairn_terrain_squash_table(model->p_of_logit);
    memset(model->correction, 0, sizeof model->correction);
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        model->last_logit[q] = 0;
        model->last_p[q] = model->p_of_logit[0];
    }
}

// The cell before and the three nearest of the row below: first whether they are unknown, then whether obstacles.
static uint32_t neighbourhood_of(const cairn_terrain_window *window)
{
    const uint32_t below = 2 * CAIRN_TERRAIN_REACH - 1; // the first of the three
    const uint64_t unknown = (window->unknown & 1) | (window->unknown >> below & 7) << 1;
    const uint64_t obstacle = (window->obstacle & 1) | (window->obstacle >> below & 7) << 1;
    return (uint32_t)(unknown | obstacle << 4);
}

void cairn_terrain_model_ask_network(cairn_terrain_model *model, const cairn_terrain_window *window)
{
    model->context = neighbourhood_of(window);
    model->logits = model->run(&model->network, window);
}
