#include "robot/behaviour/fuse.h"
#include <math.h>

cairn_vote cairn_vote_none(void)
{
    return (cairn_vote){.forward_mps_min = -INFINITY, .forward_mps_max = INFINITY, .turn_radps_max = INFINITY};
}

cairn_vote cairn_vote_for(cairn_motion wish, double weight)
{
    cairn_vote vote = cairn_vote_none();
    vote.wish = wish;
    vote.weight = weight;
    return vote;
}

cairn_vote cairn_vote_limit(double forward_mps_min, double forward_mps_max, double turn_radps_max)
{
    return (cairn_vote){
        .forward_mps_min = forward_mps_min, .forward_mps_max = forward_mps_max, .turn_radps_max = turn_radps_max};
}

static cairn_motion mean_wish(const cairn_vote *votes, uint32_t count)
{
    cairn_motion sum = {0};
    double weight = 0.0, offset = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        CAIRN_ASSERT(votes[i].weight >= 0.0 && isfinite(votes[i].turn_radps_offset));
        if (votes[i].weight == 0.0) { continue; }
        CAIRN_ASSERT(isfinite(votes[i].wish.forward_mps) && isfinite(votes[i].wish.turn_radps));
        sum.forward_mps += votes[i].weight * votes[i].wish.forward_mps;
        sum.turn_radps += votes[i].weight * votes[i].wish.turn_radps;
        weight += votes[i].weight;
    }
    if (weight == 0.0) { return sum; }
    for (uint32_t i = 0; i < count; i++) { offset += votes[i].turn_radps_offset; }
    return (cairn_motion){sum.forward_mps / weight, sum.turn_radps / weight + offset};
}

cairn_motion cairn_fuse(const cairn_vote *votes, uint32_t count, const cairn_body_limits *limits)
{
    double forward_min = -limits->speed_mps_max, forward_max = limits->speed_mps_max;
    double turn_max = limits->turn_radps_max;
    for (uint32_t i = 0; i < count; i++) {
        CAIRN_ASSERT(votes[i].forward_mps_min <= 0.0 && votes[i].forward_mps_max >= 0.0);
        CAIRN_ASSERT(votes[i].turn_radps_max >= 0.0);
        forward_min = fmax(forward_min, votes[i].forward_mps_min);
        forward_max = fmin(forward_max, votes[i].forward_mps_max);
        turn_max = fmin(turn_max, votes[i].turn_radps_max);
    }
    const cairn_motion wish = mean_wish(votes, count);
    return (cairn_motion){fmin(fmax(wish.forward_mps, forward_min), forward_max),
                          fmin(fmax(wish.turn_radps, -turn_max), turn_max)};
}
