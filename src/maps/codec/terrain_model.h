// terrain_model.h - how likely a cell of a terrain map is known, and an obstacle if it is, from the cells before it.
//
// A small network, trained on maps of simulated missions (tools/terrain_train.c), gives a first guess; what the map at
// hand turned out to be corrects it, cell by cell. Integers only: every machine guesses the same.
//
// Memory   About 17 kB, the caller's. Nothing is allocated.
// Cost     O(1) a cell: about 50 ns where the window shows something, 10 ns where it does not.
#pragma once
#include "maps/codec/terrain_network.h"

#define CAIRN_TERRAIN_NEIGHBOURHOODS 256                          // four neighbours, two bits each
#define CAIRN_TERRAIN_CONTEXTS (CAIRN_TERRAIN_NEIGHBOURHOODS + 2) // and windows with nothing to see
#define CAIRN_TERRAIN_LOGIT_MAX 2816                              // 11 nat: p is never below 1/65536
#define CAIRN_TERRAIN_LEARNING_PART 4 // of the error; grows: strange maps learned later, familiar ones disturbed less

typedef enum cairn_terrain_question {
    CAIRN_TERRAIN_IS_KNOWN,
    CAIRN_TERRAIN_IS_OBSTACLE, // asked of known cells only
    CAIRN_TERRAIN_QUESTIONS
} cairn_terrain_question;

typedef struct cairn_terrain_model {
    cairn_terrain_network network;
    cairn_terrain_network_fn run;
    cairn_terrain_logits plain_logits[CAIRN_TERRAIN_MIXED];              // of windows with nothing to see
    uint16_t p_of_logit[CAIRN_TERRAIN_LOGIT_MAX + 1];                    // 1/65536, for 0 and above
    int32_t correction[CAIRN_TERRAIN_CONTEXTS][CAIRN_TERRAIN_QUESTIONS]; // 1/65536 nat, learned from this map
    cairn_terrain_logits logits;                                         // of the cell looked at
    uint32_t context;                                                    // of the cell looked at
    int32_t last_logit[CAIRN_TERRAIN_QUESTIONS];                         // asked for last, with its p
    uint32_t last_p[CAIRN_TERRAIN_QUESTIONS];
} cairn_terrain_model;

// Probabilities, 1/65536, of log-odds from 0 up in 1/256 nat.
void cairn_terrain_squash_table(uint16_t ret_p_of_logit[CAIRN_TERRAIN_LOGIT_MAX + 1]);
// A model that has seen nothing of the map yet. About 5 us.
void cairn_terrain_model_init(cairn_terrain_model *model);

// Turns to the cell with this window, which shows something.
void cairn_terrain_model_ask_network(cairn_terrain_model *model, const cairn_terrain_window *window);

// Turns to the cell with this window, and tells what kind it is. The next cell needs no look if its window is the same
// and not mixed.
static inline cairn_terrain_scene cairn_terrain_model_look(cairn_terrain_model *model,
                                                           const cairn_terrain_window *window)
{
    const cairn_terrain_scene scene = cairn_terrain_window_scene(window);
    if (scene == CAIRN_TERRAIN_MIXED) {
        cairn_terrain_model_ask_network(model, window);
    } else {
        model->context = CAIRN_TERRAIN_NEIGHBOURHOODS + scene;
        model->logits = model->plain_logits[scene];
    }
    return scene;
}

// Probability of yes, 1..65535 of 65536, for the cell looked at. Over long stretches it is the one asked for last, and
// knowing that without a table spares the processor a wait.
static inline uint32_t cairn_terrain_model_p(cairn_terrain_model *model, cairn_terrain_question question)
{
    const int32_t logit = model->logits.output[question] + model->correction[model->context][question] / 256;
    if (logit != model->last_logit[question]) {
        const uint32_t size = (uint32_t)(logit < 0 ? -logit : logit);
        const uint32_t p = model->p_of_logit[size > CAIRN_TERRAIN_LOGIT_MAX ? CAIRN_TERRAIN_LOGIT_MAX : size];
        model->last_logit[question] = logit;
        model->last_p[question] = logit < 0 ? 65536 - p : p;
    }
    return model->last_p[question];
}

// Learns the answer, which was given p by cairn_terrain_model_p.
static inline void cairn_terrain_model_learn(cairn_terrain_model *model, cairn_terrain_question question, uint32_t p,
                                             bool yes)
{
    const int32_t error = (yes ? 65536 : 0) - (int32_t)p;
    model->correction[model->context][question] += error / CAIRN_TERRAIN_LEARNING_PART;
}
