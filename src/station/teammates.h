// teammates.h - tells robots where the others near them are, each in its own frame.
#pragma once
#include "station/voice.h"

typedef struct cairn_teammates {
    cairn_mono told[CAIRN_FLEET_MAX]; // when each was told last
    bool ever[CAIRN_FLEET_MAX];
} cairn_teammates;

// After the telemetry of one robot: those near it that have not been told for half a second are.
void cairn_teammates_tell(cairn_teammates *teammates, const cairn_voice *voice, uint32_t moved_at, cairn_mono now);
