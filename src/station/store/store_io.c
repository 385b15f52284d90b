// store_io.c - the waiting room of a store, and the thread that empties it; reading. The file is store_file_io.h's.
//
// What is appended goes into a piece: a batch of records, or a snapshot. The thread takes all pieces that wait and
// writes them in one transaction. If that fails they stay with the thread, and those that come meanwhile go behind
// them. A piece that the thread has taken never changes, so that a batch is the same however often it is written. The
// lock is held to copy a record in or to take the list of pieces, never while the disk is at work.
#include "station/store/store_io.h"
#include "base/clock.h"
#include "base/lock.h"
#include "station/store/store_file_io.h"
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

// How long a record that is not urgent waits for company, and a commit that failed for its next try. Longer: fewer
// writes; shorter: acknowledgements leave sooner.
#define PERIOD_MS 1000
#define BATCH_BYTES_MAX (1u << 20) // of a row: larger ones are costlier to lose to one flipped bit
#define PIECE_BYTES_FIRST 4096
#define SNAPSHOT_LEVEL 1 // of zstd
#define DISK_BYTES_LOW (16u << 20)

typedef struct piece {
    struct piece *next;
    uint64_t first, last, missing;
    bool is_snapshot;
    uint32_t layout;
    uint8_t *bytes; // a batch's records, or the state
    size_t size, room;
    uint8_t *packed; // a snapshot, once the thread has packed it
    size_t packed_size;
} piece;

typedef struct pieces {
    piece *first, *last;
} pieces;

struct cairn_store {
    cairn_store_file file; // the thread's, once there is something to write
    char *path;
    uint64_t quota_bytes;
    size_t waiting_bytes_max;
    uint8_t *snapshot_read;
    bool writes;
    int wake; // an event to the thread: something is urgent, or it is the end
    pthread_t thread;
    _Atomic bool ending;
    _Atomic uint64_t committed;

    cairn_lock lock; // of all that follows
    pieces waiting;
    uint64_t next_ticket;
    uint64_t missing; // > 0: nothing is kept until there is a snapshot, which says that so many records are not there
    cairn_store_info info;

    pieces writing; // the thread's own
};

cairn_store_def cairn_store_def_default(void) { return (cairn_store_def){.waiting_bytes_max = 64u << 20}; }

static void add_piece(pieces *list, piece *added)
{
    if (list->last != NULL) {
        list->last->next = added;
    } else {
        list->first = added;
    }
    list->last = added;
}

static size_t free_pieces(pieces *list)
{
    size_t size = 0;
    for (piece *at = list->first; at != NULL;) {
        piece *const next = at->next;
        size += at->size;
        free(at->bytes);
        free(at->packed);
        free(at);
        at = next;
    }
    *list = (pieces){0};
    return size;
}

static int pack(piece *snapshot)
{
    if (snapshot->packed != NULL) { return SQLITE_OK; }
    const size_t room = ZSTD_compressBound(snapshot->size);
    uint8_t *const packed = malloc(room);
    if (packed == NULL) { return SQLITE_NOMEM; }
    const size_t size = ZSTD_compress(packed, room, snapshot->bytes, snapshot->size, SNAPSHOT_LEVEL);
    if (ZSTD_isError(size)) { // it had no memory: there is room
        free(packed);
        return SQLITE_NOMEM;
    }
    snapshot->packed = packed;
    snapshot->packed_size = size;
    return SQLITE_OK;
}

// The old snapshot goes before the new one comes, so that at the quota its pages can be used again.
static int write_snapshot(cairn_database *db, const piece *at)
{
    const cairn_store_packed packed = {.ticket = at->first,
                                       .layout = at->layout,
                                       .plain_bytes = at->size,
                                       .bytes = at->packed,
                                       .size = at->packed_size};
    const int result = cairn_database_keep_snapshots(db, CAIRN_STORE_SNAPSHOTS_KEPT - 1);
    return result == SQLITE_OK ? cairn_database_add_packed(db, &packed) : result;
}

static int write_piece(cairn_database *db, const piece *at)
{
    const cairn_store_batch batch = {.first = at->first,
                                     .last = at->last,
                                     .missing = at->missing,
                                     .bytes = at->is_snapshot ? NULL : at->bytes,
                                     .size = at->is_snapshot ? 0 : at->size};
    const int result = cairn_database_add_batch(db, &batch);
    return result == SQLITE_OK && at->is_snapshot ? write_snapshot(db, at) : result;
}

static int write_pieces(cairn_database *db, const pieces *list)
{
    int result = SQLITE_OK;
    for (piece *at = list->first; at != NULL && result == SQLITE_OK; at = at->next) {
        if (at->is_snapshot) { result = pack(at); }
    }
    if (result == SQLITE_OK) { result = cairn_database_do(db, "BEGIN IMMEDIATE"); }
    for (const piece *at = list->first; at != NULL && result == SQLITE_OK; at = at->next) {
        result = write_piece(db, at);
    }
    if (result == SQLITE_OK) { result = cairn_database_do(db, "COMMIT"); }
    return result;
}

// What is wrong, and what a person can do about it. Of a full disk SQLite does not tell which limit was met.
static void write_trouble(const cairn_store *store, int result, char *ret_text, size_t room)
{
    sqlite3 *const handle = store->file.db.handle;
    const int kind = result & 0xff, cause = kind == SQLITE_IOERR ? sqlite3_system_errno(handle) : 0;
    const char *what = cause != 0 ? strerror(cause) : sqlite3_errstr(result);
    const char *cure = "nothing is acknowledged until it can be written";
    struct statvfs disk;
    if (kind == SQLITE_FULL && store->quota_bytes > 0 && statvfs(store->path, &disk) == 0 &&
        disk.f_bavail * disk.f_frsize >= DISK_BYTES_LOW) {
        what = "its quota is used up";
        cure = "start the station again with a larger one; until then nothing is acknowledged";
    } else if (kind == SQLITE_FULL) {
        what = "the disk is full";
        cure = "make room; until then nothing is acknowledged";
    } else if (cairn_database_result_is_damage(result)) {
        cure = "start the station again, which saves what is sound; until then nothing is acknowledged";
    }
    (void)snprintf(ret_text, room, "%.80s: %.80s; %s", store->path, what, cure);
}

static void note_failure(cairn_store *store, int result)
{
    char trouble[sizeof store->info.trouble];
    write_trouble(store, result, trouble, sizeof trouble);
    cairn_database_roll_back(&store->file.db);
    cairn_lock_take(&store->lock);
    store->info.failing = true;
    memcpy(store->info.trouble, trouble, sizeof trouble);
    cairn_lock_give(&store->lock);
}

static void note_size(cairn_store *store)
{
    int64_t page_count = 0;
    if (cairn_database_number(&store->file.db, "PRAGMA page_count", &page_count) != SQLITE_OK) { return; }
    cairn_lock_take(&store->lock);
    store->info.file_bytes = (uint64_t)page_count * CAIRN_DATABASE_PAGE_BYTES;
    cairn_lock_give(&store->lock);
}

static void note_success(cairn_store *store, int64_t took_ns)
{
    const uint64_t committed = store->writing.last->last;
    const size_t size = free_pieces(&store->writing);
    cairn_lock_take(&store->lock);
    cairn_store_info *const info = &store->info;
    info->failing = false;
    info->trouble[0] = '\0';
    info->commit_count++;
    if (took_ns > info->commit_ns_max) { info->commit_ns_max = took_ns; }
    info->waiting_bytes -= size;
    atomic_store(&store->committed, committed);
    cairn_lock_give(&store->lock);
}

// Returns whether nothing is left to write.
static bool commit(cairn_store *store)
{
    cairn_lock_take(&store->lock);
    if (store->waiting.first != NULL) {
        if (store->writing.last != NULL) {
            store->writing.last->next = store->waiting.first;
        } else {
            store->writing.first = store->waiting.first;
        }
        store->writing.last = store->waiting.last;
        store->waiting = (pieces){0};
    }
    cairn_lock_give(&store->lock);
    if (store->writing.first == NULL) { return true; }
    const cairn_mono begin = cairn_mono_now();
    const int result = write_pieces(&store->file.db, &store->writing);
    if (result != SQLITE_OK) {
        note_failure(store, result);
        return false;
    }
    note_success(store, cairn_mono_since(cairn_mono_now(), begin));
    note_size(store);
    return true;
}

// Until something is urgent or the period is over; while the disk will have nothing, the whole period.
static void await_work(cairn_store *store, bool patient)
{
    const cairn_mono end = cairn_mono_add(cairn_mono_now(), CAIRN_MS(PERIOD_MS));
    for (;;) {
        const int64_t left_ns = cairn_mono_since(end, cairn_mono_now());
        if (left_ns <= 0 || atomic_load(&store->ending)) { return; }
        struct pollfd woken = {.fd = store->wake, .events = POLLIN};
        const int ready = poll(&woken, 1, (int)(left_ns / CAIRN_MS(1)) + 1);
        uint64_t count;
        if (ready > 0) { (void)!read(store->wake, &count, sizeof count); }
        if (ready > 0 && !patient) { return; }
    }
}

// The quota is a limit of ours and not the disk's: whoever starts the station again to raise it loses nothing by that.
static void forget_quota(cairn_store *store)
{
    (void)!cairn_database_do(&store->file.db, "PRAGMA max_page_count = 4294967294");
}

static void *thread_main(void *context)
{
    cairn_store *const store = context;
    for (bool done = true;;) {
        await_work(store, !done);
        const bool ending = atomic_load(&store->ending);
        if (ending) { forget_quota(store); }
        done = commit(store);
        if (ending) { return NULL; }
    }
}

static void wake(cairn_store *store)
{
    const uint64_t one = 1;
    (void)!write(store->wake, &one, sizeof one); // it can only fail when it is awake anyway
}

static bool start_thread(cairn_store *store)
{
    store->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (store->wake < 0) { return false; }
    // Signals are for the thread that started us.
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) { return false; }
    store->writes = pthread_create(&store->thread, NULL, thread_main, store) == 0;
    const int failed = pthread_sigmask(SIG_SETMASK, &before, NULL);
    CAIRN_ASSERT(!failed);
    if (store->writes) { (void)pthread_setname_np(store->thread, "cairn-store"); }
    return store->writes;
}

// Takes the file in any case.
static cairn_err create(cairn_store_file *file, const char *path, cairn_store **ret_store)
{
    cairn_store *const store = calloc(1, sizeof *store);
    char *const copy = strdup(path);
    if (store == NULL || copy == NULL || cairn_lock_init(&store->lock) != CAIRN_OK) {
        free(store);
        free(copy);
        cairn_store_file_close(file);
        return CAIRN_ERR_FULL;
    }
    store->file = *file;
    store->path = copy;
    store->wake = -1;
    store->next_ticket = file->last + 1;
    store->missing = file->last > 0; // until it has been read
    atomic_init(&store->committed, file->last);
    note_size(store);
    *ret_store = store;
    return CAIRN_OK;
}

cairn_err cairn_store_open(const cairn_store_def *def, cairn_complaints *complaints, cairn_store **ret_store)
{
    CAIRN_ASSERT(def->path != NULL && def->setup != NULL && complaints != NULL);
    CAIRN_ASSERT(def->setup_bytes >= 1 && def->setup_bytes <= CAIRN_STORE_SETUP_BYTES_MAX);
    cairn_store_file file;
    cairn_store *store = NULL;
    cairn_err err = cairn_store_file_open(&file, def, complaints);
    if (err == CAIRN_OK) { err = create(&file, def->path, &store); }
    if (err != CAIRN_OK) { return err; }
    store->quota_bytes = def->quota_bytes;
    store->waiting_bytes_max = def->waiting_bytes_max;
    if (!start_thread(store)) {
        cairn_complain(complaints, def->path, 0, "no thread can be started to write it");
        cairn_store_close(store);
        return CAIRN_ERR_FULL;
    }
    *ret_store = store;
    return CAIRN_OK;
}

cairn_err cairn_store_open_reading(const char *path, cairn_complaints *complaints, cairn_store **ret_store)
{
    CAIRN_ASSERT(path != NULL && complaints != NULL);
    cairn_store_file file;
    const cairn_err err = cairn_store_file_open_reading(&file, path, complaints);
    return err == CAIRN_OK ? create(&file, path, ret_store) : err;
}

void cairn_store_close(cairn_store *store)
{
    if (store == NULL) { return; }
    if (store->writes) {
        atomic_store(&store->ending, true);
        wake(store);
        const int failed = pthread_join(store->thread, NULL);
        CAIRN_ASSERT(!failed);
    }
    if (store->wake >= 0) { (void)close(store->wake); }
    (void)free_pieces(&store->waiting);
    (void)free_pieces(&store->writing);
    cairn_store_file_close(&store->file);
    cairn_lock_finish(&store->lock);
    free(store->snapshot_read);
    free(store->path);
    free(store);
}

cairn_err cairn_store_setup(const cairn_store *store, const uint8_t **ret_bytes, size_t *ret_size)
{
    if (store->file.setup == NULL) { return CAIRN_ERR_EMPTY; }
    *ret_bytes = store->file.setup;
    *ret_size = store->file.setup_bytes;
    return CAIRN_OK;
}

// The file is the thread's from the first ticket on.
static void assert_still_reading(const cairn_store *store) { CAIRN_ASSERT(store->next_ticket == store->file.last + 1); }

typedef struct snapshot_search {
    uint64_t setup_hash;
    uint32_t skip;
    uint8_t *bytes;
    cairn_store_snapshot found;
} snapshot_search;

static int unpack(void *context, const cairn_store_packed *packed)
{
    snapshot_search *const search = context;
    if (!cairn_store_packed_is_sound(search->setup_hash, packed)) { return SQLITE_OK; }
    if (search->skip > 0) {
        search->skip--;
        return SQLITE_OK;
    }
    uint8_t *const bytes = malloc((size_t)packed->plain_bytes);
    if (bytes == NULL) { return SQLITE_NOMEM; }
    const size_t size = ZSTD_decompress(bytes, (size_t)packed->plain_bytes, packed->bytes, packed->size);
    if (size != packed->plain_bytes) {
        free(bytes);
        return SQLITE_OK;
    }
    search->bytes = bytes;
    search->found = (cairn_store_snapshot){packed->ticket, packed->layout, bytes, size};
    return SQLITE_DONE;
}

cairn_err cairn_store_read_snapshot(cairn_store *store, uint32_t skip, cairn_store_snapshot *ret_snapshot)
{
    assert_still_reading(store);
    if (store->file.setup == NULL) { return CAIRN_ERR_EMPTY; }
    snapshot_search search = {.setup_hash = store->file.db.setup_hash, .skip = skip};
    const int result = cairn_database_each_packed(&store->file.db, unpack, &search);
    if (result != SQLITE_OK) { return cairn_database_err(result); }
    if (search.bytes == NULL) { return CAIRN_ERR_EMPTY; }
    free(store->snapshot_read);
    store->snapshot_read = search.bytes;
    *ret_snapshot = search.found;
    return CAIRN_OK;
}

typedef struct input_reading {
    cairn_store *store;
    uint64_t after; // this ticket, and later the last one read
    cairn_store_record_fn on_record;
    void *context;
    cairn_complaints *complaints;
    cairn_err err;
} input_reading;

static int give_records(input_reading *reading, const cairn_store_batch *batch)
{
    size_t at = 0, size;
    const uint8_t *record;
    for (uint64_t ticket = batch->first; cairn_store_record_next(batch, &at, &record, &size); ticket++) {
        if (ticket <= reading->after) { continue; }
        reading->err = reading->on_record(reading->context, ticket, record, size);
        if (reading->err != CAIRN_OK) { return SQLITE_ABORT; }
    }
    reading->after = batch->last;
    return SQLITE_OK;
}

static int read_batch(void *context, const cairn_store_batch *batch)
{
    input_reading *const reading = context;
    const cairn_store *const store = reading->store;
    if (batch->last <= reading->after) { return SQLITE_OK; }
    const bool sound =
        batch->first <= reading->after + 1 && cairn_store_batch_is_sound(store->file.db.setup_hash, batch);
    if (sound && batch->missing == 0) { return give_records(reading, batch); }
    cairn_complain(reading->complaints, store->path, 0,
                   "can be replayed up to ticket %" PRIu64 "; from %" PRIu64 " to %" PRIu64
                   " records are missing, and without them what follows up to %" PRIu64 " means nothing",
                   reading->after, reading->after + 1, batch->last, store->file.last);
    reading->err = CAIRN_ERR_CORRUPT;
    return SQLITE_ABORT;
}

cairn_err cairn_store_read_inputs(cairn_store *store, uint64_t after_ticket, cairn_store_record_fn on_record,
                                  void *context, cairn_complaints *complaints)
{
    assert_still_reading(store);
    if (store->file.setup == NULL) { return CAIRN_ERR_EMPTY; }
    input_reading reading = {store, after_ticket, on_record, context, complaints, CAIRN_OK};
    const int result = cairn_database_each_batch(&store->file.db, after_ticket, read_batch, &reading);
    if (reading.err == CAIRN_OK && result != SQLITE_OK) {
        reading.err = cairn_database_err(result);
        cairn_complain(complaints, store->path, 0, "cannot be read after ticket %" PRIu64 ": %s", reading.after,
                       sqlite3_errmsg(store->file.db.handle));
    }
    cairn_lock_take(&store->lock);
    store->missing = reading.err == CAIRN_OK ? 0 : 1;
    cairn_lock_give(&store->lock);
    return reading.err;
}

static bool reserve(piece *at, size_t more)
{
    if (at->room - at->size >= more) { return true; }
    size_t room = at->room == 0 ? PIECE_BYTES_FIRST : 2 * at->room;
    if (room < at->size + more) { room = at->size + more; }
    uint8_t *const grown = realloc(at->bytes, room);
    if (grown == NULL) { return false; }
    at->bytes = grown;
    at->room = room;
    return true;
}

// The piece that the next record goes to, with room for it; NULL if there is no memory.
static piece *piece_for(cairn_store *store, size_t size)
{
    piece *at = store->waiting.last;
    if (at != NULL && !at->is_snapshot && at->size + size <= BATCH_BYTES_MAX) { return reserve(at, size) ? at : NULL; }
    at = calloc(1, sizeof *at);
    if (at == NULL || !reserve(at, size)) {
        free(at);
        return NULL;
    }
    at->first = store->next_ticket;
    add_piece(&store->waiting, at);
    return at;
}

static uint64_t keep_record(cairn_store *store, const uint8_t *record, size_t size)
{
    const size_t all = CAIRN_STORE_RECORD_HEAD_BYTES + size;
    const bool room = store->missing == 0 && all <= store->waiting_bytes_max &&
                      store->info.waiting_bytes <= store->waiting_bytes_max - all;
    piece *const at = room ? piece_for(store, all) : NULL;
    if (at == NULL) {
        store->missing++;
        store->info.refused_count++;
        return 0;
    }
    cairn_store_record_head(at->bytes + at->size, size);
    memcpy(at->bytes + at->size + CAIRN_STORE_RECORD_HEAD_BYTES, record, size);
    at->size += all;
    at->last = store->next_ticket;
    store->info.waiting_bytes += all;
    return store->next_ticket++;
}

uint64_t cairn_store_append(cairn_store *store, const uint8_t *record, size_t size, bool urgent)
{
    CAIRN_ASSERT(store->writes && size >= 1 && size <= CAIRN_STORE_RECORD_BYTES_MAX);
    cairn_lock_take(&store->lock);
    const uint64_t ticket = keep_record(store, record, size);
    cairn_lock_give(&store->lock);
    if (urgent && ticket != 0) { wake(store); }
    return ticket;
}

static piece *snapshot_piece(uint32_t layout, const uint8_t *bytes, size_t size)
{
    piece *const made = calloc(1, sizeof *made);
    if (made == NULL || !reserve(made, size)) {
        free(made);
        return NULL;
    }
    memcpy(made->bytes, bytes, size);
    made->size = size;
    made->is_snapshot = true;
    made->layout = layout;
    return made;
}

uint64_t cairn_store_append_snapshot(cairn_store *store, uint32_t layout, const uint8_t *bytes, size_t size)
{
    CAIRN_ASSERT(store->writes && size >= 1 && size <= CAIRN_STORE_SNAPSHOT_BYTES_MAX);
    cairn_lock_take(&store->lock);
    const size_t waiting = store->info.waiting_bytes, most = store->waiting_bytes_max;
    cairn_lock_give(&store->lock);
    if (waiting > 0 && (size > most || waiting > most - size)) { return 0; } // what waits only becomes less meanwhile
    piece *const made = snapshot_piece(layout, bytes, size);
    if (made == NULL) { return 0; }
    cairn_lock_take(&store->lock);
    made->missing = store->missing;
    store->missing = 0;
    made->first = made->last = store->next_ticket++;
    const uint64_t ticket = made->first;
    store->info.waiting_bytes += size;
    add_piece(&store->waiting, made);
    cairn_lock_give(&store->lock);
    wake(store);
    return ticket;
}

uint64_t cairn_store_committed(const cairn_store *store) { return atomic_load(&store->committed); }

cairn_store_info cairn_store_look(cairn_store *store)
{
    cairn_lock_take(&store->lock);
    cairn_store_info info = store->info;
    info.wants_snapshot = store->missing > 0;
    info.appended = store->next_ticket - 1;
    info.committed = atomic_load(&store->committed);
    cairn_lock_give(&store->lock);
    return info;
}
