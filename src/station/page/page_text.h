// page_text.h - the words of docs/page.md for one thing each: private to page.c.
//
// Lengths are rounded to millimetres, angles to milliradians, times to milliseconds: short, and finer than anything
// that robots know. What does not fit sets full in the json.
#pragma once
#include "messages/json.h"
#include "station/page/page.h"

// The number rounded to so many decimals, without zeros at the end; null for what is not a number.
void cairn_page_number(cairn_json *json, double value, uint32_t decimals);
void cairn_page_point(cairn_json *json, cairn_vec2 at_m);
void cairn_page_seconds(cairn_json *json, cairn_mono at);

// What has been seen of the floor.
typedef struct cairn_page_ground {
    double known_m2, searched_m2;
} cairn_page_ground;

void cairn_page_hello_robot(cairn_json *json, const cairn_fleet_robot *robot, const cairn_body_description *body);
void cairn_page_team(cairn_json *json, const cairn_station_view *view, cairn_page_ground ground); // keys, no braces
void cairn_page_robot(cairn_json *json, const cairn_fleet_robot *robot, cairn_mono now);
void cairn_page_guards(cairn_json *json, const char *key, uint32_t guards); // their names as a list, behind the key
void cairn_page_area(cairn_json *json, const cairn_fence *fence, const char *name);
void cairn_page_victim(cairn_json *json, const cairn_victim *victim, uint32_t number, double deviation_m);
void cairn_page_event(cairn_json *json, const cairn_event *event);
