// resume.h - how a mind begins: what of the one before it still holds.
//
// | checkpoint | odometry | reflex      | starts in a minute | the mind                                               |
// |------------|----------|-------------|--------------------|--------------------------------------------------------|
// | none       | any      | any         | any                | begins anew: a first start, or everything is lost      |
// | sound      | another  | any         | any                | lost its place: new frame, no orders, counts go on     |
// | sound      | the same | started too | any                | the whole robot was away: same frame, idle; check it   |
// | sound      | the same | ran through | at most 5          | goes on: same frame, orders and task                   |
// | sound      | the same | ran through | more               | same frame, but idle: whatever it did, it did not last |
//
// A stop and its release may have come after the last checkpoint. A stop stays latched in every row, whoever knows of
// it: checkpoint, reflex, or the last word of the mind before. A robot that was released is idle, as in the third row.
#pragma once
#include "robot/checkpoint.h"
#include "robot/reflex/reflex_cells.h"

#define CAIRN_RESUME_STARTS_MAX 5
#define CAIRN_RESUME_WITHIN_NS CAIRN_S(60)

typedef enum cairn_resume {
    CAIRN_RESUME_ANEW,
    CAIRN_RESUME_LOST,
    CAIRN_RESUME_CHECK,
    CAIRN_RESUME_GO_ON,
    CAIRN_RESUME_WAIT
} cairn_resume;

typedef struct cairn_resume_facts {
    bool checkpoint;      // there is a sound one
    bool same_odometry;   // as in the checkpoint
    bool same_reflex;     // it has run all the time
    bool released;        // a stop was released since the checkpoint
    uint32_t start_count; // of minds within CAIRN_RESUME_WITHIN_NS, this one included
} cairn_resume_facts;

cairn_resume cairn_resume_decide(const cairn_resume_facts *facts);

// What is there: each may be NULL, and last unsound.
typedef struct cairn_resume_past {
    const cairn_checkpoint *last;
    const cairn_reflex_state *reflex;
    const cairn_stop_command *said; // to reflex, by the mind before
} cairn_resume_past;

cairn_resume_facts cairn_resume_look(const cairn_resume_past *past, cairn_mono now);
// The orders to begin with; past->last is used unless the mind begins anew.
cairn_orders_state cairn_resume_orders(cairn_resume resume, const cairn_resume_past *past);
