#include "station/operator/asked.h"
#include <string.h>

static bool makes_it_stand(const cairn_operator_action *action)
{
    return action->verb == CAIRN_DO_STOP || (action->verb == CAIRN_DO_DRIVE && !action->dead_man) ||
           (action->verb == CAIRN_DO_OVERRIDE && action->guards == 0);
}

static bool is_overtaken(const cairn_operator_action *waiting, const cairn_operator_action *by)
{
    if (by->verb != CAIRN_DO_STOP) { return waiting->verb == by->verb && waiting->robot == by->robot; }
    return by->robot == CAIRN_ALL_ROBOTS || waiting->robot == by->robot || waiting->robot == CAIRN_ALL_ROBOTS;
}

static uint32_t withdraw(cairn_asked *asked, const cairn_operator_action *by)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!is_overtaken(&asked->waiting[i], by)) { asked->waiting[kept++] = asked->waiting[i]; }
    }
    const uint32_t withdrawn = asked->count - kept;
    asked->count = kept;
    return withdrawn;
}

void cairn_asked_take(cairn_asked *asked, const cairn_operator_action *action, cairn_actions *actions, cairn_mono now)
{
    if (makes_it_stand(action)) {
        const uint32_t withdrawn = withdraw(asked, action);
        cairn_actions_take(actions, action, now);
        if (withdrawn > 0 && action->verb == CAIRN_DO_STOP) {
            cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, action->robot,
                             "operator: what was asked before the stop is not done (%u)", withdrawn);
        }
    } else if (asked->count < CAIRN_ASKED_MAX) {
        asked->waiting[asked->count++] = *action;
    } else {
        actions->refused_count++;
    }
}

void cairn_asked_step(cairn_asked *asked, cairn_actions *actions, cairn_mono now)
{
    uint32_t done = 0;
    for (bool searched = false; done < asked->count && !searched; done++) {
        cairn_actions_take(actions, &asked->waiting[done], now);
        searched = asked->waiting[done].verb == CAIRN_DO_GO;
    }
    asked->count -= done;
    memmove(asked->waiting, asked->waiting + done, asked->count * sizeof asked->waiting[0]);
}
