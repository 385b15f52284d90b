// A maze after the RoboCup Rescue league and ASTM E2853: square cells, ridges to be crossed, a room to start from.
//
// Harder: narrower cells, fewer loops, steeper and more ridges, gravel in the cells, boxes that narrow the way.
#include "sim/arena/make/labyrinth.h"
#include <math.h>

#define WALL_M 0.08
#define GAP_M 0.02 // between a ridge and the walls beside it

typedef struct maze {
    cairn_maker *maker;
    cairn_labyrinth cells;
    double pitch_m;                   // from wall line to wall line
    uint32_t room_columns, room_rows; // the room of the starts, in the south-west
} maze;

static cairn_vec2 corner_m(const maze *of, uint32_t x, uint32_t y)
{
    return (cairn_vec2){WALL_M / 2 + x * of->pitch_m, WALL_M / 2 + y * of->pitch_m};
}

static cairn_pose2 middle_of(const maze *of, uint32_t cell, double yaw_rad)
{
    const cairn_vec2 low_m = corner_m(of, cell % of->cells.columns, cell / of->cells.columns);
    return (cairn_pose2){low_m.x + of->pitch_m / 2, low_m.y + of->pitch_m / 2, yaw_rad};
}

static bool in_room(const maze *of, uint32_t cell)
{
    return cell % of->cells.columns < of->room_columns && cell / of->cells.columns < of->room_rows;
}

// Starts in rows of 0.9 m: how many cells that takes each way, as square as it goes.
static void plan_room(maze *of)
{
    of->room_columns = of->room_rows = 1;
    for (;;) {
        const uint32_t across = (uint32_t)((of->room_columns * of->pitch_m - 0.11 - 0.8) / 0.9 + 1.0);
        const uint32_t up = (uint32_t)((of->room_rows * of->pitch_m - 0.11 - 0.8) / 0.9 + 1.0);
        if (across * up >= of->maker->def->start_count) { return; }
        if (of->room_columns <= of->room_rows && of->room_columns < of->cells.columns) {
            of->room_columns++;
        } else if (of->room_rows < of->cells.rows) {
            of->room_rows++;
        } else {
            return;
        }
    }
}

static void open_room(maze *of)
{
    for (uint32_t y = 0; y < of->room_rows; y++) {
        for (uint32_t x = 0; x < of->room_columns; x++) {
            const uint32_t cell = y * of->cells.columns + x;
            if (x + 1 < of->room_columns) { cairn_labyrinth_set(&of->cells, cell, 0, true); }
            if (y + 1 < of->room_rows) { cairn_labyrinth_set(&of->cells, cell, 1, true); }
        }
    }
}

// Part of the closed walls becomes openings: loops.
static void open_loops(maze *of)
{
    const double part = cairn_maker_by_difficulty(of->maker, 0.22, 0.02);
    for (uint32_t cell = 0; cell < of->cells.columns * of->cells.rows; cell++) {
        for (uint32_t way = 0; way < 2; way++) {
            const uint32_t next = cairn_labyrinth_next(&of->cells, cell, way);
            if (next == UINT32_MAX || cairn_labyrinth_is_open(&of->cells, cell, way)) { continue; }
            if (cairn_maker_chance(of->maker, part)) { cairn_labyrinth_set(&of->cells, cell, way, true); }
        }
    }
}

static bool is_wall(const maze *of, uint32_t column, uint32_t row, bool upright)
{
    // A line's piece parts the cell at (column, row) from the one below it, or from the one to its left if upright.
    if (upright ? column == 0 || column == of->cells.columns : row == 0 || row == of->cells.rows) { return true; }
    return !cairn_labyrinth_is_open(&of->cells, row * of->cells.columns + column, upright ? 2 : 3);
}

// Pieces in line become one wall.
static void build_walls(maze *of)
{
    for (uint32_t row = 0; row <= of->cells.rows; row++) {
        for (uint32_t from = 0, to; from < of->cells.columns; from = to + 1) {
            for (to = from; to < of->cells.columns && is_wall(of, to, row, false); to++) {}
            if (to > from) { cairn_maker_wall(of->maker, corner_m(of, from, row), corner_m(of, to, row)); }
        }
    }
    for (uint32_t column = 0; column <= of->cells.columns; column++) {
        for (uint32_t from = 0, to; from < of->cells.rows; from = to + 1) {
            for (to = from; to < of->cells.rows && is_wall(of, column, to, true); to++) {}
            if (to > from) { cairn_maker_wall(of->maker, corner_m(of, column, from), corner_m(of, column, to)); }
        }
    }
}

// A cell that one goes straight through, walls on both sides: 0 along x, 1 along y, -1 not so.
static int straight_through(const maze *of, uint32_t cell)
{
    const uint8_t open = of->cells.open[cell];
    return open == 0x5 ? 0 : open == 0xa ? 1 : -1;
}

static void fill_cell(maze *of, uint32_t cell)
{
    cairn_maker *maker = of->maker;
    const double inner_m = floor((of->pitch_m - WALL_M - 2 * GAP_M) * 100.0) / 100.0;
    const int through = straight_through(of, cell);
    if (through >= 0 && cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.15, 0.55))) {
        const double angle_deg = round(cairn_maker_by_difficulty(maker, 10.0, 18.0));
        cairn_maker_ridge(maker, middle_of(of, cell, through * 1.5707963267948966), inner_m, inner_m, angle_deg);
    } else if (cairn_labyrinth_ways(&of->cells, cell) >= 2 &&
               cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, -0.1, 0.35))) {
        const double height_m = round(cairn_maker_by_difficulty(maker, 2.0, 5.0)) / 100.0;
        cairn_maker_rough(maker, false, middle_of(of, cell, 0.0), (cairn_vec2){inner_m, inner_m}, height_m);
    }
}

void cairn_make_maze(cairn_maker *maker)
{
    maze of = {.maker = maker};
    // The whole floor is cells: the pitch is the nearest to the wished one that fits, the same both ways.
    const double wished_m = cairn_maker_by_difficulty(maker, 1.62, 1.2);
    const double short_m = fmin(maker->def->size_m.x, maker->def->size_m.y) - WALL_M;
    of.pitch_m = floor(short_m / floor(short_m / wished_m) * 100.0) / 100.0;
    const uint32_t columns = (uint32_t)((maker->def->size_m.x - WALL_M + 0.005) / of.pitch_m);
    const uint32_t rows = (uint32_t)((maker->def->size_m.y - WALL_M + 0.005) / of.pitch_m);
    maker->wall = (cairn_wall_style){WALL_M, 1.2, 0.0, CAIRN_MATERIAL_WOOD};
    maker->draft.size_m = (cairn_vec2){columns * of.pitch_m + WALL_M, rows * of.pitch_m + WALL_M};
    if (cairn_labyrinth_carve(maker, columns, rows, 0, cairn_maker_by_difficulty(maker, 0.5, 0.1), &of.cells) !=
        CAIRN_OK) {
        maker->full = true;
        return;
    }
    open_loops(&of);
    plan_room(&of);
    open_room(&of);
    build_walls(&of);
    const cairn_vec2 low_m = corner_m(&of, 0, 0), high_m = corner_m(&of, of.room_columns, of.room_rows);
    cairn_maker_starts(maker, (cairn_vec2){low_m.x + 0.05, low_m.y + 0.05},
                       (cairn_vec2){high_m.x - 0.05, high_m.y - 0.05}, 0.0);
    for (uint32_t cell = 0; cell < columns * rows; cell++) {
        if (in_room(&of, cell)) { continue; }
        const bool dead_end = cairn_labyrinth_ways(&of.cells, cell) == 1;
        if (!dead_end) { fill_cell(&of, cell); }
        const cairn_pose2 middle = middle_of(&of, cell, 0.0);
        const double half_m = (of.pitch_m - WALL_M) / 2;
        // Dead ends far away first: a search of everything is what finds all.
        const uint32_t rank = dead_end ? 0 : 2;
        cairn_maker_zone(maker, (cairn_vec2){middle.x_m - half_m, middle.y_m - half_m},
                         (cairn_vec2){middle.x_m + half_m, middle.y_m + half_m}, rank);
    }
}
