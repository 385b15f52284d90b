// clock_bounds.h - what two-way stamps prove about the peer's clock.
//
// Let offset = peer - own. A packet from the peer was sent before it arrived, so the offset is at least
// (peer's send stamp - own arrival). An own packet that the peer answers had arrived after it was sent, so the offset
// is at most (peer's arrival stamp - own send). The best of each side is kept, loosened by the drift that two clocks
// may have; the estimate is the middle, the uncertainty half the gap: no more than half the smallest round trip, and
// less where the quickest packets of the two ways met different fortunes. Nothing is assumed about the delays.
// Threads  One owner; an all-zero struct knows nothing.
#pragma once
#include "base/clock.h"

typedef struct cairn_clock_bounds {
    bool has_low, has_high;
    int64_t low_ns, high_ns; // bounds of the offset, as they were at
    cairn_mono low_at, high_at;
    cairn_mono exchange_at; // the last two-way stamp
    uint32_t jump_count;    // bounds that crossed: a clock jumped or drifts more than allowed
} cairn_clock_bounds;

void cairn_clock_bounds_raise_low(cairn_clock_bounds *bounds, int64_t low_ns, cairn_mono now, uint32_t drift_ppm);
void cairn_clock_bounds_drop_high(cairn_clock_bounds *bounds, int64_t high_ns, cairn_mono now, uint32_t drift_ppm);

// Both bounds as they hold now; false before the first exchange.
CAIRN_CHECKED bool cairn_clock_bounds_at(const cairn_clock_bounds *bounds, cairn_mono now, uint32_t drift_ppm,
                                         int64_t *ret_low_ns, int64_t *ret_high_ns);
