// tape.h - messages on their way into journal files: encoded by whoever has them, written by a thread of the tape's
// own.
//
// Compression and the disk never hold up a caller: a message is copied into a queue. When the disk stalls and the queue
// is full, new messages are dropped and counted. A synchronous tape writes at once, on the caller's thread: nothing is
// dropped, and the same calls give the same bytes.
// Memory   The heap: the queue grows to what was ever waiting, twice, and at most to twice queue_bytes_max.
// Threads  Writing, turning and looking from any; one owner creates, finishes and destroys.
#pragma once
#include "journal/rotation.h"

typedef struct cairn_tape_def {
    cairn_rotation_def files;
    bool synchronous;
    size_t queue_bytes_max; // larger: longer stalls of the disk cost nothing
} cairn_tape_def;

typedef struct cairn_tape_info {
    cairn_rotation_info files;
    uint64_t dropped_count; // messages, because the queue was full
} cairn_tape_info;

typedef struct cairn_tape cairn_tape;

CAIRN_CHECKED cairn_err cairn_tape_create(const cairn_tape_def *def, cairn_complaints *complaints,
                                          cairn_tape **ret_tape);
void cairn_tape_destroy(cairn_tape *tape); // accepts NULL

// A channel of this and all later files; each topic once. The type is borrowed for good. 0: there are too many.
uint16_t cairn_tape_add_type(cairn_tape *tape, const char *topic, const cairn_ros_type *type);

// Encodes and queues a struct of the channel's type.
void cairn_tape_write(cairn_tape *tape, uint16_t channel, cairn_mono now, cairn_mono taken, const void *message);

// Whether a new file should begin, where that is the owner's to do (owner_turns).
bool cairn_tape_turn_is_due(cairn_tape *tape);
// What is written from now on goes into a new file. False when the queue has not the room for as many bytes as the
// caller wants to say at its head: then nothing happens.
bool cairn_tape_turn(cairn_tape *tape, cairn_mono now, size_t head_bytes);

cairn_tape_info cairn_tape_look(cairn_tape *tape);
// Writes what waits and ends the file. Only look and destroy may follow.
CAIRN_CHECKED cairn_err cairn_tape_finish(cairn_tape *tape);
