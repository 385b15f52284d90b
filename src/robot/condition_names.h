// condition_names.h - what a robot knows about itself and says: what has become of it, and how well it knows its place.
//
// Numbers are on the air (telemetry) and in journals: never renumber. Beside each condition stands its truth: the one
// predicate by which a simulator judges whether a robot should say it (sim/campaign). It must be said within
// CAIRN_CONDITION_NS_MAX of being true.
#pragma once
#include "base/clock.h"
#include <stdbool.h>

#define CAIRN_CONDITION_NS_MAX CAIRN_S(2)

// Where several are true at once, one is said: fallen, lifted, tilted, sliding, wedged, high-centred, spinning,
// blocked, blind, in this order. High-centred, spinning, blocked and wedged are all stuck, and one kind may be said for
// another: nothing feels the belly; without bumpers nothing tells what touches; and wheels that spin to and fro in a
// turn look as if they stood.
typedef enum cairn_condition {
    CAIRN_CONDITION_WELL = 0,
    // Its belly carries it: within a second its wheels turn by more than 0.1 m of rim (mean of both sides), and it
    // moves and turns (by its half track) by less than a fifth of what that should move it (a turn: times
    // turn_efficiency), while something below touches another part of it than wheels. One that goes and turns by more
    // than 0.6 of what it is told gets on, and is not stuck: belts that nobody counts may turn as they like.
    CAIRN_CONDITION_HIGH_CENTRED = 1,
    // The same, with only wheels on the ground.
    CAIRN_CONDITION_SPINNING = 2,
    // Within a second its wheels are told (after the guards) to move it by 0.1 m or turn it by 0.2 rad, and neither it
    // nor they do so by a fifth; and what it touches is not on both sides.
    CAIRN_CONDITION_BLOCKED = 3,
    // As blocked, with something touching on two opposite sides.
    CAIRN_CONDITION_WEDGED = 4,
    // Steeper than limits.tilt_rad_max, and less than fallen.
    CAIRN_CONDITION_TILTED = 5,
    // More than 60 degrees from upright.
    CAIRN_CONDITION_FALLEN = 6,
    // Nothing touches it, and it is not falling freely: somebody carries it. (A robot that lies on its belly with all
    // wheels in the air is not lifted; hence not "no wheel".)
    CAIRN_CONDITION_LIFTED = 7,
    // For a second, on its wheels, it moves over the ground by more than 0.1 m/s, and its wheels stand or turn the
    // other way. (Slower is within what a match of scans can be wrong by; shorter is the hull that sways when wheels
    // stop.)
    CAIRN_CONDITION_SLIDING = 8,
    // What it must see by is silent, frozen or sees nothing by a fault (laser, or range imager).
    CAIRN_CONDITION_BLIND = 9,
    CAIRN_CONDITION_COUNT
} cairn_condition;

// Whether it tries to get free.
typedef enum cairn_escape {
    CAIRN_ESCAPE_NONE = 0,
    CAIRN_ESCAPE_UNDER_WAY = 1,
    CAIRN_ESCAPE_NEEDS_HELP = 2, // it has tried, and stands
} cairn_escape;

// How well it knows its place. Good means: off by less than 0.5 m.
typedef enum cairn_health {
    CAIRN_HEALTH_GOOD = 0,
    CAIRN_HEALTH_DEGRADED = 1, // it goes on, and what it says of places is to be doubted
    CAIRN_HEALTH_LOST = 2,     // its trail is cut: it begins anew, and nothing that it says bends the map
    CAIRN_HEALTH_COUNT
} cairn_health;

typedef enum cairn_health_reason {
    CAIRN_HEALTH_FINE = 0,
    CAIRN_HEALTH_NO_STRUCTURE = 1, // nothing around it tells one place from the next
    CAIRN_HEALTH_SLIP = 2,         // wheels slip or spin
    CAIRN_HEALTH_DISAGREE = 3,     // wheels, gyro and laser tell different ways
    CAIRN_HEALTH_TILT = 4,         // it leans: the laser does not see what the map has
    CAIRN_HEALTH_FEW_MATCHES = 5,  // scans do not fit the map
    CAIRN_HEALTH_CARRIED = 6,      // it was lifted or pushed
    CAIRN_HEALTH_RESTARTED = 7,    // its programs were started again, and nobody knows how far it rolled
    CAIRN_HEALTH_BLIND = 8,        // its laser is silent or broken
    CAIRN_HEALTH_REASON_COUNT
} cairn_health_reason;

// High-centred, spinning, blocked or wedged.
bool cairn_condition_is_stuck(unsigned condition);
// Its place among those that may be true at once: the smaller is said.
unsigned cairn_condition_rank(unsigned condition);
// In words for people: "fallen", "its belly is stuck", ...; NULL for any other number.
const char *cairn_condition_name(unsigned condition);
const char *cairn_health_name(unsigned health);
const char *cairn_health_reason_name(unsigned reason);
// What a person can do about it; NULL where there is nothing to do.
const char *cairn_condition_advice(unsigned condition);
