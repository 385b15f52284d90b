// One stop may wait beside the inbox; it goes in before anything else of its sender.
#include "ports/action_box.h"

bool cairn_action_box_put_waiting(cairn_action_box *box)
{
    CAIRN_ASSERT(box != NULL && box->operators != NULL);
    for (uint32_t robot = 0; robot < 256; robot++) {
        if (!box->stop_waits[robot]) { continue; }
        const cairn_operator_action stop = {.verb = CAIRN_DO_STOP, .robot = (uint8_t)robot};
        if (cairn_inbox_put(box->operators, &stop, sizeof stop) != CAIRN_OK) { return false; }
        box->stop_waits[robot] = false;
    }
    return true;
}

cairn_err cairn_action_box_put(cairn_action_box *box, const cairn_operator_action *action)
{
    CAIRN_ASSERT(action != NULL);
    cairn_err err = cairn_action_box_put_waiting(box) ? CAIRN_OK : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = cairn_inbox_put(box->operators, action, sizeof *action); }
    if (err == CAIRN_OK || action->verb != CAIRN_DO_STOP) { return err; }
    box->stop_waits[action->robot] = true;
    return CAIRN_OK;
}
