// A battery that ends. Low: it is told, and a robot that searches by itself comes home along its own trail while it
// still can; the station gives it nothing more to do. Critical: it stands where it is, so that radio and sensors last.
// A person who orders something after that has the last word: the robot then goes on, and its row still shows the
// charge.
#include "robot/deliberate/deliberate.h"
#include <math.h>

// [-] A gauge that trembles does not make it change its mind; one that was charged does.
#define BACK 0.05

double cairn_deliberate_charge(const cairn_deliberate *d)
{
    const bool known = d->def.body->battery_mind != NULL && isfinite(d->battery.charge) && d->battery.taken.ns > 0 &&
                       (d->lacks & 1u << CAIRN_LACK_BATTERY) == 0;
    return known ? fmin(fmax((double)d->battery.charge, 0.0), 1.0) : NAN;
}

static bool moves_by_itself(cairn_mode mode) { return mode == CAIRN_MODE_AUTONOMOUS || mode == CAIRN_MODE_WAYPOINT; }

static void begin(cairn_deliberate *d, cairn_battery_level level, const char *what, cairn_mono now)
{
    CAIRN_ASSERT(level != CAIRN_BATTERY_GOOD && level != d->battery_level);
    d->battery_level = level;
    d->lacks |= 1u << CAIRN_LACK_LOW;
    d->battery_order = d->orders.order;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "the battery is at %.0f %%: %s",
                                100.0 * cairn_deliberate_charge(d), what);
}

// Found out once for each level; not known is no reason to change anything.
static void judge(cairn_deliberate *d, cairn_mono now)
{
    CAIRN_ASSERT(d->def.body->description->battery.critical <= d->def.body->description->battery.low);
    const cairn_battery_description *of = &d->def.body->description->battery;
    const double charge = cairn_deliberate_charge(d);
    if (d->battery_level < CAIRN_BATTERY_CRITICAL && charge < of->critical) {
        begin(d, CAIRN_BATTERY_CRITICAL, "it stands until somebody orders otherwise", now);
    } else if (d->battery_level < CAIRN_BATTERY_LOW && charge < of->low) {
        begin(d, CAIRN_BATTERY_LOW, "who searches by itself comes home", now);
    } else if (d->battery_level != CAIRN_BATTERY_GOOD && charge > of->low + BACK) {
        d->battery_level = CAIRN_BATTERY_GOOD;
        d->lacks &= ~(1u << CAIRN_LACK_LOW);
    }
}

// The operator has seen it, and decides.
static void heed_orders(cairn_deliberate *d, cairn_mono now)
{
    if ((d->lacks & 1u << CAIRN_LACK_LOW) == 0 || d->orders.order == d->battery_order) { return; }
    d->lacks &= ~(1u << CAIRN_LACK_LOW);
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "does as it is ordered, with %.0f %% of its battery",
                                100.0 * cairn_deliberate_charge(d));
}

bool cairn_deliberate_heed_battery(cairn_deliberate *d, cairn_mono now)
{
    CAIRN_ASSERT(d != NULL && d->def.body != NULL);
    judge(d, now);
    heed_orders(d, now);
    if ((d->lacks & 1u << CAIRN_LACK_LOW) == 0) { return true; }
    if (d->battery_level == CAIRN_BATTERY_CRITICAL) { return !moves_by_itself(d->orders.mode); }
    const bool searches = d->orders.mode == CAIRN_MODE_AUTONOMOUS && d->navigator.task.id != 0;
    if (searches && d->navigator.task.purpose != CAIRN_PURPOSE_HOME) {
        // It keeps the number, as in retreat.c: what the station gives out later is greater.
        const cairn_robot_task home = {.id = d->navigator.task.id, .purpose = CAIRN_PURPOSE_HOME};
        cairn_navigator_give(&d->navigator, &home);
    }
    return true;
}
