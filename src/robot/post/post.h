// post.h - the robot's end of the radio: its link, orders taken at once, everything else passed on.
//
//   from the air   stop, mode, stick, override  -> orders;  tasks, areas, team-mates -> the mind's inbox
//   to the air     telemetry, a cell where the latest wins;  reports (sightings, events) and survey (nodes, terrain
//                  maps), boxes that wait while the link's queues are full and then lose their oldest
// Threads  One: that of the behaviours.
#pragma once
#include "base/inbox.h"
#include "link/link.h"
#include "robot/post/orders.h"

// How the robot and the station hear each other.
typedef struct cairn_robot_contact {
    cairn_mono at;
    bool heard;            // ever
    int64_t silent_ns;     // since the station was last heard
    uint32_t unsent_count; // of the survey: nodes and maps that the station is not known to have
    uint32_t terrain_node; // the latest node whose terrain map this boot of the station has acknowledged; 0: none
} cairn_robot_contact;

// What the post and the mind say to each other.
typedef struct cairn_robot_post_boxes {
    cairn_inbox *orders;   // encoded radio messages, post -> mind
    cairn_cell *telemetry; // cairn_msg_telemetry, mind -> post
    cairn_inbox *reports;  // encoded, mind -> post
    cairn_inbox *survey;   // encoded, mind -> post
    cairn_cell *contact;   // cairn_robot_contact, post -> mind
} cairn_robot_post_boxes;

CAIRN_CHECKED cairn_err cairn_robot_post_boxes_create(cairn_arena *arena, cairn_robot_post_boxes *ret_boxes);
void cairn_robot_post_boxes_finish(cairn_robot_post_boxes *boxes); // gives locks back; accepts all-zero

typedef struct cairn_robot_post cairn_robot_post;

// Every message that is heard, or that the link has taken to send; on the post's thread.
typedef void (*cairn_robot_tap_fn)(void *context, const uint8_t *bytes, size_t size, cairn_mono now);

typedef struct cairn_robot_post_def {
    cairn_link_def link; // complete: role, robot, key, random
    cairn_reflex_cells reflex;
    cairn_behaviour_cells behaviour;
    cairn_robot_post_boxes boxes;
    cairn_orders_state orders; // to begin with
    cairn_robot_tap_fn tap;    // NULL: nobody listens
    void *tap_context;         // borrowed
} cairn_robot_post_def;

CAIRN_CHECKED cairn_err cairn_robot_post_create(const cairn_robot_post_def *def, cairn_arena *arena,
                                                cairn_robot_post **ret_post);
void cairn_robot_post_finish(cairn_robot_post *post); // accepts NULL
void cairn_robot_post_step(cairn_robot_post *post, cairn_mono now);

cairn_inbox *cairn_robot_post_from_air(cairn_robot_post *post); // datagrams, any sender
cairn_inbox *cairn_robot_post_to_air(cairn_robot_post *post);   // datagrams, one taker
const cairn_link *cairn_robot_post_link(const cairn_robot_post *post);

typedef struct cairn_robot_post_info {
    uint32_t refused_count; // messages not understood, for somebody else, or of no use to a robot
    uint32_t unsent_count;  // of ours, that the link will not carry
    uint8_t other_version;  // of the link, that somebody speaks to us; 0: none, or ours since. Unproven: for words only
    uint8_t unknown_id;     // the last message id that this program does not know: the station is newer
    uint32_t unknown_count; // such messages; they are also refused
} cairn_robot_post_info;
cairn_robot_post_info cairn_robot_post_look(const cairn_robot_post *post);
