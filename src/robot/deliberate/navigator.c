#include "robot/deliberate/navigator.h"
#include "planning/reach.h"
#include "robot/behaviour/avoid.h"
#include <string.h>

#define WINDOW_CELLS 128
#define WINDOW_CELL_M 0.1
#define TARGET_AHEAD_M 4.5 // how far along the way of the task a path is planned; the window reaches 6.4 m
#define OPEN_M 0.5         // around the robot nothing but obstacles is closed: it got there, and must get away
#define TUBE_M 1.0         // unknown ground this near to the task's way may be entered
#define VIA_REACHED_M 0.7
#define GOAL_SLACK_M 0.6       // a goal too close to something is replaced by a place this near to it
#define HULL_MARGIN_M 0.06     // between hull and obstacle on a path; more is safer, less gets through doors
#define FENCE_MARGIN_M 0.06    // between hull and border, however it turns. More: guards stop it less often at borders
#define TEAMMATE_RADIUS_M 0.62 // half a robot, half of ourselves, and room to pass
#define TEAMMATE_AGE_NS_MAX CAIRN_S(3)
#define TEAMMATE_AHEAD_NS_MAX CAIRN_S(1) // it is believed to keep its speed for this long
#define TEAMMATE_MARGIN_M 0.06           // around its hull: where it may be other than it says
#define TEAMMATE_STRAY_MPS 0.2           // and for each second since: it may have turned or sped up
#define TEAMMATE_STRAY_M_MAX 0.12        // more keeps robots from passing each other
#define TEAMMATE_HIDE_M 0.45             // what the laser sees this near to a team-mate is the team-mate
#define TEAMMATE_SLOW_M 1.8              // nearer to one than this the robot goes slowly
#define TEAMMATE_WARY_S 2.0 // nearer than the way of so long beyond that, it is no faster than WARY_MPS: words are old
#define WARY_MPS 0.5
#define NEAR_TEAMMATE_MPS 0.25
#define FAILED_PLANS_MAX 5
#define GHOST_M 2.5           // so near, what may have been a team-mate in a door is forgotten
#define FORGET_PLANS 40       // that fail between two times that the memory is given up: some 20 s
#define REFUSED_WAYS_MAX 6    // of one plan. More: it finds the way round sooner, and a plan may take longer
#define BEFORE_REFUSED_M 0.45 // a way that is refused to the end is followed up to this much before the place
#define BLOCKED_S_MAX 5.0
// Without a task for so long it doubts what its memory says of the ground: longer than the last maps count, so that
// these have proved wrong by then. Smaller: kerbs behind it are forgotten while it waits.
#define IDLE_NS CAIRN_S(20)
#define SHUT_IN_S 20.0 // held by avoidance for so long, longer than terrain maps last, it doubts what it remembers
#define BACK_OUT_M 0.9
#define BACK_OUT_MPS 0.09 // it sees little behind it: what it touches, it touches slowly
#define ROCK_M 0.3        // to each side of where it got stuck
#define ROCK_MPS 0.15
#define TURN_RAD 0.35        // likewise
#define SWAP_NS CAIRN_S(2)   // to one side, then to the other
#define SHUN_NS CAIRN_S(120) // so long a place where it got stuck again is no way
#define SHUN_RADIUS_M 0.3
#define SHUN_NEAR_M 0.5        // nearer to it, it is let out
#define SLIPPING_MPS 0.2       // of who sees no drop that is new while it slips. Less: ice takes longer
#define NEAR_CELLS 44          // edge of the square around the robot, 2.2 m, whose obstacles are told to avoidance
#define NEAR_AGE_S 8.0         // younger than the map's memory: ghosts of robots that passed must not linger
#define REMEMBER_NS CAIRN_S(2) // the local map keeps for 15 s what is taken over into the long memory
#define REMEMBER_M 6.0
#define TRAIL_SPACING_M 0.25
#define SCRATCH_BYTES (2u << 20)

cairn_err cairn_navigator_init(cairn_navigator *navigator, const cairn_body_description *description,
                               cairn_arena *arena)
{
    *navigator = (cairn_navigator){.description = description, .cruise_mps = cairn_avoid_speed_mps_max(description)};
    cairn_trail_init(&navigator->trail, TRAIL_SPACING_M);
    const cairn_memory_grid_def def = cairn_memory_grid_def_default();
    const cairn_err err = cairn_memory_grid_create(&def, arena, &navigator->memory);
    if (err != CAIRN_OK) { return err; }
    void *block = cairn_arena_take(arena, 1, SCRATCH_BYTES);
    if (block == NULL) { return CAIRN_ERR_FULL; }
    cairn_arena_init(&navigator->scratch, block, SCRATCH_BYTES);
    return CAIRN_OK;
}

void cairn_navigator_give(cairn_navigator *navigator, const cairn_robot_task *task)
{
    navigator->task = *task;
    navigator->task_state = task->id == 0 ? CAIRN_TASK_NONE : CAIRN_TASK_UNDER_WAY;
    navigator->via_at = navigator->target_at = 0;
    navigator->failed_plan_count = 0;
    navigator->boxed_until = (cairn_mono){0};
    navigator->path_ends_task = false;
}

void cairn_navigator_remember(cairn_navigator *navigator, const cairn_tracker *tracker, cairn_mono now)
{
    const cairn_vec2 at_m = cairn_pose2_at(tracker->private_T_base);
    if (navigator->path.backwards) {
        cairn_trail_back(&navigator->trail, at_m);
    } else {
        cairn_trail_add(&navigator->trail, at_m);
    }
    if (navigator->remembered.ns > 0 && cairn_mono_since(now, navigator->remembered) < REMEMBER_NS) { return; }
    navigator->remembered = now;
    cairn_memory_grid_add(navigator->memory, tracker->grid, at_m, REMEMBER_M, now);
}

// Where a team-mate is now, if it has been heard of lately.
static bool teammate_now(const cairn_teammate *mate, cairn_mono now, cairn_pose2 *ret_private_T_mate)
{
    const int64_t age_ns = cairn_mono_since(now, mate->at);
    if (age_ns > TEAMMATE_AGE_NS_MAX) { return false; }
    const double ahead_s = cairn_seconds(age_ns < TEAMMATE_AHEAD_NS_MAX ? age_ns : TEAMMATE_AHEAD_NS_MAX);
    *ret_private_T_mate = cairn_pose2_compose(mate->private_T_base, (cairn_pose2){mate->forward_mps * ahead_s, 0, 0});
    return true;
}

static double near_teammates_mps(const cairn_navigator *navigator, cairn_vec2 at_m, cairn_mono now)
{
    const double wary_m = TEAMMATE_SLOW_M + TEAMMATE_WARY_S * navigator->cruise_mps;
    double mps = navigator->cruise_mps;
    for (uint32_t i = 0; i < navigator->teammates.count; i++) {
        cairn_pose2 mate;
        if (!teammate_now(&navigator->teammates.mates[i], now, &mate)) { continue; }
        const double away_m = cairn_vec2_distance(cairn_pose2_at(mate), at_m);
        if (away_m < wary_m) { mps = fmin(mps, WARY_MPS); }
        if (away_m < TEAMMATE_SLOW_M) { mps = fmin(mps, NEAR_TEAMMATE_MPS); }
    }
    return mps;
}

// Passes the via-points that are reached, or that the robot is already beyond. Those before the target too, once that
// is reached: the path there may have cut their corner.
static void advance(cairn_navigator *navigator, cairn_vec2 at_m)
{
    const cairn_robot_task *task = &navigator->task;
    if (navigator->target_at > navigator->via_at &&
        cairn_vec2_distance(at_m, task->via_m[navigator->target_at]) < VIA_REACHED_M) {
        navigator->via_at = navigator->target_at;
    }
    while (navigator->via_at + 1 < task->via_count) {
        const cairn_vec2 via = task->via_m[navigator->via_at], next = task->via_m[navigator->via_at + 1];
        const bool beyond = cairn_vec2_dot(cairn_vec2_sub(next, via), cairn_vec2_sub(at_m, via)) > 0 &&
                            cairn_vec2_distance(at_m, via) < 1.5;
        if (cairn_vec2_distance(at_m, via) > VIA_REACHED_M && !beyond) { return; }
        navigator->via_at++;
    }
}

// The last via-point within TARGET_AHEAD_M along the task's way. As the crow flies it may be nearer, behind a wall: the
// window must hold the way to it, not only its place.
//
// Once chosen, a target is only given up for a later one: of two ways round an obstacle the nearer via-point may prefer
// the one and the farther one the other, and the robot would turn back and forth between them.
static uint32_t target_via(cairn_navigator *navigator, cairn_vec2 at_m)
{
    const cairn_vec2 *via_m = navigator->task.via_m;
    uint32_t target = navigator->via_at;
    double along_m = cairn_vec2_distance(at_m, via_m[target]);
    while (target + 1 < navigator->task.via_count) {
        along_m += cairn_vec2_distance(via_m[target], via_m[target + 1]);
        if (along_m > TARGET_AHEAD_M) { break; }
        target++;
    }
    const cairn_vec2 off = cairn_vec2_sub(via_m[navigator->target_at], at_m);
    const bool in_window = fmax(fabs(off.x), fabs(off.y)) < 0.5 * WINDOW_CELLS * WINDOW_CELL_M - GOAL_SLACK_M;
    if (target > navigator->target_at || !in_window) { navigator->target_at = target; }
    return navigator->target_at;
}

// Marks the cells within TUBE_M of the task's way up to the target.
static void mark_tube(const cairn_navigator *navigator, cairn_vec2 at_m, uint32_t target, cairn_vec2 corner_m,
                      uint8_t *tube)
{
    const int32_t reach = (int32_t)(TUBE_M / WINDOW_CELL_M);
    cairn_vec2 from_m = at_m;
    for (uint32_t via = navigator->via_at; via <= target; via++) {
        const cairn_vec2 to_m = navigator->task.via_m[via];
        const uint32_t steps = 1 + (uint32_t)(cairn_vec2_distance(from_m, to_m) / (2 * WINDOW_CELL_M));
        for (uint32_t step = 0; step <= steps; step++) {
            const double part = (double)step / steps;
            const int32_t x = (int32_t)floor((from_m.x + part * (to_m.x - from_m.x) - corner_m.x) / WINDOW_CELL_M);
            const int32_t y = (int32_t)floor((from_m.y + part * (to_m.y - from_m.y) - corner_m.y) / WINDOW_CELL_M);
            const int32_t y0 = y > reach ? y - reach : 0, y1 = y + reach < WINDOW_CELLS ? y + reach : WINDOW_CELLS - 1;
            const int32_t x0 = x > reach ? x - reach : 0, x1 = x + reach < WINDOW_CELLS ? x + reach : WINDOW_CELLS - 1;
            for (int32_t row = y0; row <= y1 && x0 <= x1; row++) {
                memset(tube + row * WINDOW_CELLS + x0, 1, (size_t)x1 - (size_t)x0 + 1);
            }
        }
        from_m = to_m;
    }
}

// Of four fine cells: an obstacle if any is, free if most are known.
static cairn_ground ground_of_four(const uint8_t *fine)
{
    const uint8_t four[] = {fine[0], fine[1], fine[2 * WINDOW_CELLS], fine[2 * WINDOW_CELLS + 1]};
    uint32_t known = 0;
    for (int i = 0; i < 4; i++) {
        if (four[i] == CAIRN_GROUND_OBSTACLE) { return CAIRN_GROUND_OBSTACLE; }
        known += four[i] == CAIRN_GROUND_FREE;
    }
    return known > 2 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}

// What is known of the window. Ground that this robot does not know may be entered only along the task's way, which the
// station knows; anywhere else it counts as an obstacle, or the robot would set out for ways that are none.
static cairn_err window_ground(cairn_navigator *navigator, const cairn_tracker *tracker, cairn_vec2 corner_m,
                               const uint8_t *tube, cairn_mono now, uint8_t **ret_ground)
{
    uint8_t *ground = CAIRN_TAKE(&navigator->scratch, uint8_t, WINDOW_CELLS * WINDOW_CELLS);
    uint8_t *fine = CAIRN_TAKE(&navigator->scratch, uint8_t, 4 * WINDOW_CELLS * WINDOW_CELLS);
    if (ground == NULL || fine == NULL) { return CAIRN_ERR_FULL; }
    CAIRN_ASSERT(cairn_local_grid_get_def(tracker->grid)->cell_m == 0.5 * WINDOW_CELL_M);
    const double inside_m = 1e-6; // the corner lies on a border of cells: a little beyond it
    cairn_local_grid_read(tracker->grid, (cairn_vec2){corner_m.x + inside_m, corner_m.y + inside_m}, 2 * WINDOW_CELLS,
                          2 * WINDOW_CELLS, now, fine);
    for (uint32_t y = 0; y < WINDOW_CELLS; y++) {
        for (uint32_t x = 0; x < WINDOW_CELLS; x++) {
            const uint32_t cell = y * WINDOW_CELLS + x;
            cairn_ground known = ground_of_four(fine + 4 * (size_t)y * WINDOW_CELLS + 2 * (size_t)x);
            if (known == CAIRN_GROUND_UNKNOWN) {
                const cairn_vec2 at = {corner_m.x + (x + 0.5) * WINDOW_CELL_M, corner_m.y + (y + 0.5) * WINDOW_CELL_M};
                known = cairn_memory_grid_at(navigator->memory, at);
            }
            ground[cell] = (uint8_t)known;
        }
    }
    const cairn_drivability_area window = {corner_m, WINDOW_CELL_M, WINDOW_CELLS, WINDOW_CELLS};
    if (navigator->footing != NULL) { cairn_footing_mark(navigator->footing, &window, ground); }
    for (uint32_t cell = 0; cell < WINDOW_CELLS * WINDOW_CELLS; cell++) {
        if (ground[cell] == CAIRN_GROUND_UNKNOWN && !tube[cell]) { ground[cell] = CAIRN_GROUND_OBSTACLE; }
    }
    *ret_ground = ground;
    return CAIRN_OK;
}

static void close_shunned(const cairn_navigator *navigator, cairn_cost_grid *grid, cairn_vec2 at_m, cairn_mono now)
{
    const uint32_t count = navigator->shunned_count < CAIRN_SHUNNED_MAX ? navigator->shunned_count : CAIRN_SHUNNED_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_shunned_place *place = &navigator->shunned[i];
        const bool near = cairn_vec2_distance(place->at_m, at_m) < SHUN_NEAR_M;
        if (near || cairn_mono_since(now, place->at) > SHUN_NS) { continue; }
        cairn_cost_grid_block_disc(grid, place->at_m, SHUN_RADIUS_M);
    }
}

cairn_err cairn_navigator_close_fences(cairn_navigator *navigator, cairn_vec2 at_m, cairn_cost_grid *grid,
                                       uint8_t *ground)
{
    uint8_t *marks = NULL;
    if (navigator->fences == NULL) { return CAIRN_OK; }
    const cairn_body_description *body = navigator->description;
    const double margin_m = 0.5 * hypot(body->length_m, body->width_m) + FENCE_MARGIN_M;
    const cairn_err err = cairn_fences_mark(navigator->fences, grid, margin_m, &navigator->scratch, &marks);
    if (err == CAIRN_OK) { cairn_fences_close(marks, at_m, grid, ground); }
    return err;
}

static cairn_err window_costs(cairn_navigator *navigator, const cairn_tracker *tracker, cairn_vec2 at_m,
                              uint32_t target, cairn_mono now, cairn_cost_grid *ret_grid)
{
    // Snapped to cells, so that a standing robot plans on the same window again.
    const cairn_vec2 middle = {floor(at_m.x / WINDOW_CELL_M) * WINDOW_CELL_M,
                               floor(at_m.y / WINDOW_CELL_M) * WINDOW_CELL_M};
    uint8_t *ground = NULL, *tube = CAIRN_TAKE(&navigator->scratch, uint8_t, WINDOW_CELLS * WINDOW_CELLS);
    if (tube == NULL) { return CAIRN_ERR_FULL; }
    const double half_m = 0.5 * WINDOW_CELLS * WINDOW_CELL_M;
    const cairn_vec2 corner = {middle.x - half_m, middle.y - half_m};
    mark_tube(navigator, at_m, target, corner, tube);
    cairn_err err = window_ground(navigator, tracker, corner, tube, now, &ground);
    if (err != CAIRN_OK) { return err; }
    cairn_cost_rules rules = cairn_cost_rules_default(0.5 * navigator->description->width_m + HULL_MARGIN_M);
    rules.unknown_cost = (uint8_t)(4 * rules.open_cost);
    err = cairn_cost_grid_create(corner, WINDOW_CELL_M, WINDOW_CELLS, WINDOW_CELLS, ground, &rules, &navigator->scratch,
                                 ret_grid);
    if (err == CAIRN_OK) { err = cairn_navigator_close_fences(navigator, at_m, ret_grid, NULL); }
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < navigator->teammates.count; i++) {
        cairn_pose2 mate;
        if (!teammate_now(&navigator->teammates.mates[i], now, &mate)) { continue; }
        cairn_cost_grid_block_disc(ret_grid, cairn_pose2_at(mate), TEAMMATE_RADIUS_M);
    }
    cairn_cost_grid_open_disc(ret_grid, at_m, OPEN_M, rules.near_cost);
    if (navigator->footing != NULL) { cairn_standing_close(&navigator->footing->standing, ret_grid, at_m, now); }
    close_shunned(navigator, ret_grid, at_m, now);
    return CAIRN_OK;
}

// The reached cell nearest to where we want to be, within GOAL_SLACK_M; ties go to the cheaper one.
static bool nearest_reached(const cairn_reach *reach, cairn_vec2 want_m, uint32_t *ret_cell)
{
    const cairn_cost_grid *grid = reach->grid;
    const int32_t slack = (int32_t)(GOAL_SLACK_M / grid->cell_m) + 1;
    const int32_t middle_x = (int32_t)floor((want_m.x - grid->origin_m.x) / grid->cell_m);
    const int32_t middle_y = (int32_t)floor((want_m.y - grid->origin_m.y) / grid->cell_m);
    double best_m = GOAL_SLACK_M;
    bool found = false;
    for (int32_t y = middle_y - slack; y <= middle_y + slack; y++) {
        for (int32_t x = middle_x - slack; x <= middle_x + slack; x++) {
            if (x < 0 || y < 0 || x >= (int32_t)grid->width || y >= (int32_t)grid->height) { continue; }
            const uint32_t cell = (uint32_t)y * grid->width + (uint32_t)x;
            if (reach->price[cell] == CAIRN_REACH_NEVER) { continue; }
            const double away_m = cairn_vec2_distance(cairn_cost_grid_centre_of(grid, cell), want_m);
            if (away_m < best_m || (found && away_m <= best_m && reach->price[cell] < reach->price[*ret_cell])) {
                best_m = away_m;
                *ret_cell = cell;
                found = true;
            }
        }
    }
    return found;
}

// Searches only as far as the goal where that can be stood on; otherwise everywhere, for the nearest place to it.
static cairn_err search(cairn_navigator *navigator, const cairn_cost_grid *grid, cairn_vec2 at_m, cairn_vec2 goal_m,
                        cairn_reach *ret_reach, uint32_t *ret_goal_cell)
{
    cairn_arena *scratch = &navigator->scratch;
    if (cairn_cost_grid_cell_of(grid, goal_m, ret_goal_cell) && grid->cost[*ret_goal_cell] != CAIRN_COST_BLOCKED) {
        const cairn_err err =
            cairn_reach_compute_to(grid, at_m, *ret_goal_cell, UINT32_MAX, scratch, scratch, ret_reach);
        if (err != CAIRN_OK || ret_reach->price[*ret_goal_cell] != CAIRN_REACH_NEVER) { return err; }
        // Without a price the whole window has been searched.
    } else {
        const cairn_err err = cairn_reach_compute(grid, at_m, UINT32_MAX, scratch, scratch, ret_reach);
        if (err != CAIRN_OK) { return err; }
    }
    return nearest_reached(ret_reach, goal_m, ret_goal_cell) ? CAIRN_OK : CAIRN_ERR_NOT_FOUND;
}

// A way, and how it may be gone.
typedef struct planned {
    cairn_way way;
    double speed_mps_max;
    bool at_end; // it leads to the end of the task
} planned;

static void path_from_way(cairn_navigator *navigator, const planned *plan, cairn_pose2 odom_T_private, cairn_mono now)
{
    const cairn_way *way = &plan->way;
    cairn_path *path = &navigator->path;
    *path =
        (cairn_path){.issued = now,
                     .speed_mps_max = fmin(plan->speed_mps_max, near_teammates_mps(navigator, way->points_m[0], now))};
    cairn_vec2 points[CAIRN_PATH_POINTS_MAX];
    path->point_count = cairn_way_resample(way, 0.15, points, CAIRN_PATH_POINTS_MAX);
    if (path->point_count == 0) { points[path->point_count++] = way->points_m[0]; } // there already, perhaps to turn
    for (uint32_t i = 0; i < path->point_count; i++) {
        path->points_m[i] = cairn_pose2_apply(odom_T_private, points[i]);
    }
    path->face_at_end = plan->at_end && navigator->task.face_at_end;
    path->end_yaw_rad = cairn_angle_wrap(navigator->task.end_yaw_rad + odom_T_private.yaw_rad);
    navigator->path_ends_task = plan->at_end;
}

// The cheapest way on these prices.
static cairn_err find_way(cairn_navigator *navigator, const cairn_cost_grid *grid, cairn_vec2 at_m, cairn_vec2 goal_m,
                          cairn_way *ret_way)
{
    cairn_reach reach;
    uint32_t goal_cell = 0;
    cairn_err err = search(navigator, grid, at_m, goal_m, &reach, &goal_cell);
    if (err == CAIRN_OK) { err = cairn_reach_way(&reach, goal_cell, &navigator->scratch, ret_way); }
    if (err == CAIRN_OK) { cairn_way_smooth(grid, ret_way); }
    return err;
}

// The cheapest way along which the robot would not lean too far: places where it would are closed, and another way is
// looked for. When the tries are used up it goes as far as it can stand; the next plan knows more.
static cairn_err find_way_to_stand(cairn_navigator *navigator, cairn_cost_grid *grid, cairn_vec2 at_m,
                                   cairn_vec2 goal_m, cairn_mono now, planned *plan)
{
    cairn_standing *standing = navigator->footing != NULL ? &navigator->footing->standing : NULL;
    const size_t mark = cairn_arena_mark(&navigator->scratch);
    for (int tries = 0;; tries++) {
        const cairn_err err = find_way(navigator, grid, at_m, goal_m, &plan->way);
        if (err != CAIRN_OK || standing == NULL) { return err; }
        const cairn_way_stands stands = cairn_standing_along(standing, &plan->way);
        plan->speed_mps_max = cairn_standing_speed_mps(standing, stands.risk_near, navigator->cruise_mps);
        if (!stands.refused) { return CAIRN_OK; }
        cairn_standing_refuse(standing, stands.refused_m, now);
        if (tries == REFUSED_WAYS_MAX) {
            plan->at_end = false;
            cairn_way_cut(&plan->way, stands.refused_along_m - BEFORE_REFUSED_M);
            return plan->way.point_count > 1 ? CAIRN_OK : CAIRN_ERR_NOT_FOUND;
        }
        cairn_standing_close_place(grid, stands.refused_m);
        cairn_arena_reset(&navigator->scratch, mark);
    }
}

// While a robot slips no terrain map is made (footing.h): what it comes upon, it comes upon slowly.
static double slipping_mps(const cairn_navigator *navigator, const cairn_tracker *tracker)
{
    const bool looks_for_drops = navigator->footing != NULL && navigator->footing->sees_ground;
    return looks_for_drops && tracker->slip.slips ? SLIPPING_MPS : navigator->cruise_mps;
}

static cairn_err plan(cairn_navigator *navigator, const cairn_tracker *tracker, cairn_vec2 at_m, cairn_mono now)
{
    cairn_arena_reset(&navigator->scratch, 0);
    cairn_cost_grid grid;
    const uint32_t target = target_via(navigator, at_m);
    cairn_err err = window_costs(navigator, tracker, at_m, target, now, &grid);
    if (err != CAIRN_OK) { return err; }
    planned plan = {.speed_mps_max = navigator->cruise_mps, .at_end = target + 1 == navigator->task.via_count};
    err = find_way_to_stand(navigator, &grid, at_m, navigator->task.via_m[target], now, &plan);
    if (err != CAIRN_OK) { return err; }
    plan.speed_mps_max = fmin(plan.speed_mps_max, slipping_mps(navigator, tracker));
    path_from_way(navigator, &plan, cairn_pose2_inverse(tracker->private_T_odom), now);
    return CAIRN_OK;
}

static void forget_path(cairn_navigator *navigator, cairn_mono now)
{
    navigator->path = (cairn_path){.issued = now};
    navigator->path_ends_task = false;
}

void cairn_navigator_drop(cairn_navigator *navigator, cairn_mono now)
{
    cairn_navigator_give(navigator, &(cairn_robot_task){0});
    forget_path(navigator, now);
    cairn_escape_init(&navigator->escape);
}

void cairn_navigator_begin_anew(cairn_navigator *navigator, cairn_mono now)
{
    cairn_navigator_drop(navigator, now);
    cairn_memory_grid_forget_all(navigator->memory);
    cairn_trail_init(&navigator->trail, TRAIL_SPACING_M);
    navigator->teammates.count = 0;
    navigator->shunned_count = 0;
}

// A home task without via-points: the robot's own trail leads back.
static void fill_way_home(cairn_navigator *navigator, cairn_vec2 at_m)
{
    cairn_robot_task *task = &navigator->task;
    if (task->via_count == 0 && task->purpose == CAIRN_PURPOSE_HOME) {
        task->via_count = cairn_trail_home(&navigator->trail, at_m, 0.6, 2.0, task->via_m, CAIRN_VIAS_MAX);
    }
}

// The way back along the trail, rear first: where the robot came in it fits through. False if it has no trail.
static bool path_backwards(cairn_navigator *navigator, cairn_vec2 at_m, cairn_pose2 odom_T_private, cairn_mono now)
{
    const cairn_trail *trail = &navigator->trail;
    cairn_path *path = &navigator->path;
    *path = (cairn_path){.issued = now, .speed_mps_max = BACK_OUT_MPS, .backwards = true};
    navigator->path_ends_task = false;
    cairn_vec2 last_m = at_m;
    double length_m = 0;
    for (uint32_t i = trail->count; i > 0 && length_m < BACK_OUT_M; i--) {
        const cairn_vec2 point = trail->points_m[i - 1];
        if (cairn_vec2_distance(point, last_m) < 0.5 * trail->spacing_m) { continue; }
        length_m += cairn_vec2_distance(point, last_m);
        last_m = point;
        path->points_m[path->point_count++] = cairn_pose2_apply(odom_T_private, point);
    }
    return path->point_count > 0;
}

// To one side and the other of where the manoeuvre began, by turns.
static bool path_to_and_fro(cairn_navigator *navigator, cairn_pose2 odom_T_base, cairn_mono now)
{
    const bool turns = navigator->escape.manoeuvre == CAIRN_MANOEUVRE_TURN;
    if (navigator->anchored.ns != navigator->escape.since.ns) {
        navigator->anchored = navigator->escape.since;
        navigator->odom_T_anchor = odom_T_base;
    }
    const bool other = cairn_mono_since(now, navigator->escape.since) / SWAP_NS % 2 != 0;
    cairn_path *path = &navigator->path;
    *path = (cairn_path){.issued = now, .speed_mps_max = ROCK_MPS, .point_count = 1};
    navigator->path_ends_task = false;
    if (turns) {
        path->points_m[0] = cairn_pose2_at(odom_T_base);
        path->face_at_end = true;
        path->end_yaw_rad = cairn_angle_wrap(navigator->odom_T_anchor.yaw_rad + (other ? -TURN_RAD : TURN_RAD));
    } else {
        path->points_m[0] = cairn_pose2_apply(navigator->odom_T_anchor, (cairn_vec2){other ? -ROCK_M : ROCK_M, 0});
        path->backwards = other;
    }
    return true;
}

// What the robot does to get free, as a path. False: nothing now, or it cannot be done: it goes on with its task.
static bool path_of_manoeuvre(cairn_navigator *navigator, const cairn_tracker *tracker, const cairn_reflex_state *state,
                              cairn_vec2 at_m, cairn_mono now)
{
    switch (navigator->escape.manoeuvre) {
    case CAIRN_MANOEUVRE_NONE: return false;
    case CAIRN_MANOEUVRE_STAND: forget_path(navigator, now); return true;
    case CAIRN_MANOEUVRE_BACK:
        if (path_backwards(navigator, at_m, cairn_pose2_inverse(tracker->private_T_odom), now)) { return true; }
        if (navigator->escape.trouble == CAIRN_CONDITION_WELL) { return false; }
        forget_path(navigator, now);
        return true;
    case CAIRN_MANOEUVRE_ROCK:
    case CAIRN_MANOEUVRE_TURN: return path_to_and_fro(navigator, state->odom_T_base, now);
    }
    return false;
}

// Stuck for the second time here: what lies before it is no way, for a while.
static void shun(cairn_navigator *navigator, cairn_pose2 private_T_base, cairn_mono now)
{
    const double ahead_m = 0.5 * navigator->description->length_m + SHUN_RADIUS_M;
    navigator->shunned[navigator->shunned_count++ % CAIRN_SHUNNED_MAX] =
        (cairn_shunned_place){cairn_pose2_apply(private_T_base, (cairn_vec2){ahead_m, 0}), now};
}

static bool is_active(const cairn_navigator *navigator)
{
    return navigator->task_state == CAIRN_TASK_UNDER_WAY || navigator->task_state == CAIRN_TASK_BLOCKED ||
           navigator->task_state == CAIRN_TASK_NO_WAY;
}

static void step_escape(cairn_navigator *navigator, const cairn_tracker *tracker, const cairn_reflex_state *state,
                        double held_s, bool arrived, cairn_mono now)
{
    const cairn_pose2 private_T_base = cairn_tracker_pose(tracker, state);
    const cairn_escape_input input = {.condition = navigator->condition,
                                      .held_s = navigator->path.backwards ? 0 : held_s, // one plan between two
                                      .at_work = is_active(navigator),
                                      .may_move = navigator->may_move,
                                      .by_hand = navigator->by_hand,
                                      .arrived = arrived,
                                      .lost = navigator->lost,
                                      .at_m = cairn_pose2_at(private_T_base),
                                      .order = navigator->order};
    const uint32_t tries_before = navigator->escape.tries_count;
    cairn_escape_step(&navigator->escape, &input, now);
    const bool again = navigator->escape.tries_count > tries_before && navigator->escape.tries_count == 2;
    if (again && cairn_condition_is_stuck(navigator->escape.trouble)) { shun(navigator, private_T_base, now); }
}

bool cairn_navigator_heed_condition(cairn_navigator *navigator, const cairn_tracker *tracker,
                                    const cairn_reflex_state *state, cairn_mono now)
{
    const uint32_t tries_before = navigator->escape.tries_count;
    const cairn_escape before = navigator->escape.escape;
    step_escape(navigator, tracker, state, 0, false, now);
    const bool began = navigator->escape.tries_count > tries_before || navigator->escape.escape > before;
    if (began) { forget_path(navigator, now); }
    return began;
}

// True while a robot without a way stands until the terrain maps that may shut it in are forgotten: one that was laid
// down wrongly puts walls where there are none, and there is nothing clever to do about it (maps/drivability.h). Then
// the memory is given up, too, as far as its plans reach, and again from time to time: it came here, so what shuts the
// way may never have been there, or was a team-mate that nobody told it of; it sees what is there again on the way.
static bool waits(cairn_navigator *navigator, cairn_vec2 at_m, cairn_mono now)
{
    cairn_footing *footing = navigator->footing;
    if (footing == NULL) { return false; }
    if (navigator->boxed_until.ns == 0) {
        navigator->boxed_until = cairn_mono_add(now, cairn_footing_wait_ns(footing, at_m));
        return true;
    }
    const bool over = now.ns >= navigator->boxed_until.ns;
    if (over && navigator->failed_plan_count % FORGET_PLANS == 0) {
        cairn_footing_forget(footing, at_m, 0.5 * WINDOW_CELLS * WINDOW_CELL_M);
        // The laser's own memory goes last: of what is behind the robot it has nothing better.
        if (navigator->failed_plan_count > 0) { cairn_memory_grid_forget(navigator->memory, at_m, GHOST_M); }
    }
    return !over;
}

// Who may go and is sent nowhere may be shut in by what it has told the station: from time to time it gives up what
// only its memory says of the ground about it, and tells what it sees.
static void doubt_idly(cairn_navigator *navigator, cairn_vec2 at_m, bool may_move, cairn_mono now)
{
    if (!may_move) { navigator->idle_since = now; }
    if (navigator->footing == NULL || cairn_mono_since(now, navigator->idle_since) < IDLE_NS) { return; }
    cairn_footing_forget_near(navigator->footing, at_m);
    navigator->idle_since = now;
}

void cairn_navigator_step(cairn_navigator *navigator, const cairn_tracker *tracker, const cairn_reflex_state *state,
                          const cairn_behaviour_state *behaviour, bool may_move, cairn_mono now)
{
    const cairn_vec2 at_m = cairn_pose2_at(cairn_tracker_pose(tracker, state));
    const bool arrived = behaviour->arrived && behaviour->path_issued.ns == navigator->path.issued.ns;
    if (navigator->path_ends_task && arrived) { navigator->task_state = CAIRN_TASK_DONE; }
    const bool active = is_active(navigator);
    navigator->may_move = may_move;
    if (active) { fill_way_home(navigator, at_m); }
    if (active && navigator->task.via_count == 0) { navigator->task_state = CAIRN_TASK_DONE; } // sent nowhere
    const double held_s = fmax(behaviour->blocked_s, tracker->slip.spin_s); // the second by nothing that it remembers
    const bool out = arrived && !navigator->path_ends_task && navigator->path.backwards;
    step_escape(navigator, tracker, state, held_s, out, now);
    if (!active || !may_move || navigator->task.via_count == 0) {
        forget_path(navigator, now);
        doubt_idly(navigator, at_m, may_move, now);
        return;
    }
    navigator->idle_since = now;
    if (behaviour->blocked_s > SHUT_IN_S && navigator->footing != NULL) {
        cairn_footing_forget_near(navigator->footing, at_m);
    }
    const cairn_task_state held = held_s > BLOCKED_S_MAX ? CAIRN_TASK_BLOCKED : CAIRN_TASK_UNDER_WAY;
    if (path_of_manoeuvre(navigator, tracker, state, at_m, now)) {
        navigator->task_state = held;
        return;
    }
    advance(navigator, at_m);
    if (plan(navigator, tracker, at_m, now) == CAIRN_OK) {
        navigator->failed_plan_count = 0;
        navigator->boxed_until = (cairn_mono){0};
        navigator->task_state = held;
        return;
    }
    forget_path(navigator, now);
    if (waits(navigator, at_m, now)) {
        navigator->task_state = held;
    } else if (++navigator->failed_plan_count >= FAILED_PLANS_MAX) {
        navigator->task_state = CAIRN_TASK_NO_WAY;
        // It came here, so there was a way: what it ran into may have been a team-mate that nobody told it of, and
        // heights may be wrong.
        if (navigator->footing != NULL) {
            navigator->footing->touches.count = 0;
            navigator->footing->standing.refused_count = 0;
        }
    }
}

static void add_near(cairn_near_obstacles *near, cairn_pose2 odom_T_private, cairn_vec2 at_m)
{
    if (near->point_count == CAIRN_NEAR_POINTS_MAX) { return; }
    const cairn_vec2 in_odom = cairn_pose2_apply(odom_T_private, at_m);
    near->x_m[near->point_count] = (float)in_odom.x;
    near->y_m[near->point_count++] = (float)in_odom.y;
}

// The outline of a hull like ours, six points a side.
static void add_outline(const cairn_body_description *body, double margin_m, cairn_pose2 private_T_mate,
                        cairn_pose2 odom_T_private, cairn_near_obstacles *near)
{
    const double x_m = 0.5 * body->length_m + margin_m, y_m = 0.5 * body->width_m + margin_m;
    for (int i = 0; i < 6; i++) {
        const double part = -1.0 + i / 2.5; // -1 .. 1
        const cairn_vec2 outline[] = {{part * x_m, y_m}, {part * x_m, -y_m}, {x_m, part * y_m}, {-x_m, part * y_m}};
        for (int side = 0; side < 4; side++) {
            add_near(near, odom_T_private, cairn_pose2_apply(private_T_mate, outline[side]));
        }
    }
}

void cairn_navigator_near_obstacles(const cairn_navigator *navigator, const cairn_tracker *tracker,
                                    const cairn_reflex_state *state, cairn_mono now, cairn_near_obstacles *ret_near)
{
    const cairn_local_grid_def *def = cairn_local_grid_get_def(tracker->grid);
    const cairn_vec2 at_m = cairn_pose2_at(cairn_tracker_pose(tracker, state));
    const cairn_pose2 odom_T_private = cairn_pose2_inverse(tracker->private_T_odom);
    ret_near->issued = now;
    ret_near->point_count = 0;
    for (uint32_t i = 0; i < navigator->teammates.count; i++) {
        cairn_pose2 mate;
        if (!teammate_now(&navigator->teammates.mates[i], now, &mate) ||
            cairn_vec2_distance(cairn_pose2_at(mate), at_m) > TEAMMATE_SLOW_M) {
            continue;
        }
        const double age_s = cairn_seconds(cairn_mono_since(now, navigator->teammates.mates[i].at));
        const double margin_m = TEAMMATE_MARGIN_M + fmin(TEAMMATE_STRAY_MPS * age_s, TEAMMATE_STRAY_M_MAX);
        add_outline(navigator->description, margin_m, mate, odom_T_private, ret_near);
    }
    if (navigator->footing != NULL) { cairn_footing_near(navigator->footing, tracker, at_m, now, ret_near); }
    ret_near->hull_count = ret_near->point_count;
    // Asking as of a later time leaves only what is younger than NEAR_AGE_S.
    const cairn_mono as_of = cairn_mono_add(now, cairn_ns_from_seconds(def->memory_s - NEAR_AGE_S));
    uint8_t ground[NEAR_CELLS * NEAR_CELLS];
    const cairn_vec2 corner = {(floor(at_m.x / def->cell_m) - 0.5 * NEAR_CELLS) * def->cell_m,
                               (floor(at_m.y / def->cell_m) - 0.5 * NEAR_CELLS) * def->cell_m};
    const cairn_vec2 inside = {corner.x + 0.5 * def->cell_m, corner.y + 0.5 * def->cell_m};
    cairn_local_grid_read(tracker->grid, inside, NEAR_CELLS, NEAR_CELLS, as_of, ground);
    for (uint32_t i = 0; i < NEAR_CELLS * NEAR_CELLS; i++) {
        if (ground[i] != CAIRN_GROUND_OBSTACLE) { continue; }
        const uint32_t x = i % NEAR_CELLS, y = i / NEAR_CELLS;
        add_near(ret_near, odom_T_private, (cairn_vec2){inside.x + x * def->cell_m, inside.y + y * def->cell_m});
    }
}

cairn_moving_things cairn_navigator_moving_things(const cairn_navigator *navigator, cairn_mono now)
{
    cairn_moving_things moving = {.radius_m = TEAMMATE_HIDE_M};
    for (uint32_t i = 0; i < navigator->teammates.count; i++) {
        cairn_pose2 mate;
        if (!teammate_now(&navigator->teammates.mates[i], now, &mate)) { continue; }
        moving.at_m[moving.count++] = cairn_pose2_at(mate);
    }
    return moving;
}
