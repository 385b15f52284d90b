// campaign.h - whole robots in trouble by chance, judged by the truth: one episode after another, each told by a
// number.
//
// An episode is a mission of a minute or two in lockstep: the real robots, links and station of sim/mission, a pilot
// for each robot, and everything of its plan that goes wrong. The same def and number give the same violations.
//
// Memory   From the heap; given back before run returns.
// Threads  Each episode is on one; episodes share nothing.
#pragma once
#include "base/workers.h"
#include "sim/campaign/plan.h"

typedef struct cairn_episode_result {
    double robot_s;  // simulated seconds times robots
    char words[160]; // place and robots
    uint32_t robot_count;
    char bodies[CAIRN_JUDGE_ROBOTS_MAX][32]; // what each robot is
    uint32_t violation_count;
    uint32_t by_kind[CAIRN_VIOLATION_COUNT], by_kind_overridden[CAIRN_VIOLATION_COUNT];
    cairn_violation violations[CAIRN_VIOLATIONS_MAX];
} cairn_episode_result;

// CAIRN_ERR_INVALID, UNSUPPORTED or FULL with the reasons when it cannot be set up.
CAIRN_CHECKED cairn_err cairn_episode_run(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints,
                                          cairn_episode_result *ret_result);

typedef struct cairn_episode_outcome {
    cairn_err err;
    cairn_complaints complaints; // why not, when err says so
    cairn_episode_result result;
} cairn_episode_outcome;

// So many episodes from this number on, side by side on the workers (NULL: one after the other).
void cairn_episodes_run(const cairn_campaign_def *def, cairn_workers *workers, uint64_t first, uint32_t count,
                        cairn_episode_outcome *ret_outcomes);
