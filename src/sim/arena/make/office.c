// An office floor: a lobby in the west, corridors from it to the east, rooms with doors on both sides of each, and a
// corridor across that joins them.
//
// Harder: narrower corridors and doors, more furniture, overturned and loose, doors that are closed, fewer second
// doors.
#include "sim/arena/make/maker.h"
#include <math.h>

#define WALL_M 0.1
#define PI 3.14159265358979323846

typedef struct office {
    cairn_maker *maker;
    double door_m, corridor_m;
    double lobby_m;    // where the lobby ends
    double cross_m[2]; // the corridor across: from, to; equal: none
} office;

typedef struct room {
    cairn_vec2 low_m, high_m; // between the middle lines of its walls
    bool door_north;          // its corridor lies in the north
} room;

static double width_of(const room *in) { return in->high_m.x - in->low_m.x; }
static double depth_of(const room *in) { return in->high_m.y - in->low_m.y; }

static cairn_litter piece(const room *in, double x_m, double y_m, double z_m, double margin_m)
{
    const double wall_m = WALL_M / 2;
    return (cairn_litter){.low_m = {in->low_m.x + wall_m, in->low_m.y + wall_m},
                          .high_m = {in->high_m.x - wall_m, in->high_m.y - wall_m},
                          .size_m = {x_m, y_m, z_m},
                          .margin_m = margin_m,
                          .material = CAIRN_MATERIAL_WOOD};
}

// Shelves and cabinets at the walls, desks with a chair, now and then a table in the middle.
static void furnish(office *of, const room *in)
{
    cairn_maker *maker = of->maker;
    const double area_m2 = width_of(in) * depth_of(in);
    const double density = cairn_maker_by_difficulty(maker, 0.10, 0.20);
    const uint32_t pieces = (uint32_t)(area_m2 * density) + 1;
    if (area_m2 > 20.0 && cairn_maker_chance(maker, 0.3)) {
        cairn_litter table = piece(in, cairn_maker_m(maker, 1.8, 2.6), 1.0, 0.74, 0.8);
        (void)cairn_maker_drop(maker, &table);
    }
    for (uint32_t i = 0; i < pieces; i++) {
        cairn_litter what;
        switch (cairn_maker_below(maker, 5)) {
        case 0: what = piece(in, cairn_maker_m(maker, 0.8, 1.6), 0.4, 1.9, 0.01); break; // shelf
        case 1: what = piece(in, cairn_maker_m(maker, 0.5, 1.0), 0.5, 1.1, 0.01); break; // cabinet
        case 2:
        case 3: what = piece(in, 1.6, 0.8, 0.74, 0.01); break; // desk
        default: what = piece(in, 0.5, 0.5, 0.9, 0.1); break;  // chair
        }
        const bool upset = cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, -0.05, 0.45));
        if (upset) {
            what.turned = true;
            what.margin_m = 0.1;
            what.loose = what.size_m.x < 1.0;
            what.size_m.z = fmin(what.size_m.z, 0.5);
            (void)cairn_maker_drop(maker, &what);
        } else {
            (void)cairn_maker_drop_at_side(maker, &what, 0.03);
        }
    }
    for (uint32_t i = 0; i < (uint32_t)(4.0 * maker->hard); i++) {
        const double side_m = cairn_maker_m(maker, 0.2, 0.4);
        cairn_litter carton = piece(in, side_m, side_m + 0.1, cairn_maker_m(maker, 0.15, 0.4), 0.05);
        carton.turned = carton.loose = true;
        (void)cairn_maker_drop(maker, &carton);
    }
}

// The wall to its corridor, with the door. Whether it is closed: robots do not open doors, so nobody waits behind it.
static bool build_front(office *of, const room *in)
{
    cairn_maker *maker = of->maker;
    const double y_m = in->door_north ? in->high_m.y : in->low_m.y;
    const double from_m = cairn_maker_m(maker, 0.25, width_of(in) - of->door_m - 0.25);
    const cairn_vec2 left_m = {in->low_m.x, y_m}, right_m = {in->high_m.x, y_m};
    cairn_maker_wall_with_gap(maker, left_m, right_m, from_m, of->door_m);
    if (!cairn_maker_chance(maker, 0.7)) { return false; } // a doorway whose door is gone
    // Hinged at the side nearer to a wall, opening into the room.
    const bool hinge_left = from_m < width_of(in) / 2;
    const cairn_vec2 a_m = {in->low_m.x + from_m, y_m}, b_m = {in->low_m.x + from_m + of->door_m, y_m};
    const double open_deg = hinge_left == in->door_north ? -90.0 : 90.0;
    const bool closed = cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, -0.1, 0.4));
    cairn_maker_door(maker, hinge_left ? a_m : b_m, hinge_left ? b_m : a_m, open_deg, !closed);
    return closed;
}

static bool build_room(office *of, const room *in, bool last)
{
    cairn_maker *maker = of->maker;
    const bool closed = build_front(of, in);
    if (!last) { // the wall to the next room, sometimes with a way through
        const cairn_vec2 south_m = {in->high_m.x, in->low_m.y}, north_m = {in->high_m.x, in->high_m.y};
        if (depth_of(in) > 3.0 && cairn_maker_chance(maker, cairn_maker_by_difficulty(maker, 0.45, 0.1))) {
            cairn_maker_wall_with_gap(maker, south_m, north_m,
                                      cairn_maker_m(maker, 0.8, depth_of(in) - of->door_m - 0.8), of->door_m);
        } else {
            cairn_maker_wall(maker, south_m, north_m);
        }
    }
    return closed;
}

// Rooms from one x to another, all with doors to the same side.
static void build_row(office *of, cairn_vec2 low_m, cairn_vec2 high_m, bool door_north)
{
    cairn_maker *maker = of->maker;
    const double length_m = high_m.x - low_m.x;
    const uint32_t count = (uint32_t)fmax(1.0, round(length_m / cairn_maker_m(maker, 4.2, 6.5)));
    double from_m = low_m.x;
    for (uint32_t i = 0; i < count; i++) {
        const double even_m = low_m.x + length_m * (i + 1) / count;
        const bool last = i + 1 == count;
        const double to_m = last ? high_m.x : cairn_maker_m(maker, even_m - 0.5, even_m + 0.5);
        const room in = {{from_m, low_m.y}, {to_m, high_m.y}, door_north};
        const bool closed = build_room(of, &in, last);
        furnish(of, &in);
        from_m = to_m;
        if (closed) { continue; }
        cairn_maker_zone(maker, (cairn_vec2){in.low_m.x + WALL_M / 2, in.low_m.y + WALL_M / 2},
                         (cairn_vec2){in.high_m.x - WALL_M / 2, in.high_m.y - WALL_M / 2}, 0);
    }
}

// A row on each side of the corridor across. Its ends get walls; the back wall is shared with the row behind it.
static void build_side(office *of, double y_m_low, double y_m_high, bool door_north, bool back_wall)
{
    cairn_maker *maker = of->maker;
    const double east_m = maker->def->size_m.x - WALL_M / 2;
    const double parts_m[2][2] = {{of->lobby_m, of->cross_m[0]}, {of->cross_m[1], east_m}};
    const bool crossed = of->cross_m[1] > of->cross_m[0];
    for (int i = 0; i < (crossed ? 2 : 1); i++) {
        const double from_m = parts_m[i][0], to_m = crossed ? parts_m[i][1] : east_m;
        const double back_y_m = door_north ? y_m_low : y_m_high;
        cairn_maker_wall(maker, (cairn_vec2){from_m, y_m_low}, (cairn_vec2){from_m, y_m_high});
        if (to_m < east_m) { cairn_maker_wall(maker, (cairn_vec2){to_m, y_m_low}, (cairn_vec2){to_m, y_m_high}); }
        if (back_wall) { cairn_maker_wall(maker, (cairn_vec2){from_m, back_y_m}, (cairn_vec2){to_m, back_y_m}); }
        build_row(of, (cairn_vec2){from_m, y_m_low}, (cairn_vec2){to_m, y_m_high}, door_north);
    }
}

// Cable bridges across the corridor, and what was dropped on the flight.
static void strew_corridor(office *of, double y_m_low, double y_m_high)
{
    cairn_maker *maker = of->maker;
    const double east_m = maker->def->size_m.x - 2.0, inner_m = y_m_high - y_m_low - WALL_M;
    const uint32_t bridges = (uint32_t)round(cairn_maker_by_difficulty(maker, 0.6, 2.4));
    for (uint32_t i = 0; i < bridges; i++) {
        const cairn_pose2 at = {cairn_maker_m(maker, of->lobby_m + 1.5, east_m), (y_m_low + y_m_high) / 2, 0.0};
        const double length_m = cairn_maker_m(maker, 1.0, 1.6);
        const cairn_vec2 plan_m = {length_m, inner_m - 0.04};
        if (at.x_m > of->cross_m[0] - 1.5 && at.x_m < of->cross_m[1] + 1.5) { continue; }
        if (!cairn_maker_is_free(maker, at, (cairn_vec2){plan_m.x + 1.0, plan_m.y}, 0.0)) { continue; }
        cairn_maker_ridge(maker, at, length_m, floor(plan_m.y * 100.0) / 100.0,
                          round(cairn_maker_by_difficulty(maker, 8.0, 15.0)));
    }
    const room along = {{of->lobby_m, y_m_low}, {east_m, y_m_high}, false};
    for (uint32_t i = 0; i < (uint32_t)(maker->hard * (east_m - of->lobby_m) / 5.0); i++) {
        cairn_litter carton = piece(&along, cairn_maker_m(maker, 0.25, 0.45), 0.3, 0.3, 0.02);
        (void)cairn_maker_drop_at_side(maker, &carton, 0.02);
    }
}

void cairn_make_office(cairn_maker *maker)
{
    office of = {.maker = maker,
                 .door_m = round(cairn_maker_by_difficulty(maker, 1.1, 0.92) * 100.0) / 100.0,
                 .corridor_m = round(cairn_maker_by_difficulty(maker, 2.3, 1.4) * 100.0) / 100.0};
    const cairn_vec2 size_m = maker->def->size_m;
    const double south_m = WALL_M / 2, north_m = size_m.y - WALL_M / 2;
    maker->wall = (cairn_wall_style){WALL_M, 2.4, 0.0, CAIRN_MATERIAL_DRYWALL};
    cairn_maker_fence(maker);
    of.lobby_m = round(fmax(3.2, fmin(0.16 * size_m.x, 8.0)) * 100.0) / 100.0;
    of.cross_m[0] = of.cross_m[1] = size_m.x;
    if (size_m.x > 20.0) {
        of.cross_m[0] = cairn_maker_m(maker, of.lobby_m + 0.45 * (size_m.x - of.lobby_m), 0.75 * size_m.x);
        of.cross_m[1] = of.cross_m[0] + of.corridor_m;
    }
    cairn_maker_starts(maker, (cairn_vec2){0.6, 0.6}, (cairn_vec2){of.lobby_m - 0.3, north_m - 0.6}, 0.0);
    const uint32_t corridors = (uint32_t)fmax(1.0, round(size_m.y / 13.0));
    const double band_m = (north_m - south_m) / corridors;
    for (uint32_t i = 0; i < corridors; i++) {
        const double low_m = south_m + i * band_m, high_m = low_m + band_m;
        const double middle_m = cairn_maker_m(maker, (low_m + high_m) / 2 - 0.6, (low_m + high_m) / 2 + 0.6);
        const double y_m[4] = {round(low_m * 100) / 100, round((middle_m - of.corridor_m / 2) * 100) / 100,
                               round((middle_m + of.corridor_m / 2) * 100) / 100, round(high_m * 100) / 100};
        build_side(&of, i == 0 ? south_m : y_m[0], y_m[1], true, false);
        build_side(&of, y_m[2], i + 1 == corridors ? north_m : y_m[3], false, i + 1 < corridors);
        strew_corridor(&of, y_m[1], y_m[2]);
    }
}
