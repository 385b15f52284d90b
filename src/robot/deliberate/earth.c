// Magnetometer and barometer, of bodies that have them: heard between scans, heeded before each.
#include "robot/deliberate/deliberate.h"
#include <math.h>

#define TURN_NS_MAX CAIRN_S(1) // a longer time between two scans is not made up for

void cairn_deliberate_feel_earth(cairn_deliberate *d, cairn_mono now)
{
    const cairn_body *body = d->def.body;
    if (body->barometer_mind != NULL && cairn_deliberate_hears_reflex(d, now)) {
        const double forward_mps = d->tracker.slip.slips ? NAN : d->state.forward_mps; // wheels that spin climb nothing
        cairn_storey_climb(&d->storey, forward_mps, d->state.pitch_rad, d->state.at);
        const cairn_barometer_frame *frame = cairn_cell_latest(body->barometer_mind, NULL);
        if (frame != NULL && frame->taken.ns <= now.ns) { cairn_storey_hear(&d->storey, frame); }
    }
    if (body->magnetometer_mind == NULL || !d->tracker.started) { return; }
    const cairn_magnetometer_frame *frame = cairn_cell_latest(body->magnetometer_mind, NULL);
    if (frame == NULL || frame->taken.ns > now.ns || !cairn_deliberate_hears_reflex(d, now)) { return; }
    const cairn_pose2 then = cairn_pose2_compose(d->tracker.private_T_odom, cairn_odom_at(&d->state, frame->taken));
    const cairn_compass_robot robot = {d->state.roll_rad, d->state.pitch_rad, then.yaw_rad};
    cairn_compass_hear(&d->compass, frame, &robot);
}

void cairn_deliberate_heed_compass(cairn_deliberate *d, cairn_mono now)
{
    if (d->def.body->magnetometer_mind == NULL) { return; }
    const int64_t since_ns = cairn_mono_since(now, d->turned_at);
    const bool goes_on = d->turned_at.ns > 0 && since_ns < TURN_NS_MAX;
    d->turned_at = now;
    const double turn_rad = goes_on ? cairn_compass_turn_rad(&d->compass, cairn_seconds(since_ns), now) : 0;
    if (turn_rad != 0) { cairn_tracker_turn(&d->tracker, &d->state, turn_rad); }
}
