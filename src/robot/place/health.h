// health.h - how well a robot knows its place, in one word and a reason: good, degraded or lost.
//
// All that is known of the place's deviation is kept in the hold (hold.h), and health is made of that: degraded is what
// the hold doubts, lost is beyond CAIRN_LOST_M. What no deviation tells stands beside it: gravity (a robot that has
// fallen, or is carried, is lost at once, and its hold with it), a laser that is silent, a frame that began anew. Lost
// stays so until the hold is sure again; so nobody is lost and found from one scan to the next.
// Not seen  A robot that slides while its wheels stand and its scans tell nothing of the way.
// Threads   The owner's.
#pragma once
#include "robot/condition_names.h"
#include "robot/place/hold.h"

#define CAIRN_LOST_M 3.0        // [m] deviation. Larger: bends the map by more; smaller: is cut off where it finds back
#define CAIRN_FALLEN_RAD 1.0472 // from upright, as the condition "fallen" has it
#define CAIRN_OFF_FEET_NS CAIRN_MS(200) // for so long: a bump on the way is over sooner

typedef struct cairn_health_evidence {
    double tilt_rad;     // from upright, by gravity; NaN: not known
    double tilt_rad_max; // of its file
    bool carried;        // somebody has it in his hands
    bool slips;          // wheels and laser tell different ways
    bool contradicted;   // the last scan did not fit the map, or was not believed
    double weakness;     // [-] of the last match: 1 tells nothing along one direction
    bool blind;          // its laser is silent, or says what cannot be
    bool restarted;      // its frame began where nobody knows
    bool apart;          // its trail was cut, and the station has not heard of that yet
} cairn_health_evidence;

typedef struct cairn_place_health {
    cairn_health health;
    cairn_health_reason reason; // CAIRN_HEALTH_FINE while it is good
    bool off_feet;              // fallen or carried: wheels tell nothing, and scans are not of the floor
    cairn_mono on_feet_at;      // last
    cairn_mono beside_at;       // something beside the hold made it doubt its place, last; 0: never
} cairn_place_health;

// After each look at the evidence. A robot off its feet loses its hold.
void cairn_health_step(cairn_place_health *health, cairn_hold *hold, const cairn_health_evidence *evidence,
                       cairn_mono now);
// Angle from upright of a body with this roll and pitch; NaN when one is not known.
double cairn_health_tilt_rad(double roll_rad, double pitch_rad);
