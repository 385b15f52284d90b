#include "sim/mission/script.h"

void cairn_script_init(cairn_script *script, const cairn_mission_action *actions, uint32_t action_count)
{
    CAIRN_ASSERT(action_count <= CAIRN_SCRIPT_ACTIONS_MAX + CAIRN_SIM_ROBOTS_MAX);
    for (uint32_t i = 0; i < action_count; i++) {
        const cairn_operator_action *action = &actions[i].action;
        CAIRN_ASSERT(i == 0 || actions[i - 1].at_s <= actions[i].at_s);
        CAIRN_ASSERT(action->robot <= CAIRN_SIM_ROBOTS_MAX);
        CAIRN_ASSERT(action->verb != CAIRN_DO_DRIVE || (action->robot != CAIRN_ALL_ROBOTS && actions[i].for_s > 0));
    }
    *script = (cairn_script){.actions = actions, .action_count = action_count};
}

static bool put(cairn_inbox *operators, const cairn_operator_action *action)
{
    return cairn_inbox_put(operators, action, sizeof *action) == CAIRN_OK;
}

static cairn_mono start_of(const cairn_mission_action *action)
{
    return (cairn_mono){cairn_ns_from_seconds(action->at_s)};
}

static cairn_script_stick take_stick(const cairn_mission_action *drive)
{
    const cairn_mono start = start_of(drive);
    return (cairn_script_stick){
        .drive = drive, .due = start, .until = cairn_mono_add(start, cairn_ns_from_seconds(drive->for_s))};
}

static void begin_due(cairn_script *script, cairn_mono now, cairn_inbox *operators)
{
    for (; script->next < script->action_count; script->next++) {
        const cairn_mission_action *action = &script->actions[script->next];
        if (start_of(action).ns > now.ns) { return; }
        if (action->action.verb == CAIRN_DO_DRIVE) {
            script->sticks[action->action.robot - 1] = take_stick(action);
        } else if (!put(operators, &action->action)) {
            return;
        }
    }
}

static void hold(cairn_script_stick *stick, cairn_mono now, cairn_inbox *operators)
{
    if (stick->drive == NULL || now.ns < stick->due.ns) { return; }
    cairn_operator_action action = stick->drive->action;
    action.shown = now;
    action.dead_man = now.ns < stick->until.ns;
    if (!action.dead_man) { action.forward = action.turn = 0; }
    const bool heard = put(operators, &action);
    if (heard && !action.dead_man) { stick->drive = NULL; }
    while (action.dead_man && stick->due.ns <= now.ns) { stick->due.ns += CAIRN_SCRIPT_STICK_NS; }
    if (stick->due.ns > stick->until.ns) { stick->due = stick->until; }
}

void cairn_script_step(cairn_script *script, cairn_mono now, cairn_inbox *operators)
{
    begin_due(script, now, operators);
    for (uint32_t i = 0; i < CAIRN_SIM_ROBOTS_MAX; i++) { hold(&script->sticks[i], now, operators); }
}
