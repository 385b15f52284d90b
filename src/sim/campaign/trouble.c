#include "sim/campaign/trouble.h"
#include "sim/mission/team_parts.h"
#include <stdio.h>

#define FIRST_START_NS CAIRN_MS(104) // reflex has spoken by then
#define OVER_NS CAIRN_MS(300)        // until a mind that was over is there again

bool cairn_trouble_kills(const cairn_plan *plan) { return plan->death_count > 0; }

void cairn_trouble_init(cairn_trouble *trouble, const cairn_plan *plan, cairn_team *team, uint64_t seed)
{
    CAIRN_ASSERT(plan != NULL && team != NULL && plan->robot_count <= CAIRN_JUDGE_ROBOTS_MAX);
    *trouble = (cairn_trouble){.plan = plan, .team = team, .seed = seed};
    for (uint32_t i = 0; i < plan->robot_count; i++) { trouble->names[i] = team->names[i]; }
}

static bool hangs(const cairn_plan *plan, uint32_t robot, bool deliberate, int64_t now_ns)
{
    for (uint32_t i = 0; i < plan->hold_count; i++) {
        const cairn_plan_hold *hold = &plan->holds[i];
        if (hold->robot != robot || hold->deliberate != deliberate) { continue; }
        if (now_ns < hold->from_ns || now_ns >= hold->to_ns) { continue; }
        if (!hold->late || (now_ns - hold->from_ns) / hold->turn_ns % 2 == 0) { return true; }
    }
    return false;
}

static bool is_away(const cairn_trouble *trouble, uint32_t robot, bool reflex, int64_t now_ns)
{
    if (!reflex && (now_ns < trouble->until_ns[robot] || now_ns == FIRST_START_NS)) { return true; }
    for (uint32_t i = 0; i < trouble->plan->death_count; i++) {
        const cairn_plan_death *death = &trouble->plan->deaths[i];
        if (death->robot != robot || death->reflex != reflex) { continue; }
        if (now_ns >= death->from_ns && now_ns < death->to_ns) { return true; }
    }
    return false;
}

static void kill(cairn_trouble *trouble, uint32_t robot, cairn_robot_program program)
{
    cairn_robot_kill(trouble->team->robots[robot].robot, program);
    trouble->dead[robot][program] = true;
    if (program == CAIRN_ROBOT_REFLEX_PROGRAM) { return; }
    cairn_executor_forget(trouble->team->executor, trouble->names[robot], CAIRN_ROBOT_BEHAVIOUR);
    cairn_executor_forget(trouble->team->executor, trouble->names[robot], CAIRN_ROBOT_DELIBERATE);
}

// Whether there is another one now.
static bool start(cairn_trouble *trouble, uint32_t robot, cairn_robot_program program, cairn_mono now)
{
    char name[64];
    snprintf(name, sizeof name, "%s/link/%u", trouble->names[robot], 1 + trouble->start_count[robot]);
    cairn_random sessions;
    cairn_random_init(&sessions, trouble->seed, name);
    if (cairn_robot_start(trouble->team->robots[robot].robot, program, sessions, now) != CAIRN_OK) { return false; }
    trouble->dead[robot][program] = false;
    trouble->start_count[robot]++;
    return true;
}

static bool step_program(cairn_trouble *trouble, uint32_t robot, cairn_robot_program program, cairn_mono now)
{
    const bool away = is_away(trouble, robot, program == CAIRN_ROBOT_REFLEX_PROGRAM, now.ns);
    if (away && !trouble->dead[robot][program]) { kill(trouble, robot, program); }
    return !away && trouble->dead[robot][program] && start(trouble, robot, program, now);
}

uint32_t cairn_trouble_step(cairn_trouble *trouble, cairn_mono now)
{
    const cairn_plan *plan = trouble->plan;
    uint32_t minds = 0;
    for (uint32_t i = 0; i < plan->robot_count; i++) {
        if (cairn_trouble_kills(plan)) {
            if (cairn_robot_mind_is_over(trouble->team->robots[i].robot)) { trouble->until_ns[i] = now.ns + OVER_NS; }
            (void)step_program(trouble, i, CAIRN_ROBOT_REFLEX_PROGRAM, now);
            minds |= (uint32_t)step_program(trouble, i, CAIRN_ROBOT_MIND_PROGRAM, now) << i;
        }
        const bool dead = trouble->dead[i][CAIRN_ROBOT_MIND_PROGRAM];
        cairn_executor *executor = trouble->team->executor;
        cairn_executor_hold(executor, trouble->names[i], CAIRN_ROBOT_BEHAVIOUR, dead || hangs(plan, i, false, now.ns));
        cairn_executor_hold(executor, trouble->names[i], CAIRN_ROBOT_DELIBERATE, dead || hangs(plan, i, true, now.ns));
    }
    return minds;
}
