// station_topics.c - what is said on the air, the map, lines, and all that the station needs to be run again.
#include "record/recorder_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longer: larger and fewer messages, and a crash loses more.
#define BATCH_PERIOD_NS CAIRN_S(1)
#define SNAPSHOT_PART_BYTES (256u << 10)

static void write_radio(cairn_recorder *recorder, cairn_recorder_part *robot, const cairn_radio_message *message,
                        cairn_mono now)
{
    const cairn_radio_type *type = cairn_radio_type_of(message->id);
    if (type == NULL) { return; }
    uint16_t *to = &robot->radio[message->id];
    if (*to == 0) {
        char name[2 * CAIRN_RECORDER_NAME_BYTES];
        snprintf(name, sizeof name, "/%s/%s/%s", robot->def.name, cairn_topic_rule_of(CAIRN_TOPIC_RADIO)->name,
                 type->name);
        *to = cairn_tape_add_type(recorder->tape, name, type->ros);
    }
    // All members of the union start at the same place.
    cairn_recorder_write(recorder, *to, now, now, &message->stick);
}

static void write_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now)
{
    if (raster->x_max < raster->x_min) { return; }
    const uint16_t to = cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_MAP, now);
    if (to == 0) { return; }
    const uint32_t width = raster->x_max - raster->x_min + 1, height = raster->y_max - raster->y_min + 1;
    const size_t cells = (size_t)width * height;
    if (cells > recorder->cells_max) {
        int8_t *grown = realloc(recorder->cells, cells);
        if (grown == NULL) { return; }
        recorder->cells = grown;
        recorder->cells_max = cells;
    }
    static const int8_t occupancy[] = {
        [CAIRN_GROUND_UNKNOWN] = -1, [CAIRN_GROUND_FREE] = 0, [CAIRN_GROUND_OBSTACLE] = 100};
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = raster->ground + (size_t)(raster->y_min + y) * raster->def.width + raster->x_min;
        for (uint32_t x = 0; x < width; x++) { recorder->cells[(size_t)y * width + x] = occupancy[row[x]]; }
    }
    const cairn_ros_nav_msgs_OccupancyGrid message = {
        .header = cairn_recorder_header(now, "map"),
        .info = {.resolution = (float)raster->def.cell_m,
                 .width = width,
                 .height = height,
                 .origin = {.position = {.x = raster->def.origin_m.x + raster->x_min * raster->def.cell_m,
                                         .y = raster->def.origin_m.y + raster->y_min * raster->def.cell_m},
                            .orientation = {.w = 1}}},
        .data = {.data = recorder->cells, .count = (uint32_t)cells},
    };
    cairn_recorder_write(recorder, to, now, now, &message);
}

static void write_line(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                       const char *text)
{
    const cairn_ros_rcl_interfaces_Log message = {
        .stamp = cairn_recorder_header(now, "").stamp, .level = (uint8_t)level, .name = source, .msg = text};
    cairn_recorder_write(recorder, cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_ROSOUT, now), now, now, &message);
}

void cairn_recorder_flush_batch(cairn_recorder *recorder, cairn_mono now)
{
    cairn_recorder_batch *batch = &recorder->batch;
    if (batch->count == 0) { return; }
    const cairn_ros_cairn_msgs_StationInputs message = {.first_step = batch->first_step,
                                                        .last_step = batch->last_step,
                                                        .count = batch->count,
                                                        .records = {batch->bytes, (uint32_t)batch->used}};
    const uint16_t to = cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_INPUTS, now);
    cairn_recorder_write(recorder, to, now, batch->start, &message);
    batch->count = 0;
    batch->used = 0;
}

static void write_inputs(cairn_recorder *recorder, const cairn_station_record *record, cairn_mono now)
{
    cairn_recorder_batch *batch = &recorder->batch;
    const uint32_t size = (uint32_t)record->size_bytes;
    CAIRN_ASSERT(record->size_bytes <= CAIRN_INPUTS_BYTES_MAX);
    if (batch->used + sizeof size + size > sizeof batch->bytes) { cairn_recorder_flush_batch(recorder, now); }
    if (batch->count == 0) {
        batch->first_step = record->step;
        batch->start = now;
    }
    memcpy(batch->bytes + batch->used, &size, sizeof size);
    memcpy(batch->bytes + batch->used + sizeof size, record->bytes, size);
    batch->used += sizeof size + size;
    batch->count++;
    batch->last_step = record->step;
    if (record->ends_step && cairn_mono_since(now, batch->start) >= BATCH_PERIOD_NS) {
        cairn_recorder_flush_batch(recorder, now);
    }
}

static void write_snapshot(cairn_recorder *recorder, const cairn_recorder_snapshot *snapshot, cairn_mono now)
{
    const uint16_t to = cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_SNAPSHOT, now);
    for (size_t at = 0; at < snapshot->size; at += SNAPSHOT_PART_BYTES) {
        const size_t left = snapshot->size - at, part = left < SNAPSHOT_PART_BYTES ? left : SNAPSHOT_PART_BYTES;
        const cairn_ros_cairn_msgs_StationSnapshot message = {.step = snapshot->step,
                                                              .layout = snapshot->layout,
                                                              .size = snapshot->size,
                                                              .offset = at,
                                                              .bytes = {snapshot->bytes + at, (uint32_t)part}};
        cairn_recorder_write(recorder, to, now, now, &message);
    }
}

// ---- what others call, each on its own thread

void cairn_recorder_add_radio(cairn_recorder *recorder, uint32_t robot, const cairn_radio_message *message,
                              cairn_mono now)
{
    CAIRN_ASSERT(robot < recorder->def.robot_count);
    cairn_lock_take(&recorder->lock);
    write_radio(recorder, &recorder->robots[robot], message, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_map(cairn_recorder *recorder, const cairn_raster *raster, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_map(recorder, raster, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_line(cairn_recorder *recorder, cairn_mono now, cairn_log_level level, const char *source,
                             const char *text)
{
    cairn_lock_take(&recorder->lock);
    write_line(recorder, now, level, source, text);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_mission_event(cairn_recorder *recorder, const char *kind, const char *words, cairn_mono now)
{
    const cairn_ros_cairn_msgs_MissionEvent message = {.kind = kind, .words = words};
    cairn_lock_take(&recorder->lock);
    cairn_recorder_write(recorder, cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_MISSION, now), now, now, &message);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_setup(cairn_recorder *recorder, const uint8_t *bytes, size_t size, cairn_mono now)
{
    const cairn_ros_cairn_msgs_StationSetup message = {.bytes = {bytes, (uint32_t)size}};
    cairn_lock_take(&recorder->lock);
    cairn_recorder_write(recorder, cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_SETUP, now), now, now, &message);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_inputs(cairn_recorder *recorder, const cairn_station_record *record, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    write_inputs(recorder, record, now);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_state(cairn_recorder *recorder, uint64_t step, cairn_station_hash hash, cairn_mono now)
{
    const cairn_ros_cairn_msgs_StationState message = {.step = step, .state_hash = hash.state, .map_hash = hash.map};
    cairn_lock_take(&recorder->lock);
    cairn_recorder_flush_batch(recorder, now); // the steps that led to it stand before it
    cairn_recorder_write(recorder, cairn_recorder_due(recorder, NULL, CAIRN_TOPIC_STATE, now), now, now, &message);
    cairn_lock_give(&recorder->lock);
}

void cairn_recorder_add_snapshot(cairn_recorder *recorder, const cairn_recorder_snapshot *snapshot, cairn_mono now)
{
    cairn_lock_take(&recorder->lock);
    cairn_recorder_flush_batch(recorder, now);
    write_snapshot(recorder, snapshot, now);
    cairn_lock_give(&recorder->lock);
}
