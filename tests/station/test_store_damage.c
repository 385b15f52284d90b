// A store that was cut, or changed, anywhere: nothing crashes, a person is told, and every row that is still whole is
// there. Which rows are whole is worked out here in another way: with SQLite's own list of which pages a row lies on.
#include "base/random.h"
#include "station/store/database_io.h"
#include "store_rig.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = CAIRN_DATABASE_PAGE_BYTES, FRAME = PAGE + 24, LOG_HEAD = 32, TICKETS_MAX = 4000 };

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes read_file(const char *path)
{
    bytes all = {0};
    FILE *const file = fopen(path, "rb");
    if (file == NULL) { return all; }
    (void)fseek(file, 0, SEEK_END);
    all.size = (size_t)ftell(file);
    (void)fseek(file, 0, SEEK_SET);
    all.data = malloc(all.size + 1);
    assert_non_null(all.data);
    assert_int_equal(fread(all.data, 1, all.size, file), all.size);
    (void)fclose(file);
    return all;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const char *beside(const store_rig *rig, const char *ending)
{
    static char path[RIG_PATH_BYTES + 16];
    (void)snprintf(path, sizeof path, "%s%s", rig->path, ending);
    return path;
}

// A life of some thousand records in small batches with some snapshots. Records have their ticket as number.
static uint64_t live(store_rig *rig, cairn_store *store, uint64_t from, uint64_t to)
{
    (void)rig;
    static uint8_t state[6000];
    uint8_t record[RIG_RECORD_BYTES];
    for (uint64_t ticket = from; ticket <= to; ticket++) {
        if (ticket % 500 == 0) {
            for (size_t i = 0; i < sizeof state; i++) { state[i] = (uint8_t)((ticket * i * i) >> 3); }
            memcpy(state, &ticket, sizeof ticket);
            assert_int_equal(cairn_store_append_snapshot(store, 1, state, sizeof state), ticket);
        } else {
            assert_int_equal(cairn_store_append(store, record, store_rig_record(ticket, record), false), ticket);
        }
        if (ticket % 20 == 0 || ticket == to) {
            (void)cairn_store_append(store, record, store_rig_record(ticket + 1, record), true);
            store_rig_await(store, ++ticket);
        }
    }
    return cairn_store_look(store).appended;
}

// The rows of a file whose log is empty: tickets, and the end of the last page that each lies on. From dbstat, which
// knows for every page of a table which rows hang on it.
typedef struct where {
    uint64_t first, last;
    bool records;
    size_t end; // everything of the row lies before this byte
} where;

typedef struct truth {
    where *rows;
    size_t count;
    size_t setup_end;
} truth;

static int64_t number(sqlite3 *db, const char *sql, int64_t parameter)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    (void)sqlite3_bind_int64(statement, 1, parameter);
    const int64_t found = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return found;
}

// The leaf pages of a table in order of their keys, then rows by leaf: dbstat's path "/001/002" is the way down the
// tree, with "+000000" for a chain of overflow pages of the leaf's cell.
static truth find_truth(const char *path)
{
    truth all = {.rows = calloc(TICKETS_MAX, sizeof *all.rows)};
    sqlite3 *db;
    sqlite3_stmt *rows, *leaves;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    const char *const sql_leaves =
        "SELECT leaf.ncell, leaf.path, leaf.pageno FROM dbstat leaf WHERE leaf.name = 'batches' AND "
        "leaf.pagetype = 'leaf' ORDER BY leaf.path";
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT first, last, length(bytes) FROM batches ORDER BY first", -1, &rows, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql_leaves, -1, &leaves, NULL), SQLITE_OK);
    while (sqlite3_step(leaves) == SQLITE_ROW) {
        const int cells = sqlite3_column_int(leaves, 0);
        for (int cell = 0; cell < cells; cell++) {
            assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
            char like[200];
            (void)snprintf(like, sizeof like, "%s%03x+*", (const char *)sqlite3_column_text(leaves, 1), cell);
            sqlite3_stmt *chain;
            assert_int_equal(sqlite3_prepare_v2(db,
                                                "SELECT max(pageno) FROM dbstat WHERE name = 'batches' AND path GLOB ?",
                                                -1, &chain, NULL),
                             SQLITE_OK);
            (void)sqlite3_bind_text(chain, 1, like, -1, SQLITE_STATIC);
            assert_int_equal(sqlite3_step(chain), SQLITE_ROW);
            const int64_t chained = sqlite3_column_int64(chain, 0), leaf = sqlite3_column_int64(leaves, 2);
            sqlite3_finalize(chain);
            assert_true(all.count < TICKETS_MAX);
            all.rows[all.count++] = (where){.first = (uint64_t)sqlite3_column_int64(rows, 0),
                                            .last = (uint64_t)sqlite3_column_int64(rows, 1),
                                            .records = sqlite3_column_int64(rows, 2) > 0,
                                            .end = (size_t)(chained > leaf ? chained : leaf) * PAGE};
        }
    }
    assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
    sqlite3_finalize(rows);
    sqlite3_finalize(leaves);
    all.setup_end = (size_t)number(db, "SELECT max(pageno) FROM dbstat WHERE name = 'setup' AND ?1 = ?1", 0) * PAGE;
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return all;
}

// What was read back of each ticket.
typedef struct seen {
    bool has[TICKETS_MAX];
    uint64_t count, last;
} seen;

// Where the gap ends that reading stopped at, from what was said about it.
static uint64_t gap_end(const store_rig *rig)
{
    unsigned long long end = 0;
    const char *const at = strstr(rig->complaints.text, "; from ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "; from %*u to %llu", &end), 1);
    return end;
}

// Every record that can be had of a store, over gaps too, by asking for what follows each.
static void see_all(store_rig *rig, cairn_store *store, uint64_t upto, seen *ret_seen)
{
    memset(ret_seen, 0, sizeof *ret_seen);
    for (uint64_t after = 0; after < upto;) {
        store_rig_read read;
        const cairn_err err = store_rig_read_inputs(rig, store, after, &read);
        if (err == CAIRN_ERR_EMPTY) { return; } // the setup is lost
        assert_true(err == CAIRN_OK || err == CAIRN_ERR_CORRUPT);
        for (size_t i = 0; i < read.count; i++) {
            assert_int_equal(read.numbers[i], read.tickets[i]);
            assert_true(read.tickets[i] < TICKETS_MAX);
            ret_seen->count += !ret_seen->has[read.tickets[i]];
            ret_seen->has[read.tickets[i]] = true;
            ret_seen->last = read.tickets[i];
        }
        store_rig_read_free(&read);
        if (err == CAIRN_OK) { return; }
        assert_true(gap_end(rig) > after);
        after = gap_end(rig);
        store_rig_forget(rig);
    }
}

static void remove_asides(const store_rig *rig)
{
    (void)unlink(beside(rig, ".damaged-1"));
    (void)unlink(beside(rig, ".damaged-1-wal"));
    (void)unlink(beside(rig, "-wal"));
    (void)unlink(beside(rig, "-shm"));
}

// Opens for reading and for writing, and gives what both see, which must be the same; false if it was refused.
static bool see_both(store_rig *rig, uint64_t upto, cairn_err refusal, seen *ret_seen)
{
    static seen by_reading;
    cairn_store *store = NULL;
    store_rig_forget(rig);
    cairn_err err = cairn_store_open_reading(rig->path, &rig->complaints, &store);
    const bool read = err == CAIRN_OK;
    store_rig_forget(rig);
    if (read) {
        see_all(rig, store, upto, &by_reading);
        cairn_store_close(store);
    }
    store_rig_forget(rig);
    err = cairn_store_open(&rig->def, &rig->complaints, &store);
    if (err != CAIRN_OK) {
        assert_int_equal(err, refusal);
        assert_true(rig->complaints.count > 0);
        return false;
    }
    const cairn_complaints said = rig->complaints;
    store_rig_forget(rig);
    see_all(rig, store, upto, ret_seen);
    cairn_store_close(store);
    // Without a setup a reader has nothing; a station has its own, and finds what goes with it.
    if (read && by_reading.count > 0) { assert_memory_equal(&by_reading, ret_seen, sizeof by_reading); }
    rig->complaints = said;
    return true;
}

static void a_file_cut_anywhere_keeps_what_lies_before_the_cut(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    const uint64_t last = live(rig, store, 1, 1200);
    cairn_store_close(store);
    const bytes whole = read_file(rig->path);
    const truth known = find_truth(rig->path);
    static seen found;
    size_t most = 0;
    for (size_t cut = 0; cut < whole.size; cut += 1000) {
        write_file(rig->path, whole.data, cut);
        assert_true(see_both(rig, last, CAIRN_OK, &found));
        assert_true(cut == 0 || (store_rig_said(rig, "is damaged") && store_rig_said(rig, "made anew")));
        for (size_t i = 0; i < known.count; i++) {
            const where *const row = &known.rows[i];
            if (!row->records || row->end > cut) { continue; }
            for (uint64_t ticket = row->first; ticket <= row->last; ticket++) { assert_true(found.has[ticket]); }
        }
        if (found.count > most) { most = found.count; }
        remove_asides(rig);
    }
    assert_true(most > 1000);
    print_message("%zu bytes, cut %zu times\n", whole.size, whole.size / 1000 + 1);
    free(known.rows);
    free(whole.data);
}

// The log is where the newest records are. Everything in whole frames before the cut is there.
static void a_log_cut_anywhere_keeps_what_lies_before_the_cut(void **state)
{
    store_rig *const rig = *state;
    cairn_store *const store = store_rig_open(rig);
    const uint64_t last = live(rig, store, 1, 300);
    const bytes file = read_file(rig->path), log = read_file(beside(rig, "-wal")); // as a power failure would leave it
    cairn_store_close(store);
    assert_true(log.size > 50 * FRAME);
    static seen found, before;
    memset(&before, 0, sizeof before);
    for (size_t cut = 0; cut <= log.size; cut += 1000) {
        write_file(rig->path, file.data, file.size);
        write_file(beside(rig, "-wal"), log.data, cut);
        if (see_both(rig, last, CAIRN_OK, &found)) {
            // A longer log never has less in it.
            for (uint64_t ticket = 1; ticket <= last; ticket++) {
                assert_true(!before.has[ticket] || found.has[ticket]);
            }
            before = found;
        }
        remove_asides(rig);
    }
    write_file(rig->path, file.data, file.size);
    write_file(beside(rig, "-wal"), log.data, log.size);
    assert_true(see_both(rig, last, CAIRN_OK, &found));
    assert_int_equal(rig->complaints.count, 0);
    assert_int_equal(found.last, last);
    free(file.data);
    free(log.data);
}

// Whether the tickets missing are few: those of one page, or of one row on several pages.
static uint64_t missing_count(const seen *found, uint64_t last)
{
    uint64_t count = 0;
    for (uint64_t ticket = 1; ticket <= last; ticket++) { count += !found->has[ticket] && ticket % 500 != 0; }
    return count;
}

// One flipped bit costs the rows of one page at most, wherever it is, and is never passed over in silence.
static void a_flipped_bit_costs_no_more_than_its_page(void **state)
{
    store_rig *const rig = *state;
    const uint64_t seed = (uint64_t)getpid();
    print_message("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "flips");
    cairn_store *const store = store_rig_open(rig);
    (void)live(rig, store, 1, 300);
    const bytes log_file = read_file(rig->path), log = read_file(beside(rig, "-wal"));
    const uint64_t last = cairn_store_look(store).appended;
    cairn_store_close(store);
    const bytes file = read_file(rig->path);
    static seen found;
    for (int round = 0; round < 400; round++) {
        const bool in_log = round % 2 == 0;
        const bytes *const flipped = in_log ? &log : &file;
        const size_t at = round < 200 ? (size_t)round / 2 : cairn_random_u64(&random) % flipped->size;
        const uint8_t bit = (uint8_t)(1u << cairn_random_u64(&random) % 8);
        flipped->data[at] ^= bit;
        write_file(rig->path, in_log ? log_file.data : file.data, in_log ? log_file.size : file.size);
        if (in_log) { write_file(beside(rig, "-wal"), log.data, log.size); }
        // A version of another number is refused: 60 to 63 is where it stands.
        const bool version = !in_log && at >= 60 && at < 64;
        if (see_both(rig, last, version ? CAIRN_ERR_UNSUPPORTED : CAIRN_OK, &found)) {
            const uint64_t missing = missing_count(&found, last);
            const bool right = missing == 0 || (missing <= 100 && store_rig_said(rig, "is damaged"));
            if (!right) { print_error("%s byte %zu: %d missing\n", in_log ? "log" : "file", at, (int)missing); }
            assert_true(right);
        }
        flipped->data[at] ^= bit;
        remove_asides(rig);
    }
    free(file.data);
    free(log.data);
    free(log_file.data);
}

// A snapshot behind the damage is all that a restart needs.
static void a_sound_snapshot_behind_damage_is_a_good_start(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    const uint64_t last = live(rig, store, 1, 1100);
    cairn_store_close(store);
    const bytes whole = read_file(rig->path);
    const truth known = find_truth(rig->path);
    // A row in the first third.
    memset(whole.data + known.rows[known.count / 3].end - PAGE, 0, PAGE);
    write_file(rig->path, whole.data, whole.size);

    store_rig_forget(rig);
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_true(store_rig_said(rig, "tickets before that are missing"));
    assert_true(store_rig_said(rig, ".damaged-1"));
    cairn_store_snapshot snapshot;
    store_rig_read read;
    assert_int_equal(store_rig_read_inputs(rig, store, 0, &read), CAIRN_ERR_CORRUPT);
    store_rig_read_free(&read);
    assert_ok(cairn_store_read_snapshot(store, 0, &snapshot));
    assert_int_equal(snapshot.ticket, 1000);
    uint64_t kept;
    memcpy(&kept, snapshot.bytes, sizeof kept);
    assert_int_equal(kept, 1000);
    assert_ok(store_rig_read_inputs(rig, store, snapshot.ticket, &read));
    assert_int_equal(read.tickets[read.count - 1], last);
    store_rig_read_free(&read);
    assert_int_equal(cairn_store_append(store, (const uint8_t *)"on", 2, true), last + 1);
    store_rig_await(store, last + 1);
    cairn_store_close(store);

    // It was moved aside as it was; and the new one is sound.
    const bytes aside = read_file(beside(rig, ".damaged-1"));
    assert_int_equal(aside.size, whole.size);
    assert_memory_equal(aside.data, whole.data, whole.size);
    store_rig_forget(rig);
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_int_equal(rig->complaints.count, 0);
    cairn_store_close(store);
    free(aside.data);
    free(whole.data);
    free(known.rows);
}

// The station's own setup stands in for a damaged one, but only where it is the same.
static void a_lost_setup_is_made_good_by_the_same_one_only(void **state)
{
    store_rig *const rig = *state;
    for (int same = 0; same < 2; same++) {
        cairn_store *store = store_rig_open(rig);
        const uint64_t last = live(rig, store, 1, 40);
        cairn_store_close(store);
        const bytes whole = read_file(rig->path);
        const truth known = find_truth(rig->path);
        memset(whole.data + known.setup_end - PAGE, 0, PAGE);
        write_file(rig->path, whole.data, whole.size);
        cairn_store_def def = rig->def;
        if (!same) { def.setup_bytes--; }
        store_rig_forget(rig);
        assert_ok(cairn_store_open(&def, &rig->complaints, &store));
        assert_true(store_rig_said(rig, "the setup in it is lost"));
        assert_int_equal(cairn_store_committed(store), same ? last : 0);
        cairn_store_close(store);
        remove_asides(rig);
        (void)unlink(rig->path);
        free(whole.data);
        free(known.rows);
    }
}

// A station may die while it makes a file anew: the next one finishes it.
static void a_replacement_that_was_interrupted_is_finished(void **state)
{
    store_rig *const rig = *state;
    cairn_store *store = store_rig_open(rig);
    const uint64_t last = live(rig, store, 1, 40);
    cairn_store_close(store);
    assert_int_equal(rename(rig->path, beside(rig, ".new")), 0);
    write_file(rig->path, (const uint8_t *)"rubble", 6);
    write_file(beside(rig, "-wal"), (const uint8_t *)"more rubble", 11);
    assert_ok(cairn_store_open(&rig->def, &rig->complaints, &store));
    assert_true(store_rig_said(rig, "made anew"));
    assert_int_equal(cairn_store_committed(store), last);
    cairn_store_close(store);
    const bytes rubble = read_file(beside(rig, ".damaged-1"));
    assert_int_equal(rubble.size, 6);
    free(rubble.data);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, store_rig_make, store_rig_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_RIG(a_file_cut_anywhere_keeps_what_lies_before_the_cut),
        WITH_RIG(a_log_cut_anywhere_keeps_what_lies_before_the_cut),
        WITH_RIG(a_flipped_bit_costs_no_more_than_its_page),
        WITH_RIG(a_sound_snapshot_behind_damage_is_a_good_start),
        WITH_RIG(a_lost_setup_is_made_good_by_the_same_one_only),
        WITH_RIG(a_replacement_that_was_interrupted_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
