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

cairn_err cairn_tar_join(const uint8_t *bytes, size_t size_bytes, cairn_arena *arena, const uint8_t **ret_text,
                         size_t *ret_size_bytes)
{
    // A file gives up a header for its new line, so all of them fit into what the archive takes.
    uint8_t *text = CAIRN_TAKE(arena, uint8_t, size_bytes + 1);
    if (!text) { return CAIRN_ERR_FULL; }
    size_t at = 0, length = 0;
    while (size_bytes - at >= BLOCK_BYTES && cairn_tar_is(bytes + at, size_bytes - at)) {
        size_t file_bytes;
        const uint8_t *header = bytes + at;
        at += BLOCK_BYTES;
        if (!read_size(header, &file_bytes) || file_bytes > size_bytes - at) { return CAIRN_ERR_CORRUPT; }
        if (header[KIND_AT] == '0' || header[KIND_AT] == 0) {
            memcpy(text + length, bytes + at, file_bytes);
            length += file_bytes;
            text[length++] = '\n';
        }
        const size_t filled = (file_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
        at = filled < size_bytes - at ? at + filled : size_bytes;
    }
    if (size_bytes - at < BLOCK_BYTES || bytes[at] != 0) { return CAIRN_ERR_CORRUPT; } // not the end
    *ret_text = text;
    *ret_size_bytes = length;
    return CAIRN_OK;
}
