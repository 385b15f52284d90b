#include "station/areas/areas.h"
#include "messages/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OFF_M 0.2               // a corner that lies so far from where it was meant is told again
#define AGAIN_NS CAIRN_S(2)     // longer than telemetry takes to tell of it
#define UNDER_WAY_MAX 16u       // tasks and areas on their way to a robot, beyond which none is added
#define CORNER_MM_MAX 2000000.0 // on the air

static bool are_same(const cairn_team_areas *a, const cairn_team_areas *b)
{
    if (a->fences.count != b->fences.count) { return false; }
    for (uint32_t i = 0; i < a->fences.count; i++) {
        const cairn_fence *one = &a->fences.fences[i], *other = &b->fences.fences[i];
        if (one->kind != other->kind || one->corner_count != other->corner_count ||
            strcmp(a->names[i], b->names[i]) != 0) {
            return false;
        }
        for (uint32_t k = 0; k < one->corner_count; k++) {
            if (cairn_vec2_distance(one->corners_m[k], other->corners_m[k]) > 0) { return false; }
        }
    }
    return true;
}

static void tell_of_change(const cairn_team_areas *areas, cairn_events *events, cairn_mono now)
{
    char text[160] = "";
    size_t used = 0;
    if (areas->fences.count == 0) {
        cairn_events_add(events, now, CAIRN_LOG_WARN, 0, "areas: none; robots may be everywhere");
        return;
    }
    for (uint32_t i = 0; i < areas->fences.count && used < sizeof text; i++) {
        const bool keep_in = areas->fences.fences[i].kind == CAIRN_FENCE_KEEP_IN;
        const int more = snprintf(text + used, sizeof text - used, "%s%s %s", i > 0 ? ", " : "",
                                  keep_in ? "keep in" : "keep out of", areas->names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    cairn_events_add(events, now, CAIRN_LOG_INFO, 0, "areas: %s", text);
}

void cairn_areas_set(cairn_team_areas *areas, const cairn_team_areas *wanted, cairn_events *events, cairn_mono now)
{
    CAIRN_ASSERT(wanted->fences.count <= CAIRN_FENCES_MAX);
    if (are_same(areas, wanted)) { return; }
    const uint32_t change_count = areas->change_count + 1;
    *areas = *wanted;
    areas->change_count = change_count;
    tell_of_change(areas, events, now);
}

bool cairn_areas_agree(const cairn_fleet_robot *robot) { return robot->telemetry.areas == robot->areas.revision; }

// Whether what the robot was told lies elsewhere in the map by now.
static bool is_off(const cairn_team_areas *areas, const cairn_fleet_robot *robot)
{
    const cairn_pose2 meant_T_told =
        cairn_pose2_compose(robot->map_T_private, cairn_pose2_inverse(robot->areas.told_T));
    for (uint32_t i = 0; i < areas->fences.count; i++) {
        const cairn_fence *fence = &areas->fences.fences[i];
        for (uint32_t k = 0; k < fence->corner_count; k++) {
            const cairn_vec2 lies_at_m = cairn_pose2_apply(meant_T_told, fence->corners_m[k]);
            if (cairn_vec2_distance(lies_at_m, fence->corners_m[k]) > OFF_M) { return true; }
        }
    }
    return false;
}

static int32_t on_air_mm(double value_m)
{
    return (int32_t)lround(fmin(fmax(1e3 * value_m, -CORNER_MM_MAX), CORNER_MM_MAX));
}

static void say(const cairn_team_areas *areas, uint32_t at, const cairn_voice *voice, cairn_fleet_robot *robot,
                cairn_mono now)
{
    cairn_radio_message message = {.id = CAIRN_MSG_AREA};
    cairn_msg_area *area = &message.area;
    area->robot = robot->id;
    area->revision = robot->areas.revision;
    area->count = (uint8_t)areas->fences.count;
    area->index = (uint8_t)at;
    if (at < areas->fences.count) {
        const cairn_pose2 private_T_map = cairn_pose2_inverse(robot->areas.told_T);
        const cairn_fence told = cairn_fence_moved(&areas->fences.fences[at], private_T_map);
        area->kind = (uint8_t)told.kind;
        area->x_mm_count = area->y_mm_count = (uint16_t)told.corner_count;
        for (uint32_t i = 0; i < told.corner_count; i++) {
            area->x_mm[i] = on_air_mm(told.corners_m[i].x);
            area->y_mm[i] = on_air_mm(told.corners_m[i].y);
        }
    }
    cairn_voice_say(voice, robot, &message, now);
}

// All of them, or that there are none.
static void say_all(const cairn_team_areas *areas, const cairn_voice *voice, cairn_fleet_robot *robot, cairn_mono now)
{
    uint32_t at = 0;
    do {
        say(areas, at++, voice, robot, now);
    } while (at < areas->fences.count);
    robot->areas.said = now;
}

// A robot that is older would drop them; somebody must know that nothing keeps it in.
static void tell_of_unable(const cairn_team_areas *areas, cairn_fleet_robot *robot, cairn_events *events,
                           cairn_mono now)
{
    if (areas->fences.count == 0 || robot->areas.change_count == areas->change_count) { return; }
    robot->areas.change_count = areas->change_count;
    cairn_events_add(events, now, CAIRN_LOG_WARN, robot->id,
                     "%s knows nothing of areas: it is only sent nowhere else; update its program", robot->name);
}

// Whether what it was told last is no longer what it is to keep to, or somebody else has told it since.
static bool is_outdated(const cairn_team_areas *areas, const cairn_fleet_robot *robot)
{
    const cairn_fleet_areas *told = &robot->areas;
    if (told->revision == 0 && areas->fences.count > 0) { return true; }
    if (robot->telemetry.areas > told->revision || told->change_count != areas->change_count) { return true; }
    return is_off(areas, robot);
}

static void step_robot(const cairn_team_areas *areas, const cairn_voice *voice, cairn_fleet_robot *robot,
                       cairn_events *events, cairn_mono now)
{
    if (!robot->heard || robot->lost || robot->facts.task_count >= UNDER_WAY_MAX) { return; }
    if (robot->telemetry.areas == CAIRN_MSG_TELEMETRY_AREAS_UNKNOWN) {
        tell_of_unable(areas, robot, events, now);
    } else if (is_outdated(areas, robot)) {
        robot->areas.count = robot->areas.count > robot->telemetry.areas ? robot->areas.count : robot->telemetry.areas;
        robot->areas.revision = ++robot->areas.count;
        robot->areas.change_count = areas->change_count;
        robot->areas.told_T = robot->map_T_private;
        say_all(areas, voice, robot, now);
    } else if (!cairn_areas_agree(robot) && robot->facts.task_count == 0 &&
               cairn_mono_since(now, robot->areas.said) >= AGAIN_NS && robot->heard_at.ns > robot->areas.said.ns) {
        say_all(areas, voice, robot, now);
    }
}

void cairn_areas_step(const cairn_team_areas *areas, const cairn_voice *voice, cairn_events *events, cairn_mono now)
{
    for (uint32_t i = 0; i < voice->fleet->count; i++) {
        step_robot(areas, voice, &voice->fleet->robots[i], events, now);
    }
}
