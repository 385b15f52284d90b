#include "station/replay/walks.h"
#include <string.h>

void cairn_walk_facts(cairn_archive *archive, cairn_link_facts *facts)
{
    cairn_archive_u8(archive, &facts->stop_count, UINT8_MAX);
    cairn_archive_u8(archive, &facts->mode_count, UINT8_MAX);
    cairn_archive_u8(archive, &facts->task_count, UINT8_MAX);
    cairn_archive_u64(archive, &facts->peer_session);
    cairn_archive_u8(archive, &facts->other_version, UINT8_MAX);
    cairn_archive_u8(archive, &facts->unknown_id, UINT8_MAX);
}

// Whatever an operator may have asked: the figures are judged by whoever does it.
void cairn_walk_action(cairn_archive *archive, cairn_operator_action *action)
{
    uint8_t verb = (uint8_t)((unsigned)action->verb < UINT8_MAX ? (unsigned)action->verb : UINT8_MAX);
    cairn_archive_u8(archive, &verb, UINT8_MAX);
    if (cairn_archive_loads(archive)) { action->verb = (cairn_operator_verb)verb; }
    cairn_archive_u8(archive, &action->robot, UINT8_MAX);
    cairn_archive_u8(archive, &action->mode, UINT8_MAX);
    cairn_archive_double_bits(archive, &action->to_m.x);
    cairn_archive_double_bits(archive, &action->to_m.y);
    cairn_archive_double_bits(archive, &action->forward);
    cairn_archive_double_bits(archive, &action->turn);
    cairn_archive_bool(archive, &action->dead_man);
    cairn_archive_i64(archive, &action->shown.ns);
    if (action->verb == CAIRN_DO_OVERRIDE) { cairn_archive_u32(archive, &action->guards); } // no record before has one
}

static void walk_fence(cairn_archive *archive, cairn_fence *fence)
{
    uint8_t kind = (uint8_t)fence->kind;
    cairn_archive_u8(archive, &kind, CAIRN_FENCE_KEEP_OUT);
    if (cairn_archive_loads(archive)) { fence->kind = (cairn_fence_kind)kind; }
    cairn_archive_count(archive, &fence->corner_count, CAIRN_FENCE_CORNERS_MAX);
    for (uint32_t i = 0; i < fence->corner_count; i++) { cairn_archive_point(archive, &fence->corners_m[i]); }
    if (cairn_archive_loads(archive) && cairn_fence_trouble(fence) != NULL) { cairn_archive_fail(archive); }
}

// Names are shown to people and stand in events.
static void walk_area_name(cairn_archive *archive, char *name)
{
    uint32_t size_bytes = (uint32_t)strnlen(name, CAIRN_AREA_NAME_BYTES - 1);
    cairn_archive_count(archive, &size_bytes, CAIRN_AREA_NAME_BYTES - 1);
    cairn_archive_bytes(archive, name, size_bytes);
    if (!cairn_archive_loads(archive)) { return; }
    name[size_bytes] = '\0';
    if (strlen(name) != size_bytes) { cairn_archive_fail(archive); }
    cairn_events_make_readable(name);
}

void cairn_walk_areas(cairn_archive *archive, cairn_team_areas *areas)
{
    cairn_archive_section(archive, "areas");
    cairn_archive_count(archive, &areas->fences.count, CAIRN_FENCES_MAX);
    for (uint32_t i = 0; i < areas->fences.count; i++) {
        walk_area_name(archive, areas->names[i]);
        walk_fence(archive, &areas->fences.fences[i]);
    }
}

static void walk_told_areas(cairn_archive *archive, cairn_fleet_areas *told)
{
    cairn_archive_u32(archive, &told->count);
    cairn_archive_u32(archive, &told->revision);
    cairn_archive_u32(archive, &told->change_count);
    cairn_archive_pose(archive, &told->told_T);
    cairn_archive_mono(archive, &told->said);
}

static void walk_order(cairn_archive *archive, cairn_fleet_order *order)
{
    cairn_archive_u8(archive, &order->mode, CAIRN_MODE_COUNT - 1);
    cairn_archive_u32(archive, &order->count);
    cairn_archive_u32(archive, &order->order);
    cairn_archive_u32(archive, &order->named);
    cairn_archive_bool(archive, &order->unsaid);
    cairn_archive_mono(archive, &order->sent);
}

static void walk_stop(cairn_archive *archive, cairn_fleet_stop *stop)
{
    cairn_archive_bool(archive, &stop->wanted);
    cairn_archive_bool(archive, &stop->acknowledged);
    cairn_archive_bool(archive, &stop->held);
    cairn_archive_u32(archive, &stop->release_count);
    cairn_archive_mono(archive, &stop->sent);
}

static void walk_assignment(cairn_archive *archive, cairn_assignment *assignment)
{
    cairn_archive_u32(archive, &assignment->task);
    cairn_archive_u8(archive, &assignment->purpose, CAIRN_PURPOSE_HOME);
    cairn_archive_pose(archive, &assignment->goal);
    cairn_archive_bool(archive, &assignment->face);
    cairn_archive_point(archive, &assignment->target_m);
    cairn_archive_bool(archive, &assignment->by_operator);
    cairn_archive_mono(archive, &assignment->given);
    cairn_archive_mono(archive, &assignment->said);
    cairn_archive_mono(archive, &assignment->due);
    cairn_archive_point(archive, &assignment->moved_from_m);
    cairn_archive_mono(archive, &assignment->moved_at);
    cairn_archive_pose(archive, &assignment->told_T);
    cairn_archive_count(archive, &assignment->via_count, CAIRN_VIAS_MAX);
    for (uint32_t i = 0; i < assignment->via_count; i++) { cairn_archive_point(archive, &assignment->via_m[i]); }
}

static void walk_telemetry(cairn_archive *archive, cairn_msg_telemetry *telemetry)
{
    cairn_radio_message message = {.id = CAIRN_MSG_TELEMETRY, .telemetry = *telemetry};
    cairn_archive_message(archive, CAIRN_MSG_TELEMETRY, &message);
    if (cairn_archive_loads(archive)) { *telemetry = message.telemetry; }
}

static void walk_robot(cairn_archive *archive, cairn_fleet_robot *robot)
{
    cairn_archive_bool(archive, &robot->heard);
    cairn_archive_bool(archive, &robot->lost);
    cairn_archive_bool(archive, &robot->unplaced);
    cairn_archive_bool(archive, &robot->is_cut);
    cairn_archive_mono(archive, &robot->heard_at);
    cairn_walk_facts(archive, &robot->facts);
    if (robot->heard) { walk_telemetry(archive, &robot->telemetry); }
    cairn_archive_pose(archive, &robot->map_T_private);
    cairn_archive_pose(archive, &robot->map_T_base);
    walk_order(archive, &robot->order);
    walk_stop(archive, &robot->stop);
    walk_told_areas(archive, &robot->areas);
    walk_assignment(archive, &robot->assignment);
    cairn_archive_u32(archive, &robot->task_count);
    cairn_archive_mono(archive, &robot->dropped_at);
    cairn_archive_point(archive, &robot->failed_at_m);
    cairn_archive_u32(archive, &robot->failed_here_count);
    cairn_archive_mono(archive, &robot->rests_until);
    cairn_archive_u32(archive, &robot->strange_count);
}

void cairn_walk_fleet(cairn_archive *archive, cairn_fleet *fleet)
{
    cairn_archive_section(archive, "fleet");
    for (uint32_t i = 0; i < fleet->count; i++) { walk_robot(archive, &fleet->robots[i]); }
}

static void check_raster(cairn_archive *archive, const cairn_raster *raster)
{
    uint32_t known_count = 0;
    bool edges[4] = {false, false, false, false}; // bounds touch a known cell each
    for (uint32_t y = raster->y_min; y <= raster->y_max; y++) {
        for (uint32_t x = raster->x_min; x <= raster->x_max; x++) {
            const size_t cell = (size_t)y * raster->def.width + x;
            if (raster->ground[cell] != cairn_raster_ground_of(raster->sums[cell])) { cairn_archive_fail(archive); }
            if (raster->ground[cell] == CAIRN_GROUND_UNKNOWN) { continue; }
            known_count++;
            edges[0] |= x == raster->x_min;
            edges[1] |= x == raster->x_max;
            edges[2] |= y == raster->y_min;
            edges[3] |= y == raster->y_max;
        }
    }
    if (known_count != raster->known_count || !edges[0] || !edges[1] || !edges[2] || !edges[3]) {
        cairn_archive_fail(archive);
    }
}

#define SUMS_AT_ONCE 512 // cells; one by one takes three times as long

// Those of known cells, little endian: where nobody has voted they are 0.
static void walk_sums(cairn_archive *archive, const uint8_t *ground, size_t count, uint64_t *sums)
{
    uint8_t bytes[SUMS_AT_ONCE][8];
    uint64_t *known[SUMS_AT_ONCE];
    for (size_t at = 0; at < count;) {
        size_t known_count = 0;
        for (; at < count && known_count < SUMS_AT_ONCE; at++) {
            known[known_count] = &sums[at];
            known_count += ground[at] != CAIRN_GROUND_UNKNOWN;
        }
        for (size_t i = 0; i < known_count; i++) {
            for (int k = 0; k < 8; k++) { bytes[i][k] = (uint8_t)(*known[i] >> 8 * k); }
        }
        cairn_archive_bytes(archive, bytes, known_count * sizeof bytes[0]);
        for (size_t i = 0; cairn_archive_loads(archive) && i < known_count; i++) {
            *known[i] = 0;
            for (int k = 0; k < 8; k++) { *known[i] |= (uint64_t)bytes[i][k] << 8 * k; }
        }
    }
}

void cairn_walk_raster(cairn_archive *archive, cairn_raster *raster)
{
    cairn_archive_section(archive, "raster");
    cairn_archive_u32(archive, &raster->known_count);
    if (raster->known_count == 0) { return; } // the bounds are as they were made
    cairn_archive_count(archive, &raster->x_min, raster->def.width - 1);
    cairn_archive_count(archive, &raster->y_min, raster->def.height - 1);
    cairn_archive_count(archive, &raster->x_max, raster->def.width - 1);
    cairn_archive_count(archive, &raster->y_max, raster->def.height - 1);
    if (raster->x_max < raster->x_min || raster->y_max < raster->y_min) {
        cairn_archive_fail(archive);
        raster->x_max = raster->x_min;
        raster->y_max = raster->y_min;
    }
    const size_t width = (size_t)raster->x_max - raster->x_min + 1;
    for (uint32_t y = raster->y_min; y <= raster->y_max; y++) {
        const size_t row = (size_t)y * raster->def.width + raster->x_min;
        cairn_archive_bytes(archive, raster->ground + row, width);
        walk_sums(archive, raster->ground + row, width, raster->sums + row);
    }
    if (cairn_archive_loads(archive)) { check_raster(archive, raster); }
}

static void walk_searched_from(cairn_archive *archive, const cairn_atlas *atlas, uint16_t *place)
{
    cairn_archive_u16(archive, place);
    if (cairn_archive_loads(archive) && *place >= atlas->places->graph->node_count) {
        cairn_archive_fail(archive);
        *place = CAIRN_PLACE_NONE;
    }
}

// Only ground that is or was known has ever been looked at.
static void walk_searched(cairn_archive *archive, cairn_atlas *atlas)
{
    const cairn_raster_def *def = &atlas->raster->def;
    bool ever_known = atlas->x_max >= atlas->x_min;
    cairn_archive_bool(archive, &ever_known);
    if (!ever_known) { return; }
    cairn_archive_count(archive, &atlas->x_min, def->width - 1);
    cairn_archive_count(archive, &atlas->y_min, def->height - 1);
    cairn_archive_count(archive, &atlas->x_max, def->width - 1);
    cairn_archive_count(archive, &atlas->y_max, def->height - 1);
    if (atlas->x_max < atlas->x_min || atlas->y_max < atlas->y_min) {
        cairn_archive_fail(archive);
        return;
    }
    const size_t width = (size_t)atlas->x_max - atlas->x_min + 1;
    for (uint32_t y = atlas->y_min; y <= atlas->y_max; y++) {
        uint8_t *row = atlas->searched + (size_t)y * def->width + atlas->x_min;
        cairn_archive_bytes(archive, row, width);
        for (size_t x = 0; x < width; x++) {
            if (cairn_archive_loads(archive) && (row[x] & ~CAIRN_SEARCHED_THERMAL) != 0) {
                cairn_archive_fail(archive);
            }
            if (row[x] != 0) { walk_searched_from(archive, atlas, &atlas->searched_from[row + x - atlas->searched]); }
        }
    }
}

// Every node hangs on a place of its robot.
static void check_hanging(cairn_archive *archive, const cairn_atlas *atlas)
{
    for (uint32_t i = 0; i < cairn_node_store_count(&atlas->nodes); i++) {
        const cairn_node_entry *node = cairn_node_store_get(&atlas->nodes, i);
        if (!node->has_pose) { continue; }
        const bool hangs = node->place != CAIRN_PLACE_NONE && node->place < atlas->places->graph->node_count;
        if (!hangs || atlas->places->places[node->place].robot != node->robot) {
            cairn_archive_fail(archive);
            return;
        }
    }
}

void cairn_walk_atlas(cairn_archive *archive, cairn_atlas *atlas)
{
    cairn_walk_raster(archive, atlas->raster);
    cairn_places_walk(archive, atlas->places);
    cairn_archive_section(archive, "searched");
    for (uint32_t i = 1; i < atlas->places->graph->node_count; i++) {
        cairn_archive_pose(archive, &atlas->searched_T[i]);
    }
    walk_searched(archive, atlas);
    cairn_archive_section(archive, "nodes");
    cairn_archive_u32(archive, &atlas->unfollowed_count);
    cairn_archive_u64(archive, &atlas->follow_at);
    cairn_archive_bool(archive, &atlas->has_begun);
    cairn_archive_mono(archive, &atlas->began);
    cairn_archive_u32(archive, &atlas->node_count);
    cairn_archive_u32(archive, &atlas->terrain_count);
    cairn_archive_u32(archive, &atlas->repeated_count);
    cairn_archive_u32(archive, &atlas->refused_count);
    cairn_node_store_walk(archive, &atlas->nodes);
    if (cairn_archive_loads(archive)) { check_hanging(archive, atlas); }
}

// One that is the same as another says nothing else.
static void walk_victim(cairn_archive *archive, cairn_victim *victim)
{
    cairn_archive_count(archive, &victim->same_as, CAIRN_VICTIMS_MAX);
    if (victim->same_as != 0) { return; }
    cairn_archive_point(archive, &victim->at_m);
    cairn_archive_i8(archive, &victim->floor);
    cairn_archive_bool(archive, &victim->has_z);
    cairn_archive_double(archive, &victim->z_m, -1e3, 1e3);
    cairn_archive_double(archive, &victim->temperature_c, -1e4, 1e4);
    cairn_archive_u8(archive, &victim->confidence_pct, UINT8_MAX);
    cairn_archive_u32(archive, &victim->sighting_count);
    cairn_archive_mono(archive, &victim->first_seen);
    cairn_archive_mono(archive, &victim->last_seen);
    cairn_archive_u8(archive, &victim->found_by, UINT8_MAX);
}

// Whoever is the same as another is so as an earlier one that stands for itself; or is nobody, by its own number.
static void check_joined(cairn_archive *archive, cairn_victims *victims)
{
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        const uint32_t same_as = victims->victims[i].same_as;
        if (same_as == 0 || same_as == i + 1 || (same_as <= i && victims->victims[same_as - 1].same_as == 0)) {
            continue;
        }
        cairn_archive_fail(archive);
        victims->victims[i].same_as = 0;
    }
}

static void walk_sighting(cairn_archive *archive, cairn_sighting *sighting, const cairn_victims *victims)
{
    cairn_archive_u8(archive, &sighting->robot, UINT8_MAX);
    cairn_archive_u32(archive, &sighting->sighting);
    cairn_archive_point(archive, &sighting->at_m);
    cairn_archive_point(archive, &sighting->private_m);
    cairn_archive_i8(archive, &sighting->floor);
    cairn_archive_i32(archive, &sighting->z_mm);
    cairn_archive_count(archive, &sighting->place, CAIRN_PLACES_MAX - 1);
    cairn_archive_double(archive, &sighting->deviation_m, 0, 1e4);
    cairn_archive_u32(archive, &sighting->frame_count);
    cairn_archive_u8(archive, &sighting->confidence_pct, UINT8_MAX);
    cairn_archive_u32(archive, &sighting->victim);
    if (!cairn_archive_loads(archive)) { return; }
    if (sighting->victim >= victims->victim_count || victims->victims[sighting->victim].same_as != 0) {
        cairn_archive_fail(archive);
        sighting->victim = 0;
    }
}

void cairn_walk_victims(cairn_archive *archive, cairn_victims *victims)
{
    cairn_archive_section(archive, "victims");
    cairn_archive_count(archive, &victims->victim_count, CAIRN_VICTIMS_MAX);
    cairn_archive_count(archive, &victims->sighting_count, CAIRN_SIGHTINGS_MAX);
    cairn_archive_u32(archive, &victims->given_up_count);
    for (uint32_t i = 0; i < victims->victim_count; i++) { walk_victim(archive, &victims->victims[i]); }
    if (cairn_archive_loads(archive)) { check_joined(archive, victims); }
    for (uint32_t i = 0; i < victims->sighting_count; i++) { walk_sighting(archive, &victims->sightings[i], victims); }
}

void cairn_walk_tasking(cairn_archive *archive, cairn_tasking *tasking)
{
    cairn_archive_section(archive, "tasking");
    cairn_archive_count(archive, &tasking->avoided_count, CAIRN_AVOIDED_MAX);
    for (uint32_t i = 0; i < tasking->avoided_count; i++) {
        cairn_archive_point(archive, &tasking->avoided[i].at_m);
        cairn_archive_i64(archive, &tasking->avoided[i].until.ns); // the end of time, once it is given up
        cairn_archive_u32(archive, &tasking->avoided[i].failure_count);
    }
    cairn_archive_bool(archive, &tasking->done);
    cairn_archive_u32(archive, &tasking->waiting_count);
}

static void walk_event(cairn_archive *archive, cairn_event *event)
{
    cairn_archive_mono(archive, &event->at);
    uint8_t level = (uint8_t)event->level;
    cairn_archive_u8(archive, &level, UINT8_MAX);
    if (cairn_archive_loads(archive)) { event->level = (cairn_log_level)level; }
    cairn_archive_u8(archive, &event->robot, UINT8_MAX);
    uint32_t size_bytes = (uint32_t)strnlen(event->text, CAIRN_EVENT_TEXT_BYTES - 1);
    cairn_archive_count(archive, &size_bytes, CAIRN_EVENT_TEXT_BYTES - 1);
    cairn_archive_bytes(archive, event->text, size_bytes);
    if (!cairn_archive_loads(archive)) { return; }
    event->text[size_bytes] = '\0';
    if (strlen(event->text) != size_bytes) { cairn_archive_fail(archive); }
    cairn_events_make_readable(event->text);
}

void cairn_walk_events(cairn_archive *archive, cairn_events *events)
{
    cairn_archive_section(archive, "events");
    cairn_archive_u64(archive, &events->count);
    if (events->count > INT64_MAX) {
        cairn_archive_fail(archive);
        events->count = 0;
    }
    const uint64_t kept = events->count < CAIRN_EVENTS_MAX ? events->count : CAIRN_EVENTS_MAX;
    for (uint64_t number = events->count - kept + 1; number <= events->count; number++) {
        cairn_event *event = &events->ring[(number - 1) % CAIRN_EVENTS_MAX];
        if (cairn_archive_loads(archive)) { event->number = number; }
        walk_event(archive, event);
    }
}

void cairn_walk_command(cairn_archive *archive, cairn_command *command)
{
    cairn_archive_section(archive, "command");
    cairn_archive_bool(archive, &command->stop_all);
}

static void walk_driving(cairn_archive *archive, cairn_driving *driving)
{
    cairn_archive_bool(archive, &driving->ever);
    cairn_archive_mono(archive, &driving->last);
    cairn_archive_u32(archive, &driving->sequence);
    cairn_archive_u32(archive, &driving->untold_count);
    cairn_archive_bool(archive, &driving->told_ever);
    cairn_archive_mono(archive, &driving->told);
}

static void walk_overriding(cairn_archive *archive, cairn_overriding *held)
{
    cairn_archive_u32(archive, &held->guards);
    cairn_archive_u32(archive, &held->sequence);
    cairn_archive_mono(archive, &held->began);
    cairn_archive_mono(archive, &held->last);
}

static void walk_refusals(cairn_archive *archive, cairn_refusals *refusals)
{
    cairn_archive_u8(archive, &refusals->why, CAIRN_REFUSAL_COUNT - 1);
    cairn_archive_u8(archive, &refusals->robot, UINT8_MAX);
    cairn_archive_u32(archive, &refusals->untold_count);
    cairn_archive_bool(archive, &refusals->told_ever);
    cairn_archive_mono(archive, &refusals->told);
}

void cairn_walk_actions(cairn_archive *archive, cairn_actions *actions, uint32_t robot_count)
{
    cairn_archive_section(archive, "actions");
    cairn_archive_u32(archive, &actions->taken_count);
    cairn_archive_u32(archive, &actions->refused_count);
    cairn_archive_u32(archive, &actions->stale_stick_count);
    for (uint32_t i = 0; i < robot_count; i++) {
        walk_driving(archive, &actions->driving[i]);
        walk_overriding(archive, &actions->overriding[i]);
        walk_refusals(archive, &actions->refusals[i]);
        cairn_archive_u8(archive, &actions->told_state[i], UINT8_MAX);
    }
    walk_refusals(archive, &actions->refusals[CAIRN_FLEET_MAX]);
}

void cairn_walk_asked(cairn_archive *archive, cairn_asked *asked)
{
    cairn_archive_section(archive, "asked");
    cairn_archive_count(archive, &asked->count, CAIRN_ASKED_MAX);
    for (uint32_t i = 0; i < asked->count; i++) { cairn_walk_action(archive, &asked->waiting[i]); }
}

void cairn_walk_teammates(cairn_archive *archive, cairn_teammates *teammates, uint32_t robot_count)
{
    cairn_archive_section(archive, "teammates");
    for (uint32_t i = 0; i < robot_count; i++) {
        cairn_archive_mono(archive, &teammates->told[i]);
        cairn_archive_bool(archive, &teammates->ever[i]);
    }
}
