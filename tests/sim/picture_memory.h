// picture_memory.h - memory that pictures are drawn in, for tests: made before all of them, dropped after.
#pragma once
#include "base/memory.h"

static cairn_arena memory;

static inline int make_memory(void **state)
{
    (void)state;
    return cairn_arena_create(&memory, (size_t)64 << 20) == CAIRN_OK ? 0 : -1;
}

static inline int drop_memory(void **state)
{
    (void)state;
    cairn_arena_destroy(&memory);
    return 0;
}
