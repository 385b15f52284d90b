// rows.c - see rows.h. The columns are hashed first; that hash is the seed for the bytes.
#include "station/store/rows.h"
#include "base/hash.h"
#include "station/store/store_io.h"

enum { SETUP_SEED = 1, BATCH_SEED = 2, SNAPSHOT_SEED = 3, COLUMNS = 5 }; // what kind of row it is

static void put_u64(uint8_t *ret_bytes, uint64_t value)
{
    for (size_t i = 0; i < 8; i++) { ret_bytes[i] = (uint8_t)(value >> 8 * i); }
}

static uint64_t hash_row(const uint64_t columns[COLUMNS], const uint8_t *bytes, size_t size)
{
    uint8_t head[8 * COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) { put_u64(head + 8 * i, columns[i]); }
    return cairn_hash_bytes(cairn_hash_bytes(0, head, sizeof head), bytes, size);
}

uint64_t cairn_store_setup_hash(const uint8_t *setup, size_t size)
{
    return hash_row((uint64_t[COLUMNS]){SETUP_SEED}, setup, size);
}

uint64_t cairn_store_batch_hash(uint64_t setup_hash, const cairn_store_batch *batch)
{
    const uint64_t columns[COLUMNS] = {BATCH_SEED, setup_hash, batch->first, batch->last, batch->missing};
    return hash_row(columns, batch->bytes, batch->size);
}

uint64_t cairn_store_packed_hash(uint64_t setup_hash, const cairn_store_packed *packed)
{
    const uint64_t columns[COLUMNS] = {SNAPSHOT_SEED, setup_hash, packed->ticket, packed->layout, packed->plain_bytes};
    return hash_row(columns, packed->bytes, packed->size);
}

void cairn_store_record_head(uint8_t *ret_head, size_t size)
{
    CAIRN_ASSERT(size >= 1 && size <= CAIRN_STORE_RECORD_BYTES_MAX);
    for (size_t i = 0; i < CAIRN_STORE_RECORD_HEAD_BYTES; i++) { ret_head[i] = (uint8_t)(size >> 8 * i); }
}

bool cairn_store_record_next(const cairn_store_batch *batch, size_t *at, const uint8_t **ret_record, size_t *ret_size)
{
    CAIRN_ASSERT(*at <= batch->size);
    if (batch->size - *at < CAIRN_STORE_RECORD_HEAD_BYTES) { return false; }
    size_t size = 0;
    for (size_t i = CAIRN_STORE_RECORD_HEAD_BYTES; i-- > 0;) { size = size << 8 | batch->bytes[*at + i]; }
    if (size < 1 || size > CAIRN_STORE_RECORD_BYTES_MAX) { return false; }
    if (size > batch->size - *at - CAIRN_STORE_RECORD_HEAD_BYTES) { return false; }
    *ret_record = batch->bytes + *at + CAIRN_STORE_RECORD_HEAD_BYTES;
    *ret_size = size;
    *at += CAIRN_STORE_RECORD_HEAD_BYTES + size;
    return true;
}

// Whether the bytes are as many records as the batch has tickets.
static bool records_fit(const cairn_store_batch *batch)
{
    size_t at = 0, size;
    uint64_t count = 0;
    const uint8_t *record;
    while (cairn_store_record_next(batch, &at, &record, &size)) { count++; }
    return at == batch->size && count == batch->last - batch->first + 1;
}

bool cairn_store_batch_is_sound(uint64_t setup_hash, const cairn_store_batch *batch)
{
    if (batch->first < 1 || batch->last < batch->first || batch->last > INT64_MAX) { return false; }
    if (batch->hash != cairn_store_batch_hash(setup_hash, batch)) { return false; }
    if (batch->size > 0) { return batch->missing == 0 && records_fit(batch); }
    return batch->missing > 0 || batch->first == batch->last;
}

bool cairn_store_packed_is_sound(uint64_t setup_hash, const cairn_store_packed *packed)
{
    return packed->ticket >= 1 && packed->ticket <= INT64_MAX && packed->plain_bytes >= 1 &&
           packed->plain_bytes <= CAIRN_STORE_SNAPSHOT_BYTES_MAX &&
           packed->hash == cairn_store_packed_hash(setup_hash, packed);
}
