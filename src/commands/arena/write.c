// Arena files are written beside their place first, then moved there.
#include "commands/arena/write.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

cairn_err cairn_arena_write_file(const char *path, const char *text, size_t size_bytes, cairn_complaints *complaints)
{
    char beside[1024];
    if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside) {
        cairn_complain(complaints, path, 0, "the path is too long");
        return CAIRN_ERR_TOO_LARGE;
    }
    FILE *file = fopen(beside, "wb");
    bool whole = file != NULL && fwrite(text, 1, size_bytes, file) == size_bytes;
    int why = whole ? 0 : errno;
    if (file != NULL && fclose(file) != 0) {
        why = why != 0 ? why : errno;
        whole = false;
    }
    if (whole && rename(beside, path) != 0) {
        why = errno;
        whole = false;
    }
    if (whole) { return CAIRN_OK; }
    if (file != NULL) { (void)remove(beside); }
    cairn_complain(complaints, path, 0, "cannot be written: %s", strerror(why));
    return CAIRN_ERR_IO;
}

bool cairn_arena_is_name(const char *name)
{
    if (!((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'))) { return false; }
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return strspn(name, letters) == strlen(name) && strlen(name) < 64;
}
