// Journals that go on in new files: what each file holds, what is deleted, and what a full disk does.
#include "../base/check.h"
#include "base/random.h"
#include "journal/mcap_read.h"
#include "journal/rotation.h"
#include "journal/series_io.h"
#include "messages/codec.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_BYTES 1000

static char folder[64];
static cairn_complaints complaints;
static cairn_rotation *rotation;
static cairn_random randomness;

static int start(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cairn-rotation-XXXXXX");
    complaints = (cairn_complaints){0};
    cairn_random_init(&randomness, 1, "tests/rotation");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int finish(void **state)
{
    (void)state;
    cairn_rotation_destroy(rotation);
    rotation = NULL;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 ? 0 : -1; // NOLINT(cert-env33-c): a folder of our own
}

static cairn_rotation_def small_def(void)
{
    cairn_rotation_def def = cairn_rotation_def_default();
    def.folder = folder;
    def.prefix = "emu1";
    def.journal.chunk_bytes = 4000;
    def.journal.message_bytes_max = 1 << 16;
    def.rotate_bytes = 20000;
    def.rotate_ns = 0;
    def.quota_bytes = 0;
    return def;
}

static void begin(const cairn_rotation_def *def)
{
    assert_ok(cairn_rotation_create(def, &complaints, &rotation));
    assert_ok(cairn_rotation_add_type(rotation, "/a", &cairn_ros_sensor_msgs_Image_type));
    assert_ok(cairn_rotation_add_type(rotation, "/b", &cairn_ros_sensor_msgs_Imu_type));
}

// Noise, which no compression makes smaller; its first bytes are the message's number.
static cairn_err write_one(uint32_t number, int64_t at_ns)
{
    uint8_t bytes[MESSAGE_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) { bytes[i] = (uint8_t)cairn_random_below(&randomness, 256); }
    memcpy(bytes, &number, sizeof number);
    return cairn_rotation_write(rotation, (uint16_t)(1 + number % 2), at_ns, at_ns, bytes, sizeof bytes);
}

static cairn_series_files list(const char *prefix)
{
    cairn_series_files files;
    assert_ok(cairn_series_list(&(cairn_series){folder, prefix}, &files));
    return files;
}

// Reads a file on its own; returns the number of its last message.
static uint32_t check_file(uint64_t number, uint32_t first, bool whole)
{
    char path[CAIRN_SERIES_PATH_BYTES];
    cairn_mcap_source source;
    cairn_mcap_reader *reader = NULL;
    const cairn_mcap_limits limits = cairn_mcap_limits_default();
    assert_ok(cairn_series_path(&(cairn_series){folder, "emu1"}, number, path));
    assert_ok(cairn_mcap_source_open(path, &complaints, &source));
    assert_ok(cairn_mcap_reader_create(&source, &limits, &reader));
    uint32_t next = first;
    for (cairn_mcap_message message; cairn_mcap_next(reader, &message) == CAIRN_OK; next++) {
        assert_memory_equal(message.bytes, &next, sizeof next);
        assert_string_equal(message.channel->topic, next % 2 == 0 ? "/a" : "/b");
    }
    if (whole) { assert_true(cairn_mcap_sound(cairn_mcap_reader_info(reader))); }
    cairn_mcap_reader_destroy(reader);
    cairn_mcap_source_close(&source);
    return next;
}

// Nothing is lost between files, and each can be read without the others.
static void every_file_is_whole_and_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    const cairn_rotation_def def = small_def();
    begin(&def);
    for (uint32_t i = 0; i < 200; i++) { assert_ok(write_one(i, i)); }
    assert_ok(cairn_rotation_finish(rotation));
    cairn_rotation_info info;
    cairn_rotation_look(rotation, &info);
    assert_int_equal(info.message_count, 200);
    assert_in_range(info.file_count, 8, 12); // 200 kB and schemas in files of 20 kB, each up to a chunk larger
    uint64_t bytes = 0;
    cairn_series_files files = list("emu1");
    assert_int_equal(files.count, info.file_count);
    uint32_t next = 0;
    for (size_t i = 0; i < files.count; i++) {
        assert_int_equal(files.files[i].number, i + 1);
        next = check_file(i + 1, next, true);
        bytes += files.files[i].bytes;
    }
    assert_int_equal(next, 200);
    assert_int_equal(info.file_bytes, bytes);
    cairn_series_files_finish(&files);
}

static void a_file_ends_when_it_is_old(void **state)
{
    (void)state;
    cairn_rotation_def def = small_def();
    def.rotate_bytes = 0;
    def.rotate_ns = CAIRN_S(60);
    begin(&def);
    for (uint32_t i = 0; i < 10; i++) { assert_ok(write_one(i, CAIRN_S(1000 + 20 * (int64_t)i))); }
    assert_ok(cairn_rotation_finish(rotation));
    assert_int_equal(check_file(1, 0, true), 3); // 0, 20 and 40 s
    assert_int_equal(check_file(2, 3, true), 6);
    assert_int_equal(check_file(3, 6, true), 9);
    assert_int_equal(check_file(4, 9, true), 10);
}

// A program that was killed and started again must not write over what it recorded before.
static void numbers_go_on_after_a_restart(void **state)
{
    (void)state;
    const cairn_rotation_def def = small_def();
    begin(&def);
    for (uint32_t i = 0; i < 60; i++) { assert_ok(write_one(i, i)); }
    cairn_series_files before = list("emu1");
    cairn_rotation_destroy(rotation); // as if killed
    begin(&def);
    assert_ok(write_one(60, 60));
    assert_ok(cairn_rotation_finish(rotation));
    cairn_series_files after = list("emu1");
    assert_int_equal(after.count, before.count + 1);
    assert_int_equal(check_file(before.count + 1, 60, true), 61);
    for (size_t i = 0; i + 1 < before.count; i++) { assert_int_equal(after.files[i].bytes, before.files[i].bytes); }
    cairn_series_files_finish(&before);
    cairn_series_files_finish(&after);
}

static void touch(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 50000; i++) { (void)fputc(1, file); }
    assert_int_equal(fclose(file), 0);
}

static bool exists(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

// The disk belongs to others, too; and what is deleted is counted, so that it can be told.
static void the_oldest_files_go_when_the_quota_is_reached_and_no_others(void **state)
{
    (void)state;
    static const char *const others[] = {"emu-000001.mcap",   "emu10-000001.mcap",  "emu1-00001.mcap",
                                         "emu1-000001.mcap2", "emu1-x-000001.mcap", "emu1.mcap"};
    for (size_t i = 0; i < 6; i++) { touch(others[i]); }
    cairn_rotation_def def = small_def();
    def.quota_bytes = 70000;
    begin(&def);
    for (uint32_t i = 0; i < 300; i++) {
        assert_ok(write_one(i, i));
        cairn_series_files files = list("emu1");
        uint64_t bytes = 0;
        for (size_t k = 0; k < files.count; k++) { bytes += files.files[k].bytes; }
        assert_true(bytes <= 70000 + 8000); // a chunk and a summary more
        cairn_series_files_finish(&files);
    }
    assert_ok(cairn_rotation_finish(rotation));
    cairn_rotation_info info;
    cairn_rotation_look(rotation, &info);
    cairn_series_files files = list("emu1");
    assert_int_equal(files.count + info.deleted_count, info.file_count);
    assert_in_range(files.count, 2, 4);
    assert_int_equal(files.files[files.count - 1].number, info.file_count);
    cairn_series_files_finish(&files);
    for (size_t i = 0; i < 6; i++) { assert_true(exists(others[i])); }
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// A full disk (here: the largest file that the system allows) ends one file; when there is room again, the next
// begins, ten seconds later and not with every message.
static void writing_goes_on_in_a_new_file_when_there_is_room_again(void **state)
{
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    cairn_rotation_def def = small_def();
    def.rotate_bytes = 0;
    begin(&def);
    limit_files(10000);
    uint32_t i = 0;
    while (i < 50 && write_one(i, CAIRN_MS(i)) == CAIRN_OK) { i++; }
    assert_in_range(i, 8, 16);
    const uint32_t failed = i;
    limit_files(RLIM_INFINITY);
    cairn_rotation_info info;
    cairn_rotation_look(rotation, &info);
    assert_int_equal(info.err, CAIRN_ERR_FULL);
    assert_non_null(strstr(info.trouble, "free some space"));
    for (i++; i < failed + 100; i++) { // less than ten seconds
        assert_int_equal(write_one(i, CAIRN_MS(50 * (int64_t)(i - failed))), CAIRN_ERR_FULL);
    }
    const uint32_t first = i;
    for (; i < first + 5; i++) { assert_ok(write_one(i, CAIRN_S(11))); }
    assert_ok(cairn_rotation_finish(rotation));
    cairn_rotation_look(rotation, &info);
    assert_int_equal(info.err, CAIRN_OK);
    assert_int_equal(info.trouble_count, 1);
    assert_int_equal(info.lost_count, 100);
    assert_true(check_file(1, 0, false) > 3); // complete chunks of the first are there
    assert_int_equal(check_file(2, first, true), first + 5);
}

// The owner's first words stand at the head of each file, so the file must wait for the owner; but not for ever.
static void an_owner_who_turns_is_waited_for(void **state)
{
    (void)state;
    cairn_rotation_def def = small_def();
    def.rotate_bytes = 0;
    def.rotate_ns = CAIRN_S(60);
    def.owner_turns = true;
    begin(&def);
    assert_ok(write_one(0, 0));
    assert_false(cairn_rotation_is_due(rotation, CAIRN_S(59)));
    assert_true(cairn_rotation_is_due(rotation, CAIRN_S(60)));
    assert_ok(write_one(1, CAIRN_S(61)));
    assert_ok(cairn_rotation_turn(rotation, CAIRN_S(61)));
    assert_ok(write_one(2, CAIRN_S(61)));
    assert_ok(write_one(3, CAIRN_S(122)));
    assert_ok(write_one(4, CAIRN_S(151)));
    assert_ok(write_one(5, CAIRN_S(153))); // 31 s late
    assert_ok(cairn_rotation_finish(rotation));
    assert_int_equal(check_file(1, 0, true), 2);
    assert_int_equal(check_file(2, 2, true), 5);
    assert_int_equal(check_file(3, 5, true), 6);
}

static void a_folder_without_a_parent_is_said(void **state)
{
    (void)state;
    cairn_rotation_def def = small_def();
    def.folder = "/tmp/cairn-no-such-folder/journals";
    assert_int_equal(cairn_rotation_create(&def, &complaints, &rotation), CAIRN_ERR_IO);
    assert_non_null(strstr(complaints.text, "/tmp/cairn-no-such-folder/journals: cannot make this folder"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
    const struct CMUnitTest tests[] = {
        TEST(every_file_is_whole_and_goes_on_where_the_last_one_ended),
        TEST(a_file_ends_when_it_is_old),
        TEST(numbers_go_on_after_a_restart),
        TEST(the_oldest_files_go_when_the_quota_is_reached_and_no_others),
        TEST(writing_goes_on_in_a_new_file_when_there_is_room_again),
        TEST(an_owner_who_turns_is_waited_for),
        TEST(a_folder_without_a_parent_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
