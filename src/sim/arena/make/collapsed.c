// A building after an earthquake: rooms with breached walls, rubble, fallen beams, slabs that lean and slabs that left
// a void, holes, step fields of broken floor, and part of an upper storey that a fallen ramp leads up to.
//
// Harder: narrower breaches, more rubble and loose blocks, holes, a storey without its parapet.
#include "sim/arena/make/labyrinth.h"
#include <math.h>

#define PI 3.14159265358979323846
#define WALL_M 0.2
#define STOREY_M 2.0
#define SLAB_M 0.2
#define RAMP_WIDTH_M 1.6
#define RAMP_DEG 18.0

typedef struct ruin {
    cairn_maker *maker;
    cairn_labyrinth rooms;
    double *x_m, *y_m;    // lines between rooms: columns + 1, rows + 1
    double storey_west_m; // the upper storey lies over the rooms of the top row east of it
    double breach_m;
} ruin;

static double round_cm(double value_m) { return round(value_m * 100.0) / 100.0; }

static bool under_storey(const ruin *of, double x_m, double y_m)
{
    return x_m >= of->storey_west_m - 0.01 && y_m >= of->y_m[of->rooms.rows - 1] - 0.01;
}

// Lines at even distances, a little off.
static double *draw_lines(cairn_maker *maker, double from_m, double to_m, uint32_t count)
{
    double *lines_m = CAIRN_TAKE(maker->work, double, count + 1);
    if (lines_m == NULL) {
        maker->full = true;
        return NULL;
    }
    for (uint32_t i = 0; i <= count; i++) {
        const double even_m = from_m + (to_m - from_m) * i / count;
        const bool inner = i > 0 && i < count;
        lines_m[i] = inner ? cairn_maker_m(maker, even_m - 0.6, even_m + 0.6) : round_cm(even_m);
    }
    return lines_m;
}

static void build_wall(ruin *of, cairn_vec2 from_m, cairn_vec2 to_m, bool breached)
{
    cairn_maker *maker = of->maker;
    const double middle_x_m = (from_m.x + to_m.x) / 2, middle_y_m = (from_m.y + to_m.y) / 2;
    // What bears the storey ends below it; what stands free is broken off at some height.
    maker->wall.height_m =
        under_storey(of, middle_x_m, middle_y_m) ? STOREY_M - SLAB_M : cairn_maker_m(maker, 0.9, 2.6);
    const double length_m = cairn_vec2_distance(from_m, to_m);
    if (!breached) {
        cairn_maker_wall(maker, from_m, to_m);
        return;
    }
    const double most_m = fmin(3.0 * of->breach_m, length_m - 1.2);
    const double gap_m = cairn_maker_m(maker, of->breach_m, fmax(of->breach_m, most_m));
    cairn_maker_wall_with_gap(maker, from_m, to_m, cairn_maker_m(maker, 0.5, length_m - gap_m - 0.5), gap_m);
}

static void build_walls(ruin *of)
{
    const cairn_labyrinth *rooms = &of->rooms;
    CAIRN_ASSERT(rooms->columns > 0);
    for (uint32_t cell = 0; cell < rooms->columns * rooms->rows; cell++) {
        const uint32_t x = cell % rooms->columns, y = cell / rooms->columns;
        const bool top = y + 1 == rooms->rows;
        if (x + 1 < rooms->columns) {
            const double line_m = of->x_m[x + 1];
            // In the top row the ramp to the storey runs along the north wall.
            const bool at_ramp = top && line_m < of->storey_west_m + 0.3 && line_m > of->storey_west_m - 9.0;
            const double north_m = of->y_m[y + 1] - (at_ramp ? RAMP_WIDTH_M + 0.4 : 0.0);
            build_wall(of, (cairn_vec2){line_m, of->y_m[y]}, (cairn_vec2){line_m, north_m},
                       cairn_labyrinth_is_open(rooms, cell, 0));
        }
        if (!top) {
            build_wall(of, (cairn_vec2){of->x_m[x], of->y_m[y + 1]}, (cairn_vec2){of->x_m[x + 1], of->y_m[y + 1]},
                       cairn_labyrinth_is_open(rooms, cell, 1));
        }
    }
}

// The slab, the ramp that came down with one end on it, and what is left of the parapet.
static void build_storey(ruin *of)
{
    cairn_maker *maker = of->maker;
    const cairn_labyrinth *rooms = &of->rooms;
    const double west_m = of->storey_west_m, east_m = of->x_m[rooms->columns];
    const double south_m = of->y_m[rooms->rows - 1], north_m = of->y_m[rooms->rows];
    const cairn_pose2 middle = {(west_m + east_m) / 2, (south_m + north_m) / 2, 0.0};
    cairn_maker_platform(maker, middle, (cairn_vec2){round_cm(east_m - west_m), round_cm(north_m - south_m)}, STOREY_M,
                         SLAB_M);
    const double run_m = STOREY_M / tan(RAMP_DEG * PI / 180.0), ramp_y_m = round_cm(north_m - RAMP_WIDTH_M / 2 - 0.15);
    cairn_maker_slope(maker, (cairn_pose2){round(west_m * 1e4 - run_m * 5e3) / 1e4, ramp_y_m, 0.0},
                      round(run_m * 1e4) / 1e4, RAMP_WIDTH_M, 0.0, RAMP_DEG);
    cairn_maker_keep_free(maker, (cairn_pose2){west_m - run_m - 1.0, ramp_y_m, 0.0}, (cairn_vec2){2.0, RAMP_WIDTH_M});
    const cairn_wall_style walls = maker->wall;
    maker->wall = (cairn_wall_style){0.12, 0.9, STOREY_M, CAIRN_MATERIAL_CONCRETE};
    cairn_maker_wall(maker, (cairn_vec2){west_m + 0.06, south_m + 0.06},
                     (cairn_vec2){west_m + 0.06, round_cm(ramp_y_m - RAMP_WIDTH_M / 2 - 0.06)});
    if (cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 1.0, 0.1))) {
        cairn_maker_wall(maker, (cairn_vec2){west_m + 0.06, south_m + 0.06}, (cairn_vec2){east_m, south_m + 0.06});
    } else { // an edge to fall off
        cairn_maker_wall(maker, (cairn_vec2){round_cm(east_m - 2.5), south_m + 0.06},
                         (cairn_vec2){east_m, south_m + 0.06});
    }
    maker->wall = walls;
    const cairn_pose2 locker = {east_m - 1.6, north_m - 0.5, 0.0};
    cairn_maker_box(maker, locker, (cairn_vec3){1.0, 0.5, 1.2}, STOREY_M, CAIRN_MATERIAL_METAL);
    cairn_maker_zone(maker, (cairn_vec2){middle.x_m, south_m + 0.12}, (cairn_vec2){east_m - 0.1, north_m - 0.1}, 0);
    maker->zones[maker->zone_count - 1].foot_m = STOREY_M;
}

// A slab on two stumps: a void that a robot fits into, deep enough for a person.
static void leave_void(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const cairn_vec2 size_m = {2.0, 1.8};
    for (int i = 0; i < 10; i++) {
        const cairn_pose2 at = {cairn_maker_m(maker, low_m.x + 1.3, high_m.x - 1.3),
                                cairn_maker_m(maker, low_m.y + 1.3, high_m.y - 1.3), 0.0};
        if (!cairn_maker_is_free(maker, at, size_m, 0.5)) { continue; }
        const double half_m = size_m.y / 2 - 0.1;
        cairn_maker_box(maker, at, (cairn_vec3){size_m.x, size_m.y, 0.2}, 0.8, CAIRN_MATERIAL_CONCRETE);
        cairn_maker_box(maker, (cairn_pose2){at.x_m, at.y_m - half_m, 0.0}, (cairn_vec3){size_m.x, 0.2, 0.8}, 0.0,
                        CAIRN_MATERIAL_CONCRETE);
        cairn_maker_box(maker, (cairn_pose2){at.x_m, at.y_m + half_m, 0.0}, (cairn_vec3){size_m.x, 0.2, 0.8}, 0.0,
                        CAIRN_MATERIAL_CONCRETE);
        cairn_maker_zone(maker, (cairn_vec2){at.x_m - 1.0, at.y_m - half_m + 0.1},
                         (cairn_vec2){at.x_m + 1.0, at.y_m + half_m - 0.1}, 0);
        return;
    }
}

// A slab that came down with one side against a wall: too steep to drive on.
static void lean_slab(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const double length_m = cairn_maker_m(maker, 0.9, 1.3), width_m = cairn_maker_m(maker, 1.2, 2.4);
    for (int i = 0; i < 10; i++) {
        const bool north = cairn_maker_chance(maker, 0.5);
        const cairn_pose2 at = {cairn_maker_m(maker, low_m.x + width_m, high_m.x - width_m),
                                north ? round_cm(high_m.y - length_m / 2 - 0.02)
                                      : round_cm(low_m.y + length_m / 2 + 0.02),
                                north ? PI / 2 : -PI / 2};
        if (!cairn_maker_is_free(maker, at, (cairn_vec2){length_m, width_m}, 0.01)) { continue; }
        const double steps = 4.0;
        // Slopes are to be driven on; this one is not, so it is laid in steps as broken slabs lie.
        for (int k = 0; k < (int)steps; k++) {
            const double deep_m = length_m * (steps - k) / steps, y_m = length_m / 2 - deep_m / 2;
            const cairn_vec2 middle_m = cairn_pose2_apply(at, (cairn_vec2){y_m, 0.0});
            cairn_maker_box(maker, (cairn_pose2){middle_m.x, middle_m.y, at.yaw_rad},
                            (cairn_vec3){round_cm(deep_m), width_m, 0.25 * (k + 1)}, 0.0, CAIRN_MATERIAL_CONCRETE);
        }
        return;
    }
}

static void dig_hole(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const cairn_vec2 size_m = {cairn_maker_m(maker, 0.6, 1.4), cairn_maker_m(maker, 0.6, 1.2)};
    for (int i = 0; i < 10; i++) {
        const cairn_pose2 at = {cairn_maker_m(maker, low_m.x + 1.2, high_m.x - 1.2),
                                cairn_maker_m(maker, low_m.y + 1.2, high_m.y - 1.2), 0.0};
        if (!cairn_maker_is_free(maker, at, size_m, 0.7)) { continue; }
        cairn_maker_hole(maker, cairn_pose2_at(at), size_m, 1.0);
        return;
    }
}

static void break_floor(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const cairn_vec2 corner_m = {round_cm((low_m.x + high_m.x) / 2 - 1.2), round_cm((low_m.y + high_m.y) / 2 - 0.6)};
    const cairn_pose2 middle = {corner_m.x + 1.2, corner_m.y + 0.6, 0.0};
    if (!cairn_maker_is_free(maker, middle, (cairn_vec2){2.4, 1.2}, 0.4)) { return; }
    static const char *const kinds[] = {"hill", "diagonal", "random"};
    cairn_maker_step_field(maker, kinds[cairn_maker_below(maker, 3)], corner_m, 2, 1,
                           round_cm(cairn_maker_by_difficulty(maker, 0.05, 0.15)), 3);
}

static void pour_rubble(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const cairn_vec2 size_m = {cairn_maker_m(maker, 1.2, 0.6 * (high_m.x - low_m.x)),
                               cairn_maker_m(maker, 1.2, 0.6 * (high_m.y - low_m.y))};
    for (int i = 0; i < 10; i++) {
        const cairn_pose2 at = {cairn_maker_m(maker, low_m.x + size_m.x / 2, high_m.x - size_m.x / 2),
                                cairn_maker_m(maker, low_m.y + size_m.y / 2, high_m.y - size_m.y / 2),
                                i < 5 ? cairn_maker_turn_rad(maker, -80, 80) : 0.0};
        if (!cairn_maker_is_free(maker, at, size_m, 0.02)) { continue; }
        const double height_m = cairn_maker_m(maker, 0.08, cairn_maker_by_difficulty(maker, 0.12, 0.4));
        cairn_maker_rough(maker, true, at, size_m, height_m);
        return;
    }
}

static void strew(ruin *of, cairn_vec2 low_m, cairn_vec2 high_m)
{
    cairn_maker *maker = of->maker;
    const double area_m2 = (high_m.x - low_m.x) * (high_m.y - low_m.y);
    const uint32_t count = (uint32_t)(area_m2 * cairn_maker_by_difficulty(maker, 0.08, 0.22));
    for (uint32_t i = 0; i < count; i++) {
        const bool beam = cairn_maker_chance(maker, 0.15), loose = !beam && cairn_maker_chance(maker, 0.55);
        const cairn_vec3 size_m = beam ? (cairn_vec3){cairn_maker_m(maker, 1.6, 3.0), 0.25, 0.25}
                                       : (cairn_vec3){cairn_maker_m(maker, 0.15, 0.5), cairn_maker_m(maker, 0.12, 0.35),
                                                      cairn_maker_m(maker, 0.1, 0.35)};
        const cairn_litter stone = {.low_m = low_m,
                                    .high_m = high_m,
                                    .size_m = size_m,
                                    .margin_m = beam ? 0.1 : 0.03,
                                    .turned = true,
                                    .loose = loose,
                                    .material = CAIRN_MATERIAL_CONCRETE};
        (void)cairn_maker_drop(maker, &stone);
    }
}

static void fill_room(ruin *of, uint32_t cell)
{
    cairn_maker *maker = of->maker;
    const uint32_t x = cell % of->rooms.columns, y = cell / of->rooms.columns;
    const double wall_m = WALL_M / 2 + 0.02;
    const cairn_vec2 low_m = {of->x_m[x] + wall_m, of->y_m[y] + wall_m};
    const cairn_vec2 high_m = {of->x_m[x + 1] - wall_m, of->y_m[y + 1] - wall_m};
    if (cairn_maker_chance(maker, 0.4)) { leave_void(of, low_m, high_m); }
    if (cairn_maker_chance(maker, 0.45)) { lean_slab(of, low_m, high_m); }
    if (cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.1, 0.45))) { dig_hole(of, low_m, high_m); }
    if (cairn_maker_chance(maker, 0.25)) { break_floor(of, low_m, high_m); }
    const uint32_t heaps = 1 + (uint32_t)round(cairn_maker_by_difficulty(maker, 0.0, 2.0));
    for (uint32_t i = 0; i < heaps; i++) { pour_rubble(of, low_m, high_m); }
    strew(of, low_m, high_m);
    cairn_maker_zone(maker, low_m, high_m, cell == 0 ? 3 : 1);
}

void cairn_make_collapsed(cairn_maker *maker)
{
    const cairn_vec2 size_m = maker->def->size_m;
    const double street_m = 3.4; // in the west, where the rescuers stand
    ruin of = {.maker = maker, .breach_m = round_cm(cairn_maker_by_difficulty(maker, 1.5, 1.0))};
    const uint32_t columns = (uint32_t)fmax(2.0, round((size_m.x - street_m) / 6.5));
    const uint32_t rows = (uint32_t)fmax(2.0, round(size_m.y / 6.5));
    maker->draft.ambient_c = 18.0;
    maker->wall = (cairn_wall_style){WALL_M, 2.4, 0.0, CAIRN_MATERIAL_CONCRETE};
    cairn_maker_fence(maker);
    of.x_m = draw_lines(maker, street_m, size_m.x - WALL_M / 2, columns);
    of.y_m = draw_lines(maker, WALL_M / 2, size_m.y - WALL_M / 2, rows);
    if (maker->full || cairn_labyrinth_carve(maker, columns, rows, 0, 0.3, &of.rooms) != CAIRN_OK) {
        maker->full = true;
        return;
    }
    for (uint32_t cell = 0; cell < columns * rows; cell++) { // what fell opens more ways than there were
        for (uint32_t way = 0; way < 2; way++) {
            if (cairn_labyrinth_next(&of.rooms, cell, way) == UINT32_MAX) { continue; }
            if (cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.7, 0.25))) {
                cairn_labyrinth_set(&of.rooms, cell, way, true);
            }
        }
    }
    // Its ramp is 6.2 m long and wants room before it.
    const double run_m = STOREY_M / tan(RAMP_DEG * PI / 180.0);
    of.storey_west_m = round_cm(fmax(of.x_m[columns - 1] - 2.0, street_m + run_m + 1.7));
    cairn_maker_starts(maker, (cairn_vec2){0.5, 0.5}, (cairn_vec2){street_m - 0.5, size_m.y - 0.5}, 0.0);
    build_storey(&of);
    // The front wall to the street, with two ways in.
    for (uint32_t y = 0; y < rows; y++) {
        build_wall(&of, (cairn_vec2){of.x_m[0], of.y_m[y]}, (cairn_vec2){of.x_m[0], of.y_m[y + 1]},
                   y == 0 || (y + 1 < rows && cairn_maker_chance(maker, 0.4)));
    }
    build_walls(&of);
    for (uint32_t cell = 0; cell < columns * rows; cell++) { fill_room(&of, cell); }
}
