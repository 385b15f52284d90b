#include "maps/files/pbm_io.h"
#include <stdio.h>
#include <string.h>

typedef struct cursor {
    const uint8_t *bytes;
    size_t count, at;
} cursor;

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// White space and comments, which go from # to the end of the line.
static void skip(cursor *c)
{
    for (bool in_comment = false; c->at < c->count; c->at++) {
        const uint8_t byte = c->bytes[c->at];
        if (byte == '#') { in_comment = true; }
        if (!in_comment && !is_space(byte)) { return; }
        if (byte == '\n' || byte == '\r') { in_comment = false; }
    }
}

// 0: there is none, or it is beyond the largest side.
static uint32_t number(cursor *c, uint32_t max)
{
    uint32_t value = 0;
    for (skip(c); c->at < c->count && c->bytes[c->at] >= '0' && c->bytes[c->at] <= '9' && value <= max; c->at++) {
        value = 10 * value + (uint32_t)(c->bytes[c->at] - '0');
    }
    return value;
}

cairn_err cairn_pbm_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors, uint32_t side_max,
                          cairn_complaints *complaints, cairn_pbm *ret_pbm)
{
    if (size_bytes < 3 || memcmp(bytes, "P4", 2) != 0 || !(is_space(bytes[2]) || bytes[2] == '#')) {
        const char kind = size_bytes >= 2 && bytes[0] == 'P' ? (char)bytes[1] : '\0';
        const char *what =
            kind == '1' ? "is a PBM picture in letters, kind P1; make it one of kind P4 with pnmtopnm"
            : kind == '2' || kind == '5'
                ? "is a PGM picture, in grey; make it black and white, for instance with pgmtopbm -threshold"
                : "is no PBM picture of kind P4; convert it, for instance with pngtopnm and pgmtopbm";
        cairn_complain(complaints, name_for_errors, 0, "%s", what);
        return CAIRN_ERR_CORRUPT;
    }
    cursor c = {bytes, size_bytes, 2};
    const uint32_t width = number(&c, side_max), height = number(&c, side_max);
    if (width > side_max || height > side_max) {
        cairn_complain(complaints, name_for_errors, 0, "is wider or higher than %u cells, which is the most", side_max);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (width == 0 || height == 0 || c.at >= size_bytes || !is_space(bytes[c.at])) {
        cairn_complain(complaints, name_for_errors, 0, "has no width and height of at least 1 after P4; it is damaged");
        return CAIRN_ERR_CORRUPT;
    }
    const size_t wanted = (size_t)((width + 7) / 8) * height;
    if (size_bytes - c.at - 1 < wanted) {
        cairn_complain(complaints, name_for_errors, 0, "ends early: %u x %u cells take %zu bytes; copy it again", width,
                       height, wanted);
        return CAIRN_ERR_CORRUPT;
    }
    *ret_pbm = (cairn_pbm){width, height, bytes + c.at + 1};
    return CAIRN_OK;
}

void cairn_pbm_to_cells(const cairn_pbm *pbm, uint8_t mask, uint8_t *cells)
{
    const size_t stride = (pbm->width + 7) / 8;
    for (uint32_t y = 0; y < pbm->height; y++) {
        const uint8_t *row = pbm->rows + (pbm->height - 1 - y) * stride;
        uint8_t *to = cells + (size_t)y * pbm->width;
        for (uint32_t x = 0; x < pbm->width; x++) {
            to[x] = (uint8_t)(row[x / 8] >> (7 - x % 8) & 1 ? to[x] | mask : to[x] & ~mask);
        }
    }
}

size_t cairn_pbm_from_cells(const uint8_t *cells, uint32_t width, uint32_t height, uint8_t mask, uint8_t *ret_bytes)
{
    const size_t stride = (width + 7) / 8;
    const int head = snprintf((char *)ret_bytes, CAIRN_PBM_HEAD_BYTES_MAX, "P4\n%u %u\n", width, height);
    uint8_t *rows = ret_bytes + head;
    memset(rows, 0, stride * height);
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *from = cells + (size_t)(height - 1 - y) * width;
        for (uint32_t x = 0; x < width; x++) {
            if (from[x] & mask) { rows[y * stride + x / 8] |= (uint8_t)(128 >> x % 8); }
        }
    }
    return (size_t)head + stride * height;
}
