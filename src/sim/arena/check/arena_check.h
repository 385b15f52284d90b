// arena_check.h - what the files of arena_check.c share.
#pragma once
#include "sim/arena/arena_private.h"
#include "sim/arena/squares.h"

#define CAIRN_CHECK_RADIUS_M 0.35 // of the robot that an arena is checked for

typedef struct cairn_arena_checker {
    const cairn_sim_arena *arena;
    const cairn_sim_elements *elements;
    const cairn_sim_arena_lines *lines;
    cairn_complaints *complaints;
} cairn_arena_checker;

typedef struct cairn_check_rect {
    cairn_pose2 map_T_middle;
    cairn_vec2 half_m;
} cairn_check_rect;

bool cairn_check_on_floor(const cairn_arena_checker *check, cairn_vec2 at_m);
bool cairn_check_rect_on_floor(const cairn_arena_checker *check, const cairn_check_rect *rect);
// "a wall", "a platform", ...
const char *cairn_check_name(const cairn_arena_checker *check, const cairn_solid *solid);
// Whether two solids are in each other by more than a touch.
bool cairn_check_overlap(const cairn_solid *a, const cairn_solid *b);

// check_ground.c: ramps and elements.
void cairn_check_ground(const cairn_arena_checker *check);
// check_movers.c: doors, blocks, figures.
void cairn_check_movers(const cairn_arena_checker *check);
// check_reach.c: who and what can be reached from the first start.
void cairn_check_reach(const cairn_arena_checker *check);
