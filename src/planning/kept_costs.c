// kept_costs.c - what changed is noted by blocks of cells; blocks within the reach of an obstacle that came or went are
// priced again.
#include "planning/kept_costs.h"
#include "maps/distance_field.h"
#include "planning/cost_price.h"
#include <string.h>

#define BLOCK_BITS 4 // blocks of 16 x 16 cells. Larger: fewer to note, more priced in vain
#define BLOCK_CELLS (1u << BLOCK_BITS)
#define EDITS_MAX 16384 // more obstacles changed at once: the field is made anew
#define COMPARED_CELLS 64

struct cairn_kept_costs {
    cairn_kept_costs_def def;
    uint32_t reach; // cells: what changes the clearance of others
    cairn_distance_field *field;
    uint8_t *ground, *cost;
    float *clearance_m;
    uint8_t *price_of;     // by squared distance
    float *clearance_m_of; // likewise
    uint32_t blocks_wide, blocks_high;
    uint8_t *dirty; // a byte a block
    cairn_cell_edit *edits;
    uint32_t edit_count;
    bool anew; // there were too many edits
};

static bool take_parts(cairn_kept_costs *kept, cairn_arena *arena)
{
    const size_t cells = (size_t)kept->def.width * kept->def.height;
    const size_t squares = (size_t)kept->reach * kept->reach + 1;
    kept->ground = CAIRN_TAKE(arena, uint8_t, cells);
    kept->cost = CAIRN_TAKE(arena, uint8_t, cells);
    kept->clearance_m = CAIRN_TAKE(arena, float, cells);
    kept->price_of = CAIRN_TAKE(arena, uint8_t, squares);
    kept->clearance_m_of = CAIRN_TAKE(arena, float, squares);
    kept->dirty = CAIRN_TAKE(arena, uint8_t, (size_t)kept->blocks_wide * kept->blocks_high);
    kept->edits = CAIRN_TAKE(arena, cairn_cell_edit, EDITS_MAX);
    const cairn_distance_field_def field = {kept->def.width, kept->def.height, kept->reach};
    return kept->ground && kept->cost && kept->clearance_m && kept->price_of && kept->clearance_m_of && kept->dirty &&
           kept->edits && cairn_distance_field_create(&field, arena, &kept->field) == CAIRN_OK;
}

size_t cairn_kept_costs_memory_bytes(uint32_t width, uint32_t height)
{
    const size_t cells = (size_t)width * height,
                 squares = (size_t)CAIRN_COST_BAND_CELLS_MAX * CAIRN_COST_BAND_CELLS_MAX;
    const size_t blocks = (((size_t)width >> BLOCK_BITS) + 1) * (((size_t)height >> BLOCK_BITS) + 1);
    const size_t field = 5 * cells + 64 * ((size_t)width + height); // maps/distance_field.h, and its scratch
    return field + 6 * cells + 5 * squares + blocks + EDITS_MAX * sizeof(cairn_cell_edit) + 4096;
}

cairn_err cairn_kept_costs_create(const cairn_kept_costs_def *def, cairn_arena *arena, cairn_kept_costs **ret_kept)
{
    const cairn_cost_rules *rules = &def->rules;
    CAIRN_ASSERT(def->cell_m > 0 && rules->radius_m >= 0 && rules->comfort_m >= rules->radius_m);
    CAIRN_ASSERT(rules->comfort_m / def->cell_m <= CAIRN_COST_BAND_CELLS_MAX);
    CAIRN_ASSERT(rules->open_cost >= 1 && rules->near_cost >= rules->open_cost && rules->unknown_cost >= 1);
    const size_t mark = cairn_arena_mark(arena);
    cairn_kept_costs *kept = CAIRN_TAKE(arena, cairn_kept_costs, 1);
    if (kept != NULL) {
        *kept = (cairn_kept_costs){.def = *def,
                                   .reach = (uint32_t)fmax(ceil(rules->comfort_m / def->cell_m), 1),
                                   .blocks_wide = (def->width + BLOCK_CELLS - 1) >> BLOCK_BITS,
                                   .blocks_high = (def->height + BLOCK_CELLS - 1) >> BLOCK_BITS};
    }
    if (kept == NULL || !take_parts(kept, arena)) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    const size_t cells = (size_t)def->width * def->height;
    const uint8_t unknown = rules->unknown_cost > rules->open_cost ? rules->unknown_cost : rules->open_cost;
    cairn_cost_tables(rules, def->cell_m, kept->reach * kept->reach, kept->price_of, kept->clearance_m_of);
    memset(kept->ground, CAIRN_GROUND_UNKNOWN, cells);
    memset(kept->cost, unknown, cells);
    memset(kept->dirty, 0, (size_t)kept->blocks_wide * kept->blocks_high);
    for (size_t i = 0; i < cells; i++) { kept->clearance_m[i] = (float)rules->comfort_m; }
    *ret_kept = kept;
    return CAIRN_OK;
}

// Marks the blocks of the cells up to `around` cells away.
static void soil(cairn_kept_costs *kept, uint32_t x, uint32_t y, uint32_t around)
{
    const uint32_t first_x = (x > around ? x - around : 0) >> BLOCK_BITS, last_x = (x + around) >> BLOCK_BITS;
    const uint32_t first_y = (y > around ? y - around : 0) >> BLOCK_BITS, last_y = (y + around) >> BLOCK_BITS;
    for (uint32_t v = first_y; v <= last_y && v < kept->blocks_high; v++) {
        for (uint32_t u = first_x; u <= last_x && u < kept->blocks_wide; u++) {
            kept->dirty[(size_t)v * kept->blocks_wide + u] = 1;
        }
    }
}

static void note_change(cairn_kept_costs *kept, uint32_t x, uint32_t y, uint8_t before, uint8_t after)
{
    const bool was = before == CAIRN_GROUND_OBSTACLE, is = after == CAIRN_GROUND_OBSTACLE;
    soil(kept, x, y, was == is ? 0 : kept->reach);
    if (was == is) { return; }
    if (kept->edit_count == EDITS_MAX) {
        kept->anew = true;
        return;
    }
    kept->edits[kept->edit_count++] = (cairn_cell_edit){x, y, is};
}

// Notes what differs in a stretch of a row, and takes it over.
static uint64_t compare(cairn_kept_costs *kept, const uint8_t *ground, uint32_t x0, uint32_t y, uint32_t count)
{
    uint8_t *before = kept->ground + (size_t)y * kept->def.width + x0;
    const uint8_t *after = ground + (size_t)y * kept->def.width + x0;
    if (memcmp(before, after, count) == 0) { return 0; }
    uint64_t changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (before[i] == after[i]) { continue; }
        note_change(kept, x0 + i, y, before[i], after[i]);
        before[i] = after[i];
        changed++;
    }
    return changed;
}

static void repair_field(cairn_kept_costs *kept)
{
    if (kept->anew) {
        // Prices of obstacles are blocked, whatever else; the array is written again below.
        const size_t cells = (size_t)kept->def.width * kept->def.height;
        for (size_t i = 0; i < cells; i++) { kept->cost[i] = kept->ground[i] == CAIRN_GROUND_OBSTACLE; }
        cairn_distance_field_set(kept->field, kept->cost);
        memset(kept->dirty, 1, (size_t)kept->blocks_wide * kept->blocks_high);
    } else {
        (void)cairn_distance_field_edit(kept->field, kept->edits, kept->edit_count);
    }
    kept->anew = false;
    kept->edit_count = 0;
}

static void price_block(cairn_kept_costs *kept, uint32_t u, uint32_t v)
{
    const cairn_cost_rules *rules = &kept->def.rules;
    const uint32_t x0 = u << BLOCK_BITS, y0 = v << BLOCK_BITS;
    for (uint32_t y = y0; y < y0 + BLOCK_CELLS && y < kept->def.height; y++) {
        for (uint32_t x = x0; x < x0 + BLOCK_CELLS && x < kept->def.width; x++) {
            const size_t cell = (size_t)y * kept->def.width + x;
            const cairn_nearest nearest = cairn_distance_field_nearest(kept->field, x, y);
            const uint32_t squared = nearest.found ? nearest.squared_cells : kept->reach * kept->reach;
            const uint8_t price = kept->price_of[squared];
            const uint8_t floor_price = kept->ground[cell] == CAIRN_GROUND_UNKNOWN ? rules->unknown_cost : 0;
            kept->cost[cell] = price > floor_price ? price : floor_price;
            kept->clearance_m[cell] = kept->clearance_m_of[squared];
        }
    }
}

uint64_t cairn_kept_costs_update(cairn_kept_costs *kept, const uint8_t *ground)
{
    uint64_t changed = 0;
    for (uint32_t y = 0; y < kept->def.height; y++) {
        const size_t row = (size_t)y * kept->def.width;
        if (memcmp(kept->ground + row, ground + row, kept->def.width) == 0) { continue; }
        for (uint32_t x = 0; x < kept->def.width; x += COMPARED_CELLS) {
            const uint32_t left = kept->def.width - x;
            changed += compare(kept, ground, x, y, left < COMPARED_CELLS ? left : COMPARED_CELLS);
        }
    }
    if (changed == 0) { return 0; }
    repair_field(kept);
    for (uint32_t v = 0; v < kept->blocks_high; v++) {
        for (uint32_t u = 0; u < kept->blocks_wide; u++) {
            uint8_t *dirty = &kept->dirty[(size_t)v * kept->blocks_wide + u];
            if (*dirty) { price_block(kept, u, v); }
            *dirty = 0;
        }
    }
    return changed;
}

cairn_err cairn_kept_costs_copy(const cairn_kept_costs *kept, const cairn_cell_window *window, cairn_vec2 origin_m,
                                cairn_arena *arena, cairn_cost_grid *ret_grid)
{
    CAIRN_ASSERT(window->width > 0 && window->height > 0);
    CAIRN_ASSERT((uint64_t)window->width * window->height <= CAIRN_COST_CELLS_MAX);
    CAIRN_ASSERT(window->x0 + window->width <= kept->def.width && window->y0 + window->height <= kept->def.height);
    const size_t before = cairn_arena_mark(arena), count = (size_t)window->width * window->height;
    cairn_cost_grid grid = {
        .origin_m = origin_m, .cell_m = kept->def.cell_m, .width = window->width, .height = window->height};
    grid.cost = CAIRN_TAKE(arena, uint8_t, count);
    grid.clearance_m = CAIRN_TAKE(arena, float, count);
    if (grid.cost == NULL || grid.clearance_m == NULL) {
        cairn_arena_reset(arena, before);
        return CAIRN_ERR_FULL;
    }
    for (uint32_t y = 0; y < window->height; y++) {
        const size_t from = (size_t)(window->y0 + y) * kept->def.width + window->x0, to = (size_t)y * window->width;
        memcpy(grid.cost + to, kept->cost + from, window->width);
        memcpy(grid.clearance_m + to, kept->clearance_m + from, window->width * sizeof(float));
    }
    *ret_grid = grid;
    return CAIRN_OK;
}
