// inbox.h - bounded queues of byte messages, for what goes upward and sideways.
//
// An inbox has a stated capacity and a stated rule for what happens when it is full; both outcomes are
// counted. Any number of senders, one receiver. Never used towards the motors: those have cells.
#pragma once
#include "base/memory.h"

typedef enum cairn_inbox_rule {
    CAIRN_INBOX_REFUSE,     // the new message is refused; the sender is told
    CAIRN_INBOX_DROP_OLDEST // the oldest go, as many as needed
} cairn_inbox_rule;

typedef struct cairn_inbox cairn_inbox;

typedef struct cairn_inbox_info {
    uint64_t put_count, refused_count, dropped_count;
    uint32_t waiting_count, waiting_count_max;
    size_t waiting_bytes, capacity_bytes; // each waiting message takes 4 bytes more than its size
} cairn_inbox_info;

// One block from the arena. The capacity must hold at least one message of the largest size and its 4 bytes of
// length. message_bytes_max: larger ones are refused with CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_inbox_create(cairn_arena *arena, size_t capacity_bytes, size_t message_bytes_max,
                                           cairn_inbox_rule rule, cairn_inbox **ret_inbox);
void cairn_inbox_finish(cairn_inbox *inbox); // gives the lock back; accepts NULL

// Copies the message in. CAIRN_ERR_FULL only under CAIRN_INBOX_REFUSE.
CAIRN_CHECKED cairn_err cairn_inbox_put(cairn_inbox *inbox, const void *message, size_t size_bytes);
// Copies the oldest message out; CAIRN_ERR_EMPTY when there is none; CAIRN_ERR_TOO_LARGE (and the message
// stays) when ret_message is too small.
CAIRN_CHECKED cairn_err cairn_inbox_take(cairn_inbox *inbox, void *ret_message, size_t size_bytes_max,
                                         size_t *ret_size_bytes);
cairn_inbox_info cairn_inbox_look(cairn_inbox *inbox);
