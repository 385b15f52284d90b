// The station's memory: what is committed is there again, what is not kept is told, and the disk never holds anybody
// up.
#include "base/random.h"
#include "station/store/database_io.h"
#include "store_rig.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t append(cairn_store *store, uint64_t number, bool urgent)
{
    uint8_t record[RIG_RECORD_BYTES];
    return cairn_store_append(store, record, store_rig_record(number, record), urgent);
}

static uint64_t append_snapshot(cairn_store *store, const char *text)
{
    return cairn_store_append_snapshot(store, 7, (const uint8_t *)text, strlen(text) + 1);
}

// A restart goes on where the last station was.
static void what_was_appended_is_there_again_and_tickets_go_on(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    for (uint64_t i = 1; i <= 1000; i++) { assert_int_equal(append(store, i, false), i); }
    cairn_store_close(store);

    for (uint64_t round = 0; round < 2; round++) {
        assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
        assert_int_equal(cairn_store_committed(store), 1000 + round);
        store_rig_read read;
        assert_ok(store_rig_read_inputs(rig, store, 0, &read));
        assert_int_equal(read.count, 1000 + round);
        for (size_t i = 0; i < read.count; i++) {
            assert_int_equal(read.tickets[i], i + 1);
            assert_int_equal(read.numbers[i], i + 1);
        }
        store_rig_read_free(&read);
        assert_ok(store_rig_read_inputs(rig, store, 990, &read));
        assert_int_equal(read.count, 10 + round);
        assert_int_equal(read.tickets[0], 991);
        store_rig_read_free(&read);
        assert_int_equal(append(store, 1001 + round, true), 1001 + round);
        store_rig_await(store, 1001 + round);
        cairn_store_close(store);
    }
    assert_int_equal(rig->complaints.count, 0);
}

// The station is built from the setup that its records were made with, whatever its config says today.
static void the_first_setup_counts(void **state)
{
    store_rig *const rig = *state;
    const uint8_t *kept;
    size_t size;
    cairn_store_close(store_rig_open(rig));
    cairn_store_def def = rig->def;
    def.setup = (const uint8_t *)"other";
    def.setup_bytes = 5;
    cairn_store *store;
    assert_ok(cairn_store_open(&def, &rig->complaints, &store));
    assert_ok(cairn_store_setup(store, &kept, &size));
    assert_int_equal(size, rig->def.setup_bytes);
    assert_memory_equal(kept, rig->def.setup, size);
    cairn_store_close(store);
}

// Acknowledgements wait for this: neither an urgent record nor any other may be left behind.
static void every_record_is_committed_by_itself(void **state)
{
    store_rig *const rig = *state;
    cairn_store *const store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    store_rig_await(store, append(store, 2, false));
    const cairn_store_info info = cairn_store_look(store);
    assert_int_equal(info.committed, 2);
    assert_int_equal(info.appended, 2);
    assert_int_equal(info.commit_count, 2);
    assert_int_equal(info.waiting_bytes, 0);
    assert_true(!info.failing && !info.wants_snapshot && info.refused_count == 0);
    assert_true(info.commit_ns_max > 0 && info.file_bytes > 0);
    cairn_store_close(store);
}

static void the_last_two_snapshots_stay(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    uint64_t tickets[5];
    char text[32];
    for (uint64_t i = 0; i < 5; i++) {
        (void)append(store, i, false);
        (void)snprintf(text, sizeof text, "state %d", (int)i);
        tickets[i] = append_snapshot(store, text);
        if (i % 2 == 0) { store_rig_await(store, tickets[i]); }
    }
    cairn_store_close(store);

    store = store_rig_open(rig);
    cairn_store_snapshot snapshot;
    for (uint32_t skip = 0; skip < 2; skip++) {
        assert_ok(cairn_store_read_snapshot(store, skip, &snapshot));
        (void)snprintf(text, sizeof text, "state %d", (int)(4 - skip));
        assert_string_equal((const char *)snapshot.bytes, text);
        assert_int_equal(snapshot.size, strlen(text) + 1);
        assert_int_equal(snapshot.ticket, tickets[4 - skip]);
        assert_int_equal(snapshot.layout, 7);
    }
    assert_int_equal(cairn_store_read_snapshot(store, 2, &snapshot), CAIRN_ERR_EMPTY);
    store_rig_read read;
    assert_ok(store_rig_read_inputs(rig, store, tickets[3], &read));
    assert_int_equal(read.count, 1);
    assert_int_equal(read.numbers[0], 4);
    store_rig_read_free(&read);
    assert_ok(store_rig_read_inputs(rig, store, 0, &read));
    assert_int_equal(read.count, 5);
    store_rig_read_free(&read);
    cairn_store_close(store);
}

// A station that has not taken in what the file says would add records that follow from something else.
static void nothing_is_kept_before_the_file_was_read(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    (void)append(store, 1, false);
    cairn_store_close(store);

    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_true(cairn_store_look(store).wants_snapshot);
    assert_int_equal(append(store, 2, false), 0);
    assert_int_equal(append_snapshot(store, "fresh"), 2);
    assert_int_equal(append(store, 3, false), 3);
    cairn_store_close(store);

    store_rig_read read;
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_int_equal(store_rig_read_inputs(rig, store, 0, &read), CAIRN_ERR_CORRUPT);
    assert_int_equal(read.count, 1);
    store_rig_read_free(&read);
    assert_ok(store_rig_read_inputs(rig, store, 2, &read));
    assert_int_equal(read.count, 1);
    assert_int_equal(read.numbers[0], 3);
    store_rig_read_free(&read);
    cairn_store_close(store);
}

static cairn_err refuse_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    (void)context, (void)record, (void)size;
    return ticket == 2 ? CAIRN_ERR_UNSUPPORTED : CAIRN_OK;
}

static void a_reader_that_gives_up_must_take_a_snapshot(void **state)
{
    store_rig *const rig = *state;
    cairn_store *const store = store_rig_open(rig);
    for (uint64_t i = 1; i <= 3; i++) { (void)append(store, i, false); }
    cairn_store_close(store);
    cairn_store *again;
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &again));
    assert_int_equal(cairn_store_read_inputs(again, 0, refuse_record, NULL, &rig->complaints), CAIRN_ERR_UNSUPPORTED);
    assert_int_equal(append(again, 4, false), 0);
    assert_int_equal(append_snapshot(again, "x"), 4);
    assert_int_equal(append(again, 4, false), 5);
    cairn_store_close(again);
}

static void await_failing(cairn_store *store, bool failing)
{
    while (cairn_store_look(store).failing != failing) { usleep(1000); }
}

// Disk full is a stated case: nothing that was taken is lost, nothing is confirmed, and it goes on by itself.
static void a_full_disk_is_told_and_got_over(void **state)
{
    store_rig *const rig = *state;
    store_rig_disk(RIG_DISK_GOOD);
    cairn_store *store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    for (int kind = 0; kind < 2; kind++) {
        store_rig_disk(kind == 0 ? RIG_DISK_FULL : RIG_DISK_BROKEN);
        const uint64_t first = append(store, (uint64_t)(2 + 2 * kind), true);
        await_failing(store, true);
        cairn_store_info info = cairn_store_look(store);
        assert_int_equal(info.committed, first - 1);
        assert_true(info.waiting_bytes > 0);
        assert_non_null(strstr(info.trouble, kind == 0 ? "the disk is full; make room" : "acknowledged"));
        assert_non_null(strstr(info.trouble, rig->path));
        assert_int_equal(append(store, (uint64_t)(3 + 2 * kind), true), first + 1);
        store_rig_disk(RIG_DISK_GOOD);
        store_rig_await(store, first + 1);
        info = cairn_store_look(store);
        assert_true(!info.failing && info.trouble[0] == '\0' && info.waiting_bytes == 0);
    }
    cairn_store_close(store);

    store_rig_read read;
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_ok(store_rig_read_inputs(rig, store, 0, &read));
    assert_int_equal(read.count, 5);
    for (size_t i = 0; i < 5; i++) { assert_int_equal(read.numbers[i], i + 1); }
    store_rig_read_free(&read);
    cairn_store_close(store);
    assert_int_equal(rig->complaints.count, 0);
}

// What could not be written was never confirmed; closing must not wait for room that may never come.
static void a_store_on_a_full_disk_can_be_closed(void **state)
{
    store_rig *const rig = *state;
    store_rig_disk(RIG_DISK_GOOD);
    cairn_store *store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    store_rig_disk(RIG_DISK_FULL);
    (void)append(store, 2, true);
    cairn_store_close(store);
    store_rig_disk(RIG_DISK_GOOD);
    store = store_rig_open(rig);
    assert_int_equal(cairn_store_committed(store), 1);
    cairn_store_close(store);
}

// Stop, stick and telemetry go through the same thread as append: a disk that hangs may not hang it.
static void a_disk_that_hangs_holds_nobody_up(void **state)
{
    store_rig *const rig = *state;
    store_rig_disk(RIG_DISK_GOOD);
    cairn_store *const store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    store_rig_disk(RIG_DISK_HANGS);
    // Every call returns although no write does: if one waited for the disk, this would never end.
    for (uint64_t i = 2; i <= 5000; i++) { assert_int_equal(append(store, i, i % 7 == 0), i); }
    assert_int_equal(append_snapshot(store, "meanwhile"), 5001);
    assert_int_equal(cairn_store_committed(store), 1);
    assert_int_equal(cairn_store_look(store).appended, 5001);
    store_rig_disk(RIG_DISK_GOOD);
    store_rig_await(store, 5001);
    cairn_store_close(store);
}

// Memory is bounded. What is refused leaves a gap, and over a gap nothing is replayed.
static void a_full_waiting_room_makes_a_gap_that_a_snapshot_closes(void **state)
{
    store_rig *const rig = *state;
    store_rig_disk(RIG_DISK_GOOD);
    rig->def.waiting_bytes_max = 10000;
    cairn_store *store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    store_rig_disk(RIG_DISK_FULL);
    uint64_t last = 1;
    for (uint64_t ticket; (ticket = append(store, last + 1, true)) != 0;) { last = ticket; }
    cairn_store_info info = cairn_store_look(store);
    assert_true(last > 20 && info.waiting_bytes <= 10000 && info.wants_snapshot);
    assert_int_equal(append(store, 999, false), 0);
    assert_int_equal(cairn_store_append(store, (const uint8_t *)"s", 1, false), 0); // though it would fit
    assert_int_equal(cairn_store_look(store).refused_count, 3);
    static uint8_t large[9000];
    assert_int_equal(cairn_store_append_snapshot(store, 7, large, sizeof large), 0);
    store_rig_disk(RIG_DISK_GOOD);
    store_rig_await(store, last);

    assert_int_equal(append(store, 999, false), 0); // room again, but still a gap
    static uint8_t huge[20000];
    assert_int_equal(cairn_store_append_snapshot(store, 7, huge, sizeof huge), last + 1);
    store_rig_await(store, last + 1);
    assert_false(cairn_store_look(store).wants_snapshot);
    assert_int_equal(append(store, 1000, false), last + 2);
    cairn_store_close(store);

    store_rig_read read;
    cairn_store_snapshot snapshot;
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_ok(cairn_store_read_snapshot(store, 0, &snapshot));
    assert_int_equal(snapshot.ticket, last + 1);
    assert_int_equal(snapshot.size, sizeof huge);
    assert_int_equal(store_rig_read_inputs(rig, store, 0, &read), CAIRN_ERR_CORRUPT);
    assert_int_equal(read.count, last);
    assert_true(store_rig_said(rig, "records are missing"));
    store_rig_read_free(&read);
    assert_ok(store_rig_read_inputs(rig, store, snapshot.ticket, &read));
    assert_int_equal(read.count, 1);
    assert_int_equal(read.numbers[0], 1000);
    store_rig_read_free(&read);
    cairn_store_close(store);
}

static void the_quota_holds_and_can_be_raised(void **state)
{
    store_rig *const rig = *state;
    rig->def.quota_bytes = 200000;
    cairn_store *store = store_rig_open(rig);
    uint64_t count = 0;
    while (!cairn_store_look(store).failing) {
        assert_int_equal(append(store, count + 1, true), count + 1);
        count++;
        usleep(200);
    }
    assert_non_null(strstr(cairn_store_look(store).trouble, "quota"));
    const uint64_t committed = cairn_store_committed(store);
    assert_true(committed > 100 && committed < count);
    assert_true(cairn_store_look(store).file_bytes <= rig->def.quota_bytes);
    struct stat found;
    assert_int_equal(stat(rig->path, &found), 0);
    assert_true((uint64_t)found.st_size <= rig->def.quota_bytes);
    cairn_store_close(store); // keeps what waits, or raising the quota would cost that

    store = store_rig_open(rig);
    assert_int_equal(cairn_store_committed(store), count);
    while (!cairn_store_look(store).failing) { // the quota is as before
        (void)append(store, ++count, true);
        usleep(200);
    }
    cairn_store_close(store);
    rig->def.quota_bytes *= 4;
    store = store_rig_open(rig);
    store_rig_await(store, append(store, count + 1, true));
    assert_false(cairn_store_look(store).failing);
    cairn_store_close(store);
}

// At the quota, the pages of the oldest snapshot are used for the newest.
static void snapshots_do_not_add_up(void **state)
{
    store_rig *const rig = *state;
    cairn_random random;
    cairn_random_init(&random, 1, "snapshots");
    static uint8_t noise[50000];
    for (size_t i = 0; i < sizeof noise; i++) { noise[i] = (uint8_t)cairn_random_u64(&random); }
    rig->def.quota_bytes = 4 * sizeof noise;
    cairn_store *const store = store_rig_open(rig);
    for (int i = 0; i < 20; i++) { store_rig_await(store, cairn_store_append_snapshot(store, 1, noise, sizeof noise)); }
    assert_false(cairn_store_look(store).failing);
    cairn_store_close(store);
}

static void two_stations_cannot_have_one_store(void **state)
{
    store_rig *const rig = *state;
    cairn_store *const store = store_rig_open(rig);
    cairn_store *second;
    assert_int_equal(cairn_store_open(&rig->def, &rig->complaints, &second), CAIRN_ERR_IO);
    char words[64];
    (void)snprintf(words, sizeof words, "another station (process %ld) has this store open", (long)getpid());
    assert_true(store_rig_said(rig, words));
    cairn_store_close(store);
    cairn_store_close(store_rig_open(rig));
}

static void expect_refusal(store_rig *rig, const char *path, cairn_err err, const char *words)
{
    cairn_store *store;
    cairn_store_def def = rig->def;
    def.path = path;
    store_rig_forget(rig);
    assert_int_equal(cairn_store_open(&def, &rig->complaints, &store), err);
    assert_true(store_rig_said(rig, words));
    assert_true(store_rig_said(rig, path));
}

static void write_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

// Somebody's file is not touched, and a person is told what to do.
// A new mission may not take the file from under a station that runs: it would go on in one that no restart finds.
static void a_store_is_set_aside_whole_and_never_while_it_is_open(void **state)
{
    store_rig *const rig = *state;
    assert_ok(cairn_store_move_aside(rig->path, &rig->complaints)); // there is nothing
    cairn_store *store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    assert_int_equal(cairn_store_move_aside(rig->path, &rig->complaints), CAIRN_ERR_IO);
    assert_true(store_rig_said(rig, "has this store open"));
    store_rig_await(store, append(store, 2, true));
    cairn_store_close(store);

    for (uint64_t mission = 1; mission <= 2; mission++) {
        assert_ok(cairn_store_move_aside(rig->path, &rig->complaints));
        store = store_rig_open(rig);
        assert_int_equal(cairn_store_committed(store), 0);
        store_rig_await(store, append(store, 7, true));
        cairn_store_close(store);
        char before[RIG_PATH_BYTES + 16];
        (void)snprintf(before, sizeof before, "%s.before-%u", rig->path, (unsigned)mission);
        cairn_store *old = NULL;
        assert_ok(cairn_store_open_reading(before, &rig->complaints, &old));
        assert_int_equal(cairn_store_committed(old), mission == 1 ? 2 : 1);
        cairn_store_close(old);
    }
}

static void what_is_not_a_store_is_refused_in_words(void **state)
{
    store_rig *const rig = *state;
    char path[RIG_PATH_BYTES * 2];
    (void)snprintf(path, sizeof path, "%s/nowhere/mission.store", rig->folder);
    expect_refusal(rig, path, CAIRN_ERR_NOT_FOUND, "the folder for this store does not exist; make it");
    (void)snprintf(path, sizeof path, "%s/letter.txt", rig->folder);
    const char letter[] = "Dear station, this is not a database. It is long enough to be looked at, though, is it not?";
    write_file(path, letter);
    expect_refusal(rig, path, CAIRN_ERR_INVALID, "is not a store of cairn");
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_size, sizeof letter - 1);

    (void)snprintf(path, sizeof path, "%s/music.db", rig->folder);
    run_sql(path, "CREATE TABLE songs(name TEXT); INSERT INTO songs VALUES ('Ode'); PRAGMA user_version = 12");
    expect_refusal(rig, path, CAIRN_ERR_INVALID, "is not a store of cairn");
    run_sql(path, "SELECT name FROM songs");

    (void)snprintf(path, sizeof path, "%s/folder", rig->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_refusal(rig, path, CAIRN_ERR_IO, "cannot be opened");
    assert_int_equal(rmdir(path), 0);
    expect_refusal(rig, "/proc/mission.store", CAIRN_ERR_NOT_FOUND, "/proc");
}

static void a_folder_that_cannot_be_written_is_told(void **state)
{
    store_rig *const rig = *state;
    const uid_t nobody = 65534, before = geteuid();
    assert_int_equal(chmod(rig->folder, 0555), 0);
    if (before == 0) { assert_int_equal(seteuid(nobody), 0); } // root may write everywhere
    expect_refusal(rig, rig->path, CAIRN_ERR_IO, "no store can be kept here: Permission denied");
    assert_int_equal(seteuid(before), 0);
    assert_int_equal(chmod(rig->folder, 0700), 0);
}

static void a_newer_version_is_refused_in_words(void **state)
{
    store_rig *const rig = *state;
    cairn_store_close(store_rig_open(rig));
    run_sql(rig->path, "PRAGMA user_version = 2");
    expect_refusal(rig, rig->path, CAIRN_ERR_UNSUPPORTED, "version 2, and this cairn knows versions up to 1");
    store_rig_forget(rig);
    cairn_store *store;
    assert_int_equal(cairn_store_open_reading(rig->path, &rig->complaints, &store), CAIRN_ERR_UNSUPPORTED);
    assert_true(store_rig_said(rig, "version 2"));
}

// The way that a later version will take: today's tables, and a step that changes them, or fails.
static void a_migration_is_whole_or_not_at_all_and_keeps_a_copy(void **state)
{
    store_rig *const rig = *state;
    cairn_store *const store = store_rig_open(rig);
    (void)append(store, 1, false);
    cairn_store_close(store);
    const char *const good[] = {cairn_database_steps[0], "ALTER TABLE snapshots ADD COLUMN label TEXT",
                                "UPDATE snapshots SET label = ''; CREATE TABLE notes(text)"};
    const char *const bad[] = {cairn_database_steps[0], "ALTER TABLE snapshots ADD COLUMN label TEXT", "NONSENSE"};
    char words[CAIRN_DATABASE_WORDS_BYTES], copy[RIG_PATH_BYTES + 8];
    (void)snprintf(copy, sizeof copy, "%s.v1", rig->path);

    cairn_database db;
    int64_t number = 0;
    assert_int_equal(cairn_database_open(&db, rig->path, CAIRN_DATABASE_WRITE, words), SQLITE_OK);
    assert_int_not_equal(cairn_database_migrate(&db, rig->path, bad, 1, 3, NULL, 0), SQLITE_OK);
    assert_int_equal(cairn_database_number(&db, "PRAGMA user_version", &number), SQLITE_OK);
    assert_int_equal(number, 1);
    assert_int_equal(cairn_database_check(&db).verdict, CAIRN_DATABASE_SOUND);
    assert_int_equal(cairn_database_migrate(&db, rig->path, good, 1, 3, NULL, 0), SQLITE_OK);
    assert_int_equal(cairn_database_number(&db, "PRAGMA user_version", &number), SQLITE_OK);
    assert_int_equal(number, 3);
    assert_int_equal(cairn_database_number(&db, "SELECT count(*) FROM batches", &number), SQLITE_OK);
    assert_int_equal(number, 1);
    assert_int_equal(cairn_database_check(&db).verdict, CAIRN_DATABASE_NEWER);
    cairn_database_close(&db);

    // The copy is a store as it was.
    rig->def.path = copy;
    cairn_store_close(store_rig_open(rig));
    rig->def.path = rig->path;
}

static size_t count_files(const store_rig *rig)
{
    size_t count = 0;
    DIR *const folder = opendir(rig->folder);
    while (readdir(folder) != NULL) { count++; }
    closedir(folder);
    return count;
}

static void a_store_can_be_read_while_a_station_writes_and_after(void **state)
{
    store_rig *const rig = *state;
    cairn_store *reader = NULL;
    assert_int_equal(cairn_store_open_reading(rig->path, &rig->complaints, &reader), CAIRN_ERR_NOT_FOUND);
    store_rig_forget(rig);
    cairn_store *const store = store_rig_open(rig);
    store_rig_await(store, append(store, 1, true));
    store_rig_read read;
    assert_ok(cairn_store_open_reading(rig->path, &rig->complaints, &reader));
    store_rig_await(store, append(store, 2, true));
    assert_ok(store_rig_read_inputs(rig, reader, 0, &read));
    assert_true(read.count >= 1);
    store_rig_read_free(&read);
    cairn_store_close(reader);
    cairn_store_close(store);

    const size_t files = count_files(rig);
    assert_ok(cairn_store_open_reading(rig->path, &rig->complaints, &reader));
    assert_ok(store_rig_read_inputs(rig, reader, 0, &read));
    assert_int_equal(read.count, 2);
    store_rig_read_free(&read);
    cairn_store_close(reader);
    assert_int_equal(count_files(rig), files);
    assert_int_equal(rig->complaints.count, 0);
}

// Any mixture of records, snapshots and restarts, against a list in memory.
static void random_lives_are_kept_as_a_list_would(void **state)
{
    store_rig *const rig = *state;
    enum { STEPS = 1500 };
    static uint64_t by_ticket[STEPS + 1]; // number of the record; 0: a snapshot
    static uint8_t state_bytes[30000];
    const uint64_t seed = (uint64_t)getpid();
    print_message("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "store");
    cairn_store *store = store_rig_open(rig);
    uint64_t last = 0, snapshot = 0, snapshot_size = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint64_t chance = cairn_random_u64(&random) % 100;
        if (chance < 90) {
            by_ticket[++last] = (uint64_t)step + 1;
            assert_int_equal(append(store, (uint64_t)step + 1, chance < 10), last);
        } else if (chance < 97) {
            snapshot_size = 1 + cairn_random_u64(&random) % sizeof state_bytes;
            memset(state_bytes, step, snapshot_size);
            snapshot = ++last;
            by_ticket[last] = 0;
            assert_int_equal(cairn_store_append_snapshot(store, (uint32_t)step, state_bytes, snapshot_size), last);
        } else {
            cairn_store_close(store);
            assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
            cairn_store_snapshot found;
            assert_int_equal(cairn_store_read_snapshot(store, 0, &found), snapshot ? CAIRN_OK : CAIRN_ERR_EMPTY);
            if (snapshot != 0) {
                assert_int_equal(found.ticket, snapshot);
                assert_int_equal(found.size, snapshot_size);
                assert_int_equal(found.bytes[snapshot_size - 1], (uint8_t)found.layout);
            }
            const uint64_t after = cairn_random_u64(&random) % (last + 1);
            store_rig_read read;
            assert_ok(store_rig_read_inputs(rig, store, after, &read));
            size_t at = 0;
            for (uint64_t ticket = after + 1; ticket <= last; ticket++) {
                if (by_ticket[ticket] == 0) { continue; }
                assert_true(at < read.count);
                assert_int_equal(read.tickets[at], ticket);
                assert_int_equal(read.numbers[at++], by_ticket[ticket]);
            }
            assert_int_equal(at, read.count);
            store_rig_read_free(&read);
        }
    }
    cairn_store_close(store);
    assert_int_equal(rig->complaints.count, 0);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, store_rig_make, store_rig_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_RIG(what_was_appended_is_there_again_and_tickets_go_on),
        WITH_RIG(the_first_setup_counts),
        WITH_RIG(every_record_is_committed_by_itself),
        WITH_RIG(the_last_two_snapshots_stay),
        WITH_RIG(nothing_is_kept_before_the_file_was_read),
        WITH_RIG(a_reader_that_gives_up_must_take_a_snapshot),
        WITH_RIG(a_full_disk_is_told_and_got_over),
        WITH_RIG(a_store_on_a_full_disk_can_be_closed),
        WITH_RIG(a_disk_that_hangs_holds_nobody_up),
        WITH_RIG(a_full_waiting_room_makes_a_gap_that_a_snapshot_closes),
        WITH_RIG(the_quota_holds_and_can_be_raised),
        WITH_RIG(snapshots_do_not_add_up),
        WITH_RIG(two_stations_cannot_have_one_store),
        WITH_RIG(a_store_is_set_aside_whole_and_never_while_it_is_open),
        WITH_RIG(what_is_not_a_store_is_refused_in_words),
        WITH_RIG(a_folder_that_cannot_be_written_is_told),
        WITH_RIG(a_newer_version_is_refused_in_words),
        WITH_RIG(a_migration_is_whole_or_not_at_all_and_keeps_a_copy),
        WITH_RIG(a_store_can_be_read_while_a_station_writes_and_after),
        WITH_RIG(random_lives_are_kept_as_a_list_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
