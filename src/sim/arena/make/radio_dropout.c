// A long winding tunnel through rock with dead ends: nobody inside hears the station. Robots start before its mouth.
//
// Harder: narrower and longer, more dead ends, more debris, steeper ridges.
#include "sim/arena/make/labyrinth.h"
#include <math.h>

#define PI 3.14159265358979323846
#define ROCK_M 0.6  // between two parts of the tunnel
#define APRON_M 4.0 // before the mouth

typedef struct tunnel {
    cairn_maker *maker;
    cairn_labyrinth cells;
    double pitch_m;
    uint32_t mouth; // cell
    uint8_t *kept;  // 1: the long way, 2: a dead end beside it
} tunnel;

static cairn_vec2 low_of(const tunnel *of, uint32_t column, uint32_t row)
{
    return (cairn_vec2){APRON_M + column * of->pitch_m, ROCK_M / 2 + row * of->pitch_m};
}

static cairn_pose2 middle_of(const tunnel *of, uint32_t cell, double yaw_rad)
{
    const cairn_vec2 low_m = low_of(of, cell % of->cells.columns, cell / of->cells.columns);
    return (cairn_pose2){low_m.x + of->pitch_m / 2, low_m.y + of->pitch_m / 2, yaw_rad};
}

// The neighbour that a cell was carved from, one step nearer to the mouth.
static uint32_t way_back(const tunnel *of, uint32_t cell)
{
    for (uint32_t way = 0; way < 4; way++) {
        const uint32_t next = cairn_labyrinth_next(&of->cells, cell, way);
        if (next != UINT32_MAX && cairn_labyrinth_is_open(&of->cells, cell, way) &&
            of->cells.distance[next] + 1 == of->cells.distance[cell]) {
            return way;
        }
    }
    return 4;
}

// The longest way from the mouth, and branches off it for some cells.
static void choose_cells(tunnel *of)
{
    const uint32_t count = of->cells.columns * of->cells.rows;
    uint32_t end = of->mouth;
    for (uint32_t i = 0; i < count; i++) {
        if (of->cells.distance[i] > of->cells.distance[end]) { end = i; }
    }
    for (uint32_t cell = end; cell != of->mouth;) {
        of->kept[cell] = 1;
        cell = cairn_labyrinth_next(&of->cells, cell, way_back(of, cell));
    }
    of->kept[of->mouth] = 1;
    const double branching = cairn_maker_by_difficulty(of->maker, 0.35, 0.8);
    for (uint32_t cell = 0; cell < count; cell++) {
        if (of->kept[cell] != 1) { continue; }
        for (uint32_t way = 0; way < 4; way++) {
            uint32_t next = cairn_labyrinth_next(&of->cells, cell, way);
            if (next == UINT32_MAX || !cairn_labyrinth_is_open(&of->cells, cell, way) || of->kept[next] != 0 ||
                !cairn_maker_chance(of->maker, branching)) {
                continue;
            }
            uint32_t left = 1 + cairn_maker_below(of->maker, 4);
            while (next != UINT32_MAX && left-- > 0) {
                of->kept[next] = 2;
                uint32_t on = UINT32_MAX;
                for (uint32_t k = 0; k < 4; k++) {
                    const uint32_t beyond = cairn_labyrinth_next(&of->cells, next, k);
                    if (beyond != UINT32_MAX && cairn_labyrinth_is_open(&of->cells, next, k) && of->kept[beyond] == 0) {
                        on = beyond;
                    }
                }
                next = on;
            }
        }
    }
    // What is not kept is rock: no way leads there.
    for (uint32_t cell = 0; cell < count; cell++) {
        for (uint32_t way = 0; way < 4; way++) {
            const uint32_t next = cairn_labyrinth_next(&of->cells, cell, way);
            if (next != UINT32_MAX && (of->kept[cell] == 0 || of->kept[next] == 0)) {
                cairn_labyrinth_set(&of->cells, cell, way, false);
            }
        }
    }
}

static bool is_wall(const tunnel *of, uint32_t column, uint32_t row, bool upright)
{
    const uint32_t columns = of->cells.columns;
    if (upright ? column == 0 || column == columns : row == 0 || row == of->cells.rows) {
        return !(upright && column == 0 && row * columns == of->mouth); // the only hole in the outer face
    }
    const uint32_t cell = row * columns + column, other = upright ? cell - 1 : cell - columns;
    if (of->kept[cell] == 0 && of->kept[other] == 0) { return false; } // inside the rock
    return !cairn_labyrinth_is_open(&of->cells, cell, upright ? 2 : 3);
}

static void build_walls(tunnel *of)
{
    for (uint32_t row = 0; row <= of->cells.rows; row++) {
        for (uint32_t from = 0, to; from < of->cells.columns; from = to + 1) {
            for (to = from; to < of->cells.columns && is_wall(of, to, row, false); to++) {}
            if (to > from) { cairn_maker_wall(of->maker, low_of(of, from, row), low_of(of, to, row)); }
        }
    }
    for (uint32_t column = 0; column <= of->cells.columns; column++) {
        for (uint32_t from = 0, to; from < of->cells.rows; from = to + 1) {
            for (to = from; to < of->cells.rows && is_wall(of, column, to, true); to++) {}
            if (to > from) { cairn_maker_wall(of->maker, low_of(of, column, from), low_of(of, column, to)); }
        }
    }
}

// Cells without a way are rock, in runs.
static void fill_rock(tunnel *of)
{
    for (uint32_t row = 0; row < of->cells.rows; row++) {
        for (uint32_t from = 0, to; from < of->cells.columns; from = to + 1) {
            for (to = from; to < of->cells.columns && of->kept[row * of->cells.columns + to] == 0; to++) {}
            if (to == from) { continue; }
            const cairn_vec2 low_m = low_of(of, from, row), high_m = low_of(of, to, row + 1);
            const cairn_vec2 size_m = {high_m.x - low_m.x, high_m.y - low_m.y};
            cairn_maker_box(of->maker, (cairn_pose2){low_m.x + size_m.x / 2, low_m.y + size_m.y / 2, 0.0},
                            (cairn_vec3){size_m.x, size_m.y, 3.0}, 0.0, CAIRN_MATERIAL_CONCRETE);
        }
    }
}

// What came off the roof lies along the walls, never across an open side.
static void drop_stone(tunnel *of, uint32_t cell)
{
    cairn_maker *maker = of->maker;
    const uint32_t way = cairn_maker_below(maker, 4);
    // A robot still passes between two of them.
    const double deep_m = fmin(0.28, (of->pitch_m - ROCK_M - 0.84) / 2);
    const cairn_vec3 size_m = {cairn_maker_m(maker, 0.1, deep_m), cairn_maker_m(maker, 0.15, 0.4),
                               cairn_maker_m(maker, 0.1, 0.4)};
    const double half_m = (of->pitch_m - ROCK_M) / 2, along_m = cairn_maker_m(maker, -half_m + 0.25, half_m - 0.25);
    const bool loose = cairn_maker_chance(maker, 0.5);
    if (cairn_labyrinth_is_open(&of->cells, cell, way)) { return; }
    const cairn_vec2 middle_m =
        cairn_pose2_apply(middle_of(of, cell, way * PI / 2), (cairn_vec2){half_m - size_m.x / 2 - 0.02, along_m});
    const cairn_pose2 at = {round(middle_m.x * 100.0) / 100.0, round(middle_m.y * 100.0) / 100.0, way * PI / 2};
    if (!cairn_maker_is_free(maker, at, (cairn_vec2){size_m.x, size_m.y}, 0.005)) { return; }
    if (loose) {
        cairn_maker_block(maker, at, size_m, round(size_m.x * size_m.y * size_m.z * 6000.0) / 10.0 + 0.5,
                          CAIRN_MATERIAL_CONCRETE);
    } else {
        cairn_maker_box(maker, at, size_m, 0.0, CAIRN_MATERIAL_CONCRETE);
    }
}

static void fill_cell(tunnel *of, uint32_t cell)
{
    cairn_maker *maker = of->maker;
    const double inner_m = of->pitch_m - ROCK_M, half_m = inner_m / 2;
    const cairn_pose2 middle = middle_of(of, cell, 0.0);
    const cairn_vec2 low_m = {middle.x_m - half_m, middle.y_m - half_m};
    const cairn_vec2 high_m = {middle.x_m + half_m, middle.y_m + half_m};
    const uint8_t open = of->cells.open[cell];
    const bool dead_end = cairn_labyrinth_ways(&of->cells, cell) == 1;
    if ((open == 0x5 || open == 0xa) && cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.12, 0.35))) {
        const double width_m = floor((inner_m - 0.04) * 100.0) / 100.0,
                     length_m = cairn_maker_m(maker, 1.2, of->pitch_m - 0.1);
        cairn_maker_ridge(maker, middle_of(of, cell, open == 0x5 ? 0.0 : PI / 2), length_m, width_m,
                          round(cairn_maker_by_difficulty(maker, 10.0, 18.0)));
    } else if (!dead_end && cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.1, 0.4))) {
        const double side_m = floor((inner_m - 0.1) * 100.0) / 100.0;
        cairn_maker_rough(maker, false, middle, (cairn_vec2){side_m, side_m},
                          round(cairn_maker_by_difficulty(maker, 2.0, 6.0)) / 100.0);
    } else if (cell != of->mouth) {
        const uint32_t stones = cairn_maker_below(maker, 2 + (uint32_t)(3.0 * maker->hard));
        for (uint32_t i = 0; i < stones; i++) { drop_stone(of, cell); }
    }
    // The far half first, dead ends before all.
    const uint32_t steps = of->cells.distance[cell];
    cairn_maker_zone(maker, low_m, high_m, dead_end && steps > 4 ? 0 : steps > of->cells.columns ? 1 : 2);
}

void cairn_make_radio_dropout(cairn_maker *maker)
{
    const cairn_vec2 size_m = maker->def->size_m;
    tunnel of = {.maker = maker};
    of.pitch_m = floor((cairn_maker_by_difficulty(maker, 1.9, 1.2) + ROCK_M) * 100.0) / 100.0;
    const uint32_t columns = (uint32_t)((size_m.x - APRON_M - ROCK_M / 2) / of.pitch_m);
    const uint32_t rows = (uint32_t)((size_m.y - ROCK_M) / of.pitch_m);
    maker->draft.size_m = (cairn_vec2){APRON_M + columns * of.pitch_m + ROCK_M / 2, rows * of.pitch_m + ROCK_M};
    maker->draft.ambient_c = 12.0;
    of.mouth = cairn_maker_below(maker, rows) * columns;
    of.kept = CAIRN_TAKE(maker->work, uint8_t, columns * rows);
    if (of.kept == NULL || cairn_labyrinth_carve(maker, columns, rows, of.mouth,
                                                 cairn_maker_by_difficulty(maker, 0.55, 0.2), &of.cells) != CAIRN_OK) {
        maker->full = true;
        return;
    }
    choose_cells(&of);
    maker->wall = (cairn_wall_style){ROCK_M, 3.0, 0.0, CAIRN_MATERIAL_CONCRETE};
    fill_rock(&of);
    build_walls(&of);
    // The apron's fence.
    maker->wall = (cairn_wall_style){0.08, 1.5, 0.0, CAIRN_MATERIAL_METAL};
    const double north_m = maker->draft.size_m.y - 0.04;
    cairn_maker_wall(maker, (cairn_vec2){APRON_M, 0.04}, (cairn_vec2){0.04, 0.04});
    cairn_maker_wall(maker, (cairn_vec2){0.04, 0.04}, (cairn_vec2){0.04, north_m});
    cairn_maker_wall(maker, (cairn_vec2){0.04, north_m}, (cairn_vec2){APRON_M, north_m});
    const double mouth_y_m = middle_of(&of, of.mouth, 0.0).y_m;
    const double low_m = fmax(0.5, fmin(mouth_y_m - 2.5, maker->draft.size_m.y - 5.5));
    cairn_maker_starts(maker, (cairn_vec2){0.6, round(low_m * 100.0) / 100.0},
                       (cairn_vec2){APRON_M - 0.7, maker->draft.size_m.y - 0.5}, 0.0);
    for (uint32_t cell = 0; cell < columns * rows; cell++) {
        if (of.kept[cell] != 0) { fill_cell(&of, cell); }
    }
}
