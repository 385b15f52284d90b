// motor.h - what a wheel's motor makes of the torque that it is asked for; the same in both physics.
#pragma once
#include "body/description.h"

// Less than asked as the wheel nears its highest speed, all of it when braking, and always the gears' drag.
double cairn_motor_torque_nm(const cairn_wheels_description *wheels, double wanted_nm, double speed_radps);
