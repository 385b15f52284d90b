// checkpoint.h - what a mind keeps for the one that is started after it: where it is, what it was told, whom it saw.
//
// Plain data in a cell (base/cell.h) whose memory outlives the process: written about every 100 ms, at once when orders
// change, and before a node or a sighting with a new number leaves. Versioned and hashed; whatever else a file holds is
// not sound, and counts as none.
// Frame    private, but private_T_odom.
// Lost     The local map, the long memory, the path, and messages that were not acknowledged; sightings are told again.
#pragma once
#include "base/cell.h"
#include "perception/victim_tracks.h"
#include "robot/deliberate/areas.h"
#include "robot/deliberate/navigator.h"
#include "robot/modes.h"

#define CAIRN_CHECKPOINT_VERSION 3
#define CAIRN_CHECKPOINT_STARTS 8
#define CAIRN_CHECKPOINT_PERIOD_NS CAIRN_MS(100)

typedef struct cairn_checkpoint {
    uint64_t hash; // of all that follows
    uint32_t version, size_bytes;
    cairn_mono at;
    // minds
    uint32_t start_count;                       // this one included
    uint32_t lately_count;                      // of the next that are filled
    cairn_mono starts[CAIRN_CHECKPOINT_STARTS]; // when the last ones began, newest first
    // reflex
    uint64_t odom_id; // which odometry the frame hangs on
    uint32_t reflex_start_count;
    // place
    uint32_t node_count;
    uint32_t stretch;      // of the trail: cut so many times
    uint32_t stretch_node; // the last node before it
    cairn_pose2 private_T_odom, private_T_base, private_T_node;
    double height_m; // above its start, by its barometer
    int32_t floor;
    cairn_trail trail;
    // orders
    cairn_orders_state orders;
    uint32_t messages_dropped_count;
    cairn_mode_tally tally;
    cairn_robot_task task;
    cairn_task_state task_state;
    uint32_t via_at; // <= task.via_count
    cairn_kept_areas areas;
    // people
    cairn_victim_memo victims;
} cairn_checkpoint;

void cairn_checkpoint_seal(cairn_checkpoint *checkpoint); // fills in version, size and hash
// Whether it is whole, of this version, and holds nothing that cannot be; NULL is not.
bool cairn_checkpoint_is_sound(const cairn_checkpoint *checkpoint);
// How many minds began within this time before now, as far as it remembers.
uint32_t cairn_checkpoint_starts_within(const cairn_checkpoint *checkpoint, int64_t within_ns, cairn_mono now);
