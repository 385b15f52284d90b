// robot.h - one robot in one process: reflex and mind (mind.h) over one body, and its radio.
//
// What comes and goes are sealed datagrams (link/link.h) with radio messages in them (messages/radio.def); who carries
// them, a socket or a simulated medium, the robot does not know. It works in its own private frame, which never jumps:
// x forward at start.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/body.h"
#include "link/link.h"
#include "maps/occupancy_grid.h"
#include "robot/modes.h"
#include "robot/reflex/reflex_cells.h"
#include "robot/view.h"

typedef struct cairn_robot cairn_robot;

typedef struct cairn_robot_def {
    const char *name;    // "emu1"; borrowed
    cairn_body *body;    // borrowed
    cairn_link_def link; // its number on the air and its key; role is filled in
    cairn_log log;
    uint32_t without_guards; // simulations only: guards that are switched off (reflex/reflex.h); else 0
    bool may_die;            // simulations only: its programs can be killed and started again, below
} cairn_robot_def;

CAIRN_CHECKED cairn_err cairn_robot_create(const cairn_robot_def *def, cairn_arena *arena, cairn_robot **ret_robot);
void cairn_robot_finish(cairn_robot *robot); // gives locks back; accepts NULL

cairn_inbox *cairn_robot_from_air(cairn_robot *robot); // datagrams to the robot, from any thread
cairn_inbox *cairn_robot_to_air(cairn_robot *robot);   // datagrams from the robot, for one taker

// Registers reflex, behaviour, post and the deliberate tasks, with their declared costs, in one lane.
void cairn_robot_register(cairn_robot *robot, cairn_executor *executor, uint32_t lane);

// Its two programs, as they are on a robot, die and are started again over the same cells (mind.h, reflex/reflex.h).
// For simulations, of robots that may die; between runs. A killed reflex says nothing more. Whoever kills a mind holds
// its processors in the executor and has it forget what was under way. Everything of the new one lies where it lay in
// the old: boxes and cells of others stay tied; ends of cells must be attached anew.
typedef enum cairn_robot_program { CAIRN_ROBOT_REFLEX_PROGRAM, CAIRN_ROBOT_MIND_PROGRAM } cairn_robot_program;
void cairn_robot_kill(cairn_robot *robot, cairn_robot_program program);
// Of a program that was killed. sessions: of a mind's radio, from a stream that no mind of it had before.
// CAIRN_ERR_EMPTY: a mind cannot begin yet, ask again.
CAIRN_CHECKED cairn_err cairn_robot_start(cairn_robot *robot, cairn_robot_program program, cairn_random sessions,
                                          cairn_mono now);
bool cairn_robot_mind_is_over(const cairn_robot *robot); // mind.h: to be killed and started again

// What the robot believes, for the journal and the score; one looking thread. False before its first step.
bool cairn_robot_look(cairn_robot *robot, cairn_robot_view *ret_view);
// All that it has seen since it began, in its private frame; only while none of its steps runs.
const cairn_occupancy_grid *cairn_robot_own_map(const cairn_robot *robot);
// Its link; only while none of its steps runs.
cairn_link_info cairn_robot_link_info(const cairn_robot *robot, cairn_mono now);
// For those who judge a simulated robot: the cells between reflex and mind, and the cell of what it says of itself
// (cairn_msg_telemetry). Attach ends of your own; never read or write by these.
const cairn_reflex_cells *cairn_robot_cells(const cairn_robot *robot);
const cairn_cell *cairn_robot_telemetry(const cairn_robot *robot);
// Processors of the lane that a robot is registered in; 0 is reflex's.
enum { CAIRN_ROBOT_BEHAVIOUR = 1, CAIRN_ROBOT_DELIBERATE = 2 };
