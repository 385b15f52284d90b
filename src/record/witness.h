// witness.h - keeps, in a journal, all that is needed to run a station again and to see that it comes out the same.
//
// At the head of each file stand the setup and, once steps were made, a snapshot; then all inputs; and every
// CAIRN_WITNESS_PERIOD_NS the hashes of what the station has made of them. `cairn replay --verify` reads this.
// Threads  The station's; its owner begins before the first step.
#pragma once
#include "record/recorder.h"

#define CAIRN_WITNESS_PERIOD_NS CAIRN_S(10)

typedef struct cairn_witness cairn_witness;

// The def is the station's; borrows recorder and station. CAIRN_ERR_INVALID when the def has no setup
// (station/replay/setup.h), CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_witness_create(const cairn_station_def *def, cairn_station *station,
                                             cairn_recorder *recorder, cairn_mono now, cairn_witness **ret_witness);
void cairn_witness_destroy(cairn_witness *witness); // accepts NULL

// For cairn_station_def.record, or called by what is there. The context is the witness.
void cairn_witness_record(void *context, const cairn_station_record *record);
// Between two steps, once a second or so: hashes when they are due, and a new file when that is due.
void cairn_witness_step(cairn_witness *witness, cairn_mono now);
// Between two steps: the station was started again, and another goes on from the very state of this one.
void cairn_witness_follow(cairn_witness *witness, cairn_station *station);
// After the last step: its hashes.
void cairn_witness_conclude(cairn_witness *witness, cairn_mono now);
