// What reflex found wrong and a person should hear in words: telemetry has only the guard's name, and only while it
// acts.
#include "robot/deliberate/deliberate.h"

// Told again after so long only: a wheel that is tried again and again is one story.
#define AGAIN_NS CAIRN_S(60)

static const struct alarm {
    cairn_guard guard;
    const char *words;
} alarms[] = {
    {CAIRN_GUARD_WHEELS, "a wheel is stuck, or its encoder is: the robot stands until it has been tried again"},
};
#define ALARMS (sizeof alarms / sizeof alarms[0])
_Static_assert(ALARMS <= CAIRN_ALARMS_MAX, "room for each");

void cairn_deliberate_tell_alarms(cairn_deliberate *d, cairn_mono now)
{
    if (!cairn_deliberate_hears_reflex(d, now)) { return; }
    for (size_t i = 0; i < ALARMS; i++) {
        const bool told = d->alarm_told_at[i].ns > 0 && cairn_mono_since(now, d->alarm_told_at[i]) < AGAIN_NS;
        if ((d->state.guards >> alarms[i].guard & 1u) == 0 || told) { continue; }
        d->alarm_told_at[i] = now;
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s", alarms[i].words);
    }
}
