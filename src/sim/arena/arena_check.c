// What a person can get wrong in an arena: things outside the floor, inside each other, or out of reach.
//
// Reach is a flood fill over 10 cm cells: a cell is free when a robot's middle can be there, that is when no
// obstacle is nearer than the robot's radius. A victim counts as reachable when a robot can come within 1.5 m of
// it and see it at the height of a laser; so the open front of a box must face where robots can be.
#include "geometry/rays.h"
#include "sim/arena/arena_private.h"
#include <string.h>

#define CELL_M 0.1
#define ROBOT_RADIUS_M 0.35
#define ROBOT_HEIGHT_M 0.5
#define VICTIM_NEAR_M 1.5
#define SIGHT_HEIGHT_M 0.33
#define STARTS_APART_M 0.7
#define WALL_LENGTH_M_MIN 0.02
#define TOUCH_M 0.005 // overlaps up to this are touches, not mistakes

typedef struct rectangle {
    cairn_pose2 map_T_middle;
    cairn_vec2 half_m;
} rectangle;

typedef struct checker {
    const cairn_sim_arena *arena;
    const cairn_sim_arena_lines *lines;
    cairn_complaints *complaints;
    uint32_t width, height; // cells
    uint8_t *blocked, *reached;
    uint32_t *queue;
} checker;

static bool on_floor(const checker *check, cairn_vec2 at_m)
{
    const cairn_vec2 size_m = check->arena->size_m;
    return at_m.x >= 0.0 && at_m.y >= 0.0 && at_m.x <= size_m.x && at_m.y <= size_m.y;
}

static cairn_vec2 corner_of(const rectangle *rect, uint32_t i)
{
    const cairn_vec2 corner_m = {i & 1 ? rect->half_m.x : -rect->half_m.x, i & 2 ? rect->half_m.y : -rect->half_m.y};
    return cairn_pose2_apply(rect->map_T_middle, corner_m);
}

static bool rectangle_on_floor(const checker *check, const rectangle *rect)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (!on_floor(check, corner_of(rect, i))) { return false; }
    }
    return true;
}

static rectangle footprint(const cairn_solid *solid)
{
    return (rectangle){cairn_pose3_to_pose2(solid->map_T_box), {solid->half_m.x, solid->half_m.y}};
}

static rectangle footprint_of_ramp(const cairn_sim_ramp *ramp)
{
    return (rectangle){ramp->map_T_ramp, {ramp->length_m / 2, ramp->width_m / 2}};
}

// Whether b lies wholly beyond one of a's four sides.
static bool apart_along(const rectangle *a, const rectangle *b)
{
    const cairn_pose2 a_T_b = cairn_pose2_between(a->map_T_middle, b->map_T_middle);
    const double c = fabs(cos(a_T_b.yaw_rad)), s = fabs(sin(a_T_b.yaw_rad));
    return fabs(a_T_b.x_m) > a->half_m.x + c * b->half_m.x + s * b->half_m.y - TOUCH_M ||
           fabs(a_T_b.y_m) > a->half_m.y + s * b->half_m.x + c * b->half_m.y - TOUCH_M;
}

// Separating axes: two rectangles are apart exactly when one of the eight sides parts them.
static bool overlap(const rectangle *a, const rectangle *b) { return !apart_along(a, b) && !apart_along(b, a); }

static bool is_obstacle(const cairn_solid *solid)
{
    return solid->kind != CAIRN_SOLID_GROUND && solid->map_T_box.at_m.z - solid->half_m.z < ROBOT_HEIGHT_M;
}

static void check_walls(checker *check)
{
    for (uint32_t i = 0; i < check->arena->wall_count; i++) {
        const cairn_sim_wall *wall = &check->arena->walls[i];
        const uint32_t line = check->lines->walls[i];
        if (cairn_vec2_distance(wall->from_m, wall->to_m) < WALL_LENGTH_M_MIN) {
            cairn_complain(check->complaints, check->lines->file, line,
                           "wall with two corners in one place (%.2f, %.2f); remove one", wall->to_m.x, wall->to_m.y);
        }
        const cairn_vec2 ends_m[] = {wall->from_m, wall->to_m};
        for (int end = 0; end < 2; end++) {
            if (on_floor(check, ends_m[end])) { continue; }
            cairn_complain(check->complaints, check->lines->file, line,
                           "wall corner (%.2f, %.2f) is outside the floor of %.2f x %.2f m", ends_m[end].x,
                           ends_m[end].y, check->arena->size_m.x, check->arena->size_m.y);
            break;
        }
    }
}

static void check_boxes(checker *check)
{
    for (uint32_t i = 0; i < check->arena->box_count; i++) {
        const cairn_sim_box *box = &check->arena->boxes[i];
        const rectangle rect = {box->map_T_box, {box->size_m.x / 2, box->size_m.y / 2}};
        if (rectangle_on_floor(check, &rect)) { continue; }
        cairn_complain(check->complaints, check->lines->file, check->lines->boxes[i],
                       "boxes[%u] reaches outside the floor", i);
    }
}

static void check_ramps(checker *check)
{
    for (uint32_t i = 0; i < check->arena->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &check->arena->ramps[i];
        const uint32_t line = check->lines->ramps[i];
        const rectangle rect = footprint_of_ramp(ramp);
        if (!rectangle_on_floor(check, &rect)) {
            cairn_complain(check->complaints, check->lines->file, line, "ramps[%u] reaches outside the floor", i);
        }
        if (ramp->top_m > ramp->length_m - 0.1) {
            cairn_complain(check->complaints, check->lines->file, line,
                           "ramps[%u]: top_m must be shorter than length_m by at least 0.1 m", i);
        }
    }
}

static bool same_owner(const cairn_solid *a, const cairn_solid *b)
{
    const bool a_victim = a->kind == CAIRN_SOLID_VICTIM || a->kind == CAIRN_SOLID_VICTIM_BOX;
    const bool b_victim = b->kind == CAIRN_SOLID_VICTIM || b->kind == CAIRN_SOLID_VICTIM_BOX;
    return a_victim && b_victim && a->owner == b->owner;
}

// The first solid of anything else that stands where this victim's solid stands; NULL if none.
static const cairn_solid *in_the_way(const checker *check, const cairn_solid *victim)
{
    const rectangle own = footprint(victim);
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *other = &check->arena->solids[i];
        if (same_owner(victim, other)) { continue; }
        if (other->kind == CAIRN_SOLID_GROUND && other->owner >= check->arena->ramp_count) { continue; }
        const rectangle theirs = other->kind == CAIRN_SOLID_GROUND
                                     ? footprint_of_ramp(&check->arena->ramps[other->owner])
                                     : footprint(other);
        if (overlap(&own, &theirs)) { return other; }
    }
    return NULL;
}

static const char *solid_name(const cairn_solid *solid)
{
    switch (solid->kind) {
    case CAIRN_SOLID_WALL: return "a wall";
    case CAIRN_SOLID_BOX: return "a box";
    case CAIRN_SOLID_GROUND: return "a ramp";
    case CAIRN_SOLID_VICTIM:
    case CAIRN_SOLID_VICTIM_BOX: return "another victim";
    case CAIRN_SOLID_DOOR: return "a door";
    case CAIRN_SOLID_BLOCK: return "a block";
    case CAIRN_SOLID_FIGURE: return "a figure";
    }
    return "something";
}

static void check_victim_place(checker *check, uint32_t index)
{
    const cairn_sim_victim *victim = &check->arena->victims[index];
    const uint32_t line = check->lines->victims[index];
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(check->arena->victims[i].name, victim->name) != 0) { continue; }
        cairn_complain(check->complaints, check->lines->file, line, "victims[%u]: victims[%u] is named %s too", index,
                       i, victim->name);
        break;
    }
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        if (solid->owner != index || !(solid->kind == CAIRN_SOLID_VICTIM || solid->kind == CAIRN_SOLID_VICTIM_BOX)) {
            continue;
        }
        const rectangle rect = footprint(solid);
        const cairn_solid *other = in_the_way(check, solid);
        if (!rectangle_on_floor(check, &rect)) {
            cairn_complain(check->complaints, check->lines->file, line, "victims[%u] (%s) reaches outside the floor",
                           index, victim->name);
            return;
        }
        if (other != NULL) {
            cairn_complain(check->complaints, check->lines->file, line, "victims[%u] (%s) stands inside %s", index,
                           victim->name, solid_name(other));
            return;
        }
    }
}

static double clearance_m(const checker *check, cairn_vec2 at_m, const cairn_solid **ret_nearest)
{
    double least_m = INFINITY;
    *ret_nearest = NULL;
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        if (solid->map_T_box.at_m.z - solid->half_m.z >= ROBOT_HEIGHT_M) { continue; }
        if (solid->kind == CAIRN_SOLID_GROUND && solid->owner >= check->arena->ramp_count) { continue; }
        const rectangle rect = solid->kind == CAIRN_SOLID_GROUND ? footprint_of_ramp(&check->arena->ramps[solid->owner])
                                                                 : footprint(solid);
        const double distance_m = cairn_box2_distance(at_m, rect.map_T_middle, rect.half_m);
        if (distance_m < least_m) {
            least_m = distance_m;
            *ret_nearest = solid;
        }
    }
    return least_m;
}

static void check_start(checker *check, uint32_t index)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->starts[index]);
    const uint32_t line = check->lines->starts[index];
    if (!on_floor(check, at_m)) {
        cairn_complain(check->complaints, check->lines->file, line, "starts[%u] is outside the floor", index);
        return;
    }
    const cairn_solid *nearest;
    const double free_m = clearance_m(check, at_m, &nearest);
    if (free_m < ROBOT_RADIUS_M) {
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is %.2f m from %s; a robot needs %.2f m", index, free_m, solid_name(nearest),
                       ROBOT_RADIUS_M);
    }
    for (uint32_t i = 0; i < index; i++) {
        const double apart_m = cairn_vec2_distance(cairn_pose2_at(check->arena->starts[i]), at_m);
        if (apart_m >= STARTS_APART_M) { continue; }
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is %.2f m from starts[%u]; at least %.1f m are needed", index, apart_m, i,
                       STARTS_APART_M);
    }
}

static cairn_vec2 cell_middle_m(uint32_t x, uint32_t y) { return (cairn_vec2){(x + 0.5) * CELL_M, (y + 0.5) * CELL_M}; }

// Narrows [*low, *high] to where |slope * x + offset| <= limit.
static void narrow(double slope, double offset, double limit, double *low, double *high)
{
    if (fabs(slope) < 1e-9) {
        if (fabs(offset) > limit) { *high = *low - 1.0; }
        return;
    }
    const double a = (-limit - offset) / slope, b = (limit - offset) / slope;
    *low = fmax(*low, fmin(a, b));
    *high = fmin(*high, fmax(a, b));
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

// Blocks the cells in which a robot's middle would touch this rectangle: row by row, only where it can be.
static void block_around(checker *check, const rectangle *rect)
{
    const double c = cos(rect->map_T_middle.yaw_rad), s = sin(rect->map_T_middle.yaw_rad);
    const cairn_vec2 reach_m = {rect->half_m.x + ROBOT_RADIUS_M, rect->half_m.y + ROBOT_RADIUS_M};
    const double tall_m = fabs(s) * reach_m.x + fabs(c) * reach_m.y;
    const uint32_t first = clamp_cell((rect->map_T_middle.y_m - tall_m) / CELL_M, check->height);
    const uint32_t end = clamp_cell((rect->map_T_middle.y_m + tall_m) / CELL_M + 1, check->height);
    for (uint32_t y = first; y < end; y++) {
        const double dy = (y + 0.5) * CELL_M - rect->map_T_middle.y_m;
        double low = -reach_m.x - reach_m.y, high = reach_m.x + reach_m.y;
        narrow(c, s * dy, reach_m.x, &low, &high);
        narrow(-s, c * dy, reach_m.y, &low, &high);
        if (high < low) { continue; }
        const uint32_t x_first = clamp_cell((rect->map_T_middle.x_m + low) / CELL_M, check->width);
        const uint32_t x_end = clamp_cell((rect->map_T_middle.x_m + high) / CELL_M + 1, check->width);
        for (uint32_t x = x_first; x < x_end; x++) {
            uint8_t *blocked = &check->blocked[(size_t)y * check->width + x];
            if (*blocked) { continue; }
            *blocked = cairn_box2_distance(cell_middle_m(x, y), rect->map_T_middle, rect->half_m) < ROBOT_RADIUS_M;
        }
    }
}

static void block_edges(checker *check)
{
    for (uint32_t y = 0; y < check->height; y++) {
        for (uint32_t x = 0; x < check->width; x++) {
            const cairn_vec2 at_m = cell_middle_m(x, y), size_m = check->arena->size_m;
            const double inside_m = fmin(fmin(at_m.x, size_m.x - at_m.x), fmin(at_m.y, size_m.y - at_m.y));
            check->blocked[(size_t)y * check->width + x] = inside_m < ROBOT_RADIUS_M;
        }
    }
}

// The cell of a point; false outside.
static bool cell_at(const checker *check, cairn_vec2 at_m, size_t *ret_cell)
{
    if (!(at_m.x >= 0.0 && at_m.y >= 0.0)) { return false; }
    const double x = floor(at_m.x / CELL_M), y = floor(at_m.y / CELL_M);
    if (x >= check->width || y >= check->height) { return false; }
    *ret_cell = (size_t)y * check->width + (size_t)x;
    return true;
}

// A start may stand a little nearer to a wall than its cell's middle: its own cell and the neighbours count.
static bool free_cell_near(const checker *check, const uint8_t *wanted, uint8_t value, cairn_vec2 at_m,
                           size_t *ret_cell)
{
    for (int dy = 0; dy <= 2; dy++) {
        for (int dx = 0; dx <= 2; dx++) {
            const double steps[] = {0.0, -CELL_M, CELL_M};
            size_t cell;
            if (!cell_at(check, (cairn_vec2){at_m.x + steps[dx], at_m.y + steps[dy]}, &cell)) { continue; }
            if (wanted[cell] == value) {
                *ret_cell = cell;
                return true;
            }
        }
    }
    return false;
}

static void visit(checker *check, size_t cell, uint32_t *tail)
{
    if (check->blocked[cell] || check->reached[cell]) { return; }
    check->reached[cell] = 1;
    check->queue[(*tail)++] = (uint32_t)cell;
}

static void flood_from(checker *check, size_t first)
{
    uint32_t head = 0, tail = 0;
    visit(check, first, &tail);
    while (head < tail) {
        const uint32_t cell = check->queue[head++];
        const uint32_t x = cell % check->width, y = cell / check->width;
        if (x > 0) { visit(check, cell - 1, &tail); }
        if (x + 1 < check->width) { visit(check, cell + 1, &tail); }
        if (y > 0) { visit(check, cell - check->width, &tail); }
        if (y + 1 < check->height) { visit(check, cell + check->width, &tail); }
    }
}

static bool crosses_sight(const cairn_solid *solid)
{
    return solid->kind != CAIRN_SOLID_GROUND && fabs(solid->map_T_box.at_m.z - SIGHT_HEIGHT_M) <= solid->half_m.z;
}

static bool sees_victim(const checker *check, cairn_vec2 from_m, uint32_t victim)
{
    const cairn_vec2 to_m = cairn_pose2_at(check->arena->victims[victim].map_T_victim);
    const double distance_m = cairn_vec2_distance(from_m, to_m);
    const cairn_vec2 direction = cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), 1.0 / fmax(distance_m, 1e-9));
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        if (!crosses_sight(solid) || (solid->kind == CAIRN_SOLID_VICTIM && solid->owner == victim)) { continue; }
        const rectangle rect = footprint(solid);
        const double hit_m = cairn_ray_box2(from_m, direction, rect.map_T_middle, rect.half_m);
        if (hit_m >= 0.0 && hit_m < distance_m) { return false; }
    }
    return true;
}

static bool victim_reachable(const checker *check, uint32_t victim)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->victims[victim].map_T_victim);
    const uint32_t x_first = clamp_cell((at_m.x - VICTIM_NEAR_M) / CELL_M, check->width);
    const uint32_t x_end = clamp_cell((at_m.x + VICTIM_NEAR_M) / CELL_M + 1, check->width);
    const uint32_t y_first = clamp_cell((at_m.y - VICTIM_NEAR_M) / CELL_M, check->height);
    const uint32_t y_end = clamp_cell((at_m.y + VICTIM_NEAR_M) / CELL_M + 1, check->height);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            if (!check->reached[(size_t)y * check->width + x]) { continue; }
            const cairn_vec2 from_m = cell_middle_m(x, y);
            if (cairn_vec2_distance(from_m, at_m) <= VICTIM_NEAR_M && sees_victim(check, from_m, victim)) {
                return true;
            }
        }
    }
    return false;
}

// Along the middle line, from a robot's length before the one foot to a robot's length after the other.
static bool ramp_drivable(const checker *check, const cairn_sim_ramp *ramp)
{
    const double end_m = ramp->length_m / 2 + ROBOT_RADIUS_M;
    const int steps = (int)ceil(2 * end_m / (CELL_M / 2));
    for (int i = 0; i <= steps; i++) {
        size_t cell;
        const double x_m = -end_m + 2 * end_m * i / steps;
        const cairn_vec2 at_m = cairn_pose2_apply(ramp->map_T_ramp, (cairn_vec2){x_m, 0.0});
        if (!cell_at(check, at_m, &cell) || !check->reached[cell]) { return false; }
    }
    return true;
}

static void check_reach(checker *check)
{
    const cairn_sim_arena *arena = check->arena;
    const char *file = check->lines->file;
    size_t first;
    block_edges(check);
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (!is_obstacle(&arena->solids[i])) { continue; }
        const rectangle rect = footprint(&arena->solids[i]);
        block_around(check, &rect);
    }
    if (!free_cell_near(check, check->blocked, 0, cairn_pose2_at(arena->starts[0]), &first)) { return; }
    flood_from(check, first);
    for (uint32_t i = 1; i < arena->start_count; i++) {
        size_t cell;
        if (free_cell_near(check, check->reached, 1, cairn_pose2_at(arena->starts[i]), &cell)) { continue; }
        cairn_complain(check->complaints, file, check->lines->starts[i], "starts[%u] cannot be reached from starts[0]",
                       i);
    }
    for (uint32_t i = 0; i < arena->ramp_count; i++) {
        if (ramp_drivable(check, &arena->ramps[i])) { continue; }
        cairn_complain(check->complaints, file, check->lines->ramps[i],
                       "ramps[%u] cannot be driven over from starts[0]: its middle line needs %.2f m on both sides and "
                       "before and after it",
                       i, ROBOT_RADIUS_M);
    }
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        if (victim_reachable(check, i)) { continue; }
        cairn_complain(check->complaints, file, check->lines->victims[i],
                       "victims[%u] (%s): no robot from starts[0] can come within %.1f m and see it", i,
                       arena->victims[i].name, VICTIM_NEAR_M);
    }
}

void cairn_sim_arena_check(const cairn_sim_arena *arena, const cairn_sim_elements *elements,
                           const cairn_sim_arena_lines *lines, cairn_complaints *complaints)
{
    (void)elements;
    checker check = {.arena = arena, .lines = lines, .complaints = complaints};
    check_walls(&check);
    check_boxes(&check);
    check_ramps(&check);
    for (uint32_t i = 0; i < arena->victim_count; i++) { check_victim_place(&check, i); }
    for (uint32_t i = 0; i < arena->start_count; i++) { check_start(&check, i); }

    check.width = (uint32_t)ceil(arena->size_m.x / CELL_M);
    check.height = (uint32_t)ceil(arena->size_m.y / CELL_M);
    const size_t cell_count = (size_t)check.width * check.height;
    cairn_arena work;
    if (cairn_arena_create(&work, cell_count * 6 + 256) != CAIRN_OK) {
        cairn_complain(complaints, lines->file, 0, "no memory left to check what can be reached");
        return;
    }
    check.blocked = CAIRN_TAKE(&work, uint8_t, cell_count);
    check.reached = CAIRN_TAKE(&work, uint8_t, cell_count);
    check.queue = CAIRN_TAKE(&work, uint32_t, cell_count);
    CAIRN_ASSERT(check.blocked != NULL && check.reached != NULL && check.queue != NULL);
    check_reach(&check);
    cairn_arena_destroy(&work);
}
