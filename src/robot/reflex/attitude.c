#include "robot/reflex/attitude.h"
#include <math.h>

#define GRAVITY_MPS2 9.80665
// [s] Over this time the accelerometer corrects the gyro. Larger: less moved by jolts and ridges; a gyro's bias costs
// bias * time constant of error until it is learnt, which takes four times as long.
#define TIME_CONSTANT_S 4.0
// [rad] and [s]: gravity that is farther off than this for so long is no push: the gyro was deaf to a fall, and is
// overruled within a second. Larger: the tilt guard comes later.
#define ODD_RAD 0.1
#define ODD_S 1.0
#define OVERRULED_S 1.0
#define EVEN_RAD 0.02
// [m/s2] An accelerometer that is further from gravity than this measures a jolt, not a direction.
#define JOLT_MPS2 2.0
// [m/s2], [s] One whose length in the mean over so long is further from gravity than this is off by something that
// lasts. Larger: believes a false lean (0.4: up to 16 degrees, by an error along the ground); smaller: never believes a
// sensor that is 4 % off by itself.
#define FOUL_MPS2 0.4
#define FOUL_MEAN_S 0.5
// [s] No jolt and no fall lasts so long: an accelerometer that says nothing else, or most of the time, is broken, and
// by the gyro alone nobody knows how it leans. Larger: rides out longer shaking; drifts for longer.
#define LOUD_S 2.0
// [m/s2], [s] It is believed again when its length in the mean has been so near to gravity for so long.
#define SOUND_MPS2 0.3
#define SOUND_S 1.0

void cairn_attitude_init(cairn_attitude *attitude) { *attitude = (cairn_attitude){.up = {0.0, 0.0, 1.0}}; }

static cairn_vec3 unit(cairn_vec3 v) { return cairn_vec3_scale(v, 1.0 / cairn_vec3_length(v)); }

// Gravity's share of the accelerometer: less the acceleration along the path and that of the turn.
static cairn_vec3 gravity_share(cairn_attitude *attitude, const cairn_sensed *sensed,
                                const cairn_attitude_motion *motion)
{
    double along = 0.0;
    if (sensed->imu.step_s > 0.0) { along = (motion->forward_mps - attitude->forward_mps) / sensed->imu.step_s; }
    along = fmin(fmax(along, -motion->accel_mps2_max), motion->accel_mps2_max);
    attitude->forward_mps = motion->forward_mps;
    const double turn_radps = sensed->turn_radps.z - motion->turn_bias_radps.z;
    const cairn_vec3 own = {along, motion->forward_mps * turn_radps, 0.0};
    return cairn_vec3_sub(sensed->accel_mps2, own);
}

// A correction that goes on is an error of the bias; a quarter of the rate's square is as fast as it may be learnt
// without overshooting. About the vertical gravity tells nothing.
static cairn_vec2 bias_error(cairn_vec3 up, cairn_vec3 error, double step_s)
{
    const cairn_vec3 correction = cairn_vec3_cross(error, up);
    const double gain = -step_s / (4.0 * TIME_CONSTANT_S * TIME_CONSTANT_S);
    return (cairn_vec2){gain * correction.x, gain * correction.y};
}

// The time within which gravity corrects what the gyro said.
static double correct_within_s(cairn_attitude *attitude, double error_rad, double step_s)
{
    const bool overruled = attitude->odd_s > ODD_S;
    attitude->odd_s = error_rad > (overruled ? EVEN_RAD : ODD_RAD) ? attitude->odd_s + step_s : 0.0;
    return attitude->odd_s > ODD_S ? fmin(OVERRULED_S, attitude->settled_s) : attitude->settled_s;
}

// Whether the accelerometer says what may be gravity, now and in the mean.
static bool is_calm(cairn_attitude *attitude, cairn_vec3 gravity, double step_s)
{
    const double off_mps2 = cairn_vec3_length(gravity) - GRAVITY_MPS2;
    if (fabs(off_mps2) >= JOLT_MPS2) { return false; }
    const double part = attitude->felt ? fmin(step_s / FOUL_MEAN_S, 1.0) : 1.0;
    attitude->felt = true;
    attitude->off_mps2 += (off_mps2 - attitude->off_mps2) * part;
    return fabs(attitude->off_mps2) < (attitude->foul ? SOUND_MPS2 : FOUL_MPS2);
}

// Counts for how long the accelerometer has been sound or not. Once it is not believed, the lean is no longer known.
static void judge_accelerometer(cairn_attitude *attitude, bool calm, double step_s)
{
    CAIRN_ASSERT(step_s >= 0.0);
    attitude->loud_s = fmin(fmax(attitude->loud_s + (calm ? -step_s : step_s), 0.0), LOUD_S + step_s);
    attitude->sound_s = calm ? attitude->sound_s + step_s : 0.0;
    if (attitude->loud_s > LOUD_S && !attitude->foul) {
        *attitude = (cairn_attitude){.up = {0.0, 0.0, 1.0},
                                     .forward_mps = attitude->forward_mps,
                                     .felt = attitude->felt,
                                     .off_mps2 = attitude->off_mps2,
                                     .foul = true,
                                     .loud_s = attitude->loud_s};
    }
    if (attitude->foul && attitude->sound_s >= SOUND_S) {
        attitude->foul = false;
        attitude->loud_s = 0.0;
    }
}

void cairn_attitude_step(cairn_attitude *attitude, const cairn_sensed *sensed, const cairn_attitude_motion *motion)
{
    attitude->bias_radps_error = (cairn_vec2){0};
    if (!sensed->imu.is_new) { return; }
    const bool was_silent = sensed->imu.step_s > cairn_seconds(CAIRN_SENSOR_AGE_NS_MAX);
    if (was_silent) { cairn_attitude_init(attitude); }
    const double step_s = was_silent ? 0.0 : sensed->imu.step_s; // what it would have said meanwhile nobody knows
    const cairn_vec3 gravity = gravity_share(attitude, sensed, motion);
    const bool calm = is_calm(attitude, gravity, step_s);
    judge_accelerometer(attitude, calm, step_s);
    if (!attitude->known) {
        if (!calm || attitude->foul) { return; }
        attitude->up = unit(gravity);
        attitude->known = true;
        return;
    }
    // A direction fixed in the world turns the other way as seen from the base.
    const cairn_vec3 turn = cairn_vec3_sub(sensed->turn_radps, motion->turn_bias_radps);
    const cairn_vec3 change = cairn_vec3_scale(cairn_vec3_cross(attitude->up, turn), step_s);
    cairn_vec3 up = unit(cairn_vec3_add(attitude->up, change));
    if (calm) {
        attitude->settled_s = fmin(attitude->settled_s + step_s, TIME_CONSTANT_S);
        const cairn_vec3 error = cairn_vec3_sub(unit(gravity), up);
        const double within_s = correct_within_s(attitude, cairn_vec3_length(error), step_s);
        const double part = fmin(step_s / within_s, 1.0); // at first a plain mean
        if (attitude->settled_s >= TIME_CONSTANT_S) { attitude->bias_radps_error = bias_error(up, error, step_s); }
        up = unit(cairn_vec3_add(up, cairn_vec3_scale(error, part)));
    }
    attitude->up = up;
}

double cairn_attitude_roll_rad(const cairn_attitude *attitude)
{
    return attitude->known ? atan2(attitude->up.y, attitude->up.z) : NAN;
}

double cairn_attitude_pitch_rad(const cairn_attitude *attitude)
{
    return attitude->known ? atan2(-attitude->up.x, hypot(attitude->up.y, attitude->up.z)) : NAN;
}

double cairn_attitude_slope(const cairn_attitude *attitude, double tilt_rad_max)
{
    CAIRN_ASSERT(tilt_rad_max >= 0.0);
    const double tilt_rad = cairn_attitude_tilt_rad(attitude);
    return tilt_rad <= tilt_rad_max ? attitude->up.x : NAN; // NaN fails the comparison
}

double cairn_attitude_tilt_rad(const cairn_attitude *attitude)
{
    return attitude->known ? atan2(hypot(attitude->up.x, attitude->up.y), attitude->up.z) : NAN;
}
