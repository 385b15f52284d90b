#include "robot/reflex/stillness.h"
#include <math.h>

// [s] Over which means and variances are taken. Larger: surer; later to see a stir end.
#define WINDOW_S 0.25
// [-] What varies by more than so many times the sensor's own noise stirs. Smaller: misses less; a sensor that is
// noisier than its file says never rests.
#define NOISE_FACTOR 2.5
// [rad/s], [m/s2] Not below these, for sensors whose file says no noise.
#define TURN_CALM_RADPS 0.003
#define ACCEL_CALM_MPS2 0.06

static double square(double value) { return value * value; }

void cairn_stillness_init(cairn_stillness *stillness, const cairn_imu_description *imu)
{
    *stillness = (cairn_stillness){
        .turn_calm_square = 3.0 * square(fmax(NOISE_FACTOR * imu->turn_noise_radps, TURN_CALM_RADPS)),
        .accel_calm_square = 3.0 * square(fmax(NOISE_FACTOR * imu->accel_noise_mps2, ACCEL_CALM_MPS2)),
        .turn_square = INFINITY,
        .accel_square = INFINITY,
    };
}

// A running mean and the variance around it.
static void follow(cairn_vec3 *mean, double *variance, cairn_vec3 value, double part)
{
    const cairn_vec3 off = cairn_vec3_sub(value, *mean);
    *mean = cairn_vec3_add(*mean, cairn_vec3_scale(off, part));
    *variance = (1.0 - part) * (*variance + part * cairn_vec3_dot(off, off));
}

void cairn_stillness_step(cairn_stillness *stillness, const cairn_sensed *sensed)
{
    if (!sensed->imu.fresh || sensed->imu.step_s > cairn_seconds(CAIRN_SENSOR_AGE_NS_MAX)) {
        stillness->turn_square = stillness->accel_square = INFINITY;
        stillness->calm_s = 0.0;
        return;
    }
    if (!sensed->imu.is_new) { return; }
    if (isinf(stillness->turn_square)) { // the first word after a silence
        stillness->turn_radps_mean = sensed->turn_radps;
        stillness->accel_mps2_mean = sensed->accel_mps2;
        stillness->turn_square = stillness->accel_square = 0.0;
        return;
    }
    const double part = fmin(sensed->imu.step_s / WINDOW_S, 1.0);
    follow(&stillness->turn_radps_mean, &stillness->turn_square, sensed->turn_radps, part);
    follow(&stillness->accel_mps2_mean, &stillness->accel_square, sensed->accel_mps2, part);
    const bool calm =
        stillness->turn_square < stillness->turn_calm_square && stillness->accel_square < stillness->accel_calm_square;
    stillness->calm_s = calm ? stillness->calm_s + sensed->imu.step_s : 0.0;
}
