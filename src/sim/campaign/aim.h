// aim.h - episodes that show whether one guard is there: one robot on its way to what the guard is against.
//
// Its mind has gone mad all the time, and what would stop it beside the guard is switched off in all of them, whether
// the guard is or not. Without the guard something of the guard's own kinds must be found soon; with it, nothing.
#pragma once
#include "sim/campaign/plan.h"

// Whether there is a way to aim at it; else *ret_why says why not, and what tests the guard.
bool cairn_aim_is_possible(cairn_guard guard, const char **ret_why);
uint32_t cairn_aim_masks(cairn_guard guard); // bit 1 << cairn_guard: switched off in all its episodes
uint32_t cairn_aim_kinds(cairn_guard guard); // bit 1 << cairn_violation_kind: what its lack must lead to
// A whole plan. CAIRN_ERR_NOT_FOUND when no robot of the def is such that the guard matters; INVALID with the reasons
// when the place could not be made.
CAIRN_CHECKED cairn_err cairn_aim_plan(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints,
                                       cairn_plan *plan);
