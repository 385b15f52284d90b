// trace.h - an episode as a table, for whoever looks for the cause of a violation: what goes wrong by the plan as lines
// that begin with '#', then a row for each robot and CAIRN_TRACE_PERIOD_NS.
#pragma once
#include "sim/campaign/plan.h"

#define CAIRN_TRACE_PERIOD_NS CAIRN_MS(40)

typedef struct cairn_trace_row {
    const char *name;
    const cairn_judge_sample *sample;
    const cairn_reflex_state *state;     // NULL: it has not spoken
    const cairn_motion_command *command; // likewise
} cairn_trace_row;

void cairn_trace_begin(FILE *to, const cairn_plan *plan, char (*names)[CAIRN_JUDGE_NAME_BYTES]);
void cairn_trace_add(FILE *to, const cairn_trace_row *row, cairn_mono now);
