// planning.h - prices of ground, the cheapest ways, frontiers and places to look from.
#pragma once
#include "cairn/standard.h"
#ifdef __cplusplus
extern "C" {
#endif
#include "planning/cost_grid.h"
#include "planning/frontier.h"
#include "planning/kept_costs.h"
#include "planning/observe.h"
#include "planning/reach.h"
#ifdef __cplusplus
}
#endif
