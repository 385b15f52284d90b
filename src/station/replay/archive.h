// archive.h - one walk over a struct's fields that saves, loads or hashes them, so that the three cannot disagree.
//
// Little endian, fixed width, no padding; doubles by their bits. Loading trusts nothing: every field says what it may
// be. The first that is not so makes the archive corrupt; from then on all that is loaded is zero and every count is 0,
// so that a walk always comes to its end. The hash is that of the bytes that saving writes, in blocks of 4 kB.
//
// Memory   The caller's bytes.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "messages/codec.h"

typedef enum cairn_archive_mode { CAIRN_ARCHIVE_SAVE, CAIRN_ARCHIVE_LOAD, CAIRN_ARCHIVE_HASH } cairn_archive_mode;

#define CAIRN_ARCHIVE_BLOCK_BYTES 4096u
#define CAIRN_ARCHIVE_M_MAX 1e5 // places farther out than this are nowhere: grids are far smaller

typedef struct cairn_archive {
    cairn_archive_mode mode;
    cairn_err err; // CAIRN_ERR_FULL, CAIRN_ERR_CORRUPT: the first trouble
    uint8_t *to;   // saving
    const uint8_t *from;
    size_t max_bytes;
    size_t at_bytes; // so far; saving counts on beyond max
    uint64_t hash;
    uint8_t block[CAIRN_ARCHIVE_BLOCK_BYTES];
} cairn_archive;

void cairn_archive_save(cairn_archive *archive, uint8_t *to, size_t max_bytes); // to NULL and 0: only counts bytes
void cairn_archive_load(cairn_archive *archive, const uint8_t *from, size_t size_bytes);
void cairn_archive_hash(cairn_archive *archive);
// How it went. Loading: CAIRN_ERR_CORRUPT too if bytes are left.
CAIRN_CHECKED cairn_err cairn_archive_end(cairn_archive *archive);
uint64_t cairn_archive_hash_value(cairn_archive *archive);               // of all bytes so far
uint64_t cairn_archive_hash_of(const uint8_t *bytes, size_t size_bytes); // the same, of bytes that were saved
void cairn_archive_fail(cairn_archive *archive);                         // what was loaded makes no sense
static inline bool cairn_archive_loads(const cairn_archive *archive) { return archive->mode == CAIRN_ARCHIVE_LOAD; }

// Each saves or hashes *value and leaves it alone, or loads it. Bounds hold for loading only, and are inclusive.
void cairn_archive_bytes(cairn_archive *archive, void *bytes, size_t size_bytes);
void cairn_archive_section(cairn_archive *archive, const char *name); // loading fails where another one begins
void cairn_archive_bool(cairn_archive *archive, bool *value);
void cairn_archive_u8(cairn_archive *archive, uint8_t *value, uint8_t max);
void cairn_archive_i8(cairn_archive *archive, int8_t *value);
void cairn_archive_u16(cairn_archive *archive, uint16_t *value);
void cairn_archive_u32(cairn_archive *archive, uint32_t *value);
void cairn_archive_i32(cairn_archive *archive, int32_t *value);
void cairn_archive_count(cairn_archive *archive, uint32_t *value, uint32_t max);
void cairn_archive_u64(cairn_archive *archive, uint64_t *value);
void cairn_archive_i64(cairn_archive *archive, int64_t *value);
void cairn_archive_mono(cairn_archive *archive, cairn_mono *value); // so that differences of two do not overflow
void cairn_archive_double(cairn_archive *archive, double *value, double min, double max);
void cairn_archive_double_bits(cairn_archive *archive, double *value); // anything, NaN too
void cairn_archive_point(cairn_archive *archive, cairn_vec2 *value);   // within CAIRN_ARCHIVE_M_MAX
void cairn_archive_pose(cairn_archive *archive, cairn_pose2 *value);
// One radio message of this kind; it must be one that can be encoded.
void cairn_archive_message(cairn_archive *archive, uint8_t id, cairn_radio_message *message);
