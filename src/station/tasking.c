// Every choice is made on a window of the raster: the known part and a margin. One search over it prices all frontiers
// and lookouts for one robot at once.
#include "station/tasking.h"
#include "messages/units.h"
#include "planning/frontier.h"
#include "robot/modes.h"
#include "robot/tasks.h"
#include <string.h>

#define SCRATCH_BYTES (64u << 20)
#define WINDOW_MARGIN_CELLS 8
#define FRONTIERS_MAX 64
#define LOOKOUTS_MAX 64
#define STANDOFF_M 1.5
#define VIA_SPACING_M 1.5
#define HEARD_NS_MAX CAIRN_S(3) // a robot silent for longer gets no new task
#define STUCK_NS CAIRN_S(15)    // no progress for this long: another goal
#define PROGRESS_M 0.3
#define FAILED_HERE_MAX 2       // tasks that may fail in one place before the robot is taken to be the cause
#define REST_NS CAIRN_S(10)     // what holds it may go away
#define GIVEN_UP_COUNT 8        // failures in one place after which nobody waits for the robot
#define TASK_NS_MIN CAIRN_S(20) // a task takes no longer than this, and its way at the slowest speed on average
#define SLOWEST_MPS 0.2
#define OPEN_M 0.5 // around a robot nothing but obstacles is closed: it got there, and must get away
#define TEAMMATE_RADIUS_M 0.55
#define AVOID_M 0.6          // goals this near to one that failed are left alone too
#define AVOID_NS CAIRN_S(8)  // the first time; twice as long at each further failure
#define FAILURES_MAX 4       // then it is given up
#define TAKE_OVER_PERCENT 60 // a free robot takes another's goal over if its own way is this much of the other's
#define LOOK_PRICE_PART 3    // looking costs half as much again as exploring: new ground first
#define LOOK_PRICE_WHOLE 2
#define TURN_PRICE 120 // what stopping and turning is worth, in prices of open straight steps

typedef struct window {
    uint32_t x0, y0, width, height;
    uint8_t *ground, *searched;
    cairn_cost_grid grid;
    cairn_reach reach;  // everywhere that the robot can go
    cairn_reach stands; // the same, less the places too tight to turn round in
} window;

typedef struct choice {
    bool found;
    uint32_t price;
    uint32_t cell;
    uint8_t purpose;
    bool face;
    double yaw_rad;
    cairn_vec2 target_m;
    cairn_fleet_robot *taken_by; // NULL: nobody
} choice;

typedef struct choices {
    choice free, taken;
} choices;

cairn_tasking_def cairn_tasking_def_default(void)
{
    return (cairn_tasking_def){.robot_radius_m = 0.30,
                               .turn_radius_m = 0.42,
                               .thermal = {.field_rad = 1.05, .range_m_min = 0.0, .range_m_max = 3.5},
                               .look = {.field_rad = 1.05, .range_m_min = 0.3, .range_m_max = 3.0},
                               .apart_m = 1.5,
                               .frontier_cells_min = 4,
                               .unseen_cells_min = 5};
}

cairn_err cairn_tasking_init(cairn_tasking *tasking, const cairn_tasking_def *def, cairn_arena *arena)
{
    *tasking = (cairn_tasking){.def = *def};
    void *block = cairn_arena_take(arena, 1, SCRATCH_BYTES);
    if (block == NULL) { return CAIRN_ERR_FULL; }
    cairn_arena_init(&tasking->scratch, block, SCRATCH_BYTES);
    return CAIRN_OK;
}

static cairn_avoided *avoided_near(cairn_tasking *tasking, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < tasking->avoided_count; i++) {
        if (cairn_vec2_distance(tasking->avoided[i].at_m, at_m) < AVOID_M) { return &tasking->avoided[i]; }
    }
    return NULL;
}

// Left alone at present; counted as work still to be done unless it has been tried often enough.
static bool is_avoided(cairn_tasking *tasking, cairn_vec2 at_m, cairn_mono now)
{
    const cairn_avoided *avoided = avoided_near(tasking, at_m);
    if (avoided == NULL || now.ns >= avoided->until.ns) { return false; }
    if (avoided->failure_count < FAILURES_MAX) { tasking->waiting_count++; }
    return true;
}

static void avoid(cairn_tasking *tasking, cairn_vec2 at_m, cairn_mono now)
{
    cairn_avoided *avoided = avoided_near(tasking, at_m);
    if (avoided == NULL) {
        avoided = &tasking->avoided[0];
        if (tasking->avoided_count < CAIRN_AVOIDED_MAX) {
            avoided = &tasking->avoided[tasking->avoided_count++];
        } else {
            for (uint32_t i = 1; i < CAIRN_AVOIDED_MAX; i++) {
                if (tasking->avoided[i].until.ns < avoided->until.ns) { avoided = &tasking->avoided[i]; }
            }
        }
        *avoided = (cairn_avoided){.at_m = at_m};
    }
    avoided->failure_count++;
    avoided->until = avoided->failure_count >= FAILURES_MAX
                         ? (cairn_mono){INT64_MAX}
                         : cairn_mono_add(now, AVOID_NS << (avoided->failure_count - 1));
}

static bool known_window(const cairn_raster *raster, window *w)
{
    if (raster->x_max < raster->x_min) { return false; }
    w->x0 = raster->x_min > WINDOW_MARGIN_CELLS ? raster->x_min - WINDOW_MARGIN_CELLS : 0;
    w->y0 = raster->y_min > WINDOW_MARGIN_CELLS ? raster->y_min - WINDOW_MARGIN_CELLS : 0;
    const uint32_t x1 = raster->x_max + WINDOW_MARGIN_CELLS, y1 = raster->y_max + WINDOW_MARGIN_CELLS;
    w->width = (x1 < raster->def.width ? x1 + 1 : raster->def.width) - w->x0;
    w->height = (y1 < raster->def.height ? y1 + 1 : raster->def.height) - w->y0;
    return true;
}

static cairn_err copy_window(cairn_tasking *tasking, const cairn_atlas *atlas, window *w)
{
    const cairn_raster *raster = atlas->raster;
    const size_t cells = (size_t)w->width * w->height;
    w->ground = CAIRN_TAKE(&tasking->scratch, uint8_t, cells);
    w->searched = CAIRN_TAKE(&tasking->scratch, uint8_t, cells);
    if (w->ground == NULL || w->searched == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t y = 0; y < w->height; y++) {
        const size_t from = (size_t)(w->y0 + y) * raster->def.width + w->x0, to = (size_t)y * w->width;
        memcpy(w->ground + to, raster->ground + from, w->width);
        memcpy(w->searched + to, atlas->searched + from, w->width);
    }
    return CAIRN_OK;
}

// Prices from this robot to everywhere. With teammates_block, ways through the others are closed.
static cairn_err price_window(cairn_tasking *tasking, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                              const cairn_raster *raster, bool teammates_block, window *w)
{
    const cairn_vec2 corner = {raster->def.origin_m.x + w->x0 * raster->def.cell_m,
                               raster->def.origin_m.y + w->y0 * raster->def.cell_m};
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    cairn_cost_rules rules = cairn_cost_rules_default(tasking->def.robot_radius_m);
    rules.unknown_cost = CAIRN_COST_BLOCKED;
    const cairn_err err = cairn_cost_grid_create(corner, raster->def.cell_m, w->width, w->height, w->ground, &rules,
                                                 &tasking->scratch, &w->grid);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; teammates_block && i < fleet->count; i++) {
        const cairn_fleet_robot *other = &fleet->robots[i];
        if (other != robot && other->heard) {
            cairn_cost_grid_block_disc(&w->grid, cairn_pose2_at(other->map_T_base), TEAMMATE_RADIUS_M);
        }
    }
    cairn_cost_grid_open_disc(&w->grid, at_m, OPEN_M, rules.near_cost);
    return cairn_reach_compute(&w->grid, at_m, UINT32_MAX, &tasking->scratch, &tasking->scratch, &w->reach);
}

static cairn_err find_stands(cairn_tasking *tasking, window *w)
{
    const uint32_t cells = w->width * w->height;
    w->stands = w->reach;
    w->stands.price = CAIRN_TAKE(&tasking->scratch, uint32_t, cells);
    if (w->stands.price == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t cell = 0; cell < cells; cell++) {
        const bool roomy = w->grid.clearance_m[cell] >= (float)tasking->def.turn_radius_m;
        w->stands.price[cell] = roomy ? w->reach.price[cell] : CAIRN_REACH_NEVER;
    }
    return CAIRN_OK;
}

static cairn_err look_at_map(cairn_tasking *tasking, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_atlas *atlas, bool teammates_block, window *w)
{
    cairn_arena_reset(&tasking->scratch, 0);
    *w = (window){0};
    if (!known_window(atlas->raster, w)) { return CAIRN_ERR_EMPTY; }
    cairn_err err = copy_window(tasking, atlas, w);
    if (err == CAIRN_OK) { err = price_window(tasking, fleet, robot, atlas->raster, teammates_block, w); }
    return err == CAIRN_OK ? find_stands(tasking, w) : err;
}

// The robot that is on its way to this target already; NULL if nobody is.
static cairn_fleet_robot *taken_by(const cairn_tasking *tasking, cairn_fleet *fleet, const cairn_fleet_robot *robot,
                                   cairn_vec2 target_m)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        cairn_fleet_robot *other = &fleet->robots[i];
        if (other != robot && other->assignment.task != 0 && other->assignment.purpose != CAIRN_PURPOSE_GO &&
            cairn_vec2_distance(other->assignment.target_m, target_m) < tasking->def.apart_m) {
            return other;
        }
    }
    return NULL;
}

static void consider(choice *best, const choice *candidate)
{
    if (!best->found || candidate->price < best->price) { *best = *candidate; }
}

// Free goals compete by price; of the taken ones the cheapest is remembered, to be taken over perhaps.
static void weigh(const cairn_tasking *tasking, cairn_fleet *fleet, const cairn_fleet_robot *robot, choice *candidate,
                  choices *best)
{
    candidate->taken_by = taken_by(tasking, fleet, robot, candidate->target_m);
    consider(candidate->taken_by == NULL ? &best->free : &best->taken, candidate);
}

static cairn_err consider_frontiers(cairn_tasking *tasking, cairn_fleet *fleet, const cairn_fleet_robot *robot,
                                    const window *w, cairn_mono now, choices *best)
{
    cairn_frontier frontiers[FRONTIERS_MAX];
    uint32_t count = 0;
    const cairn_err err = cairn_frontiers_find(w->ground, &w->stands, tasking->def.frontier_cells_min, STANDOFF_M,
                                               &tasking->scratch, FRONTIERS_MAX, frontiers, &count);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < count; i++) {
        choice candidate = {.found = true,
                            .price = frontiers[i].price,
                            .cell = frontiers[i].nearest_cell,
                            .purpose = CAIRN_PURPOSE_EXPLORE,
                            .target_m = frontiers[i].middle_m};
        if (is_avoided(tasking, candidate.target_m, now)) { continue; }
        weigh(tasking, fleet, robot, &candidate, best);
    }
    return CAIRN_OK;
}

static cairn_err consider_lookouts(cairn_tasking *tasking, cairn_fleet *fleet, const cairn_fleet_robot *robot,
                                   const window *w, cairn_mono now, choices *best)
{
    cairn_lookout lookouts[LOOKOUTS_MAX];
    uint32_t count = 0, hidden = 0;
    const cairn_err err =
        cairn_lookouts_find(w->ground, &w->stands, &tasking->def.look, w->searched, CAIRN_SEARCHED_THERMAL,
                            tasking->def.unseen_cells_min, &tasking->scratch, LOOKOUTS_MAX, lookouts, &count, &hidden);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < count; i++) {
        choice candidate = {.found = true,
                            .price = lookouts[i].price * LOOK_PRICE_PART / LOOK_PRICE_WHOLE + TURN_PRICE,
                            .cell = lookouts[i].cell,
                            .purpose = CAIRN_PURPOSE_LOOK,
                            .face = true,
                            .yaw_rad = lookouts[i].map_T_base.yaw_rad,
                            .target_m = cairn_cost_grid_centre_of(&w->grid, lookouts[i].target_cell)};
        if (is_avoided(tasking, candidate.target_m, now)) { continue; }
        weigh(tasking, fleet, robot, &candidate, best);
    }
    return CAIRN_OK;
}

static choices choose(cairn_tasking *tasking, cairn_fleet *fleet, const cairn_fleet_robot *robot,
                      const cairn_atlas *atlas, bool teammates_block, cairn_mono now, window *w)
{
    choices best = {0};
    cairn_err err = look_at_map(tasking, fleet, robot, atlas, teammates_block, w);
    if (err == CAIRN_OK) { err = consider_frontiers(tasking, fleet, robot, w, now, &best); }
    if (err == CAIRN_OK) { err = consider_lookouts(tasking, fleet, robot, w, now, &best); }
    return err == CAIRN_OK ? best : (choices){0};
}

// Whether a free robot should take a goal over from the one that is on its way to it.
static bool should_take_over(cairn_tasking *tasking, const cairn_fleet *fleet, const choice *taken,
                             const cairn_atlas *atlas)
{
    window others;
    if (!taken->found || look_at_map(tasking, fleet, taken->taken_by, atlas, false, &others) != CAIRN_OK) {
        return false;
    }
    const uint32_t price = others.reach.price[taken->cell];
    return price == CAIRN_REACH_NEVER || (uint64_t)taken->price * 100 < (uint64_t)price * TAKE_OVER_PERCENT;
}

static bool give(cairn_tasking *tasking, cairn_fleet_robot *robot, const choice *c, const window *w, cairn_mono now,
                 cairn_tasking_send_fn send, void *context)
{
    cairn_way way;
    if (cairn_reach_way(&w->reach, c->cell, &tasking->scratch, &way) != CAIRN_OK) { return false; }
    cairn_way_smooth(&w->grid, &way);
    cairn_vec2 vias[CAIRN_VIAS_MAX];
    const double spacing_m = fmax(VIA_SPACING_M, way.length_m / (CAIRN_VIAS_MAX - 4));
    uint32_t count = cairn_way_resample(&way, fmin(spacing_m, 5.0), vias, CAIRN_VIAS_MAX);
    const cairn_pose2 private_T_map = cairn_pose2_inverse(robot->map_T_private);
    const cairn_vec2 goal_m = cairn_cost_grid_centre_of(&w->grid, c->cell);
    if (count == 0) { vias[count++] = goal_m; } // it is there already, and has only to turn
    robot->assignment =
        (cairn_assignment){.task = ++robot->task_count,
                           .purpose = c->purpose,
                           .goal = {goal_m.x, goal_m.y, c->yaw_rad},
                           .target_m = c->target_m,
                           .due = cairn_mono_add(now, TASK_NS_MIN + cairn_ns_from_seconds(way.length_m / SLOWEST_MPS)),
                           .moved_from_m = cairn_pose2_at(robot->map_T_base),
                           .moved_at = now};
    cairn_msg_task task = {.robot = robot->id, .task = robot->assignment.task, .purpose = c->purpose};
    task.end_yaw_mrad = c->face ? (int16_t)cairn_to_milli(cairn_angle_wrap(c->yaw_rad + private_T_map.yaw_rad))
                                : CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN;
    task.via_x_mm_count = task.via_y_mm_count = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_vec2 via = cairn_pose2_apply(private_T_map, vias[i]);
        task.via_x_mm[i] = cairn_to_milli(via.x);
        task.via_y_mm[i] = cairn_to_milli(via.y);
    }
    send(context, robot, &task);
    return true;
}

static bool is_frontier_open(const cairn_raster *raster, cairn_vec2 at_m)
{
    uint32_t cx = 0, cy = 0;
    if (!cairn_raster_cell_of(raster, at_m, &cx, &cy)) { return false; }
    const int32_t reach = 6;
    for (int32_t y = (int32_t)cy - reach; y <= (int32_t)cy + reach; y++) {
        for (int32_t x = (int32_t)cx - reach; x <= (int32_t)cx + reach; x++) {
            if (x < 1 || y < 1 || x + 1 >= (int32_t)raster->def.width || y + 1 >= (int32_t)raster->def.height) {
                continue;
            }
            const uint8_t *at = raster->ground + (size_t)y * raster->def.width + x;
            const bool edge = at[1] == CAIRN_GROUND_UNKNOWN || at[-1] == CAIRN_GROUND_UNKNOWN ||
                              at[raster->def.width] == CAIRN_GROUND_UNKNOWN ||
                              at[-(ptrdiff_t)raster->def.width] == CAIRN_GROUND_UNKNOWN;
            if (*at == CAIRN_GROUND_FREE && edge) { return true; }
        }
    }
    return false;
}

static bool is_searched(const cairn_atlas *atlas, cairn_vec2 at_m)
{
    uint32_t x = 0, y = 0;
    return cairn_raster_cell_of(atlas->raster, at_m, &x, &y) &&
           (atlas->searched[(size_t)y * atlas->raster->def.width + x] & CAIRN_SEARCHED_THERMAL) != 0;
}

// The first tasks that fail in a place count against their goals. When more fail there, it is the robot that cannot get
// away: it rests, and the goals stay open for the others.
static void blame(cairn_tasking *tasking, cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    if (cairn_vec2_distance(at_m, robot->failed_at_m) > PROGRESS_M) { robot->failed_here_count = 0; }
    robot->failed_at_m = at_m;
    robot->failed_here_count++;
    if (robot->failed_here_count <= FAILED_HERE_MAX) {
        avoid(tasking, robot->assignment.target_m, now);
    } else {
        robot->rests_until = cairn_mono_add(now, REST_NS);
    }
}

// True when the assignment has come to its end, one way or another; failures are remembered.
static bool is_over(cairn_tasking *tasking, cairn_fleet_robot *robot, const cairn_atlas *atlas, cairn_mono now)
{
    cairn_assignment *a = &robot->assignment;
    if (a->task == 0) { return true; }
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    if (cairn_vec2_distance(at_m, a->moved_from_m) > PROGRESS_M) {
        a->moved_from_m = at_m;
        a->moved_at = now;
    }
    if (a->purpose == CAIRN_PURPOSE_EXPLORE && !is_frontier_open(atlas->raster, a->target_m)) { return true; }
    if (a->purpose == CAIRN_PURPOSE_LOOK && is_searched(atlas, a->target_m)) { return true; }
    const bool stuck = cairn_mono_since(now, a->moved_at) > STUCK_NS || now.ns > a->due.ns;
    const bool heard_of = robot->telemetry.task == a->task;
    const uint8_t state = heard_of ? robot->telemetry.task_state : CAIRN_TASK_UNDER_WAY;
    const bool failed = stuck || state == CAIRN_TASK_BLOCKED || state == CAIRN_TASK_NO_WAY;
    if (failed) { blame(tasking, robot, now); }
    // Having been there without effect is a failure too: nothing more is to be seen from here.
    const bool done = !failed && state == CAIRN_TASK_DONE;
    if (done && a->purpose != CAIRN_PURPOSE_GO) { avoid(tasking, a->target_m, now); }
    return failed || done;
}

static bool is_ours(const cairn_fleet_robot *robot, cairn_mono now)
{
    return robot->heard && cairn_mono_since(now, robot->heard_at) < HEARD_NS_MAX &&
           robot->telemetry.mode == CAIRN_MODE_AUTONOMOUS;
}

// A robot with nothing to do that stands in the way of another goes to the reachable place farthest from it.
static void make_room(cairn_tasking *tasking, cairn_fleet *fleet, cairn_fleet_robot *robot, const cairn_atlas *atlas,
                      cairn_mono now, cairn_tasking_send_fn send, void *context)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        cairn_fleet_robot *other = &fleet->robots[i];
        const double away_m = cairn_vec2_distance(cairn_pose2_at(other->map_T_base), cairn_pose2_at(robot->map_T_base));
        if (other == robot || !is_ours(other, now) || other->assignment.task != 0 || away_m > 4.0) { continue; }
        window w;
        if (look_at_map(tasking, fleet, other, atlas, true, &w) != CAIRN_OK) { continue; }
        choice best = {0};
        double best_m = away_m + 0.5;
        for (uint32_t cell = 0; cell < w.width * w.height; cell++) {
            if (w.stands.price[cell] == CAIRN_REACH_NEVER || w.stands.price[cell] > 3000) { continue; }
            const cairn_vec2 at = cairn_cost_grid_centre_of(&w.grid, cell);
            const double from_m = cairn_vec2_distance(at, cairn_pose2_at(robot->map_T_base));
            if (from_m > best_m) {
                best_m = from_m;
                best = (choice){.found = true, .cell = cell, .target_m = at};
            }
        }
        if (best.found) { (void)give(tasking, other, &best, &w, now, send, context); }
    }
}

// Finds the next goal of a robot that has none. True if it has one now, or must only wait for it.
static bool find_work(cairn_tasking *tasking, cairn_fleet *fleet, cairn_fleet_robot *robot, const cairn_atlas *atlas,
                      cairn_mono now, cairn_tasking_send_fn send, void *context)
{
    window w;
    tasking->waiting_count = 0;
    choices best = choose(tasking, fleet, robot, atlas, true, now, &w);
    if (best.free.found) { return give(tasking, robot, &best.free, &w, now, send, context); }
    if (should_take_over(tasking, fleet, &best.taken, atlas)) {
        best.taken.taken_by->assignment.task = 0;
        best = choose(tasking, fleet, robot, atlas, true, now, &w);
        return best.free.found && give(tasking, robot, &best.free, &w, now, send, context);
    }
    best = choose(tasking, fleet, robot, atlas, false, now, &w);
    if (best.free.found) { make_room(tasking, fleet, robot, atlas, now, send, context); }
    return best.free.found || tasking->waiting_count > 0;
}

// A robot whose goal was taken over or has come to nothing, and for which there is no other, must not go on to it.
static void drop_old_task(cairn_fleet_robot *robot, cairn_tasking_send_fn send, void *context)
{
    const uint8_t state = robot->telemetry.task_state;
    const bool at_work = state != CAIRN_TASK_NONE && state != CAIRN_TASK_DONE;
    if (robot->assignment.task != 0 || !at_work) { return; }
    const cairn_msg_task drop = {.robot = robot->id, .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN};
    send(context, robot, &drop);
}

void cairn_tasking_step(cairn_tasking *tasking, cairn_fleet *fleet, const cairn_atlas *atlas, cairn_mono now,
                        cairn_tasking_send_fn send, void *context)
{
    bool ours = false, busy = false;
    for (uint32_t i = 0; i < fleet->count; i++) { // who is silent or led by an operator keeps no goal from the others
        if (!is_ours(&fleet->robots[i], now)) { fleet->robots[i].assignment.task = 0; }
    }
    for (uint32_t i = 0; i < fleet->count; i++) {
        cairn_fleet_robot *robot = &fleet->robots[i];
        if (!is_ours(robot, now)) { continue; }
        ours = true;
        if (!is_over(tasking, robot, atlas, now)) {
            busy = true;
            continue;
        }
        robot->assignment.task = 0;
        if (now.ns < robot->rests_until.ns) {
            busy |= robot->failed_here_count < GIVEN_UP_COUNT;
        } else {
            busy |= find_work(tasking, fleet, robot, atlas, now, send, context);
        }
        drop_old_task(robot, send, context);
    }
    tasking->done = ours && !busy;
}
