// post.h - the station's end of the air: one link for each robot, datagrams on one side and radio messages on the
// other.
//
// A robot may speak only for itself: what came over its link and names another is refused and counted. Each robot is
// answered at the address that its last proven datagram came from, so robots may change address, and whoever repeats
// recorded datagrams turns nothing away from them.
// Memory   Links (about 460 kB each) and boxes, from the arena, by create.
// Threads  One owner. The boxes may be filled and emptied by any.
#pragma once
#include "link/air_address.h"
#include "messages/codec.h"

#define CAIRN_POST_ROBOTS_MAX 30

// Every message that is heard or sent.
typedef void (*cairn_post_fn)(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now);

typedef struct cairn_post_robot {
    uint8_t id;
    uint8_t key[CAIRN_LINK_KEY_BYTES];
} cairn_post_robot;

typedef struct cairn_post_def {
    uint32_t robot_count;
    cairn_post_robot robots[CAIRN_POST_ROBOTS_MAX];
    cairn_link_def link; // of each; role, robot, key, random and hold_acks are filled in
    uint64_t seed;
    bool hold_acks;    // taken messages are acknowledged by cairn_post_confirm only; see cairn_link_set_ticket
    cairn_post_fn tap; // NULL: nobody listens
    void *tap_context; // borrowed
} cairn_post_def;

typedef struct cairn_post cairn_post;

typedef struct cairn_post_robot_info {
    uint8_t other_version;  // of the link, that somebody speaks in this robot's name; 0: none, or ours since. Unproven
    uint8_t unknown_id;     // the last message id that the robot said and this program does not know: it is newer
    uint32_t unknown_count; // such messages; they are also refused
} cairn_post_robot_info;

typedef struct cairn_post_info {
    uint32_t stranger_count; // datagrams of robots that are not of this team, or of no robot at all
    uint32_t refused_count;  // messages not understood, or spoken for another
    uint32_t unsent_count;   // messages that the link had no room for
    cairn_post_robot_info robots[CAIRN_POST_ROBOTS_MAX];
} cairn_post_info;

// The def is copied. CAIRN_ERR_FULL if the arena is too small.
CAIRN_CHECKED cairn_err cairn_post_create(const cairn_post_def *def, cairn_arena *arena, cairn_post **ret_post);
void cairn_post_finish(cairn_post *post); // gives the boxes' locks back; accepts NULL

// Boxes with addresses (link/air_address.h): where each datagram came from, and where it goes; none before the robot
// was heard.
cairn_inbox *cairn_post_from_air(cairn_post *post);                  // datagrams of all robots; refuses when full
cairn_inbox *cairn_post_to_air(cairn_post *post, uint32_t robot_at); // when nobody fetches them the oldest go

// Takes in all datagrams that wait, and hands what they brought to hear, robot by robot. hear may send.
void cairn_post_receive(cairn_post *post, cairn_mono now, cairn_post_fn hear, void *context);
// Queues a message in the stream that is for it; refused ones are counted, and false is returned.
bool cairn_post_send(cairn_post *post, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now);
// Puts what the budgets allow into the boxes to the air.
void cairn_post_flush(cairn_post *post, cairn_mono now);

// Of all links: see cairn_link_set_ticket and cairn_link_confirm. What is confirmed is acknowledged by the next flush.
void cairn_post_set_ticket(cairn_post *post, uint64_t ticket);
void cairn_post_confirm(cairn_post *post, uint64_t ticket);

// How the link of a robot is; about 1 kB is copied.
cairn_link_info cairn_post_link(const cairn_post *post, uint32_t robot_at, cairn_mono now);
cairn_post_info cairn_post_look(const cairn_post *post);
