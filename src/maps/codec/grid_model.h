// grid_model.h - how likely a cell is known, and an obstacle, from its window: a network or two, corrected by experts.
//
// Each expert keeps, for each of its contexts, by how much the networks are wrong there. A mixer weighs the networks
// and the experts, and learns from each answer what they are worth. All in integers: log-odds in 1/256 nat, corrections
// in 1/65536 nat, weights in 1/65536.
//
// Memory   About 220 kB, the caller's.
// Source   Logistic mixing after M. Mahoney's PAQ; the experts are corrections, not predictions, since there is a
//          trained prediction to begin with and a small grid is over before counts from nothing are worth much.
#pragma once
#include "maps/codec/grid_window.h"
#include "maps/codec/terrain_model.h"

#define CAIRN_GRID_EXPERTS 3
#define CAIRN_GRID_CONTEXTS 2048 // of each expert

#define CAIRN_GRID_LEANING 3 // 2^3 times as fast as weights; grows: sooner to the better network, and less steady there
#define CAIRN_GRID_RATES 16
#define CAIRN_GRID_CORRECTION_MAX (8 * 65536)
// The largest log-odds of a network with a correction, in 1/256 nat.
#define CAIRN_GRID_LOGIT_MAX (CAIRN_TERRAIN_LOGIT_MAX + CAIRN_GRID_CORRECTION_MAX / 256)

typedef struct cairn_grid_opinion {
    int32_t correction; // 1/65536 nat
    uint32_t count;     // of answers, below CAIRN_GRID_RATES
} cairn_grid_opinion;

// What two networks say together: weight * mean + lean * half. One learned from maps that lie askew, the other from
// maps whose rows run along walls, and each map soon tells which of them to lean on.
typedef struct cairn_grid_blend {
    int32_t weight, lean; // 1/65536; a lean of 1 is all for the second, -1 all for the first
    int32_t mean, half;   // of the two at the cell looked at, and half of what lies between them, 1/256 nat
} cairn_grid_blend;

typedef struct cairn_grid_model {
    cairn_terrain_network networks[2];
    int32_t network_count;
    cairn_grid_blend blend; // of two networks, which answer for obstacles only
    int32_t mixing_shift;   // how slowly the mixer learns
    cairn_terrain_network_fn run;
    bool has_known, is_after;
    int32_t plain_logits[2][CAIRN_GRID_FARS][CAIRN_TERRAIN_QUESTIONS]; // 1/256 nat
    int32_t plain_corrections[2][CAIRN_TERRAIN_QUESTIONS];             // 1/65536 nat
    uint16_t p_of_logit[2 * CAIRN_GRID_LOGIT_MAX + 1];                 // from the least on
    cairn_grid_opinion opinions[CAIRN_TERRAIN_QUESTIONS][CAIRN_GRID_EXPERTS][CAIRN_GRID_CONTEXTS];
    int32_t weights[CAIRN_TERRAIN_QUESTIONS][1 + CAIRN_GRID_EXPERTS]; // of the network and the experts

    // Of the cell looked at.
    cairn_terrain_logits logits;
    uint32_t contexts[CAIRN_GRID_EXPERTS];
} cairn_grid_model;

void cairn_grid_model_init(cairn_grid_model *model, bool has_known, bool is_after);

// For a stretch of cells with nothing to see around them, all `far` from obstacles; and what they turned out to be.
typedef struct cairn_grid_guess {
    uint32_t p[CAIRN_TERRAIN_QUESTIONS];     // of yes, 1 to 65535 of 65536
    int32_t errors[CAIRN_TERRAIN_QUESTIONS]; // sums, 1/65536
} cairn_grid_guess;

cairn_grid_guess cairn_grid_model_guess(const cairn_grid_model *model, cairn_terrain_scene scene, uint32_t far);
static inline void cairn_grid_guess_count(cairn_grid_guess *guess, cairn_terrain_question question, bool yes)
{
    guess->errors[question] += (yes ? 65536 : 0) - (int32_t)guess->p[question];
}
void cairn_grid_model_learn_plain(cairn_grid_model *model, cairn_terrain_scene scene, const cairn_grid_guess *guess);

// Turns to a cell with this window.
void cairn_grid_model_look(cairn_grid_model *model, const cairn_terrain_window *window);

static inline int32_t cairn_grid_bounded(int32_t value, int32_t max)
{
    return value > max ? max : value < -max ? -max : value;
}

// Probability of yes, 1 to 65535 of 65536. In line, as learning is: both are done for nearly every cell.
static inline uint32_t cairn_grid_model_p(const cairn_grid_model *model, cairn_terrain_question question)
{
    const int32_t *weights = model->weights[question];
    int64_t sum = (int64_t)weights[0] * model->logits.output[question];
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        sum += (int64_t)weights[1 + i] * model->opinions[question][i][model->contexts[i]].correction / 256;
    }
    const int32_t logit = cairn_grid_bounded((int32_t)(sum / 65536), CAIRN_GRID_LOGIT_MAX);
    return model->p_of_logit[CAIRN_GRID_LOGIT_MAX + logit];
}

static inline int32_t cairn_grid_weight_learned(int32_t weight, int32_t error, int32_t logit, int32_t shift)
{
    return cairn_grid_bounded(weight + (error * logit >> shift), 2 * 65536);
}

// The network and the experts side by side.
typedef int32_t cairn_grid_four __attribute__((vector_size(4 * sizeof(int32_t))));
_Static_assert(1 + CAIRN_GRID_EXPERTS == 4, "as many as a vector has");

static inline cairn_grid_four cairn_grid_four_bounded(cairn_grid_four values, int32_t max)
{
    const cairn_grid_four over = values > max, capped = (values & ~over) | (max & over), under = capped < -max;
    return (capped & ~under) | (-max & under);
}

// As / 256 does it, towards 0.
static inline cairn_grid_four cairn_grid_four_by_256(cairn_grid_four values)
{
    return (values + (values >> 31 & 255)) >> 8;
}

// Learns the answer to the question just asked, whose p was this. Nothing overflows: errors are below 2^16 in size,
// log-odds and corrections in 1/256 nat below 2^12, learning rates below 2^9.
static inline void cairn_grid_model_learn(cairn_grid_model *model, cairn_terrain_question question, uint32_t p,
                                          bool yes)
{
    // In 1/256 nat for an error of 1: the first answers of a context move it far, later ones less.
    static const int32_t rates[CAIRN_GRID_RATES] = {400, 320, 260, 200, 170, 150, 130, 120,
                                                    110, 100, 92,  86,  80,  74,  68,  64};
    const int32_t target = yes ? 65536 : 0, error = target - (int32_t)p;
    const int32_t logit = model->logits.output[question], shift = model->mixing_shift;
    cairn_grid_opinion *opinions[CAIRN_GRID_EXPERTS];
    cairn_grid_four before = {0};
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        opinions[i] = &model->opinions[question][i][model->contexts[i]];
        before[1 + i] = opinions[i]->correction;
    }
    const cairn_grid_four corrections = cairn_grid_four_by_256(before);
    cairn_grid_four said = corrections, weights;
    if (model->network_count == 1) {
        said[0] = logit;
    } else { // experts correct the blend as it is, and the weight of that stays
        cairn_grid_blend *blend = &model->blend;
        blend->weight = cairn_grid_weight_learned(blend->weight, error, blend->mean, shift);
        blend->lean = cairn_grid_weight_learned(blend->lean, error, blend->half, shift - CAIRN_GRID_LEANING);
    }
    memcpy(&weights, model->weights[question], sizeof weights);
    weights = cairn_grid_four_bounded(weights + (error * said >> shift), 2 * 65536);
    memcpy(model->weights[question], &weights, sizeof weights);

    const uint16_t *p_of_logit = model->p_of_logit + CAIRN_GRID_LOGIT_MAX + logit;
    cairn_grid_four own_p = {0}, rate = {0};
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        own_p[1 + i] = p_of_logit[corrections[1 + i]];
        rate[1 + i] = rates[opinions[i]->count];
    }
    const cairn_grid_four after =
        cairn_grid_four_bounded(before + cairn_grid_four_by_256((target - own_p) * rate), CAIRN_GRID_CORRECTION_MAX);
    for (int i = 0; i < CAIRN_GRID_EXPERTS; i++) {
        opinions[i]->correction = after[1 + i];
        opinions[i]->count += opinions[i]->count + 1 < CAIRN_GRID_RATES;
    }
}
