// A grid of square cells over the arena, each with a list of the solids that lie over it. What stands outside the grid
// is in the cells of its rim, and places outside look there.
#include "sim/physics/solid_index.h"
#include <stdlib.h>
#include <string.h>

// Edge of a cell. Smaller: fewer solids looked at in vain; more memory for large ones.
#define CELL_M_MIN 1.0
#define CELLS_A_SIDE_MAX 256

struct cairn_solid_index {
    double cell_m;
    int columns, rows;
    uint32_t *starts;  // of each cell's list in `solids`, and the end of the last
    uint32_t *solids;  // the lists
    uint32_t *seen_in; // of each solid: the search that saw it last
    uint32_t search;   // number of the present one
};

typedef struct cell_range {
    int column, column_end, row, row_end;
} cell_range;

static int clamped_cell(double at_m, double cell_m, int count)
{
    const double cell = floor(at_m / cell_m);
    return cell < 0 ? 0 : cell >= count ? count - 1 : (int)cell;
}

static cell_range range_of(const cairn_solid_index *index, cairn_vec2 low_m, cairn_vec2 high_m)
{
    return (cell_range){
        clamped_cell(low_m.x, index->cell_m, index->columns), clamped_cell(high_m.x, index->cell_m, index->columns) + 1,
        clamped_cell(low_m.y, index->cell_m, index->rows), clamped_cell(high_m.y, index->cell_m, index->rows) + 1};
}

// A box from above: its middle, and its edges laid flat.
typedef struct outline {
    cairn_vec2 middle_m;
    cairn_vec2 edges_m[3]; // half edges
} outline;

static outline outline_of(const cairn_solid *solid)
{
    outline flat = {.middle_m = {solid->map_T_box.at_m.x, solid->map_T_box.at_m.y}};
    const cairn_vec3 edges[3] = {{solid->half_m.x, 0, 0}, {0, solid->half_m.y, 0}, {0, 0, solid->half_m.z}};
    for (int i = 0; i < 3; i++) {
        const cairn_vec3 edge = cairn_quat_rotate(solid->map_T_box.turn, edges[i]);
        flat.edges_m[i] = (cairn_vec2){edge.x, edge.y};
    }
    return flat;
}

// Half of how far an outline reaches along a direction.
static double half_extent(const outline *flat, cairn_vec2 along)
{
    double half = 0;
    for (int i = 0; i < 3; i++) { half += fabs(cairn_vec2_dot(flat->edges_m[i], along)); }
    return half;
}

// Whether a line across one of the box's edges lies between them: a long wall askew is not in every cell of its square.
static bool lie_apart(const outline *flat, cairn_vec2 cell_middle_m, double cell_m)
{
    for (int i = 0; i < 3; i++) {
        const double length = cairn_vec2_length(flat->edges_m[i]);
        if (length < 1e-9) { continue; }
        const cairn_vec2 along = cairn_vec2_scale(flat->edges_m[i], 1 / length), across = {-along.y, along.x};
        const double cell_half = 0.5 * cell_m * (fabs(across.x) + fabs(across.y)) + 1e-6;
        const double apart = fabs(cairn_vec2_dot(cairn_vec2_sub(cell_middle_m, flat->middle_m), across));
        if (apart > cell_half + half_extent(flat, across)) { return true; }
    }
    return false;
}

// Cells of the rim reach outward without end: nothing is left out of them by its shape.
static bool is_rim(const cairn_solid_index *index, int column, int row)
{
    return column == 0 || row == 0 || column == index->columns - 1 || row == index->rows - 1;
}

// Adds a solid to the lists of its cells; without lists yet, counts it.
static void enter(cairn_solid_index *index, const cairn_solid *solid, uint32_t number, uint32_t *fill)
{
    const outline flat = outline_of(solid);
    const cairn_vec2 half = {half_extent(&flat, (cairn_vec2){1, 0}), half_extent(&flat, (cairn_vec2){0, 1})};
    const cell_range range = range_of(index, cairn_vec2_sub(flat.middle_m, half), cairn_vec2_add(flat.middle_m, half));
    for (int row = range.row; row < range.row_end; row++) {
        for (int column = range.column; column < range.column_end; column++) {
            const cairn_vec2 middle = {(column + 0.5) * index->cell_m, (row + 0.5) * index->cell_m};
            if (!is_rim(index, column, row) && lie_apart(&flat, middle, index->cell_m)) { continue; }
            uint32_t *at = &fill[row * index->columns + column];
            if (index->solids) { index->solids[*at] = number; }
            (*at)++;
        }
    }
}

static void enter_all(cairn_solid_index *index, const cairn_sim_arena *arena, const bool *moves, uint32_t *fill)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (!moves[i]) { enter(index, &arena->solids[i], i, fill); }
    }
}

// Counts, sums up and fills. `fill` has one number for each cell, all 0.
static cairn_err make_lists(cairn_solid_index *index, const cairn_sim_arena *arena, const bool *moves, uint32_t *fill)
{
    const size_t cells = (size_t)index->columns * (size_t)index->rows;
    enter_all(index, arena, moves, fill);
    uint32_t total = 0;
    for (size_t i = 0; i < cells; i++) {
        index->starts[i] = total;
        total += fill[i];
    }
    index->starts[cells] = total;
    index->solids = malloc((total + 1) * sizeof *index->solids);
    if (!index->solids) { return CAIRN_ERR_FULL; }
    memcpy(fill, index->starts, cells * sizeof *fill);
    enter_all(index, arena, moves, fill);
    return CAIRN_OK;
}

static cairn_err fill_index(cairn_solid_index *index, const cairn_sim_arena *arena)
{
    const double side_m = fmax(arena->size_m.x, arena->size_m.y);
    index->cell_m = fmax(CELL_M_MIN, side_m / CELLS_A_SIDE_MAX);
    index->columns = (int)fmax(1, ceil(arena->size_m.x / index->cell_m));
    index->rows = (int)fmax(1, ceil(arena->size_m.y / index->cell_m));
    const size_t cells = (size_t)index->columns * (size_t)index->rows;
    index->starts = calloc(cells + 1, sizeof *index->starts);
    index->seen_in = calloc(arena->solid_count + 1, sizeof *index->seen_in);
    bool *moves = calloc(arena->solid_count + 1, sizeof *moves);
    uint32_t *fill = calloc(cells, sizeof *fill);
    cairn_err err = CAIRN_ERR_FULL;
    if (index->starts && index->seen_in && moves && fill) {
        for (uint32_t i = 0; i < arena->mover_count; i++) { moves[arena->movers[i].solid] = true; }
        err = make_lists(index, arena, moves, fill);
    }
    free(moves);
    free(fill);
    return err;
}

cairn_err cairn_solid_index_create(const cairn_sim_arena *arena, cairn_solid_index **ret_index)
{
    cairn_solid_index *index = calloc(1, sizeof *index);
    if (!index) { return CAIRN_ERR_FULL; }
    const cairn_err err = fill_index(index, arena);
    if (err != CAIRN_OK) {
        cairn_solid_index_destroy(index);
        return err;
    }
    *ret_index = index;
    return CAIRN_OK;
}

void cairn_solid_index_destroy(cairn_solid_index *index)
{
    if (!index) { return; }
    free(index->starts);
    free(index->solids);
    free(index->seen_in);
    free(index);
}

void cairn_solid_index_find(cairn_solid_index *index, cairn_vec2 at_m, double reach_m, cairn_solid_found *found,
                            void *context)
{
    const cairn_vec2 reach = {reach_m, reach_m};
    const cell_range range = range_of(index, cairn_vec2_sub(at_m, reach), cairn_vec2_add(at_m, reach));
    index->search++;
    for (int row = range.row; row < range.row_end; row++) {
        for (int column = range.column; column < range.column_end; column++) {
            const uint32_t *start = &index->starts[row * index->columns + column];
            for (uint32_t i = start[0]; i < start[1]; i++) {
                const uint32_t solid = index->solids[i];
                if (index->seen_in[solid] == index->search) { continue; }
                index->seen_in[solid] = index->search;
                found(context, solid);
            }
        }
    }
}
