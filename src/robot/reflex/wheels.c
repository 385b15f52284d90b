// The plant of one wheel is its inertia J (its own and a quarter of the robot's mass at its radius) under a
// torque that is held for one period and decided on a speed that is about a period T old. Such a loop is
// critically damped at a proportional gain of J / (4 T). A wheel that loses the ground has only its own inertia, with
// which the loop must still not swing: below 1 / T of it. The integral is placed for critical damping and the hold's
// second integral is an eighth of where it would swing.
#include "robot/reflex/wheels.h"
#include "robot/reflex/reflex.h"
#include <math.h>
#include <string.h>

#define GRAVITY_MPS2 9.80665
// [-] Proportional gain in units of J / delay. Larger: stiffer; unstable towards 1, noisy before that.
#define SPEED_GAIN 0.2
// [-] The same in units of the wheel's own inertia / delay, for a wheel in the air.
#define AIR_GAIN 0.8
// [-] Damping of speed and angle together. Larger: slower to remove a steady error; less overshoot.
#define DAMPING 0.8
// [-] Hold gain relative to the limit of stability.
#define HOLD_GAIN 0.125
// [m/s2] Braking in a controlled stop: what wheels grip on dust. Larger: stops shorter; slides, and loses odometry.
#define GENTLE_MPS2 3.0
// [-] Rolling friction, and that of a tyre that skids, fed forward. Less than is true is safe: the integral does
// the rest. More than is true makes the robot dart. Rubber on concrete skids at 0.8.
#define ROLLING_FRICTION 0.02
#define SKID_FRICTION 0.35
#define SKID_FULL_RADPS 0.3 // turn at which the skid's friction is fed forward in full
// [rad/s] A wheel that is to stand begins to hold its place when it is slower than this, or when this time is over.
// Larger: holds sooner; a gentle stop rolls back a little.
#define STILL_RADPS 1.0
#define STILL_S 0.5
// [rad/s] A wheel that is told to stand and turns faster than this, the way its own torque turns it, has lost its load:
// it is braked, and what carried the load is forgotten. Above STILL_RADPS. Larger: pulls back what was pushed away more
// sharply; a wheel that is lifted off a slope turns further.
#define DRIVEN_RADPS 1.25
// [m] A held wheel gives so much and comes back. Larger: comes back from farther; turns longer when its load is gone.
#define SLIP_M 0.05
// [-] Of what brakes it gently: a held wheel is pushed back to its place by so much more than the slope takes. Larger:
// comes back against more; one that leans on a wall, and whose counter is rough, springs away from it when that gives.
#define HOLD_MORE 0.5
// [s] A held wheel that has not moved by a tick for so long is not pushed harder to bring it back to its place: its
// counter may have died. Larger: comes back against more friction; a dead counter's wheel is pushed by more.
#define PATIENCE_S 1.0
// [1/s] Swings are forgotten at this rate. [-] One that swings again is held by nothing that a slope would need; one
// that keeps swinging is left to the base: it has no load, and what it measures is noise.
#define SWINGS_FORGOTTEN_PER_S 5.0
#define SWINGS_AGAIN 1.0
#define SWINGS_MAX 4.0
// [-] Less slope than this wheels do not carry: on level ground it is what the attitude is off by while it brakes.
#define LEVEL_SLOPE 0.08
// [-] A wheel has come to rest after so many of the times that it takes to run out.
#define RESTS_AFTER 2.0
// [s] The integrals of the two wheels of a side come together in this time, so that they do not fight.
#define SHARING_S 0.5

void cairn_wheels_init(cairn_wheels *wheels, const cairn_body_description *description)
{
    const cairn_wheels_description *of = &description->wheels;
    CAIRN_ASSERT(of->radius_m > 0.0 && of->turn_efficiency > 0.0 && of->torque_nm_max > 0.0);
    CAIRN_ASSERT(description->mass_kg > 0.0 && of->rotor_inertia_kgm2 > 0.0);
    cairn_sensed sensed;
    cairn_sensed_init(&sensed, description);
    const double delay_s = cairn_sensed_speed_delay_s(&sensed, description);
    const double share_kg = description->mass_kg / CAIRN_WHEELS_MAX;
    const double inertia = of->rotor_inertia_kgm2 + share_kg * of->radius_m * of->radius_m;
    const double speed_gain = fmin(SPEED_GAIN * inertia, AIR_GAIN * of->rotor_inertia_kgm2) / delay_s;
    const double angle_gain = speed_gain * speed_gain / (4.0 * DAMPING * DAMPING * inertia);
    *wheels = (cairn_wheels){
        .radius_m = of->radius_m,
        .half_track_m = 0.5 * of->track_m / of->turn_efficiency,
        .speed_radps_max = of->speed_radps_max,
        .torque_nm_max = of->torque_nm_max,
        .inertia_kgm2 = inertia,
        .gentle_nm = fmin(inertia * GENTLE_MPS2 / of->radius_m, of->torque_nm_max),
        .skid_part = SKID_FRICTION * sqrt(fmax(1.0 - of->turn_efficiency, 0.0)),
        .weight_nm = share_kg * GRAVITY_MPS2 * of->radius_m,
        .accel_radps2_max = 2.0 * description->limits.accel_mps2_max / of->radius_m,
        .speed_gain = speed_gain,
        .angle_gain = angle_gain,
        .hold_gain = HOLD_GAIN * speed_gain * angle_gain / inertia,
        .settle_s = 2.0 * inertia / speed_gain,
        .slack_rad = 1.5 * sensed.rad_per_tick,
        .slip_rad = SLIP_M / of->radius_m,
    };
}

static double clamp(double value, double limit) { return fmin(fmax(value, -limit), limit); }

void cairn_wheels_speeds(const cairn_wheels *wheels, cairn_motion wanted, double ret_radps[CAIRN_WHEELS_MAX])
{
    const double apart_mps = wanted.turn_radps * wheels->half_track_m;
    double left = (wanted.forward_mps - apart_mps) / wheels->radius_m;
    double right = (wanted.forward_mps + apart_mps) / wheels->radius_m;
    const double fastest = fmax(fabs(left), fabs(right));
    if (fastest > wheels->speed_radps_max) {
        left *= wheels->speed_radps_max / fastest;
        right *= wheels->speed_radps_max / fastest;
    }
    ret_radps[0] = ret_radps[2] = left;
    ret_radps[1] = ret_radps[3] = right;
}

// What the wheel will need, known before any error shows: inertia, rolling, and the skid of a turn.
static double feed_forward_nm(const cairn_wheels *wheels, double set_radps, double before_radps,
                              const cairn_wheels_input *input, bool is_left)
{
    const double accel = clamp((set_radps - before_radps) / input->period_s, wheels->accel_radps2_max);
    const double rolling = ROLLING_FRICTION * clamp(set_radps, 1.0);
    const double turning = clamp(input->wanted.turn_radps / SKID_FULL_RADPS, 1.0);
    const double skid = wheels->skid_part * (is_left ? -turning : turning);
    return wheels->inertia_kgm2 * accel + wheels->weight_nm * (rolling + skid);
}

// Torque that keeps the robot from rolling down the slope that it stands on.
static double slope_nm(const cairn_wheels *wheels, double slope)
{
    return isnan(slope) ? 0.0 : clamp(wheels->weight_nm * slope, wheels->torque_nm_max);
}

// The range of torque that this step may use.
typedef struct torque_range {
    double low_nm, high_nm;
} torque_range;

// Gentle braking has its time. What turns still, or is held by then, a load turns that needs more.
static torque_range allowed(const cairn_wheels *wheels, int i, const cairn_wheels_input *input)
{
    const bool gentle = input->halt == CAIRN_HALT_STOP && !wheels->holding[i] && wheels->standing_s <= STILL_S;
    if (!gentle) { return (torque_range){-wheels->torque_nm_max, wheels->torque_nm_max}; }
    const double balance = slope_nm(wheels, input->slope);
    const torque_range range = {fmax(fmin(balance, 0.0) - wheels->gentle_nm, -wheels->torque_nm_max),
                                fmin(fmax(balance, 0.0) + wheels->gentle_nm, wheels->torque_nm_max)};
    CAIRN_ASSERT(range.low_nm < 0.0 && range.high_nm > 0.0); // what brakes is there, whichever way it turns
    return range;
}

// Adds to the integral, unless the torque is at its bound and the addition would push it further.
static double add_unless_bound(double integral_nm, double addition_nm, double torque_nm, torque_range range)
{
    if (torque_nm >= range.high_nm && addition_nm > 0.0) { return integral_nm; }
    if (torque_nm <= range.low_nm && addition_nm < 0.0) { return integral_nm; }
    return integral_nm + addition_nm;
}

static double within(double torque_nm, torque_range range)
{
    return fmin(fmax(torque_nm, range.low_nm), range.high_nm);
}

// What the hold's angle carried goes on in the integral. A hold that had not come to rest carried nothing yet: its
// angle was ahead only so that the wheel should run out into it, and each such hold would add to what drives the wheel
// on.
static void stop_holding(cairn_wheels *wheels, int i, const cairn_sensed *sensed)
{
    if (wheels->held_s[i] > RESTS_AFTER * wheels->settle_s) {
        wheels->integral_nm[i] += wheels->angle_gain * (wheels->hold_rad[i] - sensed->wheel_rad[i]);
        wheels->integral_nm[i] = clamp(wheels->integral_nm[i], wheels->torque_nm_max);
    }
    wheels->holding[i] = false;
}

static double drive_nm(cairn_wheels *wheels, int i, double set_radps, const cairn_wheels_input *input,
                       const cairn_sensed *sensed)
{
    if (wheels->holding[i]) { stop_holding(wheels, i, sensed); }
    const torque_range range = allowed(wheels, i, input);
    const double error = input->doubted[i] ? 0.0 : set_radps - sensed->wheel_radps[i];
    const double ahead = feed_forward_nm(wheels, set_radps, wheels->set_radps[i], input, i % 2 == 0);
    const double torque = ahead + wheels->speed_gain * error + wheels->integral_nm[i];
    // A wheel that is braking to stand has a large error that says nothing about the load.
    const double addition = wheels->standing_s > 0.0 ? 0.0 : wheels->angle_gain * error * input->period_s;
    wheels->integral_nm[i] = add_unless_bound(wheels->integral_nm[i], addition, torque, range);
    const bool pushes = torque * sensed->wheel_radps[i] > 0.0;
    return wheels->standing_s > 0.0 && pushes ? 0.0 : within(torque, range);
}

// A wheel whose load has gone is held where it is by then, with no more than the slope takes; with nothing, if it has
// none.
static double brake_loose_nm(cairn_wheels *wheels, int i, const cairn_wheels_input *input, const cairn_sensed *sensed)
{
    const double balance = wheels->swing[i] > SWINGS_AGAIN ? 0.0 : slope_nm(wheels, input->slope);
    const torque_range between = {fmin(balance, 0.0), fmax(balance, 0.0)};
    wheels->swing[i] += 1.0;
    wheels->hold_rad[i] = sensed->wheel_rad[i];
    wheels->integral_nm[i] = within(wheels->integral_nm[i], between);
    return clamp(-wheels->speed_gain * sensed->wheel_radps[i], wheels->torque_nm_max);
}

// Counts that a held wheel turned to and fro.
static void count_swings(cairn_wheels *wheels, int i, const cairn_wheels_input *input, const cairn_sensed *sensed)
{
    const double radps = sensed->wheel_radps[i], before = wheels->before_radps[i];
    wheels->swing[i] = fmax(wheels->swing[i] - SWINGS_FORGOTTEN_PER_S * input->period_s, 0.0);
    if (radps * before < 0.0 && fmin(fabs(radps), fabs(before)) > STILL_RADPS) { wheels->swing[i] += 1.0; }
    wheels->restless = wheels->restless || wheels->swing[i] > SWINGS_MAX;
}

// The angle that is held follows a wheel that turned by more than its slip. If a load did it, the torque stays what it
// was; true if the wheel's own torque did.
static bool follow_what_was_carried_away(cairn_wheels *wheels, int i, double at_rad)
{
    const double error = wheels->hold_rad[i] - at_rad;
    const double beyond = error - clamp(error, wheels->slip_rad);
    if (beyond == 0.0) { return false; }
    wheels->hold_rad[i] -= beyond;
    const bool went_along = beyond * wheels->integral_nm[i] < 0.0;
    wheels->integral_nm[i] = clamp(wheels->integral_nm[i] + wheels->angle_gain * beyond, wheels->torque_nm_max);
    return went_along;
}

static double hold_nm(cairn_wheels *wheels, int i, const cairn_wheels_input *input, const cairn_sensed *sensed)
{
    count_swings(wheels, i, input, sensed);
    wheels->held_s[i] += input->period_s;
    const torque_range range = allowed(wheels, i, input);
    const double radps = sensed->wheel_radps[i];
    const bool went_along = follow_what_was_carried_away(wheels, i, sensed->wheel_rad[i]);
    const double error = wheels->hold_rad[i] - sensed->wheel_rad[i];
    const double torque = wheels->angle_gain * error - wheels->speed_gain * radps + wheels->integral_nm[i];
    const bool driven = fabs(radps) > DRIVEN_RADPS && torque * radps > 0.0;
    if (driven || went_along) { return brake_loose_nm(wheels, i, input, sensed); }
    const bool moves = sensed->wheel_rad[i] != wheels->before_rad[i];
    wheels->still_s[i] = moves ? 0.0 : wheels->still_s[i] + input->period_s;
    const double more_nm = wheels->integral_nm[i] - slope_nm(wheels, input->slope);
    const bool in_vain = more_nm * error > 0.0 && fabs(more_nm) > HOLD_MORE * wheels->gentle_nm;
    const bool integrates = fabs(error) > wheels->slack_rad && wheels->still_s[i] < PATIENCE_S && !in_vain;
    const double addition = integrates ? wheels->hold_gain * error * input->period_s : 0.0;
    wheels->integral_nm[i] = add_unless_bound(wheels->integral_nm[i], addition, torque, range);
    return within(torque, range);
}

// Begins to hold once the wheel has nearly come to rest: at the angle where it will, without swinging back, and with no
// less than the slope takes. The step in which the set speed falls to zero still drives: it takes back the torque that
// sped the wheel up.
static bool holds(cairn_wheels *wheels, int i, const cairn_wheels_input *input, const cairn_sensed *sensed)
{
    if (wheels->standing_s <= input->period_s) { return false; }
    const bool slow = fabs(sensed->wheel_radps[i]) < STILL_RADPS;
    if (!wheels->holding[i] && (slow || wheels->standing_s > STILL_S)) {
        wheels->holding[i] = true;
        wheels->held_s[i] = 0.0;
        wheels->still_s[i] = 0.0;
        wheels->hold_rad[i] = sensed->wheel_rad[i] + sensed->wheel_radps[i] * wheels->settle_s;
        const double balance = slope_nm(wheels, input->slope);
        if (balance * (balance - wheels->integral_nm[i]) > 0.0) { wheels->integral_nm[i] = balance; }
    }
    return wheels->holding[i];
}

static void share_integrals(cairn_wheels *wheels, double period_s)
{
    for (int side = 0; side < 2; side++) {
        double *front = &wheels->integral_nm[side], *rear = &wheels->integral_nm[side + 2];
        const double half = 0.5 * (*front - *rear) * fmin(period_s / SHARING_S, 1.0);
        *front -= half;
        *rear += half;
    }
}

// Told to stand on the way down from a crest, wheels that still turn carry the slope at once: the integral is that of
// the way up.
static void carry_slope(cairn_wheels *wheels, double slope, bool standing)
{
    const double steep = isnan(slope) ? 0.0 : slope - clamp(slope, LEVEL_SLOPE);
    const double balance_nm = slope_nm(wheels, steep);
    wheels->rolls = wheels->rolls || !standing;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        if (wheels->holding[i]) { wheels->rolls = false; } // it knows what its place takes
        const bool lacks = balance_nm * (balance_nm - wheels->integral_nm[i]) > 0.0;
        if (standing && wheels->rolls && lacks) { wheels->integral_nm[i] = balance_nm; }
    }
}

// A latched stop keeps nothing of what drove the wheels but what balances the slope.
static void forget_drive(cairn_wheels *wheels, const cairn_wheels_input *input)
{
    const double balance = slope_nm(wheels, input->slope);
    const torque_range between = {fmin(balance, 0.0), fmax(balance, 0.0)};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        if (!wheels->holding[i]) { wheels->integral_nm[i] = within(wheels->integral_nm[i], between); }
    }
}

static void forget_swings(cairn_wheels *wheels)
{
    memset(wheels->swing, 0, sizeof wheels->swing);
    wheels->restless = false;
}

void cairn_wheels_step(cairn_wheels *wheels, const cairn_wheels_input *input, const cairn_sensed *sensed,
                       double ret_torque_nm[CAIRN_WHEELS_MAX])
{
    double set_radps[CAIRN_WHEELS_MAX];
    cairn_wheels_speeds(wheels, input->wanted, set_radps);
    const bool standing = input->wanted.forward_mps == 0.0 && input->wanted.turn_radps == 0.0;
    wheels->standing_s = standing ? wheels->standing_s + input->period_s : 0.0;
    if (!standing) { forget_swings(wheels); }
    carry_slope(wheels, input->slope, standing);
    if (input->halt == CAIRN_HALT_BRAKE && wheels->halt_before != CAIRN_HALT_BRAKE) { forget_drive(wheels, input); }
    wheels->halt_before = input->halt;
    const bool blind = !sensed->encoders.fresh || wheels->restless || input->lost;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        if (blind) {
            ret_torque_nm[i] = slope_nm(wheels, input->slope);
            wheels->integral_nm[i] = 0.0;
            wheels->holding[i] = false;
        } else if (holds(wheels, i, input, sensed)) {
            ret_torque_nm[i] = hold_nm(wheels, i, input, sensed);
        } else {
            ret_torque_nm[i] = drive_nm(wheels, i, set_radps[i], input, sensed);
        }
        CAIRN_ASSERT(fabs(ret_torque_nm[i]) <= wheels->torque_nm_max);
    }
    if (!standing) { share_integrals(wheels, input->period_s); }
    memcpy(wheels->set_radps, set_radps, sizeof set_radps);
    memcpy(wheels->before_radps, sensed->wheel_radps, sizeof wheels->before_radps);
    memcpy(wheels->before_rad, sensed->wheel_rad, sizeof wheels->before_rad);
}
