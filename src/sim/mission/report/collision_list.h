// collision_list.h - what robots ran into in a mission, one line each, so that every bump can be explained.
//
// Bounded: the first CAIRN_COLLISION_LIST_MAX are kept, and the hardest later one in the last place.
//
// Memory   The caller's, and large.
// Threads  One owner.
#pragma once
#include "sim/physics/physics.h"
#include <stdio.h>

#define CAIRN_COLLISION_LIST_MAX 2048

typedef struct cairn_collision_entry {
    double at_s;
    uint32_t robot;
    char with[48];    // "wall 3", "block 2", "bystander anna", "emu2"
    double speed_mps; // closing, as it is counted
    double own_mps;   // the robot's part of it
    cairn_vec3 at_m;  // map frame
    double ahead_m;   // where on the robot: ahead of its middle and
    double left_m;    // left of it
    double top_m;     // of what it met, above the ground that the robot stands on; NaN of another robot
    double tilt_rad;  // of the robot
} cairn_collision_entry;

typedef struct cairn_collision_list {
    uint64_t seen_count; // of the log
    uint32_t count;
    cairn_collision_entry entries[CAIRN_COLLISION_LIST_MAX];
} cairn_collision_list;

// What a collision was, by the names of robots and of the arena's things. base: of the robot, about that time.
void cairn_collision_describe(const cairn_collision *collision, const cairn_sim_arena *arena, const char *const *names,
                              cairn_pose3 map_T_base, cairn_collision_entry *ret_entry);
void cairn_collision_list_add(cairn_collision_list *list, const cairn_collision_entry *entry);
// A sentence for people: "emu2 ran into wall 3 at 0.42 m/s".
void cairn_collision_say(const cairn_collision_entry *entry, const char *const *names, size_t max, char *ret_words);
// A table with a head: t_s, robot, with, speed_mps, own_mps, x_m, y_m, z_m, ahead_m, left_m, top_m, tilt_deg. False
// when the file does not take it.
bool cairn_collision_list_write_csv(const cairn_collision_list *list, const char *const *names, FILE *to);
