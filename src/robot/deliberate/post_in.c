// What the robot is told: stick, modes, stop, tasks and team-mates. A message for somebody else, of an unknown kind or
// out of range is dropped and counted; nothing here can move a wheel but through the cells that reflex checks.
#include "robot/deliberate/deliberate.h"

static bool is_for_us(const cairn_deliberate *d, uint8_t robot) { return robot == d->def.robot_id; }

static void take_stick(cairn_deliberate *d, const cairn_msg_stick *stick, cairn_mono now)
{
    // Older ones that arrive late are dropped; the difference is signed so that the count may wrap.
    if (d->stick_seen && (int32_t)(stick->sequence - d->stick_sequence) <= 0) { return; }
    d->stick_seen = true;
    d->stick_sequence = stick->sequence;
    const cairn_stick state = {.received = now,
                               .forward = stick->forward_pct / 100.0,
                               .turn = stick->turn_pct / 100.0,
                               .dead_man = stick->dead_man != 0};
    cairn_cell_write(d->def.behaviour->stick, &state, sizeof state);
}

static void take_stop(cairn_deliberate *d, const cairn_msg_stop *stop, cairn_mono now)
{
    if (stop->stop) {
        if (!d->stop.stop) {
            d->stop.stop = true;
            cairn_deliberate_set_mode(d, CAIRN_MODE_STOPPED, now);
        }
    } else if (d->stop.stop && stop->release_count > d->stop.release_count) {
        d->stop.stop = false;
        d->stop.release_count = stop->release_count;
        // Released robots wait to be told what to do: a release must not start a motion.
        cairn_deliberate_set_mode(d, CAIRN_MODE_IDLE, now);
    }
    d->stop.issued = now;
    cairn_cell_write(d->def.reflex->stop, &d->stop, sizeof d->stop);
}

static void take_mode(cairn_deliberate *d, const cairn_msg_mode_order *order, cairn_mono now)
{
    if (d->stop.stop || order->mode == CAIRN_MODE_STOPPED) { return; } // only a stop message stops and releases
    cairn_deliberate_set_mode(d, (cairn_mode)order->mode, now);
}

static void take_task(cairn_deliberate *d, const cairn_msg_task *message)
{
    cairn_robot_task task = {.id = message->task, .purpose = message->purpose};
    task.face_at_end = message->end_yaw_mrad != CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN;
    task.end_yaw_rad = task.face_at_end ? message->end_yaw_mrad * 1e-3 : 0.0;
    task.via_count = message->via_x_mm_count;
    for (uint32_t i = 0; i < task.via_count; i++) {
        task.via_m[i] = (cairn_vec2){message->via_x_mm[i] * 1e-3, message->via_y_mm[i] * 1e-3};
    }
    cairn_navigator_give(&d->navigator, &task);
}

static void take_teammates(cairn_deliberate *d, const cairn_msg_teammates *message, cairn_mono now)
{
    cairn_teammates *teammates = &d->navigator.teammates;
    teammates->count = message->x_mm_count < CAIRN_MOVING_THINGS_MAX ? message->x_mm_count : CAIRN_MOVING_THINGS_MAX;
    for (uint32_t i = 0; i < teammates->count; i++) {
        teammates->mates[i] = (cairn_teammate){
            .at = cairn_mono_add(now, -CAIRN_MS(message->age_ms[i])),
            .private_T_base = {message->x_mm[i] * 1e-3, message->y_mm[i] * 1e-3, message->yaw_mrad[i] * 1e-3},
            .forward_mps = message->speed_mmps[i] * 1e-3};
    }
}

static void take(cairn_deliberate *d, const cairn_radio_message *message, cairn_mono now)
{
    switch (message->id) {
    case CAIRN_MSG_STICK:
        if (is_for_us(d, message->stick.robot)) { take_stick(d, &message->stick, now); }
        break;
    case CAIRN_MSG_MODE_ORDER:
        if (is_for_us(d, message->mode_order.robot)) { take_mode(d, &message->mode_order, now); }
        break;
    case CAIRN_MSG_STOP:
        if (message->stop.robot == 0 || is_for_us(d, message->stop.robot)) { take_stop(d, &message->stop, now); }
        break;
    case CAIRN_MSG_TASK:
        if (is_for_us(d, message->task.robot)) { take_task(d, &message->task); }
        break;
    case CAIRN_MSG_TEAMMATES:
        if (is_for_us(d, message->teammates.robot)) { take_teammates(d, &message->teammates, now); }
        break;
    default: d->messages_dropped_count++; break;
    }
}

void cairn_deliberate_read_post(cairn_deliberate *d, cairn_mono now)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    while (cairn_inbox_take(d->def.inbox, bytes, sizeof bytes, &size_bytes) == CAIRN_OK) {
        cairn_radio_message message; // not d->message: taking one may send an event
        if (cairn_radio_decode(bytes, size_bytes, &message) != CAIRN_OK) {
            d->messages_dropped_count++;
            continue;
        }
        take(d, &message, now);
    }
}
