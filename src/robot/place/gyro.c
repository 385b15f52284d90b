#include "robot/place/gyro.h"
#include <math.h>

#define LEARN_S 10.0         // smaller: follows faster, and noise too
#define DRIFT_RADPS_MAX 0.02 // more is no bias
#define TURN_RADPS_MAX 0.3   // while the robot turns, a gyro's scale errs by more than its bias
#define KNOWN_RAD 0.002      // deviation of a heading that says something of the bias

void cairn_gyro_rest(cairn_gyro *gyro, double bias_radps_at_rest)
{
    if (bias_radps_at_rest != gyro->bias_radps_at_rest) { *gyro = (cairn_gyro){0, bias_radps_at_rest}; }
}

void cairn_gyro_learn(cairn_gyro *gyro, const cairn_gyro_evidence *evidence)
{
    if (evidence->match->information[8] < 1 / (KNOWN_RAD * KNOWN_RAD)) { return; }
    if (fabs(evidence->turn_radps) > TURN_RADPS_MAX) { return; }
    const double drift_radps = gyro->drift_radps + evidence->turned_back_rad / LEARN_S;
    gyro->drift_radps = fmin(fmax(drift_radps, -DRIFT_RADPS_MAX), DRIFT_RADPS_MAX);
}
