#include "ports/folder.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1024

cairn_err cairn_folder_make(const char *path, mode_t mode, const char *remedy, cairn_complaints *complaints)
{
    char part[PATH_BYTES];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        cairn_complain(complaints, path, 0, "longer than %d bytes; %s", PATH_BYTES - 1, remedy);
        return CAIRN_ERR_TOO_LARGE;
    }
    for (char *at = part + 1; part[0] != '\0'; at++) {
        if (*at != '/' && *at != '\0') { continue; }
        const char ended = *at;
        *at = '\0';
        if (mkdir(part, mode) != 0 && errno != EEXIST) {
            cairn_complain(complaints, part, 0, "cannot make this folder: %s; %s", strerror(errno), remedy);
            return CAIRN_ERR_IO;
        }
        if (ended == '\0') { break; }
        *at = ended;
    }
    struct stat found;
    const bool folder = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
    if (folder && access(path, W_OK | X_OK) == 0) { return CAIRN_OK; }
    cairn_complain(complaints, path, 0, "%s; %s", folder ? "nothing may be written here" : "is not a folder", remedy);
    return CAIRN_ERR_IO;
}

cairn_err cairn_folder_make_for(const char *file_path, mode_t mode, const char *remedy, cairn_complaints *complaints)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", file_path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder) { return CAIRN_OK; }
    *slash = '\0';
    return cairn_folder_make(folder, mode, remedy, complaints);
}
