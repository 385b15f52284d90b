#include "sim/mission/script.h"

static bool is_held(cairn_operator_verb verb) { return verb == CAIRN_DO_DRIVE || verb == CAIRN_DO_OVERRIDE; }

void cairn_script_init(cairn_script *script, const cairn_mission_action *actions, uint32_t action_count)
{
    CAIRN_ASSERT(action_count <= CAIRN_SCRIPT_ACTIONS_MAX + CAIRN_SIM_ROBOTS_MAX);
    for (uint32_t i = 0; i < action_count; i++) {
        const cairn_operator_action *action = &actions[i].action;
        CAIRN_ASSERT(i == 0 || actions[i - 1].at_s <= actions[i].at_s);
        CAIRN_ASSERT(action->robot <= CAIRN_SIM_ROBOTS_MAX);
        CAIRN_ASSERT(!is_held(action->verb) || (action->robot != CAIRN_ALL_ROBOTS && actions[i].for_s > 0));
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

static cairn_script_key take_key(const cairn_mission_action *action)
{
    const cairn_mono start = start_of(action);
    return (cairn_script_key){
        .held = action, .due = start, .until = cairn_mono_add(start, cairn_ns_from_seconds(action->for_s))};
}

static void begin_due(cairn_script *script, cairn_mono now, cairn_inbox *operators)
{
    for (; script->next < script->action_count; script->next++) {
        const cairn_mission_action *action = &script->actions[script->next];
        if (start_of(action).ns > now.ns) { return; }
        if (is_held(action->action.verb)) {
            const bool drives = action->action.verb == CAIRN_DO_DRIVE;
            (drives ? script->sticks : script->overrides)[action->action.robot - 1] = take_key(action);
        } else if (!put(operators, &action->action)) {
            return;
        }
    }
}

static void hold(cairn_script_key *key, cairn_mono now, cairn_inbox *operators)
{
    if (key->held == NULL || now.ns < key->due.ns) { return; }
    cairn_operator_action action = key->held->action;
    const bool holds = now.ns < key->until.ns;
    action.shown = now;
    action.dead_man = holds && action.verb == CAIRN_DO_DRIVE;
    if (!holds) {
        action.forward = action.turn = 0;
        action.guards = 0;
    }
    const bool heard = put(operators, &action);
    if (heard && !holds) { key->held = NULL; }
    while (holds && key->due.ns <= now.ns) { key->due.ns += CAIRN_SCRIPT_STICK_NS; }
    if (key->due.ns > key->until.ns) { key->due = key->until; }
}

void cairn_script_step(cairn_script *script, cairn_mono now, cairn_inbox *operators)
{
    begin_due(script, now, operators);
    for (uint32_t i = 0; i < CAIRN_SIM_ROBOTS_MAX; i++) {
        hold(&script->sticks[i], now, operators);
        hold(&script->overrides[i], now, operators);
    }
}
