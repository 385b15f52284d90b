// key_file.c - see key_file.h. One "word value" a line and every word at most once: little enough to be read by a
// table. Every proper part of a file is refused, since its last line is needed and must be ended. A line that is wrong
// is told by what was expected and never by what it says, for it may be the secret.
#include "link/key_file.h"
#include "link/seal.h"
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TITLE "cairn key "
#define TEXT_OF(number) TEXT(number)
#define TEXT(number) #number
#define VERSION TEXT_OF(CAIRN_KEY_VERSION)
#define TIME_FORMAT "%Y-%m-%dT%H:%M:%SZ"
#define TIME_EXPECTED "a time such as 2026-03-01T09:30:00Z"
enum { SECRET_DIGITS = 2 * CAIRN_LINK_KEY_BYTES, VALUE_BYTES_MAX = SECRET_DIGITS };

bool cairn_key_name_is_good(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t length = strlen(name);
    return length >= 1 && length <= CAIRN_KEY_NAME_BYTES_MAX && strspn(name, letters) == length && name[0] != '-' &&
           name[0] != '_';
}

uint32_t cairn_key_fingerprint(const uint8_t secret[CAIRN_LINK_KEY_BYTES])
{
    cairn_seal_root root;
    cairn_seal_root_init(&root, secret);
    const uint32_t fingerprint = root.fingerprint;
    sodium_memzero(&root, sizeof root);
    return fingerprint;
}

void cairn_key_wipe(cairn_key *key) { sodium_memzero(key->secret, sizeof key->secret); }

void cairn_key_time_format(cairn_wall time, char ret_text[CAIRN_KEY_TIME_BYTES])
{
    CAIRN_ASSERT(time.ns >= 0);
    const time_t s = (time_t)(time.ns / CAIRN_S(1));
    struct tm parts;
    CAIRN_ASSERT(gmtime_r(&s, &parts) != NULL);
    CAIRN_ASSERT(strftime(ret_text, CAIRN_KEY_TIME_BYTES, TIME_FORMAT, &parts) == CAIRN_KEY_TIME_BYTES - 1);
}

// Only what would be written the same way: no 30th of February, no blanks, no year that a cairn_wall cannot hold.
static bool read_time(const char *value, cairn_wall *ret_time)
{
    struct tm parts = {0};
    const char *end = strptime(value, TIME_FORMAT, &parts);
    if (end == NULL || *end != '\0') { return false; }
    const time_t s = timegm(&parts);
    if (s < 0 || s > INT64_MAX / CAIRN_S(1)) { return false; }
    const cairn_wall time = {(int64_t)s * CAIRN_S(1)};
    char again[CAIRN_KEY_TIME_BYTES];
    cairn_key_time_format(time, again);
    if (strcmp(again, value) != 0) { return false; }
    *ret_time = time;
    return true;
}

static bool read_name(const char *value, cairn_key *key)
{
    if (!cairn_key_name_is_good(value)) { return false; }
    (void)snprintf(key->info.name, sizeof key->info.name, "%s", value);
    return true;
}

static bool read_robot(const char *value, cairn_key *key)
{
    const size_t length = strlen(value);
    unsigned number = 0;
    if (length < 1 || length > 3 || strspn(value, "0123456789") != length) { return false; }
    for (size_t i = 0; i < length; i++) { number = 10 * number + (unsigned)(value[i] - '0'); }
    if (number < 1 || number > CAIRN_KEY_ROBOT_MAX) { return false; }
    key->info.robot = (uint8_t)number;
    return true;
}

static bool read_made(const char *value, cairn_key *key) { return read_time(value, &key->info.made); }

static bool read_revoked(const char *value, cairn_key *key)
{
    key->info.revoked = true;
    return read_time(value, &key->info.revoked_at);
}

static bool read_hex(const char *value, uint8_t *ret_bytes, size_t byte_count)
{
    size_t read_count = 0;
    return strlen(value) == 2 * byte_count &&
           sodium_hex2bin(ret_bytes, byte_count, value, 2 * byte_count, NULL, &read_count, NULL) == 0 &&
           read_count == byte_count;
}

static bool read_secret(const char *value, cairn_key *key) { return read_hex(value, key->secret, sizeof key->secret); }

static bool read_fingerprint(const char *value, cairn_key *key)
{
    uint8_t bytes[4];
    if (!read_hex(value, bytes, sizeof bytes)) { return false; }
    key->info.fingerprint = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    return true;
}

enum field { NAME, ROBOT, MADE, REVOKED, SECRET, FINGERPRINT, FIELD_COUNT };

static const struct {
    const char *word, *expected;
    bool (*read)(const char *value, cairn_key *key);
} fields[FIELD_COUNT] = {
    [NAME] = {"name", "1 to 31 letters, digits, - or _", read_name},
    [ROBOT] = {"robot", "a whole number from 1 to 250", read_robot},
    [MADE] = {"made", TIME_EXPECTED, read_made},
    [REVOKED] = {"revoked", TIME_EXPECTED, read_revoked},
    [SECRET] = {"key", "64 hexadecimal digits", read_secret},
    [FINGERPRINT] = {"fingerprint", "8 hexadecimal digits", read_fingerprint},
};

typedef struct reader {
    const char *file;
    cairn_complaints *complaints;
    uint32_t line;
    uint32_t line_of[FIELD_COUNT]; // 0: not there
    cairn_key key;
} reader;

static int find_field(const char *line, size_t length)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        const size_t word_length = strlen(fields[i].word);
        if (length > word_length && memcmp(line, fields[i].word, word_length) == 0 && line[word_length] == ' ') {
            return i;
        }
    }
    return FIELD_COUNT;
}

static bool read_value(reader *from, int field, const char *bytes, size_t length)
{
    char value[VALUE_BYTES_MAX + 1] = {0};
    if (length > VALUE_BYTES_MAX || memchr(bytes, '\0', length) != NULL) { return false; }
    memcpy(value, bytes, length);
    const bool good = fields[field].read(value, &from->key);
    sodium_memzero(value, sizeof value);
    return good;
}

static void read_line(reader *from, const char *line, size_t length)
{
    if (length == 0 || line[0] == '#') { return; }
    const int field = find_field(line, length);
    if (field == FIELD_COUNT) {
        cairn_complain(from->complaints, from->file, from->line,
                       "expected name, robot, made, revoked, key or fingerprint, a blank, and its value");
        return;
    }
    const char *word = fields[field].word;
    if (from->line_of[field] != 0) {
        cairn_complain(from->complaints, from->file, from->line, "%s stands here a second time, after line %u", word,
                       from->line_of[field]);
        return;
    }
    from->line_of[field] = from->line;
    const size_t skip = strlen(word) + 1;
    if (!read_value(from, field, line + skip, length - skip)) {
        cairn_complain(from->complaints, from->file, from->line, "%s: expected %s", word, fields[field].expected);
    }
}

static cairn_err read_title(reader *from, const char *line, size_t length)
{
    const size_t title_length = strlen(TITLE);
    if (length < title_length || memcmp(line, TITLE, title_length) != 0) {
        cairn_complain(from->complaints, from->file, 1, "is not a key file: expected \"%s\"", TITLE VERSION);
        return CAIRN_ERR_INVALID;
    }
    if (length != strlen(TITLE VERSION) || line[title_length] != VERSION[0]) {
        cairn_complain(from->complaints, from->file, 1, "a key file of another version; this program reads \"%s\"",
                       TITLE VERSION);
        return CAIRN_ERR_UNSUPPORTED;
    }
    return CAIRN_OK;
}

// What no single line can tell.
static void check_whole(reader *from)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (from->line_of[i] != 0 || i == SECRET || i == REVOKED) { continue; }
        cairn_complain(from->complaints, from->file, 0, "%s is missing; expected %s", fields[i].word,
                       fields[i].expected);
    }
    const bool secret = from->line_of[SECRET] != 0, revoked = from->line_of[REVOKED] != 0;
    if (!secret && !revoked) { cairn_complain(from->complaints, from->file, 0, "key is missing; copy the file again"); }
    if (secret && revoked) {
        cairn_complain(from->complaints, from->file, from->line_of[SECRET],
                       "a revoked key must not have its secret; delete this line");
    }
}

static void check_fingerprint(reader *from)
{
    if (from->key.info.revoked || cairn_key_fingerprint(from->key.secret) == from->key.info.fingerprint) { return; }
    cairn_complain(from->complaints, from->file, from->line_of[SECRET],
                   "key and fingerprint do not belong together; copy the file again");
}

static cairn_err read_text(reader *from, const char *text, size_t size)
{
    const uint32_t complaint_count = from->complaints->count;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        from->line++;
        if (from->line == 1) {
            const cairn_err err = read_title(from, text, length);
            if (err != CAIRN_OK) { return err; }
        } else {
            read_line(from, text + at, length);
        }
        if (end == NULL) {
            cairn_complain(from->complaints, from->file, from->line, "the file ends within a line; copy it again");
        }
        at += length + 1;
    }
    check_whole(from);
    if (from->complaints->count == complaint_count) { check_fingerprint(from); }
    return from->complaints->count == complaint_count ? CAIRN_OK : CAIRN_ERR_INVALID;
}

cairn_err cairn_key_parse(const char *text, size_t size, const char *file, cairn_complaints *complaints,
                          cairn_key *ret_key)
{
    CAIRN_ASSERT(text != NULL && file != NULL);
    if (size == 0) {
        cairn_complain(complaints, file, 0, "is empty; copy the file again");
        return CAIRN_ERR_INVALID;
    }
    if (size > CAIRN_KEY_TEXT_BYTES_MAX) {
        cairn_complain(complaints, file, 0, "more than %d bytes; is this a key file?", CAIRN_KEY_TEXT_BYTES_MAX);
        return CAIRN_ERR_TOO_LARGE;
    }
    reader from = {.file = file, .complaints = complaints};
    const cairn_err err = read_text(&from, text, size);
    if (err == CAIRN_OK) { *ret_key = from.key; }
    sodium_memzero(&from.key, sizeof from.key);
    return err;
}

static size_t format_secret(const cairn_key *key, char *ret_text, size_t room)
{
    char value[SECRET_DIGITS + 1];
    const char *word = key->info.revoked ? "revoked" : "key";
    if (key->info.revoked) {
        cairn_key_time_format(key->info.revoked_at, value);
    } else {
        (void)sodium_bin2hex(value, sizeof value, key->secret, sizeof key->secret);
    }
    const int length = snprintf(ret_text, room, "%s %s\n", word, value);
    sodium_memzero(value, sizeof value);
    return (size_t)length;
}

size_t cairn_key_format(const cairn_key *key, char ret_text[CAIRN_KEY_TEXT_BYTES_MAX])
{
    const cairn_key_info *info = &key->info;
    CAIRN_ASSERT(cairn_key_name_is_good(info->name) && info->robot >= 1 && info->robot <= CAIRN_KEY_ROBOT_MAX);
    const size_t room = CAIRN_KEY_TEXT_BYTES_MAX;
    char made[CAIRN_KEY_TIME_BYTES];
    cairn_key_time_format(info->made, made);
    size_t at = (size_t)snprintf(ret_text, room, TITLE VERSION "\n# %s\nname %s\nrobot %u\nmade %s\n",
                                 info->revoked ? "A key that is no longer used; its secret is gone."
                                               : "Secret, shared by this robot and its station only. docs/keys.md",
                                 info->name, info->robot, made);
    at += format_secret(key, ret_text + at, room - at);
    at += (size_t)snprintf(ret_text + at, room - at, "fingerprint %08x\n", info->fingerprint);
    CAIRN_ASSERT(at < room);
    return at;
}
