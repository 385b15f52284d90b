#include "journal/rotation.h"
#include "journal/series_io.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// An owner who does not turn when it is due has died or hangs; its files must not grow without end.
#define OWNER_GRACE_NS CAIRN_S(30)

typedef struct channel {
    char *topic;
    const cairn_ros_type *type;
} channel;

struct cairn_rotation {
    cairn_rotation_def def;
    char *path, *folder, *prefix; // copies
    cairn_series series;
    cairn_journal *journal; // NULL: in trouble, or finished
    channel *channels;      // CAIRN_JOURNAL_CHANNELS_MAX of them
    uint16_t channel_count;
    bool started;                         // the file has a message
    int64_t start_ns;                     // of its first message
    int64_t due_ns;                       // since when the owner should have turned; INT64_MAX: not due
    int64_t retry_ns;                     // in trouble: not before
    uint64_t ended_bytes, ended_messages; // of the files before this one
    cairn_rotation_info info;
};

cairn_rotation_def cairn_rotation_def_default(void)
{
    return (cairn_rotation_def){.rotate_bytes = (uint64_t)256 << 20,
                                .rotate_ns = CAIRN_S(30 * 60),
                                .quota_bytes = (uint64_t)4 << 30,
                                .journal = cairn_journal_def_default()};
}

static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *ret_copy != NULL;
}

static cairn_err add_channels(cairn_rotation *rotation)
{
    for (uint16_t i = 0; i < rotation->channel_count; i++) {
        const channel *one = &rotation->channels[i];
        uint16_t number = 0;
        const cairn_err err = cairn_journal_add_type(rotation->journal, one->topic, one->type, &number);
        if (err != CAIRN_OK) { return err; }
        CAIRN_ASSERT(number == i + 1);
    }
    return CAIRN_OK;
}

// What the journal has counted so far belongs to the files before the next one.
static void close_books(cairn_rotation *rotation)
{
    rotation->ended_bytes += cairn_journal_file_bytes(rotation->journal);
    rotation->ended_messages += cairn_journal_message_count(rotation->journal);
    rotation->info.hash = cairn_journal_hash(rotation->journal);
}

static void fail(cairn_rotation *rotation, cairn_err err, int64_t now_ns, const char *trouble)
{
    cairn_rotation_info *info = &rotation->info;
    info->err = err;
    info->trouble_count++;
    (void)snprintf(info->trouble, sizeof info->trouble, "%.500s", trouble);
    rotation->retry_ns = now_ns + CAIRN_ROTATION_RETRY_NS;
    if (rotation->journal != NULL) { close_books(rotation); }
    cairn_journal_destroy(rotation->journal);
    rotation->journal = NULL;
}

// The number after the greatest one there is: a number names one file for good, unless that was deleted by hand.
static cairn_err next_path(cairn_rotation *rotation, uint64_t *ret_number, char ret_path[CAIRN_SERIES_PATH_BYTES])
{
    cairn_series_files files;
    const cairn_err err = cairn_series_list(&rotation->series, &files);
    if (err != CAIRN_OK) { return err; }
    const uint64_t greatest = files.count > 0 ? files.files[files.count - 1].number : 0;
    cairn_series_files_finish(&files);
    *ret_number = 1 + (greatest > rotation->info.number ? greatest : rotation->info.number);
    return cairn_series_path(&rotation->series, *ret_number, ret_path);
}

static void make_room(cairn_rotation *rotation)
{
    const cairn_rotation_def *def = &rotation->def;
    if (def->quota_bytes == 0) { return; }
    // The new file may become as large as a file becomes.
    rotation->info.deleted_count +=
        cairn_series_trim(&rotation->series, def->quota_bytes - def->rotate_bytes, rotation->info.number);
}

// On failure of a series nothing is left of the file.
static cairn_err begin_file(cairn_rotation *rotation, cairn_complaints *complaints)
{
    char path[CAIRN_SERIES_PATH_BYTES] = "";
    const bool series = rotation->path == NULL;
    uint64_t number = 0;
    cairn_err err = series ? next_path(rotation, &number, path) : CAIRN_OK;
    if (err != CAIRN_OK) { return err; }
    err = cairn_journal_create(&rotation->def.journal, series ? path : rotation->path, complaints, &rotation->journal);
    if (err == CAIRN_OK) { err = add_channels(rotation); }
    if (err == CAIRN_OK && series) { err = cairn_journal_flush(rotation->journal); }
    if (err != CAIRN_OK) {
        cairn_journal_destroy(rotation->journal);
        rotation->journal = NULL;
        if (series) { (void)unlink(path); }
        return err;
    }
    rotation->info.number = number;
    rotation->info.file_count++;
    rotation->info.err = CAIRN_OK;
    rotation->started = false;
    rotation->due_ns = INT64_MAX;
    if (series) { make_room(rotation); }
    return CAIRN_OK;
}

static cairn_err take_memory(cairn_rotation *rotation, const cairn_rotation_def *def)
{
    rotation->channels = calloc(CAIRN_JOURNAL_CHANNELS_MAX, sizeof *rotation->channels);
    const bool good = rotation->channels != NULL && copy_text(def->path, &rotation->path) &&
                      copy_text(def->folder, &rotation->folder) && copy_text(def->prefix, &rotation->prefix);
    return good ? CAIRN_OK : CAIRN_ERR_FULL;
}

cairn_err cairn_rotation_create(const cairn_rotation_def *def, cairn_complaints *complaints,
                                cairn_rotation **ret_rotation)
{
    CAIRN_ASSERT((def->path != NULL) != (def->folder != NULL && def->prefix != NULL));
    CAIRN_ASSERT(def->path == NULL || (def->rotate_bytes == 0 && def->rotate_ns == 0 && def->quota_bytes == 0));
    cairn_rotation *rotation = calloc(1, sizeof *rotation);
    if (rotation == NULL) { return CAIRN_ERR_FULL; }
    rotation->def = *def;
    // Under a quota there must be a file that can go while another one is written.
    if (def->quota_bytes > 0 && (def->rotate_bytes == 0 || def->rotate_bytes > def->quota_bytes / 2)) {
        rotation->def.rotate_bytes = def->quota_bytes / 2;
    }
    cairn_err err = take_memory(rotation, def);
    rotation->series = (cairn_series){rotation->folder, rotation->prefix};
    if (err == CAIRN_OK && def->path == NULL) { err = cairn_series_make_folder(&rotation->series, complaints); }
    if (err == CAIRN_OK) {
        err = begin_file(rotation, complaints);
        if (err == CAIRN_ERR_FULL && def->path == NULL) {
            fail(rotation, err, 0, "the disk is full; free some space");
            err = CAIRN_OK;
        }
    }
    if (err != CAIRN_OK) {
        cairn_rotation_destroy(rotation);
        return err;
    }
    *ret_rotation = rotation;
    return CAIRN_OK;
}

void cairn_rotation_destroy(cairn_rotation *rotation)
{
    if (rotation == NULL) { return; }
    cairn_journal_destroy(rotation->journal);
    for (uint16_t i = 0; i < rotation->channel_count; i++) { free(rotation->channels[i].topic); }
    free(rotation->channels);
    free(rotation->path);
    free(rotation->folder);
    free(rotation->prefix);
    free(rotation);
}

cairn_err cairn_rotation_add_type(cairn_rotation *rotation, const char *topic, const cairn_ros_type *type)
{
    if (rotation->channel_count == CAIRN_JOURNAL_CHANNELS_MAX) { return CAIRN_ERR_FULL; }
    char *copy = strdup(topic);
    if (copy == NULL) { return CAIRN_ERR_FULL; }
    rotation->channels[rotation->channel_count++] = (channel){copy, type};
    if (rotation->journal == NULL) { return CAIRN_OK; } // the next file will have it
    uint16_t number = 0;
    const cairn_err err = cairn_journal_add_type(rotation->journal, topic, type, &number);
    CAIRN_ASSERT(err != CAIRN_OK || number == rotation->channel_count);
    return err;
}

static bool is_full_or_old(const cairn_rotation *rotation, int64_t now_ns)
{
    const cairn_rotation_def *def = &rotation->def;
    return rotation->started &&
           ((def->rotate_bytes > 0 && cairn_journal_file_bytes(rotation->journal) >= def->rotate_bytes) ||
            (def->rotate_ns > 0 && now_ns - rotation->start_ns >= def->rotate_ns));
}

bool cairn_rotation_is_due(const cairn_rotation *rotation, int64_t now_ns)
{
    if (rotation->path != NULL) { return false; }
    return rotation->journal == NULL ? now_ns >= rotation->retry_ns : is_full_or_old(rotation, now_ns);
}

cairn_err cairn_rotation_turn(cairn_rotation *rotation, int64_t now_ns)
{
    CAIRN_ASSERT(rotation->path == NULL);
    if (rotation->journal != NULL) {
        const cairn_err ended = cairn_journal_finish(rotation->journal);
        if (ended != CAIRN_OK) {
            fail(rotation, ended, now_ns, cairn_journal_trouble(rotation->journal));
            return ended;
        }
        close_books(rotation);
        cairn_journal_destroy(rotation->journal);
        rotation->journal = NULL;
    } else if (cairn_series_free_bytes(&rotation->series) < CAIRN_ROTATION_ROOM_BYTES) {
        rotation->retry_ns = now_ns + CAIRN_ROTATION_RETRY_NS; // still the same trouble
        return rotation->info.err;
    }
    const bool in_trouble = rotation->info.err != CAIRN_OK;
    cairn_complaints complaints = {0};
    const cairn_err err = begin_file(rotation, &complaints);
    if (err == CAIRN_OK) { return CAIRN_OK; }
    rotation->retry_ns = now_ns + CAIRN_ROTATION_RETRY_NS;
    if (!in_trouble) {
        complaints.text[strcspn(complaints.text, "\n")] = '\0';
        fail(rotation, err, now_ns, complaints.count > 0 ? complaints.text : "the disk is full; free some space");
    }
    return err;
}

// Whether this message should go into a new file, which nobody else begins.
static bool turns_itself(cairn_rotation *rotation, int64_t now_ns)
{
    if (!cairn_rotation_is_due(rotation, now_ns)) { return false; }
    if (!rotation->def.owner_turns || rotation->journal == NULL) { return !rotation->def.owner_turns; }
    if (now_ns < rotation->due_ns) { rotation->due_ns = now_ns; }
    return now_ns - rotation->due_ns >= OWNER_GRACE_NS;
}

cairn_err cairn_rotation_write(cairn_rotation *rotation, uint16_t channel_number, int64_t log_time_ns,
                               int64_t publish_time_ns, const void *bytes, size_t size)
{
    CAIRN_ASSERT(channel_number >= 1 && channel_number <= rotation->channel_count);
    if (turns_itself(rotation, log_time_ns)) { (void)!cairn_rotation_turn(rotation, log_time_ns); }
    if (rotation->journal == NULL) {
        rotation->info.lost_count++;
        return rotation->info.err;
    }
    const cairn_err err =
        cairn_journal_write(rotation->journal, channel_number, log_time_ns, publish_time_ns, bytes, size);
    if (err == CAIRN_OK) {
        if (!rotation->started) { rotation->start_ns = log_time_ns; }
        rotation->started = true;
        return CAIRN_OK;
    }
    rotation->info.lost_count++;
    if (cairn_journal_trouble(rotation->journal)[0] != '\0') {
        fail(rotation, err, log_time_ns, cairn_journal_trouble(rotation->journal));
    }
    return err;
}

cairn_err cairn_rotation_flush(cairn_rotation *rotation)
{
    if (rotation->journal == NULL) { return rotation->info.err; }
    const cairn_err err = cairn_journal_flush(rotation->journal);
    if (err != CAIRN_OK) { fail(rotation, err, rotation->start_ns, cairn_journal_trouble(rotation->journal)); }
    return err;
}

cairn_err cairn_rotation_finish(cairn_rotation *rotation)
{
    if (rotation->journal == NULL) { return rotation->info.err; }
    const cairn_err err = cairn_journal_finish(rotation->journal);
    if (err != CAIRN_OK) {
        fail(rotation, err, rotation->start_ns, cairn_journal_trouble(rotation->journal));
        return err;
    }
    close_books(rotation);
    cairn_journal_destroy(rotation->journal);
    rotation->journal = NULL;
    return CAIRN_OK;
}

void cairn_rotation_look(const cairn_rotation *rotation, cairn_rotation_info *ret_info)
{
    *ret_info = rotation->info;
    ret_info->file_bytes = rotation->ended_bytes;
    ret_info->message_count = rotation->ended_messages;
    if (rotation->journal == NULL) { return; }
    ret_info->file_bytes += cairn_journal_file_bytes(rotation->journal);
    ret_info->message_count += cairn_journal_message_count(rotation->journal);
    ret_info->hash = cairn_journal_hash(rotation->journal);
}
