// world_page.h - the files `world` and `snapshot` of a simulator's folder: the truth, written every tick.
//
// From `world` tests and people see the true poses while it runs (`cairn sim --look`), and the simulator's own words on
// the terminal come from it. `snapshot` is the whole running world (sim/world.h): a simulator that is started again
// goes on from it. A simulator may be killed at any instruction: the last whole ones are there (cell.h).
// Threads  One writer; readers of any process map the file read-only and attach ends of their own.
#pragma once
#include "sim/world.h"
#include <stdatomic.h>

#define CAIRN_WORLD_PAGE_VERSION 4u // another layout of page or moment is another version

typedef struct cairn_world_page_robot {
    char name[32];
    uint64_t number; // on the air; also its start
    uint64_t body_hash;
} cairn_world_page_robot;

// Whose world it is: another arena or other robots do not go on with it.
typedef struct cairn_world_page_def {
    uint64_t arena_hash; // of the file's bytes
    uint32_t robot_count;
    cairn_world_page_robot robots[CAIRN_SIM_ROBOTS_MAX]; // by number; bytes after a name's end are zero
} cairn_world_page_def;

typedef struct cairn_world_page {
    _Alignas(64) _Atomic uint64_t boot; // of the simulator: one more at each start; 0: not ready yet
    uint32_t magic;                     // "CWLD"
    uint32_t version;
    uint64_t moment_bytes; // of the cell's value
    uint64_t world_id;     // another one whenever a world begins anew
    cairn_world_page_def def;
} cairn_world_page;

typedef struct cairn_world_moment_robot {
    cairn_pose2 map_T_base;
    cairn_collisions collisions;
    double speed_mps;       // of its middle
    double wheel_radps_max; // of its fastest wheel, without sign
    int64_t told_ns;        // age of the last motor target; negative: from just ahead; INT64_MAX: never told
    bool driven;            // its base obeyed a target in the last step
    bool fallen, dead;
} cairn_world_moment_robot;

typedef struct cairn_world_moment {
    int64_t tick; // of the last step
    cairn_world_moment_robot robots[CAIRN_SIM_ROBOTS_MAX];
    int64_t lost_ns; // of real time by which the simulator has run slower, in this boot
    uint64_t radio_sent_count, radio_sent_bytes, radio_delivered_count, radio_lost_count; // in this boot
} cairn_world_moment;

cairn_mono cairn_world_moment_time(const cairn_world_moment *moment);

size_t cairn_world_page_file_bytes(void);
// On the zeroed memory of a new file. Makes it ready last.
void cairn_world_page_fill(void *file_memory, const cairn_world_page_def *def, uint64_t world_id);
// CAIRN_ERR_EMPTY without a complaint when it was never ready; CAIRN_ERR_UNSUPPORTED with words for another version.
CAIRN_CHECKED cairn_err cairn_world_page_check(const void *file_memory, const char *path, cairn_complaints *complaints);
// An end of the cell with the moments (cairn_world_moment).
CAIRN_CHECKED cairn_err cairn_world_page_attach(void *file_memory, cairn_arena *arena, cairn_cell **ret_moments);

// The file of snapshots, whose size depends on the world. As above; check: of a world and of its size, too.
typedef struct cairn_snapshot_page {
    _Alignas(64) _Atomic uint64_t ready; // 1 when the rest is filled
    uint32_t magic;                      // "CSNP"
    uint32_t version;                    // CAIRN_WORLD_PAGE_VERSION
    uint64_t snapshot_bytes;
    uint64_t world_id;
} cairn_snapshot_page;

size_t cairn_snapshot_page_file_bytes(size_t snapshot_bytes);
void cairn_snapshot_page_fill(void *file_memory, size_t snapshot_bytes, uint64_t world_id);
CAIRN_CHECKED bool cairn_snapshot_page_is_of(const void *file_memory, size_t snapshot_bytes, uint64_t world_id);
CAIRN_CHECKED cairn_err cairn_snapshot_page_attach(void *file_memory, size_t snapshot_bytes, cairn_arena *arena,
                                                   cairn_cell **ret_snapshots);

// As one JSON object in a line; the caller frees it. NULL without memory. `pid`: the simulator's, 0: none runs.
char *cairn_world_page_json(const cairn_world_page *page, const cairn_world_moment *moment, int pid);
