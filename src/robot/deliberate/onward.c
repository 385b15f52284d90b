// onward.c - ends of what the robot remembers, the cheapest way to one, and which ones it has been sent to before.
#include "robot/deliberate/onward.h"
#include "planning/frontier.h"
#include <string.h>

#define CELLS 128 // of the square around the robot that is looked at: 25.6 m
#define CELL_M 0.2
#define FARTHER_M_MIN 10.0 // the least that it goes on. Larger: first outings are longer, and so is their silence
#define FRONTIERS_MAX 32
#define FRONTIER_CELLS_MIN 3 // narrower ones are specks, not ways
#define STANDOFF_M 1.5       // an end that it cannot stand at is looked at from so near
#define SAME_M 1.0           // ends nearer to one that it went to are the same
#define ANSWERED_M 0.6       // nothing unknown is left so near to where it was
#define OPEN_M 0.5           // around the robot nothing but obstacles is closed: it got there
#define HULL_MARGIN_M 0.06
// The place where it was last heard is shut: what lies behind it is for the station to give out. Larger: mouths of
// tunnels as wide are shut, too; and so is what is near to it.
#define HEARD_M 1.2
#define VIA_M 1.5

void cairn_onward_begin(cairn_onward *onward, double way_m, double unheard_m, cairn_vec2 heard_m)
{
    CAIRN_ASSERT(unheard_m >= 0);
    *onward = (cairn_onward){.until_m = way_m + fmax(unheard_m, FARTHER_M_MIN), .heard_m = heard_m};
}

// What is remembered of a square, with what lies on the ground there.
static uint8_t *remembered(cairn_navigator *navigator, cairn_vec2 corner_m)
{
    uint8_t *ground = CAIRN_TAKE(&navigator->scratch, uint8_t, CELLS * CELLS);
    if (ground == NULL) { return NULL; }
    const cairn_drivability_area area = {corner_m, CELL_M, CELLS, CELLS};
    memset(ground, CAIRN_GROUND_UNKNOWN, CELLS * CELLS);
    cairn_memory_grid_merge(navigator->memory, &area, ground);
    if (navigator->footing != NULL) { cairn_footing_mark(navigator->footing, &area, ground); }
    return ground;
}

static bool was_goal(const cairn_onward *onward, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < onward->goal_count; i++) {
        if (cairn_vec2_distance(onward->goals_m[i], at_m) < SAME_M) { return true; }
    }
    return false;
}

// The way to the cheapest end of what is known that it has not gone to yet.
static cairn_err find(const cairn_onward *onward, cairn_navigator *navigator, cairn_vec2 at_m, cairn_way *ret_way,
                      cairn_vec2 *ret_goal_m)
{
    cairn_arena *scratch = &navigator->scratch;
    cairn_arena_reset(scratch, 0);
    const cairn_vec2 corner_m = {(floor(at_m.x / CELL_M) - 0.5 * CELLS) * CELL_M,
                                 (floor(at_m.y / CELL_M) - 0.5 * CELLS) * CELL_M};
    uint8_t *ground = remembered(navigator, corner_m);
    if (ground == NULL) { return CAIRN_ERR_FULL; }
    const cairn_cost_rules rules = cairn_cost_rules_default(0.5 * navigator->description->width_m + HULL_MARGIN_M);
    cairn_cost_grid grid;
    cairn_reach reach;
    cairn_err err = cairn_cost_grid_create(corner_m, CELL_M, CELLS, CELLS, ground, &rules, scratch, &grid);
    if (err == CAIRN_OK) { err = cairn_navigator_close_fences(navigator, at_m, &grid, ground); }
    if (err != CAIRN_OK) { return err; }
    cairn_cost_grid_block_disc(&grid, onward->heard_m, HEARD_M);
    cairn_cost_grid_open_disc(&grid, at_m, OPEN_M, rules.near_cost);
    err = cairn_reach_compute(&grid, at_m, UINT32_MAX, scratch, scratch, &reach);
    cairn_frontier frontiers[FRONTIERS_MAX];
    uint32_t count = 0;
    if (err == CAIRN_OK) {
        err = cairn_frontiers_find(ground, &reach, FRONTIER_CELLS_MIN, STANDOFF_M, scratch, FRONTIERS_MAX, frontiers,
                                   &count);
    }
    uint32_t best = 0;
    while (best < count && was_goal(onward, frontiers[best].middle_m)) { best++; }
    if (err != CAIRN_OK || best == count) { return err != CAIRN_OK ? err : CAIRN_ERR_NOT_FOUND; }
    *ret_goal_m = frontiers[best].middle_m;
    err = cairn_reach_way(&reach, frontiers[best].nearest_cell, scratch, ret_way);
    if (err == CAIRN_OK) { cairn_way_smooth(&grid, ret_way); }
    return err;
}

bool cairn_onward_next(cairn_onward *onward, cairn_navigator *navigator, cairn_vec2 at_m, double way_m,
                       cairn_robot_task *ret_task)
{
    cairn_way way;
    cairn_vec2 goal_m;
    if (way_m >= onward->until_m || onward->goal_count == CAIRN_ONWARD_GOALS_MAX) { return false; }
    if (find(onward, navigator, at_m, &way, &goal_m) != CAIRN_OK) { return false; }
    onward->goals_m[onward->goal_count++] = goal_m;
    *ret_task = (cairn_robot_task){.id = navigator->task.id, .purpose = CAIRN_PURPOSE_EXPLORE};
    ret_task->via_count = cairn_way_resample(&way, VIA_M, ret_task->via_m, CAIRN_VIAS_MAX);
    if (ret_task->via_count == 0) { ret_task->via_m[ret_task->via_count++] = way.points_m[0]; } // it stands there
    return true;
}

static bool is_known(const cairn_navigator *navigator, cairn_vec2 at_m)
{
    return cairn_memory_grid_at(navigator->memory, at_m) != CAIRN_GROUND_UNKNOWN;
}

static bool is_end(const cairn_navigator *navigator, cairn_vec2 at_m)
{
    const cairn_vec2 beside_m[] = {{CELL_M, 0}, {-CELL_M, 0}, {0, CELL_M}, {0, -CELL_M}};
    if (cairn_memory_grid_at(navigator->memory, at_m) != CAIRN_GROUND_FREE) { return false; }
    for (int i = 0; i < 4; i++) {
        if (!is_known(navigator, cairn_vec2_add(at_m, beside_m[i]))) { return true; }
    }
    return false;
}

bool cairn_onward_is_answered(const cairn_onward *onward, const cairn_navigator *navigator)
{
    CAIRN_ASSERT(onward->goal_count > 0);
    const cairn_vec2 goal_m = onward->goals_m[onward->goal_count - 1];
    const int32_t reach = (int32_t)(ANSWERED_M / CELL_M);
    for (int32_t y = -reach; y <= reach; y++) {
        for (int32_t x = -reach; x <= reach; x++) {
            if (is_end(navigator, (cairn_vec2){goal_m.x + x * CELL_M, goal_m.y + y * CELL_M})) { return false; }
        }
    }
    return true;
}
