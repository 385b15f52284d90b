// Every choice is made on a survey of the map for one robot, which prices all frontiers and lookouts at once.
#include "station/tasking/tasking.h"
#include "planning/frontier.h"
#include "robot/condition_names.h"
#include "robot/guard_names.h"
#include "robot/modes.h"
#include "robot/tasks.h"
#include "station/tasking/survey.h"

#define SCRATCH_BYTES (64u << 20)
#define FRONTIERS_MAX 64
#define LOOKOUTS_MAX 64
#define STANDOFF_M 1.5
// No progress for this long: another goal. Longer than a robot stands to let wrong maps be forgotten (15 s by
// robot/deliberate/navigator.c), after which it says itself that there is no way.
#define STUCK_NS CAIRN_S(20)
#define TAKEN_NS CAIRN_S(10) // a task that telemetry does not name so long after it was given has not been taken
#define DROP_AGAIN_NS CAIRN_S(2)
#define PROGRESS_M 0.3
#define FAILED_HERE_MAX 2       // tasks that may fail in one place before the robot is taken to be the cause
#define REST_NS CAIRN_S(10)     // what holds it may go away
#define GIVEN_UP_COUNT 8        // failures in one place after which nobody waits for the robot
#define AVOID_M 0.6             // goals this near to one that failed are left alone too
#define AVOID_NS CAIRN_S(8)     // the first time; twice as long at each further failure
#define FAILURES_MAX 4          // then it is given up
#define TAKE_OVER_PERCENT 60    // a free robot takes another's goal over if its own way is this much of the other's
#define TAKE_OVER_NS CAIRN_S(4) // a goal is not passed to and fro
#define LOOK_PRICE_PART 3       // looking costs half as much again as exploring: new ground first
#define LOOK_PRICE_WHOLE 2
#define STOP_PRICE 120 // what stopping to look is worth, in prices of open straight steps
#define TURN_PRICE_PER_RAD 45
#define TURN_M 0.3      // a stand farther away than this is driven to, nose first
#define SPECK_PRICE 400 // of the smallest places: while robots drive on, most of them come into view by themselves
#define SPECK_CELLS 80  // this many are no speck
#define ROOM_M 4.0      // who is farther away does not stand in the way
#define ROOM_PRICE 3000
#define ROOM_M_GAIN 0.5

typedef struct choice {
    bool found;
    uint32_t price;
    uint32_t cell;      // of the survey that it was found in
    cairn_vec2 stand_m; // the cell's middle
    uint8_t purpose;
    bool face;
    double yaw_rad;
    cairn_vec2 target_m;
    cairn_fleet_robot *taken_by; // NULL: nobody
} choice;

typedef struct choices {
    choice free, taken;
} choices;

// How a robot's map is made for a choice.
typedef struct outlook {
    bool teammates_block;
    bool whole; // beyond what lies around it
} outlook;

// One step of the tasking.
typedef struct step {
    cairn_tasking *tasking;
    const cairn_tasking_team *team;
    cairn_mono now;
} step;

cairn_tasking_def cairn_tasking_def_default(void)
{
    return (cairn_tasking_def){.robot_radius_m = 0.30,
                               .turn_radius_m = 0.42,
                               .thermal = {.field_rad = 1.18, .range_m_min = 0.0, .range_m_max = 4.5},
                               .look = {.field_rad = 1.05, .range_m_min = 0.3, .range_m_max = 4.0},
                               .apart_m = 1.5,
                               .frontier_cells_min = 4,
                               .unseen_cells_min = 5};
}

cairn_err cairn_tasking_init(cairn_tasking *tasking, const cairn_tasking_def *def, const cairn_raster_def *raster,
                             cairn_arena *arena)
{
    *tasking = (cairn_tasking){.def = *def};
    const cairn_kept_costs_def costs = {raster->width, raster->height, raster->cell_m,
                                        cairn_survey_rules(def->robot_radius_m)};
    const cairn_err err = cairn_kept_costs_create(&costs, arena, &tasking->costs);
    if (err != CAIRN_OK) { return err; }
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

static cairn_avoided *add_avoided(cairn_tasking *tasking, cairn_vec2 at_m)
{
    cairn_avoided *avoided = &tasking->avoided[0];
    if (tasking->avoided_count < CAIRN_AVOIDED_MAX) {
        avoided = &tasking->avoided[tasking->avoided_count++];
    } else {
        for (uint32_t i = 1; i < CAIRN_AVOIDED_MAX; i++) {
            if (tasking->avoided[i].until.ns < avoided->until.ns) { avoided = &tasking->avoided[i]; }
        }
    }
    *avoided = (cairn_avoided){.at_m = at_m};
    return avoided;
}

static void avoid(const step *s, const cairn_fleet_robot *robot, cairn_vec2 at_m)
{
    cairn_avoided *avoided = avoided_near(s->tasking, at_m);
    if (avoided == NULL) { avoided = add_avoided(s->tasking, at_m); }
    avoided->failure_count++;
    const bool given_up = avoided->failure_count >= FAILURES_MAX;
    avoided->until =
        given_up ? (cairn_mono){INT64_MAX} : cairn_mono_add(s->now, AVOID_NS << (avoided->failure_count - 1));
    if (avoided->failure_count == FAILURES_MAX) {
        cairn_events_add(s->team->events, s->now, CAIRN_LOG_WARN, robot->id,
                         "the goal (%.1f, %.1f) is given up: tried %d times, last by %s", at_m.x, at_m.y, FAILURES_MAX,
                         robot->name);
    }
}

static cairn_err survey(const step *s, const cairn_fleet_robot *robot, outlook how, cairn_survey *ret_survey)
{
    cairn_tasking *tasking = s->tasking;
    cairn_arena_reset(&tasking->scratch, 0);
    const cairn_survey_def def = {.robot_radius_m = tasking->def.robot_radius_m,
                                  .turn_radius_m = tasking->def.turn_radius_m,
                                  .teammates_block = how.teammates_block,
                                  .whole = how.whole,
                                  .fences = s->team->fences,
                                  .costs = tasking->costs};
    return cairn_survey_make(&def, s->team->fleet, robot, s->team->atlas, s->team->victims, &tasking->scratch,
                             ret_survey);
}

// The robot that is on its way to this target already; NULL if nobody is.
static cairn_fleet_robot *taken_by(const step *s, const cairn_fleet_robot *robot, cairn_vec2 target_m)
{
    cairn_fleet *fleet = s->team->fleet;
    for (uint32_t i = 0; i < fleet->count; i++) {
        cairn_fleet_robot *other = &fleet->robots[i];
        const cairn_assignment *a = &other->assignment;
        const bool searches = a->task != 0 && (a->purpose == CAIRN_PURPOSE_EXPLORE || a->purpose == CAIRN_PURPOSE_LOOK);
        if (other != robot && searches && cairn_vec2_distance(a->target_m, target_m) < s->tasking->def.apart_m) {
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
static void weigh(const step *s, const cairn_fleet_robot *robot, choice *candidate, choices *best)
{
    if (is_avoided(s->tasking, candidate->target_m, s->now)) { return; }
    candidate->taken_by = taken_by(s, robot, candidate->target_m);
    consider(candidate->taken_by == NULL ? &best->free : &best->taken, candidate);
}

static cairn_err consider_frontiers(const step *s, const cairn_fleet_robot *robot, const cairn_survey *map,
                                    choices *best)
{
    cairn_frontier frontiers[FRONTIERS_MAX];
    uint32_t count = 0;
    const cairn_err err = cairn_frontiers_find(map->ground, &map->stands, s->tasking->def.frontier_cells_min,
                                               STANDOFF_M, &s->tasking->scratch, FRONTIERS_MAX, frontiers, &count);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < count; i++) {
        choice candidate = {.found = true,
                            .price = frontiers[i].price,
                            .cell = frontiers[i].nearest_cell,
                            .stand_m = cairn_cost_grid_centre_of(&map->grid, frontiers[i].nearest_cell),
                            .purpose = CAIRN_PURPOSE_EXPLORE,
                            .target_m = frontiers[i].middle_m};
        weigh(s, robot, &candidate, best);
    }
    return CAIRN_OK;
}

// What a look costs: the way, the turns on it, and more the less there is to be seen.
static uint32_t look_price(const cairn_fleet_robot *robot, const cairn_lookout *lookout)
{
    const cairn_vec2 way = cairn_vec2_sub(cairn_pose2_at(lookout->map_T_base), cairn_pose2_at(robot->map_T_base));
    const double robot_rad = robot->map_T_base.yaw_rad;
    const double way_rad = cairn_vec2_length(way) > TURN_M ? atan2(way.y, way.x) : robot_rad;
    const double turn_rad =
        fabs(cairn_angle_between(robot_rad, way_rad)) + fabs(cairn_angle_between(way_rad, lookout->map_T_base.yaw_rad));
    const double speck = fmax(0.0, 1.0 - (double)lookout->unseen_count / SPECK_CELLS);
    return lookout->price * LOOK_PRICE_PART / LOOK_PRICE_WHOLE + STOP_PRICE +
           (uint32_t)(TURN_PRICE_PER_RAD * turn_rad + SPECK_PRICE * speck);
}

static cairn_err consider_lookouts(const step *s, const cairn_fleet_robot *robot, const cairn_survey *map,
                                   choices *best)
{
    const cairn_tasking_def *def = &s->tasking->def;
    cairn_lookout lookouts[LOOKOUTS_MAX];
    uint32_t count = 0, hidden = 0;
    const cairn_err err =
        cairn_lookouts_find(map->ground, &map->stands, &def->look, map->searched, CAIRN_SEARCHED_THERMAL,
                            def->unseen_cells_min, &s->tasking->scratch, LOOKOUTS_MAX, lookouts, &count, &hidden);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < count; i++) {
        choice candidate = {.found = true,
                            .price = look_price(robot, &lookouts[i]),
                            .cell = lookouts[i].cell,
                            .stand_m = cairn_cost_grid_centre_of(&map->grid, lookouts[i].cell),
                            .purpose = CAIRN_PURPOSE_LOOK,
                            .face = true,
                            .yaw_rad = lookouts[i].map_T_base.yaw_rad,
                            .target_m = cairn_cost_grid_centre_of(&map->grid, lookouts[i].target_cell)};
        weigh(s, robot, &candidate, best);
    }
    return CAIRN_OK;
}

static choices choose_from(const step *s, const cairn_fleet_robot *robot, outlook how, cairn_survey *map)
{
    choices best = {0};
    cairn_err err = survey(s, robot, how, map);
    if (err == CAIRN_OK) { err = consider_frontiers(s, robot, map, &best); }
    if (err == CAIRN_OK) { err = consider_lookouts(s, robot, map, &best); }
    return err == CAIRN_OK ? best : (choices){0};
}

// What lies around the robot, and only when nothing is left for it there the whole map.
static choices choose(const step *s, const cairn_fleet_robot *robot, bool teammates_block, cairn_survey *map)
{
    const choices near = choose_from(s, robot, (outlook){.teammates_block = teammates_block}, map);
    if (near.free.found || !map->clipped) { return near; }
    return choose_from(s, robot, (outlook){.teammates_block = teammates_block, .whole = true}, map);
}

// Whether a free robot should take a goal over from the one that is on its way to it.
static bool should_take_over(const step *s, const choice *taken)
{
    cairn_survey others;
    if (!taken->found || cairn_mono_since(s->now, taken->taken_by->assignment.given) < TAKE_OVER_NS) { return false; }
    if (survey(s, taken->taken_by, (outlook){0}, &others) != CAIRN_OK) { return false; }
    uint32_t cell = 0;
    if (!cairn_cost_grid_cell_of(&others.grid, taken->stand_m, &cell)) { return true; } // far away from it
    const uint32_t price = others.reach.price[cell];
    return price == CAIRN_REACH_NEVER || (uint64_t)taken->price * 100 < (uint64_t)price * TAKE_OVER_PERCENT;
}

static bool give(const step *s, cairn_fleet_robot *robot, const choice *c, const cairn_survey *map)
{
    cairn_survey_way way;
    if (cairn_survey_find_way(map, c->cell, &s->tasking->scratch, &way) != CAIRN_OK) { return false; }
    const cairn_vec2 goal_m = cairn_cost_grid_centre_of(&map->grid, c->cell);
    const cairn_errand errand = {.purpose = c->purpose,
                                 .goal = {goal_m.x, goal_m.y, c->yaw_rad},
                                 .face = c->face,
                                 .target_m = c->target_m,
                                 .way = &way};
    cairn_errand_give(&errand, robot, s->now, s->team->send, s->team->context);
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

// Nothing is left to be seen at the goal, whoever has seen it.
static bool is_answered(const step *s, const cairn_assignment *a)
{
    if (a->purpose == CAIRN_PURPOSE_EXPLORE) { return !is_frontier_open(s->team->atlas->raster, a->target_m); }
    if (a->purpose != CAIRN_PURPOSE_LOOK) { return false; }
    return is_searched(s->team->atlas, a->target_m) || cairn_survey_is_found(s->team->victims, a->target_m);
}

// The first tasks that fail in a place count against their goals. When more fail there, it is the robot that cannot get
// away: it rests, and the goals stay open for the others.
static void blame(const step *s, cairn_fleet_robot *robot)
{
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    if (cairn_vec2_distance(at_m, robot->failed_at_m) > PROGRESS_M) { robot->failed_here_count = 0; }
    robot->failed_at_m = at_m;
    robot->failed_here_count++;
    if (robot->failed_here_count <= FAILED_HERE_MAX) {
        avoid(s, robot, robot->assignment.target_m);
        return;
    }
    robot->rests_until = cairn_mono_add(s->now, REST_NS);
    if (robot->failed_here_count == FAILED_HERE_MAX + 1) {
        cairn_events_add(s->team->events, s->now, CAIRN_LOG_WARN, robot->id,
                         "%s cannot get away from (%.1f, %.1f): its goal goes to others", robot->name, at_m.x, at_m.y);
    }
}

// Whether the robot has failed, by what it says of this very task and by how it gets on. A task that it has not heard
// of yet is not judged.
static bool has_failed(const step *s, cairn_fleet_robot *robot)
{
    cairn_assignment *a = &robot->assignment;
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    if (robot->telemetry.task != a->task || cairn_vec2_distance(at_m, a->moved_from_m) > PROGRESS_M) {
        a->moved_from_m = at_m;
        a->moved_at = s->now;
    }
    if (cairn_mono_since(s->now, a->moved_at) > STUCK_NS || s->now.ns > a->due.ns) { return true; }
    const uint8_t state = robot->telemetry.task_state;
    return robot->telemetry.task == a->task && (state == CAIRN_TASK_BLOCKED || state == CAIRN_TASK_NO_WAY);
}

// True when the assignment has come to its end, one way or another; failures are remembered.
static bool is_over(const step *s, cairn_fleet_robot *robot)
{
    const cairn_assignment *a = &robot->assignment;
    if (a->task == 0 || a->by_operator || is_answered(s, a)) { return true; }
    const bool heard_of = robot->telemetry.task == a->task;
    if (!heard_of && cairn_mono_since(s->now, a->given) > TAKEN_NS) { return true; } // it was started again, perhaps
    if (has_failed(s, robot)) {
        blame(s, robot);
        return true;
    }
    if (!heard_of || robot->telemetry.task_state != CAIRN_TASK_DONE) { return false; }
    // Having been there without effect is a failure too: nothing more is to be seen from here.
    if (a->purpose != CAIRN_PURPOSE_GO) { avoid(s, robot, a->target_m); }
    return true;
}

// It waits for somebody to help it.
static bool needs_help(const cairn_fleet_robot *robot)
{
    const uint8_t condition = robot->telemetry.condition, escape = robot->telemetry.escape;
    return escape == CAIRN_ESCAPE_NEEDS_HELP || condition == CAIRN_CONDITION_FALLEN ||
           condition == CAIRN_CONDITION_LIFTED;
}

static bool is_ours(const cairn_fleet_robot *robot, cairn_mono now)
{
    return !needs_help(robot) && robot->heard && !robot->unplaced && !cairn_fleet_is_silent(robot, now) &&
           robot->telemetry.mode == CAIRN_MODE_AUTONOMOUS && robot->order.mode == CAIRN_MODE_AUTONOMOUS &&
           !robot->stop.wanted && (cairn_fleet_guards(robot) & 1u << CAIRN_LACK_LOW) == 0; // comes home, or stands
}

// The reachable place that is farthest from the one who wants to pass.
static choice find_room(const cairn_survey *map, cairn_vec2 from_m, double away_m)
{
    choice best = {0};
    double best_m = away_m + ROOM_M_GAIN;
    for (uint32_t cell = 0; cell < map->width * map->height; cell++) {
        if (map->stands.price[cell] == CAIRN_REACH_NEVER || map->stands.price[cell] > ROOM_PRICE) { continue; }
        const cairn_vec2 at = cairn_cost_grid_centre_of(&map->grid, cell);
        const double from = cairn_vec2_distance(at, from_m);
        if (from > best_m) {
            best_m = from;
            best = (choice){.found = true, .cell = cell, .target_m = at};
        }
    }
    return best;
}

// A robot with nothing to do that stands in the way of another goes away from it.
static void make_room(const step *s, const cairn_fleet_robot *robot)
{
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    for (uint32_t i = 0; i < s->team->fleet->count; i++) {
        cairn_fleet_robot *other = &s->team->fleet->robots[i];
        const double away_m = cairn_vec2_distance(cairn_pose2_at(other->map_T_base), at_m);
        if (other == robot || !is_ours(other, s->now) || other->assignment.task != 0 || away_m > ROOM_M) { continue; }
        cairn_survey map;
        if (survey(s, other, (outlook){.teammates_block = true}, &map) != CAIRN_OK) { continue; }
        const choice room = find_room(&map, at_m, away_m);
        if (room.found) { (void)give(s, other, &room, &map); }
    }
}

static void take_over(const step *s, const cairn_fleet_robot *robot, cairn_fleet_robot *from)
{
    const cairn_vec2 target_m = from->assignment.target_m;
    cairn_events_add(s->team->events, s->now, CAIRN_LOG_INFO, robot->id,
                     "%s takes the goal (%.1f, %.1f) over from %s: it is nearer", robot->name, target_m.x, target_m.y,
                     from->name);
    from->assignment.task = 0;
}

// Finds the next goal of a robot that has none. True if it has one now, or must only wait for it.
static bool find_work(const step *s, cairn_fleet_robot *robot)
{
    cairn_survey map;
    s->tasking->waiting_count = 0;
    choices best = choose(s, robot, true, &map);
    if (best.free.found) { return give(s, robot, &best.free, &map); }
    if (should_take_over(s, &best.taken)) {
        take_over(s, robot, best.taken.taken_by);
        best = choose(s, robot, true, &map);
        return best.free.found && give(s, robot, &best.free, &map);
    }
    best = choose(s, robot, false, &map);
    if (best.free.found) { make_room(s, robot); }
    return best.free.found || s->tasking->waiting_count > 0;
}

// A robot whose goal was taken over or has come to nothing, and for which there is no other, must not go on to it.
static void drop_old_task(const step *s, cairn_fleet_robot *robot)
{
    const uint8_t state = robot->telemetry.task_state;
    const bool at_work = state != CAIRN_TASK_NONE && state != CAIRN_TASK_DONE;
    const bool told = cairn_mono_since(s->now, robot->dropped_at) < DROP_AGAIN_NS; // telemetry is behind, perhaps
    if (robot->assignment.task != 0 || !at_work || told) { return; }
    cairn_errand_drop(robot, s->now, s->team->send, s->team->context);
}

// Who is silent or led by an operator keeps no goal from the others.
static void free_goals(const step *s)
{
    for (uint32_t i = 0; i < s->team->fleet->count; i++) {
        cairn_fleet_robot *robot = &s->team->fleet->robots[i];
        cairn_assignment *a = &robot->assignment;
        if (is_ours(robot, s->now) || a->task == 0 || a->by_operator) { continue; }
        a->task = 0;
        if (a->purpose == CAIRN_PURPOSE_GO) { continue; }
        cairn_events_add(s->team->events, s->now, CAIRN_LOG_INFO, robot->id,
                         "the goal (%.1f, %.1f) of %s is open to others", a->target_m.x, a->target_m.y, robot->name);
    }
}

// True while there is something that this robot does or may come to do.
static bool step_robot(const step *s, cairn_fleet_robot *robot)
{
    if (!is_over(s, robot)) { return true; }
    robot->assignment.task = 0;
    const bool rests = s->now.ns < robot->rests_until.ns;
    const bool busy = rests ? robot->failed_here_count < GIVEN_UP_COUNT : find_work(s, robot);
    drop_old_task(s, robot);
    return busy;
}

// What was given up is not searched: somebody must know.
static void tell_done(const step *s)
{
    uint32_t given_up = 0;
    for (uint32_t i = 0; i < s->tasking->avoided_count; i++) {
        given_up += s->tasking->avoided[i].failure_count >= FAILURES_MAX;
    }
    if (given_up == 0) {
        cairn_events_add(s->team->events, s->now, CAIRN_LOG_INFO, 0, "nothing is left to explore or to look at");
        return;
    }
    cairn_events_add(s->team->events, s->now, CAIRN_LOG_WARN, 0,
                     "nothing is left that a robot gets to; %u %s given up and may not be searched", given_up,
                     given_up == 1 ? "place was" : "places were");
}

void cairn_tasking_step(cairn_tasking *tasking, const cairn_tasking_team *team, cairn_mono now)
{
    const step s = {tasking, team, now};
    bool ours = false, busy = false;
    free_goals(&s);
    for (uint32_t i = 0; i < team->fleet->count; i++) {
        if (!is_ours(&team->fleet->robots[i], now)) { continue; }
        ours = true;
        busy |= step_robot(&s, &team->fleet->robots[i]);
    }
    const bool done = ours && !busy;
    if (done && !tasking->done) { tell_done(&s); }
    tasking->done = done;
}
