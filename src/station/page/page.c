// page.c - the copy of the station's state that pages are told from.
//
// What is new is worked out without the lock, from what only this thread writes; the lock is held only to copy in what
// has changed, one thing at a time. Two things in a message may therefore come from two updates; each is whole.
#include "station/page/page_parts.h"
#include <string.h>

// [m] Closer points draw rounder corners and fill the trail sooner.
#define TRAIL_SPACING_M 0.25
// [m] Points that moved by less with the map are not told again: each solve moves all a little.
#define TRAIL_STANDS_M 0.05
#define HELLO_BYTES (24u << 10)

static bool take_item(cairn_page_item *item, cairn_arena *arena, uint32_t size_bytes_max)
{
    item->size_bytes_max = size_bytes_max;
    item->text = CAIRN_TAKE(arena, char, size_bytes_max);
    return item->text != NULL;
}

static bool take_all(cairn_page *page, cairn_arena *arena)
{
    bool taken = take_item(&page->hello, arena, HELLO_BYTES) && take_item(&page->team, arena, CAIRN_PAGE_TEAM_BYTES);
    taken = taken && take_item(&page->areas, arena, CAIRN_PAGE_AREAS_BYTES);
    for (uint32_t i = 0; taken && i < page->def.robot_count; i++) {
        taken = take_item(&page->robots[i], arena, CAIRN_PAGE_ROBOT_BYTES);
    }
    for (uint32_t i = 0; taken && i < CAIRN_VICTIMS_MAX; i++) {
        taken = take_item(&page->victims[i], arena, CAIRN_PAGE_VICTIM_BYTES);
    }
    page->trails = taken ? CAIRN_TAKE(arena, cairn_page_trail, CAIRN_FLEET_MAX) : NULL;
    page->tiles = taken ? CAIRN_TAKE(arena, cairn_page_tile, (size_t)page->tile_columns * page->tile_rows) : NULL;
    return page->trails != NULL && page->tiles != NULL;
}

cairn_err cairn_page_create(const cairn_page_def *def, cairn_arena *arena, cairn_page **ret_page)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_FLEET_MAX && def->raster.width > 0 && def->raster.height > 0);
    CAIRN_ASSERT(def->raster.width <= UINT16_MAX && def->raster.height <= UINT16_MAX);
    const size_t mark = cairn_arena_mark(arena);
    cairn_page *page = CAIRN_TAKE(arena, cairn_page, 1);
    if (page == NULL) { return CAIRN_ERR_FULL; }
    page->def = *def;
    page->tile_columns = (def->raster.width + CAIRN_PAGE_TILE - 1) / CAIRN_PAGE_TILE;
    page->tile_rows = (def->raster.height + CAIRN_PAGE_TILE - 1) / CAIRN_PAGE_TILE;
    page->x_min = page->y_min = UINT32_MAX;
    if (!take_all(page, arena) || cairn_lock_init(&page->lock) != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *ret_page = page;
    return CAIRN_OK;
}

void cairn_page_finish(cairn_page *page)
{
    if (page == NULL) { return; }
    cairn_lock_finish(&page->lock);
}

static void publish(cairn_page *page, cairn_page_item *item, const cairn_json *json)
{
    CAIRN_ASSERT(!json->full && json->used <= item->size_bytes_max);
    if (json->used == item->size_bytes && memcmp(json->text, item->text, json->used) == 0) { return; }
    cairn_lock_take(&page->lock);
    memcpy(item->text, json->text, json->used);
    item->size_bytes = (uint32_t)json->used;
    item->version++;
    cairn_lock_give(&page->lock);
}

// The map: two bits a cell, four cells a byte.

// Eight cells at once, one a byte, the first lowest: ground, and bit 1 as well where free ground has been looked at.
static uint16_t pack_eight(const uint8_t *ground, const uint8_t *searched)
{
    _Static_assert(CAIRN_GROUND_FREE == 1 && CAIRN_GROUND_OBSTACLE == 2, "the codes of docs/page.md");
    _Static_assert(CAIRN_SEARCHED_THERMAL == 1, "the lowest bit");
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first cell is the lowest byte");
    uint64_t cells, looked;
    memcpy(&cells, ground, sizeof cells);
    memcpy(&looked, searched, sizeof looked);
    cells |= (cells & looked & 0x0101010101010101u) << 1;
    cells = (cells | cells >> 6) & 0x000f000f000f000fu;
    cells = (cells | cells >> 12) & 0x000000ff000000ffu;
    return (uint16_t)(cells | cells >> 24);
}

static void pack_row(const uint8_t *ground, const uint8_t *searched, uint8_t *ret_cells)
{
    for (uint32_t i = 0; i < CAIRN_PAGE_TILE; i += 8) {
        const uint16_t eight = pack_eight(ground + i, searched + i);
        memcpy(ret_cells + i / 4, &eight, sizeof eight);
    }
}

// A row that the map's edge cuts off: nothing is known beyond.
static void pack_short_row(const uint8_t *ground, const uint8_t *searched, uint32_t count, uint8_t *ret_cells)
{
    uint8_t whole_ground[CAIRN_PAGE_TILE] = {0}, whole_searched[CAIRN_PAGE_TILE] = {0};
    memcpy(whole_ground, ground, count);
    memcpy(whole_searched, searched, count);
    pack_row(whole_ground, whole_searched, ret_cells);
}

static void pack_tile(const cairn_atlas *atlas, uint32_t column, uint32_t row, uint8_t *ret_cells)
{
    const cairn_raster_def *def = &atlas->raster->def;
    const uint32_t x0 = column * CAIRN_PAGE_TILE, y0 = row * CAIRN_PAGE_TILE;
    memset(ret_cells, 0, CAIRN_PAGE_TILE_BYTES);
    for (uint32_t y = y0; y < y0 + CAIRN_PAGE_TILE && y < def->height; y++, ret_cells += CAIRN_PAGE_TILE / 4) {
        const uint8_t *ground = atlas->raster->ground + (size_t)y * def->width + x0;
        const uint8_t *searched = atlas->searched + (size_t)y * def->width + x0;
        if (def->width - x0 >= CAIRN_PAGE_TILE) {
            pack_row(ground, searched, ret_cells);
        } else {
            pack_short_row(ground, searched, def->width - x0, ret_cells);
        }
    }
}

// Known and searched cells of a tile.
static void count_cells(const uint8_t *cells, uint32_t *known_count, uint32_t *searched_count)
{
    const uint64_t low_bits = 0x5555555555555555u;
    for (uint32_t i = 0; i < CAIRN_PAGE_TILE_BYTES; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, cells + i, sizeof word);
        *known_count += (uint32_t)__builtin_popcountll((word | word >> 1) & low_bits);
        *searched_count += (uint32_t)__builtin_popcountll(word & word >> 1 & low_bits);
    }
}

static bool update_tile(cairn_page *page, cairn_page_tile *tile, const uint8_t *cells)
{
    if (memcmp(cells, tile->cells, CAIRN_PAGE_TILE_BYTES) == 0) { return false; }
    cairn_lock_take(&page->lock);
    memcpy(tile->cells, cells, CAIRN_PAGE_TILE_BYTES);
    tile->version = page->tile_version + 1; // which becomes the map's when all its tiles are there
    cairn_lock_give(&page->lock);
    return true;
}

// Whether anything was ever known. A map that forgets keeps its bounds here, so that the forgetting is told too.
static bool grow_bounds(cairn_page *page, const cairn_raster *raster)
{
    if (raster->x_min <= raster->x_max && raster->y_min <= raster->y_max) {
        CAIRN_ASSERT(raster->x_max < page->def.raster.width && raster->y_max < page->def.raster.height);
        if (raster->x_min < page->x_min) { page->x_min = raster->x_min; }
        if (raster->y_min < page->y_min) { page->y_min = raster->y_min; }
        if (raster->x_max > page->x_max) { page->x_max = raster->x_max; }
        if (raster->y_max > page->y_max) { page->y_max = raster->y_max; }
    }
    return page->x_min <= page->x_max && page->y_min <= page->y_max;
}

static cairn_page_ground update_tiles(cairn_page *page, const cairn_atlas *atlas)
{
    const cairn_raster_def *def = &atlas->raster->def;
    CAIRN_ASSERT(def->width == page->def.raster.width && def->height == page->def.raster.height);
    if (!grow_bounds(page, atlas->raster)) { return (cairn_page_ground){0}; }
    uint32_t known_count = 0, searched_count = 0;
    bool changed = false;
    for (uint32_t row = page->y_min / CAIRN_PAGE_TILE; row <= page->y_max / CAIRN_PAGE_TILE; row++) {
        for (uint32_t column = page->x_min / CAIRN_PAGE_TILE; column <= page->x_max / CAIRN_PAGE_TILE; column++) {
            uint8_t cells[CAIRN_PAGE_TILE_BYTES];
            pack_tile(atlas, column, row, cells);
            count_cells(cells, &known_count, &searched_count);
            changed |= update_tile(page, &page->tiles[(size_t)row * page->tile_columns + column], cells);
        }
    }
    if (changed) {
        cairn_lock_take(&page->lock);
        page->tile_version++;
        cairn_lock_give(&page->lock);
    }
    const double cell_m2 = def->cell_m * def->cell_m;
    return (cairn_page_ground){.known_m2 = known_count * cell_m2, .searched_m2 = searched_count * cell_m2};
}

static void thin(cairn_page_trail *trail)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < trail->count; i += 2) { trail->points[kept++] = trail->points[i]; }
    trail->count = kept;
    trail->spacing_m *= 2;
    trail->changed_from = 0;
    trail->change_count++;
}

// A place that a station which was started again does not have is nobody's: the point stays.
static cairn_vec2 now_at(const cairn_page_trail *trail, uint32_t index, const cairn_places *places)
{
    const cairn_page_trail_point *point = &trail->points[index];
    const cairn_place *place = &places->places[point->place];
    if (point->place == CAIRN_PLACE_NONE || place->robot != trail->robot) { return point->at_m; }
    return cairn_pose2_apply(place->map_T_private, point->private_m);
}

static void follow(cairn_page *page, cairn_page_trail *trail, const cairn_places *places)
{
    uint32_t first = 0;
    while (first < trail->count) {
        const double moved_m = cairn_vec2_distance(now_at(trail, first, places), trail->points[first].at_m);
        if (moved_m > TRAIL_STANDS_M) { break; }
        first++;
    }
    if (first == trail->count) { return; }
    cairn_lock_take(&page->lock);
    for (uint32_t i = first; i < trail->count; i++) { trail->points[i].at_m = now_at(trail, i, places); }
    trail->changed_from = first;
    trail->change_count++;
    cairn_lock_give(&page->lock);
}

// A solve has moved robots' frames, each part of a trail with its own place.
static void follow_places(cairn_page *page, const cairn_places *places)
{
    if (page->solve_count == places->solve_count) { return; }
    page->solve_count = places->solve_count;
    for (uint32_t i = 0; i < page->def.robot_count; i++) { follow(page, &page->trails[i], places); }
}

static void update_trail(cairn_page *page, cairn_page_trail *trail, const cairn_fleet_robot *robot,
                         const cairn_places *places)
{
    const cairn_vec2 at_m = cairn_pose2_at(robot->map_T_base);
    if (robot->unplaced) { return; }
    if (trail->count == 0) { trail->spacing_m = TRAIL_SPACING_M; }
    if (trail->count > 0 && cairn_vec2_distance(trail->points[trail->count - 1].at_m, at_m) < trail->spacing_m) {
        return;
    }
    cairn_lock_take(&page->lock);
    if (trail->count == CAIRN_PAGE_TRAIL_POINTS_MAX) { thin(trail); }
    trail->robot = robot->id;
    trail->points[trail->count++] =
        (cairn_page_trail_point){.at_m = at_m,
                                 .private_m = cairn_pose2_apply(cairn_pose2_inverse(robot->map_T_private), at_m),
                                 .place = cairn_places_last(places, robot->id)};
    cairn_lock_give(&page->lock);
}

static void update_robots(cairn_page *page, const cairn_fleet *fleet, const cairn_places *places, cairn_mono now)
{
    CAIRN_ASSERT(fleet->count == page->def.robot_count);
    char text[CAIRN_PAGE_ROBOT_BYTES];
    for (uint32_t i = 0; i < fleet->count; i++) {
        if (!fleet->robots[i].heard) { continue; }
        cairn_json json = {.text = text, .max = sizeof text};
        cairn_page_robot(&json, &fleet->robots[i], now);
        publish(page, &page->robots[i], &json);
        update_trail(page, &page->trails[i], &fleet->robots[i], places);
    }
}

// One deviation of a victim's place: of the mean of its sightings, each worth the inverse of its variance.
static void add_weights(const cairn_victims *victims, double *weights)
{
    for (uint32_t i = 0; i < victims->sighting_count; i++) {
        const cairn_sighting *sighting = &victims->sightings[i];
        if (sighting->victim >= victims->victim_count || !(sighting->deviation_m > 0)) { continue; }
        weights[sighting->victim] += 1.0 / (sighting->deviation_m * sighting->deviation_m);
    }
}

static void update_victims(cairn_page *page, const cairn_victims *victims)
{
    CAIRN_ASSERT(victims->victim_count <= CAIRN_VICTIMS_MAX);
    double weights[CAIRN_VICTIMS_MAX] = {0};
    char text[CAIRN_PAGE_VICTIM_BYTES];
    add_weights(victims, weights);
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        cairn_json json = {.text = text, .max = sizeof text};
        cairn_page_victim(&json, &victims->victims[i], i + 1, weights[i] > 0 ? 1.0 / sqrt(weights[i]) : 0.0);
        publish(page, &page->victims[i], &json);
    }
}

static void update_events(cairn_page *page, const cairn_events *events)
{
    if (page->events.count == events->count) { return; }
    cairn_lock_take(&page->lock);
    const uint64_t oldest = events->count > CAIRN_EVENTS_MAX ? events->count - CAIRN_EVENTS_MAX : 0;
    uint64_t number = page->events.count > oldest ? page->events.count : oldest;
    while (number++ < events->count) {
        const cairn_event *event = cairn_events_get(events, number);
        if (event != NULL) { page->events.ring[(number - 1) % CAIRN_EVENTS_MAX] = *event; }
    }
    page->events.count = events->count;
    cairn_lock_give(&page->lock);
}

static void update_team(cairn_page *page, const cairn_station_view *view, cairn_page_ground ground)
{
    char text[CAIRN_PAGE_TEAM_BYTES];
    cairn_json json = {.text = text, .max = sizeof text};
    cairn_page_team(&json, view, ground);
    publish(page, &page->team, &json);
}

static void update_areas(cairn_page *page, const cairn_team_areas *areas)
{
    char text[CAIRN_PAGE_AREAS_BYTES];
    const bool ever = page->areas.version > 0;
    if (areas == NULL || (areas->fences.count == 0 && !ever)) { return; } // pages begin with none
    cairn_json json = {.text = text, .max = sizeof text};
    cairn_json_raw(&json, "[");
    for (uint32_t i = 0; i < areas->fences.count; i++) {
        cairn_json_raw(&json, i > 0 ? "," : "");
        cairn_page_area(&json, &areas->fences.fences[i], areas->names[i]);
    }
    cairn_json_raw(&json, "]");
    publish(page, &page->areas, &json);
}

// The robots of the hello: their names come with the first update.
static void update_hello(cairn_page *page, const cairn_fleet *fleet)
{
    char text[HELLO_BYTES];
    if (page->updated) { return; }
    cairn_json json = {.text = text, .max = sizeof text};
    for (uint32_t i = 0; i < fleet->count; i++) {
        cairn_json_raw(&json, i > 0 ? "," : "");
        cairn_page_hello_robot(&json, &fleet->robots[i], page->def.descriptions[i]);
    }
    publish(page, &page->hello, &json);
}

void cairn_page_update(cairn_page *page, const cairn_station_view *view, cairn_mono now)
{
    update_hello(page, view->fleet);
    follow_places(page, view->atlas->places);
    update_robots(page, view->fleet, view->atlas->places, now);
    update_areas(page, view->areas);
    update_victims(page, view->victims);
    update_events(page, view->events);
    update_team(page, view, update_tiles(page, view->atlas));
    cairn_lock_take(&page->lock);
    page->now = now;
    page->updated = true;
    cairn_lock_give(&page->lock);
}

cairn_mono cairn_page_now(cairn_page *page)
{
    cairn_lock_take(&page->lock);
    const cairn_mono now = page->now;
    cairn_lock_give(&page->lock);
    return now;
}
