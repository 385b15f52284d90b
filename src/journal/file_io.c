// file_io.c - stdio under a journal.
#include "journal/file_io.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct cairn_journal_file {
    FILE *stream;
    char *path;
    uint64_t offset;
    uint32_t crc;
    cairn_err err;
    char trouble[512];
};

cairn_err cairn_journal_file_create(const char *path, cairn_complaints *complaints, cairn_journal_file **ret_file)
{
    cairn_journal_file *file = calloc(1, sizeof *file);
    char *copy = strdup(path);
    if (file == NULL || copy == NULL) {
        free(file);
        free(copy);
        return CAIRN_ERR_FULL;
    }
    file->path = copy;
    file->stream = fopen(path, "wbe");
    if (file->stream == NULL) {
        cairn_complain(complaints, path, 0, "cannot write a journal here: %s", strerror(errno));
        cairn_journal_file_destroy(file);
        return CAIRN_ERR_IO;
    }
    *ret_file = file;
    return CAIRN_OK;
}

static cairn_err fail(cairn_journal_file *file, int cause)
{
    const bool full = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
    file->err = full ? CAIRN_ERR_FULL : CAIRN_ERR_IO;
    (void)snprintf(file->trouble, sizeof file->trouble, "%.300s: %s after %llu bytes; %s", file->path, strerror(cause),
                   (unsigned long long)file->offset,
                   full ? "free some space; the journal is readable up to its last complete chunk"
                        : "the journal is readable up to its last complete chunk");
    return file->err;
}

cairn_err cairn_journal_file_write(cairn_journal_file *file, const void *bytes, size_t size)
{
    CAIRN_ASSERT(file->stream != NULL);
    if (file->err != CAIRN_OK || size == 0) { return file->err; }
    errno = 0;
    if (fwrite(bytes, 1, size, file->stream) != size) { return fail(file, errno); }
    file->offset += size;
    file->crc = (uint32_t)crc32_z(file->crc, bytes, size);
    return CAIRN_OK;
}

cairn_err cairn_journal_file_flush(cairn_journal_file *file)
{
    CAIRN_ASSERT(file->stream != NULL);
    if (file->err != CAIRN_OK) { return file->err; }
    return fflush(file->stream) == 0 ? CAIRN_OK : fail(file, errno);
}

cairn_err cairn_journal_file_close(cairn_journal_file *file)
{
    (void)!cairn_journal_file_flush(file); // remembered in file->err
    // Pipes and some file systems cannot sync; that is not the journal's trouble.
    if (file->err == CAIRN_OK && fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != EROFS) {
        (void)fail(file, errno);
    }
    if (fclose(file->stream) != 0 && file->err == CAIRN_OK) { (void)fail(file, errno); }
    file->stream = NULL;
    return file->err;
}

void cairn_journal_file_destroy(cairn_journal_file *file)
{
    if (file == NULL) { return; }
    if (file->stream != NULL) { (void)fclose(file->stream); }
    free(file->path);
    free(file);
}

uint64_t cairn_journal_file_offset(const cairn_journal_file *file) { return file->offset; }
uint32_t cairn_journal_file_crc(const cairn_journal_file *file) { return file->crc; }
const char *cairn_journal_file_trouble(const cairn_journal_file *file) { return file->trouble; }
