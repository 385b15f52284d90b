#include "commands/arena/write.h"
#include "maps/files/bytes_io.h"
#include <string.h>

cairn_err cairn_arena_write_file(const char *path, const char *text, size_t size_bytes, cairn_complaints *complaints)
{
    return cairn_bytes_write(path, &(cairn_bytes){text, size_bytes}, 1, complaints);
}

bool cairn_arena_is_name(const char *name)
{
    if (!((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'))) { return false; }
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return strspn(name, letters) == strlen(name) && strlen(name) < 64;
}
