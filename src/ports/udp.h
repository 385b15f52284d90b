// udp.h - datagrams over UDP: a socket that never waits, and pumps between it and boxes.
//
// What the network does to a datagram is nobody's error: a full socket, an unreachable peer, a datagram that is too
// large are counted, and the link above sends again what must arrive. Addresses are IPv4 or IPv6; a socket on no
// particular host (":7400") speaks both.
// Memory   The heap, by open.
// Threads  One owner. resolve may ask a name server, and wait for it: for the start of a program only.
#pragma once
#include "base/status.h"
#include "link/air_address.h"

#define CAIRN_UDP_TEXT_BYTES 80 // an address in words, with its end

typedef struct cairn_udp cairn_udp;

typedef struct cairn_udp_info {
    uint64_t received_count, sent_count;
    uint64_t too_large_count;   // came with more bytes than CAIRN_LINK_MTU_MAX or the caller's room; dropped
    uint64_t full_count;        // not sent: the system's buffer was full
    uint64_t unreachable_count; // not sent: no way there; last_errno says why
    uint64_t unaddressed_count; // not sent: no address, for nobody was heard yet
    uint64_t failed_count;      // the system could not receive; last_errno says why
    int last_errno;
} cairn_udp_info;

// Opens a socket at "HOST:PORT", ":PORT" for all of this computer's addresses, port 0 for any free one. IPv6 in
// brackets: "[::1]:7400". CAIRN_ERR_INVALID for a bad address, CAIRN_ERR_IO when the system refuses (port in use).
CAIRN_CHECKED cairn_err cairn_udp_open(const char *bind_address, cairn_complaints *complaints, cairn_udp **ret_udp);
void cairn_udp_close(cairn_udp *udp);          // accepts NULL
uint16_t cairn_udp_port(const cairn_udp *udp); // where it listens

// The address of "HOST:PORT", numbers or a name. CAIRN_ERR_INVALID if it is none, CAIRN_ERR_NOT_FOUND if nobody knows
// the name.
CAIRN_CHECKED cairn_err cairn_udp_resolve(const char *host_port, cairn_complaints *complaints,
                                          cairn_air_address *ret_address);
// For people: "192.0.2.7:7400", "[::1]:7400", "nowhere".
void cairn_udp_text(const cairn_air_address *address, char ret_text[static CAIRN_UDP_TEXT_BYTES]);

// The next datagram of at most max bytes, and where it came from. CAIRN_ERR_EMPTY when none waits.
CAIRN_CHECKED cairn_err cairn_udp_receive(cairn_udp *udp, uint8_t *ret_bytes, size_t max, size_t *ret_size,
                                          cairn_air_address *ret_from);
void cairn_udp_send(cairn_udp *udp, const cairn_air_address *to, const uint8_t *bytes, size_t size);

// Everything that waits, from the socket into a box, at most 512 datagrams a call, so that nobody who floods the port
// holds the caller. What a full box does with them is the box's rule.
void cairn_udp_pump_in(cairn_udp *udp, cairn_inbox *box);       // box with addresses (the station's)
void cairn_udp_pump_in_plain(cairn_udp *udp, cairn_inbox *box); // without (a robot's): seals say who it was
// Everything that waits in the box, to the network.
void cairn_udp_pump_out(cairn_udp *udp, cairn_inbox *box);                                 // with addresses
void cairn_udp_pump_out_to(cairn_udp *udp, const cairn_air_address *to, cairn_inbox *box); // without

cairn_udp_info cairn_udp_look(const cairn_udp *udp);
