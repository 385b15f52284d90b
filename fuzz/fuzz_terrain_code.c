// Terrain codes from the air: refused, or the one code of the map that they decode to. The first two bytes are width
// and height less one, the rest is the code.
#include "maps/codec/terrain_codec.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cairn_terrain_planes planes, back;
    static uint8_t code[CAIRN_TERRAIN_CODE_BYTES_MAX];
    if (size < 2) { return 0; }
    planes.width = back.width = data[0] % 24 + 1u;
    planes.height = back.height = data[1] % 24 + 1u;
    if (cairn_terrain_decode(data + 2, size - 2, &planes) != CAIRN_OK) { return 0; }

    size_t bytes = 0;
    CAIRN_ASSERT(cairn_terrain_encode(&planes, code, sizeof code, &bytes) == CAIRN_OK);
    CAIRN_ASSERT(bytes == size - 2 && memcmp(code, data + 2, bytes) == 0);
    CAIRN_ASSERT(cairn_terrain_decode(code, bytes, &back) == CAIRN_OK);
    CAIRN_ASSERT(memcmp(planes.known, back.known, sizeof planes.known) == 0);
    CAIRN_ASSERT(memcmp(planes.obstacle, back.obstacle, sizeof planes.obstacle) == 0);
    return 0;
}
