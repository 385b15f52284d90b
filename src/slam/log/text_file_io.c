#include "slam/log/text_file_io.h"

// Packed and unpacked; pages that are not touched cost nothing.
#define MEMORY_BYTES (2 * CAIRN_TEXT_FILE_BYTES_MAX + ((size_t)1 << 20))

cairn_err cairn_text_file_open(const char *path, cairn_complaints *complaints, cairn_text_file *ret_file)
{
    CAIRN_ASSERT(path != NULL && complaints != NULL && ret_file != NULL);
    cairn_text_file file = {0};
    cairn_err err = cairn_arena_create(&file.memory, MEMORY_BYTES);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "no memory left to read it");
        return err;
    }
    err = cairn_bytes_read(path, CAIRN_TEXT_FILE_BYTES_MAX, &file.memory, complaints, &file.bytes, &file.size_bytes);
    if (err == CAIRN_OK) {
        err = cairn_bytes_unpack(file.bytes, file.size_bytes, path, CAIRN_TEXT_FILE_BYTES_MAX, &file.memory, complaints,
                                 &file.bytes, &file.size_bytes);
    }
    if (err != CAIRN_OK) {
        cairn_text_file_close(&file);
        return err;
    }
    *ret_file = file;
    return CAIRN_OK;
}

void cairn_text_file_close(cairn_text_file *file)
{
    if (file == NULL) { return; }
    cairn_arena_destroy(&file->memory);
    *file = (cairn_text_file){0};
}
