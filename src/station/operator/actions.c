#include "station/operator/actions.h"
#include "robot/guard_names.h"
#include "robot/modes.h"
#include "robot/tasks.h"
#include <math.h>
#include <stdio.h>

#define SHOWN_NS_MAX CAIRN_S(1) // a person who sees an older picture drives into what came since
#define PAUSE_NS CAIRN_S(1)     // after which driving is another action
#define TELL_AGAIN_NS CAIRN_S(1)
#define TASK_AGAIN_NS CAIRN_S(2) // longer than telemetry takes to tell of it
#define TO_M_MAX 1e4             // there is no map of what is farther out
#define GAIN_M 0.5               // a place that is not nearer to the goal by this much is not worth going to

typedef cairn_fleet_robot robot_state;

static uint32_t index_of(const cairn_actions *actions, const robot_state *robot)
{
    return (uint32_t)(robot - actions->team->fleet->robots);
}

static const char *const REFUSAL_WORDS[CAIRN_REFUSAL_COUNT] = {
    [CAIRN_REFUSAL_NO_MODE] = "has no such mode",
    [CAIRN_REFUSAL_NO_WAY] = "knows no way there",
    [CAIRN_REFUSAL_NO_NEARER] = "knows no way there, nor nearer to it than it is",
    [CAIRN_REFUSAL_ALL_STOPPED] = "stays stopped while all are: release all",
    [CAIRN_REFUSAL_STOPPED] = "is stopped: release it first",
    [CAIRN_REFUSAL_NOT_STOPPED] = "is not stopped",
    [CAIRN_REFUSAL_UNPLACED] = "goes nowhere by itself while nobody knows where it is: drive it by hand, or wait",
    [CAIRN_REFUSAL_NEVER_OVERRIDDEN] = "has a guard there that nobody may override",
    [CAIRN_REFUSAL_KNOWS_NO_OVERRIDES] = "knows nothing of overrides: update its program",
    [CAIRN_REFUSAL_OLD_PICTURE] = "is not overridden by a picture that is older than a second",
};

// Robot NULL: one that nobody here knows.
static void tell_of_refusals(cairn_actions *actions, const robot_state *robot, cairn_refusals *refusals, cairn_mono now)
{
    const bool waits = refusals->told_ever && cairn_mono_since(now, refusals->told) < TELL_AGAIN_NS;
    if (refusals->untold_count == 0 || waits) { return; }
    char times[32] = "";
    if (refusals->untold_count > 1) { snprintf(times, sizeof times, " (%u times)", refusals->untold_count); }
    if (refusals->why == CAIRN_REFUSAL_NOT_HEARD || robot == NULL) {
        cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, 0,
                         "operator: not done: nothing has been heard of robot %u%s", refusals->robot, times);
    } else {
        cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: not done: %s %s%s",
                         robot->name, REFUSAL_WORDS[refusals->why], times);
    }
    refusals->told_ever = true;
    refusals->told = now;
    refusals->untold_count = 0;
}

static void refuse(cairn_actions *actions, const robot_state *robot, uint8_t id, cairn_refusal why, cairn_mono now)
{
    cairn_refusals *refusals = &actions->refusals[robot != NULL ? index_of(actions, robot) : CAIRN_FLEET_MAX];
    actions->refused_count++;
    refusals->why = (uint8_t)why;
    refusals->robot = id;
    refusals->untold_count++;
    tell_of_refusals(actions, robot, refusals, now);
}

static const char *when_heard(const robot_state *robot)
{
    return robot->lost ? " (it is silent, and will hear of it when it is back)" : "";
}

// Orders the mode, and ends what the robot was doing unless that goes on in the new mode.
static void set_mode(cairn_actions *actions, robot_state *robot, uint8_t mode, cairn_mono now)
{
    const cairn_assignment *a = &robot->assignment;
    const bool goes_on = mode == CAIRN_MODE_PAUSED || (mode == CAIRN_MODE_WAYPOINT && a->task != 0 && a->by_operator);
    if (!goes_on && (a->task != 0 || robot->telemetry.task != 0)) {
        cairn_errand_drop(robot, now, actions->team->send, actions->team->context);
    }
    cairn_command_order(actions->command, robot, mode, now);
}

static bool do_mode(cairn_actions *actions, robot_state *robot, const cairn_operator_action *action, cairn_mono now)
{
    if (action->mode >= CAIRN_MODE_COUNT || action->mode == CAIRN_MODE_STOPPED) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_NO_MODE, now);
        return false;
    }
    set_mode(actions, robot, action->mode, now);
    cairn_events_add(actions->team->events, now, CAIRN_LOG_INFO, robot->id, "operator: %s %s%s", robot->name,
                     cairn_mode_name(action->mode), when_heard(robot));
    return true;
}

// Surveys with the others in the way, and again without if the place cannot be reached then; where much is known, the
// ground around the robot first, and then the whole of it.
static cairn_err find_place(cairn_actions *actions, const robot_state *robot, cairn_vec2 to_m, cairn_survey *ret_survey,
                            uint32_t *ret_cell)
{
    const cairn_tasking_team *team = actions->team;
    const cairn_tasking_def *figures = &actions->tasking->def;
    cairn_err err = CAIRN_OK;
    for (int attempt = 0; attempt < 4; attempt++) {
        const cairn_survey_def def = {.robot_radius_m = figures->robot_radius_m,
                                      .turn_radius_m = figures->turn_radius_m,
                                      .teammates_block = attempt % 2 == 0,
                                      .whole = attempt >= 2,
                                      .fences = team->fences,
                                      .costs = actions->tasking->costs};
        cairn_arena_reset(&actions->tasking->scratch, 0);
        err = cairn_survey_make(&def, team->fleet, robot, team->atlas, team->victims, &actions->tasking->scratch,
                                ret_survey);
        if (err == CAIRN_OK) { err = cairn_survey_nearest(ret_survey, to_m, ret_cell); }
        uint32_t wanted = 0;
        const bool exact = err == CAIRN_OK && cairn_cost_grid_cell_of(&ret_survey->grid, to_m, &wanted);
        if ((exact && wanted == *ret_cell) || (attempt == 1 && !ret_survey->clipped)) { break; }
    }
    return err;
}

static void tell_of_going(cairn_actions *actions, const robot_state *robot, cairn_vec2 to_m, double off_m, bool changes,
                          cairn_mono now)
{
    char off[64] = "";
    if (off_m > 0.0) { snprintf(off, sizeof off, ", as near as a way is known: %.1f m off", off_m); }
    cairn_events_add(actions->team->events, now, CAIRN_LOG_INFO, robot->id, "operator: %s to (%.1f, %.1f)%s%s%s",
                     robot->name, to_m.x, to_m.y, off, changes ? "; then it waits, until given back" : "",
                     when_heard(robot));
}

static bool do_go(cairn_actions *actions, robot_state *robot, const cairn_operator_action *action, cairn_mono now)
{
    const cairn_vec2 to_m = action->to_m;
    if (robot->unplaced) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_UNPLACED, now);
        return false;
    }
    cairn_survey survey;
    cairn_survey_way way;
    uint32_t cell = 0;
    cairn_err err = fabs(to_m.x) <= TO_M_MAX && fabs(to_m.y) <= TO_M_MAX ? CAIRN_OK : CAIRN_ERR_OUTSIDE; // nor NaN
    if (err == CAIRN_OK) { err = find_place(actions, robot, to_m, &survey, &cell); }
    if (err == CAIRN_OK) { err = cairn_survey_find_way(&survey, cell, &actions->tasking->scratch, &way); }
    if (err != CAIRN_OK) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_NO_WAY, now);
        return false;
    }
    const cairn_vec2 goal_m = cairn_cost_grid_centre_of(&survey.grid, cell);
    uint32_t wanted = 0;
    const bool exact = cairn_cost_grid_cell_of(&survey.grid, to_m, &wanted) && wanted == cell;
    const double off_m = exact ? 0.0 : cairn_vec2_distance(goal_m, to_m);
    const double now_off_m = cairn_vec2_distance(cairn_pose2_at(robot->map_T_base), to_m);
    if (!exact && off_m > now_off_m - GAIN_M) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_NO_NEARER, now);
        return false;
    }
    const bool changes = robot->order.mode != CAIRN_MODE_WAYPOINT;
    const cairn_errand errand = {.purpose = CAIRN_PURPOSE_GO,
                                 .by_operator = true,
                                 .goal = {goal_m.x, goal_m.y, 0},
                                 .target_m = to_m,
                                 .way = &way};
    cairn_errand_give(&errand, robot, now, actions->team->send, actions->team->context);
    if (changes) { set_mode(actions, robot, CAIRN_MODE_WAYPOINT, now); }
    tell_of_going(actions, robot, to_m, off_m, changes, now);
    return true;
}

// One whose trail was cut knows no way home by itself.
static bool do_home(cairn_actions *actions, robot_state *robot, cairn_mono now)
{
    if (robot->is_cut) {
        const cairn_pose2 start = actions->team->atlas->places->robots[robot->id].start;
        const cairn_operator_action go = {.verb = CAIRN_DO_GO, .robot = robot->id, .to_m = cairn_pose2_at(start)};
        return do_go(actions, robot, &go, now);
    }
    const cairn_errand errand = {.purpose = CAIRN_PURPOSE_HOME,
                                 .by_operator = true,
                                 .goal = robot->map_T_private,
                                 .target_m = cairn_pose2_at(robot->map_T_private)};
    cairn_errand_give(&errand, robot, now, actions->team->send, actions->team->context);
    const bool changes = robot->order.mode != CAIRN_MODE_WAYPOINT;
    if (changes) { set_mode(actions, robot, CAIRN_MODE_WAYPOINT, now); }
    cairn_events_add(actions->team->events, now, CAIRN_LOG_INFO, robot->id, "operator: %s home%s%s", robot->name,
                     changes ? "; then it waits, until given back" : "", when_heard(robot));
    return true;
}

static bool takes_sticks(uint8_t mode)
{
    return mode == CAIRN_MODE_TELEOPERATED || mode == CAIRN_MODE_ASSISTED_LEFT || mode == CAIRN_MODE_ASSISTED_RIGHT;
}

static int8_t percent(double part) { return (int8_t)lround(fmin(fmax(part, -1.0), 1.0) * 100.0); }

// Twenty of them come in a second: told at most once a second.
static void leave_stick(cairn_actions *actions, const robot_state *robot, const char *why, cairn_mono now)
{
    cairn_driving *driving = &actions->driving[index_of(actions, robot)];
    driving->untold_count++;
    if (driving->told_ever && cairn_mono_since(now, driving->told) < TELL_AGAIN_NS) { return; }
    cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: %s is not driven: %s (%u)",
                     robot->name, why, driving->untold_count);
    driving->told_ever = true;
    driving->told = now;
    driving->untold_count = 0;
}

// Driving goes on while less than a second passes between two sticks. True when it begins.
static bool begins_to_drive(cairn_actions *actions, const robot_state *robot, cairn_mono now)
{
    cairn_driving *driving = &actions->driving[index_of(actions, robot)];
    const bool begins = !driving->ever || cairn_mono_since(now, driving->last) >= PAUSE_NS;
    driving->ever = true;
    driving->last = now;
    if (begins) {
        cairn_events_add(actions->team->events, now, CAIRN_LOG_INFO, robot->id, "operator: drives %s", robot->name);
    }
    return begins;
}

// A stick that is let go is passed on however old the picture is: it only ever slows the robot.
static bool do_drive(cairn_actions *actions, robot_state *robot, const cairn_operator_action *action, cairn_mono now)
{
    const bool fresh = action->shown.ns <= now.ns && action->shown.ns >= now.ns - SHOWN_NS_MAX;
    if (action->dead_man && (!fresh || !isfinite(action->forward) || !isfinite(action->turn))) {
        actions->stale_stick_count++;
        leave_stick(actions, robot, "the picture is older than a second", now);
        return false;
    }
    if (action->dead_man && cairn_command_is_stopped(robot)) {
        actions->refused_count++;
        leave_stick(actions, robot, "it is stopped", now);
        return false;
    }
    if (action->dead_man && !takes_sticks(robot->order.mode)) {
        set_mode(actions, robot, CAIRN_MODE_TELEOPERATED, now);
    }
    const cairn_radio_message message = {.id = CAIRN_MSG_STICK,
                                         .stick = {.robot = robot->id,
                                                   .sequence = ++actions->driving[index_of(actions, robot)].sequence,
                                                   .forward_pct = action->dead_man ? percent(action->forward) : 0,
                                                   .turn_pct = action->dead_man ? percent(action->turn) : 0,
                                                   .dead_man = action->dead_man}};
    cairn_voice_say(actions->voice, robot, &message, now);
    return action->dead_man && begins_to_drive(actions, robot, now);
}

// "tilt, bump"
static void name_guards(uint32_t guards, char *ret_text, size_t max)
{
    size_t used = 0;
    ret_text[0] = '\0';
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS && used < max; bit++) {
        if (!(guards >> bit & 1u) || cairn_guard_name(bit) == NULL) { continue; }
        used += (size_t)snprintf(ret_text + used, max - used, "%s%s", used > 0 ? ", " : "", cairn_guard_name(bit));
    }
}

static void end_override(cairn_actions *actions, const robot_state *robot, cairn_mono until, const char *why,
                         cairn_mono now)
{
    cairn_overriding *held = &actions->overriding[index_of(actions, robot)];
    char names[128];
    if (held->guards == 0) { return; }
    name_guards(held->guards, names, sizeof names);
    cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: overrode %s of %s for %.1f s%s",
                     names, robot->name, cairn_seconds(cairn_mono_since(until, held->began)), why);
    held->guards = 0;
}

// True when it begins.
static bool hold_override(cairn_actions *actions, const robot_state *robot, uint32_t guards, cairn_mono now)
{
    cairn_overriding *held = &actions->overriding[index_of(actions, robot)];
    const bool begins = held->guards != guards;
    held->last = now;
    if (!begins) { return false; }
    char names[128];
    end_override(actions, robot, now, "", now);
    held->guards = guards;
    held->began = now;
    name_guards(guards, names, sizeof names);
    cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: overrides %s of %s", names,
                     robot->name);
    return true;
}

// What is let go is passed on whatever else holds: it only ever switches guards on again.
static bool do_override(cairn_actions *actions, robot_state *robot, const cairn_operator_action *action, cairn_mono now)
{
    const bool fresh = action->shown.ns <= now.ns && action->shown.ns >= now.ns - SHOWN_NS_MAX;
    const bool knows = robot->telemetry.overridden != CAIRN_MSG_TELEMETRY_OVERRIDDEN_UNKNOWN;
    if (action->guards != 0) {
        const cairn_refusal why = (action->guards & ~CAIRN_GUARDS_OVERRIDABLE) != 0 ? CAIRN_REFUSAL_NEVER_OVERRIDDEN
                                  : !knows                                          ? CAIRN_REFUSAL_KNOWS_NO_OVERRIDES
                                  : cairn_command_is_stopped(robot)                 ? CAIRN_REFUSAL_STOPPED
                                  : !fresh                                          ? CAIRN_REFUSAL_OLD_PICTURE
                                                                                    : CAIRN_REFUSAL_COUNT;
        if (why != CAIRN_REFUSAL_COUNT) {
            refuse(actions, robot, robot->id, why, now);
            return false;
        }
    }
    const cairn_radio_message message = {
        .id = CAIRN_MSG_OVERRIDE,
        .override = {.robot = robot->id,
                     .sequence = ++actions->overriding[index_of(actions, robot)].sequence,
                     .guards = action->guards}};
    cairn_voice_say(actions->voice, robot, &message, now);
    if (action->guards != 0) { return hold_override(actions, robot, action->guards, now); }
    end_override(actions, robot, now, "", now);
    return false;
}

// The page, or the way to it, may be gone: then the robot ends it, too, and sooner.
static void notice_end_of_override(cairn_actions *actions, const robot_state *robot, cairn_mono now)
{
    const cairn_overriding *held = &actions->overriding[index_of(actions, robot)];
    if (held->guards == 0 || cairn_mono_since(now, held->last) < PAUSE_NS) { return; }
    end_override(actions, robot, held->last, "; the page fell silent", now);
}

static void stop(cairn_actions *actions, robot_state *robot, cairn_mono now)
{
    robot->assignment.task = 0;
    cairn_command_stop(actions->command, robot, now);
}

static bool do_release(cairn_actions *actions, robot_state *robot, cairn_mono now)
{
    if (actions->command->stop_all) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_ALL_STOPPED, now);
        return false;
    }
    if (!robot->stop.wanted) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_NOT_STOPPED, now);
        return false;
    }
    cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: release %s%s", robot->name,
                     when_heard(robot));
    cairn_command_release(actions->command, robot, now);
    return true;
}

static bool do_for_one(cairn_actions *actions, robot_state *robot, const cairn_operator_action *action, cairn_mono now)
{
    if (action->verb == CAIRN_DO_STOP) {
        cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, robot->id, "operator: stop %s%s", robot->name,
                         when_heard(robot));
        stop(actions, robot, now);
        return true;
    }
    if (action->verb == CAIRN_DO_RELEASE) { return do_release(actions, robot, now); }
    if (action->verb == CAIRN_DO_DRIVE) { return do_drive(actions, robot, action, now); }
    if (action->verb == CAIRN_DO_OVERRIDE) { return do_override(actions, robot, action, now); }
    if (cairn_command_is_stopped(robot)) {
        refuse(actions, robot, robot->id, CAIRN_REFUSAL_STOPPED, now);
        return false;
    }
    if (action->verb == CAIRN_DO_MODE) { return do_mode(actions, robot, action, now); }
    return action->verb == CAIRN_DO_GO ? do_go(actions, robot, action, now) : do_home(actions, robot, now);
}

static bool do_for_all(cairn_actions *actions, const cairn_operator_action *action, cairn_mono now)
{
    const bool stops = action->verb == CAIRN_DO_STOP;
    if (!stops && action->verb != CAIRN_DO_RELEASE) { return false; }
    cairn_fleet *fleet = actions->team->fleet;
    actions->command->stop_all = stops;
    cairn_events_add(actions->team->events, now, CAIRN_LOG_WARN, CAIRN_ALL_ROBOTS, "operator: %s all",
                     stops ? "stop" : "release");
    for (uint32_t i = 0; i < fleet->count; i++) {
        robot_state *robot = &fleet->robots[i];
        if (stops && robot->heard) { stop(actions, robot, now); }
        if (!stops && robot->stop.wanted) { cairn_command_release(actions->command, robot, now); }
    }
    return true;
}

static bool refuse_robot(cairn_actions *actions, const robot_state *robot, uint8_t id, cairn_mono now)
{
    refuse(actions, robot, id, CAIRN_REFUSAL_NOT_HEARD, now);
    return false;
}

void cairn_actions_take(cairn_actions *actions, const cairn_operator_action *action, cairn_mono now)
{
    if ((unsigned)action->verb >= CAIRN_DO_COUNT) {
        actions->refused_count++;
        return;
    }
    robot_state *robot = cairn_fleet_find(actions->team->fleet, action->robot);
    const bool all = action->robot == CAIRN_ALL_ROBOTS;
    const bool done = all                              ? do_for_all(actions, action, now)
                      : robot == NULL || !robot->heard ? refuse_robot(actions, robot, action->robot, now)
                                                       : do_for_one(actions, robot, action, now);
    if (done) { actions->taken_count++; }
}

static const char *word_for(uint8_t purpose, uint8_t task_state)
{
    switch (task_state) {
    case CAIRN_TASK_DONE: return purpose == CAIRN_PURPOSE_HOME ? "is home" : "is there";
    case CAIRN_TASK_BLOCKED: return "is held up on its way";
    case CAIRN_TASK_NO_WAY: return "finds no way";
    default: return NULL;
    }
}

static void watch(cairn_actions *actions, robot_state *robot, cairn_mono now)
{
    cairn_assignment *a = &robot->assignment;
    uint8_t *told = &actions->told_state[index_of(actions, robot)];
    const bool heard_of = a->task != 0 && a->by_operator && robot->telemetry.task == a->task;
    const uint8_t state = heard_of ? robot->telemetry.task_state : CAIRN_TASK_NONE;
    if (state == *told) { return; }
    *told = state;
    const char *word = word_for(a->purpose, state);
    if (word == NULL) { return; }
    const cairn_log_level level = state == CAIRN_TASK_DONE ? CAIRN_LOG_INFO : CAIRN_LOG_WARN;
    cairn_events_add(actions->team->events, now, level, robot->id, "%s %s", robot->name, word);
    if (state == CAIRN_TASK_DONE) { a->task = 0; }
}

// A task that was under way when the station was started again, or that the link had no room for, is lost: the team's
// tasking gives another, but what an operator has asked for is to be done.
static void say_task_again(cairn_actions *actions, robot_state *robot, cairn_mono now)
{
    cairn_assignment *a = &robot->assignment;
    const bool taken = robot->telemetry.task >= a->task;
    if (a->task == 0 || !a->by_operator || taken || robot->lost) { return; }
    if (robot->facts.task_count > 0) {
        a->said = now;
    } else if (cairn_mono_since(now, a->said) >= TASK_AGAIN_NS && robot->heard_at.ns > a->said.ns) {
        cairn_errand_tell(robot, now, actions->team->send, actions->team->context);
    }
}

void cairn_actions_step(cairn_actions *actions, cairn_mono now)
{
    for (uint32_t i = 0; i < actions->team->fleet->count; i++) {
        robot_state *robot = &actions->team->fleet->robots[i];
        watch(actions, robot, now);
        say_task_again(actions, robot, now);
        notice_end_of_override(actions, robot, now);
        tell_of_refusals(actions, robot, &actions->refusals[i], now);
    }
    tell_of_refusals(actions, NULL, &actions->refusals[CAIRN_FLEET_MAX], now);
}
