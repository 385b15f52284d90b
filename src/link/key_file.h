// key_file.h - the text of a robot's key file: read, checked and written. No files are touched here; see keys_io.h.
//
//     cairn key 1
//     # a comment
//     name emu1
//     robot 1
//     made 2026-03-01T09:30:00Z
//     key 64 hexadecimal digits               (a living key)
//     revoked 2026-04-01T00:00:00Z            (in its place: the secret is gone)
//     fingerprint 1a2b3c4d
//
// The fingerprint is the one that greetings carry on the air. It tells keys apart, proves that the secret was copied
// without a mistake, and stays when the secret is gone.
// Threads  Free of state.
#pragma once
#include "base/clock.h"
#include "link/link.h"

#define CAIRN_KEY_VERSION 1         // one digit
#define CAIRN_KEY_NAME_BYTES_MAX 31 // as long as a mission's robot names
#define CAIRN_KEY_ROBOT_MAX 250
#define CAIRN_KEY_TEXT_BYTES_MAX 2048 // of a file; more is refused
#define CAIRN_KEY_TIME_BYTES 21       // "2026-03-01T09:30:00Z" and NUL

// What anyone may see of a key.
typedef struct cairn_key_info {
    char name[CAIRN_KEY_NAME_BYTES_MAX + 1]; // of the robot: letters, digits, - and _
    uint8_t robot;                           // its number on the air, 1..250
    uint32_t fingerprint;
    cairn_wall made; // whole seconds, for people
    bool revoked;
    cairn_wall revoked_at; // meaningless unless revoked
} cairn_key_info;

typedef struct cairn_key {
    cairn_key_info info;
    uint8_t secret[CAIRN_LINK_KEY_BYTES]; // zeros when revoked
} cairn_key;

// Whether this can be a robot's name: 1..31 letters, digits, - and _, the first a letter or digit. So it is also safe
// as a file's name.
bool cairn_key_name_is_good(const char *name);

uint32_t cairn_key_fingerprint(const uint8_t secret[CAIRN_LINK_KEY_BYTES]);

// Reads a file's text; file is its name in complaints, which never quote the text. CAIRN_ERR_INVALID with all reasons,
// UNSUPPORTED for another version, TOO_LARGE; *ret_key is then untouched. O(size).
CAIRN_CHECKED cairn_err cairn_key_parse(const char *text, size_t size, const char *file, cairn_complaints *complaints,
                                        cairn_key *ret_key);

// Writes what cairn_key_parse reads back as the same key; returns the length. The text holds the secret: wipe it.
size_t cairn_key_format(const cairn_key *key, char ret_text[CAIRN_KEY_TEXT_BYTES_MAX]);

// "2026-03-01T09:30:00Z".
void cairn_key_time_format(cairn_wall time, char ret_text[CAIRN_KEY_TIME_BYTES]);

// Forgets the secret; no compiler may leave this out.
void cairn_key_wipe(cairn_key *key);
