#include "robot/condition/condition.h"
#include "base/status.h"
#include <math.h>

#define FALLEN_RAD 1.0472      // 60 degrees
#define LEANS_NS CAIRN_MS(300) // a jolt is shorter
#define WINDOW_NS CAIRN_MS(992)
#define WINDOW_NS_MIN CAIRN_MS(900)
#define STEP_NS_MAX CAIRN_MS(600) // after a longer silence nobody knows what was in between
#define SAMPLE_NS CAIRN_MS(14)
// What it is told within the window. A tenth below what the predicates ask for: it is measured.
#define TOLD_M 0.09
#define TOLD_RAD 0.18
#define WAY_M 0.09
// [-] Of what it is told, or its wheels went, that counts as moving. Just below that of the predicates: robots that
// turn badly where they stand are not stuck.
#define PART 0.18
// Of one whose wheels nobody counts: its loops make it go as it is told, unless they spin or are held. The parts leave
// room for what a match is off by, and for a turn that begins.
#define LAGS_M 0.05 // told
#define LAGS_RAD 0.15
#define LAGS_TURN_PART 0.6 // [-] of what it is told
#define VAIN_RAD 0.4
#define SEEN_PART 0.35 // [-] the same by scans, which are off by a centimetre or two
#define SPINS_S 0.8
// So long after the second in which it was true. Scans tell of the way a little later than wheels do, and a robot that
// turns where it stands hangs for a moment now and then: longer tells the stuck from those, and must be said in time.
#define STUCK_NS CAIRN_MS(900)
#define SWAYS_NS CAIRN_MS(250)
#define UNKNOWN_S_MAX 0.25 // of the window
#define SLIDE_M 0.09
#define STAND_M 0.02 // of the wheels: they stand
#define STAND_RAD 0.1
#define MOVES_M 0.05
// How a robot sways in somebody's hands. Smaller: finds gentler hands, and takes a shaken floor for them.
#define SWAY_RAD 0.06       // its lean, within the window
#define SWAY_PART_RAD 0.035 // in each half of it: ground that gives way does so once
#define SWAY_BACK_RAD 0.012 // of it to and fro: who tips over leans one way only
#define SWAY_FAR_RAD 0.08   // of one whose wheels turn
#define SWAY_TURN_RAD 0.06
#define SWAY_END_RAD 0.012 // less: it was set down
// [m/s], [-], [s] It rises faster than its way, counted, takes it up a slope, and for longer than a blow: it is lifted.
// Smaller: finds gentler hands, and takes a ride up a step for them.
#define RISE_MPS 0.15
#define RISE_WAY_PART 0.35
#define RISES_NS CAIRN_MS(350)
#define RISEN_NS CAIRN_MS(2500) // so long it is lifted at least: by then it sways
#define SET_DOWN_NS CAIRN_S(3)  // after it was last said to be lifted
#define BELLY_RAD 0.045         // it leans otherwise than it did
#define SLOPE_RAD 0.26          // steeper, and wheels spin without a belly

void cairn_condition_init(cairn_condition_state *state) { *state = (cairn_condition_state){0}; }

// ---- the last second

typedef struct window {
    double told_m, told_rad; // to and fro taken together
    bool stood;
    double wheels_m, turned_rad;
    double seen_m, seen_side_m;           // NaN: scans did not tell
    double lean_rad;                      // how far the lean went, in all
    double lean_back_rad;                 // what of it was to and fro
    double lean_half_rad;                 // and in that half of the time in which it went less far
    double roll_then_rad, pitch_then_rad; // at its beginning
} window;

static const cairn_condition_sample *sample_back(const cairn_condition_state *state, uint32_t ago)
{
    CAIRN_ASSERT(ago < state->count);
    return &state->samples[(state->next + CAIRN_CONDITION_SAMPLES - 1 - ago) % CAIRN_CONDITION_SAMPLES];
}

typedef struct extent {
    double roll_min, roll_max, pitch_min, pitch_max;
} extent;

static void widen(extent *is, const cairn_condition_sample *by)
{
    is->roll_min = fmin(is->roll_min, by->roll_rad);
    is->roll_max = fmax(is->roll_max, by->roll_rad);
    is->pitch_min = fmin(is->pitch_min, by->pitch_rad);
    is->pitch_max = fmax(is->pitch_max, by->pitch_rad);
}

static double size_rad(const extent *is) { return fmax(is->roll_max - is->roll_min, is->pitch_max - is->pitch_min); }

static bool stands(double told_m, double told_rad, double wheels_m)
{
    return fabs(told_m) < STAND_M && fabs(told_rad) < STAND_RAD && !(fabs(wheels_m) >= STAND_M);
}

// False while less than a second is known.
static bool look_back(const cairn_condition_state *state, window *ret_window)
{
    const extent none = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    extent halves[2] = {none, none}, all = none;
    const cairn_condition_sample *now = sample_back(state, 0), *then = now;
    for (uint32_t ago = 0; ago < state->count; ago++) {
        const cairn_condition_sample *it = sample_back(state, ago);
        const int64_t age_ns = cairn_mono_since(now->at, it->at);
        if (age_ns > WINDOW_NS) { break; }
        widen(&halves[age_ns > WINDOW_NS / 2], it);
        widen(&all, it);
        then = it;
    }
    if (cairn_mono_since(now->at, then->at) < WINDOW_NS_MIN) { return false; }
    const bool counted = now->wheels_unknown_s - then->wheels_unknown_s <= UNKNOWN_S_MAX;
    const bool seen = now->unseen_s - then->unseen_s <= UNKNOWN_S_MAX;
    *ret_window = (window){
        .told_m = fabs(now->told_m - then->told_m),
        .told_rad = fabs(now->told_rad - then->told_rad),
        .stood = stands(now->told_m - then->told_m, now->told_rad - then->told_rad,
                        counted ? now->wheels_m - then->wheels_m : NAN),
        .wheels_m = counted ? now->wheels_m - then->wheels_m : NAN,
        .turned_rad = fabs(now->turned_rad - then->turned_rad),
        .seen_m = seen ? now->seen_m - then->seen_m : NAN,
        .seen_side_m = seen ? now->seen_side_m - then->seen_side_m : NAN,
        .lean_rad = size_rad(&all),
        .lean_back_rad = fmax(all.roll_max - all.roll_min - fabs(now->roll_rad - then->roll_rad),
                              all.pitch_max - all.pitch_min - fabs(now->pitch_rad - then->pitch_rad)),
        .roll_then_rad = then->roll_rad,
        .pitch_then_rad = then->pitch_rad,
        .lean_half_rad = fmin(size_rad(&halves[0]), size_rad(&halves[1])),
    };
    return true;
}

static void add(double *sum, double rate, double step_s, double *unknown_s)
{
    if (isfinite(rate)) {
        *sum += rate * step_s;
    } else if (unknown_s != NULL) {
        *unknown_s += step_s;
    }
}

static void take(cairn_condition_state *state, const cairn_condition_input *in, double step_s, cairn_mono now)
{
    cairn_condition_sample *sum = &state->sum;
    add(&sum->told_m, in->told_mps, step_s, NULL);
    add(&sum->told_rad, in->told_radps, step_s, NULL);
    add(&sum->wheels_m, in->wheels_mps, step_s, &sum->wheels_unknown_s);
    add(&sum->turned_rad, in->turn_radps, step_s, NULL);
    add(&sum->seen_m, in->seen_mps, step_s, &sum->unseen_s);
    add(&sum->seen_side_m, in->seen_side_mps, step_s, NULL);
    sum->roll_rad = isfinite(in->roll_rad) ? in->roll_rad : 0;
    sum->pitch_rad = isfinite(in->pitch_rad) ? in->pitch_rad : 0;
    sum->at = now;
    if (state->count > 0 && cairn_mono_since(now, sample_back(state, 0)->at) < SAMPLE_NS) { return; }
    state->samples[state->next] = *sum;
    state->next = (state->next + 1) % CAIRN_CONDITION_SAMPLES;
    if (state->count < CAIRN_CONDITION_SAMPLES) { state->count++; }
}

// ---- what it tells

static bool slides(const window *is)
{
    const bool goes = hypot(is->seen_m, is->seen_side_m) > SLIDE_M; // false where scans do not tell
    const bool other_way = fabs(is->seen_m) > SLIDE_M && is->wheels_m * is->seen_m < -STAND_M * SLIDE_M;
    return goes && (is->stood || other_way);
}

// Its wheels go, and it does not.
static bool spins(const window *is, const cairn_condition_input *in)
{
    const double way_m = fabs(is->wheels_m);
    if (!(way_m > WAY_M) || in->half_track_m * is->turned_rad > PART * way_m) { return false; }
    return in->spin_s >= SPINS_S || fabs(is->seen_m) < PART * way_m; // false where nobody knows
}

// It is told to go, and neither it nor its wheels do.
static bool is_held(const window *is, const cairn_condition_input *in)
{
    if (is->told_m < TOLD_M && is->told_rad < TOLD_RAD) { return false; }
    if (isnan(in->turn_radps) || (isnan(is->wheels_m) && isnan(is->seen_m))) { return false; }
    const double way_m = fmax(is->told_m, in->half_track_m * is->told_rad);
    return !(fabs(is->wheels_m) > PART * way_m) && !(fabs(is->seen_m) > SEEN_PART * way_m) &&
           in->half_track_m * is->turned_rad <= PART * way_m;
}

// Nobody counts its wheels, and it neither goes nor turns as it is told: they spin, or are held.
static bool lags(const window *is, const cairn_condition_input *in)
{
    const double gone_m = isnan(is->seen_m) ? is->wheels_m : is->seen_m;
    const bool goes = is->told_m > LAGS_M, turns = is->told_rad > LAGS_RAD;
    if (!in->uncounted || isnan(in->turn_radps) || isnan(gone_m) || (!goes && !turns)) { return false; }
    return !(goes && fabs(gone_m) > SEEN_PART * is->told_m) &&
           !(turns && is->turned_rad > LAGS_TURN_PART * is->told_rad);
}

// It is told to turn where it is, and does not.
static bool turns_in_vain(const window *is)
{
    return is->told_rad > VAIN_RAD && is->turned_rad < PART * is->told_rad && !(fabs(is->seen_m) > MOVES_M);
}

// Somebody has it in his hands: no wheel holds it, and its lean goes to and fro. Rubble rocks a robot, too, whose
// wheels spin on it, but not as far.
static bool sways(const window *is, bool spun)
{
    if (is->lean_back_rad < SWAY_BACK_RAD) { return false; }
    if (spun || turns_in_vain(is)) { return is->lean_rad > SWAY_FAR_RAD && is->lean_half_rad > 0.5 * SWAY_FAR_RAD; }
    if (!is->stood || is->lean_rad < SWAY_RAD) { return false; }
    const bool moves = is->turned_rad > SWAY_TURN_RAD || hypot(is->seen_m, is->seen_side_m) > SLIDE_M;
    return moves || is->lean_half_rad > SWAY_PART_RAD;
}

static bool rises(const cairn_condition_input *in)
{
    const double way_mps = isfinite(in->wheels_mps) ? fabs(in->wheels_mps) : fabs(in->told_mps);
    return in->rises_mps > RISE_MPS + RISE_WAY_PART * way_mps; // false for NaN
}

static bool leans_otherwise(const cairn_condition_state *state, const cairn_condition_input *in)
{
    if (!state->leant_known || in->tilt_rad > SLOPE_RAD) { return false; }
    return hypot(in->roll_rad - state->roll_then_rad, in->pitch_rad - state->pitch_then_rad) > BELLY_RAD;
}

static bool touches_both(const cairn_condition_input *in)
{
    return (in->bump_front && in->bump_rear) || (in->bump_left && in->bump_right);
}

// Remembers how it leant a second ago, if it has gone as its wheels did since then.
static void note_lean(cairn_condition_state *state, const window *is, const cairn_condition_input *in)
{
    const bool goes = fabs(is->wheels_m) > MOVES_M && fabs(is->seen_m) > 0.5 * fabs(is->wheels_m);
    if (!goes || isnan(in->roll_rad) || isnan(in->pitch_rad)) { return; }
    state->leant_known = true;
    state->roll_then_rad = is->roll_then_rad;
    state->pitch_then_rad = is->pitch_then_rad;
}

static cairn_condition stuck_kind(const cairn_condition_state *state, const cairn_condition_input *in, bool spun)
{
    if (touches_both(in)) { return CAIRN_CONDITION_WEDGED; }
    if (!spun) { return CAIRN_CONDITION_BLOCKED; }
    return leans_otherwise(state, in) ? CAIRN_CONDITION_HIGH_CENTRED : CAIRN_CONDITION_SPINNING;
}

static cairn_condition first_of(cairn_condition_state *state, const cairn_condition_input *in, int64_t step_ns)
{
    const bool leans = state->tilted_ns >= LEANS_NS;
    if (leans && in->tilt_rad > FALLEN_RAD) { return CAIRN_CONDITION_FALLEN; }
    window last = {0};
    const bool known = look_back(state, &last);
    const bool was_lifted = state->said == CAIRN_CONDITION_LIFTED;
    const bool spun = known && (in->spin_stopped || spins(&last, in));
    state->sways_ns = known && sways(&last, spun) ? state->sways_ns + step_ns : 0;
    // What sets it down catches it: that feels like rising.
    state->set_down_ns = was_lifted ? SET_DOWN_NS : state->set_down_ns - step_ns;
    state->rises_ns = rises(in) && state->set_down_ns <= 0 ? state->rises_ns + step_ns : 0;
    state->risen_ns = state->rises_ns >= RISES_NS ? RISEN_NS : state->risen_ns - step_ns;
    if (state->sways_ns >= SWAYS_NS || state->risen_ns > 0 || (known && was_lifted && last.lean_rad > SWAY_END_RAD)) {
        return CAIRN_CONDITION_LIFTED;
    }
    if (leans) { return CAIRN_CONDITION_TILTED; }
    const bool held = known && (is_held(&last, in) || lags(&last, in));
    state->stuck_ns = spun || held ? state->stuck_ns + step_ns : 0;
    if (known) { note_lean(state, &last, in); }
    if (known && slides(&last)) { return CAIRN_CONDITION_SLIDING; }
    if (state->stuck_ns >= STUCK_NS) { return stuck_kind(state, in, spun); }
    return in->blind ? CAIRN_CONDITION_BLIND : CAIRN_CONDITION_WELL;
}

cairn_condition cairn_condition_step(cairn_condition_state *state, const cairn_condition_input *in, cairn_mono now)
{
    CAIRN_ASSERT(!state->begun || cairn_mono_since(now, state->at) >= 0);
    CAIRN_ASSERT(in->tilt_rad_max > 0 && in->half_track_m > 0);
    const int64_t since_ns = state->begun ? cairn_mono_since(now, state->at) : 0;
    if (since_ns > STEP_NS_MAX) { state->count = 0; }
    const int64_t step_ns = since_ns <= STEP_NS_MAX ? since_ns : 0;
    state->begun = true;
    state->at = now;
    state->tilted_ns = in->tilt_rad > in->tilt_rad_max ? state->tilted_ns + step_ns : 0;
    take(state, in, cairn_seconds(step_ns), now);
    const cairn_condition is = first_of(state, in, step_ns);
    const bool ended = is == CAIRN_CONDITION_WELL && cairn_mono_since(now, state->so_at) < CAIRN_CONDITION_END_NS;
    if (!ended) { state->said = is; }
    if (is != CAIRN_CONDITION_WELL) { state->so_at = now; }
    return state->said;
}
