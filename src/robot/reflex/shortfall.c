// Three witnesses against the counters of all wheels: what mind sees of the way, the gyro against the difference of the
// sides, and the accelerometer while they count it up to speed. Each must speak for long enough by itself.
#include "robot/reflex/shortfall.h"
#include <math.h>

#define GRAVITY_MPS2 9.80665
// [-], [m/s] Seen is more than counted by this. Larger: fewer false alarms where it slides; too fast by as much.
#define SEEN_FACTOR 1.4
#define SEEN_MORE_MPS 0.15
#define SEEN_S 0.5
// [s] What was counted within this may be what is seen. Larger: later where it slows down.
#define OF_LATE_S 0.3
// [s] Sight and turns are smoothed over this.
#define SMOOTH_S 0.15
// [-], [rad/s], [s] The same for turns, against wheels that do not slip.
#define TURN_FACTOR 1.2
#define TURN_MORE_RADPS 0.3
#define TURN_S 0.25
// [rad/s] Mind agrees with the gyro.
#define AGREES_RADPS 0.4
// [m/s], [s] Felt is more than counted by this: what 8 degrees of slope that nobody knows of would feel like. Forgotten
// in this time. Shorter, with less in proportion: sooner; jolts count for more.
#define FELT_MORE_MPS 0.28
#define FELT_S 0.2
#define SPEEDED_S 0.04
#define GRIP_MPS2 5.0      // no wheels speed up so: a blow, or a slope that nobody knows of
#define SPEEDS_UP_MPS 0.04 // beyond the smoothed speed: at 0.27 m/s2
// [m/s], [rad/s] Less tells of no way.
#define MOVES_MPS 0.05
#define MOVES_RADPS 0.15

void cairn_shortfall_init(cairn_shortfall *shortfall, const cairn_body_description *description)
{
    CAIRN_ASSERT(description->wheels.radius_m > 0.0 && description->wheels.track_m > 0.0);
    *shortfall = (cairn_shortfall){.radius_m = description->wheels.radius_m, .track_m = description->wheels.track_m};
}

void cairn_shortfall_forget(cairn_shortfall *shortfall)
{
    *shortfall = (cairn_shortfall){.radius_m = shortfall->radius_m, .track_m = shortfall->track_m};
}

static void smooth(double *mean, double value, double period_s)
{
    *mean += (value - *mean) * fmin(period_s / SMOOTH_S, 1.0);
}

// Only while it is counted that it speeds up: what it feels else is a slope that nobody knows of.
static void feel(cairn_shortfall *shortfall, const cairn_shortfall_input *input, double counted_mps)
{
    const cairn_sensed *sensed = input->sensed;
    const double mps2 = sensed->accel_mps2.x - GRAVITY_MPS2 * input->attitude->up.x;
    const bool feels = sensed->imu.fresh && input->attitude->known && fabs(mps2) < GRIP_MPS2;
    if (!feels) {
        shortfall->more_mps = 0.0;
        return;
    }
    smooth(&shortfall->before_mps, counted_mps, input->period_s);
    if ((counted_mps - shortfall->before_mps) * counted_mps > SPEEDS_UP_MPS * fabs(counted_mps)) {
        if (sensed->imu.is_new) { shortfall->more_mps += mps2 * fmin(sensed->imu.step_s, FELT_S); }
        shortfall->more_mps -= counted_mps - shortfall->counted_mps;
    }
    shortfall->more_mps *= 1.0 - fmin(input->period_s / FELT_S, 1.0);
}

// Beyond a bound that goes the same way.
static bool exceeds(double value, double counted, double least, double bound)
{
    return fabs(counted) > least && value * counted > 0.0 && fabs(value) > bound;
}

static double lasts(double before_s, bool odd, double period_s) { return odd ? before_s + period_s : 0.0; }

bool cairn_shortfall_step(cairn_shortfall *shortfall, const cairn_shortfall_input *input)
{
    CAIRN_ASSERT(shortfall->radius_m > 0.0 && shortfall->track_m > 0.0 && input->period_s > 0.0);
    const double *radps = input->sensed->wheel_radps, period_s = input->period_s;
    const double left_mps = 0.5 * shortfall->radius_m * (radps[0] + radps[2]);
    const double right_mps = 0.5 * shortfall->radius_m * (radps[1] + radps[3]);
    const double counted_mps = 0.5 * (left_mps + right_mps);
    const cairn_seen_motion *saw = input->saw;

    feel(shortfall, input, counted_mps);
    shortfall->counted_mps = counted_mps;
    shortfall->most_mps *= 1.0 - fmin(period_s / OF_LATE_S, 1.0);
    shortfall->most_mps = fmax(shortfall->most_mps, fabs(counted_mps));
    smooth(&shortfall->seen_mps, saw != NULL ? saw->forward_mps : counted_mps, period_s);
    smooth(&shortfall->counted_radps, (right_mps - left_mps) / shortfall->track_m, period_s);
    const double counted_radps = shortfall->counted_radps;
    smooth(&shortfall->felt_radps, isnan(input->turn_radps) ? counted_radps : input->turn_radps, period_s);

    const double felt_radps = shortfall->felt_radps;
    const double turn_radps_max = TURN_FACTOR * fabs(counted_radps) + TURN_MORE_RADPS;
    const bool agrees = saw != NULL && fabs(saw->turn_radps - felt_radps) < AGREES_RADPS;
    const bool turned = exceeds(felt_radps, counted_radps, MOVES_RADPS, turn_radps_max) ||
                        (agrees && fabs(felt_radps) > turn_radps_max);
    const bool seen = saw != NULL && exceeds(shortfall->seen_mps, counted_mps, MOVES_MPS,
                                             SEEN_FACTOR * shortfall->most_mps + SEEN_MORE_MPS);
    const bool speeded = exceeds(shortfall->more_mps, counted_mps, 2.0 * MOVES_MPS, FELT_MORE_MPS);
    shortfall->seen_s = lasts(shortfall->seen_s, input->driven && seen, period_s);
    shortfall->turned_s = lasts(shortfall->turned_s, input->driven && turned, period_s);
    shortfall->speeded_s = lasts(shortfall->speeded_s, input->driven && speeded, period_s);
    return shortfall->seen_s >= SEEN_S || shortfall->turned_s >= TURN_S || shortfall->speeded_s >= SPEEDED_S;
}
