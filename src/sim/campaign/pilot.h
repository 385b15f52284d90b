// pilot.h - an operator who means harm, or only plays: sees the truth, and says what any person at the page could say.
//
// Each robot has a whim at a time, for some seconds: a stick held anywhere; full stick at a wall, a person, another
// robot, an edge or a ramp's side, forwards or backwards; a goal beyond one; a mode; a stop, and its release; nothing
// at all, in the middle of a motion, without letting go.
//
// Threads  One owner. The same stream and truth give the same words.
#pragma once
#include "base/inbox.h"
#include "base/random.h"
#include "robot/guard_names.h"
#include "sim/physics/physics.h"
#include "station/operator/operator.h"

#define CAIRN_PILOT_PERIOD_NS CAIRN_MS(48)

typedef enum cairn_pilot_temper {
    CAIRN_PILOT_AWAY, // says nothing
    CAIRN_PILOT_PLAYS,
    CAIRN_PILOT_HOSTILE,
    CAIRN_PILOT_STOPS // and releases, by turns, and nothing else
} cairn_pilot_temper;

typedef struct cairn_pilot {
    const cairn_sim_arena *arena; // borrowed
    uint32_t robot;               // index
    cairn_pilot_temper temper;
    cairn_random random;
    int64_t until_ns; // of the whim
    bool drives;      // holds the stick
    bool aims;        // at a place; else the stick stays
    bool backwards;
    cairn_vec2 aim_m;
    double forward, turn; // [-] of the stick
    bool stopped;         // by this pilot, and not released
    uint32_t overridable; // guards that he may hold off; 0: he holds none
    uint32_t overridden;  // those that he holds off now
    int64_t override_until_ns;
    cairn_random override_random;
} cairn_pilot;

// overridable: guards that he holds off by turns, some at a time; they take nothing of the other chance.
void cairn_pilot_init(cairn_pilot *pilot, const cairn_sim_arena *arena, uint32_t robot, cairn_pilot_temper temper,
                      uint32_t overridable, uint64_t seed);
// Every CAIRN_PILOT_PERIOD_NS. truths: of all robots.
void cairn_pilot_step(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count, cairn_inbox *operators,
                      cairn_mono now);
// Chooses something nearby that stands, to drive at; false if there is nothing.
bool cairn_pilot_aim_at_solid(cairn_pilot *pilot, cairn_vec3 from_m);
// The stick that takes it there from here.
void cairn_pilot_steer(const cairn_pilot *pilot, cairn_pose2 map_T_base, double *ret_forward, double *ret_turn);
