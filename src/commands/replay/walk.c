// walk.c - which files there are, and all their messages in turn.
#include "commands/replay/replay.h"
#include "journal/journal.h"
#include "journal/series_io.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRESS_MESSAGES 256 // between two looks at the clock
#define FOLDER_FILES_MAX 100000

double cairn_replay_seconds(uint64_t from_ns, uint64_t to_ns) { return cairn_seconds((int64_t)(to_ns - from_ns)); }

static cairn_err add_path(cairn_replay *run, const char *folder, const char *name)
{
    char **paths = realloc(run->paths, (run->path_count + 1) * sizeof *paths);
    if (paths == NULL) { return CAIRN_ERR_FULL; }
    run->paths = paths;
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path == NULL) { return CAIRN_ERR_FULL; }
    (void)snprintf(path, bytes, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", name);
    run->paths[run->path_count++] = path;
    return CAIRN_OK;
}

static int is_journal(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".mcap") == 0;
}

// "emu1-000012.mcap" is of "emu1"; any other name is a journal of its own.
static size_t series_length(const char *name)
{
    const char *dash = strrchr(name, '-');
    uint64_t number = 0;
    char prefix[256];
    if (dash == NULL || (size_t)(dash - name) >= sizeof prefix) { return strlen(name); }
    (void)snprintf(prefix, sizeof prefix, "%.*s", (int)(dash - name), name);
    return cairn_series_number(name, prefix, &number) ? (size_t)(dash - name) : strlen(name);
}

// Names are sorted, and the numbers in them have as many digits as long as there are fewer than a million.
static cairn_err add_folder(cairn_replay *run, const char *folder)
{
    struct dirent **found = NULL;
    const int count = scandir(folder, &found, is_journal, alphasort);
    if (count < 0) {
        cairn_complain(&run->complaints, folder, 0, "cannot be read: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    cairn_err err = CAIRN_OK;
    if (count == 0) {
        cairn_complain(&run->complaints, folder, 0, "has no journals in it (*.mcap)");
        err = CAIRN_ERR_NOT_FOUND;
    }
    for (int i = 0; i < count; i++) {
        const char *name = found[i]->d_name;
        const size_t length = series_length(found[0]->d_name);
        if (err == CAIRN_OK && (series_length(name) != length || strncmp(name, found[0]->d_name, length) != 0)) {
            cairn_complain(&run->complaints, folder, 0,
                           "has journals of several writers (%s and %s); name the files of one, such as %s/%.*s*.mcap",
                           found[0]->d_name, name, folder, (int)length, found[0]->d_name);
            err = CAIRN_ERR_INVALID;
        }
        if (err == CAIRN_OK) { err = add_path(run, folder, name); }
    }
    for (int i = 0; i < count; i++) { free(found[i]); }
    free(found);
    return err;
}

cairn_err cairn_replay_find_files(cairn_replay *run, const char *const *words, size_t word_count)
{
    cairn_err err = CAIRN_OK;
    struct stat status;
    for (size_t i = 0; i < word_count && err == CAIRN_OK; i++) {
        const bool folder = stat(words[i], &status) == 0 && S_ISDIR(status.st_mode);
        err = folder ? add_folder(run, words[i]) : add_path(run, "", words[i]);
    }
    for (size_t i = 0; i < run->path_count; i++) {
        if (stat(run->paths[i], &status) == 0) { run->bytes_all += (uint64_t)status.st_size; }
    }
    return err;
}

void cairn_replay_finish(cairn_replay *run)
{
    for (size_t i = 0; i < run->path_count; i++) { free(run->paths[i]); }
    free(run->paths);
}

static void judge(cairn_replay *run, const char *path, const cairn_mcap_info *info)
{
    if (info->end == CAIRN_MCAP_CUT) {
        cairn_complain(&run->complaints, path, 0,
                       "is cut, as after a crash or on a full disk (%s); all %" PRIu64
                       " messages up to its last complete chunk could be read",
                       info->trouble, info->message_count);
    } else if (!cairn_mcap_sound(info)) {
        cairn_complain(&run->complaints, path, 0, "is damaged (%s); %" PRIu64 " messages could be read", info->trouble,
                       info->message_count);
    }
}

static void draw_progress(cairn_replay *run, const cairn_mcap_info *info)
{
    const cairn_mono now = cairn_mono_now();
    if (!cairn_progress_is_due(&run->progress, now) || cairn_mono_since(now, run->progress.start) < CAIRN_S(1)) {
        return;
    }
    const double part = (double)(run->bytes_before + info->read_bytes) / (double)(run->bytes_all + 1);
    cairn_progress_draw(&run->progress, now, part, "%.0f %%  %.0f s of the journal", 100 * part,
                        cairn_replay_seconds(run->start_ns, run->end_ns));
}

static cairn_err take(cairn_replay *run, const cairn_replay_visitor *visitor, const cairn_mcap_message *message)
{
    const uint64_t at = message->log_time_ns;
    if (!run->started || at < run->start_ns) { run->start_ns = at; }
    if (!run->started || at > run->end_ns) { run->end_ns = at; }
    run->started = true;
    return visitor->take(visitor->context, message);
}

static cairn_err walk_reader(cairn_replay *run, const char *path, cairn_mcap_reader *reader,
                             const cairn_replay_visitor *visitor)
{
    const cairn_mcap_info *info = cairn_mcap_reader_info(reader);
    cairn_mcap_message message;
    bool newer_said = false;
    cairn_err err = CAIRN_OK;
    while (err == CAIRN_OK && cairn_mcap_next(reader, &message) == CAIRN_OK) {
        if (info->format > CAIRN_JOURNAL_FORMAT && !newer_said) {
            (void)fprintf(stderr,
                          "cairn replay: %s: written by a newer cairn (%s, format %u; this one knows format %d); some "
                          "channels may not be understood\n",
                          path, info->library, info->format, CAIRN_JOURNAL_FORMAT);
            newer_said = true;
        }
        err = take(run, visitor, &message);
        if (info->message_count % PROGRESS_MESSAGES == 0) { draw_progress(run, info); }
    }
    if (visitor->end_file != NULL) { visitor->end_file(visitor->context, path, reader); }
    if (info->end != CAIRN_MCAP_READING) { judge(run, path, info); }
    return err;
}

static cairn_err walk_file(cairn_replay *run, const char *path, const cairn_replay_visitor *visitor)
{
    cairn_mcap_source source;
    cairn_err err = cairn_mcap_source_open(path, &run->complaints, &source);
    if (err != CAIRN_OK) { return err; }
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    cairn_mcap_reader *reader = NULL;
    err = cairn_mcap_reader_create(&source, &limits, &reader);
    if (err == CAIRN_ERR_CORRUPT) {
        cairn_complain(&run->complaints, path, 0, "is not an MCAP file; expected a journal.mcap");
    }
    if (err == CAIRN_OK) { err = walk_reader(run, path, reader, visitor); }
    run->bytes_before += source.size_bytes;
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
    return err;
}

cairn_err cairn_replay_walk(cairn_replay *run, const cairn_replay_visitor *visitor)
{
    cairn_err err = CAIRN_OK, first = CAIRN_OK;
    for (size_t i = 0; i < run->path_count && err != CAIRN_ERR_EMPTY; i++) {
        err = walk_file(run, run->paths[i], visitor);
        if (first == CAIRN_OK && err != CAIRN_ERR_EMPTY) { first = err; }
        // Of several files one may be missing or cut to nothing; the others are still worth reading.
        if (err != CAIRN_OK && err != CAIRN_ERR_CORRUPT && err != CAIRN_ERR_NOT_FOUND) { break; }
    }
    cairn_progress_finish(&run->progress);
    return first;
}
