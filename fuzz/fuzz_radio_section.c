// Any bytes as the radio section of a mission: refused with a reason, or a radio that carries datagrams without a
// breach.
#include "sim/medium/medium.h"
#include "sim/mission/file/radio_file.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

static cairn_solid solids[2] = {{.kind = CAIRN_SOLID_WALL,
                                 .map_T_box = {{3, 2, 1}, {1, 0, 0, 0}},
                                 .half_m = {0.1, 2, 1},
                                 .material = CAIRN_MATERIAL_BRICK},
                                {.kind = CAIRN_SOLID_BOX,
                                 .map_T_box = {{6, 2, 1}, {1, 0, 0, 0}},
                                 .half_m = {1, 1, 1},
                                 .material = CAIRN_MATERIAL_METAL}};
static cairn_pose2 starts[2] = {{1, 1, 0}, {9, 3, 0}};
static const cairn_sim_arena arena = {
    .size_m = {10, 4}, .solids = solids, .solid_count = 2, .starts = starts, .start_count = 2};

static void carry(cairn_medium *medium)
{
    uint8_t datagram[64] = {1};
    cairn_medium_arrival arrival;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 20; i++) {
        const cairn_mono now = {CAIRN_MS(50) * i};
        cairn_medium_place(medium, 0, (cairn_vec2){0.5 * i, 1}, now);
        for (uint32_t from = 0; from < 3; from++) {
            CAIRN_ASSERT(cairn_medium_send(medium, from, (from + 1 + i % 2) % 3, datagram, 1 + i, now) == CAIRN_OK);
        }
    }
    const cairn_mono later = {CAIRN_S(100000)};
    for (uint32_t who = 0; who < 3; who++) {
        while (cairn_medium_take(medium, who, later, datagram, sizeof datagram, &arrival) == CAIRN_OK) { taken++; }
    }
    const cairn_medium_info info = cairn_medium_look_all(medium);
    uint64_t lost = 0;
    for (int i = 0; i < CAIRN_MEDIUM_LOST_COUNT; i++) { lost += info.lost_count[i]; }
    CAIRN_ASSERT(info.sent_count + info.duplicated_count == taken + lost && info.queued_count + info.flying_count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    cairn_arena memory;
    if (cairn_arena_create(&memory, (size_t)1 << 20) != CAIRN_OK) { return 0; }
    cairn_complaints told = {0};
    cairn_radio_entry entry;
    const cairn_err err =
        cairn_config_parse((const char *)bytes, size_bytes, "fuzz", &cairn_radio_schema, &memory, &told, &entry);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err == CAIRN_OK) {
        cairn_medium_def def = cairn_medium_def_default();
        def.radio = cairn_radio_convert("fuzz", &entry, &told);
        def.arena = &arena;
        def.robot_count = 2;
        def.datagram_bytes_max = 64;
        cairn_medium *medium;
        if (told.count == 0 && cairn_medium_create(&def, &memory, &medium) == CAIRN_OK) { carry(medium); }
    }
    cairn_arena_destroy(&memory);
    return 0;
}
