// run_seeds.c - runs a fuzz target on its kept seeds without a fuzzer, so that every build and every change of a parser
// keeps the targets true.
//
// usage: seeds_NAME FOLDER; prints TAP
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES_MAX (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// A block of just that size, so that a sanitizer sees whoever reads beyond it.
static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *all = malloc(BYTES_MAX);
    const size_t size = file != NULL && all != NULL ? fread(all, 1, BYTES_MAX, file) : 0;
    const bool whole = file != NULL && all != NULL && ferror(file) == 0 && size < BYTES_MAX;
    uint8_t *bytes = whole ? realloc(all, size > 0 ? size : 1) : NULL;
    if (bytes != NULL) { LLVMFuzzerTestOneInput(bytes, size); }
    free(bytes != NULL ? bytes : all);
    if (file != NULL) { fclose(file); }
    return bytes != NULL;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int count = 0, failed_count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') { continue; }
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        const bool good = run_file(path);
        printf("%s %d - %s\n", good ? "ok" : "not ok", ++count, entry->d_name);
        failed_count += !good;
    }
    closedir(folder);
    printf("1..%d\n", count);
    return count > 0 && failed_count == 0 ? 0 : 1;
}
