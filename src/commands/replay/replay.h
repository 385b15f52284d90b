// replay.h - what the files of `cairn replay` share. For them only.
#pragma once
#include "base/clock.h"
#include "commands/progress.h"
#include "journal/mcap_read.h"

typedef struct cairn_replay_request {
    const char *topic; // --channel or --csv; NULL: the table, or --verify
    bool csv, json, verify;
    double from_s, to_s;
    uint64_t limit, elements_max;
} cairn_replay_request;

// One run over all files, in their order.
typedef struct cairn_replay {
    cairn_replay_request asked;
    char **paths; // on the heap, each
    size_t path_count;
    cairn_complaints complaints;
    cairn_progress progress;
    uint64_t bytes_all, bytes_before; // of the files; of those before the current one
    uint64_t start_ns, end_ns;        // log times of all messages so far
    bool started;
} cairn_replay;

// What a walk hands out. take may end the walk by CAIRN_ERR_EMPTY, or with any other error.
typedef struct cairn_replay_visitor {
    cairn_err (*take)(void *context, const cairn_mcap_message *message);
    void (*end_file)(void *context, const char *path, const cairn_mcap_reader *reader); // NULL: nobody asks
    void *context;
} cairn_replay_visitor;

// Files as they were named, or those of the series in a folder. What is wrong is complained about.
CAIRN_CHECKED cairn_err cairn_replay_find_files(cairn_replay *run, const char *const *words, size_t word_count);
void cairn_replay_finish(cairn_replay *run);

// All messages of all files; what is wrong with a file is complained about when it was read to its end.
CAIRN_CHECKED cairn_err cairn_replay_walk(cairn_replay *run, const cairn_replay_visitor *visitor);
double cairn_replay_seconds(uint64_t from_ns, uint64_t to_ns);

// What to do with them.
CAIRN_CHECKED cairn_err cairn_replay_table(cairn_replay *run);
CAIRN_CHECKED cairn_err cairn_replay_lines(cairn_replay *run);
CAIRN_CHECKED cairn_err cairn_replay_verify(cairn_replay *run);

// A JSON string to stdout.
void cairn_replay_print_string(const char *text);
