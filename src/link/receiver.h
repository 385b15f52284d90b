// receiver.h - an acknowledged stream, receiving end: pieces are kept until their message is whole and taken.
//
// Every message is handed out exactly once between two boots. A piece is acknowledged when it arrives, but the last
// piece of a message only when the message is taken: a sender that has all acknowledgements knows that it was taken. A
// receiver that holds waits longer: until the ticket under which the message was taken is confirmed.
// Threads  One owner.
#pragma once
#include "link/sender.h"

typedef struct cairn_receiver {
    cairn_piece *ring; // put_ns: when put, by the peer's clock; sent: is here; acked: may be acknowledged
    bool *taken;       // beside the ring
    uint64_t *tickets; // beside the ring: of taken last pieces
    uint32_t window;   // a power of two
    uint32_t base;     // everything below has been taken and may be acknowledged
    bool in_order;
    bool hold;       // set by the owner: taken messages wait for cairn_receiver_confirm
    uint64_t ticket; // set by the owner: of messages taken from now on
} cairn_receiver;

CAIRN_CHECKED cairn_err cairn_receiver_init(cairn_receiver *receiver, uint32_t window, bool in_order,
                                            cairn_arena *arena);
void cairn_receiver_reset(cairn_receiver *receiver); // the peer is another boot

// CAIRN_ERR_STALE for one that was here before, CAIRN_ERR_OUTSIDE beyond the window.
CAIRN_CHECKED cairn_err cairn_receiver_add(cairn_receiver *receiver, uint16_t number, const cairn_piece *piece);

// The next whole message, copied to ret_bytes (window * CAIRN_LINK_PIECE_BYTES); CAIRN_ERR_EMPTY if there is none.
CAIRN_CHECKED cairn_err cairn_receiver_take(cairn_receiver *receiver, uint8_t *ret_bytes, size_t *ret_size,
                                            int64_t *ret_put_ns);

// Lets go of all that was taken under this ticket or an earlier one. False if there was nothing.
bool cairn_receiver_confirm(cairn_receiver *receiver, uint64_t ticket);

// What to tell the sender beside the low 16 bits of base: the pieces above it (bit i: base + i) that are acknowledged,
// and those that are held: they need not be sent again, and must not be forgotten.
uint64_t cairn_receiver_bits(const cairn_receiver *receiver);
uint64_t cairn_receiver_held_bits(const cairn_receiver *receiver); // one for each held message
