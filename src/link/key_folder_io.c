// key_folder_io.c - see key_folder_io.h. The temporary file begins with a dot, which no key's name can; one that a
// crash left behind is removed by the next writer.
#include "link/key_folder_io.h"
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".new" CAIRN_KEY_ENDING
enum { OTHERS = 077, PLACE_BYTES_MAX = CAIRN_KEYS_PATH_BYTES_MAX + CAIRN_KEYS_FILE_BYTES_MAX + 1 };

typedef struct place {
    char text[PLACE_BYTES_MAX];
} place;

static place place_of(const cairn_key_folder *folder, const char *file)
{
    place at;
    (void)snprintf(at.text, sizeof at.text, "%s%s%s", folder->path, file != NULL ? "/" : "", file != NULL ? file : "");
    return at;
}

cairn_key_file_name cairn_key_file_name_of(const char *robot_name)
{
    cairn_key_file_name file;
    (void)snprintf(file.text, sizeof file.text, "%s" CAIRN_KEY_ENDING, robot_name);
    return file;
}

void cairn_key_folder_complain(const cairn_key_folder *folder, const char *file, const char *format, ...)
{
    char what[PLACE_BYTES_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cairn_complain(folder->complaints, place_of(folder, file).text, 0, "%s", what);
}

static cairn_err failed(const cairn_key_folder *folder, const char *file, const char *what)
{
    cairn_key_folder_complain(folder, file, "%s: %s", what, strerror(errno));
    return CAIRN_ERR_IO;
}

// Makes the folder and those above it, all for this user only.
static cairn_err make_folders(const char *path, cairn_complaints *complaints)
{
    char part[CAIRN_KEYS_PATH_BYTES_MAX];
    (void)snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++) {
        if (*at != '/' && *at != '\0') { continue; }
        const char ended = *at;
        *at = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            cairn_complain(complaints, part, 0, "cannot make this folder: %s", strerror(errno));
            return CAIRN_ERR_IO;
        }
        if (ended == '\0') { return CAIRN_OK; }
        *at = ended;
    }
}

static cairn_err check_folder(const cairn_key_folder *folder)
{
    struct stat found;
    if (fstat(folder->handle, &found) != 0) { return failed(folder, NULL, "cannot be read"); }
    if ((found.st_mode & OTHERS) == 0) { return CAIRN_OK; }
    cairn_key_folder_complain(folder, NULL,
                              "a folder of keys must be open to its owner only, and this has mode %04o; chmod 700 %s",
                              found.st_mode & 07777, folder->path);
    return CAIRN_ERR_INVALID;
}

cairn_err cairn_key_folder_open(cairn_key_folder *folder, const char *path, cairn_complaints *complaints)
{
    CAIRN_ASSERT(path != NULL && complaints != NULL);
    *folder = (cairn_key_folder){.path = path, .handle = -1, .complaints = complaints};
    if (path[0] == '\0' || strlen(path) >= CAIRN_KEYS_PATH_BYTES_MAX) {
        cairn_complain(complaints, NULL, 0, "the folder for keys must have a name of 1 to %d bytes",
                       CAIRN_KEYS_PATH_BYTES_MAX - 1);
        return CAIRN_ERR_INVALID;
    }
    folder->handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->handle < 0 && errno == ENOENT) { return CAIRN_ERR_NOT_FOUND; }
    if (folder->handle < 0) { return failed(folder, NULL, "cannot be opened as a folder"); }
    const cairn_err err = check_folder(folder);
    if (err != CAIRN_OK) { cairn_key_folder_close(folder); }
    return err;
}

cairn_err cairn_key_folder_lock(cairn_key_folder *folder)
{
    while (flock(folder->handle, LOCK_EX) != 0) {
        if (errno == EINTR) { continue; }
        const cairn_err err = failed(folder, NULL, "cannot be locked");
        cairn_key_folder_close(folder);
        return err;
    }
    return CAIRN_OK;
}

cairn_err cairn_key_folder_open_to_write(cairn_key_folder *folder, const char *path, cairn_complaints *complaints)
{
    cairn_err err = cairn_key_folder_open(folder, path, complaints);
    if (err == CAIRN_ERR_NOT_FOUND) {
        err = make_folders(path, complaints);
        if (err == CAIRN_OK) { err = cairn_key_folder_open(folder, path, complaints); }
    }
    return err != CAIRN_OK ? err : cairn_key_folder_lock(folder);
}

void cairn_key_folder_close(cairn_key_folder *folder)
{
    if (folder->handle >= 0) { (void)close(folder->handle); }
    folder->handle = -1;
}

static cairn_err check_file(const cairn_key_folder *folder, const char *file, int handle, cairn_key_mode mode)
{
    struct stat found;
    if (fstat(handle, &found) != 0) { return failed(folder, file, "cannot be read"); }
    if (!S_ISREG(found.st_mode)) {
        cairn_key_folder_complain(folder, file, "is not a plain file");
        return CAIRN_ERR_INVALID;
    }
    if (mode == CAIRN_KEY_ANY_MODE || (found.st_mode & OTHERS) == 0) { return CAIRN_OK; }
    cairn_key_folder_complain(folder, file,
                              "others on this machine may read or change this key, for it has mode %04o; chmod 600 %s, "
                              "or if it may have been copied, revoke it and make another",
                              found.st_mode & 07777, place_of(folder, file).text);
    return CAIRN_ERR_INVALID;
}

// Reads to the end or until the room is full; -1 when the system said no.
static ssize_t read_all(int handle, char *ret_text, size_t room)
{
    size_t size = 0;
    while (size < room) {
        const ssize_t got = read(handle, ret_text + size, room - size);
        if (got < 0 && errno == EINTR) { continue; }
        if (got < 0) { return -1; }
        if (got == 0) { break; }
        size += (size_t)got;
    }
    return (ssize_t)size;
}

static cairn_err parse(const cairn_key_folder *folder, const char *file, int handle, cairn_key *ret_key)
{
    char text[CAIRN_KEY_TEXT_BYTES_MAX + 1]; // one more, so that a longer file is noticed
    const ssize_t size = read_all(handle, text, sizeof text);
    const cairn_err err =
        size < 0 ? failed(folder, file, "cannot be read")
                 : cairn_key_parse(text, (size_t)size, place_of(folder, file).text, folder->complaints, ret_key);
    sodium_memzero(text, sizeof text);
    return err;
}

static cairn_err check_name(const cairn_key_folder *folder, const char *file, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(file, name, length) == 0 && file[length] == '.') { return CAIRN_OK; }
    cairn_key_folder_complain(folder, file, "is the key of %s and must be named %s" CAIRN_KEY_ENDING, name, name);
    return CAIRN_ERR_INVALID;
}

cairn_err cairn_key_folder_read(const cairn_key_folder *folder, const char *file, cairn_key_mode mode,
                                cairn_key *ret_key)
{
    const int handle = openat(folder->handle, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (handle < 0 && errno == ENOENT) { return CAIRN_ERR_NOT_FOUND; }
    if (handle < 0 && errno == ELOOP) {
        cairn_key_folder_complain(folder, file, "is a symbolic link; put the key file itself here");
        return CAIRN_ERR_INVALID;
    }
    if (handle < 0) { return failed(folder, file, "cannot be opened"); }
    cairn_key key = {0};
    cairn_err err = check_file(folder, file, handle, mode);
    if (err == CAIRN_OK) { err = parse(folder, file, handle, &key); }
    if (err == CAIRN_OK) { err = check_name(folder, file, key.info.name); }
    if (err == CAIRN_OK) { *ret_key = key; }
    cairn_key_wipe(&key);
    (void)close(handle);
    return err;
}

static bool write_all(int handle, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t wrote = write(handle, bytes + at, size - at);
        if (wrote < 0 && errno != EINTR) { return false; }
        if (wrote > 0) { at += (size_t)wrote; }
    }
    return true;
}

static bool write_temporary(const cairn_key_folder *folder, const cairn_key *key)
{
    (void)unlinkat(folder->handle, TEMPORARY, 0);
    const int handle = openat(folder->handle, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (handle < 0) { return false; }
    char text[CAIRN_KEY_TEXT_BYTES_MAX];
    const size_t size = cairn_key_format(key, text);
    // fchmod, because the umask may have taken the owner's rights away.
    const bool written = fchmod(handle, 0600) == 0 && write_all(handle, text, size) && fsync(handle) == 0;
    const int reason = errno;
    sodium_memzero(text, sizeof text);
    const bool closed = close(handle) == 0;
    if (!written) { errno = reason; }
    return written && closed;
}

cairn_err cairn_key_folder_write(const cairn_key_folder *folder, const cairn_key *key)
{
    const cairn_key_file_name file = cairn_key_file_name_of(key->info.name);
    if (write_temporary(folder, key) && renameat(folder->handle, TEMPORARY, folder->handle, file.text) == 0) {
        return fsync(folder->handle) == 0 ? CAIRN_OK : failed(folder, file.text, "may not outlive a power failure");
    }
    const cairn_err err = failed(folder, file.text, "cannot be written");
    (void)unlinkat(folder->handle, TEMPORARY, 0);
    return err;
}

// A file system that copies on write, or a flash disk, may keep the old block for a while all the same.
static void overwrite(int handle)
{
    static const char blanks[CAIRN_KEY_TEXT_BYTES_MAX];
    struct stat found;
    if (fstat(handle, &found) != 0 || found.st_size > (off_t)sizeof blanks) { return; }
    if (write_all(handle, blanks, (size_t)found.st_size)) { (void)fsync(handle); }
}

cairn_err cairn_key_folder_write_and_erase(const cairn_key_folder *folder, const cairn_key *key)
{
    const cairn_key_file_name file = cairn_key_file_name_of(key->info.name);
    const int before = openat(folder->handle, file.text, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    const cairn_err err = cairn_key_folder_write(folder, key);
    if (before < 0) { return err; }
    if (err == CAIRN_OK) { overwrite(before); }
    (void)close(before);
    return err;
}
