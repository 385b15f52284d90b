// escape.h - what a robot in trouble tries by itself, how often, and when it gives up and asks for help.
//
// One table (escape.c) has for each condition the manoeuvres in their order, each with the longest time that it may
// take. Whoever is in trouble ends what it does at once and begins with the first; where trouble comes again at the
// same place, the next one follows. After the last it stands and needs help. Manoeuvres are motions that the
// navigator makes into paths: avoidance and guards have their say as always. By hand the operator has the say, and
// nothing is tried.
//
// Help is needed until it is well for CAIRN_ESCAPE_WELL_NS; of one that was stuck, also until somebody has moved it or
// has given it another order; of one that was lifted, until it knows its place again or has another order.
//
// A robot that avoidance holds (held_s) backs out too, any number of times: nothing has happened to it, and the
// station gives its task to others.
// Threads  The owner's.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "robot/condition_names.h"
#include <stdbool.h>

#define CAIRN_ESCAPE_WELL_NS CAIRN_S(3)

typedef enum cairn_manoeuvre {
    CAIRN_MANOEUVRE_NONE,  // goes on with its task
    CAIRN_MANOEUVRE_STAND, // waits
    CAIRN_MANOEUVRE_BACK,  // along its own trail, rear first
    CAIRN_MANOEUVRE_ROCK,  // to and fro
    CAIRN_MANOEUVRE_TURN,  // a little to each side
} cairn_manoeuvre;

typedef struct cairn_escape_input {
    cairn_condition condition;
    double held_s;   // for how long avoidance has held it against its wish, or its wheels have spun
    bool at_work;    // a task wants it to move
    bool may_move;   // by itself, and nothing makes it stand
    bool by_hand;    // an operator leads it, or it is told to stand
    bool arrived;    // at the end of the manoeuvre's path
    bool lost;       // it does not know its place
    cairn_vec2 at_m; // private frame
    uint32_t order;  // number of the operator's last
} cairn_escape_input;

typedef struct cairn_escape_state {
    cairn_escape escape;
    cairn_manoeuvre manoeuvre;
    cairn_condition trouble; // that it gets out of, or needs help with; WELL: none, or it is held
    uint32_t tries_count;    // manoeuvres begun at this place
    bool begun;
    cairn_mono at;          // of the last step
    cairn_mono since;       // this manoeuvre
    cairn_mono troubled_at; // last
    cairn_vec2 at_m;        // where the trouble began
    uint32_t order;         // then
} cairn_escape_state;

void cairn_escape_init(cairn_escape_state *state);
// O(1). Often: a new trouble ends what it does in the same step.
void cairn_escape_step(cairn_escape_state *state, const cairn_escape_input *input, cairn_mono now);
// What to tell: the trouble, as long as it is not over, or something graver.
cairn_condition cairn_escape_tells(const cairn_escape_state *state, cairn_condition condition);
// And whether it gets out of it: one that avoidance holds is in no trouble.
cairn_escape cairn_escape_told(const cairn_escape_state *state);
// How many manoeuvres the table has against a condition.
uint32_t cairn_escape_tries_max(cairn_condition condition);
