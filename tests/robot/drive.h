// drive.h - a robot that is driven about among walls: its true poses, its poor odometry, and its laser's sweeps.
//
// Rays are cast one by one against segments, each beam from where the robot was at its time. The private frame begins
// at the start that drive_init is given.
#pragma once
#include "../matching/world.h"
#include "robot/deliberate/straighten.h"

#define DRIVE_BEAMS 541
#define DRIVE_SCAN_AGE_NS CAIRN_MS(24) // from the first beam to now: 18.75 ms of sweep, then the delay

typedef struct drive {
    world walls;
    cairn_pose2 start;   // map_T_private
    double distance_err; // [-] odometry says this much too long a way
    double bias_radps;   // of the gyro, after its own correction
    double noise_m;      // of a range
    cairn_random random;
    cairn_laser_description laser;
    cairn_mono now;
    cairn_reflex_state state;
    cairn_pose2 truth[CAIRN_ODOM_RECENT]; // map_T_base at the times of state.recent
    cairn_scan_frame scan;
} drive;

static inline void drive_push(drive *d, cairn_pose2 map_T_base)
{
    cairn_reflex_state *state = &d->state;
    if (state->recent_count == CAIRN_ODOM_RECENT) {
        memmove(state->recent, state->recent + 1, (CAIRN_ODOM_RECENT - 1) * sizeof state->recent[0]);
        memmove(d->truth, d->truth + 1, (CAIRN_ODOM_RECENT - 1) * sizeof d->truth[0]);
        state->recent_count--;
    }
    d->truth[state->recent_count] = map_T_base;
    state->recent[state->recent_count++] = (cairn_odom_stamp){d->now, state->odom_T_base};
    state->at = d->now;
    state->step_count++;
}

// Call after the walls are in.
static inline void drive_init(drive *d, cairn_pose2 start, uint64_t seed)
{
    d->start = start;
    d->now = (cairn_mono){CAIRN_S(1)};
    d->state = (cairn_reflex_state){0};
    d->laser = (cairn_laser_description){.offered = true,
                                         .base_T_laser = {{0.16, 0, 0.33}, {1, 0, 0, 0}},
                                         .beam_count = DRIVE_BEAMS,
                                         .range_m_min = 0.06,
                                         .range_m_max = 30};
    cairn_random_init(&d->random, seed, "tests/drive");
    for (int i = 0; i < CAIRN_ODOM_RECENT; i++) {
        d->now.ns += CAIRN_MS(8);
        drive_push(d, start);
    }
}

static inline cairn_pose2 drive_truth(const drive *d) { return d->truth[d->state.recent_count - 1]; }

// The true private_T_base now, and at an earlier time.
static inline cairn_pose2 drive_private(const drive *d) { return cairn_pose2_between(d->start, drive_truth(d)); }
static inline cairn_pose2 drive_truth_at(const drive *d, cairn_mono at)
{
    for (uint32_t i = 1; i < d->state.recent_count; i++) {
        const int64_t from_ns = d->state.recent[i - 1].at.ns, to_ns = d->state.recent[i].at.ns;
        if (at.ns > to_ns) { continue; }
        return cairn_pose2_blend(d->truth[i - 1], d->truth[i], (double)(at.ns - from_ns) / (double)(to_ns - from_ns));
    }
    return drive_truth(d);
}

// One period of 8 ms.
static inline void drive_step(drive *d, double forward_mps, double turn_radps)
{
    const double dt_s = 0.008;
    const cairn_pose2 moved = {forward_mps * dt_s, 0, turn_radps * dt_s};
    const cairn_pose2 felt = {moved.x_m * (1 + d->distance_err), 0, moved.yaw_rad + d->bias_radps * dt_s};
    d->now.ns += CAIRN_MS(8);
    d->state.odom_T_base = cairn_pose2_compose(d->state.odom_T_base, felt);
    d->state.distance_m += fabs(felt.x_m);
    d->state.forward_mps = forward_mps;
    d->state.turn_radps = turn_radps;
    drive_push(d, cairn_pose2_compose(drive_truth(d), moved));
}

// The sweep that has just arrived, in d->scan.
static inline void drive_scan(drive *d)
{
    d->scan = (cairn_scan_frame){.taken = {d->now.ns - DRIVE_SCAN_AGE_NS},
                                 .beam_count = DRIVE_BEAMS,
                                 .angle_rad_first = (float)(-0.75 * CAIRN_PI),
                                 .angle_rad_step = (float)(1.5 * CAIRN_PI / (DRIVE_BEAMS - 1)),
                                 .beam_ns_step = 18.75e6f / (DRIVE_BEAMS - 1),
                                 .range_m_min = 0.06f,
                                 .range_m_max = 30.0f};
    for (uint32_t i = 0; i < DRIVE_BEAMS; i++) {
        const cairn_mono at = {d->scan.taken.ns + (int64_t)((double)d->scan.beam_ns_step * i)};
        const cairn_pose2 map_T_base = drive_truth_at(d, at);
        const cairn_vec2 from = cairn_pose2_apply(map_T_base, (cairn_vec2){0.16, 0});
        const double bearing =
            map_T_base.yaw_rad + (double)d->scan.angle_rad_first + (double)d->scan.angle_rad_step * i;
        const double range_m = world_range(&d->walls, from, bearing) + d->noise_m * cairn_random_gauss(&d->random);
        d->scan.range_m[i] = range_m < 30 ? (float)range_m : INFINITY;
    }
}

// A room of 7 x 5 m with two boxes and a niche: every direction has something to hold on to.
static inline void drive_furnish_room(drive *d)
{
    *d = (drive){.noise_m = 0.01};
    world_add_box(&d->walls, 0, 0, 7, 5);
    world_add_box(&d->walls, 3, 2, 3.8, 2.8);
    world_add_box(&d->walls, 5.6, 0, 6.2, 0.9);
    world_add_box(&d->walls, 0, 3.9, 1.1, 5);
}
