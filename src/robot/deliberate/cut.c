// A trail is cut for good where its robot cannot find back to its own map: it begins anew, in a frame of which nobody
// knows where it lies. The station looks for it on the map of all (station/atlas/finder.h).
#include "robot/deliberate/deliberate.h"

// So long it looks for its place on its own map, on its feet, and with a local map that is sharp, before it gives it
// up. Longer: finds back by itself more often; tells no map for longer.
#define LOST_NS CAIRN_S(15)
#define IN_DOUBT_NS CAIRN_S(45) // not lost, but in doubt: by less than its own search reaches
#define CARRIED_NS CAIRN_S(3)   // whoever was carried is anywhere: what its own map has nearby may only look alike
#define STRETCH_MAX 65534u      // on the air

bool cairn_deliberate_is_trail_cut(const cairn_deliberate *d)
{
    return d->health.off_feet || (d->health.health == CAIRN_HEALTH_LOST && d->tracker.hold.doubtful);
}

bool cairn_deliberate_shares_frame(const cairn_deliberate *d)
{
    const cairn_robot_contact *contact = cairn_cell_latest(d->def.boxes.contact, NULL);
    return d->stretch == 0 || (contact != NULL && contact->terrain_node > d->stretch_node);
}

void cairn_deliberate_cut_trail(cairn_deliberate *d, cairn_mono now)
{
    cairn_deliberate_report_people(d); // the station still knows what the old places mean
    cairn_victim_tracks_forget(d->watch.tracks);
    cairn_tracker_begin_anew(&d->tracker);
    cairn_own_map_forget(&d->own_map);
    cairn_footing_begin_anew(&d->footing); // or nodes tell the old ground at the new place
    cairn_navigator_begin_anew(&d->navigator, now);
    d->node_hangs_on = false;
    d->node_ready = false;
    d->stretch += d->stretch < STRETCH_MAX;
    d->stretch_node = d->node_count;
    d->seeks_from = (cairn_mono){0};
    d->apart = true;
    CAIRN_ASSERT(!d->tracker.hold.doubtful);
}

static int64_t patience_ns(const cairn_deliberate *d)
{
    if (d->health.reason == CAIRN_HEALTH_CARRIED) { return CARRIED_NS; }
    return d->health.health == CAIRN_HEALTH_LOST ? LOST_NS : IN_DOUBT_NS;
}

void cairn_deliberate_seek_place(cairn_deliberate *d, cairn_mono now)
{
    const cairn_tracker *tracker = &d->tracker;
    if (d->apart && cairn_deliberate_shares_frame(d)) { d->apart = false; }
    const bool seeks = tracker->hold.doubtful && !d->health.off_feet;
    const bool carried = seeks && d->health.reason == CAIRN_HEALTH_CARRIED;
    d->tracker.own_map = carried ? NULL : &d->own_map;
    if (!seeks) { d->seeks_from = (cairn_mono){0}; }
    if (seeks && d->seeks_from.ns == 0) { d->seeks_from = now; }
    // Where it sees nothing that holds a place, a new trail would be as loose as the old one.
    const bool sound = cairn_hold_is_sharp(&tracker->hold) && cairn_mono_since(tracker->believed_at, now) == 0;
    if (!seeks || !sound || cairn_mono_since(now, d->seeks_from) < patience_ns(d)) { return; }
    cairn_deliberate_cut_trail(d, now);
    cairn_deliberate_keep(d, now);
    cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                "does not find its place on its own map: it begins a new one, and waits until the "
                                "station finds where that lies");
}
