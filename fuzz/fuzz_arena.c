// Any bytes as an arena file: refused with a reason, or an arena whose solids are all finite and have a size, whose
// rough ground stays within its height, and whose ground is found the same way by the index and without it.
#include "sim/arena/arena.h"
#include "sim/arena/ground.h"
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

static void check_field(const cairn_height_field *field)
{
    CAIRN_ASSERT(field->columns >= 2 && field->rows >= 2 && field->cell_m > 0);
    for (size_t i = 0; i < (size_t)field->columns * field->rows; i++) {
        CAIRN_ASSERT(field->height_m[i] >= 0 && field->height_m[i] <= field->height_m_max);
    }
}

static void check_ground(const cairn_sim_arena *arena)
{
    cairn_sim_arena plain = *arena;
    plain.ground = NULL;
    for (int i = 0; i <= 8; i++) {
        const cairn_vec2 at_m = {arena->size_m.x * i / 8, arena->size_m.y * ((5 * i) % 9) / 8};
        for (int from_m = -1; from_m < 3; from_m++) {
            const double ground_m = cairn_sim_ground_m(arena, at_m, from_m);
            CAIRN_ASSERT(ground_m == cairn_sim_ground_m(&plain, at_m, from_m));
            CAIRN_ASSERT(ground_m >= (arena->has_holes ? CAIRN_ABYSS_M : 0.0));
        }
    }
}

static void check_movers(const cairn_sim_arena *arena)
{
    CAIRN_ASSERT(arena->mover_count == arena->door_count + arena->block_count + arena->figure_count);
    for (uint32_t i = 0; i < arena->mover_count; i++) {
        CAIRN_ASSERT(arena->movers[i].solid < arena->solid_count);
        CAIRN_ASSERT(arena->solids[arena->movers[i].solid].kind == arena->movers[i].kind);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    cairn_arena memory;
    if (cairn_arena_create(&memory, (size_t)4 << 20) != CAIRN_OK) { return 0; }
    cairn_complaints told = {0};
    cairn_sim_arena arena;
    const cairn_err err = cairn_sim_arena_parse((const char *)bytes, size_bytes, "fuzz", &memory, &told, &arena);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err == CAIRN_OK) {
        CAIRN_ASSERT(arena.start_count > 0);
        for (uint32_t i = 0; i < arena.solid_count; i++) { check_solid(&arena.solids[i]); }
        for (uint32_t i = 0; i < arena.field_count; i++) { check_field(&arena.fields[i]); }
        check_movers(&arena);
        check_ground(&arena);
    } else {
        CAIRN_ASSERT(memory.used_bytes == 0);
    }
    cairn_arena_destroy(&memory);
    return 0;
}
