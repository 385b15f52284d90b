// cairn replay - looks into a journal: what was recorded, and any channel as JSON lines.
#include "base/clock.h"
#include "commands/command.h"
#include "journal/mcap_read.h"
#include "messages/cdr_json.h"
#include "messages/json.h"
#include "messages/schema.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_FIRST (64 << 10)
#define TEXT_BYTES_MAX ((size_t)1 << 30)

static const char command[] = "cairn replay";
static const char usage[] =
    "usage: cairn replay JOURNAL [options]\n\n"
    "Looks into a journal (an MCAP file): lists its channels, or prints one of them.\n\n"
    "  --channel TOPIC   print the messages of this channel, one JSON object a line\n"
    "  --from S          leave out what is earlier than S seconds after the first message  [0]\n"
    "  --to S            leave out what is later                                           [the end]\n"
    "  --limit N         print at most N messages                                          [all]\n"
    "  --short N         shorten arrays to their first N elements: {\"count\":C,\"first\":[...]} [whole]\n"
    "  --json            the list of channels as one JSON object\n\n"
    "In the lines, 64-bit integers are written in full, NaN and infinities as strings, uint8[] as base64.\n"
    "Exit status: 0 done; 1 failed, also when the journal is cut or damaged (what can be read is printed\n"
    "nevertheless); 2 wrong usage.\n\n"
    "Examples: cairn replay out/maze-1/journal.mcap\n"
    "          cairn replay out/maze-1/journal.mcap --channel /emu1/scan --short 5 --limit 3\n"
    "          cairn replay out/maze-1/journal.mcap --channel /emu1/radio/victim_seen --from 60 --to 120\n";

typedef struct request {
    const char *path, *topic;
    double from_s, to_s;
    uint64_t limit, elements_max;
    bool json;
} request;

typedef struct channel_figures {
    uint64_t count, bytes, first_ns, last_ns;
} channel_figures;

typedef struct replay {
    request asked;
    cairn_complaints complaints;
    cairn_mcap_source source;
    cairn_mcap_reader *reader;
    channel_figures *figures; // for each channel id
    uint64_t start_ns, end_ns;
    bool started;

    // For the lines of one channel.
    const cairn_ros_type *type;
    cairn_arena arena; // of the type
    char *text;
    size_t text_bytes;
    uint64_t printed;
} replay;

static bool read_request(int argc, char **argv, request *ret_asked, int *ret_status)
{
    request asked = {.from_s = 0, .to_s = HUGE_VAL, .limit = UINT64_MAX};
    const cairn_option options[] = {
        {"channel", CAIRN_OPTION_TEXT, &asked.topic, 0, 0},
        {"from", CAIRN_OPTION_REAL, &asked.from_s, 0, 1e12},
        {"to", CAIRN_OPTION_REAL, &asked.to_s, 0, 1e12},
        {"limit", CAIRN_OPTION_COUNT, &asked.limit, 1, 1e18},
        {"short", CAIRN_OPTION_COUNT, &asked.elements_max, 1, UINT32_MAX},
        {"json", CAIRN_OPTION_FLAG, &asked.json, 0, 0},
    };
    size_t words = 0;
    if (!cairn_options_read(command, usage, argc, argv, options, sizeof options / sizeof options[0], &asked.path, 1,
                            &words, ret_status)) {
        return false;
    }
    *ret_status = CAIRN_EXIT_USAGE;
    if (words != 1) {
        cairn_usage_error(command, "JOURNAL is missing; expected a file such as out/maze-1/journal.mcap");
        return false;
    }
    if (asked.topic == NULL &&
        (asked.from_s > 0 || asked.to_s < HUGE_VAL || asked.limit < UINT64_MAX || asked.elements_max > 0)) {
        cairn_usage_error(command, "--from, --to, --limit and --short are for one channel; name it with --channel");
        return false;
    }
    if (asked.from_s > asked.to_s) {
        cairn_usage_error(command, "--from %g is later than --to %g", asked.from_s, asked.to_s);
        return false;
    }
    if (asked.topic != NULL && asked.json) {
        cairn_usage_error(command, "--json lists the channels; the lines of --channel are JSON anyway");
        return false;
    }
    *ret_asked = asked;
    return true;
}

static void count_message(replay *run, const cairn_mcap_message *message)
{
    channel_figures *figures = &run->figures[message->channel->id];
    const uint64_t at = message->log_time_ns;
    if (figures->count == 0 || at < figures->first_ns) { figures->first_ns = at; }
    if (figures->count == 0 || at > figures->last_ns) { figures->last_ns = at; }
    figures->count++;
    figures->bytes += message->size;
    if (!run->started || at < run->start_ns) { run->start_ns = at; }
    if (!run->started || at > run->end_ns) { run->end_ns = at; }
    run->started = true;
}

static double seconds(uint64_t from_ns, uint64_t to_ns) { return cairn_seconds((int64_t)(to_ns - from_ns)); }

static double rate_hz(const channel_figures *figures)
{
    const double duration_s = seconds(figures->first_ns, figures->last_ns);
    return duration_s > 0 ? (double)(figures->count - 1) / duration_s : 0;
}

static void print_table(const replay *run, const cairn_mcap_info *info)
{
    int topic_width = 5, type_width = 4;
    const size_t count = cairn_mcap_channel_count(run->reader);
    for (size_t i = 0; i < count; i++) {
        const cairn_mcap_channel *channel = cairn_mcap_channel_at(run->reader, i);
        if ((int)strlen(channel->topic) > topic_width) { topic_width = (int)strlen(channel->topic); }
        if ((int)strlen(channel->schema_name) > type_width) { type_width = (int)strlen(channel->schema_name); }
    }
    printf("%-*s  %-*s  %9s  %9s  %9s  %12s\n", topic_width, "topic", type_width, "type", "count", "Hz", "seconds",
           "bytes");
    for (size_t i = 0; i < count; i++) {
        const cairn_mcap_channel *channel = cairn_mcap_channel_at(run->reader, i);
        const channel_figures *figures = &run->figures[channel->id];
        printf("%-*s  %-*s  %9" PRIu64 "  %9.2f  %9.3f  %12" PRIu64 "\n", topic_width, channel->topic, type_width,
               channel->schema_name, figures->count, rate_hz(figures), seconds(figures->first_ns, figures->last_ns),
               figures->bytes);
    }
    printf("\n%.3f s, %" PRIu64 " messages, %" PRIu64 " bytes, profile %s, written by %s\n",
           seconds(run->start_ns, run->end_ns), info->message_count, info->file_bytes, info->profile, info->library);
    printf("%" PRIu32 " chunks, compressed %.2f : 1\n", info->chunk_count,
           info->packed_bytes > 0 ? (double)info->chunk_bytes / (double)info->packed_bytes : 1.0);
    printf("hash %016" PRIx64 "%s\n", info->hash,
           !info->has_hash_recorded            ? ""
           : info->hash == info->hash_recorded ? " (as recorded)"
                                               : " (NOT as recorded)");
}

static void print_text(const cairn_json *json) { (void)fwrite(json->text, 1, json->used, stdout); }

// One string or number of the summary; each is short, but for topics.
static void print_json_string(replay *run, const char *text)
{
    cairn_json json = {.text = run->text, .max = run->text_bytes};
    cairn_json_string(&json, text, strlen(text));
    print_text(&json);
}

static void print_json_channel(replay *run, const cairn_mcap_channel *channel)
{
    const channel_figures *figures = &run->figures[channel->id];
    printf("{\"topic\":");
    print_json_string(run, channel->topic);
    printf(",\"type\":");
    print_json_string(run, channel->schema_name);
    printf(",\"encoding\":");
    print_json_string(run, channel->encoding);
    printf(",\"count\":%" PRIu64 ",\"rate_hz\":%.6g,\"duration_s\":%.9g,\"bytes\":%" PRIu64 "}", figures->count,
           rate_hz(figures), seconds(figures->first_ns, figures->last_ns), figures->bytes);
}

static void print_json(replay *run, const cairn_mcap_info *info)
{
    printf("{\"journal\":");
    print_json_string(run, run->asked.path);
    printf(",\"sound\":%s,\"trouble\":", cairn_mcap_sound(info) ? "true" : "false");
    print_json_string(run, info->trouble);
    printf(",\"profile\":");
    print_json_string(run, info->profile);
    printf(",\"library\":");
    print_json_string(run, info->library);
    printf(",\"start_ns\":%" PRIu64 ",\"duration_s\":%.9g,\"message_count\":%" PRIu64 ",\"file_bytes\":%" PRIu64
           ",\"chunk_count\":%" PRIu32 ",\"chunk_bytes\":%" PRIu64 ",\"packed_bytes\":%" PRIu64
           ",\"hash\":\"%016" PRIx64 "\",\"channels\":[",
           run->start_ns, seconds(run->start_ns, run->end_ns), info->message_count, info->file_bytes, info->chunk_count,
           info->chunk_bytes, info->packed_bytes, info->hash);
    for (size_t i = 0; i < cairn_mcap_channel_count(run->reader); i++) {
        if (i > 0) { printf(","); }
        print_json_channel(run, cairn_mcap_channel_at(run->reader, i));
    }
    printf("]}\n");
}

static cairn_err read_type(replay *run, const cairn_mcap_channel *channel)
{
    if (strcmp(channel->encoding, "cdr") != 0 || strcmp(channel->schema_encoding, "ros2msg") != 0) {
        cairn_complain(&run->complaints, run->asked.path, 0,
                       "'%s' is '%s' with a '%s' schema; only 'cdr' with 'ros2msg' can be printed", channel->topic,
                       channel->encoding, channel->schema_encoding);
        return CAIRN_ERR_UNSUPPORTED;
    }
    cairn_err err = cairn_arena_create(&run->arena, cairn_schema_arena_bytes(channel->schema_bytes));
    if (err == CAIRN_OK) {
        err = cairn_schema_parse(channel->schema_name, channel->schema, channel->schema_bytes, &run->arena,
                                 &run->complaints, &run->type);
    }
    return err;
}

// The message's JSON into run->text, which grows until it fits.
static cairn_err say_message(replay *run, const cairn_mcap_message *message, size_t *ret_size)
{
    for (;;) {
        const cairn_err err = cairn_cdr_json(run->type, message->bytes, message->size,
                                             (uint32_t)run->asked.elements_max, run->text, run->text_bytes, ret_size);
        if (err != CAIRN_ERR_FULL || run->text_bytes >= TEXT_BYTES_MAX) { return err; }
        char *larger = realloc(run->text, run->text_bytes * 2);
        if (larger == NULL) { return err; }
        run->text = larger;
        run->text_bytes *= 2;
    }
}

static cairn_err print_line(replay *run, const cairn_mcap_message *message)
{
    if (run->type == NULL) {
        const cairn_err err = read_type(run, message->channel);
        if (err != CAIRN_OK) { return err; }
    }
    size_t size = 0;
    const cairn_err err = say_message(run, message, &size);
    if (err != CAIRN_OK) {
        cairn_complain(&run->complaints, run->asked.path, 0, "message %" PRIu32 " of '%s' is %s", message->sequence,
                       message->channel->topic, cairn_err_name(err));
        return err;
    }
    printf("{\"time_s\":%.9f,\"log_time_ns\":%" PRIu64 ",\"publish_time_ns\":%" PRIu64 ",\"message\":",
           seconds(run->start_ns, message->log_time_ns), message->log_time_ns, message->publish_time_ns);
    (void)fwrite(run->text, 1, size, stdout);
    printf("}\n");
    run->printed++;
    return CAIRN_OK;
}

static cairn_err take_message(replay *run, const cairn_mcap_message *message)
{
    if (!run->started) { run->start_ns = message->log_time_ns; }
    if (run->asked.topic == NULL) {
        count_message(run, message);
        return CAIRN_OK;
    }
    run->started = true;
    const double time_s = seconds(run->start_ns, message->log_time_ns);
    const bool wanted = strcmp(message->channel->topic, run->asked.topic) == 0 && time_s >= run->asked.from_s &&
                        time_s <= run->asked.to_s;
    return wanted ? print_line(run, message) : CAIRN_OK;
}

static bool topic_exists(const replay *run)
{
    for (size_t i = 0; i < cairn_mcap_channel_count(run->reader); i++) {
        if (strcmp(cairn_mcap_channel_at(run->reader, i)->topic, run->asked.topic) == 0) { return true; }
    }
    return false;
}

// What remains to be said once everything was read.
static cairn_err conclude(replay *run)
{
    const cairn_mcap_info *info = cairn_mcap_reader_info(run->reader);
    const bool read_all = info->end != CAIRN_MCAP_READING;
    if (run->asked.topic == NULL) {
        if (run->asked.json) {
            print_json(run, info);
        } else {
            print_table(run, info);
        }
    } else if (read_all && !topic_exists(run)) {
        cairn_complain(&run->complaints, run->asked.path, 0, "there is no channel '%s'; `cairn replay %s` lists them",
                       run->asked.topic, run->asked.path);
    }
    if (read_all && !cairn_mcap_sound(info)) {
        cairn_complain(&run->complaints, run->asked.path, 0, "%s: %s; %" PRIu64 " messages could be read",
                       info->end == CAIRN_MCAP_CUT ? "is cut" : "is damaged", info->trouble, info->message_count);
    }
    return run->complaints.count == 0 ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}

static cairn_err walk(replay *run)
{
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    cairn_err err = cairn_mcap_reader_create(&run->source, &limits, &run->reader);
    if (err == CAIRN_ERR_CORRUPT) {
        cairn_complain(&run->complaints, run->asked.path, 0, "is not an MCAP file; expected a journal.mcap");
    }
    cairn_mcap_message message;
    while (err == CAIRN_OK && run->printed < run->asked.limit) {
        err = cairn_mcap_next(run->reader, &message);
        if (err == CAIRN_ERR_EMPTY) { break; }
        if (err == CAIRN_OK) { err = take_message(run, &message); }
    }
    return err == CAIRN_OK || err == CAIRN_ERR_EMPTY ? conclude(run) : err;
}

static cairn_err replay_file(replay *run)
{
    run->figures = calloc(UINT16_MAX + 1, sizeof *run->figures);
    run->text_bytes = TEXT_BYTES_FIRST;
    run->text = malloc(run->text_bytes);
    if (run->figures == NULL || run->text == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = cairn_mcap_source_open(run->asked.path, &run->complaints, &run->source);
    if (err != CAIRN_OK) { return err; }
    err = walk(run);
    cairn_mcap_reader_destroy(run->reader);
    cairn_mcap_source_close(&run->source);
    return err;
}

int cairn_replay_run(int argc, char **argv)
{
    int status = CAIRN_EXIT_DONE;
    replay *run = calloc(1, sizeof *run); // large: holds complaints
    if (run == NULL) { return CAIRN_EXIT_FAILED; }
    if (read_request(argc, argv, &run->asked, &status)) {
        const cairn_err err = replay_file(run);
        (void)fflush(stdout);
        status = err == CAIRN_OK ? CAIRN_EXIT_DONE : cairn_command_failed(command, err, &run->complaints);
    }
    cairn_arena_destroy(&run->arena);
    free(run->figures);
    free(run->text);
    free(run);
    return status;
}
