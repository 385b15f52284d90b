// Which manoeuvre helps against what. The way in is the way out: it fitted through there, and its wheels held there.
#include "robot/escape/escape.h"
#include "base/status.h"

#define HELD_AFTER_S 2.5       // longer: wakes later; shorter: backs away from doors that team-mates are about to leave
#define BACK_NS CAIRN_S(10)    // at 0.09 m/s: 0.9 m
#define ROCK_NS CAIRN_S(8)     // four ways
#define TURN_NS CAIRN_S(8)     // likewise
#define WAIT_NS CAIRN_S(8)     // what slides comes to rest, and a sensor may come back
#define VAIN_NS CAIRN_MS(2500) // in trouble for so long on a manoeuvre: in vain
#define SAME_PLACE_M 1.0       // trouble nearer than this to the last is the same again
#define SAME_NS CAIRN_S(60)    // and no later
#define PROVED_NS CAIRN_S(8)   // going on for so long without trouble: it is free
#define MOVED_M 0.3            // somebody has moved it: more than it thinks it moves while it stands
#define STEPS_MAX 4

typedef struct escape_step {
    cairn_manoeuvre manoeuvre;
    int64_t for_ns;
} escape_step;

static const escape_step table[CAIRN_CONDITION_COUNT][STEPS_MAX] = {
    [CAIRN_CONDITION_HIGH_CENTRED] = {{CAIRN_MANOEUVRE_BACK, BACK_NS},
                                      {CAIRN_MANOEUVRE_ROCK, ROCK_NS},
                                      {CAIRN_MANOEUVRE_TURN, TURN_NS},
                                      {CAIRN_MANOEUVRE_BACK, BACK_NS}},
    [CAIRN_CONDITION_SPINNING] = {{CAIRN_MANOEUVRE_BACK, BACK_NS},
                                  {CAIRN_MANOEUVRE_ROCK, ROCK_NS},
                                  {CAIRN_MANOEUVRE_TURN, TURN_NS},
                                  {CAIRN_MANOEUVRE_BACK, BACK_NS}},
    [CAIRN_CONDITION_BLOCKED] = {{CAIRN_MANOEUVRE_BACK, BACK_NS},
                                 {CAIRN_MANOEUVRE_TURN, TURN_NS},
                                 {CAIRN_MANOEUVRE_BACK, BACK_NS},
                                 {CAIRN_MANOEUVRE_ROCK, ROCK_NS}},
    [CAIRN_CONDITION_WEDGED] = {{CAIRN_MANOEUVRE_BACK, BACK_NS},
                                {CAIRN_MANOEUVRE_ROCK, ROCK_NS},
                                {CAIRN_MANOEUVRE_TURN, TURN_NS},
                                {CAIRN_MANOEUVRE_BACK, BACK_NS}},
    [CAIRN_CONDITION_TILTED] = {{CAIRN_MANOEUVRE_BACK, BACK_NS}, {CAIRN_MANOEUVRE_BACK, BACK_NS}},
    [CAIRN_CONDITION_SLIDING] = {{CAIRN_MANOEUVRE_STAND, WAIT_NS}, {CAIRN_MANOEUVRE_STAND, WAIT_NS}},
    [CAIRN_CONDITION_BLIND] = {{CAIRN_MANOEUVRE_STAND, WAIT_NS}},
};

void cairn_escape_init(cairn_escape_state *state) { *state = (cairn_escape_state){0}; }

uint32_t cairn_escape_tries_max(cairn_condition condition)
{
    uint32_t count = 0;
    while (count < STEPS_MAX && table[condition][count].manoeuvre != CAIRN_MANOEUVRE_NONE) { count++; }
    return count;
}

static bool nothing_helps(cairn_condition condition)
{
    return condition == CAIRN_CONDITION_FALLEN || condition == CAIRN_CONDITION_LIFTED;
}

cairn_condition cairn_escape_tells(const cairn_escape_state *state, cairn_condition condition)
{
    if (state->escape == CAIRN_ESCAPE_NONE) { return condition; }
    return cairn_condition_rank(state->trouble) < cairn_condition_rank(condition) ? state->trouble : condition;
}

cairn_escape cairn_escape_told(const cairn_escape_state *state)
{
    return state->trouble == CAIRN_CONDITION_WELL ? CAIRN_ESCAPE_NONE : state->escape;
}

// ---- from one to the next

static void end(cairn_escape_state *state)
{
    state->escape = CAIRN_ESCAPE_NONE;
    state->manoeuvre = CAIRN_MANOEUVRE_NONE;
    state->trouble = CAIRN_CONDITION_WELL;
}

static void ask_for_help(cairn_escape_state *state, const cairn_escape_input *in)
{
    state->escape = CAIRN_ESCAPE_NEEDS_HELP;
    state->manoeuvre = CAIRN_MANOEUVRE_STAND;
    state->at_m = in->at_m;
    state->order = in->order;
}

// The next manoeuvre against its trouble, or none is left.
static void try_next(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    if (state->tries_count >= cairn_escape_tries_max(state->trouble)) {
        ask_for_help(state, in);
        return;
    }
    state->escape = CAIRN_ESCAPE_UNDER_WAY;
    state->manoeuvre = table[state->trouble][state->tries_count].manoeuvre;
    state->since = now;
    state->tries_count++;
}

// Tries that were made at this place a moment ago count.
static void begin(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    const bool again = state->tries_count > 0 && cairn_vec2_distance(in->at_m, state->at_m) < SAME_PLACE_M &&
                       cairn_mono_since(now, state->troubled_at) < SAME_NS;
    if (!again) {
        state->tries_count = 0;
        state->at_m = in->at_m;
    }
    state->trouble = in->condition;
    state->troubled_at = now;
    try_next(state, in, now);
}

static void back_out_of_hold(cairn_escape_state *state, cairn_mono now)
{
    state->escape = CAIRN_ESCAPE_UNDER_WAY;
    state->manoeuvre = CAIRN_MANOEUVRE_BACK;
    state->trouble = CAIRN_CONDITION_WELL;
    state->since = now;
}

static void step_free(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    if (in->by_hand || !in->at_work || !in->may_move) { return; }
    if (in->condition != CAIRN_CONDITION_WELL) {
        begin(state, in, now);
    } else if (in->held_s >= HELD_AFTER_S) {
        back_out_of_hold(state, now);
    }
}

static void step_held(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    if (in->condition != CAIRN_CONDITION_WELL && in->may_move) {
        begin(state, in, now);
    } else if (in->arrived || cairn_mono_since(now, state->since) >= BACK_NS) {
        end(state);
    }
}

static void step_under_way(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    if (in->by_hand || !in->at_work) { // others see to it
        end(state);
        return;
    }
    if (state->trouble == CAIRN_CONDITION_WELL) {
        step_held(state, in, now);
        return;
    }
    if (!in->may_move) { // it stands for another reason: its time stands, too
        state->since = cairn_mono_add(state->since, cairn_mono_since(now, state->at));
        return;
    }
    const bool in_trouble = in->condition != CAIRN_CONDITION_WELL;
    const int64_t age_ns = cairn_mono_since(now, state->since);
    if (in_trouble) { state->troubled_at = now; }
    if (state->manoeuvre == CAIRN_MANOEUVRE_NONE) { // goes on: is it free?
        if (in_trouble) {
            begin(state, in, now);
        } else if (age_ns >= PROVED_NS) {
            end(state);
        }
        return;
    }
    const escape_step *step = &table[state->trouble][state->tries_count - 1];
    const bool waits = state->manoeuvre == CAIRN_MANOEUVRE_STAND;
    const bool in_vain = in_trouble && !waits && age_ns >= VAIN_NS;
    const bool rests = waits && !in_trouble && age_ns >= CAIRN_ESCAPE_WELL_NS;
    if (!in_vain && !rests && !in->arrived && age_ns < step->for_ns) { return; }
    if (in_trouble) {
        try_next(state, in, now);
        return;
    }
    state->manoeuvre = CAIRN_MANOEUVRE_NONE;
    state->since = now;
}

// Stands until somebody has helped.
static void step_help(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    if (in->condition != CAIRN_CONDITION_WELL) {
        state->troubled_at = now;
        if (nothing_helps(in->condition)) { state->trouble = in->condition; }
    }
    const bool ordered = in->order != state->order;
    const bool moved = cairn_vec2_distance(in->at_m, state->at_m) > MOVED_M;
    const bool helped = cairn_condition_is_stuck(state->trouble)   ? moved || ordered
                        : state->trouble == CAIRN_CONDITION_LIFTED ? !in->lost || ordered
                                                                   : true;
    if (!helped || cairn_mono_since(now, state->troubled_at) < CAIRN_ESCAPE_WELL_NS) { return; }
    end(state);
    state->tries_count = 0;
}

void cairn_escape_step(cairn_escape_state *state, const cairn_escape_input *in, cairn_mono now)
{
    CAIRN_ASSERT(in->condition < CAIRN_CONDITION_COUNT);
    CAIRN_ASSERT(!state->begun || cairn_mono_since(now, state->at) >= 0);
    if (!state->begun) { state->at = now; }
    state->begun = true;
    if (nothing_helps(in->condition) && state->escape != CAIRN_ESCAPE_NEEDS_HELP) {
        state->trouble = in->condition;
        state->troubled_at = now;
        ask_for_help(state, in);
    }
    switch (state->escape) {
    case CAIRN_ESCAPE_NONE: step_free(state, in, now); break;
    case CAIRN_ESCAPE_UNDER_WAY: step_under_way(state, in, now); break;
    case CAIRN_ESCAPE_NEEDS_HELP: step_help(state, in, now); break;
    }
    state->at = now;
}
