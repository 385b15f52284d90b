// near.h - a figure beside what it should be, within what it may be off.
#pragma once
#include "check.h"
#include <math.h>

static inline void assert_near(double is, double should_be, double within)
{
    if (!(fabs(is - should_be) <= within)) { fail_msg("%.6g is not %.6g within %g", is, should_be, within); }
}
