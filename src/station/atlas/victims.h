// victims.h - one list of victims from all robots' sightings.
//
// Sightings of one robot carry an id and are updated under it; sightings within merge_m of each other are one victim,
// whoever saw them. Fixed size: of too many sightings the weakest is given up for a stronger one, and a victim too many
// is not taken; both are counted.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "messages/codec.h"

#define CAIRN_VICTIMS_MAX 128
#define CAIRN_SIGHTINGS_MAX 512

typedef struct cairn_sighting {
    uint8_t robot;
    uint32_t sighting;
    cairn_vec2 at_m; // map frame
    double deviation_m;
    uint32_t frame_count;
    uint8_t confidence_pct;
    uint32_t victim; // index
} cairn_sighting;

typedef struct cairn_victim {
    cairn_vec2 at_m; // weighted mean of its sightings
    double temperature_c;
    uint8_t confidence_pct;
    uint32_t sighting_count;
    cairn_mono first_seen, last_seen;
    uint8_t found_by;
} cairn_victim;

typedef struct cairn_victims {
    uint32_t victim_count, sighting_count, given_up_count;
    cairn_victim victims[CAIRN_VICTIMS_MAX];
    cairn_sighting sightings[CAIRN_SIGHTINGS_MAX];
} cairn_victims;

// Takes in one message; map_T_private is the sender's. True if it is a victim not known before.
bool cairn_victims_add(cairn_victims *victims, const cairn_msg_victim_seen *seen, cairn_pose2 map_T_private,
                       cairn_mono now);
