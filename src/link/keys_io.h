// keys_io.h - a folder of robot keys, one file NAME.key for each robot: made, read, listed, revoked.
//
// Station and robot hold the same file; a person carries it over. Files have mode 0600 in a folder of mode 0700, and
// more than that is refused. Old keys that were revoked and replaced stay as NAME.key.1, NAME.key.2, ... without
// secret.
//
// Failure  Every error but a contract breach comes with its reason and remedy in *complaints, which like all else that
//          is printed never holds a secret. A file is written whole, under another name, and then renamed: after a
//          failure or a crash there is the old file or the new one.
// Threads  Free of state. Writers of one folder, in any process, wait for each other; readers never wait.
// Time     `now` is only written down, for people.
#pragma once
#include "link/key_file.h"

#define CAIRN_KEYS_PATH_BYTES_MAX 1024
#define CAIRN_KEYS_FILE_BYTES_MAX (CAIRN_KEY_NAME_BYTES_MAX + 9) // of "NAME.key.99" and NUL
#define CAIRN_KEYS_MAX 512                                       // files in a folder: 250 robots and old keys

// $CAIRN_KEYS, else $XDG_CONFIG_HOME/cairn/keys, else ~/.config/cairn/keys. CAIRN_ERR_NOT_FOUND without any of the
// three, TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_keys_folder_default(cairn_complaints *complaints,
                                                  char ret_folder[CAIRN_KEYS_PATH_BYTES_MAX]);

// Makes a random key for a robot that has none, or whose key was revoked; the folder too, if it is missing. The number
// is `robot`, or with 0 the one that the name had before, else the lowest that no file has. CAIRN_ERR_INVALID: a bad
// name, a living key of that name, a number that another living key has, a damaged file in the folder; FULL: no number
// left; IO. Writes the disk through. The caller wipes the key (cairn_key_wipe).
CAIRN_CHECKED cairn_err cairn_keys_make(const char *folder, const char *name, uint8_t robot, cairn_wall now,
                                        cairn_complaints *complaints, cairn_key *ret_key);

// Reads a robot's living key. CAIRN_ERR_NOT_FOUND; STALE: revoked; INVALID: others may read it, damaged, of another
// robot; UNSUPPORTED, TOO_LARGE, IO. The caller wipes the key.
CAIRN_CHECKED cairn_err cairn_keys_read(const char *folder, const char *name, cairn_complaints *complaints,
                                        cairn_key *ret_key);

// Reads the key, or makes it where there is none: for a demo that must work at first run. A revoked key is not
// replaced. CAIRN_ERR_INVALID also when the key there has another number than `robot` (unless that is 0).
CAIRN_CHECKED cairn_err cairn_keys_ensure(const char *folder, const char *name, uint8_t robot, cairn_wall now,
                                          cairn_complaints *complaints, cairn_key *ret_key, bool *ret_made);

// Ends a key: the file stays, with the time in place of the secret, and what held the secret on disk is overwritten as
// far as the file system lets us. A running station or robot has read its keys already and must be restarted.
// CAIRN_ERR_NOT_FOUND, STALE (already revoked), INVALID, IO. A file that others may read can be revoked.
CAIRN_CHECKED cairn_err cairn_keys_revoke(const char *folder, const char *name, cairn_wall now,
                                          cairn_complaints *complaints, cairn_key_info *ret_info);

typedef struct cairn_keys_entry {
    cairn_key_info info;
    char file[CAIRN_KEYS_FILE_BYTES_MAX]; // in the folder: "emu1.key", or "emu1.key.1" for one that was replaced
} cairn_keys_entry;

typedef struct cairn_keys_list {
    uint32_t count;
    cairn_keys_entry entries[CAIRN_KEYS_MAX]; // by file name, numbers in it by value: emu2 before emu10
} cairn_keys_list;

// Lists living and revoked keys, without secrets. A folder that does not exist is an empty one. CAIRN_ERR_INVALID when
// some files were refused or two living keys have one number: *ret_list then holds all that could be read. FULL, IO:
// it is untouched.
CAIRN_CHECKED cairn_err cairn_keys_find(const char *folder, cairn_complaints *complaints, cairn_keys_list *ret_list);
