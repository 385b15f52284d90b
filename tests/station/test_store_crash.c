// Killed at any moment, a station has lost nothing that it confirmed.
#include "base/random.h"
#include "store_rig.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { ROUNDS = 20 };

// What the writer tells after every record: how far it is.
typedef struct report {
    uint64_t appended, committed;
} report;

static uint64_t append_number(cairn_store *store, uint64_t number, bool urgent)
{
    uint8_t record[RIG_RECORD_BYTES];
    return cairn_store_append(store, record, store_rig_record(number, record), urgent);
}

// Writes for ever: the number of each record is its ticket, and the state of a snapshot its ticket.
static void write_until_killed(store_rig *rig, uint64_t seed, int pipe_end)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    store_rig_disk(RIG_DISK_SLOW); // so that most kills come in the middle of a commit
    cairn_random random;
    cairn_random_init(&random, seed, "writer");
    cairn_store *store = NULL;
    if (cairn_store_open(&rig->def, &rig->complaints, &store) != CAIRN_OK) { _exit(3); }
    uint64_t ticket = cairn_store_committed(store);
    store_rig_read read;
    if (store_rig_read_inputs(rig, store, 0, &read) != CAIRN_OK) { _exit(4); }
    store_rig_read_free(&read);
    for (;;) {
        const uint64_t chance = cairn_random_u64(&random) % 1000, next = ticket + 1;
        const uint64_t got = chance < 5 ? cairn_store_append_snapshot(store, 1, (const uint8_t *)&next, sizeof next)
                                        : append_number(store, next, chance < 100);
        if (got == next) { ticket = next; }
        const report told = {ticket, cairn_store_committed(store)};
        if (write(pipe_end, &told, sizeof told) != sizeof told) { _exit(5); }
        if (chance % 10 == 0) { (void)usleep((useconds_t)(chance % 7) * 100); }
    }
}

// The last report that came through whole.
static report read_reports(int pipe_end, report last)
{
    report told;
    ssize_t got;
    while ((got = read(pipe_end, &told, sizeof told)) != 0) {
        if (got < 0 && errno == EINTR) { continue; }
        if (got != sizeof told) { break; }
        last = told;
    }
    return last;
}

static void check_all(store_rig *rig, report told)
{
    cairn_store *store = NULL;
    store_rig_forget(rig);
    const cairn_err err = cairn_store_open(&rig->def, &rig->complaints, &store);
    if (err != CAIRN_OK) { print_error("%s: %s", cairn_err_name(err), rig->complaints.text); }
    assert_ok(err);
    store_rig_read read;
    assert_ok(store_rig_read_inputs(rig, store, 0, &read));
    const uint64_t kept = cairn_store_committed(store);
    assert_true(kept >= told.committed);
    uint64_t before = 0, skipped = 0;
    for (size_t i = 0; i < read.count; i++) { // in order, and nothing between but snapshots
        assert_int_equal(read.numbers[i], read.tickets[i]);
        skipped += read.tickets[i] - before - 1;
        before = read.tickets[i];
    }
    assert_int_equal(read.count + skipped, before);
    assert_true(skipped <= 4 + before / 20); // one of 200
    cairn_store_snapshot snapshot;
    if (cairn_store_read_snapshot(store, 0, &snapshot) == CAIRN_OK) {
        uint64_t ticket;
        assert_int_equal(snapshot.size, sizeof ticket);
        memcpy(&ticket, snapshot.bytes, sizeof ticket);
        assert_int_equal(ticket, snapshot.ticket);
        assert_true(ticket <= kept);
    }
    store_rig_read_free(&read);
    cairn_store_close(store);
}

static void what_was_confirmed_survives_kill_9(void **state)
{
    store_rig *const rig = *state;
    const uint64_t seed = (uint64_t)getpid();
    print_message("seed %llu\n", (unsigned long long)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "killer");
    report told = {0};
    // On a busy machine a writer dies before it has done much: then more of them.
    for (uint64_t round = 0; round < ROUNDS || (told.committed <= 100 && round < 20 * ROUNDS); round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20); // so that the writer is at work, and not waiting for us
        const pid_t writer = fork();
        assert_true(writer >= 0);
        if (writer == 0) {
            (void)close(ends[0]);
            write_until_killed(rig, seed + round, ends[1]);
        }
        (void)close(ends[1]);
        // Some die while they open the file, some in the middle of much work.
        report first;
        if (round % 4 != 0) { assert_int_equal(read(ends[0], &first, sizeof first), sizeof first); }
        (void)usleep((useconds_t)(cairn_random_u64(&random) % 60000));
        assert_int_equal(kill(writer, SIGKILL), 0);
        told = read_reports(ends[0], told);
        (void)close(ends[0]);
        int status;
        assert_int_equal(waitpid(writer, &status, 0), writer);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        if (round % 3 != 2) { check_all(rig, told); } // else the next writer finds the ruins itself
    }
    check_all(rig, told);
    assert_true(told.committed > 100);
}

// What a station does with a file that is not there yet, killed at the write or sync after so many. False: it lived.
static bool open_until_killed(store_rig *rig, unsigned steps)
{
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        store_rig_disk_kills_after(steps);
        cairn_store *store = NULL;
        if (cairn_store_open(&rig->def, &rig->complaints, &store) != CAIRN_OK) { _exit(3); }
        cairn_store_close(store);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(writer, &status, 0), writer);
    if (WIFSIGNALED(status)) { return true; }
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

static void killed_at_any_write_of_its_first_moments_it_opens_again(void **state)
{
    store_rig *const rig = *state;
    unsigned steps = 0;
    for (bool killed = true; killed; steps++) {
        for (int aside = 0; aside < 2; aside++) {
            killed = open_until_killed(rig, steps);
            if (aside == 1) { assert_ok(cairn_store_move_aside(rig->path, &rig->complaints)); }
            cairn_store *const store = store_rig_open(rig);
            assert_int_equal(append_number(store, 1, true), 1);
            cairn_store_close(store);
            assert_string_equal(rig->complaints.text, "");
            assert_ok(cairn_store_move_aside(rig->path, &rig->complaints));
        }
    }
    assert_true(steps > 10);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, store_rig_make, store_rig_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_RIG(what_was_confirmed_survives_kill_9),
                                       WITH_RIG(killed_at_any_write_of_its_first_moments_it_opens_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
