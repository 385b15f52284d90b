// recorder.c - levels, rates and channels; robot_topics.c and station_topics.c have what is written.
#include "record/recorder_parts.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A map of 40 hectares, or a part of a snapshot.
#define MESSAGE_BYTES_MAX (5u << 20)
#define QUEUE_BYTES_MAX (64u << 20)
// So that a rate equal to the sensor's keeps all.
#define PERIOD_SLACK_NS CAIRN_MS(2)

cairn_recorder_def cairn_recorder_def_default(void)
{
    cairn_recorder_def def = {.files = cairn_rotation_def_default(),
                              .level = CAIRN_RECORD_ALL,
                              .queue_bytes_max = QUEUE_BYTES_MAX,
                              .scan_hz = 10,
                              .thermal_hz = 2};
    def.files.journal.message_bytes_max = MESSAGE_BYTES_MAX;
    return def;
}

cairn_rotation_def cairn_recorder_one_file(const char *path)
{
    cairn_rotation_def files = {.path = path, .journal = cairn_journal_def_default()};
    files.journal.message_bytes_max = MESSAGE_BYTES_MAX;
    return files;
}

static void name_robot(cairn_recorder_part *robot, const cairn_recorder_robot *def)
{
    robot->def = *def;
    snprintf(robot->frames.base, CAIRN_RECORDER_NAME_BYTES, "%s/base_link", def->name);
    snprintf(robot->frames.laser, CAIRN_RECORDER_NAME_BYTES, "%s/laser", def->name);
    snprintf(robot->frames.camera, CAIRN_RECORDER_NAME_BYTES, "%s/thermal", def->name);
    snprintf(robot->frames.imager, CAIRN_RECORDER_NAME_BYTES, "%s/range_imager", def->name);
    snprintf(robot->frames.antenna, CAIRN_RECORDER_NAME_BYTES, "%s/gps", def->name);
    const uint32_t range_count = def->description != NULL ? def->description->range_sensor_count : 0;
    for (uint32_t i = 0; i < range_count; i++) {
        robot->range_taken[i].ns = -1;
        snprintf(robot->frames.ranges[i], sizeof robot->frames.ranges[i], "%s/range/%s", def->name,
                 def->description->range_sensors[i].name);
    }
    snprintf(robot->frames.private, CAIRN_RECORDER_NAME_BYTES, "%s/odom", def->name);
}

cairn_err cairn_recorder_create(const cairn_recorder_def *def, cairn_complaints *complaints,
                                cairn_recorder **ret_recorder)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_FLEET_MAX && def->level < CAIRN_RECORD_LEVELS);
    cairn_recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL || cairn_lock_init(&recorder->lock) != CAIRN_OK) {
        free(recorder);
        return CAIRN_ERR_FULL;
    }
    recorder->def = *def;
    for (uint32_t i = 0; i < def->robot_count; i++) { name_robot(&recorder->robots[i], &def->robots[i]); }
    const cairn_tape_def tape = {
        .files = def->files, .synchronous = def->synchronous, .queue_bytes_max = def->queue_bytes_max};
    const cairn_err err = cairn_tape_create(&tape, complaints, &recorder->tape);
    if (err != CAIRN_OK) {
        cairn_recorder_destroy(recorder);
        return err;
    }
    *ret_recorder = recorder;
    return CAIRN_OK;
}

void cairn_recorder_destroy(cairn_recorder *recorder)
{
    if (recorder == NULL) { return; }
    cairn_tape_destroy(recorder->tape);
    cairn_lock_finish(&recorder->lock);
    free(recorder->cells);
    free(recorder);
}

static int64_t period_from_hz(double rate_hz)
{
    return rate_hz > 0 ? cairn_ns_from_seconds(1.0 / rate_hz) : CAIRN_RECORD_NEVER;
}

static int64_t period_ns(const cairn_recorder *recorder, cairn_record_topic topic)
{
    const int64_t of_level = cairn_topic_rule_of(topic)->period_ns[recorder->def.level];
    int64_t asked = 0;
    if (topic == CAIRN_TOPIC_SCAN) { asked = period_from_hz(recorder->def.scan_hz); }
    if (topic == CAIRN_TOPIC_THERMAL) { asked = period_from_hz(recorder->def.thermal_hz); }
    if (topic == CAIRN_TOPIC_RANGE_IMAGE) { asked = period_from_hz(recorder->def.range_image_hz); }
    if (topic == CAIRN_TOPIC_RANGES) { asked = period_from_hz(recorder->def.ranges_hz); }
    if (topic == CAIRN_TOPIC_GPS) { asked = period_from_hz(recorder->def.gps_hz); }
    return asked > of_level ? asked : of_level;
}

// /tf is a robot's by its rate, and the team's by its channel.
uint16_t cairn_recorder_channel(cairn_recorder *recorder, cairn_recorder_part *robot, cairn_record_topic topic)
{
    const cairn_topic_rule *rule = cairn_topic_rule_of(topic);
    const bool of_team = rule->name[0] == '/';
    CAIRN_ASSERT(of_team || robot != NULL);
    cairn_recorder_stream *stream = of_team ? &recorder->streams[topic] : &robot->streams[topic];
    if (stream->channel == 0) {
        char name[2 * CAIRN_RECORDER_NAME_BYTES];
        snprintf(name, sizeof name, "%s%s%s%s", of_team ? "" : "/", of_team ? "" : robot->def.name, of_team ? "" : "/",
                 rule->name);
        stream->channel = cairn_tape_add_type(recorder->tape, name, rule->type);
    }
    return stream->channel;
}

uint16_t cairn_recorder_due(cairn_recorder *recorder, cairn_recorder_part *robot, cairn_record_topic topic,
                            cairn_mono at)
{
    const int64_t period = period_ns(recorder, topic);
    cairn_recorder_stream *stream = robot != NULL ? &robot->streams[topic] : &recorder->streams[topic];
    if (period == CAIRN_RECORD_NEVER) { return 0; }
    if (stream->seen && period > 0 && cairn_mono_since(at, stream->at) < period - PERIOD_SLACK_NS) { return 0; }
    stream->seen = true;
    stream->at = at;
    return cairn_recorder_channel(recorder, robot, topic);
}

void cairn_recorder_write(cairn_recorder *recorder, uint16_t channel, cairn_mono now, cairn_mono taken,
                          const void *message)
{
    if (channel != 0) { cairn_tape_write(recorder->tape, channel, now, taken, message); }
}

cairn_ros_std_msgs_Header cairn_recorder_header(cairn_mono at, const char *frame)
{
    return (cairn_ros_std_msgs_Header){
        .stamp = {.sec = (int32_t)(at.ns / CAIRN_S(1)), .nanosec = (uint32_t)(at.ns % CAIRN_S(1))}, .frame_id = frame};
}

bool cairn_recorder_turn_is_due(cairn_recorder *recorder) { return cairn_tape_turn_is_due(recorder->tape); }

bool cairn_recorder_turn(cairn_recorder *recorder, cairn_mono now, size_t head_bytes)
{
    cairn_lock_take(&recorder->lock);
    cairn_recorder_flush_batch(recorder, now); // what came before belongs to the file before
    const bool turned = cairn_tape_turn(recorder->tape, now, head_bytes);
    cairn_lock_give(&recorder->lock);
    return turned;
}

cairn_recorder_info cairn_recorder_look(cairn_recorder *recorder)
{
    const cairn_tape_info tape = cairn_tape_look(recorder->tape);
    return (cairn_recorder_info){.files = tape.files, .dropped_count = tape.dropped_count};
}

bool cairn_recorder_next_news(cairn_recorder *recorder, cairn_recorder_news *ret_news)
{
    const cairn_recorder_info now = cairn_recorder_look(recorder);
    cairn_recorder_info *told = &recorder->told;
    char *text = ret_news->text;
    const size_t max = sizeof ret_news->text;
    if (now.files.trouble_count != told->files.trouble_count) {
        ret_news->level = CAIRN_LOG_ERROR;
        snprintf(text, max, "the journal stands still: %.400s", now.files.trouble);
        told->files.trouble_count = now.files.trouble_count;
        told->files.err = CAIRN_ERR_FULL;
    } else if (told->files.err != CAIRN_OK && now.files.err == CAIRN_OK) {
        ret_news->level = CAIRN_LOG_INFO;
        snprintf(text, max, "the journal goes on; %" PRIu64 " messages are not in it", now.files.lost_count);
        told->files.err = CAIRN_OK;
    } else if (now.dropped_count != told->dropped_count) {
        ret_news->level = CAIRN_LOG_WARN;
        snprintf(text, max, "the disk is too slow for the journal: %" PRIu64 " messages dropped; record less",
                 now.dropped_count - told->dropped_count);
        told->dropped_count = now.dropped_count;
    } else if (now.files.deleted_count != told->files.deleted_count) {
        ret_news->level = CAIRN_LOG_INFO;
        snprintf(text, max, "%u old journal files deleted, to keep within the quota",
                 now.files.deleted_count - told->files.deleted_count);
        told->files.deleted_count = now.files.deleted_count;
    } else {
        return false;
    }
    return true;
}

cairn_err cairn_recorder_finish(cairn_recorder *recorder, cairn_complaints *complaints, uint64_t *ret_hash)
{
    cairn_lock_take(&recorder->lock);
    cairn_recorder_flush_batch(recorder, recorder->batch.start);
    cairn_lock_give(&recorder->lock);
    cairn_err err = cairn_tape_finish(recorder->tape);
    const cairn_tape_info info = cairn_tape_look(recorder->tape);
    if (err == CAIRN_OK && info.files.lost_count + info.dropped_count > 0) { err = CAIRN_ERR_FULL; }
    if (err != CAIRN_OK) {
        const char *where = recorder->def.files.path != NULL ? recorder->def.files.path : recorder->def.files.folder;
        cairn_complain(complaints, where, 0,
                       "the journal is not complete (%s): %" PRIu64 " messages lost, %" PRIu64 " dropped; %s",
                       cairn_err_name(err), info.files.lost_count, info.dropped_count, info.files.trouble);
        return err;
    }
    *ret_hash = info.files.hash;
    return CAIRN_OK;
}
