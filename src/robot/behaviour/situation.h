// situation.h - what every behaviour sees in a cycle; all of it borrowed until the cycle ends.
#pragma once
#include "robot/behaviour/behaviour.h"
#include "robot/behaviour/surroundings.h"
#include "robot/reflex/motion.h"

typedef struct cairn_situation {
    cairn_mono now;
    cairn_mode mode;
    const cairn_body_description *body;
    const cairn_reflex_state *reflex;
    const cairn_path *path;           // NULL: none, or too old to be followed
    const cairn_near_obstacles *near; // NULL: none, or too old
    const cairn_sound_ground *ground; // NULL: none yet
    const cairn_stick *stick;         // NULL: none yet
    const cairn_scan_frame *scan;     // NULL: none yet
    const cairn_surroundings *around;
    cairn_motion wish; // what all behaviours but avoidance ask for together
} cairn_situation;
