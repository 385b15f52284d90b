// What reflex found wrong and a person should hear in words: telemetry has only the guard's name, and only while it
// acts.
#include "robot/deliberate/deliberate.h"
#include <math.h>

// Told again after so long only: a wheel that is tried again and again is one story.
#define AGAIN_NS CAIRN_S(60)

static const struct alarm {
    cairn_guard guard;
    const char *words;
} alarms[] = {
    {CAIRN_GUARD_BUTTON, "stopped by the button on the robot, or nobody hears of the button: let it out, then release"},
    {CAIRN_GUARD_WHEELS, "a wheel is stuck, or its encoder is: the robot stands until it has been tried again"},
};
#define ALARMS (sizeof alarms / sizeof alarms[0])
_Static_assert(ALARMS <= CAIRN_ALARMS_MAX, "room for each");

// [m], [rad], [s] A bumper that stays pressed although the robot has got so far away, or turned so much, or for so
// long.
#define AWAY_M 0.3
#define AWAY_RAD 1.0
#define PRESSED_NS_MAX CAIRN_S(30)

// Nobody can tell a bumper that hangs from something that hangs on it, so reflex keeps off that way; and a person is
// told.
void cairn_deliberate_notice_bumpers(cairn_deliberate *d, cairn_mono now)
{
    CAIRN_ASSERT(d != NULL && d->def.body != NULL);
    if (!cairn_deliberate_hears_reflex(d, now)) { return; }
    const cairn_reflex_state *state = &d->state;
    const bool pressed[4] = {state->bump_front, state->bump_rear, state->bump_left, state->bump_right};
    static const char *const names[4] = {"front", "rear", "left", "right"};
    const bool told = (d->lacks & 1u << CAIRN_LACK_BUMPER) != 0;
    bool stuck = false;
    for (int i = 0; i < 4; i++) {
        if (!pressed[i] || !d->touches[i].pressed) {
            d->touches[i].odom_T_base = state->odom_T_base;
            d->touches[i].since = now;
        }
        d->touches[i].pressed = pressed[i];
        const cairn_pose2 moved = cairn_pose2_between(d->touches[i].odom_T_base, state->odom_T_base);
        const bool away = cairn_vec2_length(cairn_pose2_at(moved)) > AWAY_M || fabs(moved.yaw_rad) > AWAY_RAD;
        const bool now_stuck = away || cairn_mono_since(now, d->touches[i].since) > PRESSED_NS_MAX;
        if (now_stuck && !told && !stuck) {
            cairn_deliberate_send_event(
                d, now, CAIRN_LOG_WARN,
                "the %s bumper stays pressed: it hangs, or something hangs on it; the robot does "
                "not go that way",
                names[i]);
        }
        stuck = stuck || now_stuck || (told && pressed[i]);
    }
    d->lacks = stuck ? d->lacks | 1u << CAIRN_LACK_BUMPER : d->lacks & ~(1u << CAIRN_LACK_BUMPER);
}

// What mind told reflex and reflex did not take: mind is at fault, or the two are of different versions. Counts begin
// anew with a reflex.
static void tell_refused(cairn_deliberate *d, cairn_mono now)
{
    const uint32_t refused_count = d->state.commands_refused_count + d->state.tellings_refused_count;
    const bool told = d->reflex_refused_at.ns > 0 && cairn_mono_since(now, d->reflex_refused_at) < AGAIN_NS;
    if (refused_count > d->reflex_refused_count && !told) {
        d->reflex_refused_at = now;
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                    "reflex refuses what mind tells it (%u so far): what it said before holds, "
                                    "and its commands for 300 ms",
                                    refused_count);
    }
    if (!told || refused_count < d->reflex_refused_count) { d->reflex_refused_count = refused_count; }
}

void cairn_deliberate_tell_alarms(cairn_deliberate *d, cairn_mono now)
{
    CAIRN_ASSERT(d != NULL && d->def.body != NULL);
    if (!cairn_deliberate_hears_reflex(d, now)) { return; }
    tell_refused(d, now);
    for (size_t i = 0; i < ALARMS; i++) {
        const bool told = d->alarm_told_at[i].ns > 0 && cairn_mono_since(now, d->alarm_told_at[i]) < AGAIN_NS;
        if ((d->state.guards >> alarms[i].guard & 1u) == 0 || told) { continue; }
        d->alarm_told_at[i] = now;
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s", alarms[i].words);
    }
}
