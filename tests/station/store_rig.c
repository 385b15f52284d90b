#include "store_rig.h"
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint8_t setup[] = "two robots and a house";

int store_rig_make(void **state)
{
    store_rig *const rig = calloc(1, sizeof *rig);
    if (rig == NULL) { return -1; }
    // Thousands of syncs: in memory, where there is such a disk.
    const char *const disk = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(rig->folder, sizeof rig->folder, "%s/cairn-store-XXXXXX", disk);
    if (mkdtemp(rig->folder) == NULL) { return -1; }
    (void)snprintf(rig->path, sizeof rig->path, "%s/mission.store", rig->folder);
    rig->def = cairn_store_def_default();
    rig->def.path = rig->path;
    rig->def.setup = setup;
    rig->def.setup_bytes = sizeof setup;
    *state = rig;
    return 0;
}

int store_rig_remove(void **state)
{
    store_rig *const rig = *state;
    DIR *const folder = opendir(rig->folder);
    for (struct dirent *at; folder != NULL && (at = readdir(folder)) != NULL;) {
        char path[RIG_PATH_BYTES * 3];
        (void)snprintf(path, sizeof path, "%s/%s", rig->folder, at->d_name);
        (void)unlink(path);
    }
    if (folder != NULL) { closedir(folder); }
    (void)rmdir(rig->folder);
    free(rig);
    return 0;
}

static cairn_err ignore_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    (void)context, (void)ticket, (void)record, (void)size;
    return CAIRN_OK;
}

cairn_store *store_rig_open(store_rig *rig)
{
    cairn_store *store = NULL;
    const cairn_err err = cairn_store_open(&rig->def, &rig->complaints, &store);
    if (err != CAIRN_OK) { print_error("%s: %s", cairn_err_name(err), rig->complaints.text); }
    assert_int_equal(err, CAIRN_OK);
    assert_ok(cairn_store_read_inputs(store, 0, ignore_record, NULL, &rig->complaints));
    return store;
}

void store_rig_forget(store_rig *rig) { rig->complaints = (cairn_complaints){0}; }

bool store_rig_said(const store_rig *rig, const char *words)
{
    const bool said = strstr(rig->complaints.text, words) != NULL;
    if (!said) { print_error("'%s' is not in: %s\n", words, rig->complaints.text); }
    return said;
}

static void nap(void) { (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

void store_rig_await(cairn_store *store, uint64_t ticket)
{
    assert_true(ticket != 0);
    while (cairn_store_committed(store) < ticket) { nap(); }
}

size_t store_rig_record(uint64_t number, uint8_t *ret_bytes)
{
    uint64_t word = number * 0x9e3779b97f4a7c15u;
    const size_t size = 8 + (word >> 40) % 300 + (number % 97 == 0 ? 8000 : 0);
    memcpy(ret_bytes, &number, 8);
    for (size_t i = 8; i < size; i++) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        ret_bytes[i] = (uint8_t)(word >> 56);
    }
    return size;
}

static cairn_err take_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    store_rig_read *const read = context;
    uint8_t expected[RIG_RECORD_BYTES];
    uint64_t number = 0;
    assert_true(size >= 8);
    memcpy(&number, record, 8);
    assert_int_equal(store_rig_record(number, expected), size);
    assert_memory_equal(record, expected, size);
    if ((read->count & (read->count + 1)) == 0) { // one less than a power of two
        const size_t room = 2 * (read->count + 1) * sizeof(uint64_t);
        read->tickets = realloc(read->tickets, room);
        read->numbers = realloc(read->numbers, room);
        assert_true(read->tickets != NULL && read->numbers != NULL);
    }
    assert_true(read->count == 0 || ticket > read->tickets[read->count - 1]);
    read->tickets[read->count] = ticket;
    read->numbers[read->count++] = number;
    return CAIRN_OK;
}

cairn_err store_rig_read_inputs(store_rig *rig, cairn_store *store, uint64_t after, store_rig_read *ret_read)
{
    *ret_read = (store_rig_read){0};
    return cairn_store_read_inputs(store, after, take_record, ret_read, &rig->complaints);
}

void store_rig_read_free(store_rig_read *read)
{
    free(read->tickets);
    free(read->numbers);
    *read = (store_rig_read){0};
}

// A disk between SQLite and the real one: files are the real disk's, but for writing and syncing. The real disk has a
// few kinds of files, with a table of methods each.
typedef struct file_kind {
    const sqlite3_io_methods *real;
    sqlite3_io_methods ours;
} file_kind;

enum { KINDS = 4 };
static file_kind kinds[KINDS];
static _Atomic rig_disk disk_is = RIG_DISK_GOOD;
static _Atomic unsigned steps_to_live;
static int (*real_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static pthread_once_t disk_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER;

static int disk_says(void)
{
    while (atomic_load(&disk_is) == RIG_DISK_HANGS) { nap(); }
    switch (atomic_load(&disk_is)) {
    case RIG_DISK_SLOW: nap(); return SQLITE_OK;
    case RIG_DISK_FULL: return SQLITE_FULL;
    case RIG_DISK_BROKEN: return SQLITE_IOERR_WRITE;
    case RIG_DISK_KILLS:
        if (atomic_fetch_sub(&steps_to_live, 1) == 0) { (void)raise(SIGKILL); }
        return SQLITE_OK;
    default: return SQLITE_OK;
    }
}

static const sqlite3_io_methods *real_methods(const sqlite3_file *file)
{
    const size_t offset = offsetof(file_kind, ours);
    return ((const file_kind *)(const void *)((const char *)file->pMethods - offset))->real;
}

static int disk_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    const int result = disk_says();
    return result == SQLITE_OK ? real_methods(file)->xWrite(file, bytes, size, at) : result;
}

static int disk_sync(sqlite3_file *file, int flags)
{
    const int result = disk_says();
    return result == SQLITE_OK ? real_methods(file)->xSync(file, flags) : result;
}

static const sqlite3_io_methods *our_methods(const sqlite3_io_methods *real)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].real == real) { return &kinds[i].ours; }
        if (kinds[i].real != NULL) { continue; }
        kinds[i] = (file_kind){real, *real};
        kinds[i].ours.xWrite = disk_write;
        kinds[i].ours.xSync = disk_sync;
        return &kinds[i].ours;
    }
    abort();
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    const int result = real_open(vfs, name, file, flags, ret_flags);
    if (result == SQLITE_OK) {
        (void)pthread_mutex_lock(&kinds_lock);
        file->pMethods = our_methods(file->pMethods);
        (void)pthread_mutex_unlock(&kinds_lock);
    }
    return result;
}

static void put_disk(void)
{
    sqlite3_vfs *const vfs = sqlite3_vfs_find(NULL);
    real_open = vfs->xOpen;
    vfs->xOpen = disk_open;
}

void store_rig_disk(rig_disk disk)
{
    (void)pthread_once(&disk_once, put_disk);
    atomic_store(&disk_is, disk);
}

void store_rig_disk_kills_after(unsigned steps)
{
    atomic_store(&steps_to_live, steps);
    store_rig_disk(RIG_DISK_KILLS);
}
