// What a person can get wrong in an arena: things outside the floor, inside each other, on no ground, or out of reach.
#include "sim/arena/check/arena_check.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include <string.h>

#define ROBOT_HEIGHT_M 0.5
#define STARTS_APART_M 0.7
#define STOREY_M 1.0 // starts on ground that differs by more are not in each other's way
#define WALL_LENGTH_M_MIN 0.02
#define TOUCH_M 0.005       // overlaps up to this are touches, not mistakes
#define FLAT_M 0.03         // that ground may differ by around a start
#define FOOT_OFF_M 0.05     // that ground may be lower than foot_m says
#define BURIED_M_MAX 0.3    // of a victim in rubble
#define VICTIM_HEIGHT_M 0.6 // ground is looked for below this
#define RIM_POINTS 16

bool cairn_check_on_floor(const cairn_arena_checker *check, cairn_vec2 at_m)
{
    const cairn_vec2 size_m = check->arena->size_m;
    return at_m.x >= 0.0 && at_m.y >= 0.0 && at_m.x <= size_m.x && at_m.y <= size_m.y;
}

bool cairn_check_rect_on_floor(const cairn_arena_checker *check, const cairn_check_rect *rect)
{
    for (uint32_t i = 0; i < 4; i++) {
        const cairn_vec2 corner_m = {i & 1 ? rect->half_m.x : -rect->half_m.x,
                                     i & 2 ? rect->half_m.y : -rect->half_m.y};
        if (!cairn_check_on_floor(check, cairn_pose2_apply(rect->map_T_middle, corner_m))) { return false; }
    }
    return true;
}

static cairn_check_rect footprint(const cairn_solid *solid)
{
    return (cairn_check_rect){cairn_pose3_to_pose2(solid->map_T_box), {solid->half_m.x, solid->half_m.y}};
}

// The three axes of a box in the map, each as long as half its edge.
static void half_axes(const cairn_solid *solid, cairn_vec3 ret_axes[3])
{
    const cairn_quat turn = solid->map_T_box.turn;
    ret_axes[0] = cairn_quat_rotate(turn, (cairn_vec3){solid->half_m.x, 0, 0});
    ret_axes[1] = cairn_quat_rotate(turn, (cairn_vec3){0, solid->half_m.y, 0});
    ret_axes[2] = cairn_quat_rotate(turn, (cairn_vec3){0, 0, solid->half_m.z});
}

static bool apart_along(cairn_vec3 axis, cairn_vec3 between, const cairn_vec3 a[3], const cairn_vec3 b[3])
{
    const double length = cairn_vec3_length(axis);
    if (length < 1e-9) { return false; }
    double reach_m = -TOUCH_M;
    for (int i = 0; i < 3; i++) {
        reach_m += (fabs(cairn_vec3_dot(axis, a[i])) + fabs(cairn_vec3_dot(axis, b[i]))) / length;
    }
    return fabs(cairn_vec3_dot(axis, between)) / length > reach_m;
}

// Separating axes: two boxes are apart exactly when one of the faces or one pair of edges parts them.
bool cairn_check_overlap(const cairn_solid *a, const cairn_solid *b)
{
    const cairn_vec3 between = cairn_vec3_sub(b->map_T_box.at_m, a->map_T_box.at_m);
    if (cairn_vec3_length(between) > cairn_vec3_length(a->half_m) + cairn_vec3_length(b->half_m)) { return false; }
    cairn_vec3 of_a[3], of_b[3];
    half_axes(a, of_a);
    half_axes(b, of_b);
    for (int i = 0; i < 3; i++) {
        const cairn_vec3 unit_a = cairn_vec3_scale(of_a[i], 1 / cairn_vec3_length(of_a[i]));
        if (apart_along(unit_a, between, of_a, of_b)) { return false; }
        if (apart_along(cairn_vec3_scale(of_b[i], 1 / cairn_vec3_length(of_b[i])), between, of_a, of_b)) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            const cairn_vec3 unit_b = cairn_vec3_scale(of_b[k], 1 / cairn_vec3_length(of_b[k]));
            if (apart_along(cairn_vec3_cross(unit_a, unit_b), between, of_a, of_b)) { return false; }
        }
    }
    return true;
}

static const char *ground_name(const cairn_arena_checker *check, uint32_t owner)
{
    const cairn_sim_elements *of = check->elements;
    const struct {
        uint32_t count;
        const char *name;
    } kinds[] = {{check->arena->ramp_count, "a ramp"},
                 {of->platform_count, "a platform"},
                 {of->stairs_count, "stairs"},
                 {of->ramp_field_count, "a ramp field"},
                 {of->step_field_count, "a step field"},
                 {of->hole_count, "the bottom of a hole"},
                 {of->ditch_count, "a ditch"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (owner < kinds[i].count) { return kinds[i].name; }
        owner -= kinds[i].count;
    }
    return "the floor";
}

const char *cairn_check_name(const cairn_arena_checker *check, const cairn_solid *solid)
{
    switch (solid->kind) {
    case CAIRN_SOLID_WALL: return "a wall";
    case CAIRN_SOLID_BOX: return "a box";
    case CAIRN_SOLID_GROUND: return ground_name(check, solid->owner);
    case CAIRN_SOLID_VICTIM:
    case CAIRN_SOLID_VICTIM_BOX: return "another victim";
    case CAIRN_SOLID_DOOR: return "a door";
    case CAIRN_SOLID_BLOCK: return "a block";
    case CAIRN_SOLID_FIGURE: return "a figure";
    }
    return "something";
}

static void check_walls(const cairn_arena_checker *check)
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
            if (cairn_check_on_floor(check, ends_m[end])) { continue; }
            cairn_complain(check->complaints, check->lines->file, line,
                           "wall corner (%.2f, %.2f) is outside the floor of %.2f x %.2f m", ends_m[end].x,
                           ends_m[end].y, check->arena->size_m.x, check->arena->size_m.y);
            break;
        }
    }
}

static void check_boxes(const cairn_arena_checker *check)
{
    for (uint32_t i = 0; i < check->arena->box_count; i++) {
        const cairn_sim_box *box = &check->arena->boxes[i];
        const cairn_check_rect rect = {box->map_T_box, {box->size_m.x / 2, box->size_m.y / 2}};
        if (cairn_check_rect_on_floor(check, &rect)) { continue; }
        cairn_complain(check->complaints, check->lines->file, check->lines->boxes[i],
                       "boxes[%u] reaches outside the floor", i);
    }
}

static bool is_of_victim(const cairn_solid *solid, uint32_t victim)
{
    return solid->owner == victim && (solid->kind == CAIRN_SOLID_VICTIM || solid->kind == CAIRN_SOLID_VICTIM_BOX);
}

// The first solid of anything else that stands where this victim's solid stands; NULL if none. Figures that walk are
// there for a moment only; a box on a wall may reach into the ground below it, as a ramp.
static const cairn_solid *in_the_way(const cairn_arena_checker *check, const cairn_solid *of_victim)
{
    const bool hangs = check->arena->victims[of_victim->owner].hangs;
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *other = &check->arena->solids[i];
        if (is_of_victim(other, of_victim->owner) || other->kind == CAIRN_SOLID_FIGURE) { continue; }
        if (hangs && other->kind == CAIRN_SOLID_GROUND) { continue; }
        if (cairn_check_overlap(of_victim, other)) { return other; }
    }
    return NULL;
}

static void check_victim_ground(const cairn_arena_checker *check, uint32_t index)
{
    const cairn_sim_victim *victim = &check->arena->victims[index];
    const cairn_vec2 at_m = cairn_pose2_at(victim->map_T_victim);
    const uint32_t line = check->lines->victims[index];
    const double below_m = cairn_sim_ground_m(check->arena, at_m, victim->foot_m + FOOT_OFF_M);
    const double over_m = cairn_sim_ground_m(check->arena, at_m, victim->foot_m + VICTIM_HEIGHT_M);
    if (over_m > victim->foot_m + BURIED_M_MAX) {
        cairn_complain(check->complaints, check->lines->file, line,
                       "victims[%u] (%s) is buried in ground that reaches up to %.2f m; change foot_m or the ground",
                       index, victim->name, over_m);
    } else if (below_m < victim->foot_m - FOOT_OFF_M) {
        cairn_complain(check->complaints, check->lines->file, line,
                       "victims[%u] (%s) is in the air: the ground is at %.2f m, its foot_m at %.2f m", index,
                       victim->name, below_m, victim->foot_m);
    }
}

static void check_victim(const cairn_arena_checker *check, uint32_t index)
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
        if (!is_of_victim(solid, index)) { continue; }
        const cairn_check_rect rect = footprint(solid);
        if (!cairn_check_rect_on_floor(check, &rect)) {
            cairn_complain(check->complaints, check->lines->file, line, "victims[%u] (%s) reaches outside the floor",
                           index, victim->name);
            return;
        }
        const cairn_solid *other = in_the_way(check, solid);
        if (other != NULL) {
            cairn_complain(check->complaints, check->lines->file, line, "victims[%u] (%s) stands inside %s", index,
                           victim->name, cairn_check_name(check, other));
            return;
        }
    }
    if (!victim->hangs) { check_victim_ground(check, index); }
}

// Distance to the nearest thing that stands at the height of a robot whose ground is at foot_m.
static double clearance_m(const cairn_arena_checker *check, cairn_vec2 at_m, double foot_m,
                          const cairn_solid **ret_nearest)
{
    double least_m = INFINITY;
    *ret_nearest = NULL;
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        const double middle_m = solid->map_T_box.at_m.z;
        if (solid->kind == CAIRN_SOLID_GROUND) { continue; }
        if (middle_m - solid->half_m.z >= foot_m + ROBOT_HEIGHT_M || middle_m + solid->half_m.z <= foot_m) { continue; }
        const cairn_check_rect rect = footprint(solid);
        const double distance_m = cairn_box2_distance(at_m, rect.map_T_middle, rect.half_m);
        if (distance_m < least_m) {
            least_m = distance_m;
            *ret_nearest = solid;
        }
    }
    return least_m;
}

// A robot stands with all wheels on one level.
static void check_start_ground(const cairn_arena_checker *check, uint32_t index, cairn_vec2 at_m, double foot_m)
{
    const uint32_t line = check->lines->starts[index];
    const double ground_m = cairn_sim_ground_m(check->arena, at_m, foot_m + FLAT_M);
    if (ground_m < foot_m - FOOT_OFF_M) {
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is in the air or over a hole: the ground is at %.2f m, its foot_m at %.2f m", index,
                       ground_m, foot_m);
        return;
    }
    for (int i = 0; i < 2 * RIM_POINTS; i++) {
        const double turn_rad = 2 * CAIRN_PI * i / RIM_POINTS;
        const double reach_m = (i < RIM_POINTS ? 1.0 : 0.5) * CAIRN_CHECK_RADIUS_M;
        const cairn_vec2 rim_m = {at_m.x + reach_m * cos(turn_rad), at_m.y + reach_m * sin(turn_rad)};
        const double there_m = cairn_sim_ground_m(check->arena, rim_m, ground_m + ROBOT_HEIGHT_M);
        const bool solid_m = cairn_sim_ceiling_m(check->arena, rim_m, ground_m + FLAT_M) < ground_m + ROBOT_HEIGHT_M;
        if (fabs(there_m - ground_m) <= FLAT_M && !solid_m) { continue; }
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is less than %.2f m from a ramp, step or edge: the ground at (%.2f, %.2f) is at "
                       "%.2f m; a robot needs a flat place",
                       index, CAIRN_CHECK_RADIUS_M, rim_m.x, rim_m.y, there_m);
        return;
    }
}

static double foot_of(const cairn_sim_arena *arena, uint32_t start)
{
    return arena->start_feet_m != NULL ? arena->start_feet_m[start] : 0.0;
}

static void check_start(const cairn_arena_checker *check, uint32_t index)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->starts[index]);
    const double foot_m = foot_of(check->arena, index);
    const uint32_t line = check->lines->starts[index];
    if (!cairn_check_on_floor(check, at_m)) {
        cairn_complain(check->complaints, check->lines->file, line, "starts[%u] is outside the floor", index);
        return;
    }
    const cairn_solid *nearest;
    const double free_m = clearance_m(check, at_m, foot_m, &nearest);
    if (free_m < CAIRN_CHECK_RADIUS_M) {
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is %.2f m from %s; a robot needs %.2f m", index, free_m,
                       cairn_check_name(check, nearest), CAIRN_CHECK_RADIUS_M);
    }
    check_start_ground(check, index, at_m, foot_m);
    for (uint32_t i = 0; i < index; i++) {
        const double apart_m = cairn_vec2_distance(cairn_pose2_at(check->arena->starts[i]), at_m);
        if (apart_m >= STARTS_APART_M || fabs(foot_of(check->arena, i) - foot_m) > STOREY_M) { continue; }
        cairn_complain(check->complaints, check->lines->file, line,
                       "starts[%u] is %.2f m from starts[%u]; at least %.1f m are needed", index, apart_m, i,
                       STARTS_APART_M);
    }
}

void cairn_sim_arena_check(const cairn_sim_arena *arena, const cairn_sim_elements *elements,
                           const cairn_sim_arena_lines *lines, cairn_complaints *complaints)
{
    const cairn_arena_checker check = {arena, elements, lines, complaints};
    check_walls(&check);
    check_boxes(&check);
    cairn_check_ground(&check);
    cairn_check_movers(&check);
    for (uint32_t i = 0; i < arena->victim_count; i++) { check_victim(&check, i); }
    for (uint32_t i = 0; i < arena->start_count; i++) { check_start(&check, i); }
    cairn_check_reach(&check);
}
