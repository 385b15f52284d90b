// Sensors that only mind reads and that fall silent, wheels that slip, and a place that is doubtful: told with the
// guards, and as events.
#include "robot/deliberate/deliberate.h"
#include <math.h>

// Longer than any of them takes between two frames; shorter tells sooner.
#define LASER_SILENT_NS CAIRN_MS(500)
#define THERMAL_SILENT_NS CAIRN_MS(500)
#define IMAGER_SILENT_NS CAIRN_S(1)
#define BATTERY_SILENT_NS CAIRN_S(5)
#define START_NS CAIRN_S(3)      // until then what has never spoken need not have
#define SLIP_SHOWN_NS CAIRN_S(2) // telemetry tells of a slip for so long: it comes twice a second
#define UNFIT_NS CAIRN_MS(300)   // a scan comes every tenth of a second
#define SLIP_TOLD_NS CAIRN_S(60) // and events tell it again after so long only

typedef struct sense {
    cairn_lack lack;
    cairn_cell *cell; // NULL: not offered; each frame begins with the time it was taken
    int64_t silent_ns;
    const char *words;
} sense;

// What a mind before this one heard still lies in the cell: then there is nothing to wait for.
static bool is_silent(const sense *of, cairn_mono listened_from, cairn_mono now)
{
    const cairn_mono *taken = cairn_cell_latest(of->cell, NULL);
    if (taken == NULL) { return cairn_mono_since(now, listened_from) >= START_NS; }
    return cairn_mono_since(now, *taken) > of->silent_ns;
}

static void tell(cairn_deliberate *d, const sense *of, bool silent, cairn_mono now)
{
    if (silent) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s", of->words);
    } else {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "the %s is heard again", cairn_guard_name(of->lack));
    }
}

// Once, and in every telemetry: it stays so.
static void notice_no_eyes(cairn_deliberate *d, cairn_mono now)
{
    const cairn_body_description *description = d->def.body->description;
    if (cairn_body_sees_ground(description) || (d->lacks & 1u << CAIRN_LACK_GROUND) != 0) { return; }
    d->lacks |= 1u << CAIRN_LACK_GROUND;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s",
                                description->limits.accept_unseen_ground
                                    ? "nothing on it sees the ground: it may fall (its file accepts that)"
                                    : "nothing on it sees the ground: it does not drive (limits.accept_unseen_ground)");
}

// A laser that says what cannot be is as good as silent.
static const char *laser_words(const cairn_deliberate *d)
{
    if (d->laser_doubt.frozen) { return "the laser repeats itself, as if frozen: nothing moves by itself"; }
    if (d->laser_doubt.leapt) { return "all that the laser sees has leapt at once: nothing moves by itself"; }
    if (d->laser_doubt.empty) { return "the laser sees nothing anywhere, all at once: nothing moves by itself"; }
    return "the laser is silent: nothing moves by itself";
}

static const char *imager_words(const cairn_deliberate *d)
{
    if (d->image_doubt.frozen) { return "the range imager repeats itself: it stops where it has not seen the ground"; }
    if (d->image_doubt.empty) { return "the range imager sees nothing: it stops where it has not seen the ground"; }
    return "the range imager is silent: it stops where it has not seen the ground";
}

// A sensor that says what cannot be is as good as silent.
static bool is_doubted(const cairn_deliberate *d, cairn_lack lack)
{
    return (lack == CAIRN_LACK_LASER && (d->laser_doubt.frozen || d->laser_doubt.empty || d->laser_doubt.leapt)) ||
           (lack == CAIRN_LACK_GROUND && (d->image_doubt.frozen || d->image_doubt.empty));
}

void cairn_deliberate_notice_lacks(cairn_deliberate *d, cairn_mono now)
{
    const cairn_body *body = d->def.body;
    const sense senses[] = {
        {CAIRN_LACK_LASER, body->scan_deliberate, LASER_SILENT_NS, laser_words(d)},
        {CAIRN_LACK_THERMAL, body->thermal_mind, THERMAL_SILENT_NS,
         "the thermal camera is silent: nothing counts as looked at"},
        {CAIRN_LACK_GROUND, body->range_image_mind, IMAGER_SILENT_NS, imager_words(d)},
        {CAIRN_LACK_BATTERY, body->battery_mind, BATTERY_SILENT_NS, "the battery's gauge is silent"},
    };
    if (!d->listened) {
        d->listened = true;
        d->listened_from = now;
    }
    if (cairn_mono_since(now, d->listened_from) >= START_NS) { notice_no_eyes(d, now); }
    for (size_t i = 0; i < sizeof senses / sizeof senses[0]; i++) {
        const bool blind_body = senses[i].lack == CAIRN_LACK_GROUND && !d->footing.sees_ground;
        if (senses[i].cell == NULL || blind_body) { continue; }
        const uint32_t bit = 1u << senses[i].lack;
        const bool silent = is_doubted(d, senses[i].lack) || is_silent(&senses[i], d->listened_from, now);
        if (silent == ((d->lacks & bit) != 0)) { continue; }
        d->lacks ^= bit;
        tell(d, &senses[i], silent, now);
    }
}

void cairn_deliberate_notice_slip(cairn_deliberate *d, cairn_mono now)
{
    if (!d->tracker.slip.slips) { return; }
    const bool told = d->slip_told_at.ns > 0 && cairn_mono_since(now, d->slip_told_at) < SLIP_TOLD_NS;
    d->slipped_at = now;
    if (told) { return; }
    d->slip_told_at = now;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "wheels slip: it goes by its laser");
}

static cairn_health_evidence gather(const cairn_deliberate *d, cairn_mono now)
{
    const cairn_tracker *tracker = &d->tracker;
    const bool matched = tracker->matched_count > 0;
    const bool felt = d->state.step_count > 0 && cairn_deliberate_hears_reflex(d, now);
    return (cairn_health_evidence){
        .tilt_rad = felt ? cairn_health_tilt_rad(d->state.roll_rad, d->state.pitch_rad) : NAN,
        .tilt_rad_max = d->def.body->description->limits.tilt_rad_max,
        .carried = d->carried,
        .slips = tracker->slip.slips,
        .contradicted = matched && cairn_mono_since(now, tracker->believed_at) > UNFIT_NS,
        .weakness = matched ? tracker->match.weakness : 0,
        .blind = (d->lacks & 1u << CAIRN_LACK_LASER) != 0,
        .restarted = d->apart && d->restarted,
        .apart = d->apart,
    };
}

static void tell_health(cairn_deliberate *d, cairn_mono now)
{
    const char *why = cairn_health_reason_name((unsigned)d->health.reason);
    switch (d->health_told) {
    case CAIRN_HEALTH_GOOD:
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "%s",
                                    d->stretch == d->stretch_told ? "knows its place again"
                                                                  : "goes on with a new map of its own");
        d->stretch_told = d->stretch;
        break;
    case CAIRN_HEALTH_DEGRADED:
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                    "is not sure of its place, by %.1f m: it stands for ten seconds, and tells no map "
                                    "until it knows it again (%s)",
                                    cairn_hold_deviation_m(&d->tracker.hold), why);
        break;
    case CAIRN_HEALTH_LOST:
        cairn_deliberate_send_event(d, now, CAIRN_LOG_ERROR,
                                    "is lost (%s): its trail is cut, and goes on where it finds its place again", why);
        break;
    case CAIRN_HEALTH_COUNT: break;
    }
}

void cairn_deliberate_notice_doubt(cairn_deliberate *d, cairn_mono now)
{
    const cairn_health_evidence evidence = gather(d, now);
    cairn_health_step(&d->health, &d->tracker.hold, &evidence, now);
    if (d->health.off_feet) { cairn_tracker_stay(&d->tracker, &d->state); }
    const uint32_t bit = 1u << CAIRN_LACK_PLACE;
    d->lacks = d->health.health == CAIRN_HEALTH_GOOD ? d->lacks & ~bit : d->lacks | bit;
    // Of a silent laser, and of a lean, others tell.
    const bool known = d->health.health == CAIRN_HEALTH_DEGRADED && !d->tracker.hold.doubtful;
    const cairn_health to_tell = known ? CAIRN_HEALTH_GOOD : d->health.health;
    if (to_tell == d->health_told) { return; }
    d->health_told = to_tell;
    tell_health(d, now);
}

uint32_t cairn_deliberate_slip_bit(const cairn_deliberate *d, cairn_mono now)
{
    const bool lately = d->slipped_at.ns > 0 && cairn_mono_since(now, d->slipped_at) < SLIP_SHOWN_NS;
    return lately ? 1u << CAIRN_LACK_GRIP : 0;
}
