#include "robot/condition/condition.h"
#include "base/status.h"
#include <math.h>

#define FALLEN_RAD 1.0472      // 60 degrees
#define LEANS_NS CAIRN_MS(300) // a jolt is shorter
#define HELD_NS CAIRN_S(1)
#define SLIDES_NS CAIRN_S(1)
#define SPINS_S 0.8   // of the second that the predicate asks for: the first scans are judged late
#define TOLD_MPS 0.05 // slower is creeping: its predicate is not true within a second
#define TOLD_RADPS 0.15
#define PART 0.2 // [-] of what it is told that counts as moving
#define SLIDE_MPS 0.08
#define STAND_MPS 0.02
#define STEP_NS_MAX CAIRN_MS(100) // after a longer silence nobody knows what was in between

void cairn_condition_init(cairn_condition_state *state) { *state = (cairn_condition_state){0}; }

static int64_t grown(int64_t before_ns, bool so, int64_t step_ns) { return so ? before_ns + step_ns : 0; }

static bool is_held(const cairn_condition_input *in)
{
    const bool goes = fabs(in->told_mps) > TOLD_MPS, turns = fabs(in->told_radps) > TOLD_RADPS;
    if (!goes && !turns) { return false; }
    const bool not_gone = !goes || fabs(in->wheels_mps) < PART * fabs(in->told_mps);
    const bool not_turned = !turns || fabs(in->turn_radps) < PART * fabs(in->told_radps);
    return not_gone && not_turned; // NaN: moves
}

static bool slides(const cairn_condition_input *in)
{
    const bool stands = fabs(in->wheels_mps) < STAND_MPS && fabs(in->told_radps) < TOLD_RADPS;
    const bool other_way = in->wheels_mps * in->seen_mps < -STAND_MPS * SLIDE_MPS;
    return fabs(in->seen_mps) > SLIDE_MPS && (stands || other_way);
}

static cairn_condition first_of(const cairn_condition_state *state, const cairn_condition_input *in)
{
    if (state->tilted_ns >= LEANS_NS) {
        return in->tilt_rad > FALLEN_RAD ? CAIRN_CONDITION_FALLEN : CAIRN_CONDITION_TILTED;
    }
    if (state->slides_ns >= SLIDES_NS) { return CAIRN_CONDITION_SLIDING; }
    if (state->held_ns >= HELD_NS) {
        const bool both = (in->bump_front && in->bump_rear) || (in->bump_left && in->bump_right);
        return both ? CAIRN_CONDITION_WEDGED : CAIRN_CONDITION_BLOCKED;
    }
    if (in->spin_s >= SPINS_S) { return CAIRN_CONDITION_SPINNING; }
    return in->blind ? CAIRN_CONDITION_BLIND : CAIRN_CONDITION_WELL;
}

cairn_condition cairn_condition_step(cairn_condition_state *state, const cairn_condition_input *in, cairn_mono now)
{
    CAIRN_ASSERT(!state->begun || cairn_mono_since(now, state->at) >= 0);
    CAIRN_ASSERT(in->tilt_rad_max > 0);
    const int64_t since_ns = state->begun ? cairn_mono_since(now, state->at) : 0;
    const int64_t step_ns = since_ns <= STEP_NS_MAX ? since_ns : 0;
    state->begun = true;
    state->at = now;
    state->tilted_ns = grown(state->tilted_ns, in->tilt_rad > in->tilt_rad_max, step_ns);
    state->held_ns = grown(state->held_ns, is_held(in), step_ns);
    state->slides_ns = grown(state->slides_ns, slides(in), step_ns);
    const cairn_condition is = first_of(state, in);
    const bool ended = is == CAIRN_CONDITION_WELL && cairn_mono_since(now, state->so_at) < CAIRN_CONDITION_END_NS;
    if (!ended) { state->said = is; }
    if (is != CAIRN_CONDITION_WELL) { state->so_at = now; }
    return state->said;
}
