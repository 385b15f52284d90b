// What has become of the robot: asked at each step of the post, told when it changes, and with telemetry.
#include "robot/deliberate/deliberate.h"
#include <math.h>

#define SEEN_NS_MAX CAIRN_MS(400) // an older match tells nothing of now

static cairn_condition_input input_of(const cairn_deliberate *d, cairn_mono now)
{
    const cairn_reflex_state *state = &d->state;
    const cairn_seen_motion *seen = &d->tracker.motion;
    const bool fresh = seen->at.ns > 0 && cairn_mono_since(now, seen->at) <= SEEN_NS_MAX;
    const uint32_t eyes = 1u << CAIRN_LACK_LASER | 1u << CAIRN_LACK_GROUND;
    return (cairn_condition_input){
        .tilt_rad = acos(cos(state->roll_rad) * cos(state->pitch_rad)),
        .tilt_rad_max = d->def.body->description->limits.tilt_rad_max,
        .told_mps = state->told_mps,
        .told_radps = state->told_radps,
        .wheels_mps = state->forward_mps,
        .turn_radps = state->turn_radps,
        .seen_mps = fresh ? seen->forward_mps : NAN,
        .spin_s = fresh ? d->tracker.slip.spin_s : 0.0,
        .bump_front = state->bump_front,
        .bump_rear = state->bump_rear,
        .bump_left = state->bump_left,
        .bump_right = state->bump_right,
        .blind = (d->lacks & eyes) != 0,
    };
}

static void tell(cairn_deliberate *d, cairn_condition is, cairn_mono now)
{
    const char *advice = cairn_condition_advice(is);
    if (is == CAIRN_CONDITION_WELL) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "is well again");
    } else {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN, "%s: %s", cairn_condition_name(is),
                                    advice != NULL ? advice : "");
    }
}

void cairn_deliberate_notice_condition(cairn_deliberate *d, cairn_mono now)
{
    if (!cairn_deliberate_hears_reflex(d, now) || d->state.step_count == 0) { return; }
    const cairn_condition before = d->condition.said;
    const cairn_condition_input input = input_of(d, now);
    const cairn_condition is = cairn_condition_step(&d->condition, &input, now);
    if (is != before) { tell(d, is, now); }
}

bool cairn_deliberate_heed_condition(const cairn_deliberate *d)
{
    return d->condition.said != CAIRN_CONDITION_FALLEN && d->condition.said != CAIRN_CONDITION_LIFTED;
}
