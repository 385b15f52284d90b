// receiver.h - an acknowledged stream, receiving end: pieces are kept until their message is whole and taken.
//
// Every message is handed out exactly once between two boots. A piece is acknowledged when it arrives, but the last
// piece of a message only when the message is taken: a sender that has all acknowledgements knows that it was taken.
// Threads  One owner.
#pragma once
#include "link/sender.h"

typedef struct cairn_receiver {
    cairn_piece *ring; // put_ns: when put, by the peer's clock; sent: is here; acked: may be acknowledged
    bool *taken;       // beside the ring
    uint32_t window;   // a power of two
    uint32_t base;     // everything below has been taken
    bool in_order;
} cairn_receiver;

CAIRN_CHECKED cairn_err cairn_receiver_init(cairn_receiver *receiver, uint32_t window, bool in_order,
                                            cairn_arena *arena);
void cairn_receiver_reset(cairn_receiver *receiver); // the peer is another boot

// CAIRN_ERR_STALE for one that was here before, CAIRN_ERR_OUTSIDE beyond the window.
CAIRN_CHECKED cairn_err cairn_receiver_add(cairn_receiver *receiver, uint16_t number, const cairn_piece *piece);

// The next whole message, copied to ret_bytes (window * CAIRN_LINK_PIECE_BYTES); CAIRN_ERR_EMPTY if there is none.
CAIRN_CHECKED cairn_err cairn_receiver_take(cairn_receiver *receiver, uint8_t *ret_bytes, size_t *ret_size,
                                            int64_t *ret_put_ns);

// What to tell the sender: the low 16 bits of base, and the pieces above it.
uint64_t cairn_receiver_bits(const cairn_receiver *receiver);
