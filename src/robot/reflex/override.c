// A word holds for as long as it is young. Held without a break for too long it counts as let go, until nothing was
// heard for a while: a key that hangs guards nothing off for good.
#include "robot/reflex/override.h"

void cairn_override_init(cairn_override_hold *hold, cairn_cell *cell)
{
    *hold = (cairn_override_hold){.free_ns = CAIRN_OVERRIDE_PAUSE_NS};
    if (cell != NULL) { (void)cairn_cell_latest(cell, &hold->version); }
}

void cairn_override_forget(cairn_override_hold *hold)
{
    hold->heard = false;
    hold->guards = 0;
}

static void hear(cairn_override_hold *hold, cairn_cell *cell, cairn_mono now)
{
    uint64_t version = 0;
    const cairn_override *said = cell != NULL ? cairn_cell_latest(cell, &version) : NULL;
    if (said == NULL || version == hold->version) { return; }
    hold->version = version;
    hold->heard = said->issued.ns <= now.ns + CAIRN_CLOCK_SLACK_NS;
    hold->issued = said->issued;
    hold->word = said->guards & CAIRN_GUARDS_OVERRIDABLE;
}

void cairn_override_step(cairn_override_hold *hold, cairn_cell *cell, cairn_mono now, int64_t period_ns)
{
    CAIRN_ASSERT(period_ns > 0);
    hear(hold, cell, now);
    const bool young = hold->heard && hold->issued.ns >= now.ns - CAIRN_OVERRIDE_AGE_NS_MAX;
    const bool held = young && hold->word != 0;
    hold->free_ns = held ? 0 : hold->free_ns < CAIRN_OVERRIDE_PAUSE_NS ? hold->free_ns + period_ns : hold->free_ns;
    hold->held_ns = hold->free_ns >= CAIRN_OVERRIDE_PAUSE_NS ? 0 : hold->held_ns + period_ns;
    hold->guards = held && hold->held_ns <= CAIRN_OVERRIDE_NS_MAX ? hold->word : 0;
}
