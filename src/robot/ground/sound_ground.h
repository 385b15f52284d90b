// sound_ground.h - where the ground carries a robot, as the levels tell it to each other.
#pragma once
#include "base/clock.h"
#include "geometry/vec.h"

// Deliberate to behaviour and to reflex, of robots that see the ground: where it carries them (seen_ground.h). It is as
// true later as when it was told; beyond it nothing is known. Cells of the odom frame, numbered from its origin.
#define CAIRN_SEEN_CELLS 128 // along each edge; a power of 2
#define CAIRN_SEEN_CELL_M 0.05
// [m] So much beside what stands on the ground must carry, too, and so much before and behind it of a robot that turns
// on the spot, or goes at GOING_MPS and faster: three cells of what was seen. Larger: edges stay farther away; more
// must be seen before it may go.
#define CAIRN_GROUND_ASIDE_M 0.03
#define CAIRN_GROUND_TURNING_M 0.06
#define CAIRN_GROUND_AHEAD_M 0.15
#define CAIRN_GROUND_GOING_MPS 0.03
typedef struct cairn_sound_ground {
    cairn_mono issued;
    uint64_t odom_id;                                      // which odometry it is of, as reflex counts them
    int32_t low_x, low_y;                                  // of the first cell
    uint8_t bits[CAIRN_SEEN_CELLS * CAIRN_SEEN_CELLS / 8]; // row by row, lowest bit first; set: it carries
} cairn_sound_ground;

// [m] So far before and behind the wheels of a robot that goes so fast.
static inline double cairn_ground_ahead_m(double forward_mps)
{
    const double going = fmin(fabs(forward_mps) / CAIRN_GROUND_GOING_MPS, 1.0);
    return CAIRN_GROUND_TURNING_M + going * (CAIRN_GROUND_AHEAD_M - CAIRN_GROUND_TURNING_M);
}

// Whether it carries at a point of the odometry's frame. Whatever was told as the first cell, no other bit is looked at
// than one of the map's.
static inline bool cairn_sound_ground_carries(const cairn_sound_ground *ground, cairn_vec2 at_m)
{
    const double x = floor(at_m.x / CAIRN_SEEN_CELL_M) - ground->low_x;
    const double y = floor(at_m.y / CAIRN_SEEN_CELL_M) - ground->low_y;
    if (!(x >= 0 && y >= 0 && x < CAIRN_SEEN_CELLS && y < CAIRN_SEEN_CELLS)) { return false; }
    const uint32_t cell = (uint32_t)y * CAIRN_SEEN_CELLS + (uint32_t)x;
    return (ground->bits[cell >> 3] >> (cell & 7) & 1) != 0;
}
