// The accelerometer knows at once and drifts, matching knows late and does not: what was seen is compared with the
// estimate of its own time, and the difference corrects speed and bias of now.
#include "robot/reflex/unseen.h"
#include <math.h>
#include <string.h>

#define GRAVITY_MPS2 9.80665
// [-] Part of the difference by which the speed is corrected at each sight. Larger: follows matching sooner; noisier.
#define SEEN_PART 0.4
// [1/s] The same for the bias, and the bias that there may be: about two degrees of attitude.
#define BIAS_PART_PER_S 0.2
#define BIAS_MPS2_MAX 0.35
// [-] What is seen to be faster than this many times the limit is a mistake.
#define IMPLAUSIBLE_FACTOR 2.5
// [s] Of the loops: errors decay in about this time. Smaller: stiffer, until the delay of matching makes it swing.
#define FORWARD_S 0.12
#define FORWARD_INTEGRAL_S 0.6
#define TURN_S 0.08
#define TURN_INTEGRAL_S 0.2
// [-] Parts of the highest torque that may go into forward motion, the slope's share aside, and into turning. Larger:
// climbs and turns more; runs away faster when a sense lies.
#define FORWARD_PART 0.2
#define TURN_PART 0.8
#define TAKE_BACK_FACTOR 3.0
// [-] Friction of belts that skid, fed forward: less than is true, the integral does the rest.
#define SKID_FRICTION 0.3
#define SKID_FULL_RADPS 0.2
#define ROLLING_FRICTION 0.02
#define ROLLING_FULL_MPS 0.05
// [m/s], [rad/s], [s]: it stands when it is slower than these, or has been told to for so long.
#define STILL_MPS 0.04
#define STILL_RADPS 0.1
#define STILL_S 0.6
// [s] Beyond the base's watchdog. Smaller: goes on sooner; may still roll.
#define HELD_S 0.6
// [rad/s], [m/s2] A stir.
#define STIR_RADPS 0.05
#define STIR_MPS2 0.5
// [rad/s] It tips over an edge faster than this: what the accelerometer then feels is not its speed.
#define JOLT_RADPS 0.8
// What was seen so soon after a jolt is of before it, in part.
#define AFTER_JOLT_NS CAIRN_MS(300)
// [-] Part of a quarrel that is left after another sight: half a second is remembered. [m/s] More than this ends it.
// Smaller: stops a lie sooner; also a robot that stands askew by a few degrees.
#define QUARREL_MEMORY 0.85
#define QUARREL_MPS_MAX 0.2
#define AFTER_QUARREL_NS CAIRN_S(1)
// [-], [rad/s] The same of the turn: about two sights are remembered. Smaller: stops a lie of the gyro sooner; also a
// robot that rocks.
#define TURN_QUARREL_MEMORY 0.5
#define TURN_QUARREL_RADPS_MAX 0.8
// [rad/s] What is seen to turn faster is a mistake.
#define IMPLAUSIBLE_RADPS 60.0
// [s], [m/s] Gained beyond what it is told to, within about this time.
#define SURGE_S 0.5
#define SURGE_MPS_MAX 0.2

void cairn_unseen_init(cairn_unseen *unseen, const cairn_body_description *description)
{
    const cairn_wheels_description *of = &description->wheels;
    const double share_kg = description->mass_kg / CAIRN_WHEELS_MAX, r = of->radius_m, b = 0.5 * of->track_m;
    const double inertia = share_kg * r + of->rotor_inertia_kgm2 / r; // N m for each m/s2
    const double hull_kgm2 =
        description->mass_kg *
        (description->length_m * description->length_m + description->width_m * description->width_m) / 12.0;
    const double turn_inertia =
        hull_kgm2 * r / (CAIRN_WHEELS_MAX * b) + of->rotor_inertia_kgm2 * b / (r * of->turn_efficiency);
    const double weight_nm = share_kg * GRAVITY_MPS2 * r;
    *unseen = (cairn_unseen){
        .radius_m = r,
        .torque_nm_max = of->torque_nm_max,
        .forward_gain = inertia / FORWARD_S,
        .forward_integral_gain = inertia / FORWARD_S / FORWARD_INTEGRAL_S,
        .turn_gain = turn_inertia / TURN_S,
        .turn_integral_gain = turn_inertia / TURN_S / TURN_INTEGRAL_S,
        .inertia_nm_per_mps2 = inertia,
        .weight_nm = weight_nm,
        .skid_nm = SKID_FRICTION * sqrt(fmax(1.0 - of->turn_efficiency, 0.0)) * weight_nm,
        .speed_mps_max = description->limits.speed_mps_max,
        .held_s_min = cairn_seconds(description->watchdog_ns) + HELD_S,
    };
}

void cairn_unseen_forget(cairn_unseen *unseen, cairn_cell *cell) { (void)cairn_cell_latest(cell, &unseen->version); }

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

// ---- the estimate

static bool is_jolted(const cairn_sensed *sensed)
{
    return hypot(sensed->turn_radps.x, sensed->turn_radps.y) > JOLT_RADPS;
}

static bool is_stirred(const cairn_sensed *sensed, const cairn_attitude *attitude)
{
    const cairn_vec3 felt = cairn_vec3_sub(sensed->accel_mps2, cairn_vec3_scale(attitude->up, GRAVITY_MPS2));
    return cairn_vec3_length(sensed->turn_radps) > STIR_RADPS || cairn_vec3_length(felt) > STIR_MPS2;
}

static void go_blind(cairn_unseen *unseen, cairn_mono now, int64_t for_ns)
{
    unseen->seen = unseen->heard = false;
    unseen->recent_count = 0;
    unseen->quarrel_mps = unseen->quarrel_radps = unseen->surge_mps = 0.0;
    unseen->blind_until = (cairn_mono){now.ns + for_ns};
}

// It feels itself gain speed that nobody asked for, or lose it: it runs away, slides, or has run into something. Knows
// sooner than mind can see.
static bool is_surging(cairn_unseen *unseen, const cairn_sensed *sensed, const cairn_attitude *attitude)
{
    const double step_s = sensed->imu.step_s;
    const double more_mps2 =
        sensed->accel_mps2.x - GRAVITY_MPS2 * attitude->up.x - unseen->accel_bias_mps2 - unseen->told_mps2;
    unseen->surge_mps += more_mps2 * step_s - unseen->surge_mps * fmin(step_s / SURGE_S, 1.0);
    return fabs(unseen->surge_mps) > SURGE_MPS_MAX;
}

static void carry_on(cairn_unseen *unseen, const cairn_sensed *sensed, const cairn_attitude *attitude,
                     double turn_radps)
{
    if (!sensed->imu.is_new || !attitude->known) { return; }
    if (is_jolted(sensed)) { go_blind(unseen, sensed->imu.taken, AFTER_JOLT_NS); }
    if (is_stirred(sensed, attitude)) { unseen->held_s = 0.0; }
    if (is_surging(unseen, sensed, attitude)) { go_blind(unseen, sensed->imu.taken, AFTER_QUARREL_NS); }
    const double felt_mps2 = sensed->accel_mps2.x - GRAVITY_MPS2 * attitude->up.x;
    const double accel_mps2 = felt_mps2 - unseen->accel_bias_mps2;
    const double limit_mps = IMPLAUSIBLE_FACTOR * unseen->speed_mps_max;
    unseen->forward_mps = clamp(unseen->forward_mps + accel_mps2 * sensed->imu.step_s, limit_mps);
    unseen->felt_mps += felt_mps2 * sensed->imu.step_s;
    memmove(&unseen->recent[1], &unseen->recent[0], sizeof unseen->recent - sizeof unseen->recent[0]);
    unseen->recent[0] = (cairn_unseen_moment){sensed->imu.taken, unseen->forward_mps, unseen->felt_mps, turn_radps};
    if (unseen->recent_count < CAIRN_UNSEEN_RECENT) { unseen->recent_count++; }
}

// What was estimated and felt at that time, or just after it; of now, if that is the first that is known.
static cairn_unseen_moment then(const cairn_unseen *unseen, cairn_mono at, double turn_radps)
{
    cairn_unseen_moment moment = {at, unseen->forward_mps, unseen->felt_mps, turn_radps};
    for (uint32_t i = 0; i < unseen->recent_count && unseen->recent[i].at.ns >= at.ns; i++) {
        moment = unseen->recent[i];
    }
    return moment;
}

// A robot that feels itself speed up or turn and is not seen to, or the other way round, does not know its motion: a
// sense that lies would make it run away.
static void quarrel(cairn_unseen *unseen, const cairn_seen_motion *saw, const cairn_unseen_moment *was, cairn_mono now)
{
    if (unseen->heard) {
        const double felt_more_mps = (was->felt_mps - unseen->felt_mps_seen) - (saw->forward_mps - unseen->saw_mps);
        unseen->quarrel_mps = QUARREL_MEMORY * unseen->quarrel_mps + felt_more_mps;
    }
    if (!isnan(was->turn_radps)) {
        unseen->quarrel_radps = TURN_QUARREL_MEMORY * unseen->quarrel_radps + was->turn_radps - saw->turn_radps;
    }
    unseen->felt_mps_seen = was->felt_mps;
    unseen->saw_mps = saw->forward_mps;
    if (fabs(unseen->quarrel_mps) > QUARREL_MPS_MAX || fabs(unseen->quarrel_radps) > TURN_QUARREL_RADPS_MAX) {
        go_blind(unseen, now, AFTER_QUARREL_NS);
    }
}

// Comparisons are written so that NaN fails them.
static bool plausible(const cairn_unseen *unseen, const cairn_seen_motion *saw, cairn_mono now)
{
    return saw->at.ns <= now.ns + CAIRN_CLOCK_SLACK_NS && (!unseen->heard || saw->at.ns > unseen->seen_at.ns) &&
           saw->at.ns >= now.ns - CAIRN_SEEN_AGE_NS_MAX && saw->at.ns > unseen->blind_until.ns &&
           fabs(saw->forward_mps) <= IMPLAUSIBLE_FACTOR * unseen->speed_mps_max &&
           fabs(saw->turn_radps) <= IMPLAUSIBLE_RADPS;
}

static void correct(cairn_unseen *unseen, const cairn_seen_motion *saw, double turn_radps, cairn_mono now)
{
    const cairn_unseen_moment was = then(unseen, saw->at, turn_radps);
    quarrel(unseen, saw, &was, now);
    if (saw->at.ns <= unseen->blind_until.ns) { return; }
    const double since_s = unseen->heard ? cairn_seconds(cairn_mono_since(saw->at, unseen->seen_at)) : 0.0;
    const double off_mps = saw->forward_mps - was.forward_mps;
    const bool lost = !unseen->seen; // then nothing speaks for the estimate
    const double part = lost ? 1.0 : SEEN_PART;
    if (!lost && since_s > 0.0) {
        unseen->accel_bias_mps2 = clamp(unseen->accel_bias_mps2 - BIAS_PART_PER_S * off_mps, BIAS_MPS2_MAX);
    }
    unseen->forward_mps += part * off_mps;
    for (uint32_t i = 0; i < unseen->recent_count; i++) { unseen->recent[i].forward_mps += part * off_mps; }
    unseen->seen_at = saw->at;
    unseen->heard = true;
}

void cairn_unseen_look(cairn_unseen *unseen, const cairn_sensed *sensed, const cairn_attitude *attitude,
                       double turn_radps, cairn_cell *cell, cairn_mono now)
{
    carry_on(unseen, sensed, attitude, turn_radps);
    uint64_t version = 0;
    const cairn_seen_motion *saw = cairn_cell_latest(cell, &version);
    if (saw != NULL && version != unseen->version) {
        unseen->version = version;
        if (plausible(unseen, saw, now)) { correct(unseen, saw, turn_radps, now); }
    }
    if (unseen->held_s > unseen->held_s_min && sensed->imu.fresh && attitude->known) {
        unseen->forward_mps = 0.0;
        unseen->recent_count = 0;
        unseen->seen_at = now;
        unseen->saw_mps = unseen->quarrel_mps = unseen->quarrel_radps = 0.0;
        unseen->felt_mps_seen = unseen->felt_mps;
        unseen->heard = true;
    }
    unseen->seen = unseen->heard && cairn_mono_since(now, unseen->seen_at) <= CAIRN_SEEN_AGE_NS_MAX;
}

// ---- driving

bool cairn_unseen_rests(cairn_unseen *unseen, const cairn_sensed *sensed, cairn_motion wanted, double turn_radps,
                        double period_s)
{
    const bool stand = wanted.forward_mps == 0.0 && wanted.turn_radps == 0.0;
    unseen->rest_s = stand ? unseen->rest_s + period_s : 0.0;
    const bool still = fabs(unseen->forward_mps) < STILL_MPS && fabs(turn_radps) < STILL_RADPS;
    const bool rests = !unseen->seen || !sensed->imu.fresh || (stand && (still || unseen->rest_s > STILL_S));
    unseen->held_s = rests ? unseen->held_s + period_s : 0.0;
    return rests;
}

static double slope_nm(const cairn_unseen *unseen, double slope)
{
    return isnan(slope) ? 0.0 : clamp(unseen->weight_nm * slope, unseen->torque_nm_max);
}

void cairn_unseen_let_go(cairn_unseen *unseen, double slope, double ret_torque_nm[CAIRN_WHEELS_MAX])
{
    unseen->forward_integral_nm = unseen->turn_integral_nm = 0.0;
    unseen->before_mps = unseen->told_mps2 = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { ret_torque_nm[i] = slope_nm(unseen, slope); }
}

// Proportional and integral on top of what is known to be needed, within a bound that the integral respects.
static double loop_nm(double error, double gain, double integral_gain, double ahead_nm, double limit_nm,
                      double period_s, double *integral_nm)
{
    const double torque_nm = ahead_nm + gain * error + *integral_nm;
    // What pushes too much is taken back faster than it came: a robot that breaks free of something must not dart.
    const double hurry = error * *integral_nm < 0.0 ? TAKE_BACK_FACTOR : 1.0;
    const double addition_nm = hurry * integral_gain * error * period_s;
    if (fabs(torque_nm) < limit_nm || torque_nm * addition_nm < 0.0) { *integral_nm += addition_nm; }
    *integral_nm = clamp(*integral_nm, limit_nm);
    return clamp(torque_nm, limit_nm);
}

void cairn_unseen_drive(cairn_unseen *unseen, cairn_motion wanted, double turn_radps, double slope, double period_s,
                        double ret_torque_nm[CAIRN_WHEELS_MAX])
{
    CAIRN_ASSERT(unseen->seen && period_s > 0.0);
    const double most_nm = unseen->torque_nm_max;
    const double accel_mps2 = clamp((wanted.forward_mps - unseen->before_mps) / period_s, 2.0);
    unseen->before_mps = wanted.forward_mps;
    unseen->told_mps2 = accel_mps2;
    const double rolling = ROLLING_FRICTION * clamp(wanted.forward_mps / ROLLING_FULL_MPS, 1.0);
    const double ahead_nm = unseen->inertia_nm_per_mps2 * accel_mps2 + unseen->weight_nm * rolling;
    const double forward_nm =
        loop_nm(wanted.forward_mps - unseen->forward_mps, unseen->forward_gain, unseen->forward_integral_gain, ahead_nm,
                FORWARD_PART * most_nm, period_s, &unseen->forward_integral_nm);
    const double against_slope_nm = slope_nm(unseen, slope);

    const double skid_nm = unseen->skid_nm * clamp(wanted.turn_radps / SKID_FULL_RADPS, 1.0);
    const double turn_error = isnan(turn_radps) ? 0.0 : wanted.turn_radps - turn_radps;
    const double turn_nm = loop_nm(turn_error, unseen->turn_gain, unseen->turn_integral_gain, skid_nm,
                                   TURN_PART * most_nm, period_s, &unseen->turn_integral_nm);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double side_nm = i % 2 == 0 ? -turn_nm : turn_nm;
        ret_torque_nm[i] = clamp(forward_nm + against_slope_nm + side_nm, most_nm);
    }
}
