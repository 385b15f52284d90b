// bench_mind.h - the deliberate part of a mind on a bench: alone, autonomous, with a task, 100 s after its start.
#pragma once
#include "robot/deliberate/deliberate.h"

enum { BENCH_TASK = 7 };

typedef struct bench_mind {
    cairn_arena memory;
    cairn_body_description description;
    cairn_body body;
    cairn_deliberate *deliberate;
    cairn_mono now;
} bench_mind;

// The description is copied.
void bench_mind_init(bench_mind *bench, const cairn_body_description *description, cairn_task_state task_state);
void bench_mind_finish(bench_mind *bench);
