// victims.h - one list of victims from all robots' sightings.
//
// Sightings of one robot carry an id and are updated under it. A sighting within 0.9 m of a victim on the same floor is
// of it, whoever saw it. A sighting hangs on the place that it was made from (places.h), and moves with it. So two
// victims may come to lie within 0.9 m of each other: then they were one all along, and are joined.
//
// Numbers  A victim's is its index and 1. People note them down, so none is ever given again: of two that are joined
//          the later keeps its slot, and only says which one it is. What was joined stays so.
// Back     A sighting with no confidence takes itself back: the robot has seen that person walk. A victim of whom no
//          other sighting is left was none.
// Full     Of too many sightings the weakest is given up for a stronger one, and a victim too many is not taken; both
//          are counted.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "messages/codec.h"
#include "station/atlas/places.h"

#define CAIRN_VICTIMS_MAX 128
#define CAIRN_SIGHTINGS_MAX 512

typedef struct cairn_sighting {
    uint8_t robot;
    uint32_t sighting;
    cairn_vec2 at_m;      // map frame
    cairn_vec2 private_m; // its robot's private frame
    int8_t floor;         // as its robot counts them, from its start
    int32_t z_mm;         // as on the air: above the ground where the robot stood, or not known
    uint32_t place;       // that it hangs on; CAIRN_PLACE_NONE: none, it stays where it is
    double deviation_m;
    uint32_t frame_count;
    uint8_t confidence_pct;
    uint32_t victim; // index
} cairn_sighting;

typedef struct cairn_victim {
    cairn_vec2 at_m; // weighted mean of its sightings
    int8_t floor;    // of all of them
    bool has_z;
    double z_m; // mean height above the ground of the sightings that tell it
    double temperature_c;
    uint8_t confidence_pct;
    uint32_t sighting_count;
    cairn_mono first_seen, last_seen;
    uint8_t found_by;
    // Number of the earlier victim that this one was joined to, or its own: everybody who saw it has taken it back.
    // Nothing else is then told. 0: neither.
    uint32_t same_as;
} cairn_victim;

typedef struct cairn_victims {
    uint32_t victim_count, sighting_count, given_up_count;
    cairn_victim victims[CAIRN_VICTIMS_MAX];
    cairn_sighting sightings[CAIRN_SIGHTINGS_MAX];
} cairn_victims;

// Where a robot's private frame lies, and the place that tells so.
typedef struct cairn_seen_from {
    cairn_pose2 map_T_private;
    uint32_t place;
} cairn_seen_from;

// Takes in one message; `from` is the sender's. True if it is a victim not known before.
bool cairn_victims_add(cairn_victims *victims, const cairn_msg_victim_seen *seen, cairn_seen_from from, cairn_mono now);
// Takes a sighting back. The number of the victim that is none any more; 0: another sighting is left, or it is not
// known.
uint32_t cairn_victims_take_back(cairn_victims *victims, uint8_t robot, uint32_t sighting);
// Places have moved: so do sightings, and the victims that they are of.
void cairn_victims_follow(cairn_victims *victims, const cairn_places *places);

// Numbers of two victims that have become one.
typedef struct cairn_victims_joined {
    uint32_t stays; // the smaller
    uint32_t gone;
} cairn_victims_joined;
// Joins the two that lie nearest to each other, if they are near enough; of equally near ones the first. To be called
// until it returns false, whenever sightings have moved: which joins are made then follows from the list alone.
bool cairn_victims_join(cairn_victims *victims, cairn_victims_joined *ret_joined);
// How many there are: those that are not the same as another.
uint32_t cairn_victims_count(const cairn_victims *victims);
