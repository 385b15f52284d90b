// database_io.c - opening, writing and reading the tables; see database_io.h.
//
// secure_delete is off: zeroing the pages of an old snapshot would cost as much as writing the new one.
#include "station/store/database_io.h"
#include "station/store/store_io.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 2000                   // a person may look at the file with other tools
#define LOG_BYTES_KEPT "4194304"       // of the write-ahead log between checkpoints
#define LENGTH_MAX (320 * 1024 * 1024) // of a row: the largest snapshot that did not shrink
#define PATH_BYTES_MAX 4096

int cairn_database_do(cairn_database *db, const char *sql) { return sqlite3_exec(db->handle, sql, NULL, NULL, NULL); }

int cairn_database_number(cairn_database *db, const char *sql, int64_t *ret_number)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_step(statement);
        if (result == SQLITE_ROW) { *ret_number = sqlite3_column_int64(statement, 0); }
    }
    sqlite3_finalize(statement);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

// The tables of a stranger's file may hold traps; nothing in a store needs what is shut off here.
static int restrain(cairn_database *db)
{
    (void)sqlite3_extended_result_codes(db->handle, 1);
    (void)sqlite3_busy_timeout(db->handle, BUSY_MS);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 1); // VACUUM INTO needs one
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return cairn_database_do(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY");
}

static int set_up_writing(cairn_database *db)
{
    int result = cairn_database_do(db, "PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE; PRAGMA secure_delete = OFF;"
                                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                       "PRAGMA journal_size_limit = " LOG_BYTES_KEPT);
    // Where a log cannot be shared with readers (some network disks) SQLite goes on without one, and says so only here.
    sqlite3_stmt *mode = NULL;
    if (result == SQLITE_OK) { result = sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode", -1, &mode, NULL); }
    if (result == SQLITE_OK) { result = sqlite3_step(mode) == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(db->handle); }
    const char *const text = result == SQLITE_OK ? (const char *)sqlite3_column_text(mode, 0) : NULL;
    if (result == SQLITE_OK && (text == NULL || strcmp(text, "wal") != 0)) { result = SQLITE_IOERR_LOCK; }
    sqlite3_finalize(mode);
    // An empty log holds no frames of a transaction that a dead process did not finish (salvage_io.c relies on it).
    if (result == SQLITE_OK) { result = cairn_database_do(db, "PRAGMA wal_checkpoint(TRUNCATE)"); }
    return result;
}

// A path as SQLite's URIs have it: everything but letters, digits and few signs as %XX.
static void write_uri(const char *path, const char *query, char *ret_uri, size_t room)
{
    size_t at = (size_t)snprintf(ret_uri, room, "file:");
    for (; *path != '\0' && at + 4 < room; path++) {
        const bool plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                           (*path >= '0' && *path <= '9') || strchr("/._-", *path) != NULL;
        at += (size_t)snprintf(ret_uri + at, room - at, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    (void)snprintf(ret_uri + at, room - at, "%s", query);
}

static int open_file(cairn_database *db, const char *path, const char *query, int rights)
{
    CAIRN_ASSERT(strlen(path) < PATH_BYTES_MAX);
    *db = (cairn_database){0};
    char uri[3 * PATH_BYTES_MAX + 64];
    write_uri(path, query, uri, sizeof uri);
    const int result = sqlite3_open_v2(uri, &db->handle, rights | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    return result == SQLITE_OK ? restrain(db) : result;
}

// Only who writes may move the log into the file.
static void leave_log(cairn_database *db)
{
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static void say_why(const cairn_database *db, int result, char *ret_words)
{
    const int cause = db->handle != NULL ? sqlite3_system_errno(db->handle) : 0;
    (void)snprintf(ret_words, CAIRN_DATABASE_WORDS_BYTES, "%s", cause != 0 ? strerror(cause) : sqlite3_errstr(result));
}

int cairn_database_open(cairn_database *db, const char *path, cairn_database_how how, char *ret_words)
{
    static const char *const queries[] = {"?mode=rwc", "?mode=ro", "?mode=ro&immutable=1"};
    const int rights = how == CAIRN_DATABASE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int result = open_file(db, path, queries[how], rights);
    if (result == SQLITE_OK && how == CAIRN_DATABASE_WRITE) { result = set_up_writing(db); }
    if (result == SQLITE_OK && how != CAIRN_DATABASE_WRITE) { leave_log(db); }
    if (result != SQLITE_OK) {
        say_why(db, result, ret_words);
        cairn_database_close(db);
    }
    return result;
}

int cairn_database_undo(const char *path, char *ret_words)
{
    cairn_database db;
    int64_t version;
    int result = open_file(&db, path, "?mode=rw", SQLITE_OPEN_READWRITE);
    if (result == SQLITE_OK) {
        leave_log(&db);
        result = cairn_database_number(&db, "PRAGMA user_version", &version); // reading anything undoes it
    }
    if (result != SQLITE_OK) { say_why(&db, result, ret_words); }
    cairn_database_close(&db);
    return result;
}

int cairn_database_open_memory(cairn_database *db)
{
    *db = (cairn_database){0};
    int result = sqlite3_open_v2(":memory:", &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK) { result = restrain(db); }
    if (result != SQLITE_OK) { cairn_database_close(db); }
    return result;
}

void cairn_database_close(cairn_database *db)
{
    const int result = sqlite3_close(db->handle);
    CAIRN_ASSERT(result == SQLITE_OK); // every statement is finished where it was begun
    db->handle = NULL;
}

void cairn_database_roll_back(cairn_database *db)
{
    // A full disk makes SQLite roll back itself.
    if (!sqlite3_get_autocommit(db->handle)) { (void)!cairn_database_do(db, "ROLLBACK"); }
}

cairn_err cairn_database_err(int result)
{
    switch (result & 0xff) {
    case SQLITE_OK: return CAIRN_OK;
    case SQLITE_FULL:
    case SQLITE_NOMEM: return CAIRN_ERR_FULL;
    default: return cairn_database_result_is_damage(result) ? CAIRN_ERR_CORRUPT : CAIRN_ERR_IO;
    }
}

bool cairn_database_result_is_damage(int result)
{
    switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_FORMAT:
    case SQLITE_ERROR: // our statements are right: the tables are not
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT: return true;
    default: return result == SQLITE_IOERR_SHORT_READ || result == SQLITE_IOERR_DATA;
    }
}

// A statement with numbers, and bytes as its last parameter; done once.
static int do_row(cairn_database *db, const char *sql, const int64_t *numbers, int number_count, const uint8_t *bytes,
                  size_t size)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
    for (int i = 0; i < number_count && result == SQLITE_OK; i++) {
        result = sqlite3_bind_int64(statement, i + 1, numbers[i]);
    }
    if (result == SQLITE_OK) {
        result = size > 0 ? sqlite3_bind_blob64(statement, number_count + 1, bytes, size, SQLITE_STATIC)
                          : sqlite3_bind_zeroblob(statement, number_count + 1, 0);
    }
    if (result == SQLITE_OK) { result = sqlite3_step(statement); }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int cairn_database_add_setup(cairn_database *db, const uint8_t *setup, size_t size)
{
    db->setup_hash = cairn_store_setup_hash(setup, size);
    return do_row(db, "INSERT INTO setup VALUES (1, ?, ?)", (int64_t[]){(int64_t)db->setup_hash}, 1, setup, size);
}

int cairn_database_add_batch(cairn_database *db, const cairn_store_batch *batch)
{
    const int64_t numbers[] = {(int64_t)batch->first, (int64_t)batch->last, (int64_t)batch->missing,
                               (int64_t)cairn_store_batch_hash(db->setup_hash, batch)};
    return do_row(db, "INSERT INTO batches VALUES (?, ?, ?, ?, ?)", numbers, 4, batch->bytes, batch->size);
}

int cairn_database_add_packed(cairn_database *db, const cairn_store_packed *packed)
{
    const int64_t numbers[] = {(int64_t)packed->ticket, packed->layout, (int64_t)packed->plain_bytes,
                               (int64_t)cairn_store_packed_hash(db->setup_hash, packed)};
    return do_row(db, "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)", numbers, 4, packed->bytes, packed->size);
}

int cairn_database_keep_snapshots(cairn_database *db, int count)
{
    char sql[160];
    (void)snprintf(
        sql, sizeof sql,
        "DELETE FROM snapshots WHERE ticket NOT IN (SELECT ticket FROM snapshots ORDER BY ticket DESC LIMIT %d)",
        count);
    return cairn_database_do(db, sql);
}

typedef int (*row_fn)(void *context, sqlite3_stmt *row);

static int each_row(cairn_database *db, const char *sql, int64_t parameter, row_fn on_row, void *context)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
    if (result == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0) {
        result = sqlite3_bind_int64(statement, 1, parameter);
    }
    while (result == SQLITE_OK) {
        result = sqlite3_step(statement);
        if (result == SQLITE_ROW) { result = on_row(context, statement); }
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

// SQLite gives no bytes when a row's pages cannot be read, and when there are none.
static int read_bytes(sqlite3_stmt *row, int column, const uint8_t **ret_bytes, size_t *ret_size)
{
    *ret_bytes = sqlite3_column_blob(row, column);
    *ret_size = (size_t)sqlite3_column_bytes(row, column);
    if (*ret_bytes != NULL) { return SQLITE_OK; }
    *ret_size = 0;
    const int result = sqlite3_errcode(sqlite3_db_handle(row));
    return result == SQLITE_ROW || result == SQLITE_OK ? SQLITE_OK : result;
}

typedef struct batch_visit {
    cairn_batch_fn on_batch;
    void *context;
} batch_visit;

static int visit_batch(void *context, sqlite3_stmt *row)
{
    const batch_visit *const visit = context;
    cairn_store_batch batch = {.first = (uint64_t)sqlite3_column_int64(row, 0),
                               .last = (uint64_t)sqlite3_column_int64(row, 1),
                               .missing = (uint64_t)sqlite3_column_int64(row, 2),
                               .hash = (uint64_t)sqlite3_column_int64(row, 3)};
    const int result = read_bytes(row, 4, &batch.bytes, &batch.size);
    return result == SQLITE_OK ? visit->on_batch(visit->context, &batch) : result;
}

int cairn_database_each_batch(cairn_database *db, uint64_t after, cairn_batch_fn on_batch, void *context)
{
    batch_visit visit = {on_batch, context};
    return each_row(db,
                    "SELECT first, last, missing, hash, bytes FROM batches WHERE first >= "
                    "coalesce((SELECT max(first) FROM batches WHERE first <= ?1), 0) ORDER BY first",
                    (int64_t)after + 1, visit_batch, &visit);
}

typedef struct packed_visit {
    cairn_packed_fn on_packed;
    void *context;
} packed_visit;

static int visit_packed(void *context, sqlite3_stmt *row)
{
    const packed_visit *const visit = context;
    cairn_store_packed packed = {.ticket = (uint64_t)sqlite3_column_int64(row, 0),
                                 .layout = (uint32_t)sqlite3_column_int64(row, 1),
                                 .plain_bytes = (uint64_t)sqlite3_column_int64(row, 2),
                                 .hash = (uint64_t)sqlite3_column_int64(row, 3)};
    const int result = read_bytes(row, 4, &packed.bytes, &packed.size);
    return result == SQLITE_OK ? visit->on_packed(visit->context, &packed) : result;
}

int cairn_database_each_packed(cairn_database *db, cairn_packed_fn on_packed, void *context)
{
    packed_visit visit = {on_packed, context};
    return each_row(db, "SELECT ticket, layout, plain_bytes, hash, bytes FROM snapshots ORDER BY ticket DESC", 0,
                    visit_packed, &visit);
}

typedef struct setup_copy {
    uint8_t *bytes;
    size_t size;
    uint64_t hash;
} setup_copy;

static int copy_setup(void *context, sqlite3_stmt *row)
{
    setup_copy *const copy = context;
    const uint8_t *bytes;
    size_t size;
    int result = read_bytes(row, 1, &bytes, &size);
    if (result == SQLITE_OK && (copy->bytes != NULL || size < 1 || size > CAIRN_STORE_SETUP_BYTES_MAX)) {
        result = SQLITE_CORRUPT;
    }
    if (result != SQLITE_OK) { return result; }
    copy->bytes = malloc(size);
    if (copy->bytes == NULL) { return SQLITE_NOMEM; }
    memcpy(copy->bytes, bytes, size);
    copy->size = size;
    copy->hash = (uint64_t)sqlite3_column_int64(row, 0);
    return SQLITE_OK;
}

int cairn_database_read_setup(cairn_database *db, uint8_t **ret_setup, size_t *ret_size)
{
    setup_copy copy = {0};
    int result = each_row(db, "SELECT hash, bytes FROM setup", 0, copy_setup, &copy);
    if (result == SQLITE_OK && (copy.bytes == NULL || copy.hash != cairn_store_setup_hash(copy.bytes, copy.size))) {
        result = SQLITE_CORRUPT;
    }
    if (result != SQLITE_OK) {
        free(copy.bytes);
        return result;
    }
    db->setup_hash = copy.hash;
    *ret_setup = copy.bytes;
    *ret_size = copy.size;
    return SQLITE_OK;
}

int cairn_database_last_ticket(cairn_database *db, uint64_t *ret_ticket)
{
    int64_t last = 0;
    const int result = cairn_database_number(db, "SELECT last FROM batches ORDER BY first DESC LIMIT 1", &last);
    if (result == SQLITE_OK) { *ret_ticket = (uint64_t)last; }
    return result;
}
