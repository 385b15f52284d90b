// Any bytes as an arena file: refused with a reason, or an arena whose solids are all finite and have a size.
#include "sim/arena/arena.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

static void check_solid(const cairn_solid *solid)
{
    const cairn_vec3 at_m = solid->map_T_box.at_m;
    const cairn_quat q = solid->map_T_box.turn;
    CAIRN_ASSERT(isfinite(at_m.x) && isfinite(at_m.y) && isfinite(at_m.z));
    CAIRN_ASSERT(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-9);
    CAIRN_ASSERT(solid->half_m.x > 0 && solid->half_m.y > 0 && solid->half_m.z > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    cairn_arena memory;
    if (cairn_arena_create(&memory, (size_t)1 << 20) != CAIRN_OK) { return 0; }
    cairn_complaints told = {0};
    cairn_sim_arena arena;
    const cairn_err err = cairn_sim_arena_parse((const char *)bytes, size_bytes, "fuzz", &memory, &told, &arena);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err == CAIRN_OK) {
        CAIRN_ASSERT(arena.start_count > 0);
        for (uint32_t i = 0; i < arena.solid_count; i++) { check_solid(&arena.solids[i]); }
        const double ground_m = cairn_sim_arena_ground_m(&arena, cairn_vec2_scale(arena.size_m, 0.5));
        CAIRN_ASSERT(ground_m >= 0.0 && isfinite(ground_m));
    } else {
        CAIRN_ASSERT(memory.used_bytes == 0);
    }
    cairn_arena_destroy(&memory);
    return 0;
}
