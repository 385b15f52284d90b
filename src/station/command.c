#include "station/command.h"
#include "robot/modes.h"

#define ORDER_AGAIN_NS CAIRN_S(2) // longer than telemetry takes to tell of it
#define STOP_AGAIN_NS CAIRN_S(1)

bool cairn_command_is_stopped(const cairn_fleet_robot *robot)
{
    return robot->stop.wanted || !robot->stop.acknowledged;
}

bool cairn_command_order_taken(const cairn_fleet_robot *robot)
{
    const uint32_t taken = robot->telemetry.order;
    return taken == CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN ? robot->telemetry.mode == robot->order.mode
                                                      : taken == robot->order.order;
}

static void say_order(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_radio_message message = {
        .id = CAIRN_MSG_MODE_ORDER,
        .mode_order = {.robot = robot->id, .order = robot->order.order, .mode = robot->order.mode}};
    robot->order.unsaid = robot->facts.mode_count >= CAIRN_VOICE_ORDERS_MAX;
    if (!robot->order.unsaid) { cairn_voice_say(command->voice, robot, &message, now); }
    robot->order.sent = now;
}

void cairn_command_order(cairn_command *command, cairn_fleet_robot *robot, uint8_t mode, cairn_mono now)
{
    CAIRN_ASSERT(mode < CAIRN_MODE_COUNT && mode != CAIRN_MODE_STOPPED);
    robot->order.mode = mode;
    robot->order.order = ++robot->order.count;
    if (!cairn_command_is_stopped(robot)) { say_order(command, robot, now); }
}

static void say_stop(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_radio_message message = {
        .id = CAIRN_MSG_STOP,
        .stop = {.robot = robot->id, .stop = robot->stop.wanted, .release_count = robot->stop.release_count}};
    cairn_voice_say(command->voice, robot, &message, now);
    robot->stop.sent = now;
}

void cairn_command_stop(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    robot->stop.wanted = true;
    robot->stop.acknowledged = false; // even if it stands: it is to hear this one
    robot->stop.held = false;
    say_stop(command, robot, now);
}

// Orders, tasks and stops have streams of their own: an order from before the stop, lost on the air and sent again,
// could arrive after the release and set the robot going. While stopped it takes none.
static void say_release(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    robot->stop.held = robot->facts.mode_count > 0 || robot->facts.task_count > 0;
    if (!robot->stop.held) { say_stop(command, robot, now); }
}

void cairn_command_release(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    const uint32_t seen = robot->telemetry.release_count;
    if (seen > robot->stop.release_count) { robot->stop.release_count = seen; }
    robot->stop.release_count++;
    robot->stop.wanted = false;
    robot->stop.acknowledged = false;
    cairn_command_order(command, robot, CAIRN_MODE_IDLE, now); // said when the release is acknowledged
    say_release(command, robot, now);
}

static void acknowledge_release(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    robot->stop.acknowledged = true;
    cairn_events_add(command->events, now, CAIRN_LOG_INFO, robot->id, "%s is released and idle", robot->name);
    say_order(command, robot, now);
}

static void hear_stop(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    cairn_fleet_stop *stop = &robot->stop;
    const bool stands = robot->telemetry.mode == CAIRN_MODE_STOPPED;
    if (stop->wanted) {
        if (stands && !stop->acknowledged) {
            cairn_events_add(command->events, now, CAIRN_LOG_INFO, robot->id, "%s is stopped", robot->name);
        }
        stop->acknowledged = stands;
    } else if (!stop->acknowledged) {
        const bool released = !stands && robot->telemetry.release_count >= stop->release_count;
        if (released) { acknowledge_release(command, robot, now); }
    } else if (stands) { // by a station before this one: that stop is not to be forgotten
        *stop = (cairn_fleet_stop){.wanted = true, .acknowledged = true, .release_count = stop->release_count};
        cairn_events_add(command->events, now, CAIRN_LOG_WARN, robot->id, "%s says that it is stopped: release it",
                         robot->name);
    }
}

// Orders count up. A robot that names an older one was started again: it counts its way from where it stands now, and
// nobody knows where that is. It is not set going by itself.
static void notice_restart(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    const uint32_t taken = robot->telemetry.order;
    if (taken == CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN) { return; }
    const bool forgot = taken < robot->order.named;
    robot->order.named = taken;
    if (!forgot || robot->order.mode == CAIRN_MODE_IDLE) { return; }
    robot->assignment.task = 0;
    cairn_command_order(command, robot, CAIRN_MODE_IDLE, now);
    cairn_events_add(command->events, now, CAIRN_LOG_WARN, robot->id,
                     "%s has forgotten its orders, and waits: where it stands is not known", robot->name);
}

// A robot names only orders that it was told. A newer one than ours is of a station that could not keep it: its disk
// was full, or it fell too early. That one counts: a robot that was left idle must not be set going by what was before.
static void take_over_order(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_msg_telemetry *told = &robot->telemetry;
    if (told->order == CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN || robot->order.order == 0 ||
        told->order <= robot->order.order) {
        return;
    }
    robot->order.order = told->order;
    robot->order.unsaid = false;
    if (told->mode == robot->order.mode) { return; }
    robot->order.mode = told->mode == CAIRN_MODE_STOPPED ? CAIRN_MODE_IDLE : told->mode;
    robot->assignment.task = 0;
    cairn_events_add(command->events, now, CAIRN_LOG_WARN, robot->id,
                     "%s follows an order that this station does not know of, and is left so: %s", robot->name,
                     cairn_mode_name((cairn_mode)told->mode));
}

void cairn_command_hear(cairn_command *command, cairn_fleet_robot *robot, bool first, uint8_t start_mode,
                        cairn_mono now)
{
    hear_stop(command, robot, now);
    take_over_order(command, robot, now);
    notice_restart(command, robot, now);
    if (!first) { return; }
    if (command->stop_all) { cairn_command_stop(command, robot, now); }
    cairn_command_order(command, robot, start_mode, now);
}

// A robot that was started again is not stopped and has seen no release: it will never count this one. Stops come in
// order, so once the release has arrived, what telemetry says afterwards is how it is.
static void say_stop_again(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    if (robot->facts.stop_count > 0) {
        robot->stop.sent = now;
        return;
    }
    const bool heard_since = robot->heard_at.ns > robot->stop.sent.ns;
    if (!robot->stop.wanted && heard_since && robot->telemetry.mode != CAIRN_MODE_STOPPED) {
        acknowledge_release(command, robot, now);
    } else {
        say_stop(command, robot, now);
    }
}

static void say_order_again(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    if (robot->facts.mode_count > 0) {
        robot->order.sent = now;
        return;
    }
    say_order(command, robot, now);
}

static void step_robot(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now)
{
    if (!robot->heard) { return; }
    if (robot->stop.held) {
        say_release(command, robot, now);
        return;
    }
    if (!robot->stop.acknowledged && cairn_mono_since(now, robot->stop.sent) >= STOP_AGAIN_NS) {
        say_stop_again(command, robot, now);
    }
    if (cairn_command_is_stopped(robot) || robot->order.order == 0) { return; }
    if (robot->order.unsaid) { say_order(command, robot, now); }
    if (robot->lost) { return; }
    if (!cairn_command_order_taken(robot) && cairn_mono_since(now, robot->order.sent) >= ORDER_AGAIN_NS) {
        say_order_again(command, robot, now);
    }
}

void cairn_command_step(cairn_command *command, cairn_mono now)
{
    for (uint32_t i = 0; i < command->fleet->count; i++) { step_robot(command, &command->fleet->robots[i], now); }
}
