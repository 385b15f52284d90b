// trouble.h - what an episode does to the programs of its robots: levels that hang or run late, minds and reflexes that
// are killed and started again.
//
// A robot whose programs may die begins with a mind that keeps nothing (robot/robot.h): it is started again once, at
// the beginning, as soon as reflex speaks. A mind that is over is started again like one that died.
//
// Threads  One owner, between the team's runs.
#pragma once
#include "sim/campaign/plan.h"

typedef struct cairn_trouble {
    const cairn_plan *plan; // borrowed, as the next two
    cairn_team *team;
    const char *names[CAIRN_JUDGE_ROBOTS_MAX]; // lanes
    uint64_t seed;
    bool dead[CAIRN_JUDGE_ROBOTS_MAX][2];     // by cairn_robot_program
    int64_t until_ns[CAIRN_JUDGE_ROBOTS_MAX]; // a mind that was over is away
    uint32_t start_count[CAIRN_JUDGE_ROBOTS_MAX];
} cairn_trouble;

// Whether any program dies in this plan: the team must be made for it.
bool cairn_trouble_kills(const cairn_plan *plan);
void cairn_trouble_init(cairn_trouble *trouble, const cairn_plan *plan, cairn_team *team, uint64_t seed);
// Before each run. Returns a bit 1 << robot for each whose mind is another one now: ends of its cells must be attached
// anew.
uint32_t cairn_trouble_step(cairn_trouble *trouble, cairn_mono now);
