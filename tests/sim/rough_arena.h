// rough_arena.h - an arena with everything that robots can fall over, for tests of the MuJoCo physics.
#pragma once
#include "check.h"
#include "emu.h"
#include "sim/arena/ground.h"
#include <string.h>

#define ROUGH_ROBOTS 14

static const char rough_yaml[] =
    "name: rough\n"
    "about: Ramps, steps, rubble, gravel, blocks, holes and stairs close to each other.\n"
    "size_m: [16, 12]\n"
    "walls: [{kind: rectangle, corner_m: [0.1, 0.1], size_m: [15.8, 11.8], thickness_m: 0.2, height_m: 1}]\n"
    "ramp_fields:\n"
    "  - {kind: crossing, corner_m: [1, 1], tiles: [3, 2]}\n"
    "  - {kind: continuous, corner_m: [1, 3.6], tiles: [3, 2]}\n"
    "step_fields:\n"
    "  - {kind: random, corner_m: [5, 1], tiles: [2, 2], seed: 3}\n"
    "  - {kind: hill, corner_m: [8, 1], tiles: [2, 2]}\n"
    "rough:\n"
    "  - {kind: rubble, at_m: [12.5, 2.5], size_m: [3, 3], seed: 5}\n"
    "  - {kind: gravel, at_m: [12.5, 6], heading_deg: 20, size_m: [3, 3], seed: 6}\n"
    "stairs: [{at_m: [5.5, 4.5], heading_deg: 90, steps: 4}]\n"
    "platforms: [{at_m: [8, 5.2], size_m: [1.5, 1.5], top_m: 0.1}, {at_m: [5.5, 6.3], size_m: [1.4, 1.2], top_m: "
    "0.72}]\n"
    "holes: [{at_m: [9.8, 5.3], size_m: [0.8, 1.2], depth_m: 1.2}, {at_m: [2, 9.8], size_m: [0.2, 2], depth_m: 1}]\n"
    "ramps: [{kind: slope, at_m: [8, 8], length_m: 2, width_m: 1.5, angle_deg: 30, top_m: 0.4}]\n"
    "blocks:\n"
    "  - {at_m: [4, 9], size_m: [0.3, 0.3, 0.3], mass_kg: 2}\n"
    "  - {at_m: [4.6, 9.2], heading_deg: 30, size_m: [0.5, 0.2, 0.15], mass_kg: 5}\n"
    "  - {at_m: [5.4, 9], size_m: [0.2, 0.2, 0.6], mass_kg: 8}\n"
    "  - {at_m: [5.4, 10], size_m: [0.6, 0.6, 0.08], mass_kg: 15}\n"
    "  - {at_m: [7, 10.5], size_m: [0.1, 0.1, 0.1], mass_kg: 0.3}\n"
    "  - {at_m: [7, 10.5], foot_m: 0.1, size_m: [0.2, 0.2, 0.2], mass_kg: 1}\n"
    "starts:\n"
    "  - {at_m: [1, 8], heading_deg: 0}\n  - {at_m: [3, 8], heading_deg: 180}\n  - {at_m: [5, 8], heading_deg: 0}\n"
    "  - {at_m: [11, 8.5], heading_deg: 0}\n  - {at_m: [13, 8.5], heading_deg: 180}\n  - {at_m: [15, 8], heading_deg: "
    "0}\n"
    "  - {at_m: [3.2, 10.8], heading_deg: 0}\n  - {at_m: [1, 10.8], heading_deg: 180}\n  - {at_m: [6, 11], "
    "heading_deg: 0}\n"
    "  - {at_m: [9, 10.8], heading_deg: 0}\n  - {at_m: [11, 10.8], heading_deg: 180}\n  - {at_m: [13, 10.8], "
    "heading_deg: 0}\n"
    "  - {at_m: [7, 3.8], heading_deg: 0}\n  - {at_m: [10.4, 3.9], heading_deg: 180}\n";

static inline void read_arena(const char *yaml, cairn_arena *memory, cairn_sim_arena *ret_arena)
{
    static cairn_complaints complaints;
    complaints = (cairn_complaints){0};
    assert_ok(cairn_arena_create(memory, 64u << 20));
    if (cairn_sim_arena_parse(yaml, strlen(yaml), "test", memory, &complaints, ret_arena) != CAIRN_OK) {
        fail_msg("%s", complaints.text);
    }
}
