// clock_bounds.c - see clock_bounds.h. The same idea as interval intersection in time protocols (Marzullo 1984), with
// one interval end from each way.
#include "link/clock_bounds.h"

static int64_t loosened_ns(cairn_mono now, cairn_mono since, uint32_t drift_ppm)
{
    const int64_t elapsed_ns = cairn_mono_since(now, since);
    return elapsed_ns <= 0 ? 0 : elapsed_ns / 1000000 * drift_ppm;
}

void cairn_clock_bounds_raise_low(cairn_clock_bounds *bounds, int64_t low_ns, cairn_mono now, uint32_t drift_ppm)
{
    if (bounds->has_low && low_ns < bounds->low_ns - loosened_ns(now, bounds->low_at, drift_ppm)) { return; }
    bounds->has_low = true;
    bounds->low_ns = low_ns;
    bounds->low_at = now;
    if (bounds->has_high && low_ns > bounds->high_ns + loosened_ns(now, bounds->high_at, drift_ppm)) {
        bounds->has_high = false;
        bounds->jump_count++;
    }
}

void cairn_clock_bounds_drop_high(cairn_clock_bounds *bounds, int64_t high_ns, cairn_mono now, uint32_t drift_ppm)
{
    bounds->exchange_at = now;
    if (bounds->has_high && high_ns > bounds->high_ns + loosened_ns(now, bounds->high_at, drift_ppm)) { return; }
    bounds->has_high = true;
    bounds->high_ns = high_ns;
    bounds->high_at = now;
    if (bounds->has_low && high_ns < bounds->low_ns - loosened_ns(now, bounds->low_at, drift_ppm)) {
        bounds->has_low = false;
        bounds->jump_count++;
    }
}

bool cairn_clock_bounds_at(const cairn_clock_bounds *bounds, cairn_mono now, uint32_t drift_ppm, int64_t *ret_low_ns,
                           int64_t *ret_high_ns)
{
    if (!bounds->has_low || !bounds->has_high) { return false; }
    *ret_low_ns = bounds->low_ns - loosened_ns(now, bounds->low_at, drift_ppm);
    *ret_high_ns = bounds->high_ns + loosened_ns(now, bounds->high_at, drift_ppm);
    return true;
}
