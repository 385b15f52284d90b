// sender.h - an acknowledged stream, sending end: a ring of pieces that stay until their whole message is acknowledged.
//
// A message is cut into pieces with consecutive numbers. A piece may be on the air while its number is less than the
// window ahead of the oldest message. Numbers count from 0 between two boots; when the peer is another boot,
// everything unacknowledged is numbered anew and sent again.
// Threads  One owner.
#pragma once
#include "link/link.h"

#define CAIRN_LINK_PIECE_BYTES 256  // smaller pieces cost more headers; larger ones lose more to each lost packet
#define CAIRN_LINK_PIECES_WINDOW 64 // on the air at once, at most; the acknowledgement's bitmap

typedef struct cairn_piece {
    int64_t put_ns, sent_ns; // sent: last time
    uint16_t size;
    bool first, last, sent, acked;
    bool held; // the peer has it, and will acknowledge it later
    uint8_t bytes[CAIRN_LINK_PIECE_BYTES];
} cairn_piece;

typedef struct cairn_sender {
    cairn_piece *ring;   // by number modulo capacity
    uint32_t capacity;   // a power of two
    uint32_t window;     // pieces, <= CAIRN_LINK_PIECES_WINDOW
    uint32_t base, next; // numbers of the oldest piece and of the next to be made
    uint32_t message_count;
} cairn_sender;

CAIRN_CHECKED cairn_err cairn_sender_init(cairn_sender *sender, uint32_t capacity, uint32_t window, cairn_arena *arena);

// CAIRN_ERR_FULL when the ring has no room for all of its pieces.
CAIRN_CHECKED cairn_err cairn_sender_put(cairn_sender *sender, const uint8_t *bytes, size_t size, cairn_mono now);

cairn_piece *cairn_sender_piece(const cairn_sender *sender, uint32_t number);

// One past the last number that may be on the air.
uint32_t cairn_sender_end(const cairn_sender *sender);

// The peer has everything below base, and those above it whose bit is set (bit i: base + i). Returns how many messages
// are thereby done. Numbers that were never sent are ignored.
uint32_t cairn_sender_acknowledge(cairn_sender *sender, uint16_t base, uint64_t bits);

// The peer holds those whose bit is set: no need to send them again until it is another boot.
void cairn_sender_hold(cairn_sender *sender, uint16_t base, uint64_t bits);

// The peer is another boot: number from 0, and send all again.
void cairn_sender_renumber(cairn_sender *sender);
