// The wheels of a side stand on the same ground, and a robot cannot stop without feeling it. So a counter that stands
// is checked against whoever still knows: first the wheel beside it, then the other side with the gyro, then the
// accelerometer alone, for half a second, because its error grows.
#include "robot/reflex/counts.h"
#include <math.h>

#define GRAVITY_MPS2 9.80665
// [-] Ticks by which a counter may tremble and still stand.
#define TREMBLE_TICKS 2.5
// [m/s], [-] A side that stands by its counters and must go faster than this, and than this part of the other side: it
// cannot be. Smaller: noticed at lower speeds; also where it only slips a little.
#define CANNOT_MPS 0.12
#define CANNOT_PART 0.25
// [rad] The wheel beside it has turned by so much: it is doubted, and lost. Larger: lets one wheel of a side hang
// longer.
#define BESIDE_DOUBTED_RAD 0.05
#define BESIDE_LOST_RAD 0.5
// [s] What is counted is a mean over this time. Larger: smoother where wheels slip; late by as much.
#define COUNTED_S 0.03
// [s] For how long it must be doubted to be lost, driven and told to stand. Smaller: sooner; a blow or a slide may do
// it.
#define DOUBTED_S 0.1
#define DOUBTED_AT_REST_S 0.2
// [s] The accelerometer's integral is forgotten in this time: what its bias could make of it stays below CANNOT_MPS.
#define FELT_S 0.5
// [s], [-] All that a motor has, for so long, without a tick.
#define BOUND_S 0.2
#define BOUND_PART 0.9
// [s] A counter that died on the way does so within this time of having counted.
#define LATELY_S 0.5
// [s], [-] When it may be tried again, how often, and for how long all must count until that is forgotten.
#define TRY_AFTER_S 1.0
#define TRIES 3
#define SOUND_S 2.0
// [s] Counters that lose a part of their ticks brake for so long, which the base's watchdog would take longer to.
#define PART_BRAKES_S 0.5
// What mind saw must be as young as this, and no faster than so many times the limit.
#define SEEN_NS_MAX CAIRN_MS(400)
#define SEEN_FACTOR 2.5
#define SEEN_MPS_MAX 5.0 // beyond this sight is wrong, however wrong the counters are
#define SEEN_RADPS_MAX 10.0

// [m/s], [rad/s], [s] Told to stand and counted to, it is seen to go so fast for so long; gyro and mind agree about a
// turn within AGREE_RADPS. Smaller: sooner; a bad match may do it.
#define GOES_MPS 0.12
#define GOES_RADPS 0.3
#define AGREE_RADPS 0.3
#define GOES_S 0.3

void cairn_counts_init(cairn_counts *counts, const cairn_body_description *description)
{
    CAIRN_ASSERT(counts != NULL && description != NULL);
    const cairn_wheels_description *wheels = &description->wheels;
    CAIRN_ASSERT(wheels->radius_m > 0.0 && wheels->turn_efficiency > 0.0 && wheels->torque_nm_max > 0.0);
    *counts = (cairn_counts){
        .radius_m = wheels->radius_m,
        .track_m = wheels->track_m / wheels->turn_efficiency,
        .torque_nm_max = wheels->torque_nm_max,
        .speed_mps_max = description->limits.speed_mps_max,
    };
    cairn_shortfall_init(&counts->shortfall, description);
    if (!description->encoders.offered) { return; }
    CAIRN_ASSERT(description->encoders.ticks_per_turn > 0.0);
    counts->tremble_rad = TREMBLE_TICKS * 2.0 * CAIRN_PI / description->encoders.ticks_per_turn;
}

static bool is_driven(const cairn_counts_input *input)
{
    return input->wanted.forward_mps != 0.0 || input->wanted.turn_radps != 0.0;
}

static bool feels(const cairn_counts_input *input) { return input->sensed->imu.fresh && input->attitude->known; }

static int beside(int wheel) { return (wheel + 2) % CAIRN_WHEELS_MAX; }

// ---- what counters say

static void follow_wheel(cairn_counts *counts, int i, const cairn_counts_input *input)
{
    const cairn_sensed *sensed = input->sensed;
    cairn_count *count = &counts->wheels[i];
    if (fabs(sensed->wheel_rad[i] - count->at_rad) > counts->tremble_rad) {
        *count = (cairn_count){.at_rad = sensed->wheel_rad[i], .beside_rad = sensed->wheel_rad[beside(i)]};
        counts->unproven &= ~(1u << i);
        return;
    }
    const bool counted = is_driven(input) || !feels(input);
    if (count->still_s == 0.0) { count->began_mps = counted ? counts->side_mps[i % 2] : counts->ground_mps; }
    count->still_s += sensed->encoders.step_s;
    const bool bound = is_driven(input) && fabs(input->torque_nm[i]) >= BOUND_PART * counts->torque_nm_max;
    count->bound_s = bound ? count->bound_s + sensed->encoders.step_s : 0.0;
}

static bool side_stands(const cairn_counts *counts, int side)
{
    return counts->wheels[side].still_s > 0.0 && counts->wheels[side + 2].still_s > 0.0;
}

// Of the wheels of a side that turn.
static double counted_mps(const cairn_counts *counts, int side, const cairn_sensed *sensed)
{
    double sum = 0.0;
    int turning = 0;
    for (int i = side; i < CAIRN_WHEELS_MAX; i += 2) {
        if (counts->wheels[i].still_s > 0.0) { continue; }
        sum += sensed->wheel_radps[i];
        turning++;
    }
    CAIRN_ASSERT(turning > 0);
    return sum / turning * counts->radius_m;
}

// ---- how fast it must be

// Since the step before.
static double felt_mps(const cairn_counts_input *input)
{
    if (!input->sensed->imu.is_new || !feels(input)) { return 0.0; }
    return (input->sensed->accel_mps2.x - GRAVITY_MPS2 * input->attitude->up.x) * input->sensed->imu.step_s;
}

// Told to stand, it only grows slower: who is lifted, carried or pushed feels much that no wheel does.
static void slow_down(cairn_counts *counts, double felt, double kept)
{
    const double before = counts->ground_mps;
    const double now = (before + felt) * kept;
    counts->ground_mps = fmin(fmax(now, fmin(before, 0.0)), fmax(before, 0.0));
}

// Mind may only raise the suspicion: a mind that sees nothing move says nothing for a counter.
static void heed_sight(cairn_counts *counts, const cairn_counts_input *input)
{
    uint64_t version = 0;
    const cairn_seen_motion *saw = cairn_cell_latest(input->seen, &version);
    if (saw == NULL || version == counts->seen_version) { return; }
    counts->seen_version = version;
    const int64_t age_ns = cairn_mono_since(input->now, saw->at);
    const bool young = age_ns >= -CAIRN_CLOCK_SLACK_NS && age_ns <= SEEN_NS_MAX;
    const double still_s = fmin(counts->wheels[0].still_s, counts->wheels[1].still_s);
    const bool of_now = young && cairn_seconds(age_ns) < still_s;
    if (of_now && fabs(saw->forward_mps) <= SEEN_FACTOR * counts->speed_mps_max && // false for NaN
        fabs(saw->forward_mps) > fabs(counts->forward_mps)) {
        counts->forward_mps = saw->forward_mps;
    }
}

static void estimate(cairn_counts *counts, const cairn_counts_input *input)
{
    const bool stands[2] = {side_stands(counts, 0), side_stands(counts, 1)};
    const double felt = felt_mps(input), kept = 1.0 - fmin(input->period_s / FELT_S, 1.0);
    const double apart_mps = isnan(input->turn_radps) ? 0.0 : input->turn_radps * counts->track_m;
    for (int side = 0; side < 2; side++) {
        if (stands[side]) { continue; }
        const double more_mps = counted_mps(counts, side, input->sensed) - counts->side_mps[side];
        counts->side_mps[side] += more_mps * fmin(input->period_s / COUNTED_S, 1.0);
    }
    slow_down(counts, felt, kept);
    if (is_driven(input)) { counts->ground_mps = counts->forward_mps; }
    if (stands[0] && stands[1]) {
        counts->forward_mps = is_driven(input) ? (counts->forward_mps + felt) * kept : counts->ground_mps;
        if (is_driven(input)) { heed_sight(counts, input); }
        counts->side_mps[0] = counts->forward_mps - 0.5 * apart_mps;
        counts->side_mps[1] = counts->forward_mps + 0.5 * apart_mps;
        return;
    }
    if (!isnan(input->turn_radps)) {
        if (stands[0]) { counts->side_mps[0] = counts->side_mps[1] - apart_mps; }
        if (stands[1]) { counts->side_mps[1] = counts->side_mps[0] + apart_mps; }
    }
    const double counted = 0.5 * (counts->side_mps[0] + counts->side_mps[1]);
    counts->forward_mps = is_driven(input) ? counted : counts->ground_mps;
}

// ---- the verdict

// A robot that stands may be pushed or slide: only what its motors do, or did until now, speaks against a counter.
static bool cannot_stand(const cairn_counts *counts, int i, const cairn_counts_input *input)
{
    const int side = i % 2, other = 1 - side;
    const double mps = counts->side_mps[side];
    const double other_mps = side_stands(counts, other) ? 0.0 : fabs(counts->side_mps[other]);
    if (!side_stands(counts, side) || fabs(mps) < CANNOT_MPS + CANNOT_PART * other_mps) { return false; }
    const bool lately = counts->wheels[i].still_s < LATELY_S && fabs(counts->wheels[i].began_mps) >= CANNOT_MPS;
    const bool pushed = is_driven(input) && input->torque_nm[i] * mps > 0.0;
    return lately || pushed;
}

static bool judge_wheel(cairn_counts *counts, int i, const cairn_counts_input *input)
{
    cairn_count *count = &counts->wheels[i];
    const double along_rad = is_driven(input) ? fabs(input->sensed->wheel_rad[beside(i)] - count->beside_rad) : 0.0;
    count->doubted = count->still_s > 0.0 && (cannot_stand(counts, i, input) || along_rad > BESIDE_DOUBTED_RAD);
    count->doubted_s = count->doubted ? count->doubted_s + input->period_s : 0.0;
    const bool long_enough = count->doubted_s >= (is_driven(input) ? DOUBTED_S : DOUBTED_AT_REST_S);
    const bool cannot = cannot_stand(counts, i, input) || along_rad > BESIDE_LOST_RAD;
    return (cannot && long_enough) || count->bound_s >= BOUND_S;
}

static void forget(cairn_counts *counts, const cairn_sensed *sensed)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        counts->wheels[i] = (cairn_count){.at_rad = sensed->wheel_rad[i], .beside_rad = sensed->wheel_rad[beside(i)]};
    }
    counts->side_mps[0] = counts->side_mps[1] = counts->forward_mps = counts->ground_mps = 0.0;
    counts->going_s = 0.0;
    cairn_shortfall_forget(&counts->shortfall);
}

// What mind saw, if it is of now and can be.
static const cairn_seen_motion *sight_of_now(const cairn_counts_input *input)
{
    const cairn_seen_motion *saw = cairn_cell_latest(input->seen, NULL);
    if (saw == NULL) { return NULL; }
    const int64_t age_ns = cairn_mono_since(input->now, saw->at);
    const bool young = age_ns >= -CAIRN_CLOCK_SLACK_NS && age_ns <= SEEN_NS_MAX;
    const bool can_be = young && fabs(saw->forward_mps) <= SEEN_MPS_MAX && fabs(saw->turn_radps) <= SEEN_RADPS_MAX;
    return can_be ? saw : NULL; // false for NaN
}

static bool falls_short(cairn_counts *counts, const cairn_counts_input *input)
{
    const cairn_shortfall_input of = {
        .sensed = input->sensed,
        .attitude = input->attitude,
        .turn_radps = input->turn_radps,
        .driven = is_driven(input),
        .saw = sight_of_now(input),
        .period_s = input->period_s,
    };
    return cairn_shortfall_step(&counts->shortfall, &of);
}

// Told to stand, with counters that say that it does, and yet seen to go.
static bool goes_uncounted(cairn_counts *counts, const cairn_counts_input *input)
{
    double still_s = counts->wheels[0].still_s;
    for (int i = 1; i < CAIRN_WHEELS_MAX; i++) { still_s = fmin(still_s, counts->wheels[i].still_s); }
    const cairn_seen_motion *saw = sight_of_now(input);
    const bool stands =
        !is_driven(input) && saw != NULL && cairn_seconds(cairn_mono_since(input->now, saw->at)) < still_s;
    const bool turns = stands && fabs(input->turn_radps) > GOES_RADPS && // false for NaN
                       fabs(saw->turn_radps - input->turn_radps) < AGREE_RADPS;
    const bool goes = stands && (turns || fabs(saw->forward_mps) > GOES_MPS);
    counts->going_s = goes ? counts->going_s + input->period_s : 0.0;
    return counts->going_s >= GOES_S;
}

// Not while nobody asks for motion: to hold a place by counters that stand is to push for as long as it stands.
static bool may_try_again(cairn_counts *counts, const cairn_counts_input *input)
{
    CAIRN_ASSERT(counts->lost);
    const bool asked = input->asked.forward_mps != 0.0 || input->asked.turn_radps != 0.0;
    counts->lost_s += input->period_s;
    counts->brakes = counts->brakes && counts->lost_s < PART_BRAKES_S;
    counts->resting_s = asked ? 0.0 : counts->resting_s + input->period_s;
    if (counts->resting_s >= TRY_AFTER_S) { counts->lost_count = 0; }
    return asked && counts->lost_s >= TRY_AFTER_S && counts->lost_count <= TRIES;
}

void cairn_counts_step(cairn_counts *counts, const cairn_counts_input *input)
{
    CAIRN_ASSERT(counts != NULL && input != NULL && input->sensed != NULL && input->attitude != NULL);
    CAIRN_ASSERT(input->period_s > 0.0 && counts->radius_m > 0.0);
    const cairn_sensed *sensed = input->sensed;
    if (!sensed->encoders.offered) { return; }
    if (counts->lost) {
        if (!may_try_again(counts, input)) { return; }
        counts->lost = false;
        forget(counts, sensed);
    }
    if (!sensed->encoders.fresh) {
        forget(counts, sensed);
        return;
    }
    if (sensed->encoders.is_new) {
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { follow_wheel(counts, i, input); }
    }
    estimate(counts, input);
    const bool in_part = falls_short(counts, input);
    bool lost = goes_uncounted(counts, input), sound = true;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        lost = judge_wheel(counts, i, input) || lost;
        sound = sound && counts->wheels[i].still_s < DOUBTED_S;
    }
    counts->moving_s = sound ? counts->moving_s + input->period_s : 0.0;
    if (counts->moving_s >= SOUND_S) { counts->lost_count = 0; }
    if (!lost && !in_part) { return; }
    counts->lost = true;
    counts->brakes = !lost;
    counts->unproven = (1u << CAIRN_WHEELS_MAX) - 1;
    counts->lost_at_rest = !is_driven(input);
    counts->lost_s = counts->resting_s = counts->moving_s = 0.0;
    counts->lost_count++;
}
