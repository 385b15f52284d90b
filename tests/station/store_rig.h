// store_rig.h - for tests of the store: a folder of its own, records that tell their number, and a disk that can be
// filled up, made to hang or to kill.
#pragma once
#include "check.h"
#include "station/store/store_io.h"
#include <sqlite3.h>

#define RIG_PATH_BYTES 256

typedef struct store_rig {
    char folder[RIG_PATH_BYTES / 2];
    char path[RIG_PATH_BYTES];
    cairn_store_def def;
    cairn_complaints complaints;
} store_rig;

int store_rig_make(void **state);   // a cmocka set-up: *state is a store_rig
int store_rig_remove(void **state); // and its tear-down; the folder goes with all in it

// Opens or says why not; reads all that is there, so that records can be appended.
cairn_store *store_rig_open(store_rig *rig);
void store_rig_forget(store_rig *rig); // what was complained
bool store_rig_said(const store_rig *rig, const char *words);
void store_rig_await(cairn_store *store, uint64_t ticket); // until it is committed

// A record whose bytes follow from its number, 1 to about 300 bytes; some are much larger.
size_t store_rig_record(uint64_t number, uint8_t *ret_bytes); // of RIG_RECORD_BYTES
#define RIG_RECORD_BYTES 9000

// Whatever was read: tickets and numbers in order.
typedef struct store_rig_read {
    uint64_t *tickets, *numbers;
    size_t count;
} store_rig_read;

// Reads the records after a ticket; fails the test if one is not as store_rig_record made it.
cairn_err store_rig_read_inputs(store_rig *rig, cairn_store *store, uint64_t after, store_rig_read *ret_read);
void store_rig_read_free(store_rig_read *read);

// The disk under every SQLite file of this process, from the first call on.
typedef enum rig_disk {
    RIG_DISK_GOOD,
    RIG_DISK_SLOW,
    RIG_DISK_FULL,
    RIG_DISK_BROKEN,
    RIG_DISK_HANGS,
    RIG_DISK_KILLS
} rig_disk;
void store_rig_disk(rig_disk disk);
// And one that kills the process instead of the write or sync after this many.
void store_rig_disk_kills_after(unsigned steps);
