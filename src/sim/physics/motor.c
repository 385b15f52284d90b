#include "sim/physics/motor.h"
#include <math.h>

// From this part of the highest speed on, a motor's torque falls linearly to nothing.
#define TORQUE_KNEE 0.75
// Viscous drag of a wheel's gears at its highest speed, as part of its highest torque.
#define DRAG_PART 0.02

double cairn_motor_torque_nm(const cairn_wheels_description *wheels, double wanted_nm, double speed_radps)
{
    double limit_nm = wheels->torque_nm_max;
    if (wanted_nm * speed_radps > 0) {
        const double left = (1 - fabs(speed_radps) / wheels->speed_radps_max) / (1 - TORQUE_KNEE);
        limit_nm *= fmin(fmax(left, 0), 1);
    }
    const double drag_nm = DRAG_PART * wheels->torque_nm_max * speed_radps / wheels->speed_radps_max;
    return fmin(fmax(wanted_nm, -limit_nm), limit_nm) - drag_nm;
}
