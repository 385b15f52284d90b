// ice.h - a place where robots slide: a hall with a wide ditch whose sides are of ice.
#pragma once
#include "sim/campaign/plan.h"

// Makes plan->arena and plan->words, and says that there is no grip. Robots start on the floor beside it.
CAIRN_CHECKED cairn_err cairn_ice_make(cairn_random *random, cairn_complaints *complaints, cairn_plan *plan);
