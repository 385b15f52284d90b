// page_next.c - the next message for a client, from the copy and what the client has had.
//
// A state is a walk over all things that can change: the team, each robot, each victim, the events, each trail. A walk
// that has written enough stops, and the next message goes on from there, so that no kind of news can hold up another;
// states and tiles of the map take turns for the same reason. Each client alone decides how fast it is told.
#include "robot/guard_names.h"
#include "station/page/page_parts.h"
#include <string.h>

#define ENOUGH_BYTES (16u << 10) // a slow link should not carry one kind of news for long
#define TILES_PER_MESSAGE 63     // about as much
#define TILE_HEADER_BYTES 4
#define TILE_PLACE_BYTES 4
#define EVENTS_AT_FIRST 200
#define TRAIL_POINTS_PER_STEP 128
// So long without a state, and one is sent that says only the time: a page that has an old one may not drive.
#define QUIET_NS CAIRN_MS(250)

static void begin(cairn_json *json, const cairn_page *page, const char *type)
{
    cairn_json_raw(json, "{\"type\":\"");
    cairn_json_raw(json, type);
    cairn_json_raw(json, "\",\"t\":");
    cairn_page_seconds(json, page->now);
}

static void put_named(cairn_json *json, const char *key, double value)
{
    cairn_json_raw(json, key);
    cairn_page_number(json, value, 3);
}

static void put_item(cairn_json *json, const cairn_page_item *item)
{
    CAIRN_ASSERT(json->max - json->used >= item->size_bytes);
    memcpy(json->text + json->used, item->text, item->size_bytes);
    json->used += item->size_bytes;
}

static void put_map(cairn_json *json, const cairn_raster_def *raster)
{
    put_named(json, ",\"map\":{\"x0\":", raster->origin_m.x);
    put_named(json, ",\"y0\":", raster->origin_m.y);
    put_named(json, ",\"cell\":", raster->cell_m);
    put_named(json, ",\"width\":", raster->width);
    put_named(json, ",\"height\":", raster->height);
    put_named(json, ",\"tile\":", CAIRN_PAGE_TILE);
    cairn_json_raw(json, "}");
}

static void put_hello(cairn_json *json, const cairn_page *page)
{
    begin(json, page, "hello");
    put_named(json, ",\"version\":", CAIRN_PAGE_VERSION);
    cairn_json_raw(json, ",\"mission\":");
    cairn_json_string(json, page->def.mission, strlen(page->def.mission));
    put_map(json, &page->def.raster);
    cairn_json_raw(json, ",\"modes\":[");
    for (uint32_t mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        if (mode > 0) { cairn_json_raw(json, ","); }
        cairn_json_string(json, cairn_mode_names[mode], strlen(cairn_mode_names[mode]));
    }
    cairn_page_guards(json, "],\"overridable\":", CAIRN_GUARDS_OVERRIDABLE);
    put_named(json, ",\"override_s\":", CAIRN_OVERRIDE_S_MAX);
    cairn_json_raw(json, ",\"robots\":[");
    put_item(json, &page->hello);
    cairn_json_raw(json, "]}");
}

// The things of a state. Each teller writes one piece of news about the thing with this index, or nothing.

static bool tell_item(const cairn_page_item *item, uint32_t *told, cairn_json *json)
{
    if (item->version == *told) { return false; }
    put_item(json, item);
    *told = item->version;
    return true;
}

static bool tell_team(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    (void)index;
    return tell_item(&page->team, &cursor->team, json);
}

static bool tell_areas(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    (void)index;
    return tell_item(&page->areas, &cursor->areas, json);
}

static bool tell_robot(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    return tell_item(&page->robots[index], &cursor->robots[index], json);
}

static bool tell_victim(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    return tell_item(&page->victims[index], &cursor->victims[index], json);
}

static bool tell_event(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    (void)index;
    const uint64_t kept = cursor->event == 0 ? EVENTS_AT_FIRST : CAIRN_EVENTS_MAX, count = page->events.count;
    if (count > kept && cursor->event < count - kept) { cursor->event = count - kept; }
    while (cursor->event < count) {
        const cairn_event *event = cairn_events_get(&page->events, ++cursor->event);
        if (event == NULL) { continue; }
        cairn_page_event(json, event);
        return true;
    }
    return false;
}

static bool tell_trail(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json)
{
    const cairn_page_trail *trail = &page->trails[index];
    cairn_page_trail_cursor *told = &cursor->trails[index];
    if (told->change_count != trail->change_count) {
        const uint32_t same_count = trail->change_count - told->change_count == 1 ? trail->changed_from : 0;
        if (told->point_count > same_count) { told->point_count = same_count; }
        told->change_count = trail->change_count;
    }
    if (told->point_count == trail->count) { return false; }
    const uint32_t left = trail->count - told->point_count;
    const uint32_t count = left < TRAIL_POINTS_PER_STEP ? left : TRAIL_POINTS_PER_STEP;
    put_named(json, "{\"id\":", trail->robot);
    put_named(json, ",\"from\":", told->point_count);
    cairn_json_raw(json, ",\"points\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) { cairn_json_raw(json, ","); }
        cairn_page_point(json, trail->points[told->point_count++].at_m);
    }
    cairn_json_raw(json, "]}");
    return true;
}

static const struct section {
    const char *begin, *end; // around what is told
    uint32_t count;          // of things
    bool (*tell)(const cairn_page *page, cairn_page_cursor *cursor, uint32_t index, cairn_json *json);
} sections[] = {
    {",", "", 1, tell_team},
    {",\"areas\":", "", 1, tell_areas},
    {",\"robots\":[", "]", CAIRN_FLEET_MAX, tell_robot},
    {",\"victims\":[", "]", CAIRN_VICTIMS_MAX, tell_victim},
    {",\"events\":[", "]", 1, tell_event},
    {",\"trails\":[", "]", CAIRN_FLEET_MAX, tell_trail},
};
#define SECTION_COUNT (sizeof sections / sizeof *sections)

// Tells all about the things of a section from `first` on. Returns the index of the thing at which enough was written,
// or the section's count.
static uint32_t tell_section(const struct section *section, const cairn_page *page, cairn_page_cursor *cursor,
                             uint32_t first, cairn_json *json)
{
    bool any = false;
    uint32_t index = first;
    while (index < section->count && json->used < ENOUGH_BYTES) {
        const size_t before = json->used;
        cairn_json_raw(json, any ? "," : section->begin);
        if (section->tell(page, cursor, index, json)) {
            any = true;
        } else {
            json->used = before;
            index++;
        }
    }
    if (any) { cairn_json_raw(json, section->end); }
    return index;
}

// From where the last walk stopped to the end.
static void walk(const cairn_page *page, cairn_page_cursor *cursor, cairn_json *json)
{
    uint32_t start = 0, at = cursor->at;
    for (uint32_t i = 0; i < SECTION_COUNT; start += sections[i++].count) {
        if (at >= start + sections[i].count) { continue; }
        at = start + tell_section(&sections[i], page, cursor, at - start, json);
        if (at < start + sections[i].count) {
            cursor->at = at;
            return;
        }
    }
    cursor->at = 0;
}

// Whether there was something to tell.
static bool put_state(cairn_json *json, const cairn_page *page, cairn_page_cursor *cursor)
{
    begin(json, page, "state");
    const size_t bare_bytes = json->used;
    const bool goes_on = cursor->at > 0;
    walk(page, cursor, json);
    if (goes_on && json->used == bare_bytes) { walk(page, cursor, json); }
    cairn_json_raw(json, "}");
    if (json->used == bare_bytes + 1 && cairn_mono_since(page->now, cursor->told) < QUIET_NS) { return false; }
    cursor->told = page->now;
    return true;
}

static uint8_t *put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put_tile(uint8_t *at, const cairn_page *page, uint32_t index)
{
    at = put_u16(at, index % page->tile_columns);
    at = put_u16(at, index / page->tile_columns);
    memcpy(at, page->tiles[index].cells, CAIRN_PAGE_TILE_BYTES);
    return at + CAIRN_PAGE_TILE_BYTES;
}

// Goes on with the round; returns the number of tiles written behind the header.
static uint32_t put_round(uint8_t *bytes, const cairn_page *page, cairn_page_cursor *cursor)
{
    const uint32_t tile_count = page->tile_columns * page->tile_rows;
    uint8_t *at = bytes + TILE_HEADER_BYTES;
    uint32_t count = 0;
    if (cursor->tile_at == 0) { cursor->tile_round = page->tile_version; }
    for (; cursor->tile_at < tile_count && count < TILES_PER_MESSAGE; cursor->tile_at++) {
        if (page->tiles[cursor->tile_at].version <= cursor->tile_version) { continue; }
        at = put_tile(at, page, cursor->tile_at);
        count++;
    }
    if (cursor->tile_at == tile_count) {
        cursor->tile_version = cursor->tile_round;
        cursor->tile_at = 0;
    }
    return count;
}

// Size of the message; 0: the client has the whole map.
static size_t put_tiles(uint8_t *bytes, const cairn_page *page, cairn_page_cursor *cursor)
{
    uint32_t count = 0;
    while (count == 0 && (cursor->tile_at > 0 || cursor->tile_version != page->tile_version)) {
        count = put_round(bytes, page, cursor);
    }
    if (count == 0) { return 0; }
    bytes[0] = 1;
    bytes[1] = 0;
    (void)put_u16(bytes + 2, count);
    return TILE_HEADER_BYTES + count * (TILE_PLACE_BYTES + CAIRN_PAGE_TILE_BYTES);
}

// Size of the message; 0: nothing to tell.
static size_t put_words(uint8_t *bytes, const cairn_page *page, cairn_page_cursor *cursor)
{
    cairn_json json = {.text = (char *)bytes, .max = CAIRN_PAGE_BYTES_MAX};
    bool told = true;
    if (cursor->greeted) {
        told = put_state(&json, page, cursor);
    } else {
        put_hello(&json, page);
        cursor->greeted = true;
        cursor->told = page->now;
    }
    CAIRN_ASSERT(!json.full);
    return told ? json.used : 0;
}

// Words and tiles take turns: who had the last message is asked second.
static size_t put_next(uint8_t *bytes, const cairn_page *page, cairn_page_cursor *cursor, bool *ret_is_binary)
{
    for (int turn = 0; turn < 2; turn++) {
        const bool tiles = cursor->tiles_next == (turn == 0);
        const size_t size = tiles ? put_tiles(bytes, page, cursor) : put_words(bytes, page, cursor);
        if (size == 0) { continue; }
        cursor->tiles_next = !tiles;
        *ret_is_binary = tiles;
        return size;
    }
    return 0;
}

cairn_err cairn_page_next(cairn_page *page, cairn_page_cursor *cursor, uint8_t *ret_bytes, size_t size_bytes_max,
                          size_t *ret_size_bytes, bool *ret_is_binary)
{
    CAIRN_ASSERT(ret_bytes != NULL && size_bytes_max >= CAIRN_PAGE_BYTES_MAX);
    cairn_lock_take(&page->lock);
    const size_t size = page->updated ? put_next(ret_bytes, page, cursor, ret_is_binary) : 0;
    cairn_lock_give(&page->lock);
    if (size == 0) { return CAIRN_ERR_EMPTY; }
    *ret_size_bytes = size;
    return CAIRN_OK;
}
