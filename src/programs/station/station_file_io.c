#include "programs/station/station_file_io.h"
#include "body/description_io.h"
#include "station/areas/areas_file.h"
#include <stdio.h>
#include <string.h>

typedef struct robot_entry {
    uint32_t line;
    char name[32], body[256];
    uint32_t number;
    cairn_vec2 start_m;
    double heading_rad;
} robot_entry;

typedef struct page_entry {
    char bind[64], names[CAIRN_WEB_NAMES_BYTES], token_file[256];
    uint32_t port;
} page_entry;

typedef struct store_entry {
    char file[256];
    double quota_mb;
} store_entry;

typedef struct file_entry {
    char name[64], listen[128], keys[256], sim[256];
    page_entry page;
    store_entry store;
    double rate_bps, map_size_m, start_m_dev, start_rad_dev;
    robot_entry *robots;
    uint32_t robot_count;
    cairn_area_entry *areas;
    uint32_t area_count;
    cairn_journal_settings journal;
} file_entry;

static const cairn_config_field robot_fields[] = {
    CAIRN_CONFIG_LINE(robot_entry, line),
    CAIRN_CONFIG_TEXT(robot_entry, name, "name", .help = "as in the robot's own file, and of its key"),
    CAIRN_CONFIG_INTEGER(robot_entry, number, "number", NULL, 1, 250, .help = "on the air, as in the robot's own file"),
    CAIRN_CONFIG_TEXT(robot_entry, body, "body", .help = "file that describes its body, relative to this one"),
    CAIRN_CONFIG_VECTOR(robot_entry, start_m, "start_m", "m", -10000, 10000, .help = "where it stands at the start"),
    CAIRN_CONFIG_REAL(robot_entry, heading_rad, "heading_deg", "degrees", -360, 360, .factor = CAIRN_CONFIG_DEG,
                      .fallback = "0"),
};
static const cairn_config_schema robot_schema = CAIRN_CONFIG_SCHEMA(robot_entry, robot_fields);
static const cairn_config_field robot_item = CAIRN_CONFIG_ITEM_RECORD(robot_entry, &robot_schema);

static const cairn_config_field page_fields[] = {
    CAIRN_CONFIG_TEXT(page_entry, bind, "bind", .fallback = "127.0.0.1"),
    CAIRN_CONFIG_INTEGER(page_entry, port, "port", NULL, 0, 65535, .fallback = "8080"),
    CAIRN_CONFIG_TEXT(page_entry, names, "names", .fallback = "",
                      .help = "by which browsers reach it, with blanks between them"),
    CAIRN_CONFIG_TEXT(page_entry, token_file, "token_file", .fallback = "",
                      .help = "what other machines' browsers must know; made if it is missing"),
};
static const cairn_config_schema page_schema = CAIRN_CONFIG_SCHEMA(page_entry, page_fields);

static const cairn_config_field store_fields[] = {
    CAIRN_CONFIG_TEXT(store_entry, file, "file", .help = "what outlives a crash of the station"),
    CAIRN_CONFIG_REAL(store_entry, quota_mb, "quota_mb", "MB", 0, 1e6, .fallback = "0"),
};
static const cairn_config_schema store_schema = CAIRN_CONFIG_SCHEMA(store_entry, store_fields);

static const cairn_config_field station_fields[] = {
    CAIRN_CONFIG_TEXT(file_entry, name, "name", .help = "of the mission, shown to people"),
    CAIRN_CONFIG_TEXT(file_entry, listen, "listen", .fallback = "0.0.0.0:7400"),
    CAIRN_CONFIG_RECORD(file_entry, page, "page", &page_schema, .fallback = "{}"),
    CAIRN_CONFIG_RECORD(file_entry, store, "store", &store_schema, .help = "where the station keeps what it was told"),
    CAIRN_CONFIG_TEXT(file_entry, keys, "keys", .help = "folder with the robots' keys, relative to this file"),
    CAIRN_CONFIG_TEXT(file_entry, sim, "sim", .fallback = ""),
    CAIRN_CONFIG_REAL(file_entry, rate_bps, "rate_kbps", "kbit/s", 1, 100000, .factor = 1000, .fallback = "34.56"),
    CAIRN_CONFIG_REAL(file_entry, map_size_m, "map_size_m", "m", 10, 1000, .fallback = "200"),
    CAIRN_CONFIG_REAL(file_entry, start_m_dev, "start_position_sd_m", "m", 0.001, 10, .fallback = "0.02",
                      .help = "how well the starts were measured: one standard deviation along x or y"),
    CAIRN_CONFIG_REAL(file_entry, start_rad_dev, "start_heading_sd_rad", "rad", 0.0001, 1, .fallback = "0.005",
                      .help = "likewise, of the headings"),
    CAIRN_CONFIG_LIST(file_entry, robots, robot_count, "robots", &robot_item, CAIRN_FLEET_MAX, .item_min = 1,
                      .help = "its team"),
    CAIRN_CONFIG_LIST(file_entry, areas, area_count, "areas", &cairn_area_item, CAIRN_FENCES_MAX, .fallback = "[]"),
    CAIRN_CONFIG_RECORD(file_entry, journal, "journal", &cairn_journal_settings_schema, .fallback = "none"),
};
static const cairn_config_schema station_schema = CAIRN_CONFIG_SCHEMA(file_entry, station_fields);

static cairn_err resolve(const char *path, const char *named, char *ret_path, cairn_complaints *complaints)
{
    if (named[0] == '\0') { return CAIRN_OK; }
    const cairn_err err = cairn_config_resolve(path, named, ret_path, CAIRN_PROGRAM_PATH_BYTES);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "paths are too long: at most %d bytes", CAIRN_PROGRAM_PATH_BYTES - 1);
    }
    return err;
}

// Beside the store unless it is named: both outlive the program.
static cairn_err resolve_token(const char *path, const char *named, cairn_station_file *file,
                               cairn_complaints *complaints)
{
    if (named[0] != '\0') { return resolve(path, named, file->page_token_file, complaints); }
    const char *slash = strrchr(file->store, '/');
    const int folder_bytes = slash == NULL ? 0 : (int)(slash + 1 - file->store);
    const int used =
        snprintf(file->page_token_file, sizeof file->page_token_file, "%.*spage.token", folder_bytes, file->store);
    if (used < (int)sizeof file->page_token_file) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "paths are too long: at most %d bytes", CAIRN_PROGRAM_PATH_BYTES - 1);
    return CAIRN_ERR_TOO_LARGE;
}

static void check_robot(const char *path, const file_entry *entry, uint32_t at, cairn_complaints *complaints)
{
    const robot_entry *robot = &entry->robots[at];
    for (uint32_t i = 0; i < at; i++) {
        if (entry->robots[i].number == robot->number) {
            cairn_complain(complaints, path, robot->line, "robots[%u].number: %s has %u too", at, entry->robots[i].name,
                           robot->number);
        }
        if (strcmp(entry->robots[i].name, robot->name) == 0) {
            cairn_complain(complaints, path, robot->line, "robots[%u].name: another robot is named %s too", at,
                           robot->name);
        }
    }
}

static cairn_err read_robot(const char *path, const robot_entry *entry, uint32_t at, cairn_complaints *complaints,
                            cairn_station_file_robot *robot)
{
    memcpy(robot->name, entry->name, sizeof robot->name);
    robot->number = (uint8_t)entry->number;
    robot->map_T_start = (cairn_pose2){entry->start_m.x, entry->start_m.y, entry->heading_rad};
    cairn_err err = resolve(path, entry->body, robot->body_file, complaints);
    if (err == CAIRN_OK) { err = cairn_body_description_read(robot->body_file, complaints, &robot->body); }
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, entry->line, "robots[%u].body: names %s; see above", at, robot->body_file);
    }
    return err;
}

static cairn_err convert(const char *path, const file_entry *entry, cairn_arena *memory, cairn_complaints *complaints,
                         cairn_station_file *file)
{
    const uint32_t complaint_count = complaints->count;
    memcpy(file->name, entry->name, sizeof file->name);
    memcpy(file->listen, entry->listen, sizeof file->listen);
    memcpy(file->page_bind, entry->page.bind, sizeof file->page_bind);
    memcpy(file->page_names, entry->page.names, sizeof file->page_names);
    if (!cairn_web_names_fit(file->page_names)) {
        cairn_complain(complaints, path, 0, "page.names: '%s'; expected names like station.local, blanks between them",
                       file->page_names);
    }
    file->page_port = (uint16_t)entry->page.port;
    file->store_quota_bytes = (uint64_t)(entry->store.quota_mb * 1e6);
    file->rate_bps = entry->rate_bps;
    file->map_size_m = entry->map_size_m;
    file->start_m_dev = entry->start_m_dev;
    file->start_rad_dev = entry->start_rad_dev;
    file->journal = entry->journal;
    file->robot_count = entry->robot_count;
    file->robots = CAIRN_TAKE(memory, cairn_station_file_robot, entry->robot_count);
    if (file->robots == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = resolve(path, entry->store.file, file->store, complaints);
    if (err == CAIRN_OK) { err = resolve(path, entry->keys, file->keys, complaints); }
    if (err == CAIRN_OK) { err = resolve_token(path, entry->page.token_file, file, complaints); }
    if (err == CAIRN_OK) { err = resolve(path, entry->sim, file->sim, complaints); }
    if (err == CAIRN_OK) { err = resolve(path, entry->journal.folder, file->journal.folder, complaints); }
    for (uint32_t i = 0; i < entry->robot_count; i++) {
        check_robot(path, entry, i, complaints);
        cairn_areas_check_reach(path, entry->areas, entry->area_count, entry->robots[i].start_m, complaints);
        const cairn_err robot_err = read_robot(path, &entry->robots[i], i, complaints, &file->robots[i]);
        if (err == CAIRN_OK) { err = robot_err; }
    }
    const cairn_err areas_err = cairn_areas_convert(path, entry->areas, entry->area_count, complaints, &file->areas);
    if (err == CAIRN_OK) { err = areas_err; }
    return err == CAIRN_OK && complaints->count > complaint_count ? CAIRN_ERR_INVALID : err;
}

cairn_err cairn_station_file_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                  cairn_station_file *ret_file)
{
    const size_t mark = cairn_arena_mark(memory);
    file_entry entry;
    cairn_station_file file = {0};
    cairn_err err = cairn_config_read(path, &station_schema, memory, complaints, &entry);
    if (err == CAIRN_OK) { err = convert(path, &entry, memory, complaints, &file); }
    if (err == CAIRN_OK) {
        *ret_file = file;
    } else {
        cairn_arena_reset(memory, mark);
    }
    return err;
}
