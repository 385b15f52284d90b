// verifier.h - runs the station of a journal again, on all that came into it, and compares what it made of that.
//
// The station is a function of its inputs: the setup, the records of each step (station/replay/). A mute station takes
// them in; wherever the journal has the hashes of the state and the map, its own must be the same. A journal that
// begins in the middle, or that has a gap, is taken up again at its next snapshot; the gap is told. What witness.h
// writes, this reads; nothing in the messages is trusted.
//
// Memory   The heap.
// Threads  One owner.
#pragma once
#include "station/station.h"

typedef struct cairn_verifier cairn_verifier;

// One message of a journal; all borrowed for the call.
typedef struct cairn_verifier_message {
    const char *topic, *type; // "/station/inputs", "cairn_msgs/msg/StationInputs"
    double time_s;            // since the journal's beginning, for words
    const uint8_t *bytes;     // CDR
    size_t size;
} cairn_verifier_message;

typedef struct cairn_verifier_info {
    bool has_station; // a setup was there
    bool differs;     // then everything after it would, too
    uint64_t step_count, check_count, gap_count;
    cairn_station_hash hash; // of the last check
    double checked_s;        // when the last check agreed
    char difference[256];    // for people
} cairn_verifier_info;

CAIRN_CHECKED cairn_err cairn_verifier_create(cairn_verifier **ret_verifier);
void cairn_verifier_destroy(cairn_verifier *verifier); // accepts NULL

// Messages in their order; topics that are not of the station are ignored. CAIRN_ERR_EMPTY at the first difference;
// CAIRN_ERR_CORRUPT, UNSUPPORTED, INVALID or FULL, with a complaint, when this station cannot be run on.
CAIRN_CHECKED cairn_err cairn_verifier_take(cairn_verifier *verifier, const cairn_verifier_message *message,
                                            cairn_complaints *complaints);
const cairn_verifier_info *cairn_verifier_look(const cairn_verifier *verifier);
