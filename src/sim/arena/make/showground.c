// A showground as in the Magic 2010 challenge: streets with kerbs and trees, and between them blocks of halls, market
// stalls, pens, parked cars, a ring with stands, pavilions, gardens and a goods yard, under the sky.
//
// Harder: more and narrower stalls and pens, narrower gates, kerbs without gaps, more things in the streets.
#include "sim/arena/make/maker.h"
#include <math.h>

#define PI 3.14159265358979323846
#define STREET_M 12.0
#define BLOCK_M 68.0 // wished side of a block
#define PAVEMENT_M 1.6
#define KERB_M 0.1

typedef struct plot {
    cairn_vec2 low_m, high_m;
} plot;

static double round_cm(double value_m) { return round(value_m * 100.0) / 100.0; }
static double wide_m(const plot *of) { return of->high_m.x - of->low_m.x; }
static double deep_m(const plot *of) { return of->high_m.y - of->low_m.y; }

// How many of from, from + step, ... are below `to`.
static uint32_t steps_to(double from_m, double to_m, double step_m)
{
    return to_m > from_m ? (uint32_t)ceil((to_m - from_m) / step_m) : 0;
}

static plot shrunk(const plot *of, double by_m)
{
    return (plot){{of->low_m.x + by_m, of->low_m.y + by_m}, {of->high_m.x - by_m, of->high_m.y - by_m}};
}

// Four walls with a gate in the middle of some of them.
static void build_house(cairn_maker *maker, const plot *of, double gate_m, uint32_t gates)
{
    const cairn_vec2 corners_m[4] = {of->low_m, {of->high_m.x, of->low_m.y}, of->high_m, {of->low_m.x, of->high_m.y}};
    for (uint32_t i = 0; i < 4; i++) {
        const cairn_vec2 from_m = corners_m[i], to_m = corners_m[(i + 1) % 4];
        const double length_m = cairn_vec2_distance(from_m, to_m);
        if (!(gates >> i & 1) || length_m < gate_m + 1.0) {
            cairn_maker_wall(maker, from_m, to_m);
            continue;
        }
        cairn_maker_wall_with_gap(maker, from_m, to_m, cairn_maker_m(maker, 0.4, length_m - gate_m - 0.4), gate_m);
    }
}

// Rows of boxes with aisles between them, inside a plot; now and then one is missing.
static void lay_stalls(cairn_maker *maker, const plot *of, cairn_vec3 stall_m, double aisle_m, double missing)
{
    const double along_m = stall_m.x + 0.02, across_m = stall_m.y + aisle_m;
    const uint32_t rows = (uint32_t)fmax(0.0, (deep_m(of) - aisle_m) / across_m);
    const uint32_t columns = (uint32_t)fmax(0.0, (wide_m(of) - 2 * aisle_m) / along_m);
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t together = 0;
        for (uint32_t column = 0; column < columns; column++) {
            // Nobody likes to walk round more than six stalls.
            if (cairn_maker_chance(maker, missing) || together == 6) {
                together = 0;
                continue;
            }
            together++;
            const cairn_pose2 at = {round_cm(of->low_m.x + aisle_m + (column + 0.5) * along_m),
                                    round_cm(of->low_m.y + aisle_m + row * across_m + stall_m.y / 2), 0.0};
            if (!cairn_maker_is_free(maker, at, (cairn_vec2){stall_m.x, stall_m.y}, 0.0)) { continue; }
            cairn_maker_box(maker, at, stall_m, 0.0, CAIRN_MATERIAL_WOOD);
        }
        const double y_m = of->low_m.y + aisle_m + row * across_m;
        if (row % 2 == 0) {
            cairn_maker_zone(maker, (cairn_vec2){of->low_m.x, round_cm(y_m - aisle_m)},
                             (cairn_vec2){of->high_m.x, round_cm(y_m)}, 1);
        }
    }
}

static void build_hall(cairn_maker *maker, const plot *of)
{
    const plot hall = shrunk(of, cairn_maker_m(maker, 5.0, 9.0));
    maker->wall = (cairn_wall_style){0.25, 6.0, 0.0, CAIRN_MATERIAL_BRICK};
    const double gate_m = round_cm(cairn_maker_by_difficulty(maker, 5.0, 2.0));
    const uint32_t front = cairn_maker_below(maker, 4), other = cairn_maker_below(maker, 4);
    build_house(maker, &hall, gate_m, 1u << front | 1u << other);
    const plot inside = shrunk(&hall, 1.2);
    const double aisle_m = cairn_maker_by_difficulty(maker, 4.0, 2.6);
    lay_stalls(maker, &inside, (cairn_vec3){5.0, 3.0, 2.4}, round_cm(aisle_m), 0.35);
    for (uint32_t i = 0; i < steps_to(hall.low_m.x + 8.0, hall.high_m.x - 4.0, 10.0); i++) { // pillars
        const double x_m = hall.low_m.x + 8.0 + i * 10.0;
        const cairn_pose2 at = {round_cm(x_m), round_cm((hall.low_m.y + hall.high_m.y) / 2), 0.0};
        if (!cairn_maker_is_free(maker, at, (cairn_vec2){0.5, 0.5}, 0.9)) { continue; }
        cairn_maker_box(maker, at, (cairn_vec3){0.5, 0.5, 6.0}, 0.0, CAIRN_MATERIAL_CONCRETE);
    }
    const plot walls = shrunk(&hall, 0.13);
    cairn_maker_zone(maker, walls.low_m, walls.high_m, 0);
}

static void build_market(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 2.5);
    lay_stalls(maker, &inside, (cairn_vec3){3.0, 2.4, 2.3}, round_cm(cairn_maker_by_difficulty(maker, 5.0, 3.4)), 0.25);
}

// A car: body and roof.
static void park_car(cairn_maker *maker, cairn_pose2 at)
{
    cairn_maker_box(maker, at, (cairn_vec3){4.2, 1.8, 0.65}, 0.2, CAIRN_MATERIAL_METAL);
    cairn_maker_box(maker, at, (cairn_vec3){2.1, 1.6, 0.6}, 0.85, CAIRN_MATERIAL_METAL);
}

static void build_car_park(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 3.0);
    for (uint32_t row = 0; row < steps_to(inside.low_m.y + 2.5, inside.high_m.y - 2.0, 11.0); row++) {
        const double y_m = inside.low_m.y + 2.5 + row * 11.0;
        for (uint32_t i = 0; i < steps_to(inside.low_m.x + 1.5, inside.high_m.x - 1.0, 3.2); i++) {
            const double x_m = inside.low_m.x + 1.5 + i * 3.2;
            if (cairn_maker_chance(maker, 0.4)) { continue; }
            park_car(maker, (cairn_pose2){round_cm(x_m), cairn_maker_m(maker, y_m - 0.2, y_m + 0.2), PI / 2});
        }
        cairn_maker_zone(maker, (cairn_vec2){inside.low_m.x, round_cm(y_m + 2.2)},
                         (cairn_vec2){inside.high_m.x, round_cm(y_m + 6.0)}, 2);
    }
}

// Pens for animals: fenced squares with a gate each, in rows with lanes between.
static void build_pens(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 3.0);
    const double pen_m = round_cm(cairn_maker_by_difficulty(maker, 12.0, 8.0)), lane_m = 3.5;
    maker->wall = (cairn_wall_style){0.06, 1.2, 0.0, CAIRN_MATERIAL_WOOD};
    for (uint32_t row = 0; row < steps_to(inside.low_m.y, inside.high_m.y - pen_m, (pen_m + lane_m)); row++) {
        const double y_m = inside.low_m.y + row * (pen_m + lane_m);
        for (uint32_t column = 0; column < steps_to(inside.low_m.x, inside.high_m.x - pen_m, (pen_m + lane_m));
             column++) {
            const double x_m = inside.low_m.x + column * (pen_m + lane_m);
            if (cairn_maker_chance(maker, 0.15)) { continue; }
            const plot pen = {{round_cm(x_m), round_cm(y_m)}, {round_cm(x_m + pen_m), round_cm(y_m + pen_m)}};
            build_house(maker, &pen, round_cm(cairn_maker_by_difficulty(maker, 2.0, 1.2)),
                        1u << cairn_maker_below(maker, 4));
            const cairn_litter trough = {.low_m = {pen.low_m.x + 0.05, pen.low_m.y + 0.05},
                                         .high_m = {pen.high_m.x - 0.05, pen.high_m.y - 0.05},
                                         .size_m = {1.8, 0.5, 0.4},
                                         .margin_m = 0.01,
                                         .material = CAIRN_MATERIAL_METAL};
            (void)cairn_maker_drop_at_side(maker, &trough, 0.05);
            cairn_maker_zone(maker, (cairn_vec2){pen.low_m.x + 0.03, pen.low_m.y + 0.03},
                             (cairn_vec2){pen.high_m.x - 0.03, pen.high_m.y - 0.03}, 1);
        }
    }
}

// Coarser than elsewhere: large patches need not have a million corners.
static void lay_gravel(cairn_maker *maker, cairn_pose2 at, cairn_vec2 size_m, double height_m)
{
    const uint32_t before = maker->draft.rough_count;
    cairn_maker_rough(maker, false, at, size_m, height_m);
    if (maker->draft.rough_count > before) { maker->draft.roughs[before].cell_m = 0.2; }
}

// A ring of fence with two gates, and a stand beside it: steps up to a platform, and a ramp to it.
static void build_ring(cairn_maker *maker, const plot *of)
{
    const cairn_vec2 middle_m = {(of->low_m.x + of->high_m.x) / 2, (of->low_m.y + of->high_m.y) / 2};
    const double radius_m = fmax(2.0, fmin(wide_m(of), deep_m(of)) / 2 - 10.0);
    maker->wall = (cairn_wall_style){0.08, 1.1, 0.0, CAIRN_MATERIAL_WOOD};
    enum { SIDES = 20 };
    const uint32_t gate = cairn_maker_below(maker, SIDES / 2);
    for (uint32_t i = 0; i < SIDES; i++) {
        if (i % (SIDES / 2) == gate) { continue; }
        const double a = 2 * PI * i / SIDES, b = 2 * PI * (i + 1) / SIDES;
        cairn_maker_wall(
            maker, (cairn_vec2){round_cm(middle_m.x + radius_m * cos(a)), round_cm(middle_m.y + radius_m * sin(a))},
            (cairn_vec2){round_cm(middle_m.x + radius_m * cos(b)), round_cm(middle_m.y + radius_m * sin(b))});
    }
    const double inner_m = radius_m * 0.65;
    if (inner_m > 2.0) {
        lay_gravel(maker, (cairn_pose2){round_cm(middle_m.x), round_cm(middle_m.y), 0.0},
                   (cairn_vec2){round_cm(inner_m), round_cm(inner_m)}, 0.04);
    }
    const double stand_y_m = round_cm(of->low_m.y + 5.0), length_m = round_cm(fmin(24.0, wide_m(of) - 24.0));
    const cairn_pose2 stand = {round_cm(middle_m.x), stand_y_m, 0.0};
    if (length_m > 4.0 && cairn_maker_is_free(maker, stand, (cairn_vec2){length_m + 10.0, 4.0}, 1.0)) {
        const double run_m = 4.48; // 1.2 m at 15 degrees
        cairn_maker_platform(maker, stand, (cairn_vec2){length_m, 2.0}, 1.2, 0.0);
        cairn_maker_stairs(maker, (cairn_pose2){stand.x_m, stand_y_m + 1.0 + 10 * 0.3, -PI / 2}, 10, 0.12, 0.3,
                           length_m / 2);
        cairn_maker_slope(maker, (cairn_pose2){stand.x_m - length_m / 2 - run_m / 2, stand_y_m, 0.0}, run_m, 1.8, 0.0,
                          15.0);
    }
    cairn_maker_zone(maker, (cairn_vec2){middle_m.x - radius_m * 0.6, middle_m.y - radius_m * 0.6},
                     (cairn_vec2){middle_m.x + radius_m * 0.6, middle_m.y + radius_m * 0.6}, 2);
    cairn_maker_zone(maker, of->low_m, of->high_m, 2);
}

// Small houses of two rooms each.
static void build_pavilions(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 4.0);
    const double door_m = round_cm(cairn_maker_by_difficulty(maker, 1.6, 1.0));
    for (uint32_t row = 0; row < steps_to(inside.low_m.y, inside.high_m.y - 9.0, 15.0); row++) {
        const double y_m = inside.low_m.y + row * 15.0;
        for (uint32_t column = 0; column < steps_to(inside.low_m.x, inside.high_m.x - 11.0, 17.0); column++) {
            const double x_m = inside.low_m.x + column * 17.0;
            const plot house = {
                {cairn_maker_m(maker, x_m, x_m + 1.5), cairn_maker_m(maker, y_m, y_m + 1.5)},
                {cairn_maker_m(maker, x_m + 8.0, x_m + 11.0), cairn_maker_m(maker, y_m + 6.0, y_m + 9.0)}};
            maker->wall = (cairn_wall_style){
                0.15, 2.8, 0.0, cairn_maker_chance(maker, 0.5) ? CAIRN_MATERIAL_BRICK : CAIRN_MATERIAL_WOOD};
            build_house(maker, &house, door_m, cairn_maker_chance(maker, 0.5) ? 0x5 : 0x1);
            const double line_m = round_cm((house.low_m.x + house.high_m.x) / 2);
            cairn_maker_wall_with_gap(maker, (cairn_vec2){line_m, house.low_m.y}, (cairn_vec2){line_m, house.high_m.y},
                                      cairn_maker_m(maker, 1.0, deep_m(&house) - door_m - 1.0), door_m);
            const plot rooms = shrunk(&house, 0.08);
            for (int i = 0; i < 3; i++) {
                const cairn_litter table = {rooms.low_m, rooms.high_m, {1.6, 0.8, 0.75},   0.02,
                                            false,       false,        CAIRN_MATERIAL_WOOD};
                (void)cairn_maker_drop_at_side(maker, &table, 0.05);
            }
            cairn_maker_zone(maker, rooms.low_m, (cairn_vec2){line_m - 0.08, rooms.high_m.y}, 0);
            cairn_maker_zone(maker, (cairn_vec2){line_m + 0.08, rooms.low_m.y}, rooms.high_m, 0);
        }
    }
}

static void build_garden(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 3.0);
    const uint32_t trees = (uint32_t)(wide_m(&inside) * deep_m(&inside) / 70.0);
    for (uint32_t i = 0; i < trees; i++) {
        const double trunk_m = cairn_maker_m(maker, 0.25, 0.6);
        const cairn_litter tree = {inside.low_m, inside.high_m, {trunk_m, trunk_m, 5.0}, 1.0,
                                   false,        false,         CAIRN_MATERIAL_WOOD};
        (void)cairn_maker_drop(maker, &tree);
    }
    for (uint32_t i = 0; i < trees / 3; i++) {
        const bool hedge = cairn_maker_chance(maker, 0.5);
        const cairn_litter thing = {inside.low_m,
                                    inside.high_m,
                                    hedge ? (cairn_vec3){cairn_maker_m(maker, 4.0, 9.0), 0.8, 1.3}
                                          : (cairn_vec3){1.8, 0.5, 0.45},
                                    1.0,
                                    !hedge,
                                    false,
                                    CAIRN_MATERIAL_WOOD};
        (void)cairn_maker_drop(maker, &thing);
    }
    cairn_maker_zone(maker, inside.low_m, inside.high_m, 2);
}

// Containers, pallets, and a loading dock of 1 m with a ramp up to it.
static void build_goods_yard(cairn_maker *maker, const plot *of)
{
    const plot inside = shrunk(of, 3.0);
    const cairn_pose2 dock = {round_cm((inside.low_m.x + inside.high_m.x) / 2), round_cm(inside.high_m.y - 3.0), 0.0};
    if (wide_m(&inside) > 26.0) {
        const double run_m = 3.73; // 1 m at 15 degrees
        cairn_maker_platform(maker, dock, (cairn_vec2){14.0, 5.0}, 1.0, 0.0);
        cairn_maker_slope(maker, (cairn_pose2){dock.x_m - 7.0 - run_m / 2, dock.y_m, 0.0}, run_m, 2.4, 0.0, 15.0);
    }
    for (int i = 0; i < 12; i++) {
        const cairn_litter container = {inside.low_m, inside.high_m, {6.1, 2.44, 2.6},    1.3,
                                        false,        false,         CAIRN_MATERIAL_METAL};
        (void)cairn_maker_drop(maker, &container);
    }
    for (int i = 0; i < 16; i++) {
        const bool loose = cairn_maker_chance(maker, 0.4);
        const cairn_litter crate = {inside.low_m,
                                    inside.high_m,
                                    loose ? (cairn_vec3){0.5, 0.4, 0.4}
                                          : (cairn_vec3){1.2, 0.8, cairn_maker_m(maker, 0.15, 1.4)},
                                    0.8,
                                    true,
                                    loose,
                                    CAIRN_MATERIAL_WOOD};
        (void)cairn_maker_drop(maker, &crate);
    }
    if (fmin(wide_m(&inside), deep_m(&inside)) > 20.0) {
        lay_gravel(maker, (cairn_pose2){round_cm(inside.low_m.x + 8.0), round_cm(inside.low_m.y + 7.0), 0.0},
                   (cairn_vec2){10.0, 8.0}, round_cm(cairn_maker_by_difficulty(maker, 0.03, 0.07)));
    }
    cairn_maker_zone(maker, inside.low_m, inside.high_m, 1);
}

// Kerbs along two sides of a block, with gaps to drive through, and trees on them.
static void build_pavement(cairn_maker *maker, const plot *of)
{
    const double gap_m = cairn_maker_by_difficulty(maker, 6.0, 2.0);
    const double pieces = fmax(1.0, floor(wide_m(of) / 22.0)), length_m = wide_m(of) / pieces - gap_m;
    for (uint32_t i = 0; i < (uint32_t)pieces; i++) {
        const double x_m = of->low_m.x + (i + 0.5) * wide_m(of) / pieces;
        for (int side = 0; side < 2; side++) {
            const double y_m = side == 0 ? of->low_m.y + PAVEMENT_M / 2 : of->high_m.y - PAVEMENT_M / 2;
            const cairn_pose2 at = {round_cm(x_m), round_cm(y_m), 0.0};
            if (!cairn_maker_is_free(maker, at, (cairn_vec2){length_m, PAVEMENT_M}, 0.0)) { continue; }
            cairn_maker_platform(maker, at, (cairn_vec2){round_cm(length_m), PAVEMENT_M}, KERB_M, 0.0);
        }
    }
}

static void plant_street(cairn_maker *maker, const plot *of)
{
    for (uint32_t i = 0; i < steps_to(of->low_m.x + 4.0, of->high_m.x, 14.0); i++) {
        const double x_m = of->low_m.x + 4.0 + i * 14.0;
        const cairn_pose2 at = {round_cm(x_m), round_cm(of->low_m.y - 0.8), 0.0};
        if (!cairn_maker_is_free(maker, at, (cairn_vec2){0.4, 0.4}, 0.3)) { continue; }
        cairn_maker_box(maker, at, (cairn_vec3){0.4, 0.4, 5.0}, 0.0, CAIRN_MATERIAL_WOOD);
    }
}

// What was left standing in the streets, and ridges of cables across them.
static void strew_streets(cairn_maker *maker, const plot *block)
{
    const plot street = {{block->low_m.x, block->low_m.y - STREET_M + 2.0}, {block->high_m.x, block->low_m.y - 1.5}};
    if (street.low_m.y < 1.0) { return; }
    const uint32_t things = (uint32_t)round(cairn_maker_by_difficulty(maker, 2.0, 8.0));
    for (uint32_t i = 0; i < things; i++) {
        const bool barrier = cairn_maker_chance(maker, 0.5);
        const cairn_litter thing = {street.low_m,
                                    street.high_m,
                                    barrier ? (cairn_vec3){2.5, 0.3, 1.0} : (cairn_vec3){0.7, 0.7, 1.0},
                                    1.0,
                                    true,
                                    false,
                                    barrier ? CAIRN_MATERIAL_METAL : CAIRN_MATERIAL_CONCRETE};
        (void)cairn_maker_drop(maker, &thing);
    }
    if (cairn_maker_chance(maker, 0.35)) {
        const cairn_pose2 at = {cairn_maker_m(maker, street.low_m.x + 4.0, street.high_m.x - 4.0),
                                round_cm((street.low_m.y + street.high_m.y) / 2), 0.0};
        if (cairn_maker_is_free(maker, at, (cairn_vec2){1.2, 6.0}, 0.8)) {
            cairn_maker_ridge(maker, at, 1.2, 6.0, 12.0);
        }
    }
}

void cairn_make_showground(cairn_maker *maker)
{
    static void (*const blocks[])(cairn_maker * maker,
                                  const plot *of) = {build_hall,     build_market, build_pavilions,  build_pens,
                                                     build_car_park, build_garden, build_goods_yard, build_ring};
    enum { BLOCKS = sizeof blocks / sizeof blocks[0] };
    const cairn_vec2 size_m = maker->def->size_m;
    maker->draft.outdoors = true;
    maker->draft.ambient_c = 16.0;
    maker->wall = (cairn_wall_style){0.08, 2.2, 0.0, CAIRN_MATERIAL_METAL};
    cairn_maker_fence(maker);
    cairn_maker_starts(maker, (cairn_vec2){2.0, 2.0}, (cairn_vec2){STREET_M - 1.0, size_m.y - 2.0}, 90.0);
    const uint32_t columns = (uint32_t)fmax(1.0, round((size_m.x - STREET_M) / (BLOCK_M + STREET_M)));
    const uint32_t rows = (uint32_t)fmax(1.0, round((size_m.y - STREET_M) / (BLOCK_M + STREET_M)));
    const cairn_vec2 step_m = {(size_m.x - STREET_M) / columns, (size_m.y - STREET_M) / rows};
    uint32_t order[BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++) { order[i] = i; }
    for (uint32_t cell = 0; cell < columns * rows; cell++) {
        if (cell % BLOCKS == 0) { // every kind once before any comes again
            for (uint32_t i = BLOCKS - 1; i > 0; i--) {
                const uint32_t k = cairn_maker_below(maker, i + 1), swapped = order[i];
                order[i] = order[k];
                order[k] = swapped;
            }
        }
        const uint32_t column = cell % columns, row = cell / columns;
        const cairn_vec2 low_m = {round_cm(STREET_M + column * step_m.x), round_cm(STREET_M + row * step_m.y)};
        const plot block = {low_m, {round_cm(low_m.x + step_m.x - STREET_M), round_cm(low_m.y + step_m.y - STREET_M)}};
        const plot inner = shrunk(&block, PAVEMENT_M);
        build_pavement(maker, &block);
        blocks[order[cell % BLOCKS]](maker, &inner);
        cairn_maker_zone(maker, inner.low_m, inner.high_m, 3);
        plant_street(maker, &block);
        strew_streets(maker, &block);
    }
}
