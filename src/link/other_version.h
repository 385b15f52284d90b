// other_version.h - that somebody speaks another version of the radio protocol: worth a word to people, proved by
// nobody.
//
// A robot of another version is silent here, and nobody would know why. But anyone can send two bytes. So it is
// believed only of packets that could be one of ours (cairn_link_peek_version), when several come within half a minute,
// and not while who is meant is heard in our own version.
#pragma once
#include "base/clock.h"

typedef struct cairn_other_version {
    bool is_proven;   // somebody of our own version was heard
    cairn_mono since; // the last of those; else the first packet of this version
    uint8_t version;  // that is being spoken; 0: none
    uint32_t count;   // of its packets
} cairn_other_version;

// A packet of another version came. Returns the version once it is to be told, 0 before.
uint8_t cairn_other_version_hear(cairn_other_version *heard, uint8_t version, cairn_mono now);
// A packet in our own version came that proves who sent it.
void cairn_other_version_end(cairn_other_version *heard, cairn_mono now);
