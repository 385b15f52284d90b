#include "maps/codec/grid_model.h"
#include "maps/codec/tables/grid_plain.h"
#include "maps/codec/tables/grid_weights_both_after.h"
#include "maps/codec/tables/grid_weights_both_alone.h"
#include "maps/codec/tables/grid_weights_one_after.h"
#include "maps/codec/tables/grid_weights_one_alone.h"
#include "maps/codec/tables/grid_weights_one_alone_2.h"
#include <string.h>

#define ONE 65536
#define EXPERT_WEIGHT_FIRST 22000 // of ONE: three experts that agree count as one
#define WEIGHT_MAX (2 * ONE)
#define MIXING_SHIFT_ALONE 15 // grows: the mixer learns slower
#define MIXING_SHIFT_AFTER 14
#define SURE_STEP 128 // 1/256 nat
#define CORRECTION_MAX (8 * ONE)

// In 1/256 nat for an error of 1: the first answers of a context move it far, later ones less.
static const int32_t learning_rates[] = {400, 320, 260, 200, 170, 150, 130, 120, 110, 100, 92, 86, 80, 74, 68, 64};
#define LEARNING_RATES (sizeof learning_rates / sizeof learning_rates[0])

static const cairn_kernel network_run = {"terrain_network", CAIRN_KERNEL_VARIANTS(cairn_terrain_network_run)};

void cairn_grid_model_init(cairn_grid_model *model, bool has_known, bool is_after)
{
    const cairn_terrain_weights *alone = has_known ? &grid_weights_both_alone : &grid_weights_one_alone;
    const cairn_terrain_weights *after = has_known ? &grid_weights_both_after : &grid_weights_one_after;
    const cairn_terrain_weights *weights = is_after ? after : alone;
    memset(model, 0, sizeof *model);
    cairn_terrain_network_load(&model->networks[0], weights);
    model->network_count = 1;
    if (!has_known && !is_after) { // one plane alone says least; it has the time for another
        cairn_terrain_network_load(&model->networks[1], &grid_weights_one_alone_2);
        model->network_count = 2;
    }
    model->mixing_shift = is_after ? MIXING_SHIFT_AFTER : MIXING_SHIFT_ALONE;
    model->run = (cairn_terrain_network_fn)cairn_dispatch(&network_run, cairn_isa_best());
    model->has_known = has_known;
    model->is_after = is_after;
    memcpy(model->plain_logits,
           has_known ? (is_after ? grid_plain_both_after : grid_plain_both_alone)
                     : (is_after ? grid_plain_one_after : grid_plain_one_alone),
           sizeof model->plain_logits);
    cairn_terrain_squash_table(model->p_of_logit);
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        model->weights[q][0] = ONE;
        for (int i = 1; i <= CAIRN_GRID_EXPERTS; i++) { model->weights[q][i] = EXPERT_WEIGHT_FIRST; }
    }
}

static inline uint32_t p_of(const cairn_grid_model *model, int32_t logit)
{
    const uint32_t size = (uint32_t)(logit < 0 ? -logit : logit);
    const uint32_t p = model->p_of_logit[size > CAIRN_TERRAIN_LOGIT_MAX ? CAIRN_TERRAIN_LOGIT_MAX : size];
    return logit < 0 ? ONE - p : p;
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

void cairn_grid_model_look(cairn_grid_model *model, const cairn_terrain_window *window)
{
    model->logits = model->run(&model->networks[0], window);
    if (model->network_count == 2) {
        const cairn_terrain_logits second = model->run(&model->networks[1], window);
        for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
            model->logits.output[q] = (model->logits.output[q] + second.output[q]) / 2;
        }
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

uint32_t cairn_grid_model_p(const cairn_grid_model *model, cairn_terrain_question question)
{
    const int32_t *weights = model->weights[question];
    int64_t sum = (int64_t)weights[0] * model->logits.output[question];
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        sum += (int64_t)weights[1 + i] * model->opinions[question][i][model->contexts[i]].correction / 256;
    }
    return p_of(model, (int32_t)(sum / ONE));
}

static int32_t bounded(int64_t value, int32_t max)
{
    return (int32_t)(value > max ? max : value < -max ? -max : value);
}

cairn_grid_guess cairn_grid_model_guess(const cairn_grid_model *model, cairn_terrain_scene scene, uint32_t far)
{
    cairn_grid_guess guess = {0};
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        guess.p[q] = p_of(model, model->plain_logits[scene][far][q] + model->plain_corrections[scene][q] / 256);
    }
    return guess;
}

void cairn_grid_model_learn_plain(cairn_grid_model *model, cairn_terrain_scene scene, const cairn_grid_guess *guess)
{
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) {
        int32_t *correction = &model->plain_corrections[scene][q];
        *correction = bounded(*correction + (int64_t)guess->errors[q], CORRECTION_MAX);
    }
}

void cairn_grid_model_learn(cairn_grid_model *model, cairn_terrain_question question, uint32_t p, bool yes)
{
    const int32_t target = yes ? ONE : 0, error = target - (int32_t)p;
    int32_t *weights = model->weights[question];
    const int32_t logit = model->logits.output[question];
    weights[0] = bounded(weights[0] + (((int64_t)error * logit) >> model->mixing_shift), WEIGHT_MAX);
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        cairn_grid_opinion *opinion = &model->opinions[question][i][model->contexts[i]];
        const int32_t correction = opinion->correction / 256;
        weights[1 + i] = bounded(weights[1 + i] + (((int64_t)error * correction) >> model->mixing_shift), WEIGHT_MAX);
        const int32_t own_error = target - (int32_t)p_of(model, logit + correction);
        opinion->correction =
            bounded(opinion->correction + (int64_t)own_error * learning_rates[opinion->count] / 256, CORRECTION_MAX);
        opinion->count += opinion->count + 1 < LEARNING_RATES;
    }
}
