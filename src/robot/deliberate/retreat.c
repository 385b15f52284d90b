// A robot that searches by itself and that nobody hears: when it has done what it was sent to do, it searches on as far
// again (onward.h), goes back the way it came until it is heard, stands until what it has seen is told, and goes on
// with what it is then given. So a team searches where no radio reaches. A robot that an operator sent somewhere stays
// where he sent it.
#include "robot/deliberate/deliberate.h"

#define LOST_NS CAIRN_S(20)       // longer: silences are waited out; shorter: a robot comes back sooner
#define STUCK_NS CAIRN_S(60)      // a task on which it gets nowhere for so long is given up
#define SOMEWHERE_M 1.5           // less is to and fro
#define HEARD_NS CAIRN_S(2)       // nothing for so long: not heard
#define REPORT_NS_MAX CAIRN_S(12) // less than the station waits for a robot to move
#define UNSENT_FEW 2              // there is always something on its way

static bool is_idle(cairn_task_state state) { return state == CAIRN_TASK_NONE || state == CAIRN_TASK_DONE; }

// Whether it has not come away from a place for long.
static bool is_stuck(cairn_deliberate *d, cairn_mono now)
{
    const cairn_vec2 at_m = cairn_pose2_at(d->tracker.private_T_base);
    if (cairn_vec2_distance(at_m, d->got_somewhere_m) > SOMEWHERE_M) {
        d->got_somewhere_m = at_m;
        d->got_somewhere_at = now;
    }
    return cairn_mono_since(now, d->got_somewhere_at) >= STUCK_NS;
}

static bool should_go_back(cairn_deliberate *d, const cairn_robot_contact *contact, cairn_mono now)
{
    const bool stuck = is_stuck(d, now);
    if (d->orders.mode != CAIRN_MODE_AUTONOMOUS || !contact->heard || d->navigator.task.id == 0) { return false; }
    return contact->silent_ns >= (is_idle(d->navigator.task_state) ? LOST_NS : STUCK_NS) &&
           (is_idle(d->navigator.task_state) || stuck);
}

// The task keeps its number: what the station has given out since then is greater.
static void go_back(cairn_deliberate *d, const cairn_robot_contact *contact, cairn_mono now)
{
    const cairn_robot_task home = {.id = d->navigator.task.id, .purpose = CAIRN_PURPOSE_HOME};
    cairn_navigator_give(&d->navigator, &home);
    d->retreat = CAIRN_RETREAT_BACK;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO,
                                "nobody was heard for %.0f s: goes back the way it came, to report",
                                cairn_seconds(contact->silent_ns));
}

// The robot gives itself its next goal. False if no goal is left, or if it has gone far enough.
static bool search_on(cairn_deliberate *d)
{
    cairn_robot_task task;
    const cairn_vec2 at_m = cairn_pose2_at(d->tracker.private_T_base);
    if (!cairn_onward_next(&d->onward, &d->navigator, at_m, d->state.distance_m, &task)) { return false; }
    cairn_navigator_give(&d->navigator, &task);
    return true;
}

// Its task is done, or it gets nowhere with it. Only who has got there searches on.
static void leave_task(cairn_deliberate *d, const cairn_robot_contact *contact, cairn_mono now)
{
    const double unheard_m = fmax(d->state.distance_m - d->heard_way_m, 0.0);
    const bool done = is_idle(d->navigator.task_state);
    cairn_onward_begin(&d->onward, d->state.distance_m, unheard_m, d->heard_m);
    if (!done || !search_on(d)) {
        go_back(d, contact, now);
        return;
    }
    d->retreat = CAIRN_RETREAT_ON;
    cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "nobody was heard for %.0f s: searches on by itself",
                                cairn_seconds(contact->silent_ns));
}

// Goes from goal to goal, and back when no goal is left or the robot does not get on.
static void go_on(cairn_deliberate *d, const cairn_robot_contact *contact, cairn_mono now)
{
    const cairn_task_state state = d->navigator.task_state;
    const bool over =
        is_idle(state) || state == CAIRN_TASK_NO_WAY || cairn_onward_is_answered(&d->onward, &d->navigator);
    if (is_stuck(d, now) || (over && !search_on(d))) { go_back(d, contact, now); }
}

static void report(cairn_deliberate *d, cairn_mono now)
{
    d->retreat = CAIRN_RETREAT_REPORT;
    d->reports_until = cairn_mono_add(now, REPORT_NS_MAX);
}

static bool goes_home(const cairn_deliberate *d) { return d->navigator.task.purpose == CAIRN_PURPOSE_HOME; }

bool cairn_deliberate_heed_contact(cairn_deliberate *d, cairn_mono now)
{
    const cairn_robot_contact *contact = cairn_cell_latest(d->def.boxes.contact, NULL);
    if (contact == NULL) { return true; }
    const bool hears = contact->heard && contact->silent_ns < HEARD_NS;
    if (hears) {
        d->heard_way_m = d->state.distance_m;
        d->heard_m = cairn_pose2_at(d->tracker.private_T_base);
    }
    switch (d->retreat) {
    case CAIRN_RETREAT_NONE:
        // Who is on the way back, or there, has nowhere else to go.
        if (should_go_back(d, contact, now) && !goes_home(d)) { leave_task(d, contact, now); }
        return true;
    case CAIRN_RETREAT_ON:
        if (d->orders.mode != CAIRN_MODE_AUTONOMOUS || d->navigator.task.id == 0 || goes_home(d)) {
            d->retreat = CAIRN_RETREAT_NONE;
        } else if (hears) {
            report(d, now);
            return false;
        } else {
            go_on(d, contact, now);
        }
        return true;
    case CAIRN_RETREAT_BACK:
        // The first word may be a new task: it has to wait until the old one is told of.
        if (hears && d->orders.mode == CAIRN_MODE_AUTONOMOUS) {
            report(d, now);
            return false;
        }
        if (d->orders.mode != CAIRN_MODE_AUTONOMOUS || !goes_home(d)) { d->retreat = CAIRN_RETREAT_NONE; }
        return true;
    case CAIRN_RETREAT_REPORT:
        if (!hears && goes_home(d)) {
            d->retreat = CAIRN_RETREAT_BACK; // a step too early
        } else if (contact->unsent_count <= UNSENT_FEW || now.ns >= d->reports_until.ns ||
                   d->orders.mode != CAIRN_MODE_AUTONOMOUS) {
            d->retreat = CAIRN_RETREAT_NONE;
            return true;
        }
        return !hears;
    }
    return true;
}
