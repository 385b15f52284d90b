#include "programs/robot/robot_file_io.h"
#include "base/hash.h"
#include "body/description_io.h"
#include "link/key_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct file_entry {
    char name[32];
    uint32_t number;
    char body[256], station[128], keys[256], state[256], sim[256];
    double rate_bps;
    bool has_journal;
    cairn_journal_settings journal;
} file_entry;

static const cairn_config_field robot_fields[] = {
    CAIRN_CONFIG_TEXT(file_entry, name, "name", .help = "of this robot, as its key and the station name it"),
    CAIRN_CONFIG_INTEGER(file_entry, number, "number", NULL, 1, 250, .help = "on the air; no two robots have the same"),
    CAIRN_CONFIG_TEXT(file_entry, body, "body", .help = "file that describes its body, relative to this one"),
    CAIRN_CONFIG_TEXT(file_entry, station, "station", .help = "HOST:PORT that its radio sends to"),
    CAIRN_CONFIG_TEXT(file_entry, keys, "keys", .help = "folder with its key, relative to this file"),
    CAIRN_CONFIG_TEXT(file_entry, state, "state", .help = "folder for what outlives a crash"),
    CAIRN_CONFIG_TEXT(file_entry, sim, "sim", .help = "folder of the simulator that has its body"),
    CAIRN_CONFIG_REAL(file_entry, rate_bps, "rate_kbps", "kbit/s", 1, 100000, .factor = 1000, .fallback = "20"),
    CAIRN_CONFIG_RECORD(file_entry, journal, "journal", &cairn_journal_settings_schema, .fallback = "none"),
};
static const cairn_config_schema robot_schema = CAIRN_CONFIG_SCHEMA(file_entry, robot_fields);

cairn_err cairn_body_file_hash(const char *path, cairn_complaints *complaints, uint64_t *ret_hash)
{
    static _Thread_local uint8_t bytes[1 << 16]; // a body file has some 4 kB
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        cairn_complain(complaints, path, 0, "cannot be opened: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    const bool failed = ferror(file) != 0 || size == sizeof bytes;
    (void)fclose(file);
    if (failed) {
        cairn_complain(complaints, path, 0, "cannot be read, or has more than %zu bytes", sizeof bytes - 1);
        return CAIRN_ERR_IO;
    }
    *ret_hash = cairn_hash_bytes(0, bytes, size);
    return CAIRN_OK;
}

static cairn_err resolve_all(const char *path, const file_entry *entry, cairn_robot_file *file)
{
    const struct {
        const char *from;
        char *to;
    } paths[] = {
        {entry->body, file->body_file},
        {entry->keys, file->keys},
        {entry->state, file->state},
        {entry->sim, file->sim},
        {entry->journal.folder, file->journal.folder},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (paths[i].from[0] == '\0') { continue; }
        const cairn_err err = cairn_config_resolve(path, paths[i].from, paths[i].to, CAIRN_PROGRAM_PATH_BYTES);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

static cairn_err convert(const char *path, const file_entry *entry, cairn_complaints *complaints,
                         cairn_robot_file *file)
{
    memcpy(file->name, entry->name, sizeof file->name);
    memcpy(file->station, entry->station, sizeof file->station);
    file->number = (uint8_t)entry->number;
    file->rate_bps = entry->rate_bps;
    file->journal = entry->journal;
    if (resolve_all(path, entry, file) != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "paths are too long: at most %d bytes", CAIRN_PROGRAM_PATH_BYTES - 1);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (!cairn_key_name_is_good(file->name)) {
        cairn_complain(complaints, path, 0, "name: found '%s'; expected letters, digits, '-' and '_'", file->name);
        return CAIRN_ERR_INVALID;
    }
    cairn_err err = cairn_body_description_read(file->body_file, complaints, &file->body);
    if (err == CAIRN_OK) { err = cairn_body_file_hash(file->body_file, complaints, &file->body_hash); }
    if (err != CAIRN_OK) { cairn_complain(complaints, path, 0, "body: names %s; see above", file->body_file); }
    return err;
}

cairn_err cairn_robot_file_read(const char *path, cairn_complaints *complaints, cairn_robot_file *ret_file)
{
    file_entry entry;
    cairn_err err = cairn_config_read(path, &robot_schema, NULL, complaints, &entry);
    if (err != CAIRN_OK) { return err; }
    cairn_robot_file file = {0};
    err = convert(path, &entry, complaints, &file);
    if (err == CAIRN_OK) { *ret_file = file; }
    return err;
}
