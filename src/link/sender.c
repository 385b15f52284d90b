// sender.c - see sender.h. Only whole messages leave the ring, so that a message of which half was acknowledged can be
// sent whole to a peer that restarted.
#include "link/sender.h"
#include <string.h>

cairn_err cairn_sender_init(cairn_sender *sender, uint32_t capacity, uint32_t window, cairn_arena *arena)
{
    CAIRN_ASSERT(capacity != 0 && (capacity & (capacity - 1)) == 0);
    CAIRN_ASSERT(window <= capacity && window <= CAIRN_LINK_PIECES_WINDOW);
    cairn_piece *ring = CAIRN_TAKE(arena, cairn_piece, capacity);
    if (ring == NULL) { return CAIRN_ERR_FULL; }
    *sender = (cairn_sender){.ring = ring, .capacity = capacity, .window = window};
    return CAIRN_OK;
}

cairn_piece *cairn_sender_piece(const cairn_sender *sender, uint32_t number)
{
    return &sender->ring[number & (sender->capacity - 1)];
}

cairn_err cairn_sender_put(cairn_sender *sender, const uint8_t *bytes, size_t size, cairn_mono now)
{
    CAIRN_ASSERT(size > 0);
    const uint32_t count = (uint32_t)((size + CAIRN_LINK_PIECE_BYTES - 1) / CAIRN_LINK_PIECE_BYTES);
    if (count > sender->window) { return CAIRN_ERR_TOO_LARGE; }
    if (sender->next - sender->base + count > sender->capacity) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < count; i++) {
        cairn_piece *piece = cairn_sender_piece(sender, sender->next++);
        const size_t from = (size_t)i * CAIRN_LINK_PIECE_BYTES;
        const size_t piece_bytes = size - from < CAIRN_LINK_PIECE_BYTES ? size - from : CAIRN_LINK_PIECE_BYTES;
        piece->put_ns = now.ns;
        piece->sent_ns = 0;
        piece->size = (uint16_t)piece_bytes;
        piece->first = i == 0;
        piece->last = i + 1 == count;
        piece->sent = piece->acked = piece->held = false;
        memcpy(piece->bytes, bytes + from, piece_bytes);
    }
    sender->message_count++;
    return CAIRN_OK;
}

uint32_t cairn_sender_end(const cairn_sender *sender)
{
    const uint32_t queued = sender->next - sender->base;
    return sender->base + (queued < sender->window ? queued : sender->window);
}

// Lets go of messages at the front that are acknowledged whole.
static uint32_t release(cairn_sender *sender)
{
    uint32_t done = 0;
    uint32_t number = sender->base;
    while (number != sender->next && cairn_sender_piece(sender, number)->acked) {
        if (cairn_sender_piece(sender, number++)->last) {
            sender->base = number;
            done++;
        }
    }
    sender->message_count -= done;
    return done;
}

uint32_t cairn_sender_acknowledge(cairn_sender *sender, uint16_t base, uint64_t bits)
{
    const int32_t ahead = (int16_t)(uint16_t)(base - (uint16_t)sender->base); // of the peer's base
    const uint32_t end = cairn_sender_end(sender);
    for (uint32_t number = sender->base; number != end; number++) {
        const int32_t at = (int32_t)(number - sender->base) - ahead; // bit of this number
        cairn_piece *piece = cairn_sender_piece(sender, number);
        if (piece->sent && (at < 0 || (at < 64 && (bits >> at & 1) != 0))) { piece->acked = true; }
    }
    return release(sender);
}

void cairn_sender_hold(cairn_sender *sender, uint16_t base, uint64_t bits)
{
    const int32_t ahead = (int16_t)(uint16_t)(base - (uint16_t)sender->base);
    const uint32_t end = cairn_sender_end(sender);
    for (uint32_t number = sender->base; number != end; number++) {
        const int32_t at = (int32_t)(number - sender->base) - ahead;
        cairn_piece *piece = cairn_sender_piece(sender, number);
        piece->held |= piece->sent && at >= 0 && at < 64 && (bits >> at & 1) != 0;
    }
}

void cairn_sender_renumber(cairn_sender *sender)
{
    // The ring stays where it is: shifting it by whole turns keeps every piece at its place only when base is a
    // multiple of the capacity, so the pieces are turned round until the oldest is first.
    const uint32_t queued = sender->next - sender->base;
    while ((sender->base & (sender->capacity - 1)) != 0) {
        cairn_piece first = sender->ring[0];
        memmove(sender->ring, sender->ring + 1, (sender->capacity - 1) * sizeof *sender->ring);
        sender->ring[sender->capacity - 1] = first;
        sender->base--;
    }
    sender->base = 0;
    sender->next = queued;
    for (uint32_t number = 0; number != queued; number++) {
        sender->ring[number].sent = sender->ring[number].acked = sender->ring[number].held = false;
    }
}
