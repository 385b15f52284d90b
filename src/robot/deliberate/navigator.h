// navigator.h - from a task (via-points) to a path that behaviour can follow, replanned twice a second.
//
// Plans on a window around the robot: the fresh local map where it knows something, the coarse long memory elsewhere,
// unknown ground at a price. Team-mates are discs to keep away from.
// Frame    plans in the private frame; the path it gives out is in the odometry frame.
// Threads  Deliberate only.
#pragma once
#include "maps/memory_grid.h"
#include "planning/fences.h"
#include "robot/behaviour/behaviour.h"
#include "robot/deliberate/tracker.h"
#include "robot/deliberate/trail.h"
#include "robot/escape/escape.h"
#include "robot/ground/footing.h"
#include "robot/tasks.h"

typedef struct cairn_robot_task {
    uint32_t id; // 0: none
    uint8_t purpose;
    uint32_t via_count;
    cairn_vec2 via_m[CAIRN_VIAS_MAX]; // private frame
    bool face_at_end;
    double end_yaw_rad; // private frame
} cairn_robot_task;

typedef struct cairn_teammate {
    cairn_mono at;              // when it was there, by our clock
    cairn_pose2 private_T_base; // our private frame
    double forward_mps;
} cairn_teammate;

typedef struct cairn_teammates {
    uint32_t count;
    cairn_teammate mates[CAIRN_MOVING_THINGS_MAX];
} cairn_teammates;

// Where it got stuck again: other ways are looked for.
#define CAIRN_SHUNNED_MAX 4
typedef struct cairn_shunned_place {
    cairn_vec2 at_m; // private frame
    cairn_mono at;
} cairn_shunned_place;

typedef struct cairn_navigator {
    const cairn_body_description *description; // borrowed
    double cruise_mps;                         // of this body, where nothing slows it
    cairn_footing *footing;                    // borrowed; NULL: nothing is known but what the laser's map shows
    const cairn_fences *fences;                // where it may be, private frame; borrowed, NULL: everywhere
    cairn_memory_grid *memory;
    cairn_trail trail;
    cairn_arena scratch;
    cairn_mono remembered; // when the long memory was last added to
    cairn_robot_task task;
    cairn_task_state task_state;
    uint32_t via_at;            // first via-point not yet reached
    uint32_t target_at;         // via-point being planned to
    uint32_t failed_plan_count; // in a row
    cairn_mono idle_since;      // without a task, though it may go; or since it last doubted its memory
    cairn_mono boxed_until;     // shut in, it stands until the maps that shut it in are forgotten; 0: it is not
    cairn_teammates teammates;
    cairn_path path; // the last one, odometry frame
    // How it gets free; who owns it tells what follows before each step.
    cairn_escape_state escape;
    cairn_condition condition; // what has become of it
    bool by_hand, lost;
    uint32_t order;
    bool may_move;       // as the last step was told
    cairn_mono anchored; // since when it does the manoeuvre that began here:
    cairn_pose2 odom_T_anchor;
    uint32_t shunned_count; // ever; the last are kept
    cairn_shunned_place shunned[CAIRN_SHUNNED_MAX];
    bool path_ends_task; // its end is the task's end
} cairn_navigator;

CAIRN_CHECKED cairn_err cairn_navigator_init(cairn_navigator *navigator, const cairn_body_description *description,
                                             cairn_arena *arena);
void cairn_navigator_give(cairn_navigator *navigator, const cairn_robot_task *task); // id 0 drops the task
void cairn_navigator_drop(cairn_navigator *navigator,
                          cairn_mono now); // task and path, and backing out: nothing is left
// The place that its frame had is gone: task, path, memory and the way home with it.
void cairn_navigator_begin_anew(cairn_navigator *navigator, cairn_mono now);
// Remembers the ground and the way; before each step.
void cairn_navigator_remember(cairn_navigator *navigator, const cairn_tracker *tracker, cairn_mono now);
// Replans. may_move false (mode forbids): the path is empty, the task is kept.
void cairn_navigator_step(cairn_navigator *navigator, const cairn_tracker *tracker, const cairn_reflex_state *state,
                          const cairn_behaviour_state *behaviour, bool may_move, cairn_mono now);
// Between steps, often: true when the robot must let its path be at once, because it has come into trouble.
bool cairn_navigator_heed_condition(cairn_navigator *navigator, const cairn_tracker *tracker,
                                    const cairn_reflex_state *state, cairn_mono now);
// Closes a grid of prices where the robot's hull may not be; ground as in cairn_fences_close.
CAIRN_CHECKED cairn_err cairn_navigator_close_fences(cairn_navigator *navigator, cairn_vec2 at_m, cairn_cost_grid *grid,
                                                     uint8_t *ground);
// Obstacles close by, for avoidance: what the local map remembers and the laser may not see now, and the outlines of
// team-mates, of whom the laser sees only the head.
void cairn_navigator_near_obstacles(const cairn_navigator *navigator, const cairn_tracker *tracker,
                                    const cairn_reflex_state *state, cairn_mono now, cairn_near_obstacles *ret_near);
// Where team-mates are now: not to be matched with, nor mapped.
cairn_moving_things cairn_navigator_moving_things(const cairn_navigator *navigator, cairn_mono now);
