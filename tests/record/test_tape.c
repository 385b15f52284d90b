// The queue before the journal: nobody waits for the disk, nothing is mixed up, what is dropped is counted.
#include "../base/check.h"
#include "base/random.h"
#include "journal/mcap_read.h"
#include "journal/series_io.h"
#include "messages/codec.h"
#include "record/tape.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS 4
#define LINES 2000

static char folder[64], path[96];
static cairn_complaints complaints;
static cairn_tape *tape;

static int start(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cairn-tape-XXXXXX");
    if (mkdtemp(folder) == NULL) { return -1; }
    snprintf(path, sizeof path, "%s/journal.mcap", folder);
    complaints = (cairn_complaints){0};
    return 0;
}

static int finish(void **state)
{
    (void)state;
    cairn_tape_destroy(tape);
    tape = NULL;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? 0 : -1; // NOLINT(cert-env33-c): a folder of our own
}

static cairn_tape_def one_file(bool synchronous, size_t queue_bytes_max)
{
    return (cairn_tape_def){.files = {.path = path, .journal = cairn_journal_def_default()},
                            .synchronous = synchronous,
                            .queue_bytes_max = queue_bytes_max};
}

static void write_line(uint16_t channel, uint32_t number, const char *text)
{
    const cairn_ros_rcl_interfaces_Log line = {.name = "test", .msg = text, .line = number};
    const cairn_mono now = {number};
    cairn_tape_write(tape, channel, now, now, &line);
}

static void *write_many(void *context)
{
    const uint32_t thread = (uint32_t)(uintptr_t)context;
    char topic[16];
    snprintf(topic, sizeof topic, "/line%u", thread);
    const uint16_t channel = cairn_tape_add_type(tape, topic, &cairn_ros_rcl_interfaces_Log_type);
    for (uint32_t i = 0; i < LINES; i++) { write_line(channel, i, topic); }
    return NULL;
}

// Reads a journal that was finished; counts what each of the topics has, which must be in order.
static uint64_t read_back(const char *from, uint32_t ret_counts[THREADS])
{
    cairn_mcap_source source;
    cairn_mcap_reader *reader = NULL;
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    assert_ok(cairn_mcap_source_open(from, &complaints, &source));
    assert_ok(cairn_mcap_reader_create(&source, &limits, &reader));
    uint64_t last[THREADS] = {0};
    memset(ret_counts, 0, THREADS * sizeof *ret_counts);
    for (cairn_mcap_message message; cairn_mcap_next(reader, &message) == CAIRN_OK;) {
        const int at = message.channel->topic[5] - '0';
        assert_true(message.log_time_ns >= last[at]);
        last[at] = message.log_time_ns;
        // Whoever wrote it, the bytes are those of its topic.
        assert_non_null(memmem(message.bytes, message.size, message.channel->topic, strlen(message.channel->topic)));
        ret_counts[at]++;
    }
    assert_true(cairn_mcap_sound(cairn_mcap_reader_info(reader)));
    const uint64_t hash = cairn_mcap_reader_info(reader)->hash;
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
    return hash;
}

static void many_threads_write_and_everything_arrives(void **state)
{
    (void)state;
    const cairn_tape_def def = one_file(false, 64 << 20);
    assert_ok(cairn_tape_create(&def, &complaints, &tape));
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    }
    for (uintptr_t i = 0; i < THREADS; i++) { assert_int_equal(pthread_join(threads[i], NULL), 0); }
    assert_ok(cairn_tape_finish(tape));
    const cairn_tape_info info = cairn_tape_look(tape);
    assert_int_equal(info.dropped_count, 0);
    assert_int_equal(info.files.message_count, THREADS * LINES);
    uint32_t counts[THREADS];
    assert_true(read_back(path, counts) == info.files.hash);
    for (int i = 0; i < THREADS; i++) { assert_int_equal(counts[i], LINES); }
}

// What is compared between runs must not depend on when a thread woke up.
static void a_synchronous_tape_writes_the_same_bytes_every_time(void **state)
{
    (void)state;
    uint8_t *bytes[2];
    size_t sizes[2];
    for (int run = 0; run < 2; run++) {
        const cairn_tape_def def = one_file(true, 64 << 20);
        assert_ok(cairn_tape_create(&def, &complaints, &tape));
        (void)write_many((void *)0);
        (void)write_many((void *)1);
        assert_ok(cairn_tape_finish(tape));
        cairn_tape_destroy(tape);
        tape = NULL;
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        bytes[run] = malloc(4 << 20);
        assert_non_null(bytes[run]);
        sizes[run] = fread(bytes[run], 1, 4 << 20, file);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void *drain(void *context)
{
    const int from = *(int *)context;
    uint8_t block[4096];
    while (read(from, block, sizeof block) > 0) {}
    return NULL;
}

// A disk that stalls is here a pipe that nobody reads. The callers go on; what does not fit is dropped and counted.
static void a_stalled_disk_holds_nobody_up(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    int from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(from >= 0);
    cairn_tape_def def = one_file(false, 1 << 20);
    def.files.journal.chunk_bytes = 10000;
    def.files.journal.zstd_level = -7;
    assert_ok(cairn_tape_create(&def, &complaints, &tape));
    const uint16_t channel = cairn_tape_add_type(tape, "/line0", &cairn_ros_rcl_interfaces_Log_type);
    static char text[30001];
    cairn_random random;
    cairn_random_init(&random, 1, "tests/tape");
    for (uint32_t i = 0; i < 200; i++) { // 6 MB of noise into a queue of two times 1 MB and a pipe of 64 kB
        for (size_t k = 0; k + 1 < sizeof text; k++) { text[k] = (char)(33 + cairn_random_below(&random, 90)); }
        write_line(channel, i, text);
    }
    const uint64_t dropped = cairn_tape_look(tape).dropped_count;
    assert_in_range(dropped, 100, 190);
    assert_int_equal(fcntl(from, F_SETFL, 0), 0); // from now on someone reads, and waits for more
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, drain, &from), 0);
    assert_ok(cairn_tape_finish(tape));
    const cairn_tape_info info = cairn_tape_look(tape);
    assert_int_equal(info.files.message_count + info.dropped_count, 200);
    assert_int_equal(info.dropped_count, dropped);
    assert_int_equal(pthread_join(reader, NULL), 0);
    (void)close(from);
}

// The owner's first words must be the first in the new file, whatever else is in the queue.
static void a_turn_stands_between_what_was_written_before_and_after(void **state)
{
    (void)state;
    cairn_tape_def def = {.files = cairn_rotation_def_default(), .queue_bytes_max = 1 << 20};
    def.files.folder = folder;
    def.files.prefix = "t";
    def.files.owner_turns = true;
    assert_ok(cairn_tape_create(&def, &complaints, &tape));
    const uint16_t before = cairn_tape_add_type(tape, "/line0", &cairn_ros_rcl_interfaces_Log_type);
    const uint16_t after = cairn_tape_add_type(tape, "/line1", &cairn_ros_rcl_interfaces_Log_type);
    for (uint32_t i = 0; i < 100; i++) { write_line(before, i, "/line0"); }
    assert_false(cairn_tape_turn(tape, (cairn_mono){100}, 2 << 20)); // more first words than the queue can hold
    assert_true(cairn_tape_turn(tape, (cairn_mono){100}, 1000));
    for (uint32_t i = 0; i < 50; i++) { write_line(after, i, "/line1"); }
    assert_ok(cairn_tape_finish(tape));
    uint32_t counts[THREADS];
    char file[CAIRN_SERIES_PATH_BYTES];
    assert_ok(cairn_series_path(&(cairn_series){folder, "t"}, 1, file));
    (void)read_back(file, counts);
    assert_true(counts[0] == 100 && counts[1] == 0);
    assert_ok(cairn_series_path(&(cairn_series){folder, "t"}, 2, file));
    (void)read_back(file, counts);
    assert_true(counts[0] == 0 && counts[1] == 50);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
    const struct CMUnitTest tests[] = {
        TEST(many_threads_write_and_everything_arrives),
        TEST(a_synchronous_tape_writes_the_same_bytes_every_time),
        TEST(a_stalled_disk_holds_nobody_up),
        TEST(a_turn_stands_between_what_was_written_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
