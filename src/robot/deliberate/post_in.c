// What the mind is told: tasks, team-mates, and where it may be. The post has sorted them out; what is of no use here
// is counted.
#include "robot/deliberate/deliberate.h"

#define TELL_AREAS_NS CAIRN_MS(250) // reflex wants to hear of them once a second; its frame drifts by less than a cell

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

static void take_area(cairn_deliberate *d, const cairn_msg_area *message, cairn_mono now)
{
    const cairn_area_taken taken = cairn_robot_areas_take(&d->areas, message);
    if (taken == CAIRN_AREA_NONSENSE) { d->messages_dropped_count++; }
    if (taken != CAIRN_AREA_WHOLE) { return; }
    d->areas_told_at = (cairn_mono){0};
    cairn_deliberate_keep(d, now); // before telemetry can name this revision
    if (d->areas.kept.fences.count == 0) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "keeps to no areas any more");
    } else {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_INFO, "keeps to %u area%s", d->areas.kept.fences.count,
                                    d->areas.kept.fences.count == 1 ? "" : "s");
    }
}

// Somebody must know that a border may lie elsewhere than on the page.
static void notice_adrift(cairn_deliberate *d, bool knows_place, cairn_mono now)
{
    const bool adrift = !knows_place && d->areas.kept.fences.count > 0;
    if (adrift && !d->areas_adrift) {
        cairn_deliberate_send_event(d, now, CAIRN_LOG_WARN,
                                    "does not know its place: its areas stay where they were last, and may lie wrong");
    }
    d->areas_adrift = adrift;
}

void cairn_deliberate_tell_areas(cairn_deliberate *d, cairn_mono now)
{
    const bool lately = d->areas_told_at.ns > 0 && cairn_mono_since(now, d->areas_told_at) < TELL_AREAS_NS;
    if (lately || atomic_load(&d->over)) { return; }
    const bool knows_place = d->health.health != CAIRN_HEALTH_LOST;
    notice_adrift(d, knows_place, now);
    const cairn_pose2 odom_T_private = cairn_pose2_inverse(d->tracker.private_T_odom);
    if (!cairn_robot_areas_express(&d->areas, odom_T_private, knows_place, now)) { return; }
    cairn_cell_write(d->def.reflex->areas, &d->areas.told, sizeof d->areas.told);
    d->areas_told_at = now;
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
    case CAIRN_MSG_AREA: take_area(d, &message->area, now); break;
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
