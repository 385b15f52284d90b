// actions.h - does what operators ask for, or says why not: every action ends as an event in words.
//
// Only robots that have been heard are acted on. A stopped robot takes nothing but stop and release. While all are
// stopped no single one is released: whoever releases it may not know why the others stand. A robot that is sent
// somewhere is in waypoint mode from then on, until somebody orders another mode. An order of a mode ends what the
// robot was doing, except paused, and waypoint for a robot that an operator has sent somewhere.
#pragma once
#include "station/command.h"
#include "station/operator/operator.h"
#include "station/tasking/errand.h"
#include "station/tasking/tasking.h"

// What is remembered of the driving of one robot.
typedef struct cairn_driving {
    bool ever;
    cairn_mono last; // stick passed on
    uint32_t sequence;
    uint32_t untold_count; // sticks not passed on, since that was last told
    bool told_ever;
    cairn_mono told;
} cairn_driving;

// What is remembered of guards that are switched off for one robot.
typedef struct cairn_overriding {
    uint32_t guards; // held at present; 0: none
    uint32_t sequence;
    cairn_mono began, last; // of the present ones: when it was first and last said
} cairn_overriding;

// Why something was not done.
typedef enum cairn_refusal {
    CAIRN_REFUSAL_NO_MODE,
    CAIRN_REFUSAL_NO_WAY,
    CAIRN_REFUSAL_NO_NEARER,
    CAIRN_REFUSAL_ALL_STOPPED,
    CAIRN_REFUSAL_STOPPED,
    CAIRN_REFUSAL_NOT_STOPPED,
    CAIRN_REFUSAL_UNPLACED,
    CAIRN_REFUSAL_NOT_HEARD,
    CAIRN_REFUSAL_NEVER_OVERRIDDEN,
    CAIRN_REFUSAL_KNOWS_NO_OVERRIDES,
    CAIRN_REFUSAL_OLD_PICTURE,
    CAIRN_REFUSAL_COUNT
} cairn_refusal;

// What was not done for one robot: told at most once a second, so that a flood pushes no older events out.
typedef struct cairn_refusals {
    uint8_t why;   // cairn_refusal, of the last
    uint8_t robot; // id that it was asked of
    uint32_t untold_count;
    bool told_ever;
    cairn_mono told;
} cairn_refusals;

typedef struct cairn_actions {
    cairn_command *command;         // borrowed, as the others
    cairn_tasking *tasking;         // its figures and its scratch serve for ways
    const cairn_tasking_team *team; // what it works with
    const cairn_voice *voice;       // sticks
    uint32_t taken_count;           // a drive without a pause of a second is one
    uint32_t refused_count;         // not to be done; sticks by an old picture are counted apart
    uint32_t stale_stick_count;     // by a picture older than a second
    cairn_driving driving[CAIRN_FLEET_MAX];
    cairn_overriding overriding[CAIRN_FLEET_MAX];
    cairn_refusals refusals[CAIRN_FLEET_MAX + 1]; // the last: of robots that nobody here knows
    uint8_t told_state[CAIRN_FLEET_MAX];          // of the operator's task
} cairn_actions;

void cairn_actions_take(cairn_actions *actions, const cairn_operator_action *action, cairn_mono now);
// Tells how robots get on that an operator has sent somewhere, and says their tasks again that were not taken. Notices
// overrides that nobody holds any more.
void cairn_actions_step(cairn_actions *actions, cairn_mono now);
