#include "maps/terrain_codec.h"
#include <string.h>

static size_t plane_bytes(const cairn_terrain_planes *planes) { return (planes->width * planes->height + 7) / 8; }

cairn_err cairn_terrain_encode(const cairn_terrain_planes *planes, uint8_t *ret_code, size_t code_bytes_max,
                               size_t *ret_code_bytes)
{
    const size_t bytes = plane_bytes(planes);
    if (2 * bytes > code_bytes_max) { return CAIRN_ERR_FULL; }
    memcpy(ret_code, planes->known, bytes);
    memcpy(ret_code + bytes, planes->obstacle, bytes);
    *ret_code_bytes = 2 * bytes;
    return CAIRN_OK;
}

cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes)
{
    const size_t bytes = plane_bytes(ret_planes);
    if (code_bytes != 2 * bytes) { return CAIRN_ERR_CORRUPT; }
    memcpy(ret_planes->known, code, bytes);
    memcpy(ret_planes->obstacle, code + bytes, bytes);
    return CAIRN_OK;
}
