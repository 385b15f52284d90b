// grid_coder_kernels.c - cell by cell: known? and an obstacle? Each answer is coded with the model's probability.
//
// Two answers come first: whether the grid is plain, that is, coded with even odds, which bounds the size of noise; and
// whether there are obstacles in unknown cells, which no robot makes but a file may have.
#include "maps/codec/grid_coder.h"

#define P_RARE (CAIRN_P_ONE / 1024)
#define P_EVEN (CAIRN_P_ONE / 2)

static inline bool code_answer(cairn_grid_coder *c, uint32_t p, bool yes)
{
    if (c->is_reading) { return cairn_range_get(&c->reader, p); }
    cairn_range_put(&c->writer, p, yes);
    return yes;
}

static inline bool code_question(cairn_grid_coder *c, cairn_terrain_question question, bool yes)
{
    if (c->is_plain) { return code_answer(c, P_EVEN, yes); }
    const uint32_t p = cairn_grid_model_p(c->model, question);
    const bool answer = code_answer(c, p, yes);
    cairn_grid_model_learn(c->model, question, p, answer);
    return answer;
}

static int32_t reach_of(const cairn_grid_coder *c) { return c->model->is_after ? 3 : 5; }

static void gather_row(cairn_grid_coder *c, const cairn_grid_rows *rows, int64_t y)
{
    const uint8_t *unknown = cairn_grid_row(rows, rows->unknown, y);
    const uint8_t *obstacle = cairn_grid_row(rows, rows->obstacle, y);
    for (size_t i = 0; i < rows->stride_bytes; i += sizeof(uint64_t)) {
        uint64_t all, some, more, other;
        memcpy(&all, c->all_unknown + i, sizeof all);
        memcpy(&some, c->some_busy + i, sizeof some);
        memcpy(&more, unknown + i, sizeof more);
        memcpy(&other, obstacle + i, sizeof other);
        all &= more;
        some |= more | other;
        memcpy(c->all_unknown + i, &all, sizeof all);
        memcpy(c->some_busy + i, &some, sizeof some);
    }
}

static void gather_columns(cairn_grid_coder *c, uint32_t y)
{
    memset(c->all_unknown, 255, c->rows.stride_bytes);
    memset(c->some_busy, 0, c->rows.stride_bytes);
    for (int64_t i = 1; i <= reach_of(c); i++) { gather_row(c, &c->rows, (int64_t)y - i); }
    for (int64_t i = -2; i <= 2 && c->model->is_after; i++) { gather_row(c, &c->earlier, (int64_t)y + i); }
}

// Most cells have nothing to see around them, and that is soon seen.
static inline cairn_terrain_scene scene_at(const cairn_grid_coder *c, int32_t x, int32_t reach)
{
    const uint32_t bit = cairn_grid_bit(&c->rows, (int64_t)x + reach);
    const uint64_t span = (UINT64_C(1) << (2 * reach + 1)) - 1;
    if (x - c->x_busy > reach && (cairn_grid_field(c->some_busy, bit) & span) == 0) { return CAIRN_TERRAIN_ALL_FREE; }
    if (x - c->x_known > reach && (cairn_grid_field(c->all_unknown, bit) & span) == span) {
        return CAIRN_TERRAIN_ALL_UNKNOWN;
    }
    return CAIRN_TERRAIN_MIXED;
}

static uint8_t code_cell(cairn_grid_coder *c, bool has_known, uint8_t cell)
{
    const bool known = !has_known || code_question(c, CAIRN_TERRAIN_IS_KNOWN, (cell & CAIRN_GRID_KNOWN) != 0);
    const bool is_asked = known || c->is_odd;
    const bool obstacle = is_asked && code_question(c, CAIRN_TERRAIN_IS_OBSTACLE, (cell & CAIRN_GRID_OBSTACLE) != 0);
    return (uint8_t)((has_known && known ? CAIRN_GRID_KNOWN : 0) | (obstacle ? CAIRN_GRID_OBSTACLE : 0));
}

static inline void set_cell(cairn_grid_coder *c, bool has_known, uint32_t x, uint32_t y, uint8_t cell)
{
    const uint32_t bit = cairn_grid_bit(&c->rows, x);
    const bool is_unknown = has_known && (cell & CAIRN_GRID_KNOWN) == 0;
    if (!is_unknown) {
        cairn_grid_set(cairn_grid_row(&c->rows, c->rows.unknown, y), bit, false);
        c->x_known = (int32_t)x;
    }
    if (cell & CAIRN_GRID_OBSTACLE) {
        cairn_grid_set(cairn_grid_row(&c->rows, c->rows.obstacle, y), bit, true);
        cairn_grid_far_add(&c->far, x, y);
    }
    if (is_unknown || (cell & CAIRN_GRID_OBSTACLE)) { c->x_busy = (int32_t)x; }
}

// A cell with nothing to see around it.
static inline uint8_t code_plain_cell(cairn_grid_coder *c, cairn_grid_guess *guess, bool has_known, uint8_t cell)
{
    bool known = true, obstacle = false;
    if (has_known) {
        known = code_answer(c, guess->p[CAIRN_TERRAIN_IS_KNOWN], (cell & CAIRN_GRID_KNOWN) != 0);
        cairn_grid_guess_count(guess, CAIRN_TERRAIN_IS_KNOWN, known);
    }
    if (known || c->is_odd) {
        obstacle = code_answer(c, guess->p[CAIRN_TERRAIN_IS_OBSTACLE], (cell & CAIRN_GRID_OBSTACLE) != 0);
        cairn_grid_guess_count(guess, CAIRN_TERRAIN_IS_OBSTACLE, obstacle);
    }
    return (uint8_t)((has_known && known ? CAIRN_GRID_KNOWN : 0) | (obstacle ? CAIRN_GRID_OBSTACLE : 0));
}

// Codes cells from x on that have nothing to see around them, up to where the model would guess otherwise, or to the
// first that is not as usual. Returns the cell after them.
static uint32_t code_stretch(cairn_grid_coder *c, const cairn_grid_cells *grid, cairn_terrain_scene scene, uint32_t x,
                             uint32_t y, uint8_t *ret_cells)
{
    const int32_t reach = reach_of(c);
    const uint8_t usual = scene == CAIRN_TERRAIN_ALL_FREE && grid->has_known ? CAIRN_GRID_KNOWN : 0;
    const uint32_t end = cairn_grid_far_end(&c->far, x, grid->width);
    const size_t row = (size_t)y * grid->width;
    cairn_grid_guess guess = cairn_grid_model_guess(c->model, scene, cairn_grid_far_of(&c->far, x, y));
    for (bool is_more = true; is_more;) {
        const uint8_t cell = code_plain_cell(c, &guess, grid->has_known, grid->cells[row + x]);
        if (ret_cells != NULL) { ret_cells[row + x] = cell; }
        set_cell(c, grid->has_known, x, y, cell);
        x++;
        is_more = cell == usual && x < end && scene_at(c, (int32_t)x, reach) == scene;
    }
    cairn_grid_model_learn_plain(c->model, scene, &guess);
    return x;
}

static cairn_terrain_window window_at(const cairn_grid_coder *c, uint32_t x, uint32_t y)
{
    return c->model->is_after ? cairn_grid_window_after(&c->rows, &c->earlier, c->is_cell_on_cell, x, y)
                              : cairn_grid_window_alone(&c->rows, x, y);
}

// From cell x - 1, which is `cell`, to x.
static void window_advance(const cairn_grid_coder *c, cairn_terrain_window *window, bool has_known, uint8_t cell,
                           uint32_t x, uint32_t y)
{
    const bool is_unknown = has_known && (cell & CAIRN_GRID_KNOWN) == 0,
               is_obstacle = (cell & CAIRN_GRID_OBSTACLE) != 0;
    if (c->model->is_after) {
        cairn_grid_window_advance_after(window, &c->rows, &c->earlier, c->is_cell_on_cell, is_unknown, is_obstacle, x,
                                        y);
    } else {
        cairn_grid_window_advance_alone(window, &c->rows, is_unknown, is_obstacle, x, y);
    }
}

static void code_row(cairn_grid_coder *c, const cairn_grid_cells *grid, uint32_t y, uint8_t *ret_cells)
{
    const int32_t reach = reach_of(c);
    cairn_terrain_window window;
    bool is_near = false; // the window is that of the cell before, which is `cell`
    uint8_t cell = 0;
    for (uint32_t x = 0; x < grid->width;) {
        const cairn_terrain_scene scene = c->is_plain ? CAIRN_TERRAIN_MIXED : scene_at(c, (int32_t)x, reach);
        if (scene != CAIRN_TERRAIN_MIXED) {
            x = code_stretch(c, grid, scene, x, y, ret_cells);
            is_near = false;
            continue;
        }
        if (!c->is_plain) {
            if (is_near) {
                window_advance(c, &window, grid->has_known, cell, x, y);
            } else {
                window = window_at(c, x, y);
            }
            cairn_grid_model_look(c->model, &window);
            is_near = true;
        }
        const size_t at = (size_t)y * grid->width + x;
        cell = code_cell(c, grid->has_known, grid->cells[at]);
        if (ret_cells != NULL) { ret_cells[at] = cell; }
        set_cell(c, grid->has_known, x, y, cell);
        x++;
    }
}

static void begin_row(cairn_grid_coder *c, uint32_t y)
{
    cairn_grid_row_begin(&c->rows, y);
    const uint32_t before = cairn_grid_bit(&c->rows, -1);
    const bool unknown = cairn_grid_field(cairn_grid_row(&c->rows, c->rows.unknown, y), before) & 1;
    const bool obstacle = cairn_grid_field(cairn_grid_row(&c->rows, c->rows.obstacle, y), before) & 1;
    c->x_known = unknown ? -CAIRN_GRID_PAD : -1;
    c->x_busy = unknown || obstacle ? -1 : -CAIRN_GRID_PAD;
    c->far.x_plus_1 = 0;
}

void CAIRN_KERNEL(cairn_grid_code)(cairn_grid_coder *c, const cairn_grid_cells *grid, uint8_t *ret_cells)
{
    c->is_plain = code_answer(c, P_RARE, c->is_plain);
    c->is_odd = code_answer(c, P_RARE, c->is_odd);
    cairn_grid_rows_clear(&c->rows, grid->has_known);
    memset(&c->far, 0, sizeof c->far);
    for (uint32_t y = 0; y < grid->height; y++) {
        begin_row(c, y);
        gather_columns(c, y);
        code_row(c, grid, y, ret_cells);
        cairn_grid_row_end(&c->rows, y);
    }
}
