// terrain_codec.c - cell by cell: known? and, if it is, an obstacle? Each answer was coded with the model's
// probability.
//
// The first answer of a code says whether the map is plain: coded with even odds, two bits a known cell.
#include "maps/codec/terrain_codec.h"
#include "maps/codec/range_coder.h"
#include "maps/codec/terrain_model.h"
#include <string.h>

#define P_PLAIN (CAIRN_P_ONE / 1024)
#define P_EVEN (CAIRN_P_ONE / 2)

typedef struct decoder {
    bool is_plain;
    cairn_range_reader reader;
    cairn_terrain_model model;
} decoder;

static bool read_answer(decoder *d, cairn_terrain_question question)
{
    if (d->is_plain) { return cairn_range_get(&d->reader, P_EVEN); }
    const uint32_t p = cairn_terrain_model_p(&d->model, question);
    const bool answer = cairn_range_get(&d->reader, p);
    cairn_terrain_model_learn(&d->model, question, p, answer);
    return answer;
}

static void set_cell(cairn_terrain_planes *planes, uint32_t at, cairn_terrain_cell cell)
{
    const uint8_t bit = (uint8_t)(1u << (at & 7));
    if (cell.known) { planes->known[at >> 3] |= bit; }
    if (cell.obstacle) { planes->obstacle[at >> 3] |= bit; }
}

static void read_cells(decoder *d, cairn_terrain_planes *planes)
{
    d->is_plain = cairn_range_get(&d->reader, P_PLAIN);
    for (uint32_t y = 0, at = 0; y < planes->height; y++) {
        cairn_terrain_window window;
        cairn_terrain_window_start(&window, planes, y);
        cairn_terrain_scene scene = cairn_terrain_model_look(&d->model, &window);
        for (uint32_t x = 0; x < planes->width; x++, at++) {
            const bool known = read_answer(d, CAIRN_TERRAIN_IS_KNOWN);
            const cairn_terrain_cell cell = {known, known && read_answer(d, CAIRN_TERRAIN_IS_OBSTACLE)};
            set_cell(planes, at, cell);
            if (cairn_terrain_window_stays(&window, scene, cell)) { continue; }
            cairn_terrain_window_advance(&window, planes, cell, x + 1, y);
            scene = cairn_terrain_model_look(&d->model, &window);
        }
    }
}

cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes)
{
    const uint64_t cells = (uint64_t)ret_planes->width * ret_planes->height;
    if (cells == 0 || cells > CAIRN_TERRAIN_CELLS_MAX || code_bytes > CAIRN_TERRAIN_CODE_BYTES_MAX) {
        return CAIRN_ERR_CORRUPT;
    }
    memset(ret_planes->known, 0, sizeof ret_planes->known);
    memset(ret_planes->obstacle, 0, sizeof ret_planes->obstacle);
    decoder d;
    cairn_terrain_model_init(&d.model);
    cairn_range_reader_init(&d.reader, code, code_bytes);
    read_cells(&d, ret_planes);
    return cairn_range_is_ended(&d.reader) ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}
