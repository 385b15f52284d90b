#include "ports/shared_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0600 // the robot's and nobody else's

static cairn_err refuse(cairn_complaints *complaints, const char *path, const char *what)
{
    cairn_complain(complaints, path, 0, "%s: %s", what, strerror(errno));
    return errno == ENOSPC || errno == EDQUOT ? CAIRN_ERR_FULL : CAIRN_ERR_IO;
}

static cairn_err map(int file, const char *path, size_t size_bytes, bool writable, cairn_complaints *complaints,
                     cairn_shared_memory *ret_memory)
{
    const int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *bytes = mmap(NULL, size_bytes, access, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) { return refuse(complaints, path, "cannot be mapped into memory"); }
    *ret_memory = (cairn_shared_memory){.bytes = bytes, .size_bytes = size_bytes};
    return CAIRN_OK;
}

// Made beside its place and moved there whole, so that nobody maps a file that is too short. Its blocks are taken now:
// a full disk is an error here, and not a signal at some later write.
cairn_err cairn_shared_memory_create(const char *path, size_t size_bytes, cairn_complaints *complaints,
                                     cairn_shared_memory *ret_memory)
{
    char beside[1200];
    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        return refuse(complaints, path, "cannot be made");
    }
    const int file = open(beside, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    if (file < 0) { return refuse(complaints, beside, "cannot be made"); }
    cairn_err err = CAIRN_OK;
    cairn_shared_memory made = {0};
    errno = posix_fallocate(file, 0, (off_t)size_bytes);
    if (errno != 0) { err = refuse(complaints, beside, "cannot be made"); }
    if (err == CAIRN_OK) { err = map(file, beside, size_bytes, true, complaints, &made); }
    if (err == CAIRN_OK && rename(beside, path) != 0) { err = refuse(complaints, path, "cannot be made"); }
    close(file);
    if (err != CAIRN_OK) {
        cairn_shared_memory_close(&made);
        unlink(beside);
        return err;
    }
    *ret_memory = made;
    return CAIRN_OK;
}

cairn_err cairn_shared_memory_open(const char *path, size_t size_bytes, bool writable, cairn_complaints *complaints,
                                   cairn_shared_memory *ret_memory)
{
    const int file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) { return CAIRN_ERR_EMPTY; }
    if (file < 0) { return refuse(complaints, path, "cannot be opened"); }
    struct stat found;
    cairn_err err = fstat(file, &found) == 0 ? CAIRN_OK : refuse(complaints, path, "cannot be read");
    if (err == CAIRN_OK && found.st_size != (off_t)size_bytes) {
        cairn_complain(complaints, path, 0, "has %lld bytes, not %zu: it is of another version or another robot",
                       (long long)found.st_size, size_bytes);
        err = CAIRN_ERR_CORRUPT;
    }
    if (err == CAIRN_OK) { err = map(file, path, size_bytes, writable, complaints, ret_memory); }
    close(file);
    return err;
}

void cairn_shared_memory_close(cairn_shared_memory *memory)
{
    if (memory->bytes != NULL) { munmap(memory->bytes, memory->size_bytes); }
    *memory = (cairn_shared_memory){0};
}
