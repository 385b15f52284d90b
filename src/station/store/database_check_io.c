// database_check_io.c - is this file a store, of which version, and is all of it sound; and the way from one version to
// the next.
//
// SQLite's own check sees broken pages and trees, not changed bytes inside a row: those the rows' hashes see. The text
// of the tables is compared too, so that no statement of ours ever runs on tables that somebody else has thought out.
#include "station/store/database_io.h"
#include "station/store/store_io.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION_CREDIBLE_MAX 1000 // above it is a damaged header, not a version
#define PATH_BYTES_MAX 4096
#define AS_TEXT_(x) #x
#define AS_TEXT(x) AS_TEXT_(x)

#define SETUP_TABLE "CREATE TABLE setup(id INTEGER PRIMARY KEY, hash INTEGER, bytes BLOB)"
#define BATCHES_TABLE                                                                                                  \
    "CREATE TABLE batches(first INTEGER PRIMARY KEY, last INTEGER, missing INTEGER, hash INTEGER, bytes BLOB)"
#define SNAPSHOTS_TABLE                                                                                                \
    "CREATE TABLE snapshots(ticket INTEGER PRIMARY KEY, layout INTEGER, plain_bytes INTEGER, hash INTEGER, bytes "     \
    "BLOB)"

const char *const cairn_database_steps[CAIRN_STORE_VERSION] = {
    SETUP_TABLE ";" BATCHES_TABLE ";" SNAPSHOTS_TABLE ";"
                "PRAGMA application_id = " AS_TEXT(CAIRN_DATABASE_APPLICATION),
};

static int table_count(cairn_database *db, int64_t *ret_count)
{
    return cairn_database_number(db, "SELECT count(*) FROM sqlite_schema", ret_count);
}

static int check_tables(cairn_database *db)
{
    static const char *const tables[] = {SETUP_TABLE, BATCHES_TABLE, SNAPSHOTS_TABLE};
    int64_t all = 0, known = 0;
    int result = table_count(db, &all);
    sqlite3_stmt *statement = NULL;
    if (result == SQLITE_OK) {
        result = sqlite3_prepare_v2(db->handle, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql = ?",
                                    -1, &statement, NULL);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables && result == SQLITE_OK; i++) {
        (void)sqlite3_bind_text(statement, 1, tables[i], -1, SQLITE_STATIC);
        result = sqlite3_step(statement);
        if (result != SQLITE_ROW) { break; }
        known += sqlite3_column_int64(statement, 0);
        result = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    if (result != SQLITE_OK) { return result; }
    return all == 3 && known == 3 ? SQLITE_OK : SQLITE_CORRUPT;
}

static int check_pages(cairn_database *db, char *ret_words)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db->handle, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (result == SQLITE_OK) { result = sqlite3_step(statement); }
    const char *const said = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (result == SQLITE_ROW && said == NULL) { result = SQLITE_NOMEM; }
    if (result == SQLITE_ROW && strcmp(said, "ok") == 0) { result = SQLITE_OK; }
    if (result == SQLITE_ROW) {
        // SQLite's words may have several lines; the last tells what, the first only where.
        const char *const last = strrchr(said, '\n');
        (void)snprintf(ret_words, CAIRN_DATABASE_WORDS_BYTES, "%s", last != NULL ? last + 1 : said);
        result = SQLITE_CORRUPT;
    }
    sqlite3_finalize(statement);
    return result;
}

typedef struct walk {
    const cairn_database *db;
    uint64_t last;
    char *words;
} walk;

static int walk_batch(void *context, const cairn_store_batch *batch)
{
    walk *const at = context;
    if (batch->first != at->last + 1) {
        (void)snprintf(at->words, CAIRN_DATABASE_WORDS_BYTES, "what follows ticket %" PRIu64 " is not there", at->last);
        return SQLITE_CORRUPT;
    }
    if (!cairn_store_batch_is_sound(at->db->setup_hash, batch)) {
        (void)snprintf(at->words, CAIRN_DATABASE_WORDS_BYTES, "the records from ticket %" PRIu64 " on have changed",
                       batch->first);
        return SQLITE_CORRUPT;
    }
    at->last = batch->last;
    return SQLITE_OK;
}

static int walk_packed(void *context, const cairn_store_packed *packed)
{
    walk *const at = context;
    if (packed->ticket <= at->last && cairn_store_packed_is_sound(at->db->setup_hash, packed)) { return SQLITE_OK; }
    (void)snprintf(at->words, CAIRN_DATABASE_WORDS_BYTES, "the snapshot at ticket %" PRIu64 " has changed",
                   packed->ticket);
    return SQLITE_CORRUPT;
}

static int check_rows(cairn_database *db, char *ret_words)
{
    uint8_t *setup = NULL;
    size_t size;
    int result = cairn_database_read_setup(db, &setup, &size);
    free(setup);
    if (result == SQLITE_CORRUPT) {
        (void)snprintf(ret_words, CAIRN_DATABASE_WORDS_BYTES, "the setup has changed or is not there");
    }
    walk at = {db, 0, ret_words};
    if (result == SQLITE_OK) { result = cairn_database_each_batch(db, 0, walk_batch, &at); }
    if (result == SQLITE_OK) { result = cairn_database_each_packed(db, walk_packed, &at); }
    return result;
}

static void judge_failure(cairn_database *db, int result, cairn_database_health *health)
{
    health->verdict = cairn_database_result_is_damage(result) ? CAIRN_DATABASE_DAMAGED : CAIRN_DATABASE_FAILED;
    if (health->words[0] != '\0') { return; }
    const int cause = sqlite3_system_errno(db->handle);
    const bool system = health->verdict == CAIRN_DATABASE_FAILED && cause != 0;
    (void)snprintf(health->words, sizeof health->words, "%s", system ? strerror(cause) : sqlite3_errmsg(db->handle));
}

// From the header and the list of tables: whose file it is, and of which version. False: that decides it.
static bool judge_header(cairn_database *db, cairn_database_health *health)
{
    int64_t application = 0, tables = 0;
    int result = cairn_database_number(db, "PRAGMA application_id", &application);
    if (result == SQLITE_OK) { result = cairn_database_number(db, "PRAGMA user_version", &health->version); }
    if (result == SQLITE_OK) { result = table_count(db, &tables); }
    if (result != SQLITE_OK) {
        judge_failure(db, result, health);
        return false;
    }
    const bool new = application == 0 && health->version == 0 && tables == 0;
    if (new) {
        health->verdict = CAIRN_DATABASE_OLDER;
    } else if (application != CAIRN_DATABASE_APPLICATION) {
        health->verdict = CAIRN_DATABASE_FOREIGN;
    } else if (health->version < 1 || health->version > VERSION_CREDIBLE_MAX) {
        health->verdict = CAIRN_DATABASE_DAMAGED;
        (void)snprintf(health->words, sizeof health->words, "its header gives no version");
    } else if (health->version > CAIRN_STORE_VERSION) {
        health->verdict = CAIRN_DATABASE_NEWER;
    } else {
        return true;
    }
    return false;
}

cairn_database_health cairn_database_check(cairn_database *db)
{
    cairn_database_health health = {.verdict = CAIRN_DATABASE_SOUND};
    if (!judge_header(db, &health)) { return health; }
    const bool current = health.version == CAIRN_STORE_VERSION;
    int result = SQLITE_OK;
    if (current) { result = check_tables(db); }
    if (result == SQLITE_OK) { result = check_pages(db, health.words); }
    if (result == SQLITE_OK && current) { result = check_rows(db, health.words); }
    if (result != SQLITE_OK) {
        judge_failure(db, result, &health);
    } else if (!current) {
        health.verdict = CAIRN_DATABASE_OLDER;
    }
    return health;
}

// A copy by way of a name of its own, so that a copy that was interrupted is never taken for one.
static int keep_copy(cairn_database *db, const char *path, int64_t version)
{
    char kept[PATH_BYTES_MAX], part[PATH_BYTES_MAX + 8];
    (void)snprintf(kept, sizeof kept, "%s.v%" PRId64, path, version);
    (void)snprintf(part, sizeof part, "%s.part", kept);
    (void)unlink(part);
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db->handle, "VACUUM INTO ?", -1, &statement, NULL);
    if (result == SQLITE_OK) { result = sqlite3_bind_text(statement, 1, part, -1, SQLITE_STATIC); }
    if (result == SQLITE_OK) { result = sqlite3_step(statement); }
    sqlite3_finalize(statement);
    if (result != SQLITE_DONE) { return result; }
    return rename(part, kept) == 0 ? SQLITE_OK : SQLITE_IOERR;
}

static int set_version(cairn_database *db, int64_t version)
{
    char sql[64];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %" PRId64, version);
    return cairn_database_do(db, sql);
}

int cairn_database_migrate(cairn_database *db, const char *path, const char *const steps[], int64_t from, int64_t to,
                           const uint8_t *setup, size_t setup_bytes)
{
    CAIRN_ASSERT(from >= 0 && from < to);
    int result = from > 0 ? keep_copy(db, path, from) : SQLITE_OK;
    if (result == SQLITE_OK) { result = cairn_database_do(db, "BEGIN IMMEDIATE"); }
    for (int64_t version = from; version < to && result == SQLITE_OK; version++) {
        result = cairn_database_do(db, steps[version]);
    }
    if (result == SQLITE_OK && from == 0) { result = cairn_database_add_setup(db, setup, setup_bytes); }
    if (result == SQLITE_OK) { result = set_version(db, to); }
    if (result == SQLITE_OK) { result = cairn_database_do(db, "COMMIT"); }
    if (result != SQLITE_OK) { cairn_database_roll_back(db); }
    return result;
}
