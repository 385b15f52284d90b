// arena_text.h - arenas from the text of files, for tests: what they become, or why they are refused.
#pragma once
#include "base/random.h"
#include "check.h"
#include "sim/arena/arena.h"
#include <math.h>
#include <string.h>

#define HEAD "name: a\nabout: a place\nsize_m: [10, 10]\n"
#define START "starts: [{at_m: [1, 1]}]\n"

static uint8_t block[8 << 20]; // the last arena lies here
static cairn_complaints told;  // about it

static inline cairn_random stream_of(uint32_t seed, const char *name)
{
    print_message("seed %u, stream %s\n", seed, name);
    cairn_random random;
    cairn_random_init(&random, seed, name);
    return random;
}

static inline cairn_err parse(const char *text, cairn_sim_arena *ret_arena)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    return cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, ret_arena);
}

static inline cairn_sim_arena accepted(const char *text)
{
    cairn_sim_arena arena;
    if (parse(text, &arena) != CAIRN_OK) { fail_msg("refused:\n%s", told.text); }
    return arena;
}

static inline void assert_refused(const char *text, const char *reason)
{
    cairn_sim_arena unused;
    assert_int_equal(parse(text, &unused), CAIRN_ERR_INVALID);
    if (strstr(told.text, reason) == NULL) { fail_msg("\"%s\" is not told about:\n%s%s", reason, text, told.text); }
}

static inline cairn_sim_arena shipped(const char *path)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    cairn_sim_arena arena;
    if (cairn_sim_arena_read(path, &memory, &told, &arena) != CAIRN_OK) { fail_msg("refused:\n%s", told.text); }
    return arena;
}

static inline bool inside(const cairn_solid *solid, cairn_vec3 at_m)
{
    const cairn_vec3 local = cairn_pose3_apply(cairn_pose3_inverse(solid->map_T_box), at_m);
    return fabs(local.x) <= solid->half_m.x && fabs(local.y) <= solid->half_m.y && fabs(local.z) <= solid->half_m.z;
}

static inline bool inside_any(const cairn_sim_arena *arena, cairn_solid_kind kind, cairn_vec3 at_m)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (arena->solids[i].kind == kind && inside(&arena->solids[i], at_m)) { return true; }
    }
    return false;
}
