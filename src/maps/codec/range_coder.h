// range_coder.h - a binary arithmetic coder: yes-or-no answers, each with a probability, as a string of bytes.
//
// Writer and reader narrow the same interval of 32-bit numbers; bytes on which its two ends agree are settled. The code
// is read as if zeros without end came after it, so zeros at its end are not written. An answer of probability p costs
// -log2(p) bits.
// Source   M. Mahoney's carryless coder (lpaq); integers only.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_P_ONE 65536 // probabilities are 1..65535 of this

typedef struct cairn_range {
    uint32_t low, high; // inclusive
} cairn_range;

#define CAIRN_RANGE_WHOLE ((cairn_range){0, UINT32_MAX})

// The last number of the interval's part that means yes.
static inline uint32_t cairn_range_split(cairn_range range, uint32_t p_yes)
{
    return range.low + (uint32_t)((uint64_t)(range.high - range.low) * p_yes / CAIRN_P_ONE);
}

static inline void cairn_range_take(cairn_range *range, uint32_t split, bool yes)
{
    if (yes) {
        range->high = split;
    } else {
        range->low = split + 1;
    }
}

static inline bool cairn_range_is_settled(cairn_range range) { return (range.low ^ range.high) >> 24 == 0; }

static inline void cairn_range_shift(cairn_range *range)
{
    range->low <<= 8;
    range->high = range->high << 8 | 255;
}

typedef struct cairn_range_writer {
    cairn_range range;
    uint8_t *bytes; // borrowed
    size_t count, count_max;
    bool is_full; // what did not fit is lost
} cairn_range_writer;

static inline void cairn_range_put_byte(cairn_range_writer *writer, uint8_t byte)
{
    if (writer->count < writer->count_max) {
        writer->bytes[writer->count++] = byte;
    } else if (byte != 0) { // a zero may turn out to be one of those at the end
        writer->is_full = true;
    }
}

static inline void cairn_range_put(cairn_range_writer *writer, uint32_t p_yes, bool yes)
{
    cairn_range_take(&writer->range, cairn_range_split(writer->range, p_yes), yes);
    while (cairn_range_is_settled(writer->range)) {
        cairn_range_put_byte(writer, (uint8_t)(writer->range.high >> 24));
        cairn_range_shift(&writer->range);
    }
}

// The number of the interval that the fewest bytes name.
static inline uint32_t cairn_range_number(cairn_range range)
{
    for (uint32_t bytes = 0; bytes < 4; bytes++) {
        const uint32_t rest = UINT32_MAX >> (8 * bytes);
        const uint32_t number = range.low + ((0u - range.low) & rest); // rounded up to so many bytes
        if (number >= range.low && number <= range.high) { return number; }
    }
    return range.low;
}

static inline void cairn_range_put_end(cairn_range_writer *writer)
{
    uint32_t number = cairn_range_number(writer->range);
    for (; number != 0; number <<= 8) { cairn_range_put_byte(writer, (uint8_t)(number >> 24)); }
    while (writer->count > 0 && writer->bytes[writer->count - 1] == 0) { writer->count--; }
}

typedef struct cairn_range_reader {
    cairn_range range;
    uint32_t number;      // within the range
    const uint8_t *bytes; // borrowed
    size_t count, next;   // next may pass count: zeros follow
} cairn_range_reader;

static inline void cairn_range_next_byte(cairn_range_reader *reader)
{
    const uint8_t byte = reader->next < reader->count ? reader->bytes[reader->next] : 0;
    reader->number = reader->number << 8 | byte;
    reader->next++;
}

static inline void cairn_range_reader_init(cairn_range_reader *reader, const uint8_t *bytes, size_t count)
{
    *reader = (cairn_range_reader){.range = CAIRN_RANGE_WHOLE, .bytes = bytes, .count = count};
    for (int i = 0; i < 4; i++) { cairn_range_next_byte(reader); }
}

static inline bool cairn_range_get(cairn_range_reader *reader, uint32_t p_yes)
{
    const uint32_t split = cairn_range_split(reader->range, p_yes);
    const bool yes = reader->number <= split;
    cairn_range_take(&reader->range, split, yes);
    while (cairn_range_is_settled(reader->range)) {
        cairn_range_shift(&reader->range);
        cairn_range_next_byte(reader);
    }
    return yes;
}

// Whether a writer that was given these answers would have written just these bytes.
static inline bool cairn_range_is_ended(const cairn_range_reader *reader)
{
    return reader->number == cairn_range_number(reader->range) && reader->next >= reader->count &&
           (reader->count == 0 || reader->bytes[reader->count - 1] != 0);
}
