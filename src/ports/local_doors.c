// local_doors.c - where the doors of this machine's stations are: stop-PID.sock in one of a few folders.
#include "ports/folder.h"
#include "ports/local_door.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SYSTEM_FOLDER "/run/cairn"
#define PATTERN "stop-*.sock"

// A folder that others could have made is trusted only if it is ours, and only we may write there.
static bool is_ours(const char *folder)
{
    struct stat found;
    return lstat(folder, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool write_path(const char *folder, char ret_path[static CAIRN_LOCAL_DOOR_PATH_BYTES])
{
    return snprintf(ret_path, CAIRN_LOCAL_DOOR_PATH_BYTES, "%s/stop-%ld.sock", folder, (long)getpid()) <
           CAIRN_LOCAL_DOOR_PATH_BYTES;
}

static bool own_folder(const char *folder, char ret_path[static CAIRN_LOCAL_DOOR_PATH_BYTES])
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) { return false; }
    return is_ours(folder) && write_path(folder, ret_path);
}

cairn_err cairn_local_door_place(cairn_complaints *complaints, char ret_path[static CAIRN_LOCAL_DOOR_PATH_BYTES])
{
    CAIRN_ASSERT(complaints != NULL);
    char folder[256];
    const char *wish = getenv("CAIRN_RUN"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (wish != NULL && *wish != '\0') {
        const cairn_err err = cairn_folder_make(wish, 0755, "choose another with CAIRN_RUN", complaints);
        if (err != CAIRN_OK || write_path(wish, ret_path)) { return err; }
        cairn_complain(complaints, wish, 0, "is too long for a socket; choose a shorter one with CAIRN_RUN");
        return CAIRN_ERR_IO;
    }
    if (access(SYSTEM_FOLDER, W_OK | X_OK) == 0 && write_path(SYSTEM_FOLDER, ret_path)) { return CAIRN_OK; }
    if (runtime != NULL && *runtime == '/') {
        (void)snprintf(folder, sizeof folder, "%s/cairn", runtime);
        if (own_folder(folder, ret_path)) { return CAIRN_OK; }
    }
    (void)snprintf(folder, sizeof folder, "/tmp/cairn-%ld", (long)geteuid());
    if (own_folder(folder, ret_path)) { return CAIRN_OK; }
    cairn_complain(complaints, folder, 0, "cannot be had, or is not ours alone; name a folder with CAIRN_RUN");
    return CAIRN_ERR_IO;
}

size_t cairn_local_doors_find(char ret_paths[static CAIRN_LOCAL_DOORS_MAX][CAIRN_LOCAL_DOOR_PATH_BYTES])
{
    char wished[512];
    const char *wish = getenv("CAIRN_RUN"), *runtime = getenv("XDG_RUNTIME_DIR");
    glob_t found = {0};
    if (wish != NULL && *wish != '\0') {
        (void)snprintf(wished, sizeof wished, "%s/" PATTERN, wish);
        (void)glob(wished, 0, NULL, &found);
    } else {
        (void)glob(SYSTEM_FOLDER "/" PATTERN, 0, NULL, &found);
        (void)glob("/tmp/cairn-*/" PATTERN, GLOB_APPEND, NULL, &found);
        (void)glob("/run/user/*/cairn/" PATTERN, GLOB_APPEND, NULL, &found);
        if (runtime != NULL && strncmp(runtime, "/run/user/", 10) != 0) {
            (void)snprintf(wished, sizeof wished, "%s/cairn/" PATTERN, runtime);
            (void)glob(wished, GLOB_APPEND, NULL, &found);
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < found.gl_pathc && count < CAIRN_LOCAL_DOORS_MAX; i++) {
        if (strlen(found.gl_pathv[i]) >= CAIRN_LOCAL_DOOR_PATH_BYTES) { continue; }
        (void)snprintf(ret_paths[count++], CAIRN_LOCAL_DOOR_PATH_BYTES, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    return count;
}

int cairn_local_door_open(const char *path)
{
    CAIRN_ASSERT(path != NULL);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CAIRN_ASSERT(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    const int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) { return -1; }
    if (connect(handle, (const struct sockaddr *)&address, sizeof address) == 0) { return handle; }
    const int why = errno;
    close(handle);
    errno = why;
    return -1;
}
