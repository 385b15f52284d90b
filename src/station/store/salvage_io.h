// salvage_io.h - what can still be read of a damaged store.
//
// Every row that lies whole in the file or its write-ahead log is found, wherever it is and whatever else is broken:
// the pages are read one by one (pages_io.h), without the trees that SQLite would follow, and a row is taken when its
// hash is right. Rows are never changed once they are written, so that an old image of a page does no harm.
#pragma once
#include "station/store/database_io.h"

typedef struct cairn_salvage {
    bool has_setup;                 // found in the file
    uint64_t record_count;          // found
    uint64_t snapshot_count;        // found; the newest two are kept
    uint64_t last;                  // highest ticket found; 0: none
    uint64_t lost_count;            // tickets below it that are not there
    uint64_t lost_first, lost_last; // the first run of them
} cairn_salvage;

// Reads the file at path, and puts what is sound into db, an empty database. Where tickets are missing, it puts a gap.
// When the setup is damaged, rows that go with fallback_setup (may be NULL) are found all the same, and that becomes
// the setup; without one nothing is. SQLite's code of what went wrong with db; SQLITE_CANTOPEN if path cannot be read,
// with the reason in errno.
CAIRN_CHECKED int cairn_salvage_read(const char *path, const uint8_t *fallback_setup, size_t fallback_bytes,
                                     cairn_database *db, cairn_salvage *ret_salvage);
