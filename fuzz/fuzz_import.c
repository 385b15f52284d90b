// Any bytes as a picture, a map's header, a floor plan or a NIST arena: refused with a reason, or something within its
// limits; and whatever cells a picture gives, walls cover exactly what they should.
#include "sim/arena/import/cover.h"
#include "sim/arena/import/sources.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

// More makes the fuzzer slow and finds nothing new.
#define PIXELS_MAX 65536u

static void check_cover(const cairn_cells *cells, uint32_t slack, cairn_arena *memory)
{
    cairn_cover cover;
    const cairn_err err = cairn_cover_find(cells, slack, 4096, memory, memory, &cover);
    CAIRN_ASSERT(err == CAIRN_OK || err == CAIRN_ERR_TOO_LARGE || err == CAIRN_ERR_FULL);
    if (err != CAIRN_OK) { return; }
    uint8_t *covered = CAIRN_TAKE(memory, uint8_t, (size_t)cells->width * cells->height);
    if (covered == NULL) { return; }
    for (uint32_t i = 0; i < cover.count; i++) {
        const cairn_cover_rect rect = cover.rects[i];
        CAIRN_ASSERT(rect.width > 0 && rect.height > 0);
        CAIRN_ASSERT(rect.x + rect.width <= cells->width && rect.y + rect.height <= cells->height);
        for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
            for (uint32_t x = rect.x; x < rect.x + rect.width; x++) { covered[(size_t)y * cells->width + x] = 1; }
        }
    }
    for (size_t i = 0; i < (size_t)cells->width * cells->height; i++) {
        CAIRN_ASSERT(cells->kinds[i] != CAIRN_CELL_WALL || covered[i]);
        CAIRN_ASSERT(slack > 0 || cells->kinds[i] != CAIRN_CELL_FREE || !covered[i]);
    }
}

static void check_cells(const cairn_cells *cells, cairn_arena *memory, cairn_complaints *told)
{
    cairn_cells tidy;
    cairn_import_report report = {0};
    if ((size_t)cells->width * cells->height > PIXELS_MAX) { return; }
    if (cairn_cells_tidy(cells, 0.1, "fuzz", memory, told, &tidy, &report) != CAIRN_OK) { return; }
    CAIRN_ASSERT(tidy.width <= cells->width + 2 && tidy.height <= cells->height + 2);
    check_cover(&tidy, 0, memory);
    check_cover(&tidy, 2, memory);
}

static void try_picture(const uint8_t *bytes, size_t size_bytes, cairn_arena *memory)
{
    cairn_complaints told = {0};
    cairn_grey grey;
    const cairn_err err = cairn_grey_parse(bytes, size_bytes, "fuzz", &cairn_import_limits, memory, &told, &grey);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err != CAIRN_OK) { return; }
    CAIRN_ASSERT(grey.width > 0 && grey.height > 0 && (size_t)grey.width * grey.height <= CAIRN_IMPORT_PIXELS_MAX);
    const cairn_ros_map map = cairn_ros_map_of_picture(&grey);
    cairn_cells cells;
    if (cairn_ros_map_cells(&map, &grey, 0.1, memory, &cells) == CAIRN_OK) { check_cells(&cells, memory, &told); }
}

static void try_header(const uint8_t *bytes, size_t size_bytes)
{
    cairn_complaints told = {0};
    cairn_ros_map map;
    const cairn_err err = cairn_ros_map_parse((const char *)bytes, size_bytes, "fuzz", &told, &map);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    CAIRN_ASSERT(err != CAIRN_OK || (map.resolution_m > 0.0 && map.free_thresh <= map.occupied_thresh));
}

static void try_house(const uint8_t *bytes, size_t size_bytes, cairn_arena *memory)
{
    cairn_complaints told = {0};
    cairn_draft draft;
    cairn_cells cells;
    if (cairn_draft_create(memory, &draft) != CAIRN_OK) { return; }
    const cairn_err err =
        cairn_house_parse((const char *)bytes, size_bytes, "fuzz", 0.1, memory, &told, &draft, &cells);
    if (err == CAIRN_OK) { check_cells(&cells, memory, &told); }
}

static void try_raf(const uint8_t *bytes, size_t size_bytes, cairn_arena *memory)
{
    cairn_complaints told = {0};
    cairn_draft draft;
    cairn_raf raf;
    if (cairn_draft_create(memory, &draft) != CAIRN_OK) { return; }
    const cairn_err err =
        cairn_raf_parse((const char *)bytes, size_bytes, "fuzz", 0.0, 0.3, memory, &told, &draft, &raf);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err != CAIRN_OK) { return; }
    CAIRN_ASSERT(draft.size_m.x > 0.0 && draft.size_m.x <= CAIRN_DRAFT_SIDE_M_MAX);
    for (uint32_t i = 0; i < draft.wall_count; i++) {
        const cairn_sim_wall *wall = &draft.walls[i];
        CAIRN_ASSERT(wall->from_m.x >= 0.0 && wall->from_m.y >= 0.0 && wall->to_m.x <= draft.size_m.x);
        CAIRN_ASSERT(wall->to_m.y >= 0.0 && wall->to_m.y <= draft.size_m.y && isfinite(wall->height_m));
    }
    const char *text;
    size_t text_bytes;
    if (cairn_draft_write(&draft, memory, &text, &text_bytes) == CAIRN_OK) { CAIRN_ASSERT(text[text_bytes] == '\0'); }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static cairn_arena memory; // taken once: clearing it anew for each input would cost more than the parsers do
    if (memory.base == NULL && cairn_arena_create(&memory, (size_t)24 << 20) != CAIRN_OK) { return 0; }
    cairn_arena_reset(&memory, 0);
    switch (size_bytes > 0 ? bytes[0] : 0) {
    case '<': try_raf(bytes, size_bytes, &memory); break;
    case '{': try_house(bytes, size_bytes, &memory); break;
    case 'P':
    case 0x1f:
    case 0x89: try_picture(bytes, size_bytes, &memory); break;
    default: try_header(bytes, size_bytes); break;
    }
    return 0;
}
