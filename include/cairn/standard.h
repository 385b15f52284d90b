// standard.h - what our headers need of the C library. First of all, so that nothing of it lies within extern "C".
#pragma once
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
