// database_io.h - the SQLite file under a store: its tables, what is written in one transaction, and whether it is
// sound.
//
// Results are SQLite's codes: SQLITE_OK, or what went wrong.
// Threads  One at a time.
#pragma once
#include "station/store/rows.h"
#include <sqlite3.h>

#define CAIRN_DATABASE_PAGE_BYTES 4096
#define CAIRN_DATABASE_APPLICATION 0x43616972 // "Cair", where SQLite's header says whose file it is

typedef struct cairn_database {
    sqlite3 *handle; // NULL: closed
    uint64_t setup_hash;
} cairn_database;

typedef enum cairn_database_how {
    CAIRN_DATABASE_WRITE, // made if it is not there; a write-ahead log, and every commit on the disk before it is one
    CAIRN_DATABASE_READ,  // others may write meanwhile
    CAIRN_DATABASE_UNCHANGED // nobody writes: leaves no files of its own behind, and needs no right to
} cairn_database_how;

// On failure the database is left closed, and ret_words (of CAIRN_DATABASE_WORDS_BYTES) says why.
CAIRN_CHECKED int cairn_database_open(cairn_database *db, const char *path, cairn_database_how how, char *ret_words);
// What a process was killed in the middle of, without the log: a new file's first page, or a tool of somebody else's.
// Undoes it from PATH-journal, as every file must be before it is looked at. Nothing to undo: nothing is done.
CAIRN_CHECKED int cairn_database_undo(const char *path, char *ret_words);
CAIRN_CHECKED int cairn_database_open_memory(cairn_database *db); // gone when closed
void cairn_database_close(cairn_database *db);                    // accepts a closed one
#define CAIRN_DATABASE_WORDS_BYTES 200

// One statement or several, without results.
CAIRN_CHECKED int cairn_database_do(cairn_database *db, const char *sql);
// A statement that gives one number; untouched when it gives none.
CAIRN_CHECKED int cairn_database_number(cairn_database *db, const char *sql, int64_t *ret_number);

// What a transaction is made of. The hash of the row is made here.
CAIRN_CHECKED int cairn_database_add_setup(cairn_database *db, const uint8_t *setup, size_t size);
CAIRN_CHECKED int cairn_database_add_batch(cairn_database *db, const cairn_store_batch *batch);
CAIRN_CHECKED int cairn_database_add_packed(cairn_database *db, const cairn_store_packed *packed);
CAIRN_CHECKED int cairn_database_keep_snapshots(cairn_database *db, int count); // the newest
// Ends the transaction that failed, if one is open.
void cairn_database_roll_back(cairn_database *db);

// Rows in the order of tickets, sound or not; borrowed for the call. SQLITE_OK from the callback goes on; anything else
// ends it and is returned. Batches start with the one that holds the ticket after this one.
typedef int (*cairn_batch_fn)(void *context, const cairn_store_batch *batch);
typedef int (*cairn_packed_fn)(void *context, const cairn_store_packed *packed);
CAIRN_CHECKED int cairn_database_each_batch(cairn_database *db, uint64_t after, cairn_batch_fn on_batch, void *context);
// Newest first.
CAIRN_CHECKED int cairn_database_each_packed(cairn_database *db, cairn_packed_fn on_packed, void *context);
// Reads the setup into heap memory that the caller frees, and sets db->setup_hash. SQLITE_CORRUPT if it is not sound.
CAIRN_CHECKED int cairn_database_read_setup(cairn_database *db, uint8_t **ret_setup, size_t *ret_size);
// The highest ticket; 0 when there is none.
CAIRN_CHECKED int cairn_database_last_ticket(cairn_database *db, uint64_t *ret_ticket);

typedef enum cairn_database_verdict {
    CAIRN_DATABASE_SOUND,
    CAIRN_DATABASE_OLDER, // sound as far as this version can tell; version 0 is a file without anything in it
    CAIRN_DATABASE_NEWER,
    CAIRN_DATABASE_DAMAGED,
    CAIRN_DATABASE_FOREIGN, // a sound database of somebody else
    CAIRN_DATABASE_FAILED   // the system or the memory said no: nothing is known
} cairn_database_verdict;

typedef struct cairn_database_health {
    cairn_database_verdict verdict;
    int64_t version;
    char words[CAIRN_DATABASE_WORDS_BYTES]; // what is wrong, unless it is sound
} cairn_database_health;

// Reads the whole file: structure, tables, and every row. db->setup_hash is set when it is sound.
cairn_database_health cairn_database_check(cairn_database *db);

// Of a result that is not SQLITE_OK: FULL, CORRUPT, IO.
cairn_err cairn_database_err(int result);
// Whether it tells of the bytes in the file, and not of the system around it.
bool cairn_database_result_is_damage(int result);

// How to come from version N to N + 1, each a list of statements; from version 0 it makes the tables.
extern const char *const cairn_database_steps[];

// Brings the file from one version to another in one transaction; a new file (from 0) is given the setup. Unless it is
// new, a copy of the file as it was is kept at PATH.vN first.
CAIRN_CHECKED int cairn_database_migrate(cairn_database *db, const char *path, const char *const steps[], int64_t from,
                                         int64_t to, const uint8_t *setup, size_t setup_bytes);
