// salvage_io.c - see salvage_io.h.
//
// Our rows are cells of leaf pages of table trees: size and key as varints, then the payload, of which the end may lie
// on a chain of overflow pages. The payload of each of our tables begins with the types of its columns: none for the
// key, whole numbers, and bytes last.
//
// Bounds   Cells of one page may not overlap, so that a page made by a rogue costs no more than an honest one.
// Source   The SQLite file format, https://sqlite.org/fileformat2.html, sections 1.6 and 2.1.
#include "station/store/salvage_io.h"
#include "station/store/pages_io.h"
#include "station/store/store_io.h"
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = CAIRN_DATABASE_PAGE_BYTES,
    LEAF = 0x0d,           // first byte of a leaf page of a table
    LEAF_HEAD = 8,         // its header, before the places of its cells
    LOCAL_MAX = PAGE - 35, // of a payload, if it has no overflow
    LOCAL_MIN = (PAGE - 12) * 32 / 255 - 23,
    CHAINED = PAGE - 4, // of a payload, on each overflow page
    NUMBERS_MAX = 3,
    HEAD_BYTES_MAX = 64 // of a payload: types and numbers
};

// A row as it is found: the key, whole numbers, and bytes.
typedef struct row {
    uint64_t key;
    int64_t numbers[NUMBERS_MAX]; // the last is the hash
    int number_count;
    size_t bytes_at; // in the payload
    size_t size;
} row;

typedef struct search {
    cairn_pages pages;
    cairn_database *db;
    cairn_salvage *salvage;
    uint8_t page[PAGE];
    uint8_t *payload; // of the row at hand
    size_t payload_room;
    uint8_t *setup;
    size_t setup_bytes;
    bool rows_wanted; // first the setup is looked for, then the rows that go with it
} search;

static uint32_t read_u16(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }
static uint32_t read_u32(const uint8_t *bytes) { return read_u16(bytes) << 16 | read_u16(bytes + 2); }

// SQLite's varint: seven bits a byte, the ninth has eight. False if it runs over the end.
static bool read_varint(const uint8_t *bytes, size_t end, size_t *at, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (int i = 0; i < 9 && *at < end; i++) {
        const uint8_t byte = bytes[(*at)++];
        if (i == 8) {
            *ret_value = value << 8 | byte;
            return true;
        }
        value = value << 7 | (byte & 0x7f);
        if ((byte & 0x80) == 0) {
            *ret_value = value;
            return true;
        }
    }
    return false;
}

// Bytes that a whole number of this type takes; -1 if it is not one.
static int number_bytes(uint64_t type)
{
    static const int sizes[] = {-1, 1, 2, 3, 4, 6, 8, -1, 0, 0};
    return type < sizeof sizes / sizeof *sizes ? sizes[type] : -1;
}

static int64_t read_number(const uint8_t *bytes, uint64_t type, int size)
{
    if (size == 0) { return type == 9; }
    uint64_t value = (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (int i = 0; i < size; i++) { value = value << 8 | bytes[i]; }
    return (int64_t)value;
}

// Whether a payload of this size begins as our rows do.
static bool read_head(const uint8_t *payload, size_t here, uint64_t payload_bytes, row *ret_row)
{
    uint64_t types[NUMBERS_MAX + 2], head_bytes;
    size_t at = 0;
    int count = 0;
    if (!read_varint(payload, here, &at, &head_bytes) || head_bytes > here) { return false; }
    while (at < head_bytes) {
        if (count == NUMBERS_MAX + 2 || !read_varint(payload, (size_t)head_bytes, &at, &types[count++])) {
            return false;
        }
    }
    if (count < 3 || types[0] != 0 || types[count - 1] < 12 || types[count - 1] % 2 != 0) { return false; }
    ret_row->number_count = count - 2;
    for (int i = 0; i < ret_row->number_count; i++) {
        const int size = number_bytes(types[i + 1]);
        if (size < 0 || at + (size_t)size > here) { return false; }
        ret_row->numbers[i] = read_number(payload + at, types[i + 1], size);
        at += (size_t)size;
    }
    ret_row->bytes_at = at;
    ret_row->size = (size_t)((types[count - 1] - 12) / 2);
    return at + ret_row->size == payload_bytes;
}

static size_t local_bytes(uint64_t payload_bytes)
{
    if (payload_bytes <= LOCAL_MAX) { return (size_t)payload_bytes; }
    const uint64_t part = LOCAL_MIN + (payload_bytes - LOCAL_MIN) % CHAINED;
    return part <= LOCAL_MAX ? (size_t)part : LOCAL_MIN;
}

static bool make_room(search *in, uint64_t size)
{
    if (size <= in->payload_room) { return true; }
    uint8_t *const grown = realloc(in->payload, (size_t)size);
    if (grown == NULL) { return false; }
    in->payload = grown;
    in->payload_room = (size_t)size;
    return true;
}

// The rest of the payload from its overflow pages.
static bool read_chain(search *in, size_t have, size_t size, uint32_t page)
{
    uint8_t bytes[PAGE];
    while (have < size) {
        if (!cairn_pages_read(&in->pages, page, bytes)) { return false; }
        const size_t part = size - have < CHAINED ? size - have : CHAINED;
        memcpy(in->payload + have, bytes + 4, part);
        have += part;
        page = read_u32(bytes);
    }
    return true;
}

static bool take_setup(search *in, const row *found)
{
    const uint8_t *const bytes = in->payload + found->bytes_at;
    if (in->setup != NULL || found->size < 1 || found->size > CAIRN_STORE_SETUP_BYTES_MAX) { return true; }
    if ((uint64_t)found->numbers[0] != cairn_store_setup_hash(bytes, found->size)) { return true; }
    in->setup = malloc(found->size);
    if (in->setup == NULL) { return false; }
    memcpy(in->setup, bytes, found->size);
    in->setup_bytes = found->size;
    return true;
}

// A row that is there already was found in an older image of its page.
static int ignore_doubles(int result) { return (result & 0xff) == SQLITE_CONSTRAINT ? SQLITE_OK : result; }

static int take_row(search *in, const row *found)
{
    const uint8_t *const bytes = in->payload + found->bytes_at;
    const uint64_t hash = (uint64_t)found->numbers[2];
    const cairn_store_batch batch = {.first = found->key,
                                     .last = (uint64_t)found->numbers[0],
                                     .missing = (uint64_t)found->numbers[1],
                                     .bytes = bytes,
                                     .size = found->size,
                                     .hash = hash};
    if (cairn_store_batch_is_sound(in->db->setup_hash, &batch)) {
        return ignore_doubles(cairn_database_add_batch(in->db, &batch));
    }
    const cairn_store_packed packed = {.ticket = found->key,
                                       .layout = (uint32_t)found->numbers[0],
                                       .plain_bytes = (uint64_t)found->numbers[1],
                                       .bytes = bytes,
                                       .size = found->size,
                                       .hash = hash};
    if (!cairn_store_packed_is_sound(in->db->setup_hash, &packed)) { return SQLITE_OK; }
    const int result = cairn_database_add_packed(in->db, &packed);
    return result == SQLITE_OK ? cairn_database_keep_snapshots(in->db, CAIRN_STORE_SNAPSHOTS_KEPT)
                               : ignore_doubles(result);
}

// The cell at this place of the page; *left is how much of the page other cells have left.
static int take_cell(search *in, size_t at, size_t *left)
{
    const size_t start = at;
    uint64_t payload_bytes;
    row found = {0};
    if (!read_varint(in->page, PAGE, &at, &payload_bytes) || !read_varint(in->page, PAGE, &at, &found.key)) {
        return SQLITE_OK;
    }
    const size_t local = local_bytes(payload_bytes);
    const size_t used = at - start + local + (local < payload_bytes ? 4 : 0);
    if (used > *left || start + used > PAGE) { return SQLITE_OK; }
    *left -= used;
    const uint64_t pages_bytes = (uint64_t)cairn_pages_image_count(&in->pages) * PAGE;
    if (payload_bytes > pages_bytes || !read_head(in->page + at, local, payload_bytes, &found)) { return SQLITE_OK; }
    if (found.number_count != (in->rows_wanted ? 3 : 1)) { return SQLITE_OK; }
    if (!make_room(in, payload_bytes)) { return SQLITE_NOMEM; }
    memcpy(in->payload, in->page + at, local);
    if (local < payload_bytes && !read_chain(in, local, (size_t)payload_bytes, read_u32(in->page + at + local))) {
        return SQLITE_OK;
    }
    if (in->rows_wanted) { return take_row(in, &found); }
    return take_setup(in, &found) ? SQLITE_OK : SQLITE_NOMEM;
}

static int take_page(search *in)
{
    if (in->page[0] != LEAF) { return SQLITE_OK; }
    const size_t count = read_u16(in->page + 3);
    size_t left = PAGE - LEAF_HEAD;
    int result = SQLITE_OK;
    for (size_t i = 0; i < count && LEAF_HEAD + 2 * i + 2 <= PAGE && result == SQLITE_OK; i++) {
        const size_t at = read_u16(in->page + LEAF_HEAD + 2 * i);
        if (at < PAGE) { result = take_cell(in, at, &left); }
    }
    return result;
}

static int take_pages(search *in)
{
    int result = SQLITE_OK;
    uint32_t page;
    for (uint32_t i = 0; i < cairn_pages_image_count(&in->pages) && result == SQLITE_OK; i++) {
        if (cairn_pages_read_image(&in->pages, i, in->page, &page)) { result = take_page(in); }
    }
    return result;
}

// Where tickets are missing.
typedef struct gap {
    uint64_t first, last;
} gap;

typedef struct gaps {
    gap *each;
    size_t count, room;
    cairn_salvage *salvage;
} gaps;

static int note_gap(gaps *all, uint64_t first, uint64_t last)
{
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 16 : 2 * all->room;
        gap *const grown = realloc(all->each, room * sizeof *grown);
        if (grown == NULL) { return SQLITE_NOMEM; }
        all->each = grown;
        all->room = room;
    }
    all->each[all->count++] = (gap){first, last};
    cairn_salvage *const salvage = all->salvage;
    if (salvage->lost_count == 0) {
        salvage->lost_first = first;
        salvage->lost_last = last;
    }
    salvage->lost_count += last - first + 1;
    return SQLITE_OK;
}

// Sound batches cannot overlap, unless somebody made them so.
static int walk_batch(void *context, const cairn_store_batch *batch)
{
    gaps *const all = context;
    cairn_salvage *const salvage = all->salvage;
    if (batch->first <= salvage->last) { return SQLITE_CORRUPT; }
    const int result =
        batch->first == salvage->last + 1 ? SQLITE_OK : note_gap(all, salvage->last + 1, batch->first - 1);
    if (batch->size > 0) { salvage->record_count += batch->last - batch->first + 1; }
    salvage->last = batch->last;
    return result;
}

// A snapshot is good even where the batches up to it are not there.
static int walk_packed(void *context, const cairn_store_packed *packed)
{
    gaps *const all = context;
    cairn_salvage *const salvage = all->salvage;
    salvage->snapshot_count++;
    if (packed->ticket <= salvage->last) { return SQLITE_OK; }
    const int result = note_gap(all, salvage->last + 1, packed->ticket);
    salvage->last = packed->ticket;
    return result;
}

static int put_gaps(cairn_database *db, cairn_salvage *salvage)
{
    gaps all = {.salvage = salvage};
    int result = cairn_database_each_batch(db, 0, walk_batch, &all);
    if (result == SQLITE_OK) { result = cairn_database_each_packed(db, walk_packed, &all); }
    for (size_t i = 0; i < all.count && result == SQLITE_OK; i++) {
        const gap *const at = &all.each[i];
        result = cairn_database_add_batch(
            db, &(cairn_store_batch){.first = at->first, .last = at->last, .missing = at->last - at->first + 1});
    }
    free(all.each);
    return result;
}

static int copy_setup(search *in, const uint8_t *setup, size_t size)
{
    in->setup = malloc(size);
    if (in->setup == NULL) { return SQLITE_NOMEM; }
    memcpy(in->setup, setup, size);
    in->setup_bytes = size;
    return SQLITE_OK;
}

static int fill(search *in, const uint8_t *fallback_setup, size_t fallback_bytes)
{
    int result = take_pages(in);
    if (result != SQLITE_OK) { return result; }
    in->salvage->has_setup = in->setup != NULL;
    if (in->setup == NULL && fallback_setup != NULL) { result = copy_setup(in, fallback_setup, fallback_bytes); }
    if (result != SQLITE_OK || in->setup == NULL) { return result; }
    result =
        cairn_database_migrate(in->db, "", cairn_database_steps, 0, CAIRN_STORE_VERSION, in->setup, in->setup_bytes);
    if (result == SQLITE_OK) { result = cairn_database_do(in->db, "BEGIN IMMEDIATE"); }
    in->rows_wanted = true;
    if (result == SQLITE_OK) { result = take_pages(in); }
    if (result == SQLITE_OK) { result = put_gaps(in->db, in->salvage); }
    if (result == SQLITE_OK) { result = cairn_database_do(in->db, "COMMIT"); }
    if (result != SQLITE_OK) { cairn_database_roll_back(in->db); }
    return result;
}

int cairn_salvage_read(const char *path, const uint8_t *fallback_setup, size_t fallback_bytes, cairn_database *db,
                       cairn_salvage *ret_salvage)
{
    search *const in = calloc(1, sizeof *in);
    if (in == NULL) { return SQLITE_NOMEM; }
    *ret_salvage = (cairn_salvage){0};
    in->db = db;
    in->salvage = ret_salvage;
    const cairn_err err = cairn_pages_open(&in->pages, path);
    int result = err == CAIRN_OK ? SQLITE_OK : err == CAIRN_ERR_FULL ? SQLITE_NOMEM : SQLITE_CANTOPEN;
    if (result == SQLITE_OK) {
        result = fill(in, fallback_setup, fallback_bytes);
        cairn_pages_close(&in->pages);
    }
    free(in->payload);
    free(in->setup);
    free(in);
    return result;
}
