#include "journal/series_io.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DIGITS_MIN 6
#define DIGITS_MAX 18

bool cairn_series_number(const char *name, const char *prefix, uint64_t *ret_number)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] != '-') { return false; }
    const char *digits = name + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count < DIGITS_MIN || count > DIGITS_MAX || strcmp(digits + count, ".mcap") != 0) { return false; }
    *ret_number = strtoull(digits, NULL, 10);
    return true;
}

cairn_err cairn_series_path(const cairn_series *series, uint64_t number, char ret_path[CAIRN_SERIES_PATH_BYTES])
{
    const int length = snprintf(ret_path, CAIRN_SERIES_PATH_BYTES, "%s/%s-%0*" PRIu64 ".mcap", series->folder,
                                series->prefix, DIGITS_MIN, number);
    return length < CAIRN_SERIES_PATH_BYTES ? CAIRN_OK : CAIRN_ERR_TOO_LARGE;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t first = ((const cairn_series_file *)a)->number, second = ((const cairn_series_file *)b)->number;
    return (first > second) - (first < second);
}

static bool add(cairn_series_files *files, cairn_series_file file)
{
    if (files->count == files->max) {
        const size_t max = files->max == 0 ? 64 : files->max * 2;
        cairn_series_file *grown = realloc(files->files, max * sizeof *grown);
        if (grown == NULL) { return false; }
        files->files = grown;
        files->max = max;
    }
    files->files[files->count++] = file;
    return true;
}

cairn_err cairn_series_list(const cairn_series *series, cairn_series_files *ret_files)
{
    *ret_files = (cairn_series_files){0};
    DIR *folder = opendir(series->folder);
    if (folder == NULL) { return CAIRN_ERR_IO; }
    bool good = true;
    for (const struct dirent *entry = readdir(folder); entry != NULL && good; entry = readdir(folder)) {
        uint64_t number = 0;
        struct stat found;
        if (!cairn_series_number(entry->d_name, series->prefix, &number) ||
            fstatat(dirfd(folder), entry->d_name, &found, 0) != 0 || !S_ISREG(found.st_mode)) {
            continue;
        }
        good = add(ret_files, (cairn_series_file){number, (uint64_t)found.st_size});
    }
    (void)closedir(folder);
    if (!good) {
        cairn_series_files_finish(ret_files);
        return CAIRN_ERR_FULL;
    }
    if (ret_files->count > 1) { qsort(ret_files->files, ret_files->count, sizeof *ret_files->files, by_number); }
    return CAIRN_OK;
}

void cairn_series_files_finish(cairn_series_files *files)
{
    free(files->files);
    *files = (cairn_series_files){0};
}

cairn_err cairn_series_make_folder(const cairn_series *series, cairn_complaints *complaints)
{
    if (mkdir(series->folder, 0777) == 0 || errno == EEXIST) { return CAIRN_OK; }
    cairn_complain(complaints, series->folder, 0, "cannot make this folder for journals: %s; make it, or name another",
                   strerror(errno));
    return CAIRN_ERR_IO;
}

uint32_t cairn_series_trim(const cairn_series *series, uint64_t bytes_max, uint64_t spared_number)
{
    cairn_series_files files;
    if (cairn_series_list(series, &files) != CAIRN_OK) { return 0; }
    uint64_t bytes = 0;
    for (size_t i = 0; i < files.count; i++) { bytes += files.files[i].bytes; }
    uint32_t deleted = 0;
    for (size_t i = 0; i < files.count && bytes > bytes_max; i++) {
        char path[CAIRN_SERIES_PATH_BYTES];
        const cairn_series_file *file = &files.files[i];
        if (file->number == spared_number || cairn_series_path(series, file->number, path) != CAIRN_OK) { continue; }
        if (unlink(path) != 0) { continue; }
        bytes -= file->bytes;
        deleted++;
    }
    cairn_series_files_finish(&files);
    return deleted;
}

uint64_t cairn_series_free_bytes(const cairn_series *series)
{
    struct statvfs found;
    if (statvfs(series->folder, &found) != 0) { return UINT64_MAX; }
    return (uint64_t)found.f_bavail * found.f_frsize;
}
