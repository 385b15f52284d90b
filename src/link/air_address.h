// air_address.h - where a datagram came from or goes to, and boxes of datagrams that carry it in front.
//
// Only ports know how to read an address (ports/udp.h); everybody else keeps it and gives it back. All-zero is none.
// Threads  An address is a value. Boxes are inboxes, and as free of threads as those.
#pragma once
#include "base/inbox.h"
#include "link/link.h"

typedef struct cairn_air_address {
    uint8_t bytes[18];
} cairn_air_address;

bool cairn_air_address_is_none(const cairn_air_address *address);

// The largest message of a box with addresses; for cairn_inbox_create.
#define CAIRN_AIR_BOX_BYTES_MAX (sizeof(cairn_air_address) + CAIRN_LINK_MTU_MAX)

// Copies one datagram and its address in. Errors are those of cairn_inbox_put; CAIRN_ERR_TOO_LARGE over
// CAIRN_LINK_MTU_MAX.
CAIRN_CHECKED cairn_err cairn_air_box_put(cairn_inbox *box, const cairn_air_address *address, const uint8_t *bytes,
                                          size_t size);
// Copies the oldest out; ret_bytes has room for CAIRN_LINK_MTU_MAX. CAIRN_ERR_EMPTY when there is none.
CAIRN_CHECKED cairn_err cairn_air_box_take(cairn_inbox *box, cairn_air_address *ret_address, uint8_t *ret_bytes,
                                           size_t *ret_size);
