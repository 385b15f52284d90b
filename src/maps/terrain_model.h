// terrain_model.h - how likely a cell of a terrain map is known, and an obstacle if it is, from the cells before it.
//
// A small network, trained on maps of simulated missions (tools/terrain_train.c), gives a first guess; what the map at
// hand turned out to be corrects it, cell by cell. Integers only: every machine guesses the same.
//
// Memory   About 5 kB, the caller's. Nothing is allocated.
// Cost     O(1) a cell: about 80 ns where the window shows something, 15 ns where it does not.
#pragma once
#include "maps/terrain_window.h"

#define CAIRN_TERRAIN_HIDDEN 32
#define CAIRN_TERRAIN_CONTEXTS (81 + 2) // states of four neighbours; windows with nothing to see

typedef enum cairn_terrain_question {
    CAIRN_TERRAIN_IS_KNOWN,
    CAIRN_TERRAIN_IS_OBSTACLE, // asked of known cells only
    CAIRN_TERRAIN_QUESTIONS
} cairn_terrain_question;

typedef struct cairn_terrain_model {
    int16_t unknown_sums[CAIRN_TERRAIN_WINDOW_CELLS][CAIRN_TERRAIN_HIDDEN]; // weights of unknown cells up to this one
    int32_t correction[CAIRN_TERRAIN_CONTEXTS][CAIRN_TERRAIN_QUESTIONS];    // 1/65536 nat, learned from this map
    int32_t logit[CAIRN_TERRAIN_QUESTIONS];                                 // 1/256 nat, of the cell looked at
    uint32_t context;                                                       // of the cell looked at
} cairn_terrain_model;

// A model that has seen nothing of the map yet.
void cairn_terrain_model_init(cairn_terrain_model *model);

// Turns to the cell with this window.
void cairn_terrain_model_look(cairn_terrain_model *model, const cairn_terrain_window *window);

// Probability of yes, 1..65535 of 65536, for the cell looked at.
uint32_t cairn_terrain_model_p(const cairn_terrain_model *model, cairn_terrain_question question);

// Learns the answer, which was given p by cairn_terrain_model_p.
void cairn_terrain_model_learn(cairn_terrain_model *model, cairn_terrain_question question, uint32_t p, bool yes);
