// terrain_model.c - the network in integers: window -> 32 -> 16 -> 2, each layer clamped to 0..1, then a correction.
//
// The input of the network is a bit for each cell of the window that is unknown and one for each that is an obstacle,
// so its first layer is a sum of the weights of the bits that are set. Unknown cells come in runs, and a run costs two
// additions, from sums that are made once. Windows that show nothing have trained constants instead.
//
// Tried and dropped: windows of reach 6 and 8 and the direction to the robot as inputs (no better), no second layer
// (2 % larger), a first layer of 64 (2 % smaller, a quarter dearer).
#include "maps/terrain_model.h"
#include "maps/terrain_weights.h"
#include <string.h>

#define UNIT 64         // first layer: 1.0
#define UNIT2 4096      // second layer: 1.0
#define LOGIT_MAX 2816  // 11 nat: p is never below 1/65536
#define LEARNING_PART 4 // of the error; grows: strange maps are learned later, familiar ones are disturbed less

_Static_assert(HIDDEN == CAIRN_TERRAIN_HIDDEN, "weights made for another network");

static const int16_t *weights_of(uint32_t cell, bool is_obstacle)
{
    return &input_weights[(2 * cell + is_obstacle) * HIDDEN];
}

void cairn_terrain_model_init(cairn_terrain_model *model)
{
    memset(model, 0, sizeof *model);
    int16_t sums[HIDDEN] = {0};
    for (uint32_t cell = 0; cell < CAIRN_TERRAIN_WINDOW_CELLS; cell++) {
        for (int i = 0; i < HIDDEN; i++) { sums[i] = (int16_t)(sums[i] + weights_of(cell, false)[i]); }
        memcpy(model->unknown_sums[cell], sums, sizeof sums);
    }
}

// Each run of unknown bits counts as the sums up to its end less those up to the gap before it. Partial sums may wrap
// around, the whole is at most 60 cells of +-127 and the bias: far within int16.
static void first_layer(const cairn_terrain_model *model, const cairn_terrain_window *window, int16_t *ret_values)
{
    int16_t sums[HIDDEN];
    memcpy(sums, input_bias, sizeof sums);
    const uint64_t ends = window->unknown ^ window->unknown >> 1;
    for (uint64_t rest = ends & window->unknown; rest != 0; rest &= rest - 1) {
        const int16_t *run = model->unknown_sums[__builtin_ctzll(rest)];
        for (int i = 0; i < HIDDEN; i++) { sums[i] = (int16_t)(sums[i] + run[i]); }
    }
    for (uint64_t rest = ends & ~window->unknown; rest != 0; rest &= rest - 1) {
        const int16_t *gap = model->unknown_sums[__builtin_ctzll(rest)];
        for (int i = 0; i < HIDDEN; i++) { sums[i] = (int16_t)(sums[i] - gap[i]); }
    }
    for (uint64_t rest = window->obstacle; rest != 0; rest &= rest - 1) {
        const int16_t *weights = weights_of((uint32_t)__builtin_ctzll(rest), true);
        for (int i = 0; i < HIDDEN; i++) { sums[i] = (int16_t)(sums[i] + weights[i]); }
    }
    for (int i = 0; i < HIDDEN; i++) {
        const int16_t floored = sums[i] < 0 ? 0 : sums[i];
        ret_values[i] = floored > UNIT ? UNIT : floored;
    }
}

static void run_network(cairn_terrain_model *model, const cairn_terrain_window *window)
{
    int16_t values[HIDDEN];
    first_layer(model, window, values);
    int32_t logits[CAIRN_TERRAIN_QUESTIONS] = {out_bias[0], out_bias[1]};
    for (int k = 0; k < HIDDEN2; k++) {
        int32_t sum = middle_bias[k];
        for (int i = 0; i < HIDDEN; i++) { sum += values[i] * middle_weights[k * HIDDEN + i]; }
        const int32_t value = (sum < 0 ? 0 : sum > UNIT2 ? UNIT2 : sum) / 16;
        for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) { logits[q] += value * out_weights[q * HIDDEN2 + k]; }
    }
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) { model->logit[q] = logits[q] / 256; }
}

static uint32_t state_of(const cairn_terrain_window *window, uint32_t bit)
{
    return (uint32_t)(window->unknown >> bit & 1) + 2 * (uint32_t)(window->obstacle >> bit & 1);
}

static uint32_t context_of(const cairn_terrain_window *window)
{
    const uint32_t below = 2 * CAIRN_TERRAIN_REACH; // the bit of row 1 that has the same x
    return state_of(window, 0) + 3 * state_of(window, below) + 9 * state_of(window, below - 1) +
           27 * state_of(window, below + 1);
}

void cairn_terrain_model_look(cairn_terrain_model *model, const cairn_terrain_window *window)
{
    const cairn_terrain_scene scene = cairn_terrain_window_scene(window);
    if (scene == CAIRN_TERRAIN_MIXED) {
        model->context = context_of(window);
        run_network(model, window);
        return;
    }
    model->context = 81 + scene;
    for (int q = 0; q < CAIRN_TERRAIN_QUESTIONS; q++) { model->logit[q] = plain_logits[2 * scene + q]; }
}

// 1 / (1 + e^-x) by straight lines between points a quarter of a nat apart.
static uint32_t squash(int32_t logit)
{
    const int32_t size = logit < 0 ? -logit : logit;
    const int32_t bounded = size > LOGIT_MAX ? LOGIT_MAX : size;
    const int32_t at = bounded / 64, part = bounded % 64;
    const int32_t p = (squash_table[at] * (64 - part) + squash_table[at + 1] * part) / 64;
    return (uint32_t)(logit < 0 ? 65536 - p : p);
}

uint32_t cairn_terrain_model_p(const cairn_terrain_model *model, cairn_terrain_question question)
{
    return squash(model->logit[question] + model->correction[model->context][question] / 256);
}

void cairn_terrain_model_learn(cairn_terrain_model *model, cairn_terrain_question question, uint32_t p, bool yes)
{
    const int32_t error = (yes ? 65536 : 0) - (int32_t)p;
    model->correction[model->context][question] += error / LEARNING_PART;
}
