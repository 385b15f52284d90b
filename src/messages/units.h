// units.h - from SI to the whole numbers on the air: one rounding for all who write messages.
#pragma once
#include <math.h>
#include <stdint.h>

static inline int32_t cairn_to_milli(double value) { return (int32_t)lround(value * 1e3); }
static inline int32_t cairn_to_micro(double value) { return (int32_t)lround(value * 1e6); }
