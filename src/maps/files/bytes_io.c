// A file is written beside its place and moved there, so that nobody ever reads half of one.
#include "maps/files/bytes_io.h"
#include <bzlib.h>
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#define ZLIB_CONST // inflate only reads its input
#include <zlib.h>

#define UNPACK_STEP_BYTES ((size_t)16384)
#define XZ_MEMORY_BYTES_MAX ((uint64_t)96 << 20) // what xz -9 needs, and no more

static cairn_err no_memory(const char *name, cairn_complaints *complaints)
{
    cairn_complain(complaints, name, 0, "no memory left to read it");
    return CAIRN_ERR_FULL;
}

static cairn_err cannot_be_read(const char *path, const char *why, cairn_complaints *complaints)
{
    cairn_complain(complaints, path, 0, "cannot be read: %s", why);
    return CAIRN_ERR_IO;
}

static cairn_err too_large(const char *name, size_t bytes_max, cairn_complaints *complaints)
{
    cairn_complain(complaints, name, 0, "more than %zu MiB; make it smaller first", bytes_max >> 20);
    return CAIRN_ERR_TOO_LARGE;
}

static cairn_err read_open(FILE *file, const char *path, size_t bytes_max, cairn_arena *memory,
                           cairn_complaints *complaints, const uint8_t **ret_bytes, size_t *ret_size_bytes)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0) { return cannot_be_read(path, strerror(errno), complaints); }
    if (!S_ISREG(about.st_mode)) { return cannot_be_read(path, "it is not a file", complaints); }
    if ((size_t)about.st_size > bytes_max) { return too_large(path, bytes_max, complaints); }
    const size_t size_bytes = (size_t)about.st_size;
    uint8_t *bytes = CAIRN_TAKE(memory, uint8_t, size_bytes + 1);
    if (bytes == NULL) { return no_memory(path, complaints); }
    errno = 0;
    if (fread(bytes, 1, size_bytes, file) != size_bytes) {
        return cannot_be_read(path, errno != 0 ? strerror(errno) : "it became shorter", complaints);
    }
    *ret_bytes = bytes;
    *ret_size_bytes = size_bytes;
    return CAIRN_OK;
}

cairn_err cairn_bytes_read(const char *path, size_t bytes_max, cairn_arena *memory, cairn_complaints *complaints,
                           const uint8_t **ret_bytes, size_t *ret_size_bytes)
{
    CAIRN_ASSERT(path != NULL && memory != NULL && complaints != NULL);
    FILE *file = fopen(path, "rb");
    if (file == NULL) { return cannot_be_read(path, strerror(errno), complaints); }
    const cairn_err err = read_open(file, path, bytes_max, memory, complaints, ret_bytes, ret_size_bytes);
    (void)fclose(file);
    return err;
}

typedef enum unpacked { UNPACKED_WHOLE, UNPACKED_TOO_LARGE, UNPACKED_DAMAGED } unpacked;

// All unpack into ret_bytes, or only count if that is NULL: no memory is taken for what a small file claims to become.
typedef unpacked (*unpacker)(const uint8_t *bytes, size_t size_bytes, size_t bytes_max, uint8_t *ret_bytes,
                             size_t *ret_size_bytes);

static bool begins_as_gzip(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static unpacked unpack_gzip(const uint8_t *bytes, size_t size_bytes, size_t bytes_max, uint8_t *ret_bytes,
                            size_t *ret_size_bytes)
{
    uint8_t thrown_away[UNPACK_STEP_BYTES];
    z_stream stream = {.next_in = bytes, .avail_in = (uInt)size_bytes};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) { return UNPACKED_DAMAGED; }
    int status = Z_OK;
    size_t made = 0;
    while (status == Z_OK && made <= bytes_max) {
        stream.next_out = ret_bytes != NULL ? ret_bytes + made : thrown_away;
        stream.avail_out = (uInt)sizeof thrown_away;
        status = inflate(&stream, Z_NO_FLUSH);
        made += sizeof thrown_away - stream.avail_out;
        // Several may follow each other: so logs that were packed piece by piece are put together.
        const bool goes_on = status == Z_STREAM_END && begins_as_gzip(stream.next_in, stream.avail_in);
        if (goes_on) { status = inflateReset(&stream); }
    }
    (void)inflateEnd(&stream);
    *ret_size_bytes = made;
    return made > bytes_max ? UNPACKED_TOO_LARGE : status == Z_STREAM_END ? UNPACKED_WHOLE : UNPACKED_DAMAGED;
}

static unpacked unpack_xz(const uint8_t *bytes, size_t size_bytes, size_t bytes_max, uint8_t *ret_bytes,
                          size_t *ret_size_bytes)
{
    uint8_t thrown_away[UNPACK_STEP_BYTES];
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, XZ_MEMORY_BYTES_MAX, LZMA_CONCATENATED) != LZMA_OK) { return UNPACKED_DAMAGED; }
    stream.next_in = bytes;
    stream.avail_in = size_bytes;
    lzma_ret status = LZMA_OK;
    size_t made = 0;
    while (status == LZMA_OK && made <= bytes_max) {
        stream.next_out = ret_bytes != NULL ? ret_bytes + made : thrown_away;
        stream.avail_out = sizeof thrown_away;
        status = lzma_code(&stream, LZMA_FINISH);
        made += sizeof thrown_away - stream.avail_out;
    }
    lzma_end(&stream);
    *ret_size_bytes = made;
    return made > bytes_max ? UNPACKED_TOO_LARGE : status == LZMA_STREAM_END ? UNPACKED_WHOLE : UNPACKED_DAMAGED;
}

static bool begins_as_bzip2(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= 4 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9';
}

// One stream; *stream's input moves on behind it.
static unpacked unpack_bzip2_stream(bz_stream *stream, size_t bytes_max, uint8_t *ret_bytes, size_t *made)
{
    char thrown_away[UNPACK_STEP_BYTES];
    if (BZ2_bzDecompressInit(stream, 0, 0) != BZ_OK) { return UNPACKED_DAMAGED; }
    int status = BZ_OK;
    bool is_stuck = false;
    while (status == BZ_OK && *made <= bytes_max && !is_stuck) {
        stream->next_out = ret_bytes != NULL ? (char *)ret_bytes + *made : thrown_away;
        stream->avail_out = (unsigned)sizeof thrown_away;
        status = BZ2_bzDecompress(stream);
        *made += sizeof thrown_away - stream->avail_out;
        is_stuck = stream->avail_in == 0 && stream->avail_out > 0; // asks for more, and there is none
    }
    (void)BZ2_bzDecompressEnd(stream);
    return *made > bytes_max ? UNPACKED_TOO_LARGE : status == BZ_STREAM_END ? UNPACKED_WHOLE : UNPACKED_DAMAGED;
}

// Several streams may follow each other: so pbzip2 packs.
static unpacked unpack_bzip2(const uint8_t *bytes, size_t size_bytes, size_t bytes_max, uint8_t *ret_bytes,
                             size_t *ret_size_bytes)
{
    // Its input is only read, though its type does not say so.
    bz_stream stream = {.next_in = (char *)bytes, .avail_in = (unsigned)size_bytes};
    unpacked how;
    *ret_size_bytes = 0;
    do {
        how = unpack_bzip2_stream(&stream, bytes_max, ret_bytes, ret_size_bytes);
    } while (how == UNPACKED_WHOLE && begins_as_bzip2((const uint8_t *)stream.next_in, stream.avail_in));
    return how;
}

typedef struct packing {
    const char *name;
    unpacker unpack;
} packing;

// How bytes are packed, by how they begin; unpack is NULL if they are not.
static packing packing_of(const uint8_t *bytes, size_t size_bytes)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    if (begins_as_gzip(bytes, size_bytes)) { return (packing){"a gzip", unpack_gzip}; }
    if (size_bytes >= sizeof xz && memcmp(bytes, xz, sizeof xz) == 0) { return (packing){"an xz", unpack_xz}; }
    return begins_as_bzip2(bytes, size_bytes) ? (packing){"a bzip2", unpack_bzip2} : (packing){0};
}

cairn_err cairn_bytes_unpack(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors, size_t bytes_max,
                             cairn_arena *memory, cairn_complaints *complaints, const uint8_t **ret_bytes,
                             size_t *ret_size_bytes)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && ret_bytes != NULL && ret_size_bytes != NULL);
    const packing packed = packing_of(bytes, size_bytes);
    if (packed.unpack == NULL) {
        *ret_bytes = bytes;
        *ret_size_bytes = size_bytes;
        return CAIRN_OK;
    }
    if (size_bytes > bytes_max) { return too_large(name_for_errors, bytes_max, complaints); }
    size_t made = 0;
    const unpacked counted = packed.unpack(bytes, size_bytes, bytes_max, NULL, &made);
    if (counted == UNPACKED_TOO_LARGE) { return too_large(name_for_errors, bytes_max, complaints); }
    if (counted == UNPACKED_DAMAGED) {
        cairn_complain(complaints, name_for_errors, 0,
                       "begins as %s file does, but cannot be unpacked: it is cut off or damaged", packed.name);
        return CAIRN_ERR_CORRUPT;
    }
    uint8_t *all =
        CAIRN_TAKE(memory, uint8_t, made + UNPACK_STEP_BYTES); // the last step may be given room for a whole one
    if (all == NULL) { return no_memory(name_for_errors, complaints); }
    size_t again = 0;
    const unpacked second = packed.unpack(bytes, size_bytes, bytes_max, all, &again);
    CAIRN_ASSERT(second == UNPACKED_WHOLE && again == made);
    *ret_bytes = all;
    *ret_size_bytes = made;
    return CAIRN_OK;
}

// A device or a pipe, which a file that is moved there would replace.
static bool is_no_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

cairn_err cairn_bytes_beside(const char *path, cairn_complaints *complaints, char ret_beside[CAIRN_PATH_BYTES_MAX])
{
    const char *ending = is_no_file(path) ? "" : ".new";
    if (snprintf(ret_beside, CAIRN_PATH_BYTES_MAX, "%s%s", path, ending) < CAIRN_PATH_BYTES_MAX) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "the path is too long");
    return CAIRN_ERR_TOO_LARGE;
}

cairn_err cairn_bytes_settle(const char *beside, const char *path, int why, cairn_complaints *complaints)
{
    const bool is_there = strcmp(beside, path) == 0;
    if (why == 0 && (is_there || rename(beside, path) == 0)) { return CAIRN_OK; }
    if (why == 0) { why = errno; }
    if (!is_there) { (void)remove(beside); }
    cairn_complain(complaints, path, 0, "cannot be written: %s", strerror(why));
    return CAIRN_ERR_IO;
}

cairn_err cairn_bytes_write(const char *path, const cairn_bytes *parts, size_t part_count, cairn_complaints *complaints)
{
    char beside[CAIRN_PATH_BYTES_MAX];
    const cairn_err err = cairn_bytes_beside(path, complaints, beside);
    if (err != CAIRN_OK) { return err; }
    errno = 0;
    FILE *file = fopen(beside, "wb");
    bool whole = file != NULL;
    for (size_t i = 0; i < part_count && whole; i++) {
        whole = fwrite(parts[i].bytes, 1, parts[i].size_bytes, file) == parts[i].size_bytes;
    }
    int why = whole ? 0 : errno != 0 ? errno : EIO;
    if (file != NULL && fclose(file) != 0 && why == 0) { why = errno; }
    return cairn_bytes_settle(beside, path, why, complaints);
}
