// What a station reads back from files: records of inputs, a setup, a snapshot. The first byte says which.
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <string.h>

#define INPUT_BYTES_MAX (256u << 10)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const cairn_body_description BODY = {
    .name = "emu", .thermal = {.offered = true, .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}}}};

static cairn_station_def small_def(void)
{
    cairn_station_def def = cairn_station_def_default();
    def.mute = true;
    def.raster.origin_m = (cairn_vec2){-4, -4};
    def.raster.width = def.raster.height = 80;
    def.robot_count = 2;
    for (uint8_t i = 0; i < 2; i++) {
        def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(i + 1),
                                                  .name = i == 0 ? "emu1" : "emu2",
                                                  .map_T_start = {i, 0, 0},
                                                  .description = &BODY,
                                                  .mode = CAIRN_MODE_AUTONOMOUS};
    }
    return def;
}

// Records one after another, each with two bytes of length before it. Step and time are set right, or hardly any would
// be taken in.
static void replay(cairn_station *station, const uint8_t *bytes, size_t size)
{
    static uint8_t record[CAIRN_INPUTS_BYTES_MAX];
    for (uint32_t count = 0; size >= 2 && count < 200; count++) {
        const size_t wanted = (size_t)bytes[0] | (size_t)bytes[1] << 8;
        bytes += 2;
        size -= 2;
        const size_t part = wanted < size ? wanted : size;
        const size_t length = part < sizeof record ? part : sizeof record;
        memcpy(record, bytes, length);
        bytes += part;
        size -= part;
        const uint64_t step = cairn_station_step(station) + 1;
        const int64_t at_ns = cairn_station_time(station).ns + CAIRN_MS(100);
        if (length >= 18) {
            for (int i = 0; i < 8; i++) { record[2 + i] = (uint8_t)(step >> 8 * i); }
            for (int i = 0; i < 8; i++) { record[10 + i] = (uint8_t)((uint64_t)at_ns >> 8 * i); }
        }
        (void)!cairn_station_replay(station, record, length);
    }
}

// What is read is written, and read and written again the same. Not as it came: it may be of an earlier version.
static void read_setup(const uint8_t *bytes, size_t size)
{
    static uint8_t names[2][CAIRN_SETUP_MEMORY_BYTES], once[CAIRN_SETUP_BYTES_MAX], again[CAIRN_SETUP_BYTES_MAX];
    cairn_arena arenas[2];
    for (int i = 0; i < 2; i++) { cairn_arena_init(&arenas[i], names[i], sizeof names[i]); }
    cairn_station_def def, back;
    size_t once_bytes = 0, again_bytes = 0;
    if (cairn_station_setup_decode(bytes, size, &arenas[0], &def) != CAIRN_OK) { return; }
    CAIRN_ASSERT(cairn_station_setup_encode(&def, once, sizeof once, &once_bytes) == CAIRN_OK);
    CAIRN_ASSERT(cairn_station_setup_decode(once, once_bytes, &arenas[1], &back) == CAIRN_OK);
    CAIRN_ASSERT(cairn_station_setup_encode(&back, again, sizeof again, &again_bytes) == CAIRN_OK);
    CAIRN_ASSERT(once_bytes == again_bytes && memcmp(once, again, once_bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1 || size > INPUT_BYTES_MAX) { return 0; }
    if (bytes[0] == 's') {
        read_setup(bytes + 1, size - 1);
        return 0;
    }
    const cairn_station_def def = small_def();
    cairn_arena memory;
    cairn_station *station = NULL;
    CAIRN_ASSERT(cairn_arena_create(&memory, cairn_station_memory_bytes(&def)) == CAIRN_OK);
    CAIRN_ASSERT(cairn_station_create(&def, &memory, &station) == CAIRN_OK);
    if (bytes[0] == 'i') {
        replay(station, bytes + 1, size - 1);
    } else if (cairn_station_load(station, bytes + 1, size - 1) == CAIRN_OK) {
        (void)cairn_station_hashes(station);
        static const uint8_t tasking[] = {18, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        static const uint8_t post[] = {18, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        replay(station, post, sizeof post);
        replay(station, tasking, sizeof tasking);
    }
    cairn_station_finish(station);
    cairn_arena_destroy(&memory);
    return 0;
}
