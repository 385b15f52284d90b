// What the robot tells: telemetry, nodes with their terrain maps, events. Sightings are told by the watch.
#include "messages/units.h"
#include "robot/deliberate/deliberate.h"
#include <stdio.h>
#include <string.h>

// Of deviations on the air: as good as not known.
#define EDGE_M_MAX 10.0
#define EDGE_RAD_MAX 3.14

void cairn_deliberate_send(cairn_deliberate *d, cairn_inbox *box)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    if (cairn_radio_encode(&d->message, bytes, sizeof bytes, &size_bytes) != CAIRN_OK ||
        cairn_inbox_put(box, bytes, size_bytes) != CAIRN_OK) {
        d->messages_dropped_count++;
    }
}

static int16_t tilt_mrad(double tilt_rad, int16_t unknown)
{
    return isfinite(tilt_rad) ? (int16_t)cairn_to_milli(cairn_angle_wrap(tilt_rad)) : unknown;
}

void cairn_deliberate_send_telemetry(cairn_deliberate *d, cairn_mono now)
{
    const cairn_pose2 pose = cairn_tracker_pose(&d->tracker, &d->state);
    // A body without encoders cannot measure its speed: what it is told is the best guess.
    const double told_mps = isfinite(d->state.forward_mps) ? d->state.forward_mps : d->state.told_mps;
    const double forward_mps = d->reflex_silent ? 0.0 : told_mps;
    const double charge = cairn_deliberate_charge(d);
    const uint32_t guards = d->state.guards | d->lacks | cairn_deliberate_slip_bit(d, now);
    const cairn_msg_telemetry telemetry = {
        .robot = d->def.robot_id,
        .mono_ns = now.ns,
        .x_mm = cairn_to_milli(pose.x_m),
        .y_mm = cairn_to_milli(pose.y_m),
        .yaw_mrad = (int16_t)cairn_to_milli(pose.yaw_rad),
        .floor = (int8_t)d->storey.floor,
        .speed_mmps = (int16_t)cairn_to_milli(forward_mps),
        .roll_mrad = tilt_mrad(d->state.roll_rad, CAIRN_MSG_TELEMETRY_ROLL_MRAD_UNKNOWN),
        .pitch_mrad = tilt_mrad(d->state.pitch_rad, CAIRN_MSG_TELEMETRY_PITCH_MRAD_UNKNOWN),
        .mode = (uint8_t)d->orders.mode,
        .guards = (uint16_t)guards,
        .battery_pct = isnan(charge) ? CAIRN_MSG_TELEMETRY_BATTERY_PCT_UNKNOWN : (uint8_t)lround(100.0 * charge),
        .match_pct = d->tracker.matched_count > 0 ? (uint8_t)lround(100.0 * d->tracker.match.score)
                                                  : CAIRN_MSG_TELEMETRY_MATCH_PCT_UNKNOWN,
        .task = d->navigator.task.id,
        .task_state = (uint8_t)d->navigator.task_state,
        .release_count = d->orders.release_count,
        .order = d->orders.order,
        .guards_more = (uint16_t)(guards >> CAIRN_GUARD_BITS_FIRST),
        .health = (uint8_t)d->health.health,
        .health_reason = (uint8_t)d->health.reason,
        .condition = (uint8_t)cairn_escape_tells(&d->navigator.escape, d->condition.said),
        .escape = (uint8_t)cairn_escape_told(&d->navigator.escape),
        .overridden = d->state.overridden,
        .areas = d->areas.kept.revision,
    };
    cairn_cell_write(d->def.boxes.telemetry, &telemetry, sizeof telemetry);
}

static void send_terrain(cairn_deliberate *d)
{
    const cairn_terrain_planes *planes = &d->planes;
    const cairn_robot_contact *contact = cairn_cell_latest(d->def.boxes.contact, NULL);
    d->message = (cairn_radio_message){.id = CAIRN_MSG_TERRAIN_GRID};
    cairn_msg_terrain_grid *map = &d->message.terrain_grid;
    map->robot = d->def.robot_id;
    map->node = d->node_count;
    map->cell_mm = (uint16_t)cairn_to_milli(planes->cell_m);
    map->width = (uint16_t)planes->width;
    map->height = (uint16_t)planes->height;
    map->x_mm = cairn_to_milli(d->planes_middle_m.x + planes->origin_m.x);
    map->y_mm = cairn_to_milli(d->planes_middle_m.y + planes->origin_m.y);
    const uint32_t acknowledged_node = contact != NULL ? contact->terrain_node : 0;
    if (cairn_sent_maps_code(&d->sent, planes, acknowledged_node, map) != CAIRN_OK) {
        d->messages_dropped_count++;
        return;
    }
    cairn_deliberate_send(d, d->def.boxes.survey);
}

void cairn_deliberate_send_node(cairn_deliberate *d)
{
    d->message = (cairn_radio_message){.id = CAIRN_MSG_NODE};
    d->message.node = (cairn_msg_node){
        .robot = d->def.robot_id,
        .node = d->node_count,
        .mono_ns = d->node_at.ns,
        .floor = (int8_t)d->storey.floor,
        .x_mm = cairn_to_milli(d->private_T_node.x_m),
        .y_mm = cairn_to_milli(d->private_T_node.y_m),
        .yaw_urad = cairn_to_micro(d->private_T_node.yaw_rad),
        .edge_x_um = cairn_to_micro(d->node_edge.x_m),
        .edge_y_um = cairn_to_micro(d->node_edge.y_m),
        .edge_yaw_urad = cairn_to_micro(d->node_edge.yaw_rad),
        .edge_xy_um_dev = (uint32_t)cairn_to_micro(fmin(d->node_edge_deviation.way_m, EDGE_M_MAX)),
        .edge_yaw_urad_dev = (uint32_t)cairn_to_micro(fmin(d->node_edge_deviation.turn_rad, EDGE_RAD_MAX)),
        .stretch = (uint16_t)d->stretch,
    };
    cairn_deliberate_send(d, d->def.boxes.survey);
    if (cairn_hold_is_firm(&d->tracker.hold)) { send_terrain(d); } // or it would be drawn where it is not
}

void cairn_deliberate_send_event(cairn_deliberate *d, cairn_mono now, cairn_log_level level, const char *format, ...)
{
    char text[201];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    d->message = (cairn_radio_message){.id = CAIRN_MSG_EVENT};
    cairn_msg_event *event = &d->message.event;
    event->robot = d->def.robot_id;
    event->mono_ns = now.ns;
    event->level = (uint8_t)level;
    event->text_count = (uint16_t)(length < 0 ? 0 : length < 200 ? length : 200);
    memcpy(event->text, text, event->text_count);
    cairn_deliberate_send(d, d->def.boxes.reports);
    cairn_log_line(&d->def.log, now, level, "%s", text);
}
