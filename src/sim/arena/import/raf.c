// NIST arenas as the RoboCup Rescue arena designer of Team Hector writes them: each element of the list becomes walls,
// ground, things or people of a draft; what arena files have no word for is told.
#include "sim/arena/import/raf_floor.h"
#include "sim/arena/import/raf_ground.h"
#include "sim/arena/import/raf_things.h"
#include "sim/arena/import/raf_walls.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALL_M 1.2 // how high walls are
#define TALL_M 2.4

static void add_element(cairn_raf_elements *in, uint32_t index, double height_m, cairn_raf_walls *walls,
                        cairn_draft *draft, cairn_raf *raf)
{
    const cairn_raf_element *of = &in->all[index];
    const double half = CAIRN_RAF_CELL_M / 2;
    const cairn_raf_upright small = {0.0, height_m > 0.0 ? height_m : SMALL_M};
    const cairn_raf_upright tall = {0.0, height_m > 0.0 ? height_m : TALL_M};
    const cairn_vec2 northwest = {-half, half}, northeast = {half, half}, southwest = {-half, -half}, middle = {0, 0};
    switch (of->kind) {
    case CAIRN_RAF_WALL: cairn_raf_walls_add(walls, of, northwest, northeast, small); break;
    case CAIRN_RAF_HOLED_WALL: cairn_raf_walls_add_holed(walls, of, small.height_m); break;
    case CAIRN_RAF_TALL_WALL: cairn_raf_walls_add(walls, of, northwest, northeast, tall); break;
    case CAIRN_RAF_DIAGONAL: cairn_raf_walls_add(walls, of, southwest, northeast, small); break;
    case CAIRN_RAF_CORNER:
        cairn_raf_walls_add(walls, of, middle, northeast, small);
        cairn_raf_walls_add(walls, of, middle, northwest, small);
        break;
    case CAIRN_RAF_BARREL: cairn_raf_add_barrel(of, false, draft); break;
    case CAIRN_RAF_HIGH_BARREL: cairn_raf_add_barrel(of, true, draft); break;
    case CAIRN_RAF_STORAGE: cairn_raf_add_storage(of, draft); break;
    case CAIRN_RAF_VICTIM_IN_BOX:
    case CAIRN_RAF_VICTIM: cairn_raf_add_victim(in, of, raf); break;
    default: in->all[index].left_out = !cairn_raf_ground_add(in, index, draft); break;
    }
}

// Whether none of its type was left out before this one, and how many were in all.
static bool is_first_of_type(const cairn_raf_elements *in, uint32_t index, uint32_t *ret_count)
{
    *ret_count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (!in->all[i].left_out || strcmp(in->all[i].type, in->all[index].type) != 0) { continue; }
        if (i < index) { return false; }
        ++*ret_count;
    }
    return true;
}

static void note_left_out(const cairn_raf_elements *in, cairn_draft *draft, cairn_raf *raf)
{
    char list[CAIRN_DRAFT_NOTE_BYTES] = "";
    for (uint32_t i = 0; i < in->count; i++) {
        uint32_t count;
        if (!in->all[i].left_out) { continue; }
        raf->left_out++;
        if (!is_first_of_type(in, i, &count)) { continue; }
        char one[80];
        (void)snprintf(one, sizeof one, "%u %s", count, in->all[i].type);
        if (strlen(list) + strlen(one) > 100) {
            cairn_draft_note(draft, "Left out (flat floor instead): %s", list);
            list[0] = '\0';
        }
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (list[0] != '\0') { cairn_draft_note(draft, "Left out (flat floor instead): %s", list); }
}

cairn_err cairn_raf_parse(const char *bytes, size_t size_bytes, const char *name_for_errors, double height_m,
                          double margin_m, cairn_arena *memory, cairn_complaints *complaints, cairn_draft *draft,
                          cairn_raf *ret_raf)
{
    CAIRN_ASSERT(memory != NULL && complaints != NULL && draft != NULL && ret_raf != NULL);
    CAIRN_ASSERT(height_m >= 0 && margin_m >= 0);
    cairn_raf_elements in = {.all = CAIRN_TAKE(memory, cairn_raf_element, CAIRN_RAF_ELEMENTS_MAX)};
    cairn_raf raf = {.victims = CAIRN_TAKE(memory, cairn_raf_victim, CAIRN_IMPORT_VICTIMS_MAX)};
    cairn_raf_walls walls = {.all = CAIRN_TAKE(memory, cairn_raf_wall, CAIRN_RAF_WALLS_MAX)};
    if (in.all == NULL || raf.victims == NULL || walls.all == NULL) { return CAIRN_ERR_FULL; }
    if (!cairn_raf_elements_read(bytes, size_bytes, name_for_errors, complaints, &in)) { return CAIRN_ERR_CORRUPT; }
    if (in.count == 0) {
        cairn_complain(complaints, name_for_errors, 0, "has no <element .../>; expected a NIST arena description");
        return CAIRN_ERR_CORRUPT;
    }
    for (uint32_t i = 0; i < in.count; i++) { add_element(&in, i, height_m, &walls, draft, &raf); }
    cairn_raf_walls_join(&walls);
    const cairn_raf_floor floor = cairn_raf_floor_of(&in, &walls, draft, &raf, margin_m);
    if (fmax(floor.size_m.x, floor.size_m.y) > CAIRN_DRAFT_SIDE_M_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "is %.1f x %.1f m; an arena has at most %.0f m a side",
                       floor.size_m.x, floor.size_m.y, CAIRN_DRAFT_SIDE_M_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    if (walls.count > CAIRN_DRAFT_WALLS_MAX) {
        cairn_complain(complaints, name_for_errors, 0, "has %u walls; at most %d", walls.count, CAIRN_DRAFT_WALLS_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    cairn_raf_floor_move(&floor, &walls, draft, &raf);
    cairn_draft_note(draft, "(0, 0) here is (%.3f, %.3f) m there.", -floor.offset_m.x, -floor.offset_m.y);
    note_left_out(&in, draft, &raf);
    *ret_raf = raf;
    return CAIRN_OK;
}
