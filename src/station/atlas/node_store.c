// Maps lie in their ring as records: whose they are, how long, the bytes. A record never runs over the edge: what is
// left there is skipped by a record that is nobody's.
#include "station/atlas/node_store.h"
#include "maps/raster.h"
#include <string.h>

#define BUCKET_COUNT 16384u
#define NOBODY UINT32_MAX

typedef struct record {
    uint32_t entry_at; // NOBODY: skipped
    uint32_t size_bytes;
} record;

cairn_err cairn_node_store_init(cairn_node_store *store, cairn_arena *arena)
{
    *store = (cairn_node_store){0};
    store->entries = CAIRN_TAKE(arena, cairn_node_entry, CAIRN_NODES_MAX);
    store->buckets = CAIRN_TAKE(arena, uint32_t, BUCKET_COUNT);
    store->maps = CAIRN_TAKE(arena, uint8_t, CAIRN_NODE_MAP_BYTES);
    return store->entries == NULL || store->buckets == NULL || store->maps == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
}

// Robots count their nodes up from 1, so that these are spread evenly as they come.
static uint32_t *bucket_of(const cairn_node_store *store, uint8_t robot, uint32_t node)
{
    return &store->buckets[(node * 31u + robot) % BUCKET_COUNT];
}

cairn_node_entry *cairn_node_store_find(const cairn_node_store *store, uint8_t robot, uint32_t node)
{
    for (uint32_t at = *bucket_of(store, robot, node); at != 0; at = store->entries[at - 1].next_plus_1) {
        cairn_node_entry *entry = &store->entries[at - 1];
        if (entry->robot == robot && entry->node == node) { return entry; }
    }
    return NULL;
}

static void unlink_entry(cairn_node_store *store, const cairn_node_entry *entry)
{
    const uint32_t at_plus_1 = (uint32_t)(entry - store->entries) + 1;
    uint32_t *from = bucket_of(store, entry->robot, entry->node);
    while (*from != at_plus_1) {
        CAIRN_ASSERT(*from != 0);
        from = &store->entries[*from - 1].next_plus_1;
    }
    *from = entry->next_plus_1;
}

cairn_node_entry *cairn_node_store_add(cairn_node_store *store, uint8_t robot, uint32_t node)
{
    cairn_node_entry *entry = cairn_node_store_find(store, robot, node);
    if (entry != NULL) { return entry; }
    const uint32_t at = (uint32_t)(store->added_count % CAIRN_NODES_MAX);
    entry = &store->entries[at];
    if (store->added_count >= CAIRN_NODES_MAX) {
        unlink_entry(store, entry);
        store->node_lost_count++;
    }
    uint32_t *bucket = bucket_of(store, robot, node);
    *entry = (cairn_node_entry){.robot = robot, .node = node, .next_plus_1 = *bucket};
    *bucket = at + 1;
    store->added_count++;
    return entry;
}

static uint32_t record_bytes(uint32_t size_bytes) { return (uint32_t)sizeof(record) + (size_bytes + 7) / 8 * 8; }

static void lose_oldest_map(cairn_node_store *store)
{
    record oldest;
    memcpy(&oldest, store->maps + store->maps_first, sizeof oldest);
    if (oldest.entry_at != NOBODY) {
        cairn_node_entry *entry = &store->entries[oldest.entry_at];
        const bool still_its = entry->kept_bytes != 0 && entry->kept_at == store->maps_first + sizeof oldest;
        if (still_its) {
            entry->kept_bytes = 0;
            store->map_lost_count++;
        }
    }
    const uint32_t bytes = record_bytes(oldest.size_bytes);
    CAIRN_ASSERT(bytes <= store->maps_used);
    store->maps_first = (store->maps_first + bytes) % CAIRN_NODE_MAP_BYTES;
    store->maps_used -= bytes;
}

static uint8_t *write_record(cairn_node_store *store, uint32_t entry_at, uint32_t size_bytes)
{
    const uint32_t bytes = record_bytes(size_bytes);
    while (CAIRN_NODE_MAP_BYTES - store->maps_used < bytes) { lose_oldest_map(store); }
    uint8_t *to = store->maps + store->maps_end;
    const record head = {entry_at, size_bytes};
    memcpy(to, &head, sizeof head);
    store->maps_end = (store->maps_end + bytes) % CAIRN_NODE_MAP_BYTES;
    store->maps_used += bytes;
    return to + sizeof head;
}

void cairn_node_store_keep(cairn_node_store *store, cairn_node_entry *entry, const uint8_t *map, uint32_t size_bytes)
{
    CAIRN_ASSERT(entry->kept_bytes == 0 && size_bytes <= CAIRN_NODE_MAP_BYTES / 2);
    if (size_bytes == 0) { return; }
    const uint32_t left = CAIRN_NODE_MAP_BYTES - store->maps_end;
    if (left < record_bytes(size_bytes)) { (void)write_record(store, NOBODY, left - (uint32_t)sizeof(record)); }
    uint8_t *to = write_record(store, (uint32_t)(entry - store->entries), size_bytes);
    memcpy(to, map, size_bytes);
    entry->kept_at = (uint32_t)(to - store->maps);
    entry->kept_bytes = size_bytes;
}

void cairn_node_store_drop(cairn_node_store *store, cairn_node_entry *entry)
{
    CAIRN_ASSERT(entry >= store->entries && entry < store->entries + CAIRN_NODES_MAX);
    entry->kept_bytes = 0;
}

const uint8_t *cairn_node_store_kept(const cairn_node_store *store, const cairn_node_entry *entry)
{
    return entry->kept_bytes == 0 ? NULL : store->maps + entry->kept_at;
}

uint32_t cairn_node_store_count(const cairn_node_store *store)
{
    return (uint32_t)(store->added_count < CAIRN_NODES_MAX ? store->added_count : CAIRN_NODES_MAX);
}

const cairn_node_entry *cairn_node_store_get(const cairn_node_store *store, uint32_t at)
{
    const uint32_t count = cairn_node_store_count(store);
    CAIRN_ASSERT(at < count);
    return &store->entries[(store->added_count - count + at) % CAIRN_NODES_MAX];
}

static void walk_terrain_head(cairn_archive *archive, cairn_terrain_head *terrain)
{
    cairn_archive_u16(archive, &terrain->cell_mm);
    cairn_archive_u16(archive, &terrain->width);
    cairn_archive_u16(archive, &terrain->height);
    cairn_archive_bool(archive, &terrain->is_upright);
    cairn_archive_i32(archive, &terrain->x_mm);
    cairn_archive_i32(archive, &terrain->y_mm);
    const bool small = (uint32_t)terrain->width * terrain->height <= CAIRN_TERRAIN_CELLS_MAX;
    if (!small || terrain->cell_mm == 0 || terrain->width == 0 || terrain->height == 0) { cairn_archive_fail(archive); }
}

// Field by field: encoding thousands of them takes too long for a hash. Loaded, it must be one that could be encoded.
static void walk_said(cairn_archive *archive, cairn_msg_node *said)
{
    _Static_assert(sizeof *said == 56, "walk every field of the message");
    cairn_archive_u8(archive, &said->robot, UINT8_MAX);
    cairn_archive_u32(archive, &said->node);
    cairn_archive_i64(archive, &said->mono_ns);
    cairn_archive_i8(archive, &said->floor);
    cairn_archive_i32(archive, &said->x_mm);
    cairn_archive_i32(archive, &said->y_mm);
    cairn_archive_i32(archive, &said->yaw_urad);
    cairn_archive_i32(archive, &said->edge_x_um);
    cairn_archive_i32(archive, &said->edge_y_um);
    cairn_archive_i32(archive, &said->edge_yaw_urad);
    cairn_archive_u32(archive, &said->edge_xy_um_dev);
    cairn_archive_u32(archive, &said->edge_yaw_urad_dev);
    cairn_archive_u16(archive, &said->stretch);
    if (!cairn_archive_loads(archive)) { return; }
    const cairn_radio_message message = {.id = CAIRN_MSG_NODE, .node = *said};
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    if (cairn_radio_encode(&message, bytes, sizeof bytes, &size_bytes) != CAIRN_OK) { cairn_archive_fail(archive); }
}

static void walk_entry(cairn_archive *archive, cairn_node_entry *entry)
{
    cairn_archive_u8(archive, &entry->robot, UINT8_MAX);
    cairn_archive_u32(archive, &entry->node);
    cairn_archive_bool(archive, &entry->has_pose);
    cairn_archive_bool(archive, &entry->has_map);
    cairn_archive_bool(archive, &entry->voted);
    if (entry->has_pose) {
        walk_said(archive, &entry->said);
        cairn_archive_u8(archive, &entry->era, CAIRN_RASTER_ERA_MAX);
        cairn_archive_pose(archive, &entry->map_T_node);
        cairn_archive_u32(archive, &entry->place);
    }
    if (entry->has_map) {
        walk_terrain_head(archive, &entry->terrain);
        cairn_archive_count(archive, &entry->kept_bytes, CAIRN_NODE_MAP_BYTES / 2);
        cairn_archive_count(archive, &entry->kept_at, CAIRN_NODE_MAP_BYTES - 1);
    }
}

static void walk_entries(cairn_archive *archive, cairn_node_store *store)
{
    cairn_archive_u64(archive, &store->added_count);
    if (store->added_count > INT64_MAX) {
        cairn_archive_fail(archive);
        store->added_count = 0;
    }
    const uint32_t count = cairn_node_store_count(store);
    for (uint64_t number = store->added_count - count; number < store->added_count; number++) {
        const uint32_t at = (uint32_t)(number % CAIRN_NODES_MAX);
        cairn_node_entry *entry = &store->entries[at];
        walk_entry(archive, entry);
        if (!cairn_archive_loads(archive)) { continue; }
        if (cairn_node_store_find(store, entry->robot, entry->node) != NULL) { cairn_archive_fail(archive); }
        if (archive->err != CAIRN_OK) { return; }
        uint32_t *bucket = bucket_of(store, entry->robot, entry->node);
        entry->next_plus_1 = *bucket;
        *bucket = at + 1;
    }
}

// One record of a map at its place in the ring. Returns how long it is; 0 when it cannot be there.
static uint32_t walk_record(cairn_archive *archive, cairn_node_store *store, uint32_t at, uint32_t left)
{
    record head;
    memcpy(&head, store->maps + at, sizeof head);
    cairn_archive_u32(archive, &head.entry_at);
    cairn_archive_count(archive, &head.size_bytes, CAIRN_NODE_MAP_BYTES);
    const uint32_t bytes = record_bytes(head.size_bytes);
    const bool fits = bytes <= left && bytes <= CAIRN_NODE_MAP_BYTES - at;
    if (!fits || (head.entry_at >= CAIRN_NODES_MAX && head.entry_at != NOBODY) || archive->err == CAIRN_ERR_CORRUPT) {
        cairn_archive_fail(archive);
        return 0;
    }
    if (cairn_archive_loads(archive)) { memcpy(store->maps + at, &head, sizeof head); }
    if (head.entry_at != NOBODY) { cairn_archive_bytes(archive, store->maps + at + sizeof head, head.size_bytes); }
    return bytes;
}

// Whether the record at this place is the map of the entry that it names.
static bool is_in_use(const cairn_node_store *store, uint32_t at)
{
    record head;
    memcpy(&head, store->maps + at, sizeof head);
    if (head.entry_at == NOBODY) { return false; }
    const cairn_node_entry *entry = &store->entries[head.entry_at];
    return entry->kept_bytes != 0 && entry->kept_bytes == head.size_bytes && entry->kept_at == at + sizeof head;
}

static void walk_maps(cairn_archive *archive, cairn_node_store *store)
{
    cairn_archive_count(archive, &store->maps_first, CAIRN_NODE_MAP_BYTES - 8);
    cairn_archive_count(archive, &store->maps_used, CAIRN_NODE_MAP_BYTES);
    if (store->maps_first % 8 != 0 || store->maps_used % 8 != 0) { cairn_archive_fail(archive); }
    uint32_t at = store->maps_first, in_use_count = 0;
    for (uint32_t left = store->maps_used; left > 0 && archive->err != CAIRN_ERR_CORRUPT;) {
        const uint32_t bytes = walk_record(archive, store, at, left);
        in_use_count += bytes > 0 && is_in_use(store, at);
        at = (at + bytes) % CAIRN_NODE_MAP_BYTES;
        left -= bytes;
    }
    if (!cairn_archive_loads(archive)) { return; }
    store->maps_end = at;
    for (uint32_t i = 0; i < cairn_node_store_count(store); i++) {
        in_use_count -= cairn_node_store_get(store, i)->kept_bytes != 0;
    }
    if (in_use_count != 0) { cairn_archive_fail(archive); }
}

void cairn_node_store_walk(cairn_archive *archive, cairn_node_store *store)
{
    walk_entries(archive, store);
    cairn_archive_u32(archive, &store->node_lost_count);
    cairn_archive_u32(archive, &store->map_lost_count);
    walk_maps(archive, store);
}
