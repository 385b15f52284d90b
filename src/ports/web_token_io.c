// Made at random when there is no file yet, read back otherwise; compared in a time that tells nothing of it.
#include "ports/web_token_io.h"
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 16

bool cairn_web_token_fits(const char *token)
{
    CAIRN_ASSERT(token != NULL);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strlen(token);
    return length >= CAIRN_WEB_TOKEN_BYTES_MIN && length < CAIRN_WEB_TOKEN_BYTES && strspn(token, allowed) == length;
}

static cairn_err complain(cairn_complaints *complaints, const char *path, cairn_err err, const char *what)
{
    cairn_complain(complaints, path, 0, "the page's token: %s", what);
    return err;
}

static cairn_err read_token(int handle, const char *path, cairn_complaints *complaints, char *ret_token)
{
    struct stat found;
    char text[CAIRN_WEB_TOKEN_BYTES + 2] = "";
    if (fstat(handle, &found) != 0) { return complain(complaints, path, CAIRN_ERR_IO, strerror(errno)); }
    if (!S_ISREG(found.st_mode) || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return complain(complaints, path, CAIRN_ERR_INVALID,
                        "others may read this file, and who has the token can drive robots; chmod 600, and better make "
                        "a new one: delete the file");
    }
    if (read(handle, text, sizeof text - 1) < 0) { return complain(complaints, path, CAIRN_ERR_IO, strerror(errno)); }
    text[strcspn(text, "\r\n")] = '\0';
    if (!cairn_web_token_fits(text)) {
        return complain(complaints, path, CAIRN_ERR_INVALID,
                        "expected one line of 16 to 64 letters, digits, '-' and '_'; delete the file to have one made");
    }
    memcpy(ret_token, text, strlen(text) + 1);
    return CAIRN_OK;
}

static cairn_err make_token(const char *path, cairn_complaints *complaints, char *ret_token)
{
    uint8_t random[RANDOM_BYTES];
    char text[2 * RANDOM_BYTES + 2];
    CAIRN_ASSERT(sodium_init() >= 0);
    randombytes_buf(random, sizeof random);
    (void)sodium_bin2hex(text, sizeof text, random, sizeof random);
    const size_t length = strlen(text);
    const int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (handle < 0) { return complain(complaints, path, CAIRN_ERR_IO, strerror(errno)); }
    memcpy(ret_token, text, length + 1);
    text[length] = '\n';
    const bool written = write(handle, text, length + 1) == (ssize_t)length + 1 && fsync(handle) == 0;
    const int why = errno;
    close(handle);
    if (written) { return CAIRN_OK; }
    (void)unlink(path); // half a token would lock everybody out
    return complain(complaints, path, CAIRN_ERR_IO, strerror(why));
}

cairn_err cairn_web_token_ensure(const char *path, cairn_complaints *complaints,
                                 char ret_token[static CAIRN_WEB_TOKEN_BYTES])
{
    CAIRN_ASSERT(path != NULL && complaints != NULL);
    const int handle = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (handle < 0 && errno == ENOENT) { return make_token(path, complaints, ret_token); }
    if (handle < 0) { return complain(complaints, path, CAIRN_ERR_IO, strerror(errno)); }
    const cairn_err err = read_token(handle, path, complaints, ret_token);
    close(handle);
    return err;
}
