// Any bytes as what a page might send: an action within its bounds, or refused with a reason.
#include "station/operator/operator.h"
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

static bool within(double value, double limit) { return fabs(value) <= limit; } // false for NaN

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_complaints told;
    told.count = 0;
    told.used_bytes = 0;
    told.text[0] = '\0';
    cairn_operator_action action;
    const cairn_err err = cairn_operator_parse((const char *)bytes, size_bytes, &told, &action);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    CAIRN_ASSERT((err == CAIRN_ERR_TOO_LARGE) == (size_bytes > CAIRN_OPERATOR_TEXT_BYTES_MAX));
    if (err != CAIRN_OK) { return 0; }
    const bool of_all = action.verb == CAIRN_DO_STOP || action.verb == CAIRN_DO_RELEASE;
    CAIRN_ASSERT(action.verb < CAIRN_DO_COUNT && action.robot <= 250);
    CAIRN_ASSERT(action.robot != CAIRN_ALL_ROBOTS || of_all);
    CAIRN_ASSERT(action.verb != CAIRN_DO_MODE || (action.mode > CAIRN_MODE_STOPPED && action.mode < CAIRN_MODE_COUNT));
    CAIRN_ASSERT(within(action.to_m.x, 2000) && within(action.to_m.y, 2000));
    CAIRN_ASSERT(within(action.forward, 1) && within(action.turn, 1) && action.shown.ns >= 0);
    return 0;
}
