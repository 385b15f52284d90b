// moments.h - mean and deviation of what a sensor said, beside what it should be.
#pragma once
#include "near.h"

typedef struct moments {
    uint64_t count;
    double sum, squares;
} moments;

static inline void moments_add(moments *it, double value)
{
    it->count++;
    it->sum += value;
    it->squares += value * value;
}

static inline double mean_of(const moments *it) { return it->sum / (double)it->count; }
static inline double deviation_of(const moments *it)
{
    return sqrt(it->squares / (double)it->count - mean_of(it) * mean_of(it));
}

// Within four deviations of what is estimated.
static inline void assert_gauss(const moments *it, double mean, double deviation)
{
    const double n = (double)it->count;
    assert_near(mean_of(it), mean, 4 * deviation / sqrt(n));
    assert_near(deviation_of(it), deviation, 4 * deviation / sqrt(2 * n));
}
