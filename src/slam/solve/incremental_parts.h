// incremental_parts.h - what the files of the incremental solver share. Not for others.
#pragma once
#include "slam/solve/incremental.h"
#include "slam/solve/map_frame.h"
#include "slam/solve/structure.h"

#define NONE CAIRN_GRAPH_NONE

struct cairn_incremental {
    cairn_incremental_def def;
    cairn_structure structure;   // node_count and factor_count: what was taken in
    uint32_t *above;             // by node: the part of the graph that it is in; a part's root is its first node
    bool *is_anchored;           // by root: something holds that part in the map
    double origin_m[3];          // of motions: where the first node was
    double *diagonal;            // H by node
    double *beside;              // H by factor: minus the block that it has added to the diagonal of its ends
    double *b;                   // by node
    double *by;                  // by factor: what it has taken from b of its `to`, and added to that of its `from`
    double *turns;               // plane: cosine and sine of each node's yaw
    double *measured;            // plane: the same of each factor's measured yaw
    double *chi2_of;             // by factor
    cairn_graph_pose *linear_at; // by node: where it was when its factors' blocks were last made
    double chi2;
    cairn_fronts *fronts;
    bool *is_dirty;  // by front: to be computed again
    bool *is_active; // by front: something moves in it
    bool is_pulled;  // something is new that does not agree with where the nodes are
    bool any_dirty;
    bool *is_touched; // by node: its links have changed since fronts were built
    uint32_t *touched, touched_count;
    bool *is_moved;                     // by node, in the last solve
    bool *is_far;                       // by node: and its factors' blocks are to be made anew
    uint32_t *stamp_of, stamp;          // by factor: when it was last looked at
    uint32_t *to_touch, to_touch_count; // factors whose weight and so on have changed
    double *step;                       // by node
    uint32_t *list, *orphans;           // scratch: nodes; fronts
    cairn_arena scratch;
};

// incremental_top.c: orders and builds again what hangs above touched nodes; marks what is to be computed.
CAIRN_CHECKED cairn_err cairn_incremental_renew(cairn_incremental *incremental, cairn_incremental_info *info);
// incremental.c: all that was taken in is in the factor. CAIRN_ERR_INVALID: not positive definite.
CAIRN_CHECKED cairn_err cairn_incremental_refresh(cairn_incremental *incremental);
void cairn_incremental_mark_dirty(cairn_incremental *incremental, uint32_t node);
