// HouseExpo plans (https://github.com/TeaganLi/HouseExpo): `verts`, the outline of the ground in metres, around all
// inner walls too; `room_category`, boxes by the rooms' names. Other keys are not needed.
#include "sim/arena/import/sources.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { CORNERS_MAX = 65536, ROOM_NOTES_MAX = 16 };
#define PLACE_M_MAX 10000.0

static bool read_pair(const json_t *pair, cairn_vec2 *ret_at_m)
{
    const json_t *x = json_array_get(pair, 0), *y = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_number(x) || !json_is_number(y)) { return false; }
    *ret_at_m = (cairn_vec2){json_number_value(x), json_number_value(y)};
    return fabs(ret_at_m->x) <= PLACE_M_MAX && fabs(ret_at_m->y) <= PLACE_M_MAX;
}

static cairn_err read_corners(const json_t *plan, const char *name, cairn_arena *memory, cairn_complaints *complaints,
                              cairn_vec2 **ret_corners_m, size_t *ret_count)
{
    const json_t *verts = json_object_get(plan, "verts");
    const size_t count = json_array_size(verts);
    if (count < 3 || count > CORNERS_MAX) {
        cairn_complain(complaints, name, 0,
                       "verts: found %zu corners; a HouseExpo plan has 3 to %d, each [x, y] in metres", count,
                       CORNERS_MAX);
        return CAIRN_ERR_INVALID;
    }
    cairn_vec2 *corners_m = CAIRN_TAKE(memory, cairn_vec2, count);
    if (corners_m == NULL) { return CAIRN_ERR_FULL; }
    for (size_t i = 0; i < count; i++) {
        if (read_pair(json_array_get(verts, i), &corners_m[i])) { continue; }
        cairn_complain(complaints, name, 0, "verts[%zu]: expected [x, y] in metres, each within %.0f", i, PLACE_M_MAX);
        return CAIRN_ERR_INVALID;
    }
    *ret_corners_m = corners_m;
    *ret_count = count;
    return CAIRN_OK;
}

static void note_rooms(const json_t *plan, cairn_vec2 origin_m, cairn_draft *draft)
{
    const char *room;
    json_t *boxes;
    uint32_t noted = 0;
    json_object_foreach(json_object_get(plan, "room_category"), room, boxes)
    {
        for (size_t i = 0; i < json_array_size(boxes) && noted < ROOM_NOTES_MAX; i++) {
            const json_t *box = json_array_get(boxes, i);
            if (json_array_size(box) != 4) { continue; }
            if (noted++ == 0) { cairn_draft_note(draft, "Rooms, each around its middle:"); }
            cairn_draft_note(
                draft, "  %-20.60s (%.1f, %.1f)", room,
                (json_number_value(json_array_get(box, 0)) + json_number_value(json_array_get(box, 2))) / 2 -
                    origin_m.x,
                (json_number_value(json_array_get(box, 1)) + json_number_value(json_array_get(box, 3))) / 2 -
                    origin_m.y);
        }
    }
}

static int compare_reals(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

// Row by row: free between the first and second crossing of the outline, the third and fourth, and so on.
static void fill_row(const cairn_vec2 *corners_m, size_t count, uint32_t y, double *crossings, cairn_cells *cells)
{
    const double y_m = cells->origin_m.y + (y + 0.5) * cells->cell_m;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const cairn_vec2 a = corners_m[i], b = corners_m[(i + 1) % count];
        if ((a.y <= y_m) == (b.y <= y_m)) { continue; }
        crossings[found++] = a.x + (y_m - a.y) / (b.y - a.y) * (b.x - a.x);
    }
    qsort(crossings, found, sizeof crossings[0], compare_reals);
    for (size_t i = 0; i + 1 < found; i += 2) {
        const double first = ceil((crossings[i] - cells->origin_m.x) / cells->cell_m - 0.5);
        const double end = ceil((crossings[i + 1] - cells->origin_m.x) / cells->cell_m - 0.5);
        for (double x = fmax(first, 0.0); x < end && x < cells->width; x++) {
            cells->kinds[(size_t)y * cells->width + (size_t)x] = CAIRN_CELL_FREE;
        }
    }
}

static cairn_err fill(const cairn_vec2 *corners_m, size_t count, double cell_m, const char *name, cairn_arena *memory,
                      cairn_complaints *complaints, cairn_cells *ret_cells)
{
    cairn_vec2 low_m = corners_m[0], high_m = corners_m[0];
    for (size_t i = 0; i < count; i++) {
        low_m = (cairn_vec2){fmin(low_m.x, corners_m[i].x), fmin(low_m.y, corners_m[i].y)};
        high_m = (cairn_vec2){fmax(high_m.x, corners_m[i].x), fmax(high_m.y, corners_m[i].y)};
    }
    const cairn_vec2 size_m = cairn_vec2_sub(high_m, low_m);
    if (!(fmax(size_m.x, size_m.y) <= CAIRN_DRAFT_SIDE_M_MAX)) {
        cairn_complain(complaints, name, 0, "is %.1f x %.1f m; an arena has at most %.0f m a side", size_m.x, size_m.y,
                       CAIRN_DRAFT_SIDE_M_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    // One cell around, so that no ground touches the edge.
    const double wide = ceil(size_m.x / cell_m) + 2, tall = ceil(size_m.y / cell_m) + 2;
    if (wide * tall > (double)CAIRN_IMPORT_PIXELS_MAX) {
        cairn_complain(complaints, name, 0, "would have %.0f x %.0f cells; at most %zu: choose a greater --cell", wide,
                       tall, CAIRN_IMPORT_PIXELS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    cairn_cells cells;
    const cairn_err err = cairn_cells_create((uint32_t)wide, (uint32_t)tall, cell_m, memory, &cells);
    double *crossings = CAIRN_TAKE(memory, double, count + 1);
    if (err != CAIRN_OK || crossings == NULL) { return CAIRN_ERR_FULL; }
    cells.origin_m = cairn_vec2_sub(low_m, (cairn_vec2){cell_m, cell_m});
    for (uint32_t y = 0; y < cells.height; y++) { fill_row(corners_m, count, y, crossings, &cells); }
    *ret_cells = cells;
    return CAIRN_OK;
}

cairn_err cairn_house_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, double cell_m,
                            cairn_arena *memory, cairn_complaints *complaints, cairn_draft *draft,
                            cairn_cells *ret_cells)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && draft != NULL && ret_cells != NULL);
    json_error_t why;
    json_t *plan = json_loadb(bytes, size_bytes, JSON_REJECT_DUPLICATES, &why);
    if (plan == NULL) {
        cairn_complain(complaints, name_for_errors, (uint32_t)(why.line > 0 ? why.line : 0), "is not JSON: %s",
                       why.text);
        return CAIRN_ERR_CORRUPT;
    }
    cairn_vec2 *corners_m = NULL;
    size_t count = 0;
    cairn_err err = read_corners(plan, name_for_errors, memory, complaints, &corners_m, &count);
    if (err == CAIRN_OK) { err = fill(corners_m, count, cell_m, name_for_errors, memory, complaints, ret_cells); }
    if (err == CAIRN_OK) { note_rooms(plan, ret_cells->origin_m, draft); }
    json_decref(plan);
    return err;
}
