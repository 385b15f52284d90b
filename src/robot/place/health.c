#include "robot/place/health.h"
#include <math.h>

#define BARE 0.97 // [-] weakness of a match to bare walls, as the tracker has it
// So long it doubts its place after a lean or a silent laser: telemetry, twice a second, tells it at least once.
#define BESIDE_NS CAIRN_S(1)

double cairn_health_tilt_rad(double roll_rad, double pitch_rad)
{
    if (isnan(roll_rad) || isnan(pitch_rad)) { return NAN; }
    return acos(fmin(fmax(cos(roll_rad) * cos(pitch_rad), -1), 1));
}

// NaN compares false: a body that feels no gravity is never found fallen.
static bool is_off_feet(const cairn_health_evidence *evidence)
{
    return evidence->carried || evidence->tilt_rad > CAIRN_FALLEN_RAD;
}

static bool is_tilted(const cairn_health_evidence *evidence) { return evidence->tilt_rad > evidence->tilt_rad_max; }

static cairn_health judge(const cairn_place_health *health, const cairn_hold *hold,
                          const cairn_health_evidence *evidence, cairn_mono now)
{
    const bool was_lost = health->health == CAIRN_HEALTH_LOST && hold->doubtful;
    const bool far = cairn_hold_deviation_m(hold) > CAIRN_LOST_M;
    if (health->off_feet || was_lost || far || evidence->restarted || evidence->apart) { return CAIRN_HEALTH_LOST; }
    const bool beside = health->beside_at.ns > 0 && cairn_mono_since(now, health->beside_at) < BESIDE_NS;
    return hold->doubtful || beside ? CAIRN_HEALTH_DEGRADED : CAIRN_HEALTH_GOOD;
}

// What a person would want to hear first.
static cairn_health_reason explain(const cairn_hold *hold, const cairn_health_evidence *evidence)
{
    if (evidence->carried) { return CAIRN_HEALTH_CARRIED; }
    if (is_off_feet(evidence) || is_tilted(evidence)) { return CAIRN_HEALTH_TILT; }
    if (evidence->restarted) { return CAIRN_HEALTH_RESTARTED; }
    if (evidence->blind) { return CAIRN_HEALTH_BLIND; }
    if (evidence->slips) { return CAIRN_HEALTH_SLIP; }
    if (evidence->contradicted) { return CAIRN_HEALTH_FEW_MATCHES; }
    if (hold->loose_m > hold->astray_m && evidence->weakness >= BARE) { return CAIRN_HEALTH_NO_STRUCTURE; }
    return CAIRN_HEALTH_DISAGREE;
}

void cairn_health_step(cairn_place_health *health, cairn_hold *hold, const cairn_health_evidence *evidence,
                       cairn_mono now)
{
    CAIRN_ASSERT(evidence->tilt_rad_max > 0);
    if (!is_off_feet(evidence)) { health->on_feet_at = now; }
    health->off_feet = cairn_mono_since(now, health->on_feet_at) >= CAIRN_OFF_FEET_NS;
    if (health->off_feet) { cairn_hold_lose(hold, CAIRN_LOST_M); }
    if (evidence->blind || is_tilted(evidence)) { health->beside_at = now; }
    const cairn_health before = health->health;
    health->health = judge(health, hold, evidence, now);
    if (health->health == CAIRN_HEALTH_GOOD) {
        health->reason = CAIRN_HEALTH_FINE;
    } else if (evidence->apart && !evidence->restarted && health->reason != CAIRN_HEALTH_FINE) {
        // what it was lost by before its trail was cut
    } else if (health->health > before || health->reason == CAIRN_HEALTH_FINE) {
        health->reason = explain(hold, evidence); // and stays: why it is so, not what is so now
    }
    CAIRN_ASSERT((health->health == CAIRN_HEALTH_GOOD) == (health->reason == CAIRN_HEALTH_FINE));
}
