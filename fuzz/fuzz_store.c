// Any bytes as a store's file, and as its write-ahead log: opened for looking, and all that is found is read.
//
// Where the magic number of a log stands at the beginning of a page, the rest is the log: a seed is a file and its log,
// one after the other.
#include "station/store/store_io.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAGE = 4096, BYTES_MAX = 1 << 20 };

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    const int handle = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CAIRN_ASSERT(handle >= 0 && write(handle, data, size) == (ssize_t)size);
    (void)close(handle);
}

static size_t find_log(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0x37, 0x7f, 0x06};
    for (size_t at = 0; at + 4 <= size; at += PAGE) {
        if (memcmp(data + at, magic, sizeof magic) == 0) { return at; }
    }
    return size;
}

static cairn_err on_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    uint64_t *const last = context;
    CAIRN_ASSERT(ticket > *last && size >= 1 && size <= CAIRN_STORE_RECORD_BYTES_MAX);
    *last = ticket + (record[0] & record[size - 1] & 0); // touches the bytes
    return CAIRN_OK;
}

static void read_all(cairn_store *store)
{
    static cairn_complaints complaints;
    complaints = (cairn_complaints){0};
    uint64_t last = 0;
    cairn_store_snapshot snapshot;
    for (uint32_t i = 0; i < 3 && cairn_store_read_snapshot(store, i, &snapshot) == CAIRN_OK; i++) {
        CAIRN_ASSERT(snapshot.ticket >= 1 && snapshot.size >= 1);
    }
    (void)!cairn_store_read_inputs(store, 0, on_record, &last, &complaints);
    CAIRN_ASSERT(last <= cairn_store_committed(store));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cairn_complaints complaints;
    if (size > BYTES_MAX) { return 0; }
    const char *const folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char path[64], log_path[72], shared_path[72];
    (void)snprintf(path, sizeof path, "%s/cairn-fuzz-%ld.store", folder, (long)getpid());
    (void)snprintf(log_path, sizeof log_path, "%s-wal", path);
    (void)snprintf(shared_path, sizeof shared_path, "%s-shm", path);
    const size_t log_at = find_log(data, size);
    write_file(path, data, log_at);
    if (log_at < size) { write_file(log_path, data + log_at, size - log_at); }

    complaints = (cairn_complaints){0};
    cairn_store *store = NULL;
    const cairn_err err = cairn_store_open_reading(path, &complaints, &store);
    CAIRN_ASSERT(err == CAIRN_OK || complaints.count > 0);
    if (err == CAIRN_OK) { read_all(store); }
    cairn_store_close(store);
    (void)unlink(path);
    (void)unlink(log_path);
    (void)unlink(shared_path);
    return 0;
}
