// grid_move.c - for each cell of the later grid, the one of the earlier grid in which its middle lies.
#include "maps/codec/grid_move.h"

#define ONE30 (INT64_C(1) << 30)
#define QUARTER_URAD 1570796 // a quarter turn; a third of a microradian short, which is no matter at 4096 cells

bool cairn_grid_moved_is_possible(const cairn_grid_moved *moved)
{
    const int32_t far_um = 100000000, turn_urad = 6283186;
    return moved->x_um >= -far_um && moved->x_um <= far_um && moved->y_um >= -far_um && moved->y_um <= far_um &&
           moved->yaw_urad >= -turn_urad && moved->yaw_urad <= turn_urad && moved->cell_um >= 1000 &&
           moved->cell_um <= 10000000;
}

bool cairn_grid_moved_is_cell_on_cell(const cairn_grid_moved *moved, uint32_t width_earlier, uint32_t height_earlier,
                                      uint32_t width, uint32_t height)
{
    const int64_t x_um = 2 * (int64_t)moved->x_um + ((int64_t)width_earlier - width) * moved->cell_um;
    const int64_t y_um = 2 * (int64_t)moved->y_um + ((int64_t)height_earlier - height) * moved->cell_um;
    return moved->yaw_urad == 0 && x_um % (2 * (int64_t)moved->cell_um) == 0 &&
           y_um % (2 * (int64_t)moved->cell_um) == 0;
}

// Taylor's series, for at most an eighth of a turn: the first term left out is below 1e-10.
static cairn_turn small_turn(int64_t angle)
{
    const int64_t square = angle * angle / ONE30;
    int64_t cosine = ONE30, sine = angle, term = ONE30, sine_term = angle;
    for (int64_t i = 1; i <= 5; i++) {
        term = -(term * square / ONE30) / ((2 * i - 1) * (2 * i));
        sine_term = -(sine_term * square / ONE30) / ((2 * i) * (2 * i + 1));
        cosine += term;
        sine += sine_term;
    }
    return (cairn_turn){cosine, sine};
}

cairn_turn cairn_turn_of(int32_t angle_urad)
{
    const int32_t half = angle_urad < 0 ? -QUARTER_URAD / 2 : QUARTER_URAD / 2;
    const int32_t quarters = (angle_urad + half) / QUARTER_URAD;
    // In 1/2^30 rad, less so many quarters of a turn, which are 1686629713.07 of them each.
    const int64_t rest = (int64_t)angle_urad * ONE30 / 1000000 - (int64_t)quarters * 1686629713;
    const cairn_turn turn = small_turn(rest);
    switch (quarters & 3) {
    case 0: return turn;
    case 1: return (cairn_turn){-turn.sine, turn.cosine};
    case 2: return (cairn_turn){-turn.cosine, -turn.sine};
    default: return (cairn_turn){turn.sine, -turn.cosine};
    }
}

void cairn_grid_move(const uint8_t *earlier, uint32_t width, uint32_t height, bool has_known,
                     const cairn_grid_moved *moved, const cairn_grid_rows *ret_rows)
{
    CAIRN_ASSERT(cairn_grid_moved_is_possible(moved));
    cairn_grid_rows_clear(ret_rows, has_known);
    const cairn_turn turn = cairn_turn_of(moved->yaw_urad);
    const int64_t cosine = turn.cosine / 1024, sine = turn.sine / 1024; // 1/2^20; places in half cells are then 1/2^20
    const int64_t left = 2 * (int64_t)moved->x_um * (1 << 20) / moved->cell_um + ((int64_t)width << 20);
    const int64_t low = 2 * (int64_t)moved->y_um * (1 << 20) / moved->cell_um + ((int64_t)height << 20);
    for (uint32_t y = 0; y < ret_rows->height; y++) {
        uint8_t *unknown = cairn_grid_row(ret_rows, ret_rows->unknown, y);
        uint8_t *obstacle = cairn_grid_row(ret_rows, ret_rows->obstacle, y);
        const int64_t dx = (int64_t)ret_rows->width - 1, dy = 2 * (int64_t)y + 1 - ret_rows->height;
        int64_t place_x = cosine * dx - sine * dy + left, place_y = sine * dx + cosine * dy + low;
        // From the right, where a row's bits begin, and a byte at a time: setting bits one by one waits for memory.
        uint32_t known_bits = 0, obstacle_bits = 0;
        const uint32_t end = CAIRN_GRID_PAD + ret_rows->width;
        for (uint32_t bit = CAIRN_GRID_PAD; bit < end; bit++, place_x -= 2 * cosine, place_y -= 2 * sine) {
            const int64_t at_x = place_x >> 21, at_y = place_y >> 21;
            if (at_x >= 0 && at_y >= 0 && at_x < width && at_y < height) {
                const uint32_t cell = earlier[(size_t)at_y * width + (size_t)at_x];
                known_bits |= (cell & 1) << (bit & 7);
                obstacle_bits |= (cell >> 1 & 1) << (bit & 7);
            }
            if ((bit & 7) == 7 || bit + 1 == end) {
                unknown[bit >> 3] &= (uint8_t)~known_bits;
                obstacle[bit >> 3] = (uint8_t)obstacle_bits;
                known_bits = obstacle_bits = 0;
            }
        }
    }
}
