// Reach from the first start, as reach.h has it for the robot that an arena is checked for. A victim counts as
// reachable when a robot can come near it and see it, as sight.h has it; so the open front of a box must face where
// robots can be.
#include "sim/arena/check/arena_check.h"
#include "sim/arena/check/missed.h"

#define STOREY_M 1.0 // ground that differs by more is another storey's
#define SAME_GROUND_M 0.15

static double foot_of(const cairn_sim_arena *arena, uint32_t start)
{
    return arena->start_feet_m != NULL ? arena->start_feet_m[start] : 0.0;
}

// A start may stand a little nearer to a wall than its cell's middle: the cells around count.
static bool is_start_reached(const cairn_sim_arena *arena, const cairn_reach *reach, uint32_t start)
{
    const cairn_vec2 at_m = cairn_pose2_at(arena->starts[start]);
    for (int i = 0; i < 9; i++) {
        const int column = i % 3 - 1, row = i / 3 - 1;
        const cairn_vec2 near_m = {at_m.x + column * reach->cell_m, at_m.y + row * reach->cell_m};
        if (cairn_reach_at(reach, near_m, foot_of(arena, start), SAME_GROUND_M) != CAIRN_REACH_NONE) { return true; }
    }
    return false;
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

// From any place of a cell, on any storey.
static bool is_seen_from_cell(const cairn_reach *reach, const cairn_reach_def *robot, uint32_t cell,
                              const cairn_sight *victim)
{
    for (uint32_t i = reach->first[cell]; i != CAIRN_REACH_NONE; i = reach->places[i].above) {
        if (cairn_sight_sees(victim, robot, reach, i)) { return true; }
    }
    return false;
}

static uint32_t clamp_cell(double cell, uint32_t count)
{
    return cell <= 0.0 ? 0 : cell >= count ? count : (uint32_t)cell;
}

static bool is_victim_reached(const cairn_reach *reach, const cairn_reach_def *robot, const cairn_sight *victim)
{
    const cairn_vec2 at_m = cairn_pose2_at(victim->arena->victims[victim->victim].map_T_victim);
    const double cell_m = reach->cell_m, near_m = CAIRN_VICTIM_NEAR_M;
    const uint32_t x_first = clamp_cell((at_m.x - near_m) / cell_m, reach->width);
    const uint32_t x_end = clamp_cell((at_m.x + near_m) / cell_m + 1, reach->width);
    const uint32_t y_first = clamp_cell((at_m.y - near_m) / cell_m, reach->height);
    const uint32_t y_end = clamp_cell((at_m.y + near_m) / cell_m + 1, reach->height);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            if (is_seen_from_cell(reach, robot, y * reach->width + x, victim)) { return true; }
        }
    }
    return false;
}

static cairn_err look(const cairn_sim_arena *arena, cairn_arena *work, bool *starts, bool *ramps, bool *victims,
                      double *ret_reach_m2)
{
    const cairn_reach_def def = cairn_reach_def_default();
    CAIRN_ASSERT(def.radius_m == CAIRN_CHECK_RADIUS_M);
    cairn_reach reach;
    const cairn_err err = cairn_reach_create(arena, &def, work, &reach);
    if (err != CAIRN_OK) { return err; }
    const cairn_solid **between = CAIRN_TAKE(work, const cairn_solid *, arena->solid_count + 1);
    if (between == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 1; i < arena->start_count; i++) { starts[i] = !is_start_reached(arena, &reach, i); }
    for (uint32_t i = 0; i < arena->ramp_count; i++) {
        const cairn_sim_ramp *ramp = &arena->ramps[i];
        ramps[i] = ramp->angle_rad <= def.slope_rad_max && !is_ramp_drivable(&reach, ramp);
    }
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        cairn_sight victim;
        cairn_sight_gather(arena, i, between, &victim);
        victims[i] = !is_victim_reached(&reach, &def, &victim);
    }
    *ret_reach_m2 = reach.cell_count * reach.cell_m * reach.cell_m;
    return CAIRN_OK;
}

cairn_err cairn_missed_find(const cairn_sim_arena *arena, cairn_arena *memory, cairn_missed *ret_missed)
{
    CAIRN_ASSERT(arena != NULL && memory != NULL && ret_missed != NULL);
    const cairn_reach_def def = cairn_reach_def_default();
    bool *starts = CAIRN_TAKE(memory, bool, arena->start_count + 1);
    bool *ramps = CAIRN_TAKE(memory, bool, arena->ramp_count + 1);
    bool *victims = CAIRN_TAKE(memory, bool, arena->victim_count + 1);
    if (starts == NULL || ramps == NULL || victims == NULL) { return CAIRN_ERR_FULL; }
    const size_t between_bytes = (arena->solid_count + 1) * sizeof(const cairn_solid *);
    cairn_arena work;
    double reach_m2 = 0.0;
    cairn_err err = cairn_arena_create(&work, cairn_reach_bytes(arena, &def) + between_bytes + 256);
    if (err == CAIRN_OK) { err = look(arena, &work, starts, ramps, victims, &reach_m2); }
    cairn_arena_destroy(&work);
    if (err == CAIRN_OK) { *ret_missed = (cairn_missed){starts, ramps, victims, reach_m2}; }
    return err;
}

// What is said to be hard may be missed.
static void tell(const cairn_arena_checker *check, const cairn_missed *missed)
{
    const cairn_sim_arena *arena = check->arena;
    const cairn_sim_arena_lines *lines = check->lines;
    for (uint32_t i = 0; i < arena->start_count; i++) {
        if (!missed->starts[i]) { continue; }
        cairn_complain(check->complaints, lines->file, lines->starts[i], "starts[%u] cannot be reached from starts[0]",
                       i);
    }
    for (uint32_t i = 0; i < arena->ramp_count; i++) {
        if (!missed->ramps[i] || arena->ramps[i].hard) { continue; }
        cairn_complain(check->complaints, lines->file, lines->ramps[i],
                       "ramps[%u] cannot be driven over from starts[0]: its middle line needs %.2f m on both sides and "
                       "before and after it; or say hard: true",
                       i, CAIRN_CHECK_RADIUS_M);
    }
    for (uint32_t i = 0; i < arena->victim_count; i++) {
        if (!missed->victims[i] || arena->victims[i].hard) { continue; }
        cairn_complain(check->complaints, lines->file, lines->victims[i],
                       "victims[%u] (%s): no robot from starts[0] can come within %.1f m and see it; or say hard: true",
                       i, arena->victims[i].name, CAIRN_VICTIM_NEAR_M);
    }
}

void cairn_check_reach(const cairn_arena_checker *check)
{
    const cairn_sim_arena *arena = check->arena;
    const size_t flags = (size_t)arena->start_count + arena->ramp_count + arena->victim_count;
    cairn_arena memory;
    cairn_missed missed;
    cairn_err err = cairn_arena_create(&memory, flags + 256);
    if (err == CAIRN_OK) { err = cairn_missed_find(arena, &memory, &missed); }
    if (err == CAIRN_OK) {
        tell(check, &missed);
    } else if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(
            check->complaints, check->lines->file, 0,
            "so much ground and so many walls lie one above or across the other that what can be reached was not "
            "found out; use fewer or smaller ones, or several arenas");
    } else {
        cairn_complain(check->complaints, check->lines->file, 0, "no memory left to check what can be reached");
    }
    cairn_arena_destroy(&memory);
}
