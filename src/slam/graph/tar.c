// A file is a header of 512 bytes and its bytes, filled up to a multiple of 512. Two empty headers end the archive.
#include "slam/graph/tar.h"
#include <string.h>

#define BLOCK_BYTES 512u
#define SIZE_AT 124u // in octal digits
#define SIZE_DIGITS 11u
#define KIND_AT 156u
#define MARK_AT 257u

bool cairn_tar_is(const uint8_t *bytes, size_t size_bytes)
{
    return size_bytes >= BLOCK_BYTES && memcmp(bytes + MARK_AT, "ustar", 5) == 0;
}

static bool read_size(const uint8_t *header, size_t *ret_size_bytes)
{
    size_t size = 0;
    for (uint32_t i = 0; i < SIZE_DIGITS; i++) {
        const uint8_t digit = header[SIZE_AT + i];
        if (digit < '0' || digit > '7') { return false; }
        size = 8 * size + (size_t)(digit - '0');
    }
    *ret_size_bytes = size;
    return true;
}

// The header at *at, and what follows it; *at goes on to the next. False: cut off, or a size that is none.
static bool read_file(const uint8_t *bytes, size_t size_bytes, size_t *at, cairn_tar_file *ret_file)
{
    const uint8_t *header = bytes + *at;
    size_t file_bytes;
    *at += BLOCK_BYTES;
    if (!read_size(header, &file_bytes) || file_bytes > size_bytes - *at) { return false; }
    *ret_file = (cairn_tar_file){.bytes = bytes + *at, .size_bytes = file_bytes};
    memcpy(ret_file->name, header, CAIRN_TAR_NAME_BYTES);
    ret_file->is_left_out = header[KIND_AT] != '0' && header[KIND_AT] != 0;
    const size_t filled = (file_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    *at = filled < size_bytes - *at ? *at + filled : size_bytes;
    return true;
}

cairn_err cairn_tar_list(const uint8_t *bytes, size_t size_bytes, cairn_arena *arena, cairn_tar_file **ret_files,
                         uint32_t *ret_count)
{
    // Two passes, so that memory is taken for what is there.
    cairn_tar_file *files = NULL, file;
    for (int pass = 0; pass < 2; pass++) {
        size_t at = 0;
        uint32_t count = 0;
        while (size_bytes - at >= BLOCK_BYTES && cairn_tar_is(bytes + at, size_bytes - at)) {
            if (!read_file(bytes, size_bytes, &at, &file)) { return CAIRN_ERR_CORRUPT; }
            if (file.is_left_out) { continue; } // a folder or the like
            if (files) { files[count] = file; }
            count++;
        }
        if (size_bytes - at < BLOCK_BYTES || bytes[at] != 0) { return CAIRN_ERR_CORRUPT; } // not the end
        if (!files) { files = CAIRN_TAKE(arena, cairn_tar_file, (size_t)count + 1); }
        if (!files) { return CAIRN_ERR_FULL; }
        *ret_count = count;
    }
    *ret_files = files;
    return CAIRN_OK;
}

cairn_err cairn_tar_join(const cairn_tar_file *files, uint32_t count, cairn_arena *arena, const uint8_t **ret_text,
                         size_t *ret_size_bytes)
{
    size_t room = 1, length = 0;
    for (uint32_t i = 0; i < count; i++) { room += files[i].size_bytes + 1; }
    uint8_t *text = CAIRN_TAKE(arena, uint8_t, room);
    if (!text) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < count; i++) {
        if (files[i].is_left_out) { continue; }
        memcpy(text + length, files[i].bytes, files[i].size_bytes);
        length += files[i].size_bytes;
        text[length++] = '\n';
    }
    *ret_text = text;
    *ret_size_bytes = length;
    return CAIRN_OK;
}
