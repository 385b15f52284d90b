#include "station/replay/archive.h"
#include "base/hash.h"
#include <string.h>

#define NS_MAX (INT64_MAX / 4) // of times: 73 years

void cairn_archive_save(cairn_archive *archive, uint8_t *to, size_t max_bytes)
{
    archive->mode = CAIRN_ARCHIVE_SAVE;
    archive->err = CAIRN_OK;
    archive->to = to;
    archive->max_bytes = max_bytes;
    archive->at_bytes = 0;
}

void cairn_archive_load(cairn_archive *archive, const uint8_t *from, size_t size_bytes)
{
    archive->mode = CAIRN_ARCHIVE_LOAD;
    archive->err = CAIRN_OK;
    archive->from = from;
    archive->max_bytes = size_bytes;
    archive->at_bytes = 0;
}

void cairn_archive_hash(cairn_archive *archive)
{
    archive->mode = CAIRN_ARCHIVE_HASH;
    archive->err = CAIRN_OK;
    archive->at_bytes = 0;
    archive->hash = 0;
}

cairn_err cairn_archive_end(cairn_archive *archive)
{
    if (archive->mode == CAIRN_ARCHIVE_LOAD && archive->at_bytes != archive->max_bytes) { cairn_archive_fail(archive); }
    return archive->err;
}

void cairn_archive_fail(cairn_archive *archive)
{
    if (archive->err == CAIRN_OK) { archive->err = CAIRN_ERR_CORRUPT; }
}

uint64_t cairn_archive_hash_value(cairn_archive *archive)
{
    const size_t filled_bytes = archive->at_bytes % CAIRN_ARCHIVE_BLOCK_BYTES;
    return filled_bytes == 0 ? archive->hash : cairn_hash_bytes(archive->hash, archive->block, filled_bytes);
}

uint64_t cairn_archive_hash_of(const uint8_t *bytes, size_t size_bytes)
{
    uint64_t hash = 0;
    while (size_bytes > 0) {
        const size_t part_bytes = size_bytes < CAIRN_ARCHIVE_BLOCK_BYTES ? size_bytes : CAIRN_ARCHIVE_BLOCK_BYTES;
        hash = cairn_hash_bytes(hash, bytes, part_bytes);
        bytes += part_bytes;
        size_bytes -= part_bytes;
    }
    return hash;
}

static void hash_in(cairn_archive *archive, const uint8_t *bytes, size_t size_bytes)
{
    while (size_bytes > 0) {
        const size_t filled_bytes = archive->at_bytes % CAIRN_ARCHIVE_BLOCK_BYTES;
        const size_t room_bytes = CAIRN_ARCHIVE_BLOCK_BYTES - filled_bytes;
        const size_t part_bytes = size_bytes < room_bytes ? size_bytes : room_bytes;
        memcpy(archive->block + filled_bytes, bytes, part_bytes);
        if (part_bytes == room_bytes) {
            archive->hash = cairn_hash_bytes(archive->hash, archive->block, CAIRN_ARCHIVE_BLOCK_BYTES);
        }
        archive->at_bytes += part_bytes;
        bytes += part_bytes;
        size_bytes -= part_bytes;
    }
}

static void save(cairn_archive *archive, const void *bytes, size_t size_bytes)
{
    if (archive->at_bytes <= archive->max_bytes && size_bytes <= archive->max_bytes - archive->at_bytes) {
        if (size_bytes > 0) { memcpy(archive->to + archive->at_bytes, bytes, size_bytes); }
    } else if (archive->err == CAIRN_OK) {
        archive->err = CAIRN_ERR_FULL;
    }
    archive->at_bytes += size_bytes;
}

static void load(cairn_archive *archive, void *bytes, size_t size_bytes)
{
    if (size_bytes > archive->max_bytes - archive->at_bytes) { cairn_archive_fail(archive); }
    if (archive->err != CAIRN_OK) {
        memset(bytes, 0, size_bytes);
        return;
    }
    if (size_bytes > 0) { memcpy(bytes, archive->from + archive->at_bytes, size_bytes); }
    archive->at_bytes += size_bytes;
}

void cairn_archive_bytes(cairn_archive *archive, void *bytes, size_t size_bytes)
{
    switch (archive->mode) {
    case CAIRN_ARCHIVE_SAVE: save(archive, bytes, size_bytes); break;
    case CAIRN_ARCHIVE_LOAD: load(archive, bytes, size_bytes); break;
    case CAIRN_ARCHIVE_HASH: hash_in(archive, bytes, size_bytes); break;
    }
}

// A number of some bytes; 0 when loading has failed.
static uint64_t number(cairn_archive *archive, uint64_t value, size_t size_bytes)
{
    uint8_t bytes[sizeof value];
    if (archive->mode != CAIRN_ARCHIVE_LOAD) {
        for (size_t i = 0; i < sizeof bytes; i++) { bytes[i] = (uint8_t)(value >> 8 * i); }
        const size_t filled_bytes = archive->at_bytes % CAIRN_ARCHIVE_BLOCK_BYTES;
        if (archive->mode == CAIRN_ARCHIVE_HASH && filled_bytes + sizeof bytes < CAIRN_ARCHIVE_BLOCK_BYTES) {
            memcpy(archive->block + filled_bytes, bytes, sizeof bytes); // what is too much is written over
            archive->at_bytes += size_bytes;
        } else {
            cairn_archive_bytes(archive, bytes, size_bytes);
        }
        return value;
    }
    load(archive, bytes, size_bytes);
    value = 0;
    for (size_t i = 0; i < size_bytes; i++) { value |= (uint64_t)bytes[i] << 8 * i; }
    return value;
}

void cairn_archive_section(cairn_archive *archive, const char *name)
{
    const uint32_t mark = (uint32_t)cairn_hash_bytes(0, name, strlen(name));
    if (number(archive, mark, sizeof mark) != mark) { cairn_archive_fail(archive); }
}

static uint64_t bounded(cairn_archive *archive, uint64_t value, size_t size_bytes, uint64_t max)
{
    value = number(archive, value, size_bytes);
    if (archive->mode != CAIRN_ARCHIVE_LOAD || value <= max) { return value; }
    cairn_archive_fail(archive);
    return 0;
}

// Whatever is only read may be constant: nothing is written back to it.
#define WALK_NUMBER(archive, value, type, walked)                                                                      \
    do {                                                                                                               \
        const uint64_t walked_ = (walked);                                                                             \
        if ((archive)->mode == CAIRN_ARCHIVE_LOAD) { *(value) = (type)walked_; }                                       \
    } while (0)

void cairn_archive_bool(cairn_archive *archive, bool *value)
{
    WALK_NUMBER(archive, value, bool, bounded(archive, *value, 1, 1));
}
void cairn_archive_u8(cairn_archive *archive, uint8_t *value, uint8_t max)
{
    WALK_NUMBER(archive, value, uint8_t, bounded(archive, *value, 1, max));
}
void cairn_archive_i8(cairn_archive *archive, int8_t *value)
{
    WALK_NUMBER(archive, value, int8_t, number(archive, (uint8_t)*value, 1));
}
void cairn_archive_u16(cairn_archive *archive, uint16_t *value)
{
    WALK_NUMBER(archive, value, uint16_t, number(archive, *value, 2));
}
void cairn_archive_u32(cairn_archive *archive, uint32_t *value)
{
    WALK_NUMBER(archive, value, uint32_t, number(archive, *value, 4));
}
void cairn_archive_i32(cairn_archive *archive, int32_t *value)
{
    WALK_NUMBER(archive, value, int32_t, number(archive, (uint32_t)*value, 4));
}
void cairn_archive_count(cairn_archive *archive, uint32_t *value, uint32_t max)
{
    WALK_NUMBER(archive, value, uint32_t, bounded(archive, *value, 4, max));
}
void cairn_archive_u64(cairn_archive *archive, uint64_t *value)
{
    WALK_NUMBER(archive, value, uint64_t, number(archive, *value, 8));
}
void cairn_archive_i64(cairn_archive *archive, int64_t *value)
{
    WALK_NUMBER(archive, value, int64_t, number(archive, (uint64_t)*value, 8));
}

void cairn_archive_mono(cairn_archive *archive, cairn_mono *value)
{
    cairn_archive_i64(archive, &value->ns);
    if (archive->mode == CAIRN_ARCHIVE_LOAD && (value->ns > NS_MAX || value->ns < -NS_MAX)) {
        cairn_archive_fail(archive);
        value->ns = 0;
    }
}

void cairn_archive_double_bits(cairn_archive *archive, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    cairn_archive_u64(archive, &bits);
    if (archive->mode == CAIRN_ARCHIVE_LOAD) { memcpy(value, &bits, sizeof bits); }
}

void cairn_archive_double(cairn_archive *archive, double *value, double min, double max)
{
    cairn_archive_double_bits(archive, value);
    if (archive->mode == CAIRN_ARCHIVE_LOAD && !(*value >= min && *value <= max)) {
        cairn_archive_fail(archive);
        *value = 0;
    }
}

void cairn_archive_point(cairn_archive *archive, cairn_vec2 *value)
{
    cairn_archive_double(archive, &value->x, -CAIRN_ARCHIVE_M_MAX, CAIRN_ARCHIVE_M_MAX);
    cairn_archive_double(archive, &value->y, -CAIRN_ARCHIVE_M_MAX, CAIRN_ARCHIVE_M_MAX);
}

void cairn_archive_pose(cairn_archive *archive, cairn_pose2 *value)
{
    cairn_archive_double(archive, &value->x_m, -CAIRN_ARCHIVE_M_MAX, CAIRN_ARCHIVE_M_MAX);
    cairn_archive_double(archive, &value->y_m, -CAIRN_ARCHIVE_M_MAX, CAIRN_ARCHIVE_M_MAX);
    cairn_archive_double(archive, &value->yaw_rad, -7.0, 7.0);
}

void cairn_archive_message(cairn_archive *archive, uint8_t id, cairn_radio_message *message)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    if (archive->mode != CAIRN_ARCHIVE_LOAD) {
        const cairn_err err = cairn_radio_encode(message, bytes, sizeof bytes, &size_bytes);
        CAIRN_ASSERT(message->id == id && err == CAIRN_OK);
    }
    uint32_t count = (uint32_t)size_bytes;
    cairn_archive_count(archive, &count, sizeof bytes);
    cairn_archive_bytes(archive, bytes, count);
    if (archive->mode != CAIRN_ARCHIVE_LOAD) { return; }
    const bool read = archive->err == CAIRN_OK && count > 0 && bytes[0] == id &&
                      cairn_radio_decode(bytes, count, message) == CAIRN_OK;
    if (read) { return; }
    cairn_archive_fail(archive);
    cairn_radio_clear(id, message);
}
