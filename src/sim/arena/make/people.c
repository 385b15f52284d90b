// Victims, hazards and bystanders of an arena that is being made: only where a robot gets to and sees them, and never
// so that they part the ground into two.
#include "sim/arena/check/reach.h"
#include "sim/arena/make/maker.h"
#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
enum { TRIES_IN_ZONE = 24, PASSES = 4, TRIES_FOR_FIGURE = 4000, WAY_POINTS_MAX = 4, WINDOW = 48, SPLINTER_CELLS = 6 };

#define VICTIM_SIDE_M 0.66 // of a victim's box and a little
#define PERSON_SIDE_M 0.5  // of a victim in the open
#define STANDING_M 0.7     // height that a victim needs
#define GAP_M 0.03         // to the wall behind it
#define SIGHT_M 0.33       // above the ground: where lasers and thermal cameras look from
#define ROBOT_M 0.4        // a robot's radius and a little
#define FIGURE_SIDE_M 0.6
#define FIGURE_FROM_START_M 14.0 // nearer ones would be an unfair welcome; less where there is no room
#define HAZARD_APART_M 12.0

typedef struct people {
    cairn_maker *maker;
    cairn_reach reach;
    uint8_t *blocked;                               // for each cell: a victim or figure is nearer than a robot's radius
    cairn_vec2 keep_away_m[CAIRN_MAKE_HAZARDS_MAX]; // hazards
    uint32_t keep_away_count;
} people;

static uint32_t cell_below(double at_m, double cell_m, uint32_t count)
{
    const double cell = floor(at_m / cell_m);
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

// ---- does something in the way part the ground

// Ground around a place, as the robot's middle may be on it: a small picture of the reached cells.
typedef struct window {
    uint32_t x0, y0, width, height;
    uint8_t free[WINDOW * WINDOW];
} window;

static bool reached_near(const people *of, uint32_t cell, double height_m)
{
    for (uint32_t place = of->reach.first[cell]; place != CAIRN_REACH_NONE; place = of->reach.places[place].above) {
        if (fabs((double)of->reach.places[place].height_m - height_m) < 0.6) { return true; }
    }
    return false;
}

static void look(const people *of, cairn_vec2 at_m, double height_m, window *ret_window)
{
    const cairn_reach *reach = &of->reach;
    const double half_m = 0.5 * WINDOW * reach->cell_m;
    ret_window->x0 = cell_below(at_m.x - half_m, reach->cell_m, reach->width);
    ret_window->y0 = cell_below(at_m.y - half_m, reach->cell_m, reach->height);
    const uint32_t width = reach->width - ret_window->x0, height = reach->height - ret_window->y0;
    ret_window->width = width < WINDOW ? width : WINDOW;
    ret_window->height = height < WINDOW ? height : WINDOW;
    for (uint32_t y = 0; y < ret_window->height; y++) {
        for (uint32_t x = 0; x < ret_window->width; x++) {
            const uint32_t cell = (ret_window->y0 + y) * reach->width + ret_window->x0 + x;
            ret_window->free[y * WINDOW + x] = !of->blocked[cell] && reached_near(of, cell, height_m);
        }
    }
}

static bool would_block(cairn_vec2 cell_m, cairn_vec2 at_m, double side_m)
{
    // The square around a thing at any heading, and a robot's radius.
    return cairn_vec2_distance(cell_m, at_m) < side_m * 0.7072 + ROBOT_M;
}

static cairn_vec2 middle_m(const people *of, uint32_t x, uint32_t y)
{
    return (cairn_vec2){(x + 0.5) * of->reach.cell_m, (y + 0.5) * of->reach.cell_m};
}

// How many pieces of more than a few cells the free ground of a window has. Uses the picture up.
static uint32_t count_pieces(window *in)
{
    static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    uint16_t stack[WINDOW * WINDOW];
    uint32_t pieces = 0;
    for (uint32_t first = 0; first < WINDOW * WINDOW; first++) {
        if (first % WINDOW >= in->width || first / WINDOW >= in->height || !in->free[first]) { continue; }
        uint32_t used = 0, cells = 0;
        stack[used++] = (uint16_t)first;
        in->free[first] = 0;
        while (used > 0) {
            const uint32_t cell = stack[--used];
            cells++;
            for (int i = 0; i < 4; i++) {
                const int x = (int)(cell % WINDOW) + steps[i][0], y = (int)(cell / WINDOW) + steps[i][1];
                if (x < 0 || y < 0 || x >= (int)in->width || y >= (int)in->height) { continue; }
                const uint32_t next = (uint32_t)y * WINDOW + (uint32_t)x;
                if (!in->free[next]) { continue; }
                in->free[next] = 0;
                stack[used++] = (uint16_t)next;
            }
        }
        pieces += cells >= SPLINTER_CELLS;
    }
    return pieces;
}

static bool parts_the_ground(const people *of, cairn_vec2 at_m, double height_m, double side_m)
{
    window before, after;
    look(of, at_m, height_m, &before);
    after = before;
    for (uint32_t y = 0; y < after.height; y++) {
        for (uint32_t x = 0; x < after.width; x++) {
            if (would_block(middle_m(of, after.x0 + x, after.y0 + y), at_m, side_m)) { after.free[y * WINDOW + x] = 0; }
        }
    }
    return count_pieces(&after) > count_pieces(&before);
}

static void block(people *of, cairn_vec2 at_m, double side_m)
{
    const double far_m = side_m + ROBOT_M, cell_m = of->reach.cell_m;
    const uint32_t x_end = cell_below(at_m.x + far_m + cell_m, cell_m, of->reach.width);
    const uint32_t y_end = cell_below(at_m.y + far_m + cell_m, cell_m, of->reach.height);
    for (uint32_t y = cell_below(at_m.y - far_m, cell_m, of->reach.height); y < y_end; y++) {
        for (uint32_t x = cell_below(at_m.x - far_m, cell_m, of->reach.width); x < x_end; x++) {
            if (would_block(middle_m(of, x, y), at_m, side_m)) { of->blocked[y * of->reach.width + x] = 1; }
        }
    }
}

// Whether a robot gets to a point, on ground of about this height.
static bool gets_to(const people *of, cairn_vec2 at_m, double height_m)
{
    if (at_m.x < 0.0 || at_m.y < 0.0) { return false; }
    const double x = floor(at_m.x / of->reach.cell_m), y = floor(at_m.y / of->reach.cell_m);
    if (x >= of->reach.width || y >= of->reach.height) { return false; }
    if (of->blocked[(uint32_t)y * of->reach.width + (uint32_t)x]) { return false; }
    return cairn_reach_at(&of->reach, at_m, height_m, 0.3) != CAIRN_REACH_NONE;
}

// ---- victims

typedef struct spot {
    cairn_pose2 at;
    double foot_m;
    bool boxed;
} spot;

static double side_of(const spot *at) { return at->boxed ? VICTIM_SIDE_M : PERSON_SIDE_M; }

// From one of a few places before it.
static bool can_be_found(const people *of, const spot *at)
{
    static const double ahead_m[] = {0.85, 1.0, 1.15}, aside_m[] = {0.0, 0.25, -0.25};
    for (size_t i = 0; i < sizeof ahead_m / sizeof ahead_m[0]; i++) {
        for (size_t k = 0; k < sizeof aside_m / sizeof aside_m[0]; k++) {
            const cairn_vec2 from_m = cairn_pose2_apply(at->at, (cairn_vec2){ahead_m[i], aside_m[k]});
            if (gets_to(of, from_m, at->foot_m) &&
                cairn_maker_can_see(of->maker, from_m, cairn_pose2_at(at->at), at->foot_m + SIGHT_M)) {
                return true;
            }
        }
    }
    return false;
}

static bool far_from_others(const people *of, cairn_vec2 at_m, double foot_m, double apart_m)
{
    const cairn_draft *draft = &of->maker->draft;
    for (uint32_t i = 0; i < draft->victim_count; i++) {
        if (fabs(draft->victims[i].foot_m - foot_m) < 1.0 &&
            cairn_vec2_distance(cairn_pose2_at(draft->victims[i].map_T_victim), at_m) < apart_m) {
            return false;
        }
    }
    for (uint32_t i = 0; i < draft->start_count; i++) {
        if (cairn_vec2_distance(cairn_pose2_at(draft->starts[i]), at_m) < fmax(apart_m, 2.0)) { return false; }
    }
    for (uint32_t i = 0; i < of->keep_away_count; i++) {
        if (cairn_vec2_distance(of->keep_away_m[i], at_m) < HAZARD_APART_M) { return false; }
    }
    return true;
}

// Beside one of the zone's sides, looking into it.
static spot draw_spot(people *of, const cairn_zone *zone, bool boxed)
{
    cairn_maker *maker = of->maker;
    const double deep_m = (boxed ? VICTIM_SIDE_M : PERSON_SIDE_M) / 2 + GAP_M, along_m = 0.38;
    const double x_m = cairn_maker_m(maker, zone->low_m.x + along_m, zone->high_m.x - along_m);
    const double y_m = cairn_maker_m(maker, zone->low_m.y + along_m, zone->high_m.y - along_m);
    spot at = {.foot_m = zone->foot_m, .boxed = boxed};
    switch (cairn_maker_below(maker, 4)) {
    case 0: at.at = (cairn_pose2){zone->low_m.x + deep_m, y_m, 0.0}; break;
    case 1: at.at = (cairn_pose2){zone->high_m.x - deep_m, y_m, PI}; break;
    case 2: at.at = (cairn_pose2){x_m, zone->low_m.y + deep_m, PI / 2}; break;
    default: at.at = (cairn_pose2){x_m, zone->high_m.y - deep_m, -PI / 2}; break;
    }
    return at;
}

static bool try_zone(people *of, const cairn_zone *zone, bool boxed, double apart_m)
{
    cairn_maker *maker = of->maker;
    for (int i = 0; i < TRIES_IN_ZONE; i++) {
        const spot at = draw_spot(of, zone, boxed);
        const cairn_vec2 at_m = cairn_pose2_at(at.at), plan_m = {side_of(&at), side_of(&at)};
        if (!far_from_others(of, at_m, at.foot_m, apart_m) ||
            !cairn_maker_is_free_between(maker, at.at, plan_m, 0.0, at.foot_m + 0.01, at.foot_m + STANDING_M) ||
            !can_be_found(of, &at) || parts_the_ground(of, at_m, at.foot_m, side_of(&at))) {
            continue;
        }
        cairn_sim_victim *victim = &maker->draft.victims[maker->draft.victim_count++];
        *victim = (cairn_sim_victim){.map_T_victim = at.at, .boxed = at.boxed, .foot_m = at.foot_m};
        (void)snprintf(victim->name, sizeof victim->name, "v%02u", maker->draft.victim_count);
        block(of, at_m, side_of(&at));
        cairn_maker_keep_free(maker, at.at, plan_m);
        return true;
    }
    return false;
}

// Zones of low rank first, and by chance among equals: a shuffle, then a stable sort.
static void order_zones(cairn_maker *maker)
{
    cairn_zone *zones = maker->zones;
    for (uint32_t i = maker->zone_count; i > 1; i--) {
        const uint32_t k = cairn_maker_below(maker, i);
        const cairn_zone swapped = zones[i - 1];
        zones[i - 1] = zones[k];
        zones[k] = swapped;
    }
    for (uint32_t i = 1; i < maker->zone_count; i++) {
        const cairn_zone moved = zones[i];
        uint32_t k = i;
        for (; k > 0 && zones[k - 1].rank > moved.rank; k--) { zones[k] = zones[k - 1]; }
        zones[k] = moved;
    }
}

// Each pass goes through the zones once, one victim in each at most; later passes let them be nearer to each other.
static bool place_victims(people *of)
{
    cairn_maker *maker = of->maker;
    const double boxed_part = cairn_maker_by_difficulty(maker, 0.2, 0.8);
    const double spread_m = sqrt(maker->def->size_m.x * maker->def->size_m.y / fmax(1.0, maker->def->victim_count));
    order_zones(maker);
    for (int pass = 0; pass < PASSES; pass++) {
        const double apart_m = fmax(1.2, spread_m * (0.5 - 0.15 * pass));
        for (uint32_t i = 0; i < maker->zone_count; i++) {
            if (maker->draft.victim_count >= maker->def->victim_count) { return true; }
            // Evenly, not by chance: harder arenas have more in boxes whatever the seed.
            const uint32_t next = maker->draft.victim_count;
            const bool boxed = floor((next + 1) * boxed_part) > floor(next * boxed_part);
            (void)try_zone(of, &maker->zones[i], boxed, apart_m);
        }
    }
    return maker->draft.victim_count >= maker->def->victim_count;
}

// ---- figures

static bool far_from_starts(const people *of, cairn_vec2 at_m, double apart_m)
{
    const cairn_draft *draft = &of->maker->draft;
    for (uint32_t i = 0; i < draft->start_count; i++) {
        if (cairn_vec2_distance(cairn_pose2_at(draft->starts[i]), at_m) < apart_m) { return false; }
    }
    for (uint32_t i = 0; i < of->keep_away_count; i++) {
        if (cairn_vec2_distance(of->keep_away_m[i], at_m) < HAZARD_APART_M) { return false; }
    }
    return true;
}

static cairn_vec2 draw_place(people *of)
{
    const uint32_t place = cairn_maker_below(of->maker, of->reach.place_count);
    const cairn_vec2 at_m = cairn_reach_middle_m(&of->reach, place);
    return (cairn_vec2){round(at_m.x * 100.0) / 100.0, round(at_m.y * 100.0) / 100.0};
}

static bool is_open(const people *of, cairn_vec2 at_m)
{
    const cairn_vec2 plan_m = {FIGURE_SIDE_M, FIGURE_SIDE_M};
    return gets_to(of, at_m, 0.0) && cairn_maker_is_free(of->maker, (cairn_pose2){at_m.x, at_m.y, 0.0}, plan_m, 0.15);
}

static bool is_walkable(const people *of, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const double distance_m = cairn_vec2_distance(from_m, to_m);
    const int steps = (int)ceil(distance_m / 0.3);
    for (int i = 0; i <= steps; i++) {
        const double part = (double)i / steps;
        const cairn_vec2 at_m = cairn_vec2_add(cairn_vec2_scale(from_m, 1.0 - part), cairn_vec2_scale(to_m, part));
        if (!is_open(of, at_m)) { return false; }
    }
    return true;
}

// Points of a way on from the first, each in sight of the one before it.
static uint32_t draw_way(people *of, cairn_vec2 *points_m)
{
    const double far_m = fmin(fmax(of->maker->def->size_m.x, of->maker->def->size_m.y) / 3.0, 40.0);
    uint32_t count = 1;
    for (int i = 0; i < 60 && count < WAY_POINTS_MAX; i++) {
        const double turn_rad = cairn_maker_turn_rad(of->maker, 0, 359),
                     length_m = cairn_maker_m(of->maker, 2.0, far_m);
        const cairn_vec2 to_m = {round((points_m[count - 1].x + length_m * cos(turn_rad)) * 10.0) / 10.0,
                                 round((points_m[count - 1].y + length_m * sin(turn_rad)) * 10.0) / 10.0};
        if (!far_from_starts(of, to_m, FIGURE_FROM_START_M / 2) || !is_walkable(of, points_m[count - 1], to_m)) {
            continue;
        }
        points_m[count++] = to_m;
    }
    return count;
}

static bool place_figure(people *of, cairn_figure_kind kind, bool walks, const char *name, uint32_t number)
{
    cairn_maker *maker = of->maker;
    cairn_vec2 *points_m = CAIRN_TAKE(maker->work, cairn_vec2, WAY_POINTS_MAX);
    if (points_m == NULL || maker->draft.figure_count == CAIRN_DRAFT_MOVERS_MAX) { return false; }
    for (int i = 0; i < TRIES_FOR_FIGURE; i++) {
        // Small places have no room for the full distance from the starts.
        const double apart_m = FIGURE_FROM_START_M * (1.0 - 0.7 * i / TRIES_FOR_FIGURE);
        points_m[0] = draw_place(of);
        if (!far_from_starts(of, points_m[0], apart_m) || !is_open(of, points_m[0])) { continue; }
        if (!walks && parts_the_ground(of, points_m[0], 0.0, FIGURE_SIDE_M)) { continue; }
        const uint32_t count = walks ? draw_way(of, points_m) : 1;
        if (walks && count < 2) { continue; }
        cairn_sim_figure *figure = &maker->draft.figures[maker->draft.figure_count++];
        const bool hazard = kind == CAIRN_FIGURE_HAZARD;
        *figure = (cairn_sim_figure){.kind = kind,
                                     .point_count = count,
                                     .points_m = points_m,
                                     .speed_mps = walks ? cairn_maker_m(maker, 0.5, hazard ? 0.8 : 1.2) : 0.0,
                                     .trigger_m = 2.5,
                                     .lethal_m = walks ? 5.0 : 10.0};
        (void)snprintf(figure->name, sizeof figure->name, "%s%u", name, number);
        const cairn_pose2 at = {points_m[0].x, points_m[0].y, 0.0};
        cairn_maker_keep_free(maker, at, (cairn_vec2){FIGURE_SIDE_M, FIGURE_SIDE_M});
        if (!walks) { block(of, points_m[0], FIGURE_SIDE_M); }
        if (hazard) { of->keep_away_m[of->keep_away_count++] = points_m[0]; }
        return true;
    }
    return false;
}

static bool place_figures(people *of)
{
    const cairn_make_def *def = of->maker->def;
    for (uint32_t i = 0; i < def->static_hazards; i++) {
        if (!place_figure(of, CAIRN_FIGURE_HAZARD, false, "hazard", i + 1)) { return false; }
    }
    for (uint32_t i = 0; i < def->mobile_hazards; i++) {
        if (!place_figure(of, CAIRN_FIGURE_HAZARD, true, "mobile", i + 1)) { return false; }
    }
    for (uint32_t i = 0; i < def->bystander_count; i++) {
        if (!place_figure(of, CAIRN_FIGURE_BYSTANDER, true, "bystander", i + 1)) { return false; }
    }
    return true;
}

static cairn_err place_all(people *of, cairn_complaints *complaints)
{
    const cairn_make_def *def = of->maker->def;
    if (of->reach.place_count == 0) {
        cairn_complain(complaints, def->name, 0, "no ground can be reached from the first start");
        return CAIRN_ERR_INVALID;
    }
    if (!place_figures(of)) {
        cairn_complain(complaints, def->name, 0,
                       "no room for %u hazards and %u bystanders; ask for fewer, or for a "
                       "larger place",
                       def->static_hazards + def->mobile_hazards, def->bystander_count);
        return CAIRN_ERR_INVALID;
    }
    if (!place_victims(of)) {
        cairn_complain(complaints, def->name, 0,
                       "only %u of %u victims found a place; ask for fewer, or for a larger place",
                       of->maker->draft.victim_count, def->victim_count);
        return CAIRN_ERR_INVALID;
    }
    return CAIRN_OK;
}

cairn_err cairn_maker_people(cairn_maker *maker, const cairn_sim_arena *layout, cairn_complaints *complaints,
                             double *ret_reach_m2)
{
    people of = {.maker = maker};
    // Coarser than the check that follows: doorways stay open, and it takes a quarter of the time.
    cairn_reach_def def = cairn_reach_def_default();
    def.cell_m = fmax(0.2, cairn_reach_cell_m(layout));
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, cairn_reach_bytes(layout, &def));
    if (err == CAIRN_OK) { err = cairn_reach_create(layout, &def, &memory, &of.reach); }
    if (err == CAIRN_OK) {
        of.blocked = CAIRN_TAKE(maker->work, uint8_t, (size_t)of.reach.width * of.reach.height);
        err = of.blocked != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
    }
    if (err == CAIRN_OK) {
        *ret_reach_m2 = of.reach.cell_count * of.reach.cell_m * of.reach.cell_m;
        err = place_all(&of, complaints);
    }
    cairn_arena_destroy(&memory);
    return err;
}
