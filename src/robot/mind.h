// mind.h - all of a robot above reflex: behaviours, the post with its link, and what it deliberates on.
//
// It talks with reflex through cells only, so reflex may be another process. Started again, it goes on where the mind
// before it left, as far as that still holds (resume.h, checkpoint.h), and tells the station so.
// Threads  Those of the executor that it is registered with; create and finish while none of its steps runs, link_info
//          and post_info then or on the thread of the post.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/body.h"
#include "link/link.h"
#include "maps/occupancy_grid.h"
#include "robot/post/post.h"
#include "robot/reflex/reflex_cells.h"
#include "robot/view.h"

typedef struct cairn_mind cairn_mind;

typedef struct cairn_mind_def {
    const cairn_body *body;    // borrowed
    cairn_reflex_cells reflex; // ends of its own; borrowed
    cairn_link_def link;       // its number on the air and its key; role is filled in
    cairn_log log;
    cairn_cell *checkpoint; // cairn_checkpoint, borrowed; NULL: nothing outlives it
    cairn_mono now;         // used with a checkpoint only
    cairn_robot_tap_fn tap; // NULL: nobody listens to its radio
    void *tap_context;      // borrowed
} cairn_mind_def;

// Whether reflex speaks, and knows where it stands. With a checkpoint, to be waited for before create, which gives
// CAIRN_ERR_EMPTY when that is over again: ask again.
bool cairn_mind_may_begin(const cairn_reflex_cells *reflex, cairn_mono now);
size_t cairn_mind_checkpoint_bytes(void); // the size of the cell's value

CAIRN_CHECKED cairn_err cairn_mind_create(const cairn_mind_def *def, cairn_arena *arena, cairn_mind **ret_mind);
void cairn_mind_finish(cairn_mind *mind); // gives locks back; accepts NULL

cairn_inbox *cairn_mind_from_air(cairn_mind *mind); // datagrams to the robot, from any thread
cairn_inbox *cairn_mind_to_air(cairn_mind *mind);   // datagrams from the robot, for one taker

// Registers post, behaviour and the deliberate tasks, with their declared costs: processors 1 and 2 of the lane.
void cairn_mind_register(cairn_mind *mind, cairn_executor *executor, uint32_t lane);

// True once reflex has begun another odometry: nothing that this mind knows holds any longer, and it asks for no
// motion. The program ends it and makes another one. From any thread.
bool cairn_mind_is_over(const cairn_mind *mind);

// What the robot believes, for the journal and the score; one looking thread. False before its first step.
bool cairn_mind_look(cairn_mind *mind, cairn_robot_view *ret_view);
// All that it has seen since it began, in its private frame; only while none of its steps runs.
const cairn_occupancy_grid *cairn_mind_own_map(const cairn_mind *mind);
const cairn_cell *cairn_mind_telemetry(const cairn_mind *mind); // cairn_msg_telemetry; for ends of others
cairn_link_info cairn_mind_link_info(const cairn_mind *mind, cairn_mono now);
cairn_robot_post_info cairn_mind_post_info(const cairn_mind *mind);
