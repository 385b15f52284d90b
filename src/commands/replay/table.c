// table.c - what is in a journal: its channels, and what they cost.
#include "commands/replay/replay.h"
#include "messages/json.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS_MAX 65536

typedef struct figures {
    char *topic, *type, *encoding;
    uint64_t count, bytes, first_ns, last_ns;
} figures;

typedef struct table {
    cairn_replay *run;
    figures *channels; // in the order of their first messages, by topic and type
    size_t channel_count;
    uint32_t places[CHANNELS_MAX]; // by the current file's channel ids: place + 1; 0: not seen yet
    struct {
        const char *path; // borrowed from the run
        cairn_mcap_info info;
    } * files; // those that could be opened
    size_t file_count;
    uint64_t message_count, file_bytes, chunk_bytes, packed_bytes, chunk_count;
    bool sound;
    char trouble[sizeof((cairn_mcap_info *)0)->trouble];
} table;

static figures *find(table *all, const cairn_mcap_channel *channel)
{
    for (size_t i = 0; i < all->channel_count; i++) {
        figures *one = &all->channels[i];
        if (strcmp(one->topic, channel->topic) == 0 && strcmp(one->type, channel->schema_name) == 0) { return one; }
    }
    figures *grown = realloc(all->channels, (all->channel_count + 1) * sizeof *grown);
    if (grown == NULL) { return NULL; }
    all->channels = grown;
    figures *one = &all->channels[all->channel_count];
    *one = (figures){
        .topic = strdup(channel->topic), .type = strdup(channel->schema_name), .encoding = strdup(channel->encoding)};
    all->channel_count++;
    return one->topic != NULL && one->type != NULL && one->encoding != NULL ? one : NULL;
}

static cairn_err take(void *context, const cairn_mcap_message *message)
{
    table *all = context;
    uint32_t *place = &all->places[message->channel->id];
    if (*place == 0) {
        const figures *found = find(all, message->channel);
        if (found == NULL) { return CAIRN_ERR_FULL; }
        *place = (uint32_t)(found - all->channels) + 1;
    }
    figures *one = &all->channels[*place - 1];
    const uint64_t at = message->log_time_ns;
    if (one->count == 0 || at < one->first_ns) { one->first_ns = at; }
    if (one->count == 0 || at > one->last_ns) { one->last_ns = at; }
    one->count++;
    one->bytes += message->size;
    return CAIRN_OK;
}

// Channels without messages are told, too.
static void end_file(void *context, const char *path, const cairn_mcap_reader *reader)
{
    table *all = context;
    const cairn_mcap_info *info = cairn_mcap_reader_info(reader);
    for (size_t i = 0; i < cairn_mcap_channel_count(reader); i++) { (void)find(all, cairn_mcap_channel_at(reader, i)); }
    memset(all->places, 0, sizeof all->places);
    all->files[all->file_count].path = path;
    all->files[all->file_count++].info = *info;
    all->message_count += info->message_count;
    all->file_bytes += info->file_bytes;
    all->chunk_bytes += info->chunk_bytes;
    all->packed_bytes += info->packed_bytes;
    all->chunk_count += info->chunk_count;
    if (all->sound && !cairn_mcap_sound(info)) { memcpy(all->trouble, info->trouble, sizeof all->trouble); }
    all->sound = all->sound && cairn_mcap_sound(info);
}

static double duration_s(const figures *one) { return cairn_replay_seconds(one->first_ns, one->last_ns); }

static double rate_hz(const figures *one)
{
    return duration_s(one) > 0 ? (double)(one->count - 1) / duration_s(one) : 0;
}

static double mission_s(const table *all) { return cairn_replay_seconds(all->run->start_ns, all->run->end_ns); }

static double compression(const table *all)
{
    return all->packed_bytes > 0 ? (double)all->chunk_bytes / (double)all->packed_bytes : 1.0;
}

// Length of what stands before the second slash: "/emu1/scan" is of "/emu1", "/tf" of nobody.
static size_t owner_length(const char *topic)
{
    const char *slash = topic[0] == '/' ? strchr(topic + 1, '/') : NULL;
    return slash != NULL ? (size_t)(slash - topic) : 0;
}

// What each robot costs: its messages, and about how much of the disk that is, as if all compressed alike.
static void print_owners(const table *all)
{
    printf("\n%-20s  %14s  %20s\n", "writer", "bytes/s", "about, on the disk");
    for (size_t i = 0; i < all->channel_count; i++) {
        const char *topic = all->channels[i].topic;
        const size_t length = owner_length(topic);
        uint64_t bytes = 0;
        bool first = length > 0;
        for (size_t k = 0; k < all->channel_count && first; k++) {
            const char *other = all->channels[k].topic;
            if (owner_length(other) != length || strncmp(topic, other, length) != 0) { continue; }
            first = k >= i;
            bytes += all->channels[k].bytes;
        }
        if (!first || mission_s(all) <= 0) { continue; }
        const double rate = (double)bytes / mission_s(all);
        printf("%-20.*s  %14.0f  %20.0f\n", (int)length - 1, topic + 1, rate, rate / compression(all));
    }
}

static void print_files(const table *all)
{
    for (size_t i = 0; i < all->file_count; i++) {
        const cairn_mcap_info *info = &all->files[i].info;
        if (all->file_count > 1) { printf("%s: ", all->files[i].path); }
        printf("hash %016" PRIx64 "%s\n", info->hash,
               !info->has_hash_recorded            ? ""
               : info->hash == info->hash_recorded ? " (as recorded)"
                                                   : " (NOT as recorded)");
    }
}

static void print_table(const table *all)
{
    int topic_width = 5, type_width = 4;
    for (size_t i = 0; i < all->channel_count; i++) {
        const figures *one = &all->channels[i];
        if ((int)strlen(one->topic) > topic_width) { topic_width = (int)strlen(one->topic); }
        if ((int)strlen(one->type) > type_width) { type_width = (int)strlen(one->type); }
    }
    printf("%-*s  %-*s  %9s  %9s  %9s  %12s  %9s\n", topic_width, "topic", type_width, "type", "count", "Hz", "seconds",
           "bytes", "bytes/s");
    for (size_t i = 0; i < all->channel_count; i++) {
        const figures *one = &all->channels[i];
        const double all_s = mission_s(all);
        printf("%-*s  %-*s  %9" PRIu64 "  %9.2f  %9.3f  %12" PRIu64 "  %9.0f\n", topic_width, one->topic, type_width,
               one->type, one->count, rate_hz(one), duration_s(one), one->bytes,
               all_s > 0 ? (double)one->bytes / all_s : 0);
    }
    print_owners(all);
    printf("\n%.3f s, %" PRIu64 " messages, %" PRIu64 " bytes", mission_s(all), all->message_count, all->file_bytes);
    if (all->file_count > 1) { printf(" in %zu files", all->file_count); }
    if (all->file_count > 0) {
        printf(", profile %s, written by %s", all->files[0].info.profile, all->files[0].info.library);
    }
    printf("\n%" PRIu64 " chunks, compressed %.2f : 1\n", all->chunk_count, compression(all));
    print_files(all);
}

void cairn_replay_print_string(const char *text)
{
    const size_t length = strlen(text), max = 6 * length + 2; // "\u001f"
    cairn_json json = {.text = malloc(max), .max = max};
    if (json.text == NULL) { return; }
    cairn_json_string(&json, text, length);
    (void)fwrite(json.text, 1, json.used, stdout);
    free(json.text);
}

static void print_json_channel(const figures *one)
{
    printf("{\"topic\":");
    cairn_replay_print_string(one->topic);
    printf(",\"type\":");
    cairn_replay_print_string(one->type);
    printf(",\"encoding\":");
    cairn_replay_print_string(one->encoding);
    printf(",\"count\":%" PRIu64 ",\"rate_hz\":%.6g,\"duration_s\":%.9g,\"bytes\":%" PRIu64 "}", one->count,
           rate_hz(one), duration_s(one), one->bytes);
}

static void print_json_file(const char *path, const cairn_mcap_info *info)
{
    printf("{\"path\":");
    cairn_replay_print_string(path);
    printf(",\"sound\":%s,\"trouble\":", cairn_mcap_sound(info) ? "true" : "false");
    cairn_replay_print_string(info->trouble);
    printf(",\"format\":%u,\"message_count\":%" PRIu64 ",\"file_bytes\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\"}",
           info->format, info->message_count, info->file_bytes, info->hash);
}

static void print_json(const table *all)
{
    printf("{\"journal\":");
    cairn_replay_print_string(all->run->paths[0]);
    printf(",\"sound\":%s,\"trouble\":", all->sound ? "true" : "false");
    cairn_replay_print_string(all->trouble);
    printf(",\"profile\":");
    cairn_replay_print_string(all->file_count > 0 ? all->files[0].info.profile : "");
    printf(",\"library\":");
    cairn_replay_print_string(all->file_count > 0 ? all->files[0].info.library : "");
    printf(",\"start_ns\":%" PRIu64 ",\"duration_s\":%.9g,\"message_count\":%" PRIu64 ",\"file_bytes\":%" PRIu64
           ",\"chunk_count\":%" PRIu64 ",\"chunk_bytes\":%" PRIu64 ",\"packed_bytes\":%" PRIu64,
           all->run->start_ns, mission_s(all), all->message_count, all->file_bytes, all->chunk_count, all->chunk_bytes,
           all->packed_bytes);
    if (all->file_count == 1) { printf(",\"hash\":\"%016" PRIx64 "\"", all->files[0].info.hash); }
    printf(",\"files\":[");
    for (size_t i = 0; i < all->file_count; i++) {
        if (i > 0) { printf(","); }
        print_json_file(all->files[i].path, &all->files[i].info);
    }
    printf("],\"channels\":[");
    for (size_t i = 0; i < all->channel_count; i++) {
        if (i > 0) { printf(","); }
        print_json_channel(&all->channels[i]);
    }
    printf("]}\n");
}

cairn_err cairn_replay_table(cairn_replay *run)
{
    table *all = calloc(1, sizeof *all);
    if (all == NULL) { return CAIRN_ERR_FULL; }
    all->run = run;
    all->sound = true;
    all->files = calloc(run->path_count, sizeof *all->files);
    const cairn_replay_visitor visitor = {.take = take, .end_file = end_file, .context = all};
    const cairn_err err = all->files == NULL ? CAIRN_ERR_FULL : cairn_replay_walk(run, &visitor);
    if (all->file_count > 0 && run->asked.json) {
        print_json(all);
    } else if (all->file_count > 0) {
        print_table(all);
    }
    for (size_t i = 0; i < all->channel_count; i++) {
        free(all->channels[i].topic);
        free(all->channels[i].type);
        free(all->channels[i].encoding);
    }
    free(all->channels);
    free(all->files);
    free(all);
    return err;
}
