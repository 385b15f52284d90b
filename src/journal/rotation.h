// rotation.h - a journal that goes on in new files, by size and by age, within a quota of the disk.
//
// It is either one file at def.path, as a mission has it, or a series in a folder (series_io.h). Every file is a whole
// journal: it has all channels. Old files of the series go when the quota is reached, the oldest first.
// Trouble  When a file cannot be written (the disk is full), it ends there, readable up to its last complete chunk, and
//          what follows is lost and counted. A series tries a new file every CAIRN_ROTATION_RETRY_NS.
// Time     Is what the messages' log times say.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "journal/journal.h"

#define CAIRN_ROTATION_RETRY_NS CAIRN_S(10)
// After trouble a new file is begun only where the disk has that much room: otherwise a full disk gets a small file
// every ten seconds.
#define CAIRN_ROTATION_ROOM_BYTES ((uint64_t)8 << 20)

typedef struct cairn_rotation_def {
    const char *path;          // of the one file; NULL: a series
    const char *folder;        // of the series; made if its parent is there
    const char *prefix;        // "emu1": emu1-000001.mcap, ...
    uint64_t rotate_bytes;     // a file of at least so many ends; 0: never. Smaller: less is lost with one bad file
    int64_t rotate_ns;         // a file that began so long ago ends; 0: never
    uint64_t quota_bytes;      // of all files of the series together, but for one chunk; 0: none
    bool owner_turns;          // the owner calls cairn_rotation_turn when it is due, because it has first words to say
    cairn_journal_def journal; // chunks and compression
} cairn_rotation_def;

cairn_rotation_def cairn_rotation_def_default(void); // a series: 256 MB, 30 min, 4 GB; folder and prefix are missing

typedef struct cairn_rotation_info {
    uint64_t number;                    // of the current file; 0: of one file
    uint32_t file_count;                // begun
    uint32_t deleted_count;             // for the quota
    uint32_t trouble_count;             // times that writing failed
    uint64_t lost_count;                // messages that were refused; those of the chunk that failed are lost too
    uint64_t message_count, file_bytes; // of all files begun here
    uint64_t hash;                      // of the current file's messages
    cairn_err err;                      // CAIRN_OK: a file is being written
    char trouble[512];                  // the last trouble, for people; kept after it is over
} cairn_rotation_info;

typedef struct cairn_rotation cairn_rotation;

// Begins the first file. CAIRN_ERR_IO with a complaint when there is no such place; a full disk is trouble of a series,
// not an error: who is to work must work without a journal, too. Texts are copied.
CAIRN_CHECKED cairn_err cairn_rotation_create(const cairn_rotation_def *def, cairn_complaints *complaints,
                                              cairn_rotation **ret_rotation);
void cairn_rotation_destroy(
    cairn_rotation *rotation); // without finish the last file stays as after a crash; accepts NULL

// Makes a channel in this file and all that follow; numbers are 1, 2, ... in the order of the calls. Each topic once.
// The type is borrowed for good.
CAIRN_CHECKED cairn_err cairn_rotation_add_type(cairn_rotation *rotation, const char *topic,
                                                const cairn_ros_type *type);

// Appends an encoded message; begins a new file first if that is due and not the owner's to do. Errors are those of
// cairn_journal_write, and are counted.
CAIRN_CHECKED cairn_err cairn_rotation_write(cairn_rotation *rotation, uint16_t channel, int64_t log_time_ns,
                                             int64_t publish_time_ns, const void *bytes, size_t size);
CAIRN_CHECKED cairn_err cairn_rotation_flush(cairn_rotation *rotation);

bool cairn_rotation_is_due(const cairn_rotation *rotation, int64_t now_ns);
// Ends the file and begins the next one. A series only.
CAIRN_CHECKED cairn_err cairn_rotation_turn(cairn_rotation *rotation, int64_t now_ns);

// Ends the last file. Only look and destroy may follow.
CAIRN_CHECKED cairn_err cairn_rotation_finish(cairn_rotation *rotation);
void cairn_rotation_look(const cairn_rotation *rotation, cairn_rotation_info *ret_info);
