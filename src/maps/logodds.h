// logodds.h - log-odds of occupancy in eight bits: 0 unknown, < 0 free, > 0 occupied, at most 100 steps either way.
#pragma once
#include <math.h>
#include <stdint.h>

#define CAIRN_LOGODDS_LIMIT 100 // int8 value of a grid's logodds_limit

// A weight in steps of a hundredth of the limit, rounded, at least one step and at most the limit.
static inline int8_t cairn_logodds_in_steps(float logodds, float limit)
{
    const float size = fminf(fmaxf(roundf(fabsf(logodds) / limit * CAIRN_LOGODDS_LIMIT), 1), CAIRN_LOGODDS_LIMIT);
    return (int8_t)(logodds > 0 ? size : -size);
}

static inline float cairn_logodds_p(int8_t steps, float limit)
{
    return 1 / (1 + expf(-(float)steps * limit / CAIRN_LOGODDS_LIMIT));
}
