// What has become of the robot: asked at each step of the post, told when it changes, and with telemetry.
#include "robot/deliberate/deliberate.h"
#include <math.h>

#define SEEN_NS_MAX CAIRN_MS(400) // an older match tells nothing of now

static cairn_condition_input input_of(const cairn_deliberate *d, cairn_mono now)
{
    const cairn_reflex_state *state = &d->state;
    const cairn_seen_motion *seen = &d->tracker.motion;
    const bool fresh = seen->at.ns > 0 && cairn_mono_since(now, seen->at) <= SEEN_NS_MAX;
    const cairn_body_description *body = d->def.body->description;
    // Who has no eyes for the ground lacks them for good, and is not blind.
    const uint32_t eyes = 1u << CAIRN_LACK_LASER | (cairn_body_sees_ground(body) ? 1u << CAIRN_LACK_GROUND : 0u);
    return (cairn_condition_input){
        .tilt_rad = acos(cos(state->roll_rad) * cos(state->pitch_rad)),
        .tilt_rad_max = body->limits.tilt_rad_max,
        .roll_rad = state->roll_rad,
        .pitch_rad = state->pitch_rad,
        .half_track_m = 0.5 * body->wheels.track_m,
        .told_mps = state->told_mps,
        .told_radps = state->told_radps,
        .wheels_mps = state->forward_mps,
        .turn_radps = state->turn_radps,
        .rises_mps = state->rises_mps,
        .seen_mps = fresh ? seen->forward_mps : NAN,
        .seen_side_mps = fresh ? d->tracker.seen_side_mps : NAN,
        .spin_s = fresh ? d->tracker.slip.spin_s : 0.0,
        .uncounted = d->tracker.uncounted,
        .spin_stopped = (state->guards >> CAIRN_GUARD_SPIN & 1u) != 0,
        .bump_front = state->bump_front,
        .bump_rear = state->bump_rear,
        .bump_left = state->bump_left,
        .bump_right = state->bump_right,
        .blind = (d->lacks & eyes) != 0,
    };
}

static void tell_condition(cairn_deliberate *d, cairn_condition is, cairn_mono now)
{
    const char *advice = cairn_condition_advice(is);
    if (is == CAIRN_CONDITION_WELL) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "is well again");
    } else {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s: %s", cairn_condition_name(is),
                                    advice != NULL ? advice : "");
    }
}

static void tell_help(cairn_deliberate *d, cairn_mono now)
{
    const cairn_escape_state *escape = &d->navigator.escape;
    const char *advice = cairn_condition_advice(escape->trouble);
    cairn_deliberate_send_event(d, now, CAIRN_LOG_ERROR, "needs help, after %u tries: %s: %s", escape->tries_count,
                                cairn_condition_name(escape->trouble), advice != NULL ? advice : "");
}

// What it says changes at once, not with the next telemetry.
static void tell(cairn_deliberate *d, cairn_condition said_before, cairn_escape escape_before, cairn_mono now)
{
    const cairn_condition said = cairn_escape_tells(&d->navigator.escape, d->condition.said);
    const cairn_escape escape = cairn_escape_told(&d->navigator.escape);
    if (said != said_before) { tell_condition(d, said, now); }
    if (escape == CAIRN_ESCAPE_NEEDS_HELP && escape_before != escape) { tell_help(d, now); }
    if (escape_before == CAIRN_ESCAPE_NEEDS_HELP && escape != escape_before) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "needs no help any longer: takes orders and tasks again");
    }
    if (said != said_before || escape != escape_before) { cairn_deliberate_send_telemetry(d, now); }
}

static bool goes_by_itself(const cairn_deliberate *d)
{
    return d->orders.mode == CAIRN_MODE_WAYPOINT || d->orders.mode == CAIRN_MODE_AUTONOMOUS;
}

void cairn_deliberate_notice_condition(cairn_deliberate *d, cairn_mono now)
{
    if (!cairn_deliberate_hears_reflex(d, now) || d->state.step_count == 0) { return; }
    cairn_navigator *navigator = &d->navigator;
    const cairn_condition_input input = input_of(d, now);
    navigator->condition = cairn_condition_step(&d->condition, &input, now);
    navigator->by_hand = !goes_by_itself(d);
    navigator->lost = d->health.health == CAIRN_HEALTH_LOST;
    navigator->order = d->orders.order;
    d->carried = d->condition.said == CAIRN_CONDITION_LIFTED;
    if (d->carried) {
        const cairn_in_hands in_hands = {.issued = now};
        cairn_cell_write(d->def.behaviour->in_hands, &in_hands, sizeof in_hands);
    }
    if (cairn_navigator_heed_condition(navigator, &d->tracker, &d->state, now)) {
        cairn_cell_write(d->def.behaviour->path, &navigator->path, sizeof navigator->path);
    }
    tell(d, d->condition_told, d->escape_told, now);
    d->condition_told = cairn_escape_tells(&navigator->escape, d->condition.said);
    d->escape_told = cairn_escape_told(&navigator->escape);
}

bool cairn_deliberate_heed_condition(const cairn_deliberate *d)
{
    return d->condition.said != CAIRN_CONDITION_FALLEN && d->condition.said != CAIRN_CONDITION_LIFTED;
}
