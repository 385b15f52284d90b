// store_io.h - the station's memory on disk: accepted inputs, committed before they are acknowledged, and snapshots.
//
// A store is one SQLite file (docs/store.md). What is appended is a record: bytes that mean nothing to the store. Each
// record, and each snapshot, gets a ticket: a number that counts up by one over the whole life of the file. A ticket
// that is committed survives kill -9 and power failure.
//
// Gaps     What the station knows must always be what a restart would know: a snapshot and every record after it. So
//          once a record was refused, or not everything in the file could be read, nothing more is kept until a
//          snapshot has been: cairn_store_append gives 0. Reading stops at such a gap, and never goes over it.
// Memory   The heap: what waits for the disk, at most waiting_bytes_max, and the last snapshot read.
// Threads  One owner for all calls but cairn_store_committed and cairn_store_look, which any thread may call. A thread
//          of its own does the writing: no call but open and close waits for the disk.
// Failure  A commit that fails is tried again every second; what waits is kept. The info says what to do.
#pragma once
#include "base/status.h"

#define CAIRN_STORE_VERSION 1
#define CAIRN_STORE_RECORD_BYTES_MAX (1u << 20)
#define CAIRN_STORE_SNAPSHOT_BYTES_MAX (1u << 28)
#define CAIRN_STORE_SETUP_BYTES_MAX (1u << 24)
#define CAIRN_STORE_SNAPSHOTS_KEPT 2

typedef struct cairn_store cairn_store;

// What a store is opened with; all is copied. Start from cairn_store_def_default().
typedef struct cairn_store_def {
    const char *path;
    const uint8_t *setup; // kept when the file is made; later the kept one counts. 1 to CAIRN_STORE_SETUP_BYTES_MAX
    size_t setup_bytes;
    uint64_t quota_bytes; // the file may not grow beyond; 0: it may. Its write-ahead log comes on top, about 4 MB
    // What may wait for the disk. Larger: longer troubles with the disk are got over; smaller: less memory.
    size_t waiting_bytes_max;
} cairn_store_def;

cairn_store_def cairn_store_def_default(void);

// Makes the file, or opens it after checking every byte of it that matters; older versions are brought up to date, with
// a copy kept at PATH.vN. No second store can be opened on the path until this one is closed. A damaged file is never
// written to: it is moved to PATH.damaged-N, and PATH is made anew from every row that is sound.
// *complaints has the reasons when this fails, and what a person must know when it succeeds.
// NOT_FOUND: no such folder; INVALID: not a store; UNSUPPORTED: of a newer version;
// IO: another station has it open, or the system said no; FULL: no room on the disk, or no memory.
CAIRN_CHECKED cairn_err cairn_store_open(const cairn_store_def *def, cairn_complaints *complaints,
                                         cairn_store **ret_store);
// Moves what is at path, whatever it is, to PATH.before-N, so that a new store can be made there. Nothing there:
// nothing to do. Not while a station has it open (IO), or that one would go on in a file that nobody finds again.
CAIRN_CHECKED cairn_err cairn_store_move_aside(const char *path, cairn_complaints *complaints);
// For looking only, also while a station writes, and from disks that cannot be written. Of a damaged file, what is
// sound is read into memory, and *complaints says what is missing.
CAIRN_CHECKED cairn_err cairn_store_open_reading(const char *path, cairn_complaints *complaints,
                                                 cairn_store **ret_store);
// Commits what waits, if the disk will have it, even beyond the quota; waits for the disk. Accepts NULL.
void cairn_store_close(cairn_store *store);

// What an opened store holds. To be read before anything is appended.

// The setup that the file was made with, borrowed until close; EMPTY when damage has taken it.
CAIRN_CHECKED cairn_err cairn_store_setup(const cairn_store *store, const uint8_t **ret_bytes, size_t *ret_size);

typedef struct cairn_store_snapshot {
    uint64_t ticket;      // the state after everything up to here
    uint32_t layout;      // as it was given
    const uint8_t *bytes; // borrowed until the next snapshot is read, or the first record appended, or close
    size_t size;
} cairn_store_snapshot;

// The newest sound snapshot, or with skip the one before it; EMPTY when there is none.
CAIRN_CHECKED cairn_err cairn_store_read_snapshot(cairn_store *store, uint32_t skip,
                                                  cairn_store_snapshot *ret_snapshot);

// Anything but CAIRN_OK ends the reading. The record is borrowed for the call.
typedef cairn_err (*cairn_store_record_fn)(void *context, uint64_t ticket, const uint8_t *record, size_t size);

// Every record after this ticket, in order. When that succeeds, records may be appended; else only after a snapshot.
// CORRUPT: it ended at a gap, and *complaints says which and what lies behind it; or what on_record returned.
CAIRN_CHECKED cairn_err cairn_store_read_inputs(cairn_store *store, uint64_t after_ticket,
                                                cairn_store_record_fn on_record, void *context,
                                                cairn_complaints *complaints);

// Copies the record and returns its ticket; 0 if it is not kept: the waiting room is full, or nothing may be kept until
// there is a snapshot. Urgent: committed as soon as the disk can; else within a second, with others. size is 1 to
// CAIRN_STORE_RECORD_BYTES_MAX.
uint64_t cairn_store_append(cairn_store *store, const uint8_t *record, size_t size, bool urgent);

// Copies the state that all records so far have led to, and returns its ticket; it closes a gap, and once committed
// takes the place of all snapshots but the one before it. 0 if there is no room now: try again later. size is 1 to
// CAIRN_STORE_SNAPSHOT_BYTES_MAX; into an empty waiting room it fits whatever its size.
uint64_t cairn_store_append_snapshot(cairn_store *store, uint32_t layout, const uint8_t *bytes, size_t size);

// Everything up to this ticket is safe.
uint64_t cairn_store_committed(const cairn_store *store);

typedef struct cairn_store_info {
    bool failing;                 // the last commit did
    bool wants_snapshot;          // nothing is kept until there is one
    char trouble[256];            // while failing: what is wrong and what to do
    uint64_t committed, appended; // tickets; 0: none yet
    uint64_t refused_count;       // records that were not kept, since opening
    uint64_t commit_count;        // since opening
    int64_t commit_ns_max;        // the longest commit
    uint64_t file_bytes;
    size_t waiting_bytes;
} cairn_store_info;

cairn_store_info cairn_store_look(cairn_store *store);
