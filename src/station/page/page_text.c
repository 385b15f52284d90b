#include "station/page/page_text.h"
#include "robot/condition_names.h"
#include "robot/guard_names.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MM 3    // decimals of metres and radians, and of seconds for times
#define TENTH 1 // decimals of square metres and degrees
#define PART 2  // decimals of what runs from 0 to 1
#define MICRO 6 // decimals of clock offsets: they are known to fractions of a millisecond

void cairn_page_number(cairn_json *json, double value, uint32_t decimals)
{
    static const long long powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    CAIRN_ASSERT(decimals < sizeof powers / sizeof *powers);
    if (!(fabs(value) < 1e12)) {
        cairn_json_raw(json, "null");
        return;
    }
    const long long units = llround(value * (double)powers[decimals]);
    const long long whole = llabs(units) / powers[decimals];
    long long part = llabs(units) % powers[decimals];
    while (decimals > 0 && part % 10 == 0) {
        part /= 10;
        decimals--;
    }
    char text[64];
    int length = snprintf(text, sizeof text, "%s%lld", units < 0 ? "-" : "", whole);
    if (decimals > 0) { (void)snprintf(text + length, sizeof text - (size_t)length, ".%0*lld", (int)decimals, part); }
    cairn_json_raw(json, text);
}

void cairn_page_point(cairn_json *json, cairn_vec2 at_m)
{
    cairn_json_raw(json, "[");
    cairn_page_number(json, at_m.x, MM);
    cairn_json_raw(json, ",");
    cairn_page_number(json, at_m.y, MM);
    cairn_json_raw(json, "]");
}

// Rounded down: what a page says it was shown must not lie in the future.
void cairn_page_seconds(cairn_json *json, cairn_mono at)
{
    const int64_t whole_ms = at.ns / CAIRN_MS(1);
    cairn_page_number(json, (double)whole_ms * 1e-3, MM);
}

// A key with what leads up to it: `{"id":`, `,"x":`.
static void put_number(cairn_json *json, const char *key, double value, uint32_t decimals)
{
    cairn_json_raw(json, key);
    cairn_page_number(json, value, decimals);
}

static void put_point(cairn_json *json, const char *key, cairn_vec2 at_m)
{
    cairn_json_raw(json, key);
    cairn_page_point(json, at_m);
}

static void put_seconds(cairn_json *json, const char *key, cairn_mono at)
{
    cairn_json_raw(json, key);
    cairn_page_seconds(json, at);
}

static void put_truth(cairn_json *json, const char *key, bool value)
{
    cairn_json_raw(json, key);
    cairn_json_raw(json, value ? "true" : "false");
}

static void put_text(cairn_json *json, const char *key, const char *value)
{
    cairn_json_raw(json, key);
    cairn_json_string(json, value, strlen(value));
}

static void put_percent(cairn_json *json, const char *key, uint8_t value, uint8_t unknown)
{
    put_number(json, key, value == unknown ? NAN : value, 0);
}

void cairn_page_hello_robot(cairn_json *json, const cairn_fleet_robot *robot, const cairn_body_description *body)
{
    put_number(json, "{\"id\":", robot->id, 0);
    put_text(json, ",\"name\":", robot->name);
    put_number(json, ",\"length\":", body->length_m, MM);
    put_number(json, ",\"width\":", body->width_m, MM);
    put_number(json, ",\"speed_max\":", body->limits.speed_mps_max, MM);
    put_number(json, ",\"thermal_field\":", body->thermal.offered ? body->thermal.field_rad : 0.0, MM);
    cairn_json_raw(json, "}");
}

void cairn_page_team(cairn_json *json, const cairn_station_view *view, cairn_page_ground ground)
{
    put_truth(json, "\"done\":", view->done);
    put_number(json, ",\"explored_m2\":", ground.known_m2, TENTH);
    put_number(json, ",\"searched_m2\":", ground.searched_m2, TENTH);
    put_truth(json, ",\"stop_all\":", view->stop_all);
}

static void pose(cairn_json *json, const cairn_fleet_robot *robot)
{
    const cairn_msg_telemetry *telemetry = &robot->telemetry;
    put_number(json, ",\"x\":", robot->map_T_base.x_m, MM);
    put_number(json, ",\"y\":", robot->map_T_base.y_m, MM);
    put_number(json, ",\"yaw\":", robot->map_T_base.yaw_rad, MM);
    put_number(json, ",\"speed\":", telemetry->speed_mmps * 1e-3, MM);
    if (telemetry->roll_mrad != CAIRN_MSG_TELEMETRY_ROLL_MRAD_UNKNOWN) {
        put_number(json, ",\"roll\":", telemetry->roll_mrad * 1e-3, MM);
    }
    if (telemetry->pitch_mrad != CAIRN_MSG_TELEMETRY_PITCH_MRAD_UNKNOWN) {
        put_number(json, ",\"pitch\":", telemetry->pitch_mrad * 1e-3, MM);
    }
}

void cairn_page_guards(cairn_json *json, const char *key, uint32_t guards)
{
    bool any = false;
    cairn_json_raw(json, key);
    for (uint32_t bit = 0; bit < CAIRN_GUARD_BITS; bit++) {
        if (!(guards & 1u << bit) || cairn_guard_name(bit) == NULL) { continue; }
        put_text(json, any ? "," : "[", cairn_guard_name(bit));
        any = true;
    }
    cairn_json_raw(json, any ? "]" : "[]");
}

// What it would stop for, had the operator not switched it off; null: its program is older.
static void overridden(cairn_json *json, const cairn_msg_telemetry *telemetry)
{
    if (telemetry->overridden == CAIRN_MSG_TELEMETRY_OVERRIDDEN_UNKNOWN) {
        cairn_json_raw(json, ",\"overridden\":null");
    } else {
        cairn_page_guards(json, ",\"overridden\":", telemetry->overridden);
    }
}

// What has become of it, with what to do, and how well it knows its place; null where nothing is wrong or nothing told.
static void itself(cairn_json *json, const cairn_fleet_robot *robot)
{
    const cairn_msg_telemetry *telemetry = &robot->telemetry;
    const char *condition = cairn_condition_name(telemetry->condition);
    if (condition == NULL || telemetry->condition == CAIRN_CONDITION_WELL) {
        cairn_json_raw(json, ",\"condition\":null");
    } else {
        put_text(json, ",\"condition\":{\"name\":", condition);
        put_text(json, ",\"advice\":", cairn_condition_advice(telemetry->condition));
        put_truth(json, ",\"needs_help\":", telemetry->escape == CAIRN_ESCAPE_NEEDS_HELP);
        cairn_json_raw(json, "}");
    }
    const bool unplaced = robot->unplaced; // whatever it says: that is about its own trail
    const char *health = cairn_health_name(unplaced ? CAIRN_HEALTH_LOST : telemetry->health),
               *reason = unplaced ? "place unknown: looked for on the map"
                                  : cairn_health_reason_name(telemetry->health_reason);
    if (health == NULL) {
        cairn_json_raw(json, ",\"health\":null");
        return;
    }
    put_text(json, ",\"health\":{\"name\":", health);
    put_text(json, ",\"reason\":", reason != NULL ? reason : "");
    cairn_json_raw(json, "}");
}

static void radio(cairn_json *json, const cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_link_info *link = &robot->link;
    put_text(json, ",\"link\":{\"state\":", cairn_link_state_name(link->state));
    put_number(json, ",\"quality\":", cairn_fleet_link_quality(robot, now), PART);
    put_number(json, ",\"loss\":", link->loss, PART);
    put_number(json, ",\"unheard\":", cairn_seconds(link->unheard_ns), TENTH);
    put_number(json, ",\"round_trip\":", cairn_seconds(link->round_trip_ns), MM);
    if (link->clock.uncertainty_ns == INT64_MAX) {
        cairn_json_raw(json, ",\"clock\":null}");
        return;
    }
    put_truth(json, ",\"clock\":{\"synchronised\":", link->clock.synchronised);
    put_number(json, ",\"offset\":", cairn_seconds(link->clock.offset_ns), MICRO);
    put_number(json, ",\"uncertainty\":", cairn_seconds(link->clock.uncertainty_ns), MICRO - 2);
    cairn_json_raw(json, "}}");
}

static void order(cairn_json *json, const cairn_fleet_robot *robot)
{
    if (robot->order.order == 0) {
        cairn_json_raw(json, ",\"order\":null");
        return;
    }
    put_number(json, ",\"order\":{\"mode\":", robot->order.mode, 0);
    put_truth(json, ",\"taken\":", robot->telemetry.order == robot->order.order);
    cairn_json_raw(json, "}");
}

static const char *purpose_name(uint8_t purpose)
{
    static const char *const names[] = {[CAIRN_PURPOSE_GO] = "go",
                                        [CAIRN_PURPOSE_EXPLORE] = "explore",
                                        [CAIRN_PURPOSE_LOOK] = "look",
                                        [CAIRN_PURPOSE_HOME] = "home"};
    return purpose < sizeof names / sizeof *names ? names[purpose] : "unknown";
}

// A robot that has not heard of its task yet is not working on it.
static const char *task_state_name(const cairn_fleet_robot *robot)
{
    static const char *const names[] = {[CAIRN_TASK_NONE] = "none",
                                        [CAIRN_TASK_UNDER_WAY] = "under way",
                                        [CAIRN_TASK_DONE] = "done",
                                        [CAIRN_TASK_BLOCKED] = "blocked",
                                        [CAIRN_TASK_NO_WAY] = "no way"};
    const uint8_t state = robot->telemetry.task_state;
    if (robot->telemetry.task != robot->assignment.task) { return names[CAIRN_TASK_NONE]; }
    return state < sizeof names / sizeof *names ? names[state] : "unknown";
}

static void task(cairn_json *json, const cairn_fleet_robot *robot)
{
    const cairn_assignment *assignment = &robot->assignment;
    if (assignment->task == 0) {
        cairn_json_raw(json, ",\"task\":null");
        return;
    }
    put_number(json, ",\"task\":{\"id\":", assignment->task, 0);
    put_text(json, ",\"purpose\":", purpose_name(assignment->purpose));
    put_text(json, ",\"state\":", task_state_name(robot));
    put_point(json, ",\"goal\":", cairn_pose2_at(assignment->goal));
    put_point(json, ",\"target\":", assignment->target_m);
    cairn_json_raw(json, ",\"way\":[");
    CAIRN_ASSERT(assignment->via_count <= CAIRN_VIAS_MAX);
    for (uint32_t i = 0; i < assignment->via_count; i++) { put_point(json, i > 0 ? "," : "", assignment->via_m[i]); }
    cairn_json_raw(json, "]}");
}

void cairn_page_robot(cairn_json *json, const cairn_fleet_robot *robot, cairn_mono now)
{
    const cairn_msg_telemetry *telemetry = &robot->telemetry;
    put_number(json, "{\"id\":", robot->id, 0);
    pose(json, robot);
    put_number(json, ",\"mode\":", telemetry->mode, 0);
    put_seconds(json, ",\"heard\":", robot->heard_at);
    put_truth(json, ",\"lost\":", robot->lost);
    put_percent(json, ",\"battery\":", telemetry->battery_pct, CAIRN_MSG_TELEMETRY_BATTERY_PCT_UNKNOWN);
    put_percent(json, ",\"match\":", telemetry->match_pct, CAIRN_MSG_TELEMETRY_MATCH_PCT_UNKNOWN);
    cairn_page_guards(json, ",\"guards\":", cairn_fleet_guards(robot));
    overridden(json, telemetry);
    put_truth(json, ",\"areas\":", cairn_areas_agree(robot));
    itself(json, robot);
    radio(json, robot, now);
    order(json, robot);
    put_truth(json, ",\"stop\":{\"wanted\":", robot->stop.wanted);
    put_truth(json, ",\"acknowledged\":", robot->stop.acknowledged);
    cairn_json_raw(json, "}");
    task(json, robot);
    cairn_json_raw(json, "}");
}

void cairn_page_area(cairn_json *json, const cairn_fence *fence, const char *name)
{
    put_text(json, "{\"name\":", name);
    put_text(json, ",\"kind\":", fence->kind == CAIRN_FENCE_KEEP_IN ? "keep_in" : "keep_out");
    cairn_json_raw(json, ",\"corners\":[");
    for (uint32_t i = 0; i < fence->corner_count; i++) { put_point(json, i > 0 ? "," : "", fence->corners_m[i]); }
    cairn_json_raw(json, "]}");
}

void cairn_page_victim(cairn_json *json, const cairn_victim *victim, uint32_t number, double deviation_m)
{
    put_number(json, "{\"number\":", number, 0);
    if (victim->same_as != 0) {
        put_number(json, ",\"same_as\":", victim->same_as, 0);
        cairn_json_raw(json, "}");
        return;
    }
    put_number(json, ",\"x\":", victim->at_m.x, MM);
    put_number(json, ",\"y\":", victim->at_m.y, MM);
    put_number(json, ",\"floor\":", victim->floor, 0);
    if (victim->has_z) { put_number(json, ",\"z\":", victim->z_m, PART); }
    put_number(json, ",\"deviation\":", deviation_m, PART);
    put_number(json, ",\"temperature\":", victim->temperature_c, TENTH);
    put_number(json, ",\"confidence\":", victim->confidence_pct, 0);
    put_number(json, ",\"found_by\":", victim->found_by, 0);
    put_seconds(json, ",\"first_seen\":", victim->first_seen);
    put_seconds(json, ",\"last_seen\":", victim->last_seen);
    put_number(json, ",\"sightings\":", victim->sighting_count, 0);
    cairn_json_raw(json, "}");
}

void cairn_page_event(cairn_json *json, const cairn_event *event)
{
    put_number(json, "{\"number\":", (double)event->number, 0);
    put_seconds(json, ",\"t\":", event->at);
    put_text(json, ",\"level\":",
             event->level >= CAIRN_LOG_ERROR  ? "error"
             : event->level >= CAIRN_LOG_WARN ? "warn"
                                              : "info");
    put_number(json, ",\"robot\":", event->robot, 0);
    put_text(json, ",\"text\":", event->text);
    cairn_json_raw(json, "}");
}
