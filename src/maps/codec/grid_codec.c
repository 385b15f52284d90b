// grid_codec.c - what a code of a grid needs around the walk over its cells (grid_coder.h): memory, and its ends.
#include "maps/codec/grid_codec.h"
#include "maps/codec/grid_coder.h"

static const cairn_kernel code_kernel = {"grid_code", CAIRN_KERNEL_VARIANTS(cairn_grid_code)};

static bool is_size_possible(const cairn_grid_cells *grid)
{
    return grid->width > 0 && grid->width <= CAIRN_GRID_SIDE_MAX && grid->height > 0 &&
           grid->height <= CAIRN_GRID_SIDE_MAX;
}

size_t cairn_grid_code_bytes_max(const cairn_grid_cells *grid)
{
    // Two rare answers, a bit for each question, and the end.
    return ((size_t)grid->width * grid->height * (grid->has_known ? 2 : 1) + 20) / 8 + 4;
}

size_t cairn_grid_scratch_bytes(uint32_t width, uint32_t height)
{
    return 4 * cairn_grid_rows_bytes(width, height) + 2 * cairn_grid_stride_bytes(width) + sizeof(cairn_grid_model) +
           8 * 64;
}

static void code_cells(cairn_grid_coder *c, const cairn_grid_cells *grid, uint8_t *ret_cells)
{
    ((cairn_grid_code_fn)cairn_dispatch(&code_kernel, cairn_isa_best()))(c, grid, ret_cells);
}

static bool take_rows(cairn_arena *scratch, const cairn_grid_cells *grid, cairn_grid_rows *ret_rows)
{
    const size_t bytes = cairn_grid_rows_bytes(grid->width, grid->height);
    *ret_rows = (cairn_grid_rows){.width = grid->width,
                                  .height = grid->height,
                                  .stride_bytes = cairn_grid_stride_bytes(grid->width),
                                  .unknown = CAIRN_TAKE(scratch, uint8_t, bytes),
                                  .obstacle = CAIRN_TAKE(scratch, uint8_t, bytes)};
    return ret_rows->unknown != NULL && ret_rows->obstacle != NULL;
}

static cairn_err coder_init(cairn_grid_coder *c, const cairn_grid_cells *grid, const cairn_grid_earlier *earlier,
                            cairn_arena *scratch)
{
    CAIRN_ASSERT(is_size_possible(grid));
    CAIRN_ASSERT(earlier == NULL || (is_size_possible(earlier->grid) && earlier->grid->has_known == grid->has_known));
    c->model = CAIRN_TAKE(scratch, cairn_grid_model, 1);
    c->all_unknown = CAIRN_TAKE(scratch, uint8_t, cairn_grid_stride_bytes(grid->width));
    c->some_busy = CAIRN_TAKE(scratch, uint8_t, cairn_grid_stride_bytes(grid->width));
    if (c->model == NULL || c->all_unknown == NULL || c->some_busy == NULL || !take_rows(scratch, grid, &c->rows)) {
        return CAIRN_ERR_FULL;
    }
    if (earlier != NULL) {
        if (!take_rows(scratch, grid, &c->earlier)) { return CAIRN_ERR_FULL; }
        cairn_grid_move(earlier->grid->cells, earlier->grid->width, earlier->grid->height, grid->has_known,
                        &earlier->moved, &c->earlier);
        c->is_cell_on_cell = cairn_grid_moved_is_cell_on_cell(&earlier->moved, earlier->grid->width,
                                                              earlier->grid->height, grid->width, grid->height);
    }
    return CAIRN_OK;
}

static bool has_odd_cells(const cairn_grid_cells *grid)
{
    if (!grid->has_known) { return false; }
    uint8_t odd = false; // not a bool, so that many are looked at together
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        odd |= (grid->cells[i] & (CAIRN_GRID_KNOWN | CAIRN_GRID_OBSTACLE)) == CAIRN_GRID_OBSTACLE;
    }
    return odd != 0;
}

static cairn_err encode_once(cairn_grid_coder *c, const cairn_grid_cells *grid, bool is_after, bool is_plain,
                             uint8_t *ret_code, size_t code_bytes_max, size_t *ret_code_bytes)
{
    cairn_grid_model_init(c->model, grid->has_known, is_after);
    c->is_plain = is_plain;
    c->writer = (cairn_range_writer){.range = CAIRN_RANGE_WHOLE, .bytes = ret_code, .count_max = code_bytes_max};
    code_cells(c, grid, NULL);
    cairn_range_put_end(&c->writer);
    if (c->writer.is_full) { return CAIRN_ERR_FULL; }
    *ret_code_bytes = c->writer.count;
    return CAIRN_OK;
}

cairn_err cairn_grid_encode(const cairn_grid_cells *grid, const cairn_grid_earlier *earlier, cairn_arena *scratch,
                            uint8_t *ret_code, size_t code_bytes_max, size_t *ret_code_bytes)
{
    const size_t mark = cairn_arena_mark(scratch), needed = cairn_grid_code_bytes_max(grid);
    const size_t limit = code_bytes_max < needed ? code_bytes_max : needed;
    cairn_grid_coder c = {.is_odd = has_odd_cells(grid)};
    cairn_err err = coder_init(&c, grid, earlier, scratch);
    if (err == CAIRN_OK) {
        err = encode_once(&c, grid, earlier != NULL, false, ret_code, limit, ret_code_bytes);
        if (err == CAIRN_ERR_FULL && limit == needed) {
            err = encode_once(&c, grid, earlier != NULL, true, ret_code, limit, ret_code_bytes);
        }
    }
    cairn_arena_reset(scratch, mark);
    return err;
}

cairn_err cairn_grid_decode(const uint8_t *code, size_t code_bytes, const cairn_grid_earlier *earlier,
                            cairn_arena *scratch, cairn_grid_cells *ret_grid)
{
    if (code_bytes > cairn_grid_code_bytes_max(ret_grid)) { return CAIRN_ERR_CORRUPT; }
    const size_t mark = cairn_arena_mark(scratch);
    cairn_grid_coder c = {.is_reading = true};
    cairn_err err = coder_init(&c, ret_grid, earlier, scratch);
    if (err == CAIRN_OK) {
        cairn_grid_model_init(c.model, ret_grid->has_known, earlier != NULL);
        cairn_range_reader_init(&c.reader, code, code_bytes);
        code_cells(&c, ret_grid, ret_grid->cells);
        err = cairn_range_is_ended(&c.reader) ? CAIRN_OK : CAIRN_ERR_CORRUPT;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
