#include "base/config/config.h"
#include "base/config/config_tree.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parses and fills in working memory; the caller's struct is written only when all went well.
static cairn_err parse_into(const char *bytes, size_t size_bytes, const char *file, const cairn_config_schema *schema,
                            cairn_arena *scratch, cairn_arena *memory, cairn_complaints *complaints, void *ret_record)
{
    void *record = cairn_arena_take(scratch, 1, schema->size_bytes);
    CAIRN_ASSERT(record != NULL);
    cairn_config_tree tree;
    cairn_err err = cairn_config_tree_parse(bytes, size_bytes, file, scratch, complaints, &tree);
    if (err != CAIRN_OK) { return err; }
    const size_t mark = memory != NULL ? cairn_arena_mark(memory) : 0;
    err = cairn_config_fill(&tree, file, schema, memory, complaints, record);
    if (err == CAIRN_OK) {
        memcpy(ret_record, record, schema->size_bytes);
    } else if (memory != NULL) {
        cairn_arena_reset(memory, mark);
    }
    return err;
}

static cairn_err too_large(const char *file, cairn_complaints *complaints)
{
    cairn_complain(complaints, file, 0, "larger than %zu bytes", CAIRN_CONFIG_BYTES_MAX);
    return CAIRN_ERR_TOO_LARGE;
}

cairn_err cairn_config_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                             const cairn_config_schema *schema, cairn_arena *memory, cairn_complaints *complaints,
                             void *ret_record)
{
    CAIRN_ASSERT(bytes != NULL || size_bytes == 0);
    CAIRN_ASSERT(complaints != NULL && ret_record != NULL);
    if (size_bytes > CAIRN_CONFIG_BYTES_MAX) { return too_large(name_for_errors, complaints); }
    cairn_arena scratch;
    cairn_err err = cairn_arena_create(&scratch, schema->size_bytes + 64 + cairn_config_tree_bytes(size_bytes));
    if (err != CAIRN_OK) {
        cairn_complain(complaints, name_for_errors, 0, "no memory left to read it");
        return err;
    }
    err = parse_into(bytes, size_bytes, name_for_errors, schema, &scratch, memory, complaints, ret_record);
    cairn_arena_destroy(&scratch);
    return err;
}

// Up to one byte more than is allowed, so that a file that is too large shows. NULL on failure, errno says why.
static char *load(const char *path, size_t *ret_size_bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) { return NULL; }
    char *bytes = malloc(CAIRN_CONFIG_BYTES_MAX + 1);
    if (bytes != NULL) {
        *ret_size_bytes = fread(bytes, 1, CAIRN_CONFIG_BYTES_MAX + 1, file);
        if (ferror(file)) {
            const int cause = errno;
            free(bytes);
            bytes = NULL;
            errno = cause;
        }
    }
    const int cause = errno;
    (void)fclose(file);
    errno = cause;
    return bytes;
}

cairn_err cairn_config_read(const char *path, const cairn_config_schema *schema, cairn_arena *memory,
                            cairn_complaints *complaints, void *ret_record)
{
    size_t size_bytes = 0;
    char *bytes = load(path, &size_bytes);
    if (bytes == NULL) {
        cairn_complain(complaints, path, 0, "cannot be read: %s", strerror(errno));
        return CAIRN_ERR_IO;
    }
    const cairn_err err = cairn_config_parse(bytes, size_bytes, path, schema, memory, complaints, ret_record);
    free(bytes);
    return err;
}

cairn_err cairn_config_resolve(const char *file_path, const char *named_path, char *ret_path, size_t path_bytes_max)
{
    const char *slash = strrchr(file_path, '/');
    const bool absolute = named_path[0] == '/';
    const size_t folder_length = absolute || slash == NULL ? 0 : (size_t)(slash - file_path) + 1;
    if (folder_length + strlen(named_path) + 1 > path_bytes_max) { return CAIRN_ERR_TOO_LARGE; }
    memcpy(ret_path, file_path, folder_length);
    memcpy(ret_path + folder_length, named_path, strlen(named_path) + 1);
    return CAIRN_OK;
}
