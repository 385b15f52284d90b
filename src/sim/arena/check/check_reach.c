// Reach from the first start, as reach.h has it for the robot that an arena is checked for. A victim counts as
// reachable when a robot can come within 1.5 m of it and see it at the height of a laser; so the open front of a box
// must face where robots can be.
#include "geometry/rays.h"
#include "sim/arena/check/arena_check.h"
#include "sim/arena/check/reach.h"
#include "sim/arena/ground.h"

#define VICTIM_NEAR_M 1.5
#define SIGHT_HEIGHT_M 0.33
#define STOREY_M 1.0 // ground that differs by more from a victim's is another storey's
#define SAME_GROUND_M 0.15

static double foot_of(const cairn_sim_arena *arena, uint32_t start)
{
    return arena->start_feet_m != NULL ? arena->start_feet_m[start] : 0.0;
}

// A start may stand a little nearer to a wall than its cell's middle: the cells around count.
static bool is_start_reached(const cairn_arena_checker *check, const cairn_reach *reach, uint32_t start)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->starts[start]);
    for (int i = 0; i < 9; i++) {
        const int column = i % 3 - 1, row = i / 3 - 1;
        const cairn_vec2 near_m = {at_m.x + column * reach->cell_m, at_m.y + row * reach->cell_m};
        if (cairn_reach_at(reach, near_m, foot_of(check->arena, start), SAME_GROUND_M) != CAIRN_REACH_NONE) {
            return true;
        }
    }
    return false;
}

static void check_starts(const cairn_arena_checker *check, const cairn_reach *reach)
{
    for (uint32_t i = 1; i < check->arena->start_count; i++) {
        if (is_start_reached(check, reach, i)) { continue; }
        cairn_complain(check->complaints, check->lines->file, check->lines->starts[i],
                       "starts[%u] cannot be reached from starts[0]", i);
    }
}

static double ramp_height_m(const cairn_sim_ramp *ramp, double x_m)
{
    const double run_m = ramp->slope ? ramp->length_m - ramp->top_m : (ramp->length_m - ramp->top_m) / 2;
    const double in_m = ramp->slope ? x_m + ramp->length_m / 2 : ramp->length_m / 2 - fabs(x_m);
    return ramp->foot_m + fmin(fmax(in_m, 0), run_m) * tan(ramp->angle_rad);
}

static bool is_on_ramp(const cairn_reach *reach, const cairn_sim_ramp *ramp, double x_m)
{
    const cairn_vec2 at_m = cairn_pose2_apply(ramp->map_T_ramp, (cairn_vec2){x_m, 0.0});
    // What else lies there may be higher or lower, a cell's middle a little too.
    return cairn_reach_at(reach, at_m, ramp_height_m(ramp, x_m), STOREY_M) != CAIRN_REACH_NONE;
}

// A ridge all along its middle line, from a robot's length before the one foot to a robot's length after the other. A
// slope anywhere on it: where several lie side by side, between walls, robots drive over them any way.
static bool is_ramp_drivable(const cairn_reach *reach, const cairn_sim_ramp *ramp)
{
    const double end_m = ramp->length_m / 2 + (ramp->slope ? 0.0 : CAIRN_CHECK_RADIUS_M);
    const int steps = (int)ceil(2 * end_m / (reach->cell_m / 2));
    for (int i = 0; i <= steps; i++) {
        if (is_on_ramp(reach, ramp, -end_m + 2 * end_m * i / steps) == ramp->slope) { return ramp->slope; }
    }
    return !ramp->slope;
}

static void check_ramps(const cairn_arena_checker *check, const cairn_reach *reach, double angle_rad_max)
{
    for (uint32_t i = 0; i < check->arena->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &check->arena->ramps[i];
        if (ramp->angle_rad > angle_rad_max || is_ramp_drivable(reach, ramp)) { continue; }
        cairn_complain(check->complaints, check->lines->file, check->lines->ramps[i],
                       "ramps[%u] cannot be driven over from starts[0]: its middle line needs %.2f m on both sides and "
                       "before and after it",
                       i, CAIRN_CHECK_RADIUS_M);
    }
}

// Solids that can stand between a victim and who is near it.
typedef struct screen {
    const cairn_solid **solids;
    uint32_t count;
} screen;

static void gather_screen(const cairn_arena_checker *check, uint32_t victim, screen *ret_screen)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->victims[victim].map_T_victim);
    ret_screen->count = 0;
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        const bool own = solid->kind == CAIRN_SOLID_VICTIM && solid->owner == victim;
        if (own || solid->kind == CAIRN_SOLID_DOOR || solid->kind == CAIRN_SOLID_FIGURE) { continue; }
        const cairn_outline around = cairn_solid_outline(solid);
        const double out_x_m = fmax(fmax(around.x0_m - at_m.x, at_m.x - around.x1_m), 0);
        const double out_y_m = fmax(fmax(around.y0_m - at_m.y, at_m.y - around.y1_m), 0);
        if (hypot(out_x_m, out_y_m) <= VICTIM_NEAR_M) { ret_screen->solids[ret_screen->count++] = solid; }
    }
}

static bool is_seen(const screen *between, cairn_vec3 from_m, cairn_vec3 to_m)
{
    const cairn_vec3 way_m = cairn_vec3_sub(to_m, from_m);
    const double distance_m = cairn_vec3_length(way_m);
    const cairn_vec3 direction = cairn_vec3_scale(way_m, 1.0 / fmax(distance_m, 1e-9));
    for (uint32_t i = 0; i < between->count; i++) {
        const cairn_solid *solid = between->solids[i];
        const double hit_m = cairn_ray_box3(from_m, direction, solid->map_T_box, solid->half_m);
        if (hit_m >= 0.0 && hit_m < distance_m) { return false; }
    }
    return true;
}

// From any place of a cell that is on the victim's storey.
static bool is_seen_from_cell(const cairn_arena_checker *check, const cairn_reach *reach, uint32_t cell,
                              uint32_t victim, const screen *between)
{
    const cairn_sim_victim *of = &check->arena->victims[victim];
    const cairn_vec3 to_m = {of->map_T_victim.x_m, of->map_T_victim.y_m, of->foot_m + SIGHT_HEIGHT_M};
    for (uint32_t i = reach->first[cell]; i != CAIRN_REACH_NONE; i = reach->places[i].above) {
        const double height_m = (double)reach->places[i].height_m;
        const cairn_vec2 at_m = cairn_reach_middle_m(reach, i);
        if (fabs(height_m - of->foot_m) > STOREY_M) { continue; }
        if (cairn_vec2_distance(at_m, cairn_pose2_at(of->map_T_victim)) > VICTIM_NEAR_M) { continue; }
        if (is_seen(between, (cairn_vec3){at_m.x, at_m.y, height_m + SIGHT_HEIGHT_M}, to_m)) { return true; }
    }
    return false;
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

static bool is_victim_reached(const cairn_arena_checker *check, const cairn_reach *reach, uint32_t victim,
                              const screen *between)
{
    const cairn_vec2 at_m = cairn_pose2_at(check->arena->victims[victim].map_T_victim);
    const double cell_m = reach->cell_m;
    const uint32_t x_first = clamp_cell((at_m.x - VICTIM_NEAR_M) / cell_m, reach->width);
    const uint32_t x_end = clamp_cell((at_m.x + VICTIM_NEAR_M) / cell_m + 1, reach->width);
    const uint32_t y_first = clamp_cell((at_m.y - VICTIM_NEAR_M) / cell_m, reach->height);
    const uint32_t y_end = clamp_cell((at_m.y + VICTIM_NEAR_M) / cell_m + 1, reach->height);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            if (is_seen_from_cell(check, reach, y * reach->width + x, victim, between)) { return true; }
        }
    }
    return false;
}

static void check_victims(const cairn_arena_checker *check, const cairn_reach *reach, screen *between)
{
    for (uint32_t i = 0; i < check->arena->victim_count; i++) {
        gather_screen(check, i, between);
        if (is_victim_reached(check, reach, i, between)) { continue; }
        cairn_complain(check->complaints, check->lines->file, check->lines->victims[i],
                       "victims[%u] (%s): no robot from starts[0] can come within %.1f m and see it", i,
                       check->arena->victims[i].name, VICTIM_NEAR_M);
    }
}

void cairn_check_reach(const cairn_arena_checker *check)
{
    const cairn_reach_def def = cairn_reach_def_default();
    CAIRN_ASSERT(def.radius_m == CAIRN_CHECK_RADIUS_M);
    const size_t screen_bytes = (check->arena->solid_count + 1) * sizeof(const cairn_solid *);
    cairn_arena work;
    cairn_reach reach;
    cairn_err err = cairn_arena_create(&work, cairn_reach_bytes(check->arena, &def) + screen_bytes + 256);
    if (err == CAIRN_OK) { err = cairn_reach_create(check->arena, &def, &work, &reach); }
    screen between = {.solids = err == CAIRN_OK ? CAIRN_TAKE(&work, const cairn_solid *, check->arena->solid_count + 1)
                                                : NULL};
    if (between.solids != NULL) {
        check_starts(check, &reach);
        check_ramps(check, &reach, def.slope_rad_max);
        check_victims(check, &reach, &between);
    } else if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(
            check->complaints, check->lines->file, 0,
            "so much ground and so many walls lie one above or across the other that what can be reached was not "
            "found out; use fewer or smaller ones, or several arenas");
    } else {
        cairn_complain(check->complaints, check->lines->file, 0, "no memory left to check what can be reached");
    }
    cairn_arena_destroy(&work);
}
