// history.h - what was decided about a graph's factors and when, so that it can be taken back: rewind to a moment.
//
// Nodes are facts and stay; factors come, and go when they are refused, expired or merged. Rewinding undoes all that
// was decided after a moment, last first: what came is gone, what went is back. It is itself written down, so that a
// rewind can be rewound. Solve afterwards.
//
// Memory   From the arena at create.
// Threads  One owner, of the graph too.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_history cairn_history;

CAIRN_CHECKED cairn_err cairn_history_create(uint32_t decisions_max, cairn_arena *arena, cairn_history **ret_history);
// A factor came (is_gone false) or went. Moments never go backwards. CAIRN_ERR_FULL: no room.
CAIRN_CHECKED cairn_err cairn_history_note(cairn_history *history, uint32_t factor, bool is_gone, cairn_mission at);
// Undoes what was decided after `moment`, in the graph; *ret_count decisions. CAIRN_ERR_FULL: no room to write it down,
// nothing is changed then.
CAIRN_CHECKED cairn_err cairn_history_rewind(cairn_history *history, cairn_graph *graph, cairn_mission moment,
                                             cairn_mission now, uint32_t *ret_count);
