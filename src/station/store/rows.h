// rows.h - the rows of a store, each with a hash by which it can be told sound wherever it is found.
//
// Every ticket of a file is in exactly one batch. A batch of records has their bytes; where a snapshot was taken there
// is a batch of that one ticket without bytes; a batch with missing > 0 is a gap, which nothing may be replayed over.
// The hash of batches and snapshots covers all their columns and the setup, so that a row of another file is not sound.
// Pure: no files, no state.
#pragma once
#include "base/status.h"

typedef struct cairn_store_batch {
    uint64_t first, last; // tickets
    uint64_t missing;     // records that should be here and are not
    const uint8_t *bytes; // each record: size, 4 bytes little endian, and its bytes
    size_t size;
    uint64_t hash;
} cairn_store_batch;

typedef struct cairn_store_packed { // a snapshot as it lies in the file
    uint64_t ticket;
    uint32_t layout;
    uint64_t plain_bytes; // its size when unpacked
    const uint8_t *bytes; // zstd
    size_t size;
    uint64_t hash;
} cairn_store_packed;

#define CAIRN_STORE_RECORD_HEAD_BYTES 4

uint64_t cairn_store_setup_hash(const uint8_t *setup, size_t size);
uint64_t cairn_store_batch_hash(uint64_t setup_hash, const cairn_store_batch *batch);
uint64_t cairn_store_packed_hash(uint64_t setup_hash, const cairn_store_packed *packed);

// Whether the row is as it was written. Of a batch that is, every record can be taken. O(size).
bool cairn_store_batch_is_sound(uint64_t setup_hash, const cairn_store_batch *batch);
bool cairn_store_packed_is_sound(uint64_t setup_hash, const cairn_store_packed *packed);

void cairn_store_record_head(uint8_t *ret_head, size_t size); // writes CAIRN_STORE_RECORD_HEAD_BYTES
// The record at *at of a batch, and moves *at behind it; false at the end, or when what is there is no record.
bool cairn_store_record_next(const cairn_store_batch *batch, size_t *at, const uint8_t **ret_record, size_t *ret_size);
