// mcap_source_io.c - where a reader's bytes come from: a file, or memory.
#include "journal/mcap_read.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_err read_memory(void *context, uint64_t offset, uint8_t *ret_bytes, size_t size)
{
    const cairn_mcap_memory *memory = context;
    if (offset > memory->size || size > memory->size - offset) { return CAIRN_ERR_OUTSIDE; }
    if (size > 0) { memcpy(ret_bytes, memory->bytes + offset, size); }
    return CAIRN_OK;
}

cairn_mcap_source cairn_mcap_source_memory(cairn_mcap_memory *memory)
{
    return (cairn_mcap_source){read_memory, memory, memory->size};
}

// The context is a file descriptor on the heap.
static cairn_err read_file(void *context, uint64_t offset, uint8_t *ret_bytes, size_t size)
{
    const int descriptor = *(const int *)context;
    while (size > 0) {
        const ssize_t got = pread(descriptor, ret_bytes, size, (off_t)offset);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { return CAIRN_ERR_IO; } // 0: cut by someone while it was read
        ret_bytes += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return CAIRN_OK;
}

cairn_err cairn_mcap_source_open(const char *path, cairn_complaints *complaints, cairn_mcap_source *ret_source)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        cairn_complain(complaints, path, 0, "cannot be read: %s", strerror(errno));
        return errno == ENOENT ? CAIRN_ERR_NOT_FOUND : CAIRN_ERR_IO;
    }
    struct stat found;
    if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) {
        cairn_complain(complaints, path, 0, "is not a file");
        (void)close(descriptor);
        return CAIRN_ERR_IO;
    }
    int *context = malloc(sizeof *context);
    if (context == NULL) {
        (void)close(descriptor);
        return CAIRN_ERR_FULL;
    }
    *context = descriptor;
    *ret_source = (cairn_mcap_source){read_file, context, (uint64_t)found.st_size};
    return CAIRN_OK;
}

void cairn_mcap_source_close(cairn_mcap_source *source)
{
    (void)close(*(const int *)source->context);
    free(source->context);
    *source = (cairn_mcap_source){0};
}
