// lines.c - the messages of one channel, a line each: JSON, or comma-separated values.
#include "commands/replay/replay.h"
#include "messages/cdr_csv.h"
#include "messages/cdr_json.h"
#include "messages/schema.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_FIRST (64 << 10)
#define TEXT_BYTES_MAX ((size_t)1 << 30)

typedef struct lines {
    cairn_replay *run;
    const cairn_ros_type *type; // NULL: not read yet in this file
    cairn_arena arena;          // of the type
    char *type_text;            // the schema that the lines before were told by
    char *text;
    size_t text_bytes;
    uint64_t printed;
    bool found;
} lines;

static cairn_err read_type(lines *told, const cairn_mcap_channel *channel)
{
    cairn_complaints *complaints = &told->run->complaints;
    if (strcmp(channel->encoding, "cdr") != 0 || strcmp(channel->schema_encoding, "ros2msg") != 0) {
        cairn_complain(complaints, told->run->paths[0], 0,
                       "'%s' is '%s' with a '%s' schema; only 'cdr' with 'ros2msg' can be printed", channel->topic,
                       channel->encoding, channel->schema_encoding);
        return CAIRN_ERR_UNSUPPORTED;
    }
    // The columns of the lines before must be those of the lines to come.
    if (told->run->asked.csv && told->type_text != NULL && strcmp(told->type_text, channel->schema) != 0) {
        cairn_complain(complaints, told->run->paths[0], 0,
                       "'%s' has another type in a later file; print the files one by one", channel->topic);
        return CAIRN_ERR_INVALID;
    }
    cairn_arena_destroy(&told->arena);
    cairn_err err = cairn_arena_create(&told->arena, cairn_schema_arena_bytes(channel->schema_bytes));
    if (err == CAIRN_OK) {
        err = cairn_schema_parse(channel->schema_name, channel->schema, channel->schema_bytes, &told->arena, complaints,
                                 &told->type);
    }
    return err;
}

static bool grow(lines *told)
{
    char *larger = told->text_bytes < TEXT_BYTES_MAX ? realloc(told->text, told->text_bytes * 2) : NULL;
    if (larger == NULL) { return false; }
    told->text = larger;
    told->text_bytes *= 2;
    return true;
}

// One line into the text, which grows until it fits: a row or an object; without a message, the columns' names.
static cairn_err say(lines *told, const cairn_mcap_message *message, size_t *ret_size)
{
    const uint32_t elements_max = (uint32_t)told->run->asked.elements_max;
    cairn_err err;
    do {
        if (message == NULL) {
            err = cairn_cdr_csv_head(told->type, elements_max, told->text, told->text_bytes, ret_size);
        } else if (told->run->asked.csv) {
            err = cairn_cdr_csv_row(told->type, message->bytes, message->size, elements_max, told->text,
                                    told->text_bytes, ret_size);
        } else {
            err = cairn_cdr_json(told->type, message->bytes, message->size, elements_max, told->text, told->text_bytes,
                                 ret_size);
        }
    } while (err == CAIRN_ERR_FULL && grow(told));
    return err;
}

static cairn_err print_head(lines *told, const cairn_mcap_channel *channel)
{
    size_t size = 0;
    const cairn_err err = say(told, NULL, &size);
    if (err == CAIRN_ERR_TOO_LARGE) {
        cairn_complain(&told->run->complaints, told->run->paths[0], 0,
                       "'%s' would have more than %d columns; ask for fewer elements with --short", channel->topic,
                       CAIRN_CSV_COLUMNS_MAX);
    }
    if (err != CAIRN_OK) { return err; }
    printf("time_s,log_time_ns,publish_time_ns%s%.*s\n", size > 0 ? "," : "", (int)size, told->text);
    told->type_text = strdup(channel->schema);
    return told->type_text != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

static cairn_err print_line(lines *told, const cairn_mcap_message *message)
{
    cairn_err err = told->type == NULL ? read_type(told, message->channel) : CAIRN_OK;
    const bool csv = told->run->asked.csv;
    if (err == CAIRN_OK && csv && told->type_text == NULL) { err = print_head(told, message->channel); }
    if (err != CAIRN_OK) { return err; }
    size_t size = 0;
    err = say(told, message, &size);
    if (err != CAIRN_OK) {
        cairn_complain(&told->run->complaints, told->run->paths[0], 0, "message %" PRIu32 " of '%s' is %s",
                       message->sequence, message->channel->topic, cairn_err_name(err));
        return err;
    }
    printf(csv ? "%.9f,%" PRIu64 ",%" PRIu64 "%s"
               : "{\"time_s\":%.9f,\"log_time_ns\":%" PRIu64 ",\"publish_time_ns\":%" PRIu64 ",\"message\":%s",
           cairn_replay_seconds(told->run->start_ns, message->log_time_ns), message->log_time_ns,
           message->publish_time_ns, csv && size > 0 ? "," : "");
    (void)fwrite(told->text, 1, size, stdout);
    printf(csv ? "\n" : "}\n");
    return ++told->printed == told->run->asked.limit ? CAIRN_ERR_EMPTY : CAIRN_OK;
}

static cairn_err take(void *context, const cairn_mcap_message *message)
{
    lines *told = context;
    const cairn_replay_request *asked = &told->run->asked;
    const double time_s = cairn_replay_seconds(told->run->start_ns, message->log_time_ns);
    const bool wanted =
        strcmp(message->channel->topic, asked->topic) == 0 && time_s >= asked->from_s && time_s <= asked->to_s;
    return wanted ? print_line(told, message) : CAIRN_OK;
}

static void end_file(void *context, const char *path, const cairn_mcap_reader *reader)
{
    (void)path;
    lines *told = context;
    told->type = NULL; // the next file has its own
    for (size_t i = 0; i < cairn_mcap_channel_count(reader); i++) {
        told->found = told->found || strcmp(cairn_mcap_channel_at(reader, i)->topic, told->run->asked.topic) == 0;
    }
}

cairn_err cairn_replay_lines(cairn_replay *run)
{
    lines told = {.run = run, .text_bytes = TEXT_BYTES_FIRST, .text = malloc(TEXT_BYTES_FIRST)};
    const cairn_replay_visitor visitor = {.take = take, .end_file = end_file, .context = &told};
    const cairn_err err = told.text == NULL ? CAIRN_ERR_FULL : cairn_replay_walk(run, &visitor);
    if (err == CAIRN_OK && !told.found) {
        cairn_complain(&run->complaints, run->paths[0], 0, "there is no channel '%s'; `cairn replay %s` lists them",
                       run->asked.topic, run->paths[0]);
    }
    cairn_arena_destroy(&told.arena);
    free(told.type_text);
    free(told.text);
    return err;
}
