#include "maps/codec/grid_model.h"
#include "maps/codec/tables/grid_plain.h"
#include "maps/codec/tables/grid_weights_both_after.h"
#include "maps/codec/tables/grid_weights_both_alone.h"
#include "maps/codec/tables/grid_weights_one_after.h"
#include "maps/codec/tables/grid_weights_one_alone.h"
#include "maps/codec/tables/grid_weights_one_alone_square.h"
#include <string.h>

#define ONE 65536
#define EXPERT_WEIGHT_FIRST 22000 // of ONE: three experts that agree count as one
#define MIXING_SHIFT_ALONE 15     // grows: the mixer learns slower
#define MIXING_SHIFT_AFTER 14
#define SURE_STEP 128 // 1/256 nat

static const cairn_kernel network_run = {"terrain_network", CAIRN_KERNEL_VARIANTS(cairn_terrain_network_run)};

// For log-odds on both sides of `middle`.
static void fill_p_of_logit(uint16_t *middle)
{
    cairn_terrain_squash_table(middle);
    for (int32_t i = CAIRN_TERRAIN_LOGIT_MAX + 1; i <= CAIRN_GRID_LOGIT_MAX; i++) {
        middle[i] = middle[CAIRN_TERRAIN_LOGIT_MAX];
    }
    for (int32_t i = 1; i <= CAIRN_GRID_LOGIT_MAX; i++) { middle[-i] = (uint16_t)(ONE - middle[i]); }
}

void cairn_grid_model_init(cairn_grid_model *model, bool has_known, bool is_after)
{
    const cairn_terrain_weights *alone = has_known ? &grid_weights_both_alone : &grid_weights_one_alone;
    const cairn_terrain_weights *after = has_known ? &grid_weights_both_after : &grid_weights_one_after;
    const cairn_terrain_weights *weights = is_after ? after : alone;
    memset(model, 0, sizeof *model);
    cairn_terrain_network_load(&model->networks[0], weights);
    model->network_count = 1;
    if (!has_known && !is_after) { // one plane alone says least; it has the time for another
        cairn_terrain_network_load(&model->networks[1], &grid_weights_one_alone_square);
        model->network_count = 2;
        model->blend.weight = ONE;
    }
    model->mixing_shift = is_after ? MIXING_SHIFT_AFTER : MIXING_SHIFT_ALONE;
    model->run = (cairn_terrain_network_fn)cairn_dispatch(&network_run, cairn_isa_best());
    model->has_known = has_known;
    model->is_after = is_after;
    memcpy(model->plain_logits,
           has_known ? (is_after ? grid_plain_both_after : grid_plain_both_alone)
                     : (is_after ? grid_plain_one_after : grid_plain_one_alone),
           sizeof model->plain_logits);
    fill_p_of_logit(model->p_of_logit + CAIRN_GRID_LOGIT_MAX);
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        model->weights[q][0] = ONE;
        for (int i = 1; i <= CAIRN_GRID_EXPERTS; i++) { model->weights[q][i] = EXPERT_WEIGHT_FIRST; }
    }
}

// What lies where in the two kinds of window; bits of the row below from its right.
static void look_alone(cairn_grid_model *model, const cairn_terrain_window *window)
{
    const uint64_t unknown = window->unknown, obstacle = window->obstacle;
    const uint32_t four_unknown = (uint32_t)((unknown & 1) | (unknown >> 9 & 7) << 1);
    const uint32_t four_obstacle = (uint32_t)((obstacle & 1) | (obstacle >> 9 & 7) << 1);
    model->contexts[0] = four_unknown | four_obstacle << 4;
    model->contexts[1] = (uint32_t)((obstacle & 3) | (obstacle >> 8 & 31) << 2 | (obstacle >> 20 & 7) << 7);
    model->contexts[2] = (uint32_t)((unknown & 3) | (unknown >> 8 & 31) << 2 | (unknown >> 20 & 7) << 7);
}

// The earlier grid's seven columns: bit 24 + 7 * 2 + 3 is this cell's own place.
static void look_after(cairn_grid_model *model, const cairn_terrain_window *window)
{
    const uint64_t unknown = window->unknown, obstacle = window->obstacle;
    const uint32_t own_unknown = unknown >> 41 & 1, own_obstacle = obstacle >> 41 & 1;
    const uint32_t four_unknown = (uint32_t)((unknown & 1) | (unknown >> 5 & 7) << 1);
    const uint32_t four_obstacle = (uint32_t)((obstacle & 1) | (obstacle >> 5 & 7) << 1);
    model->contexts[0] = four_unknown | four_obstacle << 4 | own_unknown << 8 | own_obstacle << 9;
    const uint64_t nine_obstacle = (obstacle >> 33 & 7) | (obstacle >> 40 & 7) << 3 | (obstacle >> 47 & 7) << 6;
    const uint64_t nine_unknown = (unknown >> 33 & 7) | (unknown >> 40 & 7) << 3 | (unknown >> 47 & 7) << 6;
    model->contexts[1] = (uint32_t)(nine_obstacle | (obstacle & 1) << 9 | (obstacle >> 6 & 1) << 10);
    model->contexts[2] = (uint32_t)(nine_unknown | (unknown & 1) << 9 | (unknown >> 6 & 1) << 10);
}

// Bounded before they are blended: log-odds below 2^12 in size and weights of at most 2^17 fit into 32 bits.
static int32_t blended(cairn_grid_blend *blend, int32_t askew, int32_t square)
{
    const int32_t a = cairn_grid_bounded(askew, CAIRN_TERRAIN_LOGIT_MAX);
    const int32_t b = cairn_grid_bounded(square, CAIRN_TERRAIN_LOGIT_MAX);
    blend->mean = (a + b) / 2;
    blend->half = (b - a) / 2;
    return (blend->weight * blend->mean + blend->lean * blend->half) / ONE;
}

void cairn_grid_model_look(cairn_grid_model *model, const cairn_terrain_window *window)
{
    model->logits = model->run(&model->networks[0], window);
    if (model->network_count == 2) {
        const cairn_terrain_logits square = model->run(&model->networks[1], window);
        int32_t *logit = &model->logits.output[CAIRN_TERRAIN_IS_OBSTACLE];
        *logit = blended(&model->blend, *logit, square.output[CAIRN_TERRAIN_IS_OBSTACLE]);
    }
    if (model->is_after) {
        look_after(model, window);
    } else {
        look_alone(model, window);
    }
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        int32_t *logit = &model->logits.output[q];
        if (*logit > CAIRN_TERRAIN_LOGIT_MAX) { *logit = CAIRN_TERRAIN_LOGIT_MAX; }
        if (*logit < -CAIRN_TERRAIN_LOGIT_MAX) { *logit = -CAIRN_TERRAIN_LOGIT_MAX; }
    }
    // One plane has nothing unknown in it. Instead: how sure the network is.
    if (!model->has_known) {
        model->contexts[2] =
            (uint32_t)(model->logits.output[CAIRN_TERRAIN_IS_OBSTACLE] + CAIRN_TERRAIN_LOGIT_MAX) / SURE_STEP;
    }
}

cairn_grid_guess cairn_grid_model_guess(const cairn_grid_model *model, cairn_terrain_scene scene, uint32_t far)
{
    cairn_grid_guess guess = {0};
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        const int32_t logit = model->plain_logits[scene][far][q] + model->plain_corrections[scene][q] / 256;
        guess.p[q] = model->p_of_logit[CAIRN_GRID_LOGIT_MAX + cairn_grid_bounded(logit, CAIRN_GRID_LOGIT_MAX)];
    }
    return guess;
}

void cairn_grid_model_learn_plain(cairn_grid_model *model, cairn_terrain_scene scene, const cairn_grid_guess *guess)
{
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        int32_t *correction = &model->plain_corrections[scene][q];
        *correction = cairn_grid_bounded(*correction + guess->errors[q], CAIRN_GRID_CORRECTION_MAX);
    }
}
