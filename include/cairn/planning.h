// planning.h - prices of ground, the cheapest ways, frontiers and places to look from.
#pragma once
#include "planning/cost_grid.h"
#include "planning/frontier.h"
#include "planning/observe.h"
#include "planning/reach.h"
