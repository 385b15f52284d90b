// tasks.h - what a robot can be sent to do. Numbers are on the air: never renumber.
#pragma once

typedef enum cairn_purpose {
    CAIRN_PURPOSE_GO = 0,
    CAIRN_PURPOSE_EXPLORE = 1, // see what is there
    CAIRN_PURPOSE_LOOK = 2,    // for victims
    CAIRN_PURPOSE_HOME = 3     // without via-points: back along its own trail
} cairn_purpose;

typedef enum cairn_task_state {
    CAIRN_TASK_NONE = 0,
    CAIRN_TASK_UNDER_WAY = 1,
    CAIRN_TASK_DONE = 2,
    CAIRN_TASK_BLOCKED = 3, // something holds it back; still trying
    CAIRN_TASK_NO_WAY = 4   // no path found; still trying
} cairn_task_state;

#define CAIRN_VIAS_MAX 64
