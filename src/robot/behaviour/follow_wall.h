// follow_wall.h - follows the wall on one side at half a metre, for the assisted modes.
#pragma once
#include "robot/behaviour/situation.h"
#include "robot/behaviour/vote.h"

#define CAIRN_WALL_GAP_M 0.5 // from the hull to the wall

// Follows on the side that the mode names: round inner corners by turning on the spot, round outer ones by an
// arc. Without a wall in sight on that side it curves towards it.
cairn_vote cairn_follow_wall_step(const cairn_situation *situation);
