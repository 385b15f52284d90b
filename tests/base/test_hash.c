// The hash by which runs are compared.
#include "base/hash.h"
#include "base/random.h"
#include "check.h"
#include <string.h>

// The definition of docs/journal.md, byte by byte.
static uint64_t slow_stir(uint64_t word)
{
    word ^= word >> 32;
    word *= 0x243f6a8885a308d3u;
    word ^= word >> 29;
    word *= 0xa4093822299f31d1u;
    return word ^ word >> 32;
}

static uint64_t slow_hash(uint64_t seed, const uint8_t *bytes, size_t size)
{
    uint64_t lanes[4] = {seed + 1, seed + 2, seed + 3, seed + 4};
    for (size_t block = 0; block < (size + 31) / 32; block++) {
        for (size_t lane = 0; lane < 4; lane++) {
            uint64_t word = 0;
            for (size_t i = 8; i-- > 0;) {
                const size_t at = block * 32 + lane * 8 + i;
                word = word << 8 | (at < size ? bytes[at] : 0);
            }
            const uint64_t sum = lanes[lane] + word * 0x243f6a8885a308d3u;
            lanes[lane] = (sum << 31 | sum >> 33) * 0x13198a2e03707345u;
        }
    }
    uint64_t value = size;
    for (size_t lane = 0; lane < 4; lane++) { value = (value << 27 | value >> 37) + slow_stir(lanes[lane]); }
    return slow_stir(value);
}

static void it_is_what_the_documentation_says(void **state)
{
    (void)state;
    uint8_t bytes[200];
    cairn_random random;
    cairn_random_init(&random, 7, "tests/hash");
    for (size_t size = 0; size < sizeof bytes; size++) {
        for (size_t i = 0; i < size; i++) { bytes[i] = (uint8_t)cairn_random_u64(&random); }
        const uint64_t seed = cairn_random_u64(&random);
        assert_true(cairn_hash_bytes(seed, bytes, size) == slow_hash(seed, bytes, size));
    }
    // One value written down, so that nobody changes the definition by changing both.
    assert_true(cairn_hash_bytes(0, "cairn", 5) == 0x055026f3495a9cb9u);
}

static void every_bit_of_a_block_counts(void **state)
{
    (void)state;
    uint8_t bytes[100] = {0};
    const uint64_t zero = cairn_hash_bytes(1, bytes, sizeof bytes);
    uint32_t changed = 0;
    for (size_t i = 0; i < 8 * sizeof bytes; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        const uint64_t other = cairn_hash_bytes(1, bytes, sizeof bytes);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_true(other != zero);
        changed += (uint32_t)__builtin_popcountll(other ^ zero);
    }
    // On average half of the result changes: 32 of 64 bits, over 800 trials within 5 deviations (4 / sqrt(800)).
    assert_in_range(changed, 800 * 32 - 800 * 5 * 4 / 28, 800 * 32 + 800 * 5 * 4 / 28);
}

static void length_order_topic_and_time_count(void **state)
{
    (void)state;
    const uint64_t a = cairn_hash_topic("/a"), b = cairn_hash_topic("/b");
    const struct {
        uint64_t topic, time;
        const char *bytes;
        size_t size;
    } tries[] = {{a, 1, "x", 1}, {b, 1, "x", 1}, {a, 2, "x", 1}, {a, 1, "y", 1}, {a, 1, "x\0", 2}, {a, 1, "", 0}};
    const size_t count = sizeof tries / sizeof tries[0];
    uint64_t seen[100];
    size_t seen_count = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            cairn_message_hash hash = {0};
            cairn_message_hash_add(&hash, tries[i].topic, tries[i].time, tries[i].bytes, tries[i].size);
            cairn_message_hash_add(&hash, tries[k].topic, tries[k].time, tries[k].bytes, tries[k].size);
            for (size_t s = 0; s < seen_count; s++) { assert_true(seen[s] != hash.value); }
            seen[seen_count++] = hash.value;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_documentation_says),
        cmocka_unit_test(every_bit_of_a_block_counts),
        cmocka_unit_test(length_order_topic_and_time_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
