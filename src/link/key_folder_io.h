// key_folder_io.h - the folder below keys_io.h: opened, locked, and one key file read or written in it. For keys_io.c.
//
// All is done relative to the open folder, so that it cannot be exchanged under a writer's hands. Writers hold a lock
// on the folder itself: no lock file is left behind.
//
// Failure  As in keys_io.h; where CAIRN_ERR_NOT_FOUND is named, it comes without a complaint.
#pragma once
#include "link/keys_io.h"

#define CAIRN_KEY_ENDING ".key"

typedef struct cairn_key_folder {
    const char *path; // borrowed until close
    int handle;       // -1: closed
    cairn_complaints *complaints;
} cairn_key_folder;

typedef struct cairn_key_file_name {
    char text[CAIRN_KEYS_FILE_BYTES_MAX];
} cairn_key_file_name;

cairn_key_file_name cairn_key_file_name_of(const char *robot_name); // "emu1.key"

// "folder/file: what". File NULL means the folder itself.
void cairn_key_folder_complain(const cairn_key_folder *folder, const char *file, const char *format, ...)
    CAIRN_PRINTF(3, 4);

// CAIRN_ERR_NOT_FOUND; INVALID when others may enter; IO. The folder is closed unless CAIRN_OK.
CAIRN_CHECKED cairn_err cairn_key_folder_open(cairn_key_folder *folder, const char *path, cairn_complaints *complaints);
// Waits for other writers. close gives the lock back.
CAIRN_CHECKED cairn_err cairn_key_folder_lock(cairn_key_folder *folder);
// Makes the folder if it is missing, opens and locks it.
CAIRN_CHECKED cairn_err cairn_key_folder_open_to_write(cairn_key_folder *folder, const char *path,
                                                       cairn_complaints *complaints);
void cairn_key_folder_close(cairn_key_folder *folder);

typedef enum cairn_key_mode { CAIRN_KEY_PRIVATE_ONLY, CAIRN_KEY_ANY_MODE } cairn_key_mode;

// Reads a living or revoked key, whose name must fit the file's. CAIRN_ERR_NOT_FOUND.
CAIRN_CHECKED cairn_err cairn_key_folder_read(const cairn_key_folder *folder, const char *file, cairn_key_mode mode,
                                              cairn_key *ret_key);
// Writes NAME.key, whole or not at all, over what was there, and the disk through. The folder is locked.
CAIRN_CHECKED cairn_err cairn_key_folder_write(const cairn_key_folder *folder, const cairn_key *key);
// The same, and then overwrites the bytes of the file that was there before, as far as the file system lets us.
CAIRN_CHECKED cairn_err cairn_key_folder_write_and_erase(const cairn_key_folder *folder, const cairn_key *key);
