// Terrain maps from the air. The first two bytes are width and height less one, the third which code it is, the rest
// the code. What older robots sent is refused or read. What robots send now, alone or after an earlier map that the
// bytes also choose, is refused, or read and then coded again to what reads the same.
#include "maps/codec/planes_codec.h"
#include "maps/codec/terrain_codec.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_now(const uint8_t *code, size_t code_bytes, uint32_t width, uint32_t height, uint8_t kind)
{
    static uint8_t block[CAIRN_PLANES_SCRATCH_BYTES], again[CAIRN_PLANES_CODE_BYTES_MAX];
    static cairn_terrain_planes planes, back, before;
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    before.width = 17;
    before.height = 12;
    for (uint32_t i = 0; i < 25; i++) {
        before.known[i] = code_bytes > 0 ? code[i % code_bytes] : 0;
        before.obstacle[i] = before.known[i] & (uint8_t)(i * 37);
    }
    const cairn_planes_earlier earlier = {&before, kind % 7 - 3, kind % 5 - 30};
    const cairn_planes_earlier *after = kind & 1 ? &earlier : NULL;
    planes.width = back.width = width;
    planes.height = back.height = height;
    if (cairn_planes_decode(code, code_bytes, after, &scratch, &planes) != CAIRN_OK) { return; }
    size_t bytes = 0;
    CAIRN_ASSERT(cairn_planes_encode(&planes, after, &scratch, again, sizeof again, &bytes) == CAIRN_OK);
    CAIRN_ASSERT(cairn_planes_decode(again, bytes, after, &scratch, &back) == CAIRN_OK);
    CAIRN_ASSERT(cairn_planes_hash(&planes) == cairn_planes_hash(&back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cairn_terrain_planes planes;
    if (size < 3) { return 0; }
    const uint32_t width = data[0] % 24 + 1u, height = data[1] % 24 + 1u;
    if (data[2] < 64) {
        planes.width = width;
        planes.height = height;
        (void)!cairn_terrain_decode(data + 3, size - 3, &planes);
    } else {
        decode_now(data + 3, size - 3, width, height, data[2]);
    }
    return 0;
}
