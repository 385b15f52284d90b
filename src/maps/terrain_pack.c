// terrain_pack.c - runs of cells that differ alike from the ones below them.
//
// A cell's code is 1 where known, and 2 more where an obstacle. A run is one byte, difference (2 bits) and length (6),
// or more where it is long: then 7 bits a byte, the lowest first, the highest bit saying that more follow.
#include "maps/terrain_pack.h"
#include <string.h>

enum { RUNS, PLAIN }; // first byte
#define SHORT_MAX 62u // length of a run in one byte

typedef struct packer {
    uint8_t *to;
    size_t used, max;
    bool full;
} packer;

static void put(packer *p, uint8_t byte)
{
    if (p->used == p->max) {
        p->full = true;
        return;
    }
    p->to[p->used++] = byte;
}

static void put_run(packer *p, uint8_t difference, uint32_t length)
{
    if (length <= SHORT_MAX) {
        put(p, (uint8_t)(difference | length << 2));
        return;
    }
    put(p, (uint8_t)(difference | 63u << 2));
    for (length -= SHORT_MAX + 1; length > 127; length >>= 7) { put(p, (uint8_t)(length | 128)); }
    put(p, (uint8_t)length);
}

static uint8_t code_at(const cairn_terrain_planes *planes, uint32_t cell)
{
    const uint8_t known = cairn_plane_bit(planes->known, cell), obstacle = cairn_plane_bit(planes->obstacle, cell);
    return (uint8_t)(known | (obstacle & known) << 1);
}

static size_t pack_plain(const cairn_terrain_planes *planes, uint8_t *ret_bytes)
{
    const size_t plane_bytes = ((size_t)planes->width * planes->height + 7) / 8;
    ret_bytes[0] = PLAIN;
    memcpy(ret_bytes + 1, planes->known, plane_bytes);
    for (size_t i = 0; i < plane_bytes; i++) {
        ret_bytes[1 + plane_bytes + i] = planes->obstacle[i] & planes->known[i];
    }
    return 1 + 2 * plane_bytes;
}

size_t cairn_terrain_pack(const cairn_terrain_planes *planes, uint8_t *ret_bytes)
{
    const uint32_t cells = planes->width * planes->height;
    CAIRN_ASSERT(planes->width > 0 && cells > 0 && cells <= CAIRN_TERRAIN_CELLS_MAX);
    uint8_t codes[CAIRN_TERRAIN_CELLS_MAX];
    for (uint32_t cell = 0; cell < cells; cell++) { codes[cell] = code_at(planes, cell); }
    for (uint32_t cell = cells; cell-- > planes->width;) { codes[cell] ^= codes[cell - planes->width]; }
    packer p = {.to = ret_bytes, .max = 1 + 2 * (((size_t)cells + 7) / 8)};
    put(&p, RUNS);
    for (uint32_t from = 0, end = 0; from < cells && !p.full; from = end) {
        while (end < cells && codes[end] == codes[from]) { end++; }
        put_run(&p, codes[from], end - from);
    }
    return p.full ? pack_plain(planes, ret_bytes) : p.used;
}

// The length of the run at *at, which is moved behind it; 0 if there is none.
static uint32_t take_run(const uint8_t *bytes, size_t size_bytes, size_t *at)
{
    uint32_t length = bytes[(*at)++] >> 2;
    if (length <= SHORT_MAX) { return length; }
    uint32_t more = 0;
    for (uint32_t shift = 0; shift < 21; shift += 7) {
        if (*at == size_bytes) { return 0; }
        const uint8_t byte = bytes[(*at)++];
        more |= (byte & 127u) << shift;
        if (byte < 128) { return SHORT_MAX + 1 + more; }
    }
    return 0;
}

// Eight codes to two bytes of bits, the first lowest.
static void gather(const uint8_t *codes, uint8_t *ret_known, uint8_t *ret_obstacle)
{
    uint64_t eight;
    memcpy(&eight, codes, sizeof eight);
    const uint64_t ones = 0x0101010101010101ull, to_top = 0x0102040810204080ull;
    *ret_known = (uint8_t)((eight & ones) * to_top >> 56);
    *ret_obstacle = (uint8_t)((eight >> 1 & ones) * to_top >> 56);
}

static cairn_err unpack_runs(const uint8_t *bytes, size_t size_bytes, cairn_terrain_planes *planes)
{
    const uint32_t width = planes->width, cells = width * planes->height;
    uint8_t codes[CAIRN_TERRAIN_CELLS_MAX + 8];
    size_t at = 1;
    uint32_t cell = 0;
    while (at < size_bytes) {
        const uint8_t difference = bytes[at] & 3;
        const uint32_t length = take_run(bytes, size_bytes, &at);
        if (length == 0 || length > cells - cell) { return CAIRN_ERR_CORRUPT; }
        memset(codes + cell, difference, length);
        cell += length;
    }
    if (cell != cells) { return CAIRN_ERR_CORRUPT; }
    for (cell = width; cell < cells; cell++) { codes[cell] ^= codes[cell - width]; }
    memset(codes + cells, 0, 8);
    for (cell = 0; cell < cells; cell += 8) {
        gather(codes + cell, &planes->known[cell >> 3], &planes->obstacle[cell >> 3]);
    }
    return CAIRN_OK;
}

cairn_err cairn_terrain_unpack(const uint8_t *bytes, size_t size_bytes, cairn_terrain_planes *planes)
{
    const uint32_t cells = planes->width * planes->height;
    CAIRN_ASSERT(planes->width > 0 && cells > 0 && cells <= CAIRN_TERRAIN_CELLS_MAX);
    const size_t plane_bytes = ((size_t)cells + 7) / 8;
    if (size_bytes == 0 || bytes[0] > PLAIN) { return CAIRN_ERR_CORRUPT; }
    memset(planes->known, 0, sizeof planes->known);
    memset(planes->obstacle, 0, sizeof planes->obstacle);
    cairn_err err = CAIRN_OK;
    if (bytes[0] == RUNS) {
        err = unpack_runs(bytes, size_bytes, planes);
    } else if (size_bytes == 1 + 2 * plane_bytes) {
        memcpy(planes->known, bytes + 1, plane_bytes);
        memcpy(planes->obstacle, bytes + 1 + plane_bytes, plane_bytes);
    } else {
        err = CAIRN_ERR_CORRUPT;
    }
    for (size_t i = 0; i < plane_bytes; i++) { planes->obstacle[i] &= planes->known[i]; }
    return err;
}
