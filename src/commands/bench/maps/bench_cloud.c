// bench_cloud.c - PCD: a header in words, then all x, all y and all z, packed with LZF.
#include "commands/bench/maps/bench_cloud.h"
#include <stdio.h>
#include <string.h>

#define LINE_BYTES_MAX 256
#define HEADER_LINES_MAX 32

typedef struct cloud_header {
    bool fields_known, sizes_known, packed;
    uint32_t point_count;
} cloud_header;

// LZF (Lehmann): runs of up to 32 bytes as they are, and copies of 3 to 264 bytes from up to 8 kB before. Returns the
// bytes made, 0 if the input is none of it or would make more than there is room for.
static size_t unpack(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes)
{
    size_t at = 0, made = 0;
    while (at < in_bytes) {
        const uint32_t control = in[at++];
        if (control < 32) {
            const size_t count = control + 1;
            if (count > in_bytes - at || count > out_bytes - made) { return 0; }
            memcpy(out + made, in + at, count);
            at += count;
            made += count;
            continue;
        }
        size_t count = control >> 5;
        if (count == 7) {
            if (at >= in_bytes) { return 0; }
            count += in[at++];
        }
        count += 2;
        if (at >= in_bytes) { return 0; }
        const size_t back = ((size_t)(control & 31) << 8 | in[at++]) + 1;
        if (back > made || count > out_bytes - made) { return 0; }
        for (size_t i = 0; i < count; i++, made++) { out[made] = out[made - back]; } // may overlap
    }
    return made;
}

static bool header_read(FILE *file, cloud_header *ret_header)
{
    char line[LINE_BYTES_MAX];
    cloud_header header = {0};
    for (int i = 0; i < HEADER_LINES_MAX && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\r\n")] = 0;
        header.fields_known |= strcmp(line, "FIELDS x y z") == 0;
        header.sizes_known |= strcmp(line, "SIZE 4 4 4") == 0;
        unsigned count = 0;
        if (sscanf(line, "POINTS %u", &count) == 1) { header.point_count = count; }
        if (strncmp(line, "DATA ", 5) == 0) {
            header.packed = strcmp(line, "DATA binary_compressed") == 0;
            *ret_header = header;
            return true;
        }
    }
    return false;
}

static uint32_t little_endian(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static cairn_err body_read(FILE *file, uint32_t point_count, cairn_arena *memory, float **ret_values)
{
    uint8_t sizes[8];
    if (fread(sizes, 1, sizeof sizes, file) != sizeof sizes) { return CAIRN_ERR_CORRUPT; }
    const size_t packed_bytes = little_endian(sizes), bytes = little_endian(sizes + 4);
    if (bytes != 3 * sizeof(float) * (size_t)point_count || packed_bytes > 2 * bytes) { return CAIRN_ERR_CORRUPT; }
    float *values = CAIRN_TAKE(memory, float, 3 * (size_t)point_count);
    const size_t mark = cairn_arena_mark(memory);
    uint8_t *packed = CAIRN_TAKE(memory, uint8_t, packed_bytes);
    if (!values || !packed) { return CAIRN_ERR_FULL; }
    const bool whole = fread(packed, 1, packed_bytes, file) == packed_bytes &&
                       unpack(packed, packed_bytes, (uint8_t *)values, bytes) == bytes;
    cairn_arena_reset(memory, mark);
    *ret_values = values;
    return whole ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}

static cairn_err file_read(FILE *file, cairn_arena *memory, cairn_cloud *ret_cloud)
{
    cloud_header header;
    if (!header_read(file, &header) || header.point_count == 0) { return CAIRN_ERR_CORRUPT; }
    if (!header.fields_known || !header.sizes_known || !header.packed) { return CAIRN_ERR_UNSUPPORTED; }
    if (header.point_count > CAIRN_BENCH_CLOUD_POINTS_MAX) { return CAIRN_ERR_TOO_LARGE; }
    float *values = NULL;
    const cairn_err err = body_read(file, header.point_count, memory, &values);
    if (err != CAIRN_OK) { return err; }
    const size_t count = header.point_count;
    *ret_cloud = (cairn_cloud){values, values + count, values + 2 * count, header.point_count};
    return CAIRN_OK;
}

cairn_err cairn_bench_cloud_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                 cairn_cloud *ret_cloud)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        cairn_complain(complaints, path, 0, "cannot be opened; --data wants the folder that has clouds/ in it");
        return CAIRN_ERR_NOT_FOUND;
    }
    const size_t mark = cairn_arena_mark(memory);
    const cairn_err err = file_read(file, memory, ret_cloud);
    fclose(file);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "is %s; expected a PCD file of x y z in 4-byte floats, binary_compressed",
                       cairn_err_name(err));
        cairn_arena_reset(memory, mark);
    }
    return err;
}
