// closet.h - a small place with somebody to be found, two robots and a journal, for tests of whole teams.
#pragma once
#include "body/description_io.h"
#include "emu.h"
#include "journal.h"
#include "sim/mission/team.h"
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/cairn-closet-XXXXXX";
static char path[64]; // of the journal
static cairn_sim_victim victim = {.name = "Ada", .map_T_victim = {3, 2.4, CAIRN_PI}, .temperature_c = 34};
static cairn_pose2 starts[2] = {{1, 1, 0.2}, {1, 3.5, -0.2}};
static cairn_sim_arena arena;
static cairn_arena memory;
static cairn_body_description robot;
static cairn_complaints complaints;
static cairn_score score;
static journal found;

static inline int closet_open(cairn_vec2 size_m, cairn_sim_wall *walls, uint32_t wall_count)
{
    if (mkdtemp(folder) == NULL) { return -1; }
    snprintf(path, sizeof path, "%s/journal.mcap", folder);
    arena = (cairn_sim_arena){.name = "closet",
                              .size_m = size_m,
                              .ambient_c = 20,
                              .wall_count = wall_count,
                              .walls = walls,
                              .victim_count = 1,
                              .victims = &victim,
                              .start_count = 2,
                              .starts = starts};
    if (cairn_arena_create(&memory, 1 << 20) != CAIRN_OK) { return -1; }
    if (cairn_sim_arena_make_solids(&arena, &memory) != CAIRN_OK) { return -1; }
    return cairn_body_description_read(CAIRN_SOURCE_ROOT "/robots/emu.yaml", &complaints, &robot) == CAIRN_OK ? 0 : -1;
}

static inline int closet_close(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    (void)unlink(path);
    return rmdir(folder);
}
