// Any bytes as a map's file: refused with a reason, or a map without mistakes that can be written and read again.
//
// The first byte chooses the format; the hashes of Cairn's own are made right in half of the tries, or nothing behind
// them would ever be reached.
#include "base/hash.h"
#include "maps/files/geotiff_io.h"
#include "maps/files/map_file_io.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

#define CELLS_MAX 65536u
// Where the header of native_io.c has them.
enum { HEADER_BYTES = 136, WIDTH_AT = 16, HEIGHT_AT = 20, GROUND_AT = 192, GROUND_HASH_AT = 112, HEADER_HASH_AT = 128 };

static void check(cairn_err err, const cairn_complaints *told, const cairn_map *map)
{
    CAIRN_ASSERT((err == CAIRN_OK) == (told->count == 0));
    CAIRN_ASSERT(err != CAIRN_OK || cairn_map_mistake(map) == NULL);
}

static void mend_hashes(uint8_t *bytes, size_t size_bytes)
{
    uint32_t width, height;
    if (size_bytes < GROUND_AT) { return; }
    memcpy(&width, bytes + WIDTH_AT, sizeof width);
    memcpy(&height, bytes + HEIGHT_AT, sizeof height);
    const size_t count = (size_t)width * height;
    if (count <= size_bytes - GROUND_AT) {
        const uint64_t hash = cairn_hash_bytes(0, bytes + GROUND_AT, count);
        memcpy(bytes + GROUND_HASH_AT, &hash, sizeof hash);
    }
    const uint64_t hash = cairn_hash_bytes(0, bytes, HEADER_HASH_AT);
    memcpy(bytes + HEADER_HASH_AT, &hash, sizeof hash);
}

static void try_native(const uint8_t *bytes, size_t size_bytes, bool mend, cairn_arena *memory)
{
    uint8_t *copy = CAIRN_TAKE(memory, uint8_t, size_bytes + 1);
    if (copy == NULL) { return; }
    memcpy(copy, bytes, size_bytes);
    if (mend) { mend_hashes(copy, size_bytes); }
    cairn_complaints told = {0};
    cairn_map map = {0};
    const cairn_err err = cairn_native_parse(copy, size_bytes, "fuzz", &told, &map);
    check(err, &told, &map);
}

static void try_geotiff(const uint8_t *bytes, size_t size_bytes, cairn_arena *memory)
{
    cairn_complaints told = {0};
    cairn_map map = {0};
    const cairn_err err = cairn_geotiff_parse(bytes, size_bytes, "fuzz", memory, &told, &map);
    check(err, &told, &map);
}

// A header, a NUL, and its picture.
static void try_ros_map(const uint8_t *bytes, size_t size_bytes, cairn_arena *memory)
{
    const uint8_t *end = memchr(bytes, '\0', size_bytes);
    if (end == NULL) { return; }
    cairn_complaints told = {0};
    cairn_ros_map header;
    cairn_grey grey;
    cairn_map map = {0};
    const size_t header_bytes = (size_t)(end - bytes);
    if (cairn_ros_map_parse((const char *)bytes, header_bytes, "fuzz", &told, &header) != CAIRN_OK) { return; }
    const cairn_grey_limits limits = {.bytes_max = 1 << 20, .pixels_max = CELLS_MAX};
    if (cairn_grey_parse(end + 1, size_bytes - header_bytes - 1, "fuzz", &limits, memory, &told, &grey) != CAIRN_OK) {
        return;
    }
    const cairn_err err = cairn_map_of_picture(&header, &grey, "fuzz", memory, &told, &map);
    CAIRN_ASSERT(err != CAIRN_OK || cairn_map_mistake(&map) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_arena memory; // taken once: clearing it anew for each input would cost more than the parsers do
    if (memory.base == NULL && cairn_arena_create(&memory, (size_t)2 << 20) != CAIRN_OK) { return 0; }
    cairn_arena_reset(&memory, 0);
    if (size_bytes == 0) { return 0; }
    switch (bytes[0]) {
    case 'N': try_native(bytes + 1, size_bytes - 1, false, &memory); break;
    case 'n': try_native(bytes + 1, size_bytes - 1, true, &memory); break;
    case 'T': try_geotiff(bytes + 1, size_bytes - 1, &memory); break;
    default: try_ros_map(bytes + 1, size_bytes - 1, &memory); break;
    }
    return 0;
}
