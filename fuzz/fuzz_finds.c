// Any bytes as the CSV files beside a map: refused with line and reason, or lists that can be written and read again.
#include "maps/files/bytes_io.h"
#include "maps/files/finds_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

#define FILE_BYTES_MAX ((size_t)4 << 20)
#define ROUNDING_M 0.000501 // places are written in millimetres

static char path[64];

static void remove_file(void) { (void)unlink(path); }

// What was written, as bytes.
static const char *read_back(cairn_arena *memory, size_t *ret_size_bytes)
{
    cairn_complaints told = {0};
    const uint8_t *bytes = NULL;
    const cairn_err err = cairn_bytes_read(path, FILE_BYTES_MAX, memory, &told, &bytes, ret_size_bytes);
    CAIRN_ASSERT(err == CAIRN_OK);
    return (const char *)bytes;
}

static void check_finds(const cairn_finds *finds, cairn_arena *memory)
{
    static const cairn_finds_heading heading = {"victims",    "a team",   "a land",
                                                "2026-11-16", "10:00:00", "a \"mission\"\n"};
    cairn_complaints told = {0};
    cairn_finds again;
    size_t size_bytes = 0;
    CAIRN_ASSERT(finds->count <= CAIRN_FINDS_MAX);
    if (cairn_finds_write(finds, &heading, path, &told) != CAIRN_OK) { abort(); }
    const char *bytes = read_back(memory, &size_bytes);
    if (cairn_finds_parse(bytes, size_bytes, "again", memory, &told, &again) != CAIRN_OK) { abort(); }
    CAIRN_ASSERT(again.count == finds->count);
    for (uint32_t i = 0; i < finds->count; i++) {
        const cairn_find *a = &finds->items[i], *b = &again.items[i];
        CAIRN_ASSERT(a->id == b->id && strlen(a->name) == strlen(b->name) && strlen(a->time) == strlen(b->time));
        CAIRN_ASSERT(fabs(a->x_m - b->x_m) <= ROUNDING_M && fabs(a->y_m - b->y_m) <= ROUNDING_M);
        CAIRN_ASSERT(fabs(a->z_m - b->z_m) <= ROUNDING_M);
    }
}

static uint64_t points_of(const cairn_way_list *ways)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ways->count; i++) { count += ways->items[i].count; }
    return count;
}

static void check_ways(const cairn_way_list *ways, cairn_arena *memory)
{
    cairn_complaints told = {0};
    cairn_way_list again;
    size_t size_bytes = 0;
    CAIRN_ASSERT(ways->count <= CAIRN_WAYS_MAX);
    for (uint32_t i = 0; i < ways->count; i++) { CAIRN_ASSERT(ways->items[i].count > 0); }
    if (cairn_ways_write(ways, path, &told) != CAIRN_OK) { abort(); }
    const char *bytes = read_back(memory, &size_bytes);
    if (cairn_ways_parse(bytes, size_bytes, "again", memory, &told, &again) != CAIRN_OK) { abort(); }
    // Names that differ in quotation marks only are one when they were written.
    CAIRN_ASSERT(again.count <= ways->count && points_of(&again) == points_of(ways));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_arena memory; // taken once: clearing it anew for each input would cost more than the parsers do
    if (memory.base == NULL) {
        if (cairn_arena_create(&memory, (size_t)16 << 20) != CAIRN_OK) { return 0; }
        (void)snprintf(path, sizeof path, "/dev/shm/cairn-fuzz-finds-%ld", (long)getpid());
        (void)atexit(remove_file);
    }
    cairn_arena_reset(&memory, 0);
    cairn_complaints told = {0};
    cairn_finds finds;
    cairn_err err = cairn_finds_parse((const char *)bytes, size_bytes, "fuzz", &memory, &told, &finds);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0) || err == CAIRN_ERR_FULL);
    if (err == CAIRN_OK) { check_finds(&finds, &memory); }
    told = (cairn_complaints){0};
    cairn_way_list ways;
    err = cairn_ways_parse((const char *)bytes, size_bytes, "fuzz", &memory, &told, &ways);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0) || err == CAIRN_ERR_FULL);
    if (err == CAIRN_OK) { check_ways(&ways, &memory); }
    return 0;
}
