// What the mind is told: tasks and team-mates. The post has sorted them out; what is of no use here is counted.
#include "robot/deliberate/deliberate.h"

// One that comes while the robot is stopped was on the air before the stop; one that comes before the station knows
// that the trail was cut leads elsewhere.
static void take_task(cairn_deliberate *d, const cairn_msg_task *message)
{
    if (d->orders.mode == CAIRN_MODE_STOPPED || (message->task != 0 && !cairn_deliberate_shares_frame(d))) {
        d->messages_dropped_count++;
        return;
    }
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
    case CAIRN_MSG_TASK: take_task(d, &message->task); break;
    case CAIRN_MSG_TEAMMATES: take_teammates(d, &message->teammates, now); break;
    default: d->messages_dropped_count++; break;
    }
}

void cairn_deliberate_read_post(cairn_deliberate *d, cairn_mono now)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    while (cairn_inbox_take(d->def.boxes.orders, bytes, sizeof bytes, &size_bytes) == CAIRN_OK) {
        cairn_radio_message message; // not d->message: taking one may send an event
        if (cairn_radio_decode(bytes, size_bytes, &message) != CAIRN_OK) {
            d->messages_dropped_count++;
            continue;
        }
        take(d, &message, now);
    }
}
