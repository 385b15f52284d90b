// override.h - guards that the operator holds off.
//
// Only those of CAIRN_GUARDS_OVERRIDABLE, whatever the cell says; only while the word is young
// (CAIRN_OVERRIDE_AGE_NS_MAX) and no longer than CAIRN_OVERRIDE_NS_MAX in one hold. A hold goes on through gaps: it is
// over once nothing has been held for CAIRN_OVERRIDE_PAUSE_NS. What lies in the cell when reflex starts is not obeyed.
#pragma once
#include "robot/reflex/reflex_cells.h"

#define CAIRN_OVERRIDE_PAUSE_NS CAIRN_S(1)

typedef struct cairn_override_hold {
    uint32_t guards; // held off now
    uint32_t word;   // the last that was heard
    cairn_mono issued;
    bool heard;
    uint64_t version;
    int64_t held_ns, free_ns; // of this hold, and since something was held last; counted in steps
} cairn_override_hold;

void cairn_override_init(cairn_override_hold *hold, cairn_cell *cell);
// Time leapt: what was heard is of another time.
void cairn_override_forget(cairn_override_hold *hold);
// One period.
void cairn_override_step(cairn_override_hold *hold, cairn_cell *cell, cairn_mono now, int64_t period_ns);
