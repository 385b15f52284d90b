// Journals written and read back: whole, cut, damaged, and on a full disk.
#include "../base/check.h"
#include "base/random.h"
#include "journal/journal.h"
#include "journal/mcap_read.h"
#include "messages/codec.h"
#include <stdlib.h>
#include <string.h>

#define CHANNELS 3
#define MESSAGES 40

static char folder[] = "/tmp/cairn-test-XXXXXX";
static char path[64];
static cairn_complaints complaints;

// The k-th message of a small journal: everything follows from k.
static uint16_t channel_of(int k) { return (uint16_t)(k * 7 % CHANNELS); }
static int64_t time_of(int k) { return k * 1000 - (k % 5) * 1500 + 10000; }
static size_t bytes_of(int k, uint8_t *ret_bytes)
{
    cairn_random random;
    cairn_random_init(&random, (uint64_t)k, "tests/journal");
    const size_t size = cairn_random_below(&random, 90);
    for (size_t i = 0; i < size; i++) { ret_bytes[i] = (uint8_t)cairn_random_below(&random, 4); }
    return size;
}

static cairn_journal *open_journal(const cairn_journal_def *def, uint16_t channels[CHANNELS])
{
    cairn_journal *journal = NULL;
    assert_ok(cairn_journal_create(def, path, &complaints, &journal));
    assert_ok(cairn_journal_add_channel(journal, "/a", "p/msg/A", "int8[] x\n", "cdr", &channels[0]));
    assert_ok(cairn_journal_add_channel(journal, "/b", "p/msg/A", "int8[] x\n", "cdr", &channels[1]));
    assert_ok(cairn_journal_add_channel(journal, "/c", "p/msg/B", "int8 x\n", "cdr", &channels[2]));
    return journal;
}

static uint64_t write_small(size_t chunk_bytes, int level, int count)
{
    cairn_journal_def def = cairn_journal_def_default();
    def.chunk_bytes = chunk_bytes;
    def.zstd_level = level;
    uint16_t channels[CHANNELS];
    cairn_journal *journal = open_journal(&def, channels);
    for (int k = 0; k < count; k++) {
        uint8_t bytes[100];
        const size_t size = bytes_of(k, bytes);
        assert_ok(cairn_journal_write(journal, channels[channel_of(k)], time_of(k), time_of(k) + 5, bytes, size));
    }
    assert_ok(cairn_journal_finish(journal));
    assert_int_equal(cairn_journal_message_count(journal), count);
    assert_string_equal(cairn_journal_trouble(journal), "");
    const uint64_t hash = cairn_journal_hash(journal);
    cairn_journal_destroy(journal);
    return hash;
}

static uint8_t *load_file(size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *ret_size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

// Reads everything; the messages must be the first ones that were written, unaltered.
static cairn_mcap_info read_all(const uint8_t *bytes, size_t size, bool in_order)
{
    cairn_mcap_memory memory = {bytes, size};
    const cairn_mcap_source source = cairn_mcap_source_memory(&memory);
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    cairn_mcap_reader *reader = NULL;
    cairn_mcap_info info = {.end = CAIRN_MCAP_BROKEN};
    if (cairn_mcap_reader_create(&source, &limits, &reader) != CAIRN_OK) { return info; }
    cairn_mcap_message message;
    for (int k = 0; cairn_mcap_next(reader, &message) == CAIRN_OK; k++) {
        if (!in_order) { continue; }
        static const char *const topics[CHANNELS] = {"/a", "/b", "/c"};
        uint8_t wanted[100];
        assert_int_equal(message.size, bytes_of(k, wanted));
        assert_memory_equal(message.bytes, wanted, message.size);
        assert_int_equal(message.log_time_ns, time_of(k));
        assert_int_equal(message.publish_time_ns, time_of(k) + 5);
        assert_string_equal(message.channel->topic, topics[channel_of(k)]);
        assert_string_equal(message.channel->schema_name, channel_of(k) == 2 ? "p/msg/B" : "p/msg/A");
        assert_string_equal(message.channel->schema, channel_of(k) == 2 ? "int8 x\n" : "int8[] x\n");
    }
    info = *cairn_mcap_reader_info(reader);
    cairn_mcap_reader_destroy(reader);
    return info;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    const uint64_t hash = write_small(500, 1, MESSAGES);
    size_t size = 0;
    uint8_t *bytes = load_file(&size);
    const cairn_mcap_info info = read_all(bytes, size, true);
    assert_string_equal(info.trouble, "");
    assert_true(cairn_mcap_sound(&info));
    assert_int_equal(info.message_count, MESSAGES);
    assert_in_range(info.chunk_count, 3, MESSAGES);
    assert_string_equal(info.profile, "ros2");
    assert_string_equal(info.library, "cairn " CAIRN_VERSION);
    assert_int_equal(info.format, CAIRN_JOURNAL_FORMAT);
    assert_true(info.hash == hash && info.has_hash_recorded && info.hash_recorded == hash);
    free(bytes);
}

static void an_empty_journal_is_sound(void **state)
{
    (void)state;
    (void)write_small(500, 1, 0);
    size_t size = 0;
    uint8_t *bytes = load_file(&size);
    const cairn_mcap_info info = read_all(bytes, size, true);
    assert_true(cairn_mcap_sound(&info));
    assert_int_equal(info.message_count, 0);
    free(bytes);
}

static void the_hash_depends_on_the_messages_only(void **state)
{
    (void)state;
    const uint64_t hash = write_small(500, 1, MESSAGES);
    assert_true(write_small(1 << 20, 1, MESSAGES) == hash);
    assert_true(write_small(1, 1, MESSAGES) == hash);
    assert_true(write_small(500, 9, MESSAGES) == hash);
    assert_true(write_small(500, 1, MESSAGES - 1) != hash);
}

static void the_same_calls_give_the_same_file(void **state)
{
    (void)state;
    size_t size[2];
    uint8_t *bytes[2];
    for (int i = 0; i < 2; i++) {
        (void)write_small(500, 1, MESSAGES);
        bytes[i] = load_file(&size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

// A crash can cut a file anywhere. Every chunk before the cut must be there, and nothing else.
static void a_journal_cut_at_any_byte_gives_every_complete_chunk(void **state)
{
    (void)state;
    (void)write_small(200, 1, MESSAGES);
    size_t size = 0;
    uint8_t *bytes = load_file(&size);
    uint32_t chunks_before = 0, growths = 0;
    const uint32_t chunks = read_all(bytes, size, true).chunk_count;
    uint64_t chunk_end = 0; // where the chunk record that is being cut would end
    uint64_t at = 8;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1); // so that a sanitizer sees a read past the end
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        const cairn_mcap_info info = read_all(exact, cut, true);
        free(exact);
        assert_false(cairn_mcap_sound(&info));
        if (cut >= 8) { assert_int_equal(info.end, CAIRN_MCAP_CUT); }
        // Follow the records by hand: a chunk counts from the byte on at which it is complete.
        while (at + 9 <= cut) {
            uint64_t length;
            memcpy(&length, bytes + at + 1, sizeof length);
            chunk_end = at + 9 + length;
            if (chunk_end > cut) { break; }
            growths += bytes[at] == 0x06;
            at = chunk_end;
        }
        assert_int_equal(info.chunk_count, growths);
        assert_true(info.chunk_count >= chunks_before);
        chunks_before = info.chunk_count;
    }
    assert_int_equal(growths, chunks);
    free(bytes);
}

static void a_flipped_bit_is_seen_wherever_it_is(void **state)
{
    (void)state;
    (void)write_small(1000, 1, 12);
    size_t size = 0;
    uint8_t *bytes = load_file(&size);
    cairn_mcap_info info = read_all(bytes, size, true);
    assert_true(cairn_mcap_sound(&info));
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        info = read_all(bytes, size, false);
        if (cairn_mcap_sound(&info)) { fail_msg("bit %zu of byte %zu was not seen", i % 8, i / 8); }
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(bytes);
}

// A damaged chunk costs its own messages, not those after it.
static void reading_goes_on_after_a_damaged_chunk(void **state)
{
    (void)state;
    (void)write_small(300, 1, MESSAGES);
    size_t size = 0;
    uint8_t *bytes = load_file(&size);
    const cairn_mcap_info whole = read_all(bytes, size, true);
    uint64_t at = 8, length = 0;
    int chunk = 0;
    for (;; at += 9 + length) {
        memcpy(&length, bytes + at + 1, sizeof length);
        if (bytes[at] == 0x06 && ++chunk == 3) { break; }
    }
    bytes[at + 9 + length - 2] ^= 0x10; // in the compressed bytes
    const cairn_mcap_info info = read_all(bytes, size, false);
    assert_int_equal(info.end, CAIRN_MCAP_COMPLETE);
    assert_int_equal(info.chunk_count, whole.chunk_count - 1);
    assert_in_range(info.message_count, 1, whole.message_count - 1);
    assert_non_null(strstr(info.trouble, "a chunk is left out"));
    free(bytes);
}

static void a_full_disk_is_said_and_stays_said(void **state)
{
    (void)state;
    cairn_journal *journal = NULL;
    cairn_journal_def def = cairn_journal_def_default();
    def.chunk_bytes = 1000;
    uint16_t channel = 0;
    assert_ok(cairn_journal_create(&def, "/dev/full", &complaints, &journal));
    assert_ok(cairn_journal_add_channel(journal, "/a", "p/msg/A", "int8[] x\n", "cdr", &channel));
    cairn_err err = CAIRN_OK;
    static uint8_t bytes[2000];
    for (int k = 0; k < 3 && err == CAIRN_OK; k++) { err = cairn_journal_write(journal, channel, k, k, bytes, 2000); }
    assert_int_equal(err, CAIRN_ERR_FULL);
    assert_int_equal(cairn_journal_write(journal, channel, 9, 9, bytes, 1), CAIRN_ERR_FULL);
    assert_int_equal(cairn_journal_finish(journal), CAIRN_ERR_FULL);
    assert_non_null(strstr(cairn_journal_trouble(journal), "/dev/full: No space left on device"));
    cairn_journal_destroy(journal);
}

static void a_place_that_cannot_be_written_is_said(void **state)
{
    (void)state;
    cairn_journal *journal = NULL;
    const cairn_journal_def def = cairn_journal_def_default();
    memset(&complaints, 0, sizeof complaints);
    assert_int_equal(cairn_journal_create(&def, "/nowhere/x.mcap", &complaints, &journal), CAIRN_ERR_IO);
    assert_null(journal);
    assert_string_equal(complaints.text, "/nowhere/x.mcap: cannot write a journal here: No such file or directory\n");
    cairn_mcap_source source;
    memset(&complaints, 0, sizeof complaints);
    assert_int_equal(cairn_mcap_source_open("/nowhere/x.mcap", &complaints, &source), CAIRN_ERR_NOT_FOUND);
    assert_int_equal(complaints.count, 1);
}

static void a_message_beyond_the_limit_is_refused_and_leaves_no_trace(void **state)
{
    (void)state;
    cairn_journal_def def = cairn_journal_def_default();
    def.message_bytes_max = 100;
    uint16_t channels[CHANNELS], scan = 0;
    cairn_journal *journal = open_journal(&def, channels);
    uint8_t bytes[101] = {0};
    assert_int_equal(cairn_journal_write(journal, channels[0], 1, 1, bytes, 101), CAIRN_ERR_TOO_LARGE);
    assert_ok(cairn_journal_write(journal, channels[0], 1, 1, bytes, 100));
    assert_ok(cairn_journal_add_type(journal, "/scan", &cairn_ros_sensor_msgs_LaserScan_type, &scan));
    const float ranges[100] = {0};
    const cairn_ros_sensor_msgs_LaserScan message = {.ranges = {ranges, 100}};
    assert_int_equal(cairn_journal_write_message(journal, scan, 2, 2, &message), CAIRN_ERR_TOO_LARGE);
    const uint64_t hash = cairn_journal_hash(journal);
    assert_ok(cairn_journal_finish(journal));
    cairn_journal_destroy(journal);
    size_t size = 0;
    uint8_t *file = load_file(&size);
    const cairn_mcap_info info = read_all(file, size, false);
    assert_true(cairn_mcap_sound(&info) && info.message_count == 1 && info.hash == hash);
    free(file);
}

static void a_topic_has_one_channel_and_one_schema(void **state)
{
    (void)state;
    const cairn_journal_def def = cairn_journal_def_default();
    uint16_t channels[CHANNELS], again = 0;
    cairn_journal *journal = open_journal(&def, channels);
    assert_ok(cairn_journal_add_channel(journal, "/b", "p/msg/A", "int8[] x\n", "cdr", &again));
    assert_int_equal(again, channels[1]);
    assert_int_equal(cairn_journal_add_channel(journal, "/b", "p/msg/B", "int8 x\n", "cdr", &again), CAIRN_ERR_INVALID);
    assert_int_equal(cairn_journal_add_channel(journal, "/d", "p/msg/A", "other\n", "cdr", &again), CAIRN_ERR_INVALID);
    assert_breach((void)!cairn_journal_write(journal, 77, 0, 0, "", 0));
    assert_breach((void)!cairn_journal_write(journal, 1, -1, 0, "", 0));
    cairn_journal_destroy(journal); // without finish
}

static void more_messages_than_one_chunk_can_index_are_split(void **state)
{
    (void)state;
    cairn_journal_def def = cairn_journal_def_default();
    def.chunk_bytes = 64 << 20;
    uint16_t channels[CHANNELS];
    cairn_journal *journal = open_journal(&def, channels);
    for (int k = 0; k < 70000; k++) { assert_ok(cairn_journal_write(journal, channels[k % 3], k, k, "", 0)); }
    assert_ok(cairn_journal_finish(journal));
    cairn_journal_destroy(journal);
    cairn_mcap_source source;
    cairn_mcap_reader *reader = NULL;
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    assert_ok(cairn_mcap_source_open(path, &complaints, &source));
    assert_ok(cairn_mcap_reader_create(&source, &limits, &reader));
    cairn_mcap_message message;
    for (int k = 0; k < 70000; k++) {
        assert_ok(cairn_mcap_next(reader, &message));
        assert_int_equal(message.sequence, k / 3);
    }
    assert_int_equal(cairn_mcap_next(reader, &message), CAIRN_ERR_EMPTY);
    const cairn_mcap_info *info = cairn_mcap_reader_info(reader);
    assert_true(cairn_mcap_sound(info) && info->chunk_count == 2);
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
}

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) { return -1; }
    return snprintf(path, sizeof path, "%s/journal.mcap", folder) > 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return remove(path) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(an_empty_journal_is_sound),
        cmocka_unit_test(the_hash_depends_on_the_messages_only),
        cmocka_unit_test(the_same_calls_give_the_same_file),
        cmocka_unit_test(a_journal_cut_at_any_byte_gives_every_complete_chunk),
        cmocka_unit_test(a_flipped_bit_is_seen_wherever_it_is),
        cmocka_unit_test(reading_goes_on_after_a_damaged_chunk),
        cmocka_unit_test(a_full_disk_is_said_and_stays_said),
        cmocka_unit_test(a_place_that_cannot_be_written_is_said),
        cmocka_unit_test(a_message_beyond_the_limit_is_refused_and_leaves_no_trace),
        cmocka_unit_test(a_topic_has_one_channel_and_one_schema),
        cmocka_unit_test(more_messages_than_one_chunk_can_index_are_split),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
