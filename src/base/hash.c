// hash.c - four independent lanes of 64-bit multiplications, so that the processor overlaps them.
//
// A block of 32 bytes goes into four lanes, one word each; the last block is filled up with zeros and the size
// is mixed in at the end, so that trailing zeros count. The multipliers are odd numbers from the digits of pi.
#include "base/hash.h"
#include <string.h>

#define LANES 4
#define BLOCK_BYTES (LANES * sizeof(uint64_t))
#define MULTIPLY_IN 0x243f6a8885a308d3ULL
#define MULTIPLY_ON 0x13198a2e03707345ULL
#define MULTIPLY_OUT 0xa4093822299f31d1ULL

static uint64_t rotate(uint64_t word, unsigned by) { return word << by | word >> (64 - by); }

// Every bit of the word reaches every bit of the result.
static uint64_t stir(uint64_t word)
{
    word = (word ^ word >> 32) * MULTIPLY_IN;
    word = (word ^ word >> 29) * MULTIPLY_OUT;
    return word ^ word >> 32;
}

static void take_block(uint64_t lanes[LANES], const uint8_t *block)
{
    for (size_t i = 0; i < LANES; i++) {
        uint64_t word;
        memcpy(&word, block + i * sizeof word, sizeof word);
        lanes[i] = rotate(lanes[i] + word * MULTIPLY_IN, 31) * MULTIPLY_ON;
    }
}

uint64_t cairn_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    uint64_t lanes[LANES] = {seed + 1, seed + 2, seed + 3, seed + 4};
    const uint8_t *at = bytes;
    size_t left = size;
    for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES) { take_block(lanes, at); }
    if (left > 0) {
        uint8_t last[BLOCK_BYTES] = {0};
        memcpy(last, at, left);
        take_block(lanes, last);
    }
    uint64_t value = size;
    for (size_t i = 0; i < LANES; i++) { value = rotate(value, 27) + stir(lanes[i]); }
    return stir(value);
}

uint64_t cairn_hash_topic(const char *topic) { return cairn_hash_bytes(0, topic, strlen(topic)); }

void cairn_message_hash_add(cairn_message_hash *hash, uint64_t topic_hash, uint64_t log_time_ns, const void *bytes,
                            size_t size)
{
    const uint64_t message = cairn_hash_bytes(topic_hash ^ stir(log_time_ns + 1), bytes, size);
    hash->value = stir(rotate(hash->value, 23) * MULTIPLY_ON + message);
}
