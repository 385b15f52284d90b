// voice.h - what the station says to its robots: over its post, and to nobody while a step is replayed.
//
// Whatever is said counts itself in among the facts of the robot's link, so that the rest of the step knows it to be
// under way.
//
// Threads  One owner.
#pragma once
#include "station/fleet.h"
#include "station/post.h"

#define CAIRN_VOICE_ORDERS_MAX 8 // under way at once: half of what the link's queue holds

typedef struct cairn_voice {
    cairn_fleet *fleet; // borrowed, as the post
    cairn_post *post;   // what is said goes out with its next flush; NULL: nobody hears
} cairn_voice;

void cairn_voice_say(const cairn_voice *voice, cairn_fleet_robot *robot, const cairn_radio_message *message,
                     cairn_mono now);
