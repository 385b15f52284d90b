// pyramid_cache.c - entries in lists by hash, and in a ring by age: after the ring's head comes the youngest.
#include "matching/pyramid_cache.h"

#define NONE UINT32_MAX

typedef struct entry {
    uint64_t node;
    cairn_pyramid *pyramid;
    bool is_used;
    uint32_t next_in_list;   // of the same hash
    uint32_t younger, older; // in the ring
} entry;

struct cairn_pyramid_cache {
    uint32_t count, list_count; // list_count: a power of two
    uint32_t *lists;            // first entry
    entry *entries;             // one more: the last is the ring's head
};

cairn_err cairn_pyramid_cache_create(const cairn_pyramid_cache_def *def, cairn_arena *arena,
                                     cairn_pyramid_cache **ret_cache)
{
    CAIRN_ASSERT(def->count >= 2 && def->count < NONE / 4);
    uint32_t list_count = 1;
    while (list_count < 2 * def->count) { list_count *= 2; }
    cairn_pyramid_cache *cache = CAIRN_TAKE(arena, cairn_pyramid_cache, 1);
    uint32_t *lists = CAIRN_TAKE(arena, uint32_t, list_count);
    entry *entries = CAIRN_TAKE(arena, entry, (size_t)def->count + 1);
    if (cache == NULL || lists == NULL || entries == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < list_count; i++) { lists[i] = NONE; }
    for (uint32_t i = 0; i <= def->count; i++) {
        entries[i] =
            (entry){.next_in_list = NONE, .younger = i > 0 ? i - 1 : def->count, .older = i < def->count ? i + 1 : 0};
        if (i == def->count) { break; }
        const cairn_err err = cairn_pyramid_create(&def->pyramid, arena, &entries[i].pyramid);
        if (err != CAIRN_OK) { return err; }
    }
    *cache = (cairn_pyramid_cache){def->count, list_count, lists, entries};
    *ret_cache = cache;
    return CAIRN_OK;
}

static uint32_t *list_of(cairn_pyramid_cache *cache, uint64_t node)
{
    return &cache->lists[(node * 0x9e3779b97f4a7c15u >> 32) & (cache->list_count - 1)];
}

static uint32_t find(cairn_pyramid_cache *cache, uint64_t node)
{
    uint32_t at = *list_of(cache, node);
    while (at != NONE && cache->entries[at].node != node) { at = cache->entries[at].next_in_list; }
    return at;
}

static void unlist(cairn_pyramid_cache *cache, uint32_t at)
{
    uint32_t *link = list_of(cache, cache->entries[at].node);
    while (*link != at) { link = &cache->entries[*link].next_in_list; }
    *link = cache->entries[at].next_in_list;
    cache->entries[at].is_used = false;
}

// Moves an entry to just before or just after the ring's head: the oldest or the youngest.
static void ring_move(cairn_pyramid_cache *cache, uint32_t at, bool to_youngest)
{
    entry *entries = cache->entries;
    entries[entries[at].younger].older = entries[at].older;
    entries[entries[at].older].younger = entries[at].younger;
    const uint32_t younger = to_youngest ? cache->count : entries[cache->count].younger;
    const uint32_t older = entries[younger].older;
    entries[at].younger = younger, entries[at].older = older;
    entries[younger].older = entries[older].younger = at;
}

cairn_pyramid *cairn_pyramid_cache_get(cairn_pyramid_cache *cache, uint64_t node, bool *ret_is_new)
{
    uint32_t at = find(cache, node);
    *ret_is_new = at == NONE;
    if (at == NONE) {
        at = cache->entries[cache->count].younger; // the oldest: the ring closes there
        if (cache->entries[at].is_used) { unlist(cache, at); }
        uint32_t *list = list_of(cache, node);
        cache->entries[at].node = node;
        cache->entries[at].is_used = true;
        cache->entries[at].next_in_list = *list;
        *list = at;
    }
    ring_move(cache, at, true);
    return cache->entries[at].pyramid;
}

void cairn_pyramid_cache_forget(cairn_pyramid_cache *cache, uint64_t node)
{
    const uint32_t at = find(cache, node);
    if (at == NONE) { return; }
    unlist(cache, at);
    ring_move(cache, at, false);
}
