// edge_marks.c - the edges that were seen lately, as a short list of places.
//
// A mark listens until it was seen EDGE_FULL times and is then only kept fresh, as surfaces are and for the same
// reason.
#include "maps/local/local_grid_cells.h"

#define EDGE_FULL 20.0f
#define SAME_M 0.12 // a sighting nearer to a mark than this is of that mark

static void marks_forget(cairn_local_grid *grid)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < grid->mark_count; i++) {
        if (grid->now_tick - grid->marks[i].seen <= CAIRN_MEMORY_TICKS) { grid->marks[kept++] = grid->marks[i]; }
    }
    grid->mark_count = kept;
}

// The place for a new mark: the end of the list, or that of the mark unseen for longest.
static cairn_edge_mark *mark_new(cairn_local_grid *grid)
{
    if (grid->mark_count < CAIRN_EDGE_MARKS_MAX) { return &grid->marks[grid->mark_count++]; }
    cairn_edge_mark *oldest = &grid->marks[0];
    for (uint32_t i = 1; i < grid->mark_count; i++) {
        if (grid->marks[i].seen < oldest->seen) { oldest = &grid->marks[i]; }
    }
    return oldest;
}

void cairn_edge_marks_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_edges *edges)
{
    marks_forget(grid);
    const double cosine = cos(map_T_base.yaw_rad), sine = sin(map_T_base.yaw_rad);
    for (uint32_t i = 0; i < edges->count; i++) {
        const cairn_placed_edge edge = cairn_edge_place(&edges->edges[i], map_T_base, cosine, sine);
        const int32_t near = cairn_edge_mark_near(grid, &edge, SAME_M, 0);
        cairn_edge_mark *mark = near >= 0 ? &grid->marks[near] : mark_new(grid);
        if (near < 0) { *mark = (cairn_edge_mark){.kind = edge.kind}; }
        mark->seen = grid->now_tick;
        if (mark->count >= EDGE_FULL) { continue; }
        mark->count++;
        mark->x_m += (edge.x_m - mark->x_m) / mark->count;
        mark->y_m += (edge.y_m - mark->y_m) / mark->count;
    }
}

void cairn_edge_marks_forget_disc(cairn_local_grid *grid, cairn_vec2 centre_m, double radius_m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < grid->mark_count; i++) {
        const cairn_vec2 at = {grid->marks[i].x_m, grid->marks[i].y_m};
        if (cairn_vec2_distance(at, centre_m) > radius_m) { grid->marks[kept++] = grid->marks[i]; }
    }
    grid->mark_count = kept;
}
