// terrain_codec.c - cell by cell: known? and, if it is, an obstacle? Each answer is coded with the model's probability.
//
// Encoder and decoder are one walk over the cells, so they cannot drift apart. The first answer of a code says whether
// the map is plain: coded with even odds, two bits a known cell. Nothing that a robot sees is; it bounds the size of
// whatever else there may be.
#include "maps/codec/terrain_codec.h"
#include "maps/codec/range_coder.h"
#include "maps/codec/terrain_model.h"
#include <string.h>

// A power of two, so that a plain map's answers take one bit each, exactly: 10 + 2 * 25,600 bits are 6402 bytes.
#define P_PLAIN (CAIRN_P_ONE / 1024)
#define P_EVEN (CAIRN_P_ONE / 2)

typedef struct coder {
    bool is_reading, is_plain;
    cairn_range_writer writer;
    cairn_range_reader reader;
} coder;

static inline bool code_answer(coder *c, uint32_t p, bool yes)
{
    if (c->is_reading) { return cairn_range_get(&c->reader, p); }
    cairn_range_put(&c->writer, p, yes);
    return yes;
}

static inline bool code_question(coder *c, cairn_terrain_model *model, cairn_terrain_question question, bool yes)
{
    if (c->is_plain) { return code_answer(c, P_EVEN, yes); }
    const uint32_t p = cairn_terrain_model_p(model, question);
    const bool answer = code_answer(c, p, yes);
    cairn_terrain_model_learn(model, question, p, answer);
    return answer;
}

// Codes the cell looked at, and returns it; when reading, `cell` means nothing.
static inline cairn_terrain_cell code_cell(coder *c, cairn_terrain_model *model, cairn_terrain_cell cell)
{
    const bool known = code_question(c, model, CAIRN_TERRAIN_IS_KNOWN, cell.known);
    return (cairn_terrain_cell){known, known && code_question(c, model, CAIRN_TERRAIN_IS_OBSTACLE, cell.obstacle)};
}

static inline void set_cell(cairn_terrain_planes *planes, uint32_t at, cairn_terrain_cell cell)
{
    const uint8_t bit = (uint8_t)(1u << (at & 7));
    if (cell.known) { planes->known[at >> 3] |= bit; }
    if (cell.obstacle) { planes->obstacle[at >> 3] |= bit; }
}

// Codes all cells; when reading, sets them in ret_planes, which is then the same as planes.
static void code_cells(coder *c, const cairn_terrain_planes *planes, cairn_terrain_planes *ret_planes)
{
    cairn_terrain_model model;
    cairn_terrain_model_init(&model);
    c->is_plain = code_answer(c, P_PLAIN, c->is_plain);
    for (uint32_t y = 0, at = 0; y < planes->height; y++) {
        cairn_terrain_window window;
        cairn_terrain_window_start(&window, planes, y);
        cairn_terrain_scene scene = cairn_terrain_model_look(&model, &window);
        for (uint32_t x = 0; x < planes->width; x++, at++) {
            const cairn_terrain_cell cell = code_cell(c, &model, cairn_terrain_cell_at(planes, at));
            if (ret_planes != NULL) { set_cell(ret_planes, at, cell); }
            if (cairn_terrain_window_stays(&window, scene, cell)) { continue; }
            cairn_terrain_window_advance(&window, planes, cell, x + 1, y);
            scene = cairn_terrain_model_look(&model, &window);
        }
    }
}

static bool is_size_possible(const cairn_terrain_planes *planes)
{
    const uint64_t cells = (uint64_t)planes->width * planes->height;
    return cells > 0 && cells <= CAIRN_TERRAIN_CELLS_MAX;
}

static cairn_err encode(const cairn_terrain_planes *planes, bool is_plain, uint8_t *ret_code, size_t code_bytes_max,
                        size_t *ret_code_bytes)
{
    coder c = {.is_plain = is_plain,
               .writer = {.range = CAIRN_RANGE_WHOLE, .bytes = ret_code, .count_max = code_bytes_max}};
    code_cells(&c, planes, NULL);
    cairn_range_put_end(&c.writer);
    if (c.writer.is_full) { return CAIRN_ERR_FULL; }
    *ret_code_bytes = c.writer.count;
    return CAIRN_OK;
}

cairn_err cairn_terrain_encode(const cairn_terrain_planes *planes, uint8_t *ret_code, size_t code_bytes_max,
                               size_t *ret_code_bytes)
{
    CAIRN_ASSERT(is_size_possible(planes));
    const bool is_roomy = code_bytes_max >= CAIRN_TERRAIN_CODE_BYTES_MAX;
    const size_t limit = is_roomy ? CAIRN_TERRAIN_CODE_BYTES_MAX : code_bytes_max;
    const cairn_err err = encode(planes, false, ret_code, limit, ret_code_bytes);
    return err == CAIRN_ERR_FULL && is_roomy ? encode(planes, true, ret_code, limit, ret_code_bytes) : err;
}

// Plain maps are those that the model makes too large, and no others: a map has one code.
static bool is_plain_needed(const cairn_terrain_planes *planes)
{
    uint8_t code[CAIRN_TERRAIN_CODE_BYTES_MAX];
    size_t code_bytes = 0;
    return encode(planes, false, code, sizeof code, &code_bytes) == CAIRN_ERR_FULL;
}

cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes)
{
    if (!is_size_possible(ret_planes) || code_bytes > CAIRN_TERRAIN_CODE_BYTES_MAX) { return CAIRN_ERR_CORRUPT; }
    memset(ret_planes->known, 0, sizeof ret_planes->known);
    memset(ret_planes->obstacle, 0, sizeof ret_planes->obstacle);
    coder c = {.is_reading = true};
    cairn_range_reader_init(&c.reader, code, code_bytes);
    code_cells(&c, ret_planes, ret_planes);
    const bool is_ours = cairn_range_is_ended(&c.reader) && (!c.is_plain || is_plain_needed(ret_planes));
    return is_ours ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}
