#include "maps/codec/neighbour_codec.h"
#include "maps/codec/tables/neighbour_tables.h"

static const uint16_t *table_of(cairn_neighbours model, uint8_t mask)
{
    static const uint16_t *const tables[2][CAIRN_NEIGHBOURS_COUNT] = {
        {neighbours_known_4, neighbours_known_6, neighbours_known_9, neighbours_known_10},
        {neighbours_obstacle_4, neighbours_obstacle_6, neighbours_obstacle_9, neighbours_obstacle_10}};
    CAIRN_ASSERT((mask == 1 || mask == 2) && model < CAIRN_NEIGHBOURS_COUNT);
    return tables[mask - 1][model];
}

cairn_err cairn_neighbour_encode(const uint8_t *cells, uint32_t width, uint32_t height, uint8_t mask,
                                 cairn_neighbours model, uint8_t *ret_code, size_t code_bytes_max,
                                 size_t *ret_code_bytes)
{
    const uint16_t *table = table_of(model, mask);
    cairn_range_writer writer = {.range = CAIRN_RANGE_WHOLE, .bytes = ret_code, .count_max = code_bytes_max};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t context = cairn_neighbours_of(cells, width, mask, cairn_neighbour_bits[model], x, y);
            cairn_range_put(&writer, table[context], (cells[(size_t)y * width + x] & mask) != 0);
        }
    }
    cairn_range_put_end(&writer);
    if (writer.is_full) { return CAIRN_ERR_FULL; }
    *ret_code_bytes = writer.count;
    return CAIRN_OK;
}

cairn_err cairn_neighbour_decode(const uint8_t *code, size_t code_bytes, uint32_t width, uint32_t height, uint8_t mask,
                                 cairn_neighbours model, uint8_t *cells)
{
    const uint16_t *table = table_of(model, mask);
    cairn_range_reader reader;
    cairn_range_reader_init(&reader, code, code_bytes);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t context = cairn_neighbours_of(cells, width, mask, cairn_neighbour_bits[model], x, y);
            uint8_t *cell = &cells[(size_t)y * width + x];
            *cell = (uint8_t)(cairn_range_get(&reader, table[context]) ? *cell | mask : *cell & ~mask);
        }
    }
    return cairn_range_is_ended(&reader) ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}
