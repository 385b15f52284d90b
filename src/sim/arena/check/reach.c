// Dijkstra's flood over places, with costs of 5 and 7 for straight and diagonal steps, so that a few buckets do for a
// queue.
//
// Most of an arena is plain floor: there a step is free wherever no obstacle is near. Only cells near ground that is
// not the floor at height 0 (*uneven* ones) are looked at closely: the way from cell to cell is followed in small
// steps, and the ground is felt at eight points of a circle of the robot's radius, for tilt, edges and heads.
#include "sim/arena/check/reach.h"
#include "sim/arena/ground.h"
#include <string.h>

#define FOLLOW_M 0.05 // smaller: steps that lie close together are told apart; more to compute
#define SAME_M 1e-4   // places of one cell whose heights differ by less are one
#define PLAIN_M 1e-9  // floor slabs around holes have their tops within this of 0
#define CELL_M_MIN 0.1
#define CELL_M_MAX 0.25
#define CELLS_FINE 1000.0 // along a side up to which cells are finest
#define RIM_POINTS 8
#define FEEL_M 0.2  // a smaller robot's rim says nothing of slopes
#define STRAIGHT 5u // [-] costs; 7 / 5 is 1 % less than the diagonal
#define DIAGONAL 7u
#define BUCKETS 8u // more than DIAGONAL
// Looks at solids and fields before a flood is given up: some 7 s. The largest of the arenas at hand takes a twentieth
// of it, 256 platforms all across 600 x 600 m three quarters.
#define LOOKS_MAX ((uint64_t)1 << 30)
#define LOOKS_OF_A_PLACE 8u // that finding the things of a place costs

cairn_reach_def cairn_reach_def_default(void)
{
    return (cairn_reach_def){.radius_m = 0.35,
                             .height_m = 0.5,
                             .step_m_max = 0.12,
                             .slope_rad_max = 25 * CAIRN_PI / 180,
                             .camera_m = 0.33,
                             .look_rad_max = 28 * CAIRN_PI / 180,
                             .start_count = 1,
                             .looks_max = LOOKS_MAX};
}

double cairn_reach_cell_m(const cairn_sim_arena *arena)
{
    return fmin(fmax(fmax(arena->size_m.x, arena->size_m.y) / CELLS_FINE, CELL_M_MIN), CELL_M_MAX);
}

// What a robot's radius is kept from.
typedef struct obstacle {
    double x_m, y_m, c, s; // middle and turn
    double half_x_m, half_y_m;
    double low_m, high_m;
} obstacle;

typedef struct flood {
    const cairn_sim_arena *arena;
    cairn_reach_def def;
    double rise_m; // that the ground may differ by at the robot's rim: a step and a slope
    cairn_vec2 rim_m[RIM_POINTS];
    double cell_m;
    uint32_t width, height;
    bool straight_only;

    obstacle *obstacles;
    cairn_squares near; // obstacles by squares, as far as the radius
    uint8_t *uneven;    // cells
    float *refused_m;   // cells: the height at which a robot was last found not to stand there; NAN: none

    uint32_t *first; // as in cairn_reach
    cairn_reach_place *places;
    uint32_t place_count, place_max, cell_count;
    uint32_t *cost;            // of places
    uint32_t *next, *previous; // places in the same bucket
    uint32_t bucket[BUCKETS];
    uint32_t waiting; // places in all buckets
    bool full;
    uint64_t looks; // so far
} flood;

static double cell_m_of(const cairn_sim_arena *arena, const cairn_reach_def *def)
{
    // Two neighbouring cells have their middles so close that no wall fits between them unseen.
    return def->cell_m > 0 ? def->cell_m : fmin(cairn_reach_cell_m(arena), 2 * def->radius_m);
}

static size_t cells_of(const cairn_sim_arena *arena, double cell_m)
{
    return (size_t)ceil(arena->size_m.x / cell_m) * (size_t)ceil(arena->size_m.y / cell_m);
}

// Half of the cells may have a second storey.
static size_t place_max_of(size_t cell_count) { return cell_count + cell_count / 2 + 4096; }

size_t cairn_reach_bytes(const cairn_sim_arena *arena, const cairn_reach_def *def)
{
    const size_t cells = cells_of(arena, cell_m_of(arena, def)), places = place_max_of(cells);
    return cells * (2 * sizeof(uint32_t) + sizeof(float) + 1) +
           places * (sizeof(cairn_reach_place) + 3 * sizeof(uint32_t)) +
           (arena->solid_count + 1) * (sizeof(obstacle) + sizeof(cairn_outline)) +
           cairn_squares_bytes_max(arena->size_m, arena->solid_count) + 1024;
}

static cairn_vec2 middle_m(const flood *of, uint32_t cell)
{
    const uint32_t column = cell % of->width, row = cell / of->width;
    return (cairn_vec2){(column + 0.5) * of->cell_m, (row + 0.5) * of->cell_m};
}

// How things stand for whoever comes by: doors open, figures that walk out of the way.
static bool stands(const cairn_sim_arena *arena, const cairn_solid *solid, cairn_pose2 *ret_pose)
{
    *ret_pose = cairn_pose3_to_pose2(solid->map_T_box);
    if (solid->kind == CAIRN_SOLID_GROUND) { return false; }
    if (solid->kind == CAIRN_SOLID_FIGURE) {
        const cairn_sim_figure *figure = &arena->figures[solid->owner];
        return figure->point_count == 1 || figure->speed_mps <= 0;
    }
    if (solid->kind == CAIRN_SOLID_DOOR) {
        const cairn_sim_door *door = &arena->doors[solid->owner];
        const cairn_vec2 along = cairn_vec2_sub(door->latch_m, door->hinge_m);
        const cairn_pose2 map_T_leaf = {door->hinge_m.x, door->hinge_m.y, atan2(along.y, along.x) + door->open_rad};
        *ret_pose = cairn_pose2_compose(map_T_leaf, (cairn_pose2){solid->half_m.x, 0, 0});
    }
    return true;
}

static cairn_err gather_obstacles(flood *of, cairn_arena *memory)
{
    const cairn_sim_arena *arena = of->arena;
    of->obstacles = CAIRN_TAKE(memory, obstacle, arena->solid_count + 1);
    cairn_outline *outlines = CAIRN_TAKE(memory, cairn_outline, arena->solid_count + 1);
    if (of->obstacles == NULL || outlines == NULL) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_solid *solid = &arena->solids[i];
        cairn_pose2 pose;
        if (!stands(arena, solid, &pose)) { continue; }
        const obstacle it = {.x_m = pose.x_m,
                             .y_m = pose.y_m,
                             .c = cos(pose.yaw_rad),
                             .s = sin(pose.yaw_rad),
                             .half_x_m = solid->half_m.x,
                             .half_y_m = solid->half_m.y,
                             .low_m = solid->map_T_box.at_m.z - solid->half_m.z,
                             .high_m = solid->map_T_box.at_m.z + solid->half_m.z};
        const double wide_m = fabs(it.c) * it.half_x_m + fabs(it.s) * it.half_y_m + of->def.radius_m;
        const double tall_m = fabs(it.s) * it.half_x_m + fabs(it.c) * it.half_y_m + of->def.radius_m;
        outlines[count] = (cairn_outline){it.x_m - wide_m,
                                          it.y_m - tall_m,
                                          it.x_m + wide_m,
                                          it.y_m + tall_m,
                                          it.c,
                                          it.s,
                                          it.half_x_m + of->def.radius_m,
                                          it.half_y_m + of->def.radius_m};
        of->obstacles[count++] = it;
    }
    return cairn_squares_create(arena->size_m, outlines, count, memory, &of->near);
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

static void mark_uneven(flood *of, cairn_outline outline)
{
    const double more_m = of->def.radius_m + 2 * of->cell_m;
    const uint32_t x0 = clamp_cell((outline.x0_m - more_m) / of->cell_m, of->width);
    const uint32_t x1 = clamp_cell((outline.x1_m + more_m) / of->cell_m + 1, of->width);
    const uint32_t y0 = clamp_cell((outline.y0_m - more_m) / of->cell_m, of->height);
    const uint32_t y1 = clamp_cell((outline.y1_m + more_m) / of->cell_m + 1, of->height);
    if (x1 <= x0) { return; }
    for (uint32_t y = y0; y < y1; y++) { memset(&of->uneven[(size_t)y * of->width + x0], 1, x1 - x0); }
}

// A slab of the floor. What is cut out of it has a bottom, which is marked.
static bool is_floor(const cairn_solid *solid)
{
    const cairn_quat turn = solid->map_T_box.turn;
    return turn.x == 0 && turn.y == 0 && fabs(solid->map_T_box.at_m.z + solid->half_m.z) < PLAIN_M;
}

static void mark_ground(flood *of)
{
    for (uint32_t i = 0; i < of->arena->solid_count; i++) {
        const cairn_solid *solid = &of->arena->solids[i];
        if (solid->kind == CAIRN_SOLID_GROUND && !is_floor(solid)) { mark_uneven(of, cairn_solid_outline(solid)); }
    }
    for (uint32_t i = 0; i < of->arena->field_count; i++) {
        mark_uneven(of, cairn_height_field_outline(&of->arena->fields[i]));
    }
}

static bool touches(const obstacle *it, cairn_vec2 at_m, double radius_m)
{
    const double dx = at_m.x - it->x_m, dy = at_m.y - it->y_m;
    const double out_x = fmax(fabs(it->c * dx + it->s * dy) - it->half_x_m, 0);
    const double out_y = fmax(fabs(-it->s * dx + it->c * dy) - it->half_y_m, 0);
    return out_x * out_x + out_y * out_y < radius_m * radius_m;
}

static bool is_clear(flood *of, cairn_vec2 at_m, double height_m)
{
    const cairn_vec2 size_m = of->arena->size_m;
    const double inside_m = fmin(fmin(at_m.x, size_m.x - at_m.x), fmin(at_m.y, size_m.y - at_m.y));
    if (inside_m < of->def.radius_m - 1e-9) { return false; }
    const uint32_t *things;
    const uint32_t count = cairn_squares_at(&of->near, at_m, &things);
    of->looks += count;
    for (uint32_t i = 0; i < count; i++) {
        const obstacle *it = &of->obstacles[things[i]];
        if (it->low_m >= height_m + of->def.height_m || it->high_m <= height_m + of->def.low_m) { continue; }
        if (touches(it, at_m, of->def.radius_m)) { return false; }
    }
    return true;
}

static cairn_gap look(flood *of, cairn_vec2 at_m, double from_m)
{
    const cairn_gap gap = cairn_sim_gap(of->arena, at_m, from_m);
    of->looks += gap.thing_count + LOOKS_OF_A_PLACE;
    return gap;
}

// The ground below the robot's rim: no edge, nothing that rises beside it or hangs low over it, no more tilt than it
// climbs.
static bool is_steady(flood *of, cairn_vec2 at_m, double height_m)
{
    double ground_m[RIM_POINTS];
    const cairn_gap here = look(of, at_m, height_m + of->def.step_m_max);
    if (here.ceiling_m < height_m + of->def.height_m) { return false; }
    for (int i = 0; i < RIM_POINTS; i++) {
        const cairn_vec2 point_m = cairn_vec2_add(at_m, of->rim_m[i]);
        const cairn_gap gap = look(of, point_m, height_m + of->rise_m);
        ground_m[i] = gap.ground.height_m;
        if (ground_m[i] < height_m - of->rise_m || gap.ceiling_m < height_m + of->def.height_m) { return false; }
    }
    if (of->def.radius_m < FEEL_M) {
        return here.ground.rough || here.ground.normal.z >= cos(of->def.slope_rad_max) - 1e-9;
    }
    const double apart_m_max = 2 * of->def.radius_m * tan(of->def.slope_rad_max) + 1e-9;
    for (int i = 0; i < RIM_POINTS / 2; i++) {
        if (fabs(ground_m[i] - ground_m[i + RIM_POINTS / 2]) > apart_m_max) { return false; }
    }
    return true;
}

static bool can_stand(flood *of, uint32_t cell, double height_m)
{
    if (fabs((double)of->refused_m[cell] - height_m) < SAME_M) { return false; }
    const cairn_vec2 at_m = middle_m(of, cell);
    if (is_clear(of, at_m, height_m) && (!of->uneven[cell] || is_steady(of, at_m, height_m))) { return true; }
    of->refused_m[cell] = (float)height_m;
    return false;
}

// Height of the ground in a neighbouring cell for a robot that drives there straight; false if a step is too high, or
// something too low overhead.
static bool follow(flood *of, uint32_t from, double from_height_m, uint32_t to, double *ret_height_m)
{
    if (!of->uneven[from] && !of->uneven[to]) {
        *ret_height_m = 0;
        return true;
    }
    const cairn_vec2 a = middle_m(of, from), b = middle_m(of, to);
    const int steps = (int)ceil(cairn_vec2_distance(a, b) / FOLLOW_M - 1e-9);
    double height_m = from_height_m;
    for (int i = 1; i <= steps; i++) {
        const cairn_vec2 at_m = cairn_vec2_add(a, cairn_vec2_scale(cairn_vec2_sub(b, a), (double)i / steps));
        const double up_m = height_m + of->def.step_m_max + 1e-9;
        const cairn_gap gap = look(of, at_m, up_m);
        if (height_m - gap.ground.height_m > of->def.step_m_max + 1e-9) { return false; }
        if (gap.ceiling_m < gap.ground.height_m + of->def.height_m) { return false; }
        height_m = gap.ground.height_m;
    }
    *ret_height_m = height_m;
    return true;
}

static void enqueue(flood *of, uint32_t place)
{
    uint32_t *head = &of->bucket[of->cost[place] % BUCKETS];
    of->next[place] = *head;
    of->previous[place] = CAIRN_REACH_NONE;
    if (*head != CAIRN_REACH_NONE) { of->previous[*head] = place; }
    *head = place;
    of->waiting++;
}

static void dequeue(flood *of, uint32_t place)
{
    if (of->previous[place] != CAIRN_REACH_NONE) {
        of->next[of->previous[place]] = of->next[place];
    } else {
        of->bucket[of->cost[place] % BUCKETS] = of->next[place];
    }
    if (of->next[place] != CAIRN_REACH_NONE) { of->previous[of->next[place]] = of->previous[place]; }
    of->waiting--;
}

static uint32_t place_near(const flood *of, uint32_t cell, double height_m, double apart_m)
{
    for (uint32_t i = of->first[cell]; i != CAIRN_REACH_NONE; i = of->places[i].above) {
        if (fabs((double)of->places[i].height_m - height_m) <= apart_m) { return i; }
    }
    return CAIRN_REACH_NONE;
}

static void add_place(flood *of, uint32_t cell, double height_m, uint32_t before, uint32_t cost)
{
    if (of->place_count == of->place_max) {
        of->full = true;
        return;
    }
    const uint32_t place = of->place_count++;
    of->cell_count += of->first[cell] == CAIRN_REACH_NONE;
    of->places[place] =
        (cairn_reach_place){.cell = cell, .above = of->first[cell], .before = before, .height_m = (float)height_m};
    of->first[cell] = place;
    of->cost[place] = cost;
    enqueue(of, place);
}

static void visit(flood *of, uint32_t from, uint32_t cell, uint32_t cost)
{
    const double from_m = (double)of->places[from].height_m;
    // Two places of one cell are further apart than a step: this is the one that would be found.
    const uint32_t known = place_near(of, cell, from_m, of->def.step_m_max);
    if (known != CAIRN_REACH_NONE && of->cost[known] <= cost) { return; }
    double height_m;
    if (!follow(of, of->places[from].cell, from_m, cell, &height_m)) { return; }
    const uint32_t found = place_near(of, cell, height_m, SAME_M);
    if (found == CAIRN_REACH_NONE) {
        if (can_stand(of, cell, height_m)) { add_place(of, cell, height_m, from, cost); }
    } else if (cost < of->cost[found]) {
        dequeue(of, found);
        of->cost[found] = cost;
        of->places[found].before = from;
        enqueue(of, found);
    }
}

static void expand(flood *of, uint32_t place)
{
    const uint32_t cell = of->places[place].cell, cost = of->cost[place];
    const uint32_t x = cell % of->width, y = cell / of->width;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if ((dx == 0 && dy == 0) || (x == 0 && dx < 0) || (y == 0 && dy < 0)) { continue; }
            if (of->straight_only && dx != 0 && dy != 0) { continue; }
            if ((dx > 0 && x + 1 == of->width) || (dy > 0 && y + 1 == of->height)) { continue; }
            const uint32_t to = (uint32_t)((int64_t)cell + (int64_t)dy * of->width + dx);
            visit(of, place, to, cost + (dx != 0 && dy != 0 ? DIAGONAL : STRAIGHT));
        }
    }
}

static bool is_given_up(const flood *of) { return of->def.looks_max > 0 && of->looks >= of->def.looks_max; }

static void run(flood *of)
{
    for (uint32_t cost = 0; of->waiting > 0 && !of->full && !is_given_up(of); cost++) {
        uint32_t *head = &of->bucket[cost % BUCKETS];
        while (*head != CAIRN_REACH_NONE && !of->full && !is_given_up(of)) {
            const uint32_t place = *head;
            dequeue(of, place);
            expand(of, place);
        }
    }
}

// A start may stand a little nearer to a wall than its cell's middle: its own cell and the neighbours count.
static void begin_at(flood *of, uint32_t start)
{
    const cairn_vec2 at_m = cairn_pose2_at(of->arena->starts[start]);
    const double foot_m = of->arena->start_feet_m != NULL ? of->arena->start_feet_m[start] : 0;
    const double ground_m = cairn_sim_ground_m(of->arena, at_m, foot_m + of->def.step_m_max);
    const double offsets_m[] = {0.0, -of->cell_m, of->cell_m};
    for (int i = 0; i < 9; i++) {
        const double x = floor((at_m.x + offsets_m[i % 3]) / of->cell_m);
        const double y = floor((at_m.y + offsets_m[i / 3]) / of->cell_m);
        if (!(x >= 0 && y >= 0 && x < of->width && y < of->height)) { continue; }
        const uint32_t cell = (uint32_t)y * of->width + (uint32_t)x;
        const double height_m =
            of->uneven[cell] ? cairn_sim_ground_m(of->arena, middle_m(of, cell), ground_m + of->def.step_m_max) : 0;
        if (place_near(of, cell, height_m, SAME_M) != CAIRN_REACH_NONE) { return; }
        if (!can_stand(of, cell, height_m)) { continue; }
        add_place(of, cell, height_m, CAIRN_REACH_NONE, 0);
        return;
    }
}

static cairn_err prepare(flood *of, cairn_arena *memory)
{
    const size_t cells = (size_t)of->width * of->height;
    of->uneven = CAIRN_TAKE(memory, uint8_t, cells);
    of->refused_m = CAIRN_TAKE(memory, float, cells);
    of->cost = CAIRN_TAKE(memory, uint32_t, of->place_max);
    of->next = CAIRN_TAKE(memory, uint32_t, of->place_max);
    of->previous = CAIRN_TAKE(memory, uint32_t, of->place_max);
    if (of->uneven == NULL || of->refused_m == NULL || of->cost == NULL || of->next == NULL || of->previous == NULL) {
        return CAIRN_ERR_FULL;
    }
    for (size_t i = 0; i < cells; i++) { of->refused_m[i] = NAN; }
    for (uint32_t i = 0; i < BUCKETS; i++) { of->bucket[i] = CAIRN_REACH_NONE; }
    for (int i = 0; i < RIM_POINTS; i++) {
        const double turn_rad = 2 * CAIRN_PI * i / RIM_POINTS;
        // Just inside: who touches an edge is not over it.
        const double rim_m = of->def.radius_m - 1e-6;
        of->rim_m[i] = (cairn_vec2){rim_m * cos(turn_rad), rim_m * sin(turn_rad)};
    }
    mark_ground(of);
    return gather_obstacles(of, memory);
}

static cairn_err flood_all(flood *of, cairn_arena *memory)
{
    const cairn_err err = prepare(of, memory);
    if (err != CAIRN_OK) { return err; }
    const uint32_t starts = of->arena->start_count, wanted = of->def.start_count;
    for (uint32_t i = 0; i < (wanted == 0 || wanted > starts ? starts : wanted); i++) { begin_at(of, i); }
    run(of);
    if (of->full) { return CAIRN_ERR_FULL; }
    if (is_given_up(of)) { return CAIRN_ERR_TOO_LARGE; }
    for (uint32_t i = 0; i < of->place_count; i++) {
        of->places[i].way_m = (float)(of->cost[i] * of->cell_m / STRAIGHT);
    }
    return CAIRN_OK;
}

cairn_err cairn_reach_create(const cairn_sim_arena *arena, const cairn_reach_def *def, cairn_arena *memory,
                             cairn_reach *ret_reach)
{
    CAIRN_ASSERT(def->radius_m > 0 && def->height_m > 0 && def->slope_rad_max > 0 && def->slope_rad_max < 1.4);
    CAIRN_ASSERT(def->cell_m >= 0 && def->cell_m * 0.999 <= 2 * def->radius_m && def->step_m_max >= 0);
    flood of = {.arena = arena, .def = *def, .cell_m = cell_m_of(arena, def)};
    of.rise_m = def->step_m_max + def->radius_m * tan(def->slope_rad_max);
    of.width = (uint32_t)ceil(arena->size_m.x / of.cell_m);
    of.height = (uint32_t)ceil(arena->size_m.y / of.cell_m);
    of.straight_only = of.cell_m * sqrt(2.0) > 2 * def->radius_m + 1e-9;
    const size_t cells = (size_t)of.width * of.height, mark = cairn_arena_mark(memory);
    CAIRN_ASSERT(cells < UINT32_MAX / 2);
    of.place_max = (uint32_t)place_max_of(cells);
    of.first = CAIRN_TAKE(memory, uint32_t, cells);
    of.places = CAIRN_TAKE(memory, cairn_reach_place, of.place_max);
    cairn_err err = CAIRN_ERR_FULL;
    const size_t work_mark = cairn_arena_mark(memory);
    if (of.first != NULL && of.places != NULL) {
        for (size_t i = 0; i < cells; i++) { of.first[i] = CAIRN_REACH_NONE; }
        err = flood_all(&of, memory);
    }
    cairn_arena_reset(memory, err == CAIRN_OK ? work_mark : mark);
    if (err != CAIRN_OK) { return err; }
    *ret_reach = (cairn_reach){.cell_m = of.cell_m,
                               .width = of.width,
                               .height = of.height,
                               .place_count = of.place_count,
                               .places = of.places,
                               .first = of.first,
                               .cell_count = of.cell_count};
    return CAIRN_OK;
}

uint32_t cairn_reach_at(const cairn_reach *reach, cairn_vec2 at_m, double height_m, double apart_m)
{
    const double x = floor(at_m.x / reach->cell_m), y = floor(at_m.y / reach->cell_m);
    if (!(x >= 0 && y >= 0 && x < reach->width && y < reach->height)) { return CAIRN_REACH_NONE; }
    uint32_t nearest = CAIRN_REACH_NONE;
    double least_m = apart_m;
    const uint32_t cell = (uint32_t)y * reach->width + (uint32_t)x;
    for (uint32_t i = reach->first[cell]; i != CAIRN_REACH_NONE; i = reach->places[i].above) {
        const double off_m = fabs((double)reach->places[i].height_m - height_m);
        if (off_m > least_m) { continue; }
        least_m = off_m;
        nearest = i;
    }
    return nearest;
}

cairn_vec2 cairn_reach_middle_m(const cairn_reach *reach, uint32_t place)
{
    CAIRN_ASSERT(place < reach->place_count);
    const uint32_t column = reach->places[place].cell % reach->width, row = reach->places[place].cell / reach->width;
    return (cairn_vec2){(column + 0.5) * reach->cell_m, (row + 0.5) * reach->cell_m};
}
