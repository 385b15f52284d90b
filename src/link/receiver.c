// receiver.c - see receiver.h. base moves over taken and acknowledged pieces only, so a caller that does not take, or
// does not confirm, stops the sender.
#include "link/receiver.h"
#include <string.h>

cairn_err cairn_receiver_init(cairn_receiver *receiver, uint32_t window, bool in_order, cairn_arena *arena)
{
    CAIRN_ASSERT(window != 0 && (window & (window - 1)) == 0 && window <= CAIRN_LINK_PIECES_WINDOW);
    cairn_piece *ring = CAIRN_TAKE(arena, cairn_piece, window);
    bool *taken = CAIRN_TAKE(arena, bool, window);
    uint64_t *tickets = CAIRN_TAKE(arena, uint64_t, window);
    if (ring == NULL || taken == NULL || tickets == NULL) { return CAIRN_ERR_FULL; }
    *receiver =
        (cairn_receiver){.ring = ring, .taken = taken, .tickets = tickets, .window = window, .in_order = in_order};
    return CAIRN_OK;
}

void cairn_receiver_reset(cairn_receiver *receiver)
{
    for (uint32_t i = 0; i < receiver->window; i++) {
        receiver->ring[i].sent = false;
        receiver->taken[i] = false;
    }
    receiver->base = 0;
}

static uint32_t place(const cairn_receiver *receiver, uint32_t number) { return number & (receiver->window - 1); }

cairn_err cairn_receiver_add(cairn_receiver *receiver, uint16_t number, const cairn_piece *piece)
{
    const int32_t ahead = (int16_t)(uint16_t)(number - (uint16_t)receiver->base);
    if (ahead < 0) { return CAIRN_ERR_STALE; }
    if ((uint32_t)ahead >= receiver->window) { return CAIRN_ERR_OUTSIDE; }
    const uint32_t at = place(receiver, receiver->base + (uint32_t)ahead);
    if (receiver->ring[at].sent) { return CAIRN_ERR_STALE; }
    receiver->ring[at] = *piece;
    receiver->ring[at].sent = true;
    receiver->ring[at].acked = !piece->last;
    return CAIRN_OK;
}

// How many pieces the whole message that begins at this offset from base has; 0 if it is not whole.
static uint32_t whole_at(const cairn_receiver *receiver, uint32_t offset)
{
    for (uint32_t i = offset; i < receiver->window; i++) {
        const uint32_t at = place(receiver, receiver->base + i);
        const cairn_piece *piece = &receiver->ring[at];
        if (!piece->sent || receiver->taken[at] || piece->first != (i == offset)) { return 0; }
        if (piece->last) { return i - offset + 1; }
    }
    return 0;
}

static void move_base(cairn_receiver *receiver)
{
    for (;;) {
        const uint32_t at = place(receiver, receiver->base);
        if (!receiver->taken[at] || !receiver->ring[at].acked) { return; }
        receiver->taken[at] = receiver->ring[at].sent = false;
        receiver->base++;
    }
}

static void hand_out(cairn_receiver *receiver, uint32_t offset, uint32_t count, uint8_t *ret_bytes, size_t *ret_size,
                     int64_t *ret_put_ns)
{
    *ret_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = place(receiver, receiver->base + offset + i);
        cairn_piece *piece = &receiver->ring[at];
        memcpy(ret_bytes + *ret_size, piece->bytes, piece->size);
        *ret_size += piece->size;
        *ret_put_ns = piece->put_ns;
        piece->acked = !piece->last || !receiver->hold;
        receiver->taken[at] = true;
        receiver->tickets[at] = receiver->ticket;
    }
    move_base(receiver);
}

// In order only the first message that was not taken may come next; base itself may be held.
static uint32_t first_not_taken(const cairn_receiver *receiver)
{
    uint32_t offset = 0;
    while (offset < receiver->window && receiver->taken[place(receiver, receiver->base + offset)]) { offset++; }
    return offset;
}

cairn_err cairn_receiver_take(cairn_receiver *receiver, uint8_t *ret_bytes, size_t *ret_size, int64_t *ret_put_ns)
{
    const uint32_t first = first_not_taken(receiver);
    const uint32_t limit = receiver->in_order && first < receiver->window ? first + 1 : receiver->window;
    for (uint32_t offset = first; offset < limit; offset++) {
        const uint32_t count = whole_at(receiver, offset);
        if (count != 0) {
            hand_out(receiver, offset, count, ret_bytes, ret_size, ret_put_ns);
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_EMPTY;
}

// Taken, and not yet to be acknowledged: the last piece of a held message.
static bool is_held(const cairn_receiver *receiver, uint32_t at)
{
    return receiver->taken[at] && !receiver->ring[at].acked;
}

bool cairn_receiver_confirm(cairn_receiver *receiver, uint64_t ticket)
{
    bool any = false;
    for (uint32_t at = 0; at < receiver->window; at++) {
        if (!is_held(receiver, at) || receiver->tickets[at] > ticket) { continue; }
        receiver->ring[at].acked = true;
        any = true;
    }
    move_base(receiver);
    return any;
}

uint64_t cairn_receiver_bits(const cairn_receiver *receiver)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < receiver->window; i++) {
        const cairn_piece *piece = &receiver->ring[place(receiver, receiver->base + i)];
        if (piece->sent && piece->acked) { bits |= (uint64_t)1 << i; }
    }
    return bits;
}

uint64_t cairn_receiver_held_bits(const cairn_receiver *receiver)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < receiver->window; i++) {
        if (is_held(receiver, place(receiver, receiver->base + i))) { bits |= (uint64_t)1 << i; }
    }
    return bits;
}
